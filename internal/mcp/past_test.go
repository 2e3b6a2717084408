package mcp_test

import (
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
	"github.com/lukasa-memory/lukasa/internal/mcp"
)

var _ mcp.Changes = client.Scoped{}

// refuse calls a tool with arguments that it must refuse, and wants the words in what it says.
func refuse(t *testing.T, s *sdk.ClientSession, tool string, args map[string]any, want string) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, want) {
		t.Errorf("%s %v: %+v, %v; want %q", tool, args, r, err, want)
	}
}

func list(t *testing.T, out map[string]any, key string, n int) []any {
	t.Helper()
	got, _ := out[key].([]any)
	if len(got) != n {
		t.Fatalf("%d %s, want %d: %v", len(got), key, n, out)
	}
	return got
}

// N-10, over MCP: a memory is corrected, the change is told and turned back, and what was known and was true at a moment is recalled.
func TestPast(t *testing.T) {
	t.Parallel()
	e, clock, sc := enginetest.New(t)
	paris, err := e.AddMemory(t.Context(), sc, lukasa.NewMemory{Content: "Ana lives in Paris.", Container: "life", Tags: []string{"home"}})
	if err != nil {
		t.Fatal(err)
	}
	first := clock.Now().UTC()
	clock.Advance(time.Hour)
	s := connect(t, e, sc)
	text, out := call(t, s, "correct", map[string]any{"id": paris.ID, "content": "Ana lives in Lyon.", "reason": "she wrote"})
	lyon, _ := out["id"].(string)
	if out["replaces"] != string(paris.ID) || out["project"] != "life" || !strings.Contains(text, "Lyon") || lyon == "" {
		t.Fatalf("correct answers %q %v", text, out)
	}
	clock.Advance(time.Hour)
	where := map[string]any{"query": "Where does Ana live?"}
	if text, _ = call(t, s, "recall", where); !strings.Contains(text, "Lyon") || strings.Contains(text, "Paris") {
		t.Errorf("recall answers %q", text)
	}
	where["as_of"] = first.Add(time.Minute).Format(time.RFC3339Nano)
	if text, _ = call(t, s, "recall", where); !strings.Contains(text, "Paris") || strings.Contains(text, "Lyon") {
		t.Errorf("recall of then answers %q", text)
	}
	delete(where, "as_of")
	where["valid_at"] = first.Add(time.Minute).Format(time.RFC3339Nano)
	if text, _ = call(t, s, "recall", where); !strings.Contains(text, "Paris") || strings.Contains(text, "Lyon") {
		t.Errorf("recall of what was true then answers %q", text)
	}

	text, out = call(t, s, "history", map[string]any{"id": paris.ID})
	changes := list(t, out, "changes", 2)
	last := changes[0].(map[string]any)
	before, after := last["before"].(map[string]any), last["after"].(map[string]any)
	if before["is_latest"] != true || after["is_latest"] != false || after["retired_by"] != lyon || before["content"] != nil || last["reason"] != "she wrote" {
		t.Errorf("history answers %v", last)
	}
	if !strings.Contains(text, "because: she wrote") || !strings.Contains(text, "- is_latest: true\n") || !strings.Contains(text, "+ content: Ana lives in Paris.") {
		t.Errorf("history answers %q", text)
	}
	if _, out = call(t, s, "history", map[string]any{"id": paris.ID, "limit": 1}); out["total"] != 2.0 {
		t.Errorf("history of one answers %v", out)
	}
	list(t, out, "changes", 1)
	text, out = call(t, s, "diff", map[string]any{"id": paris.ID, "from": first.Add(time.Minute).Format(time.RFC3339Nano)})
	if !strings.Contains(text, "- is_latest: true\n+ is_latest: false\n") || out["record_id"] != string(paris.ID) {
		t.Errorf("diff answers %q %v", text, out)
	}
	if text, _ = call(t, s, "diff", map[string]any{"id": paris.ID, "from": first.Format(time.RFC3339Nano), "to": first.Add(time.Minute).Format(time.RFC3339Nano)}); text != "Nothing differs." {
		t.Errorf("diff of the same answers %q", text)
	}
	_, out = call(t, s, "history", map[string]any{"id": lyon})
	made := list(t, out, "changes", 1)[0].(map[string]any)["change_id"]
	if text, out = call(t, s, "undo", map[string]any{"change_id": made}); !strings.Contains(text, "create of "+lyon) || out["record_id"] != lyon {
		t.Errorf("undo answers %q %v", text, out)
	}
	delete(where, "valid_at")
	if text, _ = call(t, s, "recall", where); !strings.Contains(text, "Paris") || strings.Contains(text, "Lyon") {
		t.Errorf("recall after the undo answers %q", text)
	}
	tags := []string{}
	if _, err := e.PatchMemory(t.Context(), sc, paris.ID, lukasa.MemoryPatch{Tags: &tags}); err != nil {
		t.Fatal(err)
	}
	if text, _ = call(t, s, "restore", map[string]any{"id": paris.ID, "at": first.Add(time.Minute).Format(time.RFC3339Nano), "reason": "the label was right"}); !strings.Contains(text, string(paris.ID)) {
		t.Errorf("restore answers %q", text)
	}
	if m, err := e.Memory(t.Context(), sc, paris.ID); err != nil || len(m.Tags) != 1 || !m.IsLatest {
		t.Errorf("restored to %+v, %v", m, err)
	}
	if text, out := call(t, s, "correct", map[string]any{"id": paris.ID, "content": paris.Content}); !strings.Contains(text, "Nothing has changed") || out["replaces"] != nil {
		t.Errorf("a correction in the same words: %q %v", text, out)
	}
	refuse(t, s, "correct", map[string]any{"id": lyon, "content": "x"}, "latest")
	refuse(t, s, "correct", map[string]any{"id": "doc_01m7y0hrghf278p2nyn0qwvhfz", "content": "x"}, "mem_")
	refuse(t, s, "correct", map[string]any{"id": paris.ID, "content": " "}, "content")
	refuse(t, s, "history", map[string]any{"id": ""}, "id: is empty")
	refuse(t, s, "history", map[string]any{"id": "nowhere"}, "nowhere")
	refuse(t, s, "history", map[string]any{"id": paris.ID, "limit": 1000}, "limit")
	refuse(t, s, "diff", map[string]any{"id": paris.ID}, "from: is missing")
	refuse(t, s, "diff", map[string]any{"id": paris.ID, "from": "soon"}, "from")
	refuse(t, s, "diff", map[string]any{"id": paris.ID, "with": paris.ID, "to": "2026-01-01"}, "with")
	refuse(t, s, "undo", map[string]any{"change_id": " "}, "history tells")
	refuse(t, s, "undo", map[string]any{"change_id": "delta_01m7y0hrghf278p2nyn0qwvhfz"}, "delta_")
	refuse(t, s, "restore", map[string]any{"id": paris.ID, "at": ""}, "does not lie in the trash")
	refuse(t, s, "restore", map[string]any{"id": "life"}, "at: is missing")
	refuse(t, s, "recall", map[string]any{"query": "x", "valid_at": "soon"}, "valid_at")
	reader := sc
	reader.ReadOnly = true
	ro := connect(t, e, reader)
	refuse(t, ro, "correct", map[string]any{"id": paris.ID, "content": "x"}, "read")
	refuse(t, ro, "restore", map[string]any{"id": paris.ID, "at": "2030-01-01"}, "read")
}

