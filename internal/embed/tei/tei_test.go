package tei_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/embedtest"
	"github.com/lukasa-memory/lukasa/internal/embed/tei"
)

// request has the fields of the public document's EmbedRequest that we send; anything else fails the test.
type request struct {
	Inputs     []string `json:"inputs"`
	Normalize  *bool    `json:"normalize"`
	Truncate   *bool    `json:"truncate"`
	PromptName *string  `json:"prompt_name"`
}

// info is the public document's example of GET /info, with limits of our own.
func info(w http.ResponseWriter, maxTokens, maxTexts int) {
	embedtest.WriteJSON(w, map[string]any{
		"model_id": "thenlper/gte-base", "model_sha": "fca14538aa9956a46526bd1d0d11d69e19b5a101", "model_dtype": "float16",
		"model_type": map[string]any{"embedding": map[string]string{"pooling": "cls"}}, "max_concurrent_requests": 128,
		"max_input_length": 512, "max_batch_tokens": maxTokens, "max_batch_requests": nil, "max_client_batch_size": maxTexts,
		"auto_truncate": false, "tokenization_workers": 4, "version": "1.7.1", "sha": nil, "docker_label": nil,
	})
}

// server keeps to the public document, and to its own limits.
type server struct {
	key                    string
	maxTokens, maxTexts    int
	infos, embeds, largest atomic.Int64
}

func (s *server) serve(t *testing.T) string {
	t.Helper()
	return embedtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/info":
			s.infos.Add(1)
			if embedtest.ReadGet(t, w, r, "/info", s.key) {
				info(w, s.maxTokens, s.maxTexts)
			}
		case "/health":
			embedtest.ReadGet(t, w, r, "/health", s.key) // 200, and no body
		default:
			s.embeds.Add(1)
			var in request
			if !embedtest.ReadStrict(t, w, r, "/embed", s.key, &in) {
				return
			}
			tokens := 0
			for _, x := range in.Inputs {
				tokens += embed.EstimateTokens(x)
			}
			s.largest.Store(max(s.largest.Load(), int64(tokens)))
			if len(in.Inputs) == 0 || len(in.Inputs) > s.maxTexts || slices.Contains(in.Inputs, "") || in.Truncate == nil || !*in.Truncate || in.Normalize == nil || !*in.Normalize {
				t.Errorf("request of %d texts: %+v", len(in.Inputs), in)
			}
			embedtest.WriteJSON(w, embedtest.Vectors(in.Inputs, 16))
		}
	})
}

