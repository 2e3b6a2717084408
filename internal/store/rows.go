package store

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// Row is a row of a result of SQL. What is NULL reads as the zero value.
type Row interface {
	Text(i int) string
	Int64(i int) int64
	Float(i int) float64
	Bytes(i int) []byte
	Time(i int) time.Time
	List(i int) []string
	Object(i int) map[string]any // never nil
	Vector(i int) []float32
}

// The columns of records, under the names that all dialects share, with what reads a row of them. The letters before the names are
// the aliases of the tables: d documents, c chunks, y memories, v conversations, m messages, g segments, n nodes, a entities,
// e edges, h deltas, f files, u users, k keys. Those of documents leave the content out.
const (
	DocumentColumns = `d.id, d.node_id, n.path, d.title, d.content_type, d.language, d.category, d.summary, d.kw_entities, d.kw_topics,
 d.kw_dates, d.kw_relationships, d.tags, d.metadata, d.source_url, d.custom_id, d.origin, d.content_hash, d.size, d.status, d.reason,
 d.version, d.previous_id, d.is_latest, d.chunk_count, d.embedded_count, d.occurred_at, d.created_at, d.updated_at, d.forget_after,
 d.last_accessed_at, d.access_count, d.segment_of, d.summary_entry`
	HeadColumns    = "d.id, d.title, d.content_type, d.summary, d.tags, d.metadata, d.source_url, d.version, d.status, d.origin, d.is_latest"
	DocumentTables = " FROM documents d JOIN nodes n ON n.owner_id = d.owner_id AND n.id = d.node_id"

	ConversationColumns = "v.id, v.node_id, n.path, v.external_id, v.document_id, v.message_count, v.created_at, v.updated_at, v.tokens, v.closer, v.home_id, v.forget_after, v.title, v.tags, v.metadata"
	ConversationTables  = " FROM conversations v JOIN nodes n ON n.owner_id = v.owner_id AND n.id = v.node_id"
	MessageColumns      = "m.id, m.conversation_id, m.document_id, m.node_id, m.external_id, m.seq, m.role, m.speaker, m.session, m.content, m.metadata, m.time, m.created_at, m.tokens, m.forget_after"

	UserColumns   = "u.owner_id, u.name, u.email, u.external_id, u.role, u.settings, u.created_at"
	KeyColumns    = "k.id, k.owner_id, k.name, k.hint, k.role, k.root, k.read_only, k.unlimited, k.created_at, k.expires_at, k.last_used_at, k.revoked_at, k.persona_id, k.third_party, k.member_id"
	MemoryColumns = `y.id, y.node_id, n.path, y.kind, y.content, y.slot, y.value, y.subject, y.confidence, y.tags, y.metadata, y.entities, y.origin,
 y.extractor, y.is_latest, y.retired_by, y.reason, y.occurred_at, y.valid_from, y.valid_to, y.recorded_at, y.retired_at, y.updated_at, y.forget_after, y.state, y.key`
	SegmentColumns = `g.document_id, g.conversation_id, g.previous_id, g.state, g.reason, g.detail, g.topic, g.folder, g.tokens, g.message_count,
 g.first_seq, g.last_seq, g.started_at, g.finalized_at`
	// SegmentTokens are the tokens of a segment so far: those of an open one are counted at its conversation.
	SegmentTokens = `CASE WHEN g.reason <> '' THEN g.tokens ELSE coalesce((SELECT v.tokens FROM conversations v
 WHERE v.owner_id = g.owner_id AND v.id = g.conversation_id AND v.document_id = g.document_id), g.tokens) END`
	ParentColumn = "coalesce(n.parent_id, '')"
	NodeColumns  = "n.id, " + ParentColumn + `, n.path, n.name, n.type, n.depth, n.description, n.version, n.created_at, n.updated_at,
 n.summary, n.kw_entities, n.kw_topics, n.kw_dates, n.kw_relationships`
	ChunkColumns = "c.id, c.document_id, c.message_id, c.node_id, c.seq, c.start_at, c.end_at, c.line_from, c.line_to, c.page, c.kind, c.symbol, c.heading, c.content, c.place"
	EdgeColumns  = "e.source_id, e.target_id, e.type, e.weight, e.confidence, e.metadata, e.created_at"
	DeltaColumns = "h.id, h.seq, h.record_id, h.node_id, h.op, h.before, h.after, h.author, h.reason, h.at, h.hash"
	FileColumns  = "f.id, f.document_id, f.role, f.name, f.type, f.size, f.sealed_size, f.blob, f.sha256, f.created_at, f.inline, f.state, f.used_at"
)

