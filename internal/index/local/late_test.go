package local_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

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
