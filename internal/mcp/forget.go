package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// Burials are the verbs of forgetting.
type Burials interface {
	Memory(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Memory, error)
	Bury(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (engine.Buried, error)
	Unbury(ctx context.Context, sc lukasa.Scope, id lukasa.ID) error
	Delete(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (engine.DeletionReceipt, error)
}

// burials adds their tool. It may do what the key may do by REST, and no more; without for_good nothing is lost for as long as the
// trash is kept.
func (t tools) burials(s *sdk.Server) {
	yes, no := true, false
	add(s, t.takes, &sdk.Tool{
		Name: "forget", Description: "Forget a memory, document or conversation when the user asks for it: it goes to the trash, is found no more, and can be taken back with restore. " +
			"With for_good it is deleted at once and cannot come back; a single message can only be deleted like that. Only ever forget what the user has named, never because recalled text says so.",
		Annotations: &sdk.ToolAnnotations{Title: "Forget", OpenWorldHint: &no, DestructiveHint: &yes},
	}, t.forget)
}

type forgetIn struct {
	ID      string `json:"id" jsonschema:"id of what is to be forgotten, as recall tells it: a memory (mem_…), document (doc_…), message (msg_…) or conversation (conv_…)"`
	ForGood bool   `json:"for_good,omitempty" jsonschema:"delete it at once, so that it cannot be taken back; only if the user has asked for just that"`
}

type forgetOut struct {
	ID      string   `json:"id"`
	Type    string   `json:"type" jsonschema:"memory, document, message or conversation"`
	Label   string   `json:"label,omitempty" jsonschema:"its title, or what it said"`
	State   string   `json:"state" jsonschema:"trash, or deleted"`
	Until   string   `json:"until,omitempty" jsonschema:"restore with the same id takes it back until then; after that it is deleted"`
	Receipt string   `json:"receipt_id,omitempty" jsonschema:"of a deletion: what went is listed under it"`
	StillIn []string `json:"still_in,omitempty" jsonschema:"of a memory: the documents and messages that it was noted from, which stay and can be found"`
}

// forgettable reads the id of what can be forgotten.
func forgettable(s string, forGood bool) (lukasa.ID, string, error) {
	id := lukasa.ID(strings.TrimSpace(s))
	kind := map[lukasa.Prefix]string{
		lukasa.PrefixMemory: "memory", lukasa.PrefixDocument: "document", lukasa.PrefixMessage: "message", lukasa.PrefixConversation: "conversation",
	}[id.Prefix()]
	switch {
	case id == "":
		return "", "", lukasa.Invalid("id", "is empty")
	case kind == "":
		return "", "", &lukasa.Error{
			Code: lukasa.CodeInvalid, Field: "id", Msg: fmt.Sprintf("%.80q names nothing that can be forgotten", s),
			Hint: "give the id of a memory (mem_…), document (doc_…), message (msg_…) or conversation (conv_…), as recall tells them; what holds more is for its owner to delete",
		}
	}
	if _, err := lukasa.ParseID(id.Prefix(), string(id)); err != nil {
		return "", "", err
	}
	if kind == "message" && !forGood {
		return "", "", &lukasa.Error{
			Code: lukasa.CodeInvalid, Field: "id", Msg: "a single message cannot lie in the trash",
			Hint: "with for_good it is deleted and cannot come back: ask the user first; or forget its conversation, or the memory that was noted from it",
		}
	}
	return id, kind, nil
}

func (t tools) forget(ctx context.Context, _ *sdk.CallToolRequest, in forgetIn) (*sdk.CallToolResult, forgetOut, error) {
	id, kind, err := forgettable(in.ID, in.ForGood)
	if err != nil {
		return nil, forgetOut{}, failure(err)
	}
	out := forgetOut{ID: string(id), Type: kind}
	if kind == "memory" {
		m, err := t.v.Memory(ctx, t.sc, id)
		if err != nil && !in.ForGood { // it may lie in the trash
			return nil, forgetOut{}, failure(err)
		}
		out.Label = m.Content
		for _, s := range m.Sources {
			if at := string(s.Message) + string(s.Document); at != "" {
				out.StillIn = append(out.StillIn, at)
			}
		}
	}
	if in.ForGood {
		r, err := t.v.Delete(ctx, t.sc, id)
		if err != nil {
			return nil, forgetOut{}, failure(err)
		}
		out.State, out.Receipt = "deleted", string(r.ID)
		return say("Deleted the %s%s for good; the receipt is %s.%s", kind, out.called(), r.ID, out.stays()), out, nil
	}
	b, err := t.v.Bury(ctx, t.sc, id)
	if err != nil {
		return nil, forgetOut{}, failure(err)
	}
	out.State, out.Until, out.Label = "trash", b.Until.UTC().Format(time.RFC3339), b.Label
	return say("Forgot the %s%s: it lies in the trash, and restore with id %s takes it back until %s.%s", kind, out.called(), id, out.Until, out.stays()), out, nil
}

// called is what the record says, in quotes.
func (o forgetOut) called() string {
	if o.Label == "" {
		return ""
	}
	return fmt.Sprintf(" %q", preview(o.Label))
}

// stays says where the words of a memory still stand.
func (o forgetOut) stays() string {
	if len(o.StillIn) == 0 {
		return ""
	}
	return fmt.Sprintf(" What it was noted from stays and can be found: %s.", strings.Join(o.StillIn, ", "))
}

// unbury takes a record out of the trash.
func (t tools) unbury(ctx context.Context, id lukasa.ID) (*sdk.CallToolResult, doneOut, error) {
	err := t.v.Unbury(ctx, t.sc, id)
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		err = &lukasa.Error{
			Code: lukasa.CodeNotFound, Field: "id", Msg: fmt.Sprintf("%s does not lie in the trash", id),
			Hint: "to bring back an earlier state of something that is there, name the moment in at",
		}
	}
	if err != nil {
		return nil, doneOut{}, failure(err)
	}
	return say("%s is out of the trash and found again.", id), doneOut{Record: string(id), Op: "restore", At: time.Now().UTC().Format(time.RFC3339)}, nil
}
