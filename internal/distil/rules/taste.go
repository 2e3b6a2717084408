package rules

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// taste: likes and dislikes, preferences, favourites, what someone avoids.
func (c *clause) taste() bool {
	g := c.Verb
	if g.Modal != "" {
		return c.modalTaste()
	}
	if g.Future && g.Negated && c.Subj.Kind == grammar.Someone && (g.Lemma == "eat" || g.Lemma == "touch" || g.Lemma == "drink") {
		np, _ := c.Phrase(c.Rest, 0, lexis.Words("anyway either"))
		if v := c.Liking(np); v != "" && len(np) < 4 {
			c.Verb.Negated, c.Verb.Future = false, false
			c.fact(lukasa.KindPreference, "dislikes", v, 0.75, false, "preference")
		}
		return true
	}
	if g.Future || g.Must {
		return false
	}
	pred := ""
	switch g.Lemma {
	case "like", "love", "enjoy", "adore":
		pred = "likes"
	case "dislike", "hate", "detest", "loathe":
		pred = "dislikes"
	case "miss":
		np, _ := c.Phrase(c.Rest, 0, lexis.Words("sometimes but though"))
		if v := c.Liking(np); v != "" && g.Current() && !g.Negated && !g.Progressive {
			c.fact(lukasa.KindPreference, "misses", v, 0.7, false, "preference")
		}
		return true
	case "prefer":
		return c.prefers(c.Rest)
	case "want":
		return c.wants()
	default:
		return c.avoids()
	}
	if g.Past && !g.Negated && !g.UsedTo || g.Perfect && g.Past {
		return false
	}
	np, _ := c.Phrase(c.Rest, 0, grammar.ObjStops)
	values := c.Likings(np)
	if len(values) == 0 {
		return true
	}
	if g.Negated || g.Never || g.Ended {
		if pred == "dislikes" && !g.Ended && !c.Anymore() {
			return true
		}
		if g.Ended || c.Anymore() {
			pred = map[string]string{"likes": "dislikes", "dislikes": "likes"}[pred]
			c.Verb.Ended, c.Verb.Negated = false, false
		} else {
			pred = "dislikes"
		}
	}
	conf := 0.85
	if g.Past {
		return true
	}
	for _, v := range values {
		c.fact(lukasa.KindPreference, pred, v, conf, false, "preference")
	}
	return true
}

// modalTaste: "can't stand mushrooms", "can't eat gluten", "I'd rather work in the morning than at night".
func (c *clause) modalTaste() bool {
	g := c.Verb
	if (g.Modal == "can" || g.Modal == "could") && g.Negated {
		np, _ := c.Phrase(c.Rest, 0, grammar.ObjStops)
		v := c.Liking(np)
		switch {
		case v == "" || g.Past:
		case g.Lemma == "bear" || g.Lemma == "stand":
			c.Verb.Negated = false // "can't stand it any more" has not ended
			c.fact(lukasa.KindPreference, "dislikes", v, 0.85, false, "preference")
		case g.Lemma == "eat" || g.Lemma == "drink":
			c.fact(lukasa.KindPreference, "avoids", v, 0.85, false, "diet")
		}
	}
	return false
}

// prefers: "prefer tea over coffee".
func (c *clause) prefers(rest []lexis.Token) bool {
	g := c.Verb
	if g.Past || g.Negated {
		return true
	}
	end := len(rest)
	for i, t := range rest {
		if t.Is("over") || t.Is("than") || t.Is("rather") || t.Is("instead") || t.Is("to") && i > 0 && !lexis.IsBase(grammar.Next(rest, i)) {
			end = i
			break
		}
	}
	i := 0
	if grammar.Starts(rest, "to") {
		i = 1
	}
	np, _ := c.Phrase(rest[:end], i, grammar.ObjStops)
	if len(np) > 1 && np[0].Is("the") && !np[1].Upper && !grammar.CommonLikes[np[1].Low] {
		return true // "the second version": one of those at hand
	}
	np = grammar.Bare(np)
	if n := len(np); n > 0 && i+n+1 < end && rest[i+n].Is("until") && np[0].Is(rest[i].Low) {
		np = rest[i:end] // "wait until summer"
	}
	if len(np) > 0 && !grammar.EmptyObjects[np[0].Low] {
		c.Dates = nil
		c.fact(lukasa.KindPreference, "prefers", c.Bytes(np), 0.85, false, "preference")
	}
	return true
}

