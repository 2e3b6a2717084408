package vector

import (
	"errors"
	"fmt"
	"math"
)

// ErrShape says that slices do not have the lengths that the dimension and the number of slots demand.
var ErrShape = errors.New("vector: wrong shape")

// Bits is a view of the 1-bit part of a block; the package comment describes the layout. It follows RaBitQ (J. Gao and
// C. Long, "RaBitQ: Quantizing High-Dimensional Vectors with a Theoretical Error Bound for Approximate Nearest Neighbor
// Search", SIGMOD 2024, arXiv:2405.12497). The code of a rotated vector v is the corner o of the cube {-1,+1}^dim that
// is nearest to it, and
//
//	<v,q> ≈ <o,q> · |v|²/<o,v> = <o,q> · |v|²/Σ|vᵢ|
//
// is an unbiased estimate over the choice of the rotation, with an error of O(1/√dim). The length of v is free, so v
// may also be the residual of a vector to the centroid of its cell; the caller then passes the dot product of centroid
// and query as base to the scan.
type Bits struct {
	Dim   int // padded dimension, a multiple of 64
	Codes []uint64
	Scale []uint16 // the upper halves of float32s ("bfloat16"): eight bits are far more exact than the code
}

// NewBits allocates the 1-bit part of a block. It panics when dim or slots is not allowed.
func NewBits(dim, slots int) *Bits {
	b := &Bits{Dim: dim, Codes: make([]uint64, max(0, slots*dim/64)), Scale: make([]uint16, slots)}
	if err := b.Check(); err != nil {
		panic(err.Error())
	}
	return b
}

// Slots returns the number of slots.
func (b *Bits) Slots() int { return len(b.Scale) }

// Check returns an error wrapping [ErrShape] unless the slices fit together. The other methods do not check, except
// that nothing outside the slices is ever read.
func (b *Bits) Check() error {
	if err := checkShape(b.Dim, len(b.Scale)); err != nil {
		return err
	}
	if len(b.Codes) != len(b.Scale)*b.Dim/64 {
		return fmt.Errorf("check bits of %d slots, %d codes: %w", len(b.Scale), len(b.Codes), ErrShape)
	}
	return nil
}

func checkShape(dim, slots int) error {
	if dim < 64 || dim > MaxDim || dim%64 != 0 {
		return fmt.Errorf("check dimension %d: %w", dim, ErrShape)
	}
	if slots < 8 || slots > MaxSlots || slots%8 != 0 {
		return fmt.Errorf("check number of slots %d: %w", slots, ErrShape)
	}
	return nil
}

// Put encodes v, a rotated vector of Dim numbers, into a slot. The zero vector gets estimates of exactly 0; a vector
// with a NaN or an infinity gets the estimate NaN, which no scan reports.
func (b *Bits) Put(slot int, v []float32) {
	if len(v) != b.Dim {
		panic(fmt.Sprintf("vector: code of %d dimensions in a block of %d", len(v), b.Dim))
	}
	words := b.Dim / 64
	var abs, square float64 // products of two float32 are exact in float64, so every platform agrees
	at := slot/8*words*8 + slot%8
	for ; len(v) >= 64; v = v[64:] {
		var word uint64
		for i, x := range v[:64] {
			f := math.Float32bits(x)
			word |= uint64(^f>>31) << i
			abs += float64(math.Float32frombits(f &^ (1 << 31)))
			square += float64(x) * float64(x)
		}
		b.Codes[at] = word
		at += 8
	}
	scale := 0.0
	if abs != 0 {
		scale = square / abs
		if math.IsInf(square, 0) {
			scale = math.NaN()
		}
	}
	b.Scale[slot] = upper(float32(scale))
}

// upper returns the upper half of a float32, rounded to the nearest, halves to even.
func upper(x float32) uint16 {
	f := math.Float32bits(x)
	if f&^(1<<31) > infinity {
		return uint16(f>>16) | 1 // a NaN stays one
	}
	return uint16((f + 0x7fff + f>>16&1) >> 16)
}

