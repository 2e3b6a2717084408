package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/mapped"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// frozen returns a view whose last block and page are copies, so that it can be written out while the writer goes on.
func (c *core) frozen() *view {
	v := c.snapshot()
	if n := len(v.blocks); n > 0 {
		v.blocks = slices.Clone(v.blocks)
		last := v.blocks[n-1]
		padded, dim := 0, 0
		if last.bits != nil {
			padded, dim = last.bits.Dim, v.geo.dim
		}
		v.blocks[n-1] = last.grown(last.slots(), padded, dim, v.pool, v.exact)
	}
	if n := len(v.pages); n > 0 {
		v.pages = slices.Clone(v.pages)
		p := v.pages[n-1]
		v.pages[n-1] = slices.Clone(p[:len(p)-c.room])
	}
	return v
}

const fileSuffix = ".idx"

// path returns where the file of an owner is.
func (x *Index) path(o lukasa.ID) string {
	name := string(o)
	if _, ok := pack(o); !ok || o == "" {
		sum := sha256.Sum256([]byte(o))
		name = hex.EncodeToString(sum[:16])
	}
	sum := sha256.Sum256([]byte(x.opt.Space + "\x00" + x.opt.Language))
	return filepath.Join(x.opt.Dir, name+"-"+hex.EncodeToString(sum[:4])+fileSuffix)
}

// state is what is saved of an owner, taken at one moment.
type state struct {
	seq    int64
	terms  []string
	words  []string
	shards []shardState
	dirty  int64
}

type shardState struct {
	v      *view
	latest [][]int32
	loaded []bool
}

// capture takes the state of an owner, or nil where saving is not worth it.
func (x *Index) capture(o *owner, all bool) *state {
	x.mu.Lock()
	defer x.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	alive := 0
	for sh := range o.shards {
		alive += sh.core.alive
	}
	dirty := o.dirty.Load()
	enough := int64(x.opt.Save)
	if enough == 0 {
		enough = int64(64 + alive/100)
		if !all {
			enough = int64(256 + alive/10)
		}
	}
	if dirty < enough || alive == 0 {
		return nil
	}
	st := &state{seq: x.applied.Load(), dirty: dirty}
	st.terms, st.words = o.dict.Snapshot()
	at := map[*shard]int{}
	for sh := range o.shards {
		v := sh.core.frozen()
		ss := shardState{v: v, loaded: make([]bool, len(v.nodes))}
		for _, s := range v.segs {
			l := make([]int32, len(s.Latest))
			for i := range s.Latest {
				l[i] = s.Latest[i].Load()
			}
			ss.latest = append(ss.latest, l)
		}
		at[sh] = len(st.shards)
		st.shards = append(st.shards, ss)
	}
	o.nodes.Range(func(_, n any) bool {
		if h := n.(*node).home.Load(); h != nil {
			if i, ok := at[h.shard]; ok {
				st.shards[i].loaded[h.num] = true
			}
		}
		return true
	})
	return st
}

// save writes the file of an owner if enough has changed; all is for the last time.
func (x *Index) save(o *owner, all bool) error {
	if x.opt.Dir == "" || !mapped.LittleEndian() {
		return nil
	}
	st := x.capture(o, all)
	if st == nil {
		return nil
	}
	err := mapped.Write(x.path(o.id), func(w *mapped.Writer) (any, error) {
		m := &manifest{
			Format: fileFormat, Space: x.opt.Space, Language: x.opt.Language, Analyser: analyserMark(x.opt.Language), Seed: rotationSeed,
			Owner: string(o.id), Seq: st.seq, Flags: x.opt.FlagsMark,
		}
		if g := x.geometry.Load(); g != nil {
			m.Dim = g.dim
		}
		from := w.Begin()
		all, ends := postings.Join(st.terms)
		m.Words, m.Ends = w.Put(all), w.Put(mapped.Bytes(ends))
		all, ends = postings.Join(st.words)
		m.Met, m.MetEnds = w.Put(all), w.Put(mapped.Bytes(ends))
		_, m.DictCRC = w.End(from)
		for i := range st.shards {
			meta, err := st.shards[i].write(w)
			if err != nil {
				return nil, err
			}
			m.Shards = append(m.Shards, meta)
		}
		return m, nil
	})
	if err != nil {
		return fmt.Errorf("save index: %w", err)
	}
	o.dirty.Add(-st.dirty)
	return nil
}

