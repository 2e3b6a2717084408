//go:build unix

package engine

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile waits for the file's lock. The kernel gives it back when the file is closed, however that comes about.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX) }
