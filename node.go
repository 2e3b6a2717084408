package lukasa

import "time"

// NodeType says what a node stands for.
type NodeType string

// The node types.
const (
	NodeRoot    NodeType = "root"
	NodeProject NodeType = "project"
	NodeTopic   NodeType = "topic"
	NodeConcept NodeType = "concept"
	NodePersona NodeType = "persona"
)

// Node is a place in an owner's tree. Counts cover the node alone, not its subtree.
type Node struct {
	ID          ID        `json:"id"`
	Parent      ID        `json:"parent_id,omitempty"`
	Path        Path      `json:"path"`
	Name        string    `json:"name"`
	Type        NodeType  `json:"type"`
	Depth       int       `json:"depth"`
	Description string    `json:"description,omitempty"`
	Summary     string    `json:"summary,omitempty"`
	Keywords    Keywords  `json:"keywords"`
	Documents   int       `json:"document_count"`
	Memories    int       `json:"memory_count"`
	Version     int64     `json:"-"` // the seq of the last change in it
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

// NewNode is a request to make a node. Missing ancestors are made too.
type NewNode struct {
	Path        Path     `json:"container"`
	Type        NodeType `json:"type,omitempty"`
	Description string   `json:"description,omitempty"`
}

// User is a person or agent with records of their own; ID is also the owner of those records.
type User struct {
	ID         ID             `json:"id"`
	Name       string         `json:"name"`
	Email      string         `json:"email,omitempty"`
	ExternalID string         `json:"external_id,omitempty"`
	Role       Role           `json:"role"`
	Settings   map[string]any `json:"settings,omitempty"`
	CreatedAt  time.Time      `json:"created_at"`
}

// Key is an API key as it may be shown: the secret itself is kept only as a hash.
type Key struct {
	ID         ID         `json:"id"`
	User       ID         `json:"user_id"`
	Org        ID         `json:"organisation_id,omitempty"` // whose records it is to; "" for the user's own
	Name       string     `json:"name"`
	Hint       string     `json:"hint"` // the first characters of the secret
	Role       Role       `json:"role"`
	Root       Path       `json:"container,omitempty"`
	Persona    ID         `json:"persona,omitempty"`     // the node whose subtree and grants it has
	ThirdParty bool       `json:"third_party,omitempty"` // it reads what is granted to it, and nothing else
	ReadOnly   bool       `json:"read_only,omitempty"`
	Unlimited  bool       `json:"unlimited,omitempty"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at,omitempty"`
	LastUsedAt *time.Time `json:"last_used_at,omitempty"`
	RevokedAt  *time.Time `json:"revoked_at,omitempty"`
}
