package vector

import (
	"fmt"
	"math"
)

const (
	// MaxDim is the largest dimension this package works with: the sum of 4,096 products of one bit and four fits the
	// 16 bits in which the assembly counts.
	MaxDim = 4096

	// MaxSlots is the largest number of slots of a block.
	MaxSlots = 1024
)

// Kernels is a set of implementations of the inner loops. The zero value is pure Go. It is a value: copy it freely.
type Kernels struct {
	simd bool // AVX2 and FMA
	wide bool // AVX-512 with the counting of bits, too; only with simd
}

// Default returns the fastest kernels this processor can run.
func Default() Kernels {
	simd := haveSIMD()
	return Kernels{simd: simd, wide: simd && haveWide()}
}

// All returns the kernels that this processor can run, [Portable] first and [Default] last.
func All() []Kernels {
	all := []Kernels{Portable()}
	d := Default()
	if d.simd {
		all = append(all, Kernels{simd: true})
	}
	if d.wide {
		all = append(all, d)
	}
	return all
}

// Portable returns the pure Go kernels, which run everywhere.
func Portable() Kernels { return Kernels{} }

// Name says which kernels these are, for logs and benchmarks: "avx512", "avx2" or "go".
func (k Kernels) Name() string {
	switch {
	case k.wide:
		return "avx512"
	case k.simd:
		return "avx2"
	}
	return "go"
}

// Dot returns the dot product of a and b with the default kernels.
func Dot(a, b []float32) float32 { return Default().Dot(a, b) }

// Normalize scales v to length 1 with the default kernels; see [Kernels.Normalize].
func Normalize(v []float32) (norm float32) { return Default().Normalize(v) }

// Dot returns the dot product of a and b. It panics when their lengths differ. The order of the additions, and so the
// last bits of the result, differs between kernels.
func (k Kernels) Dot(a, b []float32) float32 {
	if len(a) != len(b) {
		panic(fmt.Sprintf("vector: dot of %d and %d dimensions", len(a), len(b)))
	}
	return k.dot(a, b)
}

// Prefetch asks the processor to bring v into its cache, where the kernels can: a vector or two before it is compared.
func (k Kernels) Prefetch(v []float32) { k.prefetchFloats(v) }

// DotRows sets dst[i] to the dot product of query and the i-th row of rows, which lie one after another. It panics
// unless len(rows) == len(dst)*len(query).
func (k Kernels) DotRows(dst, rows, query []float32) {
	n := len(query)
	if len(rows) != len(dst)*n {
		panic(fmt.Sprintf("vector: %d rows of %d dimensions in %d numbers", len(dst), n, len(rows)))
	}
	for i := range dst {
		dst[i] = k.dot(rows[i*n:(i+1)*n], query)
	}
}

// Normalize scales v to Euclidean length 1 and returns its length before. A vector of length zero, and one with a NaN
// or an infinity in it, is left as it is; the caller sees it by norm, which is then 0, NaN or +Inf. A length too large
// for a float32 is returned as +Inf, but such a vector of finite numbers is scaled all the same.
func (k Kernels) Normalize(v []float32) (norm float32) {
	sum := k.dot(v, v)
	if sum > 1e-30 && sum < 1e30 { // neither underflow nor overflow can have harmed the sum
		norm = float32(math.Sqrt(float64(sum)))
		scale(v, 1/float64(norm))
		return norm
	}
	var wide float64
	for _, x := range v {
		wide += float64(x) * float64(x)
	}
	wide = math.Sqrt(wide)
	if wide != 0 && !math.IsNaN(wide) && !math.IsInf(wide, 0) {
		scale(v, 1/wide)
	}
	return float32(wide)
}

func scale(v []float32, by float64) {
	if f := float32(by); f != 0 && !math.IsInf(float64(f), 0) {
		for i := range v {
			v[i] *= f
		}
		return
	}
	for i := range v {
		v[i] = float32(float64(v[i]) * by)
	}
}

// DotInt8 returns the dot product of two 8-bit codes, modulo 2³². It panics when their lengths differ.
func (k Kernels) DotInt8(a, b []int8) int32 {
	if len(a) != len(b) {
		panic(fmt.Sprintf("vector: dot of %d and %d dimensions", len(a), len(b)))
	}
	return k.dotInt8(a, b)
}

// PaddedDim returns the number of dimensions of a rotated vector of dim dimensions: the next multiple of 64.
func PaddedDim(dim int) int { return (dim + 63) &^ 63 }

// SlotsFor returns the smallest usual block size that holds n slots: 16, 64, 256 or 1024. For more than [MaxSlots] it
// returns [MaxSlots].
func SlotsFor(n int) int {
	for slots := 16; slots < MaxSlots; slots *= 4 {
		if n <= slots {
			return slots
		}
	}
	return MaxSlots
}

// LiveLen returns the length of the live bitmap of a block.
func LiveLen(slots int) int { return (slots + 63) / 64 }
