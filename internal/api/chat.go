package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type chatBody struct {
	Message         string      `json:"message"`
	ID              string      `json:"id,omitempty" doc:"your own id of the message: the same again is logged once and answered once"`
	Model           string      `json:"model,omitempty" doc:"a model of the configured provider; none: the configured one"`
	IncludeMemories *bool       `json:"include_memories,omitempty" doc:"default true"`
	MemoryOptions   *memoryOpts `json:"memory_options,omitempty"`
	SystemPrompt    string      `json:"system_prompt,omitempty"`
	Stream          bool        `json:"stream,omitempty" doc:"answer with server-sent events: delta, then done or error"`
	Conversation    string      `json:"conversation,omitempty" doc:"your own name for the conversation, default chat; made if it is new"`
	ConversationID  string      `json:"conversation_id,omitempty" doc:"its id, instead"`
	Container       string      `json:"container,omitempty" doc:"where it is kept; all that the key may read is recalled"`
	Speaker         string      `json:"speaker,omitempty" doc:"who says it"`
	Session         string      `json:"session,omitempty"`
}

type memoryOpts struct {
	MaxMemories     int        `json:"max_memories,omitempty" doc:"1-200, default 20"`
	TokenBudget     int        `json:"token_budget,omitempty" doc:"at most; default min(25 % of what is free in the model's window, 8,000)"`
	IncludeDefining *bool      `json:"include_defining,omitempty" doc:"default true"`
	TimeRange       *dateRange `json:"time_range,omitempty"`
}

func (b chatBody) request() (engine.ChatRequest, error) {
	r := engine.ChatRequest{
		ID: b.ID, Message: b.Message, Conversation: b.Conversation, Container: b.Container, Speaker: b.Speaker, Session: b.Session, Model: b.Model,
		System: b.SystemPrompt, Memories: b.IncludeMemories,
	}
	if b.ConversationID != "" {
		id, err := ID("conversation_id", lukasa.PrefixConversation, b.ConversationID)
		if err != nil {
			return r, err
		}
		if b.Conversation != "" {
			return r, lukasa.Invalid("conversation_id", "is given beside conversation: give one of the two")
		}
		r.Conversation = string(id)
	}
	if o := b.MemoryOptions; o != nil {
		r.Options = &engine.MemoryOptions{Max: o.MaxMemories, Tokens: o.TokenBudget, Defining: o.IncludeDefining}
		if o.TimeRange != nil {
			r.Options.Range = &engine.TimeRange{Start: o.TimeRange.Start.ptr(), End: o.TimeRange.End.ptr()}
		}
	}
	return r, nil
}

// chatMargin is what a chat may take beyond the model's answer.
const chatMargin = 15 * time.Second

func (d *door) chats() {
	schema := d.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[engine.ChatReply](), true, "")
	huma.Register(d.api, huma.Operation{
		OperationID: "chat", Method: http.MethodPost, Path: "/v1/chat", Summary: "Ask the configured model with what is remembered; the exchange is kept",
		Description: "The message is durable before the model is asked. When the model fails the answer is 502 or 503, and details say under which id the message is kept. " +
			"Where none is configured it is 400, and the error names the setting.\n\n" +
			"With stream the answer comes as server-sent events: `delta` with `{\"text\"}` for each piece, then `done` with the same object that an answer without stream has, " +
			"or `error` in the shape of every error. A failure before the first piece is an answer with its status.",
		Tags: []string{"chat"}, MaxBodyBytes: d.opt.MaxBody, BodyReadTimeout: d.opt.Timeout,
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{
			"application/json": {Schema: schema}, "text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}},
		}}},
	}, func(ctx context.Context, in *struct{ Body chatBody }) (*huma.StreamResponse, error) {
		req, err := in.Body.request()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) { d.talk(ctx, hc, req, in.Body.Stream) }}, nil
	})
}

// talk asks the model and answers in one of the two ways. It may take longer than other requests.
func (d *door) talk(ctx context.Context, hc huma.Context, req engine.ChatRequest, stream bool) {
	long := d.e.Config().LLMTimeout + chatMargin
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	_, w := humago.Unwrap(hc)
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Time{}) // it has been read
	_ = rc.SetWriteDeadline(time.Now().Add(long))
	if stream {
		d.stream(ctx, w, req)
		return
	}
	out, err := d.e.Chat(ctx, scope(ctx), req, nil)
	if err != nil {
		refuse(w, d.unanswered(ctx, out, err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = encoder(w).Encode(out)
}

// unanswered words why there is no answer, and where the message is kept all the same.
func (d *door) unanswered(ctx context.Context, out engine.ChatReply, err error) *Fault {
	p := d.problem(ctx, err)
	if out.Log.Message != "" {
		p.Body.Details["message_id"] = out.Log.Message
		p.Body.Details["conversation_id"] = out.Log.ConversationID
		p.Body.Details["recall_file_id"] = out.LoggedTo
		if out.Response != "" {
			p.Body.Details["partial_answer_id"] = out.ID
		}
	}
	return p
}

// refuse answers with an error.
func refuse(w http.ResponseWriter, p *Fault) {
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.GetStatus())
	_ = encoder(w).Encode(p)
}

func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// stream answers with server-sent events. Its status stands only once there is something to send.
func (d *door) stream(ctx context.Context, w http.ResponseWriter, req engine.ChatRequest) {
	rc := http.NewResponseController(w)
	begun := false
	send := func(event string, v any) error {
		if !begun {
			begun = true
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Cache-Control", "no-store")
			w.Header().Set("X-Accel-Buffering", "no")
		}
		var data bytes.Buffer
		if err := encoder(&data).Encode(v); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, strings.TrimSuffix(data.String(), "\n")); err != nil {
			return err
		}
		return rc.Flush()
	}
	out, err := d.e.Chat(ctx, scope(ctx), req, func(text string) error { return send("delta", map[string]string{"text": text}) })
	switch {
	case err == nil:
		_ = send("done", out)
	case begun:
		_ = send("error", d.unanswered(ctx, out, err))
	default:
		refuse(w, d.unanswered(ctx, out, err))
	}
}
