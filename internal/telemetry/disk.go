package telemetry

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const (
	room    = 1 << 20     // bytes that must still find room
	roomFor = time.Second // how long an answer holds
	trial   = ".room"     // the file that is written and removed
)

// Disk tells whether a directory takes what is written to it. It is safe for concurrent use.
type Disk struct {
	dir string
	now func() time.Time

	mu   sync.Mutex
	next time.Time // when it is tried again
	err  error
}

// NewDisk watches a directory that is there.
func NewDisk(dir string, now func() time.Time) *Disk { return &Disk{dir: dir, now: now} }

// Check writes 1 MiB to the directory and removes it again, at most once a second: so it sees a full disk, a quota, a limit on the size of files, a
// medium that has become read-only, and rights that were taken away. The error is a [Poorly]. Another process may try the same directory meanwhile.
func (d *Disk) Check() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := d.now(); !now.Before(d.next) {
		d.next, d.err = now.Add(roomFor), told(try(filepath.Join(d.dir, trial)))
	}
	return d.err
}

// try writes a file, of bytes that no file system packs, and removes it. The pages never reach the disk where the system writes them late.
func try(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	part, noise := make([]byte, 64<<10), rand.NewChaCha8([32]byte{})
	for n := 0; n < room && err == nil; n += len(part) {
		_, _ = noise.Read(part) // never an error
		_, err = f.Write(part)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if gone := os.Remove(path); err == nil && !errors.Is(gone, fs.ErrNotExist) {
		err = gone
	}
	return err
}

func told(err error) error {
	const then = ": what is saved is refused, reading goes on"
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return Poorly("the disk is full" + then)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return Poorly("the data directory cannot be written" + then)
	case errors.Is(err, fs.ErrNotExist):
		return Poorly("the data directory is gone" + then)
	}
	return Poorly("the disk refuses what is written" + then)
}
