package sqlstore

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// ends are what an edge may begin or end at: the prefix of ids, the table, and what is the node there. An entity has none: it is seen where a mention is.
var ends = []struct{ kind, table, node string }{
	{string(lukasa.PrefixDocument), "documents", "node_id"},
	{string(lukasa.PrefixMemory), "memories", "node_id"},
	{string(lukasa.PrefixMessage), "messages", "node_id"},
	{string(lukasa.PrefixConversation), "conversations", "node_id"},
	{string(lukasa.PrefixNode), "nodes", "id"},
}

// recordSeen is the condition that the scope sees the record at an end (source or target) of an edge; with nodes, that it stands in one of these. As
// an edge goes with its ends, a scope that sees all of its owner need not ask while nothing is buried.
func (s *Session) recordSeen(edge, end, entity, nodes string) string {
	if s.sc.Root == "" && !s.past && nodes == "" && !s.trash() {
		return "CASE " + edge + "." + end + "_kind WHEN 'ent' THEN " + entity + " ELSE TRUE END"
	}
	var cases strings.Builder
	for _, e := range ends {
		cases.WriteString(" WHEN '" + e.kind + "' THEN EXISTS (SELECT 1 FROM " + e.table + " x WHERE x.id = " + edge + "." + end + "_id" + strings.Replace(nodes, "NODE", e.node, 1) + " AND " + s.visible("x", e.table) + ")")
	}
	return "CASE " + edge + "." + end + "_kind" + cases.String() + " ELSE " + entity + " END"
}

// mentions is what selects the mentions w of an entity that the scope sees, in some nodes or wherever they are.
func (s *Session) mentions(entity, nodes string) string {
	return "FROM edges w WHERE w.owner_id = ?1 AND w.target_id = " + entity + " AND w.type = 'mentions' AND w.gone_at IS NULL AND " + s.recordSeen("w", "source", "FALSE", nodes)
}

// edgeSeen is the condition for edges e that are there and of which the scope sees both ends.
func (s *Session) edgeSeen() string {
	return "e.gone_at IS NULL AND " + s.recordSeen("e", "source", "EXISTS (SELECT 1 "+s.mentions("e.source_id", "")+")", "") +
		" AND " + s.recordSeen("e", "target", "(e.type = 'mentions' OR EXISTS (SELECT 1 "+s.mentions("e.target_id", "")+"))", "")
}

// entityColumns are those of an entity a that is seen: how often, or just that it is mentioned.
func (s *Session) entityColumns(count bool, nodes string) string {
	of := s.mentions("a.id", nodes)
	n := map[bool]string{true: "(SELECT count(*) " + of + ")", false: "CASE WHEN EXISTS (SELECT 1 " + of + ") THEN 1 ELSE 0 END"}[count]
	return "a.id, a.kind, a.name, a.aliases, a.created_at, a.updated_at, " + n + " AS mentions"
}

// EntitiesByID implements [store.GraphReader]. They come in the order asked for.
func (s *Session) EntitiesByID(ids []lukasa.ID) ([]lukasa.Entity, error) {
	return s.entities(ids, true)
}

// KnownByID implements [store.GraphReader].
func (s *Session) KnownByID(ids []lukasa.ID) ([]lukasa.Entity, error) { return s.entities(ids, false) }

func (s *Session) entities(ids []lukasa.ID, count bool) ([]lukasa.Entity, error) {
	return sqlrows.Of(&s.Session, ids, store.ScanEntity[sqlrows.Row], func() string {
		return "SELECT * FROM (SELECT " + s.entityColumns(count, "") +
			", j.key FROM json_each(?5) j CROSS JOIN entities a ON a.owner_id = ?1 AND a.id = j.value WHERE a.gone_at IS NULL) x WHERE mentions > 0 ORDER BY key"
	})
}

// EntitiesNamed implements [store.GraphReader]. They come in the order of the names.
func (s *Session) EntitiesNamed(names []string) ([]lukasa.Entity, error) { return s.named(names, true) }

// Known implements [store.GraphReader].
func (s *Session) Known(names []string) ([]lukasa.Entity, error) { return s.named(names, false) }

func (s *Session) named(names []string, count bool) ([]lukasa.Entity, error) {
	folded := make([]string, len(names))
	for i, n := range names {
		folded[i] = fold(n)
	}
	ids, err := s.ids(`SELECT f.entity_id FROM json_each(?5) j CROSS JOIN entity_names f ON f.owner_id = ?1 AND f.folded = j.value
GROUP BY f.entity_id ORDER BY min(j.key), f.entity_id`, sqlrows.Set(folded))
	if err != nil {
		return nil, err
	}
	return s.entities(ids, count)
}

