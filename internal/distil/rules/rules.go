package rules

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// apply draws statements from a parsed clause. The first rule that knows what the clause says has the word.
func (c *clause) apply() {
	if c.subj.kind == deictic {
		c.news()
		return
	}
	if c.verb.Modal != "" {
		c.taste()
	}
	if c.verb.Modal != "" {
		if c.verb.Modal == "should" && !c.verb.Negated && c.ahead() && c.verb.Lemma != "be" && c.verb.Lemma != "have" && c.subj.kind != thing && !c.verb.Perfect {
			c.task(c.toks[c.verb.At:], 0.65)
		}
		return
	}
	if c.subj.kind == thing {
		c.aboutThing()
		return
	}
	for _, rule := range []func() bool{c.moment, c.residence, c.work, c.copula, c.taste, c.having, c.obligation, c.plan, c.project, c.habit, c.episode} {
		if rule() {
			return
		}
	}
}

// follows reports whether the rest begins with the words.
func (c *clause) follows(words ...string) bool { return starts(c.rest, words...) }

func starts(toks []lexis.Token, words ...string) bool {
	if len(toks) < len(words) {
		return false
	}
	for i, w := range words {
		if toks[i].Low != w {
			return false
		}
	}
	return true
}

// residence: live, reside, be based, move, grow up, come from.
func (c *clause) residence() bool {
	g := c.verb
	lemma := g.Lemma
	rest := c.rest
	changed := false
	if (lemma == "start" || lemma == "begin" || lemma == "stop") && len(rest) > 0 && lexis.Verbs[rest[0].Low].Lemma == "live" {
		lemma, rest, changed = "live", rest[1:], true
	}
	switch lemma {
	case "live", "reside":
		if g.Negated && !c.anymore() || g.Future || g.Must {
			return g.Negated
		}
		place := c.place(rest, "in", "near", "outside", "on")
		if place == "" {
			return true
		}
		c.fact(lukasa.KindFact, "lives_in", place, 0.9, changed, "residence")
		c.correction(place)
		return true
	case "move", "relocate":
		if g.Negated || g.Passive {
			return true
		}
		place := c.place(rest, "to")
		if place == "" {
			return true
		}
		if g.Future || g.Progressive && !g.Past {
			return c.planned(0.8)
		}
		if g.Told() {
			c.fact(lukasa.KindFact, "lives_in", place, 0.9, true, "residence")
		}
		return true
	case "settle":
		if place := c.place(rest, "in"); place != "" && g.Told() && !g.Negated {
			c.fact(lukasa.KindFact, "lives_in", place, 0.85, true, "residence")
			return true
		}
	case "grow", "raise":
		if len(rest) > 0 && (rest[0].Is("up") && g.Past || g.Passive) {
			if place := c.place(rest, "in", "on"); place != "" {
				c.verb.Past = false
				c.fact(lukasa.KindFact, "from", place, 0.8, false, "origin")
			}
			return true
		}
	case "come":
		if g.Current() && len(rest) > 0 && rest[0].Is("from") && !g.Negated {
			if place := c.place(rest, "from"); properPlace(place) {
				c.fact(lukasa.KindFact, "from", place, 0.85, false, "origin")
			}
			return true
		}
	}
	return false
}

// noPlaces are objects of "in" and "to" that are no places to live.
var noPlaces = lexis.Words("fear hope denial peace poverty silence hell heaven mind case fact general particular love trouble style moment past future present world production prod next new tears bed another other cloud")

// place reads the place behind one of the prepositions; a name behind a later "in" is better than a common noun before it ("a small flat in Lyon").
func (c *clause) place(toks []lexis.Token, preps ...string) string {
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
		if !hit || i+1 >= len(toks) || c.dated(toks[i+1]) {
			continue
		}
		np, _ := c.phrase(toks, i+1, placeStops)
		np = bare(np)
		if len(np) == 0 {
			continue
		}
		if best == "" && !np[0].Upper && slices.ContainsFunc(np, func(t lexis.Token) bool { return noPlaces[t.Low] }) || np[0].Kind == lexis.Number && best == "" && len(np) < 2 || subjectPronouns[np[0].Low] {
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
			return c.bytes(cut)
		}
		if best == "" {
			if c.verb.Lemma == "move" || c.verb.Lemma == "relocate" {
				if !lexis.PlaceNames[np[0].Low] {
					return ""
				}
			}
			best = c.bytes(np)
			if strings.Contains(best, " near ") {
				return best
			}
		}
	}
	return best
}

func properPlace(p string) bool {
	return p != "" && (p[0] >= 'A' && p[0] <= 'Z' || p[0] >= 0x80 || lexis.PlaceNames[strings.ToLower(p)])
}

// correction notes "…, not Paris" on the last statement.
func (c *clause) correction(value string) {
	for i := 0; i+1 < len(c.x.toks); i++ {
		if c.x.toks[i].Is(",") && c.x.toks[i+1].Is("not") && i+2 < len(c.x.toks) {
			rest := c.x.toks[i+2:]
			for len(rest) > 0 && (rest[0].Is("in") || rest[0].Is("at") || articles[rest[0].Low]) {
				rest = rest[1:]
			}
			np, _ := c.phrase(rest, 0, placeStops)
			wrong := c.bytes(np)
			if n := len(c.x.out); n > 0 && wrong != "" && c.x.out[n-1].Value == value {
				c.x.out[n-1].Corrects = wrong
			}
			return
		}
	}
}

