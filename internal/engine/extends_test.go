package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// extends lists the edges of that type at a memory.
func (h *house) extends(id lukasa.ID) []lukasa.Edge {
	h.Helper()
	l, err := h.e.Edges(h.Context(), h.sc, []lukasa.ID{id}, []lukasa.EdgeType{lukasa.EdgeExtends}, 10, time.Time{})
	if err != nil {
		h.Fatal(err)
	}
	return l
}

// noted finds what a slot of Ana's was said to hold.
func (h *house) noted(slot, value string) lukasa.Memory {
	h.Helper()
	for _, m := range h.memories(lukasa.MemoryFilter{Slot: slot, Subject: "Ana"}) {
		if m.Value == value {
			return m
		}
	}
	h.Fatalf("nothing says %q: %+v", value, h.memories(lukasa.MemoryFilter{}))
	return lukasa.Memory{}
}

// D-4: what says a thing more exactly extends what said it before; both stand. It shows in the graph, in the history, beside what is found, and among what
// is related, and goes and comes with an undo.
func TestMoreExactExtends(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I am an engineer.")
	h.say("a", march.AddDate(0, 1, 0), "Ana: I am a software engineer.")
	plain, exact := h.noted("job_title", "engineer"), h.noted("job_title", "software engineer")
	if !plain.IsLatest || !exact.IsLatest {
		t.Fatalf("one took the place of the other: %+v, %+v", plain, exact)
	}
	want := func(when string, n int) {
		t.Helper()
		l := h.extends(plain.ID)
		if len(l) != n || n == 1 && (l[0].From != string(exact.ID) || l[0].To != string(plain.ID)) {
			t.Fatalf("%s: %+v", when, l)
		}
	}
	want("at first", 1)
	log, err := h.e.History(t.Context(), h.sc, exact.ID, lukasa.Page{Limit: 10}, time.Time{})
	if err != nil || len(log.Items) != 1 || !strings.Contains(log.Items[0].Reason, string(plain.ID)) {
		t.Errorf("the history: %+v, %v", log.Items, err)
	}
	near, err := h.e.RelatedMemories(t.Context(), h.sc, plain.ID, 1, []lukasa.EdgeType{lukasa.EdgeExtends}, time.Time{}, nil)
	if err != nil || len(near) != 1 || near[0].ID != exact.ID {
		t.Errorf("related: %+v, %v", near, err)
	}
	found, err := h.e.Search(t.Context(), h.sc, lukasa.Query{Text: "what is the job of Ana", Types: []lukasa.EntryType{lukasa.EntryMemory}, Related: true, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	shown := slices.ContainsFunc(found.Hits, func(x lukasa.Hit) bool {
		return slices.ContainsFunc(x.Related, func(r lukasa.Related) bool { return r.Edge == lukasa.EdgeExtends })
	})
	if !shown {
		t.Errorf("no hit shows it: %+v", found.Hits)
	}
	for range 2 {
		if _, err := h.e.Undo(t.Context(), h.sc, exact.ID); err != nil {
			t.Fatal(err)
		}
		want("after the undo", 0)
		if _, err := h.e.Undo(t.Context(), h.sc, exact.ID); err != nil {
			t.Fatal(err)
		}
		want("after the undo of the undo", 1)
		if !h.noted("job_title", "engineer").IsLatest {
			t.Fatal("what returned took the place of what it extends")
		}
	}
	if err := h.e.Unlink(t.Context(), h.sc, h.extends(plain.ID)[0]); err != nil {
		t.Fatal(err)
	}
	want("unlinked", 0)
	if _, err := h.e.Rebuild(t.Context(), h.sc, engine.RebuildGraph, engine.Work{}); err != nil {
		t.Fatal(err)
	}
	want("rebuilt", 1)
}

// D-4: another value, another person, an older letter and a less trusted page extend nothing.
func TestWhatDoesNotExtend(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.say("a", march, "Ana: I am an engineer.", "Ben: I am a software engineer.")
	h.say("b", march.AddDate(-1, 0, 0), "Ana: I am a software engineer.")
	if _, err := h.e.Remember(t.Context(), h.sc, lukasa.NewDocument{Content: "Ana is a senior engineer. She sings.", Container: "life", Origin: lukasa.OriginWeb}); err != nil {
		t.Fatal(err)
	}
	if l := h.extends(h.noted("job_title", "engineer").ID); len(l) != 0 {
		t.Errorf("%+v", l)
	}
}
