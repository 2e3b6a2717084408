package rules

import (
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/guard"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// asked reads what somebody is asked to do: "can you remind me to ring the plumber?", "Oskar, Lena: please fill in the survey", "book a table on
// Friday", said to an assistant. It reports whether the piece was such a request; one that is no task is no news either.
func (x *extractor) asked(toks []lexis.Token) bool {
	for len(toks) > 0 && toks[len(toks)-1].Kind == lexis.Punct {
		toks = toks[:len(toks)-1]
	}
	toks = grammar.Softened(toks)
	names, toks := x.Charged(toks)
	if len(names) == 0 {
		names, toks = x.Addressed(toks)
	}
	toks = grammar.Softened(toks)
	polite := false
	if len(toks) > 3 && (toks[0].Is("can") || toks[0].Is("could") || toks[0].Is("will") || toks[0].Is("would")) && toks[1].Is("you") {
		polite, toks = true, grammar.Softened(toks[2:])
	}
	if !x.Self || len(toks) < 2 {
		return false
	}
	if i := guard.Reminder(toks); i > 0 && (toks[0].Is("set") || polite && toks[0].Is("remind")) {
		return x.order(toks[min(len(toks)-1, i):])
	}
	for i := 2; i+1 < len(toks); i++ {
		if toks[i].Is(",") && (grammar.SubjectPronouns[toks[i+1].Low] || toks[i+1].Is("you") || toks[i+1].Is("it") || toks[i+1].Is("the")) {
			toks = toks[:i] // "…, you're the last two"
			break
		}
	}
	if !grammar.Errands[toks[0].Low] && !((len(names) > 0 || polite) && grammar.IsAct(toks[0].Low)) || !grammar.ObjectAt(toks, 1) || grammar.Mentions(toks, "if", "unless", "you", "your", "?", "n't", "not", "or") {
		return false
	}
	dates := lexis.FindDates(toks, x.in.At, 1)
	dated := len(dates) > 0 && dates[0].To.After(x.in.At)
	switch {
	case len(names) > 0:
		for _, name := range names {
			x.request(name, toks)
		}
	case len(names) == 0 && x.d.company.Helper && dated && !grammar.Edits[toks[0].Low] || grammar.Starts(toks, "add") && grammar.Mentions(toks, "list"):
		return x.order(toks)
	case len(names) == 0 && x.d.company.Partner(x.in.Speaker) != "" && (polite || !grammar.Mentions(toks, "me", "us", "it")):
		x.request(x.d.company.Partner(x.in.Speaker), toks)
	default:
		return false
	}
	return true
}

// labelled reads "favourite food: ramen", "new email: ana@example.org", "blood type: A+".
func (x *extractor) labelled(c *clause, toks []lexis.Token) bool {
	noun, rest := grammar.Label(toks)
	if len(noun) == 0 || !x.Self {
		return false
	}
	c.Toks, c.Rest = rest, rest
	if noun[0].Is("favourite") || noun[0].Is("favorite") {
		c.favouriteThing(noun[1:])
		return true
	}
	pred, n, from := grammar.AttributeIn(noun)
	if pred == "" || n != len(noun) || from != 0 || grammar.IsDatePredicate(pred) || pred == "goal" || pred == "contact" || pred == "name" {
		return false
	}
	if value := c.AttributeValue(pred); value != "" {
		c.fact("fact", pred, value, 0.8, false, "contact")
		return true
	}
	return false
}

// fragment reads the speaker's own name where it stands alone.
func (x *extractor) fragment(c *clause) bool {
	name := c.FullName()
	if name != "" {
		c.fact("fact", "name", name, 0.8, false, "identity")
	}
	return name != ""
}
