package rules

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// copula: what someone is.
func (c *clause) copula() bool {
	g := c.Verb
	if g.Be < 0 || g.Must || g.Future && (c.Subj.Rel == "" || g.Lemma != "be") {
		return false
	}
	comp := c.Toks[g.Be+1:]
	for len(comp) > 0 && (lexis.Adverbs[comp[0].Low] || comp[0].Is("not") || comp[0].Is("n't") || comp[0].Is("no") && len(comp) > 1 &&
		comp[1].Is("longer") || comp[0].Is("longer")) {
		comp = comp[1:]
	}
	if len(comp) == 0 {
		return false
	}
	no := g.Negated && !c.Anymore()
	if c.fancies(comp) || c.leaning(comp) {
		return true
	}
	if no {
		return false
	}
	return c.personal(comp) || c.relative(comp) || c.jobTitle(comp)
}

// leaning: fond of, into, a fan of, afraid of.
func (c *clause) leaning(comp []lexis.Token) bool {
	i := grammar.Leans(comp)
	switch {
	case grammar.Starts(comp, "afraid", "of"), grammar.Starts(comp, "scared", "of"), grammar.Starts(comp, "terrified", "of"):
		np, _ := c.Phrase(comp, 2, grammar.ObjStops)
		if v := c.Liking(np); v != "" && !c.Verb.Negated && c.Verb.Current() {
			c.fact(lukasa.KindPreference, "afraid_of", v, 0.8, false, "preference")
		}
		return true
	}
	if i == 0 {
		return false
	}
	np, _ := c.Phrase(comp, i, grammar.ObjStops)
	v := c.Liking(np)
	if v == "" || !c.Verb.Current() && !c.Verb.Perfect {
		return true
	}
	pred := "likes"
	if c.Verb.Negated || c.Verb.Ended {
		pred = "dislikes"
		c.Verb.Negated, c.Verb.Ended = false, false
	}
	c.fact(lukasa.KindPreference, pred, v, 0.85, false, "preference")
	return true
}

