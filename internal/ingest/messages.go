package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/chunk"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/token"
)

const maxMessages = 1000

// Append adds messages to a conversation, each durable and searchable when it returns. An item whose id is known and whose
// content is the same changes nothing; other content under a known id is a conflict unless the request says replace. Each
// item has its own result.
func (p *Path) Append(ctx context.Context, sc lukasa.Scope, in lukasa.Append) (lukasa.Conversation, []lukasa.AppendResult, error) {
	var conv lukasa.Conversation
	if err := sc.CanWrite(); err != nil {
		return conv, nil, err
	}
	path, err := store.Target(sc, in.Container)
	if err != nil {
		return conv, nil, err
	}
	if err := p.validateAppend(&in); err != nil {
		return conv, nil, err
	}
	drafts := p.draftMessages(ctx, in.Messages)
	key := threadKey{sc.Owner, path, in.Conversation, in.Container == ""}
	th := p.threads.take(key)
	a := &appending{path: path, in: in, drafts: drafts, thread: th, known: th != nil && p.threads.shared.Load() <= 0}
	if err = p.append(ctx, sc, a); errors.Is(err, errStale) {
		p.threads.shared.Store(sharedFor)
		a = &appending{path: path, in: in, drafts: drafts}
		err = p.append(ctx, sc, a)
	}
	if err != nil {
		return a.conv, nil, err
	}
	if a.thread != nil {
		p.threads.put(key, a.thread)
	}
	conv = a.conv
	if a.made {
		p.notify(sc, lukasa.EventNodeCreated, a.node.ID, a.node.Path, a.node.ID, nil)
	}
	if a.after != nil {
		a.after()
	}
	for _, id := range a.stale {
		if _, err := p.Recover(ctx, sc, id); err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound { // the job will try again
			p.Log.WarnContext(ctx, "write recall file anew", "document", id, "err", err)
		}
	}
	p.notify(sc, lukasa.EventMessageLogged, conv.Node, conv.Path, conv.ID, map[string]any{"conversation": conv.ExternalID, "logged": len(a.results)})
	return conv, a.results, nil
}

// appending is one append under way.
type appending struct {
	path   lukasa.Path
	in     lukasa.Append
	drafts []draftMessage
	thread *thread // the conversation as it was before; behind the commit as it is left, nil where that is not known
	known  bool    // the thread comes from memory and is taken for the newest, without a look at the rows

	node    lukasa.Node
	made    bool
	conv    lukasa.Conversation
	results []lukasa.AppendResult
	stale   []lukasa.ID // recall files that still say what a message said before
	after   func()
}

// errStale says that somebody else has changed a conversation since its thread was left.
var errStale = errors.New("the conversation has changed")

// append reads the messages and writes them, with what they say, in one transaction.
func (p *Path) append(ctx context.Context, sc lukasa.Scope, a *appending) error {
	lesson, err := p.learnMessages(ctx, sc, a)
	if err != nil {
		return err
	}
	last := a.thread
	err = p.keepAnyway(ctx, sc, func(tx store.Tx, learn bool) (err error) {
		a.thread, a.after = nil, nil
		if a.node, a.made, err = store.EnsureNode(tx, p.Mint, lukasa.NewNode{Path: a.path}); err != nil {
			return err
		}
		if a.conv, err = p.conversation(tx, sc, a.node, a.in); err != nil {
			return err
		}
		stands := a.node
		if a.conv.Node != stands.ID {
			if stands, err = tx.Node(a.conv.Node); err != nil {
				return err
			}
		}
		next := last
		if last == nil || !last.fits(a.conv) {
			if a.known {
				return errStale
			}
			next = nil
		}
		if a.in.ForgetAfter != nil {
			a.conv.ForgetAfter = utc(a.in.ForgetAfter)
			if err := tx.PutConversation(a.conv); err != nil {
				return err
			}
		}
		b, err := p.openBook(tx, sc, &a.conv, next)
		if err != nil {
			return err
		}
		a.results, err = p.log(b, a.drafts, a.in.Replace)
		if a.stale = b.stale; err != nil || !learn {
			return err
		}
		kept := map[lukasa.ID]lukasa.ID{}
		for i, r := range a.results {
			if r.Status == "logged" || r.Status == "replaced" {
				kept[a.drafts[i].msg.ID] = r.ID
			}
			if r.Status != "logged" { // it was heard at another place
				next = nil
			}
		}
		if next != nil && next.heard != nil {
			left := *next
			left.conv, left.state = a.conv, b.closer.State()
			left.conv.Messages += len(a.drafts)
			left.said += len(a.drafts)
			a.thread = &left
		}
		a.after, err = teach(lesson, tx, stands, func(id lukasa.ID) lukasa.ID { return kept[id] })
		return err
	})
	return err
}

