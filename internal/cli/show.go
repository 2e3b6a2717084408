package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/client"
)

// ShowCmd shows one record.
type ShowCmd struct {
	ID       string `arg:"" help:"Id of a document, memory, message, conversation, recall file, entity or sealed file, a container's path, or your own name for a conversation."`
	In       string `name:"container" help:"Of the conversation that ID names." placeholder:"PATH"`
	Chunks   bool   `help:"A document's chunks too."`
	Versions bool   `help:"A document's versions too."`
	Before   *int   `help:"A message with so many turns before it, in full, up to 100." placeholder:"N"`
	After    *int   `help:"A message with so many turns after it, in full, up to 100." placeholder:"N"`
	AsOf     string `help:"As it was then." placeholder:"TIME"`
	Raw      bool   `help:"Write what a document came in as, byte for byte, or a sealed file, or the transcript of a recall file, and nothing else."`
	Artifact string `help:"Write this artifact of a recall file, byte for byte, and nothing else." placeholder:"NAME"`
}

// kindName is what the records are called whose ids begin with a prefix.
func kindName(p lukasa.Prefix) string {
	switch p {
	case lukasa.PrefixDocument:
		return "a document (doc_…)"
	case lukasa.PrefixMemory:
		return "a memory (mem_…)"
	case lukasa.PrefixMessage:
		return "a message (msg_…)"
	case lukasa.PrefixConversation:
		return "a conversation (conv_…)"
	case lukasa.PrefixEntity:
		return "an entity (ent_…)"
	}
	return "a container"
}

// Target says what an argument names: a record of one of the kinds by its id, or else a container, by id or path. An id of any other
// kind is an error.
func Target(s string, of ...lukasa.Prefix) (lukasa.Prefix, lukasa.ID, error) {
	p := lukasa.ID(s).Prefix()
	if p == "" {
		return lukasa.PrefixNode, lukasa.ID(s), nil
	}
	_, err := lukasa.ParseID(p, s)
	var known []string
	for _, k := range of {
		if k == p {
			return p, lukasa.ID(s), err
		}
		known = append(known, kindName(k))
	}
	if err == nil {
		return "", "", &lukasa.Error{Code: lukasa.CodeInvalid, Field: "id", Msg: fmt.Sprintf("expected %s or %s, got an id that starts with %q", strings.Join(known[:len(known)-1], ", "), known[len(known)-1], string(p)+"_")}
	}
	return lukasa.PrefixNode, lukasa.ID(s), nil // a path with an underscore
}

// Run shows one record.
func (c *ShowCmd) Run(a *app) error {
	if lukasa.ID(c.ID).Prefix() == lukasa.PrefixFile {
		if c.Raw {
			return a.api(toChange, func(cl *client.Client) error { return a.write(cl.FileContent(a.ctx, lukasa.ID(c.ID))) })
		}
		return (&FilesCmd{ID: c.ID}).Run(a)
	}
	kind, id, err := Target(c.ID, lukasa.PrefixDocument, lukasa.PrefixMemory, lukasa.PrefixMessage, lukasa.PrefixConversation, lukasa.PrefixEntity, lukasa.PrefixNode)
	if err != nil {
		return err
	}
	if kind != lukasa.PrefixDocument && (c.Chunks || c.Versions || c.Raw || c.Artifact != "") {
		return lukasa.Invalid("id", "--chunks, --versions, --artifact and --raw are for documents")
	}
	if kind != lukasa.PrefixMessage && (c.Before != nil || c.After != nil) {
		return lukasa.Invalid("id", "--before and --after are for messages")
	}
	if kind != lukasa.PrefixNode && kind != lukasa.PrefixConversation && c.In != "" {
		return lukasa.Invalid("id", "--container is for conversations")
	}
	switch kind {
	case lukasa.PrefixNode:
		if c.In != "" {
			break
		}
		none := a.showDrawn(kind, c.ID, c.AsOf)
		if !unknown(none) {
			return none
		}
		err := c.past(a, func(p client.Past) error { return a.conversation(p, c.ID, "") })
		if unknown(err) {
			return none
		}
		return err
	case lukasa.PrefixEntity:
		return a.showDrawn(kind, string(id), c.AsOf)
	case lukasa.PrefixMessage:
		return c.past(a, func(p client.Past) error { return c.message(a, p, id) })
	}
	if kind == lukasa.PrefixConversation || kind == lukasa.PrefixNode {
		return c.past(a, func(p client.Past) error { return a.conversation(p, c.ID, c.In) })
	}
	if c.Artifact != "" {
		return c.past(a, func(p client.Past) error { return a.write(p.Artifact(a.ctx, id, c.Artifact)) })
	}
	return a.then(c.AsOf, func(v client.Verbs) error {
		if kind == lukasa.PrefixMemory {
			return a.memory(v, id)
		}
		return c.document(a, v, id)
	})
}

