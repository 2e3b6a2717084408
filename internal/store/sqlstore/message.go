package sqlstore

import (
	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Conversation implements [store.MessageReader].
func (s *Session) Conversation(id lukasa.ID) (lukasa.Conversation, error) {
	return found(s, "conversation", id, store.ScanConversation[sqlrows.Row], "SELECT "+store.ConversationColumns+store.ConversationTables+" WHERE v.id = ?5 AND "+s.visible("v", "conversations"), id)
}

// ConversationAt implements [store.MessageReader].
func (s *Session) ConversationAt(node lukasa.ID, external string, begun bool) (lukasa.Conversation, error) {
	return found(s, "conversation", external, store.ScanConversation[sqlrows.Row], "SELECT "+store.ConversationColumns+store.ConversationTables+" WHERE "+store.ConversationNamed(begun)+" AND "+s.visible("v", "conversations")+" ORDER BY v.id LIMIT 1", node, external)
}

// Conversations implements [store.MessageReader]. They come newest first.
func (s *Session) Conversations(patterns []lukasa.Pattern, p lukasa.Page) (list lukasa.Listing[lukasa.Conversation], err error) {
	c := where(s.visible("v", "conversations"))
	from, err := s.inNodes(&c, "conversations", "v", patterns)
	if err != nil {
		return list, err
	}
	ids, next, total, err := s.page('v', from, "v.created_at", "v.id", c, true, p)
	if err != nil {
		return list, err
	}
	list = lukasa.Listing[lukasa.Conversation]{Items: make([]lukasa.Conversation, 0, len(ids)), Next: next, Total: total}
	err = sqlrows.Into(&s.Session, &list.Items, store.ScanConversation[sqlrows.Row], "SELECT "+store.ConversationColumns+` FROM json_each(?5) j CROSS JOIN conversations v ON v.owner_id = ?1 AND v.id = j.value
JOIN nodes n ON n.owner_id = v.owner_id AND n.id = v.node_id ORDER BY j.key`, sqlrows.Set(ids))
	return list, err
}

// Messages implements [store.MessageReader].
func (s *Session) Messages(conversation lukasa.ID, p lukasa.Page) (list lukasa.Listing[lukasa.Message], err error) {
	if _, err := s.Conversation(conversation); err != nil {
		return list, err
	}
	c := where(s.visible("m", "messages"))
	c.Add("m.conversation_id = ??", conversation)
	ids, next, total, err := s.page('s', "messages m", "m.seq", "m.id", c, false, p)
	if err != nil {
		return list, err
	}
	list.Next, list.Total = next, total
	list.Items, err = s.MessagesByID(ids)
	return list, err
}

// MessagesByID implements [store.MessageReader]. They come in the order asked for.
func (s *Session) MessagesByID(ids []lukasa.ID) ([]lukasa.Message, error) {
	return sqlrows.Of(&s.Session, ids, store.ScanMessage[sqlrows.Row], func() string {
		return "SELECT " + store.MessageColumns + " FROM json_each(?5) j CROSS JOIN messages m ON m.owner_id = ?1 AND m.id = j.value WHERE " +
			s.visible("m", "messages") + " ORDER BY j.key"
	})
}

// MessagesIn implements [store.MessageReader].
func (s *Session) MessagesIn(document lukasa.ID, from int64, yield func(lukasa.Message) bool) error {
	if err := s.present(document); err != nil {
		return err
	}
	_, err := s.While(func(r sqlrows.Row) bool { return yield(store.ScanMessage(r)) },
		"SELECT "+store.MessageColumns+" FROM messages m WHERE m.owner_id = ?1 AND m.document_id = ?5 AND m.seq >= ?6 ORDER BY m.seq", document, from)
	return err
}

// MessagesByExternal implements [store.MessageReader]. They come in the order asked for.
func (s *Session) MessagesByExternal(conversation lukasa.ID, external []string) ([]lukasa.Message, error) {
	return sqlrows.Of(&s.Session, external, store.ScanMessage[sqlrows.Row], func() string {
		return "SELECT " + store.MessageColumns + ` FROM json_each(?5) j CROSS JOIN messages m ON m.owner_id = ?1 AND m.conversation_id = ?6
AND m.external_id = j.value AND m.external_id <> '' WHERE ` + s.visible("m", "messages") + " ORDER BY j.key"
	}, conversation)
}

// putConversation writes a conversation.
var putConversation = sqlrows.Upsert("conversations", 5, "node_id external_id document_id created_at updated_at tokens closer home_id forget_after title tags metadata", "known_at")

// PutConversation implements [store.MessageWriter]. It inserts or updates by id; Messages is the driver's own count. A
// second conversation of one name in a node is [lukasa.CodeConflict].
func (t *Tx) PutConversation(c lukasa.Conversation) error {
	if err := t.writable(c.Node); err != nil {
		return err
	}
	var was lukasa.Conversation
	buried := false
	there, err := t.One(func(r sqlrows.Row) { was, buried = store.ScanConversation(r), r.Bool(15) },
		"SELECT "+store.ConversationColumns+", v.buried_at > 0"+store.ConversationTables+" WHERE v.owner_id = ?1 AND v.id = ?5", c.ID)
	if err != nil {
		return err
	}
	if there {
		if err := t.writable(was.Node); err != nil || buried {
			return lukasa.NotFound("conversation", c.ID)
		}
	}
	tags, err := sqlrows.List(c.Tags)
	if err != nil {
		return err
	}
	meta, err := sqlrows.Object(c.Metadata)
	if err != nil {
		return err
	}
	err = t.Do(putConversation,
		c.ID, c.Node, c.ExternalID, c.Document, t.orNow(c.CreatedAt), t.orNow(c.UpdatedAt), c.Tokens, c.Closer, c.Home, c.ForgetAfter, c.Title, tags, meta, t.now())
	if err == nil && there && !store.SameConversation(was, c) {
		err = t.record("conversations", store.OpUpdate, c.ID, c.Node, was, c)
	}
	if err != nil || c.Document == "" {
		return err
	}
	return t.markSegment(c.Document, c.ID)
}

// markSegment notes that a document is a stretch of a conversation.
func (t *Tx) markSegment(document, conversation lukasa.ID) error {
	var node lukasa.ID
	summary := false
	ok, err := t.One(func(r sqlrows.Row) { node, summary = lukasa.ID(r.Text(0)), r.Bool(1) },
		`UPDATE documents SET segment_of = ?6 WHERE owner_id = ?1 AND id = ?5 AND segment_of <> ?6 RETURNING node_id, summary_entry`, document, conversation)
	if err != nil || !ok {
		return err
	}
	return t.noteDocument(document, node, node, summary)
}

// PutMessages implements [store.MessageWriter]. Node is that of the message's document, which is the conversation's open
// one where the message names none.
func (t *Tx) PutMessages(ms []lukasa.Message, chunks []lukasa.Chunk) error {
	of := make(map[lukasa.ID][]lukasa.Chunk, len(ms))
	for _, c := range chunks {
		of[c.Message] = append(of[c.Message], c)
	}
	known := make(map[lukasa.ID]*conversationState)
	for _, m := range ms {
		c, err := t.conversationState(known, m.Conversation)
		if err != nil {
			return err
		}
		if m.Document == "" {
			m.Document = c.Document
		}
		if err := t.putMessage(m, c, of[m.ID]); err != nil {
			return err
		}
		delete(of, m.ID)
	}
	for id := range of {
		return lukasa.Invalid("chunks", "belong to message %q, which is not among those given", id)
	}
	for _, c := range known {
		if err := t.Do(`UPDATE conversations SET next_seq = ?6, message_count = message_count + ?7, updated_at = CASE WHEN updated_at < ?8 THEN ?8 ELSE updated_at END
WHERE owner_id = ?1 AND id = ?5`, c.ID, c.next, c.added, t.now()); err != nil {
			return err
		}
	}
	return nil
}

// conversationState is a conversation to which messages are being added.
type conversationState struct {
	lukasa.Conversation
	next     int64
	added    int
	segments map[lukasa.ID]lukasa.ID // documents that are marked, and their nodes
}

func (t *Tx) conversationState(known map[lukasa.ID]*conversationState, id lukasa.ID) (*conversationState, error) {
	if c := known[id]; c != nil {
		return c, nil
	}
	c := &conversationState{segments: make(map[lukasa.ID]lukasa.ID)}
	ok, err := t.One(func(r sqlrows.Row) { c.Conversation, c.next = store.ScanConversation(r), r.Int64(15) },
		"SELECT "+store.ConversationColumns+", v.next_seq"+store.ConversationTables+" WHERE v.id = ?5 AND "+t.visible("v", "conversations"), id)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, lukasa.NotFound("conversation", id)
	}
	known[id] = c
	return c, nil
}

