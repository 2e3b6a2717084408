package engine

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
)

// Work asks for a stretch of a rebuild or rederivation.
type Work = lifecycle.Work

// Rebuilt says what a stretch of a rebuild did.
type Rebuilt = lifecycle.Rebuilt

// Rederived says what a stretch of a rederivation changed, or would change.
type Rederived = lifecycle.Rederived

// What can be rebuilt.
const (
	RebuildSummaries  = lifecycle.RebuildSummaries
	RebuildEmbeddings = lifecycle.RebuildEmbeddings
	RebuildGraph      = lifecycle.RebuildGraph
	RebuildIndex      = lifecycle.RebuildIndex
)

// Rebuild makes what is derived again; see [lifecycle.Path.Rebuild].
func (e *Engine) Rebuild(ctx context.Context, sc lukasa.Scope, what string, w Work) (Rebuilt, error) {
	defer e.nudge()
	return e.life.Rebuild(ctx, sc, what, w)
}

// Rederive reads what is kept again by today's rules or model; see [lifecycle.Path.Rederive].
func (e *Engine) Rederive(ctx context.Context, sc lukasa.Scope, apply bool, w Work) (Rederived, error) {
	defer e.nudge()
	return e.life.Rederive(ctx, sc, apply, w)
}

// derive hands lifecycle what the other paths can make again.
func (e *Engine) derive() lifecycle.Derive {
	return lifecycle.Derive{
		Recover: func(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lifecycle.Recovery, error) {
			r, err := e.ingest.Recover(ctx, sc, id)
			return lifecycle.Recovery(r), err
		},
		Fill:   e.ingest.Fill,
		Reword: e.ingest.Reword,
		Learn:  e.learn.Again,
		Rederive: func(ctx context.Context, sc lukasa.Scope, id lukasa.ID, apply, model bool) (lifecycle.Rederivation, error) {
			r, err := e.learn.Rederive(ctx, sc, id, apply, model)
			return lifecycle.Rederivation(r), err
		},
	}
}
