package distil

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// definingConfidence is that of document T's patterns.
const definingConfidence = 0.8

// moment: decisions, milestones and events. The verbs are those of the known pattern list, and their kin.
func (c *clause) moment() bool {
	g := c.verb
	if g.negated || g.never || g.ended || g.usedTo || g.must {
		return false
	}
	kind, tag := c.momentKind()
	if kind == "" {
		return false
	}
	for _, t := range c.rest {
		if t.is("you") || t.is("your") {
			return true
		}
	}
	if len(c.toks)-c.subj.to > 1 {
		c.tell(kind, definingConfidence, tag)
		c.newJob()
	}
	return true
}

// newJob adds the employer that "got a new job at Philips" and "started as a nurse at the clinic" name.
func (c *clause) newJob() bool {
	g := c.verb
	if !g.told() || g.lemma != "start" && g.lemma != "get" && g.lemma != "take" && g.lemma != "begin" || !mentions(c.rest, "job", "position", "role") {
		return false
	}
	for i, t := range c.rest {
		if (t.is("at") || t.is("with")) && i+1 < len(c.rest) && c.rest[i+1].upper {
			if org := c.org(c.rest, i+1); org != "" {
				c.fact(lukasa.KindFact, "works_at", org, 0.8, true, "work")
				return true
			}
		}
	}
	return false
}

func (c *clause) momentKind() (lukasa.MemoryKind, string) {
	if k, tag := c.decisionKind(); k != "" {
		return k, tag
	}
	if k, tag := c.eventKind(); k != "" {
		return k, tag
	}
	return c.milestoneKind()
}

// decisionKind: decided, going with, committing to, settled on, chose.
func (c *clause) decisionKind() (lukasa.MemoryKind, string) {
	g := c.verb
	told := g.told() && !g.progressive
	now := g.progressive && !g.past && !g.future
	firm := false
	switch g.lemma {
	case "decide":
		firm = told && len(c.rest) > 1 && (c.follows("to") || c.follows("on") || c.follows("that") || c.follows("against") || c.follows("not"))
	case "go":
		firm = (now || told || g.future) && c.follows("with") && len(c.rest) > 1 && !emptyObjects[c.rest[1].low] && c.object(1)
	case "commit":
		firm = (now || told) && c.follows("to") && len(c.rest) > 1
	case "settle":
		firm = told && c.follows("on") && len(c.rest) > 1 || told && c.follows("for") && len(c.rest) > 1
	case "opt":
		firm = told && c.follows("for") && len(c.rest) > 1
	case "choose", "pick":
		firm = (told || g.current() && !g.progressive && c.subj.kind == speaker) && len(c.rest) > 0 && !emptyObjects[c.rest[0].low] || told && c.follows("to") && len(c.rest) > 1
	case "agree":
		firm = told && len(c.rest) > 1 && (c.follows("to") || c.follows("on"))
	}
	if firm {
		return lukasa.KindDecision, "decision"
	}
	return "", ""
}

// object reports whether the phrase from token i of the rest is a plan rather than company: "going with the blue design", not "going with Tom".
func (c *clause) object(i int) bool {
	return i < len(c.rest) && (articles[c.rest[i].low] && !c.rest[i].is("my") || c.verb.form == formIng && len(c.dates) == 0 && !givenNames[c.rest[i].low] && !c.rest[i].is("my") && !c.rest[i].is("our"))
}