// fold makes names comparable.
func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Entities implements [store.GraphReader].
func (s *Session) Entities(in []lukasa.Pattern, kind, text string, p lukasa.Page) (list lukasa.Listing[lukasa.Entity], err error) {
	c, nodes := where("a.owner_id = ?1 AND a.gone_at IS NULL"), ""
	if len(in) > 0 {
		ids, err := s.patternNodes(in)
		if err != nil {
			return list, err
		}
		c.Args = append(c.Args, sqlrows.Set(ids))
		nodes = " AND x.NODE IN (SELECT value FROM json_each(" + c.Last() + "))"
	}
	if kind != "" {
		c.Add("a.kind = ??", kind)
	}
	if text = fold(text); text != "" {
		c.Add("EXISTS (SELECT 1 FROM entity_names f WHERE f.owner_id = ?1 AND f.entity_id = a.id AND instr(f.folded, ??) > 0)", text)
	}
	from := " FROM entities a WHERE " + c.Where() + " LIMIT 9223372036854775807) a" // without a limit SQLite would count as often as the number is named
	some := sqlrows.Conditions{Fixed: c.Fixed, Args: c.Args}
	some.Add("a.mentions > 0")
	at, next, total, err := s.stretch(sqlrows.Stretch{Kind: 'e', From: "(SELECT " + s.entityColumns(true, nodes) + from, Counted: "(SELECT " + s.entityColumns(false, nodes) + from, Key: "a.mentions", ID: "a.id", Descending: true}, some, p)
	if err != nil {
		return list, err
	}
	ids := make([]lukasa.ID, len(at))
	for i := range at {
		ids[i] = lukasa.ID(at[i].ID)
	}
	list.Next, list.Total = next, total
	list.Items, err = s.entities(ids, false)
	for i := range list.Items { // the order has told how often
		list.Items[i].Mentions = sqlrows.Row{at[i].Key}.Int(0)
	}
	return list, err
}

// Edges implements [store.GraphReader]. Of equal weight, the more certain comes first.
func (s *Session) Edges(of []lukasa.ID, types []lukasa.EdgeType, limit int) ([]lukasa.Edge, error) {
	list := []lukasa.Edge{}
	if limit <= 0 || len(of) == 0 {
		return list, nil
	}
	of = slices.Compact(slices.Sorted(slices.Values(of)))
	part := func(end string) string {
		return "SELECT " + store.EdgeColumns + " FROM json_each(?5) j CROSS JOIN edges e ON e.owner_id = ?1 AND e." + end +
			" = j.value WHERE (?6 = '[]' OR e.type IN (SELECT value FROM json_each(?6))) AND " + s.edgeSeen()
	}
	// A bare parameter behind LIMIT makes SQLite prepare the statement again at every run, which takes longer than running this one.
	err := sqlrows.Into(&s.Session, &list, store.ScanEdge[sqlrows.Row], part("source_id")+" UNION ALL "+part("target_id")+" AND e.source_id NOT IN (SELECT value FROM json_each(?5)) ORDER BY 4 DESC, 5 DESC, 1, 2, 3 LIMIT 0 + ?7", sqlrows.Set(of), sqlrows.Set(types), limit)
	return list, err
}

// Stands implements [store.GraphReader].
func (s *Session) Stands(ids []lukasa.ID) ([]store.Stand, error) {
	part := func(kind lukasa.Prefix, table, document string) string {
		return "SELECT x.id, x.node_id, " + document + " FROM json_each(?5) j CROSS JOIN " + table + " x ON x.owner_id = ?1 AND x.id = j.value WHERE substr(j.value, 1, 4) = '" +
			string(kind) + "_' AND " + s.visible("x", table)
	}
	scan := func(r sqlrows.Row) store.Stand {
		return store.Stand{ID: scanID(r), Node: lukasa.ID(r.Text(1)), Document: lukasa.ID(r.Text(2))}
	}
	return sqlrows.Of(&s.Session, ids, scan, func() string {
		return part(lukasa.PrefixMemory, "memories", "''") + " UNION ALL " + part(lukasa.PrefixMessage, "messages", "x.document_id") + " UNION ALL " + part(lukasa.PrefixDocument, "documents", "''")
	})
}

