package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// Whatever is served stands in the description, and whatever stands there is served.
func TestDescriptionIsWhole(t *testing.T) {
	t.Parallel()
	spec, err := api.OpenAPI("test")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]any `json:"content"`
			} `json:"responses"`
			RequestBody struct {
				Content map[string]any `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(spec, &doc); err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for path, methods := range doc.Paths {
		for method := range methods {
			described[strings.ToUpper(method)+" "+path] = false
		}
	}
	for _, route := range api.Routes() {
		if route == "/" || strings.HasPrefix(route, "GET /openapi") { // where nothing is, and the description itself
			continue
		}
		route = strings.TrimSuffix(route, "{$}")
		if _, ok := described[route]; !ok {
			t.Errorf("%s is served and not described", route)
		}
		described[route] = true
	}
	for route, served := range described {
		if !served {
			t.Errorf("%s is described and not served", route)
		}
	}
	for _, c := range []struct{ method, path, sent, told string }{
		{"get", "/v1/events", "", "text/event-stream"},
		{"get", "/v1/export", "", "application/x-ndjson"},
		{"post", "/v1/import", "application/x-ndjson", "application/json"},
		{"post", "/v1/import", "multipart/form-data", "application/json"},
		{"get", "/metrics", "", "text/plain"},
		{"post", "/mcp", "application/json", "application/json"},
	} {
		op := doc.Paths[c.path][c.method]
		if op.Responses["200"].Content[c.told] == nil || c.sent != "" && op.RequestBody.Content[c.sent] == nil || op.Responses["default"].Content["application/json"] == nil {
			t.Errorf("%s %s takes %v and answers %v", c.method, c.path, op.RequestBody.Content, op.Responses)
		}
	}
}

// plain sends a request without a body and returns the answer with its headers.
func plain(t *testing.T, h http.Handler, method, path string, header ...string) *http.Response {
	t.Helper()
	req := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	return rec.Result()
}

// HEAD answers as GET does, without what it would send, and OPTIONS which methods there are, to everybody.
func TestHeadAndOptions(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.save("The ferry leaves at nine.")
	for path, typ := range map[string]string{
		"/v1/documents": "application/json", "/v1/events": "text/event-stream", "/v1/export": "application/x-ndjson", "/metrics": "text/plain", "/": "application/json",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, s.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), typ) {
			t.Errorf("HEAD %s: %d %s", path, resp.StatusCode, resp.Header)
		}
	}
	if resp := plain(t, s.door, "HEAD", "/v1/documents"); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("HEAD without a key: %d", resp.StatusCode)
	}
	for path, allow := range map[string]string{
		"/v1/documents": "GET, HEAD, POST, OPTIONS", "/v1/memories/mem_1": "GET, HEAD, PATCH, DELETE, OPTIONS", "/health": "GET, HEAD, OPTIONS", "/": "GET, HEAD, OPTIONS",
	} {
		resp := plain(t, s.door, "OPTIONS", path)
		if resp.StatusCode != http.StatusNoContent || resp.Header.Get("Allow") != allow {
			t.Errorf("OPTIONS %s: %d, Allow %q", path, resp.StatusCode, resp.Header.Get("Allow"))
		}
	}
	if resp := plain(t, s.door, "POST", "/health"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /health: %d", resp.StatusCode)
	}
}

// Pages may ask from a browser if they are named, exactly; by themselves none may, and credentials never go with every page.
func TestCORS(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	door := func(origins ...string) http.Handler {
		return api.New(s.e, api.Options{Version: "test", Origins: origins})
	}
	const page, other = "https://app.example.org", "https://app.example.org.evil.example"
	const allowed, credentials = "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"
	for _, c := range []struct {
		name               string
		origins            []string
		origin             string
		allow, creds, vary string
	}{
		{"off", nil, page, "", "", ""},
		{"named", []string{"https://x.example", page}, page, page, "true", "Origin"},
		{"another", []string{page}, other, "", "", "Origin"},
		{"no page", []string{page}, "", "", "", "Origin"},
		{"another scheme", []string{page}, "http://app.example.org", "", "", "Origin"},
		{"null", []string{page}, "null", "", "", "Origin"},
		{"all", []string{"*"}, other, "*", "", "Origin"},
		{"all and a named one", []string{"*", page}, page, page, "true", "Origin"},
		{"all and another", []string{"*", page}, other, "*", "", "Origin"},
	} {
		header := []string{"Authorization", "Bearer " + s.key}
		if c.origin != "" {
			header = append(header, "Origin", c.origin)
		}
		resp := plain(t, door(c.origins...), "GET", "/v1/whoami", header...)
		if h := resp.Header; resp.StatusCode != http.StatusOK || h.Get(allowed) != c.allow || h.Get(credentials) != c.creds || h.Get("Vary") != c.vary {
			t.Errorf("%s: %d %v", c.name, resp.StatusCode, h)
		}
		resp = plain(t, door(c.origins...), "OPTIONS", "/v1/memories/mem_1", append(header[2:], "Access-Control-Request-Method", "PATCH")...)
		h := resp.Header
		if resp.StatusCode != http.StatusNoContent || h.Get(allowed) != c.allow || h.Get(credentials) != c.creds {
			t.Errorf("%s, beforehand: %d %v", c.name, resp.StatusCode, h)
		}
		if methods := strings.Split(h.Get("Access-Control-Allow-Methods"), ", "); c.allow != "" != slices.Contains(methods, "PATCH") || c.allow != "" != strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") {
			t.Errorf("%s, beforehand: %v", c.name, h)
		}
	}
	resp := plain(t, door(page), "GET", "/v1/whoami", "Origin", page)
	if resp.StatusCode != http.StatusUnauthorized || resp.Header.Get(allowed) != page || !strings.Contains(resp.Header.Get("Access-Control-Expose-Headers"), "Retry-After") {
		t.Errorf("an error cannot be read by the page: %d %v", resp.StatusCode, resp.Header)
	}
}

// What is too large is not read to its end, so that the connection cannot be used again: the answer says so.
func TestTooLargeClosesTheConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *config.Config) { c.MaxBody = 1 << 10 }, engine.Options{})
	long := strings.Repeat("x", 1<<20)
	for path, body := range map[string]string{
		"/v1/documents":        `{"content":"` + long + `"}`,
		"/v1/documents/upload": "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n" + long + "\r\n--x--\r\n",
	} {
		req, err := http.NewRequest(http.MethodPost, s.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.key)
		req.Header.Set("Content-Type", map[bool]string{true: "application/json", false: "multipart/form-data; boundary=x"}[path == "/v1/documents"])
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge || !resp.Close {
			t.Errorf("%s answers %d, closes: %v", path, resp.StatusCode, resp.Close)
		}
	}
}
