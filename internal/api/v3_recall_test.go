package api_test

import (
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/engine"
)

// /v3/recall answers with what is relevant alone, puts what holds now before what it took the place of, and says that of it.
func TestV3RecallPutsInForceFirst(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.must(201, "POST", "/v3/projects", obj{"name": "life"})
	for _, text := range []string{"I live in Berlin.", "I moved to Vienna.", "The boiler of the school is serviced in October.", "Tomatoes want sun and water."} {
		s.save(text, "project_id", "life")
	}
	list := s.recall("Where do I live?")
	if len(list) != 2 || text(list[0], "content") != "I moved to Vienna." || list[0]["relevant"] != true || list[0]["superseded"] != nil || text(list[1], "content") != "I live in Berlin." {
		t.Fatalf("%v", list)
	}
	old := objs(list[1]["superseded"])
	if len(old) != 1 || !strings.Contains(text(old[0], "by", "content"), "Vienna") || text(old[0], "by", "since") == "" {
		t.Errorf("%v", old)
	}
	out := s.must(200, "POST", "/v3/recall", obj{"query": "Who won the chess tournament in Reykjavik?"})
	if len(objs(out["results"])) != 0 || out["nothing_relevant"] != true || text(out, "message") == "" {
		t.Errorf("%v", out)
	}
	for threshold, n := range map[float64]int{0: 4, 1: 0} {
		if got := s.recall("Who won the chess tournament in Reykjavik?", "threshold", threshold); len(got) != n {
			t.Errorf("threshold %v: %v", threshold, got)
		}
	}
	if got := s.recall("Where do I live?", "limit", 1); len(got) != 1 || text(got[0], "content") != "I moved to Vienna." {
		t.Errorf("%v", got)
	}
	if got := s.recall(""); len(got) != 4 {
		t.Errorf("the newest: %v", got)
	}
}
