package rerank_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/rerank"
	"github.com/lukasa-memory/lukasa/internal/rerank/reranktest"
)

// lateFailure is how long a call takes that fails in the end.
type lateFailure time.Duration

// fake answers calls one after the other as script says: an entry is an error, a lateFailure, or a time that the call takes;
// calls after the script succeed at once.
type fake struct {
	mu     sync.Mutex
	script []any
	calls  [][]string
	at     []time.Time
	peak   int // most calls at once
	now    int
}

func (f *fake) call(ctx context.Context, query string, texts []string) ([]rerank.Rank, error) {
	f.mu.Lock()
	n := len(f.calls)
	f.calls = append(f.calls, texts)
	f.at = append(f.at, time.Now())
	f.now++
	f.peak = max(f.peak, f.now)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.now--
		f.mu.Unlock()
	}()
	if n < len(f.script) {
		switch step := f.script[n].(type) {
		case error:
			return nil, step
		case lateFailure:
			<-time.After(time.Duration(step))
			return nil, down()
		case time.Duration:
			select {
			case <-time.After(step):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	return ranks(reranktest.Scores(query, texts)), nil
}

func ranks(scores []float64) []rerank.Rank {
	out := make([]rerank.Rank, len(scores))
	for i := range scores {
		out[len(scores)-1-i] = rerank.Rank{Index: &i, Score: &scores[i]}
	}
	return out
}

func open(t *testing.T, f *fake, o rerank.RemoteOptions) *rerank.Remote {
	t.Helper()
	o.Kind, o.Model, o.Call = "test", "m", f.call
	r, err := rerank.NewRemote(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func numbers(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

func down() error { return &lukasa.Error{Code: lukasa.CodeUnavailable, Msg: "test"} }

func TestSuite(t *testing.T) {
	t.Parallel()
	for name, batch := range map[string]int{"whole": 0, "batches": 3, "singly": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reranktest.Run(t, func(t *testing.T) rerank.Reranker {
				return open(t, &fake{}, rerank.RemoteOptions{BatchTexts: batch, Budget: 20 * time.Second})
			})
		})
	}
}

// TestBudget: M-9, whatever the server does, a call is over after 800 ms, and has been tried twice at most.
func TestBudget(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		script []any
		batch  int
		budget time.Duration
		calls  int
		took   [2]time.Duration
		code   lukasa.Code // "": it succeeds
	}{
		"well":             {nil, 0, 0, 1, [2]time.Duration{0, 0}, ""},
		"slow":             {[]any{799 * ms}, 0, 0, 1, [2]time.Duration{799 * ms, 799 * ms}, ""},
		"too slow":         {[]any{801 * ms}, 0, 0, 1, [2]time.Duration{800 * ms, 800 * ms}, lukasa.CodeTimeout},
		"second time":      {[]any{down()}, 0, 0, 2, [2]time.Duration{40 * ms, 60 * ms}, ""},
		"two tries":        {[]any{down(), down()}, 0, 0, 2, [2]time.Duration{40 * ms, 60 * ms}, lukasa.CodeUnavailable},
		"then slow":        {[]any{down(), time.Hour}, 0, 0, 2, [2]time.Duration{800 * ms, 800 * ms}, lukasa.CodeTimeout},
		"one slow batch":   {[]any{time.Hour}, 10, 0, 10, [2]time.Duration{800 * ms, 800 * ms}, lukasa.CodeTimeout},
		"no time to wait":  {[]any{lateFailure(780 * ms)}, 0, 0, 1, [2]time.Duration{800 * ms, 800 * ms}, lukasa.CodeTimeout},
		"just in time":     {[]any{lateFailure(700 * ms)}, 0, 0, 2, [2]time.Duration{740 * ms, 760 * ms}, ""},
		"own budget":       {[]any{time.Hour}, 0, 5 * time.Second, 1, [2]time.Duration{5 * time.Second, 5 * time.Second}, lukasa.CodeTimeout},
		"invalid":          {[]any{error(lukasa.Invalid("texts", "test"))}, 0, 0, 1, [2]time.Duration{0, 0}, lukasa.CodeInvalid},
		"a fault of ours":  {[]any{errors.New("bug")}, 0, 0, 1, [2]time.Duration{0, 0}, lukasa.CodeInternal},
		"limited for long": {[]any{error(&lukasa.Error{Code: lukasa.CodeLimited, RetryAfter: time.Second})}, 0, 0, 1, [2]time.Duration{0, 0}, lukasa.CodeLimited},
		"limited a little": {[]any{error(&lukasa.Error{Code: lukasa.CodeLimited, RetryAfter: 100 * ms})}, 0, 0, 2, [2]time.Duration{100 * ms, 150 * ms}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &fake{script: c.script}
				start := time.Now()
				out, err := open(t, f, rerank.RemoteOptions{BatchTexts: c.batch, Budget: c.budget}).Rerank(t.Context(), "q", numbers(100))
				took := time.Since(start)
				if took < c.took[0] || took > c.took[1] {
					t.Errorf("took %v, want %v", took, c.took)
				}
				if lukasa.CodeOf(err) != c.code || (err == nil) != (len(out) == 100) || len(f.calls) != c.calls {
					t.Errorf("%d scores after %d calls, want %d: %v", len(out), len(f.calls), c.calls, err)
				}
				if errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("looks like the caller's own deadline: %v", err)
				}
			})
		})
	}
}

