package lukasa

import (
	"encoding/json"
	"time"
)

// EdgeType names how two records hang together.
type EdgeType string

// The edge types.
const (
	EdgeContains    EdgeType = "contains"
	EdgeRelatesTo   EdgeType = "relates_to"
	EdgeMentions    EdgeType = "mentions"
	EdgeDiscussedIn EdgeType = "discussed_in"
	EdgeUpdates     EdgeType = "updates"
	EdgeExtends     EdgeType = "extends"
	EdgeDerives     EdgeType = "derives"
	EdgeSupersedes  EdgeType = "supersedes"
	EdgeReferences  EdgeType = "references"
	EdgePrecedes    EdgeType = "precedes"
)

// Edge is a typed link from one record to another.
type Edge struct {
	From       string         `json:"source"`
	To         string         `json:"target"`
	Type       EdgeType       `json:"type"`
	Weight     float64        `json:"weight"`
	Confidence float64        `json:"confidence,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	CreatedAt  time.Time      `json:"created_at,omitzero"`
}

// Entity is someone or something named in content: a person, organisation, place or product.
type Entity struct {
	ID        ID        `json:"id"`
	Kind      string    `json:"kind"`
	Name      string    `json:"name"`
	Aliases   []string  `json:"aliases,omitempty"`
	Mentions  int       `json:"mentions"` // that the scope can see
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Delta is one recorded change of one record. Deltas of an owner are chained: Hash covers the delta and the hash before it.
type Delta struct {
	ID     ID              `json:"id"`
	Seq    int64           `json:"seq"`
	Record ID              `json:"record_id"`
	Node   ID              `json:"node_id"`
	Op     string          `json:"op"`               // create, update, delete or purge
	Before json.RawMessage `json:"before,omitempty"` // the record as it was, absent for a creation
	After  json.RawMessage `json:"after,omitempty"`  // the record as it became, absent for a deletion
	Author string          `json:"authored_by"`      // pipeline, or the id of who asked
	Reason string          `json:"reason,omitempty"`
	At     time.Time       `json:"at"`
	Hash   string          `json:"hash"`
}

// Vertex is a record, or a thing named in records, in a picture of how they hang together. Type is container, document, memory, topic or entity.
type Vertex struct {
	ID    string  `json:"id"`
	Type  string  `json:"type"`
	Label string  `json:"label"`
	Path  Path    `json:"container,omitempty"`
	Size  float64 `json:"size"` // how much hangs on it
}
