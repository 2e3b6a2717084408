package lab

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/bench"
	"github.com/lukasa-memory/lukasa/internal/rank"
)

func standard() Fit {
	f := Fit{Prior: rank.DefaultLinear(), Penalty: 1, Any: .3, Adversarial: .2, Top: 120,
		Set: map[string]float64{"locomo.dev": 1, "realtalk.dev": 1, "beam100k.dev": .7, "cranfield": .5}}
	for i := range signs {
		f.Use = append(f.Use, rank.Sign(i))
	}
	return f
}

// crossed fits once a fold and returns what to score the questions of the fold with.
func crossed(f Fit, qs []*Question) func(*Question) *rank.Linear {
	var w [5]rank.Linear
	for fold := range w {
		var train []*Question
		for _, q := range qs {
			if q.Fold != fold {
				train = append(train, q)
			}
		}
		w[fold] = f.Run(train)
	}
	return func(q *Question) *rank.Linear { return &w[q.Fold] }
}

func show(w rank.Linear) string {
	var b strings.Builder
	for i, x := range w {
		fmt.Fprintf(&b, "%v %.2f, ", rank.Sign(i), x)
	}
	return b.String()
}

func TestFit(t *testing.T) {
	qs := load(t, usual)
	w := rank.DefaultLinear()
	report(t, "default", qs, func(*Question) *rank.Linear { return &w })
	f := standard()
	report(t, "crossed", qs, crossed(f, qs))
	all := f.Run(qs)
	report(t, "fitted", qs, func(*Question) *rank.Linear { return &all })
	t.Log(show(all))
}

// TestWithout fits without each sign.
func TestWithout(t *testing.T) {
	qs := load(t, usual)
	report(t, "all", qs, crossed(standard(), qs))
	for i := range signs {
		f := standard()
		f.Use = append(f.Use[:i:i], f.Use[i+1:]...)
		report(t, "-"+rank.Sign(i).String(), qs, crossed(f, qs))
	}
}

func objective(qs []*Question, weights func(*Question) *rank.Linear) (j float64, line string) {
	for _, set := range sets {
		var answers []bench.Answer
		for _, q := range qs {
			if q.Set == set {
				answers = append(answers, bench.Answer{Category: q.Category, Metrics: q.Metrics(weights(q))})
			}
		}
		if len(answers) == 0 {
			continue
		}
		r := bench.Sum(answers)
		j += 100 * (r.Answerable.Recall[2] + r.Answerable.NDCG) / 2
		line += fmt.Sprintf(" %.4s %.1f/%.1f/%.1f", set, 100*r.Answerable.Recall[2], 100*r.Answerable.NDCG, 100*r.Answerable.MRR)
		if c := r.Category("adversarial"); c.N > 0 {
			line += fmt.Sprintf(" adv %.1f mh %.1f", 100*c.Mean.Recall[2], 100*r.Category("multi-hop").Mean.Recall[2])
		}
	}
	return j / 4, line
}

func TestSettings(t *testing.T) {
	qs := load(t, usual)
	for _, v := range []struct {
		name string
		set  func(f *Fit)
	}{
		{"base", func(f *Fit) {}},
		{"-chat session", func(f *Fit) { f.Drop(rank.SignChatSession) }},
		{"-many", func(f *Fit) { f.Drop(rank.SignMany) }},
		{"-self", func(f *Fit) { f.Drop(rank.SignSelf) }},
		{"-chat prev", func(f *Fit) { f.Drop(rank.SignChatPrevious) }},
	} {
		f := standard()
		v.set(&f)
		j, line := objective(qs, crossed(f, qs))
		t.Logf("%-12s %.2f%s", v.name, j, line)
	}
}

func TestBackward(t *testing.T) {
	qs := load(t, usual)
	f := standard()
	best, line := objective(qs, crossed(f, qs))
	t.Logf("all %.2f%s", best, line)
	for range 5 {
		drop, topJ, topLine := -1, 0.0, ""
		for i := range f.Use {
			g := f
			g.Use = append(append([]rank.Sign(nil), f.Use[:i]...), f.Use[i+1:]...)
			j, line := objective(qs, crossed(g, qs))
			t.Logf("   -%-16v %+.2f%s", f.Use[i], j-best, line)
			if j > topJ {
				drop, topJ, topLine = i, j, line
			}
		}
		t.Logf("- %v %.2f%s", f.Use[drop], topJ, topLine)
		best = topJ
		f.Use = append(append([]rank.Sign(nil), f.Use[:drop]...), f.Use[drop+1:]...)
	}
}
