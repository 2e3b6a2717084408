package web_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
	"github.com/lukasa-memory/lukasa/internal/extract/web"
)

// read extracts data with the kinds of this room before the built-in ones.
func read(t *testing.T, name string, content []byte) extract.Output {
	t.Helper()
	return extracttest.Read(t, web.Kinds(), name, content)
}

func TestGolden(t *testing.T) { // D-9
	t.Parallel()
	extracttest.Named(t, web.Kinds(), true, extracttest.Files(t, ".html", ".mhtml", ".rss", ".atom", ".xml")...)
}
