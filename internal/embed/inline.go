package embed

import (
	"context"
	"sync/atomic"
)

// Allowance bounds the work of embedding that one request waits for. What goes beyond it is left to a job. It is safe for
// concurrent use.
type Allowance struct {
	embedder Embedder
	tokens   atomic.Int64 // estimated tokens that are left
}

// NewAllowance returns the allowance of one request: Profile.InlineTokens tokens of a local model, and none of a remote one.
func NewAllowance(e Embedder) *Allowance {
	a := &Allowance{embedder: e}
	if s := e.Space(); s.Local {
		a.tokens.Store(int64(s.Profile.InlineTokens))
	}
	return a
}

// Embed embeds the first of the texts that the allowance reaches for. The others, and those that failed, are nil.
func (a *Allowance) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	n := 0
	for n < len(texts) && a.take(EstimateTokens(texts[n])) {
		n++
	}
	if n == 0 {
		return out, nil
	}
	vectors, err := a.embedder.Embed(ctx, texts[:n])
	copy(out, vectors)
	return out, err
}

// take reports whether so many tokens were left, and takes them.
func (a *Allowance) take(tokens int) bool {
	if a.tokens.Add(-int64(tokens)) >= 0 {
		return true
	}
	a.tokens.Add(int64(tokens))
	return false
}
