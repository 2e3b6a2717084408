package crypt_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/crypt"
)

// loadEnv, when set, turns the test binary into a program that loads the master
// key at the path it holds and prints it: the process of TestLoadMasterProcesses.
const loadEnv = "LUKASA_CRYPT_TEST_LOAD"

func TestMain(m *testing.M) {
	path := os.Getenv(loadEnv)
	if path == "" {
		os.Exit(m.Run()) //nolint:forbidigo // the test binary plays a child process
	}
	// Wait for the start: all processes go at once when standard input closes.
	var one [1]byte
	_, _ = os.Stdin.Read(one[:])
	key, created, err := crypt.LoadMaster("", path, rand.Reader)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) //nolint:forbidigo // the test binary plays a child process
	}
	fmt.Println(key.Hex(), created) //nolint:forbidigo // the test binary plays a child process
}

// onlyFile fails unless path is the one entry of its directory, mode 0600.
func onlyFile(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != filepath.Base(path) {
		t.Fatalf("the directory holds %v, want only the key file", entries)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("key file has mode %v, want 0600", info.Mode())
	}
}

func TestLoadMasterCreatesOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "master.key")
	first, created, err := crypt.LoadMaster("", path, rand.Reader)
	if err != nil || !created {
		t.Fatalf("first load: created %v, %v", created, err)
	}
	onlyFile(t, path)
	second, created, err := crypt.LoadMaster("", path, bytes.NewReader(nil))
	if err != nil || created || !second.Equal(first) {
		t.Fatalf("second load: created %v, same key %v, %v", created, second.Equal(first), err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != first.Hex()+"\n" {
		t.Fatalf("key file holds %d bytes, %v", len(text), err)
	}
}

// T-13: the master key may live outside the data directory.
func TestLoadMasterEnvironmentWins(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none", "master.key")
	want := mustKey(t)
	got, created, err := crypt.LoadMaster(want.Hex(), path, bytes.NewReader(nil))
	if err != nil || created || !got.Equal(want) {
		t.Fatalf("LoadMaster = created %v, same %v, %v", created, got.Equal(want), err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the path was touched: %v", err)
	}
	if _, _, err := crypt.LoadMaster("not a key", path, rand.Reader); !errors.Is(err, crypt.ErrKey) {
		t.Fatalf("a bad value: %v, want ErrKey", err)
	}
}

func TestLoadMasterRefuses(t *testing.T) {
	t.Parallel()
	key := mustKey(t)
	for name, tc := range map[string]struct {
		content string
		mode    fs.FileMode
		want    error
		hint    string
	}{
		"group may read":   {key.Hex() + "\n", 0o640, fs.ErrPermission, "chmod 600"},
		"others may read":  {key.Hex() + "\n", 0o604, fs.ErrPermission, "chmod 600"},
		"others may write": {key.Hex() + "\n", 0o602, fs.ErrPermission, "chmod 600"},
		"empty file":       {"", 0o600, crypt.ErrKey, "empty"},
		"half a key":       {key.Hex()[:32], 0o600, crypt.ErrKey, "got 32 characters"},
		"two keys":         {key.Hex() + "\n" + key.Hex(), 0o600, crypt.ErrKey, ""},
		"a huge file":      {key.Hex() + strings.Repeat(" ", 8<<10), 0o600, crypt.ErrKey, "too long"},
	} {
		if runtime.GOOS == "windows" && errors.Is(tc.want, fs.ErrPermission) {
			continue // no permission bits
		}
		path := filepath.Join(t.TempDir(), "master.key")
		if err := os.WriteFile(path, []byte(tc.content), tc.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, tc.mode); err != nil { // against the umask
			t.Fatal(err)
		}
		_, created, err := crypt.LoadMaster("", path, rand.Reader)
		if created || !errors.Is(err, tc.want) {
			t.Errorf("%s: created %v, %v, want %v", name, created, err, tc.want)
		}
		if err != nil && (!strings.Contains(err.Error(), tc.hint) || strings.Contains(err.Error(), key.Hex()[:16])) {
			t.Errorf("%s: error %q lacks %q or shows the key", name, err, tc.hint)
		}
		after, err := os.ReadFile(path)
		if err != nil || string(after) != tc.content {
			t.Errorf("%s: the file was changed (%v)", name, err)
		}
	}
	dir := t.TempDir()
	if _, _, err := crypt.LoadMaster("", dir, rand.Reader); err == nil {
		t.Error("a directory was taken for a key file")
	}
	if _, _, err := crypt.LoadMaster("", filepath.Join(dir, "no", "key"), rand.Reader); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing directory: %v, want fs.ErrNotExist", err)
	}
	if _, _, err := crypt.LoadMaster("", filepath.Join(dir, "key"), strings.NewReader("x")); err == nil {
		t.Error("a dry random source gave a key")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("errors left %v behind (%v)", entries, err)
	}
}

func TestLoadMasterReadOnlyFileIsFine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "master.key")
	want := mustKey(t)
	if err := os.WriteFile(path, []byte("\n  "+want.Hex()+"\r\n"), 0o400); err != nil {
		t.Fatal(err)
	}
	got, created, err := crypt.LoadMaster("", path, rand.Reader)
	if err != nil || created || !got.Equal(want) {
		t.Fatalf("LoadMaster = created %v, same %v, %v", created, got.Equal(want), err)
	}
}

func TestLoadMasterGoroutines(t *testing.T) {
	t.Parallel()
	for range 20 {
		path := filepath.Join(t.TempDir(), "master.key")
		var (
			wg      sync.WaitGroup
			start   = make(chan struct{})
			keys    [20]crypt.Key
			created [20]bool
			errs    [20]error
		)
		for i := range keys {
			wg.Go(func() {
				<-start
				keys[i], created[i], errs[i] = crypt.LoadMaster("", path, rand.Reader)
			})
		}
		close(start)
		wg.Wait()
		makers := 0
		for i := range keys {
			if errs[i] != nil || !keys[i].Equal(keys[0]) {
				t.Fatalf("goroutine %d: same key %v, %v", i, keys[i].Equal(keys[0]), errs[i])
			}
			if created[i] {
				makers++
			}
		}
		if makers != 1 {
			t.Fatalf("%d goroutines say that they made the key, want 1", makers)
		}
		onlyFile(t, path)
	}
}

func TestLoadMasterProcesses(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "master.key")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var (
		cmds [8]*exec.Cmd
		outs [8]bytes.Buffer
	)
	for i := range cmds {
		cmds[i] = exec.CommandContext(t.Context(), self)
		cmds[i].Env = append(os.Environ(), loadEnv+"="+path)
		cmds[i].Stdin, cmds[i].Stdout, cmds[i].Stderr = read, &outs[i], &outs[i]
		if err := cmds[i].Start(); err != nil {
			t.Fatal(err)
		}
	}
	if err := write.Close(); err != nil { // go
		t.Fatal(err)
	}
	makers := 0
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("process %d: %v: %s", i, err, outs[i].String())
		}
		hex, made, _ := strings.Cut(strings.TrimSpace(outs[i].String()), " ")
		if first, _, _ := strings.Cut(outs[0].String(), " "); hex != first || len(hex) != 64 {
			t.Fatalf("process %d has another key than process 0", i)
		}
		if made == "true" {
			makers++
		}
	}
	if makers != 1 {
		t.Fatalf("%d processes say that they made the key, want 1", makers)
	}
	onlyFile(t, path)
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
}
