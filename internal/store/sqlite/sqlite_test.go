package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
	"github.com/lukasa-memory/lukasa/internal/store/storetest"
)

func open(t testing.TB, path string, o sqlite.Options) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func TestSuite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Store {
		return open(t, filepath.Join(t.TempDir(), "store.db"), sqlite.Options{Now: now})
	}, 3)
}

func TestABackupIsNotWrittenOver(t *testing.T) { // H-29
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "store.db"), sqlite.Options{})
	path := filepath.Join(t.TempDir(), "copy 1?.db")
	if err := db.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := db.Backup(t.Context(), path); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Fatalf("a second backup to the same file gave %v, want a conflict", err)
	}
}
