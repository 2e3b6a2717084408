package storetest

import (
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

var nodeCases = []testCase{
	{"PutAndRead", func(t *testing.T, w *world) {
		w.node("")
		n := lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: "work", Name: "Work", Type: lukasa.NodeProject, Description: "all of it", CreatedAt: start, UpdatedAt: start}
		w.update(func(tx store.Tx) error { return tx.PutNode(n) })
		w.view(func(r store.Reader) {
			got := must[lukasa.Node](t)(r.Node(n.ID))
			root := must[lukasa.Node](t)(r.NodeAt(""))
			n.Parent, n.Depth = root.ID, 1
			same(t, n, got)
			same(t, n, must[lukasa.Node](t)(r.NodeAt("work")))
			_, err := r.Node("node_none")
			w.fails(lukasa.CodeNotFound, err)
			_, err = r.NodeAt("Work") // paths tell case apart
			w.fails(lukasa.CodeNotFound, err)
		})
		n.Description, n.UpdatedAt = "", start.Add(1)
		w.update(func(tx store.Tx) error { return tx.PutNode(n) })
		w.view(func(r store.Reader) { same(t, "", must[lukasa.Node](t)(r.Node(n.ID)).Description) })
	}},
	{"DepthIsAtMostFive", func(t *testing.T, w *world) { // N-1
		w.node("a.b.c.d.e")
		w.fails(lukasa.CodeConflict, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error {
			return tx.PutNode(lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: "a.b.c.d.e.f"})
		}))
		w.view(func(r store.Reader) { same(t, 5, must[lukasa.Node](t)(r.NodeAt("a.b.c.d.e")).Depth) })
	}},
	{"OnePathOnce", func(t *testing.T, w *world) {
		w.node("work")
		w.fails(lukasa.CodeConflict, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error {
			return tx.PutNode(lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: "work"})
		}))
	}},
	{"ParentMustBeThere", func(t *testing.T, w *world) { // N-2
		w.node("")
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error {
			return tx.PutNode(lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: "a.b"})
		}))
	}},
	{"PatternsAndCounts", func(t *testing.T, w *world) { // D-8, H-21
		for _, p := range []lukasa.Path{"work.acme.billing", "work.acme_inc", "work.zeta", "home", "workshop"} {
			w.node(p)
		}
		acme := w.node("work.acme")
		d, _ := w.saved(acme, "one", 1)
		w.saved(acme, "two", 1)
		v2 := w.doc(acme, "one, again")
		v2.Previous, v2.Version = d.ID, 2
		mem := w.memory(acme, "a fact")
		old := w.memory(acme, "an old fact")
		old.IsLatest = false
		w.dialogue(acme, "talk", 2)
		w.update(func(tx store.Tx) error {
			if err := tx.PutDocument(v2); err != nil {
				return err
			}
			if err := tx.PutMemory(mem); err != nil {
				return err
			}
			return tx.PutMemory(old)
		})
		for _, c := range []struct {
			patterns []string
			inherit  bool
			want     []lukasa.ID
		}{
			{nil, false, []lukasa.ID{"home", "work", "work.acme", "work.acme.billing", "work.acme_inc", "work.zeta", "workshop"}},
			{[]string{"work"}, false, []lukasa.ID{"work", "work.acme", "work.acme.billing", "work.acme_inc", "work.zeta"}},
			{[]string{"work!"}, false, []lukasa.ID{"work"}},
			{[]string{"work.*"}, false, []lukasa.ID{"work.acme", "work.acme_inc", "work.zeta"}},
			{[]string{"*"}, false, []lukasa.ID{"home", "work", "workshop"}},
			{[]string{"work.acme.billing"}, true, []lukasa.ID{"work", "work.acme", "work.acme.billing"}},
			{[]string{"home", "work!"}, false, []lukasa.ID{"home", "work"}},
			{[]string{"none"}, false, []lukasa.ID{}},
		} {
			var ps []lukasa.Pattern
			for _, s := range c.patterns {
				ps = append(ps, must[lukasa.Pattern](t)(lukasa.ParsePattern(s, c.inherit)))
			}
			w.view(func(r store.Reader) {
				nodes := must[[]lukasa.Node](t)(r.Nodes(ps, true))
				same(t, c.want, idsOf(nodes, nodePath))
				for _, n := range nodes {
					if n.Path == "work.acme" {
						same(t, [2]int{2, 1}, [2]int{n.Documents, n.Memories})
					} else {
						same(t, [2]int{0, 0}, [2]int{n.Documents, n.Memories})
					}
				}
			})
		}
	}},
	{"VersionFollowsChanges", func(t *testing.T, w *world) {
		a, b := w.node("a"), w.node("b")
		w.saved(a, "text", 1)
		head := must[int64](t)(w.Head(w.ctx()))
		w.view(func(r store.Reader) {
			same(t, head, must[lukasa.Node](t)(r.Node(a)).Version)
			same(t, 0, must[lukasa.Node](t)(r.Node(b)).Version)
		})
	}},
	{"DeleteTakesTheSubtree", func(t *testing.T, w *world) { // D-8
		top, below, other := w.node("work"), w.node("work.acme"), w.node("workshop")
		d1, _ := w.saved(top, "one", 2)
		d2, _ := w.saved(below, "two", 3)
		d3, kept := w.saved(other, "three", 1)
		_, ms, _ := w.dialogue(below, "talk", 2)
		here := w.memory(below, "stands there")
		there := w.memory(other, "stands elsewhere, comes from there", lukasa.Source{Document: d2.ID})
		both := w.memory(other, "has two sources", lukasa.Source{Document: d2.ID}, lukasa.Source{Document: d3.ID})
		w.update(func(tx store.Tx) error {
			for _, m := range []lukasa.Memory{here, there, both} {
				if err := tx.PutMemory(m); err != nil {
					return err
				}
			}
			return tx.PutFile(lukasa.File{ID: w.id(lukasa.PrefixFile), Document: d1.ID, Role: "raw", SealedSize: 7, Blob: "blob-1"})
		})
		var gone lukasa.Removal
		var blobs []string
		w.update(func(tx store.Tx) (err error) {
			gone, blobs, err = tx.DeleteNode(top)
			return err
		})
		same(t, []string{"blob-1"}, blobs)
		same(t, [7]int{3, 7, 5, 2, 2, 1, 2}, [7]int{gone.Documents, gone.Chunks, gone.Vectors, gone.Memories, gone.Messages, gone.Files, gone.Nodes})
		w.view(func(r store.Reader) {
			for _, id := range []lukasa.ID{d1.ID, d2.ID} {
				_, err := r.Document(id)
				w.fails(lukasa.CodeNotFound, err)
			}
			same(t, 0, len(must[[]lukasa.Message](t)(r.MessagesByID([]lukasa.ID{ms[0].ID}))))
			_, err := r.Memory(there.ID)
			w.fails(lukasa.CodeNotFound, err)
			same(t, []lukasa.Source{{Document: d3.ID}}, must[lukasa.Memory](t)(r.Memory(both.ID)).Sources)
			same(t, []lukasa.ID{kept[0].ID}, idsOf(must[[]lukasa.Chunk](t)(r.Chunks(d3.ID)), chunkID))
			_, err = r.NodeAt("work.acme")
			w.fails(lukasa.CodeNotFound, err)
			must[lukasa.Node](t)(r.NodeAt("workshop"))
		})
		w.healthy()
	}},
	{"MoveTakesTheSubtree", func(t *testing.T, w *world) {
		w.node("archive")
		w.node("work.acme.billing")
		acme := w.node("work.acme")
		d, _ := w.saved(w.node("work.acme.billing"), "text", 1)
		move := func(to lukasa.Path) error {
			return w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.PutNode(lukasa.Node{ID: acme, Path: to}) })
		}
		w.ok(move("archive.old"))
		w.view(func(r store.Reader) {
			same(t, "archive.old.billing", must[lukasa.Document](t)(r.Document(d.ID)).Path)
			same(t, 3, must[lukasa.Node](t)(r.NodeAt("archive.old.billing")).Depth)
		})
		w.fails(lukasa.CodeConflict, move("archive.old.billing.x")) // below itself
		w.node("a.b.c.d")
		w.fails(lukasa.CodeConflict, move("a.b.c.d.e")) // its child would be at depth 6
		w.healthy()
	}},
}
