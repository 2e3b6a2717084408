package rules

import (
	"slices"
	"strings"
	"unicode"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/sense"
	"github.com/lukasa-memory/lukasa/internal/distil/subject"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// choice is whom a pronoun may mean, with what the model looks at.
type choice struct {
	name string
	bag  sense.Bag
}

// meant tells whom "she" or "his" means in a clause.
func (x *extractor) meant(c *grammar.Clause, word string) grammar.Party {
	last := c.Person
	if last.Kind != grammar.Someone || !grammar.Agrees(word, last) || word == "-" && (!c.Spoken || c.Mine) {
		last = grammar.Party{}
	}
	e, known := x.choose(&subject.Sought{Word: word, Toks: c.Toks, Rule: last.Name}, func(e *subject.Entity) (fit, sure bool) {
		p := grammar.Party{Name: e.Name, Rel: e.Rel}
		return e.Sort.Alive() && !e.Many && !strings.EqualFold(e.Name, x.Me) && grammar.Agrees(word, p), grammar.Agrees("he", p) != grammar.Agrees("she", p)
	})
	switch {
	case !known:
		return last
	case e == nil:
		return grammar.Party{}
	case e.Name == last.Name:
		return last
	}
	if e.Sort == subject.Called {
		x.Cast.Meet(e.Name)
	}
	own := e.Name
	if e.Sort == subject.Relative && e.Own != "" {
		own = e.Own
	}
	return grammar.Party{Kind: grammar.Someone, Name: e.Name, Rel: e.Rel, Own: own}
}

// surely is how sure the model must be of whom a pronoun means.
var surely float32 = 0.4

// choose picks the entity that is most likely meant, nil where none is likely enough; known is false where there is no model.
func (x *extractor) choose(s *subject.Sought, fits func(*subject.Entity) (fit, sure bool)) (e *subject.Entity, known bool) {
	x.cur.choices = nil
	m := x.d.finder
	if m == nil && !x.d.lost {
		m = sense.Subjects()
	}
	list := x.d.trail.Choices(6, fits)
	if len(list) == 0 {
		return nil, false
	}
	s.Me, s.You, s.Asked, s.Alone, s.Class = x.Me, x.You, grammar.Questioned(x.d.question, x.d.asker == x.in.Speaker), x.pieces < 2 && x.Count == 0, sense.Coarse
	var b sense.Bag
	var odds [6]float32
	for i := range list {
		b.Marks = b.Marks[:0]
		x.d.trail.Features(s, &list[i], len(list), b.Add)
		if x.d.watch != nil {
			x.cur.choices = append(x.cur.choices, choice{list[i].Name, sense.Bag{Marks: slices.Clone(b.Marks)}})
		}
		if m != nil {
			o := m.Weigh(&b)
			odds[i] = o.Something()
		}
	}
	for i, c := range list { // "Ann's sister" may be Greta, who is another of them
		j := slices.IndexFunc(list, func(o subject.Choice) bool { return o.Name == x.d.trail.Name(c.Own, c.Rel) })
		if c.Sort == subject.Relative && j >= 0 {
			odds[i], odds[j] = 0, odds[i]+odds[j]
		}
	}
	best, enough := float32(0), false
	for i := range list {
		p, least := odds[i], surely
		if list[i].Name == s.Rule { // spoken of last, and preferred where it is nearly a draw
			p, least = 1.2*p, surely/8
		}
		if p > best {
			best, e, enough = p, &list[i].Entity, p >= least
		}
	}
	if !enough {
		e = nil
	}
	return e, m != nil
}

// priced adds what things cost, or went for, where their price stands beside them: "bought a bike on Thursday, 380 pounds".
func (x *extractor) priced() {
	x.sums = nil
	if !x.Self {
		return
	}
	for _, p := range x.Prices(x.Toks, x.thing) {
		x.sums = append(x.sums, text.Span{Start: x.Toks[p.From].Start, End: p.End})
		if p.Start == x.Toks[p.From].Start {
			p.Start = x.prev.Start // the thing stands in the sentence before
		}
		thing := p.Thing
		if unicode.IsLower(firstRune(thing)) {
			thing = "the " + thing
		}
		x.cur.toks = x.Toks[p.From:p.To]
		x.add(Statement{
			Kind: lukasa.KindFact, Subject: p.Thing, Predicate: "price", Slot: "price", Value: p.Sum, Confidence: 0.7, Tags: []string{"price"},
			Content: x.Owner(x.Me) + " says: the price of " + thing + " is " + p.Sum, Start: p.Start, End: p.End,
		})
	}
	if thing := x.Bought(x.Toks); thing != "" {
		x.thing = thing
	}
}

// hear takes up whom and what tokens speak of; c is their clause, if they are one.
func (x *extractor) hear(toks []lexis.Token, c *clause, asked bool) {
	if c != nil {
		x.d.days.Note(toks, c.Dates)
	}
	verb := -1
	if c != nil && x.cur.read {
		verb = c.Subj.To
		if c.Subj.Kind == grammar.Someone && (c.Subj.From == c.Subj.To || c.Toks[c.Subj.From].Is("he") || c.Toks[c.Subj.From].Is("she")) {
			x.d.trail.Again(c.Subj.Name, x.Me)
		}
		if c.Subj.Kind == grammar.Thing && c.Subj.Own != c.Subj.Noun {
			x.thing = c.Subj.Noun
		}
	}
	x.d.trail.Hear(&subject.Words{S: x.S, Toks: toks, Me: x.Me, Verb: verb, Asked: asked, Known: x.Cast.Knows})
}
