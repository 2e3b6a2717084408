package auth

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Organisation is an owner of records who is several users, each with a role. It is shown to its members and to admins.
type Organisation struct {
	ID        lukasa.ID      `json:"id"`
	Name      string         `json:"name"`
	Role      string         `json:"role,omitempty"`     // the caller's; "" for an admin of the server who is no member
	Settings  map[string]any `json:"settings,omitempty"` // limits and retention, as of a user
	CreatedAt time.Time      `json:"created_at"`
}

// OrganisationPatch changes an organisation. Nil fields stay as they are.
type OrganisationPatch struct {
	Name     *string
	Settings map[string]any // merged by who keeps them; admins of the server only
}

// The events of organisations. Only keys to the whole of the records hear of them.
const (
	EventMemberAdded   lukasa.EventType = "member.added"
	EventMemberChanged lukasa.EventType = "member.changed"
	EventMemberRemoved lukasa.EventType = "member.removed"
	EventOrganisation  lukasa.EventType = "organisation.updated"
)

// Organisations are the verbs of organisations. What is done leaves a line in the organisation's audit log and an event.
type Organisations struct {
	auth *Auth
	acts Acts
}

// Acts are what organisations need of others.
type Acts struct {
	Note   func(ctx context.Context, sc lukasa.Scope, act, resource string, details map[string]any) // in the audit log
	Notify func(lukasa.Event)
	Change func(ctx context.Context, sc lukasa.Scope, id lukasa.ID, settings map[string]any) (lukasa.User, error) // merges settings
}

// Organisations returns the verbs of organisations.
func (a *Auth) Organisations(acts Acts) Organisations { return Organisations{a, acts} }

// note notes an act in the organisation's own log, which its admins read.
func (g Organisations) note(ctx context.Context, sc lukasa.Scope, org lukasa.ID, act string, about lukasa.ID, details map[string]any) {
	sc.Owner = org
	g.acts.Note(ctx, sc, act, string(about), details)
}

// tell says at the root of the organisation's tree what was done.
func (g Organisations) tell(org lukasa.ID, t lukasa.EventType, about lukasa.ID, data map[string]any) {
	g.acts.Notify(lukasa.Event{ID: g.auth.Mint.ID(lukasa.PrefixEvent), Type: t, Owner: org, Record: about, At: g.auth.Mint.Now().UTC(), Data: data})
}

const maxName = 200 // characters of an organisation's name

// errBoundKey is the answer to a bound key, whatever organisation it names.
var errBoundKey = &lukasa.Error{Code: lukasa.CodeForbidden, Msg: "a key that is bound to a part of the tree cannot see organisations", Hint: "use a key that is not bound"}

// asMember returns as what a scope acts on an organisation: as the member that its user is at this moment, or, for an admin of the
// server, member or not, as an owner. A key to an organisation acts on that one alone. To others an organisation is not there.
func (a *Auth) asMember(ctx context.Context, sc lukasa.Scope, org lukasa.ID) (store.Member, error) {
	switch {
	case sc.Owner == "":
		return store.Member{}, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	case sc.Root != "":
		return store.Member{}, errBoundKey
	}
	m, err := a.Members.Member(ctx, org, sc.Principal)
	away := lukasa.CodeOf(err) == lukasa.CodeNotFound || err == nil && (m.Gone || sc.Owner != sc.Principal && sc.Owner != org)
	switch {
	case away && sc.CanAdmin() == nil && org.Prefix() == store.PrefixOrganisation:
		u, err := a.Accounts.User(ctx, org)
		if err != nil {
			return store.Member{}, lukasa.NotFound("organisation", org)
		}
		return store.Member{Org: org, OrgName: u.Name, User: sc.Principal, Role: store.MemberOwner}, nil
	case away:
		return store.Member{}, lukasa.NotFound("organisation", org)
	case err == nil && sc.CanAdmin() == nil:
		m.Role = store.MemberOwner // being a member takes nothing from an admin of the server
	}
	return m, err
}