// CopySlot copies the code in slot from of src into slot to. The blocks must have the same dimension.
func (b *Bits) CopySlot(to int, src *Bits, from int) {
	if b.Dim != src.Dim {
		panic(fmt.Sprintf("vector: copy of %d dimensions into a block of %d", src.Dim, b.Dim))
	}
	words := b.Dim / 64
	d, s := to/8*words*8+to%8, from/8*words*8+from%8
	for range words {
		b.Codes[d] = src.Codes[s]
		d, s = d+8, s+8
	}
	b.Scale[to] = src.Scale[from]
}

// Query is a rotated query with 4 bits a dimension: qᵢ ≈ step·(uᵢ - 7.5) with uᵢ in 0..15. As it is as far below 0 as above, what a set
// bit of a code makes of uᵢ, a bit that is not set makes of 15-uᵢ: <o,q> = step·(S - 7.5·dim), where S is the sum of these, and nobody
// has to know how many bits are set. The zero value is ready for [Query.Set], which reuses its memory. Many goroutines may scan with one
// query at a time.
type Query struct {
	dim    int
	planes []uint64 // [words][4]: bit p of the u of 64 dimensions, inverted
	tables []uint64 // [dim/4][2]: 16 bytes, the share in S of 4 dimensions, of which the byte is the set
	mul    float32  // these turn S into <o,q> = mul·S + add
	add    float32
	fault  float64  // mean square of what quantising took from a number
	signs  []uint64 // [words]: of the planes the highest
	likely likely
}

// Doubt returns by how much the estimate of a code may fall short of the dot product that it stands for, where vector and query are
// of length 1 and that dot product is at least dot: four standard deviations, which about three of 100,000 codes exceed. The error is
// tan(o,v)·<w,q>, with w across v in the plane of v and its corner o, and w is as good as drawn at random (J. Gao and C. Long, 2024,
// lemma 3.1 and theorem 3.2): its square has the mean (π/2-1)(1-dot²)/dim. To it come the errors of the quantised query and of the rounded factor.
func (q *Query) Doubt(dot float32) float32 {
	const rounded = 1. / (3 << 18) // mean square of what rounding takes from a factor, at most
	square := float64(dot) * float64(dot)
	return float32(4 * math.Sqrt((math.Pi/2-1)*max(0, 1-square)/float64(q.dim)+math.Pi/2*q.fault+rounded*square))
}

// Set quantises v, a rotated vector whose length is a multiple of 64 up to [MaxDim]. Rounding is to the nearest step
// and not random as in the paper: the estimates are the same on every run, and the loss is far below that of the code.
// With a query in which a NaN or an infinity is, no scan reports anything.
func (q *Query) Set(v []float32) { q.set(v, true) }

// SetFor is [Query.Set] for scans by the given kernels alone, which may not need all of it.
func (q *Query) SetFor(k Kernels, v []float32) { q.set(v, k.simd && !k.wide) }

func (q *Query) set(v []float32, lookups bool) {
	if len(v) == 0 || len(v)%64 != 0 || len(v) > MaxDim {
		panic(fmt.Sprintf("vector: query of %d dimensions", len(v)))
	}
	q.dim = len(v)
	q.planes = resize(q.planes, len(v)/16)
	q.tables = resize(q.tables, len(v)/2)
	high := float32(0)
	for _, x := range v {
		high = max(high, x, -x)
	}
	step := high / 7.5
	inverse := 1 / step
	switch {
	case !finite(v) || math.IsInf(float64(step), 0):
		clear(q.planes)
		clear(q.tables)
		q.mul, q.add, q.fault = 0, float32(math.NaN()), 0
		q.signs, q.likely = resize(q.signs, len(v)/64), likely{add: q.add}
		return
	case math.IsInf(float64(inverse), 0): // all numbers are 0, or as good as 0
		step, inverse = 0, 0
	}
	for w := 0; w*64 < len(v); w++ {
		q.setWord(w, (*[64]float32)(v[w*64:]), inverse, lookups)
	}
	q.mul, q.fault = step, float64(step)*float64(step)/12
	q.add = float32(-7.5 * float64(step) * float64(len(v)))
	q.setLikely(v)
}

func finite(v []float32) bool {
	var high uint32
	for _, x := range v {
		high = max(high, math.Float32bits(x)&^(1<<31))
	}
	return high < infinity
}

