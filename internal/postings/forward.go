package postings

import (
	"encoding/binary"
	"math/bits"
)

// The terms of an entry, as they are kept one entry behind the other: their number, then for each term its number << 1, with the
// lowest bit set when it does not stand one position behind the term before and that distance follows; all as varints.

// Terms appends the terms that begin in b, as they stand in the entry.
func Terms(dst []uint32, b []byte) []uint32 {
	n, b := Uvarint(b)
	for range n {
		var t uint32
		if t, b = quick(b); t&1 != 0 {
			_, b = quick(b)
		}
		dst = append(dst, t>>1)
	}
	return dst
}

// quick is [Uvarint] without a branch for each byte: lengths are hard to foretell.
func quick(b []byte) (v uint32, rest []byte) {
	if len(b) < 4 {
		return Uvarint(b)
	}
	x := binary.LittleEndian.Uint32(b)
	n := bits.TrailingZeros32(^x&0x80808080) + 1 // bits, 33 where it goes on
	if n > 32 {
		return Uvarint(b)
	}
	x &= ^uint32(0) >> uint(32-n)
	return x&0x7f | x>>1&0x3f80 | x>>2&0x1fc000 | x>>3&0xfe00000, b[n>>3:]
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
