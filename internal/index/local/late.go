package local

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/lukasa-memory/lukasa"
)

// What has changed is noted for its owner when the log is read, and read from the rows when that owner is next searched here: all
// that came meanwhile at once, and beside what other owners' searches read. So a process that shares a store with others does not pay
// for writes whose owners nobody asks it for.
//
// What was removed goes at once, as that needs no rows: what is forgotten does not stay in memory until somebody searches.

// lag is what has changed in the loaded nodes of an owner and is still to be read.
type lag struct {
	first int64 // the first of the changes
	nodes map[*node]map[lukasa.ID]struct{}
}

// behind is how far an owner is behind the changes that were noted.
type behind struct {
	some    atomic.Bool // there is something to be read, or it is being read
	reading sync.Mutex  // held by whoever reads

	mu    sync.Mutex
	noted *lag // nil for nothing
	taken *lag // what is being read
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
		l = &lag{first: seq, nodes: map[*node]map[lukasa.ID]struct{}{}}
	}
	if l.nodes[n] == nil {
		l.nodes[n] = map[lukasa.ID]struct{}{}
	}
	l.nodes[n][entry] = struct{}{}
	return l
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
	for _, entries := range b.noted.nodes {
		n += len(entries)
	}
	return n > farBehind
}

// take hands out what was noted; done says whether it was read, and otherwise notes it again.
func (b *behind) take() (l *lag, done func(well bool)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l = b.noted
	b.noted, b.taken = nil, l
	return l, func(well bool) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if !well && l != nil {
			again := b.noted
			b.noted = l
			if again != nil {
				for n, entries := range again.nodes {
					for e := range entries {
						l.with(n, e, 0)
					}
				}
			}
		}
		b.taken = nil
		b.some.Store(b.noted != nil)
	}
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

// keepUp reads what has changed in the loaded nodes of an owner. Others who search it wait for the same reading. The caller uses the
// owner, so that it is not put away.
func (x *Index) keepUp(ctx context.Context, o *owner) error {
	if !o.behind.some.Load() {
		return nil
	}
	o.behind.reading.Lock()
	defer o.behind.reading.Unlock()
	if !o.behind.some.Load() {
		return nil
	}
	l, done := o.behind.take()
	well := false
	defer func() { done(well) }()
	if l == nil {
		well = true
		return nil
	}
	var ts []target
	for n, entries := range l.nodes {
		if h := n.home.Load(); h != nil {
			t := target{node: n, home: h, ids: make([]lukasa.ID, 0, len(entries))}
			for e := range entries {
				t.ids = append(t.ids, e)
			}
			ts = append(ts, t)
		}
	}
	err := x.refresh(ctx, o, ts)
	well = err == nil
	return err
}

// remove takes out of a loaded node what is said to have gone from it. Whether it has come back since, the rows tell.
func (x *Index) remove(o *owner, gone map[*node][]lukasa.ID) {
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
}
