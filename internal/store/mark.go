package store

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// Recalled is the condition for memories y that are entries.
const Recalled = "y.buried_at = 0 AND y.state NOT IN ('quarantined', 'candidate')"

// Mark says what records have to do with: whom they mention or are linked with, at what kinds of edges they stand, or what they are
// about. Topics are asked for alone.
type Mark struct {
	Entities []string          // ids of entities; or names, which are looked for in memories alone
	Types    []lukasa.EdgeType // an edge of one of these types: to one of the entities, if there are any
	Topics   []string          // ignoring case
}

// Sight is what a scope sees, as SQL.
type Sight struct {
	Visible func(alias, table string) string                          // the condition for rows of a table
	Within  func(alias, table string) string                          // the same with those that lie in the trash
	Edges   func() string                                             // the condition for edges e that are there and of which both ends are seen
	Chunks  func(query func(table string) string, _ ...string) string // a query over the tables that hold chunks
}

// Memories adds the conditions of a filter on memories y, but for the containers.
func (v Sight) Memories(c *sqlrows.Conditions, f lukasa.MemoryFilter) {
	if f.Slot != "" {
		c.Add("y.slot = ?? AND y.slot <> ''", f.Slot)
	}
	if f.Key != "" {
		c.Add("y.key = ?? AND y.key <> ''", f.Key)
	}
	if f.Subject != "" {
		c.Add("y.subject = ??", f.Subject)
	}
	if f.State != nil {
		c.Add("y.state = ??", *f.State)
	} else {
		c.Add(Recalled)
	}
	if f.ValidAt != nil {
		c.Add(trueFrom+" <= ?? AND (y.valid_to IS NULL OR y.valid_to > ??)", *f.ValidAt)
	}
	if f.ValidFrom != nil {
		c.Add("(y.valid_to IS NULL OR y.valid_to > ??)", *f.ValidFrom)
	}
	if f.ValidTo != nil {
		c.Add(trueFrom+" < ??", *f.ValidTo)
	}
	sqlrows.Among(c, "y.kind", f.Kinds)
	sqlrows.Tagged(c, "y.tags", f.Tags)
	if f.Latest != nil {
		c.Add("y.is_latest = ??", *f.Latest)
	}
	if f.Document != "" {
		c.Add(`y.id IN (SELECT memory_id FROM memory_sources WHERE owner_id = ?1 AND document_id = ?? AND document_id <> ''
UNION SELECT s.memory_id FROM messages m CROSS JOIN memory_sources s ON s.owner_id = ?1 AND s.message_id = m.id AND s.message_id <> '' WHERE m.owner_id = ?1 AND m.document_id = ??)`, f.Document)
	}
	c.Between("coalesce(y.occurred_at, y.recorded_at)", f.After, f.Before)
	c.Between("y.recorded_at", f.CreatedFrom, f.CreatedUntil)
	if len(f.Topics) > 0 {
		c.Add(v.marked(c, Mark{Topics: f.Topics}))
	}
	if len(f.Relations) > 0 {
		c.Add(v.related(c, f))
	} else if len(f.Entities) > 0 {
		c.Add(v.marked(c, Mark{Entities: f.Entities}))
	}
}

// trueFrom is when a memory y came to be true, as far as that is known: see [TrueAt].
const trueFrom = "coalesce(y.valid_from, y.said_at, y.recorded_at)"

// Marked is the statement that lists what has a mark, the newest first: the ids of entries and of documents all of whose entries have it.
func (v Sight) Marked(c *sqlrows.Conditions, nodes []lukasa.ID, m Mark, limit int) string {
	in := bind(c, sqlrows.Set(nodes))
	within := func(alias, table string) string {
		return v.Visible(alias, table) + " AND " + alias + ".node_id IN (SELECT value FROM json_each(" + in + "))"
	}
	parts := []string{"SELECT y.id AS id, coalesce(y.occurred_at, y.recorded_at) AS stamp FROM memories y WHERE " + Recalled + " AND " + within("y", "memories") + " AND " + v.marked(c, m)}
	documents := "SELECT d.id AS id, coalesce(d.occurred_at, d.created_at) AS stamp FROM documents d WHERE " + within("d", "documents") + " AND "
	if len(m.Topics) > 0 {
		parts = append(parts, documents+about("d", sqlrows.Want(c, m.Topics)))
	} else if at := v.linked(c, m); at != "" {
		parts = append(parts, documents+"d.id IN ("+at+")", v.Chunks(func(table string) string {
			return "SELECT c.id AS id, coalesce(m.time, m.created_at) AS stamp FROM messages m CROSS JOIN " + table +
				" c ON c.owner_id = ?1 AND c.message_id = m.id AND c.message_id <> '' WHERE " + within("m", "messages") + " AND m.id IN (" + at + ")"
		}))
	}
	return "SELECT id FROM (" + strings.Join(parts, " UNION ALL ") + ") x GROUP BY id ORDER BY max(stamp) DESC, id LIMIT " + bind(c, limit)
}

// bind adds an argument and returns its parameter.
func bind(c *sqlrows.Conditions, arg any) string {
	c.Args = append(c.Args, arg)
	return c.Last()
}

