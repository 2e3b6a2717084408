package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

var listCases = []testCase{
	{"DocumentFilters", func(t *testing.T, w *world) { // D-2
		a, b := w.node("a"), w.node("a.b")
		d1 := w.doc(a, "one")
		d1.Title, d1.Tags, d1.SourceURL = "Überblick", []string{"x"}, "https://example.org"
		d2 := w.doc(b, "two")
		d2.Status, d2.ContentType, d2.CustomID, d2.Tags = lukasa.StatusFailed, "text/html", "c", []string{"x", "y"}
		d3 := w.doc(b, "three")
		d3.Previous, d3.Version, d3.OccurredAt = d2.ID, 2, new(start.Add(-time.Hour))
		w.update(func(tx store.Tx) error {
			for _, d := range []lukasa.Document{d1, d2, d3} {
				if err := tx.PutDocument(d); err != nil {
					return err
				}
			}
			return nil
		})
		for i, c := range []struct {
			f    lukasa.DocumentFilter
			want []lukasa.ID
		}{
			{lukasa.DocumentFilter{}, []lukasa.ID{d3.ID, d1.ID}},
			{lukasa.DocumentFilter{AllVersions: true}, []lukasa.ID{d3.ID, d2.ID, d1.ID}},
			{lukasa.DocumentFilter{AllVersions: true, OldestFirst: true}, []lukasa.ID{d1.ID, d2.ID, d3.ID}},
			{lukasa.DocumentFilter{Containers: []lukasa.Pattern{{Path: "a", Mode: '!'}}}, []lukasa.ID{d1.ID}},
			{lukasa.DocumentFilter{Containers: []lukasa.Pattern{{Path: "a.b"}}}, []lukasa.ID{d3.ID}},
			{lukasa.DocumentFilter{Containers: []lukasa.Pattern{{Path: "none"}}}, []lukasa.ID{}},
			{lukasa.DocumentFilter{AllVersions: true, Tags: []string{"x"}}, []lukasa.ID{d2.ID, d1.ID}},
			{lukasa.DocumentFilter{AllVersions: true, Tags: []string{"y", "z"}}, []lukasa.ID{d2.ID}},
			{lukasa.DocumentFilter{AllVersions: true, Status: []lukasa.Status{lukasa.StatusFailed}}, []lukasa.ID{d2.ID}},
			{lukasa.DocumentFilter{AllVersions: true, ContentType: []string{"text/html", "x"}}, []lukasa.ID{d2.ID}},
			{lukasa.DocumentFilter{SourceURL: "https://example.org"}, []lukasa.ID{d1.ID}},
			{lukasa.DocumentFilter{AllVersions: true, CustomID: "c"}, []lukasa.ID{d2.ID}},
			{lukasa.DocumentFilter{Title: "ÜBER"}, []lukasa.ID{d1.ID}},
			{lukasa.DocumentFilter{Title: "%"}, []lukasa.ID{}},
			{lukasa.DocumentFilter{Before: new(start)}, []lukasa.ID{d3.ID}},
			{lukasa.DocumentFilter{After: &d1.CreatedAt, AllVersions: true}, []lukasa.ID{d2.ID, d1.ID}},
		} {
			w.view(func(r store.Reader) {
				l := must[lukasa.Listing[lukasa.Document]](t)(r.Documents(c.f, lukasa.Page{}))
				t.Logf("filter %d", i)
				same(t, c.want, idsOf(l.Items, docID))
				same(t, len(c.want), l.Total)
				for _, d := range l.Items {
					same(t, "", d.Content)
				}
			})
		}
	}},
	{"LimitsAndCursors", func(t *testing.T, w *world) { // D-6
		node := w.node("work")
		for range 45 {
			w.saved(node, "x", 0)
		}
		w.view(func(r store.Reader) {
			page := func(p lukasa.Page) (lukasa.Listing[lukasa.Document], error) {
				return r.Documents(lukasa.DocumentFilter{}, p)
			}
			l := must[lukasa.Listing[lukasa.Document]](t)(page(lukasa.Page{}))
			same(t, [2]int{20, 45}, [2]int{len(l.Items), l.Total})
			for _, p := range []lukasa.Page{{Limit: 101}, {Limit: -1}, {Offset: -1}, {Cursor: "nonsense"}, {Cursor: "!"}} {
				_, err := page(p)
				w.fails(lukasa.CodeInvalid, err)
			}
			_, err := r.Memories(lukasa.MemoryFilter{}, lukasa.Page{Cursor: l.Next}) // the cursor of another list
			w.fails(lukasa.CodeInvalid, err)
			last := must[lukasa.Listing[lukasa.Document]](t)(page(lukasa.Page{Limit: 100, Offset: 40}))
			same(t, 5, len(last.Items))
			same(t, "", last.Next)
			same(t, 45, len(must[lukasa.Listing[lukasa.Document]](t)(page(lukasa.Page{Limit: 45})).Items))
			same(t, "", must[lukasa.Listing[lukasa.Document]](t)(page(lukasa.Page{Limit: 45})).Next)
		})
	}},
	{"TiesAreOrderedById", func(t *testing.T, w *world) {
		node := w.node("work")
		var want []lukasa.ID
		w.update(func(tx store.Tx) error {
			for range 10 {
				d := w.doc(node, "x")
				d.CreatedAt = start
				if err := tx.PutDocument(d); err != nil {
					return err
				}
				want = append([]lukasa.ID{d.ID}, want...)
			}
			return nil
		})
		var got []lukasa.ID
		for cursor := ""; ; {
			w.view(func(r store.Reader) {
				l := must[lukasa.Listing[lukasa.Document]](t)(r.Documents(lukasa.DocumentFilter{}, lukasa.Page{Limit: 3, Cursor: cursor}))
				got, cursor = append(got, idsOf(l.Items, docID)...), l.Next
			})
			if cursor == "" {
				break
			}
		}
		same(t, want, got)
	}},
	{"PagesStandStillUnderWrites", func(t *testing.T, w *world) {
		node := w.node("work")
		var want []lukasa.ID
		for range 30 {
			d, _ := w.saved(node, "x", 0)
			want = append([]lukasa.ID{d.ID}, want...)
		}
		var got []lukasa.ID
		for cursor := ""; ; {
			w.view(func(r store.Reader) {
				l := must[lukasa.Listing[lukasa.Document]](t)(r.Documents(lukasa.DocumentFilter{}, lukasa.Page{Limit: 7, Cursor: cursor}))
				got, cursor = append(got, idsOf(l.Items, docID)...), l.Next
			})
			if cursor == "" {
				break
			}
			w.saved(node, "newer", 0) // goes before what is still to come
		}
		same(t, want, got)
	}},
	{"Timeline", func(t *testing.T, w *world) {
		a, b := w.node("a"), w.node("b")
		day := func(n int) time.Time { return start.AddDate(0, 0, n) }
		_, ms, _ := w.dialogue(a, "talk", 2)
		ms[0].Time, ms[1].Time = new(day(-9)), new(day(-3))
		note, other := w.doc(a, "dated"), w.doc(b, "undated")
		note.OccurredAt = new(day(-5))
		happened, true0, told, old := w.memory(a, "happened"), w.memory(a, "true since"), w.memory(b, "told"), w.memory(a, "superseded")
		happened.OccurredAt, happened.ValidFrom, happened.Kind = new(day(-7)), new(day(-1)), lukasa.KindEvent
		true0.ValidFrom = new(day(-6))
		told.Metadata = map[string]any{"said_at": day(-4).Format(time.RFC3339)}
		old.OccurredAt, old.IsLatest, old.RetiredAt = new(day(-8)), false, new(day(-7))
		hidden := w.memory(a, "hidden")
		hidden.OccurredAt, hidden.State = new(day(-8)), lukasa.MemoryArchived
		w.update(func(tx store.Tx) error {
			w.ok(tx.PutMessages(ms, nil))
			w.ok(tx.PutDocument(note))
			w.ok(tx.PutDocument(other))
			for _, m := range []lukasa.Memory{happened, true0, told, old, hidden} {
				w.ok(tx.PutMemory(m))
			}
			return nil
		})
		all := []lukasa.ID{ms[0].ID, old.ID, happened.ID, true0.ID, note.ID, told.ID, ms[1].ID, other.ID}
		bound := w.scope()
		bound.Root = "b"
		in := func(path string) []lukasa.Pattern { return []lukasa.Pattern{{Path: lukasa.Path(path)}} }
		for i, c := range []struct {
			sc   lukasa.Scope
			f    lukasa.TimelineFilter
			want []lukasa.ID
		}{
			{w.scope(), lukasa.TimelineFilter{}, all},
			{w.scope(), lukasa.TimelineFilter{From: new(day(-7)), To: new(day(-4).Truncate(time.Second))}, all[2:5]},
			{w.scope(), lukasa.TimelineFilter{Containers: in("b")}, []lukasa.ID{told.ID, other.ID}},
			{w.scope(), lukasa.TimelineFilter{Containers: in("none")}, nil},
			{bound, lukasa.TimelineFilter{}, []lukasa.ID{told.ID, other.ID}},
			{bound, lukasa.TimelineFilter{Containers: in("a")}, nil},
			{w.scope(), lukasa.TimelineFilter{Types: []lukasa.EntryType{lukasa.EntryMessage}}, []lukasa.ID{ms[0].ID, ms[1].ID}},
			{w.scope(), lukasa.TimelineFilter{Types: []lukasa.EntryType{lukasa.EntryMemory}, Kinds: []lukasa.MemoryKind{lukasa.KindEvent}}, []lukasa.ID{happened.ID}},
		} {
			w.ok(w.View(w.ctx(), c.sc, func(r store.Reader) error {
				for _, limit := range []int{1, 3, 100} {
					var got []lukasa.ID
					for cursor := ""; ; {
						l := must[lukasa.Listing[store.Moment]](t)(r.Timeline(c.f, lukasa.Page{Limit: limit, Cursor: cursor}))
						got = append(got, idsOf(l.Items, func(m store.Moment) lukasa.ID { return m.ID })...)
						if l.Total != len(c.want) {
							t.Errorf("case %d: %d in all, want %d", i, l.Total, len(c.want))
						}
						if cursor = l.Next; cursor == "" {
							break
						}
					}
					if !slices.Equal(got, c.want) {
						t.Errorf("case %d, %d at a time: %v, want %v", i, limit, got, c.want)
					}
				}
				return nil
			}))
		}
	}},
	{"MessagesInPages", func(t *testing.T, w *world) {
		c, ms, _ := w.dialogue(w.node("work"), "talk", 25)
		w.view(func(r store.Reader) {
			l := must[lukasa.Listing[lukasa.Message]](t)(r.Messages(c.ID, lukasa.Page{}))
			same(t, idsOf(ms[:20], msgID), idsOf(l.Items, msgID))
			same(t, 25, l.Total)
			l = must[lukasa.Listing[lukasa.Message]](t)(r.Messages(c.ID, lukasa.Page{Cursor: l.Next}))
			same(t, idsOf(ms[20:], msgID), idsOf(l.Items, msgID))
			same(t, "", l.Next)
		})
	}},
}

