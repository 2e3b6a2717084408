package memory_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/cache/cachetest"
	"github.com/lukasa-memory/lukasa/internal/cache/memory"
)

// clock is a time that stands still until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newCache(t testing.TB, opt memory.Options) *memory.Cache {
	t.Helper()
	c, err := memory.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// H-19
func TestConformance(t *testing.T) {
	t.Parallel()
	cachetest.Run(t, func(t *testing.T) cachetest.Bench {
		clock := newClock()
		return cachetest.Bench{Cache: newCache(t, memory.Options{Now: clock.Now}), Advance: clock.Advance, TTL: 5 * time.Minute}
	})
}

func TestByteLimit(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	c := newCache(t, memory.Options{MaxBytes: limit})
	for i := range 10_000 {
		c.Set(t.Context(), fmt.Sprintf("key %d", i), make([]byte, 1000), time.Hour)
		if i%100 == 0 {
			if s := c.Stats(); s.Bytes > limit {
				t.Fatalf("after %d entries: %d bytes, limit %d", i, s.Bytes, limit)
			}
		}
	}
	s := c.Stats()
	if s.Bytes > limit || s.Bytes < limit*8/10 || s.Entries < 600 || s.Entries > 1000 || s.Evictions < 8000 {
		t.Fatalf("%+v: the limit of %d bytes is not used or not kept", s, limit)
	}
	// Small entries weigh more than their bytes.
	tiny := newCache(t, memory.Options{MaxBytes: 10_000})
	for i := range 1000 {
		tiny.Set(t.Context(), fmt.Sprint(i), nil, time.Hour)
	}
	if s := tiny.Stats(); s.Entries > 100 {
		t.Fatalf("%d empty entries in 10,000 bytes", s.Entries)
	}
}

func TestTooLargeLeavesNothingOld(t *testing.T) {
	t.Parallel()
	c := newCache(t, memory.Options{MaxBytes: 10_000})
	c.Set(t.Context(), "k", []byte("old"), time.Hour)
	c.Set(t.Context(), "k", make([]byte, 20_000), time.Hour)
	if got, ok := c.Get(t.Context(), "k"); ok {
		t.Fatalf("%d bytes are served", len(got))
	}
}

// Expired entries give their room back without being asked for.
func TestExpiredEntriesGo(t *testing.T) {
	t.Parallel()
	clock := newClock()
	c := newCache(t, memory.Options{Now: clock.Now})
	for i := range 100 {
		c.Set(t.Context(), fmt.Sprint(i), make([]byte, 1000), time.Minute)
	}
	if s := c.Stats(); s.Entries != 100 || s.Bytes < 100_000 {
		t.Fatalf("%+v, want 100 entries", s)
	}
	clock.Advance(10 * time.Minute)
	if s := c.Stats(); s.Entries != 0 || s.Bytes != 0 {
		t.Fatalf("%+v after their time, want nothing", s)
	}
}

// A cache at rest holds no goroutine, closed or not.
func TestNoGoroutines(t *testing.T) { //nolint:paralleltest // counts the goroutines of the process
	before := goleak.IgnoreCurrent()
	c := newCache(t, memory.Options{})
	for i := range 1000 {
		c.Set(t.Context(), fmt.Sprint(i), []byte("v"), time.Hour)
		c.Get(t.Context(), fmt.Sprint(i/2))
	}
	goleak.VerifyNone(t, before)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if s := c.Stats(); s.Entries != 0 {
		t.Fatalf("%d entries after Close", s.Entries)
	}
}

func TestKeyTellsPartsApart(t *testing.T) {
	t.Parallel()
	seen := map[string][]string{}
	for _, parts := range [][]string{nil, {""}, {"", ""}, {"a"}, {"a", ""}, {"", "a"}, {"ab"}, {"a", "b"}, {"b", "a"}, {"a\x00b"}, {"a", "b", ""}} {
		key := cache.Key(parts...)
		if other, ok := seen[key]; ok || len(key) != 32 {
			t.Errorf("%q and %q share a key of %d bytes", parts, other, len(key))
		}
		seen[key] = parts
	}
}

func BenchmarkGet(b *testing.B) {
	c := newCache(b, memory.Options{})
	c.Set(b.Context(), "k", []byte("v"), time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Get(b.Context(), "k"); !ok {
			b.Fatal("miss")
		}
	}
}
