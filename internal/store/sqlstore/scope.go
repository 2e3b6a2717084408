package sqlstore

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Session is a connection in a transaction, for one scope. The first four parameters of all its statements are the scope:
// ?1 the owner, ?2 the root of the subtree, ?3 to whom grants are made out and ?4 the time by which they count, in microseconds; a
// statement's own begin at ?5.
type Session struct {
	sqlrows.Session
	dialect *Dialect
	ctx     context.Context // the caller's
	sc      lukasa.Scope
	now     func() time.Time
	spaces  []int // numbers of all embedding tables, read when first needed
	known   bool  // spaces is read
	past    bool  // the connection's views show the rows of a moment
	absent  store.Absences
	buried  *bool // whether anything lies in the trash, once it has been asked
	writes  bool  // what was granted for reading alone is not there
}

// alive says why the session cannot be used, if so.
func (s *Session) alive() error {
	if s.C == nil {
		return lukasa.Errorf(lukasa.CodeInternal, "a reader was used after its function returned")
	}
	return s.ctx.Err()
}

// orNow returns t, or now where the caller left it zero.
func (s *Session) orNow(t time.Time) time.Time {
	if t.IsZero() {
		return s.now()
	}
	return t
}

// within is the condition that every statement on behalf of a scope carries, and the only place where it is made: the row is
// the owner's, and its node stands in the subtree or was granted, that node alone. Grants are always today's.
func (s *Session) within(alias, table string) string {
	if s.sc.Root == "" {
		return alias + ".owner_id = ?1"
	}
	node := alias + ".node_id"
	if table == "nodes" {
		node = alias + ".id"
	}
	granted := ""
	if s.sc.Grantee != "" {
		granted = " OR EXISTS (SELECT 1 FROM grants gr WHERE gr.owner_id = ?1 AND gr.grantee_id = ?3 AND gr.node_id = vis.id AND gr.revoked_at IS NULL" +
			" AND (gr.expires_at IS NULL OR gr.expires_at > ?4)" + s.level() + ")"
	}
	return alias + ".owner_id = ?1 AND EXISTS (SELECT 1 FROM nodes vis WHERE vis.owner_id = ?1 AND vis.id = " + node +
		" AND (vis.path = ?2 OR (vis.path > ?2 || '.' AND vis.path < ?2 || '/')" + granted + "))" // "/" follows "."
}

// level is the condition for the grants that count.
func (s *Session) level() string {
	if s.writes {
		return " AND gr.access = 'read_write'"
	}
	return ""
}

// reaches reports whether the session may do at a path what it is there for: to read, or to write. What was granted is looked up.
func (s *Session) reaches(p lukasa.Path) bool {
	if s.sc.Grantee == "" || s.sc.Holds(p) {
		return s.sc.Holds(p)
	}
	ok, err := s.Has("SELECT 1 FROM nodes n WHERE n.path = ?5 AND "+s.within("n", "nodes"), p)
	return ok && err == nil
}

// visible is the condition for rows within the scope that do not lie in the trash. In a view of a moment, what was not yet
// known then is not visible either.
func (s *Session) visible(alias, table string) string {
	return s.within(alias, table) + s.shown(alias, table)
}

// trash reports whether anything of the owner is buried; mostly nothing is, and the rows of messages and the ends of edges need
// not be asked one by one.
func (s *Session) trash() bool {
	if s.buried == nil {
		has, err := s.Has(`SELECT 1 WHERE EXISTS (SELECT 1 FROM documents INDEXED BY documents_buried WHERE owner_id = ?1 AND buried_at > 0)
 OR EXISTS (SELECT 1 FROM memories INDEXED BY memories_trash WHERE owner_id = ?1 AND buried_at > 0)
 OR EXISTS (SELECT 1 FROM conversations INDEXED BY conversations_trash WHERE owner_id = ?1 AND buried_at > 0)`)
		if err != nil {
			return true
		}
		s.buried = &has
	}
	return *s.buried
}

func (s *Session) shown(alias, table string) string {
	switch table {
	case "documents", "memories", "conversations":
		return " AND " + alias + ".buried_at = 0"
	case "messages", "chunks":
		if s.past {
			return " AND EXISTS (SELECT 1 FROM documents tr WHERE tr.owner_id = ?1 AND tr.id = " + alias + ".document_id AND tr.buried_at = 0)"
		}
		if s.trash() {
			return " AND NOT EXISTS (SELECT 1 FROM documents tr INDEXED BY documents_buried WHERE tr.owner_id = ?1 AND tr.id = " + alias +
				".document_id AND tr.buried_at > 0)"
		}
	case "nodes":
		if s.past {
			return " AND " + alias + ".known_at <= " + s.dialect.Moment
		}
	}
	return ""
}

// where begins the conditions of a statement.
func where(sql string) sqlrows.Conditions {
	c := sqlrows.Conditions{Fixed: 4}
	c.Add(sql)
	return c
}

// maxPage is how many lines of a list are given out at once.
const maxPage = 100

// page runs a listing that is ordered by a key and then by id, and returns the ids of the stretch.
func (s *Session) page(kind byte, from, key, id string, c sqlrows.Conditions, desc bool, p lukasa.Page) (ids []lukasa.ID, next string, total int, err error) {
	rows, next, total, err := s.stretch(sqlrows.Stretch{Kind: kind, From: from, Key: key, ID: id, Descending: desc}, c, p)
	ids = make([]lukasa.ID, len(rows))
	for i := range rows {
		ids[i] = lukasa.ID(rows[i].ID)
	}
	return ids, next, total, err
}

func (s *Session) stretch(q sqlrows.Stretch, c sqlrows.Conditions, p lukasa.Page) ([]sqlrows.Position, string, int, error) {
	p.Limit = cmp.Or(p.Limit, 20)
	if p.Limit < 0 || p.Limit > maxPage {
		return nil, "", 0, lukasa.Invalid("limit", "is %d, must be 1 to 100", p.Limit)
	}
	if p.Offset < 0 {
		return nil, "", 0, lukasa.Invalid("offset", "is %d, must not be negative", p.Offset)
	}
	q.Cursor, q.Limit, q.Offset, q.Uncounted = p.Cursor, p.Limit, p.Offset, p.Uncounted
	return s.List(q, c)
}

// found runs a query of the scope for the one row that it has, or says that there is no such thing.
func found[T any](s *Session, what string, id any, scan func(sqlrows.Row) T, sql string, args ...any) (x T, err error) {
	ok, err := s.One(func(r sqlrows.Row) { x = scan(r) }, sql, args...)
	if err == nil && !ok {
		err = lukasa.NotFound(what, id)
	}
	return x, err
}

// owned binds a scanner of entries to the owner of the scope.
func owned(s *Session, scan func(lukasa.ID, sqlrows.Row) lukasa.Entry) func(sqlrows.Row) lukasa.Entry {
	return func(r sqlrows.Row) lukasa.Entry { return scan(s.sc.Owner, r) }
}

func scanID(r sqlrows.Row) lukasa.ID { return lukasa.ID(r.Text(0)) }
func scanText(r sqlrows.Row) string  { return r.Text(0) }
func scanInt(r sqlrows.Row) int      { return r.Int(0) }
func itoa(n int) string              { return strconv.Itoa(n) }

// Now is the moment of the transaction.
func (s *Session) Now() time.Time { return s.now() }
