package store

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
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

// Of is [MemoryReader].Superseded. It asks once, and again only where something is found.
func (x Succession) Of(sources []lukasa.Source) ([]Superseded, error) {
	var of [2][]string
	for _, src := range sources { // a plain text is taken apart sooner than JSON
		kind := 0
		if src.Message == "" {
			kind = 1
		}
		of[kind] = append(of[kind], fmt.Sprintf("%010d%010d%s", src.Start, src.End, SourceOf(src)))
	}
	var ids []lukasa.ID
	add := func(sql string, sources []string) error {
		if len(sources) == 0 {
			return nil
		}
		return x.Query(func(r Row) { ids = append(ids, lukasa.ID(r.Text(0))) }, sql, sqlrows.Set(sources))
	}
	for kind, column := range []string{"message_id", "document_id"} {
		if err := add(x.drawn(column), of[kind]); err != nil {
			return nil, err
		}
	}
	if x.Past {
		if err := add(x.drawnThen(), slices.Concat(of[0], of[1])); err != nil {
			return nil, err
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	by := map[lukasa.ID]lukasa.ID{}
	err := x.Query(func(r Row) {
		if old, now := lukasa.ID(r.Text(0)), lukasa.ID(r.Text(1)); by[old] == "" {
			by[old] = now
		}
	}, x.chain(), sqlrows.Set(ids))
	if err != nil {
		return nil, err
	}
	ids = ids[:0]
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
	return SourceOf(a) == SourceOf(b) && (a.Message == "") == (b.Message == "") && a.Start < b.End && b.Start < a.End
}

// replaced is the condition for memories y that are superseded, and gone that for those of them which do not lie in the trash.
const replaced = "y.is_latest = 0 AND y.retired_by <> '' AND "

func (x Succession) gone() string { return replaced + x.Visible("y", "memories") }

// chain is the statement that follows the memories ?5 to what holds now, through the trash: each once beside "" for every one that came after it
// and does not hold either, and beside the one that does. That is looked up for each row: joined, a view of a moment would be made ready for all memories.
func (x Succession) chain() string {
	const next = " CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = "
	return "WITH RECURSIVE chain(id, by_id) AS (SELECT y.id, y.retired_by FROM json_each(?5) j" + next + "j.value WHERE " + x.gone() +
		" UNION SELECT chain.id, y.retired_by FROM chain" + next + "chain.by_id WHERE " + replaced + x.Within("y", "memories") +
		") SELECT chain.id, coalesce((SELECT z.id FROM memories z WHERE z.owner_id = ?1 AND z.id = chain.by_id AND z.is_latest = 1 AND z.state = '' AND " +
		x.Visible("z", "memories") + "), '') FROM chain"
}

// drawn is the statement that finds the memories y that are superseded and are drawn from the sources ?5: the start and the end in ten digits
// each, and the id, which stands in the column. Where an owner has nothing that is superseded, one look into an index tells.
func (x Succession) drawn(column string) string {
	from := "json_each(?5) j CROSS JOIN main.memory_sources s" + overlap("s."+column, "s.start_at", "s.end_at") +
		" AND s.owner_id = ?1 AND s." + column + " <> ''" + x.of("s.memory_id")
	if x.Past {
		return "SELECT y.id FROM " + from
	}
	return "SELECT y.id FROM (SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM memories x INDEXED BY memories_retired WHERE x.owner_id = ?1 AND x.retired_by <> '')) g CROSS JOIN " + from
}

// drawnThen is the statement for memories that were there and have changed since the moment, and had other sources then, maybe. Most of them were
// not superseded, or of no text that is asked for: a look at their words and one into a set tell that first.
func (x Succession) drawnThen() string {
	const id = "coalesce(s.value ->> '$.message_id', s.value ->> '$.document_id')"
	return "SELECT y.id FROM memories_then t CROSS JOIN json_each(CASE WHEN CAST(t.was AS TEXT) LIKE '%\"retired_by\"%' THEN t.was END, '$.sources') s CROSS JOIN json_each(?5) j" +
		overlap(id, "CAST(s.value ->> '$.start' AS INTEGER)", "CAST(s.value ->> '$.end' AS INTEGER)") + x.of("t.id") +
		" AND t.owner_id = ?1 AND t.changed_at IS NOT NULL AND t.changed_at > " + x.Moment + " AND t.since <= " + x.Moment + " AND " + id + " IN (SELECT substr(value, 21) FROM json_each(?5))"
}

// overlap joins sources that have bytes in common with j, by the expressions for their text, start and end.
func overlap(id, start, end string) string {
	return " ON " + id + " = substr(j.value, 21) AND " + start + " < CAST(substr(j.value, 11, 10) AS INTEGER) AND " + end + " > CAST(substr(j.value, 1, 10) AS INTEGER)"
}

// of joins the memory y with an id, where it is superseded.
func (x Succession) of(id string) string {
	return " CROSS JOIN memories y ON y.owner_id = ?1 AND y.id = " + id + " WHERE y.state = '' AND " + x.gone()
}

// Apart leaves out by what memories were retired where that stands outside of the container that a scope is bound to, or lies in the trash:
// such a scope must not learn of it. What is left out becomes "".
func Apart(r Reader, sc lukasa.Scope, by ...*lukasa.ID) error {
	if by = slices.DeleteFunc(by, func(id *lukasa.ID) bool { return *id == "" }); sc.Root == "" || len(by) == 0 {
		return nil
	}
	ids := make([]lukasa.ID, len(by))
	for i, id := range by {
		ids[i] = *id
	}
	there, err := r.MemoriesByID(ids)
	for _, id := range by {
		if !slices.ContainsFunc(there, func(m lukasa.Memory) bool { return m.ID == *id }) {
			*id = ""
		}
	}
	return err
}
