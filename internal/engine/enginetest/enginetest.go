// Package enginetest opens a real engine for tests: embedded rows in a folder of the test's own, the bundled embedder, and
// a clock that the test can move.
package enginetest

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// Clock is a clock that runs, and that a test can set forward.
type Clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

// Advance sets the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// Config is what an engine of a test starts with: a folder of the test's own, and no request limit.
func Config(tb testing.TB) config.Config {
	tb.Helper()
	c := config.Default()
	c.Data = tb.TempDir()
	c.APIKey = "sk_test_0123456789abcdef"
	c.RateLimit = 0
	return c
}

// Open opens an engine that is closed when the test ends, with its clock and the local scope.
func Open(tb testing.TB, cfg config.Config, o engine.Options) (*engine.Engine, *Clock, lukasa.Scope) {
	tb.Helper()
	clock := &Clock{}
	if o.Now == nil {
		o.Now = clock.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	ctx := context.Background()
	e, err := engine.Open(ctx, cfg, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Errorf("close engine: %v", err)
		}
	})
	sc, err := e.Local(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	return e, clock, sc
}

// New opens an engine with the defaults of [Config].
func New(tb testing.TB) (*engine.Engine, *Clock, lukasa.Scope) {
	tb.Helper()
	return Open(tb, Config(tb), engine.Options{})
}
