package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// WhoAmI returns the user and the key that the client speaks for.
func (c *Client) WhoAmI(ctx context.Context) (lukasa.User, lukasa.Key, error) {
	out, err := ask[struct {
		User lukasa.User `json:"user"`
		Key  lukasa.Key  `json:"key"`
	}](ctx, c, call{method: http.MethodGet, path: "/v1/whoami"})
	return out.User, out.Key, err
}

// CreateKey makes a key and returns its secret, which is shown this once. Of k, User, Org, Name, Role, Root, ReadOnly,
// ExpiresAt, Persona (an id or a path) and ThirdParty are taken.
func (c *Client) CreateKey(ctx context.Context, k lukasa.Key) (lukasa.Key, string, error) {
	out, err := ask[struct {
		lukasa.Key
		Secret string `json:"key"`
	}](ctx, c, call{method: http.MethodPost, path: "/v1/keys", body: struct {
		Name      string      `json:"name"`
		User      lukasa.ID   `json:"user_id,omitempty"`
		Org       lukasa.ID   `json:"organisation,omitempty"`
		Role      lukasa.Role `json:"role,omitempty"`
		Container lukasa.Path `json:"container,omitempty"`
		ReadOnly  bool        `json:"read_only,omitempty"`
		ExpiresAt *time.Time  `json:"expires_at,omitempty"`
		Persona   lukasa.ID   `json:"persona,omitempty"`
		Third     bool        `json:"third_party,omitempty"`
	}{k.Name, k.User, k.Org, k.Role, k.Root, k.ReadOnly, k.ExpiresAt, k.Persona, k.ThirdParty}})
	return out.Key, out.Secret, err
}

// Keys lists the caller's keys, or everyone's for an admin who asks for all.
func (c *Client) Keys(ctx context.Context, all bool) ([]lukasa.Key, error) {
	q := url.Values{}
	if all {
		q.Set("all", "true")
	}
	return items[lukasa.Key](ctx, c, "/v1/keys", q)
}

// RevokeKey ends a key at once.
func (c *Client) RevokeKey(ctx context.Context, id lukasa.ID) (lukasa.Key, error) {
	return ask[lukasa.Key](ctx, c, call{method: http.MethodDelete, path: at("/v1/keys/", string(id))})
}

// CreateUser makes a user with records of their own.
func (c *Client) CreateUser(ctx context.Context, u lukasa.User) (lukasa.User, error) {
	return ask[lukasa.User](ctx, c, call{method: http.MethodPost, path: "/v1/users", body: struct {
		Name       string         `json:"name"`
		Email      string         `json:"email,omitempty"`
		ExternalID string         `json:"external_id,omitempty"`
		Role       lukasa.Role    `json:"role,omitempty"`
		Settings   map[string]any `json:"settings,omitempty"`
	}{u.Name, u.Email, u.ExternalID, u.Role, u.Settings}})
}

// Users lists the users.
func (c *Client) Users(ctx context.Context) ([]lukasa.User, error) {
	return items[lukasa.User](ctx, c, "/v1/users", nil)
}

// DeleteUser removes a user and everything of theirs for good.
func (c *Client) DeleteUser(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return c.remove(ctx, "/v1/users/", string(id))
}

// Stats counts what the key can see.
func (c *Client) Stats(ctx context.Context) (lukasa.Stats, error) {
	return ask[lukasa.Stats](ctx, c, call{method: http.MethodGet, path: "/v1/stats"})
}

// Health is the state of a server. Status is ok, degraded, down or stopping.
type Health struct {
	Status  string           `json:"status"`
	Version string           `json:"version"`
	Checks  map[string]Check `json:"checks"`
	Time    time.Time        `json:"time"`
	Uptime  float64          `json:"uptime_seconds"`
}

// Check is the state of one part of a server.
type Check struct {
	Status string  `json:"status"`
	Detail string  `json:"detail,omitempty"`
	TookMS float64 `json:"took_ms"`
}

