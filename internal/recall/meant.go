package recall

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/rank"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// The bounds of resolving whom a query means.
const (
	meantRoles      = 2  // roles of a query
	meantNames      = 3  // people of one role
	meantCandidates = 20 // memories that are read for a role
	meantDamp       = 1.0
)

// role is a person that a query names by what they are to the asker.
type role struct {
	words string // as the query has them: our daughter
	word  string // daughter, mum
	means string // the relation, as memories have it: mother
	one   bool   // it is told to be one person: the landlord
	end   int    // where the words end in the query
}

// meant returns the query with the names of those whom it names by a role only ("our daughter"), where memories in the places that are searched
// tell who that is, to be searched for beside the query. What it found stands in the result.
func (p *Path) meant(ctx context.Context, s *search) []phrased {
	if s.q.Ranker != rank.Lukasa || len(s.q.Text) > partsQuery {
		return nil
	}
	list := roles(s.q.Text)
	if len(list) == 0 || asksWho(s.q.Text, list) {
		return nil
	}
	at := p.Now()
	defer func() { s.lap("meant", at, p.Now) }()
	said := s.q.Text
	for _, r := range slices.Backward(list) { // from the end, so that the places before stay
		found, err := p.whoIs(ctx, s, r)
		if err != nil {
			p.Log.WarnContext(ctx, "resolve who is meant", "err", err)
			s.degrade("who is meant was not looked up")
			return nil
		}
		var names []string
		for _, m := range found {
			if !strings.Contains(strings.ToLower(s.q.Text), strings.ToLower(m.Name)) {
				names = append(names, m.Name)
			}
		}
		if len(names) == 0 {
			continue
		}
		said = said[:r.end] + " " + strings.Join(names, ", ") + said[r.end:]
		s.result.Meant = append(found, s.result.Meant...)
	}
	if said == s.q.Text {
		return nil
	}
	return p.embedded(ctx, s, []string{said}, meantDamp)
}

// asksWho reports whether a query asks who has the role, and nothing else: then what tells that is the answer.
func asksWho(query string, list []role) bool {
	for _, r := range slices.Backward(list) {
		query = query[:r.end-len(r.words)] + query[r.end:]
	}
	words := strings.Fields(strings.ToLower(query))
	words = slices.DeleteFunc(words, func(w string) bool { return namings[strings.Trim(w, "?.!,:'’")] })
	return text.Chatter(strings.Join(words, " "))
}

// introShare is what the score of a hit counts that tells who is meant, and nothing else.
const introShare = 0.3

// putIntrosBack puts the hits that tell no more than who is meant behind those that answer: that is known already, and no answer. Limit is how
// many hits stay.
func (s *search) putIntrosBack(limit int) {
	if len(s.result.Meant) > 0 && s.probable() {
		for i := range s.result.Hits {
			if h := &s.result.Hits[i]; slices.ContainsFunc(s.result.Meant, func(m lukasa.Meant) bool { return introduces(h.Content, m.Name) }) {
				h.Score *= introShare
			}
		}
		sortByScore(s.result.Hits)
	}
	s.result.Hits = s.result.Hits[:min(limit, len(s.result.Hits))]
}

// introduces reports whether a text says what somebody is to the writer, and nothing else: "Lena is our daughter."
func introduces(content, name string) bool {
	before, after, ok := strings.Cut(content, name)
	rest := before + " " + after
	related := false
	words := slices.DeleteFunc(strings.Fields(strings.ToLower(rest)), func(w string) bool {
		w = strings.TrimSuffix(strings.Trim(w, ".,!:;'’"), "'s")
		relation := lexis.Relations[w] != ""
		related = related || relation
		return relation || namings[w] || w == "user"
	})
	return ok && related && text.Chatter(strings.Join(words, " "))
}

// namings are the words that only lead to a name.
var namings = lexis.Words("name names named called call who's s")

// roles finds the words of a query that name somebody by a role: my wife, our older daughter, the landlord.
func roles(query string) []role {
	var out []role
	toks := lexis.Lex(nil, query, 0, len(query))
	for i, t := range toks {
		if t.Low != "my" && t.Low != "our" && t.Low != "the" {
			continue
		}
		for j := i + 1; j < min(i+3, len(toks)); j++ { // an adjective may stand between
			word := strings.TrimSuffix(strings.ReplaceAll(toks[j].Low, "’", "'"), "'s")
			means := lexis.Relations[word]
			if means == "" {
				continue
			}
			end := toks[j].Start + len(word)
			out = append(out, role{words: query[t.Start:end], word: word, means: means, one: t.Low == "the" || grammar.OneOnly[means], end: end})
			break
		}
		if len(out) == meantRoles {
			break
		}
	}
	return out
}

