package isolation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
	"github.com/lukasa-memory/lukasa/internal/mcp"
)

// A world is a store with two processes on it, people with their keys and records, and the oracle.
type world struct {
	t       *testing.T
	seed    uint64
	clock   *clock
	engines []*engine.Engine
	doors   []http.Handler
	servers []*httptest.Server
	ops     []operation
	schemas map[string]schema
	mint    mint
	ids     lukasa.Minter
	model   *model
	people  []*person // and organisations, whose records are there
	orgs    []*person
	book    *book
	journal journal
	home    string
	exports map[*person][]byte // as of the last census
	made    atomic.Int64       // calls
}

func (w *world) calls() int { return int(w.made.Load()) }

// called notes that a call was made.
func (w *world) called(door, op string, status int) {
	w.made.Add(1)
	w.book.called(door, op, status)
}

// A site is where a world is kept.
type site int

const (
	embedded site = iota // in files
	served               // in PostgreSQL, with Redis and S3 where they are
)

// clock runs, and can be set forward.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

// dice is a source of randomness that the seed decides.
type dice struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func newDice(seed uint64, what string) *dice {
	var key [32]byte
	copy(key[:], fmt.Sprintf("%d %s", seed, what))
	return &dice{r: rand.NewChaCha8(key)}
}

func (d *dice) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.r.Read(p)
}

func newRand(seed uint64, what string) *rand.Rand { return rand.New(newDice(seed, what).r) }

// newWorld makes a world; the seed decides what is in it.
func newWorld(t *testing.T, seed uint64, b *book, where site) *world {
	t.Helper()
	w := &world{t: t, seed: seed, clock: &clock{}, model: newModel(), book: b, home: t.TempDir()}
	w.ids = lukasa.Minter{Now: w.clock.Now, Rand: newDice(seed, "no such")}
	cfg := enginetest.Config(t)
	cfg.LogLevel = "error"
	if where == served {
		enginetest.Postgres(t, &cfg)
		if os.Getenv("LUKASA_TEST_REDIS") != "" {
			enginetest.Redis(t, &cfg)
		}
		if os.Getenv("LUKASA_TEST_S3") != "" {
			enginetest.S3(t, &cfg)
		}
	}
	enginetest.NewModel(t, w.answer).Use(&cfg)
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	for i := range 2 {
		if where == served && i > 0 {
			cfg.Data = t.TempDir() // another machine
		}
		e, _, _ := enginetest.Open(t, cfg, engine.Options{Now: w.clock.Now, Log: quiet, Rand: newDice(seed, fmt.Sprint("ids ", i))})
		h := api.New(e, api.Options{Version: "test", Log: quiet, Timeout: 10 * time.Minute, MCP: mcp.Handler(e, "test", quiet, api.ScopeOf)})
		srv := httptest.NewServer(h)
		t.Cleanup(srv.Close)
		w.engines, w.doors, w.servers = append(w.engines, e), append(w.doors, h), append(w.servers, srv)
	}
	root := &person{name: "admin"}
	admin := &caller{name: "admin", secret: cfg.APIKey, owner: root, user: root, admin: true}
	_, doc := w.plain(admin, "GET", "/openapi.json", nil)
	var err error
	if w.ops, w.schemas, err = describe(doc); err != nil {
		t.Fatal(err)
	}
	w.ops = append(w.ops, w.tools(admin)...)
	for _, op := range w.ops {
		b.expect(op)
	}
	w.cast(admin)
	w.found(admin)
	w.furnish()
	w.settle()
	if slices.ContainsFunc(w.ops, func(op operation) bool { return op.id == "create-grant" }) {
		w.entrust(admin)
	}
	return w
}

// plain makes a call that is not checked.
func (w *world) plain(c *caller, method, path string, body any) (int, []byte) {
	w.t.Helper()
	var r io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			w.t.Fatal(err)
		}
		r = bytes.NewReader(data)
	}
	req := httptest.NewRequest(method, path, r)
	req.Host = "127.0.0.1"
	req.Header.Set("Authorization", "Bearer "+c.secret)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	rec := httptest.NewRecorder()
	w.doors[0].ServeHTTP(rec, req)
	return rec.Code, rec.Body.Bytes()
}

