package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/token"
)

type newMessage struct {
	ID       string         `json:"id,omitempty" doc:"your own id; the same id and content again changes nothing"`
	Role     string         `json:"role,omitempty"`
	Speaker  string         `json:"speaker,omitempty"`
	Content  content        `json:"content"`
	Time     *moment        `json:"time,omitempty"`
	Session  string         `json:"session,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`

	ForgetAfter *moment `json:"forget_after,omitempty" doc:"a time to come; the message is removed for good then"`
}

// content is what a message says: a text, or a list of parts, as APIs of models have it.
type content struct {
	text  string
	wrong *lukasa.Error // with the part at fault as its field
}

// UnmarshalJSON reads a text or a list of parts. What a part has wrong is kept for [content.Resolve], as in a [moment].
func (c *content) UnmarshalJSON(b []byte) (err error) {
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, &c.text)
	}
	c.text, c.wrong = Parts(b)
	return nil
}

// Resolve names the part at fault.
func (c *content) Resolve(_ huma.Context, at *huma.PathBuffer) []error {
	if c.wrong == nil {
		return nil
	}
	return []error{&huma.ErrorDetail{Location: at.String() + c.wrong.Field, Message: c.wrong.Msg}}
}

// Schema describes the field. What stands in a part is checked as it is read.
func (content) Schema(huma.Registry) *huma.Schema {
	part := &huma.Schema{Description: "a text, or an object whose type is text, input_text or output_text, and whose text is one"}
	return &huma.Schema{
		Description: "a text, or a list of parts, which are kept as one text, a line each",
		AnyOf:       []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeArray, Items: part}},
		Examples:    []any{"I live in Lyon.", []any{map[string]any{"type": "text", "text": "I live in Lyon."}}},
	}
}

type appendBody struct {
	Container    string       `json:"container,omitempty"`
	Conversation string       `json:"conversation" doc:"your own name for the conversation; made if it is new"`
	Messages     []newMessage `json:"messages"`
	Replace      bool         `json:"replace,omitempty" doc:"other content under a known id replaces it"`

	ForgetAfter *moment `json:"forget_after,omitempty" doc:"a time to come; the whole conversation is removed for good then"`
}

func (b appendBody) request() lukasa.Append {
	req := lukasa.Append{Container: b.Container, Conversation: b.Conversation, Replace: b.Replace, ForgetAfter: b.ForgetAfter.ptr()}
	for _, m := range b.Messages {
		req.Messages = append(req.Messages, lukasa.NewMessage{
			ExternalID: m.ID, Role: m.Role, Speaker: m.Speaker, Content: m.Content.text, Time: m.Time.clock(),
			Session: m.Session, Metadata: m.Metadata, ForgetAfter: m.ForgetAfter.ptr(),
		})
	}
	return req
}

type appended struct {
	Conversation   string                `json:"conversation"`
	ConversationID lukasa.ID             `json:"conversation_id"`
	DocumentID     lukasa.ID             `json:"document_id"`
	Container      lukasa.Path           `json:"container"`
	RecallFileID   lukasa.ID             `json:"recall_file_id" doc:"the stretch of the conversation that is open now; the same as document_id"`
	Logged         int                   `json:"logged"`
	Tokens         int                   `json:"tokens_logged" doc:"of the messages that are new or replaced, estimated"`
	Total          int                   `json:"total_tokens" doc:"of the open stretch so far"`
	Items          []lukasa.AppendResult `json:"items"`
}

func (d *door) messages() {
	const tag = "conversations"
	add(d, "POST", "/v1/messages", "append-messages", "Append messages to a conversation", tag, func(ctx context.Context, in *struct{ Body appendBody }) (*answer[appended], error) {
		c, results, err := d.e.Append(ctx, scope(ctx), in.Body.request())
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		out := appended{Conversation: c.ExternalID, ConversationID: c.ID, DocumentID: c.Document, Container: c.Path, RecallFileID: c.Document, Total: c.Tokens, Items: results}
		status := http.StatusOK
		for i, r := range results {
			if r.Status == "logged" || r.Status == "replaced" {
				out.Logged++
				out.Tokens += token.Estimate(in.Body.Messages[i].Content.text)
				status = http.StatusCreated
			}
		}
		if len(results) == 1 && results[0].Status == "conflict" {
			return nil, d.fail(ctx, &lukasa.Error{Code: lukasa.CodeConflict, Field: "messages[0].id", Msg: results[0].Error})
		}
		return &answer[appended]{Status: status, Body: out}, nil
	})
	add(d, "GET", "/v1/conversations", "list-conversations", "List conversations, the one with the newest message first", tag, func(ctx context.Context, in *struct {
		Paging
		Then
		Container string `query:"container"`
	},
	) (*answer[lukasa.Listing[lukasa.Conversation]], error) {
		pats, err := Places(List(in.Container), false)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		at, err := in.at()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.Conversations(ctx, scope(ctx), pats, in.page(), at)
		return reply(ctx, d, l, err)
	})
	add(d, "GET", "/v1/conversations/{id}", "get-conversation", "One conversation", tag, func(ctx context.Context, in *struct {
		Named
		Then
	},
	) (*answer[lukasa.Conversation], error) {
		c, _, err := d.conversation(ctx, in.Named, in.Then)
		return reply(ctx, d, c, err)
	})
	add(d, "PATCH", "/v1/conversations/{id}", "patch-conversation", "Change title, tags, metadata or forget_after, or move it to another container", tag, func(ctx context.Context, in *struct {
		Named
		Body ConversationPatch
	},
	) (*answer[lukasa.Conversation], error) {
		p, err := in.Body.Words()
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		c, err := d.e.PatchConversation(ctx, scope(ctx), in.ID, in.Named.Container, p, in.Body.Container)
		return reply(ctx, d, c, err)
	})
	add(d, "GET", "/v1/conversations/{id}/messages", "list-messages", "A conversation's messages in order", tag, func(ctx context.Context, in *struct {
		Named
		Paging
		Then
	},
	) (*answer[lukasa.Listing[lukasa.Message]], error) {
		c, at, err := d.conversation(ctx, in.Named, in.Then)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.Messages(ctx, scope(ctx), c.ID, in.page(), at)
		return reply(ctx, d, l, err)
	})
}

// Named is a conversation in an address.
type Named struct {
	ID        string `path:"id" doc:"id, or your own name for it"`
	Container string `query:"container" doc:"where a name is looked for"`
}

// conversation returns the conversation of an address as it was at the moment that is asked for, and that moment.
func (d *door) conversation(ctx context.Context, in Named, then Then) (lukasa.Conversation, time.Time, error) {
	at, err := then.at()
	if err != nil {
		return lukasa.Conversation{}, at, err
	}
	c, err := d.e.ConversationNamed(ctx, scope(ctx), in.ID, in.Container, at)
	return c, at, err
}
