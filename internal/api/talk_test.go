package api_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// talker serves an engine with a model that says what a test wants.
func talker(t *testing.T, answer func(n int, a enginetest.Asked) enginetest.Said) *site {
	t.Helper()
	m := enginetest.NewModel(t, answer)
	return serve(t, func(c *config.Config) { m.Use(c); c.LLMTimeout = 5 * time.Second }, engine.Options{})
}

func (s *site) sdk() *client.Client {
	s.t.Helper()
	c, err := client.New(s.url, client.Options{Key: s.key})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *site) tell(conversation string, lines ...string) obj {
	s.t.Helper()
	var msgs []obj
	for _, l := range lines {
		who, text, _ := strings.Cut(l, ": ")
		role := "user"
		if who == "Bot" {
			role = "assistant"
		}
		msgs = append(msgs, obj{"speaker": who, "role": role, "content": text, "time": "2026-05-01T10:00:00Z"})
	}
	return s.must(201, "POST", "/v1/messages", obj{"conversation": conversation, "container": "life", "messages": msgs})
}

// T-8: the documented request and answer, word for word.
func TestChatShape(t *testing.T) {
	t.Parallel()
	s := talker(t, func(int, enginetest.Asked) enginetest.Said { return enginetest.Said{Text: "With Stripe."} })
	s.tell("plans", "Ana: We decided to use Stripe for the payment integration.", "Bot: Noted.")
	out := s.must(200, "POST", "/v1/chat", obj{
		"message": "Continue working on the payment integration", "model": "claude-sonnet-4-20250514", "include_memories": true,
		"memory_options": obj{"max_memories": 5, "token_budget": 4000, "include_defining": true, "time_range": obj{"start": "2025-01-01T00:00:00Z", "end": nil}},
		"system_prompt":  "You are a helpful coding assistant.", "stream": false,
	})
	for _, key := range []string{"id", "response", "model", "logged_to"} {
		if text(out, key) == "" {
			t.Errorf("%s is missing: %v", key, out)
		}
	}
	used, usage := objs(out["memories_used"]), out["usage"].(obj)
	if text(out, "response") != "With Stripe." || text(out, "model") != "claude-sonnet-4-20250514" || len(used) == 0 || text(used[0], "recall_file_id") == "" ||
		text(used[0], "topic") == "" || text(used[0], "date") != "2026-05-01" || num(used[0], "relevance_score") == 0 {
		t.Errorf("%v", out)
	}
	if num(usage, "prompt_tokens") == 0 || num(usage, "completion_tokens") == 0 || num(usage, "memory_tokens") == 0 || text(out, "log", "recall_file_id") != text(out, "logged_to") {
		t.Errorf("%v", usage)
	}
	f := s.must(200, "GET", "/v1/recall-files/"+text(out, "logged_to")+"?include=transcript", nil)
	if !strings.Contains(text(f, "transcript"), "With Stripe.") {
		t.Errorf("%v", f)
	}
	for _, c := range []struct {
		body   any
		status int
		field  string
	}{
		{obj{}, 400, "message"},
		{obj{"message": "x", "colour": "red"}, 422, "colour"},
		{obj{"message": "x", "conversation_id": "doc_1"}, 400, "conversation_id"},
		{obj{"message": "x", "conversation_id": "conv_01h455vb4pex5vsknk084sn02q"}, 404, ""},
		{obj{"message": "x", "memory_options": obj{"max_memories": 900}}, 400, "memory_options.max_memories"},
		{obj{"message": strings.Repeat("x", 11<<20)}, 413, "body"},
		{`{"message": "x`, 400, ""},
	} {
		status, out := s.do("POST", "/v1/chat", c.body)
		if field := text(out, "error", "details", "field"); status != c.status || c.field != "" && field != c.field {
			t.Errorf("%.60v: %d %v", c.body, status, out)
		}
	}
}

// events reads server-sent events to their end.
func (s *site) events(body obj) (status int, names []string, data []obj) {
	s.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, s.url+"/v1/chat", bytes.NewReader(raw))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			names = append(names, name)
		}
		if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var o obj
			if err := json.Unmarshal([]byte(d), &o); err != nil {
				s.t.Fatal(err)
			}
			data = append(data, o)
		}
	}
	return resp.StatusCode, names, data
}

