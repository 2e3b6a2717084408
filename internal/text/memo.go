package text

import (
	"math/bits"
	"sync/atomic"
)

// memoWord is the longest word, and the longest term, in bytes that a memo keeps.
const memoWord = 14

// memoSlots is how many words a memo has room for: 320 kB.
const memoSlots = 1 << 13

// memo remembers which term a plain word becomes, for all analysers of the process: most words of a text are among few thousand. A word
// that comes to a slot takes it. It is never locked: a slot is five words of which the last is a sum of the others, and who reads a slot
// while it is written sees that the sum is wrong (after R. Hyatt and T. Mann, A lock-less transposition table implementation for parallel
// search chess engines, ICGA Journal 25(2), 2002).
type memo [memoSlots][5]atomic.Uint64

var known memo

// memoKey is a word of up to [memoWord] bytes, its length and its tongue.
type memoKey struct{ a, b uint64 }

func (k memoKey) sum(v memoKey) uint64 {
	s := k.a*0x9e3779b97f4a7c15 + bits.RotateLeft64(k.b, 32)
	s = (s^s>>29)*0xbf58476d1ce4e5b9 + v.a
	s = (s^s>>32)*0x94d049bb133111eb + bits.RotateLeft64(v.b, 16)
	return s ^ s>>31
}

func (k memoKey) slot() uint64 {
	return (k.a*0x9e3779b97f4a7c15 ^ k.b*0xd6e8feb86659fd93) >> (64 - 13)
}

// pack puts up to memoWord bytes, their number and a mark into two words.
func pack[T string | []byte](s T, mark uint8) (k memoKey) {
	for i := min(len(s), 8) - 1; i >= 0; i-- {
		k.a = k.a<<8 | uint64(s[i])
	}
	for i := len(s) - 1; i >= 8; i-- {
		k.b = k.b<<8 | uint64(s[i])
	}
	k.b |= uint64(len(s))<<56 | uint64(mark)<<48
	return k
}

// unpack appends what was packed.
func (k memoKey) unpack(dst []byte) []byte {
	n := int(k.b >> 56)
	for i := range n {
		if i < 8 {
			dst = append(dst, byte(k.a>>(8*i)))
		} else {
			dst = append(dst, byte(k.b>>(8*(i-8))))
		}
	}
	return dst
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

// plain yields the term of the word at i where that is a run of letters a-z with nothing to it, in small or capital letters or with a
// capital in front, and returns where it ends; 0 for another word, of which it has yielded nothing.
func (a *Analyzer) plain(s string, i int) int {
	end, upper := i, 0
	for end < len(s) && isASCIILetter(s[end]) {
		upper += int(s[end]>>5&1 ^ 1)
		end++
	}
	n := end - i
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
	w := s[i:end]
	k := pack(w, uint8(a.tongue))
	var term []byte
	if v, ok := known.find(k); ok {
		a.buf = v.unpack(a.buf[:0])
		term = a.buf
	} else if term = a.reduce(w, false); len(term) <= memoWord {
		known.keep(k, pack(term, 0))
	}
	pos := a.pos
	a.pos++
	if len(term) > 0 {
		a.yield(term, pos, i, end)
	}
	return end
}
