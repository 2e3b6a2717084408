package vector_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/vector"
)

// chatter draws vectors as hard to tell apart as those of real talk: all have something in common, fifteen are about one thing, and the best
// are not far above the rest. Cosines within a topic are about .5, all others .16 ± .07.
func chatter(r *rand.Rand, dim, n, queries int) (vectors, asked [][]float32) {
	common := gauss(r, dim)
	topics := make([][]float32, n/15)
	for i := range topics {
		topics[i] = gauss(r, dim)
	}
	for i := range n + queries {
		v, topic := gauss(r, dim), topics[r.IntN(len(topics))]
		for d := range v {
			v[d] = .7*v[d] + .58*topic[d] + .4*common[d]
		}
		vector.Portable().Normalize(v)
		if i < n {
			vectors = append(vectors, v)
		} else {
			asked = append(asked, v)
		}
	}
	return vectors, asked
}

// likely is the first stage as scan does it, but for what is unlikely to be among the best.
func (p *partition) likely(query []float32, r int, floor float32) {
	p.turn(p.turned, query)
	p.query.Set(p.turned)
	p.first.Reset(r)
	for i, b := range p.bits {
		p.kernels.ScanLikely(p.first, &p.hits, b, nil, &p.query, p.live[i], 0, floor, uint32(i*vector.MaxSlots))
	}
}

// What is left out is not what is looked for: of the ten nearest that a full scan finds among its best 200 a likely one finds .998, of
// vectors that are easy to tell apart as of such that are not, with a threshold that is high from the start as with one that grows.
func TestScanLikelyKeepsTheBest(t *testing.T) {
	t.Parallel()
	const n, queries, kept = 8_000, 100, 200
	for _, dim := range []int{256, 384} {
		r := rand.New(rand.NewPCG(7, uint64(dim)))
		hard, askedHard := chatter(r, dim, n, queries)
		c := newCloud(dim, 50, .8, 77)
		var easy, askedEasy [][]float32
		for range n {
			easy = append(easy, c.draw())
		}
		for i := range queries {
			askedEasy = append(askedEasy, c.lookalike(easy[i*37]))
		}
		rot := rotation(t, dim, 1)
		for name, given := range map[string][2][][]float32{"chatter": {hard, askedHard}, "cloud": {easy, askedEasy}} {
			p := newPartition(vector.Portable(), given[0], rot.Padded(), rot.Apply)
			for _, start := range []string{"growing", "high"} {
				all, lost := 0, 0
				for _, query := range given[1] {
					p.scan(query, kept)
					best := p.first.Append(nil)
					wanted := p.exact(query, 10)
					wanted = slices.DeleteFunc(wanted, func(s vector.Scored) bool { return shared([]vector.Scored{s}, best) == 0 })
					floor := float32(math.Inf(-1))
					if start == "high" {
						floor = best[kept-1].Score
					}
					p.likely(query, kept, floor)
					all += len(wanted)
					lost += len(wanted) - shared(wanted, p.first.Append(nil))
				}
				t.Logf("%s of %d dimensions, %s: %d of %d lost", name, dim, start, lost, all)
				if all < 9*queries || lost*1000 > 2*all {
					t.Errorf("%s of %d dimensions: of %d among the ten nearest %d are lost", name, dim, all, lost)
				}
			}
		}
	}
}

// Slots that signs speak against are left out by a kernel without assembly, and only they; what is reported has the estimate of a full
// scan; and kernels with assembly report all of it.
func TestScanLikelyLeavesOut(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{64, 192, 256, 384, 512} {
		r := rand.New(rand.NewPCG(9, uint64(dim)))
		query := gauss(r, dim)
		for i := range dim / 8 { // a few numbers are so large that they decide, whatever the signs of the rest are
			query[i] = 40
		}
		block := vector.NewBits(dim, vector.MaxSlots)
		for slot := range vector.MaxSlots {
			block.Put(slot, gauss(r, dim))
		}
		odd := make([]float32, dim)
		for i, x := range query {
			odd[i] = -x
			if i < dim/8 {
				odd[i] = x
			}
		}
		block.Put(77, odd)
		var q vector.Query
		q.Set(query)
		live := make([]uint64, vector.LiveLen(vector.MaxSlots))
		for i := range live {
			live[i] = math.MaxUint64 >> (i % 3 * 16) &^ (uint64(i%2) << 5)
		}
		find := func(k vector.Kernels, likely bool, floor float32) []vector.Scored {
			top := k.NewTopK(100)
			if likely {
				k.ScanLikely(top, new(vector.Hits), block, nil, &q, live, .5, floor, 5000)
			} else {
				k.ScanTop(top, new(vector.Hits), block, nil, &q, live, .5, 5000)
			}
			return top.Append(nil)
		}
		full := find(vector.Portable(), false, 0)
		floor := full[len(full)-1].Score
		for _, k := range kernels {
			if got := find(k, true, float32(math.Inf(-1))); !slices.Equal(got, full) {
				t.Errorf("%d dimensions, %s: a collector that is empty gets %v, want all: %v", dim, k.Name(), got, full)
			}
			got := find(k, true, floor)
			if !k.Sifts() {
				if !slices.Equal(got, full) {
					t.Errorf("%d dimensions, %s: got %v, want %v", dim, k.Name(), got, full)
				}
				continue
			}
			for _, s := range got {
				if !slices.Contains(full, s) {
					t.Errorf("%d dimensions, %s: %v is not among those of a full scan", dim, k.Name(), s)
				}
			}
			if len(got) < 80 {
				t.Errorf("%d dimensions, %s: %d of %d are found", dim, k.Name(), len(got), len(full))
			}
		}
		if dim == 256 {
			has := func(list []vector.Scored) bool {
				return slices.ContainsFunc(list, func(s vector.Scored) bool { return s.Slot == 5077 })
			}
			if !has(full) || has(find(vector.Portable(), true, floor)) {
				t.Errorf("slot 77, whose signs are those of the query in one dimension of 8: found by a full scan %v, by a likely one %v",
					has(full), has(find(vector.Portable(), true, floor)))
			}
		}
	}
}
