package graph

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The bounds of a picture.
const (
	maxDraw     = 1000 // documents and memories each
	drawSpread  = 6    // vertices for each of them, at most
	drawMessage = 500  // messages whose mentions count for their stretch of a conversation
)

// Draw makes a picture of the newest records of the containers, at most limit documents and memories each (0: 200), with the
// entities that they and the messages name and the edges that are kept between them. Every vertex has a place that depends on
// what it is and hangs on, so that the same records look the same, and a small change moves little.
func (p *Path) Draw(ctx context.Context, sc lukasa.Scope, in []lukasa.Pattern, limit int, solo bool, at time.Time) (g Picture, err error) {
	if limit == 0 {
		limit = 200
	}
	if limit < 1 || limit > maxDraw {
		return g, lukasa.Invalid("limit", "is not between 1 and %d", maxDraw)
	}
	err = p.view(ctx, sc, at, func(r store.Reader) error {
		rec := Records{Recall: map[lukasa.ID]bool{}, Dormant: map[lukasa.ID]bool{}, Solo: solo, Limit: drawSpread*limit + 500}
		more, err := p.records(r, in, limit, &rec)
		if err != nil {
			return err
		}
		cut, err := p.links(r, sc, &rec)
		if err != nil {
			return err
		}
		g = Draw(rec)
		g.Truncated = g.Truncated || more || cut
		Arrange(&g)
		return nil
	})
	return g, err
}

// records reads the newest of the containers, and says whether there are more.
func (p *Path) records(r store.Reader, in []lukasa.Pattern, limit int, rec *Records) (more bool, err error) {
	if rec.Nodes, err = r.Nodes(in, false); err != nil {
		return false, err
	}
	for _, n := range rec.Nodes {
		rec.Dormant[n.ID] = p.dormant(n)
	}
	var total int
	if rec.Documents, total, err = gather(limit, func(pg lukasa.Page) (lukasa.Listing[lukasa.Document], error) {
		return r.Documents(lukasa.DocumentFilter{Containers: in}, pg)
	}); err != nil {
		return false, err
	}
	more = total > len(rec.Documents)
	files, total, err := gather(limit, func(pg lukasa.Page) (lukasa.Listing[lukasa.Segment], error) {
		return r.Segments(store.SegmentFilter{Containers: in}, pg)
	})
	if err != nil {
		return false, err
	}
	more = more || total > len(files)
	var ids []lukasa.ID
	for _, f := range files {
		rec.Recall[f.Document] = true
		ids = append(ids, f.Document)
	}
	talks, err := r.DocumentsByID(ids)
	if err != nil {
		return false, err
	}
	rec.Documents = append(rec.Documents, talks...)
	rec.Memories, total, err = gather(limit, func(pg lukasa.Page) (lukasa.Listing[lukasa.Memory], error) {
		return r.Memories(lukasa.MemoryFilter{Containers: in}, pg)
	})
	return more || total > len(rec.Memories), err
}

// links reads the edges between the records and the entities that they name. What a message mentions, its stretch of the
// conversation mentions.
func (p *Path) links(r store.Reader, sc lukasa.Scope, rec *Records) (cut bool, err error) {
	var ids, nodes []lukasa.ID
	for _, n := range rec.Nodes {
		ids, nodes = append(ids, n.ID), append(nodes, n.ID)
	}
	for _, d := range rec.Documents {
		ids = append(ids, d.ID)
	}
	for _, m := range rec.Memories {
		ids = append(ids, m.ID)
	}
	part, err := p.spokenIn(r, nodes, rec)
	if err != nil {
		return false, err
	}
	for id := range part {
		ids = append(ids, id)
	}
	edges, err := r.Edges(ids, nil, maxEdges)
	if err != nil {
		return false, err
	}
	counts := map[lukasa.ID]int{}
	sum := map[edgeKey]lukasa.Edge{}
	var order []edgeKey
	for _, e := range edges {
		if doc := part[lukasa.ID(e.From)]; doc != "" {
			e.From = string(doc)
		}
		if doc := part[lukasa.ID(e.To)]; doc != "" {
			e.To = string(doc)
		}
		if was, ok := sum[keyOf(e)]; ok {
			e.Weight += was.Weight
		} else {
			order = append(order, keyOf(e))
		}
		sum[keyOf(e)] = e
		if lukasa.ID(e.To).Prefix() == lukasa.PrefixEntity {
			counts[lukasa.ID(e.To)]++
		}
	}
	named := topOf(counts, rec.Limit)
	if rec.Entities, err = entities(r, sc, named); err != nil {
		return false, err
	}
	for _, k := range order {
		rec.Edges = append(rec.Edges, sum[k])
	}
	return len(edges) == maxEdges || len(named) < len(counts), nil
}

// spokenIn returns the newest messages of the nodes with the stretch of a conversation that each belongs to, if that is drawn.
func (p *Path) spokenIn(r store.Reader, nodes []lukasa.ID, rec *Records) (map[lukasa.ID]lukasa.ID, error) {
	if len(rec.Recall) == 0 {
		return nil, nil
	}
	entries, err := r.Newest(nodes, []lukasa.EntryType{lukasa.EntryMessage}, nil, drawMessage)
	out := map[lukasa.ID]lukasa.ID{}
	for _, e := range entries {
		if e.Message != "" && rec.Recall[e.Document] {
			out[e.Message] = e.Document
		}
	}
	return out, err
}
