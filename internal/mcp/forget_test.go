package mcp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// "Forget that": what is named goes to the trash, is found no more, and comes back for as long as the trash is kept.
func TestForget(t *testing.T) {
	t.Parallel()
	e, clock, sc := enginetest.New(t)
	if _, _, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "c", Messages: []lukasa.NewMessage{
		{Role: "user", Speaker: "Ana", Content: "I live in Paris."},
	}}); err != nil {
		t.Fatal(err)
	}
	mems, err := e.Memories(t.Context(), sc, lukasa.MemoryFilter{}, lukasa.Page{})
	if err != nil || len(mems.Items) != 1 {
		t.Fatalf("%v, %v", mems, err)
	}
	mem := mems.Items[0]
	said := string(mem.Sources[0].Message)
	s := connect(t, e, sc)
	text, out := call(t, s, "forget", map[string]any{"id": mem.ID})
	until, err := time.Parse(time.RFC3339, out["until"].(string))
	if err != nil || until.Sub(clock.Now()).Round(time.Hour) != 30*24*time.Hour {
		t.Errorf("it can be taken back until %v, %v", out["until"], err)
	}
	if out["state"] != "trash" || out["type"] != "memory" || out["label"] != mem.Content || !strings.Contains(text, "restore with id "+string(mem.ID)+" takes it back until "+out["until"].(string)) {
		t.Errorf("forget answers %q %v", text, out)
	}
	if list(t, out, "still_in", 1)[0] != said || !strings.Contains(text, said) {
		t.Errorf("forget does not tell that %s still says so: %q %v", said, text, out)
	}
	if _, err := e.Memory(t.Context(), sc, mem.ID); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		t.Errorf("the memory is still there: %v", err)
	}
	if text, out = call(t, s, "restore", map[string]any{"id": mem.ID}); out["record_id"] != string(mem.ID) || !strings.Contains(text, "out of the trash") {
		t.Errorf("restore answers %q %v", text, out)
	}
	if m, err := e.Memory(t.Context(), sc, mem.ID); err != nil || !m.IsLatest {
		t.Errorf("restored to %+v, %v", m, err)
	}

	r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "The ferry leaves at nine.", Title: "Ferry"})
	if err != nil {
		t.Fatal(err)
	}
	doc := r.Document.ID
	if text, out = call(t, s, "forget", map[string]any{"id": doc}); out["state"] != "trash" || !strings.Contains(text, `the document "Ferry"`) {
		t.Errorf("forget answers %q %v", text, out)
	}
	if text, _ = call(t, s, "recall", map[string]any{"query": "ferry"}); strings.Contains(text, "nine") {
		t.Errorf("recall tells what was forgotten: %q", text)
	}
	refuse(t, s, "forget", map[string]any{"id": doc}, "no document")
	if text, out = call(t, s, "forget", map[string]any{"id": doc, "for_good": true}); out["state"] != "deleted" || !strings.HasPrefix(out["receipt_id"].(string), "rcpt_") || !strings.Contains(text, out["receipt_id"].(string)) {
		t.Errorf("forget for good answers %q %v", text, out)
	}
	refuse(t, s, "restore", map[string]any{"id": doc}, "does not lie in the trash")

	talks, err := e.Conversations(t.Context(), sc, nil, lukasa.Page{}, time.Time{})
	if err != nil || len(talks.Items) != 1 {
		t.Fatalf("%v, %v", talks, err)
	}
	talk := string(talks.Items[0].ID)
	call(t, s, "forget", map[string]any{"id": talk})
	if text, _ = call(t, s, "recall", map[string]any{"query": "where does Ana live"}); strings.Contains(text, "Paris") {
		t.Errorf("recall tells of a conversation that was forgotten: %q", text)
	}
	call(t, s, "restore", map[string]any{"id": talk})

	refuse(t, s, "forget", map[string]any{"id": said}, "for_good")
	if _, out = call(t, s, "forget", map[string]any{"id": said, "for_good": true}); out["type"] != "message" || out["receipt_id"] == nil {
		t.Errorf("forget of a message answers %v", out)
	}
	refuse(t, s, "forget", map[string]any{"id": " "}, "id: is empty")
	refuse(t, s, "forget", map[string]any{"id": "work"}, "names nothing that can be forgotten")
	refuse(t, s, "forget", map[string]any{"id": mem.Node}, "names nothing that can be forgotten")
	refuse(t, s, "forget", map[string]any{"id": "mem_123"}, "well-formed")
	refuse(t, s, "forget", map[string]any{"id": "mem_01m7y0hrghf278p2nyn0qwvhfz"}, "no memory")
	refuse(t, s, "forget", map[string]any{"id": "doc_01m7y0hrghf278p2nyn0qwvhfz", "for_good": true}, "no document")
}

// Forgetting obeys what the key may do: one that only reads forgets nothing, and one that is bound to a container nothing outside.
func TestForgetByRight(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	m, err := e.AddMemory(t.Context(), sc, lukasa.NewMemory{Content: "Ana lives in Paris.", Container: "life"})
	if err != nil {
		t.Fatal(err)
	}
	reader, bound := sc, sc
	reader.ReadOnly, bound.Root, bound.Role = true, "work", lukasa.RoleUser
	for _, good := range []bool{false, true} {
		args := map[string]any{"id": m.ID, "for_good": good}
		refuse(t, connect(t, e, reader), "forget", args, "read-only")
		refuse(t, connect(t, e, bound), "forget", args, "no memory")
	}
	if _, err := e.Memory(t.Context(), sc, m.ID); err != nil {
		t.Errorf("the memory is gone: %v", err)
	}
}
