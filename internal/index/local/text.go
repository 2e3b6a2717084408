package local

import (
	"math"
	"math/bits"
	"sort"
)

// queryTerm is one term of the query.
type queryTerm struct {
	id     uint32
	count  int // how often the query has it
	df     int64
	weight float64 // idf * (k1 + 1) * count
}

// termSet finds query terms by number.
type termSet struct {
	terms []queryTerm
	table []uint32 // place + 1
	shift uint
	bloom [4]uint64 // of the lowest bits of the numbers
}

func (s *termSet) reset(n int) {
	size, shift := 16, uint(28)
	for size < n*4 {
		size, shift = size*2, shift-1
	}
	s.terms, s.shift = s.terms[:0], shift
	if cap(s.table) < size {
		s.table = make([]uint32, size)
	}
	s.table = s.table[:size]
	clear(s.table)
	s.bloom = [4]uint64{}
}

// find returns the place of a term, or -1.
func (s *termSet) find(id uint32) int {
	for i := id * 0x9e3779b1 >> s.shift; ; i = (i + 1) & uint32(len(s.table)-1) {
		n := s.table[i]
		if n == 0 {
			return -1
		}
		if s.terms[n-1].id == id {
			return int(n - 1)
		}
	}
}

func (s *termSet) add(id uint32) {
	if i := s.find(id); i >= 0 {
		s.terms[i].count++
		return
	}
	s.terms = append(s.terms, queryTerm{id: id, count: 1})
	i := id * 0x9e3779b1 >> s.shift
	for s.table[i] != 0 {
		i = (i + 1) & uint32(len(s.table)-1)
	}
	s.table[i] = uint32(len(s.terms))
	s.bloom[id>>6&3] |= 1 << (id & 63)
}

// weigh sets the weights from the statistics.
func (s *termSet) weigh(n int64) {
	for i := range s.terms {
		t := &s.terms[i]
		t.weight = math.Log(1+(float64(n-t.df)+.5)/(float64(t.df)+.5)) * (k1 + 1) * float64(t.count)
	}
}

// score is what a term adds to an entry's score.
func score(weight float64, tf uint32, dl uint16, avg float64) int64 {
	x := float64(tf)
	return int64(float64(weight*x/(x+norm(dl, avg))*scoreScale) + .5)
}

// hit is one query term in one entry that was looked through.
type hit struct {
	term int
	tf   uint32
}

// scanned is an entry that was looked through: its hits are those from from to to.
type scanned struct {
	part     int
	slot     int
	from, to int
}

// look finds the query terms in a slot and appends them to s.hits. It reports whether there are any.
func (s *search) look(v *view, slot int) bool {
	n, b := uvarint(v.forward(slot))
	touched := s.touched[:0]
	for range n {
		var t uint32
		if x := b[0]; x < 0x80 {
			t, b = uint32(x), b[1:]
		} else {
			t, b = uvarint(b)
		}
		if t&1 != 0 {
			_, b = uvarint(b)
		}
		t >>= 1
		if s.set.bloom[t>>6&3]>>(t&63)&1 == 0 {
			continue
		}
		if i := s.set.find(t); i >= 0 {
			if s.tf[i] == 0 {
				touched = append(touched, i)
			}
			s.tf[i]++
		}
	}
	for _, i := range touched {
		s.hits = append(s.hits, hit{i, s.tf[i]})
		s.tf[i] = 0
	}
	s.touched = touched
	return len(touched) > 0
}

// textScore looks a slot through and scores it; ok is false when it has no query term.
func (s *search) textScore(v *view, slot int) (score64 int64, ok bool) {
	s.hits = s.hits[:0]
	if len(s.set.terms) == 0 || !s.look(v, slot) {
		return 0, false
	}
	return s.scoreHits(v, slot, s.hits), true
}

func (s *search) scoreHits(v *view, slot int, hits []hit) (sum int64) {
	dl := v.blocks[slot>>blockShift].rows[slot&(blockSlots-1)].dl
	for _, h := range hits {
		sum += score(s.set.terms[h.term].weight, h.tf, dl, s.avg)
	}
	return sum
}

