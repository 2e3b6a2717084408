package llm_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/llm/llmtest"
)

// clock is set by hand.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// noon is 12:00 UTC, told in another zone.
func noon() *clock {
	return &clock{t: time.Date(2026, 3, 14, 21, 0, 0, 0, time.FixedZone("", 9*3600))}
}

func costing(tokens int) *llmtest.Scripted {
	return llmtest.Func(func(context.Context, int, llm.Request) llmtest.Step {
		return llmtest.Step{Text: "tea", Usage: llm.Usage{Input: tokens / 2, Output: tokens - tokens/2}}
	})
}

// limited checks a refusal.
func limited(t *testing.T, err error, after time.Duration) {
	t.Helper()
	var e *lukasa.Error
	if !errors.As(err, &e) || e.Code != lukasa.CodeLimited || !errors.Is(err, llm.ErrBudget) || e.RetryAfter != after {
		t.Errorf("%v, want limited for %v: %+v", err, after, e)
	}
}

// TestBudgetDay: T-18, the day's tokens and requests, and the next day at midnight UTC.
func TestBudgetDay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits llm.Limits
		calls  int
	}{
		"tokens":   {llm.Limits{TokensPerDay: 250}, 3}, // the third is admitted at 200
		"requests": {llm.Limits{RequestsPerDay: 4}, 4},
		"none":     {llm.Limits{}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now, m := noon(), costing(100)
			b := llm.Budget(m, c.limits, now.now)
			for range max(c.calls, 20*-c.calls) {
				if _, err := b.Complete(t.Context(), llmtest.Ask("What?")); err != nil {
					t.Fatal(err)
				}
			}
			if c.calls < 0 {
				return
			}
			_, err := b.Complete(t.Context(), llmtest.Ask("What?"))
			limited(t, err, 12*time.Hour)
			_, err = b.Stream(t.Context(), llmtest.Ask("What?"), func(llm.Delta) error { return nil })
			limited(t, err, 12*time.Hour)
			if want := (llm.Spending{Day: time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC), Tokens: 100 * c.calls, Requests: c.calls}); b.Spent() != want || len(m.Asked()) != c.calls {
				t.Errorf("spent %+v, want %+v; asked %d", b.Spent(), want, len(m.Asked()))
			}
			now.add(12*time.Hour - 1)
			_, err = b.Complete(t.Context(), llmtest.Ask("What?"))
			limited(t, err, 1)
			now.add(1)
			if _, err := b.Complete(t.Context(), llmtest.Ask("What?")); err != nil || b.Spent().Tokens != 100 {
				t.Errorf("next day: %v, %+v", err, b.Spent())
			}
		})
	}
}

// TestBudgetMinute: any 60 s have at most so many requests.
func TestBudgetMinute(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(rt, "limit")
		now := noon()
		b := llm.Budget(costing(1), llm.Limits{RequestsPerMinute: limit}, now.now)
		var at []time.Time // of admitted requests
		for range rapid.IntRange(1, 40).Draw(rt, "calls") {
			now.add(time.Duration(rapid.IntRange(0, 40).Draw(rt, "pause")) * time.Second)
			recent := 0
			for _, a := range at {
				if now.now().Sub(a) < time.Minute {
					recent++
				}
			}
			_, err := b.Complete(context.Background(), llmtest.Ask("What?"))
			if (err == nil) != (recent < limit) {
				rt.Fatalf("%d of %d in the last minute: %v", recent, limit, err)
			}
			if err == nil {
				at = append(at, now.now())
				continue
			}
			var e *lukasa.Error
			if !errors.As(err, &e) || !at[len(at)-limit].Add(time.Minute).Equal(now.now().Add(e.RetryAfter)) {
				rt.Fatalf("RetryAfter %v", e.RetryAfter)
			}
		}
	})
}

// TestBudgetBooks: what is booked when the server says what it cost, and when it does not.
func TestBudgetBooks(t *testing.T) {
	t.Parallel()
	const words = "one two three four five six seven eight nine ten" // ten tokens and four around them
	for name, c := range map[string]struct {
		steps    []llmtest.Step
		json     bool
		tokens   [2]int // from and to
		requests int
	}{
		"said":      {[]llmtest.Step{{Text: "tea", Usage: llm.Usage{Input: 500, Output: 7}}}, false, [2]int{507, 507}, 1},
		"not said":  {[]llmtest.Step{{Text: words}}, false, [2]int{24, 26}, 1},
		"repaired":  {[]llmtest.Step{{Text: "half", Usage: llm.Usage{Input: 100}}, {Text: good, Usage: llm.Usage{Input: 200}}}, true, [2]int{300, 300}, 2},
		"rubbish":   {[]llmtest.Step{{Text: "half", Usage: llm.Usage{Input: 100}}, {Text: "half", Usage: llm.Usage{Input: 200}}}, true, [2]int{300, 300}, 2},
		"refused":   {[]llmtest.Step{{Err: coded(lukasa.CodeInvalid, 0)}}, false, [2]int{0, 0}, 1},
		"no answer": {[]llmtest.Step{{Err: coded(lukasa.CodeUnavailable, 0)}}, false, [2]int{0, 0}, 1},
		"late":      {[]llmtest.Step{{Err: coded(lukasa.CodeTimeout, 0)}}, false, [2]int{14, 15}, 1},
		"given up":  {[]llmtest.Step{{Err: context.Canceled}}, false, [2]int{14, 15}, 1},
		"useless":   {[]llmtest.Step{{Text: "", Usage: llm.Usage{Input: 9}}}, false, [2]int{9, 9}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := llm.Budget(llmtest.Script(c.steps...), llm.Limits{TokensPerDay: 10_000}, noon().now)
			req := llmtest.Ask(words)
			req.MaxTokens = 1000
			if c.json {
				req.Schema = []byte(llmtest.Schema)
			}
			_, _ = b.Complete(t.Context(), req)
			if got := b.Spent(); got.Tokens < c.tokens[0] || got.Tokens > c.tokens[1] || got.Requests != c.requests {
				t.Errorf("spent %+v, want %v tokens, %d requests", got, c.tokens, c.requests)
			}
		})
	}
	t.Run("not sent", func(t *testing.T) {
		t.Parallel()
		b := llm.Budget(llmtest.Script(), llm.Limits{TokensPerDay: 10_000}, noon().now)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := b.Complete(ctx, llmtest.Ask(words))
		_, err2 := b.Complete(t.Context(), llm.Request{})
		if got := b.Spent(); err == nil || err2 == nil || got.Tokens != 0 || got.Requests != 0 {
			t.Errorf("spent %+v, %v, %v", got, err, err2)
		}
	})
	t.Run("broken off", func(t *testing.T) {
		t.Parallel()
		b := llm.Budget(llmtest.Script(llmtest.Step{Text: strings.Repeat("word", 100), Err: coded(lukasa.CodeUnavailable, 0)}), llm.Limits{}, noon().now)
		_, err := b.Stream(t.Context(), llmtest.Ask(words), func(llm.Delta) error { return nil })
		if got := b.Spent().Tokens; err == nil || got < 110 || got > 120 {
			t.Errorf("%d tokens, %v", got, err)
		}
	})
}

