package engine

import (
	"context"
	"io"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/carry"
	"github.com/lukasa-memory/lukasa/internal/exports"
	"github.com/lukasa-memory/lukasa/internal/ingest"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
)

// Export is an export that is open to be imported.
type Export = carry.Export

// ImportKind describes a kind of export.
type ImportKind = carry.Kind

// ImportOptions say how an export is read.
type ImportOptions = carry.Options

// ImportProgress says how far an import has come.
type ImportProgress = carry.Progress

// ImportMeter counts what an import has read, and tells of it.
type ImportMeter = carry.Meter

// NewImportMeter is [carry.NewMeter].
func NewImportMeter(tick func(ImportProgress), read func() (int, time.Duration)) *ImportMeter {
	return carry.NewMeter(tick, read)
}

// ImportExtent words how much was read of what has pages or takes time; see [carry.Extent].
func ImportExtent(pages int, minutes float64) string { return carry.Extent(pages, minutes) }

// ImportReport says what an import did.
type ImportReport = carry.Report

// ImportItem is one thing out of an export, as it goes over the wire.
type ImportItem = client.ImportItem

// ImportResult says what became of an item.
type ImportResult = client.ImportResult

// ImportLink says that a record points to another one.
type ImportLink = client.ImportLink

// Task is a document that is not done, or a job of another kind.
type Task = client.Task

const (
	// OwnExport is the kind of what [Engine.Export] writes.
	OwnExport = carry.Own
	// WorkingOff is the stage of an import in which what was left to the background is done.
	WorkingOff = carry.WorkingOff
)

// TakeExport carries what an export holds to an engine that is bound to a scope, or to a server. A bound engine works off what is
// left to the background before it returns.
func TakeExport(ctx context.Context, x *Export, to client.Verbs, o ImportOptions, tick func(ImportProgress)) (*ImportReport, error) {
	if x.Kind == OwnExport {
		return x.TakeOwn(ctx, func(ctx context.Context, r io.Reader) (carry.OwnReport, error) {
			if o.DryRun {
				return carry.CountOwn(ctx, r, time.Now(), nil)
			}
			p, err := to.Import(ctx, r)
			return carry.OwnReport(p), err
		}, tick)
	}
	v, _ := to.(client.ImportVerbs) // nil in a dry run
	if b, ok := to.(interface{ bound() Bound }); ok {
		s := settling{sending{v}, b.bound()}
		s.b.Engine.life.Note(ctx, s.b.Scope, "import", "", map[string]any{"kind": x.Kind})
		o.MaxText = s.b.Engine.cfg.MaxCharacters
		return x.Carry(ctx, s, o, tick)
	}
	return x.Carry(ctx, sending{v}, o, tick)
}

// ImportExport carries what an export of another tool holds to the engine; the workers do what is left to the background.
func (e *Engine) ImportExport(ctx context.Context, sc lukasa.Scope, x *Export, o ImportOptions) (*ImportReport, error) {
	if !o.DryRun {
		e.life.Note(ctx, sc, "import", "", map[string]any{"kind": x.Kind})
	}
	o.MaxText = e.cfg.MaxCharacters
	return x.Carry(ctx, sending{e.As(sc)}, o, nil)
}

// Tasks lists documents that are not done, newest first; see [ingest.Path.Tasks]. Behind the last of them come the jobs of other kinds.
func (e *Engine) Tasks(ctx context.Context, sc lukasa.Scope, state string, p lukasa.Page) (lukasa.Listing[Task], error) {
	l, err := e.ingest.Tasks(ctx, sc, state, p)
	out := lukasa.Listing[Task]{Next: l.Next, Total: l.Total, Items: each(l.Items, func(t ingest.Task) Task {
		return Task{Document: t.Document, Title: t.Title, Path: t.Path, State: t.State, Status: t.Status, Reason: t.Reason, UpdatedAt: t.UpdatedAt}
	})}
	if err != nil {
		return out, err
	}
	jobs, err := e.life.Queue(ctx, sc)
	for _, j := range jobs {
		t := Task{Job: j.ID, Kind: j.Kind, Record: j.Record, Attempt: j.Attempt, State: lifecycle.StateOf(j), Reason: j.Reason, UpdatedAt: j.Created, RunAt: &j.RunAt}
		if state != "" && t.State != state {
			continue
		}
		if out.Total++; l.Next == "" {
			out.Items = append(out.Items, t)
		}
	}
	return out, err
}

