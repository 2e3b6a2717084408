package recall

import (
	"cmp"
	"math"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// sceneText is how many candidates a side the ranker lukasa looks at; more bring nothing (docs/design/ranking.md).
const sceneText = 100

// byScene ranks with the ranker lukasa, and notes how to tell how much of the query a candidate has.
func (p *Path) byScene(s *search, ans index.Answer) []rank.Scored {
	in := ans.Scene
	in.Terms = asked(in)
	out, _ := p.scenes.Get().(*rank.Scene)
	if out == nil {
		out = new(rank.Scene)
	}
	defer func() {
		clear(out.Items)
		p.scenes.Put(&rank.Scene{Terms: out.Terms[:0], Items: out.Items[:0]})
	}()
	terms, items := out.Terms, slices.Grow(out.Items, len(in.Items))
	*out = rank.Scene{
		Query: rank.Analyze(s.q.Text), Entries: in.Entries, Length: in.Length, Candidates: len(ans.Candidates), Sessions: in.Sessions,
		Speakers: in.Speakers, Frequency: in.Frequency, Dot: in.Dot, Explain: true, Beside: s.beside,
	}
	for _, t := range in.Terms {
		terms = append(terms, rank.Term{ID: t.ID, Count: t.Count, Frequency: t.Frequency, Share: t.Share, Whole: text.IsWhole(t.Word)})
	}
	for i := range in.Items {
		it := &in.Items[i]
		speaker := ""
		if it.Speaker >= 0 {
			speaker = in.Speakers[it.Speaker]
		}
		items = append(items, rank.Item{
			Candidate: it.Candidate, Terms: it.Terms, Head: it.Head, Prev: it.Prev, Next: it.Next, Session: it.Session, Speaker: it.Speaker,
			Doubt: doubt(it), Voice: rank.VoiceOf(it.Role, speaker), Flags: rank.Flags(it.Flags), Vector: it.Candidate.HasVector,
		})
	}
	out.Terms, out.Items = terms, items
	prof := p.Embed.Space().Profile
	out.Spread = prof.Near - prof.Related
	if c, ok := embed.As[embed.Coverage](p.Embed); ok {
		out.Trust = float32(max(c.Known(s.q.Text), 0.01))
	}
	out.Alike = p.alike(in)
	s.cover = &cover{items: in.Items[:len(ans.Candidates)], terms: in.Terms, entries: in.Entries}
	return p.features.Rank(out)
}

// asked leaves out the codes that no entry has, nor any that is looked at: their words are there, too. The index goes on with the terms as it
// has them.
func asked(in *index.Scene) []index.Term {
	gone := func(t index.Term) bool {
		return t.Frequency == 0 && text.IsCode(t.Word) &&
			!slices.ContainsFunc(in.Items, func(it index.Item) bool { return slices.Contains(it.Terms, t.ID) })
	}
	if !slices.ContainsFunc(in.Terms, gone) {
		return in.Terms
	}
	return slices.DeleteFunc(slices.Clone(in.Terms), gone)
}

// sure is the confidence from which on a memory counts in full: what is drawn from plain statements is above it.
const sure = 0.6

// doubt is how far a memory is from sure, 0..1; documents and messages say themselves what they say.
func doubt(it *index.Item) float64 {
	if it.Candidate.Type != lukasa.EntryMemory || !(it.Confidence >= 0) {
		return 0
	}
	return max(0, 1-it.Confidence/sure)
}

// cover tells the idf share of the query's terms that a candidate has. It is worked out for those that are asked about. Words that only
// ask ([rank.Asking]) have no share, unless there is nothing else: who is asked what is known about Tom has it all with "Tom".
type cover struct {
	items   []index.Item // the candidates, in order of their ids
	terms   []index.Term
	entries int
	weight  map[uint32]float64 // of the terms; nil until something is asked
	total   float64
	more    map[lukasa.ID]float64 // what is known of candidates that another wording of the query has
}

// of returns the share of a candidate; 0 for what is none. A nil cover has none.
func (c *cover) of(entry lukasa.ID) float64 {
	if c == nil {
		return 0
	}
	if x, ok := c.more[entry]; ok {
		return x
	}
	at, ok := slices.BinarySearchFunc(c.items, entry, func(it index.Item, id lukasa.ID) int { return cmp.Compare(it.Candidate.Entry, id) })
	if !ok {
		return 0
	}
	return c.share(c.items[at].Terms)
}

// raise lets a candidate have at least a share.
func (c *cover) raise(entry lukasa.ID, share float64) {
	if c.more == nil {
		c.more = map[lukasa.ID]float64{}
	}
	c.more[entry] = max(c.of(entry), share)
}

func (c *cover) share(terms []uint32) float64 {
	if c.weight == nil {
		c.weight = make(map[uint32]float64, len(c.terms))
		only := !slices.ContainsFunc(c.terms, func(t index.Term) bool { return !rank.Asking(t.Word) })
		for _, t := range c.terms {
			if !only && rank.Asking(t.Word) {
				continue
			}
			idf := math.Log(1 + (float64(c.entries-t.Frequency)+0.5)/(float64(t.Frequency)+0.5))
			c.total += idf
			if t.ID != index.NoTerm {
				if c.weight[t.ID] = idf; t.Share > 0 {
					c.weight[t.ID] *= t.Share
				}
			}
		}
	}
	if c.total <= 0 {
		return 0
	}
	sum := 0.0
	var seen [32]uint32
	n := 0
	for _, t := range terms {
		w, ok := c.weight[t]
		if !ok || slices.Contains(seen[:n], t) {
			continue
		}
		if n < len(seen) {
			seen[n] = t
			n++
			sum += w
		}
	}
	return min(1, sum/c.total)
}

// alike compares words by meaning, where the embedder has a vector for each.
func (p *Path) alike(in *index.Scene) func(terms []uint32, near []float32) {
	l := p.lexicon
	if l == nil || in.Word == nil {
		return nil
	}
	query := new(wanted)
	for _, t := range in.Terms[:min(len(in.Terms), maxAsked)] {
		l.ask(query, t.Word)
	}
	return func(terms []uint32, near []float32) { l.like(query, in, terms, near) }
}
