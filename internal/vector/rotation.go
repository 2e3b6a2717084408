package vector

import (
	"errors"
	"fmt"
	"math"
)

// ErrDim says that a dimension is outside 1..[MaxDim].
var ErrDim = errors.New("vector: dimension out of range")

const rounds = 3

// Rotation is a random orthogonal map that keeps dot products and lengths. It is three rounds of random signs followed
// by a Hadamard transform ("HD3HD2HD1", A. Andoni et al., "Practical and Optimal LSH for Angular Distance", NIPS 2015),
// which costs O(dim·log dim). A vector is first padded with zeros to a multiple of 64; when that is no power of two, the
// transform works on blocks of powers of two (384 = 256 + 128) and between rounds pairs of dimensions drawn at random
// change places, so that the blocks mix. Equal dimension and seed give the same map, bit for bit, on every platform and
// with all kernels. Many goroutines may use one Rotation at a time.
type Rotation struct {
	kernels Kernels
	dim     int
	seed    uint64
	blocks  []int // lengths, powers of two of at least 64
	signs   [rounds][]float32
	swaps   [rounds - 1][]uint16 // pairs that change places after a round; empty when there is one block
}

// NewRotation makes the rotation of vectors of dim numbers that belongs to seed. It returns an error wrapping [ErrDim]
// unless 1 <= dim <= [MaxDim].
func NewRotation(dim int, seed uint64) (*Rotation, error) {
	if dim < 1 || dim > MaxDim {
		return nil, fmt.Errorf("make rotation of %d dimensions: %w", dim, ErrDim)
	}
	r := &Rotation{kernels: Default(), dim: dim, seed: seed}
	padded := PaddedDim(dim)
	for rest, size := padded, MaxDim; rest > 0; size /= 2 {
		if size <= rest {
			r.blocks = append(r.blocks, size)
			rest -= size
		}
	}
	draw := splitMix(seed)
	for i := range r.signs {
		r.signs[i] = r.drawSigns(&draw)
	}
	if len(r.blocks) > 1 {
		for i := range r.swaps {
			r.swaps[i] = drawSwaps(&draw, padded)
		}
	}
	return r, nil
}

// With returns the same rotation computed by other kernels.
func (r *Rotation) With(k Kernels) *Rotation {
	c := *r
	c.kernels = k
	return &c
}

// Dim returns the number of dimensions of the vectors that go in.
func (r *Rotation) Dim() int { return r.dim }

// Padded returns the number of dimensions of the vectors that come out: [PaddedDim] of Dim.
func (r *Rotation) Padded() int { return PaddedDim(r.dim) }

// Seed returns the seed that the rotation was made of.
func (r *Rotation) Seed() uint64 { return r.seed }

// Apply rotates src, of Dim numbers, into dst, of Padded numbers. They may start at the same address but not overlap
// otherwise. It panics when a length is wrong, and allocates nothing.
func (r *Rotation) Apply(dst, src []float32) {
	if len(src) != r.dim || len(dst) != r.Padded() {
		panic(fmt.Sprintf("vector: rotation of %d into %d dimensions, wanted %d into %d",
			len(src), len(dst), r.dim, r.Padded()))
	}
	clear(dst[copy(dst, src):])
	for i, signs := range r.signs {
		at := 0
		for _, size := range r.blocks {
			r.kernels.hadamard(dst[at:at+size], signs[at:at+size])
			at += size
		}
		if i < len(r.swaps) {
			swap(dst, r.swaps[i])
		}
	}
}

func swap(v []float32, pairs []uint16) {
	for ; len(pairs) >= 2; pairs = pairs[2:] {
		a, b := &v[pairs[0]], &v[pairs[1]]
		*a, *b = *b, *a
	}
}

// drawSigns draws the signs of one round; they carry the 1/√n that makes the Hadamard matrix of a block orthogonal.
func (r *Rotation) drawSigns(draw *splitMix) []float32 {
	signs := make([]float32, 0, r.Padded())
	for _, size := range r.blocks {
		one := float32(1 / math.Sqrt(float64(size)))
		for range size / 64 {
			word := draw.next()
			for i := range 64 {
				s := one
				if word>>i&1 != 0 {
					s = -one
				}
				signs = append(signs, s)
			}
		}
	}
	return signs
}

// drawSwaps shuffles 0..n-1 (Fisher and Yates); neighbours are the pairs that change places.
func drawSwaps(draw *splitMix, n int) []uint16 {
	order := make([]uint16, n)
	for i := range order {
		order[i] = uint16(i)
	}
	for i := n - 1; i > 0; i-- {
		j := draw.next() % uint64(i+1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// splitMix is the generator SplitMix64 (G. Steele et al., "Fast Splittable Pseudorandom Number Generators", OOPSLA
// 2014). It is written out here because codes on disk depend on its every bit.
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
