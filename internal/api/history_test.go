package api_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// N-10: what changed is listed, compared and turned back, and each state can be read again.
func TestHistory(t *testing.T) {
	t.Parallel()
	s := serve(t, func(*config.Config) {}, engine.Options{})
	say := func(id, at, content string) {
		t.Helper()
		status, out := s.do("POST", "/v1/messages", obj{"container": "life", "conversation": "c", "messages": []obj{{"id": id, "speaker": "Ana", "role": "user", "time": at, "content": content}}})
		if status != 201 {
			t.Fatalf("%d %v", status, out)
		}
	}
	memories := func(query string) []any {
		t.Helper()
		status, out := s.do("GET", "/v1/memories?slot=lives_in&"+query, nil)
		if status != 200 {
			t.Fatalf("%d %v", status, out)
		}
		return out["items"].([]any)
	}
	say("1", "2024-03-06T15:30:00Z", "I live in Paris.")
	between := time.Now().UTC().Format(time.RFC3339Nano)
	say("2", "2024-05-06T15:30:00Z", "I moved to Lyon.")
	now := memories("latest=true")
	if len(now) != 1 || text(now[0].(obj), "value") != "Lyon" {
		t.Fatalf("%v", now)
	}
	then := memories("latest=true&as_of=" + url.QueryEscape(between))
	if len(then) != 1 || text(then[0].(obj), "value") != "Paris" {
		t.Errorf("as of then: %v", then)
	}
	status, out := s.do("POST", "/v1/search", obj{"query": "Where does Ana live?", "valid_at": "2024-04-01"})
	if valid, _ := out["results"].([]any); status != 200 || len(valid) != 1 || text(valid[0].(obj), "content") != "Ana lives in Paris." {
		t.Errorf("valid in April: %v", out)
	}
	paris := text(then[0].(obj), "id")
	status, out = s.do("POST", "/v1/search", obj{"query": "Where does Ana live?", "as_of": between, "types": []string{"memory"}, "include": []string{"related", "explain"}, "expect": paris})
	hits, _ := out["results"].([]any)
	if status != 200 || len(hits) == 0 || text(hits[0].(obj), "id") != paris || text(out["stats"].(obj), "why_not") != "it is result 1" {
		t.Errorf("%d %v", status, out)
	}
	status, out = s.do("GET", "/v1/records/"+paris+"/history", nil)
	deltas, _ := out["items"].([]any)
	if status != 200 || len(deltas) != 2 {
		t.Fatalf("%d %v", status, out)
	}
	status, out = s.do("GET", "/v1/records/"+paris+"/diff?from="+url.QueryEscape(between), nil)
	if fields, _ := out["fields"].([]any); status != 200 || len(fields) == 0 {
		t.Errorf("%d %v", status, out)
	}
	if status, out = s.do("POST", "/v1/deltas/"+text(deltas[0].(obj), "id")+"/undo", nil); status != 200 {
		t.Fatalf("%d %v", status, out)
	}
	if now = memories("latest=true"); len(now) != 1 || text(now[0].(obj), "value") != "Paris" {
		t.Errorf("after undo: %v", now)
	}
	// Undoing the undo, by the record, brings Lyon back; once more, Paris. A document's saving is undone into the trash and back.
	for _, want := range []string{"Lyon", "Paris"} {
		if status, out = s.do("POST", "/v1/deltas/"+paris+"/undo", nil); status != 200 || text(out, "op") != "update" {
			t.Fatalf("%d %v", status, out)
		}
		if now = memories("latest=true"); len(now) != 1 || text(now[0].(obj), "value") != want {
			t.Errorf("after the undo of the undo: %v, want %s", now, want)
		}
	}
	_, out = s.do("POST", "/v1/documents", obj{"content": "The ferry to Harwich leaves at nine."})
	doc := text(out, "id")
	for _, want := range []struct {
		op     string
		status int
	}{{"create", 404}, {"delete", 200}, {"create", 404}, {"delete", 200}} {
		if status, out = s.do("POST", "/v1/deltas/"+doc+"/undo", nil); status != 200 || text(out, "op") != want.op || text(out, "record_id") != doc {
			t.Fatalf("undo of %s: %d %v", want.op, status, out)
		}
		if status, _ = s.do("GET", "/v1/documents/"+doc, nil); status != want.status {
			t.Errorf("after the undo of %s: %d", want.op, status)
		}
	}
	lyon := time.Now().UTC().Format(time.RFC3339Nano)
	if status, out = s.do("POST", "/v1/memories", obj{"content": "Ana lives in Marseille.", "updates": paris, "reason": "she wrote"}); status != 201 {
		t.Fatalf("%d %v", status, out)
	}
	if status, out = s.do("POST", "/v1/records/"+paris+"/restore", obj{"at": lyon}); status != 200 {
		t.Fatalf("%d %v", status, out)
	}
	if now = memories("latest=true"); len(now) != 1 || text(now[0].(obj), "id") != paris {
		t.Errorf("after restore: %v", now)
	}
	again := obj{"content": text(now[0].(obj), "content"), "updates": paris, "reason": "to be sure"}
	if status, out = s.do("POST", "/v1/memories", again); status != 200 || text(out, "id") != paris || out["deduplicated"] != true {
		t.Errorf("a correction in the same words: %d %v", status, out)
	}
	if again["confidence"] = 0.5; len(memories("latest=true")) != 1 {
		t.Errorf("after a correction in the same words: %v", memories("latest=true"))
	}
	if status, out = s.do("POST", "/v1/memories", again); status != 201 || text(out, "id") == paris {
		t.Errorf("a correction in the same words and less sure: %d %v", status, out)
	}
	if status, out = s.do("POST", "/v1/records/"+paris+"/restore", obj{"at": lyon}); status != 200 {
		t.Fatalf("%d %v", status, out)
	}
	if status, _ = s.do("POST", "/v1/records/"+paris+"/restore", obj{}); status != 400 {
		t.Errorf("restore to no moment: %d", status)
	}
}
