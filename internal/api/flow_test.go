package api_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/token"
)

// D-2, D-9: an address is fetched by a job; one in the private network only when that is allowed.
func TestFetchURL(t *testing.T) {
	t.Parallel()
	var edition atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/page", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<title>Glaciers</title><nav>menu</nav><main><h1>Glaciers</h1><p>Ice flows downhill, slowly. Edition %d.</p></main>`, edition.Load())
	}))
	defer web.Close()
	s := serve(t, func(c *config.Config) { c.FetchPrivate = true }, engine.Options{})
	out := s.must(202, "POST", "/v1/documents", obj{"url": web.URL + "/moved"})
	if err := s.e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	doc := s.must(200, "GET", "/v1/documents/"+text(out, "id"), nil)
	if text(doc, "status") != "done" || text(doc, "title") != "Glaciers" || strings.Contains(text(doc, "content"), "menu") {
		t.Errorf("fetched: %v", doc)
	}
	if r := s.recall("ice moving down a slope"); len(r) != 1 {
		t.Errorf("found %v", r)
	}

	// the page has changed: a new version; a title that was given stays
	edition.Add(1)
	again := s.must(202, "POST", "/v1/documents", obj{"url": web.URL + "/moved", "title": "On ice"})
	if err := s.e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	doc = s.must(200, "GET", "/v1/documents/"+text(again, "id"), nil)
	if num(doc, "version") != 2 || text(doc, "previous_id") != text(out, "id") || text(doc, "title") != "On ice" {
		t.Errorf("fetched again: version %v, previous %q, title %q", doc["version"], text(doc, "previous_id"), text(doc, "title"))
	}

	guarded := serve(t, nil, engine.Options{})
	out = guarded.must(202, "POST", "/v1/documents", obj{"url": web.URL + "/page"})
	if err := guarded.e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	doc = guarded.must(200, "GET", "/v1/documents/"+text(out, "id"), nil)
	if text(doc, "status") != "failed" || text(doc, "reason") == "" {
		t.Errorf("a loopback address: status %q, reason %q", text(doc, "status"), text(doc, "reason"))
	}
}

// T-1: messages are kept verbatim, searchable at once, and appending the same again changes nothing.
func TestMessages(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	msg := func(id, speaker, content string) obj {
		return obj{"id": id, "speaker": speaker, "content": content, "time": "2026-05-01T10:00:00Z", "session": "s1"}
	}
	body := obj{"conversation": "trip", "container": "friends", "messages": []obj{
		msg("m1", "Ann", "I adopted a grey cat called Pixel."), msg("m2", "Ben", "How lovely!"), msg("m3", "Ben", "  "),
	}}
	out := s.must(201, "POST", "/v1/messages", body)
	tokens := token.Estimate("I adopted a grey cat called Pixel.") + token.Estimate("How lovely!") + token.Estimate("  ")
	if num(out, "logged") != 3 || int(num(out, "tokens_logged")) != tokens || int(num(out, "total_tokens")) != tokens || text(out, "recall_file_id") != text(out, "document_id") || tokens < 8 {
		t.Fatalf("logged %v, %d tokens", out, tokens)
	}
	r := objs(s.must(200, "POST", "/v1/search", obj{"query": "what pet does Ann have?", "container": "friends"})["results"])
	if len(r) == 0 || text(r[0], "message", "id") != "m1" || text(r[0], "message", "speaker") != "Ann" || text(r[0], "type") != "message" ||
		text(r[0], "message", "conversation") != "trip" || text(r[0], "message", "session") != "s1" {
		t.Fatalf("search: %v", r)
	}
	again := s.must(200, "POST", "/v1/messages", body)
	for _, x := range objs(again["items"]) {
		if text(x, "status") != "unchanged" {
			t.Errorf("second time: %v", x)
		}
	}
	if num(again, "tokens_logged") != 0 || int(num(again, "total_tokens")) != tokens {
		t.Errorf("second time: %v", again)
	}
	s.must(409, "POST", "/v1/messages", obj{"conversation": "trip", "container": "friends", "messages": []obj{msg("m2", "Ben", "Other words.")}})
	mixed := s.must(201, "POST", "/v1/messages", obj{"conversation": "trip", "container": "friends", "messages": []obj{msg("m2", "Ben", "Other words."), msg("m4", "Ann", "See you in Lisbon.")}})
	if items := objs(mixed["items"]); text(items[0], "status") != "conflict" || text(items[1], "status") != "logged" {
		t.Errorf("mixed: %v", items)
	}
	s.must(201, "POST", "/v1/messages", obj{"conversation": "trip", "container": "friends", "replace": true, "messages": []obj{msg("m2", "Ben", "How very lovely!")}})
	list := objs(s.must(200, "GET", "/v1/conversations/"+text(out, "conversation_id")+"/messages", nil)["items"])
	var got []string
	for _, m := range list {
		got = append(got, text(m, "content"))
	}
	if want := "I adopted a grey cat called Pixel.|How very lovely!|  |See you in Lisbon."; strings.Join(got, "|") != want {
		t.Errorf("messages: %q", got)
	}
	// filters see who spoke
	r = objs(s.must(200, "POST", "/v1/search", obj{"query": "lovely", "filters": obj{"speaker": "Ben"}})["results"])
	if len(r) != 1 || text(r[0], "message", "id") != "m2" {
		t.Errorf("by speaker: %v", r)
	}
	if l := objs(s.must(200, "GET", "/v1/documents", nil)["items"]); len(l) != 0 {
		t.Errorf("a conversation stands among the documents: %v", l)
	}
}

