package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/engine"
)

// M-6: a search can be held to one session, whatever others have said about the same.
func TestSessionSearch(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	for i, session := range []string{"monday", "tuesday", ""} {
		for j := range 5 {
			s.must(201, "POST", "/v1/messages", obj{"conversation": "talk", "messages": []obj{{
				"id": fmt.Sprint(i, j), "speaker": "Ana", "content": fmt.Sprintf("The invoice number %d%d is late.", i, j), "session": session,
			}}})
		}
	}
	for _, c := range []struct {
		body     obj
		sessions []string
		n        int
	}{
		{obj{"session": "monday"}, []string{"monday"}, 5},
		{obj{"filters": obj{"session": "tuesday"}}, []string{"tuesday"}, 5},
		{obj{"filters": obj{"session": []string{"monday", "tuesday"}}}, []string{"monday", "tuesday"}, 10},
		{obj{"session": "wednesday"}, nil, 0},
		{obj{"session": "monday", "limit": 2}, []string{"monday"}, 2},
		{obj{}, []string{"", "monday", "tuesday"}, 15},
	} {
		for _, ranker := range []string{"lukasa", "weighted", "vector", "text", "rrf", "cascade"} {
			body := obj{"query": "which invoice is late", "types": []string{"message"}, "limit": 50, "ranker": ranker}
			maps.Copy(body, c.body)
			r := objs(s.must(200, "POST", "/v1/search", body)["results"])
			if want := c.n; len(r) != want && !(ranker == "cascade" && want > 0 && len(r) > 0) { // there a stretch of a conversation is one hit
				t.Errorf("%v by %s: %d results, want %d", c.body, ranker, len(r), want)
			}
			for _, x := range r {
				if got := text(x, "message", "session"); !slices.Contains(c.sessions, got) {
					t.Errorf("%v by %s finds session %q", c.body, ranker, got)
				}
			}
		}
	}
}

// D-6: vectors, words and what hangs on a hit in one search, narrowed by filters, in pages.
func TestHybridSearch(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	var ids []string
	for i := range 30 {
		tags := []string{"notes"}
		if i%3 == 0 {
			tags = []string{"decisions"}
		}
		ids = append(ids, text(s.save(fmt.Sprintf("Database decision %d: the automobile registry goes to PostgreSQL.", i), "tags", tags), "id"))
	}
	m := s.must(201, "POST", "/v1/memories", obj{"content": "The team decided to use PostgreSQL.", "tags": []string{"decisions"}})
	n := s.must(201, "POST", "/v1/memories", obj{"content": "Deploy it with Docker."})
	s.must(201, "POST", "/v1/edges", obj{"source": text(n, "id"), "target": text(m, "id"), "type": "extends"})

	r := objs(s.must(200, "POST", "/v1/search", obj{
		"query": "which database did the team choose", "include_related": true, "filters": obj{"memory_type": []string{"fact", "preference"}, "tags": []string{"decisions"}},
	})["results"])
	if len(r) != 1 || text(r[0], "id") != text(m, "id") {
		t.Fatalf("filtered: %v", r)
	}
	related := objs(r[0]["related"])
	if len(related) != 2 || text(related[0], "id") != text(n, "id") || text(related[0], "label") != "Deploy it with Docker." || text(related[0], "edge") != "extends" ||
		text(related[1], "label") != "PostgreSQL" || text(related[1], "edge") != "mentions" {
		t.Errorf("related: %v", related)
	}
	if r = objs(s.must(200, "POST", "/v1/search", obj{"query": "which database did the team choose", "filters": obj{"memory_type": "fact", "tags": "decisions"}})["results"]); len(objs(r[0]["related"])) != 0 {
		t.Errorf("related unasked: %v", r)
	}
	// by meaning alone, and by words alone
	for query, part := range map[string]string{"car register": "vector", "automobile": "text"} {
		r := objs(s.must(200, "POST", "/v1/search", obj{"query": query, "ranker": "weighted", "types": []string{"chunk"}})["results"])
		if len(r) != 10 || num(r[0]["parts"].(obj), part) <= 0 {
			t.Errorf("%s: %v", query, r)
		}
	}
	whole := objs(s.must(200, "POST", "/v1/search", obj{"query": "automobile registry", "types": []string{"chunk"}, "limit": 30})["results"])
	var pages []obj
	for offset := 0; ; offset += 7 {
		out := s.must(200, "POST", "/v1/search", obj{"query": "automobile registry", "types": []string{"chunk"}, "limit": 7, "offset": offset})
		page := objs(out["results"])
		if pages = append(pages, page...); len(page) < 7 {
			break
		}
	}
	name := func(x obj) string { return text(x, "id") }
	if len(whole) != len(ids) || !slices.EqualFunc(whole, pages, func(a, b obj) bool { return name(a) == name(b) }) {
		t.Errorf("%d at once, %d in pages: %v %v", len(whole), len(pages), whole, pages)
	}
	for _, bad := range []obj{{"offset": -1}, {"offset": 195, "limit": 10}, {"offset": 1 << 62, "limit": 1 << 62}, {"offset": 5, "limit": -1}} {
		bad["query"] = "x"
		if out := s.must(400, "POST", "/v1/search", bad); text(out, "error", "details", "field") != "offset" {
			t.Errorf("%v: %v", bad, out)
		}
	}
	if r := objs(s.must(200, "POST", "/v1/search", obj{"query": "automobile", "offset": 150})["results"]); len(r) != 0 {
		t.Errorf("behind the end: %v", r)
	}
}

