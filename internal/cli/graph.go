package cli

import (
	"context"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/engine"
)

// Graph and Entity give the answers of a server the shape that the MCP door wants.
func (v verbs) Graph(ctx context.Context, _ lukasa.Scope, in []lukasa.Pattern, limit int, solo bool) (engine.Picture, error) {
	return recast[engine.Picture](v.Client.Graph(ctx, in, limit, solo))
}

func (v verbs) Entity(ctx context.Context, _ lukasa.Scope, idOrName string, at time.Time) (engine.About, error) {
	return recast[engine.About](v.Client.Entity(ctx, idOrName, at))
}

// Bury and Delete do the same for forgetting.
func (v verbs) Bury(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (engine.Buried, error) {
	b, err := v.Scoped.Bury(ctx, sc, id)
	return engine.Buried(b), err
}

func (v verbs) Delete(ctx context.Context, _ lukasa.Scope, id lukasa.ID) (engine.DeletionReceipt, error) {
	d, err := v.Client.Delete(ctx, id, false, false)
	return engine.DeletionReceipt{ID: d.ReceiptID, Resource: id, Removed: d.Removal}, err
}

type entityCmd struct {
	Show entityShowCmd `cmd:"" default:"withargs" help:"Tell everything about a person, organisation, place or product; the word show may be left out."`
	EntityCommands
}

type entityShowCmd struct {
	Name []string `arg:"" help:"Name of a person, organisation, place or product, or its id; small slips are forgiven."`
	AsOf string   `name:"as-of" help:"As it was then." placeholder:"TIME"`
}

// Run shows everything about an entity.
func (c *entityShowCmd) Run(a *app) error {
	at, err := Moment("--as-of", c.AsOf)
	if err != nil {
		return err
	}
	name := strings.Join(c.Name, " ")
	return tell(a, toRead, func(e *engine.Engine, sc lukasa.Scope) (engine.About, error) { return e.Entity(a.ctx, sc, name, at) },
		func(x *client.Client) (any, error) { return x.Entity(a.ctx, name, at) })
}

type graphCmd struct {
	Of        []string `arg:"" optional:"" help:"What to look around: ids, paths of containers, names. None: everything, with its place in a drawing."`
	Depth     int      `short:"d" default:"1" help:"How many links away, 1 to 6." placeholder:"N"`
	Limit     int      `short:"n" help:"How many at most."`
	Type      []string `help:"Only along links of these types, like mentions." placeholder:"TYPE"`
	Container []string `short:"c" sep:"none" help:"Draw only these containers; may be repeated." placeholder:"PATH"`
	Solo      bool     `help:"Draw also topics and names that only one record has."`
	AsOf      string   `name:"as-of" help:"As it was then." placeholder:"TIME"`
}

// Run shows what hangs on what.
func (c *graphCmd) Run(a *app) error {
	at, err := Moment("--as-of", c.AsOf)
	if err != nil {
		return err
	}
	in, err := Patterns(c.Container)
	if err != nil {
		return err
	}
	var types []lukasa.EdgeType
	for _, t := range c.Type {
		types = append(types, lukasa.EdgeType(t))
	}
	if len(c.Of) > 0 {
		return tell(a, toRead, func(e *engine.Engine, sc lukasa.Scope) (engine.Hood, error) {
			return e.Around(a.ctx, sc, c.Of, c.Depth, c.Limit, types, at)
		},
			func(x *client.Client) (any, error) { return x.Around(a.ctx, c.Of, c.Depth, c.Limit, types, at) })
	}
	if len(types) > 0 {
		return lukasa.Invalid("--type", "is for what lies around something: say what")
	}
	return tell(a, toRead, func(e *engine.Engine, sc lukasa.Scope) (engine.Drawing, error) {
		g, err := e.GraphAt(a.ctx, sc, in, c.Limit, c.Solo, at)
		return engine.Drawing{Picture: g}, err
	}, func(x *client.Client) (any, error) { return x.GraphAt(a.ctx, in, c.Limit, c.Solo, at) })
}
