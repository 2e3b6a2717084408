package client

import (
	"context"
	"net/http"

	"github.com/lukasa-memory/lukasa"
)

// Release lets a memory out of quarantine, after somebody has looked at it: it is found again, and weighed against others like any of its origin.
// One that is not in quarantine is [lukasa.CodeConflict].
func (c *Client) Release(ctx context.Context, id lukasa.ID) (lukasa.Memory, error) {
	return ask[lukasa.Memory](ctx, c, call{method: http.MethodPost, path: at("/v1/memories/", string(id)) + "/release"})
}