// D-1: over HTTP, a search among a thousand notes is answered within 50 ms. What else runs at the same time delays some of
// these answers by its own time, so that the fourth part that is fastest is looked at; `lukasa bench` tells the median.
func TestSearchInTime(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	var docs []obj
	for i := range 1000 {
		docs = append(docs, obj{"content": fmt.Sprintf("Note %d: the %s meets the %s in room %d about invoice %d.", i, []string{"pilot", "nurse", "baker"}[i%3], []string{"judge", "clerk"}[i%2], i%50, i*7)})
	}
	for some := range slices.Chunk(docs, 100) { // each in the time that a request has, on a slow machine too
		for _, it := range objs(s.must(200, "POST", "/v1/documents/batch", obj{"documents": some})["items"]) {
			if it["status"] != 201.0 && it["status"] != 202.0 { // most vectors of a batch are made in the background
				t.Fatal(it)
			}
		}
	}
	if err := s.e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	var took []time.Duration
	for i := range 41 {
		at := time.Now()
		if r := objs(s.must(200, "POST", "/v1/search", obj{"query": fmt.Sprintf("Who meets the judge about invoice %d?", i*7)})["results"]); len(r) != 10 {
			t.Fatalf("%d results", len(r))
		}
		took = append(took, time.Since(at))
	}
	slices.Sort(took)
	if took[10] > 50*time.Millisecond {
		t.Errorf("three of four took more than %v, all: %v", took[10], took)
	}
	t.Logf("median %v, slowest %v", took[20], took[40])
}

// A long answer says how long it is, and does not come in chunks.
func TestAnswerSaysItsLength(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	for i := range 10 {
		s.save(fmt.Sprintf("Harvest %d: %s", i, strings.Repeat("the barley & the <rye> stood high, ", 20)))
	}
	for _, method := range []string{http.MethodPost, http.MethodPost, http.MethodGet, http.MethodHead} { // found, kept from before, and lists
		path, body := "/v1/search", `{"query": "barley harvest"}`
		if method != http.MethodPost {
			path, body = "/v1/documents?limit=10", ""
		}
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp.StatusCode, err)
		}
		if method == http.MethodHead {
			if len(data) > 0 || resp.ContentLength < 4096 {
				t.Errorf("%s %s: %d bytes, said to be %d", method, path, len(data), resp.ContentLength)
			}
			continue
		}
		if len(data) < 4096 || resp.ContentLength != int64(len(data)) || !json.Valid(data) || data[len(data)-1] != '\n' || method == http.MethodPost && !strings.Contains(string(data), "& the <rye>") {
			t.Errorf("%s %s: %d bytes, said to be %d: %.80s", method, path, len(data), resp.ContentLength, data)
		}
	}
}
