package wire_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lukasa-memory/lukasa/internal/wire"
)

var (
	errDown = errors.New("down")
	errBad  = errors.New("bad")
)

func rules() wire.Rules {
	return wire.Rules{
		Judge: func(err error) wire.Verdict {
			return wire.Verdict{
				Again: errors.Is(err, errDown), Fault: errors.Is(err, errDown), GaveUp: errors.Is(err, context.Canceled),
			}
		},
		Open: func(after time.Duration) error { return errors.Join(wire.ErrOpen, errors.New(after.String())) },
	}
}

// TestRetrier: T-18, 3 tries, then the breaker after 5 failures for 30 s, then one try. The tests of the providers have the rest.
func TestRetrier(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := wire.NewRetrier(wire.Policy{}, rules())
		calls := 0
		do := func(result error) error {
			return r.Do(t.Context(), func() error { calls++; return result })
		}
		start := time.Now()
		if err := do(errDown); !errors.Is(err, errDown) || calls != 3 || time.Since(start) < 1200*time.Millisecond || time.Since(start) > 1800*time.Millisecond {
			t.Errorf("%d calls in %v: %v", calls, time.Since(start), err)
		}
		if err := do(errBad); !errors.Is(err, errBad) || calls != 4 {
			t.Errorf("%d calls: %v", calls, err)
		}
		if err := do(errDown); !errors.Is(err, errDown) || calls != 7 {
			t.Errorf("%d calls: %v", calls, err)
		}
		if err := do(errDown); !errors.Is(err, errDown) || calls != 9 { // the fifth in a row
			t.Errorf("%d calls: %v", calls, err)
		}
		if err := do(nil); !errors.Is(err, wire.ErrOpen) || calls != 9 {
			t.Errorf("%d calls: %v", calls, err)
		}
		<-time.After(31 * time.Second)
		if err := do(nil); err != nil || calls != 10 {
			t.Errorf("%d calls: %v", calls, err)
		}
	})
}
