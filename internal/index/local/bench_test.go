package local_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

// corpus is made by seed: entries of about 35 terms with Zipf frequencies, vectors around 200 centres with 32 directions
// of their own, nodes with shares of 1/rank.
type corpus struct {
	entries []lukasa.Entry
	nodes   []lukasa.ID
	queries []query
}

type query struct {
	node   lukasa.ID
	text   string
	vector []float32
}

const benchOwner = lukasa.ID("usr_00000000000000000000000001")

func benchID(p lukasa.Prefix, n int) lukasa.ID {
	var b [10]byte
	binary.BigEndian.PutUint32(b[6:], uint32(n))
	return lukasa.MakeID(p, time.UnixMilli(1_700_000_000_000), b)
}

func word(n int) string {
	const letters = "bcdfghjklmnpqrstvwxz"
	var b strings.Builder
	for n++; n > 0; n /= 100 {
		b.WriteByte(letters[n%20])
		b.WriteByte("aeiou"[n/20%5])
	}
	return b.String() + "k"
}

type cluster struct {
	centre []float64
	axes   [][]float64
}

func newCluster(r *rand.Rand, dim int) cluster {
	gauss := func() []float64 {
		v := make([]float64, dim)
		for i := range v {
			v[i] = r.NormFloat64() / math.Sqrt(float64(dim))
		}
		return v
	}
	c := cluster{centre: gauss()}
	for range 32 {
		c.axes = append(c.axes, gauss())
	}
	return c
}

func (c cluster) draw(r *rand.Rand) []float32 {
	v := slices.Clone(c.centre)
	for i, a := range c.axes {
		w := r.NormFloat64() / math.Sqrt(float64(i+1)) * .6
		for d := range v {
			v[d] += w * a[d]
		}
	}
	out := make([]float32, len(v))
	for d := range v {
		out[d] = float32(v[d] + r.NormFloat64()*.2/math.Sqrt(float64(len(v))))
	}
	return out
}

func newCorpus(n, dim, nodes, queries int, zipfNodes bool) *corpus {
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.07, 8, 60000)
	var cs []cluster
	centres := min(200, max(1, n/100))
	for range centres {
		cs = append(cs, newCluster(r, dim))
	}
	c := &corpus{}
	var shares []float64
	sum := 0.0
	for i := range nodes {
		c.nodes = append(c.nodes, benchID(lukasa.PrefixNode, i))
		if zipfNodes {
			sum += 1 / float64(i+1)
		} else {
			sum++
		}
		shares = append(shares, sum)
	}
	of := make([]int, n)
	for i := range n {
		node, _ := slices.BinarySearch(shares, r.Float64()*sum)
		var b strings.Builder
		for range 20 + r.IntN(31) {
			b.WriteString(word(int(z.Uint64())))
			b.WriteByte(' ')
		}
		of[i] = (node*7 + r.IntN(40)) % centres
		c.entries = append(c.entries, lukasa.Entry{
			ID: benchID(lukasa.PrefixChunk, i), Type: lukasa.EntryChunk, Owner: benchOwner, Node: c.nodes[node],
			Document: benchID(lukasa.PrefixDocument, i/5), Seq: int64(i % 5), Text: b.String(), Latest: true, Confidence: 1,
			ContentType: []string{"note", "markdown", "message"}[i%3], Tags: [][]string{nil, {"a"}, {"b"}, {"a", "c"}}[i%4],
			Vector: cs[of[i]].draw(r), CreatedAt: time.Unix(1_700_000_000+int64(i)*60, 0).UTC(),
		})
	}
	for range queries {
		i := r.IntN(n)
		e := &c.entries[i]
		words := strings.Fields(e.Text)
		r.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
		other := cs[of[i]].draw(r)
		v := make([]float32, dim)
		for d := range v {
			v[d] = .6*e.Vector[d] + .4*other[d]
		}
		c.queries = append(c.queries, query{e.Node, strings.Join(words[:3+r.IntN(6)], " "), v})
	}
	return c
}

func (c *corpus) feed() *indextest.MemFeed {
	f := indextest.NewMemFeed()
	f.Put(c.entries...)
	return f
}

