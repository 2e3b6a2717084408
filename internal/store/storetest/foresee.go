package storetest

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// testForesee asks for documents by their keys in transactions that have foreseen these and that have not: the answers are the same,
// whatever has been done meanwhile, and those about what is not there cost nothing.
func testForesee(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	w, sc, node := place(t, open)
	named := func(text, name string) lukasa.Document {
		d := w.doc(node, text)
		d.CustomID, d.SourceURL, d.Title = name, "https://example.org/"+name, "Title of "+name
		return d
	}
	update := func(fn func(tx store.Tx) error) { t.Helper(); w.ok(w.Update(w.ctx(), sc, fn)) }
	old, there, waits, buried := named("old", "old"), named("there", "there"), named("", "waits"), named("buried", "buried")
	newer := named("newer", "newer")
	newer.Previous, newer.Version = old.ID, 2
	waits.ContentHash, waits.Status = "", lukasa.StatusFailed
	update(func(tx store.Tx) error {
		for _, d := range []lukasa.Document{old, there, waits, buried, newer} {
			if err := tx.PutDocument(d); err != nil {
				return err
			}
		}
		return tx.Bury(buried.ID)
	})
	fresh, other := named("fresh", "fresh"), named("other", "other")
	asked := []lukasa.Document{old, there, waits, buried, newer, fresh, other}
	foresee := func(tx store.Tx) {
		keys := map[string][]string{"content_hash": {""}, "custom_id": {"\xff"}}
		for _, d := range asked {
			keys["content_hash"], keys["custom_id"] = append(keys["content_hash"], d.ContentHash), append(keys["custom_id"], d.CustomID)
			keys["source_url"], keys["title"] = append(keys["source_url"], d.SourceURL), append(keys["title"], d.Title)
		}
		for key, values := range keys {
			w.ok(tx.Foresee(node, key, values))
		}
	}
	look := func(tx store.Tx) (found []lukasa.ID) {
		note := func(d lukasa.Document, err error) {
			if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
				t.Error(err)
			}
			found = append(found, d.ID)
		}
		for _, d := range asked {
			note(tx.LatestByHash(node, d.ContentHash))
			note(tx.LatestBy(node, "custom_id", d.CustomID))
			note(tx.LatestBy(node, "source_url", d.SourceURL))
			note(tx.LatestBy(node, "title", d.Title))
			l := must[lukasa.Listing[lukasa.Document]](t)(tx.Documents(lukasa.DocumentFilter{Containers: []lukasa.Pattern{{}}, CustomID: d.CustomID, AllVersions: true}, lukasa.Page{Limit: 100}))
			for _, x := range l.Items {
				found = append(found, x.ID)
			}
		}
		return found
	}
	undo := lukasa.Errorf(lukasa.CodeConflict, "undone")
	for name, change := range map[string]func(tx store.Tx) error{
		"nothing":  func(store.Tx) error { return nil },
		"add":      func(tx store.Tx) error { return tx.AddDocument(store.Whole{Document: fresh}) },
		"put":      func(tx store.Tx) error { return tx.PutDocument(fresh) },
		"unbury":   func(tx store.Tx) error { return tx.Unbury(buried.ID) },
		"read now": func(tx store.Tx) error { d := waits; d.ContentHash = fresh.ContentHash; return tx.PutDocument(d) },
		"delete":   func(tx store.Tx) error { _, _, err := tx.DeleteDocument(newer.ID); return err },
		"bury":     func(tx store.Tx) error { return tx.Bury(newer.ID) },
		"follow": func(tx store.Tx) error {
			d := fresh
			d.Previous, d.Version = there.ID, 2
			return tx.AddDocument(store.Whole{Document: d})
		},
	} {
		var seen [2][]lukasa.ID
		for i := range seen {
			err := w.Update(w.ctx(), sc, func(tx store.Tx) error {
				if i == 1 {
					foresee(tx)
				}
				if err := change(tx); err != nil {
					return err
				}
				seen[i] = look(tx)
				return undo
			})
			if lukasa.CodeOf(err) != lukasa.CodeConflict {
				t.Fatalf("%s: %v", name, err)
			}
		}
		same(t, seen[0], seen[1])
	}
	testForeseen(t, w, sc, node, fresh, foresee)
}

// testForeseen counts what it costs to ask for a document that is not there.
func testForeseen(t *testing.T, w *world, sc lukasa.Scope, node lukasa.ID, fresh lukasa.Document, foresee func(store.Tx)) {
	t.Helper()
	ctx, asks := sqlrows.WithCount(w.ctx())
	w.ok(w.Update(ctx, sc, func(tx store.Tx) error {
		_, err := tx.NodeAt("")
		before := asks.Load()
		if _, err := tx.LatestByHash(node, fresh.ContentHash); lukasa.CodeOf(err) != lukasa.CodeNotFound || asks.Load() == before {
			t.Errorf("%v, and %d statements; want one that says that it is not there", err, asks.Load()-before)
		}
		foresee(tx)
		before = asks.Load()
		for _, look := range []func() (lukasa.Document, error){
			func() (lukasa.Document, error) { return tx.LatestByHash(node, fresh.ContentHash) },
			func() (lukasa.Document, error) { return tx.LatestBy(node, "custom_id", fresh.CustomID) },
			func() (lukasa.Document, error) { return tx.LatestBy(node, "source_url", fresh.SourceURL) },
			func() (lukasa.Document, error) { return tx.LatestBy(node, "title", fresh.Title) },
		} {
			if _, err := look(); lukasa.CodeOf(err) != lukasa.CodeNotFound {
				t.Error(err)
			}
		}
		if n := asks.Load() - before; n > 0 {
			t.Errorf("%d statements ask for what is known not to be there", n)
		}
		if err := tx.Foresee(node, "summary", []string{"x"}); lukasa.CodeOf(err) != lukasa.CodeInvalid {
			t.Errorf("a summary is no key: %v", err)
		}
		return err
	}))
}
