package local

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/postings"
)

const changesAtOnce = 1000

// apply brings what is loaded up to date with the changes. The caller holds x.mu.
func (x *Index) apply(ctx context.Context, changes []lukasa.Change) error {
	type place struct{ owner, node lukasa.ID }
	touched := map[place][]lukasa.ID{}
	for _, c := range changes {
		k := place{c.Owner, c.Node}
		touched[k] = append(touched[k], c.Entry)
	}
	byOwner := map[lukasa.ID][]place{}
	for k := range touched {
		byOwner[k.owner] = append(byOwner[k.owner], k)
	}
	for id, places := range byOwner {
		o := x.owner(id)
		var ts []target
		for _, k := range places {
			n := o.node(k.node)
			if h := n.home.Load(); h != nil {
				ts = append(ts, target{node: n, home: h, ids: touched[k]})
			}
		}
		if err := x.refresh(ctx, o, ts); err != nil {
			return err
		}
	}
	for _, c := range changes {
		x.owner(c.Owner).node(c.Node).seq.Store(c.Seq)
	}
	return nil
}

// target is a node in which entries have changed, and where it is.
type target struct {
	node *node
	home *home
	ids  []lukasa.ID
	// loading says that the node is not to be seen yet.
	loading bool
}

// refresh reads entries again and puts them into the nodes that they were said to have changed in, or takes out of those
// what is gone. The caller holds x.mu.
func (x *Index) refresh(ctx context.Context, o *owner, ts []target) error {
	if len(ts) == 0 {
		return nil
	}
	var all []lukasa.ID
	for i := range ts {
		slices.Sort(ts[i].ids)
		ts[i].ids = slices.Compact(ts[i].ids)
		all = append(all, ts[i].ids...)
	}
	o.dirty.Add(int64(len(all)))
	slices.Sort(all)
	entries, err := x.feed.Entries(ctx, x.opt.Space, o.id, slices.Compact(all))
	if err != nil {
		return fmt.Errorf("read changed entries: %w", err)
	}
	byID := make(map[lukasa.ID]*lukasa.Entry, len(entries))
	for i := range entries {
		byID[entries[i].ID] = &entries[i]
		x.learnDim(&entries[i])
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	shards := map[*shard]bool{}
	// Removals first: an entry that moves between two nodes of a pool must not be taken out of where it went.
	for _, add := range [...]bool{false, true} {
		for _, t := range ts {
			if h := t.node.home.Load(); h != t.home && (h != nil || !t.loading) { // unloaded meanwhile
				continue
			}
			c := t.home.shard.core
			c.geo = x.geometry.Load()
			shards[t.home.shard] = true
			for _, id := range t.ids {
				e := byID[id]
				here := e != nil && e.Node == t.node.id
				switch {
				case add && here:
					if c.exact && c.n >= exactSlots && c.wasteful() { // stay small, and so exact
						c = c.snapshot().compacted(c)
						t.home.shard.core = c
					}
					c.put(e, t.home.num)
				case !add && !here:
					c.removeFrom(id, t.home.num)
				}
			}
		}
	}
	for sh := range shards {
		x.settle(o, sh)
	}
	for _, t := range ts {
		x.outgrow(o, t.node)
	}
	return nil
}

func (x *Index) learnDim(e *lukasa.Entry) {
	if len(e.Vector) > 0 && x.geometry.Load() == nil && x.opt.Dim == 0 {
		x.setDim(len(e.Vector))
	}
}

// removeFrom takes an entry out if it is there and belongs to the node.
func (c *core) removeFrom(id lukasa.ID, num uint32) {
	_, s := c.find(c.pack(id))
	if s < 0 || c.pool && c.blocks[s>>blockShift].node[s&(blockSlots-1)] != num {
		return
	}
	c.kill(s)
}

// killNode empties a node of a pool.
func (c *core) killNode(num uint32) {
	if list := c.nodes[num].slots.Load(); list != nil {
		for _, s := range *list {
			c.kill(int(s))
		}
	}
	c.nodes[num].slots.Store(nil)
}

// settle publishes what has been written to a shard and starts its upkeep. The caller holds o.mu.
func (x *Index) settle(o *owner, sh *shard) {
	c := sh.core
	if c.n-c.sealed >= c.sealAt {
		c.seal(c.n)
	}
	sh.view.Store(c.snapshot())
	x.upkeep(o, sh)
}

// smallWork is the number of slots up to which upkeep is done at once, not in the background.
const smallWork = 512

// upkeep merges segments or compacts a shard where that is due. The caller holds o.mu.
func (x *Index) upkeep(o *owner, sh *shard) {
	c := sh.core
	first := postings.Mergeable(c.segs)
	merge := first < len(c.segs)-1
	if sh.busy || !merge && !c.wasteful() {
		return
	}
	v := c.snapshot()
	work := func() (done func()) {
		if v.wasteful() {
			n := v.compacted(c)
			return func() { sh.replay(v, n) }
		}
		m := v.buildSegment(int(v.segs[first].Lo), int(v.segs[len(v.segs)-1].Hi), c.dict.Len())
		return func() { c.replace(v, m) }
	}
	finish := func(done func()) {
		done()
		sh.busy = false
		sh.view.Store(sh.core.snapshot())
		x.upkeep(o, sh)
	}
	if v.n <= smallWork {
		finish(work())
		return
	}
	sh.busy = x.background(func() {
		done := work()
		o.mu.Lock()
		defer o.mu.Unlock()
		finish(done)
	})
}

// replay puts a compacted core, made from a view of the present one, in its place after doing there what has been done here
// since.
func (sh *shard) replay(v *view, n *core) {
	c := sh.core
	for len(n.nodes) < len(c.nodes) {
		n.addNode(c.nodes[len(n.nodes)].id)
	}
	n.geo = c.geo
	for slot := range v.n {
		if (has(v.live, slot) || has(v.old, slot)) && !has(c.live, slot) && !has(c.old, slot) {
			p := c.blocks[slot>>blockShift].entry(slot & (blockSlots - 1))
			if p.code == odd {
				p = n.pack(lukasa.ID(c.odds[p.lo]))
			}
			if _, s := n.find(p); s >= 0 {
				n.kill(s)
			}
		}
	}
	now := c.snapshot()
	for slot := v.n; slot < c.n; slot++ {
		if has(c.live, slot) || has(c.old, slot) {
			node := uint32(0)
			if c.pool {
				node = c.blocks[slot>>blockShift].node[slot&(blockSlots-1)]
			}
			n.copyFrom(now, slot, node)
		}
	}
	if n.n-n.sealed >= n.sealAt {
		n.seal(n.n)
	}
	sh.core = n
}

// outgrow gives a node of the pool a shard of its own once it is no longer tiny. The caller holds o.mu.
func (x *Index) outgrow(o *owner, n *node) {
	h := n.home.Load()
	if h == nil || !h.shard.core.pool || h.shard.core.nodes[h.num].alive.Load() <= int64(x.opt.Tiny) {
		return
	}
	from := h.shard.core
	v := from.snapshot()
	sh := x.newShard(o, false)
	o.shards[sh] = struct{}{}
	sh.core.exact = (v.exact || v.vectors == 0) && x.opt.Tiny < exactEntries
	sh.core.nodes[0].id = n.id
	for _, slot := range *v.nodes[h.num].slots.Load() {
		if has(v.live, int(slot)) || has(v.old, int(slot)) {
			sh.core.copyFrom(v, int(slot), 0)
		}
	}
	sh.view.Store(sh.core.ready().snapshot())
	n.home.Store(&home{shard: sh})
	o.moves.Add(1)
	from.killNode(h.num)
	x.settle(o, h.shard)
}

// loaded returns where the entries of a node are, after reading them from the feed if need be.
func (x *Index) loaded(ctx context.Context, o *owner, n *node) (*home, error) {
	if h := n.home.Load(); h != nil {
		return h, nil
	}
	n.load.Lock()
	defer n.load.Unlock()
	if h := n.home.Load(); h != nil {
		return h, nil
	}
	if err := x.restore(ctx, o); err != nil {
		return nil, err
	}
	if h := n.home.Load(); h != nil {
		return h, nil
	}
	from, err := x.feed.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("read feed head: %w", err)
	}
	h, err := x.read(ctx, o, n)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	err = x.catchUp(ctx, o, n, h, from)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.drop(h)
		return nil, err
	}
	n.home.Store(h)
	o.dirty.Add(h.shard.core.nodes[h.num].alive.Load() + 1)
	x.outgrow(o, n)
	return n.home.Load(), nil
}

