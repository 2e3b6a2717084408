package distil

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// apply draws statements from a parsed clause. The first rule that knows what the clause says has the word.
func (c *clause) apply() {
	if c.subj.kind == deictic {
		c.news()
		return
	}
	if c.verb.modal != "" {
		c.taste()
	}
	if c.verb.modal != "" {
		if c.verb.modal == "should" && !c.verb.negated && c.ahead() && c.verb.lemma != "be" && c.verb.lemma != "have" && c.subj.kind != thing && !c.verb.perfect {
			c.task(c.toks[c.verb.at:], 0.65)
		}
		return
	}
	if c.subj.kind == thing {
		c.aboutThing()
		return
	}
	for _, rule := range []func() bool{c.moment, c.residence, c.work, c.copula, c.taste, c.having, c.obligation, c.plan, c.habit, c.episode} {
		if rule() {
			return
		}
	}
}

// follows reports whether the rest begins with the words.
func (c *clause) follows(words ...string) bool { return starts(c.rest, words...) }

func starts(toks []token, words ...string) bool {
	if len(toks) < len(words) {
		return false
	}
	for i, w := range words {
		if toks[i].low != w {
			return false
		}
	}
	return true
}

// residence: live, reside, be based, move, grow up, come from.
func (c *clause) residence() bool {
	g := c.verb
	lemma := g.lemma
	rest := c.rest
	changed := false
	if (lemma == "start" || lemma == "begin" || lemma == "stop") && len(rest) > 0 && verbs[rest[0].low].lemma == "live" {
		lemma, rest, changed = "live", rest[1:], true
	}
	switch lemma {
	case "live", "reside":
		if g.negated && !c.anymore() || g.future || g.must {
			return g.negated
		}
		place := c.place(rest, "in", "near", "outside", "on")
		if place == "" {
			return true
		}
		c.fact(lukasa.KindFact, "lives_in", place, 0.9, changed, "residence")
		c.correction(place)
		return true
	case "move", "relocate":
		if g.negated || g.passive {
			return true
		}
		place := c.place(rest, "to")
		if place == "" {
			return true
		}
		if g.future || g.progressive && !g.past {
			return c.planned(0.8)
		}
		if g.told() {
			c.fact(lukasa.KindFact, "lives_in", place, 0.9, true, "residence")
		}
		return true
	case "settle":
		if place := c.place(rest, "in"); place != "" && g.told() && !g.negated {
			c.fact(lukasa.KindFact, "lives_in", place, 0.85, true, "residence")
			return true
		}
	case "grow", "raise":
		if len(rest) > 0 && (rest[0].is("up") && g.past || g.passive) {
			if place := c.place(rest, "in", "on"); place != "" {
				c.verb.past = false
				c.fact(lukasa.KindFact, "from", place, 0.8, false, "origin")
			}
			return true
		}
	case "come":
		if g.current() && len(rest) > 0 && rest[0].is("from") && !g.negated {
			if place := c.place(rest, "from"); properPlace(place) {
				c.fact(lukasa.KindFact, "from", place, 0.85, false, "origin")
			}
			return true
		}
	}
	return false
}

// noPlaces are objects of "in" and "to" that are no places to live.
var noPlaces = wordSet("fear hope denial peace poverty silence hell heaven mind case fact general particular love trouble style moment past future present world production prod next new tears bed another other cloud")

