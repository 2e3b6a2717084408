package sqlstore

import (
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// allSpaces returns the numbers of the embedding tables.
func (s *Session) allSpaces() ([]int, error) {
	if s.known {
		return s.spaces, nil
	}
	err := sqlrows.Into(&s.Session, &s.spaces, scanInt, "SELECT n FROM spaces ORDER BY n")
	s.known = err == nil
	return s.spaces, err
}

// space returns the number of a space's table, 0 if it has none.
func (s *Session) space(name string) (n int, err error) {
	if name == "" {
		return 0, nil
	}
	_, err = s.One(func(r sqlrows.Row) { n = r.Int(0) }, "SELECT n FROM spaces WHERE space = ?5", name)
	return n, err
}

// makeSpace returns the number of a space's table, which it makes if it is not there.
func (t *Tx) makeSpace(name string) (int, error) {
	if name == "" {
		return 0, lukasa.Invalid("space", "is empty")
	}
	if name == t.lastSpace {
		return t.lastTable, nil
	}
	n, err := t.space(name)
	if err != nil {
		return n, err
	}
	if n == 0 {
		if n, err = t.addSpace(name); err != nil {
			return 0, err
		}
	}
	t.lastSpace, t.lastTable = name, n
	return n, nil
}

// addSpace makes a space. Of several transactions one does it at a time, and others find it done.
func (t *Tx) addSpace(name string) (n int, err error) {
	if lock := t.dialect.LockSpaces; lock != "" {
		if err := t.Do(lock); err != nil {
			return 0, err
		}
		if n, err = t.space(name); err != nil || n > 0 {
			return n, err
		}
	}
	if _, err := t.One(func(r sqlrows.Row) { n = r.Int(0) }, "SELECT coalesce(max(n), 0) + 1 FROM spaces"); err != nil {
		return 0, err
	}
	t.spaces, t.known = nil, false
	if err := t.Do("INSERT INTO spaces (n, space, created_at) VALUES (?5, ?6, ?7)", n, name, t.now()); err != nil {
		return 0, err
	}
	return n, t.dialect.MakeSpace(statements{t.Session}, n)
}

// entryPlace is where an entry of each type is looked up, with its node and the document that counts its vector.
var entryPlace = map[lukasa.EntryType][2]string{
	lukasa.EntryChunk:    {"chunks e", "e.document_id"},
	lukasa.EntryMessage:  {"chunks e", "e.document_id"},
	lukasa.EntryMemory:   {"memories e", "''"},
	lukasa.EntryDocument: {"documents e", "CASE e.summary_entry WHEN 1 THEN '' END"},
}

// PutVectors implements [store.ChunkWriter].
func (t *Tx) PutVectors(space string, vs []store.Vector) error {
	if len(vs) == 0 {
		return nil
	}
	n, err := t.makeSpace(space)
	if err != nil {
		return err
	}
	embedded := make(map[string]int)
	var documents []string
	for _, v := range vs {
		if err := v.Check(); err != nil {
			return err
		}
		place := entryPlace[v.Type]
		has, err := t.hasVector()
		if err != nil {
			return err
		}
		node, document, fresh := "", "", false
		ok, err := t.One(func(r sqlrows.Row) {
			if r[1] != nil {
				node, document, fresh = r.Text(0), r.Text(1), !r.Bool(2)
			}
		}, "SELECT e.node_id, "+place[1]+", "+has+" FROM "+place[0]+" WHERE e.id = ?5 AND "+t.visible("e", strings.TrimSuffix(place[0], " e")), v.Entry)
		if err != nil {
			return err
		}
		if !ok || node == "" {
			continue
		}
		if err := t.putVector(n, v.Entry, lukasa.ID(node), v.Vector); err != nil {
			return err
		}
		t.Note(lukasa.ID(node), v.Entry, v.Type, false)
		if document != "" && fresh {
			if embedded[document] == 0 {
				documents = append(documents, document)
			}
			embedded[document]++
		}
	}
	for _, d := range documents {
		if err := t.Do("UPDATE documents SET embedded_count = embedded_count + ?6 WHERE owner_id = ?1 AND id = ?5", d, embedded[d]); err != nil {
			return err
		}
	}
	return nil
}

// hasVector is an expression that tells whether entry e has a vector in any space: that is what embedded_count counts, so
// that a second space that is being built does not make it fall.
func (t *Tx) hasVector() (string, error) {
	spaces, err := t.allSpaces()
	if err != nil {
		return "", err
	}
	var expr strings.Builder
	expr.WriteString("FALSE")
	for _, n := range spaces {
		expr.WriteString(" OR EXISTS (SELECT 1 FROM embeddings_" + itoa(n) + " v WHERE v.owner_id = ?1 AND v.entry_id = e.id)")
	}
	return "(" + expr.String() + ")", nil
}

// dropVectors removes an entry's vectors from all spaces and returns how many there were.
func (t *Tx) dropVectors(entry lukasa.ID) (int, error) {
	spaces, err := t.allSpaces()
	if err != nil {
		return 0, err
	}
	total := 0
	for _, n := range spaces {
		k, err := t.Exec("DELETE FROM embeddings_"+itoa(n)+" WHERE owner_id = ?1 AND entry_id = ?5", entry)
		if err != nil {
			return 0, err
		}
		total += int(k)
	}
	return total, nil
}

// vectorsOf hands the vectors of those ids that have one to fn, with the place of the id in the list.
func (s *Session) vectorsOf(space string, ids []lukasa.ID, fn func(i int, v []float32)) error {
	n, err := s.space(space)
	if err != nil || n == 0 || len(ids) == 0 {
		return err
	}
	return s.Each(func(r sqlrows.Row) error {
		fn(r.Int(0), r.Vector(1))
		return nil
	}, "SELECT j.key, v.vector FROM json_each(?5) j CROSS JOIN embeddings_"+itoa(n)+" v ON v.owner_id = ?1 AND v.entry_id = j.value", sqlrows.Set(ids))
}
