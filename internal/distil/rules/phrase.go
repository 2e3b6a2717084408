package rules

import (
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// validity sets ValidFrom and ValidTo from "since 2019", "from 2015 to 2018", "for five years" or the date of a change.
func (c *clause) validity(st *Statement, changed bool) {
	for i, m := range c.Dates {
		switch p := c.Prep(m); {
		case p == "since":
			st.ValidFrom, st.When = m.From, &c.Dates[i]
		case p == "of" && c.AsOf(m), p == "from" && i == 0 && len(c.Dates) == 1 && st.When == nil:
			st.ValidFrom, st.When = m.From, &c.Dates[i]
		case p == "from" && i+1 < len(c.Dates), p == "between" && i+1 < len(c.Dates):
			c.between(st, i)
			return
		case p == "until" || p == "till":
			if st.When == nil {
				st.ValidTo, st.When = m.From, &c.Dates[i]
			}
		case changed && st.When == nil:
			st.ValidFrom, st.When = m.From, &c.Dates[i]
		}
	}
	if st.When == nil && !c.Verb.Past && c.Verb.Perfect {
		if m, ok := lexis.Duration(c.Toks, c.x.in.At); ok {
			st.ValidFrom, st.When = m.From, &m
		}
	}
}

// happened sets OccurredAt to the clause's date; of a stretch of days, to the first, and the stretch as well.
func (c *clause) happened(st *Statement) {
	if len(c.Dates) > 0 {
		st.OccurredAt, st.When = c.Dates[0].From, &c.Dates[0]
	}
	if c.Span() {
		c.between(st, 0)
	}
}

// tell adds what the clause says as a statement without a predicate.
func (c *clause) tell(kind lukasa.MemoryKind, confidence float64, tags ...string) {
	if c.x.cur.backdrop && kind == lukasa.KindEvent && len(c.Dates) == 0 {
		kind, tags = lukasa.KindFact, nil
	}
	st := Statement{Kind: kind, Content: c.Retell(), Subject: c.Who(), Confidence: confidence, Tags: tags}
	if kind != lukasa.KindDecision || c.DatesVerb() {
		c.happened(&st)
	}
	c.evidence(&st)
	c.x.add(st)
}

// evidence sets the span to the clause, or the whole sentence when the clause leans on it.
func (c *clause) evidence(st *Statement) {
	if c.Inherited || len(c.Toks) == 0 {
		return
	}
	st.Start, st.End = c.Toks[0].Start, c.Toks[len(c.Toks)-1].End
}

// fact adds a statement with a predicate. changed tells that the clause's date is when it began.
func (c *clause) fact(kind lukasa.MemoryKind, predicate, value string, confidence float64, changed bool, tags ...string) {
	value = strings.Trim(lexis.OneLine(value), " ,;:")
	who := c.Who()
	if value == "" || who == "" || len(value) > 120 {
		return
	}
	if d := c.x.d; d != nil && predicate == "located_in" && c.Subj.We && d.employer[who] != "" {
		who = d.employer[who] // "we moved the office"
	}
	st := Statement{Kind: kind, Subject: who, Predicate: predicate, Value: value, Confidence: confidence, Tags: tags}
	g := c.Verb
	switch {
	case grammar.Single[predicate], strings.HasPrefix(predicate, "favourite_"):
		st.Slot = predicate
	case predicate == "likes" || predicate == "dislikes":
		st.Slot = "opinion:" + strings.ToLower(value)
	}
	c.validity(&st, changed)
	switch {
	case g.Ended || c.Anymore():
		st.Ended = true
		c.endedAt(&st)
	case g.UsedTo || g.Past && !changed && !g.Perfect && grammar.Statal[predicate]:
		st.Ended = true
	}
	if c.Subj.Kind == grammar.Someone && confidence > 0.8 {
		st.Confidence = confidence - 0.05
	}
	st.Content = c.worded(&st)
	c.evidence(&st)
	c.x.add(st)
}

// endedAt sets when it ended: the date of the clause, else when it was said.
func (c *clause) endedAt(st *Statement) {
	st.ValidFrom, st.When = time.Time{}, nil
	for i, m := range c.Dates {
		if c.Prep(m) != "since" || st.When == nil {
			st.ValidTo, st.When = m.From, &c.Dates[i]
		}
	}
	if st.When == nil {
		st.ValidTo = c.x.in.At
		m := lexis.Moment{From: lexis.Midnight(c.x.in.At), To: lexis.Midnight(c.x.in.At).AddDate(0, 0, 1), Precision: lexis.ToDay, Relative: true}
		st.When = &m
	}
}

// worded writes the content of a fact.
func (c *clause) worded(st *Statement) string {
	w, ok := grammar.Wordings[st.Predicate]
	who := c.x.Owner(st.Subject)
	value := st.Value
	switch {
	case grammar.WithArticle[st.Predicate]:
		value = grammar.Article(value)
	case st.Predicate == "lives_in" && grammar.TakesThe(value):
		value = "the " + value
	case st.Predicate == "has_pet" && value[0] >= 'a':
		return who + " has " + grammar.Article(value)
	}
	label := strings.ReplaceAll(st.Predicate, "_", " ")
	var s string
	switch {
	case st.Predicate == "job_title" && !st.Ended && grammar.IsPlural(st.Subject):
		s = who + " work as " + st.Value
	case ok && grammar.IsPlural(st.Subject) && !st.Ended && w[0] != "is":
		s = who + " " + w[1] + " " + st.Value
	case st.Predicate == "age" && lexis.AllDigits(st.Value):
		s = who + " is " + st.Value + " years old"
	case !ok && st.Ended:
		s = c.x.Owner(c.x.Possessive(st.Subject)) + " " + label + " used to be " + st.Value
	case !ok:
		s = c.x.Owner(c.x.Possessive(st.Subject)) + " " + label + " is " + st.Value
	case st.Ended && !st.ValidTo.IsZero() && st.ValidFrom.IsZero():
		s = who + " no longer " + w[0] + " " + value
	case st.Ended:
		s = who + " used to " + w[1] + " " + value
	default:
		s = who + " " + w[0] + " " + value
	}
	switch {
	case st.Until != nil:
		s += " (from " + st.When.ISO() + " to " + st.Until.ISO() + ")"
	case st.When != nil && !st.ValidFrom.IsZero():
		s += " (since " + st.When.ISO() + ")"
	case st.When != nil && !st.ValidTo.IsZero():
		s += " (until " + st.When.ISO() + ")"
	}
	return s
}
