package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// raw sends a request and returns status and body, as far as it can be compared: without what differs from request to request.
func (s *site) raw(method, path, body string) string {
	s.t.Helper()
	answer, _ := s.counted(method, path, body)
	return answer
}

// counted is raw, and says how often the store was asked for the answer: the statements, and the transactions around them.
func (s *site) counted(method, path, body string) (string, int64) {
	s.t.Helper()
	ctx, n := sqlrows.WithCount(s.t.Context())
	req := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+s.key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp := httptest.NewRecorder()
	s.door.ServeHTTP(resp, req)
	data := resp.Body.Bytes()
	var v any
	if json.Unmarshal(data, &v) == nil {
		var err error
		if data, err = json.Marshal(settled(v)); err != nil {
			s.t.Fatal(err)
		}
	}
	h := ""
	for _, k := range slices.Sorted(maps.Keys(resp.Header())) {
		if k != "Date" && k != "X-Request-Id" && k != "Content-Length" {
			h += k + ": " + strings.Join(resp.Header()[k], ", ") + "\n"
		}
	}
	return fmt.Sprintf("%d\n%s%s", resp.Code, h, data), n.Load()
}

// settled takes out of an answer what says when it was given and how long it took.
func settled(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k, y := range x {
			switch k {
			case "request_id", "took_ms", "stage_ms", "cached", "last_used_at", "last_accessed_at", "access_count", "last_accessed", "search_time_ms", "stats", "search_stats":
				delete(x, k)
			default:
				x[k] = settled(y)
			}
		}
	case []any:
		for i := range x {
			x[i] = settled(x[i])
		}
	}
	return v
}

// other is an id of the same kind and time that nothing has.
func other(id string) string {
	i := strings.LastIndexByte(id, '_') + 1
	return id[:min(len(id), i+10)] + strings.Repeat("z", 16)
}

// vault is a site with a persona, what it may see, and what it may not.
type vault struct {
	*site
	persona, third *site
	ids            map[string]string // of what it may not see, by kind
}

func newVault(t *testing.T) *vault {
	s := serve(t, nil, engine.Options{})
	s.must(201, "POST", "/v1/nodes", obj{"container": "team.agent", "type": "persona"})
	s.must(201, "POST", "/v1/nodes", obj{"container": "shared"})
	s.must(201, "POST", "/v1/nodes", obj{"container": "vault.plans"})
	v := &vault{site: s, ids: map[string]string{}}
	key := s.must(201, "POST", "/v1/keys", obj{"name": "agent", "persona": "team.agent"})
	v.persona = s.as(text(key, "key"))
	third := s.must(201, "POST", "/v1/keys", obj{"name": "mail", "third_party": true})
	v.third = s.as(text(third, "key"))
	for _, who := range []string{"team.agent", text(third, "id")} {
		s.must(201, "POST", "/v1/grants", obj{"subject_id": who, "container": "shared"})
	}
	for _, in := range []string{"team.agent", "shared"} {
		s.must(201, "POST", "/v1/documents", obj{"container": in, "title": "Notes of " + in, "content": "Ada Byron met the harvest committee in Lisbon about apples and " + in + "."})
	}
	return v
}

