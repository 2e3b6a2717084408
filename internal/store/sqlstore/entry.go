package sqlstore

import (
	"context"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// recalled is the condition for memories y that are entries.
const recalled = store.Recalled

// Pending implements [store.ChunkReader].
func (s *Session) Pending(record lukasa.ID, space string, limit int) ([]lukasa.Entry, error) {
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
	err = sqlrows.Into(&s.Session, &entries, owned(s, store.ScanChunkEntry[sqlrows.Row]), store.EntryQuery{}.Chunks("chunks c", "WHERE c.owner_id = ?1 AND c.document_id = ?5"+lacking("c.owner_id", "c.id")+
		" ORDER BY coalesce(m.seq, -1), c.seq, c.id LIMIT ?6"), record, limit)
	if err != nil || len(entries) >= limit {
		return entries, err
	}
	err = sqlrows.Into(&s.Session, &entries, owned(s, store.ScanDocumentEntry[sqlrows.Row]), store.EntryQuery{}.Documents("documents d", "WHERE d.owner_id = ?1 AND d.id = ?5 AND d.summary_entry = 1 AND d.buried_at = 0"+lacking("d.owner_id", "d.id")), record)
	if err != nil || len(entries) > 0 {
		return entries, err
	}
	err = sqlrows.Into(&s.Session, &entries, owned(s, store.ScanMemoryEntry[sqlrows.Row]), store.EntryQuery{}.Memories("memories y", "WHERE y.owner_id = ?1 AND y.id = ?5"+lacking("y.owner_id", "y.id")), record)
	return entries, err
}

// Changes implements [store.Feed].
func (b Base) Changes(ctx context.Context, after int64, limit int) ([]lukasa.Change, error) {
	list := []lukasa.Change{}
	err := b.read(ctx, lukasa.Scope{}, func(s *Session) error {
		return sqlrows.Into(&s.Session, &list, func(r sqlrows.Row) lukasa.Change {
			return lukasa.Change{
				Seq: r.Int64(0), Owner: lukasa.ID(r.Text(1)), Node: lukasa.ID(r.Text(2)), Entry: lukasa.ID(r.Text(3)),
				Type: lukasa.EntryType(r.Text(4)), Removed: r.Bool(5),
			}
		}, "SELECT seq, owner_id, node_id, entry_id, type, removed FROM changes WHERE seq > ?5 ORDER BY seq LIMIT ?6", after, limit)
	})
	return list, err
}

// Entries implements [store.Feed].
func (b Base) Entries(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([]lukasa.Entry, error) {
	entries := make([]lukasa.Entry, 0, len(ids))
	err := b.read(ctx, lukasa.Scope{Owner: owner}, func(s *Session) error {
		n, err := s.space(space)
		if err != nil {
			return err
		}
		return s.entries(store.EntryQuery{Vectors: n}, ids, func(e lukasa.Entry) { entries = append(entries, e) })
	})
	return entries, err
}

// entries looks the ids up among chunks first, the rest among memories and then documents.
func (s *Session) entries(q store.EntryQuery, ids []lukasa.ID, fn func(lukasa.Entry)) error {
	left := make(map[lukasa.ID]bool, len(ids))
	for _, id := range ids {
		left[id] = true
	}
	for _, kind := range []struct {
		sql  string
		scan func(lukasa.ID, sqlrows.Row) lukasa.Entry
	}{
		{s.chunkTables(func(table string) string {
			return q.Chunks("json_each(?5) j CROSS JOIN "+table+" c ON c.owner_id = ?1 AND c.id = j.value", "")
		}, q.Schema), store.ScanChunkEntry[sqlrows.Row]},
		{q.Memories("json_each(?5) j CROSS JOIN "+q.Schema+"memories y ON y.owner_id = ?1 AND y.id = j.value AND "+recalled, ""), store.ScanMemoryEntry[sqlrows.Row]},
		{q.Documents("json_each(?5) j CROSS JOIN "+q.Schema+"documents d ON d.owner_id = ?1 AND d.id = j.value AND d.summary_entry = 1 AND d.buried_at = 0", ""), store.ScanDocumentEntry[sqlrows.Row]},
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
		err := s.Each(func(r sqlrows.Row) error {
			e := kind.scan(s.sc.Owner, r)
			if left[e.ID] {
				delete(left, e.ID)
				fn(e)
			}
			return nil
		}, kind.sql, sqlrows.Set(rest))
		if err != nil {
			return err
		}
	}
	return nil
}

// Partition implements [store.Feed].
func (b Base) Partition(ctx context.Context, space string, owner, node lukasa.ID, yield func(lukasa.Entry) bool) error {
	return b.read(ctx, lukasa.Scope{Owner: owner}, func(s *Session) error {
		n, err := s.space(space)
		if err != nil {
			return err
		}
		return s.partition(store.EntryQuery{Vectors: n}, node, yield)
	})
}

// chunksAtOnce is how many chunks are asked for at once, where they are not of one document.
const chunksAtOnce = 256

// partition goes from a few documents to the next, so that memory holds few entries or those of one document; segments of a conversation
// come together, and memories last.
func (s *Session) partition(q store.EntryQuery, node lukasa.ID, yield func(lukasa.Entry) bool) error {
	type document struct {
		id      lukasa.ID
		entries int
	}
	var documents []document
	err := sqlrows.Into(&s.Session, &documents, func(r sqlrows.Row) document { return document{lukasa.ID(r.Text(0)), r.Int(1) + r.Int(2)} }, `SELECT id, chunk_count, summary_entry
FROM documents WHERE owner_id = ?1 AND node_id = ?5 AND buried_at = 0 AND (chunk_count > 0 OR summary_entry = 1) ORDER BY CASE segment_of WHEN '' THEN id ELSE segment_of END, created_at, id`, node)
	if err != nil {
		return err
	}
	chunks := q.Chunks("json_each(?5) j CROSS JOIN chunks c ON c.owner_id = ?1 AND c.document_id = j.value", "ORDER BY j.key, coalesce(m.seq, -1), c.seq, c.id")
	summaries := q.Documents("json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value AND d.summary_entry = 1", "ORDER BY j.key")
	for len(documents) > 0 {
		var ids []lukasa.ID
		for n := 0; len(documents) > 0 && (len(ids) == 0 || n+documents[0].entries <= chunksAtOnce); documents = documents[1:] {
			ids, n = append(ids, documents[0].id), n+documents[0].entries
		}
		if on, err := s.yieldAll(yield, store.ScanDocumentEntry[sqlrows.Row], summaries, sqlrows.Set(ids)); err != nil || !on {
			return err
		}
		if on, err := s.yieldAll(yield, store.ScanChunkEntry[sqlrows.Row], chunks, sqlrows.Set(ids)); err != nil || !on {
			return err
		}
	}
	_, err = s.yieldAll(yield, store.ScanMemoryEntry[sqlrows.Row], q.Memories("memories y", "WHERE y.owner_id = ?1 AND y.node_id = ?5 AND "+recalled+" ORDER BY y.recorded_at, y.id"), node)
	return err
}

// yieldAll hands the entries of a query on and reports whether more are wanted.
func (s *Session) yieldAll(yield func(lukasa.Entry) bool, scan func(lukasa.ID, sqlrows.Row) lukasa.Entry, sql string, arg any) (bool, error) {
	return s.While(func(r sqlrows.Row) bool { return yield(scan(s.sc.Owner, r)) }, sql, arg)
}

// Vectors implements [store.Feed].
func (b Base) Vectors(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([][]float32, error) {
	vectors := make([][]float32, len(ids))
	err := b.read(ctx, lukasa.Scope{Owner: owner}, func(s *Session) error {
		s.Run = context.WithoutCancel(ctx) // a few rows: no need to watch ctx
		return s.vectorsOf(space, ids, func(i int, v []float32) { vectors[i] = v })
	})
	return vectors, err
}
