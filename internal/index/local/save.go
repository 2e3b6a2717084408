package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/mmap"
	"github.com/lukasa-memory/lukasa/internal/postings"
)

const fileSuffix = ".idx"

// path returns where the file of an owner is.
func (x *Index) path(o lukasa.ID) string {
	name := string(o)
	if _, ok := Pack(o); !ok || o == "" {
		sum := sha256.Sum256([]byte(o))
		name = hex.EncodeToString(sum[:16])
	}
	sum := sha256.Sum256([]byte(x.opt.Space + "\x00"))
	return filepath.Join(x.opt.Dir, name+"-"+hex.EncodeToString(sum[:4])+fileSuffix)
}

// state is what is saved of an owner, taken at one moment.
type state struct {
	seq    int64
	terms  func() postings.Frozen
	names  func() postings.Frozen
	shards []shardState
	dirty  int64
	moves  int64
}

type shardState struct {
	*Frozen
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
		alive += sh.core.Alive
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
	st := &state{seq: o.behind.seq(x.applied.Load()), dirty: dirty, moves: o.moves.Load()}
	st.terms, st.names = o.dict.Freeze(), o.names.Freeze()
	at := map[*shard]int{}
	for sh := range o.shards {
		ss := shardState{Frozen: sh.core.Freeze(), loaded: make([]bool, len(sh.core.Nodes))}
		sh.publish()
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
	if x.opt.Dir == "" || !mmap.LittleEndian() {
		return nil
	}
	var st *state
	err := guard(func() error { st = x.capture(o, all); return nil })
	if x.mended(o, writing, err) {
		return fmt.Errorf("save index: %w", err)
	}
	if st == nil {
		return nil
	}
	err = mmap.Write(x.path(o.id), func(w *mmap.Writer) (any, error) {
		m := &Manifest{
			Format: Format, Space: x.opt.Space, Analyser: AnalyserMark(), Seed: rotationSeed,
			Owner: string(o.id), Seq: st.seq,
		}
		if g := x.geometry.Load(); g != nil {
			m.Dim = g.Dim
		}
		from := w.Begin()
		m.Terms, m.Names = PutDict(w, st.terms()), PutDict(w, st.names())
		m.Dicts, m.DictCRC = w.End(from)
		for i := range st.shards {
			meta := st.shards[i].Write(w)
			meta.Loaded = st.shards[i].loaded
			m.Shards = append(m.Shards, meta)
		}
		return m, nil
	})
	x.mended(o, st.moves, err)
	if err != nil {
		return fmt.Errorf("save index: %w", err)
	}
	o.dirty.Add(-st.dirty)
	return nil
}

// restored is a shard that was read from a file.
type restored struct {
	core   *Core
	loaded []bool
}

// restore reads the file of an owner, once, before any of its nodes is read from the feed. What cannot be used is left out.
func (x *Index) restore(ctx context.Context, o *owner) error {
	o.restoring.Lock()
	defer o.restoring.Unlock()
	if o.restored || x.opt.Dir == "" || !mmap.LittleEndian() {
		return nil
	}
	m, err := mmap.Open(x.path(o.id))
	if err != nil {
		o.restored = true // there is none
		if !errors.Is(err, fs.ErrNotExist) {
			x.damaged(o, err)
		}
		return nil
	}
	shards, seq, err := x.parse(m, o)
	if err != nil {
		x.damaged(o, err)
	}
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
		o.mu.Lock()
		o.forget() // the log does not reach back so far: start from the rows
		o.mu.Unlock()
	}
	o.restored = true
	return nil
}

// parse makes shards of a file. Damaged ones are left out.
func (x *Index) parse(m *mmap.File, o *owner) ([]restored, int64, error) {
	var mf Manifest
	if err := m.Manifest(&mf); err != nil {
		return nil, 0, err
	}
	if !x.usable(&mf, o) { // whole, and made by another version or with other settings
		return nil, 0, nil
	}
	g := x.geometry.Load()
	if !mmap.Whole(m.At(mf.Dicts), mf.DictCRC) || !o.dict.Thaw(mf.Terms.Frozen(m)) || !o.names.Thaw(mf.Names.Frozen(m)) {
		return nil, 0, mmap.ErrUnusable
	}
	var out []restored
	for i := range mf.Shards {
		sm := &mf.Shards[i]
		if !mmap.Whole(m.At(sm.Whole), sm.CRC) {
			x.damaged(o, mmap.ErrUnusable)
			continue
		}
		if c := NewCore(o.dict, o.names, o.analyzer, g, sm.Pool, x.opt.Seal); c.Revive(m, sm) {
			out = append(out, restored{c, sm.Loaded})
		}
	}
	return out, mf.Seq, nil
}

// damaged says that what a file held is read from the feed again, and why.
func (x *Index) damaged(o *owner, err error) {
	if x.opt.Log != nil {
		x.opt.Log.Warn("the index file is damaged: what it held is read from the rows again", "file", x.path(o.id), "err", err)
	}
}

// usable reports whether a file is of this owner, and of an index that is set up as this one.
func (x *Index) usable(mf *Manifest, o *owner) bool {
	if mf.Dim > 0 && x.opt.Dim == 0 {
		x.setDim(mf.Dim)
	}
	dim := 0
	if g := x.geometry.Load(); g != nil {
		dim = g.Dim
	}
	return mf.Format == Format && mf.Space == x.opt.Space && mf.Analyser == AnalyserMark() &&
		mf.Seed == rotationSeed && mf.Owner == string(o.id) && (mf.Dim == dim || mf.Dim == 0)
}

// maxReplay is how many changes are worth going through before a file is given up.
const maxReplay = 200_000

// install brings restored shards up to date and makes them the homes of their nodes.
func (x *Index) install(ctx context.Context, o *owner, shards []restored, seq int64) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.applied.Load()-seq > maxReplay {
		return mmap.ErrUnusable
	}
	homes := x.house(o, shards)
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
			ts = append(ts, target{node: o.node(id), home: homes[id], ids: ids, loading: true})
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

// house gives restored shards to an owner and returns where the nodes are whose entries are all there.
func (x *Index) house(o *owner, shards []restored) map[lukasa.ID]*home {
	homes := map[lukasa.ID]*home{}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, r := range shards {
		sh := &shard{core: r.core}
		o.shards[sh] = struct{}{}
		if r.core.Pool {
			o.pool = sh
		}
		for num, ns := range r.core.Nodes {
			n := o.node(ns.ID)
			if r.core.Pool {
				n.num, n.pooled = uint32(num), true
			}
			if !r.loaded[num] {
				r.core.KillNode(uint32(num))
				continue
			}
			homes[ns.ID] = &home{shard: sh, num: uint32(num)}
		}
		sh.publish()
	}
	return homes
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

// Check implements [index.Checker].
func (x *Index) Check(ctx context.Context) ([]string, error) {
	names, err := mmap.Files(x.opt.Dir, fileSuffix)
	if err != nil || !mmap.LittleEndian() {
		return nil, err
	}
	head, err := x.feed.Head(ctx)
	if err != nil {
		return nil, err
	}
	var t Tally
	for _, name := range names {
		t.Add(name, func(mf *Manifest) bool {
			return x.usable(mf, &owner{id: lukasa.ID(mf.Owner)}) && mf.Seq <= head && x.path(lukasa.ID(mf.Owner)) == name
		})
	}
	return t.Fault(), ctx.Err()
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
	names, _ := mmap.Files(x.opt.Dir, fileSuffix) // those that cannot be listed cannot be removed
	for _, name := range names {
		_ = os.Remove(name)
	}
}
