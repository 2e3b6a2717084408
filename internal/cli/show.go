package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
	"github.com/lukasa-memory/lukasa/internal/cli/tend"
)

type showCmd struct {
	ID       string `arg:"" help:"Id of a document, memory or recall file, or a container's path."`
	Chunks   bool   `help:"A document's chunks too."`
	Versions bool   `help:"A document's versions too."`
	AsOf     string `help:"As it was then." placeholder:"TIME"`
	Raw      bool   `help:"Write what a document came in as, byte for byte, or the transcript of a recall file, and nothing else."`
}

// target says what an argument names: a document, a memory, or else a container.
func target(s string) (lukasa.Prefix, lukasa.ID, error) {
	p := lukasa.ID(s).Prefix()
	switch p {
	case lukasa.PrefixDocument, lukasa.PrefixMemory, lukasa.PrefixNode:
		id, err := lukasa.ParseID(p, s)
		return p, id, err
	default: // of another kind, or a path with an underscore
		if p == "" {
			break
		}
		if _, err := lukasa.ParseID(p, s); err == nil {
			return "", "", &lukasa.Error{Code: lukasa.CodeInvalid, Field: "id", Msg: fmt.Sprintf("expected a document (doc_…), a memory (mem_…) or a container, got an id that starts with %q", string(p)+"_")}
		}
	}
	return lukasa.PrefixNode, lukasa.ID(s), nil
}

// Run shows one record.
func (c *showCmd) Run(a *app) error {
	if lukasa.ID(c.ID).Prefix() == lukasa.PrefixFile {
		return (&tend.FilesCmd{ID: c.ID}).Run(a.desk())
	}
	kind, id, err := target(c.ID)
	if err != nil {
		return err
	}
	if kind != lukasa.PrefixDocument && (c.Chunks || c.Versions || c.Raw) {
		return lukasa.Invalid("id", "--chunks, --versions and --raw are for documents")
	}
	if kind == lukasa.PrefixNode {
		return (&nodeShowCmd{Node: string(id), AsOf: c.AsOf}).Run(a)
	}
	return a.then(c.AsOf, func(b client.Verbs) error {
		if kind == lukasa.PrefixMemory {
			return c.memory(a, b, id)
		}
		return c.document(a, b, id)
	})
}

func (c *showCmd) raw(a *app, b client.Verbs, id lukasa.ID) error {
	rc, err := b.Content(a.ctx, id)
	if err != nil {
		return err
	}
	_, err = io.Copy(a.p.Out, rc)
	return errors.Join(err, rc.Close())
}

// field prints a name and a value, unless that is empty.
func (a *app) field(name, value string) {
	if value != "" {
		a.say("%s %s", a.tty.paint(dim, fmt.Sprintf("%-10s", name)), plain(value))
	}
}

func (c *showCmd) document(a *app, b client.Verbs, id lukasa.ID) error {
	d, err := b.Document(a.ctx, id)
	switch {
	case err != nil:
		return err
	case d.ContentType == "conversation" && !c.Chunks:
		return c.recallFile(a, b, id)
	case c.Raw:
		return c.raw(a, b, id)
	}
	var chunks []lukasa.Chunk
	var versions []lukasa.Document
	if c.Chunks {
		if chunks, err = b.Chunks(a.ctx, id); err != nil {
			return err
		}
	}
	if c.Versions {
		if versions, err = b.Versions(a.ctx, id); err != nil {
			return err
		}
	}
	if a.g.JSON {
		return a.printJSON(struct {
			lukasa.Document
			Chunks   []lukasa.Chunk    `json:"chunks,omitempty"`
			Versions []lukasa.Document `json:"versions,omitempty"`
		}{d, chunks, versions})
	}
	a.say("%s", a.tty.paint(bold, oneLine(d.Title, a.tty.width)))
	a.field("id", string(d.ID))
	a.field("container", string(d.Path))
	a.field("type", strings.TrimSpace(d.ContentType+" "+d.Language))
	status := string(d.Status)
	if d.Reason != "" {
		status += ": " + d.Reason
	}
	a.field("status", status)
	version := fmt.Sprintf("%d", d.Version)
	if !d.IsLatest {
		version += " (there is a later one)"
	}
	a.field("version", version)
	a.field("size", fmt.Sprintf("%s, %s", bytesOf(d.Size), counted(d.Chunks, "chunk")))
	a.field("created", when(d.CreatedAt))
	a.field("occurred", whenever(d.OccurredAt))
	a.field("forget", whenever(d.ForgetAfter))
	a.field("source", d.SourceURL)
	if p, ok := d.Metadata["path"].(string); ok {
		a.field("file", a.near(p))
	}
	a.field("tags", strings.Join(d.Tags, ", "))
	a.field("summary", oneLine(d.Summary, 400))
	for _, v := range versions {
		a.field("version", fmt.Sprintf("%d  %s  %s  %s", v.Version, v.ID, when(v.CreatedAt), oneLine(v.Title, 40)))
	}
	if !c.Chunks {
		a.say("\n%s", plain(d.Content))
		return nil
	}
	for _, ch := range chunks {
		a.say("\n%s", a.tty.paint(dim, fmt.Sprintf("-- %d  lines %d-%d  bytes %d-%d  %s", ch.Seq, ch.Lines[0], ch.Lines[1], ch.Start, ch.End, oneLine(strings.Join(ch.Heading, " > "), 60))))
		a.say("%s", plain(ch.Content))
	}
	return nil
}

func (c *showCmd) memory(a *app, b client.Verbs, id lukasa.ID) error {
	m, err := b.Memory(a.ctx, id)
	if err != nil {
		return err
	}
	if a.g.JSON {
		return a.printJSON(m)
	}
	a.say("%s", a.tty.paint(bold, plain(m.Content)))
	a.field("id", string(m.ID))
	a.field("container", string(m.Path))
	a.field("kind", string(m.Kind))
	a.field("confidence", fmt.Sprintf("%.2f", m.Confidence))
	a.field("recorded", when(m.RecordedAt))
	a.field("occurred", whenever(m.OccurredAt))
	a.field("forget", whenever(m.ForgetAfter))
	if !m.IsLatest {
		a.field("superseded", strings.TrimSpace(whenever(m.RetiredAt)+" "+string(m.RetiredBy)+" "+m.Reason))
	}
	a.field("tags", strings.Join(m.Tags, ", "))
	for _, s := range m.Sources {
		a.field("source", strings.TrimSpace(fmt.Sprintf("%s%s bytes %d-%d %s", s.Document, s.Message, s.Start, s.End, oneLine(s.Quote, 80))))
	}
	return nil
}
