package llm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

// RetryPolicy sets how a model is asked again. The zero value is the house's default (T-18): 3 tries, 0.5 s doubling up to
// 5 s, a breaker of 5 failures and 30 s.
type RetryPolicy = wire.Policy

// Retrying is a model that is asked again. Make it with [Retry].
type Retrying struct {
	next Model
	wire *wire.Retrier
}

var _ Model = (*Retrying)(nil)

// Retry decorates a model: failures for which [Retryable] holds are tried again with exponentially growing waits; a server's
// Retry-After is obeyed. A stream is tried again only while nothing of it was handed on. After failures in a row a circuit breaker
// answers at once, with code unavailable and RetryAfter, until its delay is over; then one call tries. Limits (429, [ErrBudget])
// and answers that are no use do not count against the server.
//
// With [Budget] inside it, each try counts; that is the usual order.
func Retry(m Model, policy RetryPolicy) *Retrying {
	return &Retrying{next: m, wire: wire.NewRetrier(policy, wire.Rules{Judge: judge, Open: func(after time.Duration) error {
		return &lukasa.Error{
			Code:       lukasa.CodeUnavailable,
			Msg:        fmt.Sprintf("ask %s: server failed too often and is left alone for a while", m.Info().Model),
			RetryAfter: after,
			Err:        wire.ErrOpen,
		}
	}})}
}

// judge says what a failure means for further tries and for the breaker.
func judge(err error) wire.Verdict {
	if late, ok := errors.AsType[*begun](err); ok {
		v := judge(late.err)
		if late.stopped {
			v = wire.Verdict{Own: true}
		}
		v.Again = false
		return v
	}
	code, again := lukasa.CodeOf(err), Retryable(err)
	v := wire.Verdict{
		Again: again, Fault: again && code != lukasa.CodeLimited,
		GaveUp: errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && code != lukasa.CodeTimeout,
	}
	v.Own = code == lukasa.CodeInvalid || code == lukasa.CodeTooLarge
	if e, ok := errors.AsType[*lukasa.Error](err); ok {
		v.After = e.RetryAfter
	}
	return v
}

// begun is a failure after a part of the answer was handed on. When stopped, it is the receiver's and not the server's.
type begun struct {
	err     error
	stopped bool
}

// Error is the failure's.
func (b *begun) Error() string { return b.err.Error() }

// Unwrap returns the failure.
func (b *begun) Unwrap() error { return b.err }

// Trouble says what the server has been failing with since it answered last.
func (r *Retrying) Trouble() wire.Trouble { return r.wire.Trouble() }

// Unwrap implements [Unwrapper].
func (r *Retrying) Unwrap() Model { return r.next }

// Info implements [Model].
func (r *Retrying) Info() Info { return r.next.Info() }

// Complete implements [Model]. The usage is that of all tries.
func (r *Retrying) Complete(ctx context.Context, req Request) (Reply, error) {
	var out Reply
	err := r.wire.Do(ctx, func() error {
		spent := out.Usage
		var err error
		out, err = r.next.Complete(ctx, req)
		out.Usage = out.Usage.Add(spent)
		return err
	})
	if err != nil {
		return Reply{Usage: out.Usage}, err
	}
	return out, nil
}

// Stream implements [Model]. The usage is that of all tries.
func (r *Retrying) Stream(ctx context.Context, req Request, yield func(Delta) error) (Reply, error) {
	var out Reply
	var late *begun
	err := r.wire.Do(ctx, func() error {
		spent, some := out.Usage, false
		var stopped error
		var err error
		out, err = r.next.Stream(ctx, req, func(d Delta) error {
			some = true
			stopped = yield(d)
			return stopped
		})
		out.Usage = out.Usage.Add(spent)
		if err != nil && some {
			late = &begun{err: err, stopped: stopped != nil}
			return late
		}
		return err
	})
	switch {
	case err == nil:
		return out, nil
	case late != nil:
		err = late.err // as the receiver or the model gave it
	}
	return Reply{Usage: out.Usage}, err
}