// avoids: "never drink alcohol", "don't eat meat", "stopped smoking".
func (c *clause) avoids() bool {
	g := c.Verb
	switch {
	case (g.Never || g.Negated) && g.Current() && !g.Perfect && !g.Progressive && (g.Lemma == "eat" || g.Lemma == "drink" || g.Lemma == "smoke") &&
		!(len(c.Rest) > 0 && (grammar.Prepositions[c.Rest[0].Low] || c.Rest[0].Is("before"))):
		np, _ := c.Phrase(c.Rest, 0, grammar.ObjStops)
		v := c.Liking(np)
		if g.Lemma == "smoke" && len(c.Rest) == 0 {
			v = "smoking"
		}
		if g.Lemma == "drink" && len(c.Rest) == 0 {
			return false
		}
		if v != "" {
			c.Verb.Negated, c.Verb.Never = false, false
			n := len(c.x.out)
			c.fact(lukasa.KindPreference, "avoids", v, 0.85, false, "preference")
			if len(c.x.out) > n && g.Lemma != "smoke" {
				st := &c.x.out[n]
				st.Content = strings.Replace(st.Content, " avoids ", " does not "+g.Lemma+" ", 1)
			}
		}
		return true
	case (g.Lemma == "stop" || g.Lemma == "quit") && g.Told() && !g.Negated && len(c.Rest) > 0 && grammar.LastingStops[c.Rest[0].Low]:
		np, _ := c.Phrase(c.Rest, 0, grammar.ObjStops)
		c.fact(lukasa.KindFact, "stopped", c.Bytes(np), 0.8, true, "habit")
		return true
	}
	return false
}

// wants: what somebody else wants, and what the speaker does not.
func (c *clause) wants() bool {
	g := c.Verb
	no := g.Negated || g.Never
	if c.Subj.Kind == grammar.Speaker && !c.Subj.We && !g.Past && g.Modal == "" && len(c.Rest) > 3 && c.Rest[0].Is("you") && c.Rest[1].Is("to") &&
		(no || c.Rest[2].Is("always") || c.Rest[2].Is("never")) {
		order := c.Bytes(c.Rest[2:])
		if no {
			order = "never " + order
		}
		c.Verb.Negated, c.Verb.Never = false, false
		c.fact(lukasa.KindPreference, "rule", order, 0.75, false, "rule")
		return true
	}
	if g.Past || g.Perfect || g.Progressive || c.Subj.Kind == grammar.Speaker && !no || len(c.Rest) == 0 || grammar.EmptyObjects[c.Rest[0].Low] &&
		len(c.Rest) < 3 || grammar.Mentions(c.Rest, "you", "it", "this", "that", "talk") || grammar.Mentions(c.Rest[:1], "her", "him", "them") {
		return false
	}
	if !no && len(c.Rest) > 1 && c.Rest[0].Is("to") && grammar.Wishes[c.Rest[1].Low] {
		return false
	}
	pred := "wants"
	if no {
		pred = "does_not_want"
		c.Verb.Negated, c.Verb.Never = false, false
	}
	np, end := c.Phrase(c.Rest, 0, lexis.Words("because since"))
	if end == len(c.Rest)-1 && c.Rest[end].Is("now") {
		np = c.Rest
	}
	if len(np) == 0 || len(np) > 10 {
		return false
	}
	c.fact(lukasa.KindPreference, pred, c.Bytes(np), 0.7, false, "preference")
	return true
}

// habit: "always take the train to work", "usually get up at six".
func (c *clause) habit() bool {
	g := c.Verb
	if !g.Always && !c.Every() || !g.Current() || g.Perfect || g.Negated || c.Subj.Kind != grammar.Speaker && c.Subj.Kind != grammar.Someone ||
		g.At < 0 || g.Lemma == "be" || g.Lemma == "have" && len(c.Rest) < 2 {
		return false
	}
	if !grammar.HabitVerbs[g.Lemma] || len(c.Rest) < 1 {
		return true
	}
	np, _ := c.Phrase(append([]lexis.Token{c.Toks[g.At]}, c.Rest...), 0, map[string]bool{})
	if c.Every() {
		np = c.Toks[g.At:]
	}
	if len(np) > 1 && len(np) < 14 && !grammar.Mentions(np, "you", "it", "this", "there") {
		v := c.Bytes(np)
		if c.Subj.Kind == grammar.Someone {
			v = g.Lemma + strings.TrimPrefix(v, c.Toks[g.At].Of(c.x.S))
		}
		st := Statement{
			Kind: lukasa.KindPreference, Subject: c.Who(), Predicate: "habit", Value: v, Confidence: 0.75,
			Tags: []string{"habit"}, Content: c.Retell(),
		}
		c.evidence(&st)
		c.x.add(st)
	}
	return true
}