// TestBatches: batches go side by side, a few at a time, and one that has its scores is not sent again.
func TestBatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const d = 50 * time.Millisecond
		f := &fake{script: []any{d, d, d, d, d, d, d, d, d, d}}
		start := time.Now()
		out, err := open(t, f, rerank.RemoteOptions{BatchTexts: 10}).Rerank(t.Context(), "q", numbers(100))
		if err != nil || time.Since(start) != 3*d || f.peak != 4 {
			t.Errorf("%v after %v, %d at once", err, time.Since(start), f.peak)
		}
		if diff := cmp.Diff(reranktest.Scores("q", numbers(100)), out); diff != "" {
			t.Errorf("scores (-want +got):\n%s", diff)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		bad := &failing{fake: &fake{}, text: "5"}
		r, err := rerank.NewRemote(rerank.RemoteOptions{Kind: "test", Model: "m", BatchTexts: 2, Call: bad.call})
		if err != nil {
			t.Fatal(err)
		}
		out, err := r.Rerank(t.Context(), "q", numbers(6))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(reranktest.Scores("q", numbers(6)), out); diff != "" {
			t.Errorf("scores (-want +got):\n%s", diff)
		}
		slices.SortFunc(bad.calls, slices.Compare)
		if diff := cmp.Diff([][]string{{"0", "1"}, {"2", "3"}, {"4", "5"}}, bad.calls); diff != "" || bad.failed != 1 {
			t.Errorf("%d failures, calls that succeeded (-want +got):\n%s", bad.failed, diff)
		}
	})
}

// failing fails the first call with a text, after all others had time to succeed.
type failing struct {
	*fake
	text   string
	failed int
}

func (f *failing) call(ctx context.Context, query string, texts []string) ([]rerank.Rank, error) {
	if slices.Contains(texts, f.text) && f.failed == 0 {
		f.failed++
		<-time.After(10 * time.Millisecond)
		return nil, down()
	}
	return f.fake.call(ctx, query, texts)
}

// TestBreaker: after five failures, slowness among them, the server is left alone for 30 s; then one call tries.
func TestBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{script: []any{time.Hour, time.Hour, time.Hour, time.Hour, time.Hour, time.Hour}}
		r := open(t, f, rerank.RemoteOptions{})
		call := func() error {
			_, err := r.Rerank(t.Context(), "q", numbers(2))
			return err
		}
		for i := range 5 {
			if err := call(); lukasa.CodeOf(err) != lukasa.CodeTimeout || len(f.calls) != i+1 {
				t.Fatalf("%d calls, %v", len(f.calls), err)
			}
		}
		start := time.Now()
		err := call()
		var e *lukasa.Error
		if len(f.calls) != 5 || time.Since(start) != 0 || !errors.As(err, &e) || e.Code != lukasa.CodeUnavailable || e.RetryAfter != 30*time.Second {
			t.Fatalf("open: %d calls, %v", len(f.calls), err)
		}
		<-time.After(31 * time.Second)
		if err := call(); lukasa.CodeOf(err) != lukasa.CodeTimeout || len(f.calls) != 6 {
			t.Fatalf("half open: %d calls, %v", len(f.calls), err)
		}
		<-time.After(31 * time.Second)
		if err := call(); err != nil || len(f.calls) != 7 {
			t.Fatalf("closed: %d calls, %v", len(f.calls), err)
		}
	})
}

// TestCallerGivesUp: a caller that goes away is let go at once, and says nothing about the server.
func TestCallerGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		for range 10 {
			f.script = append(f.script, time.Hour)
		}
		r := open(t, f, rerank.RemoteOptions{})
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			start := time.Now()
			if _, err := r.Rerank(ctx, "q", numbers(2)); !errors.Is(err, context.DeadlineExceeded) || rerank.Retryable(err) || time.Since(start) != 100*time.Millisecond {
				t.Errorf("%v after %v", err, time.Since(start))
			}
			cancel()
		}
		if _, err := r.Rerank(t.Context(), "q", numbers(2)); err != nil {
			t.Errorf("after callers gave up: %v", err)
		}
	})
}

// TestEveryTextHasItsScore: whatever the batches, and wherever blank texts stand.
func TestEveryTextHasItsScore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOfN(rapid.SampledFrom([]string{"", " ", "tea", "car", "日本", "\xff", "42"}), 0, 100).Draw(rt, "texts")
		r := open(t, &fake{}, rerank.RemoteOptions{BatchTexts: rapid.IntRange(0, 100).Draw(rt, "batch"), Budget: time.Minute})
		out, err := r.Rerank(t.Context(), "q", texts)
		if err != nil || len(out) != len(texts) {
			rt.Fatalf("%d scores for %d texts, %v", len(out), len(texts), err)
		}
		lowest, full := 0.0, 0
		for i, s := range texts {
			if s == "" || s == " " {
				continue
			}
			if s == "\xff" {
				s = "\uFFFD"
			}
			want := reranktest.Score("q", s)
			if out[i] != want {
				rt.Fatalf("text %d has score %v, want %v", i, out[i], want)
			}
			if full++; full == 1 || want < lowest {
				lowest = want
			}
		}
		for i, s := range texts {
			if (s == "" || s == " ") && out[i] != lowest {
				rt.Fatalf("blank text %d has score %v, the lowest is %v", i, out[i], lowest)
			}
		}
	})
}

func TestNewRemoteRefuses(t *testing.T) {
	t.Parallel()
	call := (&fake{}).call
	for _, o := range []rerank.RemoteOptions{
		{Model: "m", Call: call},
		{Kind: "k", Model: "m"},
		{Kind: "k", Call: call},
		{Kind: "k", Model: "m", Call: call, BatchTexts: -1},
		{Kind: "k", Model: "m", Call: call, Budget: -1},
	} {
		if r, err := rerank.NewRemote(o); err == nil || r != nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
