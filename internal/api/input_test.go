package api_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// Bad input gets a clear error that names the field, and nothing is lost or half written.
func TestBadInput(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	program := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 64)...)
	for _, c := range []struct {
		name   string
		method string
		path   string
		body   any
		status int
		field  string // in details.field
		words  string // in the message
	}{
		{"empty content", "POST", "/v1/documents", obj{"content": ""}, 400, "content", "empty"},
		{"nothing at all", "POST", "/v1/documents", obj{}, 400, "content", "empty"},
		{"blank content", "POST", "/v1/documents", obj{"content": " \n\t\u200b "}, 400, "content", "empty"},
		{"too long", "POST", "/v1/documents", obj{"content": strings.Repeat("a", 500_001)}, 413, "content", "500,000"},
		{"broken JSON", "POST", "/v1/documents", `{"content": "x`, 400, "", ""},
		{"key given twice", "POST", "/v1/documents", `{"content": "x", "content": "y"}`, 400, "content", "is given twice"},
		{"key given twice further in", "POST", "/v1/messages", `{"conversation": "c", "messages": [{"content": "x"}, {"content": "y", "metadata": {"a": 1, "\u0061": 2}}]}`, 400, "messages[1].metadata.a", "is given twice"},
		{"key given twice in /v3", "POST", "/v3/memory", `{"content": "x", "content": "y"}`, 400, "content", "is given twice"},
		{"unknown field", "POST", "/v1/documents", obj{"content": "x", "contnet": "y"}, 422, "contnet", "not a field"},
		{"unknown field of /v3", "POST", "/v3/memory", obj{"content": "x", "colour": "y"}, 422, "colour", "not a field"},
		{"wrong type", "POST", "/v1/documents", obj{"content": 7}, 400, "content", "string"},
		{"two sources", "POST", "/v1/documents", obj{"content": "x", "url": "https://example.org"}, 400, "content", "one of"},
		{"not a URL", "POST", "/v1/documents", obj{"url": "ftp://example.org/x"}, 400, "url", "http"},
		{"past forget_after", "POST", "/v1/documents", obj{"content": "x", "forget_after": "2020-01-01T00:00:00Z"}, 400, "forget_after", "past"},
		{"nonsense forget_after", "POST", "/v1/documents", obj{"content": "x", "forget_after": "soon"}, 400, "forget_after", "ISO 8601"},
		{"nonsense time of a message", "POST", "/v1/messages", obj{"conversation": "c", "messages": []obj{{"content": "x"}, {"content": "y", "time": "soon"}}}, 400, "messages[1].time", `"soon" is not an ISO 8601`},
		{"nonsense start of a range", "POST", "/v1/search", obj{"query": "x", "date_range": obj{"start": "2026-02-30"}}, 400, "date_range.start", "ISO 8601"},
		{"nonsense range among the filters", "POST", "/v1/search", obj{"query": "x", "filters": obj{"date_range": obj{"end": "soon"}}}, 400, "filters.date_range", "ISO 8601"},
		{"nonsense time of an import", "POST", "/v1/import/items", obj{"items": []obj{{"key": "a", "append": obj{"conversation": "c", "messages": []obj{{"content": "x", "time": "soon"}}}}}}, 400, "items[0].append.messages[0].time", "ISO 8601"},
		{"nonsense time of a patch", "PATCH", "/v1/documents/doc_00000000000000000000000000", obj{"forget_after": "soon"}, 400, "forget_after", "ISO 8601"},
		{"number for a container", "POST", "/v1/search", obj{"query": "x", "container": 3}, 400, "container", "a text or a list"},
		{"name for the id of a conversation", "POST", "/v1/search", obj{"query": "x", "conversation": "c"}, 400, "conversation", `"conv_"`},
		{"name for the id of a document", "GET", "/v1/memories?document_id=c", nil, 400, "document_id", `"doc_"`},
		{"name for the ids of a retry", "POST", "/v1/jobs/retry", obj{"ids": []string{"doc_00000000000000000000000000", "c"}}, 400, "ids[1]", `"doc_"`},
		{"no boolean", "POST", "/v1/search", obj{"query": "x", "filters": obj{"latest": "no"}}, 400, "filters.latest", "true, false"},
		{"bad container", "POST", "/v1/documents", obj{"content": "x", "container": "a b"}, 400, "container", "segment"},
		{"too deep", "POST", "/v1/documents", obj{"content": "x", "container": "a.b.c.d.e.f"}, 400, "container", "6 levels"},
		{"bare UUID", "GET", "/v1/documents/0192f8a0-7a3b-7c1d-9e2f-0123456789ab", nil, 400, "id", `"doc_"`},
		{"wrong kind of id", "GET", "/v1/documents/mem_00000000000000000000000000", nil, 400, "id", `"mem_"`},
		{"unknown id", "GET", "/v1/documents/doc_00000000000000000000000000", nil, 404, "", "no document"},
		{"updates of a memory", "POST", "/v1/documents", obj{"content": "x", "updates": "mem_00000000000000000000000000"}, 400, "updates", `"doc_"`},
		{"unknown ranker", "POST", "/v1/search", obj{"query": "x", "ranker": "magic"}, 400, "ranker", "lukasa"},
		{"limit 0 is the default, -1 is wrong", "POST", "/v1/search", obj{"query": "x", "container": "default", "limit": -1}, 400, "limit", "1 and 200"},
		{"limit over", "POST", "/v1/search", obj{"query": "x", "limit": 201}, 400, "limit", "1 and 200"},
		{"unknown filter", "POST", "/v1/search", obj{"query": "x", "filters": obj{"colour": "red"}}, 422, "filters.colour", "not a filter"},
		{"bad filter", "POST", "/v1/search", obj{"query": "x", "filters": obj{"and": "x"}}, 400, "filters.and", "list"},
		{"bad include", "POST", "/v1/search", obj{"query": "x", "include": []string{"everything"}}, 400, "include", "content"},
		{"query too long", "POST", "/v1/search", obj{"query": strings.Repeat("a ", 6000)}, 413, "query", "10000"},
		{"bad kind", "POST", "/v1/memories", obj{"content": "x", "kind": "rumour"}, 400, "kind", "fact"},
		{"bad confidence", "POST", "/v1/memories", obj{"content": "x", "confidence": 7}, 400, "confidence", "0 and 1"},
		{"no conversation", "POST", "/v1/messages", obj{"messages": []obj{{"content": "x"}}}, 400, "conversation", "empty"},
		{"no messages", "POST", "/v1/messages", obj{"conversation": "c"}, 400, "messages", "empty"},
		{"unknown address", "GET", "/v1/nothing", nil, 404, "", "no such address"},
		{"list limit", "GET", "/v1/documents?limit=1000", nil, 400, "limit", ""},
		{"bad cursor", "GET", "/v1/documents?cursor=xyz", nil, 400, "cursor", ""},
		{"program as text", "POST", "/v1/documents", obj{"file_base64": base64.StdEncoding.EncodeToString(program), "filename": "note.txt"}, 415, "content_type", "program"},
		{"not base64", "POST", "/v1/documents", obj{"file_base64": "%%%"}, 400, "file_base64", "base64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out := s.do(c.method, c.path, c.body)
			e, _ := out["error"].(obj)
			details, _ := e["details"].(obj)
			if status != c.status || text(e, "code") == "" || text(e, "request_id") == "" {
				t.Fatalf("status %d, want %d: %v", status, c.status, out)
			}
			if c.field != "" && text(details, "field") != c.field {
				t.Errorf("field %q, want %q (%v)", text(details, "field"), c.field, e)
			}
			if !strings.Contains(text(e, "message"), c.words) {
				t.Errorf("message %q lacks %q", text(e, "message"), c.words)
			}
		})
	}
	if st := s.must(200, "GET", "/v1/stats", nil); num(st, "documents")+num(st, "memories")+num(st, "messages") != 0 {
		t.Errorf("refused requests left something behind: %v", st)
	}
}

