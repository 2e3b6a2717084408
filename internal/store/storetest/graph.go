package storetest

import (
	"fmt"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

func entID(e lukasa.Entity) lukasa.ID { return e.ID }

func (w *world) entity(kind, name string, aliases ...string) lukasa.Entity {
	at := w.tick()
	return lukasa.Entity{ID: w.id(lukasa.PrefixEntity), Kind: kind, Name: name, Aliases: aliases, CreatedAt: at, UpdatedAt: at}
}

func mention(from, to lukasa.ID) lukasa.Edge {
	return lukasa.Edge{From: string(from), To: string(to), Type: lukasa.EdgeMentions, Weight: 1}
}

var graphCases = []testCase{
	{"Entities", func(t *testing.T, w *world) { // T-4, N-3
		node := w.node("work")
		d, _ := w.saved(node, "Dave met Émile", 1)
		m := w.memory(node, "Dave lives in Łódź")
		dave, emile, unseen := w.entity("person", "Dave", "David Jones"), w.entity("person", "Émile"), w.entity("place", "Nowhere")
		w.update(func(tx store.Tx) error {
			if err := tx.PutMemory(m); err != nil {
				return err
			}
			for _, e := range []lukasa.Entity{dave, emile, unseen} {
				if err := tx.PutEntity(e); err != nil {
					return err
				}
			}
			w.fails(lukasa.CodeConflict, tx.PutEntity(w.entity("person", "DAVE ")))
			w.fails(lukasa.CodeInvalid, tx.PutEntity(w.entity("person", " ")))
			return tx.PutEdges([]lukasa.Edge{mention(d.ID, dave.ID), mention(m.ID, dave.ID), mention(d.ID, emile.ID)})
		})
		dave.Mentions, emile.Mentions = 2, 1
		w.view(func(r store.Reader) {
			same(t, []lukasa.Entity{emile, dave}, must[[]lukasa.Entity](t)(r.EntitiesByID([]lukasa.ID{emile.ID, unseen.ID, dave.ID})))
			same(t, []lukasa.Entity{emile, dave}, must[[]lukasa.Entity](t)(r.EntitiesNamed([]string{" éMILE", "david jones", "Dave", "Nowhere"})))
			same(t, 0, len(must[[]lukasa.Entity](t)(r.EntitiesNamed([]string{"Dav", ""}))))
			for _, c := range []struct {
				kind, text string
				want       []lukasa.ID
			}{
				{"", "", []lukasa.ID{dave.ID, emile.ID}},
				{"person", "JONE", []lukasa.ID{dave.ID}},
				{"person", "É", []lukasa.ID{emile.ID}},
				{"place", "", nil},
			} {
				l := must[lukasa.Listing[lukasa.Entity]](t)(r.Entities(nil, c.kind, c.text, lukasa.Page{}))
				same(t, c.want, idsOf(l.Items, entID))
				same(t, len(c.want), l.Total)
			}
			l := must[lukasa.Listing[lukasa.Entity]](t)(r.Entities(nil, "", "", lukasa.Page{Limit: 1}))
			l = must[lukasa.Listing[lukasa.Entity]](t)(r.Entities(nil, "", "", lukasa.Page{Limit: 1, Cursor: l.Next}))
			same(t, []lukasa.ID{emile.ID}, idsOf(l.Items, entID))
		})
		dave.Name, dave.Aliases, dave.Kind = "Dave Jones", []string{"Dave"}, "author"
		home := w.node("home")
		w.update(func(tx store.Tx) error {
			return sqlrows.All(func() error { return tx.PutEntity(dave) }, func() error { return tx.PutEdges([]lukasa.Edge{mention(home, emile.ID)}) })
		})
		w.view(func(r store.Reader) {
			for in, want := range map[lukasa.Path][]lukasa.Entity{"home": {emile}, "work": {dave, emile}, "none": {}} { // as often as there
				l := must[lukasa.Listing[lukasa.Entity]](t)(r.Entities([]lukasa.Pattern{{Path: in}}, "", "", lukasa.Page{}))
				same(t, want, l.Items)
			}
			same(t, []lukasa.Entity{dave}, must[[]lukasa.Entity](t)(r.EntitiesNamed([]string{"dave jones", "dave"})))
			same(t, 0, len(must[[]lukasa.Entity](t)(r.EntitiesNamed([]string{"david jones"}))))
		})
		w.healthy()
	}},
	{"Edges", func(t *testing.T, w *world) { // D-4, M-10
		node := w.node("work")
		a, _ := w.saved(node, "a", 1)
		b, _ := w.saved(node, "b", 1)
		c, ms, _ := w.dialogue(node, "talk", 1)
		m := w.memory(node, "fact")
		w.update(func(tx store.Tx) error { return tx.PutMemory(m) })
		edge := func(from, to lukasa.ID, kind lukasa.EdgeType, weight float64) lukasa.Edge {
			return lukasa.Edge{From: string(from), To: string(to), Type: kind, Weight: weight, Confidence: 0.5, Metadata: map[string]any{"why": "x"}, CreatedAt: w.tick()}
		}
		e1, e2 := edge(a.ID, b.ID, lukasa.EdgeRelatesTo, 0.5), edge(m.ID, a.ID, lukasa.EdgeDerives, 0.75)
		e3, e4 := edge(node, ms[0].ID, lukasa.EdgeContains, 0.25), edge(c.ID, a.ID, lukasa.EdgeReferences, 0.1)
		w.update(func(tx store.Tx) error {
			if err := tx.PutEdges([]lukasa.Edge{e1, e2, e3, e4}); err != nil {
				return err
			}
			return tx.PutEdges([]lukasa.Edge{e1})
		})
		read := func(limit int, types []lukasa.EdgeType, of ...lukasa.ID) (list []lukasa.Edge) {
			w.view(func(r store.Reader) { list = must[[]lukasa.Edge](t)(r.Edges(of, types, limit)) })
			return list
		}
		same(t, []lukasa.Edge{e2, e1, e4}, read(10, nil, a.ID))
		same(t, []lukasa.Edge{e2}, read(1, nil, a.ID))
		same(t, []lukasa.Edge{e1, e4}, read(10, []lukasa.EdgeType{lukasa.EdgeRelatesTo, lukasa.EdgeReferences}, a.ID, b.ID))
		same(t, []lukasa.Edge{e3}, read(10, nil, node))
		same(t, 0, len(read(10, nil)))
		again := e1
		again.Weight, again.Metadata, again.CreatedAt = 0.9, nil, w.tick() // it keeps its time
		w.update(func(tx store.Tx) error { return tx.PutEdges([]lukasa.Edge{again}) })
		again.CreatedAt = e1.CreatedAt
		same(t, []lukasa.Edge{again, e2, e4}, read(10, nil, a.ID))
		for _, bad := range []struct {
			e    lukasa.Edge
			code lukasa.Code
		}{
			{edge(a.ID, "doc_none", lukasa.EdgeRelatesTo, 1), lukasa.CodeNotFound},
			{edge("ent_none", a.ID, lukasa.EdgeRelatesTo, 1), lukasa.CodeNotFound},
			{edge(a.ID, "chk_x", lukasa.EdgeRelatesTo, 1), lukasa.CodeInvalid},
			{edge(a.ID, b.ID, "", 1), lukasa.CodeInvalid},
		} {
			w.fails(bad.code, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.PutEdges([]lukasa.Edge{bad.e}) }))
		}
		w.update(func(tx store.Tx) error { return tx.DeleteEdges(a.ID, lukasa.EdgeReferences) })
		same(t, 3, len(read(10, nil, a.ID)))
		w.update(func(tx store.Tx) error { return tx.DeleteEdges(a.ID) }) // those that begin there
		same(t, []lukasa.Edge{e2, e4}, read(10, nil, a.ID))
		w.update(func(tx store.Tx) error {
			gone, _, err := tx.DeleteDocument(a.ID)
			same(t, 2, gone.Edges)
			return err
		})
		w.update(func(tx store.Tx) error { return tx.DeleteMessage(ms[0].ID) })
		same(t, 0, len(read(10, nil, a.ID, m.ID, c.ID, node)))
		w.healthy()
	}},
	{"AnEntityGoesWithItsLastMention", func(t *testing.T, w *world) {
		node := w.node("work")
		a, _ := w.saved(node, "a", 1)
		b, _ := w.saved(node, "b", 1)
		dave, anna := w.entity("person", "Dave"), w.entity("person", "Anna")
		w.update(func(tx store.Tx) error {
			for _, e := range []lukasa.Entity{dave, anna} {
				if err := tx.PutEntity(e); err != nil {
					return err
				}
			}
			return tx.PutEdges([]lukasa.Edge{
				mention(a.ID, dave.ID), mention(b.ID, dave.ID), mention(a.ID, anna.ID),
				{From: string(dave.ID), To: string(anna.ID), Type: lukasa.EdgeRelatesTo, Weight: 1},
			})
		})
		names := func() (n int) {
			w.view(func(r store.Reader) { n = len(must[[]lukasa.Entity](t)(r.EntitiesNamed([]string{"dave", "anna"}))) })
			return n
		}
		w.update(func(tx store.Tx) error {
			w.tick()
			return tx.DeleteEdges(a.ID, lukasa.EdgeRelatesTo) // none
		})
		same(t, 2, names())
		w.update(func(tx store.Tx) error {
			gone, _, err := tx.DeleteDocument(a.ID)
			same(t, [2]int{3, 1}, [2]int{gone.Edges, gone.Entities}) // Anna, with the edge to her
			return err
		})
		same(t, 1, names())
		w.tick()
		w.update(func(tx store.Tx) error { return tx.DeleteEdges(b.ID) })
		same(t, 0, names())
		other := w.entity("person", "dave") // the name is free again
		w.update(func(tx store.Tx) error {
			if err := tx.PutEntity(other); err != nil {
				return err
			}
			return tx.PutEdges([]lukasa.Edge{mention(b.ID, other.ID)})
		})
		eve := w.entity("person", "Eve")
		w.update(func(tx store.Tx) error {
			if err := tx.PutEntity(eve); err != nil {
				return err
			}
			return tx.PutEdges([]lukasa.Edge{mention(b.ID, eve.ID), {From: string(eve.ID), To: string(other.ID), Type: lukasa.EdgeRelatesTo}})
		})
		w.tick()
		w.update(func(tx store.Tx) error { return tx.DeleteEdges(b.ID) })
		w.tick()
		w.update(func(tx store.Tx) error { // they come back without what led from one to the other
			for _, e := range []lukasa.Entity{eve, other} {
				if err := tx.PutEntity(e); err != nil {
					return err
				}
			}
			return tx.PutEdges([]lukasa.Edge{mention(b.ID, eve.ID), mention(b.ID, other.ID)})
		})
		w.view(func(r store.Reader) {
			same(t, 1, len(must[[]lukasa.Edge](t)(r.Edges([]lukasa.ID{eve.ID}, nil, 10))))
			same(t, []lukasa.ID{other.ID}, idsOf(must[[]lukasa.Entity](t)(r.EntitiesNamed([]string{"Dave"})), entID))
		})
		w.healthy()
	}},
	{"SeenThroughWhatIsSeen", func(t *testing.T, w *world) { // N-14
		in, out := w.node("in"), w.node("out")
		a, _ := w.saved(in, "a", 1)
		b, _ := w.saved(out, "b", 1)
		dave, secret := w.entity("person", "Dave"), w.entity("person", "Secret")
		w.update(func(tx store.Tx) error {
			for _, e := range []lukasa.Entity{dave, secret} {
				if err := tx.PutEntity(e); err != nil {
					return err
				}
			}
			return tx.PutEdges([]lukasa.Edge{
				mention(a.ID, dave.ID), mention(b.ID, dave.ID), mention(b.ID, secret.ID),
				{From: string(a.ID), To: string(b.ID), Type: lukasa.EdgeRelatesTo, Weight: 9},
				{From: string(dave.ID), To: string(secret.ID), Type: lukasa.EdgeRelatesTo, Weight: 8},
			})
		})
		sc := w.under("in")
		check := func(r store.Reader) error {
			es := must[[]lukasa.Entity](t)(r.EntitiesNamed([]string{"dave", "secret"}))
			same(t, []lukasa.ID{dave.ID}, idsOf(es, entID))
			same(t, 1, es[0].Mentions)
			same(t, 1, must[lukasa.Listing[lukasa.Entity]](t)(r.Entities(nil, "", "", lukasa.Page{})).Total)
			edges := must[[]lukasa.Edge](t)(r.Edges([]lukasa.ID{a.ID, b.ID, a.ID, dave.ID, secret.ID}, nil, 10))
			same(t, 1, len(edges))
			same(t, string(a.ID), edges[0].From)
			return nil
		}
		w.ok(w.View(w.ctx(), sc, check))
		w.ok(w.ViewAt(w.ctx(), sc, w.clock(), check))
		for name, fn := range map[string]func(store.Tx) error{
			"PutEntity":     func(tx store.Tx) error { e := secret; e.Name = "taken"; return tx.PutEntity(e) },
			"PutEdges to":   func(tx store.Tx) error { return tx.PutEdges([]lukasa.Edge{mention(a.ID, secret.ID)}) },
			"PutEdges from": func(tx store.Tx) error { return tx.PutEdges([]lukasa.Edge{mention(b.ID, dave.ID)}) },
			"DeleteEdges":   func(tx store.Tx) error { return tx.DeleteEdges(b.ID) },
		} {
			if err := w.Update(w.ctx(), sc, fn); lukasa.CodeOf(err) != lukasa.CodeNotFound {
				t.Errorf("%s: %v, want not_found", name, err)
			}
		}
		w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error { return tx.DeleteEdges(a.ID, lukasa.EdgeRelatesTo) })) // the other end is not seen
		w.view(func(r store.Reader) {
			same(t, 5, len(must[[]lukasa.Edge](t)(r.Edges([]lukasa.ID{a.ID, b.ID, dave.ID, secret.ID}, nil, 10))))
			n := must[[]lukasa.Entity](t)(r.EntitiesByID([]lukasa.ID{dave.ID}))[0].Mentions
			same(t, 2, n)
		})
	}},
	{"ManyMentions", func(t *testing.T, w *world) {
		node := w.node("work")
		dave := w.entity("person", "Dave")
		w.update(func(tx store.Tx) error { return tx.PutEntity(dave) })
		for i := range 20 {
			d, _ := w.saved(node, fmt.Sprint("text", i), 1)
			w.update(func(tx store.Tx) error { return tx.PutEdges([]lukasa.Edge{mention(d.ID, dave.ID)}) })
		}
		w.update(func(tx store.Tx) error {
			gone, _, err := tx.DeleteNode(node)
			same(t, [2]int{20, 1}, [2]int{gone.Edges, gone.Entities})
			return err
		})
		w.healthy()
	}},
}
