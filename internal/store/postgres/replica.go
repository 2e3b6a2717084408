package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/lukasa-memory/lukasa/internal/pg"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

const (
	// replicaWait is how long a read waits for the replica to have what the primary had when the read was asked for; then it goes
	// to the primary.
	replicaWait = 20 * time.Millisecond
	// replicaRest is how long a replica is left alone that was late or away.
	replicaRest = 500 * time.Millisecond
)

// reader returns where a read goes: to the replica once that has replayed all that the primary had written to its log by now, so
// that what any node has acknowledged is seen; else to the primary. While the primary is away, nobody knows what it acknowledged
// last: no answer is better than a wrong one.
func (db *DB) reader(ctx context.Context) (*pg.Pool, error) {
	if db.replica == nil || time.Now().UnixNano() < db.rested.Load() {
		return db.pool, nil
	}
	at, err := one(ctx, db.pool, "SELECT CAST(pg_current_wal_flush_lsn() AS text)")
	if err != nil {
		return nil, err
	}
	asked, cancel := context.WithTimeout(ctx, replicaRest)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(replicaWait); time.Now().Before(until); <-tick.C {
		there, err := one(asked, db.replica, "SELECT CASE WHEN pg_last_wal_replay_lsn() >= CAST("+pg.Text(at)+" AS pg_lsn) THEN 'yes' ELSE 'no' END")
		if err == nil && there == "yes" {
			return db.replica, nil
		}
		if err != nil {
			break
		}
	}
	if ctx.Err() == nil {
		db.rest()
	}
	return db.pool, nil
}

// rest lets the replica alone for a while.
func (db *DB) rest() { db.rested.Store(time.Now().Add(replicaRest).UnixNano()) }

// lost reports whether a read failed because the replica went away, so that the primary has to answer it.
func (db *DB) lost(pool *pg.Pool, err error) bool {
	if pool != db.replica || err == nil || !(pg.IsAway(err) || errors.Is(err, pg.ErrAway) || pg.IsRetry(err)) {
		return false
	}
	db.rest()
	return true
}

// one reads a text.
func one(ctx context.Context, p *pg.Pool, sql string) (text string, err error) {
	err = p.Read(ctx, "", func(c *pg.Conn) error {
		return c.Each(ctx, sql, nil, func(r sqlrows.Row) error {
			text = r.Text(0)
			return nil
		})
	})
	return text, err
}
