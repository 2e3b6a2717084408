package rules

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// definingConfidence is that of document T's patterns.
const definingConfidence = 0.8

// moment: decisions, milestones and events. The verbs are those of the known pattern list, and their kin.
func (c *clause) moment() bool {
	g := c.verb
	if g.Negated || g.Never || g.Ended || g.UsedTo || g.Must {
		return false
	}
	kind, tag := c.momentKind()
	if kind == "" {
		return false
	}
	for _, t := range c.rest {
		if t.Is("you") || t.Is("your") {
			return true
		}
	}
	if n := len(c.rest); kind == lukasa.KindDecision && n > 0 && mentions(c.rest[n-1:], "it", "this", "that", "them") {
		if c.x.prev.End > 0 && c.x.self {
			c.subj.kind = deictic // what was decided stands in the sentence before
			c.say(kind, tag)
		}
		return true
	}
	if len(c.toks)-c.subj.to > 1 || kind == lukasa.KindEvent {
		c.tell(kind, definingConfidence, tag)
		c.newJob()
	}
	return true
}

// newJob adds the employer, and the title if one is given, that "got a new job at Philips" names. "Started as a nurse at Philips" names none: it most often tells
// how a career began.
func (c *clause) newJob() {
	g := c.verb
	if !g.Told() || g.Lemma != "start" && g.Lemma != "get" && g.Lemma != "take" && g.Lemma != "begin" || !mentions(c.rest, "job", "position", "role") {
		return
	}
	for i, t := range c.rest {
		if (t.Is("at") || t.Is("with")) && i+1 < len(c.rest) && c.rest[i+1].Upper {
			if org := c.org(c.rest, i+1); org != "" {
				c.fact(lukasa.KindFact, "works_at", org, 0.8, true, "work")
				c.title(c.rest)
				return
			}
		}
	}
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
	told := g.Told() && !g.Progressive
	now := g.Progressive && !g.Past && !g.Future
	firm := false
	switch g.Lemma {
	case "decide":
		firm = told && len(c.rest) > 1 && (c.follows("to") || c.follows("on") || c.follows("that") || c.follows("against") || c.follows("not"))
	case "go":
		firm = (now || told || g.Future) && c.follows("with") && len(c.rest) > 1 && !emptyObjects[c.rest[1].Low] && c.object(1)
	case "commit":
		firm = (now || told) && c.follows("to") && len(c.rest) > 1
	case "settle":
		firm = told && c.follows("on") && len(c.rest) > 1 || told && c.follows("for") && len(c.rest) > 1
	case "opt":
		firm = told && c.follows("for") && len(c.rest) > 1
	case "choose", "pick":
		firm = (told || g.Current() && !g.Progressive && c.subj.kind == speaker) && len(c.rest) > 0 && !emptyObjects[c.rest[0].Low] || told && c.follows("to") && len(c.rest) > 1
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
	return i < len(c.rest) && (articles[c.rest[i].Low] && !c.rest[i].Is("my") || c.verb.Form == lexis.Gerund && len(c.dates) == 0 && !lexis.GivenNames[c.rest[i].Low] && !c.rest[i].Is("my") && !c.rest[i].Is("our"))
}

// eventKind: marriages, births, deaths, jobs won and lost, contracts.
func (c *clause) eventKind() (lukasa.MemoryKind, string) {
	g := c.verb
	told := g.Told() && !g.Progressive
	now := g.Progressive && !g.Past
	rest := c.rest
	hit := false
	switch g.Lemma {
	case "start", "begin":
		hit = (now || g.Future && len(c.dates) > 0) && len(rest) > 0 && !rest[0].Is("to") && !rest[0].Is("over") && !rest[0].Is("from") && !rest[0].Is("with") && lexis.Verbs[rest[0].Low].Form != lexis.Gerund && !emptyObjects[rest[0].Low] || now && len(rest) > 0 && lexis.Verbs[rest[0].Low].Lemma == "work"
		hit = hit && (c.subj.kind == speaker || c.subj.kind == someone)
	case "get":
		hit = c.gets(rest, told, now)
	case "close":
		hit = told && mentions(rest, "deal", "round", "sale")
	case "sign":
		hit = told && mentions(rest, "contract", "lease", "deal", "agreement", "papers", "offer", "mortgage")
	case "marry":
		hit = told && (len(rest) > 0 || g.Passive)
	case "have":
		hit = (now || g.Future || told) && mentions(rest, "baby", "miscarriage", "twins") && !g.Perfect
	case "die":
		hit = told
	case "pass":
		hit = told && c.follows("away")
	case "give":
		hit = told && c.follows("birth")
	case "expect":
		hit = now && mentions(rest, "child", "baby", "twins", "girl", "boy", "daughter", "son")
	case "offer":
		hit = g.Passive && mentions(rest, "job", "position", "role", "promotion", "scholarship", "place")
	case "lay", "fire", "promote", "hire", "accept", "elect", "reject", "diagnose":
		hit = g.Passive && (g.Lemma != "lay" || c.follows("off")) && (g.Lemma != "accept" || mentions(rest, "to", "into", "at", "by"))
	case "break":
		hit = told && c.follows("up")
	case "divorce", "retire":
		hit = told || now && len(c.dates) > 0 || g.Passive && len(c.dates) > 0
	case "become":
		hit = told && mentions(rest, "father", "mother", "parents", "grandmother", "grandfather", "uncle", "aunt", "citizen", "partner", "parent")
	case "be":
		if g.Be >= 0 && !g.Future && mentions(c.toks[g.Be:], "pregnant", "expecting") && (len(rest) > 0 && (rest[0].Is("pregnant") || rest[0].Is("expecting"))) {
			hit = !g.Past
		}
	}
	if hit {
		return lukasa.KindEvent, "event"
	}
	return "", ""
}

// gets: got the job, getting married, got promoted.
func (c *clause) gets(rest []lexis.Token, told, now bool) bool {
	if len(rest) == 0 || !told && !now && !(c.verb.Future && len(c.dates) > 0) {
		return false
	}
	switch rest[0].Low {
	case "married", "engaged", "divorced", "promoted", "fired", "hired", "elected", "accepted", "diagnosed", "pregnant":
		return true
	case "laid":
		return next(rest, 0) == "off"
	case "the", "an", "a", "my":
		return told && len(rest) > 1 && (rest[1].Is("job") || rest[1].Is("offer") || rest[1].Is("promotion") || rest[1].Is("scholarship") || rest[1].Is("grant") || rest[1].Is("role") || rest[1].Is("position") || next(rest, 1) == "job" || next(rest, 1) == "offer" || rest[1].Is("raise") || rest[1].Is("visa"))
	case "into":
		return told && len(rest) > 1 && rest[1].Upper
	}
	return false
}

func mentions(toks []lexis.Token, words ...string) bool {
	for _, t := range toks {
		if slices.Contains(words, t.Low) {
			return true
		}
	}
	return false
}

// milestoneKind: launched, shipped, finished, completed, went live, passed, graduated, reached.
func (c *clause) milestoneKind() (lukasa.MemoryKind, string) {
	g := c.verb
	told := g.Told() && !g.Progressive || g.Passive && !g.Future && g.Modal == ""
	rest := c.rest
	if !told {
		return "", ""
	}
	hit := false
	switch g.Lemma {
	case "launch", "release", "publish", "ship":
		hit = g.Passive || len(rest) > 0 && !emptyObjects[rest[0].Low]
	case "complete", "achieve", "deliver":
		hit = g.Passive || len(rest) > 0 && !emptyObjects[rest[0].Low]
	case "finish":
		hit = len(rest) > 0 && !smallJobs[rest[0].Low] && !(len(rest) > 1 && smallJobs[rest[1].Low]) && !emptyObjects[rest[0].Low] && !rest[0].Is("early") && !rest[0].Is("late") && !c.dated(rest[0]) && !rest[0].Is("at")
	case "go":
		hit = c.follows("live") || c.follows("public") || c.follows("viral")
	case "pass":
		hit = mentions(rest, "exam", "exams", "test", "bar", "interview", "audit", "course", "driving", "inspection", "certification", "boards")
	case "graduate":
		hit = true
	case "reach", "hit":
		hit = len(rest) > 0 && (rest[0].Kind == lexis.Number || mentions(rest, "milestone", "goal", "target", "users", "customers", "summit"))
	case "win":
		hit = mentions(rest, "award", "prize", "championship", "medal", "hackathon", "contest", "competition", "election", "tournament", "final")
	}
	if hit {
		return lukasa.KindMilestone, "milestone"
	}
	return "", ""
}

// smallJobs are things whose end is no milestone.
var smallJobs = lexis.Words("reading eating cooking cleaning talking writing watching dinner lunch breakfast work email emails shopping laundry coffee dishes call school class homework meeting typing work")

// news: what "it" and "this" bring: "it turns out that …", "this changes everything", "it's done".
func (c *clause) news() {
	g := c.verb
	if g.Negated || g.Modal != "" || g.Future {
		return
	}
	switch {
	case g.Lemma == "change" && c.follows("everything"):
		c.say(lukasa.KindTurningPoint, "turning point")
	case g.Lemma == "turn" && c.follows("out"):
		toks := c.rest[1:]
		if len(toks) > 0 && toks[0].Is("that") {
			toks = toks[1:]
		}
		c.insight(toks)
	case g.Be >= 0 && mentions(c.toks[g.Be:], "turning") && mentions(c.toks[g.Be:], "point"):
		c.say(lukasa.KindTurningPoint, "turning point")
	case g.Be >= 0 && len(c.toks) <= g.Be+4 && (mentions(c.toks[g.Be:], "done") || mentions(c.toks[g.Be:], "live") || mentions(c.toks[g.Be:], "finished")) && c.x.prev.End > 0:
		c.say(lukasa.KindMilestone, "milestone")
	case g.Told() && g.Lemma == "go" && c.follows("live") && c.x.prev.End > 0:
		c.say(lukasa.KindMilestone, "milestone")
	}
}

// say adds the clause in the speaker's own words; one that leans on the sentence before is told with it.
func (c *clause) say(kind lukasa.MemoryKind, tag string) {
	x := c.x
	if !x.self {
		return
	}
	said := lowerFirst(c.bytes(c.toks))
	if c.subj.kind == deictic && x.prev.End > 0 && x.prev.End-x.prev.Start < 300 {
		said = strings.TrimRight(lexis.OneLine(x.prev.Of(x.s)), ". ") + ". " + c.bytes(c.toks)
	}
	st := Statement{Kind: kind, Content: x.owner(x.me) + " says: " + said + c.reckoned(), Subject: x.me, Confidence: definingConfidence, Tags: []string{tag}}
	c.happened(&st)
	c.evidence(&st)
	x.add(st)
}

// insight adds what has been learned.
func (c *clause) insight(toks []lexis.Token) {
	if len(toks) < 3 || mentions(toks, "you", "your") {
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
	for len(toks) > 2 && (toks[0].Is("please") || toks[0].Is("and") || toks[0].Is("so") || toks[0].Is("also") || toks[0].Is("but") || toks[0].Is("no") || toks[0].Is("ok") || toks[0].Is("oh") || toks[0].Kind == lexis.Punct) {
		toks = toks[1:]
	}
	c := clause{x: x, toks: toks, subj: party{kind: speaker, name: x.me, own: x.me}, verb: lexis.Group{Be: -1}}
	c.dates = lexis.FindDates(toks, x.in.At, 1)
	switch {
	case starts(toks, "todo", ":"), starts(toks, "todo"), starts(toks, "action", "item", ":"), starts(toks, "to", "do", ":"), starts(toks, "to-do", ":"):
		i := 1
		for i < len(toks) && (toks[i].Kind == lexis.Punct || toks[i].Is("item") || toks[i].Is("do")) {
			i++
		}
		return x.order(toks[i:])
	case (starts(toks, "decision", ":") || starts(toks, "decided", ":")) && x.self && len(toks) > 4:
		c.toks = toks[2:]
		c.say(lukasa.KindDecision, "decision")
		return true
	case starts(toks, "note", "to", "self", ":"):
		return x.order(toks[4:])
	case starts(toks, "remind", "me", "to"):
		return x.order(toks[3:])
	case starts(toks, "do", "n't", "forget", "to"):
		return x.order(toks[4:])
	case starts(toks, "do", "n't", "let", "me", "forget", "to"):
		return x.order(toks[6:])
	case starts(toks, "do", "not", "forget", "to"):
		return x.order(toks[4:])
	case starts(toks, "remember", "to"):
		return x.order(toks[2:])
	case starts(toks, "let", "'s", "do"), starts(toks, "let", "'s", "go", "with"), starts(toks, "let", "'s", "use"):
		i := 3
		if toks[2].Is("go") {
			i = 4
		}
		if x.self && len(toks) > i && !emptyObjects[toks[i].Low] && len(bare(toks[i:])) > 0 {
			c.say(lukasa.KindDecision, "decision")
		}
		return true
	case starts(toks, "it", "'s", "my", "birthday") && x.self && len(c.dates) == 1 && c.dates[0].Precision == lexis.ToDay:
		day := c.dates[0]
		c.dates = nil
		c.fact(lukasa.KindFact, "birthday", dateValue("birthday", day), 0.85, false, "identity")
		return true
	case starts(toks, "from", "now", "on") && len(toks) > 5 && !toks[3].Is("you") && !toks[4].Is("you"):
		c.say(lukasa.KindTurningPoint, "turning point")
		return true
	case (starts(toks, "people", "call", "me") || starts(toks, "everyone", "calls", "me") || starts(toks, "friends", "call", "me") || starts(toks, "you", "can", "call", "me") || starts(toks, "call", "me")) && x.self:
		at := len(toks)
		for i, t := range toks {
			if t.Is("me") {
				at = i + 1
				break
			}
		}
		if np, _ := c.phrase(toks, at, titleStops); len(np) > 0 && len(np) < 4 && np[0].Upper {
			c.fact(lukasa.KindFact, "nickname", c.bytes(np), 0.85, false, "identity")
		}
		return true
	case starts(toks, "never", "again") && len(toks) > 3:
		c.say(lukasa.KindTurningPoint, "turning point")
		return true
	}
	return x.learned(&c, toks) || x.corrects(toks)
}

// order adds an act as a task of the speaker.
func (x *extractor) order(toks []lexis.Token) bool {
	if len(toks) < 2 || !x.self || emptyObjects[toks[1].Low] && len(toks) < 3 || mentions(toks, "you") {
		return true
	}
	sp := x.sent
	sp.Start, sp.End = toks[0].Start, toks[len(toks)-1].End
	x.todo(sp)
	return true
}

// learned: "I realized that …", "I've learned that …", "the main takeaway is that …", "lesson learned: …".
func (x *extractor) learned(c *clause, toks []lexis.Token) bool {
	i := 0
	if starts(toks, "lesson", "learned") || starts(toks, "lesson", "learnt") || starts(toks, "lessons", "learned") || starts(toks, "key", "insight") || starts(toks, "insight", ":") || starts(toks, "takeaway", ":") {
		for i = 1; i < len(toks) && !toks[i-1].Is(":"); i++ {
		}
		c.subj.kind = nobody
		c.insight(toks[i:])
		return true
	}
	if starts(toks, "the") {
		for k := 1; k < len(toks)-2 && k < 5; k++ {
			if (toks[k].Is("takeaway") || toks[k].Is("lesson") || toks[k].Is("insight") || toks[k].Is("finding")) && toks[k+1].Is("is") {
				i = k + 2
				if toks[i].Is("that") {
					i++
				}
				c.subj.kind = nobody
				c.insight(toks[i:])
				return true
			}
		}
		return false
	}
	if !x.self || len(toks) < 4 || !toks[0].Is("i") && !toks[0].Is("we") {
		return false
	}
	c.subj.we = toks[0].Is("we")
	c.subj.to = 1
	g, ok := lexis.ReadGroup(toks, 1)
	if !ok || !g.Told() || g.Negated || g.Passive || g.Next >= len(toks) {
		return false
	}
	rest := toks[g.Next:]
	c.verb, c.rest = g, rest
	c.dates = lexis.FindDates(toks, x.in.At, -1)
	switch g.Lemma {
	case "realize", "realise":
		if len(rest) > 2 {
			c.tell(lukasa.KindTurningPoint, definingConfidence, "turning point")
		}
		return true
	case "learn", "discover", "notice":
		if rest[0].Is("that") && len(rest) > 3 {
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
func (x *extractor) corrects(toks []lexis.Token) bool {
	for len(toks) > 0 && (toks[0].Is("sorry") || toks[0].Is("actually") || toks[0].Is("correction") || toks[0].Is("wait") || toks[0].Is("no") || toks[0].Is("oops") || toks[0].Kind == lexis.Punct) {
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
	c.dates = lexis.FindDates(toks[i:], x.in.At, 1)
	if len(c.dates) > 0 && !last.OccurredAt.IsZero() && last.When != nil {
		was := last.When.ISO()
		last.Corrects = was
		last.OccurredAt, last.When = c.dates[0].From, &c.dates[0]
		last.Content = strings.TrimSuffix(last.Content, ".") + ", corrected to " + c.dates[0].ISO() + "."
		last.End = toks[len(toks)-1].End + x.in.Base
		return true
	}
	np, end := c.phrase(toks, i, map[string]bool{})
	value := c.bytes(bare(np))
	wrong := ""
	if end+1 < len(toks) && toks[end].Is(",") && toks[end+1].Is("not") {
		w, _ := c.phrase(toks, end+2, map[string]bool{})
		wrong = c.bytes(bare(w))
	}
	if value == "" || last.Slot == "" || last.Value == "" || wrong != "" && !strings.EqualFold(wrong, last.Value) || i == 2 && toks[0].Is("it") && wrong == "" {
		return wrong != ""
	}
	last.Corrects = last.Value
	last.Content = strings.Replace(last.Content, last.Value, value, 1)
	last.Value = value
	last.End = toks[len(toks)-1].End + x.in.Base
	last.Entities = x.entities(*last)
	return true
}