// must is plain for what has to succeed.
func (w *world) must(c *caller, method, path string, body any) map[string]any {
	w.t.Helper()
	status, data := w.plain(c, method, path, body)
	if status >= 300 {
		w.t.Fatalf("%s: %s %s: status %d: %s", c.name, method, path, status, data)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return out
}

func str(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

// trees are the containers of everybody, named alike on purpose: a mistake about whose they are, or about where a subtree ends,
// shows.
var trees = []string{
	"work", "work.acme", "work.acme.billing", "work.acme.billing.q1", "work.acme.billing.q1.deep", "work.acme-x", "work.acmeb", "work.ac%25", "work.Acme",
	"work-b", "work-b.acme", "workx", "Work", "wor_", "home", "home.acme", "default",
}

// cast makes the people and their keys.
func (w *world) cast(admin *caller) {
	me := w.must(admin, "GET", "/v1/whoami", nil)
	user, _ := me["user"].(map[string]any)
	key, _ := me["key"].(map[string]any)
	roomy := map[string]any{"limits": map[string]any{"sessions": 1000000}}
	w.must(admin, "PATCH", "/v1/users/"+str(user, "id"), map[string]any{"settings": roomy})
	admin.owner.id, admin.owner.whole, admin.id = str(user, "id"), admin, str(key, "id")
	w.enter(admin.owner, admin)
	w.learnIDs(admin.owner, admin.owner.id, admin.id)
	for _, name := range []string{"ann", "ben", "cy"} {
		p := &person{name: name}
		n, word := w.mint.next()
		u := w.must(admin, "POST", "/v1/users", map[string]any{"name": name + " " + word, "settings": roomy})
		p.id = str(u, "id")
		p.words = []int{n}
		w.model.sent(&caller{owner: p, name: name}, n, true, false)
		w.learnIDs(p, p.id)
		p.whole = w.key(admin, p, name, map[string]any{})
		w.enter(p, p.whole)
	}
	for _, p := range w.people {
		if p.whole == admin {
			continue
		}
		for _, root := range []string{"work", "work.acme", "work.acme.billing.q1", "home"} {
			w.enter(p, w.key(admin, p, p.name+"@"+root, map[string]any{"container": root}))
		}
		w.enter(p, w.key(admin, p, p.name+"/ro", map[string]any{"read_only": true}))
		w.enter(p, w.key(admin, p, p.name+"/ro@work.acme", map[string]any{"read_only": true, "container": "work.acme"}))
	}
	ann := w.people[1]
	revoked := w.key(admin, ann, "ann/revoked", map[string]any{})
	w.must(admin, "DELETE", "/v1/keys/"+revoked.id, nil)
	expired := w.key(admin, ann, "ann/expired", map[string]any{"expires_at": w.clock.Now().Add(time.Hour).UTC().Format(time.RFC3339), "container": "work"})
	w.clock.ahead = 2 * time.Hour
	for _, c := range []*caller{revoked, expired} {
		c.state.Store(dead)
		w.enter(ann, c)
	}
}

func (w *world) enter(p *person, c *caller) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	if !slices.Contains(w.people, p) {
		w.people = append(w.people, p)
		w.model.persons[p.id] = p
	}
	if c.user == nil {
		c.user = p
	}
	w.model.callers = append(w.model.callers, c)
}

// papers files the id of a key with the organisation that it is to.
func (w *world) papers(p *person, id string) {
	if p.org {
		w.model.mu.Lock()
		defer w.model.mu.Unlock()
		w.model.id[id].file(p, 1)
	}
}

func (w *world) learnIDs(p *person, ids ...string) {
	for _, id := range ids {
		w.model.learn(p, id)
	}
}

// key makes a key.
func (w *world) key(admin *caller, p *person, name string, body map[string]any) *caller {
	n, word := w.mint.next()
	w.model.sent(&caller{owner: p, name: name}, n, true, false)
	body["name"], body["user_id"] = name+" "+word, p.id
	k := w.must(admin, "POST", "/v1/keys", body)
	w.learnIDs(p, str(k, "id"))
	ro, _ := body["read_only"].(bool)
	root, _ := body["container"].(string)
	return &caller{name: name, id: str(k, "id"), secret: str(k, "key"), owner: p, user: p, root: root, readOnly: ro}
}

// furnish fills everybody's trees, all at once unless a seed is to make the same calls each time.
func (w *world) furnish() {
	var all sync.WaitGroup
	for _, p := range w.people {
		if *workers == 1 {
			w.fill(p)
		} else {
			all.Go(func() { w.fill(p) })
		}
	}
	if all.Wait(); w.t.Failed() {
		w.t.FailNow() // what fails in another goroutine ends that one alone
	}
}

// fill makes somebody's containers and what is in them.
func (w *world) fill(p *person) {
	r := newRand(w.seed, "furnish "+p.name)
	paths := slices.Clone(trees)
	g := &gen{Rand: r, w: w, c: p.whole}
	for _, below := range []string{"home", "work.acme"} {
		a := g.word()
		paths = append(paths, below+"."+a, below+"."+a+"."+g.word())
	}
	for _, path := range paths {
		kind := "topic"
		if slices.Contains(personas, path) {
			kind = "persona"
		}
		about := map[string]any{"type": kind, "description": "about " + g.word(), "name": title(g.word())}
		if status, _ := w.plain(p.whole, "POST", "/v1/nodes", map[string]any{"container": path}); status >= 300 && status != http.StatusConflict {
			w.t.Fatalf("%s: make %s: status %d", p.name, path, status)
		}
		w.must(p.whole, "PATCH", "/v1/nodes/"+url.PathEscape(path), about)
	}
	w.model.mu.Lock()
	w.model.paths[p] = paths
	w.model.mu.Unlock()
	shared := title(g.word()) // somebody whom several places name
	for i, path := range paths {
		w.must(p.whole, "POST", "/v1/documents", map[string]any{
			"container": path, "title": "the " + g.word(), "content": g.text() + " " + shared + " came to the office. Anna Berg met " + shared + ".", "tags": []string{g.word()},
			"metadata": map[string]any{"mark": g.word(), "colour": "red"}, "custom_id": fmt.Sprint("own-", i), "source_url": "https://example.com/" + fmt.Sprint(i),
		})
		w.must(p.whole, "POST", "/v1/memories", map[string]any{
			"container": path, "content": g.text(), "kind": pick(r, []string{"fact", "decision", "preference"}), "tags": []string{g.word()}, "metadata": map[string]any{"mark": g.word()},
		})
		if i%5 == 0 {
			g.op, g.c = operation{id: "upload-document"}, &caller{owner: p, user: p.whole.user, root: path, name: p.name}
			body, typ := g.form()
			w.model.handle(p.whole, canaries(body), nil, false)
			if a := w.ask(p.whole, request{method: "POST", target: "/v1/documents/upload", body: body, header: map[string]string{"Content-Type": typ}}, i%2); !a.ok() {
				w.t.Fatalf("upload: status %d: %s", a.status, a.body)
			}
			g.c = p.whole
		}
		if i%2 == 0 {
			w.must(p.whole, "POST", "/v1/messages", map[string]any{"container": path, "conversation": "talk-" + fmt.Sprint(i%6), "messages": []any{
				map[string]any{"id": "m1", "role": "user", "speaker": title(g.word()), "content": g.text(), "session": g.word()},
				map[string]any{"id": "m2", "role": "assistant", "content": g.text(), "metadata": map[string]any{"mark": g.word()}},
			}})
		}
		w.age(p, g, path, i)
	}
}

// age gives a place what is there after a while: an older version, an edge that was drawn by hand, things in the trash, and a conversation
// that has ended, with a file in it.
func (w *world) age(p *person, g *gen, path string, i int) {
	post := func(target string, body map[string]any) string {
		body["container"] = path
		out := w.must(p.whole, "POST", target, body)
		return str(out, "id")
	}
	doc := post("/v1/documents", map[string]any{"content": g.text(), "custom_id": fmt.Sprint("own-", i)})
	switch i % 3 {
	case 0:
		w.must(p.whole, "DELETE", "/v1/documents/"+post("/v1/documents", map[string]any{"content": g.text(), "title": g.word()})+"?soft=true", nil)
		w.must(p.whole, "DELETE", "/v1/memories/"+post("/v1/memories", map[string]any{"content": g.text(), "kind": "fact"})+"?soft=true", nil)
	case 1:
		mem := post("/v1/memories", map[string]any{"content": g.text(), "kind": "fact"})
		w.must(p.whole, "POST", "/v1/edges", map[string]any{"source": doc, "target": mem, "type": "relates_to"})
		w.model.keepEdge(p, doc, mem, "relates_to")
		who := title(g.word()) // what replaced a memory goes elsewhere
		post("/v1/memories", map[string]any{"content": who + " lives in Paris."})
		talk := w.must(p.whole, "POST", "/v1/messages", map[string]any{"container": path, "conversation": "moved-" + fmt.Sprint(i), "messages": []any{
			map[string]any{"id": "m1", "role": "user", "speaker": who, "content": "I live in Lyon now."},
		}})
		w.must(p.whole, "PATCH", "/v1/conversations/"+str(talk, "conversation_id"), map[string]any{"container": "default"})
	case 2:
		code := "Here it is:\n```python\nimport sys\n\n\ndef " + g.word() + "():\n    print(sys.argv)\n```\n"
		talk := w.must(p.whole, "POST", "/v1/messages", map[string]any{"container": path, "conversation": "ended-" + fmt.Sprint(i), "messages": []any{
			map[string]any{"id": "m1", "role": "user", "content": g.text()}, map[string]any{"id": "m2", "role": "assistant", "content": code},
		}})
		end := w.must(p.whole, "POST", "/v1/conversations/"+str(talk, "conversation_id")+"/end", nil)
		_, told := w.plain(p.whole, "GET", "/v1/recall-files/"+str(end, "id")+"?include=artifacts", nil)
		m := artifactName.FindSubmatch(told)
		if m == nil {
			w.t.Fatalf("no file in the recall file: %s", told)
		}
		w.model.keepArtifact(str(end, "id"), string(m[1]))
	}
}

// personas are containers that keys can be bound to, and that can be granted other containers.
var personas = []string{"home.acme", "work.acme.billing"}

// entrust makes keys of personas and of third parties, with grants that hold, that have ended and that were taken back.
func (w *world) entrust(admin *caller) {
	for _, p := range w.people {
		for _, at := range personas {
			out := w.must(p.whole, "POST", "/v1/keys", map[string]any{"name": "persona of " + p.name, "persona": at})
			w.learnIDs(p, str(out, "id"))
			w.papers(p, str(out, "id"))
			w.enter(p, &caller{name: p.name + "/persona@" + at, id: str(out, "id"), secret: str(out, "key"), owner: p, user: p.whole.user, subject: str(out, "persona")})
		}
		out := w.must(p.whole, "POST", "/v1/keys", map[string]any{"name": "app of " + p.name, "third_party": true})
		w.learnIDs(p, str(out, "id"))
		w.papers(p, str(out, "id"))
		app := &caller{name: p.name + "/app", id: str(out, "id"), secret: str(out, "key"), owner: p, user: p.whole.user, subject: str(out, "id"), readOnly: true}
		w.enter(p, app)
		soon := w.clock.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		for _, g := range []map[string]any{
			{"subject_id": "home.acme", "container": "work.acme-x"},
			{"subject_id": "home.acme", "container": "work-b.acme", "grant_type": "read_write"},
			{"subject_id": "home.acme", "container": "work.acme.billing", "grant_type": "read_write"},
			{"subject_id": "home.acme", "container": "workx", "expires_at": soon},
			{"subject_id": "work.acme.billing", "container": "home"},
			{"subject_id": app.id, "container": "work.acme"},
			{"subject_id": app.id, "container": "home"},
			{"subject_id": app.id, "container": "wor_", "expires_at": soon},
			{"subject_id": app.id, "container": "default", "revoke": true},
		} {
			revoke := g["revoke"] != nil
			delete(g, "revoke")
			made := w.must(p.whole, "POST", "/v1/grants", g)
			w.granted(made)
			if revoke {
				w.must(p.whole, "DELETE", "/v1/grants/"+str(made, "id"), nil)
				w.revoked(str(made, "id"))
			}
		}
	}
	w.clock.mu.Lock()
	w.clock.ahead += 2 * time.Hour
	w.clock.mu.Unlock()
	w.settle()
}

// granted notes a grant; an earlier one of the same container to the same subject ends with it.
func (w *world) granted(out map[string]any) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	g := &grant{id: str(out, "id"), subject: str(out, "subject_id"), node: str(out, "target_node_id"), writes: str(out, "grant_type") == "read_write"}
	g.until, _ = time.Parse(time.RFC3339, str(out, "expires_at"))
	for _, x := range w.model.grants {
		if x.subject == g.subject && x.node == g.node {
			x.ended = true
		}
	}
	w.model.grants = append(w.model.grants, g)
}

