package text

import "strings"

// IsMachine reports whether a line looks like code, a log line, a record or markup rather than language.
func IsMachine(s string) bool {
	if s == "" {
		return false
	}
	if len(s) > 3000 {
		return true
	}
	if s[0] == '{' || s[0] == '<' || s[0] == '$' || s[0] == '|' || s[0] == '@' && len(s) > 1 && s[1] == '@' {
		return true
	}
	if strings.Count(s, "|") > 1 || strings.HasPrefix(s, "[{") || strings.HasPrefix(s, "//") || strings.HasPrefix(s, "/*") || strings.HasPrefix(s, "#!") {
		return true
	}
	if len(s) > 19 && s[4] == '-' && s[7] == '-' && (s[10] == ' ' || s[10] == 'T') && s[13] == ':' {
		return true
	}
	first, rest, _ := strings.Cut(s, " ")
	if codeWords[strings.ToLower(first)] && strings.ContainsAny(rest, "=(){};*") || strings.Contains(s, "; //") || strings.HasSuffix(first, "Error:") ||
		strings.HasSuffix(first, "Exception:") {
		return true
	}
	signs, letters, pairs := 0, 0, 0
	for i := range len(s) {
		c := s[i]
		if c == '=' && i > 0 && i+1 < len(s) && wordByte(s[i-1]) && wordByte(s[i+1]) {
			pairs++ // retry=3
		}
		switch {
		case c|0x20-'a' < 26 || c >= 0x80:
			letters++
		case strings.IndexByte("{}=;<>|\\_()[]`$^~", c) >= 0:
			signs++
		}
	}
	if pairs > 1 || strings.ContainsAny(s, "{}") && signs > 1 || strings.Contains(s, "=>") || strings.Contains(s, "==") || strings.Contains(s, "();") || strings.HasSuffix(s, ";") && signs > 2 {
		return true
	}
	low := strings.ToLower(s[:min(60, len(s))])
	for _, level := range []string{" info ", " warn ", " error ", " debug ", "[info]", "[error]", "[warn", "[debug]", "traceback", "exception:", "error:", "warning:", "deprecated:", "notice:"} {
		if strings.Contains(low, level) && (strings.ContainsRune(s, ':') && signs+CountDigits(s) > 4 || strings.HasPrefix(low, strings.TrimSpace(level))) {
			return true
		}
	}
	return signs*6 > letters || columns(s) > 2
}

// columns counts the gaps of two and more blanks between words, as they stand in what a program prints.
func columns(s string) (n int) {
	for {
		at := strings.Index(s, "  ")
		if at < 0 {
			return n
		}
		rest := strings.TrimLeft(s[at:], " ")
		if at > 0 && wordByte(s[at-1]) && rest != "" {
			n++
		}
		s = rest
	}
}

func wordByte(c byte) bool { return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' }

// codeWords begin lines of code; a sentence that begins with one has no sign of code behind it.
var codeWords = setOf("const let var func def class import return public private static package struct enum type #include echo export sudo select insert update delete create alter while switch print printf")

// CountDigits counts the ASCII digits of s.
func CountDigits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			n++
		}
	}
	return n
}

func setOf(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
