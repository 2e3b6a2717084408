// Package rank turns candidates into an order: it scores, fuses, groups and cuts, as pure arithmetic.
//
// A ranker is known by name. Every ranker leaves the parts of its score beside the score, so that a hit can show why it
// stands where it stands. Ties are broken by time, newest first, then by entry id, so that an order is reproducible.
package rank

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// The rankers' names.
const (
	Lukasa   = lukasa.RankerLukasa
	Weighted = lukasa.RankerWeighted
	Vector   = lukasa.RankerVector
	Text     = lukasa.RankerText
	RRF      = lukasa.RankerRRF
)

// Names lists the rankers, the default first.
func Names() []string { return []string{Lukasa, Weighted, Vector, Text, RRF} }

// Weights are the shares of the weighted ranker.
type Weights struct {
	Vector  float64 // share of max(0, cosine)
	Text    float64 // share of BM25 over the batch's best
	Recency float64 // the most that newness adds
	Days    float64 // age at which newness has fallen to 1/e
}

// DefaultWeights are 0.6, 0.4, 0.1 and 30 days.
func DefaultWeights() Weights { return Weights{Vector: 0.6, Text: 0.4, Recency: 0.1, Days: 30} }

// Scored is a candidate with its score and the parts that it is made of.
type Scored struct {
	lukasa.Candidate
	Score  float64
	Parts  Parts
	Shares []Share // of the ranker lukasa, where an explanation was asked for
}

// Parts of a score. Which of them count depends on the ranker.
type Parts struct {
	Vector  float64 // max(0, cosine)
	Text    float64 // BM25 over the batch's best, 0..1
	Recency float64
}

// ByWeights scores by the weighted formula, exactly: w.Vector·max(0, cosine) + w.Text·BM25/best + w.Recency·e^(−age/w.Days),
// where best is the highest BM25 score among cs and age runs in days from when the entry occurred, or else was created.
func ByWeights(cs []lukasa.Candidate, w Weights, now time.Time) []Scored {
	best := bestText(cs)
	out := make([]Scored, len(cs))
	for i, c := range cs {
		p := parts(c, best)
		p.Recency = Recency(c.When, now, w)
		out[i] = Scored{Candidate: c, Score: w.Vector*p.Vector + w.Text*p.Text + p.Recency, Parts: p}
	}
	return order(out)
}

// Recency returns w.Recency·e^(−age/w.Days); what lies in the future counts as new.
func Recency(when, now time.Time, w Weights) float64 {
	age := max(0, now.Sub(when).Hours()/24)
	return w.Recency * math.Exp(-age/w.Days)
}

// Fused scores by a weighted sum of both sides, each over its own best, with the vector share that suits the embedding
// space.
func Fused(cs []lukasa.Candidate, vectorShare float64) []Scored {
	best, bestVector := bestText(cs), 0.0
	for _, c := range cs {
		bestVector = max(bestVector, c.Similarity)
	}
	out := make([]Scored, len(cs))
	for i, c := range cs {
		p := parts(c, best)
		v := 0.0
		if bestVector > 0 {
			v = p.Vector / bestVector
		}
		share := vectorShare
		if best == 0 {
			share = 1
		}
		out[i] = Scored{Candidate: c, Score: share*v + (1-share)*p.Text, Parts: p}
	}
	return order(out)
}

// ByVector scores by cosine alone; entries without a vector are left out.
func ByVector(cs []lukasa.Candidate) []Scored {
	out := make([]Scored, 0, len(cs))
	for _, c := range cs {
		if c.HasVector {
			p := parts(c, 0)
			out = append(out, Scored{Candidate: c, Score: c.Similarity, Parts: p})
		}
	}
	return order(out)
}

// ByText scores by BM25 alone; entries that share no term with the query are left out.
func ByText(cs []lukasa.Candidate) []Scored {
	best := bestText(cs)
	out := make([]Scored, 0, len(cs))
	for _, c := range cs {
		if c.HasText {
			out = append(out, Scored{Candidate: c, Score: c.Text, Parts: parts(c, best)})
		}
	}
	return order(out)
}

// ByReciprocalRank scores by the sum of 1/(60 + rank) over the two sides, each cut to its best k
// (Cormack, Clarke and Büttcher, SIGIR 2009).
func ByReciprocalRank(cs []lukasa.Candidate, k int) []Scored {
	best := bestText(cs)
	out := make([]Scored, len(cs))
	at := make(map[lukasa.ID]int, len(cs))
	for i, c := range cs {
		out[i] = Scored{Candidate: c, Parts: parts(c, best)}
		at[c.Entry] = i
	}
	for _, side := range [][]Scored{ByVector(cs), ByText(cs)} {
		for r, s := range side[:min(k, len(side))] {
			out[at[s.Entry]].Score += 1 / float64(60+r+1)
		}
	}
	return order(out)
}

func bestText(cs []lukasa.Candidate) float64 {
	best := 0.0
	for _, c := range cs {
		if c.HasText {
			best = max(best, c.Text)
		}
	}
	return best
}

func parts(c lukasa.Candidate, bestText float64) Parts {
	var p Parts
	if c.HasVector {
		p.Vector = max(0, c.Similarity)
	}
	if c.HasText && bestText > 0 {
		p.Text = c.Text / bestText
	}
	return p
}

func order(s []Scored) []Scored {
	slices.SortFunc(s, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.When.Compare(a.When), cmp.Compare(a.Entry, b.Entry))
	})
	return s
}

// Group is the candidates of one document, best first, or one entry that stands for itself.
type Group struct {
	Best  Scored
	Count int // entries of the group among the scored
}

// ByDocument groups ordered candidates: chunks and summaries by document, turns, memories and the rest by themselves. The
// best of a group decides its place; the best chunk stands for it, also where the summary was better, as a chunk says where.
func ByDocument(scored []Scored) []Group {
	out := make([]Group, 0, len(scored))
	at := make(map[lukasa.ID]int, len(scored))
	for _, s := range scored {
		key := s.Entry
		if s.Document != "" && (s.Type == lukasa.EntryChunk || s.Type == lukasa.EntryDocument) {
			key = s.Document
		}
		if i, ok := at[key]; ok {
			out[i].Count++
			if out[i].Best.Type == lukasa.EntryDocument && s.Type == lukasa.EntryChunk {
				s.Score = out[i].Best.Score
				out[i].Best = s
			}
			continue
		}
		at[key] = len(out)
		out = append(out, Group{Best: s, Count: 1})
	}
	return out
}
