package sqlite_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
)

// What the store says is being written is what it gives out afterwards, and it says the number of the change that tells of it.
func TestAheadTellsWhatWillBeRead(t *testing.T) {
	t.Parallel()
	p := newPlot(t, open(t, filepath.Join(t.TempDir(), "store.db"), sqlite.Options{}), "usr_ann")
	expected, told := map[lukasa.ID]lukasa.Entry{}, map[lukasa.ID]int64{}
	p.Ahead(func(space string, e lukasa.Entry) func(int64) {
		if space != "bench" {
			t.Errorf("space %q", space)
		}
		expected[e.ID] = e
		return func(seq int64) { told[e.ID] = seq }
	})
	occurred := time.Date(2024, 2, 29, 12, 30, 1, 123_456_789, time.FixedZone("", 7200))
	full := lukasa.Document{
		ID: "doc_full", Node: p.node, Title: "Harbour", Content: "One. Two. Three.", ContentType: "text/markdown", Language: "de", Status: lukasa.StatusDone, IsLatest: true,
		Tags: []string{"a", "é\""}, Metadata: map[string]any{"n": 3, "deep": map[string]any{"x": []int{1}}}, Origin: "me", OccurredAt: &occurred, CreatedAt: occurred.Add(time.Hour),
	}
	chunk := func(id lukasa.ID, text string) lukasa.Chunk {
		return lukasa.Chunk{ID: id, Content: text, Seq: 1, Heading: []string{"Part", "\xff"}}
	}
	vector := func(id lukasa.ID) store.Vector {
		return store.Vector{Entry: id, Type: lukasa.EntryChunk, Vector: []float32{.1, -2}}
	}
	add := func(tx store.Tx, d lukasa.Document, id lukasa.ID, chunks ...lukasa.Chunk) {
		t.Helper()
		d.ID = id
		if err := tx.AddDocument(store.Whole{Document: d, Chunks: chunks, Summary: len(chunks) > 1, Space: "bench", Vectors: []store.Vector{vector(chunks[0].ID)}}); err != nil {
			t.Fatal(err)
		}
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(p.Update(t.Context(), p.sc, func(tx store.Tx) error {
		add(tx, full, "doc_full", chunk("chk_1", "One."), chunk("chk_2", "Two."))
		add(tx, lukasa.Document{Node: p.node, Content: "Bare", Status: lukasa.StatusDone}, "doc_bare", lukasa.Chunk{ID: "chk_bare", Content: "Bare"})
		add(tx, full, "doc_changed", chunk("chk_again", "before"), chunk("chk_gone", "before"))
		return tx.ReplaceChunks("doc_changed", []lukasa.Chunk{chunk("chk_again", "after")})
	}))
	boom := errors.New("boom")
	if err := p.Update(t.Context(), p.sc, func(tx store.Tx) error {
		add(tx, full, "doc_never", chunk("chk_never", "never"))
		return boom
	}); !errors.Is(err, boom) {
		t.Fatal(err)
	}
	ok(p.Update(t.Context(), p.sc, func(tx store.Tx) error {
		add(tx, full, "doc_next", chunk("chk_next", "next"))
		return nil
	}))

	changes, err := p.Changes(t.Context(), 0, 100)
	ok(err)
	last := map[lukasa.ID]int64{}
	for _, c := range changes {
		last[c.Entry] = c.Seq
	}
	for _, id := range []lukasa.ID{"chk_1", "chk_2", "chk_bare", "chk_next"} {
		read, err := p.Entries(t.Context(), "bench", p.sc.Owner, []lukasa.ID{id})
		ok(err)
		if len(read) != 1 || !reflect.DeepEqual(read[0], expected[id]) {
			t.Errorf("%s: told\n%+v, read\n%+v", id, expected[id], read)
		}
		if told[id] == 0 || told[id] != last[id] {
			t.Errorf("%s: told number %d, the log has %d", id, told[id], last[id])
		}
	}
	for _, id := range []lukasa.ID{"chk_again", "chk_gone", "chk_never"} {
		if seq, ok := told[id]; ok {
			t.Errorf("%s: told number %d, and it is not as it was said to be", id, seq)
		}
	}
}
