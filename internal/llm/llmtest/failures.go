package llmtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/wire/wiretest"
)

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

func (want failure) check(t *testing.T, out llm.Reply, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error: %+v", out)
	}
	if out.Text != "" || out.JSON != nil {
		t.Errorf("an answer with an error: %+v", out)
	}
	var e *lukasa.Error
	if !errors.As(err, &e) || e.Code != want.code {
		t.Fatalf("code %q, want %q: %v", lukasa.CodeOf(err), want.code, err)
	}
	if got := llm.Retryable(err); got != want.again {
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

func failures() map[string]failure {
	const ext, unavailable = lukasa.CodeExternal, lukasa.CodeUnavailable
	return map[string]failure{
		"500":          {status: 500, body: `{"error":{"message":"boom"}}`, code: unavailable, again: true, says: "answered 500: boom"},
		"500 not json": {status: 500, body: "<html>", code: unavailable, again: true, says: "answered 500"},
		"502":          {status: 502, code: unavailable, again: true},
		"503 and wait": {status: 503, header: [2]string{"Retry-After", "7"}, code: unavailable, again: true, after: 7 * time.Second},
		"504":          {status: 504, code: lukasa.CodeTimeout, again: true},
		"529":          {status: 529, body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, code: unavailable, again: true, says: "Overloaded"},
		"429":          {status: 429, header: [2]string{"Retry-After", "2"}, body: `{"error":{"message":"slow down"}}`, code: lukasa.CodeLimited, again: true, after: 2 * time.Second, says: "slow down"},
		"429 no money": {status: 429, body: `{"error":{"message":"quota","code":"insufficient_quota"}}`, code: ext, is: llm.ErrRefused, says: "quota"},
		"400":          {status: 400, body: `{"error":{"message":"prompt is too long"}}`, code: lukasa.CodeInvalid, says: "prompt is too long"},
		"413":          {status: 413, code: lukasa.CodeInvalid},
		"401":          {status: 401, body: `{"error":{"message":"bad key"}}`, code: ext, is: llm.ErrRefused, says: "bad key"},
		"402":          {status: 402, code: ext, is: llm.ErrRefused},
		"403":          {status: 403, code: ext, is: llm.ErrRefused},
		"404":          {status: 404, body: `{"error":"model \"x\" not found, try pulling it first"}`, code: ext, is: llm.ErrRefused, says: "try pulling it first"},
		"204":          {status: 204, code: ext, is: llm.ErrRefused},
	}
}

// wholeFailures are answers with status 200 that are none; a stream of them ends without its end.
func wholeFailures() map[string]failure {
	const ext = lukasa.CodeExternal
	return map[string]failure{
		"no json":    {body: "<html>welcome</html>", code: ext, again: true, says: "not the JSON expected"},
		"empty":      {body: "", code: ext, again: true},
		"other json": {body: `["ok"]`, code: ext, again: true},
	}
}

func (f Wire) testFailures(t *testing.T) {
	t.Parallel()
	for way, ask := range ways() {
		all := failures()
		if way == "complete" {
			maps.Copy(all, wholeFailures())
		}
		for name, want := range all {
			t.Run(way+" "+name, func(t *testing.T) {
				t.Parallel()
				var broken atomic.Bool
				broken.Store(true)
				m := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
					heard, ok := f.Read(t, w, r)
					switch {
					case !ok:
					case broken.Load():
						want.write(w)
					default:
						f.answer(w, heard, Said{Text: "Tea."})
					}
				}), 0)
				out, _, err := ask(t.Context(), m, Ask("What?"))
				want.check(t, out, err)
				broken.Store(false)
				if out, _, err := ask(t.Context(), m, Ask("What?")); err != nil || out.Text != "Tea." { // nothing of the failure stays
					t.Errorf("afterwards: %q, %v", out.Text, err)
				}
			})
		}
	}
	t.Run("no answer in it", func(t *testing.T) {
		t.Parallel()
		m := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }), 0)
		if out, err := m.Complete(t.Context(), Ask("What?")); err == nil || !llm.Retryable(err) || out.Text != "" {
			t.Errorf("%q, %v", out.Text, err)
		}
	})
}

func (want failure) write(w http.ResponseWriter) {
	if want.header[0] != "" {
		w.Header().Set(want.header[0], want.header[1])
	}
	if want.status != 0 {
		w.WriteHeader(want.status)
	}
	if want.status != http.StatusNoContent {
		_, _ = w.Write([]byte(want.body))
	}
}

func (f Wire) testGone(t *testing.T) {
	m := f.Open(t, "http://127.0.0.1:1", 0) // a reserved port, where nothing listens
	for _, ask := range ways() {
		out, _, err := ask(t.Context(), m, Ask("What?"))
		failure{code: lukasa.CodeUnavailable, again: true, says: "no answer"}.check(t, out, err)
	}
}

// testTimeout: the driver's own timeout is the server's fault, and worth another try.
func (f Wire) testTimeout(t *testing.T) {
	m := f.Open(t, wiretest.Serve(t, wiretest.Stuck), 100*time.Millisecond)
	for _, ask := range ways() {
		out, _, err := ask(t.Context(), m, Ask("What?"))
		failure{code: lukasa.CodeTimeout, again: true, says: "within 100ms"}.check(t, out, err)
	}
}

func (f Wire) testCancelled(t *testing.T) {
	arrived := make(chan bool, 2)
	m := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		arrived <- true
		wiretest.Stuck(w, r)
	}), 0)
	for way, ask := range ways() {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			cancel()
		}()
		if _, _, err := ask(ctx, m, Ask("What?")); !errors.Is(err, context.Canceled) || llm.Retryable(err) {
			t.Errorf("%s: %v", way, err)
		}
		if _, _, err := ask(ctx, m, Ask("What?")); !errors.Is(err, context.Canceled) { // and nothing is sent
			t.Errorf("%s, cancelled before: %v", way, err)
		}
		if n := len(arrived); n != 0 {
			t.Errorf("%s: %d requests of a cancelled caller", way, n)
		}
	}
}

func (f Wire) testRedirect(t *testing.T) {
	other := wiretest.Serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") })
	m := f.Open(t, wiretest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other, http.StatusTemporaryRedirect)
	}), 0)
	for _, ask := range ways() {
		out, _, err := ask(t.Context(), m, Ask("What?"))
		failure{code: lukasa.CodeExternal, is: llm.ErrRefused, says: "answered 307"}.check(t, out, err)
	}
}
