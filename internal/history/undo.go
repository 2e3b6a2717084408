package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Restore makes the state that a record had at a moment current again. Of a document, an earlier version's content becomes a
// new version.
func (p *Path) Restore(ctx context.Context, sc lukasa.Scope, id lukasa.ID, at time.Time, reason string) error {
	if err := sc.CanWrite(); err != nil {
		return err
	}
	if at.IsZero() {
		return lukasa.Invalid("at", "is missing: name the moment whose state is to return")
	}
	if reason == "" {
		reason = "restored to " + at.UTC().Format(time.RFC3339)
	}
	was, err := p.at(ctx, sc, id, at)
	if err != nil {
		return err
	}
	err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
		tx.Because(string(sc.Principal), reason)
		if err := p.put(tx, sc, was, reason); err != nil {
			return err
		}
		return p.embed(tx, sc, id)
	})
	if err == nil {
		p.tell(sc, id, was)
	}
	return err
}

// RestoreVersion saves the content of an earlier version as the newest one.
func (p *Path) RestoreVersion(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Receipt, error) {
	d, content, err := p.document(ctx, sc, id)
	if err != nil {
		return lukasa.Receipt{}, err
	}
	if d.IsLatest {
		return lukasa.Receipt{}, lukasa.Errorf(lukasa.CodeConflict, "%s is the newest version already", id)
	}
	return p.Remember(ctx, sc, lukasa.NewDocument{
		Content: content, ContentType: d.ContentType, Title: d.Title, Container: string(d.Path), Updates: id, Metadata: d.Metadata, Tags: d.Tags,
		OccurredAt: d.OccurredAt, Origin: d.Origin,
	})
}

// Undo turns one change back. A record that has changed again since is a conflict: what came later would be lost. The id of a record
// stands for its last change; of a document that has not changed since it was saved, the saving: it goes into the trash.
func (p *Path) Undo(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (lukasa.Delta, error) {
	var d lukasa.Delta
	if err := sc.CanWrite(); err != nil {
		return d, err
	}
	var was any
	err := p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		var unsaved bool
		if d, unsaved, err = p.change(tx, sc, id); err != nil {
			return err
		}
		if unsaved {
			tx.Because(string(sc.Principal), "undo of saving it")
			return tx.Bury(id)
		}
		last, err := tx.History(d.Record, lukasa.Page{Limit: 1})
		if err != nil {
			return err
		}
		if len(last.Items) > 0 && last.Items[0].ID != d.ID {
			return &lukasa.Error{
				Code: lukasa.CodeConflict, Field: "delta", Msg: fmt.Sprintf("%s has changed since", d.Record),
				Hint: "undo " + string(last.Items[0].ID) + " first, or restore the record to a moment",
			}
		}
		tx.Because(string(sc.Principal), "undo of "+string(d.ID))
		if was, err = p.revert(tx, sc, d); err != nil {
			return err
		}
		if err := p.embed(tx, sc, d.Record); err != nil {
			return err
		}
		return apartIn(tx, sc, &d)
	})
	if err == nil {
		p.tell(sc, d.Record, was)
	}
	return d, err
}

// embed has the vector made that a record lost with its text, where it is one that has been embedded.
func (p *Path) embed(tx store.Tx, sc lukasa.Scope, id lukasa.ID) error {
	switch id.Prefix() {
	case lukasa.PrefixMemory:
	case lukasa.PrefixDocument:
		d, err := tx.Document(id)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			return nil // its saving was undone
		}
		if err != nil || d.Status != lukasa.StatusDone {
			return err
		}
	default:
		return nil
	}
	now := p.Mint.Now().UTC()
	return tx.Enqueue(lukasa.Job{ID: p.Mint.ID(lukasa.PrefixJob), Owner: sc.Owner, Kind: lukasa.JobEmbed, Record: id, MaxTries: 20, RunAt: now, Created: now})
}

// prefixDelta leads the ids of changes.
const prefixDelta = "delta"

