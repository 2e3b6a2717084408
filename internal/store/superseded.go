package store

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/lukasa-memory/lukasa"
)

// Superseded is a memory that something newer took the place of.
type Superseded struct {
	Memory lukasa.Memory
	By     *lukasa.Memory // what holds now, at the end of the chain; nil where that is nothing, or nothing that the scope sees
}

// Succession is a session in which a driver looks for what has been superseded.
type Succession struct {
	Statements
	Sight
	Past     bool   // it is a view of a moment
	Moment   string // the expression for that, in microseconds
	Memories func(ids []lukasa.ID) ([]lukasa.Memory, error)
}

// Of is [MemoryReader].Superseded. It asks once, and again only for the memories that it found.
func (x Succession) Of(sources []lukasa.Source) ([]Superseded, error) {
	if len(sources) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(sources)
	if err != nil {
		return nil, err
	}
	by := map[lukasa.ID]lukasa.ID{}
	err = x.Query(func(r Row) {
		if old, now := lukasa.ID(r.Text(0)), lukasa.ID(r.Text(1)); by[old] == "" {
			by[old] = now
		}
	}, x.sql(), string(list))
	if err != nil || len(by) == 0 {
		return nil, err
	}
	var ids []lukasa.ID
	for old, now := range by {
		if ids = append(ids, old); now != "" {
			ids = append(ids, now)
		}
	}
	slices.Sort(ids)
	found, err := x.Memories(slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	there := map[lukasa.ID]*lukasa.Memory{}
	for i := range found {
		there[found[i].ID] = &found[i]
	}
	var out []Superseded
	for old, now := range by {
		if m := there[old]; m != nil && slices.ContainsFunc(m.Sources, func(a lukasa.Source) bool {
			return slices.ContainsFunc(sources, func(b lukasa.Source) bool { return Overlap(a, b) })
		}) {
			out = append(out, Superseded{*m, there[now]})
		}
	}
	slices.SortFunc(out, func(a, b Superseded) int { return cmp.Compare(a.Memory.ID, b.Memory.ID) })
	return out, nil
}

// Overlap reports whether two pieces of evidence have bytes of one text in common.
func Overlap(a, b lukasa.Source) bool {
	return SourceOf(a) == SourceOf(b) && a.Start < b.End && b.Start < a.End
}

// sql is the statement that finds the memories y that were drawn from the sources ?5 and are superseded, each once beside "" for every one
// that came after it and does not hold either, and beside the one that does.
func (x Succession) sql() string {
	gone := " WHERE y.is_latest = 0 AND y.retired_by <> '' AND " + x.Visible("y", "memories")
	return "WITH RECURSIVE chain(id, by_id) AS (SELECT y.id, y.retired_by FROM (" + x.drawn() + ") k CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = k.id" + gone + " AND y.state = ''" +
		" UNION SELECT c.id, y.retired_by FROM chain c CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = c.by_id" + gone +
		") SELECT c.id, coalesce(z.id, '') FROM chain c LEFT JOIN memories z ON z.owner_id = ?1 AND z.id = c.by_id AND z.is_latest = 1 AND z.state = '' AND " +
		x.Visible("z", "memories")
}

// drawn selects the ids of the memories that may have been drawn from the sources ?5. Where an owner has none that is superseded, which costs one
// look into an index to know, it selects nothing.
func (x Succession) drawn() string {
	if x.Past { // a memory may have had sources that it has no more
		return `SELECT s.memory_id AS id FROM json_each(?5) j CROSS JOIN main.memory_sources s ON s.owner_id = ?1 AND s.message_id = j.value ->> '$.message_id' AND s.message_id <> ''
UNION SELECT s.memory_id FROM json_each(?5) j CROSS JOIN main.memory_sources s ON s.owner_id = ?1 AND s.document_id = j.value ->> '$.document_id' AND s.document_id <> ''
UNION SELECT y.id FROM main.memories r CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = r.id WHERE r.owner_id = ?1 AND r.changed_at IS NOT NULL
 AND r.changed_at > ` + x.Moment + " AND y.is_latest = 0 AND y.retired_by <> ''"
	}
	const there = ` AND s.start_at < CAST(j.value ->> '$.end' AS INTEGER) AND s.end_at > CAST(j.value ->> '$.start' AS INTEGER)
WHERE EXISTS (SELECT 1 FROM memories x INDEXED BY memories_retired WHERE x.owner_id = ?1 AND x.retired_by <> '')`
	return "SELECT s.memory_id AS id FROM json_each(?5) j CROSS JOIN memory_sources s ON s.owner_id = ?1 AND s.message_id = j.value ->> '$.message_id' AND s.message_id <> ''" + there +
		" UNION SELECT s.memory_id FROM json_each(?5) j CROSS JOIN memory_sources s ON s.owner_id = ?1 AND s.document_id = j.value ->> '$.document_id' AND s.document_id <> ''" + there
}
