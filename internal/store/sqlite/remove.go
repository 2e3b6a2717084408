package sqlite

import "github.com/lukasa-memory/lukasa"

// DeleteDocument implements [store.DocumentWriter].
func (t *tx) DeleteDocument(id lukasa.ID) (gone lukasa.Removal, blobs []string, err error) {
	if err := t.present(id); err != nil {
		return gone, nil, err
	}
	blobs, err = t.deleteDocuments([]lukasa.ID{id}, &gone)
	return gone, blobs, err
}

// DeleteNode implements [store.NodeWriter].
func (t *tx) DeleteNode(id lukasa.ID) (gone lukasa.Removal, blobs []string, err error) {
	t.open = nil
	top, err := t.Node(id)
	if err != nil {
		return gone, nil, err
	}
	low, high := top.Path+".", top.Path+"/"
	if top.Path == "" {
		low, high = "", "\x7f" // all: paths are ASCII
	}
	nodes, err := t.ids("SELECT id FROM nodes WHERE owner_id = ?1 AND (id = ?5 OR (path > ?6 AND path < ?7)) ORDER BY path", id, low, high)
	if err != nil {
		return gone, nil, err
	}
	set := idList(nodes)
	documents, err := t.ids("SELECT d.id FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.node_id = j.value ORDER BY d.created_at, d.id", set)
	if err != nil {
		return gone, nil, err
	}
	if blobs, err = t.deleteDocuments(documents, &gone); err != nil {
		return gone, nil, err
	}
	if err := t.dropMemories("SELECT y.id, y.node_id FROM json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.node_id = j.value", set, &gone); err != nil {
		return gone, nil, err
	}
	// Messages whose conversation stands here and whose document stands elsewhere stay with their document's node; their
	// conversation must not go under them.
	strays, err := t.ids(`SELECT DISTINCT m.document_id FROM json_each(?5) j CROSS JOIN conversations v ON v.owner_id = ?1 AND v.node_id = j.value
 CROSS JOIN messages m ON m.owner_id = ?1 AND m.conversation_id = v.id`, set)
	if err != nil {
		return gone, nil, err
	}
	if len(strays) > 0 {
		more, err := t.deleteDocuments(strays, &gone)
		if err != nil {
			return gone, nil, err
		}
		blobs = append(blobs, more...)
	}
	if err := t.do("DELETE FROM conversations WHERE "+rowsOf("conversations", "node_id"), set); err != nil {
		return gone, nil, err
	}
	if err := t.flush(); err != nil { // while the nodes are there
		return gone, nil, err
	}
	n, _, err := t.exec("DELETE FROM nodes WHERE "+rowsOf("nodes", "id"), set)
	gone.Nodes += int(n)
	gone.IDs = append(gone.IDs, nodes...)
	return gone, blobs, err
}

// ids runs a query for one column of ids.
func (s *session) ids(sql string, args ...any) ([]lukasa.ID, error) {
	var list []lukasa.ID
	err := into(s, &list, scanID, sql, args...)
	return list, err
}

// deleteDocuments removes documents with all that hangs on them, adds up what went, and returns the blob keys to which no
// row refers any more. It works on sets, not row by row: a node may hold many documents.
func (t *tx) deleteDocuments(ids []lukasa.ID, gone *lukasa.Removal) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	set := idList(ids)
	chain, err := t.chainOf(set)
	if err != nil {
		return nil, err
	}
	if err := t.dropSources(`SELECT s.memory_id, s.n FROM json_each(?5) j CROSS JOIN memory_sources s ON s.owner_id = ?1 AND s.document_id = j.value AND s.document_id <> ''
UNION SELECT s.memory_id, s.n FROM json_each(?5) j CROSS JOIN messages m ON m.owner_id = ?1 AND m.document_id = j.value
 CROSS JOIN memory_sources s ON s.owner_id = ?1 AND s.message_id = m.id AND s.message_id <> ''`, set, gone); err != nil {
		return nil, err
	}
	if err := t.removeEntries(set, gone); err != nil {
		return nil, err
	}
	if err := t.uncountMessages(set); err != nil {
		return nil, err
	}
	if err := t.do("UPDATE conversations SET document_id = '' WHERE "+rowsOf("conversations", "document_id")+" AND document_id <> ''", set); err != nil {
		return nil, err
	}
	blobs, err := t.removeFiles(set, gone)
	if err != nil {
		return nil, err
	}
	for _, table := range []struct{ name, column string }{{"messages", "document_id"}, {"contents", "document_id"}, {"documents", "id"}} {
		n, _, err := t.exec("DELETE FROM "+table.name+" WHERE "+rowsOf(table.name, table.column), set)
		if err != nil {
			return nil, err
		}
		switch table.name {
		case "messages":
			gone.Messages += int(n)
		case "documents":
			gone.Documents += int(n)
		}
	}
	gone.IDs = append(gone.IDs, ids...)
	return blobs, chain.mend(t)
}

