package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// ticking is a clock that only moves when it is told to, or is asked.
type ticking struct {
	mu sync.Mutex
	at time.Time
}

func (c *ticking) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *ticking) tick() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Second)
	return c.at
}

// past is a site with a random history.
type past struct {
	*site
	cfg   config.Config
	clock *ticking
	rng   *rand.Rand
	step  int
	docs  []string
	mems  []string
	nodes []string
	trash []string
	talks map[string]string // ids of conversations, by name
	said  []string          // ids of messages
	pages []string          // ids of recall files
}

func liveAt(t *testing.T, cfg config.Config, at time.Time) (*site, *ticking) {
	clock := &ticking{at: at}
	e, _, _ := enginetest.Open(t, cfg, engine.Options{Now: clock.now})
	srv := httptest.NewServer(api.New(e, api.Options{Version: "test", Timeout: cfg.RequestTimeout, MaxBody: cfg.MaxBody, Mint: func() string { return "req" }}))
	t.Cleanup(srv.Close)
	return &site{t: t, e: e, url: srv.URL, key: cfg.APIKey}, clock
}

func (p *past) pick(from []string) string {
	if len(from) == 0 {
		return "none"
	}
	return from[p.rng.IntN(len(from))]
}

var pastWords = strings.Fields("ferry harbour violin teacher garden kitchen invoice deadline berlin lisbon marathon recipe piano budget")

func (p *past) words(n int) string {
	var w []string
	for range n {
		w = append(w, pastWords[p.rng.IntN(len(pastWords))])
	}
	return strings.Join(w, " ")
}

func (p *past) try(method, path string, body any) (int, obj) {
	p.clock.tick()
	return p.do(method, path, body)
}

