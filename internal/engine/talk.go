package engine

import (
	"context"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/brief"
	"github.com/lukasa-memory/lukasa/internal/chat"
	"github.com/lukasa-memory/lukasa/internal/config"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// What goes in and out of briefs, profiles and chats has the shapes of the SDK, so that a door and a client never differ.
type (
	// BriefRequest asks for recalled text that fits into a prompt.
	BriefRequest = client.BriefRequest
	// Brief is recalled text for a prompt.
	Brief = client.Brief
	// BriefHit is a hit in a brief.
	BriefHit = client.BriefHit
	// ProfileRequest asks what is known.
	ProfileRequest = client.ProfileRequest
	// Profile is what is known.
	Profile = client.Profile
	// ChatRequest is a message to the configured model.
	ChatRequest = client.ChatRequest
	// ChatReply is the model's answer with what it rests on.
	ChatReply = client.ChatReply
	// MemoryOptions say what of the past a chat may see.
	MemoryOptions = client.MemoryOptions
	// TimeRange is a stretch of time.
	TimeRange = client.TimeRange
)

// plain returns a text without the briefs of ours that were pasted into it.
func (e *Engine) plain(owner lukasa.ID, s string) string {
	rest, _ := brief.Strip(s, e.auth.MarkKey(owner))
	return rest
}

// marked finds the stretches of a text that are briefs of ours.
func (e *Engine) marked(owner lukasa.ID, s string) []text.Span {
	var out []text.Span
	for _, m := range brief.Marked(s, e.auth.MarkKey(owner)) {
		if m.Verified {
			out = append(out, text.Span{Start: m.Start, End: m.End})
		}
	}
	return out
}

// talks makes the path of briefs, profiles and chats.
func (e *Engine) talks() *chat.Path {
	return chat.New(chat.Deps{
		Search: e.Search, Append: e.Append, Text: e.text, Model: e.modelNamed, Mark: e.auth.MarkKey, Plain: e.plain, Store: e.store, Cache: e.cache,
		Now: e.now, Log: e.log,
	}, chat.Options{Windows: e.windows, Timeout: e.cfg.LLMTimeout})
}

// windows are the context sizes that are set.
func (e *Engine) windows(model string) map[string]int {
	sizes, err := config.ParseWindows(e.cfg.LLMWindow)
	if n := sizes[""]; err == nil && n > 0 {
		return map[string]int{model: n}
	}
	return sizes
}

// models keeps the models that chats have named, so that each has one circuit breaker.
type models struct {
	mu   sync.Mutex
	open map[string]llm.Model
}

// maxModels bounds them; the next name starts anew.
const maxModels = 32

// modelNamed returns a model of the configured provider, the configured one for "". Chats are no work in the background: its
// budget does not count them.
func (e *Engine) modelNamed(name string) (llm.Model, error) {
	c := e.cfg
	if name != "" {
		c.LLMModel = name
	}
	e.models.mu.Lock()
	defer e.models.mu.Unlock()
	if m := e.models.open[c.LLMModel]; m != nil {
		return m, nil
	}
	m, err := openModel(c)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, &lukasa.Error{
			Code: lukasa.CodeInvalid, Field: "llm.provider", Msg: "is none, so there is no model to answer",
			Hint: "set llm.provider and llm.model (LUKASA_LLM_PROVIDER, LUKASA_LLM_MODEL); POST /v1/brief gives what is remembered to a model of your own",
		}
	}
	if len(e.models.open) >= maxModels || e.models.open == nil {
		e.models.open = map[string]llm.Model{}
	}
	m = llm.Retry(m, llm.RetryPolicy{})
	e.models.open[c.LLMModel] = m
	return m, nil
}

