// Package llmtest is the suite that every driver of package llm passes against a strict stand-in for its server, and a
// scripted model for the tests of other rooms. It is imported by tests only.
package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// Secret is the key that drivers get; no error may quote it.
const Secret = "sk-secret-0123456789"

// MaxOutput is the limit that drivers get for their model.
const MaxOutput = 1000

// Heard is what a stand-in read from a request.
type Heard struct {
	Request llm.Request
	Stream  bool
}

// Said is what a stand-in should answer.
type Said struct {
	Text   string
	Finish llm.FinishReason // Stopped, Cut or Declined
	Input  int              // tokens
	Output int
}

// Wire describes a driver's protocol to [Run].
type Wire struct {
	// Open makes the driver for the server at url, with the key [Secret], [MaxOutput] and the timeout (0: its default).
	Open func(t *testing.T, url string, timeout time.Duration) llm.Model

	// Read reads a request strictly (wiretest.ReadPost) and reports whether it was one that the protocol allows.
	Read func(t *testing.T, w http.ResponseWriter, r *http.Request) (Heard, bool)

	// Answer makes the body of a whole answer to a request, with the model "served".
	Answer func(heard Heard, said Said) any

	// Pieces makes a stream, of which each text piece carries one of the parts.
	Pieces func(heard Heard, said Said, parts []string) Pieces

	// Broken makes a piece that tells in the middle of a stream that the server is overloaded.
	Broken string

	// NeverDeclines says that the protocol has no way to decline.
	NeverDeclines bool

	// Health answers a request for the server's health, with the status given if it is not 200.
	Health func(t *testing.T, w http.ResponseWriter, r *http.Request, status int)
}

// Pieces is a stream as it goes over the wire.
type Pieces struct {
	Before, Text, After []string
}

// All returns the pieces in order.
func (p Pieces) All() []string { return slices.Concat(p.Before, p.Text, p.After) }

// answer writes said as the request wants it.
func (f Wire) answer(w http.ResponseWriter, heard Heard, said Said) {
	if said.Finish == "" {
		said.Finish = llm.Stopped
	}
	if !heard.Stream {
		wiretest.WriteJSON(w, f.Answer(heard, said))
		return
	}
	f.write(w, f.Pieces(heard, said, cut(said.Text)).All())
}

func (f Wire) write(w http.ResponseWriter, pieces []string) {
	for _, p := range pieces {
		_, _ = w.Write([]byte(p)) // the other side sees a broken answer
		_ = http.NewResponseController(w).Flush()
	}
}

// cut makes parts of a text, in the middle of words.
func cut(text string) (parts []string) {
	runes := []rune(text)
	for len(runes) > 0 {
		n := min(3, len(runes))
		parts = append(parts, string(runes[:n]))
		runes = runes[n:]
	}
	return parts
}

// serve opens the driver for a server that says what reply makes of the nth request, counted from 0.
func (f Wire) serve(t *testing.T, reply func(n int, h Heard) Said) llm.Model {
	t.Helper()
	var n atomic.Int64
	return f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if heard, ok := f.Read(t, w, r); ok {
			f.answer(w, heard, reply(int(n.Add(1)-1), heard))
		}
	}), 0)
}

// ways are the two ways to ask.
func ways() map[string]func(ctx context.Context, m llm.Model, req llm.Request) (llm.Reply, string, error) {
	return map[string]func(context.Context, llm.Model, llm.Request) (llm.Reply, string, error){
		"complete": func(ctx context.Context, m llm.Model, req llm.Request) (llm.Reply, string, error) {
			out, err := m.Complete(ctx, req)
			return out, out.Text, err
		},
		"stream": func(ctx context.Context, m llm.Model, req llm.Request) (llm.Reply, string, error) {
			var deltas strings.Builder
			out, err := m.Stream(ctx, req, func(d llm.Delta) error {
				if d.Text == "" {
					return errors.New("an empty delta")
				}
				deltas.WriteString(d.Text)
				return nil
			})
			return out, deltas.String(), err
		},
	}
}

// Ask returns the request of one question.
func Ask(question string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Content: question}}}
}

