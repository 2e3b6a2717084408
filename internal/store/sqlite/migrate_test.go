package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lukasa-memory/lukasa"
)

func newConn(t *testing.T, path string) *conn {
	t.Helper()
	var c *conn
	err := untilFree(t.Context(), 1e10, func() (err error) {
		c, err = openConn(fileURI(path), "busy_timeout=0", "journal_mode=WAL")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

func scalar(t *testing.T, c *conn, sql string) (n int) {
	t.Helper()
	if err := c.each(context.Background(), sql, nil, func(r row) error { n = r.int(0); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

var testSteps = []migration{
	{1, "0001_a.sql", "CREATE TABLE a (x); INSERT INTO a VALUES (1);"},
	{2, "0002_b.sql", "CREATE TABLE b (y); INSERT INTO b SELECT x + 1 FROM a;"},
}

func TestMigrationsRunOnceWithABackup(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	c := newConn(t, path)
	for range 2 { // the second time finds it done
		if err := migrate(t.Context(), c, path, testSteps[:1]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path + ".bak-0"); err == nil {
		t.Error("a new store was backed up")
	}
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs { // several processes come at once
		other := newConn(t, path)
		wg.Go(func() { errs[i] = migrate(t.Context(), other, path, testSteps) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if n := scalar(t, c, "SELECT count(*) * 10 + max(y) FROM b"); n != 12 {
		t.Errorf("the second step left %d, want one row of 2", n)
	}
	old := newConn(t, path+".bak-1")
	if n := scalar(t, old, "SELECT count(*) FROM sqlite_schema WHERE name = 'b'"); n != 0 {
		t.Error("the backup is not of the time before")
	}
	if n := scalar(t, old, "SELECT x FROM a"); n != 1 {
		t.Error("the backup lacks rows")
	}
}

func TestAFailedMigrationChangesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	c := newConn(t, path)
	bad := []migration{testSteps[0], {2, "0002_bad.sql", "CREATE TABLE c (z); INSERT INTO nowhere VALUES (1);"}}
	if err := migrate(t.Context(), c, path, bad); err == nil {
		t.Fatal("no error")
	}
	if n := scalar(t, c, "SELECT count(*) FROM sqlite_schema WHERE name IN ('a', 'c', 'schema_migrations')"); n != 0 {
		t.Errorf("%d tables are left", n)
	}
	if err := migrate(t.Context(), c, path, testSteps); err != nil {
		t.Fatal(err)
	}
}

func TestOtherSchemasAreRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	c := newConn(t, path)
	if err := c.script("INSERT INTO schema_migrations VALUES (9999, 'x', 'y', 0)"); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path, Options{})
	var e *lukasa.Error
	if !errors.As(err, &e) || e.Code != lukasa.CodeConflict || e.Hint == "" {
		t.Fatalf("a newer store gave %v, want a conflict with a hint", err)
	}
	if err := c.script("DELETE FROM schema_migrations WHERE version = 9999; UPDATE schema_migrations SET checksum = 'other'"); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(t.Context(), path, Options{}); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Fatalf("another first step gave %v, want a conflict", err)
	}
}

func TestEmbeddedStepsAreNumbered(t *testing.T) {
	t.Parallel()
	steps := embedded()
	if len(steps) == 0 {
		t.Fatal("no steps")
	}
	for i, m := range steps {
		if m.version != i+1 || m.sql == "" || m.name[:5] != fmt.Sprintf("%04d_", i+1) {
			t.Errorf("step %d is %d, %s", i+1, m.version, m.name)
		}
	}
}

func FuzzCursor(f *testing.F) {
	for _, p := range []position{{0, ""}, {-1, "doc_1"}, {1 << 62, "a.b\x00"}} {
		f.Add(p.cursor('d'), p.key, p.id)
	}
	f.Add("nonsense", int64(1), "x")
	f.Add("", int64(1), "x")
	f.Fuzz(func(t *testing.T, s string, key int64, id string) {
		if p, err := parseCursor('d', s); err == nil {
			if again, err := parseCursor('d', p.cursor('d')); err != nil || again != p {
				t.Fatalf("%+v came back as %+v, %v", p, again, err)
			}
		} else if lukasa.CodeOf(err) != lukasa.CodeInvalid {
			t.Fatal(err)
		}
		p := position{key, id}
		if got, err := parseCursor('d', p.cursor('d')); err != nil || got != p {
			t.Fatalf("%+v came back as %+v, %v", p, got, err)
		}
		if _, err := parseCursor('m', p.cursor('d')); err == nil {
			t.Fatal("another list took the cursor")
		}
	})
}
