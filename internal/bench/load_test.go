package bench_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lukasa-memory/lukasa/internal/bench"
)

// Operations come due at their rate, and a server that stalls is charged with all that came due meanwhile.
func TestOpenLoopChargesStalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		stalled := func(context.Context, *rand.Rand) error { // it answers at once, but for the second second
			if at := time.Since(began); at > time.Second && at < 2*time.Second {
				time.Sleep(2*time.Second - at) //nolint:forbidigo // in a bubble
			}
			return nil
		}
		failing := func(context.Context, *rand.Rand) error { return errors.New("no") }
		got := bench.OpenLoop(t.Context(), []bench.Op{{"ask", 500, stalled}, {"fail", 100, failing}, {"never", 0, nil}}, 10*time.Second, 1)
		ask, fail, all := got[0], got[1], got[3]
		if math.Abs(float64(ask.Done)-5000) > 300 || fail.Done != 0 || math.Abs(float64(fail.Failed)-1000) > 150 || fail.Errors["no"] != fail.Failed {
			t.Errorf("ask %d, fail %d and %v", ask.Done, fail.Failed, fail.Errors)
		}
		// A tenth came due in the stall, and waited half a second in the middle.
		if ask.P50 > 1 || ask.P99 < 800 || ask.P99 > 1000 || ask.Max < 950 {
			t.Errorf("p50 %.1f, p99 %.1f, max %.1f", ask.P50, ask.P99, ask.Max)
		}
		if all.Name != "all" || all.Done != ask.Done || all.Failed != fail.Failed || all.Asked != 600 || all.Max != ask.Max {
			t.Errorf("all: %+v", all)
		}
	})
}

// What has no answer is bounded, and counts as failed beyond that.
func TestOpenLoopIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		hang := func(ctx context.Context, _ *rand.Rand) error { <-ctx.Done(); return ctx.Err() }
		got := bench.OpenLoop(ctx, []bench.Op{{"hang", 5000, hang}}, 10*time.Second, 1)[0]
		if got.Done != 0 || got.Errors["too many without an answer"] == 0 || got.Errors[context.DeadlineExceeded.Error()] != 20_000 {
			t.Errorf("%+v", got.Errors)
		}
	})
}

// Work that this process does is seen.
func TestCPU(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("processor time is read from /proc")
	}
	before, err := bench.CPU(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	x := 1.0
	for began := time.Now(); time.Since(began) < 200*time.Millisecond; {
		x = math.Sqrt(x + 1)
	}
	after, err := bench.CPU(os.Getpid())
	if err != nil || after <= before || math.IsNaN(x) {
		t.Errorf("%v, then %v: %v", before, after, err)
	}
	if parent, err := bench.CPU(os.Getppid()); err != nil || parent < after-before {
		t.Errorf("the parent has %v, %v", parent, err)
	}
	if _, err := bench.CPU(1 << 30); err == nil {
		t.Error("a process that is not there has used time")
	}
}
