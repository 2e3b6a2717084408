package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

var accountCases = []testCase{
	{"Users", func(t *testing.T, w *world) {
		u := lukasa.User{ID: w.id(lukasa.PrefixUser), Name: "Grace", Email: "g@example.org", ExternalID: "x-1", Role: lukasa.RoleAdmin, Settings: map[string]any{"zone": "UTC"}, CreatedAt: start.Add(1000)}
		w.ok(w.PutUser(w.ctx(), u, []byte("wrapped 2")))
		same(t, u, must[lukasa.User](t)(w.User(w.ctx(), u.ID)))
		users := must[[]lukasa.User](t)(w.Users(w.ctx()))
		same(t, [2]string{"Ada", "Grace"}, [2]string{users[0].Name, users[1].Name})
		u.Name, u.Settings = "Hopper", nil
		w.ok(w.PutUser(w.ctx(), u, []byte("another"))) // the owner is there: its key stays
		same(t, u, must[lukasa.User](t)(w.User(w.ctx(), u.ID)))
		same(t, []byte("wrapped 2"), must[[]byte](t)(w.OwnerKey(w.ctx(), u.ID)))
		_, err := w.User(w.ctx(), "usr_none")
		w.fails(lukasa.CodeNotFound, err)
		refuse := lukasa.Errorf(lukasa.CodeForbidden, "no")
		_, err = w.ChangeUser(w.ctx(), u.ID, func(is *lukasa.User) error { is.Name = "Nobody"; return refuse })
		w.fails(lukasa.CodeForbidden, err)
		changed := must[lukasa.User](t)(w.ChangeUser(w.ctx(), u.ID, func(is *lukasa.User) error {
			same(t, u, *is)
			is.Settings, is.Email = map[string]any{"zone": "CET"}, "h@example.org"
			return nil
		}))
		same(t, [2]any{"Hopper", "CET"}, [2]any{changed.Name, changed.Settings["zone"]})
		same(t, changed, must[lukasa.User](t)(w.User(w.ctx(), u.ID)))
		_, err = w.ChangeUser(w.ctx(), "usr_none", func(*lukasa.User) error { return nil }) // who is gone does not come back
		w.fails(lukasa.CodeNotFound, err)
		_, err = w.User(w.ctx(), "usr_none")
		w.fails(lukasa.CodeNotFound, err)
		_, err = w.OwnerKey(w.ctx(), "usr_none")
		w.fails(lukasa.CodeNotFound, err)
	}},
	{"Keys", func(t *testing.T, w *world) { // H-27
		k := lukasa.Key{
			ID: w.id(lukasa.PrefixKey), User: w.owner, Name: "laptop", Hint: "lk_ab", Role: lukasa.RoleUser, Root: "work", ReadOnly: true, Unlimited: true,
			CreatedAt: start, ExpiresAt: new(start.Add(time.Hour)),
		}
		w.ok(w.PutKey(w.ctx(), k, []byte{0, 1, 2}))
		got, u, err := w.KeyByHash(w.ctx(), []byte{0, 1, 2})
		w.ok(err)
		same(t, k, got)
		same(t, w.owner, u.ID)
		k.RevokedAt, k.LastUsedAt = new(start), new(start)
		w.ok(w.PutKey(w.ctx(), k, nil)) // keeps its hash
		got, _, err = w.KeyByHash(w.ctx(), []byte{0, 1, 2})
		w.ok(err) // auth decides what a revoked key means
		same(t, k, got)
		same(t, []lukasa.Key{k}, must[[]lukasa.Key](t)(w.Keys(w.ctx(), w.owner)))
		same(t, []lukasa.Key{k}, must[[]lukasa.Key](t)(w.Keys(w.ctx(), "")))
		same(t, 0, len(must[[]lukasa.Key](t)(w.Keys(w.ctx(), "usr_none"))))
		for _, hash := range [][]byte{{0, 1}, {}, nil} {
			_, _, err = w.KeyByHash(w.ctx(), hash)
			w.fails(lukasa.CodeNotFound, err)
		}
		k.ID = w.id(lukasa.PrefixKey)
		w.fails(lukasa.CodeConflict, w.PutKey(w.ctx(), k, []byte{0, 1, 2}))
		w.fails(lukasa.CodeInvalid, w.PutKey(w.ctx(), k, nil))
		k.User = "usr_none"
		w.fails(lukasa.CodeNotFound, w.PutKey(w.ctx(), k, []byte{9}))
	}},
	{"a key follows the container that it is bound to, and ends with it", func(t *testing.T, w *world) {
		node := w.node("work")
		below, beside := w.node2("work.acme"), w.node2("workshop")
		for i, root := range []lukasa.Path{"work", "work.acme", "workshop", ""} {
			w.ok(w.PutKey(w.ctx(), lukasa.Key{ID: w.id(lukasa.PrefixKey), User: w.owner, Name: string(root), Role: lukasa.RoleUser, Root: root, CreatedAt: start}, []byte{byte(i)}))
		}
		shown := func() (list []string) {
			t.Helper()
			for _, k := range must[[]lukasa.Key](t)(w.Keys(w.ctx(), w.owner)) {
				list = append(list, fmt.Sprintf("%s at %s, ended %v", k.Name, k.Root, k.RevokedAt != nil))
			}
			slices.Sort(list)
			return list
		}
		w.update(func(tx store.Tx) error { return tx.PutNode(lukasa.Node{ID: node, Path: "workshop.old"}) })
		same(t, []string{" at , ended false", "work at workshop.old, ended false", "work.acme at workshop.old.acme, ended false", "workshop at workshop, ended false"}, shown())
		w.update(func(tx store.Tx) error { return tx.PutNode(lukasa.Node{ID: node, Path: "work"}) })
		w.update(func(tx store.Tx) error { _, _, err := tx.DeleteNode(below); return err })
		same(t, []string{" at , ended false", "work at work, ended false", "work.acme at work.acme, ended true", "workshop at workshop, ended false"}, shown())
		w.update(func(tx store.Tx) error { _, _, err := tx.DeleteNode(node); return err })
		w.node2("work") // another place
		same(t, []string{" at , ended false", "work at work, ended true", "work.acme at work.acme, ended true", "workshop at workshop, ended false"}, shown())
		w.update(func(tx store.Tx) error { _, _, err := tx.DeleteNode(beside); return err })
		same(t, []string{" at , ended false", "work at work, ended true", "work.acme at work.acme, ended true", "workshop at workshop, ended true"}, shown())
	}},
	{"what is forgotten goes with its source", func(t *testing.T, w *world) {
		node := w.node("work")
		d := lukasa.Document{ID: w.id(lukasa.PrefixDocument), Node: node, Content: "text", Status: lukasa.StatusDone, Version: 1, IsLatest: true}
		w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
		told := []lukasa.Source{{Document: d.ID, End: 4}, {Message: w.id(lukasa.PrefixMessage), End: 4}} // the message is gone already
		w.ok(store.Forget(w.ctx(), w, told))
		w.ok(w.SetSetting(w.ctx(), "forgot", "another thing"))
		user := w.id(lukasa.PrefixUser)
		w.ok(w.PutUser(w.ctx(), lukasa.User{ID: user, Name: "Bob"}, nil))
		memory := store.OfMemory(user, w.id(lukasa.PrefixMemory)) // which is gone; what is noted of it goes with its owner alone
		w.ok(store.Forget(w.ctx(), w, []lukasa.Source{memory}))
		noted := func() int {
			return len(must[store.Forgotten](t)(store.ForgottenOf(w.ctx(), w, store.SourceOf(memory))))
		}
		left := func() (n int) {
			t.Helper()
			for _, s := range told {
				n += len(must[store.Forgotten](t)(store.ForgottenOf(w.ctx(), w, store.SourceOf(s))))
			}
			return n
		}
		same(t, 2, left())
		same(t, 1, must[int64](t)(w.DropForgotten(w.ctx())))
		same(t, 1, left())
		w.update(func(tx store.Tx) error { _, _, err := tx.DeleteDocument(d.ID); return err })
		same(t, 1, must[int64](t)(w.DropForgotten(w.ctx())))
		same(t, 0, left())
		same(t, 1, noted())
		_, _, err := w.DeleteUser(w.ctx(), user)
		w.ok(err)
		same(t, 1, must[int64](t)(w.DropForgotten(w.ctx())))
		same(t, 0, noted())
		same(t, "another thing", must[string](t)(w.Setting(w.ctx(), "forgot")))
	}},
}