var valueCases = []testCase{
	{"TextsAreKeptAsTheyAre", func(t *testing.T, w *world) {
		node := w.node("work")
		for _, text := range []string{"a\x00b", "\x00", "é e\u0301 ﬁ", "👩‍👩‍👧 🇺🇦", "\u202eright to left", "'; DROP TABLE documents; --", "line\r\nline\n", " ", "\xff\xfe not UTF-8", `{"json": "null"}`, "NULL", "1e5", "0x10"} {
			d := w.doc(node, text)
			d.Title, d.CustomID, d.Summary = text, text, text
			if strings.ToValidUTF8(text, "") == text { // JSON has no other texts
				d.Tags, d.Metadata = []string{text}, map[string]any{text: text}
			}
			cs := w.chunks(d, 1)
			cs[0].Content = text
			m := w.memory(node, text)
			err := w.Update(w.ctx(), w.scope(), func(tx store.Tx) error {
				if err := tx.PutMemory(m); err != nil {
					return err
				}
				return put(tx, d, cs)
			})
			if strings.Contains(text, "\x00") || !utf8.ValidString(text) { // a driver may refuse what is no text, if it says so
				if lukasa.CodeOf(err) == lukasa.CodeInvalid {
					continue
				}
			}
			w.ok(err)
			w.view(func(r store.Reader) {
				d.Path, d.Chunks, d.Embedded = "work", 1, 1
				same(t, d, must[lukasa.Document](t)(r.Document(d.ID)))
				same(t, cs, must[[]lukasa.Chunk](t)(r.Chunks(d.ID)))
				same(t, text, must[lukasa.Memory](t)(r.Memory(m.ID)).Content)
				same(t, d.ID, must[lukasa.Document](t)(r.LatestBy(node, "custom_id", text)).ID)
			})
		}
	}},
	{"LargeValues", func(t *testing.T, w *world) {
		node := w.node("work")
		big := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
		d := w.doc(node, big)
		d.Title = "big"
		cs := w.chunks(d, 1)
		file := lukasa.File{ID: w.id(lukasa.PrefixFile), Document: d.ID, Role: "raw", Inline: []byte(big), SealedSize: 1 << 20, CreatedAt: start}
		w.update(func(tx store.Tx) error {
			if err := put(tx, d, cs); err != nil {
				return err
			}
			return tx.PutFile(file)
		})
		w.view(func(r store.Reader) {
			if must[lukasa.Document](t)(r.Document(d.ID)).Content != big || must[[]lukasa.Chunk](t)(r.Chunks(d.ID))[0].Content != cs[0].Content ||
				string(must[[]lukasa.File](t)(r.Files(d.ID, ""))[0].Inline) != big {
				t.Fatal("a large value came back otherwise")
			}
		})
	}},
	{"TimesToTheMicrosecondInUTC", func(t *testing.T, w *world) {
		node := w.node("work")
		zone := time.FixedZone("east", 5*3600+1800)
		for _, at := range []time.Time{time.Date(2026, 5, 1, 23, 59, 59, 999999999, zone), time.Date(1969, 7, 20, 20, 17, 40, 1000, time.UTC), time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)} {
			d := w.doc(node, "x")
			d.CreatedAt, d.OccurredAt = at, &at
			w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
			w.view(func(r store.Reader) {
				got := must[lukasa.Document](t)(r.Document(d.ID))
				want := time.UnixMicro(at.UnixMicro()).UTC()
				if got.CreatedAt != want || *got.OccurredAt != want {
					t.Fatalf("%v came back as %v", at, got.CreatedAt)
				}
			})
		}
	}},
	{"ZeroTimesAreFilledIn", func(t *testing.T, w *world) {
		node := w.node("work")
		d := w.doc(node, "x")
		d.CreatedAt, d.UpdatedAt = time.Time{}, time.Time{}
		m := w.memory(node, "x")
		m.RecordedAt = time.Time{}
		before := w.clock()
		w.update(func(tx store.Tx) error {
			if err := tx.PutMemory(m); err != nil {
				return err
			}
			return tx.PutDocument(d)
		})
		w.view(func(r store.Reader) {
			for _, at := range []time.Time{must[lukasa.Document](t)(r.Document(d.ID)).CreatedAt, must[lukasa.Document](t)(r.Document(d.ID)).UpdatedAt, must[lukasa.Memory](t)(r.Memory(m.ID)).RecordedAt} {
				if at.Before(before) || at.After(before) {
					t.Fatalf("a zero time became %v", at)
				}
			}
		})
	}},
	{"NumbersOfMetadata", func(t *testing.T, w *world) {
		d := w.doc(w.node("work"), "x")
		d.Metadata = map[string]any{"pi": 3.14, "big": 1e300, "neg": -2.0, "nil": nil, "yes": true, "s": "", "o": map[string]any{}, "l": []any{1.0, "a"}}
		w.update(func(tx store.Tx) error { return tx.PutDocument(d) })
		w.view(func(r store.Reader) { same(t, d.Metadata, must[lukasa.Document](t)(r.Document(d.ID)).Metadata) })
		d.Metadata = map[string]any{"f": func() {}}
		w.fails(lukasa.CodeInvalid, w.Update(w.ctx(), w.scope(), func(tx store.Tx) error { return tx.PutDocument(d) }))
	}},
	{"ManyIdsAtOnce", func(t *testing.T, w *world) {
		d := w.doc(w.node("work"), "x")
		cs := w.chunks(d, 3000)
		w.update(func(tx store.Tx) error { return put(tx, d, cs) })
		ids := idsOf(cs, chunkID)
		w.view(func(r store.Reader) { same(t, ids, idsOf(must[[]lukasa.Chunk](t)(r.ChunksByID(ids)), chunkID)) })
		same(t, 3000, len(must[[]lukasa.Entry](t)(w.Entries(w.ctx(), space, w.owner, ids))))
		for i, v := range must[[][]float32](t)(w.Vectors(w.ctx(), space, w.owner, ids)) {
			same(t, vector(i), v)
		}
	}},
}
