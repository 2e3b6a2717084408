// Package sqlitetest changes SQLite files of stores for tests.
package sqlitetest

import (
	"errors"

	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
)

// AddLaterStep records a step of the schema that this program does not know, as a later program would have.
func AddLaterStep(path string) error {
	db, err := sqlite.OpenConn(sqlite.URI(path))
	if err != nil {
		return err
	}
	return errors.Join(db.Run("INSERT INTO schema_migrations VALUES (999, 'later', 'x', 0)"), db.Close())
}
