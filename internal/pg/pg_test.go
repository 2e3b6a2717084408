package pg

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// server returns the address of a PostgreSQL for tests.
func server(t *testing.T) string {
	t.Helper()
	url := os.Getenv("LUKASA_TEST_POSTGRES")
	if url == "" {
		t.Skip("needs postgres: set LUKASA_TEST_POSTGRES or run make servers")
	}
	return url
}

// open opens a pool with a schema of its own as its search path.
func open(t *testing.T, o Options) (*Pool, string) {
	t.Helper()
	if o.URL == "" {
		o.URL = server(t)
	}
	p, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	schema := "test_" + hex.EncodeToString(b[:])
	run(t, p, "CREATE SCHEMA "+schema)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if err := p.Write(ctx, "", func(c *Conn) error { return c.Script(ctx, "DROP SCHEMA IF EXISTS "+schema+" CASCADE") }); err != nil {
			t.Error(err)
		}
	})
	return p, schema
}

func run(t *testing.T, p *Pool, sql string) {
	t.Helper()
	if err := p.Write(t.Context(), "", func(c *Conn) error { return c.Script(t.Context(), sql) }); err != nil {
		t.Fatal(err)
	}
}

// modes runs a test over both kinds of connections, the shared ones through PgBouncer where there is one.
func modes(t *testing.T, fn func(t *testing.T, o Options)) {
	t.Run("direct", func(t *testing.T) {
		t.Parallel()
		fn(t, Options{URL: server(t)})
	})
	t.Run("pooled", func(t *testing.T) {
		t.Parallel()
		fn(t, Options{URL: server(t), Mode: Pooled})
	})
	t.Run("pgbouncer", func(t *testing.T) {
		t.Parallel()
		url := os.Getenv("LUKASA_TEST_PGBOUNCER")
		if url == "" {
			t.Skip("needs pgbouncer: set LUKASA_TEST_PGBOUNCER or run make servers")
		}
		fn(t, Options{URL: url, Mode: Pooled})
	})
}

type kind string

func TestValues(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, o Options) {
		p, schema := open(t, o)
		run(t, p, "CREATE TABLE "+schema+".v (n bigint, i2 smallint, f double precision, t text, b bytea, o boolean)")
		at := time.Date(2026, 11, 21, 5, 0, 0, 123456789, time.UTC)
		var none *time.Time
		var missing []byte
		bytes := []byte{0, 1, 255, '\\', 'x'}
		err := p.Write(t.Context(), "SET LOCAL search_path = "+schema, func(c *Conn) error {
			for _, args := range [][]any{
				{int64(1) << 62, 7, 0.1, "ä\u2028'\\", bytes, true}, {at, 0, 1e300, kind("word"), []byte{}, false}, {&at, 0, 0.0, "", missing, nil}, {none, nil, nil, nil, nil, nil},
			} {
				if n, err := c.Exec(t.Context(), "INSERT INTO v VALUES (?1, ?2, ?3, ?4, ?5, ?6)", args); err != nil || n != 1 {
					return fmt.Errorf("changed %d rows: %w", n, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []sqlrows.Row{
			{nil, nil, nil, nil, nil, nil},
			{at.UnixMicro(), int64(0), 1e300, "word", []byte{}, int64(0)},
			{at.UnixMicro(), int64(0), 0.0, "", nil, nil},
			{int64(1) << 62, int64(7), 0.1, "ä\u2028'\\", bytes, int64(1)},
		}
		var got []sqlrows.Row
		var sum sqlrows.Row
		err = p.Read(t.Context(), "SET LOCAL search_path = "+schema, func(c *Conn) error {
			got = nil
			if err := c.Each(t.Context(), "SELECT * FROM v WHERE ?3 = 'x' OR f IS NULL OR f > -1 ORDER BY n NULLS FIRST, t DESC", []any{1, 2, "x"}, func(r sqlrows.Row) error {
				got = append(got, r)
				return c.Each(t.Context(), "SELECT 1", nil, func(sqlrows.Row) error { return nil }) // a statement within a statement
			}); err != nil {
				return err
			}
			return c.Each(t.Context(), "SELECT sum(n), avg(i2), sum(f), count(*), max(t), sum(n) FILTER (WHERE FALSE), now() IS NOT NULL, 1.0 FROM v WHERE n < 9e15", nil,
				func(r sqlrows.Row) error { sum = r; return nil })
		})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(sqlrows.Row{2 * at.UnixMicro(), 0.0, 1e300, int64(2), "word", nil, int64(1), 1.0}, sum, cmp.Comparer(func(a, b float64) bool { return a == b })); d != "" {
			t.Error(d)
		}
	})
}

func TestLists(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, o Options) {
		p, _ := open(t, o)
		var got []sqlrows.Row
		err := p.Read(t.Context(), "", func(c *Conn) error {
			got = nil
			return c.Each(t.Context(), `SELECT j.key, j.value, (SELECT count(*) FROM json_each(?2)), (SELECT min(value) FROM json_each(?3)),
 (SELECT string_agg(k.value, ',') FROM json_each(?4, '$.l.m') k) FROM json_each(?1) j CROSS JOIN (SELECT 1 AS one) o ON o.one = 1 WHERE j.value IN (SELECT value FROM json_each(?1)) ORDER BY j.key DESC`,
				[]any{sqlrows.Set([]string{"a", "ü\"'"}), nil, "[]", `{"l":{"m":["p","q"]},"x":null}`}, func(r sqlrows.Row) error { got = append(got, r); return nil })
		})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]sqlrows.Row{{int64(1), "ü\"'", int64(0), nil, "p,q"}, {int64(0), "a", int64(0), nil, "p,q"}}, got); d != "" {
			t.Error(d)
		}
	})
}

