package client

import (
	"context"
	"net/http"
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
	ValidFrom  *time.Time         `json:"valid_from,omitempty"`
	ValidTo    *time.Time         `json:"valid_to,omitempty"`
	Related    bool               `json:"include_related,omitempty"`
	Expect     lukasa.ID          `json:"expect,omitempty"`
}

// Search answers a query.
func (c *Client) Search(ctx context.Context, q lukasa.Query) (lukasa.Result, error) {
	b := searchBody{
		Query: q.Text, Limit: q.Limit, Ranker: q.Ranker, Types: q.Types, Filters: FilterBody(q.Filter), Threshold: q.Threshold,
		MinScore: q.MinScore, AsOf: q.AsOf, ValidAt: q.ValidAt, ValidFrom: q.ValidFrom, ValidTo: q.ValidTo, Related: q.Related, Expect: q.Expect, Talk: q.Conversation,
	}
	b.Containers, b.Inherit = patternsOf(q.Containers)
	if q.Content {
		b.Include = []string{"content"}
	}
	return ask[lukasa.Result](ctx, c, call{method: http.MethodPost, path: "/v1/search", body: b})
}
