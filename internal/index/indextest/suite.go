package indextest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
)

// Dim is the length of the suite's vectors.
const Dim = 64

// Open opens a driver on a feed. The folder belongs to that feed: an index that is opened on it again finds there what
// the one before it left. The vectors have [Dim] dimensions.
type Open func(t testing.TB, feed index.Feed, dir string) index.Index

// Run runs the whole suite.
func Run(t *testing.T, open Open) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*testing.T, Open)
	}{
		{"Histories", testHistories},
		{"VectorOnly", testVectorOnly},
		{"KeywordOnly", testKeywordOnly},
		{"Isolation", testIsolation},
		{"TightFilter", testTightFilter},
		{"Labels", testLabels},
		{"Ties", testTies},
		{"Latest", testLatest},
		{"TwoIndexes", testTwoIndexes},
		{"Version", testVersion},
		{"Rebuild", testRebuild},
		{"Restart", testRestart},
		{"OddEntries", testOddEntries},
		{"Concurrency", testConcurrency},
		{"Cancelled", testCancelled},
		{"LargeHistory", testLargeHistory},
		{"Scene", testScene},
		{"Tongues", testTongues},
		{"Misspelt", testMisspelt},
		{"SceneRestart", testSceneRestart},
		{"Past", testPast},
		{"LargePast", testLargePast},
	} {
		t.Run(c.name, func(t *testing.T) { t.Parallel(); c.test(t, open) })
	}
}

const owner = lukasa.ID("usr_00000000000000000000000001")

// NodeID returns the n-th node id of the suite.
func NodeID(n int) lukasa.ID { return mint(lukasa.PrefixNode, n) }

// EntryID returns the n-th entry id of the suite.
func EntryID(n int) lukasa.ID { return mint(lukasa.PrefixChunk, n) }

func mint(p lukasa.Prefix, n int) lukasa.ID {
	var b [10]byte
	b[9], b[8], b[7] = byte(n), byte(n>>8), byte(n>>16)
	return lukasa.MakeID(p, time.UnixMilli(1_700_000_000_000), b)
}

// reporter is what *testing.T and *rapid.T share.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// find syncs, searches and checks the answer against the oracle.
func find(t reporter, x index.Index, f *MemFeed, r index.Request) index.Answer {
	t.Helper()
	ctx := context.Background()
	head, err := x.Sync(ctx)
	if err != nil {
		t.Fatalf("sync: %v", err)
	}
	if want, _ := f.Head(ctx); head != want {
		t.Fatalf("sync returned %d, head is %d", head, want)
	}
	if r.Owner == "" {
		r.Owner = owner
	}
	a, err := x.Search(ctx, r)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	if err := Check(f, r, a, TolerancesFor(f.Len())); err != nil {
		t.Fatalf("%v, in the answer to %+v", err, r)
	}
	return a
}

func ids(a index.Answer) []lukasa.ID {
	out := []lukasa.ID{}
	for _, c := range a.Candidates {
		out = append(out, c.Entry)
	}
	return out
}

func entry(n int, node lukasa.ID, s string, v []float32) lukasa.Entry {
	return lukasa.Entry{
		ID: EntryID(n), Type: lukasa.EntryChunk, Owner: owner, Node: node, Document: mint(lukasa.PrefixDocument, n/3), Seq: int64(n % 3),
		Text: s, Latest: true, Confidence: 1, Vector: v, CreatedAt: time.Date(2026, 1, 1, 0, n, 0, 0, time.UTC),
	}
}

func axis(i int, w float32) []float32 {
	v := make([]float32, Dim)
	v[i%Dim] = 1
	v[(i+1)%Dim] = w
	return v
}

func open1(t testing.TB, open Open, f *MemFeed, dir string) index.Index {
	x := open(t, f, dir)
	t.Cleanup(func() { _ = x.Close() })
	return x
}