// live does one thing at random. What it asks for may be refused: the state of things is what counts.
func (p *past) live() {
	p.step++
	place := []string{"work", "work.acme", "life"}[p.rng.IntN(3)]
	people, cities := []string{"Ana", "Bob"}, []string{"Paris", "Lyon", "Porto", "Kyoto"}
	switch p.rng.IntN(24) {
	case 0, 1:
		body := obj{"content": fmt.Sprintf("Note %d about %s. It says %s.", p.step, p.words(3), p.words(8)), "container": place, "tags": []string{p.words(1)}, "metadata": obj{"n": p.step % 3}}
		if p.rng.IntN(2) == 0 {
			body["custom_id"] = fmt.Sprint("file ", p.rng.IntN(3))
		}
		if _, out := p.try("POST", "/v1/documents", body); text(out, "id") != "" {
			p.docs = append(p.docs, text(out, "id"))
		}
	case 2:
		long := ""
		for i := range 40 {
			long += fmt.Sprintf("## Part %d\n\nOn %s, %s and what follows from it.\n\n", i, p.words(12), p.words(30))
		}
		if _, out := p.try("POST", "/v1/documents", obj{"content": "# A long one\n\n" + long, "content_type": "markdown", "container": place}); text(out, "id") != "" {
			p.docs = append(p.docs, text(out, "id"))
		}
	case 3, 4:
		p.try("PATCH", "/v1/documents/"+p.pick(p.docs), obj{"title": "About " + p.words(2), "tags": []string{p.words(1), p.words(1)}, "metadata": obj{"n": p.step % 3, "w": p.words(1)}})
	case 5, 6:
		if _, out := p.try("POST", "/v1/memories", obj{"content": fmt.Sprintf("The %s is on the %d.", p.words(2), p.step), "kind": []string{"fact", "decision", "preference"}[p.rng.IntN(3)], "container": place, "tags": []string{p.words(1)}}); text(out, "id") != "" {
			p.mems = append(p.mems, text(out, "id"))
		}
	case 7, 8:
		if _, out := p.try("POST", "/v1/memories", obj{"content": fmt.Sprintf("No, the %s is on the %d.", p.words(2), p.step), "updates": p.pick(p.mems), "reason": "corrected"}); text(out, "id") != "" {
			p.mems = append(p.mems, text(out, "id"))
		}
	case 9:
		p.try("PATCH", "/v1/memories/"+p.pick(p.mems), obj{"tags": []string{p.words(1)}, "confidence": 0.6, "metadata": obj{"said_at": p.clock.now().Add(-time.Hour).UTC().Format(time.RFC3339)}})
	case 10, 11, 12:
		name := fmt.Sprint("talk ", p.rng.IntN(3))
		_, out := p.try("POST", "/v1/messages", obj{"container": "life", "conversation": name, "messages": []obj{{
			"id": fmt.Sprint("m", p.step), "speaker": p.pick(people), "role": "user", "time": p.clock.now().UTC().Format(time.RFC3339),
			"content": []string{
				"I live in " + p.pick(cities) + ".", "I moved to " + p.pick(cities) + ".", "We talked about " + p.words(4) + ".", "We decided to take the " + p.words(2) + ".",
				"Here it is:\n```go\nfunc a() {\n\t// " + p.words(2) + "\n\tb()\n\tc()\n\td()\n}\n```\n",
			}[p.rng.IntN(5)],
		}}})
		if id := text(out, "conversation_id"); id != "" {
			p.talks[name] = id
		}
		if list, _ := out["items"].([]any); len(list) > 0 && text(list[0].(obj), "id") != "" {
			p.said = append(p.said, text(list[0].(obj), "id"))
		}
	case 13:
		p.try("POST", "/v1/messages", obj{"container": "life", "conversation": fmt.Sprint("talk ", p.rng.IntN(3)), "replace": true, "messages": []obj{{
			"id": fmt.Sprint("m", 1+p.rng.IntN(p.step)), "speaker": p.pick(people), "role": "user", "content": "I meant " + p.words(3) + ".",
		}}})
	case 14:
		var ids []string
		for _, id := range p.talks {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		p.try("POST", "/v1/conversations/"+p.pick(ids)+"/end", obj{})
	case 15, 16:
		id := p.pick(slices.Concat(p.docs, p.mems))
		kind := "documents"
		if strings.HasPrefix(id, "mem") {
			kind = "memories"
		}
		if status, _ := p.try("DELETE", "/v1/"+kind+"/"+id+"?soft=true", nil); status == 200 {
			p.trash = append(p.trash, id)
		}
	case 17:
		p.try("POST", "/v1/trash/"+p.pick(p.trash)+"/restore", obj{})
	case 18:
		if _, out := p.try("GET", "/v1/records/"+p.pick(slices.Concat(p.mems, p.docs))+"/history", nil); out["items"] != nil {
			if list := out["items"].([]any); len(list) > 0 {
				p.try("POST", "/v1/deltas/"+text(list[0].(obj), "id")+"/undo", obj{})
			}
		}
	case 19:
		p.try("PATCH", "/v1/nodes/"+p.pick(p.nodes), obj{"description": p.words(4)})
	case 20:
		p.try("POST", "/v1/edges", obj{"from": p.pick(p.mems), "to": p.pick(p.docs), "type": "relates_to", "weight": p.rng.IntN(3)})
	case 21:
		if _, out := p.try("POST", "/v1/documents", obj{"file_base64": base64.StdEncoding.EncodeToString([]byte("<h1>" + p.words(2) + "</h1><p>" + p.words(9) + "</p>")), "filename": "a.html", "container": place}); text(out, "id") != "" {
			p.docs = append(p.docs, text(out, "id"))
		}
	case 22:
		p.try("POST", "/v1/records/"+p.pick(p.mems)+"/restore", obj{"at": p.clock.now().Add(-20 * time.Second).UTC().Format(time.RFC3339)})
	case 23:
		p.try("PATCH", "/v1/conversations/"+fmt.Sprint("talk%20", p.rng.IntN(3)), obj{"title": "About " + p.words(2), "tags": []string{p.words(1)}, "metadata": obj{"n": p.step % 3}})
	}
}

func (p *past) settle() {
	p.t.Helper()
	if err := p.e.Drain(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// freeze makes a site of its own of what there is now, whose clock stands.
func (p *past) freeze() *site {
	p.t.Helper()
	cfg := p.cfg
	cfg.Data = p.t.TempDir()
	err := filepath.WalkDir(p.cfg.Data, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(p.cfg.Data, path)
		if err != nil || strings.HasPrefix(name, "lukasa.db") || strings.HasPrefix(name, "index") {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(cfg.Data, name), 0o700)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(cfg.Data, name), b, 0o600)
	})
	if err != nil {
		p.t.Fatal(err)
	}
	sc, err := p.e.Local(p.t.Context())
	if err == nil {
		err = p.e.Backup(p.t.Context(), sc, filepath.Join(cfg.Data, "lukasa.db"))
	}
	if err != nil {
		p.t.Fatal(err)
	}
	s, _ := liveAt(p.t, cfg, p.clock.now())
	return s
}

// asked is a read; its as_of goes into the query, or into the body where it has one.
type asked struct {
	op, method, path string
	body             obj
}

func (a asked) send(s *site, at string) (int, obj) {
	path, body := a.path, any(nil)
	if a.body != nil {
		b := maps.Clone(a.body)
		if at != "" {
			b["as_of"] = at
		}
		body = b
	} else if at != "" {
		sep := "?"
		if strings.Contains(path, "?") {
			sep = "&"
		}
		path += sep + "as_of=" + url.QueryEscape(at)
	}
	return s.do(a.method, path, body)
}

// reads are questions for each operation that takes as_of.
func (p *past) reads(all []string) (list []asked) {
	get := func(op, path string) { list = append(list, asked{op, "GET", path, nil}) }
	of := func(prefix string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(id string) bool { return !strings.HasPrefix(id, prefix+"_") })
	}
	true30 := url.QueryEscape(p.clock.now().Add(-30 * time.Second).UTC().Format(time.RFC3339))
	for _, id := range of("mem") {
		get("get-memory", "/v1/memories/"+id)
		get("related-memories", "/v1/memories/"+id+"/related?depth=2")
		get("related-memories", "/v1/memories/"+id+"/related?valid_at="+true30)
	}
	for _, id := range of("doc") {
		get("get-document", "/v1/documents/"+id)
		get("list-chunks", "/v1/documents/"+id+"/chunks")
		get("list-versions", "/v1/documents/"+id+"/versions")
		get("get-content", "/v1/documents/"+id+"/content")
		get("list-edges", "/v1/graph/edges?of="+id)
		get("neighbourhood", "/v1/graph/neighbourhood?of="+id+"&depth=2")
	}
	for _, id := range all {
		get("history", "/v1/records/"+id+"/history?limit=100")
	}
	for _, id := range slices.Sorted(maps.Values(p.talks)) {
		get("get-conversation", "/v1/conversations/"+id)
		get("list-messages", "/v1/conversations/"+id+"/messages?limit=100")
		get("list-recall-files", "/v1/recall-files?conversation_id="+id+"&limit=100")
	}
	for _, id := range p.said {
		get("message-context", "/v1/messages/"+id+"/context?before=4&after=4")
	}
	for _, id := range p.pages {
		get("get-recall-file", "/v1/recall-files/"+id)
		get("get-recall-file", "/v1/recall-files/"+id+"?include=summary,keywords,transcript,artifacts")
		_, page := p.do("GET", "/v1/recall-files/"+id+"?include=artifacts", nil)
		made, _ := page["artifacts"].([]any)
		for _, a := range made {
			get("get-artifact", "/v1/recall-files/"+id+"/artifacts/"+url.PathEscape(text(a.(obj), "name")))
		}
		get("list-chunks", "/v1/documents/"+id+"/chunks")
	}
	for _, q := range []string{"", "&status=active", "&status=finalized", "&container=life&order=asc", "&sort=topic", "&sort=token_count"} {
		get("list-recall-files", "/v1/recall-files?limit=100"+q)
	}
	for _, q := range []string{"", "&superseded=true", "&type=decision", "&valid_at=" + true30} {
		get("list-defining-memories", "/v1/defining-memories?limit=100"+q)
	}
	get("list-conversations", "/v1/conversations?limit=100")
	get("list-conversations", "/v1/conversations?limit=100&container=life")
	get("stats", "/v1/stats")
	for _, id := range append(of("node"), "work", "work.acme", "life") {
		get("get-node", "/v1/nodes/"+id)
		get("node-metadata", "/v1/nodes/"+id+"/metadata")
		get("node-children", "/v1/nodes/"+id+"/children")
		get("get-container", "/v1/containers/"+id)
	}
	for _, e := range append(of("ent"), "Ana", "Bob", "Paris") {
		get("get-entity", "/v1/entities/"+e)
	}
	for _, q := range []string{"", "?container=work", "?latest=true", "?latest=false", "?kind=fact", "?tag=piano", "?slot=lives_in", "?valid_at=" + true30} {
		get("list-memories", "/v1/memories"+q+map[bool]string{true: "?", false: "&"}[q == ""]+"limit=100")
	}
	for _, q := range []string{"?limit=100", "?container=work&limit=100", "?tag=garden&limit=100"} {
		get("list-documents", "/v1/documents"+q)
	}
	get("list-nodes", "/v1/nodes")
	get("list-containers", "/v1/containers")
	get("tree", "/v1/tree")
	get("graph", "/v1/graph?limit=100")
	get("graph-nodes", "/v1/graph/nodes")
	get("list-entities", "/v1/entities?limit=100")
	for _, q := range []string{"", "?container=life", "?query=" + url.QueryEscape("Where does Ana live?"), "?valid_at=" + true30, "?query=home&valid_at=" + true30} {
		get("profile", "/v1/profile"+q)
	}
	post := func(op, path string, b obj) { list = append(list, asked{op, "POST", path, b}) }
	post("query-documents", "/v1/documents/list", obj{"limit": 100})
	post("query-documents", "/v1/documents/list", obj{"limit": 100, "all_versions": true})
	for _, ranker := range []string{"lukasa", "text", "vector", "weighted", "rrf", "cascade"} {
		for _, q := range []string{"Where does Ana live?", p.words(2), "what did we decide about the " + p.words(1)} {
			post("search", "/v1/search", obj{"query": q, "ranker": ranker, "limit": 200})
		}
	}
	for _, more := range []obj{
		{"types": []string{"memory"}},
		{"types": []string{"message"}},
		{"container": "work"},
		{"filters": obj{"tags": []string{"piano", "garden", "budget"}}},
		{"filters": obj{"metadata": obj{"n": 1}}},
		{"valid_at": p.clock.now().Add(-40 * time.Second).UTC().Format(time.RFC3339)},
		{"query": ""},
		{"query": "", "types": []string{"memory"}},
		{"include": []string{"related", "content"}},
	} {
		b := obj{"query": p.words(3), "limit": 200, "ranker": "text"}
		maps.Copy(b, more)
		post("search", "/v1/search", b)
	}
	post("brief", "/v1/brief", obj{"query": "Where does Ana live?", "max_tokens": 8000})
	post("brief", "/v1/brief", obj{"query": p.words(3), "max_tokens": 8000, "floor": -1})
	post("brief", "/v1/brief", obj{"query": p.words(3), "max_tokens": 8000, "floor": -1, "valid_at": p.clock.now().Add(-40 * time.Second).UTC().Format(time.RFC3339)})
	return list
}

