package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// TestValuesComeBackAsTheyWere binds values of every kind and reads them again, also where a statement has run with longer ones before.
func TestValuesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	type name string
	c := newConn(t, filepath.Join(t.TempDir(), "x.db"))
	long := strings.Repeat("über ", roomKept)
	at := time.Date(2026, 11, 22, 1, 2, 3, 4000, time.UTC)
	for _, x := range []struct {
		in, out any
		kind    string
	}{
		{nil, nil, "null"},
		{int64(-1 << 62), int64(-1 << 62), "integer"},
		{7, int64(7), "integer"},
		{0.25, 0.25, "real"},
		{true, int64(1), "integer"},
		{false, int64(0), "integer"},
		{"", "", "text"},
		{"a\x00b", "a\x00b", "text"},
		{name("Ada"), "Ada", "text"},
		{long, long, "text"},
		{[]byte(nil), nil, "null"},
		{[]byte{}, []byte(nil), "blob"},
		{[]byte{0, 1, 255}, []byte{0, 1, 255}, "blob"},
		{[]byte(long), []byte(long), "blob"},
		{at, at.UnixMicro(), "integer"},
		{(*time.Time)(nil), nil, "null"},
		{"short", "short", "text"},
	} {
		ran := false
		err := c.Each(t.Context(), "SELECT ?2, typeof(?2), ?4", []any{"unused", x.in, "unused", "last"}, func(r sqlrows.Row) error {
			if ran = true; !reflect.DeepEqual(r[0], x.out) || r.Text(1) != x.kind || r.Text(2) != "last" {
				t.Errorf("%T of %.20q came back as %T, %.40q, with %.20q", x.in, fmt.Sprint(x.in), r[0], r[1:], fmt.Sprint(r[0]))
			}
			return nil
		})
		if err != nil || !ran {
			t.Errorf("%T: %v, a row: %v", x.in, err, ran)
		}
	}
	for _, s := range c.stmts {
		if s.size > roomKept {
			t.Errorf("a statement keeps %d bytes", s.size)
		}
	}
	if err := c.Run("SELECT ?1", struct{}{}); err == nil {
		t.Error("a value of no kind was bound")
	}
	if err := c.Run("SELECT ?1, ?2", 1); err == nil {
		t.Error("a parameter without an argument was bound")
	}
}

func TestStatementsRunWithinStatements(t *testing.T) {
	t.Parallel()
	c := newConn(t, filepath.Join(t.TempDir(), "x.db"))
	if err := c.Script("CREATE TABLE t (a INTEGER, b TEXT); -- and its rows\nINSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three');\n"); err != nil {
		t.Fatal(err)
	}
	const sql = "SELECT a, b FROM t WHERE a > ?1 ORDER BY a"
	var got []string
	err := c.Each(t.Context(), sql, []any{0}, func(r sqlrows.Row) error {
		a, b := r.Int(0), r.Text(1)
		return c.Each(t.Context(), sql, []any{a}, func(r sqlrows.Row) error {
			got = append(got, fmt.Sprintf("%d %s %d %s", a, b, r.Int(0), r.Text(1)))
			return nil
		})
	})
	if want := []string{"1 one 2 two", "1 one 3 three", "2 two 3 three"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if n, err := c.Exec(t.Context(), "UPDATE t SET b = ?1 WHERE a < ?2", []any{"x", 3}); err != nil || n != 2 {
		t.Errorf("changed %d rows, %v, want 2", n, err)
	}
	if err := c.Script("ALTER TABLE t ADD COLUMN c TEXT DEFAULT 'new'"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{3, 4} { // the statement is kept, and has another column then
		wide := 0
		if err := c.Each(t.Context(), "SELECT * FROM t WHERE a = ?1", []any{1}, func(r sqlrows.Row) error { wide = len(r); return nil }); err != nil || wide != want {
			t.Errorf("a row of %d columns, %v, want %d", wide, err, want)
		}
		if err := c.Script(fmt.Sprintf("ALTER TABLE t ADD COLUMN d%d TEXT", want)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFaultsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := newConn(t, filepath.Join(t.TempDir(), "x.db"))
	if err := c.Script("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL UNIQUE); INSERT INTO t VALUES (1, 'one')"); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		sql, says string
		code      int
	}{
		{"INSERT INTO t VALUES (2, 'one')", "UNIQUE constraint failed: t.b", 2067},
		{"INSERT INTO t VALUES (1, 'two')", "UNIQUE constraint failed: t.a", 1555},
		{"INSERT INTO t VALUES (2, NULL)", "NOT NULL constraint failed: t.b", 1299},
		{"SELECT missing FROM t", "no such column: missing", 1},
		{"SELEC", "syntax error", 1},
	} {
		if err := c.Run(x.sql); Code(err) != x.code || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: got %v of code %d, want %q of code %d", x.sql, err, Code(err), x.says, x.code)
		}
	}
	for _, sql := range []string{"SELECT 1; SELECT 2", "", " -- nothing"} {
		if err := c.Run(sql); err == nil {
			t.Errorf("%q was taken for one statement", sql)
		}
	}
	if err := c.Run("INSERT INTO t VALUES (2, 'two')"); err != nil {
		t.Error("after faults:", err)
	}
	if _, err := OpenConn(URI(filepath.Join(t.TempDir(), "missing", "x.db")), "journal_mode=WAL"); Code(err)&0xff != CodeCantOpen {
		t.Errorf("a file in a folder that is not there: %v", err)
	}
}

// TestOnlyWhatRunsIsInterrupted ends long queries by their context, and asks on the same connection right behind them.
func TestOnlyWhatRunsIsInterrupted(t *testing.T) {
	t.Parallel()
	c := newConn(t, filepath.Join(t.TempDir(), "x.db"))
	const endlessly = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
	for i := range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*200*time.Microsecond)
		err := c.Each(ctx, endlessly, nil, func(sqlrows.Row) error { return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("a query without an end came back with %v", err)
		}
		for range 20 {
			if ok, err := one(t.Context(), c, "SELECT ?1", "on"); err != nil || ok != "on" {
				t.Fatalf("behind it: %q, %v", ok, err)
			}
		}
		cancel()
	}
	ctx, cancel := context.WithCancel(t.Context())
	var seen bytes.Buffer
	err := c.Each(ctx, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", nil, func(r sqlrows.Row) error {
		if fmt.Fprint(&seen, r.Int(0)); r.Int(0) == 5 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(seen.String(), "12345") {
		t.Errorf("a query that was given up at its fifth row: %v after %.20s", err, seen.String())
	}
	if err := c.Each(ctx, "SELECT 1", nil, func(sqlrows.Row) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a query for nobody: %v", err)
	}
}

func one(ctx context.Context, c *Conn, sql string, args ...any) (text string, err error) {
	err = c.Each(ctx, sql, args, func(r sqlrows.Row) error {
		text = r.Text(0)
		return nil
	})
	return text, err
}
