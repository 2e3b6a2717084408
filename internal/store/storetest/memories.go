package storetest

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

var memoryCases = []testCase{
	{"PendingUntilEmbedded", func(t *testing.T, w *world) { // H-28
		m := w.memory(w.node("work"), "likes plums")
		w.update(func(tx store.Tx) error { return tx.PutMemory(m) })
		w.view(func(r store.Reader) {
			same(t, []lukasa.ID{m.ID}, idsOf(must[[]lukasa.Entry](t)(r.Pending(m.ID, space, 9)), entryID))
		})
		w.update(func(tx store.Tx) error {
			return tx.PutVectors(space, []store.Vector{{Entry: m.ID, Type: lukasa.EntryMemory, Vector: []float32{1, 0}}})
		})
		w.view(func(r store.Reader) {
			same(t, 0, len(must[[]lukasa.Entry](t)(r.Pending(m.ID, space, 9))))
			_, err := r.Pending("mem_none", space, 9)
			w.fails(lukasa.CodeNotFound, err)
		})
	}},
	{"PutAndRead", func(t *testing.T, w *world) { // D-3
		node := w.node("work")
		m := w.memory(node, "lives in Kyiv", lukasa.Source{Document: "doc_x", Start: 3, End: 9, Quote: "in Kyiv"}, lukasa.Source{Message: "msg_x"})
		m.Path, m.Slot, m.Value, m.Subject, m.Extractor = "work", "lives_in", "Kyiv", "Ada", "rules/1"
		m.Tags, m.Metadata, m.Entities = []string{"home"}, map[string]any{"k": 1.0}, []string{"Kyiv"}
		m.OccurredAt, m.ValidFrom, m.ValidTo, m.RetiredAt, m.ForgetAfter = new(start), new(start), new(start.Add(1000)), new(start), new(start)
		m.RetiredBy, m.Reason, m.IsLatest = "mem_y", "moved", false
		w.update(func(tx store.Tx) error { return tx.PutMemory(m) })
		w.view(func(r store.Reader) {
			same(t, m, must[lukasa.Memory](t)(r.Memory(m.ID)))
			same(t, []lukasa.Memory{m}, must[[]lukasa.Memory](t)(r.MemoriesByID([]lukasa.ID{"mem_none", m.ID})))
			_, err := r.Memory("mem_none")
			w.fails(lukasa.CodeNotFound, err)
		})
		m.Sources, m.Content, m.RetiredAt, m.Tags = m.Sources[1:], "lives in Lviv", nil, nil
		w.update(func(tx store.Tx) error {
			if err := tx.PutVectors(space, []store.Vector{{Entry: m.ID, Type: lukasa.EntryMemory, Vector: vector(1)}}); err != nil {
				return err
			}
			return tx.PutMemory(m)
		})
		w.view(func(r store.Reader) { same(t, m, must[lukasa.Memory](t)(r.Memory(m.ID))) })
		same(t, [][]float32{nil}, must[[][]float32](t)(w.Vectors(w.ctx(), space, w.owner, []lukasa.ID{m.ID}))) // of another text
		w.update(func(tx store.Tx) error { return tx.DeleteMemory(m.ID) })
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.DeleteMemory(m.ID) }))
		w.healthy()
	}},
	{"Filters", func(t *testing.T, w *world) {
		a, b := w.node("a"), w.node("b")
		d, _ := w.saved(a, "text", 1)
		m1 := w.memory(a, "one", lukasa.Source{Document: d.ID})
		m1.Tags = []string{"x", "y"}
		m2 := w.memory(a, "two")
		m2.Kind, m2.IsLatest = lukasa.KindTask, false
		m3 := w.memory(b, "three")
		m3.Tags, m3.OccurredAt = []string{"y"}, new(start.Add(-time.Hour))
		w.update(func(tx store.Tx) error {
			for _, m := range []lukasa.Memory{m1, m2, m3} {
				if err := tx.PutMemory(m); err != nil {
					return err
				}
			}
			return nil
		})
		for _, c := range []struct {
			f    lukasa.MemoryFilter
			want []lukasa.ID
		}{
			{lukasa.MemoryFilter{}, []lukasa.ID{m3.ID, m2.ID, m1.ID}},
			{lukasa.MemoryFilter{Containers: []lukasa.Pattern{{Path: "a"}}}, []lukasa.ID{m2.ID, m1.ID}},
			{lukasa.MemoryFilter{Kinds: []lukasa.MemoryKind{lukasa.KindTask, lukasa.KindDecision}}, []lukasa.ID{m2.ID}},
			{lukasa.MemoryFilter{Tags: []string{"y", "none"}}, []lukasa.ID{m3.ID, m1.ID}},
			{lukasa.MemoryFilter{Latest: new(true)}, []lukasa.ID{m3.ID, m1.ID}},
			{lukasa.MemoryFilter{Latest: new(false)}, []lukasa.ID{m2.ID}},
			{lukasa.MemoryFilter{Document: d.ID}, []lukasa.ID{m1.ID}},
			{lukasa.MemoryFilter{After: new(start)}, []lukasa.ID{m2.ID, m1.ID}},
			{lukasa.MemoryFilter{Before: new(start)}, []lukasa.ID{m3.ID}},
		} {
			w.view(func(r store.Reader) {
				l := must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(c.f, lukasa.Page{}))
				same(t, c.want, idsOf(l.Items, memID))
				same(t, len(c.want), l.Total)
			})
		}
	}},
}