// PutEntity implements [store.GraphWriter]. It is seen once something that the scope sees mentions it.
func (t *Tx) PutEntity(e lukasa.Entity) error {
	if t.sc.Owner == "" {
		return lukasa.NotFound("entity", e.ID)
	}
	name := fold(e.Name)
	if name == "" {
		return lukasa.Invalid("name", "is empty")
	}
	if err := sqlrows.All(t.owned, func() error { return t.entityWritable(e.ID, true) }); err != nil {
		return err
	}
	switch taken, err := t.Has("SELECT 1 FROM entities WHERE owner_id = ?1 AND kind = ?5 AND name_fold = ?6 AND gone_at IS NULL AND id <> ?7", e.Kind, name, e.ID); {
	case err != nil:
		return err
	case taken:
		return lukasa.Errorf(lukasa.CodeConflict, "there is another %s called %q", e.Kind, e.Name)
	}
	aliases, err := sqlrows.List(e.Aliases)
	if err != nil {
		return err
	}
	if err := t.Do(`INSERT INTO entities (owner_id, id, kind, name, name_fold, aliases, created_at, updated_at, known_at) VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
ON CONFLICT (owner_id, id) DO UPDATE SET kind = excluded.kind, name = excluded.name, name_fold = excluded.name_fold, aliases = excluded.aliases,
 created_at = excluded.created_at, updated_at = excluded.updated_at, gone_at = NULL`,
		e.ID, e.Kind, e.Name, name, aliases, t.orNow(e.CreatedAt), t.orNow(e.UpdatedAt), t.now()); err != nil {
		return err
	}
	if err := t.Do("DELETE FROM entity_names WHERE owner_id = ?1 AND entity_id = ?5", e.ID); err != nil {
		return err
	}
	for _, n := range append([]string{name}, e.Aliases...) {
		if n = fold(n); n == "" {
			continue
		}
		if err := t.Do("INSERT INTO entity_names (owner_id, folded, entity_id) VALUES (?1, ?5, ?6) ON CONFLICT DO NOTHING", n, e.ID); err != nil {
			return err
		}
	}
	return nil
}

// entityWritable returns an error unless the scope may write to an entity: it sees it, or nothing mentions it yet.
func (t *Tx) entityWritable(id lukasa.ID, orNew bool) error {
	var mentioned, seen, gone bool
	there, err := t.One(func(r sqlrows.Row) { mentioned, seen, gone = r.Bool(0), r.Bool(1), r.Bool(2) },
		`SELECT EXISTS (SELECT 1 FROM edges w WHERE w.owner_id = ?1 AND w.target_id = a.id AND w.type = 'mentions' AND w.gone_at IS NULL),
 EXISTS (SELECT 1 `+t.mentions("a.id", "")+"), a.gone_at IS NOT NULL FROM entities a WHERE a.owner_id = ?1 AND a.id = ?5", id)
	if err == nil && ((!there && !orNew) || (gone && !orNew) || (mentioned && !seen)) {
		err = lukasa.NotFound("entity", id)
	}
	return err
}

// endWritable returns an error unless an edge may begin or end at a record.
func (t *Tx) endWritable(id lukasa.ID) error {
	if id.Prefix() == lukasa.PrefixEntity {
		return t.entityWritable(id, false)
	}
	for _, e := range ends {
		if e.kind == string(id.Prefix()) {
			_, err := found(t.Session, "record", id, scanInt, "SELECT 1 FROM "+e.table+" x WHERE x.id = ?5 AND "+t.visible("x", e.table), id)
			return err
		}
	}
	return lukasa.Invalid("edge", "%q names nothing that an edge can lead to", id)
}

