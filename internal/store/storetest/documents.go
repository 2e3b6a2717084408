package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

var documentCases = []testCase{
	{"PutAndRead", func(t *testing.T, w *world) { // H-1, D-2
		node := w.node("work")
		d := w.doc(node, "some text")
		d.Path = "work"
		d.Language, d.Category, d.Summary = "en", "note", "In short."
		d.Keywords = lukasa.Keywords{Entities: []string{"Ada"}, Topics: []string{"maths"}, Dates: []string{"1843"}, Relationships: []string{"friend of Babbage"}} // N-7
		d.Tags, d.Metadata = []string{"b", "a"}, map[string]any{"n": 1.5, "list": []any{"x", true}, "deep": map[string]any{"k": nil}}
		d.SourceURL, d.CustomID, d.Reason = "https://example.org/?q=1", "c-1", "none"
		d.OccurredAt, d.ForgetAfter, d.LastAccessedAt, d.Accesses = new(start), new(start.Add(time.Hour)), new(start), 3
		w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
		w.view(func(r store.Reader) {
			same(t, d, must[lukasa.Document](t)(r.Document(d.ID)))
			bare := d
			bare.Content = ""
			same(t, []lukasa.Document{bare}, must[[]lukasa.Document](t)(r.DocumentsByID([]lukasa.ID{"doc_none", d.ID})))
			_, err := r.Document("doc_none")
			w.fails(lukasa.CodeNotFound, err)
		})
	}},
	{"UpdateKeepsWhatListingsLeaveOut", func(t *testing.T, w *world) {
		d, cs := w.saved(w.node("work"), "text", 2)
		bare := d
		bare.Content, bare.Title, bare.Chunks, bare.Embedded = "", "New", 99, 99
		w.update(func(tx store.Tx) error { return tx.PutDocument(bare) })
		w.view(func(r store.Reader) {
			got := must[lukasa.Document](t)(r.Document(d.ID))
			d.Title, d.Path, d.Chunks, d.Embedded = "New", "work", len(cs), len(cs)
			same(t, d, got)
		})
		bare.ContentHash, bare.Size = "", 0 // another text, and it is not here
		w.update(func(tx store.Tx) error { return tx.PutDocument(bare) })
		w.view(func(r store.Reader) { same(t, "", must[lukasa.Document](t)(r.Document(d.ID)).Content) })
	}},
	{"EmptyIsNeverNull", func(t *testing.T, w *world) {
		d := w.doc(w.node("work"), "text")
		d.Tags, d.Metadata = nil, nil
		w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
		w.view(func(r store.Reader) {
			got := must[lukasa.Document](t)(r.Document(d.ID))
			if got.Tags == nil || got.Metadata == nil {
				t.Fatal("tags and metadata must be empty, not nil")
			}
			if got.OccurredAt != nil || got.ForgetAfter != nil || got.LastAccessedAt != nil {
				t.Fatal("times that are not known must be nil")
			}
		})
	}},
	{"NodeMustBeThere", func(t *testing.T, w *world) {
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.PutDocument(w.doc("node_none", "x")) }))
	}},
	{"LatestByHashAndKeys", func(t *testing.T, w *world) { // H-7
		a, b := w.node("a"), w.node("b")
		d := w.doc(a, "text")
		d.CustomID, d.SourceURL = "c-1", "https://example.org"
		w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
		find := func(r store.Reader, node lukasa.ID) []error {
			_, e1 := r.LatestByHash(node, d.ContentHash)
			_, e2 := r.LatestBy(node, "custom_id", "c-1")
			_, e3 := r.LatestBy(node, "source_url", "https://example.org")
			_, e4 := r.LatestBy(node, "title", d.Title)
			return []error{e1, e2, e3, e4}
		}
		w.view(func(r store.Reader) {
			same(t, d.ID, must[lukasa.Document](t)(r.LatestByHash(a, d.ContentHash)).ID)
			same(t, d.ID, must[lukasa.Document](t)(r.LatestBy(a, "title", d.Title)).ID)
			for _, err := range find(r, a) {
				w.ok(err)
			}
			for _, err := range find(r, b) { // within one node only
				w.fails(lukasa.CodeNotFound, err)
			}
			_, err := r.LatestBy(a, "custom_id", "")
			w.fails(lukasa.CodeNotFound, err)
			_, err = r.LatestBy(a, "summary", "x")
			w.fails(lukasa.CodeInvalid, err)
		})
		d.IsLatest = false
		w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
		w.view(func(r store.Reader) {
			for _, err := range find(r, a) {
				w.fails(lukasa.CodeNotFound, err)
			}
		})
	}},
	{"DeleteTakesEverything", func(t *testing.T, w *world) { // H-24
		node := w.node("work")
		d, cs := w.saved(node, "text", 3)
		other, _ := w.saved(node, "other", 1)
		_, ms, _ := w.dialogue(node, "talk", 1)
		only := w.memory(node, "only source", lukasa.Source{Document: d.ID, Start: 1, End: 3, Quote: "ex"})
		two := w.memory(node, "two sources", lukasa.Source{Document: d.ID}, lukasa.Source{Message: ms[0].ID, Quote: "q"})
		free := w.memory(node, "added by hand")
		file := lukasa.File{ID: w.id(lukasa.PrefixFile), Document: d.ID, Role: "raw", Name: "a.txt", Type: "text/plain", Size: 9, SealedSize: 5, Blob: "mine", SHA256: "00", State: "active", UsedAt: start, CreatedAt: start}
		shared := lukasa.File{ID: w.id(lukasa.PrefixFile), Document: d.ID, Role: "text", SealedSize: 2, Blob: "shared", State: "dormant", UsedAt: start.Add(time.Minute), CreatedAt: start.Add(time.Second)}
		theirs := lukasa.File{ID: w.id(lukasa.PrefixFile), Document: other.ID, Role: "text", SealedSize: 2, Blob: "shared", CreatedAt: start}
		inline := lukasa.File{ID: w.id(lukasa.PrefixFile), Document: other.ID, Role: "raw", SealedSize: 2, Inline: []byte{0, 1}, State: "active", UsedAt: start, CreatedAt: start}
		w.update(func(tx store.Tx) error {
			for _, m := range []lukasa.Memory{only, two, free} {
				if err := tx.PutMemory(m); err != nil {
					return err
				}
			}
			for _, f := range []lukasa.File{file, shared, theirs, inline} {
				if err := tx.PutFile(f); err != nil {
					return err
				}
			}
			if err := tx.SummaryEntry(d.ID, true); err != nil {
				return err
			}
			return tx.PutVectors(space, []store.Vector{{Entry: d.ID, Type: lukasa.EntryDocument, Vector: vector(1)}, {Entry: only.ID, Type: lukasa.EntryMemory, Vector: vector(2)}})
		})
		w.view(func(r store.Reader) {
			same(t, []lukasa.File{file, shared}, must[[]lukasa.File](t)(r.Files(d.ID, "")))
			same(t, []lukasa.File{shared}, must[[]lukasa.File](t)(r.Files(d.ID, "text")))
			same(t, []lukasa.File{inline}, must[[]lukasa.File](t)(r.Files(other.ID, "raw")))
		})
		var gone lukasa.Removal
		var blobs []string
		w.update(func(tx store.Tx) (err error) {
			gone, blobs, err = tx.DeleteDocument(d.ID)
			return err
		})
		same(t, []string{"mine"}, blobs)
		same(t, lukasa.Removal{Documents: 1, Chunks: 3, Vectors: 5, Memories: 1, Files: 2, Bytes: 7 + d.Size, IDs: []lukasa.ID{only.ID, d.ID}}, gone,
			cmpopts.SortSlices(func(a, b lukasa.ID) bool { return a < b }))
		w.view(func(r store.Reader) {
			_, err := r.Document(d.ID)
			w.fails(lukasa.CodeNotFound, err)
			_, err = r.Chunks(d.ID)
			w.fails(lukasa.CodeNotFound, err)
			_, err = r.Files(d.ID, "")
			w.fails(lukasa.CodeNotFound, err)
			same(t, 0, len(must[[]lukasa.Chunk](t)(r.ChunksByID(idsOf(cs, chunkID)))))
			_, err = r.Memory(only.ID)
			w.fails(lukasa.CodeNotFound, err)
			same(t, two.Sources[1:], must[lukasa.Memory](t)(r.Memory(two.ID)).Sources)
			must[lukasa.Memory](t)(r.Memory(free.ID))
		})
		for _, v := range must[[][]float32](t)(w.Vectors(w.ctx(), space, w.owner, append(idsOf(cs, chunkID), d.ID, only.ID))) {
			if v != nil {
				t.Fatal("a vector of a deleted entry is still there")
			}
		}
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error {
			_, _, err := tx.DeleteDocument(d.ID)
			return err
		}))
		w.healthy()
	}},
	{"TouchCountsRecalls", func(t *testing.T, w *world) { // H-25
		d, _ := w.saved(w.node("work"), "text", 1)
		at := start.Add(time.Hour)
		beside, _ := w.saved(d.Node, "another", 1)
		head := must[int64](t)(w.Head(w.ctx()))
		w.update(func(tx store.Tx) error {
			same(t, []lukasa.ID{d.Node, d.Node}, must[[]lukasa.ID](t)(tx.Touch([]lukasa.ID{d.ID, "doc_none", beside.ID}, at)))
			same(t, []lukasa.ID{d.Node}, must[[]lukasa.ID](t)(tx.Touch([]lukasa.ID{d.ID}, at.Add(-time.Minute)))) // late, does not go back
			return nil
		})
		w.view(func(r store.Reader) {
			got := must[lukasa.Document](t)(r.Document(d.ID))
			same(t, int64(2), got.Accesses)
			same(t, &at, got.LastAccessedAt)
		})
		same(t, head, must[int64](t)(w.Head(w.ctx())))
	}},
	{"MoveCarriesEntries", func(t *testing.T, w *world) {
		a, b := w.node("a"), w.node("b")
		d, cs := w.saved(a, "text", 2)
		d.Node = b
		w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
		w.view(func(r store.Reader) {
			for _, c := range must[[]lukasa.Chunk](t)(r.Chunks(d.ID)) {
				same(t, b, c.Node)
			}
		})
		same(t, 0, len(w.partition(a)))
		got := w.partition(b)
		same(t, idsOf(cs, chunkID), idsOf(got, entryID))
		same(t, vector(0), got[0].Vector)
		w.healthy()
	}},
}