// read reads a node's entries from the feed into a shard.
func (x *Index) read(ctx context.Context, o *owner, n *node) (*home, error) {
	var head []lukasa.Entry // the first few, until it is known where they go
	var sh *shard
	err := x.feed.Partition(ctx, x.opt.Space, o.id, n.id, func(e lukasa.Entry) bool {
		x.learnDim(&e)
		if sh == nil {
			if head = append(head, e); len(head) <= x.opt.Tiny {
				return true
			}
			sh = x.newShard(o, false)
			sh.core.exact = x.opt.Tiny < exactEntries
			sh.core.nodes[0].id = n.id
		}
		o.mu.Lock() // terms get their numbers
		defer o.mu.Unlock()
		sh.core.geo = x.geometry.Load()
		for i := range head {
			sh.core.put(&head[i], 0)
		}
		if head == nil {
			sh.core.put(&e, 0)
		}
		head = nil
		return ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("load partition: %w", err)
	}
	if sh != nil {
		sh.view.Store(sh.core.ready().snapshot()) // nobody else has it yet: no need to keep others waiting
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if sh != nil {
		o.shards[sh] = struct{}{}
		return &home{shard: sh}, nil
	}
	if o.pool == nil {
		o.pool = x.newShard(o, true)
		o.shards[o.pool] = struct{}{}
	}
	c := o.pool.core
	c.geo = x.geometry.Load()
	if !n.pooled {
		n.num, n.pooled = c.addNode(n.id), true
	}
	for i := range head {
		c.put(&head[i], n.num)
	}
	x.settle(o, o.pool)
	return &home{shard: o.pool, num: n.num}, nil
}

// catchUp applies what has changed in a node since a seq up to what the others have applied. The caller holds x.mu.
func (x *Index) catchUp(ctx context.Context, o *owner, n *node, h *home, from int64) error {
	for from < x.applied.Load() {
		changes, err := x.feed.Changes(ctx, from, changesAtOnce)
		if err != nil {
			return fmt.Errorf("read changes: %w", err)
		}
		if len(changes) == 0 {
			return nil
		}
		var ids []lukasa.ID
		for _, c := range changes {
			if c.Owner == o.id && c.Node == n.id {
				ids = append(ids, c.Entry)
			}
		}
		if len(ids) > 0 {
			if err := x.refresh(ctx, o, []target{{n, h, ids, true}}); err != nil {
				return err
			}
		}
		from = changes[len(changes)-1].Seq
	}
	return nil
}

// resolved is where the nodes of a long list were found, kept because agents ask for the same list again and again.
type resolved struct {
	nodes    []lukasa.ID
	moves    int64
	distinct int
	shards   []*shard
	nums     []bitmap // by shard: the nodes named in a pool
	counts   []int    // by shard: how many
}

type bitmap []uint64

func (b *bitmap) set(i int) (was bool) {
	for len(*b) <= i>>6 {
		*b = append(*b, 0)
	}
	was = has(*b, i)
	set(*b, i)
	return was
}

// resolve finds the parts that the request names.
func (s *search) resolve(ctx context.Context) error {
	o := s.owner
	for {
		moves := o.moves.Load()
		r := o.list.Load()
		if r == nil || r.moves != moves || !slices.Equal(r.nodes, s.req.Nodes) {
			var err error
			if r, err = s.lookUp(ctx, moves); err != nil {
				return err
			}
		}
		s.parts = s.parts[:0]
		for i, sh := range r.shards {
			s.parts = append(s.parts, part{v: sh.view.Load(), whole: true})
			p := &s.parts[i]
			p.count, p.total = p.v.count, p.v.total
			if p.v.pool && r.counts[i] < len(p.v.nodes) {
				p.narrow(r.nums[i])
			}
		}
		if o.moves.Load() == moves {
			s.named = r.distinct
			return nil
		}
	}
}

// lookUp finds where the named nodes are, loading those that are not.
func (s *search) lookUp(ctx context.Context, moves int64) (*resolved, error) {
	r := &resolved{moves: moves}
	var seen map[*shard]int
	for _, id := range s.req.Nodes {
		h, err := s.x.loaded(ctx, s.owner, s.owner.node(id))
		if err != nil {
			return nil, err
		}
		at := len(r.shards) - 1
		if at < 0 || r.shards[at] != h.shard {
			if seen == nil {
				seen = map[*shard]int{}
			}
			var ok bool
			if at, ok = seen[h.shard]; !ok {
				at = len(r.shards)
				seen[h.shard] = at
				r.shards, r.nums, r.counts = append(r.shards, h.shard), append(r.nums, nil), append(r.counts, 0)
			}
		}
		if !r.nums[at].set(int(h.num)) {
			r.counts[at]++
			r.distinct++
		}
	}
	if len(s.req.Nodes) >= 16 {
		r.nodes = slices.Clone(s.req.Nodes)
		s.owner.list.Store(r)
	}
	return r, nil
}

// narrow leaves the named nodes of a pool.
func (p *part) narrow(nums bitmap) {
	whole := true // what is not named is idle
	for w, idle := range p.v.idle {
		all := ^uint64(0)
		if left := len(p.v.nodes) - w*64; left < 64 {
			all = 1<<uint(max(left, 0)) - 1
		}
		if w < len(nums) {
			idle |= nums[w]
		}
		whole = whole && idle&all == all
	}
	if whole {
		return
	}
	p.whole, p.count, p.total = false, 0, 0
	var slots []uint32
	for w, word := range nums {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			if i >= len(p.v.nodes) {
				continue
			}
			ns := p.v.nodes[i]
			p.count += ns.count.Load()
			p.total += ns.total.Load()
			list := ns.slots.Load()
			if list == nil {
				continue
			}
			for _, s := range *list {
				if int(s) < p.v.n && (has(p.v.live, int(s)) || has(p.v.old, int(s))) {
					slots = append(slots, s)
				}
			}
		}
	}
	if len(slots) <= fewNamed {
		p.slots = slots
		if slots == nil {
			p.slots = []uint32{}
		}
		return
	}
	p.named = make([]uint64, len(p.v.live))
	for _, s := range slots {
		set(p.named, int(s))
	}
}
