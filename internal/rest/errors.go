package rest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/telemetry"
)

// Meaning is what an error code means on the wire.
type Meaning struct {
	Code     lukasa.Code
	Status   int
	Wire     string // the code in the answer
	Category string
	When     string
}

// Meanings is the one table of errors; docs/api/errors.md is made from it.
func Meanings() []Meaning {
	return []Meaning{
		{lukasa.CodeInvalid, 400, "VALIDATION_ERROR", "validation", "the request is malformed or breaks a rule"},
		{lukasa.CodeUnauthenticated, 401, "UNAUTHENTICATED", "auth", "no key was sent, or it is unknown, revoked or expired"},
		{lukasa.CodeForbidden, 403, "FORBIDDEN", "authz", "the record may be seen, the act is not allowed"},
		{lukasa.CodeNotFound, 404, "NOT_FOUND", "not_found", "the record is absent, or not to be seen: the two look the same"},
		{lukasa.CodeConflict, 409, "CONFLICT", "validation", "the request contradicts what is there"},
		{lukasa.CodeTooLarge, 413, "TOO_LARGE", "validation", "over a size limit"},
		{lukasa.CodeUnsupported, 415, "UNSUPPORTED_CONTENT", "validation", "a content type that cannot be read"},
		{lukasa.CodeUnknownField, 422, "UNKNOWN_FIELD", "validation", "a field that the request does not have"},
		{lukasa.CodeLimited, 429, "RATE_LIMITED", "rate_limit", "too many requests with this key; Retry-After says when to come back"},
		{lukasa.CodeInternal, 500, "INTERNAL_ERROR", "internal", "a fault of ours; the log has the request id"},
		{lukasa.CodeExternal, 502, "EXTERNAL_ERROR", "external", "another system answered wrongly"},
		{lukasa.CodeStorage, 503, "STORAGE_ERROR", "storage", "the store refuses writes: the disk is full or read-only"},
		{lukasa.CodeUnavailable, 503, "UNAVAILABLE", "external", "something needed is away"},
		{lukasa.CodeTimeout, 504, "TIMEOUT", "internal", "the request's time is up"},
	}
}

func meaning(c lukasa.Code) Meaning {
	var internal Meaning
	for _, m := range Meanings() {
		if m.Code == c {
			return m
		}
		if m.Code == lukasa.CodeInternal {
			internal = m
		}
	}
	return internal
}

// problem is the shape of every error answer.
type problem struct {
	Body problemBody `json:"error"`

	status     int
	retryAfter string
}

type problemBody struct {
	Code      string         `json:"code"`
	Message   string         `json:"message"`
	Category  string         `json:"category"`
	Details   map[string]any `json:"details"`
	Hint      string         `json:"hint,omitempty"`
	Retryable bool           `json:"retryable"`
	RequestID string         `json:"request_id"`
}

func (p *problem) Error() string  { return p.Body.Message }
func (p *problem) GetStatus() int { return p.status }

// GetHeaders tells a client when to come back.
func (p *problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retryAfter != "" {
		h.Set("Retry-After", p.retryAfter)
	}
	return h
}

// newProblem words an error. What is not a [lukasa.Error] is internal and its text is not shown.
func newProblem(requestID string, err error) *problem {
	var tooLong *http.MaxBytesError
	var e *lukasa.Error
	switch {
	case errors.As(err, &tooLong):
		e = &lukasa.Error{Code: lukasa.CodeTooLarge, Field: "body", Msg: "is over the limit of " + strconv.FormatInt(tooLong.Limit, 10) + " bytes"}
	case errors.Is(err, context.DeadlineExceeded):
		e = lukasa.Errorf(lukasa.CodeTimeout, "the request's time is up")
	case !errors.As(err, &e):
		e = lukasa.Errorf(lukasa.CodeInternal, "something went wrong on our side; the log has the details under this request id")
	}
	m := meaning(e.Code)
	p := &problem{status: m.Status, Body: problemBody{
		Code: m.Wire, Message: e.Msg, Category: m.Category, Details: map[string]any{}, Hint: e.Hint,
		Retryable: e.Retryable(), RequestID: requestID,
	}}
	if e.Field != "" {
		p.Body.Details["field"] = e.Field
		p.Body.Message = e.Field + ": " + e.Msg
	}
	if e.Code == lukasa.CodeInternal {
		p.Body.Message = "something went wrong on our side; the log has the details under this request id"
	}
	if e.RetryAfter > 0 {
		p.retryAfter = strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds())))
	} else if m.Status == http.StatusServiceUnavailable {
		p.retryAfter = "5"
	}
	return p
}

// fail words an engine error for huma; see [door.problem].
func (d *door) fail(ctx context.Context, err error) error { return d.problem(ctx, err) }

// problem words an engine error, logs what is our fault, and counts it.
func (d *door) problem(ctx context.Context, err error) *problem {
	p := newProblem(telemetry.Request(ctx), err)
	if p.status >= 500 {
		d.opt.Log.ErrorContext(ctx, "request failed", "err", err)
	}
	d.e.Metrics().Error(p.Body.Category, p.Body.Code)
	return p
}

// ownErrors gives huma's own errors our shape and status.
func ownErrors(ctx huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	p := fromHuma(telemetry.Request(ctx.Context()), m)
	ctx.SetHeader("Content-Type", "application/json")
	if _, w := humago.Unwrap(ctx); w != nil {
		if rec, ok := w.(*recorder); ok {
			rec.instead = p.status
		}
	}
	return p, nil
}

// fromHuma words what huma itself found wrong with a request. An unknown field is 422, anything else about the body 400.
func fromHuma(requestID string, m *huma.ErrorModel) *problem {
	e := &lukasa.Error{Code: lukasa.CodeInvalid, Msg: m.Detail}
	switch m.Status {
	case http.StatusRequestEntityTooLarge:
		e.Code, e.Field = lukasa.CodeTooLarge, "body"
	case http.StatusUnsupportedMediaType:
		e.Code, e.Field, e.Hint = lukasa.CodeUnsupported, "Content-Type", "send application/json"
	case http.StatusRequestTimeout:
		e.Code = lukasa.CodeTimeout
	case http.StatusInternalServerError:
		e.Code = lukasa.CodeInternal
	}
	// huma goes through the fields in no order, and the same mistake is to be answered alike
	slices.SortStableFunc(m.Errors, func(a, b *huma.ErrorDetail) int { return strings.Compare(a.Location, b.Location) })
	for _, x := range m.Errors {
		if strings.Contains(x.Message, "http: request body too large") {
			e.Code, e.Field, e.Msg = lukasa.CodeTooLarge, "body", "is over the size limit"
			break
		}
		e.Field, e.Msg = strings.TrimPrefix(strings.TrimPrefix(x.Location, "body."), "query."), x.Message
		switch x.Message {
		case "unexpected property":
			e.Code, e.Msg = lukasa.CodeUnknownField, "is not a field of this request"
		case "unknown query parameter":
			e.Code, e.Msg = lukasa.CodeUnknownField, "is not a parameter of this request"
		}
		if e.Code == lukasa.CodeUnknownField {
			break
		}
	}
	p := newProblem(requestID, e)
	if len(m.Errors) > 1 {
		p.Body.Details["errors"] = m.Errors
	}
	return p
}

// writeError answers with an error outside of huma.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	p := newProblem(telemetry.Request(r.Context()), err)
	maps.Copy(w.Header(), p.GetHeaders())
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="lukasa"`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.status)
	_ = json.NewEncoder(w).Encode(p)
}
