package dashboard_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/dashboard"
)

const key = "sk_right"

// house is a door before an API that says which key it was given.
type house struct {
	t     *testing.T
	door  *dashboard.Door
	now   time.Time
	ended bool // the key has been revoked
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, now: time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)}
	h.open()
	return h
}

// open makes the door, as a start of the server does.
func (h *house) open() {
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "key="+r.Header.Get("Authorization"))
	})
	h.door = dashboard.New(api, dashboard.Options{
		Files: fstest.MapFS{"index.html": {Data: []byte("<!doctype html>" + strings.Repeat("page ", 200))}, "assets/a-1.js": {Data: []byte("1")}, "theme.js": {Data: []byte("2")}},
		Seal:  []byte(strings.Repeat("s", 32)),
		Now:   func() time.Time { return h.now },
		Scope: func(_ context.Context, secret string) (lukasa.Scope, error) {
			if secret != key || h.ended {
				return lukasa.Scope{}, lukasa.Errorf(lukasa.CodeUnauthenticated, "this key is not known")
			}
			return lukasa.Scope{}, nil
		},
	})
}

// ask sends a request with headers in pairs.
func (h *house) ask(method, path, body string, headers ...string) *http.Response {
	h.t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:7077"+path, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.door.ServeHTTP(w, r)
	return w.Result()
}

func text(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// signIn returns the cookie of a session.
func (h *house) signIn(body string) string {
	h.t.Helper()
	res := h.ask("POST", "/dashboard/session", body, "X-Lukasa-Dashboard", "1", "Sec-Fetch-Site", "same-origin")
	if res.StatusCode != http.StatusNoContent {
		h.t.Fatalf("sign in: %s %s", res.Status, text(h.t, res))
	}
	c := res.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Name != "lukasa_session_7077" || strings.Contains(c.Value, key) {
		h.t.Fatalf("cookie: %+v", c)
	}
	return c.Name + "=" + c.Value
}

func TestSessionOutlivesARestart(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	cookie := h.signIn(`{"key":"sk_right"}`)
	h.open()
	res := h.ask("GET", "/v1/whoami", "", "Cookie", cookie)
	if got := text(t, res); got != "key=Bearer sk_right" {
		t.Errorf("after a restart: %q", got)
	}
	if got := res.Header.Get("Content-Security-Policy"); !strings.Contains(got, "sandbox") {
		t.Errorf("policy of what the API answers: %q", got)
	}
	h.now = h.now.Add(31 * 24 * time.Hour)
	if got := text(t, h.ask("GET", "/v1/whoami", "", "Cookie", cookie)); got != "key=" {
		t.Errorf("after a month: %q", got)
	}
}

func TestVisitRenewsTheSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	cookie := h.signIn(`{"key":"sk_right"}`)
	if res := h.ask("GET", "/dashboard/", "", "Cookie", cookie); len(res.Cookies()) != 0 {
		t.Error("a fresh session is made anew")
	}
	h.now = h.now.Add(20 * 24 * time.Hour)
	res := h.ask("GET", "/dashboard/memories", "", "Cookie", cookie)
	if len(res.Cookies()) != 1 {
		t.Fatal("a session of 20 days is not made anew")
	}
	h.now = h.now.Add(20 * 24 * time.Hour)
	c := res.Cookies()[0]
	if got := text(t, h.ask("GET", "/v1/x", "", "Cookie", c.Name+"="+c.Value)); got != "key=Bearer sk_right" {
		t.Errorf("after 40 days with a visit: %q", got)
	}
}

func TestLinkSignsInOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	address, until := h.door.Link("http://127.0.0.1:7077", key)
	base, token, ok := strings.Cut(address, "#link=")
	if !ok || base != "http://127.0.0.1:7077/dashboard/" || until.Sub(h.now) != 15*time.Minute {
		t.Fatalf("link %s until %s", address, until)
	}
	body := `{"link":"` + token + `"}`
	h.signIn(body)
	if res := h.ask("POST", "/dashboard/session", body, "X-Lukasa-Dashboard", "1"); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("second use: %s", res.Status)
	}
	address, _ = h.door.Link("", key)
	h.now = h.now.Add(16 * time.Minute)
	_, token, _ = strings.Cut(address, "#link=")
	if res := h.ask("POST", "/dashboard/session", `{"link":"`+token+`"}`, "X-Lukasa-Dashboard", "1"); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("after 16 minutes: %s", res.Status)
	}
}

func TestKeyMakesALink(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	res := h.ask("POST", "/dashboard/links", "", "Authorization", "Bearer "+key)
	var got struct {
		Path string `json:"path"`
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil || res.StatusCode != http.StatusCreated {
		t.Fatal(res.Status, err)
	}
	_, token, _ := strings.Cut(got.Path, "#link=")
	h.signIn(`{"link":"` + token + `"}`)
	if res := h.ask("POST", "/dashboard/links", "", "Authorization", "Bearer sk_wrong"); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("with a wrong key: %s", res.Status)
	}
	if res := h.ask("POST", "/dashboard/links", ""); res.StatusCode != http.StatusUnauthorized && res.StatusCode != http.StatusForbidden {
		t.Errorf("with nothing: %s", res.Status)
	}
}

