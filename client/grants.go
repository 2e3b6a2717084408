package client

import (
	"context"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Grant is leave for a persona or a third party to one container: not to what stands above it, beside it or below it.
type Grant struct {
	ID        lukasa.ID   `json:"id"`
	Subject   lukasa.ID   `json:"subject_id"`   // a persona's node, or the key of a third party
	Kind      string      `json:"subject_type"` // persona or third_party
	Node      lukasa.ID   `json:"target_node_id"`
	Path      lukasa.Path `json:"container"`  // of the node, as it is now
	Access    string      `json:"grant_type"` // read or read_write
	Grantor   lukasa.ID   `json:"grantor_user_id"`
	GrantedAt time.Time   `json:"granted_at"`
	ExpiresAt *time.Time  `json:"expires_at"`
	RevokedAt *time.Time  `json:"revoked_at"`
}

// NewGrant is a request to grant.
type NewGrant struct {
	Subject string     `json:"subject_id"` // a persona's container, by id or path, or the id of a third party's key
	Node    string     `json:"target_node_id"`
	Access  string     `json:"grant_type,omitempty"` // "" is read
	Expires *time.Time `json:"expires_at,omitempty"`
}

// GrantQuery narrows a listing of grants. Zero fields do not narrow.
type GrantQuery struct {
	Subject string
	Node    string
	All     bool // those that have ended too
}

// Grant gives a persona or a third party leave to one container. What it was granted of that container before ends with it.
func (c *Client) Grant(ctx context.Context, in NewGrant) (Grant, error) {
	return ask[Grant](ctx, c, call{method: http.MethodPost, path: "/v1/grants", body: in})
}

// Grants lists grants, newest first; a persona or third party sees what it has now.
func (c *Client) Grants(ctx context.Context, q GrantQuery, p lukasa.Page) (lukasa.Listing[Grant], error) {
	v := query(nil, p)
	for name, value := range map[string]string{"subject_id": q.Subject, "container": q.Node} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if q.All {
		v.Set("all", "true")
	}
	return ask[lukasa.Listing[Grant]](ctx, c, call{method: http.MethodGet, path: "/v1/grants", query: v})
}

// OneGrant returns a grant.
func (c *Client) OneGrant(ctx context.Context, id lukasa.ID) (Grant, error) {
	return ask[Grant](ctx, c, call{method: http.MethodGet, path: at("/v1/grants/", string(id))})
}

// RevokeGrant ends a grant at once.
func (c *Client) RevokeGrant(ctx context.Context, id lukasa.ID) (Grant, error) {
	return ask[Grant](ctx, c, call{method: http.MethodDelete, path: at("/v1/grants/", string(id))})
}
