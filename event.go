package lukasa

import "time"

// EventType names what happened.
type EventType string

// The events. Names are part of the wire format.
const (
	EventDocumentCreated  EventType = "document.created"
	EventDocumentUpdated  EventType = "document.updated"
	EventDocumentStatus   EventType = "document.status"
	EventDocumentDeleted  EventType = "document.deleted"
	EventMemoryCreated    EventType = "memory.created"
	EventMemoryUpdated    EventType = "memory.updated"
	EventMemoryDeleted    EventType = "memory.deleted"
	EventMessageLogged    EventType = "message.logged"
	EventTalkUpdated      EventType = "conversation.updated"
	EventSegmentFinalized EventType = "recall_file.finalized"
	EventDefining         EventType = "defining_memory.detected"
	EventNodeCreated      EventType = "node.created"
	EventNodeDeleted      EventType = "node.deleted"
)

// Event is news of a committed change. It carries ids and small facts, never content.
type Event struct {
	ID     ID             `json:"id"`
	Type   EventType      `json:"type"`
	Owner  ID             `json:"-"`
	Node   ID             `json:"node_id,omitempty"`
	Path   Path           `json:"container,omitempty"`
	Record ID             `json:"record_id,omitempty"`
	Data   map[string]any `json:"data,omitempty"`
	At     time.Time      `json:"at"`
}

// JobKind names a kind of background work.
type JobKind string

// The kinds of job.
const (
	JobProcess JobKind = "process" // extract, chunk and embed a queued document
	JobEmbed   JobKind = "embed"   // fill in the vectors that a record lacks
	JobDistil  JobKind = "distil"  // draw memories, entities and edges from a document or an open segment
	JobClose   JobKind = "close"   // write the recall file of a closed segment
	JobRewrite JobKind = "rewrite" // write a recall file anew, as its messages stand now
	JobLink    JobKind = "link"    // link a record with the entities that it names, or an entity with what named it earlier
)

// Job is a piece of background work. It runs at least once; each attempt holds it under a lease.
type Job struct {
	ID       ID
	Owner    ID
	Kind     JobKind
	Record   ID // what it works on
	Attempt  int
	MaxTries int
	RunAt    time.Time
	Reason   string // why the last attempt ended badly
	Dead     bool
	Created  time.Time
}
