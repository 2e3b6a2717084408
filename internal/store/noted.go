package store

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// Noted gathers the changes of entries in a transaction. An entry that is written several times gets one line of the log, the last.
type Noted struct {
	lines   []lukasa.Change
	at      map[noted]int // where in lines
	written []written     // of lines that have no numbers yet, and
	durable []written     // of those that have
}

type noted struct{ node, entry lukasa.ID }

// written is who is to be told the number of a line of the log once that is durable.
type written struct {
	line int64
	told func(seq int64)
}

// Ahead is told what is being written: an entry as [Feed.Entries] gives it out once it is durable, with its vector of the space. What it
// returns, unless that is nil, is then called with the number of the change that tells of it, and never where the entry was written again
// in the same transaction, or nothing came of that. It is called by several goroutines at a time, and must be quick.
type Ahead func(space string, e lukasa.Entry) (told func(seq int64))

// Note says that an entry was written or removed in a node. Without an entry, something else has changed there: no line tells of that.
func (n *Noted) Note(node, entry lukasa.ID, kind lukasa.EntryType, removed bool) {
	if n.at == nil {
		n.at = make(map[noted]int)
	}
	k := noted{node, entry}
	if i, ok := n.at[k]; ok {
		n.lines[i].Entry = "" // the later line stands for both
	}
	n.at[k] = len(n.lines)
	n.lines = append(n.lines, lukasa.Change{Node: node, Entry: entry, Type: kind, Removed: removed})
}

// Tell has told called with the number of the line that was noted last. It may be nil.
func (n *Noted) Tell(told func(seq int64)) {
	if told != nil {
		n.written = append(n.written, written{int64(len(n.lines) - 1), told})
	}
}

// ChunkType tells what kind of entry a chunk is by its message.
func ChunkType(message string) lukasa.EntryType {
	if message != "" {
		return lukasa.EntryMessage
	}
	return lukasa.EntryChunk
}

// Any reports whether anything has been noted.
func (n *Noted) Any() bool { return len(n.lines) > 0 }

// Take returns the lines, and each of the nodes that were noted once, and forgets them. With told, somebody wants to know their numbers.
func (n *Noted) Take() (lines []lukasa.Change, nodes []lukasa.ID, told bool) {
	lines = make([]lukasa.Change, 0, len(n.lines))
	met := make(map[lukasa.ID]bool)
	var those []written
	next := n.written
	for i, l := range n.lines {
		mine := len(next) > 0 && next[0].line == int64(i)
		if mine && l.Entry != "" {
			those = append(those, written{int64(len(lines)), next[0].told})
		}
		if mine {
			next = next[1:]
		}
		if !met[l.Node] {
			met[l.Node], nodes = true, append(nodes, l.Node)
		}
		if l.Entry != "" {
			lines = append(lines, l)
		}
	}
	*n = Noted{written: those, durable: n.durable}
	for i := range those { // counted from the last
		those[i].line -= int64(len(lines) - 1)
	}
	return lines, nodes, len(those) > 0
}

// Number says which number the last of the lines got that were taken. Nobody else wrote meanwhile, so that they follow each other.
func (n *Noted) Number(last int64) {
	for _, w := range n.written {
		n.durable = append(n.durable, written{last + w.line, w.told})
	}
	n.written = nil
}

// Durable tells whoever wants to know that the lines are on disk.
func (n *Noted) Durable() {
	for _, w := range n.durable {
		w.told(w.line)
	}
}

// Entry returns a chunk of the document as [Feed.Entries] does, with its vector.
func (w *Whole) Entry(owner lukasa.ID, chunk int, vector []float32) (lukasa.Entry, error) {
	d, c := &w.Document, &w.Chunks[chunk]
	var lists [2]any
	for i, l := range [][]string{c.Heading, d.Tags} {
		var err error
		if lists[i], err = sqlrows.List(l); err != nil {
			return lukasa.Entry{}, err
		}
	}
	metadata, err := sqlrows.Object(d.Metadata)
	if err != nil {
		return lukasa.Entry{}, err
	}
	language, latest := "", int64(0)
	if len(w.Chunks) > 1 {
		language = d.Language
	}
	if d.IsLatest {
		latest = 1
	}
	row := make(sqlrows.Row, 27) // in the order of EntryQuery.Chunks; those of messages stay empty
	for i, v := range []any{
		string(c.ID), string(d.Node), string(d.ID), "", c.Seq, lists[0], c.Content, d.Title, d.ContentType, string(d.Status), string(d.Origin), latest, lists[1], metadata, d.OccurredAt, d.CreatedAt, "",
	} {
		row[i] = sqlrows.Value(v)
	}
	row[25] = language
	e := ScanChunkEntry(owner, row)
	e.Vector = slices.Clone(vector)
	return e, nil
}