// T-12, H-27
func TestCredentials(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	get := func(header, value string) int {
		req, _ := http.NewRequest(http.MethodGet, s.url+"/v1/whoami", nil)
		if header != "" {
			req.Header.Set(header, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	for _, c := range []struct {
		header, value string
		want          int
	}{
		{"", "", 401},
		{"Authorization", "Bearer ", 401},
		{"Authorization", "Bearer sk_wrong", 401},
		{"Authorization", "Basic " + s.key, 401},
		{"Authorization", "Bearer " + s.key, 200},
		{"Authorization", s.key, 200},
		{"X-API-Key", s.key, 200},
	} {
		if got := get(c.header, c.value); got != c.want {
			t.Errorf("%s: %q answers %d, want %d", c.header, c.value, got, c.want)
		}
	}
	k := s.must(201, "POST", "/v1/keys", obj{"name": "phone"})
	if got := get("X-API-Key", text(k, "key")); got != 200 {
		t.Errorf("new key answers %d", got)
	}
	s.must(200, "DELETE", "/v1/keys/"+text(k, "id"), nil)
	if got := get("X-API-Key", text(k, "key")); got != 401 {
		t.Errorf("revoked key answers %d", got)
	}
	k = s.must(201, "POST", "/v1/keys", obj{"name": "short", "expires_at": s.clock.Now().Add(time.Hour).Format(time.RFC3339)})
	s.clock.Advance(2 * time.Hour)
	if got := get("X-API-Key", text(k, "key")); got != 401 {
		t.Errorf("expired key answers %d", got)
	}
}

// What belongs to somebody else looks like what is not there, in every call.
func TestSomebodyElses(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	doc := s.save("The treasure lies under the old oak.")
	mem := s.must(201, "POST", "/v1/memories", obj{"content": "The oak is 300 years old."})
	conv := s.must(201, "POST", "/v1/messages", obj{"conversation": "c", "messages": []obj{{"content": "Where is the treasure?"}}})
	u := s.must(201, "POST", "/v1/users", obj{"name": "Bob"})
	k := s.must(201, "POST", "/v1/keys", obj{"name": "bob", "user_id": text(u, "id")})
	admin := s.key
	s.key = text(k, "key")
	id := text(doc, "id")
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"GET", "/v1/documents/" + id, nil},
		{"PATCH", "/v1/documents/" + id, obj{"title": "mine"}},
		{"DELETE", "/v1/documents/" + id, nil},
		{"GET", "/v1/documents/" + id + "/chunks", nil},
		{"GET", "/v1/documents/" + id + "/versions", nil},
		{"GET", "/v1/documents/" + id + "/content", nil},
		{"GET", "/v3/documents/" + id, nil},
		{"DELETE", "/v3/documents/" + id, nil},
		{"POST", "/v3/memory", obj{"content": "x", "updates_memory_id": id}},
		{"GET", "/v1/memories/" + text(mem, "id"), nil},
		{"PATCH", "/v1/memories/" + text(mem, "id"), obj{"kind": "task"}},
		{"DELETE", "/v1/memories/" + text(mem, "id"), nil},
		{"GET", "/v1/conversations/" + text(conv, "conversation_id"), nil},
		{"GET", "/v1/conversations/" + text(conv, "conversation_id") + "/messages", nil},
		{"GET", "/v1/nodes/" + text(doc, "project_id"), nil},
		{"DELETE", "/v1/nodes/" + text(doc, "project_id"), nil},
	} {
		status, theirs := s.do(c.method, c.path, c.body)
		unknown := c.path
		for _, p := range []string{id, text(mem, "id"), text(conv, "conversation_id"), text(doc, "project_id")} {
			if p != "" {
				unknown = strings.ReplaceAll(unknown, p, p[:strings.IndexByte(p, '_')+1]+strings.Repeat("0", 26))
			}
		}
		_, absent := s.do(c.method, unknown, c.body)
		if status != 404 {
			t.Errorf("%s %s answers %d", c.method, c.path, status)
		}
		if a, b := text(theirs, "error", "code"), text(absent, "error", "code"); a != b && c.path != "/v3/memory" {
			t.Errorf("%s %s: code %q, of an absent one %q", c.method, c.path, a, b)
		}
	}
	for _, q := range []string{"treasure oak", ""} {
		if r := s.recall(q); len(r) != 0 {
			t.Errorf("query %q finds %v", q, r)
		}
	}
	s.must(403, "GET", "/v1/users", nil)
	s.must(403, "POST", "/v1/keys", obj{"name": "x", "role": "admin"})
	s.key = admin
	if r := s.recall("treasure"); len(r) != 2 {
		t.Errorf("the owner finds %d", len(r))
	}
	s.must(200, "DELETE", "/v1/users/"+text(u, "id"), nil)
	s.key = text(k, "key")
	s.must(401, "GET", "/v1/whoami", nil)
}

// A read-only key reads and does not write; a key bound to a container sees its subtree alone.
func TestBoundKeys(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.must(201, "POST", "/v1/documents", obj{"content": "Acme pays in March.", "container": "work.acme"})
	s.must(201, "POST", "/v1/documents", obj{"content": "Mother pays for lunch.", "container": "home"})
	ro := s.must(201, "POST", "/v1/keys", obj{"name": "reader", "read_only": true})
	bound := s.must(201, "POST", "/v1/keys", obj{"name": "acme", "container": "work.acme"})
	s.key = text(ro, "key")
	if r := objs(s.must(200, "POST", "/v1/search", obj{"query": "pays"})["results"]); len(r) != 2 {
		t.Errorf("read-only key finds %d", len(r))
	}
	s.must(403, "POST", "/v1/documents", obj{"content": "x"})
	s.must(403, "POST", "/v1/keys", obj{"name": "y"})
	s.key = text(bound, "key")
	for _, body := range []obj{{"query": "pays"}, {"query": ""}, {"query": "lunch", "container": "home"}, {"query": "pays", "container": "work"}} {
		for _, h := range objs(s.must(200, "POST", "/v1/search", body)["results"]) {
			if text(h, "container") != "work.acme" {
				t.Errorf("%v finds %v", body, h)
			}
		}
	}
	s.must(404, "POST", "/v1/documents", obj{"content": "x", "container": "home"})
	out := s.must(201, "POST", "/v1/documents", obj{"content": "Acme moved to Bergen."})
	if text(out, "container") != "work.acme" {
		t.Errorf("written to %q", text(out, "container"))
	}
	s.must(201, "POST", "/v1/documents", obj{"content": "Acme's new hall.", "container": "work.acme.hall"})
	if ns := objs(s.must(200, "GET", "/v1/nodes", nil)["items"]); len(ns) != 2 {
		t.Errorf("sees containers %v", ns)
	}
	if st := s.must(200, "GET", "/v1/stats", nil); num(st, "documents") != 3 {
		t.Errorf("counts %v documents", st["documents"])
	}
}

// T-23
func TestRequestLimits(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *config.Config) { c.MaxBody = 1 << 20 }, engine.Options{})
	status, out := s.do("POST", "/v1/documents", `{"content":"`+strings.Repeat("a", 1<<20)+`"}`)
	if status != 413 || text(out, "error", "code") != "TOO_LARGE" {
		t.Errorf("over the body limit: %d %v", status, out)
	}
	req, _ := http.NewRequest(http.MethodPost, s.url+"/v1/documents", strings.NewReader("content=x"))
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("wrong content type answers %d", resp.StatusCode)
	}
	slow := serve(t, func(c *config.Config) { c.RequestTimeout = time.Nanosecond }, engine.Options{})
	if status, out := slow.do("POST", "/v1/search", obj{"query": "x"}); status != 504 {
		t.Errorf("no time left answers %d %v", status, out)
	}
}

