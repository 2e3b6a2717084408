package rules

import (
	"slices"
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/guard"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// phone: a number that is called new, or the speaker's, and looks like a telephone's.
func (x *extractor) phone(c *clause) {
	if !x.Self || !grammar.Mentions(x.Toks, "number", "phone", "mobile", "cell") || !grammar.Mentions(x.Toks, "my", "new", "i") {
		return
	}
	if value := grammar.Phone(x.sent.Of(x.S)); value != "" {
		c.fact(lukasa.KindFact, "phone_number", value, 0.8, false, "contact")
	}
}

// bits reads what is said without a verb: "dentist appointment next Thursday at 8:15", "memo by the 25th", "UX lead at Feedzai", "memo done".
func (x *extractor) bits(toks []lexis.Token) {
	if i := slices.IndexFunc(toks, func(t lexis.Token) bool { return t.Is(",") }); i > 2 && len(toks)-i > 4 {
		x.bits(toks[:i]) // "memo by the 25th, deck by the 2nd"
		x.bits(toks[i+1:])
		return
	}
	for len(toks) > 0 && (toks[0].Kind == lexis.Punct || grammar.Leads[toks[0].Low] && !lexis.Adverbs[toks[0].Low] && len(toks) > 3) {
		toks = toks[1:]
	}
	if !x.Self || len(toks) < 2 || len(toks) > 16 {
		return
	}
	c := x.mine(toks)
	c.Dates = lexis.FindDates(toks, x.in.At, 1)
	if x.dates(c) || x.fragment(c) {
		return
	}
	np, end := c.Phrase(toks, 0, lexis.Words("on at by in from until till before"))
	if len(np) == 0 || len(np) > 5 || grammar.SubjectPronouns[np[0].Low] || np[0].Is("no") || np[0].Is("not") {
		return
	}
	head := np[len(np)-1]
	if grammar.Finite(np[1:]) {
		return
	}
	switch {
	case len(np) > 1 && len(np) < 4 && lexis.Ready[head.Low] && end >= len(toks) && !lexis.Stops[np[0].Low] && !np[0].Is("job") &&
		!np[0].Is("day") && !np[0].Is("week"):
		st := Statement{
			Kind: lukasa.KindMilestone, Subject: x.Me, Content: x.Owner(x.Me) + " says: " + c.Bytes(np),
			Confidence: 0.7, Tags: []string{"milestone"},
		}
		c.evidence(&st)
		x.add(st)
	case end+1 < len(toks) && toks[end].Is("at") && toks[end+1].Upper && lexis.Jobs[head.Low] && len(np) > 1 && len(c.Dates) == 0:
		if org := c.Employer(toks, end+1); org != "" && slices.ContainsFunc(x.out, func(st Statement) bool { return st.Kind == lukasa.KindEvent }) {
			c.fact(lukasa.KindFact, "job_title", c.Bytes(np), 0.75, true, "work")
			c.fact(lukasa.KindFact, "works_at", org, 0.75, true, "work")
		}
	case len(c.Dates) == 0 || !c.Ahead() || c.Dates[0].Start < np[0].End:
	case lexis.Appointments[head.Low] || lexis.Meetings[head.Low] || np[0].Is("back") && len(np) == 1:
		st := Statement{
			Kind: lukasa.KindEpisode, Subject: x.Me, Content: x.Owner(x.Me) + ": " + x.short(toks) + c.Reckoned(),
			Confidence: 0.7, Tags: []string{"appointment"},
		}
		c.happened(&st)
		c.evidence(&st)
		x.add(st)
	}
}

// dates gives a date that stands alone, "Due in May", to what was told before it, if that has none.
func (x *extractor) dates(c *clause) bool {
	toks := c.Toks
	if len(c.Dates) != 1 || len(x.out) == 0 || len(toks) > 6 {
		return false
	}
	for _, t := range toks {
		if !c.Dated(t) && t.Kind != lexis.Punct && !grammar.DateLeads[t.Low] {
			return false
		}
	}
	last := &x.out[len(x.out)-1]
	if toks[0].Is("since") && last.When == nil && last.Kind == lukasa.KindFact && !last.Ended {
		last.ValidFrom, last.When = c.Dates[0].From, &c.Dates[0]
		last.Content = strings.TrimSuffix(last.Content, ".") + " (since " + c.Dates[0].ISO() + ")."
		return true
	}
	if last.When != nil || last.Predicate != "" || last.Kind == lukasa.KindInsight || !c.Ahead() {
		return true
	}
	last.OccurredAt, last.When = c.Dates[0].From, &c.Dates[0]
	last.Content = strings.TrimSuffix(last.Content, ".") + ", " + x.short(toks) + c.Reckoned() + "."
	last.End = max(last.End, toks[len(toks)-1].End+x.in.Base)
	last.ContextEnd = max(last.ContextEnd, last.End)
	return true
}

// short is the text of a few tokens, on one line.
func (x *extractor) short(toks []lexis.Token) string {
	return lexis.OneLine(x.S[toks[0].Start:toks[len(toks)-1].End])
}

// ordered reads requests to someone by name, "Jonas, please write the postmortem by Monday", and standing orders: "always use tabs", "never touch
// the ingest code". It reports whether the sentence was one.
func (x *extractor) ordered(toks []lexis.Token) bool {
	for len(toks) > 0 && (toks[0].Kind == lexis.Punct || toks[0].Is("and") || toks[0].Is("also") || toks[0].Is("so") || toks[0].Is("ok") ||
		toks[0].Is("but") || toks[0].Is("hey") || toks[0].Is("hi")) {
		toks = toks[1:]
	}
	for i := 1; i < min(len(toks)-2, 7) && grammar.Rulings[toks[0].Low]; i++ {
		if toks[i].Is(":") {
			return x.standing(toks[i+1:])
		}
	}
	name := ""
	if len(toks) > 3 && toks[0].Upper && (lexis.GivenNames[toks[0].Low] || x.Cast.Knows(toks[0].Low) != "") {
		rest := toks[1:]
		for len(rest) > 0 && (rest[0].Is(",") || rest[0].Is(":")) {
			rest = rest[1:]
		}
		polite := len(rest) > 0 && rest[0].Is("please")
		if polite {
			rest = rest[1:]
		}
		if polite || len(rest) < len(toks)-1 {
			name, toks = toks[0].Of(x.S), rest
			if full := x.Cast.Knows(strings.ToLower(name)); full != "" {
				name = full
			}
			if polite && len(rest) > 1 && lexis.IsBase(rest[0].Low) && !grammar.Mentions(rest, "you", "me") {
				x.request(name, rest)
				return true
			}
		}
	}
	return x.standing(toks)
}

// request adds what somebody is asked to do as a task of theirs.
func (x *extractor) request(name string, toks []lexis.Token) {
	c := x.clause(toks)
	c.Dates = lexis.FindDates(toks, x.in.At, 1)
	st := Statement{
		Kind: lukasa.KindTask, Subject: name, Content: x.Asking(name, toks) + x.short(toks) + c.Reckoned(),
		Confidence: 0.75, Tags: []string{"task"},
	}
	c.happened(&st)
	st.Start, st.End = toks[0].Start, toks[len(toks)-1].End
	x.add(st)
}

// standing adds how things are to be done from now on.
func (x *extractor) standing(toks []lexis.Token) bool {
	if !x.Self || len(toks) < 3 {
		return false
	}
	for len(toks) > 3 && toks[0].Is("please") {
		toks = toks[1:]
	}
	i, says, all := 1, " wants: ", toks
	switch order, own := guard.Lasting(toks, x.d.company.Helper); {
	case order != nil && own:
		toks, says = order, " says: "
	case order != nil:
		i, toks = 0, order
	case toks[0].Is("always") || toks[0].Is("never"):
	case x.d.company.Machines && (grammar.Starts(toks, "do", "n't") || grammar.Starts(toks, "do", "not")) && len(toks) > 3 && grammar.Edits[toks[2].Low]:
		i = 2
	case grammar.Starts(toks, "from", "now", "on"):
		if i = 3; toks[3%len(toks)].Is(",") {
			i++
		}
	default:
		return false
	}
	if says == " wants: " && (i+1 >= len(toks) || !lexis.IsBase(toks[i].Low) || grammar.Mentions(toks, "you", "mind")) {
		return false
	}
	for _, part := range grammar.SplitOrders(toks) {
		st := Statement{
			Kind:    lukasa.KindPreference,
			Subject: x.Me, Predicate: "rule", Value: x.short(part), Content: x.Owner(x.Me) + says + x.short(part),
			Confidence: 0.75, Tags: []string{"rule"},
		}
		c := x.clause(part)
		c.evidence(&st)
		x.add(st)
	}
	if rest := all[len(toks):]; len(rest) > 3 {
		x.Toks = rest[1:] // "…, the auditors are from Vienna"
		return false
	}
	return true
}

// chore adds a list item that begins with a verb as a task, where the text announces tasks.
func (x *extractor) chore(sp text.Span) bool {
	toks := lexis.Lex(nil, x.S, sp.Start, sp.End)
	if !x.todos || !x.Self || len(toks) < 2 || !lexis.IsBase(toks[0].Low) || unicode.IsDigit(rune(toks[0].Low[0])) {
		return false
	}
	x.todo(text.Span{Start: toks[0].Start, End: toks[len(toks)-1].End})
	return true
}
