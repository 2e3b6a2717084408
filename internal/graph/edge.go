package graph

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// maxEdges bounds the edges that are read at once.
const maxEdges = 20_000

func keyOf(e lukasa.Edge) edgeKey { return edgeKey{e.From, e.To, e.Type} }

// EdgeTypes are the types that an edge may have.
func EdgeTypes() []lukasa.EdgeType {
	return []lukasa.EdgeType{
		lukasa.EdgeContains, lukasa.EdgeRelatesTo, lukasa.EdgeMentions, lukasa.EdgeDiscussedIn, lukasa.EdgeUpdates, lukasa.EdgeExtends,
		lukasa.EdgeDerives, lukasa.EdgeSupersedes, lukasa.EdgeReferences, lukasa.EdgePrecedes,
	}
}

// CheckEdgeTypes returns an error unless all are types of edges.
func CheckEdgeTypes(types []lukasa.EdgeType) error {
	for _, t := range types {
		if !slices.Contains(EdgeTypes(), t) {
			return &lukasa.Error{
				Code: lukasa.CodeInvalid, Field: "type", Msg: fmt.Sprintf("%.40q is no type of edge", string(t)), Hint: fmt.Sprintf("use one of %v", EdgeTypes()),
			}
		}
	}
	return nil
}

func checkEdge(e *lukasa.Edge) error {
	if e.Weight == 0 {
		e.Weight = 1
	}
	if e.Confidence == 0 {
		e.Confidence = 1
	}
	for _, end := range []struct{ field, id string }{{"source", e.From}, {"target", e.To}} {
		switch p := lukasa.ID(end.id).Prefix(); p {
		case lukasa.PrefixNode, lukasa.PrefixDocument, lukasa.PrefixMessage, lukasa.PrefixMemory, lukasa.PrefixEntity, lukasa.PrefixConversation:
			if _, err := lukasa.ParseID(p, end.id); err != nil {
				return lukasa.Invalid(end.field, "is not a well-formed id")
			}
		default:
			return lukasa.Invalid(end.field, "is not the id of a container, document, message, memory, entity or conversation")
		}
	}
	_, reserved := e.Metadata[namedAs]
	switch {
	case reserved:
		return lukasa.Invalid("metadata", "must not hold %q", namedAs)
	case e.From == e.To:
		return lukasa.Invalid("target", "is the source itself")
	case !(e.Weight > 0 && e.Weight <= 1e6):
		return lukasa.Invalid("weight", "is not above 0 and at most 1,000,000")
	case !(e.Confidence >= 0 && e.Confidence <= 1) || math.IsNaN(e.Confidence):
		return lukasa.Invalid("confidence", "is not between 0 and 1")
	case e.Type == lukasa.EdgeMentions && lukasa.ID(e.To).Prefix() != lukasa.PrefixEntity:
		return lukasa.Invalid("target", "only entities are mentioned")
	}
	return CheckEdgeTypes([]lukasa.EdgeType{e.Type})
}

// Link puts an edge, in the place of the one with the same source, target and type. One that says that a memory updates or
// supersedes another of its container takes that other out of force, as if it had been learned.
func (p *Path) Link(ctx context.Context, sc lukasa.Scope, e lukasa.Edge) (lukasa.Edge, error) {
	return p.Restore(ctx, sc, e, true)
}

// Restore puts an edge of an export. It is [Path.Link], except that a memory is taken out of force only with retire: an edge stays when
// what it says is undone, and the memories of an export say themselves which of them are in force.
func (p *Path) Restore(ctx context.Context, sc lukasa.Scope, e lukasa.Edge, retire bool) (lukasa.Edge, error) {
	if err := checkEdge(&e); err != nil {
		return e, err
	}
	err := p.change(ctx, sc, func(tx store.Tx) error {
		for _, end := range []string{e.From, e.To} {
			if id := lukasa.ID(end); id.Prefix() == lukasa.PrefixEntity {
				if _, err := entity(tx, sc, id); err != nil {
					return err
				}
			}
		}
		if err := tx.PutEdges([]lukasa.Edge{e}); err != nil {
			return err
		}
		if retire {
			if err := p.retire(tx, e, true); err != nil {
				return err
			}
		}
		if err := p.pokeAt(tx, []lukasa.Edge{e}); err != nil {
			return err
		}
		list, err := tx.Edges([]lukasa.ID{lukasa.ID(e.From)}, []lukasa.EdgeType{e.Type}, maxEdges)
		for _, x := range list {
			if keyOf(x) == keyOf(e) {
				e = x
			}
		}
		return err
	})
	return e, err
}

