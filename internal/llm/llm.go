// Package llm turns a prompt into text or JSON, within a budget. It is a port: the interface, the error contract, the parts
// that every driver shares (checking what goes out and what comes back, one repair of malformed JSON) and two decorators,
// [Retry] and [Budget]. The drivers are openai, anthropic, gemini and ollama; only the engine names them.
//
// A model is optional in this house. Whoever calls one must be right without it: the answer may be missing, late or nonsense,
// and what it says is a proposal to be checked, never an instruction.
//
// # Errors
//
// Models return [lukasa.Error]. Unavailable, timeout, limited (with RetryAfter) and external mean: the same call may succeed
// later; invalid means: this request never will. Four kinds of external error are not worth another try, and
// [Retryable] tells them apart: [ErrRefused] needs a person, [ErrCut], [ErrDeclined] and [ErrMismatch] another question.
package llm

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/lukasa-memory/lukasa"
)

// Info describes a model.
type Info struct {
	Provider      string // the driver's name
	Model         string // the model's name, as the server knows it
	ContextTokens int    // what the model reads and writes in one exchange, in its own tokens; 0: not known
	MaxOutput     int    // the most that it writes; 0: not known
}

// Model asks a language model. Implementations are safe for concurrent use.
type Model interface {
	// Info describes the model. It does not change.
	Info() Info

	// Complete asks and waits for the whole answer. With a schema the answer fits it, or there is an error. When err is not
	// nil the Reply holds the Usage of what was spent, as far as it is known, and nothing else. A cancelled ctx gives an error
	// that wraps ctx.Err().
	Complete(ctx context.Context, req Request) (Reply, error)

	// Stream is Complete that hands on the answer as it is written. The deltas, joined, are Reply.Text; none is empty. An
	// error of yield ends the stream and is returned as it is. With a schema, the JSON is checked at the end and not repaired.
	Stream(ctx context.Context, req Request, yield func(Delta) error) (Reply, error)
}

// Role says who speaks.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of a conversation.
type Message struct {
	Role    Role
	Content string // never blank
}

// Picture is an image that a model is shown. Not every model can see; one that cannot refuses the request, or is blind without
// saying so.
type Picture struct {
	Type string // image/png, image/jpeg, image/gif or image/webp
	Data []byte
}

// Bounds of the pictures of one request, below those of all vendors.
const (
	MaxPictures     = 16
	MaxPictureBytes = 5 << 20 // of one picture
)

// Request is one question. Messages is required and ends with the user's turn.
type Request struct {
	System      string          // what the model should be; "": nothing
	Messages    []Message       // oldest first
	Pictures    []Picture       // shown with the last message
	Schema      json.RawMessage // a JSON Schema that the answer must fit (see [ParseSchema] for the subset); nil: free text
	MaxTokens   int             // the most to write; 0: the driver's default
	Temperature *float64        // 0..2; nil: the model's default. Some models accept none
	Stop        []string        // texts before which to stop, at most 4, none blank
}

// Delta is a piece of an answer.
type Delta struct {
	Text string
}

// Usage counts what an answer cost, in the model's own tokens. Zero tokens mean that the server did not say.
type Usage struct {
	Input    int
	Output   int // what the model thought to itself included
	Total    int
	Requests int // exchanges: 1, or 2 when malformed JSON was repaired
}

// Add returns the sum of two usages.
func (u Usage) Add(o Usage) Usage {
	return Usage{Input: u.Input + o.Input, Output: u.Output + o.Output, Total: u.Total + o.Total, Requests: u.Requests + o.Requests}
}

// FinishReason says why an answer ended.
type FinishReason string

// The reasons.
const (
	Stopped  FinishReason = "stop"     // the model was done, or met one of the stop texts
	Cut      FinishReason = "length"   // the limit of tokens was reached
	Declined FinishReason = "declined" // the model, or a filter, would not answer
)

// Reply is an answer.
type Reply struct {
	Text         string
	JSON         json.RawMessage // the answer as JSON that fits the schema; nil without a schema
	Usage        Usage
	FinishReason FinishReason
	Model        string // the model that answered, as the server calls it
}

// HealthChecker is a role of drivers.
type HealthChecker interface {
	// Health returns nil when the server answers and accepts the key. It makes one small request that costs no tokens.
	Health(ctx context.Context) error
}

// Unwrapper is implemented by decorators.
type Unwrapper interface {
	// Unwrap returns the decorated model.
	Unwrap() Model
}

// Errors that another try of the same call does not mend. All come wrapped in a [lukasa.Error] of code external.
var (
	// ErrRefused says that the server does not accept the configuration: key, account, model or address.
	ErrRefused = errors.New("refused by the model server")
	// ErrCut says that the answer reached the limit of tokens before it was of any use.
	ErrCut = errors.New("answer was cut at the limit of tokens")
	// ErrDeclined says that the model would not give the JSON that it was asked for.
	ErrDeclined = errors.New("model declined to answer")
	// ErrMismatch says that the answer was not JSON that fits the schema, and the repair was not either.
	ErrMismatch = errors.New("answer does not fit the schema")
)

// ErrBudget says that our own limits are used up, not the server's. It comes with code limited and RetryAfter.
var ErrBudget = errors.New("model budget is used up")

// As finds a role in m or in what m decorates.
func As[T any](m Model) (T, bool) {
	for m != nil {
		if t, ok := m.(T); ok {
			return t, true
		}
		u, ok := m.(Unwrapper)
		if !ok {
			break
		}
		m = u.Unwrap()
	}
	var zero T
	return zero, false
}

// Retryable reports whether the same call may succeed later without anybody changing anything.
func Retryable(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	for _, final := range []error{ErrRefused, ErrCut, ErrDeclined, ErrMismatch} {
		if errors.Is(err, final) {
			return false
		}
	}
	var e *lukasa.Error
	return errors.As(err, &e) && e.Retryable()
}
