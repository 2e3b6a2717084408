package embedtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// Wire describes a driver to [RunFailures].
type Wire struct {
	// Open makes the driver for the server at url, with the key [Secret], the timeout (0: its default) and batches of at
	// most 4 texts. It has not called the server yet.
	Open func(t *testing.T, url string, timeout time.Duration) embed.Embedder

	// Path is where vectors are asked for. Requests to other paths go to Other.
	Path  string
	Other http.HandlerFunc

	// Texts reads the texts of a request, and Answer makes the server's answer of vectors.
	Texts  func(r *http.Request) ([]string, error)
	Answer func(vectors [][]float32) any
}

// Secret is the key that drivers get in [RunFailures]; no error may quote it.
const Secret = "sk-secret-0123456789"

const wireDim = 8

// serve starts the server with a handler for the embedding path and opens the driver.
func (f Wire) serve(t *testing.T, timeout time.Duration, h http.HandlerFunc) embed.Embedder {
	t.Helper()
	return f.Open(t, Serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == f.Path:
			h(w, r)
		case f.Other != nil:
			f.Other(w, r)
		default:
			t.Errorf("request to %s", r.URL.Path)
			http.NotFound(w, r)
		}
	}), timeout)
}

// good answers as a healthy server of dim dimensions does.
func (f Wire) good(w http.ResponseWriter, r *http.Request, dim int) {
	texts, err := f.Texts(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	WriteJSON(w, f.Answer(Vectors(texts, dim)))
}

// RunFailures checks how a remote driver bears a server that fails: which code each failure has, that nothing is lost that
// arrived, and that waiting ends.
func RunFailures(t *testing.T, f Wire) {
	t.Helper()
	t.Run("answers", f.testAnswers)
	for name, test := range map[string]func(*testing.T){
		"dimension":        f.testDimension,
		"truncated":        f.testTruncated,
		"gone":             f.testGone,
		"redirect":         f.testRedirect,
		"deadline":         f.testDeadline,
		"timeout":          f.testTimeout,
		"half of it":       f.testHalf,
		"nothing to learn": f.testNothingLearned,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// failure is one bad answer and what must become of it.
type failure struct {
	status int
	header [2]string
	body   string

	code  lukasa.Code
	again bool          // Retryable
	is    error         // wrapped
	after time.Duration // RetryAfter
	says  string        // in the message
}

func (f Wire) failures() map[string]failure {
	const ext, unavailable = lukasa.CodeExternal, lukasa.CodeUnavailable
	vectors := func(n int, edit func([][]float32)) string {
		v := Vectors(make([]string, n), wireDim)
		if edit != nil {
			edit(v)
		}
		return toJSON(f.Answer(v))
	}
	return map[string]failure{
		"500":             {status: 500, body: `{"error":"boom"}`, code: unavailable, again: true, says: "answered 500: boom"},
		"500 not json":    {status: 500, body: "<html>", code: unavailable, again: true, says: "answered 500"},
		"502":             {status: 502, code: unavailable, again: true},
		"503 and wait":    {status: 503, header: [2]string{"Retry-After", "7"}, code: unavailable, again: true, after: 7 * time.Second},
		"504":             {status: 504, code: lukasa.CodeTimeout, again: true},
		"424":             {status: 424, body: `{"error":"Inference failed","error_type":"backend"}`, code: unavailable, again: true, says: "Inference failed"},
		"429":             {status: 429, header: [2]string{"Retry-After", "2"}, body: `{"error":{"message":"slow down"}}`, code: lukasa.CodeLimited, again: true, after: 2 * time.Second, says: "slow down"},
		"429 for ever":    {status: 429, header: [2]string{"Retry-After", "9999999999999999999999"}, code: lukasa.CodeLimited, again: true, after: time.Hour},
		"429 gone by":     {status: 429, header: [2]string{"Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"}, code: lukasa.CodeLimited, again: true},
		"429 nonsense":    {status: 429, header: [2]string{"Retry-After", "soon"}, code: lukasa.CodeLimited, again: true},
		"400":             {status: 400, body: `{"error":{"message":"input is too long","type":"invalid_request_error"}}`, code: lukasa.CodeInvalid, says: "input is too long"},
		"413":             {status: 413, body: `{"error":"Batch size error","error_type":"validation"}`, code: lukasa.CodeInvalid, says: "Batch size error"},
		"422":             {status: 422, body: `{"detail":"Tokenization error"}`, code: lukasa.CodeInvalid, says: "Tokenization error"},
		"401":             {status: 401, body: `{"error":{"message":"bad key"}}`, code: ext, is: embed.ErrRefused, says: "bad key"},
		"403":             {status: 403, code: ext, is: embed.ErrRefused},
		"404":             {status: 404, body: `{"error":"model \"x\" not found, try pulling it first"}`, code: ext, is: embed.ErrRefused, says: "try pulling it first"},
		"405":             {status: 405, code: ext, is: embed.ErrRefused},
		"204":             {status: 204, code: ext, is: embed.ErrRefused},
		"no json":         {body: "<html>welcome</html>", code: ext, again: true, says: "not the JSON expected"},
		"empty":           {body: "", code: ext, again: true},
		"other json":      {body: `"ok"`, code: ext, again: true},
		"half json":       {body: vectors(2, nil)[:40], code: ext, again: true},
		"null":            {body: "null", code: ext, again: true, says: "0 vectors for 2 texts"},
		"too few":         {body: vectors(1, nil), code: ext, again: true, says: "1 vectors for 2 texts"},
		"too many":        {body: vectors(3, nil), code: ext, again: true, says: "3 vectors for 2 texts"},
		"ragged":          {body: vectors(2, func(v [][]float32) { v[1] = v[1][:5] }), code: ext, again: true, says: "8 and of 5"},
		"no values":       {body: vectors(2, func(v [][]float32) { v[0], v[1] = []float32{}, []float32{} }), code: ext, again: true, says: "0 values"},
		"over the limits": {body: strings.Replace(vectors(2, nil), "[", "[1e999,", 1), code: ext, again: true},
	}
}

func (f Wire) testAnswers(t *testing.T) {
	t.Parallel()
	for name, want := range f.failures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var broken atomic.Bool
			broken.Store(true)
			e := f.serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
				if !broken.Load() {
					f.good(w, r, wireDim)
					return
				}
				if want.header[0] != "" {
					w.Header().Set(want.header[0], want.header[1])
				}
				if want.status != 0 {
					w.WriteHeader(want.status)
				}
				if want.status != http.StatusNoContent {
					_, _ = w.Write([]byte(want.body))
				}
			})
			out, err := e.Embed(t.Context(), []string{"tea", "car"})
			want.check(t, out, err)
			broken.Store(false)
			mustEmbed(t, e, []string{"tea", "car"}) // nothing of the failure stays
		})
	}
}

