package openai_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/llm/llmtest"
	"github.com/lukasa-memory/lukasa/internal/llm/openai"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// request has the fields of the public reference's chat completion request that we send; anything else fails the test.
type request struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
	} `json:"messages"`
	MaxTokens           *int     `json:"max_tokens"`
	MaxCompletionTokens *int     `json:"max_completion_tokens"`
	Temperature         *float64 `json:"temperature"`
	Stop                []string `json:"stop"`
	Format              *struct {
		Type       string `json:"type"`
		JSONSchema *struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict *bool           `json:"strict"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Stream        bool `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// content is a string, or parts: one of text and the others pictures in data URLs.
type content struct {
	text     string
	pictures []llm.Picture
}

func (c *content) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &c.text)
	}
	var parts []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Image *struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&parts); err != nil {
		return err
	}
	for i, p := range parts {
		switch {
		case p.Type == "text" && i == 0 && p.Image == nil:
			c.text = p.Text
		case p.Type == "image_url" && i > 0 && p.Text == "" && p.Image != nil:
			media, data, ok := strings.Cut(strings.TrimPrefix(p.Image.URL, "data:"), ";base64,")
			raw, err := base64.StdEncoding.DecodeString(data)
			if !ok || err != nil {
				return fmt.Errorf("url %q: %w", p.Image.URL, err)
			}
			c.pictures = append(c.pictures, llm.Picture{Type: media, Data: raw})
		default:
			return fmt.Errorf("part %d: %+v", i, p)
		}
	}
	return nil
}

func read(t *testing.T, w http.ResponseWriter, r *http.Request, key string) (in request, ok bool) {
	t.Helper()
	want := wiretest.Want{Path: "/v1/chat/completions", Header: wiretest.Bearer(key)}
	if r.Header.Get("Accept") == "text/event-stream" {
		want.Accept = "text/event-stream"
	}
	if !wiretest.ReadPost(t, w, r, want, &in) {
		return in, false
	}
	if in.Stream != (want.Accept != "") || in.Stream != (in.StreamOptions != nil && in.StreamOptions.IncludeUsage) || in.Model != "m" {
		t.Errorf("%q, stream %v with %+v, accept %q", in.Model, in.Stream, in.StreamOptions, want.Accept)
	}
	return in, true
}

func heard(t *testing.T, w http.ResponseWriter, r *http.Request) (llmtest.Heard, bool) {
	in, ok := read(t, w, r, llmtest.Secret)
	out := llmtest.Heard{Stream: in.Stream, Request: llm.Request{Temperature: in.Temperature, Stop: in.Stop}}
	for i, m := range in.Messages {
		if i == 0 && m.Role == "system" {
			out.Request.System = m.Content.text
			continue
		}
		out.Request.Messages = append(out.Request.Messages, llm.Message{Role: llm.Role(m.Role), Content: m.Content.text})
		if m.Content.pictures != nil && i < len(in.Messages)-1 {
			t.Errorf("pictures with message %d of %d", i, len(in.Messages))
		}
		out.Request.Pictures = m.Content.pictures
	}
	if in.MaxTokens != nil {
		out.Request.MaxTokens = *in.MaxTokens
	}
	if f := in.Format; f != nil {
		out.Request.Schema = f.JSONSchema.Schema
		if strict := string(f.JSONSchema.Schema) == llmtest.Schema; f.Type != "json_schema" || *f.JSONSchema.Strict != strict || f.JSONSchema.Name == "" {
			t.Errorf("format %+v", f)
		}
	}
	return out, ok
}

func finish(r llm.FinishReason) string {
	if r == llm.Declined {
		return "content_filter"
	}
	return string(r)
}

type object = map[string]any

func usage(s llmtest.Said) object {
	return object{"prompt_tokens": s.Input, "completion_tokens": s.Output, "total_tokens": s.Input + s.Output}
}

// answer is the reference's chat completion object.
func answer(_ llmtest.Heard, s llmtest.Said) any {
	return object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1741569952, "model": "served", "usage": usage(s),
		"choices": []any{object{
			"index": 0, "logprobs": nil, "finish_reason": finish(s.Finish),
			"message": object{"role": "assistant", "content": s.Text, "refusal": nil, "annotations": []any{}},
		}},
	}
}

func chunk(v object) string {
	v["id"], v["object"], v["created"], v["model"] = "chatcmpl-1", "chat.completion.chunk", 1694268190, "served"
	b, _ := json.Marshal(v)
	return "data: " + string(b) + "\n\n"
}

func choice(delta object, finish any) []any {
	return []any{object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}
}

// pieces are the reference's chunks.
func pieces(_ llmtest.Heard, s llmtest.Said, parts []string) (out llmtest.Pieces) {
	out.Before = []string{chunk(object{"choices": choice(object{"role": "assistant", "content": ""}, nil), "usage": nil})}
	for _, p := range parts {
		out.Text = append(out.Text, chunk(object{"choices": choice(object{"content": p}, nil), "usage": nil}))
	}
	out.After = []string{
		chunk(object{"choices": choice(object{}, finish(s.Finish)), "usage": nil}),
		chunk(object{"choices": []any{}, "usage": usage(s)}),
		"data: [DONE]\n\n",
	}
	return out
}