// H-11: what shares no word with the query is found by its vector.
func testVectorOnly(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	for i := range 200 {
		f.Put(entry(i, NodeID(1), "something else entirely", axis(i, 0)))
	}
	f.Put(entry(900, NodeID(1), "the automobile repair shop called", axis(7, .5)))
	a := find(t, x, f, index.Request{Nodes: []lukasa.ID{NodeID(1)}, Text: "fixing my car", Vector: axis(7, .45), K: 1})
	if d := cmp.Diff([]lukasa.ID{EntryID(900)}, ids(a)); d != "" {
		t.Error(d)
	}
}

// H-12: an exact rare word finds its entry whatever its vector, or if it has none.
func testKeywordOnly(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	for i := range 200 {
		f.Put(entry(i, NodeID(1), "an ordinary note about work", axis(1, float32(i)/1000)))
	}
	f.Put(entry(900, NodeID(1), "error code XK-9131 in zephyrHandler", axis(40, 0)), entry(901, NodeID(1), "no vector: xylophone", nil))
	for text, want := range map[string]lukasa.ID{"zephyrHandler": EntryID(900), "9131": EntryID(900), "xylophones": EntryID(901)} {
		a := find(t, x, f, index.Request{Nodes: []lukasa.ID{NodeID(1)}, Text: text, K: 3})
		if d := cmp.Diff([]lukasa.ID{want}, ids(a)); d != "" {
			t.Errorf("%s: %s", text, d)
		}
		a = find(t, x, f, index.Request{Nodes: []lukasa.ID{NodeID(1)}, Text: text, Vector: axis(1, 0), K: 3, Both: true})
		if !slices.Contains(ids(a), want) {
			t.Errorf("%s not among %v", text, ids(a))
		}
	}
}

// H-17: entries of nodes that are not named are neither found nor counted, not even in statistics.
func testIsolation(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	var nodes []lukasa.ID
	for i := range 300 {
		e := entry(i, NodeID(i%3), fmt.Sprintf("shared secret word%d", i%3), axis(i, .1))
		if i%5 == 0 {
			e.Owner = "usr_00000000000000000000000002"
			e.Text = "shared other owner"
		}
		f.Put(e)
	}
	var scores []float64
	for n := range 3 {
		nodes = append(nodes, NodeID(n))
		a := find(t, x, f, index.Request{Nodes: []lukasa.ID{NodeID(n)}, Text: "secret", Vector: axis(3, 0), K: 1000, Both: true})
		for _, c := range a.Candidates {
			if c.Node != NodeID(n) {
				t.Fatalf("found %s of node %s in node %s", c.Entry, c.Node, NodeID(n))
			}
		}
		if a.Matched != 80 {
			t.Errorf("matched %d, want 80", a.Matched)
		}
		scores = append(scores, a.Candidates[0].Text)
	}
	for i := range 50 { // what goes on in another node does not move a score
		f.Put(entry(5000+i, NodeID(9), "secret secret secret", nil))
	}
	for n := range 3 {
		a := find(t, x, f, index.Request{Nodes: []lukasa.ID{NodeID(n)}, Text: "secret", K: 1})
		if a.Candidates[0].Text != scores[n] {
			t.Errorf("score moved from %v to %v", scores[n], a.Candidates[0].Text)
		}
	}
	if a := find(t, x, f, index.Request{Nodes: nodes, Text: "secret other", Vector: axis(3, 0), K: 1000}); a.Matched != 240 {
		t.Errorf("matched %d in all nodes, want 240", a.Matched)
	}
	if a := find(t, x, f, index.Request{Text: "secret", Vector: axis(3, 0), K: 10}); len(a.Candidates) != 0 {
		t.Errorf("found %v without nodes", ids(a))
	}
}

