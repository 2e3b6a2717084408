package text

import "unicode/utf8"

const (
	maxCode  = 40 // bytes of a text that are taken for one code: a UUID has 36
	maxWords = 12 // of a code
)

// hyphen returns how long the sign at i is if it is one that joins the words of a code and one begins behind it, else 0.
func hyphen(s string, i int) (n int) {
	switch c := s[i]; {
	case c == '-' || c == '/' || c == ':':
		n = 1
	case c == 0xe2 && len(s) > i+2 && s[i+1] == 0x80 && s[i+2]-0x90 < 4: // hyphens and the dash of numbers, U+2010 to U+2013
		n = 3
	default:
		return 0
	}
	if i+n >= len(s) {
		return 0
	}
	if s[i+n] < utf8.RuneSelf {
		if !isTermByte(s[i+n]) {
			return 0
		}
		return n
	}
	if r, _ := utf8.DecodeRuneInString(s[i+n:]); !isTermRune(r) || unspaced(r) {
		return 0
	}
	return n
}

// codeFrom reads what follows the word [start, end) behind hyphens and the like, yields its terms and then the whole, if that is a code, and
// returns where it ends.
func (a *Analyzer) codeFrom(s string, start, end int) int {
	a.code = append(a.code[:0], Span{start, end})
	for end < len(s) {
		n := hyphen(s, end)
		if n == 0 {
			break
		}
		from := end + n
		end = a.word(s, from)
		if len(a.code) <= maxWords {
			a.code = append(a.code, Span{from, end})
		}
	}
	if end-start <= maxCode && len(a.code) <= maxWords && hasDigit(s[start:end]) {
		a.whole(s)
		a.yield(clip(a.buf), a.pos-1, start, end)
	}
	return end
}

// whole puts a code together in the buffer: its words in a row, with a dot where digits meet digits, so that "INV-20913" is "inv20913",
// "2024/06/01" is "2024.06.01" and "ISO-8859-1" is "iso8859.1", as those who write no hyphen or another sign have it. Two numbers
// alone keep a hyphen: 3-5 is not 3.5.
func (a *Analyzer) whole(s string) {
	a.buf = a.buf[:0]
	sign := byte('.')
	if len(a.code) == 2 && isNumber(a.code[0].Of(s)) && isNumber(a.code[1].Of(s)) {
		sign = '-'
	}
	for _, w := range a.code {
		if n := len(a.buf); n > 0 && isDigit(a.buf[n-1]) && isDigit(s[w.Start]) {
			a.buf = append(a.buf, sign)
		}
		a.buf = fold(a.buf, w.Of(s))
	}
}

// IsCode reports whether a word as it stands in a text is a code that is put together of several; see [Analyzer.Each].
func IsCode(word string) bool {
	for i := range len(word) {
		if i > 0 && hyphen(word, i) > 0 {
			return hasDigit(word)
		}
	}
	return false
}

func hasDigit(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}

// isNumber reports whether a word has no letter.
func isNumber(s string) bool {
	for i := range len(s) {
		if isASCIILetter(s[i]) || s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
