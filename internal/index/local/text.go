package local

import (
	"github.com/lukasa-memory/lukasa/internal/postings"
)

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
func (s *search) look(v *View, slot int) bool {
	s.looked = v.Terms(s.looked[:0], slot)
	return s.tally(s.looked)
}

// tally appends the query terms that are among terms to s.hits. It reports whether there are any.
func (s *search) tally(terms []uint32) bool {
	touched := s.touched[:0]
	for _, t := range terms {
		if !s.set.May(t) {
			continue
		}
		if i := s.set.Find(t); i >= 0 {
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
func (s *search) textScore(v *View, slot int) (score64 int64, ok bool) {
	if len(s.set.Terms) == 0 {
		return 0, false
	}
	s.looked = v.Terms(s.looked[:0], slot)
	return s.scoreTerms(v, slot, s.looked)
}

// scoreTerms scores a slot by its terms; ok is false when no query term is among them.
func (s *search) scoreTerms(v *View, slot int, terms []uint32) (score64 int64, ok bool) {
	s.hits = s.hits[:0]
	if len(s.set.Terms) == 0 || !s.tally(terms) {
		return 0, false
	}
	return s.scoreHits(v, slot, s.hits), true
}

func (s *search) scoreHits(v *View, slot int, hits []hit) (sum int64) {
	dl := v.Blocks[slot>>BlockShift].Rows[slot&(BlockSlots-1)].DL
	for _, h := range hits {
		sum += postings.Score(s.set.Terms[h.term].Weight, h.tf, dl, s.norm)
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
		if len(s.set.Terms) == 0 {
			continue
		}
		if p.slots != nil {
			for i, slot := range p.slots {
				s.count(pi, int(slot), p.wanted[i])
			}
			continue
		}
		p.places = len(s.places)
		for _, seg := range p.v.Segs {
			s.places = seg.Places(s.places, &s.set)
			for i, at := range s.places[len(s.places)-len(s.set.Terms):] {
				switch {
				case at < 0:
				case p.whole:
					s.set.Terms[i].DF += int64(seg.Frequency(int(at)))
					s.touched32 ^= seg.Touch(int(at))
				default:
					s.set.Terms[i].DF += s.countMasked(seg, int(at), p)
				}
			}
		}
		for i := range s.set.Terms {
			t := &s.set.Terms[i]
			for slot := range p.v.Tail.Postings(t.ID) {
				if int(slot) < p.v.N && Has(p.v.Live, int(slot)) && (p.whole || Has(p.named, int(slot))) {
					t.DF++
				}
			}
		}
	}
	s.avg = 1
	if s.n > 0 && s.total > 0 {
		s.avg = float64(s.total) / float64(s.n)
	}
	s.norm = postings.NormOf(s.avg)
	s.set.Weigh(s.n)
}

// count looks a slot through, counts its terms if it is a latest entry, and keeps it if it may be found.
func (s *search) count(pi, slot int, wanted bool) {
	p := &s.parts[pi]
	latest := Has(p.v.Live, slot)
	if !latest && !wanted {
		return
	}
	from := len(s.hits)
	if !s.look(p.v, slot) {
		return
	}
	if latest {
		for _, h := range s.hits[from:] {
			s.set.Terms[h.term].DF++
		}
	}
	if !wanted {
		s.hits = s.hits[:from]
		return
	}
	s.scans = append(s.scans, scanned{pi, slot, from, len(s.hits)})
}

// countMasked counts the latest entries of the named nodes that have a term.
func (s *search) countMasked(seg *postings.Segment, at int, p *part) (n int64) {
	c := &s.probe
	c.Open(seg, at, 0, 1)
	for ; c.Load(); c.Advance() {
		for _, slot := range c.Slots[:c.N] {
			slot += seg.Lo
			w, bit := slot>>6, slot&63
			n += int64(p.v.Live[w] & p.named[w] >> bit & 1)
		}
	}
	return n
}

// bestTexts collects the k best text scores of all parts.
func (s *search) bestTexts(k int) {
	s.top.Reset(k)
	if k <= 0 || len(s.set.Terms) == 0 {
		return
	}
	for _, sc := range s.scans {
		s.top.Push(postings.Ranked{Score: s.scoreHits(s.parts[sc.part].v, sc.slot, s.hits[sc.from:sc.to]), Part: sc.part, Slot: sc.slot})
	}
	for pi := range s.parts {
		p := &s.parts[pi]
		if p.slots != nil || p.matched == 0 {
			continue
		}
		if p.matched <= fewSlots { // looking through few beats walking the postings
			for slot := range EachBit(p.mask) {
				if sum, ok := s.textScore(p.v, slot); ok {
					s.top.Push(postings.Ranked{Score: sum, Part: pi, Slot: slot})
				}
			}
			continue
		}
		s.bestOfTail(pi)
		s.sink = sink{s, pi}
		for i, seg := range p.v.Segs {
			s.walker.Walk(seg, &s.set, s.places[p.places+i*len(s.set.Terms):], s.avg, p.mask, &s.sink)
		}
	}
}

// bestOfTail scores the newest slots of a part.
func (s *search) bestOfTail(pi int) {
	p := &s.parts[pi]
	if p.v.Tail == nil {
		return
	}
	if n := p.v.N - p.v.Sealed; n > len(s.acc) {
		s.acc = make([]int64, n)
	}
	s.slots = s.slots[:0]
	for i := range s.set.Terms {
		t := &s.set.Terms[i]
		for slot, tf := range p.v.Tail.Postings(t.ID) {
			if int(slot) >= p.v.N || !Has(p.mask, int(slot)) {
				continue
			}
			at := int(slot) - p.v.Sealed
			if s.acc[at] == 0 {
				s.acc[at], s.slots = 1, append(s.slots, slot)
			}
			s.acc[at] += postings.Score(t.Weight, tf, p.v.Length(int(slot)), s.norm) << 1
		}
	}
	for _, slot := range s.slots {
		at := int(slot) - p.v.Sealed
		s.top.Push(postings.Ranked{Score: s.acc[at] >> 1, Part: pi, Slot: int(slot)})
		s.acc[at] = 0
	}
}

// sink takes what is found in one part.
type sink struct {
	s    *search
	part int
}

// Threshold implements [postings.Sink].
func (k *sink) Threshold() int64 { return k.s.top.Threshold() }

// Push implements [postings.Sink].
func (k *sink) Push(slot uint32, score int64) {
	k.s.top.Push(postings.Ranked{Score: score, Part: k.part, Slot: int(slot)})
}

// worse orders the text side: of equal scores the lower id is better.
func (s *search) worse(a, b postings.Ranked) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return s.compareIDs(a.Part, a.Slot, b.Part, b.Slot) > 0
}
