package sqlite

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
)

// documentColumns are all but the content; documentTables joins what they need.
const (
	documentColumns = `d.id, d.node_id, n.path, d.title, d.content_type, d.language, d.category, d.summary, d.kw_entities, d.kw_topics,
 d.kw_dates, d.kw_relationships, d.tags, d.metadata, d.source_url, d.custom_id, d.origin, d.content_hash, d.size, d.status, d.reason,
 d.version, d.previous_id, d.is_latest, d.chunk_count, d.embedded_count, d.occurred_at, d.created_at, d.updated_at, d.forget_after,
 d.last_accessed_at, d.access_count, d.segment_of, d.summary_entry`
	documentTables = " FROM documents d JOIN nodes n ON n.owner_id = d.owner_id AND n.id = d.node_id"
)

func scanDocument(r row) lukasa.Document {
	return lukasa.Document{
		ID: lukasa.ID(r.text(0)), Node: lukasa.ID(r.text(1)), Path: lukasa.Path(r.text(2)), Title: r.text(3),
		ContentType: r.text(4), Language: r.text(5), Category: r.text(6), Summary: r.text(7),
		Keywords: lukasa.Keywords{Entities: r.list(8), Topics: r.list(9), Dates: r.list(10), Relationships: r.list(11)},
		Tags:     full(r.list(12)), Metadata: r.object(13), SourceURL: r.text(14), CustomID: r.text(15),
		Origin: lukasa.Origin(r.text(16)), ContentHash: r.text(17), Size: r.int64(18), Status: lukasa.Status(r.text(19)), Reason: r.text(20),
		Version: r.int(21), Previous: lukasa.ID(r.text(22)), IsLatest: r.bool(23), Chunks: r.int(24), Embedded: r.int(25),
		OccurredAt: r.timep(26), CreatedAt: r.time(27), UpdatedAt: r.time(28), ForgetAfter: r.timep(29), LastAccessedAt: r.timep(30), Accesses: r.int64(31),
	}
}

// Document implements [store.DocumentReader].
func (s *session) Document(id lukasa.ID) (d lukasa.Document, err error) {
	ok, err := s.one(func(r row) {
		d = scanDocument(r)
		d.Content = r.text(34)
	}, "SELECT "+documentColumns+", c.content"+documentTables+
		" LEFT JOIN contents c ON c.owner_id = d.owner_id AND c.document_id = d.id WHERE d.id = ?5 AND "+s.visible("d", "node_id"), id)
	if err == nil && !ok {
		err = lukasa.NotFound("document", id)
	}
	return d, err
}

// DocumentsByID implements [store.DocumentReader].
func (s *session) DocumentsByID(ids []lukasa.ID) ([]lukasa.Document, error) {
	list := make([]lukasa.Document, 0, len(ids))
	if len(ids) == 0 {
		return list, nil
	}
	err := into(s, &list, scanDocument, "SELECT "+documentColumns+" FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value"+
		" JOIN nodes n ON n.owner_id = d.owner_id AND n.id = d.node_id WHERE "+s.visible("d", "node_id")+" ORDER BY j.key", idList(ids))
	return list, err
}

// conditions gathers the parts of a WHERE clause with their arguments, which are numbered from ?5 on.
type conditions struct {
	sql  []string
	args []any
}

// add appends a condition in which ?? stands for the argument.
func (c *conditions) add(sql string, arg any) {
	c.args = append(c.args, arg)
	c.sql = append(c.sql, strings.ReplaceAll(sql, "??", c.last()))
}

func (c *conditions) last() string { return "?" + itoa(4+len(c.args)) }

func (c *conditions) where() string { return strings.Join(c.sql, " AND ") }

