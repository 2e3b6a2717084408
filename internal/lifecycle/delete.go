package lifecycle

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// JobScrub is the job that follows a deletion; its record is the receipt, and its reason holds that until it is written.
const JobScrub lukasa.JobKind = "scrub"

const (
	scrubTries = 6
	jobTries   = 1000 // a job that comes too early is no try
)

// subject is what is known of a record before it goes.
type subject struct {
	kind  string
	event lukasa.EventType
	node  lukasa.ID
	path  lukasa.Path
	above lukasa.ID // of a node: the one that it hangs on
	texts []string
	told  []lukasa.Source // of a memory: its evidence
}

// Delete removes a document, memory, message, conversation or node for good, buried or not, and returns its receipt. The rows,
// and the job that sees to the rest, go in one transaction.
func (p *Path) Delete(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (Deletion, error) {
	return p.remove(ctx, sc, id, sc.Principal, ByRequest)
}

// remove is Delete for any reason; actor is "" where nobody asked.
func (p *Path) remove(ctx context.Context, sc lukasa.Scope, id, actor lukasa.ID, why string) (r Deletion, err error) {
	r = Deletion{ID: p.Mint.ID(PrefixReceipt), Owner: sc.Owner, Resource: id, Actor: actor, Why: why, At: p.now(), Scrub: Scrub{State: ScrubPending}}
	if err := sc.CanWrite(); err != nil {
		return r, err
	}
	var about subject
	var blobs []string
	var before lukasa.Removal
	if id.Prefix() == lukasa.PrefixNode {
		if before, r.Parts, err = p.clear(ctx, sc, id, r); err != nil {
			return r, err
		}
	}
	err = p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		if about, err = look(tx, id); err != nil {
			return err
		}
		r.Action, r.Node = about.kind+".delete", cmp.Or(about.above, about.node)
		if id.Prefix() == lukasa.PrefixMessage {
			r.Removed, r.Segment, blobs, err = p.purgeMessage(tx, sc, id)
		} else {
			r.Removed, blobs, err = purge(tx, id)
		}
		if err != nil {
			return err
		}
		r.Removed.Count(before)
		return p.leave(tx, sc.Owner, r)
	})
	if err != nil {
		return r, err
	}
	if about.kind == "memory" {
		about.told = append(about.told, store.OfMemory(sc.Owner, id))
	}
	err = errors.Join(p.forgetEvidence(ctx, about.told), p.noteEnded(ctx, sc, r, about))
	p.pend(r, about.texts, blobs)
	p.dropBlobs(ctx, blobs)
	p.notify(sc, about.event, about.node, about.path, id)
	p.spend(sc.Owner, before.Documents-r.Removed.Documents, before.Bytes-r.Removed.Bytes)
	return r, errors.Join(err, p.keep(context.WithoutCancel(ctx), r))
}

// atOnce is how many documents, or memories, of a container or a user go in one transaction. While one runs nobody else writes.
const atOnce = 1000

// partDelete is the action of the receipt of a part.
const partDelete = "content.delete"

// clear removes what a node holds beyond what goes with it in one transaction, for the deletion of a container or of whose root it is. Each part
// that goes has a receipt of its own, so that what is gone is told also where the deletion ends in between; then the node is there with the rest.
// It returns how much went, and the receipts.
func (p *Path) clear(ctx context.Context, sc lukasa.Scope, node lukasa.ID, whole Deletion) (gone lukasa.Removal, parts []lukasa.ID, err error) {
	for {
		r := whole
		r.ID, r.Action, r.At = p.Mint.ID(PrefixReceipt), partDelete, p.now()
		var about subject
		var blobs []string
		did := false
		err := p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
			about = subject{}
			if did, r.Removed, blobs, err = tx.ClearNode(node, atOnce, func(ids []lukasa.ID) error { return about.some(tx, ids) }); err != nil || !did {
				return err
			}
			if r.Resource == node {
				n, err := tx.Node(node)
				if r.Node = cmp.Or(n.Parent, n.ID); err != nil {
					return err
				}
			}
			return p.leave(tx, sc.Owner, r)
		})
		if err != nil || !did {
			return gone, parts, err
		}
		gone.Count(r.Removed)
		parts = append(parts, r.ID)
		if err = p.tell(context.WithoutCancel(ctx), sc.Owner, r); err == nil {
			p.pend(r, about.texts, blobs)
		}
		p.dropBlobs(ctx, blobs)
		p.spend(sc.Owner, -r.Removed.Documents, -r.Removed.Bytes)
		if err != nil {
			return gone, parts, err
		}
	}
}

