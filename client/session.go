package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// SignInLink opens the dashboard in a browser, once.
type SignInLink struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

// SignInLink returns a link that signs a browser in to the dashboard with the client's key. It can be used once, and ends after some minutes.
func (c *Client) SignInLink(ctx context.Context) (SignInLink, error) {
	body, err := c.do(ctx, call{method: http.MethodPost, path: "/dashboard/links", once: true})
	if err != nil {
		return SignInLink{}, err
	}
	defer body.Close()
	var got struct {
		Path      string    `json:"path"`
		ExpiresAt time.Time `json:"expires_at"`
	}
	if err := json.NewDecoder(body).Decode(&got); err != nil {
		return SignInLink{}, err
	}
	return SignInLink{URL: c.base + got.Path, ExpiresAt: got.ExpiresAt}, nil
}
