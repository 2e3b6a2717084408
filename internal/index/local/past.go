package local

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// past narrows the parts of a request about an earlier moment to what has not changed since, and adds one that holds what has, as it
// was. All else of a search is as ever, so that its statistics are those of then.
func (s *search) past() {
	th := s.req.Then
	if th == nil {
		return
	}
	without, odd := make(map[Packed]struct{}, len(th.Without)), map[lukasa.ID]struct{}{}
	for _, id := range th.Without {
		if p, ok := Pack(id); ok {
			without[p] = struct{}{}
		} else {
			odd[id] = struct{}{}
		}
	}
	at := th.At.UnixMicro()
	for i := range s.parts {
		v := s.parts[i].v
		s.parts[i].keep(func(b *Block, i int) bool {
			if b.Created(i) > at {
				return false
			}
			p := b.Entry(i)
			if p.Code == Odd {
				_, gone := odd[v.IDOf(p)]
				return !gone
			}
			_, gone := without[p]
			return !gone
		})
	}
	if len(th.Entries) == 0 {
		return
	}
	v := s.overlay(th.Entries)
	s.dict = v.Dict
	p := part{v: v, whole: true, own: true, count: v.Count, total: v.Total}
	for _, n := range v.Nodes {
		p.tongues |= text.Tongues(n.Tongues.Load())
	}
	s.parts = append(s.parts, p)
}

// keep narrows a part to those of its slots that are to stay.
func (p *part) keep(stays func(b *Block, i int) bool) {
	named := make([]uint64, len(p.v.Live))
	look := func(slot int) {
		if (Has(p.v.Live, slot) || Has(p.v.Old, slot)) && stays(p.v.Blocks[slot>>BlockShift], slot&(BlockSlots-1)) {
			Set(named, slot)
		}
	}
	switch {
	case p.whole:
		for slot := range p.v.N {
			look(slot)
		}
	case p.slots != nil:
		for _, slot := range p.slots {
			look(int(slot))
		}
	default:
		for slot := range EachBit(p.named) {
			look(slot)
		}
	}
	p.whole, p.slots, p.named, p.narrowed, p.count, p.total = false, nil, named, true, 0, 0
	for slot := range EachBit(named) {
		if Has(p.v.Live, slot) {
			p.count++
			p.total += int64(p.v.Length(slot))
		}
	}
}

// overlay makes a shard for one search.
func (s *search) overlay(entries []lukasa.Entry) *View {
	for i := range entries {
		s.x.learnDim(&entries[i])
	}
	o := s.owner
	c := NewCore(o.dict, o.names, o.analyzer, s.x.geometry.Load(), true, s.x.opt.Seal)
	nums := map[lukasa.ID]uint32{}
	put := func(some []lukasa.Entry) {
		o.mu.Lock() // terms get their numbers
		defer o.mu.Unlock()
		for i := range some {
			e := &some[i]
			num, ok := nums[e.Node]
			if !ok {
				num = c.AddNode(e.Node)
				nums[e.Node] = num
			}
			c.Put(e, num)
		}
	}
	for some := range slices.Chunk(entries, atOnce) {
		put(some)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	c.Follow()
	return c.Snapshot()
}
