package distil

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// idleTasks begin obligations that are ways of speaking.
var idleTasks = wordSet("admit say agree confess go ask think know see be have understand talk stop hear believe mention point note emphasize stress wait laugh smile do keep find")

// obligation: "need to call the dentist", "have to renew my passport", "must send the invoice".
func (c *clause) obligation() bool {
	g := c.verb
	if g.negated || g.never || g.past || g.ended || c.subj.kind == nobody {
		return g.must || g.lemma == "need"
	}
	act := c.rest
	switch {
	case g.must && g.at >= 0 && g.lemma != "be":
		act = c.toks[g.at:]
	case g.lemma == "need" && c.follows("to") && !g.future:
		act = c.rest[1:]
	default:
		return g.lemma == "need"
	}
	return c.task(act, 0.85)
}

// task adds a task unless the act is an idle one. A verb the idle table names passes with a date and an object.
func (c *clause) task(act []token, confidence float64) bool {
	if len(act) < 2 || len(c.bytes(act)) < 6 {
		return true
	}
	if emptyObjects[act[1].low] && len(act) < 4 && !act[1].is("to") {
		return true
	}
	if idleTasks[act[0].low] && (len(c.dates) == 0 || len(act) < 4) {
		return true
	}
	for _, t := range act {
		if t.is("you") || t.is("your") {
			return true
		}
	}
	c.tell(lukasa.KindTask, confidence, "task")
	return true
}

// plan: "planning to run", "going to visit", "flying to Tokyo on March 20", "want to learn Japanese".
func (c *clause) plan() bool {
	g := c.verb
	if g.negated || g.never || g.past || g.ended {
		return false
	}
	switch {
	case (g.lemma == "plan" || g.lemma == "intend") && !g.perfect:
		if c.follows("to") || c.follows("on") && len(c.rest) > 1 || g.progressive && len(c.rest) > 1 {
			return c.planned(0.8)
		}
	case g.lemma == "want" && c.follows("to") && len(c.rest) > 2 && wishes[c.rest[1].low] && !g.future:
		return c.planned(0.7)
	case g.future && g.at >= 0 && g.lemma != "be":
		if len(c.dates) > 0 && !idleTasks[g.lemma] || travels[g.lemma] && len(c.rest) > 1 && c.named1() {
			return c.planned(0.75)
		}
		return true
	case g.future && g.lemma == "be" && len(c.dates) > 0 && (c.follows("in") || c.follows("at")) && c.named1():
		return c.planned(0.75)
	case g.progressive && (travels[g.lemma] || events[g.lemma]) && len(c.dates) > 0:
		return c.planned(0.75)
	case g.current() && !g.progressive && !g.perfect && (g.lemma == "start" || g.lemma == "begin" || g.lemma == "leave" || g.lemma == "fly" || g.lemma == "arrive" || g.lemma == "launch") && c.ahead():
		return c.planned(0.75)
	}
	return c.minuted()
}

// minuted: "Carla sends the contract to Acme by Monday", as minutes have it.
func (c *clause) minuted() bool {
	g := c.verb
	if c.subj.kind != someone || !g.current() || g.progressive || g.perfect || g.form&formThird == 0 || !c.ahead() || !deskWork[g.lemma] || len(c.rest) < 2 {
		return false
	}
	c.tell(lukasa.KindTask, 0.75, "task")
	return true
}

var deskWork = wordSet("send book write prepare review call finish order check update submit contact email fix test draft schedule arrange present deliver organise organize buy bring clean record merge deploy")

// wishes are acts that "want to" makes a plan of.
var wishes = wordSet("learn study become buy visit travel start build write run move change quit lose get open found apply train join sell publish finish adopt climb renovate switch migrate launch")

// travels are verbs whose progressive form tells a plan.
var travels = wordSet("fly travel go move drive visit sail return leave head relocate take come")

// events are further verbs that tell one when a date stands by.
var events = wordSet("meet see have run start attend host give present launch play perform speak stay celebrate throw begin hold compete interview work hike camp switch migrate")

// named1 reports whether the rest names something.
func (c *clause) named1() bool {
	return slices.ContainsFunc(c.rest, func(t token) bool { return t.upper && t.low != "i" })
}

