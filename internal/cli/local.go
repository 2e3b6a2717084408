package cli

import (
	"context"
	"io"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// local is the data directory, opened by this process.
type local struct {
	e  *engine.Engine
	sc lukasa.Scope
}

func (l *local) RememberAll(ctx context.Context, in []lukasa.NewDocument) ([]lukasa.Receipt, []error) {
	return l.e.RememberAll(ctx, l.sc, in)
}

func (l *local) Document(ctx context.Context, id lukasa.ID) (lukasa.Document, error) {
	return l.e.Document(ctx, l.sc, id)
}

func (l *local) Documents(ctx context.Context, f lukasa.DocumentFilter, p lukasa.Page) (lukasa.Listing[lukasa.Document], error) {
	return l.e.Documents(ctx, l.sc, f, p)
}

func (l *local) Chunks(ctx context.Context, id lukasa.ID) ([]lukasa.Chunk, error) {
	return l.e.Chunks(ctx, l.sc, id)
}

func (l *local) Versions(ctx context.Context, id lukasa.ID) ([]lukasa.Document, error) {
	return l.e.Versions(ctx, l.sc, id)
}

func (l *local) Content(ctx context.Context, id lukasa.ID) (io.ReadCloser, error) {
	rc, _, err := l.e.Content(ctx, l.sc, id)
	return rc, err
}

func (l *local) PatchDocument(ctx context.Context, id lukasa.ID, in lukasa.DocumentPatch) (lukasa.Document, error) {
	return l.e.PatchDocument(ctx, l.sc, id, in)
}

func (l *local) DeleteDocument(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return l.e.DeleteDocument(ctx, l.sc, id)
}

func (l *local) AddMemory(ctx context.Context, in lukasa.NewMemory) (lukasa.Memory, error) {
	return l.e.AddMemory(ctx, l.sc, in)
}

func (l *local) Memory(ctx context.Context, id lukasa.ID) (lukasa.Memory, error) {
	return l.e.Memory(ctx, l.sc, id)
}

func (l *local) Memories(ctx context.Context, f lukasa.MemoryFilter, p lukasa.Page) (lukasa.Listing[lukasa.Memory], error) {
	return l.e.Memories(ctx, l.sc, f, p)
}

func (l *local) PatchMemory(ctx context.Context, id lukasa.ID, in lukasa.MemoryPatch) (lukasa.Memory, error) {
	return l.e.PatchMemory(ctx, l.sc, id, in)
}

func (l *local) DeleteMemory(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return l.e.DeleteMemory(ctx, l.sc, id)
}

func (l *local) Search(ctx context.Context, q lukasa.Query) (lukasa.Result, error) {
	return l.e.Search(ctx, l.sc, q)
}

func (l *local) Conversations(ctx context.Context, in []lukasa.Pattern, p lukasa.Page) (lukasa.Listing[lukasa.Conversation], error) {
	return l.e.Conversations(ctx, l.sc, in, p)
}

func (l *local) Nodes(ctx context.Context, in []lukasa.Pattern) ([]lukasa.Node, error) {
	return l.e.Nodes(ctx, l.sc, in)
}

func (l *local) Node(ctx context.Context, idOrPath string) (lukasa.Node, error) {
	return l.e.Node(ctx, l.sc, idOrPath)
}

func (l *local) DeleteNode(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return l.e.DeleteNode(ctx, l.sc, id)
}

func (l *local) WhoAmI(ctx context.Context) (lukasa.User, lukasa.Key, error) {
	return l.e.WhoAmI(ctx, l.sc)
}

func (l *local) CreateKey(ctx context.Context, k lukasa.Key) (lukasa.Key, string, error) {
	return l.e.CreateKey(ctx, l.sc, k)
}

func (l *local) Keys(ctx context.Context, all bool) ([]lukasa.Key, error) {
	return l.e.Keys(ctx, l.sc, all)
}

func (l *local) RevokeKey(ctx context.Context, id lukasa.ID) (lukasa.Key, error) {
	return l.e.RevokeKey(ctx, l.sc, id)
}

func (l *local) CreateUser(ctx context.Context, u lukasa.User) (lukasa.User, error) {
	return l.e.CreateUser(ctx, l.sc, u)
}

func (l *local) Users(ctx context.Context) ([]lukasa.User, error) { return l.e.Users(ctx, l.sc) }

func (l *local) DeleteUser(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return l.e.DeleteUser(ctx, l.sc, id)
}

func (l *local) Stats(ctx context.Context) (lukasa.Stats, error) { return l.e.Stats(ctx, l.sc) }

func (l *local) Health(ctx context.Context) (client.Health, error) {
	h := l.e.Health(ctx)
	out := client.Health{Status: h.Status, Checks: map[string]client.Check{}, Time: h.Time, Uptime: h.Uptime}
	for name, c := range h.Checks {
		out.Checks[name] = client.Check(c)
	}
	return out, nil
}

func (l *local) Doctor(ctx context.Context, repair bool) ([]string, error) {
	return l.e.Doctor(ctx, l.sc, repair)
}

func (l *local) Export(ctx context.Context, in []lukasa.Pattern, w io.Writer) error {
	_, err := l.e.Export(ctx, l.sc, in, w, nil)
	return err
}

func (l *local) Import(ctx context.Context, r io.Reader) (client.Imported, error) {
	p, err := l.e.Import(ctx, l.sc, r, nil)
	return client.Imported(p), err
}

func (l *local) settle(ctx context.Context) error { return l.e.Drain(ctx) }
func (l *local) server() string                   { return "" }
func (l *local) close() error                     { return l.e.Close() }
