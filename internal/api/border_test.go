package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// A parameter that a request does not have is named: a deletion that was meant softly must not be one for good because of a slip.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	doc := text(s.save("The ferry leaves at nine."), "id")
	for path, field := range map[string]string{
		"/v1/documents/" + doc + "?sotf=true": "sotf",
		"/v1/documents/" + doc + "?soft":      "soft",
		"/v1/documents/" + doc + "?soft=":     "soft",
		"/v1/documents/" + doc + "?soft=soon": "soft",
	} {
		status, out := s.do("DELETE", path, nil)
		if want := map[bool]int{true: 422, false: 400}[field == "sotf"]; status != want || text(out, "error", "details", "field") != field || out["error"].(obj)["details"].(obj)["errors"] != nil {
			t.Errorf("%s: %d %v", path, status, out)
		}
	}
	for _, path := range []string{"/v1/documents?contaner=work", "/v1/memories?Kind=fact", "/v3/projects?limit=3"} {
		if out := s.must(422, "GET", path, nil); text(out, "error", "code") != "UNKNOWN_FIELD" || !strings.Contains(text(out, "error", "message"), "parameter") {
			t.Errorf("%s: %v", path, out)
		}
	}
	for path, hint := range map[string]string{ // what is answered as it comes, or read as it comes
		"GET /v1/events?since=foo": "leave it out", "GET /v1/export?contaner=work": "did you mean container?", "POST /v1/import?dryrun=true": "did you mean dry_run?",
	} {
		method, path, _ := strings.Cut(path, " ")
		if out := s.must(422, method, path, nil); text(out, "error", "code") != "UNKNOWN_FIELD" || text(out, "error", "hint") != hint || !strings.Contains(text(out, "error", "message"), "parameter") {
			t.Errorf("%s: %v", path, out)
		}
	}
	s.must(200, "GET", "/health?probe=7", nil)
	s.must(200, "GET", "/v1/documents/"+doc, nil)
	s.must(200, "DELETE", "/v1/documents/"+doc+"?soft=true", nil)
	s.must(200, "POST", "/v1/trash/"+doc+"/restore", nil)
	s.must(200, "DELETE", "/v1/documents/"+doc+"?soft=false", nil)
}

