package storetest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// standing is what stands in each node, by its id, and the state of each node. Whoever keeps what was worked out from a node asks for the latter.
type standing struct {
	versions map[lukasa.ID]int64
	content  map[lukasa.ID]string
}

func (w *world) standing(sc lukasa.Scope) (s standing) {
	s = standing{versions: map[lukasa.ID]int64{}, content: map[lukasa.ID]string{}}
	p := lukasa.Page{Limit: 100}
	add := func(node lukasa.ID, x any) {
		b, err := json.Marshal(x)
		w.ok(err)
		s.content[node] += string(b) + "\n"
	}
	w.ok(w.View(w.ctx(), sc, func(r store.Reader) error {
		at := map[lukasa.ID]lukasa.ID{}
		for _, d := range must[lukasa.Listing[lukasa.Document]](w.t)(r.Documents(lukasa.DocumentFilter{AllVersions: true, Conversation: true}, p)).Items {
			at[d.ID] = d.Node
			add(d.Node, []any{d.ID, d.Title, d.Summary, d.Tags, d.IsLatest})
		}
		for _, m := range must[lukasa.Listing[lukasa.Memory]](w.t)(r.Memories(lukasa.MemoryFilter{}, p)).Items {
			add(m.Node, []any{m.ID, m.Content, m.IsLatest, m.Tags})
		}
		for _, c := range must[lukasa.Listing[lukasa.Conversation]](w.t)(r.Conversations(nil, p)).Items {
			add(c.Node, []any{c.ID, c.Title, c.Messages, c.Tags})
		}
		for _, g := range must[lukasa.Listing[lukasa.Segment]](w.t)(r.Segments(store.SegmentFilter{}, p)).Items {
			add(at[g.Document], []any{g.Document, g.Topic, g.Folder, g.State})
		}
		for _, n := range must[[]lukasa.Node](w.t)(r.Nodes(nil, false)) {
			s.versions[n.ID] = n.Version
		}
		for id := range s.content { // the root is not listed
			s.versions[id] = must[lukasa.Node](w.t)(r.Node(id)).Version
		}
		return nil
	}))
	return s
}

// risen fails the test where what stands in a node has changed since before and the node's version has not.
func (w *world) risen(sc lukasa.Scope, before standing) standing {
	w.t.Helper()
	now := w.standing(sc)
	for id, version := range now.versions {
		if was, there := before.versions[id]; there && was == version && before.content[id] != now.content[id] {
			w.t.Fatalf("node %s still has version %d, and has changed from\n%sto\n%s", id, version, before.content[id], now.content[id])
		}
	}
	return now
}

// testVersions changes what nobody finds, as it has no text: that, too, changes what stands in a node.
func testVersions(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	w, sc, _ := place(t, open)
	here := lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: "here", Type: lukasa.NodeTopic, CreatedAt: w.tick(), UpdatedAt: w.now}
	there := lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: "there", Type: lukasa.NodeTopic, CreatedAt: w.tick(), UpdatedAt: w.now}
	for _, n := range []lukasa.Node{here, there} {
		w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error { return tx.PutNode(n) }))
	}
	d := w.doc(here.ID, "")
	c := lukasa.Conversation{ID: w.id(lukasa.PrefixConversation), Node: here.ID, ExternalID: "talk", CreatedAt: w.tick(), UpdatedAt: w.now}
	before := w.standing(sc)
	steps := []func(tx store.Tx) error{
		func(tx store.Tx) error { return tx.PutConversation(c) },
		func(tx store.Tx) error { return tx.PutDocument(d) },
		func(tx store.Tx) error { return tx.PutSegment(lukasa.Segment{Document: d.ID, Conversation: c.ID}) },
		func(tx store.Tx) error { c.Node = there.ID; return tx.PutConversation(c) },
		func(tx store.Tx) error { d.Node = there.ID; return tx.PutDocument(d) },
		func(tx store.Tx) error {
			return tx.PutSegment(lukasa.Segment{Document: d.ID, Conversation: c.ID, Topic: "Ferries", State: lukasa.SegmentFinalized})
		},
		func(tx store.Tx) error { return tx.Bury(d.ID) },
		func(tx store.Tx) error { return tx.Unbury(d.ID) },
		func(tx store.Tx) error { return tx.Bury(c.ID) },
		func(tx store.Tx) error { return tx.Unbury(c.ID) },
		func(tx store.Tx) error { _, _, err := tx.Purge(d.ID); return err },
		func(tx store.Tx) error { _, _, err := tx.Purge(c.ID); return err },
	}
	for _, step := range steps {
		w.tick()
		w.ok(w.Update(w.ctx(), sc, step))
		before = w.risen(sc, before)
	}
}