// Schema is a closed schema with all properties required, which all vendors decode strictly.
const Schema = `{"type":"object","properties":{"name":{"type":"string"},"age":{"type":["integer","null"]},"kind":{"type":"string","enum":["person","place"]}},` +
	`"required":["name","age","kind"],"additionalProperties":false}`

// Pictures are two that a request may show: the smallest of their kind.
func Pictures() []llm.Picture {
	return []llm.Picture{
		{Type: "image/png", Data: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")}, {Type: "image/jpeg", Data: []byte("\xff\xd8\xff\xe0\x00\x10JFIF")},
	}
}

// OpenSchema is one that is neither.
const OpenSchema = `{"type":"object","properties":{"name":{"type":"string"}}}`

// Run checks a driver.
func Run(t *testing.T, f Wire) {
	t.Helper()
	t.Run("failures", f.testFailures)
	for name, test := range map[string]func(*testing.T){
		"request":     f.testRequest,
		"reply":       f.testReply,
		"schema":      f.testSchema,
		"repair":      f.testRepair,
		"no repair":   f.testNoRepair,
		"useless":     f.testUseless,
		"odd text":    f.testOddText,
		"deltas":      f.testDeltas,
		"broken off":  f.testBrokenOff,
		"gone":        f.testGone,
		"timeout":     f.testTimeout,
		"cancelled":   f.testCancelled,
		"redirect":    f.testRedirect,
		"concurrency": f.testConcurrency,
		"health":      f.testHealth,
		"refusals":    f.testRefusals,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// testRequest: what is asked arrives, in full.
func (f Wire) testRequest(t *testing.T) {
	warm := 0.25
	talk := []llm.Message{
		{Role: llm.User, Content: "Hi."}, {Role: llm.Assistant, Content: "Hello!\n"}, {Role: llm.User, Content: "What is \"tea\"? <&>"},
	}
	for name, req := range map[string]llm.Request{
		"least":  Ask("Hi."),
		"all":    {System: "Be brief.", Messages: talk, MaxTokens: 77, Temperature: &warm, Stop: []string{"END", "###"}},
		"schema": {System: "Be brief.", Messages: talk, Schema: json.RawMessage(Schema)},
		"open":   {Messages: talk, Schema: json.RawMessage(OpenSchema)},
		"cold":   {Messages: talk, Temperature: new(float64)},
		"seen":   {System: "Be brief.", Messages: talk, Pictures: Pictures()},
	} {
		for way, ask := range ways() {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				var got Heard
				m := f.serve(t, func(_ int, h Heard) Said {
					got = h
					return Said{Text: `{"name":"tea","age":null,"kind":"place"}`}
				})
				if _, _, err := ask(t.Context(), m, req); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(Heard{Request: req, Stream: way == "stream"}, got); diff != "" {
					t.Errorf("request (-sent +heard):\n%s", diff)
				}
			})
		}
	}
}

// testReply: T-8, the text, why it ended and what it cost come back.
func (f Wire) testReply(t *testing.T) {
	for name, c := range map[string]struct {
		said Said
		want llm.Reply
	}{
		"stopped":      {Said{Text: "Tea is a drink.", Input: 11, Output: 5}, llm.Reply{Text: "Tea is a drink.", FinishReason: llm.Stopped, Usage: llm.Usage{Input: 11, Output: 5, Total: 16, Requests: 1}}},
		"cut":          {Said{Text: "Tea is", Finish: llm.Cut, Input: 11, Output: 2}, llm.Reply{Text: "Tea is", FinishReason: llm.Cut, Usage: llm.Usage{Input: 11, Output: 2, Total: 13, Requests: 1}}},
		"declined":     {Said{Text: "I would rather not.", Finish: llm.Declined, Input: 11, Output: 4}, llm.Reply{Text: "I would rather not.", FinishReason: llm.Declined, Usage: llm.Usage{Input: 11, Output: 4, Total: 15, Requests: 1}}},
		"white space":  {Said{Text: " \n tea \n", Input: 1, Output: 1}, llm.Reply{Text: " \n tea \n", FinishReason: llm.Stopped, Usage: llm.Usage{Input: 1, Output: 1, Total: 2, Requests: 1}}},
		"JSON as text": {Said{Text: `{"name":1}`, Input: 1, Output: 1}, llm.Reply{Text: `{"name":1}`, FinishReason: llm.Stopped, Usage: llm.Usage{Input: 1, Output: 1, Total: 2, Requests: 1}}},
	} {
		for way, ask := range ways() {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				if c.said.Finish == llm.Declined && f.NeverDeclines {
					t.Skip("the protocol has no way to decline")
				}
				out, deltas, err := ask(t.Context(), f.serve(t, func(int, Heard) Said { return c.said }), Ask("What is tea?"))
				want := c.want
				want.Model = "served"
				if diff := cmp.Diff(want, out); diff != "" || err != nil || deltas != out.Text {
					t.Errorf("%q, %v (-want +got):\n%s", deltas, err, diff)
				}
			})
		}
	}
}

