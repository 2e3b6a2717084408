package engine

import (
	"context"
	"io"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Scope turns a key's secret into a scope.
func (e *Engine) Scope(ctx context.Context, secret string) (lukasa.Scope, error) {
	sc, err := e.auth.Scope(ctx, secret)
	if err != nil && secret != "" {
		e.life.NoteRefusal(ctx, err)
	}
	return sc, err
}

// Allow takes one request from the key's bucket; see [auth.Auth.Allow].
func (e *Engine) Allow(sc lukasa.Scope) error { return e.auth.Allow(sc) }

// Local is the scope of the process that opened the data directory itself.
func (e *Engine) Local(ctx context.Context) (lukasa.Scope, error) { return e.auth.Local(ctx) }

// view runs fn over one snapshot and returns what it made.
func view[T any](ctx context.Context, e *Engine, sc lukasa.Scope, fn func(store.Reader) (T, error)) (T, error) {
	var out T
	if sc.Owner == "" {
		return out, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	err := e.store.View(ctx, sc, func(r store.Reader) (err error) {
		out, err = fn(r)
		return err
	})
	return out, err
}

// Remember keeps a document; see [ingest.Path.Remember].
func (e *Engine) Remember(ctx context.Context, sc lukasa.Scope, in lukasa.NewDocument) (lukasa.Receipt, error) {
	r, errs := e.RememberAll(ctx, sc, []lukasa.NewDocument{in})
	return r[0], errs[0]
}

// RememberAll keeps several documents, each with a receipt or an error of its own; see [ingest.Path.RememberAll].
func (e *Engine) RememberAll(ctx context.Context, sc lukasa.Scope, in []lukasa.NewDocument) ([]lukasa.Receipt, []error) {
	in, chosen := e.choose(ctx, sc, in)
	receipts, errs := e.withRoom(ctx, sc, in)
	e.chosen(sc, chosen, receipts, errs)
	for i, r := range receipts {
		switch {
		case errs[i] != nil:
			e.metrics.Saved("document", "refused", 1)
		case r.Deduplicated:
			e.metrics.Saved("document", "deduplicated", 1)
			e.nudge() // it may be one that is tried again
		default:
			e.metrics.Saved("document", "created", 1)
			if r.Document.Status != lukasa.StatusDone {
				e.nudge()
			}
		}
	}
	return receipts, errs
}

// Append adds messages to a conversation; see [ingest.Path.Append].
func (e *Engine) Append(ctx context.Context, sc lukasa.Scope, in lukasa.Append) (lukasa.Conversation, []lukasa.AppendResult, error) {
	if err := e.mayAppend(ctx, sc, in); err != nil {
		return lukasa.Conversation{}, nil, err
	}
	c, r, err := e.ingest.Append(ctx, sc, in)
	if err == nil && bits.Len(uint(c.Messages)) != bits.Len(uint(c.Messages+len(r))) && c.Messages+len(r) > 1 {
		c = e.settle(ctx, sc, c)
	}
	if err == nil && !e.embed.Space().Local {
		e.nudge()
	}
	return c, r, err
}

// ParseFilter reads the filters of a request; see [client.ParseFilter].
func ParseFilter(m map[string]any) (*lukasa.Filter, error) { return client.ParseFilter(m) }

// Search answers a query; see [recall.Path.Search].
func (e *Engine) Search(ctx context.Context, sc lukasa.Scope, q lukasa.Query) (lukasa.Result, error) {
	if sc.Owner == "" {
		return lukasa.Result{}, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	var err error
	if q.Filter, err = e.places.Resolve(ctx, sc, q.Filter, q.AsOf); err != nil {
		return lukasa.Result{}, err
	}
	r, err := e.recall.Search(ctx, sc, q)
	if err == nil {
		e.metrics.Search(r.Stats.Ranker, r.Stats.Cached, r.Stats.StageMS)
		e.ahead.note(sc, r)
	}
	return r, err
}

// Document returns one document with its cleaned text.
func (e *Engine) Document(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Document, error) {
	d, err := view(ctx, e, sc, func(r store.Reader) (lukasa.Document, error) { return r.Document(id) })
	if err != nil {
		return d, err
	}
	d.Content, err = e.wholeText(ctx, sc, d)
	return d, err
}

// Documents lists documents, newest first, without content.
func (e *Engine) Documents(ctx context.Context, sc lukasa.Scope, f lukasa.DocumentFilter, p lukasa.Page) (lukasa.Listing[lukasa.Document], error) {
	return e.DocumentsAt(ctx, sc, f, p, time.Time{})
}

// Chunks returns a document's chunks in order, as they were at a moment.
func (e *Engine) Chunks(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time) ([]lukasa.Chunk, error) {
	return viewAt(ctx, e, sc, at, func(r store.Reader) ([]lukasa.Chunk, error) {
		if _, err := r.Document(id); err != nil {
			return nil, err
		}
		return r.Chunks(id)
	})
}

// Versions returns a document's version chain, newest first, as it was at a moment.
func (e *Engine) Versions(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time) ([]lukasa.Document, error) {
	return viewAt(ctx, e, sc, at, func(r store.Reader) ([]lukasa.Document, error) { return r.Versions(id) })
}

// Files lists the bytes that were kept behind a document at a moment.
func (e *Engine) Files(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time) ([]lukasa.File, error) {
	return viewAt(ctx, e, sc, at, func(r store.Reader) ([]lukasa.File, error) {
		if _, err := r.Document(id); err != nil {
			return nil, err
		}
		return r.Files(id, "")
	})
}

// Content opens what a document came in as: its raw bytes where they were kept, else its cleaned text as it was at a moment.
func (e *Engine) Content(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time) (io.ReadCloser, lukasa.File, error) {
	return e.content(ctx, sc, id, at)
}

// PatchDocument changes what is not content.
func (e *Engine) PatchDocument(ctx context.Context, sc lukasa.Scope, id lukasa.ID, in lukasa.DocumentPatch) (lukasa.Document, error) {
	return e.ingest.PatchDocument(ctx, sc, id, in)
}

// DeleteDocument removes a document for good and says what went.
func (e *Engine) DeleteDocument(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Removal, error) {
	r, err := e.Delete(ctx, sc, id)
	return r.Removed, err
}

// AddMemory keeps one statement as it is given. A correction in the very words of the memory that it names changes nothing: the answer
// is that memory, marked as there before.
func (e *Engine) AddMemory(ctx context.Context, sc lukasa.Scope, in lukasa.NewMemory) (lukasa.Memory, error) {
	if err := e.life.Room(ctx, sc, 0, int64(len(in.Content))); err != nil {
		return lukasa.Memory{}, err
	}
	if in.Updates != "" && sc.CanWrite() == nil {
		if m, err := e.Memory(ctx, sc, in.Updates); err == nil && sc.Writes(m.Path) && saysNothing(m, in) {
			m.Deduplicated = true
			return m, nil
		}
	}
	return e.learn.AddMemory(ctx, sc, in)
}

// saysNothing reports whether a correction has the words of a memory in force, and nothing else to say of it but a reason.
func saysNothing(m lukasa.Memory, in lukasa.NewMemory) bool {
	return m.IsLatest && m.State == "" && m.Content == strings.TrimSpace(in.Content) && (in.Kind == "" || in.Kind == m.Kind) && in.Container == "" &&
		in.Confidence == nil && in.Tags == nil && in.Metadata == nil && in.OccurredAt == nil && in.ForgetAfter == nil
}

// Memory returns one memory.
func (e *Engine) Memory(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Memory, error) {
	return e.history.Memory(ctx, sc, id, time.Time{})
}

// Memories lists memories, newest first.
func (e *Engine) Memories(ctx context.Context, sc lukasa.Scope, f lukasa.MemoryFilter, p lukasa.Page) (lukasa.Listing[lukasa.Memory], error) {
	return e.MemoriesAt(ctx, sc, f, p, time.Time{})
}

// PatchMemory changes a memory's descriptors.
func (e *Engine) PatchMemory(ctx context.Context, sc lukasa.Scope, id lukasa.ID, in lukasa.MemoryPatch) (lukasa.Memory, error) {
	if m, err := e.learn.PatchMemory(ctx, sc, id, in); err != nil || m.RetiredBy == "" {
		return m, err
	}
	return e.Memory(ctx, sc, id) // by what it was retired may not be the caller's to know
}

// Release lets a memory out of quarantine; see [learn.Path.Release].
func (e *Engine) Release(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Memory, error) {
	m, err := e.learn.Release(ctx, sc, id)
	if err == nil {
		e.life.Note(ctx, sc, "memory.release", string(id), nil)
		e.nudge()
	}
	return m, err
}

// DeleteMemory removes a memory for good.
func (e *Engine) DeleteMemory(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Removal, error) {
	r, err := e.Delete(ctx, sc, id)
	return r.Removed, err
}

// Conversations lists conversations as they were at a moment, the one that began last first.
func (e *Engine) Conversations(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, p lukasa.Page, at time.Time) (lukasa.Listing[lukasa.Conversation], error) {
	return viewAt(ctx, e, sc, at, func(r store.Reader) (lukasa.Listing[lukasa.Conversation], error) { return r.Conversations(in, p) })
}

// Conversation returns one conversation as it was at a moment.
func (e *Engine) Conversation(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time) (lukasa.Conversation, error) {
	return viewAt(ctx, e, sc, at, func(r store.Reader) (lukasa.Conversation, error) { return r.Conversation(id) })
}

// Messages lists a conversation's messages in order, as they were at a moment.
func (e *Engine) Messages(ctx context.Context, sc lukasa.Scope, id lukasa.ID, p lukasa.Page, at time.Time) (lukasa.Listing[lukasa.Message], error) {
	return viewAt(ctx, e, sc, at, func(r store.Reader) (lukasa.Listing[lukasa.Message], error) {
		if _, err := r.Conversation(id); err != nil {
			return lukasa.Listing[lukasa.Message]{}, err
		}
		return r.Messages(id, p)
	})
}

// Nodes lists the nodes that the patterns name, all for none, with their counts.
func (e *Engine) Nodes(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern) ([]lukasa.Node, error) {
	return view(ctx, e, sc, func(r store.Reader) ([]lukasa.Node, error) { return r.Nodes(in, true) })
}

// Node returns the node with an id or at a path.
func (e *Engine) Node(ctx context.Context, sc lukasa.Scope, idOrPath string) (lukasa.Node, error) {
	return view(ctx, e, sc, func(r store.Reader) (lukasa.Node, error) {
		n, err := findNode(r, idOrPath)
		if err != nil || n.Depth == 0 {
			return n, err
		}
		counted, err := r.Nodes([]lukasa.Pattern{{Path: n.Path, Mode: '!'}}, true)
		if err == nil && len(counted) == 1 {
			n = counted[0]
		}
		return n, err
	})
}

func findNode(r store.Reader, idOrPath string) (lukasa.Node, error) {
	if id, err := lukasa.ParseID(lukasa.PrefixNode, idOrPath); err == nil {
		return r.Node(id)
	}
	p, err := lukasa.ParsePath(idOrPath)
	if err != nil {
		return lukasa.Node{}, err
	}
	return r.NodeAt(p)
}

// CreateNode makes a node; one that is there already is a conflict.
func (e *Engine) CreateNode(ctx context.Context, sc lukasa.Scope, in lukasa.NewNode) (lukasa.Node, error) {
	made, err := e.places.Provision(ctx, sc, []NewNode{{Path: in.Path, Type: in.Type, Description: in.Description}})
	if err != nil {
		return lukasa.Node{}, err
	}
	return made[0], nil
}

// place makes a node unless it is there.
func (e *Engine) place(ctx context.Context, sc lukasa.Scope, p lukasa.Path) error {
	if _, err := e.CreateNode(ctx, sc, lukasa.NewNode{Path: p}); err != nil && lukasa.CodeOf(err) != lukasa.CodeConflict {
		return err
	}
	return nil
}

// DeleteNode removes a node with its subtree and everything in it for good.
func (e *Engine) DeleteNode(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Removal, error) {
	r, err := e.Delete(ctx, sc, id)
	return r.Removed, err
}

// Stats counts what the scope can see of a moment.
func (e *Engine) Stats(ctx context.Context, sc lukasa.Scope, at time.Time) (lukasa.Stats, error) {
	return viewAt(ctx, e, sc, at, func(r store.Reader) (lukasa.Stats, error) { return r.Stats() })
}

// CreateUser makes a user with records of their own.
func (e *Engine) CreateUser(ctx context.Context, sc lukasa.Scope, u lukasa.User) (lukasa.User, error) {
	if err := sc.CanAdmin(); err != nil {
		return u, err
	}
	if err := sc.CanWrite(); err != nil {
		return u, err
	}
	u, err := e.auth.CreateUser(ctx, u)
	if err == nil {
		e.life.Note(ctx, sc, "user.create", string(u.ID), map[string]any{"role": string(u.Role)})
	}
	return u, err
}

// Users lists the users.
func (e *Engine) Users(ctx context.Context, sc lukasa.Scope) ([]lukasa.User, error) {
	if err := sc.CanAdmin(); err != nil {
		return nil, err
	}
	us, err := e.store.Users(ctx)
	return slices.DeleteFunc(us, func(u lukasa.User) bool { return u.ID.Prefix() == PrefixOrganisation }), err
}

// DeleteUser removes a user, everything of theirs and the key that seals their files, for good.
func (e *Engine) DeleteUser(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Removal, error) {
	if err := e.mayManage(ctx, sc, id); err != nil {
		return lukasa.Removal{}, err
	}
	r, err := e.life.DeleteUser(ctx, sc, id, lifecycle.ByRequest)
	e.nudge()
	return r.Removed, err
}
