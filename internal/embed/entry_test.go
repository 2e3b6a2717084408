package embed_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/embed"
)

func TestEntryText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		e    lukasa.Entry
		want string
	}{
		{lukasa.Entry{Type: lukasa.EntryMessage, Speaker: "Ana", Role: "user", Title: "Trip", Text: "I live in Berlin."}, "Ana: I live in Berlin."},
		{lukasa.Entry{Type: lukasa.EntryMessage, Speaker: "User", Title: "Trip", Text: "I live in Berlin."}, "I live in Berlin."},
		{lukasa.Entry{Type: lukasa.EntryMessage, Role: "assistant", Title: "Trip", Text: "I live in Berlin."}, "I live in Berlin."},
		{lukasa.Entry{Type: lukasa.EntryMessage, Speaker: "Ana", Text: "haha yes"}, ""},
		{lukasa.Entry{Type: lukasa.EntryChunk, Title: "Trip", Text: "ok thanks"}, "Trip\nok thanks"},
		{lukasa.Entry{Type: lukasa.EntryChunk, Title: "Trip", Text: "Trip to Berlin"}, "Trip to Berlin"},
	} {
		if got := embed.EntryText(&c.e); got != c.want {
			t.Errorf("%+v: %q, want %q", c.e, got, c.want)
		}
	}
}
