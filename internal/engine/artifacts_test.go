package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// T-2, T-3, T-9: what a message handed over by its address stays among the artifacts of the recall file when that is closed, sleeps and wakes again; asleep
// it is archived.
func TestArtifactsThatAreElsewhere(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	at := march
	c, _, err := h.e.Append(t.Context(), h.sc, lukasa.Append{Container: "life", Conversation: "a", Messages: []lukasa.NewMessage{{
		Speaker: "Ana", Role: "user", Content: "Here are the map and the list.", Time: &at, Metadata: map[string]any{"attachments": []any{
			map[string]any{"name": "map.png", "type": "image/png", "size": 2500.0, "url": "https://example.com/map.png"},
			map[string]any{"name": "list.txt", "content": "bread\nsalt\n"},
		}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	look := func(when, status string) {
		t.Helper()
		l, err := h.e.RecallPages(t.Context(), h.sc, engine.RecallQuery{}, lukasa.Page{Limit: 1})
		if err != nil || len(l.Items) != 1 {
			t.Fatalf("%s: %+v, %v", when, l, err)
		}
		f, err := h.e.RecallFilePage(t.Context(), h.sc, l.Items[0].ID, time.Time{}, engine.PartArtifacts)
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if f.Status != status || l.Items[0].Status != status {
			t.Errorf("%s: its status is %s, listed as %s", when, f.Status, l.Items[0].Status)
		}
		got := map[string]string{}
		for _, a := range f.Artifacts {
			got[a.Name] = a.URL
		}
		if len(f.Artifacts) != 2 || got["map.png"] != "https://example.com/map.png" || got["list.txt"] != "" {
			t.Fatalf("%s: %+v", when, f.Artifacts)
		}
		_, _, err = h.e.Artifact(t.Context(), h.sc, f.ID, "map.png", time.Time{})
		if e, ok := errors.AsType[*lukasa.Error](err); !ok || e.Code != lukasa.CodeNotFound || !strings.Contains(e.Hint, "https://example.com/map.png") {
			t.Errorf("%s: the bytes of what is elsewhere: %v", when, err)
		}
	}
	look("open", "active")
	if _, err := h.e.EndConversation(t.Context(), h.sc, c.ID); err != nil {
		t.Fatal(err)
	}
	look("closed", "finalized")
	files, err := h.e.Files(t.Context(), h.sc, c.Document, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, err := h.e.SleepFile(t.Context(), h.sc, f.ID); err != nil {
			t.Fatal(err)
		}
	}
	look("asleep", "archived")
	for _, f := range files {
		if _, err := h.e.WakeFile(t.Context(), h.sc, f.ID, false); err != nil {
			t.Fatal(err)
		}
	}
	look("awake", "finalized")
	log, err := h.e.History(t.Context(), h.sc, c.Document, lukasa.Page{Limit: 10}, time.Time{})
	if err != nil || len(log.Items) < 2 || !strings.Contains(log.Items[0].Reason, "manual") || !strings.Contains(string(log.Items[1].After), `"archived"`) {
		t.Errorf("the history does not tell of it: %+v, %v", log.Items, err)
	}
}

// N-5: a stretch that is closed for its size says so in the word of the documents.
func TestTriggerOfSize(t *testing.T) {
	t.Parallel()
	cfg := enginetest.Config(t)
	cfg.SegmentTokens = 100
	e, clock, sc := enginetest.Open(t, cfg, engine.Options{})
	h := &house{t, e, clock, sc}
	for i := range 8 {
		h.say("a", march.Add(time.Duration(i)*time.Hour/60), "Ana: "+strings.Repeat("we walked along the river ", 6), "Bot: I see.")
	}
	l, err := e.RecallPages(t.Context(), sc, engine.RecallQuery{Status: []string{lukasa.SegmentFinalized}}, lukasa.Page{Limit: 10})
	if err == nil {
		err = e.Drain(t.Context())
	}
	if err == nil {
		l, err = e.RecallPages(t.Context(), sc, engine.RecallQuery{Status: []string{lukasa.SegmentFinalized}}, lukasa.Page{Limit: 10})
	}
	if err != nil || len(l.Items) == 0 || l.Items[0].Trigger != "chunk_threshold" {
		t.Errorf("%+v, %v", l.Items, err)
	}
}
