package rank

import "math"

// Shares of the neighbours' vectors: one before, one behind, two before, two behind.
var meaningShare = [4]float32{.6, .3, .24, .12}

// topic sums up the vectors of a session.
type topic struct{ dot, pair, n, pairs float32 }

// meaning measures the cosine of each candidate, smoothed over its neighbours, and of its session.
func (w *work) meaning() {
	s, v := w.s, &w.vec
	if s.Dot == nil {
		return
	}
	n := len(s.Items)
	v.query, v.pair = zeroed(v.query, n), zeroed(v.pair, n)
	for i := range s.Items {
		v.pair[i] = [4]float32{unknown, unknown, unknown, unknown}
		if s.Items[i].Vector {
			v.query[i] = s.Dot(-1, i)
		}
	}
	for i := range s.Candidates {
		if s.Items[i].Vector {
			w.rows[i][SignMeaning] = w.smoothed(i)
		}
	}
	w.topics()
	by := float32(1)
	if s.Spread > 0 {
		by = builtinSpread / s.Spread
	}
	if s.Trust > 0 {
		by *= min(1, s.Trust)
	}
	if by != 1 {
		for i := range w.rows {
			w.rows[i][SignMeaning] *= by
			w.rows[i][SignTopic] *= by
		}
	}
}

// builtinSpread is Near - Related of the embedding space that the weights were fitted in.
const builtinSpread = 0.55

// smoothed is the cosine between the query and the sum of an item's vector and shares of its neighbours'.
func (w *work) smoothed(i int) float32 {
	a := &w.around[i]
	at := [5]int32{a[2], a[0], int32(i), a[1], a[3]}
	share := [5]float32{meaningShare[2], meaningShare[0], 1, meaningShare[1], meaningShare[3]}
	var dot, square float32
	for x, o := range at {
		if o < 0 || !w.s.Items[o].Vector {
			at[x] = -1
			continue
		}
		dot += share[x] * w.vec.query[o]
		square += share[x] * share[x]
		for y := range x {
			if at[y] >= 0 {
				square += 2 * share[x] * share[y] * w.pairOf(at[y], o, x-y)
			}
		}
	}
	if square < 1e-9 {
		return 0
	}
	return dot / float32(math.Sqrt(float64(square)))
}

// unknown stands for a cosine that has not been computed.
const unknown = -2

// pairOf returns the cosine between two items of a session of which b stands by, from 1 to 4, behind a.
func (w *work) pairOf(a, b int32, by int) float32 {
	p := &w.vec.pair[a][by-1]
	if *p == unknown {
		*p = w.s.Dot(int(a), int(b))
	}
	return *p
}

// topics estimates the cosine between the query and the mean of a session's vectors, from the mean cosine of its items and
// from how alike neighbours are.
func (w *work) topics() {
	s, v := w.s, &w.vec
	count := 0
	for i := range s.Items {
		count = max(count, int(s.Items[i].Session)+1)
	}
	v.topic = zeroed(v.topic, count)
	for i := range s.Items {
		it := &s.Items[i]
		if it.Session < 0 || !it.Vector {
			continue
		}
		t := &v.topic[it.Session]
		t.dot += v.query[i]
		t.n++
		if o := it.Next; o >= 0 && s.Items[o].Vector {
			t.pair += w.pairOf(int32(i), o, 1)
			t.pairs++
		}
		if o := w.around[i][3]; o >= 0 && s.Items[o].Vector {
			t.pair += w.pairOf(int32(i), o, 2)
			t.pairs++
		}
	}
	for i := range s.Candidates {
		in := s.Items[i].Session
		if in < 0 || v.topic[in].n < 2 { // what stands alone has no topic but itself
			continue
		}
		t, alike := &v.topic[in], float32(0)
		if t.pairs > 0 {
			alike = max(0, t.pair/t.pairs)
		}
		estimate := t.dot / t.n / float32(math.Sqrt(float64(1/t.n+alike*(1-1/t.n))))
		w.rows[i][SignTopic] = min(1, max(-1, estimate))
	}
}
