package auth_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/auth"
	"github.com/lukasa-memory/lukasa/internal/cache"
)

// counter is a shared limit without time: each bucket gives its burst and no more. It can be away.
type counter struct {
	mu   sync.Mutex
	gone map[string]int
	away bool
	seen int
}

func (c *counter) Take(_ context.Context, buckets ...cache.Bucket) (int, time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen++
	if c.away {
		return -1, 0, errors.New("away")
	}
	for i, b := range buckets {
		if c.gone[b.Key] >= b.Burst {
			return i, 7 * time.Second, nil
		}
	}
	for _, b := range buckets {
		c.gone[b.Key]++
	}
	return -1, 0, nil
}

// TestSharedLimit: two nodes together are held to one limit; while the server is away each counts by itself, and neither
// refuses for that nor waits.
func TestSharedLimit(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	shared := &counter{gone: map[string]int{}}
	node := func() *auth.Auth {
		return auth.New(auth.Deps{Limits: shared, Mint: lukasa.Minter{Now: func() time.Time { return now }}}, auth.Options{PerMinute: 60, Burst: 10})
	}
	a, b := node(), node()
	sc := lukasa.Scope{Principal: "u", Key: "k"}
	allowed := func(n int) (yes int) {
		for i := range n {
			err := []*auth.Auth{a, b}[i%2].Allow(sc)
			if err == nil {
				yes++
				continue
			}
			e, ok := errors.AsType[*lukasa.Error](err)
			if !ok || e.Code != lukasa.CodeLimited || e.RetryAfter <= 0 || e.Hint == "" {
				t.Fatalf("refused with %#v", err)
			}
		}
		return yes
	}
	if n := allowed(30); n != 10 {
		t.Errorf("%d of 30 requests were let through by both nodes, want 10", n)
	}
	shared.away = true
	if n := allowed(30); n != 20 {
		t.Errorf("%d of 30 requests were let through without the server, want 10 by each node", n)
	}
	shared.away, shared.gone = false, map[string]int{}
	if n := allowed(30); n != 10 {
		t.Errorf("%d of 30 requests were let through after the server came back, want 10", n)
	}
	before := shared.seen
	for _, free := range []lukasa.Scope{{Principal: "u", Key: "k", Unlimited: true}, {Principal: "u"}} {
		if err := a.Allow(free); err != nil {
			t.Error(err)
		}
	}
	if shared.seen != before {
		t.Error("the server is asked about those without a limit")
	}
}
