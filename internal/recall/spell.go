package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/embed"
	"github.com/lukasa-memory/lukasa/internal/index"
)

// misspelt tells of the words of a query which may be spelt wrong: those that the embedding model does not know, names (with a capital, but for the
// first word, which always has one) and codes. Where it cannot tell what it knows, any may.
func (p *Path) misspelt(query string) func(word string) bool {
	c, ok := embed.As[embed.Coverage](p.Embed)
	if !ok {
		return func(string) bool { return true }
	}
	first := strings.TrimLeftFunc(query, func(r rune) bool { return !unicode.IsLetter(r) })
	return func(word string) bool {
		r, _ := utf8.DecodeRuneInString(word)
		name := unicode.IsUpper(r) && !strings.HasPrefix(first, word)
		return name || strings.ContainsFunc(word, unicode.IsDigit) || c.Known(word) < 1
	}
}

// instead notes which words stood in for others.
func (s *search) instead(ans index.Answer) {
	if len(ans.Instead) > 0 {
		s.stats.Instead = ans.Instead
	}
}