// What a form is put aside in while it is read is gone behind the answer, also that of a refusal: it is a user's text.
func TestUploadsLeaveNothingBehind(t *testing.T) { //nolint:paralleltest // it sets the folder for temporary files
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := serve(t, nil, engine.Options{})
	text := bytes.Repeat([]byte("The harbour of Porto is not to be left on a disk. "), 4_000)
	if status, out := s.upload("long.txt", text, nil); status != 201 && status != 202 {
		t.Fatalf("%d %v", status, out)
	}
	if status, _ := s.upload("long.txt", text, map[string]string{"colour": "red"}); status != 422 {
		t.Errorf("%d", status)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "multipart-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// upload sends one file as a multipart form.
func (s *site) upload(name string, data []byte, fields map[string]string) (int, obj) {
	s.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for k, v := range fields {
		if err := w.WriteField(k, v); err != nil {
			s.t.Fatal(err)
		}
	}
	f, err := w.CreateFormFile("file", name)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		s.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		s.t.Fatal(err)
	}
	req, _ := http.NewRequest(http.MethodPost, s.url+"/v1/documents/upload", &body)
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", w.FormDataContentType())
	return s.send(req)
}

// D-2
func TestUpload(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	status, out := s.upload("plan.md", []byte("# Plan\n\nBuy a boat.\n"), map[string]string{"container": "trips", "tags": "sea,boat", "metadata": `{"year":2026}`})
	if status != 201 {
		t.Fatalf("status %d: %v", status, out)
	}
	doc := objs(out["items"])[0]["document"].(obj)
	if text(doc, "title") != "Plan" || text(doc, "container") != "trips" || text(doc, "content_type") != "markdown" {
		t.Errorf("document: %v", doc)
	}
	if status, _ := s.upload("x.txt", []byte("x"), map[string]string{"colour": "red"}); status != 422 {
		t.Errorf("unknown field answers %d", status)
	}
	if status, _ := s.upload("x.txt", nil, nil); status != 400 {
		t.Errorf("empty file answers %d", status)
	}
	// a larger file is worked off by a job
	var long bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&long, "Line %d of the ship's log mentions the wind.\n", i)
	}
	status, out = s.upload("log.txt", long.Bytes(), nil)
	if status != 202 {
		t.Fatalf("large file answers %d: %v", status, out)
	}
	id := text(objs(out["items"])[0]["document"].(obj), "id")
	if err := s.e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := s.must(200, "GET", "/v1/documents/"+id, nil)
	if text(got, "status") != "done" || !strings.HasSuffix(strings.TrimSpace(text(got, "content")), "Line 2999 of the ship's log mentions the wind.") {
		t.Errorf("status %q, %d bytes", text(got, "status"), len(text(got, "content")))
	}
	req, _ := http.NewRequest(http.MethodGet, s.url+"/v1/documents/"+id+"/content", nil)
	req.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if raw, _ := io.ReadAll(resp.Body); !bytes.Equal(raw, long.Bytes()) {
		t.Errorf("the raw bytes differ: %d, want %d", len(raw), long.Len())
	}
}

