package dialogue

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// maxMoved is how many messages a conversation may have to be moved: it is one transaction, which holds up other writers.
const maxMoved = 10_000

// Put writes what a conversation is called and where it stands now, and makes its stretches follow: their titles, so that it is found by
// its own; its labels, beside those that they have of themselves; and their place, with their messages and the memories that are drawn
// from them alone, in the trash, too. A memory that something else tells of, too, stays where it is, and tells of that alone.
func (p *Path) Put(tx store.Tx, sc lukasa.Scope, was, c lukasa.Conversation) error {
	moved := was.Node != c.Node
	var hidden []lukasa.ID
	var err error
	if moved { // what lies in the trash is to come out of it at the new place
		if hidden, err = p.unbury(tx, was); err != nil {
			return err
		}
	}
	if err := tx.PutConversation(c); err != nil {
		return err
	}
	if !moved && was.Title == c.Title && slices.Equal(was.Tags, c.Tags) {
		return nil
	}
	parts, err := stretches(tx, c.ID)
	if err != nil {
		return err
	}
	docs, err := tx.DocumentsByID(parts)
	if err != nil {
		return err
	}
	for _, d := range docs {
		if moved {
			if err := p.take(tx, d.ID, was, c, parts); err != nil {
				return err
			}
			d.Node, d.Path = c.Node, c.Path
		}
		if err := p.name(tx, sc, d, was, c); err != nil {
			return err
		}
	}
	for _, id := range hidden {
		if err := tx.Bury(id); err != nil {
			return err
		}
	}
	return nil
}

// name writes a stretch as the conversation is called.
func (p *Path) name(tx store.Tx, sc lukasa.Scope, d lukasa.Document, was, c lukasa.Conversation) error {
	now := p.Mint.Now().UTC()
	retitled := was.Title != c.Title
	if retitled {
		d.Title, d.UpdatedAt = cmp.Or(c.Title, c.ExternalID), now
	}
	if !slices.Equal(was.Tags, c.Tags) {
		own := slices.DeleteFunc(slices.Clone(d.Tags), func(t string) bool { return slices.Contains(was.Tags, t) })
		d.Tags, _ = store.MergeTags(own, c.Tags)
		d.UpdatedAt = now
	}
	if err := tx.PutDocument(d); err != nil || !retitled || d.Status != lukasa.StatusDone { // without content, which stays
		return err
	}
	// Title and summary have one vector.
	return tx.Enqueue(lukasa.Job{ID: p.Mint.ID(lukasa.PrefixJob), Owner: sc.Owner, Kind: lukasa.JobEmbed, Record: d.ID, MaxTries: 20, RunAt: now, Created: now})
}

// take carries along the memories that are drawn from a stretch of a conversation that moves. Those that stay lose it as a source: who may
// read them there need not be let read what has gone.
func (p *Path) take(tx store.Tx, stretch lukasa.ID, was, c lukasa.Conversation, parts []lukasa.ID) error {
	quarantined, candidate := lukasa.MemoryQuarantined, lukasa.MemoryCandidate
	var drawn []lukasa.Memory
	for _, state := range []*string{nil, &quarantined, &candidate} {
		if err := pages(func(page lukasa.Page) (string, error) {
			l, err := tx.Memories(lukasa.MemoryFilter{Document: stretch, State: state}, page)
			drawn = append(drawn, l.Items...)
			return l.Next, err
		}); err != nil {
			return err
		}
	}
	for _, m := range drawn {
		if m.Node != was.Node {
			continue
		}
		others, err := elsewhere(tx, m, c.ID, parts)
		if err != nil {
			return err
		}
		if len(others) == 0 {
			m.Node, m.Path = c.Node, c.Path
		} else {
			m.Sources = others
		}
		if err := tx.PutMemory(m); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere lists the sources of a memory that do not stand in a conversation.
func elsewhere(r store.Reader, m lukasa.Memory, talk lukasa.ID, parts []lukasa.ID) (out []lukasa.Source, err error) {
	var said []lukasa.ID
	for _, s := range m.Sources {
		if s.Message != "" {
			said = append(said, s.Message)
		}
	}
	list, err := r.MessagesByID(said)
	if err != nil {
		return nil, err
	}
	other := map[lukasa.ID]bool{}
	for _, x := range list {
		other[x.ID] = x.Conversation != talk
	}
	for _, s := range m.Sources {
		if s.Message != "" && other[s.Message] || s.Message == "" && !slices.Contains(parts, s.Document) {
			out = append(out, s)
		}
	}
	return out, nil
}

// stretches lists the documents that a conversation is kept in.
func stretches(r store.Reader, talk lukasa.ID) (ids []lukasa.ID, err error) {
	err = pages(func(page lukasa.Page) (string, error) {
		l, err := r.Segments(store.SegmentFilter{Conversation: talk}, page)
		for _, g := range l.Items {
			ids = append(ids, g.Document)
		}
		return l.Next, err
	})
	return ids, err
}

// unbury takes the stretches of a conversation, and the memories drawn from it, that lie in the trash by themselves out of it, and returns
// them, so that they can be put back. Their time there begins again.
func (p *Path) unbury(tx store.Tx, c lukasa.Conversation) (out []lukasa.ID, err error) {
	var there []lukasa.ID
	if err := pages(func(page lukasa.Page) (string, error) {
		l, err := tx.Buried(page)
		for _, b := range l.Items {
			if b.Node == c.Node {
				there = append(there, b.Record)
			}
		}
		return l.Next, err
	}); err != nil {
		return nil, err
	}
	for _, id := range there {
		last, err := tx.History(id, lukasa.Page{Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(last.Items) == 0 {
			continue
		}
		if is, err := p.of(tx, id, last.Items[0].Before, c); err != nil || !is {
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := tx.Unbury(id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, nil
}

// of reports whether a record that lies in the trash, as it was when it went there, is a stretch of a conversation or drawn from it.
func (p *Path) of(tx store.Tx, id lukasa.ID, state json.RawMessage, c lukasa.Conversation) (bool, error) {
	switch id.Prefix() {
	case lukasa.PrefixDocument:
		var d store.DocumentState
		return json.Unmarshal(state, &d) == nil && d.Segment != nil && d.Segment.Conversation == c.ID, nil
	case lukasa.PrefixMemory:
		var m store.MemoryState
		if len(state) > 0 { // a purge has emptied it otherwise
			if err := json.Unmarshal(state, &m); err != nil {
				return false, &lukasa.Error{Code: lukasa.CodeInternal, Msg: "the log of changes holds a memory that cannot be read", Err: err}
			}
		}
		var said []lukasa.ID
		for _, s := range m.Sources {
			g, err := tx.Segment(s.Document)
			switch {
			case err == nil && g.Conversation == c.ID:
				return true, nil
			case err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound:
				return false, err
			}
			said = append(said, s.Message)
		}
		list, err := tx.MessagesByID(said)
		return slices.ContainsFunc(list, func(x lukasa.Message) bool { return x.Conversation == c.ID }), err
	}
	return false, nil
}

// pages asks for one page of a list after the other.
func pages(list func(lukasa.Page) (next string, err error)) error {
	for page := (lukasa.Page{Limit: 100, Uncounted: true}); ; {
		next, err := list(page)
		if page.Cursor = next; err != nil || next == "" {
			return err
		}
	}
}
