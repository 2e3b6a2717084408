// Package gemini asks Google's Gemini API. It is a driver of package llm.
//
// What the public API reference says, and this driver does: POST {base}/models/{model}:generateContent with the key in the header
// x-goog-api-key and a JSON object of contents [{"role":"user"|"model","parts":[{"text"},{"inlineData":{"mimeType","data"}}…]}],
// systemInstruction {"parts":[…]} and generationConfig {maxOutputTokens, temperature, stopSequences, responseMimeType, responseJsonSchema}.
// responseJsonSchema takes JSON Schema, which is why it is used in place of the older responseSchema (a subset of OpenAPI's); both need
// responseMimeType "application/json". The answer is {"candidates":[{"content":{"parts":[{"text"}]},"finishReason"}],"promptFeedback":
// {"blockReason"},"usageMetadata":{"promptTokenCount","candidatesTokenCount","thoughtsTokenCount","totalTokenCount"},"modelVersion"};
// parts with "thought": true are not part of the answer.
//
// :streamGenerateContent?alt=sse answers the same object again and again in server-sent events without names, each with the next
// text; the last ones carry finishReason and usage, and the end of the answer is the end of the stream.
//
// Errors are {"error":{"code","message","status"}}. A bad key is a 400 there, told by its message. GET {base}/models/{model} tells whether key
// and model are good. Not verified against a live server: how an error in the middle of a stream looks; it is read as
// the same error object.
package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

// DefaultURL is Google's address.
const DefaultURL = "https://generativelanguage.googleapis.com/v1beta"

// Options configure the driver. Model is required.
type Options struct {
	URL           string // address up to and without "/models"; "": DefaultURL
	Key           string
	Model         string // with or without "models/" before it
	ContextTokens int    // for Info; 0: not known
	MaxOutput     int    // for Info, and the most that a request may ask for; 0: not known

	Timeout time.Duration // of one answer, or in a stream of one piece; 0: llm.DefaultTimeout
	Client  *http.Client  // for its transport; nil: one of our own
}

// Model is the driver. Make it with [New].
type Model struct {
	*llm.Remote
	server *wire.Endpoint
	path   string // of the model
}

// New checks the options; it does not call the server.
func New(o Options) (*Model, error) {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	o.Model = strings.TrimPrefix(o.Model, "models/")
	server, err := llm.Dial(wire.Options{Base: o.URL, Key: o.Key, KeyHeader: "X-Goog-Api-Key", Timeout: o.Timeout, Client: o.Client})
	if err != nil {
		return nil, err
	}
	m := &Model{server: server, path: "/models/" + url.PathEscape(o.Model)}
	m.Remote, err = llm.NewRemote(llm.RemoteOptions{
		Info: llm.Info{Provider: "gemini", Model: o.Model, ContextTokens: o.ContextTokens, MaxOutput: o.MaxOutput},
		Call: m.call, Stream: m.stream,
		Health: func(ctx context.Context) error { return badKey(server.Get(ctx, m.path, nil)) },
	})
	return m, err
}

