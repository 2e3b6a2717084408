package binary

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// deeds is what a server said that it did, and what it was doing when it was killed.
type deeds struct {
	mu      sync.Mutex
	docs    map[string]string // id → what it says
	gone    map[string]string // id → receipt
	buried  map[string]bool
	unsure  map[string]bool // a deletion was under way
	talk    map[string][]string
	talkID  map[string]string
	moves   int
	deleted int
}

func (d *deeds) pick(pool map[string]string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range pool {
		if d.gone[id] == "" && !d.buried[id] && !d.unsure[id] {
			d.unsure[id] = true
			return id
		}
	}
	return ""
}

// TestKillLifecycle kills the server while it closes segments, distils, deletes, and moves files: nothing is ever half done. A
// deletion is there with its receipt or did not happen; a file has its bytes in whatever state; a closed stretch of a conversation has
// all its files; every statement has its memory.
func TestKillLifecycle(t *testing.T) {
	t.Parallel()
	rounds := rounds(20)
	data := t.TempDir()
	d := &deeds{
		docs: map[string]string{}, gone: map[string]string{}, buried: map[string]bool{}, unsure: map[string]bool{},
		talk: map[string][]string{}, talkID: map[string]string{},
	}
	moment := aim(350 * time.Millisecond)
	for round := range rounds {
		s := start(t, data, "env", "LUKASA_SEGMENT_TOKENS=1000")
		docs, deleted, moves := len(d.docs), d.deleted, d.moves
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for _, work := range []func(*server, *deeds, int, int) bool{save, say, remove, move} {
			wg.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					if !work(s, d, round, i) {
						return
					}
				}
			})
		}
		moment.wait()
		s.kill()
		close(stop)
		wg.Wait()
		switch {
		case d.deleted == deleted || d.moves == moves:
			moment.early()
		case len(d.docs) > docs+20:
			moment.late()
		}
		if round%20 == 19 || round == rounds-1 {
			d.verify(t, data)
		}
	}
	t.Logf("%d rounds: %d documents, %d deleted, %d file moves, %d conversations", rounds, len(d.docs), d.deleted, d.moves, len(d.talk))
	if len(d.docs) < rounds || d.deleted < rounds/3 || d.moves < rounds/3 {
		t.Error("too little was done: the test tests little")
	}
}

// save keeps a note with a statement in it, every third one so long that it lies in a file.
func save(s *server, d *deeds, round, i int) bool {
	text := fmt.Sprintf("I live in Harbour%dx%d. The tide table hangs behind the door.", round, i)
	if i%3 == 2 {
		text += strings.Repeat(fmt.Sprintf(" The tide of %d comes in and goes out.", i), 2500)
	}
	status, out, err := s.call("POST", "/v1/documents", map[string]any{"content": text, "container": fmt.Sprintf("r%d", round)})
	if err == nil && (status == 201 || status == 202) {
		d.mu.Lock()
		d.docs[out["id"].(string)] = text
		d.mu.Unlock()
	}
	return err == nil
}

// say adds long messages to a conversation, so that it goes on in a new segment every few of them.
func say(s *server, d *deeds, round, i int) bool {
	name := fmt.Sprintf("talk%d", round)
	text := fmt.Sprintf("Message %d of %s. %s", i, name, strings.Repeat("We talked about the ferry and the weather for a while. ", 40))
	status, out, err := s.call("POST", "/v1/messages", map[string]any{"conversation": name, "messages": []map[string]any{{"id": fmt.Sprint(i), "role": "user", "content": text}}})
	if err == nil && status == 201 {
		d.mu.Lock()
		d.talk[name] = append(d.talk[name], text)
		d.talkID[name] = out["conversation_id"].(string)
		d.mu.Unlock()
	}
	return err == nil
}

// remove deletes a note, every other time into the trash.
func remove(s *server, d *deeds, _, i int) bool {
	id := d.pick(d.docs)
	if id == "" {
		time.Sleep(5 * time.Millisecond) //nolint:forbidigo // until there is one
		return true
	}
	soft := i%2 == 1
	status, out, err := s.call("DELETE", fmt.Sprintf("/v1/documents/%s?soft=%v", id, soft), nil)
	if err != nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case status != 200:
	case soft:
		d.buried[id] = true
		delete(d.unsure, id)
	default:
		d.gone[id], d.deleted = fmt.Sprint(out["receipt_id"]), d.deleted+1
		delete(d.unsure, id)
	}
	return true
}

