// Package parity plays one table of requests against two servers that keep what they know in different places, and holds what they
// answer against each other: rows in a file, and rows in PostgreSQL with Redis and S3 where they are.
//
// Both have the same clock and the same dice, and both look in the index of the process, so that scores are the same to the last
// digit. Ids are compared by the order in which they turn up.
package parity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
	"github.com/lukasa-memory/lukasa/internal/mcp"
)

type obj = map[string]any

// clock stands still until it is set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// dice are what ids and keys are made of: alike on both sides, so that what has come in the same moment stands in the same order.
type dice struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func (d *dice) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.r.Read(p)
}

// A side is one of the two servers, with what it has been told so far.
type side struct {
	t     *testing.T
	name  string
	e     *engine.Engine
	h     http.Handler
	vars  map[string]string // what steps have kept
	names map[string]string // id → how it is called in comparisons
	count map[string]int
	admin string
}

func newSide(t *testing.T, name string, c *clock, change func(*config.Config)) *side {
	t.Helper()
	cfg := enginetest.Config(t)
	change(&cfg)
	cfg.InlineBytes = 20_000 // what is larger goes on in the background
	enginetest.NewModel(t, func(int, enginetest.Asked) enginetest.Said { return enginetest.Said{Text: "Noted, thank you."} }).Use(&cfg)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	e, _, _ := enginetest.Open(t, cfg, engine.Options{Now: c.Now, Log: quiet, Rand: &dice{r: rand.NewChaCha8([32]byte{1})}})
	n := 0
	h := api.New(e, api.Options{
		Version: "test", Log: quiet, Timeout: 5 * time.Minute, MaxBody: cfg.MaxBody, Mint: func() string { n++; return fmt.Sprint("req-", n) },
		MCP: mcp.Handler(e, "test", quiet, api.ScopeOf),
	})
	return &side{t: t, name: name, e: e, h: h, vars: map[string]string{}, names: map[string]string{}, count: map[string]int{}, admin: cfg.APIKey}
}

