package redis_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/cache"
	"github.com/lukasa-memory/lukasa/internal/cache/redis"
)

// bucket is the model: tokens that grow with time up to a burst.
type bucket struct {
	cache.Bucket
	tokens float64
	at     time.Time
}

func (b *bucket) fill(now time.Time) {
	b.tokens = min(float64(b.Burst), b.tokens+now.Sub(b.at).Minutes()*float64(b.PerMinute))
	b.at = now
}

// wait is how long until there is a token.
func (b *bucket) wait() time.Duration {
	return time.Duration(max(0, 1-b.tokens) / float64(b.PerMinute) * float64(time.Minute))
}

// TestTakeModel: the server gives and refuses as a token bucket does, from all buckets of a call or from none.
func TestTakeModel(t *testing.T) {
	t.Parallel()
	url, p := given(t), prefix(t)
	const slack = 200 * time.Microsecond // the server counts whole microseconds
	run := 0
	var now time.Time
	c := open(t, redis.Options{URL: url, Prefix: p, Now: func() time.Time { return now }})
	rapid.Check(t, func(rt *rapid.T) {
		run++
		now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		var all []*bucket
		for i := range rapid.IntRange(1, 3).Draw(rt, "buckets") {
			b := &bucket{Bucket: cache.Bucket{
				Key: fmt.Sprintf("%d \x00\xff %d", run, i), PerMinute: rapid.IntRange(1, 600).Draw(rt, "a minute"), Burst: rapid.IntRange(1, 20).Draw(rt, "burst"),
			}, at: now}
			b.tokens = float64(b.Burst)
			all = append(all, b)
		}
		for range rapid.IntRange(1, 40).Draw(rt, "calls") {
			now = now.Add(time.Duration(rapid.IntRange(0, 3_000_000).Draw(rt, "µs")) * time.Microsecond)
			var asked []cache.Bucket
			var want *bucket
			wantEmpty := -1
			close := false
			for i, b := range all {
				b.fill(now)
				asked = append(asked, b.Bucket)
				if d := b.wait(); d > 0 && wantEmpty < 0 {
					wantEmpty, want = i, b
				}
				// Whether a token is just there or just not is a matter of rounding.
				if b.tokens > 1-1e-3 && b.tokens < 1+1e-3 && b.tokens != 1 {
					close = true
				}
			}
			if close {
				now = now.Add(time.Second)
				continue
			}
			empty, wait, err := c.Take(t.Context(), asked...)
			if err != nil {
				rt.Fatal(err)
			}
			if empty != wantEmpty {
				rt.Fatalf("bucket %d is empty (%v), want %d", empty, wait, wantEmpty)
			}
			if empty < 0 {
				for _, b := range all {
					b.tokens--
				}
				continue
			}
			if d := wait - want.wait(); d < -slack || d > slack {
				rt.Fatalf("wait %v, want %v", wait, want.wait())
			}
		}
	})
}

// TestTakeTogether: many nodes at once are held to one limit, by the server's clock.
func TestTakeTogether(t *testing.T) {
	t.Parallel()
	url, p := given(t), prefix(t)
	b := cache.Bucket{Key: "k", PerMinute: 1, Burst: 50}
	var given atomic.Int64
	var nodes sync.WaitGroup
	for range 4 {
		c := open(t, redis.Options{URL: url, Prefix: p})
		for range 4 {
			nodes.Go(func() {
				for range 20 {
					empty, wait, err := c.Take(t.Context(), b)
					switch {
					case err != nil:
						t.Error(err)
					case empty < 0:
						given.Add(1)
					case empty != 0 || wait <= 0 || wait > time.Minute:
						t.Errorf("bucket %d is empty for %v", empty, wait)
					}
				}
			})
		}
	}
	nodes.Wait()
	if n := given.Load(); n != 50 {
		t.Errorf("%d requests of 320 were let through, want 50", n)
	}
}

// TestTakeChangedLimit: a limit that is lowered or raised holds at once, and a clock that jumps back locks nobody out.
func TestTakeChangedLimit(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := open(t, redis.Options{URL: given(t), Prefix: prefix(t), Now: func() time.Time { return now }})
	take := func(perMinute, burst int) (int, time.Duration) {
		t.Helper()
		empty, wait, err := c.Take(t.Context(), cache.Bucket{Key: "k", PerMinute: perMinute, Burst: burst})
		if err != nil {
			t.Fatal(err)
		}
		return empty, wait
	}
	for range 60 {
		if empty, _ := take(1, 60); empty >= 0 {
			t.Fatal("refused within the burst")
		}
	}
	if empty, wait := take(60, 1); empty != 0 || wait > time.Second {
		t.Errorf("after the limit was raised: %d, %v, want a wait of a second at most", empty, wait)
	}
	now = now.Add(-24 * time.Hour)
	if _, wait := take(60, 1); wait > time.Second {
		t.Errorf("after the clock was set back: wait %v", wait)
	}
	if empty, _ := take(1_000_000_000, 1); empty >= 0 {
		now = now.Add(time.Millisecond)
		if empty, _ := take(1_000_000_000, 1); empty >= 0 {
			t.Error("a limit beyond counting refuses")
		}
	}
	for _, b := range []cache.Bucket{{Key: "k"}, {Key: "k", PerMinute: 1}, {Key: "k", Burst: 1}, {Key: "k", PerMinute: -1, Burst: 1}} {
		if _, _, err := c.Take(t.Context(), b); err == nil {
			t.Errorf("%+v is taken for a limit", b)
		}
	}
	if empty, wait, err := c.Take(t.Context()); empty != -1 || wait != 0 || err != nil {
		t.Errorf("Take of nothing = %d, %v, %v", empty, wait, err)
	}
}
