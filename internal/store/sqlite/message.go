package sqlite

import "github.com/lukasa-memory/lukasa"

const (
	conversationColumns = "v.id, v.node_id, n.path, v.external_id, v.document_id, v.message_count, v.created_at, v.updated_at"
	conversationTables  = " FROM conversations v JOIN nodes n ON n.owner_id = v.owner_id AND n.id = v.node_id"
	messageColumns      = "m.id, m.conversation_id, m.document_id, m.node_id, m.external_id, m.seq, m.role, m.speaker, m.session, m.content, m.metadata, m.time, m.created_at"
)

func scanConversation(r row) lukasa.Conversation {
	return lukasa.Conversation{
		ID: lukasa.ID(r.text(0)), Node: lukasa.ID(r.text(1)), Path: lukasa.Path(r.text(2)), ExternalID: r.text(3),
		Document: lukasa.ID(r.text(4)), Messages: r.int(5), CreatedAt: r.time(6), UpdatedAt: r.time(7),
	}
}

func scanMessage(r row) lukasa.Message {
	return lukasa.Message{
		ID: lukasa.ID(r.text(0)), Conversation: lukasa.ID(r.text(1)), Document: lukasa.ID(r.text(2)), Node: lukasa.ID(r.text(3)),
		ExternalID: r.text(4), Seq: r.int64(5), Role: r.text(6), Speaker: r.text(7), Session: r.text(8), Content: r.text(9), Metadata: r.object(10),
		Time: r.timep(11), CreatedAt: r.time(12),
	}
}

// Conversation implements [store.MessageReader].
func (s *session) Conversation(id lukasa.ID) (lukasa.Conversation, error) {
	return found(s, "conversation", id, scanConversation, "SELECT "+conversationColumns+conversationTables+" WHERE v.id = ?5 AND "+s.visible("v", "node_id"), id)
}

// ConversationAt implements [store.MessageReader].
func (s *session) ConversationAt(node lukasa.ID, external string) (lukasa.Conversation, error) {
	return found(s, "conversation", external, scanConversation, "SELECT "+conversationColumns+conversationTables+" WHERE v.node_id = ?5 AND v.external_id = ?6 AND "+s.visible("v", "node_id"), node, external)
}

// Conversations implements [store.MessageReader]. They come newest first.
func (s *session) Conversations(patterns []lukasa.Pattern, p lukasa.Page) (list lukasa.Listing[lukasa.Conversation], err error) {
	c := conditions{sql: []string{s.visible("v", "node_id")}}
	from, err := s.inNodes(&c, "conversations", "v", patterns)
	if err != nil {
		return list, err
	}
	ids, next, total, err := s.page('v', from, "v.created_at", "v.id", c, true, p)
	if err != nil {
		return list, err
	}
	list = lukasa.Listing[lukasa.Conversation]{Items: make([]lukasa.Conversation, 0, len(ids)), Next: next, Total: total}
	err = into(s, &list.Items, scanConversation, "SELECT "+conversationColumns+` FROM json_each(?5) j CROSS JOIN conversations v ON v.owner_id = ?1 AND v.id = j.value
JOIN nodes n ON n.owner_id = v.owner_id AND n.id = v.node_id ORDER BY j.key`, idList(ids))
	return list, err
}

// Messages implements [store.MessageReader].
func (s *session) Messages(conversation lukasa.ID, p lukasa.Page) (list lukasa.Listing[lukasa.Message], err error) {
	if _, err := s.Conversation(conversation); err != nil {
		return list, err
	}
	c := conditions{sql: []string{s.visible("m", "node_id")}}
	c.add("m.conversation_id = ??", conversation)
	ids, next, total, err := s.page('s', "messages m", "m.seq", "m.id", c, false, p)
	if err != nil {
		return list, err
	}
	list.Next, list.Total = next, total
	list.Items, err = s.MessagesByID(ids)
	return list, err
}