// uncountMessages takes the messages of documents from the counts of their conversations.
func (t *tx) uncountMessages(set string) error {
	count := make(map[lukasa.ID]int)
	err := t.each(func(r row) error {
		count[lukasa.ID(r.text(0))] = r.int(1)
		return nil
	}, `SELECT m.conversation_id, count(*) FROM json_each(?5) j CROSS JOIN messages m ON m.owner_id = ?1 AND m.document_id = j.value GROUP BY 1`, set)
	for id, n := range count {
		if err == nil {
			err = t.do("UPDATE conversations SET message_count = message_count - ?6 WHERE owner_id = ?1 AND id = ?5", id, n)
		}
	}
	return err
}

// rowsOf is the condition for rows of a table whose column is among the ids of ?5. It looks each id up; a plain IN would let
// the planner read the whole table.
func rowsOf(table, column string) string {
	sql := table + ".rowid IN (SELECT x.rowid FROM json_each(?5) j CROSS JOIN " + table + " x ON x.owner_id = ?1 AND x." + column + " = j.value"
	if table == "conversations" && column == "document_id" {
		sql += " AND x.document_id <> ''" // the index holds no others
	}
	return sql + ")"
}

// removeEntries removes the chunks and vectors of documents and notes that they are gone.
func (t *tx) removeEntries(set string, gone *lukasa.Removal) error {
	err := t.each(func(r row) error {
		t.note(lukasa.ID(r.text(1)), lukasa.ID(r.text(0)), lukasa.EntryType(r.text(2)), true)
		return nil
	}, `SELECT c.id, c.node_id, CASE c.message_id WHEN '' THEN 'chunk' ELSE 'message' END FROM json_each(?5) j CROSS JOIN chunks c ON c.owner_id = ?1 AND c.document_id = j.value
UNION ALL SELECT d.id, d.node_id, 'document' FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value AND d.summary_entry = 1`, set)
	if err != nil {
		return err
	}
	spaces, err := t.allSpaces()
	if err != nil {
		return err
	}
	for _, n := range spaces {
		table := "embeddings_" + itoa(n)
		k, _, err := t.exec("DELETE FROM "+table+` WHERE rowid IN (SELECT v.rowid FROM json_each(?5) j CROSS JOIN chunks c ON c.owner_id = ?1 AND c.document_id = j.value
 CROSS JOIN `+table+` v ON v.owner_id = ?1 AND v.entry_id = c.id
UNION ALL SELECT v.rowid FROM json_each(?5) j CROSS JOIN `+table+" v ON v.owner_id = ?1 AND v.entry_id = j.value)", set)
		if err != nil {
			return err
		}
		gone.Vectors += int(k)
	}
	n, _, err := t.exec("DELETE FROM chunks WHERE "+rowsOf("chunks", "document_id"), set)
	gone.Chunks += int(n)
	return err
}

// removeFiles removes the file rows of documents and returns the blobs that no other row needs.
func (t *tx) removeFiles(set string, gone *lukasa.Removal) ([]string, error) {
	var blobs []string
	if _, err := t.one(func(r row) { gone.Bytes += r.int64(0) },
		"SELECT coalesce(sum(d.size), 0) FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value", set); err != nil {
		return nil, err
	}
	err := t.each(func(r row) error {
		gone.Files++
		gone.Bytes += r.int64(1)
		if b := r.text(0); b != "" {
			blobs = append(blobs, b)
		}
		return nil
	}, "SELECT f.blob, f.sealed_size FROM json_each(?5) j CROSS JOIN files f ON f.owner_id = ?1 AND f.document_id = j.value", set)
	if err != nil {
		return nil, err
	}
	if err := t.do(dropJobs, set); err != nil {
		return nil, err
	}
	if err := t.do("DELETE FROM files WHERE "+rowsOf("files", "document_id"), set); err != nil || len(blobs) == 0 {
		return nil, err
	}
	var free []string
	err = into(&t.session, &free, scanText, "SELECT DISTINCT j.value FROM json_each(?5) j WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.blob = j.value AND f.blob <> '')", idList(blobs))
	return free, err
}