// PutEdges implements [store.GraphWriter]. One that changes keeps its creation time, and leaves a row that says how it was.
func (t *Tx) PutEdges(edges []lukasa.Edge) error {
	ok := make(map[string]bool)
	for _, e := range edges {
		if e.Type == "" {
			return lukasa.Invalid("type", "is empty")
		}
		for _, end := range []string{e.From, e.To} {
			if !ok[end] {
				if err := t.endWritable(lukasa.ID(end)); err != nil {
					return err
				}
				ok[end] = true
			}
		}
		if err := t.putEdge(e); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) putEdge(e lukasa.Edge) error {
	meta, err := sqlrows.Object(e.Metadata)
	if err != nil {
		return err
	}
	created, same := t.orNow(e.CreatedAt), false
	there, err := t.One(func(r sqlrows.Row) { created, same = r.Time(0), r.Bool(1) },
		`SELECT created_at, weight = ?8 AND confidence = ?9 AND metadata IS NOT DISTINCT FROM ?10 FROM edges
WHERE owner_id = ?1 AND source_id = ?5 AND target_id = ?6 AND type = ?7 AND gone_at IS NULL`, e.From, e.To, e.Type, e.Weight, e.Confidence, meta)
	if err != nil || same {
		return err
	}
	if there {
		if err := t.endEdges("source_id = ?5 AND target_id = ?6 AND type = ?7", e.From, e.To, e.Type); err != nil {
			return err
		}
	}
	return t.Do(`INSERT INTO edges (owner_id, source_id, target_id, type, source_kind, target_kind, weight, confidence, metadata, created_at, known_at)
VALUES (?1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)`,
		e.From, e.To, e.Type, lukasa.ID(e.From).Prefix(), lukasa.ID(e.To).Prefix(), e.Weight, e.Confidence, meta, created, t.now())
}

// endEdges ends the edges that meet a condition. What has been made at this very moment leaves no row.
func (t *Tx) endEdges(cond string, args ...any) error {
	n := itoa(5 + len(args))
	args = append(args, t.now())
	if err := t.Do("DELETE FROM edges WHERE owner_id = ?1 AND gone_at IS NULL AND known_at >= ?"+n+" AND "+cond, args...); err != nil {
		return err
	}
	return t.Do("UPDATE edges SET gone_at = ?"+n+" WHERE owner_id = ?1 AND gone_at IS NULL AND "+cond, args...)
}

// DeleteEdges implements [store.GraphWriter]. Edges whose other end the scope does not see stay.
func (t *Tx) DeleteEdges(from lukasa.ID, types ...lukasa.EdgeType) error {
	if err := t.endWritable(from); err != nil {
		return err
	}
	var list []lukasa.Edge
	if err := sqlrows.Into(&t.Session.Session, &list, store.ScanEdge[sqlrows.Row], "SELECT "+store.EdgeColumns+" FROM edges e WHERE e.owner_id = ?1 AND e.source_id = ?5 AND "+t.edgeSeen(), from); err != nil {
		return err
	}
	var lost []lukasa.ID
	for _, e := range list {
		if len(types) > 0 && !slices.Contains(types, e.Type) {
			continue
		}
		if err := t.endEdges("source_id = ?5 AND target_id = ?6 AND type = ?7", e.From, e.To, e.Type); err != nil {
			return err
		}
		if e.Type == lukasa.EdgeMentions {
			lost = append(lost, lukasa.ID(e.To))
		}
	}
	var gone lukasa.Removal
	return t.dropEntities(lost, &gone)
}

// dropEdges removes the edges of records that are purged, those that have ended too, and the entities that they alone
// mentioned.
func (t *Tx) dropEdges(set string, gone *lukasa.Removal) error {
	lost, err := t.ids(`SELECT DISTINCT e.target_id FROM json_each(?5) j CROSS JOIN edges e ON e.owner_id = ?1 AND e.source_id = j.value WHERE e.type = 'mentions'`, set)
	if err != nil {
		return err
	}
	for _, end := range []string{"source_id", "target_id"} {
		err := t.Each(func(r sqlrows.Row) error {
			gone.Edges += r.Int(0)
			return nil
		}, "DELETE FROM edges WHERE "+t.dialect.RowsOf("edges", end)+" RETURNING gone_at IS NULL", set)
		if err != nil {
			return err
		}
	}
	return t.dropEntities(lost, gone)
}

// dropEntities removes those of the entities that nothing mentions any more. Where something did at some time, the row stays
// for views of that time.
func (t *Tx) dropEntities(ids []lukasa.ID, gone *lukasa.Removal) error {
	for _, id := range ids {
		var live, ever, there bool
		if _, err := t.One(func(r sqlrows.Row) { there, live, ever = r.Bool(0), r.Bool(1), r.Bool(2) },
			`SELECT a.gone_at IS NULL, EXISTS (SELECT 1 FROM edges w WHERE w.owner_id = ?1 AND w.target_id = a.id AND w.type = 'mentions' AND w.gone_at IS NULL),
 EXISTS (SELECT 1 FROM edges w WHERE w.owner_id = ?1 AND w.target_id = a.id AND w.type = 'mentions') FROM entities a WHERE a.owner_id = ?1 AND a.id = ?5`, id); err != nil {
			return err
		}
		if live {
			continue
		}
		if there {
			gone.Entities++
		}
		if ever {
			if !there {
				continue
			}
			if err := t.endEdges("(source_id = ?5 OR target_id = ?5)", id); err != nil {
				return err
			}
			if err := t.Do("UPDATE entities SET gone_at = ?6 WHERE owner_id = ?1 AND id = ?5", id, t.now()); err != nil {
				return err
			}
			continue
		}
		for _, sql := range []string{
			"DELETE FROM edges WHERE owner_id = ?1 AND source_id = ?5", "DELETE FROM edges WHERE owner_id = ?1 AND target_id = ?5",
			"DELETE FROM entity_names WHERE owner_id = ?1 AND entity_id = ?5", "DELETE FROM entities WHERE owner_id = ?1 AND id = ?5",
		} {
			n, err := t.Exec(sql, id)
			if err != nil {
				return err
			}
			if strings.HasPrefix(sql, "DELETE FROM edges") {
				gone.Edges += int(n)
			}
		}
	}
	return nil
}
