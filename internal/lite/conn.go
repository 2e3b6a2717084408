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
	"reflect"
	"slices"
	"time"

	"modernc.org/sqlite"
)

// maxStatements bounds the prepared statements that one connection keeps.
const maxStatements = 256

// Conn is one connection with the statements that it has prepared. It is used by one goroutine at a time. It speaks to the
// driver directly: database/sql would add a lock, a goroutine and a handful of allocations to each statement.
type Conn struct {
	raw   driver.Conn
	stmts map[string]*stmt
	args  []driver.NamedValue
}

type stmt struct {
	raw  driver.Stmt
	busy bool
	dest []driver.Value
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
	raw, err := c.raw.Prepare(sql)
	if err != nil {
		return nil, false, err
	}
	keep = s == nil && len(c.stmts) < maxStatements
	s = &stmt{raw: raw}
	if keep {
		c.stmts[sql] = s
	}
	return s, keep, nil
}

// Exec runs a statement to its end and returns how many rows it changed and the last rowid.
func (c *Conn) Exec(sql string, args ...any) (changed, rowid int64, err error) {
	s, keep, err := c.prepare(sql)
	if err != nil {
		return 0, 0, err
	}
	if !keep {
		defer finalize(s.raw)
	}
	r, err := s.raw.(driver.StmtExecContext).ExecContext(endless(), c.bind(args))
	if err != nil {
		return 0, 0, err
	}
	changed, _ = r.RowsAffected()
	rowid, _ = r.LastInsertId()
	return changed, rowid, nil
}

// Each runs a query and hands each row to fn; the row is valid until fn returns. With a ctx that can end, a query that
// runs long is interrupted: this must never be so on the writer, where an interrupt would undo the whole group.
func (c *Conn) Each(ctx context.Context, sql string, args []any, fn func(Row) error) error {
	s, keep, err := c.prepare(sql)
	if err != nil {
		return err
	}
	if !keep {
		defer finalize(s.raw)
	}
	rows, err := s.raw.(driver.StmtQueryContext).QueryContext(ctx, c.bind(args))
	if err != nil {
		return err
	}
	s.busy = true
	defer func() {
		_ = rows.Close() // Next has said what there is to say
		s.busy = false
	}()
	if s.dest == nil {
		s.dest = make([]driver.Value, len(rows.Columns()))
	}
	for n := 1; ; n++ {
		switch err := rows.Next(s.dest); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if n%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := fn(Row(s.dest)); err != nil {
			return err
		}
	}
}

// bind turns arguments into what the driver takes: texts of any named type are texts, whole numbers are int64, times are
// microseconds since 1970 in UTC.
func (c *Conn) bind(args []any) []driver.NamedValue {
	c.args = c.args[:0]
	for i, a := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: bindValue(a)})
	}
	return c.args
}

func bindValue(a any) driver.Value {
	switch v := a.(type) {
	case nil, int64, float64, bool, []byte, string:
		return v
	case int:
		return int64(v)
	case time.Time:
		return v.UnixMicro()
	case *time.Time:
		if v == nil {
			return nil
		}
		return v.UnixMicro()
	}
	if v := reflect.ValueOf(a); v.Kind() == reflect.String {
		return v.String()
	}
	return a
}

// Row is one row of a result. A NULL reads as the zero value.
type Row []driver.Value

// Text reads a text.
func (r Row) Text(i int) string {
	s, _ := r[i].(string)
	return s
}

// Int reads a whole number.
func (r Row) Int(i int) int { return int(r.Int64(i)) }

// Int64 reads a whole number.
func (r Row) Int64(i int) int64 {
	n, _ := r[i].(int64)
	return n
}

// Bool reads a number as a truth value.
func (r Row) Bool(i int) bool { return r.Int64(i) != 0 }

// Float reads a number.
func (r Row) Float(i int) float64 {
	switch v := r[i].(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	}
	return 0
}

// Bytes reads bytes.
func (r Row) Bytes(i int) []byte {
	b, _ := r[i].([]byte)
	return b
}

// Time reads microseconds since 1970.
func (r Row) Time(i int) time.Time {
	if n, ok := r[i].(int64); ok {
		return time.UnixMicro(n).UTC()
	}
	return time.Time{}
}

// Timep reads a time that may be absent.
func (r Row) Timep(i int) *time.Time {
	if r[i] == nil {
		return nil
	}
	return new(r.Time(i))
}
