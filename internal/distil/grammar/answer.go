package grammar

import (
	"slices"
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Answer is what a noun phrase says that answers a question.
type Answer struct {
	Kind                  lukasa.MemoryKind
	Predicate, Value, Tag string
	Confidence            float64
	We                    bool // it says so of the speaker's company
}

// Answers completes an answer that is no sentence by the question that it answers, in small letters: "where do you live now?" "Lyon".
func Answers(q string, np []lexis.Token, value string) (Answer, bool) {
	words := strings.FieldsFunc(q, func(r rune) bool { return !unicode.IsLetter(r) })
	has := func(w ...string) bool {
		return slices.ContainsFunc(words, func(s string) bool { return slices.Contains(w, s) })
	}
	mine := has("you", "your")
	proper := np[0].Upper || lexis.PlaceNames[np[0].Low]
	a := Answer{Kind: lukasa.KindFact, Value: value, Confidence: 0.8}
	switch {
	case has("where", "city", "town") && has("live", "living", "based", "moved", "residing") && proper && mine:
		a.Predicate, a.Tag = "lives_in", "residence"
	case has("where", "city", "town") && has("live", "living", "based", "moved", "residing") && proper && has("company", "office", "headquarters", "team"):
		a.Predicate, a.Tag, a.Confidence, a.We = "located_in", "residence", 0.7, true
	case has("where") && has("work", "working") && mine && np[0].Upper:
		a.Predicate, a.Tag = "works_at", "work"
	case has("where") && has("study", "studying") && mine && np[0].Upper:
		a.Predicate, a.Tag = "studies_at", "education"
	case has("where") && has("from") && mine && proper:
		a.Predicate, a.Tag = "from", "origin"
	case has("name", "called") && has("your") && np[0].Upper && !has("manager", "boss", "sister", "brother", "dog", "cat"):
		a.Predicate, a.Tag = "name", "identity"
	case has("old") && has("how") && mine && !has("were", "when", "was") && AgeOf(np[0].Low) != "":
		a.Predicate, a.Value, a.Tag = "age", AgeOf(np[0].Low), "identity"
	case has("favourite", "favorite") && has("what", "which", "who") && len(words) < 12:
		for i, w := range words {
			if (w == "favourite" || w == "favorite") && i+1 < len(words) {
				a.Kind, a.Predicate, a.Tag = lukasa.KindPreference, "favourite_"+Slug(words[i+1]), "preference"
				return a, true
			}
		}
		return a, false
	default:
		return a, false
	}
	return a, true
}

// FullName is the speaker's full name where it is all that the clause says.
func (c *Clause) FullName() string {
	first, _, _ := strings.Cut(strings.ToLower(c.Me), " ")
	if toks := c.Toks; len(toks) == 2 && c.Me != "user" && toks[0].Is(first) && toks[0].Upper && toks[1].Upper && !toks[1].Shout &&
		!lexis.Stops[toks[1].Low] {
		return c.Bytes(toks)
	}
	return ""
}
