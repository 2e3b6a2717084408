package local

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lukasa-memory/lukasa"
)

// What has changed is noted for its owner when the log is read, and read from the rows when that owner is next searched here: all
// that came meanwhile at once, and beside what other owners' searches read. So a process that shares a store with others does not pay
// for writes whose owners nobody asks it for.
//
// What was removed goes at once, as that needs no rows: what is forgotten does not stay in memory until somebody searches.

// Only one search of an owner reads at a time. Another waits for it where it needs a change that is being read: one in a node that it
// names, noted before it began. All others go on with the views that are there.

// lag is what has changed in the loaded nodes of an owner and is still to be read.
type lag struct {
	first int64 // the first of the changes
	nodes map[*node]*changed
}

// changed is what has changed in one node.
type changed struct {
	first   int64
	entries map[lukasa.ID]int64 // with the last of their changes
}

// behind is how far an owner is behind the changes that were noted.
type behind struct {
	some atomic.Bool // there is something to be read, or it is being read

	mu    sync.Mutex    // held for moments only
	noted *lag          // nil for nothing
	taken *lag          // what is being read
	ended chan struct{} // closed when that has ended; nil: nobody reads
}

// note adds a change.
func (b *behind) note(n *node, c lukasa.Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.noted = b.noted.with(n, c.Entry, c.Seq)
	b.some.Store(true)
}

func (l *lag) with(n *node, entry lukasa.ID, seq int64) *lag {
	if l == nil {
		l = &lag{first: seq, nodes: map[*node]*changed{}}
	}
	c := l.nodes[n]
	if c == nil {
		c = &changed{first: seq, entries: map[lukasa.ID]int64{}}
		l.nodes[n] = c
	}
	c.first, c.entries[entry] = min(c.first, seq), max(c.entries[entry], seq)
	return l
}

// has reports whether a change up to seen in one of the nodes is among these.
func (l *lag) has(nodes []lukasa.ID, seen int64) bool {
	if l == nil || l.first > seen {
		return false
	}
	for n, c := range l.nodes {
		if c.first <= seen && slices.Contains(nodes, n.id) {
			return true
		}
	}
	return false
}

// farBehind is how many entries may wait for a search. More are read when somebody asks for the nodes to be loaded.
const farBehind = 128

// far reports whether more is to be read than a search should have to wait for.
func (b *behind) far() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.noted == nil {
		return false
	}
	n := 0
	for _, c := range b.noted.nodes {
		n += len(c.entries)
	}
	return n > farBehind
}

// needs reports whether a change up to seen in one of the nodes is still to be read.
func (b *behind) needs(nodes []lukasa.ID, seen int64) bool {
	if !b.some.Load() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.noted.has(nodes, seen) || b.taken.has(nodes, seen)
}

// take hands out what was noted, if somebody needs it and nobody reads; else what to wait for, or neither. Whoever takes calls done, which
// notes again what was not read.
func (b *behind) take(nodes []lukasa.ID, seen int64) (l *lag, wait <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.noted.has(nodes, seen) && !b.taken.has(nodes, seen) {
		return nil, nil
	}
	if b.ended != nil {
		return nil, b.ended
	}
	b.noted, b.taken, b.ended = nil, b.noted, make(chan struct{})
	return b.taken, nil
}

func (b *behind) done(well bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.taken; !well {
		again := b.noted
		b.noted = l
		if again != nil {
			for n, c := range again.nodes {
				for e, seq := range c.entries {
					l.with(n, e, seq)
				}
				l.nodes[n].first = min(l.nodes[n].first, c.first)
			}
		}
	}
	close(b.ended)
	b.taken, b.ended = nil, nil
	b.some.Store(b.noted != nil)
}

// forget drops what was noted: nothing is loaded any more.
func (b *behind) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.noted = nil
	b.some.Store(b.taken != nil)
}

// seq returns the last change up to which everything has been read, at most last.
func (b *behind) seq(last int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range []*lag{b.noted, b.taken} {
		if l != nil {
			last = min(last, l.first-1)
		}
	}
	return last
}

// keepUp sees to it that the nodes show all changes up to seen, 0 for all that have been noted: it reads what has changed in the loaded
// nodes of the owner, or waits for whoever reads that. Where the nodes show it already it does neither. The caller uses the owner, so
// that it is not put away.
func (x *Index) keepUp(ctx context.Context, o *owner, nodes []lukasa.ID, seen int64) error {
	if !o.behind.some.Load() {
		return nil
	}
	if seen <= 0 {
		seen = x.applied.Load()
	}
	for {
		l, wait := o.behind.take(nodes, seen)
		if l != nil {
			return x.catch(ctx, o, l)
		}
		if wait == nil {
			return nil
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// catch reads what was taken.
func (x *Index) catch(ctx context.Context, o *owner, l *lag) error {
	well := false
	defer func() { o.behind.done(well) }()
	var ts []target
	for n, c := range l.nodes {
		if h := n.home.Load(); h != nil {
			ts = append(ts, target{node: n, home: h, ids: slices.Collect(maps.Keys(c.entries)), last: c.entries})
		}
	}
	err := x.refresh(ctx, o, ts)
	well = err == nil
	return err
}

// remove takes out of a loaded node what is said to have gone from it. Whether it has come back since, the rows tell.
func (x *Index) remove(o *owner, gone map[*node][]lukasa.ID) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	shards := map[*shard]bool{}
	for n, ids := range gone {
		h := n.home.Load()
		if h == nil {
			continue
		}
		shards[h.shard] = true
		for _, id := range ids {
			h.shard.core.RemoveFrom(id, h.num)
		}
	}
	for sh := range shards {
		x.settle(o, sh)
	}
	return nil
}
