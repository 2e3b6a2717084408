// Package disk keeps blobs as files below one directory.
//
// # Layout
//
// The blob "usr_1/doc_7/v1" is the file usr_1/doc_7/@3f/v1: the segments of its
// key are directories, and the last directory has up to 256 parts named by the
// first byte of the SHA-256 of the last segment, so that no directory grows too
// large although ids share their beginnings. "@" cannot stand in a key, so parts
// never collide with segments. All blobs of an owner lie below one directory. Files being written
// stand in @tmp. Modes are 0700 and 0600.
//
// # Writing
//
// A blob is written to a file of its own in @tmp and synced; then it gets its name by
// a hard link, which, unlike a rename, fails when the name is taken, and the directory is
// synced. The order is load-bearing: a name never stands for content that is not
// on disk. Temporary files are in one place so that the sweep at start need not walk a
// million blobs to find them.
//
// File systems without hard links get a look and a rename instead: there, of two
// processes that put one key at the same instant, both may be told that they
// succeeded; one content stays, whole.
package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/lukasa-memory/lukasa/internal/blob"
)

const (
	tmpDir = "@tmp"

	// orphanAge is how long a temporary file must have been left unwritten before
	// a sweep takes it: another process may be writing it.
	orphanAge = time.Hour

	// maxTries bounds how often a Put makes a directory anew that a Delete beside
	// it keeps removing because it is empty.
	maxTries = 1000
)

// Driver is a [blob.Driver] on a directory. Any number of Drivers in any number of
// processes may share one directory.
type Driver struct {
	root string
}

var _ blob.Driver = (*Driver)(nil)

// Open returns a driver on dir, which it makes if needed, and sweeps what
// interrupted writes have left there (see [Driver.Sweep]).
func Open(dir string, now time.Time) (*Driver, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open blob directory: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(root, tmpDir), 0o700); err != nil {
		return nil, fmt.Errorf("open blob directory: %w", full(err))
	}
	for _, d := range []string{root, filepath.Dir(root)} {
		if err := syncDir(d); err != nil && !errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("open blob directory: %w", full(err))
		}
	}
	d := &Driver{root: root}
	if _, err := d.Sweep(now); err != nil {
		return nil, fmt.Errorf("open blob directory: %w", err)
	}
	return d, nil
}

// Sweep removes temporary files that nobody has written to for an hour before now
// and returns how many. Blobs are not touched.
func (d *Driver) Sweep(now time.Time) (int, error) {
	entries, err := os.ReadDir(filepath.Join(d.root, tmpDir))
	if err != nil {
		return 0, fmt.Errorf("sweep temporary files: %w", err)
	}
	swept := 0
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && now.Sub(info.ModTime()) < orphanAge {
			continue
		}
		if err == nil {
			err = os.Remove(filepath.Join(d.root, tmpDir, e.Name()))
		}
		switch {
		case errors.Is(err, fs.ErrNotExist): // another process sweeps too
		case err != nil:
			return swept, fmt.Errorf("sweep temporary files: %w", err)
		default:
			swept++
		}
	}
	return swept, nil
}

// Put implements [blob.Driver].
func (d *Driver) Put(ctx context.Context, key string, r io.Reader, size int64) error {
	if err := check(ctx, key); err != nil {
		return fmt.Errorf("put blob: %w", err)
	}
	final := d.path(key)
	if _, err := os.Lstat(final); err == nil {
		return fmt.Errorf("put blob %s: %w", key, blob.ErrExists)
	}
	tmp, err := d.spool(ctx, r, size)
	if err != nil {
		return fmt.Errorf("put blob %s: %w", key, full(err))
	}
	err = d.publish(tmp, final)
	_ = os.Remove(tmp) // else the sweep will
	if err != nil {
		return fmt.Errorf("put blob %s: %w", key, full(err))
	}
	return nil
}

// spool writes r to a new temporary file, synced, and returns its name; after an
// error there is no file.
func (d *Driver) spool(ctx context.Context, r io.Reader, size int64) (name string, err error) {
	f, err := os.CreateTemp(filepath.Join(d.root, tmpDir), "put-*") // mode 0600
	if err != nil {
		return "", err
	}
	n, err := io.Copy(struct{ io.Writer }{f}, bounded(ctx, r, size))
	if err == nil && size >= 0 && n != size {
		err = fmt.Errorf("got %d bytes or more, %d announced: %w", n, size, blob.ErrSize)
	}
	if err == nil {
		err = f.Sync()
	}
	if cl := f.Close(); err == nil {
		err = cl
	}
	if err == nil {
		err = ctx.Err() // the last moment at which Put can be called off
	}
	if err != nil {
		_ = os.Remove(f.Name()) // else the sweep will
		return "", err
	}
	return f.Name(), nil
}

// publish gives a synced file its name, durably.
func (d *Driver) publish(tmp, final string) error {
	dir := filepath.Dir(final)
	for range maxTries {
		err := link(tmp, final)
		if errors.Is(err, fs.ErrNotExist) { // no directory yet, or no longer
			if err := d.makeDirs(dir); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		// A directory that is gone has lost our blob to a Delete: that is an order
		// of events, not an error.
		if err := syncDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(final)
			return err
		}
		return nil
	}
	if _, err := os.Lstat(tmp); err != nil {
		return fmt.Errorf("find temporary file, not written to for too long: %w", err)
	}
	return fmt.Errorf("make directory %s: removed %d times while it was made", dir, maxTries)
}

