package local

import (
	"encoding/binary"
	"math"
	"slices"
	"sync/atomic"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/mmap"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// Geometry is what the vectors of an index have in common.
type Geometry struct {
	Dim, Padded int
	Rotation    *vector.Rotation
}

// View is a state of a shard that readers use. Nothing in it changes, except that the counters of segments and nodes follow
// the writer.
type View struct {
	Pool, Exact bool
	Geo         *Geometry
	file        *mmap.File // keeps in memory what blocks, segments and pages may point into
	N           int        // slots in use
	Blocks      []*Block
	Live        []uint64 // slots with a latest entry
	Old         []uint64 // slots with an entry that is not the latest
	Vec         []uint64 // slots with a vector
	Segs        []*postings.Segment
	Sealed      int            // slots before it are in segs
	Tail        *postings.Tail // the others
	pages       [][]byte
	Dict        *postings.Dict // the owner's terms
	Names       *postings.Dict // and texts of classes and labels
	Classes     []Class
	sets        []uint32 // where the labels of each set are, in pages
	odds        []string
	Nodes       []*Node
	Idle        Bitmap // nodes without entries
	Count       int64
	Total       int64
	Alive       int // entries, latest or not
	Vectors     int
	Sessions    int           // met so far
	Cells       *vector.Cells // of the vectors of the first slots; nil where there are none
}

// Node says where the entries of one node of a pool stand; slots of entries that are gone stay until the next
// compaction.
type Node struct {
	ID           lukasa.ID
	Slots        atomic.Pointer[[]uint32]
	Count, Total atomic.Int64  // of latest entries
	Alive        atomic.Int64  // entries, latest or not
	Tongues      atomic.Uint32 // that entries are in, or were: [text.Tongues]
}

// Core is the writer's side of a shard: columns and rows in blocks, vectors as codes, postings, classes and labels, and the chains of
// sessions. Its embedded view is the one in the making.
//
// A slot is written once, before a view shows it; three bitmaps say which slots hold a latest entry, one that is not, and a vector.
// An entry that is written again gets a new slot, and a core with many dead slots is copied without them.
//
// A core can be written to a file and mapped back ([Core.Freeze], [Core.Revive]). The mapped memory is shared by all processes that
// map the file, for as long as nothing writes to it: arrays that grow are copied first, blocks when a slot is added to them.
type Core struct {
	View
	sealAt   int
	analyzer *text.Analyzer
	tails    []uint32         // slot+1 of the last of a session, by its key; its length is a power of two
	classOf  map[Class]uint32 // nil until it is needed
	setOf    []uint32         // sets met lately, by hash
	labels   []uint32
	oddOf    map[string]uint64
	table    []uint32 // slot+1 by id; its length is a power of two
	used     int
	room     int              // free bytes of the last page
	whole    []byte           // all of it that is mapped from a file
	mapped   bool             // the last block is part of a file and not to be written to
	written  int              // bytes of all pages
	tailed   int              // slots before it are in segs or in the tail
	recent   *postings.Recent // while very many entries are put
	last     classText        // what the class said that was looked for last, and
	lastID   uint32           // its number; no class, no number
	buf      []byte
	terms    []uint32
	rotated  []float32
	unit     []float32
}

// Many makes putting very many entries cheaper, up to [Core.Ready].
func (c *Core) Many() { c.recent = postings.NewRecent(c.Dict) }

// NewCore returns a core without entries. d has the terms of the owner, names what classes and labels say; sealAt is from how many
// new entries these become a segment.
func NewCore(d, names *postings.Dict, a *text.Analyzer, geo *Geometry, pool bool, sealAt int) *Core {
	c := &Core{
		View: View{Dict: d, Names: names, Pool: pool, Exact: true, Geo: geo}, analyzer: a, sealAt: sealAt,
		table: make([]uint32, 32), tails: make([]uint32, 16),
	}
	if !pool {
		c.AddNode("")
	}
	return c
}

// AddNode adds a node without entries and returns its number.
func (c *Core) AddNode(id lukasa.ID) uint32 {
	n := len(c.Nodes)
	c.Nodes = append(c.Nodes, &Node{ID: id})
	c.Idle.Set(n)
	return uint32(n)
}

// Snapshot returns a view of what c holds now.
func (c *Core) Snapshot() *View {
	v := c.View
	v.Live, v.Old, v.Vec, v.Idle = slices.Clone(c.Live), slices.Clone(c.Old), slices.Clone(c.Vec), slices.Clone(c.Idle)
	return &v
}

// pack packs an id, giving one of another form a number.
func (c *Core) pack(id lukasa.ID) Packed {
	if p, ok := Pack(id); ok {
		return p
	}
	n, ok := c.oddOf[string(id)]
	if !ok {
		if c.oddOf == nil {
			c.oddOf = map[string]uint64{}
		}
		n = uint64(len(c.odds))
		c.odds = append(c.odds, string(id))
		c.oddOf[string(id)] = n
	}
	return Packed{lo: n, Code: Odd}
}

// find returns where the table holds p, or where it would, and the slot.
func (c *Core) find(p Packed) (at, slot int) {
	if c.table == nil {
		c.indexAll()
	}
	mask := uint32(len(c.table) - 1)
	for i := p.hash() & mask; ; i = (i + 1) & mask {
		s := c.table[i]
		if s == 0 {
			return int(i), -1
		}
		if c.Blocks[(s-1)>>BlockShift].Entry(int(s-1)&(BlockSlots-1)) == p {
			return int(i), int(s - 1)
		}
	}
}

// index puts the id of a slot into the table. If the id is there already, its entry must be gone.
func (c *Core) index(p Packed, slot int) {
	at, was := c.find(p)
	c.table[at] = uint32(slot) + 1
	if was >= 0 {
		return
	}
	if c.used++; c.used*4 < len(c.table)*3 {
		return
	}
	old := c.table
	c.table = make([]uint32, len(old)*2)
	mask := uint32(len(c.table) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := c.Blocks[(s-1)>>BlockShift].Entry(int(s-1)&(BlockSlots-1)).hash() & mask
		for c.table[i] != 0 {
			i = (i + 1) & mask
		}
		c.table[i] = s
	}
}

// firstSlots is the size of a new block.
const firstSlots = 16

// moreSlots returns the next size of a block of n slots: half as many again, so that little stands empty.
func moreSlots(n int) int {
	if n < 256 {
		return n * 2
	}
	return min(BlockSlots, (n+n/2+63)&^63)
}

// indexAll makes the table of a shard that comes from a file.
func (c *Core) indexAll() {
	c.table = make([]uint32, 32)
	for slot := range c.N {
		if Has(c.Live, slot) || Has(c.Old, slot) {
			c.index(c.Blocks[slot>>BlockShift].Entry(slot&(BlockSlots-1)), slot)
		}
	}
}

// slot makes room for one more slot and returns its block and number.
func (c *Core) slot() (b *Block, slot int) {
	slot = c.N
	bi, i := slot>>BlockShift, slot&(BlockSlots-1)
	padded, dim := 0, 0
	if c.Geo != nil {
		padded, dim = c.Geo.Padded, c.Geo.Dim
	}
	switch {
	case bi == len(c.Blocks):
		size := firstSlots
		if c.recent != nil && !c.Exact {
			size = BlockSlots
		}
		c.Blocks = append(c.Blocks, (&Block{}).grown(size, padded, dim, c.Pool, c.Exact))
		words := len(c.Blocks) * BlockWords
		c.Live, c.Old, c.Vec = resize(c.Live, words), resize(c.Old, words), resize(c.Vec, words)
	case i == c.Blocks[bi].Slots():
		c.Blocks = slices.Clone(c.Blocks)
		if i >= ExactSlots { // from here on the exact vectors are read from the feed
			c.Exact = false
			small := *c.Blocks[bi]
			small.F32 = nil
			c.Blocks[bi] = &small
		}
		c.Blocks[bi] = c.Blocks[bi].grown(moreSlots(i), padded, dim, c.Pool, c.Exact)
	case c.mapped, padded > 0 && c.Blocks[bi].Bits == nil:
		c.Blocks = slices.Clone(c.Blocks)
		c.Blocks[bi] = c.Blocks[bi].grown(c.Blocks[bi].Slots(), padded, dim, c.Pool, c.Exact)
	}
	c.mapped = false
	c.N++
	return c.Blocks[bi], slot
}

// trim takes the last block and the last page down to what is in them. A shard that holds the vectors themselves is small and keeps
// its steps.
func (c *Core) trim() {
	if c.Exact || c.N == 0 {
		return
	}
	last := len(c.Blocks) - 1
	b := c.Blocks[last]
	if n := (c.N - last*BlockSlots + firstSlots - 1) / firstSlots * firstSlots; n < b.Slots() {
		padded, dim := 0, 0
		if b.Bits != nil {
			padded, dim = b.Bits.Dim, c.Geo.Dim
		}
		c.Blocks[last] = b.grown(n, padded, dim, c.Pool, false)
	}
	if n := len(c.pages) - 1; n >= 0 && c.room > 0 {
		c.pages[n] = slices.Clone(c.pages[n][:len(c.pages[n])-c.room])
		c.room = 0
	}
}

// Reading is an entry with what its text tells before it has a slot.
type Reading struct {
	lukasa.Entry
	done   bool // that has been read
	tongue text.Tongue
}

// Read reads an entry's text, if that has not been done. It needs no [Core], so that it may be done beside the filling of one.
func (r *Reading) Read() {
	if r.done {
		return
	}
	r.done, r.tongue = true, text.TongueOfText(r.Text, r.Language)
}

// Put is [Core.Fill] of an entry alone.
func (c *Core) Put(e *lukasa.Entry, node uint32) { c.Fill(&Reading{Entry: *e}, node) }

// Fill inserts an entry or replaces the one with its id.
func (c *Core) Fill(e *Reading, node uint32) {
	e.Read()
	p := c.pack(e.ID)
	if _, s := c.find(p); s >= 0 {
		c.kill(s)
	}
	b, slot := c.slot()
	i := slot & (BlockSlots - 1)
	d := c.pack(e.Document)
	b.Rows[i].setIDs(p, d)
	b.Rows[i].Seq = e.Seq
	b.setTimes(i, &e.Entry)
	b.Class[i] = c.class(&e.Entry)
	if e.tongue != text.English {
		c.Nodes[node].Tongues.Or(uint32(text.Tongues(0).With(e.tongue)))
	}
	dl, head, terms := c.analyze(&e.Entry, e.tongue)
	b.Rows[i].DL = uint16(min(dl, math.MaxUint16))
	b.Rows[i].Head = uint16(min(head, math.MaxUint16))
	b.Rows[i].fwd = c.page(terms)
	c.setAt(slot, c.set(&e.Entry))
	if c.Geo != nil && b.Bits != nil && c.setVector(b, i, e.Vector) {
		Set(c.Vec, slot)
		c.Vectors++
	}
	c.admit(b, slot, p, node, e.Latest)
}

// admit makes a filled slot count.
func (c *Core) admit(b *Block, slot int, p Packed, node uint32, latest bool) {
	i := slot & (BlockSlots - 1)
	ns := c.Nodes[node]
	if c.Pool {
		b.Node[i] = node
		var list []uint32
		if old := ns.Slots.Load(); old != nil {
			list = *old
		}
		list = append(list, uint32(slot))
		ns.Slots.Store(&list)
	}
	if ns.Alive.Add(1) == 1 {
		clearBit(c.Idle, int(node))
	}
	c.Alive++
	if latest {
		Set(c.Live, slot)
		c.Count++
		c.Total += int64(b.Rows[i].DL)
		ns.Count.Add(1)
		ns.Total.Add(int64(b.Rows[i].DL))
	} else {
		Set(c.Old, slot)
	}
	c.index(p, slot)
	c.chain(b, slot)
}

// kill empties a slot. It may be empty already.
func (c *Core) kill(slot int) {
	b, i := c.Blocks[slot>>BlockShift], slot&(BlockSlots-1)
	latest := Has(c.Live, slot)
	if !latest && !Has(c.Old, slot) {
		return
	}
	node := uint32(0)
	if c.Pool {
		node = b.Node[i]
	}
	ns := c.Nodes[node]
	c.Alive--
	if ns.Alive.Add(-1) == 0 {
		Set(c.Idle, int(node))
	}
	if Has(c.Vec, slot) {
		c.Vectors--
		clearBit(c.Vec, slot)
	}
	clearBit(c.Old, slot)
	if !latest {
		return
	}
	clearBit(c.Live, slot)
	c.Count--
	c.Total -= int64(b.Rows[i].DL)
	ns.Count.Add(-1)
	ns.Total.Add(-int64(b.Rows[i].DL))
	if slot < c.Sealed {
		c.terms = c.distinct(c.terms[:0], slot)
		postings.Of(c.Segs, slot).Forget(c.terms)
	}
}

// analyze returns how many terms the entry has, how many of these are of title and speaker, and the terms in the form in which
// pages keep them (see [postings.Terms]).
func (c *Core) analyze(e *lukasa.Entry, tongue text.Tongue) (n, head int, terms []byte) {
	body := c.buf[:0]
	body = append(body, 0, 0, 0, 0) // room for the number
	c.analyzer.Take(tongue)
	add := c.Dict.Add
	if c.recent != nil {
		add = c.recent.Add
	}
	for field, s := range [...]string{e.Title, e.Speaker, e.Text} {
		if field == 2 {
			head = n
		}
		c.analyzer.Each(s, func(term []byte, _, start, end int) {
			body = binary.AppendUvarint(body, uint64(add(term, s[start:end])))
			n++
		})
	}
	var number [binary.MaxVarintLen64]byte
	h := binary.PutUvarint(number[:], uint64(n))
	c.buf = body
	copy(body[4-h:], number[:h])
	return n, head, body[4-h:]
}

const pageSize = 1 << 16

// page stores the terms of a slot and returns where.
func (c *Core) page(b []byte) uint32 {
	if len(c.pages) == 0 || c.room < len(b) {
		size := min(max(512, c.written/8), pageSize)
		c.pages = append(c.pages, make([]byte, max(size, len(b))))
		c.room = max(size, len(b))
	}
	p := c.pages[len(c.pages)-1]
	off := len(p) - c.room
	copy(p[off:], b)
	c.room -= len(b)
	c.written += len(b)
	if len(p) > pageSize { // offsets are short: nothing goes behind an overlong one
		c.room = 0
	}
	return uint32(len(c.pages)-1)<<16 | uint32(off)
}

// Forward returns the bytes in which the terms of a slot begin.
func (v *View) Forward(slot int) []byte {
	f := v.Blocks[slot>>BlockShift].Rows[slot&(BlockSlots-1)].fwd
	return v.pages[f>>16][f&0xffff:]
}

// setVector codes a vector. It reports false for one that cannot be compared.
func (c *Core) setVector(b *Block, i int, vec []float32) bool {
	g := c.Geo
	if len(vec) != g.Dim {
		return false
	}
	u := Unit(c.unit, vec)
	if u == nil {
		return false
	}
	c.unit = u
	if b.F32 != nil {
		copy(b.F32[i*g.Dim:], u)
	}
	if c.rotated == nil {
		c.rotated = make([]float32, g.Padded)
	}
	g.Rotation.Apply(c.rotated, u)
	b.Bits.Put(i, c.rotated)
	b.I8.Put(i, c.rotated)
	return true
}

// Unit returns v scaled to length 1, in the memory of dst where that suffices, or nil where v has no length.
func Unit(dst, v []float32) []float32 {
	u := append(dst[:0], v...)
	if n := vector.Normalize(u); len(u) == 0 || n == 0 || math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return nil
	}
	return u
}

