package segment

import (
	"encoding/base64"
	"iter"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// block is a fenced block of code in a message: its info string, and its body without the indentation of the fence.
type block struct {
	info       string
	start, end int // bytes of the whole block, with its fences
	body       string
	lines      int
}

// fences yields the fenced blocks of s, those inside of list items and quotes of one level too. A fence that is not
// closed reaches to the end.
func fences(s string) iter.Seq[block] {
	return func(yield func(block) bool) {
		for at := 0; at < len(s); {
			end := lineEnd(s, at)
			indent, mark, info, ok := opens(s[at:end])
			if !ok {
				at = end + 1
				continue
			}
			b := block{info: info, start: at}
			b.end, b.body, b.lines = body(s, end+1, indent, mark)
			if !yield(b) {
				return
			}
			at = b.end + 1
		}
	}
}

// opens reads a line that opens a fence.
func opens(line string) (indent int, mark, info string, ok bool) {
	t := strings.TrimLeft(line, " \t")
	indent = len(line) - len(t)
	if len(t) < 3 || t[0] != '`' && t[0] != '~' {
		return 0, "", "", false
	}
	n := 0
	for n < len(t) && t[n] == t[0] {
		n++
	}
	info = strings.TrimSpace(t[n:])
	if n < 3 || t[0] == '`' && strings.IndexByte(info, '`') >= 0 {
		return 0, "", "", false
	}
	return indent, t[:n], info, true
}

// body reads lines from at on to the closing fence.
func body(s string, at, indent int, mark string) (end int, text string, lines int) {
	var b strings.Builder
	for at < len(s) {
		stop := lineEnd(s, at)
		line := s[at:stop]
		if t := strings.TrimSpace(line); len(t) >= len(mark) && strings.HasPrefix(t, mark) && strings.Trim(t, mark[:1]) == "" {
			return stop, b.String(), lines
		}
		cut := 0
		for cut < indent && cut < len(line) && (line[cut] == ' ' || line[cut] == '\t') {
			cut++
		}
		b.WriteString(strings.TrimSuffix(line[cut:], "\r"))
		b.WriteByte('\n')
		lines++
		at = stop + 1
	}
	return len(s), b.String(), lines
}

// prose yields what lies between the fenced blocks of s.
func prose(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		at := 0
		for b := range fences(s) {
			if b.start > at && !yield(s[at:b.start]) {
				return
			}
			at = b.end
		}
		if at < len(s) {
			yield(s[at:])
		}
	}
}

func lineEnd(s string, at int) int {
	if at >= len(s) {
		return len(s)
	}
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(s)
}

func clip(s string, n int) string { return lexis.Clip(s, n) }

func base64Text(b []byte) []byte { return base64.StdEncoding.AppendEncode(nil, b) }

func textBase64(t []byte) ([]byte, error) { return base64.StdEncoding.AppendDecode(nil, t) }
