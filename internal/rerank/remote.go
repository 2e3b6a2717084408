package rerank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

const (
	maxTextBytes  = 16 << 10 // about 4,000 tokens: more than a cross-encoder reads; servers cut exactly
	maxQueryBytes = 4 << 10
	parallel      = 4 // requests of one call that are under way at once
	firstDelay    = 50 * time.Millisecond
)

// Rank is one entry of a server's answer: the place of a text in the request, and its score. A field that the answer did not
// have is nil.
type Rank struct {
	Index *int
	Score *float64
}

// RemoteOptions describe a remote model.
type RemoteOptions struct {
	Kind       string        // the driver's name
	Model      string        // the model's name
	BatchTexts int           // texts in one request; 0: MaxTexts
	Budget     time.Duration // for a whole call; 0: DefaultBudget

	// Call makes one exchange. Texts are neither blank nor too long; ranks may come in any order.
	Call func(ctx context.Context, query string, texts []string) ([]Rank, error)
}

// Remote makes a [Reranker] of one HTTP exchange. It cuts long texts, leaves out blank ones, sends batches side by side,
// checks every answer, and tries once more what failed while the budget lasts. After five failed tries in a row a circuit
// breaker lets no call through for 30 seconds; then one call tries. Limits (429) and refusals do not count against the
// server; an exhausted budget does. Drivers embed it.
type Remote struct {
	o     RemoteOptions
	retry *wire.Retrier
}

var _ Reranker = (*Remote)(nil)

// NewRemote returns the reranker; Kind, Model and Call are required.
func NewRemote(o RemoteOptions) (*Remote, error) {
	switch {
	case o.Kind == "" || o.Call == nil:
		return nil, errors.New("make remote reranker: kind or call is missing")
	case o.Model == "":
		return nil, lukasa.Invalid("model", "%s needs the name of a rerank model", o.Kind)
	case o.BatchTexts < 0 || o.Budget < 0:
		return nil, lukasa.Invalid("batch", "%d texts a request within %v cannot be", o.BatchTexts, o.Budget)
	}
	if o.BatchTexts == 0 {
		o.BatchTexts = MaxTexts
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	r := &Remote{o: o}
	r.retry = wire.NewRetrier(wire.Policy{Attempts: 2, MinDelay: firstDelay, MaxDelay: max(o.Budget/4, time.Millisecond)}, wire.Rules{
		Judge: judge,
		Open: func(after time.Duration) error {
			return &lukasa.Error{
				Code: lukasa.CodeUnavailable, Msg: "server failed too often and is left alone for a while", RetryAfter: after, Err: wire.ErrOpen,
			}
		},
	})
	return r, nil
}

// judge says what a failure means for a second try and for the breaker.
func judge(err error) wire.Verdict {
	var e *lukasa.Error
	if !errors.As(err, &e) {
		return wire.Verdict{GaveUp: errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)}
	}
	again := Retryable(err)
	return wire.Verdict{Again: again, Fault: again && e.Code != lukasa.CodeLimited, After: e.RetryAfter}
}

// Info implements [Reranker].
func (r *Remote) Info() Info { return Info{Model: r.o.Model} }

// Rerank implements [Reranker].
func (r *Remote) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	scores, err := r.rerank(ctx, query, texts)
	if err != nil {
		return nil, fmt.Errorf("rerank with %s %s: %w", r.o.Kind, r.o.Model, err)
	}
	return scores, nil
}

func (r *Remote) rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	query = clean(query, maxQueryBytes)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(texts) > MaxTexts:
		return nil, lukasa.Invalid("texts", "%d texts, at most %d can be reranked", len(texts), MaxTexts)
	case strings.TrimSpace(query) == "":
		return nil, lukasa.Invalid("query", "is blank")
	}
	j := r.plan(query, texts)
	if len(j.texts) > 0 {
		if err := r.try(ctx, j); err != nil {
			return nil, err
		}
	}
	return j.result(len(texts)), nil
}

