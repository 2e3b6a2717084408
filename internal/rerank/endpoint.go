package rerank

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

// maxAnswer holds a hundred of the longest texts, which some servers send back, and their scores.
const maxAnswer = 16 << 20

// Endpoint speaks JSON with one rerank server: a [wire.Endpoint] whose failures have the codes that the package comment
// promises.
type Endpoint struct {
	wire *wire.Endpoint
}

// EndpointOptions are what a driver needs to know about a server. Only Base is required.
type EndpointOptions struct {
	Base    string        // address, with the path that all calls share
	Key     string        // sent as "Authorization: Bearer <key>"; none when empty
	Timeout time.Duration // for one exchange; 0: DefaultBudget
	Client  *http.Client  // its transport is used; nil: one of our own
}

// NewEndpoint checks the address.
func NewEndpoint(o EndpointOptions) (*Endpoint, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultBudget
	}
	e, err := wire.NewEndpoint(wire.Options{
		Server: "rerank server", Base: o.Base, Key: o.Key, Timeout: o.Timeout, MaxAnswer: maxAnswer, Client: o.Client,
	})
	if err != nil {
		return nil, lukasa.Invalid("url", "%v", err)
	}
	return &Endpoint{wire: e}, nil
}

// Post sends in as JSON to path below the base address and decodes the answer into out.
func (e *Endpoint) Post(ctx context.Context, path string, in, out any) error {
	return fromWire(e.wire.Post(ctx, path, in, out))
}

// fromWire gives a failed exchange its code. Other errors stay as they are.
func fromWire(err error) error {
	var w *wire.Error
	if !errors.As(err, &w) {
		return err
	}
	out := &lukasa.Error{Code: lukasa.CodeExternal, Msg: w.Msg, Hint: w.Hint, RetryAfter: w.RetryAfter, Err: w.Err}
	switch w.Kind {
	case wire.Invalid:
		out.Code = lukasa.CodeInvalid
	case wire.Refused:
		out.Err = ErrRefused
	case wire.Limited:
		out.Code = lukasa.CodeLimited
	case wire.Timeout:
		out.Code = lukasa.CodeTimeout
	case wire.Unavailable:
		out.Code = lukasa.CodeUnavailable
	}
	return out
}