// move puts a file to sleep, or wakes it.
func move(s *server, d *deeds, _, i int) bool {
	_, out, err := s.call("GET", "/v1/files?limit=100", nil)
	if err != nil {
		return false
	}
	items, _ := out["items"].([]any)
	if len(items) == 0 {
		time.Sleep(5 * time.Millisecond) //nolint:forbidigo // until there is one
		return true
	}
	id := items[rand.N(len(items))].(map[string]any)["id"].(string)
	verb := []string{"compress", "decompress"}[i%2]
	status, _, err := s.call("POST", "/v1/files/"+id+"/"+verb, nil)
	if status == 200 {
		d.mu.Lock()
		d.moves++
		d.mu.Unlock()
	}
	return err == nil
}

// verify holds a killed store to what was said of it.
func (d *deeds) verify(t *testing.T, data string) {
	t.Helper()
	s := start(t, data, "env", "LUKASA_SEGMENT_TOKENS=1000")
	defer s.kill()
	settle(t, s)
	trash := s.all(t, "/v1/trash?limit=100")
	buried := map[string]bool{}
	for _, b := range trash {
		buried[b["id"].(string)] = true
	}
	receipts := d.receipts(t, s, buried)
	for id, text := range d.docs {
		status, out, err := s.call("GET", "/v1/documents/"+id, nil)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case d.gone[id] != "":
			if status != 404 || buried[id] || receipts[id] == nil || receipts[id]["receipt_id"] != d.gone[id] {
				t.Errorf("%s was deleted: status %d, in the trash %v, receipt %v", id, status, buried[id], receipts[id])
			}
		case d.buried[id]:
			if status != 404 || !buried[id] || receipts[id] != nil {
				t.Errorf("%s was put into the trash: status %d, there %v, receipt %v", id, status, buried[id], receipts[id])
			}
		case d.unsure[id] && status == 404:
			if buried[id] == (receipts[id] != nil) {
				t.Errorf("%s is half deleted: in the trash %v, receipt %v", id, buried[id], receipts[id])
			}
		case status != 200 || out["content"] != text:
			t.Errorf("%s is lost or half there: status %d", id, status)
		default:
			if !d.stated(t, s, id) {
				t.Errorf("the statement of %s has no memory", id)
			}
		}
	}
	for _, r := range receipts {
		got := s.scrubbed(t, r["receipt_id"].(string))
		if state := got["scrub"].(map[string]any)["state"]; state != "scrubbed" && state != "unsearched" {
			t.Errorf("receipt %v: %v", r["receipt_id"], got["scrub"])
		}
	}
	d.files(t, s)
	d.talks(t, s)
	_, found, err := s.call("POST", "/v1/doctor", map[string]any{})
	if err != nil || len(found["items"].([]any)) > 0 {
		t.Errorf("doctor: %v %v", found, err)
	}
}

// receipts lists them by what they are of. Of a deletion whose server was killed before it answered, another one writes it a few
// seconds later.
func (d *deeds) receipts(t *testing.T, s *server, buried map[string]bool) map[string]map[string]any {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		list := map[string]map[string]any{}
		for _, r := range s.all(t, "/v1/receipts?limit=100") {
			list[r["resource"].(string)] = r
		}
		missing := 0
		for id := range d.unsure {
			if status, _, err := s.call("GET", "/v1/documents/"+id, nil); err != nil {
				t.Fatal(err)
			} else if status == 404 && !buried[id] && list[id] == nil {
				missing++
			}
		}
		if missing == 0 || time.Now().After(deadline) {
			return list
		}
		time.Sleep(500 * time.Millisecond) //nolint:forbidigo // waits for another process
	}
}

// stated reports whether a note has the memory that its statement makes. Long notes are read by the rules too.
func (d *deeds) stated(t *testing.T, s *server, id string) bool {
	t.Helper()
	if len(d.docs[id]) > 64<<10 {
		return true // longer than what is read before the answer
	}
	_, l, err := s.call("GET", "/v1/memories?document_id="+id, nil)
	if err != nil {
		t.Fatal(err)
	}
	return len(l["items"].([]any)) > 0
}

