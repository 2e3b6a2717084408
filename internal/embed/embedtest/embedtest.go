// Package embedtest is the suite that every driver of package embed passes, and what the drivers' tests need to stand in
// for a server: vectors that depend on the text, and a strict reader of requests. It is imported by tests only.
package embedtest

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/embed"
)

// Run checks an embedder. open is called once per test; it may return the same value every time.
func Run(t *testing.T, open func(t *testing.T) embed.Embedder) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, embed.Embedder){
		"space":       testSpace,
		"unit length": testUnitLength,
		"determinism": testDeterminism,
		"order":       testOrder,
		"blank":       testBlank,
		"nothing":     testNothing,
		"long":        testLong,
		"odd text":    testOddText,
		"query":       testQuery,
		"cancelled":   testCancelled,
		"concurrency": testConcurrency,
		"tokens":      testTokens,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// texts are different enough that any model tells them apart.
func texts() []string {
	return []string{
		"The automobile repair shop called about the brakes.",
		"She drinks green tea every morning.",
		"select count(*) from documents where deleted is null",
		"Наши друзья приехали из Варшавы",
		"a",
		"42",
		"It rained heavily all afternoon, and the flight landed late at night. " + strings.Repeat("We waited. ", 20),
	}
}

func mustEmbed(t *testing.T, e embed.Embedder, texts []string) [][]float32 {
	t.Helper()
	out, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("Embed(%d texts): %v", len(texts), err)
	}
	if len(out) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(out), len(texts))
	}
	return out
}

// norm returns the L2 norm of v.
func norm(v []float32) float64 {
	var n float64
	for _, x := range v {
		n += float64(x) * float64(x)
	}
	return math.Sqrt(n)
}

// same reports whether two vectors are equal but for the last bits, which servers do not promise.
func same(a, b []float32) bool {
	return len(a) == len(b) && slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x)-float64(y)) <= 1e-5 })
}

