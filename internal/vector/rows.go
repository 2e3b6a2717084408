package vector

import "fmt"

// Int8Rows are codes that many others are compared with, each with all of them at a time. The zero value holds none; they may be read by
// many at a time.
type Int8Rows struct {
	dim    int
	narrow []int8  // one code after another
	wide   []int16 // the same: kernels without instructions for sums of bytes multiply numbers of 16 bits
	bias   []int32 // 128 times the sum of each
}

// Add adds a code. It panics when its length is not that of the first.
func (r *Int8Rows) Add(code []int8) {
	if len(r.bias) == 0 {
		r.dim = len(code)
	}
	if len(code) != r.dim {
		panic(fmt.Sprintf("vector: row of %d dimensions beside some of %d", len(code), r.dim))
	}
	sum := int32(0)
	for _, x := range code {
		r.wide = append(r.wide, int16(x))
		sum += int32(x)
	}
	r.narrow, r.bias = append(r.narrow, code...), append(r.bias, 128*sum)
}

// Len returns how many there are.
func (r *Int8Rows) Len() int { return len(r.bias) }

// Dots sets dst to the dot products of a code and the first len(dst) rows, modulo 2³². It panics when there are less, or of another length.
func (r *Int8Rows) Dots(k Kernels, dst []int32, code []int8) {
	if len(dst) > len(r.bias) || len(dst) > 0 && len(code) != r.dim {
		panic(fmt.Sprintf("vector: dots of %d dimensions with %d of %d rows of %d", len(code), len(dst), len(r.bias), r.dim))
	}
	if k.dotRows(dst, code, r.narrow) { // of the code with 128 added to each of its numbers, as those bytes have no sign
		for i, b := range r.bias[:len(dst)] {
			dst[i] -= b
		}
		return
	}
	for i := range dst {
		dst[i] = k.dotInt8Query(code, r.wide[i*r.dim:(i+1)*r.dim])
	}
}