// eventKind: marriages, births, deaths, jobs won and lost, contracts.
func (c *clause) eventKind() (lukasa.MemoryKind, string) {
	g := c.verb
	told := g.told() && !g.progressive
	now := g.progressive && !g.past
	rest := c.rest
	hit := false
	switch g.lemma {
	case "start", "begin":
		hit = (now || g.future && len(c.dates) > 0) && len(rest) > 0 && !rest[0].is("to") && !rest[0].is("over") && !rest[0].is("from") && !rest[0].is("with") && verbs[rest[0].low].form != formIng && !emptyObjects[rest[0].low] || now && len(rest) > 0 && verbs[rest[0].low].lemma == "work"
		hit = hit && (c.subj.kind == speaker || c.subj.kind == someone)
	case "get":
		hit = c.gets(rest, told, now)
	case "close":
		hit = told && mentions(rest, "deal", "round", "sale")
	case "sign":
		hit = told && mentions(rest, "contract", "lease", "deal", "agreement", "papers", "offer", "mortgage")
	case "marry":
		hit = told && (len(rest) > 0 || g.passive)
	case "have":
		hit = (now || g.future || told) && mentions(rest, "baby", "miscarriage", "twins") && !g.perfect
	case "die":
		hit = told
	case "pass":
		hit = told && c.follows("away")
	case "give":
		hit = told && c.follows("birth")
	case "offer":
		hit = g.passive && mentions(rest, "job", "position", "role", "promotion", "scholarship", "place")
	case "lay", "fire", "promote", "hire", "accept", "elect", "reject", "diagnose":
		hit = g.passive && (g.lemma != "lay" || c.follows("off")) && (g.lemma != "accept" || mentions(rest, "to", "into", "at", "by"))
	case "break":
		hit = told && c.follows("up")
	case "divorce", "retire":
		hit = told || now && len(c.dates) > 0 || g.passive && len(c.dates) > 0
	case "become":
		hit = told && mentions(rest, "father", "mother", "parents", "grandmother", "grandfather", "uncle", "aunt", "citizen", "partner", "parent")
	case "be":
		if g.be >= 0 && !g.future && mentions(c.toks[g.be:], "pregnant", "expecting") && (len(rest) > 0 && (rest[0].is("pregnant") || rest[0].is("expecting"))) {
			hit = !g.past
		}
	}
	if hit {
		return lukasa.KindEvent, "event"
	}
	return "", ""
}

// gets: got the job, getting married, got promoted.
func (c *clause) gets(rest []token, told, now bool) bool {
	if len(rest) == 0 || !told && !now && !(c.verb.future && len(c.dates) > 0) {
		return false
	}
	switch rest[0].low {
	case "married", "engaged", "divorced", "promoted", "fired", "hired", "elected", "accepted", "diagnosed", "pregnant":
		return true
	case "laid":
		return next(rest, 0) == "off"
	case "the", "an", "a", "my":
		return told && len(rest) > 1 && (rest[1].is("job") || rest[1].is("offer") || rest[1].is("promotion") || rest[1].is("scholarship") || rest[1].is("grant") || rest[1].is("role") || rest[1].is("position") || next(rest, 1) == "job" || next(rest, 1) == "offer" || rest[1].is("raise") || rest[1].is("visa"))
	case "into":
		return told && len(rest) > 1 && rest[1].upper
	}
	return false
}

func mentions(toks []token, words ...string) bool {
	for _, t := range toks {
		for _, w := range words {
			if t.low == w {
				return true
			}
		}
	}
	return false
}

// milestoneKind: launched, shipped, finished, completed, went live, passed, graduated, reached.
func (c *clause) milestoneKind() (lukasa.MemoryKind, string) {
	g := c.verb
	told := g.told() && !g.progressive || g.passive && !g.future && g.modal == ""
	rest := c.rest
	if !told {
		return "", ""
	}
	hit := false
	switch g.lemma {
	case "launch", "release", "publish", "ship", "deploy":
		hit = g.passive || len(rest) > 0 && !emptyObjects[rest[0].low]
	case "complete", "achieve", "deliver":
		hit = g.passive || len(rest) > 0 && !emptyObjects[rest[0].low]
	case "finish":
		hit = len(rest) > 0 && !smallJobs[rest[0].low] && !(len(rest) > 1 && smallJobs[rest[1].low]) && !emptyObjects[rest[0].low] && !rest[0].is("early") && !rest[0].is("late") && !c.dated(rest[0]) && !rest[0].is("at")
	case "go":
		hit = c.follows("live") || c.follows("public") || c.follows("viral")
	case "pass":
		hit = mentions(rest, "exam", "exams", "test", "bar", "interview", "audit", "course", "driving", "inspection", "certification", "boards")
	case "graduate":
		hit = true
	case "reach", "hit":
		hit = len(rest) > 0 && (rest[0].kind == numberToken || mentions(rest, "milestone", "goal", "target", "users", "customers", "summit"))
	case "win":
		hit = mentions(rest, "award", "prize", "championship", "medal", "hackathon", "contest", "competition", "election", "tournament", "final")
	}
	if hit {
		return lukasa.KindMilestone, "milestone"
	}
	return "", ""
}

