package embed

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa/internal/lru"
)

// DefaultCacheSize is the number of vectors that [Cached] keeps when asked for none in particular: 4 MB of 256 dimensions,
// 16 MB of 1,024.
const DefaultCacheSize = 4096

// CachingEmbedder remembers vectors. Make it with [Cached].
type CachingEmbedder struct {
	next   Embedder
	shared Vectors // nil: there is none
	keep   time.Duration

	mu           sync.Mutex // guards what follows
	kept         *lru.Cache[cacheKey, []float32]
	hits, misses uint64
}

// cacheKey is the SHA-256 of space, role and text.
type cacheKey [sha256.Size]byte

// CacheStats counts lookups of single texts.
type CacheStats struct {
	Hits, Misses uint64
	Entries      int
}

var (
	_ Embedder      = (*CachingEmbedder)(nil)
	_ QueryEmbedder = (*CachingEmbedder)(nil)
)

// Cached decorates e with a memory of the size vectors used last, by space, role and text (M-7). Texts of a call that are
// remembered, or that occur twice in it, are not sent again. A size of 0 or less is [DefaultCacheSize]. Callers own the
// vectors they get.
func Cached(e Embedder, size int) *CachingEmbedder {
	if size <= 0 {
		size = DefaultCacheSize
	}
	return &CachingEmbedder{next: e, kept: lru.New[cacheKey, []float32](size)}
}

// Unwrap implements [Unwrapper].
func (c *CachingEmbedder) Unwrap() Embedder { return c.next }

// Space implements [Embedder].
func (c *CachingEmbedder) Space() Space { return c.next.Space() }

// CountTokens implements [Embedder].
func (c *CachingEmbedder) CountTokens(text string) int { return c.next.CountTokens(text) }

// Stats returns what the cache has done so far.
func (c *CachingEmbedder) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return CacheStats{Hits: c.hits, Misses: c.misses, Entries: c.kept.Len()}
}

// Embed implements [Embedder].
func (c *CachingEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	space := c.Space().ID
	keys := make([]cacheKey, len(texts))
	out := make([][]float32, len(texts))
	asked := make(map[cacheKey]int) // place in missing
	var missing []string
	for i, t := range texts {
		keys[i] = keyOf(space, Document, t)
		out[i] = c.get(keys[i])
	}
	c.fetchAll(ctx, keys, out)
	for i, t := range texts {
		if out[i] != nil {
			continue
		}
		if _, ok := asked[keys[i]]; !ok {
			asked[keys[i]] = len(missing)
			missing = append(missing, t)
		}
	}
	if len(missing) == 0 {
		return out, ctx.Err()
	}
	vectors, err := c.next.Embed(ctx, missing)
	if len(vectors) != len(missing) {
		return nil, err
	}
	for i, k := range keys {
		if out[i] != nil {
			continue
		}
		if v := vectors[asked[k]]; v != nil {
			out[i] = slices.Clone(v)
			c.put(k, v)
		}
	}
	for k, i := range asked {
		c.send(ctx, k, vectors[i])
	}
	return out, err
}

// EmbedQuery implements [QueryEmbedder].
func (c *CachingEmbedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	k := keyOf(c.Space().ID, Query, text)
	if v := c.get(k); v != nil {
		return v, ctx.Err()
	}
	if v := c.fetch(ctx, k); v != nil {
		return v, ctx.Err()
	}
	v, err := EmbedQuery(ctx, c.next, text)
	if err != nil {
		return nil, err
	}
	c.put(k, v)
	c.send(ctx, k, v)
	return slices.Clone(v), nil
}

func keyOf(space string, role Role, text string) cacheKey {
	h := sha256.New()
	_, _ = h.Write([]byte(space)) // a hash never fails
	_, _ = h.Write([]byte{0, byte(role)})
	_, _ = h.Write([]byte(text))
	return cacheKey(h.Sum(nil))
}

// get returns a copy of the vector, or nil.
func (c *CachingEmbedder) get(k cacheKey) []float32 {
	c.mu.Lock()
	v, ok := c.kept.Get(k)
	if ok {
		c.hits++
	} else {
		c.misses++
	}
	c.mu.Unlock()
	return slices.Clone(v) // values never change, so copying needs no lock
}

// put remembers v, which belongs to the cache from now on.
func (c *CachingEmbedder) put(k cacheKey, v []float32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Put(k, v)
}
