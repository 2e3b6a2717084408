package lexis

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Singular takes the plural ending off an English noun; it may miss, but always the same way.
func Singular(w string) string {
	n := len(w)
	switch {
	case n < 4 || w[n-1] != 's':
		return w
	case strings.HasSuffix(w, "ies") && n > 4:
		return w[:n-3] + "y"
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"), strings.HasSuffix(w, "ics"):
		return w
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		return w[:n-2]
	}
	return w[:n-1]
}

// OneLine makes every run of white space one space.
func OneLine(s string) string {
	if onOneLine(s) {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// onOneLine reports that OneLine would change nothing; of a text with letters beyond ASCII it does not say so.
func onOneLine(s string) bool {
	gap := true
	for i := range len(s) {
		if s[i] <= ' ' && (s[i] != ' ' || gap) || s[i] >= 0x7f {
			return false
		}
		gap = s[i] == ' '
	}
	return !gap || s == ""
}

// Clip returns at most n bytes of s, cut at a rune.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return CutRune(s, n)
}

// CutRune returns the first n bytes of s, fewer when a character would be cut; len(s) must be more than n.
func CutRune(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Words is the set of the words of a list.
func Words(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// Stretches yields the start and end of what lies between full stops: rough sentences, good enough to tell a
// capital at the beginning from one inside and one tense from another.
func Stretches(s string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		start := 0
		for i := 0; i < len(s); i++ {
			c := s[i]
			if c != '.' && c != '!' && c != '?' && c != '\n' || c != '\n' && i+1 < len(s) && s[i+1] != ' ' && s[i+1] != '\n' || c == '.' &&
				Abbreviates(s[start:i]) {
				continue
			}
			if !yield(start, i+1) {
				return
			}
			start = i + 1
		}
		if start < len(s) {
			yield(start, len(s))
		}
	}
}

// Abbreviates reports whether a full stop behind head belongs to its last word: Dr, Dec, an initial, a day's number.
func Abbreviates(head string) bool {
	w := head[strings.LastIndexAny(head, " \n\t(")+1:]
	low := strings.ToLower(w)
	return len(w) == 1 || len(w) < 5 && (Titles[low] || months[low] != 0 || AllDigits(w) && len(w) < 3) || strings.HasSuffix(low, "p.m") ||
		strings.HasSuffix(low, "a.m")
}