// Two versions of a document are compared, text and all.
func TestDiffOfVersions(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	var ids []lukasa.ID
	for _, content := range []string{"The cat sleeps.\nIt is red.", "The cat sleeps.\nIt is blue."} {
		r, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: content, CustomID: "cat"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.Document.ID)
	}
	s := connect(t, e, sc)
	text, out := call(t, s, "diff", map[string]any{"id": ids[1], "with": ids[0]})
	if !strings.Contains(text, "\n-It is red.\n+It is blue.") || !strings.Contains(out["text"].(string), "+It is blue.") {
		t.Errorf("diff answers %q %v", text, out)
	}
}

// T-10: the tools by the names that the document gives them in two places, with the parameters and fields of both.
func TestArchive(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	c, _, err := e.Append(t.Context(), sc, lukasa.Append{Container: "work.billing", Conversation: "plans", Messages: []lukasa.NewMessage{
		{Role: "user", Speaker: "Ana", Content: "We decided to use PostgreSQL for the billing service."},
		{Role: "assistant", Content: "Noted."},
		{Role: "user", Speaker: "Ana", Content: "The billing service sends invoices on Mondays."},
	}})
	if err != nil {
		t.Fatal(err)
	}
	seg, err := e.EndConversation(t.Context(), sc, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	s := connect(t, e, sc)
	text, out := call(t, s, "search_memory", map[string]any{"query": "Which database does the billing service use?"})
	results := out["results"].([]any)
	if len(results) == 0 || len(results) > 5 || !strings.Contains(text, "PostgreSQL") {
		t.Fatalf("search_memory answers %q %v", text, out)
	}
	found := false
	for _, r := range results {
		r := r.(map[string]any)
		for _, key := range []string{"topic", "date", "summary"} {
			if s, _ := r[key].(string); s == "" {
				t.Errorf("search_memory answers no %s: %v", key, r)
			}
		}
		if _, err := time.Parse(time.RFC3339, r["date"].(string)); err != nil || r["relevance"].(float64) <= 0 {
			t.Errorf("search_memory answers %v, %v", r, err)
		}
		found = found || r["recall_file_id"] == string(seg.Document)
	}
	if !found {
		t.Errorf("no result names the recall file %s: %v", seg.Document, results)
	}
	if _, out = call(t, s, "search_memory", map[string]any{"query": "billing service", "max_results": 1}); len(out["results"].([]any)) != 1 {
		t.Errorf("search_memory for one answers %v", out)
	}
	kafka, err := e.AddMemory(t.Context(), sc, lukasa.NewMemory{Content: "The team chose Kafka for the queue.", Kind: lukasa.KindDecision, Container: "work.billing"})
	if err != nil {
		t.Fatal(err)
	}
	for _, include := range []bool{true, false} {
		_, out = call(t, s, "search_memory", map[string]any{"query": "What did the team choose for the queue?", "include_defining": include, "max_results": 50})
		found := false
		for _, r := range out["results"].([]any) {
			r := r.(map[string]any)
			found = found || r["id"] == string(kafka.ID) && r["topic"] == "decision"
		}
		if found != include {
			t.Errorf("search_memory, include_defining %v, answers %v", include, out)
		}
	}
	if text, _ = call(t, connectEmpty(t), "search_memory", map[string]any{"query": "zebra"}); !strings.Contains(text, "there is nothing here yet") {
		t.Errorf("search_memory of nothing answers %q", text)
	}
	text, out = call(t, s, "get_decisions", map[string]any{"type_filter": "decision", "limit": 5})
	d := list(t, out, "decisions", 2)[1].(map[string]any)
	if d["type"] != "decision" || !strings.Contains(d["summary"].(string), "PostgreSQL") || !strings.Contains(text, "PostgreSQL") {
		t.Errorf("get_decisions answers %q %v", text, out)
	}
	if _, err := time.Parse(time.RFC3339, d["date"].(string)); err != nil {
		t.Error(err)
	}
	if _, out = call(t, s, "get_decisions", nil); out["total"].(float64) < 1 {
		t.Errorf("get_decisions answers %v", out)
	}
	text, out = call(t, s, "get_full_conversation", map[string]any{"recall_file_id": string(seg.Document)})
	if !strings.Contains(out["transcript"].(string), "invoices on Mondays") || !strings.Contains(text, "# Conversation Transcript") || out["topic"] == "" {
		t.Errorf("get_full_conversation answers %q %v", text, out)
	}
	if _, err := time.Parse(time.RFC3339, out["date"].(string)); err != nil {
		t.Error(err)
	}
	refuse(t, s, "search_memory", map[string]any{"query": " "}, "query: is empty")
	refuse(t, s, "search_memory", map[string]any{"query": "x", "max_results": 51}, "max_results")
	refuse(t, s, "get_decisions", map[string]any{"type_filter": "fact"}, "decision")
	refuse(t, s, "get_decisions", map[string]any{"limit": -1}, "limit")
	refuse(t, s, "get_full_conversation", map[string]any{"recall_file_id": "rf_1"}, "doc_")
}

func connectEmpty(t *testing.T) *sdk.ClientSession {
	t.Helper()
	e, _, sc := enginetest.New(t)
	return connect(t, e, sc)
}
