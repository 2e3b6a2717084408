package tend

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
func (c *ShowCmd) Run(desk *Desk) error {
	if lukasa.ID(c.ID).Prefix() == lukasa.PrefixFile {
		if c.Raw {
			return desk.API(true, func(cl *client.Client) error { return desk.write(cl.FileContent(desk.Ctx, lukasa.ID(c.ID))) })
		}
		return (&FilesCmd{ID: c.ID}).Run(desk)
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
		none := desk.Drawn(kind, c.ID, c.AsOf)
		if !unknown(none) {
			return none
		}
		err := c.past(desk, func(p client.Past) error { return desk.conversation(p, c.ID, "") })
		if unknown(err) {
			return none
		}
		return err
	case lukasa.PrefixEntity:
		return desk.Drawn(kind, string(id), c.AsOf)
	case lukasa.PrefixMessage:
		return c.past(desk, func(p client.Past) error { return c.message(desk, p, id) })
	}
	if kind == lukasa.PrefixConversation || kind == lukasa.PrefixNode {
		return c.past(desk, func(p client.Past) error { return desk.conversation(p, c.ID, c.In) })
	}
	if c.Artifact != "" {
		return c.past(desk, func(p client.Past) error { return desk.write(p.Artifact(desk.Ctx, id, c.Artifact)) })
	}
	return desk.Then(c.AsOf, func(v client.Verbs) error {
		if kind == lukasa.PrefixMemory {
			return desk.memory(v, id)
		}
		return c.document(desk, v, id)
	})
}

// unknown reports whether an error says that nothing is called so.
func unknown(err error) bool {
	code := lukasa.CodeOf(err)
	return code == lukasa.CodeNotFound || code == lukasa.CodeInvalid
}

// past reads as of the moment that is asked for; the zero time is now.
func (c *ShowCmd) past(desk *Desk, fn func(client.Past) error) error {
	at, err := Moment("--as-of", c.AsOf)
	if err != nil {
		return err
	}
	return desk.API(false, func(cl *client.Client) error { return fn(cl.At(at)) })
}

// told prints an answer as text or JSON, unless there is an error.
func (desk *Desk) told(v interface{ Text() string }, err error) error {
	switch {
	case err != nil:
		return err
	case desk.JSON:
		return desk.Print(v)
	}
	desk.Say("%s", desk.Plain(strings.TrimRight(v.Text(), "\n")))
	return nil
}

// whenever is a time that may be missing.
func (desk *Desk) whenever(t *time.Time) string {
	if t == nil {
		return ""
	}
	return desk.When(*t)
}

func (c *ShowCmd) raw(desk *Desk, v client.Verbs, id lukasa.ID) error {
	return desk.write(v.Content(desk.Ctx, id))
}

// write writes bytes as they are, unless they could not be opened.
func (desk *Desk) write(rc io.ReadCloser, err error) error {
	if err != nil {
		return err
	}
	_, err = io.Copy(desk.Out, rc)
	return errors.Join(err, rc.Close())
}

// recallFile shows a stretch of a conversation; --raw is its transcript alone.
func (c *ShowCmd) recallFile(desk *Desk, v client.Verbs, id lukasa.ID) error {
	f, err := v.RecallFile(desk.Ctx, id, "summary", "keywords", "transcript", "artifacts")
	if err != nil || !c.Raw {
		return desk.told(f, err)
	}
	_, err = io.WriteString(desk.Out, f.Transcript)
	return err
}

