package pg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

var (
	// ErrAway says that the server could not be reached for as long as [Options].Patience lets a caller wait.
	ErrAway = errors.New("PostgreSQL cannot be reached")
	// ErrUnknown says that the connection broke while a transaction was being committed: it may have been, or not.
	ErrUnknown = errors.New("the connection to PostgreSQL broke while a write was being committed, which may have happened or not")
	// errRolledBack says that COMMIT was answered by ROLLBACK: a statement had failed, and whoever ran it passed over that.
	errRolledBack = errors.New("a statement of the transaction had failed")
)

// SQLSTATE codes, see appendix A of PostgreSQL's manual.
const (
	CodeSerialization = "40001"
	CodeDeadlock      = "40P01"
	CodeUnique        = "23505"
	CodeDiskFull      = "53100"
	CodeTooMany       = "53300"
	CodeReadOnly      = "25006"
	CodeCanceled      = "57014"
	CodePrivilege     = "42501"
	CodeRaised        = "P0001"

	codeShutdown   = "57P01"
	codeCrash      = "57P02"
	codeNotNow     = "57P03"
	codeIdleEnd    = "57P05"
	codeBadPlan    = "0A000" // "cached plan must not change result type", among others
	codeNoPrepared = "26000"
)

// Code returns the SQLSTATE of what the server refused, empty where the error is no answer of the server.
func Code(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// Detail returns the server's own words about an error, and the names of the table and the constraint that it concerns, if any.
func Detail(err error) (message, table, constraint string) {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Message, e.TableName, e.ConstraintName
	}
	return "", "", ""
}

// IsUnique reports whether a row is there already.
func IsUnique(err error) bool { return Code(err) == CodeUnique }

// IsConstraint reports whether a row contradicts a constraint of any kind, or a trigger refused it.
func IsConstraint(err error) bool {
	c := Code(err)
	return strings.HasPrefix(c, "23") || c == CodeRaised
}

// IsFull reports whether the server's disk, or the memory that it has for something, is full.
func IsFull(err error) bool { c := Code(err); return c == CodeDiskFull || c == "53200" || c == "53400" }

// IsReadOnly reports whether the server, or the transaction, takes no writes.
func IsReadOnly(err error) bool { return Code(err) == CodeReadOnly }

// IsDenied reports whether the role may not do that: by its privileges, or by the policy of a table.
func IsDenied(err error) bool { return Code(err) == CodePrivilege }

// IsRetry reports whether the transaction would succeed if it were run again from the start.
func IsRetry(err error) bool { return retryable(Code(err)) || errors.Is(err, errStale) }

// IsText reports whether a text or a JSON value is one that the server cannot keep or read.
func IsText(err error) bool {
	switch Code(err) {
	case "22021", "22P05":
		return true
	}
	return errors.Is(err, ErrText)
}

// IsTooLarge reports whether a value is larger than the server keeps, or than an index takes.
func IsTooLarge(err error) bool { return strings.HasPrefix(Code(err), "54") }

// IsAway reports whether the server cannot be reached now, or takes no more connections. It may help to wait.
func IsAway(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, ErrAway) {
		return true
	}
	switch c := Code(err); {
	case c == codeShutdown || c == codeCrash || c == codeNotNow || c == codeIdleEnd || c == CodeTooMany:
		return true
	case strings.HasPrefix(c, "08"):
		return true
	case c != "":
		return false
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, pgconn.ErrConnClosed) {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	_, ok := errors.AsType[*pgconn.ConnectError](err)
	return ok && !errors.Is(err, context.Canceled)
}

func retryable(code string) bool { return code == CodeSerialization || code == CodeDeadlock }

// errStale says that a prepared statement no longer fits the schema.
var errStale = errors.New("the schema has changed under a prepared statement")

// fault keeps what the server refused in mind, and says why a statement ended where its caller did not want to wait.
func (c *Conn) fault(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	code := Code(err)
	if code != "" {
		c.failed = code
	}
	if e := ctx.Err(); e != nil && (code == CodeCanceled || code == "" || c.raw.IsClosed()) {
		return fmt.Errorf("%w: %w", e, err)
	}
	if c.kept != nil && (code == codeNoPrepared || (code == codeBadPlan && strings.Contains(err.Error(), "cached plan"))) {
		c.kept.forget()
		c.failed = CodeSerialization // it is enough to run the transaction again
		return fmt.Errorf("%w: %w", errStale, err)
	}
	return err
}
