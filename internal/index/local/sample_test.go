package local_test

import (
	"math"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

// Without assembly a search of many entries looks at a sample and passes over what is likely to be worse, and finds the same; one of few
// looks at all.
func TestSample(t *testing.T) {
	c := newCorpus(12_000, 64, 4, 60, false)
	with, without := local.New(c.feed(), local.Options{Space: "test", Dim: 64}), local.New(c.feed(), local.Options{Space: "test", Dim: 64})
	floor := without.WithoutAssembly()
	for _, x := range []*local.Index{with, without} {
		defer func() { _ = x.Close() }()
		warm(t, x, c.nodes)
	}
	find := func(x *local.Index, nodes []lukasa.ID, q query) (ids []lukasa.ID) {
		a, err := x.Search(t.Context(), index.Request{Owner: benchOwner, Nodes: nodes, Vector: q.vector, K: 10})
		if err != nil || len(a.Candidates) != 10 {
			t.Fatal(len(a.Candidates), err)
		}
		for _, c := range a.Candidates {
			ids = append(ids, c.Entry)
		}
		return ids
	}
	same, sampled := 0, 0
	for _, q := range c.queries {
		got := map[lukasa.ID]bool{}
		for _, id := range find(without, c.nodes, q) {
			got[id] = true
		}
		if f := floor(); f > 0 && f < 1 {
			sampled++
		}
		for _, id := range find(with, c.nodes, q) {
			if got[id] {
				same++
			}
		}
	}
	if all := 10 * len(c.queries); same*1000 < 998*all {
		t.Errorf("of %d results with assembly %d are found without", all, same)
	}
	if sampled < len(c.queries)*9/10 {
		t.Errorf("%d of %d searches have a floor", sampled, len(c.queries))
	}
	find(without, c.nodes[:1], c.queries[0])
	if f := floor(); !math.IsInf(float64(f), -1) {
		t.Errorf("a search of 3,000 entries has the floor %g", f)
	}
}
