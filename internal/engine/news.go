package engine

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

func (e *Engine) notify(ev lukasa.Event) {
	e.news.Publish(ev)
	e.wire.tell(ev)
	e.warmth.note(ev.Owner, ev.Node)
	e.touches.write(ev)
}

// Events returns news of what the scope may see, from now until ctx ends or the scope's key does; the channel is closed then. A
// reader that falls more than 256 behind loses the oldest.
func (e *Engine) Events(ctx context.Context, sc lukasa.Scope) (<-chan lukasa.Event, error) {
	if sc.Owner == "" {
		return nil, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	ctx, stop := context.WithCancel(ctx)
	return e.auth.Listen(ctx, sc, e.news.Listen(ctx, sc), stop), nil
}

// touchedAtOnce is how many documents are noted as recalled in one transaction, a few hundredths of a second: others want to write, too.
const touchedAtOnce = 1_000

// touches gathers what was recalled, so that last-accessed times are written in batches, off the path of a search.
type touches struct {
	store store.Store
	log   *slog.Logger
	mu    sync.Mutex
	seen  map[lukasa.Scope]map[lukasa.ID]time.Time
	nodes map[lukasa.ID]map[lukasa.ID]time.Time // owner → nodes that were written to
}

func newTouches(s store.Store, log *slog.Logger) *touches {
	return &touches{store: s, log: log, seen: map[lukasa.Scope]map[lukasa.ID]time.Time{}, nodes: map[lukasa.ID]map[lukasa.ID]time.Time{}}
}

func (t *touches) note(sc lukasa.Scope, documents []lukasa.ID) {
	now := time.Now()
	t.mu.Lock()
	defer t.mu.Unlock()
	m := t.seen[sc]
	if m == nil {
		m = map[lukasa.ID]time.Time{}
		t.seen[sc] = m
	}
	for _, id := range documents {
		m[id] = now
	}
}

// flush writes what was gathered. What cannot be written now is dropped: it is a hint, not a record.
func (t *touches) flush(ctx context.Context) error {
	t.mu.Lock()
	seen, nodes := t.seen, t.nodes
	t.seen, t.nodes = map[lukasa.Scope]map[lukasa.ID]time.Time{}, map[lukasa.ID]map[lukasa.ID]time.Time{}
	t.mu.Unlock()
	if err := t.flushNodes(ctx, nodes); err != nil {
		return err
	}
	for sc, m := range seen {
		sc.ReadOnly = false // that it was read is noted all the same
		ids := make([]lukasa.ID, 0, len(m))
		var at time.Time
		for id, when := range m {
			ids = append(ids, id)
			at = when
		}
		slices.Sort(ids) // those that were made together stand together: no part writes the pages of another again
		for some := range slices.Chunk(ids, touchedAtOnce) {
			if err := t.store.Update(ctx, sc, func(tx store.Tx) error { return touchDocuments(tx, some, at.UTC()) }); err != nil {
				return err
			}
		}
	}
	return nil
}
