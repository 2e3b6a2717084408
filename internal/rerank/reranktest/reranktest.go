// Package reranktest is the suite that every driver of package rerank passes, and what the drivers' tests need to stand in
// for a server: scores that depend on query and text, and ways to fail. It is imported by tests only.
package reranktest

import (
	"context"
	"errors"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rerank"
)

// Score is what a stand-in for a server answers: a number of -8..8 that depends on query and text alone.
func Score(query, text string) float64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, query+"\x00"+text) // a hash never fails
	return float64(h.Sum64()%1_600_001)/100_000 - 8
}

// Scores returns the scores of texts.
func Scores(query string, texts []string) []float64 {
	out := make([]float64, len(texts))
	for i, t := range texts {
		out[i] = Score(query, t)
	}
	return out
}

// Run checks a reranker that scores each text by itself. open is called once per test; it may return the same value every
// time.
func Run(t *testing.T, open func(t *testing.T) rerank.Reranker) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, rerank.Reranker){
		"info":        testInfo,
		"order":       testOrder,
		"hundred":     testHundred,
		"nothing":     testNothing,
		"blank":       testBlank,
		"invalid":     testInvalid,
		"odd text":    testOddText,
		"cancelled":   testCancelled,
		"concurrency": testConcurrency,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

const query = "what does she drink in the morning?"

func texts(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "She drinks green tea, cup " + strconv.Itoa(i) + "."
	}
	return out
}

func mustRerank(t *testing.T, r rerank.Reranker, query string, texts []string) []float64 {
	t.Helper()
	given := slices.Clone(texts)
	out, err := r.Rerank(t.Context(), query, texts)
	if err != nil {
		t.Fatalf("Rerank(%d texts): %v", len(texts), err)
	}
	if len(out) != len(texts) {
		t.Fatalf("%d scores for %d texts", len(out), len(texts))
	}
	for i, s := range out {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			t.Errorf("score %d is %v", i, s)
		}
	}
	if !slices.Equal(given, texts) {
		t.Error("Rerank changed the texts")
	}
	return out
}

func testInfo(t *testing.T, r rerank.Reranker) {
	before := r.Info()
	mustRerank(t, r, query, texts(2))
	if after := r.Info(); before.Model == "" || before != after {
		t.Errorf("info %+v, then %+v", before, after)
	}
}

// testOrder: a text keeps its score wherever it stands, and another query gives others.
func testOrder(t *testing.T, r rerank.Reranker) {
	in := texts(7)
	want := mustRerank(t, r, query, in)
	slices.Reverse(in)
	got := mustRerank(t, r, query, in)
	slices.Reverse(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scores of the reversed texts (-want +got):\n%s", diff)
	}
	if slices.Min(want) == slices.Max(want) {
		t.Errorf("all texts have one score: %v", want)
	}
	slices.Reverse(in)
	if cmp.Equal(want, mustRerank(t, r, "where is the car?", in)) {
		t.Error("two queries, the same scores")
	}
}

// testHundred: the most texts, some of them twice, in as many requests as it takes.
func testHundred(t *testing.T, r rerank.Reranker) {
	in := append(texts(rerank.MaxTexts/2), texts(rerank.MaxTexts/2)...)
	out := mustRerank(t, r, query, in)
	if diff := cmp.Diff(out[:len(out)/2], out[len(out)/2:]); diff != "" {
		t.Errorf("the same text, two scores:\n%s", diff)
	}
}

func testNothing(t *testing.T, r rerank.Reranker) {
	for _, in := range [][]string{nil, {}} {
		if out, err := r.Rerank(t.Context(), query, in); err != nil || len(out) != 0 {
			t.Errorf("Rerank(no texts) = %v, %v", out, err)
		}
	}
}

func testBlank(t *testing.T, r rerank.Reranker) {
	full := mustRerank(t, r, query, []string{"tea", "car"})
	low := min(full[0], full[1])
	want := []float64{low, full[0], low, full[1], low}
	if diff := cmp.Diff(want, mustRerank(t, r, query, []string{"", "tea", " \n", "car", "\u2003"})); diff != "" {
		t.Errorf("scores with blank texts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{0, 0}, mustRerank(t, r, query, []string{"", " "})); diff != "" {
		t.Errorf("scores of blank texts (-want +got):\n%s", diff)
	}
}

func testInvalid(t *testing.T, r rerank.Reranker) {
	for name, c := range map[string]struct {
		query string
		texts int
	}{"too many": {query, rerank.MaxTexts + 1}, "no query": {"", 2}, "blank query": {" \t", 2}} {
		out, err := r.Rerank(t.Context(), c.query, texts(c.texts))
		if lukasa.CodeOf(err) != lukasa.CodeInvalid || out != nil || rerank.Retryable(err) {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
}

func testOddText(t *testing.T, r rerank.Reranker) {
	in := []string{
		"caf\xff\xfe latte", "nul \x00 byte", "emoji 😀 face", "\"quoted\" \\ <tag> & \u2028 line",
		strings.Repeat("The release went out on Friday. ", 1<<15), strings.Repeat("日", 1<<15),
	}
	mustRerank(t, r, "\xffwhat \"else\"? "+strings.Repeat("日本", 1<<12), in)
}

func testCancelled(t *testing.T, r rerank.Reranker) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := r.Rerank(ctx, query, texts(2)); !errors.Is(err, context.Canceled) || out != nil || rerank.Retryable(err) {
		t.Errorf("cancelled: %v, %v", out, err)
	}
	mustRerank(t, r, query, texts(2)) // and it still works
}

func testConcurrency(t *testing.T, r rerank.Reranker) {
	in := texts(40)
	want := mustRerank(t, r, query, in)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 4 {
				out, err := r.Rerank(t.Context(), query, in[g+i:])
				if err != nil || !cmp.Equal(want[g+i:], out) {
					t.Errorf("goroutine %d: other scores, %v", g, err)
					return
				}
			}
		})
	}
	wg.Wait()
}
