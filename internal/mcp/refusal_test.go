package mcp_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// What is no request is answered in JSON-RPC, with a status that says so to HTTP; the next request is served.
func TestRefusalsAreJSONRPC(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	url := serveHTTP(t, e, map[string]lukasa.Scope{"me": sc})
	both := "application/json, text/event-stream"
	for _, c := range []struct {
		name, method, kind, accept, body string
		status, code                     int
	}{
		{"no JSON", "POST", "application/json", both, `{bad`, 400, -32700},
		{"half of a request", "POST", "application/json", both, `{"jsonrpc":"2.0","id":1,"method":"tools/list"`, 400, -32700},
		{"nothing", "POST", "application/json", both, ``, 400, -32700},
		{"a text", "POST", "application/json", both, `"x"`, 400, -32600},
		{"an empty batch", "POST", "application/json", both, `[]`, 400, -32600},
		{"no method", "POST", "application/json", both, `{"jsonrpc":"2.0"}`, 400, -32600},
		{"another type", "POST", "text/plain", both, `{}`, 415, -32600},
		{"a stream that nobody writes", "GET", "", "text/event-stream", ``, 405, -32600},
		{"a request", "POST", "application/json", both, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 200, 0},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, url, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-User", "me")
		r.Header.Set("Accept", c.accept)
		if c.kind != "" {
			r.Header.Set("Content-Type", c.kind)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Version string `json:"jsonrpc"`
			ID      any    `json:"id"`
			Error   struct {
				Code    int    `json:"code"`
				Message string `json:"message"`
			} `json:"error"`
		}
		if err := json.Unmarshal(data, &got); err != nil || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v: %s: %q", c.name, err, resp.Header.Get("Content-Type"), data)
			continue
		}
		if resp.StatusCode != c.status || got.Version != "2.0" || got.Error.Code != c.code || (c.code != 0) != (got.Error.Message != "" && got.ID == nil) {
			t.Errorf("%s: %d %s, want %d and %d", c.name, resp.StatusCode, data, c.status, c.code)
		}
	}
}
