package local_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

// askLikeRanker searches with a scene.
func askLikeRanker(b testing.TB, x *local.Index, c *corpus, i int) {
	q := c.queries[i%len(c.queries)]
	a, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes, Text: q.text, Vector: q.vector, K: 66, Both: true, Scene: true})
	if err != nil || len(a.Candidates) < 66 {
		b.Fatal(len(a.Candidates), err)
	}
}

// follow applies what was written: a Sync notes it, and a search reads it.
func follow(b testing.TB, x *local.Index, c *corpus) {
	head, err := x.Sync(context.Background())
	if err == nil {
		_, err = x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes, K: 1, Seen: head})
	}
	if err != nil {
		b.Fatal(err)
	}
}

// grow writes the entries of a corpus in batches and applies each.
func grow(b testing.TB, f *indextest.MemFeed, x *local.Index, c *corpus, batch int) {
	for part := range slices.Chunk(c.entries, batch) {
		f.Put(part...)
		follow(b, x, c)
	}
}

// BenchmarkGrown searches an index that followed its entries as they were written, in batches, and its twin that read them at
// once, in turns. x-bulk is the ratio of the two.
func BenchmarkGrown(b *testing.B) {
	c := newCorpus(20_000, 256, 10, 300, false)
	bulk := local.New(c.feed(), local.Options{Space: "test", Dim: 256})
	warm(b, bulk, c.nodes)
	for _, batch := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			f := indextest.NewMemFeed()
			x := local.New(f, local.Options{Space: "test", Dim: 256})
			defer func() { _ = x.Close() }()
			warm(b, x, c.nodes)
			start := time.Now()
			grow(b, f, x, c, batch)
			took := time.Since(start)
			var of [2][]float64
			for i := 0; b.Loop(); i++ {
				for k, x := range []*local.Index{x, bulk} {
					t := time.Now()
					askLikeRanker(b, x, c, i)
					of[k] = append(of[k], float64(time.Since(t).Nanoseconds())/1e3)
				}
			}
			for k := range of {
				slices.Sort(of[k])
			}
			grown, once := of[0][len(of[0])/2], of[1][len(of[1])/2]
			b.ReportMetric(grown, "p50-µs")
			b.ReportMetric(grown/once, "x-bulk")
			b.ReportMetric(float64(took.Nanoseconds())/float64(len(c.entries)), "write-ns/entry")
		})
	}
}
