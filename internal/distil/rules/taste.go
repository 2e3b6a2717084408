package rules

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// emptyObjects begin objects of "like" and "love" that say nothing lasting.
var emptyObjects = lexis.Words("you it this that these those how what when where why who him her them me us your yours his their its if to one ones everything anything something nothing so here there everyone all myself being more")

// commonLikes are things that take "the" though they are no one thing.
var commonLikes = lexis.Words(`sea ocean mountains beach rain snow sun outdoors cold heat city countryside forest theatre theater opera cinema piano guitar violin summer winter spring autumn
	night desert woods gym sound smell taste colour color beatles quiet ballet circus internet cello drums`)

// tails close a liking without belonging to its object.
var tails = map[string]bool{"at all": true, "so much": true, "a lot": true, "very much": true, "the most": true, "the best": true, "a bit": true, "that much": true}

// liking reads the object of a liking; "" when it is none worth keeping.
func (c *clause) liking(np []lexis.Token) string {
	for len(np) > 0 && (np[0].Is("all") || np[0].Is("very") || np[0].Is("some")) && len(np) > 1 {
		np = np[1:]
	}
	for len(np) > 2 && tails[np[len(np)-2].Low+" "+np[len(np)-1].Low] {
		np = np[:len(np)-2]
	}
	if len(np) == 0 || len(np) > 9 || emptyObjects[np[0].Low] && !(np[0].Is("to") && len(np) > 2 && !np[0].Upper && habits[np[1].Low]) {
		return ""
	}
	if np[0].Is("the") && !np[min(1, len(np)-1)].Upper && !(len(np) >= 2 && commonLikes[np[1].Low]) {
		return ""
	}
	if np[0].Is("a") || np[0].Is("an") || np[0].Is("my") || np[0].Is("our") {
		if np[0].Is("my") || np[0].Is("our") {
			return ""
		}
		np = np[1:]
	}
	for _, t := range np {
		if t.Is("you") || t.Is("your") || t.Is("this") || t.Is("that") {
			return ""
		}
	}
	if len(np) == 1 && (lexis.Plain[np[0].Low] || lexis.Stops[np[0].Low]) && !np[0].Upper {
		return ""
	}
	return c.bytes(np)
}

// habits are verbs that "like to" keeps.
var habits = lexis.Words("cook bake read write travel hike run swim dance sing paint play watch listen walk cycle ski climb sail garden knit sleep eat drink draw camp fish surf")

