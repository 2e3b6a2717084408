package sqlstore

import (
	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Tx is a session that writes. The changes of its entries are kept until its function returns, so that an entry that is
// written several times gets one line of the log.
type Tx struct {
	*Session
	store.Noted
	open    map[lukasa.ID]lukasa.Path // nodes that may be written into
	flushed bool                      // changes have been written down
	there   bool                      // the owner is known to be
	ahead   store.Ahead               // nil: nobody wants to be told

	head           *store.ChainEnd // the end of the owner's chain of deltas, once it has been read
	author, reason string
	silent         bool // no deltas are written: the owner goes, and its chain with it

	lastSpace string // the space that was last written to, and its table's number
	lastTable int
}

// Flush writes the changes down, and raises the version of each node that they are in.
func (t *Tx) Flush() error {
	if !t.Any() {
		return t.Settle()
	}
	lines, nodes, told := t.Take()
	for _, c := range lines {
		if err := t.Later(sqlrows.Next, "INSERT INTO changes (owner_id, node_id, entry_id, type, removed) VALUES (?1, ?5, ?6, ?7, ?8)", c.Node, c.Entry, c.Type, c.Removed); err != nil {
			return err
		}
	}
	for _, n := range nodes {
		if err := t.Do("UPDATE nodes SET version = version + 1 WHERE owner_id = ?1 AND id = ?5", n); err != nil {
			return err
		}
	}
	t.flushed = true
	if !told {
		return nil
	}
	_, err := t.One(func(r sqlrows.Row) { t.Number(r.Int64(0)) }, "SELECT max(seq) FROM changes")
	return err
}

// noteDocument notes all entries of a document, as one of their fields has changed. A move also removes them from the node
// where they were.
func (t *Tx) noteDocument(document, node, from lukasa.ID, summary bool) error {
	note := func(id lukasa.ID, kind lukasa.EntryType) {
		if from != node {
			t.Note(from, id, kind, true)
		}
		t.Note(node, id, kind, false)
	}
	if summary {
		note(document, lukasa.EntryDocument)
	}
	return t.Each(func(r sqlrows.Row) error {
		note(lukasa.ID(r.Text(0)), store.ChunkType(r.Text(1)))
		return nil
	}, "SELECT id, message_id FROM chunks WHERE owner_id = ?1 AND document_id = ?5 ORDER BY seq, id", document)
}

// Changed reports whether there is anything that Flush will write to the log of changes.
func (t *Tx) Changed() bool { return t.Any() || t.flushed }
