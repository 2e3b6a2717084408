package api

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"strconv"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/telemetry"
)

// CodeMethod is an address that is there and does not take the method. Only HTTP knows such a thing.
const CodeMethod lukasa.Code = "method_not_allowed"

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
		{CodeMethod, 405, "METHOD_NOT_ALLOWED", "validation", "the address is there and does not take the method; Allow lists those that it takes"},
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

// Fault is the shape of every error answer.
type Fault struct {
	Body FaultBody `json:"error"`

	status     int
	retryAfter string
}

// FaultBody is what stands under error.
type FaultBody struct {
	Code      string         `json:"code"`
	Message   string         `json:"message"`
	Category  string         `json:"category"`
	Details   map[string]any `json:"details"`
	Hint      string         `json:"hint,omitempty"`
	Retryable bool           `json:"retryable"`
	RequestID string         `json:"request_id"`
}

func (p *Fault) Error() string { return p.Body.Message }

// GetStatus is the status of the answer.
func (p *Fault) GetStatus() int { return p.status }

// GetHeaders tells a client when to come back.
func (p *Fault) GetHeaders() http.Header {
	h := http.Header{}
	if p.retryAfter != "" {
		h.Set("Retry-After", p.retryAfter)
	}
	if p.status == http.StatusRequestEntityTooLarge { // the rest of the body is not read, and the next request cannot be told from it
		h.Set("Connection", "close")
	}
	return h
}

// NewFault words an error. What is not a [lukasa.Error] is internal and its text is not shown.
func NewFault(requestID string, err error) *Fault {
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
	p := &Fault{status: m.Status, Body: FaultBody{
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

// WriteError answers with an error.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	p := NewFault(telemetry.Request(r.Context()), err)
	maps.Copy(w.Header(), p.GetHeaders())
	if p.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="lukasa"`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.status)
	_ = json.NewEncoder(w).Encode(p)
}
