package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// sees reads everything that a scope sees.
func (w *world) sees(more ...lukasa.ID) (s Sight) {
	w.t.Helper()
	w.view(func(r store.Reader) {
		s = Look(w.t, r, nil, more, time.Time{})
	})
	s.Deltas = 0
	for i := range s.Conversations {
		s.Conversations[i].UpdatedAt = time.Time{}
	}
	for i := range s.Nodes {
		s.Nodes[i].Version = 0
	}
	return s
}

func (w *world) bury(id lukasa.ID) {
	w.t.Helper()
	w.update(func(tx store.Tx) error { w.tick(); return tx.Bury(id) })
}

func (w *world) unbury(id lukasa.ID) {
	w.t.Helper()
	w.update(func(tx store.Tx) error { w.tick(); return tx.Unbury(id) })
}

func (w *world) buried() (ids []lukasa.ID) {
	w.view(func(r store.Reader) {
		l := must[lukasa.Listing[store.Buried]](w.t)(r.Buried(lukasa.Page{}))
		same(w.t, len(l.Items), l.Total)
		for _, b := range l.Items {
			ids = append(ids, b.Record)
		}
	})
	return ids
}

// chain returns the versions of a document, newest first, the latest of them first of all.
func (w *world) chain(id lukasa.ID) (ids []lukasa.ID, latest []lukasa.ID) {
	w.view(func(r store.Reader) {
		for _, d := range must[[]lukasa.Document](w.t)(r.Versions(id)) {
			ids = append(ids, d.ID)
			if d.IsLatest {
				latest = append(latest, d.ID)
			}
		}
	})
	return ids, latest
}

