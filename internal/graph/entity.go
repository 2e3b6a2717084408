package graph

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Match is an entity that a name leads to, with how alike the names are: 1 for the same.
type Match struct {
	lukasa.Entity
	Score float64 `json:"score,omitempty"`
}

// maxMatches is how many entities a fuzzy search weighs at a time.
const maxMatches = 100

// Entities lists who and what is named in the containers that the patterns name, or anywhere: most mentioned there first, or, with a name, the most
// alike first, slips of the pen included.
func (p *Path) Entities(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, kind, name string, pg lukasa.Page, at time.Time) (out lukasa.Listing[Match], err error) {
	if len(name) > maxNodeName {
		return out, lukasa.Invalid("q", "is over %d bytes", maxNodeName)
	}
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		if Fold(name) != "" {
			out, err = fuzzy(r, sc, in, kind, name, pg)
			return err
		}
		if sc.Root != "" { // what it may not know is not counted either
			list, err := namedIn(r, in, kind)
			if err == nil {
				list, err = Seen(r, sc, list)
			}
			out = cut(matches(list), pg)
			return err
		}
		l, err := r.Entities(in, kind, "", pg)
		out = lukasa.Listing[Match]{Items: matches(l.Items), Next: l.Next, Total: l.Total}
		return err
	})
	return out, err
}

// namedIn lists the most mentioned in some containers.
func namedIn(r store.Reader, in []lukasa.Pattern, kind string) ([]lukasa.Entity, error) {
	list, _, err := gather(1000, func(pg lukasa.Page) (lukasa.Listing[lukasa.Entity], error) { return r.Entities(in, kind, "", pg) })
	return list, err
}

func matches(list []lukasa.Entity) []Match {
	out := make([]Match, len(list))
	for i, e := range list {
		out[i].Entity = e
	}
	return out
}

// cut makes a page of a list that is known as a whole; it is turned by offset.
func cut(list []Match, pg lukasa.Page) lukasa.Listing[Match] {
	if pg.Limit <= 0 {
		pg.Limit = 20
	}
	from := min(max(pg.Offset, 0), len(list))
	return lukasa.Listing[Match]{Items: list[from:min(from+pg.Limit, len(list))], Total: len(list)}
}

// fuzzy finds entities by a name that may be written a little differently. Candidates are those of the very name, those one slip
// away from it, and those that hold it or a piece of it; then likeness decides.
func fuzzy(r store.Reader, sc lukasa.Scope, in []lukasa.Pattern, kind, name string, pg lukasa.Page) (lukasa.Listing[Match], error) {
	if pg.Limit < 0 || pg.Limit > 100 {
		return lukasa.Listing[Match]{}, lukasa.Invalid("limit", "is %d, must be 1 to 100", pg.Limit)
	}
	list, err := alike(r, sc, in, kind, name)
	return cut(list, pg), err
}

func alike(r store.Reader, sc lukasa.Scope, in []lukasa.Pattern, kind, name string) ([]Match, error) {
	names := append([]string{name}, Spellings(name)...)
	parts := append([]string{name}, Pieces(name)...)
	for i, w := range strings.Fields(name) {
		if utf8.RuneCountInString(w) >= 3 && !strings.EqualFold(w, name) && i < 4 {
			parts, names = append(parts, w), append(append(names, w), Spellings(w)...)
		}
	}
	found, err := r.EntitiesNamed(names)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		l, err := r.Entities(in, kind, part, lukasa.Page{Limit: maxMatches})
		if err != nil {
			return nil, err
		}
		found = append(found, l.Items...)
	}
	if len(in) > 0 { // as often as they are mentioned there
		here, err := namedIn(r, in, kind)
		if err != nil {
			return nil, err
		}
		found = slices.DeleteFunc(here, func(e lukasa.Entity) bool {
			return !slices.ContainsFunc(found, func(x lukasa.Entity) bool { return x.ID == e.ID })
		})
	}
	slices.SortFunc(found, func(a, b lukasa.Entity) int { return cmp.Compare(a.ID, b.ID) })
	found = slices.CompactFunc(found, func(a, b lukasa.Entity) bool { return a.ID == b.ID })
	if kind != "" {
		found = slices.DeleteFunc(found, func(e lukasa.Entity) bool { return e.Kind != kind })
	}
	if found, err = Seen(r, sc, found); err != nil {
		return nil, err
	}
	var out []Match
	for _, e := range found {
		best := 0.0
		for _, n := range append([]string{e.Name}, e.Aliases...) {
			best = max(best, Likeness(name, n))
		}
		if best >= Alike {
			out = append(out, Match{e, roundScore(best)})
		}
	}
	slices.SortFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Mentions, a.Mentions), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// findEntity returns the entity with an id, or the one that a name leads to best.
