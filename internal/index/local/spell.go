package local

import (
	"cmp"
	"slices"

	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// The bounds of what stands in for words that no entry has.
const (
	mostMisspelt = 3  // words of a query
	mostAlike    = 64 // terms of the owner that are looked at for a word
	mostStandIns = 3  // terms that stand in for a word
	mostPairs    = 64 // terms that a character alone is part of
)

// standIn is a term that is spelt almost like a word of the query.
type standIn struct {
	id    uint32
	edits int
	df    int64
}

// spell lets terms that are spelt almost alike stand in for words that no entry of the named nodes has, where these may be misspelt. The terms
// of the owner are looked through once; what stands in has an entry in the named nodes. The statistics are made again.
func (s *search) spell() {
	if s.req.Misspelt == nil {
		return
	}
	var missing []int
	known := 0
	for i := range s.asks {
		df := int64(0)
		if s.asks[i].ID != index.NoTerm {
			df = s.set.Together(known, s.n)
			known++
		}
		if len(missing) < mostMisspelt && (text.Alone(s.terms[i]) || df == 0 && !text.IsCode(s.asks[i].Word) && s.req.Misspelt(s.asks[i].Word)) { // the words of a code stand for it
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return
	}
	near := s.alike(missing)
	all := slices.Concat(near...)
	if len(all) == 0 {
		return
	}
	before := slices.Clone(s.set.Terms)
	s.set.Reset(len(all))
	for _, c := range all {
		if s.set.Find(c.id) < 0 {
			s.set.Add(c.id)
		}
	}
	s.again()
	chosen := make([][]standIn, len(s.asks))
	for k, list := range near {
		for i := range list {
			list[i].df = s.set.Terms[s.set.Find(list[i].id)].DF
		}
		list = slices.DeleteFunc(list, func(c standIn) bool { return c.df == 0 })
		slices.SortFunc(list, func(a, b standIn) int {
			return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(b.df, a.df), cmp.Compare(a.id, b.id))
		})
		list = slices.DeleteFunc(list, func(c standIn) bool { return c.edits > list[0].edits })
		most := mostStandIns
		if len(list) > 0 && list[0].edits == 0 {
			most = mostPairs
		}
		chosen[missing[k]] = list[:min(len(list), most)]
	}
	s.recast(before, chosen)
	s.again()
}

// alike looks through the owner's terms for those that are spelt almost like some of the query's words.
func (s *search) alike(missing []int) [][]standIn {
	near := make([][]standIn, len(missing))
	spellings := make([]text.Spelling, len(missing))
	able := make([]bool, len(missing))
	for k, i := range missing {
		able[k] = spellings[k].Spell(s.terms[i], s.asks[i].Word)
	}
	if !slices.Contains(able, true) {
		return near
	}
	s.dict.Each(func(n uint32, term, word []byte) bool {
		for k := range spellings {
			if !able[k] {
				continue
			}
			if d, ok := spellings[k].Distance(term, word); ok && !text.IsCode(string(word)) { // another code is another thing
				near[k] = append(near[k], standIn{id: n, edits: d})
			}
		}
		return true
	})
	for k := range near {
		slices.SortStableFunc(near[k], func(a, b standIn) int { return cmp.Compare(a.edits, b.edits) })
		near[k] = near[k][:min(len(near[k]), mostAlike)]
	}
	return near
}

// recast makes the set of terms again from what it was, with what stands in for words.
func (s *search) recast(before []postings.QueryTerm, chosen [][]standIn) {
	room := len(before)
	for _, list := range chosen {
		room += len(list)
	}
	s.set.Reset(room)
	known := 0
	places := make([]int, len(before)) // where the terms that there were are now
	type form struct {
		id    uint32
		of    int
		share float64
	}
	var forms []form
	taken := make(map[uint32]bool, len(before)) // what stands for a word already
	for _, t := range before {
		taken[t.ID] = true
	}
	for i := range s.asks {
		a := &s.asks[i]
		list := slices.DeleteFunc(chosen[i], func(c standIn) bool { return taken[c.id] })
		share := 1.0
		if len(list) > 0 {
			share = text.SpellShare(list[0].edits)
			a.Share = share
		}
		for _, c := range list {
			taken[c.id] = true
			if c.edits == 0 { // it has the word
				continue
			}
			a.Instead = append(a.Instead, string(s.dict.Term(c.id)))
		}
		place := len(s.set.Terms)
		switch {
		case a.ID != index.NoTerm:
			places[known] = place
			s.set.AddTimes(a.ID, before[known].Count, share)
			known++
		case len(list) > 0:
			a.ID = list[0].id
			s.set.AddTimes(a.ID, a.Count, share)
			list = list[1:]
		}
		for _, c := range list {
			forms = append(forms, form{c.id, place, share})
		}
	}
	for _, t := range before[known:] {
		s.set.AddForm(t.ID, places[t.For], t.Share)
	}
	for _, f := range forms {
		s.set.AddForm(f.id, f.of, f.share)
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

// instead tells what stood in for which words.
func (s *search) instead() (m map[string][]string) {
	for i := range s.asks {
		if a := &s.asks[i]; len(a.Instead) > 0 {
			if m == nil {
				m = map[string][]string{}
			}
			m[a.Word] = a.Instead
		}
	}
	return m
}
