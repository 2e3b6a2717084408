package auth

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// NewGrant is a request to grant.
type NewGrant struct {
	Subject string     // a persona's node by id or path, or the key of a third party
	Node    string     // what is granted, by id or path: this node, and nothing above or below it
	Access  string     // read (the default) or read_write
	Expires *time.Time // nil: until it is revoked
}

// GrantQuery narrows a listing of grants. Zero fields do not narrow.
type GrantQuery struct {
	Subject string
	Node    string
	All     bool // those that have ended too
}

// mayGrant returns an error unless the scope sees and may change the whole tree.
func mayGrant(sc lukasa.Scope) error {
	if err := sc.CanWrite(); err != nil {
		return err
	}
	if sc.Root != "" {
		return &lukasa.Error{Code: lukasa.CodeForbidden, Msg: "a key that is bound to a part of the tree cannot grant", Hint: "use a key of the owner that is not bound"}
	}
	return nil
}

// Grant gives a persona or a third party leave to one node. What it was granted of that node before ends with it.
func (a *Auth) Grant(ctx context.Context, sc lukasa.Scope, in NewGrant) (store.Grant, error) {
	if err := mayGrant(sc); err != nil {
		return store.Grant{}, err
	}
	now := a.Mint.Now().UTC()
	g := store.Grant{ID: a.Mint.ID(lukasa.PrefixGrant), Access: in.Access, Grantor: sc.Principal, GrantedAt: now.Truncate(time.Microsecond), ExpiresAt: in.Expires}
	if g.Access == "" {
		g.Access = store.AccessRead
	}
	if g.ExpiresAt != nil && !g.ExpiresAt.After(now) {
		return g, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "expires_at", Msg: "lies in the past", Hint: "give a time to come, or leave it out"}
	}
	var err error
	if g.Subject, err = a.grantee(ctx, sc, in.Subject); err != nil {
		return g, err
	}
	g.Kind = store.KindOf(g.Subject)
	switch {
	case g.Access != store.AccessRead && g.Access != store.AccessReadWrite:
		return g, lukasa.Invalid("grant_type", "is not read or read_write")
	case g.Access != store.AccessRead && g.Kind == "third_party":
		return g, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "grant_type", Msg: "third parties may only read", Hint: "grant read, or make a persona"}
	}
	n, err := a.node(ctx, sc, "container", in.Node)
	if err != nil {
		return g, err
	}
	if n.Depth == 0 {
		return g, lukasa.Invalid("container", "is the whole tree; a grant is to one container")
	}
	g.Node, g.Path = n.ID, n.Path
	if err := a.Grants.PutGrant(ctx, sc.Owner, g); err != nil {
		return g, err
	}
	return g, nil
}

// node returns the node with an id or at a path, and names the field that it was given in where that is empty.
func (a *Auth) node(ctx context.Context, sc lukasa.Scope, field, idOrPath string) (n lukasa.Node, err error) {
	if idOrPath == "" {
		return n, lukasa.Invalid(field, "is empty")
	}
	err = a.Tree.View(ctx, sc, func(r store.Reader) error {
		if id, err := lukasa.ParseID(lukasa.PrefixNode, idOrPath); err == nil {
			n, err = r.Node(id)
			return err
		}
		p, err := lukasa.ParsePath(idOrPath)
		if err == nil {
			n, err = r.NodeAt(p)
		}
		return err
	})
	return n, err
}

// Persona returns the node of a persona.
func (a *Auth) Persona(ctx context.Context, sc lukasa.Scope, field, idOrPath string) (lukasa.Node, error) {
	n, err := a.node(ctx, sc, field, idOrPath)
	if err == nil && n.Type != lukasa.NodePersona {
		err = &lukasa.Error{Code: lukasa.CodeInvalid, Field: field, Msg: "is a container of type " + string(n.Type) + ", not a persona", Hint: "make one with type persona, or change its type"}
	}
	return n, err
}

// grantee resolves a subject of grants of the owner: a persona, or a key for a third party that has not ended.
func (a *Auth) grantee(ctx context.Context, sc lukasa.Scope, subject string) (lukasa.ID, error) {
	if lukasa.ID(subject).Prefix() != lukasa.PrefixKey {
		n, err := a.Persona(ctx, sc, "subject_id", subject)
		return n.ID, err
	}
	id, err := lukasa.ParseID(lukasa.PrefixKey, subject)
	if err != nil {
		return "", err
	}
	keys, err := a.Accounts.Keys(ctx, sc.Owner)
	if err != nil {
		return "", err
	}
	for _, k := range keys {
		if k.ID != id {
			continue
		}
		if !k.ThirdParty || k.RevokedAt != nil {
			return "", &lukasa.Error{
				Code: lukasa.CodeInvalid, Field: "subject_id", Msg: "is not a valid key of a third party",
				Hint: "make one with third_party; to a key of a persona, grant by the persona's container",
			}
		}
		return id, nil
	}
	return "", lukasa.NotFound("key", id)
}

// ListGrants lists what the owner has granted, newest first; a persona or third party sees what it has now.
func (a *Auth) ListGrants(ctx context.Context, sc lukasa.Scope, q GrantQuery, p lukasa.Page) (lukasa.Listing[store.Grant], error) {
	none := lukasa.Listing[store.Grant]{Items: []store.Grant{}}
	f := store.GrantFilter{}
	now := a.Mint.Now()
	switch {
	case sc.Owner == "":
		return none, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	case sc.Grantee != "":
		q.All, f.Subject = false, sc.Grantee
	case sc.Root != "":
		return none, lukasa.Errorf(lukasa.CodeForbidden, "a key that is bound to a container cannot list grants")
	case q.Subject != "":
		if f.Subject = lukasa.ID(q.Subject); f.Subject.Prefix() != lukasa.PrefixKey {
			n, err := a.node(ctx, sc, "subject_id", q.Subject)
			if err != nil {
				return none, err
			}
			f.Subject = n.ID
		}
	}
	if q.Node != "" {
		n, err := a.node(ctx, sc, "container", q.Node)
		if err != nil {
			return none, err
		}
		f.Node = n.ID
	}
	if !q.All {
		f.Active = &now
	}
	return a.Grants.Grants(ctx, sc.Owner, f, p)
}

// OneGrant returns a grant, one that has ended too; to a persona or third party, its own that it has now.
func (a *Auth) OneGrant(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (store.Grant, error) {
	f := store.GrantFilter{ID: id}
	switch {
	case sc.Owner == "":
		return store.Grant{}, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	case sc.Grantee != "":
		f.Subject, f.Active = sc.Grantee, new(a.Mint.Now())
	case sc.Root != "":
		return store.Grant{}, lukasa.Errorf(lukasa.CodeForbidden, "a key that is bound to a container cannot see grants")
	}
	l, err := a.Grants.Grants(ctx, sc.Owner, f, lukasa.Page{Limit: 1})
	if err == nil && len(l.Items) == 0 {
		err = lukasa.NotFound("grant", id)
	}
	if err != nil {
		return store.Grant{}, err
	}
	return l.Items[0], nil
}

// RevokeGrant ends a grant at once, in every process that has the store open.
func (a *Auth) RevokeGrant(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (store.Grant, error) {
	if err := mayGrant(sc); err != nil {
		return store.Grant{}, err
	}
	return a.Grants.RevokeGrant(ctx, sc.Owner, id, a.Mint.Now().UTC())
}
