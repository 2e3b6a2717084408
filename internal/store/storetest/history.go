package storetest

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// history reads the deltas of a record (of all for ""), oldest first.
func (w *world) history(record lukasa.ID) (list []lukasa.Delta) {
	w.t.Helper()
	w.view(func(r store.Reader) {
		for p := (lukasa.Page{Limit: 3}); ; {
			l := must[lukasa.Listing[lukasa.Delta]](w.t)(r.History(record, p))
			for _, d := range l.Items {
				list = append([]lukasa.Delta{d}, list...)
			}
			if p.Cursor = l.Next; p.Cursor == "" {
				if l.Total != len(list) {
					w.t.Fatalf("%d deltas, the total is %d", len(list), l.Total)
				}
				break
			}
		}
	})
	return list
}

func ops(list []lukasa.Delta) (ops []string) {
	for _, d := range list {
		ops = append(ops, d.Op)
	}
	return ops
}

func read[T any](t *testing.T, b json.RawMessage) (v T) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

var historyCases = []testCase{
	{"OfAMemory", func(t *testing.T, w *world) { // N-10
		m := w.memory(w.node("work"), "lives in Kyiv", lukasa.Source{Document: "doc_x", Quote: "in Kyiv"})
		m.Path, m.Key = "work", "k"
		w.update(func(tx store.Tx) error { return tx.PutMemory(m) })
		again := m
		again.Content, again.UpdatedAt = "lives in Lviv", w.tick()
		w.update(func(tx store.Tx) error {
			tx.Because("pipeline", "it was said")
			return tx.PutMemory(again)
		})
		w.update(func(tx store.Tx) error { // nothing new
			same := again
			same.UpdatedAt = w.tick()
			return tx.PutMemory(same)
		})
		list := w.history(m.ID)
		same(t, []string{"create", "update"}, ops(list))
		same(t, m, read[lukasa.Memory](t, list[0].After), cmpopts.IgnoreFields(lukasa.Memory{}, "Key"))
		same(t, m, read[lukasa.Memory](t, list[1].Before), cmpopts.IgnoreFields(lukasa.Memory{}, "Key"))
		same(t, again, read[lukasa.Memory](t, list[1].After), cmpopts.IgnoreFields(lukasa.Memory{}, "Key"))
		same(t, "k", read[store.MemoryState](t, list[1].After).Key)
		same(t, true, list[0].Before == nil)
		same(t, [4]string{string(w.owner), "", "pipeline", "it was said"}, [4]string{list[0].Author, list[0].Reason, list[1].Author, list[1].Reason})
		same(t, [2]lukasa.ID{m.ID, m.Node}, [2]lukasa.ID{list[1].Record, list[1].Node})
		same(t, again.UpdatedAt, list[1].At)
		w.view(func(r store.Reader) {
			same(t, list[1], must[lukasa.Delta](t)(r.Delta(list[1].ID)))
			_, err := r.Delta("delta_none")
			w.fails(lukasa.CodeNotFound, err)
		})
		w.update(func(tx store.Tx) error { return tx.DeleteMemory(m.ID) })
		list = w.history(m.ID)
		same(t, []string{"create", "update", "purge"}, ops(list))
		for _, d := range list {
			if d.Before != nil || d.After != nil || d.Reason != "" {
				t.Fatalf("a purge left %s %s %s", d.Before, d.After, d.Reason)
			}
		}
		w.healthy()
	}},
	{"OfADocument", func(t *testing.T, w *world) {
		node := w.node("work")
		d, cs := w.saved(node, "text", 2)
		same(t, 0, len(w.history(""))) // made documents have their creation time
		w.update(func(tx store.Tx) error {
			d.Status, d.Reason, d.UpdatedAt = lukasa.StatusEmbedding, "progress", w.tick()
			if err := tx.PutDocument(d); err != nil {
				return err
			}
			if err := tx.ReplaceChunks(d.ID, cs[:1]); err != nil {
				return err
			}
			_, err := tx.Touch([]lukasa.ID{d.ID}, w.tick())
			return err
		})
		same(t, 0, len(w.history("")))
		d.Tags, d.Summary = []string{"new"}, "short"
		w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
		next := w.doc(node, "next")
		next.Previous = d.ID
		w.update(func(tx store.Tx) error { return put(tx, next, nil) })
		d.Content, d.ContentHash = "replaced", "other"
		w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
		list := w.history(d.ID)
		same(t, []string{"update", "update", "update"}, ops(list))
		before, after := read[lukasa.Document](t, list[0].Before), read[lukasa.Document](t, list[0].After)
		same(t, [4]any{0, "", 1, "short"}, [4]any{len(before.Tags), before.Summary, len(after.Tags), after.Summary})
		same(t, [2]bool{true, false}, [2]bool{read[lukasa.Document](t, list[1].Before).IsLatest, read[lukasa.Document](t, list[1].After).IsLatest})
		same(t, [3]string{"", "text", ""}, [3]string{before.Content, read[lukasa.Document](t, list[2].Before).Content, read[lukasa.Document](t, list[2].After).Content})
		w.update(func(tx store.Tx) error { _, _, err := tx.DeleteDocument(d.ID); return err })
		for _, delta := range w.history("") {
			if delta.Record == d.ID && (delta.Before != nil || delta.After != nil) {
				t.Fatal("a purge left content")
			}
		}
		w.healthy()
	}},
	{"OfANodeAndAMessage", func(t *testing.T, w *world) {
		node := w.node("work")
		c, ms, _ := w.dialogue(node, "talk", 2)
		w.update(func(tx store.Tx) error {
			n, err := tx.Node(node)
			if err != nil {
				return err
			}
			if err := tx.PutNode(n); err != nil { // nothing new
				return err
			}
			n.Summary = "about ferries"
			return tx.PutNode(n)
		})
		list := w.history(node)
		same(t, []string{"update"}, ops(list))
		same(t, [2]string{"", "about ferries"}, [2]string{read[lukasa.Node](t, list[0].Before).Summary, read[lukasa.Node](t, list[0].After).Summary})
		ms[0].Seq = 0
		w.update(func(tx store.Tx) error {
			if err := tx.PutMessages(ms[:1], nil); err != nil {
				return err
			}
			ms[0].Content = "said otherwise"
			return tx.PutMessages(ms[:1], nil)
		})
		list = w.history(ms[0].ID)
		same(t, []string{"update"}, ops(list))
		same(t, [2]string{"turn 0", "said otherwise"}, [2]string{read[lukasa.Message](t, list[0].Before).Content, read[lukasa.Message](t, list[0].After).Content})
		w.update(func(tx store.Tx) error { return tx.DeleteMessage(ms[0].ID) })
		same(t, []string{"update", "purge"}, ops(w.history(ms[0].ID)))
		ms[1].Content, ms[1].Seq = "secret words", 1
		w.update(func(tx store.Tx) error { return tx.PutMessages(ms[1:], nil) })
		w.update(func(tx store.Tx) error { _, _, err := tx.DeleteDocument(c.Document); return err })
		for _, d := range w.history("") {
			if d.Record != node && (d.Before != nil || d.After != nil) {
				t.Fatalf("a purge left %s of %s", d.Op, d.Record)
			}
		}
		w.healthy()
	}},
	{"TheChainHolds", func(t *testing.T, w *world) {
		node := w.node("work")
		var last lukasa.Memory
		for range 5 {
			last = w.memory(node, "fact")
			w.update(func(tx store.Tx) error { return tx.PutMemory(last) })
		}
		var hash []byte
		for i, d := range w.history("") {
			hash = store.Seal(hash, d, store.Digests(d))
			if d.Seq != int64(i+1) || hex.EncodeToString(hash) != d.Hash {
				t.Fatalf("delta %d does not follow", d.Seq)
			}
		}
		hashes := w.history("")[0].Hash
		w.update(func(tx store.Tx) error { return tx.DeleteMemory(last.ID) })
		same(t, hashes, w.history("")[0].Hash)
		w.healthy()
	}},
	{"AFailedDeltaRollsBack", func(t *testing.T, w *world) { // N-10
		m := w.memory(w.node("work"), "fact")
		m.Metadata = map[string]any{"f": func() {}}
		w.fails(lukasa.CodeInvalid, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.PutMemory(m) }))
		w.view(func(r store.Reader) {
			_, err := r.Memory(m.ID)
			w.fails(lukasa.CodeNotFound, err)
		})
		same(t, 0, len(w.history("")))
	}},
	{"OnlyOfWhatIsSeen", func(t *testing.T, w *world) { // N-14
		in, out := w.node("in"), w.node("out")
		m1, m2, moved := w.memory(in, "one"), w.memory(out, "two"), w.memory(in, "was here")
		w.update(func(tx store.Tx) error {
			for _, m := range []lukasa.Memory{m1, m2, moved} {
				if err := tx.PutMemory(m); err != nil {
					return err
				}
			}
			moved.Node = out
			return tx.PutMemory(moved)
		})
		hidden := w.history(m2.ID)[0].ID
		w.viewAs(w.under("in"), func(r store.Reader) {
			same(t, []lukasa.ID{m1.ID}, idsOf(must[lukasa.Listing[lukasa.Delta]](t)(r.History("", lukasa.Page{})).Items, func(d lukasa.Delta) lukasa.ID { return d.Record }))
			same(t, 0, must[lukasa.Listing[lukasa.Delta]](t)(r.History(m2.ID, lukasa.Page{})).Total)
			same(t, 0, must[lukasa.Listing[lukasa.Delta]](t)(r.History(moved.ID, lukasa.Page{})).Total) // rights are today's
			_, err := r.Delta(hidden)
			w.fails(lukasa.CodeNotFound, err)
		})
	}},
	{"ASlotReturnsToWhatRemains", func(t *testing.T, w *world) { // D-4
		node := w.node("work")
		first, second, third := w.memory(node, "Kyiv"), w.memory(node, "Lviv"), w.memory(node, "Odesa")
		retire := func(m *lukasa.Memory, by lukasa.ID) {
			m.Slot, m.IsLatest, m.RetiredBy, m.Reason, m.RetiredAt, m.ValidTo = "lives_in", false, by, "moved", new(w.tick()), new(w.tick())
		}
		retire(&first, second.ID)
		retire(&second, third.ID)
		third.Slot = "lives_in"
		w.update(func(tx store.Tx) error {
			for _, m := range []lukasa.Memory{first, second, third} {
				if err := tx.PutMemory(m); err != nil {
					return err
				}
			}
			return nil
		})
		w.update(func(tx store.Tx) error { return tx.DeleteMemory(second.ID) })
		w.view(func(r store.Reader) {
			m := must[lukasa.Memory](t)(r.Memory(first.ID))
			same(t, [3]any{third.ID, false, true}, [3]any{m.RetiredBy, m.IsLatest, m.ValidTo != nil})
		})
		head := must[int64](t)(w.Head(w.ctx()))
		w.update(func(tx store.Tx) error { return tx.DeleteMemory(third.ID) })
		w.view(func(r store.Reader) {
			m := must[lukasa.Memory](t)(r.Memory(first.ID))
			same(t, [6]any{lukasa.ID(""), true, "", true, true, "Kyiv"}, [6]any{m.RetiredBy, m.IsLatest, m.Reason, m.ValidTo == nil, m.RetiredAt == nil, m.Content})
		})
		for _, d := range w.history(first.ID) { // they spoke of what is gone
			if d.Before != nil || d.After != nil {
				t.Fatalf("a purge left %s %s", d.Before, d.After)
			}
		}
		told := false
		for _, c := range must[[]lukasa.Change](t)(w.Changes(w.ctx(), head, 10)) {
			told = told || (c.Entry == first.ID && !c.Removed)
		}
		if !told {
			t.Error("the index is not told that a memory is the latest again")
		}
		w.healthy()
	}},
	{"NoRingIsEndless", func(t *testing.T, w *world) {
		node := w.node("work")
		a, b := w.memory(node, "a"), w.memory(node, "b")
		a.RetiredBy, b.RetiredBy = b.ID, a.ID
		old, _ := w.saved(node, "old", 1)
		next := w.doc(node, "next")
		next.Previous = old.ID
		w.update(func(tx store.Tx) error {
			for _, m := range []lukasa.Memory{a, b} {
				if err := tx.PutMemory(m); err != nil {
					return err
				}
			}
			return tx.PutDocument(next)
		})
		old.Previous = next.ID
		w.fails(lukasa.CodeConflict, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.PutDocument(old) }))
		w.update(func(tx store.Tx) error { _, _, err := tx.DeleteNode(node); return err })
		w.healthy()
	}},
	{"WhatQuotedIsEmptiedToo", func(t *testing.T, w *world) {
		node := w.node("work")
		a, _ := w.saved(node, "a", 1)
		b, _ := w.saved(node, "b", 1)
		m := w.memory(node, "fact", lukasa.Source{Document: a.ID, Quote: "the very words"}, lukasa.Source{Document: b.ID, Quote: "other"})
		w.update(func(tx store.Tx) error { return tx.PutMemory(m) })
		then := w.tick()
		w.tick()
		w.update(func(tx store.Tx) error { _, _, err := tx.DeleteDocument(a.ID); return err })
		for _, d := range w.history("") {
			if strings.Contains(string(d.Before)+string(d.After), "the very words") {
				t.Fatal("a delta quotes what was purged")
			}
		}
		w.view(func(r store.Reader) { same(t, 1, len(must[lukasa.Memory](t)(r.Memory(m.ID)).Sources)) })
		m.Content, m.Sources = "changed since", m.Sources[1:]
		w.tick()
		w.update(func(tx store.Tx) error { return tx.PutMemory(m) })
		w.ok(w.ViewAt(w.ctx(), w.scope(), then, func(r store.Reader) error { // the nearest that is still told
			got := must[lukasa.Memory](t)(r.Memory(m.ID))
			same(t, [2]any{"fact", 1}, [2]any{got.Content, len(got.Sources)})
			return nil
		}))
		w.healthy()
	}},
	{"TimesOfTheChainNeverGoBack", func(t *testing.T, w *world) {
		node := w.node("work")
		put := func(text string) {
			m := w.memory(node, text)
			w.update(func(tx store.Tx) error { return tx.PutMemory(m) })
		}
		put("one")
		w.mu.Lock()
		w.now = w.now.Add(-time.Hour)
		w.mu.Unlock()
		put("two")
		list := w.history("")
		if list[1].At.Before(list[0].At) {
			t.Fatalf("%v comes after %v", list[1].At, list[0].At)
		}
		w.healthy()
	}},
}