// M-4: a filter that keeps few still gets k of them.
func testTightFilter(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	for i := range 3000 {
		e := entry(i, NodeID(1), "common words in every note", axis(i, float32(i%97)/97))
		if i%250 == 0 {
			e.Tags, e.Confidence = []string{"rare", "other"}, .5
			e.Metadata = map[string]any{"room": 7.0, "labels": []any{"x", true}}
		}
		f.Put(e)
	}
	for _, flt := range []lukasa.Filter{
		{Field: "tags", Text: []string{"rare"}},
		{Field: "metadata.room", Text: []string{"7"}},
		{Field: "metadata.labels", Text: []string{"true"}},
		{Not: &lukasa.Filter{Field: "confidence", Num: .9}},
		{And: []lukasa.Filter{{Field: "after", Time: time.Date(2026, 1, 1, 4, 10, 0, 0, time.UTC)}, {Field: "tags", Text: []string{"rare"}}}},
		{Field: "document", Text: []string{string(mint(lukasa.PrefixDocument, 5)), string(mint(lukasa.PrefixDocument, 6))}},
	} {
		for _, k := range []int{1, 5, 12, 50} {
			find(t, x, f, index.Request{Nodes: []lukasa.ID{NodeID(1)}, Text: "common note", Vector: axis(11, .3), Filter: &flt, K: k, Both: k == 5})
		}
	}
}

func testTies(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	var want []lukasa.ID
	for i := range 400 {
		n := (i * 271) % 400
		f.Put(entry(n, NodeID(1), "the same words", axis(3, .2)))
		if i < 7 {
			want = append(want, EntryID(i))
		}
	}
	for _, r := range []index.Request{
		{Text: "same words", K: 7}, {Vector: axis(3, .1), K: 7}, {Text: "words", Vector: axis(3, .1), K: 7, Both: true},
	} {
		r.Nodes = []lukasa.ID{NodeID(1)}
		if d := cmp.Diff(want, ids(find(t, x, f, r))); d != "" {
			t.Errorf("the lowest ids should win:\n%s", d)
		}
	}
}

func testLatest(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	old := entry(1, NodeID(1), "lives in Lisbon", axis(1, 0))
	f.Put(old, entry(2, NodeID(1), "lives in Porto", axis(1, .1)))
	nodes := []lukasa.ID{NodeID(1)}
	find(t, x, f, index.Request{Nodes: nodes, Text: "lives", Vector: axis(1, 0), K: 5})
	old.Latest = false
	f.Put(old)
	a := find(t, x, f, index.Request{Nodes: nodes, Text: "lives", Vector: axis(1, 0), K: 5})
	if d := cmp.Diff([]lukasa.ID{EntryID(2)}, ids(a)); d != "" {
		t.Error(d)
	}
	for v, want := range map[string][]lukasa.ID{"false": {EntryID(1)}, "true": {EntryID(2)}} {
		a := find(t, x, f, index.Request{Nodes: nodes, Text: "lives Lisbon", Vector: axis(1, 0), K: 5, Filter: &lukasa.Filter{Field: "latest", Text: []string{v}}})
		if d := cmp.Diff(want, ids(a)); d != "" {
			t.Errorf("latest %s: %s", v, d)
		}
	}
	both := &lukasa.Filter{Field: "latest", Text: []string{"true", "false"}}
	if a := find(t, x, f, index.Request{Nodes: nodes, Vector: axis(1, 0), K: 5, Filter: both}); len(a.Candidates) != 2 {
		t.Errorf("found %v", ids(a))
	}
}

// Two indexes on one feed see each other's writes at their next Sync.
func testTwoIndexes(t *testing.T, open Open) {
	f := NewMemFeed()
	a, b := open1(t, open, f, t.TempDir()), open1(t, open, f, t.TempDir())
	nodes := []lukasa.ID{NodeID(1), NodeID(2)}
	for i := range 60 {
		f.Put(entry(i, NodeID(1+i%2), fmt.Sprintf("note number%d", i), axis(i, 0)))
		for _, x := range []index.Index{a, b} {
			if got := find(t, x, f, index.Request{Nodes: nodes, Text: fmt.Sprintf("number%d", i), K: 1}); len(got.Candidates) != 1 {
				t.Fatalf("write %d is not visible", i)
			}
		}
		if i%3 == 2 {
			f.Remove(EntryID(i - 1))
			moved := entry(i-2, NodeID(1+(i+1)%2), "moved away", axis(i, .5))
			f.Put(moved)
		}
	}
}