var actCases = []testCase{
	{"Log", func(t *testing.T, w *world) { // T-14
		other := w.id(lukasa.PrefixUser)
		w.ok(w.PutUser(w.ctx(), lukasa.User{ID: other, Name: "Bob"}, nil))
		var all []store.Audit
		for i, a := range []store.Audit{
			{Owner: w.owner, Actor: w.owner, Action: "key.create", Resource: "key_1", Details: map[string]any{"name": "laptop"}, Address: "10.0.0.1"},
			{Owner: w.owner, Actor: "usr_admin", Action: "document.delete", Resource: "doc_1"},
			{Owner: other, Actor: other, Action: "key.create", Resource: "key_2"},
		} {
			a.At = start.Add(time.Duration(i) * time.Second)
			w.ok(w.Audit(w.ctx(), a))
			all = append([]store.Audit{a}, all...)
		}
		log := func(owner lukasa.ID, action string, p lukasa.Page) lukasa.Listing[store.Audit] {
			return must[lukasa.Listing[store.Audit]](t)(w.AuditLog(w.ctx(), owner, action, p))
		}
		same(t, all, log("", "", lukasa.Page{}).Items)
		same(t, all[1:], log(w.owner, "", lukasa.Page{}).Items)
		same(t, []store.Audit{all[0], all[2]}, log("", "key.create", lukasa.Page{}).Items)
		first := log("", "", lukasa.Page{Limit: 2})
		same(t, 3, first.Total)
		same(t, all[2:], log("", "", lukasa.Page{Limit: 2, Cursor: first.Next}).Items)
		w.fails(lukasa.CodeInvalid, w.Audit(w.ctx(), store.Audit{Owner: w.owner}))
		_, err := w.AuditLog(w.ctx(), "", "", lukasa.Page{Cursor: "nonsense"})
		w.fails(lukasa.CodeInvalid, err)
		w.ok(w.Audit(w.ctx(), store.Audit{Owner: w.owner, Action: "x"}))
		same(t, w.clock(), log(w.owner, "x", lukasa.Page{}).Items[0].At)
	}},
}
