package engine

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/ingest"
	"github.com/lukasa-memory/lukasa/internal/learn"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// lesson lets the write path learn from what it keeps.
func (e *Engine) lesson(ctx context.Context, sc lukasa.Scope, heard ingest.Heard, said []ingest.Said) (ingest.Lesson, ingest.Heard) {
	if e.cfg.Distil == "off" {
		return nil, nil
	}
	texts := make([]learn.Text, len(said))
	for i, s := range said {
		texts[i] = learn.Text(s)
	}
	talk, _ := heard.(*learn.Talk)
	if talk == nil {
		talk = &learn.Talk{}
	}
	drafts := e.learn.DraftOn(ctx, sc, talk, texts)
	return func(tx store.Tx, node lukasa.Node, as func(lukasa.ID) lukasa.ID) (func(), error) {
		fresh, spared, err := e.learn.Spare(ctx, sc, tx, drafts, texts, as)
		if err != nil {
			return nil, err
		}
		out, err := e.learn.Apply(tx, sc.Owner, node, fresh, as)
		if err == nil {
			err = e.learn.Unsay(tx, texts, as, &out)
		}
		return func() {
			e.learn.Announce(sc, node, out)
			e.learn.Forget(ctx, spared)
		}, err
	}, talk
}
