package client

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Timeline lists the memories, messages and documents between two moments, the oldest first.
func (c *Client) Timeline(ctx context.Context, f lukasa.TimelineFilter, p lukasa.Page) (lukasa.Listing[lukasa.TimelineLine], error) {
	q := query(f.Containers, p)
	var kinds []string
	for _, t := range f.Types {
		if t != lukasa.EntryMemory || len(f.Kinds) == 0 {
			kinds = append(kinds, string(t))
		}
	}
	for _, k := range f.Kinds {
		kinds = append(kinds, string(k))
	}
	if len(kinds) > 0 {
		q.Set("kind", strings.Join(kinds, ","))
	}
	for name, at := range map[string]*time.Time{"from": f.From, "to": f.To} {
		if at != nil {
			q.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	return ask[lukasa.Listing[lukasa.TimelineLine]](ctx, c, call{method: http.MethodGet, path: "/v1/timeline", query: q})
}
