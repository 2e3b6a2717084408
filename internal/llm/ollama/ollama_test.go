package ollama_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/llm/llmtest"
	"github.com/lukasa-memory/lukasa/internal/llm/ollama"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// request has the fields of the public reference's chat request that we send; anything else fails the test.
type request struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string   `json:"role"`
		Content string   `json:"content"`
		Images  [][]byte `json:"images"`
	} `json:"messages"`
	Stream  *bool           `json:"stream"`
	Format  json.RawMessage `json:"format"`
	Options struct {
		NumCtx      *int     `json:"num_ctx"`
		NumPredict  int      `json:"num_predict"`
		Temperature *float64 `json:"temperature"`
		Stop        []string `json:"stop"`
	} `json:"options"`
	KeepAlive string `json:"keep_alive"`
}

func read(t *testing.T, w http.ResponseWriter, r *http.Request, key string) (in request, ok bool) {
	t.Helper()
	want := wiretest.Want{Path: "/api/chat", Header: wiretest.Bearer(key)}
	if r.Header.Get("Accept") == "application/x-ndjson" {
		want.Accept = "application/x-ndjson"
	}
	if !wiretest.ReadPost(t, w, r, want, &in) {
		return in, false
	}
	if in.Stream == nil || *in.Stream != (want.Accept != "") || in.Model != "m" || in.Options.NumCtx == nil {
		t.Errorf("%+v, accept %q", in, want.Accept)
	}
	return in, true
}

func heard(t *testing.T, w http.ResponseWriter, r *http.Request) (llmtest.Heard, bool) {
	in, ok := read(t, w, r, llmtest.Secret)
	if !ok {
		return llmtest.Heard{}, false
	}
	out := llmtest.Heard{Stream: *in.Stream, Request: llm.Request{
		MaxTokens: in.Options.NumPredict, Temperature: in.Options.Temperature, Stop: in.Options.Stop, Schema: in.Format,
	}}
	for i, m := range in.Messages {
		if i == 0 && m.Role == "system" {
			out.Request.System = m.Content
			continue
		}
		out.Request.Messages = append(out.Request.Messages, llm.Message{Role: llm.Role(m.Role), Content: m.Content})
		if m.Images != nil && i < len(in.Messages)-1 {
			t.Errorf("pictures with message %d of %d", i, len(in.Messages))
		}
		for _, b := range m.Images { // this protocol does not say of what type they are
			out.Request.Pictures = append(out.Request.Pictures, llm.Picture{Type: http.DetectContentType(b), Data: b})
		}
	}
	return out, true
}

type object = map[string]any

// answer is the reference's response object. There is no refusal in this protocol: a model that declines has just stopped.
func answer(_ llmtest.Heard, s llmtest.Said) any {
	return object{
		"model": "served", "created_at": "2024-12-06T00:46:58.265747Z", "done": true, "done_reason": string(s.Finish),
		"message":        object{"role": "assistant", "content": s.Text, "thinking": "Hm."},
		"total_duration": 2254970291, "load_duration": 574751416, "prompt_eval_count": s.Input, "prompt_eval_duration": 1502000000,
		"eval_count": s.Output, "eval_duration": 175000000,
	}
}

func line(v any) string {
	b, _ := json.Marshal(v)
	return string(b) + "\n"
}

func pieces(h llmtest.Heard, s llmtest.Said, parts []string) (out llmtest.Pieces) {
	message := func(text, thinking string) string {
		return line(object{"model": "served", "created_at": "2023-08-04T08:52:19.385406455-07:00", "done": false, "message": object{"role": "assistant", "content": text, "thinking": thinking, "images": nil}})
	}
	out.Before = []string{message("", "Hm.")}
	for _, p := range parts {
		out.Text = append(out.Text, message(p, ""))
	}
	s.Text = ""
	out.After = []string{line(answer(h, s))}
	return out
}

