package mcp_test

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
	"github.com/lukasa-memory/lukasa/internal/mcp"
)

var _ mcp.Recollections = client.Scoped{} // a running server has the same verbs

// T-10: the tools of the document, with its names and parameters, and the resource of topics.
func TestRecollections(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	c, _, err := e.Append(t.Context(), sc, lukasa.Append{Container: "work.billing", Conversation: "plans", Messages: []lukasa.NewMessage{
		{Role: "user", Speaker: "Ana", Content: "I live in Lyon."},
		{Role: "user", Speaker: "Ana", Content: "We decided to use PostgreSQL for the billing service."},
		{Role: "assistant", Content: "Noted."},
	}})
	if err != nil {
		t.Fatal(err)
	}
	seg, err := e.EndConversation(t.Context(), sc, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	s := connect(t, e, sc)
	text, out := call(t, s, "brief", map[string]any{"query": "What do we use for billing?", "max_tokens": 500, "session": "s", "project": "work"})
	if !strings.Contains(text, "PostgreSQL") || !strings.Contains(text, "<lukasa-brief") || out["tokens"].(float64) > 500 {
		t.Errorf("brief answers %q %v", text, out)
	}
	if text, _ = call(t, s, "brief", map[string]any{"query": "What do we use for billing?", "max_tokens": 500, "session": "s"}); strings.Contains(text, "PostgreSQL") {
		t.Errorf("brief repeats: %q", text)
	}
	if text, out = call(t, s, "profile", map[string]any{"project": "work.billing", "query": "database"}); !strings.Contains(text, "Lyon") || out["container"] != "work.billing" {
		t.Errorf("profile answers %q %v", text, out)
	}
	if text, _ = call(t, s, "profile", map[string]any{"project": "nowhere"}); text != "Nothing is known yet." {
		t.Errorf("profile of nobody answers %q", text)
	}
	if said, _ := call(t, s, "timeline", map[string]any{"kinds": []string{"decision"}, "from": "2020-01-01"}); !strings.Contains(said, ", decision: ") {
		t.Errorf("timeline answers %q", said)
	}
	text, out = call(t, s, "get_defining_memories", map[string]any{"type_filter": "decision", "since": "2020-01-01", "limit": 5})
	if list, _ := out["defining_memories"].([]any); len(list) != 1 || !strings.Contains(text, "PostgreSQL") {
		t.Errorf("get_defining_memories answers %q %v", text, out)
	}
	if text, _ = call(t, s, "get_defining_memories", map[string]any{"type_filter": "milestone"}); text != "There are none." {
		t.Errorf("get_defining_memories answers %q", text)
	}
	text, out = call(t, s, "get_recall_file_content", map[string]any{"recall_file_id": string(seg.Document)})
	if !strings.Contains(text, "# Conversation Transcript") || !strings.Contains(text, "# Summary") || out["keywords"] != nil {
		t.Errorf("get_recall_file_content answers %q %v", text, out)
	}
	if _, out = call(t, s, "get_recall_file_content", map[string]any{"recall_file_id": string(seg.Document), "include": []string{"keywords"}}); out["transcript"] != nil || out["keywords"] == nil {
		t.Errorf("get_recall_file_content answers %v", out)
	}
	text, out = call(t, s, "list_topics", map[string]any{"type_filter": "topic", "parent_id": "work"})
	if list, _ := out["topics"].([]any); len(list) != 1 || !strings.Contains(text, "work.billing (topic)") {
		t.Errorf("list_topics answers %q %v", text, out)
	}
	if _, out = call(t, s, "list_topics", nil); len(out["topics"].([]any)) != 2 {
		t.Errorf("list_topics answers %v", out)
	}
	res, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "lukasa://topics"})
	if err != nil || len(res.Contents) != 1 || !strings.Contains(res.Contents[0].Text, `"path":"work.billing"`) {
		t.Errorf("topics: %+v, %v", res, err)
	}
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"brief", map[string]any{"query": " "}, "query: is empty"},
		{"brief", map[string]any{"query": "x", "as_of": "soon"}, "as_of"},
		{"brief", map[string]any{"query": "x", "project": "nowhere"}, "nowhere"},
		{"profile", map[string]any{"as_of": "soon"}, "as_of"},
		{"get_defining_memories", map[string]any{"type_filter": "fact"}, "decision"},
		{"get_defining_memories", map[string]any{"since": "soon"}, "since"},
		{"get_defining_memories", map[string]any{"limit": 1000}, "limit"},
		{"get_recall_file_content", map[string]any{"recall_file_id": "rf_1"}, "doc_"},
		{"get_recall_file_content", map[string]any{"recall_file_id": string(seg.Document), "include": []string{"all"}}, "include"},
		{"list_topics", map[string]any{"type_filter": "colour"}, "type_filter"},
		{"list_topics", map[string]any{"parent_id": "nowhere"}, "nowhere"},
	} {
		r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, c.want) {
			t.Errorf("%s %v: %+v, %v", c.tool, c.args, r, err)
		}
	}
}
