package local

import (
	"cmp"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa/internal/index/local/slots"
	"github.com/lukasa-memory/lukasa/internal/postings"
)

// What nobody searches needs no memory: an owner is put away, which leaves its derived file and the numbers of its nodes' last
// changes, and the next search maps the file again.

const (
	defaultIdle   = 30 * time.Minute
	defaultBudget = 4 << 30
	lookEvery     = time.Minute
)

// use marks an owner as being searched until the function that it returns is called.
func (o *owner) use() (done func()) {
	o.using.Add(1)
	return func() {
		o.used.Store(time.Now().UnixNano())
		o.using.Add(-1)
	}
}

// putAway lets go of the owners that have not been searched for Options.Idle, and, while all take more than Options.Budget, of
// those that have not been searched for longest, but for the last minute.
func (x *Index) putAway(now time.Time) {
	type idle struct {
		o     *owner
		since time.Duration
		bytes int64
	}
	var all []idle
	total := int64(0)
	x.owners.Range(func(_, v any) bool {
		o := v.(*owner)
		if n := o.bytes(); n > 0 {
			all = append(all, idle{o, now.Sub(time.Unix(0, o.used.Load())), n})
			total += n
		}
		return true
	})
	slices.SortFunc(all, func(a, b idle) int { return cmp.Compare(b.since, a.since) })
	for _, i := range all {
		if i.since < x.opt.Idle && (total <= x.opt.Budget || i.since < lookEvery) {
			break
		}
		if x.put(i.o) {
			total -= i.bytes
		}
	}
}

// bytes returns about how much memory the partitions of an owner take, mapped ones included; 0 where there are none.
func (o *owner) bytes() (n int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for sh := range o.shards {
		n += sh.core.Bytes()
	}
	return n
}

// put writes the file of an owner, if that is worth it, and lets go of all else, unless the owner is in use.
func (x *Index) put(o *owner) bool {
	used := o.used.Load()
	if o.using.Load() > 0 || x.save(o, true) != nil {
		return false
	}
	return x.letGo(o, true, func() bool { return o.used.Load() == used })
}

// letGo drops everything that is held of an owner, its terms too, unless it is in use. restore says whether its file is to be
// looked at again.
func (x *Index) letGo(o *owner, restore bool, still func() bool) bool {
	o.restoring.Lock() // whoever loads a partition comes by here first
	defer o.restoring.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	for sh := range o.shards {
		if sh.busy {
			return false
		}
	}
	if o.using.Load() > 0 || !still() {
		return false
	}
	o.forget()
	o.dict, o.names = postings.NewDict(), slots.NewNames()
	o.restored = o.restored && !restore
	o.dirty.Store(0)
	return true
}

// forget drops everything that is held of an owner. The caller holds o.mu.
func (o *owner) forget() {
	o.moves.Add(1)
	o.list.Store(nil)
	o.behind.forget()
	clear(o.shards)
	o.pool = nil
	o.nodes.Range(func(_, v any) bool {
		n := v.(*node)
		n.home.Store(nil)
		n.num, n.pooled = 0, false
		return true
	})
}

// saver writes changed owners from time to time and puts idle ones away, until the index is closed.
func (x *Index) saver(every time.Duration) {
	defer close(x.saved)
	save, look := time.NewTicker(every), time.NewTicker(min(every, lookEvery))
	defer save.Stop()
	defer look.Stop()
	for {
		select {
		case <-x.closing:
			return
		case <-save.C:
			_ = x.saveAll(false) // the next start is slower, that is all
		case now := <-look.C:
			x.putAway(now)
		}
	}
}