func asJSON(q, schema string) llm.Request {
	req := Ask(q)
	req.Schema = json.RawMessage(schema)
	return req
}

func (f Wire) testSchema(t *testing.T) {
	const good = `{"name":"Ada","age":36,"kind":"person"}`
	for name, c := range map[string]struct{ schema, text, want string }{
		"closed": {Schema, good, good},
		"open":   {OpenSchema, `{"name":"Ada","more":[1]}`, `{"name":"Ada","more":[1]}`},
		"spaced": {Schema, "\n " + good + "\n", good},
	} {
		for way, ask := range ways() {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				out, _, err := ask(t.Context(), f.serve(t, func(int, Heard) Said { return Said{Text: c.text} }), asJSON("Who?", c.schema))
				if string(out.JSON) != c.want || err != nil {
					t.Errorf("%s, %v", out.JSON, err)
				}
			})
		}
	}
}

// testRepair: T-18, JSON that does not fit is asked for once more, with what was wrong.
func (f Wire) testRepair(t *testing.T) {
	const bad, good = `{"name":"Ada","age":"old","kind":"person"}`, `{"name":"Ada","age":36,"kind":"person"}`
	m := f.serve(t, func(n int, h Heard) Said {
		if n == 0 {
			return Said{Text: bad, Input: 10, Output: 7}
		}
		turns := h.Request.Messages
		if len(turns) != 3 || turns[1] != (llm.Message{Role: llm.Assistant, Content: bad}) || !strings.Contains(turns[2].Content, "$.age must be integer or null") {
			t.Errorf("repair: %q", turns)
		}
		return Said{Text: good, Input: 40, Output: 8}
	})
	out, err := m.Complete(t.Context(), asJSON("Who?", Schema))
	if err != nil || string(out.JSON) != good || out.Usage != (llm.Usage{Input: 50, Output: 15, Total: 65, Requests: 2}) {
		t.Errorf("%s, %+v, %v", out.JSON, out.Usage, err)
	}
}

// testNoRepair: rubbish twice is an error that says so, and costs two exchanges, not more. A stream is not repaired.
func (f Wire) testNoRepair(t *testing.T) {
	for way, ask := range ways() {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			want := map[string]int{"complete": 2, "stream": 1}[way]
			m := f.serve(t, func(int, Heard) Said { return Said{Text: `[1,2]`, Input: 10, Output: 7} })
			out, _, err := ask(t.Context(), m, asJSON("Who?", Schema))
			failure{code: lukasa.CodeExternal, is: llm.ErrMismatch, says: "$ must be object"}.check(t, out, err)
			if out.Usage.Requests != want || out.Usage.Total != want*17 {
				t.Errorf("%+v, want %d exchanges", out.Usage, want)
			}
		})
	}
}

