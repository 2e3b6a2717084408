package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
	"github.com/lukasa-memory/lukasa/internal/mcp"
)

// connect starts the tools over stdio pipes and returns a client's session.
func connect(t *testing.T, e mcp.Verbs, sc lukasa.Scope) *sdk.ClientSession {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- mcp.Stdio(ctx, e, sc, "test", inR, outW) }()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(ctx, &sdk.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.Close()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve stdio: %v", err)
		}
	})
	return s
}

// call calls a tool and returns its text and its structured answer.
func call(t *testing.T, s *sdk.ClientSession, name string, args map[string]any) (string, map[string]any) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		t.Fatalf("%s: %s", name, text)
	}
	data, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return text, out
}

// H-21
func TestTools(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	s := connect(t, e, sc)
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Annotations == nil || tool.Description == "" || tool.OutputSchema == nil {
			t.Errorf("%s lacks annotations, description or output schema", tool.Name)
		}
		if writes := slices.Contains([]string{"memory", "correct", "undo", "restore", "forget"}, tool.Name); tool.Annotations.ReadOnlyHint == writes {
			t.Errorf("%s says of reading only: %v", tool.Name, tool.Annotations.ReadOnlyHint)
		}
		if d := tool.Annotations.DestructiveHint; d == nil || *d != (tool.Name == "forget") {
			t.Errorf("%s does not say whether it destroys something", tool.Name)
		}
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "about brief correct diff forget get_decisions get_defining_memories get_full_conversation get_recall_file_content history listProjects list_topics memory memory-graph "+
		"profile recall restore search_memory timeline undo whoAmI" {
		t.Fatalf("tools: %s", got)
	}

	text, out := call(t, s, "memory", map[string]any{"content": "Dave plays the cello in the city orchestra.", "title": "Dave's cello", "project": "friends"})
	if !strings.Contains(text, "Dave's cello") || !strings.Contains(text, "1 chunk,") || out["chunkCount"] != 1.0 {
		t.Errorf("memory answers %q %v", text, out)
	}
	text, out = call(t, s, "recall", map[string]any{"query": "who plays a string instrument?", "project": "friends"})
	results, _ := out["results"].([]any)
	if len(results) != 1 || !strings.Contains(text, "Dave's cello") || !strings.Contains(text, "score") || !strings.Contains(text, "orchestra") {
		t.Errorf("recall answers %q %v", text, out)
	}
	for name, n := range map[string]int{"dave": 1, "Nobody": 0} {
		_, out = call(t, s, "recall", map[string]any{"query": "who plays a string instrument?", "entities": []string{name}, "valid_to": "2999-01-01"})
		found, _ := out["results"].([]any)
		_, out = call(t, s, "recall", map[string]any{"query": "", "entities": []string{name}})
		listed, _ := out["results"].([]any)
		if len(listed) != n || len(found) > len(listed) {
			t.Errorf("of %s there are %d, and %d found", name, len(listed), len(found))
		}
	}
	if text, _ = call(t, s, "recall", map[string]any{"query": "zebra crossing", "threshold": 0.9}); !strings.Contains(text, "nothing relevant") {
		t.Errorf("recall of nothing answers %q", text)
	}
	if text, _ = call(t, s, "listProjects", nil); !strings.Contains(text, "friends: 1 document") {
		t.Errorf("listProjects answers %q", text)
	}
	_, out = call(t, s, "memory-graph", nil)
	if nodes, _ := out["nodes"].([]any); len(nodes) < 2 {
		t.Errorf("memory-graph answers %v", out)
	}
	if text, out = call(t, s, "whoAmI", nil); !strings.Contains(text, "admin") || out["organization"] == "" {
		t.Errorf("whoAmI answers %q %v", text, out)
	}
}

// closer makes a closer of a buffer.
type closer struct{ *bytes.Buffer }

func (closer) Close() error { return nil }

// A session that is piped in from a file is answered to its end.
func TestPipedSession(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	in := closer{bytes.NewBufferString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory","arguments":{"content":"The buoy is red."}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"whoAmI"}}`)}
	out := closer{&bytes.Buffer{}}
	if err := mcp.Stdio(t.Context(), e, sc, "test", in, out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":1`, `"id":2`, `"id":3`, "chunkCount"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the answers lack %s:\n%s", want, out.String())
		}
	}
}

// What is no message is answered, and does not end the session.
func TestStrayLines(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	in := closer{bytes.NewBufferString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}

starting the wrapper ...
[{"jsonrpc":"2.0","id":31,"method":"ping"}]
{"jsonrpc":"1.0","id":32,"method":"ping"}
` + strings.Repeat("x", 11<<20) + `
{"jsonrpc":"2.0","id":33,"method":"tools/call","params":{"name":"whoAmI"}}`)}
	out := closer{&bytes.Buffer{}}
	if err := mcp.Stdio(t.Context(), e, sc, "test", in, out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"code":-32700`, "has no batches", `"id":32,`, "over 10485760 bytes", `"id":33`, "admin"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the answers lack %s:\n%.2000s", want, out.String())
		}
	}
}