// dropJobs removes what waits, or has been given up, for records that go. What runs finds out by itself.
const dropJobs = "DELETE FROM jobs WHERE owner_id = ?1 AND running = 0 AND record_id IN (SELECT value FROM json_each(?5))"

// dropSources removes the sources that a query names by memory and number, and the memories that have none left.
func (t *tx) dropSources(sql string, arg any, gone *lukasa.Removal) error {
	type source struct {
		memory lukasa.ID
		n      int64
	}
	var list []source
	err := t.each(func(r row) error {
		list = append(list, source{lukasa.ID(r.text(0)), r.int64(1)})
		return nil
	}, sql, arg)
	if err != nil || len(list) == 0 {
		return err
	}
	var hit []lukasa.ID
	for _, s := range list {
		if err := t.do("DELETE FROM memory_sources WHERE owner_id = ?1 AND memory_id = ?5 AND n = ?6", s.memory, s.n); err != nil {
			return err
		}
		if len(hit) == 0 || hit[len(hit)-1] != s.memory {
			hit = append(hit, s.memory)
		}
	}
	return t.dropMemories(`SELECT DISTINCT y.id, y.node_id FROM json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = j.value
WHERE NOT EXISTS (SELECT 1 FROM memory_sources s WHERE s.owner_id = ?1 AND s.memory_id = y.id)`, idList(hit), gone)
}

// dropMemories removes the memories that a query names by id and node.
func (t *tx) dropMemories(sql string, arg any, gone *lukasa.Removal) error {
	type place struct{ id, node lukasa.ID }
	var list []place
	err := t.each(func(r row) error {
		list = append(list, place{lukasa.ID(r.text(0)), lukasa.ID(r.text(1))})
		return nil
	}, sql, arg)
	if err != nil {
		return err
	}
	for _, m := range list {
		n, err := t.dropMemory(m.id, m.node)
		if err != nil {
			return err
		}
		gone.Vectors += n
		gone.Memories++
		gone.IDs = append(gone.IDs, m.id)
	}
	return nil
}

// chain is what has to be mended in version chains once documents are gone.
type chain struct {
	previous map[lukasa.ID]lukasa.ID // of those that go
	latest   []lukasa.ID             // those that go and are latest
	next     []([2]lukasa.ID)        // those that stay and whose previous goes
}

func (t *tx) chainOf(set string) (c chain, err error) {
	c.previous = make(map[lukasa.ID]lukasa.ID)
	err = t.each(func(r row) error {
		c.previous[lukasa.ID(r.text(0))] = lukasa.ID(r.text(1))
		if r.bool(2) {
			c.latest = append(c.latest, lukasa.ID(r.text(0)))
		}
		return nil
	}, "SELECT d.id, d.previous_id, d.is_latest FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value", set)
	if err != nil {
		return c, err
	}
	err = t.each(func(r row) error {
		c.next = append(c.next, [2]lukasa.ID{lukasa.ID(r.text(0)), lukasa.ID(r.text(1))})
		return nil
	}, "SELECT d.id, d.previous_id FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.previous_id = j.value AND d.previous_id <> ''"+
		" WHERE d.id NOT IN (SELECT value FROM json_each(?5))", set)
	return c, err
}

// before returns the nearest version that stays.
func (c chain) before(id lukasa.ID) lukasa.ID {
	for {
		prev, goes := c.previous[id]
		if !goes {
			return id
		}
		id = prev
	}
}

// mend links the versions that stay, and makes the one before a latest version that went the latest.
func (c chain) mend(t *tx) error {
	for _, n := range c.next {
		if err := t.do("UPDATE documents SET previous_id = ?6 WHERE owner_id = ?1 AND id = ?5", n[0], c.before(n[1])); err != nil {
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
