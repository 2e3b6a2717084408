package lukasa

import (
	"errors"
	"fmt"
	"time"
)

// Code classifies an error for machines. Codes are append-only: doors map each to a status, a category and an exit code.
type Code string

// The codes.
const (
	CodeInvalid         Code = "invalid"         // malformed, or a rule is broken
	CodeUnknownField    Code = "unknown_field"   // a field that the request does not have
	CodeUnauthenticated Code = "unauthenticated" // no credential, or one that is not known
	CodeForbidden       Code = "forbidden"       // the record may be seen, the act is not allowed
	CodeNotFound        Code = "not_found"       // absent, or not to be seen: the two look the same
	CodeConflict        Code = "conflict"        // contradicts what is there
	CodeTooLarge        Code = "too_large"       // over a size limit
	CodeUnsupported     Code = "unsupported"     // a content type that cannot be read
	CodeLimited         Code = "limited"         // too many requests; RetryAfter says when
	CodeTimeout         Code = "timeout"         // the request's time is up
	CodeStorage         Code = "storage"         // the store refuses writes: disk full, read-only
	CodeUnavailable     Code = "unavailable"     // something needed is away; trying again may help
	CodeExternal        Code = "external"        // another system answered wrongly
	CodeInternal        Code = "internal"        // a fault of ours; its text is never shown
)

// Error is the one error type that crosses rooms. Msg is for people, Hint says what to do about it, Field names the part
// of the request at fault. Err is the cause, logged and never shown.
type Error struct {
	Code       Code
	Field      string
	Msg        string
	Hint       string
	RetryAfter time.Duration
	Err        error
}

// Error returns the message with the field and the cause, for logs.
func (e *Error) Error() string {
	s := e.Msg
	if e.Field != "" {
		s = e.Field + ": " + s
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same call may succeed later.
func (e *Error) Retryable() bool {
	switch e.Code {
	case CodeLimited, CodeTimeout, CodeStorage, CodeUnavailable, CodeExternal:
		return true
	}
	return false
}

// Errorf makes an [Error] with a code and a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Msg: fmt.Sprintf(format, args...)}
}

// Invalid makes an [Error] of [CodeInvalid] that names the field at fault.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: CodeInvalid, Field: field, Msg: fmt.Sprintf(format, args...)}
}

// NotFound makes the one error that stands for both absent and unseen records.
func NotFound(what string, id any) *Error {
	return &Error{Code: CodeNotFound, Msg: fmt.Sprintf("no %s %v", what, id)}
}

// CodeOf returns the code of the first [Error] in err's chain, [CodeInternal] for any other error and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}
