package api

import (
	"context"
	"net/http"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

type newNode struct {
	Container   string `json:"container" doc:"dotted path; missing ancestors are made"`
	Type        string `json:"type,omitempty" doc:"project, topic, concept or persona"`
	Description string `json:"description,omitempty"`
}

func (d *door) nodes() {
	const tag = "containers"
	create := func(ctx context.Context, in *struct{ Body newNode }) (*answer[lukasa.Node], error) {
		n, err := d.e.CreateNode(ctx, scope(ctx), lukasa.NewNode{Path: lukasa.Path(in.Body.Container), Type: lukasa.NodeType(in.Body.Type), Description: in.Body.Description})
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return &answer[lukasa.Node]{Status: http.StatusCreated, Body: n}, nil
	}
	remove := func(ctx context.Context, in *struct {
		ByID
		Removing
	},
	) (*answer[deleted], error) {
		n, err := d.e.Node(ctx, scope(ctx), in.ID)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		return d.erase(ctx, n.ID, in.Removing)
	}
	all := func(ctx context.Context, in *struct {
		Container string `query:"container" doc:"pattern; none means all"`
		AsOf      string `query:"as_of" doc:"ISO 8601: as it was then"`
	},
	) (*answer[lukasa.Listing[lukasa.Node]], error) {
		pats, err := Places(List(in.Container), false)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		at, err := Instant("as_of", in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		ns, err := d.e.NodesAt(ctx, scope(ctx), pats, at)
		return reply(ctx, d, whole(ns), err)
	}
	add(d, "POST", "/v1/nodes", "create-node", "Make a container", tag, create)
	add(d, "GET", "/v1/nodes", "list-nodes", "List containers with their counts", tag, all)
	add(d, "DELETE", "/v1/nodes/{id}", "delete-node", "Remove a container with everything in it, for good", tag, remove)
	add(d, "POST", "/v1/containers", "create-container", "Make a container", tag, create)
	add(d, "GET", "/v1/containers", "list-containers", "List containers with their counts", tag, all)
	add(d, "DELETE", "/v1/containers/{id}", "delete-container", "Remove a container with everything in it, for good", tag, remove)
	add(d, "GET", "/v1/graph", "graph", "How records hang together", "graph", func(ctx context.Context, in *struct {
		Container string `query:"container"`
		Limit     int    `query:"limit" doc:"documents and memories each, 1-1000, default 200"`
		Solo      bool   `query:"solo" doc:"also topics and entities that only one record names"`
		AsOf      string `query:"as_of" doc:"ISO 8601: as it was then"`
	},
	) (*answer[engine.Picture], error) {
		at, err := Instant("as_of", in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		pats, err := Places(List(in.Container), false)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		g, err := d.e.GraphAt(ctx, scope(ctx), pats, in.Limit, in.Solo, at)
		return reply(ctx, d, g, err)
	})
}