// Health returns the state of the server; one that is down is an answer and no error. It needs no key.
func (c *Client) Health(ctx context.Context) (Health, error) {
	return ask[Health](ctx, c, call{method: http.MethodGet, path: "/health", accept: func(status int) bool { return status == http.StatusServiceUnavailable }})
}

// Ready says whether the server takes requests; one that does not is an answer and no error. It needs no key. A server whose disk is full is ready,
// since searches go on: [Client.ReadyToWrite] asks for more.
func (c *Client) Ready(ctx context.Context) (Health, error) {
	return ask[Health](ctx, c, call{method: http.MethodGet, path: "/ready", accept: func(status int) bool { return status == http.StatusServiceUnavailable }})
}

// ReadyToWrite says whether the server takes requests and keeps what is saved, and what its parts are like: no, with a disk that is full or cannot be
// written. It needs no key.
func (c *Client) ReadyToWrite(ctx context.Context) (bool, Health, error) {
	ready := true
	h, err := ask[Health](ctx, c, call{method: http.MethodGet, path: "/ready", query: url.Values{"to": {"write"}}, accept: func(status int) bool {
		ready = status != http.StatusServiceUnavailable
		return !ready
	}})
	return ready && err == nil, h, err
}

// Doctor looks for damage and returns what it found, one line each; with repair, what is derived is built again.
func (c *Client) Doctor(ctx context.Context, repair bool) ([]string, error) {
	l, err := ask[lukasa.Listing[string]](ctx, c, call{method: http.MethodPost, path: "/v1/doctor", body: map[string]bool{"repair": repair}})
	return l.Items, err
}

// Metrics returns the counters and timings of a server as Prometheus reads them; it takes an admin's key.
func (c *Client) Metrics(ctx context.Context) (string, error) {
	body, err := c.do(ctx, call{method: http.MethodGet, path: "/metrics"})
	if err != nil {
		return "", err
	}
	defer body.Close()
	b, err := io.ReadAll(body)
	if err != nil {
		return "", &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "the server broke off its answer", Err: err}
	}
	return string(b), nil
}

// Export writes everything in the containers that the key can see as JSON lines. An error means that what was written is
// not whole.
func (c *Client) Export(ctx context.Context, in []lukasa.Pattern, w io.Writer) error {
	body, err := c.do(ctx, call{method: http.MethodGet, path: "/v1/export", query: query(in, lukasa.Page{})})
	if err != nil {
		return err
	}
	defer body.Close()
	track := &tracked{Writer: w}
	_, err = io.Copy(track, body)
	switch {
	case err == nil:
		return nil
	case track.err != nil:
		return fmt.Errorf("write export: %w", track.err)
	case ctx.Err() != nil:
		return fmt.Errorf("read export: %w", context.Cause(ctx))
	}
	return &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "the server broke off the export", Hint: "its log says why; what was written is not whole", Err: err}
}

// tracked remembers whether writing failed, to tell that from reading.
type tracked struct {
	io.Writer
	err error
}

func (t *tracked) Write(b []byte) (int, error) {
	n, err := t.Writer.Write(b)
	t.err = errors.Join(t.err, err)
	return n, err
}

// Imported counts what an import carried; Skipped was there already, Deleted are memories that were deleted here and stay so.
// Of a dry run, nothing was carried, and nothing counts as being there already.
type Imported struct {
	Nodes     int  `json:"nodes"`
	Documents int  `json:"documents"`
	Memories  int  `json:"memories"`
	Messages  int  `json:"messages"`
	Edges     int  `json:"edges"`
	Skipped   int  `json:"skipped"`
	Deleted   int  `json:"deleted,omitempty"`
	DryRun    bool `json:"dry_run,omitempty"`
	// NoContent names documents that came without content, or with one that could not be kept, and why.
	NoContent []string `json:"no_content,omitempty"`
}

// Import sends an export to the server. It can be run again when it was cut off. A busy server is not asked again, as r
// can be read only once.
func (c *Client) Import(ctx context.Context, r io.Reader) (Imported, error) {
	return ask[Imported](ctx, c, call{method: http.MethodPost, path: "/v1/import", query: url.Values{"kind": {"lukasa"}}, stream: r, typ: "application/x-ndjson"})
}
