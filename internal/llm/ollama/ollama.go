// Package ollama asks an Ollama server. It is a driver of package llm.
//
// What the public API reference says, and this driver does: POST /api/chat with model, messages (roles system, user, assistant; with images, in base64), stream,
// format (a JSON schema), options (temperature, num_predict, stop, num_ctx) and keep_alive. The answer is {"model","message":{"content"},"done":true,
// "done_reason","prompt_eval_count","eval_count",…}; as a stream it is one such object a line, with the next text each, of which the last
// has done, done_reason and the counts. What a model thinks stands in message.thinking and is not part of the answer. Errors are
// {"error":…}, in the middle of a stream too, as a line of its own; a model that is not there is a 404. GET /api/version tells that the
// server is up.
//
// The server cuts a prompt that is longer than its num_ctx without a word, so num_ctx is always sent.
package ollama

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

// The defaults of [Options].
const (
	DefaultURL     = "http://localhost:11434"
	DefaultContext = 8192
)

// Options configure the driver. Model is required.
type Options struct {
	URL           string // "": DefaultURL
	Key           string // bearer key, for a server behind a proxy; "": none is sent
	Model         string
	ContextTokens int    // asked of the server, which needs memory in proportion; 0: DefaultContext
	MaxOutput     int    // for Info, and the most that a request may ask for; 0: not known
	KeepAlive     string // how long the server keeps the model loaded, such as "10m"; "": its own default

	Timeout time.Duration // of one answer, or in a stream of one piece, loading the model included; 0: llm.DefaultTimeout
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
	if o.ContextTokens == 0 {
		o.ContextTokens = DefaultContext
	}
	server, err := llm.Dial(wire.Options{Base: o.URL, Key: o.Key, Timeout: o.Timeout, Client: o.Client})
	if err != nil {
		return nil, err
	}
	m := &Model{server: server, o: o}
	m.Remote, err = llm.NewRemote(llm.RemoteOptions{
		Info: llm.Info{Provider: "ollama", Model: o.Model, ContextTokens: o.ContextTokens, MaxOutput: o.MaxOutput},
		Call: m.call, Stream: m.stream,
		Health: func(ctx context.Context) error { return server.Get(ctx, "/api/version", nil) },
	})
	return m, err
}

type request struct {
	Model     string          `json:"model"`
	Messages  []message       `json:"messages"`
	Stream    bool            `json:"stream"`
	Format    json.RawMessage `json:"format,omitempty"`
	Options   options         `json:"options"`
	KeepAlive string          `json:"keep_alive,omitempty"`
}

type message struct {
	Role    string   `json:"role"`
	Content string   `json:"content"`
	Images  [][]byte `json:"images,omitempty"` // base64 in JSON
}

type options struct {
	NumCtx      int      `json:"num_ctx"`
	NumPredict  int      `json:"num_predict,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	Stop        []string `json:"stop,omitempty"`
}

func (m *Model) request(req llm.Request, stream bool) request {
	out := request{
		Model: m.o.Model, Stream: stream, Format: req.Schema, KeepAlive: m.o.KeepAlive,
		Options: options{NumCtx: m.o.ContextTokens, NumPredict: req.MaxTokens, Temperature: req.Temperature, Stop: req.Stop},
	}
	if req.System != "" {
		out.Messages = append(out.Messages, message{Role: "system", Content: req.System})
	}
	for _, t := range req.Messages {
		out.Messages = append(out.Messages, message{Role: string(t.Role), Content: t.Content})
	}
	last := &out.Messages[len(out.Messages)-1]
	for _, p := range req.Pictures {
		last.Images = append(last.Images, p.Data)
	}
	return out
}

// response is an answer, or a line of one.
type response struct {
	Model      string          `json:"model"`
	Message    message         `json:"message"`
	Done       bool            `json:"done"`
	DoneReason string          `json:"done_reason"`
	Input      int             `json:"prompt_eval_count"`
	Output     int             `json:"eval_count"`
	Error      json.RawMessage `json:"error"`
}

// reply returns what a last response says. Servers of old give no reason.
func (r *response) reply() llm.Reply {
	out := llm.Reply{Model: r.Model, FinishReason: llm.FinishReason(r.DoneReason), Usage: llm.Usage{Input: r.Input, Output: r.Output}}
	if r.DoneReason == "" {
		out.FinishReason = llm.Stopped
	}
	return out
}

func (m *Model) call(ctx context.Context, req llm.Request, _ *llm.Schema) (llm.Reply, error) {
	var in response
	if err := m.server.Post(ctx, "/api/chat", m.request(req, false), &in); err != nil {
		return llm.Reply{}, err
	}
	if !in.Done {
		return llm.Reply{}, llm.Unfinished()
	}
	out := in.reply()
	out.Text = in.Message.Content
	return out, nil
}

func (m *Model) stream(ctx context.Context, req llm.Request, _ *llm.Schema, yield func(string) error) (llm.Reply, error) {
	var out llm.Reply
	done := false
	err := m.server.Lines(ctx, "/api/chat", m.request(req, true), func(line []byte) error {
		var in response
		if err := llm.Piece(line, &in); err != nil {
			return err
		}
		if len(in.Error) > 0 {
			return llm.StreamError(0, in.Error)
		}
		if !in.Done {
			return yield(in.Message.Content)
		}
		out, done = in.reply(), true
		if err := yield(in.Message.Content); err != nil {
			return err
		}
		return wire.ErrDone
	})
	if err == nil && !done {
		err = llm.Unfinished()
	}
	return out, err
}