// MessagesByID implements [store.MessageReader]. They come in the order asked for.
func (s *session) MessagesByID(ids []lukasa.ID) ([]lukasa.Message, error) {
	list := make([]lukasa.Message, 0, len(ids))
	if len(ids) == 0 {
		return list, nil
	}
	err := into(s, &list, scanMessage, "SELECT "+messageColumns+" FROM json_each(?5) j CROSS JOIN messages m ON m.owner_id = ?1 AND m.id = j.value WHERE "+
		s.visible("m", "node_id")+" ORDER BY j.key", idList(ids))
	return list, err
}

// MessagesByExternal implements [store.MessageReader]. They come in the order asked for.
func (s *session) MessagesByExternal(conversation lukasa.ID, external []string) ([]lukasa.Message, error) {
	list := make([]lukasa.Message, 0, len(external))
	if len(external) == 0 {
		return list, nil
	}
	err := into(s, &list, scanMessage, "SELECT "+messageColumns+` FROM json_each(?5) j CROSS JOIN messages m ON m.owner_id = ?1 AND m.conversation_id = ?6
AND m.external_id = j.value AND m.external_id <> '' WHERE `+s.visible("m", "node_id")+" ORDER BY j.key", idList(external), conversation)
	return list, err
}

// PutConversation implements [store.MessageWriter]. It inserts or updates by id; Messages is the driver's own count. A
// second conversation of one name in a node is [lukasa.CodeConflict].
func (t *tx) PutConversation(c lukasa.Conversation) error {
	if err := t.writable(c.Node); err != nil {
		return err
	}
	var node lukasa.ID
	there, err := t.one(func(r row) { node = lukasa.ID(r.text(0)) }, "SELECT node_id FROM conversations WHERE owner_id = ?1 AND id = ?5", c.ID)
	if err != nil {
		return err
	}
	if there {
		if err := t.writable(node); err != nil {
			return lukasa.NotFound("conversation", c.ID)
		}
	}
	err = t.do(`INSERT INTO conversations (owner_id, id, node_id, external_id, document_id, created_at, updated_at) VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT (owner_id, id) DO UPDATE SET node_id = excluded.node_id, external_id = excluded.external_id, document_id = excluded.document_id,
 created_at = excluded.created_at, updated_at = excluded.updated_at`,
		c.ID, c.Node, c.ExternalID, c.Document, t.orNow(c.CreatedAt), t.orNow(c.UpdatedAt))
	if err != nil || c.Document == "" {
		return err
	}
	return t.markSegment(c.Document, c.ID)
}

// markSegment notes that a document is a stretch of a conversation.
func (t *tx) markSegment(document, conversation lukasa.ID) error {
	var node lukasa.ID
	summary := false
	ok, err := t.one(func(r row) { node, summary = lukasa.ID(r.text(0)), r.bool(1) },
		`UPDATE documents SET segment_of = ?6 WHERE owner_id = ?1 AND id = ?5 AND segment_of <> ?6 RETURNING node_id, summary_entry`, document, conversation)
	if err != nil || !ok {
		return err
	}
	return t.noteDocument(document, node, node, summary)
}