// copyFrom copies a slot of another shard of the same owner, as a slot of the given node here.
func (c *Core) copyFrom(v *View, slot int, node uint32) {
	src, from := v.Blocks[slot>>BlockShift], slot&(BlockSlots-1)
	p, d := src.Entry(from), src.Document(from)
	if p.Code == Odd {
		p = c.pack(lukasa.ID(v.odds[p.lo]))
	}
	if d.Code == Odd {
		d = c.pack(lukasa.ID(v.odds[d.lo]))
	}
	if _, s := c.find(p); s >= 0 {
		c.kill(s)
	}
	b, to := c.slot()
	i := to & (BlockSlots - 1)
	dim := 0
	if c.Geo != nil {
		dim = c.Geo.Dim
	}
	b.copySlot(i, src, from, dim)
	b.Rows[i].setIDs(p, d)
	b.Class[i] = c.classID(v.Classes[src.Class[from]])
	if len(src.set) > 0 {
		c.setAt(to, c.setID(v.labelsOf(src.set[from])))
	}
	f := v.Forward(slot)
	b.Rows[i].fwd = c.page(f[:postings.TermsLen(f)])
	if Has(v.Vec, slot) {
		Set(c.Vec, to)
		c.Vectors++
	}
	home := uint32(0)
	if v.Pool {
		home = src.Node[from]
	}
	if tongues := v.Nodes[home].Tongues.Load(); tongues != 0 {
		c.Nodes[node].Tongues.Or(tongues)
	}
	c.admit(b, to, p, node, Has(v.Live, slot))
}