// marked is the condition for memories y that have a mark.
func (v Sight) marked(c *sqlrows.Conditions, m Mark) string {
	if len(m.Topics) > 0 {
		topics := sqlrows.Want(c, m.Topics)
		of := ".document_id IN (SELECT d.id FROM documents d WHERE " + v.Visible("d", "documents") + " AND " + about("d", topics) + ")"
		return "(" + topics.In("y.tags") + " OR y.id IN (SELECT s.memory_id FROM memory_sources s WHERE s.owner_id = ?1 AND s.document_id <> '' AND s" + of + ") OR y.id IN (" +
			"SELECT s.memory_id FROM messages m JOIN memory_sources s ON s.owner_id = m.owner_id AND s.message_id = m.id AND s.message_id <> '' WHERE m.owner_id = ?1 AND m" + of + "))"
	}
	ids, names := named(m.Entities)
	var some []string
	if at := v.linked(c, m); at != "" && (len(ids) > 0 || len(names) == 0) {
		some = append(some, "y.id IN ("+at+")")
	}
	if len(names) > 0 {
		cond := sqlrows.Want(c, names).In("y.entities")
		if len(m.Types) > 0 {
			cond += " AND " + v.marked(c, Mark{Types: m.Types})
		}
		some = append(some, cond)
	}
	for _, t := range m.Types {
		switch {
		case t == lukasa.EdgeRelatesTo && (len(ids) > 0 || len(names) == 0): // what tells that two entities are related
			cond := "e.owner_id = ?1 AND e.type = 'relates_to' AND " + v.Edges()
			if len(ids) > 0 {
				of := bind(c, sqlrows.Set(ids))
				cond += " AND (e.source_id IN (SELECT value FROM json_each(" + of + ")) OR e.target_id IN (SELECT value FROM json_each(" + of + ")))"
			}
			some = append(some, "y.id IN (SELECT e.metadata ->> '$.memory_id' FROM edges e WHERE "+cond+")")
		case len(m.Entities) > 0:
		case t == lukasa.EdgeDerives: // from its sources
			some = append(some, "EXISTS (SELECT 1 FROM memory_sources s WHERE s.owner_id = y.owner_id AND s.memory_id = y.id)")
		case t == lukasa.EdgeUpdates: // what it took the place of, or what took its place
			some = append(some, "y.id IN (SELECT z.retired_by FROM memories z WHERE z.retired_by <> '' AND "+v.Visible("z", "memories")+")",
				"y.retired_by <> '' AND EXISTS (SELECT 1 FROM memories z WHERE z.id = y.retired_by AND "+v.Visible("z", "memories")+")")
		}
	}
	return "(" + strings.Join(some, " OR ") + ")"
}

// related is the condition for memories y that stand at an edge of a type, or say of their subject what a relation is called.
func (v Sight) related(c *sqlrows.Conditions, f lukasa.MemoryFilter) string {
	types, words := Relations(f.Relations)
	var some []string
	if len(types) > 0 {
		some = append(some, v.marked(c, Mark{Entities: f.Entities, Types: types}))
	}
	if len(words) > 0 {
		cond := "y.metadata ->> '$.predicate' IN (SELECT value FROM json_each(" + bind(c, sqlrows.Set(words)) + "))"
		if len(f.Entities) > 0 {
			cond += " AND " + v.marked(c, Mark{Entities: f.Entities})
		}
		some = append(some, cond)
	}
	return "(" + strings.Join(some, " OR ") + ")"
}

// linked selects the ids of the records at the other end of edges; "" where no entity is given by its id and no type either.
func (v Sight) linked(c *sqlrows.Conditions, m Mark) string {
	cond := " AND " + v.Edges()
	if len(m.Types) > 0 {
		cond += " AND e.type IN (SELECT value FROM json_each(" + bind(c, sqlrows.Set(m.Types)) + "))"
	}
	ids, names := named(m.Entities)
	switch {
	case len(ids) > 0:
		of := " FROM json_each(" + bind(c, sqlrows.Set(ids)) + ") j CROSS JOIN edges e ON e.owner_id = ?1 AND e."
		return "SELECT e.source_id" + of + "target_id = j.value WHERE 1 = 1" + cond + " UNION SELECT e.target_id" + of + "source_id = j.value WHERE 1 = 1" + cond
	case len(names) > 0 || len(m.Types) == 0:
		return ""
	}
	return "SELECT e.source_id FROM edges e WHERE e.owner_id = ?1" + cond + " UNION SELECT e.target_id FROM edges e WHERE e.owner_id = ?1" + cond
}

// about is the condition for documents that have one of the topics among their own or their tags.
func about(alias string, topics sqlrows.Wanted) string {
	return "(" + topics.In(alias+".kw_topics") + " OR " + topics.In(alias+".tags") + ")"
}

// named tells ids of entities from names.
func named(entities []string) (ids, names []string) {
	for _, e := range entities {
		if lukasa.ID(e).Prefix() == lukasa.PrefixEntity {
			ids = append(ids, e)
		} else {
			names = append(names, e)
		}
	}
	return ids, names
}

// Relations tells types of edges from what statements say of their subjects.
func Relations(list []string) (types []lukasa.EdgeType, words []string) {
	for _, r := range list {
		switch t := lukasa.EdgeType(r); t {
		case lukasa.EdgeContains, lukasa.EdgeRelatesTo, lukasa.EdgeMentions, lukasa.EdgeDiscussedIn, lukasa.EdgeUpdates, lukasa.EdgeExtends, lukasa.EdgeDerives,
			lukasa.EdgeSupersedes, lukasa.EdgeReferences, lukasa.EdgePrecedes:
			types = append(types, t)
		default:
			words = append(words, r)
		}
	}
	return types, words
}
