// Package openai asks any server that speaks OpenAI's chat completions: OpenAI itself, vLLM, LM Studio, llama.cpp, OpenRouter
// and others. It is a driver of package llm.
//
// What the public API reference says, and this driver does: POST {base}/chat/completions with a bearer key and a JSON object of
// model, messages (roles system, user, assistant), max_completion_tokens (max_tokens is its deprecated name, which newer models of
// OpenAI refuse and most other servers know alone), temperature, stop (up to 4) and response_format: {"type":"json_schema",
// "json_schema":{"name","schema","strict"}}, where strict wants every object closed and every property required. The answer is
// {"model","choices":[{"message":{"content","refusal"},"finish_reason"}],"usage":{"prompt_tokens","completion_tokens","total_tokens"}};
// finish_reason is stop, length, content_filter or tool_calls. With stream, server-sent events without names carry chunks with
// delta instead of message, and end with "[DONE]"; stream_options {"include_usage":true} asks for a last chunk with usage, whose
// choices are empty (vLLM is known to send null). A message with pictures has parts for its content: {"type":"text","text"} and
// {"type":"image_url","image_url":{"url":"data:image/png;base64,…"}}.
//
// Not in the reference, and taken care of because servers do it: an event with {"error":…} in the middle of a stream, a finish_reason of
// another name (read as "stop"), and a stream that ends in "[DONE]" without one.
package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

// DefaultURL is OpenAI's own address.
const DefaultURL = "https://api.openai.com/v1"

// Ways to ask for JSON.
const (
	SchemaMode = "json_schema" // the server decodes to the schema
	ObjectMode = "json_object" // the server decodes to any JSON object; the schema goes into the system prompt
	PromptMode = "prompt"      // the schema goes into the system prompt, and nothing else
)

// Options configure the driver. Model is required.
type Options struct {
	URL           string // address up to and without "/chat/completions"; "": DefaultURL
	Key           string // bearer key; "": none is sent
	Model         string
	ContextTokens int    // for Info; 0: not known
	MaxOutput     int    // for Info, and the most that a request may ask for; 0: not known
	JSON          string // SchemaMode, ObjectMode or PromptMode; "": SchemaMode
	TokensField   string // name of the field for MaxTokens; "": max_completion_tokens at DefaultURL, max_tokens elsewhere

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
		o.JSON = SchemaMode
	}
	if o.JSON != SchemaMode && o.JSON != ObjectMode && o.JSON != PromptMode {
		return nil, lukasa.Invalid("json", "%q is not %s, %s or %s", o.JSON, SchemaMode, ObjectMode, PromptMode)
	}
	switch {
	case o.TokensField == "" && o.URL == DefaultURL:
		o.TokensField = "max_completion_tokens"
	case o.TokensField == "":
		o.TokensField = "max_tokens"
	case o.TokensField != "max_completion_tokens" && o.TokensField != "max_tokens":
		return nil, lukasa.Invalid("tokens_field", "%q is neither max_completion_tokens nor max_tokens", o.TokensField)
	}
	server, err := llm.Dial(wire.Options{Base: o.URL, Key: o.Key, Timeout: o.Timeout, Client: o.Client})
	if err != nil {
		return nil, err
	}
	m := &Model{server: server, o: o}
	m.Remote, err = llm.NewRemote(llm.RemoteOptions{
		Info: llm.Info{Provider: "openai", Model: o.Model, ContextTokens: o.ContextTokens, MaxOutput: o.MaxOutput},
		Call: m.call, Stream: m.stream,
		Health: func(ctx context.Context) error { return server.Get(ctx, "/models", nil) }, // which all servers of its kind have
	})
	return m, err
}

