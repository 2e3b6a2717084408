//go:build unix

package lite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	sqlite3 "modernc.org/sqlite/lib"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/rows"
)

// full are the pragmas of a connection that gathers, with so little room for pages that a transaction of some size writes before it ends.
func full() []string {
	return []string{"journal_mode=WAL", "synchronous=FULL", "cache_size=8", "wal_autocheckpoint=50"}
}

func open(t rapid.TB, uri string, pragmas ...string) *Conn {
	t.Helper()
	c, err := Open(uri, pragmas...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func shut(t rapid.TB, c *Conn) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// content is all that a connection reads.
func content(t rapid.TB, c *Conn) string {
	t.Helper()
	var b strings.Builder
	ctx := endless()
	if err := c.Each(ctx, "SELECT a, b FROM t ORDER BY a", nil, func(r rows.Row) error {
		fmt.Fprintf(&b, "%d=%s ", r.Int64(0), r.Text(1))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := c.Each(ctx, "PRAGMA integrity_check", nil, func(r rows.Row) error {
		if r.Text(0) != "ok" {
			t.Fatal(r.Text(0))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGathered: whatever a connection writes that gathers, others read it once it is committed, and so does who finds the files as they lie then.
func TestGathered(t *testing.T) {
	t.Parallel()
	all := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(all, "")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "x.db")
		uri := Gathered(URI(path))
		if uri == URI(path) {
			t.Fatal("nothing is gathered")
		}
		w := open(t, uri, full()...)
		defer shut(t, w)
		if err := w.Script("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); CREATE INDEX i ON t (b)"); err != nil {
			t.Fatal(err)
		}
		other := open(t, URI(path), "mmap_size=10000000")
		defer shut(t, other)
		for range rapid.IntRange(1, 6).Draw(t, "transactions") {
			sql := []string{"BEGIN"}
			for range rapid.IntRange(1, 6).Draw(t, "acts") {
				from, n := rapid.IntRange(0, 400).Draw(t, "from"), rapid.IntRange(1, 300).Draw(t, "n")
				sql = append(sql, rapid.SampledFrom([]string{
					fmt.Sprintf("WITH RECURSIVE n (i) AS (SELECT %d UNION ALL SELECT i + 1 FROM n LIMIT %d) INSERT OR REPLACE INTO t SELECT i, hex(randomblob(%d)) FROM n", from, n, 1+n/2),
					fmt.Sprintf("DELETE FROM t WHERE a BETWEEN %d AND %d", from, from+n),
					fmt.Sprintf("INSERT OR REPLACE INTO t VALUES (%d, hex(randomblob(%d)))", from, 400*n),
					"SAVEPOINT s; UPDATE t SET b = hex(randomblob(700)) WHERE a % 2 = 0; ROLLBACK TO s",
					"SAVEPOINT s; UPDATE t SET b = b || 'x' WHERE a % 3 = 0; RELEASE s",
				}).Draw(t, "act"))
			}
			sql = append(sql, rapid.SampledFrom([]string{"COMMIT", "COMMIT", "ROLLBACK"}).Draw(t, "end"))
			if err := w.Script(strings.Join(sql, ";")); err != nil {
				t.Fatal(err)
			}
			want := content(t, w)
			if got := content(t, other); got != want {
				t.Fatalf("another connection reads %d bytes, the one that wrote %d", len(got), len(want))
			}
			copied := filepath.Join(dir, "copy.db")
			for _, end := range []string{"", "-wal"} {
				b, err := os.ReadFile(path + end)
				if err == nil {
					err = os.WriteFile(copied+end, b, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			found := open(t, URI(copied))
			got := content(t, found)
			shut(t, found)
			if got != want {
				t.Fatalf("the files hold %d bytes, %d were committed", len(got), len(want))
			}
			switch rapid.IntRange(0, 3).Draw(t, "then") {
			case 0:
				err = w.Script("PRAGMA wal_checkpoint(TRUNCATE)")
			case 1:
				err = other.Script("PRAGMA wal_checkpoint(RESTART)")
			case 2:
				err = w.Script("VACUUM INTO '" + filepath.Join(dir, "other.db") + "'")
				err = errors.Join(err, os.Remove(filepath.Join(dir, "other.db")))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestGatheredFile: what is gathered is written before anything else is done with the file.
func TestGatheredFile(t *testing.T) {
	t.Parallel()
	tls := libc.NewTLS()
	defer tls.Close()
	Gathered("")
	data, p := libc.Xmalloc(tls, 8), libc.Xmalloc(tls, 8)
	defer libc.Xfree(tls, data)
	defer libc.Xfree(tls, p)
	*at[[8]byte](data) = [8]byte([]byte("gathered"))
	for name, act := range map[string]struct {
		do   func(file uintptr) int32
		want string
	}{
		"read":   {func(file uintptr) int32 { return readGathered(tls, file, p, 8, 8) }, "gatheredgathered"},
		"size":   {func(file uintptr) int32 { return sizeGathered(tls, file, p) }, "gatheredgathered"},
		"sync":   {func(file uintptr) int32 { return syncGathered(tls, file, sqlite3.SQLITE_SYNC_NORMAL) }, "gatheredgathered"},
		"unlock": {func(file uintptr) int32 { return unlockGathered(tls, file, 0) }, "gatheredgathered"},
		"cut":    {func(file uintptr) int32 { return cutGathered(tls, file, 11) }, "gatheredgat"},
		"close":  {func(uintptr) int32 { return 0 }, "gatheredgathered"},
		"back":   {func(file uintptr) int32 { return writeGathered(tls, file, data, 4, 2) }, "gagathedgathered"},
		"again":  {func(file uintptr) int32 { return writeGathered(tls, file, data, 8, 16) }, "gatheredgatheredgathered"},
	} {
		db := filepath.Join(t.TempDir(), "x.db") // a log takes its permissions
		if err := os.WriteFile(db, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		path := db + "-wal"
		file := libc.Xcalloc(tls, 1, types.Size_t(at[sqlite3.Tsqlite3_vfs](sqlite3.Xsqlite3_vfs_find(tls, 0)).FszOsFile))
		text, err := libc.CString(path)
		if err != nil {
			t.Fatal(err)
		}
		const flags = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_CREATE | sqlite3.SQLITE_OPEN_WAL
		if rc := openGathered(tls, 0, text, file, flags, 0); rc != 0 {
			t.Fatal(rc)
		}
		for _, from := range []int64{0, 8} {
			if rc := writeGathered(tls, file, data, 8, from); rc != 0 {
				t.Fatal(rc)
			}
		}
		if b, err := os.ReadFile(path); err != nil || len(b) > 0 {
			t.Errorf("%s: %q, %v before", name, b, err)
		}
		if rc := act.do(file); rc != 0 {
			t.Errorf("%s: %d", name, rc)
		}
		if name == "size" && *at[int64](p) != 16 || name == "read" && *at[[8]byte](p) != *at[[8]byte](data) {
			t.Errorf("%s: %d", name, *at[int64](p))
		}
		look := func() {
			if b, err := os.ReadFile(path); err != nil || string(b) != act.want {
				t.Errorf("%s: the file holds %q, %v", name, b, err)
			}
		}
		if name != "close" && name != "back" && name != "again" {
			look()
		}
		if rc := closeGathered(tls, file); rc != 0 {
			t.Errorf("%s: close: %d", name, rc)
		}
		look()
		libc.Xfree(tls, file)
		libc.Xfree(tls, text)
	}
}

// TestGatheredCalls: a transaction of many pages is few calls of the system.
func TestGatheredCalls(t *testing.T) {
	if _, err := os.Stat("/proc/self/io"); err != nil {
		t.Skip("the system does not count calls")
	}
	path := filepath.Join(t.TempDir(), "x.db")
	calls := func(uri string) int {
		c := open(t, uri, "journal_mode=WAL", "synchronous=FULL")
		defer shut(t, c)
		before := written(t)
		if err := c.Script("CREATE TABLE t (a BLOB); INSERT INTO t VALUES (randomblob(2000000)); DROP TABLE t"); err != nil {
			t.Fatal(err)
		}
		return written(t) - before
	}
	plain, gathered := calls(URI(path)), calls(Gathered(URI(path)))
	if gathered*10 > plain {
		t.Errorf("%d calls, %d without gathering", gathered, plain)
	}
}

// written is how often the program has written anything.
func written(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "syscw: ")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestGatheredOnFullDisk: a transaction that cannot be written fails and leaves nothing, and the next one goes on.
func TestGatheredOnFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	w := open(t, Gathered(URI(path)), full()...)
	defer shut(t, w)
	if err := w.Script("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'before')"); err != nil {
		t.Fatal(err)
	}
	log := gatheredAt(logOf(t, w))
	usual := log.usual
	failing := libc.Xmalloc(w.raw.tls, types.Size_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
	defer libc.Xfree(w.raw.tls, failing)
	*at[sqlite3.Tsqlite3_io_methods](failing) = *at[sqlite3.Tsqlite3_io_methods](usual)
	at[sqlite3.Tsqlite3_io_methods](failing).FxWrite = pointer(writeNothing)
	for _, sql := range []string{
		"INSERT INTO t VALUES (2, 'small')",
		"WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n LIMIT 3000) INSERT INTO t SELECT i, hex(randomblob(100)) FROM n",
	} {
		log.usual = failing
		if err := w.Script(sql); Code(err) != CodeFull {
			t.Errorf("a full disk: %v", err)
		}
		log.usual = usual
		other := open(t, URI(path))
		if got := content(t, other); got != "1=before " {
			t.Errorf("what was not written is read: %.60s", got)
		}
		shut(t, other)
	}
	if err := w.Script("INSERT INTO t VALUES (5, 'after')"); err != nil {
		t.Fatal(err)
	}
	if got := content(t, w); got != "1=before 5=after " {
		t.Error(got)
	}
}

func writeNothing(*libc.TLS, uintptr, uintptr, int32, int64) int32 { return CodeFull }

// logOf is the open log of a connection.
func logOf(t *testing.T, c *Conn) uintptr {
	t.Helper()
	var file uintptr
	if err := c.raw.out(func(p uintptr) int32 {
		main, err := libc.CString("main")
		if err != nil {
			t.Fatal(err)
		}
		defer libc.Xfree(c.raw.tls, main)
		rc := sqlite3.Xsqlite3_file_control(c.raw.tls, c.raw.db, main, sqlite3.SQLITE_FCNTL_JOURNAL_POINTER, p)
		file = *at[uintptr](p)
		return rc
	}); err != nil {
		t.Fatal(err)
	}
	return file
}
