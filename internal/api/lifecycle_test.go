package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/api"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// as returns the site as another key sees it.
func (s *site) as(key string) *site {
	other := *s
	other.key = key
	return &other
}

// person makes a user with a key.
func (s *site) person(name string, settings obj) (*site, string) {
	s.t.Helper()
	u := s.must(201, "POST", "/v1/users", obj{"name": name, "settings": settings})
	k := s.must(201, "POST", "/v1/keys", obj{"name": name, "user_id": text(u, "id")})
	return s.as(text(k, "key")), text(u, "id")
}

// T-15: the whole of a deletion over HTTP: soft, restored, for good, with both halves of the receipt.
func TestDeletionFlow(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	doc := text(s.save("The quixotropic lantern stands in the attic."), "id")
	soft := s.must(200, "DELETE", "/v1/documents/"+doc+"?soft=true", nil)
	if text(soft, "trash", "id") != doc || text(soft, "trash", "purge_at") == "" || num(soft, "documents") != 0 {
		t.Errorf("soft: %v", soft)
	}
	s.must(404, "GET", "/v1/documents/"+doc, nil)
	if got := s.must(400, "DELETE", "/v1/documents/"+doc+"?soft=true&wait=scrubbed", nil); text(got, "error", "details", "field") != "wait" {
		t.Errorf("soft and scrubbed: %v", got)
	}
	if l := s.must(200, "GET", "/v1/trash", nil); num(l, "total") != 1 || text(objs(l["items"])[0], "label") != "The quixotropic lantern stands in the attic" {
		t.Errorf("trash: %v", l)
	}
	s.must(200, "POST", "/v1/trash/"+doc+"/restore", nil)
	s.must(404, "POST", "/v1/trash/"+doc+"/restore", nil)
	if got := s.must(200, "GET", "/v1/documents/"+doc, nil); text(got, "tier") != "hot" {
		t.Errorf("restored: %v", got)
	}
	gone := s.must(200, "DELETE", "/v1/documents/"+doc+"?wait=scrubbed", nil)
	if num(gone, "documents") != 1 || num(gone, "chunks") != 1 || text(gone, "scrub", "state") != "scrubbed" || text(gone, "scrub", "scrubbed_at") == "" {
		t.Errorf("for good: %v", gone)
	}
	id := text(gone, "receipt_id")
	r := s.must(200, "GET", "/v1/receipts/"+id, nil)
	if text(r, "action") != "document.delete" || text(r, "resource") != doc || text(r, "why") != "request" || text(r, "scrub", "state") != "scrubbed" {
		t.Errorf("receipt: %v", r)
	}
	if l := s.must(200, "GET", "/v1/receipts", nil); num(l, "total") != 1 || text(objs(l["items"])[0], "receipt_id") != id {
		t.Errorf("receipts: %v", l)
	}
	s.must(404, "GET", "/v1/receipts/rcpt_01m7y0hrghf278p2nyn0qwvhfz", nil)
	s.must(400, "GET", "/v1/receipts/doc_01m7y0hrghf278p2nyn0qwvhfz", nil)
	s.must(404, "DELETE", "/v1/documents/"+doc, nil)

	talk := s.must(201, "POST", "/v1/messages", obj{"conversation": "c", "messages": []obj{{"content": "One thing to say."}, {"content": "Another thing to say."}}})
	msg := text(objs(talk["items"])[0], "id")
	if got := s.must(200, "DELETE", "/v1/messages/"+msg, nil); num(got, "messages") != 1 || text(got, "receipt_id") == "" || text(got, "scrub", "state") != "pending" {
		t.Errorf("message: %v", got)
	}
	s.must(200, "DELETE", "/v1/conversations/"+text(talk, "conversation_id")+"?soft=true", nil)
	if l := s.must(200, "DELETE", "/v1/trash", nil); num(l, "total") != 1 || text(objs(l["items"])[0], "why") != "trash" {
		t.Errorf("emptied: %v", l)
	}
	mem := text(s.must(201, "POST", "/v1/memories", obj{"content": "likes tea", "container": "home"}), "id")
	s.must(200, "DELETE", "/v1/memories/"+mem+"?soft=true", nil)
	if got := s.must(200, "DELETE", "/v1/trash/"+mem, nil); num(got, "memories") != 1 {
		t.Errorf("purged: %v", got)
	}
	if got := s.must(200, "DELETE", "/v1/containers/home", nil); num(got, "nodes") != 1 || text(got, "receipt_id") == "" {
		t.Errorf("container: %v", got)
	}
	s.must(400, "DELETE", "/v1/containers/default?soft=true", nil)
}

