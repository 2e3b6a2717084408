package sqlite

import "time"

// Waiting returns how many writes wait for their turn.
func (db *DB) Waiting() int { return len(db.writer.queue) }

// SetGroupTime changes how long writes may join a transaction. No write may be under way.
func (db *DB) SetGroupTime(d time.Duration) { db.writer.span = d }

// Script runs SQL on a store behind the driver's back.
func Script(path, sql string) error {
	c, err := openConn(fileURI(path), "foreign_keys=OFF")
	if err != nil {
		return err
	}
	defer c.close()
	return c.script(sql)
}