type request struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Temperature         *float64       `json:"temperature,omitempty"`
	Stop                []string       `json:"stop,omitempty"`
	Format              *format        `json:"response_format,omitempty"`
	Stream              bool           `json:"stream,omitempty"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
}

type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // a string, or parts
}

type part struct {
	Type  string    `json:"type"`
	Text  string    `json:"text,omitempty"`
	Image *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// parts shows pictures with a text.
func parts(text string, pictures []llm.Picture) []part {
	out := []part{{Type: "text", Text: text}}
	for _, p := range pictures {
		out = append(out, part{Type: "image_url", Image: &imageURL{URL: "data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data)}})
	}
	return out
}

type format struct {
	Type       string      `json:"type"`
	JSONSchema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

func (m *Model) request(req llm.Request, schema *llm.Schema) request {
	out := request{Model: m.o.Model, Temperature: req.Temperature, Stop: req.Stop}
	if m.o.TokensField == "max_tokens" {
		out.MaxTokens = req.MaxTokens
	} else {
		out.MaxCompletionTokens = req.MaxTokens
	}
	system := req.System
	if schema != nil {
		switch m.o.JSON {
		case SchemaMode:
			out.Format = &format{Type: SchemaMode, JSONSchema: &jsonSchema{Name: "answer", Schema: req.Schema, Strict: schema.Strict()}}
		case ObjectMode:
			out.Format = &format{Type: ObjectMode}
		}
		if m.o.JSON != SchemaMode {
			system = llm.SchemaPrompt(req)
		}
	}
	if system != "" {
		out.Messages = append(out.Messages, message{Role: "system", Content: system})
	}
	for _, t := range req.Messages {
		out.Messages = append(out.Messages, message{Role: string(t.Role), Content: t.Content})
	}
	if n := len(req.Messages); len(req.Pictures) > 0 {
		out.Messages[len(out.Messages)-1].Content = parts(req.Messages[n-1].Content, req.Pictures)
	}
	return out
}

// response is a completion, and a chunk of one.
type response struct {
	Model   string `json:"model"`
	Choices []struct {
		Message content `json:"message"`
		Delta   content `json:"delta"`
		Finish  string  `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type content struct {
	Content string `json:"content"`
	Refusal string `json:"refusal"`
}

// fill writes what a response says, but for the text, into out.
func (r *response) fill(out *llm.Reply) {
	if r.Model != "" {
		out.Model = r.Model
	}
	if u := r.Usage; u != nil {
		out.Usage = llm.Usage{Input: u.Prompt, Output: u.Completion, Total: u.Total}
	}
	if len(r.Choices) > 0 && r.Choices[0].Finish != "" && out.FinishReason != llm.Declined {
		out.FinishReason = finish(r.Choices[0].Finish)
	}
}

func finish(s string) llm.FinishReason {
	switch s {
	case "length":
		return llm.Cut
	case "content_filter":
		return llm.Declined
	}
	return llm.Stopped
}

func (m *Model) call(ctx context.Context, req llm.Request, schema *llm.Schema) (llm.Reply, error) {
	var in response
	var out llm.Reply
	if err := m.server.Post(ctx, "/chat/completions", m.request(req, schema), &in); err != nil {
		return out, err
	}
	if len(in.Choices) == 0 {
		return out, lukasa.Errorf(lukasa.CodeExternal, "server answered no choice")
	}
	out.FinishReason = llm.Stopped
	in.fill(&out)
	c := in.Choices[0].Message
	if out.Text = c.Content; c.Refusal != "" {
		out.Text, out.FinishReason = c.Refusal, llm.Declined
	}
	return out, nil
}

func (m *Model) stream(ctx context.Context, req llm.Request, schema *llm.Schema, yield func(string) error) (llm.Reply, error) {
	body := m.request(req, schema)
	body.Stream, body.StreamOptions = true, &streamOptions{IncludeUsage: true}
	var out llm.Reply
	done := false
	err := m.server.Events(ctx, "/chat/completions", body, func(e wire.Event) error {
		if string(e.Data) == "[DONE]" {
			done = true
			return wire.ErrDone
		}
		var in response
		if err := llm.Piece(e.Data, &in); err != nil {
			return err
		}
		if len(in.Error) > 0 && string(in.Error) != "null" {
			return llm.StreamError(0, in.Error)
		}
		in.fill(&out)
		if len(in.Choices) == 0 {
			return nil
		}
		d := in.Choices[0].Delta
		if d.Refusal != "" {
			out.FinishReason = llm.Declined
		}
		return yield(d.Content + d.Refusal)
	})
	if err == nil && out.FinishReason == "" {
		if !done {
			return out, llm.Unfinished()
		}
		out.FinishReason = llm.Stopped
	}
	return out, err
}