// statistics sums up N, the total length and df over the named nodes. Slots that have to be looked through are kept with
// their hits in s.scans.
func (s *search) statistics() {
	for pi := range s.parts {
		p := &s.parts[pi]
		s.n += p.count
		s.total += p.total
		if len(s.set.terms) == 0 {
			continue
		}
		switch {
		case p.slots != nil:
			for i, slot := range p.slots {
				s.count(pi, int(slot), p.wanted[i])
			}
			continue
		case p.whole:
			for _, seg := range p.v.segs {
				for i := range s.set.terms {
					if at := seg.find(s.set.terms[i].id); at >= 0 {
						s.set.terms[i].df += int64(seg.latest[at].Load())
					}
				}
			}
		default:
			for _, seg := range p.v.segs {
				for i := range s.set.terms {
					if at := seg.find(s.set.terms[i].id); at >= 0 {
						s.set.terms[i].df += s.countMasked(seg, at, p)
					}
				}
			}
		}
		for slot := p.v.sealed; slot < p.v.n; slot++ {
			if p.whole || has(p.named, slot) {
				s.count(pi, slot, has(p.mask, slot))
			}
		}
	}
	s.avg = 1
	if s.n > 0 && s.total > 0 {
		s.avg = float64(s.total) / float64(s.n)
	}
	s.set.weigh(s.n)
}

// count looks a slot through, counts its terms if it is a latest entry, and keeps it if it may be found.
func (s *search) count(pi, slot int, wanted bool) {
	p := &s.parts[pi]
	latest := has(p.v.live, slot)
	if !latest && !wanted {
		return
	}
	from := len(s.hits)
	if !s.look(p.v, slot) {
		return
	}
	if latest {
		for _, h := range s.hits[from:] {
			s.set.terms[h.term].df++
		}
	}
	if !wanted {
		s.hits = s.hits[:from]
		return
	}
	s.scans = append(s.scans, scanned{pi, slot, from, len(s.hits)})
}

// countMasked counts the latest entries of the named nodes that have a term.
func (s *search) countMasked(seg *segment, at int, p *part) (n int64) {
	c := &s.probe
	c.open(seg, at, 0, 0, 1)
	for c.blk = 0; c.blk < c.blocks; c.blk++ {
		c.load()
		for _, slot := range c.slots[:c.n] {
			slot += seg.lo
			w, bit := slot>>6, slot&63
			n += int64(p.v.live[w] & p.named[w] >> bit & 1)
		}
	}
	return n
}

// bestTexts collects the k best text scores of all parts.
func (s *search) bestTexts(k int) {
	s.top.reset(k)
	if k <= 0 || len(s.set.terms) == 0 {
		return
	}
	for _, sc := range s.scans {
		s.top.push(s, ranked{s.scoreHits(s.parts[sc.part].v, sc.slot, s.hits[sc.from:sc.to]), sc.part, sc.slot})
	}
	for pi := range s.parts {
		p := &s.parts[pi]
		if p.slots != nil || p.matched == 0 {
			continue
		}
		if p.matched <= fewSlots { // looking through few beats walking the postings
			for slot := range eachBit(p.mask) {
				if slot < p.v.sealed {
					if sum, ok := s.textScore(p.v, slot); ok {
						s.top.push(s, ranked{sum, pi, slot})
					}
				}
			}
			continue
		}
		for _, seg := range p.v.segs {
			s.walk(pi, seg)
		}
	}
}

// windowSlots is how many slots are scored at a time.
const windowSlots = 2048

// walk scores a segment term by term, a window of slots at a time, and leaves out what cannot come among the best
// (MaxScore, H. Turtle and J. Flood 1995, with the block maxima of Ding and Suel 2011).
func (s *search) walk(pi int, seg *segment) {
	p := &s.parts[pi]
	n := 0
	for i := range s.set.terms {
		at := seg.find(s.set.terms[i].id)
		if at < 0 {
			continue
		}
		if n == len(s.cursors) {
			s.cursors = append(s.cursors, new(cursor))
			s.whole = append(s.whole, 0)
		}
		s.cursors[n].open(seg, at, i, s.set.terms[i].weight, s.avg)
		n++
	}
	if n == 0 {
		return
	}
	cs := s.cursors[:n]
	whole := s.whole[:n]
	for i, c := range cs {
		whole[i] = c.bound
	}
	byBound := boundOrder{cs, whole}
	size := seg.hi - seg.lo
	for from := uint32(0); from < size; from += windowSlots {
		to := min(from+windowSlots, size)
		for i, c := range cs {
			c.window(whole[i], from, to)
		}
		sort.Sort(byBound)
		s.window(p, pi, seg, cs, from, to)
	}
}