// Receipts and the trash are the owner's: another user sees none of them.
func TestDeletionIsOnesOwn(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	bob, _ := s.person("Bob", nil)
	doc := text(s.save("An admin's note."), "id")
	s.must(200, "DELETE", "/v1/documents/"+doc+"?soft=true", nil)
	bob.must(404, "POST", "/v1/trash/"+doc+"/restore", nil)
	bob.must(404, "DELETE", "/v1/trash/"+doc, nil)
	if l := bob.must(200, "GET", "/v1/trash", nil); num(l, "total") != 0 {
		t.Errorf("bob sees %v", l)
	}
	id := text(s.must(200, "DELETE", "/v1/trash/"+doc, nil), "receipt_id")
	bob.must(404, "GET", "/v1/receipts/"+id, nil)
	bound := s.as(text(s.must(201, "POST", "/v1/keys", obj{"name": "bound", "container": "work"}), "key"))
	bound.must(403, "GET", "/v1/receipts", nil)
	bound.must(403, "GET", "/v1/audit", nil)
	bound.must(404, "DELETE", "/v1/documents/"+doc, nil)
	reader := s.as(text(s.must(201, "POST", "/v1/keys", obj{"name": "reader", "read_only": true}), "key"))
	kept := text(s.must(201, "POST", "/v1/documents", obj{"content": "Another note."}), "id")
	reader.must(403, "DELETE", "/v1/documents/"+kept, nil)
	reader.must(403, "DELETE", "/v1/documents/"+kept+"?soft=true", nil)
	reader.must(403, "DELETE", "/v1/trash", nil)
}

// T-14: the audit log names act, actor, resource, details and address; a user reads the own lines, an admin all.
func TestAudit(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	bob, id := s.person("Bob", nil)
	doc := text(bob.save("Bob's note."), "id")
	bob.must(200, "DELETE", "/v1/documents/"+doc, nil)
	s.as("sk_wrong_0123456789").must(401, "GET", "/v1/whoami", nil)
	s.as("sk_wrong_0123456789").must(401, "GET", "/v1/whoami", nil)
	l := s.must(200, "GET", "/v1/audit?all=true&limit=100", nil)
	byAct := map[string]obj{}
	for _, a := range objs(l["items"]) {
		byAct[text(a, "action")] = a
	}
	for act, resource := range map[string]string{"user.create": id, "key.create": "", "document.delete": doc, "auth.failed": ""} {
		a, ok := byAct[act]
		if !ok || resource != "" && text(a, "resource") != resource || text(a, "address") != "127.0.0.1" || text(a, "at") == "" {
			t.Errorf("%s: %v", act, a)
		}
	}
	if text(byAct["document.delete"], "actor_id") != id || text(byAct["document.delete"], "details", "receipt_id") == "" || text(byAct["auth.failed"], "details", "reason") == "" {
		t.Errorf("details: %v", byAct)
	}
	if got := s.must(200, "GET", "/v1/audit?all=true&action=auth.failed", nil); num(got, "total") != 1 {
		t.Errorf("a flood of wrong keys fills the log: %v", got["total"])
	}
	own := bob.must(200, "GET", "/v1/audit", nil)
	for _, a := range objs(own["items"]) {
		if text(a, "owner_id") != id {
			t.Errorf("bob reads %v", a)
		}
	}
	if num(own, "total") != 1 {
		t.Errorf("bob's lines: %v", own)
	}
	bob.must(403, "GET", "/v1/audit?all=true", nil)
	if got := s.must(200, "GET", "/v1/audit?user_id="+id, nil); num(got, "total") != 1 {
		t.Errorf("of bob: %v", got)
	}
}

