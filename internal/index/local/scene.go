package local

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

const (
	spreading    = 40 // so many of the best candidates bring in those that stand near them
	spreadWeight = .4 // of the cosine, beside BM25
)

// surroundings is the working memory in which the items of a scene are gathered: each has a number, the candidates first.
type surroundings struct {
	all      []found
	beside   [][2]int32 // by item: the slots before and behind it, -1 where there is none; notYet
	table    []uint32   // item + 1, by part and slot
	speakers map[uint32]int32
}

const notYet = -2

func (a *surroundings) reset(n int) {
	size := 1024
	for size < 2*n {
		size *= 2
	}
	if cap(a.table) < size {
		a.table = make([]uint32, size)
	}
	a.table = a.table[:size]
	clear(a.table)
	a.all, a.beside = a.all[:0], a.beside[:0]
}

func (a *surroundings) release() { clear(a.speakers) }

// find returns the item of a slot, or -1, and its place in the table.
func (a *surroundings) find(part, slot int) (item, at int) {
	mask := len(a.table) - 1
	at = int((uint32(part)*0x85ebca6b^uint32(slot))*0x9e3779b1>>8) & mask
	for ; a.table[at] != 0; at = (at + 1) & mask {
		n := int(a.table[at] - 1)
		if f := &a.all[n]; f.slot == slot && f.part == part {
			return n, at
		}
	}
	return -1, at
}

// add returns the item of an entry, which may be new.
func (a *surroundings) add(f found) (item int) {
	item, at := a.find(f.part, f.slot)
	if item >= 0 {
		return item
	}
	a.all, a.beside = append(a.all, f), append(a.beside, [2]int32{notYet, notYet})
	a.table[at] = uint32(len(a.all))
	return len(a.all) - 1
}

// neighbour returns the slot before (side 0) or behind (1) an item in its session, or -1.
func (s *search) neighbour(item, side int) int {
	b := &s.around.beside[item]
	if b[0] == notYet {
		f := &s.around.all[item]
		before, behind := s.parts[f.part].v.Adjacent(f.slot)
		*b = [2]int32{int32(before), int32(behind)}
	}
	return int(b[side])
}

// keeps reports whether an entry of a named node may be found.
func (p *part) keeps(slot int) bool {
	if p.slots == nil {
		return Has(p.mask, slot)
	}
	return (p.retired || Has(p.v.Live, slot)) && (p.cond == nil || p.cond.Keeps(p.v.Blocks[slot>>BlockShift], slot&(BlockSlots-1)))
}

// gather makes items of the candidates.
func (s *search) gather(room int) {
	s.around.reset(room)
	for _, f := range s.found {
		s.around.add(f)
	}
}

// bringIn adds the entries up to two away from an item, as far as they are wanted.
func (s *search) bringIn(item int, wanted func(part, slot int) bool) {
	part := s.around.all[item].part
	for side := range 2 {
		slot := s.neighbour(item, side)
		if slot < 0 {
			continue
		}
		at, _ := s.around.find(part, slot)
		if at < 0 && wanted(part, slot) {
			at = s.around.add(found{part: part, slot: slot})
		}
		if at >= 0 {
			slot = s.neighbour(at, side)
		} else {
			before, behind := s.parts[part].v.Adjacent(slot)
			slot = [2]int{before, behind}[side]
		}
		if slot >= 0 && wanted(part, slot) {
			s.around.add(found{part: part, slot: slot})
		}
	}
}

// widen makes candidates of the entries that stand near the best ones.
func (s *search) widen() {
	text, sim := int64(0), 0.0
	for i := range s.found {
		text, sim = max(text, s.found[i].text), max(sim, s.found[i].sim)
	}
	s.stage2.Reset(spreading)
	for i, f := range s.found {
		v := 0.0
		if f.text > 0 {
			v = float64(f.text) / float64(text)
		}
		if f.hasSim && sim > 0 {
			v += spreadWeight * f.sim / sim
		}
		s.stage2.Push(float32(v), uint32(i))
	}
	s.gather(len(s.found) + 4*spreading)
	s.scored = s.stage2.AppendUnsorted(s.scored[:0])
	for _, c := range s.scored {
		s.bringIn(int(c.Slot), func(part, slot int) bool { return s.parts[part].keeps(slot) })
	}
	n := len(s.found)
	if len(s.around.all) == n {
		return
	}
	s.found = append(s.found, s.around.all[n:]...)
	s.fetch(s.found[n:])
	for i := n; i < len(s.found); i++ {
		s.complete(&s.found[i])
	}
	byID := func(a, b found) int { return s.compareIDs(a.part, a.slot, b.part, b.slot) }
	more := s.found[n:]
	slices.SortFunc(more, byID)
	a := append(s.around.all[:0], more...)
	for i := len(s.found) - 1; len(a) > 0; i-- { // merge from behind
		if n > 0 && byID(s.found[n-1], a[len(a)-1]) > 0 {
			n--
			s.found[i] = s.found[n]
			continue
		}
		s.found[i], a = a[len(a)-1], a[:len(a)-1]
	}
}

