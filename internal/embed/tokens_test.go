package embed_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/embed"
)

func TestEstimateTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                       0,
		" \n\t":                  0,
		"tea":                    1,
		"green tea":              2,
		"automobile":             2,
		"2026":                   2,
		"a1b2":                   4,
		"don't":                  3,
		"Hello, world!":          4,
		"日本語":                    3,
		"\xff\xff":               2,
		"https://example.com/a":  10,
		strings.Repeat("x", 600): 100,
	} {
		if got := embed.EstimateTokens(text); got != want {
			t.Errorf("EstimateTokens(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestCutTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"green tea in the morning", 2, "green tea "},
		{"green automobile", 2, "green automo"}, // a long word is cut inside
		{"green tea", 0, "green tea"},
		{"green tea", 9, "green tea"},
		{"日本語", 2, "日本"},
	} {
		if got := embed.CutTokens(c.text, c.limit); got != c.want {
			t.Errorf("CutTokens(%q, %d) = %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}

func FuzzCutTokens(f *testing.F) {
	f.Add("green tea, 42 日本語 \xff", 3)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		got := embed.CutTokens(text, limit)
		rest := text[len(got):]
		if !strings.HasPrefix(text, got) || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Fatalf("%q is cut to %q", text, got)
		}
		if limit <= 0 {
			if rest != "" {
				t.Errorf("cut without a limit")
			}
			return
		}
		if n := embed.EstimateTokens(got); n > limit {
			t.Errorf("%d tokens, limit %d", n, limit)
		}
		if rest != "" {
			_, size := utf8.DecodeRuneInString(rest)
			if n := embed.EstimateTokens(text[:len(got)+size]); n <= limit {
				t.Errorf("one more character makes %d tokens, limit %d", n, limit)
			}
		}
	})
}