// bench100k has 100,000 entries, or as many as LUKASA_BENCH_ITEMS says; a million take 5 GB while they are read.
var bench100k = sync.OnceValue(func() *corpus {
	n := 100_000
	if more, err := strconv.Atoi(os.Getenv("LUKASA_BENCH_ITEMS")); err == nil {
		n = max(n, more)
	}
	return newCorpus(n, 256, 100, 500, true)
})

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func warm(b testing.TB, x *local.Index, nodes []lukasa.ID) {
	b.Helper()
	if _, err := x.Sync(context.Background()); err != nil {
		b.Fatal(err)
	}
	if _, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: nodes, Text: "x", K: 1}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSearch prints the time of a search of 100,000 entries, or of LUKASA_BENCH_ITEMS; own names the node of the entry that the query was made
// from, all names every node.
func BenchmarkSearch(b *testing.B) {
	c := bench100k()
	f := c.feed()
	x := local.New(f, local.Options{Space: "test", Dim: 256})
	before := heap()
	start := time.Now()
	warm(b, x, c.nodes)
	took := time.Since(start)
	b.Run("load", func(b *testing.B) {
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(took.Seconds()*1e9/float64(len(c.entries)), "ns/entry")
		b.ReportMetric(float64(heap()-before)/float64(len(c.entries)), "heap-bytes/entry")
		b.ReportMetric(float64(x.Stats().Bytes)/float64(len(c.entries)), "stat-bytes/entry")
	})
	tags := &lukasa.Filter{Field: "tags", Text: []string{"c"}}
	for _, m := range []struct {
		name         string
		text, vector bool
		both         bool
		filter       *lukasa.Filter
	}{
		{"vector", false, true, false, nil},
		{"text", true, false, false, nil},
		{"hybrid", true, true, false, nil},
		{"hybridBoth", true, true, true, nil},
		{"hybridFilter", true, true, false, tags},
	} {
		for _, all := range []bool{false, true} {
			name := m.name + "/own"
			if all {
				name = m.name + "/all"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				var times []time.Duration
				for b.Loop() {
					q := c.queries[i%len(c.queries)]
					r := index.Request{Owner: benchOwner, Nodes: []lukasa.ID{q.node}, K: 50, Both: m.both, Filter: m.filter}
					if all {
						r.Nodes = c.nodes
					}
					if m.text {
						r.Text = q.text
					}
					if m.vector {
						r.Vector = q.vector
					}
					t := time.Now()
					if _, err := x.Search(context.Background(), r); err != nil {
						b.Fatal(err)
					}
					times = append(times, time.Since(t))
					i++
				}
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-µs")
				b.ReportMetric(float64(times[len(times)*95/100].Nanoseconds())/1e3, "p95-µs")
			})
		}
	}
}

// BenchmarkTinyNodes searches 10,000 nodes of 10 entries, and the same entries in one node.
func BenchmarkTinyNodes(b *testing.B) {
	for _, nodes := range []int{1, 10_000} {
		c := newCorpus(100_000, 256, nodes, 300, false)
		x := local.New(c.feed(), local.Options{Space: "test", Dim: 256})
		before := heap()
		start := time.Now()
		warm(b, x, c.nodes)
		took := time.Since(start)
		b.Run(fmt.Sprintf("%d", nodes), func(b *testing.B) {
			size := float64(heap()-before) / 100_000
			i := 0
			b.ResetTimer()
			for b.Loop() {
				q := c.queries[i%len(c.queries)]
				if _, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes, Text: q.text, Vector: q.vector, K: 50}); err != nil {
					b.Fatal(err)
				}
				i++
			}
			b.ReportMetric(size, "heap-bytes/entry")
			b.ReportMetric(float64(x.Stats().Bytes)/100_000, "stat-bytes/entry")
			b.ReportMetric(took.Seconds()*1e9/100_000, "load-ns/entry")
		})
	}
}

// BenchmarkUpsert writes one entry and searches for one, so that what was written is applied, in a node of 1,000 and of 100,000 entries.
func BenchmarkUpsert(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		c := newCorpus(n, 256, 1, 1, false)
		f := c.feed()
		x := local.New(f, local.Options{Space: "test", Dim: 256})
		warm(b, x, c.nodes)
		b.Run(fmt.Sprintf("%d", n), func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				f.Put(c.entries[i*7919%n])
				follow(b, x, c)
				i++
			}
		})
		_ = x.Close()
	}
}