// class is the form of a class in a file.
type class struct {
	T, K, C, S, R, U, O, N, V string         `json:",omitempty"`
	F                         float64        `json:",omitempty"`
	L                         bool           `json:",omitempty"`
	G                         []string       `json:",omitempty"`
	M                         map[string]any `json:",omitempty"`
}

func (ss *shardState) write(w *mapped.Writer) (shardMeta, error) {
	v := ss.v
	from := w.Begin()
	m := shardMeta{Pool: v.pool, Exact: v.exact, N: v.n, Sealed: v.sealed, Alive: v.alive, Vectors: v.vectors, Sessions: v.sessions, Count: v.count, Total: v.total, Odds: v.odds, Loaded: ss.loaded}
	m.Live, m.Old, m.Vec = w.Put(mapped.Bytes(v.live)), w.Put(mapped.Bytes(v.old)), w.Put(mapped.Bytes(v.vec))
	classes := make([]class, len(v.classes))
	for i, e := range v.classes {
		classes[i] = class{
			string(e.Type), string(e.Kind), e.ContentType, e.Speaker, e.Role, string(e.Status), string(e.Origin), e.Session, string(e.Conversation),
			e.Confidence, e.Latest, e.Tags, e.Metadata,
		}
	}
	b, err := json.Marshal(classes)
	if err != nil {
		return m, fmt.Errorf("write attributes: %w", err)
	}
	m.Classes = w.Put(b)
	for _, n := range v.nodes {
		m.Nodes = append(m.Nodes, string(n.id))
	}
	for _, b := range v.blocks {
		bm := blockMeta{Rows: w.Put(mapped.Bytes(b.rows)), When: w.Put(mapped.Bytes(b.when)), Class: w.Put(mapped.Bytes(b.class)), Node: w.Put(mapped.Bytes(b.node)), Prev: w.Put(mapped.Bytes(b.prev))}
		if b.bits != nil {
			bm.Codes, bm.Scale, bm.Bias = w.Put(mapped.Bytes(b.bits.Codes)), w.Put(mapped.Bytes(b.bits.Scale)), w.Put(mapped.Bytes(b.bits.Bias))
			bm.Bytes, bm.Step, bm.Exact = w.Put(mapped.Bytes(b.i8.Codes)), w.Put(mapped.Bytes(b.i8.Scale)), w.Put(mapped.Bytes(b.f32))
		}
		m.Blocks = append(m.Blocks, bm)
	}
	for i, s := range v.segs {
		m.Segs = append(m.Segs, segmentMeta{
			Lo: s.Lo, Hi: s.Hi, RefAvg: s.RefAvg, Terms: w.Put(mapped.Bytes(s.Terms)), Offset: w.Put(mapped.Bytes(s.Offset)),
			Latest: w.Put(mapped.Bytes(ss.latest[i])), Impact: w.Put(s.Impact), Data: w.Put(s.Data), DL: w.Put(mapped.Bytes(s.DL)),
		})
	}
	for _, p := range v.pages {
		m.Pages = append(m.Pages, w.Put(p))
	}
	m.Whole, m.CRC = w.End(from)
	return m, nil
}

// restored is a shard that was read from a file.
type restored struct {
	core   *core
	loaded []bool
}

