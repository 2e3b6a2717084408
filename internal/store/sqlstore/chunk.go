package sqlstore

import (
	"maps"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Chunks implements [store.ChunkReader]. Those of messages come in the order of the messages.
func (s *Session) Chunks(document lukasa.ID) ([]lukasa.Chunk, error) {
	if err := s.present(document); err != nil {
		return nil, err
	}
	chunks := []lukasa.Chunk{}
	sql := s.chunkTables(func(table string) string {
		return "SELECT " + store.ChunkColumns + ", coalesce(m.seq, -1) AS place_of FROM " + table + ` c LEFT JOIN messages m ON m.owner_id = c.owner_id AND m.id = c.message_id
WHERE c.owner_id = ?1 AND c.document_id = ?5`
	})
	err := sqlrows.Into(&s.Session, &chunks, store.ScanChunk[sqlrows.Row], sql+" ORDER BY 16, 5, 1", document)
	return chunks, err
}

// chunkTables puts queries over the tables together that hold chunks. In a view of a moment the schema "main." names those of today.
func (s *Session) chunkTables(query func(table string) string, schema ...string) string {
	prefix := strings.Join(schema, "")
	if s.past && prefix == "" {
		return query("chunks") + " UNION ALL " + query("old_chunks")
	}
	return query(prefix + "chunks")
}

// ChunksByID implements [store.ChunkReader].
func (s *Session) ChunksByID(ids []lukasa.ID) ([]lukasa.Chunk, error) {
	return sqlrows.Of(&s.Session, ids, store.ScanChunk[sqlrows.Row], func() string {
		return s.chunkTables(func(table string) string {
			return "SELECT " + store.ChunkColumns + ", j.key AS place_of FROM json_each(?5) j CROSS JOIN " + table + " c ON c.owner_id = ?1 AND c.id = j.value WHERE " + s.visible("c", "chunks")
		}) + " ORDER BY 16"
	})
}

// Since implements [store.ChunkReader].
func (s *Session) Since(nodes []lukasa.ID, space string, yield func(id lukasa.ID, was *lukasa.Entry) bool) error {
	if !s.past || len(nodes) == 0 || s.sc.Owner == "" {
		return nil
	}
	n, err := s.space(space)
	if err != nil {
		return err
	}
	p := store.Past{Statements: statements{s}, Moment: s.dialect.Moment, Within: func(alias string) string { return s.within(alias, "") }, Entries: s.entries}
	return p.Since(nodes, n, yield)
}

// ReplaceChunks implements [store.ChunkWriter]. A chunk that stays with the same text keeps its vectors. Chunks of
// messages, which PutMessages writes, are not touched.
func (t *Tx) ReplaceChunks(document lukasa.ID, chunks []lukasa.Chunk) error {
	p, err := t.place(document)
	if err != nil {
		return err
	}
	var old map[lukasa.ID]lukasa.Chunk
	if p.chunks > 0 {
		if old, err = t.chunksWhere("c.document_id = ?5 AND c.message_id = ''", document); err != nil {
			return err
		}
	}
	if err := t.keepChunks(old, chunks); err != nil {
		return err
	}
	return t.replaceChunks(p.node, document, "", old, chunks)
}

// keepChunks puts those of old chunks that are not among the new ones aside for views of a moment.
func (t *Tx) keepChunks(old map[lukasa.ID]lukasa.Chunk, chunks []lukasa.Chunk) error {
	if len(old) == 0 {
		return nil
	}
	gone := make(map[lukasa.ID]bool, len(old))
	for id := range old {
		gone[id] = true
	}
	for i := range chunks {
		if was, there := old[chunks[i].ID]; there && store.SameChunk(was, chunks[i]) {
			delete(gone, was.ID)
		}
	}
	ids := slices.Sorted(maps.Keys(gone))
	return t.Do(`INSERT INTO old_chunks (owner_id, id, document_id, message_id, node_id, seq, start_at, end_at, line_from, line_to, page, kind, symbol, heading, content, place, known_at, gone_at)
SELECT c.owner_id, c.id, c.document_id, c.message_id, c.node_id, c.seq, c.start_at, c.end_at, c.line_from, c.line_to, c.page, c.kind, c.symbol, c.heading, c.content, c.place, c.known_at, CAST(?6 AS INTEGER)
FROM json_each(?5) j CROSS JOIN chunks c ON c.owner_id = ?1 AND c.id = j.value WHERE coalesce(c.known_at, 0) < CAST(?6 AS INTEGER) ON CONFLICT DO NOTHING`, sqlrows.Set(ids), t.now())
}

func (t *Tx) chunksWhere(where string, arg any) (map[lukasa.ID]lukasa.Chunk, error) {
	var found map[lukasa.ID]lukasa.Chunk
	err := t.Each(func(r sqlrows.Row) error {
		if found == nil {
			found = make(map[lukasa.ID]lukasa.Chunk)
		}
		c := store.ScanChunk(r)
		found[c.ID] = c
		return nil
	}, "SELECT "+store.ChunkColumns+" FROM chunks c WHERE c.owner_id = ?1 AND "+where, arg)
	return found, err
}

// replaceChunks puts chunks in the place of old ones of the same document and message, and keeps the document's counts.
func (t *Tx) replaceChunks(node, document, message lukasa.ID, old map[lukasa.ID]lukasa.Chunk, chunks []lukasa.Chunk) error {
	keep := make(map[lukasa.ID]bool, len(chunks))
	for i := range chunks {
		keep[chunks[i].ID] = true
	}
	unembedded := 0
	kind := store.ChunkType(string(message))
	gone := make([]lukasa.ID, 0, len(old))
	for id := range old {
		if !keep[id] {
			gone = append(gone, id)
		}
	}
	slices.Sort(gone)
	for _, id := range gone {
		n, err := t.dropVectors(id)
		if err != nil {
			return err
		}
		if n > 0 {
			unembedded++
		}
		if err := t.Do("DELETE FROM chunks WHERE owner_id = ?1 AND id = ?5", id); err != nil {
			return err
		}
		t.Note(node, id, kind, true)
	}
	for _, c := range chunks {
		c.Document, c.Message, c.Node = document, message, node
		was, there := old[c.ID]
		if there && was.Content != c.Content {
			n, err := t.dropVectors(c.ID)
			if err != nil {
				return err
			}
			if n > 0 {
				unembedded++
			}
		}
		if err := t.putChunk(c, there, !there || !store.SameChunk(was, c)); err != nil {
			return err
		}
		t.Note(node, c.ID, kind, false)
	}
	grown := len(chunks) - len(old)
	if grown == 0 && unembedded == 0 {
		return nil
	}
	return t.Do("UPDATE documents SET chunk_count = chunk_count + ?6, embedded_count = embedded_count - ?7 WHERE owner_id = ?1 AND id = ?5",
		document, grown, unembedded)
}

// putChunk writes a chunk; fresh says that it is new, or another one than it was.
func (t *Tx) putChunk(c lukasa.Chunk, there, fresh bool) error {
	heading, err := sqlrows.List(c.Heading)
	if err != nil {
		return err
	}
	args := []any{c.ID, c.Document, c.Message, c.Node, c.Seq, c.Start, c.End, c.Lines[0], c.Lines[1], c.Page, c.Kind, c.Symbol, heading, c.Content, c.Place}
	var known any
	if fresh {
		known = t.now()
	}
	args = append(args, known)
	if there {
		return t.Do(`UPDATE chunks SET document_id = ?6, message_id = ?7, node_id = ?8, seq = ?9, start_at = ?10, end_at = ?11, line_from = ?12,
 line_to = ?13, page = ?14, kind = ?15, symbol = ?16, heading = ?17, content = ?18, place = ?19, known_at = coalesce(CAST(?20 AS INTEGER), known_at) WHERE owner_id = ?1 AND id = ?5`, args...)
	}
	return t.Later(sqlrows.Next, `INSERT INTO chunks (owner_id, id, document_id, message_id, node_id, seq, start_at, end_at, line_from, line_to, page, kind, symbol, heading, content, place, known_at)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)`, args...)
}

// SummaryEntry implements [store.ChunkWriter].
func (t *Tx) SummaryEntry(document lukasa.ID, on bool) error {
	p, err := t.place(document)
	if err != nil {
		return err
	}
	if p.summary == on {
		return nil
	}
	if !on {
		if _, err := t.dropVectors(document); err != nil {
			return err
		}
	}
	t.Note(p.node, document, lukasa.EntryDocument, !on)
	return t.Do("UPDATE documents SET summary_entry = ?6, summary_at = coalesce(summary_at, ?7) WHERE owner_id = ?1 AND id = ?5", document, on, t.now())
}
