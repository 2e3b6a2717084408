// Package lite opens SQLite files: connections that keep their prepared statements, a pool of readers, numbered steps of a
// schema with a backup before the first, and consistent copies.
package lite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"modernc.org/sqlite"

	"github.com/lukasa-memory/lukasa/internal/rows"
)

// maxStatements bounds the prepared statements that one connection keeps.
const maxStatements = 256

// Conn is one connection with the statements that it has prepared. It is used by one goroutine at a time. It speaks to the
// driver directly: database/sql would add a lock, a goroutine and a handful of allocations to each statement.
type Conn struct {
	raw   driver.Conn
	stmts map[string]*stmt
	many  map[string]string // statements of one row, as those of many
	args  []driver.NamedValue
}

type stmt struct {
	raw  driver.Stmt
	busy bool
	dest []driver.Value
	args []int // which argument each parameter takes; -1 for one that the statement does not mention
}

// Open opens a connection and runs the pragmas on it.
func Open(path string, pragmas ...string) (*Conn, error) {
	raw, err := new(sqlite.Driver).Open(path)
	if err != nil {
		return nil, err
	}
	c := &Conn{raw: raw, stmts: make(map[string]*stmt)}
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
		finalize(s.raw)
	}
	c.stmts = nil
	return c.raw.Close()
}

// finalize frees a statement. What SQLite returns here is the error of the statement's last run once more: whoever ran it has it.
func finalize(s driver.Stmt) { _ = s.Close() }

// endless is the context of statements that no caller may interrupt: those on the writer, where an interrupt would undo what
// others have in the same transaction, and those that end one.
func endless() context.Context {
	return context.Background() //nolint:forbidigo // no caller's context is at hand, and none may end these
}

// Script runs statements that are not worth keeping prepared, or several at once.
func (c *Conn) Script(sql string) error {
	s, err := c.raw.Prepare(sql)
	if err != nil {
		return err
	}
	defer finalize(s)
	_, err = s.(driver.StmtExecContext).ExecContext(endless(), nil)
	return err
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
	raw, err := c.raw.Prepare(text)
	if err != nil {
		return nil, false, err
	}
	keep = s == nil && len(c.stmts) < maxStatements
	s = &stmt{raw: raw, args: args}
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
		defer finalize(s.raw)
	}
	r, err := s.raw.(driver.StmtExecContext).ExecContext(endless(), c.bind(s, args))
	if err != nil {
		return 0, err
	}
	changed, _ = r.RowsAffected()
	return changed, nil
}

// Each runs a query and hands each row to fn; the row is valid until fn returns. With a ctx that can end, a query that
// runs long is interrupted: this must never be so on the writer, where an interrupt would undo the whole group.
func (c *Conn) Each(ctx context.Context, sql string, args []any, fn func(rows.Row) error) error {
	s, keep, err := c.prepare(sql)
	if err != nil {
		return err
	}
	if !keep {
		defer finalize(s.raw)
	}
	result, err := s.raw.(driver.StmtQueryContext).QueryContext(ctx, c.bind(s, args))
	if err != nil {
		return err
	}
	s.busy = true
	defer func() {
		_ = result.Close() // Next has said what there is to say
		s.busy = false
	}()
	if s.dest == nil {
		s.dest = make([]driver.Value, len(result.Columns()))
	}
	for n := 1; ; n++ {
		switch err := result.Next(s.dest); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if n%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fn(rows.Row(s.dest)); err != nil {
			return err
		}
	}
}

// bind turns arguments into what the driver takes: texts of any named type are texts, whole numbers are int64, times are
// microseconds since 1970 in UTC. What a statement does not mention is not copied.
func (c *Conn) bind(s *stmt, args []any) []driver.NamedValue {
	c.args = c.args[:0]
	for i, k := range s.args {
		v := driver.NamedValue{Ordinal: i + 1}
		switch {
		case k >= len(args):
			continue // the driver says that it is missing
		case k >= 0:
			v.Value = rows.Value(args[k])
		}
		c.args = append(c.args, v)
	}
	return c.args
}

// Run runs a statement of which only the error matters.
func (c *Conn) Run(sql string, args ...any) error {
	_, err := c.Exec(endless(), sql, args)
	return err
}