func TestRefusedTexts(t *testing.T) {
	t.Parallel()
	p, _ := open(t, Options{})
	for _, s := range []string{"a\x00b", "\xff"} {
		err := p.Read(t.Context(), "", func(c *Conn) error {
			_, err := c.Exec(t.Context(), "SELECT ?1", []any{s})
			return err
		})
		if !errors.Is(err, ErrText) || !IsText(err) || !strings.Contains(err.Error(), "?1") {
			t.Errorf("%q: %v", s, err)
		}
	}
	err := p.Read(t.Context(), "", func(c *Conn) error {
		return c.Each(t.Context(), "SELECT value FROM json_each(?1)", []any{`["\u0000"]`}, func(sqlrows.Row) error { return nil })
	})
	if !IsText(err) {
		t.Errorf("JSON with U+0000: %v", err)
	}
	if err := p.Read(t.Context(), "", func(c *Conn) error { _, err := c.Exec(t.Context(), "SELECT ?2", []any{1}); return err }); !errors.Is(err, ErrStatement) {
		t.Errorf("a missing argument: %v", err)
	}
}

func TestRollsBack(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, o Options) {
		p, schema := open(t, o)
		run(t, p, "CREATE TABLE "+schema+".v (n bigint PRIMARY KEY)")
		insert := func(c *Conn, n int) error {
			_, err := c.Exec(t.Context(), "INSERT INTO "+schema+".v VALUES (?1)", []any{n})
			return err
		}
		own := errors.New("own")
		if err := p.Write(t.Context(), "", func(c *Conn) error { return errors.Join(insert(c, 1), own) }); !errors.Is(err, own) {
			t.Errorf("an error of the function: %v", err)
		}
		err := p.Write(t.Context(), "", func(c *Conn) error { return errors.Join(insert(c, 1), insert(c, 1)) })
		if !IsUnique(err) || !IsConstraint(err) || IsAway(err) {
			t.Errorf("a second row: %v", err)
		}
		if _, table, constraint := Detail(err); table != "v" || constraint != "v_pkey" {
			t.Errorf("details: %s, %s", table, constraint)
		}
		if err := p.Write(t.Context(), "", func(c *Conn) error { _, _ = insert(c, 2), insert(c, 2); return nil }); err == nil {
			t.Error("a failed statement was passed over, and the transaction said to be committed")
		}
		err = p.Write(t.Context(), "", func(c *Conn) error {
			if err := c.Script(t.Context(), "SAVEPOINT a"); err != nil {
				return err
			}
			_, _ = insert(c, 3), insert(c, 3)
			return errors.Join(c.Script(t.Context(), "ROLLBACK TO a"), insert(c, 4))
		})
		if err != nil {
			t.Errorf("back to a savepoint: %v", err)
		}
		if err := p.Read(t.Context(), "", func(c *Conn) error { return insert(c, 5) }); !IsReadOnly(err) {
			t.Errorf("a write in a read: %v", err)
		}
		var sum int
		if err := p.Read(t.Context(), "", func(c *Conn) error {
			return c.Each(t.Context(), "SELECT sum(n) FROM "+schema+".v", nil, func(r sqlrows.Row) error { sum = r.Int(0); return nil })
		}); err != nil || sum != 4 {
			t.Errorf("the table holds %d, %v", sum, err)
		}
	})
}

