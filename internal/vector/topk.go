package vector

import (
	"math"
	"math/bits"
	"slices"
)

// Scored is a result: a score and the name of the slot that has it.
type Scored struct {
	Score float32
	Slot  uint32
}

// TopK keeps the k best of the results pushed to it: those with the highest scores, and of equal scores those with the
// lowest slots. What it keeps does not depend on the order of the pushes. It collects more than k results and now and
// then throws the worst away, which is cheaper than a heap. Make it with [NewTopK]; it is for one goroutine at a time.
type TopK struct {
	k     int
	keys  []uint64 // score in the upper half, slot complemented in the lower, so that a better result is a larger key
	floor uint64   // k keys at least are not below it, so no key below is wanted; 0 as long as there are not that many

	kernels Kernels
	rest    []uint64 // memory of partition
}

// slack is the least number of results that a collector takes in between two cuts.
const slack = 512

// NewTopK makes a collector of the k best with the default kernels. For k below 1 it keeps nothing.
func NewTopK(k int) *TopK { return Default().NewTopK(k) }

// NewTopK makes a collector of the n best. For n below 1 it keeps nothing.
func (k Kernels) NewTopK(n int) *TopK {
	t := &TopK{kernels: k}
	t.Reset(n)
	return t
}

// Reset empties t and sets k, keeping its memory where that suffices.
func (t *TopK) Reset(k int) {
	t.k, t.floor = max(k, 0), 0
	if size := t.k + max(t.k, slack); cap(t.keys) < size {
		t.keys = make([]uint64, 0, size)
	}
	t.keys = t.keys[:0]
	if t.k == 0 {
		t.floor = math.MaxUint64
	}
}

// Push offers a result. Each slot should come once only; NaN is not taken.
func (t *TopK) Push(score float32, slot uint32) {
	key := keyOf(score, slot)
	if key <= t.floor || score != score {
		return
	}
	t.keys = append(t.keys, key)
	if len(t.keys) == cap(t.keys) {
		t.cut(t.k / 4)
	}
}

// take pushes what a scan has reported, none of which is NaN: slot s under the name first+s.
func (t *TopK) take(h *Hits, words int, first uint32) {
	slots := h.slots[:t.kernels.list(&h.slots, h.Mask[:words])]
	n := len(t.keys)
	t.keys = slices.Grow(t.keys, len(slots))[:n+len(slots)]
	keys := t.keys[n:][:len(slots)]
	for i, slot := range slots {
		keys[i] = keyOf(h.Est[slot&(MaxSlots-1)], first+uint32(slot))
	}
	t.tighten()
}

// listGo fills slots with the places of the bits that are set, and returns how many these are.
func listGo(slots *[MaxSlots]uint16, mask []uint64) (n int) {
	for w, word := range mask {
		for ; word != 0; word &= word - 1 {
			slots[n&(MaxSlots-1)] = uint16(w*64 + bits.TrailingZeros64(word))
			n++
		}
	}
	return n
}

// Threshold returns a score below which no result will be kept: negative infinity as long as too few are known. A
// result with just this score may still be kept, by its slot.
func (t *TopK) Threshold() float32 {
	if t.floor == 0 {
		return float32(math.Inf(-1))
	}
	if t.k == 0 {
		return float32(math.Inf(1))
	}
	return scoreOf(t.floor)
}

// Len returns how many results t keeps: at most k.
func (t *TopK) Len() int { return min(len(t.keys), t.k) }

// Append appends the kept results to dst, the best first, and returns it.
func (t *TopK) Append(dst []Scored) []Scored {
	t.cut(0)
	slices.Sort(t.keys)
	dst = slices.Grow(dst, len(t.keys))
	for _, key := range slices.Backward(t.keys) {
		dst = append(dst, Scored{Score: scoreOf(key), Slot: ^uint32(key)})
	}
	return dst
}

// AppendUnsorted appends the kept results to dst in no order and returns it; it is cheaper than Append.
func (t *TopK) AppendUnsorted(dst []Scored) []Scored {
	t.cut(0)
	dst = slices.Grow(dst, len(t.keys))
	for _, key := range t.keys {
		dst = append(dst, Scored{Score: scoreOf(key), Slot: ^uint32(key)})
	}
	return dst
}

// AppendParted appends the kept results to dst in no order but that n of them, or a few more, which are better than all others come
// first, and returns it and how many these are.
func (t *TopK) AppendParted(dst []Scored, n int) (all []Scored, best int) {
	t.cut(0)
	best = t.selectLargest(max(n, 1), max(n, 1)*5/4+2)
	return t.AppendUnsorted(dst), best
}

// Worst returns the score of the worst of the k that t keeps; negative infinity as long as it keeps fewer.
func (t *TopK) Worst() float32 {
	t.cut(0)
	return t.Threshold()
}

// tighten raises the threshold when so many results have come in since the last cut that it pays.
func (t *TopK) tighten() {
	if n := len(t.keys); n > 2*t.k || n >= t.k && t.floor == 0 {
		t.cut(t.k / 4)
	}
}

// cut throws all but the k largest keys away; it may leave up to extra more.
func (t *TopK) cut(extra int) {
	if len(t.keys) < t.k || t.k == 0 {
		return
	}
	t.keys = t.keys[:t.selectLargest(t.k, t.k+extra)]
	t.floor = slices.Min(t.keys)
}

// selectLargest moves the n largest keys to the front for some n of low..high, and returns n, or their number when that is
// at most high. It is C. A. R. Hoare's Find with a sampled pivot (as in R. Floyd and R. Rivest, "Expected Time Bounds for
// Selection", CACM 1975) and a partition without branches to mispredict.
func (t *TopK) selectLargest(low, high int) int {
	keys := t.keys
	from, to := 0, len(keys) // keys[:from] are above the others, keys[to:] below
	if to <= high {
		return to
	}
	t.rest = resize(t.rest, to+7)
	for {
		part := keys[from:to]
		pivot := sample(part, (low+high)/2-from)
		n := t.kernels.partition(part, pivot, t.rest)
		if n == 0 { // the pivot is the largest
			n = t.kernels.partition(part, pivot-1, t.rest)
			if from+n >= low {
				return low
			}
		}
		switch at := from + n; {
		case at < low:
			from = at
		case at > high:
			to = at
		default:
			return at
		}
	}
}

// partition moves the keys above pivot to the front and returns their number.
func partition(keys []uint64, pivot uint64) (n int) {
	for i, key := range keys {
		keys[i], keys[n] = keys[n], key
		_, above := bits.Sub64(pivot, key, 0)
		n += int(above)
	}
	return n
}

// sample returns one of keys that is likely to have about rank larger ones.
func sample(keys []uint64, rank int) uint64 {
	var s [7]uint64
	n := 1
	if len(keys) >= 14 {
		n = len(s)
	} else if len(keys) >= 3 {
		n = 3
	}
	for i := range n {
		x := keys[(2*i+1)*len(keys)/(2*n)]
		j := i
		for ; j > 0 && s[j-1] < x; j-- {
			s[j] = s[j-1]
		}
		s[j] = x
	}
	return s[min(rank*n/len(keys), n-1)]
}

// keyOf maps a result to a number that is larger when the result is better; 0 comes only of a NaN.
func keyOf(score float32, slot uint32) uint64 {
	f := math.Float32bits(score + 0) // makes -0 into +0
	f ^= uint32(int32(f)>>31) | 1<<31
	return uint64(f)<<32 | uint64(^slot)
}

func scoreOf(key uint64) float32 {
	f := uint32(key >> 32)
	return math.Float32frombits(f ^ (^uint32(int32(f)>>31) | 1<<31))
}
