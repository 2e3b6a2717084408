package learn

import (
	"slices"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// twins are the memories of a node that say the same as another one.
type twins struct {
	inForce []lukasa.Memory
	retired []lukasa.Memory
	held    []lukasa.Memory // for a review, looked for only if the other one is to be held, too
}

func twinsOf(r store.Reader, node lukasa.Node, m lukasa.Memory) (t twins, err error) {
	other := func(list []lukasa.Memory) []lukasa.Memory {
		return slices.DeleteFunc(list, func(o lukasa.Memory) bool { return !merge.Same(o, m) })
	}
	if t.inForce, err = r.Rivals(store.Claim{Node: node.ID, Key: m.Key}); err != nil {
		return t, err
	}
	if t.inForce = other(t.inForce); len(t.inForce) > 0 && m.State == "" {
		return t, nil
	}
	if t.retired, err = r.Rivals(store.Claim{Node: node.ID, Key: m.Key, Retired: true}); err != nil {
		return t, err
	}
	if t.retired = other(t.retired); m.State == "" {
		return t, nil
	}
	l, err := r.Memories(lukasa.MemoryFilter{
		Containers: []lukasa.Pattern{{Path: node.Path, Mode: '!'}}, Key: m.Key, State: &m.State,
	}, lukasa.Page{Limit: 100})
	t.held = other(l.Items)
	return t, err
}

// carried returns the memory that an export has carried here without its evidence, and that m, said at the same moment, is the evidence of: what
// took its place there holds here, too. It is nil where there is none.
func (t twins) carried(m lukasa.Memory) *lukasa.Memory {
	i := slices.IndexFunc(t.retired, func(o lukasa.Memory) bool {
		return o.Extractor != "" && len(o.Sources) == 0 && merge.SaidAt(&o).Sub(merge.SaidAt(&m)).Abs() < time.Millisecond
	})
	if i < 0 {
		return nil
	}
	return &t.retired[i]
}

// told reports whether m was drawn from the same words before: what became of it then, by whoever's hand, stands.
func (t twins) told(m lukasa.Memory) bool {
	if m.State == "" {
		return slices.ContainsFunc(t.retired, func(o lukasa.Memory) bool { return sameWords(o, m) })
	}
	return slices.ContainsFunc(slices.Concat(t.inForce, t.retired, t.held), func(o lukasa.Memory) bool { return sameWords(o, m) })
}

// sameWords reports whether two memories rest on the same words of one text.
func sameWords(a, b lukasa.Memory) bool {
	return slices.ContainsFunc(a.Sources, func(x lukasa.Source) bool {
		return slices.ContainsFunc(b.Sources, func(y lukasa.Source) bool {
			return store.SourceOf(x) == store.SourceOf(y) && x.Start < y.End && y.Start < x.End
		})
	})
}
