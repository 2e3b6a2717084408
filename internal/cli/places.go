package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// quoted is a name as an error tells it.
func quoted(s string) string { return fmt.Sprintf("%q", s) }

// known returns an error that says that something is not there.
func known(err error) (*lukasa.Error, bool) {
	e, ok := errors.AsType[*lukasa.Error](err)
	return e, ok && e.Code == lukasa.CodeNotFound
}

// NodeCommands are those of this room on containers.
type NodeCommands struct {
	Name    NodeNameCmd    `cmd:"" help:"Make a container by what people call it, or change the one of that name."`
	Move    NodeMoveCmd    `cmd:"" help:"Give a container, and what is below it, another path."`
	Edit    NodeEditCmd    `cmd:"" help:"Change a container's name, type, description, summary or keywords."`
	Suggest NodeSuggestCmd `cmd:"" help:"Say in which container a text belongs."`
}

// NodeNameCmd makes a container by its name.
type NodeNameCmd struct {
	Name        string `arg:"" help:"What people call it, like \"New Project\"; its path is made of that."`
	Type        string `default:"project" enum:"project,topic,concept,persona" help:"project, topic, concept or persona."`
	Description string `short:"d" help:"What it is for." placeholder:"TEXT"`
	Container   string `short:"c" help:"The container above it." placeholder:"PATH"`
}

// Run makes a container, or changes the one of that name.
func (c *NodeNameCmd) Run(a *app) error {
	return a.concept(client.NewConcept{Name: c.Name, Type: c.Type, Description: c.Description, Parent: c.Container}, func(x client.Concept) {
		a.say("%s  %s  %s (%s)", x.ID, string(x.Path), oneLine(x.Name, 60), x.Type)
	})
}

// concept makes a node of the knowledge graph, or changes the one of that name, and tells of it.
func (a *app) concept(in client.NewConcept, tell func(x client.Concept)) error {
	return a.api(toChange, func(cl *client.Client) error {
		x, err := cl.PutConcept(a.ctx, in)
		if err != nil || a.g.JSON {
			return firstError(err, func() error { return a.printJSON(x) })
		}
		tell(x)
		return nil
	})
}

// NodeMoveCmd moves a container.
type NodeMoveCmd struct {
	Node string `arg:"" help:"Path or id of a container."`
	To   string `arg:"" help:"Its new path."`
}

// Run moves a container with all that is in it and below it.
func (c *NodeMoveCmd) Run(a *app) error {
	return a.api(toChange, func(cl *client.Client) error {
		was, err := cl.Node(a.ctx, c.Node)
		if err != nil {
			return err
		}
		n, err := cl.MoveNode(a.ctx, c.Node, lukasa.Path(c.To))
		if err != nil || a.g.JSON {
			return firstError(err, func() error { return a.printJSON(n) })
		}
		a.say("moved %s to %s", was.Path, n.Path)
		return nil
	})
}

// NodeEditCmd changes what a container says of itself.
type NodeEditCmd struct {
	Node        string   `arg:"" help:"Path or id of a container."`
	Name        *string  `help:"How people call it; the path stays." placeholder:"NAME"`
	Type        *string  `help:"project, topic, concept or persona." placeholder:"TYPE"`
	Description *string  `short:"d" help:"What it is for." placeholder:"TEXT"`
	Summary     *string  `help:"What is in it, in at most 200 words; with \"\" it follows the content again." placeholder:"TEXT"`
	Topic       []string `sep:"none" help:"What it is about, instead of what is worked out; may be repeated." placeholder:"WORD"`
}

