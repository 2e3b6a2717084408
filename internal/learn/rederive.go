package learn

import (
	"context"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Rederivation says what deriving a document again changes, or would change.
type Rederivation struct {
	Document lukasa.ID       `json:"document_id"`
	Add      []lukasa.Memory `json:"add"`    // what is found today and is not there
	Retire   []lukasa.Memory `json:"retire"` // what is no longer found
	Keep     int             `json:"keep"`
}

// The extractors of memories begin so.
const (
	byRules = "rules-"
	byModel = "model:"
)

// Rederive reads a document or segment again by today's rules, or by the configured model, compares with the memories that earlier ones
// of their sort drew from it, and applies the difference if asked to. Memories by hand or of the other sort are left alone; what was
// corrected, undone or deleted since does not come back from the same words. Each change has its delta and can be undone. Where the
// model fails, nothing changes.
func (p *Path) Rederive(ctx context.Context, sc lukasa.Scope, id lukasa.ID, apply, model bool) (Rederivation, error) {
	w := comparison{sort: byRules, out: Rederivation{Document: id, Add: []lukasa.Memory{}, Retire: []lukasa.Memory{}}}
	if apply {
		if err := sc.CanWrite(); err != nil {
			return w.out, err
		}
	}
	texts, err := p.Texts(ctx, sc, id)
	if err != nil {
		return w.out, err
	}
	by := rules.Version
	if model {
		w.sort = byModel
		w.all, by, err = p.reread(ctx, sc, texts)
	} else {
		w.all = p.Draft(ctx, sc, texts)
	}
	if err != nil {
		return w.out, err
	}
	if w.left, err = p.remembered(ctx, w.all); err != nil {
		return w.out, err
	}
	if !apply {
		return w.out, p.Store.View(ctx, sc, func(r store.Reader) error { return w.run(r, id) })
	}
	var news Outcome
	var node lukasa.Node
	err = p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		if err := w.run(tx, id); err != nil {
			return err
		}
		now := p.now()
		tx.Because(Author, "derived again by "+by)
		for _, m := range w.out.Retire {
			m.IsLatest, m.RetiredAt, m.Reason, m.UpdatedAt = false, &now, by+" does not find it", now
			if err := tx.PutMemory(m); err != nil {
				return err
			}
		}
		if news, node = (Outcome{}), (lukasa.Node{}); len(w.add.memories) > 0 {
			news, node, err = p.applyTo(tx, sc.Owner, id, w.add)
		}
		return err
	})
	if err == nil {
		p.Announce(sc, node, news)
	}
	return w.out, err
}

// reread has the model read texts anew, all of them before anything is compared.
func (p *Path) reread(ctx context.Context, sc lukasa.Scope, texts []Text) (out Drafts, by string, err error) {
	if p.RederiveModel == nil {
		return out, "", &lukasa.Error{Code: lukasa.CodeInvalid, Field: "model", Msg: "no model is configured, so none can read again", Hint: "set llm.provider and llm.model, or leave model out to go by the rules"}
	}
	by = byModel + p.RederiveModel.Info().Model
	var read []Text
	for _, t := range texts {
		if modelled(t) {
			read = append(read, t)
		}
	}
	for _, window := range windows(read) {
		d, err := p.ask(ctx, sc, p.RederiveModel, window)
		if err != nil {
			return Drafts{}, by, err
		}
		out.memories = append(out.memories, d.memories...)
	}
	return out, by, nil
}

// comparison sets what is found today against what is there.
type comparison struct {
	sort string
	all  Drafts // what is found
	left Drafts // of it, what was not deleted by hand
	add  Drafts // of that, what is new
	out  Rederivation
}