// Hostile content: it is taken in or refused, in time, and the server goes on.
func TestHostileContent(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *config.Config) { c.MaxBody = 12 << 20 }, engine.Options{})
	deep := strings.Repeat("<div>", 60_000) + "needle in the depth" + strings.Repeat("</div>", 60_000)
	for name, data := range map[string][]byte{
		"invalid UTF-8":         []byte("caf\xe9 \xff\xfe needle"),
		"NUL bytes":             []byte("a needle \x00 in a stack"),
		"one line of 10 MB":     bytes.Repeat([]byte("needle "), 1_490_000),
		"a million tags":        append(bytes.Repeat([]byte("<b>"), 1_000_000), "needle"...),
		"nested tags":           []byte("<html><body>" + deep),
		"only combining":        []byte("needle " + strings.Repeat("\u0301", 50_000)),
		"right to left":         []byte("needle \u202e\u05d0\u05d1 \u200f"),
		"JSON in depth":         []byte(strings.Repeat("[", 50_000) + `"needle"` + strings.Repeat("]", 50_000)),
		"unclosed everything":   []byte("<table><tr><td><ul><li><a href='x needle"),
		"CSV of quotes":         []byte("a,b\n\"" + strings.Repeat("\"\",", 20_000) + " needle\n"),
		"a word of 100,000":     []byte("needle " + strings.Repeat("a", 100_000)),
		"markdown of emphasis":  []byte("needle " + strings.Repeat("*_", 50_000)),
		"markdown of brackets":  []byte("needle " + strings.Repeat("[", 50_000)),
		"script without an end": []byte("<p>needle</p><script>" + strings.Repeat("x", 50_000)),
	} {
		began := time.Now()
		status, out := s.upload("x", data, nil)
		if status >= 500 {
			t.Errorf("%s: %d %v", name, status, out)
		}
		if err := s.e.Drain(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > 2*time.Minute { // linear work takes seconds, also under the race detector
			t.Errorf("%s took %v", name, took)
		}
	}
	s.must(200, "POST", "/v1/search", obj{"query": "needle"})
}