func testVersion(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	ctx := context.Background()
	f.Put(entry(1, NodeID(1), "one", nil), entry(2, NodeID(2), "two", nil))
	version := func(n int) int64 {
		t.Helper()
		if _, err := x.Sync(ctx); err != nil {
			t.Fatal(err)
		}
		return x.Version(owner, NodeID(n))
	}
	v1, v2 := version(1), version(2)
	f.Put(entry(3, NodeID(2), "three", nil))
	if version(1) != v1 || version(2) == v2 {
		t.Errorf("versions went from %d, %d to %d, %d after a write to the second", v1, v2, version(1), version(2))
	}
	v2 = version(2)
	f.Remove(EntryID(2))
	if version(2) == v2 {
		t.Error("version stayed after a removal")
	}
}

func testRebuild(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	r := index.Request{Nodes: []lukasa.ID{NodeID(1), NodeID(2)}, Text: "note", Vector: axis(5, 0), K: 9, Both: true}
	for i := range 100 {
		f.Put(entry(i, NodeID(1+i%2), "a note", axis(i, .2)))
	}
	want := find(t, x, f, r)
	x.Rebuild(owner, NodeID(1))
	if d := cmp.Diff(want, find(t, x, f, r)); d != "" {
		t.Error(d)
	}
	x.Rebuild("", "")
	if d := cmp.Diff(want, find(t, x, f, r)); d != "" {
		t.Error(d)
	}
	s := x.Stats()
	for try := 0; s.Entries != 100 && try < 50; try++ { // a driver may put away what nobody searches
		find(t, x, f, r)
		s = x.Stats()
	}
	if s.Entries != 100 || s.Vectors != 100 {
		t.Errorf("stats %+v, want 100 entries with vectors", s)
	}
}