// smallJobs are things whose end is no milestone.
var smallJobs = wordSet("reading eating cooking cleaning talking writing watching dinner lunch breakfast work email emails shopping laundry coffee dishes call school class homework meeting typing work")

// news: what "it" and "this" bring: "it turns out that …", "this changes everything", "it's done".
func (c *clause) news() {
	g := c.verb
	if g.negated || g.modal != "" || g.future {
		return
	}
	switch {
	case g.lemma == "change" && c.follows("everything"):
		c.say(lukasa.KindTurningPoint, definingConfidence, "turning point")
	case g.lemma == "turn" && c.follows("out"):
		toks := c.rest[1:]
		if len(toks) > 0 && toks[0].is("that") {
			toks = toks[1:]
		}
		c.insight(toks)
	case g.be >= 0 && mentions(c.toks[g.be:], "turning") && mentions(c.toks[g.be:], "point"):
		c.say(lukasa.KindTurningPoint, definingConfidence, "turning point")
	case g.be >= 0 && len(c.toks) <= g.be+4 && (mentions(c.toks[g.be:], "done") || mentions(c.toks[g.be:], "live") || mentions(c.toks[g.be:], "finished")) && c.x.prev.End > 0:
		c.say(lukasa.KindMilestone, definingConfidence, "milestone")
	case g.told() && g.lemma == "go" && c.follows("live") && c.x.prev.End > 0:
		c.say(lukasa.KindMilestone, definingConfidence, "milestone")
	}
}

// say adds the clause in the speaker's own words; one that leans on the sentence before is told with it.
func (c *clause) say(kind lukasa.MemoryKind, confidence float64, tag string) {
	x := c.x
	if !x.self {
		return
	}
	said := lowerFirst(c.bytes(c.toks))
	if c.subj.kind == deictic && x.prev.End > 0 && x.prev.End-x.prev.Start < 300 {
		said = strings.TrimRight(oneLine(x.prev.Of(x.s)), ". ") + ". " + c.bytes(c.toks)
	}
	st := Statement{Kind: kind, Content: x.owner(x.me) + " says: " + said + c.reckoned(), Subject: x.me, Confidence: confidence, Tags: []string{tag}}
	c.happened(&st)
	if st.OccurredAt.IsZero() {
		st.OccurredAt = x.in.At
	}
	c.evidence(&st)
	x.add(st)
}

// insight adds what has been learned.
func (c *clause) insight(toks []token) {
	if len(toks) < 4 || mentions(toks, "you", "your") {
		return
	}
	subject := ""
	if c.subj.kind == speaker {
		subject = c.x.me
	}
	content := upperFirst(c.bytes(toks))
	if mentions(toks, "i", "my", "we", "our", "me", "us") {
		if !c.x.self {
			return
		}
		content, subject = c.x.owner(c.x.me)+" found: "+lowerFirst(c.bytes(toks)), c.x.me
	}
	st := Statement{Kind: lukasa.KindInsight, Content: content, Subject: subject, Confidence: 0.75, Tags: []string{"insight"}}
	c.evidence(&st)
	c.x.add(st)
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'a' && s[1] <= 'z' {
		return string(s[0]|0x20) + s[1:]
	}
	return s
}

