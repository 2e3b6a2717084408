package sqlite

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// fault turns errors of SQLite and of contexts into the product's; others are returned as they are.
func fault(err error) error { return store.Fault(err, driverFault) }

// again is when to try again what the disk refused: it may have room by then. What is damaged stays so.
const again = 5 * time.Second

func driverFault(err error) error {
	if e, ok := errors.AsType[*SchemaError](err); ok {
		return &lukasa.Error{Code: lukasa.CodeConflict, Msg: e.Error(), Hint: e.Hint()}
	}
	if errors.Is(err, ErrClosed) {
		return lukasa.Errorf(lukasa.CodeUnavailable, "the store is closed")
	}
	e := &lukasa.Error{Err: err}
	code := Code(err)
	if code == CodeShmSize {
		code = CodeFull
	}
	switch code & 0xff {
	case 0:
		return err
	case CodeFull:
		e.Code, e.Msg = lukasa.CodeStorage, "the disk is full"
		e.Hint, e.RetryAfter = "free some space; reading goes on meanwhile", again
	case CodeReadOnly:
		e.Code, e.Msg = lukasa.CodeStorage, "the store is read-only"
		e.Hint, e.RetryAfter = "make the data directory and the store's file writable", again
	case CodeIOErr:
		e.Code, e.Msg = lukasa.CodeStorage, "the disk refused"
		e.Hint, e.RetryAfter = "look at the free space and the health of the disk; reading goes on where it can", again
	case CodeCantOpen:
		e.Code, e.Msg = lukasa.CodeStorage, "the store's file cannot be opened"
		e.Hint, e.RetryAfter = "the data directory must exist and be writable", again
	case CodeCorrupt, CodeNotADB:
		e.Code, e.Msg = lukasa.CodeStorage, "the store's file is damaged"
		e.Hint = "go back to a backup: put the damaged lukasa.db aside, with lukasa.db-wal and lukasa.db-shm, and the copy in its place; `sqlite3 lukasa.db .recover` saves what rows can be read"
	case CodeBusy, CodeLocked:
		e.Code, e.Msg = lukasa.CodeUnavailable, "another process holds the store"
		e.Hint = "try again; if it stays so, look for a process that hangs, or a server that was started on a full disk: it keeps the store to itself, and --server names it"
	case CodeTooBig:
		e.Code, e.Msg = lukasa.CodeTooLarge, "the record is too large for the store"
	case CodeConstraint:
		e.Code, e.Msg = lukasa.CodeConflict, "the record contradicts one that is there"
	case CodeInterrupt:
		e.Code, e.Msg = lukasa.CodeTimeout, "the request's time is up"
	default:
		e.Code, e.Msg = lukasa.CodeInternal, "the store could not do it"
	}
	return e
}

// unopened is a fault that keeps the store at path from being opened: nothing goes on meanwhile. SQLite does not say what keeps it from making the
// log beside the store: a disk that has no room for another file does.
func unopened(path string, err error) error {
	if Code(err)&0xff == CodeCantOpen {
		f, refused := os.OpenFile(path+"-wal", os.O_RDWR|os.O_CREATE, 0o600)
		if refused == nil {
			_ = f.Close() // nothing was written
		} else if errors.Is(refused, syscall.ENOSPC) || errors.Is(refused, syscall.EDQUOT) {
			return &lukasa.Error{Code: lukasa.CodeStorage, Msg: "the disk is full", Hint: noRoom, RetryAfter: again, Err: err}
		}
	}
	err = fault(err)
	if e, ok := errors.AsType[*lukasa.Error](err); ok && strings.Contains(e.Hint, "reading goes on") {
		e.Hint = noRoom
	}
	return err
}

const noRoom = "free some space: here a store cannot be opened without writing, not even to be read. What has it open reads on"
