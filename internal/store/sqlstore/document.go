package sqlstore

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Document implements [store.DocumentReader].
func (s *Session) Document(id lukasa.ID) (d lukasa.Document, err error) {
	ok, err := s.One(func(r sqlrows.Row) {
		d = store.ScanDocument(r)
		d.Content = r.Text(34)
	}, "SELECT "+store.DocumentColumns+", c.content"+store.DocumentTables+
		" LEFT JOIN contents c ON c.owner_id = d.owner_id AND c.document_id = d.id WHERE d.id = ?5 AND "+s.visible("d", "documents"), id)
	if err == nil && !ok {
		err = lukasa.NotFound("document", id)
	}
	return d, err
}

// DocumentsByID implements [store.DocumentReader].
func (s *Session) DocumentsByID(ids []lukasa.ID) ([]lukasa.Document, error) {
	return sqlrows.Of(&s.Session, ids, store.ScanDocument[sqlrows.Row], func() string {
		return "SELECT " + store.DocumentColumns + " FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value" +
			" JOIN nodes n ON n.owner_id = d.owner_id AND n.id = d.node_id WHERE " + s.visible("d", "documents") + " ORDER BY j.key"
	})
}

// Heads implements [store.DocumentReader].
func (s *Session) Heads(ids []lukasa.ID) (list []lukasa.Document, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list = make([]lukasa.Document, 0, len(ids))
	return list, sqlrows.Into(&s.Session, &list, store.ScanHead[sqlrows.Row], "SELECT "+store.HeadColumns+
		" FROM json_each(?5) j CROSS JOIN documents d ON d.owner_id = ?1 AND d.id = j.value WHERE "+s.visible("d", "documents")+" ORDER BY j.key", sqlrows.Set(ids))
}

// fewRows is up to how many rows of the named nodes are fetched and sorted; beyond, the rows of the owner are read in order
// and those of other nodes passed over.
const fewRows = 4096

