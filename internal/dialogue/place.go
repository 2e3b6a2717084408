package dialogue

import (
	"context"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// maxPlaced is how many messages a conversation may have to be moved without having been asked for: others wait for less than they would for
// a move that somebody wants.
const maxPlaced = 2000

// Unplaced returns a conversation that may still be given a container, and the first bytes that were said in it, at least most of them
// if there are so many; "" for one that may not.
func (p *Path) Unplaced(ctx context.Context, sc lukasa.Scope, id lukasa.ID, most int) (c lukasa.Conversation, said string, err error) {
	err = p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		said = ""
		if c, err = r.Conversation(id); err != nil || !unplaced(c) {
			return err
		}
		var b strings.Builder
		for page := (lukasa.Page{Limit: 100, Uncounted: true}); ; {
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
	return c.Home != "" && c.Home == c.Node && c.Messages <= maxPlaced
}

// Place moves a conversation that is unplaced into a container, which is made if it is new, as [Path.Put] does. It returns the conversation
// as it stands then: where it was, if it has been placed meanwhile or one of its name stands there.
func (p *Path) Place(ctx context.Context, sc lukasa.Scope, id lukasa.ID, path lukasa.Path, why string) (c lukasa.Conversation, err error) {
	if err := sc.CanWrite(); err != nil {
		return c, err
	}
	var made lukasa.Node
	err = p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		made = lukasa.Node{}
		if c, err = tx.Conversation(id); err != nil || !unplaced(c) {
			return err
		}
		if there, err := tx.NodeAt(path); err == nil {
			if _, err = tx.ConversationAt(there.ID, c.ExternalID, false); lukasa.CodeOf(err) != lukasa.CodeNotFound {
				return err
			}
		}
		to, isNew, err := store.EnsureNode(tx, p.Mint, lukasa.NewNode{Path: path})
		if err != nil {
			return err
		}
		if isNew {
			made = to
		}
		was := c
		c.Node, c.Path = to.ID, to.Path
		tx.Because("pipeline", why)
		return p.Put(tx, sc, was, c)
	})
	if err == nil {
		p.tellMade(sc, made)
	}
	return c, err
}

// tellMade tells of a node that had to be made; the zero Node was not.
func (p *Path) tellMade(sc lukasa.Scope, n lukasa.Node) {
	if n.ID != "" {
		p.Notify(lukasa.Event{
			ID: p.Mint.ID(lukasa.PrefixEvent), Type: lukasa.EventNodeCreated, Owner: sc.Owner, Node: n.ID, Path: n.Path, Record: n.ID, At: p.Mint.Now().UTC(),
		})
	}
}