// ahead reports whether the clause has a date that is not past.
func (c *clause) ahead() bool {
	return len(c.dates) > 0 && c.dates[0].To.After(c.x.in.At)
}

// planned adds the clause as a plan: a task with the tag "plan".
func (c *clause) planned(confidence float64) bool {
	if len(c.dates) > 0 && !c.dates[0].To.After(midnight(c.x.in.At)) {
		return true
	}
	for _, t := range c.rest {
		if t.is("you") || t.is("your") {
			return true
		}
	}
	if mentions(c.rest[max(0, len(c.rest)-1):], "it", "that", "this", "them", "there", "so") || !c.undated() {
		return true
	}
	c.tell(lukasa.KindTask, confidence, "plan")
	return true
}

// undated reports whether the rest says more than a date.
func (c *clause) undated() bool {
	return slices.ContainsFunc(c.rest, func(t token) bool { return t.kind == wordToken && !c.dated(t) && !trailing[t.low] && !t.is("at") })
}

// todo adds a task that stands by itself: a box, "TODO: …", "remind me to …".
func (x *extractor) todo(sp text.Span) {
	raw := sp.Of(x.s)
	if len(strings.Fields(raw)) == 0 || len(raw) > 300 || isMachine(raw) || asks(raw) {
		return
	}
	if bad, _ := Suspicious(raw); bad {
		return
	}
	toks := lex(nil, x.s, sp.Start, sp.End)
	if len(toks) == 0 || toks[len(toks)-1].end-toks[0].start < 3 {
		return
	}
	c := clause{x: x, toks: toks, dates: findDates(toks, x.in.At, 1)}
	st := Statement{Kind: lukasa.KindTask, Subject: x.me, Confidence: 0.85, Tags: []string{"task"},
		Content: "To do for " + strings.TrimPrefix(x.objective(), "The ") + ": " + strings.TrimRight(oneLine(text.PlainMarkdown(raw)), ". ") + c.reckoned()}
	c.happened(&st)
	st.Start, st.End = sp.Start, sp.End
	x.add(st)
}

// objective is the speaker behind a preposition.
func (x *extractor) objective() string {
	if x.me == "user" {
		return "the user"
	}
	return x.me
}

// having: relatives, pets, appointments, possessions, ailments.
func (c *clause) having() bool {
	g := c.verb
	switch g.lemma {
	case "have":
		if g.must || g.future || g.progressive {
			return false
		}
		if g.told() {
			return c.episode()
		}
		return g.negated || g.never || c.has(c.rest)
	case "own", "drive":
		return c.owning()
	case "use":
		return c.using()
	case "speak":
		if g.current() && !g.negated && !g.progressive {
			for _, v := range c.list(c.rest) {
				if v[0] >= 'A' && v[0] <= 'Z' && !strings.Contains(v, " ") {
					c.fact(lukasa.KindFact, "speaks", v, 0.9, false, "language")
				}
			}
		}
		return true
	case "play":
		return c.playing()
	case "learn":
		if g.progressive && !g.past && len(c.rest) > 0 && !c.rest[0].is("that") && !c.rest[0].is("how") && !c.rest[0].is("from") {
			np, _ := c.phrase(c.rest, 0, titleStops)
			if starts(np, "to") {
				np = np[1:]
			}
			if len(bare(np)) > 0 && len(np) < 4 && !emptyObjects[np[0].low] && !plain[np[0].low] {
				c.fact(lukasa.KindFact, "learns", c.bytes(bare(np)), 0.8, false, "education")
			}
			return true
		}
	case "name", "call":
		if g.told() && len(c.rest) > 2 && (c.rest[0].is("my") || c.rest[0].is("our")) && c.x.self {
			if rel, n := relationAt(c.rest, 1); rel != "" && 1+n < len(c.rest) && c.rest[1+n].upper {
				np, _ := c.phrase(c.rest, 1+n, titleStops)
				c.x.relation(c.x.me, rel, c.bytes(np))
				return true
			}
		}
	case "lead", "manage":
		np, _ := c.phrase(c.rest, 0, titleStops)
		if g.current() && !g.negated && !g.progressive && len(np) > 1 && len(np) < 6 && articles[np[0].low] && !np[0].is("my") {
			c.fact(lukasa.KindFact, "leads", c.bytes(np), 0.8, false, "work")
			return true
		}
	case "weigh":
		if len(c.rest) > 1 && c.rest[0].kind == numberToken && g.current() && !g.negated {
			c.fact(lukasa.KindFact, "weight", c.bytes(c.rest[:2]), 0.85, false, "identity")
			return true
		}
	case "turn":
		if len(c.rest) > 0 && ageOf(c.rest[0].low) != "" && g.told() && (len(c.rest) == 1 || c.dated(c.rest[1]) || c.rest[1].is("on") || hardStops[c.rest[1].low] || c.rest[1].is("years")) {
			dates := c.dates
			c.dates, c.verb.past = nil, false
			c.fact(lukasa.KindFact, "age", c.rest[0].low, 0.9, false, "identity")
			c.dates = dates
			return true
		}
	}
	return false
}

