package learn

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// link finds or makes the entities that the drafts name, and notes who mentions them.
func (p *Path) link(tx store.Tx, owner lukasa.ID, d Drafts, out Outcome) error {
	names, kinds := who(d, out)
	if len(names) == 0 {
		return nil
	}
	known, hidden, err := p.entities(tx, owner, names, kinds)
	if err != nil {
		return err
	}
	if len(hidden) > 0 {
		if err := p.later(tx, owner, d, out, hidden); err != nil {
			return err
		}
	}
	return tx.PutEdges(append(mentions(d, out, known), relations(d, known)...))
}

// who lists the names in drafts and in the memories that were made of them, and their kinds by folded name.
func who(d Drafts, out Outcome) (names []string, kinds map[string]string) {
	kinds = map[string]string{}
	add := func(name, kind string) {
		f := strings.ToLower(name)
		if _, ok := kinds[f]; !ok {
			names = append(names, name)
		}
		if kinds[f] == "" {
			kinds[f] = kind
		}
	}
	for _, n := range d.named {
		add(n.Name, string(n.Type))
	}
	for _, m := range out.Created {
		for _, name := range m.Entities {
			add(name, "")
		}
	}
	for _, x := range d.memories {
		if x.triple != nil {
			add(x.triple.From, string(x.triple.FromKind))
			add(x.triple.To, string(x.triple.ToKind))
		}
	}
	return names, kinds
}

// relations are the edges between entities that statements tell of: a sister, an employer. One that has ended is none.
func relations(d Drafts, at map[string]lukasa.ID) []lukasa.Edge {
	var edges []lukasa.Edge
	for _, x := range d.memories {
		if x.triple == nil || x.triple.Ended {
			continue
		}
		from, to := at[strings.ToLower(x.triple.From)], at[strings.ToLower(x.triple.To)]
		if from == "" || to == "" || from == to {
			continue
		}
		edges = append(edges, lukasa.Edge{
			From: string(from), To: string(to), Type: lukasa.EdgeRelatesTo, Weight: 1, Confidence: x.memory.Confidence,
			Metadata: map[string]any{"relation": x.triple.Relation, "memory_id": string(x.memory.ID)},
		})
	}
	return edges
}

// meant returns whom each name leads to, by folded name: of several, the last of the kind that the text tells of.
func meant(there []lukasa.Entity, kinds map[string]string) map[string]lukasa.ID {
	at := map[string]lukasa.ID{}
	for _, e := range there {
		for _, n := range append([]string{e.Name}, e.Aliases...) {
			f := strings.ToLower(n)
			if k := kinds[f]; at[f] == "" || k == e.Kind {
				at[f] = e.ID
			}
		}
	}
	return at
}

// entities returns the entities by folded name; the ones that are not there and whose kind is known are made, and what named them earlier
// is linked by a job. The folded names of those that are there, but not for this scope, are returned beside them.
func (p *Path) entities(tx store.Tx, owner lukasa.ID, names []string, kinds map[string]string) (at map[string]lukasa.ID, hidden map[string]bool, err error) {
	there, err := tx.Known(names)
	if err != nil {
		return nil, nil, err
	}
	at, hidden = meant(there, kinds), map[string]bool{}
	now := p.now()
	for _, name := range names {
		f := strings.ToLower(name)
		if at[f] != "" || kinds[f] == "" {
			continue
		}
		if id := fuller(names, kinds, at, name); id != "" {
			at[f] = id
			continue
		}
		e := lukasa.Entity{ID: p.Mint.ID(lukasa.PrefixEntity), Kind: kinds[f], Name: name, CreatedAt: now, UpdatedAt: now}
		if e.Kind == string(lexis.EntityPerson) {
			e.Aliases = shortForms(name)
		}
		err := tx.PutEntity(e)
		if lukasa.CodeOf(err) == lukasa.CodeConflict {
			hidden[f] = true
			continue
		}
		if err == nil {
			err = tx.Enqueue(p.job(owner, lukasa.JobLink, e.ID))
		}
		if err != nil {
			return nil, nil, err
		}
		at[f] = e.ID
		for _, a := range e.Aliases {
			if g := strings.ToLower(a); at[g] == "" {
				at[g] = e.ID
			}
		}
	}
	return at, hidden, nil
}

// fuller finds the person whose full name is named beside the short form.
func fuller(names []string, kinds map[string]string, at map[string]lukasa.ID, short string) lukasa.ID {
	if strings.Contains(short, " ") || kinds[strings.ToLower(short)] != string(lexis.EntityPerson) {
		return ""
	}
	for _, n := range names {
		f := strings.ToLower(n)
		if merge.Alias(short, n) && !strings.EqualFold(short, n) && kinds[f] == string(lexis.EntityPerson) {
			return at[f]
		}
	}
	return ""
}

// shortForms are what a person of the name may be called too: the first name.
func shortForms(name string) []string {
	first, rest, ok := strings.Cut(name, " ")
	if !ok || len(first) < 3 || strings.HasSuffix(first, ".") || rest == "" {
		return nil
	}
	return []string{first}
}

// mentions are the edges from sources and memories to the entities that they name, each once.
func mentions(d Drafts, out Outcome, at map[string]lukasa.ID) []lukasa.Edge {
	type pair struct{ from, to lukasa.ID }
	counts := map[pair]float64{}
	var order []pair
	add := func(from, to lukasa.ID, n int) {
		if from == "" || to == "" {
			return
		}
		k := pair{from, to}
		if counts[k] == 0 {
			order = append(order, k)
		}
		counts[k] += float64(n)
	}
	for _, n := range d.named {
		add(n.source, at[strings.ToLower(n.Name)], max(1, n.Count))
	}
	for _, m := range out.Created {
		for _, name := range m.Entities {
			add(m.ID, at[strings.ToLower(name)], 1)
		}
	}
	edges := make([]lukasa.Edge, 0, len(order))
	for _, k := range order {
		edges = append(edges, lukasa.Edge{From: string(k.from), To: string(k.to), Type: lukasa.EdgeMentions, Weight: counts[k]})
	}
	return slices.Clip(edges)
}