// fill puts something of every kind where the persona may not look.
func (v *vault) fill() {
	v.t.Helper()
	doc := v.must(201, "POST", "/v1/documents", obj{
		"container": "vault.plans", "title": "Apples", "content": "Ada Byron will sell the harvest to Quentin Dark in Lisbon in May 2027. I live in Porto. I decided to use apples.",
		"tags": []string{"secret"}, "source_url": "https://example.com/secret", "custom_id": "secret",
	})
	v.ids["doc"] = text(doc, "id")
	mem := v.must(201, "POST", "/v1/memories", obj{"container": "vault.plans", "content": "Quentin Dark buys apples in Lisbon", "kind": "decision"})
	v.ids["mem"] = text(mem, "id")
	v.must(201, "POST", "/v1/messages", obj{"container": "vault.plans", "conversation": "talk", "messages": []obj{{"id": "m1", "role": "user", "content": "Quentin Dark likes Lisbon and apples, says Ada Byron."}}})
	talks := objs(v.must(200, "GET", "/v1/conversations?container=vault.plans", nil)["items"])
	v.ids["conv"] = text(talks[0], "id")
	v.ids["msg"] = text(objs(v.must(200, "GET", "/v1/conversations/"+v.ids["conv"]+"/messages", nil)["items"])[0], "id")
	node := v.must(200, "GET", "/v1/nodes/vault.plans", nil)
	v.ids["node"] = text(node, "id")
	v.ids["path"] = "vault.plans"
	for _, e := range objs(v.must(200, "GET", "/v1/entities?q=Quentin", nil)["items"]) {
		v.ids["ent"] = text(e, "id")
	}
	rf := objs(v.must(200, "GET", "/v1/recall-files?container=vault.plans", nil)["items"])
	if len(rf) > 0 {
		v.ids["file of a talk"] = text(rf[0], "id")
	}
	for _, k := range objs(v.must(200, "GET", "/v1/keys", nil)["items"]) {
		v.ids["key"] = text(k, "id")
	}
	v.ids["grant"] = text(v.must(201, "POST", "/v1/grants", obj{"subject_id": v.other(), "container": "vault.plans"}), "id")
	l := v.must(200, "GET", "/v1/records/"+v.ids["mem"]+"/history", nil)
	for _, key := range []string{"items", "deltas"} {
		for _, d := range objs(l[key]) {
			v.ids["delta"] = text(d, "id")
		}
	}
	bin := v.must(201, "POST", "/v1/memories", obj{"container": "vault.plans", "content": "Quentin Dark lies in the trash"})
	v.ids["trash"] = text(bin, "id")
	v.must(200, "DELETE", "/v1/memories/"+v.ids["trash"]+"?soft=true", nil)
	for _, f := range objs(v.must(200, "GET", "/v1/files", nil)["items"]) {
		v.ids["file"] = text(f, "id")
	}
	gone := v.must(201, "POST", "/v1/memories", obj{"container": "vault.plans", "content": "Quentin Dark is gone for good"})
	v.ids["receipt"] = text(v.must(200, "DELETE", "/v1/memories/"+text(gone, "id"), nil), "receipt_id")
	v.ids["organisation"] = text(v.must(201, "POST", "/v1/organisations", obj{"name": "Quentin & Co"}), "id")
}

// other makes a second persona, of whom the first knows nothing.
func (v *vault) other() string {
	v.must(201, "POST", "/v1/nodes", obj{"container": "team.rival", "type": "persona"})
	return "team.rival"
}

// lists are the requests whose answers count, gather or suggest.
func lists() [][3]string {
	var out [][3]string
	for _, p := range []string{
		"/v1/containers", "/v1/nodes", "/v1/tree", "/v1/conversations", "/v1/defining-memories", "/v1/documents", "/v1/entities", "/v1/entities?q=Quentin+Dark",
		"/v1/entities?q=Quentln", "/v1/entities?q=Ada+Byron", "/v1/files", "/v1/grants", "/v1/grants?all=true", "/v1/graph", "/v1/graph/nodes", "/v1/graph/nodes?name=Quentin",
		"/v1/graph/nodes?name=plans", "/v1/keys", "/v1/memories", "/v1/memories?kind=decision", "/v1/profile", "/v1/recall-files", "/v1/stats", "/v1/trash", "/v1/usage", "/v1/audit",
		"/v1/receipts", "/v1/files/log", "/v1/users", "/v1/whoami", "/v3/memory-graph", "/v3/projects", "/v3/whoami", "/v1/documents?custom_id=secret", "/v1/memories?container=vault.plans",
		"/v1/documents?container=vault", "/v1/documents?container=vault.plans!", "/v1/conversations?container=vault.*", "/v1/entities/Quentin%20Dark", "/v1/entities/Ada%20Byron",
	} {
		out = append(out, [3]string{"GET", p, ""})
	}
	for _, q := range []string{"apples in Lisbon", "Quentin Dark", "quentin drak", "harvest", "", "what is in vault plans", "Ada Byron"} {
		for _, ranker := range []string{"lukasa", "weighted", "vector", "text", "rrf", "cascade"} {
			out = append(out, [3]string{"POST", "/v1/search", fmt.Sprintf(`{"query":%q,"ranker":%q,"limit":50,"include":["related","explain"]}`, q, ranker)})
		}
		out = append(out, [3]string{"POST", "/v1/brief", fmt.Sprintf(`{"query":%q,"max_tokens":500}`, "?"+q)})
		out = append(out, [3]string{"POST", "/v3/recall", fmt.Sprintf(`{"query":%q}`, q)})
	}
	for _, c := range []string{"vault.plans", "vault", "vault.plans!", "vault.*", "*"} {
		out = append(out, [3]string{"POST", "/v1/search", fmt.Sprintf(`{"query":"apples","container":%q}`, c)})
	}
	return append(out, [3]string{"POST", "/v1/nodes/suggest", `{"content":"Quentin Dark sells the harvest of apples in Lisbon","title":"Apples"}`},
		[3]string{"POST", "/v1/documents/list", `{"q":"apples"}`})
}

