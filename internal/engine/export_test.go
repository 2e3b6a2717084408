package engine

import (
	"context"
	"encoding/json"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/lifecycle"
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

// LeaveDeletion puts the job of a deletion into the queue of a user, as a process leaves it that ends before it writes the receipt, for tests.
func (e *Engine) LeaveDeletion(ctx context.Context, user lukasa.ID, r DeletionReceipt) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return e.store.Update(ctx, lukasa.Scope{Owner: user, Principal: user, Role: lukasa.RoleUser}, func(tx store.Tx) error {
		return tx.Enqueue(lukasa.Job{ID: e.learn.Mint.ID(lukasa.PrefixJob), Owner: user, Kind: lifecycle.JobScrub, Record: r.ID, MaxTries: 1000, Reason: string(b), Created: r.At})
	})
}

// SweepFiles deletes files that are nobody's, for tests.
func (e *Engine) SweepFiles(ctx context.Context) (int, error) { return e.life.Sweep(ctx) }
