package rules

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/grammar"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// clause is a clause to which the rules are put.
type clause struct {
	grammar.Clause
	x *extractor
}

// clause makes a clause of tokens that has not been read.
func (x *extractor) clause(toks []lexis.Token) *clause {
	return &clause{Clause: grammar.Clause{Scene: &x.Scene, Toks: toks, Verb: lexis.Group{Be: -1, At: -1}}, x: x}
}

// mine is a clause of tokens that speaks of the speaker.
func (x *extractor) mine(toks []lexis.Token) *clause {
	c := x.clause(toks)
	c.Subj = grammar.Party{Kind: grammar.Speaker, Name: x.Me, Own: x.Me}
	return c
}

// relation notes who is whose what.
func (x *extractor) relation(owner, rel, value string) {
	if owner == "" || slices.Contains(grammar.PluralRelations, rel) {
		return
	}
	st := Statement{
		Kind: "fact", Subject: owner, Predicate: strings.ReplaceAll(rel, " ", "_"), Value: value,
		Confidence: 0.85, Tags: []string{"family"},
	}
	switch {
	case grammar.IsPet(rel):
		st.Predicate, st.Tags = "has_pet", []string{"pet"}
		st.Content = x.Owner(owner) + " has a " + rel + " called " + value
	default:
		st.Content = value + " is " + x.Possessive(owner) + " " + rel
		if grammar.OneOnly[rel] {
			st.Slot = st.Predicate
		}
		if !grammar.FamilyTies[rel] {
			st.Tags = []string{"people"}
		}
	}
	x.add(st)
}
