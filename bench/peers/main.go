// Command peers runs the same searches on lukasa's index and on others, interleaved in one process, and prints how much more CPU time
// these take, and the goals that were set with what was measured. `make bench-peers` builds it with what it needs; N=20000 makes the corpus
// smaller, and ARGS="-only lukasa" (or other flags) goes to it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"
)

// rival is an engine that finds by vector, by words, or both (then it implements both roles).
type rival interface {
	name() string
	build(c *corpus, dir string) error
	cpu() (time.Duration, bool) // used so far by the process that does the work; false where that cannot be seen
	bytes() int64               // on disk, or what it says that it holds; 0 where only the memory of the process tells
	close() error
}

type byVector interface {
	vector(q *query, all bool, k int) ([]int, error)
}

type byText interface {
	text(q *query, all bool, k int) ([]int, error)
}

// What the texts are made of.
const (
	prose    = "go"
	invented = "made-up"
)

// side is how many of each side a hybrid search fuses.
const side = 50

type settings struct {
	n, dim, owners, rounds, queries int
	width                           int
	seed                            uint64
	words                           string
	postgres                        string
	only                            string
	profile                         string
}

func main() {
	s := settings{postgres: os.Getenv("LUKASA_TEST_POSTGRES")}
	flag.IntVar(&s.n, "n", 100_000, "items")
	flag.IntVar(&s.dim, "dim", 256, "dimensions of a vector")
	flag.IntVar(&s.owners, "owners", 100, "owners")
	flag.IntVar(&s.rounds, "rounds", 7, "rounds")
	flag.IntVar(&s.queries, "queries", 10, "queries in a round")
	flag.IntVar(&s.width, "width", 64, "candidates that hnswlib keeps in searching (ef): more find more, and take longer")
	flag.Uint64Var(&s.seed, "seed", 1, "seed of the corpus")
	flag.StringVar(&s.words, "words", prose, "the texts: go, which are the comments of Go's sources, or made-up words")
	flag.StringVar(&s.only, "only", "", "engines that take part, by a part of their names, with commas; empty: all")
	flag.StringVar(&s.profile, "cpuprofile", "", "file for a CPU profile of the searches; while one is taken the clock goes by the kernel's ticks, so do not read the times then")
	flag.Parse()
	if err := run(os.Stdout, s); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, s settings) (err error) {
	if s.n < 1000 || s.dim < 8 || s.owners < 1 || s.rounds < 1 || s.queries < 1 {
		return errors.New("n must be at least 1000, dim 8, and the others 1")
	}
	if s.words != prose && s.words != invented {
		return fmt.Errorf("words must be %s or %s, not %q", prose, invented, s.words)
	}
	dir, err := os.MkdirTemp("", "lukasa-peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a scratch folder
	c, err := newCorpus(s.n, s.dim, s.owners, (s.rounds+1)*s.queries, s.words == prose, s.seed)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d items of %d dimensions, %d owners; %d rounds of %d queries; %s, %d cores, load %s\n", s.n, s.dim, s.owners, s.rounds, s.queries,
		runtime.Version(), runtime.NumCPU(), load())
	fmt.Fprintf(w, "texts: %s\nqueries: 3 to 8 words of an item, none of them a stop word\n\n", c.kind)

	t, field, err := enter(w, c, dir, s)
	for _, r := range field {
		defer func() { err = errors.Join(err, r.close()) }()
	}
	if err != nil {
		return err
	}
	if err := t.search(c, s); err != nil {
		return err
	}
	t.print(w)
	if err := t.open(field, c); err != nil {
		return err
	}
	t.gates(w, s)
	return nil
}

// search has every round run, and writes a profile of them where one is asked for.
func (t *table) search(c *corpus, s settings) error {
	if s.profile != "" {
		f, err := os.Create(s.profile)
		if err != nil {
			return err
		}
		defer f.Close() //nolint:errcheck // StopCPUProfile has no error to tell of either
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	for round := range s.rounds + 1 { // the first warms up
		if err := t.round(c.queries[round*s.queries:(round+1)*s.queries], round); err != nil {
			return err
		}
	}
	return nil
}

// open measures how long lukasa takes from its file to the first answer.
func (t *table) open(field []rival, c *corpus) error {
	var took []float64
	for range 3 {
		for _, r := range field {
			if o, ok := r.(*own); ok {
				d, err := o.reopen(c)
				if err != nil {
					return fmt.Errorf("open %s: %w", o.name(), err)
				}
				took = append(took, d.Seconds()*1e3)
			}
		}
	}
	t.facts[opening] = median(took)
	return nil
}

// enter builds the engines that are there, lukasa first, and says how long that took and what it holds.
func enter(w io.Writer, c *corpus, dir string, s settings) (t *table, field []rival, err error) {
	facts := map[string]float64{}
	all := []rival{&own{}, &sqlite{}, &bleveText{}, &chromemVectors{}}
	if h := newHNSW(s.width); h != nil {
		all = append(all, h)
	} else {
		fmt.Fprintln(w, "hnswlib is left out: its header is not there (Debian: apt-get install libhnswlib-dev)")
	}
	if s.postgres != "" {
		all = append(all, &postgres{url: s.postgres})
	} else {
		fmt.Fprintln(w, "pgvector is left out: LUKASA_TEST_POSTGRES names no server")
	}
	fmt.Fprintf(w, "%-22s %12s %12s %14s %14s\n", "built", "seconds", "CPU s", "memory B/item", "files B/item")
	for i, r := range all {
		if !s.takes(r.name()) {
			continue
		}
		home := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(home, 0o700); err != nil {
			return nil, field, err
		}
		before, start := resident(), time.Now()
		usedBefore, _ := r.cpu()
		if err := r.build(c, home); err != nil {
			return nil, field, fmt.Errorf("build %s: %w", r.name(), err)
		}
		took := time.Since(start)
		used, _ := r.cpu()
		used -= usedBefore
		if b, ok := r.(interface{ built() time.Duration }); ok {
			used = b.built()
		}
		grown, files := (resident()-before)/int64(s.n), r.bytes()/int64(s.n)
		mem, disk := strconv.FormatInt(grown, 10), strconv.FormatInt(files, 10)
		switch r.(type) {
		case *own: // its process memory has the rows of the feed, too, which stand for a store
			mem, disk = disk, "-"
			facts[holding], facts[building] = float64(files), float64(s.n)/used.Seconds()
		case *postgres:
			mem = "-" // another process
		case interface{ graph() }:
			disk = "-"
			facts[overHNSW] = used.Seconds() * facts[building] / float64(s.n)
		case *chromemVectors:
			disk = "-"
		}
		fmt.Fprintf(w, "%-22s %12.1f %12.1f %14s %14s\n", r.name(), took.Seconds(), used.Seconds(), mem, disk)
		field = append(field, r)
	}
	fmt.Fprintln(w)
	return newTable(field, facts), field, nil
}

// takes reports whether an engine takes part; lukasa always does.
func (s settings) takes(name string) bool {
	for part := range strings.SplitSeq(s.only, ",") {
		if strings.Contains(name, part) {
			return true
		}
	}
	return name == "lukasa"
}

// resident is the memory of this process, after what is not needed was given back.
func resident() int64 {
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(f[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(b), " ")
	return first
}
