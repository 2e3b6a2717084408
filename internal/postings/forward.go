package postings

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// The terms of an entry, as they are kept one entry behind the other: their number, then for each term its number << 1, with the
// lowest bit set when it does not stand one position behind the term before and that distance follows; all as varints.

// Terms appends the terms that begin in b, as they stand in the entry.
//
// Which numbers are long, and which terms have a distance, is hard to foretell: a term is read without a branch on either, from eight bytes at a
// time. The last seven are not: behind them may stand what a writer is just adding.
func Terms(dst []uint32, b []byte) []uint32 {
	n, b := Uvarint(b)
	dst = slices.Grow(dst, int(min(n, uint32(len(b)))))
	for ; n >= 8 && len(b) >= 8; n-- {
		x := binary.LittleEndian.Uint64(b)
		ends := ^x & 0x8080808080808080
		first := bits.TrailingZeros64(ends) + 1                  // bits
		second := bits.TrailingZeros64(ends>>uint(first&63)) + 1 // bits of what follows
		whole := first + second&-int(x&1)                        // with the distance, if there is one
		if first > 32 || whole > 64 {
			break
		}
		t := uint32(x) & (^uint32(0) >> uint((32-first)&31))
		t = t&0x7f | t>>1&0x3f80 | t>>2&0x1fc000 | t>>3&0xfe00000
		dst, b = append(dst, t>>1), b[whole>>3:]
	}
	for ; n > 0; n-- {
		var t uint32
		if t, b = Uvarint(b); t&1 != 0 {
			_, b = Uvarint(b)
		}
		dst = append(dst, t>>1)
	}
	return dst
}

// TermsLen returns the length of the terms that begin in b.
func TermsLen(b []byte) int {
	n, rest := Uvarint(b)
	for range n {
		var t uint32
		if t, rest = Uvarint(rest); t&1 != 0 {
			_, rest = Uvarint(rest)
		}
	}
	return len(b) - len(rest)
}
