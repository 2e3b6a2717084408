package storetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// testValid holds listings by ValidAt to what is true at a moment, as far as it is known: from valid_from, else from when it was said
// (the metadata's said_at where that is a time in RFC 3339, else when it was recorded), until just before valid_to.
func testValid(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	w, sc, node := place(t, open)
	begin := start.Truncate(time.Second) // metadata may be read to the millisecond
	recorded := begin.Add(48 * time.Hour)
	mem := func(content string, said any, from, to *time.Time) lukasa.Memory {
		m := w.memory(node, content)
		m.RecordedAt, m.UpdatedAt, m.ValidFrom, m.ValidTo = recorded, recorded, from, to
		if said != nil {
			m.Metadata = map[string]any{"said_at": said}
		}
		w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error { return tx.PutMemory(m) }))
		return m
	}
	hour := func(n int) time.Time { return begin.Add(time.Duration(n) * time.Hour) }
	written := hour(10).Format(time.RFC3339Nano)
	zoned := hour(10).In(time.FixedZone("", 2*3600)).Format(time.RFC3339Nano)
	fraction := hour(10).Add(time.Millisecond).Format(time.RFC3339Nano)
	bare := mem("recorded alone", nil, nil, nil)
	said := mem("said at ten", written, nil, nil)
	abroad := mem("said at ten elsewhere", zoned, nil, nil)
	exact := mem("said a millisecond past ten", fraction, nil, nil)
	garbled := mem("said at no time", "some day", nil, nil)
	early := mem("from two, said at ten", written, new(hour(2)), nil)
	late := mem("from twelve, said at ten", written, new(hour(12)), nil)
	over := mem("said at ten, until eleven", written, nil, new(hour(11)))
	for _, c := range []struct {
		at   time.Time
		want []lukasa.Memory
	}{
		{hour(1), nil},
		{hour(2), []lukasa.Memory{early}},
		{hour(10).Add(-time.Microsecond), []lukasa.Memory{early}},
		{hour(10), []lukasa.Memory{over, early, abroad, said}},
		{hour(10).Add(time.Millisecond), []lukasa.Memory{over, early, exact, abroad, said}},
		{hour(11).Add(-time.Microsecond), []lukasa.Memory{over, early, exact, abroad, said}},
		{hour(11), []lukasa.Memory{early, exact, abroad, said}},
		{hour(12), []lukasa.Memory{late, early, exact, abroad, said}},
		{recorded.Add(-time.Microsecond), []lukasa.Memory{late, early, exact, abroad, said}},
		{recorded, []lukasa.Memory{late, early, garbled, exact, abroad, said, bare}},
	} {
		w.ok(w.View(w.ctx(), sc, func(r store.Reader) error {
			l := must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(lukasa.MemoryFilter{ValidAt: &c.at}, lukasa.Page{}))
			same(t, idsOf(c.want, memID), idsOf(l.Items, memID))
			same(t, len(c.want), l.Total)
			return nil
		}))
	}
}

// place makes an owner with one node.
func place(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) (w *world, sc lukasa.Scope, node lukasa.ID) {
	w = &world{t: t, rand: rand.NewChaCha8([32]byte{2}), now: start}
	w.Store = open(t, func() time.Time { return w.now })
	sc.Owner = w.id(lukasa.PrefixUser)
	sc.Principal = sc.Owner
	node = w.id(lukasa.PrefixNode)
	w.ok(w.PutUser(w.ctx(), lukasa.User{ID: sc.Owner, Name: "Ada", CreatedAt: start}, nil))
	w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error { return tx.PutNode(lukasa.Node{ID: node, CreatedAt: start, UpdatedAt: start}) }))
	return w, sc, node
}

// testValidHistories holds listings by ValidAt, of today and of earlier moments, against looking at each memory.
func testValidHistories(t *testing.T, open func(t *testing.T, now func() time.Time) store.Store) {
	w, sc, node := place(t, open)
	rng := rand.New(rand.NewPCG(7, 7))
	moment := func() time.Time { return start.Add(time.Duration(rng.IntN(200)-100) * time.Minute) }
	maybe := func() *time.Time {
		if rng.IntN(2) == 0 {
			return nil
		}
		return new(moment())
	}
	said := func() map[string]any {
		switch at := moment(); rng.IntN(6) {
		case 0:
			return map[string]any{"said_at": at.Format(time.RFC3339Nano)}
		case 1:
			return map[string]any{"said_at": at.In(time.FixedZone("", -(5*3600 + 1800))).Format(time.RFC3339Nano), "n": float64(1)}
		case 2:
			return map[string]any{"said_at": []string{"2026-02-30T10:00:00Z", "2026-05-01", "", "now"}[rng.IntN(4)]}
		case 3:
			return map[string]any{"said_at": float64(at.Unix())}
		}
		return nil
	}
	true1 := func(m lukasa.Memory, at time.Time) bool { // the rule, told once more
		from := m.RecordedAt
		if s, ok := m.Metadata["said_at"].(string); ok {
			if t, err := time.Parse(time.RFC3339, s); err == nil {
				from = t
			}
		}
		if m.ValidFrom != nil {
			from = *m.ValidFrom
		}
		return !from.After(at) && (m.ValidTo == nil || m.ValidTo.After(at))
	}
	all := map[lukasa.ID]lukasa.Memory{}
	type seen struct {
		at  time.Time
		all map[lukasa.ID]lukasa.Memory
	}
	var moments []seen
	look := func(r store.Reader, all map[lukasa.ID]lukasa.Memory) error {
		for range 4 {
			at, want := moment(), map[lukasa.ID]bool{}
			for id, m := range all {
				if true1(m, at) {
					want[id] = true
				}
			}
			got := map[lukasa.ID]bool{}
			l := must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(lukasa.MemoryFilter{ValidAt: &at}, lukasa.Page{Limit: 100}))
			for _, m := range l.Items {
				got[m.ID] = true
				same(t, true, store.TrueAt(&m, at))
			}
			same(t, want, got)
		}
		return nil
	}
	for i := range 40 {
		w.ok(w.Update(w.ctx(), sc, func(tx store.Tx) error {
			m := w.memory(node, fmt.Sprint("fact ", i))
			if len(all) > 12 {
				for _, m = range all { // any of them
					break
				}
				m.UpdatedAt = w.tick()
			}
			m.ValidFrom, m.ValidTo, m.Metadata, m.IsLatest = maybe(), maybe(), said(), rng.IntN(3) > 0
			all[m.ID] = m
			return tx.PutMemory(m)
		}))
		if rng.IntN(6) == 0 {
			moments = append(moments, seen{w.tick(), maps.Clone(all)})
			w.ok(w.View(w.ctx(), sc, func(r store.Reader) error { return look(r, all) }))
		}
	}
	for _, s := range moments {
		w.ok(w.ViewAt(w.ctx(), sc, s.at, func(r store.Reader) error { return look(r, s.all) }))
	}
}
