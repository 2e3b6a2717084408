package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Blank reports whether s shows nothing: only spaces, control and format characters.
func Blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) && r != utf8.RuneError
	}) < 0
}

// Thousands writes a number of 0 or more with commas: 1,234,567.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
