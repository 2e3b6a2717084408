package lukasa

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
	From   string   `json:"source"`
	To     string   `json:"target"`
	Type   EdgeType `json:"type"`
	Weight float64  `json:"weight"`
}

// Vertex is a record, or a thing named in records, in a [Graph]. Type is container, document, memory, topic or entity.
type Vertex struct {
	ID    string  `json:"id"`
	Type  string  `json:"type"`
	Label string  `json:"label"`
	Path  Path    `json:"container,omitempty"`
	Size  float64 `json:"size"` // how much hangs on it
}

// Graph is a picture of how records hang together.
type Graph struct {
	Vertices  []Vertex `json:"nodes"`
	Edges     []Edge   `json:"edges"`
	Truncated bool     `json:"truncated"` // there is more than the limit let through
}
