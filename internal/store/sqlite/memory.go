package sqlite

import "github.com/lukasa-memory/lukasa"

const memoryColumns = `y.id, y.node_id, n.path, y.kind, y.content, y.slot, y.value, y.subject, y.confidence, y.tags, y.metadata, y.entities, y.origin,
 y.extractor, y.is_latest, y.retired_by, y.reason, y.occurred_at, y.valid_from, y.valid_to, y.recorded_at, y.retired_at, y.updated_at, y.forget_after`

func scanMemory(r row) lukasa.Memory {
	return lukasa.Memory{
		ID: lukasa.ID(r.text(0)), Node: lukasa.ID(r.text(1)), Path: lukasa.Path(r.text(2)), Kind: lukasa.MemoryKind(r.text(3)),
		Content: r.text(4), Slot: r.text(5), Value: r.text(6), Subject: r.text(7), Confidence: r.float(8), Tags: full(r.list(9)), Metadata: r.object(10),
		Entities: r.list(11), Sources: []lukasa.Source{}, Origin: lukasa.Origin(r.text(12)), Extractor: r.text(13), IsLatest: r.bool(14),
		RetiredBy: lukasa.ID(r.text(15)), Reason: r.text(16), OccurredAt: r.timep(17), ValidFrom: r.timep(18), ValidTo: r.timep(19),
		RecordedAt: r.time(20), RetiredAt: r.timep(21), UpdatedAt: r.time(22), ForgetAfter: r.timep(23),
	}
}

// Memory implements [store.MemoryReader].
func (s *session) Memory(id lukasa.ID) (lukasa.Memory, error) {
	list, err := s.MemoriesByID([]lukasa.ID{id})
	if err != nil {
		return lukasa.Memory{}, err
	}
	if len(list) == 0 {
		return lukasa.Memory{}, lukasa.NotFound("memory", id)
	}
	return list[0], nil
}

// MemoriesByID implements [store.MemoryReader].
func (s *session) MemoriesByID(ids []lukasa.ID) ([]lukasa.Memory, error) {
	list := make([]lukasa.Memory, 0, len(ids))
	if len(ids) == 0 {
		return list, nil
	}
	at := make(map[string]int, len(ids))
	err := s.each(func(r row) error {
		at[r.text(0)] = len(list)
		list = append(list, scanMemory(r))
		return nil
	}, "SELECT "+memoryColumns+` FROM json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = j.value
JOIN nodes n ON n.owner_id = y.owner_id AND n.id = y.node_id WHERE `+s.visible("y", "node_id")+" ORDER BY j.key", idList(ids))
	if err != nil || len(list) == 0 {
		return list, err
	}
	err = s.each(func(r row) error {
		if i, ok := at[r.text(0)]; ok {
			list[i].Sources = append(list[i].Sources, lukasa.Source{
				Document: lukasa.ID(r.text(1)), Message: lukasa.ID(r.text(2)),
				Start: r.int(3), End: r.int(4), Quote: r.text(5),
			})
		}
		return nil
	}, `SELECT memory_id, document_id, message_id, start_at, end_at, quote FROM memory_sources
WHERE owner_id = ?1 AND memory_id IN (SELECT value FROM json_each(?5)) ORDER BY memory_id, n`, idList(ids))
	for i := range list { // an id that was asked for twice
		list[i].Sources = list[at[string(list[i].ID)]].Sources
	}
	return list, err
}

// Memories implements [store.MemoryReader]. Several kinds or tags mean any of them.
func (s *session) Memories(f lukasa.MemoryFilter, p lukasa.Page) (list lukasa.Listing[lukasa.Memory], err error) {
	c := conditions{sql: []string{s.visible("y", "node_id")}}
	from, err := s.inNodes(&c, "memories", "y", f.Containers)
	if err != nil {
		return list, err
	}
	if len(f.Kinds) > 0 {
		c.add("y.kind IN (SELECT value FROM json_each(??))", idList(f.Kinds))
	}
	if len(f.Tags) > 0 {
		c.add("EXISTS (SELECT 1 FROM json_each(y.tags) t JOIN json_each(??) w ON w.value = t.value)", idList(f.Tags))
	}
	if f.Latest != nil {
		c.add("y.is_latest = ??", *f.Latest)
	}
	if f.Document != "" {
		c.add("y.id IN (SELECT memory_id FROM memory_sources WHERE owner_id = ?1 AND document_id = ?? AND document_id <> '')", f.Document)
	}
	if f.After != nil {
		c.add("coalesce(y.occurred_at, y.recorded_at) >= ??", *f.After)
	}
	if f.Before != nil {
		c.add("coalesce(y.occurred_at, y.recorded_at) < ??", *f.Before)
	}
	ids, next, total, err := s.page('m', from, "y.recorded_at", "y.id", c, true, p)
	if err != nil {
		return list, err
	}
	list.Next, list.Total = next, total
	list.Items, err = s.MemoriesByID(ids)
	return list, err
}

