package embed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"github.com/lukasa-memory/lukasa"
)

// RetryPolicy sets how a remote embedder is tried again. The zero value is the house's default (T-18).
type RetryPolicy struct {
	Attempts int           // tries of one call, the first included; 0: 3
	MinDelay time.Duration // wait before the second try, doubled before each further one; 0: 0.5 s
	MaxDelay time.Duration // longest wait; a server that asks for more ends the tries; 0: 5 s
	Jitter   float64       // part of a wait that chance adds or takes, 0..0.9; 0: 0.2

	BreakerFailures int           // failures in a row that open the circuit breaker; 0: 5
	BreakerDelay    time.Duration // how long the breaker stays open before one call may try; 0: 30 s
}

func (p RetryPolicy) withDefaults() RetryPolicy {
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

// Retrying is an embedder that tries again. Make it with [Retry].
type Retrying struct {
	next    Embedder
	retry   retrypolicy.RetryPolicy[[][]float32]
	breaker circuitbreaker.CircuitBreaker[any]
}

var (
	_ Embedder      = (*Retrying)(nil)
	_ QueryEmbedder = (*Retrying)(nil)
	_ Prober        = (*Retrying)(nil)
)

// Retry decorates a remote embedder: failures for which [Retryable] holds are tried again with exponentially growing
// waits, only for the texts that have no vector yet; a server's Retry-After is obeyed. After failures in a row a circuit
// breaker answers at once, with code unavailable and RetryAfter, until its delay is over; then one call tries. Limits (429)
// and refusals do not count against the server.
func Retry(e Embedder, policy RetryPolicy) *Retrying {
	p := policy.withDefaults()
	breaker := circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(uint(p.BreakerFailures)).
		WithSuccessThreshold(1).
		WithDelay(p.BreakerDelay).
		Build()
	retry := retrypolicy.NewBuilder[[][]float32]().
		HandleIf(func(_ [][]float32, err error) bool { return p.again(err) && breaker.RemainingDelay() <= p.MaxDelay }).
		WithMaxAttempts(p.Attempts).
		WithBackoff(p.MinDelay, max(p.MaxDelay, p.MinDelay+1)).
		WithJitterFactor(p.Jitter).
		WithDelayFunc(func(exec failsafe.ExecutionAttempt[[][]float32]) time.Duration {
			if d := retryAfterOf(exec.LastError()); d > 0 {
				return time.Duration(float64(d) / (1 - p.Jitter)) // so that jitter never makes us early
			}
			return -1
		}).
		ReturnLastFailure().
		Build()
	return &Retrying{next: e, retry: retry, breaker: breaker}
}

// again reports whether err deserves another try within the same call, if the breaker lets it.
func (p RetryPolicy) again(err error) bool {
	return Retryable(err) && !errors.Is(err, circuitbreaker.ErrOpen) && retryAfterOf(err) <= p.MaxDelay
}

// retryAfterOf returns how long the server asked to wait, or 0.
func retryAfterOf(err error) time.Duration {
	var e *lukasa.Error
	if errors.As(err, &e) {
		return e.RetryAfter
	}
	return 0
}

// Unwrap implements [Unwrapper].
func (r *Retrying) Unwrap() Embedder { return r.next }

// Space implements [Embedder].
func (r *Retrying) Space() Space { return r.next.Space() }

// CountTokens implements [Embedder].
func (r *Retrying) CountTokens(text string) int { return r.next.CountTokens(text) }

// Embed implements [Embedder].
func (r *Retrying) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	missing := make([]int, len(texts))
	for i := range missing {
		missing[i] = i
	}
	_, err := r.run(ctx, func() ([][]float32, error) {
		part := make([]string, len(missing))
		for i, at := range missing {
			part[i] = texts[at]
		}
		vectors, err := r.next.Embed(ctx, part)
		if err != nil && len(vectors) != len(part) {
			return nil, err
		}
		var left []int
		for i, at := range missing {
			if out[at] = vectors[i]; vectors[i] == nil {
				left = append(left, at)
			}
		}
		missing = left
		return nil, err
	})
	if err != nil && len(missing) == len(texts) {
		return nil, err
	}
	return out, err
}

// EmbedQuery implements [QueryEmbedder].
func (r *Retrying) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vectors, err := r.run(ctx, func() ([][]float32, error) {
		v, err := EmbedQuery(ctx, r.next, text)
		return [][]float32{v}, err
	})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// Probe implements [Prober].
func (r *Retrying) Probe(ctx context.Context) (Space, error) {
	_, err := r.run(ctx, func() ([][]float32, error) {
		_, err := Probe(ctx, r.next)
		return nil, err
	})
	return r.next.Space(), err
}

// run makes the tries of one call, each of them through the breaker.
func (r *Retrying) run(ctx context.Context, call func() ([][]float32, error)) ([][]float32, error) {
	out, err := failsafe.With(r.retry).WithContext(ctx).Get(func() ([][]float32, error) {
		if !r.breaker.TryAcquirePermit() {
			return nil, r.open()
		}
		out, err := call()
		r.record(err)
		return out, err
	})
	if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		err = fmt.Errorf("%w: %w", err, ctx.Err())
	}
	return out, err
}

// record tells the breaker how a call went. A call that its caller gave up says nothing about the server, but must give its
// permit back when the breaker is half open, and then counts as a failure.
func (r *Retrying) record(err error) {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded) && lukasa.CodeOf(err) != lukasa.CodeTimeout:
		if r.breaker.IsHalfOpen() {
			r.breaker.RecordFailure()
		}
	case Retryable(err) && lukasa.CodeOf(err) != lukasa.CodeLimited:
		r.breaker.RecordFailure()
	default:
		r.breaker.RecordSuccess()
	}
}

func (r *Retrying) open() error {
	return &lukasa.Error{
		Code:       lukasa.CodeUnavailable,
		Msg:        fmt.Sprintf("embed with %s: server failed too often and is left alone for a while", r.next.Space().Model),
		RetryAfter: r.breaker.RemainingDelay(),
		Err:        circuitbreaker.ErrOpen,
	}
}
