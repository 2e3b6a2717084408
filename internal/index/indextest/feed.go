// Package indextest is the suite that every index driver passes, with a feed in memory and a brute-force oracle.
//
// Who may import this: tests.
package indextest

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
)

type nodeKey struct{ owner, node lukasa.ID }

// MemFeed is an [index.Feed] in memory. It is safe for concurrent use; its space argument is not looked at.
type MemFeed struct {
	mu      sync.RWMutex
	entries map[lukasa.ID]*lukasa.Entry
	nodes   map[nodeKey]map[lukasa.ID]*lukasa.Entry
	changes []lukasa.Change
	docs    sync.Map // *lukasa.Entry -> doc, for the oracle
	ahead   []func(e lukasa.Entry) (told func(seq int64))
	late    func() // tells of one entry
}

var _ index.Feed = (*MemFeed)(nil)

// NewMemFeed returns an empty feed.
func NewMemFeed() *MemFeed {
	return &MemFeed{entries: map[lukasa.ID]*lukasa.Entry{}, nodes: map[nodeKey]map[lukasa.ID]*lukasa.Entry{}}
}

// Ahead has an index told of what is put before it is there, and afterwards that it is: at once, or of one in three when another has been put.
func (f *MemFeed) Ahead(expect func(e lukasa.Entry) (told func(seq int64))) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ahead = append(f.ahead, expect)
}

// expect tells of an entry, and returns what is to be called once it is there.
func (f *MemFeed) expect(e lukasa.Entry) (there func()) {
	var all []func(int64)
	for _, expect := range f.ahead {
		if told := expect(e); told != nil {
			all = append(all, told)
		}
	}
	return func() {
		seq := int64(len(f.changes))
		tell := func() {
			for _, told := range all {
				told(seq)
			}
		}
		if f.late != nil {
			f.late()
			f.late = nil
		}
		if seq%3 == 0 {
			f.late = tell
		} else {
			tell()
		}
	}
}

// Put inserts or replaces entries in one commit.
func (f *MemFeed) Put(entries ...lukasa.Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range entries {
		e := entries[i]
		there := f.expect(e)
		if old := f.entries[e.ID]; old != nil && old.Node != e.Node {
			f.remove(old)
		}
		k := nodeKey{e.Owner, e.Node}
		if f.nodes[k] == nil {
			f.nodes[k] = map[lukasa.ID]*lukasa.Entry{}
		}
		f.entries[e.ID], f.nodes[k][e.ID] = &e, &e
		f.log(&e, false)
		there()
	}
}

// Remove takes entries away in one commit. Unknown ids are passed over.
func (f *MemFeed) Remove(ids ...lukasa.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		if e := f.entries[id]; e != nil {
			f.remove(e)
		}
	}
}

func (f *MemFeed) remove(e *lukasa.Entry) {
	delete(f.entries, e.ID)
	f.docs.Delete(e)
	delete(f.nodes[nodeKey{e.Owner, e.Node}], e.ID)
	f.log(e, true)
}

func (f *MemFeed) log(e *lukasa.Entry, removed bool) {
	f.changes = append(f.changes, lukasa.Change{
		Seq: int64(len(f.changes)) + 1, Owner: e.Owner, Node: e.Node, Entry: e.ID, Type: e.Type, Removed: removed,
	})
}

// IDs returns the ids of all entries, sorted.
func (f *MemFeed) IDs() []lukasa.ID {
	f.mu.RLock()
	defer f.mu.RUnlock()
	out := make([]lukasa.ID, 0, len(f.entries))
	for id := range f.entries {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// Len returns the number of entries.
func (f *MemFeed) Len() int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return len(f.entries)
}

// Get returns an entry.
func (f *MemFeed) Get(id lukasa.ID) (lukasa.Entry, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	e, ok := f.entries[id]
	if !ok {
		return lukasa.Entry{}, false
	}
	return *e, true
}

// Head implements [index.Feed].
func (f *MemFeed) Head(context.Context) (int64, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return int64(len(f.changes)), nil
}

// Changes implements [index.Feed].
func (f *MemFeed) Changes(_ context.Context, after int64, limit int) ([]lukasa.Change, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	after = min(max(after, 0), int64(len(f.changes)))
	rest := f.changes[after:]
	return slices.Clone(rest[:min(limit, len(rest))]), nil
}

// Entries implements [index.Feed].
func (f *MemFeed) Entries(_ context.Context, _ string, owner lukasa.ID, ids []lukasa.ID) ([]lukasa.Entry, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	var out []lukasa.Entry
	for _, id := range ids {
		if e := f.entries[id]; e != nil && e.Owner == owner {
			out = append(out, *e)
		}
	}
	return out, nil
}

// Partition implements [index.Feed].
func (f *MemFeed) Partition(_ context.Context, _ string, owner, node lukasa.ID, yield func(lukasa.Entry) bool) error {
	f.mu.RLock()
	var list []*lukasa.Entry
	for _, e := range f.nodes[nodeKey{owner, node}] {
		list = append(list, e)
	}
	f.mu.RUnlock()
	slices.SortFunc(list, func(a, b *lukasa.Entry) int {
		return cmp.Or(cmp.Compare(a.Document, b.Document), cmp.Compare(a.Conversation, b.Conversation), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
	for _, e := range list {
		if !yield(*e) {
			break
		}
	}
	return nil
}

// Vectors implements [index.Feed].
func (f *MemFeed) Vectors(_ context.Context, _ string, owner lukasa.ID, ids []lukasa.ID) ([][]float32, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	out := make([][]float32, len(ids))
	for i, id := range ids {
		if e := f.entries[id]; e != nil && e.Owner == owner {
			out[i] = e.Vector
		}
	}
	return out, nil
}