var messageCases = []testCase{
	{"AppendAndRead", func(t *testing.T, w *world) { // T, M: the dialogue is kept as it was said
		node := w.node("work")
		c, ms, cs := w.dialogue(node, "talk", 3)
		more, moreChunks := w.turns(c, 2)
		more[1].Content = "" // blank: kept, not indexed
		w.update(func(tx store.Tx) error { return tx.PutMessages(more, moreChunks[:1]) })
		ms = append(ms, more...)
		for i := range ms {
			ms[i].Seq = int64(i)
		}
		w.view(func(r store.Reader) {
			got := must[lukasa.Conversation](t)(r.Conversation(c.ID))
			same(t, 5, got.Messages)
			same(t, "work", got.Path)
			same(t, got, must[lukasa.Conversation](t)(r.ConversationAt(node, "talk", false)))
			same(t, ms, must[lukasa.Listing[lukasa.Message]](t)(r.Messages(c.ID, lukasa.Page{})).Items)
			same(t, []lukasa.Message{ms[3], ms[0]}, must[[]lukasa.Message](t)(r.MessagesByID([]lukasa.ID{ms[3].ID, "msg_none", ms[0].ID})))
			same(t, []lukasa.Message{ms[1]}, must[[]lukasa.Message](t)(r.MessagesByExternal(c.ID, []string{"none", ms[1].ExternalID, ""})))
			same(t, idsOf(append(cs, moreChunks[0]), chunkID), idsOf(must[[]lukasa.Chunk](t)(r.Chunks(c.Document)), chunkID))
			same(t, []lukasa.ID{c.ID}, idsOf(must[lukasa.Listing[lukasa.Conversation]](t)(r.Conversations(nil, lukasa.Page{})).Items, convID))
			_, err := r.Conversation("conv_none")
			w.fails(lukasa.CodeNotFound, err)
			_, err = r.ConversationAt(node, "Talk", false)
			w.fails(lukasa.CodeNotFound, err)
			_, err = r.ConversationAt(node, "talk", true)
			w.fails(lukasa.CodeNotFound, err)
			_, err = r.Messages("conv_none", lukasa.Page{})
			w.fails(lukasa.CodeNotFound, err)
		})
		c.Home, c.Node, c.Path = node, w.node("home"), "home" // it is placed elsewhere
		w.update(func(tx store.Tx) error { return tx.PutConversation(c) })
		w.view(func(r store.Reader) {
			same(t, c.ID, must[lukasa.Conversation](t)(r.ConversationAt(node, "talk", true)).ID)
			_, err := r.ConversationAt(node, "talk", false)
			w.fails(lukasa.CodeNotFound, err)
		})
		w.healthy()
	}},
	{"ReplaceAMessage", func(t *testing.T, w *world) {
		c, ms, cs := w.dialogue(w.node("work"), "talk", 2)
		w.update(func(tx store.Tx) error { return tx.PutVectors(space, vectors(lukasa.EntryMessage, cs)) })
		m := ms[1]
		m.Content, m.Speaker = "said otherwise, at length", "Grace"
		parts := []lukasa.Chunk{cs[1], {ID: w.id(lukasa.PrefixChunk), Message: m.ID, Seq: 1, Content: "at length"}}
		parts[0].Content = "said otherwise"
		w.update(func(tx store.Tx) error { return tx.PutMessages([]lukasa.Message{m}, parts) })
		m.Seq = 1
		w.view(func(r store.Reader) {
			same(t, []lukasa.Message{m}, must[[]lukasa.Message](t)(r.MessagesByID([]lukasa.ID{m.ID})))
			same(t, 2, must[lukasa.Conversation](t)(r.Conversation(c.ID)).Messages)
			d := must[lukasa.Document](t)(r.Document(c.Document))
			same(t, [2]int{3, 1}, [2]int{d.Chunks, d.Embedded})
		})
		es := w.partition(c.Node)
		same(t, []lukasa.ID{cs[0].ID, parts[0].ID, parts[1].ID}, idsOf(es, entryID))
		same(t, "Grace", es[1].Speaker)
		w.healthy()
	}},
	{"Conflicts", func(t *testing.T, w *world) {
		node := w.node("work")
		c, ms, _ := w.dialogue(node, "talk", 1)
		other, _, _ := w.dialogue(node, "other", 1)
		try := func(want lukasa.Code, fn func(store.Tx) error) {
			t.Helper()
			w.fails(want, w.Update(w.ctx(), w.scope(), fn))
		}
		try(lukasa.CodeConflict, func(tx store.Tx) error { // a second one of that name
			return tx.PutConversation(lukasa.Conversation{ID: w.id(lukasa.PrefixConversation), Node: node, ExternalID: "talk"})
		})
		try(lukasa.CodeConflict, func(tx store.Tx) error { // the caller's id is taken
			m, _ := w.turns(c, 1)
			m[0].ExternalID = ms[0].ExternalID
			return tx.PutMessages(m, nil)
		})
		try(lukasa.CodeConflict, func(tx store.Tx) error { // the position is taken
			m, _ := w.turns(c, 1)
			m[0].Seq = 0
			return tx.PutMessages(m, nil)
		})
		try(lukasa.CodeConflict, func(tx store.Tx) error { // belongs elsewhere
			m := ms[0]
			m.Conversation, m.Document = other.ID, other.Document
			return tx.PutMessages([]lukasa.Message{m}, nil)
		})
		try(lukasa.CodeNotFound, func(tx store.Tx) error {
			m, _ := w.turns(c, 1)
			m[0].Conversation = "conv_none"
			return tx.PutMessages(m, nil)
		})
		try(lukasa.CodeInvalid, func(tx store.Tx) error { // a chunk of a message that is not given
			m, cs := w.turns(c, 2)
			return tx.PutMessages(m[:1], cs)
		})
		w.healthy()
	}},
	{"DeleteMessage", func(t *testing.T, w *world) {
		node := w.node("work")
		c, ms, cs := w.dialogue(node, "talk", 3)
		mem := w.memory(node, "from the talk", lukasa.Source{Message: ms[1].ID})
		w.update(func(tx store.Tx) error { return tx.PutMemory(mem) })
		w.update(func(tx store.Tx) error { return tx.DeleteMessage(ms[1].ID) })
		w.view(func(r store.Reader) {
			same(t, 2, must[lukasa.Conversation](t)(r.Conversation(c.ID)).Messages)
			same(t, []int64{0, 2}, func() (seqs []int64) {
				for _, m := range must[lukasa.Listing[lukasa.Message]](t)(r.Messages(c.ID, lukasa.Page{})).Items {
					seqs = append(seqs, m.Seq)
				}
				return seqs
			}())
			_, err := r.Memory(mem.ID)
			w.fails(lukasa.CodeNotFound, err)
		})
		same(t, []lukasa.ID{cs[0].ID, cs[2].ID}, idsOf(w.partition(node), entryID))
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.DeleteMessage(ms[1].ID) }))
		more, chunks := w.turns(c, 1)
		w.update(func(tx store.Tx) error { return tx.PutMessages(more, chunks) }) // positions are not given out twice
		w.view(func(r store.Reader) {
			same(t, int64(3), must[[]lukasa.Message](t)(r.MessagesByID(idsOf(more, msgID)))[0].Seq)
		})
		w.healthy()
	}},
	{"SegmentsFollowEachOther", func(t *testing.T, w *world) { // T: the next segment begins where the last ended
		node := w.node("work")
		c, _, first := w.dialogue(node, "talk", 2)
		d2 := w.doc(node, "")
		d2.ContentType = "conversation"
		c.Document = d2.ID
		more, second := w.turns(c, 1)
		w.update(func(tx store.Tx) error {
			if err := tx.PutConversation(c); err != nil { // before its document, as callers may
				return err
			}
			if err := tx.PutDocument(d2); err != nil {
				return err
			}
			return tx.PutMessages(more, second)
		})
		w.view(func(r store.Reader) {
			same(t, 3, must[lukasa.Conversation](t)(r.Conversation(c.ID)).Messages)
			same(t, 0, must[lukasa.Listing[lukasa.Document]](t)(r.Documents(lukasa.DocumentFilter{}, lukasa.Page{})).Total)
			same(t, 2, must[lukasa.Listing[lukasa.Document]](t)(r.Documents(lukasa.DocumentFilter{Conversation: true}, lukasa.Page{})).Total)
		})
		same(t, idsOf(append(first, second...), chunkID), idsOf(w.partition(node), entryID))
		w.update(func(tx store.Tx) error {
			_, _, err := tx.DeleteDocument(d2.ID)
			return err
		})
		w.view(func(r store.Reader) {
			got := must[lukasa.Conversation](t)(r.Conversation(c.ID))
			same(t, 2, got.Messages)
			same(t, "", got.Document)
		})
		w.healthy()
	}},
}
