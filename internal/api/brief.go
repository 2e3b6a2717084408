package api

import (
	"context"

	"github.com/lukasa-memory/lukasa/internal/engine"
)

type briefBody struct {
	Query           string   `json:"query"`
	Container       texts    `json:"container,omitempty" doc:"a path (its subtree), work! (it alone), work.* (its children)"`
	Containers      []string `json:"containers,omitempty"`
	MaxTokens       int      `json:"max_tokens,omitempty" doc:"o200k tokens of the text, markers included, 1-100,000, default 8,000"`
	Session         string   `json:"session,omitempty" doc:"a name of yours: what it was given it is not given again, for a day after its last brief"`
	Fresh           bool     `json:"fresh,omitempty" doc:"forget what the session was given"`
	Floor           *float64 `json:"floor,omitempty" doc:"hits of less relevance are left out, 0..1, default 0.4"`
	IncludeDefining *bool    `json:"include_defining,omitempty" doc:"decisions, milestones, events and turning points in a block of their own; default true"`
	From            *moment  `json:"from,omitempty" doc:"of what happened, was said or is dated at or after this"`
	To              *moment  `json:"to,omitempty" doc:"before this"`
	AsOf            *moment  `json:"as_of,omitempty" doc:"what had been saved by then"`
	ValidAt         *moment  `json:"valid_at,omitempty" doc:"of memories that were true then, alone"`
}

func (d *door) briefs() {
	const tag = "briefs"
	add(d, "POST", "/v1/brief", "brief", "Recalled text that fits into a prompt", tag, func(ctx context.Context, in *struct{ Body briefBody }) (*answer[engine.Brief], error) {
		b := in.Body
		pats, err := Places(append([]string(b.Container), b.Containers...), false)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		req := engine.BriefRequest{
			Query: b.Query, Containers: pats, MaxTokens: b.MaxTokens, Session: b.Session, Fresh: b.Fresh, AsOf: b.AsOf.ptr(), ValidAt: b.ValidAt.ptr(), From: b.From.ptr(), To: b.To.ptr(),
			NoDefining: b.IncludeDefining != nil && !*b.IncludeDefining,
		}
		if b.Floor != nil {
			if req.Floor = *b.Floor; req.Floor <= 0 {
				req.Floor = -1
			}
		}
		out, err := d.e.Brief(ctx, scope(ctx), req)
		return reply(ctx, d, out, err)
	})
	add(d, "GET", "/v1/profile", "profile", "What is known: facts that hold, what happened lately, what is relevant to a query", tag, func(ctx context.Context, in *struct {
		Container string `query:"container" doc:"a path (its subtree), work! (it alone), work.* (its children); none: everything"`
		Query     string `query:"query"`
		AsOf      string `query:"as_of" doc:"ISO 8601 date or time: what was known then"`
		ValidAt   string `query:"valid_at" doc:"ISO 8601 date or time: made of what was true then"`
		MaxTokens int    `query:"max_tokens" doc:"of all lines together; none: no bound"`
	},
	) (*answer[engine.Profile], error) {
		at, err := Since("as_of", in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		valid, err := Since("valid_at", in.ValidAt)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		p, err := d.e.Profile(ctx, scope(ctx), engine.ProfileRequest{Container: in.Container, Query: in.Query, AsOf: at, ValidAt: valid, MaxTokens: in.MaxTokens})
		return reply(ctx, d, p, err)
	})
}
