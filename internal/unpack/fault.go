package unpack

import (
	"errors"
	"fmt"
)

// Fault says why a file could not be read, and what a person can do about it. It has the shape of what extractors report, so
// that one converts into the other.
type Fault struct {
	Reason string
	Hint   string
	Err    error
}

func (f *Fault) Error() string {
	if f.Err != nil {
		return f.Reason + ": " + f.Err.Error()
	}
	return f.Reason
}

// Unwrap returns what was wrong underneath.
func (f *Fault) Unwrap() error { return f.Err }

const reasonDamaged = "the file is damaged"

// What is wrong with a file underneath; test with errors.Is.
var (
	ErrMissing = errors.New("a part is missing")
	ErrBudget  = errors.New("too much data")
	ErrEntity  = errors.New("the XML declares entities of its own")
	ErrDepth   = fmt.Errorf("the XML nests deeper than %d elements", MostDepth)
	ErrToken   = fmt.Errorf("the XML holds a tag or text of more than %d bytes", MostToken)
)

// Damaged says that a file cannot be read. An error that is a Fault already stays what it is.
func Damaged(err error) error {
	if known, ok := errors.AsType[*Fault](err); ok {
		return known
	}
	return &Fault{Reason: reasonDamaged, Hint: "open it in the program that made it and save it again, or fetch it anew", Err: err}
}

// IsDamaged reports a fault that Damaged made.
func IsDamaged(err error) bool {
	known, ok := errors.AsType[*Fault](err)
	return ok && known.Reason == reasonDamaged
}

// Locked says that a file is encrypted.
func Locked(what string) error {
	return &Fault{
		Reason: "the " + what + " is encrypted with a password",
		Hint: "open it, remove the password (in Word and Excel: File, Info, Protect; in LibreOffice: Save As without a password), " +
			"save it and add it again",
	}
}

// Bomb says that a file is more than it pretends to be.
func Bomb(err error) error {
	return &Fault{
		Reason: "the file unpacks to far more than its size allows",
		Hint:   "if it is no trap, split it into smaller files, or save it as CSV or PDF", Err: err,
	}
}

// Forgive drops the error of a part that a document can do without: it is missing or damaged. What is hostile, and the end of
// a context, stay errors.
func Forgive(err error) error {
	if err == nil || errors.Is(err, ErrMissing) || IsDamaged(err) {
		return nil
	}
	return err
}
