package vector_test

import (
	"math/rand/v2"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/vector"
)

func never() bool { return false }

// cells makes cells of the first slots of a partition, as far as has says.
func (p *partition) cells(has []uint64, slots int) *vector.Cells {
	return vector.NewCells(p.kernels, p.bits, p.codes, has, slots, never)
}

// scanCells is the first stage over cells.
func (p *partition) scanCells(c *vector.Cells, query []float32, r int, mask []uint64) (found []vector.Scored, read, all int) {
	p.turn(p.turned, query)
	p.query.Set(p.turned)
	p.fine.Set(p.turned)
	p.first.Reset(r)
	read, all = c.Scan(p.kernels, new(vector.CellReading), p.first, &p.hits, &p.query, &p.fine, mask, 5000)
	found = p.first.Append(nil)
	for i := range found {
		found[i].Slot = c.Slot(found[i].Slot - 5000)
	}
	return found, read, all
}

func allSlots(n int) []uint64 {
	mask := make([]uint64, (n+63)/64)
	for i := range n {
		mask[i/64] |= 1 << (i % 64)
	}
	return mask
}

// With room for all that the mask lets through, cells leave nothing out and let nothing else in, and the estimates are those of a scan.
func TestCellsFindEverything(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 1))
	for _, n := range []int{16, 17, 100, 1500, 4500} {
		c := newCloud(100, 3, .3, 5)
		vectors := make([][]float32, n)
		for i := range vectors {
			vectors[i] = c.draw()
			if r.IntN(4) == 0 {
				vectors[i] = vectors[0] // cells of more than a block
			}
		}
		rot := rotation(t, 100, 1)
		for _, k := range kernels {
			p := newPartition(k, vectors, rot.Padded(), rot.With(k).Apply)
			slots := n - r.IntN(n/16)
			has, mask := allSlots(n), allSlots(n)
			for range n / 8 {
				has[r.IntN(len(has))] &= ^uint64(0) << r.IntN(8) & ^uint64(1<<r.IntN(64))
			}
			for i := range mask {
				if mask[i] &= has[i]; n%2 > 0 || r.IntN(3) == 0 {
					mask[i] &= r.Uint64()
				}
			}
			if p.cells(has, slots) == nil {
				if n >= 100 {
					t.Fatalf("no cells of %d", n)
				}
				continue
			}
			found, _, _ := p.scanCells(p.cells(has, slots), vectors[n/2], n, mask)
			p.scan(vectors[n/2], n)
			want := map[uint32]float32{}
			for _, s := range p.first.Append(nil) {
				if int(s.Slot) < slots && mask[s.Slot/64]>>(s.Slot%64)&1 != 0 {
					want[s.Slot] = s.Score
				}
			}
			for _, s := range found {
				if score, ok := want[s.Slot]; !ok || score != s.Score {
					t.Fatalf("%s, %d of %d slots: slot %d with %v, want %v %v", k.Name(), slots, n, s.Slot, s.Score, score, ok)
				}
				delete(want, s.Slot)
			}
			if len(want) > 0 {
				t.Fatalf("%s, %d of %d slots: %d are left out", k.Name(), slots, n, len(want))
			}
		}
	}
}

