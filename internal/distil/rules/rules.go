package rules

import (
	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// apply draws statements from a parsed clause. The first rule that knows what the clause says has the word.
func (c *clause) apply() {
	if c.Subj.Kind == grammar.Deictic {
		c.news()
		return
	}
	if c.Verb.Modal != "" {
		if c.ill() || c.dreams() {
			return
		}
		c.taste()
	}
	if c.Verb.Modal != "" {
		if c.Verb.Modal == "should" && !c.Verb.Negated && c.Ahead() && c.Verb.Lemma != "be" && c.Verb.Lemma != "have" &&
			c.Subj.Kind != grammar.Thing && !c.Verb.Perfect {
			c.task(c.Toks[c.Verb.At:], 0.65)
		}
		return
	}
	if c.resolves() || c.resolution() || c.remains() || c.counted() {
		return
	}
	if c.Subj.Kind == grammar.Thing {
		n := len(c.x.out)
		if c.aboutThing(); len(c.x.out) == n {
			c.open()
		}
		return
	}
	for _, rule := range []func() bool{
		c.jubilee, c.startsAt, c.newPlace, c.changes, c.ill, c.lacks, c.dreams, c.suffers, c.medicated, c.worksOnDays, c.moment, c.switched,
		c.residence, c.work, c.copula, c.taste, c.routine, c.having, c.obligation, c.plan, c.project, c.habit, c.open,
	} {
		if rule() {
			return
		}
	}
}

// residence: live, reside, be based, move, grow up, come from.
func (c *clause) residence() bool {
	g := c.Verb
	lemma := g.Lemma
	rest := c.Rest
	changed := false
	if (lemma == "start" || lemma == "begin" || lemma == "stop") && len(rest) > 0 && lexis.Verbs[rest[0].Low].Lemma == "live" {
		lemma, rest, changed = "live", rest[1:], true
	}
	switch lemma {
	case "live", "reside":
		if g.Negated && !c.Anymore() || g.Future || g.Must {
			return g.Negated
		}
		if len(rest) > 1 && rest[0].Is("on") && rest[1].Upper && !grammar.Mentions(rest, "street", "road", "avenue", "lane", "island", "square") {
			return true // "we live on Slack"
		}
		place := c.Place(rest, "in", "near", "outside", "on")
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
		if len(rest) > 1 && (grammar.Determined[rest[0].Low] || grammar.Mentions(rest[:1], "us", "everything", "it", "them")) {
			return false // "moved the build to Bazel", "moved us to PostgreSQL": who moves something stays
		}
		place := c.Place(rest, "to")
		if len(rest) > 0 && rest[0].Is("there") && g.Told() {
			if place = c.LastPlace(max(0, c.x.prev.Start), c.Toks[0].Start); place == "" {
				return true
			}
		}
		if place == "" {
			return false
		}
		if was := c.Place(rest, "from"); grammar.ProperPlace(was) && g.Told() && was != place && len(rest) > 3 {
			used := c.Verb
			c.Verb.UsedTo = true
			c.fact(lukasa.KindFact, "lives_in", was, 0.8, false, "residence")
			c.Verb = used
		}
		if g.Future || g.Progressive && !g.Past {
			return c.planned(0.8)
		}
		if g.Told() {
			c.fact(lukasa.KindFact, "lives_in", place, 0.9, true, "residence")
		}
		return true
	case "rent", "lodge":
		if place := c.Place(rest, "in"); grammar.ProperPlace(place) && !g.Negated && !g.Told() && g.Modal == "" {
			c.fact(lukasa.KindFact, "lives_in", place, 0.75, len(c.Dates) > 0, "residence")
			return true
		}
	case "settle":
		if place := c.Place(rest, "in"); place != "" && g.Told() && !g.Negated {
			c.fact(lukasa.KindFact, "lives_in", place, 0.85, true, "residence")
			return true
		}
	case "grow", "raise":
		if len(rest) > 0 && (rest[0].Is("up") && g.Past || g.Passive) {
			if place := c.Place(rest, "in", "on"); place != "" {
				c.Verb.Past = false
				c.fact(lukasa.KindFact, "from", place, 0.8, false, "origin")
			}
			return true
		}
	case "come":
		if g.Current() && !g.Progressive && len(rest) > 0 && rest[0].Is("from") && !g.Negated {
			if place := c.Place(rest, "from"); grammar.ProperPlace(place) {
				c.fact(lukasa.KindFact, "from", place, 0.85, false, "origin")
			}
			return true
		}
	}
	return false
}

// newPlace: "got a room in Walthamstow", "moved the office to Alameda", "starting at the Mayo in February".
func (c *clause) newPlace() bool {
	g := c.Verb
	if g.Negated || g.Modal != "" || g.Must || g.UsedTo || len(c.Rest) < 3 {
		return false
	}
	switch g.Lemma {
	case "get", "rent", "take":
		if g.Told() && c.Rest[0].Is("a") && lexis.Dwellings[c.Rest[1].Low] {
			if place := c.Place(c.Rest[2:], "in"); grammar.ProperPlace(place) {
				c.fact(lukasa.KindFact, "lives_in", place, 0.7, true, "residence")
				return true
			}
		}
	case "move":
		if g.Told() && grammar.Articles[c.Rest[0].Low] && (c.Rest[1].Is("office") || c.Rest[1].Is("company") || c.Rest[1].Is("shop") ||
			c.Rest[1].Is("headquarters") || c.Rest[1].Is("studio")) {
			if place := c.Place(c.Rest[2:], "to"); grammar.ProperPlace(place) {
				c.fact(lukasa.KindFact, "located_in", place, 0.8, true, "residence")
				return true
			}
		}
	case "start", "begin":
		if (g.Progressive || g.Current() || g.Future) && !g.Past && c.Rest[0].Is("at") && len(c.Dates) > 0 {
			if org := c.Employer(c.Rest, 1); org != "" && c.Ahead() {
				n := len(c.x.out)
				if c.tell(lukasa.KindEvent, definingConfidence, "event"); len(c.x.out) > n {
					c.x.out[n].Slot, c.x.out[n].Value, c.x.out[n].ValidFrom = "works_at", org, c.Dates[0].From
				}
				c.title(c.Rest)
				return true
			}
		}
	}
	return false
}

// correction notes "…, not Paris" on the last statement.
func (c *clause) correction(value string) {
	for i := 0; i+1 < len(c.x.Toks); i++ {
		if c.x.Toks[i].Is(",") && c.x.Toks[i+1].Is("not") && i+2 < len(c.x.Toks) {
			rest := c.x.Toks[i+2:]
			for len(rest) > 0 && (rest[0].Is("in") || rest[0].Is("at") || grammar.Articles[rest[0].Low]) {
				rest = rest[1:]
			}
			np, _ := c.Phrase(rest, 0, grammar.PlaceStops)
			wrong := c.Bytes(np)
			if n := len(c.x.out); n > 0 && wrong != "" && c.x.out[n-1].Value == value {
				c.x.out[n-1].Corrects = wrong
			}
			return
		}
	}
}

// work: work at, work as, join, leave, quit, resign, be employed by, study.
func (c *clause) work() bool {
	g := c.Verb
	lemma, rest, changed := g.Lemma, c.Rest, false
	if (lemma == "start" || lemma == "begin" || lemma == "stop" || lemma == "quit") && len(rest) > 0 {
		if v := lexis.Verbs[rest[0].Low]; (v.Lemma == "work" || v.Lemma == "study") && v.Form == lexis.Gerund {
			if lemma == "stop" || lemma == "quit" {
				c.Verb.Ended = true
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
		if org := c.Employer(rest, 0); g.Told() && !g.Negated && org != "" {
			c.fact(lukasa.KindFact, "works_at", org, 0.8, true, "work")
			c.title(rest)
			return true
		}
	case "leave", "quit", "resign":
		return c.leaves(rest)
	case "study":
		return c.studies(rest)
	case "do":
		if len(rest) > 2 && rest[0].Is("a") && g.Progressive && !g.Past {
			for i, t := range rest[1:min(len(rest), 4)] {
				if lexis.Degrees[t.Low] && i+3 < len(rest) && (rest[i+2].Is("in") || rest[i+2].Is("'s") && rest[i+3].Is("in")) {
					for !rest[0].Is("in") {
						rest = rest[1:]
					}
					return c.studies(rest[1:])
				}
			}
		}
	case "employ", "hire":
		if g.Passive && len(rest) > 0 && (rest[0].Is("by") || rest[0].Is("at")) && !g.Future {
			if org := c.Employer(rest, 1); org != "" {
				c.fact(lukasa.KindFact, "works_at", org, 0.85, lemma == "hire", "work")
				c.title(rest)
			}
			return true
		}
	}
	return false
}

func (c *clause) worksAt(rest []lexis.Token, changed bool) bool {
	g := c.Verb
	if g.Future || g.Must || g.Negated && !c.Anymore() {
		return g.Negated
	}
	found := false
	for i, t := range rest {
		if (t.Is("at") || t.Is("for")) && i+1 < len(rest) {
			if org := c.Employer(rest, i+1); org != "" {
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

// title reads a job title behind the word "as" and adds it.
func (c *clause) title(toks []lexis.Token) {
	for i, t := range toks {
		if t.Is("as") && i+1 < len(toks) {
			np, _ := c.Phrase(toks, i+1, grammar.TitleStops)
			article := len(np) > 0 && grammar.Articles[np[0].Low]
			if np = grammar.Bare(np); len(np) > 0 && (article || lexis.Jobs[np[len(np)-1].Low] || np[0].Upper) && len(np) < 6 &&
				!np[0].Is("well") && !np[0].Is("usual") && !np[0].Is("soon") && !np[0].Is("much") && !np[0].Is("part") {
				past := c.Verb.Past
				c.Verb.Past = past && c.Verb.Lemma == "work" && c.Verb.Form == lexis.Past
				c.fact(lukasa.KindFact, "job_title", c.Bytes(np), 0.85, !c.Verb.Past && past, "work")
				c.Verb.Past = past
			}
			return
		}
	}
}

// leaves: "left Siemens", "quit my job at Google", "resigned from Acme".
func (c *clause) leaves(rest []lexis.Token) bool {
	g := c.Verb
	if !g.Told() || g.Negated {
		return false
	}
	i := 0
	switch {
	case len(rest) > 3 && grammar.Articles[rest[0].Low] && rest[1].Is("job") && (rest[2].Is("at") || rest[2].Is("with")):
		if org := c.Employer(rest, 3); org != "" {
			c.Verb.Ended = true
			c.fact(lukasa.KindFact, "works_at", org, 0.85, false, "work")
			return true
		}
	case grammar.Starts(rest, "from"):
		i = 1
	}
	np, _ := c.Phrase(rest, i, grammar.OrgStops)
	if np = grammar.Bare(np); len(np) == 0 || !np[0].Upper || len(np) > 5 || lexis.PlaceNames[np[0].Low] || lexis.GivenNames[np[0].Low] {
		if who := c.Who(); c.x.d.employer[who] != "" && g.Lemma != "resign" && len(c.Dates) > 0 && (len(rest) == 0 || c.Dated(rest[0]) ||
			len(rest) > 1 && grammar.Prepositions[rest[0].Low] && c.Dated(rest[1])) {
			c.Verb.Ended = true
			c.fact(lukasa.KindFact, "works_at", c.x.d.employer[who], 0.8, false, "work") // "I left in June"
			return true
		}
		switch {
		case c.Subj.Kind == grammar.Someone && (len(rest) == 0 || c.Dated(rest[0]) || grammar.Prepositions[rest[0].Low] && len(c.Dates) > 0 ||
			rest[0].Is("the") && grammar.Mentions(rest, "company", "team", "project", "band", "firm")):
			c.tell(lukasa.KindEvent, 0.7, "event")
		case grammar.Starts(rest, "my", "job"):
			c.tell(lukasa.KindEvent, 0.8, "work")
		default:
			return false
		}
		return true
	}
	c.Verb.Ended = true
	c.fact(lukasa.KindFact, "works_at", c.Bytes(np), 0.85, false, "work")
	return true
}

func (c *clause) studies(rest []lexis.Token) bool {
	g := c.Verb
	if g.Negated && !c.Anymore() || g.Future || g.Must {
		return g.Negated
	}
	i := 0
	if len(rest) > 0 && !rest[0].Is("at") && !rest[0].Is("for") && !rest[0].Is("in") && !rest[0].Is("hard") {
		np, end := c.Phrase(rest, 0, grammar.TitleStops)
		if len(np) > 0 && len(np) < 5 && !grammar.Articles[np[0].Low] {
			c.fact(lukasa.KindFact, "studies", c.Bytes(np), 0.85, false, "education")
		}
		i = end
	}
	for ; i+1 < len(rest); i++ {
		if rest[i].Is("at") {
			if org := c.Employer(rest, i+1); org != "" {
				c.fact(lukasa.KindFact, "studies_at", org, 0.85, false, "education")
			}
			break
		}
	}
	return true
}
