package engine

import (
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
	e.life.Note(ctx, sc, "export", "", nil)
	return carry.WriteOwn(ctx, e.As(sc), in, w, user.Name, e.now(), tick)
}

// Import takes in what Export wrote; see [carry.ReadOwn].
func (e *Engine) Import(ctx context.Context, sc lukasa.Scope, r io.Reader, tick func(Progress)) (Progress, error) {
	if err := sc.CanWrite(); err != nil {
		return Progress{}, err
	}
	e.life.Note(ctx, sc, "import", "", nil)
	return carry.ReadOwn(ctx, e.As(sc), r, e.now(), tick)
}

// Messages is [Engine.Messages].
func (b Bound) Messages(ctx context.Context, id lukasa.ID, p lukasa.Page) (lukasa.Listing[lukasa.Message], error) {
	return b.Engine.Messages(ctx, b.Scope, id, p, time.Time{})
}

// CreateNode is [Engine.CreateNode].
func (b Bound) CreateNode(ctx context.Context, in lukasa.NewNode) (lukasa.Node, error) {
	return b.Engine.CreateNode(ctx, b.Scope, in)
}

// Append is [Engine.Append].
func (b Bound) Append(ctx context.Context, in lukasa.Append) (lukasa.Conversation, []lukasa.AppendResult, error) {
	return b.Engine.Append(ctx, b.Scope, in)
}

// RestoreMemory puts a memory of an export back under its own id and says whether it was new.
func (b Bound) RestoreMemory(ctx context.Context, m lukasa.Memory) (bool, error) {
	return b.Engine.ingest.RestoreMemory(ctx, b.Scope, m)
}
