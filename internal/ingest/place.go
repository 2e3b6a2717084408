package ingest

import (
	"context"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// maxMoved is how many messages a conversation may have to be moved: it is one transaction, which holds up other writers.
const maxMoved = 2000

// Unplaced returns a conversation that may still be given a container, and the first bytes that were said in it, at least most of them
// if there are so many; "" for one that may not.
func (p *Path) Unplaced(ctx context.Context, sc lukasa.Scope, id lukasa.ID, most int) (c lukasa.Conversation, said string, err error) {
	err = p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		said = ""
		if c, err = r.Conversation(id); err != nil || !unplaced(c) {
			return err
		}
		var b strings.Builder
		for page := (lukasa.Page{Limit: 100}); ; {
			l, err := r.Messages(id, page)
			for _, m := range l.Items {
				b.WriteString(m.Content + "\n\n")
			}
			if page.Cursor = l.Next; err != nil || l.Next == "" || b.Len() >= most {
				said = b.String()
				return err
			}
		}
	})
	return c, said, err
}

// unplaced reports whether nobody has given a conversation a container: neither who began it nor who added to it, nor [Path.Place].
func unplaced(c lukasa.Conversation) bool {
	return c.Home != "" && c.Home == c.Node && c.Messages <= maxMoved
}

// Place moves a conversation that is unplaced into a container, which is made if it is new: its messages, its recall files, and the
// memories that nothing else tells of. It returns the conversation as it stands then: where it was, if it has been placed
// meanwhile or one of its name stands there.
func (p *Path) Place(ctx context.Context, sc lukasa.Scope, id lukasa.ID, path lukasa.Path, why string) (c lukasa.Conversation, err error) {
	if err := sc.CanWrite(); err != nil {
		return c, err
	}
	var to lukasa.Node
	made := false
	err = p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		made = false
		if c, err = tx.Conversation(id); err != nil || !unplaced(c) {
			return err
		}
		if there, err := tx.NodeAt(path); err == nil {
			if _, err = tx.ConversationAt(there.ID, c.ExternalID, false); lukasa.CodeOf(err) != lukasa.CodeNotFound {
				return err
			}
		}
		if to, made, err = store.EnsureNode(tx, p.Mint, lukasa.NewNode{Path: path}); err != nil {
			return err
		}
		tx.Because("pipeline", why)
		c, err = moveConversation(tx, c, to)
		return err
	})
	if err == nil && made {
		p.notify(sc, lukasa.EventNodeCreated, to.ID, to.Path, to.ID, nil)
	}
	return c, err
}

// moveConversation carries a conversation with its stretches into a node, and the memories that it alone is the source of.
func moveConversation(tx store.Tx, c lukasa.Conversation, to lukasa.Node) (lukasa.Conversation, error) {
	from := c.Node
	c.Node, c.Path = to.ID, to.Path
	if err := tx.PutConversation(c); err != nil {
		return c, err
	}
	var parts []lukasa.ID
	err := everyPage(func(page lukasa.Page) (string, error) {
		l, err := tx.Segments(store.SegmentFilter{Conversation: c.ID}, page)
		for _, g := range l.Items {
			parts = append(parts, g.Document)
		}
		return l.Next, err
	})
	if err != nil {
		return c, err
	}
	docs, err := tx.DocumentsByID(parts)
	if err != nil {
		return c, err
	}
	quarantined := lukasa.MemoryQuarantined
	for _, d := range docs {
		var learned []lukasa.Memory
		for _, state := range []*string{nil, &quarantined} {
			if err := everyPage(func(page lukasa.Page) (string, error) {
				l, err := tx.Memories(lukasa.MemoryFilter{Document: d.ID, State: state}, page)
				learned = append(learned, l.Items...)
				return l.Next, err
			}); err != nil {
				return c, err
			}
		}
		for _, m := range learned {
			if alone, err := toldOnlyIn(tx, m, c.ID, parts); err != nil || !alone || m.Node != from {
				if err != nil {
					return c, err
				}
				continue
			}
			m.Node, m.Path = to.ID, to.Path
			if err := tx.PutMemory(m); err != nil {
				return c, err
			}
		}
		d.Node, d.Path = to.ID, to.Path
		if err := tx.PutDocument(d); err != nil { // without content, which stays
			return c, err
		}
	}
	return c, nil
}

// toldOnlyIn reports whether all that a memory comes from stands in one conversation.
func toldOnlyIn(r store.Reader, m lukasa.Memory, talk lukasa.ID, parts []lukasa.ID) (bool, error) {
	var said []lukasa.ID
	for _, s := range m.Sources {
		switch {
		case s.Message != "":
			said = append(said, s.Message)
		case !slices.Contains(parts, s.Document):
			return false, nil
		}
	}
	ms, err := r.MessagesByID(said)
	return !slices.ContainsFunc(ms, func(m lukasa.Message) bool { return m.Conversation != talk }), err
}

// everyPage asks for one page of a list after the other.
func everyPage(list func(lukasa.Page) (next string, err error)) error {
	for page := (lukasa.Page{Limit: 100}); ; {
		next, err := list(page)
		if page.Cursor = next; err != nil || next == "" {
			return err
		}
	}
}