// A mistake in a call is told to the model, in words that help, and a wrong project is not searched elsewhere.
func TestMistakes(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	s := connect(t, e, sc)
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"memory", map[string]any{"content": ""}, "content: is empty"},
		{"memory", map[string]any{"content": "x", "forgetAfter": "soon"}, "forgetAfter"},
		{"recall", map[string]any{"query": "x", "project": "nowhere"}, "nowhere"},
		{"recall", map[string]any{"query": "x", "entities": []string{"ent_1"}}, "entity"},
		{"recall", map[string]any{"query": "x", "valid_from": "soon"}, "valid_from"},
		{"recall", map[string]any{"query": "x", "kinds": []string{"rumour"}}, "rumour"},
		{"recall", map[string]any{"query": "x", "limit": 1000}, "limit"},
		{"recall", map[string]any{"query": "x", "colour": "red"}, "colour"},
	} {
		r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
		got := fmt.Sprint(err)
		if err == nil {
			if !r.IsError {
				t.Errorf("%s %v is accepted", c.tool, c.args)
				continue
			}
			got = r.Content[0].(*sdk.TextContent).Text
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %v: %q lacks %q", c.tool, c.args, got, c.want)
		}
	}
}

// serveHTTP serves the tools over HTTP; the header X-User chooses between two scopes, as a door does by key.
func serveHTTP(t *testing.T, e *engine.Engine, scopes map[string]lukasa.Scope) string {
	t.Helper()
	type key struct{}
	h := mcp.Handler(e, "test", nil, func(ctx context.Context) lukasa.Scope {
		sc, _ := ctx.Value(key{}).(lukasa.Scope)
		return sc
	})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, scopes[r.Header.Get("X-User")])))
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

type header struct{ user string }

func (h header) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-User", h.user)
	return http.DefaultTransport.RoundTrip(r)
}

func TestHTTPKeepsUsersApart(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	u, err := e.CreateUser(t.Context(), sc, lukasa.User{Name: "Bob"})
	if err != nil {
		t.Fatal(err)
	}
	org, err := e.Organisations().Create(t.Context(), sc, "Acme", u.ID)
	if err != nil {
		t.Fatal(err)
	}
	url := serveHTTP(t, e, map[string]lukasa.Scope{
		"admin": sc, "bob": {Owner: u.ID, Principal: u.ID, Role: lukasa.RoleUser}, "member": {Owner: org.ID, Principal: u.ID, Role: lukasa.RoleUser},
	})
	session := func(user string) *sdk.ClientSession {
		c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		s, err := c.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: header{user}}, MaxRetries: -1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	admin, bob := session("admin"), session("bob")
	call(t, admin, "memory", map[string]any{"content": "The safe opens with 12-34-56."})
	if text, _ := call(t, bob, "recall", map[string]any{"query": "safe"}); strings.Contains(text, "12-34") {
		t.Errorf("Bob reads %q", text)
	}
	if text, _ := call(t, admin, "recall", map[string]any{"query": "safe"}); !strings.Contains(text, "12-34") {
		t.Errorf("admin reads %q", text)
	}
	if text, _ := call(t, bob, "whoAmI", nil); !strings.Contains(text, "Bob") {
		t.Errorf("Bob is %q", text)
	}
	if text, out := call(t, session("member"), "whoAmI", nil); !strings.Contains(text, "Bob") || out["organization"] != "Acme" || out["role"] != "owner" {
		t.Errorf("Bob, with a key to Acme, is %q %v", text, out)
	}
}

// The protocol's own inspector lists and calls every tool over HTTP; test/binary does the same over stdio.
func TestInspector(t *testing.T) {
	t.Parallel()
	inspector := os.Getenv("LUKASA_TEST_INSPECTOR")
	if inspector == "" {
		t.Skip("needs inspector: LUKASA_TEST_INSPECTOR is not set; `make servers` installs it")
	}
	e, _, sc := enginetest.New(t)
	url := serveHTTP(t, e, map[string]lukasa.Scope{"": sc})
	run := func(args ...string) string {
		cmd := strings.Fields(inspector)
		cmd = append(append(cmd, "--cli", url, "--transport", "http"), args...)
		out, err := exec.CommandContext(t.Context(), cmd[0], cmd[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	listed := run("--method", "tools/list")
	for _, c := range [][]string{
		{"memory", "content=The inspector was here."}, {"recall", "query=inspector"}, {"listProjects"}, {"memory-graph"}, {"whoAmI"},
	} {
		if !strings.Contains(listed, `"`+c[0]+`"`) {
			t.Errorf("tools/list lacks %s", c[0])
		}
		args := []string{"--method", "tools/call", "--tool-name", c[0]}
		for _, a := range c[1:] {
			args = append(args, "--tool-arg", a)
		}
		if out := run(args...); strings.Contains(out, `"isError": true`) || !strings.Contains(out, "structuredContent") {
			t.Errorf("%s answers %s", c[0], out)
		}
	}
}
