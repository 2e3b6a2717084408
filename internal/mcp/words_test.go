package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// Many clients show a model the words of an answer alone: what a next call needs stands in them.
func TestWordsSuffice(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	s := connect(t, e, sc)
	if _, _, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "c", Messages: []lukasa.NewMessage{
		{Role: "user", Speaker: "Ana", Content: "I live in Paris, near the river."},
	}}); err != nil {
		t.Fatal(err)
	}
	mems, err := e.Memories(t.Context(), sc, lukasa.MemoryFilter{}, lukasa.Page{})
	if err != nil || len(mems.Items) == 0 {
		t.Fatalf("%v, %v", mems, err)
	}
	id := string(mems.Items[0].ID)
	words, out := call(t, s, "recall", map[string]any{"query": "where does Ana live?"})
	if !strings.Contains(words, id) {
		t.Errorf("the memory %s cannot be corrected by what recall says:\n%s\n%v", id, words, out)
	}
	words, out = call(t, s, "correct", map[string]any{"id": id, "content": "Ana lives in Lyon."})
	if !strings.Contains(words, "Lyon") {
		t.Errorf("correct answers %q", words)
	}
	words, _ = call(t, s, "recall", map[string]any{"query": "I live in Paris"})
	if strings.Contains(words, id) && !strings.Contains(words, id+", no longer so)") {
		t.Errorf("recall tells what was corrected as if it held:\n%s", words)
	}
	now, _ := out["id"].(string)
	day := time.Now().UTC().Format(time.DateOnly)
	held := "noted from it: " + mems.Items[0].Content + " (" + id + ", no longer so) until "
	for _, tool := range []string{"recall", "search_memory"} {
		words, out = call(t, s, tool, map[string]any{"query": "I live in Paris"})
		if !strings.Contains(words, "I live in Paris, near the river.") || !strings.Contains(words, held) || !strings.Contains(words, "now, since "+day+": Ana lives in Lyon. ("+now+")") {
			t.Errorf("%s shows what was said as if it held:\n%s", tool, words)
		}
		if raw, _ := json.Marshal(out); !strings.Contains(string(raw), `"superseded":[{"by":{"content":"Ana lives in Lyon.","id":"`+now+`","since":"`+day) {
			t.Errorf("%s answers %s", tool, raw)
		}
	}
	if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: "The ferry leaves at nine.", Title: "Ferry", Container: "travel"}); err != nil {
		t.Fatal(err)
	}
	words, out = call(t, s, "recall", map[string]any{"query": "ferry", "project": "travel"})
	results, _ := out["results"].([]any)
	doc, _ := results[0].(map[string]any)["documentId"].(string)
	if doc == "" || !strings.Contains(words, doc) {
		t.Errorf("recall does not name %q:\n%s", doc, words)
	}
	if words, _ = call(t, s, "memory-graph", nil); !strings.Contains(words, `container "travel" contains document "Ferry"`) {
		t.Errorf("memory-graph says:\n%s", words)
	}
}

// finds answers every search with one hit.
type finds struct {
	*engine.Engine
	hit lukasa.Hit
}

func (f finds) Search(context.Context, lukasa.Scope, lukasa.Query) (lukasa.Result, error) {
	return lukasa.Result{Hits: []lukasa.Hit{f.hit}, Total: 1}, nil
}

// A memory that was noted from a hit, and does not hold any more, is told once, with what holds now.
func TestSupersededIsToldOnce(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	s := connect(t, finds{e, lukasa.Hit{
		Content: "I live in Paris with Tom.", Message: &lukasa.HitMessage{},
		Memories:   []lukasa.Memory{{ID: "mem_1", Content: "Ana lives in Paris."}, {ID: "mem_2", Content: "Ana lives with Tom.", IsLatest: true}},
		Superseded: []lukasa.Superseded{{ID: "mem_1", Content: "Ana lives in Paris.", By: &lukasa.SupersededBy{ID: "mem_3", Content: "Ana lives in Lyon."}}},
	}}, sc)
	words, _ := call(t, s, "recall", map[string]any{"query": "Paris"})
	want := "noted from it: Ana lives with Tom. (mem_2)\nnoted from it: Ana lives in Paris. (mem_1, no longer so)\nnow: Ana lives in Lyon. (mem_3)"
	if !strings.HasSuffix(words, "\n"+want) || strings.Count(words, "mem_1") != 1 {
		t.Errorf("recall says:\n%s", words)
	}
}

// A conversation that is called something is shown so, by recall and by the search for what was said earlier.
func TestConversationsAreShownAsTheyAreCalled(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	c, _, err := e.Append(t.Context(), sc, lukasa.Append{Conversation: "chatgpt:c3", Messages: []lukasa.NewMessage{{Speaker: "Ana", Content: "The ferry leaves at nine."}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.PatchConversation(t.Context(), sc, string(c.ID), "", lukasa.DocumentPatch{Title: new("Baltic trip")}, ""); err != nil {
		t.Fatal(err)
	}
	s := connect(t, e, sc)
	words, _ := call(t, s, "recall", map[string]any{"query": "ferry"})
	if !strings.HasPrefix(words, "1. Ana in Baltic trip (") || strings.Contains(words, "chatgpt:c3") {
		t.Errorf("recall says:\n%s", words)
	}
	words, out := call(t, s, "get_recall_file_content", map[string]any{"recall_file_id": string(c.Document)})
	if !strings.HasPrefix(words, "Baltic trip (Baltic trip, ") || out["conversation"] != "chatgpt:c3" || out["conversation_title"] != "Baltic trip" {
		t.Errorf("the recall file is %v:\n%s", out, words)
	}
}

// Some models name every argument, and mean by null that they leave it out.
func TestNullArguments(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	s := connect(t, e, sc)
	call(t, s, "memory", map[string]any{"content": "The ferry leaves at nine.", "project": nil, "tags": nil, "title": nil, "metadata": map[string]any{"pier": nil, "n": 7}})
	_, out := call(t, s, "recall", map[string]any{"query": "ferry", "project": nil, "limit": nil, "tags": nil, "after": nil})
	if results, _ := out["results"].([]any); len(results) != 1 {
		t.Errorf("recall answers %v", out)
	}
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "recall", Arguments: map[string]any{"query": nil}})
	if err == nil && !r.IsError {
		t.Error("a query that is left out is accepted")
	}
}

// A floor of nought is none, and not the default.
func TestFloorOfNought(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	s := connect(t, e, sc)
	for _, text := range []string{"The ferry leaves at nine.", "The cat is called Miso."} {
		if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	left := func(args map[string]any) (n int) {
		args["query"] = "ferry harbour timetable cat"
		_, out := call(t, s, "brief", args)
		all, _ := out["left_out"].([]any)
		for _, l := range all {
			if l.(map[string]any)["reason"] == "floor" {
				n++
			}
		}
		return n
	}
	if some, none := left(map[string]any{}), left(map[string]any{"floor": 0}); some == 0 || none != 0 {
		t.Errorf("left out by the floor: %d, and with 0: %d", some, none)
	}
}

// A proxy on the same machine hands a request on under the name that it was sent to.
func TestBehindAProxy(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	url := serveHTTP(t, e, map[string]lukasa.Scope{"": sc})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "memory.example.org"
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("status %d", resp.StatusCode)
	}
}
