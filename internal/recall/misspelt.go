package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/embed"
)

// leastMisspelt is how many letters a word has, at least, that may be spelt wrong: short words are near to too many others.
const leastMisspelt = 5

// misspelt tells of the words of a query which may be spelt wrong: those that the embedding model does not know, names (with a
// capital letter, but for the first word, which always has one) and codes. Where the model cannot tell, any word may.
func (p *Path) misspelt(query string) func(word string) bool {
	v, ok := embed.As[embed.Vocabulary](p.Embed)
	if !ok {
		return func(string) bool { return true }
	}
	first := strings.TrimLeftFunc(query, func(r rune) bool { return !unicode.IsLetter(r) })
	return func(word string) bool {
		r, _ := utf8.DecodeRuneInString(word)
		name := unicode.IsUpper(r) && !strings.HasPrefix(first, word)
		if name || strings.ContainsFunc(word, unicode.IsDigit) {
			return true
		}
		return utf8.RuneCountInString(word) >= leastMisspelt && !v.KnowsWord(word)
	}
}