// loose are fields that may differ: scores, how long it took, and what is always today's (docs/lifecycle.md).
var loose = []string{
	"score", "relevance", "relevance_score", "similarity", "parts", "stats", "search_stats", "explain", "request_id", "status", "reason",
	"last_accessed_at", "access_count", "version_seq", "next_cursor", "took_ms",
}

var briefMarks = regexp.MustCompile(`^\[\d+\] | ~\d+\n?$| tag="[^"]*"`)

// plainAnswer takes out of an answer what may differ, and puts hits in order of their ids.
func plainAnswer(op string, v any) any {
	switch x := v.(type) {
	case obj:
		out := obj{}
		for k, e := range x {
			if !slices.Contains(loose, k) {
				out[k] = plainAnswer(op, e)
			}
		}
		if _, empty := x["suggestion"]; empty { // what nothing was found by is told of an earlier moment in other words
			delete(out, "suggestion")
			delete(out, "message")
		}
		if op == "brief" { // the order is that of relevance, and its marks are new each time
			delete(out, "mark")
			delete(out, "tokens")
			if s, ok := x["text"].(string); ok {
				out["text"] = plainAnswer(op, slices.Collect(func(yield func(any) bool) {
					for line := range strings.Lines(s) {
						if line = briefMarks.ReplaceAllString(line, ""); !yield(line) {
							return
						}
					}
				}))
			}
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = plainAnswer(op, x[i])
		}
		if op == "search" || op == "brief" || op == "graph" {
			slices.SortFunc(out, func(a, b any) int {
				x, _ := json.Marshal(a)
				y, _ := json.Marshal(b)
				return strings.Compare(string(x), string(y))
			})
		}
		return out
	}
	return v
}