// personal: age, origin, birth, marriage, diet, allergy, name.
func (c *clause) personal(comp []lexis.Token) bool {
	switch w := comp[0].Low; {
	case comp[0].Kind == lexis.Number && (grammar.Mentions(comp, "tall") || grammar.Mentions(comp, "cm")) && len(comp) > 1:
		if i := slices.IndexFunc(comp, func(t lexis.Token) bool { return t.Is("tall") || t.Is("and") || t.Is(",") }); i >= 0 {
			comp = comp[:i]
		}
		c.fact(lukasa.KindFact, "height", c.Bytes(comp), 0.85, false, "identity")
		return true
	case c.Aged(w) != "":
		if len(comp) == 1 || comp[1].Is(",") || comp[1].Is("and") || grammar.Starts(comp[1:], "years", "old") ||
			grammar.Starts(comp[1:], "years", "of", "age") || grammar.Starts(comp[1:], "now") || grammar.Starts(comp[1:], "today") {
			if c.Verb.Past {
				return true
			}
			c.fact(lukasa.KindFact, "age", grammar.AgeOf(w), 0.9, false, "identity")
		}
		return true
	case w == "responsible" && len(comp) > 2 && comp[1].Is("for"):
		np, _ := c.Phrase(comp, 2, grammar.TitleStops)
		if len(np) > 1 && grammar.Articles[np[0].Low] && c.Subj.Kind == grammar.Someone {
			c.fact(lukasa.KindFact, "responsible_for", c.Bytes(grammar.Bare(np)), 0.8, false, "work")
		}
		return true
	case w == "from":
		if place := c.Place(comp, "from"); grammar.ProperPlace(place) {
			c.fact(lukasa.KindFact, "from", place, 0.9, false, "origin")
		}
		return true
	case w == "based":
		if place := c.Place(comp, "in", "at"); place != "" && place[0] < 'a' {
			c.fact(lukasa.KindFact, "lives_in", place, 0.85, false, "residence")
		}
		return true
	case w == "born":
		return c.born(comp)
	case (w == "married" || w == "engaged") && len(comp) > 2 && comp[1].Is("to"):
		pred := map[string]string{"married": "spouse", "engaged": "fiance"}[w]
		if np, _ := c.Phrase(comp, 2, grammar.TitleStops); len(np) > 0 && np[0].Upper {
			c.fact(lukasa.KindFact, pred, c.Bytes(np), 0.9, false, "family")
		}
		return true
	case (w == "married" || w == "divorced" || w == "single" || w == "widowed" || w == "engaged") && (len(comp) == 1 || comp[1].Is("and") ||
		comp[1].Is("now") || c.Dated(comp[1])) && !c.Verb.Past:
		c.fact(lukasa.KindFact, "marital_status", w, 0.8, false, "family")
		return true
	case w == "called" || w == "named":
		if len(comp) > 1 && comp[1].Upper && c.Subj.Rel != "" {
			np, _ := c.Phrase(comp, 1, grammar.TitleStops)
			c.x.relation(c.Subj.Own, c.Subj.Rel, c.Bytes(np))
		}
		return true
	case w == "allergic" && len(comp) > 2 && comp[1].Is("to"):
		items := c.List(comp[2:])
		if items == nil { // "allergic to penicillin, blood type 0 negative"
			if np, _ := c.Phrase(comp, 2, grammar.TitleStops); len(np) > 0 && len(np) < 4 {
				items = []string{c.Bytes(grammar.Bare(np))}
			}
		}
		for _, v := range items {
			c.fact(lukasa.KindFact, "allergic_to", v, 0.9, false, "health")
		}
		return true
	case grammar.DietOf(comp) != "":
		c.fact(lukasa.KindFact, "diet", grammar.DietOf(comp), 0.9, false, "diet")
		return true
	case lexis.Nationalities[w] && comp[0].Upper && (len(comp) == 1 || comp[1].Is("and") || comp[1].Is(",") || comp[1].Is("citizen")):
		c.fact(lukasa.KindFact, "nationality", comp[0].Of(c.x.S), 0.85, false, "identity")
		return true
	case c.Subj.Kind == grammar.Speaker && !c.Subj.We && (comp[0].Upper || c.OwnName(comp) > 0) && c.Verb.Current():
		return c.introduces(comp)
	}
	return false
}

// introduces: "I'm Ben".
func (c *clause) introduces(comp []lexis.Token) bool {
	found := lexis.Names(c.x.S, comp)
	if end := c.OwnName(comp); end > 0 {
		found = []lexis.Name{{From: 0, To: end, Type: lexis.EntityPerson, Sure: true}}
	}
	if len(found) == 0 || found[0].From != 0 || found[0].To > 3 {
		return false
	}
	end := found[0].To
	if c.OwnName(comp) > 0 {
		return c.presents(comp, end)
	}
	if !lexis.GivenNames[comp[0].Low] && !grammar.Mentions(c.x.Toks, "hi", "hello", "hey") {
		return false
	}
	if end < len(comp) && !comp[end].Is("and") && !comp[end].Is(",") && !comp[end].Is("from") || !lexis.GivenNames[comp[0].Low] && end < len(comp) {
		return false
	}
	if !lexis.GivenNames[comp[0].Low] && (lexis.Nationalities[comp[0].Low] || lexis.PlaceNames[comp[0].Low]) {
		return false
	}
	c.fact(lukasa.KindFact, "name", c.Bytes(comp[:end]), 0.85, false, "identity")
	if end+2 < len(comp) && comp[end].Is(",") && (lexis.Jobs[comp[end+1].Low] || lexis.Jobs[comp[end+2].Low] || comp[end+1].Is("a") ||
		comp[end+1].Is("an") || comp[end+1].Is("the")) {
		c.jobTitle(comp[end+1:])
	}
	if end < len(comp) && comp[end].Is("from") {
		if place := c.Place(comp[end:], "from"); grammar.ProperPlace(place) {
			c.fact(lukasa.KindFact, "from", place, 0.8, false, "origin")
		}
	}
	return true
}

