package postings_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/postings"
)

// shelf is a source in memory.
type shelf struct {
	terms  [][]uint32 // nil: no entry
	latest []bool
}

func (s *shelf) Has(slot int) (entry, latest bool) { return s.terms[slot] != nil, s.latest[slot] }
func (s *shelf) Length(slot int) uint16            { return uint16(len(s.terms[slot])) }
func (s *shelf) Terms(dst []uint32, slot int) []uint32 {
	return append(dst, s.terms[slot]...)
}

const vocabulary = 12

func drawShelf(rt *rapid.T) *shelf {
	s := &shelf{}
	r := rapid.IntRange(0, 3000).Draw(rt, "slots")
	seed := rapid.Uint32().Draw(rt, "seed")
	next := func(n uint32) uint32 {
		seed = seed*1664525 + 1013904223
		return seed >> 8 % n
	}
	for range r {
		var terms []uint32
		if next(10) > 0 {
			terms = []uint32{}
			for range next(9) {
				terms = append(terms, next(1+next(vocabulary)))
			}
		}
		s.terms, s.latest = append(s.terms, terms), append(s.latest, terms != nil && next(8) > 0)
	}
	return s
}

// best keeps all that is at least as good as the k-th.
type best struct{ top postings.Top }

func (b *best) Threshold() int64 { return b.top.Threshold() }
func (b *best) Push(slot uint32, score int64) {
	b.top.Push(postings.Ranked{Score: score, Slot: int(slot)})
}

func worse(a, b postings.Ranked) bool {
	return a.Score < b.Score || a.Score == b.Score && a.Slot > b.Slot
}

// The walk finds the best k of the mask, as scoring every slot does, and the counters count latest entries.
func TestWalkFindsTheBest(t *testing.T) {
	t.Parallel()
	var w postings.Walker
	rapid.Check(t, func(rt *rapid.T) {
		s := drawShelf(rt)
		n := len(s.terms)
		cut := rapid.IntRange(0, n).Draw(rt, "cut")
		var segs []*postings.Segment
		for _, r := range [][2]int{{0, cut}, {cut, n}} {
			if r[0] < r[1] {
				segs = append(segs, new(postings.Builder).Build(s, r[0], r[1], vocabulary, 4))
			}
		}
		var set postings.TermSet
		words := rapid.SliceOfN(rapid.Uint32Max(vocabulary-1), 0, 6).Draw(rt, "query")
		set.Reset(len(words))
		for _, t := range words {
			set.Add(t)
		}
		for i := range set.Terms {
			q := &set.Terms[i]
			for slot := range n {
				if s.latest[slot] && slices.Contains(s.terms[slot], q.ID) {
					q.DF++
				}
			}
			got := int64(0)
			for _, g := range segs {
				if at := g.Find(q.ID); at >= 0 {
					got += int64(g.Frequency(at))
				}
			}
			if got != q.DF {
				rt.Errorf("%d latest entries have term %d, want %d", got, q.ID, q.DF)
			}
		}
		set.Weigh(int64(n))
		mask := make([]uint64, n/64+1)
		var want []postings.Ranked
		avg := rapid.SampledFrom([]float64{.7, 2, 3.5, 9, 30, 200}).Draw(rt, "average length") // on both sides of that which the impacts of the segments are for
		for slot := range n {
			if !s.latest[slot] || slot%3 == 0 {
				continue
			}
			mask[slot>>6] |= 1 << (slot & 63)
			sum, hit := int64(0), false
			for _, q := range set.Terms {
				tf := uint32(0)
				for _, t := range s.terms[slot] {
					if t == q.ID {
						tf++
					}
				}
				if tf > 0 {
					sum, hit = sum+postings.Score(q.Weight, tf, s.Length(slot), postings.NormOf(avg)), true
				}
			}
			if hit {
				want = append(want, postings.Ranked{Score: sum, Slot: slot})
			}
		}
		order := func(a, b postings.Ranked) int {
			if worse(b, a) {
				return -1
			}
			return 1
		}
		slices.SortFunc(want, order)
		k := rapid.IntRange(1, 20).Draw(rt, "k")
		b := &best{}
		b.top.Worse = worse
		b.top.Reset(k)
		for _, g := range segs {
			w.Walk(g, &set, g.Places(nil, &set), avg, mask, b)
		}
		w.Close()
		slices.SortFunc(b.top.Heap, order)
		if d := cmp.Diff(want[:min(k, len(want))], b.top.Heap, cmpopts.EquateEmpty()); d != "" {
			rt.Errorf("%s", d)
		}
	})
}

