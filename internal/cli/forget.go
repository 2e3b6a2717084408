package cli

import (
	"fmt"
	"strings"

	"github.com/lukasa-memory/lukasa"
)

type forgetCmd struct {
	IDs []string `arg:"" name:"id" help:"Ids of documents or memories, or paths of containers."`
	Yes bool     `short:"y" help:"Do not ask."`
}

// Run removes records for good and says what went.
func (c *forgetCmd) Run(a *app) error {
	for _, s := range c.IDs {
		if _, _, err := target(s); err != nil {
			return err
		}
	}
	return a.with(toChange, func(b backend) error {
		var names []string
		for _, s := range c.IDs {
			name, err := nameOf(a, b, s)
			if err != nil {
				return err
			}
			names = append(names, name)
		}
		if err := a.confirm(c.Yes, "Forget "+strings.Join(names, "; ")+"?"); err != nil {
			return err
		}
		var all lukasa.Removal
		for _, s := range c.IDs {
			rm, err := forget(a, b, s)
			if err != nil {
				return err
			}
			all = sum(all, rm)
		}
		return a.tellRemoval(all)
	})
}

// nameOf says what is about to go.
func nameOf(a *app, b backend, s string) (string, error) {
	kind, id, _ := target(s)
	switch kind {
	case lukasa.PrefixDocument:
		d, err := b.Document(a.ctx, id)
		return fmt.Sprintf("the document %q", oneLine(d.Title, 60)), err
	case lukasa.PrefixMemory:
		m, err := b.Memory(a.ctx, id)
		return fmt.Sprintf("the memory %q", oneLine(m.Content, 60)), err
	}
	n, err := b.Node(a.ctx, string(id))
	return fmt.Sprintf("the container %s with everything in it and below it", n.Path), err
}

func forget(a *app, b backend, s string) (lukasa.Removal, error) {
	kind, id, _ := target(s)
	switch kind {
	case lukasa.PrefixDocument:
		return b.DeleteDocument(a.ctx, id)
	case lukasa.PrefixMemory:
		return b.DeleteMemory(a.ctx, id)
	}
	n, err := b.Node(a.ctx, string(id))
	if err != nil {
		return lukasa.Removal{}, err
	}
	return b.DeleteNode(a.ctx, n.ID)
}

func sum(x, y lukasa.Removal) lukasa.Removal {
	return lukasa.Removal{
		Documents: x.Documents + y.Documents, Chunks: x.Chunks + y.Chunks, Vectors: x.Vectors + y.Vectors, Memories: x.Memories + y.Memories,
		Messages: x.Messages + y.Messages, Files: x.Files + y.Files, Nodes: x.Nodes + y.Nodes, Bytes: x.Bytes + y.Bytes, IDs: append(x.IDs, y.IDs...),
	}
}

// tellRemoval prints what went.
func (a *app) tellRemoval(r lukasa.Removal) error {
	if a.g.JSON {
		if r.IDs == nil {
			r.IDs = []lukasa.ID{}
		}
		return a.printJSON(r)
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{r.Documents, "document"}, {r.Chunks, "chunk"}, {r.Vectors, "vector"}, {r.Memories, "memory"}, {r.Messages, "message"}, {r.Files, "file"}, {r.Nodes, "container"}} {
		if p.n > 0 {
			parts = append(parts, counted(p.n, p.what))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	a.say("gone for good: %s", strings.Join(parts, ", "))
	return nil
}
