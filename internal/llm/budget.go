package llm

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/token"
)

// Limits bound what a model may cost. Zero fields mean no limit.
type Limits struct {
	TokensPerDay      int // input and output together, of a day in UTC
	RequestsPerDay    int // of a day in UTC
	RequestsPerMinute int // in any 60 s
}

// Spending is what one day has cost so far.
type Spending struct {
	Day      time.Time // midnight UTC at its start
	Tokens   int       // spent, and reserved by calls under way
	Requests int
}

// Budgeted is a model with a budget. Make it with [Budget].
type Budgeted struct {
	next   Model
	limits Limits
	now    func() time.Time

	mu     sync.Mutex
	day    Spending
	recent []time.Time // starts of the requests of the last minute, oldest first
}

var _ Model = (*Budgeted)(nil)

// Budget decorates a model: once a limit is used up, a call is refused with [ErrBudget], code limited and RetryAfter, and the
// model is not asked. Before a call its input, by estimate, and its MaxTokens are reserved; afterwards what the server
// reports is booked instead, or an estimate where it reports nothing. What is written beyond a reservation (a call without MaxTokens) can
// exceed the day's tokens once. A call that could not fit an untouched day is refused with code too_large.
//
// The book is in memory and begins empty; [Budgeted.Resume] carries one over a restart.
func Budget(m Model, limits Limits, now func() time.Time) *Budgeted {
	return &Budgeted{next: m, limits: limits, now: now}
}

// Unwrap implements [Unwrapper].
func (b *Budgeted) Unwrap() Model { return b.next }

// Info implements [Model].
func (b *Budgeted) Info() Info { return b.next.Info() }

// Spent returns what today has cost so far.
func (b *Budgeted) Spent() Spending {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.roll(b.now())
	return b.day
}

// Resume adds what was spent before or elsewhere, if it was today. Negative numbers take back, as far as there is something to take.
func (b *Budgeted) Resume(s Spending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.roll(b.now())
	if s.Day.Equal(b.day.Day) {
		b.day.Tokens = max(b.day.Tokens+s.Tokens, 0)
		b.day.Requests = max(b.day.Requests+s.Requests, 0)
	}
}

// Complete implements [Model].
func (b *Budgeted) Complete(ctx context.Context, req Request) (Reply, error) {
	return b.call(req, func() (Reply, error) { return b.next.Complete(ctx, req) })
}

// Stream implements [Model].
func (b *Budgeted) Stream(ctx context.Context, req Request, yield func(Delta) error) (Reply, error) {
	var heard int
	return b.call(req, func() (Reply, error) {
		out, err := b.next.Stream(ctx, req, func(d Delta) error {
			heard += len(d.Text)
			return yield(d)
		})
		if err != nil && out.Usage.Total == 0 && heard > 0 { // broken off: the server did not come to say what it cost
			out.Usage.Input, out.Usage.Output = inputTokens(req), heard/4
			out.Usage.Total = out.Usage.Input + out.Usage.Output
		}
		return out, err
	})
}

func (b *Budgeted) call(req Request, ask func() (Reply, error)) (Reply, error) {
	input := inputTokens(req)
	reserved := input + max(req.MaxTokens, 0)
	day, err := b.reserve(reserved)
	if err != nil {
		return Reply{}, err
	}
	out, err := ask()
	requests := out.Usage.Requests
	if err == nil {
		requests = max(requests, 1)
	}
	b.settle(day, cost(out, err, input)-reserved, requests-1)
	return out, err
}

// cost returns the tokens of a call: what the server said, or else what we guess.
func cost(out Reply, err error, input int) int {
	switch {
	case out.Usage.Total > 0:
		return out.Usage.Total
	case err == nil:
		return input + token.Estimate(out.Text)
	case out.Usage.Requests == 0: // nothing was sent
		return 0
	}
	switch lukasa.CodeOf(err) {
	case lukasa.CodeInvalid, lukasa.CodeLimited, lukasa.CodeUnavailable: // nothing was worked on
		return 0
	}
	return input
}

// reserve admits one request and returns its day, or says when to come again.
func (b *Budgeted) reserve(tokens int) (time.Time, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	b.roll(now)
	tomorrow := b.day.Day.AddDate(0, 0, 1).Sub(now)
	switch l := b.limits; {
	case l.TokensPerDay > 0 && tokens > l.TokensPerDay:
		return now, &lukasa.Error{
			Code: lukasa.CodeTooLarge, Msg: fmt.Sprintf("%d tokens in one call, a day has %d", tokens, l.TokensPerDay), Err: ErrBudget,
		}
	case l.TokensPerDay > 0 && b.day.Tokens+tokens > l.TokensPerDay:
		return now, used(fmt.Sprintf("%d of %d tokens today", b.day.Tokens, l.TokensPerDay), tomorrow)
	case l.RequestsPerDay > 0 && b.day.Requests >= l.RequestsPerDay:
		return now, used(fmt.Sprintf("%d requests today", l.RequestsPerDay), tomorrow)
	case l.RequestsPerMinute > 0 && len(b.recent) >= l.RequestsPerMinute:
		free := b.recent[len(b.recent)-l.RequestsPerMinute].Add(time.Minute) // then one less than the limit are left
		return now, used(fmt.Sprintf("%d requests a minute", l.RequestsPerMinute), free.Sub(now))
	}
	b.day.Tokens += tokens
	b.day.Requests++
	b.note(now, 1)
	return b.day.Day, nil
}

func used(what string, after time.Duration) error {
	return &lukasa.Error{Code: lukasa.CodeLimited, Msg: what, RetryAfter: max(after, 0), Err: ErrBudget}
}

// settle corrects a reservation of tokens and one request, if its day is not over.
func (b *Budgeted) settle(day time.Time, tokens, requests int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	b.roll(now)
	b.note(now, max(requests, 0))
	if b.day.Day.Equal(day) {
		b.day.Tokens += tokens
		b.day.Requests += requests
	}
}

// note remembers n requests, if anybody will ask.
func (b *Budgeted) note(now time.Time, n int) {
	for range n {
		if b.limits.RequestsPerMinute > 0 {
			b.recent = append(b.recent, now)
		}
	}
}

// roll opens a new day and forgets requests older than a minute. A clock that steps back does not bring a day back.
func (b *Budgeted) roll(now time.Time) {
	y, m, d := now.UTC().Date()
	if today := time.Date(y, m, d, 0, 0, 0, 0, time.UTC); today.After(b.day.Day) {
		b.day = Spending{Day: today}
	}
	n := 0
	for n < len(b.recent) && now.Sub(b.recent[n]) >= time.Minute {
		n++
	}
	b.recent = append(b.recent[:0], b.recent[n:]...)
}

// pictureTokens is about what a picture costs: vendors count from 85 to 1,600 by its size, and up to a few thousand by the newest models.
const pictureTokens = 1200

// inputTokens estimates what a request sends.
func inputTokens(req Request) int {
	n := token.Estimate(req.System) + token.Estimate(string(req.Schema)) + pictureTokens*len(req.Pictures)
	for _, m := range req.Messages {
		n += token.Estimate(m.Content) + 4 // the marks around a turn
	}
	return n
}
