package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// inSteps is what AddDocument does, one step after another.
func inSteps(tx store.Tx, x store.Whole) error {
	if err := tx.PutDocument(x.Document); err != nil {
		return err
	}
	if err := tx.ReplaceChunks(x.ID, x.Chunks); err != nil {
		return err
	}
	if err := tx.SummaryEntry(x.ID, x.Summary); err != nil {
		return err
	}
	return tx.PutVectors(x.Space, x.Vectors)
}

// testWhole holds two stores against each other: one is given documents at once, the other one step by step.
func testWhole(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	type known struct {
		Documents []lukasa.Document
		Chunks    []lukasa.Chunk
		Pending   []lukasa.Entry
		Entries   []lukasa.Entry
		Changes   []lukasa.Change
		Stats     lukasa.Stats
	}
	var seen [2]known
	for i, add := range []func(tx store.Tx, x store.Whole) error{inSteps, store.Tx.AddDocument} {
		w, sc, node := place(t, open)
		k := &seen[i]
		var last store.Whole
		for n := range 4 { // without chunks, with one, with several
			last = w.whole(node, last.ID, n)
			w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error { return add(tx, last) }))
			w.ok(w.View(w.ctx(), sc, func(r store.Reader) error {
				k.Documents = append(k.Documents, must[lukasa.Document](t)(r.Document(last.ID)))
				k.Chunks = append(k.Chunks, must[[]lukasa.Chunk](t)(r.Chunks(last.ID))...)
				k.Pending = append(k.Pending, must[[]lukasa.Entry](t)(r.Pending(last.ID, lifeSpace, 10))...)
				k.Stats = must[lukasa.Stats](t)(r.Stats())
				return nil
			}))
		}
		w.ok(w.Partition(w.ctx(), lifeSpace, sc.Owner, node, func(e lukasa.Entry) bool {
			k.Entries = append(k.Entries, e)
			return true
		}))
		k.Changes = must[[]lukasa.Change](t)(w.Changes(w.ctx(), 0, 1000))
		slices.SortFunc(k.Changes, func(a, b lukasa.Change) int { return strings.Compare(string(a.Entry), string(b.Entry)) })
		for j := range k.Changes {
			k.Changes[j].Seq = 0 // in which order those of one document stand is the same to an index
		}
		first := k.Documents[0].ID
		for _, wrong := range []struct {
			code   lukasa.Code
			change func(x *store.Whole)
		}{
			{lukasa.CodeConflict, func(x *store.Whole) { x.ID = last.ID }},
			{lukasa.CodeConflict, func(x *store.Whole) { x.Previous = first }}, // which has a newer version
			{lukasa.CodeNotFound, func(x *store.Whole) { x.Node = "node_none" }},
			{lukasa.CodeInvalid, func(x *store.Whole) { x.Vectors[0].Vector = nil }},
			{lukasa.CodeInvalid, func(x *store.Whole) { x.Vectors[0].Type = "thought" }},
		} {
			x := w.whole(node, "", 1)
			wrong.change(&x)
			if err := w.Update(w.ctx(), sc, func(tx store.Tx) error { return tx.AddDocument(x) }); lukasa.CodeOf(err) != wrong.code {
				t.Errorf("it ends with %v, want %s", err, wrong.code)
			}
		}
		found, err := w.Check(w.ctx())
		w.ok(err)
		if len(found) > 0 {
			t.Errorf("check found damage: %q", found)
		}
	}
	same(t, seen[0], seen[1])
}

// whole makes a document of n chunks, of which the second waits for its vector. It comes with vectors of what is no entry, which are passed over.
func (w *world) whole(node, previous lukasa.ID, n int) store.Whole {
	d := w.doc(node, "text")
	d.Previous, d.Summary, d.Language, d.Version = previous, "In short.", "en", 0
	if n == 3 { // its text is in a file
		d.Content = ""
	}
	x := store.Whole{Document: d, Chunks: w.chunks(d, n), Summary: n > 1, Space: lifeSpace}
	for i := range x.Chunks {
		c := &x.Chunks[i]
		c.Lines, c.Page, c.Kind, c.Heading = [2]int{1, 2}, 3, "section", []string{"Part"}
		if i != 1 {
			x.Vectors = append(x.Vectors, store.Vector{Entry: c.ID, Type: lukasa.EntryChunk, Vector: []float32{1, float32(i)}})
		}
	}
	x.Vectors = append(x.Vectors,
		store.Vector{Entry: "chk_gone", Type: lukasa.EntryChunk, Vector: []float32{1}},
		store.Vector{Entry: d.ID, Type: lukasa.EntryDocument, Vector: []float32{9}},
		store.Vector{Entry: d.ID, Type: lukasa.EntryChunk, Vector: []float32{8}})
	return x
}
