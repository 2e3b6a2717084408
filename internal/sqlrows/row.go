// Package sqlrows runs statements of SQL that several dialects share, over a connection of any of them: it reads rows, gathers
// conditions, and gives out lists a stretch at a time.
package sqlrows

import (
	"context"
	"database/sql/driver"
	"reflect"
	"time"
)

// Conn is a connection in a transaction. It is used by one goroutine at a time. Parameters are numbered, ?1 and so on.
type Conn interface {
	// Each runs a query and hands each row to fn; the row is valid until fn returns. fn may run further statements.
	Each(ctx context.Context, sql string, args []any, fn func(Row) error) error
	// Exec runs a statement to its end and returns how many rows it changed.
	Exec(ctx context.Context, sql string, args []any) (changed int64, err error)
}

// Queuer is a connection that may put off a statement of which only the error matters, until the next one whose result does; its
// error comes with that then, or with the end of the transaction.
type Queuer interface {
	Queue(ctx context.Context, sql string, args []any) error
}

// Value turns an argument into what a connection takes: texts of any named type are texts, whole numbers are int64, times are
// microseconds since 1970 in UTC.
func Value(a any) driver.Value {
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
	if s, ok := Text(a); ok {
		return s
	}
	return a
}

// Text returns an argument that is a text, of any named type.
func Text(a any) (s string, ok bool) {
	switch v := a.(type) {
	case string:
		return v, true
	case nil, int, int64, float64, bool, []byte, time.Time, *time.Time:
		return "", false
	}
	v := reflect.ValueOf(a)
	if v.Kind() != reflect.String {
		return "", false
	}
	return v.String(), true
}

// Row is one row of a result: int64, float64, string, []byte or nil. A NULL reads as the zero value.
type Row []driver.Value

// Written is a row of arguments as it will be read of a table that they are written to.
func Written(args ...any) Row {
	row := make(Row, len(args))
	for i, a := range args {
		switch v := Value(a); v {
		case true:
			row[i] = int64(1)
		case false:
			row[i] = int64(0)
		default:
			row[i] = v
		}
	}
	return row
}

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
