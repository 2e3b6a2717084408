package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// openConfidence is that of what no rule of its own knows: it is said plainly, and is specific.
const openConfidence = 0.65

// open is the last rule: it tells what is said plainly of someone or something and is specific: it names a day, a name, a number or a thing of
// its own.
func (c *clause) open() bool {
	g := c.Verb
	if g.Unsure || g.Modal != "" || g.Must || g.UsedTo || g.Ended && g.Lemma != "be" || g.Always || grammar.Mentions(c.Rest, "you", "your", "yours") {
		return false
	}
	if g.Lemma == "be" {
		return c.state()
	}
	if g.Passive && g.Current() && c.Subj.Kind == grammar.Thing && lexis.Ready[c.Toks[g.At].Low] && len(c.Rest) == 0 && !g.Negated {
		c.tellOpen(lukasa.KindMilestone, "milestone")
		return true
	}
	if (g.Negated || g.Never) && g.Current() && !g.Perfect && !g.Progressive && grammar.Abstains[g.Lemma] != "" && len(c.Rest) == 0 &&
		(c.Subj.Kind == grammar.Speaker || c.Subj.Kind == grammar.Someone) {
		c.Verb.Negated, c.Verb.Never = false, false
		c.fact(lukasa.KindFact, "does_not", grammar.Abstains[g.Lemma], 0.75, false, "habit")
		return true
	}
	return false
}

// timed gives the statement at place n the slot of a time: of a thing that takes place once there is one. A thing of no one in particular is the
// speaker's.
func (c *clause) timed(n int, what string) {
	if len(c.x.out) <= n {
		return
	}
	st := &c.x.out[n]
	if c.Generic() && c.x.Self {
		st.Subject = c.x.Me
	}
	st.Slot = "when:" + what
	c.sameMonth(st)
}

// sameMonth reads "the wedding is on the 27th now" as a day of the month in which the wedding was before.
func (c *clause) sameMonth(st *Statement) {
	if st.When == nil || c.x.d == nil || st.When.Precision != lexis.ToDay || !strings.HasPrefix(c.S[st.When.Start:], "the ") ||
		len(strings.Fields(c.S[st.When.Start:st.When.End])) != 2 {
		return
	}
	for old := range c.x.d.stated.Dated() {
		if old.Slot != st.Slot || old.Subject != st.Subject || old.When.From.Before(c.x.in.At) {
			continue
		}
		day := time.Date(old.When.From.Year(), old.When.From.Month(), st.When.From.Day(), 0, 0, 0, 0, st.When.From.Location())
		if day.Day() != st.When.From.Day() {
			return
		}
		was := st.When.ISO()
		m := *st.When
		m.From, m.To = day, day.AddDate(0, 0, 1)
		st.When, st.OccurredAt = &m, day
		st.Content = strings.Replace(st.Content, "("+was+")", "("+m.ISO()+")", 1)
		return
	}
}

// tellOpen adds the clause; one about a thing with a name, or with an owner, is the thing's or the owner's.
func (c *clause) tellOpen(kind lukasa.MemoryKind, tag string) {
	var tags []string
	if tag != "" {
		tags = []string{tag}
	}
	st := Statement{Kind: kind, Content: c.Retell(), Subject: c.Who(), Confidence: openConfidence, Tags: tags}
	if c.Subj.Kind == grammar.Thing && st.Subject == "" {
		st.Subject = c.Subj.Noun
	}
	if c.Subj.We && c.Verb.Current() && (c.Verb.Lemma == "make" || c.Verb.Lemma == "sell" || c.Verb.Lemma == "build" || c.Verb.Lemma == "produce") {
		st.Subject = c.x.employs(st.Subject) // "we make sensors"
	}
	if kind == lukasa.KindFact {
		c.validity(&st, c.Verb.Perfect)
	} else {
		c.happened(&st)
	}
	c.evidence(&st)
	c.x.add(st)
}

