package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Shell is a container with what it is about, what it holds and what is below it. No file is opened for it.
type Shell struct {
	lukasa.Node
	Manifest Manifest `json:"manifest"`
	Children []Child  `json:"children"`
	Dormant  bool     `json:"dormant"` // nobody has touched it for long
}

// Manifest is the table of contents of a container alone, not of those below it.
type Manifest struct {
	Documents     int     `json:"documents"`
	Memories      int     `json:"memories"`
	Conversations int     `json:"conversations"`
	Messages      int     `json:"messages"`
	RecallFiles   int     `json:"recall_files"`
	Newest        []Item  `json:"newest"`
	Entities      []Named `json:"entities"`
}

// Item names a record.
type Item struct {
	ID    lukasa.ID `json:"id"`
	Type  string    `json:"type"`
	Label string    `json:"label"`
	At    time.Time `json:"at,omitzero"`
}

// Named is an entity with how often it is named.
type Named struct {
	ID       lukasa.ID `json:"id"`
	Kind     string    `json:"kind"`
	Name     string    `json:"name"`
	Mentions int       `json:"mentions"`
}

// Child is a container below another.
type Child struct {
	ID          lukasa.ID       `json:"id"`
	Path        lukasa.Path     `json:"container"`
	Name        string          `json:"name"`
	Type        lukasa.NodeType `json:"type"`
	Description string          `json:"description,omitempty"`
	Dormant     bool            `json:"dormant,omitempty"`
}

// Branch is a container with those below it.
type Branch struct {
	Child
	Documents int      `json:"document_count"`
	Memories  int      `json:"memory_count"`
	Children  []Branch `json:"children"`
}

// NewNode is a container to be made. Missing ancestors are made too.
type NewNode struct {
	Path        lukasa.Path     `json:"container"`
	Name        string          `json:"name,omitempty"`
	Type        lukasa.NodeType `json:"type,omitempty"`
	Description string          `json:"description,omitempty"`
	Summary     string          `json:"summary,omitempty"`
	Keywords    lukasa.Keywords `json:"keywords,omitzero"`
}

// NodePatch changes what a container says of itself. Nil fields stay as they are.
type NodePatch struct {
	Name        *string          `json:"name,omitempty"`
	Type        *lukasa.NodeType `json:"type,omitempty"`
	Description *string          `json:"description,omitempty"`
	Summary     *string          `json:"summary,omitempty"`
	Keywords    *lukasa.Keywords `json:"keywords,omitempty"`
}

// Archived is the receipt of an archiving.
type Archived struct {
	Container     lukasa.Path `json:"container"`
	Into          lukasa.Path `json:"into"`
	Node          lukasa.ID   `json:"into_id"`
	State         string      `json:"state"` // archived; archiving: it goes on in the background
	Documents     int         `json:"documents"`
	Memories      int         `json:"memories"`
	Conversations int         `json:"conversations"`
	Trash         int         `json:"trash"`
	Edges         int         `json:"edges"`
	Nodes         []lukasa.ID `json:"nodes_removed"`
	Moved         []struct {
		From lukasa.Path `json:"from"`
		To   lukasa.Path `json:"to"`
	} `json:"containers_moved"`
	Renamed []struct {
		ID   lukasa.ID `json:"id"`
		From string    `json:"from"`
		To   string    `json:"to"`
	} `json:"conversations_renamed"`
}

// Suggestion says where content belongs. New: the container is not there yet.
type Suggestion struct {
	Path       lukasa.Path `json:"container"`
	Confidence float64     `json:"confidence"`
	New        bool        `json:"new"`
	Why        string      `json:"why"`
	Wanted     lukasa.Path `json:"wanted,omitempty"`
}

// moment adds a time to a query; the zero time is now and adds nothing.
func moment(q url.Values, at time.Time) url.Values {
	if !at.IsZero() {
		q.Set("as_of", at.UTC().Format(time.RFC3339Nano))
	}
	return q
}

// Shell returns a container, by id or path, as it was at a moment (the zero time is now).
func (c *Client) Shell(ctx context.Context, idOrPath string, as time.Time) (Shell, error) {
	return ask[Shell](ctx, c, call{method: http.MethodGet, path: at("/v1/nodes/", idOrPath), query: moment(url.Values{}, as)})
}

// Tree lists the containers that the patterns name, all for none, as branches, as they were at a moment.
func (c *Client) Tree(ctx context.Context, in []lukasa.Pattern, as time.Time) ([]Branch, error) {
	return items[Branch](ctx, c, "/v1/tree", moment(query(in, lukasa.Page{}), as))
}

