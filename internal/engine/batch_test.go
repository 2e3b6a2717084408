package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
	counted "github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// What is saved in one batch becomes what it would become one after another, also where items of the batch meet each other.
func TestABatchIsKeptAsOneByOne(t *testing.T) {
	t.Parallel()
	list := []lukasa.NewDocument{
		{Content: "The pump is serviced in May."},
		{Content: "The pump is serviced in May.", Tags: []string{"again"}},
		{Content: "Ada lives in Oslo.", CustomID: "ada"},
		{Content: "Ada lives in Bergen.", CustomID: "ada"},
		{Content: "Ada lives in Oslo.", Container: "other"},
		{Content: "Ada lives in Oslo."}, // what was the latest is none any more
		{Content: "A page as it was.", SourceURL: "https://example.org/a"},
		{Content: "A page as it is.", SourceURL: "https://example.org/a"},
		{Content: "The plan of the house: two floors and a garden.", Title: "Plan"},
		{Content: "The plan of the house: two floors, and a garden.", Title: "Plan"},
		{Content: "", CustomID: "blank"},
		{Content: "It was here before.", CustomID: "before"},
		{Content: "It was here before, and has changed.", CustomID: "before"},
	}
	type kept struct {
		Version            int
		Same, Changed      bool
		Err                lukasa.Code
		Self, Follows      int // the numbers of items
		Versions, Memories int
	}
	var seen [2][]kept
	for i := range seen {
		e, _, sc := enginetest.New(t)
		remember(t, e, sc, lukasa.NewDocument{Content: "It was here before.", CustomID: "before"})
		receipts, errs := make([]lukasa.Receipt, len(list)), make([]error, len(list))
		if i == 0 {
			for k, in := range list {
				receipts[k], errs[k] = e.Remember(t.Context(), sc, in)
			}
		} else {
			receipts, errs = e.RememberAll(t.Context(), sc, list)
		}
		number := map[lukasa.ID]int{}
		for k, r := range receipts {
			if _, ok := number[r.Document.ID]; !ok {
				number[r.Document.ID] = k + 1
			}
		}
		for k, r := range receipts {
			x := kept{Version: r.Document.Version, Same: r.Deduplicated, Changed: r.Changed, Err: lukasa.CodeOf(errs[k]), Self: number[r.Document.ID], Follows: number[r.Document.Previous]}
			if errs[k] == nil {
				chain, err := e.Versions(t.Context(), sc, r.Document.ID, time.Time{})
				if err != nil {
					t.Fatal(err)
				}
				l, err := e.Memories(t.Context(), sc, lukasa.MemoryFilter{Document: r.Document.ID}, lukasa.Page{})
				if err != nil {
					t.Fatal(err)
				}
				x.Versions, x.Memories = len(chain), l.Total
			}
			seen[i] = append(seen[i], x)
		}
	}
	if diff := cmp.Diff(seen[0], seen[1]); diff != "" {
		t.Error(diff)
	}
	if !seen[0][1].Same || seen[0][3].Version != 2 || seen[0][5].Same || seen[0][3].Memories == 0 {
		t.Errorf("the items do not meet each other: %+v", seen[0])
	}
}

// What a batch asks of the store does not grow with it, but for the rows themselves.
func TestABatchAsksOnce(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	cfg.Distil = "off"
	e, _, sc := enginetest.Open(t, cfg, engine.Options{})
	remember(t, e, sc, lukasa.NewDocument{Content: "The first one.", Container: "c"})
	asked := func(name string, n int) int64 {
		list := make([]lukasa.NewDocument, n)
		for i := range list {
			list[i] = lukasa.NewDocument{Content: fmt.Sprintf("Note %d of %s.", i, name), Container: "c", SourceURL: fmt.Sprintf("https://example.org/%s/%d", name, i), Title: fmt.Sprintf("%s %d", name, i)}
		}
		ctx, count := counted.WithCount(t.Context())
		if _, errs := e.RememberAll(ctx, sc, list); cmp.Diff(errs, make([]error, n)) != "" {
			t.Fatal(errs)
		}
		return count.Load()
	}
	few, many := asked("few", 10), asked("many", 40)
	if each := float64(many-few) / 30; each > 5 { // document, content, chunk, vector and change
		t.Errorf("10 notes are %d statements and 40 are %d: %.1f each, want no more than 5", few, many, each)
	}
}