// has: what "I have" speaks of.
func (c *clause) has(rest []token) bool {
	if len(rest) == 0 {
		return true
	}
	if rest[0].is("got") {
		rest = rest[1:]
	}
	np, end := c.phrase(rest, 0, wordSet("with for at in on who which from to that about because since"))
	b := bare(np)
	if len(b) == 0 {
		return true
	}
	head := b[len(b)-1]
	for i := range b {
		// "a brother named Pedro", "a dog called Rex"
		if (b[i].is("named") || b[i].is("called")) && i > 0 && i+1 < len(b) {
			if rel, _ := relationAt(b, i-1); rel != "" {
				c.x.relation(c.who(), rel, c.bytes(b[i+1:]))
				return true
			}
		}
		if i > 0 && b[i].upper && i+1 == len(b) {
			if rel, n := relationAt(b, i-1); rel != "" && n == 1 {
				c.x.relation(c.who(), rel, c.bytes(b[i:]))
				return true
			}
		}
	}
	count := smallNumber(b[0].low) > 0 || allDigits(b[0].low) || b[0].is("one")
	one := singular(head.low)
	switch {
	case isPet(head.low) || isPet(one) || one == "kitten" || one == "fish" && count:
		c.fact(lukasa.KindFact, "has_pet", c.bytes(b), 0.85, false, "pet")
	case count && (relations[one] != "" || head.is("kids") || head.is("children") || head.is("grandchildren") || head.is("siblings")) && len(b) < 5:
		c.fact(lukasa.KindFact, "has", c.bytes(b), 0.85, false, "family")
		if end < len(rest) && rest[end].is(",") {
			if one == "kid" || head.is("children") {
				one = "child"
			}
			if r := relations[one]; r != "" {
				c.children(r, rest[end+1:])
			}
		}
	case relations[head.low] != "" && len(b) < 4 && familyTies[relations[head.low]] && !count:
		c.fact(lukasa.KindFact, "has", c.bytes(np), 0.8, false, "family")
	case appointments[head.low] || len(b) > 1 && appointments[b[0].low] && end < len(rest):
		if c.ahead() {
			c.tell(lukasa.KindEpisode, 0.8, "appointment")
		}
	case degrees[b[0].low] || degrees[head.low]:
		full, _ := c.phrase(rest, 0, wordSet("with for at on who which from to that about because since"))
		c.fact(lukasa.KindFact, "degree", c.bytes(bare(full)), 0.85, false, "education")
	case ailments[head.low]:
		c.fact(lukasa.KindFact, "condition", c.bytes(b), 0.85, false, "health")
	case ownable[one] && len(b) < 6 || len(b) > 1 && b[0].upper && !head.upper && len(b) < 5 && !plain[head.low] && (np[0].is("a") || np[0].is("an")):
		c.fact(lukasa.KindFact, "owns", c.bytes(b), 0.8, false, "possession")
	}
	return true
}

// children: the names behind "two older brothers, Miguel and Rui".
func (c *clause) children(rel string, names []token) {
	for _, n := range c.list(names) {
		if n[0] >= 'A' && n[0] <= 'Z' {
			c.x.relation(c.who(), rel, n)
		}
	}
}

var degrees = wordSet("phd doctorate mba bachelor bachelor's master master's degree diploma ba bsc msc")

var appointments = wordSet("appointment meeting exam interview flight wedding party concert presentation surgery operation checkup check-up call date demo deadline test lesson class rehearsal game match race conference workshop visit training reservation")

