package data_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/data"
	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
)

// read extracts data with the kinds of this room before the built-in ones.
func read(t *testing.T, name string, content []byte) extract.Output {
	t.Helper()
	return extracttest.Read(t, data.Kinds(), name, content)
}

func TestGolden(t *testing.T) { // D-9
	t.Parallel()
	extracttest.Named(t, data.Kinds(), false,
		"boats.sqlite", "utf16le.sqlite", "utf16be.sqlite", "wal.sqlite", "compose.yaml", "deploy.yaml", "project.toml", "settings.yaml", "settings.toml", "catalogue.xml", "boat.plist", "pier.log",
		"chat.jsonl", "events.jsonl", "service.ndjson",
	)
}
