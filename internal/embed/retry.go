package embed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

// RetryPolicy sets how a remote embedder is tried again. The zero value is the house's default (T-18): 3 tries, 0.5 s
// doubling up to 5 s, a breaker of 5 failures and 30 s.
type RetryPolicy = wire.Policy

// Retrying is an embedder that tries again. Make it with [Retry].
type Retrying struct {
	next Embedder
	wire *wire.Retrier
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
	return &Retrying{next: e, wire: wire.NewRetrier(policy, wire.Rules{Judge: judge, Open: func(after time.Duration) error {
		return &lukasa.Error{
			Code:       lukasa.CodeUnavailable,
			Msg:        fmt.Sprintf("embed with %s: server failed too often and is left alone for a while", e.Space().Model),
			RetryAfter: after,
			Err:        wire.ErrOpen,
		}
	}})}
}

// judge says what a failure means for further tries and for the breaker.
func judge(err error) wire.Verdict {
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

// Trouble says what the server has been failing with since it answered last.
func (r *Retrying) Trouble() wire.Trouble { return r.wire.Trouble() }

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
	err := r.wire.Do(ctx, func() error {
		part := make([]string, len(missing))
		for i, at := range missing {
			part[i] = texts[at]
		}
		vectors, err := r.next.Embed(ctx, part)
		if err != nil && len(vectors) != len(part) {
			return err
		}
		var left []int
		for i, at := range missing {
			if out[at] = vectors[i]; vectors[i] == nil {
				left = append(left, at)
			}
		}
		missing = left
		return err
	})
	if err != nil && len(missing) == len(texts) {
		return nil, err
	}
	return out, err
}

// EmbedQuery implements [QueryEmbedder].
func (r *Retrying) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	var v []float32
	err := r.wire.Do(ctx, func() (err error) {
		v, err = EmbedQuery(ctx, r.next, text)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// Probe implements [Prober].
func (r *Retrying) Probe(ctx context.Context) (Space, error) {
	err := r.wire.Do(ctx, func() error {
		_, err := Probe(ctx, r.next)
		return err
	})
	return r.next.Space(), err
}
