package reranktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rerank"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

// Wire describes a driver to [RunFailures].
type Wire struct {
	// Open makes the driver for the server at url, with the key [Secret], the budget and batches of at most 4 texts. It has
	// not called the server yet.
	Open func(t *testing.T, url string, budget time.Duration) rerank.Reranker

	// Read reads query and texts of a request, and Answer makes the server's answer: places and scores, in step.
	Read   func(r *http.Request) (query string, texts []string, err error)
	Answer func(places []int, scores []float64) any
}

// Secret is the key that drivers get in [RunFailures]; no error may quote it.
const Secret = "sk-secret-0123456789"

const patience = 20 * time.Second // a budget that a loaded machine does not exhaust

// good answers as a healthy server does, the last text first.
func (f Wire) good(w http.ResponseWriter, r *http.Request) {
	query, texts, err := f.Read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	places, scores := make([]int, len(texts)), make([]float64, len(texts))
	for i, text := range texts {
		places[len(texts)-1-i], scores[len(texts)-1-i] = i, Score(query, text)
	}
	wiretest.WriteJSON(w, f.Answer(places, scores))
}

// RunFailures checks how a driver bears a server that fails: which code each failure has, how often the server is asked,
// and that waiting ends.
func RunFailures(t *testing.T, f Wire) {
	t.Helper()
	t.Run("answers", f.testAnswers)
	for name, test := range map[string]func(*testing.T){
		"second try": f.testSecondTry,
		"batches":    f.testBatches,
		"redirect":   f.testRedirect,
		"gone":       f.testGone,
		"truncated":  f.testTruncated,
		"budget":     f.testBudget,
		"deadline":   f.testDeadline,
		"breaker":    f.testBreaker,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// failure is one bad answer to every request and what must become of it.
type failure struct {
	status int
	header [2]string
	body   string

	code  lukasa.Code
	again bool          // Retryable
	calls int64         // requests that the server gets
	is    error         // wrapped
	after time.Duration // RetryAfter
	says  string        // in the message
}

func (f Wire) failures() map[string]failure {
	const ext, unavailable, invalid = lukasa.CodeExternal, lukasa.CodeUnavailable, lukasa.CodeInvalid
	ranks := func(places []int, scores []float64) string {
		b, err := json.Marshal(f.Answer(places, scores))
		if err != nil {
			panic(err) // a fault of the test
		}
		return string(b)
	}
	fine := ranks([]int{1, 0}, []float64{0.5, 0.25})
	return map[string]failure{
		"500":            {status: 500, body: `{"error":"boom"}`, code: unavailable, again: true, calls: 2, says: "answered 500: boom"},
		"500 not json":   {status: 500, body: "<html>", code: unavailable, again: true, calls: 2, says: "answered 500"},
		"503":            {status: 503, code: unavailable, again: true, calls: 2},
		"503 and wait":   {status: 503, header: [2]string{"Retry-After", "7"}, code: unavailable, again: true, calls: 1, after: 7 * time.Second},
		"504":            {status: 504, code: lukasa.CodeTimeout, again: true, calls: 2},
		"424":            {status: 424, body: `{"error":"Inference failed","error_type":"backend"}`, code: unavailable, again: true, calls: 2, says: "Inference failed"},
		"429":            {status: 429, body: `{"message":"slow down"}`, code: lukasa.CodeLimited, again: true, calls: 2, says: "slow down"},
		"429 and wait":   {status: 429, header: [2]string{"Retry-After", "30"}, code: lukasa.CodeLimited, again: true, calls: 1, after: 30 * time.Second},
		"400":            {status: 400, body: `{"message":"invalid request: top_n"}`, code: invalid, calls: 1, says: "top_n"},
		"413":            {status: 413, body: `{"error":"Batch size error","error_type":"validation"}`, code: invalid, calls: 1, says: "Batch size error"},
		"422":            {status: 422, body: `{"detail":"Tokenization error"}`, code: invalid, calls: 1, says: "Tokenization error"},
		"401":            {status: 401, body: `{"message":"invalid api token"}`, code: ext, calls: 1, is: rerank.ErrRefused, says: "invalid api token"},
		"404":            {status: 404, body: `{"message":"model not found"}`, code: ext, calls: 1, is: rerank.ErrRefused, says: "model not found"},
		"204":            {status: 204, code: ext, calls: 1, is: rerank.ErrRefused},
		"no json":        {body: "<html>welcome</html>", code: ext, again: true, calls: 2, says: "not the JSON expected"},
		"empty":          {code: ext, again: true, calls: 2},
		"other json":     {body: `"ok"`, code: ext, again: true, calls: 2},
		"half json":      {body: fine[:len(fine)-4], code: ext, again: true, calls: 2},
		"null":           {body: "null", code: ext, again: true, calls: 2, says: "0 scores for 2 texts"},
		"too few":        {body: ranks([]int{1}, []float64{1}), code: ext, again: true, calls: 2, says: "1 scores for 2 texts"},
		"too many":       {body: ranks([]int{1, 0, 1}, []float64{1, 2, 3}), code: ext, again: true, calls: 2, says: "3 scores for 2 texts"},
		"twice":          {body: ranks([]int{1, 1}, []float64{1, 2}), code: ext, again: true, calls: 2, says: "index 1"},
		"beyond":         {body: ranks([]int{0, 2}, []float64{1, 2}), code: ext, again: true, calls: 2, says: "index 2"},
		"negative":       {body: ranks([]int{0, -1}, []float64{1, 2}), code: ext, again: true, calls: 2, says: "index -1"},
		"no index":       {body: strings.ReplaceAll(fine, `"index"`, `"place"`), code: ext, again: true, calls: 2, says: "lacks its index"},
		"no score":       {body: strings.ReplaceAll(fine, `score"`, `points"`), code: ext, again: true, calls: 2, says: "lacks its index or its score"},
		"null score":     {body: strings.Replace(fine, "0.25", "null", 1), code: ext, again: true, calls: 2, says: "lacks its index or its score"},
		"over the range": {body: strings.Replace(fine, "0.25", "1e999", 1), code: ext, again: true, calls: 2},
	}
}

func (f Wire) testAnswers(t *testing.T) {
	t.Parallel()
	for name, want := range f.failures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			var well atomic.Bool
			r := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				if well.Load() {
					f.good(w, r)
					return
				}
				calls.Add(1)
				if want.header[0] != "" {
					w.Header().Set(want.header[0], want.header[1])
				}
				if want.status != 0 {
					w.WriteHeader(want.status)
				}
				if want.status != http.StatusNoContent {
					_, _ = w.Write([]byte(want.body)) // the other side sees a broken answer
				}
			}), patience)
			out, err := r.Rerank(t.Context(), query, texts(2))
			want.check(t, out, err)
			if got := calls.Load(); got != want.calls {
				t.Errorf("%d requests, want %d", got, want.calls)
			}
			well.Store(true)
			mustRerank(t, r, query, texts(2)) // nothing of the failure stays
		})
	}
}

