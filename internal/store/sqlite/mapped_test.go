//go:build unix

package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// TestMappedStoreThatFails cuts the file short under a reader, which is to memory what a failing disk is. The reader is told that the disk refused,
// the file is mapped no longer, and what can be read is read on.
func TestMappedStoreThatFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := Open(t.Context(), path, Options{CacheKiB: 64})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	const fill = "CREATE TABLE zz (a INTEGER PRIMARY KEY, b BLOB); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) INSERT INTO zz SELECT i, randomblob(500) FROM n; PRAGMA wal_checkpoint(TRUNCATE)"
	if err := Script(path, fill); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := func() (n int64) {
		t.Helper()
		err := db.readers.With(t.Context(), func(c *Conn) error {
			return c.Each(t.Context(), "PRAGMA mmap_size", nil, func(r sqlrows.Row) error {
				n = r.Int64(0)
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := size(); n != mapped {
		t.Fatalf("%d bytes are mapped at most", n)
	}
	n := 0
	err = db.fault(db.readers.With(t.Context(), func(c *Conn) error {
		return c.Each(context.Background(), "SELECT a, b FROM zz ORDER BY a", nil, func(sqlrows.Row) error {
			if n++; n == 100 {
				return os.Truncate(path, int64(len(whole)/2))
			}
			return nil
		})
	}))
	if lukasa.CodeOf(err) != lukasa.CodeStorage || n == 3000 {
		t.Errorf("%d rows of a file that is cut short, and %v", n, err)
	}
	if n := size(); n != 0 {
		t.Errorf("%d bytes are still mapped at most", n)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := db.View(t.Context(), lukasa.Scope{Owner: "usr_1", Principal: "usr_1"}, func(r store.Reader) error {
		_, err := r.Paths(nil)
		return err
	}); err != nil {
		t.Errorf("once the file is whole again: %v", err)
	}
}