func (w *world) revoked(id string) {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	for _, g := range w.model.grants {
		if g.id == id {
			g.ended = true
		}
	}
}

// settle lets the background come to rest and takes a census.
func (w *world) settle() {
	w.t.Helper()
	for range 3 {
		for _, e := range w.engines {
			if err := e.Drain(context.Background()); err != nil {
				w.t.Errorf("seed %d: drain: %v", w.seed, err)
			}
		}
	}
	w.call()
	w.census()
}

// line is a record of an export.
type line struct {
	Node     *struct{ ID, Path string }
	Document *struct {
		ID, Container string
		Latest        bool `json:"is_latest"`
	}
	Memory   *struct{ ID, Container string }
	Messages *struct {
		Container string
		Items     []struct {
			ID           string
			Conversation string `json:"conversation_id"`
		}
	}
}

// census writes down where everything stands, from the export that the owner's widest key gets. Whose a canary is does not come
// from there: that is known from who sent it.
func (w *world) census() {
	type found struct {
		places, names map[string]bool
	}
	w.exports = map[*person][]byte{}
	for _, p := range w.people {
		status, data := w.plain(p.whole, "GET", "/v1/export", nil)
		w.exports[p] = data
		if status != http.StatusOK {
			w.t.Errorf("seed %d: export of %s: status %d: %s", w.seed, p.name, status, data)
			return
		}
		canary, ids := map[int]*found{}, map[string]*found{}
		var paths []string
		pathOf := map[string]string{}
		var buried, olds []string
		at := func(text []byte, place string, primary ...string) {
			names := map[int]bool{}
			for _, n := range canaries([]byte(place)) {
				names[n] = true
			}
			for _, n := range canaries(text) {
				if names[n] {
					continue
				}
				if canary[n] == nil {
					canary[n] = &found{map[string]bool{}, map[string]bool{}}
				}
				canary[n].places[place] = true
			}
			for _, id := range primary {
				if ids[id] == nil {
					ids[id] = &found{map[string]bool{}, map[string]bool{}}
				}
				ids[id].places[place] = true
			}
		}
		for raw := range bytes.Lines(data) {
			var l line
			if err := json.Unmarshal(raw, &l); err != nil {
				w.t.Errorf("seed %d: export of %s: %v: %s", w.seed, p.name, err, raw)
				continue
			}
			switch {
			case l.Node != nil:
				at(raw, l.Node.Path, l.Node.ID)
				paths, pathOf[l.Node.ID] = append(paths, l.Node.Path), l.Node.Path
				segments := strings.Split(l.Node.Path, ".")
				for i, s := range segments {
					for _, n := range canaries([]byte(s)) {
						if canary[n] == nil {
							canary[n] = &found{map[string]bool{}, map[string]bool{}}
						}
						canary[n].names[strings.Join(segments[:i+1], ".")] = true
					}
					for _, id := range idsIn([]byte(s)) { // somebody has called a container by the id of something
						if ids[id] == nil {
							ids[id] = &found{map[string]bool{}, map[string]bool{}}
						}
						ids[id].names[strings.Join(segments[:i+1], ".")] = true
					}
				}
			case l.Document != nil:
				at(raw, l.Document.Container, l.Document.ID)
				if !l.Document.Latest {
					olds = append(olds, l.Document.ID)
				}
			case l.Memory != nil:
				at(raw, l.Memory.Container, l.Memory.ID)
			case l.Messages != nil:
				at(raw, l.Messages.Container)
				for _, m := range l.Messages.Items {
					at(nil, l.Messages.Container, m.ID, m.Conversation)
				}
			}
		}
		for _, lies := range w.trash(p) {
			buried = append(buried, lies.ID)
			if place, known := pathOf[lies.Node]; known {
				at([]byte(lies.Label), place)
			}
		}
		w.bind(p, pathOf)
		w.model.mu.Lock()
		words, moved := []string{}, w.model.moved(pathOf)
		for n, k := range w.model.canary {
			if k.owner != p {
				if f := canary[n]; f != nil && k.known[p] == 0 {
					w.book.fault(w, "leak: census", fmt.Sprintf("the export of %s holds %s, which %s", p.name, spell(n), "belongs to "+k.owner.name))
				}
				continue
			}
			k.touched = 0
			if f := canary[n]; f != nil {
				k.places, k.names, k.settled = f.places, f.names, true
				words = append(words, spell(n))
			} else if k.alias {
				k.places, k.settled = map[string]bool{}, true
			} else { // it stands in the past of a container alone, and went along with that
				k.places = moved(k.places)
			}
		}
		for id, f := range ids {
			k := w.model.learnLocked(p, id)
			if k.owner != p && k.known[p] == 0 {
				w.book.fault(w, "leak: census", fmt.Sprintf("the export of %s holds %s, which belongs to %s", p.name, id, k.owner.name))
			}
			if k.owner == p { // an import may take an id of somebody else's: another record of that name
				k.places, k.names, k.settled = f.places, f.names, true
			}
		}
		for id, k := range w.model.id {
			if k.owner == p {
				k.touched = 0
				if k.settled && ids[id] == nil {
					k.settled = false // it lies in the trash, or is gone
				}
			}
		}
		w.model.entrust(w.clock.Now())
		w.model.follow(w, p)
		slices.Sort(words)
		w.model.paths[p], w.model.words[p], w.model.buried[p], w.model.olds[p] = paths, words, buried, olds
		p.shifts.Store(0)
		w.model.mu.Unlock()
	}
}

