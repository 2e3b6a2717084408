package mail

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"
)

// property is a content line of a calendar or card: NAME;PARAM=value:VALUE.
type property struct {
	name   string // upper case, without its group
	group  string
	params map[string]string // names in upper case; several values are joined by commas
	value  string            // not unescaped
}

// mostValue bounds a value: pictures and sounds are longer, and are not words.
const mostValue = 256 << 10

// properties reads the content lines of s (RFC 5545 and 6350; the older forms with quoted-printable too) and calls visit for
// each, until it says stop.
func properties(ctx context.Context, s string, visit func(property) bool) error {
	for n := 0; s != ""; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var line string
		line, s = logicalLine(s)
		p, ok := parseProperty(line)
		if !ok {
			continue
		}
		if strings.EqualFold(p.params["ENCODING"], "QUOTED-PRINTABLE") {
			whole := []byte(p.value)
			for strings.HasSuffix(line, "=") && s != "" && len(whole) < mostValue {
				line, s = logicalLine(s)
				whole = append(bytes.TrimSuffix(whole, []byte("=")), line...)
			}
			decoded := decodeCharset(decodeQuoted(whole), p.params["CHARSET"])
			p.value = strings.NewReplacer("\r\n", `\n`, "\n", `\n`).Replace(decoded)
		}
		if !visit(p) {
			return nil
		}
	}
	return nil
}

// logicalLine returns the first line of s with its continuation lines, and what follows.
func logicalLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	line = strings.TrimSuffix(line, "\r")
	if rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return line, rest
	}
	var b strings.Builder
	b.WriteString(line)
	for rest != "" && (rest[0] == ' ' || rest[0] == '\t') {
		line, rest, _ = strings.Cut(rest[1:], "\n")
		if b.Len() < mostValue {
			b.WriteString(strings.TrimSuffix(line, "\r"))
		}
	}
	return b.String(), rest
}

func parseProperty(line string) (property, bool) {
	p := property{params: map[string]string{}}
	end := strings.IndexAny(line, ":;")
	if end <= 0 || end > 200 {
		return p, false
	}
	name := strings.TrimSpace(line[:end])
	if group, n, found := strings.Cut(name, "."); found {
		p.group, name = group, n
	}
	p.name = strings.ToUpper(name)
	rest := line[end:]
	for strings.HasPrefix(rest, ";") {
		var key, value string
		key, value, rest = parseParameter(rest[1:])
		if key = strings.ToUpper(strings.TrimSpace(key)); key == "" {
			continue
		}
		if value == "" { // vCard 2.1 writes TEL;HOME:
			key, value = bareParameter(key)
		}
		if old := p.params[key]; old != "" {
			value = old + "," + value
		}
		if len(p.params) < 50 && len(value) < 4<<10 {
			p.params[key] = value
		}
	}
	if !strings.HasPrefix(rest, ":") {
		return p, false
	}
	p.value = rest[1:]
	return p, true
}

// bareParameter gives a value of vCard 2.1 that stands alone its name.
func bareParameter(word string) (key, value string) {
	switch word {
	case "QUOTED-PRINTABLE", "BASE64", "8BIT", "7BIT":
		return "ENCODING", word
	}
	return "TYPE", word
}

// parseParameter reads "NAME=value" or "NAME=\"value\"" up to the next ; or :.
func parseParameter(s string) (key, value, rest string) {
	i := strings.IndexAny(s, "=;:")
	if i < 0 {
		return s, "", ""
	}
	key = s[:i]
	if s[i] != '=' {
		return key, "", s[i:]
	}
	s = s[i+1:]
	var b strings.Builder
	quoted := false
	for i = 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ';' || c == ':'):
			return key, caret(b.String()), s[i:]
		default:
			b.WriteByte(c)
		}
	}
	return key, caret(b.String()), ""
}

// caret undoes the escapes of RFC 6868.
func caret(s string) string {
	if !strings.Contains(s, "^") {
		return s
	}
	return strings.NewReplacer("^n", " ", "^^", "^", "^'", `"`).Replace(s)
}

// text undoes the escapes of a TEXT value.
func (p property) text() string { return unescape(p.value) }

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return strings.TrimSpace(s)
	}
	return strings.TrimSpace(strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\:`, ":", `\"`, `"`).Replace(s))
}

// list splits a value at sep where it is not escaped, and undoes the escapes.
func (p property) list(sep byte) []string {
	var out []string
	start := 0
	for i := 0; i < len(p.value); i++ {
		switch p.value[i] {
		case '\\':
			i++
		case sep:
			out = append(out, unescape(p.value[start:i]))
			start = i + 1
		}
	}
	return append(out, unescape(p.value[start:]))
}

// oneLine joins the lines of s and cuts it to n characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