// tell writes the receipt of a part, unless it is there, and sees to it that its job is in the queue of whose receipt it is. What goes of a user is
// told to whoever asked for that, but the transaction that removes it is the user's: the job that it leaves is in the user's queue, which goes too.
func (p *Path) tell(ctx context.Context, from lukasa.ID, r Deletion) error {
	if from != r.Owner {
		if _, there, err := p.find(ctx, r.Owner, r.ID, false); err != nil || there {
			return err
		}
		err := p.Store.Update(ctx, scopeOf(r.Owner), func(tx store.Tx) error { return p.leave(tx, r.Owner, r) })
		if errors.Is(err, store.ErrGone) { // nobody is left whose receipt it would be
			return nil
		}
		if err != nil {
			return err
		}
	}
	return p.keep(ctx, r)
}

// some gathers a sample of documents or memories.
func (s *subject) some(tx store.Tx, ids []lukasa.ID) error {
	for i := 0; i < len(ids); i += max(1, len(ids)/20) {
		read := s.document
		if ids[i].Prefix() == lukasa.PrefixMemory {
			read = s.memory
		}
		if err := read(tx, ids[i]); err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound { // what lies in the trash is not read
			return err
		}
	}
	return nil
}

// noteEnded writes which keys ended with the container that they were bound to.
func (p *Path) noteEnded(ctx context.Context, sc lukasa.Scope, r Deletion, s subject) error {
	if s.kind != "node" {
		return nil
	}
	keys, err := p.Store.Keys(context.WithoutCancel(ctx), sc.Owner)
	for _, k := range keys {
		if k.Root != "" && s.path.Covers(k.Root) && k.RevokedAt != nil && !k.RevokedAt.Before(r.At) {
			p.Note(ctx, sc, "key.revoke", string(k.ID), map[string]any{"user": string(k.User), "receipt_id": r.ID})
		}
	}
	return err
}

// forgetEvidence notes where a memory that was deleted had come from, so that making memories again does not make it again.
func (p *Path) forgetEvidence(ctx context.Context, told []lukasa.Source) error {
	if len(told) == 0 {
		return nil
	}
	p.forgetting.Lock()
	defer p.forgetting.Unlock()
	return store.Forget(context.WithoutCancel(ctx), p.Store, told)
}

// leave queues the job of a receipt.
func (p *Path) leave(tx store.Tx, owner lukasa.ID, r Deletion) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write receipt: %w", err)
	}
	return tx.Enqueue(lukasa.Job{
		ID: p.Mint.ID(lukasa.PrefixJob), Owner: owner, Kind: JobScrub, Record: r.ID, MaxTries: jobTries, RunAt: p.scrubTime(), Reason: string(b), Created: r.At,
	})
}

// purge removes a record of any kind but a message.
func purge(tx store.Tx, id lukasa.ID) (lukasa.Removal, []string, error) {
	if id.Prefix() == lukasa.PrefixNode {
		return tx.DeleteNode(id)
	}
	return tx.Purge(id)
}

// look reads what a record is and says, before it goes. What lies in the trash is taken out for it: the transaction that reads it
// removes it.
func look(tx store.Tx, id lukasa.ID) (s subject, err error) {
	switch id.Prefix() {
	case lukasa.PrefixDocument:
		s.kind, s.event = "document", lukasa.EventDocumentDeleted
		return s, lookAt(tx, id, func() error { return s.document(tx, id) })
	case lukasa.PrefixMemory:
		s.kind, s.event = "memory", lukasa.EventMemoryDeleted
		return s, lookAt(tx, id, func() error { return s.memory(tx, id) })
	case lukasa.PrefixConversation:
		s.kind, s.event = "conversation", lukasa.EventDocumentDeleted
		return s, lookAt(tx, id, func() error { return s.conversation(tx, id) })
	case lukasa.PrefixMessage:
		s.kind, s.event = "message", lukasa.EventDocumentUpdated
		return s, s.message(tx, id)
	case lukasa.PrefixNode:
		s.kind, s.event = "node", lukasa.EventNodeDeleted
		return s, s.nodeOf(tx, id)
	}
	return s, &lukasa.Error{Code: lukasa.CodeInvalid, Field: "id", Msg: fmt.Sprintf("%q names nothing that can be deleted", id), Hint: "give a document, memory, message, conversation or container"}
}

