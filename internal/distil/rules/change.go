package rules

import (
	"fmt"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// The rules of this file read what has changed in a life: ages on a day, things bought and given up, health, service at an employer.

// jubilee: "I'll be 45 on 2 March": the day of birth.
func (c *clause) jubilee() bool {
	n := c.TurnsOn()
	return n > 0 && c.bornYearsBefore(n, c.Dates[0])
}

// changes adds what somebody has, or does without, from now on.
func (c *clause) changes() bool {
	return c.begun("owns", c.Acquired(), "possession") || c.begun("gave_up", c.GivenUp(), "habit")
}

// begun adds what holds from the clause's date on, if it was read.
func (c *clause) begun(predicate string, value []lexis.Token, tag string) bool {
	if len(value) == 0 {
		return false
	}
	c.Verb.Past = false
	c.fact(lukasa.KindFact, predicate, c.Bytes(value), 0.8, true, tag)
	return true
}

// lacks adds what somebody has not.
func (c *clause) lacks() bool {
	if !c.Lacks() {
		return false
	}
	c.tellOpen(lukasa.KindFact, "")
	return true
}

// service adds where somebody is or was employed.
func (c *clause) service(comp []lexis.Token) bool {
	org, over := c.Served(comp)
	if org == "" {
		return false
	}
	c.Verb.UsedTo = over
	c.fact(lukasa.KindFact, "works_at", org, 0.8, false, "work")
	return true
}

// startsAt adds a new employer.
func (c *clause) startsAt() bool {
	org := c.StartedAt()
	if org == "" {
		return false
	}
	c.Verb.Past = false
	c.fact(lukasa.KindFact, "works_at", org, 0.85, true, "work")
	c.title(c.Rest)
	return true
}

// fancies adds what somebody is a person for, or not.
func (c *clause) fancies(comp []lexis.Token) bool {
	what := c.Fancies(comp)
	if len(what) == 0 {
		return false
	}
	pred := "likes"
	if c.Verb.Negated {
		pred, c.Verb.Negated = "dislikes", false
	}
	c.fact(lukasa.KindPreference, pred, c.Bytes(what), 0.8, false, "preference")
	return true
}

// remains adds what those who speak keep to.
func (c *clause) remains() bool {
	if !c.Remains() {
		return false
	}
	c.tell(lukasa.KindDecision, 0.7, "decision")
	return true
}

// bornYearsBefore adds the birthday of whom turns n on a day.
func (c *clause) bornYearsBefore(n int, day lexis.Moment) bool {
	if n < 1 {
		return false
	}
	dates := c.Dates
	c.Dates = nil
	c.fact(lukasa.KindFact, "birthday", fmt.Sprintf("%04d-%s", day.From.Year()-n, day.From.Format("01-02")), 0.8, false, "identity")
	c.Dates = dates
	return true
}

// thJubilee: "Mum's seventieth is on 22 March", "my 40th is next Friday".
func (c *clause) thJubilee(noun []lexis.Token) bool {
	g := c.Verb
	if c.Subj.Own == "" || g.Be < 0 || g.Past || g.Negated || len(noun) > 2 || len(noun) == 2 && !noun[1].Is("birthday") || len(c.Dates) == 0 ||
		c.Dates[0].Precision != lexis.ToDay {
		return false
	}
	return c.bornYearsBefore(lexis.Jubilee(noun[0].Low), c.Dates[0])
}

// ill: "Dad has had a stroke", "had knee surgery", and what somebody cannot have.
func (c *clause) ill() bool {
	g := c.Verb
	if g.Lemma != "have" || g.Negated && g.Modal == "" {
		return false
	}
	if g.Modal == "can" && g.Negated {
		np, _ := c.Phrase(c.Rest, 0, grammar.ObjStops)
		if len(np) == 0 || len(np) > 2 || c.Subj.Kind == grammar.Thing || grammar.Determined[np[0].Low] || c.Liking(np) == "" {
			return false
		}
		c.Verb.Negated, c.Verb.Modal = false, ""
		c.fact(lukasa.KindFact, "cannot_have", c.Bytes(np), 0.75, false, "health")
		return true
	}
	if !g.Told() || !grammar.MentionsAny(c.Rest[:min(len(c.Rest), 4)], lexis.Ills) || c.Subj.Kind == grammar.Thing {
		return false
	}
	c.tell(lukasa.KindEpisode, 0.75, "health")
	return true
}

// begins gives the day of "I start on 16 September" to the job that the same message told of.
func (c *clause) begins() bool {
	if c.Verb.Lemma != "start" && c.Verb.Lemma != "begin" {
		return false
	}
	for _, predicate := range []string{"works_at", "job_title"} {
		for i := range c.x.out {
			st := &c.x.out[i]
			if st.Subject != c.Who() || st.Predicate != predicate || st.When != nil || st.Ended {
				continue
			}
			m := c.Dates[0]
			st.ValidFrom, st.When = m.From, &m
			st.Content = strings.TrimSuffix(st.Content, ".") + " (since " + m.ISO() + ")."
			return true
		}
	}
	return false
}

// ownFact: "my Berlin days are Tuesdays", "our team is Arsenal", "office days are every second Thursday": what somebody's thing is, by a name, a
// number or a rhythm.
func (c *clause) ownFact(noun []lexis.Token) bool {
	np := c.OwnValue(noun)
	if len(np) == 0 {
		return false
	}
	if c.Subj.Own == "" {
		c.Subj.Own = c.x.Me
		if at := len(noun) - 1; at > 1 && (noun[at-1].Is("in") || noun[at-1].Is("at")) {
			noun = noun[:at-1]
		}
	}
	pred := grammar.Slug(c.Subj.Noun[noun[0].Start:noun[len(noun)-1].End])
	n := len(c.x.out)
	c.fact(lukasa.KindFact, pred, c.Bytes(np), 0.7, false, "state")
	if len(c.x.out) > n {
		c.x.out[n].Slot = pred
	}
	return true
}

// resolves notes "I've decided", "we've talked it over": what the next clause says of the speaker is a decision.
func (c *clause) resolves() bool {
	c.x.resolved = c.x.resolved || c.Resolves()
	return c.Resolves()
}

// resolved: what is told behind "I've decided".
func (c *clause) resolution() bool {
	g := c.Verb
	if !c.x.resolved || c.Subj.Kind != grammar.Speaker || g.Negated || g.Modal != "" || !g.Future && !(g.Progressive && !g.Past) ||
		len(c.Rest) == 0 ||
		grammar.Mentions(c.Rest, "you") {
		return false
	}
	c.x.resolved = false
	n := len(c.x.out)
	if c.tell(lukasa.KindDecision, definingConfidence, "decision"); len(c.x.out) > n && c.Ahead() {
		c.happened(&c.x.out[n])
	}
	return true
}

// counted: "the app has 212 dives in it", "the barn flooded last night".
func (c *clause) counted() bool {
	g := c.Verb
	switch {
	case c.Subj.Kind != grammar.Thing || g.Negated || g.Modal != "" || g.Future || g.Must:
		return false
	case g.Lemma == "have" && g.Current() && len(c.Rest) > 1 && c.Rest[0].Kind == lexis.Number:
		c.tellOpen(lukasa.KindFact, "")
	case g.Told() && !g.Progressive && len(c.Dates) > 0 && grammar.Mishaps[g.Lemma] && !c.Follows("down") && !c.Dates[0].From.After(c.x.in.At):
		c.tellOpen(lukasa.KindEpisode, "episode")
	default:
		return false
	}
	return true
}

// employs is the employer of who, as far as it is known, else who.
func (x *extractor) employs(who string) string {
	for i := range x.out {
		if st := &x.out[i]; st.Predicate == "works_at" && st.Subject == who && !st.Ended {
			return st.Value
		}
	}
	if org := x.d.employer[who]; org != "" {
		return org
	}
	return who
}

// wishes: "I want to learn Japanese", without a day: what somebody would like, and no plan yet.
func (c *clause) wishes() bool {
	if len(c.Dates) > 0 && c.Dates[0].From.After(c.x.in.At) || grammar.Mentions(c.Rest, "you", "your") {
		return c.planned(0.7)
	}
	np, _ := c.Phrase(c.Rest, 0, lexis.Words("because since"))
	if len(np) < 3 || len(np) > 10 || grammar.EmptyObjects[np[len(np)-1].Low] && len(np) < 4 {
		return true
	}
	c.Dates = nil
	c.fact(lukasa.KindPreference, "wants", c.Bytes(np), 0.7, false, "wish")
	return true
}

// departed: "I'm not at Nokia any more", of the employer that is known.
func (c *clause) departed(comp []lexis.Token) bool {
	if len(comp) < 2 || !comp[0].Is("at") && !comp[0].Is("with") {
		return false
	}
	np, _ := c.Phrase(comp, 1, grammar.OrgStops)
	org := c.Bytes(grammar.Bare(np))
	if org == "" || !strings.EqualFold(org, c.x.d.employer[c.Who()]) && !lexis.Companies[strings.ToLower(org)] {
		return false
	}
	c.fact(lukasa.KindFact, "works_at", org, 0.8, false, "work")
	return true
}