func (want failure) check(t *testing.T, out [][]float32, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, v := range out {
		if v != nil {
			t.Error("a vector from a bad answer")
		}
	}
	var e *lukasa.Error
	if !errors.As(err, &e) || e.Code != want.code {
		t.Fatalf("code %q, want %q: %v", lukasa.CodeOf(err), want.code, err)
	}
	if got := embed.Retryable(err); got != want.again {
		t.Errorf("Retryable = %v: %v", got, err)
	}
	if want.is != nil && !errors.Is(err, want.is) {
		t.Errorf("not %q: %v", want.is, err)
	}
	if e.RetryAfter != want.after {
		t.Errorf("RetryAfter %v, want %v", e.RetryAfter, want.after)
	}
	if !strings.Contains(err.Error(), want.says) {
		t.Errorf("does not say %q: %v", want.says, err)
	}
	if strings.Contains(fmt.Sprintf("%v %+v", err, e), Secret) {
		t.Errorf("the key is in the error: %v", err)
	}
}

// testDimension: M-2, the dimension is learned and then enforced.
func (f Wire) testDimension(t *testing.T) {
	var dim atomic.Int64
	dim.Store(wireDim)
	e := f.serve(t, 0, func(w http.ResponseWriter, r *http.Request) { f.good(w, r, int(dim.Load())) })
	mustEmbed(t, e, []string{"tea"})
	dim.Store(12)
	out, err := e.Embed(t.Context(), []string{"car"})
	failure{code: lukasa.CodeExternal, is: embed.ErrDimension, says: "expected 8 dimensions, got 12"}.check(t, out, err)
	if got := e.Space().Dim; got != wireDim {
		t.Errorf("dimension is %d now", got)
	}
	dim.Store(wireDim)
	mustEmbed(t, e, []string{"car"})
}

