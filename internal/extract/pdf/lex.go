package pdf

import (
	"strconv"
)

// maxDepth bounds nested arrays and dictionaries.
const maxDepth = 64

// lexer reads objects from bytes (ISO 32000-1, 7.2 and 7.3). It never fails: what is no object is an operator or null.
type lexer struct {
	b   []byte
	pos int
	bud *budget
	dec func(str) str // decrypts strings; nil: leaves them
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelim(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

// skip moves past white space and comments.
func (l *lexer) skip() {
	for l.pos < len(l.b) {
		switch c := l.b[l.pos]; {
		case isSpace(c):
			l.pos++
		case c == '%':
			for l.pos < len(l.b) && l.b[l.pos] != '\n' && l.b[l.pos] != '\r' {
				l.pos++
			}
		default:
			return
		}
	}
}

// eof is what object returns at the end.
const eof = op("\x00eof")

// object reads the next object or operator. References are put together by the caller's grammar: "n g R" comes back as a ref.
func (l *lexer) object(depth int) any {
	l.bud.step()
	l.skip()
	if l.pos >= len(l.b) {
		return eof
	}
	switch c := l.b[l.pos]; c {
	case '/':
		l.pos++
		return l.name()
	case '(':
		l.pos++
		return l.decrypted(l.literal())
	case '<':
		if l.pos+1 < len(l.b) && l.b[l.pos+1] == '<' {
			l.pos += 2
			return l.dict(depth)
		}
		l.pos++
		return l.decrypted(l.hex())
	case '[':
		l.pos++
		return l.array(depth)
	case '>', ']', ')', '{', '}':
		l.pos++
		if c == '>' && l.pos < len(l.b) && l.b[l.pos] == '>' {
			l.pos++
			return op(">>")
		}
		return op(string(c))
	}
	return l.word()
}

func (l *lexer) decrypted(s str) str {
	if l.dec != nil {
		return l.dec(s)
	}
	return s
}

// word reads a number, a reference, a keyword or an operator.
func (l *lexer) word() any {
	start := l.pos
	for l.pos < len(l.b) && !isSpace(l.b[l.pos]) && !isDelim(l.b[l.pos]) {
		l.pos++
	}
	w := l.b[start:l.pos]
	if c := w[0]; c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' {
		if f, whole, ok := number(w); ok {
			if whole && f >= 0 {
				if r, ok := l.reference(int(f)); ok {
					return r
				}
			}
			return f
		}
	}
	switch string(w) {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if len(w) > 64 {
		w = w[:64]
	}
	return op(w)
}

// number reads a number as PDF writers do, who leave out what they can and put signs where they may not.
func number(w []byte) (f float64, whole, ok bool) {
	if len(w) > 40 {
		return 0, false, false
	}
	whole = true
	n, digits := 0, false
	for _, c := range w {
		if c < '0' || c > '9' {
			whole = false
			break
		}
		if digits = true; n < 1<<50 {
			n = n*10 + int(c-'0')
		}
	}
	if whole && digits {
		return float64(n), true, true
	}
	f, err := strconv.ParseFloat(string(w), 64)
	if err == nil && f == f && f < 1e15 && f > -1e15 {
		return f, false, true
	}
	for i, c := range w { // "--5", "12-34": a sign inside ends the number
		if c == '-' && i > 0 && w[i-1] != '-' {
			return number(w[:i])
		}
	}
	if len(w) > 1 && w[0] == '-' && w[1] == '-' {
		return number(w[1:])
	}
	return 0, false, false
}

// reference looks whether "g R" follows a number.
func (l *lexer) reference(num int) (ref, bool) {
	p := l.pos
	for p < len(l.b) && isSpace(l.b[p]) {
		p++
	}
	gen, start := 0, p
	for p < len(l.b) && p-start < 6 && l.b[p] >= '0' && l.b[p] <= '9' {
		gen = gen*10 + int(l.b[p]-'0')
		p++
	}
	if p == start {
		return ref{}, false
	}
	q := p
	for p < len(l.b) && isSpace(l.b[p]) {
		p++
	}
	if p == q || p >= len(l.b) || l.b[p] != 'R' || p+1 < len(l.b) && !isSpace(l.b[p+1]) && !isDelim(l.b[p+1]) {
		return ref{}, false
	}
	l.pos = p + 1
	return ref{num, gen}, true
}

func (l *lexer) name() name {
	start, escaped := l.pos, false
	for l.pos < len(l.b) && !isSpace(l.b[l.pos]) && !isDelim(l.b[l.pos]) {
		escaped = escaped || l.b[l.pos] == '#'
		l.pos++
	}
	w := l.b[start:min(l.pos, start+512)]
	if !escaped {
		return name(w)
	}
	out := make([]byte, 0, len(w))
	for i := 0; i < len(w); i++ {
		if w[i] == '#' && i+2 < len(w) {
			if hi, lo := hexDigit(w[i+1]), hexDigit(w[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, w[i])
	}
	return name(out)
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// hex reads a string in hexadecimal, after its "<".
func (l *lexer) hex() str {
	var out []byte
	half := -1
	for l.pos < len(l.b) {
		c := l.b[l.pos]
		l.pos++
		if c == '>' {
			break
		}
		d := hexDigit(c)
		switch {
		case d < 0:
		case half < 0:
			half = d
		default:
			out = append(out, byte(half<<4|d))
			half = -1
		}
	}
	if half >= 0 {
		out = append(out, byte(half<<4))
	}
	return str(out)
}

// literal reads a string in parentheses, after the first one.
func (l *lexer) literal() str {
	var out []byte
	for depth := 1; l.pos < len(l.b); {
		c := l.b[l.pos]
		l.pos++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return str(out)
			}
		case '\\':
			out = l.escape(out)
			continue
		case '\r':
			if l.pos < len(l.b) && l.b[l.pos] == '\n' {
				l.pos++
			}
			c = '\n'
		}
		out = append(out, c)
	}
	return str(out)
}

// escape reads what follows a backslash.
func (l *lexer) escape(out []byte) []byte {
	if l.pos >= len(l.b) {
		return out
	}
	c := l.b[l.pos]
	l.pos++
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\r':
		if l.pos < len(l.b) && l.b[l.pos] == '\n' {
			l.pos++
		}
		return out
	case '\n':
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	n := int(c - '0')
	for range 2 {
		if l.pos >= len(l.b) || l.b[l.pos] < '0' || l.b[l.pos] > '7' {
			break
		}
		n = n<<3 | int(l.b[l.pos]-'0')
		l.pos++
	}
	return append(out, byte(n))
}

func (l *lexer) array(depth int) array {
	out := array{}
	if depth >= maxDepth {
		return out
	}
	for {
		switch v := l.object(depth + 1).(type) {
		case op:
			if v == "]" || v == eof || v == "endobj" || v == "endstream" {
				return out
			}
		default:
			out = append(out, v)
		}
	}
}

func (l *lexer) dict(depth int) dict {
	out := dict{}
	if depth >= maxDepth {
		return out
	}
	for {
		k := l.object(depth + 1)
		if o, ok := k.(op); ok && (o == ">>" || o == eof || o == "endobj" || o == "stream") {
			return out
		}
		n, ok := k.(name)
		if !ok {
			continue
		}
		v := l.object(depth + 1)
		if o, ok := v.(op); ok {
			if o == ">>" || o == eof {
				return out
			}
			v = nil
		}
		out[n] = v
	}
}
