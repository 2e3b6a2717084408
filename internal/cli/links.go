package cli

import (
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// Ends are a link as it is named. It is exported because kong reads exported embedded structs only.
type Ends struct {
	Source string `arg:"" help:"What the link begins at: an id, a container's path, or a name."`
	Type   string `arg:"" enum:"contains,relates_to,mentions,discussed_in,updates,extends,derives,supersedes,references,precedes" help:"How the two hang together: relates_to, references, mentions, updates, supersedes, extends, derives, precedes, discussed_in or contains."`
	Target string `arg:"" help:"What it leads to."`
}

// LinkCmd links two records.
type LinkCmd struct {
	Ends
	Weight     float64           `help:"How much it weighs; otherwise 1." placeholder:"X"`
	Confidence float64           `help:"How sure it is, 0 to 1; otherwise 1." placeholder:"X"`
	Meta       map[string]string `mapsep:"none" help:"Further fact about it; may be repeated." placeholder:"NAME=VALUE"`
}

// Help is the detail of the command's help.
func (LinkCmd) Help() string {
	return `A link of the same source, target and type is replaced. updates or supersedes between two memories of one container takes the target out of force; unlink puts it back. lukasa graph shows what hangs on what.`
}

// Run links two records.
func (c *LinkCmd) Run(a *app) error {
	return a.api(toChange, func(cl *client.Client) error {
		e, between, err := c.edge(a, cl)
		if err != nil {
			return err
		}
		e.Weight, e.Confidence, e.Metadata = c.Weight, c.Confidence, Metadata(c.Meta)
		e, err = cl.Link(a.ctx, e)
		if err != nil || a.g.JSON {
			return firstError(err, func() error { return a.printJSON(e) })
		}
		a.say("linked %s", between)
		return nil
	})
}

// UnlinkCmd removes a link.
type UnlinkCmd struct{ Ends }

// Run removes a link between two records.
func (c *UnlinkCmd) Run(a *app) error {
	return a.api(toChange, func(cl *client.Client) error {
		e, between, err := c.edge(a, cl)
		if err != nil {
			return err
		}
		err = cl.Unlink(a.ctx, e)
		if err != nil || a.g.JSON {
			return firstError(err, func() error { return a.printJSON(map[string]bool{"deleted": true}) })
		}
		a.say("unlinked %s", between)
		return nil
	})
}

// edge is the link that is named, and how it is told.
func (n *Ends) edge(a *app, cl *client.Client) (e lukasa.Edge, between string, err error) {
	e.Type = lukasa.EdgeType(n.Type)
	var from, to string
	if e.From, from, err = n.end(a, cl, "source", n.Source); err == nil {
		e.To, to, err = n.end(a, cl, "target", n.Target)
	}
	return e, from + " " + n.Type + " " + to, err
}

// end is the record that is named, by its id as it is, else by the path of a container, or by a name as it is written.
func (n *Ends) end(a *app, cl *client.Client, field, s string) (id, told string, err error) {
	if p := lukasa.ID(s).Prefix(); p != "" {
		if _, err := lukasa.ParseID(p, s); err == nil {
			return s, s, nil
		}
	}
	if path, err := lukasa.ParsePath(s); err == nil {
		node, err := cl.Node(a.ctx, string(path))
		if err == nil {
			return string(node.ID), string(node.ID) + " (" + string(node.Path) + ")", nil
		}
		if lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return "", "", err
		}
	}
	who, err := named(a, cl, s)
	if e, ok := known(err); ok {
		e.Field = field
		e.Msg = "no container and nobody called " + quoted(s)
	}
	return string(who.ID), string(who.ID) + " (" + oneLine(who.Name, 60) + ")", err
}

// named is the one entity that has exactly this id or name: what is changed is not guessed at.
func named(a *app, cl *client.Client, s string) (lukasa.Entity, error) {
	if id, err := lukasa.ParseID(lukasa.PrefixEntity, s); err == nil {
		known, err := cl.Entity(a.ctx, string(id), time.Time{})
		return known.Entity, err
	}
	l, err := cl.Entities(a.ctx, nil, "", s, lukasa.Page{Limit: 10}, time.Time{})
	if err != nil {
		return lukasa.Entity{}, err
	}
	var same []lukasa.Entity
	for _, m := range l.Items {
		if m.Score >= 1 {
			same = append(same, m.Entity)
		}
	}
	switch {
	case len(same) == 1:
		return same[0], nil
	case len(same) > 1:
		e := &lukasa.Error{Code: lukasa.CodeConflict, Field: "name", Msg: counted(len(same), "entity") + " are called " + quoted(s), Hint: "name one by its id:"}
		for _, x := range same {
			e.Hint += " " + string(x.ID) + " (" + x.Kind + ")"
		}
		return lukasa.Entity{}, e
	}
	e := &lukasa.Error{Code: lukasa.CodeNotFound, Field: "name", Msg: "nobody and nothing called " + quoted(s)}
	if len(l.Items) > 0 {
		e.Hint = "did you mean " + quoted(l.Items[0].Name) + "?"
	}
	return lukasa.Entity{}, e
}
