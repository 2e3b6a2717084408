// Package text reads running text: it cleans it, finds its sentences, blocks and language, and
// turns it into the terms that search works with. It knows nothing of memory.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Style says how much Clean may change.
type Style uint8

const (
	// Prose is running text: lines may lose trailing blanks and runs of blank
	// lines shrink to one.
	Prose Style = iota
	// Markdown is Prose outside fenced code blocks; inside them only line
	// ends are normalised. A hard break written as two trailing spaces is lost.
	Markdown
	// Raw is source code and data: only what cannot be stored as text is
	// touched (invalid UTF-8, NUL, a byte order mark at the start).
	Raw
)

// Clean is CleanAs with Prose.
func Clean(s string) string { return CleanAs(s, Prose) }

// CleanAs returns s as valid UTF-8 in a normal form. It is idempotent, takes
// time linear in len(s), and returns s itself when nothing has to change.
//
// Every style: a leading byte order mark and every NUL are removed; each run
// of bytes that is not UTF-8 becomes one U+FFFD.
//
// Prose and Markdown as well: CRLF, CR, VT, FF, U+0085, U+2028 and U+2029
// become LF; terminal colour sequences, other C0 and C1 controls except tab,
// soft hyphens and U+FEFF are removed; trailing white space of a line goes; three
// or more line ends in a row become two; leading blank lines and trailing
// white space go.
func CleanAs(s string, style Style) string {
	s = storable(s)
	switch style {
	case Raw:
		return s
	case Markdown:
		return cleanLines(stripControls(s), true)
	default:
		return cleanLines(stripControls(s), false)
	}
}

// storable is s with no byte order mark, no NUL, no invalid bytes.
func storable(s string) string {
	for strings.HasPrefix(s, "\ufeff") {
		s = s[len("\ufeff"):]
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	if strings.IndexByte(s, 0) < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\x00", "")
	for strings.HasPrefix(s, "\ufeff") {
		s = s[len("\ufeff"):]
	}
	return s
}

// ValidUTF8 writes a space for every byte that is no part of a character, so that offsets stay.
func ValidUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	b := []byte(s)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			b[i] = ' '
		}
		i += n
	}
	return string(b)
}

// stripControls turns every line end into LF and drops invisible controls.
func stripControls(s string) string {
	first := strings.IndexFunc(s, isDirty)
	if first < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:first])
	for i := first; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\r':
			b.WriteByte('\n')
			if i+1 < len(s) && s[i+1] == '\n' {
				n = 2
			}
		case r == '\v', r == '\f', r == 0x85, r == 0x2028, r == 0x2029:
			b.WriteByte('\n')
		case r == 0x1b:
			n = escapeLength(s[i:])
		case isDirty(r):
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func isDirty(r rune) bool {
	switch {
	case r == '\t', r == '\n':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xad, r == 0xfeff, r == 0x2028, r == 0x2029:
		return true
	}
	return false
}

// escapeLength returns the length of the terminal sequence that starts s: ESC,
// '[', parameters, one final byte. Anything else is the ESC alone.
func escapeLength(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 1
	}
	for i := 2; i < len(s) && i < 34; i++ {
		if s[i] >= 0x40 && s[i] <= 0x7e {
			return i + 1
		}
		if s[i] < 0x20 || s[i] > 0x3f {
			break
		}
	}
	return 1
}

// cleanLines trims lines and blank runs; with fences set, lines inside fenced
// code stay as they are.
func cleanLines(s string, fences bool) string {
	if !needsLineWork(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	blanks, wrote := 0, false
	var fence fenceMark
	for len(s) > 0 {
		line := s
		if i := strings.IndexByte(s, '\n'); i >= 0 {
			line, s = s[:i], s[i+1:]
		} else {
			s = ""
		}
		inside := fence.open()
		if fences {
			fence = fence.next(line)
		}
		if !inside {
			line = strings.TrimRightFunc(line, unicode.IsSpace)
			if line == "" {
				blanks++
				continue
			}
		}
		if wrote {
			b.WriteByte('\n')
			if blanks > 0 {
				b.WriteByte('\n')
			}
		}
		b.WriteString(line)
		blanks, wrote = 0, true
	}
	return strings.TrimRightFunc(b.String(), unicode.IsSpace)
}

// needsLineWork reports whether cleanLines could change s.
func needsLineWork(s string) bool {
	if s == "" {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(s)
	if s[0] == '\n' || unicode.IsSpace(last) || strings.Contains(s, "\n\n\n") {
		return true
	}
	for i := 0; i < len(s); i++ {
		j := strings.IndexByte(s[i:], '\n')
		if j < 0 {
			break
		}
		i += j
		if i == 0 || s[i-1] == '\n' {
			continue
		}
		if r, _ := utf8.DecodeLastRuneInString(s[:i]); unicode.IsSpace(r) {
			return true
		}
	}
	// The first line may be made of blanks only.
	head, _, found := strings.Cut(s, "\n")
	return found && strings.TrimSpace(head) == ""
}

// fenceMark is the state of a fenced code block: the fence character and its
// length, zero outside.
type fenceMark struct {
	char byte
	n    int
}

func (f fenceMark) open() bool { return f.n > 0 }

// next returns the state after line.
func (f fenceMark) next(line string) fenceMark {
	char, n, rest := fenceOf(line)
	switch {
	case n == 0:
		return f
	case !f.open():
		if char == '`' && strings.IndexByte(rest, '`') >= 0 {
			return f
		}
		return fenceMark{char, n}
	case char == f.char && n >= f.n && strings.TrimSpace(rest) == "":
		return fenceMark{}
	}
	return f
}

// fenceOf reads a code fence: up to three spaces, then three or more of ` or ~.
// n is 0 when line is none. rest is the info string.
func fenceOf(line string) (char byte, n int, rest string) {
	i := 0
	for i < len(line) && i < 4 && line[i] == ' ' {
		i++
	}
	if i == 4 || i == len(line) || line[i] != '`' && line[i] != '~' {
		return 0, 0, ""
	}
	char = line[i]
	j := i
	for j < len(line) && line[j] == char {
		j++
	}
	if j-i < 3 {
		return 0, 0, ""
	}
	return char, j - i, line[j:]
}
