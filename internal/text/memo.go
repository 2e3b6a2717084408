package text

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"
)

// memoWord is the longest word, and the longest term, in bytes that a memo keeps.
const memoWord = 14

// memoSlots is how many words a memo has room for: 640 kB where that many have been met. Of the words of running English it then knows 93 in
// 100, and 89 with half the room.
const (
	memoSlots = 1 << memoShift
	memoShift = 14
)

// memo remembers which term a plain word becomes, for all analysers of the process: most words of a text are among few thousand. A word
// that comes to a slot takes it. It is never locked: a slot is five words of which the last is a sum of the others, and who reads a slot
// while it is written sees that the sum is wrong (after R. Hyatt and T. Mann, A lock-less transposition table implementation for parallel
// search chess engines, ICGA Journal 25(2), 2002).
type memo [memoSlots][5]atomic.Uint64

var known memo

// memoKey is a word of up to [memoWord] bytes in small letters, its length and its tongue.
type memoKey struct{ a, b uint64 }

func (k memoKey) sum(v memoKey) uint64 {
	s := k.a*0x9e3779b97f4a7c15 + bits.RotateLeft64(k.b, 32)
	s = (s^s>>29)*0xbf58476d1ce4e5b9 + v.a
	s = (s^s>>32)*0x94d049bb133111eb + bits.RotateLeft64(v.b, 16)
	return s ^ s>>31
}

func (k memoKey) slot() uint64 {
	return (k.a*0x9e3779b97f4a7c15 ^ k.b*0xd6e8feb86659fd93) >> (64 - memoShift)
}

// pack puts up to memoWord bytes and their number into two words.
func pack[T string | []byte](s T) (k memoKey) {
	for i := min(len(s), 8) - 1; i >= 0; i-- {
		k.a = k.a<<8 | uint64(s[i])
	}
	for i := len(s) - 1; i >= 8; i-- {
		k.b = k.b<<8 | uint64(s[i])
	}
	k.b |= uint64(len(s)) << 56
	return k
}

// unpack puts what was packed into the memory of dst, if that is large enough.
func (k memoKey) unpack(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst[:0], k.a)
	return binary.LittleEndian.AppendUint64(dst, k.b)[:k.b>>56]
}

// Every byte of a word of eight is this one.
const (
	each01 = 0x0101010101010101
	each20 = 0x20 * each01
	each80 = 0x80 * each01
)

// run reads the letters a-z and A-Z from i on, 16 at most: in small letters as they are packed, but without their number, how many they are, and
// how many are capitals.
func run(s string, i int) (k memoKey, n, capitals int) {
	if i+16 > len(s) {
		for ; n < 16 && i+n < len(s) && isASCIILetter(s[i+n]); n++ {
			c := uint64(s[i+n]|0x20) << (8 * (n & 7))
			if n < 8 {
				k.a |= c
			} else {
				k.b |= c
			}
			capitals += int(s[i+n]>>5&1 ^ 1)
		}
		return k, n, capitals
	}
	k.a, n, capitals = runOf8(s[i : i+8])
	if n == 8 {
		b, more, upper := runOf8(s[i+8 : i+16])
		k.b, n, capitals = b, n+more, capitals+upper
	}
	return k, n, capitals
}

// runOf8 is run for eight bytes.
func runOf8(s string) (small uint64, n, capitals int) {
	_ = s[7]
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	folded := x&^each80 | each20
	letters := (folded + (0x80-'a')*each01) &^ (folded + (0x7f-'z')*each01) &^ x & each80
	n = bits.TrailingZeros64(^letters&each80) >> 3
	of := uint64(1)<<(8*uint(n)) - 1 // all where n is 8
	return (x | each20) & of, n, bits.OnesCount64(^x & each20 & of)
}

// first leaves the first n of the bytes of a key that says nothing of their number, and adds that.
func (k memoKey) first(n int) memoKey {
	if n <= 8 {
		k.a, k.b = k.a&(uint64(1)<<(8*uint(n))-1), 0
	}
	k.b = k.b&(uint64(1)<<(8*uint(n-8)&63)-1) | uint64(n)<<56
	return k
}

// find returns the term of a word.
func (m *memo) find(k memoKey) (v memoKey, ok bool) {
	s := &m[k.slot()]
	if s[0].Load() != k.a || s[1].Load() != k.b {
		return v, false
	}
	v = memoKey{s[2].Load(), s[3].Load()}
	return v, s[4].Load() == k.sum(v)
}

func (m *memo) keep(k, v memoKey) {
	s := &m[k.slot()]
	s[0].Store(k.a)
	s[1].Store(k.b)
	s[2].Store(v.a)
	s[3].Store(v.b)
	s[4].Store(k.sum(v))
}

// ends are the characters behind which no word goes on, whatever follows them.
var ends = [128]bool{' ': true, '\n': true, '\t': true, ';': true, ':': true, '!': true, '?': true, ')': true, '(': true, '"': true}

// recall returns the term of a word of letters a-z that is neither alone nor longer than a memo keeps; k is the word without a tongue.
func (a *Analyzer) recall(k memoKey, w string) []byte {
	k.b |= uint64(a.tongue) << 48
	if v, ok := known.find(k); ok {
		a.buf = v.unpack(a.buf)
		return a.buf
	}
	term := a.reduce(w, false)
	if len(term) <= memoWord {
		known.keep(k, pack(term))
	}
	return term
}

// plain yields the term of the word at i where that is a run of letters a-z with nothing to it, in small or capital letters or with a
// capital in front, and returns where it ends; 0 for another word, of which it has yielded nothing.
func (a *Analyzer) plain(s string, i int) int {
	k, n, upper := run(s, i)
	end := i + n
	if n < 2 || n > memoWord || upper > 1 && upper < n || upper == 1 && s[i] >= 'a' {
		return 0
	}
	if end < len(s) {
		switch c := s[end]; {
		case c >= 128:
			return 0
		case ends[c]:
		case (c == ',' || c == '.') && (end+1 == len(s) || s[end+1] < 128 && ends[s[end+1]]):
		default:
			return 0
		}
	}
	k.b |= uint64(n) << 56
	term := a.recall(k, s[i:end])
	pos := a.pos
	a.pos++
	if len(term) > 0 {
		a.yield(term, pos, i, end)
	}
	return end
}
