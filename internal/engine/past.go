package engine

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/history"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// viewAt is view over the rows as they were at a moment; the zero time is now.
func viewAt[T any](ctx context.Context, e *Engine, sc lukasa.Scope, at time.Time, fn func(store.Reader) (T, error)) (T, error) {
	if at.IsZero() {
		return view(ctx, e, sc, fn)
	}
	var out T
	if sc.Owner == "" {
		return out, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	err := e.store.ViewAt(ctx, sc, at, func(r store.Reader) (err error) {
		out, err = fn(r)
		return err
	})
	return out, err
}

// Diff says how a record differs between two moments.
type Diff = client.Diff

// Difference is one field of it.
type Difference = client.Difference

func diff(d history.Diff, err error) (Diff, error) {
	fields := each(d.Fields, func(f history.Field) client.Difference { return client.Difference(f) })
	return Diff{Record: d.Record, From: d.From, To: d.To, Fields: fields, Text: d.Text}, err
}

// History lists the deltas that a record had at a moment, newest first; of all that the scope can see for "".
func (e *Engine) History(ctx context.Context, sc lukasa.Scope, record lukasa.ID, p lukasa.Page, at time.Time) (lukasa.Listing[lukasa.Delta], error) {
	return e.history.List(ctx, sc, record, p, at)
}

// Diff compares a record at two moments, or two documents; see [history.Path.Diff].
func (e *Engine) Diff(ctx context.Context, sc lukasa.Scope, record lukasa.ID, from, to time.Time) (Diff, error) {
	return diff(e.history.Diff(ctx, sc, record, from, to))
}

// DiffVersions compares the content of two documents, such as two versions of one.
func (e *Engine) DiffVersions(ctx context.Context, sc lukasa.Scope, from, to lukasa.ID) (Diff, error) {
	return diff(e.history.Versions(ctx, sc, from, to))
}

// Restore makes the state that a record had at a moment current again.
func (e *Engine) Restore(ctx context.Context, sc lukasa.Scope, record lukasa.ID, at time.Time, reason string) error {
	return e.history.Restore(ctx, sc, record, at, reason)
}

// RestoreVersion saves the content of an earlier version as the newest one.
func (e *Engine) RestoreVersion(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Receipt, error) {
	return e.history.RestoreVersion(ctx, sc, id)
}

// Undo turns one change back.
func (e *Engine) Undo(ctx context.Context, sc lukasa.Scope, delta lukasa.ID) (lukasa.Delta, error) {
	return e.history.Undo(ctx, sc, delta)
}

// MemoryAt returns a memory as it was at a moment.
func (e *Engine) MemoryAt(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time) (lukasa.Memory, error) {
	return e.history.Memory(ctx, sc, id, at)
}

// MemoriesAt lists memories as they were at a moment.
func (e *Engine) MemoriesAt(ctx context.Context, sc lukasa.Scope, f lukasa.MemoryFilter, p lukasa.Page, at time.Time) (lukasa.Listing[lukasa.Memory], error) {
	var err error
	if f.Kinds, err = lukasa.Kinds("kind", f.Kinds); err != nil {
		return lukasa.Listing[lukasa.Memory]{}, err
	}
	if f.State != nil && *f.State == "active" {
		f.State = new("")
	}
	if f.Entities, err = e.places.Called(ctx, sc, "entity", f.Entities, at); err != nil {
		return lukasa.Listing[lukasa.Memory]{}, err
	}
	return e.history.Memories(ctx, sc, f, p, at)
}

// NodesAt lists containers as they were at a moment, with their counts.
func (e *Engine) NodesAt(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, at time.Time) ([]lukasa.Node, error) {
	return viewAt(ctx, e, sc, at, func(r store.Reader) ([]lukasa.Node, error) { return r.Nodes(in, true) })
}

// DocumentAt returns a document as it was at a moment, with its text.
func (e *Engine) DocumentAt(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time) (lukasa.Document, error) {
	d, err := viewAt(ctx, e, sc, at, func(r store.Reader) (lukasa.Document, error) { return r.Document(id) })
	if err != nil {
		return d, err
	}
	d.Content, err = e.wholeText(ctx, sc, d)
	return d, err
}

// DocumentsAt lists documents as they were at a moment, without content.
func (e *Engine) DocumentsAt(ctx context.Context, sc lukasa.Scope, f lukasa.DocumentFilter, p lukasa.Page, at time.Time) (lukasa.Listing[lukasa.Document], error) {
	for _, s := range f.Status {
		switch s {
		case lukasa.StatusQueued, lukasa.StatusExtracting, lukasa.StatusChunking, lukasa.StatusEmbedding, lukasa.StatusDistilling, lukasa.StatusIndexing, lukasa.StatusDone, lukasa.StatusFailed:
		default:
			return lukasa.Listing[lukasa.Document]{}, lukasa.Invalid("status", "%q is not one of queued, extracting, chunking, embedding, distilling, indexing, done, failed", s)
		}
	}
	return viewAt(ctx, e, sc, at, func(r store.Reader) (lukasa.Listing[lukasa.Document], error) { return r.Documents(f, p) })
}
