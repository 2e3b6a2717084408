package records

import (
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// maxSentence and maxLine bound, in characters, the sentence of a decision and the line of a release.
const (
	maxSentence = 420
	maxLine     = 140
)

var (
	rstLink    = regexp.MustCompile("`([^`<>]+?)\\s*<[^`<>]*>`_{1,2}")
	rstRole    = regexp.MustCompile(":[a-z:+-]{2,20}:`([^`]*)`")
	rstName    = regexp.MustCompile("`([^`]+)`_{1,2}|\\b([A-Za-z0-9]+)_{1,2}(\\W|$)")
	adocLink   = regexp.MustCompile(`(?:link:|xref:|https?://)[^\s\[\]]+\[([^\]]*)\]`)
	adocAnchor = regexp.MustCompile(`<<[^,<>]+,\s*([^<>]+)>>|<<([^<>,]+)>>`)
	comment    = regexp.MustCompile(`<!--.*?-->`)
	htmlTag    = regexp.MustCompile(`</?(?:b|i|em|strong|code|br|sup|sub|kbd|p|span|u|a|mark)(?:\s[^<>]*)?/?>`)
	angleLink  = regexp.MustCompile(`<(?:mailto:)?((?:https?://)?[^<>\s]+[.@][^<>\s]+)>`)
	struckOut  = regexp.MustCompile(`~~[^~]*~~`)
)

// plain returns words without the inline marks of Markdown, reStructuredText and AsciiDoc, on one line.
func plain(s string) string {
	if strings.Contains(s, "`_") {
		s = rstLink.ReplaceAllString(s, "$1")
	}
	if strings.Contains(s, "<") {
		s = comment.ReplaceAllString(s, "")
		s = adocAnchor.ReplaceAllString(s, "$1$2")
		s = angleLink.ReplaceAllString(s, "$1")
		s = htmlTag.ReplaceAllString(s, "")
	}
	if strings.Contains(s, "~~") {
		s = struckOut.ReplaceAllString(s, "")
	}
	if strings.Contains(s, ":`") {
		s = rstRole.ReplaceAllStringFunc(s, func(m string) string {
			words := rstRole.FindStringSubmatch(m)[1]
			if i := strings.Index(words, "<"); i > 0 {
				words = strings.TrimSpace(words[:i])
			}
			return words
		})
	}
	if strings.Contains(s, "`_") || strings.Contains(s, "_ ") || strings.HasSuffix(s, "_") || strings.Contains(s, "_.") || strings.Contains(s, "_,") {
		s = rstName.ReplaceAllString(s, "$1$2$3")
	}
	if strings.Contains(s, "[") && !strings.Contains(s, "](") {
		s = adocLink.ReplaceAllString(s, "$1")
	}
	return strings.TrimSpace(text.PlainMarkdown(s))
}

// clip cuts s behind a word so that it has at most a number of characters.
func clip(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most-1 {
			s = s[:i]
			break
		}
		n++
	}
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:.([-–—") + "…"
}

// withStop ends a sentence that has no end.
func withStop(s string) string {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, `"'”’)*`))
	if s == "" || strings.ContainsRune(".!?…", last) {
		return s
	}
	return strings.TrimRight(s, ",;:") + "."
}

// noStop takes the full stop off a sentence.
func noStop(s string) string {
	if strings.HasSuffix(s, "...") || strings.HasSuffix(s, "etc.") {
		return s
	}
	return strings.TrimRight(s, ".,;: ")
}

// isPlaceholder reports words of a form that was not filled in.
func isPlaceholder(s string) bool {
	t := strings.TrimSpace(s)
	if t == "" {
		return true
	}
	if c := t[0]; (c == '[' || c == '{' || c == '<') && strings.HasSuffix(t, map[byte]string{'[': "]", '{': "}", '<': ">"}[c]) {
		return true
	}
	switch strings.ToLower(strings.Trim(t, "*_.… ()-–—!")) {
	case "", "tbd", "tbc", "todo", "none", "n/a", "na", "nothing", "to be written", "to be done", "to be decided", "to be determined", "to be completed",
		"not decided", "not yet decided", "no decision", "no decision yet", "pending", "keine", "offen", "folgt", "coming soon", "xxx", "tk", "nil", "null", "unknown", "-":
		return true
	}
	return strings.Contains(t, "{{") || strings.HasPrefix(t, "[describe") || strings.HasPrefix(t, "[Describe")
}

// isReference reports words that are little more than an address.
func isReference(s string) bool {
	low := strings.ToLower(s)
	return s != "" && (strings.HasPrefix(low, "http") || strings.HasPrefix(low, "see ") || strings.HasPrefix(low, "relates to ") || strings.HasPrefix(low, "refines ") ||
		strings.Contains(low, "pull request") && len(low) < 60 || strings.Contains(low, "https://") && len(strings.Fields(low)) < 8)
}

// trimSigns takes emoji, marks of emphasis and other signs off both ends.
func trimSigns(s string) string {
	return strings.TrimFunc(s, func(c rune) bool {
		return unicode.IsSpace(c) || c >= 0x2000 && !unicode.IsLetter(c) || c == '*' || c == '_' || c == '`'
	})
}

// stem returns the base name of a file without its extension, and fileName the base name.
func stem(name string) string {
	base := fileName(name)
	if ext := path.Ext(base); len(ext) < 10 {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}

func fileName(name string) string {
	if name == "" {
		return ""
	}
	return path.Base(strings.ReplaceAll(name, `\`, "/"))
}

// leadingNumber returns the number that begins s, without leading zeros, and the rest; "" where s begins with none. A
// number that is a day (20240312) is none.
func leadingNumber(s string) (number, rest string) {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 0 || n > 5 {
		return "", s
	}
	if n == 4 && len(s) > 7 && s[4] == '-' && s[5] >= '0' && s[5] <= '9' && s[6] >= '0' && s[6] <= '9' && s[7] == '-' {
		return "", s
	}
	number = strings.TrimLeft(s[:n], "0")
	if number == "" {
		number = "0"
	}
	return number, s[n:]
}

// asTitle makes words of a file name: "0007-use-postgresql" becomes "use postgresql".
func asTitle(name string) string {
	s := strings.Map(func(c rune) rune {
		if c == '-' || c == '_' {
			return ' '
		}
		return c
	}, stem(name))
	return strings.TrimSpace(strings.TrimLeft(s, "0123456789. "))
}

// sentencesOf returns the sentences of a block as spans of the text, at most a number.
func (r *reader) sentencesOf(b block, most int) []text.Span {
	var out []text.Span
	for p := range text.Sentences(r.joined(b)) {
		out = append(out, text.Span{Start: b.start + p.Start, End: b.start + p.End})
		if len(out) == most {
			break
		}
	}
	return out
}
