package graph

import (
	"slices"
	"strings"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// maxSeen is how many mentions of an entity are read to find out under which names it may be shown.
const maxSeen = 60

// Seen returns the entities as the scope may know them. One store-wide entity gathers the names from all branches; a scope that
// is bound to a subtree gets those alone that stand in a text which it may read, and no entity of which none does. For a
// scope that sees the whole tree nothing changes.
func Seen(r store.Reader, sc lukasa.Scope, list []lukasa.Entity) ([]lukasa.Entity, error) {
	if sc.Root == "" || len(list) == 0 {
		return list, nil
	}
	out := make([]lukasa.Entity, 0, len(list))
	for _, e := range list {
		e, ok, err := under(r, e)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, e)
		}
	}
	return out, nil
}

// under returns an entity under the names by which a scope may know it; ok is false where there are none.
func under(r store.Reader, e lukasa.Entity) (out lukasa.Entity, ok bool, err error) {
	met, keeps := r.(*acquaintance)
	if keeps {
		if k, there := met.as[e.ID]; there {
			k.Mentions = e.Mentions
			return k.Entity, k.ok, nil
		}
	}
	texts, err := mentioning(r, e.ID)
	if err != nil {
		return e, false, err
	}
	out, ok = Under(e, texts)
	if keeps {
		met.as[e.ID] = knownAs{out, ok}
	}
	return out, ok, nil
}

// acquaintance is a reader that remembers under which names a scope may know entities: one answer may name the same ones many times.
type acquaintance struct {
	store.Reader
	as map[lukasa.ID]knownAs
}

type knownAs struct {
	lukasa.Entity
	ok bool
}

// namedAs is what a mention that was made by hand says the name to be, where no text does.
const namedAs = "named"

// wide is the scope of the owner of what sc sees. It may be used to find out which entity a name means, and for nothing that is
// shown.
func wide(sc lukasa.Scope) lukasa.Scope {
	return lukasa.Scope{Owner: sc.Owner, Principal: sc.Principal, Role: lukasa.RoleUser}
}

// mentioning returns the texts that the scope may read and that mention an entity.
func mentioning(r store.Reader, id lukasa.ID) ([]string, error) {
	edges, err := r.Edges([]lukasa.ID{id}, []lukasa.EdgeType{lukasa.EdgeMentions}, maxSeen)
	if err != nil {
		return nil, err
	}
	sources := map[lukasa.Prefix][]lukasa.ID{}
	var texts []string
	for _, e := range edges {
		if name, ok := e.Metadata[namedAs].(string); ok {
			texts = append(texts, name)
		}
		if from := lukasa.ID(e.From); e.To == string(id) {
			sources[from.Prefix()] = append(sources[from.Prefix()], from)
		}
	}
	memories, err := r.MemoriesByID(sources[lukasa.PrefixMemory])
	if err != nil {
		return nil, err
	}
	for _, m := range memories {
		texts = append(texts, m.Content)
	}
	messages, err := r.MessagesByID(sources[lukasa.PrefixMessage])
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		texts = append(texts, m.Content, m.Speaker)
	}
	documents, err := r.DocumentsByID(sources[lukasa.PrefixDocument])
	if err != nil {
		return nil, err
	}
	for _, d := range documents {
		texts = append(texts, d.Title, d.Summary, strings.Join(d.Keywords.Entities, "\n"))
		chunks, err := r.Chunks(d.ID)
		if err != nil {
			return nil, err
		}
		for _, c := range chunks {
			texts = append(texts, c.Content)
		}
	}
	for _, n := range sources[lukasa.PrefixNode] {
		if n, err := r.Node(n); err == nil {
			texts = append(texts, n.Name, n.Description)
		}
	}
	return texts, nil
}

// entity returns one entity as the scope may know it.
func entity(r store.Reader, sc lukasa.Scope, id lukasa.ID) (lukasa.Entity, error) {
	list, err := r.EntitiesByID([]lukasa.ID{id})
	if err == nil {
		list, err = Seen(r, sc, list)
	}
	if err == nil && len(list) == 0 {
		err = lukasa.NotFound("entity", id)
	}
	if err != nil {
		return lukasa.Entity{}, err
	}
	return list[0], nil
}

// entities returns those of the ids that the scope may know, in the order asked for. How often they are mentioned is not told.
func entities(r store.Reader, sc lukasa.Scope, ids []lukasa.ID) ([]lukasa.Entity, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := r.KnownByID(ids)
	if err != nil {
		return nil, err
	}
	return Seen(r, sc, list)
}

// known drops the edges that lead to entities which the scope may not know.
func known(r store.Reader, sc lukasa.Scope, edges []lukasa.Edge) ([]lukasa.Edge, error) {
	if sc.Root == "" {
		return edges, nil
	}
	var ids []lukasa.ID
	for _, e := range edges {
		for _, end := range []string{e.From, e.To} {
			if id := lukasa.ID(end); id.Prefix() == lukasa.PrefixEntity && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	list, err := entities(r, sc, ids)
	if err != nil {
		return nil, err
	}
	ok := map[string]bool{}
	for _, e := range list {
		ok[string(e.ID)] = true
	}
	hidden := func(end string) bool { return lukasa.ID(end).Prefix() == lukasa.PrefixEntity && !ok[end] }
	return slices.DeleteFunc(edges, func(e lukasa.Edge) bool { return hidden(e.From) || hidden(e.To) }), nil
}
