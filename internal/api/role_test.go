package api_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// served is a site with options of its door.
func served(t *testing.T, cfg config.Config, o api.Options) *site {
	t.Helper()
	e, clock, _ := enginetest.Open(t, cfg, engine.Options{})
	srv := httptest.NewServer(api.New(e, o))
	t.Cleanup(srv.Close)
	return &site{t: t, e: e, clock: clock, url: srv.URL, key: cfg.APIKey}
}

// T-22: a worker answers those that look after it, and sends all others elsewhere, with a key or without.
func TestWorkerTakesNoRequests(t *testing.T) {
	t.Parallel()
	s := served(t, enginetest.Config(t), api.Options{Version: "test", Role: "worker", MCP: http.NotFoundHandler()})
	if hello := s.must(200, "GET", "/", nil); text(hello, "role") != "worker" || text(hello, "api") != "" {
		t.Errorf("greeting: %v", hello)
	}
	s.must(200, "GET", "/health", nil)
	s.must(200, "GET", "/ready", nil)
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/metrics", nil)
	req.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("metrics: %d", resp.StatusCode)
	}
	for _, key := range []string{s.key, "", "sk_wrong"} {
		s.key = key
		for _, at := range []string{"POST /v1/documents", "POST /v1/search", "GET /v1/stats", "GET /v1/events", "POST /v1/import", "POST /mcp", "GET /openapi.json", "POST /v3/memory", "GET /nowhere", "GET //health"} {
			method, path, _ := strings.Cut(at, " ")
			status, out := s.do(method, path, obj{"content": "x", "query": "x"})
			if status != 404 || text(out, "error", "code") != "NOT_FOUND" || !strings.Contains(text(out, "error", "hint"), "role is api or all") {
				t.Errorf("%s with key %q: %d %v", at, key, status, out)
			}
		}
	}
	sc, err := s.e.Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.e.Stats(t.Context(), sc, time.Time{}); err != nil || n.Documents != 0 {
		t.Errorf("a worker took a document: %v %v", n, err)
	}
}

// T-22: a server that is about to stop is not ready any more, and still answers.
func TestLeavingIsNotReady(t *testing.T) {
	t.Parallel()
	var leaving atomic.Bool
	s := served(t, enginetest.Config(t), api.Options{Version: "test", Role: "api", Leaving: leaving.Load})
	s.must(200, "GET", "/ready", nil)
	leaving.Store(true)
	if out := s.must(503, "GET", "/ready", nil); text(out, "status") != "stopping" {
		t.Errorf("ready: %v", out)
	}
	s.must(200, "GET", "/health", nil)
	s.must(201, "POST", "/v1/documents", obj{"content": "the last boat leaves at nine"})
	if hello := s.must(200, "GET", "/", nil); text(hello, "role") != "api" || text(hello, "api") == "" {
		t.Errorf("greeting: %v", hello)
	}
}

// Health names the cache that is away, and comes soon.
func TestHealthNamesTheCache(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	cfg.CacheProvider, cfg.CacheURL = "redis", "redis://127.0.0.1:1"
	s := served(t, cfg, api.Options{Version: "test"})
	from := time.Now()
	out := s.must(200, "GET", "/health", nil)
	if text(out, "status") != "degraded" || text(out, "checks", "cache", "status") != "degraded" || text(out, "checks", "store", "status") != "ok" {
		t.Errorf("health: %v", out)
	}
	if took := time.Since(from); took > 5*time.Second {
		t.Errorf("health took %v", took)
	}
	s.save("the cellar door sticks in summer") // it works without
	if hits := s.recall("cellar door"); len(hits) == 0 {
		t.Error("nothing is found without the cache")
	}
}

// A node that cannot keep what is saved goes on answering searches: alive and ready, degraded, and not ready for those who ask whether they can write.
func TestFullDiskIsNotReadyToWrite(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	s := served(t, cfg, api.Options{Version: "test", Role: "all"})
	inTheWay := filepath.Join(cfg.Data, ".room") // a disk refuses root as well
	ask := func(status string, write int) {
		t.Helper()
		for path, want := range map[string]int{"/health": 200, "/ready": 200, "/ready?to=write": write} {
			if out := s.must(want, "GET", path, nil); text(out, "status") != status || text(out, "checks", "disk", "status") != status {
				t.Errorf("%s: %v, want %s", path, out, status)
			}
		}
	}
	ask("ok", 200)
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Minute)
	ask("degraded", 503)
	s.must(200, "POST", "/v1/search", obj{"query": "boat"})
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	s.clock.Advance(time.Minute)
	ask("ok", 200)
}
