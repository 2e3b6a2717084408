package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/engine/enginetest"
)

// A search may ask with a whole page: with more different words than the ranker compares, up to the longest query.
func TestSearchWithManyWords(t *testing.T) {
	t.Parallel()
	e, _, sc := enginetest.New(t)
	for _, text := range []string{"The lighthouse keeper repaired the lantern.", "Bread and butter."} {
		if _, err := e.Remember(t.Context(), sc, lukasa.NewDocument{Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	for _, words := range []int{60, 64, 65, 100, 900} {
		var b strings.Builder
		b.WriteString("Who repaired the lantern of the lighthouse?")
		for i := range words {
			fmt.Fprintf(&b, " filler%d", i)
		}
		r, err := e.Search(t.Context(), sc, lukasa.Query{Text: b.String()})
		if err != nil || len(r.Hits) == 0 || !strings.Contains(r.Hits[0].Content, "lighthouse") {
			t.Errorf("with %d words more: %+v, %v", words, r.Hits, err)
		}
	}
}