func (f Wire) testTruncated(t *testing.T) {
	e := f.serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		f.good(w, r, wireDim) // and the connection is cut, as less than announced was written
	})
	out, err := e.Embed(t.Context(), []string{"tea", "car"})
	failure{code: lukasa.CodeUnavailable, again: true, says: "broke off"}.check(t, out, err)
}

func (f Wire) testGone(t *testing.T) {
	e := f.Open(t, "http://127.0.0.1:1", 0) // a reserved port, where nothing listens
	out, err := e.Embed(t.Context(), []string{"tea", "car"})
	failure{code: lukasa.CodeUnavailable, again: true, says: "no answer"}.check(t, out, err)
}

func (f Wire) testRedirect(t *testing.T) {
	other := Serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	e := f.serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other, http.StatusTemporaryRedirect)
	})
	out, err := e.Embed(t.Context(), []string{"tea"})
	failure{code: lukasa.CodeExternal, is: embed.ErrRefused, says: "answered 307"}.check(t, out, err)
}

func (f Wire) testDeadline(t *testing.T) {
	e := f.serve(t, 0, wiretest.Stuck)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := e.Embed(ctx, []string{"tea"})
	if !errors.Is(err, context.DeadlineExceeded) || embed.Retryable(err) {
		t.Errorf("err = %v, Retryable %v", err, embed.Retryable(err))
	}
}

// testTimeout: the driver's own timeout is the server's fault, and worth another try.
func (f Wire) testTimeout(t *testing.T) {
	e := f.serve(t, 200*time.Millisecond, wiretest.Stuck)
	out, err := e.Embed(t.Context(), []string{"tea"})
	failure{code: lukasa.CodeTimeout, again: true, says: "within 200ms"}.check(t, out, err)
}

// testHalf: H-28, of a call that fails in the middle the vectors that arrived are kept.
func (f Wire) testHalf(t *testing.T) {
	var calls atomic.Int64
	e := f.serve(t, 0, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) > 1 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		f.good(w, r, wireDim)
	})
	out, err := e.Embed(t.Context(), []string{"", "1", "2", "3", "4", "5"})
	if lukasa.CodeOf(err) != lukasa.CodeUnavailable || len(out) != 6 {
		t.Fatalf("%d vectors, %v", len(out), err)
	}
	for i, v := range out {
		if want := i >= 1 && i <= 4; (v != nil) != want {
			t.Errorf("text %d: vector %v, want one: %v", i, v, want)
		}
	}
}

// testNothingLearned: a blank text needs the dimension, which only the server knows.
func (f Wire) testNothingLearned(t *testing.T) {
	e := f.serve(t, 0, func(w http.ResponseWriter, r *http.Request) { f.good(w, r, wireDim) })
	if got := e.Space(); got.Dim != 0 || got.Local {
		t.Errorf("space before the first call: %+v", got)
	}
	if v := mustEmbed(t, e, []string{" "})[0]; len(v) != wireDim || norm(v) != 0 {
		t.Errorf("blank text: %v", v)
	}
}
