package main

import (
	"fmt"
	"io"
)

// gate is a number that was set as a goal for 100,000 items of 256 dimensions.
type gate struct {
	task   string
	rival  string  // "" : lukasa's own time, in µs, at most; "recall": its recall, at least
	atMost float64 // else the ratio, at least
	least  float64
}

func goals() []gate {
	return []gate{
		{task: "vector, one owner", atMost: 50}, {task: "vector, one owner", rival: "recall", least: .99},
		{task: "vector, one owner", rival: "pgvector + tsvector", least: 25}, {task: "vector, one owner", rival: "FTS5 + sqlite-vec", least: 15},
		{task: "vector, all", atMost: 250}, {task: "vector, all", rival: "pgvector + tsvector", least: 5}, {task: "vector, all", rival: "hnswlib", least: .5},
		{task: "text, one owner", atMost: 60}, {task: "text, all", atMost: 500}, {task: "text, all", rival: "FTS5 + sqlite-vec", least: 100},
		{task: "text, all", rival: "bleve", least: 4}, {task: "text, one owner", rival: "bleve", least: 20},
		{task: "hybrid, one owner", atMost: 200}, {task: "hybrid, one owner", rival: "pgvector + tsvector", least: 40},
		{task: "hybrid, one owner", rival: "FTS5 + sqlite-vec", least: 20}, {task: "hybrid, one owner", rival: "bleve + hnswlib", least: 8},
		{task: "hybrid, all", atMost: 1200}, {task: "hybrid, all", rival: "pgvector + tsvector", least: 80},
		{task: "hybrid, all", rival: "FTS5 + sqlite-vec", least: 60}, {task: "hybrid, all", rival: "bleve + hnswlib", least: 1.8},
	}
}

// gates prints each goal with what was measured. They were set for 100,000 items; for another number they only inform.
func (t *table) gates(w io.Writer, s settings) {
	fmt.Fprintf(w, "\n%-20s %-24s %12s %12s\n", "goal at 100,000", "", "goal", "measured")
	missed, not := 0, 0
	for _, g := range goals() {
		got, goal, ok, there := t.judge(g)
		mark := ""
		switch {
		case !there:
			not, got = not+1, "not measured"
		case !ok:
			missed, mark = missed+1, "  MISSED"
		}
		what := g.rival
		if what == "" {
			what = "lukasa, CPU µs"
		}
		fmt.Fprintf(w, "%-20s %-24s %12s %12s%s\n", g.task, what, goal, got, mark)
	}
	fmt.Fprintf(w, "\n%d goals, %d missed, %d not measured", len(goals()), missed, not)
	if s.n != 100_000 || s.dim != 256 {
		fmt.Fprintf(w, "; they were set for 100,000 items of 256 dimensions, and these are %d of %d", s.n, s.dim)
	}
	fmt.Fprintln(w)
}

func (t *table) judge(g gate) (got, goal string, ok, there bool) {
	base, other := t.find(g.task, "lukasa"), t.find(g.task, g.rival)
	switch {
	case base == nil:
		return "", "", false, false
	case g.rival == "":
		v := median(base.cpu)
		return fmt.Sprintf("%.0f", v), fmt.Sprintf("<= %.0f", g.atMost), v <= g.atMost, true
	case g.rival == "recall":
		return fmt.Sprintf("%.3f", base.share()), fmt.Sprintf(">= %.2f", g.least), base.share() >= g.least, true
	case other == nil:
		return "", fmt.Sprintf(">= %gx", g.least), false, false
	}
	r := other.ratio(base)
	return fmt.Sprintf("%.1fx", r), fmt.Sprintf(">= %gx", g.least), r >= g.least, true
}

func (t *table) find(task, name string) *contender {
	for i, k := range t.tasks {
		if k.name != task {
			continue
		}
		for _, c := range t.fields[i] {
			if c.name == name {
				return c
			}
		}
	}
	return nil
}
