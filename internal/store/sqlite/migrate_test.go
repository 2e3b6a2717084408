package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

func newConn(t *testing.T, path string) *Conn {
	t.Helper()
	var c *Conn
	err := UntilFree(t.Context(), 1e10, func() (err error) {
		c, err = OpenConn(URI(path), "busy_timeout=0", "journal_mode=WAL")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

func scalar(t *testing.T, c *Conn, sql string) (n int) {
	t.Helper()
	if err := c.Each(context.Background(), sql, nil, func(r sqlrows.Row) error { n = r.Int(0); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

var testSteps = []Step{
	{1, "0001_a.sql", "CREATE TABLE a (x); INSERT INTO a VALUES (1);"},
	{2, "0002_b.sql", "CREATE TABLE b (y); INSERT INTO b SELECT x + 1 FROM a;"},
}

func TestMigrationsRunOnceWithABackup(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	c := newConn(t, path)
	for range 2 { // the second time finds it done
		if err := Migrate(t.Context(), c, path, testSteps[:1]); err != nil {
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
		wg.Go(func() { errs[i] = Migrate(t.Context(), other, path, testSteps) })
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
	bad := []Step{testSteps[0], {2, "0002_bad.sql", "CREATE TABLE c (z); INSERT INTO nowhere VALUES (1);"}}
	if err := Migrate(t.Context(), c, path, bad); err == nil {
		t.Fatal("no error")
	}
	if n := scalar(t, c, "SELECT count(*) FROM sqlite_schema WHERE name IN ('a', 'c', 'schema_migrations')"); n != 0 {
		t.Errorf("%d tables are left", n)
	}
	if err := Migrate(t.Context(), c, path, testSteps); err != nil {
		t.Fatal(err)
	}
}
