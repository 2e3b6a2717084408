package learn

import (
	"context"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// later queues the linking of the sources and memories that name what is hidden. It is done with the eyes of the owner: the scope that wrote
// the record could not see an entity of that name and must not learn of it.
func (p *Path) later(tx store.Tx, owner lukasa.ID, d Drafts, out Outcome, hidden map[string]bool) error {
	records := map[lukasa.ID]bool{}
	for _, n := range d.named {
		if hidden[strings.ToLower(n.Name)] {
			records[n.source] = true
		}
	}
	for _, m := range out.Created {
		for _, name := range m.Entities {
			if hidden[strings.ToLower(name)] {
				records[m.ID] = true
			}
		}
	}
	for id := range records {
		if err := tx.Enqueue(p.job(owner, lukasa.JobLink, id)); err != nil {
			return err
		}
	}
	return nil
}

// Link links a document, message or memory with the entities that it names, and an entity with what named it earlier. What is gone by now
// has nothing to link.
func (p *Path) Link(ctx context.Context, sc lukasa.Scope, record lukasa.ID) error {
	if record.Prefix() == lukasa.PrefixEntity {
		return p.seek(ctx, sc, record)
	}
	counts, kinds, err := p.naming(ctx, sc, record)
	if lukasa.CodeOf(err) == lukasa.CodeNotFound || err == nil && len(counts) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	return p.Store.Update(ctx, sc, func(tx store.Tx) error {
		tx.Because(Author, "")
		at, _, err := p.entities(tx, sc.Owner, names, kinds)
		if err != nil {
			return err
		}
		weight := map[lukasa.ID]float64{}
		for name, n := range counts {
			if id := at[strings.ToLower(name)]; id != "" {
				weight[id] += float64(n)
			}
		}
		edges := make([]lukasa.Edge, 0, len(weight))
		for id, w := range weight {
			edges = append(edges, lukasa.Edge{From: string(record), To: string(id), Type: lukasa.EdgeMentions, Weight: w})
		}
		err = tx.PutEdges(edges)
		if lukasa.CodeOf(err) == lukasa.CodeNotFound {
			return nil // the record went in the meantime
		}
		return err
	})
}

// naming returns who a record names, how often, and their kinds by folded name.
func (p *Path) naming(ctx context.Context, sc lukasa.Scope, record lukasa.ID) (counts map[string]int, kinds map[string]string, err error) {
	counts, kinds = map[string]int{}, map[string]string{}
	text := ""
	var document *lukasa.Document
	err = p.Store.View(ctx, sc, func(r store.Reader) error {
		switch record.Prefix() {
		case lukasa.PrefixMemory:
			m, err := r.Memory(record)
			for _, name := range m.Entities {
				counts[name]++
			}
			return err
		case lukasa.PrefixMessage:
			l, err := r.MessagesByID([]lukasa.ID{record})
			if err == nil && len(l) == 0 {
				return lukasa.NotFound("message", record)
			}
			if err == nil {
				text = l[0].Content
			}
			return err
		}
		d, err := r.Document(record)
		document = &d
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if document != nil {
		if text, err = p.Content(ctx, sc, *document); err != nil {
			return nil, nil, err
		}
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	for _, e := range lexis.Entities(text) {
		if e.Type != lexis.EntityOther {
			kinds[strings.ToLower(e.Name)] = string(e.Type)
		} else if !strings.Contains(e.Name, " ") {
			continue
		}
		counts[e.Name] += max(1, e.Count)
	}
	return counts, kinds, nil
}