type request struct {
	Contents []content `json:"contents"`
	System   *content  `json:"systemInstruction,omitempty"`
	Config   *config   `json:"generationConfig,omitempty"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type part struct {
	Text    string `json:"text,omitempty"`
	Thought bool   `json:"thought,omitempty"`
	Inline  *blob  `json:"inlineData,omitempty"`
}

type blob struct {
	Type string `json:"mimeType"`
	Data []byte `json:"data"` // base64 in JSON
}

type config struct {
	MaxOutputTokens  int             `json:"maxOutputTokens,omitempty"`
	Temperature      *float64        `json:"temperature,omitempty"`
	StopSequences    []string        `json:"stopSequences,omitempty"`
	ResponseMimeType string          `json:"responseMimeType,omitempty"`
	ResponseSchema   json.RawMessage `json:"responseJsonSchema,omitempty"`
}

func newRequest(req llm.Request) request {
	out := request{Config: &config{MaxOutputTokens: req.MaxTokens, Temperature: req.Temperature, StopSequences: req.Stop}}
	if req.System != "" {
		out.System = &content{Parts: []part{{Text: req.System}}}
	}
	for _, t := range req.Messages {
		role := "user"
		if t.Role == llm.Assistant {
			role = "model"
		}
		out.Contents = append(out.Contents, content{Role: role, Parts: []part{{Text: t.Content}}})
	}
	last := &out.Contents[len(out.Contents)-1]
	for _, p := range req.Pictures {
		last.Parts = append(last.Parts, part{Inline: &blob{Type: p.Type, Data: p.Data}})
	}
	if len(req.Schema) > 0 {
		out.Config.ResponseMimeType, out.Config.ResponseSchema = "application/json", req.Schema
	}
	return out
}

// response is an answer, or a piece of one.
type response struct {
	Candidates []struct {
		Content content `json:"content"`
		Finish  string  `json:"finishReason"`
	} `json:"candidates"`
	Feedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage struct {
		Prompt     int `json:"promptTokenCount"`
		Candidates int `json:"candidatesTokenCount"`
		Thoughts   int `json:"thoughtsTokenCount"`
		Total      int `json:"totalTokenCount"`
	} `json:"usageMetadata"`
	Model string          `json:"modelVersion"`
	Error json.RawMessage `json:"error"`
}

// fill writes what a response says, but for the text, into out, and returns the text.
func (r *response) fill(out *llm.Reply) string {
	if r.Model != "" {
		out.Model = r.Model
	}
	if u := r.Usage; u.Total > 0 {
		out.Usage = llm.Usage{Input: u.Prompt, Output: u.Candidates + u.Thoughts, Total: u.Total}
	}
	if r.Feedback.BlockReason != "" {
		out.FinishReason = llm.Declined
	}
	if len(r.Candidates) == 0 {
		return ""
	}
	c := r.Candidates[0]
	if c.Finish != "" {
		out.FinishReason = finish(c.Finish)
	}
	var text strings.Builder
	for _, p := range c.Content.Parts {
		if !p.Thought {
			text.WriteString(p.Text)
		}
	}
	return text.String()
}

func finish(s string) llm.FinishReason {
	switch s {
	case "STOP":
		return llm.Stopped
	case "MAX_TOKENS":
		return llm.Cut
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII":
		return llm.Declined
	}
	return llm.FinishReason(s)
}

func (m *Model) call(ctx context.Context, req llm.Request, _ *llm.Schema) (llm.Reply, error) {
	var in response
	var out llm.Reply
	if err := m.server.Post(ctx, m.path+":generateContent", newRequest(req), &in); err != nil {
		return out, badKey(err)
	}
	out.Text = in.fill(&out)
	if len(in.Candidates) == 0 && out.FinishReason == "" {
		return out, lukasa.Errorf(lukasa.CodeExternal, "server answered no candidate")
	}
	return out, nil
}

func (m *Model) stream(ctx context.Context, req llm.Request, _ *llm.Schema, yield func(string) error) (llm.Reply, error) {
	var out llm.Reply
	err := m.server.Events(ctx, m.path+":streamGenerateContent?alt=sse", newRequest(req), func(e wire.Event) error {
		var in response
		if err := llm.Piece(e.Data, &in); err != nil {
			return err
		}
		if len(in.Error) > 0 {
			var e struct {
				Code int `json:"code"`
			}
			_ = json.Unmarshal(in.Error, &e) // no code means that the server is unable
			return llm.StreamError(e.Code, in.Error)
		}
		return yield(in.fill(&out))
	})
	if err == nil && out.FinishReason == "" {
		err = llm.Unfinished()
	}
	return out, badKey(err)
}

// badKey turns the 400 of a bad key into what it is.
func badKey(err error) error {
	var w *wire.Error
	if errors.As(err, &w) && w.Status == http.StatusBadRequest && strings.Contains(w.Msg, "API key not valid") {
		w.Kind, w.Hint = wire.Refused, "check the key of the model server"
	}
	return err
}
