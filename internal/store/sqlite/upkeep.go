package sqlite

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/lite"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Expired implements [store.Upkeep]. Those whose time was up first come first.
func (db *DB) Expired(ctx context.Context, now time.Time, limit int) ([]store.Expired, error) {
	list := []store.Expired{}
	err := db.read(ctx, lukasa.Scope{}, func(s *session) error {
		return lite.Into(&s.Session, &list, func(r row) store.Expired {
			return store.Expired{Owner: lukasa.ID(r.Text(0)), Record: lukasa.ID(r.Text(1))}
		}, `SELECT owner_id, id, forget_after FROM documents WHERE forget_after IS NOT NULL AND forget_after <= ?5
UNION ALL SELECT owner_id, id, forget_after FROM memories WHERE forget_after IS NOT NULL AND forget_after <= ?5 ORDER BY 3, 2 LIMIT ?6`, now, limit)
	})
	return list, err
}

// DeleteUser implements [store.Upkeep]. Jobs of the owner go too.
func (db *DB) DeleteUser(ctx context.Context, id lukasa.ID) (gone lukasa.Removal, blobs []string, err error) {
	err = db.write(ctx, lukasa.Scope{Owner: id}, func(t *tx) error {
		gone, blobs = lukasa.Removal{}, nil
		there, err := t.Has("SELECT 1 FROM owners WHERE owner_id = ?1")
		if err != nil {
			return err
		}
		if !there || id == "" {
			return lukasa.NotFound("user", id)
		}
		t.silent = true
		tops, err := t.ids("SELECT id FROM nodes WHERE owner_id = ?1 AND parent_id IS NULL")
		if err != nil {
			return err
		}
		for _, node := range tops {
			if gone, blobs, err = t.DeleteNode(node); err != nil {
				return err
			}
		}
		for _, table := range []string{"edges", "entity_names", "entities", "jobs", "api_keys", "users", "owners", "deltas", "file_events", "audit"} {
			n, _, err := t.Exec("DELETE FROM " + table + " WHERE owner_id = ?1")
			if err != nil {
				return err
			}
			switch table {
			case "entities":
				gone.Entities += int(n)
			case "jobs":
				gone.Jobs += int(n)
			}
		}
		return nil
	})
	return gone, blobs, err
}

// BlobKeys implements [store.Upkeep].
func (db *DB) BlobKeys(ctx context.Context, yield func(string) bool) error {
	return db.read(ctx, lukasa.Scope{}, func(s *session) error {
		_, err := s.While(func(r row) bool { return yield(r.Text(0)) }, "SELECT DISTINCT blob FROM files WHERE blob <> '' ORDER BY blob")
		return err
	})
}

// Backup implements [store.Upkeep]. A file that is there already is [lukasa.CodeConflict].
func (db *DB) Backup(ctx context.Context, path string) error {
	err := lite.Backup(ctx, db.path, path, false)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return lukasa.Errorf(lukasa.CodeConflict, "%s is there already", path)
	case lite.Code(err) == 0 && ctx.Err() == nil:
		return &lukasa.Error{Code: lukasa.CodeStorage, Msg: "the backup cannot be written", Err: err}
	}
	return fmt.Errorf("back up store: %w", fault(err))
}

// Scrub implements [store.Upkeep]. The log of writes is carried over and cut to nothing (in the file itself, what was deleted is
// zeros already), and the copies that were made before the schema was changed go: they have all that was there then. It waits
// for views that are under way, as these still need the log.
func (db *DB) Scrub(ctx context.Context) error {
	return fault(db.readers.With(ctx, func(c *conn) error {
		busy := true
		err := lite.UntilFree(ctx, db.opts.BusyTimeout, func() error {
			return c.Each(ctx, "PRAGMA wal_checkpoint(TRUNCATE)", nil, func(r row) error { busy = r.Bool(0); return nil })
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

// checks are questions whose rows are what is wrong.
//
//go:embed checks.sql
var checks string

// Check implements [store.Upkeep].
func (db *DB) Check(ctx context.Context) ([]string, error) {
	found := []string{}
	err := db.read(ctx, lukasa.Scope{}, func(s *session) error {
		err := s.Each(func(r row) error {
			if line := r.Text(0); line != "ok" {
				found = append(found, line)
			}
			return nil
		}, "PRAGMA integrity_check(100)")
		if err != nil {
			return err
		}
		err = s.Each(func(r row) error {
			found = append(found, fmt.Sprintf("a row of %s refers to a row of %s that is not there", r.Text(0), r.Text(2)))
			return nil
		}, "PRAGMA foreign_key_check")
		if err != nil {
			return err
		}
		for q := range strings.SplitSeq(checks, ";\n") {
			if err := lite.Into(&s.Session, &found, scanText, q); err != nil {
				return err
			}
		}
		spaces, err := s.allSpaces()
		if err != nil {
			return err
		}
		for _, n := range spaces {
			err := lite.Into(&s.Session, &found, scanText, "SELECT 'vector of '||e.entry_id||' in space "+itoa(n)+` has no entry' FROM embeddings_`+itoa(n)+` e
WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.owner_id = e.owner_id AND c.id = e.entry_id AND c.node_id = e.node_id)
 AND NOT EXISTS (SELECT 1 FROM memories c WHERE c.owner_id = e.owner_id AND c.id = e.entry_id AND c.node_id = e.node_id)
 AND NOT EXISTS (SELECT 1 FROM documents c WHERE c.owner_id = e.owner_id AND c.id = e.entry_id AND c.node_id = e.node_id AND c.summary_entry = 1)`)
			if err != nil {
				return err
			}
		}
		return s.checkChains(&found)
	})
	return found, err
}
