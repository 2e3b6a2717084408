package api_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/engine"
)

// T-9: memories are listed by the sum of their kinds, and recall files and defining memories are searched for by name.
func TestNamesOfSeveralKinds(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	for kind, content := range map[string]string{"fact": "The harbour has a crane.", "decision": "We decided to paint the harbour crane.", "milestone": "The harbour crane was finished.", "task": "Oil the harbour crane."} {
		s.must(201, "POST", "/v1/memories", obj{"content": content, "kind": kind})
	}
	for kind, want := range map[string][]string{
		"defining": {"decision", "milestone"}, "regular": {"fact", "task"}, "defining,task": {"decision", "milestone", "task"}, "defining,regular": {"decision", "fact", "milestone", "task"},
	} {
		out := s.must(200, "GET", "/v1/memories?kind="+kind, nil)
		var got []string
		for _, m := range objs(out["items"]) {
			got = append(got, text(m, "kind"))
		}
		if slices.Sort(got); !slices.Equal(got, want) || num(out, "total") != float64(len(want)) {
			t.Errorf("kind %s: %v of %v", kind, got, out["total"])
		}
	}
	if out := s.must(400, "GET", "/v1/memories?kind=odd", nil); text(out, "error", "details", "field") != "kind" {
		t.Errorf("%v", out)
	}

	s.save("The harbour crane stands on the quay.")
	talk := s.must(201, "POST", "/v1/messages", obj{"conversation": "c", "messages": []obj{{"role": "user", "content": "How tall is the harbour crane?"}, {"role": "assistant", "content": "The harbour crane is tall."}}})
	ended := text(s.must(200, "POST", "/v1/conversations/"+text(talk, "conversation_id")+"/end", nil), "id")
	found := func(narrow obj) (got []string) {
		maps.Copy(narrow, obj{"query": "harbour crane", "limit": 50})
		for _, h := range objs(s.must(200, "POST", "/v1/search", narrow)["results"]) {
			what := text(h, "type")
			if m, ok := h["memory"].(obj); ok {
				what += " " + text(m, "kind")
			}
			if d, ok := h["document"].(obj); ok && what == "document" {
				what += fmt.Sprint(" ", text(d, "id") == ended)
			}
			if !slices.Contains(got, what) {
				got = append(got, what)
			}
		}
		slices.Sort(got)
		return got
	}
	for _, c := range []struct{ types, want []string }{
		{[]string{"defining_memory"}, []string{"memory decision", "memory milestone"}},
		{[]string{"recall_file"}, []string{"document true"}},
		{[]string{"recall_file", "defining_memory"}, []string{"document true", "memory decision", "memory milestone"}},
		{[]string{"recall_file", "memory"}, []string{"document true", "memory decision", "memory fact", "memory milestone", "memory task"}},
		{[]string{"defining_memory", "memory"}, []string{"memory decision", "memory fact", "memory milestone", "memory task"}},
	} {
		for spelled, narrow := range map[string]obj{"types": {"types": c.types}, "filters.type": {"filters": obj{"type": c.types}}} {
			if got := found(narrow); !slices.Equal(got, c.want) {
				t.Errorf("%s %v: %v, want %v", spelled, c.types, got, c.want)
			}
		}
	}
	if out := s.must(400, "POST", "/v1/search", obj{"query": "x", "filters": obj{"type": "recall_files"}}); text(out, "error", "details", "field") != "filters.type" || !strings.Contains(text(out, "error", "message"), "recall_file, defining_memory") {
		t.Errorf("%v", out)
	}
	s.must(400, "POST", "/v1/search", obj{"query": "x", "types": []string{"recall_files"}})
}

// An id that is none is named, wherever one stands.
func TestMalformedIDs(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	then := obj{"at": "2026-01-01T00:00:00Z"}
	for _, c := range []struct {
		method, path string
		body         any
		field        string
	}{
		{"POST", "/v1/trash/x/restore", nil, "id"},
		{"DELETE", "/v1/trash/x", nil, "id"},
		{"DELETE", "/v1/trash/mem_1", nil, "id"},
		{"POST", "/v1/deltas/x/undo", nil, "id"},
		{"GET", "/v1/records/x/history", nil, "id"},
		{"GET", "/v1/records/x/diff?from=2026-01-01", nil, "id"},
		{"POST", "/v1/records/x/restore", then, "id"},
		{"GET", "/v1/audit?user_id=x", nil, "user_id"},
		{"GET", "/v1/usage?user_id=usr_1", nil, "user_id"},
		{"GET", "/v1/files?document_id=x", nil, "document_id"},
	} {
		if out := s.must(400, c.method, c.path, c.body); text(out, "error", "code") != "VALIDATION_ERROR" || text(out, "error", "details", "field") != c.field {
			t.Errorf("%s %s: %v", c.method, c.path, out)
		}
	}
	s.must(404, "POST", "/v1/trash/mem_01m7y0hrghf278p2nyn0qwvhfz/restore", nil)
	s.must(404, "DELETE", "/v1/trash/doc_01m7y0hrghf278p2nyn0qwvhfz", nil)
	s.must(404, "POST", "/v1/deltas/delta_01m7y0hrghf278p2nyn0qwvhfz/undo", nil)
	s.must(200, "GET", "/v1/audit", nil)
}
