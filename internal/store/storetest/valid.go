package storetest

import (
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// validCases hold a listing by ValidAt to what is true at a moment, as far as it is known: from valid_from, else from when it was said
// (the metadata's said_at where that is a time in RFC 3339, else when it was recorded), until just before valid_to.
var validCases = []testCase{
	{"ValidAt", func(t *testing.T, w *world) {
		node := w.node("work")
		begin := start.Truncate(time.Second) // metadata may be read to the millisecond
		recorded := begin.Add(48 * time.Hour)
		mem := func(content string, said any, from, to *time.Time) lukasa.Memory {
			m := w.memory(node, content)
			m.RecordedAt, m.UpdatedAt, m.ValidFrom, m.ValidTo = recorded, recorded, from, to
			if said != nil {
				m.Metadata = map[string]any{"said_at": said}
			}
			w.update(func(tx store.Tx) error { return tx.PutMemory(m) })
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
			w.view(func(r store.Reader) {
				l := must[lukasa.Listing[lukasa.Memory]](t)(r.Memories(lukasa.MemoryFilter{ValidAt: &c.at}, lukasa.Page{}))
				same(t, idsOf(c.want, memID), idsOf(l.Items, memID))
				same(t, len(c.want), l.Total)
			})
		}
	}},
}