var ailments = wordSet("diabetes asthma adhd epilepsy arthritis insomnia hypertension migraines eczema dyslexia autism anemia psoriasis allergies cancer")

// ownable are things that one has for years.
var ownable = wordSet(`car bike bicycle motorcycle motorbike scooter van truck boat yacht house flat apartment cottage cabin garden greenhouse piano guitar violin cello drum
	camera laptop macbook iphone telescope tent caravan motorhome farm shop bakery restaurant company business website blog podcast kayak surfboard garage studio farm allotment synthesizer synthesiser sewing-machine`)

func (c *clause) owning() bool {
	g := c.verb
	if g.negated && !c.anymore() || g.future || g.must || g.progressive || g.told() && !g.usedTo {
		return false
	}
	np, end := c.phrase(c.rest, 0, titleStops)
	article := len(np) > 0 && (np[0].is("a") || np[0].is("an") || smallNumber(np[0].low) > 0)
	b := bare(np)
	if len(b) == 0 || len(b) > 6 || !article && !b[0].upper || emptyObjects[b[0].low] {
		return true
	}
	if g.lemma == "drive" && end < len(c.rest) && c.rest[end].is("to") {
		return true
	}
	pred := map[string]string{"own": "owns", "drive": "drives"}[g.lemma]
	c.fact(lukasa.KindFact, pred, c.bytes(b), 0.85, false, "possession")
	return true
}

func (c *clause) using() bool {
	g := c.verb
	if g.negated && !c.anymore() || !g.current() || g.progressive || g.perfect {
		return false
	}
	np, _ := c.phrase(c.rest, 0, titleStops)
	if b := bare(np); len(b) > 0 && len(b) < 5 && b[0].upper {
		c.fact(lukasa.KindFact, "uses", c.bytes(b), 0.8, false, "tool")
	}
	return true
}

// games are what one plays without being named like an instrument.
var games = wordSet(`football soccer basketball tennis chess golf badminton volleyball hockey cricket rugby baseball handball squash poker bridge go piano guitar violin cello drums bass flute
	saxophone trumpet clarinet harp ukulele organ accordion viola trombone banjo keyboard padel pool darts`)

func (c *clause) playing() bool {
	g := c.verb
	if g.negated && !c.anymore() || g.future || g.must || g.progressive || g.told() && !g.usedTo {
		return false
	}
	np, _ := c.phrase(c.rest, 0, titleStops)
	if b := bare(np); len(b) > 0 && len(b) < 4 && games[b[len(b)-1].low] {
		c.fact(lukasa.KindFact, "plays", c.bytes(b), 0.85, false, "hobby")
		return true
	}
	return false
}

// happenings are verbs whose past tells an episode, when a date, a name or a place makes it one of its own.
var happenings = wordSet(`go visit meet see attend travel fly buy sell adopt break lose win hike run watch have celebrate crash receive order book paint build make hurt
	take start join return cook bake try host organise organize get find read ride drive sail ski climb camp move donate plant play perform speak fall swim spend apply interview
	talk call eat stay give rent lease renovate repair fix finish teach learn cancel switch migrate deploy write turn train show volunteer register enrol enroll open found create begin`)

// strongHappenings need no date.
var strongHappenings = wordSet("adopt sell break win crash hurt")

// episode: what happened, when it was something of its own.
func (c *clause) episode() bool {
	g := c.verb
	if !g.told() || g.negated || g.never || g.passive || c.subj.kind == nobody || g.lemma == "be" {
		return false
	}
	if g.progressive || !happenings[g.lemma] || len(c.rest) == 0 {
		return false
	}
	dated := len(c.dates) > 0 && !c.dates[0].From.After(c.x.in.At)
	if len(c.dates) > 0 && !dated {
		return false
	}
	if g.perfect && !dated || !dated && !(g.lemma == "visit" && c.rest[0].upper) && !(strongHappenings[g.lemma] && len(c.rest) > 1) {
		return false
	}
	if len(c.toks)-c.subj.to < 3 || emptyObjects[c.rest[0].low] && len(c.rest) < 4 && !c.rest[0].is("to") {
		return false
	}
	for _, t := range c.rest {
		if t.is("you") || t.is("your") {
			return false
		}
	}
	c.tell(lukasa.KindEpisode, 0.75, "episode")
	c.newJob()
	return true
}
