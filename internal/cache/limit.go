package cache

import (
	"context"
	"time"
)

// Bucket is one limit: PerMinute requests a minute in the long run, Burst of them at once. Both are 1 or more.
type Bucket struct {
	Key       string
	PerMinute int
	Burst     int
}

// Limiter holds buckets that several processes share. A cache driver whose server can count implements it beside [Cache].
type Limiter interface {
	// Take takes one request from each bucket, or nothing from any if one is empty. It returns the place of
	// the first empty bucket and how long until it has one again, or -1 and 0. The keys of one call differ. A bucket
	// whose limit has changed is never emptier than its new burst.
	//
	// An error says that the server did not answer, which it finds out quickly: the caller then counts by itself, and must
	// neither refuse nor wait.
	Take(ctx context.Context, buckets ...Bucket) (empty int, wait time.Duration, err error)
}

// Emptier is a cache that can forget all at once, whichever process set it.
type Emptier interface {
	// Empty forgets every entry and returns how many there were. Buckets of a [Limiter] stay. What is set while it runs
	// may stay too.
	Empty(ctx context.Context) (int, error)
}