// TestBudgetRepair: a repair is a request of its own.
func TestBudgetRepair(t *testing.T) {
	t.Parallel()
	b := llm.Budget(llmtest.Script(llmtest.Step{Text: "half"}, llmtest.Step{Text: good}, llmtest.Step{Text: "tea"}), llm.Limits{RequestsPerMinute: 2}, noon().now)
	if _, err := b.Complete(t.Context(), asJSON("Who?")); err != nil {
		t.Fatal(err)
	}
	_, err := b.Complete(t.Context(), llmtest.Ask("What?"))
	limited(t, err, time.Minute)
}

// TestBudgetReserves: calls under way count, so that many at once do not all get in.
func TestBudgetReserves(t *testing.T) {
	t.Parallel()
	free := make(chan bool)
	asked := make(chan bool, 10)
	m := llmtest.Func(func(context.Context, int, llm.Request) llmtest.Step {
		asked <- true
		<-free
		return llmtest.Step{Text: "tea", Usage: llm.Usage{Input: 5, Output: 5}}
	})
	b := llm.Budget(m, llm.Limits{TokensPerDay: 1000}, noon().now)
	req := llmtest.Ask("What?")
	req.MaxTokens = 450
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if _, err := b.Complete(t.Context(), req); err != nil {
				t.Error(err)
			}
		})
		<-asked
	}
	_, err := b.Complete(t.Context(), req)
	limited(t, err, 12*time.Hour)
	close(free)
	wg.Wait()
	if _, err := b.Complete(t.Context(), req); err != nil || b.Spent().Tokens != 30 {
		t.Errorf("afterwards: %v, %+v", err, b.Spent())
	}
	req.MaxTokens = 1000
	if _, err := b.Complete(t.Context(), req); lukasa.CodeOf(err) != lukasa.CodeTooLarge || !errors.Is(err, llm.ErrBudget) || llm.Retryable(err) {
		t.Errorf("more than a day: %v", err)
	}
}

// TestBudgetMidnight: what was reserved yesterday is not given back today.
func TestBudgetMidnight(t *testing.T) {
	t.Parallel()
	now := noon()
	m := llmtest.Func(func(context.Context, int, llm.Request) llmtest.Step {
		now.add(13 * time.Hour)
		return llmtest.Step{Text: "tea", Usage: llm.Usage{Input: 5, Output: 5}}
	})
	b := llm.Budget(m, llm.Limits{TokensPerDay: 1000}, now.now)
	req := llmtest.Ask("What?")
	req.MaxTokens = 500
	if _, err := b.Complete(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(llm.Spending{Day: time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)}, b.Spent()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBudgetResume(t *testing.T) {
	t.Parallel()
	now := noon()
	old := llm.Budget(costing(100), llm.Limits{}, now.now)
	if _, err := old.Complete(t.Context(), llmtest.Ask("What?")); err != nil {
		t.Fatal(err)
	}
	b := llm.Budget(costing(100), llm.Limits{RequestsPerDay: 2}, now.now)
	b.Resume(old.Spent())
	b.Resume(llm.Spending{Day: old.Spent().Day.AddDate(0, 0, -1), Requests: 99})
	if _, err := b.Complete(t.Context(), llmtest.Ask("What?")); err != nil || b.Spent() != (llm.Spending{Day: old.Spent().Day, Tokens: 200, Requests: 2}) {
		t.Errorf("%v, %+v", err, b.Spent())
	}
	_, err := b.Complete(t.Context(), llmtest.Ask("What?"))
	limited(t, err, 12*time.Hour)
}

// TestBudgetInRetry: the usual order, where each try counts and a refusal far off is not waited for.
func TestBudgetInRetry(t *testing.T) {
	t.Parallel()
	m := llmtest.Script(fail(coded(lukasa.CodeUnavailable, 0), coded(lukasa.CodeUnavailable, 0))...)
	r := llm.Retry(llm.Budget(m, llm.Limits{RequestsPerDay: 2}, noon().now), llm.RetryPolicy{MinDelay: 1, MaxDelay: time.Second})
	_, err := r.Complete(t.Context(), llmtest.Ask("What?"))
	limited(t, err, 12*time.Hour)
	if len(m.Asked()) != 2 {
		t.Errorf("asked %d times", len(m.Asked()))
	}
}