func (c *comparison) run(r store.Reader, id lukasa.ID) error {
	c.out.Add, c.out.Retire, c.out.Keep, c.add = c.out.Add[:0], c.out.Retire[:0], 0, Drafts{named: c.left.named}
	d, err := r.Document(id)
	if err != nil {
		return err
	}
	there, err := c.derived(r, id)
	if err != nil {
		return err
	}
	found := make([]bool, len(there))
	known := map[lukasa.ID]bool{} // drafts that are there already
	for _, x := range c.all.memories {
		for i, o := range there {
			if !found[i] && c.same(o, x.memory) {
				found[i], known[x.memory.ID] = true, true
				c.out.Keep++
				break
			}
		}
	}
	for i, m := range there {
		within, err := restsOn(r, d, m)
		if err != nil {
			return err
		}
		if !found[i] && m.IsLatest && within {
			c.out.Retire = append(c.out.Retire, m)
		}
	}
	for _, x := range c.left.memories {
		if known[x.memory.ID] {
			continue
		}
		t, err := twinsOf(r, lukasa.Node{ID: d.Node, Path: d.Path}, x.memory)
		if err != nil {
			return err
		}
		if len(t.inForce) > 0 || t.told(x.memory) {
			continue
		}
		c.add.memories = append(c.add.memories, x)
		if !slices.ContainsFunc(c.out.Add, func(o lukasa.Memory) bool { return merge.Same(o, x.memory) }) { // said twice, it is one
			c.out.Add = append(c.out.Add, x.memory)
		}
	}
	return nil
}

// same reports whether a memory is found again. A model words the same thing in another way each time: of it, one of the same kind and
// slot that rests on the same words is the same.
func (c *comparison) same(o, m lukasa.Memory) bool {
	if c.sort == byModel && o.Kind == m.Kind && o.Slot == m.Slot && strings.EqualFold(o.Subject, m.Subject) && strings.EqualFold(o.Value, m.Value) && sameWords(o, m) {
		return true
	}
	return merge.Same(o, m)
}

// derived lists the memories of a sort that were drawn from a document or from the messages of a segment, with those that wait for a review.
func (c *comparison) derived(r store.Reader, document lukasa.ID) ([]lukasa.Memory, error) {
	var out []lukasa.Memory
	filters := []lukasa.MemoryFilter{{Document: document}}
	for _, state := range lukasa.HeldStates {
		filters = append(filters, lukasa.MemoryFilter{Document: document, State: &state})
	}
	for _, f := range filters {
		page := lukasa.Page{Limit: 100, Uncounted: true}
		for {
			l, err := r.Memories(f, page)
			if err != nil {
				return nil, err
			}
			for _, m := range l.Items {
				if strings.HasPrefix(m.Extractor, c.sort) {
					out = append(out, m)
				}
			}
			if page.Cursor = l.Next; l.Next == "" {
				break
			}
		}
	}
	return out, nil
}

// restsOn reports whether a memory has no evidence but in a document or in the messages of a segment.
func restsOn(r store.Reader, d lukasa.Document, m lukasa.Memory) (bool, error) {
	var messages []lukasa.ID
	for _, s := range m.Sources {
		switch {
		case s.Message != "":
			messages = append(messages, s.Message)
		case s.Document != d.ID:
			return false, nil
		}
	}
	if len(messages) == 0 {
		return true, nil
	}
	list, err := r.MessagesByID(messages)
	for _, x := range list {
		if x.Document != d.ID {
			return false, err
		}
	}
	return true, err
}

// remembered leaves out of drafts what rests on words whose memory was deleted by hand.
func (p *Path) remembered(ctx context.Context, d Drafts) (Drafts, error) {
	known := map[lukasa.ID]store.Forgotten{}
	out := d
	out.memories = nil
	for _, x := range d.memories {
		s := x.memory.Sources[0]
		id := store.SourceOf(s)
		f, ok := known[id]
		if !ok {
			var err error
			if f, err = store.ForgottenOf(ctx, p.Store, id); err != nil {
				return out, err
			}
			known[id] = f
		}
		if !f.Covers(s) {
			out.memories = append(out.memories, x)
		}
	}
	return out, nil
}
