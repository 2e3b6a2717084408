package storetest

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// checkSuperseded holds what a reader says of documents and messages to the memories that it shows: the rule, told once more.
func checkSuperseded(t *testing.T, r store.Reader, s Sight) {
	t.Helper()
	there := map[lukasa.ID]lukasa.Memory{}
	for _, m := range s.Memories {
		there[m.ID] = m
	}
	holds := func(m lukasa.Memory) lukasa.ID {
		for passed := map[lukasa.ID]bool{}; !m.IsLatest; passed[m.ID] = true {
			next, ok := there[m.RetiredBy]
			if !ok { // what lies in the trash is passed through, as it was when it went there
				log := must[lukasa.Listing[lukasa.Delta]](t)(r.History(m.RetiredBy, lukasa.Page{Limit: 1})).Items
				if ok = len(log) > 0 && log[0].Op == store.OpDelete; ok {
					if err := json.Unmarshal(log[0].Before, &next); err != nil {
						t.Fatal(err)
					}
				}
				ok = ok && !next.IsLatest
			}
			if !ok || passed[m.ID] || next.RetiredBy == "" && !next.IsLatest {
				return ""
			}
			m = next
		}
		if m.State != "" {
			return ""
		}
		return m.ID
	}
	var sources []lukasa.Source
	for _, d := range s.Documents {
		sources = append(sources, lukasa.Source{Document: d.ID, Start: 1, End: 20}) // of some the memories are told of other bytes
	}
	for _, m := range s.Messages {
		sources = append(sources, lukasa.Source{Message: m.ID, End: 3})
	}
	want := map[lukasa.ID]lukasa.ID{}
	for _, m := range s.Memories {
		shown := slices.ContainsFunc(m.Sources, func(a lukasa.Source) bool {
			return slices.ContainsFunc(sources, func(b lukasa.Source) bool {
				return a.Document == b.Document && a.Message == b.Message && a.Start < b.End && b.Start < a.End
			})
		})
		if shown && !m.IsLatest && m.RetiredBy != "" && m.State == "" {
			want[m.ID] = holds(m)
		}
	}
	got := map[lukasa.ID]lukasa.ID{}
	for _, x := range must[[]store.Superseded](t)(r.Superseded(sources)) {
		same(t, there[x.Memory.ID], x.Memory)
		if got[x.Memory.ID] = ""; x.By != nil {
			got[x.Memory.ID] = x.By.ID
			same(t, there[x.By.ID], *x.By)
		}
	}
	same(t, want, got)
	none := must[[]store.Superseded](t)(r.Superseded(nil))
	same(t, 0, len(none))
}

// told is what is no longer so, and what holds now.
type told map[string]string

// told asks what of some words is no longer so, today or as of a moment.
func (w *world) told(sc lukasa.Scope, at *time.Time, sources ...lukasa.Source) told {
	w.t.Helper()
	got := told{}
	look := func(r store.Reader) error {
		for _, x := range must[[]store.Superseded](w.t)(r.Superseded(sources)) {
			if got[x.Memory.Content] = "nothing"; x.By != nil {
				got[x.Memory.Content] = x.By.Content
			}
		}
		return nil
	}
	if at == nil {
		w.ok(w.View(w.ctx(), sc, look))
	} else {
		w.ok(w.ViewAt(w.ctx(), sc, *at, look))
	}
	return got
}