func (s *site) answers() []string {
	s.t.Helper()
	var out []string
	for _, r := range lists() {
		out = append(out, r[0]+" "+r[1]+" "+r[2]+"\n"+s.raw(r[0], r[1], r[2]))
	}
	return out
}

// N-14: whatever fills a place that a persona or a third party may not see, the lists, counts, searches, pictures and suggestions
// that they get stay the same to the byte; and once it was granted and revoked, or has run out, they are the same again.
func TestWhatIsDeniedCountsForNothing(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	who := map[string]*site{"persona": v.persona, "third party": v.third}
	before := map[string][]string{}
	for name, s := range who {
		before[name] = s.answers()
	}
	if got := v.persona.must(200, "GET", "/v1/stats", nil); num(got, "documents") != 2 {
		t.Errorf("the persona has its own and what was granted: %v", got)
	}
	if got := v.third.must(200, "GET", "/v1/stats", nil); num(got, "documents") != 1 {
		t.Errorf("the third party has what was granted: %v", got)
	}
	v.fill()
	same := func(when string) {
		t.Helper()
		for name, s := range who {
			if diff := cmp.Diff(before[name], s.answers()); diff != "" {
				t.Fatalf("%s, %s: (-before +after)\n%s", name, when, diff)
			}
		}
	}
	same("filled")
	third := text(v.third.must(200, "GET", "/v1/whoami", nil), "key", "id")
	for _, end := range []string{"revoked", "expired"} {
		var ids []string
		for _, subject := range []string{"team.agent", third} {
			body := obj{"subject_id": subject, "container": "vault.plans"}
			if end == "expired" {
				body["expires_at"] = v.clock.Now().Add(time.Hour)
			}
			ids = append(ids, text(v.must(201, "POST", "/v1/grants", body), "id"))
		}
		for name, s := range who {
			if status, _ := s.do("GET", "/v1/documents/"+v.ids["doc"], nil); status != 200 {
				t.Errorf("%s: granted, and the answer is %d", name, status)
			}
			if hits := objs(s.must(200, "POST", "/v1/search", obj{"query": "Quentin Dark"})["results"]); !strings.Contains(fmt.Sprint(hits), v.ids["doc"]) {
				t.Errorf("%s: granted, and not found", name)
			}
			s.answers() // into the caches
		}
		if end == "revoked" {
			for i, id := range ids {
				if g := v.must(200, []string{"DELETE", "POST"}[i], "/v1/grants/"+id+[]string{"", "/revoke"}[i], nil); text(g, "revoked_at") == "" {
					t.Errorf("revoked: %v", g)
				}
			}
		} else {
			v.clock.Advance(2 * time.Hour)
			for name, s := range who { // what says how long ago things were has changed with the clock
				if status, _ := s.do("GET", "/v1/documents/"+v.ids["doc"], nil); status != 404 {
					t.Errorf("%s: run out, and the answer is %d", name, status)
				}
				if got := fmt.Sprint(s.must(200, "POST", "/v1/search", obj{"query": "Quentin Dark"})["results"]); strings.Contains(got, "Quentin") {
					t.Errorf("%s: run out, and found: %s", name, got)
				}
			}
			continue
		}
		same(end)
	}
}

