package grammar

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Flat reports whether the clause ends in a word that stands for something else: "I did it", "they got all of that".
func (c *Clause) Flat() bool {
	if len(c.Rest) == 0 {
		return true
	}
	last := c.Rest[len(c.Rest)-1]
	return EmptyObjects[c.Rest[0].Low] && len(c.Rest) < 3 || lexis.Vague[last.Low] && len(c.Rest) < 4
}

// Specific reports whether the rest names a day, a name, a number, or a thing with a word for whose or which it is.
func (c *Clause) Specific() bool {
	words := 0
	for i, t := range c.Rest {
		if c.Dated(t) || t.Upper && t.Low != "i" || t.Kind == lexis.Number || t.Kind == lexis.Link {
			return true
		}
		if i > 0 && Articles[c.Rest[i-1].Low] && lexis.DayParts[t.Low] {
			return true
		}
		if t.Kind != lexis.Word || lexis.Stops[t.Low] || lexis.Adverbs[t.Low] || lexis.Plain[t.Low] || lexis.Vague[t.Low] {
			continue
		}
		if i > 0 && Articles[c.Rest[i-1].Low] {
			return true
		}
		words++
	}
	return words > 1
}

// Telling reports whether what happened is worth telling: on a day, with someone or something that has a name, or a change that lasts.
func (c *Clause) Telling() bool {
	if len(c.Dates) > 0 {
		return c.Subj.Kind != Thing || c.Subj.Own != "" || c.Toks[c.Subj.From].Upper && !c.Toks[c.Subj.From].Is("the") || c.Verb.Passive
	}
	if c.Subj.Kind == Thing {
		return c.Toks[c.Subj.From].Upper && !c.Toks[c.Subj.From].Is("the")
	}
	if lexis.Changes[c.Verb.Lemma] {
		return true
	}
	return slices.ContainsFunc(c.Rest, func(t lexis.Token) bool { return t.Upper && t.Low != "i" && !t.Shout || c.Cast.Knows(t.Low) != "" })
}

// Generic reports whether the subject is a thing without a name or owner: what it does as a rule is no memory.
func (c *Clause) Generic() bool {
	if c.Subj.Kind != Thing || c.Subj.Own != "" {
		return false
	}
	last := c.Toks[max(c.Subj.From, c.Subj.To-1)]
	return !c.Toks[c.Subj.From].Upper || c.Toks[c.Subj.From].Is("the") || c.Subj.To-c.Subj.From > 1 && !last.Upper &&
		!strings.ContainsAny(c.Subj.Noun, "0123456789")
}

// Every reports "every Wednesday", "each morning".
func (c *Clause) Every() bool {
	for i, t := range c.Rest {
		if (t.Is("every") || t.Is("each")) && i > 0 && i+1 < len(c.Rest) {
			_, day := lexis.Weekdays[c.Rest[i+1].Low]
			if day || lexis.TimeUnits[c.Rest[i+1].Low] || lexis.DayParts[c.Rest[i+1].Low] || lexis.Seasons[c.Rest[i+1].Low] != 0 ||
				c.Rest[i+1].Is("weekend") {
				return true
			}
		}
	}
	return false
}

// Ahead reports whether the clause has a date that is not past.
func (c *Clause) Ahead() bool {
	return len(c.Dates) > 0 && c.Dates[0].To.After(c.At)
}

// NamesOne reports whether the rest names something.
func (c *Clause) NamesOne() bool {
	return slices.ContainsFunc(c.Rest, func(t lexis.Token) bool { return t.Upper && t.Low != "i" })
}

// Undated reports whether the rest says more than a date.
func (c *Clause) Undated() bool {
	return slices.ContainsFunc(c.Rest, func(t lexis.Token) bool {
		return t.Kind == lexis.Word && !c.Dated(t) && (!Trailing[t.Low] || t.Is("her") && Reaches[c.Verb.Lemma] || t.Is("back") &&
			Travels[c.Verb.Lemma]) && !t.Is("at")
	})
}

// DatesVerb reports whether the clause's date tells when its verb happened, and is no part of what was decided: it stands before the verb or
// right behind it.
func (c *Clause) DatesVerb() bool {
	if len(c.Dates) == 0 || c.Verb.At < 0 {
		return false
	}
	m := c.Dates[0]
	end := c.Toks[c.Verb.At].End
	return m.Start < end || strings.TrimSpace(c.S[end:m.Start]) == "" || !c.Follows("to") && !c.Follows("that") && !c.Follows("not") && !c.Follows("against")
}