// link gives a file a second name, or fs.ErrExist.
func link(tmp, final string) error {
	err := os.Link(tmp, final)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return blob.ErrExists
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	case noLinks(err):
		return renameNew(tmp, final)
	}
	return err
}

// renameNew is link for file systems that have none; tmp is gone afterwards.
func renameNew(tmp, final string) error {
	if _, err := os.Lstat(final); err == nil {
		return blob.ErrExists
	}
	return os.Rename(tmp, final)
}

func noLinks(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, errors.ErrUnsupported)
}

// makeDirs makes the directories from the root down to dir and syncs every parent
// that got a new entry. A directory that another process has just made is taken as
// it is: journaling file systems write its entry no later than ours below it.
func (d *Driver) makeDirs(dir string) error {
	if dir == d.root {
		return nil
	}
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err := d.makeDirs(filepath.Dir(dir)); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist): // there, or pruned again: the caller tries again
		return nil
	case err != nil:
		return err
	}
	if err := syncDir(filepath.Dir(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Get implements [blob.Driver].
func (d *Driver) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	if err := check(ctx, key); err != nil {
		return nil, fmt.Errorf("get blob: %w", err)
	}
	f, err := os.Open(d.path(key))
	if err != nil {
		return nil, fmt.Errorf("get blob %s: %w", key, missing(err))
	}
	return f, nil
}

// Stat implements [blob.Driver].
func (d *Driver) Stat(ctx context.Context, key string) (blob.Info, error) {
	if err := check(ctx, key); err != nil {
		return blob.Info{}, fmt.Errorf("stat blob: %w", err)
	}
	info, err := os.Lstat(d.path(key))
	if err != nil {
		return blob.Info{}, fmt.Errorf("stat blob %s: %w", key, missing(err))
	}
	return blob.Info{Key: key, Size: info.Size(), ModTime: info.ModTime()}, nil
}

// Delete implements [blob.Driver]. Directories that it leaves empty go too, so that
// nothing tells that an owner was ever here.
func (d *Driver) Delete(ctx context.Context, key string) error {
	if err := check(ctx, key); err != nil {
		return fmt.Errorf("delete blob: %w", err)
	}
	final := d.path(key)
	err := os.Remove(final)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("delete blob %s: %w", key, full(err))
	}
	dir := filepath.Dir(final)
	for {
		for dir != d.root && os.Remove(dir) == nil { // fails when not empty
			dir = filepath.Dir(dir)
		}
		err := syncDir(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != d.root {
			dir = filepath.Dir(dir)
			continue
		}
		if err != nil {
			return fmt.Errorf("delete blob %s: %w", key, full(err))
		}
		return nil
	}
}

// List implements [blob.Driver].
func (d *Driver) List(ctx context.Context, prefix string, yield func(blob.Info) bool) error {
	if err := blob.ValidatePrefix(prefix); err != nil {
		return fmt.Errorf("list blobs: %w", err)
	}
	base := prefix[:strings.LastIndexByte(prefix, '/')+1]
	err := d.walk(ctx, base, prefix, yield)
	if err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("list blobs: %w", err)
	}
	return nil
}

var errStop = errors.New("stop listing")

// walk lists the directory of the keys that start with base, which is "" or ends
// with a slash.
func (d *Driver) walk(ctx context.Context, base, prefix string, yield func(blob.Info) bool) error {
	entries, err := readDir(filepath.Join(d.root, filepath.FromSlash(base)))
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case !e.IsDir() || base == "" && name == tmpDir:
		case name[0] == '@':
			err = d.walkPart(ctx, base, name, prefix, yield)
		case matches(base+name+"/", prefix):
			err = d.walk(ctx, base+name+"/", prefix, yield)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// walkPart lists the blobs in one "@" directory.
func (d *Driver) walkPart(ctx context.Context, base, part, prefix string, yield func(blob.Info) bool) error {
	entries, err := readDir(filepath.Join(d.root, filepath.FromSlash(base), part))
	if err != nil {
		return err
	}
	for _, e := range entries {
		key := base + e.Name()
		if !e.Type().IsRegular() || !strings.HasPrefix(key, prefix) || blob.ValidateKey(key) != nil {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if !yield(blob.Info{Key: key, Size: info.Size(), ModTime: info.ModTime()}) {
			return errStop
		}
	}
	return nil
}

// matches tells whether keys below dir can start with prefix.
func matches(dir, prefix string) bool {
	return strings.HasPrefix(dir, prefix) || strings.HasPrefix(prefix, dir)
}

// readDir is os.ReadDir for a directory that may be gone meanwhile.
func readDir(dir string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

func (d *Driver) path(key string) string {
	at := strings.LastIndexByte(key, '/') + 1
	sum := sha256.Sum256([]byte(key[at:]))
	return filepath.Join(d.root, filepath.FromSlash(key[:at]), "@"+hex.EncodeToString(sum[:1]), key[at:])
}

func check(ctx context.Context, key string) error {
	if err := blob.ValidateKey(key); err != nil {
		return err
	}
	return ctx.Err()
}

// bounded stops r when ctx is done, and one byte behind the announced size.
func bounded(ctx context.Context, r io.Reader, size int64) io.Reader {
	watched := readerFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return r.Read(p)
	})
	if size >= 0 {
		return io.LimitReader(watched, size+1)
	}
	return watched
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// full marks an error of writing that means that there is no room.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("%w: %w", blob.ErrFull, err)
	}
	return err
}

// missing turns the system's error for an absent file into the port's.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return blob.ErrNotFound
	}
	return err
}

// syncDir makes the entries of a directory durable, where the system can.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if cl := f.Close(); err == nil {
		err = cl
	}
	return err
}
