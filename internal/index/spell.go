package index

import (
	"cmp"
	"slices"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// The bounds of what stands in for words that no entry has; see [Request.Misspelt].
const (
	mostMisspelt = 3  // words of a query
	mostAlike    = 64 // terms that are looked at for a word
	mostStandIns = 3  // terms that stand in for a word
	mostPairs    = 64 // terms that a character alone is part of
)

// StandIn is a term that is spelt almost like a word of a query.
type StandIn struct {
	Number uint32 // as [Spelling.Compare] was told
	Term   string
	For    int // the place of the word among the terms of the query
	Edits  int // between the two
}

// Spelling finds what stands in for words of a query that no entry has. A driver compares its terms, counts the entries of those that are
// alike, and then chooses.
type Spelling struct{ words []misspelt }

type misspelt struct {
	text.Spelling
	at    int
	alike []StandIn
}

// NewSpelling finds the words that others may stand in for. The terms have their frequencies; names are the same terms as they are indexed.
// Nil: there is no such word.
func NewSpelling(r *Request, terms []Term, names []string) *Spelling {
	if r.Misspelt == nil {
		return nil
	}
	s, looked := &Spelling{}, 0
	for i := range terms {
		t := &terms[i]
		if !text.Alone(names[i]) && (t.Frequency > 0 || text.IsCode(t.Word) || !r.Misspelt(t.Word)) { // the words of a code stand for it
			continue
		}
		if looked++; looked > mostMisspelt {
			break
		}
		if w := (misspelt{at: i}); w.Spell(names[i], t.Word) {
			s.words = append(s.words, w)
		}
	}
	if len(s.words) == 0 {
		return nil
	}
	return s
}

// Compare looks at a term, and at the word that it was made of: nothing where that is the term. A term may come more than once.
func (s *Spelling) Compare(number uint32, term, word []byte) {
	for i := range s.words {
		w := &s.words[i]
		if d, ok := w.Distance(term, word); ok && !text.IsCode(string(word)) { // another code is another thing
			w.alike = append(w.alike, StandIn{number, string(term), w.at, d})
		}
	}
}

// Alike returns the nearest terms that were compared. One may be alike to several words.
func (s *Spelling) Alike() (all []StandIn) {
	for i := range s.words {
		w := &s.words[i]
		slices.SortFunc(w.alike, func(a, b StandIn) int { return cmp.Or(cmp.Compare(a.Term, b.Term), cmp.Compare(a.Edits, b.Edits)) })
		w.alike = slices.CompactFunc(w.alike, func(a, b StandIn) bool { return a.Term == b.Term })
		slices.SortStableFunc(w.alike, func(a, b StandIn) int { return cmp.Compare(a.Edits, b.Edits) })
		w.alike = w.alike[:min(len(w.alike), mostAlike)]
		all = append(all, w.alike...)
	}
	return all
}

// Choose returns what stands in, in the order of the words, and sets Share and Instead of their terms. frequency tells how many latest entries of
// the named nodes have a term, taken whether it is one of the query already.
func (s *Spelling) Choose(terms []Term, frequency func(*StandIn) int64, taken func(*StandIn) bool) (chosen []StandIn) {
	for i := range s.words {
		list := slices.DeleteFunc(s.words[i].alike, func(c StandIn) bool { return frequency(&c) == 0 })
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b StandIn) int {
			return cmp.Or(cmp.Compare(a.Edits, b.Edits), cmp.Compare(frequency(&b), frequency(&a)))
		})
		least := list[0].Edits
		list = slices.DeleteFunc(list, func(c StandIn) bool { return c.Edits > least })
		most := mostStandIns
		if least == 0 {
			most = mostPairs
		}
		for _, c := range list[:min(len(list), most)] {
			if taken(&c) || slices.ContainsFunc(chosen, func(o StandIn) bool { return o.Term == c.Term }) {
				continue
			}
			chosen = append(chosen, c)
			t := &terms[c.For]
			if t.Share = text.SpellShare(c.Edits); c.Edits > 0 { // else it has the word
				t.Instead = append(t.Instead, c.Term)
			}
		}
	}
	return chosen
}

// Instead returns the terms that stand in for words of a query, by the word.
func Instead(terms []Term) (m map[string][]string) {
	for i := range terms {
		if t := &terms[i]; len(t.Instead) > 0 {
			if m == nil {
				m = map[string][]string{}
			}
			m[t.Word] = t.Instead
		}
	}
	return m
}
