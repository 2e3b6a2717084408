package carry

import (
	"context"
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// Links reads and puts the edges that a scope sees. Its zero value knows none. Link takes the memory that an edge updates or supersedes out
// of force where retire is true.
type Links struct {
	Scope lukasa.Scope
	Node  func(ctx context.Context, sc lukasa.Scope, idOrPath string) (lukasa.Node, error)
	Edges func(ctx context.Context, sc lukasa.Scope, of []lukasa.ID, types []lukasa.EdgeType, limit int, at time.Time) ([]lukasa.Edge, error)
	Link  func(ctx context.Context, sc lukasa.Scope, e lukasa.Edge, retire bool) (lukasa.Edge, error)
}

// mostEdges is how many are read at once.
const mostEdges = 1000

// carried are the types of edges that an export carries. The others are drawn by machine alone, and are drawn again.
func carried() []lukasa.EdgeType {
	return []lukasa.EdgeType{lukasa.EdgeRelatesTo, lukasa.EdgeUpdates, lukasa.EdgeExtends, lukasa.EdgeDerives, lukasa.EdgeSupersedes, lukasa.EdgeReferences}
}

// goes reports whether an edge is carried: between containers, documents and memories, which are known again where they come to, and
// unless it only says what the records themselves say.
func goes(e lukasa.Edge) bool {
	from, to := lukasa.ID(e.From).Prefix(), lukasa.ID(e.To).Prefix()
	ends := []lukasa.Prefix{lukasa.PrefixNode, lukasa.PrefixDocument, lukasa.PrefixMemory}
	switch {
	case !slices.Contains(ends, from), !slices.Contains(ends, to):
		return false
	case e.Type == lukasa.EdgeDerives && from == lukasa.PrefixMemory && to == lukasa.PrefixDocument: // its source
		return false
	case e.Type == lukasa.EdgeUpdates && from == lukasa.PrefixDocument && to == lukasa.PrefixDocument: // its earlier version
		return false
	}
	return true
}

// edges writes the edges whose source has been written.
func (x exporter) edges(ctx context.Context) error {
	if x.links.Edges == nil {
		return nil
	}
	nodes, err := x.e.Nodes(ctx, x.in)
	if err != nil {
		return err
	}
	var of []lukasa.ID
	for _, n := range nodes {
		of = append(of, n.ID)
	}
	for part := range slices.Chunk(of, 100) {
		if err := x.edgesOf(ctx, part); err != nil {
			return err
		}
	}
	memories := func(p lukasa.Page) (ids []lukasa.ID, next string, err error) {
		l, err := x.e.Memories(ctx, lukasa.MemoryFilter{Containers: x.in}, p)
		for _, m := range l.Items {
			ids = append(ids, m.ID)
		}
		return ids, l.Next, err
	}
	documents := func(p lukasa.Page) (ids []lukasa.ID, next string, err error) {
		l, err := x.e.Documents(ctx, lukasa.DocumentFilter{Containers: x.in, AllVersions: true, OldestFirst: true}, p)
		for _, d := range l.Items {
			ids = append(ids, d.ID)
		}
		return ids, l.Next, err
	}
	for _, list := range []func(lukasa.Page) ([]lukasa.ID, string, error){memories, documents} {
		for page := (lukasa.Page{Limit: 100, Uncounted: true}); ; {
			of, next, err := list(page)
			if err == nil {
				err = x.edgesOf(ctx, of)
			}
			if err != nil {
				return err
			}
			if page.Cursor = next; next == "" {
				break
			}
		}
	}
	return nil
}

// edgesOf writes the edges that begin at records. There may be more than are read at once: then fewer records are asked for.
func (x exporter) edgesOf(ctx context.Context, of []lukasa.ID) error {
	if len(of) == 0 {
		return nil
	}
	list, err := x.links.Edges(ctx, x.links.Scope, of, carried(), mostEdges, time.Time{})
	if err != nil {
		return err
	}
	if half := len(of) / 2; len(list) == mostEdges && half > 0 {
		if err := x.edgesOf(ctx, of[:half]); err != nil {
			return err
		}
		return x.edgesOf(ctx, of[half:])
	}
	for i, e := range list {
		if slices.Contains(of, lukasa.ID(e.From)) && goes(e) {
			if err := x.put(ownLine{Edge: &list[i]}, &x.p.Edges); err != nil {
				return err
			}
		}
	}
	return nil
}

// edge puts an edge between the records that its ends have become here. Where one is missing, or the edge is there, it is skipped.
func (im importer) edge(ctx context.Context, e lukasa.Edge) error {
	if im.links.Link == nil || !goes(e) {
		im.p.Skipped++
		return nil
	}
	for _, end := range []*string{&e.From, &e.To} {
		if here, ok := im.ids[lukasa.ID(*end)]; ok {
			*end = string(here)
		}
		path, ok := im.paths[lukasa.ID(*end)]
		if !ok {
			continue
		}
		n, err := im.links.Node(ctx, im.links.Scope, string(path))
		if err != nil && lukasa.CodeOf(err) != lukasa.CodeNotFound {
			return err
		}
		*end = string(n.ID)
	}
	if e.From == "" || e.To == "" {
		im.p.Skipped++
		return nil
	}
	retire := im.retired[lukasa.ID(e.To)] == lukasa.ID(e.From)
	there, err := im.links.Edges(ctx, im.links.Scope, []lukasa.ID{lukasa.ID(e.From)}, []lukasa.EdgeType{e.Type}, mostEdges, time.Time{})
	if err == nil && !slices.ContainsFunc(there, func(x lukasa.Edge) bool { return x.From == e.From && x.To == e.To }) {
		if _, err = im.links.Link(ctx, im.links.Scope, e, retire); err == nil {
			im.p.Edges++
			return nil
		}
	}
	if err == nil || lukasa.CodeOf(err) == lukasa.CodeNotFound {
		im.p.Skipped++
		return nil
	}
	return err
}
