package embed_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/embedtest"
)

// fake is an embedder of 4 dimensions whose calls fail as script says, one entry a call; nil entries and all calls after
// the script succeed.
type fake struct {
	script []error
	keep   int // vectors that a failed call still gives
	calls  [][]string
	at     []time.Time
	block  bool // calls wait for their context
}

func (f *fake) Space() embed.Space {
	return embed.Space{ID: "fake:1", Model: "fake", Dim: 4, Profile: embed.ProfileOf("fake")}
}
func (f *fake) CountTokens(s string) int { return embed.EstimateTokens(s) }

func (f *fake) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	f.calls = append(f.calls, texts)
	f.at = append(f.at, time.Now())
	if f.block {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if n := len(f.calls); n <= len(f.script) && f.script[n-1] != nil {
		if f.keep == 0 {
			return nil, f.script[n-1]
		}
		out := make([][]float32, len(texts))
		copy(out, embedtest.Vectors(texts[:min(f.keep, len(texts))], 4))
		return out, f.script[n-1]
	}
	return embedtest.Vectors(texts, 4), nil
}

// waits returns the times between calls.
func (f *fake) waits() []time.Duration {
	var out []time.Duration
	for i := 1; i < len(f.at); i++ {
		out = append(out, f.at[i].Sub(f.at[i-1]))
	}
	return out
}

// pass lets time go by, in a bubble of synctest.
func pass(d time.Duration) { <-time.After(d) }

func coded(code lukasa.Code, after time.Duration) error {
	return &lukasa.Error{Code: code, Msg: "test", RetryAfter: after}
}

// TestRetryWaits: T-18, H-28: 3 tries, 0.5 s doubling up to 5 s with jitter, Retry-After obeyed, and who is not asked again.
func TestRetryWaits(t *testing.T) {
	t.Parallel()
	down, bad := coded(lukasa.CodeUnavailable, 0), coded(lukasa.CodeInvalid, 0)
	type span [2]time.Duration // seconds between two calls, from and to
	ms := time.Millisecond
	for name, c := range map[string]struct {
		policy embed.RetryPolicy
		script []error
		waits  []span
		ok     bool
	}{
		"well":               {embed.RetryPolicy{}, nil, nil, true},
		"third time":         {embed.RetryPolicy{}, []error{down, down}, []span{{400 * ms, 600 * ms}, {800 * ms, 1200 * ms}}, true},
		"three tries":        {embed.RetryPolicy{}, []error{down, down, down}, []span{{400 * ms, 600 * ms}, {800 * ms, 1200 * ms}}, false},
		"capped":             {embed.RetryPolicy{Attempts: 6, BreakerFailures: 9}, []error{down, down, down, down, down}, []span{{400 * ms, 600 * ms}, {800 * ms, 1200 * ms}, {1600 * ms, 2400 * ms}, {3200 * ms, 4800 * ms}, {4000 * ms, 6000 * ms}}, true},
		"timeout":            {embed.RetryPolicy{}, []error{coded(lukasa.CodeTimeout, 0)}, []span{{400 * ms, 600 * ms}}, true},
		"retry after":        {embed.RetryPolicy{}, []error{coded(lukasa.CodeLimited, 2*time.Second)}, []span{{2000 * ms, 3000 * ms}}, true},
		"retry far after":    {embed.RetryPolicy{}, []error{coded(lukasa.CodeLimited, 6*time.Second)}, nil, false},
		"invalid":            {embed.RetryPolicy{}, []error{bad}, nil, false},
		"invalid in the end": {embed.RetryPolicy{}, []error{down, bad}, []span{{400 * ms, 600 * ms}}, false},
		"dimension":          {embed.RetryPolicy{}, []error{&lukasa.Error{Code: lukasa.CodeExternal, Err: embed.ErrDimension}}, nil, false},
		"refused":            {embed.RetryPolicy{}, []error{&lukasa.Error{Code: lukasa.CodeExternal, Err: embed.ErrRefused}}, nil, false},
		"a fault of ours":    {embed.RetryPolicy{}, []error{errors.New("bug")}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &fake{script: c.script}
				out, err := embed.Retry(f, c.policy).Embed(t.Context(), []string{"tea"})
				if (err == nil) != c.ok || c.ok != (len(out) == 1) {
					t.Errorf("%v, %v", out, err)
				}
				if !c.ok && !errors.Is(err, c.script[len(f.calls)-1]) {
					t.Errorf("err = %v, want the last one", err)
				}
				got := f.waits()
				if len(got) != len(c.waits) {
					t.Fatalf("waits %v, want %v", got, c.waits)
				}
				for i, w := range c.waits {
					if got[i] < w[0] || got[i] > w[1] {
						t.Errorf("wait %d is %v, want %v to %v", i, got[i], w[0], w[1])
					}
				}
			})
		})
	}
}

