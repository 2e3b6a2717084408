package indextest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
)

// M-3, M-4: a long history over partitions that are too large to be compared exactly. The text side stays exact, both
// sides return min(K, n), filters hold, and of the ten most similar entries 99 of 100 are found.
func testLargeHistory(t *testing.T, open Open) {
	f, dir := NewMemFeed(), t.TempDir()
	r := rand.New(rand.NewPCG(7, 7))
	centres := make([][]float64, 60)
	for i := range centres {
		centres[i] = make([]float64, Dim)
		for d := range centres[i] {
			centres[i][d] = r.NormFloat64()
		}
	}
	vector := func() []float32 {
		c := centres[r.IntN(len(centres))]
		v := make([]float32, Dim)
		for d := range v {
			v[d] = float32(c[d] + .4*r.NormFloat64())
		}
		return v
	}
	draw := func() lukasa.Entry {
		e := entry(r.IntN(4000), NodeID(r.IntN(20)*r.IntN(20)/60), "", vector())
		for range 5 + r.IntN(20) {
			e.Text += vocabulary[r.IntN(1+r.IntN(len(vocabulary)))] + fmt.Sprintf(" w%d ", r.IntN(1+r.IntN(3000)))
		}
		e.Latest = r.IntN(20) > 0
		e.Tags = [][]string{nil, {"a"}, {"b", "a"}, {"rare"}}[min(3, r.IntN(40)/12)]
		return e
	}
	x := open(t, f, dir)
	defer func() { _ = x.Close() }()
	found, want := 0, 0
	for round := range 12 {
		for range 400 {
			f.Put(draw())
		}
		for range r.IntN(120) {
			f.Remove(EntryID(r.IntN(4000)))
		}
		if round%5 == 4 {
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			x = open(t, f, dir)
		}
		for range 4 {
			req := index.Request{Owner: owner, K: 10, Text: draw().Text, Both: r.IntN(2) == 0}
			for n := range 7 {
				if r.IntN(3) > 0 {
					req.Nodes = append(req.Nodes, NodeID(n))
				}
			}
			req.Filter = []*lukasa.Filter{
				nil, {Field: "tags", Text: []string{"rare"}}, {Not: &lukasa.Filter{Field: "tags", Text: []string{"a"}}}, {Field: "latest", Text: []string{"true", "false"}},
			}[r.IntN(4)]
			find(t, x, f, req)
			req.Text, req.Vector = "", vector()
			a, err := x.Search(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			all, _ := oracle(f, req)
			all = slices.DeleteFunc(all, func(s scored) bool { return !s.vec })
			if len(a.Candidates) != min(req.K, len(all)) {
				t.Fatalf("round %d: %d candidates of %d", round, len(a.Candidates), len(all))
			}
			n, k := Recall(f, req, a)
			found, want = found+n, want+k
		}
	}
	if found*100 < want*99 {
		t.Errorf("found %d of %d", found, want)
	}
}