func open(t *testing.T, o openai.Options) llm.Model {
	t.Helper()
	o.URL, o.Model = o.URL+"/v1", "m"
	m, err := openai.New(o)
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
			return open(t, openai.Options{URL: url, Key: llmtest.Secret, MaxOutput: llmtest.MaxOutput, Timeout: timeout})
		},
		Read: heard, Answer: answer, Pieces: pieces,
		Broken: "data: {\"error\":{\"message\":\"Overloaded\",\"type\":\"server_error\",\"code\":null}}\n\n",
		Health: func(t *testing.T, w http.ResponseWriter, r *http.Request, status int) {
			if wiretest.ReadGet(t, w, r, wiretest.Want{Path: "/v1/models", Header: wiretest.Bearer(llmtest.Secret)}) {
				w.WriteHeader(status)
				_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"m","object":"model"}]}`))
			}
		},
	})
}

// TestModes: servers that decode to less than a schema get it in words.
func TestModes(t *testing.T) {
	t.Parallel()
	for mode, format := range map[string]string{openai.ObjectMode: "json_object", openai.PromptMode: ""} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			url := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				in, ok := read(t, w, r, "")
				if !ok {
					return
				}
				got := ""
				if in.Format != nil {
					got = in.Format.Type
				}
				if got != format || !strings.HasPrefix(in.Messages[0].Content.text, "Be brief.\n\n") || !strings.HasSuffix(in.Messages[0].Content.text, llmtest.OpenSchema) {
					t.Errorf("format %q, system %q", got, in.Messages[0].Content.text)
				}
				wiretest.WriteJSON(w, answer(llmtest.Heard{}, llmtest.Said{Text: "```json\n{\"name\":\"a\"}\n```", Finish: llm.Stopped}))
			})
			req := llmtest.Ask("Who?")
			req.System, req.Schema = "Be brief.", json.RawMessage(llmtest.OpenSchema)
			out, err := open(t, openai.Options{URL: url, JSON: mode}).Complete(t.Context(), req)
			if err != nil || string(out.JSON) != `{"name":"a"}` {
				t.Errorf("%s, %v", out.JSON, err)
			}
		})
	}
}

func TestTokensField(t *testing.T) {
	t.Parallel()
	url := wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		in, _ := read(t, w, r, "")
		if in.MaxTokens != nil || in.MaxCompletionTokens == nil || *in.MaxCompletionTokens != 9 {
			t.Errorf("%v, %v", in.MaxTokens, in.MaxCompletionTokens)
		}
		wiretest.WriteJSON(w, answer(llmtest.Heard{}, llmtest.Said{Text: "a", Finish: llm.Stopped}))
	})
	req := llmtest.Ask("Who?")
	req.MaxTokens = 9
	if _, err := open(t, openai.Options{URL: url, TokensField: "max_completion_tokens"}).Complete(t.Context(), req); err != nil {
		t.Error(err)
	}
}

// TestDialects: what servers other than OpenAI's are known to answer.
func TestDialects(t *testing.T) {
	t.Parallel()
	said := llm.Usage{Input: 3, Output: 4, Total: 7, Requests: 1}
	for name, c := range map[string]struct {
		stream bool
		body   string
		want   llm.Reply
	}{
		"refusal":             {false, `{"choices":[{"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}]}`, llm.Reply{Text: "I will not.", FinishReason: llm.Declined, Model: "m", Usage: llm.Usage{Requests: 1}}},
		"refusal streamed":    {true, "data: {\"choices\":[{\"delta\":{\"refusal\":\"No.\"}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", llm.Reply{Text: "No.", FinishReason: llm.Declined, Model: "m", Usage: llm.Usage{Requests: 1}}},
		"other reason":        {false, `{"choices":[{"message":{"content":"a"},"finish_reason":"eos"}]}`, llm.Reply{Text: "a", FinishReason: llm.Stopped, Model: "m", Usage: llm.Usage{Requests: 1}}},
		"no reason":           {false, `{"choices":[{"message":{"content":"a"},"finish_reason":null}]}`, llm.Reply{Text: "a", FinishReason: llm.Stopped, Model: "m", Usage: llm.Usage{Requests: 1}}},
		"only done":           {true, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n", llm.Reply{Text: "a", FinishReason: llm.Stopped, Model: "m", Usage: llm.Usage{Requests: 1}}},
		"usage, null choices": {true, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":null,\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,\"total_tokens\":7}}\n\ndata: [DONE]\n\n", llm.Reply{Text: "a", FinishReason: llm.Stopped, Model: "m", Usage: said}},
		"comments":            {true, ": PROCESSING\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"length\"}]}\n\n: x\n\n", llm.Reply{Text: "a", FinishReason: llm.Cut, Model: "m", Usage: llm.Usage{Requests: 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := open(t, openai.Options{URL: wiretest.Serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(c.body)) })})
			var out llm.Reply
			var err error
			if c.stream {
				out, err = m.Stream(t.Context(), llmtest.Ask("Who?"), func(llm.Delta) error { return nil })
			} else {
				out, err = m.Complete(t.Context(), llmtest.Ask("Who?"))
			}
			if diff := cmp.Diff(c.want, out); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for field, o := range map[string]openai.Options{
		"model": {}, "url": {Model: "m", URL: "localhost"}, "json": {Model: "m", JSON: "xml"}, "tokens_field": {Model: "m", TokensField: "n"},
	} {
		m, err := openai.New(o)
		if e, ok := err.(*lukasa.Error); !ok || e.Field != field { //nolint:errorlint // it is not wrapped
			t.Errorf("%s: %v, %v", field, m, err)
		}
	}
	m, err := openai.New(openai.Options{Model: "m", ContextTokens: 128_000, MaxOutput: 16_384})
	if want := (llm.Info{Provider: "openai", Model: "m", ContextTokens: 128_000, MaxOutput: 16_384}); err != nil || m.Info() != want {
		t.Errorf("%+v, %v", m, err)
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
		return openai.New(openai.Options{Model: "m", Client: c})
	}, string(whole), strings.Join(stream.All(), ""))
}
