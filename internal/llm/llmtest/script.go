package llmtest

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/llm"
)

// Step is one answer of a scripted model.
type Step struct {
	Text   string
	Finish llm.FinishReason // "": llm.Stopped
	Usage  llm.Usage
	Err    error // instead of an answer; in a stream, after Text was handed on
}

// Scripted is a model that says what a test wants. It checks requests and answers as every driver does: an answer that does
// not fit the schema is asked for again, which takes the next step. Make it with [Script] or [Func].
type Scripted struct {
	*llm.Remote
	next func(ctx context.Context, n int, req llm.Request) Step

	mu    sync.Mutex
	asked []llm.Request
}

// Script returns a model that takes a step for every exchange. When they are used up it is unavailable.
func Script(steps ...Step) *Scripted {
	return Func(func(_ context.Context, n int, _ llm.Request) Step {
		if n < len(steps) {
			return steps[n]
		}
		return Step{Err: lukasa.Errorf(lukasa.CodeUnavailable, "the script has %d steps", len(steps))}
	})
}

// Func returns a model that asks f at every exchange; n counts them from 0. Calls may come at once.
func Func(f func(ctx context.Context, n int, req llm.Request) Step) *Scripted {
	s := &Scripted{next: f}
	r, err := llm.NewRemote(llm.RemoteOptions{
		Info: llm.Info{Provider: "script", Model: "scripted", ContextTokens: 8192},
		Call: func(ctx context.Context, req llm.Request, _ *llm.Schema) (llm.Reply, error) {
			step := s.step(ctx, req)
			out := step.reply()
			out.Text = step.Text
			return out, step.Err
		},
		Stream: func(ctx context.Context, req llm.Request, _ *llm.Schema, yield func(string) error) (llm.Reply, error) {
			step := s.step(ctx, req)
			for _, word := range strings.SplitAfter(step.Text, " ") {
				if err := yield(word); err != nil {
					return llm.Reply{}, err
				}
			}
			return step.reply(), step.Err
		},
		Health: func(context.Context) error { return nil },
	})
	if err != nil {
		panic(err) // a fault of this package
	}
	s.Remote = r
	return s
}

func (s *Scripted) step(ctx context.Context, req llm.Request) Step {
	s.mu.Lock()
	n := len(s.asked)
	s.asked = append(s.asked, req)
	s.mu.Unlock()
	return s.next(ctx, n, req)
}

// Asked returns the requests so far.
func (s *Scripted) Asked() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s Step) reply() llm.Reply {
	if s.Err != nil {
		return llm.Reply{Usage: s.Usage}
	}
	if s.Finish == "" {
		s.Finish = llm.Stopped
	}
	return llm.Reply{Usage: s.Usage, FinishReason: s.Finish}
}
