package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// task is one kind of search.
type task struct {
	name string
	all  bool
	kind string // vector, text, hybrid
}

func tasks() []task {
	return []task{
		{"vector, one owner", false, "vector"},
		{"vector, all", true, "vector"},
		{"text, one owner", false, "text"},
		{"text, all", true, "text"},
		{"hybrid, one owner", false, "hybrid"},
		{"hybrid, all", true, "hybrid"},
	}
}

// contender does one task. Its time is that of the engines behind it.
type contender struct {
	name   string
	find   func(q *query) ([]int, error)
	clocks []rival

	cpu, wall []float64 // µs, by query
	found     int       // of the ten that exact comparison finds, or lukasa's
	wanted    int
	unseen    bool // the CPU time of the server cannot be seen: wall time stands for it
}

type table struct {
	tasks  []task
	fields [][]*contender // by task; lukasa is the first
	facts  map[string]float64
}

func newTable(field []rival, facts map[string]float64) *table {
	t := &table{tasks: tasks(), facts: facts}
	var vectors, texts []rival
	for _, r := range field {
		if _, ok := r.(byVector); ok {
			vectors = append(vectors, r)
		}
		if _, ok := r.(byText); ok {
			texts = append(texts, r)
		}
	}
	for _, k := range t.tasks {
		var list []*contender
		switch k.kind {
		case "vector":
			for _, r := range vectors {
				list = append(list, &contender{name: r.name(), clocks: []rival{r}, find: func(q *query) ([]int, error) { return r.(byVector).vector(q, k.all, 10) }})
			}
		case "text":
			for _, r := range texts {
				list = append(list, &contender{name: r.name(), clocks: []rival{r}, find: func(q *query) ([]int, error) { return r.(byText).text(q, k.all, 10) }})
			}
		default:
			list = hybrids(field, k.all)
		}
		t.fields = append(t.fields, list)
	}
	return t
}

// hybrids are lukasa, each rival that has both sides, and the best mix: the words of one and the vectors of another. Rivals fuse by
// reciprocal rank here, which costs a few µs.
func hybrids(field []rival, all bool) []*contender {
	var out []*contender
	var words, graph rival
	for _, r := range field {
		switch x := r.(type) {
		case *own:
			out = append(out, &contender{name: r.name(), clocks: []rival{r}, find: func(q *query) ([]int, error) { return x.hybrid(q, all) }})
			continue
		case *bleveText:
			words = r
		case interface{ graph() }:
			graph = r
		}
		v, isV := r.(byVector)
		t, isT := r.(byText)
		if isV && isT {
			out = append(out, &contender{name: r.name(), clocks: []rival{r}, find: func(q *query) ([]int, error) { return fuse(q, all, v, t) }})
		}
	}
	if words != nil && graph != nil {
		out = append(out, &contender{name: words.name() + " + " + graph.name(), clocks: []rival{words}, find: func(q *query) ([]int, error) {
			return fuse(q, all, graph.(byVector), words.(byText))
		}})
	}
	return out
}

func fuse(q *query, all bool, v byVector, t byText) ([]int, error) {
	near, err := v.vector(q, all, side)
	if err != nil {
		return nil, err
	}
	match, err := t.text(q, all, side)
	return reciprocal(near, match), err
}

// reciprocal fuses two orders by the sum of 1/(60 + rank) and keeps ten.
func reciprocal(lists ...[]int) []int {
	score := map[int]float64{}
	var ids []int
	for _, l := range lists {
		for i, id := range l {
			if _, ok := score[id]; !ok {
				ids = append(ids, id)
			}
			score[id] += 1 / float64(61+i)
		}
	}
	slices.SortStableFunc(ids, func(a, b int) int {
		switch {
		case score[a] > score[b]:
			return -1
		case score[a] < score[b]:
			return 1
		}
		return 0
	})
	return ids[:min(10, len(ids))]
}

