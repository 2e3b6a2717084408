package graph

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The bounds of a node's own words.
const (
	maxProvision   = 100  // nodes in one request
	maxDescription = 2000 // characters
	maxNodeName    = 255  // characters
	maxNodeWords   = 50   // keywords of each sort
)

// NewNode is a node to be made. Missing ancestors are made too.
type NewNode struct {
	Path        lukasa.Path     `json:"container"`
	Name        string          `json:"name,omitempty"` // "" is the last segment of the path
	Type        lukasa.NodeType `json:"type,omitempty"` // "": project on the first level, else topic
	Description string          `json:"description,omitempty"`
	Summary     string          `json:"summary,omitempty"` // "": worked out from the content
	Keywords    lukasa.Keywords `json:"keywords,omitzero"`
}

// NodePatch changes what a node says of itself. Nil fields stay as they are.
type NodePatch struct {
	Name        *string
	Type        *lukasa.NodeType
	Description *string
	Summary     *string // "" lets it follow the content again
	Keywords    *lukasa.Keywords
}

// Provision makes nodes, all of them or none. One that is there already is a conflict, and so is one that is asked for twice.
func (p *Path) Provision(ctx context.Context, sc lukasa.Scope, list []NewNode) (Provisioned, error) {
	if len(list) == 0 || len(list) > maxProvision {
		return nil, lukasa.Invalid("nodes", "has %d entries, must have 1 to %d", len(list), maxProvision)
	}
	for _, n := range list {
		if err := check(sc, n); err != nil {
			return nil, err
		}
	}
	var out Provisioned
	var made []lukasa.Node
	err := p.change(ctx, sc, func(tx store.Tx) error {
		out, made = nil, nil
		for _, n := range list {
			node, more, err := p.make(tx, n)
			if err != nil {
				return err
			}
			out, made = append(out, node), append(made, more...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, n := range made {
		p.tell(sc, lukasa.EventNodeCreated, n, n.ID, nil)
	}
	return out, nil
}

func check(sc lukasa.Scope, n NewNode) error {
	path, err := lukasa.ParsePath(string(n.Path))
	if err != nil {
		return err
	}
	if err := store.MayShape(sc, path); err != nil {
		return err
	}
	if err := checkType(n.Type); err != nil {
		return err
	}
	return checkWords(n.Name, n.Description, n.Summary, n.Keywords)
}

func checkType(t lukasa.NodeType) error {
	switch t {
	case "", lukasa.NodeProject, lukasa.NodeTopic, lukasa.NodeConcept, lukasa.NodePersona:
		return nil
	}
	return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "type", Msg: "is not one of project, topic, concept, persona", Hint: "leave it out: a project on the first level, else a topic"}
}

func checkWords(name, description, summary string, k lukasa.Keywords) error {
	switch {
	case utf8.RuneCountInString(name) > maxNodeName:
		return lukasa.Invalid("name", "is over %d characters", maxNodeName)
	case utf8.RuneCountInString(description) > maxDescription:
		return lukasa.Invalid("description", "is over %d characters", maxDescription)
	case len(strings.Fields(summary)) > maxWords:
		return lukasa.Invalid("summary", "is over %d words", maxWords)
	case len(summary) > 20*maxWords:
		return lukasa.Invalid("summary", "is over %d bytes", 20*maxWords)
	}
	for _, l := range [][]string{k.Entities, k.Topics, k.Dates, k.Relationships} {
		if len(l) > maxNodeWords || slices.ContainsFunc(l, func(s string) bool { return strings.TrimSpace(s) == "" || len(s) > maxNodeName }) {
			return lukasa.Invalid("keywords", "holds over %d entries of a sort, a blank one, or one over %d bytes", maxNodeWords, maxNodeName)
		}
	}
	return nil
}

// make puts a new node with its missing ancestors and returns it and all that were made, ancestors first.
func (p *Path) make(tx store.Tx, in NewNode) (node lukasa.Node, made []lukasa.Node, err error) {
	_, err = tx.NodeAt(in.Path)
	if err == nil {
		return node, nil, &lukasa.Error{Code: lukasa.CodeConflict, Field: "container", Msg: "there is a container " + string(in.Path) + " already", Hint: "change it with PATCH /v1/nodes/" + string(in.Path) + ", or lukasa node edit"}
	}
	if lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return node, nil, err
	}
	parent, made, err := p.ensure(tx, in.Path.Parent())
	if err != nil {
		return node, nil, err
	}
	node = p.node(in.Path, parent.ID, in.Type)
	if in.Name != "" {
		node.Name = in.Name
	}
	node.Description, node.Summary, node.Keywords = in.Description, in.Summary, in.Keywords
	return node, append(made, node), tx.PutNode(node)
}

// ensure returns the node at a path, and the nodes that it had to make for that, ancestors first.
func (p *Path) ensure(tx store.Tx, path lukasa.Path) (lukasa.Node, []lukasa.Node, error) {
	n, err := tx.NodeAt(path)
	if err == nil || lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return n, nil, err
	}
	if path == "" {
		now := p.now()
		root := lukasa.Node{ID: p.Mint.ID(lukasa.PrefixNode), Type: lukasa.NodeRoot, CreatedAt: now, UpdatedAt: now}
		return root, nil, tx.PutNode(root)
	}
	parent, made, err := p.ensure(tx, path.Parent())
	if err != nil {
		return n, nil, err
	}
	n = p.node(path, parent.ID, "")
	return n, append(made, n), tx.PutNode(n)
}

func (p *Path) node(path lukasa.Path, parent lukasa.ID, t lukasa.NodeType) lukasa.Node {
	now := p.now()
	if t == "" {
		t = lukasa.NodeTopic
		if path.Depth() == 1 {
			t = lukasa.NodeProject
		}
	}
	return lukasa.Node{ID: p.Mint.ID(lukasa.PrefixNode), Parent: parent, Path: path, Name: path.Name(), Type: t, Depth: path.Depth(), CreatedAt: now, UpdatedAt: now}
}

// Patch changes what a node says of itself.
func (p *Path) Patch(ctx context.Context, sc lukasa.Scope, idOrPath string, in NodePatch) (out Shell, err error) {
	if in == (NodePatch{}) {
		return out, &lukasa.Error{Code: lukasa.CodeInvalid, Msg: "there is nothing to change", Hint: "give name, type, description, summary or keywords"}
	}
	var n lukasa.Node
	err = p.change(ctx, sc, func(tx store.Tx) error {
		if n, err = find(tx, idOrPath); err != nil {
			return err
		}
		if n.Depth == 0 {
			return lukasa.Errorf(lukasa.CodeForbidden, "the root cannot be changed")
		}
		if err := in.apply(&n); err != nil {
			return err
		}
		n.UpdatedAt = p.now()
		return tx.PutNode(n)
	})
	if err != nil {
		return out, err
	}
	return p.Shell(ctx, sc, string(n.ID), time.Time{})
}

func (in NodePatch) apply(n *lukasa.Node) error {
	if in.Type != nil {
		if *in.Type == "" {
			return lukasa.Invalid("type", "is empty")
		}
		if err := checkType(*in.Type); err != nil {
			return err
		}
		n.Type = *in.Type
	}
	for _, f := range []struct{ from, to *string }{{in.Name, &n.Name}, {in.Description, &n.Description}, {in.Summary, &n.Summary}} {
		if f.from != nil {
			*f.to = strings.TrimSpace(*f.from)
		}
	}
	if in.Keywords != nil {
		n.Keywords = *in.Keywords
	}
	if n.Name == "" {
		n.Name = n.Path.Name()
	}
	return checkWords(n.Name, n.Description, n.Summary, n.Keywords)
}

// Move gives a node another path; its subtree goes along. The parent of the new path must be there, or is made.
func (p *Path) Move(ctx context.Context, sc lukasa.Scope, idOrPath string, to lukasa.Path) (lukasa.Node, error) {
	var n lukasa.Node
	if _, err := lukasa.ParsePath(string(to)); err != nil {
		return n, err
	}
	if err := store.MayShape(sc, to); err != nil {
		return n, err
	}
	var from lukasa.Path
	var made []lukasa.Node
	err := p.change(ctx, sc, func(tx store.Tx) (err error) {
		if n, err = find(tx, idOrPath); err != nil {
			return err
		}
		if n.Depth == 0 || n.Path == sc.Root && sc.Root != "" {
			return &lukasa.Error{Code: lukasa.CodeForbidden, Msg: "this container cannot be moved with this key", Hint: "use a key that is bound to a container above it"}
		}
		if err := store.MayShape(sc, n.Path); err != nil {
			return err
		}
		if n.Path == to {
			return nil
		}
		if n.Path.Covers(to) {
			return lukasa.Errorf(lukasa.CodeConflict, "container %s cannot move below itself", n.Path)
		}
		if _, made, err = p.ensure(tx, to.Parent()); err != nil {
			return err
		}
		if n.Name == n.Path.Name() {
			n.Name = to.Name()
		}
		from, n.Path, n.UpdatedAt = n.Path, to, p.now()
		if err := tx.PutNode(n); err != nil {
			return err
		}
		n, err = tx.Node(n.ID)
		return err
	})
	if err != nil {
		return n, err
	}
	for _, m := range made {
		p.tell(sc, lukasa.EventNodeCreated, m, m.ID, nil)
	}
	if from != "" {
		p.tell(sc, EventNodeMoved, n, n.ID, map[string]any{"from": from})
	}
	return n, nil
}

// The events of this path beside those of the words.
const (
	EventNodeMoved    lukasa.EventType = "node.moved"
	EventNodeArchived lukasa.EventType = "node.archived"
	EventNodeDepth    lukasa.EventType = "node.depth_limited" // something asked for a sixth level, and went to the deepest fitting node
	EventNodeChosen   lukasa.EventType = "node.suggested"     // content without a container was given one
)

// Tree lists the nodes that the patterns name, all for none, as they were at a moment, ordered by path.
func (p *Path) Tree(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, at time.Time) (out Forest, err error) {
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		nodes, err := r.Nodes(in, true)
		out = grow(p, nodes)
		return err
	})
	return out, err
}

// grow makes branches of nodes that are ordered by path; a node whose parent is not among them stands at the top.
func grow(p *Path, nodes []lukasa.Node) Forest {
	have := map[lukasa.Path]bool{}
	below := map[lukasa.Path][]lukasa.Node{}
	for _, n := range nodes {
		have[n.Path] = true
	}
	for _, n := range nodes {
		parent := n.Path.Parent()
		if !have[parent] {
			parent = ""
		}
		below[parent] = append(below[parent], n)
	}
	var branch func(of lukasa.Path) []Branch
	branch = func(of lukasa.Path) []Branch {
		out := []Branch{}
		for _, n := range below[of] {
			out = append(out, Branch{Child: p.child(n), Documents: n.Documents, Memories: n.Memories, Children: branch(n.Path)})
		}
		return out
	}
	return branch("")
}
