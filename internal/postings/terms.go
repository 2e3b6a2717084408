package postings

import "math"

// QueryTerm is one term of a query.
type QueryTerm struct {
	ID     uint32
	Count  int // how often the query has it
	DF     int64
	Weight float64 // idf × (K1 + 1) × Count, set by [TermSet.Weigh]
}

// TermSet finds the terms of a query by number.
type TermSet struct {
	Terms []QueryTerm
	table []uint32 // place + 1
	shift uint
	bloom [4]uint64 // of the lowest bits of the numbers
}

// Reset empties the set and makes room for n terms.
func (s *TermSet) Reset(n int) {
	size, shift := 16, uint(28)
	for size < n*4 {
		size, shift = size*2, shift-1
	}
	s.Terms, s.shift = s.Terms[:0], shift
	if cap(s.table) < size {
		s.table = make([]uint32, size)
	}
	s.table = s.table[:size]
	clear(s.table)
	s.bloom = [4]uint64{}
}

// May reports false for most of the terms that are not in the set, quickly.
func (s *TermSet) May(id uint32) bool { return s.bloom[id>>6&3]>>(id&63)&1 != 0 }

// Find returns the place of a term, or -1.
func (s *TermSet) Find(id uint32) int {
	for i := id * 0x9e3779b1 >> s.shift; ; i = (i + 1) & uint32(len(s.table)-1) {
		n := s.table[i]
		if n == 0 {
			return -1
		}
		if s.Terms[n-1].ID == id {
			return int(n - 1)
		}
	}
}

// Add counts a term. No more than Reset made room for may be added.
func (s *TermSet) Add(id uint32) {
	if i := s.Find(id); i >= 0 {
		s.Terms[i].Count++
		return
	}
	s.Terms = append(s.Terms, QueryTerm{ID: id, Count: 1})
	i := id * 0x9e3779b1 >> s.shift
	for s.table[i] != 0 {
		i = (i + 1) & uint32(len(s.table)-1)
	}
	s.table[i] = uint32(len(s.Terms))
	s.bloom[id>>6&3] |= 1 << (id & 63)
}

// Weigh sets the weights over n entries, DF of which have the term.
func (s *TermSet) Weigh(n int64) {
	for i := range s.Terms {
		t := &s.Terms[i]
		t.Weight = math.Log(1+(float64(n-t.DF)+.5)/(float64(t.DF)+.5)) * (K1 + 1) * float64(t.Count)
	}
}
