package pgvector_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/indextest"
	"github.com/lukasa-memory/lukasa/internal/index/pgvector"
)

func errorOf(err error) (*lukasa.Error, bool) { return errors.AsType[*lukasa.Error](err) }

var odd = []string{"", "a", "b", "fact", "defining", "true", "1", "x\x00y", "\xff", `"`, `\`, `{a,b}`, "ä 東京", "NULL", "null", "tags", "'; DROP TABLE x"}

var filterFields = []string{
	"type", "kind", "tags", "content_type", "session", "speaker", "role", "status", "source", "document", "conversation", "latest",
	"metadata.a", "metadata.", "metadata.\x00", `metadata."`, "metadata.deep", "unheard of",
}

// M-4: a filter keeps what it keeps in Go, whatever it asks for and whatever entries hold.
func TestFilterIsMatch(t *testing.T) {
	t.Parallel()
	feed := indextest.NewMemFeed()
	node := indextest.NodeID(1)
	at := func(i int) string { return odd[i*7%len(odd)] }
	var entries []lukasa.Entry
	for i := range 120 {
		e := lukasa.Entry{
			ID: indextest.EntryID(i), Type: []lukasa.EntryType{lukasa.EntryChunk, lukasa.EntryMemory, lukasa.EntryMessage}[i%3], Owner: owner(1), Node: node, Text: "note", Latest: i%4 > 0,
			Confidence: []float64{0, .5, 1, math.Inf(1), math.NaN(), -1}[i%6], CreatedAt: time.Unix(int64(i/10), int64(i%10)).UTC(), Tags: []string{at(i), at(i + 1)},
			Role: []string{"", "user", "a"}[i%3], ContentType: []string{"note", ""}[i%2], Status: lukasa.Status([]string{"", "a"}[i/7%2]), Origin: lukasa.Origin([]string{"", "b"}[i/5%2]),
			Metadata: map[string]any{"a": at(i), "": float64(i % 3), "\x00": at(i + 2), `"`: []any{at(i), nil, true, 1.5}, "deep": map[string]any{"x": at(i)}},
		}
		if e.Type == lukasa.EntryMemory {
			e.Kind = []lukasa.MemoryKind{lukasa.KindFact, lukasa.KindDecision, ""}[i/3%3]
		}
		if i%8 == 0 {
			e.Metadata, e.Tags = nil, nil
		}
		entries = append(entries, e)
	}
	feed.Put(entries...)
	x := open(t, feed, pgvector.Options{Schema: fresh(t)})
	t.Cleanup(func() { _ = x.Close() })
	rapid.Check(t, func(t *rapid.T) {
		f := drawFilter(t, 0)
		a, err := x.Search(t.Context(), index.Request{Owner: owner(1), Nodes: []lukasa.ID{node}, Text: "note", Filter: &lukasa.Filter{And: []lukasa.Filter{f, {Field: "latest", Text: []string{"true", "false"}}}}, K: 1000})
		if err != nil {
			t.Fatal(err)
		}
		got, want := []lukasa.ID{}, []lukasa.ID{}
		for _, c := range a.Candidates {
			got = append(got, c.Entry)
		}
		for i := range entries {
			if f.Match(&entries[i]) {
				want = append(want, entries[i].ID)
			}
		}
		slices.Sort(want)
		if d := cmp.Diff(want, got); d != "" || a.Matched != len(want) {
			t.Fatalf("%d matched, want %d by %+v:\n%s", a.Matched, len(want), f, d)
		}
	})
}

func drawFilter(t *rapid.T, depth int) (f lukasa.Filter) {
	list := func(name string) (out []lukasa.Filter) {
		for range rapid.IntRange(0, 3-depth).Draw(t, name) {
			out = append(out, drawFilter(t, depth+1))
		}
		return out
	}
	if depth < 3 {
		f.And, f.Or = list("and"), list("or")
		if rapid.IntRange(0, 3).Draw(t, "not") == 0 {
			n := drawFilter(t, depth+1)
			f.Not = &n
		}
	}
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
	case 1:
		f.Field, f.Num = "confidence", rapid.SampledFrom([]float64{0, .5, .7, 1, math.NaN(), math.Inf(-1), math.Inf(1)}).Draw(t, "least")
	case 2:
		f.Field = rapid.SampledFrom([]string{"after", "before"}).Draw(t, "side")
		f.Time = time.Unix(rapid.Int64Range(-1, 12).Draw(t, "second"), rapid.Int64Range(0, 10).Draw(t, "nanosecond"))
	default:
		f.Field = rapid.SampledFrom(filterFields).Draw(t, "field")
		values := append([]string{"user", "note", "chunk", "memory", "regular", "decision", "false", "1.5", `{"x":"a"}`, fmt.Sprint(2)}, odd...)
		f.Text = rapid.SliceOfN(rapid.SampledFrom(values), 0, 3).Draw(t, "values")
	}
	return f
}
