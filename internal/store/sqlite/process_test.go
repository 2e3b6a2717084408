package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
)

// TestMain lets the test binary stand in for another process on the same store: it writes notes under an owner of its own,
// from four goroutines, and prints the number of each once it is durable.
func TestMain(m *testing.M) {
	if spec := os.Getenv("LUKASA_TEST_WRITER"); spec != "" {
		if err := writeNotes(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1) //nolint:forbidigo // the test binary plays a child process
		}
		os.Exit(0) //nolint:forbidigo // the test binary plays a child process
	}
	os.Exit(m.Run()) //nolint:forbidigo // the test binary plays a child process
}

func writeNotes(spec string) error {
	path, rest, _ := strings.Cut(spec, "|")
	var owner lukasa.ID
	var count int64
	if _, err := fmt.Sscanf(rest, "%s %d", &owner, &count); err != nil {
		return err
	}
	ctx := context.Background()
	db, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	p := &plot{DB: db, sc: lukasa.Scope{Owner: owner}, node: "node_" + owner, vec: make([]float32, 8)}
	p.vec[0] = 1
	if err := db.PutUser(ctx, lukasa.User{ID: owner, Name: "Ada"}, nil); err != nil {
		return err
	}
	err = db.Update(ctx, p.sc, func(tx store.Tx) error {
		if err := tx.PutNode(lukasa.Node{ID: "node_root" + owner}); err != nil {
			return err
		}
		return tx.PutNode(lukasa.Node{ID: p.node, Path: "work"})
	})
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Go(func() {
			for {
				n := p.n.Add(1)
				if n > count {
					return
				}
				if err := db.Update(ctx, p.sc, func(tx store.Tx) error { return p.note(tx, n) }); err != nil {
					errs[i] = err
					return
				}
				fmt.Printf("%d\n", n) //nolint:forbidigo // the test binary plays a child process
			}
		})
	}
	wg.Wait()
	return errors.Join(append(errs, db.Close())...)
}

// spawn starts another process that writes count notes.
func spawn(t *testing.T, path string, owner lukasa.ID, count int64) (*exec.Cmd, io.Reader) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), fmt.Sprintf("LUKASA_TEST_WRITER=%s|%s %d", path, owner, count))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

