package postings

import "math/bits"

// Numbers are the terms of a segment, which finds the place of each among them: in groups, where the terms are so many of all
// there are that this takes less room, else in order. One of the two is empty.
type Numbers struct {
	Sorted []uint32
	Groups []Group
}

// Group says which of groupTerms numbers there are, and how many come before them.
type Group struct {
	Before uint32
	Bits   [groupWords]uint32
}

const (
	groupWords = 3
	groupTerms = 32 * groupWords
)

// newNumbers makes Numbers of a list in order, which it may keep.
func newNumbers(sorted []uint32) Numbers {
	if len(sorted) == 0 {
		return Numbers{}
	}
	groups := int(sorted[len(sorted)-1])/groupTerms + 1
	if groups*(1+groupWords) > len(sorted) {
		return Numbers{Sorted: sorted}
	}
	n := Numbers{Groups: make([]Group, groups)}
	for _, t := range sorted {
		n.Groups[t/groupTerms].Bits[t%groupTerms/32] |= 1 << (t % 32)
	}
	before := uint32(0)
	for i := range n.Groups {
		n.Groups[i].Before = before
		before += n.Groups[i].count()
	}
	return n
}

func (g *Group) count() (n uint32) {
	for _, w := range g.Bits {
		n += uint32(bits.OnesCount32(w))
	}
	return n
}

// Whole reports whether these can be the numbers of n terms.
func (s *Numbers) Whole(n int) bool {
	if len(s.Groups) == 0 {
		return len(s.Sorted) == n
	}
	before := uint32(0)
	for i := range s.Groups {
		if s.Groups[i].Before != before {
			return false
		}
		before += s.Groups[i].count()
	}
	return int(before) == n && len(s.Sorted) == 0
}

// Find returns the place of a term, or -1.
func (s *Numbers) Find(term uint32) int {
	if at := int(term / groupTerms); at < len(s.Groups) {
		g, bit := &s.Groups[at], term%groupTerms
		word := g.Bits[bit/32]
		if word>>(bit%32)&1 == 0 {
			return -1
		}
		n := g.Before + uint32(bits.OnesCount32(word&(1<<(bit%32)-1)))
		if bit >= 32 {
			n += uint32(bits.OnesCount32(g.Bits[0]))
		}
		if bit >= 64 {
			n += uint32(bits.OnesCount32(g.Bits[1]))
		}
		return int(n)
	}
	lo, hi := 0, len(s.Sorted)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if s.Sorted[m] < term {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(s.Sorted) && s.Sorted[lo] == term {
		return lo
	}
	return -1
}
