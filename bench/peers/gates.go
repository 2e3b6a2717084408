package main

import (
	"fmt"
	"io"
)

// gate is a number that was set as a goal for so many items of 256 dimensions and running text.
type gate struct {
	n     int
	task  string // a search; "" for a fact
	what  string // of a search: the engine beside which lukasa stands, "p50" or "p95" of its own µs, or "recall"; of a fact its name
	most  float64
	least float64 // where most is 0
}

const (
	vectorOwn, vectorAll = "vector, one owner", "vector, all"
	textOwn, textAll     = "text, one owner", "text, all"
	hybridOwn, hybridAll = "hybrid, one owner", "hybrid, all"

	pgvector, fts5, bleveName, mix = "pgvector + tsvector", "FTS5 + sqlite-vec", "bleve", "bleve + hnswlib"

	opening, building, holding, overHNSW = "open, CPU ms", "build, items/s of CPU", "memory, B/item", "CPU to build, hnswlib / lukasa"
)

func goals() []gate {
	const hundred, million = 100_000, 1_000_000
	return []gate{
		{hundred, vectorOwn, "p50", 50, 0},
		{hundred, vectorOwn, "recall", 0, .99},
		{hundred, vectorOwn, pgvector, 0, 25},
		{hundred, vectorOwn, fts5, 0, 15},
		{hundred, vectorAll, "p50", 250, 0},
		{hundred, vectorAll, pgvector, 0, 5},
		{hundred, vectorAll, "hnswlib", 0, .5},
		{hundred, textOwn, "p50", 60, 0},
		{hundred, textAll, "p50", 500, 0},
		{hundred, textAll, fts5, 0, 100},
		{hundred, textAll, bleveName, 0, 4},
		{hundred, textOwn, bleveName, 0, 20},
		{hundred, hybridOwn, "p50", 200, 0},
		{hundred, hybridOwn, "p95", 600, 0},
		{hundred, hybridOwn, pgvector, 0, 40},
		{hundred, hybridOwn, fts5, 0, 20},
		{hundred, hybridOwn, mix, 0, 8},
		{hundred, hybridAll, "p50", 1200, 0},
		{hundred, hybridAll, pgvector, 0, 80},
		{hundred, hybridAll, fts5, 0, 60},
		{hundred, hybridAll, mix, 0, 1.8},
		{hundred, "", building, 0, 30_000},
		{hundred, "", overHNSW, 0, 8},
		{hundred, "", holding, 600, 0},
		{hundred, "", opening, 100, 0},

		{million, vectorAll, "p50", 500, 0},
		{million, vectorAll, "recall", 0, .98},
		{million, hybridOwn, "p50", 600, 0},
		{million, hybridAll, "p50", 4000, 0},
		{million, "", building, 0, 30_000},
		{million, "", opening, 1000, 0},
	}
}

// gates prints each goal with what was measured. For a number of items between those that goals were set for, the ones for 100,000 only
// inform.
func (t *table) gates(w io.Writer, s settings) {
	n := 100_000
	if s.n >= 1_000_000 {
		n = 1_000_000
	}
	fmt.Fprintf(w, "\n%-20s %-30s %10s %12s\n", fmt.Sprintf("goal at %d", n), "", "goal", "measured")
	all, missed, not := 0, 0, 0
	for _, g := range goals() {
		if g.n != n {
			continue
		}
		all++
		got, there := t.measured(g)
		mark, show := "", number(got)
		switch {
		case !there:
			not, show = not+1, "not measured"
		case g.most > 0 && got > g.most, got < g.least:
			missed, mark = missed+1, "  MISSED"
		}
		goal := ">= " + number(g.least)
		if g.most > 0 {
			goal = "<= " + number(g.most)
		}
		task, what := g.task, g.what
		switch {
		case task == "":
			task = "lukasa"
		case what == "p50" || what == "p95":
			what = "lukasa, CPU µs " + what
		case what == "recall":
			what = "lukasa, recall"
		default:
			what += " / lukasa"
		}
		fmt.Fprintf(w, "%-20s %-30s %10s %12s%s\n", task, what, goal, show, mark)
	}
	fmt.Fprintf(w, "\n%d goals, %d missed, %d not measured", all, missed, not)
	if s.n != n || s.dim != 256 || s.words != prose {
		fmt.Fprintf(w, "; they were set for %d items of 256 dimensions with running text, and these are %d of %d with %s", n, s.n, s.dim, s.words)
	}
	fmt.Fprintln(w)
}

func number(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.3g", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func (t *table) measured(g gate) (v float64, there bool) {
	if g.task == "" {
		v, there = t.facts[g.what]
		return v, there
	}
	base := t.find(g.task, "lukasa")
	if base == nil {
		return 0, false
	}
	switch g.what {
	case "p50":
		return median(base.cpu), true
	case "p95":
		return quantile(base.cpu, .95), true
	case "recall":
		return base.share(), true
	}
	if other := t.find(g.task, g.what); other != nil {
		return other.ratio(base), true
	}
	return 0, false
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