// In clusters little is read, and all the same the best are found; also where a mask lets through only what is far from the query.
func TestCellsOfClusters(t *testing.T) {
	t.Parallel()
	const n, dim = 20_000, 128
	c := newCloud(dim, 20, .3, 8)
	vectors := make([][]float32, n)
	for i := range vectors {
		vectors[i] = c.draw()
	}
	rot := rotation(t, dim, 1)
	for _, k := range kernels {
		p := newPartition(k, vectors, rot.Padded(), rot.With(k).Apply)
		cells := p.cells(allSlots(n), n)
		for _, what := range []string{"all", "half", "far"} {
			mask := allSlots(n)
			if what == "half" {
				for i := range mask {
					mask[i] &= 0x5555_3333_0f0f_00ff
				}
			}
			share, hits, want := 0., 0, 0
			for range 30 {
				query := c.lookalike(vectors[c.random.IntN(n)])
				if what == "far" {
					for i, v := range vectors {
						if mask[i/64] |= 1 << (i % 64); p.kernels.Dot(v, query) > .2 {
							mask[i/64] &^= 1 << (i % 64)
						}
					}
				}
				found, read, all := p.scanCells(cells, query, 200, mask)
				share += float64(read) / float64(all) / 30
				p.first.Reset(10)
				for i, b := range p.bits {
					p.kernels.ScanTop(p.first, &p.hits, b, nil, &p.query, append(mask, make([]uint64, 16)...)[i*16:i*16+16], 0, uint32(i*vector.MaxSlots))
				}
				best := p.first.Append(nil)
				hits, want = hits+shared(best, found), want+len(best)
			}
			t.Logf("%s, %s: %d of %d found, %.3f read", k.Name(), what, hits, want, share)
			if hits*100 < want*99 {
				t.Errorf("%s, %s: %d of %d found", k.Name(), what, hits, want)
			}
			if what != "far" && share > .3 {
				t.Errorf("%s, %s: %.3f are read", k.Name(), what, share)
			}
		}
	}
}

// Without clusters nearly all is read, and nothing is lost.
func TestCellsOfNoise(t *testing.T) {
	t.Parallel()
	const n, dim = 20_000, 64
	r := rand.New(rand.NewPCG(8, 8))
	vectors := make([][]float32, n)
	for i := range vectors {
		vectors[i] = gauss(r, dim)
		vector.Normalize(vectors[i])
	}
	rot := rotation(t, dim, 1)
	p := newPartition(vector.Default(), vectors, rot.Padded(), rot.Apply)
	cells := p.cells(allSlots(n), n)
	hits := 0
	for range 50 {
		query := gauss(r, dim)
		vector.Normalize(query)
		found, _, _ := p.scanCells(cells, query, 200, allSlots(n))
		p.scan(query, 10)
		hits += shared(p.first.Append(nil), found)
	}
	if hits < 495 {
		t.Errorf("%d of 500 are found", hits)
	}
}

func TestCellsEndEarly(t *testing.T) {
	t.Parallel()
	c := newCloud(64, 5, 0, 3)
	vectors := make([][]float32, 3000)
	for i := range vectors {
		vectors[i] = c.draw()
	}
	rot := rotation(t, 64, 1)
	p := newPartition(vector.Default(), vectors, rot.Padded(), rot.Apply)
	for _, after := range []int{0, 1, 20, 100} {
		n := 0
		cells := vector.NewCells(p.kernels, p.bits, p.codes, allSlots(3000), 3000, func() bool { n++; return n > after })
		if cells != nil || n != after+1 {
			t.Errorf("stopped at look %d, looked at %d: cells %v", after, n, cells != nil)
		}
	}
	if vector.NewCells(p.kernels, p.bits, p.codes, allSlots(15), 15, never) != nil {
		t.Error("fifteen vectors have cells")
	}
	var none *vector.Cells
	if none.Covered() != 0 || none.Places() != 0 || none.Bytes() != 0 {
		t.Error("no cells hold something")
	}
}

func TestCellScanAllocatesNothing(t *testing.T) {
	c := newCloud(64, 5, 0, 3)
	vectors := make([][]float32, 3000)
	for i := range vectors {
		vectors[i] = c.draw()
	}
	rot := rotation(t, 64, 1)
	p := newPartition(vector.Default(), vectors, rot.Padded(), rot.Apply)
	cells, mask, reading := p.cells(allSlots(3000), 3000), allSlots(3000), new(vector.CellReading)
	p.scan(vectors[0], 200)
	p.fine.Set(p.turned)
	scan := func() {
		p.first.Reset(200)
		cells.Scan(p.kernels, reading, p.first, &p.hits, &p.query, &p.fine, mask, 0)
	}
	scan()
	if n := testing.AllocsPerRun(10, scan); n != 0 {
		t.Errorf("%g allocations a scan", n)
	}
}
