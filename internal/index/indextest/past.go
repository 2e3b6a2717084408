package indextest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
)

// testPast: what an index is asked about an earlier moment it answers like one that holds what there was then.
func testPast(t *testing.T, open Open) {
	rapid.Check(t, func(rt *rapid.T) {
		f, twin := NewMemFeed(), NewMemFeed()
		for range rapid.IntRange(0, 40).Draw(rt, "before") {
			e := drawEntry(rt)
			f.Put(e)
			twin.Put(e)
		}
		at := epoch.Add(time.Duration(rapid.IntRange(60, 90).Draw(rt, "at")) * time.Hour)
		x := open(t, f, t.TempDir())
		defer func() { _ = x.Close() }()
		find(rt, x, f, drawRequest(rt)) // some of it is there before it changes
		for range rapid.IntRange(0, 30).Draw(rt, "since") {
			e := drawEntry(rt)
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				f.Remove(e.ID)
			case 1:
				e.ID, e.CreatedAt = EntryID(100+int(e.Seq)), at.Add(time.Hour)
				f.Put(e)
			default:
				f.Put(e)
			}
		}
		then := since(f, twin, at)
		for range 3 {
			r := drawRequest(rt)
			th := then
			th.Entries = slices.DeleteFunc(slices.Clone(th.Entries), func(e lukasa.Entry) bool { return !slices.Contains(r.Nodes, e.Node) })
			pastAs(rt, x, twin, r, th)
		}
	})
}

// since says what has changed between a twin and a feed. Entries of the twin that were created after the moment cannot be told apart
// from those that came later: they are left out of it.
func since(f, twin *MemFeed, at time.Time) index.Then {
	then := index.Then{At: at}
	for _, id := range twin.IDs() {
		was, _ := twin.Get(id)
		if was.CreatedAt.After(at) {
			twin.Remove(id)
			continue
		}
		if is, ok := f.Get(id); !ok || fmt.Sprint(is) != fmt.Sprint(was) {
			then.Without = append(then.Without, id)
			then.Entries = append(then.Entries, was)
		}
	}
	for _, id := range f.IDs() {
		if _, ok := twin.Get(id); !ok {
			then.Without = append(then.Without, id)
		}
	}
	return then
}

// pastAs holds an answer about an earlier moment against the twin.
func pastAs(t reporter, x index.Index, twin *MemFeed, r index.Request, then index.Then) {
	t.Helper()
	ctx := context.Background()
	if _, err := x.Sync(ctx); err != nil {
		t.Fatalf("sync: %v", err)
	}
	r.Then, r.Owner = &then, owner
	a, err := x.Search(ctx, r)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	tol := TolerancesFor(twin.Len())
	if a.Scene == nil {
		if err := Check(twin, r, a, tol); err != nil {
			t.Fatalf("%v, in the answer to %+v", err, r)
		}
		return
	}
	// Of a scene, what is asked for anyhow is held against an answer without one; neighbours bring in more.
	if len(a.Scene.Items) < len(a.Candidates) || a.Scene.Terms == nil && len(a.Terms) > 0 {
		t.Fatalf("a scene of %d items, %d terms for %d candidates", len(a.Scene.Items), len(a.Scene.Terms), len(a.Candidates))
	}
	plain := r
	plain.Scene, plain.Both = false, true
	b, err := x.Search(ctx, plain)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	if err := Check(twin, plain, b, tol); err != nil {
		t.Fatalf("%v, in the answer to %+v", err, plain)
	}
	in := map[lukasa.ID]lukasa.Candidate{}
	for _, c := range a.Candidates {
		in[c.Entry] = c
	}
	for _, c := range b.Candidates {
		if in[c.Entry] != c {
			t.Fatalf("the scene has %+v, without one it is %+v", in[c.Entry], c)
		}
		delete(in, c.Entry)
	}
	all, _ := oracle(twin, r)
	for id := range in {
		if !slices.ContainsFunc(all, func(s scored) bool { return s.entry.ID == id }) {
			t.Fatalf("%s was brought in, and should not be found", id)
		}
	}
	for i := range a.Scene.Items {
		if _, ok := twin.Get(a.Scene.Items[i].Candidate.Entry); !ok {
			t.Fatalf("%s was not there", a.Scene.Items[i].Candidate.Entry)
		}
	}
}

// testLargePast: the same over more entries than are looked through one by one.
func testLargePast(t *testing.T, open Open) {
	f, twin := NewMemFeed(), NewMemFeed()
	rng := rand.New(rand.NewPCG(3, 9))
	words := func() (s string) {
		for range 6 {
			s += vocabulary[rng.IntN(len(vocabulary))] + " "
		}
		return s
	}
	centres := make([][]float64, 40)
	for i := range centres {
		centres[i] = make([]float64, Dim)
		for d := range centres[i] {
			centres[i][d] = rng.NormFloat64()
		}
	}
	vec := func() []float32 {
		c, v := centres[rng.IntN(len(centres))], make([]float32, Dim)
		for d := range v {
			v[d] = float32(c[d] + .4*rng.NormFloat64())
		}
		return v
	}
	for n := range 3000 {
		e := entry(n, NodeID(n%2), words(), vec())
		e.Latest = n%9 > 0
		f.Put(e)
		twin.Put(e)
	}
	x := open1(t, open, f, t.TempDir())
	ctx := t.Context()
	if _, err := x.Search(ctx, index.Request{Owner: owner, Nodes: []lukasa.ID{NodeID(0), NodeID(1)}, Text: "river", K: 5}); err != nil {
		t.Fatal(err)
	}
	at := entry(3000, "", "", nil).CreatedAt
	for n := range 700 {
		e := entry(n*4, NodeID(n*4%2), words(), vec())
		switch n % 3 {
		case 0:
			f.Remove(e.ID)
		case 1:
			f.Put(e)
		case 2:
			e = entry(3001+n, NodeID(n%2), words(), vec())
			f.Put(e)
		}
	}
	then := since(f, twin, at)
	found, want := 0, 0
	for i := range 40 {
		r := index.Request{Owner: owner, Nodes: []lukasa.ID{NodeID(0), NodeID(1)}, Text: words(), K: 10 + 20*(i%3), Both: i%2 == 0, Scene: i%4 == 3}
		if i%3 == 2 {
			r.Nodes = r.Nodes[:1]
		}
		th := then
		th.Entries = slices.DeleteFunc(slices.Clone(th.Entries), func(e lukasa.Entry) bool { return !slices.Contains(r.Nodes, e.Node) })
		pastAs(t, x, twin, r, th)
		r.Text, r.Vector, r.Then, r.K = "", vec(), &th, 10
		a, err := x.Search(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		n, k := Recall(twin, r, a)
		found, want = found+n, want+k
	}
	if found*100 < want*99 {
		t.Errorf("found %d of %d", found, want)
	}
}
