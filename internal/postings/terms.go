package postings

import "math"

// QueryTerm is one term of a query.
type QueryTerm struct {
	ID     uint32
	Count  int     // how often the query has it
	DF     int64   // entries that have it
	Weight float64 // idf × (K1 + 1) × Count × Share, set by [TermSet.Weigh]
	For    int     // the place of the term that it is another form of; its own where it is none
	Share  float64 // 1, or less for what only stands in
}

// TermSet finds the terms of a query by number.
type TermSet struct {
	Terms []QueryTerm
	table []uint32 // place + 1
	shift uint
	bloom [4]uint64 // of the lowest bits of the numbers
	forms int       // how many of the terms are other forms
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
	s.bloom, s.forms = [4]uint64{}, 0
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
	s.insert(QueryTerm{ID: id, Count: 1, For: len(s.Terms), Share: 1})
}

// AddTimes adds a term that the set does not have, which counts as often, and of whose weight only a share counts.
func (s *TermSet) AddTimes(id uint32, count int, share float64) {
	if s.Find(id) < 0 {
		s.insert(QueryTerm{ID: id, Count: count, For: len(s.Terms), Share: share})
	}
}

// AddForm adds another form of the term at a place, behind all terms that are none. It does nothing where the set has the term already.
func (s *TermSet) AddForm(id uint32, of int, share float64) {
	if s.Find(id) < 0 {
		s.forms++
		s.insert(QueryTerm{ID: id, Count: s.Terms[of].Count, For: of, Share: share})
	}
}

// Forms returns how many of the terms are other forms. They come last.
func (s *TermSet) Forms() int { return s.forms }

// Canonical returns the number of the term that a number stands for: its own, unless it is that of another form.
func (s *TermSet) Canonical(id uint32) uint32 {
	if s.forms > 0 && s.May(id) {
		if i := s.Find(id); i >= 0 {
			return s.Terms[s.Terms[i].For].ID
		}
	}
	return id
}

func (s *TermSet) insert(t QueryTerm) {
	id := t.ID
	s.Terms = append(s.Terms, t)
	i := id * 0x9e3779b1 >> s.shift
	for s.table[i] != 0 {
		i = (i + 1) & uint32(len(s.table)-1)
	}
	s.table[i] = uint32(len(s.Terms))
	s.bloom[id>>6&3] |= 1 << (id & 63)
}

// Weigh sets the weights over n entries, DF of which have the term. A term is as rare as all its forms together.
func (s *TermSet) Weigh(n int64) {
	for i := range s.Terms {
		t := &s.Terms[i]
		df := t.DF
		if s.forms > 0 {
			df = s.Together(t.For, n)
		}
		t.Weight = math.Log(1+(float64(n-df)+.5)/(float64(df)+.5)) * (K1 + 1) * float64(t.Count)
		t.Weight *= t.Share
	}
}

// Together returns about how many of n entries have the term at a place in any of its forms.
func (s *TermSet) Together(at int, n int64) int64 {
	df := s.Terms[at].DF
	for _, t := range s.Terms[len(s.Terms)-s.forms:] {
		if t.For == at {
			df += t.DF
		}
	}
	return min(df, max(n, s.Terms[at].DF))
}
