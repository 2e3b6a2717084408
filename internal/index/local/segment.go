package local

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"sync/atomic"
)

// BM25's constants, and the factor that makes scores whole numbers: sums of these do not depend on the order in which they
// are added up, so that equal entries have equal scores whichever way they were found.
const (
	k1         = 1.2
	lengthB    = 0.75
	scoreScale = 1 << 30
)

// segment is the inverted index of the slots [lo, hi). It does not change but for its counters.
//
// The postings of a term are their number, dead ones included, as a varint, and then blocks of 128 slots, each slot as a varint of its distance to the one before (the first to
// lo-1) << 1, with the lowest bit set when the term is there more than once and its count follows. If there is more than one block, a
// table comes first: for each the last slot minus lo (4 bytes), where it ends behind the table (4) and its impact (4).
type segment struct {
	lo, hi uint32
	terms  []uint32 // in order
	offset []uint32 // of each term in data, and where data ends
	latest []atomic.Int32
	impact []uint8 // the most that tf/(tf+norm) can be, at the average length refAvg, in steps of 1/255
	data   []byte
	dl     []uint16
	refAvg float64
}

const (
	postingsBlock = 128
	skipEntry     = 12
)

func segmentOf(segs []*segment, slot int) *segment {
	i := sort.Search(len(segs), func(i int) bool { return int(segs[i].hi) > slot })
	return segs[i]
}