// T-15: a user in the trash is refused, and comes back.
func TestUserTrashFlow(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	bob, id := s.person("Bob", nil)
	bob.save("Bob's note.")
	got := s.must(200, "DELETE", "/v1/users/"+id+"?soft=true", nil)
	if text(got, "trash", "type") != "user" || text(got, "trash", "label") != "Bob" {
		t.Errorf("soft: %v", got)
	}
	bob.must(401, "GET", "/v1/documents", nil)
	s.must(200, "POST", "/v1/users/"+id+"/restore", nil)
	s.must(404, "POST", "/v1/users/"+id+"/restore", nil)
	if l := bob.must(200, "GET", "/v1/documents", nil); num(l, "total") != 1 {
		t.Errorf("back: %v", l)
	}
	gone := s.must(200, "DELETE", "/v1/users/"+id+"?wait=scrubbed", nil)
	if num(gone, "documents") != 1 || text(gone, "receipt_id") == "" || text(gone, "scrub", "state") != "scrubbed" {
		t.Errorf("hard: %v", gone)
	}
	bob.must(401, "GET", "/v1/documents", nil)
}

// T-22: each user has limits, those of the settings or their own, and what is over them is refused with a code that says which.
func TestUserLimits(t *testing.T) {
	t.Parallel()
	s := serve(t, func(c *config.Config) {
		c.RateLimit, c.RateBurst, c.UserFiles, c.UserStorage, c.UserSessions, c.UserRequests = 100_000, 1000, 3, 3000, 2, 1000
	}, engine.Options{})
	bob, id := s.person("Bob", nil)
	note := func(n string, status int) obj {
		t.Helper()
		return bob.must(status, "POST", "/v1/documents", obj{"content": "Note " + n + "."})
	}
	first := text(note("one", 201), "id")
	note("two", 201)
	note("two", 200) // the same again takes nothing
	note("three", 201)
	if got := note("four", 413); text(got, "error", "details", "field") != "files" || text(got, "error", "hint") == "" {
		t.Errorf("files: %v", got)
	}
	s.save("The admin is not held to them.")
	bob.must(200, "DELETE", "/v1/documents/"+first, nil)
	note("four", 201)
	batch := bob.must(200, "POST", "/v1/documents/batch", obj{"documents": []obj{{"content": "Note five."}, {"content": "Note four."}}})
	if items := objs(batch["items"]); num(items[0], "status") != 413 {
		t.Errorf("in a batch: %v", items)
	}
	s.must(200, "PATCH", "/v1/users/"+id, obj{"settings": obj{"limits": obj{"files": 10}}})
	note("five", 201)
	if got := bob.must(413, "POST", "/v1/documents", obj{"content": strings.Repeat("much ", 1000)}); text(got, "error", "details", "field") != "storage" {
		t.Errorf("storage: %v", got)
	}
	if got := bob.must(413, "POST", "/v1/memories", obj{"content": strings.Repeat("much ", 1000)}); text(got, "error", "details", "field") != "storage" {
		t.Errorf("storage of a memory: %v", got)
	}
	say := func(conversation string, status int) obj {
		t.Helper()
		return bob.must(status, "POST", "/v1/messages", obj{"conversation": conversation, "messages": []obj{{"content": "Hello."}}})
	}
	say("a", 201)
	b := say("b", 201)
	say("a", 201) // one that is held already
	if got := say("c", 429); text(got, "error", "details", "field") != "conversation" || text(got, "error", "category") != "rate_limit" {
		t.Errorf("sessions: %v", got)
	}
	if u := bob.must(200, "GET", "/v1/usage", nil); num(u, "sessions") != 2 || num(u, "files") != 6 || num(u["limits"].(obj), "files") != 10 {
		t.Errorf("usage: %v", u)
	}
	if _, err := s.e.EndConversation(t.Context(), lukasa.Scope{Owner: lukasa.ID(id), Principal: lukasa.ID(id), Role: lukasa.RoleUser}, lukasa.ID(text(b, "conversation_id"))); err != nil {
		t.Fatal(err)
	}
	say("c", 201)
	s.clock.Advance(2 * time.Hour)
	say("d", 201)
	for field, bad := range map[string]obj{
		"settings.limits.speed":   {"limits": obj{"speed": 1}},
		"settings.limits.files":   {"limits": obj{"files": -1}},
		"settings.limits":         {"limits": 3},
		"settings.retention_days": {"retention_days": 0.5},
		"settings.deleted_at":     {"deleted_at": "2020-01-01T00:00:00Z"},
	} {
		if got := s.must(400, "PATCH", "/v1/users/"+id, obj{"settings": bad}); text(got, "error", "details", "field") != field {
			t.Errorf("%v: %v", bad, got)
		}
	}
	bob.must(403, "PATCH", "/v1/users/"+id, obj{"settings": obj{"limits": obj{"files": 99}}})
	s.must(200, "PATCH", "/v1/users/"+id, obj{"settings": obj{"limits": obj{"requests": 2}}})
	if st, _ := bob.do("GET", "/v1/whoami", nil); st != 200 {
		t.Errorf("first request: %d", st)
	}
	other := s.as(text(s.must(201, "POST", "/v1/keys", obj{"name": "second", "user_id": id}), "key"))
	other.must(200, "GET", "/v1/whoami", nil) // another key, the same user
	bob.must(429, "GET", "/v1/whoami", nil)
	other.must(429, "GET", "/v1/whoami", nil)
	s.clock.Advance(time.Minute)
	bob.must(200, "GET", "/v1/whoami", nil)
}