// timep reads a time that may be absent.
func timep[R Row](r R, i int) *time.Time {
	if t := r.Time(i); !t.IsZero() {
		return &t
	}
	return nil
}

// DocumentValues are what the row of a document is written with, behind its owner: its columns from id and node_id on, with the title in lower case behind the
// title, and without the content. An error is one of metadata that are no JSON.
func DocumentValues(d lukasa.Document) ([]any, error) {
	var lists [5]any
	for i, l := range [][]string{d.Keywords.Entities, d.Keywords.Topics, d.Keywords.Dates, d.Keywords.Relationships, d.Tags} {
		v, err := sqlrows.List(l)
		if err != nil {
			return nil, err
		}
		lists[i] = v
	}
	meta, err := sqlrows.Object(d.Metadata)
	if err != nil {
		return nil, err
	}
	return []any{
		d.ID, d.Node, d.Title, strings.ToLower(d.Title), d.ContentType, d.Language, d.Category, d.Summary, lists[0], lists[1],
		lists[2], lists[3], lists[4], meta, d.SourceURL, d.CustomID, d.Origin, d.ContentHash, d.Size, d.Status, d.Reason, d.Version,
		d.Previous, d.IsLatest, d.OccurredAt, d.CreatedAt, d.UpdatedAt, d.ForgetAfter, d.LastAccessedAt, d.Accesses,
	}, nil
}

// ScanDocument reads DocumentColumns, without content.
func ScanDocument[R Row](r R) lukasa.Document {
	return lukasa.Document{
		ID: lukasa.ID(r.Text(0)), Node: lukasa.ID(r.Text(1)), Path: lukasa.Path(r.Text(2)), Title: r.Text(3),
		ContentType: r.Text(4), Language: r.Text(5), Category: r.Text(6), Summary: r.Text(7),
		Keywords: lukasa.Keywords{Entities: r.List(8), Topics: r.List(9), Dates: r.List(10), Relationships: r.List(11)},
		Tags:     Full(r.List(12)), Metadata: r.Object(13), SourceURL: r.Text(14), CustomID: r.Text(15),
		Origin: lukasa.Origin(r.Text(16)), ContentHash: r.Text(17), Size: r.Int64(18), Status: lukasa.Status(r.Text(19)), Reason: r.Text(20),
		Version: int(r.Int64(21)), Previous: lukasa.ID(r.Text(22)), IsLatest: r.Int64(23) != 0, Chunks: int(r.Int64(24)), Embedded: int(r.Int64(25)),
		OccurredAt: timep(r, 26), CreatedAt: r.Time(27), UpdatedAt: r.Time(28), ForgetAfter: timep(r, 29), LastAccessedAt: timep(r, 30), Accesses: r.Int64(31),
	}
}

// ScanHead reads HeadColumns.
func ScanHead[R Row](r R) lukasa.Document {
	return lukasa.Document{
		ID: lukasa.ID(r.Text(0)), Title: r.Text(1), ContentType: r.Text(2), Summary: r.Text(3), Tags: Full(r.List(4)), Metadata: r.Object(5), SourceURL: r.Text(6),
		Version: int(r.Int64(7)), Status: lukasa.Status(r.Text(8)), Origin: lukasa.Origin(r.Text(9)), IsLatest: r.Int64(10) != 0,
	}
}

// ScanMemory reads MemoryColumns, without sources.
func ScanMemory[R Row](r R) lukasa.Memory {
	return lukasa.Memory{
		ID: lukasa.ID(r.Text(0)), Node: lukasa.ID(r.Text(1)), Path: lukasa.Path(r.Text(2)), Kind: lukasa.MemoryKind(r.Text(3)),
		Content: r.Text(4), Slot: r.Text(5), Value: r.Text(6), Subject: r.Text(7), Confidence: r.Float(8), Tags: Full(r.List(9)), Metadata: r.Object(10),
		Entities: r.List(11), Sources: []lukasa.Source{}, Origin: lukasa.Origin(r.Text(12)), Extractor: r.Text(13), IsLatest: r.Int64(14) != 0,
		RetiredBy: lukasa.ID(r.Text(15)), Reason: r.Text(16), OccurredAt: timep(r, 17), ValidFrom: timep(r, 18), ValidTo: timep(r, 19),
		RecordedAt: r.Time(20), RetiredAt: timep(r, 21), UpdatedAt: r.Time(22), ForgetAfter: timep(r, 23), State: r.Text(24), Key: r.Text(25),
	}
}

