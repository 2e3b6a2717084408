package vector_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/vector"
)

// cloud draws clustered vectors as encoders give them: Gaussian clusters, each with a subspace of falling spectrum and
// a little noise in all directions, then every dimension stretched by a log-normal factor of spread skew, then length 1.
type cloud struct {
	dim     int
	random  *rand.Rand
	centres [][]float32
	axes    [][][]float32
	stretch []float32
}

func newCloud(dim, clusters int, skew float64, seed uint64) *cloud {
	c := &cloud{dim: dim, random: rand.New(rand.NewPCG(seed, 11)), stretch: make([]float32, dim)}
	for range clusters {
		axes := make([][]float32, 16)
		for i := range axes {
			axes[i] = gauss(c.random, dim)
		}
		c.centres, c.axes = append(c.centres, gauss(c.random, dim)), append(c.axes, axes)
	}
	for i := range c.stretch {
		c.stretch[i] = float32(math.Exp(skew * c.random.NormFloat64()))
	}
	return c
}

func (c *cloud) draw() []float32 {
	at := c.random.IntN(len(c.centres))
	v := make([]float32, c.dim)
	copy(v, c.centres[at])
	for j, axis := range c.axes[at] {
		w := float32(c.random.NormFloat64() * .6 / math.Sqrt(float64(j+1)))
		for i := range v {
			v[i] += w * axis[i]
		}
	}
	for i := range v {
		v[i] = (v[i] + .25*float32(c.random.NormFloat64())) * c.stretch[i]
	}
	vector.Portable().Normalize(v)
	return v
}

// lookalike draws a query: part one of the vectors, part something new.
func (c *cloud) lookalike(v []float32) []float32 {
	w := c.draw()
	for i := range w {
		w[i] = .6*v[i] + .4*w[i]
	}
	vector.Portable().Normalize(w)
	return w
}

// partition is the least an index must do: blocks of codes over rotated vectors, and the vectors themselves.
type partition struct {
	kernels  vector.Kernels
	vectors  [][]float32
	turn     func(dst, src []float32)
	dim      int
	bits     []*vector.Bits
	codes    []*vector.Int8
	live     [][]uint64
	hits     vector.Hits
	query    vector.Query
	fine     vector.Int8Query
	first    *vector.TopK
	second   *vector.TopK
	third    *vector.TopK
	turned   []float32
	survivor []vector.Scored
}

func newPartition(k vector.Kernels, vectors [][]float32, dim int, turn func(dst, src []float32)) *partition {
	p := &partition{
		kernels: k, vectors: vectors, turn: turn, dim: dim, turned: make([]float32, dim),
		first: vector.NewTopK(0), second: vector.NewTopK(0), third: vector.NewTopK(0),
	}
	for len(vectors) > 0 {
		slots := vector.SlotsFor(len(vectors))
		b, c, live := vector.NewBits(dim, slots), vector.NewInt8(dim, slots), make([]uint64, vector.LiveLen(slots))
		n := min(slots, len(vectors))
		for slot, v := range vectors[:n] {
			turn(p.turned, v)
			b.Put(slot, p.turned)
			c.Put(slot, p.turned)
			live[slot/64] |= 1 << (slot % 64)
		}
		p.bits, p.codes, p.live = append(p.bits, b), append(p.codes, c), append(p.live, live)
		vectors = vectors[n:]
	}
	return p
}

// scan is the first stage: the r best by 1-bit code.
func (p *partition) scan(query []float32, r int) {
	p.turn(p.turned, query)
	p.query.Set(p.turned)
	p.first.Reset(r)
	for i, b := range p.bits {
		next := p.bits[(i+1)%len(p.bits)]
		p.kernels.ScanTop(p.first, &p.hits, b, next, &p.query, p.live[i], 0, uint32(i*vector.MaxSlots))
	}
}

// search is all three stages.
func (p *partition) search(dst []vector.Scored, query []float32, r, keep, k int) []vector.Scored {
	p.scan(query, r)
	p.fine.Set(p.turned)
	p.second.Reset(keep)
	p.survivor = p.first.AppendUnsorted(p.survivor[:0])
	for i, s := range p.survivor {
		if i+8 < len(p.survivor) {
			ahead := p.survivor[i+8].Slot
			p.codes[ahead/vector.MaxSlots].Prefetch(p.kernels, int(ahead%vector.MaxSlots))
		}
		block, slot := s.Slot/vector.MaxSlots, int(s.Slot%vector.MaxSlots)
		p.second.Push(p.codes[block].Score(p.kernels, slot, &p.fine), s.Slot)
	}
	p.third.Reset(k)
	p.survivor = p.second.AppendUnsorted(p.survivor[:0])
	for _, s := range p.survivor {
		p.third.Push(p.kernels.Dot(p.vectors[s.Slot], query), s.Slot)
	}
	return p.third.Append(dst)
}