// between sets the stretch from date i to the one behind it. A second date without a year that came out before the first is that of the year after.
func (c *clause) between(st *Statement, i int) {
	from, to := &c.Dates[i], &c.Dates[i+1]
	for to.Relative && to.From.Before(from.From) && to.From.AddDate(1, 0, 0).Sub(from.From) < 366*24*time.Hour {
		to.From, to.To = to.From.AddDate(1, 0, 0), to.To.AddDate(1, 0, 0)
	}
	if to.From.Before(from.From) {
		return
	}
	st.ValidFrom, st.ValidTo, st.When, st.Until = from.From, to.From, from, to
}

// state tells what someone or something is: a member of a kind, in a lasting state, at a place, away for a time, due on a day.
func (c *clause) state() bool {
	g := c.Verb
	comp := c.Toks[g.Be+1:]
	for len(comp) > 0 && (lexis.Adverbs[comp[0].Low] && !comp[0].Is("together") || comp[0].Is("not") || comp[0].Is("n't")) {
		comp = comp[1:]
	}
	if len(comp) == 0 {
		return false
	}
	if g.Negated || g.Never {
		if c.Anymore() && comp[0].Is("together") {
			c.tellOpen(lukasa.KindEvent, "event")
			c.parted()
			return true
		}
		return c.Anymore() && (c.departed(comp) || c.located(comp))
	}
	if g.Ended {
		for len(comp) > 0 && (comp[0].Is("no") || comp[0].Is("longer")) {
			comp = comp[1:]
		}
		return len(comp) > 1 && c.located(comp)
	}
	if c.service(comp) {
		return true
	}
	if m, ok := lexis.Duration(c.Toks, c.x.in.At); ok && g.Perfect && !g.Past && len(comp) > 2 {
		c.Dates = []lexis.Moment{m}
		c.tellOpen(lukasa.KindFact, "")
		if st := &c.x.out[len(c.x.out)-1]; st.ValidFrom.IsZero() {
			st.ValidFrom, st.When = m.From, &c.Dates[0]
		}
		return true
	}
	if g.Perfect && !g.Past && len(c.Dates) > 0 && c.Prep(c.Dates[0]) == "since" && len(comp) > 2 && (comp[0].Is("together") ||
		lexis.Traits[comp[0].Low] || comp[0].Upper || comp[0].Is("at") || comp[0].Is("with") || comp[0].Is("in")) {
		c.tellOpen(lukasa.KindFact, "")
		return true
	}
	if g.Past || g.Perfect {
		if c.Subj.Kind == grammar.Thing && len(c.Dates) > 0 && g.Past && (lexis.Meetings[grammar.LastWord(c.Subj.Noun)] || len(c.Dates) == 1 &&
			c.Dated(comp[0])) {
			n := len(c.x.out)
			if c.tellOpen(lukasa.KindEpisode, "episode"); len(c.x.out) > n && c.Generic() && c.x.Self {
				c.x.out[n].Subject = c.x.Me
			}
			return true
		}
		return false
	}
	switch {
	case c.Subj.Kind == grammar.Thing && lexis.Ready[comp[0].Low] && (len(comp) == 1 || comp[1].Is("and") || c.Dated(comp[1]) ||
		grammar.HardStops[comp[1].Low]):
		c.tellOpen(lukasa.KindMilestone, "milestone")
		return true
	case c.Subj.Kind == grammar.Thing && len(comp) > 1 && (comp[0].Is("at") || comp[0].Is("on")) && (comp[1].Kind == lexis.Link ||
		comp[1].Kind == lexis.Number && strings.Count(comp[1].Low, ".") > 1):
		c.fact(lukasa.KindFact, "address", comp[1].Of(c.x.S), openConfidence, true, "address")
		return true
	case c.dueOn(comp):
		return true
	case c.Subj.Kind == grammar.Thing && c.Subj.Own == "" && !c.Toks[c.Subj.From].Upper:
		return c.trait(comp)
	}
	return c.located(comp) || c.trait(comp) || c.member(comp)
}

// parted notes that "Aisha and I" are no couple any more.
func (c *clause) parted() {
	for _, t := range c.Toks[:c.Subj.To] {
		if !t.Upper || t.Low == "i" || !c.Subj.We {
			continue
		}
		if n := len(c.x.out); n > 0 {
			c.x.out[n-1].Ends = t.Of(c.x.S)
		}
		return
	}
}

