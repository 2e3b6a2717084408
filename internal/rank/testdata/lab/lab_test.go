package lab

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/bench"
	"github.com/lukasa-memory/lukasa/internal/embed/builtin"
	"github.com/lukasa-memory/lukasa/internal/rank"
)

var sets = []string{"locomo.dev", "realtalk.dev", "beam100k.dev", "cranfield"}

var runs = flag.String("runs", "", "folder to write run files into, one ranked list of ids a question")

var only = flag.String("set", "", "only sets whose name has this")

func load(t testing.TB, limit ...Limit) []*Question {
	dir := os.Getenv("LUKASA_EVAL_DATA")
	if dir == "" {
		t.Skip("LUKASA_EVAL_DATA names no folder with evaluation data: nothing is measured")
	}
	model, ranker := builtin.New(), rank.NewFeatures(rank.DefaultLinear())
	var out []*Question
	for _, set := range sets {
		if !strings.Contains(set, *only) {
			continue
		}
		f, err := os.Open(filepath.Join(dir, set+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		data, err := bench.Read(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		var spent time.Duration
		n, candidates, items := 0, 0, 0
		for ci, c := range data {
			k := Open(model, c)
			for qi, q := range c.Questions {
				if len(q.Evidence) == 0 {
					continue
				}
				s := k.Scene(q.Text)
				for _, l := range limit {
					s = l.Choose(s, k)
				}
				candidates += s.Candidates
				items += len(s.Items)
				at := time.Now()
				m := ranker.Measure(s)
				spent += time.Since(at)
				x := &Question{Set: set, Conversation: c.Name, Category: q.Category, ID: q.ID, Rows: slices.Clone(m.Rows), Evident: q.Evidence, Fold: ci % 5}
				if len(data) == 1 {
					x.Fold = qi % 5
				}
				m.Release()
				for i := range s.Candidates {
					id := string(s.Items[i].Entry)
					x.IDs = append(x.IDs, id)
					if slices.Contains(q.Evidence, id) {
						x.Evidence = append(x.Evidence, i)
					}
				}
				out = append(out, x)
				n++
			}
		}
		t.Logf("%s: %d questions, %d candidates and %d neighbours, %v each", set, n, candidates/max(1, n), (items-candidates)/max(1, n), spent/time.Duration(max(1, n)))
	}
	return out
}

// report prints one line a set.
func report(t testing.TB, name string, qs []*Question, weights func(*Question) *rank.Linear) {
	for _, set := range sets {
		var answers []bench.Answer
		for _, q := range qs {
			if q.Set == set {
				answers = append(answers, bench.Answer{Conversation: q.Conversation, Question: q.ID, Category: q.Category, Metrics: q.Metrics(weights(q))})
			}
		}
		if len(answers) == 0 {
			continue
		}
		r := bench.Sum(answers)
		var cats strings.Builder
		for _, c := range r.Categories {
			fmt.Fprintf(&cats, " %.7s %.1f", c.Name, 100*c.Mean.Recall[2])
		}
		a := r.Answerable
		t.Logf("%-16s %-12s r1 %.1f r5 %.1f r10 %.1f r25 %.1f r50 %.1f mrr %.1f nd %.1f |%s", name, set, 100*a.Recall[0], 100*a.Recall[1], 100*a.Recall[2], 100*a.Recall[3], 100*a.Recall[4], 100*a.MRR, 100*a.NDCG, cats.String())
	}
}

func TestEval(t *testing.T) {
	w := rank.DefaultLinear()
	report(t, "all", load(t), func(*Question) *rank.Linear { return &w })
	qs := load(t, usual)
	report(t, "usual", qs, func(*Question) *rank.Linear { return &w })
	if *runs != "" {
		write(t, qs, &w)
	}
}

// write writes what was ranked, for another program to score.
func write(t *testing.T, qs []*Question, w *rank.Linear) {
	files := map[string]*os.File{}
	for _, q := range qs {
		f := files[q.Set]
		if f == nil {
			var err error
			if f, err = os.Create(filepath.Join(*runs, q.Set+".run.jsonl")); err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			files[q.Set] = f
		}
		line := map[string]any{"conversation": q.Conversation, "question": q.ID, "ranked": q.Ranked(w)}
		if err := json.NewEncoder(f).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLimits measures what fewer candidates lose.
func TestLimits(t *testing.T) {
	w := rank.DefaultLinear()
	for _, l := range []Limit{{100, 100, 0, 0}, {60, 60, 20, 2}, {80, 60, 30, 2}, {100, 100, 40, 1}, {100, 100, 40, 2}, {150, 100, 60, 2}, {200, 200, 100, 2}} {
		report(t, fmt.Sprint(l), load(t, l), func(*Question) *rank.Linear { return &w })
	}
}

// usual is what the product hands over.
var usual = Limit{100, 100, 40, 2}
