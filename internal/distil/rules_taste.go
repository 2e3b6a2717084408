package distil

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// emptyObjects begin objects of "like" and "love" that say nothing lasting.
var emptyObjects = wordSet("you it this that these those how what when where why who him her them me us your yours his their its if to one ones everything anything something nothing so here there everyone all myself being more")

// commonLikes are things that take "the" though they are no one thing.
var commonLikes = wordSet(`sea ocean mountains beach rain snow sun outdoors cold heat city countryside forest theatre theater opera cinema piano guitar violin summer winter spring autumn
	night desert woods gym sound smell taste colour color beatles quiet ballet circus internet cello drums`)

// tails close a liking without belonging to its object.
var tails = map[string]bool{"at all": true, "so much": true, "a lot": true, "very much": true, "the most": true, "the best": true, "a bit": true, "that much": true}

// liking reads the object of a liking; "" when it is none worth keeping.
func (c *clause) liking(np []token) string {
	for len(np) > 0 && (np[0].is("all") || np[0].is("very") || np[0].is("some")) && len(np) > 1 {
		np = np[1:]
	}
	for len(np) > 2 && tails[np[len(np)-2].low+" "+np[len(np)-1].low] {
		np = np[:len(np)-2]
	}
	if len(np) == 0 || len(np) > 9 || emptyObjects[np[0].low] && !(np[0].is("to") && len(np) > 2 && !np[0].upper && habits[np[1].low]) {
		return ""
	}
	if np[0].is("the") && !np[min(1, len(np)-1)].upper && !(len(np) >= 2 && commonLikes[np[1].low]) {
		return ""
	}
	if np[0].is("a") || np[0].is("an") || np[0].is("my") || np[0].is("our") {
		if np[0].is("my") || np[0].is("our") {
			return ""
		}
		np = np[1:]
	}
	for _, t := range np {
		if t.is("you") || t.is("your") || t.is("this") || t.is("that") {
			return ""
		}
	}
	if len(np) == 1 && (plain[np[0].low] || stops[np[0].low]) && !np[0].upper {
		return ""
	}
	return c.bytes(np)
}

// habits are verbs that "like to" keeps.
var habits = wordSet("cook bake read write travel hike run swim dance sing paint play watch listen walk cycle ski climb sail garden knit sleep eat drink draw camp fish surf")

