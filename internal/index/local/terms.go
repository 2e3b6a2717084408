package local

import (
	"slices"

	"github.com/lukasa-memory/lukasa/internal/postings"
)

// Has implements [postings.Source].
func (v *view) Has(slot int) (entry, latest bool) {
	latest = has(v.live, slot)
	return latest || has(v.old, slot), latest
}

// Length implements [postings.Source].
func (v *view) Length(slot int) uint16 {
	return v.blocks[slot>>blockShift].rows[slot&(blockSlots-1)].dl
}

// Occurrences implements [postings.Source].
func (v *view) Occurrences(dst []uint32, slot int) []uint32 {
	dst = v.terms(dst, slot)
	slices.Sort(dst)
	return dst
}

// terms appends the terms of a slot as they stand in the entry.
func (v *view) terms(dst []uint32, slot int) []uint32 { return postings.Terms(dst, v.forward(slot)) }

// distinct appends the terms of a slot, each once, in the order of their numbers.
func (v *view) distinct(dst []uint32, slot int) []uint32 {
	return slices.Compact(v.Occurrences(dst, slot))
}

// buildSegment makes the segment of the slots [lo, hi). terms is the number of terms of the dictionary.
func (v *view) buildSegment(lo, hi, terms int) *postings.Segment {
	avg := 1.0
	if v.count > 0 && v.total > 0 {
		avg = float64(v.total) / float64(v.count)
	}
	return postings.Build(v, lo, hi, terms, avg)
}

// seal puts the slots before n that are not in a segment yet into one.
func (c *core) seal(n int) {
	if n <= c.sealed {
		return
	}
	c.segs = append(slices.Clone(c.segs), c.buildSegment(c.sealed, n, c.dict.Len()))
	c.sealed = n
}

// replace puts a merged segment, built from a view of c, in the place of those that it covers.
func (c *core) replace(v *view, m *postings.Segment) {
	for slot := int(m.Lo); slot < int(m.Hi); slot++ {
		if has(v.live, slot) && !has(c.live, slot) {
			c.terms = c.distinct(c.terms[:0], slot)
			m.Forget(c.terms)
		}
	}
	c.segs = postings.Replace(c.segs, m)
}
