package graph

import (
	"github.com/lukasa-memory/lukasa"
)

// Reach is what a walk came to.
type Reach struct {
	Distance  map[lukasa.ID]int // of each record, in edges from the nearest start
	Order     []lukasa.ID       // by distance, then as the edges came
	Edges     []lukasa.Edge     // between what was reached, each once
	Truncated bool              // there is more than the limit let through
}

// Walk goes from the starts along edges in both directions, layer by layer, until depth edges or limit records. next returns the
// edges at any of the records, the more important first, and whether there are more than it gave.
func Walk(starts []lukasa.ID, depth, limit int, next func(of []lukasa.ID) ([]lukasa.Edge, bool, error)) (Reach, error) {
	out := Reach{Distance: map[lukasa.ID]int{}, Edges: []lukasa.Edge{}}
	reach := func(id lukasa.ID, d int) bool {
		if _, ok := out.Distance[id]; ok {
			return false
		}
		if len(out.Order) >= limit {
			out.Truncated = true
			return false
		}
		out.Distance[id] = d
		out.Order = append(out.Order, id)
		return true
	}
	var layer []lukasa.ID
	for _, id := range starts {
		if reach(id, 0) {
			layer = append(layer, id)
		}
	}
	seen := map[edgeKey]bool{}
	for d := 1; d <= depth && len(layer) > 0; d++ {
		edges, more, err := next(layer)
		if err != nil {
			return out, err
		}
		out.Truncated = out.Truncated || more
		layer = nil
		for _, e := range edges {
			for _, id := range []lukasa.ID{lukasa.ID(e.From), lukasa.ID(e.To)} {
				if reach(id, d) {
					layer = append(layer, id)
				}
			}
			_, from := out.Distance[lukasa.ID(e.From)]
			_, to := out.Distance[lukasa.ID(e.To)]
			if k := (edgeKey{e.From, e.To, e.Type}); from && to && !seen[k] {
				seen[k] = true
				out.Edges = append(out.Edges, e)
			}
		}
	}
	return out, nil
}
