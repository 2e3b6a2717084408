package local

import (
	"slices"

	"github.com/lukasa-memory/lukasa/internal/postings"
)

// Has implements [postings.Source].
func (v *View) Has(slot int) (entry, latest bool) {
	latest = Has(v.Live, slot)
	return latest || Has(v.Old, slot), latest
}

// Length implements [postings.Source].
func (v *View) Length(slot int) uint16 {
	return v.Blocks[slot>>BlockShift].Rows[slot&(BlockSlots-1)].DL
}

// occurrences appends the terms of a slot in the order of their numbers.
func (v *View) occurrences(dst []uint32, slot int) []uint32 {
	dst = v.Terms(dst, slot)
	slices.Sort(dst)
	return dst
}

// Terms appends the terms of a slot as they stand in the entry.
func (v *View) Terms(dst []uint32, slot int) []uint32 { return postings.Terms(dst, v.Forward(slot)) }

// distinct appends the terms of a slot, each once, in the order of their numbers.
func (v *View) distinct(dst []uint32, slot int) []uint32 {
	return slices.Compact(v.occurrences(dst, slot))
}

// BuildSegment makes the segment of the slots [lo, hi). terms is the number of terms of the dictionary.
func (v *View) BuildSegment(lo, hi, terms int) *postings.Segment {
	avg := 1.0
	if v.Count > 0 && v.Total > 0 {
		avg = float64(v.Total) / float64(v.Count)
	}
	return v.Dict.Build(v, lo, hi, terms, avg)
}

// seal puts the slots before n that are not in a segment yet into one.
func (c *Core) seal(n int) {
	if n <= c.Sealed {
		return
	}
	c.Segs = append(slices.Clone(c.Segs), c.BuildSegment(c.Sealed, n, c.Dict.Len()))
	c.Sealed, c.tailed, c.Tail = n, n, nil
}

// maxTail is the number of postings from which a tail becomes a segment although its entries are few.
const maxTail = 1 << 18

// Follow brings the text index up to what has been written, before that is published.
func (c *Core) Follow() {
	if c.N-c.Sealed >= c.sealAt {
		c.seal(c.N)
	}
	for ; c.tailed < c.N; c.tailed++ {
		if c.Tail == nil {
			c.Tail = postings.NewTail()
		}
		if entry, _ := c.Has(c.tailed); entry {
			c.terms = c.occurrences(c.terms[:0], c.tailed)
			c.Tail.Add(uint32(c.tailed), c.terms)
		}
	}
	if c.Tail != nil && c.Tail.Size() > maxTail {
		c.seal(c.N)
	}
}

// Replace puts a merged segment, built from a view of c, in the place of those that it covers.
func (c *Core) Replace(v *View, m *postings.Segment) {
	for slot := int(m.Lo); slot < int(m.Hi); slot++ {
		if Has(v.Live, slot) && !Has(c.Live, slot) {
			c.terms = c.distinct(c.terms[:0], slot)
			m.Forget(c.terms)
		}
	}
	c.Segs = postings.Replace(c.Segs, m)
}
