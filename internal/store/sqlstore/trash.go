package sqlstore

import (
	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// trashTables are the tables of what can lie in the trash, by the kind of id, with what names a row.
var trashTables = map[lukasa.Prefix][2]string{
	lukasa.PrefixDocument:     {"documents", "title"},
	lukasa.PrefixMemory:       {"memories", "substr(content, 1, 200)"},
	lukasa.PrefixConversation: {"conversations", "external_id"},
}

// Bury implements [store.HistoryWriter].
func (t *Tx) Bury(id lukasa.ID) error {
	table, ok := trashTables[id.Prefix()]
	if !ok {
		return lukasa.Invalid("id", "%q names no document, memory or conversation", id)
	}
	if _, err := found(t.Session, table[0], id, scanInt, "SELECT 1 FROM "+table[0]+" b WHERE b.id = ?5 AND "+t.visible("b", table[0]), id); err != nil {
		return err
	}
	switch table[0] {
	case "documents":
		return t.buryDocuments([]lukasa.ID{id}, "")
	case "memories":
		return t.moveMemory(id, true, "")
	}
	c, err := t.Conversation(id)
	if err != nil {
		return err
	}
	t.buried = new(true)
	segments, err := t.ids("SELECT id FROM documents WHERE owner_id = ?1 AND segment_of = ?5 AND segment_of <> '' AND buried_at = 0 ORDER BY created_at, id", id)
	if err != nil {
		return err
	}
	return sqlrows.All(
		func() error { return t.buryDocuments(segments, id) },
		func() error {
			return t.Do("UPDATE conversations SET buried_at = ?6 WHERE owner_id = ?1 AND id = ?5", id, t.now())
		},
		func() error { return t.record("conversations", store.OpDelete, id, c.Node, c, nil) })
}

// buryDocuments hides documents with their entries, messages, and the memories that have no other source. With is what takes
// them along, if anything does.
func (t *Tx) buryDocuments(ids []lukasa.ID, with lukasa.ID) error {
	if len(ids) == 0 {
		return nil
	}
	set := sqlrows.Set(ids)
	before := make([]*standing, len(ids))
	for i, id := range ids {
		var err error
		if before[i], _, err = t.standing(id); err != nil {
			return err
		}
	}
	chain, err := t.chainOf(set, " AND d.buried_at = 0")
	if err != nil {
		return err
	}
	t.buried = new(true)
	next := make(map[lukasa.ID]lukasa.ID)
	for _, n := range chain.next {
		next[n[1]] = n[0]
	}
	return sqlrows.All(
		func() error { return t.noteEntries(set, true) },
		func() error { return t.leaveConversations(set) },
		func() error {
			for i, id := range ids {
				if err := t.Do("UPDATE documents SET buried_at = ?6, buried_with = ?7, buried_next = ?8 WHERE owner_id = ?1 AND id = ?5", id, t.now(), with, next[id]); err != nil {
					return err
				}
				if err := t.record("documents", store.OpDelete, id, before[i].Node, before[i].DocumentState, nil); err != nil {
					return err
				}
			}
			return nil
		},
		func() error { return chain.mend(t) },
		func() error { return t.settleMemories(set) })
}

// Unbury implements [store.HistoryWriter].
func (t *Tx) Unbury(id lukasa.ID) error {
	table := trashTables[id.Prefix()][0]
	if table == "" {
		return lukasa.NotFound("record in the trash", id)
	}
	with, err := found(t.Session, "record in the trash", id, scanText,
		"SELECT b.buried_with FROM "+table+" b WHERE b.id = ?5 AND b.buried_at > 0 AND "+t.within("b", table), id)
	if err != nil {
		return err
	}
	if with != "" {
		return &lukasa.Error{Code: lukasa.CodeConflict, Msg: "it went into the trash with " + with, Hint: "take that out"}
	}
	switch table {
	case "documents":
		return t.unburyDocument(id)
	case "memories":
		return t.moveMemory(id, false, "")
	}
	switch taken, err := t.Has(`SELECT 1 FROM conversations b JOIN conversations v ON v.owner_id = b.owner_id AND v.node_id = b.node_id AND v.external_id = b.external_id
WHERE b.owner_id = ?1 AND b.id = ?5 AND v.buried_at = 0`, id); {
	case err != nil:
		return err
	case taken:
		return lukasa.Errorf(lukasa.CodeConflict, "another conversation has the name of %s by now", id)
	}
	segments, err := t.ids("SELECT id FROM documents WHERE owner_id = ?1 AND buried_at > 0 AND buried_with = ?5 ORDER BY created_at, id", id)
	if err != nil {
		return err
	}
	if err := t.Do("UPDATE conversations SET buried_at = 0 WHERE owner_id = ?1 AND id = ?5", id); err != nil {
		return err
	}
	for _, d := range segments {
		if err := t.unburyDocument(d); err != nil {
			return err
		}
	}
	c, err := t.Conversation(id)
	if err != nil {
		return err
	}
	return t.record("conversations", store.OpCreate, id, c.Node, nil, c)
}

// unburyDocument puts a document back to its place among the versions.
func (t *Tx) unburyDocument(id lukasa.ID) error {
	d, _, err := t.standing(id)
	if err != nil {
		return err
	}
	set := sqlrows.Set([]lukasa.ID{id})
	prev := d.Previous // or the nearest before it that is not in the trash
	for above := true; above && prev != ""; {
		at := prev
		if above, err = t.One(func(r sqlrows.Row) { prev = lukasa.ID(r.Text(0)) },
			"SELECT previous_id FROM documents WHERE owner_id = ?1 AND id = ?5 AND buried_at > 0", at); err != nil {
			return err
		}
	}
	var next lukasa.ID
	if _, err := t.One(func(r sqlrows.Row) { next = lukasa.ID(r.Text(0)) }, `SELECT d.id FROM documents d WHERE d.owner_id = ?1 AND d.buried_at = 0 AND d.previous_id = ?6
 AND CASE ?6 WHEN '' THEN d.id = (SELECT buried_next FROM documents WHERE owner_id = ?1 AND id = ?5) ELSE d.previous_id <> '' END`, id, prev); err != nil {
		return err
	}
	latest := d.IsLatest && next == ""
	return sqlrows.All(
		func() error {
			switch {
			case next != "":
				return t.relink(next, id)
			case latest && prev != "":
				return t.setLatest(prev, false)
			}
			return nil
		},
		func() error {
			return t.Do("UPDATE documents SET buried_at = 0, buried_with = '', buried_next = '', previous_id = ?6, is_latest = ?7 WHERE owner_id = ?1 AND id = ?5", id, prev, latest)
		},
		func() error {
			if d.Segment == nil || d.Segment.State != lukasa.SegmentOpen {
				return nil
			}
			return t.Do("UPDATE conversations SET document_id = ?5, updated_at = CASE WHEN updated_at < ?7 THEN ?7 ELSE updated_at END WHERE owner_id = ?1 AND id = ?6 AND document_id = ''", id, d.Segment.Conversation, t.now())
		},
		func() error { return t.noteEntries(set, false) },
		func() error { return t.countMessages(set, 1) },
		func() error {
			now, _, err := t.standing(id)
			if err != nil {
				return err
			}
			return t.record("documents", store.OpCreate, id, now.Node, nil, now.DocumentState)
		},
		func() error { return t.settleMemories(set) })
}

// moveMemory puts a memory into the trash, or takes it out.
func (t *Tx) moveMemory(id lukasa.ID, bury bool, with lukasa.ID) error {
	m, err := t.memoryState(id)
	if err != nil {
		return err
	}
	op, before, after, at := store.OpCreate, any(nil), any(m.MemoryState), any(0)
	if bury {
		t.buried = new(true)
		op, before, after, at = store.OpDelete, after, nil, t.now()
	}
	if err := t.Do("UPDATE memories SET buried_at = ?6, buried_with = ?7 WHERE owner_id = ?1 AND id = ?5", id, at, with); err != nil {
		return err
	}
	t.Note(m.Node, id, lukasa.EntryMemory, bury || m.Held())
	return t.record("memories", op, id, m.Node, before, after)
}

// sourceDocument is the document of memory source s.
const sourceDocument = "CASE s.document_id WHEN '' THEN (SELECT g.document_id FROM messages g WHERE g.owner_id = ?1 AND g.id = s.message_id) ELSE s.document_id END"

// settleMemories looks at the memories that have a source in the documents: those whose sources are all in the trash go there
// too, the others come back, unless they were put there by themselves.
func (t *Tx) settleMemories(documents string) error {
	ids, err := t.ids(`SELECT s.memory_id FROM json_each(?5) j CROSS JOIN memory_sources s ON s.owner_id = ?1 AND s.document_id = j.value AND s.document_id <> ''
UNION SELECT s.memory_id FROM json_each(?5) j CROSS JOIN messages m ON m.owner_id = ?1 AND m.document_id = j.value
 CROSS JOIN memory_sources s ON s.owner_id = ?1 AND s.message_id = m.id AND s.message_id <> ''`, documents)
	if err != nil {
		return err
	}
	return t.settle(ids)
}

func (t *Tx) settle(ids []lukasa.ID) error {
	type state struct {
		id, with, trash lukasa.ID
		buried, free    bool
	}
	var list []state
	err := sqlrows.Into(&t.Session.Session, &list, func(r sqlrows.Row) state {
		return state{lukasa.ID(r.Text(0)), lukasa.ID(r.Text(1)), lukasa.ID(r.Text(2)), r.Bool(3), r.Bool(4)}
	}, `SELECT y.id, y.buried_with, (SELECT d.id FROM memory_sources s JOIN documents d ON d.owner_id = ?1 AND d.id = `+sourceDocument+`
  WHERE s.owner_id = ?1 AND s.memory_id = y.id AND d.buried_at > 0 ORDER BY d.id <> y.buried_with, s.n LIMIT 1), y.buried_at > 0,
 NOT EXISTS (SELECT 1 FROM memory_sources s WHERE s.owner_id = ?1 AND s.memory_id = y.id) OR EXISTS (SELECT 1 FROM memory_sources s WHERE s.owner_id = ?1 AND s.memory_id = y.id
  AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.owner_id = ?1 AND d.id = `+sourceDocument+` AND d.buried_at > 0))
FROM json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = j.value`, sqlrows.Set(ids))
	for _, m := range list {
		switch {
		case err != nil:
		case m.buried && m.with != "" && m.free:
			err = t.moveMemory(m.id, false, "")
		case !m.buried && !m.free:
			err = t.moveMemory(m.id, true, m.trash)
		case m.buried && m.with != "" && m.with != m.trash:
			err = t.Do("UPDATE memories SET buried_with = ?6 WHERE owner_id = ?1 AND id = ?5", m.id, m.trash)
		}
	}
	return err
}

// Purge implements [store.HistoryWriter].
func (t *Tx) Purge(id lukasa.ID) (gone lukasa.Removal, blobs []string, err error) {
	switch id.Prefix() {
	case lukasa.PrefixDocument:
		return t.DeleteDocument(id)
	case lukasa.PrefixMemory:
		err = t.deleteMemory(id, &gone)
		return gone, nil, err
	case lukasa.PrefixConversation:
	default:
		return gone, nil, lukasa.Invalid("id", "%q names no document, memory or conversation", id)
	}
	if _, err := found(t.Session, "conversation", id, scanInt, "SELECT 1 FROM conversations v WHERE v.id = ?5 AND "+t.within("v", "conversations"), id); err != nil {
		return gone, nil, err
	}
	documents, err := t.ids(`SELECT id FROM documents WHERE owner_id = ?1 AND segment_of = ?5 AND segment_of <> ''
UNION SELECT document_id FROM messages WHERE owner_id = ?1 AND conversation_id = ?5`, id)
	if err != nil {
		return gone, nil, err
	}
	if err = t.deleteDocuments(documents, &gone, &blobs); err == nil {
		err = t.dropConversations(sqlrows.Set([]lukasa.ID{id}), &gone)
	}
	return gone, blobs, err
}

// dropConversations removes conversations that have no messages left.
func (t *Tx) dropConversations(set string, gone *lukasa.Removal) error {
	node := make(map[lukasa.ID]lukasa.ID)
	var ids []lukasa.ID
	err := t.Each(func(r sqlrows.Row) error {
		ids = append(ids, scanID(r))
		node[scanID(r)] = lukasa.ID(r.Text(1))
		return nil
	}, "SELECT v.id, v.node_id FROM json_each(?5) j CROSS JOIN conversations v ON v.owner_id = ?1 AND v.id = j.value", set)
	if err != nil || len(ids) == 0 {
		return err
	}
	if err := t.dropEdges(set, gone); err != nil {
		return err
	}
	if err := t.Do("DELETE FROM conversations WHERE "+t.dialect.RowsOf("conversations", "id"), set); err != nil {
		return err
	}
	return t.purged(ids, func(id lukasa.ID) lukasa.ID { return node[id] })
}

// Buried implements [store.HistoryReader].
func (s *Session) Buried(p lukasa.Page) (list lukasa.Listing[store.Buried], err error) {
	selects, and := "", ""
	for _, prefix := range []lukasa.Prefix{lukasa.PrefixDocument, lukasa.PrefixMemory, lukasa.PrefixConversation} {
		table, from := trashTables[prefix], trashTables[prefix][0]+" b"
		if !s.past {
			from += " INDEXED BY " + table[0] + "_trash"
		}
		selects, and = selects+and+"SELECT b.id, b.node_id, "+table[1]+" AS label, b.buried_at FROM "+from+" WHERE b.buried_at > 0 AND b.buried_with = '' AND "+s.within("b", table[0]), " UNION ALL "
	}
	ids, next, total, err := s.page('b', "("+selects+") u", "u.buried_at", "u.id", where("TRUE"), true, p)
	if err != nil {
		return list, err
	}
	list = lukasa.Listing[store.Buried]{Items: make([]store.Buried, 0, len(ids)), Next: next, Total: total}
	err = sqlrows.Into(&s.Session, &list.Items, func(r sqlrows.Row) store.Buried {
		return store.Buried{Record: lukasa.ID(r.Text(0)), Node: lukasa.ID(r.Text(1)), Label: r.Text(2), At: r.Time(3)}
	}, "SELECT u.id, u.node_id, u.label, u.buried_at FROM ("+selects+") u WHERE u.id IN (SELECT value FROM json_each(?5)) ORDER BY u.buried_at DESC, u.id DESC", sqlrows.Set(ids))
	return list, err
}
