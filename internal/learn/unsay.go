package learn

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// reasonUnsaid is why a memory is retired whose words its message no longer says.
const reasonUnsaid = "the message that said it was changed"

// Unsay sees to what messages said before other words took the place of theirs, behind [Path.Apply] in the same transaction: what nothing else
// tells of no longer holds, and what it had taken the place of holds again. as is that of Apply: a message that has got another source than its
// own has replaced that one.
func (p *Path) Unsay(tx store.Tx, texts []Text, as func(lukasa.ID) lukasa.ID, out *Outcome) error {
	var changed []lukasa.ID
	for _, t := range texts {
		if id := as(t.Message); t.Message != "" && !t.Before && id != "" && id != t.Message {
			changed = append(changed, id)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	messages, err := tx.MessagesByID(changed)
	if err != nil {
		return err
	}
	tx.Because(Author, reasonUnsaid)
	defer tx.Because("", "")
	for _, m := range messages {
		page := lukasa.Page{Limit: 100, Uncounted: true}
		for {
			l, err := tx.Memories(lukasa.MemoryFilter{Document: m.Document, Latest: new(true)}, page)
			if err != nil {
				return err
			}
			for _, x := range l.Items {
				if err := p.unsay(tx, m, x, out); err != nil {
					return err
				}
			}
			if page.Cursor = l.Next; l.Next == "" {
				break
			}
		}
	}
	return nil
}

// unsay takes from a memory the evidence that a message no longer is, and retires it where none is left.
func (p *Path) unsay(tx store.Tx, now lukasa.Message, m lukasa.Memory, out *Outcome) error {
	left := slices.DeleteFunc(slices.Clone(m.Sources), func(s lukasa.Source) bool {
		return s.Message == now.ID && !strings.Contains(now.Content, s.Quote)
	})
	if len(left) == len(m.Sources) {
		return nil
	}
	at := p.now()
	m.UpdatedAt = at
	if len(left) > 0 {
		m.Sources = left
		out.Merged = append(out.Merged, m.ID)
		return tx.PutMemory(m)
	}
	edges, err := tx.Edges([]lukasa.ID{m.ID}, []lukasa.EdgeType{lukasa.EdgeUpdates}, maxReplaced)
	if err != nil {
		return err
	}
	for _, e := range edges {
		old, err := tx.Memory(lukasa.ID(e.To))
		if e.From != string(m.ID) || err != nil || old.RetiredBy != m.ID {
			continue
		}
		old.IsLatest, old.RetiredBy, old.RetiredAt, old.ValidTo, old.Reason, old.UpdatedAt = true, "", nil, nil, "", at
		if err := tx.PutMemory(old); err != nil {
			return err
		}
		out.Merged = append(out.Merged, old.ID)
	}
	m.IsLatest, m.RetiredAt, m.Reason, m.ValidTo = false, &at, reasonUnsaid, since(m) // it never was so
	out.Retired = append(out.Retired, m.ID)
	return tx.PutMemory(m)
}

// maxReplaced bounds how many memories are given back that one had taken the place of.
const maxReplaced = 100
