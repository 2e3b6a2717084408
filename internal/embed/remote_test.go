package embed_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/embed/embedtest"
)

// TestPrepareOnce: callers wait for the one that prepares, and one that gives up is let go.
func TestPrepareOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var prepared atomic.Int64
		r, err := embed.NewRemote(embed.RemoteOptions{
			Kind: "test", Model: "m",
			Prepare: func(context.Context) (embed.Limits, error) {
				prepared.Add(1)
				pass(10 * time.Second)
				return embed.Limits{}, nil
			},
			Call: func(_ context.Context, _ embed.Role, texts []string) ([][]float32, error) {
				return embedtest.Vectors(texts, 4), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			go func() {
				if _, err := r.Embed(t.Context(), []string{"tea"}); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := r.Embed(ctx, []string{"tea"}); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		pass(time.Minute)
		synctest.Wait()
		if got := prepared.Load(); got != 1 {
			t.Errorf("prepared %d times", got)
		}
	})
}

func TestNewRemoteRefuses(t *testing.T) {
	t.Parallel()
	call := func(context.Context, embed.Role, []string) ([][]float32, error) { return nil, nil }
	for name, o := range map[string]embed.RemoteOptions{
		"kind":      {Model: "m", Call: call},
		"call":      {Kind: "k", Model: "m"},
		"model":     {Kind: "k", Call: call},
		"dimension": {Kind: "k", Model: "m", Call: call, Dim: -1},
	} {
		if r, err := embed.NewRemote(o); err == nil || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

func TestProfileOf(t *testing.T) {
	t.Parallel()
	for model, tokens := range map[string]int{
		"text-embedding-3-large": 8191, "BAAI/bge-small-en-v1.5": 512, "BAAI/bge-m3": 8192, "sentence-transformers/all-MiniLM-L6-v2": 256,
		"nomic-embed-text": 8192, "intfloat/e5-base-v2": 512, "unheard-of": 512, "": 512,
	} {
		p := embed.ProfileOf(model)
		if p.MaxTokens != tokens || p.Related <= 0 || p.Near <= p.Related || p.Near >= 1 || p.VectorWeight != 0.6 {
			t.Errorf("%q: %+v", model, p)
		}
	}
}

func TestRetryable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("bug"), false},
		{context.Canceled, false},
		{coded(lukasa.CodeUnavailable, 0), true},
		{coded(lukasa.CodeInvalid, 0), false},
		{&lukasa.Error{Code: lukasa.CodeExternal, Err: embed.ErrDimension}, false},
		{&lukasa.Error{Code: lukasa.CodeExternal, Err: embed.ErrRefused}, false},
		{&lukasa.Error{Code: lukasa.CodeUnavailable, Err: context.Canceled}, false},
	} {
		if got := embed.Retryable(c.err); got != c.want {
			t.Errorf("Retryable(%v) = %v", c.err, got)
		}
	}
}