func open(t *testing.T, o ollama.Options) llm.Model {
	t.Helper()
	o.Model = "m"
	m, err := ollama.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSuite: D-11, T-8.
func TestSuite(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, llmtest.Wire{
		Open: func(t *testing.T, url string, timeout time.Duration) llm.Model {
			return open(t, ollama.Options{URL: url, Key: llmtest.Secret, MaxOutput: llmtest.MaxOutput, Timeout: timeout})
		},
		Read: heard, Answer: answer, Pieces: pieces, NeverDeclines: true,
		Broken: "{\"error\":\"Overloaded\"}\n",
		Health: func(t *testing.T, w http.ResponseWriter, r *http.Request, status int) {
			if wiretest.ReadGet(t, w, r, wiretest.Want{Path: "/api/version", Header: wiretest.Bearer(llmtest.Secret)}) {
				w.WriteHeader(status)
				_, _ = w.Write([]byte(`{"version":"0.5.1"}`))
			}
		},
	})
}

// TestRequest: what the driver adds of its own.
func TestRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o    ollama.Options
		ctx  int
		keep string
	}{
		"default": {ollama.Options{}, 8192, ""},
		"all":     {ollama.Options{ContextTokens: 32_768, KeepAlive: "10m"}, 32_768, "10m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.o.URL = wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				in, ok := read(t, w, r, "")
				if !ok {
					return
				}
				if *in.Options.NumCtx != c.ctx || in.KeepAlive != c.keep || in.Format != nil {
					t.Errorf("%+v", in)
				}
				wiretest.WriteJSON(w, answer(llmtest.Heard{}, llmtest.Said{Text: "a", Finish: llm.Stopped}))
			})
			m := open(t, c.o)
			if _, err := m.Complete(t.Context(), llmtest.Ask("Who?")); err != nil || m.Info().ContextTokens != c.ctx {
				t.Errorf("%+v, %v", m.Info(), err)
			}
		})
	}
}

// TestAnswers: servers of old, and what is no answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want llm.Reply
		code lukasa.Code
	}{
		"no reason": {`{"model":"m","message":{"content":"a"},"done":true}`, llm.Reply{Text: "a", FinishReason: llm.Stopped, Model: "m", Usage: llm.Usage{Requests: 1}}, ""},
		"not done":  {`{"model":"m","message":{"content":"a"},"done":false}`, llm.Reply{Usage: llm.Usage{Requests: 1}}, lukasa.CodeUnavailable},
		"loaded":    {`{"model":"m","message":{"content":""},"done":true,"done_reason":"load"}`, llm.Reply{Usage: llm.Usage{Requests: 1}}, lukasa.CodeExternal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := open(t, ollama.Options{URL: wiretest.Serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(c.body)) })})
			out, err := m.Complete(t.Context(), llmtest.Ask("Who?"))
			if diff := cmp.Diff(c.want, out); diff != "" || lukasa.CodeOf(err) != c.code {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			streamed, err := m.Stream(t.Context(), llmtest.Ask("Who?"), func(llm.Delta) error { return nil })
			if diff := cmp.Diff(c.want, streamed); diff != "" || lukasa.CodeOf(err) != c.code {
				t.Errorf("streamed: %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for field, o := range map[string]ollama.Options{"model": {}, "url": {Model: "m", URL: "localhost"}} {
		m, err := ollama.New(o)
		if e, ok := err.(*lukasa.Error); !ok || e.Field != field { //nolint:errorlint // it is not wrapped
			t.Errorf("%s: %v, %v", field, m, err)
		}
	}
}

func FuzzBody(f *testing.F) {
	said := llmtest.Said{Text: `{"name":"a","age":null,"kind":"place"}`, Finish: llm.Stopped, Input: 3, Output: 4}
	whole, err := json.Marshal(answer(llmtest.Heard{}, said))
	if err != nil {
		f.Fatal(err)
	}
	stream := pieces(llmtest.Heard{Stream: true}, said, []string{said.Text[:9], said.Text[9:]})
	llmtest.Fuzz(f, func(c *http.Client) (llm.Model, error) {
		return ollama.New(ollama.Options{Model: "m", Client: c})
	}, string(whole), strings.Join(stream.All(), ""))
}
