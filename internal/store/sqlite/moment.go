package sqlite

import (
	"context"
	_ "embed"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/lite"
	"github.com/lukasa-memory/lukasa/internal/store"
)

//go:embed past.sql
var pastSchema string

// moment is the time, in microseconds, that the views of a connection for [DB.ViewAt] show.
const moment = "(SELECT at FROM temp.moment)"

// ViewAt implements [store.Store]. Its connections have views in the place of tables (see past.sql), so that all statements are
// the same.
func (db *DB) ViewAt(ctx context.Context, sc lukasa.Scope, at time.Time, fn func(store.Reader) error) error {
	return fault(db.past.With(ctx, func(c *conn) error {
		if _, _, err := c.Exec("UPDATE temp.moment SET at = ?1", at); err != nil {
			return fault(err)
		}
		return view(ctx, c, sc, func() time.Time { return at }, func(s *session) error {
			s.past = true
			return fn(s)
		})
	}))
}

func (db *DB) openPast() (*conn, error) {
	c, err := lite.Open(lite.URI(db.path), db.readerPragmas()...)
	if err == nil {
		if err = c.Script(pastSchema); err != nil {
			_ = c.Close() // it was never used
		}
	}
	return c, err
}
