//go:build unix

package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// TestMappedFileThatFails cuts the file short under a reader that has mapped it, which is to memory what a failing disk is: the reader is told so,
// and the program goes on.
func TestMappedFileThatFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	w := newConn(t, path)
	if err := w.Script("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) INSERT INTO t SELECT i, randomblob(500) FROM n; PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pool := NewPool(1, func() (*Conn, error) { return OpenConn(URI(path), "mmap_size=100000000", "cache_size=-64") })
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	read := func(at int64) (n int, err error) {
		err = pool.With(t.Context(), func(c *Conn) error {
			if err := c.Run("BEGIN"); err != nil {
				return err
			}
			err := c.Each(t.Context(), "SELECT a, b FROM t ORDER BY a", nil, func(sqlrows.Row) error {
				if n++; n == 100 && at > 0 {
					return os.Truncate(path, at)
				}
				return nil
			})
			return errors.Join(err, c.Run("ROLLBACK"))
		})
		return n, err
	}
	if n, err := read(0); n != 3000 || err != nil {
		t.Fatalf("%d rows: %v", n, err)
	}
	n, err := read(1 << 16)
	if n < 100 || n == 3000 || Code(err) != CodeInPage || !Broken(err) {
		t.Errorf("%d rows of a file that is cut short, and %v", n, err)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := read(0); n != 3000 || err != nil {
		t.Errorf("once the file is whole again: %d rows, %v", n, err)
	}
}
