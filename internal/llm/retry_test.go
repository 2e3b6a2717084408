package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/llm/llmtest"
)

// pass lets time go by, in a bubble of synctest.
func pass(d time.Duration) { <-time.After(d) }

func coded(code lukasa.Code, after time.Duration) error {
	return &lukasa.Error{Code: code, Msg: "test", RetryAfter: after}
}

func fail(errs ...error) (steps []llmtest.Step) {
	for _, err := range errs {
		steps = append(steps, llmtest.Step{Err: err})
	}
	return append(steps, llmtest.Step{Text: "tea time", Usage: llm.Usage{Input: 2, Output: 2}})
}

// TestRetry: T-18, H-28: 3 tries with growing waits, Retry-After obeyed, and who is not asked again.
func TestRetry(t *testing.T) {
	t.Parallel()
	down := coded(lukasa.CodeUnavailable, 0)
	ms := time.Millisecond
	for name, c := range map[string]struct {
		steps    []llmtest.Step
		calls    int
		min, max time.Duration
		ok       bool
	}{
		"well":            {fail(), 1, 0, 0, true},
		"third time":      {fail(down, down), 3, 1200 * ms, 1800 * ms, true},
		"three tries":     {fail(down, down, down), 3, 1200 * ms, 1800 * ms, false},
		"timeout":         {fail(coded(lukasa.CodeTimeout, 0)), 2, 400 * ms, 600 * ms, true},
		"retry after":     {fail(coded(lukasa.CodeLimited, 2*time.Second)), 2, 2000 * ms, 3000 * ms, true},
		"retry far after": {fail(coded(lukasa.CodeLimited, 6*time.Second)), 1, 0, 0, false},
		"invalid":         {fail(coded(lukasa.CodeInvalid, 0)), 1, 0, 0, false},
		"refused":         {fail(&lukasa.Error{Code: lukasa.CodeExternal, Err: llm.ErrRefused}), 1, 0, 0, false},
		"nothing said":    {append([]llmtest.Step{{}}, fail()...), 2, 400 * ms, 600 * ms, true},
	} {
		for way, ask := range map[string]func(llm.Model) (llm.Reply, error){
			"complete": func(m llm.Model) (llm.Reply, error) { return m.Complete(context.Background(), llmtest.Ask("What?")) },
			"stream": func(m llm.Model) (llm.Reply, error) {
				return m.Stream(context.Background(), llmtest.Ask("What?"), func(llm.Delta) error { return nil })
			},
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					m := llmtest.Script(c.steps...)
					start := time.Now()
					out, err := ask(llm.Retry(m, llm.RetryPolicy{}))
					if (err == nil) != c.ok || c.ok != (out.Text == "tea time") || out.Usage.Requests != c.calls {
						t.Errorf("%+v, %v", out, err)
					}
					if took := time.Since(start); len(m.Asked()) != c.calls || took < c.min || took > c.max {
						t.Errorf("%d calls in %v", len(m.Asked()), took)
					}
				})
			})
		}
	}
}

// TestRetryUseless: answers that are no use are not asked for again and again, and do not open the breaker.
func TestRetryUseless(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := llmtest.Func(func(_ context.Context, n int, _ llm.Request) llmtest.Step {
			if n < 20 {
				return llmtest.Step{Text: "rubbish"}
			}
			return llmtest.Step{Text: good}
		})
		r := llm.Retry(m, llm.RetryPolicy{})
		for range 10 {
			if _, err := r.Complete(t.Context(), asJSON("Who?")); !errors.Is(err, llm.ErrMismatch) {
				t.Errorf("err = %v", err)
			}
		}
		if out, err := r.Complete(t.Context(), asJSON("Who?")); err != nil || len(m.Asked()) != 21 {
			t.Errorf("%+v, %v after %d calls", out, err, len(m.Asked()))
		}
	})
}