// Unlink removes an edge. A memory that it had taken out of force is in force again.
func (p *Path) Unlink(ctx context.Context, sc lukasa.Scope, e lukasa.Edge) error {
	if err := checkEdge(&e); err != nil {
		return err
	}
	return p.change(ctx, sc, func(tx store.Tx) error {
		list, err := tx.Edges([]lukasa.ID{lukasa.ID(e.From)}, []lukasa.EdgeType{e.Type}, maxEdges)
		if err == nil {
			list, err = known(tx, sc, list)
		}
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(x lukasa.Edge) bool { return keyOf(x) == keyOf(e) })
		if i < 0 {
			return lukasa.NotFound("edge", fmt.Sprintf("%s from %s to %s", e.Type, e.From, e.To))
		}
		if err := p.pokeAt(tx, list[i:i+1]); err != nil {
			return err
		}
		if err := p.retire(tx, e, false); err != nil {
			return err
		}
		return p.unlink(tx, list[i])
	})
}

// unlink removes one edge. The store removes all edges of a type that begin at a record: the others are put back, with the
// entities that they alone kept.
func (p *Path) unlink(tx store.Tx, e lukasa.Edge) error {
	from := lukasa.ID(e.From)
	list, err := tx.Edges([]lukasa.ID{from}, []lukasa.EdgeType{e.Type}, maxEdges)
	if err != nil {
		return err
	}
	var stay []lukasa.Edge
	var ids []lukasa.ID
	there := false
	for _, x := range list {
		switch {
		case x.From != e.From:
		case keyOf(x) == keyOf(e):
			there = true
		default:
			stay = append(stay, x)
			if id := lukasa.ID(x.To); id.Prefix() == lukasa.PrefixEntity && e.Type == lukasa.EdgeMentions {
				ids = append(ids, id)
			}
		}
	}
	if !there {
		return nil
	}
	kept, err := tx.EntitiesByID(ids)
	if err != nil {
		return err
	}
	relations, err := tx.Edges(ids, nil, maxEdges)
	if err != nil {
		return err
	}
	if err := tx.DeleteEdges(from, e.Type); err != nil {
		return err
	}
	for _, x := range kept {
		if err := tx.PutEntity(x); err != nil {
			return err
		}
	}
	if err := tx.PutEdges(stay); err != nil {
		return err
	}
	return tx.PutEdges(slices.DeleteFunc(relations, func(x lukasa.Edge) bool { return x.From == e.From }))
}

// retire takes the target of an edge between memories out of force, or puts it back.
func (p *Path) retire(tx store.Tx, e lukasa.Edge, on bool) error {
	if e.Type != lukasa.EdgeUpdates && e.Type != lukasa.EdgeSupersedes || lukasa.ID(e.From).Prefix() != lukasa.PrefixMemory ||
		lukasa.ID(e.To).Prefix() != lukasa.PrefixMemory {
		return nil
	}
	by, err := tx.Memory(lukasa.ID(e.From))
	if err != nil {
		return err
	}
	old, err := tx.Memory(lukasa.ID(e.To))
	if err != nil || by.Node != old.Node { // who reads the one container alone must not learn of the other
		return err
	}
	now := p.now()
	switch {
	case on && old.IsLatest:
		old.IsLatest, old.RetiredBy, old.RetiredAt, old.Reason = false, lukasa.ID(e.From), &now, "linked as replaced"
	case !on && old.RetiredBy == lukasa.ID(e.From):
		old.IsLatest, old.RetiredBy, old.RetiredAt, old.Reason = true, "", nil, ""
	default:
		return nil
	}
	old.UpdatedAt = now
	return tx.PutMemory(old)
}

// pokeAt notes a change of edges at the nodes in which their ends stand.
func (p *Path) pokeAt(tx store.Tx, edges []lukasa.Edge) error {
	ids := map[lukasa.ID]bool{}
	for _, e := range edges {
		ids[lukasa.ID(e.From)], ids[lukasa.ID(e.To)] = true, true
	}
	where, err := standing(tx, ids)
	if err != nil {
		return err
	}
	var nodes []lukasa.ID
	for _, x := range where {
		nodes = append(nodes, x.node)
	}
	return poke(tx, nodes, p.now())
}

// Edges lists the stored and derived edges at records, heaviest first, as they were at a moment. Without records it is an error:
// the whole graph is drawn by [Draw].
func (p *Path) Edges(ctx context.Context, sc lukasa.Scope, of []lukasa.ID, types []lukasa.EdgeType, limit int, at time.Time) (out []lukasa.Edge, err error) {
	if len(of) == 0 || len(of) > 100 {
		return nil, lukasa.Invalid("of", "takes the ids of 1 to 100 records")
	}
	if limit == 0 {
		limit = 100
	}
	if limit < 1 || limit > 1000 {
		return nil, lukasa.Invalid("limit", "is not between 1 and 1000")
	}
	if err := CheckEdgeTypes(types); err != nil {
		return nil, err
	}
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		h := &hood{ctx: ctx, p: p, r: r, sc: sc, types: types, width: limit, at: at}
		edges, _, err := h.next(of)
		out = edges[:min(len(edges), limit)]
		return err
	})
	return out, err
}