// unknown reports whether an error says that nothing is called so.
func unknown(err error) bool {
	code := lukasa.CodeOf(err)
	return code == lukasa.CodeNotFound || code == lukasa.CodeInvalid
}

// past reads as of the moment that is asked for; the zero time is now.
func (c *ShowCmd) past(a *app, fn func(client.Past) error) error {
	at, err := Moment("--as-of", c.AsOf)
	if err != nil {
		return err
	}
	return a.api(toRead, func(cl *client.Client) error { return fn(cl.At(at)) })
}

// whenever is a time that may be missing.
func (a *app) whenever(t *time.Time) string {
	if t == nil {
		return ""
	}
	return when(*t)
}

func (c *ShowCmd) raw(a *app, v client.Verbs, id lukasa.ID) error {
	return a.write(v.Content(a.ctx, id))
}

// write writes bytes as they are, unless they could not be opened.
func (a *app) write(rc io.ReadCloser, err error) error {
	if err != nil {
		return err
	}
	_, err = io.Copy(a.p.Out, rc)
	return errors.Join(err, rc.Close())
}

// recallFile shows a stretch of a conversation; --raw is its transcript alone.
func (c *ShowCmd) recallFile(a *app, v client.Verbs, id lukasa.ID) error {
	f, err := v.RecallFile(a.ctx, id, "summary", "keywords", "transcript", "artifacts")
	if err != nil || !c.Raw {
		return a.printed(f, err)
	}
	_, err = io.WriteString(a.p.Out, f.Transcript)
	return err
}

