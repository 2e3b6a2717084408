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

// Rows that cannot be written can be read and searched, and what could not be noted of it is no error of the end.
func TestReadOnlyRows(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	e, _, sc := enginetest.Open(t, cfg, engine.Options{})
	r := remember(t, e, sc, lukasa.NewDocument{Content: strings.Repeat("The ferry leaves at nine. ", 5000)})
	if err := e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(cfg.Data, "lukasa.db"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = f.WriteAt([]byte{3}, 18); err != nil { // a version of the format that SQLite only reads: a mode would not stop root
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	e, _, sc = enginetest.Open(t, cfg, engine.Options{})
	if d, err := e.Document(t.Context(), sc, r.Document.ID); err != nil || !strings.Contains(d.Content, "nine") {
		t.Errorf("read: %.20q, %v", d.Content, err)
	}
	if found, err := e.Search(t.Context(), sc, lukasa.Query{Text: "when does the ferry leave"}); err != nil || len(found.Hits) == 0 {
		t.Errorf("search: %d, %v", len(found.Hits), err)
	}
	_, err = e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "The train leaves at ten."})
	if lukasa.CodeOf(err) != lukasa.CodeStorage || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("write: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