func (p *Path) validateAppend(in *lukasa.Append) error {
	switch {
	case text.Blank(in.Conversation):
		return lukasa.Invalid("conversation", "is empty")
	case len(in.Conversation) > maxCustomID:
		return lukasa.Invalid("conversation", "is over %d bytes", maxCustomID)
	case len(in.Messages) == 0:
		return lukasa.Invalid("messages", "is empty")
	case p.over(in.ForgetAfter):
		return pastTime("forget_after")
	case len(in.Messages) > maxMessages:
		return lukasa.Invalid("messages", "has %d items, at most %d are allowed", len(in.Messages), maxMessages)
	}
	for i, m := range in.Messages {
		field := fmt.Sprintf("messages[%d].", i)
		if p.over(m.ForgetAfter) {
			return pastTime(field + "forget_after")
		}
		if utf8.RuneCountInString(m.Content) > p.opt.Limits.Characters {
			return &lukasa.Error{Code: lukasa.CodeTooLarge, Field: field + "content", Msg: "is over the limit of " + text.Thousands(p.opt.Limits.Characters) + " characters"}
		}
		for name, s := range map[string]string{"id": m.ExternalID, "role": m.Role, "speaker": m.Speaker, "session": m.Session} {
			if len(s) > maxCustomID {
				return lukasa.Invalid(field+name, "is over %d bytes", maxCustomID)
			}
		}
	}
	return nil
}

// draftMessage is a message with its chunks and their vectors, before its place is known.
type draftMessage struct {
	msg     lukasa.Message
	chunks  []lukasa.Chunk
	vectors []store.Vector
}

func (p *Path) draftMessages(ctx context.Context, in []lukasa.NewMessage) []draftMessage {
	drafts := make([]draftMessage, len(in))
	var texts []string
	var refs [][2]int
	for i, m := range in {
		d := &drafts[i]
		d.msg = lukasa.Message{
			ID: p.Mint.ID(lukasa.PrefixMessage), ExternalID: m.ExternalID, Seq: -1, Role: m.Role, Speaker: m.Speaker,
			Session: m.Session, Content: m.Content, Metadata: store.MergeMetadata(m.Metadata, nil), Time: m.Time, Tokens: token.Estimate(m.Content), CreatedAt: p.now(),
			ForgetAfter: utc(m.ForgetAfter),
		}
		if text.Blank(m.Content) {
			continue // kept, and not indexed
		}
		for _, c := range chunk.Split(chunk.Document{Text: m.Content, Type: "text"}, p.chunking()) {
			d.chunks = append(d.chunks, lukasa.Chunk{
				ID: p.Mint.ID(lukasa.PrefixChunk), Message: d.msg.ID, Seq: c.Seq, Start: c.Start, End: c.End,
				Lines: c.Lines, Content: m.Content[c.Start:c.End],
			})
			said := embed.EntryText(&lukasa.Entry{Type: lukasa.EntryMessage, Speaker: m.Speaker, Text: m.Content[c.Start:c.End]})
			if said == "" {
				d.vectors = append(d.vectors, store.Vector{Entry: d.chunks[len(d.chunks)-1].ID, Type: lukasa.EntryMessage, Vector: []float32{}})
				continue
			}
			texts = append(texts, said)
			refs = append(refs, [2]int{i, len(d.chunks) - 1})
		}
	}
	vecs, err := embed.NewAllowance(p.Embed).Embed(ctx, texts)
	if err != nil {
		p.Log.WarnContext(ctx, "embed messages inline", "err", err)
	}
	for k, v := range vecs {
		if v != nil {
			d := &drafts[refs[k][0]]
			d.vectors = append(d.vectors, store.Vector{Entry: d.chunks[refs[k][1]].ID, Type: lukasa.EntryMessage, Vector: v})
		}
	}
	return drafts
}

