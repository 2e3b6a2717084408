package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

func segID(g lukasa.Segment) lukasa.ID { return g.Document }

// segment makes the segment of a conversation's document.
func (w *world) segment(c lukasa.Conversation, topic string) lukasa.Segment {
	return lukasa.Segment{
		Document: c.Document, Conversation: c.ID, State: lukasa.SegmentFinalized, Trigger: "end", Detail: "said goodbye", Topic: topic,
		Folder: "folder of " + topic, Tokens: 7, Messages: 2, First: 1, Last: 2, StartedAt: new(w.tick()), FinalizedAt: new(w.tick()),
	}
}

var segmentCases = []testCase{
	{"PutAndRead", func(t *testing.T, w *world) { // T-1, T-2
		node := w.node("work")
		c, _, _ := w.dialogue(node, "talk", 2)
		g := w.segment(c, "Ferries")
		g.Previous = "doc_before"
		w.update(func(tx store.Tx) error {
			w.fails(lukasa.CodeNotFound, tx.PutSegment(lukasa.Segment{Document: "doc_none", Conversation: c.ID}))
			w.fails(lukasa.CodeNotFound, tx.PutSegment(lukasa.Segment{Document: c.Document, Conversation: "conv_none"}))
			same(t, false, must[bool](t)(tx.FolderTaken(g.Folder)))
			if err := tx.PutSegment(g); err != nil {
				return err
			}
			same(t, true, must[bool](t)(tx.FolderTaken(g.Folder)))
			return nil
		})
		w.view(func(r store.Reader) {
			same(t, g, must[lukasa.Segment](t)(r.Segment(c.Document)))
			_, err := r.Segment("doc_none")
			w.fails(lukasa.CodeNotFound, err)
		})
		g.State, g.Tokens, g.FinalizedAt, g.Previous = lukasa.SegmentArchived, 9, nil, ""
		other, _, _ := w.dialogue(node, "other", 1)
		w.update(func(tx store.Tx) error {
			clash := w.segment(other, "x")
			clash.Folder = g.Folder
			w.fails(lukasa.CodeConflict, tx.PutSegment(clash))
			return tx.PutSegment(g)
		})
		w.view(func(r store.Reader) { same(t, g, must[lukasa.Segment](t)(r.Segment(c.Document))) })
		w.healthy()
	}},
	{"Lists", func(t *testing.T, w *world) { // T-9
		var all []lukasa.Segment
		var talks []lukasa.Conversation
		for i := range 5 {
			c, _, _ := w.dialogue(w.node(lukasa.Path(fmt.Sprintf("n%d", i%2))), fmt.Sprint("talk", i), 1)
			g := w.segment(c, fmt.Sprintf("Über %d", 4-i))
			g.Tokens = 10 * (i % 3)
			if i == 4 {
				g.State, g.FinalizedAt, g.Folder = lukasa.SegmentOpen, nil, ""
			}
			w.update(func(tx store.Tx) error { return tx.PutSegment(g) })
			all, talks = append(all, g), append(talks, c)
		}
		list := func(f store.SegmentFilter) (ids []lukasa.ID) {
			w.view(func(r store.Reader) {
				whole := must[lukasa.Listing[lukasa.Segment]](t)(r.Segments(f, lukasa.Page{}))
				ids = idsOf(whole.Items, segID)
				same(t, len(ids), whole.Total)
				var paged []lukasa.ID // the same, two at a time
				for p := (lukasa.Page{Limit: 2}); ; {
					l := must[lukasa.Listing[lukasa.Segment]](t)(r.Segments(f, p))
					paged = append(paged, idsOf(l.Items, segID)...)
					if p.Cursor = l.Next; p.Cursor == "" {
						break
					}
				}
				same(t, ids, paged)
			})
			return ids
		}
		of := func(order ...int) (ids []lukasa.ID) {
			for _, i := range order {
				ids = append(ids, all[i].Document)
			}
			return ids
		}
		same(t, of(4, 3, 2, 1, 0), list(store.SegmentFilter{}))
		same(t, of(0, 1, 2, 3, 4), list(store.SegmentFilter{Oldest: true}))
		same(t, of(0, 1, 2, 3, 4), list(store.SegmentFilter{Sort: "topic"}))
		same(t, of(4, 3, 2, 1, 0), list(store.SegmentFilter{Sort: "topic", Oldest: true}))
		same(t, of(2, 4, 1, 3, 0), list(store.SegmentFilter{Sort: "tokens"}))
		same(t, of(3, 1), list(store.SegmentFilter{Containers: []lukasa.Pattern{{Path: "n1"}}}))
		same(t, of(2), list(store.SegmentFilter{Conversation: talks[2].ID}))
		same(t, of(4), list(store.SegmentFilter{States: []string{lukasa.SegmentOpen}}))
		same(t, of(1), list(store.SegmentFilter{Topic: "ÜBER 3"}))
		same(t, of(3), list(store.SegmentFilter{Topic: "FOLDER OF über 1"}))
		w.update(func(tx store.Tx) error { w.tick(); return tx.PutSegment(all[1]) })
		same(t, all[1].Document, list(store.SegmentFilter{Sort: "updated"})[0])
		w.view(func(r store.Reader) {
			_, err := r.Segments(store.SegmentFilter{Sort: "colour"}, lukasa.Page{})
			w.fails(lukasa.CodeInvalid, err)
		})
	}},
	{"MessagesIn", func(t *testing.T, w *world) {
		c, _, _ := w.dialogue(w.node("work"), "talk", 6)
		w.view(func(r store.Reader) {
			var seqs []int64
			w.ok(r.MessagesIn(c.Document, 2, func(m lukasa.Message) bool {
				seqs = append(seqs, m.Seq)
				return m.Seq < 4
			}))
			same(t, []int64{2, 3, 4}, seqs)
			w.fails(lukasa.CodeNotFound, r.MessagesIn("doc_none", 0, func(lukasa.Message) bool { return true }))
		})
	}},
	{"WhatIsDeletedLeavesTheChain", func(t *testing.T, w *world) {
		node := w.node("work")
		c, _, _ := w.dialogue(node, "talk", 1)
		docs := []lukasa.ID{c.Document}
		for range 3 {
			d := w.doc(node, "")
			w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
			docs = append(docs, d.ID)
		}
		for i, id := range docs {
			g := lukasa.Segment{Document: id, Conversation: c.ID}
			if i > 0 {
				g.Previous = docs[i-1]
			}
			w.update(func(tx store.Tx) error { return tx.PutSegment(g) })
		}
		w.update(func(tx store.Tx) error { _, _, err := tx.DeleteDocument(docs[1]); return err })
		w.update(func(tx store.Tx) error { _, _, err := tx.DeleteDocument(docs[2]); return err })
		w.view(func(r store.Reader) {
			same(t, docs[0], must[lukasa.Segment](t)(r.Segment(docs[3])).Previous)
			_, err := r.Segment(docs[1])
			w.fails(lukasa.CodeNotFound, err)
			same(t, 2, must[lukasa.Listing[lukasa.Segment]](t)(r.Segments(store.SegmentFilter{}, lukasa.Page{})).Total)
		})
		w.healthy()
	}},
	{"FieldsOfTheOthers", func(t *testing.T, w *world) {
		node := w.node("work")
		c, ms, _ := w.dialogue(node, "talk", 1)
		c.Tokens, c.Closer, c.UpdatedAt, ms[0].Tokens, ms[0].Seq = 42, `{"drift":0.5}`, w.tick(), 12, 0
		d := w.doc(node, "text")
		cs := w.chunks(d, 1)
		cs[0].Place = "Sheet1!A2:D40"
		w.update(func(tx store.Tx) error {
			if err := tx.PutConversation(c); err != nil {
				return err
			}
			if err := tx.PutMessages(ms, nil); err != nil {
				return err
			}
			n, err := tx.Node(node)
			if err != nil {
				return err
			}
			n.Summary, n.Keywords = "about ferries", lukasa.Keywords{Entities: []string{"Dave"}, Topics: []string{"t"}, Dates: []string{"d"}, Relationships: []string{"r"}}
			if err := tx.PutNode(n); err != nil {
				return err
			}
			return put(tx, d, cs)
		})
		w.view(func(r store.Reader) {
			got := must[lukasa.Conversation](t)(r.Conversation(c.ID))
			same(t, [2]any{42, c.Closer}, [2]any{got.Tokens, got.Closer})
			same(t, []store.Expired{{Owner: w.owner, Record: c.ID}}, must[[]store.Expired](t)(w.Quiet(w.ctx(), got.UpdatedAt, 42, 9)))
			same(t, 0, len(must[[]store.Expired](t)(w.Quiet(w.ctx(), got.UpdatedAt, 43, 9)))+len(must[[]store.Expired](t)(w.Quiet(w.ctx(), got.UpdatedAt.Add(-1000), 1, 9))))
			same(t, 12, must[[]lukasa.Message](t)(r.MessagesByID(idsOf(ms, msgID)))[0].Tokens)
			n := must[lukasa.Node](t)(r.NodeAt("work"))
			same(t, [2]any{"about ferries", []string{"Dave"}}, [2]any{n.Summary, n.Keywords.Entities})
			same(t, n.Keywords, must[[]lukasa.Node](t)(r.Nodes(nil, false))[0].Keywords)
			same(t, cs[0].Place, must[[]lukasa.Chunk](t)(r.Chunks(d.ID))[0].Place)
		})
	}},
	{"FiltersOfMemories", func(t *testing.T, w *world) {
		a, b := w.node("a"), w.node("b")
		m1, m2, m3 := w.memory(a, "one"), w.memory(a, "two"), w.memory(b, "three")
		m1.Slot, m1.Subject, m1.Key, m1.Entities = "lives_in", "Ada", "k1", []string{"Łódź", "Dave"}
		m1.ValidFrom, m1.ValidTo = new(start), new(start.Add(time.Hour))
		m2.Slot, m2.State, m2.Subject = "lives_in", lukasa.MemoryArchived, "Bob"
		m2.ValidFrom = new(start.Add(time.Hour))
		m3.State, m3.Key = lukasa.MemoryQuarantined, "k1"
		w.update(func(tx store.Tx) error {
			for _, m := range []lukasa.Memory{m1, m2, m3} {
				if err := tx.PutMemory(m); err != nil {
					return err
				}
			}
			return nil
		})
		for i, c := range []struct {
			f    lukasa.MemoryFilter
			want []lukasa.ID
		}{
			{lukasa.MemoryFilter{}, []lukasa.ID{m2.ID, m1.ID}},
			{lukasa.MemoryFilter{State: new("")}, []lukasa.ID{m1.ID}},
			{lukasa.MemoryFilter{State: new(lukasa.MemoryQuarantined)}, []lukasa.ID{m3.ID}},
			{lukasa.MemoryFilter{State: new(lukasa.MemoryArchived)}, []lukasa.ID{m2.ID}},
			{lukasa.MemoryFilter{Slot: "lives_in"}, []lukasa.ID{m2.ID, m1.ID}},
			{lukasa.MemoryFilter{Slot: "lives_in", Subject: "Ada"}, []lukasa.ID{m1.ID}},
			{lukasa.MemoryFilter{Slot: "lives_in", Containers: []lukasa.Pattern{{Path: "b"}}}, nil},
			{lukasa.MemoryFilter{Key: "k1"}, []lukasa.ID{m1.ID}},
			{lukasa.MemoryFilter{Key: "k1", State: new(lukasa.MemoryQuarantined)}, []lukasa.ID{m3.ID}},
			{lukasa.MemoryFilter{Entities: []string{"Łódź"}}, []lukasa.ID{m1.ID}},
			{lukasa.MemoryFilter{Entities: []string{"dave"}}, []lukasa.ID{m1.ID}},
			{lukasa.MemoryFilter{ValidAt: new(start.Add(time.Minute))}, []lukasa.ID{m1.ID}},
			{lukasa.MemoryFilter{ValidAt: new(start.Add(time.Hour))}, []lukasa.ID{m2.ID}},
			{lukasa.MemoryFilter{ValidAt: new(start.Add(-time.Hour))}, nil},
		} {
			w.view(func(r store.Reader) {
				l := must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(c.f, lukasa.Page{}))
				if got := idsOf(l.Items, memID); !slices.Equal(got, c.want) || l.Total != len(c.want) {
					t.Errorf("case %d: %v of %d, want %v", i, got, l.Total, c.want)
				}
			})
		}
		w.view(func(r store.Reader) {
			m1.Path = "a"
			same(t, m1, must[lukasa.Memory](t)(r.Memory(m1.ID)))
			for _, e := range must[[]lukasa.Entry](t)(r.Newest(nil, nil, nil, 10)) { // kept, never recalled
				if e.ID == m3.ID {
					t.Error("Newest recalls what is quarantined")
				}
			}
			same(t, 2, must[lukasa.Stats](t)(r.Stats()).Memories)
		})
		same(t, 0, len(must[[]lukasa.Entry](t)(w.Entries(w.ctx(), space, w.owner, []lukasa.ID{m3.ID}))))
		w.ok(w.Partition(w.ctx(), space, w.owner, b, func(lukasa.Entry) bool { t.Error("Partition yields what is quarantined"); return true }))
		last := must[[]lukasa.Change](t)(w.Changes(w.ctx(), must[int64](t)(w.Head(w.ctx()))-1, 1))
		same(t, [2]any{m3.ID, true}, [2]any{last[0].Entry, last[0].Removed})
	}},
}