// PutMemory implements [store.MemoryWriter]. It inserts or updates by id; a memory with another content loses its vectors.
func (t *tx) PutMemory(m lukasa.Memory) error {
	if err := t.writable(m.Node); err != nil {
		return err
	}
	var node, content string
	there, err := t.one(func(r row) { node, content = r.text(0), r.text(1) },
		"SELECT node_id, content FROM memories WHERE owner_id = ?1 AND id = ?5", m.ID)
	if err != nil {
		return err
	}
	if there {
		if err := t.writable(lukasa.ID(node)); err != nil {
			return lukasa.NotFound("memory", m.ID)
		}
	}
	if err := t.writeMemory(m); err != nil {
		return err
	}
	if there {
		if err := t.do("DELETE FROM memory_sources WHERE owner_id = ?1 AND memory_id = ?5", m.ID); err != nil {
			return err
		}
		if content != m.Content {
			if _, err := t.dropVectors(m.ID); err != nil {
				return err
			}
		}
		if node != string(m.Node) {
			if err := t.moveVectors(m.ID, m.Node); err != nil {
				return err
			}
			t.note(lukasa.ID(node), m.ID, lukasa.EntryMemory, true)
		}
	}
	for i, src := range m.Sources {
		err := t.do(`INSERT INTO memory_sources (owner_id, memory_id, n, document_id, message_id, start_at, end_at, quote)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`, m.ID, i, src.Document, src.Message, src.Start, src.End, src.Quote)
		if err != nil {
			return err
		}
	}
	t.note(m.Node, m.ID, lukasa.EntryMemory, false)
	return nil
}

func (t *tx) writeMemory(m lukasa.Memory) error {
	tags, err := encodeList(m.Tags)
	if err != nil {
		return err
	}
	entities, err := encodeList(m.Entities)
	if err != nil {
		return err
	}
	meta, err := encodeObject(m.Metadata)
	if err != nil {
		return err
	}
	return t.do(`INSERT INTO memories (owner_id, id, node_id, kind, content, slot, value, subject, confidence, tags, metadata, entities, origin, extractor,
 is_latest, retired_by, reason, occurred_at, valid_from, valid_to, recorded_at, retired_at, updated_at, forget_after)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)
ON CONFLICT (owner_id, id) DO UPDATE SET node_id = excluded.node_id, kind = excluded.kind, content = excluded.content, slot = excluded.slot,
 value = excluded.value, subject = excluded.subject, confidence = excluded.confidence, tags = excluded.tags, metadata = excluded.metadata,
 entities = excluded.entities, origin = excluded.origin, extractor = excluded.extractor, is_latest = excluded.is_latest,
 retired_by = excluded.retired_by, reason = excluded.reason, occurred_at = excluded.occurred_at, valid_from = excluded.valid_from,
 valid_to = excluded.valid_to, recorded_at = excluded.recorded_at, retired_at = excluded.retired_at, updated_at = excluded.updated_at,
 forget_after = excluded.forget_after`,
		m.ID, m.Node, m.Kind, m.Content, m.Slot, m.Value, m.Subject, m.Confidence, tags, meta, entities, m.Origin, m.Extractor, m.IsLatest,
		m.RetiredBy, m.Reason, m.OccurredAt, m.ValidFrom, m.ValidTo, t.orNow(m.RecordedAt), m.RetiredAt, t.orNow(m.UpdatedAt), m.ForgetAfter)
}

func (t *tx) moveVectors(entry, node lukasa.ID) error {
	spaces, err := t.allSpaces()
	if err != nil {
		return err
	}
	for _, n := range spaces {
		if err := t.do("UPDATE embeddings_"+itoa(n)+" SET node_id = ?6 WHERE owner_id = ?1 AND entry_id = ?5", entry, node); err != nil {
			return err
		}
	}
	return nil
}

// DeleteMemory implements [store.MemoryWriter].
func (t *tx) DeleteMemory(id lukasa.ID) error {
	node, err := found(&t.session, "memory", id, scanID, "SELECT y.node_id FROM memories y WHERE y.id = ?5 AND "+t.visible("y", "node_id"), id)
	if err != nil {
		return err
	}
	_, err = t.dropMemory(id, node)
	return err
}

// dropMemory removes a memory with sources and vectors and returns how many vectors went.
func (t *tx) dropMemory(id, node lukasa.ID) (vectors int, err error) {
	if vectors, err = t.dropVectors(id); err != nil {
		return 0, err
	}
	if err := t.do("DELETE FROM memory_sources WHERE owner_id = ?1 AND memory_id = ?5", id); err != nil {
		return 0, err
	}
	if err := t.do(dropJobs, idList([]lukasa.ID{id})); err != nil {
		return 0, err
	}
	t.note(node, id, lukasa.EntryMemory, true)
	return vectors, t.do("DELETE FROM memories WHERE owner_id = ?1 AND id = ?5", id)
}
