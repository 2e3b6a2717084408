package store

import (
	"reflect"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rows"
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
	if err := p.Query(func(r Row) { ids = append(ids, lukasa.ID(r.Text(0))) }, p.changed(), rows.Set(nodes)); err != nil {
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
		if err := p.keepVectors(was, some); err != nil {
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

// changed selects the ids that entries in the nodes ?5 have, or had at the moment, whose records have changed since.
func (p Past) changed() string {
	in := func(alias string) string {
		return alias + ".node_id IN (SELECT value FROM json_each(?5)) AND " + p.Within(alias)
	}
	since := " WHERE r.owner_id = ?1 AND r.changed_at IS NOT NULL AND r.changed_at > " + p.Moment + " AND " + in("r")
	const (
		ofDocument = " c ON c.owner_id = ?1 AND c.document_id = r.id"
		ofMessage  = " c ON c.owner_id = ?1 AND c.message_id = r.id AND c.message_id <> ''"
	)
	gone := " AND c.gone_at > " + p.Moment
	return "SELECT r.id FROM main.memories r" + since + " UNION SELECT r.id FROM main.documents r" + since + " AND r.summary_entry = 1" +
		" UNION SELECT c.id FROM main.documents r CROSS JOIN main.chunks" + ofDocument + since +
		" UNION SELECT c.id FROM main.documents r CROSS JOIN main.old_chunks" + ofDocument + gone + since +
		" UNION SELECT c.id FROM main.messages r CROSS JOIN main.chunks" + ofMessage + since +
		" UNION SELECT c.id FROM main.old_chunks c WHERE c.owner_id = ?1" + gone + " AND " + in("c")
}

// keepVectors takes from entries of then the vectors that are not of their texts.
func (p Past) keepVectors(was map[lukasa.ID]*lukasa.Entry, ids []lukasa.ID) error {
	same := make(map[lukasa.ID]bool, len(was))
	err := p.Query(func(r Row) {
		e := was[lukasa.ID(r.Text(0))]
		same[lukasa.ID(r.Text(0))] = e != nil && e.Text == r.Text(1) && (e.Type != lukasa.EntryDocument || e.Title == r.Text(2))
	}, `SELECT c.id, c.content, '' FROM json_each(?5) j CROSS JOIN main.chunks c ON c.owner_id = ?1 AND c.id = j.value
UNION ALL SELECT y.id, y.content, '' FROM json_each(?5) j CROSS JOIN main.memories y ON y.owner_id = ?1 AND y.id = j.value
UNION ALL SELECT d.id, d.summary, d.title FROM json_each(?5) j CROSS JOIN main.documents d ON d.owner_id = ?1 AND d.id = j.value`, rows.Set(ids))
	for id, e := range was {
		if !same[id] {
			e.Vector = nil
		}
	}
	return err
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
