package learn

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// lookFor is how long a transaction waits for what is forgotten, which stands outside of it: where no connection is free, it is as if nothing were.
const lookFor = 2 * time.Second

// Spare leaves out of drafts what a text said in the same words before others took the place of its own, where the memory of that was deleted by
// hand: nobody says it anew. It goes before [Path.Apply] in the same transaction, behind the writing of the texts; as is that of Apply. What it
// returns as spared is for [Path.Forget] once the transaction is through.
func (p *Path) Spare(ctx context.Context, sc lukasa.Scope, tx store.Tx, d Drafts, texts []Text, as func(lukasa.ID) lukasa.ID) (out Drafts, spared []lukasa.Source, err error) {
	out = d
	for _, t := range texts {
		if !slices.ContainsFunc(d.memories, func(x draft) bool { return t.says(x.memory) }) {
			continue
		}
		old, before, err := was(tx, t, as)
		if err != nil || len(before) == 0 {
			if err != nil {
				return out, nil, err
			}
			continue
		}
		soon, end := context.WithTimeout(ctx, lookFor)
		gone, err := store.ForgottenOf(soon, p.Store, old)
		end()
		if err != nil || len(gone) == 0 {
			continue
		}
		said := p.drafts(ctx, sc, &Talk{}, before, false).memories
		said = slices.DeleteFunc(said, func(o draft) bool { return !gone.Covers(o.memory.Sources[0]) })
		out.memories = slices.DeleteFunc(slices.Clone(out.memories), func(x draft) bool {
			s := x.memory.Sources[0]
			if !t.says(x.memory) || !slices.ContainsFunc(said, func(o draft) bool {
				return merge.Same(o.memory, x.memory) && strings.EqualFold(o.memory.Sources[0].Quote, s.Quote)
			}) {
				return false
			}
			if s.Message != "" {
				s.Message = as(s.Message)
			} else {
				s.Document = as(s.Document)
			}
			spared = append(spared, s)
			return true
		})
	}
	return out, spared, nil
}

// says reports whether a memory was drawn from a text.
func (t Text) says(m lukasa.Memory) bool {
	s := m.Sources[0]
	return s.Message == t.Message && s.Document == t.Document
}

// Forget notes where what was spared stands now. A fault is logged: it may be drawn at the next change.
func (p *Path) Forget(ctx context.Context, spared []lukasa.Source) {
	if err := store.Forget(context.WithoutCancel(ctx), p.Store, spared); err != nil {
		p.Log.WarnContext(ctx, "note what stays forgotten", "err", err)
	}
}

// was returns what a message said before it was replaced, or the parts of the version before a document, and the id that it has there; nothing
// for a text that is new.
func was(tx store.Tx, t Text, as func(lukasa.ID) lukasa.ID) (id lukasa.ID, before []Text, err error) {
	if t.Before {
		return "", nil, nil
	}
	if id = as(t.Message); t.Message != "" {
		if id == "" || id == t.Message {
			return "", nil, nil
		}
		l, err := tx.History(id, lukasa.Page{Limit: 1, Uncounted: true})
		if err != nil || len(l.Items) == 0 || len(l.Items[0].Before) == 0 {
			return "", nil, err
		}
		var m lukasa.Message
		err = json.Unmarshal(l.Items[0].Before, &m)
		t.Body, t.Base = m.Content, 0
		return id, []Text{t}, err
	}
	if id = as(t.Document); id == "" || !ruled(t) {
		return "", nil, nil
	}
	d, err := tx.Document(id)
	if err != nil || d.Previous == "" {
		return "", nil, err
	}
	chunks, err := tx.Chunks(d.Previous)
	for _, c := range chunks {
		t.Body, t.Base = c.Content, c.Start
		before = append(before, t)
	}
	return d.Previous, before, err
}
