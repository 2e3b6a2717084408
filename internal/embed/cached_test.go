package embed_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/embedtest"
)

// TestDecorators: what is decorated still passes the suite.
func TestDecorators(t *testing.T) {
	t.Parallel()
	base, err := embed.NewRemote(embed.RemoteOptions{
		Kind: "test", Model: "m", Profile: embed.ProfileOf("m"), Limits: embed.Limits{Texts: 7, TextTokens: 1000},
		Call: func(_ context.Context, _ embed.Role, texts []string) ([][]float32, error) {
			return embedtest.Vectors(texts, 12), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]embed.Embedder{
		"retry":        embed.Retry(base, embed.RetryPolicy{}),
		"cached":       embed.Cached(base, 0),
		"tiny":         embed.Cached(base, 2),
		"cached retry": embed.Cached(embed.Retry(base, embed.RetryPolicy{}), 100),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			embedtest.Run(t, func(*testing.T) embed.Embedder { return e })
		})
	}
}

// healthy adds a role to fake.
type healthy struct{ *fake }

func (healthy) Health(context.Context) error { return nil }

func TestAs(t *testing.T) {
	t.Parallel()
	e := embed.Cached(embed.Retry(healthy{&fake{}}, embed.RetryPolicy{}), 0)
	if c, ok := embed.As[embed.HealthChecker](e); !ok || c.Health(t.Context()) != nil {
		t.Error("the role of the decorated embedder is lost")
	}
	if _, ok := embed.As[embed.QueryEmbedder](embed.Embedder(&fake{})); ok {
		t.Error("a role that nobody has")
	}
	if s, err := embed.Probe(t.Context(), e); err != nil || s.Dim != 4 {
		t.Errorf("Probe = %+v, %v", s, err)
	}
}

// TestCached: M-7.
func TestCached(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := embed.Cached(f, 10)
	embedAll := func(texts ...string) {
		t.Helper()
		out, err := c.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(embedtest.Vectors(texts, 4), out); diff != "" {
			t.Errorf("vectors of %q (-want +got):\n%s", texts, diff)
		}
		for _, v := range out {
			v[0] = 99 // callers own what they get
		}
	}
	embedAll("a", "b", "a")
	embedAll("b", "c", "a")
	embedAll("a", "b", "c")
	for range 2 {
		if v, err := c.EmbedQuery(t.Context(), "a"); err != nil || v[0] == 99 {
			t.Errorf("%v, %v", v, err)
		}
	}
	if diff := cmp.Diff([][]string{{"a", "b"}, {"c"}, {"a"}}, f.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(embed.CacheStats{Hits: 6, Misses: 5, Entries: 4}, c.Stats()); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

func TestCachedForgets(t *testing.T) {
	t.Parallel()
	f := &fake{}
	c := embed.Cached(f, 2)
	for _, s := range []string{"a", "b", "a", "c", "a", "b"} { // c pushes b out, a was used since
		if _, err := c.Embed(t.Context(), []string{s}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([][]string{{"a"}, {"b"}, {"c"}, {"b"}}, f.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestCachedFailure: what arrived is kept, a failure is not.
func TestCachedFailure(t *testing.T) {
	t.Parallel()
	down := coded(lukasa.CodeUnavailable, 0)
	f := &fake{script: []error{down, down}, keep: 1}
	c := embed.Cached(f, 10)
	for i, want := range []int{1, 2, 3} { // vectors after each call
		out, err := c.Embed(t.Context(), []string{"a", "b", "c"})
		got := 0
		for _, v := range out {
			if v != nil {
				got++
			}
		}
		if got != want || (err == nil) != (i == 2) {
			t.Errorf("call %d: %d vectors, %v", i, got, err)
		}
	}
	if diff := cmp.Diff([][]string{{"a", "b", "c"}, {"b", "c"}, {"c"}}, f.calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	f = &fake{script: []error{down}}
	c = embed.Cached(f, 10)
	if _, err := c.EmbedQuery(t.Context(), "a"); !errors.Is(err, down) {
		t.Errorf("err = %v", err)
	}
	if v, err := c.EmbedQuery(t.Context(), "a"); err != nil || len(v) != 4 {
		t.Errorf("%v, %v", v, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.EmbedQuery(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("remembered, and cancelled: %v", err)
	}
}

// spaced has the space of the day.
type spaced struct {
	*fake
	id string
}

func (s *spaced) Space() embed.Space { return embed.Space{ID: s.id, Model: "fake", Dim: 4} }

// TestCachedSpaces: vectors of two spaces never mix.
func TestCachedSpaces(t *testing.T) {
	t.Parallel()
	s := &spaced{fake: &fake{}, id: "one"}
	c := embed.Cached(s, 10)
	for _, id := range []string{"one", "two", "one", "two"} {
		s.id = id
		if _, err := c.Embed(t.Context(), []string{"a"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.calls) != 2 {
		t.Errorf("%d calls, want one for each space", len(s.calls))
	}
}

func TestCachedConcurrently(t *testing.T) {
	t.Parallel()
	remote, err := embed.NewRemote(embed.RemoteOptions{
		Kind: "test", Model: "m",
		Call: func(_ context.Context, _ embed.Role, texts []string) ([][]float32, error) {
			return embedtest.Vectors(texts, 12), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := embed.Cached(remote, 8)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				if _, err := c.Embed(t.Context(), []string{fmt.Sprint(i % 16), fmt.Sprint(g)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if s := c.Stats(); s.Entries != 8 || s.Hits+s.Misses != 1600 {
		t.Errorf("stats %+v", s)
	}
}
