package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// testClear takes what stands in a node away bit by bit, and the rest with the node: what goes, and is left, is what goes with it at once.
func testClear(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	const docs, memories = 5, 3
	var seen [2]lukasa.Removal
	for i := range seen {
		w, sc, root := place(t, open)
		node, below, beside := w.id(lukasa.PrefixNode), w.id(lukasa.PrefixNode), w.id(lukasa.PrefixNode)
		kept := w.doc(beside, "elsewhere")
		w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
			for _, n := range []lukasa.Node{{ID: node, Parent: root, Path: "a"}, {ID: below, Parent: node, Path: "a.b"}, {ID: beside, Parent: root, Path: "ab"}} {
				w.ok(tx.PutNode(n))
			}
			w.ok(tx.PutDocument(kept))
			var first lukasa.ID
			for n := range docs {
				d := w.doc([]lukasa.ID{node, below}[n%2], "text")
				w.ok(tx.PutDocument(d))
				w.ok(tx.ReplaceChunks(d.ID, w.chunks(d, 2)))
				if n == 1 {
					w.ok(tx.Bury(d.ID))
				}
				first = d.ID
			}
			for n := range memories {
				m := w.memory(below, "fact")
				if n == 0 { // which goes with its document
					m.Sources = []lukasa.Source{{Document: first}}
				}
				w.ok(tx.PutMemory(m))
			}
			return nil
		}))
		total := &seen[i]
		for limit := 2; i == 1; {
			var named []lukasa.ID
			var gone lukasa.Removal
			did := false
			err := w.Update(w.ctx(), sc, func(tx store.Tx) (err error) {
				did, gone, _, err = tx.ClearNode(node, limit, func(ids []lukasa.ID) error { named = slices.Clone(ids); return nil })
				return err
			})
			w.ok(err)
			if !did {
				break
			}
			if len(named) != limit || gone.Documents+gone.Memories < limit || gone.Documents > limit || gone.Nodes != 0 || slices.ContainsFunc(named, func(id lukasa.ID) bool { return !slices.Contains(gone.IDs, id) }) {
				t.Fatalf("of %v went %+v", named, gone)
			}
			total.Count(gone)
			total.IDs = append(total.IDs, gone.IDs...)
			limit = 1
		}
		no := errors.New("no")
		if err := w.Update(w.ctx(), sc, func(tx store.Tx) error {
			_, _, _, err := tx.ClearNode(node, 0, func([]lukasa.ID) error { return no })
			return err
		}); !errors.Is(err, no) {
			t.Errorf("what stands in the way is told as %v", err)
		}
		if err := w.Update(w.ctx(), lukasa.Scope{Owner: sc.Owner, Root: "ab"}, func(tx store.Tx) error {
			_, _, _, err := tx.ClearNode(node, 0, func([]lukasa.ID) error { return nil })
			return err
		}); lukasa.CodeOf(err) != lukasa.CodeNotFound {
			t.Errorf("from beside it is cleared with %v", err)
		}
		w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
			gone, _, err := tx.DeleteNode(node)
			if i == 1 && (gone.Documents > 1 || gone.Memories > 1) {
				t.Errorf("not cleared: %+v", gone)
			}
			total.Count(gone)
			total.IDs = append(total.IDs, gone.IDs...)
			return err
		}))
		w.ok(w.View(w.ctx(), sc, func(r store.Reader) error {
			_, err := r.Document(kept.ID)
			return err
		}))
		if found := must[[]string](t)(w.Check(w.ctx())); len(found) > 0 {
			t.Errorf("damage: %q", found)
		}
	}
	if len(seen[0].IDs) != docs+memories+2 || len(seen[1].IDs) != len(seen[0].IDs) {
		t.Errorf("%d and %d ids", len(seen[0].IDs), len(seen[1].IDs))
	}
	seen[0].IDs, seen[1].IDs = nil, nil
	same(t, lukasa.Removal{Documents: docs, Memories: memories, Nodes: 2, Chunks: 2 * docs, Bytes: docs * int64(len("text"))}, seen[0])
	same(t, seen[0], seen[1])
}