// T-8: an answer as it is written, and what becomes of it when it breaks off.
func TestChatStream(t *testing.T) {
	t.Parallel()
	s := talker(t, func(n int, a enginetest.Asked) enginetest.Said {
		switch {
		case strings.HasSuffix(a.Last(), "break"):
			return enginetest.Said{Text: "One two three", Breaks: true}
		case strings.HasSuffix(a.Last(), "fail"):
			return enginetest.Said{Status: 401, Raw: "{}"}
		}
		return enginetest.Said{Text: "One <b>two</b>\nthree."}
	})
	status, names, data := s.events(obj{"message": "count", "stream": true})
	whole := ""
	for i, n := range names {
		if n == "delta" {
			whole += text(data[i], "text")
		}
	}
	last := data[len(data)-1]
	if status != 200 || names[len(names)-1] != "done" || whole != "One <b>two</b>\nthree." || text(last, "response") != whole || text(last, "logged_to") == "" || len(names) < 3 {
		t.Errorf("%d %v %v", status, names, data)
	}
	status, names, data = s.events(obj{"message": "break", "stream": true})
	last = data[len(data)-1]
	details, _ := last["error"].(obj)["details"].(obj)
	if status != 200 || names[len(names)-1] != "error" || text(last, "error", "request_id") == "" || text(details, "message_id") == "" || text(details, "partial_answer_id") == "" {
		t.Errorf("%d %v %v", status, names, data)
	}
	if status, out := s.do("POST", "/v1/chat", obj{"message": "fail", "stream": true}); status != 502 || text(out, "error", "code") != "EXTERNAL_ERROR" || text(out, "error", "details", "message_id") == "" {
		t.Errorf("%d %v", status, out)
	}
	// the SDK hears the same
	c := s.sdk()
	heard := ""
	r, err := c.Chat(t.Context(), client.ChatRequest{Message: "count"}, func(x string) error { heard += x; return nil })
	if err != nil || heard != whole || r.Response != whole {
		t.Errorf("%q %+v, %v", heard, r, err)
	}
	if r, err = c.Chat(t.Context(), client.ChatRequest{Message: "count"}, nil); err != nil || r.Response != whole {
		t.Errorf("%+v, %v", r, err)
	}
	for _, delta := range []func(string) error{nil, func(string) error { return nil }} {
		if _, err := c.Chat(t.Context(), client.ChatRequest{Message: "fail"}, delta); err == nil || !strings.Contains(err.Error(), "kept as msg_") {
			t.Errorf("%v", err)
		}
	}
	if _, err := c.Chat(t.Context(), client.ChatRequest{Message: "break"}, func(string) error { return nil }); err == nil || client.RequestID(err) == "" {
		t.Errorf("%v", err)
	}
}

// A chat may take longer than other requests may.
func TestChatOutlastsRequests(t *testing.T) {
	t.Parallel()
	m := enginetest.NewModel(t, func(int, enginetest.Asked) enginetest.Said {
		return enginetest.Said{Text: "At last.", After: 1200 * time.Millisecond}
	})
	cfg := enginetest.Config(t)
	m.Use(&cfg)
	e, _, _ := enginetest.Open(t, cfg, engine.Options{})
	srv := httptest.NewUnstartedServer(api.New(e, api.Options{Timeout: 200 * time.Millisecond}))
	srv.Config.ReadTimeout, srv.Config.WriteTimeout = 500*time.Millisecond, 500*time.Millisecond
	srv.Start()
	t.Cleanup(srv.Close)
	s := &site{t: t, e: e, url: srv.URL, key: cfg.APIKey}
	if out := s.must(200, "POST", "/v1/chat", obj{"message": "Now?"}); text(out, "response") != "At last." {
		t.Errorf("%v", out)
	}
	if _, names, _ := s.events(obj{"message": "And now?", "stream": true}); len(names) == 0 || names[len(names)-1] != "done" {
		t.Errorf("%v", names)
	}
}

// A model that is away is 503 or 502 in the shape of every error, and says where the message is.
func TestChatFailures(t *testing.T) {
	t.Parallel()
	s := talker(t, func(int, enginetest.Asked) enginetest.Said { return enginetest.Said{Status: 500, Raw: "boom"} })
	status, out := s.do("POST", "/v1/chat", obj{"id": "q1", "message": "The cello is made of spruce."})
	if status != 503 || text(out, "error", "code") != "UNAVAILABLE" || text(out, "error", "category") != "external" || out["error"].(obj)["retryable"] != true {
		t.Errorf("%d %v", status, out)
	}
	id := text(out, "error", "details", "message_id")
	if c := s.must(200, "GET", "/v1/messages/"+id+"/context", nil); text(c, "message", "content") != "The cello is made of spruce." {
		t.Errorf("%v", c)
	}
	none := serve(t, nil, engine.Options{})
	status, out = none.do("POST", "/v1/chat", obj{"message": "Hello?"})
	if status != 400 || !strings.Contains(text(out, "error", "hint"), "llm.provider") || text(out, "error", "details", "message_id") == "" {
		t.Errorf("%d %v", status, out)
	}
}

