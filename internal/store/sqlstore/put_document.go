package sqlstore

import (
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// standing is a document wherever it stands.
type standing struct {
	store.DocumentState
	summaryEntry, buried bool
}

func (t *Tx) standing(id lukasa.ID) (d *standing, visible bool, err error) {
	segment := false
	if _, err = t.One(func(r sqlrows.Row) {
		d = &standing{store.DocumentState{Document: store.ScanDocument(r)}, r.Bool(33), r.Bool(34)}
		segment = r.Text(32) != ""
	}, "SELECT "+store.DocumentColumns+", d.buried_at > 0"+store.DocumentTables+" WHERE d.owner_id = ?1 AND d.id = ?5", id); err != nil {
		return nil, false, err
	}
	if segment {
		if d.Segment, err = t.segmentOf(id); err != nil {
			return nil, false, err
		}
	}
	return d, d == nil || (t.reaches(d.Path) && !d.buried), nil
}

// alter runs a change of a document and records it, if there is something to tell.
func (t *Tx) alter(id lukasa.ID, change func() error) error {
	old, _, err := t.standing(id)
	if err != nil || old == nil {
		return err
	}
	if err := change(); err != nil || old.buried {
		return err
	}
	return t.altered(old, id)
}

func (t *Tx) altered(old *standing, id lukasa.ID) error {
	d, _, err := t.standing(id)
	if err != nil || (old.Content == nil && store.SameDocument(old.DocumentState, d.DocumentState)) {
		return err
	}
	return t.record("documents", store.OpUpdate, id, d.Node, old.DocumentState, d.DocumentState)
}

// relink changes what a document follows.
func (t *Tx) relink(id, previous lukasa.ID) error {
	return t.alter(id, func() error {
		return t.Do("UPDATE documents SET previous_id = ?6 WHERE owner_id = ?1 AND id = ?5", id, previous)
	})
}

// PutDocument implements [store.DocumentWriter]. Chunks, Embedded and Path are the driver's own. An update with an empty
// Content and the ContentHash that the document has keeps its content, as listings leave it out. A version
// that has a newer one does not become the latest: whoever says so read it before the newer one came.
func (t *Tx) PutDocument(d lukasa.Document) error {
	if err := t.writable(d.Node); err != nil {
		return err
	}
	there, err := t.Has("SELECT 1 FROM documents WHERE owner_id = ?1 AND id = ?5", d.ID)
	if err != nil {
		return err
	}
	d.CreatedAt, d.UpdatedAt = t.orNow(d.CreatedAt), t.orNow(d.UpdatedAt)
	if !there {
		return t.insertDocument(d, 0, 0, false, segmentOf)
	}
	old, visible, err := t.standing(d.ID)
	if err != nil {
		return err
	}
	if !visible {
		return lukasa.NotFound("document", d.ID)
	}
	return t.updateDocument(d, old)
}

// place is where a document stands that is about to get other chunks.
type place struct {
	node    lukasa.ID
	summary bool
	chunks  int
}

// place returns an error unless the scope sees the document.
func (t *Tx) place(document lukasa.ID) (place, error) {
	return found(t.Session, "document", document, func(r sqlrows.Row) place { return place{scanID(r), r.Bool(1), r.Int(2)} },
		"SELECT d.node_id, d.summary_entry, d.chunk_count FROM documents d WHERE d.id = ?5 AND "+t.visible("d", "documents"), document)
}

// segmentOf is the conversation that a new document is a segment of.
const segmentOf = "coalesce((SELECT id FROM conversations WHERE owner_id = ?1 AND document_id = ?5 AND document_id <> ''), '')"

// insertDocument writes a new document that has as many chunks and vectors, and whose summary is an entry or not.
func (t *Tx) insertDocument(d lukasa.Document, chunks, embedded int, summary bool, conversation string) error {
	if d.Previous != "" {
		prev, visible, err := t.standing(d.Previous)
		if err != nil {
			return err
		}
		if prev == nil || !visible {
			return lukasa.NotFound("document", d.Previous)
		}
		if d.Version == 0 {
			d.Version = prev.Version + 1
		}
		taken, err := t.Has("SELECT 1 FROM documents WHERE owner_id = ?1 AND previous_id = ?5 AND previous_id <> '' AND buried_at = 0", d.Previous)
		if err != nil {
			return err
		}
		if taken {
			return lukasa.Errorf(lukasa.CodeConflict, "document %s has a newer version already", d.Previous)
		}
		if prev.IsLatest {
			d.IsLatest = true
			if err := t.setLatest(d.Previous, false); err != nil {
				return err
			}
		}
	}
	if d.Version == 0 {
		d.Version = 1
	}
	t.absent.Met(&d)
	args, err := store.DocumentValues(d)
	if err != nil {
		return err
	}
	var summaryAt any
	if summary {
		summaryAt = t.now()
	}
	err = t.Later(sqlrows.First, `INSERT INTO documents (owner_id, id, node_id, title, title_fold, content_type, language, category, summary, kw_entities, kw_topics,
 kw_dates, kw_relationships, tags, metadata, source_url, custom_id, origin, content_hash, size, status, reason, version, previous_id, is_latest,
 occurred_at, created_at, updated_at, forget_after, last_accessed_at, access_count, known_at, chunk_count, embedded_count, summary_entry, summary_at,
 segment_of)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31,
 ?32, ?33, ?34, ?35, ?36, ?37, ?38, CAST(?39 AS INTEGER), `+conversation+`)`, append(args, t.now(), chunks, embedded, summary, summaryAt)...)
	if err != nil || d.Content == "" {
		return err
	}
	return t.putContent(d)
}

func (t *Tx) updateDocument(d lukasa.Document, old *standing) error {
	if d.Version == 0 {
		d.Version = old.Version
	}
	if d.IsLatest && !old.IsLatest {
		superseded, err := t.Has("SELECT 1 FROM documents WHERE owner_id = ?1 AND previous_id = ?5 AND previous_id <> '' AND buried_at = 0", d.ID)
		if err != nil {
			return err
		}
		d.IsLatest = !superseded
	}
	for p := d.Previous; d.Previous != old.Previous && p != ""; {
		if p == d.ID {
			return lukasa.Errorf(lukasa.CodeConflict, "document %s would be its own predecessor", d.ID)
		}
		at := p
		p = ""
		if _, err := t.One(func(r sqlrows.Row) { p = scanID(r) }, "SELECT previous_id FROM documents WHERE owner_id = ?1 AND id = ?5", at); err != nil {
			return err
		}
	}
	t.absent.Met(&d)
	args, err := store.DocumentValues(d)
	if err != nil {
		return err
	}
	err = t.Do(`UPDATE documents SET node_id = ?6, title = ?7, title_fold = ?8, content_type = ?9, language = ?10, category = ?11, summary = ?12,
 kw_entities = ?13, kw_topics = ?14, kw_dates = ?15, kw_relationships = ?16, tags = ?17, metadata = ?18, source_url = ?19, custom_id = ?20,
 origin = ?21, content_hash = ?22, size = ?23, status = ?24, reason = ?25, version = ?26, previous_id = ?27, is_latest = ?28, occurred_at = ?29,
 created_at = ?30, updated_at = ?31, forget_after = ?32, last_accessed_at = ?33, access_count = ?34 WHERE owner_id = ?1 AND id = ?5`, args...)
	if err != nil {
		return err
	}
	if d.IsLatest && d.Previous != "" && d.Previous != old.Previous {
		if err := t.setLatest(d.Previous, false); err != nil {
			return err
		}
	}
	if old.ContentHash != "" && d.ContentHash != old.ContentHash { // what is replaced is kept
		old.Content = new(string)
		if _, err := t.One(func(r sqlrows.Row) { *old.Content = r.Text(0) }, "SELECT content FROM contents WHERE owner_id = ?1 AND document_id = ?5", d.ID); err != nil {
			return err
		}
	}
	switch {
	case d.Content != "":
		err = t.putContent(d)
	case d.ContentHash != old.ContentHash:
		err = t.Do("DELETE FROM contents WHERE owner_id = ?1 AND document_id = ?5", d.ID)
	}
	if err != nil {
		return err
	}
	if old.Node != d.Node {
		t.Note(old.Node, "", "", false)
		if err := t.moveDocument(d.ID, d.Node); err != nil {
			return err
		}
	}
	if err := t.altered(old, d.ID); err != nil {
		return err
	}
	retold := old.Summary != d.Summary || old.Title != d.Title
	if old.summaryEntry && retold {
		if _, err := t.dropVectors(d.ID); err != nil {
			return err
		}
	}
	if !store.SameForEntries(&d, &old.Document) {
		return t.noteDocument(d.ID, d.Node, old.Node, old.summaryEntry)
	}
	if old.summaryEntry && retold {
		t.Note(d.Node, d.ID, lukasa.EntryDocument, false)
	}
	return nil
}

func (t *Tx) putContent(d lukasa.Document) error {
	return t.Later(sqlrows.Next, `INSERT INTO contents (owner_id, document_id, content) VALUES (?1, ?5, ?6)
ON CONFLICT (owner_id, document_id) DO UPDATE SET content = excluded.content WHERE contents.content <> excluded.content`, d.ID, d.Content)
}

// setLatest changes is_latest and says so for the entries.
func (t *Tx) setLatest(id lukasa.ID, latest bool) error {
	if latest {
		t.absent.Forget()
	}
	var node lukasa.ID
	ok, summary := false, false
	err := t.alter(id, func() (err error) {
		ok, err = t.One(func(r sqlrows.Row) { node, summary = lukasa.ID(r.Text(0)), r.Bool(1) },
			"UPDATE documents SET is_latest = ?6 WHERE owner_id = ?1 AND id = ?5 RETURNING node_id, summary_entry", id, latest)
		return err
	})
	if err != nil || !ok {
		return err
	}
	return t.noteDocument(id, node, node, summary)
}

// moveDocument carries what hangs on a document into its new node.
func (t *Tx) moveDocument(id, node lukasa.ID) error {
	spaces, err := t.allSpaces()
	if err != nil {
		return err
	}
	for _, n := range spaces {
		if err := t.Do("UPDATE embeddings_"+itoa(n)+` SET node_id = ?6 WHERE owner_id = ?1 AND entry_id IN
 (SELECT id FROM chunks WHERE owner_id = ?1 AND document_id = ?5 UNION ALL SELECT ?5)`, id, node); err != nil {
			return err
		}
	}
	for _, table := range []string{"chunks", "old_chunks", "messages"} {
		if err := t.Do("UPDATE "+table+" SET node_id = ?6 WHERE owner_id = ?1 AND document_id = ?5", id, node); err != nil {
			return err
		}
	}
	return nil
}

// Touch implements [store.DocumentWriter].
func (t *Tx) Touch(ids []lukasa.ID, at time.Time) (nodes []lukasa.ID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = sqlrows.Into(&t.Session.Session, &nodes, scanID, `UPDATE documents AS d SET last_accessed_at = CASE WHEN d.last_accessed_at > ?6 THEN d.last_accessed_at ELSE ?6 END, access_count = d.access_count + 1
WHERE d.id IN (SELECT value FROM json_each(?5)) AND `+t.visible("d", "documents")+" RETURNING node_id", sqlrows.Set(ids), at)
	return nodes, err
}

// PutFile implements [store.DocumentWriter].
func (t *Tx) PutFile(f lukasa.File) error {
	if err := t.present(f.Document); err != nil {
		return err
	}
	f.CreatedAt = t.orNow(f.CreatedAt)
	if f.State == "" {
		f.State = store.FileActive
	}
	if f.UsedAt.IsZero() {
		f.UsedAt = f.CreatedAt
	}
	n, err := t.Exec(`INSERT INTO files (owner_id, id, document_id, role, name, type, size, sealed_size, blob, sha256, created_at, inline, state, used_at)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
ON CONFLICT (owner_id, id) DO UPDATE SET role = excluded.role, name = excluded.name, type = excluded.type, size = excluded.size,
 sealed_size = excluded.sealed_size, blob = excluded.blob, sha256 = excluded.sha256, created_at = excluded.created_at, inline = excluded.inline,
 state = excluded.state, used_at = excluded.used_at WHERE files.document_id = excluded.document_id`,
		f.ID, f.Document, f.Role, f.Name, f.Type, f.Size, f.SealedSize, f.Blob, f.SHA256, f.CreatedAt, f.Inline, f.State, f.UsedAt)
	if err == nil && n == 0 {
		err = lukasa.Errorf(lukasa.CodeConflict, "file %s belongs to another document", f.ID)
	}
	return err
}
