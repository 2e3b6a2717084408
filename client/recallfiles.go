package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// RecallFileQuery narrows a listing of recall files. Zero fields do not narrow.
type RecallFileQuery struct {
	Containers   []lukasa.Pattern
	Conversation lukasa.ID
	Status       []string  // active, finalized, archived
	Topic        string    // a part of it, or about how it is spelled
	Sort         string    // created_at (the default), updated_at, last_accessed_at
	Oldest       bool      // ascending
	At           time.Time // as they were then; the zero time is now
}

// RecallFile is a stretch of a conversation with what was made of it. The texts are there when they are asked for.
type RecallFile struct {
	ID             lukasa.ID          `json:"id"`
	Folder         string             `json:"folder_name"`
	Topic          string             `json:"topic"`
	Status         string             `json:"status"`        // active, finalized, archived
	Storage        string             `json:"storage_state"` // hot, warm, cold
	Container      lukasa.Path        `json:"container"`
	Conversation   string             `json:"conversation"`
	Title          string             `json:"conversation_title,omitempty"` // what people are shown instead, where it is called something
	ConversationID lukasa.ID          `json:"conversation_id"`
	Previous       lukasa.ID          `json:"previous_id,omitempty"`
	Trigger        string             `json:"trigger,omitempty"` // why it ended
	Detail         string             `json:"trigger_detail,omitempty"`
	Tokens         int                `json:"token_count"`
	Messages       int                `json:"message_count"`
	CreatedAt      time.Time          `json:"created_at"`
	FinalizedAt    *time.Time         `json:"finalized_at,omitempty"`
	AccessedAt     *time.Time         `json:"last_accessed_at,omitempty"`
	Description    string             `json:"description,omitempty"` // the summary as running text
	Summary        string             `json:"summary,omitempty"`     // summary.md
	Keywords       []string           `json:"keywords,omitempty"`
	Frequencies    []KeywordFrequency `json:"keyword_frequencies,omitempty"`
	Transcript     string             `json:"transcript,omitempty"` // transcript.md
	Artifacts      []Artifact         `json:"artifacts,omitempty"`
	Linked         []LinkedNode       `json:"linked_nodes,omitempty"`
}

// KeywordFrequency says how often a keyword is said.
type KeywordFrequency struct {
	Keyword   string `json:"keyword"`
	Frequency int    `json:"frequency"`
}

// Artifact is a file that was made or handed over in a conversation. One with a URL is elsewhere: its bytes are not kept.
type Artifact struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size int64  `json:"size"` // bytes; of one that is elsewhere as the message says, 0 where it does not
	URL  string `json:"url,omitempty"`
}

// LinkedNode is a container, or someone or something, that a recall file hangs together with.
type LinkedNode struct {
	ID   lukasa.ID `json:"id"`
	Name string    `json:"name"`
	Type string    `json:"type"`
}

// RecallFiles lists recall files, newest first, without their texts.
func (c *Client) RecallFiles(ctx context.Context, f RecallFileQuery, p lukasa.Page) (lukasa.Listing[RecallFile], error) {
	q := moment(query(f.Containers, p), f.At)
	for name, v := range map[string]string{"status": strings.Join(f.Status, ","), "topic": f.Topic, "conversation_id": string(f.Conversation), "sort": f.Sort} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if f.Oldest {
		q.Set("order", "asc")
	}
	return ask[lukasa.Listing[RecallFile]](ctx, c, call{method: http.MethodGet, path: "/v1/recall-files", query: q})
}

// RecallFile returns one recall file with those of its parts that are asked for: summary, keywords, transcript, artifacts.
func (c *Client) RecallFile(ctx context.Context, id lukasa.ID, include ...string) (RecallFile, error) {
	return c.RecallFileAt(ctx, id, time.Time{}, include...)
}

// RecallFileAt is RecallFile as it was at a moment.
func (c *Client) RecallFileAt(ctx context.Context, id lukasa.ID, as time.Time, include ...string) (RecallFile, error) {
	q := moment(params("include", strings.Join(include, ",")), as)
	return ask[RecallFile](ctx, c, call{method: http.MethodGet, path: at("/v1/recall-files/", string(id)), query: q})
}

