package pgvector_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/pgvector"
	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// number reads one number of the server.
func number(t testing.TB, prelude, sql string) (n int) {
	t.Helper()
	p, err := pg.Open(t.Context(), pg.Options{URL: server(t), MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Read(t.Context(), prelude, func(c *pg.Conn) error {
		return c.Each(t.Context(), sql, nil, func(r sqlrows.Row) error { n = r.Int(0); return nil })
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// H-11, H-17: a walk through the index of vectors finds nearly all of the nearest entries, K of them, and those of the named nodes and
// the owner alone, beside as many of others.
func TestWalk(t *testing.T) {
	t.Parallel()
	c := newCorpus(indextest.Dim)
	nodes := []lukasa.ID{indextest.NodeID(1), indextest.NodeID(2), indextest.NodeID(3)}
	for range 10 {
		for o := range 2 {
			for _, n := range nodes {
				c.add(40, owner(1+o), n)
			}
		}
	}
	schema := fresh(t)
	x := open(t, c.feed, pgvector.Options{Schema: schema, Dim: indextest.Dim, Exact: 200})
	t.Cleanup(func() { _ = x.Close() })
	found, want := 0, 0
	for i := range 60 {
		r := index.Request{Owner: owner(1 + i%2), Nodes: nodes[:1+i%3], Vector: c.vector(), K: 5, Both: i%5 == 0}
		if i%4 == 0 {
			r.Filter = &lukasa.Filter{Field: "tags", Text: []string{"a", "b"}}
		}
		a, err := x.Search(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Candidates) != r.K {
			t.Fatalf("%d candidates for %+v", len(a.Candidates), r)
		}
		n, k := indextest.Recall(c.feed, r, a)
		found, want = found+n, want+k
		for _, k := range a.Candidates {
			e, ok := c.feed.Get(k.Entry)
			if !ok || e.Owner != r.Owner || e.Node != k.Node || !r.Filter.Match(&e) {
				t.Fatalf("%s should not be found by %+v", k.Entry, r)
			}
		}
	}
	if found*100 < want*97 {
		t.Errorf("found %d of %d", found, want)
	}
	again := time.NewTicker(100 * time.Millisecond) // the server counts a little later
	defer again.Stop()
	for until := time.Now().Add(15 * time.Second); ; <-again.C {
		if number(t, "", "SELECT coalesce(sum(idx_scan), 0)::bigint FROM pg_stat_user_indexes WHERE schemaname = '"+schema+"_index' AND indexrelname LIKE '%_near'") > 20 {
			break
		}
		if time.Now().After(until) {
			t.Fatal("the index of vectors was not used")
		}
	}
}

// Entries that are rare among those of others, and far from what is asked for, come back in full number whatever a walk meets.
func TestWalkThatEndsEarly(t *testing.T) {
	t.Parallel()
	c := newCorpus(indextest.Dim)
	c.add(3000, owner(2), indextest.NodeID(1))
	c.add(300, owner(1), indextest.NodeID(1))
	for _, e := range c.entries[3000:] { // as far from what is asked for as can be
		v := make([]float32, len(e.Vector))
		for i, w := range e.Vector {
			v[i] = -w
		}
		e.Vector = v
		c.feed.Put(e)
	}
	x := open(t, c.feed, pgvector.Options{Schema: fresh(t), Dim: indextest.Dim, Exact: 50, Scan: 1, Effort: 1, Cost: 1})
	t.Cleanup(func() { _ = x.Close() })
	for _, o := range []lukasa.ID{owner(2), owner(1)} { // both are loaded
		for range 10 {
			r := index.Request{Owner: o, Nodes: []lukasa.ID{indextest.NodeID(1)}, Vector: c.vector(), K: 20}
			a, err := x.Search(t.Context(), r)
			if err != nil || len(a.Candidates) != r.K {
				t.Fatalf("%d candidates, %v", len(a.Candidates), err)
			}
		}
	}
	r := index.Request{Owner: owner(1), Nodes: []lukasa.ID{indextest.NodeID(1)}, Vector: c.vector(), Text: c.text(3), K: 70, Filter: &lukasa.Filter{Field: "tags", Text: []string{"c"}}}
	a, err := x.Search(t.Context(), r)
	if err == nil {
		err = indextest.Check(c.feed, r, a, indextest.TolerancesFor(10)) // 75 entries, of which a walk finds few
	}
	if err != nil {
		t.Error(err)
	}
}

// Vectors that are too long for 4 bytes a dimension are kept with 2, and those that no index takes are all compared.
func TestLongVectors(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{2001, 4001} {
		t.Run(fmt.Sprint(dim), func(t *testing.T) {
			t.Parallel()
			c := newCorpus(dim)
			c.add(40, owner(1), indextest.NodeID(1))
			x := open(t, c.feed, pgvector.Options{Schema: fresh(t), Dim: dim, Exact: -1})
			t.Cleanup(func() { _ = x.Close() })
			for _, k := range []int{3, 30} {
				r := index.Request{Owner: owner(1), Nodes: []lukasa.ID{indextest.NodeID(1)}, Vector: c.vector(), K: k, Both: true}
				a, err := x.Search(t.Context(), r)
				if err == nil {
					err = indextest.Check(c.feed, r, a, indextest.Tolerance{Similarity: 1e-3, Text: 1e-6})
				}
				if err != nil {
					t.Error(err)
				}
				r.Scene = true
				if a, err = x.Search(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				for i := range a.Scene.Items {
					if d := a.Scene.Dot(i, i); d < .998 || d > 1.002 {
						t.Errorf("the cosine of an entry with itself is %v", d)
					}
				}
			}
		})
	}
	_, err := pgvector.Open(t.Context(), indextest.NewMemFeed(), pgvector.Options{URL: server(t), Schema: fresh(t), Dim: 16_001})
	if e, ok := errorOf(err); !ok || e.Field != "embed.dim" || e.Hint == "" {
		t.Errorf("16,001 dimensions: %v", err)
	}
}

// counting counts how often entries are read.
type counting struct {
	*indextest.MemFeed
	reads int
}

func (f *counting) Entries(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([]lukasa.Entry, error) {
	f.reads++
	return f.MemFeed.Entries(ctx, space, owner, ids)
}

// Of several nodes one applies a stretch of changes, and the others find it done.
func TestTogether(t *testing.T) {
	t.Parallel()
	c := newCorpus(indextest.Dim)
	c.add(50, owner(1), indextest.NodeID(1))
	schema := fresh(t)
	var feeds [3]*counting
	var nodes [3]*pgvector.Index
	r := index.Request{Owner: owner(1), Nodes: []lukasa.ID{indextest.NodeID(1)}, Text: c.text(4), Vector: c.vector(), K: 10, Both: true}
	for i := range nodes {
		feeds[i] = &counting{MemFeed: c.feed}
		nodes[i] = open(t, feeds[i], pgvector.Options{Schema: schema, Dim: indextest.Dim})
		t.Cleanup(func() { _ = nodes[i].Close() })
		if _, err := nodes[i].Search(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 6 {
		was := nodes[2].Version(owner(1), indextest.NodeID(1))
		c.add(20, owner(1), indextest.NodeID(1))
		for i, x := range nodes {
			if _, err := x.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			a, err := x.Search(t.Context(), r)
			if err == nil {
				err = indextest.Check(c.feed, r, a, indextest.TolerancesFor(c.feed.Len()))
			}
			if err != nil {
				t.Fatalf("node %d: %v", i, err)
			}
		}
		if nodes[2].Version(owner(1), indextest.NodeID(1)) == was {
			t.Error("a node that others applied the changes for does not see that something has changed")
		}
		if feeds[0].reads != round+1 || feeds[1].reads+feeds[2].reads != 0 {
			t.Errorf("entries were read %d, %d and %d times after %d rounds", feeds[0].reads, feeds[1].reads, feeds[2].reads, round+1)
		}
	}
}

// A log that ends before the position is another one: all is read again.
func TestOlderLog(t *testing.T) {
	t.Parallel()
	schema := fresh(t)
	r := index.Request{Owner: owner(1), Nodes: []lukasa.ID{indextest.NodeID(1)}, K: 1000}
	for _, n := range []int{60, 20} {
		c := newCorpus(indextest.Dim)
		c.add(n, owner(1), indextest.NodeID(1))
		x := open(t, c.feed, pgvector.Options{Schema: schema, Dim: indextest.Dim})
		r.Text = c.entries[0].Text
		for range 2 {
			if _, err := x.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			a, err := x.Search(t.Context(), r)
			if err == nil {
				err = indextest.Check(c.feed, r, a, indextest.TolerancesFor(n))
			}
			if err != nil {
				t.Fatalf("%d: %v", n, err)
			}
			c.add(1, owner(1), indextest.NodeID(1))
		}
		_ = x.Close()
	}
}

// Tables are made for what they hold; those of settings that nobody has any more are dropped after a day.
func TestGenerations(t *testing.T) {
	t.Parallel()
	c := newCorpus(indextest.Dim)
	c.add(10, owner(1), indextest.NodeID(1))
	schema := fresh(t)
	tables := func() int {
		return number(t, "", "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname ~ '^(nodes|entries|postings|terms)_' AND relnamespace = '"+schema+"_index'::regnamespace")
	}
	for i, step := range []struct {
		o    pgvector.Options
		want int
	}{{pgvector.Options{Dim: indextest.Dim}, 4}, {pgvector.Options{Dim: indextest.Dim}, 4}, {pgvector.Options{}, 8}, {pgvector.Options{Space: "another"}, 12}} {
		step.o.Schema = schema
		x := open(t, c.feed, step.o)
		a, err := x.Search(t.Context(), index.Request{Owner: owner(1), Nodes: []lukasa.ID{indextest.NodeID(1)}, Vector: c.vector(), Text: c.entries[0].Text, K: 3, Both: true})
		if err != nil || len(a.Candidates) == 0 || a.Candidates[0].HasVector != (step.o.Dim > 0) {
			t.Errorf("%d: %+v, %v", i, a, err)
		}
		if n := tables(); n != step.want {
			t.Errorf("%d: %d tables, want %d", i, n, step.want)
		}
		_ = x.Close()
	}
	script(t, "UPDATE "+schema+"_index.generations SET used_at = now() - interval '25 hours'")
	_ = open(t, c.feed, pgvector.Options{Schema: schema, Dim: indextest.Dim}).Close()
	if n := tables(); n != 4 {
		t.Errorf("%d tables are left, want 4", n)
	}
}