func (c *ShowCmd) document(desk *Desk, v client.Verbs, id lukasa.ID) error {
	d, err := v.Document(desk.Ctx, id)
	switch {
	case err != nil:
		return err
	case d.ContentType == "conversation" && !c.Chunks:
		return c.recallFile(desk, v, id)
	case c.Raw:
		return c.raw(desk, v, id)
	}
	var chunks []lukasa.Chunk
	var versions []lukasa.Document
	if c.Chunks {
		if chunks, err = v.Chunks(desk.Ctx, id); err != nil {
			return err
		}
	}
	if c.Versions {
		if versions, err = v.Versions(desk.Ctx, id); err != nil {
			return err
		}
	}
	if desk.JSON {
		return desk.Print(struct {
			lukasa.Document
			Chunks   []lukasa.Chunk    `json:"chunks,omitempty"`
			Versions []lukasa.Document `json:"versions,omitempty"`
		}{d, chunks, versions})
	}
	desk.described(d)
	for _, v := range versions {
		desk.Field("version", fmt.Sprintf("%d  %s  %s  %s", v.Version, v.ID, desk.When(v.CreatedAt), desk.OneLine(v.Title, 40)))
	}
	if !c.Chunks {
		desk.Say("\n%s", desk.Plain(d.Content))
		return nil
	}
	for _, ch := range chunks {
		desk.Say("\n%s", desk.Paint(dim, fmt.Sprintf("-- %d  lines %d-%d  bytes %d-%d  %s", ch.Seq, ch.Lines[0], ch.Lines[1], ch.Start, ch.End, desk.OneLine(strings.Join(ch.Heading, " > "), 60))))
		desk.Say("%s", desk.Plain(ch.Content))
	}
	return nil
}

// described prints what is known of a document beside its text.
func (desk *Desk) described(d lukasa.Document) {
	desk.Say("%s", desk.Paint(bold, desk.OneLine(d.Title, desk.Width)))
	desk.Field("id", string(d.ID))
	desk.Field("container", string(d.Path))
	desk.Field("type", strings.TrimSpace(d.ContentType+" "+d.Language))
	status := string(d.Status)
	if d.Reason != "" {
		status += ": " + d.Reason
	}
	desk.Field("status", status)
	version := fmt.Sprintf("%d", d.Version)
	if !d.IsLatest {
		version += " (there is a later one)"
	}
	desk.Field("version", version)
	desk.Field("size", fmt.Sprintf("%s, %s", desk.Bytes(d.Size), desk.Counted(d.Chunks, "chunk")))
	desk.Field("created", desk.When(d.CreatedAt))
	desk.Field("occurred", desk.whenever(d.OccurredAt))
	desk.Field("forget", desk.whenever(d.ForgetAfter))
	desk.Field("source", d.SourceURL)
	facts := maps.Clone(d.Metadata)
	if p, ok := facts["path"].(string); ok {
		desk.Field("file", desk.Near(p))
		delete(facts, "path")
	}
	desk.Field("tags", strings.Join(d.Tags, ", "))
	desk.Field("summary", desk.OneLine(d.Summary, 400))
	desk.facts(facts)
}

func (desk *Desk) memory(v client.Verbs, id lukasa.ID) error {
	m, err := v.Memory(desk.Ctx, id)
	switch {
	case err != nil:
		return err
	case desk.JSON:
		return desk.Print(m)
	}
	desk.Say("%s", desk.Paint(bold, desk.Plain(m.Content)))
	desk.Field("id", string(m.ID))
	desk.Field("container", string(m.Path))
	desk.Field("kind", string(m.Kind))
	desk.Field("confidence", fmt.Sprintf("%.2f", m.Confidence))
	desk.Field("recorded", desk.When(m.RecordedAt))
	desk.Field("occurred", desk.whenever(m.OccurredAt))
	desk.Field("true from", desk.whenever(m.ValidFrom))
	desk.Field("true until", desk.whenever(m.ValidTo))
	desk.Field("forget", desk.whenever(m.ForgetAfter))
	desk.Field("state", m.State)
	if !m.IsLatest {
		desk.Field("superseded", strings.TrimSpace(desk.whenever(m.RetiredAt)+" "+string(m.RetiredBy)+" "+m.Reason))
	}
	desk.Field("tags", strings.Join(m.Tags, ", "))
	desk.facts(m.Metadata)
	for _, s := range m.Sources {
		desk.Field("source", strings.TrimSpace(fmt.Sprintf("%s%s bytes %d-%d %s", s.Document, s.Message, s.Start, s.End, desk.OneLine(s.Quote, 80))))
	}
	return nil
}