// infinity is the bits of +Inf; those of the NaNs are above.
const infinity = 0x7f800000

// setWord quantises 64 dimensions; lookups says that tables are to be made, too.
func (q *Query) setWord(w int, v *[64]float32, inverse float32, lookups bool) {
	const ones = 0x0101010101010101
	planes, tables := (*[4]uint64)(q.planes[w*4:]), (*[32]uint64)(q.tables[w*32:])
	*planes = [4]uint64{}
	for i := 0; i < 64; i += 8 {
		var u [8]uint64
		for j, x := range v[i : i+8] {
			u[j] = uint64(int32(float32(x*inverse) + 8)) // within 0..15
		}
		for j := 0; lookups && j < 8; j += 4 { // as numbers of eight digits of eight bits, of which none is negative in the end
			sums := (60-u[j]-u[j+1]-u[j+2]-u[j+3])*ones + (2*u[j]-15)*0x0100010001000100 + (2*u[j+1]-15)*0x0101000001010000 +
				(2*u[j+2]-15)*0x0101010100000000
			tables[(i+j)/2] = sums
			tables[(i+j)/2+1] = sums + (2*u[j+3]-15)*ones
		}
		all := u[0] | u[1]<<8 | u[2]<<16 | u[3]<<24 | u[4]<<32 | u[5]<<40 | u[6]<<48 | u[7]<<56
		for p := range planes {
			planes[p] |= all >> p & ones * 0x0102040810204080 >> 56 << i // the lowest bit of each byte, side by side
		}
	}
	for p := range planes {
		planes[p] = ^planes[p]
	}
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// estimate holds the numbers of one scan: est = Scale·(mul·S + add) + base, reported if >= threshold.
type estimate struct {
	mul, add, base, threshold float32
}

// Hits is the result of scanning one block. Keep one for many scans: it is 6 KB.
type Hits struct {
	Mask [MaxSlots / 64]uint64 // bit s%64 of word s/64 is set when slot s was reported
	Est  [MaxSlots]float32     // the estimate of slot s, where its bit is set; elsewhere anything

	slots [MaxSlots]uint16 // those that were reported
}

// Scan estimates the dot product of q with every live slot of b, adds base, and reports in h the slots whose estimate
// is at least threshold. A slot is live when its bit in live is set; only such slots are ever reported, and the pure Go
// kernel does not even read others. A caller with a filter passes the AND of both bitmaps. The estimates are
// bit-identical with all kernels. Scan panics when the shapes do not fit: q set to b.Dim dimensions, live of
// [LiveLen](b.Slots()) words.
func (k Kernels) Scan(h *Hits, b *Bits, q *Query, live []uint64, base, threshold float32) {
	checkScan(b, q, live)
	clear(h.Mask[:])
	k.scan(h, b, nil, q, live, q.estimate(base, threshold))
}

func checkScan(b *Bits, q *Query, live []uint64) {
	slots := len(b.Scale)
	if q.dim != b.Dim || len(b.Codes) != slots*b.Dim/64 || slots > MaxSlots || slots%8 != 0 || len(live) < LiveLen(slots) {
		panic(fmt.Sprintf("vector: scan of %d slots, %d codes, %d words of live bits, block of %d and query of %d dimensions",
			slots, len(b.Codes), len(live), b.Dim, q.dim))
	}
}

func (q *Query) estimate(base, threshold float32) estimate {
	return estimate{mul: q.mul, add: q.add, base: base, threshold: threshold}
}

// ScanTop scans a block as [Kernels.Scan] does, with the threshold of top, and pushes what it reports: slot s under the
// name first+s. The content of h before does not matter. Nil or next, a block that is scanned right after this one: its codes are on their way
// from memory by then.
func (k Kernels) ScanTop(top *TopK, h *Hits, b, next *Bits, q *Query, live []uint64, base float32, first uint32) {
	checkScan(b, q, live)
	e := q.estimate(base, top.Threshold())
	if top.k == 0 {
		return
	}
	clear(h.Mask[:])
	k.scan(h, b, next, q, live, e)
	top.take(h, LiveLen(len(b.Scale)), first)
}