func upperFirst(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]&^0x20) + s[1:]
	}
	return s
}

// fixed reads sentences that are known by their first words: tasks, resolutions, insights, decisions and corrections.
func (x *extractor) fixed() bool {
	toks := x.toks
	for len(toks) > 2 && (toks[0].is("please") || toks[0].is("and") || toks[0].is("so") || toks[0].is("also") || toks[0].is("but") || toks[0].is("no") || toks[0].is("ok") || toks[0].is("oh") || toks[0].kind == punctToken) {
		toks = toks[1:]
	}
	c := clause{x: x, toks: toks, subj: party{kind: speaker, name: x.me, own: x.me}, verb: group{be: -1}}
	c.dates = findDates(toks, x.in.At, 1)
	switch {
	case starts(toks, "todo", ":"), starts(toks, "todo"), starts(toks, "action", "item", ":"), starts(toks, "to", "do", ":"), starts(toks, "to-do", ":"):
		i := 1
		for i < len(toks) && (toks[i].kind == punctToken || toks[i].is("item") || toks[i].is("do")) {
			i++
		}
		return x.order(toks[i:])
	case starts(toks, "note", "to", "self", ":"):
		return x.order(toks[4:])
	case starts(toks, "remind", "me", "to"):
		return x.order(toks[3:])
	case starts(toks, "do", "n't", "forget", "to"):
		return x.order(toks[4:])
	case starts(toks, "do", "not", "forget", "to"):
		return x.order(toks[4:])
	case starts(toks, "remember", "to"):
		return x.order(toks[2:])
	case starts(toks, "let", "'s", "do"), starts(toks, "let", "'s", "go", "with"), starts(toks, "let", "'s", "use"):
		i := 3
		if toks[2].is("go") {
			i = 4
		}
		if x.self && len(toks) > i && !emptyObjects[toks[i].low] && len(bare(toks[i:])) > 0 {
			c.say(lukasa.KindDecision, definingConfidence, "decision")
		}
		return true
	case starts(toks, "from", "now", "on") && len(toks) > 5 && !toks[3].is("you") && !toks[4].is("you"):
		c.say(lukasa.KindTurningPoint, definingConfidence, "turning point")
		return true
	case (starts(toks, "people", "call", "me") || starts(toks, "everyone", "calls", "me") || starts(toks, "friends", "call", "me") || starts(toks, "you", "can", "call", "me") || starts(toks, "call", "me")) && x.self:
		at := len(toks)
		for i, t := range toks {
			if t.is("me") {
				at = i + 1
				break
			}
		}
		if np, _ := c.phrase(toks, at, titleStops); len(np) > 0 && len(np) < 4 && np[0].upper {
			c.fact(lukasa.KindFact, "nickname", c.bytes(np), 0.85, false, "identity")
		}
		return true
	case starts(toks, "never", "again") && len(toks) > 3:
		c.say(lukasa.KindTurningPoint, definingConfidence, "turning point")
		return true
	}
	return x.learned(&c, toks) || x.corrects(toks)
}

// order adds an act as a task of the speaker.
func (x *extractor) order(toks []token) bool {
	if len(toks) < 2 || !x.self || emptyObjects[toks[1].low] && len(toks) < 3 || mentions(toks, "you") {
		return true
	}
	sp := x.sent
	sp.Start, sp.End = toks[0].start, toks[len(toks)-1].end
	x.todo(sp)
	return true
}

