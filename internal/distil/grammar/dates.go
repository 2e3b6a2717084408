package grammar

import (
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// ahead are verbs of what is done for a day to come, in whatever tense: "applied to close the road on 14 June", "signed up for October 13".
var ahead = lexis.Words("apply register enrol enroll order promise offer arrange invite ask reschedule")

// findDates reads the clause's dates. What is done in the past for a day, or is so until a day, has that day ahead: "booked a table for Friday".
func (c *Clause) findDates(lean int) []lexis.Moment {
	dates := lexis.FindDates(c.Toks, c.At, lean)
	if lean < 0 && slices.ContainsFunc(dates, func(m lexis.Moment) bool {
		p := c.Prep(m)
		return p == "for" || c.starting(m) || (p == "until" || p == "till") && c.Verb.Perfect && !c.Verb.Past
	}) {
		lean, dates = 1, lexis.FindDates(c.Toks, c.At, 1)
	}
	if lean >= 0 && c.Days != nil {
		dates = c.Days(c.Toks, dates)
	}
	return dates
}

// starting reports whether a day is that from which on something will be: "found a class on Mondays, starting on the 25th".
func (c *Clause) starting(m lexis.Moment) bool {
	i := slices.IndexFunc(c.Toks, func(t lexis.Token) bool { return t.Start >= m.Start })
	return i > 1 && Mentions(c.Toks[max(1, i-2):i], "starting", "beginning")
}

// FindLoose reads the dates of a clause that has no verb.
func (c *Clause) FindLoose() {
	lean := Aside(c.Toks)
	if c.Dates = lexis.FindDates(c.Toks, c.At, lean); lean >= 0 && c.Days != nil {
		c.Dates = c.Days(c.Toks, c.Dates)
	}
}

// inOrder moves the end of a stretch behind its beginning: "on the 29th of December and stay until the 3rd", "from the 25th to the 2nd".
func (c *Clause) inOrder(dates []lexis.Moment) []lexis.Moment {
	for i := 1; i < len(dates); i++ {
		m, from := &dates[i], dates[i-1].From
		if p := c.Prep(*m); p != "until" && p != "till" && p != "til" && p != "to" && p != "through" || !m.Relative || m.Precision != lexis.ToDay ||
			dates[i-1].Precision != lexis.ToDay {
			continue
		}
		months, days := 1, 0
		if text.CountDigits(c.S[m.Start:m.End]) == 0 { // "from Tuesday to Friday"
			months, days = 0, 7
		}
		for m.From.Before(from) && from.Sub(m.From) < 32*24*time.Hour {
			m.From = m.From.AddDate(0, months, days)
			m.To = m.From.AddDate(0, 0, 1)
		}
	}
	return dates
}

// leans tells by the verb whether a date of the clause is past (-1), ahead (1) or either (0).
func (c *Clause) leans() int {
	g := c.Verb
	lean := 0
	switch {
	case g.Told() && !g.Progressive:
		lean = -1
	case g.Future || g.Must || g.Modal == "can" && !g.Perfect || g.Progressive || g.Lemma == "need" || g.Lemma == "want" || g.Lemma == "plan" || c.Subj.Kind == Thing:
		lean = 1
	}
	switch {
	case g.Lemma == "book" || g.Lemma == "reserve" || g.Lemma == "decide" || g.Lemma == "agree" || g.Lemma == "schedule" || g.Lemma == "postpone" ||
		g.Lemma == "plan" || c.Subj.Kind == Thing && (g.Passive || g.Lemma == "slip" || g.Lemma == "move" || g.Lemma == "push"):
		lean = 1
	case (ahead[g.Lemma] || g.Lemma == "sign" && (Mentions(c.Rest, "up") || c.Follows("on", "for"))) && !g.Negated, c.Subj.Kind == Thing && (Mentions(c.Toks, "moved", "pushed", "bumped", "postponed", "delayed", "rescheduled") ||
		Mentions(c.Toks, "put") && Mentions(c.Toks, "off", "back")):
		lean = 1
	case g.Perfect && !g.Past && !slices.ContainsFunc(c.Toks, func(t lexis.Token) bool { _, day := lexis.Weekdays[t.Low]; return day }):
		lean = 0 // "I've handed in my notice, last day is 30 September"
	case g.Past || g.Perfect:
		lean = -1
	case g.Lemma == "start" || g.Lemma == "begin" || g.Lemma == "leave" || g.Lemma == "launch" || g.Modal == "should":
		lean = 1
	}
	switch {
	case g.Lemma == "get" && Mentions(c.Rest, "tickets"):
		lean = 1
	case lean == 0 && c.Subj.Kind != Deictic && g.Current() && !g.Progressive && !g.Perfect && (g.Lemma == "fly" || g.Lemma == "land" || g.Lemma == "meet" ||
		g.Lemma == "arrive" || g.Lemma == "depart" || g.Lemma == "return"):
		lean = 1 // "we fly on the 3rd"
	}
	if g.Lemma == "say" && g.Current() && lean == 0 {
		lean = lexis.Leaning(c.Rest) // "Walter says their certificate ran out on Wednesday"
	}
	if g.Lemma == "be" && g.Current() && Mentions(c.Toks, "due") {
		lean = 1 // "I'm due October 20"
	}
	if g.Lemma == "be" && g.Be >= 0 && g.Current() && !g.Perfect && lean == 0 && g.Be+1 < len(c.Toks) && awayWords[c.Toks[g.Be+1].Low] {
		lean = 1 // "I'm in Oslo from the 17th to the 20th"
	}
	return lean
}

// over are words of what is done, in words without a verb that says so: "Kwame, 3.4 kilos, born on Sunday".
var over = lexis.Words("born died fitted finished passed happened since ago")

// Aside tells which way the dates of words lean that are no clause: back where they tell what is over, else ahead.
func Aside(toks []lexis.Token) int {
	if slices.ContainsFunc(toks, func(t lexis.Token) bool { return over[t.Low] }) {
		return -1
	}
	return 1
}

// Span reports whether the clause's first two dates are the ends of one stretch: "from Monday to Friday", "25 June til 4 July", "5 to 8 May", "fly on the
// 6th, back on the 24th".
func (c *Clause) Span() bool {
	if len(c.Dates) < 2 || c.Dates[1].From.Before(c.Dates[0].From) && !c.Dates[1].Relative {
		return false
	}
	a, b := c.Dates[0], c.Dates[1]
	p, q := c.Prep(a), c.Prep(b)
	switch p {
	case "until", "till", "til", "to", "by", "through", "before":
		return false
	case "from":
		if q == "to" {
			return true
		}
	case "between":
		return q == "and"
	}
	switch q {
	case "until", "till", "til", "through", "thru":
		return true
	}
	gap := strings.Fields(strings.ToLower(c.S[a.End:max(a.End, b.Start)]))
	for _, w := range gap[max(0, len(gap)-2):] {
		if w == "back" || w == "home" || w == "return" || w == "returning" {
			return true
		}
	}
	return (len(gap) == 1 || len(gap) == 2 && gap[1] == "the") && linking[gap[0]]
}

// linking stand between the ends of a stretch.
var linking = lexis.Words("to - – — + &")
