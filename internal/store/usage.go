package store

import (
	"context"

	"github.com/lukasa-memory/lukasa"
)

// File implements [Files].
func (l Ledger) File(ctx context.Context, owner, id lukasa.ID) (lukasa.File, error) {
	list, err := collect(ctx, l, owner, ScanFile[Row], "SELECT "+FileColumns+" FROM files f WHERE f.owner_id = ?1 AND f.id = ?5", id)
	return first(list, err, "file", id)
}

// Usage implements [Files].
func (l Ledger) Usage(ctx context.Context, owner lukasa.ID) (documents int, bytes int64, err error) {
	err = l.read(ctx, owner, func(s Statements) error {
		return s.Query(func(r Row) { documents, bytes = int(r.Int64(0)), r.Int64(1) }, `SELECT count(*), coalesce(sum(d.size), 0)
 + (SELECT coalesce(sum(f.sealed_size), 0) FROM files f WHERE f.owner_id = ?1) FROM documents d WHERE d.owner_id = ?1`)
	})
	return documents, bytes, err
}