// learnMessages reads what the messages say, for their transaction. Without a thread it reads what was said before them first, and
// makes one.
func (p *Path) learnMessages(ctx context.Context, sc lukasa.Scope, a *appending) (Lesson, error) {
	if p.Learn == nil {
		return nil, nil
	}
	var texts []Said
	if !a.known {
		before, th, err := p.before(ctx, sc, a)
		if err != nil {
			return nil, err
		}
		for _, m := range before {
			texts = append(texts, said(m))
			texts[len(texts)-1].Before = true
		}
		th.said += len(before)
		a.thread = &th
	}
	for _, d := range a.drafts {
		texts = append(texts, said(d.msg))
	}
	var lesson Lesson
	lesson, a.thread.heard = p.Learn(ctx, sc, a.thread.heard, texts)
	return lesson, nil
}

// backward is how many messages are read again, so that it is known whom "she" means and what was asked.
const backward = 12

// before returns the conversation as it is now, with the messages that are still to be heard of it: those that others have added since its
// thread was left, or the last ones where there is no thread, or none that can be gone on with.
func (p *Path) before(ctx context.Context, sc lukasa.Scope, a *appending) (list []lukasa.Message, th thread, err error) {
	err = p.Store.View(ctx, sc, func(r store.Reader) error {
		list, th = nil, thread{}
		c, err := a.there(r)
		if err != nil || c.Document == "" {
			return err
		}
		closer, err := p.closer(&c)
		if err != nil {
			return err
		}
		th.conv, th.state = c, closer.State()
		from, missed := max(0, th.state.Last+1-backward), backward
		if a.thread != nil {
			if n := a.thread.missed(c, th.state); n >= 0 {
				th.heard, th.said, from, missed = a.thread.heard, a.thread.said, a.thread.state.Last+1, n
			}
			if missed == 0 {
				p.threads.shared.Add(-1)
				return nil
			}
			p.threads.shared.Store(sharedFor)
		}
		return r.MessagesIn(c.Document, from, func(m lukasa.Message) bool {
			list = append(list, m)
			return len(list) < missed
		})
	})
	if lukasa.CodeOf(err) == lukasa.CodeNotFound {
		return nil, thread{}, nil
	}
	return list, th, err
}

// there finds the conversation, where its thread says or by its name.
func (a *appending) there(r store.Reader) (lukasa.Conversation, error) {
	if a.thread != nil {
		c, err := r.Conversation(a.thread.conv.ID)
		if err == nil && (c.Path == a.path || c.Home != "") && c.ExternalID == a.in.Conversation || err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return c, err
		}
	}
	node, err := r.NodeAt(a.path)
	if err != nil {
		return lukasa.Conversation{}, err
	}
	return meant(r, node.ID, a.in)
}

// meant finds the conversation that an append means: where no container is named, one that was begun so, wherever it stands by now.
func meant(r store.Reader, node lukasa.ID, in lukasa.Append) (lukasa.Conversation, error) {
	if in.Container == "" {
		if c, err := r.ConversationAt(node, in.Conversation, true); lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return c, err
		}
	}
	return r.ConversationAt(node, in.Conversation, false)
}

// said is what a message tells.
func said(m lukasa.Message) Said {
	s := Said{Body: m.Content, Message: m.ID, Speaker: m.Speaker, Role: m.Role, At: m.CreatedAt, Origin: lukasa.OriginUser}
	if m.Time != nil {
		s.At = *m.Time
	}
	switch strings.ToLower(m.Role) {
	case "assistant", "model", "ai", "bot", "agent":
		s.Origin = lukasa.OriginAgent
	case "tool", "function", "tool_result", "ipython":
		s.Origin = lukasa.OriginTool
	}
	return s
}

