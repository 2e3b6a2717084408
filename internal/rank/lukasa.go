package rank

import (
	"cmp"
	"slices"
	"sync"
)

// Share is what one sign adds to a score.
type Share struct {
	Sign  Sign
	Value float64 // of the sign
	Score float64 // what it adds, positive or negative
}

// Features is the ranker lukasa with its weights and its working memory. It is safe for concurrent use.
type Features struct {
	weights Linear
	pool    sync.Pool // of *work
}

// NewFeatures makes a ranker.
func NewFeatures(weights Linear) *Features { return &Features{weights: weights} }

// ByFeatures ranks one scene with memory of its own; see [Features.Rank]. Whoever ranks often keeps a [Features].
func ByFeatures(s *Scene, weights Linear) []Scored { return NewFeatures(weights).Rank(s) }

// Rank scores the candidates of a scene, best first: a weighted sum of ordinary signs. The score is what the sum comes to of the
// most that the signs at hand could come to, 0..1; signs that no candidate shows (nobody is named, no time is asked for) do
// not count as missed. The order is that of the sum itself, ties by time, newest first, then by entry id. A memory of
// doubtful confidence counts less: its score is multiplied by 1 − .3 × Item.Doubt.
func (f *Features) Rank(s *Scene) []Scored {
	m := f.Measure(s)
	defer m.Release()
	w, weights := m.w, &f.weights
	w.sums = zeroed(w.sums, len(m.Rows))
	w.order = w.order[:0]
	var most Row
	for i := range m.Rows {
		sum := 0.0
		for k, x := range &m.Rows[i] {
			sum += weights[k] * float64(x)
			if x > 0 {
				most[k] = 1
			}
		}
		if sum > 0 {
			sum *= s.Items[i].trust()
		}
		w.sums[i] = sum
		w.order = append(w.order, int32(i))
	}
	ceiling := 0.0
	for k, x := range most {
		ceiling += max(0, weights[k]) * float64(x)
	}
	slices.SortFunc(w.order, func(a, b int32) int {
		if w.sums[a] != w.sums[b] { // ties are rare, and their comparison is dear
			return cmp.Compare(w.sums[b], w.sums[a])
		}
		x, y := &s.Items[a], &s.Items[b]
		return cmp.Or(y.When.Compare(x.When), cmp.Compare(x.Entry, y.Entry))
	})
	out := make([]Scored, len(w.order))
	var reasons []why
	if s.Explain && ceiling > 0 {
		reasons = make([]why, len(w.order))
	}
	bestText := 0.0
	for i := range s.Candidates {
		if c := &s.Items[i].Candidate; c.HasText {
			bestText = max(bestText, c.Text)
		}
	}
	for n, i := range w.order {
		o := &out[n]
		o.Candidate = s.Items[i].Candidate
		o.Parts = parts(&o.Candidate, bestText)
		if ceiling > 0 {
			o.Score = max(0, w.sums[i]/ceiling)
			if reasons != nil {
				o.why = &reasons[n]
				*o.why = why{row: m.Rows[i], weights: weights, ceiling: ceiling / s.Items[i].trust()}
			}
		}
	}
	return out
}

// doubtful is how much of its score a memory loses that nobody is sure of at all (M-9).
const doubtful = 0.3

// trust is what the score of an item is multiplied by.
func (it *Item) trust() float64 { return 1 - doubtful*min(1, max(0, it.Doubt)) }

// why is what a score was made of, kept until somebody asks: who is shown is known only behind grouping and reranking.
type why struct {
	row     Row
	weights *Linear
	ceiling float64
}

// Shares lists the signs that count, the weightiest first. They come to the score, unless that is 0, which less than nothing counts as.
// Nil where no explanation was asked for, and of other rankers.
func (s *Scored) Shares() []Share {
	if s.why == nil {
		return nil
	}
	out := make([]Share, 0, 16)
	for k, x := range &s.why.row {
		if w := s.why.weights[k]; x != 0 && w != 0 {
			out = append(out, Share{Sign(k), float64(x), w * float64(x) / s.why.ceiling})
		}
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(cmp.Compare(abs(b.Score), abs(a.Score)), cmp.Compare(a.Sign, b.Sign))
	})
	return out
}

// Stretch multiplies the score by a factor above 0, and so what each sign adds.
func (s *Scored) Stretch(by float64) {
	s.Score *= by
	if s.why != nil {
		s.why.ceiling /= by
	}
}

func abs(x float64) float64 { return max(x, -x) }
