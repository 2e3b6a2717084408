package lifecycle

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Buried is a record in the trash.
type Buried struct {
	ID    lukasa.ID `json:"id"`
	Type  string    `json:"type"` // document, memory, conversation
	Node  lukasa.ID `json:"node_id"`
	Label string    `json:"label"`
	At    time.Time `json:"deleted_at"`
	Until time.Time `json:"purge_at"` // it goes for good then
}

// Bury puts a document, memory or conversation into the trash, with all that hangs on it.
func (p *Path) Bury(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (Buried, error) {
	out := Buried{ID: id, At: p.now()}
	if err := sc.CanWrite(); err != nil {
		return out, err
	}
	var about subject
	err := p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		about = subject{}
		switch id.Prefix() {
		case lukasa.PrefixDocument:
			about.kind, about.event = "document", lukasa.EventDocumentDeleted
			var d lukasa.Document
			if d, err = tx.Document(id); err == nil {
				about.node, about.path, out.Label = d.Node, d.Path, d.Title
			}
		case lukasa.PrefixMemory:
			about.kind, about.event = "memory", lukasa.EventMemoryDeleted
			var m lukasa.Memory
			if m, err = tx.Memory(id); err == nil {
				about.node, about.path, about.told, out.Label = m.Node, m.Path, append(m.Sources, store.OfMemory(sc.Owner, id)), m.Content
			}
		case lukasa.PrefixConversation:
			about.kind, about.event = "conversation", lukasa.EventDocumentDeleted
			var c lukasa.Conversation
			if c, err = tx.Conversation(id); err == nil {
				about.node, about.path, out.Label = c.Node, c.Path, c.ExternalID
			}
		default:
			return &lukasa.Error{
				Code: lukasa.CodeInvalid, Field: "id", Msg: "only documents, memories and conversations can be put into the trash",
				Hint: "delete it for good, without soft",
			}
		}
		if err != nil {
			return err
		}
		tx.Because(string(sc.Principal), "put into the trash")
		return tx.Bury(id)
	})
	if err != nil {
		return out, err
	}
	if err := p.forgetEvidence(ctx, about.told); err != nil {
		return out, err
	}
	out.Type, out.Node, out.Until = about.kind, about.node, out.At.Add(p.opt.Keep)
	p.notify(sc, about.event, about.node, about.path, id)
	p.Note(ctx, sc, about.kind+".bury", string(id), nil)
	return out, nil
}

// Trash lists what lies in the trash, newest first.
func (p *Path) Trash(ctx context.Context, sc lukasa.Scope, page lukasa.Page) (lukasa.Listing[Buried], error) {
	out := lukasa.Listing[Buried]{Items: []Buried{}}
	if sc.Owner == "" {
		return out, lukasa.Errorf(lukasa.CodeUnauthenticated, "no credential")
	}
	err := p.Store.View(ctx, sc, func(r store.Reader) error {
		l, err := r.Buried(page)
		out.Next, out.Total = l.Next, l.Total
		for _, b := range l.Items {
			out.Items = append(out.Items, Buried{ID: b.Record, Type: kindOf(b.Record), Node: b.Node, Label: b.Label, At: b.At, Until: b.At.Add(p.opt.Keep)})
		}
		return err
	})
	return out, err
}

func kindOf(id lukasa.ID) string {
	switch id.Prefix() {
	case lukasa.PrefixDocument:
		return "document"
	case lukasa.PrefixMemory:
		return "memory"
	case lukasa.PrefixConversation:
		return "conversation"
	}
	return "record"
}

// Unbury takes a record out of the trash, with what went along, and back to its place.
func (p *Path) Unbury(ctx context.Context, sc lukasa.Scope, id lukasa.ID) error {
	if err := sc.CanWrite(); err != nil {
		return err
	}
	var node lukasa.ID
	event := lukasa.EventDocumentUpdated
	err := p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		tx.Because(string(sc.Principal), "taken out of the trash")
		if err := tx.Unbury(id); err != nil {
			return err
		}
		switch id.Prefix() {
		case lukasa.PrefixMemory:
			m, err := tx.Memory(id)
			if err != nil {
				return err
			}
			node, event = m.Node, lukasa.EventMemoryUpdated
			return p.enqueue(tx, sc, lukasa.JobEmbed, id)
		case lukasa.PrefixConversation:
			c, err := tx.Conversation(id)
			if err != nil {
				return err
			}
			node = c.Node
			return p.resumeAll(tx, sc, id)
		}
		d, err := tx.Document(id)
		if err != nil {
			return err
		}
		node = d.Node
		return p.resume(tx, sc, d)
	})
	if err != nil {
		return err
	}
	p.notify(sc, event, node, "", id)
	p.Note(ctx, sc, kindOf(id)+".restore", string(id), nil)
	return nil
}