// presents: "I'm Maya Lindqvist, 31, a designer at Otto".
func (c *clause) presents(comp []lexis.Token, end int) bool {
	name := c.Bytes(comp[:end])
	if !comp[0].Upper {
		for _, t := range comp[:end] {
			w := t.Of(c.x.S)
			name = strings.Replace(name, w, strings.ToUpper(w[:1])+w[1:], 1)
		}
	}
	c.fact(lukasa.KindFact, "name", name, 0.85, false, "identity")
	for i := end; i+1 < len(comp); i++ {
		if !comp[i].Is(",") && !comp[i].Is("and") {
			continue
		}
		switch rest := comp[i+1:]; {
		case grammar.AgeOf(rest[0].Low) != "" && (len(rest) == 1 || rest[1].Kind == lexis.Punct || rest[1].Is("and")):
			c.fact(lukasa.KindFact, "age", grammar.AgeOf(rest[0].Low), 0.85, false, "identity")
		case lexis.Jobs[rest[0].Low] || lexis.LeadingJobs[rest[0].Low] || len(rest) > 1 && (rest[0].Is("a") || rest[0].Is("an") || rest[0].Is("the")):
			c.jobTitle(rest)
		}
	}
	return true
}

// born: on a date, in a place or both.
func (c *clause) born(comp []lexis.Token) bool {
	if len(c.Dates) > 0 {
		if m := c.Dates[0]; !m.Relative || m.Precision == lexis.ToYear {
			c.Dates = nil
			c.Verb.Past = false
			c.fact(lukasa.KindFact, "birthday", m.ISO(), 0.9, false, "identity")
			c.Dates = []lexis.Moment{m}
		} else if m.Precision == lexis.ToDay {
			c.Dates = nil
			c.fact(lukasa.KindFact, "birthday", m.From.Format("01-02"), 0.85, false, "identity")
			c.Dates = []lexis.Moment{m}
		}
	}
	dates := c.Dates
	if place := c.Place(comp, "in"); grammar.ProperPlace(place) {
		c.Dates = nil
		c.fact(lukasa.KindFact, "born_in", place, 0.9, false, "origin")
	}
	c.Dates = dates
	return true
}

// relative: "Henrik is my manager", "Mia is Leo's sister", "Kiwi is our parrot", and "My best friend is Carla".
func (c *clause) relative(comp []lexis.Token) bool {
	if c.Subj.Kind != grammar.Someone || !c.Verb.Current() && !c.Verb.Future {
		return false
	}
	if name := c.Presents(comp); name != "" {
		c.x.relation(c.Subj.Own, c.Subj.Rel, name)
		return true
	}
	if c.Verb.Future && (c.Subj.Rel == "" || !comp[0].Upper || len(c.Dates) > 0) {
		return false
	}
	if c.Subj.Rel != "" && comp[0].Upper && strings.HasSuffix(c.Subj.Name, "'s "+c.Subj.Rel) && !lexis.Nationalities[comp[0].Low] {
		np, _ := c.Phrase(comp, 0, grammar.TitleStops)
		if len(np) > 0 && len(np) < 4 {
			c.x.relation(c.Subj.Own, c.Subj.Rel, c.Bytes(np))
		}
		return true
	}
	i, owner := 0, ""
	switch {
	case comp[0].Is("my") || comp[0].Is("our"):
		if !c.x.Self {
			return true
		}
		i, owner = 1, c.x.Me
	case comp[0].Upper:
		found := lexis.Names(c.x.S, comp)
		if len(found) == 0 || found[0].From != 0 || found[0].To >= len(comp) || !comp[found[0].To].Is("'s") {
			return false
		}
		i, owner = found[0].To+1, lexis.PlainName(c.x.S, comp, found[0])
	default:
		return false
	}
	for i < len(comp) && grammar.RelationAdjectives[comp[i].Low] {
		i++
	}
	if i < len(comp) {
		if comp[i].Is("favourite") || comp[i].Is("favorite") {
			c.favouriteOf(owner, comp[i+1:], c.Subj.Name)
			return true
		}
		if rel, n := grammar.RelationAt(comp, i); rel != "" && (i+n == len(comp) || !comp[i+n].Upper) {
			c.x.relation(owner, rel, c.Subj.Name)
		} else if owner == c.x.Me && lexis.Jobs[comp[len(comp)-1].Low] && len(comp)-i < 4 {
			c.fact(lukasa.KindFact, "job_title", c.Bytes(comp[i:]), 0.8, false, "work")
		}
	}
	return true
}

