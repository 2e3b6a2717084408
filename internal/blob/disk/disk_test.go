package disk_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/blob"
	"github.com/lukasa-memory/lukasa/internal/blob/blobtest"
	"github.com/lukasa-memory/lukasa/internal/blob/disk"
)

func open(t testing.TB, dir string) *disk.Driver {
	t.Helper()
	d, err := disk.Open(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// files returns the paths of all regular files below dir.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			rel, _ := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestConformance(t *testing.T) {
	t.Parallel()
	blobtest.Run(t, func(t *testing.T) blob.Driver {
		dir := filepath.Join(t.TempDir(), "files")
		t.Cleanup(func() {
			for _, f := range files(t, dir) {
				if strings.HasPrefix(f, "@tmp/") {
					t.Errorf("temporary file %s is left", f)
				}
			}
		})
		return open(t, dir)
	})
}

// Two drivers on one directory, as two processes have them, see each other's blobs.
func TestTwoDriversOneDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	if err := a.Put(t.Context(), "usr_1/x", strings.NewReader("hello"), 5); err != nil {
		t.Fatal(err)
	}
	if info, err := b.Stat(t.Context(), "usr_1/x"); err != nil || info.Size != 5 {
		t.Fatalf("Stat by the other = %+v, %v", info, err)
	}
	if err := b.Put(t.Context(), "usr_1/x", strings.NewReader("other"), 5); !errors.Is(err, blob.ErrExists) {
		t.Fatalf("Put by the other: %v, want ErrExists", err)
	}
	if err := b.Delete(t.Context(), "usr_1/x"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Get(t.Context(), "usr_1/x"); !errors.Is(err, blob.ErrNotFound) {
		t.Fatalf("Get after the other's Delete: %v, want ErrNotFound", err)
	}
}

func TestLayout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	if err := d.Put(t.Context(), "usr_1/doc_7/v1", strings.NewReader("x"), 1); err != nil {
		t.Fatal(err)
	}
	// SHA-256 of "v1" starts with 3b.
	if got := files(t, dir); len(got) != 1 || got[0] != "usr_1/doc_7/@3b/v1" {
		t.Fatalf("files %q", got)
	}
	if runtime.GOOS != "windows" {
		for _, p := range []string{"usr_1", "usr_1/doc_7/@3b", "usr_1/doc_7/@3b/v1"} {
			info, err := os.Stat(filepath.Join(dir, p))
			if err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: mode %v, %v: others may read it", p, info.Mode(), err)
			}
		}
	}
}

// H-24, D-2: after a delete nothing tells that the owner was there.
func TestDeleteLeavesNoDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	for _, key := range []string{"usr_1/a/b/c", "usr_1/a/x", "usr_2/y"} {
		if err := d.Put(t.Context(), key, strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"usr_1/a/b/c", "usr_1/a/x"} {
		if err := d.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "@tmp usr_2" {
		t.Fatalf("directories %q, want @tmp and usr_2", got)
	}
}

func TestSweepTakesOldOrphansOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := open(t, dir)
	if err := d.Put(t.Context(), "usr_1/kept", strings.NewReader("x"), 1); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{"put-old": 61 * time.Minute, "put-young": 59 * time.Minute, "put-future": -3 * time.Hour} {
		path := filepath.Join(dir, "@tmp", name)
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	old := now.Add(-48 * time.Hour)
	for _, f := range files(t, dir) {
		if strings.HasSuffix(f, "/kept") {
			if err := os.Chtimes(filepath.Join(dir, f), old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := disk.Open(dir, now); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(files(t, dir), " "); strings.Contains(got, "put-old") || !strings.Contains(got, "put-young") || !strings.Contains(got, "put-future") || !strings.Contains(got, "/kept") {
		t.Fatalf("after the sweep: %s", got)
	}
	if n, err := d.Sweep(now.Add(2 * time.Hour)); n != 1 || err != nil {
		t.Fatalf("Sweep two hours later = %d, %v, want 1", n, err)
	}
}

// What stands in the directory and is no blob is neither listed nor followed.
func TestForeignFilesAreIgnored(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	d := open(t, dir)
	if err := d.Put(t.Context(), "usr_1/v1", strings.NewReader("x"), 1); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README", ".DS_Store", "usr_1/.nfs01", "usr_1/@3b/.nfs02", "usr_1/@3b/UPPER"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("?"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "linked")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	var keys []string
	err := d.List(t.Context(), "", func(i blob.Info) bool { keys = append(keys, i.Key); return true })
	if err != nil || strings.Join(keys, " ") != "usr_1/v1" {
		t.Fatalf("List = %q, %v", keys, err)
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.Open(file, time.Now()); err == nil {
		t.Fatal("a file was opened as a directory")
	}
}

func BenchmarkPut(b *testing.B) {
	d := open(b, b.TempDir())
	data := blobtest.Pattern(64<<10, 1)
	b.SetBytes(int64(len(data)))
	i := 0
	for b.Loop() {
		i++
		key := "usr_1/" + strings.Repeat("x", 1+i%100) + "/" + time.Unix(int64(i), 0).UTC().Format("20060102t150405")
		if err := d.Put(b.Context(), strings.ToLower(key), bytes.NewReader(data), int64(len(data))); err != nil {
			b.Fatal(err)
		}
	}
}
