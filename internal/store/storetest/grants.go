package storetest

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// grantee is the scope of a persona with a container of its own, or of a third party for an empty path, as it stands now.
func (w *world) grantee(root lukasa.Path, id lukasa.ID) lukasa.Scope {
	st, err := w.Standing(w.ctx(), w.owner, id, w.clock())
	w.ok(err)
	sc := w.under(root)
	sc.Grantee, sc.Granted = id, st.Granted
	if root == "" {
		sc.Root, sc.ReadOnly = "!", true
	}
	return sc
}

func (w *world) grant(to, node lukasa.ID, access string, until *time.Time) lukasa.ID {
	g := store.Grant{ID: w.id(lukasa.PrefixGrant), Subject: to, Node: node, Access: access, Grantor: w.owner, ExpiresAt: until}
	w.ok(w.PutGrant(w.ctx(), w.owner, g))
	return g.ID
}

// beside is a scope that was granted what stands above and below something, and not that.
func (w *world) beside(who, above, below lukasa.ID, root lukasa.Path) lukasa.Scope {
	w.grant(who, above, store.AccessRead, nil)
	w.grant(who, below, store.AccessRead, nil)
	return w.grantee(root, who)
}

var grantCases = []testCase{
	{"AGrantIsToOneNode", func(t *testing.T, w *world) { // N-14: no cascade
		s := w.secrets("work.acme")
		own := w.node("agent")
		above, below := w.node("work"), w.node("work.acme.below")
		for _, root := range []lukasa.Path{"agent", ""} {
			who := own
			if root == "" {
				who = w.id(lukasa.PrefixKey)
			}
			sc := w.beside(who, above, below, root)
			w.blind(t, sc, s, "work.acme")
			w.powerless(t, sc, s, own, "work.acme")
			w.untouched(t, s)
			w.viewAs(sc, func(r store.Reader) {
				same(t, above, must[lukasa.Node](t)(r.NodeAt("work")).ID)
				must[lukasa.Node](t)(r.NodeAt("work.acme.below"))
				_, err := r.NodeAt("")
				w.fails(lukasa.CodeNotFound, err)
			})
		}
	}},
	{"AGrantToReadIsNoneToWrite", func(t *testing.T, w *world) { // N-14: 403 only for what one can see
		s := w.secrets("work.acme")
		own := w.node("agent")
		w.grant(own, s.node, store.AccessRead, nil)
		sc := w.grantee("agent", own)
		w.viewAs(sc, func(r store.Reader) {
			same(t, s.doc.ID, must[lukasa.Document](t)(r.Document(s.doc.ID)).ID)
			same(t, s.mem.ID, must[lukasa.Memory](t)(r.Memory(s.mem.ID)).ID)
			same(t, s.ent.Name, must[[]lukasa.Entity](t)(r.EntitiesByID([]lukasa.ID{s.ent.ID}))[0].Name)
			same(t, 1, must[lukasa.Stats](t)(r.Stats()).Documents)
			same(t, []lukasa.ID{"agent", "work.acme"}, idsOf(must[[]lukasa.Node](t)(r.Nodes(nil, true)), nodePath))
		})
		for name, fn := range w.attempts(s, own, "work.acme") {
			switch name {
			case "PutEntity", "PutEdges entity": // it is seen, so its names may be used; the record that says them is not touched
				continue
			}
			if err := w.Update(w.ctx(), sc, fn); lukasa.CodeOf(err) != lukasa.CodeForbidden {
				t.Errorf("%s: %v, want forbidden", name, err)
			}
		}
		w.untouched(t, s)
	}},
	{"AGrantEndsInTheNextCall", func(t *testing.T, w *world) { // N-14: revocation and expiry, with a scope that was made before
		s := w.secrets("work.acme")
		own := w.node("agent")
		until := time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC) // a database judges by its own clock too
		revoked := w.grant(own, s.node, store.AccessReadWrite, nil)
		for _, end := range []func(){
			func() {
				_, err := w.RevokeGrant(w.ctx(), w.owner, revoked, w.clock())
				w.ok(err)
			},
			func() {
				w.mu.Lock()
				w.now = until
				w.mu.Unlock()
			},
		} {
			stale := w.grantee("agent", own)
			w.viewAs(stale, func(r store.Reader) { must[lukasa.Document](t)(r.Document(s.doc.ID)) })
			then := w.clock()
			end()
			w.blind(t, stale, s, "work.acme")
			w.fails(lukasa.CodeNotFound, w.ViewAt(w.ctx(), stale, then, func(r store.Reader) error { _, err := r.Document(s.doc.ID); return err }))
			fresh := w.grantee("agent", own)
			w.powerless(t, fresh, s, own, "work.acme")
			w.untouched(t, s)
			w.grant(own, s.node, store.AccessReadWrite, &until) // for the second round
		}
	}},
	{"AGrantToWriteIsNoneToShape", func(t *testing.T, w *world) {
		s := w.secrets("work.acme")
		own := w.node("agent")
		w.grant(own, s.node, store.AccessReadWrite, nil)
		sc := w.grantee("agent", own)
		write := func(fn func(store.Tx) error) error { return w.Update(w.ctx(), sc, fn) }
		x := w.doc(s.node, "more")
		w.ok(write(func(tx store.Tx) error { return put(tx, x, w.chunks(x, 1)) }))
		w.ok(write(func(tx store.Tx) error { return tx.PutMemory(w.memory(s.node, "written by a persona")) }))
		w.ok(write(func(tx store.Tx) error {
			return tx.PutEdges([]lukasa.Edge{{From: string(x.ID), To: string(s.doc.ID), Type: lukasa.EdgeReferences}})
		}))
		y := w.memory(s.node, "by whom")
		w.ok(write(func(tx store.Tx) error { return tx.PutMemory(y) }))
		same(t, string(own), w.history(y.ID)[0].Author) // N-10
		for name, fn := range map[string]func(store.Tx) error{
			"DeleteNode": func(tx store.Tx) error { _, _, err := tx.DeleteNode(s.node); return err },
			"move":       func(tx store.Tx) error { return tx.PutNode(lukasa.Node{ID: s.node, Path: "agent.acme"}) },
		} {
			if err := write(fn); lukasa.CodeOf(err) != lukasa.CodeForbidden {
				t.Errorf("%s: %v, want forbidden", name, err)
			}
		}
		for _, p := range []lukasa.Path{"work.acme.below", "work.other"} {
			w.fails(lukasa.CodeNotFound, write(func(tx store.Tx) error { return tx.PutNode(lukasa.Node{ID: w.id(lukasa.PrefixNode), Path: p}) }))
		}
		w.healthy()
	}},
}
