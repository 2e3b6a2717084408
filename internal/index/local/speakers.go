package local

import (
	"context"
	"math"
	"slices"

	"github.com/lukasa-memory/lukasa"
)

// maxSpeakers is how many names are worth telling: where many speak, a name in a question is not that of a partner.
const maxSpeakers = 64

// speakersAt are the speakers of a node as of one change.
type speakersAt struct {
	seq   int64
	names []string
}

// Speakers implements [index.Index].
func (x *Index) Speakers(ctx context.Context, ownerID lukasa.ID, nodes []lukasa.ID, seen int64) (names []string, err error) {
	for range mostMends {
		o, moves := x.owner(ownerID), int64(writing)
		err = guard(func() (err error) {
			names, err = x.speakers(ctx, o, nodes, seen, &moves)
			return err
		})
		if !x.mended(o, moves, err) {
			break
		}
	}
	return names, err
}

// speakers is [Index.Speakers] of an owner. It sets moves once it only reads.
func (x *Index) speakers(ctx context.Context, o *owner, nodes []lukasa.ID, seen int64, moves *int64) ([]string, error) {
	defer o.use()()
	if err := x.keepUp(ctx, o, nodes, seen); err != nil {
		return nil, err
	}
	var names []string
	for _, id := range nodes {
		n := o.node(id)
		seq := n.seq.Load()
		at := n.speakers.Load()
		if at == nil || at.seq != seq {
			whole := !o.behind.needs([]lukasa.ID{id}, math.MaxInt64) // else the view lacks changes that the number of the last one counts
			*moves = writing
			h, err := x.loaded(ctx, o, n)
			if err != nil {
				return nil, err
			}
			*moves = o.moves.Load()
			at = &speakersAt{seq, h.speakers()}
			if whole {
				n.speakers.Store(at)
			}
		}
		for _, s := range at.names {
			if !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
		if len(names) > maxSpeakers {
			return nil, nil
		}
	}
	return names, nil
}

// speakers lists who speaks in a node, up to one more than is told.
func (h *home) speakers() []string {
	v := h.shard.view.Load()
	var names []uint32
	add := func(class uint32) {
		if s := v.Classes[class].Speaker; s != NoText && !slices.Contains(names, s) && len(names) <= maxSpeakers {
			names = append(names, s)
		}
	}
	if !v.Pool {
		for i := range v.Classes {
			add(uint32(i))
		}
	} else if int(h.num) < len(v.Nodes) {
		if list := v.Nodes[h.num].Slots.Load(); list != nil {
			for _, s := range *list {
				if int(s) < v.N {
					add(v.Blocks[s>>BlockShift].Class[s&(BlockSlots-1)])
				}
			}
		}
	}
	var out []string
	for _, n := range names {
		out = append(out, v.Names.Word(n))
	}
	return out
}
