package api

import (
	"context"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type restoreBody struct {
	At     *moment `json:"at" doc:"the moment whose state is to return"`
	Reason string  `json:"reason,omitempty"`
}

// history serves what has changed, and turns it back.
func (d *door) history() {
	const tag = "history"
	add(d, "GET", "/v1/records/{id}/history", "history", "The changes of a memory, document, conversation or container, newest first", tag, func(ctx context.Context, in *struct {
		ByID
		Paging
		Then
	},
	) (*answer[lukasa.Listing[lukasa.Delta]], error) {
		at, err := in.at()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		if err := AnyID("id", in.ID); err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.History(ctx, scope(ctx), lukasa.ID(in.ID), in.page(), at)
		return reply(ctx, d, l, err)
	})
	add(d, "GET", "/v1/records/{id}/diff", "diff", "How a record differs between two moments", tag, func(ctx context.Context, in *struct {
		ByID
		From string `query:"from" doc:"ISO 8601"`
		To   string `query:"to" doc:"ISO 8601; now when left out"`
		With string `query:"with" doc:"instead of moments: the id of another document, like an earlier version, that this one is compared to"`
	},
	) (*answer[engine.Diff], error) {
		if err := AnyID("id", in.ID); err != nil {
			return nil, d.fail(ctx, err)
		}
		if in.With != "" {
			if in.From != "" || in.To != "" {
				return nil, d.fail(ctx, lukasa.Invalid("with", "and from or to exclude each other"))
			}
			diff, err := d.e.DiffVersions(ctx, scope(ctx), lukasa.ID(in.With), lukasa.ID(in.ID))
			return reply(ctx, d, diff, err)
		}
		from, err := Instant("from", in.From)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		to, err := Instant("to", in.To)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		diff, err := d.e.Diff(ctx, scope(ctx), lukasa.ID(in.ID), from, to)
		return reply(ctx, d, diff, err)
	})
	add(d, "POST", "/v1/records/{id}/restore", "restore-record", "Make the state of a moment current again", tag, func(ctx context.Context, in *struct {
		ByID
		Body restoreBody
	},
	) (*answer[lukasa.Listing[lukasa.Delta]], error) {
		if err := AnyID("id", in.ID); err != nil {
			return nil, d.fail(ctx, err)
		}
		at := in.Body.At.ptr()
		if at == nil {
			return nil, d.fail(ctx, lukasa.Invalid("at", "is missing: name the moment whose state is to return"))
		}
		if err := d.e.Restore(ctx, scope(ctx), lukasa.ID(in.ID), *at, in.Body.Reason); err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.History(ctx, scope(ctx), lukasa.ID(in.ID), lukasa.Page{Limit: 1}, time.Time{})
		return reply(ctx, d, l, err)
	})
	add(d, "POST", "/v1/deltas/{id}/undo", "undo", "Turn one change back", tag, func(ctx context.Context, in *ByID) (*answer[lukasa.Delta], error) {
		if err := AnyID("id", in.ID); err != nil {
			return nil, d.fail(ctx, err)
		}
		delta, err := d.e.Undo(ctx, scope(ctx), lukasa.ID(in.ID))
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &answer[lukasa.Delta]{Status: http.StatusOK, Body: delta}, nil
	})
}
