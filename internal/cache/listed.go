package cache

import (
	"context"
	"maps"
	"sync"
	"time"
)

// Listed makes a cache one that can be emptied: it remembers the keys that it was given.
func Listed(c Cache) Cache { return &listed{Cache: c} }

type listed struct {
	Cache
	mu   sync.Mutex
	keys map[string]struct{}
}

const maxListed = 100_000

// Set implements [Cache].
func (l *listed) Set(ctx context.Context, key string, value []byte, ttl time.Duration) {
	l.mu.Lock()
	if l.keys == nil || len(l.keys) >= maxListed {
		old := l.keys
		l.keys = map[string]struct{}{}
		defer l.drop(ctx, old)
	}
	l.keys[key] = struct{}{}
	l.mu.Unlock()
	l.Cache.Set(ctx, key, value, ttl)
}

func (l *listed) drop(ctx context.Context, keys map[string]struct{}) int {
	n := 0
	for k := range keys {
		if _, ok := l.Get(ctx, k); ok {
			n++
		}
		_ = l.Delete(ctx, k) // what is left cannot be asked for any more, and ends with its time
	}
	return n
}

// Empty implements [Emptier].
func (l *listed) Empty(ctx context.Context) (int, error) {
	l.mu.Lock()
	keys := maps.Clone(l.keys)
	clear(l.keys)
	l.mu.Unlock()
	return l.drop(ctx, keys), nil
}
