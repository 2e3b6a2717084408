//go:build linux || darwin

package disk_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/blob/blobtest"
	"github.com/lukasa-memory/lukasa/internal/blob/disk"
)

// roleEnv, when set to "role directory", turns the test binary into one of the
// processes that the tests below start.
const roleEnv = "LUKASA_DISK_TEST_ROLE"

const childBlob = 200_000

func TestMain(m *testing.M) {
	role, dir, ok := strings.Cut(os.Getenv(roleEnv), " ")
	if !ok {
		os.Exit(m.Run()) //nolint:forbidigo // the test binary plays a child process
	}
	var one [1]byte
	_, _ = os.Stdin.Read(one[:]) // all begin when standard input closes
	d, err := disk.Open(dir, time.Now())
	if err == nil {
		err = roles[role](d)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // the test binary plays a child process
	}
}

var roles = map[string]func(*disk.Driver) error{
	// race puts the same keys as every other process and prints those it won.
	"race": func(d *disk.Driver) error {
		for i := range 30 {
			key := fmt.Sprintf("usr_1/file_%d", i)
			err := d.Put(context.Background(), key, bytes.NewReader(blobtest.Pattern(childBlob, byte(i))), childBlob)
			if err == nil {
				fmt.Println(key) //nolint:forbidigo // the test binary plays a child process
			} else if !errors.Is(err, blob.ErrExists) {
				return err
			}
		}
		return nil
	},
	// write puts blobs for ever and prints each key once it is acknowledged.
	"write": func(d *disk.Driver) error {
		for i := 0; ; i++ {
			key := fmt.Sprintf("usr_1/p%d/file_%d", os.Getpid(), i)
			if err := d.Put(context.Background(), key, bytes.NewReader(blobtest.Pattern(childBlob, byte(i))), -1); err != nil {
				return err
			}
			fmt.Println(key) //nolint:forbidigo // the test binary plays a child process
		}
	},
	// full writes under a file-size limit.
	"full": func(d *disk.Driver) error {
		if err := d.Put(context.Background(), "usr_1/before", strings.NewReader("small"), 5); err != nil {
			return err
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}); err != nil {
			return err
		}
		if err := d.Put(context.Background(), "usr_1/large", bytes.NewReader(blobtest.Pattern(childBlob, 1)), -1); !errors.Is(err, blob.ErrFull) {
			return fmt.Errorf("put over the limit: %w, want ErrFull", err)
		}
		if _, err := d.Stat(context.Background(), "usr_1/large"); !errors.Is(err, blob.ErrNotFound) {
			return fmt.Errorf("stat after the failure: %w, want ErrNotFound", err)
		}
		r, err := d.Get(context.Background(), "usr_1/before")
		if err != nil {
			return fmt.Errorf("reads do not go on: %w", err)
		}
		text, err := io.ReadAll(r)
		if err == nil {
			fmt.Println(string(text)) //nolint:forbidigo // the test binary plays a child process
		}
		return errors.Join(err, r.Close())
	},
}

func child(t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), roleEnv+"="+role+" "+dir)
	return cmd
}

func wantPattern(t *testing.T, d *disk.Driver, key string) {
	t.Helper()
	i, err := strconv.Atoi(key[strings.LastIndexByte(key, '_')+1:])
	if err != nil {
		t.Fatalf("key %q: %v", key, err)
	}
	r, err := d.Get(t.Context(), key)
	if err != nil {
		t.Fatalf("an acknowledged blob is lost: %v", err)
	}
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, blobtest.Pattern(childBlob, byte(i))) {
		t.Fatalf("%s: %d bytes, %v: not what was put", key, len(got), err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// A full medium is told apart, leaves nothing half written, and reads go on.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := child(t, "full", dir)
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "small\n" {
		t.Fatalf("%v: %s", err, out)
	}
	if got := files(t, dir); len(got) != 1 || !strings.HasSuffix(got[0], "/before") {
		t.Fatalf("files %q, want only the blob that fits", got)
	}
}

func TestProcessesRaceForKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var (
		wg   sync.WaitGroup
		outs [6]bytes.Buffer
		errs [6]error
	)
	for i := range outs {
		cmd := child(t, "race", dir)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = read, &outs[i], os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { errs[i] = cmd.Wait() })
	}
	if err := errors.Join(write.Close()); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	won := map[string]int{}
	for i := range outs {
		if errs[i] != nil {
			t.Fatalf("process %d: %v", i, errs[i])
		}
		for key := range strings.FieldsSeq(outs[i].String()) {
			won[key]++
		}
	}
	d := open(t, dir)
	for i := range 30 {
		key := fmt.Sprintf("usr_1/file_%d", i)
		if won[key] != 1 {
			t.Errorf("%s was won %d times, want once", key, won[key])
		}
		wantPattern(t, d, key)
	}
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
}

// Killed at any moment, a writer loses nothing that it acknowledged, and nothing
// half written can be seen.
func TestKilledWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for round := range 6 {
		cmd := child(t, "write", dir)
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var acknowledged []string
		lines := bufio.NewScanner(pipe)
		for len(acknowledged) <= round*3 && lines.Scan() {
			acknowledged = append(acknowledged, lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() { // what it still said before it died
			acknowledged = append(acknowledged, lines.Text())
		}
		_ = cmd.Wait() // killed, as it should
		d := open(t, dir)
		for _, key := range acknowledged {
			wantPattern(t, d, key)
		}
		err = d.List(t.Context(), "", func(i blob.Info) bool {
			wantPattern(t, d, i.Key)
			return true
		})
		if err != nil || len(acknowledged) <= round*3 {
			t.Fatalf("round %d: %d blobs acknowledged, %v", round, len(acknowledged), err)
		}
	}
	d := open(t, dir)
	if _, err := d.Sweep(time.Now().Add(2 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "@tmp")); err != nil || len(entries) != 0 {
		t.Fatalf("orphans after the sweep: %v, %v", entries, err)
	}
}