// TestRetryRest: H-28, what has its vector is not sent again.
func TestRetryRest(t *testing.T) {
	t.Parallel()
	texts := []string{"a", "b", "c", "d", "e"}
	synctest.Test(t, func(t *testing.T) {
		down := coded(lukasa.CodeUnavailable, 0)
		f := &fake{script: []error{down, down}, keep: 2}
		out, err := embed.Retry(f, embed.RetryPolicy{}).Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][]string{texts, texts[2:], texts[4:]}, f.calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(embedtest.Vectors(texts, 4), out); diff != "" {
			t.Errorf("vectors (-want +got):\n%s", diff)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		down := coded(lukasa.CodeUnavailable, 0)
		f := &fake{script: []error{down, down, down}, keep: 1}
		out, err := embed.Retry(f, embed.RetryPolicy{}).Embed(t.Context(), texts)
		if !errors.Is(err, down) {
			t.Fatal(err)
		}
		want := embedtest.Vectors(texts, 4)
		want[3], want[4] = nil, nil
		if diff := cmp.Diff(want, out); diff != "" {
			t.Errorf("3 of 5 kept (-want +got):\n%s", diff)
		}
	})
}

// TestBreaker: T-18, after 5 failures the server is left alone for 30 s, then one call tries.
func TestBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := coded(lukasa.CodeUnavailable, 0)
		f := &fake{script: []error{down, down, down, down, down, down}}
		r := embed.Retry(f, embed.RetryPolicy{})
		call := func() error {
			_, err := r.EmbedQuery(t.Context(), "tea")
			return err
		}
		if err := call(); !errors.Is(err, down) || len(f.calls) != 3 {
			t.Fatalf("%d calls, %v", len(f.calls), err)
		}
		if err := call(); !errors.Is(err, down) || len(f.calls) != 5 { // two more failures, and no wait for a third try
			t.Fatalf("%d calls, %v", len(f.calls), err)
		}
		err := call()
		var e *lukasa.Error
		if len(f.calls) != 5 || !errors.As(err, &e) || e.Code != lukasa.CodeUnavailable || e.RetryAfter != 30*time.Second || !embed.Retryable(err) {
			t.Fatalf("%d calls, %v", len(f.calls), err)
		}
		pass(29 * time.Second)
		if start := time.Now(); call() == nil || len(f.calls) != 5 || time.Since(start) != 0 {
			t.Fatalf("open: %d calls", len(f.calls))
		}
		pass(2 * time.Second)
		if err := call(); err == nil || len(f.calls) != 6 { // half open: one try, and open again
			t.Fatalf("half open: %d calls, %v", len(f.calls), err)
		}
		pass(31 * time.Second)
		if err := call(); err != nil || len(f.calls) != 7 { // the server is back
			t.Fatalf("closed: %d calls, %v", len(f.calls), err)
		}
		f.script = append(f.script, nil, down) // and one more failure does not open the breaker
		if err := call(); err != nil || len(f.calls) != 9 {
			t.Fatalf("closed: %d calls, %v", len(f.calls), err)
		}
	})
}

// TestBreakerIgnores: limits, refusals and callers that give up do not open the breaker.
func TestBreakerIgnores(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		for range 10 {
			f.script = append(f.script, coded(lukasa.CodeLimited, time.Minute))
		}
		for range 10 {
			f.script = append(f.script, coded(lukasa.CodeInvalid, 0))
		}
		r := embed.Retry(f, embed.RetryPolicy{})
		for range 20 {
			_, _ = r.Embed(t.Context(), []string{"tea"})
		}
		f.block = true
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := r.Embed(ctx, []string{"tea"}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("err = %v", err)
			}
			cancel()
		}
		f.block = false
		if _, err := r.Embed(t.Context(), []string{"tea"}); err != nil {
			t.Error(err)
		}
		if len(f.calls) != 31 {
			t.Errorf("%d calls, want 31", len(f.calls))
		}
	})
}

// TestBreakerGivenUpHalfOpen: a caller that gives up during the one try does not jam the breaker.
func TestBreakerGivenUpHalfOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{script: []error{coded(lukasa.CodeUnavailable, 0)}}
		r := embed.Retry(f, embed.RetryPolicy{Attempts: 1, BreakerFailures: 1})
		_, _ = r.Embed(t.Context(), []string{"tea"})
		pass(31 * time.Second)
		f.block = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _ = r.Embed(ctx, []string{"tea"})
		f.block = false
		pass(31 * time.Second)
		if _, err := r.Embed(t.Context(), []string{"tea"}); err != nil {
			t.Error(err)
		}
	})
}

// TestRetryCancelled: a caller that gives up during a wait is let go at once.
func TestRetryCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down := coded(lukasa.CodeUnavailable, 0)
		f := &fake{script: []error{down, down, down}}
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		go func() {
			pass(100 * time.Millisecond)
			cancel()
		}()
		_, err := embed.Retry(f, embed.RetryPolicy{}).Embed(ctx, []string{"tea"})
		if !errors.Is(err, context.Canceled) || time.Since(start) != 100*time.Millisecond || len(f.calls) != 1 {
			t.Errorf("%v after %v and %d calls", err, time.Since(start), len(f.calls))
		}
	})
}
