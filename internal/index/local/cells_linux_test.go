package local_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// spent returns the CPU time of this thread, or with all of the process.
func spent(all bool) time.Duration {
	const self, thread = 0, 1
	who := thread
	if all {
		who = self
	}
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// nearestOf returns the ten entries with the highest cosines.
func nearestOf(entries []lukasa.Entry, v []float32) (best []lukasa.Candidate) {
	top := vector.NewTopK(10)
	for i := range entries {
		e := entries[i].Vector
		top.Push(vector.Dot(e, v)/float32(math.Sqrt(float64(vector.Dot(e, e)))), uint32(i))
	}
	for _, s := range top.Append(nil) {
		best = append(best, lukasa.Candidate{Entry: entries[s.Slot].ID})
	}
	return best
}

// BenchmarkCells searches a partition of a million vectors of 256 dimensions around 200 centres for the nearest ten: by a scan, and with
// cells. µs is CPU time; recall is beside exact cosines, share beside a scan what the scan has found.
func BenchmarkCells(b *testing.B) {
	const n, dim = 1_000_000, 256
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := rand.New(rand.NewPCG(1, 2))
	var clusters []cluster
	for range 200 {
		clusters = append(clusters, newCluster(r, dim))
	}
	node := benchID(lukasa.PrefixNode, 0)
	c := &corpus{nodes: []lukasa.ID{node}}
	feed := openVectors{indextest.NewMemFeed(), map[lukasa.ID][]float32{}}
	for i := range n {
		e := lukasa.Entry{
			ID: benchID(lukasa.PrefixChunk, i), Type: lukasa.EntryChunk, Owner: benchOwner, Node: node, Document: benchID(lukasa.PrefixDocument, i/5), Seq: int64(i % 5),
			Text: "x", Latest: true, Confidence: 1, Vector: clusters[r.IntN(len(clusters))].draw(r), Tags: [][]string{{"a"}, {"b"}}[i%2],
		}
		c.entries = append(c.entries, e)
		feed.of[e.ID] = e.Vector
	}
	feed.Put(c.entries...)
	for range 200 {
		c.queries = append(c.queries, query{vector: clusters[r.IntN(len(clusters))].draw(r)})
	}
	x := local.New(feed, local.Options{Space: "test", Dim: dim}.WithCells(n))
	warm(b, x, c.nodes)
	scans := map[*lukasa.Filter][][]lukasa.Candidate{}
	ask := func(b *testing.B, cells bool, filter *lukasa.Filter) {
		if scans[filter] == nil {
			scans[filter] = make([][]lukasa.Candidate, len(c.queries))
		}
		scan, n, took := scans[filter], 0, time.Duration(0)
		found, exact := 0, 0
		for i := 0; b.Loop(); i++ {
			at := i % len(c.queries)
			q := c.queries[at]
			start := spent(false)
			a, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes, Vector: q.vector, K: 10, Filter: filter})
			if err != nil || len(a.Candidates) != 10 {
				b.Fatal(len(a.Candidates), err)
			}
			n, took = n+1, took+spent(false)-start
			if !cells && i < len(scan) {
				scan[i] = a.Candidates
			}
			found += sharedEntries(scan[at], a.Candidates)
			if i < 20 && filter == nil {
				exact += sharedEntries(nearestOf(c.entries, q.vector), a.Candidates)
			}
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(took.Microseconds())/float64(n), "cpu-µs/search") // the clock goes in ticks: one search alone says nothing
		if filter == nil {
			b.ReportMetric(float64(exact)/float64(10*min(20, n)), "recall")
		}
		if n >= len(scan) {
			b.ReportMetric(float64(found)/float64(10*n), "of-scan")
		}
	}
	half := &lukasa.Filter{Field: "tags", Text: []string{"a"}}
	b.Run("scan/half", func(b *testing.B) { ask(b, false, half) })
	b.Run("scan/all", func(b *testing.B) { ask(b, false, nil) })
	size, start := x.Stats().Bytes, spent(true)
	x.NeedCells(n / 4)
	if _, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes, Vector: c.queries[0].vector, K: 10}); err != nil {
		b.Fatal(err)
	}
	x.Settle()
	took := spent(true) - start
	b.Run("cells/all", func(b *testing.B) {
		ask(b, true, nil)
		b.ReportMetric(took.Seconds(), "build-s")
		b.ReportMetric(float64(x.Stats().Bytes-size)/n, "bytes/entry")
	})
	b.Run("cells/half", func(b *testing.B) { ask(b, true, half) })
}