func (f Wire) testUseless(t *testing.T) {
	half := `{"name":"A`
	for name, c := range map[string]struct {
		schema string
		said   Said
		want   failure
	}{
		"cut JSON":      {Schema, Said{Text: half, Finish: llm.Cut, Output: 3}, failure{code: lukasa.CodeExternal, is: llm.ErrCut, says: "after 3 tokens"}},
		"cut at once":   {"", Said{Finish: llm.Cut, Output: 9}, failure{code: lukasa.CodeExternal, is: llm.ErrCut, says: "after 9 tokens"}},
		"declined JSON": {Schema, Said{Text: "No.", Finish: llm.Declined}, failure{code: lukasa.CodeExternal, is: llm.ErrDeclined}},
		"nothing":       {"", Said{}, failure{code: lukasa.CodeExternal, again: true, says: "empty"}},
	} {
		for way, ask := range ways() {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				if c.said.Finish == llm.Declined && f.NeverDeclines {
					t.Skip("the protocol has no way to decline")
				}
				req := Ask("Who?")
				if c.schema != "" {
					req.Schema = json.RawMessage(c.schema)
				}
				var calls atomic.Int64
				m := f.serve(t, func(int, Heard) Said {
					calls.Add(1)
					return c.said
				})
				out, _, err := ask(t.Context(), m, req)
				c.want.check(t, out, err)
				if calls.Load() != 1 {
					t.Errorf("%d exchanges", calls.Load())
				}
			})
		}
	}
}

func (f Wire) testOddText(t *testing.T) {
	for _, text := range []string{"Привет, 世界! 👩‍👩‍👧", "a\x00b\u2028c", "data: x\n\nevent: y\r\n\r\n[DONE]", strings.Repeat("wide ", 5000), `\"quoted\" </script>`} {
		for way, ask := range ways() {
			m := f.serve(t, func(_ int, h Heard) Said { return Said{Text: h.Request.Messages[0].Content} })
			out, deltas, err := ask(t.Context(), m, Ask(text))
			if err != nil || out.Text != text || deltas != text {
				t.Errorf("%s: %.40q came back as %.40q, %.40q: %v", way, text, out.Text, deltas, err)
			}
		}
	}
	m := f.serve(t, func(_ int, h Heard) Said { return Said{Text: h.Request.Messages[0].Content} })
	if out, err := m.Complete(t.Context(), Ask("a\xffb")); err != nil || out.Text != "a\ufffdb" {
		t.Errorf("not UTF-8: %q, %v", out.Text, err)
	}
}

// testDeltas: pieces are handed on when they come, not when all have come.
func (f Wire) testDeltas(t *testing.T) {
	next := make(chan bool)
	parts := []string{"one ", "two ", "three"}
	m := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		heard, ok := f.Read(t, w, r)
		if !ok {
			return
		}
		p := f.Pieces(heard, Said{Text: "one two three", Finish: llm.Stopped}, parts)
		f.write(w, p.Before)
		for _, piece := range p.Text {
			f.write(w, []string{piece})
			<-next // the receiver has it
		}
		f.write(w, p.After)
	}), 0)
	var got []string
	_, err := m.Stream(t.Context(), Ask("Count."), func(d llm.Delta) error {
		got = append(got, d.Text)
		next <- true
		return nil
	})
	if diff := cmp.Diff(parts, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// testBrokenOff: a stream that ends too early is not an answer.
func (f Wire) testBrokenOff(t *testing.T) {
	said := Said{Text: "one two", Finish: llm.Stopped}
	parts := []string{"one ", "two"}
	mine := errors.New("mine")
	for name, c := range map[string]struct {
		pieces func(Pieces) Pieces
		yield  error
		want   failure
	}{
		"no end":    {func(p Pieces) Pieces { return Pieces{p.Before, p.Text, nil} }, nil, failure{code: lukasa.CodeUnavailable, again: true, says: "broke off"}},
		"no piece":  {func(Pieces) Pieces { return Pieces{} }, nil, failure{code: lukasa.CodeUnavailable, again: true, says: "broke off"}},
		"error":     {func(p Pieces) Pieces { return Pieces{p.Before, p.Text[:1], []string{f.Broken}} }, nil, failure{code: lukasa.CodeUnavailable, again: true, says: "Overloaded"}},
		"rubbish":   {func(p Pieces) Pieces { return Pieces{p.Before, []string{strings.ReplaceAll(p.Text[0], "{", "<")}, nil} }, nil, failure{code: lukasa.CodeExternal, again: true, says: "not the JSON expected"}},
		"receiver":  {func(p Pieces) Pieces { return p }, mine, failure{}},
		"from HTML": {func(Pieces) Pieces { return Pieces{Text: []string{"<html>\n\n"}} }, nil, failure{again: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				if heard, ok := f.Read(t, w, r); ok {
					f.write(w, c.pieces(f.Pieces(heard, said, parts)).All())
				}
			}), 0)
			out, err := m.Stream(t.Context(), Ask("Count."), func(llm.Delta) error { return c.yield })
			if c.yield != nil {
				if err != mine || out.Text != "" { //nolint:errorlint // it must come through as it is
					t.Errorf("%q, %v", out.Text, err)
				}
				return
			}
			if c.want.code == "" {
				c.want.code = lukasa.CodeOf(err)
			}
			c.want.check(t, out, err)
		})
	}
}

