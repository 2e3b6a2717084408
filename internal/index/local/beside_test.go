package local_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/beside"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/local"
)

// A search whose sides are worked out at the same time finds what one finds that does them in turn.
func TestBeside(t *testing.T) {
	c := newCorpus(6_000, 64, 4, 40, false)
	x := local.New(c.feed(), local.Options{Space: "test", Dim: 64})
	defer func() { _ = x.Close() }()
	warm(t, x, c.nodes)
	crew := beside.New()
	find := func(ctx context.Context, r index.Request) string {
		a, err := x.Search(ctx, r)
		if err != nil || r.K > 0 && len(a.Candidates) == 0 {
			t.Fatal(len(a.Candidates), err)
		}
		said := fmt.Sprintf("%v %d %+v", a.Terms, a.Matched, a.Candidates)
		if a.Scene != nil {
			said += fmt.Sprintf("%+v %v %+v", a.Scene.Terms, a.Scene.Length, a.Scene.Items)
		}
		return said
	}
	for i, q := range c.queries {
		r := index.Request{Owner: benchOwner, Nodes: c.nodes[i%2:], Text: q.text, Vector: q.vector, K: []int{100, 10, 1, 0}[i%4], Both: i%3 > 0, Scene: i%3 == 2}
		if i%5 == 0 {
			r.Types = []lukasa.EntryType{lukasa.EntryChunk}
		}
		ctx, leave := crew.Enter(t.Context())
		got := find(ctx, r)
		leave()
		if diff := cmp.Diff(find(t.Context(), r), got); diff != "" {
			t.Fatal(diff)
		}
	}
}