// may returns an error unless the scope may change of an organisation what takes a role.
func (a *Auth) may(ctx context.Context, sc lukasa.Scope, org lukasa.ID, role string) (store.Member, error) {
	m, err := a.ranks(ctx, sc, org, role)
	if err != nil {
		return m, err
	}
	return m, sc.CanWrite()
}

// ranks returns an error unless the scope's user has a role in an organisation, or a higher one.
func (a *Auth) ranks(ctx context.Context, sc lukasa.Scope, org lukasa.ID, role string) (store.Member, error) {
	m, err := a.asMember(ctx, sc, org)
	if err == nil && store.RankOf(m.Role) < store.RankOf(role) {
		err = &lukasa.Error{Code: lukasa.CodeForbidden, Msg: "this takes the role " + role + " in " + m.OrgName + ", yours is " + m.Role, Hint: "ask one of its owners"}
	}
	return m, err
}

// Oversees returns an error unless the scope may see what others do with the records that it acts on: with those of an organisation, its
// admins and owners may.
func (a *Auth) Oversees(ctx context.Context, sc lukasa.Scope) error {
	if sc.Owner == sc.Principal || sc.Root != "" {
		return nil // its own, or a bound key, which sees no log
	}
	_, err := a.ranks(ctx, sc, sc.Owner, store.MemberAdmin)
	return err
}

func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return name, lukasa.Invalid("name", "is empty")
	case utf8.RuneCountInString(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return name, lukasa.Invalid("name", "is not one line of at most %d characters", maxName)
	}
	return name, nil
}

// Create makes an organisation with its first owner, the caller unless another user is named. It has room of its own, so
// that only an admin makes one, as with users.
func (g Organisations) Create(ctx context.Context, sc lukasa.Scope, name string, owner lukasa.ID) (Organisation, error) {
	a := g.auth
	if err := sc.CanAdmin(); err != nil {
		return Organisation{}, err
	}
	if err := sc.CanWrite(); err != nil {
		return Organisation{}, err
	}
	name, err := checkName(name)
	if err != nil {
		return Organisation{}, err
	}
	if owner == "" {
		owner = sc.Principal
	}
	u, err := a.Accounts.User(ctx, owner)
	if err != nil || Deleted(u) || owner.Prefix() != lukasa.PrefixUser {
		return Organisation{}, lukasa.NotFound("user", owner)
	}
	o, err := a.admit(ctx, lukasa.User{ID: a.Mint.ID(store.PrefixOrganisation), Name: name, Role: lukasa.RoleUser})
	if err != nil {
		return Organisation{}, err
	}
	if err := a.Members.PutMember(ctx, store.Member{Org: o.ID, User: owner, Role: store.MemberOwner, AddedBy: sc.Principal, AddedAt: a.Mint.Now().UTC()}); err != nil {
		return Organisation{}, err // without an owner, an admin of the server is one
	}
	g.note(ctx, sc, o.ID, "organisation.create", o.ID, map[string]any{"name": o.Name, "owner": owner})
	return organisation(o, store.MemberOwner), nil
}

func organisation(u lukasa.User, role string) Organisation {
	return Organisation{ID: u.ID, Name: u.Name, Role: role, Settings: u.Settings, CreatedAt: u.CreatedAt}
}

// List lists those that the caller is a member of, by name; the one alone that a key is to; for an admin who asks for all,
// all.
func (g Organisations) List(ctx context.Context, sc lukasa.Scope, all bool) ([]Organisation, error) {
	a := g.auth
	out := []Organisation{}
	switch {
	case sc.Owner == "":
		return out, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	case sc.Root != "":
		return out, errBoundKey
	case all:
		if err := sc.CanAdmin(); err != nil {
			return out, err
		}
	}
	in, err := a.Members.Memberships(ctx, sc.Principal)
	if err != nil {
		return out, err
	}
	roles := map[lukasa.ID]string{}
	for _, m := range in {
		if roles[m.Org] = m.Role; all || m.Gone || sc.Owner != sc.Principal && sc.Owner != m.Org {
			continue
		}
		u, err := a.Accounts.User(ctx, m.Org)
		if err != nil {
			return out, err
		}
		out = append(out, organisation(u, m.Role))
	}
	if !all {
		return out, nil
	}
	users, err := a.Accounts.Users(ctx)
	for _, u := range users {
		if u.ID.Prefix() == store.PrefixOrganisation {
			out = append(out, organisation(u, roles[u.ID]))
		}
	}
	return out, err
}

