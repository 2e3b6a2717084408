package local

import "math/bits"

// Has reports whether a bit is set.
func Has(bm []uint64, i int) bool { return bm[i>>6]>>(uint(i)&63)&1 != 0 }

// Set sets a bit.
func Set(bm []uint64, i int) { bm[i>>6] |= 1 << (uint(i) & 63) }

func clearBit(bm []uint64, i int) { bm[i>>6] &^= 1 << (uint(i) & 63) }

// Popcount returns how many bits are set.
func Popcount(bm []uint64) (n int) {
	for _, w := range bm {
		n += bits.OnesCount64(w)
	}
	return n
}

// Bitmap is one that grows.
type Bitmap []uint64

// Set sets a bit and returns what it was.
func (b *Bitmap) Set(i int) (was bool) {
	for len(*b) <= i>>6 {
		*b = append(*b, 0)
	}
	was = Has(*b, i)
	Set(*b, i)
	return was
}

// EachBit yields the set bits of a bitmap.
func EachBit(bm []uint64) func(func(int) bool) {
	return func(yield func(int) bool) {
		for w, word := range bm {
			for ; word != 0; word &= word - 1 {
				if !yield(w*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
