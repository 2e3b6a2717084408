package storetest

import (
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// secrets are records that a scope under test must neither see nor touch.
type secrets struct {
	node  lukasa.ID
	doc   lukasa.Document
	chunk lukasa.Chunk
	mem   lukasa.Memory
	conv  lukasa.Conversation
	msg   lukasa.Message
	ent   lukasa.Entity
	delta lukasa.ID
	trash lukasa.Memory // it is buried
}

func (w *world) secrets(p lukasa.Path) secrets {
	s := secrets{node: w.node(p)}
	var cs []lukasa.Chunk
	s.doc = w.doc(s.node, "secret")
	s.doc.CustomID, s.doc.ForgetAfter = "secret", new(start)
	cs = w.chunks(s.doc, 1)
	s.chunk = cs[0]
	s.mem = w.memory(s.node, "secret", lukasa.Source{Document: s.doc.ID})
	w.update(func(tx store.Tx) error {
		if err := put(tx, s.doc, cs); err != nil {
			return err
		}
		if err := tx.SummaryEntry(s.doc.ID, true); err != nil {
			return err
		}
		if err := tx.PutFile(lukasa.File{ID: w.id(lukasa.PrefixFile), Document: s.doc.ID, Role: "raw", Inline: []byte("secret")}); err != nil {
			return err
		}
		return tx.PutMemory(s.mem)
	})
	var ms []lukasa.Message
	s.conv, ms, _ = w.dialogue(s.node, "secret", 1)
	s.msg = ms[0]
	s.ent, s.trash = w.entity("person", "Secret "+string(s.node)), w.memory(s.node, "buried secret")
	w.update(func(tx store.Tx) error {
		if err := tx.PutSegment(lukasa.Segment{Document: s.conv.Document, Conversation: s.conv.ID, Topic: "secret", Folder: "folder " + string(s.node)}); err != nil {
			return err
		}
		if err := tx.PutEntity(s.ent); err != nil {
			return err
		}
		if err := tx.PutMemory(s.trash); err != nil {
			return err
		}
		if err := tx.Bury(s.trash.ID); err != nil {
			return err
		}
		return tx.PutEdges([]lukasa.Edge{mention(s.doc.ID, s.ent.ID), {From: string(s.mem.ID), To: string(s.doc.ID), Type: lukasa.EdgeDerives, Weight: 1}})
	})
	s.delta = w.history(s.mem.ID)[0].ID
	return s
}

// blind checks that every method of a Reader answers a scope as if the secrets did not exist.
func (w *world) blind(t *testing.T, sc lukasa.Scope, s secrets, p lukasa.Path) {
	t.Helper()
	gone := func(_ any, err error) {
		t.Helper()
		w.fails(lukasa.CodeNotFound, err)
	}
	look := func(r store.Reader) error {
		one := func(v any, err error) (any, error) { return v, err }
		gone(one(r.Node(s.node)))
		gone(one(r.NodeAt(p)))
		gone(one(r.Document(s.doc.ID)))
		gone(one(r.LatestByHash(s.node, s.doc.ContentHash)))
		gone(one(r.LatestBy(s.node, "custom_id", "secret")))
		gone(one(r.LatestBy(s.node, "title", s.doc.Title)))
		gone(one(r.Versions(s.doc.ID)))
		gone(one(r.Files(s.doc.ID, "")))
		gone(one(r.Chunks(s.doc.ID)))
		gone(one(r.Pending(s.doc.ID, "another", 10)))
		gone(one(r.Memory(s.mem.ID)))
		gone(one(r.Conversation(s.conv.ID)))
		gone(one(r.ConversationAt(s.node, "secret", false)))
		gone(one(r.Messages(s.conv.ID, lukasa.Page{})))
		for _, n := range must[[]lukasa.Node](t)(Lean(t, r).Nodes(nil, true)) {
			if n.ID == s.node {
				t.Fatal("Nodes shows it")
			}
		}
		same(t, 0, len(must[[]lukasa.Document](t)(Lean(t, r).DocumentsByID([]lukasa.ID{s.doc.ID}))))
		same(t, 0, len(must[[]lukasa.Chunk](t)(r.ChunksByID([]lukasa.ID{s.chunk.ID}))))
		same(t, 0, len(must[[]lukasa.Memory](t)(r.MemoriesByID([]lukasa.ID{s.mem.ID}))))
		same(t, 0, len(must[[]lukasa.Message](t)(r.MessagesByID([]lukasa.ID{s.msg.ID}))))
		same(t, 0, len(must[[]lukasa.Message](t)(r.MessagesByExternal(s.conv.ID, []string{s.msg.ExternalID}))))
		for _, pat := range [][]lukasa.Pattern{nil, {{Path: p}}, {{Path: p, Mode: '!'}}, {{Path: p, Inherit: true}}} {
			same(t, 0, must[lukasa.Listing[lukasa.Document]](t)(r.Documents(lukasa.DocumentFilter{Containers: pat, CustomID: "secret", AllVersions: true, Conversation: true}, lukasa.Page{})).Total)
			for _, m := range must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(lukasa.MemoryFilter{Containers: pat}, lukasa.Page{})).Items {
				if m.ID == s.mem.ID {
					t.Fatal("Memories shows it")
				}
			}
			for _, c := range must[lukasa.Listing[lukasa.Conversation]](t)(r.Conversations(pat, lukasa.Page{})).Items {
				if c.ID == s.conv.ID {
					t.Fatal("Conversations shows it")
				}
			}
		}
		for _, nodes := range [][]lukasa.ID{nil, {s.node}} {
			for _, e := range must[[]lukasa.Entry](t)(r.Newest(nodes, nil, nil, 100)) {
				if e.Node == s.node {
					t.Fatal("Newest shows it")
				}
			}
		}
		gone(one(r.Segment(s.conv.Document)))
		gone(nil, r.MessagesIn(s.conv.Document, 0, func(lukasa.Message) bool { return true }))
		gone(one(r.Delta(s.delta)))
		same(t, 0, len(must[[]lukasa.Entity](t)(r.EntitiesByID([]lukasa.ID{s.ent.ID}))))
		same(t, 0, len(must[[]lukasa.Entity](t)(r.EntitiesNamed([]string{s.ent.Name}))))
		same(t, 0, must[lukasa.Listing[lukasa.Entity]](t)(r.Entities(nil, "", s.ent.Name, lukasa.Page{})).Total)
		same(t, 0, len(must[[]lukasa.Edge](t)(r.Edges([]lukasa.ID{s.doc.ID, s.mem.ID, s.ent.ID}, nil, 10))))
		for _, id := range []lukasa.ID{s.doc.ID, s.mem.ID, s.node, s.msg.ID, s.trash.ID} {
			same(t, 0, must[lukasa.Listing[lukasa.Delta]](t)(r.History(id, lukasa.Page{})).Total)
		}
		for _, d := range must[lukasa.Listing[lukasa.Delta]](t)(r.History("", lukasa.Page{Limit: 100})).Items {
			if d.Node == s.node {
				t.Fatal("History shows it")
			}
		}
		for _, b := range must[lukasa.Listing[store.Buried]](t)(r.Buried(lukasa.Page{})).Items {
			if b.Record == s.trash.ID {
				t.Fatal("Buried shows it")
			}
		}
		for _, pat := range [][]lukasa.Pattern{nil, {{Path: p}}} {
			for _, g := range must[lukasa.Listing[lukasa.Segment]](t)(r.Segments(store.SegmentFilter{Containers: pat}, lukasa.Page{})).Items {
				if g.Document == s.conv.Document {
					t.Fatal("Segments shows it")
				}
			}
		}
		return nil
	}
	w.ok(w.View(w.ctx(), sc, look))
	w.ok(w.ViewAt(w.ctx(), sc, w.clock(), look))
}

