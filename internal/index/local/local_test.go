package local_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	indextest.Run(t, func(_ testing.TB, feed index.Feed, dir string) index.Index {
		return local.New(feed, local.Options{Space: "test", Dim: indextest.Dim, Dir: dir, Save: 1})
	})
}

// The same with shards that seal and leave the pool after a few entries, so that short histories meet every layout, and with an index that
// is told what is being written.
func TestSuiteTinyShards(t *testing.T) {
	t.Parallel()
	indextest.Run(t, func(_ testing.TB, feed index.Feed, dir string) index.Index {
		x := local.New(feed, local.Options{Space: "test", Dir: dir, Tiny: 8, Seal: 4, Save: 1})
		if f, ok := feed.(*indextest.MemFeed); ok {
			f.Ahead(func(e lukasa.Entry) func(int64) { return x.Expect("test", e) })
		}
		return x
	})
}

// M-11: what took 817 ms over 3,344 vectors elsewhere takes a hundredth of that at most.
func TestSearchIsFast(t *testing.T) {
	t.Parallel()
	c := newCorpus(3344, 256, 1, 41, false)
	x := local.New(c.feed(), local.Options{Space: "test", Dim: 256})
	warm(t, x, c.nodes)
	var times []time.Duration
	for _, q := range c.queries {
		start := time.Now()
		a, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes, Text: q.text, Vector: q.vector, K: 50, Both: true})
		if err != nil || len(a.Candidates) < 50 {
			t.Fatalf("%d candidates, %v", len(a.Candidates), err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	if m := times[len(times)/2]; m > 817*time.Millisecond/100 {
		t.Errorf("median %v", m)
	}
}

// Texts are read beside the filling of slots where that is behind, and left to it where it is not.
func TestReadingHelpsFilling(t *testing.T) {
	t.Parallel()
	for behind, want := range []bool{false, false, true, true} {
		if got := local.ReadsBeside(behind); got != want {
			t.Errorf("with %d lists waiting it is %v that a text is read, want %v", behind, got, want)
		}
	}
}