// T-15: what is older than a user's limit of days goes by itself, with receipts.
func TestRetention(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	bob, id := s.person("Bob", obj{"retention_days": 30})
	bob.save("An old note.")
	bob.must(201, "POST", "/v1/memories", obj{"content": "an old memory"})
	s.save("An admin's old note.")
	s.clock.Advance(29 * 24 * time.Hour)
	bob.save("A newer note.")
	tend := func() float64 {
		t.Helper()
		if err := s.e.Tend(t.Context()); err != nil {
			t.Fatal(err)
		}
		return num(bob.must(200, "GET", "/v1/documents", nil), "total") + num(bob.must(200, "GET", "/v1/memories", nil), "total")
	}
	if n := tend(); n != 3 {
		t.Errorf("%v records after 29 days", n)
	}
	s.clock.Advance(2 * 24 * time.Hour)
	if n := tend(); n != 1 {
		t.Errorf("%v records after 31 days", n)
	}
	if l := bob.must(200, "GET", "/v1/receipts", nil); num(l, "total") != 2 || text(objs(l["items"])[0], "why") != "retention" {
		t.Errorf("receipts: %v", l)
	}
	if u := s.must(200, "GET", "/v1/usage?user_id="+id, nil); num(u, "retention_days") != 30 {
		t.Errorf("usage: %v", u)
	}
	if n := num(s.must(200, "GET", "/v1/documents", nil), "total"); n != 1 {
		t.Errorf("the admin has %v documents", n)
	}
}

