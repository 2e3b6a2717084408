// Package graph keeps the tree of nodes and the links between records: provisioning, manifests, summaries, archiving and moving of
// nodes; who is named where, and how records are linked. It also draws the graph on a plane and finds names that are written a little
// differently.
//
// It reads rows and never a file, so a question for the place of a record does not load a cold one. What it works out for a node or an
// entity is kept in the cache, under a key that changes with the records that it was worked out from.
package graph

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// Records are what a picture is drawn of. Edges are those that are stored; between containers and what stands in them, between
// versions, and from a memory to its source they are drawn from the records themselves.
type Records struct {
	Nodes     []lukasa.Node
	Documents []lukasa.Document
	Recall    map[lukasa.ID]bool // documents that are stretches of conversations
	Memories  []lukasa.Memory
	Entities  []lukasa.Entity
	Edges     []lukasa.Edge
	Dormant   map[lukasa.ID]bool // nodes that nobody has touched for long
	Solo      bool               // also topics and entities that only one record names
	Limit     int                // vertices; 0: no limit. Topics and entities with the fewest links go first
}

// Vertex is a record, or a thing named in records, with its place on the plane. Type is container, document, recall_file, memory,
// topic or entity. X and Y come from [Arrange].
type Vertex struct {
	lukasa.Vertex
	Kind    string  `json:"kind,omitempty"` // of an entity or memory
	X       float64 `json:"x"`
	Y       float64 `json:"y"`
	Dormant bool    `json:"dormant,omitempty"`
}

// Picture is a drawing of how records hang together.
type Picture struct {
	Vertices  []Vertex      `json:"nodes"`
	Edges     []lukasa.Edge `json:"edges"`
	Truncated bool          `json:"truncated"` // there is more than the limits let through
}

// Draw makes a picture. A container contains its sub-containers, documents and memories; a document or memory mentions its
// entities; a topic is discussed in what is about it; a version updates the one before it. A name that is an entity's, or an
// alias of it, stands for that entity. Topics and entities that only one record names are left out unless Solo is set, for they
// link nothing. The order is by type, then label, then id.
func Draw(in Records) Picture {
	b := builder{vertices: map[string]*Vertex{}, edges: map[edgeKey]lukasa.Edge{}, named: map[string]map[string]bool{}, known: map[string]string{}}
	for _, n := range in.Nodes {
		v := b.vertex(string(n.ID), "container", n.Name, n.Path)
		v.Kind, v.Dormant = string(n.Type), in.Dormant[n.ID]
	}
	for _, n := range in.Nodes {
		b.edge(string(n.Parent), string(n.ID), lukasa.EdgeContains)
	}
	for _, e := range in.Entities {
		b.vertex(string(e.ID), "entity", e.Name, "").Kind = e.Kind
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			if f := Fold(name); b.known[f] == "" {
				b.known[f] = string(e.ID)
			}
		}
	}
	for _, d := range in.Documents {
		typ := "document"
		if in.Recall[d.ID] {
			typ = "recall_file"
		}
		b.vertex(string(d.ID), typ, d.Title, d.Path)
		b.edge(string(d.Node), string(d.ID), lukasa.EdgeContains)
		b.name(string(d.ID), "entity", d.Keywords.Entities)
		b.name(string(d.ID), "topic", d.Keywords.Topics)
	}
	for _, d := range in.Documents {
		b.edge(string(d.ID), string(d.Previous), lukasa.EdgeUpdates)
	}
	for _, m := range in.Memories {
		b.vertex(string(m.ID), "memory", m.Content, m.Path).Kind = string(m.Kind)
		b.edge(string(m.Node), string(m.ID), lukasa.EdgeContains)
		b.name(string(m.ID), "entity", m.Entities)
		b.name(string(m.ID), "topic", m.Tags)
		for _, s := range m.Sources {
			b.edge(string(m.ID), string(s.Document), lukasa.EdgeDerives)
		}
	}
	for _, e := range in.Edges {
		b.stored(e)
	}
	return b.picture(in.Solo, in.Limit)
}

// Fold makes names comparable.
func Fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

type edgeKey struct {
	from, to string
	typ      lukasa.EdgeType
}

