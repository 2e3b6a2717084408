package postings

import (
	"cmp"
	"math/bits"
	"slices"
)

// windowSlots is how many slots are scored at a time.
const windowSlots = 2048

// Sink takes what a walk finds.
type Sink interface {
	Threshold() int64              // the score that a newcomer must at least have
	Push(slot uint32, score int64) // one that has it
}

// Walker scores segments term by term, a window of slots at a time, and leaves out what cannot come among the best (MaxScore,
// H. Turtle and J. Flood 1995, with the block maxima of Ding and Suel 2011). The zero value is ready; it may be used again.
type Walker struct {
	cursors []*Cursor
	norm    Norm
	mask    []uint64
	sink    Sink
	seen    [windowSlots / 64]uint64
	acc     [windowSlots]int64
}

// Walk scores the slots of a segment that are in mask, a bitmap over all slots. Every slot whose score is at least the threshold
// gets pushed; avg is the mean number of terms, places is what [Segment.Places] says.
func (w *Walker) Walk(seg *Segment, set *TermSet, places []int32, avg float64, mask []uint64, sink Sink) {
	n := 0
	for i := range set.Terms {
		at := int(places[i])
		if at < 0 {
			continue
		}
		if n == len(w.cursors) {
			w.cursors = append(w.cursors, new(Cursor))
		}
		w.cursors[n].Open(seg, at, set.Terms[i].Weight, avg)
		n++
	}
	if n == 0 {
		return
	}
	w.norm, w.mask, w.sink = NormOf(avg), mask, sink
	cs := w.cursors[:n]
	most := int64(0)
	for _, c := range cs {
		most += c.Bound
	}
	if most < sink.Threshold() {
		return
	}
	size := seg.Hi - seg.Lo
	for from := uint32(0); from < size; from += windowSlots {
		to := min(from+windowSlots, size)
		for _, c := range cs {
			c.Window(from, to)
		}
		slices.SortFunc(cs, byBound)
		w.window(seg, cs, from, to)
	}
}

// Close lets go of what was walked.
func (w *Walker) Close() {
	w.mask, w.sink = nil, nil
	for _, c := range w.cursors {
		c.Close()
	}
}

func byBound(a, b *Cursor) int { return cmp.Compare(a.Bound, b.Bound) }

func (w *Walker) window(seg *Segment, cs []*Cursor, from, to uint32) {
	threshold := w.sink.Threshold()
	// Terms before first cannot lift a slot to the threshold by themselves, not even together.
	first, rest := 0, int64(0)
	for first < len(cs) && rest+cs[first].Bound < threshold {
		rest += cs[first].Bound
		first++
	}
	if first == len(cs) {
		return
	}
	for _, c := range cs[first:] {
		if c.Bound > 0 {
			w.accumulate(seg, c, from, to)
		}
	}
	for at := range w.seen[:(to-from+63)/64] {
		word := w.seen[at]
		w.seen[at] = 0
		for ; word != 0; word &= word - 1 {
			i := uint32(at*64 + bits.TrailingZeros64(word))
			sum := w.acc[i]
			w.acc[i] = 0
			slot, left := from+i, rest
			for j := first - 1; j >= 0 && sum+left >= threshold; j-- {
				c := cs[j]
				left -= c.Bound
				if c.Bound > 0 && c.Seek(slot) {
					sum += c.Score(slot, w.norm)
				}
			}
			if sum+left >= threshold {
				w.sink.Push(seg.Lo+slot, sum)
				threshold = w.sink.Threshold()
			}
		}
	}
}

// accumulate adds the scores of one term to the slots of the window that are in the mask.
func (w *Walker) accumulate(seg *Segment, c *Cursor, from, to uint32) {
	for c.Skip(from); c.Load(); c.Advance() {
		i, slots := c.I, c.Slots[:c.N]
		for ; i < len(slots); i++ {
			slot := slots[i]
			if slot < from {
				continue
			}
			if slot >= to {
				c.I = i
				return
			}
			if at := seg.Lo + slot; w.mask[at>>6]>>(at&63)&1 == 0 {
				continue
			}
			n := slot - from
			w.seen[n>>6] |= 1 << (n & 63)
			w.acc[n] += Score(c.Weight, c.Counts[i], seg.DL[slot], w.norm)
		}
		c.I = i
	}
}
