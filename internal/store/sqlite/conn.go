package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// maxStatements bounds the prepared statements that one connection keeps.
const maxStatements = 256

// Conn is one connection with the statements that it has prepared. It is used by one goroutine at a time.
type Conn struct {
	raw   *handle
	uri   string
	stmts map[string]*stmt
	many  map[string]string // statements of one row, as those of many
}

type stmt struct {
	*query
	busy bool
	dest []driver.Value
	args []int // which argument each parameter takes; -1 for one that the statement does not mention
}

// OpenConn opens a connection to the file at an address and runs the pragmas on it.
func OpenConn(uri string, pragmas ...string) (*Conn, error) {
	raw, err := openHandle(uri)
	if err != nil {
		return nil, err
	}
	c := &Conn{raw: raw, uri: uri, stmts: make(map[string]*stmt)}
	for _, p := range pragmas {
		if err := c.Script("PRAGMA " + p); err != nil {
			_ = c.Close() // it was never used
			return nil, fmt.Errorf("set %s: %w", p, err)
		}
	}
	return c, nil
}

// Statements returns the texts of the statements that the connection keeps.
func (c *Conn) Statements() []string { return slices.Sorted(maps.Keys(c.stmts)) }

// Close frees the statements and closes the connection.
func (c *Conn) Close() error {
	for _, s := range c.stmts {
		s.free()
	}
	c.stmts = nil
	return c.raw.close()
}

// endless is the context of statements that no caller may interrupt: those on the writer, where an interrupt would undo what
// others have in the same transaction, and those that end one.
func endless() context.Context {
	return context.Background() //nolint:forbidigo // no caller's context is at hand, and none may end these
}

// Script runs statements that are not worth keeping prepared, or several at once.
func (c *Conn) Script(sql string) error {
	return c.raw.each(sql, func(q *query) error {
		defer q.free()
		return toEnd(q)
	})
}

// toEnd runs a statement to its end.
func toEnd(q *query) error {
	for {
		if more, err := q.step(); err != nil || !more {
			return err
		}
	}
}

// prepare returns a statement that is free to run. Statements are kept by their text.
func (c *Conn) prepare(sql string) (s *stmt, keep bool, err error) {
	if s = c.stmts[sql]; s != nil && !s.busy {
		return s, true, nil
	}
	text, args, err := parameters(sql)
	if err != nil {
		return nil, false, err
	}
	q, err := c.raw.prepare(text)
	if err != nil {
		return nil, false, err
	}
	keep = s == nil && len(c.stmts) < maxStatements
	s = &stmt{query: q, args: args}
	if keep {
		c.stmts[sql] = s
	}
	return s, keep, nil
}

// Exec runs a statement to its end and returns how many rows it changed. What runs is not interrupted.
func (c *Conn) Exec(_ context.Context, sql string, args []any) (changed int64, err error) {
	s, keep, err := c.prepare(sql)
	if err != nil {
		return 0, err
	}
	if !keep {
		defer s.free()
	}
	defer s.end()
	if err := s.take(args); err != nil {
		return 0, err
	}
	if err := toEnd(s.query); err != nil {
		return 0, err
	}
	return int64(sqlite3.Xsqlite3_changes(s.tls, s.db)), nil
}

// Each runs a query and hands each row to fn; the row is valid until fn returns. With a ctx that can end, a query that
// runs long is interrupted: this must never be so on the writer, where an interrupt would undo the whole group.
func (c *Conn) Each(ctx context.Context, sql string, args []any, fn func(sqlrows.Row) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, keep, err := c.prepare(sql)
	if err != nil {
		return err
	}
	if !keep {
		defer s.free()
	}
	s.busy = true
	defer func() {
		s.end()
		s.busy = false
	}()
	if err := s.take(args); err != nil {
		return err
	}
	if ctx.Done() != nil {
		defer s.watch(ctx)()
	}
	for n := 1; ; n++ {
		switch more, err := s.step(); {
		case err != nil && ctx.Err() != nil && Code(err) == CodeInterrupt:
			return ctx.Err()
		case err != nil || !more:
			return err
		}
		if n%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fn(s.row()); err != nil {
			return err
		}
	}
}

// row reads the row that the statement stands at.
func (s *stmt) row() sqlrows.Row {
	if n := s.columns(); len(s.dest) != n { // the first one, or the schema has changed
		s.dest = make([]driver.Value, n)
	}
	for i := range s.dest {
		s.dest[i] = s.value(i)
	}
	return sqlrows.Row(s.dest)
}

// take turns arguments into what SQLite takes and binds them: texts of any named type are texts, whole numbers are int64, times are
// microseconds since 1970 in UTC. What a statement does not mention is not copied.
func (s *stmt) take(args []any) error {
	for i, k := range s.args {
		if k >= len(args) {
			return fmt.Errorf("parameter %d of a statement has no argument", i+1)
		}
	}
	return s.bind(args, s.args)
}

// Run runs a statement of which only the error matters.
func (c *Conn) Run(sql string, args ...any) error {
	_, err := c.Exec(endless(), sql, args)
	return err
}
