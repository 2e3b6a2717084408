package rules

import "github.com/lukasa-memory/lukasa/internal/distil/sense"

// Candidate is a statement before judgement.
type Candidate struct {
	Statement
	Bag  sense.Bag
	Open bool
}

// Candidates has a dialogue read a message and returns all that was drawn before the judge has spoken.
func (d *Dialogue) Candidates(in Input) []Candidate {
	var out []Candidate
	d.watch = func(x *extractor) {
		for i, st := range x.out {
			c := x.caseOf(i)
			var b sense.Bag
			c.Features(&b)
			out = append(out, Candidate{st, b, x.heard[i].open})
		}
	}
	d.unjudged = true
	d.Read(in)
	d.watch = nil
	return out
}

// SetJudge puts another model in place.
func (d *Dialogue) SetJudge(m *sense.Model) { d.judge = m }

// SetBar sets limits.
func SetBar(open, rule, sure, kind, firm float32) {
	bar = limits{open, max(open, 0.9), rule, sure, kind, bar.faint, firm}
}
