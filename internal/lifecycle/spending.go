package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/lukasa-memory/lukasa/internal/llm"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// SpendingEvery is how often what was spent is written down, and what others spent is read.
const SpendingEvery = 5 * time.Second

// spentSetting holds what a day has cost so far, over all who share the store.
const spentSetting = "llm.spent"

// Spending keeps the day's budget of a model over restarts, and shares it with the other processes and nodes of the store: what each spends, the
// others know some seconds later. It is safe for concurrent use.
type Spending struct {
	store store.Settings
	book  *llm.Budgeted

	mu   sync.Mutex
	told llm.Spending // what of the book is in the store
}

// NewSpending keeps the budget of a model; nil where it has none.
func NewSpending(s store.Settings, m llm.Model) *Spending {
	book, ok := llm.As[*llm.Budgeted](m)
	if !ok {
		return nil
	}
	return &Spending{store: s, book: book}
}

// spent is how the setting looks.
type spent struct {
	Day      string `json:"day"` // in UTC
	Tokens   int    `json:"tokens"`
	Requests int    `json:"requests"`
}

// Settle writes down what was spent since the last time, and books what others spent. It writes nothing where nothing was.
func (s *Spending) Settle(ctx context.Context) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.book.Spent()
	if !s.told.Day.Equal(own.Day) {
		s.told = llm.Spending{Day: own.Day}
	}
	add := llm.Spending{Tokens: own.Tokens - s.told.Tokens, Requests: own.Requests - s.told.Requests}
	total, err := s.exchange(ctx, own.Day, add)
	if err != nil {
		return fmt.Errorf("keep what the model cost: %w", err)
	}
	s.book.Resume(llm.Spending{Day: own.Day, Tokens: total.Tokens - own.Tokens, Requests: total.Requests - own.Requests})
	s.told = total
	return nil
}

// exchange adds to what the day has cost, and returns it. Of another day than the store's later one nothing is kept: a clock is wrong, or its
// midnight has just been.
func (s *Spending) exchange(ctx context.Context, day time.Time, add llm.Spending) (total llm.Spending, err error) {
	book := func(raw string) spent {
		x := spent{Day: day.Format(time.DateOnly)}
		var old spent
		if json.Unmarshal([]byte(raw), &old) == nil && old.Day == x.Day { // what cannot be read is none
			x = old
		}
		x.Tokens, x.Requests = max(0, x.Tokens+add.Tokens), max(0, x.Requests+add.Requests)
		total = llm.Spending{Day: day, Tokens: x.Tokens, Requests: x.Requests}
		if old.Day > x.Day {
			return old
		}
		return x
	}
	if add.Tokens == 0 && add.Requests == 0 {
		raw, err := s.store.Setting(ctx, spentSetting)
		book(raw)
		return total, err
	}
	err = s.store.ChangeSetting(ctx, spentSetting, func(raw string) (string, error) {
		b, err := json.Marshal(book(raw))
		return string(b), err
	})
	return total, err
}

// Run settles every [SpendingEvery] until the context ends.
func (s *Spending) Run(ctx context.Context, log *slog.Logger) {
	if s == nil {
		return
	}
	tick := time.NewTicker(SpendingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.Settle(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "share the budget", "err", err)
		}
	}
}