// place reads the place behind one of the prepositions; a name behind a later "in" is better than a common noun before it ("a small flat in Lyon").
func (c *clause) place(toks []token, preps ...string) string {
	best := ""
	for i, t := range toks {
		if t.kind == punctToken && best != "" || t.is("because") || t.is("but") || t.is("with") && i == 0 || t.is("for") && i == 0 {
			break
		}
		hit := false
		for _, p := range preps {
			hit = hit || t.is(p)
		}
		if best != "" {
			hit = hit || t.is("in") || t.is("near")
		}
		if !hit || i+1 >= len(toks) || c.dated(toks[i+1]) {
			continue
		}
		np, _ := c.phrase(toks, i+1, placeStops)
		np = bare(np)
		if len(np) == 0 {
			continue
		}
		if best == "" && noPlaces[np[0].low] && !np[0].upper || np[0].kind == numberToken && best == "" && len(np) < 2 || subjectPronouns[np[0].low] {
			return ""
		}
		if np[0].upper {
			cut := np
			for k := 1; k < len(np); k++ {
				if np[k].is("in") || np[k].is("near") {
					cut = np[:k]
					break
				}
			}
			return c.bytes(cut)
		}
		if best == "" {
			if c.verb.lemma == "move" || c.verb.lemma == "relocate" {
				if !placeNames[np[0].low] {
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
	return p != "" && (p[0] >= 'A' && p[0] <= 'Z' || p[0] >= 0x80 || placeNames[strings.ToLower(p)])
}

// correction notes "…, not Paris" on the last statement.
func (c *clause) correction(value string) {
	for i := 0; i+1 < len(c.x.toks); i++ {
		if c.x.toks[i].is(",") && c.x.toks[i+1].is("not") && i+2 < len(c.x.toks) {
			rest := c.x.toks[i+2:]
			for len(rest) > 0 && (rest[0].is("in") || rest[0].is("at") || articles[rest[0].low]) {
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
	lemma, rest, changed := g.lemma, c.rest, false
	if (lemma == "start" || lemma == "begin" || lemma == "stop" || lemma == "quit") && len(rest) > 0 {
		if v := verbs[rest[0].low]; (v.lemma == "work" || v.lemma == "study") && v.form == formIng {
			if lemma == "stop" || lemma == "quit" {
				c.verb.ended = true
			}
			lemma, rest, changed = v.lemma, rest[1:], true
			if g.progressive && !g.past {
				return c.moment()
			}
		}
	}
	switch lemma {
	case "work":
		return c.worksAt(rest, changed)
	case "join":
		if org := c.org(rest, 0); g.told() && !g.negated && org != "" {
			c.fact(lukasa.KindFact, "works_at", org, 0.8, true, "work")
			c.title(rest, "as")
			return true
		}
	case "leave", "quit", "resign":
		return c.leaves(rest)
	case "study":
		return c.studies(rest)
	case "employ", "hire":
		if g.passive && len(rest) > 0 && (rest[0].is("by") || rest[0].is("at")) && !g.future {
			if org := c.org(rest, 1); org != "" {
				c.fact(lukasa.KindFact, "works_at", org, 0.85, lemma == "hire", "work")
				c.title(rest, "as")
			}
			return true
		}
	}
	return false
}

func (c *clause) worksAt(rest []token, changed bool) bool {
	g := c.verb
	if g.future || g.must || g.negated && !c.anymore() {
		return g.negated
	}
	found := false
	for i, t := range rest {
		if (t.is("at") || t.is("for")) && i+1 < len(rest) {
			if org := c.org(rest, i+1); org != "" {
				c.fact(lukasa.KindFact, "works_at", org, 0.9, changed, "work")
				found = true
				break
			}
			if i == 0 {
				return true
			}
		}
		if t.kind == punctToken {
			break
		}
	}
	if len(rest) > 0 && (found || rest[0].is("as")) {
		c.title(rest, "as")
		found = true
	}
	return found || !g.told()
}

// noOrgs are objects of "work at" and "work for" that employ no one.
var noOrgs = wordSet("home night nights it this that you me us him them all least first last once weekends weekend hours free fun myself yourself least minimum once now times pace days moment desk hard living money years months everyone everybody both two three")

// org reads an employer from token i.
func (c *clause) org(toks []token, i int) string {
	np, _ := c.phrase(toks, i, orgStops)
	article := len(np) > 0 && articles[np[0].low]
	np = bare(np)
	if len(np) == 0 || noOrgs[np[0].low] || np[0].kind == numberToken || len(np) > 7 || subjectPronouns[np[0].low] {
		return ""
	}
	if !np[0].upper && !article || (c.verb.lemma == "join" || c.verb.lemma == "leave") && !np[0].upper {
		return ""
	}
	return c.bytes(np)
}

// title reads a job title behind the word "as" and adds it.
func (c *clause) title(toks []token, as string) {
	for i, t := range toks {
		if t.is(as) && i+1 < len(toks) {
			np, _ := c.phrase(toks, i+1, titleStops)
			if np = bare(np); len(np) > 0 && len(np) < 6 && !np[0].is("well") && !np[0].is("usual") && !np[0].is("soon") && !np[0].is("much") && !np[0].is("part") {
				c.fact(lukasa.KindFact, "job_title", c.bytes(np), 0.85, false, "work")
			}
			return
		}
	}
}

// leaves: "left Siemens", "quit my job at Google", "resigned from Acme".
func (c *clause) leaves(rest []token) bool {
	g := c.verb
	if !g.told() || g.negated {
		return false
	}
	i := 0
	switch {
	case starts(rest, "my", "job", "at"), starts(rest, "her", "job", "at"), starts(rest, "his", "job", "at"), starts(rest, "my", "job", "with"):
		i = 3
	case starts(rest, "from"):
		i = 1
	}
	np, _ := c.phrase(rest, i, orgStops)
	if np = bare(np); len(np) == 0 || !np[0].upper || len(np) > 5 || placeNames[np[0].low] || givenNames[np[0].low] {
		if starts(rest, "my", "job") {
			c.tell(lukasa.KindEvent, 0.8, "work")
			return true
		}
		return false
	}
	c.verb.ended = true
	c.fact(lukasa.KindFact, "works_at", c.bytes(np), 0.85, false, "work")
	return true
}

func (c *clause) studies(rest []token) bool {
	g := c.verb
	if g.negated && !c.anymore() || g.future || g.must {
		return g.negated
	}
	i := 0
	if len(rest) > 0 && !rest[0].is("at") && !rest[0].is("for") && !rest[0].is("in") && !rest[0].is("hard") {
		np, end := c.phrase(rest, 0, titleStops)
		if len(np) > 0 && len(np) < 5 && !articles[np[0].low] {
			c.fact(lukasa.KindFact, "studies", c.bytes(np), 0.85, false, "education")
		}
		i = end
	}
	for ; i+1 < len(rest); i++ {
		if rest[i].is("at") {
			if org := c.org(rest, i+1); org != "" {
				c.fact(lukasa.KindFact, "studies_at", org, 0.85, false, "education")
			}
			break
		}
	}
	return true
}
