package rules

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// idleTasks begin obligations that are ways of speaking.
var idleTasks = lexis.Words("admit say agree confess go ask think know see leave be have understand talk stop hear believe mention point note emphasize stress wait laugh smile do keep find")

// obligation: "need to call the dentist", "have to renew my passport", "must send the invoice".
func (c *clause) obligation() bool {
	g := c.verb
	if g.Negated || g.Never || g.Past || g.Ended || g.Perfect || c.subj.kind == nobody {
		return g.Must || g.Lemma == "need"
	}
	var act []lexis.Token
	switch {
	case g.Must && g.At >= 0 && g.Lemma != "be":
		act = c.toks[g.At:]
	case g.Lemma == "need" && c.follows("to") && !g.Future:
		act = c.rest[1:]
	default:
		return g.Lemma == "need"
	}
	return c.task(act, 0.85)
}

// task adds a task unless the act is an idle one. A verb the idle table names passes with a date and an object.
func (c *clause) task(act []lexis.Token, confidence float64) bool {
	for i, t := range act {
		if t.Is(",") && i < 3 {
			act = act[:i]
			break
		}
	}
	if len(act) < 2 || len(c.bytes(act)) < 6 {
		return true
	}
	if emptyObjects[act[1].Low] && len(act) < 4 && !act[1].Is("to") && (len(act) < 3 || !articles[act[1].Low] || hardStops[act[2].Low]) {
		return true
	}
	if idleTasks[act[0].Low] && (len(c.dates) == 0 || len(act) < 4) {
		return true
	}
	for _, t := range act {
		if t.Is("you") || t.Is("your") {
			return true
		}
	}
	c.tell(lukasa.KindTask, confidence, "task")
	return true
}

// plan: "planning to run", "going to visit", "flying to Tokyo on March 20", "want to learn Japanese".
func (c *clause) plan() bool {
	g := c.verb
	if g.Negated || g.Never || g.Past || g.Ended {
		return false
	}
	switch {
	case (g.Lemma == "plan" || g.Lemma == "intend") && !g.Perfect:
		if c.follows("to") || c.follows("on") && len(c.rest) > 1 || g.Progressive && len(c.rest) > 1 {
			return c.planned(0.8)
		}
	case g.Lemma == "want" && c.follows("to") && len(c.rest) > 2 && wishes[c.rest[1].Low] && !g.Future:
		return c.planned(0.7)
	case g.Future && wishes[g.Lemma] && slices.ContainsFunc(c.rest, func(t lexis.Token) bool { return projects[t.Low] }) && (c.follows("a") || c.follows("an") || c.follows("my") || c.follows("our")):
		return c.planned(0.75)
	case g.Future && g.At >= 0 && g.Lemma != "be":
		if len(c.dates) > 0 && !idleTasks[g.Lemma] || travels[g.Lemma] && len(c.rest) > 1 && c.named1() {
			return c.planned(0.75)
		}
		return true
	case g.Future && g.Lemma == "be" && len(c.dates) > 0 && (c.follows("in") || c.follows("at")) && c.named1():
		return c.planned(0.75)
	case g.Progressive && (travels[g.Lemma] || events[g.Lemma]) && len(c.dates) > 0:
		return c.planned(0.75)
	case g.Current() && !g.Progressive && !g.Perfect && (g.Lemma == "start" || g.Lemma == "begin" || g.Lemma == "leave" || g.Lemma == "fly" || g.Lemma == "arrive" || g.Lemma == "launch") && c.ahead():
		return c.planned(0.75)
	}
	return c.minuted()
}

// minuted: "Carla sends the contract to Acme by Monday", as minutes have it.
func (c *clause) minuted() bool {
	g := c.verb
	if c.subj.kind != someone || !g.Current() || g.Progressive || g.Perfect || g.Form&lexis.Third == 0 || !c.ahead() || !deskWork[g.Lemma] || len(c.rest) < 2 {
		return false
	}
	c.tell(lukasa.KindTask, 0.75, "task")
	return true
}