// Retry puts documents that are not done back into the queue, all that failed for none; see [ingest.Path.Retry].
func (e *Engine) Retry(ctx context.Context, sc lukasa.Scope, ids ...lukasa.ID) (int, error) {
	defer e.nudge()
	return e.ingest.Retry(ctx, sc, ids...)
}

// ImportItems keeps items of an export; see [ingest.Path.ImportItems].
func (e *Engine) ImportItems(ctx context.Context, sc lukasa.Scope, in []ImportItem) ([]ImportResult, error) {
	got, err := e.ingest.ImportItems(ctx, sc, each(in, func(i ImportItem) exports.Item {
		return exports.Item{Key: i.Key, Title: i.Title, Append: i.Append, Document: i.Document, Memory: i.Memory}
	}), ingest.Doors{Remember: e.RememberAll, Room: func(ctx context.Context, sc lukasa.Scope, bytes int64) error { return e.life.Room(ctx, sc, 0, bytes) }})
	e.nudge()
	return each(got, func(r exports.Result) ImportResult { return ImportResult(r) }), err
}

// ImportLinks makes edges of what imported records point to; see [ingest.Path.ImportLinks].
func (e *Engine) ImportLinks(ctx context.Context, sc lukasa.Scope, container string, in []ImportLink) (int, error) {
	return e.ingest.ImportLinks(ctx, sc, container, each(in, func(l ImportLink) exports.Link { return exports.Link(l) }))
}

func each[A, B any](in []A, fn func(A) B) []B {
	out := make([]B, len(in))
	for i, x := range in {
		out[i] = fn(x)
	}
	return out
}

func (b Bound) bound() Bound { return b }

// Retry is [Engine.Retry].
func (b Bound) Retry(ctx context.Context, ids ...lukasa.ID) (int, error) {
	return b.Engine.Retry(ctx, b.Scope, ids...)
}

// ImportItems is [Engine.ImportItems].
func (b Bound) ImportItems(ctx context.Context, in []ImportItem) ([]ImportResult, error) {
	return b.Engine.ImportItems(ctx, b.Scope, in)
}

// ImportLinks is [Engine.ImportLinks].
func (b Bound) ImportLinks(ctx context.Context, container string, in []ImportLink) (int, error) {
	return b.Engine.ImportLinks(ctx, b.Scope, container, in)
}

// settling is an engine where no worker runs, as what an export is carried to.
type settling struct {
	sending
	b Bound
}

// Settle implements [carry.Settler].
func (s settling) Settle(ctx context.Context, waiting []lukasa.ID, tick func(left int)) (map[lukasa.ID]string, error) {
	if err := s.b.Engine.DrainTelling(ctx, tick); err != nil {
		return nil, err
	}
	return s.b.Engine.ingest.Unread(ctx, s.b.Scope, waiting)
}

// Read implements [carry.Extractor].
func (s settling) Read() (pages int, sound time.Duration) { return s.b.Engine.Read() }

// sending is an engine or a server as what an export is carried to.
type sending struct{ client.ImportVerbs }

// ImportItems implements [carry.Target].
func (s sending) ImportItems(ctx context.Context, items []exports.Item) ([]exports.Result, error) {
	got, err := s.ImportVerbs.ImportItems(ctx, each(items, func(it exports.Item) ImportItem {
		return ImportItem{Key: it.Key, Title: it.Title, Append: it.Append, Document: it.Document, Memory: it.Memory}
	}))
	return each(got, func(r client.ImportResult) exports.Result { return exports.Result(r) }), err
}

// ImportLinks implements [carry.Target].
func (s sending) ImportLinks(ctx context.Context, container string, links []exports.Link) (int, error) {
	return s.ImportVerbs.ImportLinks(ctx, container, each(links, func(l exports.Link) client.ImportLink { return client.ImportLink(l) }))
}
