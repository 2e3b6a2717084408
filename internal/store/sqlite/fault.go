package sqlite

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"modernc.org/sqlite"

	"github.com/lukasa-memory/lukasa"
)

// Result codes of SQLite (https://sqlite.org/rescode.html); the low byte tells the kind.
const (
	codeBusy       = 5
	codeLocked     = 6
	codeNoMem      = 7
	codeReadOnly   = 8
	codeInterrupt  = 9
	codeIOErr      = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeCantOpen   = 14
	codeTooBig     = 18
	codeConstraint = 19
	codeNotADB     = 26
)

// sqliteCode returns the extended result code in err's chain, 0 if there is none.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

func isBusy(err error) bool {
	c := sqliteCode(err) & 0xff
	return c == codeBusy || c == codeLocked
}

// broken reports whether a connection had better not be used again after err.
func broken(err error) bool {
	switch sqliteCode(err) & 0xff {
	case codeIOErr, codeCorrupt, codeNotADB, codeNoMem:
		return true
	}
	return false
}

// fault turns errors of SQLite and of contexts into the product's; others are returned as they are.
func fault(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*lukasa.Error](err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &lukasa.Error{Code: lukasa.CodeTimeout, Msg: "the request's time is up", Err: err}
	}
	e := &lukasa.Error{Err: err}
	switch sqliteCode(err) & 0xff {
	case 0:
		return err
	case codeFull:
		e.Code, e.Msg = lukasa.CodeStorage, "the disk is full"
		e.Hint = "free some space; reading goes on meanwhile"
	case codeReadOnly:
		e.Code, e.Msg = lukasa.CodeStorage, "the store is read-only"
		e.Hint = "make the data directory and the store's file writable"
	case codeIOErr:
		e.Code, e.Msg = lukasa.CodeStorage, "the disk refused"
		e.Hint = "look at the free space and the health of the disk; reading goes on where it can"
	case codeCantOpen:
		e.Code, e.Msg = lukasa.CodeStorage, "the store's file cannot be opened"
		e.Hint = "the data directory must exist and be writable"
	case codeCorrupt, codeNotADB:
		e.Code, e.Msg = lukasa.CodeStorage, "the store's file is damaged"
		e.Hint = "run `lukasa doctor`, or go back to a backup"
	case codeBusy, codeLocked:
		e.Code, e.Msg = lukasa.CodeUnavailable, "another process holds the store"
		e.Hint = "try again; if it stays so, look for a process that hangs"
	case codeTooBig:
		e.Code, e.Msg = lukasa.CodeTooLarge, "the record is too large for the store"
	case codeConstraint:
		e.Code, e.Msg = lukasa.CodeConflict, "the record contradicts one that is there"
	case codeInterrupt:
		e.Code, e.Msg = lukasa.CodeTimeout, "the request's time is up"
	default:
		e.Code, e.Msg = lukasa.CodeInternal, "the store could not do it"
	}
	return e
}

func errClosed() error { return lukasa.Errorf(lukasa.CodeUnavailable, "the store is closed") }

// untilFree calls try until it no longer finds the file locked, or limit is over. It asks often at first: the lock of
// another process is mostly held for a few milliseconds.
func untilFree(ctx context.Context, limit time.Duration, try func() error) error {
	start := time.Now()
	for wait := 250 * time.Microsecond; ; wait = min(2*wait, 8*time.Millisecond) {
		err := try()
		if err == nil || !isBusy(err) || time.Since(start) > limit {
			return err
		}
		t := time.NewTimer(wait/2 + rand.N(wait))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
}