// N-14: every route answers for a record that may not be seen as for one that is not there: status, headers and body to the byte, and
// the store is asked as often, so that the time that it takes says nothing either.
func TestDeniedLooksAbsent(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.fill()
	for _, kind := range []string{"doc", "mem", "conv", "msg", "node", "ent", "key", "grant", "delta", "trash", "receipt", "organisation"} {
		if v.ids[kind] == "" {
			t.Fatalf("there is no %s to be denied", kind)
		}
	}
	bodies := map[string][]string{
		"post": {"{}", `{"container":"team.agent.x"}`, `{"into":"team.agent"}`, `{"at":"2030-01-01T00:00:00Z"}`, `{"other":"@"}`},
		"patch": {
			"{}", `{"title":"taken"}`, `{"content":"taken"}`, `{"name":"taken"}`, `{"description":"taken"}`, `{"tags":["taken"]}`, `{"container":"team.agent"}`,
		},
	}
	spec := v.must(200, "GET", "/openapi.json", nil)
	tried, statements := 0, int64(0)
	compare := func(s *site, method, path, body string, id string) {
		t.Helper()
		no := other(id)
		if id == v.ids["path"] {
			no = "vault.nothing"
		}
		with := func(id string) (string, int64) {
			answer, asked := s.counted(strings.ToUpper(method), strings.ReplaceAll(path, "@", id), strings.ReplaceAll(body, "@", id))
			return strings.ReplaceAll(answer, id, "@"), asked
		}
		tried++
		var denied, absent string
		var asked [2]int64
		for range 3 { // that a key was used is written down once a minute, and what is known of an owner's room ages
			denied, asked[0] = with(id)
			absent, asked[1] = with(no)
			if denied != absent {
				t.Errorf("%s %s %s\ndenied: %s\nabsent: %s", method, path, body, denied, absent)
			}
			if asked[0] == asked[1] {
				break
			}
		}
		statements += asked[0]
		if asked[0] != asked[1] {
			t.Errorf("%s %s %s: the store is asked %d times for what is denied, and %d times for what is not there", method, path, body, asked[0], asked[1])
		}
		if strings.HasPrefix(denied, "2") && method != "get" && strings.Contains(path, "/@") {
			t.Errorf("%s %s %s is done: %s", method, path, body, denied)
		}
	}
	paths, _ := spec["paths"].(map[string]any)
	for name, s := range map[string]*site{"persona": v.persona, "third party": v.third} {
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			if !strings.Contains(path, "{id}") {
				continue
			}
			for method := range paths[path].(map[string]any) {
				for _, id := range v.ids {
					at := strings.ReplaceAll(strings.ReplaceAll(path, "{id}", "@"), "{name}", "code_1.go")
					try := append([]string{}, bodies[method]...)
					if len(try) == 0 {
						try = []string{""}
					} else if s == v.third { // it may write nothing, whatever it says
						try = try[:2]
					}
					for _, body := range try {
						compare(s, method, at, body, id)
					}
				}
			}
		}
		for kind, id := range v.ids {
			for _, x := range [][3]string{
				{"GET", "/v1/graph/neighbourhood?of=@", ""},
				{"GET", "/v1/graph/edges?of=@", ""},
				{"GET", "/v1/graph/nodes?related_to=@", ""},
				{"GET", "/v1/documents?container=@", ""},
				{"GET", "/v1/memories?document_id=@", ""},
				{"GET", "/v1/profile?container=@", ""},
				{"GET", "/v1/tree?container=@", ""},
				{"POST", "/v1/search", `{"query":"apples","container":"@"}`},
				{"POST", "/v1/search", `{"query":"apples","expect":"@"}`},
				{"POST", "/v1/search", `{"query":"apples","conversation":"@"}`},
				{"POST", "/v1/brief", `{"query":"apples","container":"@","max_tokens":300}`},
				{"POST", "/v1/documents", `{"content":"a note","container":"@"}`},
				{"POST", "/v1/memories", `{"content":"a note","container":"@"}`},
				{"POST", "/v1/messages", `{"conversation":"c","container":"@","messages":[{"content":"hello"}]}`},
				{"POST", "/v1/edges", `{"source":"@","target":"@","type":"references"}`},
				{"POST", "/v1/grants", `{"subject_id":"@","container":"team.agent"}`},
				{"POST", "/v1/keys", `{"name":"x","container":"@"}`},
				{"POST", "/v1/nodes", `{"container":"@.below"}`},
				{"POST", "/v1/graph/nodes", `{"name":"Mallory","type":"entity","parent_id":"@"}`},
				{"POST", "/v1/graph/nodes", `{"name":"below","type":"topic","parent_id":"@"}`},
				{"POST", "/v3/memory", `{"content":"a note","project_id":"@"}`},
				{"POST", "/v3/recall", `{"query":"apples","project_id":"@"}`},
				{"DELETE", "/v1/edges?source=@&target=@&type=references", ""},
			} {
				if kind == "path" || !strings.Contains(x[2], "@.below") {
					compare(s, x[0], x[1], x[2], id)
				}
			}
		}
		t.Log(name, tried, statements)
	}
	if statements < int64(tried) {
		t.Errorf("%d requests asked the store %d times: they are not counted", tried, statements)
	}
	// Nothing of it has been changed.
	for _, kind := range []string{"doc", "mem", "conv", "node"} {
		home := map[string]string{"doc": "documents", "mem": "memories", "conv": "conversations", "node": "nodes"}[kind]
		if got := v.raw("GET", "/v1/"+home+"/"+v.ids[kind], ""); !strings.HasPrefix(got, "200") || strings.Contains(got, "taken") {
			t.Errorf("%s: %s", kind, got)
		}
	}
}

