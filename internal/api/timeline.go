package api

import (
	"context"

	"github.com/lukasa-memory/lukasa"
)

func (d *door) registerTimeline() {
	add(d, "GET", "/v1/timeline", "timeline", "List what happened, was said or is dated between two moments, oldest first", "search", func(ctx context.Context, in *struct {
		Cursor    string `query:"cursor" doc:"next_cursor of the page before"`
		Limit     int    `query:"limit" doc:"1-100, default 20"`
		Container string `query:"container" doc:"a path (its subtree), work! (it alone), work.* (its children); none: everything"`
		From      string `query:"from" doc:"ISO 8601 date or time: at or after this"`
		To        string `query:"to" doc:"ISO 8601 date or time: before this"`
		Kind      string `query:"kind" doc:"several with commas: memory, message, document, or kinds of memories like event; defining and regular stand for several"`
	},
	) (*answer[lukasa.Listing[lukasa.TimelineLine]], error) {
		pats, err := Places(List(in.Container), false)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		f := lukasa.TimelineFilter{Containers: pats}
		if err := f.Narrow(List(in.Kind)); err != nil {
			return nil, d.fail(ctx, err)
		}
		if f.From, err = Since("from", in.From); err != nil {
			return nil, d.fail(ctx, err)
		}
		if f.To, err = Since("to", in.To); err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.Timeline(ctx, scope(ctx), f, lukasa.Page{Cursor: in.Cursor, Limit: in.Limit})
		return reply(ctx, d, l, err)
	})
}