// A field or parameter that there is not is answered with the one that was meant, or with those that there are where it stands.
func TestUnknownFieldsHint(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	for _, c := range []struct {
		method, path string
		body         any
		hint         string
	}{
		{"POST", "/v1/messages", obj{"conversation": "c", "messages": []obj{{"content": "x", "timestamp": "2026-03-01"}}}, "did you mean time?"},
		{"POST", "/v1/messages", obj{"conversation": "c", "messages": []obj{{"content": "x", "colour": "y"}}}, "there are content, forget_after, id, metadata, role, session, speaker, time"},
		{"POST", "/v1/documents", obj{"content": "x", "contnet": "y"}, "did you mean content?"},
		{"POST", "/v1/documents", obj{"content": "x", "created_at": "2026-03-01"}, "did you mean occurred_at?"},
		{"POST", "/v1/search", obj{"query": "x", "top_k": 3}, "did you mean limit?"},
		{"POST", "/v1/search", obj{"query": "x", "user_id": "ana"}, "did you mean container?"},
		{"GET", "/v1/memories?kinds=fact", nil, "did you mean kind?"},
		{"GET", "/v1/audit?colour=red", nil, "there are "},
	} {
		if out := s.must(422, c.method, c.path, c.body); !strings.HasPrefix(text(out, "error", "hint"), c.hint) {
			t.Errorf("%s %s %v: %v, want the hint %q", c.method, c.path, c.body, out, c.hint)
		}
	}
}