// files reads every sealed file and compares it with its row.
func (d *deeds) files(t *testing.T, s *server) {
	t.Helper()
	closed := map[string]map[string]bool{}
	for _, f := range s.all(t, "/v1/files?limit=100") {
		id := f["id"].(string)
		body := s.read(t, "/v1/files/"+id+"/content")
		if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != f["sha256"] {
			t.Errorf("file %s (%v, %v) has other bytes than its row says", id, f["role"], f["state"])
		}
		doc := f["document_id"].(string)
		if closed[doc] == nil {
			closed[doc] = map[string]bool{}
		}
		closed[doc][f["role"].(string)] = true
	}
	for doc, roles := range closed {
		if (roles["transcript"] || roles["summary"] || roles["keywords"]) && !(roles["transcript"] && roles["summary"] && roles["keywords"]) {
			t.Errorf("recall file %s is half written: %v", doc, roles)
		}
	}
}

// talks compares conversations with what was acknowledged of them.
func (d *deeds) talks(t *testing.T, s *server) {
	t.Helper()
	closed := 0
	for name, said := range d.talk {
		var got []string
		segments := map[string]bool{}
		for _, m := range s.all(t, "/v1/conversations/"+d.talkID[name]+"/messages?limit=100") {
			got = append(got, m["content"].(string))
			segments[m["document_id"].(string)] = true
		}
		if len(got) < len(said) {
			t.Errorf("%s has %d messages, %d were acknowledged", name, len(got), len(said))
		}
		for i := range min(len(said), len(got)) {
			if got[i] != said[i] {
				t.Errorf("message %d of %s is %.60q", i, name, got[i])
				break
			}
		}
		for doc := range segments {
			_, l, err := s.call("GET", "/v1/files?document_id="+doc, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(l["items"].([]any)) >= 3 {
				closed++
			}
		}
		if len(said) > 6 && len(segments) < 2 {
			t.Errorf("%s has %d messages in one segment", name, len(said))
		}
	}
	if closed == 0 {
		t.Error("no segment was closed: the test tests little")
	}
}

// settle waits until the jobs of killed servers are worked off.
func settle(t *testing.T, s *server) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		_, h, err := s.call("GET", "/health", nil)
		if err != nil {
			t.Fatal(err)
		}
		jobs := fmt.Sprint(h["checks"].(map[string]any)["jobs"])
		_, st, err := s.call("GET", "/v1/stats", nil)
		if err != nil {
			t.Fatal(err)
		}
		busy := 0
		for status, n := range st["documents_by_status"].(map[string]any) {
			if status != "done" {
				busy += int(n.(float64))
			}
		}
		if strings.Contains(jobs, "0 dead") && busy == 0 && st["embedding_coverage"] == 1.0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not settled: %s %v", jobs, st)
		}
		time.Sleep(100 * time.Millisecond) //nolint:forbidigo // waits for another process
	}
}

// all follows the pages of a list.
func (s *server) all(t *testing.T, path string) (items []map[string]any) {
	t.Helper()
	for cursor := ""; ; {
		at := path
		if cursor != "" {
			at += "&cursor=" + cursor
		}
		status, out, err := s.call("GET", at, nil)
		if err != nil || status != 200 {
			t.Fatalf("%s: %d %v", at, status, err)
		}
		for _, x := range out["items"].([]any) {
			items = append(items, x.(map[string]any))
		}
		if cursor, _ = out["next_cursor"].(string); cursor == "" {
			return items
		}
	}
}

// scrubbed waits for a receipt's second half.
func (s *server) scrubbed(t *testing.T, receipt string) map[string]any {
	t.Helper()
	for range 20 {
		_, out, err := s.call("GET", "/v1/receipts/"+receipt+"?wait=scrubbed", nil)
		if err != nil {
			t.Fatal(err)
		}
		if out["scrub"].(map[string]any)["state"] != "pending" {
			return out
		}
	}
	t.Fatalf("%s is not scrubbed", receipt)
	return nil
}

// read gets bytes, and comes back for a file that is being woken.
func (s *server) read(t *testing.T, path string) []byte {
	t.Helper()
	for range 200 {
		req, err := http.NewRequest(http.MethodGet, s.url+path, nil)
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
		switch {
		case err != nil:
			t.Fatal(err)
		case resp.StatusCode == http.StatusOK:
			return b
		case resp.StatusCode != http.StatusAccepted:
			t.Fatalf("%s: %d %s", path, resp.StatusCode, b)
		}
		time.Sleep(100 * time.Millisecond) //nolint:forbidigo // the server said so
	}
	t.Fatalf("%s does not wake", path)
	return nil
}
