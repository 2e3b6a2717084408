package local

import (
	"context"
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
func (x *Index) Speakers(ctx context.Context, ownerID lukasa.ID, nodes []lukasa.ID) ([]string, error) {
	o := x.owner(ownerID)
	var names []string
	for _, id := range nodes {
		n := o.node(id)
		seq := n.seq.Load()
		at := n.speakers.Load()
		if at == nil || at.seq != seq {
			h, err := x.loaded(ctx, o, n)
			if err != nil {
				return nil, err
			}
			at = &speakersAt{seq, h.speakers()}
			n.speakers.Store(at)
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
	var names []string
	add := func(class uint32) {
		if int(class) >= len(v.classes) {
			return
		}
		if s := v.classes[class].Speaker; s != "" && !slices.Contains(names, s) && len(names) <= maxSpeakers {
			names = append(names, s)
		}
	}
	if !v.pool {
		for i := range v.classes {
			add(uint32(i))
		}
		return names
	}
	if int(h.num) >= len(v.nodes) {
		return nil
	}
	if slots := v.nodes[h.num].slots.Load(); slots != nil {
		for _, s := range *slots {
			if int(s) < v.n {
				add(v.blocks[s>>blockShift].class[s&(blockSlots-1)])
			}
		}
	}
	return names
}
