package sqlite

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/lite"
)

// entryQuery builds the statements that read entries. vectors is the number of the space's table, 0 to leave them out.
type entryQuery struct{ vectors int }

func (q entryQuery) vector(owner, id string) (column, join string) {
	if q.vectors == 0 {
		return ", NULL", ""
	}
	return ", v.vector", " LEFT JOIN embeddings_" + itoa(q.vectors) + " v ON v.owner_id = " + owner + " AND v.entry_id = " + id
}

// chunks selects entries of chunks; from comes first in the join and gives the chunks c.
func (q entryQuery) chunks(from, rest string) string {
	column, join := q.vector("c.owner_id", "c.id")
	return `SELECT c.id, c.node_id, c.document_id, c.message_id, c.seq, c.heading, c.content, d.title, d.content_type, d.status, d.origin,
 d.is_latest, d.tags, d.metadata, d.occurred_at, d.created_at, d.segment_of, m.seq, m.speaker, m.role, m.session, m.metadata, m.time, m.created_at,
 m.conversation_id` + column + " FROM " + from + ` CROSS JOIN documents d ON d.owner_id = c.owner_id AND d.id = c.document_id AND d.buried_at IS NULL
 LEFT JOIN messages m ON m.owner_id = c.owner_id AND m.id = c.message_id` + join + " " + rest
}

func scanChunkEntry(owner lukasa.ID, r row) lukasa.Entry {
	e := lukasa.Entry{
		ID: lukasa.ID(r.Text(0)), Type: lukasa.EntryChunk, Owner: owner, Node: lukasa.ID(r.Text(1)), Document: lukasa.ID(r.Text(2)),
		Message: lukasa.ID(r.Text(3)), Seq: r.Int64(4), Text: r.Text(6), Title: lukasa.EntryTitle(r.Text(7), r.List(5)), ContentType: r.Text(8),
		Status: lukasa.Status(r.Text(9)), Origin: lukasa.Origin(r.Text(10)), Latest: r.Bool(11), Tags: full(r.List(12)), Vector: r.Vector(25),
	}
	if e.Message == "" {
		e.Metadata, e.OccurredAt, e.CreatedAt, e.Conversation = r.Object(13), r.Time(14), r.Time(15), lukasa.ID(r.Text(16))
		return e
	}
	e.Type, e.Seq, e.Speaker, e.Role, e.Session = lukasa.EntryMessage, r.Int64(17), r.Text(18), r.Text(19), r.Text(20)
	e.Metadata, e.OccurredAt, e.CreatedAt, e.Conversation = r.Object(21), r.Time(22), r.Time(23), lukasa.ID(r.Text(24))
	return e
}

// documents selects the summary entries of documents d.
func (q entryQuery) documents(from, rest string) string {
	column, join := q.vector("d.owner_id", "d.id")
	return `SELECT d.id, d.node_id, d.title, d.summary, d.content_type, d.status, d.origin, d.is_latest, d.tags, d.metadata, d.occurred_at,
 d.created_at, d.segment_of` + column + " FROM " + from + join + " " + rest
}

func scanDocumentEntry(owner lukasa.ID, r row) lukasa.Entry {
	return lukasa.Entry{
		ID: lukasa.ID(r.Text(0)), Type: lukasa.EntryDocument, Owner: owner, Node: lukasa.ID(r.Text(1)), Document: lukasa.ID(r.Text(0)),
		Conversation: lukasa.ID(r.Text(12)), Text: r.Text(3), Title: r.Text(2), ContentType: r.Text(4), Status: lukasa.Status(r.Text(5)),
		Origin: lukasa.Origin(r.Text(6)), Latest: r.Bool(7), Tags: full(r.List(8)), Metadata: r.Object(9), OccurredAt: r.Time(10), CreatedAt: r.Time(11),
		Vector: r.Vector(13),
	}
}

// recalled is the condition for memories y that are entries.
const recalled = "y.buried_at IS NULL AND y.state <> 'quarantined'"

// memories selects the entries of memories y.
func (q entryQuery) memories(from, rest string) string {
	column, join := q.vector("y.owner_id", "y.id")
	return `SELECT y.id, y.node_id, y.content, y.kind, y.origin, y.confidence, y.is_latest, y.tags, y.metadata, y.occurred_at, y.recorded_at` +
		column + " FROM " + from + join + " " + rest
}

