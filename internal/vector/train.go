package vector

import (
	"math"
	"math/bits"
	"runtime"
)

const (
	trainedOn  = 32   // vectors for each cell that the means are sought with
	passes     = 6    // of k-means
	compared   = 8    // cells that are the nearest by 1-bit codes and are compared by 8-bit codes
	deviations = 4    // of a cell's vectors, along a direction, from its mean; see cell.reach
	breath     = 64   // vectors after which others may have the core
	mostCells  = 4096 // more would take longer to compare with than they save
)

// trainer makes cells.
type trainer struct {
	kernels Kernels
	bits    []*Bits
	codes   []*Int8
	has     []uint64
	slots   int
	dim     int
	stop    func() bool

	cells  int
	coarse []*Bits // of the means
	fine   []*Int8
	all    [][]uint64 // of each block of them, which are there
	sums   []float32
	counts []int
	vec    []float32
	query  Query
	top    *TopK
	hits   Hits
	near   []Scored
	seen   int
}

// NewCells makes cells of the vectors of all slots that are set in has and below slots, as many as the root of their number. bits and
// codes are blocks of which all but the last have [MaxSlots] slots; a block without any such slot may be nil. It takes seconds for a million vectors of 256 dimensions, in which it gives way to other goroutines; it ends
// early, with nil, once stop reports true, and for fewer than 16 vectors.
func NewCells(k Kernels, blocks []*Bits, codes []*Int8, has []uint64, slots int, stop func() bool) *Cells {
	t := &trainer{kernels: k, bits: blocks, codes: codes, has: has, slots: slots, stop: stop, top: k.NewTopK(compared)}
	n := 0
	for range t.every(1) {
		n++
	}
	if n < 16 {
		return nil
	}
	for slot := range t.every(1) {
		t.dim = blocks[slot/MaxSlots].Dim
		break
	}
	t.cells = min(int(math.Sqrt(float64(n))), mostCells)
	t.vec = make([]float32, t.dim)
	t.sums, t.counts = make([]float32, t.cells*t.dim), make([]int, t.cells)
	for i := range t.cells {
		if i%MaxSlots == 0 {
			t.all = append(t.all, make([]uint64, MaxSlots/64))
		}
		t.all[i/MaxSlots][i%MaxSlots/64] |= 1 << (i % 64)
	}
	t.start(n)
	step := max(1, n/(t.cells*trainedOn))
	for range passes {
		if !t.assign(step, nil) {
			return nil
		}
		t.refill(n)
		t.encode()
	}
	of := make([]uint32, slots) // cell+1
	if !t.assign(1, of) {
		return nil
	}
	return t.lay(of)
}

// every yields every step-th of the slots with a vector.
func (t *trainer) every(step int) func(func(int) bool) {
	return func(yield func(int) bool) {
		left := step / 2
		for w, word := range t.has[:min(len(t.has), (t.slots+63)/64)] {
			if n := bits.OnesCount64(word); n <= left {
				left -= n
				continue
			}
			for ; word != 0; word &= word - 1 {
				slot := w*64 + bits.TrailingZeros64(word)
				if slot >= t.slots {
					return
				}
				if left--; left < 0 {
					if !yield(slot) {
						return
					}
					left = step - 1
				}
			}
		}
	}
}

// read makes t.vec the vector of a slot.
func (t *trainer) read(slot int) {
	b := t.codes[slot/MaxSlots]
	scale := b.Scale[slot%MaxSlots]
	for i, x := range b.Code(slot % MaxSlots) {
		t.vec[i] = float32(x) * scale
	}
}

// start takes vectors from everywhere for the first means.
func (t *trainer) start(n int) {
	i := 0
	for slot := range t.every(n / t.cells) {
		if i == t.cells {
			break
		}
		t.read(slot)
		copy(t.sums[i*t.dim:], t.vec)
		i++
	}
	t.encode()
}

// refill gives cells without a vector one of the others, and makes means of sums.
func (t *trainer) refill(n int) {
	draw := splitMix(n)
	for i, count := range t.counts {
		mean := t.sums[i*t.dim : (i+1)*t.dim]
		if count == 0 {
			slot := int(draw.next() % uint64(t.slots))
			for t.has[slot/64]>>(slot%64)&1 == 0 {
				slot = (slot + 1) % t.slots
			}
			t.read(slot)
			copy(mean, t.vec)
		}
		t.kernels.Normalize(mean)
	}
}