// An address that is nearly right says what it takes.
func TestLost(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	for _, c := range []struct{ method, path, allow, hint string }{
		{"PUT", "/v1/documents", "GET, HEAD, POST, OPTIONS", "takes GET, HEAD, POST, OPTIONS"},
		{"DELETE", "/v1/search", "POST, OPTIONS", "takes POST, OPTIONS"},
		{"PATCH", "/v1/events", "GET, HEAD, OPTIONS", "takes GET"},
		{"GET", "/v1/documents/", "", "leave out the slash at the end: /v1/documents"},
		{"GET", "/v2/anything/", "", "see /openapi.json"},
		{"OPTIONS", "/v2/anything", "", "see /openapi.json"},
	} {
		req, _ := http.NewRequest(c.method, s.url+c.path, nil)
		req.Header.Set("Authorization", "Bearer "+s.key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var out obj
		err = json.NewDecoder(resp.Body).Decode(&out)
		_ = resp.Body.Close()
		want, code := http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED"
		if c.allow == "" {
			want, code = http.StatusNotFound, "NOT_FOUND"
		}
		if err != nil || resp.StatusCode != want || text(out, "error", "code") != code || resp.Header.Get("Allow") != c.allow || !strings.Contains(text(out, "error", "hint"), c.hint) {
			t.Errorf("%s %s: %d, Allow %q, %v", c.method, c.path, resp.StatusCode, resp.Header.Get("Allow"), out)
		}
	}
}

// A compressed body is not read as if it were JSON, nor an import as if it were text.
func TestEncodedBodies(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	for enc, want := range map[string]int{"gzip": 415, "br": 415, "identity": 200} {
		req, _ := http.NewRequest(http.MethodPost, s.url+"/v1/search", strings.NewReader(`{"query":"x"}`))
		req.Header.Set("Authorization", "Bearer "+s.key)
		req.Header.Set("Content-Encoding", enc)
		status, out := s.send(req)
		if status != want || want == 415 && (text(out, "error", "details", "field") != "Content-Encoding" || text(out, "error", "hint") == "") {
			t.Errorf("%s: %d %v", enc, status, out)
		}
	}
}

// A proxy may keep Authorization for itself.
func TestKeyBesideAProxysOwn(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	req, _ := http.NewRequest(http.MethodGet, s.url+"/v1/whoami", nil)
	req.SetBasicAuth("somebody", "of the proxy")
	req.Header.Set("X-API-Key", s.key)
	if status, out := s.send(req); status != 200 {
		t.Errorf("%d %v", status, out)
	}
}

// T-9: the request of the source document, as it stands there.
func TestSearchAsItsSourceHasIt(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.must(201, "POST", "/v1/documents", obj{"content": "The payment webhook retries three times.", "tags": []string{"payments"}, "occurred_at": "2025-01-03", "source": "import"})
	s.must(201, "POST", "/v1/documents", obj{"content": "The payment webhook was new.", "tags": []string{"payments"}, "occurred_at": "2020-01-03", "source": "import"})
	ask := func(filters string) []obj {
		return objs(s.must(200, "POST", "/v1/search", `{"query":"payment webhook implementation","max_results":10,"include_transcripts":true,"filters":`+filters+`}`)["results"])
	}
	got := ask(`{"date_range":{"start":"2024-01-01","end":null},"topics":["payments","integration"]}`)
	if len(got) != 1 || num(got[0], "relevance_score") == 0 || num(got[0], "relevance_score") != num(got[0], "score") || text(got[0], "document_content") == "" {
		t.Errorf("results: %v", got)
	}
	if got := ask(`{"date_range":{"end":"2021-01-01"}}`); len(got) != 1 {
		t.Errorf("until 2021: %v", got)
	}
	if got := ask(`{"date_range":null}`); len(got) != 2 {
		t.Errorf("no range: %v", got)
	}
	for _, bad := range []string{`{"date_range":"2024"}`, `{"date_range":{"from":"2024-01-01"}}`, `{"date_range":{"start":"soon"}}`} {
		out := s.must(400, "POST", "/v1/search", `{"query":"x","filters":`+bad+`}`)
		if text(out, "error", "details", "field") != "filters.date_range" {
			t.Errorf("%s: %v", bad, out)
		}
	}
}

// A label may hold a comma; it is one label.
func TestSessionWithAComma(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	for _, session := range []string{"May 8, 2026", "May 8"} {
		s.must(201, "POST", "/v1/messages", obj{"conversation": session, "messages": []obj{{"content": "The tide turns at six.", "session": session}}})
	}
	got := objs(s.must(200, "POST", "/v1/search", obj{"query": "tide", "session": "May 8, 2026", "types": []string{"message"}})["results"])
	if len(got) != 1 || text(got[0], "message", "session") != "May 8, 2026" {
		t.Errorf("results: %v", got)
	}
	talk := text(objs(s.must(200, "GET", "/v1/conversations", nil)["items"])[0], "id")
	got = objs(s.must(200, "POST", "/v1/search", obj{"query": "tide", "conversation": talk, "types": []string{"message"}})["results"])
	if len(got) != 1 || text(got[0], "message", "conversation") != "May 8" {
		t.Errorf("of one conversation: %v", got)
	}
	s.must(400, "POST", "/v1/search", obj{"query": "tide", "conversation": "May 8"})
}

// "Tomorrow" is that of the clock that the message was written by.
func TestOffsetOfAMessage(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	say := obj{"conversation": "c", "messages": []obj{{"role": "user", "speaker": "Ana", "time": "2026-03-02T23:30:00-08:00", "content": "I have a dentist appointment tomorrow."}}}
	s.must(201, "POST", "/v1/messages", say)
	say["conversation"] = "d"
	s.must(200, "POST", "/v1/import/items", obj{"items": []obj{{"key": "k", "append": say}}})
	mems := objs(s.must(200, "GET", "/v1/memories", nil)["items"])
	if len(mems) == 0 {
		t.Fatal("nothing was learned")
	}
	for _, m := range mems {
		if all := fmt.Sprint(m); strings.Contains(all, "2026-03-04") || !strings.Contains(all, "2026-03-03") {
			t.Errorf("%v", m)
		}
	}
	for _, c := range objs(s.must(200, "GET", "/v1/conversations", nil)["items"]) {
		m := objs(s.must(200, "GET", "/v1/conversations/"+text(c, "id")+"/messages", nil)["items"])
		if text(m[0], "time") != "2026-03-03T07:30:00Z" {
			t.Errorf("the message says %v", m[0]["time"])
		}
	}
}

// form sends files under one name, with repeated values.
func (s *site) form(files map[string]string, values ...[2]string) (int, obj) {
	s.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, v := range values {
		_ = w.WriteField(v[0], v[1])
	}
	for name, content := range files {
		part, err := w.CreateFormFile("file", name)
		if err != nil {
			s.t.Fatal(err)
		}
		_, _ = part.Write([]byte(content))
	}
	_ = w.Close()
	req, _ := http.NewRequest(http.MethodPost, s.url+"/v1/documents/upload", &body)
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", w.FormDataContentType())
	return s.send(req)
}

// What a save in JSON can say, an upload can say too, and each of several files has an answer of its own.
func TestUploadSaysAsMuch(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	old := text(s.save("The old plan."), "id")
	status, out := s.form(map[string]string{"plan.txt": "The new plan."}, [2]string{"tags", `["sea, deep","boat"]`}, [2]string{"tags", "harbour, quay"},
		[2]string{"source", "web"}, [2]string{"updates", old})
	if status != 201 {
		t.Fatalf("status %d: %v", status, out)
	}
	doc := objs(out["items"])[0]["document"].(obj)
	if tags := fmt.Sprint(doc["tags"]); !strings.HasPrefix(tags, "[sea, deep boat harbour quay") {
		t.Errorf("tags: %v", tags)
	}
	if text(doc, "origin") != "web" || num(doc, "version") != 2 || text(doc, "previous_id") != old {
		t.Errorf("document: %v", doc)
	}
	for field, value := range map[string]string{"source": "nowhere", "updates": "mem_00000000000000000000000000", "forget_after": "soon", "metadata": "[1]"} {
		status, out := s.form(map[string]string{"a.txt": "x y z"}, [2]string{field, value})
		if status != 400 || text(out, "error", "request_id") == "" {
			t.Errorf("%s: %d %v", field, status, out)
		}
	}
	status, out = s.form(map[string]string{"a.exe": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 64), "b.txt": "Read me."})
	items := objs(out["items"])
	if status != 200 || len(items) != 2 {
		t.Fatalf("two files, one of them bad: %d %v", status, out)
	}
	seen := map[float64]bool{num(items[0], "status"): true, num(items[1], "status"): true}
	if !seen[201] || !seen[415] {
		t.Errorf("items: %v", items)
	}
}

