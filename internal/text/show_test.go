package text_test

import (
	"testing"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func TestBlank(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"": true, " \n\t\u200b\u00a0": true, "\x00\x1f": true, "\xff": true, ".": false, " a": false, "\u200bü": false} {
		if got := text.Blank(s); got != want {
			t.Errorf("Blank(%q) is %v", s, got)
		}
	}
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 12: "12", 999: "999", 1000: "1,000", 65536: "65,536", 1234567: "1,234,567"} {
		if got := text.Thousands(n); got != want {
			t.Errorf("Thousands(%d) is %s, want %s", n, got, want)
		}
	}
}