// favouriteOf: "Jazz is my favourite music".
func (c *clause) favouriteOf(owner string, toks []lexis.Token, value string) {
	np, _ := c.Phrase(toks, 0, grammar.TitleStops)
	if len(np) == 0 || len(np) > 3 {
		return
	}
	subj := c.Subj
	c.Subj = grammar.Party{Kind: grammar.Speaker, Name: owner}
	if owner != c.x.Me {
		c.Subj.Kind = grammar.Someone
	}
	c.fact(lukasa.KindPreference, "favourite_"+grammar.Slug(c.Bytes(np)), value, 0.9, false, "preference")
	c.Subj = subj
}

// jobTitle: "a nurse", "a senior data scientist at Spotify", "the CTO of Fernweh", "head of marketing".
func (c *clause) jobTitle(comp []lexis.Token) bool {
	if !c.Verb.Current() && !c.Verb.Past && !c.Verb.Perfect && !c.Verb.UsedTo || c.Verb.Progressive || c.Verb.Passive {
		return false
	}
	article := comp[0].Is("a") || comp[0].Is("an") || comp[0].Is("the")
	toks := comp
	if article {
		toks = comp[1:]
	}
	np, end := c.Phrase(toks, 0, grammar.TitleStops)
	if len(np) == 0 || len(np) > 8 {
		return false
	}
	of := -1
	for i, t := range np {
		if t.Is("of") {
			of = i
			break
		}
	}
	head := len(np) - 1
	if of > 0 {
		head = of - 1
	}
	if !lexis.Jobs[np[head].Low] || !article && !np[head].Shout && !lexis.LeadingJobs[np[head].Low] && of < 0 && (head == 0 || !np[0].Shout &&
		c.Subj.Kind != grammar.Speaker || lexis.Stops[np[0].Low]) || head > 4 || np[0].Is("good") || np[0].Is("bad") || np[0].Is("great") ||
		np[0].Is("better") || np[0].Is("terrible") {
		return false
	}
	if c.Subj.Kind == grammar.Speaker && np[head].Is("model") {
		return false
	}
	title, org := np, ""
	if of < 0 && end+3 < len(toks) && toks[end].Is("and") && lexis.Jobs[toks[end+1].Low] && toks[end+2].Is("of") && lexis.LeadingJobs[toks[end+1].Low] {
		title = toks[:end+2] // "founder and CEO of Tidewell"
		full, _ := c.Phrase(toks, end+3, grammar.OrgStops)
		org = c.Bytes(grammar.Bare(full))
		end = len(toks)
	}
	if of > 0 && lexis.LeadingJobs[np[head].Low] && of+1 < len(np) {
		title = np[:of]
		org = c.Bytes(grammar.Bare(np[of+1:]))
	} else if of > 0 && (np[head].Is("head") || np[head].Is("lead") || np[head].Is("chief")) && of+1 >= len(np) {
		return false
	} else if of < 0 && (np[head].Is("head") || np[head].Is("lead") || np[head].Is("chief") || np[head].Is("chair")) && head == 0 {
		return false
	}
	c.fact(lukasa.KindFact, "job_title", c.Bytes(title), 0.9, false, "work")
	if org == "" && end < len(toks) && (toks[end].Is("at") || toks[end].Is("for") || toks[end].Is("with")) && end+1 < len(toks) {
		if n, _ := c.Phrase(toks, end+1, grammar.OrgStops); len(grammar.Bare(n)) > 0 && grammar.Bare(n)[0].Upper {
			org = c.Bytes(grammar.Bare(n))
		}
	}
	if org != "" {
		c.fact(lukasa.KindFact, "works_at", org, 0.85, false, "work")
	}
	return true
}