// Two transactions that take two rows in opposite orders: one is run again.
func TestDeadlockIsRunAgain(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, o Options) {
		p, schema := open(t, o)
		run(t, p, "CREATE TABLE "+schema+".v (n bigint PRIMARY KEY, c bigint); INSERT INTO "+schema+".v VALUES (1, 0), (2, 0)")
		var runs atomic.Int64
		var first, both sync.WaitGroup
		first.Add(2)
		for i := range 2 {
			both.Go(func() {
				met := false
				err := p.Write(t.Context(), "", func(c *Conn) error {
					runs.Add(1)
					if _, err := c.Exec(t.Context(), "UPDATE "+schema+".v SET c = c + 1 WHERE n = ?1", []any{1 + i}); err != nil {
						return err
					}
					if !met {
						met = true
						first.Done()
						first.Wait()
					}
					_, err := c.Exec(t.Context(), "UPDATE "+schema+".v SET c = c + 1 WHERE n = ?1", []any{2 - i})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		if runs.Load() < 3 {
			t.Errorf("the functions ran %d times: there was no deadlock", runs.Load())
		}
		var got []int
		if err := p.Read(t.Context(), "", func(c *Conn) error {
			got = nil
			return c.Each(t.Context(), "SELECT c FROM "+schema+".v ORDER BY n", nil, func(r sqlrows.Row) error { got = append(got, r.Int(0)); return nil })
		}); err != nil || !cmp.Equal(got, []int{2, 2}) {
			t.Errorf("counters are %v, %v", got, err)
		}
	})
}

// A connection that dies before COMMIT is replaced, and the function run again.
func TestLostConnection(t *testing.T) {
	t.Parallel()
	p, schema := open(t, Options{})
	run(t, p, "CREATE TABLE "+schema+".v (n bigint PRIMARY KEY)")
	for name, do := range map[string]func(context.Context, string, func(*Conn) error) error{"read": p.Read, "write": p.Write} {
		ran := 0
		err := do(t.Context(), "", func(c *Conn) error {
			ran++
			if ran == 1 {
				_, err := c.Exec(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())", nil)
				return err
			}
			_, err := c.Exec(t.Context(), "SELECT 1", nil)
			return err
		})
		if err != nil || ran != 2 {
			t.Errorf("%s ran %d times: %v", name, ran, err)
		}
		ran = 0
		err = do(t.Context(), "", func(c *Conn) error {
			ran++
			_, err := c.Exec(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())", nil)
			return err
		})
		if err == nil || ran != 1+maxLosses || !IsAway(err) {
			t.Errorf("%s that always kills its connection ran %d times: %v", name, ran, err)
		}
	}
	// One that the driver has closed by itself counts as one that broke, also when only what was queued is left to be sent.
	err := p.Write(t.Context(), "", func(c *Conn) error {
		_ = c.raw.Close(t.Context())
		_, err := c.Exec(t.Context(), "SELECT 1", nil)
		return err
	})
	if err == nil || !IsAway(err) {
		t.Errorf("a connection that the driver closed: %v", err)
	}
	ran := 0
	err = p.Write(t.Context(), "", func(c *Conn) error {
		if ran++; ran == 1 {
			return c.Queue(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())", nil)
		}
		return c.Queue(t.Context(), "SELECT 1", nil)
	})
	if err != nil || ran != 2 {
		t.Errorf("a queue that broke ran %d times: %v", ran, err)
	}
	// While COMMIT runs (a deferred trigger ends the session), nobody can say what came of it.
	run(t, p, "CREATE FUNCTION "+schema+`.die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER die AFTER INSERT ON `+schema+".v DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION "+schema+".die()")
	ran = 0
	err = p.Write(t.Context(), "", func(c *Conn) error {
		ran++
		_, err := c.Exec(t.Context(), "INSERT INTO "+schema+".v VALUES (1)", nil)
		return err
	})
	if !errors.Is(err, ErrUnknown) || ran != 1 {
		t.Errorf("a commit that broke: ran %d times, %v", ran, err)
	}
}

func TestContextEndsStatement(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, o Options) {
		o.MaxConns = 1
		p, _ := open(t, o)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		began := time.Now()
		err := p.Read(ctx, "", func(c *Conn) error {
			_, err := c.Exec(ctx, "SELECT pg_sleep(20)", nil)
			return err
		})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 4*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if err := p.Read(t.Context(), "", func(c *Conn) error { _, err := c.Exec(t.Context(), "SELECT 1", nil); return err }); err != nil {
			t.Errorf("the next one: %v", err)
		}
	})
}

func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, o Options) {
		o.StatementTimeout = 50 * time.Millisecond
		o.Application = "lukasa timeout test"
		p, _ := open(t, o)
		var name string
		err := p.Read(t.Context(), "", func(c *Conn) error {
			if err := c.Each(t.Context(), "SELECT current_setting('application_name')", nil, func(r sqlrows.Row) error { name = r.Text(0); return nil }); err != nil {
				return err
			}
			_, err := c.Exec(t.Context(), "SELECT pg_sleep(20)", nil)
			return err
		})
		if Code(err) != CodeCanceled || IsAway(err) {
			t.Error(err)
		}
		if name != o.Application {
			t.Errorf("the application is called %q", name)
		}
	})
}