// boundOrder sorts cursors by their bounds, the least first.
type boundOrder struct {
	cs    []*cursor
	whole []int64
}

func (o boundOrder) Len() int           { return len(o.cs) }
func (o boundOrder) Less(i, j int) bool { return o.cs[i].bound < o.cs[j].bound }
func (o boundOrder) Swap(i, j int) {
	o.cs[i], o.cs[j] = o.cs[j], o.cs[i]
	o.whole[i], o.whole[j] = o.whole[j], o.whole[i]
}

func (s *search) window(p *part, pi int, seg *segment, cs []*cursor, from, to uint32) {
	threshold := s.top.threshold()
	// Terms before first cannot lift a slot to the threshold by themselves, not even together.
	first, rest := 0, int64(0)
	for first < len(cs) && rest+cs[first].bound < threshold {
		rest += cs[first].bound
		first++
	}
	if first == len(cs) {
		return
	}
	for _, c := range cs[first:] {
		if c.bound > 0 {
			s.accumulate(p, seg, c, from, to)
		}
	}
	for w := range s.seen {
		word := s.seen[w]
		s.seen[w] = 0
		for ; word != 0; word &= word - 1 {
			i := uint32(w*64 + bits.TrailingZeros64(word))
			sum := s.acc[i]
			s.acc[i] = 0
			slot, left := from+i, rest
			for j := first - 1; j >= 0 && sum+left >= threshold; j-- {
				c := cs[j]
				left -= c.bound
				if c.bound > 0 && c.seek(slot) {
					sum += score(c.weight, c.tfs[c.i], seg.dl[slot], s.avg)
				}
			}
			if sum+left >= threshold {
				s.top.push(s, ranked{sum, pi, int(seg.lo + slot)})
				threshold = s.top.threshold()
			}
		}
	}
}

// accumulate adds the scores of one term to the slots of the window that may be found.
func (s *search) accumulate(p *part, seg *segment, c *cursor, from, to uint32) {
	c.skip(from)
	for c.blk < c.blocks {
		if !c.loaded {
			c.load()
		}
		for ; c.i < c.n; c.i++ {
			slot := c.slots[c.i]
			if slot < from {
				continue
			}
			if slot >= to {
				return
			}
			at := seg.lo + slot
			if p.mask[at>>6]>>(at&63)&1 == 0 {
				continue
			}
			i := slot - from
			s.seen[i>>6] |= 1 << (i & 63)
			s.acc[i] += score(c.weight, c.tfs[c.i], seg.dl[slot], s.avg)
		}
		c.blk++
		c.loaded = false
	}
}

// ranked is an entry with its text score.
type ranked struct {
	score int64
	part  int
	slot  int
}

// topTexts keeps the k best, in a heap whose root is the worst. Of equal scores the lower id is better.
type topTexts struct {
	k    int
	heap []ranked
}

func (t *topTexts) reset(k int) { t.k, t.heap = k, t.heap[:0] }

// threshold returns the score that a newcomer must at least have.
func (t *topTexts) threshold() int64 {
	if len(t.heap) < t.k {
		return math.MinInt64 / 2
	}
	return t.heap[0].score
}

func (s *search) worse(a, b ranked) bool {
	if a.score != b.score {
		return a.score < b.score
	}
	return s.compareIDs(a.part, a.slot, b.part, b.slot) > 0
}

func (t *topTexts) push(s *search, r ranked) {
	h := t.heap
	if len(h) < t.k {
		h = append(h, r)
		t.heap = h
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if !s.worse(h[i], h[up]) {
				break
			}
			h[i], h[up] = h[up], h[i]
			i = up
		}
		return
	}
	if t.k == 0 || !s.worse(h[0], r) {
		return
	}
	h[0] = r
	for i := 0; ; {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && s.worse(h[c+1], h[c]) {
			c++
		}
		if !s.worse(h[c], h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// eachBit yields the set bits of a bitmap.
func eachBit(bm []uint64) func(func(int) bool) {
	return func(yield func(int) bool) {
		for w, word := range bm {
			for ; word != 0; word &= word - 1 {
				if !yield(w*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
