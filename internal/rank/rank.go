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
	Score float64
	Parts Parts
	// Relevance is the probability that it answers, whatever the ranker; Level is from where on texts of its kind are relevant.
	Relevance, Level float64
	why              *why // of the ranker lukasa
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
	l := newList(len(cs))
	for i := range cs {
		p := parts(&cs[i], best)
		l = append(l, place{w.Vector*p.Vector + w.Text*p.Text + Recency(cs[i].When, now, w), int32(i)})
	}
	out := l.scored(cs, best)
	for i := range out {
		out[i].Parts.Recency = Recency(out[i].When, now, w)
	}
	return out
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
	for i := range cs {
		bestVector = max(bestVector, cs[i].Similarity)
	}
	l := newList(len(cs))
	for i := range cs {
		p := parts(&cs[i], best)
		v := 0.0
		if bestVector > 0 {
			v = p.Vector / bestVector
		}
		share := vectorShare
		if best == 0 {
			share = 1
		}
		l = append(l, place{share*v + (1-share)*p.Text, int32(i)})
	}
	return l.scored(cs, best)
}

// ByVector scores by cosine alone; entries without a vector are left out.
func ByVector(cs []lukasa.Candidate) []Scored { return vectors(newList(len(cs)), cs).scored(cs, 0) }

// ByText scores by BM25 alone; entries that share no term with the query are left out.
func ByText(cs []lukasa.Candidate) []Scored {
	return texts(newList(len(cs)), cs).scored(cs, bestText(cs))
}

// ByReciprocalRank scores by the sum of 1/(60 + rank) over the two sides, each cut to its best k
// (Cormack, Clarke and Büttcher, SIGIR 2009).
func ByReciprocalRank(cs []lukasa.Candidate, k int) []Scored {
	room := make(list, 2*len(cs))
	l, side := room[:len(cs)], room[len(cs):]
	for i := range l {
		l[i].at = int32(i)
	}
	for _, add := range [...]func(list, []lukasa.Candidate) list{vectors, texts} {
		side = add(side[:0], cs)
		side.sort(cs)
		for r, p := range side[:min(k, len(side))] {
			l[p.at].score += 1 / float64(60+r+1)
		}
	}
	return l.scored(cs, bestText(cs))
}

// list is an order in the making: places of candidates with their scores. It is sorted instead of the candidates, which are large.
type list []place

type place struct {
	score float64
	at    int32
}

func newList(n int) list { return make(list, 0, n) }

// vectors appends the candidates that have a vector.
func vectors(l list, cs []lukasa.Candidate) list {
	for i := range cs {
		if cs[i].HasVector {
			l = append(l, place{cs[i].Similarity, int32(i)})
		}
	}
	return l
}

// texts appends the candidates that share a term with the query.
func texts(l list, cs []lukasa.Candidate) list {
	for i := range cs {
		if cs[i].HasText {
			l = append(l, place{cs[i].Text, int32(i)})
		}
	}
	return l
}

func (l list) sort(cs []lukasa.Candidate) {
	slices.SortFunc(l, func(a, b place) int {
		if n := cmp.Compare(b.score, a.score); n != 0 {
			return n
		}
		x, y := &cs[a.at], &cs[b.at]
		if n := y.When.Compare(x.When); n != 0 {
			return n
		}
		return cmp.Compare(x.Entry, y.Entry)
	})
}

// scored writes out the candidates of a list in order.
func (l list) scored(cs []lukasa.Candidate, best float64) []Scored {
	l.sort(cs)
	out := make([]Scored, len(l))
	for i, p := range l {
		c := &cs[p.at]
		out[i].Candidate, out[i].Score, out[i].Parts = *c, p.score, parts(c, best)
	}
	return out
}

func bestText(cs []lukasa.Candidate) float64 {
	best := 0.0
	for i := range cs {
		if cs[i].HasText {
			best = max(best, cs[i].Text)
		}
	}
	return best
}

func parts(c *lukasa.Candidate, bestText float64) Parts {
	var p Parts
	if c.HasVector {
		p.Vector = max(0, c.Similarity)
	}
	if c.HasText && bestText > 0 {
		p.Text = c.Text / bestText
	}
	return p
}

// The relevance of what the models did not weigh.
const (
	related   = 0.55 // from here on it is relevant
	textTrust = 0.9  // of the best match by words alone
)

// Judge sets the relevance of candidates to what the models of the ranker lukasa make of them. Where the models had nothing to go by, it
// comes from the cosine, by the marks that the embedding space has for related and for nearly the same, or from the share of the best text
// score.
func Judge(scored, weighed []Scored, relatedAt, nearAt float64) {
	likeness := func(cosine float64) float64 {
		switch {
		case relatedAt <= 0 || nearAt <= relatedAt:
			return cosine
		case cosine <= relatedAt:
			return related * cosine / relatedAt
		}
		return min(1, related+0.35*(cosine-relatedAt)/(nearAt-relatedAt))
	}
	known := make(map[lukasa.ID]*Scored, len(weighed))
	for i := range weighed {
		known[weighed[i].Entry] = &weighed[i]
	}
	for i := range scored {
		s := &scored[i]
		if w := known[s.Entry]; w != nil {
			s.Relevance, s.Level = w.Relevance, w.Level
			continue
		}
		s.Relevance, s.Level = max(likeness(s.Parts.Vector), textTrust*s.Parts.Text), related
	}
}

// Group is the candidates of one document, best first, or one entry that stands for itself.
type Group struct {
	Best  *Scored // one of those that were grouped, unless another stands for it
	Count int     // entries of the group among the scored
}

// ByDocument groups ordered candidates: chunks and summaries by document, turns, memories and the rest by themselves. The
// best of a group decides its place; the best chunk stands for it, also where the summary was better, as a chunk says where.
func ByDocument(scored []Scored) []Group {
	out := make([]Group, 0, len(scored))
	at := make(map[lukasa.ID]int, len(scored))
	for i := range scored {
		s := &scored[i]
		key := s.Entry
		if s.Document != "" && (s.Type == lukasa.EntryChunk || s.Type == lukasa.EntryDocument) {
			key = s.Document
		}
		if i, ok := at[key]; ok {
			out[i].Count++
			if out[i].Best.Type == lukasa.EntryDocument && s.Type == lukasa.EntryChunk {
				chunk := *s
				chunk.Score = out[i].Best.Score
				out[i].Best = &chunk
			}
			continue
		}
		at[key] = len(out)
		out = append(out, Group{Best: s, Count: 1})
	}
	return out
}
