package sqlite

import (
	"cmp"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/lite"
)

// newestStep is how many records of each kind Newest reads at most at a time. It begins with as many as are wanted.
const newestStep = 256

// stream gives the entries of one kind of record, newest first, a step at a time.
type stream struct {
	fetch  func(after lite.Position, step int) (entries []lukasa.Entry, last lite.Position, more bool, err error)
	last   lite.Position
	step   int
	buffer []lukasa.Entry
	more   bool
}

// Newest implements [store.ChunkReader]. Ties go by creation, newest first, then by document and position in it.
func (s *session) Newest(nodes []lukasa.ID, types []lukasa.EntryType, f *lukasa.Filter, limit int) ([]lukasa.Entry, error) {
	found := []lukasa.Entry{}
	if limit <= 0 || s.sc.Owner == "" {
		return found, nil
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
		streams = append(streams, s.memoryStream(nodes))
	}
	for _, st := range streams {
		st.last, st.more, st.step = lite.Position{Key: int64(1<<63 - 1), ID: "\x7f"}, true, min(max(limit, 8), newestStep) // before the newest of all
	}
	for len(found) < limit {
		var best *stream
		for _, st := range streams {
			if err := st.fill(f); err != nil {
				return nil, err
			}
			if len(st.buffer) > 0 && (best == nil || newer(&st.buffer[0], &best.buffer[0]) < 0) {
				best = st
			}
		}
		if best == nil {
			break
		}
		found = append(found, best.buffer[0])
		best.buffer = best.buffer[1:]
	}
	return found, nil
}

// fill reads on until the filter keeps something or nothing is left.
func (st *stream) fill(f *lukasa.Filter) error {
	for len(st.buffer) == 0 && st.more {
		entries, last, more, err := st.fetch(st.last, st.step)
		if err != nil {
			return err
		}
		st.step = min(2*st.step, newestStep)
		st.last, st.more = last, more
		for i := range entries {
			if f.Match(&entries[i]) {
				st.buffer = append(st.buffer, entries[i])
			}
		}
		slices.SortStableFunc(st.buffer, func(a, b lukasa.Entry) int { return newer(&a, &b) })
	}
	return nil
}

// newer orders entries for Newest.
func newer(a, b *lukasa.Entry) int {
	if c := b.When().Compare(a.When()); c != 0 {
		return c
	}
	if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(b.Document, a.Document), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
}

// positions reads the next records of a stream. A step never ends among records of one moment, as their entries are
// ordered by more than that.
func (s *session) positions(table, alias, key, cond string, nodes []lukasa.ID, start lite.Position, step int) ([]lukasa.ID, lite.Position, bool, error) {
	c := where(cond)
	from, id := table+" "+alias, alias+".id"
	if len(nodes) > 0 {
		var err error
		if from, err = s.among(&c, table, alias, nodes); err != nil {
			return nil, start, false, err
		}
	}
	var ids []lukasa.ID
	last := start
	args := append(slices.Clone(c.Args), start.Key, start.ID)
	n := 4 + len(args)
	base := "SELECT " + key + ", " + id + " FROM " + from + " WHERE " + c.Where()
	order := " ORDER BY " + key + " DESC, " + id + " DESC"
	scan := func(r row) error {
		last = lite.Position{Key: r[0], ID: r.Text(1)}
		ids = append(ids, lukasa.ID(last.ID))
		return nil
	}
	if err := s.Each(scan, base+" AND "+lite.After(key, id, "<", n-1)+order+" LIMIT ?"+itoa(n+1), append(args, step)...); err != nil {
		return nil, last, false, err
	}
	if len(ids) < step {
		return ids, last, false, nil
	}
	args[len(args)-2], args[len(args)-1] = last.Key, last.ID
	err := s.Each(scan, base+" AND "+key+" = ?"+itoa(n-1)+" AND "+id+" < ?"+itoa(n)+order, args...)
	return ids, last, true, err
}

