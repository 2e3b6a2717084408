package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/lite"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The states of files.
const (
	fileActive      = "active"
	fileDormant     = "dormant"
	fileRehydrating = "rehydrating"
)

const fileColumns = "f.id, f.document_id, f.role, f.name, f.type, f.size, f.sealed_size, f.blob, f.sha256, f.created_at, f.inline, f.state, f.used_at"

func scanFile(r row) lukasa.File {
	return lukasa.File{
		ID: lukasa.ID(r.Text(0)), Document: lukasa.ID(r.Text(1)), Role: r.Text(2), Name: r.Text(3), Type: r.Text(4), Size: r.Int64(5),
		SealedSize: r.Int64(6), Blob: r.Text(7), SHA256: r.Text(8), CreatedAt: r.Time(9), Inline: r.Bytes(10), State: r.Text(11), UsedAt: r.Time(12),
	}
}

// IdleFiles implements [store.Files].
func (db *DB) IdleFiles(ctx context.Context, state string, before time.Time, limit int) ([]store.OwnedFile, error) {
	list := []store.OwnedFile{}
	err := db.read(ctx, lukasa.Scope{}, func(s *session) error {
		return lite.Into(&s.Session, &list, func(r row) store.OwnedFile { return store.OwnedFile{File: scanFile(r), Owner: lukasa.ID(r.Text(13))} },
			"SELECT "+fileColumns+", f.owner_id FROM files f WHERE f.state = ?5 AND f.used_at < ?6 ORDER BY f.used_at, f.id LIMIT ?7", state, before, limit)
	})
	return list, err
}

// MoveFile implements [store.Files]. Of the file only what may change with its state is taken: its bytes and their size.
func (db *DB) MoveFile(ctx context.Context, owner lukasa.ID, f lukasa.File, e store.FileEvent) (moved bool, err error) {
	for _, state := range []string{e.From, e.To} {
		switch state {
		case fileActive, fileDormant, fileRehydrating:
		default:
			return false, lukasa.Invalid("state", "is %q, must be %s, %s or %s", state, fileActive, fileDormant, fileRehydrating)
		}
	}
	err = db.write(ctx, lukasa.Scope{Owner: owner}, func(t *tx) error {
		n, _, err := t.Exec("UPDATE files SET state = ?7, sealed_size = ?8, blob = ?9, inline = ?10, used_at = max(used_at, ?11) WHERE owner_id = ?1 AND id = ?5 AND state = ?6",
			f.ID, e.From, e.To, f.SealedSize, f.Blob, f.Inline, f.UsedAt)
		if moved = n > 0; err != nil || !moved {
			return err
		}
		return t.Do(`INSERT INTO file_events (owner_id, file_id, from_state, to_state, cause, size_before, size_after, error, at)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`, f.ID, e.From, e.To, e.Trigger, e.Before, e.After, e.Error, t.orNow(e.At))
	})
	return moved, err
}

// TouchFiles implements [store.Files]. Unknown ids are passed over, and times do not go back.
func (db *DB) TouchFiles(ctx context.Context, owner lukasa.ID, ids []lukasa.ID, at time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	return db.write(ctx, lukasa.Scope{Owner: owner}, func(t *tx) error {
		return t.Do("UPDATE files SET used_at = ?6 WHERE "+rowsOf("files", "id")+" AND used_at < ?6", lite.Set(ids), at)
	})
}

// FileEvents implements [store.Files].
func (db *DB) FileEvents(ctx context.Context, owner, file lukasa.ID, p lukasa.Page) (list lukasa.Listing[store.FileEvent], err error) {
	err = db.read(ctx, lukasa.Scope{Owner: owner}, func(s *session) error {
		c := where("f.owner_id = ?1")
		if file != "" {
			c.Add("f.file_id = ??", file)
		}
		list, err = lines(s, 'f', "file_events f", "f.n", "f.file_id, f.from_state, f.to_state, f.cause, f.size_before, f.size_after, f.error, f.at", c, p,
			func(r row) store.FileEvent {
				return store.FileEvent{
					File: lukasa.ID(r.Text(0)), From: r.Text(1), To: r.Text(2), Trigger: r.Text(3), Before: r.Int64(4), After: r.Int64(5), Error: r.Text(6), At: r.Time(7),
				}
			})
		return err
	})
	return list, err
}

// lines reads a stretch of a log whose lines are numbered, newest first.
func lines[T any](s *session, kind byte, from, key, columns string, c lite.Conditions, p lukasa.Page, scan func(row) T) (list lukasa.Listing[T], err error) {
	rows, next, total, err := s.stretch(kind, from, key, "''", c, true, p)
	if err != nil {
		return list, err
	}
	numbers := make([]string, len(rows))
	for i := range rows {
		numbers[i] = fmt.Sprint(rows[i].Key)
	}
	list = lukasa.Listing[T]{Items: make([]T, 0, len(numbers)), Next: next, Total: total}
	err = lite.Into(&s.Session, &list.Items, scan, "SELECT "+columns+" FROM "+from+" WHERE "+key+" IN (SELECT CAST(value AS INTEGER) FROM json_each(?5)) ORDER BY "+key+" DESC", lite.Set(numbers))
	return list, err
}

// Audit implements [store.Audits].
func (db *DB) Audit(ctx context.Context, a store.Audit) error {
	return db.write(ctx, lukasa.Scope{Owner: a.Owner}, func(t *tx) error {
		if a.Action == "" {
			return lukasa.Invalid("action", "is empty")
		}
		details, err := lite.Object(a.Details)
		if err != nil {
			return err
		}
		return t.Do("INSERT INTO audit (owner_id, actor_id, action, resource, details, address, at) VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10)",
			a.Actor, a.Action, a.Resource, details, a.Address, t.orNow(a.At))
	})
}

// AuditLog implements [store.Audits].
func (db *DB) AuditLog(ctx context.Context, owner lukasa.ID, action string, p lukasa.Page) (list lukasa.Listing[store.Audit], err error) {
	err = db.read(ctx, lukasa.Scope{}, func(s *session) error {
		c := where("1")
		if owner != "" {
			c.Add("u.owner_id = ??", owner)
		}
		if action != "" {
			c.Add("u.action = ??", action)
		}
		list, err = lines(s, 'a', "audit u", "u.n", "u.owner_id, u.actor_id, u.action, u.resource, u.details, u.address, u.at", c, p, func(r row) store.Audit {
			a := store.Audit{
				Owner: lukasa.ID(r.Text(0)), Actor: lukasa.ID(r.Text(1)), Action: r.Text(2), Resource: r.Text(3), Address: r.Text(5), At: r.Time(6),
			}
			if r.Text(4) != "" {
				a.Details = r.Object(4)
			}
			return a
		})
		return err
	})
	return list, err
}
