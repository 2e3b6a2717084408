package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/encode"
	"github.com/lukasa-memory/lukasa/internal/encode/encodetest"
)

// Answers are what encoding/json makes of them.
func TestWritten(t *testing.T) {
	encodetest.Types(t, reflect.TypeFor[found](), reflect.TypeFor[lukasa.Result](), reflect.TypeFor[lukasa.Document](), reflect.TypeFor[lukasa.Memory](),
		reflect.TypeFor[lukasa.Event](), reflect.TypeFor[lukasa.Filter](), reflect.TypeFor[*Fault]())
}

// hits are a result to a search as it often is.
func hits() lukasa.Result {
	r := lukasa.Result{Query: "what does she eat", Total: 197, Stats: lukasa.SearchStats{Ranker: "lukasa", Nodes: 1, Candidates: 197, TookMS: 2.345678, StageMS: map[string]float64{"candidates": 1.295828, "embed": .043428, "load": .80056, "nodes": .046457, "rank": .603553, "sync": .029693}}}
	for i := range 10 {
		x := 1 / float64(i+3)
		text := strings.Repeat("drica ploudra fou of the zoula the mava and drebra is judra naga pai zada. ", 4)
		r.Hits = append(r.Hits, lukasa.Hit{
			ID: "chk_01m81bfwq8f8cva1p7mp505psr", Type: "chunk", Content: text, Score: x, Relevance: x * 2, Similarity: x * 1.5, Path: "default", Chunks: 1,
			Parts:    map[string]float64{"alike": x / 3, "context": x / 5, "feedback": x / 7, "meaning": x / 9, "recency": 0, "session": x / 11, "text": x / 13, "vector": x / 17},
			Document: &lukasa.HitDocument{ID: "doc_01m81bfwq8fqcsa6ap851gdg9s", Title: text[:70], ContentType: "text", Summary: text, Version: 1},
			Chunk:    &lukasa.HitChunk{ID: "chk_01m81bfwq8f8cva1p7mp505psr", End: len(text), Lines: [2]int{1, 1}},
			Tags:     []string{"ploudra", "drica", "drebra", "zoula", "judra"}, Metadata: map[string]any{}, CreatedAt: time.Unix(1_700_000_000, 432474000).UTC(),
		})
	}
	return r
}

func BenchmarkHits(b *testing.B) {
	r := foundOf(hits(), 0)
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		var buf []byte
		e := encode.New(false)
		for b.Loop() {
			buf, _ = e.Append(buf[:0], r)
		}
	})
	b.Run("json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = json.Marshal(r)
		}
	})
}
