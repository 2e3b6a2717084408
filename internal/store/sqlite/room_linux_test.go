package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
)

// withoutRoom is a process that opens a store while no file may grow over 1 KB, which is to SQLite what a disk is without a byte to spare. It reads
// the store, now and as it was, and is refused a write. A line on its standard input makes room: the write goes on then, without another opening.
func withoutRoom(path string) error {
	ctx := context.Background()
	signal.Ignore(unix.SIGXFSZ)
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1024, Max: was.Max}); err != nil {
		return err
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	p := &plot{DB: db, sc: lukasa.Scope{Owner: "usr_1"}, node: "node_usr_1", vec: make([]float32, 8)}
	p.vec[0] = 1
	look := func(r store.Reader) error {
		list, err := r.Documents(lukasa.DocumentFilter{}, lukasa.Page{})
		fmt.Println("sees", len(list.Items)) //nolint:forbidigo // the test binary plays a child process
		return err
	}
	if err := errors.Join(db.View(ctx, p.sc, look), db.ViewAt(ctx, p.sc, time.Now(), look)); err != nil {
		return err
	}
	write := func() error { return db.Update(ctx, p.sc, func(tx store.Tx) error { return p.note(tx, 2) }) }
	if err := write(); lukasa.CodeOf(err) != lukasa.CodeStorage {
		return errors.Join(errors.New("a write without room is not refused as such"), err)
	}
	fmt.Println("waits") //nolint:forbidigo // the test binary plays a child process
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	return errors.Join(unix.Setrlimit(unix.RLIMIT_FSIZE, &was), write(), db.View(ctx, p.sc, look), db.Close())
}

// TestOpenWithoutRoom opens a store where not even the file finds room that processes share, once as it was closed and once as a process left it that
// died. It is read, kept from all others meanwhile, written to as soon as there is room, and open to all again afterwards.
func TestOpenWithoutRoom(t *testing.T) {
	if path := os.Getenv("LUKASA_TEST_NO_ROOM"); path != "" { // the test binary plays a child process
		if err := withoutRoom(path); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Parallel()
	for name, died := range map[string]bool{"closed": false, "died": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "store.db")
			db := open(t, path, sqlite.Options{})
			p := newPlot(t, db, "usr_1")
			if err := p.Update(t.Context(), p.sc, func(tx store.Tx) error { return p.note(tx, 1) }); err != nil {
				t.Fatal(err)
			}
			if died { // what it wrote last stands in the log alone
				left := filepath.Join(t.TempDir(), "store.db")
				for _, end := range []string{"", "-wal"} {
					b, err := os.ReadFile(path + end)
					if err != nil || len(b) == 0 {
						t.Fatal(len(b), err)
					}
					if err := os.WriteFile(left+end, b, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				path = left
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestOpenWithoutRoom$")
			cmd.Env = append(os.Environ(), "LUKASA_TEST_NO_ROOM="+path)
			cmd.Stderr = os.Stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			said := bufio.NewScanner(out)
			hear := func(want string) {
				t.Helper()
				if said.Scan(); said.Text() != want {
					_ = in.Close()
					_ = cmd.Wait()
					t.Fatalf("it says %q, want %q", said.Text(), want)
				}
			}
			hear("sees 1")
			hear("sees 1")
			hear("waits")
			if _, err := sqlite.Open(t.Context(), path, sqlite.Options{BusyTimeout: time.Millisecond}); lukasa.CodeOf(err) != lukasa.CodeUnavailable {
				t.Errorf("another process, meanwhile: %v", err)
			}
			if _, err := io.WriteString(in, "room\n"); err != nil {
				t.Fatal(err)
			}
			hear("sees 2")
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			db = open(t, path, sqlite.Options{})
			if n := documents(t, db, "usr_1"); n != 2 {
				t.Errorf("%d notes afterwards, want 2", n)
			}
			sound(t, db)
		})
	}
}
