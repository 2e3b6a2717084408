package api

import (
	"context"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// NodeID is the id or path of a container in a path, and the moment that is asked for. It is exported because huma reads exported
// embedded structs only.
type NodeID struct {
	ByID
	AsOf string `query:"as_of" doc:"ISO 8601: as it was then"`
}

// Then is the moment that a read is asked about.
type Then struct {
	AsOf string `query:"as_of" doc:"ISO 8601: as it was known then"`
}

// at is that moment; the zero time is now.
func (t Then) at() (time.Time, error) { return Instant("as_of", t.AsOf) }

type provisionNode struct {
	Container   string          `json:"container" doc:"dotted path, at most five levels; missing ancestors are made"`
	Name        string          `json:"name,omitempty" doc:"as people call it; default the last part of the path"`
	Type        string          `json:"type,omitempty" doc:"project, topic, concept or persona"`
	Description string          `json:"description,omitempty"`
	Summary     string          `json:"summary,omitempty" doc:"at most 200 words; default: worked out from the content"`
	Keywords    lukasa.Keywords `json:"keywords,omitzero"`
}

type provisionBody struct {
	Container   string          `json:"container,omitempty" doc:"one container, instead of nodes"`
	Type        string          `json:"type,omitempty" doc:"project, topic, concept or persona"`
	Description string          `json:"description,omitempty"`
	Nodes       []provisionNode `json:"nodes,omitempty" doc:"1 to 100 containers; all are made, or none"`
}

type nodePatch struct {
	Name        *string          `json:"name,omitempty" doc:"as people call it; the path stays"`
	Type        *string          `json:"type,omitempty" doc:"project, topic, concept or persona"`
	Description *string          `json:"description,omitempty"`
	Summary     *string          `json:"summary,omitempty" doc:"at most 200 words; empty: it follows the content again"`
	Keywords    *lukasa.Keywords `json:"keywords,omitempty"`
}

type moveBody struct {
	Container string `json:"container" doc:"the new path; what is below goes along"`
}

type archiveBody struct {
	Into string `json:"into,omitempty" doc:"path of the container to archive into; none: the parent"`
}

type suggestBody struct {
	Content string `json:"content"`
	Title   string `json:"title,omitempty"`
}

// tree registers what is done to the tree of containers.
func (d *door) tree() {
	const tag = "containers"
	shell := func(ctx context.Context, in *NodeID) (*answer[engine.Shell], error) {
		at, err := Instant("as_of", in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		s, err := d.e.Shell(ctx, scope(ctx), in.ID, at)
		return reply(ctx, d, s, err)
	}
	patch := func(ctx context.Context, in *struct {
		ByID
		Body nodePatch
	},
	) (*answer[engine.Shell], error) {
		b := in.Body
		p := engine.NodePatch{Name: b.Name, Description: b.Description, Summary: b.Summary, Keywords: b.Keywords}
		if b.Type != nil {
			t := lukasa.NodeType(*b.Type)
			p.Type = &t
		}
		s, err := d.e.PatchNode(ctx, scope(ctx), in.ID, p)
		return reply(ctx, d, s, err)
	}
	archive := func(ctx context.Context, in *struct {
		ByID
		Body *archiveBody
	},
	) (*answer[engine.Archived], error) {
		into := ""
		if in.Body != nil {
			into = in.Body.Into
		}
		a, err := d.e.ArchiveNode(ctx, scope(ctx), in.ID, lukasa.Path(into))
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		out := ok(a)
		if a.State != "archived" {
			out.Status = http.StatusAccepted
		}
		return out, nil
	}
	move := func(ctx context.Context, in *struct {
		ByID
		Body moveBody
	},
	) (*answer[lukasa.Node], error) {
		n, err := d.e.MoveNode(ctx, scope(ctx), in.ID, lukasa.Path(in.Body.Container))
		return reply(ctx, d, n, err)
	}
	for _, face := range []struct{ path, noun string }{{"/v1/nodes", "node"}, {"/v1/containers", "container"}} {
		add(d, "GET", face.path+"/{id}", "get-"+face.noun, "One container by id or path: what it is about, what it holds, what is below it", tag, shell)
		add(d, "PATCH", face.path+"/{id}", "patch-"+face.noun, "Change name, type, description, summary or keywords", tag, patch)
		add(d, "POST", face.path+"/{id}/archive", "archive-"+face.noun, "Move everything of a container into its parent, and remove it", tag, archive)
		add(d, "POST", face.path+"/{id}/move", "move-"+face.noun, "Give a container, and what is below it, another path", tag, move)
	}
	add(d, "GET", "/v1/nodes/{id}/metadata", "node-metadata", "The same as get-node: no file is opened for it", tag, shell)
	add(d, "GET", "/v1/nodes/{id}/children", "node-children", "The containers right below one", tag, func(ctx context.Context, in *NodeID) (*answer[lukasa.Listing[engine.Child]], error) {
		s, err := shell(ctx, in)
		if err != nil {
			return nil, err
		}
		return ok(whole(s.Body.Children)), nil
	})
	add(d, "POST", "/v1/nodes/provision", "provision-nodes", "Make one or several containers, all or none", tag, d.provision)
	add(d, "POST", "/v1/nodes/suggest", "suggest-node", "Where content belongs", tag, func(ctx context.Context, in *struct{ Body suggestBody }) (*answer[engine.Suggestion], error) {
		if in.Body.Content == "" {
			return nil, d.fail(ctx, lukasa.Invalid("content", "is empty"))
		}
		s, err := d.e.Suggest(ctx, scope(ctx), in.Body.Title, in.Body.Content)
		return reply(ctx, d, s, err)
	})
	add(d, "GET", "/v1/tree", "tree", "Containers as branches", tag, func(ctx context.Context, in *struct {
		Container string `query:"container" doc:"pattern; none means all"`
		AsOf      string `query:"as_of" doc:"ISO 8601: as it was then"`
	},
	) (*answer[lukasa.Listing[engine.Branch]], error) {
		pats, at, err := PlacesAt(in.Container, in.AsOf)
		if err != nil {
			return nil, d.fail(ctx, err)
		}
		b, err := d.e.Tree(ctx, scope(ctx), pats, at)
		return reply(ctx, d, whole([]engine.Branch(b)), err)
	})
}

func (d *door) provision(ctx context.Context, in *struct{ Body provisionBody }) (*answer[lukasa.Listing[lukasa.Node]], error) {
	nodes := in.Body.Nodes
	if in.Body.Container != "" {
		if len(nodes) > 0 {
			return nil, d.fail(ctx, lukasa.Invalid("nodes", "give container or nodes, not both"))
		}
		nodes = []provisionNode{{Container: in.Body.Container, Type: in.Body.Type, Description: in.Body.Description}}
	}
	var list []engine.NewNode
	for _, n := range nodes {
		list = append(list, engine.NewNode{
			Path: lukasa.Path(n.Container), Name: n.Name, Type: lukasa.NodeType(n.Type), Description: n.Description, Summary: n.Summary, Keywords: n.Keywords,
		})
	}
	made, err := d.e.Provision(ctx, scope(ctx), list)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	return &answer[lukasa.Listing[lukasa.Node]]{Status: http.StatusCreated, Body: whole(made)}, nil
}
