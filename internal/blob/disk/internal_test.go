package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/blob"
)

// The way for file systems without hard links, which a test cannot ask for.
func TestRenameNew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tmp, final := filepath.Join(dir, "tmp"), filepath.Join(dir, "final")
	write := func(text string) {
		if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	if err := renameNew(tmp, final); err != nil {
		t.Fatal(err)
	}
	write("two")
	if err := renameNew(tmp, final); !errors.Is(err, blob.ErrExists) {
		t.Fatalf("taken name: %v, want ErrExists", err)
	}
	if got, err := os.ReadFile(final); err != nil || string(got) != "one" {
		t.Fatalf("final holds %q, %v", got, err)
	}
	if err := renameNew(tmp, filepath.Join(dir, "no", "final")); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("missing directory: %v, want fs.ErrNotExist", err)
	}
	for err, want := range map[error]bool{syscall.EPERM: true, syscall.ENOTSUP: true, syscall.ENOSPC: false, syscall.EEXIST: false} {
		if got := noLinks(&os.LinkError{Op: "link", Err: err}); got != want {
			t.Errorf("noLinks(%v) = %v", err, got)
		}
	}
}

func TestFull(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		err := full(fmt.Errorf("copy: %w", &fs.PathError{Op: "write", Path: "x", Err: errno}))
		if !errors.Is(err, blob.ErrFull) || !errors.Is(err, errno) {
			t.Errorf("%v becomes %v", errno, err)
		}
	}
	if err := full(fs.ErrPermission); errors.Is(err, blob.ErrFull) {
		t.Errorf("a refusal becomes %v", err)
	}
}