// BenchmarkSearchWhileWriting searches one node while another goroutine writes 1,000 entries a second into it.
func BenchmarkSearchWhileWriting(b *testing.B) {
	c := newCorpus(20_000, 256, 1, 300, false)
	f := c.feed()
	x := local.New(f, local.Options{Space: "test", Dim: 256})
	defer func() { _ = x.Close() }()
	warm(b, x, c.nodes)
	for _, writing := range []bool{false, true} {
		b.Run(fmt.Sprintf("writing=%v", writing), func(b *testing.B) {
			stop := make(chan struct{})
			var wg sync.WaitGroup
			if writing {
				wg.Go(func() {
					tick := time.NewTicker(10 * time.Millisecond)
					defer tick.Stop()
					for i := 0; ; i += 10 {
						select {
						case <-stop:
							return
						case <-tick.C:
							for j := range 10 {
								f.Put(c.entries[(i+j)*7919%len(c.entries)])
							}
							_, _ = x.Sync(context.Background())
						}
					}
				})
			}
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				q := c.queries[i%len(c.queries)]
				t := time.Now()
				if _, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes, Text: q.text, Vector: q.vector, K: 50}); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(t))
			}
			close(stop)
			wg.Wait()
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "p50-µs")
			b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, "p99-µs")
		})
	}
}

// openVectors is a feed whose vectors are read without a lock, as a store's are while another writes.
type openVectors struct {
	*indextest.MemFeed
	of map[lukasa.ID][]float32
}

func (f openVectors) Vectors(_ context.Context, _ string, _ lukasa.ID, ids []lukasa.ID) ([][]float32, error) {
	out := make([][]float32, len(ids))
	for i, id := range ids {
		out[i] = f.of[id]
	}
	return out, nil
}

// BenchmarkSearchAtOnce searches one node from eight goroutines at once, as the read path does, while another writes 1,000 entries a second
// into it. Run with -blockprofile it shows how long readers wait for what they have to know of: for whoever reads the changes that were
// written before they began.
func BenchmarkSearchAtOnce(b *testing.B) {
	c := newCorpus(20_000, 256, 1, 300, false)
	f := openVectors{c.feed(), map[lukasa.ID][]float32{}}
	for _, e := range c.entries {
		f.of[e.ID] = e.Vector
	}
	x := local.New(f, local.Options{Space: "test", Dim: 256})
	defer func() { _ = x.Close() }()
	warm(b, x, c.nodes)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i += 10 {
			select {
			case <-stop:
				return
			case <-tick.C:
				for j := range 10 {
					f.Put(c.entries[(i+j)*7919%len(c.entries)])
				}
				_, _ = x.Sync(context.Background())
			}
		}
	})
	var next atomic.Int64
	b.ResetTimer()
	b.SetParallelism(max(1, 8/runtime.GOMAXPROCS(0)))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			q := c.queries[int(next.Add(1))%len(c.queries)]
			head, err := x.Sync(context.Background())
			if err == nil {
				_, err = x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes, Text: q.text, Vector: q.vector, K: 50, Seen: head})
			}
			if err != nil {
				b.Error(err)
			}
		}
	})
	b.StopTimer()
	close(stop)
	wg.Wait()
}

// BenchmarkOpen opens the file of 100,000 entries and answers the first search.
func BenchmarkOpen(b *testing.B) {
	c := bench100k()
	f := c.feed()
	opt := local.Options{Space: "test", Dim: 256, Dir: b.TempDir()}
	x := local.New(f, opt)
	warm(b, x, c.nodes)
	start := time.Now()
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
	saving := time.Since(start)
	var size int64
	files, _ := os.ReadDir(opt.Dir)
	for _, f := range files {
		if i, err := f.Info(); err == nil {
			size += i.Size()
		}
	}
	var before uint64
	for b.Loop() {
		b.StopTimer()
		_ = x.Close()
		x = nil
		before = heap()
		b.StartTimer()
		x = local.New(f, opt)
		warm(b, x, c.nodes)
	}
	b.ReportMetric(float64(heap()-before)/float64(len(c.entries)), "private-bytes/entry")
	b.ReportMetric(float64(size)/float64(len(c.entries)), "file-bytes/entry")
	b.ReportMetric(saving.Seconds()*1e3, "save-ms")
	runtime.KeepAlive(x)
}