// whoIs looks up who has a role, in memories of the places that are searched: the newest first. None where it is not clear.
func (p *Path) whoIs(ctx context.Context, s *search, r role) ([]lukasa.Meant, error) {
	ans, err := p.Index.Search(ctx, index.Request{
		Owner: s.sc.Owner, Nodes: s.nodes, Text: r.word + " " + r.means, Types: []lukasa.EntryType{lukasa.EntryMemory}, K: meantCandidates, Then: s.then, Seen: s.seen,
	})
	if err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	ids := make([]lukasa.ID, len(ans.Candidates))
	for i, c := range ans.Candidates {
		ids[i] = c.Entry
	}
	var told []telling
	err = p.view(ctx, s, func(rd store.Reader) error {
		told = nil
		memories, err := rd.MemoriesByID(ids)
		if err != nil {
			return err
		}
		said := map[lukasa.ID]string{}
		for _, m := range memories {
			if !m.IsLatest || m.State != "" || m.Confidence < 0.5 || s.q.ValidAt != nil && !store.TrueAt(&m, *s.q.ValidAt) {
				continue
			}
			told = append(told, tellings(m, r.means)...)
			for _, src := range m.Sources {
				said[src.Message] = ""
			}
		}
		delete(said, "")
		messages, err := rd.MessagesByID(slices.Collect(maps.Keys(said)))
		for _, m := range messages {
			said[m.ID] = m.Speaker
		}
		told = slices.DeleteFunc(told, func(t telling) bool { return !t.bySelf(said) })
		return err
	})
	return settle(told, r), err
}

// telling is what a memory tells of who has a role.
type telling struct {
	memory  lukasa.Memory
	subject string // whose they are
	name    string
}

// tellings reads a memory: what was drawn from a text tells its relation, what was given by hand is read by the rules.
func tellings(m lukasa.Memory, means string) (out []telling) {
	add := func(predicate, subject, name string, ended bool) {
		first, _ := utf8.DecodeRuneInString(name)
		if predicate == "has_pet" {
			predicate = "pet"
		}
		if predicate == means && !ended && unicode.IsUpper(first) {
			out = append(out, telling{m, subject, name})
		}
	}
	predicate, _ := m.Metadata[merge.KeyPredicate].(string)
	ended, _ := m.Metadata[merge.KeyEnded].(bool)
	if predicate != "" || m.Extractor != "" {
		add(predicate, m.Subject, m.Value, ended)
		return out
	}
	said := strings.NewReplacer("The user's ", "My ", "the user's ", "my ", "User's ", "My ").Replace(m.Content)
	for _, st := range rules.Extract(rules.Input{Text: said, Role: "user", At: m.RecordedAt, Origin: lukasa.OriginUser}) {
		if st.Confidence >= 0.5 && !st.Quarantined {
			add(st.Predicate, st.Subject, st.Value, st.Ended)
		}
	}
	return out
}

// bySelf reports whether somebody told it of themselves: "my daughter" of another is not the asker's.
func (t telling) bySelf(said map[lukasa.ID]string) bool {
	return strings.EqualFold(t.subject, "user") || slices.ContainsFunc(t.memory.Sources, func(src lukasa.Source) bool {
		speaker, ok := said[src.Message]
		return ok && speaker != "" && strings.EqualFold(speaker, t.subject)
	})
}

// settle picks the names. Where several people told of themselves, and none is the user without a name, nobody knows who asks.
func settle(told []telling, r role) []lukasa.Meant {
	if slices.ContainsFunc(told, func(t telling) bool { return strings.EqualFold(t.subject, "user") }) {
		told = slices.DeleteFunc(told, func(t telling) bool { return !strings.EqualFold(t.subject, "user") })
	}
	slices.SortStableFunc(told, func(a, b telling) int { return store.HeldFrom(&b.memory).Compare(store.HeldFrom(&a.memory)) })
	var out []lukasa.Meant
	for _, t := range told {
		if !strings.EqualFold(t.subject, told[0].subject) {
			return nil
		}
		if !slices.ContainsFunc(out, func(m lukasa.Meant) bool { return strings.EqualFold(m.Name, t.name) }) {
			out = append(out, lukasa.Meant{Words: r.words, Name: t.name, Memory: t.memory.ID})
		}
	}
	if r.one {
		return out[:min(1, len(out))]
	}
	return out[:min(meantNames, len(out))]
}
