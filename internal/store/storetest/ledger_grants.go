package storetest

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// N-14: what the owner has granted, as it is kept.
var ledgerGrantCases = []testCase{
	{"a grant is listed until it ends", func(t *testing.T, w *world) {
		node := w.node("work")
		persona := w.id(lukasa.PrefixNode)
		until := start.Add(time.Hour)
		g := store.Grant{
			ID: w.id(lukasa.PrefixGrant), Subject: persona, Kind: "persona", Node: node, Path: "work", Access: store.AccessReadWrite, Grantor: w.owner,
			GrantedAt: start, ExpiresAt: &until,
		}
		w.ok(w.PutGrant(w.ctx(), w.owner, g))
		list := func(f store.GrantFilter) []store.Grant {
			t.Helper()
			l, err := w.Grants(w.ctx(), w.owner, f, lukasa.Page{})
			w.ok(err)
			if l.Total != len(l.Items) {
				t.Errorf("total %d of %d", l.Total, len(l.Items))
			}
			return l.Items
		}
		early, late := start, until
		same(t, []store.Grant{g}, list(store.GrantFilter{}))
		same(t, []store.Grant{g}, list(store.GrantFilter{ID: g.ID, Subject: persona, Node: node, Active: &early}))
		same(t, nil, list(store.GrantFilter{Active: &late})) // it ends at that moment, not after it
		same(t, nil, list(store.GrantFilter{Subject: node}))
		same(t, nil, list(store.GrantFilter{Node: persona}))
		for at, want := range map[time.Time]string{early: " work=read_write ", late: ""} {
			st, err := w.Standing(w.ctx(), w.owner, persona, at)
			w.ok(err)
			same(t, store.Standing{Granted: want}, st)
		}
		revoked, err := w.RevokeGrant(w.ctx(), w.owner, g.ID, early)
		w.ok(err)
		g.RevokedAt = &early
		same(t, g, revoked)
		revoked, err = w.RevokeGrant(w.ctx(), w.owner, g.ID, late) // a second time changes nothing
		w.ok(err)
		same(t, g, revoked)
		same(t, nil, list(store.GrantFilter{Active: &early}))
	}},
	{"the newest grant of a node counts", func(t *testing.T, w *world) {
		node := w.node("work")
		persona := w.node2("helper")
		for i, access := range []string{store.AccessReadWrite, store.AccessRead} {
			w.ok(w.PutGrant(w.ctx(), w.owner, store.Grant{
				ID: w.id(lukasa.PrefixGrant), Subject: persona, Node: node, Access: access, Grantor: w.owner, GrantedAt: start.Add(time.Duration(i) * time.Second),
			}))
		}
		st, err := w.Standing(w.ctx(), w.owner, persona, start.Add(time.Minute))
		w.ok(err)
		same(t, store.Standing{Root: "helper", Granted: " work=read "}, st)
		l, err := w.Grants(w.ctx(), w.owner, store.GrantFilter{}, lukasa.Page{Limit: 1})
		w.ok(err)
		if l.Total != 2 || l.Items[0].Access != store.AccessRead || l.Next == "" {
			t.Errorf("the first page: %+v", l)
		}
		l, err = w.Grants(w.ctx(), w.owner, store.GrantFilter{}, lukasa.Page{Limit: 1, Cursor: l.Next})
		w.ok(err)
		if len(l.Items) != 1 || l.Items[0].RevokedAt == nil || !l.Items[0].RevokedAt.Equal(start.Add(time.Second)) {
			t.Errorf("the second page: %+v", l)
		}
	}},
	{"what cannot be granted", func(_ *testing.T, w *world) {
		node := w.node("work")
		key := w.id(lukasa.PrefixKey)
		g := store.Grant{ID: w.id(lukasa.PrefixGrant), Subject: key, Node: node, Access: store.AccessReadWrite, Grantor: w.owner}
		w.fails(lukasa.CodeInvalid, w.PutGrant(w.ctx(), w.owner, g)) // third parties read
		g.Access = "own"
		w.fails(lukasa.CodeInvalid, w.PutGrant(w.ctx(), w.owner, g))
		g.Access = store.AccessRead
		stranger := w.id(lukasa.PrefixUser)
		w.fails(lukasa.CodeNotFound, w.PutGrant(w.ctx(), stranger, g)) // not theirs
		g.Node = w.id(lukasa.PrefixNode)
		w.fails(lukasa.CodeNotFound, w.PutGrant(w.ctx(), w.owner, g))
		_, err := w.RevokeGrant(w.ctx(), w.owner, w.id(lukasa.PrefixGrant), start)
		w.fails(lukasa.CodeNotFound, err)
	}},
	{"a grant goes with its node, its persona and its owner", func(t *testing.T, w *world) {
		node := w.node("work")
		persona := w.node2("helper")
		key := w.id(lukasa.PrefixKey)
		grant := func(subject, to lukasa.ID) {
			w.ok(w.PutGrant(w.ctx(), w.owner, store.Grant{ID: w.id(lukasa.PrefixGrant), Subject: subject, Node: to, Access: store.AccessRead, Grantor: w.owner}))
		}
		count := func() int {
			l, err := w.Grants(w.ctx(), w.owner, store.GrantFilter{}, lukasa.Page{})
			w.ok(err)
			return l.Total
		}
		remove := func(id lukasa.ID) {
			w.update(func(tx store.Tx) error { _, _, err := tx.DeleteNode(id); return err })
		}
		grant(persona, node)
		grant(key, node)
		grant(key, persona)
		remove(persona)
		if n := count(); n != 1 {
			t.Errorf("%d grants after the persona went, want 1", n)
		}
		_, _, err := w.DeleteUser(w.ctx(), w.owner)
		w.ok(err)
		if n := count(); n != 0 {
			t.Errorf("%d grants are left of an owner who went", n)
		}
	}},
	{"keys keep whom they stand for", func(t *testing.T, w *world) {
		persona := w.node("helper")
		for i, k := range []lukasa.Key{{Persona: persona}, {ThirdParty: true}} {
			k.ID, k.User, k.Name, k.Role, k.CreatedAt = w.id(lukasa.PrefixKey), w.owner, "k", lukasa.RoleUser, start
			w.ok(w.PutKey(w.ctx(), k, []byte{byte(i)}))
			got, _, err := w.KeyByHash(w.ctx(), []byte{byte(i)})
			w.ok(err)
			same(t, k, got)
			k.Name = "renamed"
			w.ok(w.PutKey(w.ctx(), k, nil))
			got, _, err = w.KeyByHash(w.ctx(), []byte{byte(i)})
			w.ok(err)
			same(t, k, got)
		}
	}},
}

// node2 makes another node below the root.
func (w *world) node2(p lukasa.Path) (id lukasa.ID) {
	w.t.Helper()
	w.update(func(tx store.Tx) error {
		id = w.id(lukasa.PrefixNode)
		return tx.PutNode(lukasa.Node{ID: id, Path: p, Type: lukasa.NodePersona})
	})
	return id
}