// TestRetryStream: a stream of which something was handed on is not begun again.
func TestRetryStream(t *testing.T) {
	t.Parallel()
	down := coded(lukasa.CodeUnavailable, 0)
	synctest.Test(t, func(t *testing.T) {
		m := llmtest.Script(llmtest.Step{Err: down}, llmtest.Step{Text: "half an", Err: down}, llmtest.Step{Text: "never"})
		var got strings.Builder
		out, err := llm.Retry(m, llm.RetryPolicy{}).Stream(t.Context(), llmtest.Ask("What?"), func(d llm.Delta) error {
			got.WriteString(d.Text)
			return nil
		})
		if !errors.Is(err, down) || got.String() != "half an" || len(m.Asked()) != 2 || out.Text != "" || out.Usage.Requests != 2 {
			t.Errorf("%q, %+v, %v after %d calls", got.String(), out, err, len(m.Asked()))
		}
	})
	synctest.Test(t, func(t *testing.T) { // a receiver that fails is not the server's fault
		mine := coded(lukasa.CodeUnavailable, 0)
		m := llmtest.Func(func(context.Context, int, llm.Request) llmtest.Step { return llmtest.Step{Text: "all of it"} })
		r := llm.Retry(m, llm.RetryPolicy{})
		for range 9 {
			if _, err := r.Stream(t.Context(), llmtest.Ask("What?"), func(llm.Delta) error { return mine }); err != mine { //nolint:errorlint // as it is
				t.Errorf("err = %v", err)
			}
		}
		if out, err := r.Complete(t.Context(), llmtest.Ask("What?")); err != nil || out.Text != "all of it" {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

// TestBreaker: T-18, after 5 failures the server is left alone for 30 s, then one call tries. Broken streams count.
func TestBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := coded(lukasa.CodeUnavailable, 0)
		up := false
		m := llmtest.Func(func(_ context.Context, n int, _ llm.Request) llmtest.Step {
			if up {
				return llmtest.Step{Text: "tea"}
			}
			return llmtest.Step{Text: strings.Repeat("half ", n%2), Err: down}
		})
		r := llm.Retry(m, llm.RetryPolicy{Attempts: 1})
		call := func() error {
			_, err := r.Stream(t.Context(), llmtest.Ask("What?"), func(llm.Delta) error { return nil })
			return err
		}
		for range 5 {
			if err := call(); !errors.Is(err, down) {
				t.Errorf("err = %v", err)
			}
		}
		var e *lukasa.Error
		if err := call(); !errors.As(err, &e) || e.Code != lukasa.CodeUnavailable || e.RetryAfter != 30*time.Second || len(m.Asked()) != 5 {
			t.Errorf("open: %v after %d calls", err, len(m.Asked()))
		}
		up = true
		pass(31 * time.Second)
		if err := call(); err != nil || len(m.Asked()) != 6 {
			t.Errorf("half open: %v after %d calls", err, len(m.Asked()))
		}
	})
}

// TestBreakerIgnores: limits, ours and the server's, do not count against the server.
func TestBreakerIgnores(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := llmtest.Func(func(_ context.Context, n int, _ llm.Request) llmtest.Step {
			if n < 20 {
				return llmtest.Step{Err: coded(lukasa.CodeLimited, time.Minute)}
			}
			return llmtest.Step{Text: "tea"}
		})
		r := llm.Retry(m, llm.RetryPolicy{})
		for range 20 {
			if _, err := r.Complete(t.Context(), llmtest.Ask("What?")); lukasa.CodeOf(err) != lukasa.CodeLimited {
				t.Errorf("err = %v", err)
			}
		}
		if _, err := r.Complete(t.Context(), llmtest.Ask("What?")); err != nil || r.Info() != m.Info() {
			t.Errorf("err = %v", err)
		}
	})
}

// TestRetryCancelled: a caller that gives up is let go at once.
func TestRetryCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := llmtest.Func(func(ctx context.Context, n int, _ llm.Request) llmtest.Step {
			if n > 0 {
				<-ctx.Done()
				return llmtest.Step{Err: ctx.Err()}
			}
			return llmtest.Step{Err: coded(lukasa.CodeUnavailable, 0)}
		})
		for _, d := range []time.Duration{100 * time.Millisecond, time.Minute} { // in the wait, in the call
			ctx, cancel := context.WithTimeout(t.Context(), d)
			start := time.Now()
			_, err := llm.Retry(m, llm.RetryPolicy{}).Complete(ctx, llmtest.Ask("What?"))
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != d {
				t.Errorf("%v after %v", err, time.Since(start))
			}
			cancel()
		}
	})
}
