package local_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

// celled searches twice: what is made in the background after the first search is there at the second.
type celled struct{ *local.Index }

func (x celled) Search(ctx context.Context, r index.Request) (index.Answer, error) {
	if _, err := x.Index.Search(ctx, r); err != nil {
		return index.Answer{}, err
	}
	x.Settle()
	return x.Index.Search(ctx, r)
}

// The suite over shards of which all but the smallest have cells, and compare nearly everything by codes first.
func TestSuiteCells(t *testing.T) {
	t.Parallel()
	indextest.Run(t, func(_ testing.TB, feed index.Feed, dir string) index.Index {
		return celled{local.New(feed, local.Options{Space: "test", Dir: dir, Tiny: 8, Seal: 4, Save: 1}.WithCells(16).Coarsely(1000))}
	})
}

func vectorSearch(t *testing.T, x *local.Index, c *corpus, r index.Request) []lukasa.Candidate {
	t.Helper()
	head, err := x.Sync(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Owner, r.Nodes, r.Seen = benchOwner, c.nodes, head
	a, err := x.Search(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return a.Candidates
}

func sharedEntries(a, b []lukasa.Candidate) (n int) {
	in := map[lukasa.ID]bool{}
	for _, c := range a {
		in[c.Entry] = true
	}
	for _, c := range b {
		if in[c.Entry] {
			n++
		}
	}
	return n
}

// With cells a search finds what it finds without, or nearly: with and without a filter, after writes and removals that came since the
// cells were made, and when they have been made anew.
func TestCells(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long")
	}
	const n, more = 24_000, 9_000
	c := newCorpus(n+more, 64, 1, 60, false)
	all := c.entries
	f := (&corpus{entries: all[:n]}).feed()
	opt := local.Options{Space: "test", Dim: 64}
	x, plain := local.New(f, opt.WithCells(n/2)), local.New(f, opt)
	defer func() { _, _ = x.Close(), plain.Close() }()
	inCells := func(want int) {
		t.Helper()
		x.Settle()
		if got, of := x.InCells(benchOwner, c.nodes[0]); got != want {
			t.Fatalf("%d slots of %d stand in cells, want %d", got, of, want)
		}
	}
	compare := func(what string) {
		t.Helper()
		for name, filter := range map[string]*lukasa.Filter{"all": nil, "a filter": {Field: "tags", Text: []string{"a"}}} {
			found, want := 0, 0
			for i, q := range c.queries {
				r := index.Request{Vector: q.vector, K: []int{10, 100}[i%2], Filter: filter}
				a, b := vectorSearch(t, x, c, r), vectorSearch(t, plain, c, r)
				if len(a) != len(b) || len(a) != r.K {
					t.Fatalf("%s, %s: %d hits, without cells %d", what, name, len(a), len(b))
				}
				found, want = found+sharedEntries(a, b), want+len(b)
			}
			if found*1000 < want*995 {
				t.Errorf("%s, %s: %d of %d", what, name, found, want)
			}
		}
	}
	vectorSearch(t, x, c, index.Request{Vector: c.queries[0].vector, K: 1})
	inCells(n)
	compare("cells of all")

	r := rand.New(rand.NewPCG(4, 4))
	f.Put(all[n : n+more/2]...)
	for range 2000 {
		f.Remove(all[r.IntN(n)].ID)
		f.Put(all[r.IntN(n)])
	}
	compare("cells of most")
	inCells(n)
	for _, q := range c.queries[:20] { // what is removed, or no longer the latest, is not found, and what is written again is found as it is now
		best := vectorSearch(t, x, c, index.Request{Vector: q.vector, K: 3})
		f.Remove(best[0].Entry)
		for _, e := range all {
			if e.ID == best[1].Entry {
				e.Latest = false
				f.Put(e)
			}
			if e.ID == best[2].Entry {
				e.Vector = q.vector
				f.Put(e)
			}
		}
		now := vectorSearch(t, x, c, index.Request{Vector: q.vector, K: 100})
		if sharedEntries(best[:2], now) != 0 || sharedEntries(best[2:], now) != 1 {
			t.Error("a search with cells finds what was taken away, or not what was written")
		}
		any := vectorSearch(t, x, c, index.Request{Vector: q.vector, K: 100, Filter: &lukasa.Filter{Field: "latest", Text: []string{"true", "false"}}})
		if sharedEntries(best[1:2], any) != 1 {
			t.Error("what is not the latest is not found where it is asked for")
		}
	}
	f.Put(all[n+more/2:]...)
	vectorSearch(t, x, c, index.Request{Vector: c.queries[0].vector, K: 1})
	x.Settle()
	if got, of := x.InCells(benchOwner, c.nodes[0]); got != of {
		t.Fatalf("%d slots of %d stand in cells that were made anew", got, of)
	}
	compare("cells made anew")
}

// Cells are made while entries are written, removed and searched, and while the index is closed.
func TestCellsMeanwhile(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long")
	}
	c := newCorpus(6000, 64, 1, 40, false)
	f := c.feed()
	x := local.New(f, local.Options{Space: "test", Dim: 64}.WithCells(1000))
	var all sync.WaitGroup
	for w := range 3 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 1))
			for i := range 150 {
				if w == 0 {
					for range 30 {
						f.Put(c.entries[r.IntN(len(c.entries))])
						f.Remove(c.entries[r.IntN(len(c.entries))].ID)
					}
				}
				k := 1 + r.IntN(50)
				if got := vectorSearch(t, x, c, index.Request{Vector: c.queries[i%40].vector, K: k}); len(got) != k {
					t.Errorf("%d hits of %d", len(got), k)
				}
			}
		})
	}
	all.Wait()
	got := 0
	for i := 0; i < 10 && got == 0; i++ { // where the partition was compacted meanwhile, its cells are made for the next search
		x.Settle()
		vectorSearch(t, x, c, index.Request{Vector: c.queries[0].vector, K: 1})
		x.Settle()
		got, _ = x.InCells(benchOwner, c.nodes[0])
	}
	if got == 0 {
		t.Error("there are no cells")
	}
	y := local.New(f, local.Options{Space: "test", Dim: 64}.WithCells(1000))
	before := vectorSearch(t, y, c, index.Request{Vector: c.queries[0].vector, K: 10})
	if err := y.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(before, vectorSearch(t, y, c, index.Request{Vector: c.queries[0].vector, K: 10})); diff != "" {
		t.Error("after closing", diff)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}
