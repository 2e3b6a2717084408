package grammar

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Place reads the place behind one of the Prepositions; a name behind a later "in" is better than a common noun before it ("a small flat in Lyon").
func (c *Clause) Place(toks []lexis.Token, preps ...string) string {
	best := ""
	for i, t := range toks {
		if t.Kind == lexis.Punct && best != "" || t.Is("because") || t.Is("but") || t.Is("with") && i == 0 || t.Is("for") && i == 0 {
			break
		}
		hit := false
		for _, p := range preps {
			hit = hit || t.Is(p)
		}
		if best != "" {
			hit = hit || t.Is("in") || t.Is("near")
		}
		if !hit || i+1 >= len(toks) || c.Dated(toks[i+1]) {
			continue
		}
		np, end := c.Phrase(toks, i+1, PlaceStops)
		for len(np) > 1 && lexis.Adverbs[np[len(np)-1].Low] {
			np = np[:len(np)-1] // "from Peru originally"
		}
		np = Bare(np)
		if len(np) == 0 {
			continue
		}
		if best == "" && lexis.Products[np[0].Low] && !lexis.PlaceNames[np[0].Low] {
			return ""
		}
		if best == "" && !np[0].Upper && slices.ContainsFunc(np, func(t lexis.Token) bool { return NoPlaces[t.Low] }) ||
			np[0].Kind == lexis.Number && best == "" && len(np) < 2 || SubjectPronouns[np[0].Low] {
			return ""
		}
		if np[0].Upper {
			cut := np
			for k := 1; k < len(np); k++ {
				if np[k].Is("in") || np[k].Is("near") {
					cut = np[:k]
					break
				}
			}
			return c.Bytes(cut)
		}
		if end < len(toks) && behindNoun(toks, end) {
			continue // "in a house built in 1902" names no place
		}
		if best == "" {
			if c.Verb.Lemma == "move" || c.Verb.Lemma == "relocate" {
				if !lexis.PlaceNames[np[0].Low] {
					return ""
				}
			}
			best = c.Bytes(np)
			if strings.Contains(best, " near ") {
				return best
			}
		}
	}
	return best
}

// Employer reads an employer from token i.
func (c *Clause) Employer(toks []lexis.Token, i int) string {
	np, _ := c.Phrase(toks, i, OrgStops)
	article := len(np) > 0 && Articles[np[0].Low]
	np = Bare(np)
	if len(np) == 0 || NoOrgs[np[0].Low] || np[0].Kind == lexis.Number || len(np) > 7 || SubjectPronouns[np[0].Low] {
		return ""
	}
	if notWork[np[len(np)-1].Low] && !np[len(np)-1].Upper || !np[0].Upper && !article || (c.Verb.Lemma == "join" || c.Verb.Lemma == "leave") && !np[0].Upper {
		return ""
	}
	return c.Bytes(np)
}

// ProperPlace reports whether a place has a name.
func ProperPlace(p string) bool {
	if first, _, _ := strings.Cut(strings.ToLower(p), "-"); lexis.IsDateWord(first) || shortDays[first] {
		return false // "I'm only in Tue-Fri"
	}
	return p != "" && (p[0] >= 'A' && p[0] <= 'Z' || p[0] >= 0x80 || lexis.PlaceNames[strings.ToLower(p)])
}

var shortDays = lexis.Words("mon tue tues wed weds thu thur thurs fri sat sun")

// notWork are what one works at without being employed there.
var notWork = lexis.Words("table desk sofa portal site project thing club")