// powerless checks that every method of a Tx refuses to touch the secrets, and that they stay as they are.
func (w *world) powerless(t *testing.T, sc lukasa.Scope, s secrets, own lukasa.ID, p lukasa.Path) {
	t.Helper()
	for name, fn := range w.attempts(s, own, p) {
		if sc.Owner != "" && sc.Owner != w.owner && strings.Contains(strings.ToLower(name), "entity") {
			continue // the id is free for an entity of its own
		}
		if err := w.Update(w.ctx(), sc, fn); lukasa.CodeOf(err) != lukasa.CodeNotFound {
			t.Errorf("%s: %v, want not_found", name, err)
		}
	}
	head := must[int64](t)(w.Head(w.ctx()))
	w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error { // passed over
		same(t, 0, len(must[[]lukasa.ID](t)(tx.Touch([]lukasa.ID{s.doc.ID}, start))))
		return tx.PutVectors(space, []store.Vector{
			{Entry: s.chunk.ID, Type: lukasa.EntryChunk, Vector: vector(7)},
			{Entry: s.mem.ID, Type: lukasa.EntryMemory, Vector: vector(7)},
			{Entry: s.doc.ID, Type: lukasa.EntryDocument, Vector: vector(7)},
		})
	}))
	same(t, head, must[int64](t)(w.Head(w.ctx())))
}