// M-3: what was indexed is there after a restart, with what was written in between.
func testRestart(t *testing.T, open Open) {
	f, dir := NewMemFeed(), t.TempDir()
	r := index.Request{Nodes: []lukasa.ID{NodeID(1), NodeID(2), NodeID(3)}, Text: "note seven", Vector: axis(5, 0), K: 9, Both: true}
	for round := range 4 {
		x := open(t, f, dir)
		for i := range 90 {
			f.Put(entry(round*50+i, NodeID(1+(i+round)%3), fmt.Sprintf("a note, number %d of round seven", i), axis(i+round, .2)))
			if i == 45 {
				find(t, x, f, r)
			}
		}
		f.Remove(EntryID(round*50+3), EntryID(round*50+70))
		want := find(t, x, f, r)
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		x = open(t, f, dir)
		if d := cmp.Diff(want, find(t, x, f, r)); d != "" {
			t.Fatalf("round %d: answers differ after a restart:\n%s", round, d)
		}
		f.Put(entry(9000+round, NodeID(2), "seven seven", axis(5, .01)))
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	x := open1(t, open, f, dir)
	find(t, x, f, r)
}

// Entries without text, with vectors of another length, of zero length, with NaN, with odd ids.
func testOddEntries(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	odd := entry(1, NodeID(1), "", nil)
	short := entry(2, NodeID(1), "short vector", []float32{1, 2, 3})
	zero := entry(3, NodeID(1), "zero vector", make([]float32, Dim))
	ancient := entry(4, NodeID(1), "ancient", axis(1, 0))
	ancient.OccurredAt = time.Date(-44, 3, 15, 12, 0, 0, 123456789, time.UTC)
	plain := entry(5, NodeID(1), "an id of another form", axis(2, 0))
	plain.ID, plain.Document = "plain", ""
	upper := entry(6, NodeID(1), "an id in upper case", axis(2, .3))
	upper.ID, upper.Document = "chk_01HZZZZZZZZZZZZZZZZZZZZZZZ", "?"
	long := entry(7, NodeID(1), "", axis(9, 0))
	for i := range 20000 {
		long.Text += fmt.Sprintf("word%d repeated ", i%700)
	}
	f.Put(odd, short, zero, ancient, plain, upper, long)
	for _, r := range []index.Request{
		{Text: "vector", K: 10},
		{Vector: axis(1, .2), K: 10, Both: true},
		{Text: "id form repeated", Vector: axis(2, .1), K: 10, Both: true},
		{Vector: make([]float32, Dim), K: 3},
		{Vector: []float32{1, 2}, K: 3},
		{Text: "the of and", K: 3},
		{K: 3},
		{Text: "id", K: 0},
		{Text: "id", K: -1},
		{Text: "ancient", K: 3, Filter: &lukasa.Filter{Field: "before", Time: time.Date(-44, 3, 15, 12, 0, 0, 123456790, time.UTC)}},
		{Text: "ancient", K: 3, Filter: &lukasa.Filter{Field: "before", Time: time.Date(-44, 3, 15, 12, 0, 0, 123456789, time.UTC)}},
	} {
		r.Nodes = []lukasa.ID{NodeID(1), NodeID(1), NodeID(77)}
		find(t, x, f, r)
	}
	f.Remove("plain")
	upper.Text = "changed in place"
	f.Put(upper)
	find(t, x, f, index.Request{Nodes: []lukasa.ID{NodeID(1)}, Text: "id form change", Vector: axis(2, .1), K: 10, Both: true})
}

func testConcurrency(t *testing.T, open Open) {
	f := NewMemFeed()
	x := open1(t, open, f, t.TempDir())
	ctx := context.Background()
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for g := range 3 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := x.Sync(ctx); err != nil {
					t.Error(err)
					return
				}
				a, err := x.Search(ctx, index.Request{
					Owner: owner, Nodes: []lukasa.ID{NodeID(1), NodeID(2), NodeID(g)}, Text: "note", Vector: axis(i, .3), K: 10, Both: i%2 == 0,
					Filter: &lukasa.Filter{Not: &lukasa.Filter{Field: "tags", Text: []string{"hidden"}}},
				})
				if err != nil {
					t.Error(err)
					return
				}
				for _, c := range a.Candidates {
					if c.Entry == "" || c.Node == "" || c.Type != lukasa.EntryChunk {
						t.Errorf("torn candidate %+v", c)
						return
					}
				}
				_ = x.Stats()
				_ = x.Version(owner, NodeID(1))
			}
		})
	}
	for i := range 1500 {
		e := entry(i%700, NodeID(i%4), fmt.Sprintf("note %d", i%50), axis(i, float32(i%7)/7))
		if i%9 == 0 {
			e.Tags = []string{"hidden"}
		}
		e.Latest = i%11 != 0
		f.Put(e)
		if i%13 == 0 {
			f.Remove(EntryID(i % 300))
		}
		if i%400 == 399 {
			x.Rebuild(owner, NodeID(1))
		}
		if i%10 == 0 {
			if _, err := x.Sync(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	close(stop)
	wg.Wait()
	nodes := []lukasa.ID{NodeID(0), NodeID(1), NodeID(2), NodeID(3)}
	find(t, x, f, index.Request{Nodes: nodes, Text: "note 7", Vector: axis(7, .1), K: 40, Both: true})
}

func testCancelled(t *testing.T, open Open) {
	f := NewMemFeed()
	f.Put(entry(1, NodeID(1), "one", nil))
	x := open1(t, open, f, t.TempDir())
	if _, err := x.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := x.Search(ctx, index.Request{Owner: owner, Nodes: []lukasa.ID{NodeID(1)}, Text: "one", K: 1}); err == nil {
		t.Error("a cancelled search answered")
	}
	find(t, x, f, index.Request{Nodes: []lukasa.ID{NodeID(1)}, Text: "one", K: 1})
}

// M-3, M-4: random histories of writes, removals, filters and restarts answer like brute force.
func testHistories(t *testing.T, open Open) {
	rapid.Check(t, func(rt *rapid.T) { history(t, rt, open) })
}
