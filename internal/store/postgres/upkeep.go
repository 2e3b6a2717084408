package postgres

import (
	"context"
	"io"

	"github.com/lukasa-memory/lukasa/internal/store/sqlstore"
)

// Check implements [store.Upkeep]. Pages and references between rows are the database's own business; what the product says
// about its rows is looked at here.
func (db *DB) Check(ctx context.Context) ([]string, error) {
	return db.CheckRows(ctx, func(*sqlstore.Session, *[]string) error { return nil })
}

// Scrub implements [store.Upkeep]. What was deleted is gone for every statement at once; when its bytes leave the database's pages,
// its log of writes and its backups is decided by the database's own settings (autovacuum, archiving), which docs/cluster.md tells of.
func (db *DB) Scrub(context.Context) error { return nil }

// Own implements [store.Upkeep]: there are no files.
func (db *DB) Own(string) (io.ReaderAt, error) { return nil, nil }
