package engine

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/ingest"
	"github.com/lukasa-memory/lukasa/internal/learn"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// lesson lets the write path learn from what it keeps.
func (e *Engine) lesson(ctx context.Context, sc lukasa.Scope, said []ingest.Said) ingest.Lesson {
	if e.cfg.Distil == "off" {
		return nil
	}
	texts := make([]learn.Text, len(said))
	for i, s := range said {
		texts[i] = learn.Text(s)
	}
	drafts := e.learn.Draft(ctx, sc, texts)
	if drafts.Empty() {
		return nil
	}
	return func(tx store.Tx, node lukasa.Node, as func(lukasa.ID) lukasa.ID) (func(), error) {
		out, err := e.learn.Apply(tx, sc.Owner, node, drafts, as)
		return func() { e.learn.Announce(sc, node, out) }, err
	}
}
