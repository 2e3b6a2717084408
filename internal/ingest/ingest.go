// Package ingest is the write path: it turns what came in into a document with chunks and vectors, durable before it
// answers, and resumable at each step.
//
// Everything slow is done before the transaction or after it: the transaction itself only looks for a duplicate, places the
// document in its version chain and writes the rows.
package ingest

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/fetch"
	"github.com/lukasa-memory/lukasa/internal/segment"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Limits bound what one request may bring.
type Limits struct {
	Characters int   // of a text; 0 means 500,000
	Bytes      int64 // of a file; 0 means 10 MB
	Inline     int   // bytes of cleaned text that are worked off before the answer; 0 means 64 KiB
	HTML       int   // characters kept of a page; 0 means 100,000
}

func (l *Limits) fill() {
	if l.Characters == 0 {
		l.Characters = 500_000
	}
	if l.Bytes == 0 {
		l.Bytes = 10 << 20
	}
	if l.Inline == 0 {
		l.Inline = 64 << 10
	}
	if l.HTML == 0 {
		l.HTML = 100_000
	}
}

// RowLimit is the size in bytes up to which a document's cleaned text lives in its row; longer text is a sealed file.
const RowLimit = 64 << 10

// Options tune the path. Zero values are useful.
type Options struct {
	Limits      Limits
	ChunkTokens int // 0 means 480
	Overlap     int // tokens that neighbours share; 0 means 50, negative none
	MaxTries    int // of a job; 0 means 8
	Segments    segment.Limits
	Distil      bool // a model reads what was kept, as a job
}

// Deps are what the path works with.
type Deps struct {
	Store  store.Store
	Vault  *blob.Vault
	Embed  embed.Embedder
	Fetch  func(ctx context.Context, url string) (fetch.Page, error)
	Kinds  extract.Set                                                        // what can be read
	Help   extract.Help                                                       // what reading may ask of the outside
	Learn  Learn                                                              // nil: nothing is learned
	Told   Told                                                               // keeps what an import states as it is
	Plain  func(owner lukasa.ID, s string) string                             // a text without the briefs of ours that were pasted into it; nil: it is all its own
	Closed func(ctx context.Context, sc lukasa.Scope, conversation lukasa.ID) // hears of each recall file that is written, before its event; nil: nobody does
	Mint   lukasa.Minter
	Notify func(lukasa.Event) // called after the commit; must not block
	Log    *slog.Logger
}

// Told keeps statements that are no words of a text.
type Told interface {
	// KeepMemory keeps a statement in a container, under an id.
	KeepMemory(ctx context.Context, sc lukasa.Scope, id lukasa.ID, origin lukasa.Origin, path lukasa.Path, in lukasa.NewMemory) (lukasa.Memory, error)
	// PatchMemory changes a memory's descriptors.
	PatchMemory(ctx context.Context, sc lukasa.Scope, id lukasa.ID, in lukasa.MemoryPatch) (lukasa.Memory, error)
}

// Said is a text to learn from, with who said it and when.
type Said struct {
	Body     string
	Base     int       // where Body begins in its document or message
	Document lukasa.ID // the source: a document, or
	Message  lukasa.ID // a message
	Speaker  string
	Role     string
	At       time.Time // when it was said or written, in the speaker's zone
	Origin   lukasa.Origin
	Before   bool   // said before: it is read for what it tells of the texts behind it, and nothing is learned from it
	Type     string // of a document
	Later    bool   // it is too long to be read before the answer
	Title    string // of a document
	Name     string // of a document: its file name, custom id or address
}

// Learn reads texts behind those that it has heard of the same conversation. What it has heard with them it returns beside the
// lesson; what it was handed is not used again.
type Learn func(ctx context.Context, sc lukasa.Scope, heard Heard, texts []Said) (Lesson, Heard)

// Lesson writes what was learned from texts, in the transaction that keeps them. as maps the source that a text had when it
// was read to the one that it got; "" passes the text over. What it returns runs after the commit. A nil Lesson is none.
type Lesson func(tx store.Tx, node lukasa.Node, as func(lukasa.ID) lukasa.ID) (after func(), err error)

// unlearned marks an error of a lesson: what was to be learned is lost, and what was to be kept must not be.
type unlearned struct{ err error }

func (u *unlearned) Error() string { return "learn: " + u.err.Error() }

func (u *unlearned) Unwrap() error { return u.err }

// teach runs a lesson and marks its error, unless the store itself fails.
func teach(l Lesson, tx store.Tx, node lukasa.Node, as func(lukasa.ID) lukasa.ID) (func(), error) {
	if l == nil {
		return nil, nil
	}
	after, err := l(tx, node, as)
	switch lukasa.CodeOf(err) {
	case "":
		return after, nil
	case lukasa.CodeStorage, lukasa.CodeUnavailable, lukasa.CodeTimeout:
		return nil, err
	}
	return nil, &unlearned{err}
}

// keepAnyway runs a write, and runs it again without its lessons if those are what failed: learning never costs a text.
func (p *Path) keepAnyway(ctx context.Context, sc lukasa.Scope, write func(tx store.Tx, learn bool) error) error {
	err := p.Store.Update(ctx, sc, func(tx store.Tx) error { return write(tx, true) })
	u, ok := errors.AsType[*unlearned](err)
	if !ok {
		return err
	}
	p.Log.ErrorContext(ctx, "nothing was learned from what is kept now", "err", u.err)
	return p.Store.Update(ctx, sc, func(tx store.Tx) error { return write(tx, false) })
}

// Path is the write path. It is safe for concurrent use.
type Path struct {
	Deps
	opt     Options
	threads threads
}

// New makes a write path.
func New(d Deps, o Options) *Path {
	o.Limits.fill()
	if o.ChunkTokens == 0 {
		o.ChunkTokens = 480
	}
	if o.Overlap == 0 {
		o.Overlap = 50
	}
	o.Overlap = max(o.Overlap, 0)
	if o.MaxTries == 0 {
		o.MaxTries = 8
	}
	return &Path{Deps: d, opt: o}
}

// Limits returns the limits in force.
func (p *Path) Limits() Limits { return p.opt.Limits }

func (p *Path) now() time.Time { return p.Mint.Now().UTC() }

func (p *Path) notify(sc lukasa.Scope, t lukasa.EventType, node lukasa.ID, path lukasa.Path, record lukasa.ID, data map[string]any) {
	if p.Notify == nil {
		return
	}
	p.Notify(lukasa.Event{ID: p.Mint.ID(lukasa.PrefixEvent), Type: t, Owner: sc.Owner, Node: node, Path: path, Record: record, Data: data, At: p.now()})
}

// unlessGone is an error, but for that something is not there.
func unlessGone(err error) error {
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return nil
	}
	return err
}
