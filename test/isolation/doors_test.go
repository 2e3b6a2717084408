package isolation

import (
	"bufio"
	"bytes"
	"cmp"
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

// ask sends a request through one of the doors.
func (w *world) ask(c *caller, q request, door int) (a answer) {
	if door == piped {
		return w.pipe(c, q)
	}
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

// command makes a command line; writes tells whether it changes something.
func (g *gen) command() (args []string, writes bool) {
	id := func(kinds ...string) string { return g.id(kinds...) }
	list := [][]string{
		{"search", g.query()},
		{"search", g.query(), "--container", g.place()},
		{"list"},
		{"list", "memories"},
		{"list", "conversations"},
		{"list", "recall-files"},
		{"list", "containers"},
		{"list", "documents", "--container", g.place()},
		{"show", id("doc")},
		{"show", id("mem")},
		{"show", id("node")},
		{"show", g.place()},
		{"history", id("doc", "mem", "node")},
		{"diff", id("doc", "mem")},
		{"diff", id("doc"), id("doc")},
		{"brief", g.query()},
		{"profile"},
		{"profile", g.place()},
		{"graph"},
		{"entity", title(g.query() + "?")},
		{"status"},
		{"doctor"},
		{"key", "list"},
		{"user", "list"},
		{"node", "show", g.place()},
		{"node", "tree"},
		{"export", "-"},
		{"trash"},
		{"trash", "list"},
		{"receipts"},
		{"files"},
		{"files", id("file")},
		{"grants"},
		{"audit"},
		g.members(),
	}
	if g.op.reads {
		args = pick(g.Rand, list)
	} else {
		args, writes = pick(g.Rand, [][]string{
			{"edit", id("doc"), "--title", title(g.word())},
			{"add", "--text", g.text(), "--container", g.place()},
			{"forget", id("doc", "mem"), "--yes"},
			{"correct", id("mem"), g.text()},
			{"restore", cmp.Or(oneOf(g.Rand, g.w.model, g.c, g.w.model.buried), id("doc", "mem"))},
			{"undo", id("delta")},
			{"end", id("conv")},
			{"node", "make", g.place()},
			{"chat", g.text()},
		}), true
	}
	if g.chance(50) {
		args = append(args, "--json")
	}
	return args, writes
}

// moving are the commands that may move what is there from one place to another.
var moving = map[string]bool{"restore": true, "undo": true}

// run runs a command against a server.
func (w *world) run(c *caller, args []string, in string, door int) (int, []byte) {
	var out, errs bytes.Buffer
	code := cli.Main(context.Background(), cli.Process{
		Args: append(slices.Clone(args), "--server", w.servers[door].URL), In: strings.NewReader(in), Out: &out, Err: &errs,
		Env: []string{"HOME=" + w.home, "LUKASA_DATA=" + w.home + "/none", "LUKASA_API_KEY=" + c.secret},
	})
	return code, append(out.Bytes(), errs.Bytes()...)
}

// through is the name of the door that a request goes through.
func (q request) through(door int) string {
	switch {
	case door == piped:
		return "MCP over stdio"
	case q.op.tool:
		return "MCP over HTTP"
	case strings.HasPrefix(q.target, "/v3"):
		return "/v3"
	}
	return "/v1"
}

// doorways are all doors.
var doorways = []string{"/v1", "/v3", "MCP over HTTP", "MCP over stdio", "command line"}

func anyDoor(r *rand.Rand, q request) int {
	if q.op.tool && r.IntN(8) == 0 {
		return piped
	}
	return r.IntN(2)
}

// piped is the door of tools that are called over standard input and output.
const piped = 2

// pipe calls a tool as an assistant does that has started `lukasa mcp` for a server: the process lives for one call.
func (w *world) pipe(c *caller, q request) answer {
	in := `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` +
		"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + string(q.body) + "\n"
	code, out := w.run(c, []string{"mcp"}, in, len(q.body)%2)
	a := answer{status: http.StatusBadGateway, body: out}
	for line := range bytes.Lines(out) {
		var l struct{ ID any }
		switch {
		case json.Unmarshal(line, &l) != nil || l.ID != 1.0:
		case bytes.Contains(line, []byte("send a valid key")),
			c.state.Load() == dead && (bytes.Contains(line, []byte(`"isError":true`)) || bytes.Contains(line, []byte(`"error":{`))): // the call was wrong before anybody asked for a key
			a.status = http.StatusUnauthorized
		default:
			a.status = http.StatusOK
		}
	}
	if code != 0 {
		a.status = http.StatusInternalServerError
	}
	w.book.check("piped")
	return a
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
		Container string    `json:"container"`
		Type      string    `json:"type"`
		At        time.Time `json:"at"`
	}
	if err := json.Unmarshal(data, &ev); err != nil {
		w.book.fault(w, "oddity: event", fmt.Sprintf("not JSON: %s", data))
	}
	w.model.mu.RLock()
	sees := c.sees(ev.Container) || c.root != "" && c.owner.shifts.Load() > 0 || c.bound() && covers(c.formerly, ev.Container)
	w.model.mu.RUnlock()
	if !sees {
		w.book.fault(w, "leak: event", fmt.Sprintf("%s hears of %q: %s", c.name, ev.Container, data))
	}
	if died := c.died.Load(); died > 0 && ev.At.UnixNano() > died+int64(5*time.Second) {
		w.book.fault(w, "leak: event for a dead key", fmt.Sprintf("%s, which ended at %s, hears: %s", c.name, time.Unix(0, died).UTC(), data))
	}
	w.book.event(ev.Type)
	if c.owner.gone.Load() {
		return // it happened before the organisation was deleted, as was just seen
	}
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
	doors  map[string]int     // calls
	ops    map[string]*[6]int // by hundreds of the status
	alike  map[string]int     // operation → how often what is hidden was compared with what is not there
	events map[string]int
	checks map[string]int
	faults map[string][]string // kind of fault → what was seen
	count  map[string]int
	time   map[string]time.Duration
}

func newBook() *book {
	return &book{doors: map[string]int{}, alike: map[string]int{}, ops: map[string]*[6]int{}, events: map[string]int{}, checks: map[string]int{}, faults: map[string][]string{}, count: map[string]int{}, time: map[string]time.Duration{}}
}

func (b *book) called(door, op string, status int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ops[op] == nil {
		b.ops[op] = &[6]int{}
	}
	b.ops[op][min(5, status/100)]++
	b.calls++
	b.doors[door]++
}

// expect names an operation that a long run must come across.
func (b *book) expect(op operation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ops[op.id] == nil {
		b.ops[op.id] = &[6]int{}
	}
	if _, ok := b.alike[op.id]; !ok && strings.Contains(op.path, "{id}") {
		b.alike[op.id] = 0
	}
}

func (b *book) compare(op string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.alike[op]++
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

// so is how many calls were made so far, and how many kinds of fault were seen.
func (b *book) so() (calls, kinds int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls, len(b.faults)
}

// report prints the book. After some thousands of calls every operation must have been called, after some more with success.
func (b *book) report(t *testing.T, calls int) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	var s strings.Builder
	fmt.Fprintf(&s, "%-28s %7s %7s %7s %7s\n", "operation", "2xx", "4xx", "5xx", "ms")
	for _, op := range slices.Sorted(maps.Keys(b.ops)) {
		n := b.ops[op]
		fmt.Fprintf(&s, "%-28s %7d %7d %7d %7.1f\n", op, n[2], n[4], n[5], b.time[op].Seconds()*1000/float64(max(1, n[2]+n[4]+n[5])))
		if calls >= 50000 && n[2] == 0 {
			t.Errorf("%s never succeeded in %d calls: the fuzzer does not reach it", op, n[4]+n[5])
		}
		if times, ok := b.alike[op]; ok && calls >= 100000 && times == 0 {
			t.Errorf("%s: an id that is hidden was never compared with one that is not there", op)
		}
	}
	for _, door := range doorways {
		if calls >= 2000 && b.doors[door] == 0 {
			t.Errorf("nobody came through the door %s", door)
		}
	}
	t.Logf("%d calls\n%sdoors: %v\nchecks: %v\nalike: %v\nevents: %v", b.calls, s.String(), b.doors, b.checks, b.alike, b.events)
	for _, kind := range slices.Sorted(maps.Keys(b.faults)) {
		t.Errorf("%s (%d times)\n\t%s", kind, b.count[kind], strings.Join(b.faults[kind], "\n\t"))
	}
}
