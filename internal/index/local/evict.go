package local

import (
	"cmp"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa/internal/mmap"
	"github.com/lukasa-memory/lukasa/internal/postings"
)

// What nobody searches needs no memory: an owner is put away, which leaves its derived file and the numbers of its nodes' last
// changes, and the next search maps the file again.

const (
	defaultIdle   = 30 * time.Minute
	defaultBudget = 4 << 30
	defaultOwn    = 8 << 20
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

// putAway lets go of the owners that have not been searched for Options.Idle; and, where that was not within the last minute, while all
// take more than Options.Budget, of those that have not been searched for longest, and of those that hold more than Options.Own
// which they could map.
func (x *Index) putAway(now time.Time) {
	type idle struct {
		o     *owner
		since time.Duration
		bytes int64
		own   int64
	}
	var all []idle
	total := int64(0)
	x.owners.Range(func(_, v any) bool {
		o := v.(*owner)
		if n, own := o.bytes(); n > 0 {
			all = append(all, idle{o, now.Sub(time.Unix(0, o.used.Load())), n, own})
			total += n
		}
		return true
	})
	slices.SortFunc(all, func(a, b idle) int { return cmp.Compare(b.since, a.since) })
	for _, i := range all {
		if i.since < min(x.opt.Idle, lookEvery) {
			break
		}
		switch {
		case i.since >= x.opt.Idle, total > x.opt.Budget, i.own > x.opt.Own && x.shareable(i.o):
		default:
			continue
		}
		if x.put(i.o) {
			total -= i.bytes
		}
	}
}

// bytes returns about how much memory the partitions of an owner take, and how much of that is not mapped; 0 where there are none.
func (o *owner) bytes() (n, own int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for sh := range o.shards {
		n += sh.core.Bytes()
		own += sh.core.Own()
	}
	return n, own
}

// shareable reports whether the file of an owner holds what is loaded, or would if it were written now, which is worth it.
func (x *Index) shareable(o *owner) bool {
	return x.kept(o) || o.dirty.Load() >= int64(256+o.alive()/10)
}

func (o *owner) alive() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for sh := range o.shards {
		n += sh.core.Alive
	}
	return n
}

// kept reports whether there is a file, by whichever process, that holds all entries of an owner but for a few changes.
func (x *Index) kept(o *owner) bool {
	m, err := mmap.Open(x.path(o.id))
	if err != nil {
		return false
	}
	var mf Manifest
	if m.Manifest(&mf) != nil || !x.usable(&mf, o) {
		return false
	}
	n := 0
	for i := range mf.Shards {
		n += mf.Shards[i].Alive
	}
	behind := x.applied.Load() - mf.Seq
	return behind >= 0 && behind <= changesAtOnce && n+changesAtOnce >= o.alive()
}

// put writes the file of an owner, if that is worth it, and lets go of all else, unless the owner is in use.
func (x *Index) put(o *owner) bool {
	used := o.used.Load()
	if o.using.Load() > 0 || !x.kept(o) && x.save(o, true) != nil {
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
	x.unexpectAll()
	o.dict, o.names = postings.NewDict(), NewNames()
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
