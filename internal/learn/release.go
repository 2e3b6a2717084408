package learn

import (
	"context"
	"slices"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/merge"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// Release puts a memory in force that was held for a review, in quarantine or as a candidate: a person has looked at it. From here on it is
// weighed like any other of its origin: it may take the place of one, and where one that is more trusted stands against it, or one says
// the same, it is history. One that is not held is [lukasa.CodeConflict]. It is one change, which can be undone.
func (p *Path) Release(ctx context.Context, sc lukasa.Scope, id lukasa.ID) (m lukasa.Memory, err error) {
	if err := sc.CanWrite(); err != nil {
		return m, err
	}
	var out Outcome
	var node lukasa.Node
	err = p.Store.Update(ctx, sc, func(tx store.Tx) error {
		if m, err = tx.Memory(id); err != nil {
			return err
		}
		if !m.Held() {
			return &lukasa.Error{
				Code: lukasa.CodeConflict, Field: "id", Msg: "waits for no review",
				Hint: "GET /v1/memories?state=quarantined and ?state=candidate list what does",
			}
		}
		reason := "released from quarantine"
		if m.State == lukasa.MemoryCandidate {
			reason = "kept after a review"
		}
		if node, err = tx.Node(m.Node); err != nil {
			return err
		}
		out = Outcome{}
		w := &writer{tx: tx, node: node, now: p.now(), space: p.Embed.Space().ID, out: &out}
		m.State, m.Reason, m.IsLatest, m.UpdatedAt = "", "", true, w.now
		retired, err := w.admit(&m)
		if err != nil {
			return err
		}
		tx.Because("", reason)
		if err := tx.PutMemory(m); err != nil {
			return err
		}
		if m.IsLatest {
			if err := w.retire(retired, m); err != nil {
				return err
			}
			if err := tx.PutEdges(w.adds); err != nil {
				return err
			}
		}
		return tx.Enqueue(p.job(sc.Owner, lukasa.JobEmbed, id))
	})
	if err == nil {
		out.Merged = append(out.Merged, id)
		p.Announce(sc, node, out)
	}
	return m, err
}

// admit weighs a memory that is there already against those in force, and returns which of them it takes the place of.
func (w *writer) admit(m *lukasa.Memory) ([]lukasa.Memory, error) {
	twins, err := w.tx.Rivals(store.Claim{Node: w.node.ID, Key: m.Key})
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(twins, func(o lukasa.Memory) bool { return o.ID != m.ID && merge.Same(o, *m) }); i >= 0 {
		m.IsLatest, m.RetiredBy, m.RetiredAt, m.Reason = false, twins[i].ID, &w.now, "another memory says the same"
		return nil, nil
	}
	return w.weigh(m)
}
