package sqlstore

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// sourcesNow reads the sources of memories.
const sourcesNow = `SELECT memory_id, document_id, message_id, start_at, end_at, quote FROM memory_sources
WHERE owner_id = ?1 AND memory_id IN (SELECT value FROM json_each(?5)) ORDER BY memory_id, n`

func (s *Session) sources() string {
	if s.past {
		return s.dialect.SourcesThen
	}
	return sourcesNow
}

// Memory implements [store.MemoryReader].
func (s *Session) Memory(id lukasa.ID) (lukasa.Memory, error) {
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
func (s *Session) MemoriesByID(ids []lukasa.ID) ([]lukasa.Memory, error) {
	return s.memories(ids, s.visible("y", "memories"))
}

// memories returns those of the ids that meet a condition, in the order asked for.
func (s *Session) memories(ids []lukasa.ID, cond string) ([]lukasa.Memory, error) {
	list, err := sqlrows.Of(&s.Session, ids, store.ScanMemory[sqlrows.Row], func() string {
		return "SELECT " + store.MemoryColumns + ` FROM json_each(?5) j CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = j.value
JOIN nodes n ON n.owner_id = y.owner_id AND n.id = y.node_id WHERE ` + cond + " ORDER BY j.key"
	})
	at := make(map[string]int, len(list))
	for i := range list {
		at[string(list[i].ID)] = i
	}
	if err != nil || len(list) == 0 {
		return list, err
	}
	err = s.Each(func(r sqlrows.Row) error {
		if i, ok := at[r.Text(0)]; ok {
			list[i].Sources = append(list[i].Sources, lukasa.Source{
				Document: lukasa.ID(r.Text(1)), Message: lukasa.ID(r.Text(2)),
				Start: r.Int(3), End: r.Int(4), Quote: r.Text(5),
			})
		}
		return nil
	}, s.sources(), sqlrows.Set(ids))
	for i := range list { // an id that was asked for twice
		list[i].Sources = list[at[string(list[i].ID)]].Sources
	}
	return list, err
}

// Memories implements [store.MemoryReader]. Several kinds or tags mean any of them.
func (s *Session) Memories(f lukasa.MemoryFilter, p lukasa.Page) (list lukasa.Listing[lukasa.Memory], err error) {
	c := where(s.visible("y", "memories"))
	from, err := s.inNodes(&c, "memories", "y", f.Containers)
	if err != nil {
		return list, err
	}
	if f.Slot != "" || f.Key != "" { // the planner takes their indexes, which are narrower than a node
		from = "memories y"
	}
	s.sight().Memories(&c, f)
	ids, next, total, err := s.page('m', from, "y.recorded_at", "y.id", c, true, p)
	if err != nil {
		return list, err
	}
	list.Next, list.Total = next, total
	list.Items, err = s.MemoriesByID(ids)
	return list, err
}

// sight is what the scope sees.
func (s *Session) sight() store.Sight {
	return store.Sight{Visible: s.visible, Within: s.within, Edges: s.edgeSeen, Chunks: s.chunkTables}
}

// Marked implements [store.GraphReader].
func (s *Session) Marked(nodes []lukasa.ID, m store.Mark, limit int) ([]lukasa.ID, error) {
	c := sqlrows.Conditions{Fixed: 4}
	sql := s.sight().Marked(&c, nodes, m, limit)
	return s.ids(sql, c.Args...)
}

// Rivals implements [store.MemoryReader].
func (s *Session) Rivals(q store.Claim) ([]lukasa.Memory, error) {
	c := where(s.visible("y", "memories"))
	c.Add(recalled)
	ids, err := s.ids(q.SQL(&c, s.past), c.Args...)
	if err != nil {
		return nil, err
	}
	return s.MemoriesByID(ids)
}

// Superseded implements [store.MemoryReader].
func (s *Session) Superseded(sources []lukasa.Source) ([]store.Superseded, error) {
	x := store.Succession{Statements: statements{s}, Sight: s.sight(), Past: s.past, Moment: s.dialect.Moment, Memories: s.MemoriesByID}
	return x.Of(sources)
}

// PutMemory implements [store.MemoryWriter]. It inserts or updates by id; a memory with another content loses its vectors.
func (t *Tx) PutMemory(m lukasa.Memory) error {
	if err := t.writable(m.Node); err != nil {
		return err
	}
	old, err := t.memoryState(m.ID)
	if err != nil {
		return err
	}
	if old != nil {
		if err := t.writable(old.Node); err != nil || old.buried {
			return lukasa.NotFound("memory", m.ID)
		}
	}
	now, err := t.writeMemory(m)
	if err != nil {
		return err
	}
	kept, put := 0, func(sql string, args ...any) error { return t.Later(sqlrows.Next, sql, args...) }
	if old != nil {
		for kept < min(len(old.Sources), len(m.Sources)) && old.Sources[kept] == m.Sources[kept] {
			kept++ // mostly one more is told
		}
		if kept < len(old.Sources) {
			kept = 0
			if err := t.Do("DELETE FROM memory_sources WHERE owner_id = ?1 AND memory_id = ?5", m.ID); err != nil {
				return err
			}
		}
		if old.Content != m.Content {
			if _, err := t.dropVectors(m.ID); err != nil {
				return err
			}
		}
		if old.Node != m.Node {
			if err := t.moveVectors(m.ID, m.Node); err != nil {
				return err
			}
			t.Note(old.Node, m.ID, lukasa.EntryMemory, true)
		}
	}
	for i, src := range m.Sources[kept:] {
		n := any(i)
		if kept > 0 { // some may be missing among those that stay
			n, put = nil, t.Do
		}
		err := put(`INSERT INTO memory_sources (owner_id, memory_id, n, document_id, message_id, start_at, end_at, quote)
VALUES (?1, ?5, coalesce(?6, (SELECT max(n) + 1 FROM memory_sources WHERE owner_id = ?1 AND memory_id = ?5)), ?7, ?8, ?9, ?10, ?11)`,
			m.ID, n, src.Document, src.Message, src.Start, src.End, src.Quote)
		if err != nil {
			return err
		}
	}
	t.Note(m.Node, m.ID, lukasa.EntryMemory, m.Held())
	switch {
	case old == nil:
		return t.record("", store.OpCreate, m.ID, m.Node, nil, now)
	case store.SameMemory(old.MemoryState, now): // then it was not updated: no view of a moment could tell
		return t.Do("UPDATE memories SET updated_at = ?6 WHERE owner_id = ?1 AND id = ?5", m.ID, old.UpdatedAt)
	}
	return t.record("memories", store.OpUpdate, m.ID, m.Node, old.MemoryState, now)
}

// memoryRow is a memory wherever it stands.
type memoryRow struct {
	store.MemoryState
	buried bool
}

// memoryState returns a memory, nil if there is none.
func (t *Tx) memoryState(id lukasa.ID) (*memoryRow, error) {
	list, err := t.memories([]lukasa.ID{id}, "y.owner_id = ?1")
	if err != nil || len(list) == 0 {
		return nil, err
	}
	m := &memoryRow{MemoryState: store.MemoryState{Memory: list[0], Key: list[0].Key, SaidAt: store.SaidAt(&list[0])}}
	_, err = t.One(func(r sqlrows.Row) { m.buried = r.Bool(0) }, "SELECT buried_at > 0 FROM memories WHERE owner_id = ?1 AND id = ?5", id)
	return m, err
}

// putMemory writes a memory.
var putMemory = sqlrows.Upsert("memories", 5, `node_id kind content slot value subject confidence tags metadata entities origin extractor is_latest retired_by reason
 occurred_at valid_from valid_to recorded_at retired_at updated_at forget_after state key said_at`, "known_at")

// writeMemory writes a memory, and returns it as it is read then.
func (t *Tx) writeMemory(m lukasa.Memory) (is store.MemoryState, err error) {
	tags, err := sqlrows.List(m.Tags)
	if err != nil {
		return is, err
	}
	entities, err := sqlrows.List(m.Entities)
	if err != nil {
		return is, err
	}
	meta, err := sqlrows.Object(m.Metadata)
	if err != nil {
		return is, err
	}
	m.RecordedAt = t.orNow(m.RecordedAt)
	args := []any{
		m.ID, m.Node, m.Kind, m.Content, m.Slot, m.Value, m.Subject, m.Confidence, tags, meta, entities, m.Origin, m.Extractor, m.IsLatest,
		m.RetiredBy, m.Reason, m.OccurredAt, m.ValidFrom, m.ValidTo, m.RecordedAt, m.RetiredAt, t.orNow(m.UpdatedAt), m.ForgetAfter,
		m.State, m.Key, store.SaidAt(&m), t.now(),
	}
	is.Memory = store.ScanMemory(sqlrows.Written(slices.Insert(slices.Clone(args), 2, any(t.open[m.Node]))...)) // the path stands third
	is.Sources, is.Key, is.SaidAt = append(is.Sources, m.Sources...), is.Memory.Key, store.SaidAt(&is.Memory)
	return is, t.Later(sqlrows.First, putMemory, args...)
}

func (t *Tx) moveVectors(entry, node lukasa.ID) error {
	spaces, err := t.allSpaces()
	if err != nil {
		return err
	}
	for _, n := range spaces {
		if err := t.Do("UPDATE embeddings_"+itoa(n)+" SET node_id = ?6 WHERE owner_id = ?1 AND entry_id = ?5", entry, node); err != nil {
			return err
		}
	}
	return nil
}

// DeleteMemory implements [store.MemoryWriter].
func (t *Tx) DeleteMemory(id lukasa.ID) error {
	var gone lukasa.Removal
	return t.deleteMemory(id, &gone)
}

func (t *Tx) deleteMemory(id lukasa.ID, gone *lukasa.Removal) error {
	if _, err := found(t.Session, "memory", id, scanInt, "SELECT 1 FROM memories y WHERE y.id = ?5 AND "+t.within("y", "memories"), id); err != nil {
		return err
	}
	return t.dropMemories("SELECT id, node_id, retired_by FROM memories WHERE owner_id = ?1 AND id = ?5", id, gone)
}

// dropMemory removes a memory with sources and vectors and returns how many vectors went.
func (t *Tx) dropMemory(id, node lukasa.ID) (vectors int, err error) {
	if vectors, err = t.dropVectors(id); err != nil {
		return 0, err
	}
	if err := t.Do("DELETE FROM memory_sources WHERE owner_id = ?1 AND memory_id = ?5", id); err != nil {
		return 0, err
	}
	t.Note(node, id, lukasa.EntryMemory, true)
	return vectors, t.Do("DELETE FROM memories WHERE owner_id = ?1 AND id = ?5", id)
}
