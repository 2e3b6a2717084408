package sqlite

import (
	"errors"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/lite"
	"github.com/lukasa-memory/lukasa/internal/store"
)

// fault turns errors of SQLite and of contexts into the product's; others are returned as they are.
func fault(err error) error { return store.Fault(err, driverFault) }

func driverFault(err error) error {
	if e, ok := errors.AsType[*lite.SchemaError](err); ok {
		return &lukasa.Error{Code: lukasa.CodeConflict, Msg: e.Error(), Hint: e.Hint()}
	}
	if errors.Is(err, lite.ErrClosed) {
		return lukasa.Errorf(lukasa.CodeUnavailable, "the store is closed")
	}
	e := &lukasa.Error{Err: err}
	switch lite.Code(err) & 0xff {
	case 0:
		return err
	case lite.CodeFull:
		e.Code, e.Msg = lukasa.CodeStorage, "the disk is full"
		e.Hint = "free some space; reading goes on meanwhile"
	case lite.CodeReadOnly:
		e.Code, e.Msg = lukasa.CodeStorage, "the store is read-only"
		e.Hint = "make the data directory and the store's file writable"
	case lite.CodeIOErr:
		e.Code, e.Msg = lukasa.CodeStorage, "the disk refused"
		e.Hint = "look at the free space and the health of the disk; reading goes on where it can"
	case lite.CodeCantOpen:
		e.Code, e.Msg = lukasa.CodeStorage, "the store's file cannot be opened"
		e.Hint = "the data directory must exist and be writable"
	case lite.CodeCorrupt, lite.CodeNotADB:
		e.Code, e.Msg = lukasa.CodeStorage, "the store's file is damaged"
		e.Hint = "run `lukasa doctor`, or go back to a backup"
	case lite.CodeBusy, lite.CodeLocked:
		e.Code, e.Msg = lukasa.CodeUnavailable, "another process holds the store"
		e.Hint = "try again; if it stays so, look for a process that hangs"
	case lite.CodeTooBig:
		e.Code, e.Msg = lukasa.CodeTooLarge, "the record is too large for the store"
	case lite.CodeConstraint:
		e.Code, e.Msg = lukasa.CodeConflict, "the record contradicts one that is there"
	case lite.CodeInterrupt:
		e.Code, e.Msg = lukasa.CodeTimeout, "the request's time is up"
	default:
		e.Code, e.Msg = lukasa.CodeInternal, "the store could not do it"
	}
	return e
}