// restore reads the file of an owner, once, before any of its nodes is read from the feed. What cannot be used is left out.
func (x *Index) restore(ctx context.Context, o *owner) error {
	o.restoring.Lock()
	defer o.restoring.Unlock()
	if o.restored || x.opt.Dir == "" || !mapped.LittleEndian() {
		return nil
	}
	m, err := mapped.Open(x.path(o.id))
	if err != nil {
		o.restored = true // there is none
		return nil
	}
	shards, seq, err := x.parse(m, o)
	if err != nil || len(shards) == 0 {
		o.restored = true
		return nil
	}
	head, err := x.feed.Head(ctx)
	if err != nil {
		return fmt.Errorf("read feed head: %w", err)
	}
	if seq > head { // of another store, or of one that was put back to an earlier day
		o.restored = true
		return nil
	}
	if err := x.install(ctx, o, shards, seq); err != nil {
		if ctx.Err() != nil {
			return err
		}
		o.forget() // the log does not reach back so far: start from the rows
	}
	o.restored = true
	return nil
}

// parse makes shards of a file. Damaged ones are left out.
func (x *Index) parse(m *mapped.File, o *owner) ([]restored, int64, error) {
	var mf manifest
	if err := m.Manifest(&mf); err != nil {
		return nil, 0, err
	}
	if mf.Dim > 0 && x.opt.Dim == 0 {
		x.setDim(mf.Dim)
	}
	g := x.geometry.Load()
	if mf.Format != fileFormat || mf.Space != x.opt.Space || mf.Language != x.opt.Language || mf.Analyser != analyserMark(x.opt.Language) ||
		mf.Seed != rotationSeed || mf.Owner != string(o.id) || mf.Flags != x.opt.FlagsMark || g != nil && mf.Dim != g.dim && mf.Dim != 0 || g == nil && mf.Dim != 0 {
		return nil, 0, mapped.ErrUnusable
	}
	whole := m.At(mapped.Span{Off: mf.Words.Off, Len: mf.MetEnds.Off + mf.MetEnds.Len - mf.Words.Off})
	if whole == nil || mapped.Checksum(whole) != mf.DictCRC {
		return nil, 0, mapped.ErrUnusable
	}
	terms, ok := postings.Cut(string(m.At(mf.Words)), mapped.As[uint32](m.At(mf.Ends)))
	words, ok2 := postings.Cut(string(m.At(mf.Met)), mapped.As[uint32](m.At(mf.MetEnds)))
	if !ok || !ok2 || !o.dict.Fill(terms, words) {
		return nil, 0, mapped.ErrUnusable
	}
	var out []restored
	for i := range mf.Shards {
		sm := &mf.Shards[i]
		b := m.At(sm.Whole)
		if b == nil || mapped.Checksum(b) != sm.CRC {
			continue
		}
		if c := x.revive(m, o, sm); c != nil {
			out = append(out, restored{c, sm.Loaded})
		}
	}
	return out, mf.Seq, nil
}

// revive makes a shard of its part of a file, or returns nil where the parts do not fit together.
func (x *Index) revive(m *mapped.File, o *owner, sm *shardMeta) *core {
	c := newCore(o.dict, o.analyzer, x.opt.Flags, x.geometry.Load(), sm.Pool, x.opt.Seal)
	c.file, c.table, c.tails, c.mapped = m, nil, nil, true
	c.exact, c.n, c.sealed, c.odds = sm.Exact, sm.N, sm.Sealed, sm.Odds
	c.alive, c.vectors, c.sessions, c.count, c.total = sm.Alive, sm.Vectors, sm.Sessions, sm.Count, sm.Total
	for i, id := range sm.Odds {
		if c.oddOf == nil {
			c.oddOf = map[string]uint64{}
		}
		c.oddOf[id] = uint64(i)
	}
	words := len(sm.Blocks) * blockWords
	c.live, c.old, c.vec = slices.Clone(mapped.As[uint64](m.At(sm.Live))), slices.Clone(mapped.As[uint64](m.At(sm.Old))), slices.Clone(mapped.As[uint64](m.At(sm.Vec)))
	if len(c.live) != words || len(c.old) != words || len(c.vec) != words || len(sm.Loaded) != len(sm.Nodes) || len(sm.Nodes) == 0 {
		return nil
	}
	var classes []class
	if err := json.Unmarshal(m.At(sm.Classes), &classes); err != nil {
		return nil
	}
	for _, k := range classes {
		e := &lukasa.Entry{
			Type: lukasa.EntryType(k.T), Kind: lukasa.MemoryKind(k.K), ContentType: k.C, Speaker: k.S, Role: k.R, Status: lukasa.Status(k.U),
			Origin: lukasa.Origin(k.O), Session: k.N, Conversation: lukasa.ID(k.V), Confidence: k.F, Latest: k.L, Tags: k.G, Metadata: k.M,
		}
		c.classOf[classKey(e)] = uint32(len(c.classes))
		c.classes = append(c.classes, e)
	}
	if !c.reviveBlocks(m, sm) || !c.reviveSegments(m, sm) {
		return nil
	}
	for _, p := range sm.Pages {
		b := m.At(p)
		c.pages = append(c.pages, b)
		c.written += len(b)
	}
	c.nodes, c.idle = nil, nil
	for _, id := range sm.Nodes {
		c.addNode(lukasa.ID(id))
	}
	return c.reviveNodes()
}

