package crypt

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// maxKeyFile bounds what is read from a key file: a key has at most 64 characters,
// the rest is white space.
const maxKeyFile = 4 << 10

// LoadMaster finds the master key: in env, the value of LUKASA_MASTER_KEY, when it is
// not empty; else in the file at path; else it makes a key from rand and writes it
// to path (mode 0600, 64 hexadecimal digits and a line feed), and created is true.
//
// A file that others may read is refused on systems that have permission bits.
// A file or value that holds no key is an error and never replaced: the data
// sealed under it may still be there.
//
// Any number of goroutines and processes may call it at once on a new path: the
// file appears complete or not at all, all of them return the same key, and exactly one says that
// it created it. The key is on disk, with its directory entry, before the
// caller that made it gets it. The directory of path must exist and its file
// system must know hard links; where it does not, set the key by hand.
func LoadMaster(env, path string, rand io.Reader) (key Key, created bool, err error) {
	if env != "" {
		key, err := ParseKey(env)
		if err != nil {
			return Key{}, false, fmt.Errorf("read master key from the environment: %w", err)
		}
		return key, false, nil
	}
	key, err = readMaster(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, false, err
	}
	key, err = NewKey(rand)
	if err != nil {
		return Key{}, false, fmt.Errorf("make master key: %w", err)
	}
	err = publishMaster(path, key)
	if errors.Is(err, fs.ErrExist) { // another one was first
		if err := syncDir(filepath.Dir(path)); err != nil {
			return Key{}, false, fmt.Errorf("read master key: %w", err)
		}
		key, err = readMaster(path)
		return key, false, err
	}
	if err != nil {
		return Key{}, false, fmt.Errorf("write master key: %w (or set LUKASA_MASTER_KEY)", err)
	}
	return key, true, nil
}

func readMaster(path string) (Key, error) {
	f, err := os.Open(path)
	if err != nil {
		return Key{}, fmt.Errorf("read master key: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Key{}, fmt.Errorf("read master key: %w", err)
	}
	if !info.Mode().IsRegular() {
		return Key{}, fmt.Errorf("read master key: %s is not a regular file: %w", path, ErrKey)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 && runtime.GOOS != "windows" {
		return Key{}, fmt.Errorf("read master key: %s has mode %04o, so others may read it; run: chmod 600 %s: %w", path, perm, path, fs.ErrPermission)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return Key{}, fmt.Errorf("read master key: %w", err)
	}
	if len(text) > maxKeyFile {
		return Key{}, fmt.Errorf("read master key: %s is too long to be a key file: %w", path, ErrKey)
	}
	key, err := ParseKey(string(text))
	if err != nil {
		return Key{}, fmt.Errorf("read master key from %s: %w", path, err)
	}
	return key, nil
}

// publishMaster writes the key to a file of its own and gives that file its name by
// a hard link, which fails with fs.ErrExist when the name is taken.
func publishMaster(path string, key Key) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".master-key-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, key.Hex()+"\n")
	if err == nil {
		err = f.Sync()
	}
	if cl := f.Close(); err == nil {
		err = cl
	}
	if err == nil {
		err = os.Link(f.Name(), path)
	}
	// The temporary name goes before the directory is synced: no second name of
	// the key survives a crash after this call.
	if rm := os.Remove(f.Name()); err == nil {
		err = rm
	}
	if err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes the entries of a directory durable, where the system can.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cl := d.Close(); err == nil {
		err = cl
	}
	return err
}