// N-9: the doors of files: states, waking, the log; a reader of a file that takes long to wake is told to come back, and many readers
// wake it once.
func TestFileFlow(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	long := strings.TrimSpace(strings.Repeat("The tide comes in and the tide goes out again. ", 3000))
	doc := text(s.save(long), "id")
	if err := s.e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := s.must(200, "GET", "/v1/files?document_id="+doc, nil)
	id := text(objs(l["items"])[0], "id")
	if all := s.must(200, "GET", "/v1/files", nil); num(all, "total") != num(l, "total") {
		t.Errorf("all files: %v", all)
	}
	for i := range 2 { // a list has a total and pages, whatever it is narrowed to
		s.must(202, "POST", "/v1/documents", obj{"content": strings.Repeat("x", i+1) + " " + long, "container": "side"})
	}
	if err := s.e.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{"/v1/files?limit=1": 3, "/v1/files?limit=1&container=side": 2, "/v1/files?limit=1&document_id=" + doc: 1} {
		seen := map[string]bool{}
		for next := ""; ; {
			page := s.must(200, "GET", path+"&cursor="+next, nil)
			if num(page, "total") != float64(want) || len(objs(page["items"])) != 1 {
				t.Fatalf("%s: %v", path, page)
			}
			seen[text(objs(page["items"])[0], "id")] = true
			if next = text(page, "next_cursor"); next == "" {
				break
			}
		}
		if len(seen) != want {
			t.Errorf("%s has %d files, want %d", path, len(seen), want)
		}
	}
	state := func(want string) {
		t.Helper()
		if got := s.must(200, "GET", "/v1/files/"+id+"/state", nil); text(got, "state") != want {
			t.Fatalf("state %v, want %s", got, want)
		}
	}
	state("active")
	if got := s.must(200, "POST", "/v1/files/"+id+"/compress", nil); text(got, "state") != "dormant" {
		t.Errorf("compressed: %v", got)
	}
	if got := s.must(200, "POST", "/v1/files/"+id+"/decompress", nil); text(got, "state") != "active" {
		t.Errorf("decompressed: %v", got)
	}
	s.must(200, "POST", "/v1/files/"+id+"/touch", nil)
	s.must(200, "POST", "/v1/files/"+id+"/compress", nil)

	hasty := httptest.NewServer(api.New(s.e, api.Options{Hold: time.Nanosecond}))
	defer hasty.Close()
	quick := *s
	quick.url = hasty.URL
	for _, path := range []string{"/v1/files/" + id + "/content", "/v1/documents/" + doc + "/content"} {
		s.must(200, "POST", "/v1/files/"+id+"/compress", nil)
		req, err := http.NewRequest(http.MethodGet, quick.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if path == "/v1/files/"+id+"/content" && (err != nil || resp.StatusCode != http.StatusAccepted || resp.Header.Get("Retry-After") != "1" || !strings.Contains(string(b), `"state":"rehydrating"`)) {
			t.Errorf("%s: %d %q %v", path, resp.StatusCode, b, err)
		}
		wake(t, s, id)
	}
	s.must(200, "POST", "/v1/files/"+id+"/compress", nil)
	if st, got := quick.do("POST", "/v1/files/"+id+"/decompress", nil); st != 202 || text(got, "state") != "rehydrating" {
		t.Errorf("decompress: %d %v", st, got)
	}
	wake(t, s, id)

	s.must(200, "POST", "/v1/files/"+id+"/compress", nil)
	before := num(s.must(200, "GET", "/v1/files/"+id+"/log", nil), "total")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			req, _ := http.NewRequest(http.MethodGet, s.url+"/v1/files/"+id+"/content", nil)
			req.Header.Set("Authorization", "Bearer "+s.key)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer resp.Body.Close()
			if b, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK || string(b) != long {
				t.Errorf("%d, %d of %d bytes, %v", resp.StatusCode, len(b), len(long), err)
			}
		})
	}
	wg.Wait()
	log := s.must(200, "GET", "/v1/files/"+id+"/log", nil)
	if num(log, "total") != before+2 || text(objs(log["items"])[0], "to") != "active" || text(objs(log["items"])[0], "trigger") != "retrieval" {
		t.Errorf("eight readers left %v lines: %v", num(log, "total")-before, objs(log["items"])[:3])
	}
	if all := s.must(200, "GET", "/v1/files/log", nil); num(all, "total") != num(log, "total") {
		t.Errorf("the log of all: %v", all)
	}
	bob, _ := s.person("Bob", nil)
	bob.must(404, "GET", "/v1/files/"+id, nil)
	bob.must(404, "GET", "/v1/files/"+id+"/content", nil)
	bob.must(404, "POST", "/v1/files/"+id+"/compress", nil)
	s.must(400, "GET", "/v1/files/"+doc, nil)
}

