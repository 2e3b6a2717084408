package book_test

import (
	"context"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/book"
	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
)

// read extracts data with the kinds of this room before the built-in ones.
func read(ctx context.Context, in extract.Input) (extract.Output, error) {
	return extract.With(book.Kinds()...).Extract(ctx, in)
}

func TestGoldenFiles(t *testing.T) { // D-9, H-3
	t.Parallel()
	extracttest.Unnamed(t, book.Kinds(), 2, nil)
}
