package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// marked is a small world of records that mention each other: in the node a a document, a conversation of two messages and three memories;
// in b a memory.
type marked struct {
	*world
	sc, bound         lukasa.Scope
	a, b              lukasa.ID
	doc, talk         lukasa.Document
	msgs              []lukasa.Message
	chunks            []lukasa.Chunk
	lives, works, was lukasa.Memory
	far               lukasa.Memory
	dave, acme        lukasa.Entity
	before            time.Time // when there were no edges yet
}

func newMarked(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) *marked {
	w, sc, root := place(t, open)
	m := &marked{world: w, sc: sc, bound: sc, a: w.id(lukasa.PrefixNode), b: w.id(lukasa.PrefixNode)}
	m.bound.Root = "a"
	at := w.tick()
	m.doc = w.doc(m.a, "Dave met the sales team")
	m.doc.Keywords.Topics, m.doc.Tags = []string{"Sales team"}, []string{"Staff"}
	m.talk = w.doc(m.a, "")
	m.talk.ContentType, m.talk.ContentHash, m.talk.Keywords.Topics = "conversation", "", []string{"moving"}
	c := lukasa.Conversation{ID: w.id(lukasa.PrefixConversation), Node: m.a, ExternalID: "t1", Document: m.talk.ID, CreatedAt: at, UpdatedAt: at}
	m.msgs, m.chunks = w.turns(c, 2)
	m.lives, m.works, m.was, m.far = w.memory(m.a, "Ada lives in Oslo"), w.memory(m.a, "Ada works at Acme"), w.memory(m.a, "Ada lived in Rome"), w.memory(m.b, "Dave likes tea")
	m.lives.Tags, m.lives.Entities, m.lives.Subject, m.lives.Slot = []string{"Home"}, []string{"Oslo"}, "Ada", "lives_in"
	m.lives.Sources = []lukasa.Source{{Message: m.msgs[0].ID, End: 3}}
	m.works.Metadata, m.works.Sources = map[string]any{"predicate": "works_at"}, []lukasa.Source{{Document: m.doc.ID, End: 3}}
	m.works.ValidFrom, m.works.ValidTo = new(start.Add(-time.Hour)), new(start)
	m.was.IsLatest, m.was.RetiredBy = false, m.lives.ID
	m.dave = lukasa.Entity{ID: w.id(lukasa.PrefixEntity), Kind: "person", Name: "Dave", CreatedAt: at, UpdatedAt: at}
	m.acme = lukasa.Entity{ID: w.id(lukasa.PrefixEntity), Kind: "organisation", Name: "Acme", CreatedAt: at, UpdatedAt: at}
	w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
		for _, n := range []lukasa.Node{
			{ID: m.a, Parent: root, Path: "a", Type: lukasa.NodeTopic, CreatedAt: at, UpdatedAt: at}, {ID: m.b, Parent: root, Path: "b", Type: lukasa.NodeTopic, CreatedAt: at, UpdatedAt: at},
		} {
			if err := tx.PutNode(n); err != nil {
				return err
			}
		}
		for _, d := range []lukasa.Document{m.doc, m.talk} {
			if err := tx.PutDocument(d); err != nil {
				return err
			}
		}
		if err := tx.PutConversation(c); err != nil {
			return err
		}
		if err := tx.PutSegment(lukasa.Segment{Document: m.talk.ID, Conversation: c.ID, State: lukasa.SegmentOpen, StartedAt: &at}); err != nil {
			return err
		}
		if err := tx.PutMessages(m.msgs, m.chunks); err != nil {
			return err
		}
		for _, x := range []lukasa.Memory{m.lives, m.works, m.was, m.far} {
			if err := tx.PutMemory(x); err != nil {
				return err
			}
		}
		for _, e := range []lukasa.Entity{m.dave, m.acme} {
			if err := tx.PutEntity(e); err != nil {
				return err
			}
		}
		return nil
	}))
	m.before = w.tick()
	w.tick()
	edge := func(from, to lukasa.ID, typ lukasa.EdgeType) lukasa.Edge {
		return lukasa.Edge{From: string(from), To: string(to), Type: typ, Weight: 1}
	}
	related := edge(m.dave.ID, m.acme.ID, lukasa.EdgeRelatesTo)
	related.Metadata = map[string]any{"relation": "works_at", "memory_id": string(m.works.ID)}
	w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
		return tx.PutEdges([]lukasa.Edge{
			edge(m.doc.ID, m.dave.ID, lukasa.EdgeMentions), edge(m.msgs[1].ID, m.dave.ID, lukasa.EdgeMentions), edge(m.far.ID, m.dave.ID, lukasa.EdgeMentions),
			edge(m.works.ID, m.acme.ID, lukasa.EdgeMentions), related, edge(m.lives.ID, m.dave.ID, lukasa.EdgeReferences), edge(m.lives.ID, m.far.ID, lukasa.EdgeExtends),
		})
	}))
	w.tick()
	return m
}