// round has every contender of every task answer the same queries, each after one that does not count, in an order that goes round.
// Round 0 counts for nothing.
func (t *table) round(queries []query, round int) error {
	for i, k := range t.tasks {
		list := t.fields[i]
		answers := make([][][]int, len(list))
		for j := range list {
			at := (j + round) % len(list)
			got, err := list[at].run(queries, round > 0)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", k.name, list[at].name, err)
			}
			answers[at] = got
		}
		if round == 0 {
			continue
		}
		for q := range queries {
			want := answers[0][q]
			if k.kind == "vector" {
				want = queries[q].exact[0]
				if k.all {
					want = queries[q].exact[1]
				}
			}
			for j, c := range list {
				c.found, c.wanted = c.found+overlap(answers[j][q], want), c.wanted+len(want)
			}
		}
	}
	return nil
}

func overlap(a, b []int) (n int) {
	for _, x := range a {
		if slices.Contains(b, x) {
			n++
		}
	}
	return n
}

// stretch is how long a contender answers at least; where that is longer than the queries last, it gets them again. Shorter stretches
// would measure little but the garbage and the cold caches that the contender before has left.
const stretch = 20 * time.Millisecond

func (c *contender) run(queries []query, count bool) ([][]int, error) {
	if _, err := c.find(&queries[len(queries)-1]); err != nil {
		return nil, err
	}
	out := make([][]int, len(queries))
	cpu, wall := make([][]float64, len(queries)), make([][]float64, len(queries))
	begin := time.Now()
	for asked := 0; asked < len(queries) || time.Since(begin) < stretch && asked < 50*len(queries); asked++ {
		q := asked % len(queries)
		before, seen := c.used()
		start := time.Now()
		got, err := c.find(&queries[q])
		if err != nil {
			return nil, err
		}
		out[q] = got
		took := time.Since(start)
		after, _ := c.used()
		used := after - before
		if !seen {
			c.unseen, used = true, took
		}
		cpu[q], wall[q] = append(cpu[q], micros(used)), append(wall[q], micros(took))
	}
	if count {
		for q := range queries {
			c.cpu, c.wall = append(c.cpu, median(cpu[q])), append(c.wall, median(wall[q]))
		}
	}
	return out, nil
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

func (c *contender) used() (sum time.Duration, seen bool) {
	for _, r := range c.clocks {
		d, ok := r.cpu()
		if !ok {
			return 0, false
		}
		sum += d
	}
	return sum, true
}

// processTime is the CPU time of this process, all threads.
func processTime() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

func median(v []float64) float64 { return quantile(v, .5) }

// quantile is the value below which a share of all is, in the mean of the two that are nearest.
func quantile(v []float64, share float64) float64 {
	if len(v) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(v))
	at := share * float64(len(s)-1)
	return (s[int(at)] + s[int(math.Ceil(at))]) / 2
}

func mean(v []float64) (sum float64) {
	for _, x := range v {
		sum += x / float64(len(v))
	}
	return sum
}

// ratio is what c takes over what base takes for the same queries, at the median.
func (c *contender) ratio(base *contender) float64 {
	return median(c.cpu) / max(median(base.cpu), 1e-3)
}

func (c *contender) share() float64 { return float64(c.found) / float64(max(1, c.wanted)) }

func (t *table) print(w io.Writer) {
	fmt.Fprintf(w, "%-20s %-24s %10s %10s %10s %10s %8s %12s\n", "search, best ten", "engine", "CPU µs p50", "p95", "mean", "wall p50", "ratio", "recall@10*")
	for i, k := range t.tasks {
		for j, c := range t.fields[i] {
			name := k.name
			if j > 0 {
				name = ""
			}
			note := ""
			if c.unseen {
				note = "  (wall: the server's CPU time is not to be seen)"
			}
			fmt.Fprintf(w, "%-20s %-24s %10.0f %10.0f %10.0f %10.0f %8.1f %12.3f%s\n", name, c.name, median(c.cpu), quantile(c.cpu, .95), mean(c.cpu), median(c.wall),
				c.ratio(t.fields[i][0]), c.share(), note)
		}
	}
	fmt.Fprintln(w, "\nof a query that is asked more than once its median counts; ratio: of the medians over all queries")
	fmt.Fprintln(w, "* of vectors: of the ten that exact comparison finds; of words and both: agreement with lukasa's ten, which says nothing of quality")
}