// scene describes the candidates, which are in s.found, and what stands around them.
func (s *search) scene() *index.Scene {
	a := &s.around
	s.gather(5 * len(s.found))
	for i := range s.found {
		s.bringIn(i, func(part, slot int) bool {
			p := &s.parts[part]
			return !p.narrowed || Has(p.named, slot)
		})
	}
	for i := len(s.found); i < len(a.all); i++ {
		if f := &a.all[i]; s.query != nil && Has(s.parts[f.part].v.Vec, f.slot) {
			f.sim, f.hasSim = s.similarity(s.parts[f.part].v, f.slot), true
		}
	}
	sc := &index.Scene{Terms: slices.Clone(s.asks), Entries: int(s.n), Length: s.avg, Items: make([]index.Item, len(a.all))}
	known := 0
	for i := range sc.Terms {
		if t := &sc.Terms[i]; t.ID != index.NoTerm {
			t.Count, t.Frequency = s.set.Terms[known].Count, int(s.set.Together(known, s.n))
			known++
		}
	}
	s.describe(a.all, func(n int) *lukasa.Candidate { return &sc.Items[n].Candidate })
	s.fill(sc)
	if s.query != nil {
		sc.Dot = s.vectors(sc.Items).dot
	}
	return sc
}

// fill writes out what the items say and who says it.
func (s *search) fill(sc *index.Scene) {
	a := &s.around
	if a.speakers == nil {
		a.speakers = map[uint32]int32{}
	}
	total := 0
	for i := range a.all {
		f := &a.all[i]
		n := f.said.to - f.said.from
		if n == 0 {
			all, _ := postings.Uvarint(s.parts[f.part].v.Forward(f.slot))
			n = int(all)
		}
		total += n
	}
	terms := make([]uint32, 0, total)
	for i := range sc.Items {
		it, f := &sc.Items[i], &a.all[i]
		v, b, at := s.at(*f)
		r, k := &b.Rows[at], &v.Classes[b.Class[at]]
		from := len(terms)
		if f.said.from < f.said.to {
			terms = append(terms, s.said[f.said.from:f.said.to]...)
		} else {
			terms = v.Terms(terms, f.slot)
		}
		it.Terms = terms[from:len(terms):len(terms)]
		if s.set.Forms() > 0 {
			for k, t := range it.Terms {
				it.Terms[k] = s.set.Canonical(t)
			}
		}
		it.Head, it.Role, it.Confidence = int(r.Head), v.Names.Word(k.Role), k.Confidence
		it.Speaker = -1
		if k.Speaker != NoText {
			n, ok := a.speakers[k.Speaker]
			if !ok {
				n = int32(len(sc.Speakers))
				a.speakers[k.Speaker] = n
				sc.Speakers = append(sc.Speakers, v.Names.Word(k.Speaker))
			}
			it.Speaker = n
		}
		it.Prev, it.Next = s.itemBeside(f.part, i, 0), s.itemBeside(f.part, i, 1)
	}
}

func (s *search) itemBeside(part, item, side int) int32 {
	slot := s.neighbour(item, side)
	if slot < 0 {
		return -1
	}
	n, _ := s.around.find(part, slot)
	return int32(n)
}

// vectors compares the items of a scene for as long as that is held.
type vectors struct {
	kernels vector.Kernels
	dim     int
	items   []index.Item
	at      []vectorAt
	views   []*View // keep files mapped
}

type vectorAt struct {
	b     *Block
	i     int32
	exact bool
}

func (s *search) vectors(items []index.Item) *vectors {
	d := &vectors{kernels: s.kernels, dim: s.geo.Dim, items: items, at: make([]vectorAt, len(items))}
	for i, f := range s.around.all {
		v, b, at := s.at(f)
		d.at[i] = vectorAt{b, int32(at), v.Exact && b.F32 != nil}
	}
	for i := range s.parts {
		d.views = append(d.views, s.parts[i].v)
	}
	return d
}

func (d *vectors) dot(a, b int) float32 {
	switch {
	case a < 0:
		return float32(d.items[b].Candidate.Similarity)
	case !d.items[a].Candidate.HasVector || !d.items[b].Candidate.HasVector:
		return 0
	}
	p, q := &d.at[a], &d.at[b]
	i, j := int(p.i), int(q.i)
	if p.exact && q.exact {
		return d.kernels.Dot(p.b.F32[i*d.dim:(i+1)*d.dim], q.b.F32[j*d.dim:(j+1)*d.dim])
	}
	return float32(d.kernels.DotInt8(p.b.I8.Code(i), q.b.I8.Code(j))) * (p.b.I8.Scale[i] * q.b.I8.Scale[j])
}
