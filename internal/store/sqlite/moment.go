package sqlite

import (
	"context"
	_ "embed"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlstore"
)

//go:embed past.sql
var pastSchema string

// ViewAt implements [store.Store]. Its connections have views in the place of tables (see past.sql), so that all statements are
// the same.
func (db *DB) ViewAt(ctx context.Context, sc lukasa.Scope, at time.Time, fn func(store.Reader) error) error {
	return db.fault(db.past.With(ctx, func(c *Conn) error {
		if err := c.Run("UPDATE temp.moment SET at = ?1", at); err != nil {
			return fault(err)
		}
		then := sqlstore.Call{Context: ctx, Run: ctx, Conn: c, Scope: sc, Now: func() time.Time { return at }, Past: true, Today: db.opts.Now}
		return view(then, c, func(s *sqlstore.Session) error { return fn(s) })
	}))
}

func (db *DB) openPast() (*Conn, error) {
	c, err := OpenConn(db.uri(), db.readerPragmas()...)
	if err == nil {
		if err = c.Script(pastSchema); err != nil {
			_ = c.Close() // it was never used
		}
	}
	return c, err
}
