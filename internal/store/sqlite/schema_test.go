package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/lite"
)

func TestOtherSchemasAreRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := lite.Open(lite.URI(path), "busy_timeout=1000")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := c.Script("INSERT INTO schema_migrations VALUES (9999, 'x', 'y', 0)"); err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path, Options{})
	var e *lukasa.Error
	if !errors.As(err, &e) || e.Code != lukasa.CodeConflict || e.Hint == "" {
		t.Fatalf("a newer store gave %v, want a conflict with a hint", err)
	}
	if err := c.Script("DELETE FROM schema_migrations WHERE version = 9999; UPDATE schema_migrations SET checksum = 'other'"); err != nil {
		t.Fatal(err)
	}
	if _, err = Open(t.Context(), path, Options{}); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Fatalf("another first step gave %v, want a conflict", err)
	}
}

func TestEmbeddedStepsAreNumbered(t *testing.T) {
	t.Parallel()
	steps := lite.Steps(migrationFiles, "migrations/*.sql")
	if len(steps) == 0 {
		t.Fatal("no steps")
	}
	for i, m := range steps {
		if m.Version != i+1 || m.SQL == "" || m.Name[:5] != fmt.Sprintf("%04d_", i+1) {
			t.Errorf("step %d is %d, %s", i+1, m.Version, m.Name)
		}
	}
}
