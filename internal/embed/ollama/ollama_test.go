package ollama_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/embedtest"
	"github.com/lukasa-memory/lukasa/internal/embed/ollama"
)

// request has the fields of the public reference's EmbedRequest that we send; anything else fails the test.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Truncate   *bool    `json:"truncate"`
	Dimensions *int     `json:"dimensions"`
	KeepAlive  *string  `json:"keep_alive"`
}

// answer is the reference's response object.
func answer(vectors [][]float32) any {
	return map[string]any{"model": "m", "embeddings": vectors, "total_duration": 14143917, "load_duration": 1019500, "prompt_eval_count": 8}
}

func strict(t *testing.T, key, model string, last *request) string {
	t.Helper()
	return embedtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		var in request
		if !embedtest.ReadStrict(t, w, r, "/api/embed", key, &in) {
			return
		}
		if len(in.Input) == 0 || len(in.Input) > 64 || slices.Contains(in.Input, "") || in.Model != model || in.Truncate == nil || !*in.Truncate {
			t.Errorf("request of %d texts: %+v", len(in.Input), in)
		}
		if last != nil {
			*last = in
		}
		dim := 16
		if in.Dimensions != nil {
			dim = *in.Dimensions
		}
		embedtest.WriteJSON(w, answer(embedtest.Vectors(in.Input, dim)))
	})
}

func open(t *testing.T, o ollama.Options) *ollama.Embedder {
	t.Helper()
	e, err := ollama.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestSuite: D-11.
func TestSuite(t *testing.T) {
	t.Parallel()
	for _, o := range []ollama.Options{
		{},
		{Model: "all-minilm", Key: "k", Dimensions: 6, BatchTexts: 3},
		{Model: "m", QueryPrefix: "search_query: ", TextPrefix: "search_document: "},
	} {
		t.Run(o.Model, func(t *testing.T) {
			t.Parallel()
			embedtest.Run(t, func(t *testing.T) embed.Embedder {
				model := o.Model
				if model == "" {
					model = ollama.DefaultModel
				}
				own := o
				own.URL = strict(t, o.Key, model, nil)
				return open(t, own)
			})
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	embedtest.RunFailures(t, embedtest.Wire{
		Path: "/api/embed",
		Open: func(t *testing.T, url string, timeout time.Duration) embed.Embedder {
			return open(t, ollama.Options{URL: url, Key: embedtest.Secret, Timeout: timeout, BatchTexts: 4})
		},
		Texts: func(r *http.Request) ([]string, error) {
			var in request
			err := json.NewDecoder(r.Body).Decode(&in)
			return in.Input, err
		},
		Answer: answer,
	})
}

func TestRequest(t *testing.T) {
	t.Parallel()
	yes, dims, keep := true, 4, "10m"
	for name, c := range map[string]struct {
		o     ollama.Options
		query bool
		want  request
	}{
		"default": {ollama.Options{}, false, request{Model: "nomic-embed-text", Input: []string{"tea"}, Truncate: &yes}},
		"all":     {ollama.Options{Model: "m", Dimensions: 4, KeepAlive: "10m", TextPrefix: "t: "}, false, request{Model: "m", Input: []string{"t: tea"}, Truncate: &yes, Dimensions: &dims, KeepAlive: &keep}},
		"query":   {ollama.Options{Model: "m", QueryPrefix: "q: "}, true, request{Model: "m", Input: []string{"q: tea"}, Truncate: &yes}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got request
			c.o.URL = strict(t, "", c.want.Model, &got)
			e := open(t, c.o)
			var err error
			if c.query {
				_, err = e.EmbedQuery(t.Context(), "tea")
			} else {
				_, err = e.Embed(t.Context(), []string{"tea"})
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMissingModel: the server's advice reaches the person who can follow it.
func TestMissingModel(t *testing.T) {
	t.Parallel()
	e := open(t, ollama.Options{URL: embedtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		embedtest.WriteJSON(w, map[string]string{"error": `model "nomic-embed-text" not found, try pulling it first`})
	})})
	_, err := e.Embed(t.Context(), []string{"tea"})
	var le *lukasa.Error
	if !errors.Is(err, embed.ErrRefused) || !strings.Contains(err.Error(), "try pulling it first") || !errors.As(err, &le) || le.Hint == "" {
		t.Errorf("err = %v", err)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	e := open(t, ollama.Options{Key: "k", URL: embedtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if embedtest.ReadGet(t, w, r, "/api/version", "k") {
			embedtest.WriteJSON(w, map[string]string{"version": "0.5.1"})
		}
	})})
	if err := e.Health(t.Context()); err != nil {
		t.Error(err)
	}
}
