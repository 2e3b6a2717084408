package pdf

import (
	"context"
	"errors"
	"fmt"
)

// The kinds of object of a PDF (ISO 32000-1, 7.3), as the Go reader holds them: nil, bool, float64, str, name, array, dict,
// *stream and ref. Numbers are float64, which holds every integer that a file position or a code needs.
type (
	name  string
	str   string // the bytes of a string, decrypted
	array []any
	dict  map[name]any
	ref   struct{ num, gen int }
	op    string // an operator or keyword
)

// stream is a dictionary with bytes, still encoded. The bytes are a part of the file.
type stream struct {
	dict dict
	raw  []byte
	key  ref  // its number, for the cipher
	open bool // not encrypted by itself: it lay in an object stream
}

// Reasons for which a file is given up; test with errors.Is. ErrBudget and the error of the context end the whole reading, wherever they
// occur; what else is wrong with an object makes it null.
var (
	ErrBudget  = errors.New("the file asks for more work than is allowed")
	ErrLocked  = errors.New("the file needs a password")
	ErrCipher  = errors.New("the file is encrypted in a way that is not known here")
	ErrNoPages = errors.New("no pages were found")
	ErrNotPDF  = errors.New("the file has no header of a PDF")
)

// stop carries ErrBudget or the end of the context up through the parser; the entry recovers it.
type stop struct{ err error }

// budget bounds the work on one file, so that time and memory stay in proportion to what people have.
type budget struct {
	ctx     context.Context
	steps   int   // tokens, glyphs and objects that may still be looked at
	decoded int64 // bytes that streams may still decode to
	words   int   // that may still be kept
	tick    int
}

// step counts one piece of work, and looks at the clock every so often.
func (b *budget) step() {
	if b.steps--; b.steps < 0 {
		panic(stop{ErrBudget})
	}
	if b.tick++; b.tick&0xfff == 0 {
		if err := b.ctx.Err(); err != nil {
			panic(stop{err})
		}
	}
}

// take counts n decoded bytes.
func (b *budget) take(n int) {
	if b.decoded -= int64(n); b.decoded < 0 {
		panic(stop{ErrBudget})
	}
	if err := b.ctx.Err(); err != nil {
		panic(stop{err})
	}
}

// guard runs f and returns what made it stop. A fault of ours on odd input is an error too, not the end of the program.
func guard(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			err = r.err
		case error:
			err = fmt.Errorf("read damaged file: %w", r)
		default:
			err = fmt.Errorf("read damaged file: %v", r)
		}
	}()
	return f()
}

// integer returns a number as an int; 0 and false for what is none.
func integer(v any) (int, bool) {
	f, ok := v.(float64)
	if !ok || f != f || f > 1<<40 || f < -1<<40 {
		return 0, false
	}
	return int(f), true
}

// numbers returns the numbers of an array, or nil.
func (r *reader) numbers(v any) []float64 {
	a, ok := r.resolve(v).(array)
	if !ok {
		return nil
	}
	out := make([]float64, 0, len(a))
	for _, e := range a {
		f, ok := r.resolve(e).(float64)
		if !ok {
			return nil
		}
		out = append(out, f)
	}
	return out
}
