package engine

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/carry"
)

// Progress counts what an export of our own has carried.
type Progress = carry.OwnReport

// Export writes everything that the scope sees in the containers; see [carry.WriteOwn].
func (e *Engine) Export(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, w io.Writer, tick func(Progress)) (Progress, error) {
	user, err := e.store.User(ctx, sc.Owner)
	if err != nil {
		return Progress{}, err
	}
	for _, p := range in { // an export of a mistyped container would be an empty one
		if ns, err := e.Nodes(ctx, sc, []lukasa.Pattern{p}); err != nil || len(ns) == 0 && p.Mode != '*' {
			return Progress{}, cmp.Or(err, error(lukasa.NotFound("container", p.Path)))
		}
	}
	e.life.Note(ctx, sc, "export", "", nil)
	return carry.WriteOwn(ctx, e.As(sc), carry.Links{Scope: sc, Edges: e.places.Edges}, in, w, user.Name, e.now(), tick)
}

// Import takes in what Export wrote; see [carry.ReadOwn].
func (e *Engine) Import(ctx context.Context, sc lukasa.Scope, r io.Reader, tick func(Progress)) (Progress, error) {
	if err := sc.CanWrite(); err != nil {
		return Progress{}, err
	}
	e.life.Note(ctx, sc, "import", "", nil)
	return carry.ReadOwn(ctx, e.As(sc), carry.Links{Scope: sc, Node: e.Node, Edges: e.places.Edges, Link: e.places.Restore}, r, e.now(), tick)
}

// CountImport reads what Export wrote and keeps nothing; see [carry.CountOwn].
func (e *Engine) CountImport(ctx context.Context, r io.Reader) (Progress, error) {
	return carry.CountOwn(ctx, r, e.now(), nil)
}

// ExportGaps notes what an export lacks while it is written; see [carry.Gaps].
type ExportGaps = carry.Gaps

// Original returns what a document without text came in as: its file, or else the address that it is to be fetched from.
func (b Bound) Original(ctx context.Context, d lukasa.Document) (carry.Original, error) {
	files, err := b.Engine.Files(ctx, b.Scope, d.ID, time.Time{})
	if err != nil {
		return carry.Original{}, err
	}
	for _, f := range files {
		if f.Role != "raw" {
			continue
		}
		rc, _, err := b.Engine.openFile(ctx, b.Scope.Owner, f)
		if err != nil {
			return carry.Original{}, err
		}
		defer rc.Close()
		data, err := io.ReadAll(rc)
		return carry.Original{Name: f.Name, Type: f.Type, Data: data}, err
	}
	return carry.Original{URL: d.SourceURL}, nil
}

// Messages is [Engine.Messages].
func (b Bound) Messages(ctx context.Context, id lukasa.ID, p lukasa.Page) (lukasa.Listing[lukasa.Message], error) {
	return b.Engine.Messages(ctx, b.Scope, id, p, time.Time{})
}

// RestoreNode makes a node of an export with what it says of itself. One that is there already is a conflict.
func (b Bound) RestoreNode(ctx context.Context, n lukasa.Node) error {
	_, err := b.Engine.places.Provision(ctx, b.Scope, []NewNode{{Path: n.Path, Name: n.Name, Type: n.Type, Description: n.Description, Summary: n.Summary, Keywords: n.Keywords}})
	return err
}

// Append is [Engine.Append].
func (b Bound) Append(ctx context.Context, in lukasa.Append) (lukasa.Conversation, []lukasa.AppendResult, error) {
	return b.Engine.Append(ctx, b.Scope, in)
}

// RestoreDocument keeps a document of an export, for which its user must have room.
func (b Bound) RestoreDocument(ctx context.Context, in lukasa.NewDocument) (lukasa.Receipt, error) {
	e := b.Engine
	if err := e.life.Room(ctx, b.Scope, 1, sizeOf(in)); err != nil {
		return lukasa.Receipt{}, err
	}
	r, err := e.ingest.RestoreDocument(ctx, b.Scope, in)
	if err != nil || r.Deduplicated {
		e.life.Spare(b.Scope, 1, sizeOf(in))
	}
	e.nudge()
	return r, err
}

// RestoreMemory puts a memory of an export back under its own id and says whether it was new.
func (b Bound) RestoreMemory(ctx context.Context, m lukasa.Memory) (bool, error) {
	return b.Engine.learn.RestoreMemory(ctx, b.Scope, m)
}
