// Package graph links records: it draws containers, documents and memories together with the topics and entities that they
// share. It is pure: records in, a graph out.
package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// Build draws a graph. A container contains its sub-containers, documents and memories; a document or memory mentions its
// entities and is about its topics; a version updates the one before it. Topics and entities that only one record names are
// left out unless solo is set, for they link nothing. The order is by type, then label, then id.
func Build(nodes []lukasa.Node, docs []lukasa.Document, mems []lukasa.Memory, solo bool) lukasa.Graph {
	b := builder{vertices: map[string]*lukasa.Vertex{}, names: map[string]map[string]bool{}}
	for _, n := range nodes {
		b.vertex(string(n.ID), "container", n.Name, n.Path)
	}
	for _, n := range nodes {
		b.edge(string(n.Parent), string(n.ID), lukasa.EdgeContains)
	}
	for _, d := range docs {
		b.vertex(string(d.ID), "document", d.Title, d.Path)
		b.edge(string(d.Node), string(d.ID), lukasa.EdgeContains)
		b.name(string(d.ID), "entity", d.Keywords.Entities)
		b.name(string(d.ID), "topic", d.Keywords.Topics)
	}
	for _, d := range docs {
		b.edge(string(d.ID), string(d.Previous), lukasa.EdgeUpdates)
	}
	for _, m := range mems {
		b.vertex(string(m.ID), "memory", m.Content, m.Path)
		b.edge(string(m.Node), string(m.ID), lukasa.EdgeContains)
		b.name(string(m.ID), "entity", m.Entities)
		b.name(string(m.ID), "topic", m.Tags)
		for _, s := range m.Sources {
			b.edge(string(m.ID), string(s.Document), lukasa.EdgeDerives)
		}
	}
	return b.graph(solo)
}

type builder struct {
	vertices map[string]*lukasa.Vertex
	edges    []lukasa.Edge
	names    map[string]map[string]bool // name vertex → records that name it
}

func (b *builder) vertex(id, typ, label string, p lukasa.Path) {
	if b.vertices[id] == nil {
		b.vertices[id] = &lukasa.Vertex{ID: id, Type: typ, Label: label, Path: p}
	}
}

// edge links two vertices that are both there.
func (b *builder) edge(from, to string, t lukasa.EdgeType) {
	if b.vertices[from] != nil && b.vertices[to] != nil && from != to {
		b.edges = append(b.edges, lukasa.Edge{From: from, To: to, Type: t, Weight: 1})
	}
}

func (b *builder) name(record, typ string, names []string) {
	for _, n := range names {
		id := typ + ":" + strings.ToLower(n)
		b.vertex(id, typ, n, "")
		if b.names[id] == nil {
			b.names[id] = map[string]bool{}
		}
		b.names[id][record] = true
	}
}

func (b *builder) graph(solo bool) lukasa.Graph {
	for id, records := range b.names {
		if len(records) < 2 && !solo {
			delete(b.vertices, id)
			continue
		}
		t := lukasa.EdgeMentions
		if b.vertices[id].Type == "topic" {
			t = lukasa.EdgeDiscussedIn
		}
		for r := range records {
			from, to := r, id
			if t == lukasa.EdgeDiscussedIn {
				from, to = id, r
			}
			b.edges = append(b.edges, lukasa.Edge{From: from, To: to, Type: t, Weight: 1})
		}
	}
	for _, e := range b.edges {
		b.vertices[e.From].Size++
		b.vertices[e.To].Size++
	}
	g := lukasa.Graph{Vertices: make([]lukasa.Vertex, 0, len(b.vertices)), Edges: b.edges}
	if g.Edges == nil {
		g.Edges = []lukasa.Edge{}
	}
	for _, v := range b.vertices {
		g.Vertices = append(g.Vertices, *v)
	}
	slices.SortFunc(g.Vertices, func(x, y lukasa.Vertex) int {
		return cmp.Or(cmp.Compare(x.Type, y.Type), cmp.Compare(x.Label, y.Label), cmp.Compare(x.ID, y.ID))
	})
	slices.SortFunc(g.Edges, func(x, y lukasa.Edge) int {
		return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.To, y.To), cmp.Compare(x.Type, y.Type))
	})
	return g
}
