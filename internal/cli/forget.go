package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// ForgetCmd removes records.
type ForgetCmd struct {
	IDs       []string `arg:"" optional:"" name:"id" help:"Ids of documents, memories, messages or conversations, or paths of containers."`
	About     string   `placeholder:"NAME" help:"Forget a person, organisation, place or product: the memories of it, and the messages that name it."`
	Documents bool     `help:"With --about: the documents that name it, too."`
	Trash     bool     `help:"Put it into the trash, from where restore takes it out again."`
	Verify    bool     `help:"Wait until the store's own files are cleaned of it, and search them."`
	Yes       bool     `short:"y" help:"Do not ask."`
}

// Run removes records and says what went.
func (c *ForgetCmd) Run(a *app) error {
	switch {
	case c.About != "" && len(c.IDs) > 0:
		return lukasa.Invalid("--about", "goes without ids")
	case c.About != "":
		return a.api(toChange, func(cl *client.Client) error { return c.about(a, cl) })
	case c.Documents:
		return lukasa.Invalid("--documents", "goes with --about")
	case len(c.IDs) == 0:
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "id", Msg: "is missing", Hint: "name what to forget by its id, or somebody with --about"}
	}
	for _, s := range c.IDs {
		if err := forgettable(s); err != nil {
			return err
		}
	}
	return a.api(toChange, func(cl *client.Client) error {
		var names []string
		for _, s := range c.IDs {
			name, err := nameOf(a, cl, s)
			if err != nil {
				return err
			}
			names = append(names, name)
		}
		if !c.Trash {
			if err := a.confirm(c.Yes, "Forget "+strings.Join(names, "; ")+"?"); err != nil {
				return err
			}
		}
		var all []client.Deleted
		for _, s := range c.IDs {
			rm, err := cl.Delete(a.ctx, lukasa.ID(s), c.Trash, c.Verify)
			if err != nil {
				return a.broken(all, err)
			}
			all = append(all, rm)
		}
		return a.TellDeleted(all)
	})
}

// forgettable refuses ids of what cannot be forgotten by itself.
func forgettable(s string) error {
	p := lukasa.ID(s).Prefix()
	switch p {
	case lukasa.PrefixDocument, lukasa.PrefixMemory, lukasa.PrefixMessage, lukasa.PrefixConversation, lukasa.PrefixNode:
		_, err := lukasa.ParseID(p, s)
		return err
	case lukasa.PrefixUser, lukasa.PrefixKey, lukasa.PrefixChunk, lukasa.PrefixFile, lukasa.PrefixEntity:
		if _, err := lukasa.ParseID(p, s); err == nil {
			return &lukasa.Error{
				Code: lukasa.CodeInvalid, Field: "id",
				Msg: fmt.Sprintf("expected a document (doc_…), a memory (mem_…), a message (msg_…), a conversation (conv_…) or a container, got an id that starts with %q", string(p)+"_"),
			}
		}
	}
	return nil
}

// nameOf says what is about to go.
func nameOf(a *app, c *client.Client, s string) (string, error) {
	id := lukasa.ID(s)
	switch id.Prefix() {
	case lukasa.PrefixDocument:
		d, err := c.Document(a.ctx, id)
		return fmt.Sprintf("the document %q", oneLine(d.Title, 60)), err
	case lukasa.PrefixMemory:
		m, err := c.Memory(a.ctx, id)
		return fmt.Sprintf("the memory %q", oneLine(m.Content, 60)), err
	case lukasa.PrefixConversation:
		v, err := c.Conversation(a.ctx, id)
		return fmt.Sprintf("the conversation %q with its %s", oneLine(v.ExternalID, 60), counted(v.Messages, "message")), err
	case lukasa.PrefixMessage:
		return "the message " + s, nil
	}
	n, err := c.Node(a.ctx, s)
	return fmt.Sprintf("the container %s with everything in it and below it", n.Path), err
}

// broken tells what has gone before an error ended it.
func (a *app) broken(gone []client.Deleted, err error) error {
	if len(gone) == 0 {
		return err
	}
	return errors.Join(err, a.TellDeleted(gone))
}

// TellDeleted prints what went, or lies in the trash.
func (a *app) TellDeleted(list []client.Deleted) error {
	var all lukasa.Removal
	for _, d := range list {
		r := d.Removal
		all = lukasa.Removal{
			Documents: all.Documents + r.Documents, Chunks: all.Chunks + r.Chunks, Vectors: all.Vectors + r.Vectors, Memories: all.Memories + r.Memories,
			Messages: all.Messages + r.Messages, Files: all.Files + r.Files, Nodes: all.Nodes + r.Nodes, Edges: all.Edges + r.Edges,
			Entities: all.Entities + r.Entities, Jobs: all.Jobs + r.Jobs, Bytes: all.Bytes + r.Bytes, IDs: append(all.IDs, r.IDs...),
		}
	}
	if a.g.JSON {
		if len(list) == 1 {
			return a.printJSON(list[0])
		}
		return a.printJSON(struct {
			lukasa.Removal
			Items []client.Deleted `json:"items"`
		}{all, list})
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{all.Documents, "document"},
		{all.Chunks, "chunk"},
		{all.Vectors, "vector"},
		{all.Memories, "memory"},
		{all.Messages, "message"},
		{all.Files, "file"},
		{all.Nodes, "container"},
		{all.Edges, "edge"},
		{all.Entities, "entity"},
	} {
		if p.n > 0 {
			parts = append(parts, counted(p.n, p.what))
		}
	}
	if len(parts) > 0 {
		a.say("gone for good: %s", strings.Join(parts, ", "))
	}
	for _, d := range list {
		switch {
		case d.Trash != nil:
			a.say("in the trash until %s: %s", when(d.Trash.Until), d.Trash.ID)
		case d.Scrub != nil && d.Scrub.State != "pending":
			a.say("receipt %s: %s", d.ReceiptID, a.scrubLine(*d.Scrub))
		default:
			a.note("receipt %s", d.ReceiptID)
		}
	}
	return nil
}

// scrubLine says in one line what became of the traces of a deletion.
func (a *app) scrubLine(s client.Scrub) string {
	line := map[string]string{"pending": "the store's files are still to be cleaned", "unsearched": "the store's files are cleaned; there was nothing to search them for"}[s.State]
	looked := fmt.Sprintf("%s of it searched for in %s (%s)", counted(s.Pieces, "piece"), counted(s.Files, "file"), bytesOf(s.Bytes))
	switch s.State {
	case "scrubbed":
		if line = "scrubbed: " + looked + ", none left"; s.Shared > 0 {
			line += fmt.Sprintf(" but %d that other records say too", s.Shared)
		}
	case "held":
		line = "NOT clean: " + looked + ", still in " + strings.Join(s.Held, ", ")
	}
	for _, b := range s.Backups {
		line += "; an older backup may hold it: " + b.Path
	}
	return line
}
