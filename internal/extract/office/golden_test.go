package office_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
	"github.com/lukasa-memory/lukasa/internal/extract/office"
)

// read extracts data with the kinds of this room before the built-in ones.
func read(ctx context.Context, in extract.Input) (extract.Output, error) {
	return extract.With(office.Kinds()...).Extract(ctx, in)
}

func TestGoldenFiles(t *testing.T) { // D-9, H-3
	t.Parallel()
	extracttest.Unnamed(t, office.Kinds(), 10, func(name string) bool {
		switch filepath.Ext(name) {
		case ".doc", ".xls", ".ppt":
			return true
		}
		return strings.HasPrefix(name, "locked")
	})
}