// A fault of ours in one of several saves is in the log, under the id that the answer names.
func TestFaultInABatchIsLogged(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	sc, err := s.e.Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	srv := httptest.NewServer(api.New(s.e, api.Options{
		Log: slog.New(slog.NewTextHandler(&log, nil)), Mint: func() string { return "req-of-batch" }, As: &sc,
	}))
	defer srv.Close()
	other := *s
	other.url = srv.URL
	item := objs(other.must(200, "POST", "/v1/documents/batch", obj{"documents": []obj{{"content": ""}}})["items"])[0]
	if text(item, "error", "request_id") != "req-of-batch" {
		t.Errorf("item: %v", item)
	}
	if err := s.e.Close(); err != nil {
		t.Fatal(err)
	}
	status, out := other.do("POST", "/v1/documents/batch", obj{"documents": []obj{{"content": "x"}}})
	if !strings.Contains(log.String(), "request failed") {
		t.Errorf("%d %v; the log: %s", status, out, log.String())
	}
}

// Every list has items, next_cursor and total, whatever else it has.
func TestListsOfOneShape(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	page := s.must(200, "GET", "/v1/graph/nodes?limit=1", nil)
	made := s.must(201, "POST", "/v1/nodes/provision", obj{"container": "work.acme"})
	for name, l := range map[string]obj{"graph nodes": page, "provisioned": made} {
		for _, key := range []string{"items", "next_cursor", "total"} {
			if _, ok := l[key]; !ok {
				t.Errorf("%s lack %s: %v", name, key, l)
			}
		}
	}
	if page["nodes"] == nil || page["pagination"] == nil {
		t.Errorf("graph nodes: %v", page)
	}
	page = s.must(200, "GET", "/v1/graph/nodes?limit=1", nil)
	if p := page["pagination"].(obj); num(p, "limit") != 1 || num(p, "total") < 2 || p["has_more"] != true || len(objs(page["nodes"])) != 1 {
		t.Errorf("pagination: %v", page)
	}
}