// message shows one turn of a conversation, and what was said just before it; or as much around it as is asked for.
func (c *ShowCmd) message(desk *Desk, p client.Past, id lukasa.ID) error {
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
	m, err := p.MessageContext(desk.Ctx, id, before, after)
	switch {
	case err != nil:
		return err
	case desk.JSON:
		return desk.Print(m)
	case around:
		desk.turns(m.Before, dim)
		desk.turns([]lukasa.Message{m.Message}, bold)
		desk.turns(m.After, dim)
		return nil
	}
	desk.Say("%s", desk.Paint(bold, desk.OneLine(speaker(m.Message), desk.Width)))
	desk.Field("id", string(m.Message.ID))
	desk.Field("your id", m.Message.ExternalID)
	desk.Field("talk", string(m.Message.Conversation))
	desk.Field("document", string(m.Message.Document))
	desk.Field("session", m.Message.Session)
	desk.Field("said", desk.said(m.Message))
	desk.facts(m.Message.Metadata)
	for _, b := range m.Before {
		desk.Field("before", speaker(b)+": "+desk.OneLine(b.Content, desk.Width))
	}
	desk.Say("\n%s", desk.Plain(m.Message.Content))
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
func (desk *Desk) said(m lukasa.Message) string {
	if m.Time != nil {
		return desk.When(*m.Time)
	}
	return desk.When(m.CreatedAt)
}

// conversation shows a dialogue from its first message to its last.
func (desk *Desk) conversation(p client.Past, idOrName, container string) error {
	c, err := p.ConversationNamed(desk.Ctx, idOrName, container)
	if err != nil {
		return err
	}
	items := []lukasa.Message{}
	for page := (lukasa.Page{Limit: 100}); ; {
		l, err := p.Messages(desk.Ctx, c.ID, page)
		if err != nil {
			return err
		}
		items = append(items, l.Items...)
		if page.Cursor = l.Next; l.Next == "" {
			break
		}
	}
	if desk.JSON {
		return desk.Print(struct {
			lukasa.Conversation
			Items []lukasa.Message `json:"items"`
		}{c, items})
	}
	desk.Say("%s", desk.Paint(bold, desk.OneLine(cmp.Or(c.Title, c.ExternalID), desk.Width)))
	desk.Field("id", string(c.ID))
	if c.Title != "" {
		desk.Field("name", c.ExternalID)
	}
	desk.Field("container", string(c.Path))
	desk.Field("document", string(c.Document))
	desk.Field("size", desk.Counted(len(items), "message"))
	desk.Field("begun", desk.When(c.CreatedAt))
	desk.Field("updated", desk.When(c.UpdatedAt))
	desk.Field("forget", desk.whenever(c.ForgetAfter))
	desk.Field("tags", strings.Join(c.Tags, ", "))
	desk.facts(c.Metadata)
	desk.turns(items, dim)
	return nil
}

// facts prints metadata as --meta takes it.
func (desk *Desk) facts(m map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value, isText := m[name].(string)
		if !isText {
			b, _ := json.Marshal(m[name]) // it came as JSON
			value = string(b)
		}
		desk.Field("meta", desk.OneLine(name+"="+value, 400))
	}
}

// turns prints messages one below the other.
func (desk *Desk) turns(ms []lukasa.Message, style string) {
	for _, m := range ms {
		desk.Say("\n%s", desk.Paint(style, desk.OneLine(fmt.Sprintf("-- %s, %s  %s", speaker(m), desk.said(m), m.ID), desk.Width)))
		desk.Say("%s", desk.Plain(m.Content))
	}
}
