package postings

import (
	"encoding/binary"
	"math"
)

// Cursor walks the postings of one query term in one segment, a block of slots at a time. Slots are relative to the segment.
type Cursor struct {
	Slots  [postingsBlock]uint32 // of the current block, once it is loaded
	Counts [postingsBlock]uint32 // how often the term is there
	I, N   int                   // where it stands in the block, and how many there are
	Weight float64               // see [Score]
	Bound  int64                 // the most that the term adds in the current window

	seg    *Segment
	table  []byte
	body   []byte
	blocks int
	rest   int // postings in all
	blk    int // the current block
	loaded bool
	whole  int64   // the most that the term adds anywhere
	factor float64 // from an impact to a bound
}

// Open sets the cursor to the start of the postings at place i of a segment (see [Segment.Find]).
func (c *Cursor) Open(s *Segment, i int, weight, avg float64) {
	c.seg, c.Weight = s, weight
	c.table, c.body = nil, nil
	c.blk, c.loaded, c.I, c.N = 0, false, 0, 0
	if at := s.Offset[i]; at >= alone {
		c.blocks, c.rest, c.loaded, c.N = 1, 1, true, 1
		c.Slots[0], c.Counts[0] = at&(1<<aloneShift-1), at>>aloneShift&aloneCount
	} else {
		n, data := Uvarint(s.Data[at:])
		c.rest, c.body = int(n), data
		c.blocks = (c.rest + postingsBlock - 1) / postingsBlock
		if c.blocks > 1 {
			c.table, c.body = data[:c.blocks*skipEntry], data[c.blocks*skipEntry:]
		}
	}
	c.factor = weight * ScoreScale * max(1, avg/s.RefAvg) * (1 + 1e-9)
	c.whole = int64(c.factor*(float64(s.Impact[i])/255+1e-9)) + 2
	c.Bound = c.whole
}

// Close lets go of the segment.
func (c *Cursor) Close() { c.seg, c.table, c.body = nil, nil, nil }

// last returns the last slot of a block.
func (c *Cursor) last(blk int) uint32 {
	if c.table == nil {
		return math.MaxUint32
	}
	return binary.LittleEndian.Uint32(c.table[blk*skipEntry:])
}

// Window sets Bound to the most that the term can add to a slot of [from, to).
func (c *Cursor) Window(from, to uint32) {
	if c.table == nil {
		c.Bound = c.whole
		if c.blk >= c.blocks {
			c.Bound = 0
		}
		return
	}
	best := float32(0)
	c.Skip(from)
	for b := c.blk; b < c.blocks; b++ {
		best = max(best, math.Float32frombits(binary.LittleEndian.Uint32(c.table[b*skipEntry+8:])))
		if c.last(b) >= to-1 {
			break
		}
	}
	c.Bound = 0
	if best > 0 {
		c.Bound = int64(c.factor*float64(best)) + 2
	}
}

// Skip moves to the first block that may hold slots from on.
func (c *Cursor) Skip(from uint32) {
	for c.blk < c.blocks && c.last(c.blk) < from {
		c.blk++
		c.loaded = false
	}
}

// Load makes sure that the current block is decoded. It reports false behind the last one.
func (c *Cursor) Load() bool {
	if c.blk >= c.blocks {
		return false
	}
	if !c.loaded {
		c.load()
	}
	return true
}

// Advance moves to the next block.
func (c *Cursor) Advance() {
	c.blk++
	c.loaded = false
}

// load decodes the current block.
func (c *Cursor) load() {
	start, base := 0, int64(-1)
	if c.table != nil && c.blk > 0 {
		start = int(binary.LittleEndian.Uint32(c.table[(c.blk-1)*skipEntry+4:]))
		base = int64(c.last(c.blk - 1))
	}
	c.N = min(postingsBlock, c.rest-c.blk*postingsBlock)
	b, slot := c.body[start:], uint32(base)
	for i := range c.N {
		var d uint32
		if x := b[0]; x < 0x80 {
			d, b = uint32(x), b[1:]
		} else {
			d, b = Uvarint(b)
		}
		slot += d >> 1
		c.Slots[i] = slot
		c.Counts[i] = 1
		if d&1 != 0 {
			c.Counts[i], b = Uvarint(b)
		}
	}
	c.I, c.loaded = 0, true
}

// stride is how many postings of a block are stepped over at a time.
const stride = 7

// Seek moves to the first posting at or behind slot and reports whether it is there. Slots must not go back.
func (c *Cursor) Seek(slot uint32) bool {
	c.Skip(slot)
	for c.Load() {
		for c.I+stride < c.N && c.Slots[c.I+stride] < slot {
			c.I += stride + 1
		}
		for c.I < c.N && c.Slots[c.I] < slot {
			c.I++
		}
		if c.I < c.N {
			return c.Slots[c.I] == slot
		}
		c.Advance()
	}
	return false
}

// Score is what the term adds to the score of the posting at I, which is in slot.
func (c *Cursor) Score(slot uint32, n Norm) int64 {
	return Score(c.Weight, c.Counts[c.I], c.seg.DL[slot], n)
}