func findEntity(r store.Reader, sc lukasa.Scope, idOrName string) (lukasa.Entity, error) {
	if id, err := lukasa.ParseID(lukasa.PrefixEntity, idOrName); err == nil {
		return entity(r, sc, id)
	}
	if lukasa.ID(idOrName).Prefix() != "" && strings.HasPrefix(idOrName, string(lukasa.PrefixEntity)+"_") {
		_, err := lukasa.ParseID(lukasa.PrefixEntity, idOrName)
		return lukasa.Entity{}, err
	}
	if len(idOrName) > maxNodeName {
		return lukasa.Entity{}, lukasa.Invalid("id", "is over %d bytes", maxNodeName)
	}
	exact, err := exactly(r, sc, idOrName)
	if err != nil || len(exact) > 0 {
		return mostMentioned(exact), err
	}
	list, err := alike(r, sc, nil, "", idOrName)
	if err == nil && len(list) == 0 {
		err = &lukasa.Error{Code: lukasa.CodeNotFound, Msg: "nobody and nothing called " + quoted(idOrName) + " is mentioned", Hint: "GET /v1/entities lists who is, or lukasa entity list"}
	}
	if err != nil {
		return lukasa.Entity{}, err
	}
	return list[0].Entity, nil
}

// roundScore keeps scores to a thousandth.
func roundScore(x float64) float64 { return math.Round(x*1000) / 1000 }

func mostMentioned(list []lukasa.Entity) (best lukasa.Entity) {
	for _, e := range list {
		if best.ID == "" || e.Mentions > best.Mentions {
			best = e
		}
	}
	return best
}

func quoted(s string) string {
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "…"
	}
	return `"` + s + `"`
}

// EntityPatch changes an entity. Nil fields stay as they are.
type EntityPatch struct {
	Name    *string
	Kind    *string
	Aliases *[]string
}

// unbound returns an error for scopes that see only a part of what an entity gathers.
func unbound(sc lukasa.Scope) error {
	if sc.Root != "" {
		return &lukasa.Error{Code: lukasa.CodeForbidden, Msg: "an entity belongs to all containers", Hint: "change it with a key that is not bound to one"}
	}
	return nil
}

// PatchEntity changes the name, kind or aliases of an entity. The old name is kept as an alias unless aliases are given too, so that
// what is said under it still finds it.
func (p *Path) PatchEntity(ctx context.Context, sc lukasa.Scope, id lukasa.ID, in EntityPatch) (e lukasa.Entity, err error) {
	if in.Name == nil && in.Kind == nil && in.Aliases == nil {
		return e, &lukasa.Error{Code: lukasa.CodeInvalid, Msg: "there is nothing to change", Hint: "give name, kind or aliases"}
	}
	err = p.change(ctx, sc, func(tx store.Tx) error {
		if e, err = entity(tx, sc, id); err != nil {
			return err
		}
		if err := unbound(sc); err != nil {
			return err
		}
		old := e.Name
		if in.Kind != nil {
			e.Kind = strings.ToLower(strings.TrimSpace(*in.Kind))
		}
		if in.Name != nil {
			e.Name = strings.TrimSpace(*in.Name)
		}
		if in.Aliases != nil {
			e.Aliases = *in.Aliases
		} else if !strings.EqualFold(old, e.Name) {
			e.Aliases = append(e.Aliases, old)
		}
		if err := checkEntity(&e); err != nil {
			return err
		}
		return p.rename(tx, sc.Owner, e)
	})
	return e, err
}

func checkEntity(e *lukasa.Entity) error {
	var aliases []string
	for _, a := range e.Aliases {
		a = strings.TrimSpace(a)
		if len(a) > maxNodeName {
			return lukasa.Invalid("aliases", "holds one over %d bytes", maxNodeName)
		}
		if a != "" && !strings.EqualFold(a, e.Name) && !slices.ContainsFunc(aliases, func(b string) bool { return strings.EqualFold(a, b) }) {
			aliases = append(aliases, a)
		}
	}
	e.Aliases = aliases
	switch {
	case Fold(e.Name) == "":
		return lukasa.Invalid("name", "is empty")
	case len(e.Name) > maxNodeName:
		return lukasa.Invalid("name", "is over %d bytes", maxNodeName)
	case e.Kind == "" || len(e.Kind) > 40:
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "kind", Msg: "is empty or over 40 bytes", Hint: "person, organisation, place, product, or a word of your own"}
	case len(aliases) > maxNodeWords:
		return lukasa.Invalid("aliases", "has %d entries, at most %d are allowed", len(aliases), maxNodeWords)
	}
	return nil
}

