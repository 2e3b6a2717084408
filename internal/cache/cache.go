// Package cache remembers answers for a while; losing it changes nothing but speed.
//
// [Cache] is the port: bytes by key, with a time to live. Package memory keeps them
// in this process; the suite in package cachetest is what every driver must pass.
//
// Nothing may be kept only here. A driver may drop any entry at any moment, and
// callers must be right when every Get misses.
package cache

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// Cache remembers values for a while. All methods are safe for concurrent use.
type Cache interface {
	// Get returns the value last set under key if it is still there and its time has not
	// passed. The value may be shared with other readers: callers must not change
	// it. A driver that cannot reach its server misses.
	Get(ctx context.Context, key string) (value []byte, ok bool)

	// Set remembers a copy of value under key for ttl, in place of what was there. It
	// may decline (no room, no server, a value larger than the cache, ttl not
	// positive): then no older value is left under the key, unless the server
	// cannot be reached.
	Set(ctx context.Context, key string, value []byte, ttl time.Duration)

	// Delete forgets keys. Once it has returned nil no Get that begins later sees
	// what was set before it began. It is the one call whose failure matters: after an error a stale
	// value may be served until its time has passed. To delete what is not there is no error.
	Delete(ctx context.Context, keys ...string) error

	// Stats returns what happened since the cache was made.
	Stats() Stats

	// Close gives back what the cache holds. It must be the last call.
	Close() error
}

// Stats counts what a cache did. Counts are of this process; a driver leaves what
// it cannot know at zero.
type Stats struct {
	Hits, Misses uint64
	Evictions    uint64 // entries dropped for room or age
	Errors       uint64 // calls that did not reach the server
	Entries      int    // entries now, about
	Bytes        uint64 // what they weigh, about
}

// Key makes one key of several parts, such that different parts, however they are cut,
// never give the same key: the SHA-256 of each part behind its length. It has 32 bytes, which need
// not be text. Keys of answers must hold everything that the answer depends on,
// the user first.
func Key(parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return string(h.Sum(nil))
}