// inNodes narrows a listing of a table to the nodes that patterns name, and returns its FROM clause. Nothing is added for
// no patterns.
func (s *Session) inNodes(c *sqlrows.Conditions, table, alias string, patterns []lukasa.Pattern) (from string, err error) {
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
func (s *Session) among(c *sqlrows.Conditions, table, alias string, nodes []lukasa.ID) (from string, err error) {
	from = table + " " + alias
	sqlrows.In(c, alias+".node_id", nodes)
	index := map[string]string{"documents": "documents_node", "memories": "memories_node", "conversations": "conversations_external"}[table]
	if index == "" || s.past {
		return from, nil
	}
	few := 0
	_, err = s.One(func(r sqlrows.Row) { few = r.Int(0) }, "SELECT count(*) FROM (SELECT 1 FROM json_each(?5) j CROSS JOIN "+table+
		" x ON x.owner_id = ?1 AND x.node_id = j.value LIMIT ?6) few", sqlrows.Set(nodes), fewRows)
	if few < fewRows {
		from += " INDEXED BY " + index
	}
	return from, err
}

// called narrows a listing of documents of one custom id to the nodes that are named, and that may hold any: they are few, however many
// documents the nodes hold. With none there are no such nodes.
func (s *Session) called(c *sqlrows.Conditions, f lukasa.DocumentFilter) (from string, none bool, err error) {
	nodes, err := s.patternNodes(f.Containers)
	nodes = slices.DeleteFunc(nodes, func(n lukasa.ID) bool { return s.absent.Lacks(n, "custom_id", f.CustomID) })
	sqlrows.In(c, "d.node_id", nodes)
	c.Add("d.custom_id <> ''") // the index holds no others
	if from = "documents d INDEXED BY documents_custom"; s.past {
		from = "documents d"
	}
	return from, len(nodes) == 0, err
}

// Documents implements [store.DocumentReader]. Several tags, types or statuses mean any of them.
func (s *Session) Documents(f lukasa.DocumentFilter, p lukasa.Page) (list lukasa.Listing[lukasa.Document], err error) {
	c := where(s.visible("d", "documents"))
	var from string
	if f.CustomID != "" && len(f.Containers) > 0 {
		none := false
		if from, none, err = s.called(&c, f); none && p == (lukasa.Page{Limit: p.Limit}) && p.Limit > 0 && p.Limit <= maxPage {
			return lukasa.Listing[lukasa.Document]{Items: []lukasa.Document{}}, err
		}
	} else {
		from, err = s.inNodes(&c, "documents", "d", f.Containers)
	}
	if err != nil {
		return list, err
	}
	if !f.AllVersions {
		c.Add("d.is_latest = 1")
	}
	if !f.Conversation {
		c.Add("d.segment_of = ''")
	}
	sqlrows.Among(&c, "d.content_type", f.ContentType)
	sqlrows.Among(&c, "d.status", f.Status)
	sqlrows.Tagged(&c, "d.tags", f.Tags)
	if f.SourceURL != "" {
		c.Add("d.source_url = ??", f.SourceURL)
	}
	if f.CustomID != "" {
		c.Add("d.custom_id = ??", f.CustomID)
	}
	if f.Title != "" {
		c.Add("instr(d.title_fold, ??) > 0", strings.ToLower(f.Title))
	}
	c.Between("d.created_at", f.CreatedFrom, f.CreatedUntil)
	c.Between("coalesce(d.occurred_at, d.created_at)", f.After, f.Before)
	ids, next, total, err := s.page('d', from, "d.created_at", "d.id", c, !f.OldestFirst, p)
	if err != nil {
		return list, err
	}
	list.Next, list.Total = next, total
	list.Items, err = s.DocumentsByID(ids)
	return list, err
}

// LatestByHash implements [store.DocumentReader].
func (s *Session) LatestByHash(node lukasa.ID, hash string) (lukasa.Document, error) {
	if hash == "" { // still waits for its text
		return lukasa.Document{}, lukasa.NotFound("document with content_hash", `""`)
	}
	return s.latest("content_hash", node, hash)
}

// LatestBy implements [store.DocumentReader]. Of several, the newest counts.
func (s *Session) LatestBy(node lukasa.ID, key, value string) (lukasa.Document, error) {
	switch key {
	case "custom_id", "source_url", "title":
		if value == "" {
			return lukasa.Document{}, lukasa.NotFound("document with "+key, `""`)
		}
		return s.latest(key, node, value)
	}
	return lukasa.Document{}, lukasa.Invalid("key", "is %q, must be custom_id, source_url or title", key)
}

func (s *Session) latest(column string, node lukasa.ID, value string) (d lukasa.Document, err error) {
	if s.absent.Lacks(node, column, value) {
		return d, lukasa.NotFound("document with "+column, value)
	}
	cond := ""
	if column != "content_hash" {
		cond = " AND d." + column + " <> '' AND d.content_hash <> ''" // the index holds no others; what waits for its text does not count
	}
	id := ""
	_, err = s.One(func(r sqlrows.Row) { id = r.Text(0) }, "SELECT d.id FROM documents d WHERE d.node_id = ?5 AND d."+column+
		" = ?6 AND d.is_latest = 1"+cond+" AND "+s.visible("d", "documents")+" ORDER BY +d.created_at DESC, d.id DESC LIMIT 1", node, value)
	if err != nil {
		return d, err
	}
	if id == "" {
		return d, lukasa.NotFound("document with "+column, value)
	}
	return s.Document(lukasa.ID(id))
}

// Foresee implements [store.DocumentWriter].
func (t *Tx) Foresee(node lukasa.ID, key string, values []string) error {
	return t.absent.Ask(statements{t.Session}, node, key, values)
}

// Versions implements [store.DocumentReader].
func (s *Session) Versions(id lukasa.ID) ([]lukasa.Document, error) {
	var chain []lukasa.ID
	err := sqlrows.Into(&s.Session, &chain, scanID, `WITH RECURSIVE
 older (id, previous_id, n) AS (
  SELECT d.id, d.previous_id, 0 FROM documents d WHERE d.id = ?5 AND `+s.visible("d", "documents")+`
  UNION ALL SELECT d.id, d.previous_id, o.n - 1 FROM older o JOIN documents d ON d.owner_id = ?1 AND d.id = o.previous_id WHERE o.previous_id <> ''),
 newer (id, n) AS (
  SELECT id, n FROM older WHERE n = 0
  UNION ALL SELECT d.id, w.n + 1 FROM newer w JOIN documents d ON d.owner_id = ?1 AND d.previous_id = w.id AND d.previous_id <> '' AND d.buried_at = 0)
SELECT id, n FROM older UNION SELECT id, n FROM newer ORDER BY n DESC`, id)
	if err != nil {
		return nil, err
	}
	if len(chain) == 0 {
		return nil, lukasa.NotFound("document", id)
	}
	return s.DocumentsByID(chain)
}

// Files implements [store.FileReader].
func (s *Session) Files(document lukasa.ID, role string) ([]lukasa.File, error) {
	if err := s.present(document); err != nil {
		return nil, err
	}
	files := []lukasa.File{}
	err := sqlrows.Into(&s.Session, &files, store.ScanFile[sqlrows.Row], "SELECT "+store.FileColumns+" FROM files f WHERE f.owner_id = ?1 AND f.document_id = ?5 AND (?6 = '' OR f.role = ?6) ORDER BY f.created_at, f.id", document, role)
	return files, err
}

// FileList implements [store.FileReader].
func (s *Session) FileList(f store.FileFilter, p lukasa.Page) (list lukasa.Listing[lukasa.File], err error) {
	c := where(s.visible("d", "documents"))
	from, err := s.inNodes(&c, "documents", "d", f.Containers)
	if err == nil && f.Document != "" {
		c.Add("d.id = ??", f.Document)
		err = s.present(f.Document)
	}
	if err != nil {
		return list, err
	}
	c.Add("f.role <> ??", f.Except)
	ids, next, total, err := s.page('f', from+" JOIN files f ON f.owner_id = d.owner_id AND f.document_id = d.id", "f.created_at", "f.id", c, true, p)
	if err != nil {
		return list, err
	}
	list = lukasa.Listing[lukasa.File]{Items: make([]lukasa.File, 0, len(ids)), Next: next, Total: total}
	scan := func(r sqlrows.Row) lukasa.File { x := store.ScanFile(r); x.Inline = nil; return x }
	return list, sqlrows.Into(&s.Session, &list.Items, scan, "SELECT "+store.FileColumns+" FROM json_each(?5) j CROSS JOIN files f ON f.owner_id = ?1 AND f.id = j.value ORDER BY j.key", sqlrows.Set(ids))
}

// present returns an error unless the scope sees the document.
func (s *Session) present(document lukasa.ID) error {
	_, err := found(s, "document", document, scanInt, "SELECT 1 FROM documents d WHERE d.id = ?5 AND "+s.visible("d", "documents"), document)
	return err
}
