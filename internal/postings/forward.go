package postings

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// The terms of an entry, as they are kept one entry behind the other: how many there are, then the number of each, all as varints.

// Terms appends the terms that begin in b, as they stand in the entry.
//
// Which numbers are long is hard to foretell: a term is read without a branch on it, from eight bytes at a time. The last seven are not: behind
// them may stand what a writer is just adding.
func Terms(dst []uint32, b []byte) []uint32 {
	n, b := Uvarint(b)
	dst = slices.Grow(dst, int(min(n, uint32(len(b)))))
	for ; n >= 8 && len(b) >= 8; n-- {
		x := binary.LittleEndian.Uint64(b)
		size := bits.TrailingZeros64(^x&0x8080808080808080) + 1 // bits
		if size > 32 {
			break
		}
		t := uint32(x) & (^uint32(0) >> uint((32-size)&31))
		dst, b = append(dst, t&0x7f|t>>1&0x3f80|t>>2&0x1fc000|t>>3&0xfe00000), b[size>>3:]
	}
	for ; n > 0; n-- {
		var t uint32
		t, b = Uvarint(b)
		dst = append(dst, t)
	}
	return dst
}

// TermsLen returns the length of the terms that begin in b.
func TermsLen(b []byte) int {
	n, rest := Uvarint(b)
	for range n {
		_, rest = Uvarint(rest)
	}
	return len(b) - len(rest)
}
