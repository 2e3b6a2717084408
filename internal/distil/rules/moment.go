package rules

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// definingConfidence is that of document T's patterns.
const definingConfidence = 0.8

// moment: decisions, milestones and events. The verbs are those of the known pattern list, and their kin.
func (c *clause) moment() bool {
	g := c.Verb
	if g.Negated || g.Never || g.Ended || g.UsedTo || g.Must {
		return false
	}
	kind, tag := c.momentKind()
	if g.Lemma == "change" && g.Told() && grammar.Mentions(c.Rest, "mind") && len(c.Rest) > 1 {
		kind, tag = lukasa.KindTurningPoint, "turning point"
	}
	if kind == "" {
		return false
	}
	for _, t := range c.Rest {
		if t.Is("you") || t.Is("your") {
			return true
		}
	}
	if n := len(c.Rest); kind == lukasa.KindDecision && n > 0 && grammar.Mentions(c.Rest[n-1:], "it", "this", "that", "them") {
		if c.x.prev.End > 0 && c.x.Self {
			c.Subj.Kind = grammar.Deictic // what was decided stands in the sentence before
			c.say(kind, tag)
		}
		return true
	}
	if len(c.Toks)-c.Subj.To > 1 || kind == lukasa.KindEvent {
		n := len(c.x.out)
		c.tell(kind, definingConfidence, tag)
		if len(c.x.out) > n {
			switch {
			case kind == lukasa.KindDecision:
				c.instead(&c.x.out[n])
			case len(c.Dates) > 0 && c.ahead() && grammar.Mentions(c.Rest, "married"):
				c.timed(n, "wedding", true)
			case g.Lemma == "break" || g.Lemma == "split":
				c.parted()
			}
		}
		c.newJob()
	}
	return true
}

// instead notes "…, not SQLite" and "… instead of SQLite" on a decision.
func (c *clause) instead(st *Statement) {
	toks := c.x.Toks
	for i := 0; i+2 < len(toks); i++ {
		if toks[i].Is(",") && toks[i+1].Is("not") && toks[i+2].Upper || toks[i].Is("instead") && toks[i+1].Is("of") && toks[i+2].Upper {
			np, _ := c.Phrase(toks, i+2, grammar.TitleStops)
			st.Corrects = c.Bytes(np)
			return
		}
	}
}

