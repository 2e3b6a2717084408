package openai_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
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
	"github.com/lukasa-memory/lukasa/internal/embed/openai"
)

// request has every field that the API reference has and we send; anything else fails the test.
type request struct {
	Input      []string `json:"input"`
	Model      string   `json:"model"`
	Encoding   *string  `json:"encoding_format"`
	Dimensions *int     `json:"dimensions"`
}

type datum struct {
	Object    string `json:"object"`
	Index     any    `json:"index,omitempty"`
	Embedding any    `json:"embedding"`
}

// answer is the reference's response object.
func answer(data []datum) any {
	return map[string]any{"object": "list", "data": data, "model": "m", "usage": map[string]int{"prompt_tokens": 8, "total_tokens": 8}}
}

func encode(v []float32) string {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(b)
}

// strict is a server that keeps to the reference: it checks every request, and answers shuffled.
func strict(t *testing.T, key, model string, calls *atomic.Int64) string {
	t.Helper()
	return embedtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var in request
		if !embedtest.ReadStrict(t, w, r, "/v1/embeddings", key, &in) {
			return
		}
		if len(in.Input) == 0 || len(in.Input) > 2048 || slices.Contains(in.Input, "") || in.Model != model {
			t.Errorf("%d texts for model %q", len(in.Input), in.Model)
		}
		dim := 16
		if in.Dimensions != nil {
			dim = *in.Dimensions
		}
		data := make([]datum, len(in.Input))
		for i, v := range embedtest.Vectors(in.Input, dim) {
			var e any = v
			if in.Encoding != nil && *in.Encoding == "base64" {
				e = encode(v)
			}
			data[len(data)-1-i] = datum{Object: "embedding", Index: i, Embedding: e}
		}
		embedtest.WriteJSON(w, answer(data))
	})
}

func open(t *testing.T, o openai.Options) *openai.Embedder {
	t.Helper()
	e, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestSuite: D-11, with each way to ask for vectors.
func TestSuite(t *testing.T) {
	t.Parallel()
	for _, o := range []openai.Options{
		{Model: "m", Key: "k"},
		{Model: "m", Encoding: openai.Float, BatchTexts: 7},
		{Model: "m", Encoding: openai.Unset, Dimensions: 5},
		{Model: "m", QueryPrefix: "query: ", TextPrefix: "passage: ", Dim: 16},
	} {
		t.Run(fmt.Sprintf("%s %d", o.Encoding, o.Dimensions), func(t *testing.T) {
			t.Parallel()
			embedtest.Run(t, func(t *testing.T) embed.Embedder {
				own := o
				own.URL = strict(t, o.Key, o.Model, new(atomic.Int64)) + "/v1/"
				return open(t, own)
			})
		})
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	embedtest.RunFailures(t, embedtest.Wire{
		Path: "/embeddings",
		Open: func(t *testing.T, url string, timeout time.Duration) embed.Embedder {
			return open(t, openai.Options{URL: url, Key: embedtest.Secret, Timeout: timeout, BatchTexts: 4})
		},
		Texts: func(r *http.Request) ([]string, error) {
			var in request
			err := json.NewDecoder(r.Body).Decode(&in)
			return in.Input, err
		},
		Answer: func(vectors [][]float32) any {
			data := make([]datum, len(vectors))
			for i, v := range vectors {
				data[i] = datum{Object: "embedding", Index: i, Embedding: v}
			}
			return answer(data)
		},
	})
}

// TestBatches: M-7, 1,000 texts are few requests.
func TestBatches(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	e := open(t, openai.Options{URL: strict(t, "", "m", &calls) + "/v1", Model: "m"})
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = fmt.Sprint("text number ", i)
	}
	out, err := e.Embed(t.Context(), texts)
	if err != nil || len(out) != 1000 {
		t.Fatalf("%d vectors, %v", len(out), err)
	}
	if got := calls.Load(); got != 4 {
		t.Errorf("%d requests for 1,000 texts, want 4", got)
	}
	calls.Store(0)
	for i := range texts[:10] {
		texts[i] = strings.Repeat("word ", 60_000) // each is cut to 8,191 tokens; 24 of them fill a batch
	}
	if _, err := e.Embed(t.Context(), slices.Repeat(texts[:10], 5)); err != nil {
		t.Fatal(err)
	}
	if got := calls.Load(); got != 3 {
		t.Errorf("%d requests for 50 long texts, want 3", got)
	}
}

// TestRequest shows the exact bodies.
func TestRequest(t *testing.T) {
	t.Parallel()
	b64 := "base64"
	dims := 4
	for name, c := range map[string]struct {
		o     openai.Options
		query bool
		want  request
	}{
		"default":    {openai.Options{}, false, request{Input: []string{"tea"}, Model: "text-embedding-3-small", Encoding: &b64}},
		"dimensions": {openai.Options{Model: "m", Dimensions: 4, Encoding: openai.Unset}, false, request{Input: []string{"tea"}, Model: "m", Dimensions: &dims}},
		"text":       {openai.Options{Model: "m", TextPrefix: "passage: ", QueryPrefix: "query: "}, false, request{Input: []string{"passage: tea"}, Model: "m", Encoding: &b64}},
		"query":      {openai.Options{Model: "m", TextPrefix: "passage: ", QueryPrefix: "query: "}, true, request{Input: []string{"query: tea"}, Model: "m", Encoding: &b64}},
		"cut":        {openai.Options{Model: "m", MaxTokens: 1, TextPrefix: "p"}, false, request{Input: []string{"ptea"}, Model: "m", Encoding: &b64}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got request
			c.o.URL = embedtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				if embedtest.ReadStrict(t, w, r, "/embeddings", "", &got) {
					embedtest.WriteJSON(w, answer([]datum{{Embedding: []float32{3, 4, 0, 0}}}))
				}
			})
			e := open(t, c.o)
			text := "tea"
			if name == "cut" {
				text = "teas!"
			}
			var v []float32
			var err error
			if c.query {
				v, err = e.EmbedQuery(t.Context(), text)
			} else {
				v, err = embed.EmbedQuery(t.Context(), documents{e}, text)
			}
			if err != nil {
				t.Fatal(err)
			}
			if name == "cut" {
				c.want.Input = []string{"pteas"}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]float32{0.6, 0.8, 0, 0}, v); diff != "" {
				t.Errorf("vector (-want +got):\n%s", diff)
			}
		})
	}
}