// Provision makes containers, all of them or none.
func (c *Client) Provision(ctx context.Context, nodes []NewNode) ([]lukasa.Node, error) {
	out, err := ask[lukasa.Listing[lukasa.Node]](ctx, c, call{method: http.MethodPost, path: "/v1/nodes/provision", body: map[string]any{"nodes": nodes}})
	return out.Items, err
}

// PatchNode changes what a container says of itself.
func (c *Client) PatchNode(ctx context.Context, idOrPath string, in NodePatch) (Shell, error) {
	return ask[Shell](ctx, c, call{method: http.MethodPatch, path: at("/v1/nodes/", idOrPath), body: in})
}

// MoveNode gives a container and what is below it another path.
func (c *Client) MoveNode(ctx context.Context, idOrPath string, to lukasa.Path) (lukasa.Node, error) {
	return ask[lukasa.Node](ctx, c, call{method: http.MethodPost, path: at("/v1/nodes/", idOrPath) + "/move", body: map[string]any{"container": to}})
}

// ArchiveNode moves everything of a container into another, its parent for "", and removes it.
func (c *Client) ArchiveNode(ctx context.Context, idOrPath string, into lukasa.Path) (Archived, error) {
	return ask[Archived](ctx, c, call{method: http.MethodPost, path: at("/v1/nodes/", idOrPath) + "/archive", body: map[string]any{"into": into}})
}

// Suggest says in which container content belongs.
func (c *Client) Suggest(ctx context.Context, title, content string) (Suggestion, error) {
	return ask[Suggestion](ctx, c, call{method: http.MethodPost, path: "/v1/nodes/suggest", body: map[string]any{"title": title, "content": content}})
}

// Match is an entity that a name leads to, with how alike the names are.
type Match struct {
	lukasa.Entity
	Score float64 `json:"score,omitempty"`
}

// Entities lists who and what is named in the containers that the patterns name, anywhere for none, most mentioned there first; with a name the
// most alike first, slips of the pen included.
func (c *Client) Entities(ctx context.Context, in []lukasa.Pattern, kind, name string, p lukasa.Page, as time.Time) (lukasa.Listing[Match], error) {
	q := moment(query(in, p), as)
	for k, v := range map[string]string{"kind": kind, "q": name} {
		if v != "" {
			q.Set(k, v)
		}
	}
	return ask[lukasa.Listing[Match]](ctx, c, call{method: http.MethodGet, path: "/v1/entities", query: q})
}

// About is everything that is known of an entity, across all containers that the key may read.
type About struct {
	lukasa.Entity
	FirstSeen *time.Time `json:"first_seen,omitempty"`
	LastSeen  *time.Time `json:"last_seen,omitempty"`
	Where     []struct {
		ID       lukasa.ID   `json:"id"`
		Path     lukasa.Path `json:"container"`
		Mentions int         `json:"mentions"`
		Dormant  bool        `json:"dormant,omitempty"`
	} `json:"where"`
	Memories    []Statement `json:"memories"`
	Messages    []Statement `json:"messages"`
	Documents   []Statement `json:"documents"`
	RecallFiles []Item      `json:"recall_files"`
	Related     []Named     `json:"related"`
	Counts      struct {
		Memories    int `json:"memories"`
		Messages    int `json:"messages"`
		Documents   int `json:"documents"`
		RecallFiles int `json:"recall_files"`
		Containers  int `json:"containers"`
	} `json:"counts"`
	Truncated bool `json:"truncated"`
}

// Statement is a record that mentions an entity.
type Statement struct {
	ID       lukasa.ID   `json:"id"`
	Path     lukasa.Path `json:"container"`
	Text     string      `json:"text"`
	Kind     string      `json:"kind,omitempty"`
	Speaker  string      `json:"speaker,omitempty"`
	At       time.Time   `json:"at"`
	IsLatest bool        `json:"is_latest"`
	Weight   float64     `json:"weight"`
}

// Entity returns everything about an entity, by id or by a name (the best match), as it was at a moment.
func (c *Client) Entity(ctx context.Context, idOrName string, as time.Time) (About, error) {
	return ask[About](ctx, c, call{method: http.MethodGet, path: at("/v1/entities/", idOrName), query: moment(url.Values{}, as)})
}

// EntityPatch changes an entity. Nil fields stay as they are.
type EntityPatch struct {
	Name    *string   `json:"name,omitempty"`
	Kind    *string   `json:"kind,omitempty"`
	Aliases *[]string `json:"aliases,omitempty"`
}

