package store

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// The states of files.
const (
	FileActive      = "active"
	FileDormant     = "dormant"
	FileRehydrating = "rehydrating"
)

// IdleFiles implements [Files].
func (l Ledger) IdleFiles(ctx context.Context, state string, before time.Time, limit int) ([]OwnedFile, error) {
	return collect(ctx, l, "", func(r Row) OwnedFile { return OwnedFile{File: ScanFile(r), Owner: lukasa.ID(r.Text(13))} },
		"SELECT "+FileColumns+", f.owner_id FROM files f WHERE f.state = ?5 AND f.used_at < ?6 ORDER BY f.used_at, f.id LIMIT ?7", state, before, limit)
}

// MoveFile implements [Files]. Of the file only what may change with its state is taken: its bytes, their size, and its use.
func (l Ledger) MoveFile(ctx context.Context, owner lukasa.ID, f lukasa.File, e FileEvent) (moved bool, err error) {
	for _, state := range []string{e.From, e.To} {
		switch state {
		case FileActive, FileDormant, FileRehydrating:
		default:
			return false, lukasa.Invalid("state", "is %q, must be %s, %s or %s", state, FileActive, FileDormant, FileRehydrating)
		}
	}
	err = l.write(ctx, owner, func(s Statements) error {
		used := f.UsedAt
		if used.IsZero() {
			used = time.UnixMicro(0)
		}
		n, err := s.Run(`UPDATE files SET state = ?7, sealed_size = ?8, blob = ?9, inline = ?10, used_at = CASE WHEN used_at < ?11 THEN ?11 ELSE used_at END
WHERE owner_id = ?1 AND id = ?5 AND state = ?6 AND sha256 = ?12`, f.ID, e.From, e.To, f.SealedSize, f.Blob, f.Inline, used, f.SHA256)
		if moved = n > 0; err != nil || !moved {
			return err
		}
		_, err = s.Run(`INSERT INTO file_events (owner_id, file_id, from_state, to_state, cause, size_before, size_after, error, at)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`, f.ID, e.From, e.To, e.Trigger, e.Before, e.After, e.Error, orNow(s, e.At))
		return err
	})
	return moved && err == nil, err
}

// TouchFiles implements [Files]. Unknown ids are passed over, and times do not go back.
func (l Ledger) TouchFiles(ctx context.Context, owner lukasa.ID, ids []lukasa.ID, at time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	return l.write(ctx, owner, func(s Statements) error {
		for _, id := range ids {
			if _, err := s.Run("UPDATE files SET used_at = ?6 WHERE owner_id = ?1 AND id = ?5 AND used_at < ?6", id, at); err != nil {
				return err
			}
		}
		return nil
	})
}

// readLines reads a stretch of a log.
func readLines[T any](ctx context.Context, l Ledger, scan func(Row) T, kind byte, columns, from, key string, conditions map[string]any, p lukasa.Page) (list lukasa.Listing[T], err error) {
	err = l.read(ctx, "", func(s Statements) (err error) {
		list.Items = []T{}
		list.Next, list.Total, err = s.Lines(func(r Row) { list.Items = append(list.Items, scan(r)) }, kind, columns, from, key, conditions, p)
		return err
	})
	return list, err
}

// FileEvents implements [Files].
func (l Ledger) FileEvents(ctx context.Context, owner, file lukasa.ID, p lukasa.Page) (lukasa.Listing[FileEvent], error) {
	conditions := map[string]any{"f.owner_id = ??": owner}
	if file != "" {
		conditions["f.file_id = ??"] = file
	}
	return readLines(ctx, l, func(r Row) FileEvent {
		return FileEvent{
			File: lukasa.ID(r.Text(0)), From: r.Text(1), To: r.Text(2), Trigger: r.Text(3), Before: r.Int64(4), After: r.Int64(5), Error: r.Text(6), At: r.Time(7),
		}
	}, 'f', "f.file_id, f.from_state, f.to_state, f.cause, f.size_before, f.size_after, f.error, f.at", "file_events f", "f.n", conditions, p)
}

// Audit implements [Audits]. Of an owner who is gone the log takes nothing but the receipt, which stays with who had deleted themselves.
func (l Ledger) Audit(ctx context.Context, a Audit) error {
	if a.Action == "" {
		return lukasa.Invalid("action", "is empty")
	}
	details, err := objectJSON(a.Details)
	if err != nil {
		return err
	}
	return l.write(ctx, a.Owner, func(s Statements) error {
		there := a.Owner == ""
		if !there {
			if err := s.Query(func(Row) { there = true }, `SELECT 1 FROM owners WHERE owner_id = ?1
UNION ALL SELECT 1 FROM audit WHERE owner_id = ?1 AND action IN ('user.delete', 'organisation.delete') AND ?5 = 'receipt.scrub' LIMIT 1`, a.Action); err != nil {
				return err
			}
		}
		if !there && a.Action != "user.delete" && a.Action != "organisation.delete" {
			return Gone(a.Owner)
		}
		_, err := s.Run("INSERT INTO audit (owner_id, actor_id, action, resource, details, address, at) VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10)",
			a.Actor, a.Action, a.Resource, details, a.Address, orNow(s, a.At))
		return err
	})
}

// AuditLog implements [Audits].
func (l Ledger) AuditLog(ctx context.Context, owner lukasa.ID, action string, p lukasa.Page) (lukasa.Listing[Audit], error) {
	conditions := map[string]any{}
	if owner != "" {
		conditions["u.owner_id = ??"] = owner
	}
	if action != "" {
		conditions["u.action = ??"] = action
	}
	return readLines(ctx, l, func(r Row) Audit {
		a := Audit{Owner: lukasa.ID(r.Text(0)), Actor: lukasa.ID(r.Text(1)), Action: r.Text(2), Resource: r.Text(3), Address: r.Text(5), At: r.Time(6)}
		if r.Text(4) != "" {
			a.Details = r.Object(4)
		}
		return a
	}, 'a', "u.owner_id, u.actor_id, u.action, u.resource, u.details, u.address, u.at", "audit u", "u.n", conditions, p)
}
