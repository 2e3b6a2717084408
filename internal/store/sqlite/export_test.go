package sqlite

import (
	"errors"
	"time"
)

// Waiting returns how many writes wait for their turn.
func (db *DB) Waiting() int { return db.writer.Waiting() }

// SetGroupTime changes how long writes may join a transaction. No write may be under way.
func (db *DB) SetGroupTime(d time.Duration) { db.writer.SetSpan(d) }

// Script runs SQL on a store behind the driver's back.
func Script(path, sql string) error {
	c, err := OpenConn(URI(path), "foreign_keys=OFF")
	if err != nil {
		return err
	}
	return errors.Join(c.Script(sql), c.Close())
}
