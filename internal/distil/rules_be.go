package distil

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// jobs are the head nouns of job titles.
var jobs = wordSet(`accountant actor actress administrator analyst anesthetist architect artist astronomer attorney auditor author baker banker barber barista bartender biologist
	bookkeeper botanist builder butcher carpenter cashier ceo cfo chef chemist cio cleaner clerk coach coder composer conductor consultant contractor cook coo coordinator
	cto curator dancer dentist designer detective developer dietitian director diplomat doctor driver economist editor electrician engineer entrepreneur farmer filmmaker
	firefighter florist founder co-founder freelancer gardener geologist geographer hairdresser historian housewife illustrator instructor intern interpreter investor janitor jeweller
	journalist judge lawyer lecturer librarian linguist locksmith machinist magician manager marketer mathematician mechanic midwife model musician nanny neurologist
	novelist nurse nutritionist officer operator optician orthodontist owner painter paramedic pastor pathologist pediatrician paediatrician pharmacist photographer physicist physician
	physiotherapist pianist pilot plumber poet policeman policewoman politician postman potter president priest principal producer professor programmer prosecutor
	psychiatrist psychologist psychotherapist radiologist realtor receptionist recruiter reporter researcher retiree roofer sailor salesman salesperson saleswoman scientist sculptor secretary
	sergeant singer sociologist soldier solicitor specialist statistician stylist supervisor surgeon surveyor tailor teacher technician therapist trader trainer translator
	tutor undertaker upholsterer veterinarian vet violinist vp waiter waitress welder writer zoologist apprentice student undergraduate postdoc apprentice strategist sre
	head lead chief chair chairman chairwoman dean`)

// leadingJobs are titles whose "of" names the employer.
var leadingJobs = wordSet("ceo cto cfo coo cio founder co-founder owner president chairman chairwoman chair")

// diets are what people say they are at table.
var diets = wordSet("vegetarian vegan pescatarian pescetarian coeliac celiac lactose-intolerant gluten-free flexitarian halal kosher")

var nationalities = wordSet(`american british english scottish irish welsh french german spanish italian portuguese dutch belgian swiss austrian polish czech slovak hungarian
	romanian bulgarian greek turkish russian ukrainian swedish norwegian danish finnish icelandic canadian mexican brazilian argentinian chilean colombian
	peruvian chinese japanese korean vietnamese thai indian pakistani indonesian filipino australian egyptian moroccan nigerian kenyan ghanaian ethiopian israeli iranian
	iraqi lebanese syrian saudi croatian serbian slovenian estonian latvian lithuanian`)

// copula: what someone is.
func (c *clause) copula() bool {
	g := c.verb
	if g.be < 0 || g.future || g.must {
		return false
	}
	comp := c.toks[g.be+1:]
	for len(comp) > 0 && (adverbs[comp[0].low] || comp[0].is("not") || comp[0].is("n't") || comp[0].is("no") && len(comp) > 1 && comp[1].is("longer") || comp[0].is("longer")) {
		comp = comp[1:]
	}
	if len(comp) == 0 {
		return false
	}
	no := g.negated && !c.anymore()
	if c.leaning(comp) {
		return true
	}
	if no {
		return false
	}
	return c.personal(comp) || c.relative(comp) || c.jobTitle(comp)
}

// leaning: fond of, into, a fan of, afraid of.
func (c *clause) leaning(comp []token) bool {
	i := 0
	switch {
	case starts(comp, "into"), starts(comp, "onto"):
		i = 1
	case starts(comp, "fond", "of"), starts(comp, "crazy", "about"), starts(comp, "passionate", "about"), starts(comp, "keen", "on"), starts(comp, "obsessed", "with"),
		starts(comp, "interested", "in"), starts(comp, "addicted", "to"), starts(comp, "mad", "about"):
		i = 2
	case starts(comp, "a", "fan", "of"):
		i = 3
	case len(comp) > 4 && comp[0].is("a") && comp[2].is("fan") && comp[3].is("of"):
		i = 4
	case starts(comp, "afraid", "of"), starts(comp, "scared", "of"), starts(comp, "terrified", "of"):
		np, _ := c.phrase(comp, 2, objStops)
		if v := c.liking(np); v != "" && !c.verb.negated && c.verb.current() {
			c.fact(lukasa.KindPreference, "afraid_of", v, 0.8, false, "preference")
		}
		return true
	}
	if i == 0 {
		return false
	}
	np, _ := c.phrase(comp, i, objStops)
	v := c.liking(np)
	if v == "" || !c.verb.current() && !c.verb.perfect {
		return true
	}
	pred := "likes"
	if c.verb.negated || c.verb.ended {
		pred = "dislikes"
		c.verb.negated, c.verb.ended = false, false
	}
	c.fact(lukasa.KindPreference, pred, v, 0.85, false, "preference")
	return true
}

