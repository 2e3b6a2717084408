package bench

import (
	"context"
	"fmt"
	"io"
)

// Searcher answers the questions of one conversation: the ids of its turns, best first. An id that comes twice counts once.
type Searcher interface {
	Search(ctx context.Context, q Question) ([]string, error)
}

// SearcherFunc is a function as a Searcher.
type SearcherFunc func(ctx context.Context, q Question) ([]string, error)

// Search calls f.
func (f SearcherFunc) Search(ctx context.Context, q Question) ([]string, error) { return f(ctx, q) }

// Run gives each conversation to open, which makes a searcher that knows it, and asks the questions that have evidence.
func Run(ctx context.Context, data []Conversation, unit Unit, open func(context.Context, *Conversation) (Searcher, error)) (Report, error) {
	var answers []Answer
	for i := range data {
		c := &data[i]
		s, err := open(ctx, c)
		if err != nil {
			return Report{}, fmt.Errorf("open %s: %w", c.Name, err)
		}
		session := make(map[string]string, len(c.Turns))
		for _, t := range c.Turns {
			session[t.ID] = t.Session
		}
		for _, q := range c.Questions {
			evidence := q.Evidence
			if unit == Sessions {
				evidence = q.EvidenceSessions
			}
			if len(evidence) == 0 {
				continue
			}
			if err := ctx.Err(); err != nil {
				return Report{}, err
			}
			ranked, err := s.Search(ctx, q)
			if err != nil {
				return Report{}, fmt.Errorf("ask %s of %s: %w", q.ID, c.Name, err)
			}
			if unit == Sessions {
				for i, id := range ranked {
					if in, ok := session[id]; ok {
						ranked[i] = in
					}
				}
			}
			answers = append(answers, Answer{c.Name, q.ID, q.Category, Score(ranked, evidence)})
		}
	}
	return Sum(answers), nil
}

// WriteTo prints the report as a table, in percent.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	var n int64
	var err error
	line := func(format string, args ...any) {
		if err != nil {
			return
		}
		var k int
		k, err = fmt.Fprintf(w, format, args...)
		n += int64(k)
	}
	line("%-26s %5s %9s %9s %9s %9s %9s %9s %9s %9s\n", "", "n", "recall@1", "recall@5", "recall@10", "recall@25", "recall@50", "hit@10", "mrr", "ndcg@10")
	row := func(name, count string, m Metrics) {
		line("%-26s %5s %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f\n", name, count, 100*m.Recall[0], 100*m.Recall[1], 100*m.Recall[2],
			100*m.Recall[3], 100*m.Recall[4], 100*m.Hit[at10], 100*m.MRR, 100*m.NDCG)
	}
	row("answerable", "", r.Answerable)
	row("all", "", r.All)
	row("macro", "", r.Macro)
	for _, c := range r.Categories {
		row("  "+c.Name, fmt.Sprint(c.N), c.Mean)
	}
	line("answerable recall@10, 95 %% interval: %.2f to %.2f\n", 100*r.Interval[0], 100*r.Interval[1])
	return n, err
}
