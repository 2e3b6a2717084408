package gemini_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/llm/gemini"
	"github.com/lukasa-memory/lukasa/internal/llm/llmtest"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

type content struct {
	Role  string `json:"role"`
	Parts []struct {
		Text   string `json:"text"`
		Inline *struct {
			Type string `json:"mimeType"`
			Data []byte `json:"data"`
		} `json:"inlineData"`
	} `json:"parts"`
}

// request has the fields of the public reference's request body that we send; anything else fails the test.
type request struct {
	Contents []content `json:"contents"`
	System   *content  `json:"systemInstruction"`
	Config   struct {
		MaxOutputTokens int             `json:"maxOutputTokens"`
		Temperature     *float64        `json:"temperature"`
		StopSequences   []string        `json:"stopSequences"`
		MimeType        string          `json:"responseMimeType"`
		Schema          json.RawMessage `json:"responseJsonSchema"`
	} `json:"generationConfig"`
}

func header() map[string]string {
	return map[string]string{"X-Goog-Api-Key": llmtest.Secret, "Authorization": ""}
}

func heard(t *testing.T, w http.ResponseWriter, r *http.Request) (llmtest.Heard, bool) {
	want := wiretest.Want{Path: "/v1beta/models/m:generateContent", Header: header()}
	if strings.HasSuffix(r.URL.Path, ":streamGenerateContent") {
		want = wiretest.Want{Path: "/v1beta/models/m:streamGenerateContent", Query: "alt=sse", Accept: "text/event-stream", Header: header()}
	}
	var in request
	if !wiretest.ReadPost(t, w, r, want, &in) {
		return llmtest.Heard{}, false
	}
	out := llmtest.Heard{Stream: want.Query != "", Request: llm.Request{
		MaxTokens: in.Config.MaxOutputTokens, Temperature: in.Config.Temperature, Stop: in.Config.StopSequences, Schema: in.Config.Schema,
	}}
	if (in.Config.Schema != nil) != (in.Config.MimeType == "application/json") {
		t.Errorf("schema %s, type %q", in.Config.Schema, in.Config.MimeType)
	}
	if in.System != nil {
		out.Request.System = in.System.Parts[0].Text
	}
	for i, c := range in.Contents {
		role, ok := map[string]llm.Role{"user": llm.User, "model": llm.Assistant}[c.Role]
		if !ok || len(c.Parts) == 0 || len(c.Parts) > 1 && i < len(in.Contents)-1 {
			t.Errorf("content %+v", c)
		}
		for _, p := range c.Parts[1:] {
			if p.Text != "" || p.Inline == nil {
				t.Fatalf("part %+v", p)
			}
			out.Request.Pictures = append(out.Request.Pictures, llm.Picture{Type: p.Inline.Type, Data: p.Inline.Data})
		}
		out.Request.Messages = append(out.Request.Messages, llm.Message{Role: role, Content: c.Parts[0].Text})
	}
	return out, true
}

type object = map[string]any

func finish(r llm.FinishReason) string {
	return map[llm.FinishReason]string{llm.Stopped: "STOP", llm.Cut: "MAX_TOKENS", llm.Declined: "SAFETY"}[r]
}

func usage(s llmtest.Said) object {
	thoughts := s.Output / 2
	return object{"promptTokenCount": s.Input, "candidatesTokenCount": s.Output - thoughts, "thoughtsTokenCount": thoughts, "totalTokenCount": s.Input + s.Output}
}

func response(parts []any, finish string, usage object) object {
	candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	return object{"candidates": []any{candidate}, "usageMetadata": usage, "modelVersion": "served", "responseId": "x"}
}

// answer is the reference's GenerateContentResponse, with a thought before the answer.
func answer(_ llmtest.Heard, s llmtest.Said) any {
	return response([]any{object{"text": "Hm.", "thought": true}, object{"text": s.Text, "thoughtSignature": "x"}}, finish(s.Finish), usage(s))
}

