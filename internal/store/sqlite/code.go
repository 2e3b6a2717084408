package sqlite

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// Result codes of SQLite (https://sqlite.org/rescode.html); the low byte tells the kind.
const (
	CodeBusy       = 5
	CodeLocked     = 6
	CodeNoMem      = 7
	CodeReadOnly   = 8
	CodeInterrupt  = 9
	CodeIOErr      = 10
	CodeCorrupt    = 11
	CodeFull       = 13
	CodeCantOpen   = 14
	CodeTooBig     = 18
	CodeConstraint = 19
	CodeNotADB     = 26

	CodeShmSize = CodeIOErr | 19<<8 // no room for the file that connections share: the disk is full
	CodeInPage  = CodeIOErr | 34<<8 // the disk does not give what is at a mapped place
)

// Code returns the extended result code in err's chain, 0 if there is none.
func Code(err error) int {
	if e, ok := errors.AsType[*sqliteError](err); ok {
		return e.code
	}
	return 0
}

// Busy reports whether err says that another connection holds the file.
func Busy(err error) bool {
	c := Code(err) & 0xff
	return c == CodeBusy || c == CodeLocked
}

// Broken reports whether a connection had better not be used again after err.
func Broken(err error) bool {
	switch Code(err) & 0xff {
	case CodeIOErr, CodeCorrupt, CodeNotADB, CodeNoMem:
		return true
	}
	return false
}

// UntilFree calls try until it no longer finds the file locked, or limit is over. It asks often at first: the lock of
// another process is mostly held for a few milliseconds.
func UntilFree(ctx context.Context, limit time.Duration, try func() error) error {
	start := time.Now()
	for wait := 250 * time.Microsecond; ; wait = min(2*wait, 8*time.Millisecond) {
		err := try()
		if err == nil || !Busy(err) || time.Since(start) > limit {
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