// attempts are all ways to change the secrets, or what hangs on them.
func (w *world) attempts(s secrets, own lukasa.ID, p lukasa.Path) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"PutNode inside":    func(tx store.Tx) error { return tx.PutNode(lukasa.Node{ID: s.node, Path: p, Description: "taken"}) },
		"DeleteNode":        func(tx store.Tx) error { _, _, err := tx.DeleteNode(s.node); return err },
		"ClearNode":         func(tx store.Tx) error { _, _, _, err := tx.ClearNode(s.node, 1, nil); return err },
		"PutDocument":       func(tx store.Tx) error { d := s.doc; d.Title = "taken"; return tx.PutDocument(d) },
		"PutDocument into":  func(tx store.Tx) error { return tx.PutDocument(w.doc(s.node, "x")) },
		"PutDocument after": func(tx store.Tx) error { d := w.doc(own, "x"); d.Previous = s.doc.ID; return tx.PutDocument(d) },
		"DeleteDocument":    func(tx store.Tx) error { _, _, err := tx.DeleteDocument(s.doc.ID); return err },
		"PutFile": func(tx store.Tx) error {
			return tx.PutFile(lukasa.File{ID: w.id(lukasa.PrefixFile), Document: s.doc.ID})
		},
		"ReplaceChunks":  func(tx store.Tx) error { return tx.ReplaceChunks(s.doc.ID, nil) },
		"SummaryEntry":   func(tx store.Tx) error { return tx.SummaryEntry(s.doc.ID, false) },
		"PutMemory into": func(tx store.Tx) error { return tx.PutMemory(w.memory(s.node, "x")) },
		"DeleteMemory":   func(tx store.Tx) error { return tx.DeleteMemory(s.mem.ID) },
		"PutConversation into": func(tx store.Tx) error {
			return tx.PutConversation(lukasa.Conversation{ID: w.id(lukasa.PrefixConversation), Node: s.node, ExternalID: "x"})
		},
		"PutMessages":   func(tx store.Tx) error { m, cs := w.turns(s.conv, 1); return tx.PutMessages(m, cs) },
		"DeleteMessage": func(tx store.Tx) error { return tx.DeleteMessage(s.msg.ID) },
		"PutSegment": func(tx store.Tx) error {
			return tx.PutSegment(lukasa.Segment{Document: s.conv.Document, Conversation: s.conv.ID, Topic: "taken"})
		},
		"PutEntity": func(tx store.Tx) error { e := s.ent; e.Name = "taken"; return tx.PutEntity(e) },
		"PutEdges from": func(tx store.Tx) error {
			return tx.PutEdges([]lukasa.Edge{{From: string(s.doc.ID), To: string(own), Type: "x"}})
		},
		"PutEdges to": func(tx store.Tx) error {
			return tx.PutEdges([]lukasa.Edge{{From: string(own), To: string(s.doc.ID), Type: "x"}})
		},
		"PutEdges entity": func(tx store.Tx) error { return tx.PutEdges([]lukasa.Edge{mention(own, s.ent.ID)}) },
		"DeleteEdges":     func(tx store.Tx) error { return tx.DeleteEdges(s.mem.ID) },
		"Bury":            func(tx store.Tx) error { return tx.Bury(s.doc.ID) },
		"Bury memory":     func(tx store.Tx) error { return tx.Bury(s.mem.ID) },
		"Bury talk":       func(tx store.Tx) error { return tx.Bury(s.conv.ID) },
		"Unbury":          func(tx store.Tx) error { return tx.Unbury(s.trash.ID) },
		"Purge":           func(tx store.Tx) error { _, _, err := tx.Purge(s.doc.ID); return err },
		"Purge buried":    func(tx store.Tx) error { _, _, err := tx.Purge(s.trash.ID); return err },
		"Purge talk":      func(tx store.Tx) error { _, _, err := tx.Purge(s.conv.ID); return err },
	}
}