func (p *partition) exact(query []float32, k int) []vector.Scored {
	top := vector.NewTopK(k)
	for i, v := range p.vectors {
		top.Push(p.kernels.Dot(v, query), uint32(i))
	}
	return top.Append(nil)
}

func shared(want, got []vector.Scored) (n int) {
	slots := map[uint32]bool{}
	for _, s := range got {
		slots[s.Slot] = true
	}
	for _, s := range want {
		if slots[s.Slot] {
			n++
		}
	}
	return n
}

// Three stages against the exact result, with and without skewed dimensions.
func TestRecallOfThreeStages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		n, dim  int
		skew    float64
		queries int
		gain    float64 // by which the rotation must raise the recall of the first 50
	}{
		{"even", 20_000, 256, 0, 100, 0},
		{"skewed", 20_000, 256, .8, 100, .05},
		{"skewed 384", 5_000, 384, .8, 50, 0},
		{"skewed 300", 5_000, 300, .8, 50, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCloud(tt.dim, 50, tt.skew, 77)
			vectors := make([][]float32, tt.n)
			for i := range vectors {
				vectors[i] = c.draw()
			}
			rot := rotation(t, tt.dim, 1)
			p := newPartition(vector.Default(), vectors, rot.Padded(), rot.Apply)
			plain := newPartition(vector.Default(), vectors, rot.Padded(), func(dst, src []float32) {
				clear(dst[copy(dst, src):])
			})
			found, narrow, unrotated := 0, 0, 0
			for range tt.queries {
				query := c.lookalike(vectors[c.random.IntN(tt.n)])
				want := p.exact(query, 10)
				found += shared(want, p.search(nil, query, 200, 24, 10))
				p.scan(query, 50)
				plain.scan(query, 50)
				narrow += shared(want, p.first.Append(nil))
				unrotated += shared(want, plain.first.Append(nil))
			}
			all := float64(10 * tt.queries)
			recall := float64(found) / all
			t.Logf("recall@10 = %.4f; of the first 50 by code alone %.4f, without rotation %.4f",
				recall, float64(narrow)/all, float64(unrotated)/all)
			if recall < .99 {
				t.Errorf("recall@10 = %.4f, want at least .99", recall)
			}
			if gain := float64(narrow-unrotated) / all; gain < tt.gain {
				t.Errorf("the rotation raises the recall of the first 50 by %.3f, want at least %.3f", gain, tt.gain)
			}
		})
	}
}

func TestSearchIsTheSameEveryTimeAndWithAllKernels(t *testing.T) {
	t.Parallel()
	c := newCloud(100, 10, .5, 3)
	vectors := make([][]float32, 3_000)
	for i := range vectors {
		vectors[i] = c.draw()
	}
	rot := rotation(t, 100, 1)
	query := c.lookalike(vectors[5])
	var want []vector.Scored
	for _, k := range append(kernels, kernels...) {
		p := newPartition(k, vectors, rot.Padded(), rot.With(k).Apply)
		p.search(nil, query, 200, 24, 10)
		got := p.second.Append(nil) // before the float stage, whose last bits may differ
		if want == nil {
			want = got
		}
		for i := range got {
			if got[i] != want[i] || len(got) != len(want) {
				t.Fatalf("%s: result %d = %v, want %v", k.Name(), i, got[i], want[i])
			}
		}
	}
}

func TestSearchAllocatesNothing(t *testing.T) {
	c := newCloud(384, 5, 0, 3)
	vectors := make([][]float32, 1_500)
	for i := range vectors {
		vectors[i] = c.draw()
	}
	rot := rotation(t, 384, 1)
	for _, k := range kernels {
		p := newPartition(k, vectors, rot.Padded(), rot.With(k).Apply)
		query, dst := c.draw(), p.search(nil, vectors[0], 200, 24, 10)
		if n := testing.AllocsPerRun(10, func() { dst = p.search(dst[:0], query, 200, 24, 10) }); n != 0 {
			t.Errorf("%s: %g allocations a search", k.Name(), n)
		}
		if n := testing.AllocsPerRun(10, func() {
			p.turn(p.turned, query)
			p.bits[0].Put(3, p.turned)
			p.codes[0].Put(3, p.turned)
		}); n != 0 {
			t.Errorf("%s: %g allocations an encoding", k.Name(), n)
		}
	}
}