// learned: "I realized that …", "I've learned that …", "the main takeaway is that …", "lesson learned: …".
func (x *extractor) learned(c *clause, toks []token) bool {
	i := 0
	if starts(toks, "lesson", "learned") || starts(toks, "lesson", "learnt") || starts(toks, "lessons", "learned") || starts(toks, "key", "insight") || starts(toks, "insight", ":") || starts(toks, "takeaway", ":") {
		for i = 1; i < len(toks) && !toks[i-1].is(":"); i++ {
		}
		c.subj.kind = nobody
		c.insight(toks[i:])
		return true
	}
	if starts(toks, "the") {
		for k := 1; k < len(toks)-2 && k < 5; k++ {
			if (toks[k].is("takeaway") || toks[k].is("lesson") || toks[k].is("insight") || toks[k].is("finding")) && toks[k+1].is("is") {
				i = k + 2
				if toks[i].is("that") {
					i++
				}
				c.subj.kind = nobody
				c.insight(toks[i:])
				return true
			}
		}
		return false
	}
	if !x.self || len(toks) < 4 || !toks[0].is("i") && !toks[0].is("we") {
		return false
	}
	c.subj.we = toks[0].is("we")
	c.subj.to = 1
	g, ok := readGroup(toks, 1)
	if !ok || !g.told() || g.negated || g.passive || g.next >= len(toks) {
		return false
	}
	rest := toks[g.next:]
	c.verb, c.rest = g, rest
	c.dates = findDates(toks, x.in.At, -1)
	switch g.lemma {
	case "realize", "realise":
		if len(rest) > 2 {
			c.tell(lukasa.KindTurningPoint, definingConfidence, "turning point")
			if n := len(x.out); n > 0 && x.out[n-1].OccurredAt.IsZero() {
				x.out[n-1].OccurredAt = x.in.At
			}
		}
		return true
	case "learn", "discover", "notice":
		if rest[0].is("that") && len(rest) > 3 {
			c.insight(rest[1:])
			return true
		}
	case "find":
		if starts(rest, "out", "that") && len(rest) > 4 {
			c.insight(rest[2:])
			return true
		}
	}
	return false
}

// corrects: "Sorry, I meant Wednesday", "Actually it's Lyon, not Paris": the last statement of this text with a value that fits takes the new one.
func (x *extractor) corrects(toks []token) bool {
	for len(toks) > 0 && (toks[0].is("sorry") || toks[0].is("actually") || toks[0].is("correction") || toks[0].is("wait") || toks[0].is("no") || toks[0].is("oops") || toks[0].kind == punctToken) {
		toks = toks[1:]
	}
	i := 0
	switch {
	case starts(toks, "i", "meant"):
		i = 2
	case starts(toks, "it", "'s"), starts(toks, "it", "is"):
		i = 2
	default:
		return false
	}
	if i >= len(toks) || len(x.out) == 0 {
		return false
	}
	last := &x.out[len(x.out)-1]
	c := clause{x: x, toks: toks}
	c.dates = findDates(toks[i:], x.in.At, 1)
	if len(c.dates) > 0 && !last.OccurredAt.IsZero() && last.When != nil {
		was := last.When.ISO()
		last.Corrects = was
		last.OccurredAt, last.When = c.dates[0].From, &c.dates[0]
		last.Content = strings.TrimSuffix(last.Content, ".") + ", corrected to " + c.dates[0].ISO() + "."
		last.End = toks[len(toks)-1].end + x.in.Base
		return true
	}
	np, end := c.phrase(toks, i, map[string]bool{})
	value := c.bytes(bare(np))
	wrong := ""
	if end+1 < len(toks) && toks[end].is(",") && toks[end+1].is("not") {
		w, _ := c.phrase(toks, end+2, map[string]bool{})
		wrong = c.bytes(bare(w))
	}
	if value == "" || last.Slot == "" || last.Value == "" || wrong != "" && !strings.EqualFold(wrong, last.Value) || i == 2 && toks[0].is("it") && wrong == "" {
		return wrong != ""
	}
	last.Corrects = last.Value
	last.Content = strings.Replace(last.Content, last.Value, value, 1)
	last.Value = value
	last.End = toks[len(toks)-1].end + x.in.Base
	last.Entities = x.entities(*last)
	return true
}
