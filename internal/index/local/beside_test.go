package local_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/index"
	"github.com/lukasa-memory/lukasa/internal/index/local"
	"github.com/lukasa-memory/lukasa/internal/parallel"
)

// A search whose sides are worked out at the same time finds what one finds that does them in turn.
func TestBeside(t *testing.T) {
	c := newCorpus(6_000, 64, 4, 40, false)
	x := local.New(c.feed(), local.Options{Space: "test", Dim: 64})
	defer func() { _ = x.Close() }()
	warm(t, x, c.nodes)
	crew := parallel.New()
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

// failing is a feed whose vectors cannot be read while fault is set.
type failing struct {
	index.Feed
	fault error
}

func (f *failing) Vectors(ctx context.Context, space string, owner lukasa.ID, ids []lukasa.ID) ([][]float32, error) {
	if f.fault != nil {
		return nil, f.fault
	}
	return f.Feed.Vectors(ctx, space, owner, ids)
}

// A search whose vectors cannot be read says so, whenever they are read, and leaves nothing behind for the next.
func TestBesideFails(t *testing.T) {
	c := newCorpus(3_000, 64, 1, 8, false)
	f := &failing{Feed: c.feed()}
	x := local.New(f, local.Options{Space: "test", Dim: 64})
	defer func() { _ = x.Close() }()
	warm(t, x, c.nodes)
	crew := parallel.New()
	broken := errors.New("the disk is broken")
	for i, q := range c.queries {
		r := index.Request{Owner: benchOwner, Nodes: c.nodes, Text: q.text, Vector: q.vector, K: []int{100, 10}[i/2%2], Both: true, Scene: i%2 == 0}
		ctx, leave := crew.Enter(t.Context())
		if i >= 4 {
			ctx = t.Context()
		}
		want, err := x.Search(ctx, r)
		if err != nil {
			t.Fatal(err)
		}
		f.fault = broken
		if _, err := x.Search(ctx, r); !errors.Is(err, broken) {
			t.Fatalf("K %d: %v", r.K, err)
		}
		f.fault = nil
		got, err := x.Search(ctx, r)
		if diff := cmp.Diff(want.Candidates, got.Candidates); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
		leave()
	}
}
