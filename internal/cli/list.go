package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

type listCmd struct {
	What      string   `arg:"" optional:"" enum:"documents,memories,conversations,recall-files,containers" default:"documents" help:"What to list: documents (default), memories, conversations, recall-files or containers."`
	Container []string `short:"c" sep:"none" help:"Only here: work (with all below it), work! (it alone) or work.* (its children); may be repeated." placeholder:"PATH"`
	Tag       []string `short:"t" sep:"none" help:"Documents and memories: only with this label; may be repeated."`
	Title     string   `help:"Documents and recall files: only with this in the title or topic."`
	Status    []string `help:"Documents and recall files: only with this status, like failed or finalized."`
	State     string   `help:"Memories: active, archived, quarantined or candidate; current, or superseded by something newer; left out, all but those that wait for a review." enum:"active,archived,quarantined,candidate,current,superseded," default:""`
	Limit     int      `short:"n" default:"20" help:"How many, 1 to 100." placeholder:"N"`
	Cursor    string   `help:"Go on where next_cursor says."`
	All       bool     `help:"All of them."`
	AsOf      string   `help:"As they were then." placeholder:"TIME"`

	Narrow Narrow `embed:"" group:"Memories only:"`
}

// Run lists.
func (c *listCmd) Run(a *app) error {
	in, err := Patterns(c.Container)
	if err != nil {
		return err
	}
	if c.Limit < 1 || c.Limit > 100 {
		return lukasa.Invalid("--limit", "is not between 1 and 100")
	}
	if err := errors.Join(
		Only("--tag", len(c.Tag) > 0, c.What, "documents", "memories"),
		Only("--title", c.Title != "", c.What, "documents", "recall-files"),
		Only("--status", len(c.Status) > 0, c.What, "documents", "recall-files"),
		Only("--state", c.State != "", c.What, "memories"),
		c.Narrow.Only(c.What),
	); err != nil {
		return err
	}
	return a.then(c.AsOf, func(b client.Verbs) error {
		switch c.What {
		case "memories":
			return c.memories(a, b, in)
		case "conversations":
			return c.conversations(a, b, in)
		case "recall-files":
			return c.recallFiles(a, b, in)
		case "containers":
			return c.containers(a, b, in)
		}
		return c.documents(a, b, in)
	})
}

// pages gathers what is asked for: one page, or all of them.
func pages[T any](c *listCmd, list func(lukasa.Page) (lukasa.Listing[T], error)) (lukasa.Listing[T], error) {
	p := lukasa.Page{Cursor: c.Cursor, Limit: c.Limit}
	if c.All {
		p.Limit = 100
	}
	out, err := list(p)
	if out.Items == nil {
		out.Items = []T{}
	}
	for c.All && err == nil && out.Next != "" {
		p.Cursor = out.Next
		var more lukasa.Listing[T]
		more, err = list(p)
		out.Items, out.Next = append(out.Items, more.Items...), more.Next
	}
	return out, err
}

// show prints a listing as JSON or as a table.
func show[T any](a *app, l lukasa.Listing[T], header []string, row func(T) []string) error {
	if a.g.JSON {
		return a.printJSON(l)
	}
	if len(l.Items) == 0 {
		a.note("there are none")
		return nil
	}
	rows := make([][]string, len(l.Items))
	for i, x := range l.Items {
		rows[i] = row(x)
	}
	if err := a.table(header, rows); err != nil {
		return err
	}
	if l.Next != "" {
		a.note("%d of %d; more with --cursor %s", len(l.Items), l.Total, l.Next)
	}
	return nil
}

func (c *listCmd) documents(a *app, b client.Verbs, in []lukasa.Pattern) error {
	within, err := c.Narrow.times()
	if err != nil {
		return err
	}
	f := lukasa.DocumentFilter{Containers: in, Tags: c.Tag, Title: c.Title, After: within.from, Before: within.to}
	for _, s := range c.Status {
		f.Status = append(f.Status, lukasa.Status(s))
	}
	l, err := pages(c, func(p lukasa.Page) (lukasa.Listing[lukasa.Document], error) { return b.Documents(a.ctx, f, p) })
	if err != nil {
		return err
	}
	if len(f.Status) == 1 && f.Status[0] == lukasa.StatusFailed { // what matters of them is why
		return show(a, l, []string{"ID", "CREATED", "CONTAINER", "TITLE", "REASON"}, func(d lukasa.Document) []string {
			return []string{string(d.ID), when(d.CreatedAt), string(d.Path), oneLine(d.Title, 40), oneLine(d.Reason, 200)}
		})
	}
	return show(a, l, []string{"ID", "CREATED", "CONTAINER", "TYPE", "STATUS", "TITLE"}, func(d lukasa.Document) []string {
		return []string{string(d.ID), when(d.CreatedAt), string(d.Path), d.ContentType, string(d.Status), oneLine(d.Title, 60)}
	})
}

func (c *listCmd) memories(a *app, b client.Verbs, in []lukasa.Pattern) error {
	f := lukasa.MemoryFilter{Containers: in, Tags: c.Tag}
	switch c.State {
	case "":
	case "active":
		f.State = new("")
	case "current", "superseded":
		f.Latest = new(c.State == "current")
	default:
		f.State = &c.State
	}
	f, err := c.Narrow.Memories(f)
	if err != nil {
		return err
	}
	l, err := pages(c, func(p lukasa.Page) (lukasa.Listing[lukasa.Memory], error) { return b.Memories(a.ctx, f, p) })
	if err != nil {
		return err
	}
	return show(a, l, []string{"ID", "RECORDED", "CONTAINER", "KIND", "CONTENT"}, func(m lukasa.Memory) []string {
		content := oneLine(m.Content, 80)
		if m.Held() {
			content += " (" + m.Reason + ")"
		} else if !m.IsLatest {
			content += " (superseded)"
		}
		return []string{string(m.ID), when(m.RecordedAt), string(m.Path), string(m.Kind), content}
	})
}

func (c *listCmd) conversations(a *app, b client.Verbs, in []lukasa.Pattern) error {
	l, err := pages(c, func(p lukasa.Page) (lukasa.Listing[lukasa.Conversation], error) { return b.Conversations(a.ctx, in, p) })
	if err != nil {
		return err
	}
	return show(a, l, []string{"ID", "UPDATED", "CONTAINER", "MESSAGES", "NAME"}, func(v lukasa.Conversation) []string {
		return []string{string(v.ID), when(v.UpdatedAt), string(v.Path), fmt.Sprint(v.Messages), oneLine(cmp.Or(v.Title, v.ExternalID), 60)}
	})
}

func (c *listCmd) containers(a *app, b client.Verbs, in []lukasa.Pattern) error {
	nodes, err := b.Nodes(a.ctx, in)
	if err != nil {
		return err
	}
	if nodes == nil {
		nodes = []lukasa.Node{}
	}
	l := lukasa.Listing[lukasa.Node]{Items: nodes, Total: len(nodes)}
	return show(a, l, []string{"CONTAINER", "DOCUMENTS", "MEMORIES", "TYPE", "DESCRIPTION"}, func(n lukasa.Node) []string {
		return []string{string(n.Path), fmt.Sprint(n.Documents), fmt.Sprint(n.Memories), string(n.Type), oneLine(n.Description, 60)}
	})
}
