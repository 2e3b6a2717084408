package store

import (
	"context"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// PrefixOrganisation leads the ids of organisations. An organisation is an owner like a user, and has a row among the users: its
// records, keys, grants, limits and acts are kept as anybody's are.
const PrefixOrganisation lukasa.Prefix = "org"

// What a member of an organisation may do. Each may do what the ones after it may.
const (
	MemberOwner  = "owner"  // rename and delete it, and say who its owners are
	MemberAdmin  = "admin"  // manage its members and keys
	MemberPlain  = "member" // read and write
	MemberViewer = "viewer" // read
)

// RankOf orders roles: the more, the higher. What is no role has none.
func RankOf(role string) int {
	switch role {
	case MemberOwner:
		return 4
	case MemberAdmin:
		return 3
	case MemberPlain:
		return 2
	case MemberViewer:
		return 1
	}
	return 0
}

// Member is a user's place in an organisation.
type Member struct {
	Org       lukasa.ID `json:"organisation_id"`
	OrgName   string    `json:"organisation"`
	User      lukasa.ID `json:"user_id"`
	Name      string    `json:"name"` // of the user
	Role      string    `json:"role"`
	AddedBy   lukasa.ID `json:"added_by"`
	AddedAt   time.Time `json:"added_at"`
	ChangedAt time.Time `json:"changed_at"` // when the role was last given
	Gone      bool      `json:"-"`          // the user or the organisation lies in the trash: nothing is to be done as this member
}

// Members keeps who belongs to organisations, and as what. It is not bound to a scope: the auth room decides who may ask.
type Members interface {
	// PutMember adds a member, or gives one another role. An organisation or a user who is not there is [lukasa.CodeNotFound]; taking
	// the role from the last owner who is not in the trash is [lukasa.CodeConflict].
	PutMember(ctx context.Context, m Member) error
	// RemoveMember takes a member out and revokes the member's keys to the organisation. The last owner stays, as for PutMember.
	RemoveMember(ctx context.Context, org, user lukasa.ID, at time.Time) (Member, error)
	// LeaveAll takes a user who goes for good out of all organisations, with all keys to them.
	LeaveAll(ctx context.Context, user lukasa.ID) error
	// Member returns one member.
	Member(ctx context.Context, org, user lukasa.ID) (Member, error)
	// Members lists those of an organisation (all for ""), owners first, then by name.
	Members(ctx context.Context, org lukasa.ID) ([]Member, error)
	// Memberships lists the organisations of a user, by name.
	Memberships(ctx context.Context, user lukasa.ID) ([]Member, error)
	// Valid returns those of the keys that open anything at a time: neither revoked nor expired, of a user or organisation that is
	// not in the trash, and of a member who still is one; and that are bound to what they were bound to.
	Valid(ctx context.Context, keys []OwnedKey, now time.Time) (map[lukasa.ID]bool, error)
}

// OwnedKey names a key with the owner whose records it opens, and with what it was bound to when that was read.
type OwnedKey struct {
	Owner, Key lukasa.ID
	Root       lukasa.Path
}

const (
	memberColumns = "m.owner_id, o.name, m.user_id, u.name, m.role, m.added_by, m.created_at, m.changed_at, o.settings, u.settings"
	memberTables  = "members m JOIN users o ON o.owner_id = m.owner_id JOIN users u ON u.owner_id = m.user_id"
)

func scanMember(r Row) Member {
	return Member{
		Org: lukasa.ID(r.Text(0)), OrgName: r.Text(1), User: lukasa.ID(r.Text(2)), Name: r.Text(3), Role: r.Text(4), AddedBy: lukasa.ID(r.Text(5)),
		AddedAt: r.Time(6), ChangedAt: r.Time(7), Gone: inTrash(r, 8) || inTrash(r, 9),
	}
}

// inTrash reports whether settings are those of a user in the trash.
func inTrash(r Row, i int) bool { return r.Text(i) != "" && r.Object(i)["deleted_at"] != nil }

// PutMember implements [Members]. It runs for all owners, as the user is another one than the organisation.
func (l Ledger) PutMember(ctx context.Context, m Member) error {
	if RankOf(m.Role) == 0 {
		return lukasa.Invalid("role", "is %q, must be owner, admin, member or viewer", m.Role)
	}
	return l.write(ctx, "", func(s Statements) error {
		for what, id := range map[string]lukasa.ID{"organisation": m.Org, "user": m.User} {
			there := false
			if err := s.Query(func(Row) { there = true }, "SELECT 1 FROM users WHERE owner_id = ?5", id); err != nil {
				return err
			}
			if !there || (what == "organisation") != (id.Prefix() == PrefixOrganisation) {
				return lukasa.NotFound(what, id)
			}
		}
		if m.Role != MemberOwner {
			if err := anotherOwner(s, m.Org, m.User); err != nil {
				return err
			}
		}
		at := orNow(s, m.AddedAt)
		_, err := s.Run(`INSERT INTO members (owner_id, user_id, role, added_by, created_at, changed_at) VALUES (?5, ?6, ?7, ?8, ?9, ?9)
ON CONFLICT (owner_id, user_id) DO UPDATE SET role = excluded.role, changed_at = excluded.changed_at`, m.Org, m.User, m.Role, m.AddedBy, at)
		return err
	})
}

// anotherOwner returns an error where the user is the only owner of the organisation who is not in the trash.
func anotherOwner(s Statements, org, user lukasa.ID) error {
	is, others := false, 0
	err := s.Query(func(r Row) {
		switch m := scanMember(r); {
		case m.User == user:
			is = true
		case !m.Gone:
			others++
		}
	}, "SELECT "+memberColumns+" FROM "+memberTables+" WHERE m.owner_id = ?5 AND m.role = 'owner'", org)
	if err == nil && is && others == 0 {
		err = &lukasa.Error{Code: lukasa.CodeConflict, Msg: "an organisation keeps at least one owner", Hint: "make another member an owner first, or delete the organisation"}
	}
	return err
}

// RemoveMember implements [Members].
func (l Ledger) RemoveMember(ctx context.Context, org, user lukasa.ID, at time.Time) (m Member, err error) {
	var list []Member
	err = l.write(ctx, "", func(s Statements) error {
		list = list[:0]
		if err := s.Query(func(r Row) { list = append(list, scanMember(r)) }, "SELECT "+memberColumns+" FROM "+memberTables+" WHERE m.owner_id = ?5 AND m.user_id = ?6", org, user); err != nil || len(list) == 0 {
			return err
		}
		if err := anotherOwner(s, org, user); err != nil {
			return err
		}
		if _, err := s.Run("UPDATE api_keys SET revoked_at = ?7 WHERE owner_id = ?5 AND member_id = ?6 AND revoked_at IS NULL", org, user, at); err != nil {
			return err
		}
		_, err := s.Run("DELETE FROM members WHERE owner_id = ?5 AND user_id = ?6", org, user)
		return err
	})
	return first(list, err, "member", user)
}

// LeaveAll implements [Members].
func (l Ledger) LeaveAll(ctx context.Context, user lukasa.ID) error {
	if user == "" {
		return nil
	}
	return l.write(ctx, "", func(s Statements) error {
		if _, err := s.Run("DELETE FROM api_keys WHERE member_id = ?5", user); err != nil {
			return err
		}
		_, err := s.Run("DELETE FROM members WHERE user_id = ?5", user)
		return err
	})
}

// Member implements [Members].
func (l Ledger) Member(ctx context.Context, org, user lukasa.ID) (Member, error) {
	list, err := collect(ctx, l, "", scanMember, "SELECT "+memberColumns+" FROM "+memberTables+" WHERE m.owner_id = ?5 AND m.user_id = ?6", org, user)
	return first(list, err, "member", user)
}

// Members implements [Members].
func (l Ledger) Members(ctx context.Context, org lukasa.ID) ([]Member, error) {
	return collect(ctx, l, "", scanMember, "SELECT "+memberColumns+" FROM "+memberTables+` WHERE ?5 = '' OR m.owner_id = ?5
ORDER BY o.name, m.owner_id, CASE m.role WHEN 'owner' THEN 1 WHEN 'admin' THEN 2 WHEN 'member' THEN 3 ELSE 4 END, u.name, m.user_id`, org)
}

// Memberships implements [Members].
func (l Ledger) Memberships(ctx context.Context, user lukasa.ID) ([]Member, error) {
	return collect(ctx, l, "", scanMember, "SELECT "+memberColumns+" FROM "+memberTables+" WHERE m.user_id = ?5 ORDER BY o.name, m.owner_id", user)
}

// Valid implements [Members].
func (l Ledger) Valid(ctx context.Context, keys []OwnedKey, now time.Time) (map[lukasa.ID]bool, error) {
	valid := map[lukasa.ID]bool{}
	var owners, ids []string
	roots := map[lukasa.ID]lukasa.Path{}
	for _, k := range keys {
		owners, ids = append(owners, string(k.Owner)), append(ids, string(k.Key))
		roots[k.Key] = k.Root
	}
	set := func(l []string) string { return `["` + strings.Join(l, `","`) + `"]` } // ids need no quoting
	err := l.read(ctx, "", func(s Statements) error {
		clear(valid)
		return s.Query(func(r Row) {
			if id := lukasa.ID(r.Text(0)); !inTrash(r, 1) && !inTrash(r, 2) && roots[id] == lukasa.Path(r.Text(3)) {
				valid[id] = true
			}
		}, `SELECT k.id, o.settings, u.settings, k.root FROM api_keys k JOIN users o ON o.owner_id = k.owner_id
 LEFT JOIN members m ON m.owner_id = k.owner_id AND m.user_id = k.member_id LEFT JOIN users u ON u.owner_id = m.user_id
WHERE k.owner_id IN (SELECT value FROM json_each(?5)) AND k.id IN (SELECT value FROM json_each(?6)) AND k.revoked_at IS NULL
 AND (k.expires_at IS NULL OR k.expires_at > ?7) AND (k.member_id = '' OR u.owner_id IS NOT NULL)`, set(owners), set(ids), now)
	})
	return valid, err
}