// One returns an organisation.
func (g Organisations) One(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (Organisation, error) {
	m, err := g.auth.asMember(ctx, sc, id)
	if err != nil {
		return Organisation{}, err
	}
	u, err := g.auth.Accounts.User(ctx, id)
	if m.AddedAt.IsZero() {
		m.Role = ""
	}
	return organisation(u, m.Role), err
}

// Patch renames an organisation, which takes an owner, and merges its settings, which takes an admin of the server.
func (g Organisations) Patch(ctx context.Context, sc lukasa.Scope, id lukasa.ID, in OrganisationPatch) (Organisation, error) {
	if _, err := g.auth.asMember(ctx, sc, id); err != nil {
		return Organisation{}, err
	}
	if in.Settings != nil {
		if err := sc.CanAdmin(); err != nil {
			return Organisation{}, err
		}
		if err := sc.CanWrite(); err != nil {
			return Organisation{}, err
		}
	}
	if in.Name != nil {
		if err := g.rename(ctx, sc, id, *in.Name); err != nil {
			return Organisation{}, err
		}
	}
	if in.Settings != nil {
		if _, err := g.acts.Change(ctx, sc, id, in.Settings); err != nil {
			return Organisation{}, err
		}
	}
	return g.One(ctx, sc, id)
}

func (g Organisations) rename(ctx context.Context, sc lukasa.Scope, id lukasa.ID, name string) error {
	if _, err := g.auth.may(ctx, sc, id, store.MemberOwner); err != nil {
		return err
	}
	name, err := checkName(name)
	if err != nil {
		return err
	}
	was := ""
	if _, err := g.auth.Accounts.ChangeUser(ctx, id, func(u *lukasa.User) error {
		was, u.Name = u.Name, name
		return nil
	}); err != nil {
		return err
	}
	g.note(ctx, sc, id, "organisation.rename", id, map[string]any{"name": name, "was": was})
	g.tell(id, EventOrganisation, id, map[string]any{"name": name})
	return nil
}

// MayDelete returns an error unless the scope may delete an organisation, which takes an owner.
func (g Organisations) MayDelete(ctx context.Context, sc lukasa.Scope, id lukasa.ID) error {
	_, err := g.auth.may(ctx, sc, id, store.MemberOwner)
	return err
}

// Members lists the members of an organisation, owners first.
func (g Organisations) Members(ctx context.Context, sc lukasa.Scope, org lukasa.ID) ([]store.Member, error) {
	if _, err := g.auth.asMember(ctx, sc, org); err != nil {
		return nil, err
	}
	return g.auth.Members.Members(ctx, org)
}

// Keys lists the keys to an organisation; see [Auth.Keys].
func (g Organisations) Keys(ctx context.Context, sc lukasa.Scope, org lukasa.ID) ([]lukasa.Key, error) {
	return g.auth.Keys(ctx, sc, org)
}

// SetMember adds a user to an organisation, or gives a member another role. It takes an admin; to make an owner, or change one, an
// owner. The role counts in the next call, on every node.
func (g Organisations) SetMember(ctx context.Context, sc lukasa.Scope, org, user lukasa.ID, role string) (now store.Member, added bool, err error) {
	a := g.auth
	me, err := a.may(ctx, sc, org, store.MemberAdmin)
	if err != nil {
		return now, false, err
	}
	if role == "" {
		role = store.MemberPlain
	}
	if store.RankOf(role) == 0 {
		return now, false, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "role", Msg: "is no role of a member", Hint: "there are owner, admin, member and viewer"}
	}
	was, err := a.Members.Member(ctx, org, user)
	switch lukasa.CodeOf(err) {
	case "":
	case lukasa.CodeNotFound:
		added = true
		if u, err := a.Accounts.User(ctx, user); err != nil || Deleted(u) || user.Prefix() != lukasa.PrefixUser {
			return now, false, lukasa.NotFound("user", user)
		}
	default:
		return now, false, err
	}
	if me.Role != store.MemberOwner && (was.Role == store.MemberOwner || role == store.MemberOwner) {
		return now, false, &lukasa.Error{Code: lukasa.CodeForbidden, Msg: "only an owner of " + me.OrgName + " says who its owners are", Hint: "ask one of its owners"}
	}
	if !added && was.Role == role {
		return was, false, nil
	}
	put := store.Member{Org: org, User: user, Role: role, AddedBy: sc.Principal, AddedAt: a.Mint.Now().UTC()}
	if err := a.Members.PutMember(ctx, put); err != nil {
		return now, false, err
	}
	act, event := "member.change", EventMemberChanged
	if added {
		act, event = "member.add", EventMemberAdded
	}
	g.note(ctx, sc, org, act, user, map[string]any{"role": role, "was": was.Role})
	g.tell(org, event, user, map[string]any{"role": role})
	if now, err = a.Members.Member(ctx, org, user); lukasa.CodeOf(err) == lukasa.CodeNotFound { // and is out again already
		return put, added, nil
	}
	return now, added, err
}

