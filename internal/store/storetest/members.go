package storetest

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// company is an organisation with users who may become its members.
type company struct {
	*world
	org, ada, bob, eve lukasa.ID
}

func newCompany(w *world) *company {
	c := &company{world: w, org: w.id(store.PrefixOrganisation), ada: w.owner, bob: w.id(lukasa.PrefixUser), eve: w.id(lukasa.PrefixUser)}
	for id, name := range map[lukasa.ID]string{c.org: "Acme", c.bob: "Bob", c.eve: "Eve"} {
		w.ok(w.PutUser(w.ctx(), lukasa.User{ID: id, Name: name, Role: lukasa.RoleUser, CreatedAt: start}, []byte("wrapped "+name)))
	}
	return c
}

func (c *company) put(user lukasa.ID, role string) error {
	return c.PutMember(c.ctx(), store.Member{Org: c.org, User: user, Role: role, AddedBy: c.ada, AddedAt: c.clock()})
}

func (c *company) roles() map[string]string {
	c.t.Helper()
	got := map[string]string{}
	for _, m := range must[[]store.Member](c.t)(c.Members(c.ctx(), c.org)) {
		got[m.Name] = m.Role
	}
	return got
}

// key puts a key, of an organisation's member where it names one.
func (c *company) key(k lukasa.Key, hash byte) lukasa.Key {
	c.t.Helper()
	k.ID, k.Name, k.Role, k.CreatedAt = c.id(lukasa.PrefixKey), "k", lukasa.RoleUser, start
	c.ok(c.PutKey(c.ctx(), k, []byte{hash, 7}))
	return k
}

// trash puts a user or an organisation into the trash, or takes it out.
func (c *company) trash(id lukasa.ID, in bool) {
	c.t.Helper()
	u := must[lukasa.User](c.t)(c.User(c.ctx(), id))
	if u.Settings = nil; in {
		u.Settings = map[string]any{"deleted_at": "2026-05-01T10:00:00Z"}
	}
	c.ok(c.PutUser(c.ctx(), u, nil))
}

