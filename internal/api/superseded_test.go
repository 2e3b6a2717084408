package api_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// A result says what of it is no longer so, in the description too, and the SDK reads it. The older API knows no such field.
func TestSearchSaysWhatIsSuperseded(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	for i, said := range []string{"I live in Paris, near the river.", "I moved to Lyon."} {
		at := []string{"2026-03-02T18:00:00Z", "2026-04-02T18:00:00Z"}[i]
		s.must(201, "POST", "/v1/messages", obj{"conversation": "a", "container": "life", "messages": []obj{{"speaker": "Ana", "content": said, "time": at}}})
	}
	results := objs(s.must(200, "POST", "/v1/search", obj{"query": "near the river"})["results"])
	var old []obj
	for _, r := range results {
		old = append(old, objs(r["superseded"])...)
	}
	if len(old) != 1 || text(old[0], "content") != `Ana, 2 March 2026: "I live in Paris, near the river."` || text(old[0], "valid_to") != "2026-04-02T18:00:00Z" || text(old[0], "retired_at") == "" ||
		text(old[0], "reason") == "" || text(old[0], "id") == "" || text(old[0], "by", "content") != "Ana lives in Lyon." || text(old[0], "by", "id") == "" {
		t.Errorf("%v", results)
	}
	r, err := s.sdk().Search(t.Context(), lukasa.Query{Text: "near the river"})
	if err != nil || len(r.Hits) != 2 || len(r.Hits[0].Superseded) != 0 || len(r.Hits[1].Superseded) != 1 || r.Hits[1].Superseded[0].By.Content != "Ana lives in Lyon." {
		t.Errorf("%+v, %v", r.Hits, err)
	}
	schemas := s.must(200, "GET", "/openapi.json", nil)["components"].(obj)["schemas"].(obj)
	fields := schemas["Superseded"].(obj)["properties"].(obj)
	for _, name := range []string{"id", "content", "reason", "valid_to", "retired_at", "by"} {
		if fields[name] == nil {
			t.Errorf("the description has no %s: %v", name, fields)
		}
	}
}