// ConversationNamed is the condition for a conversation of the name ?6 that stands in the node ?5, or was begun there.
func ConversationNamed(begun bool) string {
	if begun {
		return "v.home_id = ?5 AND v.home_id <> '' AND v.external_id = ?6"
	}
	return "v.node_id = ?5 AND v.external_id = ?6"
}

// ScanConversation reads ConversationColumns.
func ScanConversation[R Row](r R) lukasa.Conversation {
	return lukasa.Conversation{
		ID: lukasa.ID(r.Text(0)), Node: lukasa.ID(r.Text(1)), Path: lukasa.Path(r.Text(2)), ExternalID: r.Text(3),
		Document: lukasa.ID(r.Text(4)), Messages: int(r.Int64(5)), CreatedAt: r.Time(6), UpdatedAt: r.Time(7), Tokens: int(r.Int64(8)), Closer: r.Text(9),
		Home: lukasa.ID(r.Text(10)), ForgetAfter: timep(r, 11), Title: r.Text(12), Tags: Full(r.List(13)), Metadata: r.Object(14),
	}
}

// ScanMessage reads MessageColumns.
func ScanMessage[R Row](r R) lukasa.Message {
	return lukasa.Message{
		ID: lukasa.ID(r.Text(0)), Conversation: lukasa.ID(r.Text(1)), Document: lukasa.ID(r.Text(2)), Node: lukasa.ID(r.Text(3)),
		ExternalID: r.Text(4), Seq: r.Int64(5), Role: r.Text(6), Speaker: r.Text(7), Session: r.Text(8), Content: r.Text(9), Metadata: r.Object(10),
		Time: timep(r, 11), CreatedAt: r.Time(12), Tokens: int(r.Int64(13)), ForgetAfter: timep(r, 14),
	}
}

// ScanSegment reads SegmentColumns.
func ScanSegment[R Row](r R) lukasa.Segment {
	return lukasa.Segment{
		Document: lukasa.ID(r.Text(0)), Conversation: lukasa.ID(r.Text(1)), Previous: lukasa.ID(r.Text(2)), State: r.Text(3), Trigger: triggerOf(r.Text(4)),
		Detail: r.Text(5), Topic: r.Text(6), Folder: r.Text(7), Tokens: int(r.Int64(8)), Messages: int(r.Int64(9)), First: r.Int64(10), Last: r.Int64(11),
		StartedAt: timep(r, 12), FinalizedAt: timep(r, 13),
	}
}

// triggerOf is a trigger by the name that it has today: stretches that were closed for their size had another one once.
func triggerOf(s string) string {
	if s == "token_threshold" {
		return "chunk_threshold"
	}
	return s
}

// ScanNode reads NodeColumns.
func ScanNode[R Row](r R) lukasa.Node {
	return lukasa.Node{
		ID: lukasa.ID(r.Text(0)), Parent: lukasa.ID(r.Text(1)), Path: lukasa.Path(r.Text(2)), Name: r.Text(3),
		Type: lukasa.NodeType(r.Text(4)), Depth: int(r.Int64(5)), Description: r.Text(6), Version: r.Int64(7), CreatedAt: r.Time(8), UpdatedAt: r.Time(9), Summary: r.Text(10),
		Keywords: lukasa.Keywords{Entities: r.List(11), Topics: r.List(12), Dates: r.List(13), Relationships: r.List(14)},
	}
}

// ScanChunk reads ChunkColumns.
func ScanChunk[R Row](r R) lukasa.Chunk {
	return lukasa.Chunk{
		ID: lukasa.ID(r.Text(0)), Document: lukasa.ID(r.Text(1)), Message: lukasa.ID(r.Text(2)), Node: lukasa.ID(r.Text(3)),
		Seq: int(r.Int64(4)), Start: int(r.Int64(5)), End: int(r.Int64(6)), Lines: [2]int{int(r.Int64(7)), int(r.Int64(8))}, Page: int(r.Int64(9)), Kind: r.Text(10), Symbol: r.Text(11),
		Heading: r.List(12), Content: r.Text(13), Place: r.Text(14),
	}
}

// ScanEntity reads id, kind, name, aliases, times and the number of mentions.
func ScanEntity[R Row](r R) lukasa.Entity {
	return lukasa.Entity{
		ID: lukasa.ID(r.Text(0)), Kind: r.Text(1), Name: r.Text(2), Aliases: r.List(3), CreatedAt: r.Time(4), UpdatedAt: r.Time(5), Mentions: int(r.Int64(6)),
	}
}

