package track_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
	"github.com/lukasa-memory/lukasa/internal/extract/track"
)

// read extracts data with the kinds of this room before the built-in ones.
func read(t *testing.T, name string, content []byte) extract.Output {
	t.Helper()
	return extracttest.Read(t, track.Kinds(), name, content)
}

func TestGolden(t *testing.T) { // D-9
	t.Parallel()
	extracttest.Named(t, track.Kinds(), true, "talk.srt", "talk.vtt", "talk.ass", "rolling.en.vtt", "voices.vtt", "talk.sbv", "talk.sub", "song.lrc", "talk.lrc", "captions.srt")
}
