package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// callTime is how long a client waits for an answer. It is longer than the time that a server takes for a request.
const callTime = 45 * time.Second

// caller opens a connection for each request, so that the balancer decides each time.
var caller = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: callTime}

// answer is what came back.
type answer struct {
	status int
	after  string // Retry-After
	raw    []byte
	out    map[string]any
}

func call(ctx context.Context, method, url, key string, body any) (answer, error) {
	var r io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return answer{}, err
		}
		r = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, r)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := caller.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, after: resp.Header.Get("Retry-After")}
	if a.raw, err = io.ReadAll(resp.Body); err != nil {
		return answer{}, err
	}
	_ = json.Unmarshal(a.raw, &a.out) // what is no JSON has no fields
	return a, nil
}

// ask is call for those who only look at status and body.
func ask(ctx context.Context, method, url, key string, body any) (int, map[string]any, error) {
	a, err := call(ctx, method, url, key, body)
	return a.status, a.out, err
}

// failure is a request that was not answered as it should have been, in a way that an outage may explain.
type failure struct {
	from, to time.Time
	name     string // of the operation
	kind     string // "no answer", or "503 CODE"
	detail   string
}

// book keeps what happened, from many goroutines.
type book struct {
	mu       sync.Mutex
	done     map[string]int // operations by name
	slowest  map[string]time.Duration
	failures []failure
	wrong    []string
}

func newBook() *book { return &book{done: map[string]int{}, slowest: map[string]time.Duration{}} }

func (b *book) count(name string, took time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done[name]++
	b.slowest[name] = max(b.slowest[name], took)
}