func (want failure) check(t *testing.T, out []float64, err error) {
	t.Helper()
	if err == nil || out != nil {
		t.Fatalf("%v, %v: want an error and no scores", out, err)
	}
	var e *lukasa.Error
	if !errors.As(err, &e) || e.Code != want.code {
		t.Fatalf("code %q, want %q: %v", lukasa.CodeOf(err), want.code, err)
	}
	if got := rerank.Retryable(err); got != want.again {
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

// testSecondTry: a server that fails once is forgiven.
func (f Wire) testSecondTry(t *testing.T) {
	var calls atomic.Int64
	r := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		f.good(w, r)
	}), patience)
	out := mustRerank(t, r, query, texts(3))
	if diff := cmp.Diff(Scores(query, texts(3)), out); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

// testBatches: one failed batch fails the call; what is well is not asked again.
func (f Wire) testBatches(t *testing.T) {
	var calls, sent atomic.Int64
	r := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, batch, err := f.Read(r)
		if err != nil {
			t.Error(err)
		}
		if calls.Add(1); batch[0] == texts(9)[8] { // the last batch, of one text
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		sent.Add(int64(len(batch)))
		wiretest.WriteJSON(w, f.Answer(places(len(batch)), Scores(query, batch)))
	}), patience)
	out, err := r.Rerank(t.Context(), query, texts(9))
	failure{code: lukasa.CodeUnavailable, again: true, says: "answered 503"}.check(t, out, err)
	if c, s := calls.Load(), sent.Load(); c < 2 || c > 6 || s > 16 {
		t.Errorf("%d requests, %d texts scored", c, s)
	}
}

func places(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func (f Wire) testRedirect(t *testing.T) {
	other := wiretest.Serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	r := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other, http.StatusTemporaryRedirect)
	}), patience)
	out, err := r.Rerank(t.Context(), query, texts(2))
	failure{code: lukasa.CodeExternal, is: rerank.ErrRefused, says: "answered 307"}.check(t, out, err)
}

func (f Wire) testGone(t *testing.T) {
	out, err := f.Open(t, "http://127.0.0.1:1", patience).Rerank(t.Context(), query, texts(2)) // a reserved port, where nothing listens
	failure{code: lukasa.CodeUnavailable, again: true, says: "no answer"}.check(t, out, err)
}

func (f Wire) testTruncated(t *testing.T) {
	r := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		f.good(w, r) // and the connection is cut, as less than announced was written
	}), patience)
	out, err := r.Rerank(t.Context(), query, texts(2))
	failure{code: lukasa.CodeUnavailable, again: true, says: "broke off"}.check(t, out, err)
}

// testBudget: M-9, a search does not hang on a server that does.
func (f Wire) testBudget(t *testing.T) {
	r := f.Open(t, wiretest.Serve(t, wiretest.Stuck), 100*time.Millisecond)
	start := time.Now()
	out, err := r.Rerank(t.Context(), query, texts(9))
	failure{code: lukasa.CodeTimeout, again: true, says: "within 100ms"}.check(t, out, err)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("looks like the caller's own deadline: %v", err)
	}
	if took := time.Since(start); took < 90*time.Millisecond || took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

// testDeadline: the caller's own deadline is told apart from the budget.
func (f Wire) testDeadline(t *testing.T) {
	r := f.Open(t, wiretest.Serve(t, wiretest.Stuck), patience)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := r.Rerank(ctx, query, texts(2)); !errors.Is(err, context.DeadlineExceeded) || rerank.Retryable(err) {
		t.Errorf("err = %v, Retryable %v", err, rerank.Retryable(err))
	}
}

// testBreaker: a server that keeps failing is left alone.
func (f Wire) testBreaker(t *testing.T) {
	var calls atomic.Int64
	r := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(http.StatusInternalServerError)
	}), patience)
	var err error
	for range 8 {
		_, err = r.Rerank(t.Context(), query, texts(2))
	}
	if got := calls.Load(); got != 5 {
		t.Errorf("%d requests, want 5", got)
	}
	var e *lukasa.Error
	if !errors.As(err, &e) || e.Code != lukasa.CodeUnavailable || e.RetryAfter <= 0 || e.RetryAfter > 30*time.Second {
		t.Errorf("err = %v", err)
	}
}
