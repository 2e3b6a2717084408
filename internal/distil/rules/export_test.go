package rules

import "github.com/lukasa-memory/lukasa/internal/distil/sense"

// Candidate is a statement before judgement.
type Candidate struct {
	Statement
	Bag     sense.Bag
	Open    bool
	Choices []Choice
}

// Choice is whom a pronoun in a candidate may mean.
type Choice struct {
	Name string
	Bag  sense.Bag
}

// Candidates has a dialogue read a message and returns all that was drawn before the judge has spoken.
func (d *Dialogue) Candidates(in Input) []Candidate {
	var out []Candidate
	d.watch = func(x *extractor) {
		for i, st := range x.out {
			c := x.caseOf(i)
			var b sense.Bag
			c.Features(&b)
			cand := Candidate{Statement: st, Bag: b, Open: x.heard[i].open}
			for _, ch := range x.heard[i].choices {
				cand.Choices = append(cand.Choices, Choice{ch.name, ch.bag})
			}
			out = append(out, cand)
		}
	}
	d.unjudged = true
	d.Read(in)
	d.watch = nil
	return out
}

// SetJudge puts another model in place.
func (d *Dialogue) SetJudge(m *sense.Model) { d.judge = m }

// SetFinder puts another model of subjects in place.
func (d *Dialogue) SetFinder(m *sense.Model) { d.finder = m }

// Lose has the dialogue do without a model of subjects.
func (d *Dialogue) Lose() { d.lost = true }

// SetSurely sets how sure the model of subjects must be.
func SetSurely(p float32) { surely = p }

// SetBar sets limits.
func SetBar(open, rule, sure, kind, firm float32) {
	bar = limits{open, max(open, 0.9), rule, max(rule, bar.beside), sure, kind, firm}
}
