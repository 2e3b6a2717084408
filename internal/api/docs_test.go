package api_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

//go:generate go test -run ^(TestErrorsPage|TestLimitsPage)$ -update .

var update = flag.Bool("update", false, "rewrite the generated pages under docs/api")

// golden compares a generated page with the one in the tree.
func golden(t *testing.T, name, want string) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "api", name)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the code says; run `make generate`", name)
	}
}

// T-17
func TestErrorsPage(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("# Errors\n\nMade from the code by `make generate`. Every error of every HTTP call has one shape:\n\n```json\n" +
		`{"error":{"code":"VALIDATION_ERROR","message":"content: is empty","category":"validation","details":{"field":"content"},` + "\n" +
		`          "hint":"send the text to remember, a url or a file","retryable":false,"request_id":"…"}}` + "\n```\n\n" +
		"`details.field` names the part of the request at fault. `retryable` says that the same call may succeed later; `Retry-After` says when.\n" +
		"`request_id` stands in the log too; send your own as `X-Request-Id`. A key that stands twice in one object is\n" +
		"refused by name, and nothing is kept: of the two, one would be lost.\n\n| status | code | category | retryable | when |\n|---|---|---|---|---|\n")
	for _, m := range api.Meanings() {
		e := lukasa.Error{Code: m.Code}
		fmt.Fprintf(&b, "| %d | `%s` | `%s` | %v | %s |\n", m.Status, m.Wire, m.Category, e.Retryable(), m.When)
	}
	golden(t, "errors.md", b.String())
}

// T-23
func TestLimitsPage(t *testing.T) {
	t.Parallel()
	c := config.Default()
	var b strings.Builder
	b.WriteString("# Limits\n\nMade from the code by `make generate`. Those with a setting can be changed; see the page of settings.\n\n| what | limit |\n|---|---|\n")
	row := func(what string, limit any) { fmt.Fprintf(&b, "| %s | %v |\n", what, limit) }
	row("characters of a text", c.MaxCharacters)
	row("bytes of a request", c.MaxBody)
	row("bytes of a file", c.MaxFile)
	row("bytes of text that are worked off before the answer", c.InlineBytes)
	row("characters kept of an HTML page", c.HTMLLimit)
	row("time of a request", c.RequestTimeout)
	row("requests a minute and key", c.RateLimit)
	row("requests in a burst and key", c.RateBurst)
	row("requests a minute and user who is no admin", c.UserRequests)
	row("documents and stretches of conversations of a user who is no admin", c.UserFiles)
	row("bytes of texts and files of a user who is no admin", c.UserStorage)
	row("conversations that such a user holds at once", c.UserSessions)
	row("tokens of a chunk", c.ChunkTokens)
	row("bytes of a query", lukasa.MaxQuery)
	row("results of a search", 200)
	row("items of a list page", 100)
	row("documents of a batch, messages of an append", 1000)
	row("levels of a container path", lukasa.MaxDepth)
	row("characters of a path segment", 64)
	row("tags of a document, characters of a tag", 100)
	row("characters of a title", 500)
	row("characters of a memory", 10000)
	golden(t, "limits.md", b.String())
}

// H-20: every field that docs/api/v3.md names exists in the description, and every path too.
func TestV3PageNamesWhatExists(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "api", "v3.md"))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := api.OpenAPI("test")
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range strings.Split(string(page), "`") {
		if i%2 == 0 {
			continue
		}
		for _, word := range strings.FieldsFunc(part, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz_", r) }) {
			if strings.Contains(word, "_") && strings.Trim(word, "_") == word && !strings.Contains(string(spec), `"`+word+`"`) {
				t.Errorf("v3.md names %q, which the API does not have", word)
			}
		}
	}
	for _, path := range []string{"/v3/memory", "/v3/recall", "/v3/projects", "/v3/documents/{id}", "/v3/memory-graph", "/v3/whoami"} {
		if !strings.Contains(string(page), path) || !strings.Contains(string(spec), `"`+path+`"`) {
			t.Errorf("%s is missing in the page or in the description", path)
		}
	}
}

// T-9: the table of compat.md names what the search really takes.
func TestCompatPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "api", "compat.md"))
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, nil, engine.Options{})
	values := map[string]any{
		"limit": 5, "max_results": 5, "containers": []string{"default"}, "latest": true, "is_latest": true, "after": "2020-01-01", "before": "2090-01-01",
		"start": "2020-01-01", "end": "2090-01-01", "types": []string{"chunk"}, "tags": []string{"x"}, "topics": []string{"x"}, "memory_types": []string{"fact"},
		"kind": "fact", "kinds": []string{"fact"}, "memory_type": "fact", "from": "2020-01-01", "to": "2090-01-01",
		"type": "chunk", "source": "web", "origin": "web", "document": "doc_1", "document_id": "doc_1", "conversation": "conv_1", "conversation_id": "conv_1",
		"include": []string{"content", "related"}, "include_transcripts": true, "include_related": true,
	}
	rows := 0
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		rows++
		for i, part := range strings.Split(line, "`") {
			if i%2 == 0 || part == "filters" {
				continue
			}
			first, rest, nested := strings.Cut(part, ".")
			value := func(name string) any {
				if v, ok := values[name]; ok {
					return v
				}
				return "x"
			}
			bodies := []obj{{"query": "x", part: value(part)}, {"query": "x", "filters": obj{part: value(part)}}}
			if nested {
				bodies = []obj{{"query": "x", first: obj{rest: value(rest)}}}
			}
			accepted := 0
			for _, b := range bodies {
				if st, _ := s.do("POST", "/v1/search", b); st == 200 {
					accepted++
				}
			}
			if accepted == 0 {
				t.Errorf("%s is not accepted", part)
			}
		}
	}
	if rows < 10 {
		t.Errorf("only %d rows were read", rows)
	}
}
