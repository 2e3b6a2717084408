package encode

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// asItIs tells which bytes stand for themselves; with [1] also &, < and > do not.
var asItIs = func() (t [2][256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[0][c] = c != '"' && c != '\\'
		t[1][c] = t[0][c] && c != '&' && c != '<' && c != '>'
	}
	return t
}()

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// eightAsTheyAre reports whether eight bytes all stand for themselves.
func eightAsTheyAre(s string, html bool) bool {
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	odd := x | (x - ' '*ones) | zeros(x^'"'*ones) | zeros(x^'\\'*ones) // the highest bit of each: not ASCII, below a space, or one of the two
	if html {
		odd |= zeros(x^'&'*ones) | zeros(x^'<'*ones) | zeros(x^'>'*ones)
	}
	return odd&highs == 0
}

// zeros sets the highest bit of the lowest byte that is 0, and perhaps of some above it; where none is 0 and all are ASCII, of none.
func zeros(x uint64) uint64 { return x - ones }

// text writes a text in quotes.
func (w *writer) text(s string) {
	b := append(w.b, '"')
	plain := &asItIs[0]
	if w.html {
		plain = &asItIs[1]
	}
	from := 0
	for i := 0; i < len(s); {
		for i+8 <= len(s) && eightAsTheyAre(s[i:i+8], w.html) {
			i += 8
		}
		if i == len(s) {
			break
		}
		c := s[i]
		if plain[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = append(b, s[from:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\b':
				b = append(b, `\b`...)
			case '\f':
				b = append(b, `\f`...)
			case '\n':
				b = append(b, `\n`...)
			case '\r':
				b = append(b, `\r`...)
			case '\t':
				b = append(b, `\t`...)
			default:
				b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(append(b, s[from:i]...), `\ufffd`...)
			from = i + n
		case r == '\u2028' || r == '\u2029': // which JavaScript takes for the end of a line
			b = append(append(b, s[from:i]...), '\\', 'u', '2', '0', '2', hexDigits[r&15])
			from = i + n
		}
		i += n
	}
	b = append(b, s[from:]...)
	w.b = append(b, '"')
}