func event(v any) string {
	b, _ := json.Marshal(v)
	return "data: " + string(b) + "\r\n\r\n"
}

func pieces(_ llmtest.Heard, s llmtest.Said, parts []string) (out llmtest.Pieces) {
	out.Before = []string{event(response([]any{object{"text": "Hm.", "thought": true}}, "", object{"promptTokenCount": s.Input, "totalTokenCount": s.Input}))}
	for _, p := range parts {
		out.Text = append(out.Text, event(response([]any{object{"text": p}}, "", object{"promptTokenCount": s.Input, "totalTokenCount": s.Input})))
	}
	out.After = []string{event(response([]any{object{"text": ""}}, finish(s.Finish), usage(s)))}
	return out
}

func open(t *testing.T, o gemini.Options) llm.Model {
	t.Helper()
	o.URL, o.Model, o.Key = o.URL+"/v1beta", "models/m", llmtest.Secret
	m, err := gemini.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSuite: T-8.
func TestSuite(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, llmtest.Wire{
		Open: func(t *testing.T, url string, timeout time.Duration) llm.Model {
			return open(t, gemini.Options{URL: url, MaxOutput: llmtest.MaxOutput, Timeout: timeout})
		},
		Read: heard, Answer: answer, Pieces: pieces,
		Broken: event(object{"error": object{"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}}),
		Health: func(t *testing.T, w http.ResponseWriter, r *http.Request, status int) {
			if wiretest.ReadGet(t, w, r, wiretest.Want{Path: "/v1beta/models/m", Header: header()}) {
				w.WriteHeader(status)
				_, _ = w.Write([]byte(`{"name":"models/m","inputTokenLimit":1048576,"outputTokenLimit":65536}`))
			}
		},
	})
}

// TestAnswers: what the provider answers beside texts.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body string
		want llm.Reply
		says string
	}{
		"blocked prompt": {`{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4,"totalTokenCount":4}}`, llm.Reply{FinishReason: llm.Declined, Model: "m", Usage: llm.Usage{Input: 4, Total: 4, Requests: 1}}, ""},
		"many parts":     {`{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b"},{"thought":true,"text":"c"}]},"finishReason":"STOP"}]}`, llm.Reply{Text: "ab", FinishReason: llm.Stopped, Model: "m", Usage: llm.Usage{Requests: 1}}, ""},
		"odd end":        {`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`, llm.Reply{Usage: llm.Usage{Requests: 1}}, `"MALFORMED_FUNCTION_CALL"`},
		"no candidate":   {`{"usageMetadata":{"promptTokenCount":4}}`, llm.Reply{Usage: llm.Usage{Requests: 1}}, "no candidate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := open(t, gemini.Options{URL: wiretest.Serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(c.body)) })})
			out, err := m.Complete(t.Context(), llmtest.Ask("Who?"))
			if diff := cmp.Diff(c.want, out); diff != "" || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestBadKey: the provider answers 400 where others answer 401.
func TestBadKey(t *testing.T) {
	t.Parallel()
	m := open(t, gemini.Options{URL: wiretest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`, http.StatusBadRequest)
	})})
	_, err := m.Complete(t.Context(), llmtest.Ask("Who?"))
	_, err2 := m.Stream(t.Context(), llmtest.Ask("Who?"), func(llm.Delta) error { return nil })
	h, _ := llm.As[llm.HealthChecker](m)
	for _, err := range []error{err, err2, h.Health(t.Context())} {
		var e *lukasa.Error
		if !errors.As(err, &e) || !errors.Is(err, llm.ErrRefused) || e.Hint != "check the key of the model server" || llm.Retryable(err) {
			t.Errorf("err = %v", err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for field, o := range map[string]gemini.Options{"model": {Model: "models/"}, "url": {Model: "m", URL: "localhost"}} {
		m, err := gemini.New(o)
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
		return gemini.New(gemini.Options{Model: "m", Client: c})
	}, string(whole), strings.Join(stream.All(), ""))
}
