package postings

import (
	"math/bits"
	"sort"
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
	whole   []int64
	avg     float64
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
			w.cursors, w.whole = append(w.cursors, new(Cursor)), append(w.whole, 0)
		}
		w.cursors[n].Open(seg, at, set.Terms[i].Weight, avg)
		n++
	}
	if n == 0 {
		return
	}
	w.avg, w.mask, w.sink = avg, mask, sink
	cs := w.cursors[:n]
	whole := w.whole[:n]
	for i, c := range cs {
		whole[i] = c.Bound
	}
	byBound := boundOrder{cs, whole}
	size := seg.Hi - seg.Lo
	for from := uint32(0); from < size; from += windowSlots {
		to := min(from+windowSlots, size)
		for i, c := range cs {
			c.Window(whole[i], from, to)
		}
		sort.Sort(byBound)
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

// boundOrder sorts cursors by their bounds, the least first.
type boundOrder struct {
	cs    []*Cursor
	whole []int64
}

func (o boundOrder) Len() int           { return len(o.cs) }
func (o boundOrder) Less(i, j int) bool { return o.cs[i].Bound < o.cs[j].Bound }
func (o boundOrder) Swap(i, j int) {
	o.cs[i], o.cs[j] = o.cs[j], o.cs[i]
	o.whole[i], o.whole[j] = o.whole[j], o.whole[i]
}

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
	for at := range w.seen {
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
					sum += c.Score(slot, w.avg)
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
	c.Skip(from)
	for ; c.Load(); c.Advance() {
		for ; c.I < c.N; c.I++ {
			slot := c.Slots[c.I]
			if slot < from {
				continue
			}
			if slot >= to {
				return
			}
			at := seg.Lo + slot
			if w.mask[at>>6]>>(at&63)&1 == 0 {
				continue
			}
			i := slot - from
			w.seen[i>>6] |= 1 << (i & 63)
			w.acc[i] += c.Score(slot, w.avg)
		}
	}
}
