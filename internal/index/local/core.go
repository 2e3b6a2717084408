package local

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/mapped"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// geometry is what the vectors of an index have in common.
type geometry struct {
	dim, padded int
	rotation    *vector.Rotation
}

// view is a state of a shard that readers use. Nothing in it changes, except that the counters of segments and nodes follow
// the writer.
type view struct {
	pool, exact bool
	geo         *geometry
	file        *mapped.File // keeps in memory what blocks, segments and pages may point into
	n           int          // slots in use
	blocks      []*block
	live        []uint64 // slots with a latest entry
	old         []uint64 // slots with an entry that is not the latest
	vec         []uint64 // slots with a vector
	segs        []*postings.Segment
	sealed      int // slots before it are in segs
	pages       [][]byte
	classes     []*lukasa.Entry
	odds        []string
	nodes       []*nodeSlots
	idle        bitmap // nodes without entries
	count       int64
	total       int64
	alive       int // entries, latest or not
	vectors     int
	sessions    int // met so far
}

// nodeSlots says where the entries of one node of a pool stand; slots of entries that are gone stay until the next
// compaction.
type nodeSlots struct {
	id           lukasa.ID
	slots        atomic.Pointer[[]uint32]
	count, total atomic.Int64 // of latest entries
	alive        atomic.Int64 // entries, latest or not
}

// core is the writer's side of a shard. Its embedded view is the one in the making.
type core struct {
	view
	sealAt   int
	dict     *postings.Dict
	analyzer *text.Analyzer
	flags    func(text string) uint16
	tails    []uint32 // slot+1 of the last of a session, by its key; its length is a power of two
	classOf  map[[16]byte]uint32
	copied   map[*lukasa.Entry]uint32
	oddOf    map[string]uint64
	table    []uint32 // slot+1 by id; its length is a power of two
	used     int
	room     int  // free bytes of the last page
	mapped   bool // the last block is part of a file and not to be written to
	written  int  // bytes of all pages
	buf      []byte
	terms    []uint32
	rotated  []float32
}

func newCore(d *postings.Dict, a *text.Analyzer, flags func(string) uint16, geo *geometry, pool bool, sealAt int) *core {
	c := &core{view: view{pool: pool, exact: true, geo: geo}, dict: d, analyzer: a, flags: flags, sealAt: sealAt, classOf: map[[16]byte]uint32{}, table: make([]uint32, 32), tails: make([]uint32, 16)}
	if !pool {
		c.addNode("")
	}
	return c
}

// addNode adds a node without entries and returns its number.
func (c *core) addNode(id lukasa.ID) uint32 {
	n := len(c.nodes)
	c.nodes = append(c.nodes, &nodeSlots{id: id})
	c.idle.set(n)
	return uint32(n)
}

// snapshot returns a view of what c holds now.
func (c *core) snapshot() *view {
	v := c.view
	v.live, v.old, v.vec, v.idle = slices.Clone(c.live), slices.Clone(c.old), slices.Clone(c.vec), slices.Clone(c.idle)
	return &v
}

func has(bm []uint64, i int) bool { return bm[i>>6]>>(uint(i)&63)&1 != 0 }
func set(bm []uint64, i int)      { bm[i>>6] |= 1 << (uint(i) & 63) }
func clearBit(bm []uint64, i int) { bm[i>>6] &^= 1 << (uint(i) & 63) }

func popcount(bm []uint64) (n int) {
	for _, w := range bm {
		n += bits.OnesCount64(w)
	}
	return n
}

