package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// AddMemory keeps one statement as it is given.
func (c *Client) AddMemory(ctx context.Context, in lukasa.NewMemory) (lukasa.Memory, error) {
	return ask[lukasa.Memory](ctx, c, call{method: http.MethodPost, path: "/v1/memories", body: in})
}

// Memory returns one memory.
func (c *Client) Memory(ctx context.Context, id lukasa.ID) (lukasa.Memory, error) {
	return ask[lukasa.Memory](ctx, c, call{method: http.MethodGet, path: at("/v1/memories/", string(id))})
}

// query builds the parameters of a listing.
func query(in []lukasa.Pattern, p lukasa.Page) url.Values {
	q := url.Values{}
	if places, _ := patternsOf(in); len(places) > 0 {
		q.Set("container", strings.Join(places, ","))
	}
	if p.Cursor != "" {
		q.Set("cursor", p.Cursor)
	}
	for name, n := range map[string]int{"limit": p.Limit, "offset": p.Offset} {
		if n != 0 {
			q.Set(name, strconv.Itoa(n))
		}
	}
	return q
}

// Memories lists memories, newest first. Tags, topics, names and relations with a comma cannot be asked for.
func (c *Client) Memories(ctx context.Context, f lukasa.MemoryFilter, p lukasa.Page) (lukasa.Listing[lukasa.Memory], error) {
	return c.memories(ctx, memoryQuery(f, p))
}

func (c *Client) memories(ctx context.Context, q url.Values) (lukasa.Listing[lukasa.Memory], error) {
	return ask[lukasa.Listing[lukasa.Memory]](ctx, c, call{method: http.MethodGet, path: "/v1/memories", query: q})
}

// memoryQuery builds the parameters of a listing of memories.
func memoryQuery(f lukasa.MemoryFilter, p lukasa.Page) url.Values {
	q := query(f.Containers, p)
	var kinds []string
	for _, k := range f.Kinds {
		kinds = append(kinds, string(k))
	}
	for name, v := range map[string]string{
		"kind": strings.Join(kinds, ","), "tag": strings.Join(f.Tags, ","), "document_id": string(f.Document), "slot": f.Slot, "subject": f.Subject,
		"topic": strings.Join(f.Topics, ","), "entity": strings.Join(f.Entities, ","), "relation": strings.Join(f.Relations, ","),
	} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if f.State != nil {
		q.Set("state", cmp.Or(*f.State, "active"))
	}
	if f.Latest != nil {
		q.Set("latest", strconv.FormatBool(*f.Latest))
	}
	for name, t := range map[string]*time.Time{
		"from": f.After, "to": f.Before, "created_from": f.CreatedFrom, "created_to": f.CreatedUntil,
		"valid_at": f.ValidAt, "valid_from": f.ValidFrom, "valid_to": f.ValidTo,
	} {
		if t != nil {
			q.Set(name, t.UTC().Format(time.RFC3339Nano))
		}
	}
	return q
}

// PatchMemory changes a memory's descriptors.
func (c *Client) PatchMemory(ctx context.Context, id lukasa.ID, in lukasa.MemoryPatch) (lukasa.Memory, error) {
	b := patchBody(in.Metadata, in.ForgetAfter, in.ClearForget)
	if in.Kind != nil {
		b["kind"] = *in.Kind
	}
	if in.Confidence != nil {
		b["confidence"] = *in.Confidence
	}
	if in.Tags != nil {
		b["tags"] = *in.Tags
	}
	if in.State != nil {
		b["state"] = *in.State
	}
	return ask[lukasa.Memory](ctx, c, call{method: http.MethodPatch, path: at("/v1/memories/", string(id)), body: b})
}

// DeleteMemory removes a memory for good.
func (c *Client) DeleteMemory(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return c.remove(ctx, "/v1/memories/", string(id))
}

// Append adds messages to a conversation, which is made if it is new, and returns one result a message. A single message that
// contradicts what is there is [lukasa.CodeConflict].
func (c *Client) Append(ctx context.Context, in lukasa.Append) (lukasa.Conversation, []lukasa.AppendResult, error) {
	out, err := ask[struct {
		Conversation   string                `json:"conversation"`
		ConversationID lukasa.ID             `json:"conversation_id"`
		DocumentID     lukasa.ID             `json:"document_id"`
		Container      lukasa.Path           `json:"container"`
		Tokens         int                   `json:"total_tokens"`
		Items          []lukasa.AppendResult `json:"items"`
	}](ctx, c, call{method: http.MethodPost, path: "/v1/messages", body: in})
	return lukasa.Conversation{ID: out.ConversationID, ExternalID: out.Conversation, Document: out.DocumentID, Path: out.Container, Tokens: out.Tokens}, out.Items, err
}

// Conversations lists conversations, the one with the newest message first.
func (c *Client) Conversations(ctx context.Context, in []lukasa.Pattern, p lukasa.Page) (lukasa.Listing[lukasa.Conversation], error) {
	return ask[lukasa.Listing[lukasa.Conversation]](ctx, c, call{method: http.MethodGet, path: "/v1/conversations", query: query(in, p)})
}

// Conversation returns one conversation.
func (c *Client) Conversation(ctx context.Context, id lukasa.ID) (lukasa.Conversation, error) {
	return ask[lukasa.Conversation](ctx, c, call{method: http.MethodGet, path: at("/v1/conversations/", string(id))})
}

// ConversationNamed returns a conversation by its id or by your own name for it: that of one that stands or was begun in the container, or, for "", of the only
// one that the key may read; several are a conflict.
func (c *Client) ConversationNamed(ctx context.Context, idOrName, container string) (lukasa.Conversation, error) {
	return Past{Client: c}.ConversationNamed(ctx, idOrName, container)
}

// Messages lists a conversation's messages in order.
func (c *Client) Messages(ctx context.Context, id lukasa.ID, p lukasa.Page) (lukasa.Listing[lukasa.Message], error) {
	return ask[lukasa.Listing[lukasa.Message]](ctx, c, call{method: http.MethodGet, path: at("/v1/conversations/", string(id)) + "/messages", query: query(nil, p)})
}

// Nodes lists the containers that the patterns name, all for none, with their counts.
func (c *Client) Nodes(ctx context.Context, in []lukasa.Pattern) ([]lukasa.Node, error) {
	return items[lukasa.Node](ctx, c, "/v1/nodes", query(in, lukasa.Page{}))
}

// Node returns the container with an id or at a path.
func (c *Client) Node(ctx context.Context, idOrPath string) (lukasa.Node, error) {
	return ask[lukasa.Node](ctx, c, call{method: http.MethodGet, path: at("/v1/nodes/", idOrPath)})
}

// CreateNode makes a container; one that is there already is a conflict.
func (c *Client) CreateNode(ctx context.Context, in lukasa.NewNode) (lukasa.Node, error) {
	return ask[lukasa.Node](ctx, c, call{method: http.MethodPost, path: "/v1/nodes", body: in})
}

// DeleteNode removes a container with everything in it for good.
func (c *Client) DeleteNode(ctx context.Context, id lukasa.ID) (lukasa.Removal, error) {
	return c.remove(ctx, "/v1/nodes/", string(id))
}
