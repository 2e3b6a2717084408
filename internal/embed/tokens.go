package embed

import (
	"unicode"
	"unicode/utf8"
)

// EstimateTokens guesses the number of tokens that a transformer's tokeniser makes of text, without having it: a token per
// six letters of a Latin word, per two digits, per mark of punctuation and per letter of other scripts. Against o200k it
// measured 4 to 17 % high on English prose and Go, 40 % on dense Python: the safe side for limits.
func EstimateTokens(text string) int {
	var c tokenCounter
	for _, r := range text {
		c.add(r)
	}
	return c.n
}

// CutTokens returns the longest prefix of text that EstimateTokens puts at limit tokens or fewer, cut between characters.
// A limit of 0 or less means none.
func CutTokens(text string, limit int) string {
	if limit <= 0 || len(text) <= limit { // no character is more than one token
		return text
	}
	var c tokenCounter
	for i, r := range text {
		c.add(r)
		if c.n > limit {
			return text[:i]
		}
	}
	return text
}

// tokenCounter counts one rune at a time.
type tokenCounter struct {
	n   int
	run int  // characters in the current run
	num bool // the run is of digits
}

func (c *tokenCounter) add(r rune) {
	switch {
	case r < utf8.RuneSelf && (r|0x20 >= 'a' && r|0x20 <= 'z'):
		c.extend(false, 6)
	case r >= '0' && r <= '9':
		c.extend(true, 2)
	case unicode.IsSpace(r):
		c.run = 0
	default:
		c.run = 0
		c.n++
	}
}

// extend adds a character to a run that makes one token of every size characters.
func (c *tokenCounter) extend(num bool, size int) {
	if c.num != num {
		c.run, c.num = 0, num
	}
	if c.run%size == 0 {
		c.n++
	}
	c.run++
}