var memberCases = []testCase{
	{"a member is listed with names, and has one role", func(t *testing.T, w *world) {
		c := newCompany(w)
		w.ok(c.put(c.ada, store.MemberOwner))
		w.ok(c.put(c.eve, store.MemberViewer))
		w.ok(c.put(c.bob, store.MemberViewer))
		added := c.clock()
		w.id(lukasa.PrefixKey)
		w.mu.Lock()
		w.now = w.now.Add(time.Minute)
		w.mu.Unlock()
		w.ok(c.put(c.bob, store.MemberAdmin))
		bob := store.Member{Org: c.org, OrgName: "Acme", User: c.bob, Name: "Bob", Role: store.MemberAdmin, AddedBy: c.ada, AddedAt: added, ChangedAt: c.clock()}
		same(t, bob, must[store.Member](t)(w.Member(w.ctx(), c.org, c.bob)))
		same(t, []store.Member{bob}, must[[]store.Member](t)(w.Memberships(w.ctx(), c.bob)))
		var order []string
		for _, m := range must[[]store.Member](t)(w.Members(w.ctx(), "")) {
			order = append(order, m.Name+" "+m.Role)
		}
		same(t, []string{"Ada owner", "Bob admin", "Eve viewer"}, order)
		_, err := w.Member(w.ctx(), c.org, w.id(lukasa.PrefixUser))
		w.fails(lukasa.CodeNotFound, err)
		w.fails(lukasa.CodeInvalid, c.put(c.eve, "boss"))
		w.fails(lukasa.CodeNotFound, c.put(w.id(lukasa.PrefixUser), store.MemberPlain))
		w.fails(lukasa.CodeNotFound, c.put(c.org, store.MemberPlain)) // no user
		w.fails(lukasa.CodeNotFound, w.PutMember(w.ctx(), store.Member{Org: c.eve, User: c.bob, Role: store.MemberPlain}))
		_, err = w.RemoveMember(w.ctx(), c.org, w.id(lukasa.PrefixUser), start)
		w.fails(lukasa.CodeNotFound, err)
	}},
	{"the last owner stays", func(t *testing.T, w *world) {
		c := newCompany(w)
		w.ok(c.put(c.ada, store.MemberOwner))
		w.ok(c.put(c.bob, store.MemberPlain))
		remove := func(user lukasa.ID) error {
			_, err := w.RemoveMember(w.ctx(), c.org, user, start)
			return err
		}
		w.fails(lukasa.CodeConflict, c.put(c.ada, store.MemberAdmin))
		w.fails(lukasa.CodeConflict, remove(c.ada))
		w.ok(c.put(c.bob, store.MemberOwner))
		c.trash(c.bob, true) // who may come back, or not
		w.fails(lukasa.CodeConflict, remove(c.ada))
		if m := must[store.Member](t)(w.Member(w.ctx(), c.org, c.bob)); !m.Gone {
			t.Error("a user in the trash is a member who can do something")
		}
		c.trash(c.bob, false)
		// Of two owners who leave at once, one stays.
		done := make(chan error, 2)
		for _, user := range []lukasa.ID{c.ada, c.bob} {
			go func() { done <- remove(user) }()
		}
		one, two := <-done, <-done
		if (one == nil) == (two == nil) {
			t.Errorf("two owners left at once: %v, %v; they are %v", one, two, c.roles())
		}
		if len(c.roles()) != 1 {
			t.Errorf("left: %v", c.roles())
		}
	}},
	{"a key to an organisation opens as long as its member is one", func(t *testing.T, w *world) {
		c := newCompany(w)
		w.ok(c.put(c.ada, store.MemberOwner))
		w.ok(c.put(c.bob, store.MemberPlain))
		k := c.key(lukasa.Key{User: c.bob, Org: c.org, Root: "work"}, 1)
		got, u, err := w.KeyByHash(w.ctx(), []byte{1, 7})
		w.ok(err)
		same(t, k, got)
		same(t, c.bob, u.ID)
		same(t, []lukasa.Key{k}, must[[]lukasa.Key](t)(w.Keys(w.ctx(), c.org)))
		same(t, 0, len(must[[]lukasa.Key](t)(w.Keys(w.ctx(), c.bob)))) // not to his own records
		own, adas := c.key(lukasa.Key{User: c.bob}, 2), c.key(lukasa.Key{User: c.ada, Org: c.org}, 3)
		brief := c.key(lukasa.Key{User: c.bob, ExpiresAt: new(start.Add(time.Hour))}, 4)
		valid := func(at time.Time) (names string) {
			t.Helper()
			ask := []store.OwnedKey{{Owner: c.org, Key: k.ID, Root: "work"}, {Owner: c.bob, Key: own.ID}, {Owner: c.org, Key: adas.ID}, {Owner: c.bob, Key: brief.ID}, {Owner: c.eve, Key: "key_none"}}
			m := must[map[lukasa.ID]bool](t)(w.Valid(w.ctx(), ask, at))
			for i, a := range ask {
				if m[a.Key] {
					names += string(rune('a' + i))
				}
			}
			return names
		}
		same(t, "abcd", valid(start))
		moved := store.OwnedKey{Owner: c.org, Key: k.ID, Root: "elsewhere"} // it was bound to another place when its scope was made
		same(t, 0, len(must[map[lukasa.ID]bool](t)(w.Valid(w.ctx(), []store.OwnedKey{moved}, start))))
		same(t, "abc", valid(start.Add(time.Hour)))
		c.trash(c.bob, true)
		same(t, "c", valid(start))
		c.trash(c.bob, false)
		c.trash(c.org, true)
		same(t, "bd", valid(start))
		c.trash(c.org, false)
		m := must[store.Member](t)(w.RemoveMember(w.ctx(), c.org, c.bob, start.Add(time.Minute)))
		same(t, store.MemberPlain, m.Role)
		same(t, "bcd", valid(start))
		got, _, err = w.KeyByHash(w.ctx(), []byte{1, 7})
		w.ok(err)
		same(t, new(start.Add(time.Minute)), got.RevokedAt) // coming back does not open it again
		own.RevokedAt = new(start)
		w.ok(w.PutKey(w.ctx(), own, nil))
		own.RevokedAt = nil // as who read it before knows it
		w.ok(w.UseKey(w.ctx(), own, start.Add(time.Minute)))
		w.ok(w.UseKey(w.ctx(), k, start.Add(time.Minute)))
		got, _, err = w.KeyByHash(w.ctx(), []byte{1, 7})
		w.ok(err)
		same(t, new(start.Add(time.Minute)), got.LastUsedAt)
		same(t, "cd", valid(start))
		same(t, 0, len(must[map[lukasa.ID]bool](t)(w.Valid(w.ctx(), nil, start))))
	}},
	{"memberships go with the user, and with the organisation", func(t *testing.T, w *world) {
		c := newCompany(w)
		w.ok(c.put(c.ada, store.MemberOwner))
		w.ok(c.put(c.bob, store.MemberPlain))
		c.key(lukasa.Key{User: c.bob, Org: c.org}, 1)
		left := c.key(lukasa.Key{User: c.ada, Org: c.org}, 2)
		_, _, err := w.DeleteUser(w.ctx(), c.bob)
		w.ok(err)
		same(t, map[string]string{"Ada": "owner"}, c.roles())
		same(t, []lukasa.Key{left}, must[[]lukasa.Key](t)(w.Keys(w.ctx(), c.org)))
		same(t, "", firstOf(must[[]string](t)(w.Check(w.ctx()))))
		_, _, err = w.DeleteUser(w.ctx(), c.org)
		w.ok(err)
		same(t, 0, len(must[[]store.Member](t)(w.Memberships(w.ctx(), c.ada))))
		same(t, 0, len(must[[]lukasa.Key](t)(w.Keys(w.ctx(), c.org))))
		_, _, err = w.KeyByHash(w.ctx(), []byte{2, 7})
		w.fails(lukasa.CodeNotFound, err)
	}},
}

func firstOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