// PatchEntity changes name, kind or aliases of an entity.
func (c *Client) PatchEntity(ctx context.Context, id lukasa.ID, in EntityPatch) (lukasa.Entity, error) {
	return ask[lukasa.Entity](ctx, c, call{method: http.MethodPatch, path: at("/v1/entities/", string(id)), body: in})
}

// MergeEntities makes one entity of two: the other's mentions and names become those of into.
func (c *Client) MergeEntities(ctx context.Context, into, other lukasa.ID) (lukasa.Entity, error) {
	return ask[lukasa.Entity](ctx, c, call{method: http.MethodPost, path: at("/v1/entities/", string(into)) + "/merge", body: map[string]any{"other": other}})
}

// Link puts an edge between two records, in the place of the one with the same source, target and type.
func (c *Client) Link(ctx context.Context, e lukasa.Edge) (lukasa.Edge, error) {
	return ask[lukasa.Edge](ctx, c, call{method: http.MethodPost, path: "/v1/edges", body: struct {
		Source     string          `json:"source"`
		Target     string          `json:"target"`
		Type       lukasa.EdgeType `json:"type"`
		Weight     float64         `json:"weight,omitempty"`
		Confidence float64         `json:"confidence,omitempty"`
		Metadata   map[string]any  `json:"metadata,omitempty"`
	}{e.From, e.To, e.Type, e.Weight, e.Confidence, e.Metadata}})
}

// Unlink removes the edge with this source, target and type.
func (c *Client) Unlink(ctx context.Context, e lukasa.Edge) error {
	_, err := ask[map[string]bool](ctx, c, call{
		method: http.MethodDelete, path: "/v1/edges", query: url.Values{"source": {e.From}, "target": {e.To}, "type": {string(e.Type)}},
	})
	return err
}

// Edges lists the edges at records, heaviest first, as they were at a moment; no types: of all.
func (c *Client) Edges(ctx context.Context, of []lukasa.ID, types []lukasa.EdgeType, limit int, as time.Time) ([]lukasa.Edge, error) {
	q := moment(query(nil, lukasa.Page{Limit: limit}), as)
	q.Set("of", joined(of))
	if len(types) > 0 {
		q.Set("type", joined(types))
	}
	return items[lukasa.Edge](ctx, c, "/v1/graph/edges", q)
}

func joined[T ~string](list []T) string {
	s := make([]string, len(list))
	for i, x := range list {
		s[i] = string(x)
	}
	return strings.Join(s, ",")
}

// Hood is what lies around records.
type Hood struct {
	Of      []lukasa.ID `json:"of"`
	Depth   int         `json:"depth"`
	Records []struct {
		ID       lukasa.ID   `json:"id"`
		Type     string      `json:"type"`
		Kind     string      `json:"kind,omitempty"`
		Label    string      `json:"label"`
		Path     lukasa.Path `json:"container,omitempty"`
		Distance int         `json:"distance"`
		Dormant  bool        `json:"dormant,omitempty"`
	} `json:"nodes"`
	Edges     []lukasa.Edge `json:"edges"`
	Truncated bool          `json:"truncated"`
}

// Around walks from records, named by id, path of a container or name of an entity, along edges, as they were at a moment.
func (c *Client) Around(ctx context.Context, of []string, depth, limit int, types []lukasa.EdgeType, as time.Time) (Hood, error) {
	q := moment(query(nil, lukasa.Page{Limit: limit}), as)
	q.Set("of", strings.Join(of, ","))
	if depth > 0 {
		q.Set("depth", strconv.Itoa(depth))
	}
	if len(types) > 0 {
		q.Set("type", joined(types))
	}
	return ask[Hood](ctx, c, call{method: http.MethodGet, path: "/v1/graph/neighbourhood", query: q})
}

// RelatedMemory is a memory that edges lead to from another.
type RelatedMemory struct {
	lukasa.Memory
	Relationship lukasa.EdgeType `json:"relationship"`
	Incoming     bool            `json:"incoming"`
	Distance     int             `json:"distance"`
	Edge         float64         `json:"edge_confidence"`
}

// RelatedMemories returns the memories that edges lead to from one, nearest first; depth 0 leaves it to the server.
func (c *Client) RelatedMemories(ctx context.Context, id lukasa.ID, depth int, types []lukasa.EdgeType, as time.Time) ([]RelatedMemory, error) {
	return c.RelatedTrue(ctx, id, depth, types, as, time.Time{})
}

