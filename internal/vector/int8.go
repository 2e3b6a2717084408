package vector

import (
	"fmt"
	"math"
)

// queryMax is the largest absolute value of a quantised query of the 8-bit stage. 12 bits cost as much as 8, since the
// kernel multiplies 16-bit numbers anyway, and leave the error of the code alone; 2,047·128·[MaxDim] fits 31 bits.
const queryMax = 2047

// Int8 is a view of the 8-bit part of a block: number i of slot s is Scale[s]·Codes[s·Dim+i].
type Int8 struct {
	Dim   int // padded dimension, a multiple of 64
	Codes []int8
	Scale []float32
}

// NewInt8 allocates the 8-bit part of a block. It panics when dim or slots is not allowed.
func NewInt8(dim, slots int) *Int8 {
	b := &Int8{Dim: dim, Codes: make([]int8, max(0, slots*dim)), Scale: make([]float32, slots)}
	if err := b.Check(); err != nil {
		panic(err.Error())
	}
	return b
}

// Slots returns the number of slots.
func (b *Int8) Slots() int { return len(b.Scale) }

// Check returns an error wrapping [ErrShape] unless the slices fit together.
func (b *Int8) Check() error {
	if err := checkShape(b.Dim, len(b.Scale)); err != nil {
		return err
	}
	if len(b.Codes) != len(b.Scale)*b.Dim {
		return fmt.Errorf("check int8 of %d slots, %d codes: %w", len(b.Scale), len(b.Codes), ErrShape)
	}
	return nil
}

// Code returns the code in a slot; it shares memory with the block.
func (b *Int8) Code(slot int) []int8 {
	return b.Codes[slot*b.Dim : (slot+1)*b.Dim : (slot+1)*b.Dim]
}

// Put encodes v, a rotated vector of Dim numbers, into a slot: the largest absolute number becomes ±127. A vector with
// a NaN or an infinity gets the scale NaN, and so does its score.
func (b *Int8) Put(slot int, v []float32) {
	if len(v) != b.Dim {
		panic(fmt.Sprintf("vector: code of %d dimensions in a block of %d", len(v), b.Dim))
	}
	step, inverse := steps(v, 127)
	code := b.Code(slot)
	for i, x := range v[:len(code)] {
		code[i] = int8(quantise(x, inverse))
	}
	b.Scale[slot] = step
}

// CopySlot copies the code in slot from of src into slot to. The blocks must have the same dimension.
func (b *Int8) CopySlot(to int, src *Int8, from int) {
	if b.Dim != src.Dim {
		panic(fmt.Sprintf("vector: copy of %d dimensions into a block of %d", src.Dim, b.Dim))
	}
	copy(b.Code(to), src.Code(from))
	b.Scale[to] = src.Scale[from]
}

// Score returns the dot product of the code in a slot with a query of the same dimension.
func (b *Int8) Score(k Kernels, slot int, q *Int8Query) float32 {
	code := b.Code(slot)
	if len(code) != len(q.code) {
		panic(fmt.Sprintf("vector: query of %d dimensions on a block of %d", len(q.code), b.Dim))
	}
	return float32(k.dotInt8Query(code, q.code)) * (b.Scale[slot] * q.scale)
}

// Prefetch asks the processor to bring the code in a slot into its cache, where the kernels can. Calling it some eight
// candidates ahead of [Int8.Score] hides most of the time that scattered candidates wait for memory.
func (b *Int8) Prefetch(k Kernels, slot int) { k.prefetch(b.Code(slot), &b.Scale[slot]) }

// Int8Query is a rotated query for the 8-bit stage. The zero value is ready for [Int8Query.Set], which reuses its
// memory. Many goroutines may score with one query at a time.
type Int8Query struct {
	code  []int16
	scale float32
}

// Set quantises v, a rotated vector of at most [MaxDim] numbers.
func (q *Int8Query) Set(v []float32) {
	if len(v) > MaxDim {
		panic(fmt.Sprintf("vector: query of %d dimensions", len(v)))
	}
	q.code = resize(q.code, len(v))
	var inverse float32
	q.scale, inverse = steps(v, queryMax)
	for i, x := range v {
		q.code[i] = int16(quantise(x, inverse))
	}
}

// steps returns the step with which v fits -limit..limit, and its inverse. When v is zero, both are; when a number is
// not finite, the step is NaN and the inverse 0.
func steps(v []float32, limit float32) (step, inverse float32) {
	var high uint32 // the bits of floats without their sign order as the floats do, NaN above infinity
	for _, x := range v {
		high = max(high, math.Float32bits(x)&^(1<<31))
	}
	if high >= infinity {
		return float32(math.NaN()), 0
	}
	step = math.Float32frombits(high) / limit
	inverse = limit / math.Float32frombits(high)
	if math.IsInf(float64(inverse), 0) || step == 0 {
		return 0, 0
	}
	return step, inverse
}

// quantise rounds x·inverse, which lies within ±32,000, to the nearest whole number, halves to even.
func quantise(x, inverse float32) int32 {
	// Added to 1.5·2²³ a small number loses its fraction by the rounding of the addition itself.
	const magic = 3 << 22
	return int32(math.Float32bits(float32(x*inverse)+magic)) - int32(math.Float32bits(magic))
}
