package engine_test

import (
	"slices"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// What was deleted by hand stays so where the same words come again, in an export that was changed elsewhere or in a new version; said anew, it is
// remembered anew.
func TestWhatWasDeletedStaysSo(t *testing.T) {
	t.Parallel()
	onBoth(t, func(h *house) {
		known := func() (list []string) {
			h.Helper()
			for _, m := range h.memories(lukasa.MemoryFilter{Latest: new(true)}) {
				list = append(list, m.Content)
			}
			slices.Sort(list)
			return list
		}
		come := func(said, written string, want ...string) {
			h.Helper()
			for _, r := range must[[]engine.ImportResult](h.T)(h.e.ImportItems(h.Context(), h.sc, []engine.ImportItem{
				{Key: "talk", Title: "Talk", Append: &lukasa.Append{Container: "chats", Conversation: "talk", Messages: []lukasa.NewMessage{
					{ExternalID: "m1", Role: "user", Speaker: "Ana", Content: said}, {ExternalID: "m2", Role: "user", Speaker: "Carl", Content: written},
				}}},
			})) {
				if r.Failed != "" {
					h.Fatal(r.Failed)
				}
			}
			h.drain()
			if got := known(); !slices.Equal(got, want) {
				h.Errorf("%q, %q: known is %q, want %q", said, written, got, want)
			}
		}
		home, work := "Ana lives in Lyon.", "Bob Miller works at Globex."
		come("I live in Lyon.", "Bob Miller works at Globex.", home, work)
		for i, m := range h.memories(lukasa.MemoryFilter{}) {
			if i == 0 {
				must[lukasa.Removal](h.T)(h.e.DeleteMemory(h.Context(), h.sc, m.ID))
			} else if _, err := h.e.Bury(h.Context(), h.sc, m.ID); err != nil {
				h.Fatal(err)
			}
		}
		come("I live in Lyon.", "Bob Miller works at Globex.")
		come("I live in Lyon. What a day.", "Bob Miller works at Globex. It rains.")
		come("What a day! I live in Lyon. It is late.", "It rains. Bob Miller works at Globex. It is wet.") // again, elsewhere in the text
		come("What a day! I live in Lyon.", "It rains. Bob Miller works at Globex.")
		come("What a day! I live in Porto.", "It rains. Bob Miller works at Initech.", "Ana lives in Porto.", "Bob Miller works at Initech.")
		if _, _, err := h.e.Append(h.Context(), h.sc, lukasa.Append{Container: "chats", Conversation: "new", Messages: []lukasa.NewMessage{
			{Role: "user", Speaker: "Ana", Content: "I live in Lyon."},
		}}); err != nil {
			h.Fatal(err)
		}
		if got := known(); !slices.Contains(got, home) {
			h.Errorf("said anew: %q", got)
		}
	})
}