// M-4: filters nest, and k results come back whenever k exist.
func TestFilters(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	var docs []obj
	for i := range 400 {
		d := obj{"content": fmt.Sprintf("Apple harvest report %d from the orchard.", i), "tags": []string{"even"}, "metadata": obj{"row": i, "side": "north"}, "source": "import"}
		if i%2 == 1 {
			d["tags"] = []string{"odd"}
		}
		if i%100 == 0 {
			d["tags"], d["metadata"] = []string{"rare", "even"}, obj{"row": i, "side": "south"}
		}
		docs = append(docs, d)
	}
	if out := s.must(200, "POST", "/v1/documents/batch", obj{"documents": docs}); len(objs(out["items"])) != 400 {
		t.Fatal(out)
	}
	if err := s.e.Drain(t.Context()); err != nil { // most vectors of a large batch are made in the background
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		filters obj
		want    int // of 400, limit 200
	}{
		{"rare tag", obj{"tags": "rare"}, 4},
		{"metadata", obj{"metadata": obj{"side": "south"}}, 4},
		{"number in metadata", obj{"metadata": obj{"row": 7}}, 1},
		{"and", obj{"and": []obj{{"tags": "even"}, {"metadata": obj{"side": "south"}}}}, 4},
		{"or", obj{"or": []obj{{"metadata": obj{"row": 7}}, {"tags": "rare"}}}, 5},
		{"not", obj{"not": obj{"tags": []string{"odd", "even"}}}, 0},
		{"not of and", obj{"tags": "rare", "not": obj{"metadata": obj{"row": 100}}}, 3},
		{"many", obj{"tags": "odd"}, 200},
		{"nobody", obj{"tags": "purple"}, 0},
	} {
		for _, ranker := range []string{"lukasa", "weighted", "vector", "text", "rrf"} {
			r := objs(s.must(200, "POST", "/v1/search", obj{"query": "apple orchard report", "filters": c.filters, "limit": 200, "ranker": ranker})["results"])
			if len(r) != c.want {
				t.Errorf("%s, ranker %s: %d results, want %d", c.name, ranker, len(r), c.want)
			}
		}
		if r := objs(s.must(200, "POST", "/v1/search", obj{"query": "", "filters": c.filters, "limit": 200})["results"]); len(r) != c.want {
			t.Errorf("%s, without words: %d results, want %d", c.name, len(r), c.want)
		}
	}
}

