package sqlite

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Enqueue implements [store.Tx]. The job's owner is the scope's.
func (t *tx) Enqueue(j lukasa.Job) error {
	if t.sc.Owner == "" || (j.Owner != "" && j.Owner != t.sc.Owner) {
		return lukasa.NotFound("owner", j.Owner)
	}
	if j.Dead {
		return lukasa.Invalid("dead", "a new job cannot be dead")
	}
	run := t.orNow(j.RunAt)
	return t.Do(`INSERT INTO jobs (id, owner_id, kind, record_id, attempt, max_tries, run_at, due_at, running, reason, dead, created_at)
VALUES (?5, ?1, ?6, ?7, ?8, ?9, ?10, ?10, 0, ?11, 0, ?12)
ON CONFLICT (owner_id, kind, record_id) WHERE dead = 0 AND running = 0 DO NOTHING`,
		j.ID, j.Kind, j.Record, j.Attempt, j.MaxTries, run, j.Reason, t.orNow(j.Created))
}

const jobColumns = "id, owner_id, kind, record_id, attempt, max_tries, run_at, reason, dead, created_at"

// Claim implements [store.Jobs]. Those that have been due longest come first.
func (db *DB) Claim(ctx context.Context, now time.Time, lease time.Duration, n int) ([]lukasa.Job, error) {
	var due bool
	err := db.read(ctx, lukasa.Scope{}, func(s *session) (err error) { // an idle queue does not take the write lock
		due, err = s.Has("SELECT 1 FROM jobs WHERE dead = 0 AND due_at <= ?5 LIMIT 1", now)
		return err
	})
	jobs := []lukasa.Job{}
	if err != nil || !due || n <= 0 {
		return jobs, err
	}
	err = db.write(ctx, lukasa.Scope{}, func(t *tx) error {
		jobs = jobs[:0]
		return t.Each(func(r row) error {
			jobs = append(jobs, lukasa.Job{
				ID: lukasa.ID(r.Text(0)), Owner: lukasa.ID(r.Text(1)), Kind: lukasa.JobKind(r.Text(2)), Record: lukasa.ID(r.Text(3)),
				Attempt: r.Int(4), MaxTries: r.Int(5), RunAt: r.Time(6), Reason: r.Text(7), Dead: r.Bool(8), Created: r.Time(9),
			})
			return nil
		}, `UPDATE jobs SET attempt = attempt + 1, running = 1, due_at = ?6
WHERE id IN (SELECT id FROM jobs WHERE dead = 0 AND due_at <= ?5 ORDER BY due_at, id LIMIT ?7) RETURNING `+jobColumns, now, now.Add(lease), n)
	})
	slices.SortFunc(jobs, func(a, b lukasa.Job) int { return cmp.Or(a.RunAt.Compare(b.RunAt), cmp.Compare(a.ID, b.ID)) })
	return jobs, err
}

// Finish implements [store.Jobs]. A job that is gone is no error: it may have been done twice.
func (db *DB) Finish(ctx context.Context, id lukasa.ID) error {
	return db.write(ctx, lukasa.Scope{}, func(t *tx) error { return t.Do("DELETE FROM jobs WHERE id = ?5", id) })
}

// Retry implements [store.Jobs]. Where another job of the kind waits for the record already, that one stands for both.
func (db *DB) Retry(ctx context.Context, id lukasa.ID, at time.Time, reason string, dead bool) error {
	return db.write(ctx, lukasa.Scope{}, func(t *tx) error {
		if !dead {
			n, _, err := t.Exec(`DELETE FROM jobs WHERE id = ?5 AND EXISTS (SELECT 1 FROM jobs o WHERE o.owner_id = jobs.owner_id AND o.kind = jobs.kind
 AND o.record_id = jobs.record_id AND o.dead = 0 AND o.running = 0 AND o.id <> jobs.id)`, id)
			if err != nil || n > 0 {
				return err
			}
		}
		n, _, err := t.Exec("UPDATE jobs SET running = 0, run_at = ?6, due_at = ?6, reason = ?7, dead = ?8 WHERE id = ?5", id, at, reason, dead)
		if err == nil && n == 0 {
			err = lukasa.NotFound("job", id)
		}
		return err
	})
}

// Counts implements [store.Jobs].
func (db *DB) Counts(ctx context.Context, now time.Time) (waiting, running, dead int, err error) {
	err = db.read(ctx, lukasa.Scope{}, func(s *session) error {
		_, err := s.One(func(r row) { waiting, running, dead = r.Int(0), r.Int(1), r.Int(2) },
			"SELECT sum(dead = 0 AND NOT (running = 1 AND due_at > ?5)), sum(dead = 0 AND running = 1 AND due_at > ?5), sum(dead) FROM jobs", now)
		return err
	})
	return waiting, running, dead, err
}

// Revive implements [store.Jobs]. It starts their attempts anew.
func (db *DB) Revive(ctx context.Context, record lukasa.ID, now time.Time) (n int, err error) {
	err = db.write(ctx, lukasa.Scope{}, func(t *tx) error {
		n = 0
		ids, err := t.ids("SELECT id FROM jobs WHERE dead = 1 AND (?5 = '' OR record_id = ?5) ORDER BY created_at DESC, id", record)
		if err != nil {
			return err
		}
		for _, id := range ids {
			k, _, err := t.Exec(`UPDATE OR IGNORE jobs SET dead = 0, running = 0, attempt = 0, run_at = ?6, due_at = ?6 WHERE id = ?5`, id, now)
			if err != nil {
				return err
			}
			if k == 0 { // another one waits for the record
				if err := t.Do("DELETE FROM jobs WHERE id = ?5", id); err != nil {
					return err
				}
			}
			n += int(k)
		}
		return nil
	})
	return n, err
}
