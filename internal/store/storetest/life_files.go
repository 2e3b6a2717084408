package storetest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// filed is a small world of files: three documents with seven of them each at most, one of which was removed.
type filed struct {
	*world
	sc   lukasa.Scope
	docs []lukasa.Document // in a, in a.b below it, and in b
	all  []lukasa.File     // as lists show them, oldest first; two of each document are of one moment
	then time.Time         // when the first six had been written
}

func newFiled(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) *filed {
	w, sc, root := place(t, open)
	s := &filed{world: w, sc: sc}
	a, b, below := w.id(lukasa.PrefixNode), w.id(lukasa.PrefixNode), w.id(lukasa.PrefixNode)
	s.docs = []lukasa.Document{w.doc(a, "one"), w.doc(below, "two"), w.doc(b, "three")}
	put := func(fs ...lukasa.File) {
		w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
			for _, f := range fs {
				if err := tx.PutFile(f); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
		for _, n := range []lukasa.Node{
			{ID: a, Parent: root, Path: "a", CreatedAt: start, UpdatedAt: start},
			{ID: b, Parent: root, Path: "b", CreatedAt: start, UpdatedAt: start},
			{ID: below, Parent: a, Path: "a.b", CreatedAt: start, UpdatedAt: start},
		} {
			if err := tx.PutNode(n); err != nil {
				return err
			}
		}
		for _, d := range s.docs {
			if err := tx.PutDocument(d); err != nil {
				return err
			}
		}
		return nil
	}))
	for round := range 3 {
		for _, d := range s.docs {
			at := w.tick()
			for _, role := range []string{"raw", "text"} {
				s.all = append(s.all, lukasa.File{
					ID: w.id(lukasa.PrefixFile), Document: d.ID, Role: role, Name: d.Title, Size: int64(10 + round), SealedSize: 5, Blob: "b" + role + string(d.ID),
					SHA256: "00", State: store.FileActive, UsedAt: at, CreatedAt: at,
				})
			}
		}
		put(s.all[6*round:]...)
		if round == 0 {
			s.then = w.now
		}
	}
	gone := lukasa.File{ID: w.id(lukasa.PrefixFile), Document: s.docs[0].ID, Role: "removed", State: store.FileActive, UsedAt: w.now, CreatedAt: w.tick()}
	inline := lukasa.File{ID: w.id(lukasa.PrefixFile), Document: s.docs[2].ID, Role: "raw", Inline: []byte("bytes"), State: store.FileActive, UsedAt: w.now, CreatedAt: w.tick()}
	put(gone, inline)
	inline.Inline = nil // a list is without it
	s.all = append(s.all, inline)
	return s
}

// newest returns the files that are kept, as a list has them.
func (s *filed) newest(keep func(lukasa.File) bool) (list []lukasa.File) {
	for _, f := range s.all {
		if keep(f) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(x, y lukasa.File) int {
		return cmp.Or(y.CreatedAt.Compare(x.CreatedAt), cmp.Compare(y.ID, x.ID))
	})
	return list
}

// of returns the files of documents.
func (s *filed) of(ds ...lukasa.Document) []lukasa.File {
	return s.newest(func(f lukasa.File) bool {
		return slices.ContainsFunc(ds, func(d lukasa.Document) bool { return d.ID == f.Document })
	})
}

// turned is the list as r gives it, some at a time.
func (s *filed) turned(r store.Reader, f store.FileFilter, some int) (list []lukasa.File) {
	s.t.Helper()
	f.Except = "removed"
	for p := (lukasa.Page{Limit: some}); ; {
		l := must[lukasa.Listing[lukasa.File]](s.t)(r.FileList(f, p))
		list = append(list, l.Items...)
		if p.Cursor = l.Next; l.Next == "" {
			same(s.t, len(list), l.Total)
			return list
		}
		same(s.t, some, len(l.Items))
	}
}

// testFiles turns lists of files page by page, of now and of an earlier moment, as several scopes see them.
func testFiles(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	w := newFiled(t, open)
	docs := w.docs
	in := func(p lukasa.Path, mode byte) store.FileFilter {
		return store.FileFilter{Containers: []lukasa.Pattern{{Path: p, Mode: mode}}}
	}
	bound := w.sc
	bound.Root = "a"
	view := func(sc lukasa.Scope, fn func(r store.Reader)) {
		t.Helper()
		w.ok(w.View(w.ctx(), sc, func(r store.Reader) error { fn(r); return nil }))
	}
	view(w.sc, func(r store.Reader) {
		for _, some := range []int{1, 2, 5, 100} {
			same(t, w.of(docs...), w.turned(r, store.FileFilter{}, some))
		}
		same(t, w.of(docs[0], docs[1]), w.turned(r, in("a", 0), 3))
		same(t, w.of(docs[0]), w.turned(r, in("a", '!'), 3))
		same(t, w.of(docs[1]), w.turned(r, store.FileFilter{Document: docs[1].ID}, 4))
		same(t, 0, len(w.turned(r, in("none", 0), 3)))
		same(t, 0, len(w.turned(r, store.FileFilter{Document: docs[1].ID, Containers: []lukasa.Pattern{{Path: "b"}}}, 4)))
		same(t, 20, must[lukasa.Listing[lukasa.File]](t)(r.FileList(store.FileFilter{}, lukasa.Page{})).Total) // the removed one too
		for _, p := range []lukasa.Page{{Limit: 101}, {Limit: -1}, {Offset: -1}, {Cursor: "nonsense"}} {
			_, err := r.FileList(store.FileFilter{}, p)
			same(t, lukasa.CodeInvalid, lukasa.CodeOf(err))
		}
		_, err := r.FileList(store.FileFilter{Document: w.id(lukasa.PrefixDocument)}, lukasa.Page{})
		same(t, lukasa.CodeNotFound, lukasa.CodeOf(err))
	})
	view(bound, func(r store.Reader) { // what a key that is bound does not see is not counted either
		same(t, w.of(docs[0], docs[1]), w.turned(r, store.FileFilter{}, 5))
		_, err := r.FileList(store.FileFilter{Document: docs[2].ID}, lukasa.Page{})
		same(t, lukasa.CodeNotFound, lukasa.CodeOf(err))
	})
	view(lukasa.Scope{Owner: w.id(lukasa.PrefixUser)}, func(r store.Reader) { same(t, 0, len(w.turned(r, store.FileFilter{}, 5))) })
	early := w.newest(func(f lukasa.File) bool { return !f.CreatedAt.After(w.then) })
	w.ok(w.ViewAt(w.ctx(), w.sc, w.then, func(r store.Reader) error {
		same(t, early, w.turned(r, store.FileFilter{}, 4))
		return nil
	}))
	w.tick()
	w.ok(w.Update(w.ctx(), w.sc, func(tx store.Tx) error { return tx.Bury(docs[1].ID) }))
	view(w.sc, func(r store.Reader) { same(t, w.of(docs[0], docs[2]), w.turned(r, store.FileFilter{}, 3)) }) // the trash is not listed
}
