package postings

import "math"

// Ranked is an entry with its text score.
type Ranked struct {
	Score int64
	Part  int
	Slot  int
}

// Top keeps the best entries, in a heap whose root is the worst.
type Top struct {
	Worse func(a, b Ranked) bool // is a worse than b
	Heap  []Ranked
	k     int
}

// Reset empties t, which from now on keeps k.
func (t *Top) Reset(k int) { t.k, t.Heap = k, t.Heap[:0] }

// Threshold returns the score that a newcomer must at least have.
func (t *Top) Threshold() int64 {
	if len(t.Heap) == 0 || len(t.Heap) < t.k {
		return math.MinInt64 / 2
	}
	return t.Heap[0].Score
}

// Push offers an entry.
func (t *Top) Push(r Ranked) {
	h := t.Heap
	if len(h) < t.k {
		h = append(h, r)
		t.Heap = h
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if !t.Worse(h[i], h[up]) {
				break
			}
			h[i], h[up] = h[up], h[i]
			i = up
		}
		return
	}
	if t.k == 0 || !t.Worse(h[0], r) {
		return
	}
	h[0] = r
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && t.Worse(h[c+1], h[c]) {
			c++
		}
		if !t.Worse(h[c], h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}