// T-7, D-7, over HTTP and by the SDK.
func TestBriefAndProfile(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.tell("a", "Ana: I live in Lyon.", "Ana: We decided to use PostgreSQL for the billing service.", "Bot: Fine.")
	b := s.must(200, "POST", "/v1/brief", obj{"query": "What do we use for billing?", "container": "life", "max_tokens": 300, "session": "s", "floor": 0.2, "include_defining": true})
	if !strings.Contains(text(b, "text"), "PostgreSQL") || num(b, "tokens") > 300 || len(objs(b["hits"])) == 0 || b["left_out"] == nil {
		t.Errorf("%v", b)
	}
	again := s.must(200, "POST", "/v1/brief", obj{"query": "What do we use for billing?", "container": "life", "max_tokens": 300, "session": "s", "floor": 0.2})
	if strings.Contains(text(again, "text"), "PostgreSQL") {
		t.Errorf("%v", again)
	}
	if b := s.must(200, "POST", "/v1/brief", obj{"query": "billing?", "as_of": "2020-01-01"}); text(b, "text") != "" || text(b, "message") == "" {
		t.Errorf("%v", b)
	}
	p := s.must(200, "GET", "/v1/profile?container=life&query=database", nil)
	if text(p, "container") != "life" || p["static_facts"] == nil || p["recent_context"] == nil || p["relevant_memories"] == nil || !strings.Contains(p["static_facts"].([]any)[0].(string), "Lyon") {
		t.Errorf("%v", p)
	}
	c := s.sdk()
	sb, err := c.Brief(t.Context(), client.BriefRequest{Query: "Where does Ana live?", MaxTokens: 300, Floor: -1})
	if err != nil || !strings.Contains(sb.Text, "Lyon") {
		t.Errorf("%+v, %v", sb, err)
	}
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if sp, err := c.Profile(t.Context(), client.ProfileRequest{Container: "life", AsOf: &at}); err != nil || len(sp.Static) != 0 {
		t.Errorf("%+v, %v", sp, err)
	}
	for _, x := range []struct {
		method, path string
		body         any
		status       int
		field        string
	}{
		{"POST", "/v1/brief", obj{"query": ""}, 400, "query"},
		{"POST", "/v1/brief", obj{"query": "x", "max_tokens": -1}, 400, "max_tokens"},
		{"POST", "/v1/brief", obj{"query": "x", "floor": 3}, 400, "floor"},
		{"POST", "/v1/brief", obj{"query": "x", "container": "a b"}, 400, "container"},
		{"POST", "/v1/brief", obj{"query": "x", "as_of": "soon"}, 400, ""},
		{"POST", "/v1/brief", obj{"query": "x", "size": 3}, 422, "size"},
		{"GET", "/v1/profile?container=a%20b", nil, 400, "container"},
		{"GET", "/v1/profile?as_of=soon", nil, 400, "as_of"},
	} {
		status, out := s.do(x.method, x.path, x.body)
		if status != x.status || x.field != "" && text(out, "error", "details", "field") != x.field {
			t.Errorf("%s %v: %d %v", x.path, x.body, status, out)
		}
	}
}

