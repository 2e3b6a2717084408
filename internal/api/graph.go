package api

import (
	"context"
	"net/http"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type entityPatch struct {
	Name    *string   `json:"name,omitempty" doc:"the old one stays as an alias, unless aliases are given too"`
	Kind    *string   `json:"kind,omitempty" doc:"person, organisation, place, product, or a word of your own"`
	Aliases *[]string `json:"aliases,omitempty"`
}

type mergeBody struct {
	Other string `json:"other" doc:"id of the entity that becomes one with this"`
}

type edgeBody struct {
	Source     string         `json:"source" doc:"id of a container, document, message, memory, entity or conversation"`
	Target     string         `json:"target"`
	Type       string         `json:"type" doc:"contains, relates_to, mentions, discussed_in, updates, extends, derives, supersedes, references, precedes"`
	Weight     float64        `json:"weight,omitempty" doc:"default 1"`
	Confidence float64        `json:"confidence,omitempty" doc:"0..1, default 1"`
	Metadata   map[string]any `json:"metadata,omitempty"`
}

func (b edgeBody) edge() lukasa.Edge {
	return lukasa.Edge{From: b.Source, To: b.Target, Type: lukasa.EdgeType(b.Type), Weight: b.Weight, Confidence: b.Confidence, Metadata: b.Metadata}
}

// graph registers entities, edges and the knowledge graph.
func (d *door) graph() {
	d.entities()
	d.edges()
	const tag = "graph"
	add(d, "GET", "/v1/memories/{id}/related", "related-memories", "Memories that edges lead to, nearest first", "memories", func(ctx context.Context, in *struct {
		ByID
		Depth int    `query:"depth" doc:"edges at most, 1-6, default 2"`
		Type  string `query:"type" doc:"only along edges of these types"`
		AsOf  string `query:"as_of" doc:"ISO 8601: as it was then"`
		Valid string `query:"valid_at" doc:"ISO 8601: only what was true then"`
	},
	) (*answer[lukasa.Listing[engine.RelatedMemory]], error) {
		id, err := lukasa.ParseID(lukasa.PrefixMemory, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		at, err := Instant("as_of", in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		valid, err := Since("valid_at", in.Valid)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.RelatedMemories(ctx, scope(ctx), id, in.Depth, EdgeTypes(in.Type), at, valid)
		return reply(ctx, d, whole(l), err)
	})
	add(d, "GET", "/v1/graph/neighbourhood", "neighbourhood", "What lies around records, edge by edge", tag, func(ctx context.Context, in *struct {
		Of    string `query:"of" required:"true" doc:"ids of records, paths of containers or names of entities, separated by commas"`
		Depth int    `query:"depth" doc:"edges at most, 1-6, default 1"`
		Limit int    `query:"limit" doc:"records, 1-500, default 100"`
		Type  string `query:"type" doc:"only along edges of these types"`
		AsOf  string `query:"as_of" doc:"ISO 8601: as it was then"`
	},
	) (*answer[engine.Hood], error) {
		at, err := Instant("as_of", in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		h, err := d.e.Around(ctx, scope(ctx), List(in.Of), in.Depth, in.Limit, EdgeTypes(in.Type), at)
		return reply(ctx, d, h, err)
	})
	add(d, "GET", "/v1/graph/nodes", "graph-nodes", "Containers and entities as one knowledge graph", tag, d.graphNodes)
	add(d, "POST", "/v1/graph/nodes", "put-graph-node", "Make a node of the knowledge graph, or change the one of that name", tag, d.putGraphNode)
}

// entities registers what is done to entities.
func (d *door) entities() {
	const tag = "entities"
	add(d, "GET", "/v1/entities", "list-entities", "Who and what is named", tag, func(ctx context.Context, in *struct {
		Paging
		Container string `query:"container" doc:"only who and what is named there, as often as there: work (with all below it), work! (it alone), work.* (its children)"`
		Kind      string `query:"kind" doc:"person, organisation, place, product"`
		Q         string `query:"q" doc:"a name, a little differently written too; the most alike first, with a score"`
		AsOf      string `query:"as_of" doc:"ISO 8601: as it was then"`
	},
	) (*answer[lukasa.Listing[engine.Match]], error) {
		pats, at, err := PlacesAt(in.Container, in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		l, err := d.e.Entities(ctx, scope(ctx), pats, in.Kind, in.Q, in.page(), at)
		return reply(ctx, d, l, err)
	})
	add(d, "GET", "/v1/entities/{id}", "get-entity", "Everything about an entity, by id or name, across all containers", tag, func(ctx context.Context, in *NodeID) (*answer[engine.About], error) {
		at, err := Instant("as_of", in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		a, err := d.e.Entity(ctx, scope(ctx), in.ID, at)
		return reply(ctx, d, a, err)
	})
	add(d, "PATCH", "/v1/entities/{id}", "patch-entity", "Change name, kind or aliases", tag, func(ctx context.Context, in *struct {
		ByID
		Body entityPatch
	},
	) (*answer[lukasa.Entity], error) {
		id, err := lukasa.ParseID(lukasa.PrefixEntity, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		e, err := d.e.PatchEntity(ctx, scope(ctx), id, engine.EntityPatch(in.Body))
		return reply(ctx, d, e, err)
	})
	add(d, "POST", "/v1/entities/{id}/merge", "merge-entities", "Make one entity of two", tag, func(ctx context.Context, in *struct {
		ByID
		Body mergeBody
	},
	) (*answer[lukasa.Entity], error) {
		into, err := lukasa.ParseID(lukasa.PrefixEntity, in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		other, err := ID("other", lukasa.PrefixEntity, in.Body.Other)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		e, err := d.e.MergeEntities(ctx, scope(ctx), into, other)
		return reply(ctx, d, e, err)
	})
}

// edges registers what is done to edges.
func (d *door) edges() {
	const tag = "graph"
	add(d, "POST", "/v1/edges", "put-edge", "Link two records; an edge of the same source, target and type is replaced", tag, func(ctx context.Context, in *struct{ Body edgeBody }) (*answer[lukasa.Edge], error) {
		e, err := d.e.Link(ctx, scope(ctx), in.Body.edge())
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &answer[lukasa.Edge]{Status: http.StatusCreated, Body: e}, nil
	})
	add(d, "DELETE", "/v1/edges", "delete-edge", "Remove a link", tag, func(ctx context.Context, in *struct {
		Source string `query:"source" required:"true"`
		Target string `query:"target" required:"true"`
		Type   string `query:"type" required:"true"`
	},
	) (*answer[map[string]bool], error) {
		err := d.e.Unlink(ctx, scope(ctx), edgeBody{Source: in.Source, Target: in.Target, Type: in.Type}.edge())
		return reply(ctx, d, map[string]bool{"deleted": true}, err)
	})
	add(d, "GET", "/v1/graph/edges", "list-edges", "The links at records, heaviest first", tag, func(ctx context.Context, in *struct {
		Of    string `query:"of" required:"true" doc:"ids of records, separated by commas"`
		Type  string `query:"type" doc:"only of these types"`
		Limit int    `query:"limit" doc:"1-1000, default 100"`
		AsOf  string `query:"as_of" doc:"ISO 8601: as it was then"`
	},
	) (*answer[lukasa.Listing[lukasa.Edge]], error) {
		at, err := Instant("as_of", in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		var of []lukasa.ID
		for _, id := range List(in.Of) {
			of = append(of, lukasa.ID(id))
		}
		l, err := d.e.Edges(ctx, scope(ctx), of, EdgeTypes(in.Type), in.Limit, at)
		return reply(ctx, d, whole(l), err)
	})
}

// graphPage is the list of the knowledge graph.
type graphPage struct {
	lukasa.Listing[engine.Concept]
	Same       []engine.Concept `json:"nodes" doc:"the same as items"`
	Pagination pagination       `json:"pagination"`
}

func (d *door) graphNodes(ctx context.Context, in *struct {
	Type      string `query:"type" doc:"project, topic, concept, persona, entity, or the kind of an entity"`
	Name      string `query:"name" doc:"a little differently written too"`
	RelatedTo string `query:"related_to" doc:"id, path of a container or name of an entity"`
	Depth     int    `query:"depth" doc:"for related_to, 1-6, default 1"`
	Limit     int    `query:"limit" doc:"1-100, default 20"`
	Offset    int    `query:"offset"`
	AsOf      string `query:"as_of" doc:"ISO 8601: as it was then"`
},
) (*answer[graphPage], error) {
	at, err := Instant("as_of", in.AsOf)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	if in.Limit == 0 {
		in.Limit = 20
	}
	l, err := d.e.Concepts(ctx, scope(ctx), engine.ConceptQuery{
		Type: in.Type, Name: in.Name, RelatedTo: in.RelatedTo, Depth: in.Depth, Limit: in.Limit, Offset: in.Offset, At: at,
	})
	return reply(ctx, d, graphPage{l, l.Items, Paging{Limit: in.Limit, Offset: in.Offset}.pagination(l.Total, len(l.Items), "")}, err)
}

func (d *door) putGraphNode(ctx context.Context, in *struct {
	Body struct {
		Name        string   `json:"name"`
		Type        string   `json:"type" doc:"project, topic, concept, persona; entity, or the kind of one"`
		Kind        string   `json:"kind,omitempty" doc:"of an entity; default person"`
		Description string   `json:"description,omitempty"`
		Parent      *string  `json:"parent_id,omitempty" doc:"id or path of the container above it; null: none"`
		Aliases     []string `json:"aliases,omitempty" doc:"of an entity"`
	}
},
) (*answer[engine.Concept], error) {
	b := in.Body
	c := engine.NewConcept{Name: b.Name, Type: b.Type, Kind: b.Kind, Description: b.Description, Aliases: b.Aliases}
	if b.Parent != nil {
		c.Parent = *b.Parent
	}
	out, fresh, err := d.e.PutConcept(ctx, scope(ctx), c)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	status := http.StatusOK
	if fresh {
		status = http.StatusCreated
	}
	return &answer[engine.Concept]{Status: status, Body: out}, nil
}
