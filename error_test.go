package lukasa_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/lukasa-memory/lukasa"
)

func TestCodeOf(t *testing.T) {
	t.Parallel()
	limited := lukasa.Errorf(lukasa.CodeLimited, "too many: %d", 7)
	for _, c := range []struct {
		err  error
		want lukasa.Code
	}{
		{nil, ""},
		{limited, lukasa.CodeLimited},
		{fmt.Errorf("search: %w", limited), lukasa.CodeLimited},
		{&lukasa.Error{Code: lukasa.CodeInvalid, Err: limited}, lukasa.CodeInvalid}, // the outermost speaks
		{errors.Join(errors.New("other"), limited), lukasa.CodeLimited},
		{lukasa.Invalid("title", "is %d long", 9), lukasa.CodeInvalid},
		{lukasa.NotFound("document", "doc_1"), lukasa.CodeNotFound},
		{fs.ErrNotExist, lukasa.CodeInternal},
		{context.Canceled, lukasa.CodeInternal},
	} {
		if got := lukasa.CodeOf(c.err); got != c.want {
			t.Errorf("%v: got %q, want %q", c.err, got, c.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  *lukasa.Error
		want string
	}{
		{lukasa.Errorf(lukasa.CodeLimited, "too many: %d", 7), "too many: 7"},
		{lukasa.Invalid("title", "is %d long", 9), "title: is 9 long"},
		{lukasa.NotFound("document", lukasa.ID("doc_1")), "no document doc_1"},
		{&lukasa.Error{Field: "url", Msg: "cannot be read", Hint: "try later", Err: fs.ErrNotExist}, "url: cannot be read: file does not exist"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	if err := error(&lukasa.Error{Msg: "cannot be read", Err: fs.ErrNotExist}); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
}

func TestRetryable(t *testing.T) {
	t.Parallel()
	for code, want := range map[lukasa.Code]bool{
		lukasa.CodeInvalid: false, lukasa.CodeUnknownField: false, lukasa.CodeUnauthenticated: false, lukasa.CodeForbidden: false,
		lukasa.CodeNotFound: false, lukasa.CodeConflict: false, lukasa.CodeTooLarge: false, lukasa.CodeUnsupported: false,
		lukasa.CodeLimited: true, lukasa.CodeTimeout: true, lukasa.CodeStorage: true, lukasa.CodeUnavailable: true,
		lukasa.CodeExternal: true, lukasa.CodeInternal: false,
	} {
		if got := (&lukasa.Error{Code: code}).Retryable(); got != want {
			t.Errorf("%s is retryable: %v", code, got)
		}
	}
}
