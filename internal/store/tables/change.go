package tables

import (
	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rows"
)

// Tx is a session that writes. The changes of its entries are kept until its function returns, so that an entry that is
// written several times gets one line of the log.
type Tx struct {
	*Session
	changes []lukasa.Change
	at      map[changeKey]int  // where in changes
	open    map[lukasa.ID]bool // nodes that may be written into
	flushed bool               // some have been written down
	there   bool               // the owner is known to be

	head           *head // the end of the owner's chain of deltas, once it has been read
	author, reason string
	silent         bool // no deltas are written: the owner goes, and its chain with it

	lastSpace string // the space that was last written to, and its table's number
	lastTable int
}

type changeKey struct{ node, entry lukasa.ID }

// note says that an entry was written or removed in a node.
func (t *Tx) note(node, entry lukasa.ID, kind lukasa.EntryType, removed bool) {
	if t.at == nil {
		t.at = make(map[changeKey]int)
	}
	k := changeKey{node, entry}
	if i, ok := t.at[k]; ok {
		t.changes[i].Entry = "" // the later line stands for both
	}
	t.at[k] = len(t.changes)
	t.changes = append(t.changes, lukasa.Change{Node: node, Entry: entry, Type: kind, Removed: removed})
}

// Flush writes the changes down, and raises the version of each node that they are in.
func (t *Tx) Flush() error {
	if len(t.changes) == 0 {
		return t.Settle()
	}
	var touched []lukasa.ID
	met := make(map[lukasa.ID]bool)
	for _, c := range t.changes {
		if c.Entry == "" {
			continue
		}
		if err := t.Later(rows.Next, "INSERT INTO changes (owner_id, node_id, entry_id, type, removed) VALUES (?1, ?5, ?6, ?7, ?8)", c.Node, c.Entry, c.Type, c.Removed); err != nil {
			return err
		}
		if !met[c.Node] {
			met[c.Node], touched = true, append(touched, c.Node)
		}
	}
	for _, n := range touched {
		if err := t.Do("UPDATE nodes SET version = version + 1 WHERE owner_id = ?1 AND id = ?5", n); err != nil {
			return err
		}
	}
	t.changes, t.at, t.flushed = t.changes[:0], nil, true
	return nil
}

// noteDocument notes all entries of a document, as one of their fields has changed. A move also removes them from the node
// where they were.
func (t *Tx) noteDocument(document, node, from lukasa.ID, summary bool) error {
	note := func(id lukasa.ID, kind lukasa.EntryType) {
		if from != node {
			t.note(from, id, kind, true)
		}
		t.note(node, id, kind, false)
	}
	if summary {
		note(document, lukasa.EntryDocument)
	}
	return t.Each(func(r rows.Row) error {
		note(lukasa.ID(r.Text(0)), chunkType(r.Text(1)))
		return nil
	}, "SELECT id, message_id FROM chunks WHERE owner_id = ?1 AND document_id = ?5 ORDER BY seq, id", document)
}

// chunkType tells what kind of entry a chunk is by its message.
func chunkType(message string) lukasa.EntryType {
	if message != "" {
		return lukasa.EntryMessage
	}
	return lukasa.EntryChunk
}

// Changed reports whether there is anything that Flush will write to the log of changes.
func (t *Tx) Changed() bool { return len(t.changes) > 0 || t.flushed }