// pack packs an id, giving one of another form a number.
func (c *core) pack(id lukasa.ID) packed {
	if p, ok := pack(id); ok {
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
	return packed{lo: n, code: odd}
}

// find returns where the table holds p, or where it would, and the slot.
func (c *core) find(p packed) (at, slot int) {
	if c.table == nil {
		c.indexAll()
	}
	mask := uint32(len(c.table) - 1)
	for i := p.hash() & mask; ; i = (i + 1) & mask {
		s := c.table[i]
		if s == 0 {
			return int(i), -1
		}
		if c.blocks[(s-1)>>blockShift].entry(int(s-1)&(blockSlots-1)) == p {
			return int(i), int(s - 1)
		}
	}
}

// index puts the id of a slot into the table. If the id is there already, its entry must be gone.
func (c *core) index(p packed, slot int) {
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
		i := c.blocks[(s-1)>>blockShift].entry(int(s-1)&(blockSlots-1)).hash() & mask
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
	return min(blockSlots, (n+n/2+63)&^63)
}

// indexAll makes the table of a shard that comes from a file.
func (c *core) indexAll() {
	c.table = make([]uint32, 32)
	for slot := range c.n {
		if has(c.live, slot) || has(c.old, slot) {
			c.index(c.blocks[slot>>blockShift].entry(slot&(blockSlots-1)), slot)
		}
	}
}

// slot makes room for one more slot and returns its block and number.
func (c *core) slot() (b *block, slot int) {
	slot = c.n
	bi, i := slot>>blockShift, slot&(blockSlots-1)
	padded, dim := 0, 0
	if c.geo != nil {
		padded, dim = c.geo.padded, c.geo.dim
	}
	switch {
	case bi == len(c.blocks):
		c.blocks = append(c.blocks, (&block{}).grown(firstSlots, padded, dim, c.pool, c.exact))
		words := len(c.blocks) * blockWords
		c.live, c.old, c.vec = resize(c.live, words), resize(c.old, words), resize(c.vec, words)
	case i == c.blocks[bi].slots():
		c.blocks = slices.Clone(c.blocks)
		if i >= exactSlots { // from here on the exact vectors are read from the feed
			c.exact = false
			small := *c.blocks[bi]
			small.f32 = nil
			c.blocks[bi] = &small
		}
		c.blocks[bi] = c.blocks[bi].grown(moreSlots(i), padded, dim, c.pool, c.exact)
	case c.mapped, padded > 0 && c.blocks[bi].bits == nil:
		c.blocks = slices.Clone(c.blocks)
		c.blocks[bi] = c.blocks[bi].grown(c.blocks[bi].slots(), padded, dim, c.pool, c.exact)
	}
	c.mapped = false
	c.n++
	return c.blocks[bi], slot
}

// put inserts an entry or replaces the one with its id.
func (c *core) put(e *lukasa.Entry, node uint32) {
	p := c.pack(e.ID)
	if _, s := c.find(p); s >= 0 {
		c.kill(s)
	}
	b, slot := c.slot()
	i := slot & (blockSlots - 1)
	d := c.pack(e.Document)
	b.rows[i].setIDs(p, d)
	b.rows[i].seq = e.Seq
	b.setTimes(i, e)
	b.class[i] = c.class(e)
	dl, head, terms := c.analyze(e)
	b.rows[i].dl = uint16(min(dl, math.MaxUint16))
	b.rows[i].head, b.rows[i].flags = uint16(min(head, math.MaxUint16)), 0
	if c.flags != nil {
		b.rows[i].flags = c.flags(e.Text)
	}
	b.rows[i].fwd = c.page(terms)
	if c.geo != nil && b.bits != nil && c.setVector(b, i, e.Vector) {
		set(c.vec, slot)
		c.vectors++
	}
	c.admit(b, slot, p, node, e.Latest)
}

// admit makes a filled slot count.
func (c *core) admit(b *block, slot int, p packed, node uint32, latest bool) {
	i := slot & (blockSlots - 1)
	ns := c.nodes[node]
	if c.pool {
		b.node[i] = node
		var list []uint32
		if old := ns.slots.Load(); old != nil {
			list = *old
		}
		list = append(list, uint32(slot))
		ns.slots.Store(&list)
	}
	if ns.alive.Add(1) == 1 {
		clearBit(c.idle, int(node))
	}
	c.alive++
	if latest {
		set(c.live, slot)
		c.count++
		c.total += int64(b.rows[i].dl)
		ns.count.Add(1)
		ns.total.Add(int64(b.rows[i].dl))
	} else {
		set(c.old, slot)
	}
	c.index(p, slot)
	c.chain(b, slot)
}

// kill empties a slot. It may be empty already.
func (c *core) kill(slot int) {
	b, i := c.blocks[slot>>blockShift], slot&(blockSlots-1)
	latest := has(c.live, slot)
	if !latest && !has(c.old, slot) {
		return
	}
	node := uint32(0)
	if c.pool {
		node = b.node[i]
	}
	ns := c.nodes[node]
	c.alive--
	if ns.alive.Add(-1) == 0 {
		set(c.idle, int(node))
	}
	if has(c.vec, slot) {
		c.vectors--
		clearBit(c.vec, slot)
	}
	clearBit(c.old, slot)
	if !latest {
		return
	}
	clearBit(c.live, slot)
	c.count--
	c.total -= int64(b.rows[i].dl)
	ns.count.Add(-1)
	ns.total.Add(-int64(b.rows[i].dl))
	if slot < c.sealed {
		c.terms = c.distinct(c.terms[:0], slot)
		postings.Of(c.segs, slot).Forget(c.terms)
	}
}

// class returns the number of the entry's attributes: what filters compare, but for times and document.
func (c *core) class(e *lukasa.Entry) uint32 {
	k := &lukasa.Entry{
		Type: e.Type, Kind: e.Kind, ContentType: e.ContentType, Speaker: e.Speaker, Role: e.Role, Status: e.Status, Origin: e.Origin,
		Session: e.Session, Conversation: e.Conversation, Confidence: e.Confidence, Latest: e.Latest, Tags: e.Tags, Metadata: e.Metadata,
	}
	return c.classID(k, classKey(k))
}

func (c *core) classID(k *lukasa.Entry, key [16]byte) uint32 {
	if n, ok := c.classOf[key]; ok {
		return n
	}
	n := uint32(len(c.classes))
	c.classes = append(c.classes, k)
	c.classOf[key] = n
	return n
}

// copyClass is classID for a class of another shard.
func (c *core) copyClass(k *lukasa.Entry) uint32 {
	n, ok := c.copied[k]
	if !ok {
		if c.copied == nil {
			c.copied = map[*lukasa.Entry]uint32{}
		}
		n = c.classID(k, classKey(k))
		c.copied[k] = n
	}
	return n
}

func classKey(e *lukasa.Entry) (key [16]byte) {
	var stack [512]byte
	b := stack[:0]
	add := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	for _, s := range [...]string{
		string(e.Type), string(e.Kind), e.ContentType, e.Speaker, e.Role, string(e.Status), string(e.Origin), e.Session, string(e.Conversation),
	} {
		add(s)
	}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(e.Confidence))
	if e.Latest {
		b = append(b, 1)
	}
	b = binary.AppendUvarint(b, uint64(len(e.Tags)))
	for _, t := range e.Tags {
		add(t)
	}
	if len(e.Metadata) > 0 {
		m, err := json.Marshal(e.Metadata) // keys are sorted
		if err != nil {                    // holds what JSON has no form for
			m = fmt.Appendf(nil, "%v", e.Metadata)
		}
		b = append(b, m...)
	}
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16])
}

