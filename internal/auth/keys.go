package auth

import (
	"context"
	"errors"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/crypt"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// WhoAmI returns the scope's user and key.
func (a *Auth) WhoAmI(ctx context.Context, sc lukasa.Scope) (lukasa.User, lukasa.Key, error) {
	u, err := a.Accounts.User(ctx, sc.Principal)
	if sc.Grantee != "" { // who it is for, and no more
		u = lukasa.User{ID: u.ID, Name: u.Name, Role: lukasa.RoleUser, CreatedAt: u.CreatedAt}
	}
	if err != nil || sc.Key == "" {
		return u, lukasa.Key{Name: "local process", Role: sc.Role}, err
	}
	keys, err := a.Accounts.Keys(ctx, sc.Owner)
	for _, k := range keys {
		if k.ID == sc.Key {
			if k.Persona != "" && sc.Holds(sc.Root) && sc.Root.Depth() > 0 {
				k.Root = sc.Root
			}
			if k.Org != "" {
				k.ReadOnly = sc.ReadOnly // which the role of a member may make it
			}
			return u, k, err
		}
	}
	return u, lukasa.Key{}, err
}

// CreateKey makes a key for the caller, or for any user if the caller is an admin, and returns its secret this once. One that names
// an organisation, or is asked for with a key of one, opens the organisation's records, as far as its user's role there reaches at
// the time of each call.
func (a *Auth) CreateKey(ctx context.Context, sc lukasa.Scope, k lukasa.Key) (lukasa.Key, string, error) {
	if err := sc.CanWrite(); err != nil {
		return k, "", err
	}
	if k.Org == "" && sc.Owner != sc.Principal {
		k.Org = sc.Owner
	}
	if k.User == "" {
		k.User = sc.Principal
	}
	if k.User != sc.Principal || k.Role == lukasa.RoleAdmin || k.Unlimited {
		if err := sc.CanAdmin(); err != nil {
			return k, "", err
		}
		if _, err := a.Accounts.User(ctx, k.User); err != nil {
			return k, "", err
		}
	}
	owner := lukasa.Scope{Owner: k.User, Principal: k.User, Role: lukasa.RoleUser} // whose records it opens
	var at lukasa.Path                                                             // where its persona stands
	if k.Org != "" {
		if err := a.joins(ctx, sc, k, &owner); err != nil {
			return k, "", err
		}
	}
	if k.Root != "" {
		if _, err := lukasa.ParsePath(string(k.Root)); err != nil {
			return k, "", err
		}
	}
	if owner.Owner == sc.Owner && !sc.Root.Covers(k.Root) {
		return k, "", &lukasa.Error{Code: lukasa.CodeForbidden, Field: "container", Msg: "is wider than this key's own"}
	}
	if k.Persona != "" {
		n, err := a.Persona(ctx, owner, "persona", string(k.Persona))
		if err != nil {
			return k, "", err
		}
		k.Persona, at = n.ID, n.Path
	}
	if k.Root != "" { // a bound key can make nothing above its root
		place := a.Place
		if owner.ReadOnly {
			place = func(ctx context.Context, sc lukasa.Scope, p lukasa.Path) error {
				_, err := a.node(ctx, sc, "container", string(p))
				return err
			}
		}
		if err := place(ctx, owner, k.Root); err != nil {
			return k, "", err
		}
	}
	k, secret, err := a.makeKey(ctx, k, "")
	if err != nil || k.Root == "" {
		k.Root = at
		return k, secret, err
	}
	if _, err := a.node(ctx, owner, "container", string(k.Root)); err != nil { // it went while the key was made: so does the key
		k.RevokedAt = new(a.Mint.Now().UTC())
		return k, "", errors.Join(err, a.Accounts.PutKey(ctx, k, nil))
	}
	return k, secret, nil
}

// joins checks that a key may be made to an organisation's records, and sets whose they are.
func (a *Auth) joins(ctx context.Context, sc lukasa.Scope, k lukasa.Key, owner *lukasa.Scope) error {
	if sc.Root != "" && sc.Owner != k.Org || sc.Owner != sc.Principal && sc.Owner != k.Org {
		return lukasa.NotFound("organisation", k.Org)
	}
	if k.Role == lukasa.RoleAdmin {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "role", Msg: "a key to an organisation is no admin's of the server", Hint: "what its user may do there is the role of the member"}
	}
	m, err := a.Members.Member(ctx, k.Org, k.User)
	switch {
	case lukasa.CodeOf(err) == lukasa.CodeNotFound && sc.CanAdmin() == nil:
		if _, err := a.Accounts.User(ctx, k.Org); err != nil || k.Org.Prefix() != store.PrefixOrganisation {
			return lukasa.NotFound("organisation", k.Org)
		}
		return &lukasa.Error{Code: lukasa.CodeConflict, Field: "organisation", Msg: "its user is no member of this organisation", Hint: "add the user first: `lukasa org add`"}
	case lukasa.CodeOf(err) == lukasa.CodeNotFound || err == nil && m.Gone:
		return lukasa.NotFound("organisation", k.Org)
	case err != nil:
		return err
	}
	owner.Owner, owner.ReadOnly = k.Org, m.Role == store.MemberViewer
	return nil
}