// encode makes codes of t.sums.
func (t *trainer) encode() {
	t.coarse, t.fine = nil, nil
	for i := range t.cells {
		if i%MaxSlots == 0 {
			slots := (min(t.cells-i, MaxSlots) + 7) &^ 7
			t.coarse, t.fine = append(t.coarse, NewBits(t.dim, slots)), append(t.fine, NewInt8(t.dim, slots))
		}
		mean := t.sums[i*t.dim : (i+1)*t.dim]
		t.coarse[i/MaxSlots].Put(i%MaxSlots, mean)
		t.fine[i/MaxSlots].Put(i%MaxSlots, mean)
	}
}

// assign sums up, in t.sums and t.counts, the vectors of every step-th slot that are nearest to each mean, and notes the cell of each in of.
// It reports false where it was stopped.
func (t *trainer) assign(step int, of []uint32) bool {
	clear(t.sums)
	clear(t.counts)
	for slot := range t.every(step) {
		if t.seen++; t.seen%breath == 0 {
			if t.stop() {
				return false
			}
			runtime.Gosched()
		}
		t.read(slot)
		cell := t.nearest(slot)
		t.counts[cell]++
		sum := t.sums[cell*t.dim : (cell+1)*t.dim]
		for i, x := range t.vec {
			sum[i] += x
		}
		if of != nil {
			of[slot] = uint32(cell) + 1
		}
	}
	return true
}

// nearest returns the cell whose mean is nearest to t.vec, the vector of a slot.
func (t *trainer) nearest(slot int) int {
	t.query.SetFor(t.kernels, t.vec)
	t.top.Reset(compared)
	for i, b := range t.coarse {
		t.kernels.ScanTop(t.top, &t.hits, b, nil, &t.query, t.all[i], 0, uint32(i*MaxSlots))
	}
	code := t.codes[slot/MaxSlots].Code(slot % MaxSlots)
	best, high := 0, float32(math.Inf(-1))
	t.near = t.top.AppendUnsorted(t.near[:0])
	for _, s := range t.near {
		m := t.fine[s.Slot/MaxSlots]
		at := int(s.Slot % MaxSlots)
		if x := float32(t.kernels.DotInt8(code, m.Code(at))) * m.Scale[at]; x > high || x == high && int(s.Slot) < best {
			best, high = int(s.Slot), x
		}
	}
	return best
}

// lay copies the codes in the order of cells.
func (t *trainer) lay(of []uint32) *Cells {
	c := &Cells{covered: t.slots, cells: make([]cell, t.cells)}
	next := make([]uint32, t.cells) // place of the next slot of a cell
	places, words := 0, 0
	for i, count := range t.counts {
		mean := t.sums[i*t.dim : (i+1)*t.dim]
		scale(mean, 1/float64(max(1, count)))
		c.cells[i].reach = deviations * float32(math.Sqrt(max(0, 1-float64(t.kernels.Dot(mean, mean)))/float64(t.dim)))
		next[i] = uint32(places)
		c.cells[i].chunks[0] = uint32(len(c.chunks))
		c.n += count
		for ; count > 0; count -= MaxSlots {
			slots := (min(count, MaxSlots) + 7) &^ 7
			c.chunks = append(c.chunks, chunk{Bits: Bits{Dim: t.dim, Scale: make([]uint16, slots)}, first: uint32(places)})
			places += LiveLen(slots) * 64
			words += slots * t.dim / 64
		}
		c.cells[i].chunks[1] = uint32(len(c.chunks))
	}
	codes := make([]uint64, words)
	for i := range c.chunks {
		n := c.chunks[i].Slots() * t.dim / 64
		c.chunks[i].Codes, codes = codes[:n:n], codes[n:]
		c.codes += 8*n + 2*c.chunks[i].Slots()
	}
	t.encode()
	c.means = t.fine
	c.slot, c.filled = make([]uint32, places), make([]uint64, places/64)
	for slot, cell := range of {
		if cell == 0 {
			continue
		}
		p := next[cell-1]
		next[cell-1]++
		first := c.cells[cell-1].chunks[0]
		at := p - c.chunks[first].first
		ch := &c.chunks[first+at/MaxSlots]
		ch.CopySlot(int(at%MaxSlots), t.bits[slot/MaxSlots], slot%MaxSlots)
		c.slot[p] = uint32(slot)
		c.filled[p/64] |= 1 << (p % 64)
	}
	return c
}