// segment returns the node of a document to which messages are added, and marks it as the conversation's.
func (t *Tx) segment(c *conversationState, document lukasa.ID) (lukasa.ID, error) {
	if node, ok := c.segments[document]; ok {
		return node, nil
	}
	type place struct{ node, talk lukasa.ID }
	p, err := found(t.Session, "document", document, func(r sqlrows.Row) place { return place{lukasa.ID(r.Text(0)), lukasa.ID(r.Text(1))} },
		"SELECT d.node_id, d.segment_of FROM documents d WHERE d.id = ?5 AND "+t.visible("d", "documents"), document)
	if err != nil {
		return "", err
	}
	c.segments[document] = p.node
	if p.talk == c.ID {
		return p.node, nil
	}
	return p.node, t.markSegment(document, c.ID)
}

func (t *Tx) putMessage(m lukasa.Message, c *conversationState, chunks []lukasa.Chunk) error {
	node, err := t.segment(c, m.Document)
	if err != nil {
		return err
	}
	meta, err := sqlrows.Object(m.Metadata)
	if err != nil {
		return err
	}
	var was lukasa.Message
	there, err := t.One(func(r sqlrows.Row) { was = store.ScanMessage(r) }, "SELECT "+store.MessageColumns+" FROM messages m WHERE m.owner_id = ?1 AND m.id = ?5", m.ID)
	if err != nil {
		return err
	}
	switch {
	case there && was.Conversation != c.ID:
		return lukasa.Errorf(lukasa.CodeConflict, "message %s belongs to another conversation", m.ID)
	case there && m.Seq < 0:
		m.Seq = was.Seq
	case m.Seq < 0:
		m.Seq = c.next
	}
	c.next = max(c.next, m.Seq+1)
	args := []any{m.ID, c.ID, m.Document, node, m.ExternalID, m.Seq, m.Role, m.Speaker, m.Session, m.Content, meta, m.Time, t.orNow(m.CreatedAt), m.Tokens, m.ForgetAfter}
	if !there {
		c.added++
		if err := t.Do(`INSERT INTO messages (owner_id, id, conversation_id, document_id, node_id, external_id, seq, role, speaker, session, content, metadata, time, created_at,
 tokens, forget_after, known_at) VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)`, append(args, t.now())...); err != nil {
			return err
		}
		return t.replaceChunks(node, m.Document, m.ID, nil, chunks)
	}
	if err := t.Do(`UPDATE messages SET conversation_id = ?6, document_id = ?7, node_id = ?8, external_id = ?9, seq = ?10, role = ?11, speaker = ?12,
 session = ?13, content = ?14, metadata = ?15, time = ?16, created_at = ?17, tokens = ?18, forget_after = ?19 WHERE owner_id = ?1 AND id = ?5`, args...); err != nil {
		return err
	}
	is, err := found(t.Session, "message", m.ID, store.ScanMessage[sqlrows.Row], "SELECT "+store.MessageColumns+" FROM messages m WHERE m.owner_id = ?1 AND m.id = ?5", m.ID)
	if err != nil {
		return err
	}
	if !store.SameMessage(was, is) {
		if err := t.record("messages", store.OpUpdate, m.ID, node, was, is); err != nil {
			return err
		}
	}
	old, err := t.chunksWhere("c.message_id = ?5 AND c.message_id <> ''", m.ID)
	if err != nil {
		return err
	}
	if err := t.keepChunks(old, chunks); err != nil || was.Document == m.Document {
		return sqlrows.All(func() error { return err }, func() error { return t.replaceChunks(node, m.Document, m.ID, old, chunks) })
	}
	// Into another segment: off with the old ones first. Those that come along are as old as they were.
	known := make(map[lukasa.ID]any)
	return sqlrows.All(
		func() error {
			return t.Each(func(r sqlrows.Row) error {
				known[scanID(r)] = r.Timep(1)
				return nil
			}, "SELECT id, known_at FROM chunks WHERE owner_id = ?1 AND message_id = ?5 AND message_id <> ''", m.ID)
		},
		func() error { return t.replaceChunks(was.Node, was.Document, m.ID, old, nil) },
		func() error { return t.replaceChunks(node, m.Document, m.ID, nil, chunks) },
		func() error {
			return t.Do("UPDATE old_chunks SET document_id = ?6, node_id = ?7 WHERE owner_id = ?1 AND message_id = ?5 AND message_id <> ''", m.ID, m.Document, node)
		},
		func() error {
			for _, c := range chunks {
				if is, ok := old[c.ID]; ok && store.SameChunk(is, c) {
					if err := t.Do("UPDATE chunks SET known_at = ?6 WHERE owner_id = ?1 AND id = ?5", c.ID, known[c.ID]); err != nil {
						return err
					}
				}
			}
			return nil
		})
}

