// Package embed turns texts into vectors. It is a port: the interfaces, the error contract, the parts that every remote
// driver shares (one HTTP exchange, batching, checking, normalising) and two decorators, [Retry] and [Cached]. The
// drivers are builtin, openai, tei and ollama; only the engine names them.
//
// Vectors of one [Space] compare with each other and with nothing else. A space carries its own thresholds and weights,
// because a cosine of 0.3 means "related" to one model and "unrelated" to another.
//
// # Errors
//
// Drivers return [lukasa.Error]. Unavailable, timeout, limited (with RetryAfter) and external mean: the same call may
// succeed later; invalid means: this text or request never will. An error that wraps [ErrDimension] or [ErrRefused] is
// external too, but needs a person: the configuration does not fit the server. [Retryable] tells the two apart.
package embed

import (
	"context"
	"errors"
	"fmt"

	"github.com/lukasa-memory/lukasa"
)

// Space identifies one embedding space. Two spaces are never mixed: whoever stores a vector stores Space.ID with it.
type Space struct {
	ID      string // stable fingerprint of model and options, such as "builtin:lukasa-embed-256-q4:f2c6fd9d"
	Model   string // the model's name, for people
	Dim     int    // length of every vector; 0 while a remote driver has not learned it (see [Prober])
	Local   bool   // no network: cheap enough to call inline
	Profile Profile
}

// Profile holds the thresholds and weights of one space.
type Profile struct {
	Related      float32 // cosine above which a pair is probably related
	Near         float32 // cosine above which a pair says very nearly the same
	VectorWeight float32 // share of the vector side in weighted min-max fusion with the text side, 0..1
	MaxTokens    int     // longest text that the model reads, in its own tokens; 0: no limit, or not known
	InlineTokens int     // of a local model: how many tokens of a request are embedded before it is answered
}

// Embedder makes vectors. Implementations are safe for concurrent use.
type Embedder interface {
	// Space describes the vectors. Only Dim may change between calls, once, from 0 to the learned dimension.
	Space() Space

	// Embed returns one vector per text, in the order of texts, each of length Space().Dim and of L2 norm 1. A text that
	// has nothing to embed (blank, or no token that the model reads) gives a zero vector. Texts that are too long are cut.
	//
	// When err is not nil the slice is nil, or it has len(texts) entries of which those that are not nil are good: a
	// caller may keep them and ask again for the rest. A cancelled ctx gives an error that wraps ctx.Err().
	Embed(ctx context.Context, texts []string) ([][]float32, error)

	// CountTokens returns the number of tokens in text: exact for local models, an estimate for remote ones (see
	// [EstimateTokens]).
	CountTokens(text string) int
}

// QueryEmbedder is a role of embedders whose model wants a question marked as such. Use [EmbedQuery] to call it.
type QueryEmbedder interface {
	// EmbedQuery is Embed for one search query.
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// Vocabulary is a role of models whose words are known.
type Vocabulary interface {
	// KnowsWord reports whether a word is spelt as the model knows it.
	KnowsWord(word string) bool
}

// HealthChecker is a role of remote drivers.
type HealthChecker interface {
	// Health returns nil when the server answers and is ready. It makes one small request that embeds nothing.
	Health(ctx context.Context) error
}

// Prober is a role of remote drivers, which may not know their dimension before the first answer.
type Prober interface {
	// Probe returns the space with its dimension, asking the server if need be.
	Probe(ctx context.Context) (Space, error)
}

// Unwrapper is implemented by decorators.
type Unwrapper interface {
	// Unwrap returns the decorated embedder.
	Unwrap() Embedder
}

// Errors that need a person; both come wrapped in a [lukasa.Error] of code external.
var (
	// ErrDimension says that a vector has another length than the space.
	ErrDimension = errors.New("wrong dimension")
	// ErrRefused says that the server does not accept the configuration: key, model or address.
	ErrRefused = errors.New("refused by the embedding server")
)

// As finds a role in e or in what e decorates.
func As[T any](e Embedder) (T, bool) {
	for e != nil {
		if t, ok := e.(T); ok {
			return t, true
		}
		u, ok := e.(Unwrapper)
		if !ok {
			break
		}
		e = u.Unwrap()
	}
	var zero T
	return zero, false
}

// EmbedQuery embeds one search query, as a query where e knows the difference.
func EmbedQuery(ctx context.Context, e Embedder, text string) ([]float32, error) { //nolint:revive // Query alone would name a question
	if q, ok := e.(QueryEmbedder); ok {
		return q.EmbedQuery(ctx, text)
	}
	v, err := e.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// Probe returns e's space with its dimension, asking the server if e does not know it yet.
func Probe(ctx context.Context, e Embedder) (Space, error) {
	if s := e.Space(); s.Dim > 0 {
		return s, nil
	}
	if p, ok := As[Prober](e); ok {
		return p.Probe(ctx)
	}
	return e.Space(), fmt.Errorf("probe %s: dimension not known", e.Space().ID)
}

// Retryable reports whether the same call may succeed later without anybody changing anything.
func Retryable(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, ErrDimension) || errors.Is(err, ErrRefused) {
		return false
	}
	var e *lukasa.Error
	return errors.As(err, &e) && e.Retryable()
}