var trashCases = []testCase{
	{"ADocumentGoesAndComesBack", func(t *testing.T, w *world) { // T-15
		node := w.node("work")
		s := w.secrets("work.secret")
		keep, _ := w.saved(node, "stays", 1)
		dave, both := w.entity("person", "Dave"), w.memory(node, "two sources", lukasa.Source{Document: s.doc.ID}, lukasa.Source{Document: keep.ID})
		w.update(func(tx store.Tx) error {
			if err := tx.PutEntity(dave); err != nil {
				return err
			}
			if err := tx.PutMemory(both); err != nil {
				return err
			}
			return tx.PutEdges([]lukasa.Edge{mention(s.doc.ID, dave.ID), {From: string(keep.ID), To: string(s.doc.ID), Type: lukasa.EdgeRelatesTo}})
		})
		before := w.sees(dave.ID)
		stats := func() (st lukasa.Stats) {
			w.view(func(r store.Reader) { st = must[lukasa.Stats](t)(r.Stats()) })
			return st
		}
		all := stats()
		entries := []lukasa.ID{s.doc.ID, s.chunk.ID, s.mem.ID}
		same(t, 3, len(must[[]lukasa.Entry](t)(w.Entries(w.ctx(), space, w.owner, entries))))
		head := must[int64](t)(w.Head(w.ctx()))
		w.bury(s.doc.ID)
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.Bury(s.doc.ID) }))
		w.view(func(r store.Reader) {
			for _, err := range []error{
				second(r.Document(s.doc.ID)), second(r.Chunks(s.doc.ID)), second(r.Versions(s.doc.ID)), second(r.Files(s.doc.ID, "")), second(r.Memory(s.mem.ID)),
				second(r.LatestByHash(s.node, s.doc.ContentHash)), second(r.LatestBy(s.node, "custom_id", "secret")), second(r.Pending(s.doc.ID, "x", 1)), second(r.Pending(s.mem.ID, "x", 1)),
			} {
				w.fails(lukasa.CodeNotFound, err)
			}
			same(t, 0, len(must[[]lukasa.Document](t)(r.DocumentsByID([]lukasa.ID{s.doc.ID}))))
			same(t, 0, len(must[[]lukasa.Chunk](t)(r.ChunksByID([]lukasa.ID{s.chunk.ID}))))
			same(t, 0, len(must[[]lukasa.Memory](t)(r.MemoriesByID([]lukasa.ID{s.mem.ID}))))
			same(t, 1, len(must[[]lukasa.Memory](t)(r.MemoriesByID([]lukasa.ID{both.ID}))))
			same(t, 0, len(must[[]lukasa.Entity](t)(r.EntitiesNamed([]string{"Dave"}))))
			same(t, 0, len(must[[]lukasa.Edge](t)(r.Edges([]lukasa.ID{keep.ID, s.doc.ID}, nil, 10))))
			for _, e := range must[[]lukasa.Entry](t)(r.Newest(nil, nil, nil, 100)) {
				if slices.Contains(entries, e.ID) {
					t.Error("Newest shows what is buried")
				}
			}
		})
		st := stats()
		same(t, [2]int{all.Documents - 1, all.Memories - 1}, [2]int{st.Documents, st.Memories})
		same(t, 0, len(must[[]lukasa.Entry](t)(w.Entries(w.ctx(), space, w.owner, entries))))
		w.ok(w.Partition(w.ctx(), space, w.owner, s.node, func(e lukasa.Entry) bool {
			if slices.Contains(entries, e.ID) {
				t.Error("Partition yields what is buried")
			}
			return true
		}))
		removed := map[lukasa.ID]bool{}
		for _, c := range must[[]lukasa.Change](t)(w.Changes(w.ctx(), head, 100)) {
			removed[c.Entry] = c.Removed
		}
		for _, id := range entries {
			if !removed[id] {
				t.Errorf("the index is not told that %s is gone", id)
			}
		}
		same(t, []string{"delete"}, ops(w.history(s.doc.ID)))
		same(t, []string{"create", "delete"}, ops(w.history(s.mem.ID)))
		for name, fn := range map[string]func(store.Tx) error{
			"PutDocument": func(tx store.Tx) error { return tx.PutDocument(s.doc) },
			"PutMemory":   func(tx store.Tx) error { return tx.PutMemory(s.mem) },
			"after":       func(tx store.Tx) error { d := w.doc(s.node, "x"); d.Previous = s.doc.ID; return tx.PutDocument(d) },
			"chunks":      func(tx store.Tx) error { return tx.ReplaceChunks(s.doc.ID, nil) },
			"edges":       func(tx store.Tx) error { return tx.PutEdges([]lukasa.Edge{mention(s.doc.ID, dave.ID)}) },
			"file":        func(tx store.Tx) error { return tx.PutFile(lukasa.File{ID: "file_x", Document: s.doc.ID}) },
		} {
			if err := w.Update(w.ctx(), w.scope(), fn); lukasa.CodeOf(err) != lukasa.CodeNotFound {
				t.Errorf("%s: %v, want not_found", name, err)
			}
		}
		w.fails(lukasa.CodeConflict, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.Unbury(s.mem.ID) })) // it went with the document
		w.healthy()
		head = must[int64](t)(w.Head(w.ctx()))
		w.unbury(s.doc.ID)
		same(t, before, w.sees(dave.ID))
		same(t, all, stats())
		same(t, 3, len(must[[]lukasa.Entry](t)(w.Entries(w.ctx(), space, w.owner, entries))))
		back := map[lukasa.ID]bool{}
		for _, c := range must[[]lukasa.Change](t)(w.Changes(w.ctx(), head, 100)) {
			back[c.Entry] = !c.Removed
		}
		for _, id := range entries {
			if !back[id] {
				t.Errorf("the index is not told that %s is there again", id)
			}
		}
		same(t, []string{"delete", "create"}, ops(w.history(s.doc.ID)))
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.Unbury(s.doc.ID) }))
		w.fails(lukasa.CodeInvalid, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.Bury(node) }))
		w.healthy()
	}},
	{"Versions", func(t *testing.T, w *world) {
		node := w.node("work")
		version := func(text string, after lukasa.ID) lukasa.ID {
			d := w.doc(node, text)
			d.Previous, d.CustomID = after, "note"
			w.update(func(tx store.Tx) error { return put(tx, d, w.chunks(d, 1)) })
			return d.ID
		}
		is := func(of lukasa.ID, want ...lukasa.ID) {
			t.Helper()
			ids, latest := w.chain(of)
			same(t, want, ids)
			same(t, want[:1], latest)
			w.healthy()
		}
		a := version("a", "")
		b := version("b", a)
		c := version("c", b)
		w.bury(b) // from the middle
		is(a, c, a)
		w.unbury(b)
		is(a, c, b, a)
		w.bury(c) // the latest
		is(a, b, a)
		d := version("d", b) // while it is away
		is(a, d, b, a)
		w.unbury(c)
		is(a, d, c, b, a)
		w.bury(a) // the first
		is(b, d, c, b)
		w.unbury(a)
		is(b, d, c, b, a)
		w.bury(d)
		w.bury(c)
		is(a, b, a)
		w.unbury(d)
		is(a, d, b, a)
		w.update(func(tx store.Tx) error { _, _, err := tx.DeleteDocument(b); return err }) // what c followed
		is(a, d, a)
		w.unbury(c)
		is(a, d, c, a)
		w.bury(d)
		w.update(func(tx store.Tx) error { _, _, err := tx.Purge(d); return err })
		is(a, c, a)
	}},
	{"Memories", func(t *testing.T, w *world) {
		node := w.node("work")
		a, _ := w.saved(node, "a", 1)
		b, _ := w.saved(node, "b", 1)
		_, ms, _ := w.dialogue(node, "talk", 1)
		own := w.memory(node, "by hand")
		two := w.memory(node, "two", lukasa.Source{Document: a.ID, Quote: "x"}, lukasa.Source{Document: b.ID})
		said := w.memory(node, "said", lukasa.Source{Message: ms[0].ID})
		w.update(func(tx store.Tx) error {
			for _, m := range []lukasa.Memory{own, two, said} {
				if err := tx.PutMemory(m); err != nil {
					return err
				}
			}
			return nil
		})
		there := func(want ...lukasa.ID) {
			t.Helper()
			w.view(func(r store.Reader) {
				same(t, want, idsOf(must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(lukasa.MemoryFilter{}, lukasa.Page{})).Items, memID))
			})
			w.healthy()
		}
		there(said.ID, two.ID, own.ID)
		w.bury(own.ID)
		there(said.ID, two.ID)
		w.bury(a.ID)
		there(said.ID, two.ID)
		w.bury(b.ID)
		there(said.ID)
		w.bury(ms[0].Document)
		there()
		same(t, []lukasa.ID{ms[0].Document, b.ID, a.ID, own.ID}, w.buried())
		w.unbury(a.ID)
		there(two.ID)
		w.bury(two.ID) // by itself: it does not come back with a document
		w.unbury(b.ID)
		there()
		w.unbury(two.ID)
		w.bury(a.ID)
		w.update(func(tx store.Tx) error { _, _, err := tx.Purge(b.ID); return err }) // what is left is in the trash
		there()
		w.unbury(a.ID)
		there(two.ID)
		w.unbury(own.ID)
		w.unbury(ms[0].Document)
		there(said.ID, two.ID, own.ID)
	}},
	{"Conversations", func(t *testing.T, w *world) {
		node := w.node("work")
		c, ms, cs := w.dialogue(node, "talk", 3)
		w.update(func(tx store.Tx) error {
			return tx.PutSegment(lukasa.Segment{Document: c.Document, Conversation: c.ID, Messages: 3, Last: 2})
		})
		before := w.sees()
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { // in one transaction, and undone
			same(t, 3, len(must[[]lukasa.Message](t)(tx.MessagesByID(idsOf(ms, msgID)))))
			if err := tx.Bury(c.ID); err != nil {
				return err
			}
			same(t, 0, len(must[[]lukasa.Message](t)(tx.MessagesByID(idsOf(ms, msgID)))))
			return lukasa.NotFound("reason", "to go on")
		}))
		same(t, before, w.sees())
		w.bury(c.ID)
		w.view(func(r store.Reader) {
			for _, err := range []error{
				second(r.Conversation(c.ID)), second(r.ConversationAt(node, "talk", false)), second(r.Messages(c.ID, lukasa.Page{})), second(r.Document(c.Document)), second(r.Segment(c.Document)),
				r.MessagesIn(c.Document, 0, func(lukasa.Message) bool { return true }),
			} {
				w.fails(lukasa.CodeNotFound, err)
			}
			same(t, 0, len(must[[]lukasa.Message](t)(r.MessagesByID(idsOf(ms, msgID)))))
			same(t, 0, len(must[[]lukasa.Message](t)(r.MessagesByExternal(c.ID, []string{ms[0].ExternalID}))))
			same(t, 0, len(must[[]lukasa.Chunk](t)(r.ChunksByID(idsOf(cs, chunkID)))))
			same(t, 0, len(must[[]lukasa.Entry](t)(r.Newest(nil, nil, nil, 10))))
			st := must[lukasa.Stats](t)(r.Stats())
			same(t, [2]int{0, 0}, [2]int{st.Conversations, st.Messages})
			same(t, 0, must[lukasa.Listing[lukasa.Segment]](t)(r.Segments(store.SegmentFilter{}, lukasa.Page{})).Total)
		})
		same(t, 0, len(must[[]lukasa.Entry](t)(w.Entries(w.ctx(), space, w.owner, idsOf(cs, chunkID)))))
		same(t, []lukasa.ID{c.ID}, w.buried())
		w.fails(lukasa.CodeConflict, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.Unbury(c.Document) }))
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error {
			m, k := w.turns(c, 1)
			return tx.PutMessages(m, k)
		}))
		w.healthy()
		w.unbury(c.ID)
		same(t, before, w.sees())
		w.healthy()
		w.bury(c.ID)
		again, _, _ := w.dialogue(node, "talk", 1) // the name is free
		w.fails(lukasa.CodeConflict, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.Unbury(c.ID) }))
		w.update(func(tx store.Tx) error {
			gone, _, err := tx.Purge(c.ID)
			same(t, [2]int{3, 1}, [2]int{gone.Messages, gone.Documents})
			return err
		})
		same(t, 0, len(w.buried()))
		w.view(func(r store.Reader) {
			same(t, again.ID, must[lukasa.Conversation](t)(r.ConversationAt(node, "talk", false)).ID)
		})
		w.update(func(tx store.Tx) error { _, _, err := tx.Purge(again.ID); return err }) // what is not buried, too
		w.view(func(r store.Reader) {
			same(t, lukasa.Stats{Nodes: 1, ByStatus: map[string]int{}, ByType: map[string]int{}}, must[lukasa.Stats](t)(r.Stats()))
		})
		w.healthy()
	}},
	{"ASegmentOfAConversation", func(t *testing.T, w *world) {
		c, ms, _ := w.dialogue(w.node("work"), "talk", 2)
		w.update(func(tx store.Tx) error {
			return tx.PutSegment(lukasa.Segment{Document: c.Document, Conversation: c.ID})
		})
		w.bury(c.Document)
		w.view(func(r store.Reader) {
			got := must[lukasa.Conversation](t)(r.Conversation(c.ID))
			same(t, [2]any{0, lukasa.ID("")}, [2]any{got.Messages, got.Document})
			same(t, 0, must[lukasa.Listing[lukasa.Message]](t)(r.Messages(c.ID, lukasa.Page{})).Total)
		})
		w.update(func(tx store.Tx) error { return tx.DeleteMessage(ms[0].ID) })
		w.healthy()
		w.unbury(c.Document)
		w.view(func(r store.Reader) {
			got := must[lukasa.Conversation](t)(r.Conversation(c.ID))
			same(t, [2]any{1, c.Document}, [2]any{got.Messages, got.Document})
		})
		w.healthy()
	}},
	{"Lists", func(t *testing.T, w *world) {
		in, out := w.node("in"), w.node("out")
		a, _ := w.saved(in, "a", 1)
		b, _ := w.saved(out, "b", 1)
		m := w.memory(in, "fact")
		m.ForgetAfter = new(start)
		w.update(func(tx store.Tx) error { return tx.PutMemory(m) })
		w.bury(a.ID)
		w.bury(b.ID)
		w.bury(m.ID)
		last := w.clock()
		w.view(func(r store.Reader) {
			l := must[lukasa.Listing[store.Buried]](t)(r.Buried(lukasa.Page{Limit: 2}))
			same(t, []store.Buried{{Record: m.ID, Node: in, Label: "fact", At: last}, {Record: b.ID, Node: out, Label: "Title of b", At: last.Add(-time.Second)}}, l.Items)
			l = must[lukasa.Listing[store.Buried]](t)(r.Buried(lukasa.Page{Limit: 2, Cursor: l.Next}))
			same(t, a.ID, l.Items[0].Record)
			same(t, [2]any{3, ""}, [2]any{l.Total, l.Next})
		})
		sc := w.under("in")
		w.viewAs(sc, func(r store.Reader) {
			same(t, 2, must[lukasa.Listing[store.Buried]](t)(r.Buried(lukasa.Page{})).Total)
		})
		for _, fn := range []func(store.Tx) error{
			func(tx store.Tx) error { return tx.Unbury(b.ID) },
			func(tx store.Tx) error { _, _, err := tx.Purge(b.ID); return err },
		} {
			w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), sc, fn))
		}
		same(t, []store.Expired{{Owner: w.owner, Record: a.ID}, {Owner: w.owner, Record: b.ID}}, must[[]store.Expired](t)(w.BuriedBefore(w.ctx(), last, 10)))
		same(t, []store.Expired{{Owner: w.owner, Record: a.ID}}, must[[]store.Expired](t)(w.BuriedBefore(w.ctx(), last, 1)))
		same(t, []store.Expired{{Owner: w.owner, Record: m.ID}}, must[[]store.Expired](t)(w.Expired(w.ctx(), start, 10))) // it finds what is buried
		w.update(func(tx store.Tx) error {
			if err := tx.DeleteMemory(m.ID); err != nil {
				return err
			}
			_, _, err := tx.DeleteDocument(a.ID)
			return err
		})
		same(t, []lukasa.ID{b.ID}, w.buried())
		w.healthy()
	}},
	{"TheNodeGoesWithWhatIsBuriedInIt", func(t *testing.T, w *world) {
		s := w.secrets("work.secret")
		w.bury(s.doc.ID)
		w.bury(s.conv.ID)
		w.update(func(tx store.Tx) error {
			gone, _, err := tx.DeleteNode(s.node)
			same(t, [3]int{2, 2, 1}, [3]int{gone.Documents, gone.Memories, gone.Messages})
			return err
		})
		same(t, 0, len(w.buried()))
		w.healthy()
	}},
	{"AsOfBeforeAndSince", func(t *testing.T, w *world) {
		s := w.secrets("work.secret")
		at := w.tick()
		w.bury(s.doc.ID)
		while := w.tick()
		w.unbury(s.doc.ID)
		for _, c := range []struct {
			at   time.Time
			want lukasa.Code
		}{{at, ""}, {while, lukasa.CodeNotFound}, {w.tick(), ""}, {start.Add(-time.Hour), lukasa.CodeNotFound}} {
			w.ok(w.ViewAt(w.ctx(), w.scope(), c.at, func(r store.Reader) error {
				for _, err := range []error{second(r.Document(s.doc.ID)), second(r.Memory(s.mem.ID))} {
					if err != nil || c.want != "" {
						w.fails(c.want, err)
					}
				}
				return nil
			}))
		}
	}},
}

// second is the error of a call.
func second[T any](_ T, err error) error { return err }
