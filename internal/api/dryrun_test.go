package api_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/engine"
)

// holdings is what a site holds, and what its log says was done.
func (s *site) holdings() [3]string {
	s.t.Helper()
	var out [3]string
	for i, path := range []string{"/v1/stats", "/v1/nodes", "/v1/audit"} {
		out[i] = s.raw(http.MethodGet, path, "")
	}
	return out
}

// A dry run of an import writes nothing, whatever the export is, and counts what is in it.
func TestImportDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	from := serve(t, nil, engine.Options{})
	from.must(201, "POST", "/v1/documents", obj{"content": "The emu runs.", "container": "zoo"})
	from.must(201, "POST", "/v1/memories", obj{"content": "The emu is fast", "container": "zoo"})
	from.tell("talk", "Ana: Hello.")
	var file bytes.Buffer
	if err := from.sdk().Export(t.Context(), nil, &file); err != nil {
		t.Fatal(err)
	}
	own := file.Bytes()

	s := serve(t, nil, engine.Options{})
	before := s.holdings()
	for _, query := range []string{"dry_run=true", "dry_run=true&kind=lukasa"} {
		status, out := s.post("/v1/import?"+query, "application/x-ndjson", bytes.NewReader(own))
		if status != 200 || out["dry_run"] != true || num(out, "documents") == 0 || num(out, "memories") == 0 || num(out, "messages") != 1 || num(out, "skipped") != 0 {
			t.Errorf("%s answers %d %v", query, status, out)
		}
	}
	for _, query := range []string{"dry_run=1", "dry_run=yes", "dry_run=TRUE", "attachments=1"} {
		if status, out := s.post("/v1/import?"+query, "application/x-ndjson", bytes.NewReader(own)); status != 400 {
			t.Errorf("%s answers %d %v", query, status, out)
		}
	}
	files, err := filepath.Glob(filepath.Join("..", "exports", "*", "testdata", "*.txtar"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d exports, %v", len(files), err)
	}
	counted := 0
	for _, name := range files {
		rel, _ := filepath.Rel(filepath.Join("..", "exports"), name)
		if status, out := s.post("/v1/import?dry_run=true", "application/zip", bytes.NewReader(archive(t, rel))); status == http.StatusOK && out["dry_run"] == true {
			counted++
		}
	}
	if counted < len(files)/2 {
		t.Errorf("%d of %d exports were counted", counted, len(files))
	}
	if after := s.holdings(); after != before {
		t.Errorf("after dry runs: %v, before %v", after, before)
	}
}
