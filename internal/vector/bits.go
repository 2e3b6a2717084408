package vector

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
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
	Scale []float32
	Bias  []float32
}

// NewBits allocates the 1-bit part of a block. It panics when dim or slots is not allowed.
func NewBits(dim, slots int) *Bits {
	b := &Bits{
		Dim: dim, Codes: make([]uint64, max(0, slots*dim/64)),
		Scale: make([]float32, slots), Bias: make([]float32, slots),
	}
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
	if len(b.Bias) != len(b.Scale) || len(b.Codes) != len(b.Scale)*b.Dim/64 {
		return fmt.Errorf("check bits of %d slots, %d codes, %d biases: %w",
			len(b.Scale), len(b.Codes), len(b.Bias), ErrShape)
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
	count := 0
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
		count += bits.OnesCount64(word)
		at += 8
	}
	scale := 0.0
	if abs != 0 {
		scale = square / abs
		if math.IsInf(square, 0) {
			scale = math.NaN()
		}
	}
	b.Scale[slot] = float32(scale)
	b.Bias[slot] = float32(scale * float64(count))
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
	b.Scale[to], b.Bias[to] = src.Scale[from], src.Bias[from]
}

// Query is a rotated query with 4 bits a dimension: qᵢ ≈ low + step·uᵢ with uᵢ in 0..15. The zero value is ready for
// [Query.Set], which reuses its memory. Many goroutines may scan with one query at a time.
type Query struct {
	dim    int
	planes []uint64 // [words][4]: bit p of the u of 64 dimensions
	tables []uint64 // [dim/4][2]: 16 bytes, the sum of u over each subset of 4 dimensions, of which the byte is the set
	mul    float32  // these turn the sum S of u over the set bits into <o,q> = mul·S + add + bias·(number of set bits)
	add    float32
	bias   float32
	fault  float64 // mean square of what quantising took from a number
}

// Doubt returns by how much the estimate of a code may fall short of the dot product that it stands for, where vector and query are
// of length 1 and that dot product is at least dot: four standard deviations, which about three of 100,000 codes exceed. The error is
// tan(o,v)·<w,q>, with w across v in the plane of v and its corner o, and w is as good as drawn at random (J. Gao and C. Long, 2024,
// lemma 3.1 and theorem 3.2): its square has the mean (π/2-1)(1-dot²)/dim. To it comes the error of the quantised query.
func (q *Query) Doubt(dot float32) float32 {
	across := max(0, 1-float64(dot)*float64(dot))
	return float32(4 * math.Sqrt((math.Pi/2-1)*across/float64(q.dim)+math.Pi/2*q.fault))
}

