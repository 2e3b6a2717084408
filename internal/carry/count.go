package carry

import (
	"context"
	"io"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// CountOwn reads an export of our own and keeps nothing: a dry run of [ReadOwn]. Like in the other dry runs, nothing counts as being there
// already.
func CountOwn(ctx context.Context, r io.Reader, now time.Time, tick func(OwnReport)) (OwnReport, error) {
	p, err := ReadOwn(ctx, counting{}, Links{
		Node: func(context.Context, lukasa.Scope, string) (lukasa.Node, error) { return lukasa.Node{ID: anyID}, nil },
		Edges: func(context.Context, lukasa.Scope, []lukasa.ID, []lukasa.EdgeType, int, time.Time) ([]lukasa.Edge, error) {
			return nil, nil
		},
		Link: func(_ context.Context, _ lukasa.Scope, e lukasa.Edge, _ bool) (lukasa.Edge, error) { return e, nil },
	}, r, now, tick)
	p.DryRun = true
	return p, err
}

// anyID stands for the ids that records would have.
const anyID = "any"

// counting is a [Writable] in which nothing is there and nothing is kept.
type counting struct{}

func (counting) Documents(context.Context, lukasa.DocumentFilter, lukasa.Page) (lukasa.Listing[lukasa.Document], error) {
	return lukasa.Listing[lukasa.Document]{}, nil
}

func (counting) RestoreNode(context.Context, lukasa.Node) error { return nil }

func (counting) RestoreDocument(context.Context, lukasa.NewDocument) (lukasa.Receipt, error) {
	return lukasa.Receipt{Document: lukasa.Document{ID: anyID}}, nil
}

func (c counting) RememberAll(ctx context.Context, in []lukasa.NewDocument) ([]lukasa.Receipt, []error) {
	r, err := c.RestoreDocument(ctx, in[0])
	return []lukasa.Receipt{r}, []error{err}
}

func (counting) RestoreMemory(context.Context, lukasa.Memory) (bool, error) { return true, nil }

func (counting) Append(_ context.Context, in lukasa.Append) (lukasa.Conversation, []lukasa.AppendResult, error) {
	out := make([]lukasa.AppendResult, len(in.Messages))
	for i := range out {
		out[i].Status = "logged"
	}
	return lukasa.Conversation{}, out, nil
}

func (counting) PatchConversation(context.Context, string, string, lukasa.DocumentPatch, string) (lukasa.Conversation, error) {
	return lukasa.Conversation{}, nil
}
