package grammar

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Addressed reads the names at the start of a request, "Oskar, Lena: …", and returns what stands behind them.
func (x *Scene) Addressed(toks []lexis.Token) ([]string, []lexis.Token) {
	var names []string
	i, split := 0, false
	for i < len(toks) && len(names) < 6 {
		t := toks[i]
		asks := i == 0 && len(toks) > 3 && toks[2].Is("you") && lexis.Modals[toks[1].Low] && !lexis.Stops[t.Low] // "Col can you get two quotes"
		if !t.Upper || !lexis.GivenNames[t.Low] && x.Cast.Knows(t.Low) == "" && !asks {
			break
		}
		name := t.Of(x.S)
		if full := x.Cast.Knows(t.Low); full != "" {
			name = full
		}
		names, split = append(names, name), false
		for i++; i < len(toks) && (toks[i].Is(",") || toks[i].Is(":") || toks[i].Is("and") || toks[i].Is("&")); i++ {
			split = true
		}
	}
	if len(names) == 0 || i >= len(toks) || !split && !toks[i].Is("please") && !toks[i].Is("can") && !toks[i].Is("could") && !toks[i].Is("would") {
		return nil, toks
	}
	return names, toks[i:]
}

// Charged reads whom minutes give something to do, "Oke to show her round", and returns what that is.
func (x *Scene) Charged(toks []lexis.Token) ([]string, []lexis.Token) {
	if len(toks) < 4 || !toks[0].Upper || !toks[1].Is("to") || !IsAct(toks[2].Low) {
		return nil, toks
	}
	if name := x.Cast.Knows(toks[0].Low); name != "" {
		return []string{name}, toks[2:]
	} else if lexis.GivenNames[toks[0].Low] || !lexis.Common(toks[0].Low) && !lexis.Stops[toks[0].Low] && !lexis.Verbs[toks[0].Low].Known() && !toks[0].Shout {
		return []string{toks[0].Of(x.S)}, toks[2:]
	}
	return nil, toks
}

// IsAct reports whether a word is the base form of a verb for what somebody can be asked to do.
func IsAct(low string) bool { return lexis.IsBase(low) && !lexis.Idle[low] && !lexis.Stops[low] }

// Asking leads up to what somebody is asked to do: "To do for Ben: ", or "Ana asks Ben: " where the words speak of her.
func (x *Scene) Asking(name string, toks []lexis.Token) string {
	if Mentions(toks, "me", "my", "us", "our", "mine") {
		return x.Owner(x.Me) + " asks " + name + ": "
	}
	return "To do for " + name + ": "
}

// Mentioned makes the person whom a piece names, though not as its subject, the one whom "she" means next.
func (x *Scene) Mentioned(toks []lexis.Token) (anyone bool) {
	if x.Spoken {
		return false
	}
	for i := 0; i+1 < len(toks) && x.Self; i++ {
		if rel, _ := RelationAt(toks, i+1); toks[i].Is("my") && rel != "" && !IsPet(rel) &&
			!slices.Contains(PluralRelations, rel) {
			x.Person = Party{Kind: Someone, Rel: rel, Own: x.Me, Name: strings.TrimPrefix(x.Possessive(x.Me), "The ") + " " + rel}
			anyone, x.Named = true, true
		}
	}
	for _, n := range lexis.Names(x.S, toks) {
		name := lexis.PlainName(x.S, toks, n)
		if n.Type != lexis.EntityPerson && x.Cast.Knows(strings.ToLower(name)) == "" || strings.EqualFold(name, x.Me) {
			continue
		}
		x.Person = Party{Kind: Someone, Name: name, Own: name}
		x.Cast.Meet(name)
		anyone, x.Named = true, true
	}
	return anyone
}

// Passing notes what a sentence lets fall beside what it is about: "with my wife Elif", "with her two kids, Alva and Nils", a telephone number.
func (c *Clause) Passing() {
	x, toks := c.Scene, c.Toks
	if x.Introduce == nil {
		return
	}
	for i := 0; i+1 < len(toks); i++ {
		owner := ""
		switch toks[i].Low {
		case "my", "our":
			if x.Self {
				owner = x.Me
			}
		case "his", "her":
			if p := x.Person; p.Kind == Someone && Agrees(toks[i].Low, p) {
				owner = p.Name
			}
		case "'s":
			if i > 0 && toks[i-1].Upper && (lexis.GivenNames[toks[i-1].Low] || x.Cast.Knows(toks[i-1].Low) != "") && x.Self {
				owner = toks[i-1].Of(x.S) // "I'll bring Leah's brother Marcus"
			}
		}
		if owner == "" {
			continue
		}
		j := i + 1
		for j < len(toks) && (RelationAdjectives[toks[j].Low] || lexis.SmallNumber(toks[j].Low) > 0) {
			j++
		}
		if j >= len(toks) {
			return
		}
		if word := lexis.Singular(toks[j].Low); (word == "kid" || word == "son" || word == "daughter" || toks[j].Is("children")) &&
			j+1 < len(toks) && (toks[j+1].Is(",") || toks[j+1].Upper && word != toks[j].Low) {
			rel := word
			if rel == "kid" || toks[j].Is("children") {
				rel = "child"
			}
			for _, name := range c.NameList(toks[j+1:]) {
				x.Introduce(owner, rel, name)
				x.Cast.Meet(name)
			}
			continue
		}
		rel, n := RelationAt(toks, j)
		if rel == "" || j+n >= len(toks) || slices.Contains(PluralRelations, rel) || Former[toks[i+1].Low] {
			continue
		}
		if k := j + n + 2; toks[j+n].Is(",") && k < len(toks) && toks[k-1].Upper && (toks[k].Is(",") || lexis.Titles[toks[k-1].Low]) &&
			!(women[rel] && lexis.Males[toks[k-1].Low]) && !(men[rel] && lexis.Females[toks[k-1].Low]) {
			n++ // "my neurologist, Dr Haddad, …"
		}
		if found := lexis.Names(x.S, toks[j+n:min(len(toks), j+n+5)]); len(found) > 0 && found[0].From == 0 && found[0].To < 4 && toks[j+n].Upper {
			name := lexis.PlainName(x.S, toks[j+n:], found[0])
			x.Introduce(owner, rel, name)
			x.Cast.Meet(name)
		}
	}
}
