package learn

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// maxEarlier is how many entries of a sort are looked at for one name, those first that say it most. What more of them say is a word, or
// somebody whom making the graph again links.
const maxEarlier = 1000

// seek links an entity with what named it before it was known by that name, by the rules by which the graph is made again. Each document
// or segment is a transaction of its own, and doing it twice, or again from the start, changes nothing.
func (p *Path) seek(ctx context.Context, sc lukasa.Scope, id lukasa.ID) error {
	w := wanted{linked: map[string]bool{}}
	err := p.Store.View(ctx, sc, func(r store.Reader) (err error) {
		who, err := r.EntitiesByID([]lukasa.ID{id})
		if err != nil || len(who) == 0 { // it went meanwhile
			return err
		}
		return w.read(r, who[0])
	})
	if err != nil || len(w.names) == 0 {
		return err
	}
	documents, memories, err := p.saying(ctx, sc, &w)
	if err != nil {
		return err
	}
	for _, d := range documents {
		if err := p.linkNamed(ctx, sc, d, id, w.names); err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return err
		}
	}
	for some := range slices.Chunk(memories, 100) {
		if err := p.linkMemories(ctx, sc, some, id, w.names); err != nil {
			return err
		}
	}
	return nil
}

// wanted is who is sought, and where.
type wanted struct {
	lukasa.Entity
	names  []string        // by which what was kept earlier is sought
	linked map[string]bool // what is linked with it already
	nodes  []lukasa.ID
}

// read takes as names the name and the aliases, but for those of one word that somebody else is known by beside another name: who was meant by
// it earlier stays who it was.
func (w *wanted) read(r store.Reader, who lukasa.Entity) error {
	w.Entity, w.names, w.nodes = who, []string{who.Name}, nil
	for _, a := range who.Aliases {
		there, err := r.Known([]string{a})
		if err != nil {
			return err
		}
		if strings.Contains(a, " ") || !slices.ContainsFunc(there, func(o lukasa.Entity) bool { return o.ID != who.ID && !strings.EqualFold(o.Name, a) }) {
			w.names = append(w.names, a)
		}
	}
	edges, err := r.Edges([]lukasa.ID{who.ID}, []lukasa.EdgeType{lukasa.EdgeMentions}, 2*maxEarlier)
	for _, e := range edges {
		w.linked[e.From] = true
	}
	if err != nil {
		return err
	}
	list, err := r.Paths(nil)
	for _, n := range list {
		w.nodes = append(w.nodes, n.ID)
	}
	return err
}

// saying finds the documents, segments and memories in which something that is not linked yet has all words of one of the names.
func (p *Path) saying(ctx context.Context, sc lukasa.Scope, who *wanted) (documents, memories []lukasa.ID, err error) {
	if _, err := p.Index.Sync(ctx); err != nil {
		return nil, nil, err
	}
	seen := map[lukasa.ID]bool{}
	for _, name := range who.names {
		words := strings.Fields(strings.ToLower(name))
		for _, r := range []index.Request{
			{Types: []lukasa.EntryType{lukasa.EntryMemory}, Filter: &lukasa.Filter{Field: "latest", Text: []string{"false", "true"}}},
			{Types: []lukasa.EntryType{lukasa.EntryMessage, lukasa.EntryChunk}},
		} {
			if r.Filter == nil && len(words) == 1 && name == who.Name && who.UpdatedAt.Equal(who.CreatedAt) {
				continue // a text that tells whose a single word is has made the entity; another one names nobody by it
			}
			r.Owner, r.Nodes, r.K = sc.Owner, who.nodes, maxEarlier
			ids, err := p.having(ctx, r, words)
			if err != nil {
				return nil, nil, err
			}
			entries, err := p.Store.Entries(ctx, "", sc.Owner, ids)
			if err != nil {
				return nil, nil, err
			}
			for _, e := range entries {
				record, list := e.Document, &documents
				if e.Type == lukasa.EntryMemory {
					record, list = e.ID, &memories
				}
				low := strings.ToLower(e.Text)
				if !seen[record] && !who.linked[string(cmp.Or(e.Message, record))] && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(low, w) }) {
					seen[record], *list = true, append(*list, record)
				}
			}
		}
	}
	return documents, memories, nil
}

// having finds the entries with the rarest of words, or, where each is frequent, those that have most of them.
func (p *Path) having(ctx context.Context, r index.Request, words []string) (ids []lukasa.ID, err error) {
	for i := len(words); i >= 0; i-- { // the last name tells more than the first one
		if r.Text = strings.Join(words, " "); i > 0 {
			r.Text = words[i-1]
		}
		found, err := p.Index.Search(ctx, r)
		if err != nil {
			return nil, err
		}
		if n := len(found.Candidates); i == 0 || 0 < n && n < r.K || n == 0 && len(words) == 1 {
			for _, c := range found.Candidates {
				ids = append(ids, c.Entry)
			}
			return ids, nil
		}
	}
	return nil, nil
}

// linkNamed draws the mentions of one entity in a document or segment again.
func (p *Path) linkNamed(ctx context.Context, sc lukasa.Scope, id, entity lukasa.ID, by []string) error {
	texts, err := p.Texts(ctx, sc, id)
	if err != nil {
		return err
	}
	list := parts(texts)
	d := p.drafts(ctx, sc, &Talk{}, list, len(list) > len(texts))
	if err := ctx.Err(); err != nil {
		return err
	}
	names, kinds := who(d, Outcome{})
	d.memories, d.named = nil, slices.DeleteFunc(d.named, func(n named) bool { return !isOne(n.Name, by) })
	return p.Store.Update(ctx, sc, func(tx store.Tx) error {
		tx.Because(Author, "")
		as, err := still(tx, id)
		if err != nil {
			return err
		}
		there, err := tx.Known(names)
		if err != nil {
			return err
		}
		edges := mentions(d.under(as), Outcome{}, meant(there, kinds))
		return tx.PutEdges(slices.DeleteFunc(edges, func(e lukasa.Edge) bool { return e.To != string(entity) }))
	})
}

// linkMemories draws the mentions of one entity in memories again.
func (p *Path) linkMemories(ctx context.Context, sc lukasa.Scope, ids []lukasa.ID, entity lukasa.ID, by []string) error {
	return p.Store.Update(ctx, sc, func(tx store.Tx) error {
		tx.Because(Author, "")
		list, err := tx.MemoriesByID(ids)
		if err != nil {
			return err
		}
		var edges []lukasa.Edge
		for _, m := range list {
			if !m.Held() && slices.ContainsFunc(m.Entities, func(n string) bool { return isOne(n, by) }) {
				edges = append(edges, lukasa.Edge{From: string(m.ID), To: string(entity), Type: lukasa.EdgeMentions, Weight: 1})
			}
		}
		return tx.PutEdges(edges)
	})
}

// isOne reports whether a name is one of some, ignoring case.
func isOne(name string, of []string) bool {
	return slices.ContainsFunc(of, func(o string) bool { return strings.EqualFold(strings.TrimSpace(name), o) })
}