// Brief packs what is relevant to a query into a budget of tokens; see [chat.Path.Brief].
func (e *Engine) Brief(ctx context.Context, sc lukasa.Scope, in BriefRequest) (Brief, error) {
	if sc.Owner == "" {
		return Brief{}, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	b, err := e.chat.Brief(ctx, sc, chat.BriefRequest{
		Query: lukasa.Query{Text: in.Query, Containers: in.Containers, Filter: lukasa.During(in.From, in.To), AsOf: in.AsOf, ValidAt: in.ValidAt}, MaxTokens: in.MaxTokens, Floor: in.Floor,
		NoDefining: in.NoDefining, Session: in.Session, Fresh: in.Fresh,
	})
	if err != nil {
		return Brief{}, err
	}
	out := Brief{Text: b.Text, Tokens: b.Tokens, Hits: []BriefHit{}, Left: []client.LeftOut{}, Message: b.Message, Degraded: b.Degraded, Meant: b.Meant}
	for _, i := range b.Items {
		out.Hits = append(out.Hits, briefHit(i, b.Hits[i.Index]))
	}
	for _, l := range b.Left {
		out.Left = append(out.Left, client.LeftOut{ID: l.ID, Reason: string(l.Reason)})
	}
	return out, nil
}

func briefHit(i brief.Item, h lukasa.Hit) BriefHit {
	x := BriefHit{
		Mark: i.Mark, ID: i.ID, Type: i.Type, Relevance: i.Relevance, Container: h.Path, When: h.When(), Defining: i.Defining, Long: i.Long, Clipped: i.Clipped,
	}
	if h.Document != nil {
		x.Document, x.Title = h.Document.ID, h.Document.Title
	}
	switch {
	case h.Message != nil:
		x.Message, x.Title = h.Message.ID, h.Message.Conversation
	case h.Memory != nil:
		x.Title = string(h.Memory.Kind)
	}
	return x
}

// Profile says what is known about whom or what a container is about; see [chat.Path.Profile].
func (e *Engine) Profile(ctx context.Context, sc lukasa.Scope, in ProfileRequest) (Profile, error) {
	if sc.Owner == "" {
		return Profile{}, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	p, err := e.chat.Profile(ctx, sc, chat.ProfileRequest(in))
	return Profile(p), err
}

// Chat asks the configured model with what is remembered; see [chat.Path.Chat]. With an error the reply says what was kept.
func (e *Engine) Chat(ctx context.Context, sc lukasa.Scope, in ChatRequest, delta func(string) error) (ChatReply, error) {
	r := chat.Request{
		ID: in.ID, Message: in.Message, Conversation: in.Conversation, Container: in.Container, Speaker: in.Speaker, Session: in.Session, Model: in.Model,
		System: in.System, NoMemories: in.Memories != nil && !*in.Memories,
	}
	if o := in.Options; o != nil {
		r.Max, r.Tokens, r.NoDefining = o.Max, o.Tokens, o.Defining != nil && !*o.Defining
		if o.Range != nil {
			r.After, r.Before = o.Range.Start, o.Range.End
		}
	}
	out, err := e.chat.Chat(ctx, sc, r, delta)
	return chatReply(out), err
}

func chatReply(r chat.Reply) ChatReply {
	out := ChatReply{
		ID: r.ID, Response: r.Text, Model: r.Model, Memories: []client.MemoryUsed{}, LoggedTo: r.File, Finish: r.Finish, Replayed: r.Replayed, Degraded: r.Degraded,
		Usage: client.ChatUsage{Prompt: r.Prompt, Completion: r.Completion, Memory: r.Memory},
		Log: client.ChatLog{
			RecallFile: r.File, Conversation: r.Place.ExternalID, ConversationID: r.Place.ID, Container: r.Place.Path, Message: r.Message,
			Tokens: r.Logged, Total: r.Total, Error: r.Unlogged,
		},
	}
	for _, u := range r.Used {
		out.Memories = append(out.Memories, client.MemoryUsed{
			RecallFile: u.File, Topic: u.Topic, Date: u.Hit.When().UTC().Format(time.DateOnly), Relevance: u.Hit.Relevance, ID: u.Hit.ID, Type: u.Hit.Type,
		})
	}
	return out
}