// find returns the place of a term, or -1.
func (s *segment) find(term uint32) int {
	lo, hi := 0, len(s.terms)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if s.terms[m] < term {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(s.terms) && s.terms[lo] == term {
		return lo
	}
	return -1
}

// forget counts one latest entry less for each of the terms.
func (s *segment) forget(terms []uint32) {
	for _, t := range terms {
		if i := s.find(t); i >= 0 {
			s.latest[i].Add(-1)
		}
	}
}

func (s *segment) bytes() int64 {
	return int64(len(s.terms)*13 + len(s.data) + len(s.dl)*2)
}

// norm returns what is added to tf in the denominator for an entry of dl terms.
func norm(dl uint16, avg float64) float64 {
	return k1*(1-lengthB) + k1*lengthB*float64(dl)/avg
}

type posting struct {
	slot uint32
	tf   uint32
}

// buildSegment makes the segment of the slots [lo, hi) of a view from their terms. terms is the number of terms of the
// dictionary.
func buildSegment(v *view, lo, hi, terms int) *segment {
	s := &segment{lo: uint32(lo), hi: uint32(hi), dl: make([]uint16, hi-lo), refAvg: 1}
	if v.count > 0 && v.total > 0 {
		s.refAvg = float64(v.total) / float64(v.count)
	}
	// Count, then place: the postings come out ordered by term and slot without sorting.
	starts := make([]uint32, terms+1)
	var scratch []uint32
	each := func(fn func(slot int, scratch []uint32)) {
		for slot := lo; slot < hi; slot++ {
			if has(v.live, slot) || has(v.old, slot) {
				scratch = v.occurrences(scratch[:0], slot)
				fn(slot, scratch)
			}
		}
	}
	each(func(slot int, ts []uint32) {
		s.dl[slot-lo] = v.blocks[slot>>blockShift].rows[slot&(blockSlots-1)].dl
		for i, t := range ts {
			if i == 0 || ts[i-1] != t {
				starts[t+1]++
			}
		}
	})
	used := 0
	for t := range terms {
		if starts[t+1] > 0 {
			used++
		}
		starts[t+1] += starts[t]
	}
	all := make([]posting, starts[terms])
	next := slices.Clone(starts[:terms])
	each(func(slot int, ts []uint32) {
		for i := 0; i < len(ts); {
			j := i + 1
			for j < len(ts) && ts[j] == ts[i] {
				j++
			}
			all[next[ts[i]]] = posting{uint32(slot), uint32(j - i)}
			next[ts[i]]++
			i = j
		}
	})
	s.terms, s.offset = make([]uint32, 0, used), make([]uint32, 0, used+1)
	s.latest, s.impact = make([]atomic.Int32, used), make([]uint8, 0, used)
	for t := range terms {
		if list := all[starts[t]:starts[t+1]]; len(list) > 0 {
			s.add(v, uint32(t), list)
		}
	}
	s.offset = append(s.offset, uint32(len(s.data)))
	s.data = slices.Clip(slices.Clone(s.data))
	return s
}

// occurrences appends the terms of a slot in order, each as often as it is there.
func (v *view) occurrences(dst []uint32, slot int) []uint32 {
	n, b := uvarint(v.forward(slot))
	for range n {
		var t uint32
		t, b = uvarint(b)
		if t&1 != 0 {
			_, b = uvarint(b)
		}
		dst = append(dst, t>>1)
	}
	slices.Sort(dst)
	return dst
}

// add appends the postings of one term.
func (s *segment) add(v *view, term uint32, list []posting) {
	i := len(s.terms)
	s.terms, s.offset = append(s.terms, term), append(s.offset, uint32(len(s.data)))
	s.data = binary.AppendUvarint(s.data, uint64(len(list)))
	latest := int32(0)
	for _, p := range list {
		if has(v.live, int(p.slot)) {
			latest++
		}
	}
	s.latest[i].Store(latest)
	blocks := (len(list) + postingsBlock - 1) / postingsBlock
	table := len(s.data)
	if blocks > 1 {
		s.data = append(s.data, make([]byte, blocks*skipEntry)...)
	}
	body := len(s.data)
	last, best := int64(s.lo)-1, 0.0
	for bi := range blocks {
		impact := 0.0
		part := list[bi*postingsBlock : min(len(list), (bi+1)*postingsBlock)]
		for _, p := range part {
			d := uint64(int64(p.slot)-last) << 1
			if p.tf > 1 {
				s.data = binary.AppendUvarint(binary.AppendUvarint(s.data, d|1), uint64(p.tf))
			} else {
				s.data = binary.AppendUvarint(s.data, d)
			}
			last = int64(p.slot)
			tf := float64(p.tf)
			impact = max(impact, tf/(tf+norm(s.dl[p.slot-s.lo], s.refAvg)))
		}
		best = max(best, impact)
		if blocks > 1 {
			e := s.data[table+bi*skipEntry:]
			binary.LittleEndian.PutUint32(e, uint32(last)-s.lo)
			binary.LittleEndian.PutUint32(e[4:], uint32(len(s.data)-body))
			binary.LittleEndian.PutUint32(e[8:], math.Float32bits(roundUp(impact)))
		}
	}
	s.impact = append(s.impact, uint8(math.Ceil(best*255)))
}

func roundUp(x float64) float32 { return math.Nextafter32(float32(x), 2) }

// seal puts the slots before n that are not in a segment yet into one.
func (c *core) seal(n int) {
	if n <= c.sealed {
		return
	}
	c.segs = append(slices.Clone(c.segs), buildSegment(&c.view, c.sealed, n, c.dict.len()))
	c.sealed = n
}

// mergeable returns which of the last segments should become one, or first = len(segs)-1 where none should: a segment is
// never smaller than those behind it, so that every slot is rewritten a logarithmic number of times.
func mergeable(segs []*segment) (first int) {
	first = len(segs) - 1
	for first > 0 && (segs[first-1].hi-segs[first-1].lo) <= segs[len(segs)-1].hi-segs[first].lo {
		first--
	}
	return first
}

// replace puts a merged segment, built from a view of c, in the place of those that it covers.
func (c *core) replace(v *view, m *segment) {
	for slot := int(m.lo); slot < int(m.hi); slot++ {
		if has(v.live, slot) && !has(c.live, slot) {
			c.terms = c.distinct(c.terms[:0], slot)
			m.forget(c.terms)
		}
	}
	var segs []*segment
	placed := false
	for _, s := range c.segs {
		switch {
		case s.lo < m.lo || s.lo >= m.hi:
			segs = append(segs, s)
		case !placed:
			segs, placed = append(segs, m), true
		}
	}
	c.segs = segs
}

// cursor walks the postings of one query term in one segment.
type cursor struct {
	seg    *segment
	table  []byte
	body   []byte
	blocks int
	rest   int // postings from the current block on
	blk    int // the current block
	loaded bool
	i, n   int
	term   int     // which query term
	weight float64 // idf * (k1 + 1) * how often the query has it
	bound  int64   // the most that the term adds in the current window
	factor float64 // from an impact to a bound
	slots  [postingsBlock]uint32
	tfs    [postingsBlock]uint32
}

// open sets the cursor to the start of the postings at place i.
func (c *cursor) open(s *segment, i, term int, weight, avg float64) {
	n, data := uvarint(s.data[s.offset[i]:s.offset[i+1]])
	c.seg, c.term, c.weight = s, term, weight
	c.rest = int(n)
	c.blocks = (c.rest + postingsBlock - 1) / postingsBlock
	c.table, c.body = nil, data
	if c.blocks > 1 {
		c.table, c.body = data[:c.blocks*skipEntry], data[c.blocks*skipEntry:]
	}
	c.blk, c.loaded, c.i, c.n = 0, false, 0, 0
	c.factor = weight * scoreScale * max(1, avg/s.refAvg) * (1 + 1e-9)
	c.bound = int64(c.factor*(float64(s.impact[i])/255+1e-9)) + 2
}

// last returns the last slot of a block, relative to the segment.
func (c *cursor) last(blk int) uint32 {
	if c.table == nil {
		return math.MaxUint32
	}
	return binary.LittleEndian.Uint32(c.table[blk*skipEntry:])
}

// window sets bound to the most that the term can add to a slot of [from, to), both relative to the segment.
func (c *cursor) window(whole int64, from, to uint32) {
	if c.table == nil {
		c.bound = whole
		if c.blk >= c.blocks {
			c.bound = 0
		}
		return
	}
	best := float32(0)
	c.skip(from)
	for b := c.blk; b < c.blocks; b++ {
		best = max(best, math.Float32frombits(binary.LittleEndian.Uint32(c.table[b*skipEntry+8:])))
		if c.last(b) >= to-1 {
			break
		}
	}
	c.bound = 0
	if best > 0 {
		c.bound = int64(c.factor*float64(best)) + 2
	}
}

// skip moves to the first block that may hold slots from on.
func (c *cursor) skip(from uint32) {
	for c.blk < c.blocks && c.last(c.blk) < from {
		c.blk++
		c.loaded = false
	}
}

// load decodes the current block.
func (c *cursor) load() {
	start, base := 0, int64(-1)
	if c.table != nil && c.blk > 0 {
		start = int(binary.LittleEndian.Uint32(c.table[(c.blk-1)*skipEntry+4:]))
		base = int64(c.last(c.blk - 1))
	}
	c.n = min(postingsBlock, c.rest-c.blk*postingsBlock)
	b, slot := c.body[start:], uint32(base)
	for i := range c.n {
		var d uint32
		if x := b[0]; x < 0x80 {
			d, b = uint32(x), b[1:]
		} else {
			d, b = uvarint(b)
		}
		slot += d >> 1
		c.slots[i] = slot
		c.tfs[i] = 1
		if d&1 != 0 {
			c.tfs[i], b = uvarint(b)
		}
	}
	c.i, c.loaded = 0, true
}

// seek moves to the first posting at or behind slot and reports whether it is there. Slots are relative to the segment and
// must not go back.
func (c *cursor) seek(slot uint32) bool {
	c.skip(slot)
	for c.blk < c.blocks {
		if !c.loaded {
			c.load()
		}
		for c.i < c.n && c.slots[c.i] < slot {
			c.i++
		}
		if c.i < c.n {
			return c.slots[c.i] == slot
		}
		c.blk++
		c.loaded = false
	}
	return false
}