// RelatedTrue is RelatedMemories, of those alone that were true at a moment.
func (c *Client) RelatedTrue(ctx context.Context, id lukasa.ID, depth int, types []lukasa.EdgeType, as, valid time.Time) ([]RelatedMemory, error) {
	q := moment(url.Values{}, as)
	if !valid.IsZero() {
		q.Set("valid_at", valid.UTC().Format(time.RFC3339Nano))
	}
	if depth > 0 {
		q.Set("depth", strconv.Itoa(depth))
	}
	if len(types) > 0 {
		q.Set("type", joined(types))
	}
	return items[RelatedMemory](ctx, c, at("/v1/memories/", string(id))+"/related", q)
}

// Concept is a node of the knowledge graph: a container or an entity.
type Concept struct {
	ID          lukasa.ID   `json:"id"`
	Name        string      `json:"name"`
	Type        string      `json:"type"`
	Kind        string      `json:"kind,omitempty"`
	Aliases     []string    `json:"aliases,omitempty"`
	Description string      `json:"description,omitempty"`
	Path        lukasa.Path `json:"container,omitempty"`
	RecallFiles int         `json:"recall_file_count"`
	Mentions    int         `json:"mentions,omitempty"`
	Related     []struct {
		ID           lukasa.ID `json:"id"`
		Name         string    `json:"name"`
		Type         string    `json:"type"`
		Relationship string    `json:"relationship"`
		Weight       float64   `json:"weight"`
		Dormant      bool      `json:"dormant,omitempty"`
	} `json:"related_nodes"`
	Dormant   bool      `json:"dormant,omitempty"`
	Score     float64   `json:"score,omitempty"`
	Distance  int       `json:"distance,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// ConceptQuery asks for nodes of the knowledge graph. Zero fields do not narrow.
type ConceptQuery struct {
	Type, Name, RelatedTo string
	Depth, Limit, Offset  int
	At                    time.Time
}

// Concepts lists the nodes of the knowledge graph and says how many there are.
func (c *Client) Concepts(ctx context.Context, in ConceptQuery) ([]Concept, int, error) {
	q := moment(query(nil, lukasa.Page{Limit: in.Limit, Offset: in.Offset}), in.At)
	for k, v := range map[string]string{"type": in.Type, "name": in.Name, "related_to": in.RelatedTo} {
		if v != "" {
			q.Set(k, v)
		}
	}
	if in.Depth > 0 {
		q.Set("depth", strconv.Itoa(in.Depth))
	}
	out, err := ask[struct {
		Nodes []Concept `json:"nodes"`
		Total int       `json:"total"`
	}](ctx, c, call{method: http.MethodGet, path: "/v1/graph/nodes", query: q})
	return out.Nodes, out.Total, err
}

// NewConcept is a request to make or change a node of the knowledge graph.
type NewConcept struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"`
	Kind        string   `json:"kind,omitempty"`
	Description string   `json:"description,omitempty"`
	Parent      string   `json:"parent_id,omitempty"`
	Aliases     []string `json:"aliases,omitempty"`
}

// PutConcept makes a node of the knowledge graph, or changes the one of that name.
func (c *Client) PutConcept(ctx context.Context, in NewConcept) (Concept, error) {
	return ask[Concept](ctx, c, call{method: http.MethodPost, path: "/v1/graph/nodes", body: in})
}

// Graph is a picture of how records hang together. Each vertex has a place on the plane; the root stands at 0, 0.
type Graph struct {
	Vertices  []Vertex      `json:"nodes"`
	Edges     []lukasa.Edge `json:"edges"`
	Truncated bool          `json:"truncated"`
}

// Vertex is a record, or a thing named in records.
type Vertex struct {
	lukasa.Vertex
	Kind    string  `json:"kind,omitempty"`
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	Dormant bool    `json:"dormant,omitempty"`
}

// Graph draws the newest records of the containers, at most limit documents and memories each; 0 leaves the limit to the server.
func (c *Client) Graph(ctx context.Context, in []lukasa.Pattern, limit int, solo bool) (Graph, error) {
	return c.GraphAt(ctx, in, limit, solo, time.Time{})
}

// GraphAt is Graph of a moment.
func (c *Client) GraphAt(ctx context.Context, in []lukasa.Pattern, limit int, solo bool, as time.Time) (Graph, error) {
	q := moment(query(in, lukasa.Page{Limit: limit}), as)
	if solo {
		q.Set("solo", "true")
	}
	return ask[Graph](ctx, c, call{method: http.MethodGet, path: "/v1/graph", query: q})
}
