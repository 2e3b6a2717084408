package engine_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// node opens a house of its own on a Redis server.
func redisNode(t *testing.T, url, prefix string) *engine.Engine {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.CacheProvider, cfg.CacheURL, cfg.CachePrefix = t.TempDir(), "redis", url, prefix
	e, err := engine.Open(t.Context(), cfg, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// TestTwoNodesOneLimit: two engines that share a Redis are together held to one limit.
func TestTwoNodesOneLimit(t *testing.T) {
	t.Parallel()
	url := os.Getenv("LUKASA_TEST_REDIS")
	if url == "" {
		t.Skip("needs redis: set LUKASA_TEST_REDIS or run make servers")
	}
	if !strings.Contains(url, "://") {
		url = "redis://" + url
	}
	prefix := fmt.Sprintf("lukasa-test-%d:", time.Now().UnixNano())
	nodes := []*engine.Engine{redisNode(t, url, prefix), redisNode(t, url, prefix)}
	sc, yes := lukasa.Scope{Owner: "u", Principal: "u", Key: "k"}, 0
	for i := range 40 {
		switch err := nodes[i%2].Allow(sc); lukasa.CodeOf(err) {
		case "":
			yes++
		case lukasa.CodeLimited:
		default:
			t.Fatal(err)
		}
	}
	// 10 at once, and 100 a minute beside: one or two more in the time that this takes.
	if yes < 10 || yes > 14 {
		t.Errorf("%d of 40 requests were let through, want 10", yes)
	}
}

// TestRedisAway: a house whose cache server is away opens, lets requests through by its own count, and does not wait.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	e := redisNode(t, "redis://127.0.0.1:1", "")
	begun, yes := time.Now(), 0
	for range 1000 {
		if e.Allow(lukasa.Scope{Owner: "u", Principal: "u", Key: "k"}) == nil {
			yes++
		}
	}
	if took := time.Since(begun); yes < 10 || yes > 20 || took > 3*time.Second {
		t.Errorf("%d of 1000 requests were let through in %v", yes, took)
	}
	cfg := config.Default()
	cfg.Data, cfg.CacheProvider, cfg.CacheURL = t.TempDir(), "redis", "nowhere"
	if broken, err := engine.Open(t.Context(), cfg, engine.Options{}); lukasa.CodeOf(err) != lukasa.CodeInvalid || !strings.Contains(err.Error(), "cache.url") {
		t.Errorf("a URL that is none: %v, %v", broken, err)
	}
}
