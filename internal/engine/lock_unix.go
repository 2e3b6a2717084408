//go:build unix

package engine

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile waits for the file's lock. The kernel gives it back when the file is closed, however that comes about.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX) }

// heldElsewhere takes the lock of a file that is open, and reports whether another one has it. A file system that knows no such locks
// refuses nobody.
func heldElsewhere(f *os.File) bool {
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}
