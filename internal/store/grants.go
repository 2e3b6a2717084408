package store

import (
	"context"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// What a grant gives.
const (
	AccessRead      = "read"
	AccessReadWrite = "read_write"
)

// Grant is leave for a persona or a third party to one node: not to what stands above it, beside it or below it.
type Grant struct {
	ID        lukasa.ID   `json:"id"`
	Subject   lukasa.ID   `json:"subject_id"`   // a persona's node, or the key of a third party
	Kind      string      `json:"subject_type"` // persona or third_party
	Node      lukasa.ID   `json:"target_node_id"`
	Path      lukasa.Path `json:"container"` // of the node, as it is now
	Access    string      `json:"grant_type"`
	Grantor   lukasa.ID   `json:"grantor_user_id"`
	GrantedAt time.Time   `json:"granted_at"`
	ExpiresAt *time.Time  `json:"expires_at"`
	RevokedAt *time.Time  `json:"revoked_at"`
}

// KindOf says what a subject of grants is: persona or third_party.
func KindOf(subject lukasa.ID) string {
	if subject.Prefix() == lukasa.PrefixKey {
		return "third_party"
	}
	return "persona"
}

// Active reports whether the grant gives anything at a time.
func (g Grant) Active(now time.Time) bool {
	return g.RevokedAt == nil && (g.ExpiresAt == nil || g.ExpiresAt.After(now))
}

// GrantFilter narrows a listing of grants. Zero fields do not narrow.
type GrantFilter struct {
	ID      lukasa.ID
	Subject lukasa.ID
	Node    lukasa.ID
	Active  *time.Time // those that give something at this time
}

// Standing is what a grantee may see of an owner's tree.
type Standing struct {
	Root    lukasa.Path // of the persona's own node, "" where the grantee is none or its node is gone
	Granted string      // as [lukasa.Scope] keeps it
}

// Grants keeps what owners have granted. It is not bound to a scope: the engine asks it for owners alone.
type Grants interface {
	// PutGrant adds a grant. What the subject was granted of the node before ends, so that the newest counts. A node that is not
	// there is [lukasa.CodeNotFound].
	PutGrant(ctx context.Context, owner lukasa.ID, g Grant) error
	// RevokeGrant ends a grant at a time. One that has ended stays as it is.
	RevokeGrant(ctx context.Context, owner, id lukasa.ID, at time.Time) (Grant, error)
	// Grants lists an owner's grants, newest first.
	Grants(ctx context.Context, owner lukasa.ID, f GrantFilter, p lukasa.Page) (lukasa.Listing[Grant], error)
	// Standing says what a grantee may see at a time.
	Standing(ctx context.Context, owner, grantee lukasa.ID, now time.Time) (Standing, error)
}

// MayWrite returns an error unless the scope may write records to what stands at a path: that there is none, where it may not know
// better.
func MayWrite(sc lukasa.Scope, p lukasa.Path) error {
	switch {
	case sc.Writes(p):
		return nil
	case sc.Sees(p):
		return ReadOnly()
	}
	return lukasa.NotFound("container", p)
}

// MayShape returns an error unless the scope may make, move or remove a node at a path.
func MayShape(sc lukasa.Scope, p lukasa.Path) error {
	switch {
	case sc.Holds(p):
		return nil
	case sc.Sees(p):
		return &lukasa.Error{Code: lukasa.CodeForbidden, Msg: "this container was granted to you: it can be neither moved nor removed", Hint: "ask its owner"}
	}
	return lukasa.NotFound("container", p)
}

// ReadOnly is the error of an act that would change what was granted for reading.
func ReadOnly() error {
	return &lukasa.Error{Code: lukasa.CodeForbidden, Msg: "this was granted to you for reading", Hint: "ask its owner for a grant to read and write"}
}

const (
	grantColumns = "g.id, g.grantee_id, g.node_id, n.path, g.access, g.grantor_id, g.created_at, g.expires_at, g.revoked_at"
	grantTables  = "grants g JOIN nodes n ON n.owner_id = g.owner_id AND n.id = g.node_id"
)

func scanGrant(r Row) Grant {
	subject := lukasa.ID(r.Text(1))
	return Grant{
		ID: lukasa.ID(r.Text(0)), Subject: subject, Kind: KindOf(subject), Node: lukasa.ID(r.Text(2)), Path: lukasa.Path(r.Text(3)), Access: r.Text(4),
		Grantor: lukasa.ID(r.Text(5)), GrantedAt: r.Time(6), ExpiresAt: timep(r, 7), RevokedAt: timep(r, 8),
	}
}

// PutGrant implements [Grants].
func (l Ledger) PutGrant(ctx context.Context, owner lukasa.ID, g Grant) error {
	if g.Access != AccessRead && (g.Access != AccessReadWrite || KindOf(g.Subject) == "third_party") {
		return lukasa.Invalid("grant_type", "is %q, must be read or read_write, and read for a third party", g.Access)
	}
	return l.write(ctx, owner, func(s Statements) error {
		there := false
		if err := s.Query(func(Row) { there = true }, "SELECT 1 FROM nodes WHERE owner_id = ?1 AND id = ?5", g.Node); err != nil {
			return err
		}
		if !there {
			return lukasa.NotFound("node", g.Node)
		}
		at := orNow(s, g.GrantedAt)
		if _, err := s.Run("UPDATE grants SET revoked_at = ?7 WHERE owner_id = ?1 AND grantee_id = ?5 AND node_id = ?6 AND revoked_at IS NULL", g.Subject, g.Node, at); err != nil {
			return err
		}
		_, err := s.Run(`INSERT INTO grants (owner_id, id, node_id, grantee_id, grantor_id, access, created_at, expires_at, revoked_at)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`, g.ID, g.Node, g.Subject, g.Grantor, g.Access, at, g.ExpiresAt, g.RevokedAt)
		return err
	})
}

// RevokeGrant implements [Grants].
func (l Ledger) RevokeGrant(ctx context.Context, owner, id lukasa.ID, at time.Time) (g Grant, err error) {
	var list []Grant
	err = l.write(ctx, owner, func(s Statements) error {
		list = list[:0]
		if _, err := s.Run("UPDATE grants SET revoked_at = ?6 WHERE owner_id = ?1 AND id = ?5 AND revoked_at IS NULL", id, at); err != nil {
			return err
		}
		return s.Query(func(r Row) { list = append(list, scanGrant(r)) }, "SELECT "+grantColumns+" FROM "+grantTables+" WHERE g.owner_id = ?1 AND g.id = ?5", id)
	})
	return first(list, err, "grant", id)
}

// Grants implements [Grants].
func (l Ledger) Grants(ctx context.Context, owner lukasa.ID, f GrantFilter, p lukasa.Page) (list lukasa.Listing[Grant], err error) {
	c := map[string]any{"g.owner_id = ??": owner}
	if f.ID != "" {
		c["g.id = ??"] = f.ID
	}
	if f.Subject != "" {
		c["g.grantee_id = ??"] = f.Subject
	}
	if f.Node != "" {
		c["g.node_id = ??"] = f.Node
	}
	if f.Active != nil {
		c["g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > ??)"] = *f.Active
	}
	err = l.read(ctx, owner, func(s Statements) (err error) {
		list.Items = []Grant{}
		list.Next, list.Total, err = s.Lines(func(r Row) { list.Items = append(list.Items, scanGrant(r)) }, 'r', grantColumns, grantTables, "g.id", c, p)
		return err
	})
	return list, err
}

// Standing implements [Grants].
func (l Ledger) Standing(ctx context.Context, owner, grantee lukasa.ID, now time.Time) (out Standing, err error) {
	if owner == "" || grantee == "" {
		return out, nil
	}
	err = l.read(ctx, owner, func(s Statements) error {
		out = Standing{}
		if err := s.Query(func(r Row) { out.Root = lukasa.Path(r.Text(0)) }, "SELECT n.path FROM nodes n WHERE n.owner_id = ?1 AND n.id = ?5", grantee); err != nil {
			return err
		}
		var b strings.Builder
		err := s.Query(func(r Row) { b.WriteString(" " + r.Text(0) + "=" + r.Text(1)) }, "SELECT n.path, g.access FROM "+grantTables+
			` WHERE g.owner_id = ?1 AND g.grantee_id = ?5 AND g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > ?6) ORDER BY n.path`, grantee, now)
		if b.Len() > 0 {
			b.WriteString(" ")
		}
		out.Granted = b.String()
		return err
	})
	return out, err
}
