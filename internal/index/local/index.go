package local

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/mmap"
	"github.com/lukasa-memory/lukasa/internal/postings"
	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/vector"
)

// Options says how an index is set up. The zero value works: text only, nothing kept on disk.
type Options struct {
	Space string // the embedding space that vectors are read from
	Dim   int    // length of a vector; 0 takes that of the first one met. Vectors of another length are passed over.
	Dir   string // where derived files are kept, for a quicker start; "" keeps none
	// Exact is how many of the most similar entries of a search get their cosine from the vector in the store; 0 means 24. Of a scene it
	// is half as many, where vectors have 256 dimensions or more. Those behind have it from 8-bit codes, within about 0.002. An owner that
	// never had more than 256 entries is exact throughout.
	Exact int
	// Tiny is the number of entries up to which nodes of one owner share a shard; 0 means 256.
	Tiny int
	// Seal is the number of new entries that are looked through one by one before they get postings; 0 means 256.
	Seal int
	// Save is the number of changes of an owner from which a new file is worth writing; 0 means 64 and 1 % of the entries when
	// the index is closed, 256 and 10 % before that.
	Save int
	// SaveEvery is how often that is looked at; 0 means 5 minutes.
	SaveEvery time.Duration
	// Where Dir is set, the partitions of an owner that nobody searched for Idle are put away until they are searched again, and
	// those not searched for longest also where all together take more than Budget bytes. 0 means half an hour and 4 GiB;
	// what was searched within a minute stays.
	Idle   time.Duration
	Budget int64
	// Own is from how many bytes that stand in no file an owner is put away when it was not searched for a minute: what it
	// maps then is shared with other processes. 0 means 8 MiB.
	Own int64
	// Log is told of files that are damaged; nil says nothing.
	Log *slog.Logger

	cells int // vectors of a partition above which it gets cells; 0 means bigPart
	few   int // entries to be compared, over all parts, up to which all are, by 8-bit codes or exactly; 0 means exactTotal
	room  int // entries that go from the 1-bit to the 8-bit stage at least, where that is more than rescored
}

// rotationSeed makes the codes of all indexes alike, so that derived files can be shared.
const rotationSeed = 0x6c756b617361

// Index is the driver. See [index.Index] for the contracts of its methods.
type Index struct {
	feed index.Feed
	opt  Options

	applied  atomic.Int64 // the last change noted; -1 before the first Sync
	born     atomic.Int64 // the head at the first Sync
	mu       sync.Mutex   // held by whoever notes changes
	owners   sync.Map     // lukasa.ID -> *owner
	geometry atomic.Pointer[Geometry]
	pool     sync.Pool      // *search
	none     *postings.Dict // of no terms
	expects  expecting

	work     sync.WaitGroup // background merges and compactions
	workMu   sync.Mutex     // of the two
	stopped  bool
	ending   atomic.Bool // the same, for work that is under way
	training atomic.Bool // cells of a partition are being made
	closing  chan struct{}
	saved    chan struct{} // closed when the saver has ended
}

var _ index.Index = (*Index)(nil)

// New returns an index that follows the feed. It reads nothing yet.
func New(feed index.Feed, opt Options) *Index {
	if opt.Exact == 0 {
		opt.Exact = 24
	}
	if opt.Tiny == 0 {
		opt.Tiny = 256
	}
	if opt.Seal == 0 {
		opt.Seal = 256
	}
	opt.cells, opt.few = cmp.Or(opt.cells, bigPart), cmp.Or(opt.few, exactTotal)
	x := &Index{feed: feed, opt: opt, none: postings.NewDict()}
	x.applied.Store(-1)
	x.pool.New = func() any {
		s := &search{
			x: x, analyzer: new(text.Analyzer), kernels: vector.Default(), stage1: vector.NewTopK(rescored), stage2: vector.NewTopK(opt.Exact),
			sofar: vector.NewTopK(0),
		}
		s.top.Worse = s.worse
		return s
	}
	if opt.Dim > 0 {
		x.setDim(opt.Dim)
	}
	if opt.Dir != "" {
		x.opt.Idle, x.opt.Budget, x.opt.Own = cmp.Or(opt.Idle, defaultIdle), cmp.Or(opt.Budget, defaultBudget), cmp.Or(opt.Own, defaultOwn)
		opt.SaveEvery = cmp.Or(opt.SaveEvery, 5*time.Minute)
		x.closing, x.saved = make(chan struct{}), make(chan struct{})
		go x.saver(opt.SaveEvery)
	}
	return x
}

// setDim fixes the length of vectors. A length that cannot be coded leaves the index without vectors.
func (x *Index) setDim(dim int) {
	r, err := vector.NewRotation(dim, rotationSeed)
	if err != nil {
		return
	}
	x.geometry.CompareAndSwap(nil, &Geometry{Dim: dim, Padded: r.Padded(), Rotation: r})
}

// owner is everything of one owner. Its terms have their own numbers.
type owner struct {
	id       lukasa.ID
	nodes    sync.Map // lukasa.ID -> *node
	moves    atomic.Int64
	list     atomic.Pointer[resolved]
	mu       sync.Mutex     // held by whoever writes to a shard
	dict     *postings.Dict // of terms
	names    *postings.Dict // of what classes and labels say
	analyzer *text.Analyzer
	pool     *shard
	shards   map[*shard]struct{}
	dirty    atomic.Int64 // changes since the file was written
	using    atomic.Int64 // searches under way
	used     atomic.Int64 // when the last one ended; Unix nanoseconds
	behind   behind

	restoring sync.Mutex
	restored  bool // the file has been looked at; under restoring
}