// testSuperseded asks what is no longer so of words that were said, as each scope and each moment knows it.
func testSuperseded(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	w, sc, root := place(t, open)
	work := lukasa.Node{ID: w.id(lukasa.PrefixNode), Parent: root, Path: "work", Name: "work", Depth: 1, CreatedAt: start, UpdatedAt: start}
	conv := lukasa.Conversation{ID: w.id(lukasa.PrefixConversation), Node: work.ID, ExternalID: "talk", CreatedAt: w.tick(), UpdatedAt: w.now}
	doc := w.doc(work.ID, "transcript")
	conv.Document = doc.ID
	ms, cs := w.turns(conv, 2)
	said := lukasa.Source{Message: ms[0].ID, End: 4}
	written := lukasa.Source{Document: doc.ID, Start: 10, End: 20}
	update := func(fn func(tx store.Tx) error) {
		t.Helper()
		w.tick()
		w.ok(w.Update(w.ctx(), sc, fn))
	}
	put := func(m lukasa.Memory) lukasa.Memory {
		m.UpdatedAt = w.now
		update(func(tx store.Tx) error { return tx.PutMemory(m) })
		return m
	}
	update(func(tx store.Tx) error {
		w.ok(tx.PutNode(work))
		w.ok(tx.PutDocument(doc))
		w.ok(tx.PutConversation(conv))
		return tx.PutMessages(ms, cs)
	})
	paris, lyon, berlin := w.memory(work.ID, "Ada lives in Paris."), w.memory(work.ID, "Ada lives in Lyon."), w.memory(root, "Ada lives in Berlin.")
	paris.Sources = []lukasa.Source{{Document: doc.ID, Start: 40, End: 50}, said}
	lyon.Sources = []lukasa.Source{written}
	paris, lyon = put(paris), put(lyon)
	ask := w.told
	same(t, told{}, ask(sc, nil, said, written))
	both := w.tick()
	retire := func(m *lukasa.Memory, by lukasa.ID) {
		m.IsLatest, m.RetiredBy, m.RetiredAt = false, by, new(w.tick())
		*m = put(*m)
	}
	retire(&paris, lyon.ID)
	same(t, told{paris.Content: lyon.Content}, ask(sc, nil, said, written))
	one := w.tick()
	put(berlin)
	retire(&lyon, berlin.ID)
	same(t, told{paris.Content: berlin.Content, lyon.Content: berlin.Content}, ask(sc, nil, said, written))
	same(t, told{paris.Content: berlin.Content}, ask(sc, nil, said))
	for _, beside := range []lukasa.Source{
		{Message: ms[1].ID, End: 4}, {Message: ms[0].ID, Start: 4, End: 8}, {Document: doc.ID, Start: 0, End: 10}, {Document: doc.ID, Start: 20, End: 40}, {Message: doc.ID, End: 100},
	} {
		same(t, told{}, ask(sc, nil, beside))
	}
	same(t, told{}, ask(sc, &both, said, written))
	same(t, told{paris.Content: lyon.Content}, ask(sc, &one, said, written))

	part := sc
	part.Root = "work" // what holds now stands where it may not look
	same(t, told{paris.Content: "nothing", lyon.Content: "nothing"}, ask(part, nil, said, written))
	part.Root = "elsewhere"
	same(t, told{}, ask(part, nil, said, written))
	same(t, told{}, ask(lukasa.Scope{Owner: w.id(lukasa.PrefixUser)}, nil, said, written))

	all := w.tick()
	lost := paris
	lost.Sources = lost.Sources[:1] // the message is its source no more, and was then
	put(lost)
	same(t, told{}, ask(sc, nil, said))
	same(t, told{paris.Content: berlin.Content}, ask(sc, &all, said))
	for _, beside := range []lukasa.Source{{Message: ms[1].ID, End: 4}, {Message: ms[0].ID, Start: 4, End: 8}, {Document: doc.ID, End: 10}, {Message: doc.ID, End: 100}} {
		same(t, told{}, ask(sc, &all, beside))
	}
	put(paris)

	update(func(tx store.Tx) error { return tx.Bury(berlin.ID) })
	same(t, told{paris.Content: "nothing", lyon.Content: "nothing"}, ask(sc, nil, said, written))
	update(func(tx store.Tx) error { return tx.Unbury(berlin.ID) })
	update(func(tx store.Tx) error { return tx.Bury(paris.ID) })
	same(t, told{lyon.Content: berlin.Content}, ask(sc, nil, said, written))
	update(func(tx store.Tx) error { return tx.Unbury(paris.ID) })
	w.throughTrash(sc, paris, lyon, berlin, said, written)
	for _, state := range []string{lukasa.MemoryArchived, lukasa.MemoryQuarantined} {
		held := paris
		held.State = state
		put(held)
		same(t, told{lyon.Content: berlin.Content}, ask(sc, nil, said, written))
		put(paris)
		held = berlin
		held.State = state
		put(held)
		same(t, told{paris.Content: "nothing", lyon.Content: "nothing"}, ask(sc, nil, said, written))
		put(berlin)
		held = lyon
		held.State = state // what came between does not matter
		put(held)
		same(t, told{paris.Content: berlin.Content}, ask(sc, nil, said, written))
		put(lyon)
	}
	retire(&berlin, paris.ID) // in a circle nothing holds
	same(t, told{paris.Content: "nothing", lyon.Content: "nothing"}, ask(sc, nil, said, written))
	berlin.IsLatest, berlin.RetiredBy, berlin.RetiredAt = true, "", nil
	put(berlin)
	update(func(tx store.Tx) error { _, _, err := tx.Purge(berlin.ID); return err }) // what it had retired holds again
	same(t, told{paris.Content: lyon.Content}, ask(sc, nil, said, written))
}

// throughTrash asks what holds while what came between lies in the trash, today and as of then. The key of another place is not led there.
func (w *world) throughTrash(sc lukasa.Scope, old, between, now lukasa.Memory, of ...lukasa.Source) {
	w.t.Helper()
	update := func(fn func(tx store.Tx) error) {
		w.t.Helper()
		w.tick()
		w.ok(w.Update(w.ctx(), sc, fn))
	}
	update(func(tx store.Tx) error { return tx.Bury(between.ID) })
	same(w.t, told{old.Content: now.Content}, w.told(sc, nil, of...))
	then := w.tick()
	part := sc
	part.Root = "work"
	same(w.t, told{old.Content: "nothing"}, w.told(part, nil, of...))
	update(func(tx store.Tx) error { return tx.Bury(now.ID) })
	same(w.t, told{old.Content: "nothing"}, w.told(sc, nil, of...))
	update(func(tx store.Tx) error { return tx.Unbury(now.ID) })
	update(func(tx store.Tx) error { return tx.Unbury(between.ID) })
	same(w.t, told{old.Content: now.Content, between.Content: now.Content}, w.told(sc, nil, of...))
	same(w.t, told{old.Content: now.Content}, w.told(sc, &then, of...))
}
