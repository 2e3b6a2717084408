package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/wire"
)

const (
	// DefaultTimeout is how long a driver waits for an answer, or in a stream for the next piece of it.
	DefaultTimeout = 2 * time.Minute

	maxStops      = 4 // what OpenAI allows; others allow more
	maxRepairText = 16 << 10
)

// RemoteOptions describe a driver.
type RemoteOptions struct {
	Info Info // Provider and Model are required

	// Call makes one exchange. The request is checked, and schema is its parsed Schema, nil without one. It returns Text,
	// Usage (without Requests), FinishReason and Model.
	Call func(ctx context.Context, req Request, schema *Schema) (Reply, error)

	// Stream is Call that hands on each piece of text; an error of yield must end it. Reply.Text may stay empty. A stream
	// that ends without its proper end is [Unfinished].
	Stream func(ctx context.Context, req Request, schema *Schema, yield func(string) error) (Reply, error)

	// Health is the role of that name.
	Health func(ctx context.Context) error
}

// Remote makes a [Model] of one exchange. It checks requests before they go out, gives failures of the wire their codes, and
// checks answers: JSON against the schema, with one more exchange to repair what does not fit. Drivers embed it.
type Remote struct {
	o RemoteOptions
}

var (
	_ Model         = (*Remote)(nil)
	_ HealthChecker = (*Remote)(nil)
)

// NewRemote returns the model; all options are required.
func NewRemote(o RemoteOptions) (*Remote, error) {
	switch {
	case o.Info.Provider == "" || o.Call == nil || o.Stream == nil || o.Health == nil:
		return nil, errors.New("make remote model: provider or a function is missing")
	case strings.TrimSpace(o.Info.Model) == "":
		return nil, lukasa.Invalid("model", "%s needs the name of a model", o.Info.Provider)
	case o.Info.ContextTokens < 0 || o.Info.MaxOutput < 0:
		return nil, lukasa.Invalid("model", "the sizes of %s may not be negative", o.Info.Model)
	}
	return &Remote{o: o}, nil
}

// Dial makes a driver's endpoint: a [wire.Endpoint] with this port's timeout and its error for a bad address.
func Dial(o wire.Options) (*wire.Endpoint, error) {
	o.Server = "model server"
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	e, err := wire.NewEndpoint(o)
	if err != nil {
		return nil, lukasa.Invalid("url", "%v", err)
	}
	return e, nil
}

// Info implements [Model].
func (r *Remote) Info() Info { return r.o.Info }

// Health implements [HealthChecker].
func (r *Remote) Health(ctx context.Context) error {
	if err := r.o.Health(ctx); err != nil {
		return r.fail(err)
	}
	return nil
}

// Complete implements [Model].
func (r *Remote) Complete(ctx context.Context, req Request) (Reply, error) {
	req, schema, err := r.check(ctx, req)
	if err != nil {
		return Reply{}, r.fail(err)
	}
	out, err := r.call(ctx, req, schema)
	if bad, ok := errors.AsType[*mismatch](err); ok {
		spent := out.Usage
		out, err = r.call(ctx, bad.repair(req), schema)
		out.Usage = out.Usage.Add(spent)
	}
	if err != nil {
		return Reply{Usage: out.Usage}, r.fail(err)
	}
	return out, nil
}

func (r *Remote) call(ctx context.Context, req Request, schema *Schema) (Reply, error) {
	out, err := r.o.Call(ctx, req, schema)
	out.Usage.Requests = 1
	if err == nil {
		err = r.settle(&out, schema)
	}
	return out, err
}

// Stream implements [Model].
func (r *Remote) Stream(ctx context.Context, req Request, yield func(Delta) error) (Reply, error) {
	req, schema, err := r.check(ctx, req)
	if err != nil {
		return Reply{}, r.fail(err)
	}
	var text strings.Builder
	var stopped error
	out, err := r.o.Stream(ctx, req, schema, func(s string) error {
		if s = strings.ToValidUTF8(s, "\ufffd"); s == "" {
			return nil
		}
		text.WriteString(s)
		stopped = yield(Delta{Text: s})
		return stopped
	})
	out.Text, out.Usage.Requests = text.String(), 1
	if stopped != nil {
		return Reply{Usage: out.Usage}, stopped
	}
	if err == nil {
		err = r.settle(&out, schema)
	}
	if err != nil {
		return Reply{Usage: out.Usage}, r.fail(err)
	}
	return out, nil
}