// personal: age, origin, birth, marriage, diet, allergy, name.
func (c *clause) personal(comp []token) bool {
	switch w := comp[0].low; {
	case comp[0].kind == numberToken && (mentions(comp, "tall") || mentions(comp, "cm")) && len(comp) > 1:
		for i, t := range comp {
			if t.is("tall") || t.is("and") || t.is(",") {
				comp = comp[:i]
				break
			}
		}
		c.fact(lukasa.KindFact, "height", c.bytes(comp), 0.85, false, "identity")
		return true
	case ageOf(w) != "":
		if len(comp) == 1 || comp[1].is(",") || comp[1].is("and") || starts(comp[1:], "years", "old") || starts(comp[1:], "years", "of", "age") || starts(comp[1:], "now") || starts(comp[1:], "today") {
			if c.verb.past {
				return true
			}
			c.fact(lukasa.KindFact, "age", ageOf(w), 0.9, false, "identity")
		}
		return true
	case w == "responsible" && len(comp) > 2 && comp[1].is("for"):
		np, _ := c.phrase(comp, 2, titleStops)
		if len(np) > 1 && articles[np[0].low] && c.subj.kind == someone {
			c.fact(lukasa.KindFact, "responsible_for", c.bytes(np), 0.8, false, "work")
		}
		return true
	case w == "from":
		if place := c.place(comp, "from"); properPlace(place) {
			c.fact(lukasa.KindFact, "from", place, 0.9, false, "origin")
		}
		return true
	case w == "based":
		if place := c.place(comp, "in", "at"); place != "" && place[0] < 'a' {
			c.fact(lukasa.KindFact, "lives_in", place, 0.85, false, "residence")
		}
		return true
	case w == "born":
		return c.born(comp)
	case (w == "married" || w == "engaged") && len(comp) > 2 && comp[1].is("to"):
		pred := map[string]string{"married": "spouse", "engaged": "fiance"}[w]
		if np, _ := c.phrase(comp, 2, titleStops); len(np) > 0 && np[0].upper {
			c.fact(lukasa.KindFact, pred, c.bytes(np), 0.9, false, "family")
		}
		return true
	case (w == "married" || w == "divorced" || w == "single" || w == "widowed" || w == "engaged") && (len(comp) == 1 || comp[1].is("and") || comp[1].is("now") || c.dated(comp[1])) && !c.verb.past:
		c.fact(lukasa.KindFact, "marital_status", w, 0.8, false, "family")
		return true
	case w == "called" || w == "named":
		if len(comp) > 1 && comp[1].upper && c.subj.rel != "" {
			np, _ := c.phrase(comp, 1, titleStops)
			c.x.relation(c.subj.own, c.subj.rel, c.bytes(np))
		}
		return true
	case w == "allergic" && len(comp) > 2 && comp[1].is("to"):
		for _, v := range c.list(comp[2:]) {
			c.fact(lukasa.KindFact, "allergic_to", v, 0.9, false, "health")
		}
		return true
	case c.isDiet(comp):
		return true
	case nationalities[w] && comp[0].upper && (len(comp) == 1 || comp[1].is("and") || comp[1].is(",") || comp[1].is("citizen")):
		c.fact(lukasa.KindFact, "nationality", comp[0].of(c.x.s), 0.85, false, "identity")
		return true
	case c.subj.kind == speaker && !c.subj.we && comp[0].upper && c.verb.current():
		return c.introduces(comp)
	}
	return false
}

func (c *clause) isDiet(comp []token) bool {
	i := 0
	for i < len(comp) && (comp[i].is("a") || comp[i].is("an") || comp[i].is("strict")) {
		i++
	}
	if i < len(comp) && diets[comp[i].low] && (i+1 == len(comp) || hardStops[comp[i+1].low] || comp[i+1].is("and") || comp[i+1].is(",") || comp[i+1].is("since") || comp[i+1].is("for")) {
		c.fact(lukasa.KindFact, "diet", comp[i].low, 0.9, false, "diet")
		return true
	}
	return false
}

// introduces: "I'm Ben".
func (c *clause) introduces(comp []token) bool {
	found := names(c.x.s, comp)
	if len(found) == 0 || found[0].from != 0 || found[0].to > 3 {
		return false
	}
	end := found[0].to
	if end < len(comp) && !comp[end].is("and") && !comp[end].is(",") && !comp[end].is("from") || !givenNames[comp[0].low] && end < len(comp) {
		return false
	}
	if !givenNames[comp[0].low] && (nationalities[comp[0].low] || placeNames[comp[0].low]) {
		return false
	}
	c.fact(lukasa.KindFact, "name", c.bytes(comp[:end]), 0.85, false, "identity")
	if end < len(comp) && comp[end].is("from") {
		if place := c.place(comp[end:], "from"); properPlace(place) {
			c.fact(lukasa.KindFact, "from", place, 0.8, false, "origin")
		}
	}
	return true
}