// page runs a listing that is ordered by a number (a time or a position) and then by id. from is the FROM clause, key and
// id are the columns of the order. It returns the ids of the stretch, the cursor of the next one, and the total.
func (s *session) page(kind byte, from, key, id string, c conditions, desc bool, p lukasa.Page) (ids []lukasa.ID, next string, total int, err error) {
	if p, err = checkPage(p); err != nil {
		return nil, "", 0, err
	}
	if _, err = s.one(func(r row) { total = r.int(0) }, "SELECT count(*) FROM "+from+" WHERE "+c.where(), c.args...); err != nil {
		return nil, "", 0, err
	}
	dir, cmp := "", ">"
	if desc {
		dir, cmp = " DESC", "<"
	}
	if p.Cursor != "" {
		pos, err := parseCursor(kind, p.Cursor)
		if err != nil {
			return nil, "", 0, err
		}
		c.args = append(c.args, pos.key, pos.id)
		n := 4 + len(c.args)
		c.sql = append(c.sql, after(key, id, cmp, n-1))
	}
	c.args = append(c.args, p.Limit+1, p.Offset)
	n := 4 + len(c.args)
	var pos []position
	err = s.each(func(r row) error {
		pos = append(pos, position{r.int64(0), r.text(1)})
		return nil
	}, "SELECT "+key+", "+id+" FROM "+from+" WHERE "+c.where()+" ORDER BY "+key+dir+", "+id+dir+
		" LIMIT ?"+itoa(n-1)+" OFFSET ?"+itoa(n), c.args...)
	if err != nil {
		return nil, "", 0, err
	}
	if len(pos) > p.Limit {
		pos = pos[:p.Limit]
		next = pos[p.Limit-1].cursor(kind)
	}
	ids = make([]lukasa.ID, len(pos))
	for i := range pos {
		ids[i] = lukasa.ID(pos[i].id)
	}
	return ids, next, total, nil
}

// after is the condition for rows that come after a position, whose key and id are parameters n and n+1. The part on the key
// alone says nothing new; it is what lets an index on an expression start there.
func after(key, id, cmp string, n int) string {
	return key + " " + cmp + "= ?" + itoa(n) + " AND (" + key + ", " + id + ") " + cmp + " (?" + itoa(n) + ", ?" + itoa(n+1) + ")"
}

// fewRows is up to how many rows of the named nodes are fetched and sorted; beyond, the rows of the owner are read in order
// and those of other nodes passed over.
const fewRows = 4096

// inNodes narrows a listing of a table to the nodes that patterns name, and returns its FROM clause. Nothing is added for
// no patterns.
func (s *session) inNodes(c *conditions, table, alias string, patterns []lukasa.Pattern) (from string, err error) {
	if len(patterns) == 0 {
		return table + " " + alias, nil
	}
	nodes, err := s.patternNodes(patterns)
	if err != nil {
		return "", err
	}
	return s.among(c, table, alias, nodes)
}

// among narrows a listing to nodes. Only the planner's choice of an index hangs on how many rows there are.
func (s *session) among(c *conditions, table, alias string, nodes []lukasa.ID) (from string, err error) {
	from = table + " " + alias
	if len(nodes) == 1 {
		c.add(alias+".node_id = ??", nodes[0])
	} else {
		c.add(alias+".node_id IN (SELECT value FROM json_each(??))", idList(nodes))
	}
	index := map[string]string{"documents": "documents_node", "memories": "memories_node", "conversations": "conversations_external"}[table]
	if index == "" {
		return from, nil
	}
	rows := 0
	_, err = s.one(func(r row) { rows = r.int(0) }, "SELECT count(*) FROM (SELECT 1 FROM json_each(?5) j CROSS JOIN "+table+
		" x ON x.owner_id = ?1 AND x.node_id = j.value LIMIT ?6)", idList(nodes), fewRows)
	if rows < fewRows {
		from += " INDEXED BY " + index
	}
	return from, err
}

// Documents implements [store.DocumentReader]. Several tags, types or statuses mean any of them.
func (s *session) Documents(f lukasa.DocumentFilter, p lukasa.Page) (list lukasa.Listing[lukasa.Document], err error) {
	c := conditions{sql: []string{s.visible("d", "node_id")}}
	from, err := s.inNodes(&c, "documents", "d", f.Containers)
	if err != nil {
		return list, err
	}
	if !f.AllVersions {
		c.sql = append(c.sql, "d.is_latest = 1")
	}
	if !f.Conversation {
		c.sql = append(c.sql, "d.segment_of = ''")
	}
	if len(f.ContentType) > 0 {
		c.add("d.content_type IN (SELECT value FROM json_each(??))", idList(f.ContentType))
	}
	if len(f.Status) > 0 {
		c.add("d.status IN (SELECT value FROM json_each(??))", idList(f.Status))
	}
	if len(f.Tags) > 0 {
		c.add("EXISTS (SELECT 1 FROM json_each(d.tags) t JOIN json_each(??) w ON w.value = t.value)", idList(f.Tags))
	}
	if f.SourceURL != "" {
		c.add("d.source_url = ??", f.SourceURL)
	}
	if f.CustomID != "" {
		c.add("d.custom_id = ??", f.CustomID)
	}
	if f.Title != "" {
		c.add("instr(d.title_fold, ??) > 0", strings.ToLower(f.Title))
	}
	if f.After != nil {
		c.add("coalesce(d.occurred_at, d.created_at) >= ??", *f.After)
	}
	if f.Before != nil {
		c.add("coalesce(d.occurred_at, d.created_at) < ??", *f.Before)
	}
	ids, next, total, err := s.page('d', from, "d.created_at", "d.id", c, !f.OldestFirst, p)
	if err != nil {
		return list, err
	}
	list.Next, list.Total = next, total
	list.Items, err = s.DocumentsByID(ids)
	return list, err
}