// documentStream gives chunks and summary entries of documents, at most limit chunks of each: they share all that a filter
// looks at.
func (s *session) documentStream(nodes []lukasa.ID, wants func(lukasa.EntryType) bool, limit int, segments string) *stream {
	return &stream{fetch: func(after lite.Position, step int) (list []lukasa.Entry, last lite.Position, more bool, err error) {
		ids, last, more, err := s.positions("documents", "d", "coalesce(d.occurred_at, d.created_at)",
			"d.is_latest = 1 AND "+segments+" AND "+s.visible("d", "documents"), nodes, after, step)
		if err != nil || len(ids) == 0 {
			return nil, last, more, err
		}
		if wants(lukasa.EntryDocument) {
			err = lite.Into(&s.Session, &list, owned(s, scanDocumentEntry), entryQuery{}.documents("json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value AND d.summary_entry = 1", ""), lite.Set(ids))
		}
		if err != nil || !wants(lukasa.EntryChunk) {
			return list, last, more, err
		}
		sql := entryQuery{}.chunks("chunks c", "WHERE c.owner_id = ?1 AND c.document_id = ?5 AND c.message_id = '' ORDER BY c.seq, c.id LIMIT ?6")
		for _, id := range ids {
			err := lite.Into(&s.Session, &list, owned(s, scanChunkEntry), sql, id, limit)
			if err != nil {
				return nil, last, more, err
			}
		}
		return list, last, more, nil
	}}
}

func (s *session) messageStream(nodes []lukasa.ID) *stream {
	return &stream{fetch: func(after lite.Position, step int) (list []lukasa.Entry, last lite.Position, more bool, err error) {
		ids, last, more, err := s.positions("messages", "m", "coalesce(m.time, m.created_at)", s.visible("m", "messages"), nodes, after, step)
		if err != nil || len(ids) == 0 {
			return nil, last, more, err
		}
		err = s.Each(func(r row) error {
			if e := scanChunkEntry(s.sc.Owner, r); e.Latest {
				list = append(list, e)
			}
			return nil
		}, entryQuery{}.chunks("json_each(?5) j CROSS JOIN chunks c ON c.owner_id = ?1 AND c.message_id = j.value AND c.message_id <> ''", ""), lite.Set(ids))
		return list, last, more, err
	}}
}

func (s *session) memoryStream(nodes []lukasa.ID) *stream {
	return &stream{fetch: func(after lite.Position, step int) (list []lukasa.Entry, last lite.Position, more bool, err error) {
		ids, last, more, err := s.positions("memories", "y", "coalesce(y.occurred_at, y.recorded_at)",
			"y.is_latest = 1 AND "+recalled+" AND "+s.visible("y", "memories"), nodes, after, step)
		if err != nil || len(ids) == 0 {
			return nil, last, more, err
		}
		err = lite.Into(&s.Session, &list, owned(s, scanMemoryEntry), entryQuery{}.memories("json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = j.value", ""), lite.Set(ids))
		return list, last, more, err
	}}
}

// Stats implements [store.ChunkReader]. Documents are those that a listing shows: latest versions, without the segments of
// conversations; chunks, messages and bytes are counted wherever they stand.
func (s *session) Stats() (lukasa.Stats, error) {
	st := lukasa.Stats{ByStatus: map[string]int{}, ByType: map[string]int{}}
	since := s.now().AddDate(0, 0, -7)
	err := s.Each(func(r row) error {
		n := r.Int(3)
		if r.Bool(2) {
			st.Documents += n
			st.ThisWeek += r.Int(4)
			st.ByStatus[r.Text(0)] += n
			st.ByType[r.Text(1)] += n
		}
		st.Chunks += r.Int(5)
		st.Embedded += r.Int(6)
		st.Bytes += r.Int64(7)
		return nil
	}, `SELECT d.status, d.content_type, d.is_latest AND d.segment_of = '', count(*), sum(d.created_at >= ?5), sum(d.chunk_count), sum(d.embedded_count), sum(d.size)
FROM documents d WHERE `+s.visible("d", "documents")+" GROUP BY 1, 2, 3", since)
	if err != nil {
		return st, err
	}
	for _, c := range []struct {
		to  func(int)
		sql string
	}{
		{func(n int) { st.Memories = n }, "SELECT count(*) FROM memories y WHERE y.is_latest = 1 AND " + s.visible("y", "memories")},
		{func(n int) { st.Messages = n }, "SELECT count(*) FROM messages m WHERE " + s.visible("m", "messages")},
		{func(n int) { st.Conversations = n }, "SELECT count(*) FROM conversations v WHERE " + s.visible("v", "conversations")},
		{func(n int) { st.Nodes = n }, "SELECT count(*) FROM nodes n WHERE n.depth > 0 AND " + s.visible("n", "nodes")},
		{func(n int) { st.Bytes += int64(n) }, "SELECT coalesce(sum(f.sealed_size), 0) FROM files f JOIN documents d ON d.owner_id = f.owner_id AND d.id = f.document_id WHERE " +
			s.visible("d", "documents")},
	} {
		if _, err := s.One(func(r row) { c.to(r.Int(0)) }, c.sql); err != nil {
			return st, err
		}
	}
	if st.Chunks > 0 {
		st.Coverage = float64(st.Embedded) / float64(st.Chunks)
	}
	return st, nil
}