// DeleteMessage implements [store.MessageWriter]. Memories that have no other source go with it.
func (t *Tx) DeleteMessage(id lukasa.ID) error {
	m, err := found(t.Session, "message", id, store.ScanMessage[sqlrows.Row],
		"SELECT "+store.MessageColumns+" FROM messages m WHERE m.id = ?5 AND "+t.within("m", "messages"), id)
	if err != nil {
		return err
	}
	old, err := t.chunksWhere("c.message_id = ?5 AND c.message_id <> ''", id)
	if err != nil {
		return err
	}
	if err := t.replaceChunks(m.Node, m.Document, id, old, nil); err != nil {
		return err
	}
	if err := t.Do("DELETE FROM old_chunks WHERE owner_id = ?1 AND message_id = ?5 AND message_id <> ''", id); err != nil {
		return err
	}
	var gone lukasa.Removal
	if err := t.dropSources("SELECT memory_id, n FROM memory_sources WHERE owner_id = ?1 AND message_id = ?5 AND message_id <> ''", id, &gone); err != nil {
		return err
	}
	if err := t.dropEdges(sqlrows.Set([]lukasa.ID{id}), &gone); err != nil {
		return err
	}
	if err := t.Do("UPDATE conversations SET message_count = message_count - 1 WHERE owner_id = ?1 AND id = ?5 AND EXISTS (SELECT 1 FROM messages m WHERE m.owner_id = ?1 AND m.id = ?6"+
		t.shown("m", "messages")+")", m.Conversation, id); err != nil {
		return err
	}
	if err := t.Do("DELETE FROM messages WHERE owner_id = ?1 AND id = ?5", id); err != nil {
		return err
	}
	return t.purged([]lukasa.ID{id}, func(lukasa.ID) lukasa.ID { return m.Node })
}