// dueOn: "the demo is on Friday", "my last day will be June 28".
func (c *clause) dueOn(comp []lexis.Token) bool {
	if c.Subj.Kind != grammar.Thing || len(c.Dates) == 0 || len(comp) == 0 {
		return false
	}
	i := 0
	if len(comp) > 1 && comp[0].Is("going") {
		comp = comp[1:]
	}
	if comp[0].Is("on") || comp[0].Is("in") || comp[0].Is("at") || comp[0].Is("due") || comp[0].Is("from") {
		i = 1
	}
	if i >= len(comp) || !c.Dated(comp[i]) && !(comp[i].Is("the") && i+1 < len(comp) && c.Dated(comp[i+1])) {
		return false
	}
	n := len(c.x.out)
	c.tellOpen(lukasa.KindEpisode, "appointment")
	c.timed(n, grammar.LastWord(c.Subj.Noun))
	return true
}

// located: "I'm in Berlin", "the office is in Oakland": where someone or something is now, which is no residence.
func (c *clause) located(comp []lexis.Token) bool {
	if comp[0].Is("at") && len(comp) > 2 && len(c.Dates) == 0 && grammar.Mentions(c.Toks, "still") && grammar.Articles[comp[1].Low] &&
		lexis.Workplaces[comp[2].Low] && !comp[1].Is("a") {
		np, _ := c.Phrase(comp, 2, grammar.OrgStops)
		c.fact(lukasa.KindFact, "works_at", c.Bytes(np), openConfidence, false, "work")
		return true
	}
	if k := slices.IndexFunc(comp, func(t lexis.Token) bool { return t.Is("in") }); comp[0].Is("at") && k > 1 && comp[k-1].Is("'s") {
		comp = comp[k:] // "at my mum's in Croydon"
	}
	if len(c.Dates) > 0 || c.ThatTime() || len(comp) < 2 || !comp[0].Is("in") && !comp[0].Is("near") {
		return false
	}
	place := c.Place(comp, "in", "near")
	if !grammar.ProperPlace(place) {
		return false
	}
	if c.Subj.Kind == grammar.Thing && c.Subj.Own != "" && c.Subj.Own != c.Subj.Noun && !c.Subj.We {
		c.Subj.Own = strings.TrimPrefix(c.x.Possessive(c.Subj.Own), "The ") + " " + c.Subj.Noun // "my office is in Munich"
	}
	c.fact(lukasa.KindFact, "located_in", place, openConfidence, false, "residence")
	return true
}

// trait: "is single", "is lactose intolerant", "is written in Rust".
func (c *clause) trait(comp []lexis.Token) bool {
	for i, t := range comp {
		if lexis.Traits[t.Low] && (i+1 == len(comp) || !comp[i+1].Is("to") && !comp[i+1].Is("from")) && i < 3 &&
			!slices.ContainsFunc(comp[:i], func(b lexis.Token) bool { return lexis.Stops[b.Low] }) {
			c.fact(lukasa.KindFact, "is", c.Bytes(comp[:i+1]), openConfidence, false, "state")
			return true
		}
		if lexis.Stops[t.Low] {
			return false
		}
	}
	return false
}

// member: "Beacon is a log viewer", "she's a beagle mix".
func (c *clause) member(comp []lexis.Token) bool {
	if !comp[0].Is("a") && !comp[0].Is("an") || len(comp) < 2 || c.Subj.Kind == grammar.Speaker && c.Subj.We ||
		lexis.PlaceNames[strings.ToLower(c.Subj.Noun)] {
		return false
	}
	np, end := c.Phrase(comp, 1, grammar.TitleStops)
	if len(np) == 0 || len(np) > 5 || c.Subj.Kind == grammar.Speaker && (len(np) == 1 || end < len(comp) && comp[end].Kind != lexis.Punct) ||
		lexis.Praise[np[len(np)-1].Low] {
		return false
	}
	for _, t := range np {
		if lexis.Stops[t.Low] || lexis.Plain[t.Low] || lexis.Praise[t.Low] {
			return false
		}
	}
	c.fact(lukasa.KindFact, "is", c.Bytes(comp[:1+len(np)]), openConfidence, false, "identity")
	return true
}
