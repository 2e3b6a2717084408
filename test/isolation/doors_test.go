package isolation

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/cli"
)

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) ok() bool { return a.status < 300 }

// ask sends a request through one of the two doors.
func (w *world) ask(c *caller, q request, door int) (a answer) {
	method, target := q.method, q.target
	req, err := http.NewRequest(method, "http://127.0.0.1"+target, bytes.NewReader(q.body))
	if err != nil {
		return answer{status: http.StatusBadRequest}
	}
	req.RemoteAddr, req.RequestURI = "192.0.2.1:1234", target
	for k, v := range q.header {
		req.Header.Set(k, v)
	}
	req.Header.Set("Authorization", "Bearer "+c.secret)
	req.Header.Set("X-Request-Id", "request")
	if q.op.tool {
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	rec := httptest.NewRecorder()
	defer func() {
		if p := recover(); p != nil {
			if p != http.ErrAbortHandler { //nolint:errorlint // a panic value, not an error
				panic(p)
			}
			a = answer{status: 599, header: rec.Header(), body: rec.Body.Bytes()}
		}
	}()
	w.doors[door].ServeHTTP(rec, req)
	return answer{status: rec.Code, header: rec.Header(), body: rec.Body.Bytes()}
}

// tools are the tools and resources of the MCP server, as it lists them.
func (w *world) tools(c *caller) []operation {
	status, data := w.plain(c, "POST", "/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": map[string]any{}})
	var l struct {
		Result struct {
			Tools []struct {
				Name        string `json:"name"`
				Input       schema `json:"inputSchema"`
				Annotations struct {
					ReadOnly bool `json:"readOnlyHint"`
				} `json:"annotations"`
			} `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal(data, &l); err != nil || len(l.Result.Tools) == 0 {
		w.t.Fatalf("list tools: status %d: %s", status, data)
	}
	ops := []operation{{id: "resources/read", method: "POST", path: "/mcp", tool: true, reads: true, body: &schema{Type: "object", Properties: map[string]schema{"uri": {Type: "string"}}, Required: []string{"uri"}}}}
	for _, t := range l.Result.Tools {
		s := t.Input
		ops = append(ops, operation{id: t.Name, method: "POST", path: "/mcp", body: &s, tool: true, reads: t.Annotations.ReadOnly})
	}
	return ops
}

// call wraps arguments as a call of a tool.
func (g *gen) call() request {
	v, _ := g.value("", *g.op.body, 0)
	msg := map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": g.op.id, "arguments": v}}
	if g.op.id == "resources/read" {
		msg["method"], msg["params"] = g.op.id, v
	}
	body, _ := json.Marshal(msg)
	return request{op: g.op, method: "POST", target: "/mcp", body: body, header: map[string]string{"Content-Type": "application/json"}}
}

// commands makes a command line.
func (g *gen) command() []string {
	id := func(kinds ...string) string { return g.id(kinds...) }
	list := [][]string{
		{"search", g.query()},
		{"search", g.query(), "--container", g.place()},
		{"list"},
		{"list", "memories"},
		{"list", "conversations"},
		{"list", "containers"},
		{"list", "documents", "--container", g.place()},
		{"show", id("doc")},
		{"show", id("mem")},
		{"show", id("doc")},
		{"brief", g.query()},
		{"profile"},
		{"graph"},
		{"entity", title(g.query() + "?")},
		{"status"},
		{"key", "list"},
		{"user", "list"},
		{"node", "show", g.place()},
		{"node", "tree"},
		{"export"},
		{"trash"},
		{"trash", "list"},
		{"receipts"},
		{"audit"},
		{"edit", id("doc"), "--title", title(g.word())},
		{"add", "--text", g.text(), "--container", g.place()},
		{"forget", id("doc", "mem"), "--yes"},
	}
	args := pick(g.Rand, list)
	if g.chance(50) {
		args = append(args, "--json")
	}
	return args
}

// run runs a command against a server.
func (w *world) run(c *caller, args []string, door int) (int, []byte) {
	var out bytes.Buffer
	code := cli.Main(context.Background(), cli.Process{
		Args: append(slices.Clone(args), "--server", w.servers[door].URL), In: &bytes.Buffer{}, Out: &out, Err: &out,
		Env: []string{"HOME=" + w.home, "LUKASA_DATA=" + w.home + "/none", "LUKASA_API_KEY=" + c.secret},
	})
	return code, out.Bytes()
}

// listen reads everybody's news until the world ends.
func (w *world) listen(t *testing.T, r *rand.Rand) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for _, c := range w.model.callers {
		if c.state.Load() != alive {
			continue
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.servers[r.IntN(2)].URL+"/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+c.secret)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			defer resp.Body.Close()
			for s := bufio.NewScanner(resp.Body); s.Scan(); {
				w.heard(c, s.Bytes())
			}
		})
	}
	return func() { cancel(); all.Wait() }
}

// heard checks one line of a stream of events.
func (w *world) heard(c *caller, text []byte) {
	data, ok := bytes.CutPrefix(text, []byte("data: "))
	if !ok {
		return
	}
	var ev struct {
		Container string `json:"container"`
		Type      string `json:"type"`
	}
	if err := json.Unmarshal(data, &ev); err != nil {
		w.book.fault(w, "oddity: event", fmt.Sprintf("not JSON: %s", data))
	}
	w.model.mu.RLock()
	sees := c.sees(ev.Container) || c.subject != "" && c.owner.shifts.Load() > 0
	w.model.mu.RUnlock()
	if !sees {
		w.book.fault(w, "leak: event", fmt.Sprintf("%s hears of %q: %s", c.name, ev.Container, data))
	}
	w.book.event(ev.Type)
	w.inspect(c, operation{id: "events " + ev.Type, method: "GET"}, nil, data, "")
}

// journal keeps the last calls.
type journal struct {
	mu   sync.Mutex
	last []string
}

func (j *journal) note(s string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.last = append(j.last, s); len(j.last) > 400 {
		j.last = j.last[200:]
	}
}

// about returns the calls that named one of the words.
func (j *journal) about(words ...string) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []string
	for _, s := range j.last {
		if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s, word) }) {
			out = append(out, s)
		}
	}
	return out[max(0, len(out)-8):]
}

// book is what all worlds of a run have come to.
type book struct {
	mu     sync.Mutex
	calls  int
	ops    map[string]*[6]int // by hundreds of the status
	events map[string]int
	checks map[string]int
	faults map[string][]string // kind of fault → what was seen
	count  map[string]int
	time   map[string]time.Duration
}

func newBook() *book {
	return &book{ops: map[string]*[6]int{}, events: map[string]int{}, checks: map[string]int{}, faults: map[string][]string{}, count: map[string]int{}, time: map[string]time.Duration{}}
}

func (b *book) called(op string, status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ops[op] == nil {
		b.ops[op] = &[6]int{}
	}
	b.ops[op][min(5, status/100)]++
	b.calls++
}

func (b *book) took(op string, d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.time[op] += d
}

func (b *book) event(typ string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events[typ]++
}

func (b *book) check(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.checks[what]++
}

// fault writes down what must not be. The first three of a kind are kept.
func (b *book) fault(w *world, kind, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count[kind]++
	if b.count[kind] == 1 && testing.Verbose() { // at once, as a long run tells its list at the end only
		fmt.Fprintf(os.Stderr, "%s: seed %d: %s\n", kind, w.seed, what)
	}
	if len(b.faults[kind]) < 3 {
		b.faults[kind] = append(b.faults[kind], fmt.Sprintf("seed %d: %s", w.seed, what))
	}
}

func (b *book) report(t *testing.T, long bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var s strings.Builder
	fmt.Fprintf(&s, "%-28s %7s %7s %7s %7s\n", "operation", "2xx", "4xx", "5xx", "ms")
	for _, op := range slices.Sorted(maps.Keys(b.ops)) {
		n := b.ops[op]
		fmt.Fprintf(&s, "%-28s %7d %7d %7d %7.1f\n", op, n[2], n[4], n[5], b.time[op].Seconds()*1000/float64(max(1, n[2]+n[4]+n[5])))
		if long && n[2] == 0 {
			t.Errorf("%s never succeeded in %d calls: the fuzzer does not reach it", op, n[4]+n[5])
		}
	}
	t.Logf("%d calls\n%schecks: %v\nevents: %v", b.calls, s.String(), b.checks, b.events)
	for _, kind := range slices.Sorted(maps.Keys(b.faults)) {
		t.Errorf("%s (%d times)\n\t%s", kind, b.count[kind], strings.Join(b.faults[kind], "\n\t"))
	}
}
