package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/mmap"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/text"
)

const changesAtOnce = 1000

// apply notes what has changed in loaded nodes. The caller holds x.mu.
func (x *Index) apply(changes []lukasa.Change) {
	gone := map[*owner]map[*node][]lukasa.ID{}
	for _, c := range changes {
		o := x.owner(c.Owner)
		n := o.node(c.Node)
		if n.home.Load() != nil {
			o.behind.note(n, c)
			if c.Removed {
				if gone[o] == nil {
					gone[o] = map[*node][]lukasa.ID{}
				}
				gone[o][n] = append(gone[o][n], c.Entry)
			}
		}
		n.seq.Store(c.Seq) // behind the note: who sees this one reads that, too
		if c.Removed {
			x.unexpect(c.Owner, c.Entry)
		}
	}
	for o, of := range gone {
		if f, ok := errors.AsType[*mmap.Fault](guard(func() error { return x.remove(o, of) })); ok {
			x.mend(o, writing, f)
		}
	}
}

// target is a node in which entries have changed, and where it is.
type target struct {
	node *node
	home *home
	ids  []lukasa.ID
	last map[lukasa.ID]int64 // the last change of each; nil where that is not known
	// loading says that the node is not to be seen yet.
	loading bool
}

// refresh reads entries again and puts them into the nodes that they were said to have changed in, or takes out of those
// what is gone. Of those who refresh a node one does it at a time.
func (x *Index) refresh(ctx context.Context, o *owner, ts []target) error {
	if len(ts) == 0 {
		return nil
	}
	var all []lukasa.ID // to be read from the rows
	byID := map[lukasa.ID]*Reading{}
	for i := range ts {
		t := &ts[i]
		slices.Sort(t.ids)
		t.ids = slices.Compact(t.ids)
		o.dirty.Add(int64(len(t.ids)))
		for _, id := range t.ids {
			if e := x.expected(o.id, id, t.last[id]); e != nil {
				byID[id] = e
			} else {
				all = append(all, id)
			}
		}
	}
	slices.Sort(all)
	for some := range slices.Chunk(slices.Compact(all), changesAtOnce) {
		list, err := x.feed.Entries(ctx, x.opt.Space, o.id, some)
		if err != nil {
			return fmt.Errorf("read changed entries: %w", err)
		}
		for _, e := range list {
			byID[e.ID] = &Reading{Entry: e}
		}
	}
	for _, t := range ts {
		for _, id := range t.ids {
			if e := byID[id]; e != nil {
				x.learnDim(&e.Entry)
			}
		}
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
			c.Geo = x.geometry.Load()
			shards[t.home.shard] = true
			for _, id := range t.ids {
				e := byID[id]
				here := e != nil && e.Node == t.node.id
				switch {
				case add && here:
					if c.Exact && c.N >= ExactSlots && c.Wasteful() { // stay small, and so exact
						c = c.Snapshot().Compacted(c)
						t.home.shard.core = c
					}
					c.Fill(e, t.home.num)
				case !add && !here:
					c.RemoveFrom(id, t.home.num)
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

// settle publishes what has been written to a shard and starts its upkeep. The caller holds o.mu.
func (x *Index) settle(o *owner, sh *shard) {
	sh.publish()
	x.upkeep(o, sh)
}

// publish shows readers what has been written.
func (sh *shard) publish() {
	sh.core.Follow()
	sh.view.Store(sh.core.Snapshot())
}

// smallWork is the number of slots up to which upkeep is done at once, not in the background.
const smallWork = 512

// upkeep merges segments or compacts a shard where that is due. The caller holds o.mu.
func (x *Index) upkeep(o *owner, sh *shard) {
	c := sh.core
	first := postings.Mergeable(c.Segs)
	merge := first < len(c.Segs)-1
	if sh.busy || !merge && !c.Wasteful() {
		return
	}
	v := c.Snapshot()
	work := func() (done func()) {
		if v.Wasteful() {
			n := v.Compacted(c)
			return func() { c.Replay(v, n); sh.core = n }
		}
		m := v.BuildSegment(int(v.Segs[first].Lo), int(v.Segs[len(v.Segs)-1].Hi), c.Dict.Len())
		return func() { c.Replace(v, m) }
	}
	finish := func(done func()) {
		if sh.core == c { // else there is another by now
			done()
		}
		sh.busy = false
		sh.publish()
		x.upkeep(o, sh)
	}
	if v.N <= smallWork {
		finish(work())
		return
	}
	sh.busy = x.tend(o, func() {
		done := work()
		o.mu.Lock()
		defer o.mu.Unlock()
		finish(done)
	})
}

// outgrow gives a node of the pool a shard of its own once it is no longer tiny. The caller holds o.mu.
func (x *Index) outgrow(o *owner, n *node) {
	h := n.home.Load()
	if h == nil || !h.shard.core.Pool || h.shard.core.Nodes[h.num].Alive.Load() <= int64(x.opt.Tiny) {
		return
	}
	from := h.shard.core
	v := from.Snapshot()
	sh := x.newShard(o, false)
	o.shards[sh] = struct{}{}
	sh.core.Exact = (v.Exact || v.Vectors == 0) && x.opt.Tiny < ExactEntries
	sh.core.Nodes[0].ID = n.id
	sh.core.CopyNode(v, h.num)
	sh.view.Store(sh.core.Ready().Snapshot())
	n.home.Store(&home{shard: sh})
	o.moves.Add(1)
	from.KillNode(h.num)
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
	o.dirty.Add(h.shard.core.Nodes[h.num].Alive.Load() + 1)
	x.outgrow(o, n)
	return n.home.Load(), nil
}

// inlet fills a shard that nobody else has yet, beside the reading of the rows.
type inlet struct {
	sh    *shard
	lists chan []Reading
	spare chan []Reading // lists that have been put, to be used again
	ended sync.WaitGroup
	err   error // once it has ended: what is mapped of the owner could not be read
}

// An inlet is handed so many entries at a time, and holds up other writers for so many.
const (
	listed  = 256
	atOnce  = 32
	waiting = 4 // lists, behind the one that is being put
)

func (x *Index) inlet(o *owner, node lukasa.ID) *inlet {
	in := &inlet{sh: x.newShard(o, false), lists: make(chan []Reading, waiting), spare: make(chan []Reading, waiting+2)}
	c := in.sh.core
	c.Many()
	c.Exact = x.opt.Tiny < ExactEntries
	c.Nodes[0].ID = node
	in.ended.Go(func() {
		fill := func(some []Reading) error {
			o.mu.Lock() // terms get their numbers
			defer o.mu.Unlock()
			c.Geo = x.geometry.Load()
			for i := range some {
				c.Fill(&some[i], 0)
			}
			return nil
		}
		for list := range in.lists {
			for some := range slices.Chunk(list, atOnce) {
				if in.err == nil {
					in.err = guard(func() error { return fill(some) })
				}
			}
			in.spare <- list[:0] // there are no more than it holds
		}
	})
	return in
}

// put hands over a list. What can be done on either side is done here while the other is behind.
func (in *inlet) put(list []Reading) {
	if len(in.lists) >= waiting/2 {
		for i := range list {
			list[i].Read()
		}
	}
	in.lists <- list
}

// list returns an empty list.
func (in *inlet) list() []Reading {
	select {
	case l := <-in.spare:
		return l
	default:
		return make([]Reading, 0, listed)
	}
}

// read reads a node's entries from the feed into a shard.
func (x *Index) read(ctx context.Context, o *owner, n *node) (*home, error) {
	var list []Reading
	var in *inlet // nil until there are more than a tiny node has
	err := x.feed.Partition(ctx, x.opt.Space, o.id, n.id, func(e lukasa.Entry) bool {
		x.learnDim(&e)
		list = append(list, Reading{Entry: e})
		if in == nil && len(list) > x.opt.Tiny {
			in = x.inlet(o, n.id)
		}
		if in != nil && len(list) >= listed {
			in.put(list)
			list = in.list()
		}
		return ctx.Err() == nil
	})
	var sh *shard
	if in != nil {
		in.lists <- list
		close(in.lists)
		in.ended.Wait()
		sh = in.sh
		err = cmp.Or(err, in.err)
	}
	err = cmp.Or(err, ctx.Err())
	if err != nil {
		return nil, fmt.Errorf("load partition: %w", err)
	}
	if sh != nil {
		sh.view.Store(sh.core.Ready().Snapshot()) // nobody else has it yet: no need to keep others waiting
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
	c.Geo = x.geometry.Load()
	if !n.pooled {
		n.num, n.pooled = c.AddNode(n.id), true
	}
	for i := range list {
		c.Fill(&list[i], n.num)
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
			if err := x.refresh(ctx, o, []target{{node: n, home: h, ids: ids, loading: true}}); err != nil {
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
	nums     []Bitmap // by shard: the nodes named in a pool
	counts   []int    // by shard: how many
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
			s.parts = append(s.parts, part{v: sh.view.Load(), from: sh, whole: true})
			p := &s.parts[i]
			p.count, p.total = p.v.Count, p.v.Total
			for num := range EachBit(r.nums[i]) {
				if num < len(p.v.Nodes) {
					p.tongues |= text.Tongues(p.v.Nodes[num].Tongues.Load())
				}
			}
			if p.v.Pool && r.counts[i] < len(p.v.Nodes) {
				p.narrow(r.nums[i])
			}
		}
		if o.moves.Load() == moves {
			s.moves = moves
			s.named, s.dict = r.distinct, s.x.none
			if len(s.parts) > 0 {
				s.dict = s.parts[0].v.Dict
			}
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
		if !r.nums[at].Set(int(h.num)) {
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
func (p *part) narrow(nums Bitmap) {
	whole := true // what is not named is idle
	for w, idle := range p.v.Idle {
		all := ^uint64(0)
		if left := len(p.v.Nodes) - w*64; left < 64 {
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
	var named []uint32
	for w, word := range nums {
		for ; word != 0; word &= word - 1 {
			i := w*64 + bits.TrailingZeros64(word)
			if i >= len(p.v.Nodes) {
				continue
			}
			ns := p.v.Nodes[i]
			p.count += ns.Count.Load()
			p.total += ns.Total.Load()
			list := ns.Slots.Load()
			if list == nil {
				continue
			}
			for _, s := range *list {
				if int(s) < p.v.N && (Has(p.v.Live, int(s)) || Has(p.v.Old, int(s))) {
					named = append(named, s)
				}
			}
		}
	}
	if len(named) <= fewNamed {
		p.slots = named
		if named == nil {
			p.slots = []uint32{}
		}
		return
	}
	p.named = make([]uint64, len(p.v.Live))
	for _, s := range named {
		Set(p.named, int(s))
	}
}
