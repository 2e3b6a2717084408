package engine_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// What replaced a memory is told to those alone who may see it: not to a key that is bound to the container in which the other one stood once.
func TestRetiredByStaysApart(t *testing.T) {
	t.Parallel()
	onBoth(t, func(h *house) {
		ctx := h.Context()
		old := must[lukasa.Memory](h.T)(h.e.AddMemory(ctx, h.sc, lukasa.NewMemory{Container: "life", Content: "Ana lives in Paris."}))
		must[lukasa.Memory](h.T)(h.e.AddMemory(ctx, h.sc, lukasa.NewMemory{Container: "life", Content: "Ana likes Paris."}))
		c := h.say("talk", h.clock.Now().Add(time.Hour), "Ana: I live in Lyon now.")
		old = must[lukasa.Memory](h.T)(h.e.Memory(ctx, h.sc, old.ID))
		by := old.RetiredBy
		if by == "" {
			h.Fatalf("%+v", old)
		}
		bound := h.sc
		bound.Root = "life"
		said := func(sc lukasa.Scope) string {
			h.Helper()
			var e *lukasa.Error
			if _, err := h.e.AddMemory(ctx, sc, lukasa.NewMemory{Updates: old.ID, Content: "Ana lives in Nice."}); !errors.As(err, &e) || e.Code != lukasa.CodeConflict {
				h.Fatalf("a correction of what is retired: %v", err)
			}
			return told(h, sc, old.ID) + e.Hint
		}
		if s := said(bound); strings.Count(s, string(by)) < 7 {
			h.Errorf("while it stands beside: %s", s)
		}
		must[lukasa.Conversation](h.T)(h.e.PatchConversation(ctx, h.sc, string(c.ID), "", lukasa.DocumentPatch{}, "secret"))
		if m := must[lukasa.Memory](h.T)(h.e.Memory(ctx, h.sc, by)); m.Path != "secret" {
			h.Fatalf("%+v", m)
		}
		if s := said(bound); strings.Contains(s, string(by)) {
			h.Errorf("it is told: %s", s)
		}
		if s := said(h.sc); strings.Count(s, string(by)) < 7 {
			h.Errorf("it is not told to who sees all: %s", s)
		}
		if m := must[lukasa.Memory](h.T)(h.e.Memory(ctx, h.sc, old.ID)); m.RetiredBy != by { // nothing is lost by reading
			h.Errorf("%+v", m)
		}
	})
}

// told is all that a scope is told of a memory.
func told(h *house, sc lukasa.Scope, id lukasa.ID) string {
	h.Helper()
	ctx := h.Context()
	m := must[lukasa.Memory](h.T)(h.e.Memory(ctx, sc, id))
	patched := must[lukasa.Memory](h.T)(h.e.PatchMemory(ctx, sc, id, lukasa.MemoryPatch{Metadata: map[string]any{"n": h.clock.Now().UnixNano()}}))
	list := must[lukasa.Listing[lukasa.Memory]](h.T)(h.e.Memories(ctx, sc, lukasa.MemoryFilter{Subject: m.Subject}, lukasa.Page{}))
	log := must[lukasa.Listing[lukasa.Delta]](h.T)(h.e.History(ctx, sc, id, lukasa.Page{}, time.Time{}))
	diff, err := h.e.Diff(ctx, sc, id, m.RecordedAt, time.Time{})
	if err != nil {
		h.Fatal(err)
	}
	past := m.RecordedAt.Add(time.Millisecond)
	found, err := h.e.Search(ctx, sc, lukasa.Query{Text: "Ana lives in Paris", ValidAt: &past, Types: []lukasa.EntryType{lukasa.EntryMemory}})
	if err != nil {
		h.Fatal(err)
	}
	hits := slices.DeleteFunc(found.Hits, func(x lukasa.Hit) bool { return x.ID != id })
	if len(hits) != 1 {
		h.Fatalf("%+v", found.Hits)
	}
	near := 0
	for _, o := range list.Items {
		if o.ID == id {
			continue
		}
		for _, x := range must[[]engine.RelatedMemory](h.T)(h.e.RelatedMemories(ctx, sc, o.ID, 0, nil, time.Time{}, nil)) {
			if x.ID == id {
				near++
				hits[0].Memories = append(hits[0].Memories, x.Memory)
			}
		}
	}
	if near == 0 {
		h.Fatalf("nothing leads to it: %+v", list.Items)
	}
	undone := must[lukasa.Delta](h.T)(h.e.Undo(ctx, sc, log.Items[0].ID))
	var out strings.Builder
	for _, x := range []any{m, patched, list, log, diff, undone, hits} {
		b, err := json.Marshal(x)
		if err != nil {
			h.Fatal(err)
		}
		out.Write(b)
	}
	return out.String()
}
