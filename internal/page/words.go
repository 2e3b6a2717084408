package page

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tidy makes words presentable: white space of a line becomes single blanks, blank lines and invisible controls go, and what
// is no UTF-8 becomes U+FFFD. A Break stays.
func Tidy(s string) string {
	if isTidy(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	gap, line := false, false // white space, a line end waits to be written
	for _, r := range s {
		switch {
		case r == '\n', r == '\r', r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
			line = true
		case unicode.IsSpace(r):
			gap = true
		case isControl(r), r == 0x200b, r == 0x2060:
		default:
			if b.Len() > 0 && line {
				b.WriteByte('\n')
			} else if b.Len() > 0 && gap {
				b.WriteByte(' ')
			}
			gap, line = false, false
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isTidy is a quick look for what Tidy would change.
func isTidy(s string) bool {
	space := true
	for i := range len(s) {
		c := s[i]
		if c >= 0x7f || c < 0x20 || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return !space || s == ""
}

func isControl(r rune) bool {
	return r < 0x20 && r != 1 || r >= 0x7f && r < 0xa0 || r == 0xad || r == 0xfeff
}

// OneLine is Tidy on a single line.
func OneLine(s string) string { return strings.ReplaceAll(Tidy(s), "\n", " ") }

// Printable is Tidy for code: lines keep their blanks.
func Printable(s string) string {
	lines := strings.Split(strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == 0xa0:
			return ' '
		case isControl(r), r == 0x2028, r == 0x2029:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd")), "\n")
	return strings.TrimRight(strings.Join(lines, "\n"), " \t\n")
}

// guard puts a backslash before lines of a paragraph that Markdown would take for a heading, a fence, a rule or the dashes of
// a table. Lists and quotes that somebody typed by hand are what they look like.
func guard(s string) string {
	if !strings.ContainsAny(s, "#`~-=|") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if isMarkup(line) {
			lines[i] = `\` + line
		}
	}
	return strings.Join(lines, "\n")
}

func isMarkup(line string) bool {
	switch {
	case line == "":
		return false
	case strings.HasPrefix(line, "```"), strings.HasPrefix(line, "~~~"):
		return true
	case line[0] == '#':
		words := strings.TrimLeft(line, "#")
		return len(line)-len(words) <= 6 && (words == "" || words[0] == ' ')
	}
	return strings.Trim(line, "=") == "" || strings.Trim(line, "-|: ") == "" && strings.Contains(line, "-")
}

// Link writes a link, when its address is one that leads somewhere for a reader of the text; else the words alone.
func Link(words, address string) string {
	words = strings.TrimSpace(words)
	address = strings.TrimSpace(address)
	scheme, _, found := strings.Cut(strings.ToLower(address[:min(len(address), 16)]), ":")
	if !found || scheme != "http" && scheme != "https" && scheme != "mailto" && scheme != "ftp" ||
		len(address) > 2000 || strings.ContainsFunc(address, func(r rune) bool {
		return r <= ' ' || r == utf8.RuneError || strings.ContainsRune("<>\"\x7f", r) || unicode.IsSpace(r) || unicode.IsControl(r)
	}) {
		return words
	}
	bare := strings.TrimPrefix(address, "mailto:")
	if words == "" || words == address || words == bare {
		return bare
	}
	return "[" + words + "](" + strings.NewReplacer("(", "%28", ")", "%29").Replace(address) + ")"
}

// Picture writes what is said about a picture; "" when nothing is.
func Picture(alt, name string) string {
	alt, _, _ = strings.Cut(alt, "Description automatically generated")
	alt = OneLine(alt)
	if alt == "" {
		return ""
	}
	if name = OneLine(BaseName(name)); name == "" {
		name = "drawing"
	}
	return "![" + strings.NewReplacer("[", "(", "]", ")").Replace(alt) + "](" + strings.NewReplacer(" ", "_", "(", "_", ")", "_").Replace(name) + ")"
}

// BaseName returns what stands behind the last slash of either kind.
func BaseName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		return name[i+1:]
	}
	return name
}

// FirstLine makes a title of the first line that is more than markup; "" when there is none.
func FirstLine(s string) string {
	for line := range strings.SplitSeq(s[:Bound(s, 4096)], "\n") {
		line = strings.TrimSpace(strings.TrimLeft(line, "#>-|* "))
		if line == "" || strings.HasPrefix(line, "```") {
			continue
		}
		const most = 80
		if utf8.RuneCountInString(line) <= most {
			return line
		}
		cut := string([]rune(line)[:most-1])
		if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
			cut = cut[:i]
		}
		return strings.TrimRight(cut, ".:;, ") + "…"
	}
	return ""
}

// Bound returns the greatest bound of a rune in s that is at most n.
func Bound(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
