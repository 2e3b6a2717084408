package local

import (
	"cmp"
	"slices"

	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/postings"
)

// spell lets terms that are spelt almost alike stand in for words that no entry of the named nodes has, where these may be misspelt. The terms
// of the owner are looked through once; what stands in has an entry in the named nodes. The statistics are made again.
func (s *search) spell() {
	if s.req.Misspelt == nil {
		return
	}
	known := 0
	for i := range s.asks {
		if s.asks[i].ID != index.NoTerm {
			s.asks[i].Frequency = int(s.set.Together(known, s.n))
			known++
		}
	}
	spelling := index.NewSpelling(&s.req, s.asks, s.terms)
	if spelling == nil {
		return
	}
	s.dict.Each(func(n uint32, term, word []byte) bool { spelling.Compare(n, term, word); return true })
	alike := spelling.Alike()
	if len(alike) == 0 {
		return
	}
	before := slices.Clone(s.set.Terms)
	s.set.Reset(len(alike))
	for _, c := range alike {
		s.set.AddTimes(c.Number, 1, 1)
	}
	s.again()
	s.recast(before, spelling.Choose(s.asks,
		func(c *index.StandIn) int64 { return s.set.Terms[s.set.Find(c.Number)].DF },
		func(c *index.StandIn) bool {
			return slices.ContainsFunc(before, func(t postings.QueryTerm) bool { return t.ID == c.Number })
		}))
	s.again()
}

// recast makes the set of terms again from what it was, with what stands in for words.
func (s *search) recast(before []postings.QueryTerm, chosen []index.StandIn) {
	s.set.Reset(len(before) + len(chosen))
	known := 0
	was, now := make([]int, len(before)), make([]int, len(s.asks)) // the places in the set, by those before and by words
	for i := range s.asks {
		a := &s.asks[i]
		now[i] = len(s.set.Terms)
		if a.ID != index.NoTerm {
			was[known] = now[i]
			s.set.AddTimes(a.ID, before[known].Count, cmp.Or(a.Share, 1))
			known++
		} else if at := slices.IndexFunc(chosen, func(c index.StandIn) bool { return c.For == i }); at >= 0 {
			a.ID = chosen[at].Number
			s.set.AddTimes(a.ID, a.Count, a.Share)
		}
	}
	for _, t := range before[known:] {
		s.set.AddForm(t.ID, was[t.For], t.Share)
	}
	for _, c := range chosen { // those that are words by themselves now are there
		s.set.AddForm(c.Number, now[c.For], s.asks[c.For].Share)
	}
}

// again makes the statistics of another set of terms.
func (s *search) again() {
	s.n, s.total = 0, 0
	s.hits, s.scans, s.places = s.hits[:0], s.scans[:0], s.places[:0]
	if len(s.tf) < len(s.set.Terms) {
		s.tf = make([]uint32, len(s.set.Terms))
	}
	s.statistics()
}
