package vector

import (
	"math"
	"math/bits"
)

// Cells is a second copy of the 1-bit codes of many slots, in the order of the cells of a k-means over them (an inverted file): what is
// like a query stands in few of them where vectors gather in clusters, and in many where they do not. How many are read is found out
// while reading, for each query by itself; see [Cells.Scan]. A slot takes 39 bytes at 256 dimensions. Nothing in it changes, so many
// goroutines may read it.
type Cells struct {
	covered int // slots below it stand in cells, as far as they have a vector
	cells   []cell
	means   []*Int8  // of the cells, in blocks of MaxSlots
	chunks  []chunk  // of at most MaxSlots slots of one cell
	slot    []uint32 // by place; places of a chunk begin at a multiple of 64
	filled  []uint64 // places that hold a slot
	codes   int      // bytes
	n       int      // slots in cells
}

type cell struct {
	chunks [2]uint32 // the first of it, and of the next
	reach  float32   // how far above the mean of the cell one of its vectors may well lie, seen from any side
}

type chunk struct {
	Bits
	first uint32 // place
}

// Covered returns up to which slot vectors stand in cells; 0 for nil.
func (c *Cells) Covered() int {
	if c == nil {
		return 0
	}
	return c.covered
}

// Places returns how many names a scan uses; none for nil.
func (c *Cells) Places() int {
	if c == nil {
		return 0
	}
	return len(c.slot)
}

// Slot returns the slot that a place holds.
func (c *Cells) Slot(place uint32) uint32 { return c.slot[place] }

// Bytes returns about how much memory the cells take; nil take none.
func (c *Cells) Bytes() int64 {
	if c == nil {
		return 0
	}
	n := c.codes + 4*len(c.slot) + 8*len(c.filled)
	for _, m := range c.means {
		n += len(m.Codes) + 4*len(m.Scale)
	}
	return int64(n)
}

// How cells are read; see [Cells.Scan].
const (
	firstStep  = 100 // the first step reads one in so many of what may be found,
	firstCells = 16  // and so many cells at least
	lastStep   = 64  // after so many hundredths the rest is read
	stale      = 20  // a step that brings one in so many of the results, or fewer, is the last;
	spread     = 8   // or, where less than spread/stale of all has been read, the share that was read divided by spread
	lateShare  = 8   // once one in so many is read, the mask is looked up for what is reported only
)

// CellReading is the working memory of a scan. The zero value is ready; keep one for many scans.
type CellReading struct {
	keys   []uint64 // of cells, by what they may hold
	best   TopK     // to part them with
	live   [MaxSlots / 64]uint64
	marked []uint64
}

// Scan pushes into top what [Kernels.ScanLikely] does for the slots that are set in mask, under the names first+place, but leaves out cells
// that hardly hold anything of it. It returns how many it estimated of how many that mask lets through.
//
// Cells are read in the order of what they can hold: the dot product of their mean and the query, and four standard deviations of what
// stands in them. After a hundredth of all that mask lets through, then after two hundredths, four and so on, it looks how many of the best
// that top keeps came with the last half: if that is one in twenty or fewer, and after little reading far fewer, what is left out would bring
// less still. So vectors in clusters are found in a few hundredths of all, and of vectors without clusters half is read, or all. A step is
// also so many cells that one odd cell does not decide. Nothing is left out before top is full, so everything is found where it has room
// for all.
//
// q and fine are the same rotated query.
func (c *Cells) Scan(k Kernels, r *CellReading, top *TopK, h *Hits, q *Query, fine *Int8Query, mask []uint64, first uint32) (read, all int) {
	for w, word := range mask[:min(len(mask), (c.covered+63)/64)] {
		if left := c.covered - w*64; left < 64 {
			word &= 1<<uint(left) - 1
		}
		all += bits.OnesCount64(word)
	}
	if all == 0 {
		return 0, 0
	}
	keys := r.rank(k, c, fine)
	goal, least := max(all/firstStep, 1), len(keys)-firstCells // entries to be read by the end of a step, and cells to be left over at most
	for step := 0; len(keys) > 0; step++ {
		for (read < goal || len(keys) > least) && len(keys) > 0 {
			share := max(1, (goal-read)*len(c.cells)/all, len(keys)-least)
			r.best.keys = keys
			n := r.best.selectLargest(min(share, len(keys)), share+share/4)
			for i, key := range keys[:n] {
				next := uint64(0)
				if i+1 < n {
					next = keys[i+1]
				}
				late := read*lateShare > all && !k.Sifts()
				n := c.scanCell(k, r, top, h, q, mask, late, uint32(key), uint32(next), first)
				if late {
					n = n * all / c.n
				}
				read += n
			}
			keys = keys[n:]
		}
		read = min(read, all)
		if step > 0 && r.fresh(top)*max(stale, spread*all/read) <= top.k {
			break
		}
		r.mark(top)
		least = 2*len(keys) - len(c.cells)
		if goal *= 2; goal > all*lastStep/100 {
			goal = all
		}
	}
	return read, all
}