func (c *core) reviveBlocks(m *mapped.File, sm *shardMeta) bool {
	slots := 0
	for i := range sm.Blocks {
		bm := &sm.Blocks[i]
		b := &block{rows: mapped.As[row](m.At(bm.Rows)), when: mapped.As[int64](m.At(bm.When)), class: mapped.As[uint32](m.At(bm.Class)), node: mapped.As[uint32](m.At(bm.Node)), prev: mapped.As[uint32](m.At(bm.Prev))}
		n := b.slots()
		if n == 0 || len(b.when) != n || len(b.class) != n || len(b.prev) != n || c.pool && len(b.node) != n {
			return false
		}
		if bm.Codes.Len > 0 {
			if c.geo == nil {
				return false
			}
			padded, dim := c.geo.padded, c.geo.dim
			b.bits = &vector.Bits{Dim: padded, Codes: mapped.As[uint64](m.At(bm.Codes)), Scale: mapped.As[float32](m.At(bm.Scale)), Bias: mapped.As[float32](m.At(bm.Bias))}
			b.i8 = &vector.Int8{Dim: padded, Codes: mapped.As[int8](m.At(bm.Bytes)), Scale: mapped.As[float32](m.At(bm.Step))}
			b.f32 = mapped.As[float32](m.At(bm.Exact))
			if b.bits.Check() != nil || b.i8.Check() != nil || b.bits.Slots() != n || b.i8.Slots() != n || b.f32 != nil && len(b.f32) != n*dim {
				return false
			}
		}
		for _, k := range b.class {
			if int(k) >= max(1, len(c.classes)) {
				return false
			}
		}
		if i < len(sm.Blocks)-1 && n != blockSlots {
			return false
		}
		c.blocks = append(c.blocks, b)
		slots += n
	}
	return c.n >= 0 && c.n <= slots && c.sealed >= 0 && c.sealed <= c.n && c.reviveChains()
}

func (c *core) reviveSegments(m *mapped.File, sm *shardMeta) bool {
	at := uint32(0)
	for i := range sm.Segs {
		g := &sm.Segs[i]
		s := &postings.Segment{
			Lo: g.Lo, Hi: g.Hi, RefAvg: g.RefAvg, Terms: mapped.As[uint32](m.At(g.Terms)), Offset: mapped.As[uint32](m.At(g.Offset)),
			Impact: m.At(g.Impact), Data: m.At(g.Data), DL: mapped.As[uint16](m.At(g.DL)),
		}
		latest := mapped.As[int32](m.At(g.Latest))
		n := len(s.Terms)
		if s.Lo != at || s.Hi <= s.Lo || len(s.Offset) != n+1 || len(s.Impact) != n || len(latest) != n || len(s.DL) != int(s.Hi-s.Lo) {
			return false
		}
		s.Latest = make([]atomic.Int32, n)
		for j := range latest {
			s.Latest[j].Store(latest[j])
		}
		c.segs = append(c.segs, s)
		at = s.Hi
	}
	return int(at) == c.sealed
}