// taste: likes and dislikes, preferences, favourites, what someone avoids.
func (c *clause) taste() bool {
	g := c.verb
	if g.modal != "" {
		return c.modalTaste()
	}
	if g.future || g.must {
		return false
	}
	pred := ""
	switch g.lemma {
	case "like", "love", "enjoy", "adore":
		pred = "likes"
	case "dislike", "hate", "detest", "loathe":
		pred = "dislikes"
	case "prefer":
		return c.prefers(c.rest)
	default:
		return c.avoids()
	}
	if g.past && !g.negated && !g.usedTo || g.perfect && g.past {
		return false
	}
	np, _ := c.phrase(c.rest, 0, objStops)
	values := c.likings(np)
	if len(values) == 0 {
		return true
	}
	if g.negated || g.never || g.ended {
		if pred == "dislikes" && !g.ended && !c.anymore() {
			return true
		}
		if g.ended || c.anymore() {
			pred = opposite(pred)
			c.verb.ended, c.verb.negated = false, false
		} else {
			pred = "dislikes"
		}
	}
	conf := 0.85
	if g.past {
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
func (c *clause) likings(np []token) []string {
	commas := 0
	for _, t := range c.rest {
		if t.is(",") {
			commas++
		}
	}
	if commas > 0 {
		if items := c.list(c.rest); len(items) > 2 {
			var out []string
			for _, it := range items {
				low := strings.ToLower(it)
				if !emptyObjects[strings.Fields(low)[0]] && !stops[low] {
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
	if (g.modal == "can" || g.modal == "could") && g.negated {
		np, _ := c.phrase(c.rest, 0, objStops)
		v := c.liking(np)
		switch {
		case v == "" || g.past:
		case g.lemma == "bear" || g.lemma == "stand":
			c.fact(lukasa.KindPreference, "dislikes", v, 0.85, false, "preference")
		case g.lemma == "eat" || g.lemma == "drink":
			c.fact(lukasa.KindPreference, "avoids", v, 0.85, false, "diet")
		}
	}
	return false
}

// prefers: "prefer tea over coffee".
func (c *clause) prefers(rest []token) bool {
	g := c.verb
	if g.past || g.negated {
		return true
	}
	end := len(rest)
	for i, t := range rest {
		if t.is("over") || t.is("than") || t.is("rather") || t.is("instead") || t.is("to") && i > 0 && !isBase(next(rest, i)) {
			end = i
			break
		}
	}
	i := 0
	if starts(rest, "to") {
		i = 1
	}
	np, _ := c.phrase(rest[:end], i, objStops)
	np = bare(np)
	if len(np) > 0 && !emptyObjects[np[0].low] {
		c.fact(lukasa.KindPreference, "prefers", c.bytes(np), 0.85, false, "preference")
	}
	return true
}

func next(toks []token, i int) string {
	if i+1 < len(toks) {
		return toks[i+1].low
	}
	return ""
}

// avoids: "never drink alcohol", "don't eat meat", "stopped smoking".
func (c *clause) avoids() bool {
	g := c.verb
	switch {
	case (g.never || g.negated) && g.current() && !g.perfect && !g.progressive && (g.lemma == "eat" || g.lemma == "drink" || g.lemma == "smoke"):
		np, _ := c.phrase(c.rest, 0, objStops)
		v := c.liking(np)
		if g.lemma == "smoke" && len(c.rest) == 0 {
			v = "smoking"
		}
		if v != "" {
			c.verb.negated, c.verb.never = false, false
			c.fact(lukasa.KindPreference, "avoids", v, 0.85, false, "preference")
		}
		return true
	case (g.lemma == "stop" || g.lemma == "quit") && g.told() && !g.negated && len(c.rest) > 0 && lastingStops[c.rest[0].low]:
		np, _ := c.phrase(c.rest, 0, objStops)
		c.fact(lukasa.KindFact, "stopped", c.bytes(np), 0.8, true, "habit")
		return true
	}
	return false
}

var lastingStops = wordSet("smoking drinking eating playing vaping gambling drinking working running")

// habit: "always take the train to work", "usually get up at six".
func (c *clause) habit() bool {
	g := c.verb
	if !g.always && !c.every() || !g.current() || g.perfect || g.negated || c.subj.kind != speaker && c.subj.kind != someone || g.at < 0 || g.lemma == "be" || g.lemma == "have" && len(c.rest) < 2 {
		return false
	}
	if !habitVerbs[g.lemma] || len(c.rest) < 1 {
		return true
	}
	np, _ := c.phrase(append([]token{c.toks[g.at]}, c.rest...), 0, map[string]bool{})
	if c.every() {
		np = c.toks[g.at:]
	}
	if len(np) > 1 && len(np) < 14 && !mentions(np, "you", "it", "this") {
		v := c.bytes(np)
		if c.subj.kind == someone {
			v = g.lemma + strings.TrimPrefix(v, c.toks[g.at].of(c.x.s))
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
		if (t.is("every") || t.is("each")) && i > 0 && i+1 < len(c.rest) {
			_, day := weekdays[c.rest[i+1].low]
			if day || timeUnits[c.rest[i+1].low] || dayParts[c.rest[i+1].low] || seasons[c.rest[i+1].low] != 0 || c.rest[i+1].is("weekend") {
				return true
			}
		}
	}
	return false
}

var habitVerbs = wordSet("do attend practise practice play teach call meet take drink eat wake get go run walk start read have cook sleep wear use travel listen exercise train ride commute watch buy write play swim cycle shop visit")