// check cleans and checks a request before anything is sent.
func (r *Remote) check(ctx context.Context, req Request) (Request, *Schema, error) {
	if err := ctx.Err(); err != nil {
		return req, nil, err
	}
	if len(req.Messages) == 0 || req.Messages[len(req.Messages)-1].Role != User {
		return req, nil, lukasa.Invalid("messages", "must end with the user's turn")
	}
	req.System = clean(req.System)
	req.Messages = slices.Clone(req.Messages)
	for i, m := range req.Messages {
		if m.Role != User && m.Role != Assistant {
			return req, nil, lukasa.Invalid("messages", "message %d has the role %q", i, m.Role)
		}
		if req.Messages[i].Content = clean(m.Content); strings.TrimSpace(m.Content) == "" {
			return req, nil, lukasa.Invalid("messages", "message %d is blank", i)
		}
	}
	if err := checkPictures(req.Pictures); err != nil {
		return req, nil, err
	}
	if t := req.Temperature; t != nil && !(*t >= 0 && *t <= 2) {
		return req, nil, lukasa.Invalid("temperature", "%v is not from 0 to 2", *t)
	}
	if len(req.Stop) > maxStops || slices.ContainsFunc(req.Stop, func(s string) bool { return strings.TrimSpace(s) == "" }) {
		return req, nil, lukasa.Invalid("stop", "at most %d texts, none blank", maxStops)
	}
	if most := r.o.Info.MaxOutput; req.MaxTokens < 0 || most > 0 && req.MaxTokens > most {
		return req, nil, lukasa.Invalid("max_tokens", "%d is not from 0 to %d", req.MaxTokens, cmp.Or(most, math.MaxInt32))
	}
	if len(req.Schema) == 0 {
		return req, nil, nil
	}
	schema, err := ParseSchema(req.Schema)
	return req, schema, err
}

// checkPictures refuses what vendors do not take.
func checkPictures(pictures []Picture) error {
	if len(pictures) > MaxPictures {
		return lukasa.Invalid("pictures", "%d pictures, at most %d can be shown at once", len(pictures), MaxPictures)
	}
	for i, p := range pictures {
		switch {
		case p.Type != "image/png" && p.Type != "image/jpeg" && p.Type != "image/gif" && p.Type != "image/webp":
			return lukasa.Invalid("pictures", "picture %d is %q, and not PNG, JPEG, GIF or WebP", i, p.Type)
		case len(p.Data) == 0 || len(p.Data) > MaxPictureBytes:
			return lukasa.Invalid("pictures", "picture %d has %d bytes, from 1 to %d can be shown", i, len(p.Data), MaxPictureBytes)
		}
	}
	return nil
}

func clean(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// settle checks an answer and completes it.
func (r *Remote) settle(out *Reply, schema *Schema) error {
	out.Text = clean(out.Text)
	if out.Model == "" {
		out.Model = r.o.Info.Model
	}
	if out.Usage.Total == 0 {
		out.Usage.Total = out.Usage.Input + out.Usage.Output
	}
	blank := strings.TrimSpace(out.Text) == ""
	switch out.FinishReason {
	case Stopped:
	case Cut:
		if schema != nil || blank {
			return &lukasa.Error{
				Code: lukasa.CodeExternal, Msg: fmt.Sprintf("answer ended after %d tokens", out.Usage.Output),
				Hint: "ask for less at once, or allow more tokens", Err: ErrCut,
			}
		}
	case Declined:
		if schema != nil {
			return &lukasa.Error{Code: lukasa.CodeExternal, Msg: "no JSON", Err: ErrDeclined}
		}
		return nil
	default:
		return lukasa.Errorf(lukasa.CodeExternal, "answer ended for the reason %q", wire.Quote(string(out.FinishReason)))
	}
	if schema == nil {
		if blank {
			return lukasa.Errorf(lukasa.CodeExternal, "answer is empty")
		}
		return nil
	}
	doc := plainJSON(out.Text)
	if err := schema.Check(doc); err != nil {
		return &mismatch{text: out.Text, why: err}
	}
	out.JSON = json.RawMessage(doc)
	return nil
}

// mismatch is an answer that is not JSON of the schema.
type mismatch struct {
	text string
	why  error
}

// Error says why.
func (m *mismatch) Error() string { return m.why.Error() }

// repair returns the request that shows the model what was wrong. An empty answer is simply asked for again.
func (m *mismatch) repair(req Request) Request {
	if strings.TrimSpace(m.text) == "" {
		return req
	}
	text := m.text
	if len(text) > maxRepairText {
		text = strings.ToValidUTF8(text[:maxRepairText], "") + "…"
	}
	req.Messages = append(slices.Clip(req.Messages), Message{Role: Assistant, Content: text}, Message{
		Role: User,
		Content: "That answer cannot be used: " + m.why.Error() +
			". Give the whole answer again, as one JSON value that fits the schema, with nothing before or after it.",
	})
	return req
}

// fail says what was tried, and gives the failure its code.
func (r *Remote) fail(err error) error {
	if bad, ok := errors.AsType[*mismatch](err); ok {
		err = &lukasa.Error{Code: lukasa.CodeExternal, Msg: wire.Quote(bad.Error()), Err: ErrMismatch}
	}
	return fmt.Errorf("ask %s %s: %w", r.o.Info.Provider, r.o.Info.Model, FromWire(err))
}

// Unfinished is the error of a stream that ended without its proper end.
func Unfinished() error {
	return &wire.Error{Kind: wire.Unavailable, Msg: "answer broke off"}
}

// FromWire gives a failed exchange its code. Other errors stay as they are.
func FromWire(err error) error {
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
