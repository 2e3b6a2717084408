package indextest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
)

// labels returns values that are easily taken for one another, or that are long.
func labels() []string {
	long := strings.Repeat("a very long label ", 5)
	return []string{"", "a", "tags", "ta", "x\x00y", "naïve 東京", "1", "true", "null", `{"a":1}`, "\x01ab", "b", long, long + "b", strings.Repeat("z", 39), strings.Repeat("z", 40)}
}

// M-4: tags and metadata are told apart exactly: whatever they hold, however many different ones there are, written one after
// the other or read at once, and after a restart.
func testLabels(t *testing.T, open Open) {
	f, dir := NewMemFeed(), t.TempDir()
	x := open(t, f, dir)
	values := labels()
	for i := range 900 {
		e := entry(i, NodeID(1+i%2), "a note", axis(i, .2))
		v := values[i%len(values)]
		switch i % 7 {
		case 0:
			e.Tags = []string{v, fmt.Sprint("only here ", i)}
		case 1:
			e.Tags = []string{v, v, values[(i+1)%len(values)]}
		case 2:
			e.Metadata = map[string]any{"ta": v, "a": float64(i % 3), v: "named"}
		case 3:
			e.Metadata = map[string]any{"list": []any{v, nil, true, 1.5, map[string]any{"a": 1.0}}, "tags": v, "none": []any{}}
		case 4:
			e.Metadata = map[string]any{"deep": map[string]any{"a": 1.0}, "a.b": v, "nothing": nil}
			e.Tags = []string{"a"}
		}
		f.Put(e)
		if i%50 == 49 {
			find(t, x, f, index.Request{Nodes: []lukasa.ID{NodeID(1)}, Text: "note", K: 1})
		}
	}
	check := func() {
		t.Helper()
		var fields []lukasa.Filter
		for _, v := range append(values, "only here 7", "named", "1.5", "unheard of") {
			for _, field := range []string{"tags", "metadata.ta", "metadata.a", "metadata.list", "metadata.tags", "metadata.deep", "metadata.a.b", "metadata.nothing", "metadata.none", "metadata.", "metadata." + v} {
				fields = append(fields, lukasa.Filter{Field: field, Text: []string{v}})
			}
		}
		fields = append(fields,
			lukasa.Filter{Field: "tags"}, lukasa.Filter{Field: "tags", Text: append(values, "b")},
			lukasa.Filter{Field: "tags", Text: []string{"a"}, Not: &lukasa.Filter{Field: "metadata.deep", Text: []string{`{"a":1}`}}},
			lukasa.Filter{Field: "metadata.a", Text: []string{"1"}, Or: []lukasa.Filter{{Field: "tags", Text: []string{"a"}}, {Field: "metadata.ta", Text: values}}},
			lukasa.Filter{And: []lukasa.Filter{{Field: "tags", Text: []string{"a"}}, {Field: "tags", Text: values[2:5]}, {Not: &lukasa.Filter{Field: "type", Text: []string{"memory"}}}}},
		)
		for i := range fields {
			req := index.Request{Nodes: []lukasa.ID{NodeID(1), NodeID(2)}, Text: "note", K: 1000, Filter: &fields[i]}
			if i%3 == 0 {
				req.Types = []lukasa.EntryType{lukasa.EntryChunk}
			}
			find(t, x, f, req)
		}
	}
	check()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = open(t, f, dir)
	check()
	x.Rebuild("", "")
	check()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}