// try makes the tries of a job within the budget.
func (r *Remote) try(ctx context.Context, j *job) error {
	budget, cancel := context.WithTimeout(ctx, r.o.Budget)
	defer cancel()
	var last error
	err := r.retry.Do(budget, func() error {
		last = r.attempt(budget, j)
		switch {
		case last == nil:
		case ctx.Err() != nil:
			last = ctx.Err()
		case budget.Err() != nil:
			last = r.late(nil)
		}
		return last
	})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case budget.Err() != nil && lukasa.CodeOf(last) != lukasa.CodeTimeout: // during the wait for the second try
		return r.late(last)
	case budget.Err() != nil:
		return last
	}
	return err
}

func (r *Remote) late(cause error) error {
	return &lukasa.Error{Code: lukasa.CodeTimeout, Msg: fmt.Sprintf("no scores within %v", r.o.Budget), Err: cause}
}

// job is one call: what is sent, and what has come back.
type job struct {
	query   string
	texts   []string // without the blank ones
	places  []int    // of texts among the caller's
	scores  []float64
	batches []batch
}

// batch is a range of a job's texts.
type batch struct {
	from, to int
	done     bool
}

func (r *Remote) plan(query string, texts []string) *job {
	j := &job{query: query}
	for i, t := range texts {
		if t = clean(t, maxTextBytes); strings.TrimSpace(t) != "" {
			j.texts = append(j.texts, t)
			j.places = append(j.places, i)
		}
	}
	j.scores = make([]float64, len(j.texts))
	for from := 0; from < len(j.texts); from += r.o.BatchTexts {
		j.batches = append(j.batches, batch{from: from, to: min(from+r.o.BatchTexts, len(j.texts))})
	}
	return j
}

// clean makes s valid UTF-8 of at most limit bytes, cut between characters.
func clean(s string, limit int) string {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	if len(s) <= limit {
		return s
	}
	for !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// attempt sends all batches that have no scores yet, a few at a time. The first failure ends the others.
func (r *Remote) attempt(ctx context.Context, j *job) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		wg    sync.WaitGroup
		once  sync.Once
		first error
		slots = make(chan struct{}, parallel)
	)
	for i := range j.batches {
		b := &j.batches[i]
		if b.done {
			continue
		}
		wg.Go(func() {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
				once.Do(func() { first = ctx.Err() })
				return
			}
			if err := r.exchange(ctx, j, b); err != nil {
				once.Do(func() { first = err; cancel() })
			}
		})
	}
	wg.Wait()
	return first
}

func (r *Remote) exchange(ctx context.Context, j *job, b *batch) error {
	ranks, err := r.o.Call(ctx, j.query, j.texts[b.from:b.to])
	if err != nil {
		return err
	}
	if err := scatter(j.scores[b.from:b.to], ranks); err != nil {
		return err
	}
	b.done = true
	return nil
}

// scatter writes each score to its place, or says what is wrong with the answer.
func scatter(dst []float64, ranks []Rank) error {
	if len(ranks) != len(dst) {
		return lukasa.Errorf(lukasa.CodeExternal, "server answered %d scores for %d texts", len(ranks), len(dst))
	}
	seen := make([]bool, len(dst))
	for i, k := range ranks {
		switch {
		case k.Index == nil || k.Score == nil:
			return lukasa.Errorf(lukasa.CodeExternal, "entry %d of the server's answer lacks its index or its score", i)
		case *k.Index < 0 || *k.Index >= len(dst) || seen[*k.Index]:
			return lukasa.Errorf(lukasa.CodeExternal, "server answered index %d, twice or not asked for", *k.Index)
		case math.IsNaN(*k.Score) || math.IsInf(*k.Score, 0):
			return lukasa.Errorf(lukasa.CodeExternal, "server answered a score that is not a number")
		}
		seen[*k.Index] = true
		dst[*k.Index] = *k.Score
	}
	return nil
}

// result returns the scores of n texts; those that were not sent get the lowest.
func (j *job) result(n int) []float64 {
	lowest := 0.0
	for i, s := range j.scores {
		if i == 0 || s < lowest {
			lowest = s
		}
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = lowest
	}
	for i, at := range j.places {
		out[at] = j.scores[i]
	}
	return out
}
