package rules

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// jobs are the head nouns of job titles.
var jobs = lexis.Words(`accountant actor actress administrator analyst anesthetist architect artist astronomer attorney auditor author baker banker barber barista bartender biologist
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
var leadingJobs = lexis.Words("ceo cto cfo coo cio founder co-founder owner president chairman chairwoman chair")

// diets are what people say they are at table.
var diets = lexis.Words("vegetarian vegan pescatarian pescetarian coeliac celiac lactose-intolerant gluten-free flexitarian halal kosher")

var nationalities = lexis.Words(`american british english scottish irish welsh french german spanish italian portuguese dutch belgian swiss austrian polish czech slovak hungarian
	romanian bulgarian greek turkish russian ukrainian swedish norwegian danish finnish icelandic canadian mexican brazilian argentinian chilean colombian
	peruvian chinese japanese korean vietnamese thai indian pakistani indonesian filipino australian egyptian moroccan nigerian kenyan ghanaian ethiopian israeli iranian
	iraqi lebanese syrian saudi croatian serbian slovenian estonian latvian lithuanian`)

// copula: what someone is.
func (c *clause) copula() bool {
	g := c.verb
	if g.Be < 0 || g.Future || g.Must {
		return false
	}
	comp := c.toks[g.Be+1:]
	for len(comp) > 0 && (lexis.Adverbs[comp[0].Low] || comp[0].Is("not") || comp[0].Is("n't") || comp[0].Is("no") && len(comp) > 1 && comp[1].Is("longer") || comp[0].Is("longer")) {
		comp = comp[1:]
	}
	if len(comp) == 0 {
		return false
	}
	no := g.Negated && !c.anymore()
	if c.leaning(comp) {
		return true
	}
	if no {
		return false
	}
	return c.personal(comp) || c.relative(comp) || c.jobTitle(comp)
}

// leaning: fond of, into, a fan of, afraid of.
func (c *clause) leaning(comp []lexis.Token) bool {
	i := 0
	switch {
	case starts(comp, "into"), starts(comp, "onto"):
		i = 1
	case starts(comp, "fond", "of"), starts(comp, "crazy", "about"), starts(comp, "passionate", "about"), starts(comp, "keen", "on"), starts(comp, "obsessed", "with"),
		starts(comp, "interested", "in"), starts(comp, "addicted", "to"), starts(comp, "mad", "about"):
		i = 2
	case starts(comp, "a", "fan", "of"):
		i = 3
	case len(comp) > 4 && comp[0].Is("a") && comp[2].Is("fan") && comp[3].Is("of"):
		i = 4
	case starts(comp, "afraid", "of"), starts(comp, "scared", "of"), starts(comp, "terrified", "of"):
		np, _ := c.phrase(comp, 2, objStops)
		if v := c.liking(np); v != "" && !c.verb.Negated && c.verb.Current() {
			c.fact(lukasa.KindPreference, "afraid_of", v, 0.8, false, "preference")
		}
		return true
	}
	if i == 0 {
		return false
	}
	np, _ := c.phrase(comp, i, objStops)
	v := c.liking(np)
	if v == "" || !c.verb.Current() && !c.verb.Perfect {
		return true
	}
	pred := "likes"
	if c.verb.Negated || c.verb.Ended {
		pred = "dislikes"
		c.verb.Negated, c.verb.Ended = false, false
	}
	c.fact(lukasa.KindPreference, pred, v, 0.85, false, "preference")
	return true
}

// personal: age, origin, birth, marriage, diet, allergy, name.
func (c *clause) personal(comp []lexis.Token) bool {
	switch w := comp[0].Low; {
	case comp[0].Kind == lexis.Number && (mentions(comp, "tall") || mentions(comp, "cm")) && len(comp) > 1:
		for i, t := range comp {
			if t.Is("tall") || t.Is("and") || t.Is(",") {
				comp = comp[:i]
				break
			}
		}
		c.fact(lukasa.KindFact, "height", c.bytes(comp), 0.85, false, "identity")
		return true
	case ageOf(w) != "":
		if len(comp) == 1 || comp[1].Is(",") || comp[1].Is("and") || starts(comp[1:], "years", "old") || starts(comp[1:], "years", "of", "age") || starts(comp[1:], "now") || starts(comp[1:], "today") {
			if c.verb.Past {
				return true
			}
			c.fact(lukasa.KindFact, "age", ageOf(w), 0.9, false, "identity")
		}
		return true
	case w == "responsible" && len(comp) > 2 && comp[1].Is("for"):
		np, _ := c.phrase(comp, 2, titleStops)
		if len(np) > 1 && articles[np[0].Low] && c.subj.kind == someone {
			c.fact(lukasa.KindFact, "responsible_for", c.bytes(bare(np)), 0.8, false, "work")
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
	case (w == "married" || w == "engaged") && len(comp) > 2 && comp[1].Is("to"):
		pred := map[string]string{"married": "spouse", "engaged": "fiance"}[w]
		if np, _ := c.phrase(comp, 2, titleStops); len(np) > 0 && np[0].Upper {
			c.fact(lukasa.KindFact, pred, c.bytes(np), 0.9, false, "family")
		}
		return true
	case (w == "married" || w == "divorced" || w == "single" || w == "widowed" || w == "engaged") && (len(comp) == 1 || comp[1].Is("and") || comp[1].Is("now") || c.dated(comp[1])) && !c.verb.Past:
		c.fact(lukasa.KindFact, "marital_status", w, 0.8, false, "family")
		return true
	case w == "called" || w == "named":
		if len(comp) > 1 && comp[1].Upper && c.subj.rel != "" {
			np, _ := c.phrase(comp, 1, titleStops)
			c.x.relation(c.subj.own, c.subj.rel, c.bytes(np))
		}
		return true
	case w == "allergic" && len(comp) > 2 && comp[1].Is("to"):
		for _, v := range c.list(comp[2:]) {
			c.fact(lukasa.KindFact, "allergic_to", v, 0.9, false, "health")
		}
		return true
	case c.isDiet(comp):
		return true
	case nationalities[w] && comp[0].Upper && (len(comp) == 1 || comp[1].Is("and") || comp[1].Is(",") || comp[1].Is("citizen")):
		c.fact(lukasa.KindFact, "nationality", comp[0].Of(c.x.s), 0.85, false, "identity")
		return true
	case c.subj.kind == speaker && !c.subj.we && comp[0].Upper && c.verb.Current():
		return c.introduces(comp)
	}
	return false
}

func (c *clause) isDiet(comp []lexis.Token) bool {
	i := 0
	for i < len(comp) && (comp[i].Is("a") || comp[i].Is("an") || comp[i].Is("strict")) {
		i++
	}
	if i < len(comp) && diets[comp[i].Low] && (i+1 == len(comp) || hardStops[comp[i+1].Low] || comp[i+1].Is("and") || comp[i+1].Is(",") || comp[i+1].Is("since") || comp[i+1].Is("for")) {
		c.fact(lukasa.KindFact, "diet", comp[i].Low, 0.9, false, "diet")
		return true
	}
	return false
}

// introduces: "I'm Ben".
func (c *clause) introduces(comp []lexis.Token) bool {
	found := lexis.Names(c.x.s, comp)
	if len(found) == 0 || found[0].From != 0 || found[0].To > 3 {
		return false
	}
	end := found[0].To
	if !lexis.GivenNames[comp[0].Low] && !mentions(c.x.toks, "hi", "hello", "hey") {
		return false
	}
	if end < len(comp) && !comp[end].Is("and") && !comp[end].Is(",") && !comp[end].Is("from") || !lexis.GivenNames[comp[0].Low] && end < len(comp) {
		return false
	}
	if !lexis.GivenNames[comp[0].Low] && (nationalities[comp[0].Low] || lexis.PlaceNames[comp[0].Low]) {
		return false
	}
	c.fact(lukasa.KindFact, "name", c.bytes(comp[:end]), 0.85, false, "identity")
	if end+2 < len(comp) && comp[end].Is(",") && (comp[end+1].Is("a") || comp[end+1].Is("an") || comp[end+1].Is("the")) {
		c.jobTitle(comp[end+1:])
	}
	if end < len(comp) && comp[end].Is("from") {
		if place := c.place(comp[end:], "from"); properPlace(place) {
			c.fact(lukasa.KindFact, "from", place, 0.8, false, "origin")
		}
	}
	return true
}

// born: on a date, in a place or both.
func (c *clause) born(comp []lexis.Token) bool {
	if len(c.dates) > 0 {
		if m := c.dates[0]; !m.Relative || m.Precision == lexis.ToYear {
			c.dates = nil
			c.verb.Past = false
			c.fact(lukasa.KindFact, "birthday", m.ISO(), 0.9, false, "identity")
			c.dates = []lexis.Moment{m}
		} else if m.Precision == lexis.ToDay {
			c.dates = nil
			c.fact(lukasa.KindFact, "birthday", m.From.Format("01-02"), 0.85, false, "identity")
			c.dates = []lexis.Moment{m}
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
func (c *clause) relative(comp []lexis.Token) bool {
	if c.subj.kind != someone || !c.verb.Current() {
		return false
	}
	if c.subj.rel != "" && comp[0].Upper && strings.HasSuffix(c.subj.name, "'s "+c.subj.rel) && !nationalities[comp[0].Low] {
		np, _ := c.phrase(comp, 0, titleStops)
		if len(np) > 0 && len(np) < 4 {
			c.x.relation(c.subj.own, c.subj.rel, c.bytes(np))
		}
		return true
	}
	i, owner := 0, ""
	switch {
	case comp[0].Is("my") || comp[0].Is("our"):
		if !c.x.self {
			return true
		}
		i, owner = 1, c.x.me
	case comp[0].Upper:
		found := lexis.Names(c.x.s, comp)
		if len(found) == 0 || found[0].From != 0 || found[0].To >= len(comp) || !comp[found[0].To].Is("'s") {
			return false
		}
		i, owner = found[0].To+1, lexis.PlainName(c.x.s, comp, found[0])
	default:
		return false
	}
	for i < len(comp) && relationAdjectives[comp[i].Low] {
		i++
	}
	if i < len(comp) {
		if comp[i].Is("favourite") || comp[i].Is("favorite") {
			c.favouriteOf(owner, comp[i+1:], c.subj.name)
			return true
		}
		if rel, n := relationAt(comp, i); rel != "" && (i+n == len(comp) || !comp[i+n].Upper) {
			c.x.relation(owner, rel, c.subj.name)
		} else if owner == c.x.me && jobs[comp[len(comp)-1].Low] && len(comp)-i < 4 {
			c.fact(lukasa.KindFact, "job_title", c.bytes(comp[i:]), 0.8, false, "work")
		}
	}
	return true
}

// favouriteOf: "Jazz is my favourite music".
func (c *clause) favouriteOf(owner string, toks []lexis.Token, value string) {
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
	s = strings.ToLower(lexis.OneLine(s))
	s = strings.ReplaceAll(strings.ReplaceAll(s, "color", "colour"), "favorite", "favourite")
	return strings.ReplaceAll(strings.ReplaceAll(s, " ", "_"), "-", "_")
}

// jobTitle: "a nurse", "a senior data scientist at Spotify", "the CTO of Fernweh", "head of marketing".
func (c *clause) jobTitle(comp []lexis.Token) bool {
	if !c.verb.Current() && !c.verb.Past && !c.verb.Perfect || c.verb.Progressive || c.verb.Passive {
		return false
	}
	article := comp[0].Is("a") || comp[0].Is("an") || comp[0].Is("the")
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
		if t.Is("of") {
			of = i
			break
		}
	}
	head := len(np) - 1
	if of > 0 {
		head = of - 1
	}
	if !jobs[np[head].Low] || !article && !np[head].Shout && of < 0 || head > 4 || np[0].Is("good") || np[0].Is("bad") || np[0].Is("great") || np[0].Is("better") || np[0].Is("terrible") {
		return false
	}
	if c.subj.kind == speaker && np[head].Is("model") {
		return false
	}
	title, org := np, ""
	if of > 0 && leadingJobs[np[head].Low] && of+1 < len(np) {
		title = np[:of]
		org = c.bytes(bare(np[of+1:]))
	} else if of > 0 && (np[head].Is("head") || np[head].Is("lead") || np[head].Is("chief")) && of+1 >= len(np) {
		return false
	} else if of < 0 && (np[head].Is("head") || np[head].Is("lead") || np[head].Is("chief") || np[head].Is("chair")) && head == 0 {
		return false
	}
	c.fact(lukasa.KindFact, "job_title", c.bytes(title), 0.9, false, "work")
	if org == "" && end < len(toks) && (toks[end].Is("at") || toks[end].Is("for") || toks[end].Is("with")) && end+1 < len(toks) {
		if n, _ := c.phrase(toks, end+1, orgStops); len(bare(n)) > 0 && bare(n)[0].Upper {
			org = c.bytes(bare(n))
		}
	}
	if org != "" {
		c.fact(lukasa.KindFact, "works_at", org, 0.85, false, "work")
	}
	return true
}