// N-14, N-16: the life of a grant over HTTP, with the fields of the source.
func TestGrants(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	until := v.clock.Now().Add(24 * time.Hour).UTC().Truncate(time.Second)
	g := v.must(201, "POST", "/v1/grants", obj{"subject_id": "team.agent", "target_node_id": "vault.plans", "grant_type": "read_write", "expires_at": until})
	me := text(v.must(200, "GET", "/v1/whoami", nil), "user", "id")
	if text(g, "subject_type") != "persona" || text(g, "grant_type") != "read_write" || text(g, "grantor_user_id") != me || text(g, "container") != "vault.plans" ||
		!strings.HasPrefix(text(g, "target_node_id"), "node_") || !strings.HasPrefix(text(g, "subject_id"), "node_") || text(g, "expires_at") != until.Format(time.RFC3339) ||
		g["revoked_at"] != nil || text(g, "granted_at") == "" {
		t.Errorf("made: %v", g)
	}
	if got := v.must(200, "GET", "/v1/grants/"+text(g, "id"), nil); !cmp.Equal(got, g) {
		t.Errorf("read again: %v", got)
	}
	if l := v.persona.must(200, "GET", "/v1/grants?container=vault.plans", nil); num(l, "total") != 1 {
		t.Errorf("the persona's: %v", l)
	}
	note := v.persona.must(201, "POST", "/v1/documents", obj{"container": "vault.plans", "content": "Written by the agent."})
	v.persona.must(200, "PATCH", "/v1/documents/"+text(note, "id"), obj{"title": "By the agent"})
	v.persona.must(403, "DELETE", "/v1/nodes/vault.plans", nil)
	v.persona.must(403, "POST", "/v1/nodes/vault.plans/move", obj{"container": "team.agent.plans"})
	v.persona.must(403, "POST", "/v1/nodes/vault.plans/archive", obj{"into": "team.agent"})
	// What was granted for reading: an act on it is refused by name, as it may be seen.
	v.persona.must(403, "POST", "/v1/documents", obj{"container": "shared", "content": "not mine"})
	doc := text(objs(v.persona.must(200, "GET", "/v1/documents?container=shared", nil)["items"])[0], "id")
	v.persona.must(403, "PATCH", "/v1/documents/"+doc, obj{"title": "taken"})
	v.persona.must(403, "DELETE", "/v1/documents/"+doc, nil)
	v.third.must(403, "DELETE", "/v1/documents/"+doc, nil)
	// A persona's key is bound to its container, wherever that goes.
	v.must(200, "POST", "/v1/nodes/team.agent/move", obj{"container": "crew.agent"})
	if who := v.persona.must(200, "GET", "/v1/whoami", nil); text(who, "key", "container") != "crew.agent" || text(who, "user", "email") != "" {
		t.Errorf("who: %v", who)
	}
	if l := v.persona.must(200, "GET", "/v1/documents", nil); num(l, "total") != 3 {
		t.Errorf("after a move: %v", l)
	}
	for _, x := range []struct {
		status int
		field  string
		body   obj
	}{
		{400, "subject_id", obj{"container": "shared"}},
		{400, "container", obj{"subject_id": "crew.agent"}},
		{400, "subject_id", obj{"subject_id": "shared", "container": "shared"}}, // no persona
		{400, "grant_type", obj{"subject_id": "crew.agent", "container": "shared", "grant_type": "own"}},
		{400, "expires_at", obj{"subject_id": "crew.agent", "container": "shared", "expires_at": "2001-01-01"}},
		{404, "", obj{"subject_id": "crew.agent", "container": "nowhere"}},
		{404, "", obj{"subject_id": "crew.nobody", "container": "shared"}},
		{422, "", obj{"subject_id": "crew.agent", "container": "shared", "cascade": true}},
	} {
		if got := v.must(x.status, "POST", "/v1/grants", x.body); x.field != "" && text(got, "error", "details", "field") != x.field {
			t.Errorf("%v: %v, want the field %s", x.body, got, x.field)
		}
	}
	third := text(v.third.must(200, "GET", "/v1/whoami", nil), "key", "id")
	v.must(400, "POST", "/v1/grants", obj{"subject_id": third, "container": "shared", "grant_type": "read_write"})
	own := text(v.must(200, "GET", "/v1/whoami", nil), "key", "id")
	v.must(400, "POST", "/v1/grants", obj{"subject_id": own, "container": "shared"})
	v.must(400, "POST", "/v1/keys", obj{"name": "x", "persona": "shared"})
	v.must(400, "POST", "/v1/keys", obj{"name": "x", "persona": "crew.agent", "role": "admin"})
	v.must(400, "POST", "/v1/keys", obj{"name": "x", "persona": "crew.agent", "third_party": true})
	// Nobody who was granted something passes it on.
	for _, s := range []*site{v.persona, v.third} {
		s.must(403, "POST", "/v1/grants", obj{"subject_id": "crew.agent", "container": "shared"})
		s.must(403, "DELETE", "/v1/grants/"+text(g, "id"), nil)
		s.must(403, "POST", "/v1/keys", obj{"name": "x"})
	}
	acts := map[string]int{}
	v.must(200, "DELETE", "/v1/grants/"+text(g, "id"), nil)
	v.persona.must(404, "GET", "/v1/documents/"+text(note, "id"), nil)
	v.persona.must(404, "GET", "/v1/grants/"+text(g, "id"), nil)
	for _, a := range objs(v.must(200, "GET", "/v1/audit?limit=100", nil)["items"]) {
		acts[text(a, "action")]++
	}
	if acts["grant.create"] != 3 || acts["grant.revoke"] != 1 {
		t.Errorf("audit: %v", acts)
	}
	// With the persona goes what its key could see.
	v.must(200, "DELETE", "/v1/nodes/crew.agent", nil)
	if l := v.persona.must(200, "GET", "/v1/documents", nil); num(l, "total") != 0 {
		t.Errorf("a persona that is gone sees %v", l)
	}
}

