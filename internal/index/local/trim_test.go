package local_test

import (
	"context"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

// G11: a node that was read in full holds little memory that is not used, whatever the number of its entries, and grows on from there
// as one that was written entry by entry: both find the same.
func TestLoadedNodesHoldLittleMore(t *testing.T) {
	t.Parallel()
	c := newCorpus(1600, 64, 1, 12, false)
	grown := c.feed()
	for _, n := range []int{385, 577, 1023, 1024, 1025} {
		f := (&corpus{entries: c.entries[:n]}).feed()
		x, y := local.New(f, local.Options{Space: "test", Dim: 64}), local.New(grown, local.Options{Space: "test", Dim: 64})
		warm(t, x, c.nodes)
		warm(t, y, c.nodes)
		before := x.Stats().Bytes / int64(n)
		for _, e := range c.entries[n:] {
			f.Put(e)
			if _, err := x.Sync(context.Background()); err != nil {
				t.Fatal(err)
			}
			if _, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes, Text: "x", K: 1}); err != nil {
				t.Fatal(err)
			}
		}
		for _, q := range c.queries {
			r := index.Request{Owner: benchOwner, Nodes: c.nodes, Text: q.text, Vector: q.vector, K: 20, Both: true}
			var got [2][]lukasa.Candidate
			for i, x := range []*local.Index{x, y} {
				a, err := x.Search(context.Background(), r)
				if err != nil {
					t.Fatal(err)
				}
				got[i] = a.Candidates
			}
			if diff := gocmp.Diff(got[1], got[0]); diff != "" {
				t.Errorf("%d read, %d written (-all read +got)\n%s", n, len(c.entries)-n, diff)
			}
		}
		t.Logf("%d entries: %d bytes each", n, before)
		if most := int64(600 + 66_000/n); before > most { // the words of few entries take more for each of them
			t.Errorf("%d entries take %d bytes each, more than %d", n, before, most)
		}
	}
}