// change returns the change that is to be turned back. The saving of a document has no line in the log: unsaved says that it is what
// is meant.
func (p *Path) change(tx store.Tx, sc lukasa.Scope, id lukasa.ID) (d lukasa.Delta, unsaved bool, err error) {
	if id.Prefix() == prefixDelta {
		d, err = tx.Delta(id)
		return d, false, err
	}
	last, err := tx.History(id, lukasa.Page{Limit: 1})
	if err != nil {
		return d, false, err
	}
	if len(last.Items) > 0 {
		return last.Items[0], false, nil
	}
	if id.Prefix() != lukasa.PrefixDocument {
		return d, false, lukasa.NotFound("change of", id)
	}
	doc, err := tx.Document(id)
	if err != nil {
		return d, false, err
	}
	if _, err := tx.Segment(id); lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return d, false, errors.Join(err, &lukasa.Error{
			Code: lukasa.CodeConflict, Field: "id", Msg: fmt.Sprintf("%s is a stretch of a conversation", id), Hint: "delete its messages, or the conversation",
		})
	}
	return lukasa.Delta{Record: id, Node: doc.Node, Op: "create", Author: string(sc.Principal), At: doc.CreatedAt}, true, nil
}

// revert writes the state before a delta, and before what was done together with it.
func (p *Path) revert(tx store.Tx, sc lukasa.Scope, d lukasa.Delta) (any, error) {
	reason := "undo of " + string(d.ID)
	if err := p.revertWith(tx, d); err != nil {
		return nil, err
	}
	switch d.Op {
	case "purge":
		return nil, lukasa.Errorf(lukasa.CodeConflict, "what was deleted for good cannot come back")
	case "delete":
		return nil, tx.Unbury(d.Record)
	case "create":
		before, err := tx.History(d.Record, lukasa.Page{Limit: 1, Offset: 1})
		if err != nil {
			return nil, err
		}
		if d.Record.Prefix() != lukasa.PrefixMemory || len(before.Items) > 0 { // it was taken out of the trash
			return nil, tx.Bury(d.Record)
		}
		m, err := tx.Memory(d.Record)
		if err != nil {
			return nil, err
		}
		return m, p.withdraw(tx, m, reason)
	}
	was, err := record(d.Record, d.Before)
	if err != nil {
		return nil, err
	}
	if c, ok := was.(lukasa.Conversation); ok {
		if now, err := tx.Conversation(c.ID); err != nil || now.Node != c.Node {
			return nil, errors.Join(err, &lukasa.Error{
				Code: lukasa.CodeConflict, Field: "delta", Msg: fmt.Sprintf("%s was a move to another container", d.ID),
				Hint: "move the conversation back: PATCH /v1/conversations/{id} with its container, or lukasa edit --to",
			})
		}
	}
	if doc, ok := was.(lukasa.Document); ok {
		now, err := tx.Document(doc.ID)
		if err == nil && now.Node != doc.Node && now.Title == doc.Title {
			return nil, &lukasa.Error{
				Code: lukasa.CodeConflict, Field: "delta", Msg: fmt.Sprintf("%s was a move to another container", d.ID),
				Hint: "what was moved stays; archiving a container takes everything out of it",
			}
		}
		if err != nil || now.IsLatest != doc.IsLatest {
			return nil, errors.Join(err, &lukasa.Error{
				Code: lukasa.CodeConflict, Field: "delta", Msg: fmt.Sprintf("%s was a change of which version is the newest", d.ID),
				Hint: "make an earlier version the newest one: POST /v1/documents/{id}/restore, or lukasa restore --version",
			})
		}
	}
	return was, p.put(tx, sc, was, reason)
}

// revertWith turns back what one act has done to other memories: those that took the place of the delta's memory, or gave it up to it, at
// the same moment, and have not changed since. So an undo of an undo leaves everything as it was before the first.
func (p *Path) revertWith(tx store.Tx, d lukasa.Delta) error {
	if d.Record.Prefix() != lukasa.PrefixMemory || d.Op != "update" && d.Op != "create" {
		return nil
	}
	edges, err := tx.Edges([]lukasa.ID{d.Record}, []lukasa.EdgeType{lukasa.EdgeUpdates}, 100)
	if err != nil {
		return err
	}
	for _, e := range edges {
		other := lukasa.ID(e.To)
		if other == d.Record {
			other = lukasa.ID(e.From)
		}
		last, err := tx.History(other, lukasa.Page{Limit: 1})
		if err != nil {
			return err
		}
		if len(last.Items) == 0 || last.Items[0].Op != "update" || !last.Items[0].At.Equal(d.At) {
			continue
		}
		was, err := record(other, last.Items[0].Before)
		if err != nil {
			return err
		}
		now, err := tx.Memory(other)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			continue
		}
		if err != nil {
			return err
		}
		m, ok := was.(lukasa.Memory)
		if !ok {
			continue
		}
		m.Key, m.UpdatedAt = now.Key, p.Mint.Now().UTC()
		if err := tx.PutMemory(m); err != nil {
			return err
		}
	}
	return nil
}

