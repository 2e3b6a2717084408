package rank

import (
	"cmp"
	"slices"

	"github.com/lukasa-memory/lukasa"
)

// Share is what one sign adds to the log odds of a score.
type Share struct {
	Sign  Sign
	Value float64 // of the sign
	Score float64 // what it adds, positive or negative
}

// ByModels ranks the candidates of a scene, best first. The score is the probability that the candidate answers the question. Ties go by
// time, newest first, then by entry id. A memory of doubtful confidence counts less: its score is multiplied by 1 − .3 × Item.Doubt.
func ByModels(s *Scene, models *Models) []Scored {
	w := newWork(s)
	rows := w.rows()
	named := s.namesSpeaker()
	best := 0.0
	for i := range s.Candidates {
		if c := &s.Items[i].Candidate; c.HasText {
			best = max(best, c.Text)
		}
	}
	out := make([]Scored, s.Candidates)
	for i := range out {
		it, o := &s.Items[i], &out[i]
		m := models.of(it, named)
		o.Candidate, o.Parts = it.Candidate, parts(&it.Candidate, best)
		o.Score = m.probability(&rows[i]) * it.trust()
		o.Relevance, o.Level = m.relevance(rows[i])*it.trust(), m.Level
		o.why = &why{row: rows[i], model: m}
	}
	slices.SortFunc(out, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.When.Compare(a.When), cmp.Compare(a.Entry, b.Entry))
	})
	return out
}

// relevance is the probability that a row answers. That a memory was drawn from a text moves it behind the text, and makes it no less
// relevant.
func (m *Model) relevance(r Row) float64 {
	r[SignDerived] = 0
	return m.probability(&r)
}

// of returns the model of an item's kind.
func (m *Models) of(it *Item, named bool) *Model {
	switch {
	case it.Type == lukasa.EntryMessage && named:
		return &m.Named
	case it.Type == lukasa.EntryMessage:
		return &m.Turn
	case it.Type == lukasa.EntryMemory, it.Type == lukasa.EntryChunk && len(it.Terms) <= noteTerms && it.Prev < 0 && it.Next < 0:
		return &m.Statement
	}
	return &m.Passage
}

// doubtful is how much of its score a memory loses that nobody is sure of at all (M-9).
const doubtful = 0.3

// trust is what the score of an item is multiplied by.
func (it *Item) trust() float64 { return 1 - doubtful*min(1, max(0, it.Doubt)) }

// why is what a score was made of, kept until somebody asks.
type why struct {
	row   Row
	model *Model
}

// Shares lists the signs that count, the weightiest first. Nil for other rankers.
func (s *Scored) Shares() []Share {
	if s.why == nil {
		return nil
	}
	out := make([]Share, 0, Signs)
	for k, x := range &s.why.row {
		if w := s.why.model.Weights[k]; x != 0 && w != 0 {
			out = append(out, Share{Sign(k), float64(x), w * float64(x)})
		}
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(cmp.Compare(max(b.Score, -b.Score), max(a.Score, -a.Score)), cmp.Compare(a.Sign, b.Sign))
	})
	return out
}