// untouched checks that the secrets are as they were.
func (w *world) untouched(t *testing.T, s secrets) {
	t.Helper()
	w.view(func(r store.Reader) {
		d := must[lukasa.Document](t)(r.Document(s.doc.ID))
		same(t, [3]any{s.doc.Title, int64(0), 1}, [3]any{d.Title, d.Accesses, d.Chunks})
		must[lukasa.Memory](t)(r.Memory(s.mem.ID))
		same(t, 1, must[lukasa.Conversation](t)(r.Conversation(s.conv.ID)).Messages)
		same(t, "secret", must[lukasa.Segment](t)(r.Segment(s.conv.Document)).Topic)
		same(t, s.ent.Name, must[[]lukasa.Entity](t)(r.EntitiesByID([]lukasa.ID{s.ent.ID}))[0].Name)
		same(t, 2, len(must[[]lukasa.Edge](t)(r.Edges([]lukasa.ID{s.doc.ID}, nil, 10))))
	})
	same(t, [][]float32{vector(0), nil, nil}, must[[][]float32](t)(w.Vectors(w.ctx(), space, w.owner, []lukasa.ID{s.chunk.ID, s.mem.ID, s.doc.ID})))
	w.healthy()
}

var scopeCases = []testCase{
	{"OwnersStandApart", func(t *testing.T, w *world) { // H-17, N-14
		s := w.secrets("work")
		stranger := lukasa.Scope{Owner: w.user(), Role: lukasa.RoleAdmin} // a role does not open rows
		var own lukasa.ID
		w.ok(w.Update(w.ctx(), stranger, func(tx store.Tx) (err error) {
			if own, err = w.nodeIn(tx, "work"); err != nil { // the same path, another place
				return err
			}
			return nil
		}))
		w.viewAs(stranger, func(r store.Reader) { same(t, own, must[lukasa.Node](t)(r.NodeAt("work")).ID) })
		w.blindExceptPath(t, stranger, s)
		w.powerlessOwner(t, stranger, s, own)
		w.viewAs(stranger, func(r store.Reader) {
			same(t, lukasa.Stats{Nodes: 1, ByStatus: map[string]int{}, ByType: map[string]int{}}, must[lukasa.Stats](t)(r.Stats()))
		})
		w.untouched(t, s)
	}},
	{"SubtreesStandApart", func(t *testing.T, w *world) { // N-14
		s := w.secrets("work.acme")
		lookalike := w.secrets("work.zeta_") // not below work.zeta
		own := w.node("work.zeta")
		sc := w.under("work.zeta")
		for _, x := range []struct {
			s secrets
			p lukasa.Path
		}{{s, "work.acme"}, {lookalike, "work.zeta_"}} {
			w.blind(t, sc, x.s, x.p)
			w.powerless(t, sc, x.s, own, x.p)
			w.untouched(t, x.s)
		}
		w.viewAs(sc, func(r store.Reader) {
			_, err := r.NodeAt("work")
			w.fails(lukasa.CodeNotFound, err)
			_, err = r.NodeAt("")
			w.fails(lukasa.CodeNotFound, err)
			same(t, lukasa.Stats{Nodes: 1, ByStatus: map[string]int{}, ByType: map[string]int{}}, must[lukasa.Stats](t)(r.Stats()))
		})
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), sc, func(tx store.Tx) error {
			return tx.PutNode(lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: "work.other"})
		}))
	}},
	{"ASubtreeIsWholeInside", func(t *testing.T, w *world) {
		below := w.node("work.acme.billing")
		d, cs := w.saved(below, "text", 2)
		top, _ := w.saved(w.node("work.acme"), "at the root of the scope", 1)
		sc := w.under("work.acme")
		w.viewAs(sc, func(r store.Reader) {
			same(t, d.ID, must[lukasa.Document](t)(r.Document(d.ID)).ID)
			same(t, 2, len(must[[]lukasa.Chunk](t)(r.ChunksByID(idsOf(cs, chunkID)))))
			same(t, []lukasa.ID{top.ID, d.ID}, idsOf(must[lukasa.Listing[lukasa.Document]](t)(r.Documents(lukasa.DocumentFilter{}, lukasa.Page{})).Items, docID))
			same(t, 2, must[lukasa.Stats](t)(r.Stats()).Documents)
			same(t, []lukasa.ID{"work.acme", "work.acme.billing"}, idsOf(must[[]lukasa.Node](t)(r.Nodes(nil, true)), nodePath))
		})
		w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
			if err := tx.PutNode(lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: "work.acme.new"}); err != nil {
				return err
			}
			x := w.doc(below, "more")
			return put(tx, x, w.chunks(x, 1))
		}))
		w.healthy()
	}},
	{"TheZeroScopeSeesNothing", func(t *testing.T, w *world) {
		s := w.secrets("work")
		w.blind(t, lukasa.Scope{}, s, "work")
		w.powerless(t, lukasa.Scope{}, s, s.node, "work")
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), lukasa.Scope{}, func(tx store.Tx) error {
			return tx.PutNode(lukasa.Node{ID: w.id(lukasa.PrefixNode)})
		}))
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), lukasa.Scope{}, func(tx store.Tx) error {
			return tx.Enqueue(lukasa.Job{ID: w.id(lukasa.PrefixJob), Kind: lukasa.JobEmbed})
		}))
		w.untouched(t, s)
	}},
	{"FeedKeepsOwnersApart", func(t *testing.T, w *world) {
		s := w.secrets("work")
		other := w.id(lukasa.PrefixUser)
		same(t, 0, len(must[[]lukasa.Entry](t)(w.Entries(w.ctx(), space, other, []lukasa.ID{s.chunk.ID, s.mem.ID, s.doc.ID}))))
		same(t, [][]float32{nil}, must[[][]float32](t)(w.Vectors(w.ctx(), space, other, []lukasa.ID{s.chunk.ID})))
		w.ok(w.Partition(w.ctx(), space, other, s.node, func(lukasa.Entry) bool {
			t.Error("Partition shows it")
			return true
		}))
	}},
}

// blindExceptPath is blind for an owner that has a node of its own at the same path.
func (w *world) blindExceptPath(t *testing.T, sc lukasa.Scope, s secrets) {
	t.Helper()
	w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
		n, err := tx.NodeAt("work")
		if err != nil {
			return err
		}
		n.Path = "elsewhere"
		return tx.PutNode(n)
	}))
	w.blind(t, sc, s, "work")
}

// powerlessOwner is powerless where ids of another owner are free to be used: a record put under one is a new record.
func (w *world) powerlessOwner(t *testing.T, sc lukasa.Scope, s secrets, own lukasa.ID) {
	t.Helper()
	w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
		d := s.doc
		d.Node, d.Title = own, "mine"
		return tx.PutDocument(d)
	}))
	w.viewAs(sc, func(r store.Reader) { same(t, "mine", must[lukasa.Document](t)(r.Document(s.doc.ID)).Title) })
	w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
		_, _, err := tx.DeleteDocument(s.doc.ID)
		return err
	}))
	w.powerless(t, sc, s, own, "nowhere.to.be.found")
}
