package extract

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// extractText passes text through, cleaned.
func extractText(_ context.Context, src *Source) (Output, error) {
	clean := text.Clean(src.Text)
	out := Output{Text: clean, Type: TypeText, Title: titleOf(clean)}
	out.Language, _ = text.Language(clean)
	return out, nil
}

// titleOf makes a title of the first line of a text, cut at a word.
func titleOf(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s[:min(len(s), 2000)]), "\n")
	line = strings.TrimSpace(strings.ToValidUTF8(line, ""))
	for sentence := range text.Sentences(line) {
		if first := sentence.Of(line); utf8.RuneCountInString(first) >= 12 {
			line = first
		}
		break
	}
	line = strings.TrimRight(line, ".:;, ")
	const most = 80
	if utf8.RuneCountInString(line) <= most {
		return line
	}
	cut := firstRunes(line, most-1)
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, ".:;, ") + "…"
}
