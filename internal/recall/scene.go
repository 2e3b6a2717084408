package recall

import (
	"math"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/rank"
)

// sceneText is how many candidates a side the ranker lukasa looks at; more bring nothing (docs/design/ranking.md).
const sceneText = 100

// byScene ranks with the ranker lukasa, and notes how much of the query each candidate has.
func (p *Path) byScene(s *search, ans index.Answer) []rank.Scored {
	in := ans.Scene
	out := rank.Scene{
		Query: rank.Analyze(s.q.Text), Entries: in.Entries, Length: in.Length, Candidates: len(ans.Candidates), Sessions: in.Sessions,
		Speakers: in.Speakers, Frequency: in.Frequency, Dot: in.Dot, Explain: s.q.Limit, Terms: make([]rank.Term, len(in.Terms)), Items: make([]rank.Item, len(in.Items)),
	}
	for i, t := range in.Terms {
		out.Terms[i] = rank.Term{ID: t.ID, Count: t.Count, Frequency: t.Frequency}
	}
	for i := range in.Items {
		it := &in.Items[i]
		speaker := ""
		if it.Speaker >= 0 {
			speaker = in.Speakers[it.Speaker]
		}
		out.Items[i] = rank.Item{
			Candidate: it.Candidate, Terms: it.Terms, Head: it.Head, Prev: it.Prev, Next: it.Next, Session: it.Session, Speaker: it.Speaker,
			Voice: rank.VoiceOf(it.Role, speaker), Flags: rank.Flags(it.Flags), Vector: it.Candidate.HasVector,
		}
	}
	prof := p.Embed.Space().Profile
	out.Spread = prof.Near - prof.Related
	if c, ok := embed.As[embed.Coverage](p.Embed); ok {
		out.Trust = float32(max(c.Known(s.q.Text), 0.01))
	}
	out.Alike = p.alike(in)
	s.cover = covers(in, len(ans.Candidates))
	return p.features.Rank(&out)
}

// covers returns the idf share of the query's terms that each candidate has.
func covers(in *index.Scene, candidates int) map[lukasa.ID]float64 {
	weight := make(map[uint32]float64, len(in.Terms))
	total := 0.0
	for _, t := range in.Terms {
		idf := math.Log(1 + (float64(in.Entries-t.Frequency)+0.5)/(float64(t.Frequency)+0.5))
		total += idf
		if t.ID != index.NoTerm {
			weight[t.ID] = idf
		}
	}
	out := make(map[lukasa.ID]float64, candidates)
	if total <= 0 {
		return out
	}
	for i := range candidates {
		it := &in.Items[i]
		sum := 0.0
		var seen [8]uint32
		n := 0
	terms:
		for _, t := range it.Terms {
			w, ok := weight[t]
			if !ok {
				continue
			}
			for _, u := range seen[:n] {
				if u == t {
					continue terms
				}
			}
			if n < len(seen) {
				seen[n] = t
				n++
				sum += w
			}
		}
		out[it.Candidate.Entry] = min(1, sum/total)
	}
	return out
}

// alike compares words by meaning, where the embedder has a vector for each.
func (p *Path) alike(in *index.Scene) func(term uint32, near []float32) {
	l := p.lexicon
	if l == nil || in.Word == nil {
		return nil
	}
	query := make([]wordCode, len(in.Terms))
	for i, t := range in.Terms {
		query[i] = l.code(t.Word)
	}
	return func(term uint32, near []float32) {
		c := l.code(in.Word(term))
		for i, q := range query {
			near[i] = l.cosine(q, c)
		}
	}
}