// resume queues the work on a document that found it in the trash and gave it up.
func (p *Path) resume(tx store.Tx, sc lukasa.Scope, d lukasa.Document) error {
	g, err := tx.Segment(d.ID)
	switch {
	case err == nil && g.State == lukasa.SegmentOpen && g.Trigger != "":
		if err := p.enqueue(tx, sc, lukasa.JobClose, d.ID); err != nil {
			return err
		}
	case err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound:
		return err
	case err != nil && d.ContentHash == "":
		return p.enqueue(tx, sc, lukasa.JobProcess, d.ID)
	}
	return p.enqueue(tx, sc, lukasa.JobEmbed, d.ID)
}

// resumeAll is resume for the stretches of a conversation.
func (p *Path) resumeAll(tx store.Tx, sc lukasa.Scope, conversation lukasa.ID) error {
	page := lukasa.Page{Limit: 100}
	for {
		l, err := tx.Segments(store.SegmentFilter{Conversation: conversation}, page)
		if err != nil {
			return err
		}
		for _, g := range l.Items {
			d, err := tx.Document(g.Document)
			if err != nil {
				return err
			}
			if err := p.resume(tx, sc, d); err != nil {
				return err
			}
		}
		if page.Cursor = l.Next; l.Next == "" {
			return nil
		}
	}
}

func (p *Path) enqueue(tx store.Tx, sc lukasa.Scope, kind lukasa.JobKind, record lukasa.ID) error {
	now := p.now()
	return tx.Enqueue(lukasa.Job{ID: p.Mint.ID(lukasa.PrefixJob), Owner: sc.Owner, Kind: kind, Record: record, MaxTries: 8, RunAt: now, Created: now})
}

// EmptyTrash removes for good what lies in the trash of the scope, and returns the receipts.
func (p *Path) EmptyTrash(ctx context.Context, sc lukasa.Scope) ([]Deletion, error) {
	receipts := []Deletion{}
	if err := sc.CanWrite(); err != nil {
		return receipts, err
	}
	for {
		l, err := p.Trash(ctx, sc, lukasa.Page{Limit: 100})
		if err != nil {
			return receipts, err
		}
		for _, b := range l.Items {
			r, err := p.remove(ctx, sc, b.ID, sc.Principal, ByTrash)
			if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
				return receipts, err
			}
			if err == nil {
				receipts = append(receipts, r)
			}
		}
		if len(l.Items) == 0 || l.Next == "" && len(l.Items) < 100 {
			return receipts, nil
		}
	}
}

// PurgeTrash removes one record in the trash for good.
func (p *Path) PurgeTrash(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (Deletion, error) {
	if err := sc.CanWrite(); err != nil {
		return Deletion{}, err
	}
	page := lukasa.Page{Limit: 100}
	for {
		l, err := p.Trash(ctx, sc, page)
		if err != nil {
			return Deletion{}, err
		}
		for _, b := range l.Items {
			if b.ID == id {
				return p.remove(ctx, sc, id, sc.Principal, ByTrash)
			}
		}
		if page.Cursor = l.Next; l.Next == "" {
			return Deletion{}, lukasa.NotFound("record in the trash", id)
		}
	}
}

// AgeTrash removes for good what has lain in the trash for longer than it is kept, and users whose time to change their mind is
// over. It returns how many.
func (p *Path) AgeTrash(ctx context.Context) (int, error) {
	n, err := p.drain(ctx, ByTrash, func(limit int) ([]store.Expired, error) {
		return p.Store.BuriedBefore(ctx, p.now().Add(-p.opt.Keep), limit)
	})
	if err != nil {
		return n, err
	}
	k, err := p.ageUsers(ctx)
	return n + k, err
}