// ScanEdge reads EdgeColumns.
func ScanEdge[R Row](r R) lukasa.Edge {
	e := lukasa.Edge{From: r.Text(0), To: r.Text(1), Type: lukasa.EdgeType(r.Text(2)), Weight: r.Float(3), Confidence: r.Float(4), CreatedAt: r.Time(6)}
	if r.Text(5) != "" {
		e.Metadata = r.Object(5)
	}
	return e
}

// ScanDelta reads DeltaColumns.
func ScanDelta[R Row](r R) lukasa.Delta {
	d := lukasa.Delta{
		ID: lukasa.ID(r.Text(0)), Seq: r.Int64(1), Record: lukasa.ID(r.Text(2)), Node: lukasa.ID(r.Text(3)), Op: r.Text(4),
		Author: r.Text(7), Reason: r.Text(8), At: r.Time(9), Hash: hex.EncodeToString(r.Bytes(10)),
	}
	for i, to := range []*json.RawMessage{&d.Before, &d.After} {
		if s := r.Text(5 + i); s != "" {
			*to = json.RawMessage(s)
		}
	}
	return d
}

// ScanFile reads FileColumns.
func ScanFile[R Row](r R) lukasa.File {
	return lukasa.File{
		ID: lukasa.ID(r.Text(0)), Document: lukasa.ID(r.Text(1)), Role: r.Text(2), Name: r.Text(3), Type: r.Text(4), Size: r.Int64(5),
		SealedSize: r.Int64(6), Blob: r.Text(7), SHA256: r.Text(8), CreatedAt: r.Time(9), Inline: r.Bytes(10), State: r.Text(11), UsedAt: r.Time(12),
	}
}

// ScanUser reads UserColumns.
func ScanUser[R Row](r R) lukasa.User {
	u := lukasa.User{ID: lukasa.ID(r.Text(0)), Name: r.Text(1), Email: r.Text(2), ExternalID: r.Text(3), Role: lukasa.Role(r.Text(4)), CreatedAt: r.Time(6)}
	if r.Text(5) != "" {
		u.Settings = r.Object(5)
	}
	return u
}

// ScanKey reads KeyColumns.
func ScanKey[R Row](r R) lukasa.Key {
	k := lukasa.Key{
		ID: lukasa.ID(r.Text(0)), User: lukasa.ID(r.Text(1)), Name: r.Text(2), Hint: r.Text(3), Role: lukasa.Role(r.Text(4)),
		Root: lukasa.Path(r.Text(5)), ReadOnly: r.Int64(6) != 0, Unlimited: r.Int64(7) != 0, CreatedAt: r.Time(8), ExpiresAt: timep(r, 9), LastUsedAt: timep(r, 10), RevokedAt: timep(r, 11),
		Persona: lukasa.ID(r.Text(12)), ThirdParty: r.Int64(13) != 0,
	}
	if member := lukasa.ID(r.Text(14)); member != "" {
		k.Org, k.User = k.User, member
	}
	return k
}

// ScanChunkEntry reads what Chunks selects.
func ScanChunkEntry[R Row](owner lukasa.ID, r R) lukasa.Entry {
	e := lukasa.Entry{
		ID: lukasa.ID(r.Text(0)), Type: lukasa.EntryChunk, Owner: owner, Node: lukasa.ID(r.Text(1)), Document: lukasa.ID(r.Text(2)),
		Message: lukasa.ID(r.Text(3)), Seq: r.Int64(4), Text: r.Text(6), Title: lukasa.EntryTitle(r.Text(7), r.List(5)), ContentType: r.Text(8),
		Status: lukasa.Status(r.Text(9)), Origin: lukasa.Origin(r.Text(10)), Latest: r.Int64(11) != 0, Tags: Full(r.List(12)), Language: r.Text(25), Vector: r.Vector(26),
	}
	if e.Message == "" {
		e.Metadata, e.OccurredAt, e.CreatedAt, e.Conversation = r.Object(13), r.Time(14), r.Time(15), lukasa.ID(r.Text(16))
		return e
	}
	e.Type, e.Seq, e.Speaker, e.Role, e.Session = lukasa.EntryMessage, r.Int64(17), r.Text(18), r.Text(19), r.Text(20)
	e.Metadata, e.OccurredAt, e.CreatedAt, e.Conversation = r.Object(21), r.Time(22), r.Time(23), lukasa.ID(r.Text(24))
	return e
}

