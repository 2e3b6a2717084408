package local

import (
	"errors"
	"runtime/debug"

	"github.com/lukasa-memory/lukasa/internal/mmap"
)

// What is mapped may be there no longer when it is read: the file was cut short, or the disk fails. Whoever reads it is told ([mmap.Catch]), the
// shard that it is part of is let go of, and what stood in that is read from the rows again when it is next needed.

// mostMends is how often a request begins anew because of that. A shard is mended once, and an owner that was let go of maps nothing again.
const mostMends = 16

// writing stands for the moves of an owner, where a fault may have left what is written half done.
const writing = -1

// guard runs what reads what is mapped and tells of a fault.
func guard(read func() error) (err error) {
	defer mmap.Catch(debug.SetPanicOnFault(true), &err)
	return read()
}

// mended reports whether err is a fault, and then lets go of the shard that it was met in; of all that is held of the owner, where it was met
// elsewhere. moves are those of the owner before what was read was looked for: what has moved since may be mended already.
func (x *Index) mended(o *owner, moves int64, err error) bool {
	if err == nil {
		return false
	}
	f, ok := errors.AsType[*mmap.Fault](err)
	if !ok {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mend(o, moves, f)
	return true
}

// mend is the work of [Index.mended]. The caller holds x.mu.
func (x *Index) mend(o *owner, moves int64, f *mmap.Fault) {
	x.damaged(o, f)
	if moves == writing || !o.lose(moves, f.At) {
		x.replace(o)
	}
}

// lose lets go of the shard that holds an address. It reports false where none does.
func (o *owner) lose(moves int64, at uintptr) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.moves.Load() != moves {
		return true
	}
	for sh := range o.shards {
		if !sh.core.Spans(at) {
			continue
		}
		delete(o.shards, sh)
		if o.pool == sh {
			o.pool = nil
		}
		o.nodes.Range(func(_, v any) bool {
			n := v.(*node)
			if h := n.home.Load(); h != nil && h.shard == sh {
				n.home.Store(nil)
			}
			if sh.core.Pool {
				n.num, n.pooled = 0, false
			}
			return true
		})
		o.moves.Add(1)
		o.dirty.Add(int64(256 + sh.core.Alive)) // the file is worth writing again
		return true
	}
	return false
}

// replace puts an owner of whom nothing is held, and who maps nothing, in the place of one; what is under way goes on with that. The caller holds
// x.mu.
func (x *Index) replace(o *owner) {
	if is, ok := x.owners.Load(o.id); !ok || is != o {
		return // somebody has
	}
	fresh := newOwner(o.id)
	fresh.restored = true
	fresh.used.Store(o.used.Load())
	o.nodes.Range(func(_, v any) bool {
		n := v.(*node)
		fresh.node(n.id).seq.Store(n.seq.Load())
		return true
	})
	x.unexpectAll()
	x.owners.Store(o.id, fresh)
}

// tend has background work done on what may be mapped.
func (x *Index) tend(o *owner, work func()) (begun bool) {
	return x.background(func() {
		x.mended(o, writing, guard(func() error { work(); return nil }))
	})
}
