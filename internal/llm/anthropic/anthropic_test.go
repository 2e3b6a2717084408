package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/llm/anthropic"
	"github.com/lukasa-memory/lukasa/internal/llm/llmtest"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// request has the fields of the public reference's message request that we send; anything else fails the test.
type request struct {
	Model     string `json:"model"`
	MaxTokens *int   `json:"max_tokens"`
	System    string `json:"system"`
	Messages  []struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
	} `json:"messages"`
	Temperature *float64 `json:"temperature"`
	Stop        []string `json:"stop_sequences"`
	Output      *struct {
		Format struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	ToolChoice *struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tool_choice"`
	Stream bool `json:"stream"`
}

// content is a string, or blocks: pictures first, then one of text.
type content struct {
	text     string
	pictures []llm.Picture
}

func (c *content) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, &c.text)
	}
	var blocks []struct {
		Type   string `json:"type"`
		Text   string `json:"text"`
		Source *struct {
			Type      string `json:"type"`
			MediaType string `json:"media_type"`
			Data      []byte `json:"data"`
		} `json:"source"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&blocks); err != nil {
		return err
	}
	for i, p := range blocks {
		switch {
		case p.Type == "text" && i == len(blocks)-1 && p.Source == nil:
			c.text = p.Text
		case p.Type == "image" && i < len(blocks)-1 && p.Text == "" && p.Source != nil && p.Source.Type == "base64":
			c.pictures = append(c.pictures, llm.Picture{Type: p.Source.MediaType, Data: p.Source.Data})
		default:
			return fmt.Errorf("block %d: %+v", i, p)
		}
	}
	return nil
}

func header() map[string]string {
	return map[string]string{"X-Api-Key": llmtest.Secret, "Anthropic-Version": "2023-06-01", "Authorization": ""}
}

// heard returns a reader for a driver whose requests hold maxTokens when not told otherwise, and which asks for closed schemas by
// tool or not.
func heard(maxTokens int, tool bool) func(*testing.T, http.ResponseWriter, *http.Request) (llmtest.Heard, bool) {
	return func(t *testing.T, w http.ResponseWriter, r *http.Request) (llmtest.Heard, bool) {
		want := wiretest.Want{Path: "/v1/messages", Header: header()}
		if r.Header.Get("Accept") == "text/event-stream" {
			want.Accept = "text/event-stream"
		}
		var in request
		if !wiretest.ReadPost(t, w, r, want, &in) {
			return llmtest.Heard{}, false
		}
		if in.Stream != (want.Accept != "") || in.Model != "m" || in.MaxTokens == nil || (in.Tools == nil) != (in.ToolChoice == nil) {
			t.Errorf("%+v, accept %q", in, want.Accept)
		}
		out := llmtest.Heard{Stream: in.Stream, Request: llm.Request{System: in.System, Temperature: in.Temperature, Stop: in.Stop}}
		if *in.MaxTokens != maxTokens {
			out.Request.MaxTokens = *in.MaxTokens
		}
		for i, m := range in.Messages {
			out.Request.Messages = append(out.Request.Messages, llm.Message{Role: llm.Role(m.Role), Content: m.Content.text})
			if m.Content.pictures != nil && i < len(in.Messages)-1 {
				t.Errorf("pictures with message %d of %d", i, len(in.Messages))
			}
			out.Request.Pictures = m.Content.pictures
		}
		switch {
		case in.Output != nil && in.Tools == nil && in.Output.Format.Type == "json_schema" && !tool:
			if out.Request.Schema = in.Output.Format.Schema; string(out.Request.Schema) != llmtest.Schema {
				t.Errorf("output_config has an open schema %s", out.Request.Schema)
			}
		case in.Output == nil && len(in.Tools) == 1:
			if in.ToolChoice.Type != "tool" || in.ToolChoice.Name != in.Tools[0].Name || in.Tools[0].Description == "" {
				t.Errorf("tools %+v, choice %+v", in.Tools, in.ToolChoice)
			}
			if out.Request.Schema = in.Tools[0].InputSchema; !tool && string(out.Request.Schema) == llmtest.Schema {
				t.Error("a tool for a closed schema")
			}
		case in.Output != nil:
			t.Errorf("output %+v, tools %+v", in.Output, in.Tools)
		}
		return out, true
	}
}

type object = map[string]any

// byTool reports whether the stand-in answers by calling the tool.
func byTool(h llmtest.Heard, tool bool) bool {
	return h.Request.Schema != nil && (tool || string(h.Request.Schema) != llmtest.Schema)
}

func finish(h llmtest.Heard, s llmtest.Said, tool bool) string {
	switch {
	case s.Finish == llm.Cut:
		return "max_tokens"
	case s.Finish == llm.Declined:
		return "refusal"
	case byTool(h, tool):
		return "tool_use"
	}
	return "end_turn"
}

func usage(s llmtest.Said) object {
	return object{"input_tokens": s.Input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": s.Output, "service_tier": "standard"}
}

// answer is the reference's message object, with a thought before the answer.
func answer(tool bool) func(llmtest.Heard, llmtest.Said) any {
	return func(h llmtest.Heard, s llmtest.Said) any {
		block := object{"type": "text", "text": s.Text, "citations": nil}
		if byTool(h, tool) && json.Valid([]byte(s.Text)) {
			block = object{"type": "tool_use", "id": "toolu_1", "name": "answer", "input": json.RawMessage(s.Text)}
		}
		return object{
			"id": "msg_1", "type": "message", "role": "assistant", "model": "served", "stop_reason": finish(h, s, tool), "stop_sequence": nil,
			"usage": usage(s), "content": []any{object{"type": "thinking", "thinking": "Hm.", "signature": "x"}, block},
		}
	}
}

func event(v object) string {
	b, _ := json.Marshal(v)
	return "event: " + v["type"].(string) + "\ndata: " + string(b) + "\n\n"
}

// pieces are the events of the reference's flow.
func pieces(tool bool) func(llmtest.Heard, llmtest.Said, []string) llmtest.Pieces {
	return func(h llmtest.Heard, s llmtest.Said, parts []string) (out llmtest.Pieces) {
		block, delta := object{"type": "text", "text": ""}, func(p string) object { return object{"type": "text_delta", "text": p} }
		if byTool(h, tool) {
			block = object{"type": "tool_use", "id": "toolu_1", "name": "answer", "input": object{}}
			delta = func(p string) object { return object{"type": "input_json_delta", "partial_json": p} }
		}
		first := s
		first.Output = 1
		out.Before = []string{
			event(object{"type": "message_start", "message": object{"id": "msg_1", "type": "message", "role": "assistant", "content": []any{}, "model": "served", "stop_reason": nil, "usage": usage(first)}}),
			event(object{"type": "content_block_start", "index": 0, "content_block": object{"type": "thinking", "thinking": ""}}),
			event(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "thinking_delta", "thinking": "Hm."}}),
			event(object{"type": "content_block_delta", "index": 0, "delta": object{"type": "signature_delta", "signature": "x"}}),
			event(object{"type": "content_block_stop", "index": 0}),
			event(object{"type": "content_block_start", "index": 1, "content_block": block}),
			event(object{"type": "ping"}),
		}
		for _, p := range parts {
			out.Text = append(out.Text, event(object{"type": "content_block_delta", "index": 1, "delta": delta(p)}))
		}
		out.After = []string{
			event(object{"type": "content_block_stop", "index": 1}),
			event(object{"type": "event_of_tomorrow", "delta": object{"type": "text_delta"}}),
			event(object{"type": "message_delta", "delta": object{"stop_reason": finish(h, s, tool), "stop_sequence": nil}, "usage": object{"output_tokens": s.Output}}),
			event(object{"type": "message_stop"}),
		}
		return out
	}
}

func open(t *testing.T, o anthropic.Options) llm.Model {
	t.Helper()
	o.Model, o.Key = "m", llmtest.Secret
	m, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSuite: D-11, T-8.
func TestSuite(t *testing.T) {
	t.Parallel()
	for mode, tool := range map[string]bool{anthropic.FormatMode: false, anthropic.ToolMode: true} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			llmtest.Run(t, llmtest.Wire{
				Open: func(t *testing.T, url string, timeout time.Duration) llm.Model {
					return open(t, anthropic.Options{URL: url, MaxOutput: llmtest.MaxOutput, Timeout: timeout, JSON: mode})
				},
				Read: heard(llmtest.MaxOutput, tool), Answer: answer(tool), Pieces: pieces(tool),
				Broken: event(object{"type": "error", "error": object{"type": "overloaded_error", "message": "Overloaded"}}),
				Health: func(t *testing.T, w http.ResponseWriter, r *http.Request, status int) {
					if wiretest.ReadGet(t, w, r, wiretest.Want{Path: "/v1/models/m", Header: header()}) {
						w.WriteHeader(status)
						_, _ = w.Write([]byte(`{"type":"model","id":"m","display_name":"M","created_at":"2025-02-19T00:00:00Z"}`))
					}
				},
			})
		})
	}
}

// TestUsage: what was read from the cache was read too, and the last count of the output is the one that holds.
func TestUsage(t *testing.T) {
	t.Parallel()
	stream := event(object{"type": "message_start", "message": object{"model": "served", "usage": object{"input_tokens": 3, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 100, "output_tokens": 1}}}) +
		event(object{"type": "content_block_delta", "delta": object{"type": "text_delta", "text": "a"}}) +
		event(object{"type": "message_delta", "delta": object{}, "usage": object{"output_tokens": 5}}) +
		event(object{"type": "message_delta", "delta": object{"stop_reason": "stop_sequence"}, "usage": object{"output_tokens": 7}}) +
		event(object{"type": "message_stop"})
	m := open(t, anthropic.Options{URL: wiretest.Serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(stream)) })})
	out, err := m.Stream(t.Context(), llmtest.Ask("Who?"), func(llm.Delta) error { return nil })
	want := llm.Reply{Text: "a", FinishReason: llm.Stopped, Model: "served", Usage: llm.Usage{Input: 123, Output: 7, Total: 130, Requests: 1}}
	if diff := cmp.Diff(want, out); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestStreamErrors: an error in a stream means what it means outside of one.
func TestStreamErrors(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]lukasa.Code{
		"rate_limit_error": lukasa.CodeLimited, "overloaded_error": lukasa.CodeUnavailable, "api_error": lukasa.CodeUnavailable,
		"timeout_error": lukasa.CodeTimeout, "invalid_request_error": lukasa.CodeInvalid, "authentication_error": lukasa.CodeExternal,
		"error_of_tomorrow": lukasa.CodeUnavailable,
	} {
		m := open(t, anthropic.Options{URL: wiretest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(event(object{"type": "error", "error": object{"type": kind, "message": "so it is"}})))
		})})
		_, err := m.Stream(t.Context(), llmtest.Ask("Who?"), func(llm.Delta) error { return nil })
		if lukasa.CodeOf(err) != want || !strings.Contains(err.Error(), "so it is") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestEnds: reasons that are nobody's answer, and limits of this provider.
func TestEnds(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]error{"model_context_window_exceeded": llm.ErrCut, "pause_turn": nil} {
		m := open(t, anthropic.Options{URL: wiretest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
			wiretest.WriteJSON(w, object{"content": []any{}, "stop_reason": reason})
		})})
		_, err := m.Complete(t.Context(), llmtest.Ask("Who?"))
		llmErr := want == nil && strings.Contains(err.Error(), `"pause_turn"`) && lukasa.CodeOf(err) == lukasa.CodeExternal
		if !llmErr && (want == nil || !strings.Contains(err.Error(), want.Error())) {
			t.Errorf("%s: %v", reason, err)
		}
	}
	req, warm := llmtest.Ask("Who?"), 1.5
	req.Temperature = &warm
	if _, err := open(t, anthropic.Options{URL: "http://127.0.0.1:1"}).Complete(t.Context(), req); lukasa.CodeOf(err) != lukasa.CodeInvalid {
		t.Errorf("temperature: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for field, o := range map[string]anthropic.Options{"model": {}, "url": {Model: "m", URL: "localhost"}, "json": {Model: "m", JSON: "xml"}} {
		m, err := anthropic.New(o)
		if e, ok := err.(*lukasa.Error); !ok || e.Field != field { //nolint:errorlint // it is not wrapped
			t.Errorf("%s: %v, %v", field, m, err)
		}
	}
}

func FuzzBody(f *testing.F) {
	said := llmtest.Said{Text: `{"name":"a","age":null,"kind":"place"}`, Finish: llm.Stopped, Input: 3, Output: 4}
	whole, err := json.Marshal(answer(false)(llmtest.Heard{}, said))
	if err != nil {
		f.Fatal(err)
	}
	stream := pieces(false)(llmtest.Heard{Stream: true}, said, []string{said.Text[:9], said.Text[9:]})
	llmtest.Fuzz(f, func(c *http.Client) (llm.Model, error) {
		return anthropic.New(anthropic.Options{Model: "m", Client: c})
	}, string(whole), strings.Join(stream.All(), ""))
}