func TestWhoMaySignIn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
	}{
		"a wrong key":        {`{"key":"sk_wrong"}`, []string{"X-Lukasa-Dashboard", "1"}, 401},
		"no key":             {`{}`, []string{"X-Lukasa-Dashboard", "1"}, 401},
		"an unknown field":   {`{"password":"x"}`, []string{"X-Lukasa-Dashboard", "1"}, 400},
		"a form":             {`{"key":"sk_right"}`, nil, 403},
		"another site":       {`{"key":"sk_right"}`, []string{"X-Lukasa-Dashboard", "1", "Sec-Fetch-Site", "cross-site"}, 403},
		"another port":       {`{"key":"sk_right"}`, []string{"X-Lukasa-Dashboard", "1", "Sec-Fetch-Site", "same-site"}, 403},
		"another origin":     {`{"key":"sk_right"}`, []string{"X-Lukasa-Dashboard", "1", "Origin", "http://127.0.0.1:8080"}, 403},
		"this origin":        {`{"key":"sk_right"}`, []string{"X-Lukasa-Dashboard", "1", "Origin", "http://127.0.0.1:7077"}, 204},
		"too long a request": {`{"key":"` + strings.Repeat("x", 70<<10) + `"}`, []string{"X-Lukasa-Dashboard", "1"}, 413},
	} {
		if res := h.ask("POST", "/dashboard/session", c.body, c.headers...); res.StatusCode != c.status {
			t.Errorf("%s: %s, not %d", name, res.Status, c.status)
		}
	}
}

func TestSessionIsForThePagesAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	cookie := h.signIn(`{"key":"sk_right"}`)
	for name, c := range map[string]struct {
		method  string
		headers []string
		status  int
	}{
		"read from here":        {"GET", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		"opened by hand":        {"GET", []string{"Sec-Fetch-Site", "none"}, 200},
		"read by another":       {"GET", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"read by another port":  {"GET", []string{"Sec-Fetch-Site", "same-site"}, 403},
		"read, old browser":     {"GET", []string{"Origin", "https://evil.example"}, 403},
		"change from here":      {"POST", []string{"Sec-Fetch-Site", "same-origin", "X-Lukasa-Dashboard", "1"}, 200},
		"change without header": {"POST", []string{"Sec-Fetch-Site", "same-origin"}, 403},
		"change by hand":        {"DELETE", []string{"Sec-Fetch-Site", "none", "X-Lukasa-Dashboard", "1"}, 403},
		"change by another":     {"DELETE", []string{"Sec-Fetch-Site", "cross-site", "X-Lukasa-Dashboard", "1"}, 403},
		"a program with a key":  {"POST", []string{"Sec-Fetch-Site", "cross-site", "Authorization", "Bearer sk_own"}, 200},
	} {
		if res := h.ask(c.method, "/v1/memories", "", append(c.headers, "Cookie", cookie)...); res.StatusCode != c.status {
			t.Errorf("%s: %s, not %d", name, res.Status, c.status)
		}
	}
	if got := text(t, h.ask("GET", "/v1/x", "", "Cookie", cookie, "Authorization", "Bearer sk_own")); got != "key=Bearer sk_own" {
		t.Errorf("a key of its own: %q", got)
	}
	if got := text(t, h.ask("GET", "/v1/x", "", "Cookie", cookie[:len(cookie)-4]+"AAAA")); got != "key=" {
		t.Errorf("a cookie that was changed: %q", got)
	}
	if got := text(t, h.ask("GET", "/mcp", "", "Cookie", cookie)); got != "key=" {
		t.Errorf("a session must not open MCP: %q", got)
	}
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	cookie := h.signIn(`{"key":"sk_right"}`)
	res := h.ask("DELETE", "/dashboard/session", "", "X-Lukasa-Dashboard", "1", "Cookie", cookie)
	if c := res.Cookies(); res.StatusCode != http.StatusNoContent || len(c) != 1 || c[0].MaxAge >= 0 {
		t.Errorf("sign out: %s %v", res.Status, c)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	type answer struct {
		Status              int
		Kind, Cache, Packed string
	}
	for path, want := range map[string]answer{
		"/dashboard/":                {200, "text/html; charset=utf-8", "no-cache", "gzip"},
		"/dashboard/memories/mem_1":  {200, "text/html; charset=utf-8", "no-cache", "gzip"},
		"/dashboard/theme.js":        {200, "text/javascript; charset=utf-8", "no-cache", ""},
		"/dashboard/assets/a-1.js":   {200, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", ""},
		"/dashboard/assets/old-9.js": {404, "application/json", "", ""},
		"/dashboard":                 {302, "text/html; charset=utf-8", "", ""},
	} {
		res := h.ask("GET", path, "", "Accept-Encoding", "gzip", "Accept", "text/html")
		got := answer{res.StatusCode, res.Header.Get("Content-Type"), res.Header.Get("Cache-Control"), res.Header.Get("Content-Encoding")}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", path, d)
		}
		if csp := res.Header.Get("Content-Security-Policy"); want.Status == 200 && (!strings.Contains(csp, "default-src 'self'") || !strings.Contains(csp, "require-trusted-types-for 'script'") || strings.Contains(csp, "unsafe")) {
			t.Errorf("%s: policy %q", path, csp)
		}
	}
	if res := h.ask("GET", "/", "", "Accept", "text/html,*/*"); res.Header.Get("Location") != "/dashboard/" {
		t.Errorf("a browser at /: %s", res.Status)
	}
	if got := text(t, h.ask("GET", "/", "", "Accept", "*/*")); got != "key=" {
		t.Errorf("a program at /: %q", got)
	}
	tag := h.ask("GET", "/dashboard/", "").Header.Get("ETag")
	if res := h.ask("GET", "/dashboard/", "", "If-None-Match", tag); res.StatusCode != http.StatusNotModified {
		t.Errorf("with its ETag: %s", res.Status)
	}
	if res := h.ask("POST", "/dashboard/", ""); res.StatusCode < 400 {
		t.Errorf("POST to a page: %s", res.Status)
	}
}