// N-10: as_of on every read answers with what a twin that was frozen at that moment answers with.
func TestAsOfIsATwin(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			cfg := enginetest.Config(t)
			s, clock := liveAt(t, cfg, time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC))
			p := &past{site: s, cfg: cfg, clock: clock, rng: rand.New(rand.NewPCG(seed, 5)), talks: map[string]string{}}
			for _, path := range []string{"work", "work.acme", "life"} {
				p.nodes = append(p.nodes, text(p.must(201, "POST", "/v1/nodes", obj{"container": path}), "id"))
			}
			code := "Here it is:\n```go\nfunc a() {\n\tb()\n\tc()\n\td()\n\te()\n}\n```\n"
			talk := p.must(201, "POST", "/v1/messages", obj{"container": "work", "conversation": "code", "messages": []obj{{"speaker": "Ana", "role": "user", "content": code}}})
			p.talks["code"] = text(talk, "conversation_id")
			p.must(200, "POST", "/v1/conversations/"+p.talks["code"]+"/end", obj{})
			for range 45 {
				p.live()
			}
			p.settle()
			at := clock.now().UTC().Format(time.RFC3339Nano)
			twin := p.freeze()
			for range 45 {
				p.live()
			}
			p.settle()
			clock.tick()
			p.compare(twin, at)
		})
	}
}