// A term that stands in one entry only is scored by its count, however high that is, and counts once until its entry is gone.
func TestAlone(t *testing.T) {
	t.Parallel()
	s := &shelf{terms: [][]uint32{nil, {0}, nil}, latest: []bool{false, true, false}}
	counts := []int{1, 2, 63, 64, 1000}
	for term, n := range counts {
		s.terms[1] = append(s.terms[1], slices.Repeat([]uint32{uint32(term + 1)}, n)...)
	}
	g := new(postings.Builder).Build(s, 0, 3, 7, 1)
	for i, n := range counts {
		term := uint32(i + 1)
		var set postings.TermSet
		set.Reset(1)
		set.Add(term)
		set.Terms[0].Weight = 1
		b := &best{}
		b.top.Worse = worse
		b.top.Reset(1)
		new(postings.Walker).Walk(g, &set, g.Places(nil, &set), 1, []uint64{7}, b)
		want := []postings.Ranked{{Score: postings.Score(1, uint32(n), s.Length(1), postings.NormOf(1)), Slot: 1}}
		if d := cmp.Diff(want, b.top.Heap); d != "" {
			t.Errorf("%d times: %s", n, d)
		}
		for _, want := range []int{1, 0} {
			if got := g.Frequency(g.Find(term)); got != want {
				t.Errorf("%d entries have what stands there %d times, want %d", got, n, want)
			}
			g.Forget([]uint32{term})
		}
	}
	if len(g.Data) > 2*5 {
		t.Errorf("%d bytes of postings for two terms that say in their offsets what they have", len(g.Data))
	}
}

// A segment of more slots than are held in memory at once is made as another.
func TestBuildOfMany(t *testing.T) {
	t.Parallel()
	const n = 40_000
	s := &shelf{terms: make([][]uint32, n), latest: make([]bool, n)}
	for slot := range n {
		s.latest[slot] = slot%11 != 0
		if slot%5 > 0 {
			s.terms[slot] = slices.Repeat([]uint32{uint32(slot % 7)}, 1+slot%3)
		}
	}
	g := new(postings.Builder).Build(s, 0, n, 7, 1)
	var c postings.Cursor
	for term := range uint32(7) {
		slot, latest := int(term), 0
		for c.Open(g, g.Find(term), 1, 1); c.Load(); c.Advance() {
			for i := range c.N {
				for slot%5 == 0 {
					slot += 7
				}
				if int(c.Slots[i]) != slot || int(c.Counts[i]) != 1+slot%3 {
					t.Fatalf("term %d: %d times in slot %d, want %d times in %d", term, c.Counts[i], c.Slots[i], 1+slot%3, slot)
				}
				if s.latest[slot] {
					latest++
				}
				slot += 7
			}
		}
		if got := g.Frequency(g.Find(term)); slot < n-14 || got != latest {
			t.Errorf("term %d: the last slot is %d, and %d are latest of %d", term, slot-7, got, latest)
		}
	}
}

func TestCountersForget(t *testing.T) {
	t.Parallel()
	s := &shelf{terms: [][]uint32{{1, 2}, {2, 2}, {3}}, latest: []bool{true, true, false}}
	g := new(postings.Builder).Build(s, 0, 3, 5, 1)
	g.Forget([]uint32{2, 4})
	for term, want := range []int{1: 1, 2: 1, 3: 0} {
		if at := g.Find(uint32(term)); (at < 0) != (term == 0) || at >= 0 && g.Frequency(at) != want {
			t.Errorf("term %d stands at %d, want %d entries", term, at, want)
		}
	}
	segs := []*postings.Segment{{Lo: 0, Hi: 20}, {Lo: 20, Hi: 24}, {Lo: 24, Hi: 28}}
	if first := postings.Mergeable(segs); first != 1 || postings.Of(segs, 22) != segs[1] {
		t.Errorf("merge from %d", first)
	}
	m := &postings.Segment{Lo: 20, Hi: 28}
	if out := postings.Replace(segs, m); len(out) != 2 || out[1] != m {
		t.Errorf("replaced: %v", out)
	}
}
