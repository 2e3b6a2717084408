package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
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
		"another thing":     {Content: "The scanner is in room 5.", Container: "office"},
		"another kind":      {Content: "The printer is in room 4.", Container: "office", Kind: lukasa.KindDecision},
		"another date":      {Content: "The printer is in room 4.", Container: "office", OccurredAt: &may},
		"another container": {Content: "The printer is in room 4.", Container: "home"},
	} {
		if m := add(in); m.Deduplicated || m.ID == first.ID {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if m := add(lukasa.NewMemory{Content: "The printer is in room 4.", Updates: first.ID}); !m.Deduplicated || m.ID != first.ID {
		t.Errorf("a correction in the same words: %+v", m)
	}
	if m := add(lukasa.NewMemory{Content: "The printer is in room 4.", Updates: first.ID, OccurredAt: &may}); m.Deduplicated || m.ID == first.ID {
		t.Errorf("a correction of the day: %+v", m)
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

// D-4: a memory that is given by hand takes the place of what it contradicts, distilled or by hand, in its own container; that is told, and undone where it goes.
func TestByHandTakesThePlace(t *testing.T) {
	onStores(t, func(t *testing.T, cfg config.Config) {
		e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
		ctx := t.Context()
		add := func(container, content string) lukasa.Memory {
			t.Helper()
			clock.Advance(time.Minute)
			return must[lukasa.Memory](t)(e.AddMemory(ctx, sc, lukasa.NewMemory{Content: content, Container: container}))
		}
		inForce := func(container string) (list []string) {
			t.Helper()
			l := must[lukasa.Listing[lukasa.Memory]](t)(e.Memories(ctx, sc, lukasa.MemoryFilter{Containers: []lukasa.Pattern{{Path: lukasa.Path(container)}}}, lukasa.Page{}))
			for _, m := range l.Items {
				if m.IsLatest {
					list = append(list, m.Content)
				}
			}
			slices.Sort(list)
			return list
		}
		if _, _, err := e.Append(ctx, sc, lukasa.Append{Container: "life", Conversation: "talk", Messages: []lukasa.NewMessage{{Speaker: "Ana", Role: "user", Content: "I live in Paris."}}}); err != nil {
			t.Fatal(err)
		}
		if err := e.Drain(ctx); err != nil {
			t.Fatal(err)
		}
		paris := must[lukasa.Listing[lukasa.Memory]](t)(e.Memories(ctx, sc, lukasa.MemoryFilter{}, lukasa.Page{})).Items[0]
		if same := add("life", "Ana lives in Paris"); !same.Deduplicated || same.ID != paris.ID {
			t.Errorf("what is known is kept again: %+v", same)
		}
		add("away", "Ana lives in Rome.")

		lyon := add("life", "Ana lives in Lyon")
		if lyon.Content != "Ana lives in Lyon" || lyon.Slot != "lives_in" || lyon.Value != "Lyon" || lyon.Subject != "Ana" || !lyon.IsLatest {
			t.Errorf("kept as %+v", lyon)
		}
		old := must[lukasa.Memory](t)(e.Memory(ctx, sc, paris.ID))
		if old.IsLatest || old.RetiredBy != lyon.ID || old.Reason != "a newer value of the same slot" || old.ValidTo == nil || old.ValidTo.Sub(lyon.RecordedAt).Abs() > time.Second {
			t.Errorf("the older one is %+v", old)
		}
		if got := inForce("life"); !slices.Equal(got, []string{"Ana lives in Lyon"}) {
			t.Errorf("in force are %q", got)
		}
		if got := inForce("away"); !slices.Equal(got, []string{"Ana lives in Rome."}) {
			t.Errorf("elsewhere are %q", got)
		}

		// What is not read surely, or is no contradiction, stands beside it.
		for _, content := range []string{
			"Ana lives in Nice with Ben.", "Ana also lives in Nice.", "Ana lives in Nice during the week.", "Ana may live in Nice.", "Ben lives in Nice.",
			"Ana lives in Nice. Ben is her brother.", "Ana's brother lives in Nice.", "Does Ana live in Nice?", "Ana wants to live in Nice.", "Ana lives in Lyon, France.",
		} {
			add("life", content)
			if m := must[lukasa.Memory](t)(e.Memory(ctx, sc, lyon.ID)); !m.IsLatest {
				t.Errorf("%q takes its place: %s", content, m.Reason)
			}
		}
		guess := must[lukasa.Memory](t)(e.AddMemory(ctx, sc, lukasa.NewMemory{Content: "Ana lives in Nice.", Container: "life", Confidence: new(0.3)}))
		if m := must[lukasa.Memory](t)(e.Memory(ctx, sc, lyon.ID)); !m.IsLatest || guess.RetiredBy != "" {
			t.Errorf("a guess takes its place: %s", m.Reason)
		}

		// Undone: what took the place goes, and what was there is in force again.
		must[engine.DeletionReceipt](t)(e.Delete(ctx, sc, lyon.ID))
		if m := must[lukasa.Memory](t)(e.Memory(ctx, sc, paris.ID)); !m.IsLatest || m.RetiredBy != "" {
			t.Errorf("it is not in force again: %+v", m)
		}

		// What is said of the user, and by hand after by hand.
		for _, pair := range [][2]string{
			{"The user lives in Oslo.", "User lives in Bergen"},
			{"I work at Acme.", "The user works at Globex."},
			{"Tom likes jazz.", "Tom does not like jazz any more."},
			{"Mia's favourite colour is green.", "Mia's favourite colour is red."},
			{"Leo works at Acme.", "Leo no longer works at Acme."},
			{"Kim lives in Rome.", "Kim has lived in Oslo since March 2020."},
		} {
			was, now := add("pairs", pair[0]), add("pairs", pair[1])
			if m := must[lukasa.Memory](t)(e.Memory(ctx, sc, was.ID)); m.IsLatest || m.RetiredBy != now.ID || m.Reason == "" {
				t.Errorf("%q stands beside %q: %+v", pair[0], pair[1], m)
			}
		}

		// A text that goes takes nothing along that was given by hand, though it said the same.
		tea := add("tea", "Zoe lives in Kyiv.")
		r := must[lukasa.Receipt](t)(e.Remember(ctx, sc, lukasa.NewDocument{Container: "tea", Content: "Zoe lives in Kyiv. She works at Acme."}))
		if err := e.Drain(ctx); err != nil {
			t.Fatal(err)
		}
		must[engine.DeletionReceipt](t)(e.Delete(ctx, sc, r.Document.ID))
		if m := must[lukasa.Memory](t)(e.Memory(ctx, sc, tea.ID)); !m.IsLatest || len(m.Sources) > 0 {
			t.Errorf("it rests on %v", m.Sources)
		}
	})
}