// newJob adds the employer, and the title if one is given, that "got a new job at Philips" names. "Started as a nurse at Philips" names none: it most often tells
// how a career began.
func (c *clause) newJob() {
	g := c.Verb
	if !g.Told() || g.Lemma != "start" && g.Lemma != "get" && g.Lemma != "take" && g.Lemma != "begin" || !grammar.Mentions(c.Rest, "job", "position", "role", "post") {
		return
	}
	for i, t := range c.Rest {
		if (t.Is("at") || t.Is("with")) && i+1 < len(c.Rest) && c.Rest[i+1].Upper {
			if org := c.org(c.Rest, i+1); org != "" {
				c.fact(lukasa.KindFact, "works_at", org, 0.8, true, "work")
				c.title(c.Rest)
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
	g := c.Verb
	told := g.Told() && !g.Progressive
	now := g.Progressive && !g.Past && !g.Future
	firm := false
	switch g.Lemma {
	case "decide":
		firm = told && len(c.Rest) > 1 && (c.Follows("to") || c.Follows("on") || c.Follows("that") || c.Follows("against") || c.Follows("not"))
	case "go":
		firm = (now || told || g.Future) && c.Follows("with") && len(c.Rest) > 1 && !grammar.EmptyObjects[c.Rest[1].Low] && c.object(1)
	case "commit":
		firm = (now || told) && c.Follows("to") && len(c.Rest) > 1
	case "settle":
		firm = told && c.Follows("on") && len(c.Rest) > 1 || told && c.Follows("for") && len(c.Rest) > 1
	case "opt":
		firm = told && c.Follows("for") && len(c.Rest) > 1
	case "choose", "pick":
		firm = (told || g.Current() && !g.Progressive && c.Subj.Kind == grammar.Speaker) && len(c.Rest) > 0 && !grammar.EmptyObjects[c.Rest[0].Low] || told && c.Follows("to") && len(c.Rest) > 1
	case "agree":
		firm = told && len(c.Rest) > 1 && (c.Follows("to") || c.Follows("on") && !c.Follows("on", "a") && !c.Follows("on", "one"))
	case "drop":
		firm = c.Subj.We && told && len(c.Dates) == 0 && c.Follows("support")
	}
	if firm {
		return lukasa.KindDecision, "decision"
	}
	return "", ""
}

// object reports whether the phrase from token i of the rest is a plan rather than company: "going with the blue design", not "going with Tom".
func (c *clause) object(i int) bool {
	return i < len(c.Rest) && (grammar.Articles[c.Rest[i].Low] && !c.Rest[i].Is("my") || c.Verb.Form == lexis.Gerund && len(c.Dates) == 0 && !lexis.GivenNames[c.Rest[i].Low] && !c.Rest[i].Is("my") && !c.Rest[i].Is("our"))
}

// eventKind: marriages, births, deaths, jobs won and lost, contracts.
func (c *clause) eventKind() (lukasa.MemoryKind, string) {
	g := c.Verb
	told := g.Told() && !g.Progressive
	now := g.Progressive && !g.Past
	rest := c.Rest
	hit := false
	switch g.Lemma {
	case "start", "begin":
		hit = (now || g.Future && len(c.Dates) > 0) && len(rest) > 0 && !rest[0].Is("to") && !rest[0].Is("over") && !rest[0].Is("from") && !rest[0].Is("with") && lexis.Verbs[rest[0].Low].Form != lexis.Gerund && !grammar.EmptyObjects[rest[0].Low] || now && len(rest) > 0 && lexis.Verbs[rest[0].Low].Lemma == "work"
		hit = hit && (c.Subj.Kind == grammar.Speaker || c.Subj.Kind == grammar.Someone)
	case "get":
		hit = c.gets(rest, told, now)
	case "close":
		hit = told && grammar.Mentions(rest, "deal", "round", "sale")
	case "sign":
		hit = told && grammar.Mentions(rest, "contract", "lease", "deal", "agreement", "papers", "offer", "mortgage", "sheet", "letter")
	case "marry":
		hit = told && (len(rest) > 0 || g.Passive)
	case "have":
		hit = (now || g.Future || told) && grammar.Mentions(rest, "baby", "miscarriage", "twins") && !g.Perfect
	case "be":
		if n := len(rest); g.Be >= 0 && n > 0 && rest[0].Is("born") && g.Past && len(c.Dates) > 0 && c.Dates[0].Precision == lexis.ToMinute {
			hit = true
		}
		if g.Be >= 0 && !g.Future && grammar.Mentions(c.Toks[g.Be:], "pregnant", "expecting") && (len(rest) > 0 && (rest[0].Is("pregnant") || rest[0].Is("expecting"))) {
			hit = !g.Past
		}
	case "die", "elope":
		hit = told
	case "propose":
		hit = told && (len(rest) == 0 || c.Dated(rest[0]) || rest[0].Is("to") && len(rest) < 3)
	case "quit", "resign":
		hit = told && (len(rest) == 0 || c.Dated(rest[0]) || grammar.Articles[rest[0].Low] && !grammar.Mentions(rest, "job", "at"))
	case "pass":
		hit = told && c.Follows("away")
	case "give":
		hit = told && (c.Follows("birth") || c.Follows("notice") || grammar.Mentions(rest, "notice"))
	case "expect":
		hit = now && grammar.Mentions(rest, "child", "baby", "twins", "girl", "boy", "daughter", "son")
	case "offer":
		hit = g.Passive && grammar.Mentions(rest, "job", "position", "role", "promotion", "scholarship", "place")
	case "lay", "fire", "promote", "hire", "accept", "elect", "reject", "diagnose":
		hit = g.Passive && (g.Lemma != "lay" || c.Follows("off")) && (g.Lemma != "accept" || grammar.Mentions(rest, "to", "into", "at", "by"))
	case "break", "split":
		hit = told && c.Follows("up")
	case "divorce", "retire":
		hit = told || now && len(c.Dates) > 0 || g.Passive && len(c.Dates) > 0
	case "adopt":
		hit = told && grammar.Mentions(rest, "baby", "child", "girl", "boy", "daughter", "son")
	case "become":
		hit = told && grammar.Mentions(rest, "father", "mother", "parents", "grandmother", "grandfather", "uncle", "aunt", "citizen", "partner", "parent")
	}
	if hit {
		return lukasa.KindEvent, "event"
	}
	return "", ""
}

// gets: got the job, getting married, got promoted.
func (c *clause) gets(rest []lexis.Token, told, now bool) bool {
	if len(rest) == 0 || !told && !now && !(c.Verb.Future && len(c.Dates) > 0) {
		return false
	}
	switch rest[0].Low {
	case "offered":
		return told && grammar.Mentions(rest, "job", "position", "role", "promotion", "scholarship", "place", "contract")
	case "married", "engaged", "divorced", "promoted", "fired", "hired", "elected", "accepted", "diagnosed", "pregnant":
		return true
	case "laid":
		return grammar.Next(rest, 0) == "off"
	case "the", "an", "a", "my":
		return told && len(rest) > 1 && (rest[1].Is("job") || rest[1].Is("post") || rest[1].Is("residency") || rest[1].Is("internship") || rest[1].Is("offer") || rest[1].Is("promotion") || rest[1].Is("scholarship") || rest[1].Is("grant") || rest[1].Is("role") || rest[1].Is("position") || grammar.Next(rest, 1) == "job" || grammar.Next(rest, 1) == "offer" || rest[1].Is("raise") || rest[1].Is("visa"))
	case "into":
		return told && len(rest) > 1 && rest[1].Upper
	}
	return false
}

// milestoneKind: launched, shipped, finished, completed, went live, passed, graduated, reached.
func (c *clause) milestoneKind() (lukasa.MemoryKind, string) {
	g := c.Verb
	told := g.Told() && !g.Progressive || g.Passive && !g.Future && g.Modal == ""
	rest := c.Rest
	if !told {
		return "", ""
	}
	hit := false
	switch g.Lemma {
	case "launch", "release", "publish", "ship":
		hit = g.Passive || len(rest) > 0 && !grammar.EmptyObjects[rest[0].Low]
	case "complete", "achieve", "deliver":
		hit = g.Passive || len(rest) > 0 && !grammar.EmptyObjects[rest[0].Low]
	case "finish":
		hit = len(rest) > 0 && !lexis.SmallJobs[rest[0].Low] && !(len(rest) > 1 && lexis.SmallJobs[rest[1].Low]) && !grammar.EmptyObjects[rest[0].Low] && !rest[0].Is("early") && !rest[0].Is("late") && !c.Dated(rest[0]) && !rest[0].Is("at")
	case "go":
		hit = c.Follows("live") || c.Follows("public") || c.Follows("viral")
	case "pass":
		hit = grammar.Mentions(rest, "exam", "exams", "test", "bar", "interview", "audit", "course", "driving", "inspection", "certification", "boards")
	case "graduate":
		hit = true
	case "reach", "hit":
		hit = len(rest) > 0 && (rest[0].Kind == lexis.Number || grammar.Mentions(rest, "milestone", "goal", "target", "users", "customers", "summit"))
	case "win":
		hit = grammar.Mentions(rest, "award", "prize", "championship", "medal", "hackathon", "contest", "competition", "election", "tournament", "final")
	}
	if hit {
		return lukasa.KindMilestone, "milestone"
	}
	return "", ""
}

// news: what "it" and "this" bring: "it turns out that …", "this changes everything", "it's done".
func (c *clause) news() {
	g := c.Verb
	if g.Negated || g.Modal != "" || g.Future {
		return
	}
	switch {
	case g.Lemma == "change" && c.Follows("everything"):
		c.say(lukasa.KindTurningPoint, "turning point")
	case g.Lemma == "turn" && c.Follows("out"):
		toks := c.Rest[1:]
		if len(toks) > 0 && toks[0].Is("that") {
			toks = toks[1:]
		}
		c.insight(toks)
	case g.Be >= 0 && grammar.Mentions(c.Toks[g.Be:], "turning") && grammar.Mentions(c.Toks[g.Be:], "point"):
		c.say(lukasa.KindTurningPoint, "turning point")
	case g.Be >= 0 && len(c.Toks) <= g.Be+4 && (grammar.Mentions(c.Toks[g.Be:], "done") || grammar.Mentions(c.Toks[g.Be:], "live") || grammar.Mentions(c.Toks[g.Be:], "finished")) && c.x.prev.End > 0:
		c.say(lukasa.KindMilestone, "milestone")
	case g.Told() && g.Lemma == "go" && c.Follows("live") && c.x.prev.End > 0:
		c.say(lukasa.KindMilestone, "milestone")
	}
}

// say adds the clause in the speaker's own words; one that leans on the sentence before is told with it.
func (c *clause) say(kind lukasa.MemoryKind, tag string) {
	x := c.x
	if !x.Self {
		return
	}
	said := lexis.LowerFirst(c.Bytes(c.Toks))
	if c.Subj.Kind == grammar.Deictic && x.prev.End > 0 && x.prev.End-x.prev.Start < 300 {
		said = strings.TrimRight(lexis.OneLine(x.prev.Of(x.S)), ". ") + ". " + c.Bytes(c.Toks)
	}
	st := Statement{Kind: kind, Content: x.Owner(x.Me) + " says: " + said + c.Reckoned(), Subject: x.Me, Confidence: definingConfidence, Tags: []string{tag}}
	c.happened(&st)
	c.evidence(&st)
	x.add(st)
}

// insight adds what has been learned.
func (c *clause) insight(toks []lexis.Token) {
	if len(toks) < 3 || grammar.Mentions(toks, "you", "your") {
		return
	}
	subject := ""
	if c.Subj.Kind == grammar.Speaker {
		subject = c.x.Me
	}
	content := lexis.UpperFirst(c.Bytes(toks))
	if subject == "" && c.x.Self {
		subject = c.x.Me
	}
	if grammar.Mentions(toks, "i", "my", "we", "our", "me", "us") {
		if !c.x.Self {
			return
		}
		content, subject = c.x.Owner(c.x.Me)+" found: "+lexis.LowerFirst(c.Bytes(toks)), c.x.Me
	}
	st := Statement{Kind: lukasa.KindInsight, Content: content, Subject: subject, Confidence: 0.75, Tags: []string{"insight"}}
	c.evidence(&st)
	c.x.add(st)
}

// fixed reads sentences that are known by their first words: tasks, resolutions, insights, decisions and corrections.
func (x *extractor) fixed() bool {
	toks := x.Toks
	for len(toks) > 2 && (toks[0].Is("please") || toks[0].Is("and") || toks[0].Is("so") || toks[0].Is("also") || toks[0].Is("but") || toks[0].Is("no") || toks[0].Is("ok") || toks[0].Is("oh") || toks[0].Kind == lexis.Punct) {
		toks = toks[1:]
	}
	c := x.mine(toks)
	c.Dates = lexis.FindDates(toks, x.in.At, 1)
	switch {
	case grammar.Starts(toks, "todo", ":"), grammar.Starts(toks, "todo"), grammar.Starts(toks, "action", "item", ":"), grammar.Starts(toks, "to", "do", ":"), grammar.Starts(toks, "to-do", ":"):
		i := 1
		for i < len(toks) && (toks[i].Kind == lexis.Punct || toks[i].Is("item") || toks[i].Is("do")) {
			i++
		}
		return x.order(toks[i:])
	case (grammar.Starts(toks, "decision", ":") || grammar.Starts(toks, "decided", ":")) && x.Self && len(toks) > 4:
		c.Toks = toks[2:]
		c.say(lukasa.KindDecision, "decision")
		return true
	case grammar.Starts(toks, "note", "to", "self", ":"):
		return x.order(toks[4:])
	case grammar.Starts(toks, "remind", "me", "to"):
		return x.order(toks[3:])
	case grammar.Starts(toks, "do", "n't", "forget", "to"):
		return x.order(toks[4:])
	case grammar.Starts(toks, "do", "n't", "let", "me", "forget", "to"):
		return x.order(toks[6:])
	case grammar.Starts(toks, "do", "not", "forget", "to"):
		return x.order(toks[4:])
	case grammar.Starts(toks, "remember", "to"):
		return x.order(toks[2:])
	case grammar.Starts(toks, "let", "'s", "do"), grammar.Starts(toks, "let", "'s", "go", "with"), grammar.Starts(toks, "let", "'s", "use"):
		i := 3
		if toks[2].Is("go") {
			i = 4
		}
		if x.Self && len(toks) > i && !grammar.EmptyObjects[toks[i].Low] && len(grammar.Bare(toks[i:])) > 0 {
			c.say(lukasa.KindDecision, "decision")
		}
		return true
	case grammar.Starts(toks, "it", "'s", "my", "birthday") && x.Self && len(c.Dates) == 1 && c.Dates[0].Precision == lexis.ToDay:
		day := c.Dates[0]
		c.Dates = nil
		c.fact(lukasa.KindFact, "birthday", dateValue("birthday", day), 0.85, false, "identity")
		return true
	case grammar.Starts(toks, "from", "now", "on") && len(toks) > 5 && !toks[3].Is("you") && !toks[4].Is("you"):
		c.say(lukasa.KindTurningPoint, "turning point")
		return true
	case (grammar.Starts(toks, "people", "call", "me") || grammar.Starts(toks, "everyone", "calls", "me") || grammar.Starts(toks, "friends", "call", "me") || grammar.Starts(toks, "you", "can", "call", "me") || grammar.Starts(toks, "call", "me")) && x.Self:
		at := len(toks)
		for i, t := range toks {
			if t.Is("me") {
				at = i + 1
				break
			}
		}
		if np, _ := c.Phrase(toks, at, grammar.TitleStops); len(np) > 0 && len(np) < 4 && np[0].Upper {
			c.fact(lukasa.KindFact, "nickname", c.Bytes(np), 0.85, false, "identity")
		}
		return true
	case grammar.Starts(toks, "never", "again") && len(toks) > 3:
		c.say(lukasa.KindTurningPoint, "turning point")
		return true
	}
	return x.learned(c, toks) || x.corrects(toks)
}

// order adds an act as a task of the speaker.
func (x *extractor) order(toks []lexis.Token) bool {
	if len(toks) < 2 || !x.Self || grammar.EmptyObjects[toks[1].Low] && len(toks) < 3 || grammar.Mentions(toks, "you") {
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
	if grammar.Starts(toks, "lesson", "learned") || grammar.Starts(toks, "lesson", "learnt") || grammar.Starts(toks, "lessons", "learned") || grammar.Starts(toks, "key", "insight") || grammar.Starts(toks, "insight", ":") || grammar.Starts(toks, "takeaway", ":") {
		for i = 1; i < len(toks) && !toks[i-1].Is(":"); i++ {
		}
		c.Subj.Kind = grammar.Nobody
		c.insight(toks[i:])
		return true
	}
	if grammar.Starts(toks, "the") {
		for k := 1; k < len(toks)-2 && k < 5; k++ {
			if (toks[k].Is("takeaway") || toks[k].Is("lesson") || toks[k].Is("insight") || toks[k].Is("finding")) && toks[k+1].Is("is") {
				i = k + 2
				if toks[i].Is("that") {
					i++
				}
				c.Subj.Kind = grammar.Nobody
				c.insight(toks[i:])
				return true
			}
		}
		return false
	}
	if !x.Self || len(toks) < 4 || !toks[0].Is("i") && !toks[0].Is("we") {
		return false
	}
	c.Subj.We = toks[0].Is("we")
	c.Subj.To = 1
	g, ok := lexis.ReadGroup(toks, 1)
	if !ok || !g.Told() || g.Negated || g.Passive || g.Next >= len(toks) {
		return false
	}
	rest := toks[g.Next:]
	c.Verb, c.Rest = g, rest
	c.Dates = lexis.FindDates(toks, x.in.At, -1)
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
		if grammar.Starts(rest, "out", "that") && len(rest) > 4 {
			c.insight(rest[2:])
			return true
		}
	}
	return false
}

// amends: "it's the 18th of September, not the 16th", of something that an earlier message put on the 16th.
func (x *extractor) amends(toks []lexis.Token, i int) bool {
	cut := slices.IndexFunc(toks, func(t lexis.Token) bool { return t.Is("not") })
	if cut <= i || cut+1 >= len(toks) || x.d == nil {
		return false
	}
	now, wrong := lexis.FindDates(toks[i:cut], x.in.At, 1), toks[cut+1:]
	if len(now) != 1 || now[0].Precision != lexis.ToDay {
		return false
	}
	for _, old := range slices.Backward(x.d.dated) {
		day := old.When.From
		if old.Subject != x.Me || !slices.ContainsFunc(wrong, func(t lexis.Token) bool { return lexis.DayNumber(t.Low) == day.Day() }) && !slices.ContainsFunc(lexis.FindDates(wrong, x.in.At, 1), func(m lexis.Moment) bool { return m.From.Equal(day) }) {
			continue
		}
		st := old
		st.Amends, st.When, st.Until = old.Content, &now[0], nil
		if !st.OccurredAt.IsZero() {
			st.OccurredAt = now[0].From
		}
		if !st.ValidFrom.IsZero() {
			st.ValidFrom = now[0].From
		}
		st.Start, st.End = toks[0].Start, toks[len(toks)-1].End
		st.Content = strings.TrimSuffix(old.Content, ".") + ", corrected to " + now[0].ISO() + ": " + x.short(toks)
		x.add(st)
		return true
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
	case grammar.Starts(toks, "i", "meant"):
		i = 2
	case grammar.Starts(toks, "it", "'s"), grammar.Starts(toks, "it", "is"):
		i = 2
	default:
		return false
	}
	if i >= len(toks) {
		return false
	}
	if len(x.out) == 0 {
		return x.amends(toks, i)
	}
	last := &x.out[len(x.out)-1]
	c := x.clause(toks)
	c.Dates = lexis.FindDates(toks[i:], x.in.At, 1)
	if len(c.Dates) > 0 && !last.OccurredAt.IsZero() && last.When != nil {
		was := last.When.ISO()
		last.Corrects = was
		last.OccurredAt, last.When = c.Dates[0].From, &c.Dates[0]
		last.Content = strings.TrimSuffix(last.Content, ".") + ", corrected to " + c.Dates[0].ISO() + "."
		last.End = toks[len(toks)-1].End + x.in.Base
		return true
	}
	np, end := c.Phrase(toks, i, map[string]bool{})
	value := c.Bytes(grammar.Bare(np))
	wrong := ""
	if end+1 < len(toks) && toks[end].Is(",") && toks[end+1].Is("not") {
		w, _ := c.Phrase(toks, end+2, map[string]bool{})
		wrong = c.Bytes(grammar.Bare(w))
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
