// Package wire makes one HTTP exchange with another system: limits, errors, retries.
//
// [Endpoint] sends JSON and reads a JSON answer, a stream of server-sent events or a stream of JSON lines, within limits of
// time and size. [Retrier] makes the tries of one call, with growing waits and a circuit breaker. Neither knows what is
// sent: the packages that speak with remote models (embed, llm) add their own text and error codes.
//
// Every failure of an exchange is an [*Error] with a [Kind], except that the caller's own cancellation comes through as
// an error that wraps ctx.Err(). No error quotes a key.
package wire

import (
	"errors"
	"net/http"
	"time"
)

// Kind says what a failure means for the one who called.
type Kind int

// The kinds.
const (
	Invalid     Kind = iota + 1 // this request will never succeed
	Refused                     // the server does not accept the configuration: key, model or address
	Limited                     // too many requests; RetryAfter may say when
	Timeout                     // no answer in time
	Unavailable                 // no answer, half an answer, or the server says that it cannot
	Broken                      // an answer that is not what was expected
)

// Error is a failed exchange. Msg and Hint are for people; Err is the cause, nil when the server's answer is the cause.
type Error struct {
	Kind       Kind
	Status     int // of the answer; 0: there was none, or it came with status 200
	Msg        string
	Hint       string
	RetryAfter time.Duration
	Err        error
}

// ErrOpen says that the circuit breaker is open: the server failed too often and is left alone.
var ErrOpen = errors.New("circuit breaker is open")

// Error returns the message with its cause.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Msg + ": " + e.Err.Error()
	}
	return e.Msg
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns what an HTTP status other than 200 means.
func KindOf(status int) Kind {
	switch {
	case status == http.StatusTooManyRequests:
		return Limited
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return Timeout
	case status < 400, status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden,
		status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented:
		return Refused
	case status >= 500, status == http.StatusFailedDependency, status == http.StatusTooEarly: // 424 is TEI's "inference failed"
		return Unavailable
	}
	return Invalid
}

// hint says what to do about a status, "" where nothing can be done.
func hint(status int, server string) string {
	switch {
	case KindOf(status) != Refused:
		return ""
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "check the key of the " + server
	case status == http.StatusPaymentRequired:
		return "check the account of the " + server
	case status == http.StatusNotFound:
		return "check the address of the " + server + " and the name of the model"
	}
	return "check the address of the " + server
}