func TestAway(t *testing.T) {
	t.Parallel()
	p, err := Open(t.Context(), Options{URL: "postgres://nobody@127.0.0.1:1/x?sslmode=disable", Patience: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	began := time.Now()
	err = p.Read(t.Context(), "", func(*Conn) error { return nil })
	if !errors.Is(err, ErrAway) || !IsAway(err) || time.Since(began) < 200*time.Millisecond || time.Since(began) > 3*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	url := strings.Replace(server(t), "/postgres?", "/no_such_database?", 1)
	q, err := Open(t.Context(), Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	began = time.Now()
	if err := q.Read(t.Context(), "", func(*Conn) error { return nil }); err == nil || IsAway(err) || time.Since(began) > 3*time.Second {
		t.Errorf("a database that does not exist, after %v: %v", time.Since(began), err)
	}
	if _, err := Open(t.Context(), Options{URL: "postgres://u:secret@[::1/x"}); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a bad address: %v", err)
	}
	if _, err := Open(t.Context(), Options{Mode: "shared"}); err == nil {
		t.Error("a mode that there is not was taken")
	}
}

// A statement that was prepared before a table changed is prepared again, and no more than a bound are kept.
func TestPreparedStatements(t *testing.T) {
	t.Parallel()
	p, schema := open(t, Options{MaxConns: 1})
	run(t, p, "CREATE TABLE "+schema+".v (n bigint); INSERT INTO "+schema+".v VALUES (1)")
	columns := 0
	read := func() error {
		return p.Read(t.Context(), "", func(c *Conn) error {
			return c.Each(t.Context(), "SELECT * FROM "+schema+".v", nil, func(r sqlrows.Row) error { columns = len(r); return nil })
		})
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	run(t, p, "ALTER TABLE "+schema+".v ADD COLUMN m bigint")
	if err := read(); err != nil || columns != 2 {
		t.Errorf("after a change of the table: %d columns, %v", columns, err)
	}
	err := p.Read(t.Context(), "", func(c *Conn) error {
		for i := range maxStatements + 50 {
			if _, err := c.Exec(t.Context(), fmt.Sprintf("SELECT %d", i), nil); err != nil {
				return err
			}
		}
		kept := 0
		if err := c.Each(t.Context(), "SELECT count(*) FROM pg_prepared_statements", nil, func(r sqlrows.Row) error { kept = r.Int(0); return nil }); err != nil {
			return err
		}
		if kept > maxStatements+5 || kept < maxStatements-1 || len(c.kept.byText) > maxStatements {
			t.Errorf("%d statements are kept", kept)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The same text may mean another table where the search path is another one.
func TestPreparedBySearchPath(t *testing.T) {
	t.Parallel()
	p, schema := open(t, Options{MaxConns: 1})
	run(t, p, "CREATE TABLE "+schema+".v (n bigint); INSERT INTO "+schema+".v VALUES (1); CREATE SCHEMA "+schema+"_2; CREATE TABLE "+schema+"_2.v (n text, m text); INSERT INTO "+schema+"_2.v VALUES ('a', 'b')")
	defer run(t, p, "DROP SCHEMA "+schema+"_2 CASCADE")
	for range 2 {
		for name, want := range map[string]sqlrows.Row{schema: {int64(1)}, schema + "_2": {"a", "b"}} {
			ran := 0
			err := p.Read(t.Context(), "SET LOCAL search_path = "+name+"; SET LOCAL lukasa.x = 'y'", func(c *Conn) error {
				ran++
				return c.Each(t.Context(), "SELECT * FROM v", nil, func(r sqlrows.Row) error {
					if d := cmp.Diff(want, r); d != "" {
						t.Error(d)
					}
					return nil
				})
			})
			if err != nil || ran != 1 {
				t.Errorf("ran %d times: %v", ran, err)
			}
		}
	}
}

func TestRole(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, o Options) {
		o.Role = "pg_monitor"
		p, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		role := ""
		if err := p.Read(t.Context(), "", func(c *Conn) error {
			return c.Each(t.Context(), "SELECT current_user::text", nil, func(r sqlrows.Row) error { role = r.Text(0); return nil })
		}); err != nil || role != o.Role {
			t.Errorf("%q, %v", role, err)
		}
	})
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	p, schema := open(t, Options{})
	name := schema + "_m"
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		_ = p.Write(ctx, "", func(c *Conn) error { return c.Script(ctx, "DROP SCHEMA "+name+" CASCADE") })
	})
	steps, err := Steps(fstest.MapFS{
		"0001_a.sql": {Data: []byte("CREATE TABLE a (n bigint); CREATE TABLE b (n bigint);")}, "0002_b.sql": {Data: []byte("INSERT INTO a VALUES (1)")}, "0003_c.sql": {Data: []byte("CREATE TABLE c (n bigint)")},
	}, "*.sql")
	if err != nil || len(steps) != 3 {
		t.Fatal(steps, err)
	}
	count := func() (n int) {
		t.Helper()
		if err := p.Read(t.Context(), "", func(c *Conn) error {
			return c.Each(t.Context(), "SELECT count(*) FROM "+name+".a", nil, func(r sqlrows.Row) error { n = r.Int(0); return nil })
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	var all sync.WaitGroup
	for range 4 { // at once
		all.Go(func() {
			if err := Migrate(t.Context(), p, Schema{Name: name, Steps: steps[:2]}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := count(); n != 1 {
		t.Errorf("step 2 was applied %d times", n)
	}
	part := func(sql string) []Step { return []Step{{Name: "part", SQL: sql}} }
	always := Schema{Name: name, Steps: steps, Always: part("INSERT INTO a VALUES (3)")}
	for _, c := range []struct {
		s    Schema
		rows int
	}{
		{Schema{Name: name, Steps: steps[:2], Always: part("INSERT INTO a VALUES (2)")}, 2},
		{Schema{Name: name, Steps: steps[:2], Always: part("INSERT INTO a VALUES (2)")}, 2}, // as it was
		{Schema{Name: name, Steps: steps, Always: part("INSERT INTO a VALUES (2)")}, 3},     // after a step
		{always, 4}, // with another text
		{always, 4},
	} {
		if err := Migrate(t.Context(), p, c.s); err != nil || count() != c.rows {
			t.Errorf("%v: %d rows, want %d", err, count(), c.rows)
		}
	}
	if err := Migrate(t.Context(), p, Schema{Name: name, Steps: steps[:2], Always: part("INSERT INTO a VALUES (4)")}); err != nil || count() != 4 {
		t.Errorf("a program that is one version behind: %v, %d rows", err, count())
	}
	var wrong *SchemaError
	if err := Migrate(t.Context(), p, Schema{Name: name, Steps: steps[:1]}); !errors.As(err, &wrong) || wrong.Has != 3 || wrong.Hint() == "" {
		t.Errorf("a program that is two versions behind: %v", err)
	}
	other := []Step{steps[0], {2, "0002_b.sql", "SELECT 2"}}
	if err := Migrate(t.Context(), p, Schema{Name: name, Steps: other}); !errors.As(err, &wrong) || wrong.Step != "0002_b.sql" {
		t.Errorf("a step that has changed: %v", err)
	}
	broken := append(steps[:3:3], Step{4, "0004_d.sql", "CREATE TABLE d (n bigint); SELECT nonsense"})
	if err := Migrate(t.Context(), p, Schema{Name: name, Steps: broken}); Code(err) != "42703" || !strings.Contains(err.Error(), "0004_d.sql") {
		t.Errorf("a step that fails: %v", err)
	}
	if err := Migrate(t.Context(), p, always); err != nil {
		t.Errorf("a step that failed left something behind: %v", err)
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	p, schema := open(t, Options{Application: "lukasa listen test"})
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan string, 10)
	done := make(chan error, 1)
	channel := schema + `"x`
	go func() { done <- p.Listen(ctx, channel, func(s string) { heard <- s }) }()
	next := func() string {
		t.Helper()
		select {
		case s := <-heard:
			return s
		case <-time.After(10 * time.Second):
			t.Fatal("nothing was heard")
			return ""
		}
	}
	say := func(text string) {
		t.Helper()
		if err := p.Write(t.Context(), "", func(c *Conn) error { return Notify(t.Context(), c, channel, text) }); err != nil {
			t.Fatal(err)
		}
	}
	if s := next(); s != "" {
		t.Fatalf("heard %q before anything was said", s)
	}
	say("one")
	if s := next(); s != "one" {
		t.Errorf("heard %q", s)
	}
	if err := p.Write(t.Context(), "", func(c *Conn) error {
		return errors.Join(Notify(t.Context(), c, channel, "never"), errors.New("no"))
	}); err == nil {
		t.Error("the transaction was committed")
	}
	run(t, p, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%"+schema+"%' AND pid <> pg_backend_pid()")
	if s := next(); s != "" {
		t.Errorf("heard %q, want to be told that something may have been missed", s)
	}
	say("two")
	if s := next(); s != "two" {
		t.Errorf("heard %q", s)
	}
	if err := p.Write(t.Context(), "", func(c *Conn) error { return Notify(t.Context(), c, channel, strings.Repeat("x", 8000)) }); err == nil {
		t.Error("a text that is too long was taken")
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	q, err := Open(t.Context(), Options{URL: server(t), Mode: Pooled})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if err := q.Listen(t.Context(), "x", func(string) {}); err == nil || q.CanListen() {
		t.Error("a shared connection can listen")
	}
}

func TestQuotes(t *testing.T) {
	t.Parallel()
	p, schema := open(t, Options{})
	for _, s := range []string{"", "a'b", `a\'b`, `\\`, `"`, "ü$1?1;--", "%s"} {
		for _, conforming := range []string{"on", "off"} {
			got := "-"
			err := p.Read(t.Context(), "SET LOCAL standard_conforming_strings = "+conforming+"; SELECT set_config('lukasa.claim', "+Text(s)+", true)", func(c *Conn) error {
				return c.Each(t.Context(), "SELECT current_setting('lukasa.claim')", nil, func(r sqlrows.Row) error { got = r.Text(0); return nil })
			})
			if err != nil || got != s {
				t.Errorf("%q became %q: %v", s, got, err)
			}
		}
	}
	run(t, p, "CREATE TABLE "+schema+"."+Name(`a"b c`)+" (n bigint)")
}