// ScanDocumentEntry reads what Documents selects.
func ScanDocumentEntry[R Row](owner lukasa.ID, r R) lukasa.Entry {
	return lukasa.Entry{
		ID: lukasa.ID(r.Text(0)), Type: lukasa.EntryDocument, Owner: owner, Node: lukasa.ID(r.Text(1)), Document: lukasa.ID(r.Text(0)),
		Conversation: lukasa.ID(r.Text(12)), Text: r.Text(3), Title: r.Text(2), ContentType: r.Text(4), Status: lukasa.Status(r.Text(5)),
		Origin: lukasa.Origin(r.Text(6)), Latest: r.Int64(7) != 0, Tags: Full(r.List(8)), Metadata: r.Object(9), OccurredAt: r.Time(10), CreatedAt: r.Time(11),
		Vector: r.Vector(13),
	}
}

// ScanMemoryEntry reads what Memories selects.
func ScanMemoryEntry[R Row](owner lukasa.ID, r R) lukasa.Entry {
	status := lukasa.StatusDone
	if state := r.Text(11); state != "" {
		status = lukasa.Status(state)
	}
	return lukasa.Entry{
		ID: lukasa.ID(r.Text(0)), Type: lukasa.EntryMemory, Owner: owner, Node: lukasa.ID(r.Text(1)), Text: r.Text(2),
		Kind: lukasa.MemoryKind(r.Text(3)), Status: status, Origin: lukasa.Origin(r.Text(4)), Confidence: r.Float(5), Latest: r.Int64(6) != 0,
		Tags: Full(r.List(7)), Metadata: r.Object(8), OccurredAt: r.Time(9), CreatedAt: r.Time(10), Subject: r.Text(12), Slot: r.Text(13),
		Vector: r.Vector(14),
	}
}

// Full returns l, or an empty list for nil: fields that are always shown are shown as [].
func Full(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

// EntryQuery builds the statements that read entries.
type EntryQuery struct {
	Vectors int    // the number of the space's table, 0 to leave them out
	Schema  string // "main." for the rows of today in a view of a moment
}

func (q EntryQuery) vector(owner, id string) (column, join string) {
	if q.Vectors == 0 {
		return ", NULL", ""
	}
	return ", v.vector", " LEFT JOIN embeddings_" + strconv.Itoa(q.Vectors) + " v ON v.owner_id = " + owner + " AND v.entry_id = " + id
}

// Chunks selects entries of chunks; from comes first in the join and gives the chunks c. What a document is in was told from all of it, so it
// says more than a chunk does where there are several.
func (q EntryQuery) Chunks(from, rest string) string {
	column, join := q.vector("c.owner_id", "c.id")
	return `SELECT c.id, c.node_id, c.document_id, c.message_id, c.seq, c.heading, c.content, d.title, d.content_type, d.status, d.origin,
 d.is_latest, d.tags, d.metadata, d.occurred_at, d.created_at, d.segment_of, m.seq, m.speaker, m.role, m.session, m.metadata, m.time, m.created_at,
 m.conversation_id, CASE WHEN c.message_id = '' AND d.chunk_count > 1 THEN d.language ELSE '' END` + column + " FROM " + from + " CROSS JOIN " + q.Schema + "documents d ON d.owner_id = c.owner_id AND d.id = c.document_id AND d.buried_at = 0 LEFT JOIN " + q.Schema + `messages m ON m.owner_id = c.owner_id AND m.id = c.message_id` + join + " " + rest
}

// Documents selects the summary entries of documents d.
func (q EntryQuery) Documents(from, rest string) string {
	column, join := q.vector("d.owner_id", "d.id")
	return `SELECT d.id, d.node_id, d.title, d.summary, d.content_type, d.status, d.origin, d.is_latest, d.tags, d.metadata, d.occurred_at,
 d.created_at, d.segment_of` + column + " FROM " + from + join + " " + rest
}

// Memories selects the entries of memories y.
func (q EntryQuery) Memories(from, rest string) string {
	column, join := q.vector("y.owner_id", "y.id")
	return `SELECT y.id, y.node_id, y.content, y.kind, y.origin, y.confidence, y.is_latest, y.tags, y.metadata, y.occurred_at, y.recorded_at, y.state,
 y.subject, y.slot` +
		column + " FROM " + from + join + " " + rest
}
