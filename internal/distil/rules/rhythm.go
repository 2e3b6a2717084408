package rules

import (
	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// routine: "I work from home on Wednesdays", "Lena has choir on Mondays", "I swim three times a week".
func (c *clause) routine() bool {
	g := c.Verb
	if !g.Current() || g.Progressive || g.Perfect || g.Negated || g.Never || g.Passive || g.Be >= 0 || g.At < 0 || !c.Recurs() ||
		c.Subj.Kind != grammar.Speaker && c.Subj.Kind != grammar.Someone || grammar.Mentions(c.Rest, "you", "your") {
		return false
	}
	if lexis.Idle[g.Lemma] && g.Lemma != "sleep" || c.Follows("for") {
		return false
	}
	c.tellOpen(lukasa.KindFact, "habit")
	return true
}

// worksOnDays: "I work from home on Wednesdays", which names no employer.
func (c *clause) worksOnDays() bool {
	return c.Verb.Lemma == "work" && !grammar.Mentions(c.Rest, "at", "for") && c.routine()
}

// rhythm: "choir is on Mondays", "my therapy is on Tuesdays now".
func (c *clause) rhythm(noun []lexis.Token) bool {
	g := c.Verb
	if g.Be < 0 || !g.Current() || g.Negated || !c.Recurs() || len(noun) > 4 || len(c.Rest) > 6 {
		return false
	}
	n := len(c.x.out)
	c.tellOpen(lukasa.KindFact, "habit")
	c.timed(n, grammar.LastWord(c.Subj.Noun))
	return true
}

// medicated: "I'm on antibiotics until Sunday".
func (c *clause) medicated() bool {
	g := c.Verb
	if g.Be < 0 || !g.Current() || g.Negated || len(c.Rest) < 2 || !c.Rest[0].Is("on") || !grammar.Medicines[c.Rest[1].Low] {
		return false
	}
	c.tellOpen(lukasa.KindFact, "health")
	return true
}

// suffers: "I get migraines".
func (c *clause) suffers() bool {
	g := c.Verb
	if g.Lemma != "get" || !g.Current() || g.Negated || len(c.Rest) == 0 || !lexis.Ailments[c.Rest[len(c.Rest)-1].Low] || len(c.Rest) > 2 {
		return false
	}
	c.fact(lukasa.KindFact, "condition", c.Bytes(c.Rest), 0.8, false, "health")
	return true
}

// dreams adds what somebody would love.
func (c *clause) dreams() bool {
	np := c.Dreams()
	if len(np) == 0 {
		return false
	}
	c.Verb.Modal, c.Verb.Perfect, c.Verb.Past = "", false, false
	c.fact(lukasa.KindPreference, "wants", c.Bytes(np), 0.7, false, "wish")
	return true
}