// PutMessages implements [store.MessageWriter]. Node is that of the message's document, which is the conversation's open
// one where the message names none.
func (t *tx) PutMessages(ms []lukasa.Message, chunks []lukasa.Chunk) error {
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
		if err := t.do(`UPDATE conversations SET next_seq = ?6, message_count = message_count + ?7, updated_at = max(updated_at, ?8)
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

func (t *tx) conversationState(known map[lukasa.ID]*conversationState, id lukasa.ID) (*conversationState, error) {
	if c := known[id]; c != nil {
		return c, nil
	}
	c := &conversationState{segments: make(map[lukasa.ID]lukasa.ID)}
	ok, err := t.one(func(r row) { c.Conversation, c.next = scanConversation(r), r.int64(8) },
		"SELECT "+conversationColumns+", v.next_seq"+conversationTables+" WHERE v.id = ?5 AND "+t.visible("v", "node_id"), id)
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
func (t *tx) segment(c *conversationState, document lukasa.ID) (lukasa.ID, error) {
	if node, ok := c.segments[document]; ok {
		return node, nil
	}
	node, err := found(&t.session, "document", document, scanID, "SELECT d.node_id FROM documents d WHERE d.id = ?5 AND "+t.visible("d", "node_id"), document)
	if err != nil {
		return "", err
	}
	c.segments[document] = node
	return node, t.markSegment(document, c.ID)
}

func (t *tx) putMessage(m lukasa.Message, c *conversationState, chunks []lukasa.Chunk) error {
	node, err := t.segment(c, m.Document)
	if err != nil {
		return err
	}
	meta, err := encodeObject(m.Metadata)
	if err != nil {
		return err
	}
	var conversation, document, from lukasa.ID
	seq := int64(-1)
	there, err := t.one(func(r row) {
		conversation, document, from, seq = lukasa.ID(r.text(0)), lukasa.ID(r.text(1)), lukasa.ID(r.text(2)), r.int64(3)
	}, "SELECT conversation_id, document_id, node_id, seq FROM messages WHERE owner_id = ?1 AND id = ?5", m.ID)
	if err != nil {
		return err
	}
	switch {
	case there && conversation != c.ID:
		return lukasa.Errorf(lukasa.CodeConflict, "message %s belongs to another conversation", m.ID)
	case there && m.Seq < 0:
		m.Seq = seq
	case m.Seq < 0:
		m.Seq = c.next
	}
	c.next = max(c.next, m.Seq+1)
	args := []any{m.ID, c.ID, m.Document, node, m.ExternalID, m.Seq, m.Role, m.Speaker, m.Session, m.Content, meta, m.Time, t.orNow(m.CreatedAt)}
	if !there {
		c.added++
		if err := t.do(`INSERT INTO messages (owner_id, id, conversation_id, document_id, node_id, external_id, seq, role, speaker, session, content, metadata, time, created_at)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)`, args...); err != nil {
			return err
		}
		return t.replaceChunks(node, m.Document, m.ID, nil, chunks)
	}
	if err := t.do(`UPDATE messages SET conversation_id = ?6, document_id = ?7, node_id = ?8, external_id = ?9, seq = ?10, role = ?11, speaker = ?12,
 session = ?13, content = ?14, metadata = ?15, time = ?16, created_at = ?17 WHERE owner_id = ?1 AND id = ?5`, args...); err != nil {
		return err
	}
	old, err := t.chunksWhere("c.message_id = ?5 AND c.message_id <> ''", m.ID)
	if err != nil {
		return err
	}
	if document != m.Document { // into another segment: off with the old ones first
		if err := t.replaceChunks(from, document, m.ID, old, nil); err != nil {
			return err
		}
		old = nil
	}
	return t.replaceChunks(node, m.Document, m.ID, old, chunks)
}

// DeleteMessage implements [store.MessageWriter]. Memories that have no other source go with it.
func (t *tx) DeleteMessage(id lukasa.ID) error {
	m, err := found(&t.session, "message", id, scanMessage,
		"SELECT "+messageColumns+" FROM messages m WHERE m.id = ?5 AND "+t.visible("m", "node_id"), id)
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
	var gone lukasa.Removal
	if err := t.dropSources("SELECT memory_id, n FROM memory_sources WHERE owner_id = ?1 AND message_id = ?5 AND message_id <> ''", id, &gone); err != nil {
		return err
	}
	if err := t.do("DELETE FROM messages WHERE owner_id = ?1 AND id = ?5", id); err != nil {
		return err
	}
	return t.do("UPDATE conversations SET message_count = message_count - 1 WHERE owner_id = ?1 AND id = ?5", m.Conversation)
}