func testSpace(t *testing.T, e embed.Embedder) {
	before := e.Space()
	s, err := embed.Probe(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if s.Dim <= 0 {
		t.Errorf("dimension %d after Probe", s.Dim)
	}
	v := mustEmbed(t, e, texts()[:1])[0]
	if len(v) != s.Dim {
		t.Errorf("vector of %d values in a space of %d", len(v), s.Dim)
	}
	before.Dim = s.Dim
	for _, later := range []embed.Space{s, e.Space()} {
		if diff := cmp.Diff(before, later); diff != "" {
			t.Errorf("the space changed:\n%s", diff)
		}
	}
	p := s.Profile
	if s.ID == "" || s.Model == "" || p.Related <= 0 || p.Near <= p.Related || p.Near > 1 || p.VectorWeight <= 0 || p.VectorWeight > 1 {
		t.Errorf("space %+v", s)
	}
}

func testUnitLength(t *testing.T, e embed.Embedder) {
	for i, v := range mustEmbed(t, e, texts()) {
		if n := norm(v); math.Abs(n-1) > 1e-5 {
			t.Errorf("text %d: norm %v", i, n)
		}
	}
}

func testDeterminism(t *testing.T, e embed.Embedder) {
	a, b := mustEmbed(t, e, texts()), mustEmbed(t, e, texts())
	for i := range a {
		if !same(a[i], b[i]) {
			t.Errorf("text %d: two calls, two vectors", i)
		}
	}
}

// testOrder embeds many texts at once, some of them twice, and compares with one at a time.
func testOrder(t *testing.T, e embed.Embedder) {
	base := texts()
	single := make([][]float32, len(base))
	for i, s := range base {
		single[i] = mustEmbed(t, e, []string{s})[0]
		for j := range i {
			if same(single[i], single[j]) {
				t.Errorf("texts %d and %d have one vector", i, j)
			}
		}
	}
	var many []string
	for i := range 300 {
		many = append(many, base[i*i%len(base)])
	}
	given := slices.Clone(many)
	for i, v := range mustEmbed(t, e, many) {
		if !same(v, single[i*i%len(base)]) {
			t.Fatalf("text %d of a batch has another vector than alone", i)
		}
	}
	if !slices.Equal(given, many) {
		t.Error("Embed changed the texts")
	}
}

func testBlank(t *testing.T, e embed.Embedder) {
	for _, in := range [][]string{{""}, {" \t\n\u2003"}, {"", "tea", "  ", "car", ""}} {
		for i, v := range mustEmbed(t, e, in) {
			if len(v) != e.Space().Dim {
				t.Fatalf("%q: vector of %d values, want %d", in[i], len(v), e.Space().Dim)
			}
			if got, want := norm(v), float64(len(strings.TrimSpace(in[i]))); math.Abs(got-min(want, 1)) > 1e-5 {
				t.Errorf("%q: norm %v", in[i], got)
			}
		}
	}
}

func testNothing(t *testing.T, e embed.Embedder) {
	for _, in := range [][]string{nil, {}} {
		if out, err := e.Embed(t.Context(), in); err != nil || len(out) != 0 {
			t.Errorf("Embed(no texts) = %v, %v", out, err)
		}
	}
}

func testLong(t *testing.T, e embed.Embedder) {
	long := strings.Repeat("The release went out on Friday. ", 1<<20/32)
	for i, v := range mustEmbed(t, e, []string{"short", long, strings.Repeat("x", 1<<17)}) {
		if n := norm(v); math.Abs(n-1) > 1e-5 {
			t.Errorf("text %d: norm %v", i, n)
		}
	}
}

func testOddText(t *testing.T, e embed.Embedder) {
	in := []string{"caf\xff\xfe latte", "nul \x00 byte", "a\u0301 combining", "emoji 😀 face", "\"quoted\" \\ <tag> & \u2028 line"}
	for i, v := range mustEmbed(t, e, in) {
		if n := norm(v); math.Abs(n-1) > 1e-5 {
			t.Errorf("%q: norm %v", in[i], n)
		}
	}
}

func testQuery(t *testing.T, e embed.Embedder) {
	v, err := embed.EmbedQuery(t.Context(), e, "what does she drink?")
	if err != nil {
		t.Fatal(err)
	}
	if n := norm(v); len(v) != e.Space().Dim || math.Abs(n-1) > 1e-5 {
		t.Errorf("query: %d values of norm %v", len(v), n)
	}
	if v, err = embed.EmbedQuery(t.Context(), e, " "); err != nil || len(v) != e.Space().Dim || norm(v) != 0 {
		t.Errorf("blank query: %d values, %v", len(v), err)
	}
}

func testCancelled(t *testing.T, e embed.Embedder) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, err := e.Embed(ctx, []string{"tea", "car"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: err = %v", err)
	}
	if len(out) != 0 && len(out) != 2 {
		t.Errorf("cancelled: %d vectors", len(out))
	}
	mustEmbed(t, e, []string{"tea"}) // and it still works
}

func testConcurrency(t *testing.T, e embed.Embedder) {
	want := mustEmbed(t, e, texts())
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 4 {
				at := (g + i) % len(want)
				out, err := e.Embed(t.Context(), texts()[at:])
				if err != nil {
					t.Errorf("goroutine %d: %v", g, err)
					return
				}
				if !same(out[0], want[at]) {
					t.Errorf("goroutine %d: another vector for text %d", g, at)
				}
			}
		})
	}
	wg.Wait()
}

func testTokens(t *testing.T, e embed.Embedder) {
	for text, want := range map[string][2]int{"": {0, 0}, " \n": {0, 0}, "tea": {1, 1}, texts()[0]: {8, 16}} {
		if got := e.CountTokens(text); got < want[0] || got > want[1] {
			t.Errorf("CountTokens(%q) = %d, want %d to %d", text, got, want[0], want[1])
		}
	}
	one := e.CountTokens(texts()[0])
	if got := e.CountTokens(strings.Repeat(texts()[0]+" ", 100)); got != 100*one {
		t.Errorf("100 times %d tokens are %d", one, got)
	}
}