// T-9: recall files and defining memories as the document lists them.
func TestRecallFileRoutes(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	code := "Here it is:\n```python\ndef hotel():\n    city = 'Kyoto'\n    nights = 7\n    rate = 90\n    return city, nights * rate\n```"
	conv := s.tell("trip", "Ana: We decided to go to Japan in May.", "Bot: "+code, "Ana: Book the hotel in Kyoto please.", "Bot: Done.")
	end := s.must(200, "POST", "/v1/conversations/"+text(conv, "conversation_id")+"/end", nil)
	if text(end, "status") != "finalized" || text(end, "folder_name") == "" || text(end, "trigger") != "conversation_end" {
		t.Errorf("%v", end)
	}
	if again := s.must(200, "POST", "/v1/conversations/trip/end?container=life", nil); text(again, "id") != text(end, "id") {
		t.Errorf("%v", again)
	}
	s.tell("other", "Ana: The car needs new brakes.")
	l := s.must(200, "GET", "/v1/recall-files?limit=1&sort=created_at&order=desc", nil)
	page := l["pagination"].(obj)
	if len(objs(l["recall_files"])) != 1 || len(objs(l["items"])) != 1 || num(page, "total") != 2 || num(page, "limit") != 1 || page["has_more"] != true || text(l, "next_cursor") == "" {
		t.Errorf("%v", l)
	}
	l = s.must(200, "GET", "/v1/recall-files?status=finalized&topic="+url.QueryEscape(text(end, "topic"))+"&offset=0", nil)
	if list := objs(l["recall_files"]); len(list) != 1 || text(list[0], "storage_state") == "" || num(list[0], "token_count") == 0 || text(list[0], "created_at") == "" || l["pagination"].(obj)["has_more"] != false {
		t.Errorf("%v", l)
	}
	f := s.must(200, "GET", "/v1/recall-files/"+text(end, "id")+"?include=summary,keywords,transcript,artifacts", nil)
	arts := objs(f["artifacts"])
	if !strings.Contains(text(f, "summary"), "## Overview") || !strings.Contains(text(f, "transcript"), "# Conversation Transcript") || len(f["keywords"].([]any)) == 0 ||
		len(arts) != 1 || text(arts[0], "type") == "" || num(arts[0], "size") == 0 || len(objs(f["linked_nodes"])) == 0 || len(objs(f["keyword_frequencies"])) == 0 {
		t.Fatalf("%v", f)
	}
	c := s.sdk()
	rc, err := c.Artifact(t.Context(), "rf_1", "x")
	if err == nil {
		t.Errorf("no id: %v", rc)
	}
	sf, err := c.RecallFile(t.Context(), "doc_01h455vb4pex5vsknk084sn02q")
	if err == nil {
		t.Errorf("%+v", sf)
	}
	var made bytes.Buffer
	got, err := c.RecallFiles(t.Context(), client.RecallFileQuery{Status: []string{"finalized"}, Sort: "updated_at", Oldest: true}, lukasa.Page{})
	if err != nil || len(got.Items) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if rc, err = c.Artifact(t.Context(), got.Items[0].ID, text(arts[0], "name")); err != nil {
		t.Fatal(err)
	}
	_, err = made.ReadFrom(rc)
	_ = rc.Close()
	if err != nil || !strings.Contains(made.String(), "nights * rate") {
		t.Errorf("%q, %v", made.String(), err)
	}
	d := s.must(200, "GET", "/v1/defining-memories?type=decision&since=2026-01-01&limit=5", nil)
	list := objs(d["defining_memories"])
	if len(list) != 1 || text(list[0], "type") != "decision" || text(list[0], "source_recall_file_id") != text(end, "id") || text(list[0], "context") == "" || text(list[0], "occurred_at") == "" ||
		num(list[0], "confidence") < 0.8 || d["pagination"].(obj)["has_more"] != false {
		t.Errorf("%v", d)
	}
	if dm, err := c.DefiningMemories(t.Context(), client.DefiningQuery{Kinds: nil, Superseded: true}, lukasa.Page{}); err != nil || len(dm.Items) != 1 {
		t.Errorf("%+v, %v", dm, err)
	}
	msgs := objs(s.must(200, "GET", "/v1/conversations/"+text(conv, "conversation_id")+"/messages", nil)["items"])
	around := s.must(200, "GET", "/v1/messages/"+text(msgs[2], "id")+"/context?before=1&after=5", nil)
	if len(objs(around["before"])) != 1 || len(objs(around["after"])) != 1 || text(around, "message", "id") != text(msgs[2], "id") {
		t.Errorf("%v", around)
	}
	for path, want := range map[string]int{
		"/v1/recall-files?limit=101": 400, "/v1/recall-files?sort=colour": 400, "/v1/recall-files?order=up": 400, "/v1/recall-files?status=gone": 400, "/v1/recall-files?cursor=xyz": 400,
		"/v1/recall-files?cursor=at:x": 400, "/v1/recall-files/rf_1": 400, "/v1/recall-files/doc_01h455vb4pex5vsknk084sn02q": 404, "/v1/recall-files/" + text(end, "id") + "?include=all": 400,
		"/v1/recall-files/" + text(end, "id") + "/artifacts/nothing.py": 404, "/v1/defining-memories?type=fact": 400, "/v1/defining-memories?since=soon": 400,
		"/v1/messages/doc_1/context": 400, "/v1/messages/" + text(msgs[2], "id") + "/context?before=1000": 400, "/v1/messages/msg_01h455vb4pex5vsknk084sn02q/context": 404,
	} {
		if status, out := s.do("GET", path, nil); status != want || text(out, "error", "code") == "" {
			t.Errorf("%s: %d, want %d: %v", path, status, want, out)
		}
	}
	// who may not see it finds nothing
	k := s.must(201, "POST", "/v1/keys", obj{"name": "bound", "container": "work"})
	s.key = text(k, "key")
	if l := s.must(200, "GET", "/v1/recall-files", nil); len(objs(l["items"])) != 0 {
		t.Errorf("%v", l)
	}
	for _, path := range []string{"/v1/recall-files/" + text(end, "id"), "/v1/messages/" + text(msgs[2], "id") + "/context"} {
		s.must(404, "GET", path, nil)
	}
	s.must(404, "POST", "/v1/conversations/"+text(conv, "conversation_id")+"/end", nil)
	if b := s.must(200, "POST", "/v1/brief", obj{"query": "hotel in Kyoto", "floor": 0}); text(b, "text") != "" {
		t.Errorf("%v", b)
	}
}
