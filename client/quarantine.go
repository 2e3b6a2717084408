package client

import (
	"context"
	"net/http"

	"github.com/lukasa-memory/lukasa"
)

// Release puts a memory in force that waits for a review, in quarantine or as a candidate: it is found from then on, and weighed against
// others like any of its origin. One that waits for no review is [lukasa.CodeConflict].
func (c *Client) Release(ctx context.Context, id lukasa.ID) (lukasa.Memory, error) {
	return ask[lukasa.Memory](ctx, c, call{method: http.MethodPost, path: at("/v1/memories/", string(id)) + "/release"})
}