// makeKey writes a key down. A secret that is given is used as it is.
func (a *Auth) makeKey(ctx context.Context, k lukasa.Key, secret string) (lukasa.Key, string, error) {
	if k.Name == "" {
		return k, "", lukasa.Invalid("name", "is empty")
	}
	if k.Role == "" {
		k.Role = lukasa.RoleUser
	}
	if k.Role != lukasa.RoleAdmin && k.Role != lukasa.RoleUser {
		return k, "", lukasa.Invalid("role", "is not admin or user")
	}
	if (k.ThirdParty || k.Persona != "") && (k.Role == lukasa.RoleAdmin || k.Root != "" || k.ThirdParty && k.Persona != "") {
		return k, "", lukasa.Invalid("persona", "a key is bound to one of container, persona and third party, and none of the last two is an admin")
	}
	now := a.Mint.Now().UTC()
	if k.ExpiresAt != nil && !k.ExpiresAt.After(now) {
		return k, "", lukasa.Invalid("expires_at", "lies in the past")
	}
	if secret == "" {
		var err error
		if secret, err = crypt.NewAPIKey(a.Rand); err != nil {
			return k, "", err
		}
	} else if len(secret) < 16 {
		return k, "", &lukasa.Error{Code: lukasa.CodeInvalid, Field: "LUKASA_API_KEY", Msg: "is shorter than 16 characters"}
	}
	k.ID, k.CreatedAt, k.Hint = a.Mint.ID(lukasa.PrefixKey), now, crypt.APIKeyHint(secret)
	hash := crypt.HashAPIKey(secret)
	if err := a.Accounts.PutKey(ctx, k, hash[:]); err != nil {
		return k, "", err
	}
	return k, secret, nil
}

// Keys lists the keys to the scope's own records, or to an organisation's: all of them for who manages its keys, else the caller's
// own there. A key that is bound to a container is not told of places that it does not see. That of a persona has the container
// where the persona stands now, and none once it is gone.
func (a *Auth) Keys(ctx context.Context, sc lukasa.Scope, org lukasa.ID) ([]lukasa.Key, error) {
	switch {
	case sc.Owner == "":
		return nil, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	case org == "" && sc.Owner != sc.Principal:
		org = sc.Owner
	case org != "" && org != sc.Owner && sc.Root != "":
		return nil, errBoundKey
	}
	if org == "" {
		ks, err := a.Accounts.Keys(ctx, sc.Owner)
		if err != nil {
			return nil, err
		}
		return a.placed(ctx, sc, slices.DeleteFunc(ks, func(k lukasa.Key) bool { return !sc.Holds(k.Root) && k.ID != sc.Key }))
	}
	all := false
	if sc.Root == "" || sc.Owner != org {
		m, err := a.asMember(ctx, sc, org)
		if err != nil {
			return nil, err
		}
		all = store.RankOf(m.Role) >= store.RankOf(store.MemberAdmin)
	}
	ks, err := a.Accounts.Keys(ctx, org)
	if err != nil {
		return nil, err
	}
	if sc.Owner != org { // a member, with a key to their own records
		sc = lukasa.Scope{Owner: org, Principal: sc.Principal, Role: lukasa.RoleUser, ReadOnly: true}
	}
	return a.placed(ctx, sc, slices.DeleteFunc(ks, func(k lukasa.Key) bool {
		return k.ID != sc.Key && (!all && k.User != sc.Principal || sc.Root != "" && !sc.Holds(k.Root))
	}))
}

// placed gives keys of personas the path of the container that they stand for, as far as the scope sees it.
func (a *Auth) placed(ctx context.Context, sc lukasa.Scope, ks []lukasa.Key) ([]lukasa.Key, error) {
	if !slices.ContainsFunc(ks, func(k lukasa.Key) bool { return k.Persona != "" }) {
		return ks, nil
	}
	return ks, a.Tree.View(ctx, sc, func(r store.Reader) error {
		for i, k := range ks {
			if k.Persona == "" {
				continue
			}
			n, err := r.Node(k.Persona)
			if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
				return err
			}
			ks[i].Root = n.Path
		}
		return nil
	})
}

// AllKeys lists everyone's keys, for an admin.
func (a *Auth) AllKeys(ctx context.Context, sc lukasa.Scope) ([]lukasa.Key, error) {
	if sc.Owner == "" {
		return nil, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	if err := sc.CanAdmin(); err != nil {
		return nil, err
	}
	ks, err := a.Accounts.Keys(ctx, "")
	if err != nil {
		return nil, err
	}
	return a.placed(ctx, sc, ks)
}

// RevokeKey ends a key at once: one of the caller's own, to their records or an organisation's; any to an organisation whose keys
// the caller manages; anyone's for an admin.
func (a *Auth) RevokeKey(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Key, error) {
	if err := sc.CanWrite(); err != nil {
		return lukasa.Key{}, err
	}
	if sc.CanAdmin() == nil {
		keys, err := a.Accounts.Keys(ctx, "")
		return a.end(ctx, keys, err, id)
	}
	if sc.Root != "" {
		return lukasa.Key{}, lukasa.Errorf(lukasa.CodeForbidden, "a key that is bound to a container cannot revoke keys")
	}
	keys, err := a.Keys(ctx, sc, "")
	if err == nil && sc.Owner == sc.Principal {
		var in []store.Member
		if in, err = a.Members.Memberships(ctx, sc.Principal); err != nil {
			return lukasa.Key{}, err
		}
		for _, m := range in {
			more, err := a.Keys(ctx, sc, m.Org)
			if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
				return lukasa.Key{}, err
			}
			keys = append(keys, more...)
		}
	}
	return a.end(ctx, keys, err, id)
}

// end revokes one of the keys.
func (a *Auth) end(ctx context.Context, keys []lukasa.Key, err error, id lukasa.ID) (lukasa.Key, error) {
	if err != nil {
		return lukasa.Key{}, err
	}
	for _, k := range keys {
		if k.ID != id {
			continue
		}
		if k.RevokedAt == nil {
			now := a.Mint.Now().UTC()
			k.RevokedAt = &now
			err = a.Accounts.PutKey(ctx, k, nil)
		}
		return k, err
	}
	return lukasa.Key{}, lukasa.NotFound("key", id)
}
