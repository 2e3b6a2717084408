package engine_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// alike compares memories but for when they were written last.
var alike = cmpopts.IgnoreFields(lukasa.Memory{}, "UpdatedAt")

// N-10: undoing what made a memory takes it back, undoing that makes it be as it was, with what it had taken the place of; as often
// as one likes.
func TestUndoOfUndo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, first, then string }{
		{"a slot", "Ana: I live in Paris.", "Ana: I moved to Lyon in May."},
		{"an end", "Ana: I work at Nordwind.", "Ana: I don't work at Nordwind any more."},
		{"a correction", "Ana: My birthday is on 4 May.", "Ana: Correction: my birthday is on 5 May."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			all := func() map[lukasa.ID]lukasa.Memory {
				t.Helper()
				l, err := h.e.Memories(t.Context(), h.sc, lukasa.MemoryFilter{}, lukasa.Page{Limit: 100})
				if err != nil {
					t.Fatal(err)
				}
				out := map[lukasa.ID]lukasa.Memory{}
				for _, m := range l.Items {
					out[m.ID] = m
				}
				return out
			}
			h.say("a", march, c.first)
			before := all()
			h.say("a", march.AddDate(0, 1, 0), c.then)
			after := all()
			var made lukasa.ID
			for id := range after {
				if _, ok := before[id]; !ok {
					made = id
				}
			}
			if made == "" || len(before) == 0 {
				t.Fatalf("nothing was made of %q: %+v", c.then, after)
			}
			changed := false
			for id, m := range before {
				changed = changed || !cmp.Equal(m, after[id], alike)
			}
			if !changed {
				t.Fatalf("nothing gave way to %q: the test tests little", c.then)
			}
			for round := range 3 {
				if _, err := h.e.Undo(t.Context(), h.sc, made); err != nil {
					t.Fatalf("round %d: undo: %v", round, err)
				}
				now := all()
				if now[made].IsLatest {
					t.Errorf("round %d: it is in force after its making was undone", round)
				}
				delete(now, made)
				if d := cmp.Diff(before, now, alike); d != "" {
					t.Fatalf("round %d: after the undo (-before +now):\n%s", round, d)
				}
				if _, err := h.e.Undo(t.Context(), h.sc, made); err != nil {
					t.Fatalf("round %d: undo of the undo: %v", round, err)
				}
				if d := cmp.Diff(after, all(), alike); d != "" {
					t.Fatalf("round %d: after the undo of the undo (-before +now):\n%s", round, d)
				}
			}
		})
	}
}

// Undoing the saving of a document puts it into the trash, undoing that takes it out, and so on; its memories go and come with it.
func TestUndoOfSaving(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	r, err := h.e.Remember(t.Context(), h.sc, lukasa.NewDocument{Content: "I live in Porto. The flat looks out on the river.", Container: "life"})
	if err != nil {
		t.Fatal(err)
	}
	id := r.Document.ID
	memories := func() int {
		l, err := h.e.Memories(t.Context(), h.sc, lukasa.MemoryFilter{}, lukasa.Page{})
		if err != nil {
			t.Fatal(err)
		}
		return l.Total
	}
	if memories() == 0 {
		t.Fatal("the note says nothing")
	}
	for round := range 3 {
		d, err := h.e.Undo(t.Context(), h.sc, id)
		if err != nil || d.Op != "create" || d.Record != id {
			t.Fatalf("round %d: %+v, %v", round, d, err)
		}
		if _, err := h.e.Document(t.Context(), h.sc, id); lukasa.CodeOf(err) != lukasa.CodeNotFound {
			t.Errorf("round %d: it is still there: %v", round, err)
		}
		if n := memories(); n != 0 {
			t.Errorf("round %d: %d memories of it are", round, n)
		}
		if d, err = h.e.Undo(t.Context(), h.sc, id); err != nil || d.Op != "delete" {
			t.Fatalf("round %d: %+v, %v", round, d, err)
		}
		if doc, err := h.e.Document(t.Context(), h.sc, id); err != nil || doc.Content != r.Document.Content {
			t.Errorf("round %d: it did not come back: %v", round, err)
		}
		if memories() == 0 {
			t.Errorf("round %d: its memories did not come back", round)
		}
	}
	title := "A flat in Porto"
	if _, err := h.e.PatchDocument(t.Context(), h.sc, id, lukasa.DocumentPatch{Title: &title}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{r.Document.Title, title, r.Document.Title} {
		if _, err := h.e.Undo(t.Context(), h.sc, id); err != nil {
			t.Fatal(err)
		}
		if doc, err := h.e.Document(t.Context(), h.sc, id); err != nil || doc.Title != want {
			t.Errorf("the title is %q, want %q (%v)", doc.Title, want, err)
		}
	}
	if _, err := h.e.Undo(t.Context(), h.sc, "doc_01m7y0hrghf278p2nyn0qwvhfz"); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("undo of what is not there: %v", err)
	}
	h.say("talk", time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), "Ana: Hello.")
	l, err := h.e.RecallFiles(t.Context(), h.sc, engine.SegmentFilter{}, lukasa.Page{})
	if err != nil || len(l.Items) == 0 {
		t.Fatalf("%+v, %v", l, err)
	}
	if _, err := h.e.Undo(t.Context(), h.sc, l.Items[0].Document); lukasa.CodeOf(err) == "" {
		t.Error("a stretch of a conversation was thrown away as if it were a note")
	}
}
