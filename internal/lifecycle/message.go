package lifecycle

import (
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// purgeMessage removes a message and counts what goes with it. A stretch of a conversation that was closed quotes it in summary,
// keywords, transcript and in its log of changes: the stretch goes, and its other messages make a new one, whose id is returned and
// whose recall file a job writes.
func (p *Path) purgeMessage(tx store.Tx, sc lukasa.Scope, id lukasa.ID) (gone lukasa.Removal, again lukasa.ID, blobs []string, err error) {
	ms, err := tx.MessagesByID([]lukasa.ID{id})
	if err != nil {
		return gone, "", nil, err
	}
	if len(ms) == 0 {
		return gone, "", nil, lukasa.NotFound("message", id)
	}
	m := ms[0]
	gone = lukasa.Removal{Messages: 1, Bytes: int64(len(m.Content)), IDs: []lukasa.ID{id}}
	before, chunks, memories, err := counts(tx, m.Document)
	if err != nil {
		return gone, "", nil, err
	}
	if err := tx.DeleteMessage(id); err != nil {
		return gone, "", nil, err
	}
	after, left, stay, err := counts(tx, m.Document)
	if err != nil {
		return gone, "", nil, err
	}
	gone.Vectors, gone.Chunks, gone.Memories = before.Embedded-after.Embedded, chunks-left, memories-stay
	g, err := tx.Segment(m.Document)
	if lukasa.CodeOf(err) == lukasa.CodeNotFound || err == nil && g.State == lukasa.SegmentOpen && g.Trigger == "" {
		return gone, "", nil, nil
	}
	if err != nil {
		return gone, "", nil, err
	}
	again, blobs, err = p.renew(tx, sc, g, after, &gone)
	return gone, again, blobs, err
}

func counts(tx store.Tx, document lukasa.ID) (d lukasa.Document, chunks, memories int, err error) {
	if d, err = tx.Document(document); err != nil {
		return d, 0, 0, err
	}
	l, err := tx.Memories(lukasa.MemoryFilter{Document: document}, lukasa.Page{Limit: 1})
	return d, d.Chunks, l.Total, err
}

// renew takes the messages of a closed stretch into a new one and removes the old one with its files and log.
func (p *Path) renew(tx store.Tx, sc lukasa.Scope, old lukasa.Segment, d lukasa.Document, gone *lukasa.Removal) (lukasa.ID, []string, error) {
	edges, err := tx.Edges([]lukasa.ID{old.Document}, []lukasa.EdgeType{lukasa.EdgePrecedes, lukasa.EdgeReferences}, 1000)
	if err != nil {
		return "", nil, err
	}
	behind, err := following(tx, old)
	if err != nil {
		return "", nil, err
	}
	fresh, err := p.refill(tx, old, d)
	if err != nil {
		return "", nil, err
	}
	rest, blobs, err := tx.Purge(old.Document)
	if err != nil {
		return "", nil, err
	}
	gone.Files, gone.Edges, gone.Jobs, gone.Vectors = gone.Files+rest.Files, gone.Edges+rest.Edges, gone.Jobs+rest.Jobs, gone.Vectors+rest.Vectors
	gone.IDs = append(gone.IDs, old.Document)
	if fresh == "" {
		return "", blobs, nil
	}
	for _, next := range behind {
		next.Previous = fresh
		if err := tx.PutSegment(next); err != nil {
			return "", nil, err
		}
	}
	for i := range edges {
		if edges[i].From == string(old.Document) {
			edges[i].From = string(fresh)
		} else {
			edges[i].To = string(fresh)
		}
	}
	if err := tx.PutEdges(edges); err != nil {
		return "", nil, err
	}
	return fresh, blobs, p.enqueue(tx, sc, lukasa.JobClose, fresh)
}

// following lists the stretches that come right after one.
func following(tx store.Tx, old lukasa.Segment) ([]lukasa.Segment, error) {
	var list []lukasa.Segment
	page := lukasa.Page{Limit: 100}
	for {
		l, err := tx.Segments(store.SegmentFilter{Conversation: old.Conversation}, page)
		if err != nil {
			return nil, err
		}
		for _, g := range l.Items {
			if g.Previous == old.Document {
				list = append(list, g)
			}
		}
		if page.Cursor = l.Next; l.Next == "" {
			return list, nil
		}
	}
}

// refill makes the new stretch and moves the messages; "" where none is left.
func (p *Path) refill(tx store.Tx, old lukasa.Segment, d lukasa.Document) (lukasa.ID, error) {
	var msgs []lukasa.Message
	if err := tx.MessagesIn(old.Document, 0, func(m lukasa.Message) bool {
		msgs = append(msgs, m)
		return true
	}); err != nil || len(msgs) == 0 {
		return "", err
	}
	chunks, err := tx.Chunks(old.Document)
	if err != nil {
		return "", err
	}
	d.ID, d.Summary, d.Keywords, d.Content, d.Chunks, d.Embedded = p.Mint.ID(lukasa.PrefixDocument), "", lukasa.Keywords{}, "", 0, 0
	d.UpdatedAt = p.now()
	if err := tx.PutDocument(d); err != nil {
		return "", err
	}
	tokens := 0
	for i := range msgs {
		msgs[i].Document = d.ID
		tokens += msgs[i].Tokens
	}
	chunks = slices.DeleteFunc(chunks, func(c lukasa.Chunk) bool { return c.Message == "" })
	for i := range chunks {
		chunks[i].Document = d.ID
	}
	old.Document, old.State, old.Topic, old.Folder, old.FinalizedAt = d.ID, lukasa.SegmentOpen, "", "", nil
	old.Tokens, old.Messages = tokens, len(msgs)
	if err := tx.PutSegment(old); err != nil {
		return "", err
	}
	return d.ID, tx.PutMessages(msgs, chunks)
}
