package store

import (
	"context"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// retired deletes a job that is put back while another of its kind waits for the record already: that one stands for both.
const retired = `DELETE FROM jobs WHERE id = ?5 AND EXISTS (SELECT 1 FROM jobs o WHERE o.owner_id = jobs.owner_id AND o.kind = jobs.kind
 AND o.record_id = jobs.record_id AND o.dead = 0 AND o.running = 0 AND o.id <> jobs.id)`

// Postpone implements [Jobs].
func (l Ledger) Postpone(ctx context.Context, j lukasa.Job, at time.Time, reason string) error {
	return l.write(ctx, "", func(s Statements) error {
		n, err := s.Run(retired+" AND attempt = ?6 AND running = 1 AND dead = 0", j.ID, j.Attempt)
		if err != nil || n > 0 {
			return err
		}
		_, err = s.Run(`UPDATE jobs SET running = 0, run_at = ?7, due_at = ?7, reason = ?8, attempt = attempt - 1
WHERE id = ?5 AND attempt = ?6 AND running = 1 AND dead = 0`, j.ID, j.Attempt, at, reason)
		return err
	})
}

// Queue implements [Jobs].
func (l Ledger) Queue(ctx context.Context, owner lukasa.ID, limit int) ([]lukasa.Job, error) {
	return collect(ctx, l, "", scanJob, "SELECT "+jobColumns+` FROM jobs WHERE ?5 = '' OR owner_id = ?5 ORDER BY dead DESC, created_at, id LIMIT ?6`, owner, limit)
}

// ChangeSetting implements [Settings].
func (l Ledger) ChangeSetting(ctx context.Context, name string, change func(string) (string, error)) error {
	return l.write(ctx, "", func(s Statements) error {
		var old []string
		if err := s.Query(func(r Row) { old = append(old, r.Text(0)) }, "SELECT value FROM settings WHERE name = ?5", name); err != nil {
			return err
		}
		value, err := change(slices.Concat(old, []string{""})[0])
		if err != nil {
			return err
		}
		_, err = s.Run("INSERT INTO settings (name, value) VALUES (?5, ?6) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
		return err
	})
}
