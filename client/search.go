package client

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

type searchBody struct {
	Query      string             `json:"query"`
	Containers []string           `json:"containers,omitempty"`
	Inherit    bool               `json:"inherit,omitempty"`
	Limit      int                `json:"limit,omitempty"`
	Ranker     string             `json:"ranker,omitempty"`
	Types      []lukasa.EntryType `json:"types,omitempty"`
	Filters    map[string]any     `json:"filters,omitempty"`
	Threshold  float64            `json:"threshold,omitempty"`
	MinScore   float64            `json:"min_score,omitempty"`
	Include    []string           `json:"include,omitempty"`
	Talk       lukasa.ID          `json:"conversation,omitempty"`
	AsOf       *time.Time         `json:"as_of,omitempty"`
	ValidAt    *time.Time         `json:"valid_at,omitempty"`
	Related    bool               `json:"include_related,omitempty"`
	Expect     lukasa.ID          `json:"expect,omitempty"`
}

// Search answers a query.
func (c *Client) Search(ctx context.Context, q lukasa.Query) (lukasa.Result, error) {
	b := searchBody{
		Query: q.Text, Limit: q.Limit, Ranker: q.Ranker, Types: q.Types, Filters: FilterBody(q.Filter), Threshold: q.Threshold,
		MinScore: q.MinScore, AsOf: q.AsOf, ValidAt: q.ValidAt, Related: q.Related, Expect: q.Expect, Talk: q.Conversation,
	}
	b.Containers, b.Inherit = patternsOf(q.Containers)
	if q.Content {
		b.Include = []string{"content"}
	}
	return ask[lukasa.Result](ctx, c, call{method: http.MethodPost, path: "/v1/search", body: b})
}

// FilterBody writes a filter in the form that [lukasa.ParseFilter] reads; what it reads from that matches the same entries.
func FilterBody(f *lukasa.Filter) map[string]any {
	if f == nil {
		return nil
	}
	var all []any
	for i := range f.And {
		all = append(all, objectOf(&f.And[i]))
	}
	if len(f.Or) > 0 {
		var some []any
		for i := range f.Or {
			some = append(some, objectOf(&f.Or[i]))
		}
		all = append(all, map[string]any{"or": some})
	}
	if f.Not != nil {
		all = append(all, map[string]any{"not": objectOf(f.Not)})
	}
	if f.Field != "" {
		all = append(all, leafBody(f))
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		one, _ := all[0].(map[string]any)
		return one
	}
	return map[string]any{"and": all}
}

// objectOf is never nil: an empty object matches everything.
func objectOf(f *lukasa.Filter) map[string]any {
	if m := FilterBody(f); m != nil {
		return m
	}
	return map[string]any{}
}

func leafBody(f *lukasa.Filter) map[string]any {
	texts := make([]any, len(f.Text))
	for i, s := range f.Text {
		texts[i] = s
	}
	if name, ok := strings.CutPrefix(f.Field, "metadata."); ok {
		return map[string]any{"metadata": map[string]any{name: texts}}
	}
	switch f.Field {
	case "confidence":
		return map[string]any{f.Field: f.Num}
	case "after", "before":
		return map[string]any{f.Field: f.Time.UTC().Format(time.RFC3339Nano)}
	}
	return map[string]any{f.Field: texts}
}