// A key of a persona says where the persona stands: when it is made, in the lists, and after the persona was moved or has gone.
func TestPersonaKeyPlace(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.must(201, "POST", "/v1/nodes", obj{"container": "team.agent", "type": "persona"})
	key := s.must(201, "POST", "/v1/keys", obj{"name": "agent", "persona": "team.agent"})
	place := func(path string) string {
		t.Helper()
		for _, k := range objs(s.must(200, "GET", path, nil)["items"]) {
			if text(k, "id") == text(key, "id") {
				return text(k, "container")
			}
		}
		t.Fatalf("%s does not list the key", path)
		return ""
	}
	if got := text(key, "container"); got != "team.agent" {
		t.Errorf("made in %q", got)
	}
	for _, path := range []string{"/v1/keys", "/v1/keys?all=true"} {
		if got := place(path); got != "team.agent" {
			t.Errorf("%s says %q", path, got)
		}
	}
	s.must(200, "POST", "/v1/nodes/team.agent/move", obj{"container": "staff.agent"})
	if got := place("/v1/keys"); got != "staff.agent" {
		t.Errorf("after the persona was moved: %q", got)
	}
	s.must(200, "DELETE", "/v1/nodes/staff.agent", nil)
	if got := place("/v1/keys"); got != "" {
		t.Errorf("after the persona was deleted: %q", got)
	}
}