func open(t *testing.T, o tei.Options) *tei.Embedder {
	t.Helper()
	e, err := tei.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestSuite: M-2.
func TestSuite(t *testing.T) {
	t.Parallel()
	embedtest.Run(t, func(t *testing.T) embed.Embedder {
		s := &server{maxTokens: 16384, maxTexts: 32, key: "k"}
		return open(t, tei.Options{URL: s.serve(t), Key: "k", Model: "thenlper/gte-base"})
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	embedtest.RunFailures(t, embedtest.Wire{
		Path:  "/embed",
		Other: func(w http.ResponseWriter, _ *http.Request) { info(w, 16384, 4) },
		Open: func(t *testing.T, url string, timeout time.Duration) embed.Embedder {
			return open(t, tei.Options{URL: url, Key: embedtest.Secret, Timeout: timeout})
		},
		Texts: func(r *http.Request) ([]string, error) {
			var in request
			err := json.NewDecoder(r.Body).Decode(&in)
			return in.Inputs, err
		},
		Answer: func(vectors [][]float32) any { return vectors },
	})
}

// TestLimits: M-2, batches of 16,384 tokens at most, or fewer where the server says so; asked once.
func TestLimits(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 400)
	for name, c := range map[string]struct {
		maxTokens, maxTexts int
		texts               int
		calls, largest      int64
	}{
		"our limit":             {1 << 20, 1000, 100, 3, 16_000},
		"the server's limit":    {2000, 1000, 100, 20, 2000},
		"the server's count":    {1 << 20, 8, 100, 13, 3200},
		"one text over a batch": {300, 1000, 3, 3, 400}, // cut by the server, which was asked to
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{maxTokens: c.maxTokens, maxTexts: c.maxTexts}
			e := open(t, tei.Options{URL: s.serve(t)})
			for range 2 {
				s.embeds.Store(0)
				out, err := e.Embed(t.Context(), slices.Repeat([]string{text}, c.texts))
				if err != nil || len(out) != c.texts {
					t.Fatalf("%d vectors, %v", len(out), err)
				}
			}
			if got := s.embeds.Load(); got != c.calls {
				t.Errorf("%d requests, want %d", got, c.calls)
			}
			if got := s.largest.Load(); got != c.largest {
				t.Errorf("largest batch has %d tokens, want %d", got, c.largest)
			}
			if got := s.infos.Load(); got != 1 {
				t.Errorf("asked for /info %d times", got)
			}
		})
	}
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	var last request
	url := embedtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/info" {
			info(w, 16384, 32)
			return
		}
		last = request{}
		if embedtest.ReadStrict(t, w, r, "/embed", "", &last) {
			embedtest.WriteJSON(w, embedtest.Vectors(last.Inputs, 4))
		}
	})
	e := open(t, tei.Options{URL: url, QueryPrompt: "query"})
	yes, query := true, "query"
	if _, err := e.Embed(t.Context(), []string{"tea"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(request{Inputs: []string{"tea"}, Normalize: &yes, Truncate: &yes}, last); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if _, err := e.EmbedQuery(t.Context(), "tea"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(request{Inputs: []string{"tea"}, Normalize: &yes, Truncate: &yes, PromptName: &query}, last); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
	if a, b := e.Space().ID, open(t, tei.Options{URL: url}).Space().ID; a == b {
		t.Errorf("with and without a prompt, one space %s", a)
	}
}

// TestOtherModel: a server that serves another model than configured is refused before a vector is made.
func TestOtherModel(t *testing.T) {
	t.Parallel()
	s := &server{maxTokens: 16384, maxTexts: 32}
	e := open(t, tei.Options{URL: s.serve(t), Model: "BAAI/bge-small-en-v1.5"})
	_, err := e.Embed(t.Context(), []string{"tea"})
	if !errors.Is(err, embed.ErrRefused) || !strings.Contains(err.Error(), "serves model thenlper/gte-base, not BAAI/bge-small-en-v1.5") {
		t.Errorf("err = %v", err)
	}
	if s.embeds.Load() != 0 {
		t.Error("it was asked for a vector")
	}
}

// TestInfoFails: the limits are asked for again until they are known.
func TestInfoFails(t *testing.T) {
	t.Parallel()
	var infos atomic.Int64
	e := open(t, tei.Options{URL: embedtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/embed":
			embedtest.WriteJSON(w, [][]float32{{1, 0}})
		case infos.Add(1) == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			info(w, 16384, 32)
		}
	})})
	if _, err := e.Embed(t.Context(), []string{"tea"}); lukasa.CodeOf(err) != lukasa.CodeUnavailable {
		t.Errorf("err = %v", err)
	}
	for range 2 {
		if _, err := e.Embed(t.Context(), []string{"tea"}); err != nil {
			t.Error(err)
		}
	}
	if got := infos.Load(); got != 2 {
		t.Errorf("asked for /info %d times, want 2", got)
	}
}

// TestHealth: M-2.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := &server{key: "k"}
	if err := open(t, tei.Options{URL: s.serve(t), Key: "k"}).Health(t.Context()); err != nil {
		t.Error(err)
	}
	down := embedtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		embedtest.WriteJSON(w, map[string]string{"error": "unhealthy", "error_type": "unhealthy"})
	})
	if err := open(t, tei.Options{URL: down}).Health(t.Context()); lukasa.CodeOf(err) != lukasa.CodeUnavailable || !strings.Contains(err.Error(), "unhealthy") {
		t.Errorf("err = %v", err)
	}
}