// Wasteful reports whether a shard should be compacted.
func (v *View) Wasteful() bool { return v.N >= 64 && v.Alive*10 < v.N*7 }

// Compacted returns a new core with the entries of a view of c. It only reads, so the writer may go on.
func (v *View) Compacted(c *Core) *Core {
	n := NewCore(c.Dict, c.Names, c.analyzer, v.Geo, v.Pool, c.sealAt)
	n.Exact = v.Exact || v.Vectors == 0
	n.Nodes, n.Idle = nil, nil
	for _, ns := range v.Nodes {
		n.AddNode(ns.ID)
	}
	for slot := range v.N {
		if Has(v.Live, slot) || Has(v.Old, slot) {
			node := uint32(0)
			if v.Pool {
				node = v.Blocks[slot>>BlockShift].Node[slot&(BlockSlots-1)]
			}
			n.copyFrom(v, slot, node)
		}
	}
	return n.Ready()
}

// Bytes returns about how much memory the shard takes.
func (c *Core) Bytes() int64 {
	n := int64(len(c.table)*4 + len(c.tails)*4 + 3*8*len(c.Live))
	for _, b := range c.Blocks {
		n += b.bytes()
	}
	for _, p := range c.pages {
		n += int64(len(p))
	}
	for _, s := range c.Segs {
		n += s.Bytes()
	}
	for _, ns := range c.Nodes {
		n += 64
		if l := ns.Slots.Load(); l != nil {
			n += int64(4 * cap(*l))
		}
	}
	return n + int64(len(c.Classes)*48+len(c.sets)*4) + c.Cells.Bytes()
}

