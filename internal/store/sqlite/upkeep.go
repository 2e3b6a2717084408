package sqlite

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store/sqlstore"
)

// Backup writes a consistent copy of all rows to a new file. One that is there already is [lukasa.CodeConflict].
func (db *DB) Backup(ctx context.Context, path string) error {
	err := Backup(ctx, db.uri(), path, false)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return lukasa.Errorf(lukasa.CodeConflict, "%s is there already", path)
	case Code(err) == 0 && ctx.Err() == nil:
		return &lukasa.Error{Code: lukasa.CodeStorage, Msg: "the backup cannot be written", Err: err}
	}
	return fmt.Errorf("back up store: %w", fault(err))
}

// Scrub implements [store.Upkeep]. The log of writes is carried over and cut to nothing (in the file itself, what was deleted is
// zeros already), and the copies that were made before the schema was changed go: they have all that was there then. It waits
// for views that are under way, as these still need the log.
func (db *DB) Scrub(ctx context.Context) error {
	return db.fault(db.readers.With(ctx, func(c *Conn) error {
		busy := true
		err := UntilFree(ctx, db.opts.BusyTimeout, func() error {
			return c.Each(ctx, "PRAGMA wal_checkpoint(TRUNCATE)", nil, func(r sqlrows.Row) error { busy = r.Bool(0); return nil })
		})
		if err == nil && busy {
			err = lukasa.Errorf(lukasa.CodeUnavailable, "the store is being read all the time: try again")
		}
		copies, _ := filepath.Glob(strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(db.path) + ".bak-*")
		for _, name := range copies {
			if e := os.Remove(name); e != nil && !os.IsNotExist(e) && err == nil {
				err = &lukasa.Error{Code: lukasa.CodeStorage, Msg: "a copy that was made before an upgrade cannot be removed", Hint: "remove " + filepath.Base(name), Err: e}
			}
		}
		return err
	}))
}

// Own implements [store.Upkeep]. Locks on files belong to a process, and go with the first close of the file by it: so what is opened here
// stays open as long as there are connections.
func (db *DB) Own(path string) (io.ReaderAt, error) {
	is, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if own, err := os.Stat(db.path + end); err != nil || !os.SameFile(own, is) {
			continue
		}
		db.mu.Lock()
		defer db.mu.Unlock()
		for _, f := range db.own {
			if st, err := f.Stat(); err == nil && os.SameFile(st, is) {
				return f, nil
			}
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		db.own = append(db.own, f)
		return f, nil
	}
	return nil, nil
}

// Check implements [store.Upkeep].
func (db *DB) Check(ctx context.Context) ([]string, error) {
	return db.CheckRows(ctx, func(s *sqlstore.Session, found *[]string) error {
		err := s.Each(func(r sqlrows.Row) error {
			if line := r.Text(0); line != "ok" {
				*found = append(*found, line)
			}
			return nil
		}, "PRAGMA integrity_check(100)")
		if err != nil {
			return err
		}
		return s.Each(func(r sqlrows.Row) error {
			*found = append(*found, fmt.Sprintf("a row of %s refers to a row of %s that is not there", r.Text(0), r.Text(2)))
			return nil
		}, "PRAGMA foreign_key_check")
	})
}