// conversation finds the conversation, or makes it with its open segment, which is a document from its first turn on. One that was ended has
// none until something new is said in it.
func (p *Path) conversation(tx store.Tx, sc lukasa.Scope, node lukasa.Node, in lukasa.Append) (lukasa.Conversation, error) {
	conv, err := meant(tx, node.ID, in)
	if in.Container != "" && conv.Home == conv.Node {
		conv.Home = "" // somebody has named its container: there it stays
	}
	if err == nil || lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return conv, err
	}
	now := p.now()
	conv = lukasa.Conversation{
		ID: p.Mint.ID(lukasa.PrefixConversation), Node: node.ID, Path: node.Path, ExternalID: in.Conversation, CreatedAt: now, UpdatedAt: now,
	}
	if in.Container == "" && sc.Root != lukasa.DefaultPath { // a key that is bound to what others leave unnamed would lose sight of it
		conv.Home = node.ID
	}
	if err := tx.PutConversation(conv); err != nil {
		return conv, err
	}
	if conv.Document, err = p.openSegment(tx, conv); err != nil {
		return conv, err
	}
	return conv, tx.PutConversation(conv)
}

// log writes the drafts that are new and answers for each.
func (p *Path) log(book *book, drafts []draftMessage, replace bool) ([]lukasa.AppendResult, error) {
	conv := book.conv
	var external []string
	for _, d := range drafts {
		if d.msg.ExternalID != "" {
			external = append(external, d.msg.ExternalID)
		}
	}
	there := map[string]lukasa.Message{}
	if len(external) > 0 {
		list, err := book.tx.MessagesByExternal(conv.ID, external)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			there[m.ExternalID] = m
		}
		if list, err = book.tx.MessagesByID(own(external)); err != nil {
			return nil, err
		}
		for _, m := range list {
			if _, ok := there[string(m.ID)]; !ok && m.Conversation == conv.ID {
				there[string(m.ID)] = m
			}
		}
	}
	results := make([]lukasa.AppendResult, len(drafts))
	for i, d := range drafts {
		m := d.msg
		m.Conversation, m.Node = conv.ID, conv.Node
		results[i] = lukasa.AppendResult{ID: m.ID, ExternalID: m.ExternalID, Status: "logged"}
		if old, ok := there[m.ExternalID]; ok && m.ExternalID != "" {
			results[i].ID = old.ID
			switch {
			case sameMessage(old, m):
				results[i].Status = "unchanged"
				continue
			case !replace:
				results[i].Status, results[i].Error = "conflict", "other content is there under this id; send replace: true to replace it"
				continue
			}
			results[i].Status = "replaced"
			book.closer.Edit()
			m.ForgetAfter = cmp.Or(m.ForgetAfter, old.ForgetAfter)
			m.ID, m.ExternalID, m.Document, m.Seq, m.CreatedAt = old.ID, old.ExternalID, old.Document, old.Seq, old.CreatedAt
			book.write(m, d)
			if m.Document != conv.Document && !slices.Contains(book.stale, m.Document) {
				book.stale = append(book.stale, m.Document)
			}
		} else {
			var err error
			if m, err = book.log(m, d); err != nil {
				return nil, err
			}
		}
		if name := d.msg.ExternalID; name != "" {
			there[name] = m
		}
	}
	return results, book.close()
}

// own returns those of the names of messages that may be ids of ours: exports name a message by its id where it has no other name.
func own(names []string) (ids []lukasa.ID) {
	for _, s := range names {
		if id := known(lukasa.PrefixMessage, s); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

func sameMessage(a, b lukasa.Message) bool {
	return a.Content == b.Content && a.Role == b.Role && a.Speaker == b.Speaker && a.Session == b.Session &&
		(b.Time == nil || said(a).At.Equal(*b.Time)) && (len(b.Metadata) == 0 || reflect.DeepEqual(a.Metadata, b.Metadata))
}