// work: work at, work as, join, leave, quit, resign, be employed by, study.
func (c *clause) work() bool {
	g := c.verb
	lemma, rest, changed := g.Lemma, c.rest, false
	if (lemma == "start" || lemma == "begin" || lemma == "stop" || lemma == "quit") && len(rest) > 0 {
		if v := lexis.Verbs[rest[0].Low]; (v.Lemma == "work" || v.Lemma == "study") && v.Form == lexis.Gerund {
			if lemma == "stop" || lemma == "quit" {
				c.verb.Ended = true
			}
			lemma, rest, changed = v.Lemma, rest[1:], true
			if g.Progressive && !g.Past {
				return c.moment()
			}
		}
	}
	switch lemma {
	case "work":
		return c.worksAt(rest, changed)
	case "join":
		if org := c.org(rest, 0); g.Told() && !g.Negated && org != "" {
			c.fact(lukasa.KindFact, "works_at", org, 0.8, true, "work")
			c.title(rest)
			return true
		}
	case "leave", "quit", "resign":
		return c.leaves(rest)
	case "study":
		return c.studies(rest)
	case "employ", "hire":
		if g.Passive && len(rest) > 0 && (rest[0].Is("by") || rest[0].Is("at")) && !g.Future {
			if org := c.org(rest, 1); org != "" {
				c.fact(lukasa.KindFact, "works_at", org, 0.85, lemma == "hire", "work")
				c.title(rest)
			}
			return true
		}
	}
	return false
}

func (c *clause) worksAt(rest []lexis.Token, changed bool) bool {
	g := c.verb
	if g.Future || g.Must || g.Negated && !c.anymore() {
		return g.Negated
	}
	found := false
	for i, t := range rest {
		if (t.Is("at") || t.Is("for")) && i+1 < len(rest) {
			if org := c.org(rest, i+1); org != "" {
				c.fact(lukasa.KindFact, "works_at", org, 0.9, changed, "work")
				found = true
				break
			}
			if i == 0 {
				return true
			}
		}
		if t.Kind == lexis.Punct {
			break
		}
	}
	if len(rest) > 0 && (found || rest[0].Is("as")) {
		c.title(rest)
		found = true
	}
	return found || !g.Told()
}

// noOrgs are objects of "work at" and "work for" that employ no one.
var noOrgs = lexis.Words("home night nights it this that you me us him them all least first last once weekends weekend hours free fun myself yourself least minimum once now times pace days moment desk hard living money years months everyone everybody both two three")

// org reads an employer from token i.
func (c *clause) org(toks []lexis.Token, i int) string {
	np, _ := c.phrase(toks, i, orgStops)
	article := len(np) > 0 && articles[np[0].Low]
	np = bare(np)
	if len(np) == 0 || noOrgs[np[0].Low] || np[0].Kind == lexis.Number || len(np) > 7 || subjectPronouns[np[0].Low] {
		return ""
	}
	if !np[0].Upper && !article || (c.verb.Lemma == "join" || c.verb.Lemma == "leave") && !np[0].Upper {
		return ""
	}
	return c.bytes(np)
}

// title reads a job title behind the word "as" and adds it.
func (c *clause) title(toks []lexis.Token) {
	for i, t := range toks {
		if t.Is("as") && i+1 < len(toks) {
			np, _ := c.phrase(toks, i+1, titleStops)
			article := len(np) > 0 && articles[np[0].Low]
			if np = bare(np); len(np) > 0 && (article || jobs[np[len(np)-1].Low] || np[0].Upper) && len(np) < 6 && !np[0].Is("well") && !np[0].Is("usual") && !np[0].Is("soon") && !np[0].Is("much") && !np[0].Is("part") {
				past := c.verb.Past
				c.verb.Past = past && c.verb.Lemma == "work" && c.verb.Form == lexis.Past
				c.fact(lukasa.KindFact, "job_title", c.bytes(np), 0.85, !c.verb.Past && past, "work")
				c.verb.Past = past
			}
			return
		}
	}
}

// leaves: "left Siemens", "quit my job at Google", "resigned from Acme".
func (c *clause) leaves(rest []lexis.Token) bool {
	g := c.verb
	if !g.Told() || g.Negated {
		return false
	}
	i := 0
	switch {
	case starts(rest, "my", "job", "at"), starts(rest, "her", "job", "at"), starts(rest, "his", "job", "at"), starts(rest, "my", "job", "with"):
		if org := c.org(rest, 3); org != "" {
			c.verb.Ended = true
			c.fact(lukasa.KindFact, "works_at", org, 0.85, false, "work")
			return true
		}
	case starts(rest, "from"):
		i = 1
	}
	np, _ := c.phrase(rest, i, orgStops)
	if np = bare(np); len(np) == 0 || !np[0].Upper || len(np) > 5 || lexis.PlaceNames[np[0].Low] || lexis.GivenNames[np[0].Low] {
		if starts(rest, "my", "job") {
			c.tell(lukasa.KindEvent, 0.8, "work")
			return true
		}
		return false
	}
	c.verb.Ended = true
	c.fact(lukasa.KindFact, "works_at", c.bytes(np), 0.85, false, "work")
	return true
}

func (c *clause) studies(rest []lexis.Token) bool {
	g := c.verb
	if g.Negated && !c.anymore() || g.Future || g.Must {
		return g.Negated
	}
	i := 0
	if len(rest) > 0 && !rest[0].Is("at") && !rest[0].Is("for") && !rest[0].Is("in") && !rest[0].Is("hard") {
		np, end := c.phrase(rest, 0, titleStops)
		if len(np) > 0 && len(np) < 5 && !articles[np[0].Low] {
			c.fact(lukasa.KindFact, "studies", c.bytes(np), 0.85, false, "education")
		}
		i = end
	}
	for ; i+1 < len(rest); i++ {
		if rest[i].Is("at") {
			if org := c.org(rest, i+1); org != "" {
				c.fact(lukasa.KindFact, "studies_at", org, 0.85, false, "education")
			}
			break
		}
	}
	return true
}