// documents hides the query role.
type documents struct{ embed.Embedder }

// TestOddAnswers: what servers of this kind get wrong, and what is borne.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	one, two := []float32{1, 0}, []float32{0, 1}
	for name, c := range map[string]struct {
		data []datum
		ok   bool
	}{
		"no index":         {[]datum{{Embedding: one}, {Embedding: two}}, true},
		"both formats":     {[]datum{{Index: 1, Embedding: encode(two)}, {Index: 0, Embedding: one}}, true},
		"index twice":      {[]datum{{Index: 0, Embedding: one}, {Index: 0, Embedding: two}}, false},
		"index too high":   {[]datum{{Index: 1, Embedding: one}, {Index: 2, Embedding: two}}, false},
		"index below zero": {[]datum{{Index: -1, Embedding: one}, {Index: 0, Embedding: two}}, false},
		"null vector":      {[]datum{{Index: 0, Embedding: nil}, {Index: 1, Embedding: two}}, false},
		"not base64":       {[]datum{{Index: 0, Embedding: "???"}, {Index: 1, Embedding: encode(two)}}, false},
		"odd bytes":        {[]datum{{Index: 0, Embedding: "AAAA"}, {Index: 1, Embedding: encode(two)}}, false},
		"not a number":     {[]datum{{Index: 0, Embedding: encode([]float32{float32(math.NaN()), 1})}, {Index: 1, Embedding: encode(two)}}, false},
		"infinite":         {[]datum{{Index: 0, Embedding: encode([]float32{float32(math.Inf(1)), 1})}, {Index: 1, Embedding: encode(two)}}, false},
		"an object":        {[]datum{{Index: 0, Embedding: map[string]int{"a": 1}}, {Index: 1, Embedding: two}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := open(t, openai.Options{URL: embedtest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
				embedtest.WriteJSON(w, answer(c.data))
			})})
			out, err := e.Embed(t.Context(), []string{"a", "b"})
			if !c.ok {
				if lukasa.CodeOf(err) != lukasa.CodeExternal {
					t.Errorf("%v, %v", out, err)
				}
				if strings.HasPrefix(name, "index") && !strings.Contains(err.Error(), "no vector, or a second one") {
					t.Errorf("err = %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([][]float32{one, two}, out); diff != "" {
				t.Errorf("vectors (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfiguredDimension(t *testing.T) {
	t.Parallel()
	for _, o := range []openai.Options{{Model: "m", Dim: 1536}, {Model: "m", Dim: 1536, Encoding: openai.Float}} {
		o.URL = strict(t, "", "m", new(atomic.Int64)) + "/v1"
		_, err := open(t, o).Embed(t.Context(), []string{"tea"})
		if err == nil || !strings.Contains(err.Error(), "expected 1536 dimensions, got 16") {
			t.Errorf("err = %v", err)
		}
	}
}

// TestSpaceID: a change of what the vectors depend on changes the space, another address does not.
func TestSpaceID(t *testing.T) {
	t.Parallel()
	base := openai.Options{URL: "http://a", Model: "m"}
	seen := map[string]string{open(t, base).Space().ID: "base"}
	for name, o := range map[string]openai.Options{
		"model":      {URL: "http://a", Model: "n"},
		"revision":   {URL: "http://a", Model: "m", Revision: "2"},
		"dimensions": {URL: "http://a", Model: "m", Dimensions: 4},
		"query":      {URL: "http://a", Model: "m", QueryPrefix: "q"},
		"text":       {URL: "http://a", Model: "m", TextPrefix: "q"},
	} {
		id := open(t, o).Space().ID
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s share the space %s", name, other, id)
		}
		seen[id] = name
	}
	if id := open(t, openai.Options{URL: "http://b", Model: "m", Key: "k"}).Space().ID; seen[id] != "base" {
		t.Errorf("another address makes the space %s", id)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	e := open(t, openai.Options{Key: "k", URL: embedtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if embedtest.ReadGet(t, w, r, "/models", "k") {
			embedtest.WriteJSON(w, map[string]any{"object": "list", "data": []int{}})
		}
	})})
	if err := e.Health(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]openai.Options{
		"scheme":     {URL: "ftp://host/v1"},
		"no host":    {URL: "localhost:8080"},
		"query":      {URL: "http://host/v1?x=1"},
		"password":   {URL: "http://me:" + embedtest.Secret + "@host/v1"},
		"broken":     {URL: "http://me:" + embedtest.Secret + "@host:x/v1"},
		"encoding":   {Encoding: "hex"},
		"dimensions": {Dim: -1},
		"huge":       {Dimensions: 1 << 20},
	} {
		_, err := openai.New(o)
		if lukasa.CodeOf(err) != lukasa.CodeInvalid || strings.Contains(err.Error(), embedtest.Secret) {
			t.Errorf("%s: err = %v", name, err)
		}
	}
}
