package store

import (
	"context"
	"errors"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/sqlrows"
)

// Fault turns errors of statements and of contexts into the product's, and leaves the rest to the driver.
func Fault(err error, driver func(error) error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*lukasa.Error](err); ok {
		return err
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return &lukasa.Error{Code: lukasa.CodeTimeout, Msg: "the request's time is up", Err: err}
	case errors.Is(err, sqlrows.ErrJSON):
		return &lukasa.Error{Code: lukasa.CodeInvalid, Field: "metadata", Msg: "cannot be written as JSON", Err: err}
	case errors.Is(err, sqlrows.ErrCursor):
		return lukasa.Invalid("cursor", "is not one that this list gave out")
	}
	return driver(err)
}