// A step is one request, made of both sides. What stands in braces is what an earlier step has kept.
type step struct {
	method string
	path   string
	body   any    // nil, a string as it is, or what is written as JSON
	status int    // 0: whatever both answer
	keep   string // name=path.of.member, several apart by spaces
	as     string // whose key; "" is the admin's, "-" none
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

var variable = regexp.MustCompile(`\{[a-z][a-z0-9_]*\}`)

func (s *side) fill(text string) string {
	return variable.ReplaceAllStringFunc(text, func(v string) string {
		if x, ok := s.vars[v[1:len(v)-1]]; ok {
			return x
		}
		return v
	})
}

func (s *side) ask(p step) answer {
	var r io.Reader
	typ := "application/json"
	switch b := p.body.(type) {
	case nil:
	case string:
		r = strings.NewReader(s.fill(b))
	case form:
		r, typ = strings.NewReader(string(b)), "multipart/form-data; boundary=parity"
	default:
		data, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		r = strings.NewReader(s.fill(string(data)))
	}
	req := httptest.NewRequest(p.method, strings.ReplaceAll(s.fill(p.path), " ", "%20"), r)
	req.Host = "127.0.0.1"
	switch p.as {
	case "-":
	case "":
		req.Header.Set("Authorization", "Bearer "+s.admin)
	default:
		req.Header.Set("Authorization", "Bearer "+s.fill("{"+p.as+"}"))
	}
	if r != nil {
		req.Header.Set("Content-Type", typ)
	}
	rec := httptest.NewRecorder()
	s.h.ServeHTTP(rec, req)
	return answer{rec.Code, rec.Header(), rec.Body.Bytes()}
}

// keep takes values out of an answer.
func (s *side) keep(p step, a answer) {
	var v any
	_ = json.Unmarshal(a.body, &v)
	for k := range strings.FieldsSeq(p.keep) {
		name, path, _ := strings.Cut(k, "=")
		at := v
		for part := range strings.SplitSeq(path, ".") {
			switch x := at.(type) {
			case obj:
				at = x[part]
			case []any:
				var i int
				if _, err := fmt.Sscan(part, &i); err == nil && i < len(x) {
					at = x[i]
				} else {
					at = nil
				}
			}
		}
		text, ok := at.(string)
		if !ok || text == "" {
			s.t.Errorf("%s: %s %s: nothing at %s in %.900s", s.name, p.method, p.path, path, a.body)
		}
		s.vars[name] = text
	}
}

var (
	idShape = regexp.MustCompile(`\b([a-z]{2,6})_[0-9a-hjkmnp-tv-z]{26}\b`)
	secret  = regexp.MustCompile(`sk_[A-Za-z0-9_]{4,}…?`)
	fence   = regexp.MustCompile(`tag=\\"[A-Za-z0-9_-]+\\"| ~[0-9]{9}\b`)
	cursor  = regexp.MustCompile(`"next_cursor":"[^"]+"`)
)

// fleeting are members that differ from call to call on one and the same server, the list of what it is made of, and
// the tokens of a text that is fenced in with random marks.
func fleeting(name string) bool {
	return strings.HasSuffix(name, "_ms") || name == "uptime_seconds" || name == "checks" || name == "tokens" || name == "memory_tokens"
}

func still(v any) any {
	switch x := v.(type) {
	case obj:
		for k := range x {
			switch scrub, _ := x[k].(obj); {
			case fleeting(k):
				x[k] = "…"
			case k == "scrub": // how much was looked through differs, what came of it does not
				x[k] = scrub["state"]
			default:
				x[k] = still(x[k])
			}
		}
	case []any:
		for i := range x {
			x[i] = still(x[i])
		}
	}
	return v
}

// plain is an answer as it is compared: status, headers and body, ids by the order in which they turn up.
func (s *side) plain(a answer) string {
	var b strings.Builder
	fmt.Fprintln(&b, a.status)
	for _, k := range slices.Sorted(maps.Keys(a.header)) {
		if k != "Content-Length" && k != "Date" {
			fmt.Fprintf(&b, "%s: %s\n", k, strings.Join(a.header[k], ", "))
		}
	}
	for line := range bytes.Lines(a.body) { // an export is lines of JSON
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil {
			line, _ = json.Marshal(still(v))
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	text := idShape.ReplaceAllStringFunc(b.String(), func(id string) string {
		kind, _, _ := strings.Cut(id, "_")
		if s.names[id] == "" {
			s.count[kind]++
			s.names[id] = fmt.Sprintf("%s#%d", kind, s.count[kind])
		}
		return s.names[id]
	})
	text = fence.ReplaceAllString(secret.ReplaceAllString(text, "SECRET"), "FENCE")
	return cursor.ReplaceAllString(text, `"next_cursor":"CURSOR"`)
}

// pair are the two sides.
type pair struct {
	t     *testing.T
	clock *clock
	sides [2]*side
	ops   []operation
	seen  map[string][2]int // operation → answers that were good, and that were errors
	wrong int
}

// play asks both sides the same and compares.
func (p *pair) play(x step) (answers [2]answer) {
	p.t.Helper()
	p.clock.advance(time.Second)
	var text [2]string
	for i, s := range p.sides {
		answers[i] = s.ask(x)
		text[i] = s.plain(answers[i])
	}
	what := fmt.Sprintf("%s %s %v as %q", x.method, x.path, x.body, x.as)
	if len(what) > 300 {
		what = what[:300] + "…"
	}
	if text[0] != text[1] {
		if p.wrong++; p.wrong <= 20 {
			p.t.Errorf("%s: the two differ\n%s", what, difference(text[0], text[1]))
		}
	}
	if got := answers[0].status; x.status != 0 && got != x.status {
		p.t.Errorf("%s: status %d, want %d: %.400s", what, got, x.status, answers[0].body)
	}
	if got := answers[0].status; got >= 500 {
		p.t.Errorf("%s: status %d: %.400s", what, got, answers[0].body)
	}
	path, _, _ := strings.Cut(x.path, "?")
	for _, op := range p.ops {
		if op.method == x.method && op.matches(path) {
			n := p.seen[op.id]
			if answers[0].status < 400 {
				n[0]++
			} else {
				n[1]++
			}
			p.seen[op.id] = n
			break
		}
	}
	for i, s := range p.sides {
		if answers[i].status < 400 {
			s.keep(x, answers[i])
		}
		if x.method != http.MethodGet {
			if err := s.e.Drain(p.t.Context()); err != nil {
				p.t.Fatalf("%s: drain: %v", s.name, err)
			}
		}
	}
	return answers
}

// difference shows the first line that differs, from a little before the place.
func difference(a, b string) string {
	one, two := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(one), len(two)) {
		if one[i] == two[i] {
			continue
		}
		k := 0
		for k < min(len(one[i]), len(two[i])) && one[i][k] == two[i][k] {
			k++
		}
		k = max(0, k-200)
		return fmt.Sprintf("\tfile:       %.500s\n\tPostgreSQL: %.500s", one[i][k:], two[i][k:])
	}
	return fmt.Sprintf("\tfile: %d lines\n\tPostgreSQL: %d lines\n%.600s\n%.600s", len(one), len(two), a, b)
}

// pages turns a list to its end, two at a time, each side with its own cursors, and returns how many pages there are.
func (p *pair) pages(x step) int {
	p.t.Helper()
	join := "?"
	if strings.Contains(x.path, "?") {
		join = "&"
	}
	x.path += join + "limit=2"
	path := x.path
	for n := 1; n < 200; n++ {
		answers := p.play(x)
		var next [2]string
		for i, a := range answers {
			var l struct {
				Next string `json:"next_cursor"`
			}
			_ = json.Unmarshal(a.body, &l)
			next[i] = l.Next
			p.sides[i].vars["cursor"] = l.Next
		}
		if next[0] == "" || next[1] == "" {
			return n
		}
		x.path = path + "&cursor={cursor}"
	}
	p.t.Errorf("%s has no end", path)
	return 0
}

// An operation is a route of the description.
type operation struct {
	method, path, id string
	params           []string // in the query
	body             bool
}

func (o operation) matches(path string) bool {
	a, b := strings.Split(o.path, "/"), strings.Split(path, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !strings.HasPrefix(a[i], "{") && a[i] != b[i] {
			return false
		}
	}
	return true
}

// describe reads the operations of /v1 out of the description; those whose path has fewer blanks come first.
func describe(t *testing.T, doc []byte) []operation {
	t.Helper()
	var d struct {
		Paths map[string]map[string]struct {
			ID     string `json:"operationId"`
			Params []struct{ Name, In string }
			Body   *struct{} `json:"requestBody"`
		}
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		t.Fatal(err)
	}
	var ops []operation
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			o := d.Paths[path][method]
			if slices.Contains([]string{"events", "mcp", "import", "metrics", "greet"}, o.ID) {
				continue // they do not answer with records
			}
			op := operation{method: strings.ToUpper(method), path: path, id: o.ID, body: o.Body != nil}
			for _, q := range o.Params {
				if q.In == "query" {
					op.params = append(op.params, q.Name)
				}
			}
			ops = append(ops, op)
		}
	}
	slices.SortStableFunc(ops, func(a, b operation) int { return strings.Count(a.path, "{") - strings.Count(b.path, "{") })
	return ops
}