func scanMemoryEntry(owner lukasa.ID, r row) lukasa.Entry {
	return lukasa.Entry{
		ID: lukasa.ID(r.Text(0)), Type: lukasa.EntryMemory, Owner: owner, Node: lukasa.ID(r.Text(1)), Text: r.Text(2),
		Kind: lukasa.MemoryKind(r.Text(3)), Status: lukasa.StatusDone, Origin: lukasa.Origin(r.Text(4)), Confidence: r.Float(5), Latest: r.Bool(6),
		Tags: full(r.List(7)), Metadata: r.Object(8), OccurredAt: r.Time(9), CreatedAt: r.Time(10), Vector: r.Vector(11),
	}
}

// Pending implements [store.ChunkReader].
func (s *session) Pending(record lukasa.ID, space string, limit int) ([]lukasa.Entry, error) {
	if record.Prefix() != lukasa.PrefixMemory {
		if err := s.present(record); err != nil {
			return nil, err
		}
	} else if _, err := s.Memory(record); err != nil {
		return nil, err
	}
	n, err := s.space(space)
	if err != nil {
		return nil, err
	}
	lacking := func(owner, id string) string {
		if n == 0 {
			return ""
		}
		return " AND NOT EXISTS (SELECT 1 FROM embeddings_" + itoa(n) + " x WHERE x.owner_id = " + owner + " AND x.entry_id = " + id + ")"
	}
	entries := []lukasa.Entry{}
	err = lite.Into(&s.Session, &entries, owned(s, scanChunkEntry), entryQuery{}.chunks("chunks c", "WHERE c.owner_id = ?1 AND c.document_id = ?5"+lacking("c.owner_id", "c.id")+
		" ORDER BY coalesce(m.seq, -1), c.seq, c.id LIMIT ?6"), record, limit)
	if err != nil || len(entries) >= limit {
		return entries, err
	}
	err = lite.Into(&s.Session, &entries, owned(s, scanDocumentEntry), entryQuery{}.documents("documents d", "WHERE d.owner_id = ?1 AND d.id = ?5 AND d.summary_entry = 1 AND d.buried_at IS NULL"+lacking("d.owner_id", "d.id")), record)
	if err != nil || len(entries) > 0 {
		return entries, err
	}
	err = lite.Into(&s.Session, &entries, owned(s, scanMemoryEntry), entryQuery{}.memories("memories y", "WHERE y.owner_id = ?1 AND y.id = ?5"+lacking("y.owner_id", "y.id")), record)
	return entries, err
}

// Head implements [store.Feed].
func (db *DB) Head(ctx context.Context) (seq int64, err error) {
	err = db.readers.With(ctx, func(c *conn) error {
		return c.Each(context.WithoutCancel(ctx), "SELECT max(seq) FROM changes", nil, func(r row) error {
			seq = r.Int64(0)
			return nil
		})
	})
	return seq, fault(err)
}

// Changes implements [store.Feed].
func (db *DB) Changes(ctx context.Context, after int64, limit int) ([]lukasa.Change, error) {
	list := []lukasa.Change{}
	err := db.read(ctx, lukasa.Scope{}, func(s *session) error {
		return lite.Into(&s.Session, &list, func(r row) lukasa.Change {
			return lukasa.Change{
				Seq: r.Int64(0), Owner: lukasa.ID(r.Text(1)), Node: lukasa.ID(r.Text(2)), Entry: lukasa.ID(r.Text(3)),
				Type: lukasa.EntryType(r.Text(4)), Removed: r.Bool(5),
			}
		}, "SELECT seq, owner_id, node_id, entry_id, type, removed FROM changes WHERE seq > ?5 ORDER BY seq LIMIT ?6", after, limit)
	})
	return list, err
}

