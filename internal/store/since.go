package store

import (
	"reflect"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// sinceStep is how many entries are compared at a time.
const sinceStep = 500

// Past is a view of a moment in which a driver looks for what has changed since. Statements name the rows of the moment as ever, and
// those of today by "main.".
type Past struct {
	Statements
	Moment  string                    // the expression for it, in microseconds
	Within  func(alias string) string // the condition for rows that the scope reads
	Entries func(q EntryQuery, ids []lukasa.ID, fn func(lukasa.Entry)) error
}

// Since is [ChunkReader].Since, with the number of the space's table.
func (p Past) Since(nodes []lukasa.ID, vectors int, yield func(id lukasa.ID, was *lukasa.Entry) bool) error {
	var ids []lukasa.ID
	if err := p.Query(func(r Row) { ids = append(ids, lukasa.ID(r.Text(0))) }, p.changed(), sqlrows.Set(nodes)); err != nil {
		return err
	}
	for some := range slices.Chunk(ids, sinceStep) {
		was, is := map[lukasa.ID]*lukasa.Entry{}, map[lukasa.ID]*lukasa.Entry{}
		if err := p.Entries(EntryQuery{Vectors: vectors}, some, func(e lukasa.Entry) { was[e.ID] = &e }); err != nil {
			return err
		}
		if err := p.Entries(EntryQuery{Schema: "main."}, some, func(e lukasa.Entry) { is[e.ID] = &e }); err != nil {
			return err
		}
		if err := p.keepVectors(was, is); err != nil {
			return err
		}
		for _, id := range some {
			if !sameEntry(was[id], is[id]) && !yield(id, was[id]) {
				return nil
			}
		}
	}
	return nil
}

// changed selects the ids that entries in the nodes ?5 have, or had at the moment, whose records have changed since. Those of a record that
// came after the moment are left out, as an index sees by their times that they were not there; so are those of a document of which
// nothing else has changed than what its entries do not say, as its summary.
func (p Past) changed() string {
	in := func(alias string) string {
		return alias + ".node_id IN (SELECT value FROM json_each(?5)) AND " + p.Within(alias)
	}
	since := func(made string) string {
		return " WHERE r.owner_id = ?1 AND r.changed_at IS NOT NULL AND r.changed_at > " + p.Moment + " AND (r." + made + " <= " + p.Moment +
			" OR r.known_at <= " + p.Moment + ") AND " + in("r")
	}
	const (
		ofDocument = " c ON c.owner_id = ?1 AND c.document_id = r.id"
		ofMessage  = " c ON c.owner_id = ?1 AND c.message_id = r.id AND c.message_id <> ''"
		documents  = " UNION SELECT c.id FROM main.documents r CROSS JOIN main."
		same       = ` AND NOT EXISTS (SELECT 1 FROM documents w WHERE w.owner_id = ?1 AND w.id = r.id AND w.title = r.title AND w.content_type = r.content_type
 AND w.origin = r.origin AND w.language = r.language AND w.is_latest = r.is_latest AND w.occurred_at IS NOT DISTINCT FROM r.occurred_at
 AND coalesce(w.tags, '[]') = coalesce(r.tags, '[]') AND coalesce(w.metadata, '{}') = coalesce(r.metadata, '{}') AND (w.buried_at = 0) = (r.buried_at = 0)
 AND (r.segment_of <> '' OR w.content_hash = r.content_hash AND (w.chunk_count > 1) = (r.chunk_count > 1)))`
	)
	gone := " AND c.gone_at > " + p.Moment
	return "SELECT r.id FROM main.memories r" + since("recorded_at") +
		" UNION SELECT r.id FROM main.documents r" + since("created_at") + " AND r.summary_entry = 1" +
		documents + "chunks" + ofDocument + since("created_at") + same +
		documents + "chunks" + ofDocument + since("created_at") + " AND r.segment_of = '' AND c.known_at > " + p.Moment +
		documents + "old_chunks" + ofDocument + gone + since("created_at") +
		" UNION SELECT c.id FROM main.messages r CROSS JOIN main.chunks" + ofMessage + since("created_at") +
		" UNION SELECT c.id FROM main.old_chunks c WHERE c.owner_id = ?1" + gone + " AND " + in("c")
}

// keepVectors takes from entries of then the vectors that are not of their texts. What is no entry today may have kept its own.
func (p Past) keepVectors(was, is map[lukasa.ID]*lukasa.Entry) error {
	var left []lukasa.ID
	compare := func(e *lukasa.Entry, text, title string) {
		if e.Text != text || e.Type == lukasa.EntryDocument && e.Title != title {
			e.Vector = nil
		}
	}
	for id, e := range was {
		if now := is[id]; now != nil {
			compare(e, now.Text, now.Title)
		} else {
			left = append(left, id)
		}
	}
	return p.Query(func(r Row) { compare(was[lukasa.ID(r.Text(0))], r.Text(1), r.Text(2)) },
		`SELECT c.id, c.content, '' FROM json_each(?5) j CROSS JOIN main.chunks c ON c.owner_id = ?1 AND c.id = j.value
UNION ALL SELECT y.id, y.content, '' FROM json_each(?5) j CROSS JOIN main.memories y ON y.owner_id = ?1 AND y.id = j.value
UNION ALL SELECT d.id, d.summary, d.title FROM json_each(?5) j CROSS JOIN main.documents d ON d.owner_id = ?1 AND d.id = j.value`, sqlrows.Set(left))
}

// sameEntry compares two entries but for their vectors; nil is none.
func sameEntry(a, b *lukasa.Entry) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := *a, *b
	x.Vector, y.Vector = nil, nil
	return reflect.DeepEqual(x, y)
}