func lookAt(tx store.Tx, id lukasa.ID, read func() error) error {
	err := read()
	if lukasa.CodeOf(err) != lukasa.CodeNotFound {
		return err
	}
	switch e := tx.Unbury(id); lukasa.CodeOf(e) {
	case "":
		return read()
	case lukasa.CodeConflict: // its name is taken, or it went along with another: it goes unread
		return nil
	}
	return err
}

func (s *subject) document(tx store.Tx, id lukasa.ID) error {
	d, err := tx.Document(id)
	if err != nil {
		return err
	}
	s.node, s.path = d.Node, d.Path
	s.add(d.Content, d.Title, d.Summary)
	return s.within(tx, id, d.Content == "")
}

// within gathers what stands in a document: its chunks where its text is elsewhere, and what was learned from it.
func (s *subject) within(tx store.Tx, id lukasa.ID, chunks bool) error {
	if chunks {
		list, err := tx.Chunks(id)
		if err != nil {
			return err
		}
		for _, c := range list {
			s.add(c.Content)
		}
	}
	ms, err := tx.Memories(lukasa.MemoryFilter{Document: id}, lukasa.Page{Limit: 100})
	for _, m := range ms.Items {
		s.add(m.Content)
	}
	return err
}

func (s *subject) memory(tx store.Tx, id lukasa.ID) error {
	m, err := tx.Memory(id)
	if err != nil {
		return err
	}
	s.node, s.path = m.Node, m.Path
	s.told = m.Sources
	s.add(m.Content, m.Value)
	return nil
}

func (s *subject) message(tx store.Tx, id lukasa.ID) error {
	ms, err := tx.MessagesByID([]lukasa.ID{id})
	if err != nil {
		return err
	}
	if len(ms) == 0 {
		return lukasa.NotFound("message", id)
	}
	s.node = ms[0].Node
	n, err := tx.Node(s.node)
	if err != nil {
		return err
	}
	s.path = n.Path
	s.add(ms[0].Content)
	return nil
}

func (s *subject) conversation(tx store.Tx, id lukasa.ID) error {
	c, err := tx.Conversation(id)
	if err != nil {
		return err
	}
	s.node, s.path = c.Node, c.Path
	l, err := tx.Messages(id, lukasa.Page{Limit: 100})
	for _, m := range l.Items {
		s.add(m.Content)
	}
	return err
}

// nodeOf gathers a sample of what stands in a node and below it.
func (s *subject) nodeOf(tx store.Tx, id lukasa.ID) error {
	n, err := tx.Node(id)
	if err != nil {
		return err
	}
	if n.Depth == 0 {
		return lukasa.Errorf(lukasa.CodeForbidden, "the root cannot be deleted")
	}
	s.node, s.path, s.above = n.ID, n.Path, n.Parent
	s.add(n.Summary)
	in := []lukasa.Pattern{{Path: n.Path}}
	docs, err := tx.Documents(lukasa.DocumentFilter{Containers: in, Conversation: true, AllVersions: true}, lukasa.Page{Limit: 100})
	if err != nil {
		return err
	}
	for _, d := range docs.Items[:min(len(docs.Items), 40)] {
		s.add(d.Title, d.Summary)
		if err := s.within(tx, d.ID, true); err != nil {
			return err
		}
	}
	ms, err := tx.Memories(lukasa.MemoryFilter{Containers: in}, lukasa.Page{Limit: 100})
	for _, m := range ms.Items {
		s.add(m.Content)
	}
	return err
}

const maxTexts = 400

// add keeps texts to choose pieces from.
func (s *subject) add(texts ...string) {
	for _, t := range texts {
		if t != "" && len(s.texts) < maxTexts {
			s.texts = append(s.texts, t)
		}
	}
}