// What should be a time and is none is answered with the forms that are taken, wherever it stands.
func TestTimeHint(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"GET", "/v1/memories?as_of=yesterday", nil},
		{"GET", "/v1/memories?valid_at=1700000000", nil},
		{"GET", "/v1/defining-memories?since=soon", nil},
		{"POST", "/v1/search", obj{"query": "x", "as_of": "yesterday"}},
		{"POST", "/v1/search", obj{"query": "x", "as_of": 1700000000}},
		{"POST", "/v1/search", obj{"query": "x", "date_range": obj{"start": "2026-02-30"}}},
		{"POST", "/v1/documents", obj{"content": "x", "forget_after": "soon"}},
		{"POST", "/v1/messages", obj{"conversation": "c", "messages": []obj{{"content": "x"}, {"content": "y", "time": 1700000000}}}},
		{"PATCH", "/v1/documents/doc_00000000000000000000000000", obj{"forget_after": "soon"}},
	} {
		out := s.must(400, c.method, c.path, c.body)
		if hint := text(out, "error", "hint"); !strings.Contains(hint, "2026-05-01T10:00:00Z") {
			t.Errorf("%s %s %v: hint %q of %v", c.method, c.path, c.body, hint, out)
		}
	}
	if out := s.must(400, "POST", "/v1/search", obj{"query": 7}); strings.Contains(text(out, "error", "hint"), "2026") {
		t.Errorf("a number for a text: %v", out)
	}
}

// A message may say what it says in parts, as APIs of models have it. A part that is no text is refused by its place.
func TestContentParts(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	say := func(content any) obj { return obj{"conversation": "parts", "messages": []obj{{"content": content}}} }
	for _, c := range []struct {
		content any
		want    string
	}{
		{[]obj{{"type": "text", "text": "I moved to Lyon."}}, "I moved to Lyon."},
		{[]obj{{"type": "text", "text": "I moved to Lyon."}, {"type": "input_text", "text": "In May."}}, "I moved to Lyon.\nIn May."},
		{[]obj{{"type": "output_text", "text": "Noted: in May.", "annotations": []obj{}}}, "Noted: in May."},
		{[]any{"I moved", obj{"type": "text", "text": "to Lyon."}}, "I moved\nto Lyon."},
	} {
		made := s.must(201, "POST", "/v1/messages", say(c.content))
		id := text(objs(made["items"])[0], "id")
		for _, m := range objs(s.must(200, "GET", "/v1/conversations/parts/messages", nil)["items"]) {
			if text(m, "id") == id && text(m, "content") != c.want {
				t.Errorf("%v became %q", c.content, text(m, "content"))
			}
		}
		if num(made, "tokens_logged") == 0 {
			t.Errorf("%v has no tokens: %v", c.content, made)
		}
	}
	for _, c := range []struct {
		content      any
		field, words string
	}{
		{[]obj{{"type": "text", "text": "x"}, {"type": "image_url", "image_url": obj{"url": "https://example.org/x.png"}}}, "messages[0].content[1].type", `"image_url"`},
		{[]obj{{"type": "text"}}, "messages[0].content[0].text", "not a text"},
		{[]obj{{"text": "x"}}, "messages[0].content[0].type", "missing"},
		{[]any{"x", nil}, "messages[0].content[1]", "no part"},
		{[]any{7}, "messages[0].content[0]", "no part"},
		{7, "messages[0].content", "a text or a list of parts"},
		{obj{"type": "text", "text": "x"}, "messages[0].content", "a text or a list of parts"},
	} {
		out := s.must(400, "POST", "/v1/messages", say(c.content))
		if got := text(out, "error", "details", "field"); got != c.field || !strings.Contains(text(out, "error", "message"), c.words) {
			t.Errorf("%v: %v, want %s and %s", c.content, out, c.field, c.words)
		}
	}
}
