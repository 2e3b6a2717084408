package store

import "github.com/lukasa-memory/lukasa"

// Tally is a session in which a driver counts what the scope sees.
type Tally struct {
	Statements
	Visible func(alias, table string) string // the condition for rows of a table
}

// Stats is [ChunkReader].Stats. Documents are those that a listing shows: latest versions, without the segments of conversations;
// chunks, messages and bytes are counted wherever they stand.
func (y Tally) Stats() (lukasa.Stats, error) {
	st := lukasa.Stats{ByStatus: map[string]int{}, ByType: map[string]int{}}
	err := y.Query(func(r Row) {
		n := int(r.Int64(3))
		if r.Int64(2) != 0 {
			st.Documents += n
			st.ThisWeek += int(r.Int64(4))
			st.ByStatus[r.Text(0)] += n
			st.ByType[r.Text(1)] += n
		}
		st.Chunks += int(r.Int64(5))
		st.Embedded += int(r.Int64(6))
		st.Bytes += r.Int64(7)
	}, `SELECT d.status, d.content_type, d.is_latest = 1 AND d.segment_of = '', count(*), count(*) FILTER (WHERE d.created_at >= ?5), sum(d.chunk_count), sum(d.embedded_count), sum(d.size)
FROM documents d WHERE `+y.Visible("d", "documents")+" GROUP BY 1, 2, 3", y.Now().AddDate(0, 0, -7))
	if err != nil {
		return st, err
	}
	err = y.Query(func(r Row) {
		st.Memories, st.Messages, st.Conversations, st.Nodes = int(r.Int64(0)), int(r.Int64(1)), int(r.Int64(2)), int(r.Int64(3))
		st.Bytes += r.Int64(4)
	}, "SELECT (SELECT count(*) FROM memories y WHERE y.is_latest = 1 AND "+Recalled+" AND "+y.Visible("y", "memories")+
		"), (SELECT count(*) FROM documents d CROSS JOIN messages m ON m.owner_id = ?1 AND m.document_id = d.id WHERE d.segment_of <> '' AND "+y.Visible("d", "documents")+"), (SELECT count(*) FROM conversations v WHERE "+y.Visible("v", "conversations")+
		"), (SELECT count(*) FROM nodes n WHERE n.depth > 0 AND "+y.Visible("n", "nodes")+
		"), (SELECT coalesce(sum(f.sealed_size), 0) FROM files f JOIN documents d ON d.owner_id = f.owner_id AND d.id = f.document_id WHERE "+y.Visible("d", "documents")+")")
	if st.Chunks > 0 {
		st.Coverage = float64(st.Embedded) / float64(st.Chunks)
	}
	return st, err
}
