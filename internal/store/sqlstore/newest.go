package sqlstore

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// stream is a stream of entries whose records are ordered by a time and by id.
type stream = store.Stream[sqlrows.Position]

// Newest implements [store.ChunkReader].
func (s *Session) Newest(nodes []lukasa.ID, types []lukasa.EntryType, f *lukasa.Filter, limit int) ([]lukasa.Entry, error) {
	if limit <= 0 || s.sc.Owner == "" {
		return []lukasa.Entry{}, nil
	}
	wants := func(t lukasa.EntryType) bool { return len(types) == 0 || slices.Contains(types, t) }
	var streams []*stream
	if wants(lukasa.EntryChunk) || wants(lukasa.EntryDocument) {
		streams = append(streams, s.documentStream(nodes, wants, limit, "d.segment_of = ''"))
	}
	if wants(lukasa.EntryDocument) {
		streams = append(streams, s.documentStream(nodes, func(t lukasa.EntryType) bool { return t == lukasa.EntryDocument }, limit, "d.segment_of <> ''"))
	}
	if wants(lukasa.EntryMessage) {
		streams = append(streams, s.messageStream(nodes))
	}
	if wants(lukasa.EntryMemory) {
		streams = append(streams, s.memoryStream(nodes, f))
	}
	for _, st := range streams {
		st.Last = sqlrows.Position{Key: int64(1<<63 - 1), ID: "\x7f"} // before the newest of all
	}
	return store.Newest(streams, f, limit)
}

// records reads the next records of a stream.
func (s *Session) records(table, alias, key, cond string, nodes []lukasa.ID, start sqlrows.Position, step int) (ids []lukasa.ID, last sqlrows.Position, more bool, err error) {
	c := where(cond)
	q := sqlrows.Stretch{From: table + " " + alias, Key: key, ID: alias + ".id", Limit: step}
	if len(nodes) > 0 {
		if q.From, err = s.among(&c, table, alias, nodes); err != nil {
			return nil, start, false, err
		}
	}
	rows, more, err := s.Down(q, c, start)
	for _, r := range rows {
		ids, last = append(ids, lukasa.ID(r.ID)), r
	}
	return ids, last, more, err
}

// documentStream gives chunks and summary entries of documents, at most limit chunks of each: they share all that a filter
// looks at.
func (s *Session) documentStream(nodes []lukasa.ID, wants func(lukasa.EntryType) bool, limit int, segments string) *stream {
	return &stream{Fetch: func(after sqlrows.Position, step int) (list []lukasa.Entry, last sqlrows.Position, more bool, err error) {
		ids, last, more, err := s.records("documents", "d", "coalesce(d.occurred_at, d.created_at)",
			"d.is_latest = 1 AND "+segments+" AND "+s.visible("d", "documents"), nodes, after, step)
		if err != nil || len(ids) == 0 {
			return nil, last, more, err
		}
		if wants(lukasa.EntryDocument) {
			err = sqlrows.Into(&s.Session, &list, owned(s, store.ScanDocumentEntry[sqlrows.Row]), store.EntryQuery{}.Documents("json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value AND d.summary_entry = 1", ""), sqlrows.Set(ids))
		}
		if err != nil || !wants(lukasa.EntryChunk) {
			return list, last, more, err
		}
		sql := s.chunkTables(func(table string) string {
			return store.EntryQuery{}.Chunks(table+" c", "WHERE c.owner_id = ?1 AND c.document_id = ?5 AND c.message_id = ''")
		}) + " ORDER BY 5, 1 LIMIT ?6"
		for _, id := range ids {
			err := sqlrows.Into(&s.Session, &list, owned(s, store.ScanChunkEntry[sqlrows.Row]), sql, id, limit)
			if err != nil {
				return nil, last, more, err
			}
		}
		return list, last, more, nil
	}}
}

func (s *Session) messageStream(nodes []lukasa.ID) *stream {
	return &stream{Fetch: func(after sqlrows.Position, step int) (list []lukasa.Entry, last sqlrows.Position, more bool, err error) {
		cond := s.visible("m", "messages")
		if s.past { // no index says which come first: those of the stretches that are shown in the nodes, each of which is looked at once
			in := where("tr.owner_id = ?1 AND tr.segment_of <> '' AND tr.buried_at = 0")
			if len(nodes) > 0 {
				sqlrows.In(&in, "tr.node_id", nodes) // ?5, as records binds them
			}
			cond = s.within("m", "messages") + " AND m.document_id IN (SELECT tr.id FROM documents tr WHERE " + in.Where() + ")"
		}
		ids, last, more, err := s.records("messages", "m", "coalesce(m.time, m.created_at)", cond, nodes, after, step)
		if err != nil || len(ids) == 0 {
			return nil, last, more, err
		}
		err = s.Each(func(r sqlrows.Row) error {
			if e := store.ScanChunkEntry(s.sc.Owner, r); e.Latest {
				list = append(list, e)
			}
			return nil
		}, s.chunkTables(func(table string) string {
			return store.EntryQuery{}.Chunks("json_each(?5) j CROSS JOIN "+table+" c ON c.owner_id = ?1 AND c.message_id = j.value AND c.message_id <> ''", "")
		}), sqlrows.Set(ids))
		return list, last, more, err
	}}
}

// memoryStream gives memories that have been replaced too, where the filter says anything of that.
func (s *Session) memoryStream(nodes []lukasa.ID, f *lukasa.Filter) *stream {
	latest := "y.is_latest = 1 AND "
	if store.AsksLatest(f) {
		latest = ""
	}
	return &stream{Fetch: func(after sqlrows.Position, step int) (list []lukasa.Entry, last sqlrows.Position, more bool, err error) {
		ids, last, more, err := s.records("memories", "y", "coalesce(y.occurred_at, y.recorded_at)",
			latest+recalled+" AND "+s.visible("y", "memories"), nodes, after, step)
		if err != nil || len(ids) == 0 {
			return nil, last, more, err
		}
		err = sqlrows.Into(&s.Session, &list, owned(s, store.ScanMemoryEntry[sqlrows.Row]), store.EntryQuery{}.Memories("json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = j.value", ""), sqlrows.Set(ids))
		return list, last, more, err
	}}
}

// Stats implements [store.ChunkReader].
func (s *Session) Stats() (lukasa.Stats, error) {
	return store.Tally{Statements: statements{s}, Visible: s.visible}.Stats()
}