// D-13, M-3: what /v1 answers does not hang on where the rows, the files and the cache are.
func TestParity(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Now().Truncate(time.Second)}
	p := &pair{t: t, clock: c, seen: map[string][2]int{}}
	p.sides[1] = newSide(t, "PostgreSQL", c, func(cfg *config.Config) {
		enginetest.Postgres(t, cfg)
		cfg.StoreConns = 2 // each plans the statements for itself, and that is what takes time
		if os.Getenv("LUKASA_TEST_REDIS") != "" {
			enginetest.Redis(t, cfg)
		}
		if os.Getenv("LUKASA_TEST_S3") != "" {
			enginetest.S3(t, cfg)
		}
	})
	p.sides[0] = newSide(t, "file", c, func(*config.Config) {})
	for _, s := range p.sides {
		p.ops = describe(t, s.ask(step{method: "GET", path: "/openapi.json"}).body)
	}
	for _, x := range story() {
		switch x.method {
		case "PAGES":
			x.method = "GET"
			if n := p.pages(x); n < 2 {
				t.Errorf("%s has one page", x.path)
			}
		case "NOW":
			for _, s := range p.sides {
				s.vars[x.path] = c.Now().UTC().Format(time.RFC3339)
			}
			c.advance(time.Hour)
		default:
			p.play(x)
		}
	}
	p.mistakes()
	for _, op := range p.ops {
		n := p.seen[op.id]
		if n[0] == 0 && !strings.HasPrefix(op.path, "/v3") {
			t.Errorf("%s %s (%s) was never asked with success", op.method, op.path, op.id)
		}
		if n[1] == 0 && !open[op.id] && !strings.HasPrefix(op.path, "/v3") {
			t.Errorf("%s %s (%s) was never asked with an error", op.method, op.path, op.id)
		}
	}
	if p.wrong > 20 {
		t.Errorf("%d answers differ in all", p.wrong)
	}
}
