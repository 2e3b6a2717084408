package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// Scrub implements [store.Upkeep]. The log of writes is carried over and cut to nothing: what was deleted is zeros in the file
// itself. It waits for views that are under way, as these still need the log.
func (db *DB) Scrub(ctx context.Context) error {
	return fault(db.readers.With(ctx, func(c *conn) error {
		busy := true
		err := lite.UntilFree(ctx, db.opts.BusyTimeout, func() error {
			return c.Each(ctx, "PRAGMA wal_checkpoint(TRUNCATE)", nil, func(r row) error { busy = r.Bool(0); return nil })
		})
		if err == nil && busy {
			err = lukasa.Errorf(lukasa.CodeUnavailable, "the store is being read all the time: try again")
		}
		return err
	}))
}

// checks are questions whose rows are what is wrong.
var checks = []string{
	"SELECT 'document ' || d.id || ' counts ' || d.chunk_count || ' chunks, there are ' || count(c.id) FROM documents d LEFT JOIN chunks c ON c.owner_id = d.owner_id AND c.document_id = d.id GROUP BY d.owner_id, d.id HAVING count(c.id) <> d.chunk_count",
	"SELECT 'chunk ' || c.id || ' is in node ' || c.node_id || ', its document in ' || d.node_id FROM chunks c JOIN documents d ON d.owner_id = c.owner_id AND d.id = c.document_id WHERE c.node_id <> d.node_id",
	"SELECT 'chunk ' || c.id || ' belongs to message ' || c.message_id || ', which is not there' FROM chunks c WHERE c.message_id <> '' AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.owner_id = c.owner_id AND m.id = c.message_id)",
	"SELECT 'conversation ' || v.id || ' counts ' || v.message_count || ' messages, there are ' || count(m.id) FROM conversations v LEFT JOIN messages m ON m.owner_id = v.owner_id AND m.conversation_id = v.id AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.owner_id = m.owner_id AND d.id = m.document_id AND d.buried_at IS NOT NULL) GROUP BY v.owner_id, v.id HAVING count(m.id) <> v.message_count",
	"SELECT 'document ' || d.id || ' follows ' || d.previous_id || ', which is not there' FROM documents d WHERE d.previous_id <> '' AND NOT EXISTS (SELECT 1 FROM documents p WHERE p.owner_id = d.owner_id AND p.id = d.previous_id)",
	"SELECT 'document ' || d.id || ' is the latest and has a newer version' FROM documents d WHERE d.is_latest = 1 AND d.buried_at IS NULL AND EXISTS (SELECT 1 FROM documents p WHERE p.owner_id = d.owner_id AND p.previous_id = d.id AND p.previous_id <> '' AND p.buried_at IS NULL)",
	"SELECT 'node ' || n.id || ' has the path ' || n.path || ', its parent ' || p.path FROM nodes n JOIN nodes p ON p.owner_id = n.owner_id AND p.id = n.parent_id WHERE n.path NOT LIKE CASE p.path WHEN '' THEN '%' ELSE replace(p.path, '_', '%') || '.%' END OR n.depth <> p.depth + 1",
	"SELECT 'record ' || id || ' of ' || owner_id || ' holds what is not JSON' FROM (SELECT owner_id, id, tags, metadata FROM documents UNION ALL SELECT owner_id, id, tags, metadata FROM memories UNION ALL SELECT owner_id, id, NULL, metadata FROM messages) WHERE NOT json_valid(coalesce(tags, '[]')) OR NOT json_valid(coalesce(metadata, '{}'))",
}

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
		for _, q := range checks {
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

// Setting implements [store.Upkeep].
func (db *DB) Setting(ctx context.Context, name string) (value string, err error) {
	err = db.read(ctx, lukasa.Scope{}, func(s *session) error {
		_, err := s.One(func(r row) { value = r.Text(0) }, "SELECT value FROM settings WHERE name = ?5", name)
		return err
	})
	return value, err
}

// SetSetting implements [store.Upkeep]. An empty value unsets.
func (db *DB) SetSetting(ctx context.Context, name, value string) error {
	return db.write(ctx, lukasa.Scope{}, func(t *tx) error {
		if value == "" {
			return t.Do("DELETE FROM settings WHERE name = ?5", name)
		}
		return t.Do("INSERT INTO settings (name, value) VALUES (?5, ?6) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
	})
}
