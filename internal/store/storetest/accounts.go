package storetest

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

var upkeepCases = []testCase{
	{"Expired", func(t *testing.T, w *world) { // H-24
		node := w.node("work")
		d1, d2, d3 := w.doc(node, "one"), w.doc(node, "two"), w.doc(node, "three")
		d1.ForgetAfter, d2.ForgetAfter = new(start), new(start.Add(time.Microsecond))
		m := w.memory(node, "fact")
		m.ForgetAfter = new(start.Add(-time.Hour))
		w.update(func(tx store.Tx) error {
			for _, d := range []lukasa.Document{d1, d2, d3} {
				if err := tx.PutDocument(d); err != nil {
					return err
				}
			}
			return tx.PutMemory(m)
		})
		want := []store.Expired{{Owner: w.owner, Record: m.ID}, {Owner: w.owner, Record: d1.ID}}
		same(t, want, must[[]store.Expired](t)(w.Expired(w.ctx(), start, 10)))
		same(t, want[:1], must[[]store.Expired](t)(w.Expired(w.ctx(), start, 1)))
		d1.ForgetAfter = nil // kept after all
		w.update(func(tx store.Tx) error { return tx.PutDocument(d1) })
		same(t, want[:1], must[[]store.Expired](t)(w.Expired(w.ctx(), start, 10)))
	}},
	{"DeleteUserLeavesNothing", func(t *testing.T, w *world) {
		s := w.secrets("work.acme")
		w.ok(w.PutKey(w.ctx(), lukasa.Key{ID: w.id(lukasa.PrefixKey), User: w.owner}, []byte{1}))
		w.update(func(tx store.Tx) error {
			if err := tx.PutFile(lukasa.File{ID: w.id(lukasa.PrefixFile), Document: s.doc.ID, Blob: "b"}); err != nil {
				return err
			}
			return tx.Enqueue(lukasa.Job{ID: w.id(lukasa.PrefixJob), Kind: lukasa.JobEmbed})
		})
		f := &follower{have: map[lukasa.ID]map[lukasa.ID]lukasa.Entry{}}
		f.follow(w, t)
		gone, blobs, err := w.DeleteUser(w.ctx(), w.owner)
		w.ok(err)
		same(t, []string{"b"}, blobs)
		same(t, [4]int{2, 2, 1, 3}, [4]int{gone.Documents, gone.Memories, gone.Messages, gone.Nodes})
		f.follow(w, t)
		for _, have := range f.have {
			same(t, 0, len(have))
		}
		_, err = w.User(w.ctx(), w.owner)
		w.fails(lukasa.CodeNotFound, err)
		_, err = w.OwnerKey(w.ctx(), w.owner)
		w.fails(lukasa.CodeNotFound, err)
		_, _, err = w.KeyByHash(w.ctx(), []byte{1})
		w.fails(lukasa.CodeNotFound, err)
		waiting, running, dead, err := w.Counts(w.ctx(), start.Add(time.Hour))
		w.ok(err)
		same(t, [3]int{0, 0, 0}, [3]int{waiting, running, dead})
		w.blind(t, w.scope(), s, "work.acme")
		_, _, err = w.DeleteUser(w.ctx(), w.owner)
		w.fails(lukasa.CodeNotFound, err)
		w.healthy()
	}},
	{"BlobKeys", func(t *testing.T, w *world) {
		d, _ := w.saved(w.node("work"), "text", 0)
		w.update(func(tx store.Tx) error {
			for _, key := range []string{"b", "a", "", "b"} {
				if err := tx.PutFile(lukasa.File{ID: w.id(lukasa.PrefixFile), Document: d.ID, Blob: key}); err != nil {
					return err
				}
			}
			return nil
		})
		var got []string
		w.ok(w.BlobKeys(w.ctx(), func(k string) bool { got = append(got, k); return true }))
		same(t, []string{"a", "b"}, got)
		w.ok(w.BlobKeys(w.ctx(), func(k string) bool { got = append(got, k); return false }))
		same(t, 3, len(got))
	}},
	{"Settings", func(t *testing.T, w *world) {
		same(t, "", must[string](t)(w.Setting(w.ctx(), "space")))
		w.ok(w.SetSetting(w.ctx(), "space", "a"))
		w.ok(w.SetSetting(w.ctx(), "space", "b"))
		same(t, "b", must[string](t)(w.Setting(w.ctx(), "space")))
		w.ok(w.SetSetting(w.ctx(), "space", ""))
		same(t, "", must[string](t)(w.Setting(w.ctx(), "space")))
	}},
	{"AClosedStoreSaysSo", func(t *testing.T, w *world) {
		w.ok(w.Close())
		w.fails(lukasa.CodeUnavailable, w.Update(w.ctx(), w.scope(), func(store.Tx) error { return nil }))
		w.fails(lukasa.CodeUnavailable, w.View(w.ctx(), w.scope(), func(store.Reader) error { return nil }))
		w.ok(w.Close())
	}},
}