// wake waits until a file is active.
func wake(t *testing.T, s *site, id string) {
	t.Helper()
	for range 100 {
		if text(s.must(200, "POST", "/v1/files/"+id+"/decompress", nil), "state") == "active" {
			return
		}
	}
	t.Fatal("the file does not wake")
}

// T-19: what is derived is made again, and the answer says what was, or what is missing.
func TestRebuildFlow(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, engine.Options{})
	s.save("My name is Ottilie Brandt. I live in Lisbon and work at the harbour.", "title", "About me")
	talk := s.must(201, "POST", "/v1/messages", obj{"conversation": "c", "messages": []obj{
		{"role": "user", "speaker": "Ann", "content": "We decided to move the fair to October."}, {"role": "assistant", "content": "Noted."},
	}})
	if _, err := s.e.EndConversation(t.Context(), local(t, s), lukasa.ID(text(talk, "conversation_id"))); err != nil {
		t.Fatal(err)
	}
	sum := s.must(200, "POST", "/v1/rebuild", obj{"what": "summaries"})
	made, _ := sum["regenerated"].(obj)
	if num(sum, "records") != 2 || num(made, "summary") != 2 || num(made, "transcript") != 1 || num(made, "embedding") != 2 || len(objs(sum["missing"])) != 0 {
		t.Errorf("summaries: %v", sum)
	}
	if got := s.must(200, "POST", "/v1/rebuild", obj{"what": "graph"}); num(got, "records") != 2 {
		t.Errorf("graph: %v", got)
	}
	s.must(200, "POST", "/v1/rebuild", obj{"what": "embeddings", "containers": "default"})
	s.must(200, "POST", "/v1/rebuild", obj{"what": "index"})
	if r := s.recall("Lisbon"); len(r) == 0 {
		t.Error("not found after the index was rebuilt")
	}
	dry := s.must(200, "POST", "/v1/rederive", obj{})
	if dry["applied"] != false || num(dry, "documents") != 2 || num(dry, "add") != 0 || num(dry, "retire") != 0 || num(dry, "keep") == 0 {
		t.Errorf("rederive: %v", dry)
	}
	mem := objs(s.must(200, "GET", "/v1/memories", nil)["items"])
	s.must(200, "DELETE", "/v1/memories/"+text(mem[0], "id"), nil)
	if dry = s.must(200, "POST", "/v1/rederive", obj{}); num(dry, "add") != 0 || len(objs(dry["changes"])) != 0 {
		t.Errorf("with one deleted by hand: %v", dry)
	}
	if got := s.must(200, "POST", "/v1/rederive", obj{"apply": true}); num(got, "add") != 0 || got["applied"] != true {
		t.Errorf("applied: %v", got)
	}
	s.must(200, "POST", "/v1/rebuild", obj{"what": "graph"})
	if left := objs(s.must(200, "GET", "/v1/memories", nil)["items"]); len(left) != len(mem)-1 {
		t.Errorf("what was deleted came back: %v", left)
	}
	s.must(400, "POST", "/v1/rederive", obj{"model": true})
	s.must(422, "POST", "/v1/rederive", obj{"unknown": 1})
	s.must(400, "POST", "/v1/rebuild", obj{"what": "everything"})
	s.must(404, "POST", "/v1/rebuild", obj{"what": "summaries", "document_id": "doc_01m7y0hrghf278p2nyn0qwvhfz"})
}

func local(t *testing.T, s *site) lukasa.Scope {
	t.Helper()
	sc, err := s.e.Local(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return sc
}
