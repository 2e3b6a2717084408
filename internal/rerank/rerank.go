// Package rerank judges how well texts answer a query. It is a port: the interface, the error contract, and the parts that
// its drivers share (one HTTP exchange, batches, one budget of time for all of it, a circuit breaker). The drivers are tei
// and cohere; only the engine names them.
//
// A reranker reads query and text together, which finds what vectors and words alone miss, and costs a model's run for
// every text. It is therefore asked for the best few of a search only, and a search never depends on it: whoever calls goes
// on with the order that it had when Rerank fails.
//
// # Errors
//
// Drivers return [lukasa.Error]. Unavailable, timeout, limited and external mean: the same call may succeed later; invalid
// means: it never will. An error that wraps [ErrRefused] is external too, but needs a person. No error quotes a key.
package rerank

import (
	"context"
	"errors"
	"time"

	"github.com/lukasa-memory/lukasa"
)

// MaxTexts is the most texts of one call (M-9).
const MaxTexts = 100

// DefaultBudget is how long one call may take in all, its second try included: a search waits no longer.
const DefaultBudget = 800 * time.Millisecond

// ErrRefused says that the server does not accept the configuration: key, model or address. It comes wrapped in a
// [lukasa.Error] of code external.
var ErrRefused = errors.New("refused by the rerank server")

// Info describes a reranker.
type Info struct {
	Model string // the model's name, for people
}

// Reranker scores texts. Implementations are safe for concurrent use.
type Reranker interface {
	// Info describes the reranker; it never changes.
	Info() Info

	// Rerank returns one score per text, in the order of texts: finite, higher is better, of any scale. Only scores of one
	// call compare with each other. A blank text gets the lowest score of the call. More than [MaxTexts] texts, or a blank
	// query, are invalid. When err is not nil there are no scores; a cancelled ctx gives an error that wraps ctx.Err().
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// Retryable reports whether the same call may succeed later without anybody changing anything.
func Retryable(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, ErrRefused) {
		return false
	}
	var e *lukasa.Error
	return errors.As(err, &e) && e.Retryable()
}
