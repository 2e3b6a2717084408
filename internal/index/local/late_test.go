package local_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

// reads is a feed that counts how often the entries of an owner are read.
type reads struct {
	*indextest.MemFeed
	mu     sync.Mutex
	of     map[lukasa.ID]int
	broken error
}

func (f *reads) Entries(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([]lukasa.Entry, error) {
	f.mu.Lock()
	f.of[owner]++
	err := f.broken
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return f.MemFeed.Entries(ctx, space, owner, ids)
}

func (f *reads) count(owner lukasa.ID) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.of[owner]
}

func note(owner lukasa.ID, n int, text string) lukasa.Entry {
	return lukasa.Entry{ID: indextest.EntryID(n), Type: lukasa.EntryChunk, Owner: owner, Node: indextest.NodeID(1), Document: lukasa.ID(fmt.Sprint("doc", n)), Text: text, Latest: true, Confidence: 1}
}

func hits(t *testing.T, x index.Index, owner lukasa.ID, text string) int {
	t.Helper()
	if _, err := x.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, err := x.Search(t.Context(), index.Request{Owner: owner, Nodes: []lukasa.ID{indextest.NodeID(1)}, Text: text, K: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return len(a.Candidates)
}

// T-21: a process pays for the writes of an owner when that owner is searched there, once for all that came meanwhile.
func TestWritesOfOthersAreNotRead(t *testing.T) {
	t.Parallel()
	f := &reads{MemFeed: indextest.NewMemFeed(), of: map[lukasa.ID]int{}}
	dir := t.TempDir()
	open := func() *local.Index { return local.New(f, local.Options{Dir: dir, Save: 1}) }
	x := open()
	const ann, bob = "usr_ann", "usr_bob"
	f.Put(note(ann, 1, "harbour"))
	f.Put(note(bob, 1001, "harbour"))
	if hits(t, x, ann, "harbour") != 1 || hits(t, x, bob, "harbour") != 1 {
		t.Fatal("what was there is not found")
	}
	for i := range 100 {
		f.Put(note(ann, 2+i, "harbour"))
		f.Put(note(bob, 1002+i, "harbour"))
		if got := hits(t, x, bob, "harbour"); got != i+2 {
			t.Fatalf("bob finds %d of %d", got, i+2)
		}
	}
	if n := f.count(ann); n != 0 {
		t.Errorf("ann's entries were read %d times, and nobody searched them", n)
	}
	// Nodes that are only loaded do not read a few changes, and do read many.
	load := func() {
		if _, err := x.Search(t.Context(), index.Request{Owner: ann, Nodes: []lukasa.ID{indextest.NodeID(1)}}); err != nil {
			t.Fatal(err)
		}
	}
	load()
	if n := f.count(ann); n != 0 {
		t.Errorf("loading read ann's entries %d times", n)
	}
	// A reading that fails leaves what it was to read for the next one.
	f.broken = context.DeadlineExceeded
	if _, err := x.Search(t.Context(), index.Request{Owner: ann, Nodes: []lukasa.ID{indextest.NodeID(1)}, Text: "harbour", K: 1000}); err == nil {
		t.Error("a search that could not read what has changed answered")
	}
	f.broken = nil
	if got := hits(t, x, ann, "harbour"); got != 101 || f.count(ann) != 2 {
		t.Errorf("ann finds %d of 101, and her entries were read %d times", got, f.count(ann))
	}
	// What was noted and not read when the index is closed is read from the log by the next process.
	f.Put(note(ann, 500, "harbour"))
	f.Remove(indextest.EntryID(2))
	if _, err := x.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = open()
	if got := hits(t, x, ann, "harbour"); got != 101 {
		t.Errorf("after a restart ann finds %d of 101", got)
	}
	for i := range 300 {
		f.Put(note(ann, 600+i, "harbour"))
	}
	if _, err := x.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := f.count(ann)
	load()
	if n := f.count(ann); n == before {
		t.Error("300 changes were not read when the nodes were loaded")
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// What is removed goes from memory when the log is read, also of owners that nobody searches.
func TestRemovedGoesAtOnce(t *testing.T) {
	t.Parallel()
	f := &reads{MemFeed: indextest.NewMemFeed(), of: map[lukasa.ID]int{}}
	x := local.New(f, local.Options{})
	f.Put(note("usr_ann", 1, "harbour"))
	f.Put(note("usr_ann", 2, "mill"))
	if hits(t, x, "usr_ann", "harbour") != 1 {
		t.Fatal("what was there is not found")
	}
	f.Remove(indextest.EntryID(1))
	if _, err := x.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := x.Stats(); s.Entries != 1 || f.count("usr_ann") != 0 {
		t.Errorf("%d entries are held after one of two was removed, and entries were read %d times", s.Entries, f.count("usr_ann"))
	}
	if hits(t, x, "usr_ann", "harbour") != 0 || hits(t, x, "usr_ann", "mill") != 1 {
		t.Error("a search does not find what is left, or finds what is gone")
	}
}

// held is a feed whose entries are not read before it is let go.
type held struct {
	*indextest.MemFeed
	hold chan struct{} // nil: at once
}

func (f *held) Entries(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([]lukasa.Entry, error) {
	if f.hold != nil {
		<-f.hold
	}
	return f.MemFeed.Entries(ctx, space, owner, ids)
}

// While one search reads what has changed, others wait for it only where they have to know of it: not those that began before the
// change, nor those of other nodes. Who has to know of it does wait, and finds it.
func TestReaderWaitsForNothingOld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const ann = "usr_ann"
		f := &held{MemFeed: indextest.NewMemFeed()}
		x := local.New(f, local.Options{})
		say := func(n, node int, speaker string) {
			e := note(ann, n, "harbour")
			e.Node, e.Speaker = indextest.NodeID(node), speaker
			f.Put(e)
		}
		ask := func(ctx context.Context, node int, seen int64) (int, error) {
			a, err := x.Search(ctx, index.Request{Owner: ann, Nodes: []lukasa.ID{indextest.NodeID(node)}, Text: "harbour", K: 100, Seen: seen})
			return len(a.Candidates), err
		}
		speak := func(seen int64) []string {
			names, err := x.Speakers(t.Context(), ann, []lukasa.ID{indextest.NodeID(1)}, seen)
			if err != nil {
				t.Error(err)
			}
			return names
		}
		sync := func() int64 {
			head, err := x.Sync(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return head
		}
		say(1, 1, "Ann")
		say(2, 2, "Ann")
		old := sync()
		for node := 1; node <= 2; node++ {
			if n, err := ask(t.Context(), node, old); n != 1 || err != nil {
				t.Fatalf("node %d: %d found, %v", node, n, err)
			}
		}
		say(3, 1, "Ben")
		head := sync()
		f.hold = make(chan struct{})
		type found struct {
			n   int
			err error
		}
		results := make(chan found, 10)
		start := func(ctx context.Context, node int, seen int64) {
			go func() {
				n, err := ask(ctx, node, seen)
				results <- found{n, err}
			}()
			synctest.Wait()
		}
		start(t.Context(), 1, head) // this one reads
		start(t.Context(), 1, head) // these two wait for it, 0 is all that is noted
		start(t.Context(), 1, 0)
		if len(results) != 0 {
			t.Fatalf("%d searches that have to know of a change answered before it was read", len(results))
		}
		ctx, cancel := context.WithCancel(t.Context())
		start(ctx, 1, head)
		cancel()
		synctest.Wait()
		if len(results) != 1 {
			t.Fatal("a search that was called off goes on waiting")
		}
		if r := <-results; !errors.Is(r.err, context.Canceled) {
			t.Errorf("called off: %+v", r)
		}
		start(t.Context(), 1, old)
		start(t.Context(), 2, head)
		if len(results) != 2 {
			t.Fatalf("%d of 2 searches that have nothing to wait for answered", len(results))
		}
		for range 2 {
			if r := <-results; r.n != 1 || r.err != nil {
				t.Errorf("beside the reading: %+v", r)
			}
		}
		if names := speak(old); !slices.Equal(names, []string{"Ann"}) {
			t.Errorf("speakers before the change: %v", names)
		}
		close(f.hold)
		synctest.Wait()
		for range 3 {
			if r := <-results; r.n != 2 || r.err != nil {
				t.Errorf("behind the reading: %+v", r)
			}
		}
		if names := speak(head); !slices.Equal(names, []string{"Ann", "Ben"}) {
			t.Errorf("speakers behind the change: %v", names)
		}
	})
}

// repaired is a feed whose first node is not read before it is let go.
type repaired struct {
	*indextest.MemFeed
	hold chan struct{} // nil: at once
}

func (f *repaired) Partition(ctx context.Context, space string, owner, node lukasa.ID, yield func(lukasa.Entry) bool) error {
	if f.hold != nil && node == indextest.NodeID(1) {
		<-f.hold
	}
	return f.MemFeed.Partition(ctx, space, owner, node, yield)
}

// While one node of an owner is read anew, the others answer, and they follow what is written meanwhile.
func TestRepairLeavesOtherNodes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const ann = "usr_ann"
		f := &repaired{MemFeed: indextest.NewMemFeed()}
		x := local.New(f, local.Options{})
		found := make(chan int, 3)
		ask := func(node int) {
			go func() {
				_, err := x.Sync(t.Context())
				if err != nil {
					t.Error(err)
				}
				a, err := x.Search(t.Context(), index.Request{Owner: ann, Nodes: []lukasa.ID{indextest.NodeID(node)}, Text: "harbour", K: 100})
				if err != nil {
					t.Error(err)
				}
				found <- len(a.Candidates)
			}()
			synctest.Wait()
		}
		say := func(n, node int) {
			e := note(ann, n, "harbour")
			e.Node = indextest.NodeID(node)
			f.Put(e)
		}
		say(1, 1)
		say(2, 2)
		for node := 1; node <= 2; node++ {
			if ask(node); <-found != 1 {
				t.Fatalf("node %d does not have its entry", node)
			}
		}
		f.hold = make(chan struct{})
		x.Rebuild(ann, indextest.NodeID(1))
		ask(1)
		say(3, 2)
		ask(2)
		if len(found) != 1 || <-found != 2 {
			t.Error("the other node does not answer while one is read, or not with what was written meanwhile")
		}
		close(f.hold)
		synctest.Wait()
		if n := <-found; n != 1 {
			t.Errorf("the node that was read anew has %d entries", n)
		}
	})
}
