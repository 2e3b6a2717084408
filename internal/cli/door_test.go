package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/cli"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// door is a real engine behind a real HTTP door.
type door struct {
	*client.Client
	e      *engine.Engine
	url    string
	secret string
}

func newDoor(t *testing.T, change func(*config.Config)) door {
	t.Helper()
	cfg := config.Default()
	cfg.Data = filepath.Join(t.TempDir(), "data")
	if change != nil {
		change(&cfg)
	}
	e, err := engine.Open(t.Context(), cfg, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(api.New(e, api.Options{Mint: func() string { return "req-1" }}))
	t.Cleanup(func() {
		srv.Close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	d := door{e: e, url: srv.URL, secret: e.NewSecret()}
	d.Client = d.as(t, d.secret)
	return d
}

// as returns a client with a key.
func (d door) as(t *testing.T, secret string) *client.Client {
	t.Helper()
	c, err := client.New(d.url, client.Options{Key: secret})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// H-21, over stdio: nothing but protocol on standard output, whether the data directory is opened or a server is named.
func TestMCP(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	for name, args := range map[string][]string{
		"data directory": {"--data", filepath.Join(t.TempDir(), "new"), "mcp"},
		"server":         {"--data", d.e.Config().Data, "--server", d.url, "mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, send := io.Pipe()
			receive, out := io.Pipe()
			var stderr strings.Builder
			ended := make(chan int, 1)
			go func() {
				ended <- cli.Main(context.WithoutCancel(t.Context()), cli.Process{Args: args, In: in, Out: out, Err: &stderr, Version: "test"})
				_ = out.Close()
			}()
			lines := bufio.NewScanner(receive)
			ask := func(request string) string {
				t.Helper()
				if _, err := io.WriteString(send, request+"\n"); err != nil {
					t.Fatal(err)
				}
				if !lines.Scan() {
					t.Fatalf("no answer: %v %s", lines.Err(), stderr.String())
				}
				var m map[string]any
				if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m["jsonrpc"] != "2.0" {
					t.Fatalf("not protocol: %q", lines.Text())
				}
				return lines.Text()
			}
			hello := ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			if !strings.Contains(hello, `"protocolVersion":"2025-06-18"`) {
				t.Error(hello)
			}
			if _, err := io.WriteString(send, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
				t.Fatal(err)
			}
			tools := ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
			for _, tool := range []string{"memory", "recall", "listProjects", "memory-graph", "whoAmI"} {
				if !strings.Contains(tools, `"name":"`+tool+`"`) {
					t.Errorf("no tool %s", tool)
				}
			}
			if got := ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory","arguments":{"content":"The cat is called Miso."}}}`); !strings.Contains(got, `"chunkCount":1`) {
				t.Error(got)
			}
			if got := ask(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"recall","arguments":{"query":"cat"}}}`); !strings.Contains(got, "called Miso") {
				t.Error(got)
			}
			if got := ask(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"whoAmI","arguments":{}}}`); !strings.Contains(got, "admin") {
				t.Error(got)
			}
			for id, tool := range map[string]string{"6": "listProjects", "7": "memory-graph"} {
				if got := ask(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`); !strings.Contains(got, "default") {
					t.Error(got)
				}
			}
			_ = send.Close()
			if code := <-ended; code != 0 {
				t.Errorf("exit code %d: %s", code, stderr.String())
			}
		})
	}
}

// Each error code comes back over the wire as what it was.
func TestClientKnowsEveryWireCode(t *testing.T) {
	t.Parallel()
	for _, m := range api.Meanings() {
		if got := client.CodeOfWire(m.Wire); got != m.Code {
			t.Errorf("%s is read as %q, it means %q", m.Wire, got, m.Code)
		}
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// The SDK against the real door: documents and searches.
func TestClientDocuments(t *testing.T) {
	t.Parallel()
	d, ctx := newDoor(t, func(c *config.Config) { c.MaxBody, c.MaxFile = 20<<20, 20<<20 }), t.Context()
	r := must[lukasa.Receipt](t)(d.Remember(ctx, lukasa.NewDocument{Content: "The cat is called Miso.", Container: "work.notes", Tags: []string{"a,b"}, Metadata: map[string]any{"n": 1.0}}))
	again := must[lukasa.Receipt](t)(d.Remember(ctx, lukasa.NewDocument{Content: "The cat is called Miso.", Container: "work.notes"}))
	if !again.Deduplicated || again.Document.ID != r.Document.ID {
		t.Errorf("saved twice: %+v", again)
	}
	id := r.Document.ID
	if doc := must[lukasa.Document](t)(d.Document(ctx, id)); doc.Content != "The cat is called Miso." || doc.Tags[0] != "a,b" || doc.Metadata["n"] != 1.0 {
		t.Errorf("got %+v", doc)
	}
	found := must[lukasa.Result](t)(d.Search(ctx, lukasa.Query{
		Text: "cat", Containers: []lukasa.Pattern{{Path: "work", Mode: '*'}}, Content: true,
		Filter: &lukasa.Filter{Field: "tags", Text: []string{"a,b"}},
	}))
	if len(found.Hits) != 1 || found.Hits[0].ContentFull == "" {
		t.Errorf("found %+v", found)
	}
	if none := must[lukasa.Result](t)(d.Search(ctx, lukasa.Query{Text: "cat", Containers: []lukasa.Pattern{{Path: "work", Mode: '!'}}})); len(none.Hits) != 0 {
		t.Errorf("found outside of the container: %+v", none.Hits)
	}
	big := []byte(strings.Repeat("All work and no play makes a dull page.\n", 200_000))
	up := must[lukasa.Receipt](t)(d.Remember(ctx, lukasa.NewDocument{Data: big, Name: "big.txt", Title: "Big", CustomID: "big", Metadata: map[string]any{"m": "x"}}))
	if up.Document.Title != "Big" || up.Document.Metadata["m"] != "x" || up.Document.CustomID != "big" {
		t.Errorf("uploaded %+v", up.Document)
	}
	rc := must[io.ReadCloser](t)(d.Content(ctx, up.Document.ID))
	if b := must[[]byte](t)(io.ReadAll(rc)); len(b) < len(big)-1 {
		t.Errorf("%d of %d bytes came back", len(b), len(big))
	}
	rc.Close()
	small := must[lukasa.Receipt](t)(d.Remember(ctx, lukasa.NewDocument{Data: []byte("# Small\n\nA file."), Name: "small.md", Origin: lukasa.OriginTool}))
	if cs := must[[]lukasa.Chunk](t)(d.Chunks(ctx, small.Document.ID)); len(cs) != 1 {
		t.Errorf("chunks %+v", cs)
	}
	title, tags := "Miso", []string{"c"}
	patched := must[lukasa.Document](t)(d.PatchDocument(ctx, id, lukasa.DocumentPatch{Title: &title, Tags: &tags, Metadata: map[string]any{"n": nil, "o": "p"}}))
	if patched.Title != title || patched.Metadata["o"] != "p" || patched.Metadata["n"] != nil {
		t.Errorf("patched %+v", patched)
	}
	receipts, errs := d.RememberAll(ctx, []lukasa.NewDocument{{Content: "one"}, {Content: " "}, {URL: "ftp://x/y"}})
	if errs[0] != nil || receipts[0].Document.ID == "" || lukasa.CodeOf(errs[1]) != lukasa.CodeInvalid || errs[2] == nil {
		t.Errorf("batch: %+v %v", receipts, errs)
	}
	l := must[lukasa.Listing[lukasa.Document]](t)(d.Documents(ctx, lukasa.DocumentFilter{Containers: []lukasa.Pattern{{Path: "work"}}, Tags: []string{"c"}}, lukasa.Page{Limit: 1}))
	if l.Total != 1 || l.Items[0].ID != id {
		t.Errorf("listed %+v", l)
	}
	if vs := must[[]lukasa.Document](t)(d.Versions(ctx, id)); len(vs) != 1 {
		t.Errorf("versions %+v", vs)
	}
	if rm := must[lukasa.Removal](t)(d.DeleteDocument(ctx, id)); rm.Documents != 1 {
		t.Errorf("removed %+v", rm)
	}
	_, err := d.Document(ctx, id)
	if lukasa.CodeOf(err) != lukasa.CodeNotFound || client.RequestID(err) != "req-1" {
		t.Errorf("after its deletion: %v", err)
	}
}

// The SDK against the real door: everything else.
func TestClientRecords(t *testing.T) {
	t.Parallel()
	d, ctx := newDoor(t, nil), t.Context()
	m := must[lukasa.Memory](t)(d.AddMemory(ctx, lukasa.NewMemory{Content: "tea without sugar", Kind: lukasa.KindPreference, Container: "home"}))
	half, latest := 0.5, true
	if got := must[lukasa.Memory](t)(d.PatchMemory(ctx, m.ID, lukasa.MemoryPatch{Confidence: &half})); got.Confidence != half {
		t.Errorf("patched %+v", got)
	}
	ms := must[lukasa.Listing[lukasa.Memory]](t)(d.Memories(ctx, lukasa.MemoryFilter{
		Kinds: []lukasa.MemoryKind{lukasa.KindPreference}, Latest: &latest,
		Containers: []lukasa.Pattern{{Path: "home"}},
	}, lukasa.Page{Limit: 5}))
	if ms.Total != 1 || must[lukasa.Memory](t)(d.Memory(ctx, m.ID)).Content != m.Content {
		t.Errorf("memories %+v", ms)
	}
	c, results, err := d.Append(ctx, lukasa.Append{Container: "home", Conversation: "talk", Messages: []lukasa.NewMessage{{ExternalID: "1", Speaker: "Ann", Content: "hello"}, {Content: "hi"}}})
	if err != nil || len(results) != 2 || results[0].Status != "logged" {
		t.Fatalf("append: %+v %v", results, err)
	}
	if got := must[lukasa.Conversation](t)(d.Conversation(ctx, c.ID)); got.Messages != 2 {
		t.Errorf("conversation %+v", got)
	}
	if got := must[lukasa.Listing[lukasa.Message]](t)(d.Messages(ctx, c.ID, lukasa.Page{})); len(got.Items) != 2 || got.Items[0].Speaker != "Ann" {
		t.Errorf("messages %+v", got)
	}
	if got := must[lukasa.Listing[lukasa.Conversation]](t)(d.Conversations(ctx, nil, lukasa.Page{})); got.Total != 1 {
		t.Errorf("conversations %+v", got)
	}
	n := must[lukasa.Node](t)(d.CreateNode(ctx, lukasa.NewNode{Path: "a.b", Description: "x"}))
	if _, err := d.CreateNode(ctx, lukasa.NewNode{Path: "a.b"}); lukasa.CodeOf(err) != lukasa.CodeConflict {
		t.Errorf("made twice: %v", err)
	}
	if got := must[lukasa.Node](t)(d.Node(ctx, "a.b")); got.ID != n.ID {
		t.Errorf("node %+v", got)
	}
	if ns := must[[]lukasa.Node](t)(d.Nodes(ctx, []lukasa.Pattern{{Path: "a"}})); len(ns) != 2 {
		t.Errorf("nodes %+v", ns)
	}
	if g := must[client.Graph](t)(d.Graph(ctx, nil, 10, true)); len(g.Vertices) == 0 {
		t.Errorf("graph %+v", g)
	}
	if s := must[lukasa.Stats](t)(d.Stats(ctx)); s.Memories != 1 || s.Messages != 2 {
		t.Errorf("stats %+v", s)
	}
	if h := must[client.Health](t)(d.Health(ctx)); h.Status != "ok" || h.Checks["store"].Status != "ok" {
		t.Errorf("health %+v", h)
	}
	if found := must[[]string](t)(d.Doctor(ctx, false)); len(found) != 0 {
		t.Errorf("doctor %v", found)
	}
	var out strings.Builder
	if err := d.Export(ctx, nil, &out); err != nil {
		t.Fatal(err)
	}
	other := newDoor(t, nil)
	if p := must[client.Imported](t)(other.Import(ctx, strings.NewReader(out.String()))); p.Memories != 1 || p.Messages != 2 {
		t.Errorf("imported %+v", p)
	}
	if rm := must[lukasa.Removal](t)(d.DeleteMemory(ctx, m.ID)); rm.Memories != 1 {
		t.Errorf("removed %+v", rm)
	}
	if rm := must[lukasa.Removal](t)(d.DeleteNode(ctx, n.ID)); rm.Nodes != 1 {
		t.Errorf("removed %+v", rm)
	}
}

// The SDK against the real door: users and keys, and the limit of a key, which the client waits for. H-27, T-12
func TestClientAccounts(t *testing.T) {
	t.Parallel()
	d, ctx := newDoor(t, func(c *config.Config) { c.RateLimit, c.RateBurst = 600, 2 }), t.Context()
	u := must[lukasa.User](t)(d.CreateUser(ctx, lukasa.User{Name: "Ada", Email: "a@example.com", Role: lukasa.RoleUser}))
	k, secret, err := d.CreateKey(ctx, lukasa.Key{User: u.ID, Name: "hers", Root: "work", ReadOnly: true})
	if err != nil || secret == "" || k.User != u.ID || k.Root != "work" || !k.ReadOnly {
		t.Fatalf("key %+v, %v", k, err)
	}
	hers := d.as(t, secret)
	who, key, err := hers.WhoAmI(ctx)
	if err != nil || who.ID != u.ID || key.ID != k.ID {
		t.Errorf("who am I: %+v %+v %v", who, key, err)
	}
	if _, err := hers.Remember(ctx, lukasa.NewDocument{Content: "x"}); lukasa.CodeOf(err) != lukasa.CodeForbidden {
		t.Errorf("wrote with a key that may read: %v", err)
	}
	for range 4 { // past the burst: Retry-After is a second
		if _, err := hers.Stats(ctx); err != nil {
			t.Fatalf("the client did not wait: %v", err)
		}
	}
	if ks := must[[]lukasa.Key](t)(d.Keys(ctx, true)); len(ks) != 2 {
		t.Errorf("keys %+v", ks)
	}
	if got := must[lukasa.Key](t)(d.RevokeKey(ctx, k.ID)); got.RevokedAt == nil {
		t.Errorf("revoked %+v", got)
	}
	if _, err := hers.Stats(ctx); lukasa.CodeOf(err) != lukasa.CodeUnauthenticated {
		t.Errorf("with a key that was revoked: %v", err)
	}
	if us := must[[]lukasa.User](t)(d.Users(ctx)); len(us) != 2 {
		t.Errorf("users %+v", us)
	}
	must[lukasa.Removal](t)(d.DeleteUser(ctx, u.ID))
	if us := must[[]lukasa.User](t)(d.Users(ctx)); len(us) != 1 {
		t.Errorf("users %+v", us)
	}
}

// Events are followed as they come, narrowed to a kind and a container; a data directory without a server has none to tell.
func TestEvents(t *testing.T) {
	t.Parallel()
	d := newDoor(t, nil)
	type line struct {
		Type   string `json:"type"`
		Path   string `json:"container"`
		Record string `json:"record_id"`
	}
	follow := func(args ...string) (code int, out, err string) {
		var stdout, stderr strings.Builder
		ended := make(chan int, 1)
		go func() {
			ended <- cli.Main(t.Context(), cli.Process{
				Args: append([]string{"--data", d.e.Config().Data, "--server", d.url, "events"}, args...), Env: []string{"LUKASA_API_KEY=" + d.secret},
				In: strings.NewReader(""), Out: &stdout, Err: &stderr, Version: "test",
			})
		}()
		for n := 0; ; n++ { // until it has heard enough: what happens before it listens is not told
			if _, err := d.AddMemory(t.Context(), lukasa.NewMemory{Content: fmt.Sprint("There are so many boats in the harbour: ", n), Container: []string{"work", "home"}[n%2]}); err != nil {
				t.Fatal(err)
			}
			select {
			case code = <-ended:
				return code, stdout.String(), stderr.String()
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	code, out, errs := follow("--json", "--type", "memory", "-c", "work", "-n", "2")
	if code != 0 || !strings.Contains(errs, "following "+d.url) {
		t.Errorf("exit code %d: %s", code, errs)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 {
		t.Fatalf("got %q", out)
	}
	for _, l := range lines {
		var ev line
		if err := json.Unmarshal([]byte(l), &ev); err != nil || ev.Type != "memory.created" || ev.Path != "work" || !strings.HasPrefix(ev.Record, "mem_") {
			t.Errorf("%s: %+v %v", l, ev, err)
		}
	}
	code, out, _ = follow("--type", "memory.created", "-n", "1")
	if code != 0 || !regexp.MustCompile(`^\d\d:\d\d:\d\d  memory\.created +mem_[a-z0-9]{26}  (work|home)`).MatchString(out) {
		t.Errorf("exit code %d: %q", code, out)
	}
	for want, args := range map[int][]string{2: {"--type", "memory.creatd"}, 5: {"--type", "memory"}} {
		var stderr strings.Builder
		p := cli.Process{Args: append([]string{"--data", t.TempDir(), "events"}, args...), In: strings.NewReader(""), Out: io.Discard, Err: &stderr, Version: "test"}
		if got := cli.Main(t.Context(), p); got != want {
			t.Errorf("%v: exit code %d, want %d: %s", args, got, want, stderr.String())
		}
	}
}
