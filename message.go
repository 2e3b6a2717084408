package lukasa

import "time"

// Conversation is a dialogue between speakers in one node.
type Conversation struct {
	ID         ID        `json:"id"`
	Node       ID        `json:"node_id"`
	Path       Path      `json:"container"`
	ExternalID string    `json:"conversation"` // the caller's name for it
	Title      string    `json:"title"`        // what people are shown, where that is something else
	Document   ID        `json:"document_id"`  // its open segment
	Messages   int       `json:"message_count"`
	Tokens     int       `json:"tokens"` // of the open segment
	Closer     string    `json:"-"`      // what decides when the open segment closes, as its stage keeps it
	Home       ID        `json:"-"`      // the node in which it was begun without naming a container, "" where one was named
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`

	Tags        []string       `json:"tags"`
	Metadata    map[string]any `json:"metadata"`
	ForgetAfter *time.Time     `json:"forget_after,omitempty"` // it goes for good then, with all that is in it
}

// The states of a segment.
const (
	SegmentOpen      = "active"
	SegmentFinalized = "finalized"
	SegmentArchived  = "archived"
)

// Segment is a stretch of a conversation; its text, summary and keywords are those of its document. The API calls it a
// recall file once it is finalized.
type Segment struct {
	Document     ID         `json:"id"`
	Conversation ID         `json:"conversation_id"`
	Previous     ID         `json:"previous_id,omitempty"` // the segment before this
	State        string     `json:"status"`
	Trigger      string     `json:"trigger,omitempty"` // why it was closed
	Detail       string     `json:"trigger_detail,omitempty"`
	Topic        string     `json:"topic"`
	Folder       string     `json:"folder_name"` // one of a kind for its owner
	Tokens       int        `json:"token_count"`
	Messages     int        `json:"message_count"`
	First        int64      `json:"first_seq"`
	Last         int64      `json:"last_seq"`
	StartedAt    *time.Time `json:"started_at,omitempty"`
	FinalizedAt  *time.Time `json:"finalized_at,omitempty"`
}

// Message is one turn of a conversation, kept verbatim.
type Message struct {
	ID           ID             `json:"id"`
	Conversation ID             `json:"conversation_id"`
	Document     ID             `json:"document_id"`
	Node         ID             `json:"node_id"`
	ExternalID   string         `json:"external_id,omitempty"` // the caller's own id
	Seq          int64          `json:"seq"`                   // position in the conversation, from 0
	Role         string         `json:"role,omitempty"`
	Speaker      string         `json:"speaker,omitempty"`
	Session      string         `json:"session,omitempty"`
	Content      string         `json:"content"`
	Metadata     map[string]any `json:"metadata"`
	Time         *time.Time     `json:"time,omitempty"`
	Tokens       int            `json:"tokens"`
	CreatedAt    time.Time      `json:"created_at"`
	ForgetAfter  *time.Time     `json:"forget_after,omitempty"` // it goes for good then
}

// NewMessage is one item of an append.
type NewMessage struct {
	ExternalID string         `json:"id,omitempty"`
	Role       string         `json:"role,omitempty"`
	Speaker    string         `json:"speaker,omitempty"`
	Content    string         `json:"content"`
	Time       *time.Time     `json:"time,omitempty"`
	Session    string         `json:"session,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`

	ForgetAfter *time.Time `json:"forget_after,omitempty"`
}

// Append is a request to add messages to a conversation, which is made if it is new.
type Append struct {
	Container    string       `json:"container,omitempty"`
	Conversation string       `json:"conversation"`
	Messages     []NewMessage `json:"messages"`
	Replace      bool         `json:"replace,omitempty"` // other content under a known id replaces it instead of conflicting

	ForgetAfter *time.Time `json:"forget_after,omitempty"` // of the whole conversation
}

// AppendResult answers one item of an append: logged, unchanged, replaced or conflict.
type AppendResult struct {
	ID         ID     `json:"id"`
	ExternalID string `json:"external_id,omitempty"`
	Status     string `json:"status"`
	Error      string `json:"error,omitempty"`
}
