package engine

import (
	"context"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/ingest"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// A fault of what learns costs what would have been learned, and neither a message nor a document.
func TestLearningNeverCostsAText(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Data = t.TempDir()
	e, err := Open(t.Context(), cfg, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	calls := 0
	e.ingest.Learn = func(context.Context, lukasa.Scope, ingest.Heard, []ingest.Said) (ingest.Lesson, ingest.Heard) {
		return func(store.Tx, lukasa.Node, func(lukasa.ID) lukasa.ID) (func(), error) {
			calls++
			return nil, lukasa.Errorf(lukasa.CodeConflict, "nonsense")
		}, nil
	}
	sc, err := e.Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, results, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "c", Messages: []lukasa.NewMessage{{Content: "I keep bees."}}})
	if err != nil || results[0].Status != "logged" {
		t.Fatalf("%+v, %v", results, err)
	}
	receipts, errs := e.RememberAll(t.Context(), sc, []lukasa.NewDocument{{Content: "The bees are Buckfast."}, {Content: ""}, {Content: "The hive stands south."}})
	if errs[0] != nil || errs[1] == nil || errs[2] != nil || receipts[2].Document.ID == "" {
		t.Fatal(errs)
	}
	if calls != 2 {
		t.Errorf("learned %d times, want once a write", calls)
	}
	r, err := e.Search(t.Context(), sc, lukasa.Query{Text: "bees hive"})
	if err != nil || len(r.Hits) != 3 {
		t.Errorf("%d hits, %v", len(r.Hits), err)
	}
}