// analyze returns how many terms the entry has, how many of these are of title and speaker, and the terms in the form in which pages keep them: their number, then for each
// term its number << 1, with the lowest bit set when it does not stand one position behind the term before and that distance
// follows.
func (c *core) analyze(e *lukasa.Entry) (n, head int, terms []byte) {
	body, last, base := c.buf[:0], -1, 0
	body = append(body, 0, 0, 0, 0) // room for the number
	for field, s := range [...]string{e.Title, e.Speaker, e.Text} {
		if field == 2 {
			head = n
		}
		c.analyzer.Each(s, func(term []byte, pos, start, end int) {
			v := uint64(c.dict.Add(term, s[start:end])) << 1
			pos += base
			if pos == last+1 {
				body = binary.AppendUvarint(body, v)
			} else {
				body = binary.AppendUvarint(binary.AppendUvarint(body, v|1), uint64(pos-last))
			}
			last = pos
			n++
		})
		base = last + 2 // fields do not touch
	}
	var number [binary.MaxVarintLen64]byte
	h := binary.PutUvarint(number[:], uint64(n))
	c.buf = body
	copy(body[4-h:], number[:h])
	return n, head, body[4-h:]
}

const pageSize = 1 << 16

// page stores the terms of a slot and returns where.
func (c *core) page(b []byte) uint32 {
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

// forward returns the bytes in which the terms of a slot begin.
func (v *view) forward(slot int) []byte {
	f := v.blocks[slot>>blockShift].rows[slot&(blockSlots-1)].fwd
	return v.pages[f>>16][f&0xffff:]
}

// setVector codes a vector. It reports false for one that cannot be compared.
func (c *core) setVector(b *block, i int, vec []float32) bool {
	g := c.geo
	if len(vec) != g.dim {
		return false
	}
	u := unit(vec)
	if u == nil {
		return false
	}
	if b.f32 != nil {
		copy(b.f32[i*g.dim:], u)
	}
	if c.rotated == nil {
		c.rotated = make([]float32, g.padded)
	}
	g.rotation.Apply(c.rotated, u)
	b.bits.Put(i, c.rotated)
	b.i8.Put(i, c.rotated)
	return true
}

// unit returns v scaled to length 1, or nil where it has none.
func unit(v []float32) []float32 {
	u := slices.Clone(v)
	if n := vector.Normalize(u); len(u) == 0 || n == 0 || math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return nil
	}
	return u
}

