package sqlite

// Waiting returns how many writes wait for their turn.
func (db *DB) Waiting() int { return len(db.writer.queue) }

// Script runs SQL on a store behind the driver's back.
func Script(path, sql string) error {
	c, err := openConn(fileURI(path), "foreign_keys=OFF")
	if err != nil {
		return err
	}
	defer c.close()
	return c.script(sql)
}