// testMarks holds listings by whom, what and when to what the records say and how they are linked, as a scope sees them. N-7
func testMarks(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	m := newMarked(t, open)
	dave, acme := string(m.dave.ID), string(m.acme.ID)
	recorded := func(x lukasa.Memory) *time.Time { return new(x.RecordedAt) }
	for i, c := range []struct {
		f           lukasa.MemoryFilter
		all, within []lukasa.Memory // newest first: what the owner sees, and a scope that is bound to a
	}{
		{lukasa.MemoryFilter{Entities: []string{dave}}, []lukasa.Memory{m.far, m.lives}, []lukasa.Memory{m.lives}},
		{lukasa.MemoryFilter{Entities: []string{dave, acme}}, []lukasa.Memory{m.far, m.works, m.lives}, []lukasa.Memory{m.works, m.lives}},
		{lukasa.MemoryFilter{Entities: []string{"OSLO"}}, []lukasa.Memory{m.lives}, []lukasa.Memory{m.lives}},
		{lukasa.MemoryFilter{Entities: []string{"Osl"}}, nil, nil},
		{lukasa.MemoryFilter{Entities: []string{"Oslo", acme}}, []lukasa.Memory{m.works, m.lives}, []lukasa.Memory{m.works, m.lives}},
		{lukasa.MemoryFilter{Entities: []string{dave}, Relations: []string{"mentions"}}, []lukasa.Memory{m.far}, nil},
		{lukasa.MemoryFilter{Entities: []string{dave}, Relations: []string{"references"}}, []lukasa.Memory{m.lives}, []lukasa.Memory{m.lives}},
		{lukasa.MemoryFilter{Entities: []string{"oslo"}, Relations: []string{"references"}}, []lukasa.Memory{m.lives}, []lukasa.Memory{m.lives}},
		{lukasa.MemoryFilter{Entities: []string{"oslo"}, Relations: []string{"relates_to"}}, nil, nil},
		{lukasa.MemoryFilter{Relations: []string{"relates_to"}}, []lukasa.Memory{m.works}, []lukasa.Memory{m.works}},
		{lukasa.MemoryFilter{Entities: []string{dave}, Relations: []string{"relates_to"}}, []lukasa.Memory{m.works}, []lukasa.Memory{m.works}},
		{lukasa.MemoryFilter{Relations: []string{"extends"}}, []lukasa.Memory{m.far, m.lives}, nil}, // the other end is hidden
		{lukasa.MemoryFilter{Relations: []string{"updates"}}, []lukasa.Memory{m.was, m.lives}, []lukasa.Memory{m.was, m.lives}},
		{lukasa.MemoryFilter{Relations: []string{"derives"}}, []lukasa.Memory{m.works, m.lives}, []lukasa.Memory{m.works, m.lives}},
		{lukasa.MemoryFilter{Relations: []string{"works_at"}}, []lukasa.Memory{m.works}, []lukasa.Memory{m.works}},
		{lukasa.MemoryFilter{Relations: []string{"works_at"}, Entities: []string{acme}}, []lukasa.Memory{m.works}, []lukasa.Memory{m.works}},
		{lukasa.MemoryFilter{Relations: []string{"works_at"}, Entities: []string{"oslo"}}, nil, nil},
		{lukasa.MemoryFilter{Relations: []string{"works_at", "updates"}}, []lukasa.Memory{m.was, m.works, m.lives}, []lukasa.Memory{m.was, m.works, m.lives}},
		{lukasa.MemoryFilter{Relations: []string{"unheard_of"}}, nil, nil},
		{lukasa.MemoryFilter{Topics: []string{"home"}}, []lukasa.Memory{m.lives}, []lukasa.Memory{m.lives}},
		{lukasa.MemoryFilter{Topics: []string{"MOVING"}}, []lukasa.Memory{m.lives}, []lukasa.Memory{m.lives}},
		{lukasa.MemoryFilter{Topics: []string{"sales TEAM"}}, []lukasa.Memory{m.works}, []lukasa.Memory{m.works}},
		{lukasa.MemoryFilter{Topics: []string{"staff", "moving"}}, []lukasa.Memory{m.works, m.lives}, []lukasa.Memory{m.works, m.lives}},
		{lukasa.MemoryFilter{Topics: []string{"sales"}}, nil, nil},
		{lukasa.MemoryFilter{CreatedFrom: recorded(m.was)}, []lukasa.Memory{m.far, m.was}, []lukasa.Memory{m.was}},
		{lukasa.MemoryFilter{CreatedUntil: recorded(m.was)}, []lukasa.Memory{m.works, m.lives}, []lukasa.Memory{m.works, m.lives}},
		{lukasa.MemoryFilter{ValidFrom: new(start)}, []lukasa.Memory{m.far, m.was, m.lives}, []lukasa.Memory{m.was, m.lives}},
		{lukasa.MemoryFilter{ValidFrom: new(start.Add(-time.Minute)), ValidTo: new(start)}, []lukasa.Memory{m.works}, []lukasa.Memory{m.works}},
		{lukasa.MemoryFilter{ValidTo: new(start.Add(-time.Hour))}, nil, nil},
		{lukasa.MemoryFilter{ValidTo: new(start.Add(time.Microsecond - time.Hour))}, []lukasa.Memory{m.works}, []lukasa.Memory{m.works}},
		{lukasa.MemoryFilter{Entities: []string{dave}, Slot: "lives_in", Subject: "Ada"}, []lukasa.Memory{m.lives}, []lukasa.Memory{m.lives}},
	} {
		for sc, want := range map[lukasa.Scope][]lukasa.Memory{m.sc: c.all, m.bound: c.within} {
			m.ok(m.View(m.ctx(), sc, func(r store.Reader) error {
				l := must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(c.f, lukasa.Page{}))
				if got := idsOf(l.Items, memID); !slices.Equal(idsOf(want, memID), got) || l.Total != len(want) {
					t.Errorf("case %d, bound to %q: %d of %d, want %d: %v", i, sc.Root, len(got), l.Total, len(want), idsOf(l.Items, memID))
				}
				for _, x := range want {
					if !store.TrueBetween(&x, c.f.ValidFrom, c.f.ValidTo) {
						t.Errorf("case %d: TrueBetween says otherwise of %s", i, x.Content)
					}
				}
				return nil
			}))
		}
	}
	m.ok(m.ViewAt(m.ctx(), m.sc, m.before, func(r store.Reader) error { // then there were no edges
		for _, f := range []lukasa.MemoryFilter{{Entities: []string{dave}}, {Relations: []string{"extends"}}, {Relations: []string{"relates_to"}}} {
			same(t, 0, must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(f, lukasa.Page{})).Total)
		}
		same(t, 1, must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(lukasa.MemoryFilter{Topics: []string{"moving"}}, lukasa.Page{})).Total)
		return nil
	}))
}