var deskWork = lexis.Words("send book write prepare review call finish order check update submit contact email fix test draft schedule arrange present deliver organise organize buy bring clean record merge deploy")

// wishes are acts that "want to" makes a plan of.
var wishes = lexis.Words("learn study become buy visit travel start build write run move change quit lose get open found apply train join sell publish finish adopt climb renovate switch migrate launch")

// travels are verbs whose progressive form tells a plan.
var travels = lexis.Words("fly travel go move drive visit sail return leave head relocate take come")

// events are further verbs that tell one when a date stands by.
var events = lexis.Words("meet see have run start attend host give present launch play perform speak stay celebrate throw begin hold compete interview work hike camp switch migrate")

// named1 reports whether the rest names something.
func (c *clause) named1() bool {
	return slices.ContainsFunc(c.rest, func(t lexis.Token) bool { return t.Upper && t.Low != "i" })
}

// ahead reports whether the clause has a date that is not past.
func (c *clause) ahead() bool {
	return len(c.dates) > 0 && c.dates[0].To.After(c.x.in.At)
}

// planned adds the clause as a plan: a task with the tag "plan".
func (c *clause) planned(confidence float64) bool {
	if len(c.dates) > 0 && !c.dates[0].To.After(lexis.Midnight(c.x.in.At)) {
		return true
	}
	for _, t := range c.rest {
		if t.Is("you") || t.Is("your") {
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
	return slices.ContainsFunc(c.rest, func(t lexis.Token) bool {
		return t.Kind == lexis.Word && !c.dated(t) && !trailing[t.Low] && !t.Is("at")
	})
}

// todo adds a task that stands by itself: a box, "TODO: …", "remind me to …".
func (x *extractor) todo(sp text.Span) {
	raw := sp.Of(x.s)
	if len(strings.Fields(raw)) == 0 || len(raw) > 300 || isMachine(raw) || asks(raw) {
		return
	}
	if bad, _ := lexis.Suspicious(raw); bad {
		return
	}
	toks := lexis.Lex(nil, x.s, sp.Start, sp.End)
	if len(toks) == 0 || toks[len(toks)-1].End-toks[0].Start < 3 {
		return
	}
	c := clause{x: x, toks: toks, dates: lexis.FindDates(toks, x.in.At, 1)}
	st := Statement{
		Kind: lukasa.KindTask, Subject: x.me, Confidence: 0.85, Tags: []string{"task"},
		Content: "To do for " + strings.TrimPrefix(x.objective(), "The ") + ": " + strings.TrimRight(lexis.OneLine(text.PlainMarkdown(raw)), ". ") + c.reckoned(),
	}
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
	switch g.Lemma {
	case "have":
		if g.Must || g.Future || g.Progressive {
			return false
		}
		if g.Told() {
			return c.episode()
		}
		if g.Negated || g.Never {
			return true
		}
		start := 0
		for i := 1; i+1 < len(c.rest); i++ { // "three kids and a tortoise"
			if c.rest[i].Is("and") && (c.rest[i+1].Is("a") || c.rest[i+1].Is("an") || lexis.SmallNumber(c.rest[i+1].Low) > 0) {
				c.has(c.rest[start:i])
				start = i + 1
			}
		}
		return c.has(c.rest[start:])
	case "own", "drive":
		return c.owning()
	case "use":
		return c.using()
	case "speak":
		if g.Current() && !g.Negated && !g.Progressive {
			for _, v := range c.list(c.rest) {
				if level, language, ok := strings.Cut(v, " "); ok && skills[level] {
					v = language
				}
				if v[0] >= 'A' && v[0] <= 'Z' && !strings.Contains(v, " ") {
					c.fact(lukasa.KindFact, "speaks", v, 0.9, false, "language")
				}
			}
		}
		return true
	case "play":
		return c.playing()
	case "learn":
		if g.Progressive && !g.Past && len(c.rest) > 0 && !c.rest[0].Is("that") && !c.rest[0].Is("how") && !c.rest[0].Is("from") {
			np, _ := c.phrase(c.rest, 0, titleStops)
			if starts(np, "to") {
				np = np[1:]
			}
			if len(bare(np)) > 0 && len(np) < 4 && !emptyObjects[np[0].Low] && !lexis.Plain[np[0].Low] {
				c.fact(lukasa.KindFact, "learns", c.bytes(bare(np)), 0.8, false, "education")
			}
			return true
		}
	case "name", "call":
		if g.Told() && len(c.rest) > 2 && (c.rest[0].Is("my") || c.rest[0].Is("our")) && c.x.self {
			if rel, n := relationAt(c.rest, 1); rel != "" && 1+n < len(c.rest) && c.rest[1+n].Upper {
				np, _ := c.phrase(c.rest, 1+n, titleStops)
				c.x.relation(c.x.me, rel, c.bytes(np))
				return true
			}
		}
	case "lead", "manage":
		np, _ := c.phrase(c.rest, 0, titleStops)
		if g.Current() && !g.Negated && !g.Progressive && len(np) > 1 && len(np) < 6 && articles[np[0].Low] && !np[0].Is("my") {
			c.fact(lukasa.KindFact, "leads", c.bytes(bare(np)), 0.8, false, "work")
			return true
		}
	case "weigh":
		if len(c.rest) > 1 && c.rest[0].Kind == lexis.Number && g.Current() && !g.Negated {
			c.fact(lukasa.KindFact, "weight", c.bytes(c.rest[:2]), 0.85, false, "identity")
			return true
		}
	case "turn":
		if len(c.rest) > 0 && ageOf(c.rest[0].Low) != "" && g.Told() && (len(c.rest) == 1 || c.dated(c.rest[1]) || c.rest[1].Is("on") || hardStops[c.rest[1].Low] || c.rest[1].Is("years")) {
			dates := c.dates
			c.dates, c.verb.Past = nil, false
			c.fact(lukasa.KindFact, "age", c.rest[0].Low, 0.9, false, "identity")
			c.dates = dates
			return true
		}
	}
	return false
}

// has: what "I have" speaks of.
func (c *clause) has(rest []lexis.Token) bool {
	if len(rest) == 0 {
		return true
	}
	if rest[0].Is("got") {
		rest = rest[1:]
	}
	np, end := c.phrase(rest, 0, lexis.Words("with for at in on who which from to that about because since"))
	b := bare(np)
	if len(b) == 0 {
		return true
	}
	head := b[len(b)-1]
	for i := range b {
		// "a brother named Pedro", "a dog called Rex"
		if (b[i].Is("named") || b[i].Is("called")) && i > 0 && i+1 < len(b) {
			if rel, _ := relationAt(b, i-1); rel != "" {
				c.x.relation(c.who(), rel, c.bytes(b[i+1:]))
				return true
			}
		}
		if i > 0 && b[i].Upper && i+1 == len(b) {
			if rel, n := relationAt(b, i-1); rel != "" && n == 1 {
				c.x.relation(c.who(), rel, c.bytes(b[i:]))
				return true
			}
		}
	}
	count := lexis.SmallNumber(b[0].Low) > 0 || lexis.AllDigits(b[0].Low) || b[0].Is("one")
	one := lexis.Singular(head.Low)
	switch {
	case isPet(head.Low) || isPet(one) || one == "kitten" || one == "fish" && count:
		c.fact(lukasa.KindFact, "has_pet", c.bytes(b), 0.85, false, "pet")
	case count && (relations[one] != "" || head.Is("kids") || head.Is("children") || head.Is("grandchildren") || head.Is("siblings")) && len(b) < 5:
		c.fact(lukasa.KindFact, "has", c.bytes(b), 0.85, false, "family")
		if end < len(rest) && rest[end].Is(",") {
			if one == "kid" || head.Is("children") {
				one = "child"
			}
			if r := relations[one]; r != "" {
				c.children(r, rest[end+1:])
			}
		}
	case relations[head.Low] != "" && len(b) < 4 && familyTies[relations[head.Low]] && !count:
		c.fact(lukasa.KindFact, "has", c.bytes(np), 0.8, false, "family")
	case appointments[head.Low] || len(b) > 1 && appointments[b[0].Low] && end < len(rest):
		if c.ahead() {
			c.tell(lukasa.KindEpisode, 0.8, "appointment")
		}
	case degrees[b[0].Low] || degrees[head.Low]:
		full, _ := c.phrase(rest, 0, lexis.Words("with for at on who which from to that about because since"))
		c.fact(lukasa.KindFact, "degree", c.bytes(bare(full)), 0.85, false, "education")
	case ailments[head.Low]:
		c.fact(lukasa.KindFact, "condition", c.bytes(b), 0.85, false, "health")
	case ownable[one] && len(b) < 6 || len(b) > 1 && b[0].Upper && !head.Upper && len(b) < 5 && !lexis.Plain[head.Low] && (np[0].Is("a") || np[0].Is("an")):
		c.fact(lukasa.KindFact, "owns", c.bytes(b), 0.8, false, "possession")
	}
	return true
}

// children: the names behind "two older brothers, Miguel and Rui".
func (c *clause) children(rel string, names []lexis.Token) {
	for _, n := range c.list(names) {
		if n[0] >= 'A' && n[0] <= 'Z' {
			c.x.relation(c.who(), rel, n)
		}
	}
}

var degrees = lexis.Words("phd doctorate mba bachelor bachelor's master master's degree diploma ba bsc msc")

var appointments = lexis.Words("appointment meeting exam interview flight wedding party concert presentation surgery operation checkup check-up call date demo deadline test lesson class rehearsal game match race conference workshop visit training reservation")

var ailments = lexis.Words("diabetes asthma adhd epilepsy arthritis insomnia hypertension migraines eczema dyslexia autism anemia psoriasis allergies cancer")

// ownable are things that one has for years.
var ownable = lexis.Words(`car bike bicycle motorcycle motorbike scooter van truck boat yacht house flat apartment cottage cabin garden greenhouse piano guitar violin cello drum
	camera laptop macbook iphone telescope tent caravan motorhome farm shop bakery restaurant company business website blog podcast kayak surfboard garage studio farm allotment synthesizer synthesiser sewing-machine`)

// skills stand before a language.
var skills = lexis.Words("fluent native basic decent good broken conversational perfect excellent little intermediate")

func (c *clause) owning() bool {
	g := c.verb
	if g.Negated && !c.anymore() || g.Future || g.Must || g.Progressive || g.Told() && !g.UsedTo {
		return false
	}
	np, end := c.phrase(c.rest, 0, titleStops)
	article := len(np) > 0 && (np[0].Is("a") || np[0].Is("an") || lexis.SmallNumber(np[0].Low) > 0)
	b := bare(np)
	if len(b) == 0 || len(b) > 6 || !article && !b[0].Upper || emptyObjects[b[0].Low] {
		return true
	}
	if g.Lemma == "drive" && end < len(c.rest) && c.rest[end].Is("to") {
		return true
	}
	pred := map[string]string{"own": "owns", "drive": "drives"}[g.Lemma]
	c.fact(lukasa.KindFact, pred, c.bytes(b), 0.85, false, "possession")
	return true
}

func (c *clause) using() bool {
	g := c.verb
	if g.Negated && !c.anymore() || !g.Current() || g.Progressive || g.Perfect {
		return false
	}
	np, _ := c.phrase(c.rest, 0, titleStops)
	if b := bare(np); len(b) > 0 && len(b) < 5 && b[0].Upper {
		c.fact(lukasa.KindFact, "uses", c.bytes(b), 0.8, false, "tool")
	}
	return true
}

// games are what one plays without being named like an instrument.
var games = lexis.Words(`football soccer basketball tennis chess golf badminton volleyball hockey cricket rugby baseball handball squash poker bridge go piano guitar violin cello drums bass flute
	saxophone trumpet clarinet harp ukulele organ accordion viola trombone banjo keyboard padel pool darts`)

func (c *clause) playing() bool {
	g := c.verb
	if g.Negated && !c.anymore() || g.Future || g.Must || g.Progressive || g.Told() && !g.UsedTo {
		return false
	}
	np, _ := c.phrase(c.rest, 0, titleStops)
	if b := bare(np); len(b) > 0 && len(b) < 4 && games[b[len(b)-1].Low] {
		c.fact(lukasa.KindFact, "plays", c.bytes(b), 0.85, false, "hobby")
		return true
	}
	return false
}

// happenings are verbs whose past tells an episode, when a date, a name or a place makes it one of its own.
var happenings = lexis.Words(`go visit meet see attend travel fly buy sell adopt break lose win hike run watch have celebrate crash receive order book paint build make hurt
	take start join return cook bake try host organise organize get find read ride drive sail ski climb camp move donate plant play perform speak fall swim spend apply interview
	talk call eat stay give rent lease renovate repair fix finish teach learn cancel switch migrate deploy write turn train show volunteer register enrol enroll open found create begin`)

// projects are what someone who is writing or building it will be at for long.
var projects = lexis.Words("book novel thesis dissertation memoir album house app website startup company business course podcast blog game screenplay boat cabin biography opera textbook extension shed")

// project: "I'm writing a book about pirates".
func (c *clause) project() bool {
	g := c.verb
	if !g.Progressive || g.Past || g.Negated || g.Future || g.Lemma != "write" && g.Lemma != "build" && g.Lemma != "create" && g.Lemma != "design" && g.Lemma != "renovate" && g.Lemma != "restore" {
		return false
	}
	np, _ := c.phrase(c.rest, 0, lexis.Words("with for at on who which from to that about of using in"))
	if len(np) < 2 || !articles[np[0].Low] || !projects[np[len(np)-1].Low] {
		return false
	}
	c.tell(lukasa.KindEpisode, 0.75, "project")
	return true
}

// strongHappenings need no date.
var strongHappenings = lexis.Words("adopt sell break win crash hurt")

// episode: what happened, when it was something of its own.
func (c *clause) episode() bool {
	g := c.verb
	if !g.Told() || g.Negated || g.Never || g.Passive || c.subj.kind == nobody || g.Lemma == "be" {
		return false
	}
	if g.Progressive || !happenings[g.Lemma] || len(c.rest) == 0 {
		return false
	}
	if (g.Lemma == "book" || g.Lemma == "arrange" || g.Lemma == "schedule" || g.Lemma == "order") && c.ahead() && !c.dates[0].From.Before(lexis.Midnight(c.x.in.At)) {
		c.tell(lukasa.KindEpisode, 0.8, "appointment")
		return true
	}
	dated := len(c.dates) > 0 && !c.dates[0].From.After(c.x.in.At)
	if len(c.dates) > 0 && !dated {
		return false
	}
	if g.Perfect && !dated || !dated && !(g.Lemma == "visit" && c.rest[0].Upper) && !(strongHappenings[g.Lemma] && len(c.rest) > 1) {
		return false
	}
	if len(c.toks)-c.subj.to < 3 || emptyObjects[c.rest[0].Low] && len(c.rest) < 4 && !c.rest[0].Is("to") && (len(c.rest) < 2 || !articles[c.rest[0].Low] || hardStops[c.rest[1].Low]) {
		return false
	}
	for _, t := range c.rest {
		if t.Is("you") || t.Is("your") {
			return false
		}
	}
	c.tell(lukasa.KindEpisode, 0.75, "episode")
	c.newJob()
	return true
}
