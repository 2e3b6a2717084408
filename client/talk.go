package client

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// BriefRequest asks for recalled text that fits into a prompt.
type BriefRequest struct {
	Query      string
	Containers []lukasa.Pattern
	MaxTokens  int        // o200k tokens of the whole text, 1-100,000; 0 means 8,000
	Floor      float64    // hits of less relevance are left out, 0..1; 0 leaves it to the server, negative: none
	Session    string     // a name of the caller's: what it was given it is not given again, for a day
	Fresh      bool       // forget what the session was given
	NoDefining bool       // without decisions, milestones, events and turning points
	From       *time.Time // of what happened, was said or is dated at or after this
	To         *time.Time // before this
	AsOf       *time.Time // of what had been saved by then
	ValidAt    *time.Time // of memories that were true then, alone
}

// Brief is recalled text for a prompt, signed so that it is not taken for something new when it comes back.
type Brief struct {
	Text     string     `json:"text"`   // "" when nothing is relevant enough, new and small enough
	Tokens   int        `json:"tokens"` // of Text
	Hits     []BriefHit `json:"hits"`   // in the order of Text
	Left     []LeftOut  `json:"left_out"`
	Message  string     `json:"message,omitempty"`  // why there is no text
	Degraded string     `json:"degraded,omitempty"` // what was not used, and why
	// Meant lists the people that the query names by a role, like "our daughter", as far as they are known.
	Meant []lukasa.Meant `json:"meant,omitempty"`
}

// BriefHit is a hit in a brief.
type BriefHit struct {
	Mark      int              `json:"mark"` // [1] in the text
	ID        lukasa.ID        `json:"id"`
	Type      lukasa.EntryType `json:"type"`
	Relevance float64          `json:"relevance"`
	Container lukasa.Path      `json:"container"`
	Document  lukasa.ID        `json:"document_id,omitempty"`
	Message   string           `json:"message_id,omitempty"`
	Title     string           `json:"title,omitempty"` // of the document, conversation or kind of memory
	When      time.Time        `json:"when"`
	Defining  bool             `json:"defining,omitempty"`
	Long      bool             `json:"long,omitempty"`    // with its whole text
	Clipped   bool             `json:"clipped,omitempty"` // only its beginning
}

// LeftOut is a hit that is not in a brief: floor, given, duplicate, budget, limit, empty, quarantined or candidate says why.
type LeftOut struct {
	ID     lukasa.ID `json:"id"`
	Reason string    `json:"reason"`
}

// Brief packs what is relevant to a query into a budget of tokens.
func (c *Client) Brief(ctx context.Context, in BriefRequest) (Brief, error) {
	body := struct {
		Query      string     `json:"query"`
		Containers []string   `json:"containers,omitempty"`
		MaxTokens  int        `json:"max_tokens,omitempty"`
		Floor      *float64   `json:"floor,omitempty"`
		Session    string     `json:"session,omitempty"`
		Fresh      bool       `json:"fresh,omitempty"`
		Defining   *bool      `json:"include_defining,omitempty"`
		From       *time.Time `json:"from,omitempty"`
		To         *time.Time `json:"to,omitempty"`
		AsOf       *time.Time `json:"as_of,omitempty"`
		ValidAt    *time.Time `json:"valid_at,omitempty"`
	}{
		Query: in.Query, MaxTokens: in.MaxTokens, Session: in.Session, Fresh: in.Fresh, From: in.From, To: in.To, AsOf: in.AsOf, ValidAt: in.ValidAt,
	}
	body.Containers, _ = patternsOf(in.Containers)
	if in.Floor != 0 {
		body.Floor = new(max(in.Floor, 0))
	}
	if in.NoDefining {
		body.Defining = new(false)
	}
	return ask[Brief](ctx, c, call{method: http.MethodPost, path: "/v1/brief", body: body})
}

// ProfileRequest asks what is known about whom or what a container is about.
type ProfileRequest struct {
	Container string // none: everything that the key may read
	Query     string
	AsOf      *time.Time
	ValidAt   *time.Time // made of what was true then
	MaxTokens int        // of all lines together; 0 means no bound
}

// Profile is what is known: facts that hold, what happened lately, and what is relevant to a query.
type Profile struct {
	Container lukasa.Path  `json:"container"`
	Static    []string     `json:"static_facts"`
	Recent    []string     `json:"recent_context"`
	Relevant  []lukasa.Hit `json:"relevant_memories"`
	Sources   []lukasa.ID  `json:"sources"` // the memories behind Static, then those behind Recent
}

// Profile returns what is known.
func (c *Client) Profile(ctx context.Context, in ProfileRequest) (Profile, error) {
	q := params("container", in.Container, "query", in.Query)
	for name, t := range map[string]*time.Time{"as_of": in.AsOf, "valid_at": in.ValidAt} {
		if t != nil {
			q.Set(name, t.UTC().Format(time.RFC3339Nano))
		}
	}
	if in.MaxTokens != 0 {
		q.Set("max_tokens", strconv.Itoa(in.MaxTokens))
	}
	return ask[Profile](ctx, c, call{method: http.MethodGet, path: "/v1/profile", query: q})
}

