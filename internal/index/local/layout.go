package local

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/mmap"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// Meta says where the parts of a shard are in a file.
type Meta struct {
	Whole    mmap.Span
	CRC      uint32
	Pool     bool
	Exact    bool
	N        int
	Sealed   int
	Alive    int
	Vectors  int
	Sessions int
	Count    int64
	Total    int64
	Live     mmap.Span
	Old      mmap.Span
	Vec      mmap.Span
	Classes  mmap.Span
	Sets     mmap.Span
	Odds     []string
	Nodes    []string
	Tongues  []uint32 // by node; none: all is in English
	Loaded   []bool   // by node: all of it is here
	Blocks   []blockMeta
	Segs     []segmentMeta
	Pages    []mmap.Span
}

type blockMeta struct{ Rows, When, Class, Set, Node, Prev, Codes, Scale, Bytes, Step, Exact mmap.Span }

type segmentMeta struct {
	Lo, Hi                                        uint32
	RefAvg                                        float64
	Terms, Groups, Offset, Gone, Impact, Data, DL mmap.Span
}

// Frozen is a view that can be written out while the writer goes on.
type Frozen struct {
	*View           // its last block and page are copies
	gone  [][]int32 // the counters of its segments
}

// Freeze returns all that there is, sealed.
func (c *Core) Freeze() *Frozen {
	c.seal(c.N) // so that those who map the file share all of it
	v := c.Snapshot()
	if n := len(v.Blocks); n > 0 {
		v.Blocks = slices.Clone(v.Blocks)
		last := v.Blocks[n-1]
		padded, dim := 0, 0
		if last.Bits != nil {
			padded, dim = last.Bits.Dim, v.Geo.Dim
		}
		v.Blocks[n-1] = last.grown(last.Slots(), padded, dim, v.Pool, v.Exact)
	}
	if n := len(v.pages); n > 0 {
		v.pages = slices.Clone(v.pages)
		p := v.pages[n-1]
		v.pages[n-1] = slices.Clone(p[:len(p)-c.room])
	}
	f := &Frozen{View: v}
	for _, s := range v.Segs {
		f.gone = append(f.gone, s.Gone())
	}
	return f
}

// Write writes a shard and returns where its parts are.
func (v *Frozen) Write(w *mmap.Writer) Meta {
	from := w.Begin()
	m := Meta{Pool: v.Pool, Exact: v.Exact, N: v.N, Sealed: v.Sealed, Alive: v.Alive, Vectors: v.Vectors, Sessions: v.Sessions, Count: v.Count, Total: v.Total, Odds: v.odds}
	m.Live, m.Old, m.Vec = w.Put(mmap.Bytes(v.Live)), w.Put(mmap.Bytes(v.Old)), w.Put(mmap.Bytes(v.Vec))
	m.Classes, m.Sets = w.Put(mmap.Bytes(v.Classes)), w.Put(mmap.Bytes(v.sets))
	for _, n := range v.Nodes {
		m.Nodes = append(m.Nodes, string(n.ID))
		m.Tongues = append(m.Tongues, n.Tongues.Load())
	}
	for _, b := range v.Blocks {
		bm := blockMeta{Rows: w.Put(mmap.Bytes(b.Rows)), When: w.Put(mmap.Bytes(b.when)), Class: w.Put(mmap.Bytes(b.Class)), Set: w.Put(mmap.Bytes(b.set)), Node: w.Put(mmap.Bytes(b.Node)), Prev: w.Put(mmap.Bytes(b.prev))}
		if b.Bits != nil {
			bm.Codes, bm.Scale = w.Put(mmap.Bytes(b.Bits.Codes)), w.Put(mmap.Bytes(b.Bits.Scale))
			bm.Bytes, bm.Step, bm.Exact = w.Put(mmap.Bytes(b.I8.Codes)), w.Put(mmap.Bytes(b.I8.Scale)), w.Put(mmap.Bytes(b.F32))
		}
		m.Blocks = append(m.Blocks, bm)
	}
	for i, s := range v.Segs {
		m.Segs = append(m.Segs, segmentMeta{
			Lo: s.Lo, Hi: s.Hi, RefAvg: s.RefAvg, Terms: w.Put(mmap.Bytes(s.Sorted)), Groups: w.Put(mmap.Bytes(s.Groups)), Offset: w.Put(mmap.Bytes(s.Offset)),
			Gone: w.Put(mmap.Bytes(v.gone[i])), Impact: w.Put(s.Impact), Data: w.Put(s.Data), DL: w.Put(mmap.Bytes(s.DL)),
		})
	}
	for _, p := range v.pages {
		m.Pages = append(m.Pages, w.Put(p))
	}
	m.Whole, m.CRC = w.End(from)
	return m
}

