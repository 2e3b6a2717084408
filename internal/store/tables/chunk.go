package tables

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Chunks implements [store.ChunkReader]. Those of messages come in the order of the messages.
func (s *Session) Chunks(document lukasa.ID) ([]lukasa.Chunk, error) {
	if err := s.present(document); err != nil {
		return nil, err
	}
	chunks := []lukasa.Chunk{}
	err := rows.Into(&s.Session, &chunks, store.ScanChunk[rows.Row], "SELECT "+store.ChunkColumns+` FROM chunks c LEFT JOIN messages m ON m.owner_id = c.owner_id AND m.id = c.message_id
WHERE c.owner_id = ?1 AND c.document_id = ?5 ORDER BY coalesce(m.seq, -1), c.seq, c.id`, document)
	return chunks, err
}

// ChunksByID implements [store.ChunkReader].
func (s *Session) ChunksByID(ids []lukasa.ID) ([]lukasa.Chunk, error) {
	chunks := make([]lukasa.Chunk, 0, len(ids))
	if len(ids) == 0 {
		return chunks, nil
	}
	err := rows.Into(&s.Session, &chunks, store.ScanChunk[rows.Row], "SELECT "+store.ChunkColumns+" FROM json_each(?5) j CROSS JOIN chunks c ON c.owner_id = ?1 AND c.id = j.value WHERE "+
		s.visible("c", "chunks")+" ORDER BY j.key", rows.Set(ids))
	return chunks, err
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
	return t.replaceChunks(p.node, document, "", old, chunks)
}

func (t *Tx) chunksWhere(where string, arg any) (map[lukasa.ID]lukasa.Chunk, error) {
	var found map[lukasa.ID]lukasa.Chunk
	err := t.Each(func(r rows.Row) error {
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
	kind := chunkType(string(message))
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
		t.note(node, id, kind, true)
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
		if err := t.putChunk(c, there); err != nil {
			return err
		}
		t.note(node, c.ID, kind, false)
	}
	grown := len(chunks) - len(old)
	if grown == 0 && unembedded == 0 {
		return nil
	}
	return t.Do("UPDATE documents SET chunk_count = chunk_count + ?6, embedded_count = embedded_count - ?7 WHERE owner_id = ?1 AND id = ?5",
		document, grown, unembedded)
}

func (t *Tx) putChunk(c lukasa.Chunk, there bool) error {
	heading, err := rows.List(c.Heading)
	if err != nil {
		return err
	}
	args := []any{c.ID, c.Document, c.Message, c.Node, c.Seq, c.Start, c.End, c.Lines[0], c.Lines[1], c.Page, c.Kind, c.Symbol, heading, c.Content, c.Place}
	if there {
		return t.Do(`UPDATE chunks SET document_id = ?6, message_id = ?7, node_id = ?8, seq = ?9, start_at = ?10, end_at = ?11, line_from = ?12,
 line_to = ?13, page = ?14, kind = ?15, symbol = ?16, heading = ?17, content = ?18, place = ?19 WHERE owner_id = ?1 AND id = ?5`, args...)
	}
	return t.Do(`INSERT INTO chunks (owner_id, id, document_id, message_id, node_id, seq, start_at, end_at, line_from, line_to, page, kind, symbol, heading, content, place)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)`, args...)
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
	t.note(p.node, document, lukasa.EntryDocument, !on)
	return t.Do("UPDATE documents SET summary_entry = ?6 WHERE owner_id = ?1 AND id = ?5", document, on)
}
