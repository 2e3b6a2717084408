package embed

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"time"
)

// Vectors is a slower memory that several processes share: bytes by key, for a while. It may forget anything and never fails: what
// it cannot reach it has not.
type Vectors interface {
	Get(ctx context.Context, key string) (value []byte, ok bool)
	Set(ctx context.Context, key string, value []byte, ttl time.Duration)
}

// asking is how many vectors of one call are asked for at once.
const asking = 16

// Share gives the cache a second level, in which vectors are kept for the time given. A key is "vector:" and the SHA-256 of space, role and
// text; a value is the vector's numbers, 4 bytes each, little-endian. It must be called before the first use.
func (c *CachingEmbedder) Share(v Vectors, keep time.Duration) { c.shared, c.keep = v, keep }

// fetch returns a vector from the second level, and remembers it here; nil if it is not there.
func (c *CachingEmbedder) fetch(ctx context.Context, k cacheKey) []float32 {
	if c.shared == nil {
		return nil
	}
	data, ok := c.shared.Get(ctx, "vector:"+string(k[:]))
	if !ok {
		return nil
	}
	v := unpack(data, c.Space().Dim)
	if v == nil {
		return nil
	}
	c.put(k, v)
	return slices.Clone(v)
}

// fetchAll fills the gaps of out from the second level. Equal keys are asked for once each place.
func (c *CachingEmbedder) fetchAll(ctx context.Context, keys []cacheKey, out [][]float32) {
	if c.shared == nil {
		return
	}
	places := make(chan int)
	var work sync.WaitGroup
	for range min(asking, len(keys)) {
		work.Go(func() {
			for i := range places {
				out[i] = c.fetch(ctx, keys[i])
			}
		})
	}
	for i, v := range out {
		if v == nil {
			places <- i
		}
	}
	close(places)
	work.Wait()
}

// send gives a vector to the second level.
func (c *CachingEmbedder) send(ctx context.Context, k cacheKey, v []float32) {
	if c.shared == nil || len(v) == 0 {
		return
	}
	c.shared.Set(ctx, "vector:"+string(k[:]), pack(v), c.keep)
}

func pack(v []float32) []byte {
	data := make([]byte, 0, 4*len(v))
	for _, x := range v {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return data
}

// unpack returns nil for what is no vector of dim numbers. A dim of 0 is not known yet: then any number of them is right.
func unpack(data []byte, dim int) []float32 {
	if len(data) == 0 || len(data)%4 != 0 || dim > 0 && len(data) != 4*dim {
		return nil
	}
	v := make([]float32, len(data)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if x := float64(v[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	}
	return v
}