// taste: likes and dislikes, preferences, favourites, what someone avoids.
func (c *clause) taste() bool {
	g := c.verb
	if g.Modal != "" {
		return c.modalTaste()
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
	case "prefer":
		return c.prefers(c.rest)
	default:
		return c.avoids()
	}
	if g.Past && !g.Negated && !g.UsedTo || g.Perfect && g.Past {
		return false
	}
	np, _ := c.phrase(c.rest, 0, objStops)
	values := c.likings(np)
	if len(values) == 0 {
		return true
	}
	if g.Negated || g.Never || g.Ended {
		if pred == "dislikes" && !g.Ended && !c.anymore() {
			return true
		}
		if g.Ended || c.anymore() {
			pred = opposite(pred)
			c.verb.Ended, c.verb.Negated = false, false
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

func opposite(pred string) string {
	if pred == "likes" {
		return "dislikes"
	}
	return "likes"
}

// likings splits a short list of likes; anything longer stays one.
func (c *clause) likings(np []lexis.Token) []string {
	commas := 0
	for _, t := range c.rest {
		if t.Is(",") {
			commas++
		}
	}
	if commas > 0 {
		if items := c.list(c.rest); len(items) > 2 {
			var out []string
			for _, it := range items {
				low := strings.ToLower(it)
				if !emptyObjects[strings.Fields(low)[0]] && !lexis.Stops[low] {
					out = append(out, it)
				}
			}
			if len(out) == len(items) {
				return out
			}
		}
	}
	if v := c.liking(np); v != "" {
		return []string{v}
	}
	return nil
}

// modalTaste: "can't stand mushrooms", "can't eat gluten", "I'd rather work in the morning than at night".
func (c *clause) modalTaste() bool {
	g := c.verb
	if (g.Modal == "can" || g.Modal == "could") && g.Negated {
		np, _ := c.phrase(c.rest, 0, objStops)
		v := c.liking(np)
		switch {
		case v == "" || g.Past:
		case g.Lemma == "bear" || g.Lemma == "stand":
			c.fact(lukasa.KindPreference, "dislikes", v, 0.85, false, "preference")
		case g.Lemma == "eat" || g.Lemma == "drink":
			c.fact(lukasa.KindPreference, "avoids", v, 0.85, false, "diet")
		}
	}
	return false
}

// prefers: "prefer tea over coffee".
func (c *clause) prefers(rest []lexis.Token) bool {
	g := c.verb
	if g.Past || g.Negated {
		return true
	}
	end := len(rest)
	for i, t := range rest {
		if t.Is("over") || t.Is("than") || t.Is("rather") || t.Is("instead") || t.Is("to") && i > 0 && !lexis.IsBase(next(rest, i)) {
			end = i
			break
		}
	}
	i := 0
	if starts(rest, "to") {
		i = 1
	}
	np, _ := c.phrase(rest[:end], i, objStops)
	if len(np) > 1 && np[0].Is("the") && !np[1].Upper && !commonLikes[np[1].Low] {
		return true // "the second version": one of those at hand
	}
	np = bare(np)
	if len(np) > 0 && !emptyObjects[np[0].Low] {
		c.fact(lukasa.KindPreference, "prefers", c.bytes(np), 0.85, false, "preference")
	}
	return true
}

func next(toks []lexis.Token, i int) string {
	if i+1 < len(toks) {
		return toks[i+1].Low
	}
	return ""
}

// avoids: "never drink alcohol", "don't eat meat", "stopped smoking".
func (c *clause) avoids() bool {
	g := c.verb
	switch {
	case (g.Never || g.Negated) && g.Current() && !g.Perfect && !g.Progressive && (g.Lemma == "eat" || g.Lemma == "drink" || g.Lemma == "smoke"):
		np, _ := c.phrase(c.rest, 0, objStops)
		v := c.liking(np)
		if g.Lemma == "smoke" && len(c.rest) == 0 {
			v = "smoking"
		}
		if v != "" {
			c.verb.Negated, c.verb.Never = false, false
			c.fact(lukasa.KindPreference, "avoids", v, 0.85, false, "preference")
		}
		return true
	case (g.Lemma == "stop" || g.Lemma == "quit") && g.Told() && !g.Negated && len(c.rest) > 0 && lastingStops[c.rest[0].Low]:
		np, _ := c.phrase(c.rest, 0, objStops)
		c.fact(lukasa.KindFact, "stopped", c.bytes(np), 0.8, true, "habit")
		return true
	}
	return false
}

var lastingStops = lexis.Words("smoking drinking eating playing vaping gambling drinking working running")

// habit: "always take the train to work", "usually get up at six".
func (c *clause) habit() bool {
	g := c.verb
	if !g.Always && !c.every() || !g.Current() || g.Perfect || g.Negated || c.subj.kind != speaker && c.subj.kind != someone || g.At < 0 || g.Lemma == "be" || g.Lemma == "have" && len(c.rest) < 2 {
		return false
	}
	if !habitVerbs[g.Lemma] || len(c.rest) < 1 {
		return true
	}
	np, _ := c.phrase(append([]lexis.Token{c.toks[g.At]}, c.rest...), 0, map[string]bool{})
	if c.every() {
		np = c.toks[g.At:]
	}
	if len(np) > 1 && len(np) < 14 && !mentions(np, "you", "it", "this", "there") {
		v := c.bytes(np)
		if c.subj.kind == someone {
			v = g.Lemma + strings.TrimPrefix(v, c.toks[g.At].Of(c.x.s))
		}
		st := Statement{Kind: lukasa.KindPreference, Subject: c.who(), Predicate: "habit", Value: v, Confidence: 0.75, Tags: []string{"habit"}, Content: c.retell()}
		c.evidence(&st)
		c.x.add(st)
	}
	return true
}

// every reports "every Wednesday", "each morning".
func (c *clause) every() bool {
	for i, t := range c.rest {
		if (t.Is("every") || t.Is("each")) && i > 0 && i+1 < len(c.rest) {
			_, day := lexis.Weekdays[c.rest[i+1].Low]
			if day || lexis.TimeUnits[c.rest[i+1].Low] || lexis.DayParts[c.rest[i+1].Low] || lexis.Seasons[c.rest[i+1].Low] != 0 || c.rest[i+1].Is("weekend") {
				return true
			}
		}
	}
	return false
}

var habitVerbs = lexis.Words("carry do attend practise practice play teach call meet take drink eat wake get go run walk start read have cook sleep wear use travel listen exercise train ride commute watch buy write play swim cycle shop visit do")