// testMarked holds what a search asks for in the place of such conditions to the same.
func testMarked(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	m := newMarked(t, open)
	dave := string(m.dave.ID)
	both := []lukasa.ID{m.a, m.b}
	for i, c := range []struct {
		nodes       []lukasa.ID
		m           store.Mark
		all, within []lukasa.ID
	}{
		{both, store.Mark{Entities: []string{dave}}, []lukasa.ID{m.far.ID, m.lives.ID, m.chunks[1].ID, m.doc.ID}, []lukasa.ID{m.lives.ID, m.chunks[1].ID, m.doc.ID}},
		{[]lukasa.ID{m.b}, store.Mark{Entities: []string{dave}}, []lukasa.ID{m.far.ID}, nil},
		{both, store.Mark{Entities: []string{dave}, Types: []lukasa.EdgeType{lukasa.EdgeReferences}}, []lukasa.ID{m.lives.ID}, []lukasa.ID{m.lives.ID}},
		{both, store.Mark{Entities: []string{"oslo"}}, []lukasa.ID{m.lives.ID}, []lukasa.ID{m.lives.ID}},
		{both, store.Mark{Types: []lukasa.EdgeType{lukasa.EdgeExtends}}, []lukasa.ID{m.far.ID, m.lives.ID}, nil},
		{both, store.Mark{Topics: []string{"moving"}}, []lukasa.ID{m.lives.ID, m.talk.ID}, []lukasa.ID{m.lives.ID, m.talk.ID}},
		{both, store.Mark{Topics: []string{"staff"}}, []lukasa.ID{m.works.ID, m.doc.ID}, []lukasa.ID{m.works.ID, m.doc.ID}},
	} {
		for sc, want := range map[lukasa.Scope][]lukasa.ID{m.sc: c.all, m.bound: c.within} {
			m.ok(m.View(m.ctx(), sc, func(r store.Reader) error {
				got := must[[]lukasa.ID](t)(r.Marked(c.nodes, c.m, 100))
				if slices.Sort(got); !slices.Equal(slices.Sorted(slices.Values(want)), got) {
					t.Errorf("case %d, bound to %q: %v, want %v", i, sc.Root, got, want)
				}
				return nil
			}))
		}
	}
	m.ok(m.View(m.ctx(), m.sc, func(r store.Reader) error {
		same(t, []lukasa.ID{m.far.ID}, must[[]lukasa.ID](t)(r.Marked(both, store.Mark{Entities: []string{dave}}, 1))) // the newest
		return nil
	}))
	m.ok(m.ViewAt(m.ctx(), m.sc, m.before, func(r store.Reader) error {
		same(t, 0, len(must[[]lukasa.ID](t)(r.Marked(both, store.Mark{Entities: []string{dave}}, 100))))
		return nil
	}))
}