func documents(t *testing.T, db *sqlite.DB, owner lukasa.ID) (n int) {
	t.Helper()
	err := db.View(t.Context(), lukasa.Scope{Owner: owner}, func(r store.Reader) error {
		st, err := r.Stats()
		n = st.Documents
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func sound(t *testing.T, db *sqlite.DB) {
	t.Helper()
	found, err := db.Check(t.Context())
	if err != nil || len(found) > 0 {
		t.Fatalf("check found %q, %v", found, err)
	}
}

func TestKillKeepsWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	for round := range 3 {
		owner := lukasa.ID(fmt.Sprintf("usr_%d", round))
		cmd, out := spawn(t, path, owner, 1<<40)
		var acked []int64
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			var n int64
			if _, err := fmt.Sscan(lines.Text(), &n); err != nil {
				break // a line cut short by the kill
			}
			if acked = append(acked, n); len(acked) == 40*(round+1) {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the process was not killed")
		}
		db := open(t, path, sqlite.Options{})
		err := db.View(t.Context(), lukasa.Scope{Owner: owner}, func(r store.Reader) error {
			for _, n := range acked {
				d, err := r.Document(lukasa.ID(fmt.Sprintf("doc_%026d", n)))
				if err != nil {
					return err
				}
				if d.Content != noteText || d.Chunks != 1 || d.Embedded != 1 {
					return fmt.Errorf("note %d is not whole", n)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		sound(t, db)
		if len(acked) < 40*(round+1) {
			t.Fatalf("only %d notes were acknowledged", len(acked))
		}
	}
}

func TestManyProcessesOneStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	const processes, each = 8, 25
	var cmds []*exec.Cmd
	var wg sync.WaitGroup
	for i := range processes { // they also make the store, all at once
		cmd, out := spawn(t, path, lukasa.ID(fmt.Sprintf("usr_%d", i)), each)
		wg.Go(func() { _, _ = io.Copy(io.Discard, out) })
		cmds = append(cmds, cmd)
	}
	wg.Wait()
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("a process failed: %v", err)
		}
	}
	db := open(t, path, sqlite.Options{})
	for i := range processes {
		if n := documents(t, db, lukasa.ID(fmt.Sprintf("usr_%d", i))); n != each {
			t.Errorf("process %d left %d notes, want %d", i, n, each)
		}
	}
	changes, err := db.Changes(t.Context(), 0, 1<<20)
	if err != nil || len(changes) != processes*each {
		t.Errorf("%d changes, want %d: %v", len(changes), processes*each, err)
	}
	sound(t, db)
}

func TestTwoStoresSeeEachOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a dir?#%20é", "store.db")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	a := newPlot(t, open(t, path, sqlite.Options{}), "usr_1")
	b := newPlot(t, open(t, path, sqlite.Options{}), "usr_1")
	for i := range 10 {
		from, to := a, b
		if i%2 == 1 {
			from, to = b, a
		}
		if err := from.Update(t.Context(), from.sc, func(tx store.Tx) error { return from.note(tx, int64(i)) }); err != nil {
			t.Fatal(err)
		}
		if n := documents(t, to.DB, "usr_1"); n != i+1 {
			t.Fatalf("the other sees %d notes, want %d", n, i+1)
		}
		x, _ := a.Head(t.Context())
		y, _ := b.Head(t.Context())
		if x != y || x < int64(i) {
			t.Fatalf("heads are %d and %d", x, y)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
}

func TestReopen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, sqlite.Options{})
	p := newPlot(t, db, "usr_1")
	if err := p.Update(t.Context(), p.sc, func(tx store.Tx) error { return p.note(tx, 1) }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	db = open(t, path, sqlite.Options{})
	if err := db.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	for _, db := range []*sqlite.DB{db, open(t, copied, sqlite.Options{})} {
		if n := documents(t, db, "usr_1"); n != 1 {
			t.Fatalf("%d notes, want 1", n)
		}
		v, err := db.Vectors(t.Context(), "bench", "usr_1", []lukasa.ID{"chk_00000000000000000000000001"})
		if err != nil || len(v[0]) != 256 {
			t.Fatalf("the vector is gone: %v", err)
		}
		sound(t, db)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	p := newPlot(t, open(t, path, sqlite.Options{MaxPages: 200}), "usr_1")
	write := func(n int64) error {
		return p.Update(t.Context(), p.sc, func(tx store.Tx) error { return p.note(tx, n) })
	}
	var kept int64
	var err error
	for err == nil && kept < 10_000 {
		if err = write(kept + 1); err == nil {
			kept++
		}
	}
	var e *lukasa.Error
	if !errors.As(err, &e) || e.Code != lukasa.CodeStorage || e.Hint == "" || !e.Retryable() {
		t.Fatalf("a full disk gave %v, want %s with a hint", err, lukasa.CodeStorage)
	}
	if kept == 0 {
		t.Fatal("nothing was written at all")
	}
	var wg sync.WaitGroup
	for i := range 8 { // also in a group: each gets the error, none hangs
		wg.Go(func() {
			if err := write(20_000 + int64(i)); lukasa.CodeOf(err) != lukasa.CodeStorage {
				t.Errorf("got %v, want %s", err, lukasa.CodeStorage)
			}
		})
	}
	wg.Wait()
	if n := documents(t, p.DB, "usr_1"); int64(n) != kept { // reading goes on
		t.Fatalf("%d notes are there, %d were acknowledged", n, kept)
	}
	sound(t, p.DB)
	err = p.Update(t.Context(), p.sc, func(tx store.Tx) error { // so does making room
		for n := range kept / 2 {
			if _, _, err := tx.DeleteDocument(lukasa.ID(fmt.Sprintf("doc_%026d", n+1))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := write(30_000); err != nil {
		t.Fatalf("there is room again, but %v", err)
	}
}

func TestWritesThatComeTogetherShareACommit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	p := newPlot(t, open(t, path, sqlite.Options{}), "usr_1")
	p.SetGroupTime(time.Hour)
	other := open(t, path, sqlite.Options{})
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := p.Update(t.Context(), p.sc, func(tx store.Tx) error {
			close(started)
			<-release
			return p.note(tx, 1)
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-started
	queued := make(chan struct{})
	shared := false
	wg.Go(func() {
		close(queued)
		err := p.Update(t.Context(), p.sc, func(tx store.Tx) error {
			if _, err := tx.Document("doc_00000000000000000000000001"); err != nil {
				return err // the first one's write must be seen here
			}
			shared = documents(t, other, "usr_1") == 0 // and is not yet committed
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-queued
	for p.Waiting() == 0 {
		runtime.Gosched()
	}
	close(release)
	wg.Wait()
	if !shared {
		t.Error("the second write waited for the first one's commit")
	}
}

func TestAWriteWaitsForAnotherProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	p := newPlot(t, open(t, path, sqlite.Options{}), "usr_1")
	impatient := open(t, path, sqlite.Options{BusyTimeout: 20 * time.Millisecond})
	held, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = p.Update(context.Background(), p.sc, func(store.Tx) error {
			close(held)
			<-release
			return nil
		})
	})
	<-held
	nothing := func(store.Tx) error { return nil }
	if err := impatient.Update(t.Context(), p.sc, nothing); lukasa.CodeOf(err) != lukasa.CodeUnavailable {
		t.Errorf("a lock that stays gave %v, want %s", err, lukasa.CodeUnavailable)
	}
	patient := open(t, path, sqlite.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := patient.Update(ctx, p.sc, nothing); lukasa.CodeOf(err) != lukasa.CodeTimeout {
		t.Errorf("a deadline gave %v, want %s", err, lukasa.CodeTimeout)
	}
	wg.Go(func() {
		if err := patient.Update(context.Background(), p.sc, nothing); err != nil {
			t.Errorf("the lock came free, but %v", err)
		}
	})
	close(release)
	wg.Wait()
}

func TestWhatCannotBeOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("not a database ", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{garbage, filepath.Join(dir, "none", "store.db"), dir} {
		if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); lukasa.CodeOf(err) != lukasa.CodeStorage {
			t.Errorf("%s gave %v, want %s", filepath.Base(path), err, lukasa.CodeStorage)
		}
	}
}

func TestWhatIsDeletedIsGoneFromTheFile(t *testing.T) { // H-24
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, sqlite.Options{})
	p := newPlot(t, db, "usr_1")
	for n := range int64(30) {
		if err := p.Update(t.Context(), p.sc, func(tx store.Tx) error { return p.note(tx, n) }); err != nil {
			t.Fatal(err)
		}
	}
	in := func() bool {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(b), "harbour office")
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := db.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, copied} {
		if st, err := os.Stat(file); err != nil || (runtime.GOOS != "windows" && st.Mode().Perm() != 0o600) {
			t.Errorf("%s may be read by others: %v, %v", filepath.Base(file), st.Mode(), err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if !in() {
		t.Fatal("the test looks for the wrong words")
	}
	db = open(t, path, sqlite.Options{})
	err := db.Update(t.Context(), p.sc, func(tx store.Tx) error {
		_, _, err := tx.DeleteNode(p.node)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if in() {
		t.Error("the words of deleted notes are still in the file")
	}
}

func TestCheckFindsDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	p := newPlot(t, open(t, path, sqlite.Options{}), "usr_1")
	err := p.Update(t.Context(), p.sc, func(tx store.Tx) error {
		for _, id := range []lukasa.ID{"mem_1", "mem_2"} {
			if err := tx.PutMemory(lukasa.Memory{ID: id, Node: p.node, Content: "fact"}); err != nil {
				return err
			}
		}
		return p.note(tx, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, harm := range []string{
		"UPDATE documents SET chunk_count = 7",
		"DELETE FROM chunks",
		"DELETE FROM nodes WHERE path = 'work'",
		"UPDATE documents SET tags = 'not json'",
		"UPDATE nodes SET path = 'play' || path WHERE depth = 1; INSERT INTO nodes (owner_id, id, parent_id, path, name, type, depth, description, version, created_at, updated_at) SELECT owner_id, 'node_x', id, 'elsewhere.x', 'x', '', 2, '', 0, 0, 0 FROM nodes WHERE depth = 1",
		"INSERT INTO documents (owner_id, id, node_id, title, title_fold, content_type, language, category, summary, source_url, custom_id, origin, content_hash, size, status, reason, version, previous_id, is_latest, created_at, updated_at, access_count) SELECT owner_id, 'doc_x', node_id, '', '', '', '', '', '', '', '', '', '', 0, '', '', 2, id, 1, 0, 0, 0 FROM documents",
		"UPDATE documents SET previous_id = 'doc_gone'",
		"UPDATE chunks SET message_id = 'msg_gone'",
		"UPDATE documents SET buried_at = 1, buried_with = 'conv_gone'",
		"UPDATE memories SET buried_at = 1, buried_with = 'doc_gone'",
		"INSERT INTO edges (owner_id, source_id, target_id, type, source_kind, target_kind, weight, confidence, created_at, known_at) SELECT owner_id, id, 'doc_gone', 'x', 'doc', 'doc', 1, 1, 0, 0 FROM documents",
		"DROP TRIGGER deltas_stay; UPDATE deltas SET author = 'somebody else' WHERE seq = 1",
		"DROP TRIGGER deltas_stay; UPDATE deltas SET after = '{}' WHERE seq = 1",
		"DROP TRIGGER deltas_last; DELETE FROM deltas WHERE seq = 1",
	} {
		copied := filepath.Join(t.TempDir(), "copy.db")
		if err := p.Backup(t.Context(), copied); err != nil {
			t.Fatal(err)
		}
		if err := sqlite.Script(copied, harm); err != nil {
			t.Fatal(err)
		}
		found, err := open(t, copied, sqlite.Options{}).Check(t.Context())
		if err != nil || len(found) == 0 {
			t.Errorf("%q was not found: %v", harm, err)
		}
	}
}
