package wire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// Policy sets how a call is tried again. The zero value is the house's default (T-18).
type Policy struct {
	Attempts int           // tries of one call, the first included; 0: 3
	MinDelay time.Duration // wait before the second try, doubled before each further one; 0: 0.5 s
	MaxDelay time.Duration // longest wait; a server that asks for more ends the tries; 0: 5 s
	Jitter   float64       // part of a wait that chance adds or takes, 0..0.9; 0: 0.2

	BreakerFailures int           // failures in a row that open the circuit breaker; 0: 5
	BreakerDelay    time.Duration // how long the breaker stays open before one call may try; 0: 30 s
}

func (p Policy) withDefaults() Policy {
	if p.Attempts <= 0 {
		p.Attempts = 3
	}
	if p.MinDelay <= 0 {
		p.MinDelay = 500 * time.Millisecond
	}
	if p.MaxDelay <= 0 {
		p.MaxDelay = 5 * time.Second
	}
	p.MinDelay = min(p.MinDelay, p.MaxDelay)
	if p.Jitter <= 0 {
		p.Jitter = 0.2
	}
	p.Jitter = min(p.Jitter, 0.9)
	if p.BreakerFailures <= 0 {
		p.BreakerFailures = 5
	}
	if p.BreakerDelay <= 0 {
		p.BreakerDelay = 30 * time.Second
	}
	return p
}

// Verdict is what a failure means.
type Verdict struct {
	Again  bool          // the same call may succeed if tried again
	Fault  bool          // the server failed: one more of those that open the breaker
	GaveUp bool          // the caller went away, which says nothing about the server
	Own    bool          // the request was at fault, which says nothing about the server either
	After  time.Duration // how long the server asked to wait; 0: it did not
}

// Rules are the words of the one who retries. Both are required.
type Rules struct {
	Judge func(err error) Verdict         // judges a failure; never called with nil
	Open  func(after time.Duration) error // makes the error of a call that the breaker does not let through; it must wrap ErrOpen
}

// Retrier makes the tries of calls to one server and holds its circuit breaker. It is safe for concurrent use.
type Retrier struct {
	rules   Rules
	retry   retrypolicy.RetryPolicy[any]
	breaker circuitbreaker.CircuitBreaker[any]
	log     log
}

// NewRetrier returns a retrier: a call is tried again, with exponentially growing waits or those that the server asked
// for, while its failures are judged worth it. After failures in a row the breaker answers at once, until its delay is
// over; then one call tries.
func NewRetrier(policy Policy, rules Rules) *Retrier {
	p := policy.withDefaults()
	r := &Retrier{rules: rules}
	r.breaker = circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(uint(p.BreakerFailures)).
		WithSuccessThreshold(1).
		WithDelay(p.BreakerDelay).
		Build()
	r.retry = retrypolicy.NewBuilder[any]().
		HandleIf(func(_ any, err error) bool {
			if err == nil || errors.Is(err, ErrOpen) || r.breaker.RemainingDelay() > p.MaxDelay {
				return false
			}
			v := rules.Judge(err)
			return v.Again && v.After <= p.MaxDelay
		}).
		WithMaxAttempts(p.Attempts).
		WithBackoff(p.MinDelay, max(p.MaxDelay, p.MinDelay+1)).
		WithJitterFactor(p.Jitter).
		WithDelayFunc(func(exec failsafe.ExecutionAttempt[any]) time.Duration {
			if err := exec.LastError(); err != nil {
				if d := rules.Judge(err).After; d > 0 {
					return time.Duration(float64(d) / (1 - p.Jitter)) // so that jitter never makes us early
				}
			}
			return -1
		}).
		ReturnLastFailure().
		Build()
	return r
}

// Do makes the tries of one call, each of them through the breaker, and returns the last error. When ctx ended in between, the
// error wraps ctx.Err() too.
func (r *Retrier) Do(ctx context.Context, call func() error) error {
	err := failsafe.With(r.retry).WithContext(ctx).Run(func() error {
		if !r.breaker.TryAcquirePermit() {
			return r.rules.Open(r.breaker.RemainingDelay())
		}
		err := call()
		r.record(err)
		return err
	})
	if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%w: %w", err, ctx.Err())
	}
	return err
}

// record tells the breaker how a call went. A call that its caller gave up must give its permit back when the breaker is
// half open, and then counts as a failure.
func (r *Retrier) record(err error) {
	var v Verdict
	if err != nil {
		v = r.rules.Judge(err)
	}
	if !v.GaveUp && !v.Own {
		r.log.note(time.Now(), err)
	}
	switch {
	case v.GaveUp:
		if r.breaker.IsHalfOpen() {
			r.breaker.RecordFailure()
		}
	case v.Fault:
		r.breaker.RecordFailure()
	default:
		r.breaker.RecordSuccess()
	}
}
