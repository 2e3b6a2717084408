// Package anthropic asks Anthropic's Messages API. It is a driver of package llm.
//
// What the public documentation says, and this driver does: POST {base}/v1/messages with the headers x-api-key and
// anthropic-version: 2023-06-01, and a JSON object of model, max_tokens (required), messages (roles user and assistant), system,
// temperature (0 to 1), stop_sequences and stream. The answer is {"model","content":[{"type":"text","text"}…],"stop_reason",
// "usage":{"input_tokens","cache_creation_input_tokens","cache_read_input_tokens","output_tokens"}}; the input is the sum of the three.
// stop_reason is end_turn, max_tokens, stop_sequence, tool_use, refusal or model_context_window_exceeded (and pause_turn, with server tools,
// which we do not use). A message with pictures has blocks for its content: {"type":"image","source":{"type":"base64","media_type",
// "data"}} and {"type":"text","text"}.
//
// JSON: output_config {"format":{"type":"json_schema","schema":…}} makes the answer's text fit a schema in which every object has
// "additionalProperties": false (models from 4.5 on; its older name output_format is deprecated). For other schemas and other models a tool
// whose input_schema is the schema is forced with tool_choice {"type":"tool","name":…}; its input is the answer.
//
// A stream is server-sent events with names: message_start (with model and input), content_block_start, content_block_delta (of type
// text_delta, input_json_delta with partial_json, thinking_delta, signature_delta), content_block_stop, message_delta (stop_reason, and
// usage so far), message_stop; ping and events of unknown name may come at any time; error ends it with {"error":{"type","message"}}.
//
// Errors are {"type":"error","error":{"type","message"}} with statuses 400, 401, 402, 403, 404, 413, 429, 500, 504 and 529 (overloaded).
// GET /v1/models/{model} tells whether key and model are good.
package anthropic

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

// The defaults of [Options].
const (
	DefaultURL       = "https://api.anthropic.com"
	DefaultMaxTokens = 4096
)

const (
	version  = "2023-06-01"
	toolName = "answer"
)

// Ways to ask for JSON.
const (
	FormatMode = "format" // output_config, where the schema is closed; a tool where it is not
	ToolMode   = "tool"   // always a forced tool, for models and gateways that do not know output_config
)

// Options configure the driver. Model is required.
type Options struct {
	URL           string // address up to and without "/v1/messages"; "": DefaultURL
	Key           string
	Model         string
	ContextTokens int    // for Info; 0: not known
	MaxOutput     int    // for Info, and the most that a request may ask for; 0: not known
	MaxTokens     int    // of requests that do not say; 0: DefaultMaxTokens, or MaxOutput if that is less
	JSON          string // FormatMode or ToolMode; "": FormatMode

	Timeout time.Duration // of one answer, or in a stream of one piece; 0: llm.DefaultTimeout
	Client  *http.Client  // for its transport; nil: one of our own
}

// Model is the driver. Make it with [New].
type Model struct {
	*llm.Remote
	server *wire.Endpoint
	o      Options
}

// New checks the options; it does not call the server.
func New(o Options) (*Model, error) {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	if o.JSON == "" {
		o.JSON = FormatMode
	}
	if o.JSON != FormatMode && o.JSON != ToolMode {
		return nil, lukasa.Invalid("json", "%q is not %s or %s", o.JSON, FormatMode, ToolMode)
	}
	if o.MaxTokens <= 0 {
		if o.MaxTokens = DefaultMaxTokens; o.MaxOutput > 0 {
			o.MaxTokens = min(o.MaxTokens, o.MaxOutput)
		}
	}
	server, err := llm.Dial(wire.Options{
		Base: o.URL, Key: o.Key, KeyHeader: "X-Api-Key", Header: http.Header{"Anthropic-Version": {version}},
		Timeout: o.Timeout, Client: o.Client,
	})
	if err != nil {
		return nil, err
	}
	m := &Model{server: server, o: o}
	m.Remote, err = llm.NewRemote(llm.RemoteOptions{
		Info: llm.Info{Provider: "anthropic", Model: o.Model, ContextTokens: o.ContextTokens, MaxOutput: o.MaxOutput},
		Call: m.call, Stream: m.stream,
		Health: func(ctx context.Context) error { return server.Get(ctx, "/v1/models/"+url.PathEscape(o.Model), nil) },
	})
	return m, err
}

