package indextest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
)

var vocabulary = strings.Fields(`river mountain table coffee engine berlin running children parser deadline budget garden
	violin userName retry_count os.path 東京 café database index lisbon meeting invoice`)

func drawText(rt *rapid.T) string {
	n := rapid.IntRange(0, 12).Draw(rt, "words")
	var b strings.Builder
	for range n {
		i := rapid.IntRange(0, len(vocabulary)*3).Draw(rt, "word")
		b.WriteString(vocabulary[i*i/(len(vocabulary)*9)%len(vocabulary)]) // some words are common
		b.WriteByte(' ')
	}
	return b.String()
}

func drawVector(rt *rapid.T) []float32 {
	seed := rapid.Uint64Range(0, 40).Draw(rt, "vector")
	if seed == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float32, Dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

var epoch = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func drawEntry(rt *rapid.T) lukasa.Entry {
	n := rapid.IntRange(0, 80).Draw(rt, "entry")
	e := entry(n, NodeID(rapid.IntRange(0, 3).Draw(rt, "node")), drawText(rt), drawVector(rt))
	e.Type = rapid.SampledFrom([]lukasa.EntryType{lukasa.EntryChunk, lukasa.EntryMessage, lukasa.EntryMemory}).Draw(rt, "type")
	e.Speaker = rapid.SampledFrom([]string{"", "", "Ann", "Bob"}).Draw(rt, "speaker")
	e.Role = rapid.SampledFrom([]string{"", "user"}).Draw(rt, "role")
	e.Title = rapid.SampledFrom([]string{"", "Garden plans", "Invoice"}).Draw(rt, "title")
	e.Conversation = rapid.SampledFrom([]lukasa.ID{"", mint(lukasa.PrefixConversation, 1), mint(lukasa.PrefixConversation, 2)}).Draw(rt, "conversation")
	if e.Type == lukasa.EntryMessage && e.Conversation != "" {
		e.Seq = int64(n / 2)
	}
	e.Session = rapid.SampledFrom([]string{"", "s1", "s2"}).Draw(rt, "session")
	e.ContentType = rapid.SampledFrom([]string{"note", "markdown"}).Draw(rt, "content type")
	if e.Type == lukasa.EntryMemory {
		e.Kind = rapid.SampledFrom([]lukasa.MemoryKind{lukasa.KindFact, lukasa.KindDecision}).Draw(rt, "kind")
		e.Document = ""
		e.Subject = rapid.SampledFrom([]string{"", "Ann", "a"}).Draw(rt, "subject")
		e.Slot = rapid.SampledFrom([]string{"", "lives_in", "a"}).Draw(rt, "slot")
	}
	e.Confidence = rapid.SampledFrom([]float64{0, .25, .5, 1}).Draw(rt, "confidence")
	e.Latest = rapid.IntRange(0, 5).Draw(rt, "latest") > 0
	e.Tags = rapid.SampledFrom([][]string{nil, {"a"}, {"a", "b"}, {"b"}}).Draw(rt, "tags")
	e.Metadata = rapid.SampledFrom([]map[string]any{nil, {"n": 1.0}, {"n": 2.0, "s": "x"}, {"s": []any{"x", "y"}}}).Draw(rt, "metadata")
	e.CreatedAt = epoch.Add(time.Duration(n) * time.Hour)
	if rapid.Bool().Draw(rt, "dated") {
		e.OccurredAt = epoch.Add(time.Duration(rapid.IntRange(-100, 100).Draw(rt, "hours"))*time.Hour + 7)
	}
	return e
}

// records are ids in the order that a condition on records wants.
func records(ids ...lukasa.ID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	slices.Sort(out)
	return out
}

func drawFilter(rt *rapid.T, depth int) *lukasa.Filter {
	leaves := []lukasa.Filter{
		{},
		{Field: "tags", Text: []string{"a"}},
		{Field: "tags", Text: []string{"b", "zz"}},
		{Field: "speaker", Text: []string{"Ann"}},
		{Field: "session", Text: []string{"s1", ""}},
		{Field: "kind", Text: []string{"defining"}},
		{Field: "kind", Text: []string{"fact", "decision"}},
		{Field: "type", Text: []string{"message"}},
		{Field: "content_type", Text: []string{"note"}},
		{Field: "role", Text: []string{"user"}},
		{Field: "confidence", Num: .5},
		{Field: "after", Time: epoch},
		{Field: "before", Time: epoch.Add(7)},
		{Field: "metadata.n", Text: []string{"1"}},
		{Field: "metadata.s", Text: []string{"x"}},
		{Field: "metadata.none", Text: []string{"x"}},
		{Field: "latest", Text: []string{"false"}},
		{Field: "latest", Text: []string{"true", "false"}},
		{Field: "document", Text: []string{string(mint(lukasa.PrefixDocument, 4)), ""}},
		{Field: "conversation", Text: []string{""}},
		{Field: "subject", Text: []string{"Ann"}},
		{Field: "subject", Text: []string{"", "a"}},
		{Field: "slot", Text: []string{"a", "lives_in"}},
		{Field: "created_from", Time: epoch.Add(7 * time.Hour)},
		{Field: "created_to", Time: epoch.Add(30*time.Hour + 1)},
		{Field: "record", Text: records("", EntryID(3), EntryID(30), mint(lukasa.PrefixDocument, 4))},
		{Field: "record", Text: records("odd", EntryID(60))},
		{Field: "record"},
		{Field: "status", Text: []string{"done"}},
		{Field: "source", Text: []string{""}},
		{Field: "unheard of", Text: []string{""}},
	}
	if depth >= 3 || rapid.Bool().Draw(rt, "leaf") {
		f := leaves[rapid.IntRange(0, len(leaves)-1).Draw(rt, "field")]
		return &f
	}
	var f lukasa.Filter
	for range rapid.IntRange(0, 2).Draw(rt, "and") {
		f.And = append(f.And, *drawFilter(rt, depth+1))
	}
	for range rapid.IntRange(0, 2).Draw(rt, "or") {
		f.Or = append(f.Or, *drawFilter(rt, depth+1))
	}
	if rapid.Bool().Draw(rt, "not") {
		f.Not = drawFilter(rt, depth+1)
	}
	return &f
}

func drawRequest(rt *rapid.T) index.Request {
	r := index.Request{Owner: owner, K: rapid.IntRange(0, 30).Draw(rt, "k"), Both: rapid.Bool().Draw(rt, "both"), Scene: rapid.Bool().Draw(rt, "scene"), Vector: drawVector(rt), Text: drawText(rt)}
	for n := range 5 {
		if rapid.IntRange(0, 2).Draw(rt, "named") > 0 {
			r.Nodes = append(r.Nodes, NodeID(n))
		}
	}
	if rapid.Bool().Draw(rt, "filtered") {
		r.Filter = drawFilter(rt, 0)
	}
	if rapid.IntRange(0, 3).Draw(rt, "typed") == 0 {
		r.Types = []lukasa.EntryType{lukasa.EntryMessage, lukasa.EntryMemory}
	}
	return r
}

// history plays one random history on two indexes.
func history(t *testing.T, rt *rapid.T, open Open) {
	f := NewMemFeed()
	dirs := [2]string{t.TempDir(), t.TempDir()}
	xs := [2]index.Index{open(t, f, dirs[0]), open(t, f, dirs[1])}
	defer func() {
		for _, x := range xs {
			if err := x.Close(); err != nil {
				rt.Errorf("close: %v", err)
			}
		}
	}()
	steps := rapid.IntRange(5, 60).Draw(rt, "steps")
	for range steps {
		i := rapid.IntRange(0, 1).Draw(rt, "index")
		switch op := rapid.IntRange(0, 9).Draw(rt, "op"); op {
		case 0, 1, 2, 3, 4:
			var batch []lukasa.Entry
			for range rapid.IntRange(1, 6).Draw(rt, "batch") {
				batch = append(batch, drawEntry(rt))
			}
			f.Put(batch...)
		case 5:
			for range rapid.IntRange(1, 10).Draw(rt, "removed") {
				f.Remove(EntryID(rapid.IntRange(0, 80).Draw(rt, "id")))
			}
		case 6, 7:
			find(rt, xs[i], f, drawRequest(rt))
		case 8:
			if err := xs[i].Close(); err != nil {
				rt.Fatalf("close: %v", err)
			}
			xs[i] = open(t, f, dirs[i])
		case 9:
			xs[i].Rebuild(owner, NodeID(rapid.IntRange(0, 3).Draw(rt, "node")))
		}
	}
	for _, x := range xs {
		find(rt, x, f, drawRequest(rt))
	}
}
