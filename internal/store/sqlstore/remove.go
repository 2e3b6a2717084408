package sqlstore

import (
	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// DeleteDocument implements [store.DocumentWriter].
func (t *Tx) DeleteDocument(id lukasa.ID) (gone lukasa.Removal, blobs []string, err error) {
	if _, err = found(t.Session, "document", id, scanInt, "SELECT 1 FROM documents d WHERE d.id = ?5 AND "+t.within("d", "documents"), id); err == nil {
		err = t.deleteDocuments([]lukasa.ID{id}, &gone, &blobs)
	}
	return gone, blobs, err
}

// tree returns a node that the scope may remove, and the ids of its subtree with its own.
func (t *Tx) tree(id lukasa.ID) (top lukasa.Node, nodes []lukasa.ID, err error) {
	if top, err = t.Node(id); err != nil {
		return top, nil, err
	}
	if err := store.MayShape(t.sc, top.Path); err != nil {
		return top, nil, err
	}
	low, high := top.Path+".", top.Path+"/"
	if top.Path == "" {
		low, high = "", "\x7f" // all: paths are ASCII
	}
	nodes, err = t.ids("SELECT id FROM nodes WHERE owner_id = ?1 AND (id = ?5 OR (path > ?6 AND path < ?7)) ORDER BY path", id, low, high)
	return top, nodes, err
}

// ClearNode implements [store.NodeWriter].
func (t *Tx) ClearNode(id lukasa.ID, limit int, first func(ids []lukasa.ID) error) (did bool, gone lukasa.Removal, blobs []string, err error) {
	_, nodes, err := t.tree(id)
	for _, of := range []struct {
		table string
		drop  func(ids []lukasa.ID) error
	}{
		{"documents", func(ids []lukasa.ID) error { return t.deleteDocuments(ids, &gone, &blobs) }},
		{"memories", func(ids []lukasa.ID) error {
			return t.dropMemories("SELECT y.id, y.node_id, y.retired_by FROM json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = j.value", sqlrows.Set(ids), &gone)
		}},
	} {
		var ids []lukasa.ID
		if err == nil && !did {
			ids, err = t.ids("SELECT y.id FROM json_each(?5) j CROSS JOIN "+of.table+" y ON y.owner_id = ?1 AND y.node_id = j.value LIMIT ?6", sqlrows.Set(nodes), limit+1)
		}
		if did = did || err == nil && len(ids) > limit; len(ids) > limit {
			err = sqlrows.All(func() error { return first(ids[:limit]) }, func() error { return of.drop(ids[:limit]) })
		}
	}
	return did, gone, blobs, err
}

// DeleteNode implements [store.NodeWriter].
func (t *Tx) DeleteNode(id lukasa.ID) (gone lukasa.Removal, blobs []string, err error) {
	clear(t.open)
	top, nodes, err := t.tree(id)
	if err != nil {
		return gone, nil, err
	}
	set := sqlrows.Set(nodes)
	drop := func(documents string) func() error {
		return func() error {
			ids, err := t.ids(documents, set)
			if err == nil {
				err = t.deleteDocuments(ids, &gone, &blobs)
			}
			return err
		}
	}
	err = sqlrows.All(
		drop("SELECT d.id FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.node_id = j.value ORDER BY d.created_at, d.id"),
		func() error {
			return t.dropMemories("SELECT y.id, y.node_id, y.retired_by FROM json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.node_id = j.value", set, &gone)
		},
		// Messages whose conversation stands here and whose document stands elsewhere stay with their document's node; their
		// conversation must not go under them.
		drop(`SELECT DISTINCT m.document_id FROM json_each(?5) j CROSS JOIN conversations v ON v.owner_id = ?1 AND v.node_id = j.value
 CROSS JOIN messages m ON m.owner_id = ?1 AND m.conversation_id = v.id`),
		func() error {
			talks, err := t.ids("SELECT v.id FROM json_each(?5) j CROSS JOIN conversations v ON v.owner_id = ?1 AND v.node_id = j.value", set)
			if err == nil {
				err = t.dropConversations(sqlrows.Set(talks), &gone)
			}
			return err
		},
		func() error { return t.dropEdges(set, &gone) },
		t.Flush, // while the nodes are there
		func() error {
			if err := store.EndKeys(statements{t.Session}, top.Path); err != nil {
				return err
			}
			if err := t.Do("DELETE FROM grants WHERE "+t.dialect.RowsOf("grants", "node_id")+" OR "+t.dialect.RowsOf("grants", "grantee_id"), set); err != nil {
				return err
			}
			n, err := t.Exec("DELETE FROM nodes WHERE "+t.dialect.RowsOf("nodes", "id"), set)
			gone.Nodes += int(n)
			gone.IDs = append(gone.IDs, nodes...)
			return err
		},
		func() error { return t.purged(nodes, func(id lukasa.ID) lukasa.ID { return id }) })
	return gone, blobs, err
}

// ids runs a query for one column of ids.
func (s *Session) ids(sql string, args ...any) ([]lukasa.ID, error) {
	var list []lukasa.ID
	err := sqlrows.Into(&s.Session, &list, scanID, sql, args...)
	return list, err
}

// deleteDocuments removes documents with all that hangs on them, adds up what went, and adds the blob keys to which no row
// refers any more. It works on sets, not row by row: a node may hold many documents.
func (t *Tx) deleteDocuments(ids []lukasa.ID, gone *lukasa.Removal, blobs *[]string) error {
	if len(ids) == 0 {
		return nil
	}
	set := sqlrows.Set(ids)
	chain, err := t.chainOf(set, " AND d.buried_at = 0", " AND d.buried_at > 0")
	if err != nil {
		return err
	}
	drop := func(table, column string, count *int) func() error {
		return func() error {
			n, err := t.Exec("DELETE FROM "+table+" WHERE "+t.dialect.RowsOf(table, column), set)
			*count += int(n)
			return err
		}
	}
	other := 0
	return sqlrows.All(
		func() error {
			return t.dropSources(`SELECT s.memory_id, s.n FROM json_each(?5) j CROSS JOIN memory_sources s ON s.owner_id = ?1 AND s.document_id = j.value AND s.document_id <> ''
UNION SELECT s.memory_id, s.n FROM json_each(?5) j CROSS JOIN messages m ON m.owner_id = ?1 AND m.document_id = j.value
 CROSS JOIN memory_sources s ON s.owner_id = ?1 AND s.message_id = m.id AND s.message_id <> ''`, set, gone)
		},
		func() error { return t.removeEntries(set, gone) },
		func() error { return t.leaveConversations(set) },
		func() error { return t.dropMessageTraces(set, gone) },
		func() error { return t.dropEdges(set, gone) },
		func() error { return t.unlinkSegments(set) },
		func() error { return t.removeFiles(set, gone, blobs) },
		func() error { return t.dropJobs(set, gone) },
		drop("messages", "document_id", &gone.Messages),
		drop("contents", "document_id", &other),
		drop("segments", "document_id", &other),
		drop("documents", "id", &gone.Documents),
		func() error {
			gone.IDs = append(gone.IDs, ids...)
			return t.purged(ids, func(id lukasa.ID) lukasa.ID { return chain.node[id] })
		},
		func() error { return chain.mend(t) })
}

// leaveConversations takes documents away from their conversations, which count on without them.
func (t *Tx) leaveConversations(set string) error {
	if err := t.countMessages(set, -1); err != nil {
		return err
	}
	return t.Do("UPDATE conversations SET document_id = '', updated_at = CASE WHEN updated_at < ?6 THEN ?6 ELSE updated_at END WHERE "+t.dialect.RowsOf("conversations", "document_id")+" AND document_id <> ''", set, t.now())
}

// countMessages adds the messages of documents that are not in the trash to the counts of their conversations, or takes them
// away.
func (t *Tx) countMessages(set string, sign int) error {
	count := make(map[lukasa.ID]int)
	err := t.Each(func(r sqlrows.Row) error {
		count[lukasa.ID(r.Text(0))] = r.Int(1)
		return nil
	}, `SELECT m.conversation_id, count(*) FROM json_each(?5) j CROSS JOIN messages m ON m.owner_id = ?1 AND m.document_id = j.value
WHERE m.owner_id = ?1`+t.shown("m", "messages")+" GROUP BY 1", set)
	for id, n := range count {
		if err == nil {
			err = t.Do("UPDATE conversations SET message_count = message_count + ?6 WHERE owner_id = ?1 AND id = ?5", id, sign*n)
		}
	}
	return err
}

// dropMessageTraces removes what tells of the messages of documents: their edges and the content of their deltas.
func (t *Tx) dropMessageTraces(set string, gone *lukasa.Removal) error {
	const of = " FROM json_each(?5) j CROSS JOIN messages m ON m.owner_id = ?1 AND m.document_id = j.value"
	linked, err := t.ids("SELECT m.id"+of+" WHERE EXISTS (SELECT 1 FROM edges e WHERE e.owner_id = ?1 AND e.source_id = m.id) OR EXISTS (SELECT 1 FROM edges e WHERE e.owner_id = ?1 AND e.target_id = m.id)", set)
	if err != nil {
		return err
	}
	if err := t.dropEdges(sqlrows.Set(linked), gone); err != nil {
		return err
	}
	changed, err := t.ids("SELECT m.id"+of+" WHERE m.changed_at IS NOT NULL", set)
	if err != nil || len(changed) == 0 {
		return err
	}
	return t.blank(sqlrows.Set(changed))
}

// noteEntries notes that the entries of documents are gone, or there again.
func (t *Tx) noteEntries(set string, removed bool) error {
	return t.Each(func(r sqlrows.Row) error {
		t.Note(lukasa.ID(r.Text(1)), lukasa.ID(r.Text(0)), lukasa.EntryType(r.Text(2)), removed)
		return nil
	}, `SELECT c.id, c.node_id, CASE c.message_id WHEN '' THEN 'chunk' ELSE 'message' END FROM json_each(?5) j CROSS JOIN chunks c ON c.owner_id = ?1 AND c.document_id = j.value
UNION ALL SELECT d.id, d.node_id, 'document' FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value AND d.summary_entry = 1`, set)
}

// removeEntries removes the chunks and vectors of documents and notes that they are gone.
func (t *Tx) removeEntries(set string, gone *lukasa.Removal) error {
	if err := t.noteEntries(set, true); err != nil {
		return err
	}
	spaces, err := t.allSpaces()
	if err != nil {
		return err
	}
	for _, n := range spaces {
		table := "embeddings_" + itoa(n)
		for _, cond := range []string{
			"owner_id = ?1 AND entry_id IN (SELECT c.id FROM json_each(?5) j CROSS JOIN chunks c ON c.owner_id = ?1 AND c.document_id = j.value)",
			t.dialect.RowsOf(table, "entry_id"),
		} {
			k, err := t.Exec("DELETE FROM "+table+" WHERE "+cond, set)
			if err != nil {
				return err
			}
			gone.Vectors += int(k)
		}
	}
	if err := t.Do("DELETE FROM old_chunks WHERE "+t.dialect.RowsOf("old_chunks", "document_id"), set); err != nil {
		return err
	}
	n, err := t.Exec("DELETE FROM chunks WHERE "+t.dialect.RowsOf("chunks", "document_id"), set)
	gone.Chunks += int(n)
	return err
}

// removeFiles removes the file rows of documents and adds the blobs that no other row needs.
func (t *Tx) removeFiles(set string, gone *lukasa.Removal, free *[]string) error {
	var blobs []string
	if _, err := t.One(func(r sqlrows.Row) { gone.Bytes += r.Int64(0) },
		"SELECT coalesce(sum(d.size), 0) FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value", set); err != nil {
		return err
	}
	err := t.Each(func(r sqlrows.Row) error {
		gone.Files++
		gone.Bytes += r.Int64(1)
		if b := r.Text(0); b != "" {
			blobs = append(blobs, b)
		}
		return nil
	}, "SELECT f.blob, f.sealed_size FROM json_each(?5) j CROSS JOIN files f ON f.owner_id = ?1 AND f.document_id = j.value", set)
	if err != nil {
		return err
	}
	if err := t.Do("DELETE FROM files WHERE "+t.dialect.RowsOf("files", "document_id"), set); err != nil || len(blobs) == 0 {
		return err
	}
	return sqlrows.Into(&t.Session.Session, free, scanText, "SELECT DISTINCT j.value FROM json_each(?5) j WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.blob = j.value AND f.blob <> '')", sqlrows.Set(blobs))
}

// dropJobs removes what waits, or has been given up, for records that go. What runs finds out by itself.
func (t *Tx) dropJobs(set string, gone *lukasa.Removal) error {
	n, err := t.Exec("DELETE FROM jobs WHERE owner_id = ?1 AND running = 0 AND record_id IN (SELECT value FROM json_each(?5))", set)
	gone.Jobs += int(n)
	return err
}

// dropSources removes the sources that a query names by memory and number, and the memories that have none left.
func (t *Tx) dropSources(sql string, arg any, gone *lukasa.Removal) error {
	type source struct {
		memory lukasa.ID
		n      int64
	}
	var list []source
	err := sqlrows.Into(&t.Session.Session, &list, func(r sqlrows.Row) source { return source{scanID(r), r.Int64(1)} }, sql, arg)
	if err != nil || len(list) == 0 {
		return err
	}
	var hit []lukasa.ID
	for _, s := range list {
		if err := t.Do("DELETE FROM memory_sources WHERE owner_id = ?1 AND memory_id = ?5 AND n = ?6", s.memory, s.n); err != nil {
			return err
		}
		hit = append(hit, s.memory)
	}
	set := sqlrows.Set(hit)
	if err := t.dropMemories(`SELECT DISTINCT y.id, y.node_id, y.retired_by FROM json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = j.value
WHERE NOT EXISTS (SELECT 1 FROM memory_sources s WHERE s.owner_id = ?1 AND s.memory_id = y.id)`, set, gone); err != nil {
		return err
	}
	stay, err := t.scar(set) // they had quotes of what goes
	if err != nil {
		return err
	}
	return t.settle(stay)
}

// scar blanks the deltas of memories that have told something of what is purged, and leaves a line for each.
func (t *Tx) scar(set string) (ids []lukasa.ID, err error) {
	if err := t.blank(set); err != nil {
		return nil, err
	}
	var list [][2]lukasa.ID
	err = sqlrows.Into(&t.Session.Session, &list, func(r sqlrows.Row) [2]lukasa.ID { return [2]lukasa.ID{scanID(r), lukasa.ID(r.Text(1))} },
		"SELECT DISTINCT y.id, y.node_id FROM json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = j.value", set)
	for _, m := range list {
		if err == nil {
			err = t.record("memories", store.OpPurge, m[0], m[1], nil, nil)
			ids = append(ids, m[0])
		}
	}
	return ids, err
}

// dropMemories removes the memories that a query names by id, node and who retired them. What they had retired goes to their
// own successors, and where one was the latest becomes the latest again.
func (t *Tx) dropMemories(sql string, arg any, gone *lukasa.Removal) error {
	var ids []lukasa.ID
	node := make(map[lukasa.ID]lukasa.ID)
	retiredBy := make(map[lukasa.ID]lukasa.ID)
	err := t.Each(func(r sqlrows.Row) error {
		id := lukasa.ID(r.Text(0))
		ids = append(ids, id)
		node[id], retiredBy[id] = lukasa.ID(r.Text(1)), lukasa.ID(r.Text(2))
		return nil
	}, sql, arg)
	if err != nil || len(ids) == 0 {
		return err
	}
	set := sqlrows.Set(ids)
	older, err := t.ids(`SELECT y.id FROM json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.retired_by = j.value AND y.retired_by <> ''
WHERE y.id NOT IN (SELECT value FROM json_each(?5)) ORDER BY y.recorded_at DESC, y.id DESC`, set)
	if err != nil {
		return err
	}
	return sqlrows.All(
		func() error { return t.dropEdges(set, gone) },
		func() error { return t.dropJobs(set, gone) },
		func() error {
			for _, id := range ids {
				n, err := t.dropMemory(id, node[id])
				if err != nil {
					return err
				}
				gone.Vectors += n
				gone.Memories++
				gone.IDs = append(gone.IDs, id)
			}
			return nil
		},
		func() error { return t.purged(ids, func(id lukasa.ID) lukasa.ID { return node[id] }) },
		func() error { return t.succeed(older, chain{previous: retiredBy}.before) })
}

// succeed gives memories whose successor is gone to the next that stays. Without one they are the latest again, but where
// several had one slot, the newest of these retires the others. Why they were retired told of what is gone.
func (t *Tx) succeed(ids []lukasa.ID, stays func(lukasa.ID) lukasa.ID) error {
	latest := make(map[[2]string]lukasa.ID) // by the successor that is gone, and the slot
	for _, id := range ids {
		m, err := t.memoryState(id)
		if err != nil {
			return err
		}
		slot := [2]string{string(m.RetiredBy), m.Slot}
		if m.Slot == "" {
			slot[1] = string(id)
		}
		if m.Reason, m.RetiredBy = "", stays(m.RetiredBy); m.RetiredBy == "" {
			if m.RetiredBy = latest[slot]; m.RetiredBy == "" {
				latest[slot] = id
				m.RetiredAt, m.ValidTo, m.IsLatest = nil, nil, true
			}
		}
		m.UpdatedAt = t.now()
		if _, err := t.writeMemory(m.Memory); err != nil {
			return err
		}
		t.Note(m.Node, id, lukasa.EntryMemory, m.Held() || m.buried)
	}
	_, err := t.scar(sqlrows.Set(ids))
	return err
}

// chain is what has to be mended in version chains once documents are gone.
type chain struct {
	node     map[lukasa.ID]lukasa.ID
	previous map[lukasa.ID]lukasa.ID // of those that go
	latest   []lukasa.ID             // those that go and are latest
	next     []([2]lukasa.ID)        // those that stay and whose previous goes
}

// chainOf reads it for documents, with those that stay and meet one of the conditions.
func (t *Tx) chainOf(set string, conds ...string) (c chain, err error) {
	c.previous, c.node = make(map[lukasa.ID]lukasa.ID), make(map[lukasa.ID]lukasa.ID)
	err = t.Each(func(r sqlrows.Row) error {
		id := scanID(r)
		c.previous[id], c.node[id] = lukasa.ID(r.Text(1)), lukasa.ID(r.Text(3))
		if r.Bool(2) {
			c.latest = append(c.latest, id)
		}
		return nil
	}, "SELECT d.id, d.previous_id, d.is_latest = 1 AND d.buried_at = 0, d.node_id FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value", set)
	for _, cond := range conds { // each has an index
		if err != nil {
			break
		}
		err = sqlrows.Into(&t.Session.Session, &c.next, func(r sqlrows.Row) [2]lukasa.ID { return [2]lukasa.ID{scanID(r), lukasa.ID(r.Text(1))} },
			"SELECT d.id, d.previous_id FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.previous_id = j.value AND d.previous_id <> ''"+
				cond+" WHERE d.id NOT IN (SELECT value FROM json_each(?5))", set)
	}
	return c, err
}

// before returns the nearest version that stays, "" where there is none.
func (c chain) before(id lukasa.ID) lukasa.ID {
	for range len(c.previous) + 1 { // memories may have retired each other
		prev, goes := c.previous[id]
		if !goes {
			return id
		}
		id = prev
	}
	return ""
}

// mend links the versions that stay, and makes the one before a latest version that went the latest.
func (c chain) mend(t *Tx) error {
	for _, n := range c.next {
		if err := t.relink(n[0], c.before(n[1])); err != nil {
			return err
		}
	}
	for _, id := range c.latest {
		if prev := c.before(id); prev != "" {
			if err := t.setLatest(prev, true); err != nil {
				return err
			}
		}
	}
	return nil
}
