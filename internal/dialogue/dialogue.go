// Package dialogue keeps what a conversation is called and where it stands: its title, labels and facts, and its move into another
// container with all that was said in it and drawn from it.
package dialogue

import (
	"context"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Deps are what the path works with.
type Deps struct {
	Store  store.Store
	Mint   lukasa.Minter
	Notify func(lukasa.Event) // called after the commit; must not block
}

// Path is safe for concurrent use.
type Path struct{ Deps }

// New makes the path.
func New(d Deps) *Path { return &Path{Deps: d} }

// maxTitle is the longest title, in characters.
const maxTitle = 500

// Patch changes what a conversation is called, and moves it into the container to, which is made if it is new, unless that is "". A
// container that has a conversation of its name is [lukasa.CodeConflict]; a conversation too long to be moved is [lukasa.CodeTooLarge].
func (p *Path) Patch(ctx context.Context, sc lukasa.Scope, id lukasa.ID, in lukasa.DocumentPatch, to string) (c lukasa.Conversation, err error) {
	if err := sc.CanWrite(); err != nil {
		return c, err
	}
	now := p.Mint.Now().UTC()
	switch {
	case in.Title != nil && utf8.RuneCountInString(*in.Title) > maxTitle:
		return c, lukasa.Invalid("title", "is over %d characters", maxTitle)
	case in.ForgetAfter != nil && !in.ForgetAfter.After(now):
		return c, lukasa.Invalid("forget_after", "lies in the past")
	case in.Tags != nil:
		if err := store.CheckTags(*in.Tags); err != nil {
			return c, err
		}
	}
	var path lukasa.Path
	if to != "" {
		if path, err = store.Target(sc, to); err != nil {
			return c, err
		}
	}
	var made lukasa.Node
	err = p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		made = lukasa.Node{}
		was, err := tx.Conversation(id)
		if err != nil {
			return err
		}
		c = was
		if in.Title != nil {
			c.Title = *in.Title
		}
		if in.Tags != nil {
			c.Tags, _ = store.MergeTags(nil, *in.Tags)
		}
		if in.ForgetAfter != nil || in.ClearForget {
			c.ForgetAfter = in.ForgetAfter
		}
		c.Metadata = store.MergeMetadata(store.MergeMetadata(nil, was.Metadata), in.Metadata)
		if path != "" {
			if made, err = p.send(tx, &c, path); err != nil {
				return err
			}
			if c.Node != was.Node {
				tx.Because(string(sc.Principal), "the conversation was moved to "+string(c.Path))
			}
		}
		return p.Put(tx, sc, was, c)
	})
	if err != nil {
		return c, err
	}
	p.tellMade(sc, made)
	p.Notify(lukasa.Event{
		ID: p.Mint.ID(lukasa.PrefixEvent), Type: lukasa.EventTalkUpdated, Owner: sc.Owner, Node: c.Node, Path: c.Path, Record: c.ID, At: now,
		Data: map[string]any{"conversation": c.ExternalID},
	})
	return c, nil
}

// send gives a conversation its new place, and returns the node if it had to be made. Who goes on without naming a container still finds
// it, as long as it is not sent back to where it was begun: there it is found by its name.
func (p *Path) send(tx store.Tx, c *lukasa.Conversation, to lukasa.Path) (made lukasa.Node, err error) {
	node, isNew, err := store.EnsureNode(tx, p.Mint, lukasa.NewNode{Path: to})
	if err != nil {
		return made, err
	}
	if isNew {
		made = node
	}
	if c.Home == node.ID {
		c.Home = "" // somebody has named its container: there it stays
	}
	if c.Node == node.ID {
		return made, nil
	}
	if c.Messages > maxMoved {
		return made, &lukasa.Error{
			Code: lukasa.CodeTooLarge, Field: "container", Msg: "the conversation has too many messages to be moved at once",
			Hint: "move the container that it stands in instead",
		}
	}
	if other, err := tx.ConversationAt(node.ID, c.ExternalID, false); err == nil {
		return made, &lukasa.Error{
			Code: lukasa.CodeConflict, Field: "container", Msg: "a conversation of the same name stands there: " + string(other.ID),
			Hint: "move that one elsewhere first, or choose another container",
		}
	} else if lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return made, err
	}
	c.Node, c.Path = node.ID, node.Path
	return made, nil
}
