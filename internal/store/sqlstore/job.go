package sqlstore

import "github.com/lukasa-memory/lukasa"

// Enqueue implements [store.Tx]. The job's owner is the scope's. One that waits stands for both; nobody begins it before this write is committed.
func (t *Tx) Enqueue(j lukasa.Job) error {
	if t.sc.Owner == "" || (j.Owner != "" && j.Owner != t.sc.Owner) {
		return lukasa.NotFound("owner", j.Owner)
	}
	if err := t.owned(); err != nil {
		return err
	}
	return t.Do(`INSERT INTO jobs (id, owner_id, kind, record_id, attempt, max_tries, run_at, due_at, running, reason, dead, created_at)
VALUES (?5, ?1, ?6, ?7, ?8, ?9, ?10, ?10, 0, ?11, ?13, ?12)
ON CONFLICT (owner_id, kind, record_id) WHERE dead = 0 AND running = 0 DO UPDATE SET kind = excluded.kind`,
		j.ID, j.Kind, j.Record, j.Attempt, j.MaxTries, t.orNow(j.RunAt), j.Reason, t.orNow(j.Created), j.Dead)
}

// DropDead implements [store.Tx].
func (t *Tx) DropDead(record lukasa.ID) error {
	if err := t.owned(); err != nil {
		return err
	}
	return t.Do("DELETE FROM jobs WHERE owner_id = ?1 AND record_id = ?5 AND dead = 1", record)
}