type request struct {
	Model       string        `json:"model"`
	MaxTokens   int           `json:"max_tokens"`
	System      string        `json:"system,omitempty"`
	Messages    []message     `json:"messages"`
	Temperature *float64      `json:"temperature,omitempty"`
	Stop        []string      `json:"stop_sequences,omitempty"`
	Output      *outputConfig `json:"output_config,omitempty"`
	Tools       []tool        `json:"tools,omitempty"`
	ToolChoice  *toolChoice   `json:"tool_choice,omitempty"`
	Stream      bool          `json:"stream,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // a string, or blocks
}

type block struct {
	Type   string  `json:"type"`
	Text   string  `json:"text,omitempty"`
	Source *source `json:"source,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"` // base64 in JSON
}

// blocks shows pictures before a text, as the documentation advises.
func blocks(text string, pictures []llm.Picture) (out []block) {
	for _, p := range pictures {
		out = append(out, block{Type: "image", Source: &source{Type: "base64", MediaType: p.Type, Data: p.Data}})
	}
	return append(out, block{Type: "text", Text: text})
}

type outputConfig struct {
	Format format `json:"format"`
}

type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

func (m *Model) request(req llm.Request, schema *llm.Schema) (request, error) {
	out := request{Model: m.o.Model, MaxTokens: req.MaxTokens, System: req.System, Temperature: req.Temperature, Stop: req.Stop}
	if out.MaxTokens == 0 {
		out.MaxTokens = m.o.MaxTokens
	}
	if t := req.Temperature; t != nil && *t > 1 {
		return out, lukasa.Invalid("temperature", "%v is not from 0 to 1, which is what this provider takes", *t)
	}
	for _, t := range req.Messages {
		out.Messages = append(out.Messages, message{Role: string(t.Role), Content: t.Content})
	}
	if n := len(req.Messages) - 1; len(req.Pictures) > 0 {
		out.Messages[n].Content = blocks(req.Messages[n].Content, req.Pictures)
	}
	switch {
	case schema == nil:
	case m.o.JSON == FormatMode && schema.Closed():
		out.Output = &outputConfig{Format: format{Type: "json_schema", Schema: req.Schema}}
	default:
		out.Tools = []tool{{Name: toolName, Description: "Takes the answer. Call it once, with the whole answer.", InputSchema: req.Schema}}
		out.ToolChoice = &toolChoice{Type: "tool", Name: toolName}
	}
	return out, nil
}

type usage struct {
	Input       int `json:"input_tokens"`
	CacheMade   int `json:"cache_creation_input_tokens"`
	CacheRead   int `json:"cache_read_input_tokens"`
	OutputSoFar int `json:"output_tokens"`
}

// fill adds what is known now to what was known: the events of a stream say their part each, as totals.
func (u usage) fill(out *llm.Usage) {
	if in := u.Input + u.CacheMade + u.CacheRead; in > 0 {
		out.Input = in
	}
	if u.OutputSoFar > 0 {
		out.Output = u.OutputSoFar
	}
}

func finish(s string) llm.FinishReason {
	switch s {
	case "end_turn", "stop_sequence", "tool_use":
		return llm.Stopped
	case "max_tokens", "model_context_window_exceeded":
		return llm.Cut
	case "refusal":
		return llm.Declined
	}
	return llm.FinishReason(s)
}

func (m *Model) call(ctx context.Context, req llm.Request, schema *llm.Schema) (llm.Reply, error) {
	var in struct {
		Model   string `json:"model"`
		Content []struct {
			Type  string          `json:"type"`
			Text  string          `json:"text"`
			Input json.RawMessage `json:"input"`
		} `json:"content"`
		StopReason string `json:"stop_reason"`
		Usage      usage  `json:"usage"`
	}
	var out llm.Reply
	body, err := m.request(req, schema)
	if err == nil {
		err = m.server.Post(ctx, "/v1/messages", body, &in)
	}
	if err != nil {
		return out, err
	}
	out.Model, out.FinishReason = in.Model, finish(in.StopReason)
	in.Usage.fill(&out.Usage)
	for _, c := range in.Content {
		switch {
		case c.Type == "text" && body.Tools == nil:
			out.Text += c.Text
		case c.Type == "tool_use" && body.Tools != nil:
			out.Text += string(c.Input)
		}
	}
	return out, nil
}

// event has the fields of all events.
type event struct {
	Type    string `json:"type"`
	Message struct {
		Model string `json:"model"`
		Usage usage  `json:"usage"`
	} `json:"message"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage           `json:"usage"`
	Error json.RawMessage `json:"error"`
}

func (m *Model) stream(ctx context.Context, req llm.Request, schema *llm.Schema, yield func(string) error) (llm.Reply, error) {
	var out llm.Reply
	body, err := m.request(req, schema)
	if err != nil {
		return out, err
	}
	body.Stream = true
	done := false
	err = m.server.Events(ctx, "/v1/messages", body, func(e wire.Event) error {
		var in event
		if err := llm.Piece(e.Data, &in); err != nil {
			return err
		}
		switch in.Type {
		case "message_start":
			out.Model = in.Message.Model
			in.Message.Usage.fill(&out.Usage)
		case "content_block_delta":
			switch {
			case in.Delta.Type == "text_delta" && body.Tools == nil:
				return yield(in.Delta.Text)
			case in.Delta.Type == "input_json_delta" && body.Tools != nil:
				return yield(in.Delta.PartialJSON)
			}
		case "message_delta":
			in.Usage.fill(&out.Usage)
			if s := in.Delta.StopReason; s != "" {
				out.FinishReason = finish(s)
			}
		case "message_stop":
			done = true
			return wire.ErrDone
		case "error":
			return streamError(in.Error)
		}
		return nil
	})
	if err == nil && !done {
		err = llm.Unfinished()
	}
	return out, err
}

// streamError gives an error in a stream the status that its type has outside of one.
func streamError(body json.RawMessage) error {
	var e struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(body, &e) // no type is handled below
	status := map[string]int{
		"invalid_request_error": http.StatusBadRequest,
		"authentication_error":  http.StatusUnauthorized,
		"billing_error":         http.StatusPaymentRequired,
		"permission_error":      http.StatusForbidden,
		"not_found_error":       http.StatusNotFound,
		"request_too_large":     http.StatusRequestEntityTooLarge,
		"rate_limit_error":      http.StatusTooManyRequests,
		"timeout_error":         http.StatusGatewayTimeout,
	}[e.Type]
	return llm.StreamError(status, body)
}
