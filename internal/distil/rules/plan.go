package rules

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// obligation: "need to call the dentist", "have to renew my passport", "must send the invoice".
func (c *clause) obligation() bool {
	g := c.Verb
	if g.Negated || g.Never || g.Past || g.Ended || g.Perfect || c.Subj.Kind == grammar.Nobody {
		return g.Must || g.Lemma == "need"
	}
	var act []lexis.Token
	switch {
	case g.Must && g.At >= 0 && g.Lemma != "be":
		act = c.Toks[g.At:]
	case g.Lemma == "need" && c.Follows("to") && !g.Future:
		act = c.Rest[1:]
	default:
		if g.Lemma == "need" && !g.Future && (c.Ahead() || grammar.Mentions(c.x.Toks, "deadline", "due")) && c.Specific() && len(c.Rest) > 1 &&
			!grammar.Mentions(c.Rest, "you", "your") {
			c.tell(lukasa.KindTask, 0.7, "task") // "need the photos by Friday"
			return true
		}
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
	if len(act) < 2 || len(c.Bytes(act)) < 6 {
		return true
	}
	if grammar.EmptyObjects[act[1].Low] && len(act) < 4 && !act[1].Is("to") && (len(act) < 3 || !grammar.Articles[act[1].Low] ||
		grammar.HardStops[act[2].Low]) {
		return true
	}
	if grammar.IdleTasks[act[0].Low] && (len(c.Dates) == 0 || len(act) < 4) {
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
	g := c.Verb
	if g.Negated || g.Never || g.Past || g.Ended {
		return false
	}
	switch {
	case (g.Lemma == "plan" || g.Lemma == "intend") && !g.Perfect:
		if c.Follows("to") || c.Follows("on") && len(c.Rest) > 1 || g.Progressive && len(c.Rest) > 1 {
			return c.planned(0.8)
		}
	case g.Lemma == "want" && c.Follows("to") && len(c.Rest) > 2 && grammar.Wishes[c.Rest[1].Low] && !g.Future && c.wishes():
		return true
	case g.Future && grammar.Wishes[g.Lemma] && slices.ContainsFunc(c.Rest, func(t lexis.Token) bool { return grammar.Projects[t.Low] }) &&
		(c.Follows("a") || c.Follows("an") || c.Follows("my") || c.Follows("our")):
		return c.planned(0.75)
	case g.Future && g.At >= 0 && g.Lemma != "be":
		if g.Lemma == "ask" && c.Ahead() && len(c.Rest) > 1 && (c.Rest[0].Upper || grammar.Determined[c.Rest[0].Low]) && c.Subj.Kind == grammar.Speaker {
			c.tell(lukasa.KindTask, 0.75, "task") // "I'll ask Henrik tomorrow"
			return true
		}
		if len(c.Dates) > 0 && !grammar.IdleTasks[g.Lemma] || grammar.Travels[g.Lemma] && len(c.Rest) > 1 && c.NamesOne() {
			return c.planned(0.75)
		}
		return false
	case g.Future && g.Lemma == "be" && len(c.Dates) > 0 && (c.Follows("in") || c.Follows("at")) && c.NamesOne():
		return c.planned(0.75)
	case g.Progressive && len(c.Dates) > 0 && c.Prep(c.Dates[0]) == "until" && c.Subj.Kind == grammar.Someone:
		return false
	case g.Progressive && len(c.Dates) == 0 && (g.Lemma == "go" || g.Lemma == "fly" || g.Lemma == "move" || g.Lemma == "travel") && len(c.Rest) > 1 &&
		c.Rest[0].Is("to") && c.Rest[1].Upper && !lexis.Companies[c.Rest[1].Low] && (c.Subj.Kind == grammar.Speaker || c.Subj.Kind == grammar.Someone):
		return c.planned(0.7)
	case g.Progressive && (grammar.Travels[g.Lemma] || grammar.Events[g.Lemma]) && len(c.Dates) > 0:
		return c.planned(0.75)
	case g.Current() && !g.Progressive && !g.Perfect && (g.Lemma == "start" || g.Lemma == "begin" || g.Lemma == "leave" || g.Lemma == "fly" ||
		g.Lemma == "land" || g.Lemma == "return" || g.Lemma == "arrive" || g.Lemma == "launch") && c.Ahead():
		return c.planned(0.75)
	}
	return c.minuted() || c.assigned()
}

// assigned: "Dan brings drinks" in a list of who does what.
func (c *clause) assigned() bool {
	g := c.Verb
	if !c.x.items || c.Subj.Kind != grammar.Someone || g.Form&lexis.Third == 0 || !g.Current() || g.Progressive || g.Perfect || g.Be >= 0 ||
		len(c.Rest) == 0 || lexis.Idle[g.Lemma] {
		return false
	}
	c.tell(lukasa.KindTask, 0.7, "task")
	return true
}

// minuted: "Carla sends the contract to Acme by Monday", as minutes have it.
func (c *clause) minuted() bool {
	g := c.Verb
	if c.Subj.Kind != grammar.Someone || !g.Current() || g.Progressive || g.Perfect || g.Form&lexis.Third == 0 || !c.Ahead() ||
		!grammar.DeskWork[g.Lemma] || len(c.Rest) < 2 {
		return false
	}
	c.tell(lukasa.KindTask, 0.75, "task")
	return true
}

// planned adds the clause as a plan: a task with the tag "plan".
func (c *clause) planned(confidence float64) bool {
	if len(c.Dates) > 0 && !c.Dates[0].To.After(lexis.Midnight(c.x.in.At)) {
		return true
	}
	for _, t := range c.Rest {
		if t.Is("you") || t.Is("your") {
			return true
		}
	}
	if lexis.Starts[c.Verb.Lemma] && len(c.Dates) > 0 && !c.Undated() && c.begins() {
		return true
	}
	if lexis.Starts[c.Verb.Lemma] && len(c.Dates) > 0 && !c.Undated() && (c.Subj.Kind == grammar.Someone || c.Verb.Lemma != "go" &&
		c.Verb.Lemma != "leave" && c.Verb.Lemma != "finish") {
		c.tell(lukasa.KindEvent, 0.7, "event") // "she starts on Monday"
		return true
	}
	if n := len(c.Rest); n > 0 && c.Rest[n-1].Is("then") {
		c.Rest = c.Rest[:n-1]
	}
	if grammar.Mentions(c.Rest[max(0, len(c.Rest)-1):], "it", "that", "this", "them", "there", "so") || !c.Undated() &&
		(c.Subj.Kind != grammar.Someone || c.Verb.Lemma != "come" && c.Verb.Lemma != "visit") {
		return true
	}
	c.tell(lukasa.KindTask, confidence, "plan")
	return true
}

// todo adds a task that stands by itself: a box, "TODO: …", "remind me to …".
func (x *extractor) todo(sp text.Span) {
	raw := sp.Of(x.S)
	if len(strings.Fields(raw)) == 0 || len(raw) > 300 || text.IsMachine(raw) || text.Asks(raw) {
		return
	}
	if bad, _ := lexis.Suspicious(raw); bad {
		return
	}
	toks := lexis.Lex(nil, x.S, sp.Start, sp.End)
	if len(toks) == 0 || toks[len(toks)-1].End-toks[0].Start < 3 {
		return
	}
	c := x.clause(toks)
	c.Dates = lexis.FindDates(toks, x.in.At, 1)
	st := Statement{
		Kind: lukasa.KindTask, Subject: x.Me, Confidence: 0.85, Tags: []string{"task"},
		Content: "To do for " + strings.TrimPrefix(x.objective(), "The ") + ": " + strings.TrimRight(lexis.OneLine(text.PlainMarkdown(raw)),
			". ") + c.Reckoned(),
	}
	c.happened(&st)
	st.Start, st.End = sp.Start, sp.End
	x.add(st)
}

// objective is the speaker behind a preposition.
func (x *extractor) objective() string {
	if x.Me == "user" {
		return "the user"
	}
	return x.Me
}

// having: relatives, pets, appointments, possessions, ailments.
func (c *clause) having() bool {
	g := c.Verb
	switch g.Lemma {
	case "have":
		if g.Must || g.Future || g.Progressive {
			return false
		}
		if g.Told() {
			return false
		}
		if g.Negated || g.Never {
			return true
		}
		start := 0
		for i := 1; i+1 < len(c.Rest); i++ { // "three kids and a tortoise"
			if c.Rest[i].Is("and") && (c.Rest[i+1].Is("a") || c.Rest[i+1].Is("an") || lexis.SmallNumber(c.Rest[i+1].Low) > 0) {
				c.has(c.Rest[start:i])
				start = i + 1
			}
		}
		return c.has(c.Rest[start:])
	case "own", "drive":
		return c.owning()
	case "use":
		return c.using()
	case "speak":
		if g.Current() && !g.Negated && !g.Progressive {
			for _, v := range c.List(c.Rest) {
				if level, language, ok := strings.Cut(v, " "); ok && grammar.Skills[level] {
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
		if g.Progressive && !g.Past && len(c.Rest) > 0 && !c.Rest[0].Is("that") && !c.Rest[0].Is("how") && !c.Rest[0].Is("from") {
			np, _ := c.Phrase(c.Rest, 0, grammar.TitleStops)
			if grammar.Starts(np, "to") {
				np = np[1:]
			}
			if len(grammar.Bare(np)) > 0 && len(np) < 4 && !grammar.EmptyObjects[np[0].Low] && !lexis.Plain[np[0].Low] {
				c.fact(lukasa.KindFact, "learns", c.Bytes(grammar.Bare(np)), 0.8, false, "education")
			}
			return true
		}
	case "name", "call":
		if g.Told() && len(c.Rest) > 2 && (c.Rest[0].Is("my") || c.Rest[0].Is("our")) && c.x.Self {
			if rel, n := grammar.RelationAt(c.Rest, 1); rel != "" && 1+n < len(c.Rest) && c.Rest[1+n].Upper {
				np, _ := c.Phrase(c.Rest, 1+n, grammar.TitleStops)
				c.x.relation(c.x.Me, rel, c.Bytes(np))
				return true
			}
		}
	case "lead", "manage":
		np, _ := c.Phrase(c.Rest, 0, grammar.TitleStops)
		if g.Current() && !g.Negated && !g.Progressive && len(np) > 1 && len(np) < 6 && grammar.Articles[np[0].Low] && !np[0].Is("my") {
			c.fact(lukasa.KindFact, "leads", c.Bytes(grammar.Bare(np)), 0.8, false, "work")
			return true
		}
	case "weigh":
		if len(c.Rest) > 1 && c.Rest[0].Kind == lexis.Number && g.Current() && !g.Negated {
			c.fact(lukasa.KindFact, "weight", c.Bytes(c.Rest[:2]), 0.85, false, "identity")
			return true
		}
	case "turn":
		if len(c.Rest) > 0 && grammar.AgeOf(c.Rest[0].Low) != "" && g.Told() && (len(c.Rest) == 1 || c.Dated(c.Rest[1]) || c.Rest[1].Is("on") ||
			grammar.HardStops[c.Rest[1].Low] || c.Rest[1].Is("years")) {
			dates := c.Dates
			c.Dates, c.Verb.Past = nil, false
			c.fact(lukasa.KindFact, "age", c.Rest[0].Low, 0.9, false, "identity")
			c.Dates = dates
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
	np, end := c.Phrase(rest, 0, lexis.Words("with for at in on who which from to that about because since"))
	b := grammar.Bare(np)
	if len(b) == 0 {
		return true
	}
	head := b[len(b)-1]
	for i := range b {
		// "a brother named Pedro", "a dog called Rex"
		if (b[i].Is("named") || b[i].Is("called")) && i > 0 && i+1 < len(b) {
			if rel, _ := grammar.RelationAt(b, i-1); rel != "" {
				c.x.relation(c.Who(), rel, c.Bytes(b[i+1:]))
				return true
			}
		}
		if i > 0 && b[i].Upper && i+1 == len(b) {
			if rel, n := grammar.RelationAt(b, i-1); rel != "" && n == 1 {
				c.x.relation(c.Who(), rel, c.Bytes(b[i:]))
				return true
			}
		}
	}
	count := lexis.SmallNumber(b[0].Low) > 0 || lexis.AllDigits(b[0].Low) || b[0].Is("one")
	one := lexis.Singular(head.Low)
	switch {
	case (grammar.IsPet(head.Low) || grammar.IsPet(one) || one == "kitten" || one == "fish" && count) && !grammar.Mentions(b, "of", "'s"):
		c.fact(lukasa.KindFact, "has_pet", c.Bytes(b), 0.85, false, "pet")
	case count && (lexis.Relations[one] != "" || head.Is("kids") || head.Is("children") || head.Is("grandchildren") || head.Is("siblings")) && len(b) < 5:
		c.fact(lukasa.KindFact, "has", c.Bytes(b), 0.85, false, "family")
		if end < len(rest) && (rest[end].Is(",") || rest[end].Is(":")) {
			if one == "kid" || head.Is("children") {
				one = "child"
			}
			if r := lexis.Relations[one]; r != "" {
				c.children(r, rest[end+1:])
			}
		}
	case lexis.Relations[head.Low] != "" && len(b) < 4 && grammar.FamilyTies[lexis.Relations[head.Low]] && !count:
		c.fact(lukasa.KindFact, "has", c.Bytes(np), 0.8, false, "family")
	case lexis.Visits[head.Low] && !lexis.Appointments[head.Low] && c.Ahead():
		c.tell(lukasa.KindTask, 0.75, "plan")
	case lexis.Appointments[head.Low] || len(b) > 1 && lexis.Appointments[b[0].Low] && end < len(rest):
		if c.Ahead() || len(c.Dates) == 0 && c.Subj.Kind == grammar.Someone && grammar.Articles[np[0].Low] && len(c.Rest) < 6 {
			c.tell(lukasa.KindEpisode, 0.8, "appointment")
		}
	case lexis.Degrees[b[0].Low] || lexis.Degrees[head.Low]:
		full, _ := c.Phrase(rest, 0, lexis.Words("with for at on who which from to that about because since"))
		c.fact(lukasa.KindFact, "degree", c.Bytes(grammar.Bare(full)), 0.85, false, "education")
	case head.Is("allergy") && len(b) == 2:
		c.fact(lukasa.KindFact, "allergic_to", c.Bytes(b[:1]), 0.85, false, "health")
	case lexis.Ailments[head.Low]:
		c.fact(lukasa.KindFact, "condition", c.Bytes(b), 0.85, false, "health")
	case count && len(b) > 1 && head.Kind == lexis.Word && !lexis.Vague[head.Low] && !lexis.Plain[head.Low] && !lexis.TimeUnits[one]:
		full, at := c.Phrase(rest, 0, lexis.Words("with for at in on who which from to that about because since"))
		if at < len(rest) && rest[at].Is(":") {
			full = rest // "three environments: dev, staging and prod"
		}
		c.fact(lukasa.KindFact, "has", c.Bytes(grammar.Bare(full)), 0.7, false, "possession")
	case lexis.Ownable[one] && len(b) < 6 || len(b) > 1 && b[0].Upper && !head.Upper && len(b) < 5 && !lexis.Plain[head.Low] && (np[0].Is("a") ||
		np[0].Is("an")):
		c.fact(lukasa.KindFact, "owns", c.Bytes(b), 0.8, false, "possession")
	}
	return true
}

// children: the names behind "two older brothers, Miguel and Rui".
func (c *clause) children(rel string, names []lexis.Token) {
	for _, n := range c.List(names) {
		if n[0] >= 'A' && n[0] <= 'Z' {
			c.x.relation(c.Who(), rel, n)
		}
	}
}

func (c *clause) owning() bool {
	g := c.Verb
	if g.Negated && !c.Anymore() || g.Future || g.Must || g.Progressive || g.Told() && !g.UsedTo {
		return false
	}
	np, end := c.Phrase(c.Rest, 0, grammar.TitleStops)
	article := len(np) > 0 && (np[0].Is("a") || np[0].Is("an") || lexis.SmallNumber(np[0].Low) > 0)
	b := grammar.Bare(np)
	if len(np) > 1 && np[0].Is("the") && !b[0].Upper && g.Lemma == "own" && g.Current() && len(b) < 5 {
		c.fact(lukasa.KindFact, "owns", "the "+c.Bytes(b), 0.75, false, "work") // "Dave owns the billing service"
		return true
	}
	if len(b) == 0 || len(b) > 6 || !article && !b[0].Upper || grammar.EmptyObjects[b[0].Low] {
		return true
	}
	if g.Lemma == "drive" && end < len(c.Rest) && c.Rest[end].Is("to") {
		return true
	}
	pred := map[string]string{"own": "owns", "drive": "drives"}[g.Lemma]
	c.fact(lukasa.KindFact, pred, c.Bytes(b), 0.85, false, "possession")
	return true
}

func (c *clause) using() bool {
	g := c.Verb
	if g.Negated && !c.Anymore() || !g.Current() || g.Progressive || g.Perfect {
		return false
	}
	for _, u := range c.Uses() {
		n := len(c.x.out)
		if c.uses(u.Tool, false); len(c.x.out) > n && len(u.For) > 1 {
			c.x.out[n].Content = strings.Replace(c.x.out[n].Content, c.Bytes(u.Tool), c.Bytes(u.Tool)+" "+c.Bytes(u.For), 1)
		}
	}
	return true
}

// uses adds a tool in use; of one with a version only one is in use at a time.
func (c *clause) uses(b []lexis.Token, changed bool) {
	n := len(c.x.out)
	past := c.Verb.Past
	if changed {
		c.Verb.Past = false
	}
	c.fact(lukasa.KindFact, "uses", c.Bytes(b), 0.8, changed, "tool")
	c.Verb.Past = past
	if last := b[len(b)-1]; len(c.x.out) > n && len(b) > 1 && last.Kind == lexis.Number {
		c.x.out[n].Slot = "uses:" + strings.ToLower(c.Bytes(b[:len(b)-1]))
	}
}

// switched: "upgraded the ledger to PostgreSQL 17", "switched from Postman to Bruno", "store everything in SQLite".
func (c *clause) switched() bool {
	g := c.Verb
	if g.Negated || g.Modal != "" || g.Future || g.Must || g.UsedTo {
		return false
	}
	to, from := -1, -1
	for i, t := range c.Rest {
		switch {
		case t.Kind == lexis.Punct:
		case (t.Is("to") || g.Lemma == "store" && (t.Is("in") || t.Is("on"))) && i+1 < len(c.Rest) && c.Rest[i+1].Upper:
			to = i + 1
		case t.Is("from") && i+1 < len(c.Rest) && c.Rest[i+1].Upper:
			from = i + 1
		}
	}
	changes := g.Lemma == "upgrade" || g.Lemma == "switch" || g.Lemma == "migrate" || g.Lemma == "downgrade"
	if g.Lemma == "switch" && from < 0 && to < 2 {
		return false // "switched to Ericsson": a tool or an employer
	}
	if to < 0 || !(changes && g.Told() || g.Lemma == "store" && g.Current() && !g.Progressive) {
		return false
	}
	np, _ := c.Phrase(c.Rest, to, grammar.TitleStops)
	if len(np) == 0 || len(np) > 4 || lexis.PlaceNames[np[0].Low] {
		return false
	}
	n := len(c.x.out)
	c.uses(np, changes)
	if from >= 0 && len(c.x.out) > n {
		was, _ := c.Phrase(c.Rest, from, lexis.Words("to"))
		c.x.out[n].Corrects = c.Bytes(was)
	}
	return len(c.x.out) > n
}

func (c *clause) playing() bool {
	g := c.Verb
	if g.Negated && !c.Anymore() || g.Future || g.Must || g.Progressive || g.Told() && !g.UsedTo {
		return false
	}
	np, _ := c.Phrase(c.Rest, 0, grammar.TitleStops)
	if b := grammar.Bare(np); len(b) > 0 && len(b) < 4 && lexis.Games[b[len(b)-1].Low] {
		c.fact(lukasa.KindFact, "plays", c.Bytes(b), 0.85, false, "hobby")
		return true
	}
	return false
}

// project: "I'm writing a book about pirates".
func (c *clause) project() bool {
	g := c.Verb
	if !g.Progressive || g.Past || g.Negated || g.Future || g.Lemma != "write" && g.Lemma != "build" && g.Lemma != "create" &&
		g.Lemma != "design" && g.Lemma != "renovate" && g.Lemma != "restore" {
		return false
	}
	np, _ := c.Phrase(c.Rest, 0, lexis.Words("with for at on who which from to that about of using in"))
	if len(np) < 2 || !grammar.Articles[np[0].Low] || !grammar.Projects[np[len(np)-1].Low] {
		return false
	}
	c.tell(lukasa.KindEpisode, 0.75, "project")
	return true
}