// Own returns about how much of that is memory of this process alone, and not mapped from a file. Cells do not count: they are made anew
// when a file is mapped.
func (c *Core) Own() (n int64) {
	for _, b := range c.Blocks {
		if !c.file.Holds(mmap.Bytes(b.Rows)) {
			n += b.bytes()
		}
	}
	for _, p := range c.pages {
		if !c.file.Holds(p) {
			n += int64(len(p))
		}
	}
	for _, s := range c.Segs {
		if !c.file.Holds(s.Data) {
			n += s.Bytes()
		}
	}
	return n
}

// RemoveFrom takes an entry out if it is there and belongs to the node.
func (c *Core) RemoveFrom(id lukasa.ID, num uint32) {
	_, s := c.find(c.pack(id))
	if s < 0 || c.Pool && c.Blocks[s>>BlockShift].Node[s&(BlockSlots-1)] != num {
		return
	}
	c.kill(s)
}

// KillNode empties a node of a pool.
func (c *Core) KillNode(num uint32) {
	if list := c.Nodes[num].Slots.Load(); list != nil {
		for _, s := range *list {
			c.kill(int(s))
		}
	}
	c.Nodes[num].Slots.Store(nil)
}

// CopyNode copies all entries of a node of a pool, as those of a shard with one node.
func (c *Core) CopyNode(v *View, num uint32) {
	for _, slot := range *v.Nodes[num].Slots.Load() {
		if Has(v.Live, int(slot)) || Has(v.Old, int(slot)) {
			c.copyFrom(v, int(slot), 0)
		}
	}
}

// Replay does in a compacted core, made from a view of c, what has been done in c since.
func (c *Core) Replay(v *View, n *Core) {
	for len(n.Nodes) < len(c.Nodes) {
		n.AddNode(c.Nodes[len(n.Nodes)].ID)
	}
	n.Geo = c.Geo
	for slot := range v.N {
		if (Has(v.Live, slot) || Has(v.Old, slot)) && !Has(c.Live, slot) && !Has(c.Old, slot) {
			p := c.Blocks[slot>>BlockShift].Entry(slot & (BlockSlots - 1))
			if p.Code == Odd {
				p = n.pack(lukasa.ID(c.odds[p.lo]))
			}
			if _, s := n.find(p); s >= 0 {
				n.kill(s)
			}
		}
	}
	now := c.Snapshot()
	for slot := v.N; slot < c.N; slot++ {
		if Has(c.Live, slot) || Has(c.Old, slot) {
			node := uint32(0)
			if c.Pool {
				node = c.Blocks[slot>>BlockShift].Node[slot&(BlockSlots-1)]
			}
			n.copyFrom(now, slot, node)
		}
	}
}

// Spans reports whether an address lies in what the shard has mapped.
func (c *Core) Spans(at uintptr) bool { return mmap.Spans(c.whole, at) }