// M-3: in a partition that is too large to be compared exactly the best ten are found all the same, the text side is exact.
func TestRecallLarge(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long")
	}
	c := newCorpus(4000, 256, 2, 20, false)
	f := c.feed()
	x := local.New(f, local.Options{Space: "test", Dim: 256})
	warm(t, x, c.nodes)
	hits, want := 0, 0
	for i, q := range c.queries {
		r := index.Request{Owner: benchOwner, Nodes: c.nodes[:1+i%2], Text: q.text, Vector: q.vector, K: 10}
		a, err := x.Search(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		r2 := r
		r2.Vector = nil
		b, err := x.Search(context.Background(), r2)
		if err != nil {
			t.Fatal(err)
		}
		if err := indextest.Check(f, r2, b, indextest.TolerancesFor(f.Len())); err != nil {
			t.Fatal(err)
		}
		n, k := indextest.Recall(f, r, a)
		hits, want = hits+n, want+k
	}
	t.Logf("recall %d of %d", hits, want)
	if hits*100 < want*99 {
		t.Errorf("recall %d of %d", hits, want)
	}
}

// Who asks for ten gets the first ten of those whom who asks for more gets, with the same cosines: leaving out what cannot be among
// the best, by the doubt about its codes, leaves nothing else out.
func TestFewAreTheFirstOfMany(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long")
	}
	c := newCorpus(6000, 256, 2, 60, false)
	x := local.New(c.feed(), local.Options{Space: "test", Dim: 256})
	whole := local.New(c.feed(), local.Options{Space: "test", Dim: 256, Exact: 400}) // what is rescored is compared exactly
	warm(t, x, c.nodes)
	warm(t, whole, c.nodes)
	ask := func(x *local.Index, q query, nodes, k int) []lukasa.Candidate {
		a, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes[:nodes], Vector: q.vector, K: k})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(a.Candidates, func(a, b lukasa.Candidate) int {
			return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Entry, b.Entry))
		})
		return a.Candidates
	}
	for i, q := range c.queries {
		many := ask(whole, q, 1+i%2, 50)
		for _, k := range []int{1, 3, 10, 16} {
			if diff := gocmp.Diff(many[:k], ask(x, q, 1+i%2, k)); diff != "" {
				t.Errorf("query %d, the best %d (-of 50 +got)\n%s", i, k, diff)
			}
		}
	}
}

// talk makes a chat of the corpus: turns of about twelve terms, 25 a session, whose turns are about one thing.
func (c *corpus) talk() *corpus {
	for i := range c.entries {
		e, first := &c.entries[i], &c.entries[i/25*25]
		e.Type, e.Conversation, e.Session = lukasa.EntryMessage, benchID(lukasa.PrefixConversation, i/500), fmt.Sprint(i/25)
		e.Seq, e.Document, e.Speaker = int64(i%500), benchID(lukasa.PrefixDocument, i/100), []string{"Ann", "Bob"}[i%2]
		e.Text = strings.Join(strings.Fields(e.Text)[:11], " ")
		if e != first {
			for d := range e.Vector {
				e.Vector[d] = .6*first.Vector[d] + .4*e.Vector[d]
			}
		}
	}
	return c
}

// BenchmarkScene measures what a scene costs beside a search for both scores, K = 100, over 100,000 entries: documents of five
// chunks in one node or in a hundred, and chats in one.
func BenchmarkScene(b *testing.B) {
	for _, m := range []struct {
		name   string
		corpus func() *corpus
	}{
		{"documents", func() *corpus { return newCorpus(100_000, 256, 1, 300, false) }},
		{"nodes", bench100k},
		{"talk", func() *corpus { return newCorpus(100_000, 256, 1, 300, false).talk() }},
	} {
		c := m.corpus()
		x := local.New(c.feed(), local.Options{Space: "test", Dim: 256})
		warm(b, x, c.nodes)
		for _, scene := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/scene=%v", m.name, scene), func(b *testing.B) {
				b.ReportAllocs()
				items, neighbours := 0, 0
				i := 0
				for b.Loop() {
					q := c.queries[i%len(c.queries)]
					a, err := x.Search(context.Background(), index.Request{Owner: benchOwner, Nodes: c.nodes, Text: q.text, Vector: q.vector, K: 100, Both: true, Scene: scene})
					if err != nil {
						b.Fatal(err)
					}
					items += len(a.Candidates)
					if scene {
						neighbours += len(a.Scene.Items) - len(a.Candidates)
					}
					i++
				}
				b.ReportMetric(float64(items)/float64(i), "candidates")
				b.ReportMetric(float64(neighbours)/float64(i), "neighbours")
			})
		}
		_ = x.Close()
	}
}
