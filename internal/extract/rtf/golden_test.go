package rtf_test

import (
	"context"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
	"github.com/lukasa-memory/lukasa/internal/extract/rtf"
)

// read extracts data with the kinds of this room before the built-in ones.
func read(ctx context.Context, in extract.Input) (extract.Output, error) {
	return extract.With(rtf.Kinds()...).Extract(ctx, in)
}

func TestGoldenFiles(t *testing.T) { // D-9, H-3
	t.Parallel()
	extracttest.Unnamed(t, rtf.Kinds(), 2, nil)
}