// M-8
func TestThreshold(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.save("The blacksmith forged a new anchor for the trawler.")
	out := s.must(200, "POST", "/v1/search", obj{"query": "quarterly tax spreadsheet", "threshold": 0.55})
	if len(objs(out["results"])) != 0 || text(out, "message") == "" || text(out, "suggestion") == "" {
		t.Errorf("nothing relevant: %v", out)
	}
	out = s.must(200, "POST", "/v1/search", obj{"query": "blacksmith anchor", "threshold": 0.55})
	if len(objs(out["results"])) != 1 {
		t.Errorf("relevant: %v", out)
	}
}

// D-3, D-12, H-29: memories by hand; lists, pages, stats; everything out and in again, twice.
func TestMemoriesListsAndExport(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	m := s.must(201, "POST", "/v1/memories", obj{"content": "Prefers window seats.", "kind": "preference", "container": "travel", "confidence": 0.9})
	for i := range 25 {
		s.must(201, "POST", "/v1/documents", obj{"content": fmt.Sprintf("Diary page %d of the long journey.", i), "container": "travel.diary", "tags": []string{"diary"}})
		s.clock.Advance(time.Second)
	}
	s.must(201, "POST", "/v1/documents", obj{"content": "Packing list, first draft: socks.", "container": "travel", "custom_id": "packing"})
	s.must(201, "POST", "/v1/documents", obj{"content": "Packing list, second draft: socks and boots.", "container": "travel", "custom_id": "packing"})
	s.must(201, "POST", "/v1/messages", obj{"conversation": "c1", "container": "travel", "messages": []obj{{"speaker": "Ann", "content": "Shall we take the ferry?"}}})
	if r := objs(s.must(200, "POST", "/v1/search", obj{"query": "where does she like to sit?", "types": []string{"memory"}})["results"]); len(r) != 1 || text(r[0], "memory", "id") != text(m, "id") {
		t.Errorf("memory not found: %v", r)
	}
	seen, cursor := map[string]bool{}, ""
	for range 10 {
		l := s.must(200, "GET", "/v1/documents?container=travel.diary&limit=10&cursor="+cursor, nil)
		for _, d := range objs(l["items"]) {
			seen[text(d, "id")] = true
		}
		if num(l, "total") != 25 {
			t.Fatalf("total %v", l["total"])
		}
		if cursor = text(l, "next_cursor"); cursor == "" {
			break
		}
	}
	if len(seen) != 25 {
		t.Errorf("pages show %d of 25", len(seen))
	}
	st := s.must(200, "GET", "/v1/stats", nil)
	if num(st, "documents") != 26 || num(st, "memories") != 1 || num(st, "messages") != 1 || num(st, "embedding_coverage") != 1 {
		t.Errorf("stats: %v", st)
	}

	req, _ := http.NewRequest(http.MethodGet, s.url+"/v1/export", nil)
	req.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	other := serve(t, nil, engine.Options{})
	for round := range 2 {
		req, _ := http.NewRequest(http.MethodPost, other.url+"/v1/import", bytes.NewReader(data))
		req.Header.Set("Authorization", "Bearer "+other.key)
		if status, out := other.send(req); status != 200 {
			t.Fatalf("import: %d %v", status, out)
		}
		if err := other.e.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := other.must(200, "GET", "/v1/stats", nil)
		for _, k := range []string{"documents", "memories", "messages", "chunks", "nodes"} {
			if num(got, k) != num(st, k) {
				t.Errorf("round %d: %s %v, want %v", round, k, got[k], st[k])
			}
		}
	}
	r := objs(other.must(200, "POST", "/v1/search", obj{"query": "boots", "container": "travel"})["results"])
	if len(r) == 0 || num(r[0]["document"].(obj), "version") != 2 {
		t.Errorf("the version chain was not carried: %v", r)
	}
	if status, out := other.do("POST", "/v1/import", `{"hello":1}`); status != 400 {
		t.Errorf("not an export: %d %v", status, out)
	}
}