func (p *past) compare(twin *site, at string) {
	var all []string
	for _, path := range []string{"/v1/memories?limit=100", "/v1/documents?limit=100", "/v1/nodes", "/v1/entities?limit=100"} {
		_, out := p.do("GET", path, nil)
		items, _ := out["items"].([]any)
		for _, x := range items {
			all = append(all, text(x.(obj), "id"))
		}
	}
	_, out := p.do("GET", "/v1/recall-files?limit=100", nil)
	items, _ := out["items"].([]any)
	for _, x := range items {
		p.pages = append(p.pages, text(x.(obj), "id"))
	}
	all = append(all, p.docs...)
	all = append(all, p.mems...)
	slices.Sort(all)
	told := map[string]bool{}
	for _, q := range p.reads(slices.Compact(all)) {
		told[q.op] = true
		wantStatus, want := q.send(twin, "")
		gotStatus, got := q.send(p.site, at)
		if wantStatus != gotStatus {
			p.t.Errorf("%s %s %v: %d, the twin %d: %v", q.method, q.path, q.body, gotStatus, wantStatus, got)
			continue
		}
		if diff := cmp.Diff(plainAnswer(q.op, want), plainAnswer(q.op, got)); diff != "" && wantStatus == 200 {
			p.t.Errorf("%s %s %v (-twin +as_of)\n%s", q.method, q.path, q.body, diff)
		}
	}
	takes, _ := p.operations()
	for _, op := range takes {
		if !told[op] {
			p.t.Errorf("%s takes as_of and is not asked", op)
		}
	}
}