// A status that an operation answers with stands in its description, and one that it never answers with does not.
func TestStatusesAreDescribed(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	spec := s.must(200, "GET", "/openapi.json", nil)
	doc := text(s.must(201, "POST", "/v1/documents", obj{"content": "The ferry leaves at nine."}), "id")
	user := text(s.must(201, "POST", "/v1/users", obj{"name": "Bob"}), "id")
	talk := obj{"conversation": "c", "messages": []obj{{"id": "1", "content": "Hello there."}}}
	for _, c := range []struct {
		method, path, real string
		body               obj
		status             int
	}{
		{"post", "/v1/documents", "", obj{"content": "One more note."}, 201},
		{"post", "/v1/documents", "", obj{"content": "One more note."}, 200},
		{"post", "/v1/documents", "", obj{"content": strings.Repeat("A long story. ", 8000)}, 202},
		{"post", "/v1/messages", "", talk, 201},
		{"post", "/v1/messages", "", talk, 200},
		{"post", "/v1/memories", "", obj{"content": "Likes tea."}, 201},
		{"post", "/v1/nodes", "", obj{"container": "a"}, 201},
		{"post", "/v1/containers", "", obj{"container": "b"}, 201},
		{"post", "/v1/nodes/provision", "", obj{"container": "c.d"}, 201},
		{"post", "/v1/nodes/{id}/archive", "/v1/nodes/c.d/archive", nil, 200},
		{"post", "/v1/keys", "", obj{"name": "k"}, 201},
		{"post", "/v1/organisations", "", obj{"name": "Acme", "owner_id": user}, 201},
		{"post", "/v1/graph/nodes", "", obj{"name": "Ana", "type": "person"}, 201},
		{"post", "/v1/graph/nodes", "", obj{"name": "Ana", "type": "person"}, 200},
		{"post", "/v1/edges", "", obj{"source": doc, "target": "a", "type": "relates_to"}, 0},
		{"post", "/v3/memory", "", obj{"content": "By the second face.", "project_id": "a"}, 201},
		{"post", "/v3/projects", "", obj{"name": "boats"}, 201},
		{"post", "/v1/search", "", obj{"query": "ferry"}, 200},
		{"get", "/v1/documents/{id}/content", "/v1/documents/" + doc + "/content", nil, 200},
		{"get", "/health", "", nil, 200},
	} {
		path := c.path
		if c.real != "" {
			path = c.real
		}
		var body any
		if c.body != nil {
			body = c.body
		}
		status, out := s.do(strings.ToUpper(c.method), path, body)
		if c.status != 0 && status != c.status {
			t.Errorf("%s %s: status %d, want %d: %v", c.method, path, status, c.status, out)
		}
		op, _ := spec["paths"].(obj)[c.path].(obj)[c.method].(obj)
		described, _ := op["responses"].(obj)
		if _, ok := described[fmt.Sprint(status)]; !ok && status < 300 {
			t.Errorf("%s %s answers %d, and is described with %v", c.method, c.path, status, described)
		}
	}
	for path, item := range spec["paths"].(obj) {
		for method, v := range item.(obj) {
			op := v.(obj)
			content, _ := op["responses"].(obj)["default"].(obj)["content"].(obj)
			if content["application/json"] == nil || len(content) != 1 {
				t.Errorf("%s %s: errors are described as %v", method, path, content)
			}
			if keyless := op["security"] != nil; keyless != (path == "/health" || path == "/ready" || path == "/") {
				t.Errorf("%s %s: security %v", method, path, op["security"])
			}
		}
	}
	if c := spec["paths"].(obj)["/v1/documents/{id}/content"].(obj)["get"].(obj)["responses"].(obj)["200"].(obj)["content"].(obj); c["application/octet-stream"] == nil {
		t.Errorf("bytes are described as %v", c)
	}
	for path, never := range map[string]string{"/v1/memories": "200", "/v1/keys": "200", "/v3/projects": "200"} {
		if _, ok := spec["paths"].(obj)[path].(obj)["post"].(obj)["responses"].(obj)[never]; ok {
			t.Errorf("POST %s is described with %s, which it never answers", path, never)
		}
	}
}