// know puts an entity that is new or has other names by now, and queues the linking of what named it so before.
func (p *Path) know(tx store.Tx, owner lukasa.ID, e lukasa.Entity) error {
	if err := tx.PutEntity(e); err != nil {
		return err
	}
	now := p.now()
	return tx.Enqueue(lukasa.Job{ID: p.Mint.ID(lukasa.PrefixJob), Owner: owner, Kind: lukasa.JobLink, Record: e.ID, MaxTries: 8, RunAt: now, Created: now})
}

// rename puts an entity whose names have changed, and notes that where it is mentioned.
func (p *Path) rename(tx store.Tx, owner lukasa.ID, e lukasa.Entity) error {
	e.UpdatedAt = p.now()
	if err := p.know(tx, owner, e); err != nil {
		return err
	}
	edges, err := tx.Edges([]lukasa.ID{e.ID}, []lukasa.EdgeType{lukasa.EdgeMentions}, maxEdges)
	if err != nil {
		return err
	}
	return p.pokeAt(tx, edges)
}

// Merge makes one entity of two: all that is said of the other is said of this one from here on, and its names become aliases.
func (p *Path) Merge(ctx context.Context, sc lukasa.Scope, into, other lukasa.ID) (e lukasa.Entity, err error) {
	if err := sc.CanWrite(); err != nil {
		return e, err
	}
	if into == other {
		return e, lukasa.Invalid("other", "is the entity itself")
	}
	err = p.change(ctx, sc, func(tx store.Tx) error {
		if e, err = entity(tx, sc, into); err != nil {
			return err
		}
		gone, err := entity(tx, sc, other)
		if err != nil {
			return err
		}
		if err := unbound(sc); err != nil {
			return err
		}
		e.Aliases = append(append(e.Aliases, gone.Name), gone.Aliases...)
		if gone.CreatedAt.Before(e.CreatedAt) {
			e.CreatedAt = gone.CreatedAt
		}
		if err := checkEntity(&e); err != nil {
			return err
		}
		edges, err := tx.Edges([]lukasa.ID{other}, nil, maxEdges)
		if err != nil {
			return err
		}
		if len(edges) == maxEdges {
			return lukasa.Errorf(lukasa.CodeTooLarge, "%s has over %d links", gone.Name, maxEdges)
		}
		if err := p.carry(tx, edges, other, into); err != nil {
			return err
		}
		if err := p.rename(tx, sc.Owner, e); err != nil {
			return err
		}
		e, err = entity(tx, sc, into)
		return err
	})
	return e, err
}

// carry hands the edges of one entity to another; where that has such an edge already, their weights add up.
func (p *Path) carry(tx store.Tx, edges []lukasa.Edge, old, fresh lukasa.ID) error {
	mine, err := tx.Edges([]lukasa.ID{fresh}, nil, maxEdges)
	if err != nil {
		return err
	}
	has := map[edgeKey]lukasa.Edge{}
	for _, e := range mine {
		has[keyOf(e)] = e
	}
	for _, e := range edges {
		moved := e
		swap(&moved, old, fresh)
		if moved.From == moved.To {
			continue
		}
		if there, ok := has[keyOf(moved)]; ok {
			moved.Weight += there.Weight
			moved.Confidence = max(moved.Confidence, there.Confidence)
			moved.CreatedAt = earlier(moved.CreatedAt, there.CreatedAt)
		}
		if err := tx.PutEdges([]lukasa.Edge{moved}); err != nil {
			return err
		}
	}
	// Relations of its own go first: once nothing mentions it any more, the store takes it away with what is left.
	slices.SortStableFunc(edges, func(a, b lukasa.Edge) int {
		return cmp.Compare(boolInt(a.Type == lukasa.EdgeMentions), boolInt(b.Type == lukasa.EdgeMentions))
	})
	for _, e := range edges {
		if err := p.unlink(tx, e); err != nil {
			return err
		}
	}
	return nil
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