// accuse notes a fault of the product.
func (b *book) accuse(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrong = append(b.wrong, time.Now().UTC().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

func (b *book) fail(f failure) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = append(b.failures, f)
}

// person is somebody who writes and asks, in a container and conversations of their own.
type person struct {
	name string
	key  string
	home string // the balancer
	dice *rand.Rand
	book *book

	notes []note
	talks map[string][]line
}

// note is a document that was acknowledged.
type note struct{ id, custom, token, text string }

// line is a message that was acknowledged.
type line struct{ external, token, text string }

// errStopped ends a try that the test is over for.
var errStopped = errors.New("the test has ended")

// do sends a request until an answer comes that is none of an outage, and returns it. Each failure is noted with its time.
func (p *person) do(ctx context.Context, name, method, url string, body any) (answer, error) {
	for {
		from := time.Now()
		a, err := call(ctx, method, url, p.key, body)
		if ctx.Err() != nil {
			return a, errStopped
		}
		switch {
		case err != nil:
			p.book.fail(failure{from, time.Now(), name, "no answer", err.Error()})
		case a.status == http.StatusServiceUnavailable || a.status == http.StatusGatewayTimeout:
			problem, _ := a.out["error"].(map[string]any)
			code, _ := problem["code"].(string)
			hint, _ := problem["hint"].(string)
			p.book.fail(failure{from, time.Now(), name, fmt.Sprintf("%d %s", a.status, code), fmt.Sprint(problem["message"])})
			if code == "" || a.status == http.StatusServiceUnavailable && (a.after == "" || hint == "") {
				p.book.accuse("%s: %d without the product's error, Retry-After or hint: %s", name, a.status, a.raw)
			}
		default:
			p.book.count(name, time.Since(from))
			return a, nil
		}
		pause(time.Duration(100+p.dice.IntN(200)) * time.Millisecond)
	}
}

// word makes a word that nobody has used.
func (p *person) word() string {
	const letters = "bcdfghjklmnpqrtvwxz"
	b := make([]byte, 14)
	for i := range b {
		b[i] = letters[p.dice.IntN(len(letters))]
	}
	return string(b)
}

// live writes and asks until ctx ends.
func (p *person) live(ctx context.Context, pace time.Duration) {
	for n := 0; ctx.Err() == nil; n++ {
		var err error
		switch x := p.dice.IntN(100); {
		case x < 25:
			err = p.writeNote(ctx, n, false)
		case x < 33:
			err = p.writeNote(ctx, n, true)
		case x < 70:
			err = p.say(ctx, n)
		default:
			err = p.recollect(ctx)
		}
		if err != nil {
			return
		}
		pause(time.Duration(p.dice.Int64N(int64(pace))))
	}
}

func (p *person) writeNote(ctx context.Context, n int, long bool) error {
	token := p.word()
	text := fmt.Sprintf("Note %d of %s: the %s stands in the shed behind the mill.", n, p.name, token)
	if long { // more than a row holds: a sealed file, and a job
		text += strings.Repeat(" The tide comes in, and the tide goes out again.", 2000)
	}
	if p.dice.IntN(3) == 0 { // what is not there yet is not found, and that answer may be cached
		if err := p.expect(ctx, token, "", false); err != nil {
			return err
		}
	}
	custom := fmt.Sprintf("%s-%d", p.name, n)
	name := "save note"
	if long {
		name = "save long note"
	}
	a, err := p.do(ctx, name, "POST", p.home+"/v1/documents", map[string]any{"content": text, "container": p.name, "custom_id": custom})
	if err != nil {
		return err
	}
	id, _ := a.out["id"].(string)
	if a.status > 202 || id == "" {
		p.book.accuse("save %s: %d %s", custom, a.status, a.raw)
		return nil
	}
	w := note{id, custom, token, text}
	p.notes = append(p.notes, w)
	if err := p.read(ctx, p.home, w); err != nil {
		return err
	}
	return p.expect(ctx, token, id, true)
}

// read holds a document to what was acknowledged.
func (p *person) read(ctx context.Context, home string, w note) error {
	name := "read note"
	if len(w.text) > 64<<10 {
		name = "read long note"
	}
	a, err := p.do(ctx, name, "GET", home+"/v1/documents/"+w.id, nil)
	if err != nil {
		return err
	}
	if a.status != http.StatusOK || a.out["content"] != w.text {
		p.book.accuse("read %s %s at %s: %d, %.200s", w.custom, w.id, home, a.status, a.raw)
	}
	return nil
}

// expect searches for a word and holds the answer to what was acknowledged.
func (p *person) expect(ctx context.Context, token, id string, there bool) error {
	return p.expectAt(ctx, p.home, token, id, there)
}

func (p *person) expectAt(ctx context.Context, home, token, id string, there bool) error {
	from := time.Now()
	a, err := p.do(ctx, "search", "POST", home+"/v1/search", map[string]any{"query": token})
	if err != nil {
		return err
	}
	switch {
	case a.status != http.StatusOK:
		p.book.accuse("search %s: %d %s", token, a.status, a.raw)
	case there && !bytes.Contains(a.raw, []byte(id)):
		p.book.accuse("%s does not find %s by %q at %s, asked at %s: %.1500s", p.name, id, token, home, from.UTC().Format("15:04:05.000"), a.raw)
	case !there && bytes.Contains(bytes.ReplaceAll(a.raw, []byte(`"query":"`+token), nil), []byte(token)):
		p.book.accuse("%s finds %q, which nobody wrote: %.1500s", p.name, token, a.raw)
	}
	return nil
}

func (p *person) say(ctx context.Context, n int) error {
	talk := fmt.Sprintf("%s-talk-%d", p.name, n%3)
	var said []line
	var list []map[string]any
	for i := range 1 + p.dice.IntN(3) {
		l := line{external: fmt.Sprintf("%s-%d-%d", p.name, n, i), token: p.word()}
		l.text = fmt.Sprintf("Ask %s at the harbour, he knows about the %s.", p.name, l.token)
		said = append(said, l)
		list = append(list, map[string]any{"id": l.external, "speaker": p.name, "content": l.text})
	}
	a, err := p.do(ctx, "say", "POST", p.home+"/v1/messages", map[string]any{"conversation": talk, "container": p.name, "messages": list})
	if err != nil {
		return err
	}
	items, _ := a.out["items"].([]any)
	if a.status > 201 || len(items) != len(said) {
		p.book.accuse("say %s: %d %s", talk, a.status, a.raw)
		return nil
	}
	conversation, _ := a.out["conversation_id"].(string)
	for i := range said {
		item, _ := items[i].(map[string]any)
		status, _ := item["status"].(string)
		if status == "conflict" || status == "" {
			p.book.accuse("say %s: %v", talk, item)
		}
	}
	p.talks[conversation] = append(p.talks[conversation], said...)
	for _, l := range said {
		if err := p.expect(ctx, l.token, l.external, true); err != nil {
			return err
		}
	}
	return nil
}

// recollect asks for something that was acknowledged at any time.
func (p *person) recollect(ctx context.Context) error {
	var token, id string
	if len(p.notes) > 0 {
		w := p.notes[p.dice.IntN(len(p.notes))]
		token, id = w.token, w.id
	}
	if token == "" {
		return nil
	}
	return p.expect(ctx, token, id, true)
}

// account compares everything that was acknowledged with what is there, by any of the nodes.
func (p *person) account(ctx context.Context, homes []string) error {
	at := func() string { return homes[p.dice.IntN(len(homes))] }
	for _, w := range p.notes {
		if err := p.read(ctx, at(), w); err != nil {
			return err
		}
		if err := p.expectAt(ctx, at(), w.token, w.id, true); err != nil {
			return err
		}
	}
	found := map[string]string{}
	err := p.pages(ctx, at(), "/v1/documents?container="+p.name+"!", func(item map[string]any) {
		custom, _ := item["custom_id"].(string)
		id, _ := item["id"].(string)
		if custom == "" {
			return // a conversation's
		}
		if found[custom] != "" {
			p.book.accuse("%s is there twice: %s and %s", custom, found[custom], id)
		}
		found[custom] = id
	})
	if err != nil {
		return err
	}
	for _, w := range p.notes {
		if found[w.custom] != w.id {
			p.book.accuse("%s is %q in the list, and was acknowledged as %s", w.custom, found[w.custom], w.id)
		}
	}
	if extra := len(found) - len(p.notes); extra < 0 || extra > 1 { // one may have been under way in the end
		p.book.accuse("%s has %d documents, and %d were acknowledged", p.name, len(found), len(p.notes))
	}
	for talk, said := range p.talks {
		if err := p.accountTalk(ctx, at(), talk, said); err != nil {
			return err
		}
	}
	return nil
}

// accountTalk compares the messages of a conversation: each once, in the order in which they were said.
func (p *person) accountTalk(ctx context.Context, home, talk string, said []line) error {
	var there []string
	texts := map[string]string{}
	err := p.pages(ctx, home, "/v1/conversations/"+talk+"/messages?", func(item map[string]any) {
		id, _ := item["external_id"].(string)
		if texts[id] != "" {
			p.book.accuse("message %s is there twice", id)
		}
		texts[id], _ = item["content"].(string)
		if seq, _ := item["seq"].(float64); int(seq) != len(there) {
			p.book.accuse("message %s of %s is number %v, must be %d", id, talk, seq, len(there))
		}
		there = append(there, id)
	})
	if err != nil {
		return err
	}
	var want []string
	for _, l := range said {
		want = append(want, l.external)
		if texts[l.external] != l.text {
			p.book.accuse("message %s is %q, and was acknowledged as %q", l.external, texts[l.external], l.text)
		}
	}
	if len(there) < len(want) || len(there) > len(want)+3 || !slices.Equal(there[:len(want)], want) {
		p.book.accuse("conversation %s has %d messages, not the %d that were acknowledged, in their order", talk, len(there), len(want))
	}
	return nil
}

// pages walks a listing to its end.
func (p *person) pages(ctx context.Context, home, path string, fn func(map[string]any)) error {
	for cursor := ""; ; {
		a, err := p.do(ctx, "list", "GET", home+path+"&limit=100&cursor="+cursor, nil)
		if err != nil {
			return err
		}
		if a.status != http.StatusOK {
			p.book.accuse("list %s: %d %s", path, a.status, a.raw)
			return nil
		}
		items, _ := a.out["items"].([]any)
		for _, x := range items {
			item, _ := x.(map[string]any)
			fn(item)
		}
		if cursor, _ = a.out["next_cursor"].(string); cursor == "" {
			return nil
		}
	}
}
