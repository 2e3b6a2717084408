package postings_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/postings"
)

// A tail finds what looking through all entries finds.
func TestTailFindsAll(t *testing.T) {
	t.Parallel()
	type posting struct{ Slot, Count uint32 }
	rapid.Check(t, func(rt *rapid.T) {
		tail := postings.NewTail()
		want := map[uint32][]posting{}
		vocabulary := rapid.Uint32Range(1, 3000).Draw(rt, "vocabulary")
		size := 0
		for slot := range uint32(rapid.IntRange(0, 120).Draw(rt, "slots")) {
			terms := rapid.SliceOfN(rapid.Uint32Max(vocabulary), 0, 40).Draw(rt, "terms")
			slices.Sort(terms)
			tail.Add(slot+7, terms)
			for _, term := range slices.Compact(slices.Clone(terms)) {
				n := uint32(0)
				for _, x := range terms {
					if x == term {
						n++
					}
				}
				want[term] = slices.Insert(want[term], 0, posting{slot + 7, n})
				size++
			}
		}
		for term := range vocabulary + 2 {
			var got []posting
			for slot, n := range tail.Postings(term) {
				got = append(got, posting{slot, n})
			}
			if d := cmp.Diff(want[term], got, cmpopts.EquateEmpty()); d != "" {
				rt.Fatalf("term %d: %s", term, d)
			}
		}
		if tail.Size() != size {
			rt.Errorf("%d postings, want %d", tail.Size(), size)
		}
	})
	var none *postings.Tail
	for range none.Postings(1) {
		t.Error("nothing was found to hold something")
	}
}

// What was added before a reader began it finds, whatever is added meanwhile.
func TestTailWhileAdding(t *testing.T) {
	t.Parallel()
	tail := postings.NewTail()
	known := make(chan uint32, 1000)
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := range known {
			got := uint32(0)
			for slot, count := range tail.Postings(slotTerm(n)) {
				if slot <= n {
					got += count
				}
			}
			if got != 2*(n/50+1) {
				t.Errorf("up to slot %d: %d, want %d", n, got, 2*(n/50+1))
				return
			}
		}
	})
	for slot := range uint32(1000) {
		terms := []uint32{slotTerm(slot), slotTerm(slot)}
		for i := range uint32(20) {
			terms = append(terms, 1000+slot*20+i)
		}
		tail.Add(slot, terms)
		known <- slot
	}
	close(known)
	wg.Wait()
}

func slotTerm(slot uint32) uint32 { return slot % 50 }

// A segment finds the terms that it has and no others, however many of all there are.
func TestNumbersFind(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		most := rapid.SampledFrom([]uint32{1, 100, 400, 20_000}).Draw(rt, "most")
		s := &shelf{}
		has := map[uint32]bool{}
		for range rapid.IntRange(0, 40).Draw(rt, "slots") {
			terms := rapid.SliceOfN(rapid.Uint32Max(most-1), 0, 20).Draw(rt, "terms")
			s.terms, s.latest = append(s.terms, append([]uint32{}, terms...)), append(s.latest, true)
			for _, x := range terms {
				has[x] = true
			}
		}
		g := new(postings.Builder).Build(s, 0, len(s.terms), int(most), 4)
		if !g.Whole(len(has)) || g.Whole(len(has)+1) {
			rt.Errorf("%d terms do not fit", len(has))
		}
		place := 0
		for term := range most + 200 {
			want := -1
			if has[term] {
				want = place
				place++
			}
			if got := g.Find(term); got != want {
				rt.Fatalf("term %d is at %d, want %d", term, got, want)
			}
		}
		if len(g.Groups) > 0 {
			g.Groups[len(g.Groups)-1].Bits[2] ^= 1 << 31
			if g.Whole(len(has)) {
				rt.Error("a number more went unseen")
			}
		}
	})
}