// Entries implements [store.Feed].
func (db *DB) Entries(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([]lukasa.Entry, error) {
	entries := make([]lukasa.Entry, 0, len(ids))
	err := db.read(ctx, lukasa.Scope{Owner: owner}, func(s *session) error {
		n, err := s.space(space)
		if err != nil {
			return err
		}
		return s.entries(entryQuery{n}, ids, func(e lukasa.Entry) { entries = append(entries, e) })
	})
	return entries, err
}

// entries looks the ids up among chunks first, the rest among memories and then documents.
func (s *session) entries(q entryQuery, ids []lukasa.ID, fn func(lukasa.Entry)) error {
	left := make(map[lukasa.ID]bool, len(ids))
	for _, id := range ids {
		left[id] = true
	}
	for _, kind := range []struct {
		sql  string
		scan func(lukasa.ID, row) lukasa.Entry
	}{
		{q.chunks("json_each(?5) j CROSS JOIN chunks c ON c.owner_id = ?1 AND c.id = j.value", ""), scanChunkEntry},
		{q.memories("json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = j.value AND "+recalled, ""), scanMemoryEntry},
		{q.documents("json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value AND d.summary_entry = 1 AND d.buried_at IS NULL", ""), scanDocumentEntry},
	} {
		rest := make([]lukasa.ID, 0, len(left))
		for _, id := range ids {
			if left[id] {
				rest = append(rest, id)
			}
		}
		if len(rest) == 0 {
			return nil
		}
		err := s.Each(func(r row) error {
			e := kind.scan(s.sc.Owner, r)
			if left[e.ID] {
				delete(left, e.ID)
				fn(e)
			}
			return nil
		}, kind.sql, lite.Set(rest))
		if err != nil {
			return err
		}
	}
	return nil
}

// Partition implements [store.Feed].
func (db *DB) Partition(ctx context.Context, space string, owner, node lukasa.ID, yield func(lukasa.Entry) bool) error {
	return db.read(ctx, lukasa.Scope{Owner: owner}, func(s *session) error {
		n, err := s.space(space)
		if err != nil {
			return err
		}
		return s.partition(entryQuery{n}, node, yield)
	})
}

// partition goes from document to document, so that memory holds the entries of one at most; segments of a conversation
// come together, and memories last.
func (s *session) partition(q entryQuery, node lukasa.ID, yield func(lukasa.Entry) bool) error {
	var documents []lukasa.ID
	err := lite.Into(&s.Session, &documents, scanID, `SELECT id FROM documents WHERE owner_id = ?1 AND node_id = ?5 AND buried_at IS NULL AND (chunk_count > 0 OR summary_entry = 1)
ORDER BY CASE segment_of WHEN '' THEN id ELSE segment_of END, created_at, id`, node)
	if err != nil {
		return err
	}
	chunks := q.chunks("chunks c", "WHERE c.owner_id = ?1 AND c.document_id = ?5 ORDER BY coalesce(m.seq, -1), c.seq, c.id")
	summary := q.documents("documents d", "WHERE d.owner_id = ?1 AND d.id = ?5 AND d.summary_entry = 1")
	for _, d := range documents {
		if on, err := s.yieldAll(yield, scanDocumentEntry, summary, d); err != nil || !on {
			return err
		}
		if on, err := s.yieldAll(yield, scanChunkEntry, chunks, d); err != nil || !on {
			return err
		}
	}
	_, err = s.yieldAll(yield, scanMemoryEntry, q.memories("memories y", "WHERE y.owner_id = ?1 AND y.node_id = ?5 AND "+recalled+" ORDER BY y.recorded_at, y.id"), node)
	return err
}

// yieldAll hands the entries of a query on and reports whether more are wanted.
func (s *session) yieldAll(yield func(lukasa.Entry) bool, scan func(lukasa.ID, row) lukasa.Entry, sql string, arg any) (bool, error) {
	return s.While(func(r row) bool { return yield(scan(s.sc.Owner, r)) }, sql, arg)
}

// Vectors implements [store.Feed].
func (db *DB) Vectors(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([][]float32, error) {
	vectors := make([][]float32, len(ids))
	err := db.read(ctx, lukasa.Scope{Owner: owner}, func(s *session) error {
		s.Run = context.WithoutCancel(ctx) // a few rows: no need to watch ctx
		return s.vectorsOf(space, ids, func(i int, v []float32) { vectors[i] = v })
	})
	return vectors, err
}