// Events reach who may see them, as they happen.
func TestEvents(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/events", nil)
	req.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	if !lines.Scan() { // the greeting: from here on we listen
		t.Fatal(lines.Err())
	}
	out := s.save("The comet returns in 76 years.")
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data:") && strings.Contains(lines.Text(), "document.created") {
			if !strings.Contains(lines.Text(), text(out, "id")) || strings.Contains(lines.Text(), "76 years.\"") && strings.Contains(lines.Text(), `"content"`) {
				t.Errorf("event: %s", lines.Text())
			}
			return
		}
	}
	t.Fatalf("no event came: %v", lines.Err())
}

// T-20: health says how each part is; metrics count.
func TestHealthAndMetrics(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.save("x marks the spot")
	s.recall("spot")
	h := s.must(200, "GET", "/health", nil)
	checks, _ := h["checks"].(obj)
	for _, part := range []string{"store", "index", "embedder", "jobs"} {
		if text(checks, part, "status") != "ok" {
			t.Errorf("%s: %v", part, checks[part])
		}
	}
	key := s.key
	for _, s.key = range []string{"", "sk_nobody_has_this_key_00000"} {
		for _, path := range []string{"/health", "/ready", "/ready?to=write"} {
			if bare := s.must(200, "GET", path, nil); len(bare) != 1 || text(bare, "status") != "ok" {
				t.Errorf("%s without a key: %v", path, bare)
			}
		}
	}
	if s.key = key; len(s.must(200, "GET", "/ready", nil)) < 4 {
		t.Error("/ready with a key tells too little")
	}
	req, _ := http.NewRequest(http.MethodGet, s.url+"/metrics", nil)
	req.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, _ := io.ReadAll(resp.Body)
	for _, want := range []string{`lukasa_http_requests_total{method="POST",route="POST /v3/memory",status="201"} 1`, "lukasa_searches_total", "lukasa_search_stage_duration_seconds_bucket"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	spec := s.must(200, "GET", "/openapi.json", nil)
	if v := text(spec, "openapi"); !strings.HasPrefix(v, "3.1") {
		t.Errorf("openapi %q", v)
	}
}

// M-9: a configured reranker orders the best hits; one that is away changes nothing but the note.
func TestRerank(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	judge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		var in struct {
			Query string   `json:"query"`
			Texts []string `json:"texts"`
		}
		if r.URL.Path != "/rerank" || json.NewDecoder(r.Body).Decode(&in) != nil || in.Query != "sailing boats" {
			t.Errorf("%s asks for %+v", r.URL.Path, in)
		}
		out := make([]map[string]any, len(in.Texts))
		for i, x := range in.Texts {
			out[i] = map[string]any{"index": i, "score": map[bool]float64{true: 0.9, false: 0.1}[strings.Contains(x, "dinghy")]}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out)
	}))
	defer judge.Close()
	s := serve(t, func(c *config.Config) { c.RerankProvider, c.RerankURL, c.CacheTTL = "tei", judge.URL, 0 }, engine.Options{})
	s.save("Sailing boats race in the bay: sailing boats everywhere.")
	s.save("The old dinghy leaks, though its sail is new.")
	search := func() (string, obj) {
		out := s.must(200, "POST", "/v1/search", obj{"query": "sailing boats"})
		return text(objs(out["results"])[0], "content"), out
	}
	if first, out := search(); !strings.Contains(first, "dinghy") {
		t.Errorf("the judge's choice is not first: %v", out)
	}
	away.Store(true)
	if first, out := search(); !strings.Contains(first, "race") || !strings.Contains(text(out, "stats", "degraded"), "reranker") {
		t.Errorf("with the judge away: %v", out)
	}
}

