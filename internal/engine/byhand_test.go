package engine_test

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// D-3: the same statement added by hand a second time is the first, with what is new about it; another kind, date, container or state is another.
func TestTheSameByHandTwice(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	add := func(in lukasa.NewMemory) lukasa.Memory {
		t.Helper()
		m, err := h.e.AddMemory(t.Context(), h.sc, in)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	first := add(lukasa.NewMemory{Content: "The printer is in room 4.", Container: "office", Tags: []string{"a"}, Confidence: new(0.5)})
	if first.Deduplicated {
		t.Fatalf("%+v", first)
	}
	again := add(lukasa.NewMemory{Content: "the printer is  in room 4", Container: "office", Tags: []string{"b"}, Metadata: map[string]any{"by": "Ben"}})
	if !again.Deduplicated || again.ID != first.ID || again.Content != first.Content || len(again.Tags) != 2 || again.Metadata["by"] != "Ben" || again.Confidence != 1 {
		t.Fatalf("%+v", again)
	}
	may := march.AddDate(0, 2, 0)
	for name, in := range map[string]lukasa.NewMemory{
		"another room":      {Content: "The printer is in room 5.", Container: "office"},
		"another kind":      {Content: "The printer is in room 4.", Container: "office", Kind: lukasa.KindDecision},
		"another date":      {Content: "The printer is in room 4.", Container: "office", OccurredAt: &may},
		"another container": {Content: "The printer is in room 4.", Container: "home"},
		"a correction":      {Content: "The printer is in room 4.", Updates: first.ID},
	} {
		if m := add(in); m.Deduplicated || m.ID == first.ID {
			t.Errorf("%s: %+v", name, m)
		}
	}
	stored, err := h.e.Memory(t.Context(), h.sc, first.ID)
	if err != nil || stored.Deduplicated || len(stored.Tags) != 2 {
		t.Errorf("%+v, %v", stored, err)
	}
}

// M-4, T-3: an archived memory is kept and listed, out of searches unless they ask by status, and comes back.
func TestArchivedMemory(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m, err := h.e.AddMemory(t.Context(), h.sc, lukasa.NewMemory{Content: "The lantern hangs in the attic.", Container: "life"})
	if err != nil {
		t.Fatal(err)
	}
	found := func(f *lukasa.Filter) bool {
		t.Helper()
		r, err := h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "lantern in the attic", Filter: f})
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Hits) > 0
	}
	set := func(state string) error {
		_, err := h.e.PatchMemory(t.Context(), h.sc, m.ID, lukasa.MemoryPatch{State: &state})
		return err
	}
	if !found(nil) {
		t.Fatal("it is not found to begin with")
	}
	if err := set("archived"); err != nil {
		t.Fatal(err)
	}
	if found(nil) {
		t.Error("an archived memory is found")
	}
	if !found(must[*lukasa.Filter](t)(client.ParseFilter(map[string]any{"status": "archived"}))) { // as doors read it
		t.Error("not found by its status")
	}
	if l := h.memories(lukasa.MemoryFilter{State: new(lukasa.MemoryArchived)}); len(l) != 1 || l[0].ID != m.ID {
		t.Errorf("%+v", l)
	}
	log, err := h.e.History(t.Context(), h.sc, m.ID, lukasa.Page{Limit: 1}, time.Time{})
	if err != nil || len(log.Items) != 1 || log.Items[0].Op != "update" {
		t.Errorf("%+v, %v", log.Items, err)
	}
	if err := set("active"); err != nil || !found(nil) {
		t.Errorf("it did not come back: %v", err)
	}
	if err := set("quarantined"); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Errorf("%v", err)
	}
}
