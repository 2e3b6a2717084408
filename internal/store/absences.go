package store

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// Absences are values of keys that no document of a node has, as far as a transaction has asked and written. See [DocumentWriter.Foresee].
type Absences struct{ known map[absence]bool }

type absence struct {
	node       lukasa.ID
	key, value string
}

// Ask looks up which of the values of a key no document of a node has. Custom ids are those of any version, and of what waits for its text.
func (a *Absences) Ask(s Statements, node lukasa.ID, key string, values []string) error {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return CheckText(key, v) != nil }) // they would not come back as they are
	if len(values) == 0 {
		return nil
	}
	index, latest := map[string]string{"content_hash": "hash", "custom_id": "custom", "source_url": "url", "title": "title"}[key], " AND d.is_latest = 1"
	switch key {
	case "content_hash":
	case "custom_id":
		latest = " AND d.custom_id <> ''"
	case "source_url", "title":
		latest += " AND d." + key + " <> ''" // the index holds no others
	default:
		return lukasa.Invalid("key", "is %q, must be content_hash, custom_id, source_url or title", key)
	}
	var there []string
	err := s.Query(func(r Row) { there = append(there, r.Text(0)) }, "SELECT j.value FROM json_each(?5) j WHERE EXISTS (SELECT 1 FROM documents d INDEXED BY documents_"+index+
		" WHERE d.owner_id = ?1 AND d.node_id = ?6 AND d."+key+" = j.value"+latest+")", sqlrows.Set(values), node)
	if err != nil {
		return err
	}
	if a.known == nil {
		a.known = make(map[absence]bool, len(values))
	}
	for _, v := range values {
		a.known[absence{node, key, v}] = true
	}
	for _, v := range there {
		delete(a.known, absence{node, key, v})
	}
	return nil
}

// Lacks reports whether no document of the node has the value of the key; false where that is not known.
func (a *Absences) Lacks(node lukasa.ID, key, value string) bool {
	return a.known[absence{node, key, value}]
}

// Met notes that a document is written.
func (a *Absences) Met(d *lukasa.Document) {
	if len(a.known) == 0 {
		return
	}
	for _, k := range [][2]string{{"content_hash", d.ContentHash}, {"custom_id", d.CustomID}, {"source_url", d.SourceURL}, {"title", d.Title}} {
		delete(a.known, absence{d.Node, k[0], k[1]})
	}
}

// Forget notes that any document may have come, or become the latest.
func (a *Absences) Forget() { a.known = nil }
