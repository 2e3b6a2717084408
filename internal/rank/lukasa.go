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
// not count as missed. The order is that of the sum itself, ties by time, newest first, then by entry id. The best
// s.Explain candidates carry their shares.
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
			if n < s.Explain {
				o.Shares = shares(&m.Rows[i], weights, ceiling)
			}
		}
	}
	return out
}

// shares lists the signs that count, the weightiest first.
func shares(r *Row, weights *Linear, ceiling float64) []Share {
	out := make([]Share, 0, 16)
	for k, x := range r {
		if x != 0 && weights[k] != 0 {
			out = append(out, Share{Sign(k), float64(x), weights[k] * float64(x) / ceiling})
		}
	}
	slices.SortFunc(out, func(a, b Share) int {
		return cmp.Or(cmp.Compare(abs(b.Score), abs(a.Score)), cmp.Compare(a.Sign, b.Sign))
	})
	return out
}

func abs(x float64) float64 { return max(x, -x) }