type builder struct {
	vertices map[string]*Vertex
	edges    map[edgeKey]lukasa.Edge
	named    map[string]map[string]bool // topic or entity → records that name it
	known    map[string]string          // folded names of entities
}

func (b *builder) vertex(id, typ, label string, p lukasa.Path) *Vertex {
	v := b.vertices[id]
	if v == nil {
		v = &Vertex{Vertex: lukasa.Vertex{ID: id, Type: typ, Label: label, Path: p}}
		b.vertices[id] = v
	}
	return v
}

// edge links two vertices that are both there.
func (b *builder) edge(from, to string, t lukasa.EdgeType) {
	if b.vertices[from] != nil && b.vertices[to] != nil && from != to {
		b.edges[edgeKey{from, to, t}] = lukasa.Edge{From: from, To: to, Type: t, Weight: 1}
	}
}

// stored draws an edge as it is kept; it counts more than one that was drawn from the records.
func (b *builder) stored(e lukasa.Edge) {
	if b.vertices[e.From] == nil || b.vertices[e.To] == nil || e.From == e.To {
		return
	}
	b.edges[edgeKey{e.From, e.To, e.Type}] = e
	for _, end := range [][2]string{{e.From, e.To}, {e.To, e.From}} {
		if b.vertices[end[0]].Type == "entity" {
			b.note(end[0], end[1])
		}
	}
}

func (b *builder) note(thing, record string) {
	if b.named[thing] == nil {
		b.named[thing] = map[string]bool{}
	}
	b.named[thing][record] = true
}

func (b *builder) name(record, typ string, names []string) {
	for _, n := range names {
		id := typ + ":" + Fold(n)
		if typ == "entity" && b.known[Fold(n)] != "" {
			id = b.known[Fold(n)]
		}
		b.vertex(id, typ, n, "")
		b.note(id, record)
		if typ == "topic" {
			b.edge(id, record, lukasa.EdgeDiscussedIn)
		} else {
			b.edge(record, id, lukasa.EdgeMentions)
		}
	}
}

// thing reports whether a vertex stands for something named, not for a record.
func (v *Vertex) thing() bool { return v.Type == "topic" || v.Type == "entity" }

func (b *builder) picture(solo bool, limit int) Picture {
	for id, v := range b.vertices {
		if v.thing() && len(b.named[id]) < 2 && !solo {
			delete(b.vertices, id)
		}
	}
	g := Picture{Truncated: b.shrink(limit), Edges: make([]lukasa.Edge, 0, len(b.edges)), Vertices: make([]Vertex, 0, len(b.vertices))}
	for _, e := range b.edges {
		if from, to := b.vertices[e.From], b.vertices[e.To]; from != nil && to != nil {
			from.Size++
			to.Size++
			g.Edges = append(g.Edges, e)
		}
	}
	for _, v := range b.vertices {
		g.Vertices = append(g.Vertices, *v)
	}
	slices.SortFunc(g.Vertices, func(x, y Vertex) int {
		return cmp.Or(cmp.Compare(x.Type, y.Type), cmp.Compare(x.Label, y.Label), cmp.Compare(x.ID, y.ID))
	})
	slices.SortFunc(g.Edges, func(x, y lukasa.Edge) int {
		return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To), cmp.Compare(x.Type, y.Type))
	})
	return g
}

// shrink takes the topics and entities with the fewest links away until the limit is met, and reports whether it did anything.
func (b *builder) shrink(limit int) bool {
	over := len(b.vertices) - limit
	if limit <= 0 || over <= 0 {
		return false
	}
	var things []string
	for id, v := range b.vertices {
		if v.thing() {
			things = append(things, id)
		}
	}
	slices.SortFunc(things, func(x, y string) int { return cmp.Or(cmp.Compare(len(b.named[x]), len(b.named[y])), cmp.Compare(x, y)) })
	for _, id := range things[:min(over, len(things))] {
		delete(b.vertices, id)
	}
	return true
}

// round keeps coordinates to a tenth, so that they print alike on every machine.
func round(x float64) float64 { return math.Round(x*10) / 10 }
