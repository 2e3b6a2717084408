package recall

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// sceneText is how many candidates a side the ranker lukasa looks at; more bring nothing (docs/design/ranking.md).
const sceneText = 100

// weigh has the models of the ranker lukasa weigh the candidates of a scene.
func (p *Path) weigh(s *search, ans index.Answer) []rank.Scored {
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
		Query: rank.Analyze(s.q.Text), Entries: in.Entries, Length: in.Length, Candidates: len(ans.Candidates), Speakers: in.Speakers, Dot: in.Dot,
	}
	for _, t := range in.Terms {
		terms = append(terms, rank.Term{ID: t.ID, Frequency: t.Frequency, Share: t.Share, Code: text.IsCode(t.Word) || text.IsWhole(t.Word), Asking: rank.Asking(t.Word)})
	}
	for i := range in.Items {
		it := &in.Items[i]
		speaker := ""
		if it.Speaker >= 0 {
			speaker = in.Speakers[it.Speaker]
		}
		items = append(items, rank.Item{
			Candidate: it.Candidate, Terms: it.Terms, Head: it.Head, Prev: it.Prev, Next: it.Next, Speaker: it.Speaker,
			Derived: it.Candidate.Type == lukasa.EntryMemory && it.Confidence < 1,
			Doubt:   doubt(it), Voice: rank.VoiceOf(it.Role, speaker), Vector: it.Candidate.HasVector,
		})
	}
	out.Terms, out.Items = terms, items
	return rank.ByModels(out, &p.models)
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