// RemoveMember takes a user out of an organisation; the user's keys to it open nothing from then on. It takes an admin, of an owner an
// owner; anybody may go by themselves.
func (g Organisations) RemoveMember(ctx context.Context, sc lukasa.Scope, org, user lukasa.ID) (store.Member, error) {
	a := g.auth
	me, err := a.asMember(ctx, sc, org)
	if err != nil {
		return me, err
	}
	if user != sc.Principal {
		if me, err = a.may(ctx, sc, org, store.MemberAdmin); err != nil {
			return me, err
		}
	} else if err := sc.CanWrite(); err != nil {
		return me, err
	}
	was, err := a.Members.Member(ctx, org, user)
	if err != nil {
		return was, err
	}
	if was.Role == store.MemberOwner && me.Role != store.MemberOwner {
		return was, &lukasa.Error{Code: lukasa.CodeForbidden, Msg: "only an owner of " + me.OrgName + " removes an owner", Hint: "ask one of its owners"}
	}
	gone, err := a.Members.RemoveMember(ctx, org, user, a.Mint.Now().UTC())
	if err == nil {
		g.note(ctx, sc, org, "member.remove", user, map[string]any{"role": gone.Role})
		g.tell(org, EventMemberRemoved, user, map[string]any{"role": gone.Role})
	}
	return gone, err
}

// MayLeave returns an error where a user who is to be deleted is the last owner of an organisation.
func (a *Auth) MayLeave(ctx context.Context, user lukasa.ID) error {
	in, err := a.Members.Memberships(ctx, user)
	if err != nil {
		return err
	}
	for _, m := range in {
		if m.Role != store.MemberOwner {
			continue
		}
		all, err := a.Members.Members(ctx, m.Org)
		if err != nil {
			return err
		}
		others := false
		for _, o := range all {
			others = others || o.Role == store.MemberOwner && o.User != user && !o.Gone
		}
		if !others {
			return &lukasa.Error{
				Code: lukasa.CodeConflict, Msg: "this user is the last owner of the organisation " + m.OrgName,
				Hint: "make another member its owner (`lukasa org member " + string(m.Org) + " USER owner`), or delete it first",
			}
		}
	}
	return nil
}

// Standing says whose a scope's records are where they are an organisation's, and what its user is there now: "" for others.
func (a *Auth) Standing(ctx context.Context, sc lukasa.Scope) (name, role string, err error) {
	if sc.Owner == sc.Principal || sc.Owner == "" {
		return "", "", nil
	}
	m, err := a.Members.Member(ctx, sc.Owner, sc.Principal)
	return m.OrgName, m.Role, err
}
