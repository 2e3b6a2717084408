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

// Doubt lets the write path hear of each commit, while *on, that it may have been made or not. It was.
func (e *Engine) Doubt(on *bool) { e.ingest.Store = doubtful{e.store, on} }

type doubtful struct {
	store.Store
	on *bool
}

func (d doubtful) Update(ctx context.Context, sc lukasa.Scope, fn func(store.Tx) error) error {
	err := d.Store.Update(ctx, sc, fn)
	if err == nil && *d.on {
		return &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "the connection broke: it may have been kept, or not"}
	}
	return err
}

// Forgotten returns the places of a document or message whose memories were deleted by hand, for tests.
func (e *Engine) Forgotten(ctx context.Context, source lukasa.ID) (store.Forgotten, error) {
	return store.ForgottenOf(ctx, e.store, source)
}