// node is one partition. It is loaded when it has a home.
type node struct {
	id   lukasa.ID
	seq  atomic.Int64 // of the last change met
	load sync.Mutex
	home atomic.Pointer[home]

	speakers atomic.Pointer[speakersAt]
	// Under owner.mu: its number in the pool, once it has one.
	num    uint32
	pooled bool
}

// home says where the entries of a node are. A node whose home changes counts in owner.moves before its entries go from
// where they were, so that a search that saw them gone looks again.
type home struct {
	shard *shard
	num   uint32
}

// shard is a set of slots with their vectors and postings: one large node, or the pool of an owner's tiny ones.
type shard struct {
	view atomic.Pointer[View]
	core *Core // under owner.mu
	busy bool  // a merge or compaction is under way; under owner.mu
}

func (x *Index) owner(id lukasa.ID) *owner {
	if o, ok := x.owners.Load(id); ok {
		return o.(*owner)
	}
	o, _ := x.owners.LoadOrStore(id, newOwner(id))
	return o.(*owner)
}

func newOwner(id lukasa.ID) *owner {
	return &owner{id: id, dict: postings.NewDict(), names: NewNames(), analyzer: new(text.Analyzer), shards: map[*shard]struct{}{}}
}

func (o *owner) node(id lukasa.ID) *node {
	if n, ok := o.nodes.Load(id); ok {
		return n.(*node)
	}
	n, _ := o.nodes.LoadOrStore(id, &node{id: id})
	return n.(*node)
}

func (x *Index) newShard(o *owner, pool bool) *shard {
	sh := &shard{core: NewCore(o.dict, o.names, o.analyzer, x.geometry.Load(), pool, x.opt.Seal)}
	sh.view.Store(sh.core.Snapshot())
	return sh
}

// Version implements [index.Index]. For a node without changes since the first Sync it is the head of that time, so that
// processes that started at different heads never share a number for different contents.
func (x *Index) Version(ownerID, nodeID lukasa.ID) int64 {
	seq := x.born.Load()
	if o, ok := x.owners.Load(ownerID); ok {
		if n, ok := o.(*owner).nodes.Load(nodeID); ok {
			seq = max(seq, n.(*node).seq.Load())
		}
	}
	return seq
}

// Stats implements [index.Index].
func (x *Index) Stats() index.Stats {
	s := index.Stats{Seq: max(0, x.applied.Load())}
	x.owners.Range(func(_, v any) bool {
		o := v.(*owner)
		o.mu.Lock()
		defer o.mu.Unlock()
		s.Terms += o.dict.Len()
		s.Bytes += o.dict.Size() + o.names.Size()
		for sh := range o.shards {
			s.Entries += sh.core.Alive
			s.Vectors += sh.core.Vectors
			s.Bytes += sh.core.Bytes()
		}
		o.nodes.Range(func(_, v any) bool {
			if v.(*node).home.Load() != nil {
				s.Partitions++
			}
			return true
		})
		return true
	})
	return s
}

// Rebuild implements [index.Index]. The derived file of the owner goes too, with all that it holds: after a purge that is how
// nothing of what was purged stays in it.
func (x *Index) Rebuild(ownerID, nodeID lukasa.ID) {
	x.discard(ownerID)
	x.unexpectAll()
	x.owners.Range(func(_, v any) bool {
		o := v.(*owner)
		if ownerID != "" && o.id != ownerID {
			return true
		}
		o.dirty.Add(1)
		x.mended(o, writing, guard(func() error {
			o.nodes.Range(func(_, v any) bool {
				if n := v.(*node); nodeID == "" || n.id == nodeID {
					o.unload(n)
				}
				return true
			})
			return nil
		}))
		if nodeID == "" {
			x.letGo(o, false, func() bool { return true })
		}
		return true
	})
}

// unload drops what is held of a node.
func (o *owner) unload(n *node) {
	n.load.Lock()
	defer n.load.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	h := n.home.Load()
	if h == nil {
		return
	}
	n.home.Store(nil)
	o.moves.Add(1)
	o.drop(h)
}

// drop removes what is held at a home. The caller holds o.mu.
func (o *owner) drop(h *home) {
	if !h.shard.core.Pool {
		delete(o.shards, h.shard)
		return
	}
	h.shard.core.KillNode(h.num)
	h.shard.publish()
}

// Close implements [index.Index]. Searches may go on.
func (x *Index) Close() error {
	x.workMu.Lock()
	again := x.stopped
	x.stopped = true
	x.workMu.Unlock()
	x.ending.Store(true)
	x.work.Wait()
	if again || x.opt.Dir == "" {
		return nil
	}
	close(x.closing)
	<-x.saved
	mmap.Sweep(x.opt.Dir, time.Now())
	return x.saveAll(true)
}

// background runs fn beside everything else, unless the index is being closed.
func (x *Index) background(fn func()) bool {
	x.workMu.Lock()
	defer x.workMu.Unlock()
	if !x.stopped {
		x.work.Go(fn)
	}
	return !x.stopped
}

// Sync implements [index.Index].
func (x *Index) Sync(ctx context.Context) (int64, error) {
	head, err := x.feed.Head(ctx)
	if err != nil {
		return 0, fmt.Errorf("read feed head: %w", err)
	}
	if x.applied.Load() >= head {
		return head, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.applied.Load() < 0 {
		x.born.Store(head)
		x.applied.Store(head)
		return head, nil
	}
	for x.applied.Load() < head {
		changes, err := x.feed.Changes(ctx, x.applied.Load(), changesAtOnce)
		if err != nil {
			return 0, fmt.Errorf("read changes: %w", err)
		}
		if len(changes) == 0 {
			x.applied.Store(head)
			break
		}
		x.apply(changes)
		x.applied.Store(changes[len(changes)-1].Seq)
	}
	return head, nil
}
