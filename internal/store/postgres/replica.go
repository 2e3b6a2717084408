package postgres

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/rows"
)

// replicaWait is how long a read waits for the replica to have what the primary had when the read was asked for; then it goes to
// the primary.
const replicaWait = 20 * time.Millisecond

// reader returns where a read goes: to the replica once that has replayed all that the primary had written to its log by now, so
// that what any node has acknowledged is seen; else to the primary.
func (db *DB) reader(ctx context.Context) *pg.Pool {
	if db.replica == nil {
		return db.pool
	}
	at, err := one(ctx, db.pool, "SELECT CAST(pg_current_wal_flush_lsn() AS text)")
	if err != nil {
		return db.replica // the primary is away: what it acknowledged last may be missing, which is better than nothing
	}
	for until := time.Now().Add(replicaWait); ; time.Sleep(time.Millisecond) {
		there, err := one(ctx, db.replica, "SELECT CASE WHEN pg_last_wal_replay_lsn() >= CAST("+pg.Text(at)+" AS pg_lsn) THEN 'yes' ELSE 'no' END")
		switch {
		case err == nil && there == "yes":
			return db.replica
		case err != nil || time.Now().After(until) || ctx.Err() != nil:
			return db.pool
		}
	}
}

// one reads a text.
func one(ctx context.Context, p *pg.Pool, sql string) (text string, err error) {
	err = p.Read(ctx, "", func(c *pg.Conn) error {
		return c.Each(ctx, sql, nil, func(r rows.Row) error {
			text = r.Text(0)
			return nil
		})
	})
	return text, err
}
