package extract_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
)

func TestGolden(t *testing.T) { // D-9, H-2
	t.Parallel()
	extracttest.Named(t, nil, true, extracttest.Files(t, ".csv", ".tsv", ".json", ".sql", ".md", ".txt")...)
}
