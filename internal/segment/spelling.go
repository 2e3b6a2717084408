package segment

import (
	"slices"
	"strings"
)

// leastLike is the share of trigrams from which two spellings are alike.
const leastLike = 0.4

// Alike reports whether each word of the wanted text is spelled about like a word of the other.
func Alike(want, have string) bool {
	split := func(r rune) bool { return r == ' ' || r == '-' || r == '_' || r == ',' || r == '/' }
	words := strings.FieldsFunc(strings.ToLower(have), split)
	wanted := strings.FieldsFunc(strings.ToLower(want), split)
	for _, w := range wanted {
		if !slices.ContainsFunc(words, func(h string) bool { return sharedTrigrams(w, h) >= leastLike }) {
			return false
		}
	}
	return len(wanted) > 0
}

// sharedTrigrams is the share of the trigrams of two words, with a blank around them, that both have (Dice).
func sharedTrigrams(a, b string) float64 {
	grams := func(s string) map[string]bool {
		out := map[string]bool{}
		rs := []rune("  " + s + " ")
		for i := 0; i+3 <= len(rs); i++ {
			out[string(rs[i:i+3])] = true
		}
		return out
	}
	x, y := grams(a), grams(b)
	both := 0
	for g := range x {
		if y[g] {
			both++
		}
	}
	return 2 * float64(both) / float64(len(x)+len(y))
}

// CountWord counts a word in a text of the same case, whole, plural and singular as one.
func CountWord(text, word string) int {
	n := 0
	letter := func(s string, at int) bool {
		return at >= 0 && at < len(s) && (s[at] >= 'a' && s[at] <= 'z' || s[at] >= '0' && s[at] <= '9' || s[at] >= 0x80)
	}
	for at := 0; word != ""; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			break
		}
		start, end := at+i, at+i+len(word)
		if end < len(text) && text[end] == 's' {
			end++
		}
		if !letter(text, start-1) && !letter(text, end) {
			n++
		}
		at += i + len(word)
	}
	return n
}
