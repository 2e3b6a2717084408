package engine

import (
	"context"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
)

// warmth keeps the index near the writes, so that the first search after many of them does not have to catch up.
type warmth struct {
	mu    sync.Mutex
	dirty map[lukasa.ID]map[lukasa.ID]bool // owner → nodes
	wake  chan struct{}
}

// warmWait lets writes that come together be taken up together. What a search needs of them it reads itself; this is for those that
// are many.
const warmWait = 250 * time.Millisecond

func newWarmth() *warmth {
	return &warmth{dirty: map[lukasa.ID]map[lukasa.ID]bool{}, wake: make(chan struct{}, 1)}
}

// note says that a node was written to.
func (w *warmth) note(owner, node lukasa.ID) {
	if node == "" {
		return
	}
	w.mu.Lock()
	if w.dirty[owner] == nil {
		w.dirty[owner] = map[lukasa.ID]bool{}
	}
	w.dirty[owner][node] = true
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// take returns what was written to since the last time.
func (w *warmth) take() map[lukasa.ID]map[lukasa.ID]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.dirty
	w.dirty = map[lukasa.ID]map[lukasa.ID]bool{}
	return d
}

func (e *Engine) runWarm(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.warmth.wake:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(warmWait):
		}
		if err := e.warm(ctx); err != nil && ctx.Err() == nil {
			e.log.Warn("bring the index up to date", "err", err)
		}
	}
}

// warm loads the nodes that were written to and applies what was written.
func (e *Engine) warm(ctx context.Context) error {
	dirty := e.warmth.take()
	if _, err := e.index.Sync(ctx); err != nil {
		return err
	}
	for owner, nodes := range dirty {
		r := index.Request{Owner: owner}
		for n := range nodes {
			r.Nodes = append(r.Nodes, n)
		}
		if _, err := e.index.Search(ctx, r); err != nil {
			return err
		}
	}
	return nil
}