// copyFrom copies a slot of another shard of the same owner, as a slot of the given node here.
func (c *core) copyFrom(v *view, slot int, node uint32) {
	src, from := v.blocks[slot>>blockShift], slot&(blockSlots-1)
	p, d := src.entry(from), src.document(from)
	if p.code == odd {
		p = c.pack(lukasa.ID(v.odds[p.lo]))
	}
	if d.code == odd {
		d = c.pack(lukasa.ID(v.odds[d.lo]))
	}
	if _, s := c.find(p); s >= 0 {
		c.kill(s)
	}
	b, to := c.slot()
	i := to & (blockSlots - 1)
	dim := 0
	if c.geo != nil {
		dim = c.geo.dim
	}
	b.copySlot(i, src, from, dim)
	b.rows[i].setIDs(p, d)
	b.class[i] = c.copyClass(v.classes[src.class[from]])
	f := v.forward(slot)
	b.rows[i].fwd = c.page(f[:postings.TermsLen(f)])
	if has(v.vec, slot) {
		set(c.vec, to)
		c.vectors++
	}
	c.admit(b, to, p, node, has(v.live, slot))
}

// wasteful reports whether a shard should be compacted.
func (v *view) wasteful() bool { return v.n >= 64 && v.alive*10 < v.n*7 }

// compacted returns a new core with the entries of a view of c. It only reads, so the writer may go on.
func (v *view) compacted(c *core) *core {
	n := newCore(c.dict, c.analyzer, c.flags, v.geo, v.pool, c.sealAt)
	n.exact = v.exact || v.vectors == 0
	n.nodes, n.idle = nil, nil
	for _, ns := range v.nodes {
		n.addNode(ns.id)
	}
	for slot := range v.n {
		if has(v.live, slot) || has(v.old, slot) {
			node := uint32(0)
			if v.pool {
				node = v.blocks[slot>>blockShift].node[slot&(blockSlots-1)]
			}
			n.copyFrom(v, slot, node)
		}
	}
	return n.ready()
}

// bytes returns about how much memory the shard takes.
func (c *core) bytes() int64 {
	n := int64(len(c.table)*4 + len(c.tails)*4 + 3*8*len(c.live))
	for _, b := range c.blocks {
		n += b.bytes()
	}
	for _, p := range c.pages {
		n += int64(len(p))
	}
	for _, s := range c.segs {
		n += s.Bytes()
	}
	for _, ns := range c.nodes {
		n += 64
		if l := ns.slots.Load(); l != nil {
			n += int64(4 * cap(*l))
		}
	}
	return n + int64(len(c.classes))*400
}
