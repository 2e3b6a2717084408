package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// T-15: a deleted user leaves nothing behind in the data directory: no row, no file, no index.
func TestDeletedUserLeavesNothing(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	e, _, admin := enginetest.Open(t, cfg, engine.Options{})
	u, err := e.CreateUser(t.Context(), admin, lukasa.User{Name: "Bob"})
	if err != nil {
		t.Fatal(err)
	}
	bob := lukasa.Scope{Owner: u.ID, Principal: u.ID, Role: lukasa.RoleUser}
	for _, text := range []string{"Bob hides a xylophone.", strings.Repeat("A long xylophone story, told again. ", 4000)} {
		if _, err := e.Remember(t.Context(), bob, lukasa.NewDocument{Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := e.Search(t.Context(), bob, lukasa.Query{Text: "xylophone"}); err != nil || len(r.Hits) != 2 {
		t.Fatalf("%d hits, %v", len(r.Hits), err)
	}
	if _, err := e.DeleteUser(t.Context(), admin, u.ID); err != nil {
		t.Fatal(err)
	}
	if err := e.Backup(t.Context(), admin, filepath.Join(cfg.Data, "copy.db")); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(cfg.Data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.Contains(path, string(u.ID)) {
			t.Errorf("%s is left", path)
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), "xylophone") {
			t.Errorf("%s still holds the word", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A data directory that is none is refused with the code of storage.
func TestDataDirectoryThatIsNone(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	cfg.Data = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(cfg.Data, []byte("not a directory"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Open(t.Context(), cfg, engine.Options{}); lukasa.CodeOf(err) != lukasa.CodeStorage {
		t.Errorf("a file as data directory: %v", err)
	}
}