var versionCases = []testCase{
	{"WhatWaitsForItsTextIsNobodysPredecessor", func(t *testing.T, w *world) { // H-8
		node := w.node("work")
		known, queued := w.doc(node, "the page as it was"), w.doc(node, "")
		for _, d := range []*lukasa.Document{&known, &queued} {
			d.SourceURL = "https://example.org/page"
		}
		queued.ContentHash, queued.Content = "", ""
		w.update(func(tx store.Tx) error { return errors.Join(tx.PutDocument(known), tx.PutDocument(queued)) })
		w.view(func(r store.Reader) {
			same(t, known.ID, must[lukasa.Document](t)(r.LatestBy(node, "source_url", "https://example.org/page")).ID)
			_, err := r.LatestByHash(node, "")
			w.fails(lukasa.CodeNotFound, err)
		})
	}},
	{"ChainAndLatest", func(t *testing.T, w *world) { // H-8
		node := w.node("work")
		d1, c1 := w.saved(node, "A", 1)
		d2 := w.doc(node, "B")
		d2.Previous, d2.Version = d1.ID, 0
		d3 := w.doc(node, "A")
		d3.Previous, d3.Version = d2.ID, 0
		w.update(func(tx store.Tx) error {
			if err := tx.PutDocument(d2); err != nil {
				return err
			}
			return tx.PutDocument(d3)
		})
		w.view(func(r store.Reader) {
			for _, id := range []lukasa.ID{d1.ID, d2.ID, d3.ID} {
				vs := must[[]lukasa.Document](t)(r.Versions(id))
				same(t, []lukasa.ID{d3.ID, d2.ID, d1.ID}, idsOf(vs, docID))
				same(t, [3]int{3, 2, 1}, [3]int{vs[0].Version, vs[1].Version, vs[2].Version})
				same(t, [3]bool{true, false, false}, [3]bool{vs[0].IsLatest, vs[1].IsLatest, vs[2].IsLatest})
			}
			same(t, d3.ID, must[lukasa.Document](t)(r.LatestByHash(node, d3.ContentHash)).ID)
			_, err := r.Versions("doc_none")
			w.fails(lukasa.CodeNotFound, err)
		})
		e := must[[]lukasa.Entry](t)(w.Entries(w.ctx(), "", w.owner, idsOf(c1, chunkID)))
		same(t, false, e[0].Latest)
		w.fails(lukasa.CodeConflict, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { // no fork
			x := w.doc(node, "C")
			x.Previous = d1.ID
			return tx.PutDocument(x)
		}))
		w.fails(lukasa.CodeNotFound, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error {
			x := w.doc(node, "C")
			x.Previous = "doc_none"
			return tx.PutDocument(x)
		}))
		late := d1 // as a step would write that read it before the second version came
		late.Status = lukasa.StatusFailed
		w.update(func(tx store.Tx) error { return tx.PutDocument(late) })
		w.view(func(r store.Reader) {
			got := must[lukasa.Document](t)(r.Document(d1.ID))
			same(t, [2]any{false, lukasa.StatusFailed}, [2]any{got.IsLatest, got.Status})
		})
		w.healthy()
	}},
	{"DeleteMendsTheChain", func(t *testing.T, w *world) { // H-8
		node := w.node("work")
		var docs []lukasa.Document
		var first []lukasa.Chunk
		for i := range 4 {
			d := w.doc(node, string(rune('A'+i)))
			if i > 0 {
				d.Previous, d.Version = docs[i-1].ID, i+1
			}
			cs := w.chunks(d, 1)
			if i == 0 {
				first = cs
			}
			w.update(func(tx store.Tx) error { return put(tx, d, cs) })
			docs = append(docs, d)
		}
		del := func(i int) {
			w.update(func(tx store.Tx) error {
				_, _, err := tx.DeleteDocument(docs[i].ID)
				return err
			})
		}
		chain := func(want ...int) {
			t.Helper()
			w.view(func(r store.Reader) {
				vs := must[[]lukasa.Document](t)(r.Versions(docs[want[0]].ID))
				ids := make([]lukasa.ID, len(want))
				for i, k := range want {
					ids[i] = docs[k].ID
				}
				same(t, ids, idsOf(vs, docID))
				for i, v := range vs {
					same(t, i == 0, v.IsLatest)
				}
			})
		}
		del(1) // in the middle
		chain(3, 2, 0)
		del(3) // the latest
		chain(2, 0)
		del(2)
		chain(0)
		e := must[[]lukasa.Entry](t)(w.Entries(w.ctx(), "", w.owner, idsOf(first, chunkID)))
		same(t, true, e[0].Latest)
		w.healthy()
	}},
}