func (f Wire) testConcurrency(t *testing.T) {
	m := f.serve(t, func(_ int, h Heard) Said { return Said{Text: h.Request.Messages[0].Content} })
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for way, ask := range ways() {
				q := fmt.Sprintf("question %d", i)
				if out, deltas, err := ask(t.Context(), m, Ask(q)); err != nil || out.Text != q || deltas != q {
					t.Errorf("%s: %q came back as %q, %q: %v", way, q, out.Text, deltas, err)
				}
			}
		})
	}
	wg.Wait()
}

func (f Wire) testHealth(t *testing.T) {
	for status, want := range map[int]failure{
		200: {},
		401: {code: lukasa.CodeExternal, is: llm.ErrRefused},
		503: {code: lukasa.CodeUnavailable, again: true},
	} {
		m := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) { f.Health(t, w, r, status) }), 0)
		h, ok := llm.As[llm.HealthChecker](m)
		if !ok {
			t.Fatal("has no health")
		}
		if err := h.Health(t.Context()); status == 200 && err != nil {
			t.Errorf("healthy: %v", err)
		} else if status != 200 {
			want.check(t, llm.Reply{}, err)
		}
	}
}

// testRefusals: what cannot be right is not sent.
func (f Wire) testRefusals(t *testing.T) {
	m := f.serve(t, func(_ int, h Heard) Said {
		t.Errorf("heard %+v", h)
		return Said{}
	})
	hot := 2.5
	for field, req := range map[string]llm.Request{
		"messages":    {},
		"messages 2":  {Messages: []llm.Message{{Role: llm.Assistant, Content: "Hi."}}},
		"messages 3":  {Messages: []llm.Message{{Role: "system", Content: "Hi."}, {Role: llm.User, Content: "Hi."}}},
		"messages 4":  Ask(" \n"),
		"temperature": {Messages: Ask("Hi.").Messages, Temperature: &hot},
		"max_tokens":  {Messages: Ask("Hi.").Messages, MaxTokens: MaxOutput + 1},
		"stop":        {Messages: Ask("Hi.").Messages, Stop: []string{""}},
		"stop 2":      {Messages: Ask("Hi.").Messages, Stop: []string{"1", "2", "3", "4", "5"}},
		"schema":      asJSON("Hi.", `{"type":"strange"}`),
		"schema 2":    asJSON("Hi.", `{"type":"string","pattern":"x"}`),
		"pictures":    {Messages: Ask("Hi.").Messages, Pictures: []llm.Picture{{Type: "image/tiff", Data: []byte("II*")}}},
		"pictures 2":  {Messages: Ask("Hi.").Messages, Pictures: []llm.Picture{{Type: "image/png"}}},
		"pictures 3":  {Messages: Ask("Hi.").Messages, Pictures: []llm.Picture{{Type: "image/png", Data: make([]byte, llm.MaxPictureBytes+1)}}},
		"pictures 4":  {Messages: Ask("Hi.").Messages, Pictures: slices.Repeat(Pictures(), llm.MaxPictures)},
	} {
		for way, ask := range ways() {
			_, _, err := ask(t.Context(), m, req)
			var e *lukasa.Error
			if !errors.As(err, &e) || e.Code != lukasa.CodeInvalid || e.Field != strings.Fields(field)[0] {
				t.Errorf("%s %s: %v", way, field, err)
			}
		}
	}
}