// params makes query parameters of names and values; empty values are left out.
func params(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

// ChatRequest is a message to the configured model, which answers with what is remembered.
type ChatRequest struct {
	ID           string         `json:"id,omitempty"` // the caller's own id of the message: the same again is logged once and answered once
	Message      string         `json:"message"`
	Conversation string         `json:"conversation,omitempty"` // its name, or its id (conv_…); "" means chat
	Container    string         `json:"container,omitempty"`
	Speaker      string         `json:"speaker,omitempty"`
	Session      string         `json:"session,omitempty"`
	Model        string         `json:"model,omitempty"` // "" is the one that is configured
	System       string         `json:"system_prompt,omitempty"`
	Memories     *bool          `json:"include_memories,omitempty"` // nil means true
	Options      *MemoryOptions `json:"memory_options,omitempty"`
}

// MemoryOptions say what of the past a chat may see.
type MemoryOptions struct {
	Max      int        `json:"max_memories,omitempty"` // 0 means 20
	Tokens   int        `json:"token_budget,omitempty"` // at most; 0 means min(25 % of what is free, 8,000)
	Defining *bool      `json:"include_defining,omitempty"`
	Range    *TimeRange `json:"time_range,omitempty"`
}

// TimeRange is a stretch of time; either end may be open.
type TimeRange struct {
	Start *time.Time `json:"start,omitempty"`
	End   *time.Time `json:"end,omitempty"`
}

// ChatReply is the model's answer with what it rests on.
type ChatReply struct {
	ID       lukasa.ID    `json:"id"` // of the answer, as a message
	Response string       `json:"response"`
	Model    string       `json:"model"`
	Memories []MemoryUsed `json:"memories_used"`
	Usage    ChatUsage    `json:"usage"`
	LoggedTo lukasa.ID    `json:"logged_to"` // the recall file
	Log      ChatLog      `json:"log"`
	Finish   string       `json:"finish_reason,omitempty"` // stop, length or declined
	Replayed bool         `json:"replayed,omitempty"`      // the answer that this message had before
	Degraded string       `json:"degraded,omitempty"`
}

// MemoryUsed is a record that the model was shown.
type MemoryUsed struct {
	RecallFile lukasa.ID        `json:"recall_file_id"` // the recall file or document that it stands in; "" for what was noted by hand
	Topic      string           `json:"topic"`
	Date       string           `json:"date"` // YYYY-MM-DD
	Relevance  float64          `json:"relevance_score"`
	ID         lukasa.ID        `json:"id"`
	Type       lukasa.EntryType `json:"type"`
}

// ChatUsage counts tokens: of the prompt and the answer in the model's own, of what was recalled in o200k.
type ChatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Memory     int `json:"memory_tokens"`
}

// ChatLog says where an exchange was kept.
type ChatLog struct {
	RecallFile     lukasa.ID   `json:"recall_file_id"`
	Conversation   string      `json:"conversation"`
	ConversationID lukasa.ID   `json:"conversation_id"`
	Container      lukasa.Path `json:"container"`
	Message        lukasa.ID   `json:"message_id"` // the user's
	Tokens         int         `json:"tokens_logged"`
	Total          int         `json:"total_tokens"` // of the recall file so far
	Error          string      `json:"error,omitempty"`
}

// Chat asks the model. With a delta the answer is handed on as it is written; an error of delta ends it and is returned. A
// message without an id gets one, so that it is kept once however often the call has to be made.
func (c *Client) Chat(ctx context.Context, in ChatRequest, delta func(string) error) (ChatReply, error) {
	if in.ID == "" {
		in.ID = "chat-" + strings.ToLower(rand.Text())
	}
	raw, err := json.Marshal(struct {
		ChatRequest
		Stream bool `json:"stream,omitempty"`
	}{in, delta != nil})
	if err != nil {
		return ChatReply{}, err
	}
	// A model that is away stays so for longer than somebody waits.
	to := call{method: http.MethodPost, path: "/v1/chat", raw: raw, typ: "application/json", once: true}
	if delta == nil {
		return ask[ChatReply](ctx, c, to)
	}
	body, err := c.do(ctx, to)
	if err != nil {
		return ChatReply{}, err
	}
	defer body.Close()
	return c.listen(body, delta)
}

// listen reads the events of an answer to its end.
func (c *Client) listen(body io.Reader, delta func(string) error) (ChatReply, error) {
	broken := &lukasa.Error{Code: lukasa.CodeExternal, Msg: "the answer of the server at " + c.base + " broke off"}
	lines := bufio.NewScanner(io.LimitReader(body, maxAnswer))
	lines.Buffer(nil, maxAnswer)
	for event := ""; lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			event = name
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		switch event {
		case "delta":
			var d struct {
				Text string `json:"text"`
			}
			if json.Unmarshal([]byte(data), &d) != nil {
				return ChatReply{}, broken
			}
			if err := delta(d.Text); err != nil {
				return ChatReply{}, err
			}
		case "done":
			var out ChatReply
			if json.Unmarshal([]byte(data), &out) != nil {
				return ChatReply{}, broken
			}
			return out, nil
		case "error":
			e := decodeError(http.StatusBadGateway, []byte(data))
			e.Err = ticketOf(http.StatusOK, []byte(data), nil)
			return ChatReply{}, e
		}
	}
	if err := lines.Err(); err != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return ChatReply{}, err
	}
	return ChatReply{}, broken
}
