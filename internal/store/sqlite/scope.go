package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// session is a connection in a transaction, for one scope. The first four parameters of all its statements are the scope:
// ?1 the owner, ?2 the root of the subtree, ?3 and ?4 the bounds of the paths below it; a statement's own begin at ?5.
type session struct {
	c      *conn
	ctx    context.Context // the caller's
	run    context.Context // what may interrupt a query; never the caller's on the writer
	sc     lukasa.Scope
	now    func() time.Time
	spaces []int // numbers of all embedding tables, read when first needed
	known  bool  // spaces is read
	args   []any // of the statement that is about to be bound
}

// visible is the condition that every statement on behalf of a scope carries, and the only place where it is made: the row
// is the owner's, and its node stands in the subtree.
func (s *session) visible(table, nodeColumn string) string {
	if s.sc.Root == "" {
		return table + ".owner_id = ?1"
	}
	return table + ".owner_id = ?1 AND EXISTS (SELECT 1 FROM nodes vis WHERE vis.owner_id = ?1 AND vis.id = " +
		table + "." + nodeColumn + " AND (vis.path = ?2 OR (vis.path > ?3 AND vis.path < ?4)))"
}

func (s *session) scoped(args []any) []any {
	if s.args == nil {
		root := string(s.sc.Root)
		s.args = []any{string(s.sc.Owner), root, root + ".", root + "/"} // "/" follows "."
	}
	s.args = append(s.args[:4], args...)
	return s.args
}

// alive says why the session cannot be used, if so.
func (s *session) alive() error {
	if s.c == nil {
		return lukasa.Errorf(lukasa.CodeInternal, "a reader was used after its function returned")
	}
	return s.ctx.Err()
}

// each runs a query of the scope.
func (s *session) each(fn func(row) error, sql string, args ...any) error {
	if err := s.alive(); err != nil {
		return fault(err)
	}
	return fault(s.c.each(s.run, sql, s.scoped(args), fn))
}

// while runs a query of the scope until fn wants no more rows, and reports whether it still does.
func (s *session) while(fn func(row) bool, sql string, args ...any) (on bool, err error) {
	on = true
	err = s.each(func(r row) error {
		if on = fn(r); !on {
			return errStop
		}
		return nil
	}, sql, args...)
	if errors.Is(err, errStop) {
		err = nil
	}
	return on, err
}

// errStop ends a query early.
var errStop = errors.New("stop")

// one runs a query of the scope for its first row, and reports whether there is one.
func (s *session) one(fn func(row), sql string, args ...any) (bool, error) {
	found := false
	err := s.each(func(r row) error {
		if !found {
			found = true
			fn(r)
		}
		return nil
	}, sql, args...)
	return found, err
}

// exec runs a statement of the scope and returns how many rows it changed and the last rowid.
func (s *session) exec(sql string, args ...any) (changed, rowid int64, err error) {
	if err := s.alive(); err != nil {
		return 0, 0, fault(err)
	}
	changed, rowid, err = s.c.exec(sql, s.scoped(args)...)
	return changed, rowid, fault(err)
}

// do runs a statement of which only the error matters.
func (s *session) do(sql string, args ...any) error {
	_, _, err := s.exec(sql, args...)
	return err
}

// into runs a query of the scope and appends what scan makes of each row.
func into[T any](s *session, list *[]T, scan func(row) T, sql string, args ...any) error {
	return s.each(func(r row) error {
		*list = append(*list, scan(r))
		return nil
	}, sql, args...)
}

// found runs a query of the scope for the one row that it has, or says that there is no such thing.
func found[T any](s *session, what string, id any, scan func(row) T, sql string, args ...any) (x T, err error) {
	ok, err := s.one(func(r row) { x = scan(r) }, sql, args...)
	if err == nil && !ok {
		err = lukasa.NotFound(what, id)
	}
	return x, err
}

// owned binds a scanner of entries to the owner of the scope.
func owned(s *session, scan func(lukasa.ID, row) lukasa.Entry) func(row) lukasa.Entry {
	return func(r row) lukasa.Entry { return scan(s.sc.Owner, r) }
}

func scanID(r row) lukasa.ID { return lukasa.ID(r.text(0)) }

func scanText(r row) string { return r.text(0) }

func scanInt(r row) int { return r.int(0) }