// Set quantises v, a rotated vector whose length is a multiple of 64 up to [MaxDim]. Rounding is to the nearest step
// and not random as in the paper: the estimates are the same on every run, and the loss is far below that of the code.
// With a query in which a NaN or an infinity is, no scan reports anything.
func (q *Query) Set(v []float32) {
	if len(v) == 0 || len(v)%64 != 0 || len(v) > MaxDim {
		panic(fmt.Sprintf("vector: query of %d dimensions", len(v)))
	}
	q.dim = len(v)
	q.planes = resize(q.planes, len(v)/16)
	q.tables = resize(q.tables, len(v)/2)
	low, high := v[0], v[0]
	for _, x := range v {
		if x < low {
			low = x
		}
		if x > high {
			high = x
		}
	}
	step := (high - low) / 15
	inverse := 1 / step
	switch {
	case !finite(v) || math.IsInf(float64(step), 0):
		clear(q.planes)
		clear(q.tables)
		q.mul, q.bias, q.add, q.fault = 0, 0, float32(math.NaN()), 0
		return
	case math.IsInf(float64(inverse), 0): // all numbers are equal, or as good as equal
		step, inverse = 0, 0
	}
	total := 0
	for w := 0; w*64 < len(v); w++ {
		total += q.setWord(w, (*[64]float32)(v[w*64:]), low, inverse)
	}
	q.mul, q.bias = 2*step, 2*low
	q.fault = float64(step) * float64(step) / 12
	q.add = float32(-(float64(low)*float64(len(v)) + float64(step)*float64(total)))
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

// setWord quantises 64 dimensions and returns the sum of their u.
func (q *Query) setWord(w int, v *[64]float32, low, inverse float32) (total int) {
	const ones = 0x0101010101010101
	planes, tables := (*[4]uint64)(q.planes[w*4:]), (*[32]uint64)(q.tables[w*32:])
	*planes = [4]uint64{}
	for i := 0; i < 64; i += 8 {
		var u [8]uint64
		for j, x := range v[i : i+8] {
			u[j] = uint64(int32(float32((x-low)*inverse) + 0.5)) // within 0..15
		}
		for j := 0; j < 8; j += 4 {
			sums := u[j]*0x0100010001000100 + u[j+1]*0x0101000001010000 + u[j+2]*0x0101010100000000
			tables[(i+j)/2] = sums
			tables[(i+j)/2+1] = sums + u[j+3]*ones
		}
		all := u[0] | u[1]<<8 | u[2]<<16 | u[3]<<24 | u[4]<<32 | u[5]<<40 | u[6]<<48 | u[7]<<56
		total += int(all * ones >> 56)
		for p := range planes {
			planes[p] |= all >> p & ones * 0x0102040810204080 >> 56 << i // the lowest bit of each byte, side by side
		}
	}
	return total
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// estimate holds the numbers of one scan: est = Scale·(mul·S + add) + bias·Bias + base, reported if >= threshold.
type estimate struct {
	mul, add, bias, base, threshold float32
}

// Hits is the result of scanning one block. Keep one for many scans: it is 4 KB.
type Hits struct {
	Mask [MaxSlots / 64]uint64 // bit s%64 of word s/64 is set when slot s was reported
	Est  [MaxSlots]float32     // the estimate of slot s, where its bit is set; elsewhere anything
}

// Scan estimates the dot product of q with every live slot of b, adds base, and reports in h the slots whose estimate
// is at least threshold. A slot is live when its bit in live is set; only such slots are ever reported, and the pure Go
// kernel does not even read others. A caller with a filter passes the AND of both bitmaps. The estimates are
// bit-identical with all kernels. Scan panics when the shapes do not fit: q set to b.Dim dimensions, live of
// [LiveLen](b.Slots()) words.
func (k Kernels) Scan(h *Hits, b *Bits, q *Query, live []uint64, base, threshold float32) {
	checkScan(b, q, live)
	clear(h.Mask[:])
	k.scan(h, b, q, live, q.estimate(base, threshold))
}

func checkScan(b *Bits, q *Query, live []uint64) {
	slots := len(b.Scale)
	if q.dim != b.Dim || len(b.Codes) != slots*b.Dim/64 || len(b.Bias) != slots || slots > MaxSlots || slots%8 != 0 ||
		len(live) < LiveLen(slots) {
		panic(fmt.Sprintf("vector: scan of %d slots, %d codes, %d biases, %d words of live bits, block of %d and query "+
			"of %d dimensions", slots, len(b.Codes), len(b.Bias), len(live), b.Dim, q.dim))
	}
}

func (q *Query) estimate(base, threshold float32) estimate {
	return estimate{mul: q.mul, add: q.add, bias: q.bias, base: base, threshold: threshold}
}

// ScanTop scans a block as [Kernels.Scan] does, with the threshold of top, and pushes what it reports: slot s under the
// name first+s. The content of h before does not matter.
func (k Kernels) ScanTop(top *TopK, h *Hits, b *Bits, q *Query, live []uint64, base float32, first uint32) {
	checkScan(b, q, live)
	e := q.estimate(base, top.Threshold())
	if top.k == 0 {
		return
	}
	if k.wide {
		top.room(len(b.Scale) + 7)
	}
	if keys, ok := k.scanKeys(top.keys, b, q, live, e, first); ok {
		top.keys = keys
		top.tighten()
		return
	}
	clear(h.Mask[:])
	k.scan(h, b, q, live, e)
	for w, mask := range h.Mask[:LiveLen(len(b.Scale))] {
		for ; mask != 0; mask &= mask - 1 {
			slot := w*64 + bits.TrailingZeros64(mask)
			top.Push(h.Est[slot], first+uint32(slot))
		}
	}
	top.tighten()
}