// record reads the state that a delta holds.
func record(id lukasa.ID, state json.RawMessage) (any, error) {
	read := func(v any) error {
		if err := json.Unmarshal(state, v); err != nil {
			return &lukasa.Error{Code: lukasa.CodeInternal, Msg: "the log of changes holds a record that cannot be read", Err: err}
		}
		return nil
	}
	switch id.Prefix() {
	case lukasa.PrefixMemory:
		var m lukasa.Memory
		return m, read(&m)
	case lukasa.PrefixNode:
		var n lukasa.Node
		return n, read(&n)
	case lukasa.PrefixDocument:
		var d lukasa.Document
		return d, read(&d)
	case lukasa.PrefixConversation:
		var c lukasa.Conversation
		return c, read(&c)
	}
	return nil, lukasa.Errorf(lukasa.CodeConflict, "changes of %s cannot be undone", id)
}

// put writes an earlier state of a record over the present one, and puts right what hangs on it.
func (p *Path) put(tx store.Tx, sc lukasa.Scope, was any, reason string) error {
	now := p.Mint.Now().UTC()
	switch r := was.(type) {
	case lukasa.Memory:
		today, err := tx.Memory(r.ID)
		if err != nil {
			return err
		}
		r.Key, r.UpdatedAt = today.Key, now
		if !r.IsLatest && today.IsLatest {
			if err := p.unextend(tx, r.ID); err != nil {
				return err
			}
		}
		if !r.IsLatest || today.IsLatest {
			return tx.PutMemory(r)
		}
		if err := p.clear(tx, r, reason); err != nil {
			return err
		}
		if err := tx.PutMemory(r); err != nil {
			return err
		}
		return p.extend(tx, r)
	case lukasa.Node:
		today, err := tx.Node(r.ID)
		if err != nil {
			return err
		}
		today.Description, today.Summary, today.Keywords, today.Type, today.UpdatedAt = r.Description, r.Summary, r.Keywords, r.Type, now
		return tx.PutNode(today)
	case lukasa.Document:
		today, err := tx.Document(r.ID)
		if err != nil {
			return err
		}
		today.Title, today.Tags, today.Metadata, today.ForgetAfter, today.OccurredAt = r.Title, r.Tags, r.Metadata, r.ForgetAfter, r.OccurredAt
		today.Summary, today.Category, today.UpdatedAt = r.Summary, r.Category, now
		return tx.PutDocument(today)
	case lukasa.Conversation:
		today, err := tx.Conversation(r.ID)
		if err != nil {
			return err
		}
		c := today
		c.Title, c.Tags, c.Metadata, c.ForgetAfter = r.Title, r.Tags, r.Metadata, r.ForgetAfter
		return p.Rename(tx, sc, today, c)
	}
	return lukasa.Errorf(lukasa.CodeInternal, "a record of an unknown kind")
}

// clear makes room for a memory that returns: another that holds its slot now is retired by it.
func (p *Path) clear(tx store.Tx, m lukasa.Memory, reason string) error {
	if m.Slot == "" || m.Subject == "" {
		return nil
	}
	yes := true
	l, err := tx.Memories(lukasa.MemoryFilter{
		Containers: []lukasa.Pattern{{Path: m.Path, Mode: '!'}}, Subject: m.Subject, Slot: m.Slot, Latest: &yes,
	}, lukasa.Page{Limit: 100})
	if err != nil {
		return err
	}
	now := p.Mint.Now().UTC()
	var took []lukasa.Edge
	for _, o := range l.Items {
		if o.ID == m.ID || merge.Agree(&o, &m) {
			continue
		}
		o.IsLatest, o.RetiredBy, o.RetiredAt, o.Reason, o.UpdatedAt = false, m.ID, &now, reason, now
		if err := tx.PutMemory(o); err != nil {
			return err
		}
		took = append(took, lukasa.Edge{From: string(m.ID), To: string(o.ID), Type: lukasa.EdgeUpdates, Weight: 1, Confidence: m.Confidence})
	}
	if len(took) == 0 {
		return nil
	}
	return tx.PutEdges(took)
}

