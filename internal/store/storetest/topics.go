package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// testTopics asks for topics that JSON writes in all ways: each leads to what has it, ignoring case, and to nothing that only looks like
// it, today and at a moment since which all has changed.
func testTopics(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	w, sc, root := place(t, open)
	topics := []string{"plain", "pla", "R&D", "a<b", `say "hi"`, `back\slash`, "été", "list]", "[", "two words", "Q", "\u2028", "%", "_", "K2", "\u212aiwi", "İ"}
	docs, memories := make([]lukasa.Document, len(topics)), make([]lukasa.Memory, len(topics))
	for i, topic := range topics {
		docs[i], memories[i] = w.doc(root, topic), w.memory(root, topic)
		docs[i].Keywords.Topics, memories[i].Tags = []string{"first", topic}, []string{"first", topic}
	}
	write := func(title string) {
		w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
			for i := range topics {
				docs[i].Title, memories[i].Reason = title, title
				if err := tx.PutDocument(docs[i]); err != nil {
					return err
				}
				if err := tx.PutMemory(memories[i]); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	write("1")
	then := w.tick()
	w.tick()
	write("2")
	look := func(r store.Reader) error {
		for i, topic := range topics {
			upper := strings.Map(func(c rune) rune { // as both databases see it
				if c >= 'a' && c <= 'z' {
					c += 'A' - 'a'
				}
				return c
			}, topic)
			for _, list := range [][]string{{topic}, {upper}, {topic, "none"}} {
				l := must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(lukasa.MemoryFilter{Topics: list}, lukasa.Page{}))
				if got := idsOf(l.Items, memID); l.Total != 1 || got[0] != memories[i].ID {
					t.Errorf("%q leads to %d memories, want %s alone", list, l.Total, memories[i].ID)
				}
				both := must[[]lukasa.ID](t)(r.Marked([]lukasa.ID{root}, store.Mark{Topics: list}, 100))
				if slices.Sort(both); !slices.Equal(both, []lukasa.ID{docs[i].ID, memories[i].ID}) {
					t.Errorf("%q marks %v, want %s and %s", list, both, docs[i].ID, memories[i].ID)
				}
			}
		}
		for _, topic := range []string{"kiwi", "i", "ÉTÉ", "Plain", "nothing"} { // what is the same letter is for the database to say, but the same to all
			one, two := lukasa.MemoryFilter{Topics: []string{topic}}, lukasa.MemoryFilter{Topics: []string{topic, "none"}}
			same(t, must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(two, lukasa.Page{})).Total, must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(one, lukasa.Page{})).Total)
		}
		same(t, len(topics), must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(lukasa.MemoryFilter{Topics: []string{"FIRST"}}, lukasa.Page{})).Total)
		return nil
	}
	w.ok(w.View(w.ctx(), sc, look))
	w.ok(w.ViewAt(w.ctx(), sc, then, look))
}

// checkLight holds what tells less of records to what tells all.
func checkLight(t *testing.T, r store.Reader, s Sight, all, entities []lukasa.ID) {
	name := func(e lukasa.Entity) lukasa.ID { return e.ID }
	same(t, idsOf(s.Entities, name), idsOf(must[[]lukasa.Entity](t)(r.KnownByID(entities)), name))
	first := must[lukasa.Listing[lukasa.Entity]](t)(r.Entities(nil, "", "", lukasa.Page{Limit: 1}))
	same(t, len(must[lukasa.Listing[lukasa.Entity]](t)(r.Entities(nil, "", "", lukasa.Page{Limit: 100})).Items), first.Total)
	want := map[lukasa.ID]store.Stand{}
	for _, d := range s.Documents {
		want[d.ID] = store.Stand{ID: d.ID, Node: d.Node}
	}
	for _, m := range s.Memories {
		want[m.ID] = store.Stand{ID: m.ID, Node: m.Node}
	}
	for _, m := range s.Messages {
		want[m.ID] = store.Stand{ID: m.ID, Node: m.Node, Document: m.Document}
	}
	got := map[lukasa.ID]store.Stand{}
	for _, x := range must[[]store.Stand](t)(r.Stands(all)) {
		got[x.ID] = x
	}
	same(t, want, got)
	for _, n := range s.Nodes {
		var said []lukasa.ID
		for _, e := range s.Entries {
			if e.Type == lukasa.EntryMessage && e.Node == n.ID {
				said = append(said, e.ID)
			}
		}
		ids := func(e lukasa.Entry) lukasa.ID { return e.ID }
		same(t, said, idsOf(must[[]lukasa.Entry](t)(r.Newest([]lukasa.ID{n.ID}, []lukasa.EntryType{lukasa.EntryMessage}, nil, 1000)), ids))
	}
}