// A time that JSON has no form for, because it lies in the year 10000 or before the year 0 in UTC, would make every list that holds it
// unreadable: it is refused, and passed over where a file or a page says it.
func TestTimesBeyondTheYears(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	for _, at := range []string{"9999-12-31T23:59:59-05:00", "0000-01-01T00:00:00+05:00"} {
		for path, body := range map[string]obj{
			"/v1/documents": {"content": "Far away.", "occurred_at": at},
			"/v1/memories":  {"content": "Far away.", "occurred_at": at},
			"/v1/messages":  {"conversation": "c", "messages": []obj{{"content": "Far away.", "time": at}}},
			"/v3/memory":    {"content": "Far away.", "forget_after": at},
		} {
			if out := s.must(400, "POST", path, body); !strings.Contains(text(out, "error", "message"), "ISO 8601") {
				t.Errorf("%s: %v", path, out)
			}
		}
	}
	status, out := s.form(map[string]string{
		"far.html": `<html><head><title>Far</title><meta property="article:published_time" content="9999-12-31T23:59:59-05:00"></head>` +
			`<body><article><p>Hello from far away, this is a page with some words on it.</p></article></body></html>`,
		"far.md": "---\ntitle: Far\ndate: 9999-12-31T23:59:59-05:00\n---\n# Far\n\nHello from far.\n",
	})
	if items := objs(out["items"]); status != 200 || len(items) != 2 || num(items[0], "status") != 201 || num(items[1], "status") != 201 {
		t.Fatalf("%d %v", status, out)
	}
	if l := s.must(200, "GET", "/v1/documents", nil); num(l, "total") != 2 {
		t.Errorf("list: %v", l)
	}
	s.must(201, "POST", "/v1/documents", obj{"content": "Just before.", "occurred_at": "9999-12-31T23:59:59Z"})
	s.must(200, "GET", "/v1/documents?as_of=2030-05-01T10:00:00+02:00", nil) // the + is a blank by then
}

// What is no text is not kept as something else.
func TestBodiesThatAreNoText(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	out := s.must(400, "POST", "/v1/documents", "{\"content\":\"caf\xe9 au lait\"}")
	if text(out, "error", "details", "field") != "body" || !strings.Contains(text(out, "error", "message"), "UTF-8") {
		t.Errorf("latin-1: %v", out)
	}
	out = s.must(400, "POST", "/v1/search", `{"query":"x","limit":2.0}`)
	if m := text(out, "error", "message"); !strings.Contains(m, "limit") || strings.Contains(m, "Go") || strings.Contains(m, "int") {
		t.Errorf("a fraction: %v", out)
	}
}

// A name that means nothing is told from one that nothing bears.
func TestNamesThatMeanNothing(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	doc := text(s.save("The ferry leaves at nine."), "id")
	for path, field := range map[string]string{
		"/v1/memories?kind=rumour": "kind", "/v1/memories?document_id=mem_00000000000000000000000000": "document_id", "/v1/documents?status=weird": "status",
		"/v1/records/x/history": "id", "/v1/records/0192f8a0-7a3b-7c1d-9e2f-0123456789ab/history": "id",
	} {
		if out := s.must(400, "GET", path, nil); text(out, "error", "details", "field") != field {
			t.Errorf("%s: %v", path, out)
		}
	}
	for _, path := range []string{"/v1/memories?kind=fact, decision", "/v1/memories?document_id=" + doc, "/v1/documents?status=done,failed", "/v1/records/" + doc + "/history"} {
		s.must(200, "GET", strings.ReplaceAll(path, " ", "%20"), nil)
	}
	if out := s.must(404, "GET", "/v1/export?container=nowhere", nil); !strings.Contains(text(out, "error", "message"), "nowhere") {
		t.Errorf("export: %v", out)
	}
	for _, path := range []string{"default", "default!", "default.*", "*"} {
		req, _ := http.NewRequest(http.MethodGet, s.url+"/v1/export?container="+path, nil)
		req.Header.Set("Authorization", "Bearer "+s.key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("export of %s: %d", path, resp.StatusCode)
		}
	}
}