// reviveNodes counts what belongs to each node.
func (c *core) reviveNodes() *core {
	if !c.pool {
		ns := c.nodes[0]
		ns.alive.Store(int64(c.alive))
		ns.count.Store(c.count)
		ns.total.Store(c.total)
		if c.alive > 0 {
			clearBit(c.idle, 0)
		}
		return c
	}
	lists := make([][]uint32, len(c.nodes))
	for slot := range c.n {
		latest := has(c.live, slot)
		if !latest && !has(c.old, slot) {
			continue
		}
		b, i := c.blocks[slot>>blockShift], slot&(blockSlots-1)
		n := b.node[i]
		if int(n) >= len(lists) {
			return nil
		}
		lists[n] = append(lists[n], uint32(slot))
		ns := c.nodes[n]
		ns.alive.Add(1)
		if latest {
			ns.count.Add(1)
			ns.total.Add(int64(b.rows[i].dl))
		}
	}
	for n, l := range lists {
		if len(l) > 0 {
			c.nodes[n].slots.Store(&lists[n])
			clearBit(c.idle, n)
		}
	}
	return c
}

// maxReplay is how many changes are worth going through before a file is given up.
const maxReplay = 200_000

// install brings restored shards up to date and makes them the homes of their nodes.
func (x *Index) install(ctx context.Context, o *owner, shards []restored, seq int64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.applied.Load()-seq > maxReplay {
		return mapped.ErrUnusable
	}
	homes := map[lukasa.ID]*home{}
	o.mu.Lock()
	for _, r := range shards {
		sh := &shard{core: r.core}
		o.shards[sh] = struct{}{}
		if r.core.pool {
			o.pool = sh
		}
		for num, ns := range r.core.nodes {
			n := o.node(ns.id)
			if r.core.pool {
				n.num, n.pooled = uint32(num), true
			}
			if !r.loaded[num] {
				r.core.killNode(uint32(num))
				continue
			}
			homes[ns.id] = &home{shard: sh, num: uint32(num)}
		}
		sh.view.Store(sh.core.snapshot())
	}
	o.mu.Unlock()
	for seq < x.applied.Load() {
		changes, err := x.feed.Changes(ctx, seq, changesAtOnce)
		if err != nil {
			return fmt.Errorf("read changes: %w", err)
		}
		if len(changes) == 0 {
			break
		}
		touched := map[lukasa.ID][]lukasa.ID{}
		for _, c := range changes {
			if c.Owner == o.id && homes[c.Node] != nil {
				touched[c.Node] = append(touched[c.Node], c.Entry)
			}
		}
		var ts []target
		for id, ids := range touched {
			ts = append(ts, target{o.node(id), homes[id], ids, true})
		}
		if err := x.refresh(ctx, o, ts); err != nil {
			return err
		}
		seq = changes[len(changes)-1].Seq
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, h := range homes {
		o.node(id).home.Store(h)
	}
	return nil
}

// forget drops everything that is held of an owner.
func (o *owner) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.moves.Add(1)
	clear(o.shards)
	o.pool = nil
	o.nodes.Range(func(_, v any) bool {
		n := v.(*node)
		n.home.Store(nil)
		n.pooled = false
		return true
	})
}

// saver writes changed owners from time to time until the index is closed.
func (x *Index) saver(every time.Duration) {
	defer close(x.saved)
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-x.closing:
			return
		case <-t.C:
			_ = x.saveAll(false) // the next start is slower, that is all
		}
	}
}

func (x *Index) saveAll(last bool) error {
	var first error
	x.owners.Range(func(_, v any) bool {
		if err := x.save(v.(*owner), last); err != nil && first == nil {
			first = err
		}
		return true
	})
	return first
}

// discard removes the file of an owner, or the files of all for "".
func (x *Index) discard(o lukasa.ID) {
	if x.opt.Dir == "" {
		return
	}
	if o != "" {
		_ = os.Remove(x.path(o))
		return
	}
	names, err := filepath.Glob(filepath.Join(x.opt.Dir, "*"+fileSuffix))
	if err != nil {
		return
	}
	for _, name := range names {
		_ = os.Remove(name)
	}
}
