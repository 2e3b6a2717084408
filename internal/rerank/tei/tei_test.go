package tei_test

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rerank"
	"github.com/lukasa-memory/lukasa/internal/rerank/reranktest"
	"github.com/lukasa-memory/lukasa/internal/rerank/tei"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// request has the fields of the public document's RerankRequest that we send; anything else fails the test.
type request struct {
	Query     string   `json:"query"`
	Texts     []string `json:"texts"`
	Truncate  *bool    `json:"truncate"`
	RawScores *bool    `json:"raw_scores"`
}

// rank is the public document's Rank, with the text that is null unless asked for.
type rank struct {
	Index int     `json:"index"`
	Score float64 `json:"score"`
	Text  *string `json:"text"`
}

func answer(places []int, scores []float64) any {
	out := make([]rank, len(places))
	for i := range out {
		out[i] = rank{Index: places[i], Score: scores[i]}
	}
	return out
}

// server keeps to the public document: it answers the best first.
type server struct {
	key     string
	calls   atomic.Int64
	largest atomic.Int64
}

func (s *server) serve(t *testing.T) string {
	t.Helper()
	return wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		s.calls.Add(1)
		var in request
		if !wiretest.ReadPost(t, w, r, wiretest.Want{Path: "/rerank", Header: wiretest.Bearer(s.key)}, &in) {
			return
		}
		if strings.TrimSpace(in.Query) == "" || len(in.Texts) == 0 || len(in.Texts) > 32 || in.Truncate == nil || !*in.Truncate || in.RawScores == nil || !*in.RawScores {
			t.Errorf("request of %d texts, truncate %v, raw_scores %v", len(in.Texts), in.Truncate, in.RawScores)
		}
		for _, x := range in.Texts {
			s.largest.Store(max(s.largest.Load(), int64(len(x))))
			if strings.TrimSpace(x) == "" {
				t.Error("a blank text is sent")
			}
		}
		scores := reranktest.Scores(in.Query, in.Texts)
		places := make([]int, len(scores))
		for i := range places {
			places[i] = i
		}
		slices.SortFunc(places, func(a, b int) int { return -int(1e6 * (scores[a] - scores[b])) })
		sorted := make([]float64, len(scores))
		for i, at := range places {
			sorted[i] = scores[at]
		}
		wiretest.WriteJSON(w, answer(places, sorted))
	})
}

func open(t *testing.T, o tei.Options) *tei.Reranker {
	t.Helper()
	r, err := tei.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSuite: M-9.
func TestSuite(t *testing.T) {
	t.Parallel()
	reranktest.Run(t, func(t *testing.T) rerank.Reranker {
		s := &server{key: "k"}
		return open(t, tei.Options{URL: s.serve(t), Key: "k", Budget: 20 * time.Second})
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	reranktest.RunFailures(t, reranktest.Wire{
		Open: func(t *testing.T, url string, budget time.Duration) rerank.Reranker {
			return open(t, tei.Options{URL: url, Key: reranktest.Secret, BatchTexts: 4, Budget: budget})
		},
		Read: func(r *http.Request) (string, []string, error) {
			var in request
			err := json.NewDecoder(r.Body).Decode(&in)
			return in.Query, in.Texts, err
		},
		Answer: answer,
	})
}

// TestScores: M-9, the server's own scores, in the order of the texts, in requests of 32 texts, cut to 16 KiB.
func TestScores(t *testing.T) {
	t.Parallel()
	s := &server{}
	r := open(t, tei.Options{URL: s.serve(t), Budget: 20 * time.Second})
	texts := []string{"tea", "car", "", strings.Repeat("é", 9000)}
	for len(texts) < 100 {
		texts = append(texts, strings.Repeat("x", len(texts)))
	}
	got, err := r.Rerank(t.Context(), "drinks?", texts)
	if err != nil {
		t.Fatal(err)
	}
	texts[3] = strings.Repeat("é", 8192)
	want := reranktest.Scores("drinks?", texts)
	want[2] = slices.Min(append(slices.Clone(want[:2]), want[3:]...))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	if calls, largest := s.calls.Load(), s.largest.Load(); calls != 4 || largest != 16<<10 {
		t.Errorf("%d requests, the largest text of %d bytes", calls, largest)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	if got := open(t, tei.Options{}).Info().Model; got != tei.DefaultURL {
		t.Errorf("model %q", got)
	}
	if got := open(t, tei.Options{Model: "BAAI/bge-reranker-base"}).Info().Model; got != "BAAI/bge-reranker-base" {
		t.Errorf("model %q", got)
	}
	for _, o := range []tei.Options{{URL: "localhost:80"}, {BatchTexts: -1}, {Budget: -1}} {
		if r, err := tei.New(o); lukasa.CodeOf(err) != lukasa.CodeInvalid || r != nil {
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
	f.Add(`[{"index":1,"score":0.5},{"index":0,"score":-8.25,"text":null}]`)
	f.Add(`[{"index":0,"score":1e999},{"score":1}]`)
	f.Fuzz(func(t *testing.T, answer string) {
		r := open(t, tei.Options{Budget: 4 * time.Millisecond, Client: &http.Client{Transport: body(answer)}})
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