// Revive makes a new core that of a part of a file. It reports false where the parts do not fit together.
func (c *Core) Revive(m *mmap.File, sm *Meta) bool {
	c.file, c.whole, c.table, c.tails, c.mapped = m, m.At(sm.Whole), nil, nil, true
	c.Exact, c.N, c.Sealed, c.tailed, c.odds = sm.Exact, sm.N, sm.Sealed, sm.Sealed, sm.Odds
	c.Alive, c.Vectors, c.Sessions, c.Count, c.Total = sm.Alive, sm.Vectors, sm.Sessions, sm.Count, sm.Total
	for i, id := range sm.Odds {
		if c.oddOf == nil {
			c.oddOf = map[string]uint64{}
		}
		c.oddOf[id] = uint64(i)
	}
	words := len(sm.Blocks) * BlockWords
	c.Live, c.Old, c.Vec = slices.Clone(mmap.As[uint64](m.At(sm.Live))), slices.Clone(mmap.As[uint64](m.At(sm.Old))), slices.Clone(mmap.As[uint64](m.At(sm.Vec)))
	if len(c.Live) != words || len(c.Old) != words || len(c.Vec) != words || len(sm.Loaded) != len(sm.Nodes) || len(sm.Nodes) == 0 {
		return false
	}
	c.Classes, c.sets = mmap.As[Class](m.At(sm.Classes)), mmap.As[uint32](m.At(sm.Sets))
	if !c.reviveBlocks(m, sm) || !c.reviveSegments(m, sm) {
		return false
	}
	for _, p := range sm.Pages {
		b := m.At(p)
		c.pages = append(c.pages, b)
		c.written += len(b)
	}
	c.Nodes, c.Idle = nil, nil
	for i, id := range sm.Nodes {
		if n := c.AddNode(lukasa.ID(id)); i < len(sm.Tongues) {
			c.Nodes[n].Tongues.Store(sm.Tongues[i])
		}
	}
	return c.reviveNodes()
}

func (c *Core) reviveBlocks(m *mmap.File, sm *Meta) bool {
	slots := 0
	for i := range sm.Blocks {
		bm := &sm.Blocks[i]
		b := &Block{Rows: mmap.As[Row](m.At(bm.Rows)), when: mmap.As[int64](m.At(bm.When)), Class: mmap.As[uint32](m.At(bm.Class)), set: mmap.As[uint32](m.At(bm.Set)), Node: mmap.As[uint32](m.At(bm.Node)), prev: mmap.As[uint32](m.At(bm.Prev))}
		n := b.Slots()
		if n == 0 || len(b.when) != n || len(b.Class) != n || len(b.set) != 0 && len(b.set) != n || len(b.prev) != n || c.Pool && len(b.Node) != n {
			return false
		}
		if bm.Codes.Len > 0 {
			if c.Geo == nil {
				return false
			}
			padded, dim := c.Geo.Padded, c.Geo.Dim
			b.Bits = &vector.Bits{Dim: padded, Codes: mmap.As[uint64](m.At(bm.Codes)), Scale: mmap.As[uint16](m.At(bm.Scale))}
			b.I8 = &vector.Int8{Dim: padded, Codes: mmap.As[int8](m.At(bm.Bytes)), Scale: mmap.As[float32](m.At(bm.Step))}
			b.F32 = mmap.As[float32](m.At(bm.Exact))
			if b.Bits.Check() != nil || b.I8.Check() != nil || b.Bits.Slots() != n || b.I8.Slots() != n || b.F32 != nil && len(b.F32) != n*dim {
				return false
			}
		}
		for _, k := range b.Class {
			if int(k) >= max(1, len(c.Classes)) {
				return false
			}
		}
		for _, k := range b.set {
			if int(k) >= max(1, len(c.sets)) {
				return false
			}
		}
		if i < len(sm.Blocks)-1 && n != BlockSlots {
			return false
		}
		c.Blocks = append(c.Blocks, b)
		slots += n
	}
	return c.N >= 0 && c.N <= slots && c.Sealed >= 0 && c.Sealed <= c.N && c.reviveChains()
}

func (c *Core) reviveSegments(m *mmap.File, sm *Meta) bool {
	at := uint32(0)
	for i := range sm.Segs {
		g := &sm.Segs[i]
		s := &postings.Segment{
			Numbers: postings.Numbers{Sorted: mmap.As[uint32](m.At(g.Terms)), Groups: mmap.As[postings.Group](m.At(g.Groups))},
			Lo:      g.Lo, Hi: g.Hi, RefAvg: g.RefAvg, Offset: mmap.As[uint32](m.At(g.Offset)),
			Impact: m.At(g.Impact), Data: m.At(g.Data), DL: mmap.As[uint16](m.At(g.DL)),
		}
		gone, n := mmap.As[int32](m.At(g.Gone)), len(s.Offset)
		if !s.Whole(n) || s.Lo != at || s.Hi <= s.Lo || len(s.Impact) != n || len(s.DL) != int(s.Hi-s.Lo) || len(gone) != 0 && len(gone) != n {
			return false
		}
		s.Lose(gone)
		c.Segs = append(c.Segs, s)
		at = s.Hi
	}
	return int(at) == c.Sealed
}

// reviveNodes counts what belongs to each node.
func (c *Core) reviveNodes() bool {
	if !c.Pool {
		ns := c.Nodes[0]
		ns.Alive.Store(int64(c.Alive))
		ns.Count.Store(c.Count)
		ns.Total.Store(c.Total)
		if c.Alive > 0 {
			clearBit(c.Idle, 0)
		}
		return true
	}
	lists := make([][]uint32, len(c.Nodes))
	for slot := range c.N {
		latest := Has(c.Live, slot)
		if !latest && !Has(c.Old, slot) {
			continue
		}
		b, i := c.Blocks[slot>>BlockShift], slot&(BlockSlots-1)
		n := b.Node[i]
		if int(n) >= len(lists) {
			return false
		}
		lists[n] = append(lists[n], uint32(slot))
		ns := c.Nodes[n]
		ns.Alive.Add(1)
		if latest {
			ns.Count.Add(1)
			ns.Total.Add(int64(b.Rows[i].DL))
		}
	}
	for n, l := range lists {
		if len(l) > 0 {
			c.Nodes[n].Slots.Store(&lists[n])
			clearBit(c.Idle, n)
		}
	}
	return true
}