// bind finds out which container a new key is bound to. It may have moved since the key was made: the key itself says where it is.
func (w *world) bind(p *person, pathOf map[string]string) {
	for _, c := range w.model.callers {
		if c.owner != p || !c.bound() || c.node != "" || c.state.Load() == dead {
			continue
		}
		var list struct {
			Items []struct{ ID, Container string }
		}
		status, data := w.plain(c, "GET", "/v1/keys", nil)
		if status == http.StatusUnauthorized {
			c.state.Store(unknown) // the container, or the user, is gone already
			continue
		}
		if err := json.Unmarshal(data, &list); status != http.StatusOK || err != nil {
			w.t.Errorf("seed %d: keys of %s: status %d: %v: %s", w.seed, c.name, status, err, data)
			continue
		}
		for _, k := range list.Items {
			for id, path := range pathOf {
				if k.ID == c.id && k.Container == path {
					c.node = id
				}
			}
		}
		if c.node == "" {
			w.t.Errorf("seed %d: %s is bound to no container: %v", w.seed, c.name, list.Items)
		}
	}
}

// lying is a record in the trash. What it says may stand elsewhere too, and only there in an export, which leaves the trash out.
type lying struct {
	ID    string
	Node  string `json:"node_id"`
	Label string
}

// trash is what the owner's widest key sees in the trash.
func (w *world) trash(p *person) (all []lying) {
	for cursor := ""; ; {
		var page struct {
			Items []lying
			Next  string `json:"next_cursor"`
		}
		status, data := w.plain(p.whole, "GET", "/v1/trash?limit=100&cursor="+cursor, nil)
		if err := json.Unmarshal(data, &page); status != http.StatusOK || err != nil {
			w.t.Errorf("seed %d: trash of %s: status %d: %v: %s", w.seed, p.name, status, err, data)
			return all
		}
		if all, cursor = append(all, page.Items...), page.Next; cursor == "" {
			return all
		}
	}
}

// answer stands in for the model that people chat with: it looks at what it is told of whom.
func (w *world) answer(_ int, a enginetest.Asked) enginetest.Said {
	w.model.mu.RLock()
	defer w.model.mu.RUnlock()
	var asks *caller
	asked := a.Last() // who asks has written the message; what is told beside it may be somebody else's of the same round
	if i := strings.LastIndex(asked, "## Current Message"); i >= 0 {
		asked = asked[i:]
	}
	for _, n := range canaries([]byte(asked)) {
		if k := w.model.canary[n]; k != nil && k.by != nil && !k.settled {
			asks = k.by
		}
	}
	if asks == nil {
		return enginetest.Said{Text: "Noted."}
	}
	w.book.check("prompts")
	for _, m := range a.Messages {
		for _, n := range canaries([]byte(m.Content)) {
			if k := w.model.canary[n]; k != nil {
				if ok, why := w.model.may(asks, k); !ok {
					w.book.fault(w, "leak: prompt", fmt.Sprintf("the model is told, for %s (root %q), of %s, which %s: %s", asks.name, asks.root, spell(n), why, around([]byte(m.Content), spell(n))))
				}
			}
		}
	}
	return enginetest.Said{Text: "Noted."}
}