// born: on a date, in a place or both.
func (c *clause) born(comp []token) bool {
	if len(c.dates) > 0 {
		if m := c.dates[0]; !m.Relative || m.Precision == ToYear {
			c.dates = nil
			c.verb.past = false
			c.fact(lukasa.KindFact, "birthday", m.ISO(), 0.9, false, "identity")
			c.dates = []Moment{m}
		} else if m.Precision == ToDay {
			c.dates = nil
			c.fact(lukasa.KindFact, "birthday", m.From.Format("01-02"), 0.85, false, "identity")
			c.dates = []Moment{m}
		}
	}
	dates := c.dates
	if place := c.place(comp, "in"); properPlace(place) {
		c.dates = nil
		c.fact(lukasa.KindFact, "born_in", place, 0.9, false, "origin")
	}
	c.dates = dates
	return true
}

// relative: "Henrik is my manager", "Mia is Leo's sister", "Kiwi is our parrot", and "My best friend is Carla".
func (c *clause) relative(comp []token) bool {
	if c.subj.kind != someone || !c.verb.current() {
		return false
	}
	if c.subj.rel != "" && comp[0].upper && strings.HasSuffix(c.subj.name, "'s "+c.subj.rel) && !nationalities[comp[0].low] {
		np, _ := c.phrase(comp, 0, titleStops)
		if len(np) > 0 && len(np) < 4 {
			c.x.relation(c.subj.own, c.subj.rel, c.bytes(np))
		}
		return true
	}
	i, owner := 0, ""
	switch {
	case comp[0].is("my") || comp[0].is("our"):
		if !c.x.self {
			return true
		}
		i, owner = 1, c.x.me
	case comp[0].upper:
		found := names(c.x.s, comp)
		if len(found) == 0 || found[0].from != 0 || found[0].to >= len(comp) || !comp[found[0].to].is("'s") {
			return false
		}
		i, owner = found[0].to+1, plainName(c.x.s, comp, found[0])
	default:
		return false
	}
	for i < len(comp) && relationAdjectives[comp[i].low] {
		i++
	}
	if i < len(comp) {
		if comp[i].is("favourite") || comp[i].is("favorite") {
			c.favouriteOf(owner, comp[i+1:], c.subj.name)
			return true
		}
		if rel, n := relationAt(comp, i); rel != "" && (i+n == len(comp) || !comp[i+n].upper) {
			c.x.relation(owner, rel, c.subj.name)
		}
	}
	return true
}

// favouriteOf: "Jazz is my favourite music".
func (c *clause) favouriteOf(owner string, toks []token, value string) {
	np, _ := c.phrase(toks, 0, titleStops)
	if len(np) == 0 || len(np) > 3 {
		return
	}
	subj := c.subj
	c.subj = party{kind: speaker, name: owner}
	if owner != c.x.me {
		c.subj.kind = someone
	}
	c.fact(lukasa.KindPreference, "favourite_"+slug(c.bytes(np)), value, 0.9, false, "preference")
	c.subj = subj
}

// slug writes a noun as a part of a predicate; American spellings become British ones.
func slug(s string) string {
	s = strings.ToLower(oneLine(s))
	s = strings.ReplaceAll(strings.ReplaceAll(s, "color", "colour"), "favorite", "favourite")
	return strings.ReplaceAll(strings.ReplaceAll(s, " ", "_"), "-", "_")
}

// jobTitle: "a nurse", "a senior data scientist at Spotify", "the CTO of Fernweh", "head of marketing".
func (c *clause) jobTitle(comp []token) bool {
	if !c.verb.current() && !c.verb.past && !c.verb.perfect || c.verb.progressive || c.verb.passive {
		return false
	}
	article := comp[0].is("a") || comp[0].is("an") || comp[0].is("the")
	toks := comp
	if article {
		toks = comp[1:]
	}
	np, end := c.phrase(toks, 0, titleStops)
	if len(np) == 0 || len(np) > 8 {
		return false
	}
	of := -1
	for i, t := range np {
		if t.is("of") {
			of = i
			break
		}
	}
	head := len(np) - 1
	if of > 0 {
		head = of - 1
	}
	if !jobs[np[head].low] || !article && !np[head].shout && of < 0 || head > 4 || np[0].is("good") || np[0].is("bad") || np[0].is("great") || np[0].is("better") || np[0].is("terrible") {
		return false
	}
	if c.subj.kind == speaker && np[head].is("model") {
		return false
	}
	title, org := np, ""
	if of > 0 && leadingJobs[np[head].low] && of+1 < len(np) {
		title = np[:of]
		org = c.bytes(bare(np[of+1:]))
	} else if of > 0 && (np[head].is("head") || np[head].is("lead") || np[head].is("chief")) && of+1 >= len(np) {
		return false
	} else if of < 0 && (np[head].is("head") || np[head].is("lead") || np[head].is("chief") || np[head].is("chair")) && head == 0 {
		return false
	}
	c.fact(lukasa.KindFact, "job_title", c.bytes(title), 0.9, false, "work")
	if org == "" && end < len(toks) && (toks[end].is("at") || toks[end].is("for") || toks[end].is("with")) && end+1 < len(toks) {
		if n, _ := c.phrase(toks, end+1, orgStops); len(bare(n)) > 0 && bare(n)[0].upper {
			org = c.bytes(bare(n))
		}
	}
	if org != "" {
		c.fact(lukasa.KindFact, "works_at", org, 0.85, false, "work")
	}
	return true
}
