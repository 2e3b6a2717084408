package graph

import (
	"context"
	"fmt"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Archive moves everything of a node into another (its parent for ""; what stands on the first level goes to the container for
// content that names none) and removes the node. Containers below it move along and keep their names; where one of the name is
// there already, the two become one. It is one transaction: all of it happens, or nothing. Where that would hold up other writers for
// long, a job does it in steps; until the last one the node is there, and every record in it or in the other.
func (p *Path) Archive(ctx context.Context, sc lukasa.Scope, idOrPath string, into lukasa.Path) (Archived, error) {
	var out Archived
	if into != "" {
		if _, err := lukasa.ParsePath(string(into)); err != nil {
			return out, err
		}
		if err := store.MayShape(sc, into); err != nil {
			return out, err
		}
	}
	var from, to lukasa.Node
	err := p.change(ctx, sc, func(tx store.Tx) (err error) {
		if from, err = find(tx, idOrPath); err != nil {
			return err
		}
		target, err := archiveTarget(sc, from, into)
		if err != nil {
			return err
		}
		if to, _, err = p.ensure(tx, target); err != nil {
			return err
		}
		large, err := exceeds(tx, from)
		if err != nil {
			return err
		}
		if large {
			out = receipt(from, to, Archiving)
			return p.archiveLater(tx, sc, from, to)
		}
		a := archiver{p: p, tx: tx, out: receipt(from, to, "archived")}
		tx.Because("", fmt.Sprintf("container %s was archived into %s", from.Path, to.Path))
		if err := a.fold(from, to); err != nil {
			return err
		}
		out = a.out
		return poke(tx, []lukasa.ID{to.ID}, p.now())
	})
	if err != nil {
		return Archived{}, err
	}
	if out.State == Archiving {
		return out, nil
	}
	p.tell(sc, EventNodeArchived, to, from.ID, map[string]any{"container": from.Path, "into": to.Path, "documents": out.Documents, "memories": out.Memories})
	return out, nil
}

func receipt(from, to lukasa.Node, state string) Archived {
	return Archived{
		Container: from.Path, Into: to.Path, Node: to.ID, State: state, Nodes: []lukasa.ID{}, Moved: []Moved{}, Renamed: []Renamed{},
	}
}

func archiveTarget(sc lukasa.Scope, from lukasa.Node, into lukasa.Path) (lukasa.Path, error) {
	if from.Depth == 0 || from.Path == sc.Root && sc.Root != "" {
		return "", &lukasa.Error{
			Code: lukasa.CodeForbidden, Msg: "this container cannot be archived with this key", Hint: "use a key that is bound to a container above it",
		}
	}
	if err := store.MayShape(sc, from.Path); err != nil {
		return "", err
	}
	if into == "" {
		if into = from.Path.Parent(); into == "" {
			into = lukasa.DefaultPath
		}
	}
	if from.Path.Covers(into) {
		return "", &lukasa.Error{
			Code: lukasa.CodeConflict, Field: "into", Msg: fmt.Sprintf("container %s cannot be archived into %s", from.Path, into),
			Hint: "name another container in into",
		}
	}
	return into, nil
}

// archiver moves what stands in nodes within one transaction.
type archiver struct {
	p     *Path
	tx    store.Tx
	out   Archived
	limit int // records that are moved; 0: all
	moved int
}

// left is how many records may still be moved, 0 for all; full reports whether it is none.
func (a *archiver) left() int  { return max(0, a.limit-a.moved) }
func (a *archiver) full() bool { return a.limit > 0 && a.moved >= a.limit }

// fold moves the content of a node and what is below it into another, and removes it.
func (a *archiver) fold(from, to lukasa.Node) error {
	below, err := a.tx.Nodes([]lukasa.Pattern{{Path: from.Path, Mode: '*'}}, false)
	if err != nil {
		return err
	}
	for _, c := range below {
		path := to.Path + "." + lukasa.Path(c.Path.Name())
		there, err := a.tx.NodeAt(path)
		switch lukasa.CodeOf(err) {
		case "":
			err = a.fold(c, there)
		case lukasa.CodeNotFound:
			a.out.Moved = append(a.out.Moved, Moved{From: c.Path, To: path})
			c.Path, c.UpdatedAt = path, a.p.now()
			err = a.tx.PutNode(c)
		}
		if err != nil {
			return err
		}
	}
	if err := a.content(from, to); err != nil {
		return err
	}
	buried, err := a.unbury(from)
	if err != nil {
		return err
	}
	if len(buried) > 0 {
		if err := a.content(from, to); err != nil {
			return err
		}
		for _, id := range buried {
			if err := a.tx.Bury(id); err != nil {
				return err
			}
		}
		a.out.Trash += len(buried)
	}
	if err := a.edges(from, to); err != nil {
		return err
	}
	gone, keys, err := a.tx.DeleteNode(from.ID)
	if err != nil {
		return err
	}
	if n := gone.Documents + gone.Memories + gone.Messages + len(keys); n > 0 { // nothing may go with the node
		return lukasa.Errorf(lukasa.CodeInternal, "archiving %s would have lost %d records", from.Path, n)
	}
	a.out.Nodes = append(a.out.Nodes, from.ID)
	return nil
}

// content moves what stands in a node and is not in the trash.
func (a *archiver) content(from, to lukasa.Node) error {
	for _, step := range []func(from, to lukasa.Node) error{a.memories, a.conversations, a.documents} {
		if err := step(from, to); err != nil {
			return err
		}
	}
	return nil
}

// unbury takes what of a node lies in the trash out of it and returns it, so that it can be moved and put back. Its time there
// begins again.
func (a *archiver) unbury(from lukasa.Node) ([]lukasa.ID, error) {
	list, _, err := gather(0, a.tx.Buried)
	var out []lukasa.ID
	for _, b := range list {
		if err != nil || b.Node != from.ID {
			continue
		}
		out = append(out, b.Record)
		err = a.tx.Unbury(b.Record)
	}
	return out, err
}

func (a *archiver) memories(from, to lukasa.Node) error {
	quarantined, candidate := lukasa.MemoryQuarantined, lukasa.MemoryCandidate
	for _, state := range []*string{nil, &quarantined, &candidate} {
		if a.full() {
			return nil
		}
		list, _, err := gather(a.left(), func(p lukasa.Page) (lukasa.Listing[lukasa.Memory], error) {
			return a.tx.Memories(lukasa.MemoryFilter{Containers: only(from), State: state}, p)
		})
		if err != nil {
			return err
		}
		for _, m := range list {
			m.Node, m.Path = to.ID, to.Path
			if err := a.tx.PutMemory(m); err != nil {
				return err
			}
			a.out.Memories++
			a.moved++
		}
	}
	return nil
}

func (a *archiver) conversations(from, to lukasa.Node) error {
	if a.full() {
		return nil
	}
	list, _, err := gather(a.left(), func(p lukasa.Page) (lukasa.Listing[lukasa.Conversation], error) {
		return a.tx.Conversations(only(from), p)
	})
	if err != nil {
		return err
	}
	for _, c := range list {
		if err := a.conversation(c, to); err != nil {
			return err
		}
		a.out.Conversations++
		a.moved++
	}
	return nil
}

// conversation moves a dialogue with its stretches. Where its name is taken, it says where it comes from.
func (a *archiver) conversation(c lukasa.Conversation, to lukasa.Node) error {
	name := c.ExternalID
	for n := 1; ; n++ {
		_, err := a.tx.ConversationAt(to.ID, name, false)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			break
		}
		if err != nil {
			return err
		}
		name = fmt.Sprintf("%s (%s)", c.ExternalID, c.Path)
		if n > 1 {
			name = fmt.Sprintf("%s (%s, %d)", c.ExternalID, c.Path, n)
		}
	}
	if name != c.ExternalID {
		a.out.Renamed = append(a.out.Renamed, Renamed{ID: c.ID, From: c.ExternalID, To: name})
	}
	c.ExternalID, c.Node, c.Path = name, to.ID, to.Path
	return a.tx.PutConversation(c)
}

func (a *archiver) documents(from, to lukasa.Node) error {
	if a.full() {
		return nil
	}
	list, _, err := gather(a.left(), func(p lukasa.Page) (lukasa.Listing[lukasa.Document], error) {
		return a.tx.Documents(lukasa.DocumentFilter{Containers: only(from), AllVersions: true, Conversation: true}, p)
	})
	if err != nil {
		return err
	}
	for _, d := range list {
		d.Node, d.Path = to.ID, to.Path
		if err := a.tx.PutDocument(d); err != nil { // without content, which stays
			return err
		}
		a.out.Documents++
		a.moved++
	}
	return nil
}

// edges hands the node's own links on; one to the node that it goes into falls away.
func (a *archiver) edges(from, to lukasa.Node) error {
	list, err := a.tx.Edges([]lukasa.ID{from.ID}, nil, maxEdges)
	if err != nil {
		return err
	}
	for _, e := range list {
		swap(&e, from.ID, to.ID)
		if e.From == e.To {
			continue
		}
		if err := a.tx.PutEdges([]lukasa.Edge{e}); err != nil {
			return err
		}
		a.out.Edges++
	}
	return nil
}

// swap puts one record in the place of another at the ends of an edge.
func swap(e *lukasa.Edge, old, fresh lukasa.ID) {
	if e.From == string(old) {
		e.From = string(fresh)
	}
	if e.To == string(old) {
		e.To = string(fresh)
	}
}
