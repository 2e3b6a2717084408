package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lukasa-memory/lukasa"
)

// lockData makes the data directory and holds its lock while the house is built, so that of several processes that start at
// once one makes the keys and migrates, and the others find them.
func lockData(dir string) (unlock func(), err error) {
	if err := makeData(dir); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, &lukasa.Error{Code: lukasa.CodeStorage, Msg: "cannot write to the data directory " + dir, Hint: "check its owner and rights, or choose another with --data; searches and exports have to write there too, so copy what lies on a read-only medium to where it can be written", Err: err}
	}
	if err := lockFile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("lock data directory: %w", err), f.Close())
	}
	return func() { _ = f.Close() }, nil // closing gives the lock back
}

func makeData(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &lukasa.Error{Code: lukasa.CodeStorage, Msg: "cannot make the data directory", Hint: "choose another with --data", Err: err}
	}
	return nil
}

// HoldData makes the data directory and holds it for one server, until release is called or the process ends. [lukasa.CodeConflict] says that
// another server holds it. Commands beside the server do not ask for it.
func HoldData(dir string) (release func(), err error) {
	if err := makeData(dir); err != nil {
		return nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, &lukasa.Error{Code: lukasa.CodeStorage, Msg: "cannot open the data directory " + dir, Hint: "check its owner and rights, or choose another with --data", Err: err}
	}
	if heldElsewhere(f) {
		return nil, errors.Join(lukasa.Errorf(lukasa.CodeConflict, "another server runs on %s", dir), f.Close())
	}
	return func() { _ = f.Close() }, nil
}
