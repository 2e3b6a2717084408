package storetest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// testWritten holds what the log tells of memories, which is put together from what is written, against what is read of them then. To
// make one takes no more statements than are needed.
func testWritten(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	w, sc, _ := place(t, open)
	node := w.id(lukasa.PrefixNode)
	w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error { return tx.PutNode(lukasa.Node{ID: node, Path: "here"}) }))
	cet := time.FixedZone("CET", 3600)
	at := time.Date(2026, 5, 2, 9, 30, 0, 123456789, cet)
	id := w.id(lukasa.PrefixMemory)
	steps := []func(m *lukasa.Memory){
		func(m *lukasa.Memory) {
			m.Content, m.Kind, m.Confidence, m.IsLatest, m.OccurredAt = "Ada keeps “bees” \u2028<b>.", lukasa.KindFact, 1, true, &at
			m.Sources = []lukasa.Source{{Start: 1, End: 9, Quote: "bees"}}
		},
		func(m *lukasa.Memory) {
			m.Confidence, m.Key, m.Slot, m.ValidFrom, m.RecordedAt = .7, "bees", "keeps", &at, at
			m.Tags, m.Entities = []string{`a"b`, "é"}, []string{"Ada"}
			m.Metadata = map[string]any{"n": 12, "big": int64(1) << 60, "deep": map[string]any{"list": []any{1, "x", nil}}, "said_at": at}
			m.Sources = append(m.Sources, lukasa.Source{Start: 3, End: 4})
		},
		func(m *lukasa.Memory) { m.Sources = m.Sources[1:] },
		func(m *lukasa.Memory) { m.Sources, m.Tags, m.IsLatest, m.Reason = nil, []string{}, false, "over" },
	}
	var m lukasa.Memory
	for i, change := range steps {
		m.ID, m.Node = id, node
		change(&m)
		ctx, asked := sqlrows.WithCount(w.ctx())
		w.ok(w.Update(ctx, sc, func(tx store.Tx) error { return tx.PutMemory(m) }))
		if n := asked.Load(); i == 0 && n > 9 {
			t.Errorf("a new memory takes %d statements", n)
		}
		w.ok(w.View(w.ctx(), sc, func(r store.Reader) error {
			is := must[lukasa.Memory](t)(r.Memory(id))
			log := must[lukasa.Listing[lukasa.Delta]](t)(r.History(id, lukasa.Page{}))
			want, err := json.Marshal(store.MemoryState{Memory: is, Key: is.Key, SaidAt: store.SaidAt(&is)})
			w.ok(err)
			if log.Total != i+1 {
				t.Fatalf("%d deltas after %d steps", log.Total, i+1)
			}
			if diff := cmp.Diff(object(t, want), object(t, log.Items[0].After)); diff != "" {
				t.Errorf("step %d: read (-), told (+):\n%s", i, diff)
			}
			return nil
		}))
		w.tick()
	}
	// A node that moves in the same transaction takes along what is written after it.
	w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
		m.Content = "First."
		if err := tx.PutMemory(m); err != nil {
			return err
		}
		n, err := tx.Node(node)
		if err != nil {
			return err
		}
		n.Path = "elsewhere"
		if err := tx.PutNode(n); err != nil {
			return err
		}
		m.Content = "Second."
		return tx.PutMemory(m)
	}))
	w.ok(w.View(w.ctx(), sc, func(r store.Reader) error {
		log := must[lukasa.Listing[lukasa.Delta]](t)(r.History(id, lukasa.Page{}))
		if is := object(t, log.Items[0].After); is["container"] != "elsewhere" || is["content"] != "Second." {
			t.Errorf("told: %v", is)
		}
		return nil
	}))
}

func object(t *testing.T, b []byte) (m map[string]any) {
	t.Helper()
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
