package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// What is wrong with the arguments of a call is said so that a model can put it right: by name, and with what the tool takes.
func TestArgumentsAreNamed(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	s := connect(t, e, sc)
	for _, c := range []struct {
		tool string
		args map[string]any
		want string // how it begins
	}{
		{"recall", map[string]any{"query": "x", "top_k": 3}, "top_k: is not an argument of this tool (it takes query, project, limit, tags, "},
		{"recall", map[string]any{"query": "x", "limit": "five"}, `limit: "five" is not a whole number`},
		{"recall", map[string]any{"query": 5}, "query: 5 is not a text"},
		{"recall", map[string]any{"query": "x", "tags": "a"}, `tags: "a" is not a list of texts`},
		{"recall", nil, "query: is missing (what to look for, in plain words; "},
		{"recall", map[string]any{}, "query: is missing (what to look for, in plain words; "},
		{"recall", map[string]any{"query": "x", "threshold": "high"}, `threshold: "high" is not a number`},
		{"memory", map[string]any{"content": "x", "metadata": "y"}, `metadata: "y" is not an object`},
		{"forget", map[string]any{"id": "x", "for_good": "yes"}, `for_good: "yes" is not true or false`},
		{"search_memory", map[string]any{"query": "x", "include_defining": 1}, "include_defining: 1 is not true or false"},
		{"whoAmI", map[string]any{"user": "me"}, "user: is not an argument of this tool (it takes none)"},
		{"memory", map[string]any{"content": "x", "project": "a.b.c.d.e.f"}, "project: has 6 levels"},
		{"memory", map[string]any{"content": " "}, "content: is empty"}, // as the tool says it
		{"recall", map[string]any{"query": "x", "project": "here", "container": "there"}, "container: is not an argument of this tool"},
		{"forget", map[string]any{"container": "work"}, "container: is not an argument of this tool"},
	} {
		r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil || !r.IsError || len(r.Content) != 1 || !strings.HasPrefix(r.Content[0].(*sdk.TextContent).Text, c.want) {
			t.Errorf("%s %v: %+v, %v; want %q", c.tool, c.args, r, err, c.want)
			if err == nil && len(r.Content) > 0 {
				t.Log(r.Content[0].(*sdk.TextContent).Text)
			}
		}
	}
}

// Of an argument that is given twice nothing is done.
func TestArgumentGivenTwice(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	s := connect(t, e, sc)
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "memory", Arguments: json.RawMessage(`{"content":"The first.","content":"The second."}`)})
	if err != nil || !r.IsError || r.Content[0].(*sdk.TextContent).Text != "content is given twice: leave one of the two out" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, out := call(t, s, "recall", map[string]any{"query": "second"}); len(list(t, out, "results", 0)) != 0 {
		t.Errorf("kept: %v", out)
	}
}

// A project goes by the names that REST has for it, too, and is done once.
func TestContainerIsProject(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	s := connect(t, e, sc)
	if _, out := call(t, s, "memory", map[string]any{"content": "The lantern hangs in the attic.", "container": "home.attic"}); out["project"] != "home.attic" {
		t.Errorf("memory answers %v", out)
	}
	call(t, s, "memory", map[string]any{"content": "The lantern of the office is broken.", "project_id": "work"})
	for _, name := range []string{"project", "container", "project_id", "containerTag"} {
		if _, out := call(t, s, "recall", map[string]any{"query": "lantern", name: "home"}); len(list(t, out, "results", 1)) != 1 {
			t.Errorf("%s: %v", name, out)
		}
	}
}

// Decisions of one project are told without those of others.
func TestDecisionsOfAProject(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	for project, what := range map[string]string{"work.billing": "We decided to use PostgreSQL for the billing service.", "home": "We decided to paint the kitchen green."} {
		if _, _, err := e.Append(t.Context(), sc, lukasa.Append{Container: project, Conversation: "plans", Messages: []lukasa.NewMessage{{Role: "user", Speaker: "Ana", Content: what}}}); err != nil {
			t.Fatal(err)
		}
	}
	s := connect(t, e, sc)
	for tool, key := range map[string]string{"get_defining_memories": "defining_memories", "get_decisions": "decisions"} {
		text, out := call(t, s, tool, map[string]any{"project": "work"})
		if list(t, out, key, 1); !strings.Contains(text, "PostgreSQL") || strings.Contains(text, "kitchen") {
			t.Errorf("%s of work answers %q", tool, text)
		}
		_, out = call(t, s, tool, nil)
		list(t, out, key, 2)
		refuse(t, s, tool, map[string]any{"project": "nowhere"}, "nowhere")
	}
}