// today are reads that know no past, with the reason; docs/design/past.md tells it at length.
var today = map[string]string{
	"health": "the process as it runs", "ready": "the process as it runs", "metrics": "the process as it runs", "events": "the process as it runs", "greet": "the process as it runs",
	"export": "carries what there is", "list-jobs": "work that waits", "import-kinds": "what this version reads",
	"whoami": "the credential", "list-keys": "rights are today's", "list-users": "rights are today's", "list-grants": "rights are today's", "get-grant": "rights are today's",
	"list-organisations": "rights are today's", "get-organisation": "rights are today's", "list-organisation-keys": "rights are today's", "list-members": "rights are today's",
	"audit": "a log by time", "usage": "a log by time", "list-receipts": "a log by time", "get-receipt": "a receipt does not change",
	"diff": "names two moments itself", "list-trash": "what can be taken back now",
	"list-files": "how bytes are kept now", "get-file": "how bytes are kept now", "get-file-state": "how bytes are kept now", "get-file-content": "the bytes of a file; get-content has a past",
	"list-file-events": "a log by time", "list-all-file-events": "a log by time",
	"suggest-node": "advice for a save to come",
	"timeline":     "by when things happened, as is known now",
	"v3-whoami":    "an older API, as it is", "v3-projects": "an older API, as it is", "v3-document": "an older API, as it is", "v3-graph": "an older API, as it is", "v3-recall": "an older API, as it is",
}

// doings are the verbs with which the names of operations begin that are no reads.
var doings = strings.Fields("append archive chat compress create decompress delete doctor empty end import merge move patch provision purge put rebuild rederive release remove restore retry revoke set touch undo upload v3-create v3-delete v3-memory")

// N-10: every read takes as_of, or is one of today's for a reason that is written down.
func TestEveryReadHasAPast(t *testing.T) {
	t.Parallel()
	p := &past{site: serve(t, nil, engine.Options{})}
	takes, rest := p.operations()
	if len(takes) < 35 {
		t.Errorf("only %d operations take as_of: %v", len(takes), takes)
	}
	for _, op := range rest {
		doing := slices.ContainsFunc(doings, func(verb string) bool { return op == verb || strings.HasPrefix(op, verb+"-") })
		if !doing && today[op] == "" {
			t.Errorf("%s neither takes as_of nor is named in the list of reads that know no past (and in docs/design/past.md)", op)
		}
	}
	for op := range today {
		if !slices.Contains(rest, op) {
			t.Errorf("%s is named as a read that knows no past, and is none", op)
		}
	}
}

// operations lists the operations that take as_of, and the others.
func (p *past) operations() (ops, rest []string) {
	_, doc := p.do("GET", "/openapi.json", nil)
	schemas := doc["components"].(obj)["schemas"].(obj)
	for _, methods := range doc["paths"].(obj) {
		for _, o := range methods.(obj) {
			op := o.(obj)
			list, _ := op["parameters"].([]any)
			takes := slices.ContainsFunc(list, func(x any) bool { return text(x.(obj), "name") == "as_of" })
			if body, ok := op["requestBody"].(obj); ok {
				b, _ := json.Marshal(body)
				if _, name, ok := strings.Cut(string(b), "#/components/schemas/"); ok {
					name, _, _ = strings.Cut(name, `"`)
					fields, _ := schemas[name].(obj)["properties"].(obj)
					takes = takes || fields["as_of"] != nil
				}
			}
			if takes {
				ops = append(ops, text(op, "operationId"))
			} else {
				rest = append(rest, text(op, "operationId"))
			}
		}
	}
	slices.Sort(ops)
	slices.Sort(rest)
	return ops, rest
}
