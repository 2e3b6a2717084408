package learn

import (
	"context"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/distil/rules"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Rederivation says what deriving a document again changes, or would change.
type Rederivation struct {
	Document lukasa.ID       `json:"document_id"`
	Add      []lukasa.Memory `json:"add"`    // what today's rules find and is not there
	Retire   []lukasa.Memory `json:"retire"` // what they no longer find
	Keep     int             `json:"keep"`
}

// Rederive reads a document or segment again by today's rules, compares with the memories that earlier ones drew from it, and
// applies the difference if asked to. Memories by hand, by a model or changed since are left alone. Each change has its delta and
// can be undone.
func (p *Path) Rederive(ctx context.Context, sc lukasa.Scope, id lukasa.ID, apply bool) (Rederivation, error) {
	out := Rederivation{Document: id, Add: []lukasa.Memory{}, Retire: []lukasa.Memory{}}
	if apply {
		if err := sc.CanWrite(); err != nil {
			return out, err
		}
	}
	texts, err := p.Texts(ctx, sc, id)
	if err != nil {
		return out, err
	}
	d := p.Draft(ctx, sc, texts)
	compare := func(r store.Reader) error {
		out.Add, out.Retire, out.Keep = out.Add[:0], out.Retire[:0], 0
		there, err := derived(r, id)
		if err != nil {
			return err
		}
		for _, x := range d.memories {
			if i := indexSame(there, x.memory); i >= 0 {
				there[i].ID = "" // it is found again
				out.Keep++
				continue
			}
			if !x.faint { // what is faint changes nothing unless it meets something that it changes
				out.Add = append(out.Add, x.memory)
			}
		}
		for _, m := range there {
			if m.ID != "" && m.IsLatest {
				out.Retire = append(out.Retire, m)
			}
		}
		return nil
	}
	if !apply {
		return out, p.Store.View(ctx, sc, compare)
	}
	var news Outcome
	var node lukasa.Node
	err = p.Store.Update(ctx, sc, func(tx store.Tx) (err error) {
		if err := compare(tx); err != nil {
			return err
		}
		now := p.now()
		tx.Because(Author, "derived again by "+rules.Version)
		for _, m := range out.Retire {
			m.IsLatest, m.RetiredAt, m.Reason, m.UpdatedAt = false, &now, rules.Version+" does not find it", now
			if err := tx.PutMemory(m); err != nil {
				return err
			}
		}
		news, node, err = p.applyTo(tx, sc.Owner, id, d)
		return err
	})
	if err == nil {
		p.Announce(sc, node, news)
	}
	return out, err
}

// derived lists the memories that rules drew from a document or from the messages of a segment.
func derived(r store.Reader, document lukasa.ID) ([]lukasa.Memory, error) {
	var out []lukasa.Memory
	page := lukasa.Page{Limit: 100}
	for {
		l, err := r.Memories(lukasa.MemoryFilter{Document: document}, page)
		if err != nil {
			return nil, err
		}
		for _, m := range l.Items {
			if strings.HasPrefix(m.Extractor, "rules-") {
				out = append(out, m)
			}
		}
		if l.Next == "" {
			return out, nil
		}
		page.Cursor = l.Next
	}
}

func indexSame(list []lukasa.Memory, m lukasa.Memory) int {
	for i, o := range list {
		if o.ID != "" && merge.Same(o, m) {
			return i
		}
	}
	return -1
}
