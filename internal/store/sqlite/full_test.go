package sqlite

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store/sqlstore"
)

// A disk that is full refuses a write with when to try again, keeps nothing of it, and is read on.
func TestFullDiskSaysWhenToTryAgain(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	put := func(name, value string) error {
		return db.write(t.Context(), lukasa.Scope{}, func(tx *sqlstore.Tx) error {
			return tx.Do("INSERT INTO settings (name, value) VALUES (?5, ?6)", name, value)
		})
	}
	pages := func(n string) {
		t.Helper()
		if err := db.write(t.Context(), lukasa.Scope{}, func(tx *sqlstore.Tx) error {
			_, err := tx.C.Exec(t.Context(), "PRAGMA max_page_count="+n, nil)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := put("before", "x"); err != nil {
		t.Fatal(err)
	}
	pages("1") // no more than there are
	e, ok := errors.AsType[*lukasa.Error](put("large", strings.Repeat("x", 1<<20)))
	if !ok || e.Code != lukasa.CodeStorage || e.Msg != "the disk is full" || e.Hint == "" || e.RetryAfter <= 0 {
		t.Errorf("got %+v", e)
	}
	if e, _ := errors.AsType[*lukasa.Error](unopened(db.path, e)); strings.Contains(e.Hint, "meanwhile") || !strings.Contains(e.Hint, "free some space") {
		t.Errorf("at the opening: %q", e.Hint)
	}
	if v, err := db.Setting(t.Context(), "before"); v != "x" || err != nil {
		t.Errorf("reading meanwhile: %q, %v", v, err)
	}
	if v, err := db.Setting(t.Context(), "large"); v != "" {
		t.Errorf("half written: %d bytes, %v", len(v), err)
	}
	pages("1000000")
	if err := put("large", "y"); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