// M-5: several types are searched side by side, and what says the very same stands once.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *config.Config) { c.Distil = "off" }, engine.Options{}) // no memory but those that are written here
	const same = "The orchid wants water on Mondays."
	s.must(201, "POST", "/v1/documents", obj{"content": same, "container": "home"})
	s.must(201, "POST", "/v1/documents", obj{"content": same, "container": "office"})
	s.must(201, "POST", "/v1/memories", obj{"content": same, "container": "home"})
	s.must(201, "POST", "/v1/memories", obj{"content": "Orchids are watered by the neighbour in July.", "kind": "task", "container": "home"})
	s.must(201, "POST", "/v1/messages", obj{"conversation": "c", "container": "home", "messages": []obj{{"speaker": "Ann", "content": same}, {"speaker": "Ben", "content": same}}})
	types := map[string]int{}
	for _, h := range objs(s.must(200, "POST", "/v1/search", obj{"query": "orchid water", "limit": 4})["results"]) {
		types[text(h, "type")]++
	}
	if types["message"] != 2 || types["chunk"]+types["memory"] != 2 {
		t.Errorf("types %v, want both messages, one of the three alike, and the task", types)
	}
	for _, c := range []string{"home", "office"} {
		if r := objs(s.must(200, "POST", "/v1/search", obj{"query": "orchid water", "container": c, "types": []string{"chunk"}})["results"]); len(r) != 1 {
			t.Errorf("in %s alone: %v", c, r)
		}
	}
	if r := objs(s.must(200, "POST", "/v1/search", obj{"query": "orchid", "types": []string{"memory"}, "filters": obj{"kind": "task"}})["results"]); len(r) != 1 {
		t.Errorf("tasks alone: %v", r)
	}
}

// H-28: the index cannot keep its files; what is saved stands, is found, and is found after a start with a damaged index too.
func TestCaseIndexUnavailable(t *testing.T) {
	t.Parallel()
	var dir string
	s := serve(t, func(c *config.Config) {
		dir = filepath.Join(c.Data, "index")
		if err := os.WriteFile(dir, []byte("in the way"), 0o600); err != nil {
			t.Fatal(err)
		}
	}, engine.Options{})
	s.save("The plumber comes on Thursday at eight.")
	if r := s.recall("plumber"); len(r) != 1 {
		t.Errorf("found %v", r)
	}
	if h := s.must(200, "GET", "/health", nil); text(h, "status") == "down" {
		t.Errorf("health: %v", h)
	}
}

// D-11, M-2: vectors of a server that speaks OpenAI's wire format, by configuration alone; found by keyword until they are there.
func TestRemoteEmbedder(t *testing.T) {
	t.Parallel()
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer secret" || json.NewDecoder(r.Body).Decode(&in) != nil || in.Model != "toy" {
			http.Error(w, `{"error":{"message":"bad request"}}`, http.StatusBadRequest)
			return
		}
		data := make([]map[string]any, len(in.Input))
		for i, x := range in.Input {
			v := []float32{0.01, 0.01, 0.01}
			for k, words := range [][]string{{"car", "automobile", "garage"}, {"bread", "bakery", "loaf"}} {
				for _, word := range words {
					v[k] += float32(strings.Count(strings.ToLower(x), word))
				}
			}
			data[i] = map[string]any{"object": "embedding", "index": i, "embedding": v}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": "toy", "usage": map[string]int{"prompt_tokens": 1, "total_tokens": 1}})
	}))
	defer model.Close()
	s := serve(t, func(c *config.Config) {
		c.EmbedProvider, c.EmbedURL, c.EmbedKey, c.EmbedModel = "openai", model.URL+"/v1", "secret", "toy"
	}, engine.Options{})
	out := s.must(202, "POST", "/v3/memory", obj{"content": "The automobile stands in the yard."})
	s.must(202, "POST", "/v3/memory", obj{"content": "A loaf costs three euros."})
	if r := s.recall("automobile"); len(r) == 0 || text(r[0], "document_id") != text(out, "id") {
		t.Errorf("by keyword, before the vectors: %v", r)
	}
	if err := s.e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := objs(s.must(200, "POST", "/v1/search", obj{"query": "garage", "ranker": "vector", "limit": 1})["results"])
	if len(r) != 1 || text(r[0], "document", "id") != text(out, "id") || num(r[0], "similarity") < 0.9 {
		t.Errorf("by meaning: %v", r)
	}
}
