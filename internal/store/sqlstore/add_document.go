package sqlstore

import (
	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// AddDocument implements [store.DocumentWriter]. It looks nothing up: what it has just written, it knows.
func (t *Tx) AddDocument(w store.Whole) error {
	d := w.Document
	if err := t.writable(d.Node); err != nil {
		return err
	}
	d.CreatedAt, d.UpdatedAt = t.orNow(d.CreatedAt), t.orNow(d.UpdatedAt)
	vectors, embedded, err := w.Embeddings()
	if err != nil {
		return err
	}
	if err := t.insertDocument(d, len(w.Chunks), embedded, w.Summary, "''"); err != nil {
		return err
	}
	w.Document = d
	for i, c := range w.Chunks {
		c.Document, c.Message, c.Node = d.ID, "", d.Node
		if err := t.putChunk(c, false, true); err != nil {
			return err
		}
		t.Note(d.Node, c.ID, lukasa.EntryChunk, false)
		if t.ahead != nil && d.Previous == "" { // else it may have become the latest
			e, err := w.Entry(t.sc.Owner, i, vectors[c.ID])
			if err != nil {
				return err
			}
			t.Tell(t.ahead(w.Space, e))
		}
	}
	if w.Summary {
		t.Note(d.Node, d.ID, lukasa.EntryDocument, false)
	}
	for _, v := range w.Vectors {
		if vectors[v.Entry] == nil {
			continue
		}
		n, err := t.makeSpace(w.Space)
		if err == nil {
			err = t.putVector(n, v.Entry, d.Node, vectors[v.Entry])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// putVector writes the vector of an entry that stands in a node into the table of a space.
func (t *Tx) putVector(space int, id, node lukasa.ID, v []float32) error {
	data := t.dialect.Vector(v)
	if data == nil {
		data = []byte{} // which is read as none
	}
	return t.Later(sqlrows.Next, "INSERT INTO embeddings_"+itoa(space)+` (owner_id, entry_id, node_id, vector) VALUES (?1, ?5, ?6, ?7)
ON CONFLICT (owner_id, entry_id) DO UPDATE SET node_id = excluded.node_id, vector = excluded.vector`, id, node, data)
}