// LatestByHash implements [store.DocumentReader].
func (s *session) LatestByHash(node lukasa.ID, hash string) (lukasa.Document, error) {
	if hash == "" { // still waits for its text
		return lukasa.Document{}, lukasa.NotFound("document with content_hash", `""`)
	}
	return s.latest("content_hash", node, hash)
}

// LatestBy implements [store.DocumentReader]. Of several, the newest counts.
func (s *session) LatestBy(node lukasa.ID, key, value string) (lukasa.Document, error) {
	switch key {
	case "custom_id", "source_url", "title":
		if value == "" {
			return lukasa.Document{}, lukasa.NotFound("document with "+key, `""`)
		}
		return s.latest(key, node, value)
	}
	return lukasa.Document{}, lukasa.Invalid("key", "is %q, must be custom_id, source_url or title", key)
}

func (s *session) latest(column string, node lukasa.ID, value string) (d lukasa.Document, err error) {
	cond := ""
	if column != "content_hash" {
		cond = " AND d." + column + " <> '' AND d.content_hash <> ''" // the index holds no others; what waits for its text does not count
	}
	id := ""
	_, err = s.one(func(r row) { id = r.text(0) }, "SELECT d.id FROM documents d WHERE d.node_id = ?5 AND d."+column+
		" = ?6 AND d.is_latest = 1"+cond+" AND "+s.visible("d", "node_id")+" ORDER BY +d.created_at DESC, d.id DESC LIMIT 1", node, value)
	if err != nil {
		return d, err
	}
	if id == "" {
		return d, lukasa.NotFound("document with "+column, value)
	}
	return s.Document(lukasa.ID(id))
}

// Versions implements [store.DocumentReader].
func (s *session) Versions(id lukasa.ID) ([]lukasa.Document, error) {
	var chain []lukasa.ID
	err := into(s, &chain, scanID, `WITH RECURSIVE
 older (id, previous_id, n) AS (
  SELECT d.id, d.previous_id, 0 FROM documents d WHERE d.id = ?5 AND `+s.visible("d", "node_id")+`
  UNION ALL SELECT d.id, d.previous_id, o.n - 1 FROM older o JOIN documents d ON d.owner_id = ?1 AND d.id = o.previous_id WHERE o.previous_id <> ''),
 newer (id, n) AS (
  SELECT id, n FROM older WHERE n = 0
  UNION ALL SELECT d.id, w.n + 1 FROM newer w JOIN documents d ON d.owner_id = ?1 AND d.previous_id = w.id AND d.previous_id <> '')
SELECT id, n FROM older UNION SELECT id, n FROM newer ORDER BY n DESC`, id)
	if err != nil {
		return nil, err
	}
	if len(chain) == 0 {
		return nil, lukasa.NotFound("document", id)
	}
	return s.DocumentsByID(chain)
}

// Files implements [store.DocumentReader].
func (s *session) Files(document lukasa.ID, role string) ([]lukasa.File, error) {
	if err := s.present(document); err != nil {
		return nil, err
	}
	files := []lukasa.File{}
	err := s.each(func(r row) error {
		files = append(files, lukasa.File{
			ID: lukasa.ID(r.text(0)), Document: document, Role: r.text(1), Name: r.text(2), Type: r.text(3),
			Size: r.int64(4), SealedSize: r.int64(5), Blob: r.text(6), SHA256: r.text(7), CreatedAt: r.time(8), Inline: r.bytes(9),
		})
		return nil
	}, `SELECT id, role, name, type, size, sealed_size, blob, sha256, created_at, inline FROM files
WHERE owner_id = ?1 AND document_id = ?5 AND (?6 = '' OR role = ?6) ORDER BY created_at, id`, document, role)
	return files, err
}

// present returns an error unless the scope sees the document.
func (s *session) present(document lukasa.ID) error {
	_, err := found(s, "document", document, scanInt, "SELECT 1 FROM documents d WHERE d.id = ?5 AND "+s.visible("d", "node_id"), document)
	return err
}