// extend says again which memories one that returned extends, and which extend it.
func (p *Path) extend(tx store.Tx, m lukasa.Memory) error {
	if m.Slot == "" || m.Subject == "" {
		return nil
	}
	others, err := tx.Rivals(store.Claim{Node: m.Node, Slot: m.Slot, Subject: m.Subject})
	if err != nil {
		return err
	}
	return tx.PutEdges(merge.Additions(&m, others))
}

// unextend removes what [Path.extend] and the path that learns have said of a memory; what was linked by hand stays.
func (p *Path) unextend(tx store.Tx, id lukasa.ID) error {
	list, err := tx.Edges([]lukasa.ID{id}, []lukasa.EdgeType{lukasa.EdgeExtends}, maxExtends)
	if err != nil {
		return err
	}
	var starts []lukasa.ID
	for _, e := range list {
		if found, _ := e.Metadata[merge.KeyFound].(bool); found && !slices.Contains(starts, lukasa.ID(e.From)) {
			starts = append(starts, lukasa.ID(e.From))
		}
	}
	for _, from := range starts {
		stay, err := tx.Edges([]lukasa.ID{from}, []lukasa.EdgeType{lukasa.EdgeExtends}, maxExtends)
		if err != nil {
			return err
		}
		if err := tx.DeleteEdges(from, lukasa.EdgeExtends); err != nil {
			return err
		}
		stay = slices.DeleteFunc(stay, func(e lukasa.Edge) bool {
			found, _ := e.Metadata[merge.KeyFound].(bool)
			return e.From != string(from) || found && (e.From == string(id) || e.To == string(id))
		})
		if err := tx.PutEdges(stay); err != nil {
			return err
		}
	}
	return nil
}

// maxExtends bounds how many edges of that type are read at a memory.
const maxExtends = 1000

// withdraw retires a memory whose making is undone, and gives back what it had taken the place of.
func (p *Path) withdraw(tx store.Tx, m lukasa.Memory, reason string) error {
	now := p.Mint.Now().UTC()
	replaced, err := tx.Edges([]lukasa.ID{m.ID}, []lukasa.EdgeType{lukasa.EdgeUpdates}, 100)
	if err != nil {
		return err
	}
	for _, e := range replaced {
		if e.From != string(m.ID) {
			continue
		}
		old, err := tx.Memory(lukasa.ID(e.To))
		if err != nil || old.RetiredBy != m.ID {
			continue
		}
		old.IsLatest, old.RetiredBy, old.RetiredAt, old.ValidTo, old.Reason, old.UpdatedAt = true, "", nil, nil, "", now
		if err := tx.PutMemory(old); err != nil {
			return err
		}
	}
	if err := p.unextend(tx, m.ID); err != nil {
		return err
	}
	m.IsLatest, m.RetiredAt, m.Reason, m.UpdatedAt = false, &now, reason, now
	return tx.PutMemory(m)
}

// tell is the news of a change.
func (p *Path) tell(sc lukasa.Scope, id lukasa.ID, was any) {
	if p.Notify == nil {
		return
	}
	e := lukasa.Event{ID: p.Mint.ID(lukasa.PrefixEvent), Owner: sc.Owner, Record: id, Type: lukasa.EventMemoryUpdated, At: p.Mint.Now().UTC()}
	switch r := was.(type) {
	case lukasa.Memory:
		e.Node, e.Path = r.Node, r.Path
	case lukasa.Node:
		return
	case lukasa.Document:
		e.Node, e.Path, e.Type = r.Node, r.Path, lukasa.EventDocumentUpdated
	case lukasa.Conversation:
		e.Node, e.Path, e.Type = r.Node, r.Path, lukasa.EventTalkUpdated
	}
	p.Notify(e)
}
