package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
	"github.com/lukasa-memory/lukasa/internal/store/storetest"
)

// Every table is copied, but for the log of changes, which begins anew, and what SQLite and the steps of the schema keep for themselves.
func TestCopyLeavesNoTableOut(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "lukasa.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	counts, err := db.All.Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"changes": true, "schema_migrations": true, "sqlite_sequence": true, "sqlite_stat1": true, "sqlite_stat4": true}
	for _, c := range counts {
		known[c.Table] = true
	}
	if err := db.All.Read(t.Context(), "", func(s store.Statements) error {
		return s.Query(func(r store.Row) {
			if !known[r.Text(0)] {
				t.Errorf("a copy leaves %s out", r.Text(0))
			}
		}, "SELECT name FROM sqlite_master WHERE type = 'table'")
	}); err != nil {
		t.Fatal(err)
	}
}

func openWhole(t *testing.T, now func() time.Time) storetest.Whole {
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "lukasa.db"), sqlite.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return storetest.Whole{Store: db, All: db.All}
}

func TestCopy(t *testing.T) {
	t.Parallel()
	storetest.Copy(t, openWhole, openWhole)
}

func TestNothingOfADeletedUserStays(t *testing.T) { storetest.Gone(t, openWhole) }
