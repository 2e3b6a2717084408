package text_test

import (
	"strings"
	"testing"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func TestUnbroken(t *testing.T) {
	t.Parallel()
	run := strings.Repeat("aGVsbG8K", 20)
	for _, s := range []string{run, run + "\u2026"} {
		if !text.Unbroken(s) {
			t.Errorf("%q says something", s)
		}
	}
	for _, s := range []string{"", run[:30], strings.Repeat("word ", 30), strings.Repeat("東京都", 30), "https://example.org/" + run} {
		if text.Unbroken(s) {
			t.Errorf("%q says nothing", s)
		}
	}
}
