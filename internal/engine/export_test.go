package engine

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// EdgesOf returns the `references` edges of a record, for tests.
func (e *Engine) EdgesOf(ctx context.Context, sc lukasa.Scope, id lukasa.ID) ([]lukasa.Edge, error) {
	return view(ctx, e, sc, func(r store.Reader) ([]lukasa.Edge, error) {
		return r.Edges([]lukasa.ID{id}, []lukasa.EdgeType{lukasa.EdgeReferences}, 1000)
	})
}