func (c *ShowCmd) document(a *app, v client.Verbs, id lukasa.ID) error {
	d, err := v.Document(a.ctx, id)
	switch {
	case err != nil:
		return err
	case d.ContentType == "conversation" && !c.Chunks:
		return c.recallFile(a, v, id)
	case c.Raw:
		return c.raw(a, v, id)
	}
	var chunks []lukasa.Chunk
	var versions []lukasa.Document
	if c.Chunks {
		if chunks, err = v.Chunks(a.ctx, id); err != nil {
			return err
		}
	}
	if c.Versions {
		if versions, err = v.Versions(a.ctx, id); err != nil {
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
	a.described(d)
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

// described prints what is known of a document beside its text.
func (a *app) described(d lukasa.Document) {
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
	a.field("occurred", a.whenever(d.OccurredAt))
	a.field("forget", a.whenever(d.ForgetAfter))
	a.field("source", d.SourceURL)
	facts := maps.Clone(d.Metadata)
	if p, ok := facts["path"].(string); ok {
		a.field("file", a.near(p))
		delete(facts, "path")
	}
	a.field("tags", strings.Join(d.Tags, ", "))
	a.field("summary", oneLine(d.Summary, 400))
	a.facts(facts)
}

func (a *app) memory(v client.Verbs, id lukasa.ID) error {
	m, err := v.Memory(a.ctx, id)
	switch {
	case err != nil:
		return err
	case a.g.JSON:
		return a.printJSON(m)
	}
	a.say("%s", a.tty.paint(bold, plain(m.Content)))
	a.field("id", string(m.ID))
	a.field("container", string(m.Path))
	a.field("kind", string(m.Kind))
	a.field("confidence", fmt.Sprintf("%.2f", m.Confidence))
	a.field("recorded", when(m.RecordedAt))
	a.field("occurred", a.whenever(m.OccurredAt))
	a.field("true from", a.whenever(m.ValidFrom))
	a.field("true until", a.whenever(m.ValidTo))
	a.field("forget", a.whenever(m.ForgetAfter))
	a.field("state", m.State)
	if !m.IsLatest {
		a.field("superseded", strings.TrimSpace(a.whenever(m.RetiredAt)+" "+string(m.RetiredBy)+" "+m.Reason))
	}
	a.field("tags", strings.Join(m.Tags, ", "))
	a.facts(m.Metadata)
	for _, s := range m.Sources {
		a.field("source", strings.TrimSpace(fmt.Sprintf("%s%s bytes %d-%d %s", s.Document, s.Message, s.Start, s.End, oneLine(s.Quote, 80))))
	}
	return nil
}

// message shows one turn of a conversation, and what was said just before it; or as much around it as is asked for.
func (c *ShowCmd) message(a *app, p client.Past, id lukasa.ID) error {
	before, after, around := 2, 0, c.Before != nil || c.After != nil
	if around {
		before = 0
	}
	if c.Before != nil {
		before = *c.Before
	}
	if c.After != nil {
		after = *c.After
	}
	m, err := p.MessageContext(a.ctx, id, before, after)
	switch {
	case err != nil:
		return err
	case a.g.JSON:
		return a.printJSON(m)
	case around:
		a.turns(m.Before, dim)
		a.turns([]lukasa.Message{m.Message}, bold)
		a.turns(m.After, dim)
		return nil
	}
	a.say("%s", a.tty.paint(bold, oneLine(speaker(m.Message), a.tty.width)))
	a.field("id", string(m.Message.ID))
	a.field("your id", m.Message.ExternalID)
	a.field("talk", string(m.Message.Conversation))
	a.field("document", string(m.Message.Document))
	a.field("session", m.Message.Session)
	a.field("said", a.said(m.Message))
	a.facts(m.Message.Metadata)
	for _, b := range m.Before {
		a.field("before", speaker(b)+": "+oneLine(b.Content, a.tty.width))
	}
	a.say("\n%s", plain(m.Message.Content))
	return nil
}

// speaker is who said something, as far as that is known.
func speaker(m lukasa.Message) string {
	switch {
	case m.Speaker != "":
		return m.Speaker
	case m.Role != "":
		return m.Role
	}
	return "somebody"
}

// said is when something was said.
func (a *app) said(m lukasa.Message) string {
	if m.Time != nil {
		return when(*m.Time)
	}
	return when(m.CreatedAt)
}

// conversation shows a dialogue from its first message to its last.
func (a *app) conversation(p client.Past, idOrName, container string) error {
	c, err := p.ConversationNamed(a.ctx, idOrName, container)
	if err != nil {
		return err
	}
	items := []lukasa.Message{}
	for page := (lukasa.Page{Limit: 100}); ; {
		l, err := p.Messages(a.ctx, c.ID, page)
		if err != nil {
			return err
		}
		items = append(items, l.Items...)
		if page.Cursor = l.Next; l.Next == "" {
			break
		}
	}
	if a.g.JSON {
		return a.printJSON(struct {
			lukasa.Conversation
			Items []lukasa.Message `json:"items"`
		}{c, items})
	}
	a.say("%s", a.tty.paint(bold, oneLine(cmp.Or(c.Title, c.ExternalID), a.tty.width)))
	a.field("id", string(c.ID))
	if c.Title != "" {
		a.field("name", c.ExternalID)
	}
	a.field("container", string(c.Path))
	a.field("document", string(c.Document))
	a.field("size", counted(len(items), "message"))
	a.field("begun", when(c.CreatedAt))
	a.field("updated", when(c.UpdatedAt))
	a.field("forget", a.whenever(c.ForgetAfter))
	a.field("tags", strings.Join(c.Tags, ", "))
	a.facts(c.Metadata)
	a.turns(items, dim)
	return nil
}

// facts prints metadata as --meta takes it.
func (a *app) facts(m map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value, isText := m[name].(string)
		if !isText {
			b, _ := json.Marshal(m[name]) // it came as JSON
			value = string(b)
		}
		a.field("meta", oneLine(name+"="+value, 400))
	}
}

// turns prints messages one below the other.
func (a *app) turns(ms []lukasa.Message, style string) {
	for _, m := range ms {
		a.say("\n%s", a.tty.paint(style, oneLine(fmt.Sprintf("-- %s, %s  %s", speaker(m), a.said(m), m.ID), a.tty.width)))
		a.say("%s", plain(m.Content))
	}
}
