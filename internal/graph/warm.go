package graph

import (
	"context"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// The bounds of what is worked out ahead.
const (
	warmLayers = 3  // edges from what was found, never further
	warmWidth  = 60 // records
)

// Warm works out ahead what a next question may ask for: the shells of the containers and what is known of the entities that lie up
// to three layers from what a search has found. Shells only: no file is opened, nothing is noted as used, and what was
// worked out in vain is forgotten after a while. It returns how many there were.
func (p *Path) Warm(ctx context.Context, sc lukasa.Scope, found []lukasa.ID) (n int, err error) {
	if p.Cache == nil || len(found) == 0 {
		return 0, nil
	}
	err = p.view(ctx, sc, time.Time{}, func(r store.Reader) error {
		h := &hood{ctx: ctx, p: p, r: r, sc: sc, width: 4 * warmWidth, types: []lukasa.EdgeType{
			lukasa.EdgeContains, lukasa.EdgeMentions, lukasa.EdgeRelatesTo, lukasa.EdgeReferences, lukasa.EdgeUpdates, lukasa.EdgeExtends, lukasa.EdgeDerives,
		}}
		reach, err := Walk(found, warmLayers, warmWidth, h.next)
		if err != nil {
			return err
		}
		for _, id := range reach.Order {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			switch id.Prefix() {
			case lukasa.PrefixNode:
				node, err := r.Node(id)
				if err != nil {
					continue
				}
				if _, err := p.inside(ctx, r, sc, node, time.Time{}); err != nil {
					return err
				}
				n++
			case lukasa.PrefixEntity:
				e, err := entity(r, sc, id)
				if err != nil {
					continue
				}
				if _, err := p.about(ctx, r, sc, e, time.Time{}); err != nil {
					return err
				}
				n++
			}
		}
		return nil
	})
	return n, err
}
