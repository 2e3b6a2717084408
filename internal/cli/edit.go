package cli

import (
	"cmp"
	"time"

	"github.com/lukasa-memory/lukasa"
)

type editCmd struct {
	ID          string            `arg:"" help:"Id of a document, memory or conversation, or your own name for a conversation."`
	Title       *string           `help:"New title of a document or conversation; a conversation without one (--title=) goes by its name."`
	Tag         []string          `short:"t" sep:"none" help:"New labels, instead of those that are there; may be repeated." xor:"tags"`
	NoTags      bool              `help:"Take all labels away." xor:"tags"`
	Meta        map[string]string `mapsep:"none" help:"Set a fact, or remove it with NAME=; may be repeated." placeholder:"NAME=VALUE"`
	ForgetAfter string            `help:"When to forget it: a date, a time from now like 30d, or never." placeholder:"TIME"`
	Kind        *string           `help:"New kind of a memory."`
	Confidence  *float64          `help:"New confidence of a memory, 0 to 1." placeholder:"X"`
	State       *string           `help:"Put a memory away, out of searches (archived), or take it out again (active)." enum:"active,archived"`
	To          string            `help:"Move a conversation into this container, with all that was said in it; made if it is new." placeholder:"PATH"`
	Container   string            `short:"c" help:"Of the conversation that ID names." placeholder:"PATH"`
}

// Run changes one record.
func (c *editCmd) Run(a *app) error {
	kind, id, err := Target(c.ID, lukasa.PrefixDocument, lukasa.PrefixMemory, lukasa.PrefixConversation)
	if err != nil {
		return err
	}
	talk := kind == lukasa.PrefixConversation || kind == lukasa.PrefixNode // by its name
	if !talk && (c.To != "" || c.Container != "") {
		return lukasa.Invalid("id", "--to and --container are for conversations")
	}
	var tags *[]string
	if len(c.Tag) > 0 || c.NoTags {
		t := append([]string{}, c.Tag...)
		tags = &t
	}
	var forget *time.Time
	never := c.ForgetAfter == "never"
	if !never {
		if forget, err = When("--forget-after", c.ForgetAfter, time.Now()); err != nil {
			return err
		}
	}
	d := lukasa.DocumentPatch{Title: c.Title, Tags: tags, Metadata: Metadata(c.Meta), ForgetAfter: forget, ClearForget: never}
	switch {
	case talk:
		return c.conversation(a, d)
	case kind == lukasa.PrefixDocument:
		return c.document(a, id, d)
	}
	p := lukasa.MemoryPatch{Confidence: c.Confidence, Tags: tags, Metadata: Metadata(c.Meta), ForgetAfter: forget, ClearForget: never, State: c.State}
	if c.Kind != nil {
		k := lukasa.MemoryKind(*c.Kind)
		p.Kind = &k
	}
	return c.memory(a, id, p)
}

// nothing is the error of an edit that changes nothing.
func nothing() error {
	return &lukasa.Error{Code: lukasa.CodeInvalid, Msg: "nothing to change", Hint: "see `lukasa edit --help`"}
}

func (c *editCmd) conversation(a *app, p lukasa.DocumentPatch) error {
	if c.Kind != nil || c.Confidence != nil || c.State != nil {
		return lukasa.Invalid("id", "--kind, --confidence and --state are for memories")
	}
	if unchanged(p) && c.To == "" {
		return nothing()
	}
	return a.with(toChange, func(b backend) error {
		v, err := b.PatchConversation(a.ctx, c.ID, c.Container, p, c.To)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound && lukasa.ID(c.ID).Prefix() == "" {
			return lukasa.Invalid("id", "expected a document (doc_…) or a memory (mem_…), or a conversation (conv_…) or its name; no conversation has the name %q", c.ID)
		}
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(v)
		}
		a.say("changed %s  %s  %s", v.ID, v.Path, oneLine(cmp.Or(v.Title, v.ExternalID), 60))
		return nil
	})
}

// unchanged reports whether a patch says nothing.
func unchanged(p lukasa.DocumentPatch) bool {
	return p.Title == nil && p.Tags == nil && p.Metadata == nil && p.ForgetAfter == nil && !p.ClearForget
}

func (c *editCmd) document(a *app, id lukasa.ID, p lukasa.DocumentPatch) error {
	if c.Kind != nil || c.Confidence != nil || c.State != nil {
		return lukasa.Invalid("id", "--kind, --confidence and --state are for memories")
	}
	if unchanged(p) {
		return nothing()
	}
	return a.with(toChange, func(b backend) error {
		d, err := b.PatchDocument(a.ctx, id, p)
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(d)
		}
		a.say("changed %s  %s", d.ID, oneLine(d.Title, 60))
		return nil
	})
}

func (c *editCmd) memory(a *app, id lukasa.ID, p lukasa.MemoryPatch) error {
	if c.Title != nil {
		return lukasa.Invalid("id", "--title is for documents and conversations")
	}
	if p.Kind == nil && p.Confidence == nil && p.Tags == nil && p.Metadata == nil && p.ForgetAfter == nil && !p.ClearForget && p.State == nil {
		return nothing()
	}
	return a.with(toChange, func(b backend) error {
		m, err := b.PatchMemory(a.ctx, id, p)
		if err != nil {
			return err
		}
		if a.g.JSON {
			return a.printJSON(m)
		}
		a.say("changed %s  %s", m.ID, oneLine(m.Content, 60))
		return nil
	})
}
