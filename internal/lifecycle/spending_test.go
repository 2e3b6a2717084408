package lifecycle_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/lifecycle"
	"github.com/lukasa-memory/lukasa/internal/llm"
)

// settings is a store's settings, in memory.
type settings struct {
	mu     sync.Mutex
	values map[string]string
	writes int
}

func (s *settings) Setting(_ context.Context, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[name], nil
}

func (s *settings) SetSetting(ctx context.Context, name, value string) error {
	return s.ChangeSetting(ctx, name, func(string) (string, error) { return value, nil })
}

func (s *settings) ChangeSetting(_ context.Context, name string, change func(string) (string, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, err := change(s.values[name])
	if err == nil {
		s.values[name] = v
		s.writes++
	}
	return err
}

// costly is a model whose answers cost 100 tokens.
type costly struct{}

func (costly) Info() llm.Info { return llm.Info{Provider: "stand-in", Model: "m"} }

func (costly) Complete(context.Context, llm.Request) (llm.Reply, error) {
	return llm.Reply{Text: "tea", Usage: llm.Usage{Total: 100, Requests: 1}}, nil
}

func (c costly) Stream(ctx context.Context, req llm.Request, _ func(llm.Delta) error) (llm.Reply, error) {
	return c.Complete(ctx, req)
}

// T-18: the budget of a day is that of all who share a store, and a restart does not give it back.
func TestSpending(t *testing.T) {
	t.Parallel()
	kept := &settings{values: map[string]string{}}
	now := time.Date(2026, 3, 14, 23, 0, 0, 0, time.UTC)
	type node struct {
		m    *llm.Budgeted
		book *lifecycle.Spending
	}
	start := func() node {
		m := llm.Budget(costly{}, llm.Limits{TokensPerDay: 502}, func() time.Time { return now })
		n := node{m, lifecycle.NewSpending(kept, llm.Retry(m, llm.RetryPolicy{}))}
		settle(t, n.book)
		return n
	}
	ask := func(n node) error {
		_, err := n.m.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Content: "What?"}}})
		return err
	}
	a, b := start(), start()
	for range 2 {
		for _, n := range []node{a, b} {
			if err := ask(n); err != nil {
				t.Fatal(err)
			}
		}
		settle(t, a.book, b.book, a.book)
		if a.m.Spent() != b.m.Spent() {
			t.Errorf("%+v and %+v", a.m.Spent(), b.m.Spent())
		}
	}
	if kept.writes != 4 {
		t.Errorf("%d writes", kept.writes)
	}
	settle(t, a.book, b.book)
	c := start() // after a restart
	if s := c.m.Spent(); s.Tokens != 400 || s.Requests != 4 || kept.writes != 4 {
		t.Errorf("%+v, %d writes", s, kept.writes)
	}
	if err := ask(c); err != nil {
		t.Fatal(err)
	}
	settle(t, c.book, a.book)
	if err := ask(a); err == nil {
		t.Error("the sixth hundred was admitted")
	}
	now = now.Add(90 * time.Minute)
	settle(t, a.book, b.book)
	if err := ask(a); err != nil || a.m.Spent().Tokens != 100 {
		t.Errorf("the next day: %v, %+v", err, a.m.Spent())
	}
	settle(t, a.book, b.book)
	if b.m.Spent().Tokens != 100 {
		t.Errorf("the next day elsewhere: %+v", b.m.Spent())
	}
	if lifecycle.NewSpending(kept, costly{}) != nil {
		t.Error("a model without a budget has a book")
	}
	kept.values["llm.spent"] = "{" // nobody can read it: what this process knows is written anew
	if err := ask(a); err != nil {
		t.Fatal(err)
	}
	settle(t, a.book)
	if kept.values["llm.spent"] != `{"day":"2026-03-15","tokens":100,"requests":1}` {
		t.Errorf("kept %s", kept.values["llm.spent"])
	}
}

func settle(t *testing.T, books ...*lifecycle.Spending) {
	t.Helper()
	for _, b := range books {
		if err := b.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