// Artifact opens an artifact of a recall file, which the caller closes.
func (c *Client) Artifact(ctx context.Context, id lukasa.ID, name string) (io.ReadCloser, error) {
	return c.do(ctx, call{method: http.MethodGet, path: at("/v1/recall-files/", string(id)) + at("/artifacts/", name)})
}

// EndConversation ends what is open of a conversation, named by its id or, in a container, by its name, and returns its
// newest recall file.
func (c *Client) EndConversation(ctx context.Context, idOrName, container string) (RecallFile, error) {
	return ask[RecallFile](ctx, c, call{method: http.MethodPost, path: at("/v1/conversations/", idOrName) + "/end", query: params("container", container)})
}

// PatchConversation changes title, labels, facts or forget_after of a conversation, named as [Client.ConversationNamed] takes it, and moves
// it into the container to, unless that is "": with all that was said in it, its recall files, and the memories that nothing else tells of.
// A container that has a conversation of its name is a conflict.
func (c *Client) PatchConversation(ctx context.Context, idOrName, container string, in lukasa.DocumentPatch, to string) (lukasa.Conversation, error) {
	b := documentPatch(in)
	if to != "" {
		b["container"] = to
	}
	return ask[lukasa.Conversation](ctx, c, call{method: http.MethodPatch, path: at("/v1/conversations/", idOrName), query: params("container", container), body: b})
}

// DefiningQuery narrows a listing of defining memories. Zero fields do not narrow.
type DefiningQuery struct {
	Containers []lukasa.Pattern
	Kinds      []lukasa.MemoryKind // decision, milestone, event, turning_point
	Since      *time.Time          // by when it happened
	Superseded bool                // those too that something newer took the place of
	At         time.Time           // as they were known then; the zero time is now
	ValidAt    *time.Time          // only those that were true then, superseded or not
}

// DefiningMemory is a moment that shapes what comes after it.
type DefiningMemory struct {
	ID         lukasa.ID         `json:"id"`
	Type       lukasa.MemoryKind `json:"type"`
	Summary    string            `json:"summary"`
	Context    string            `json:"context"` // what was said around it
	DetectedAt time.Time         `json:"detected_at"`
	OccurredAt *time.Time        `json:"occurred_at,omitempty"`
	RecallFile lukasa.ID         `json:"source_recall_file_id,omitempty"`
	Message    lukasa.ID         `json:"source_message_id,omitempty"`
	Container  lukasa.Path       `json:"container"`
	Tags       []string          `json:"tags"`
	Confidence float64           `json:"confidence"`
	IsLatest   bool              `json:"is_latest"`
}

// DefiningMemories lists decisions, milestones, events and turning points, newest first.
func (c *Client) DefiningMemories(ctx context.Context, f DefiningQuery, p lukasa.Page) (lukasa.Listing[DefiningMemory], error) {
	q := moment(query(f.Containers, p), f.At)
	var kinds []string
	for _, k := range f.Kinds {
		kinds = append(kinds, string(k))
	}
	if len(kinds) > 0 {
		q.Set("type", strings.Join(kinds, ","))
	}
	if f.Since != nil {
		q.Set("since", f.Since.UTC().Format(time.RFC3339Nano))
	}
	if f.ValidAt != nil {
		q.Set("valid_at", f.ValidAt.UTC().Format(time.RFC3339Nano))
	}
	if f.Superseded {
		q.Set("superseded", "true")
	}
	return ask[lukasa.Listing[DefiningMemory]](ctx, c, call{method: http.MethodGet, path: "/v1/defining-memories", query: q})
}

// MessageContext is a message with what was said around it, oldest first, across the bounds of segments.
type MessageContext struct {
	Message lukasa.Message   `json:"message"`
	Before  []lukasa.Message `json:"before"`
	After   []lukasa.Message `json:"after"`
}

// MessageContext returns what was said before and after a message, 0 to 100 messages each.
func (c *Client) MessageContext(ctx context.Context, id lukasa.ID, before, after int) (MessageContext, error) {
	return c.messageContext(ctx, id, before, after, time.Time{})
}

func (c *Client) messageContext(ctx context.Context, id lukasa.ID, before, after int, as time.Time) (MessageContext, error) {
	q := moment(url.Values{"before": {strconv.Itoa(before)}, "after": {strconv.Itoa(after)}}, as)
	return ask[MessageContext](ctx, c, call{method: http.MethodGet, path: at("/v1/messages/", string(id)) + "/context", query: q})
}
