package api_test

import (
	"archive/zip"
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// archive makes a zip of a hand-made export of the readers' tests.
func archive(t *testing.T, name string) []byte {
	t.Helper()
	arc, err := txtar.ParseFile(filepath.Join("..", "exports", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range arc.Files {
		if f.Name == "WANT" {
			continue
		}
		e, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = e.Write(f.Data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// post sends bytes as they are.
func (s *site) post(path, typ string, body io.Reader) (int, obj) {
	s.t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.url+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", typ)
	return s.send(req)
}

func TestImportExport(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	kinds := objs(s.must(200, "GET", "/v1/import/kinds", nil)["items"])
	if len(kinds) < 20 || text(kinds[0], "name") != "lukasa" || text(kinds[1], "how") == "" {
		t.Errorf("kinds: %v", kinds)
	}
	slack := archive(t, "chats/testdata/slack.txtar")
	status, dry := s.post("/v1/import?dry_run=true", "application/zip", bytes.NewReader(slack))
	if status != 200 || text(dry, "kind") != "slack" || num(dry, "files") == 0 || num(dry["messages"].(obj), "new") == 0 {
		t.Fatalf("dry run: %d %v", status, dry)
	}
	if st := s.must(200, "GET", "/v1/stats", nil); num(st, "messages") != 0 {
		t.Errorf("a dry run kept %v messages", st["messages"])
	}
	status, out := s.post("/v1/import?container=old.slack&zone=Europe/Berlin", "application/zip", bytes.NewReader(slack))
	if status != 200 || num(out["messages"].(obj), "new") != num(dry["messages"].(obj), "new") || len(objs(out["problems"])) == 0 {
		t.Errorf("import: %d %v", status, out)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("note", "a field that nobody reads")
	f, err := w.CreateFormFile("file", "../../evil/slack.zip")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.Write(slack)
	_ = w.Close()
	status, again := s.post("/v1/import?kind=slack&container=old.slack&zone=Europe/Berlin", w.FormDataContentType(), &form)
	if status != 200 || num(again["messages"].(obj), "new") != 0 || num(again["messages"].(obj), "unchanged") != num(out["messages"].(obj), "new") || text(again, "name") != "slack.zip" {
		t.Errorf("again, as a form: %d %v", status, again)
	}
	for path, want := range map[string]int{
		"/v1/import?kind=tumblr": 400, "/v1/import?colour=red": 422, "/v1/import?zone=Nowhere&kind=slack": 400, "/v1/import?container=no%20path": 400,
	} {
		if status, out := s.post(path, "application/zip", bytes.NewReader(slack)); status != want {
			t.Errorf("%s answers %d %v", path, status, out)
		}
	}
	for body, want := range map[string]int{"": 400, "nothing that anybody exports": 400, "PK\x03\x04 broken": 400} {
		if status, out := s.post("/v1/import", "application/octet-stream", strings.NewReader(body)); status != want {
			t.Errorf("%q answers %d %v", body, status, out)
		}
	}
	if status, out := s.post("/v1/import", "multipart/form-data; boundary=x", strings.NewReader("--x--\r\n")); status != 400 || text(out["error"].(obj), "details", "field") != "file" {
		t.Errorf("a form without a file answers %d %v", status, out)
	}
	if status, out := s.post("/v1/import", "multipart/form-data; boundary=x", strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\nPK")); status != 400 || text(out["error"].(obj), "details", "field") != "file" {
		t.Errorf("a form that was cut off answers %d %v", status, out)
	}
	if left, err := filepath.Glob(filepath.Join(s.e.Config().Data, ".import-*")); err != nil || len(left) > 0 {
		t.Errorf("left of uploads: %v, %v", left, err)
	}
	bound := s.must(201, "POST", "/v1/keys", obj{"name": "acme", "container": "work.acme"})
	reader := s.must(201, "POST", "/v1/keys", obj{"name": "reader", "read_only": true})
	s.key = text(bound, "key")
	if status, out := s.post("/v1/import?container=old.slack", "application/zip", bytes.NewReader(slack)); status != 404 {
		t.Errorf("outside of a key's container: %d %v", status, out)
	}
	if status, out := s.post("/v1/import", "application/zip", bytes.NewReader(slack)); status != 200 || num(out["messages"].(obj), "new") == 0 {
		t.Errorf("in a key's container: %d %v", status, out)
	}
	s.key = text(reader, "key")
	if status, _ := s.post("/v1/import", "application/zip", bytes.NewReader(slack)); status != 403 {
		t.Errorf("a key that may only read: %d", status)
	}
	s.must(403, "POST", "/v1/import/items", obj{"items": []obj{{"key": "a", "memory": obj{"content": "x"}}}})
	s.must(403, "POST", "/v1/jobs/retry", obj{"all": true})
}

func TestImportItems(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	c, err := client.New(s.url, client.Options{Key: s.key})
	if err != nil {
		t.Fatal(err)
	}
	made := time.Date(2019, 5, 1, 9, 30, 0, 0, time.FixedZone("", 7200))
	items := []client.ImportItem{
		{Key: "keep:1", Document: &lukasa.NewDocument{Content: "Plant the dahlias in May.", CustomID: "keep:1", Container: "garden", CreatedAt: &made, OccurredAt: &made}},
		{Key: "keep:2", Document: &lukasa.NewDocument{Data: []byte("# Beds\n\nThe north bed is in shade."), Name: "beds.md", CustomID: "keep:2", Container: "garden"}},
		{Key: "t@1", Title: "Garden talk", Append: &lukasa.Append{Container: "garden", Conversation: "t", Messages: []lukasa.NewMessage{
			{ExternalID: "1", Role: "user", Speaker: "Ann", Content: "When do the dahlias go out?", Time: &made, Metadata: map[string]any{"edited": true}},
		}}},
		{Key: "mem0:1", Memory: &lukasa.NewMemory{Content: "Ann grows dahlias", Container: "garden", OccurredAt: &made}},
		{Key: "none"},
	}
	first, err := c.ImportItems(t.Context(), items)
	if err != nil || len(first) != 5 || first[0].New != 1 || first[1].New != 1 || first[2].New != 1 || first[3].New != 1 || first[4].Failed == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	if d := s.must(200, "GET", "/v1/documents/"+string(first[0].ID), nil); text(d, "created_at") != "2019-05-01T07:30:00Z" || text(d, "origin") != "import" {
		t.Errorf("document: %v", d)
	}
	again, err := c.ImportItems(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range again[:4] {
		if r.Unchanged != 1 || r.New+r.Replaced > 0 || r.ID != first[i].ID {
			t.Errorf("again: %+v", r)
		}
	}
	var links []client.ImportLink
	for _, to := range []string{"keep:2", string(first[3].ID), "t", "mem0:1", "Beds", "nothing of the kind", "keep:1"} {
		links = append(links, client.ImportLink{From: first[0].ID, To: to})
	}
	for _, want := range []int{3, 0} {
		if n, err := c.ImportLinks(t.Context(), "garden", links); err != nil || n != want {
			t.Errorf("%d links, want %d, %v", n, want, err)
		}
	}
	if n, err := c.ImportLinks(t.Context(), "garden", []client.ImportLink{{From: first[3].ID, To: "Beds"}}); err != nil || n != 1 {
		t.Errorf("by title: %d links, %v", n, err)
	}
	status, out := s.do("POST", "/v1/import/items", obj{"items": []obj{{"key": "a", "document": obj{"content": "x", "source": "mars"}}}})
	if status != 400 || text(out["error"].(obj), "details", "field") != "items[0].source" {
		t.Errorf("an item at fault: %d %v", status, out)
	}
	many := make([]obj, 201)
	for i := range many {
		many[i] = obj{"key": "a", "memory": obj{"content": "x"}}
	}
	s.must(400, "POST", "/v1/import/items", obj{"items": many})
	kinds, err := c.ImportKinds(t.Context())
	if err != nil || len(kinds) < 20 {
		t.Errorf("%d kinds, %v", len(kinds), err)
	}
	r, err := c.ImportExport(t.Context(), "", "vault.zip", bytes.NewReader(archive(t, "notes/testdata/obsidian.txtar")), nil)
	if err != nil || r.Kind != "obsidian" || r.Documents.New == 0 || r.Links == 0 || r.Name != "vault.zip" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestJobs(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	c, err := client.New(s.url, client.Options{Key: s.key})
	if err != nil {
		t.Fatal(err)
	}
	locked, err := os.ReadFile(filepath.Join("..", "extract", "office", "testdata", "locked.docx"))
	if err != nil {
		t.Fatal(err)
	}
	status, out := s.upload("locked.docx", locked, nil)
	if status != 202 {
		t.Fatalf("a file that is locked answers %d %v", status, out)
	}
	doc := objs(out["items"])[0]["document"].(obj)
	if text(doc, "status") != "failed" || text(doc, "reason") == "" {
		t.Errorf("document: %v", doc)
	}
	jobs := objs(s.must(200, "GET", "/v1/jobs?state=failed", nil)["items"])
	if len(jobs) != 1 || text(jobs[0], "document_id") != text(doc, "id") || text(jobs[0], "state") != "failed" || text(jobs[0], "reason") != text(doc, "reason") {
		t.Errorf("jobs: %v", jobs)
	}
	if out := s.must(200, "POST", "/v1/jobs/retry", obj{"ids": []string{text(doc, "id")}}); num(out, "retried") != 1 {
		t.Errorf("retry: %v", out)
	}
	l, err := c.Tasks(t.Context(), "waiting", lukasa.Page{})
	if err != nil || len(l.Items) != 1 || l.Items[0].State != "waiting" || l.Items[0].Reason != "" {
		t.Errorf("%+v, %v", l, err)
	}
	if err := s.e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, ids := range [][]lukasa.ID{nil, {lukasa.ID(text(doc, "id"))}} {
		if n, err := c.Retry(t.Context(), ids...); err != nil || n != 1 {
			t.Errorf("retry %v: %d, %v", ids, n, err)
		}
		if err := s.e.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, body := range []obj{{}, {"ids": []string{"x"}}, {"ids": []string{text(doc, "id")}, "all": true}} {
		s.must(400, "POST", "/v1/jobs/retry", body)
	}
	s.must(404, "POST", "/v1/jobs/retry", obj{"ids": []string{"doc_01m7y1mqf8fs99dh25dknsjp90"}})
	s.must(400, "GET", "/v1/jobs?state=asleep", nil)
}