// Run changes a container.
func (c *NodeEditCmd) Run(a *app) error {
	p := client.NodePatch{Name: c.Name, Description: c.Description, Summary: c.Summary}
	if c.Type != nil {
		p.Type = new(lukasa.NodeType(*c.Type))
	}
	if len(c.Topic) > 0 {
		p.Keywords = &lukasa.Keywords{Topics: c.Topic}
	}
	if p == (client.NodePatch{}) {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Msg: "nothing to change", Hint: "see `lukasa node edit --help`"}
	}
	return a.api(toChange, func(cl *client.Client) error {
		s, err := cl.PatchNode(a.ctx, c.Node, p)
		if err != nil || a.g.JSON {
			return firstError(err, func() error { return a.printJSON(s) })
		}
		a.say("changed %s  %s", s.ID, s.Path)
		return nil
	})
}

// NodeSuggestCmd says where a text belongs.
type NodeSuggestCmd struct {
	Text  []string `arg:"" optional:"" help:"The text; - reads it from standard input."`
	Title string   `help:"Its title." placeholder:"TEXT"`
}

// Run asks where a text belongs. Nothing is kept.
func (c *NodeSuggestCmd) Run(a *app) error {
	text := strings.Join(c.Text, " ")
	if text == "-" {
		all, err := io.ReadAll(io.LimitReader(a.p.In, a.loaded.Config.MaxBody))
		if err != nil {
			return fmt.Errorf("read standard input: %w", err)
		}
		text = string(all)
	}
	if strings.TrimSpace(text) == "" {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "text", Msg: "is empty", Hint: "give a text, or - for standard input"}
	}
	return a.api(toRead, func(cl *client.Client) error {
		s, err := cl.Suggest(a.ctx, c.Title, text)
		switch {
		case err != nil:
			return err
		case a.g.JSON:
			return a.printJSON(s)
		case s.Path == "":
			a.note("no container fits")
			return nil
		}
		a.say("%s", string(s.Path))
		fresh := ""
		if s.New {
			fresh = ", not there yet"
		}
		a.note("%.0f %% sure%s: %s", 100*s.Confidence, fresh, oneLine(s.Why, 200))
		return nil
	})
}

// EntityCommands are those of this room on who and what is named.
type EntityCommands struct {
	List  EntityListCmd  `cmd:"" help:"List who and what is named, the most mentioned first."`
	Add   EntityAddCmd   `cmd:"" help:"Make somebody or something known before a text does, or add to what is known by that name."`
	Edit  EntityEditCmd  `cmd:"" help:"Change name, kind or aliases."`
	Merge EntityMergeCmd `cmd:"" help:"Make one of two: mentions, relations and names of the second become those of the first."`
}

