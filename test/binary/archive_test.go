package binary

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// box is a container that is archived into the one above it.
type box struct {
	above string
	path  string
	notes map[string]string // id → what it says
	talk  string            // id of its conversation
	said  []string
	large bool // more than one transaction moves
}

// TestKillArchive kills the server while it archives containers: a small one is where it was or has moved whole, in one step; of a large
// one each record is in one of the two places at any moment, and another server brings it to its end. What was learned from messages
// moves with them.
func TestKillArchive(t *testing.T) {
	t.Parallel()
	rounds := rounds(12)
	data := t.TempDir()
	moved, stayed, halfway := 0, 0, 0
	small, large := aim(60*time.Millisecond), aim(700*time.Millisecond)
	for round := range rounds {
		s := start(t, data)
		b := fill(t, s, round, round%6 == 2)
		answered := make(chan bool, 1)
		go func() {
			status, _, err := s.call("POST", "/v1/containers/"+b.path+"/archive", nil)
			answered <- err == nil && (status == 200 || status == 202)
		}()
		acknowledged, moment := false, &small
		if b.large { // it is answered at once, and goes on behind that
			acknowledged, moment = <-answered, &large
		}
		moment.wait()
		s.kill()
		if !b.large {
			acknowledged = <-answered
		}
		s = start(t, data)
		in, out := b.where(t, s)
		switch {
		case in == 0:
			moved++
			moment.late()
		case out == 0:
			stayed++
			moment.early()
		default:
			halfway++
		}
		if !b.large {
			if in > 0 && out > 0 {
				t.Fatalf("%s is half archived: %d notes are in it, %d have moved", b.path, in, out)
			}
			if acknowledged && in > 0 {
				t.Fatalf("%s was archived, and is not", b.path)
			}
			status, _, err := s.call("GET", "/v1/containers/"+b.path, nil)
			if err != nil || (status == 404) != (in == 0) {
				t.Errorf("%s: status %d with %d notes in it (%v)", b.path, status, in, err)
			}
		}
		if acknowledged || in > 0 && out > 0 { // it was begun, and somebody ends it
			for deadline := time.Now().Add(2 * time.Minute); in > 0; in, _ = b.where(t, s) {
				if time.Now().After(deadline) {
					t.Fatalf("nobody goes on with the archiving of %s: %d notes are left", b.path, in)
				}
				time.Sleep(50 * time.Millisecond) //nolint:forbidigo // waits for another process
			}
		}
		b.whole(t, s, in > 0)
		s.kill()
	}
	t.Logf("%d rounds: %d moved, %d stayed, %d were halfway", rounds, moved, stayed, halfway)
	if rounds > 10 && (moved == 0 || stayed+halfway == 0) {
		t.Error("every kill came too early, or every one too late: the test tests little")
	}
}

// fill makes a container with notes, and a conversation in which something is said.
func fill(t *testing.T, s *server, round int, large bool) *box {
	t.Helper()
	b := &box{above: fmt.Sprintf("shelf%d", round), path: fmt.Sprintf("shelf%d.box", round), notes: map[string]string{}, large: large}
	n := 30
	if large {
		n = 1010
	}
	for from := 0; from < n; from += 505 {
		var docs []map[string]any
		for i := from; i < min(n, from+505); i++ {
			docs = append(docs, map[string]any{"content": fmt.Sprintf("Note %d of shelf %d: the tide table.", i, round), "container": b.path})
		}
		status, out, err := s.call("POST", "/v1/documents/batch", map[string]any{"documents": docs})
		if err != nil || status != 200 {
			t.Fatalf("fill: %d %v", status, err)
		}
		for i, x := range out["items"].([]any) {
			doc, _ := x.(map[string]any)["document"].(map[string]any)
			if doc == nil {
				t.Fatalf("note %d was refused: %v", from+i, x)
			}
			b.notes[doc["id"].(string)] = docs[i]["content"].(string)
		}
	}
	for i := range 5 {
		b.said = append(b.said, fmt.Sprintf("I live in Harbour%dx%d.", round, i))
		status, out, err := s.call("POST", "/v1/messages", map[string]any{
			"conversation": "talk", "container": b.path, "messages": []map[string]any{{"id": fmt.Sprint(i), "role": "user", "speaker": "Ana", "content": b.said[i]}},
		})
		if err != nil || status != 201 {
			t.Fatalf("say: %d %v", status, err)
		}
		b.talk = out["conversation_id"].(string)
	}
	return b
}

// where counts the notes that are still in the container, and those that are in the one above. Each is in one of them, once.
func (b *box) where(t *testing.T, s *server) (in, out int) {
	t.Helper()
	seen := map[string]bool{}
	for _, d := range s.all(t, "/v1/documents?limit=100&container="+b.above) {
		id := d["id"].(string)
		if b.notes[id] == "" {
			continue
		}
		if seen[id] {
			t.Errorf("note %s is listed twice", id)
		}
		seen[id] = true
		switch d["container"] {
		case b.path:
			in++
		case b.above:
			out++
		default:
			t.Errorf("note %s is in %v", id, d["container"])
		}
	}
	if len(seen) != len(b.notes) {
		t.Fatalf("%d of %d notes of %s are there", len(seen), len(b.notes), b.path)
	}
	return in, out
}

// whole holds the container to what was put into it, wherever it is now.
func (b *box) whole(t *testing.T, s *server, stayed bool) {
	t.Helper()
	place := b.above
	if stayed {
		place = b.path
	}
	checked := 0
	for id, text := range b.notes {
		if checked++; checked > 40 {
			break
		}
		status, out, err := s.call("GET", "/v1/documents/"+id, nil)
		if err != nil || status != 200 || out["content"] != text || out["container"] != place {
			t.Errorf("note %s: status %d, in %v, %v (%v)", id, status, out["container"], out["content"], err)
		}
	}
	var said []string
	documents := map[string]bool{}
	for _, m := range s.all(t, "/v1/conversations/"+b.talk+"/messages?limit=100") {
		said = append(said, m["content"].(string))
		documents[m["document_id"].(string)] = true
	}
	if strings.Join(said, "|") != strings.Join(b.said, "|") {
		t.Errorf("the conversation of %s says %q", b.path, said)
	}
	told := map[string]bool{}
	for doc := range documents {
		for _, m := range s.all(t, "/v1/memories?limit=100&document_id="+doc) {
			told[fmt.Sprint(m["value"])] = true
			if m["container"] != place {
				t.Errorf("memory %v is in %v, its message in %s", m["id"], m["container"], place)
			}
		}
	}
	for _, text := range b.said {
		if home := strings.TrimSuffix(strings.TrimPrefix(text, "I live in "), "."); !told[home] {
			t.Errorf("no memory of %q in %v", text, told)
		}
	}
	last := b.said[len(b.said)-1]
	if _, out, err := s.call("POST", "/v1/search", map[string]any{"query": last, "container": place, "limit": 20}); err != nil || !strings.Contains(fmt.Sprint(out), last) {
		t.Errorf("%q is not found in %s (%v)", last, place, err)
	}
	if _, found, err := s.call("POST", "/v1/doctor", map[string]any{}); err != nil || len(found["items"].([]any)) > 0 {
		t.Errorf("doctor: %v %v", found, err)
	}
}