// rank returns a key for each cell; that of a better one is larger.
func (r *CellReading) rank(k Kernels, c *Cells, fine *Int8Query) []uint64 {
	r.best.kernels = k
	r.keys = r.keys[:0]
	for i := range c.cells {
		score := c.means[i/MaxSlots].Score(k, i%MaxSlots, fine) + c.cells[i].reach
		r.keys = append(r.keys, keyOf(score, 0)&^math.MaxUint32|uint64(i))
	}
	return r.keys
}

// mark notes what top keeps.
func (r *CellReading) mark(top *TopK) {
	top.cut(0)
	r.marked = append(r.marked[:0], top.keys...)
}

// fresh returns how many of those that top keeps have come since the mark; as long as top is not full, all.
func (r *CellReading) fresh(top *TopK) int {
	top.cut(0)
	if top.floor == 0 {
		return max(top.k, 1)
	}
	n := top.k
	for _, key := range r.marked {
		if key >= top.floor {
			n--
		}
	}
	return n
}

// scanCell scans one cell, before another, and returns of how many slots that the mask lets through. live is what mask is in the order of
// cells; nil: that is made here, or, where late is set, looked up for what is reported only.
func (c *Cells) scanCell(k Kernels, r *CellReading, top *TopK, h *Hits, q *Query, mask []uint64, late bool, at, next, first uint32) (n int) {
	of := c.cells[at].chunks
	for i := of[0]; i < of[1]; i++ {
		ch := &c.chunks[i]
		words := LiveLen(ch.Slots())
		here := r.live[:words]
		if late {
			here = c.filled[ch.first/64:][:words]
		} else {
			c.gather(here, mask, ch.first)
		}
		some := 0
		for _, word := range here {
			some += bits.OnesCount64(word)
		}
		if n += some; some == 0 {
			continue
		}
		after := &c.chunks[c.cells[next].chunks[0]%uint32(len(c.chunks))]
		if i+1 < of[1] {
			after = &c.chunks[i+1]
		}
		if !late {
			k.ScanLikely(top, h, &ch.Bits, &after.Bits, q, here, 0, float32(math.Inf(-1)), first+ch.first)
			continue
		}
		clear(h.Mask[:])
		k.scan(h, &ch.Bits, &after.Bits, q, here, q.estimate(0, top.Threshold()))
		for w, word := range h.Mask[:words] {
			for ; word != 0; word &= word - 1 {
				p := w*64 + bits.TrailingZeros64(word)
				if s := c.slot[int(ch.first)+p]; mask[s>>6]>>(s&63)&1 != 0 {
					top.Push(h.Est[p], first+ch.first+uint32(p))
				}
			}
		}
		top.tighten()
	}
	return n
}

// gather sets dst to what mask says of the places from first on.
func (c *Cells) gather(dst, mask []uint64, first uint32) {
	for w := range dst {
		var word uint64
		from := int(first) + w*64
		for _, s := range c.slot[from : from+64] {
			word = word>>1 | mask[s>>6]>>(s&63)<<63
		}
		dst[w] = word & c.filled[from/64]
	}
}
