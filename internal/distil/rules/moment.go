package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/guard"
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
	kind, tag := c.Defines()
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
		if c.Subj.Kind == grammar.Someone && g.Lemma == "get" {
			if c.newJob(); len(c.x.out) > n {
				return true // of others it tells where they work now
			}
		}
		c.tell(kind, definingConfidence, tag)
		if len(c.x.out) > n {
			switch {
			case kind == lukasa.KindDecision:
				c.instead(&c.x.out[n])
			case len(c.Dates) > 0 && c.Ahead() && grammar.Mentions(c.Rest, "married"):
				c.timed(n, "wedding")
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

// newJob adds the employer, and the title if one is given, that "got a new job at Philips" names. "Started as a nurse at Philips" names none: it
// most often tells how a career began.
func (c *clause) newJob() {
	g := c.Verb
	if !g.Told() || g.Lemma != "start" && g.Lemma != "get" && g.Lemma != "take" && g.Lemma != "begin" ||
		!grammar.Mentions(c.Rest, "job", "position", "role", "post") {
		return
	}
	for i, t := range c.Rest {
		if (t.Is("at") || t.Is("with")) && i+1 < len(c.Rest) && (c.Rest[i+1].Upper || c.Rest[i+1].Is("the") && i+2 < len(c.Rest) &&
			lexis.Workplaces[c.Rest[i+2].Low]) {
			if org := c.Employer(c.Rest, i+1); org != "" {
				c.fact(lukasa.KindFact, "works_at", org, 0.8, true, "work")
				c.title(c.Rest)
				return
			}
		}
	}
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
	case g.Be >= 0 && len(c.Toks) <= g.Be+4 && (grammar.Mentions(c.Toks[g.Be:], "done") || grammar.Mentions(c.Toks[g.Be:], "live") ||
		grammar.Mentions(c.Toks[g.Be:], "finished")):
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
	said := grammar.LowerFirst(c.Bytes(c.Toks))
	if c.Subj.Kind == grammar.Deictic && x.prev.End > 0 && x.prev.End-x.prev.Start < 300 {
		said = strings.TrimRight(lexis.OneLine(x.prev.Of(x.S)), ". ") + ". " + c.Bytes(c.Toks)
	}
	st := Statement{
		Kind: kind, Content: x.Owner(x.Me) + " says: " + said + c.Reckoned(), Subject: x.Me,
		Confidence: definingConfidence, Tags: []string{tag},
	}
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
	content := grammar.UpperFirst(c.Bytes(toks))
	if subject == "" && c.x.Self {
		subject = c.x.Me
	}
	if grammar.Mentions(toks, "i", "my", "we", "our", "me", "us") {
		if !c.x.Self {
			return
		}
		content, subject = c.x.Owner(c.x.Me)+" found: "+grammar.LowerFirst(c.Bytes(toks)), c.x.Me
	}
	st := Statement{Kind: lukasa.KindInsight, Content: content, Subject: subject, Confidence: 0.75, Tags: []string{"insight"}}
	c.evidence(&st)
	c.x.add(st)
}

// fixed reads sentences that are known by their first words: tasks, resolutions, insights, decisions and corrections.
func (x *extractor) fixed() bool {
	toks := x.Toks
	for len(toks) > 2 && (toks[0].Is("please") || toks[0].Is("and") || toks[0].Is("so") || toks[0].Is("also") || toks[0].Is("but") ||
		toks[0].Is("no") || toks[0].Is("yes") || toks[0].Is("ok") || toks[0].Is("oh") || toks[0].Kind == lexis.Punct) {
		toks = toks[1:]
	}
	c := x.mine(toks)
	c.Dates = lexis.FindDates(toks, x.in.At, 1)
	switch {
	case grammar.Starts(toks, "todo", ":"), grammar.Starts(toks, "todo"), grammar.Starts(toks,
		"action", "item", ":"), grammar.Starts(toks, "to", "do", ":"), grammar.Starts(toks, "to-do", ":"):
		i := 1
		for i < len(toks) && (toks[i].Kind == lexis.Punct || toks[i].Is("item") || toks[i].Is("do")) {
			i++
		}
		return x.order(toks[i:])
	case (grammar.Starts(toks, "decision", ":") || grammar.Starts(toks, "decided", ":") || grammar.Starts(toks, "final", "decision", ":")) && x.Self && len(toks) > 4:
		c.Toks = toks[slices.IndexFunc(toks, func(t lexis.Token) bool { return t.Is(":") })+1:]
		c.say(lukasa.KindDecision, "decision")
		return true
	case guard.Reminder(toks) > 0:
		return x.order(toks[guard.Reminder(toks):])
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
		c.fact(lukasa.KindFact, "birthday", grammar.DateValue("birthday", day), 0.85, false, "identity")
		return true
	case grammar.Starts(toks, "from", "now", "on") && len(toks) > 5 && !toks[3].Is("you") && !toks[4].Is("you"):
		c.say(lukasa.KindTurningPoint, "turning point")
		return true
	case (grammar.Starts(toks, "people", "call", "me") || grammar.Starts(toks, "everyone", "calls", "me") ||
		grammar.Starts(toks, "friends", "call", "me") || grammar.Starts(toks, "you", "can", "call", "me") || grammar.Starts(toks, "call", "me")) &&
		x.Self:
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
	case grammar.Starts(toks, "never", "again"):
		c.say(lukasa.KindTurningPoint, "turning point")
		return true
	}
	return x.learned(c, toks) || x.corrects(toks) || x.labelled(c, toks)
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
	if grammar.Starts(toks, "lesson", "learned") || grammar.Starts(toks, "lesson", "learnt") || grammar.Starts(toks, "lessons", "learned") ||
		grammar.Starts(toks, "key", "insight") || grammar.Starts(toks, "insight", ":") || grammar.Starts(toks, "takeaway", ":") {
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
	if cut <= i || cut+1 >= len(toks) {
		return false
	}
	now, wrong := lexis.FindDates(toks[i:cut], x.in.At, 1), toks[cut+1:]
	if len(now) != 1 || now[0].Precision != lexis.ToDay {
		return false
	}
	st, ok := x.d.stated.Redated(x.Me, func(day time.Time) bool {
		return slices.ContainsFunc(wrong, func(t lexis.Token) bool { return lexis.DayNumber(t.Low) == day.Day() }) ||
			slices.ContainsFunc(lexis.FindDates(wrong, x.in.At, 1), func(m lexis.Moment) bool { return m.From.Equal(day) })
	}, &now[0])
	if !ok {
		return false
	}
	st.Start, st.End = toks[0].Start, toks[len(toks)-1].End
	st.Content = strings.TrimSuffix(st.Amends, ".") + ", corrected to " + now[0].ISO() + ": " + x.short(toks)
	x.add(st)
	return true
}

// rights: "sorry, not Paris, Lyon", "I meant Lyon, not Paris", of a value that an earlier message gave.
func (x *extractor) rights(toks []lexis.Token) bool {
	right, wrong := x.clause(toks).Contrast(toks)
	st, ok := x.d.stated.Righted(x.Me, wrong, right)
	if ok {
		st.Start, st.End = toks[0].Start, toks[len(toks)-1].End
		x.add(st)
	}
	return ok
}

// corrects: "Sorry, I meant Wednesday", "Actually it's Lyon, not Paris": the last statement of this text with a value that fits takes the new one.
func (x *extractor) corrects(toks []lexis.Token) bool {
	toks, i := grammar.Corrected(toks)
	if len(x.out) == 0 {
		return x.d != nil && (x.rights(toks) || i >= 0 && x.amends(toks, i))
	}
	if i < 0 {
		return false
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
	if value == "" || last.Slot == "" || last.Value == "" || wrong != "" && !strings.EqualFold(wrong, last.Value) || i == 2 && toks[0].Is("it") &&
		wrong == "" {
		return wrong != ""
	}
	last.Corrects = last.Value
	last.Content = strings.Replace(last.Content, last.Value, value, 1)
	last.Value = value
	last.End = toks[len(toks)-1].End + x.in.Base
	x.heard[len(x.out)-1].told = [2]string{last.Subject, last.Content}
	return true
}
