package sqlite_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/lukasa-memory/lukasa/internal/store/sqlite"
)

// script is a connection that writes down what it is told.
type script struct {
	mu     sync.Mutex
	log    []string
	commit error
}

func (s *script) exec(sql string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, sql)
	if sql == "COMMIT" {
		return s.commit
	}
	return nil
}

func (s *script) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.log, "; ")
}

func openQueue(s *script) *sqlite.Queue {
	return sqlite.NewQueue(sqlite.QueueOptions{Exec: s.exec, Wait: func(try func() error) error { return try() }, Close: func() error { return nil }})
}

func TestWhatComesTogetherSharesACommit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		q := openQueue(s)
		hold := make(chan struct{})
		var wg sync.WaitGroup
		boom := errors.New("boom")
		results := make([]error, 3)
		wg.Go(func() { results[0] = q.Do(t.Context(), func() error { <-hold; return nil }) })
		synctest.Wait()
		wg.Go(func() { results[1] = q.Do(t.Context(), func() error { return boom }) })
		synctest.Wait()
		wg.Go(func() { results[2] = q.Do(t.Context(), func() error { return nil }) })
		synctest.Wait()
		close(hold)
		wg.Wait()
		if results[0] != nil || !errors.Is(results[1], boom) || results[2] != nil {
			t.Errorf("results %v", results)
		}
		want := "BEGIN IMMEDIATE; SAVEPOINT turn; ROLLBACK TO turn; RELEASE turn; SAVEPOINT turn; RELEASE turn; COMMIT"
		if got := s.String(); got != want {
			t.Errorf("statements\n %s, want\n %s", got, want)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
		if err := q.Do(t.Context(), func() error { return nil }); !errors.Is(err, sqlite.ErrQueueClosed) {
			t.Errorf("after the end: %v", err)
		}
	})
}

func TestAFirstTurnThatFailsTakesNothingAlong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		q := openQueue(s)
		hold := make(chan struct{})
		boom := errors.New("boom")
		results := make([]error, 2)
		var wg sync.WaitGroup
		wg.Go(func() { results[0] = q.Do(t.Context(), func() error { <-hold; return boom }) })
		synctest.Wait()
		wg.Go(func() { results[1] = q.Do(t.Context(), func() error { return nil }) })
		synctest.Wait()
		close(hold)
		wg.Wait()
		if !errors.Is(results[0], boom) || results[1] != nil {
			t.Errorf("results %v", results)
		}
		if got, want := s.String(), "BEGIN IMMEDIATE; ROLLBACK; BEGIN IMMEDIATE; COMMIT"; got != want {
			t.Errorf("statements\n %s, want\n %s", got, want)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestAFailedCommitIsToldToAll(t *testing.T) {
	t.Parallel()
	s := &script{commit: errors.New("disk full")}
	q := openQueue(s)
	defer func() { _ = q.Close() }()
	if err := q.Do(t.Context(), func() error { return nil }); !errors.Is(err, s.commit) {
		t.Errorf("acknowledged: %v", err)
	}
	if !strings.HasSuffix(s.String(), "COMMIT; ROLLBACK") {
		t.Errorf("statements %s", s)
	}
}

func TestWhoWaitsMayLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := openQueue(&script{})
		hold := make(chan struct{})
		go func() { _ = q.Do(t.Context(), func() error { <-hold; return nil }) }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		ran := false
		go func() { left <- q.Do(ctx, func() error { ran = true; return nil }) }()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) || ran {
			t.Errorf("left with %v, ran %v", err, ran)
		}
		close(hold)
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
}
