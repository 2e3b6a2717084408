package cli

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// tell asks the engine of this process, or the server, and prints the answer as text or JSON.
func tell[T interface{ Text() string }](a *app, n need, here func(e *engine.Engine, sc lukasa.Scope) (T, error), there func(c *client.Client) (any, error)) error {
	return a.with(n, func(b backend) error {
		var out T
		var err error
		if l, ok := b.(*local); ok {
			out, err = here(l.e, l.sc)
		} else if r, ok := b.(*remote); ok {
			out, err = recast[T](there(r.Client))
		}
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(out)
		}
		a.say("%s", plain(strings.TrimRight(out.Text(), "\n")))
		return nil
	})
}

// recast gives an answer of the client the type of the engine: both have the shape of the API.
func recast[T any](v any, err error) (T, error) {
	var out T
	if err != nil {
		return out, err
	}
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	return out, err
}

type nodeCmd struct {
	Show    nodeShowCmd    `cmd:"" help:"Show what a container is about, what it holds and what is below it."`
	Tree    nodeTreeCmd    `cmd:"" help:"Show containers as a tree."`
	Make    nodeMakeCmd    `cmd:"" help:"Make containers: all that are named, or none."`
	Archive nodeArchiveCmd `cmd:"" help:"Move everything of a container into its parent, and remove it."`
	NodeCommands
}

type nodeShowCmd struct {
	Node string `arg:"" help:"Path or id of a container."`
	AsOf string `name:"as-of" help:"As it was then." placeholder:"TIME"`
}

// Run shows a container.
func (c *nodeShowCmd) Run(a *app) error {
	at, err := Moment("--as-of", c.AsOf)
	if err != nil {
		return err
	}
	return tell(a, toRead, func(e *engine.Engine, sc lukasa.Scope) (engine.Shell, error) { return e.Shell(a.ctx, sc, c.Node, at) },
		func(x *client.Client) (any, error) { return x.Shell(a.ctx, c.Node, at) })
}

type nodeTreeCmd struct {
	Container []string `arg:"" optional:"" help:"Only these, with what is below them."`
}

// Run shows the tree.
func (c *nodeTreeCmd) Run(a *app) error {
	in, err := Patterns(c.Container)
	if err != nil {
		return err
	}
	return tell(a, toRead, func(e *engine.Engine, sc lukasa.Scope) (engine.Forest, error) {
		return e.Tree(a.ctx, sc, in, time.Time{})
	},
		func(x *client.Client) (any, error) { return x.Tree(a.ctx, in, time.Time{}) })
}

type nodeMakeCmd struct {
	Path        []string `arg:"" help:"Dotted paths of at most five levels; missing ones above are made too."`
	Type        string   `help:"project, topic, concept or persona."`
	Description string   `short:"d" help:"What they are for."`
}

// Run makes containers.
func (c *nodeMakeCmd) Run(a *app) error {
	list := make([]engine.NewNode, len(c.Path))
	for i, p := range c.Path {
		list[i] = engine.NewNode{Path: lukasa.Path(p), Type: lukasa.NodeType(c.Type), Description: c.Description}
	}
	return tell(a, toWrite, func(e *engine.Engine, sc lukasa.Scope) (engine.Provisioned, error) {
		return e.Provision(a.ctx, sc, list)
	},
		func(x *client.Client) (any, error) {
			same, err := recast[[]client.NewNode](list, nil)
			if err != nil {
				return nil, err
			}
			return x.Provision(a.ctx, same)
		})
}

type nodeArchiveCmd struct {
	Node string `arg:"" help:"Path or id of a container."`
	Into string `help:"Archive into this one, not into the parent." placeholder:"PATH"`
}

// Run archives a container.
func (c *nodeArchiveCmd) Run(a *app) error {
	return tell(a, toChange, func(e *engine.Engine, sc lukasa.Scope) (engine.Archived, error) {
		return e.ArchiveNode(a.ctx, sc, c.Node, lukasa.Path(c.Into))
	}, func(x *client.Client) (any, error) { return x.ArchiveNode(a.ctx, c.Node, lukasa.Path(c.Into)) })
}
