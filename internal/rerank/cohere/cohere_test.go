package cohere_test

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rerank"
	"github.com/lukasa-memory/lukasa/internal/rerank/cohere"
	"github.com/lukasa-memory/lukasa/internal/rerank/reranktest"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// request has the fields of the public documentation that we send; anything else fails the test.
type request struct {
	Model     string   `json:"model"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      *int     `json:"top_n"`
}

// answer is as Cohere's: an id and billing beside the results.
func answer(places []int, scores []float64) any {
	results := make([]map[string]any, len(places))
	for i := range results {
		results[i] = map[string]any{"index": places[i], "relevance_score": scores[i]}
	}
	return map[string]any{
		"id": "07734bd2-2473-4f07-94e1-0d9f0e6843cf", "results": results,
		"meta": map[string]any{"api_version": map[string]any{"version": "2"}, "billed_units": map[string]any{"search_units": 1}},
	}
}

// jinaAnswer has the model, the usage and the documents, as descriptions of Jina's interface say.
func jinaAnswer(texts []string, scores []float64) any {
	results := make([]map[string]any, len(scores))
	for i := range results {
		at := len(results) - 1 - i
		results[i] = map[string]any{"index": at, "document": map[string]string{"text": texts[at]}, "relevance_score": scores[at]}
	}
	return map[string]any{"model": "jina-reranker-v2-base-multilingual", "usage": map[string]int{"total_tokens": 815}, "results": results}
}

func serve(t *testing.T, path, key string, calls *atomic.Int64, answer func(texts []string, scores []float64) any) string {
	t.Helper()
	return wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var in request
		if !wiretest.ReadPost(t, w, r, wiretest.Want{Path: path, Header: wiretest.Bearer(key)}, &in) {
			return
		}
		if in.Model != "rerank-v3.5" || in.Query == "" || len(in.Documents) == 0 || in.TopN == nil || *in.TopN != len(in.Documents) {
			t.Errorf("request to %q of %d documents, top_n %v", in.Model, len(in.Documents), in.TopN)
		}
		wiretest.WriteJSON(w, answer(in.Documents, reranktest.Scores(in.Query, in.Documents)))
	})
}

func open(t *testing.T, o cohere.Options) *cohere.Reranker {
	t.Helper()
	if o.Model == "" {
		o.Model = "rerank-v3.5"
	}
	r, err := cohere.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSuite: M-9, against answers as Cohere's and as Jina's.
func TestSuite(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func([]string, []float64) any{
		"cohere": func(texts []string, scores []float64) any {
			places := make([]int, len(texts))
			for i := range places {
				places[i] = i
			}
			return answer(places, scores)
		},
		"jina": jinaAnswer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reranktest.Run(t, func(t *testing.T) rerank.Reranker {
				return open(t, cohere.Options{URL: serve(t, "/v2/rerank", "k", new(atomic.Int64), answer) + "/v2", Key: "k", Budget: 20 * time.Second})
			})
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	reranktest.RunFailures(t, reranktest.Wire{
		Open: func(t *testing.T, url string, budget time.Duration) rerank.Reranker {
			return open(t, cohere.Options{URL: url, Key: reranktest.Secret, BatchTexts: 4, Budget: budget})
		},
		Read: func(r *http.Request) (string, []string, error) {
			var in request
			err := json.NewDecoder(r.Body).Decode(&in)
			return in.Query, in.Documents, err
		},
		Answer: answer,
	})
}

// TestOneRequest: texts are not split unless asked for.
func TestOneRequest(t *testing.T) {
	t.Parallel()
	texts := strings.Fields(strings.Repeat("tea car ", 50))
	for batch, want := range map[int]int64{0: 1, 30: 4} {
		var calls atomic.Int64
		r := open(t, cohere.Options{URL: serve(t, "/rerank", "", &calls, jinaAnswer), BatchTexts: batch, Budget: 20 * time.Second})
		got, err := r.Rerank(t.Context(), "drinks?", texts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(reranktest.Scores("drinks?", texts), got); diff != "" {
			t.Errorf("scores (-want +got):\n%s", diff)
		}
		if got := calls.Load(); got != want {
			t.Errorf("%d requests, want %d", got, want)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	if got := open(t, cohere.Options{}).Info().Model; got != "rerank-v3.5" {
		t.Errorf("model %q", got)
	}
	for _, o := range []cohere.Options{{}, {URL: "ftp://h", Model: "m"}, {Model: "m", BatchTexts: -1}, {Model: "m", Budget: -1}} {
		if r, err := cohere.New(o); lukasa.CodeOf(err) != lukasa.CodeInvalid || r != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// body answers every request with itself.
type body string

// RoundTrip implements http.RoundTripper.
func (b body) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(b)))}, nil
}

// FuzzAnswer: an answer gives a finite score for each text, or none.
func FuzzAnswer(f *testing.F) {
	f.Add(`{"results":[{"index":1,"relevance_score":0.5},{"index":0,"relevance_score":0}],"id":"x"}`)
	f.Add(`{"results":[{"index":0}]}`)
	f.Fuzz(func(t *testing.T, answer string) {
		r := open(t, cohere.Options{Budget: 4 * time.Millisecond, Client: &http.Client{Transport: body(answer)}})
		out, err := r.Rerank(t.Context(), "q", []string{"tea", "car"})
		if (err == nil) != (len(out) == 2) {
			t.Errorf("%v, %v", out, err)
		}
		for _, s := range out {
			if math.IsNaN(s) || math.IsInf(s, 0) {
				t.Errorf("score %v", s)
			}
		}
	})
}
