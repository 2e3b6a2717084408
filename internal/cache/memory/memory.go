// Package memory keeps a cache in this process, bounded by bytes.
//
// Which entries stay is otter's choice (W-TinyLFU: what is asked for often and
// lately). There is no goroutine at rest: expired entries are never returned, and go
// for good on a later write or a call of Stats.
package memory

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/maypok86/otter/v2/stats"

	"github.com/lukasa-memory/lukasa/internal/cache"
)

const (
	// overhead is what an entry weighs beside its key and value: node, slice
	// header and its place in the table.
	overhead = 128

	// maxTTL keeps expiry times within what 64 bits of nanoseconds can hold.
	maxTTL = 10 * 365 * 24 * time.Hour
)

// Options of a cache in memory. The zero value is useful.
type Options struct {
	// MaxBytes bounds what keys and values weigh together, with 128 bytes more for each entry.
	// 0 means 16 MiB. For moments the cache may be above it.
	MaxBytes uint64

	// Now is the clock that times to live are measured by. nil means time.Now.
	Now func() time.Time
}

// Cache is a [cache.Cache] in memory.
type Cache struct {
	otter *otter.Cache[string, item]
	max   uint64
}

var _ cache.Cache = (*Cache)(nil)

type item struct {
	value []byte
	ttl   time.Duration
}

// New returns an empty cache.
func New(opt Options) (*Cache, error) {
	if opt.MaxBytes == 0 {
		opt.MaxBytes = 16 << 20
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	o, err := otter.New(&otter.Options[string, item]{
		MaximumWeight: opt.MaxBytes,
		Weigher: func(key string, i item) uint32 {
			return uint32(min(weight(key, i.value), math.MaxUint32))
		},
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[string, item]) time.Duration { return e.Value.ttl }),
		StatsRecorder:    stats.NewCounter(),
		Clock:            clock(opt.Now),
	})
	if err != nil {
		return nil, fmt.Errorf("make cache: %w", err)
	}
	return &Cache{otter: o, max: opt.MaxBytes}, nil
}

// Get implements [cache.Cache].
func (c *Cache) Get(_ context.Context, key string) ([]byte, bool) {
	i, ok := c.otter.GetIfPresent(key)
	return i.value, ok
}

// Set implements [cache.Cache].
func (c *Cache) Set(_ context.Context, key string, value []byte, ttl time.Duration) {
	if ttl <= 0 || weight(key, value) > c.max {
		c.otter.Invalidate(key)
		return
	}
	c.otter.Set(key, item{value: append(make([]byte, 0, len(value)), value...), ttl: min(ttl, maxTTL)})
}

// Delete implements [cache.Cache]. It never fails.
func (c *Cache) Delete(_ context.Context, keys ...string) error {
	for _, key := range keys {
		c.otter.Invalidate(key)
	}
	return nil
}

// Stats implements [cache.Cache]. It lets go of expired entries first.
func (c *Cache) Stats() cache.Stats {
	c.otter.CleanUp()
	s := c.otter.Stats()
	return cache.Stats{
		Hits: s.Hits, Misses: s.Misses, Evictions: s.Evictions,
		Entries: c.otter.EstimatedSize(), Bytes: c.otter.WeightedSize(),
	}
}

// Close implements [cache.Cache]. It never fails.
func (c *Cache) Close() error {
	c.otter.StopAllGoroutines()
	c.otter.InvalidateAll()
	return nil
}

func weight(key string, value []byte) uint64 {
	return uint64(len(key)) + uint64(len(value)) + overhead
}

// clock tells otter the time and never ticks, so that no goroutine waits for it.
type clock func() time.Time

func (c clock) NowNano() int64                      { return c().UnixNano() }
func (c clock) Tick(time.Duration) <-chan time.Time { return nil }