// Patterns reads the containers that flags name.
func Patterns(in []string) ([]lukasa.Pattern, error) {
	var out []lukasa.Pattern
	for _, s := range in {
		p, err := lukasa.ParsePattern(s, false)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// EntityListCmd lists entities.
type EntityListCmd struct {
	Name      []string `arg:"" optional:"" help:"Only what is called about so, the most alike first; small slips are forgiven."`
	Container []string `short:"c" sep:"none" help:"Only who and what is named here, as often as here: work (with all below it), work! (it alone) or work.* (its children); may be repeated." placeholder:"PATH"`
	Kind      string   `help:"Only this kind: person, organisation, place, product, or a word of your own." placeholder:"KIND"`
	AsOf      string   `help:"As it was then." placeholder:"TIME"`
	Paging
}

// Run lists entities.
func (c *EntityListCmd) Run(a *app) error {
	at, err := Moment("--as-of", c.AsOf)
	if err != nil {
		return err
	}
	in, err := Patterns(c.Container)
	if err != nil {
		return err
	}
	return a.api(toRead, func(cl *client.Client) error {
		l, err := cl.Entities(a.ctx, in, c.Kind, strings.Join(c.Name, " "), c.page(), at)
		if err != nil {
			return err
		}
		return show(a, l, []string{"ID", "KIND", "MENTIONS", "NAME"}, func(m client.Match) []string {
			return []string{string(m.ID), m.Kind, fmt.Sprint(m.Mentions), oneLine(m.Name, 60) + a.also(m.Entity)}
		})
	})
}

// EntityAddCmd makes an entity.
type EntityAddCmd struct {
	Name        []string `arg:"" help:"What they are called; what was said of them by this name is linked with them."`
	Kind        string   `default:"person" help:"person, organisation, place, product, or a word of your own." placeholder:"KIND"`
	Alias       []string `sep:"none" help:"Another name; may be repeated." placeholder:"NAME"`
	Description string   `short:"d" help:"Who or what that is to this container." placeholder:"TEXT"`
	Container   string   `short:"c" help:"The container that mentions them; otherwise the one for content that names none." placeholder:"PATH"`
}

// Run makes an entity, or adds to the one of that name and kind.
func (c *EntityAddCmd) Run(a *app) error {
	in := client.NewConcept{Name: strings.Join(c.Name, " "), Type: "entity", Kind: c.Kind, Aliases: c.Alias, Description: c.Description, Parent: c.Container}
	return a.concept(in, func(x client.Concept) {
		a.say("%s  %s (%s)%s", x.ID, oneLine(x.Name, 60), x.Kind, a.also(lukasa.Entity{Aliases: x.Aliases}))
	})
}

// EntityEditCmd changes an entity.
type EntityEditCmd struct {
	Entity    string   `arg:"" help:"Its id, or its name as it is written."`
	Name      *string  `help:"New name; the old one stays as an alias, unless aliases are given too." placeholder:"NAME"`
	Kind      *string  `help:"person, organisation, place, product, or a word of your own." placeholder:"KIND"`
	Alias     []string `sep:"none" help:"Other names, instead of those that are known; may be repeated." placeholder:"NAME" xor:"alias"`
	NoAliases bool     `help:"Take all other names away." xor:"alias"`
}

// Run changes an entity.
func (c *EntityEditCmd) Run(a *app) error {
	p := client.EntityPatch{Name: c.Name, Kind: c.Kind}
	if len(c.Alias) > 0 || c.NoAliases {
		p.Aliases = new(append([]string{}, c.Alias...))
	}
	if p == (client.EntityPatch{}) {
		return &lukasa.Error{Code: lukasa.CodeInvalid, Msg: "nothing to change", Hint: "see `lukasa entity edit --help`"}
	}
	return a.api(toChange, func(cl *client.Client) error {
		who, err := named(a, cl, c.Entity)
		if err != nil {
			return err
		}
		e, err := cl.PatchEntity(a.ctx, who.ID, p)
		return firstError(err, func() error { return a.changed(e) })
	})
}

// changed tells what an entity is called now.
func (a *app) changed(e lukasa.Entity) error {
	if a.g.JSON {
		return a.printJSON(e)
	}
	a.say("%s  %s (%s)%s", e.ID, oneLine(e.Name, 60), e.Kind, a.also(e))
	return nil
}

// also are the other names of an entity, as they stand behind its name.
func (a *app) also(e lukasa.Entity) string {
	if len(e.Aliases) == 0 {
		return ""
	}
	return oneLine(", also "+strings.Join(e.Aliases, ", "), 100)
}

// EntityMergeCmd makes one entity of two.
type EntityMergeCmd struct {
	Entity string `arg:"" help:"The one that stays, by id, or by name as it is written."`
	Other  string `arg:"" help:"The one that becomes one with it."`
	Yes    bool   `short:"y" help:"Do not ask."`
}

// Run makes one entity of two.
func (c *EntityMergeCmd) Run(a *app) error {
	return a.api(toChange, func(cl *client.Client) error {
		into, err := named(a, cl, c.Entity)
		if err != nil {
			return err
		}
		other, err := named(a, cl, c.Other)
		if err != nil {
			return err
		}
		if err := a.confirm(c.Yes, fmt.Sprintf("Make %s (%s) one with %s (%s)?", oneLine(other.Name, 60), other.ID, oneLine(into.Name, 60), into.ID)); err != nil {
			return err
		}
		e, err := cl.MergeEntities(a.ctx, into.ID, other.ID)
		return firstError(err, func() error { return a.changed(e) })
	})
}
