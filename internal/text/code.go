package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
// returns where it ends. Before the whole come those of its parts that are codes by themselves: what is held together by hyphens, and times.
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
	if end-start > maxCode || len(a.code) > maxWords {
		return end
	}
	for bond := times; bond <= hyphens; bond++ {
		for first, i := 0, 1; i <= len(a.code); i++ {
			if i < len(a.code) && a.bond(s, i) <= bond {
				continue
			}
			of := a.code[first:i]
			if len(of) > 1 && len(of) < len(a.code) && (bond == times || a.weakest(s, first, i) == bond) {
				a.whole(s, of)
			}
			first = i
		}
	}
	a.whole(s, a.code)
	return end
}

// How tightly two words of a code are held together.
const (
	times   = iota // by a colon between numbers
	hyphens        // by a hyphen
	loosely        // by a slash, or another colon
)

// bond tells what stands before the word i of the code.
func (a *Analyzer) bond(s string, i int) int {
	switch at := a.code[i-1].End; {
	case s[at] == '/':
		return loosely
	case s[at] != ':':
		return hyphens
	case isNumber(a.code[i-1].Of(s)) && isNumber(a.code[i].Of(s)):
		return times
	}
	return loosely
}

// weakest is the loosest bond between the words [first, end) of the code.
func (a *Analyzer) weakest(s string, first, end int) (most int) {
	for i := first + 1; i < end; i++ {
		most = max(most, a.bond(s, i))
	}
	return most
}

// whole yields a code as a whole, if there is a digit in it: its words in a row, with a dot where digits meet digits, so that "INV-20913" is
// "inv20913", "2024/06/01" is "2024.06.01" and "ISO-8859-1" is "iso8859.1", as those who write no hyphen or another sign have it. Two numbers
// alone keep a hyphen: 3-5 is not 3.5. An article before it, a possessive and the ending of a file's name behind it are left out.
func (a *Analyzer) whole(s string, words []Span) {
	a.buf = a.buf[:0]
	numbers := len(words) == 2
	for i, w := range words {
		word, n := w.Of(s), len(a.buf)
		if i == 0 {
			word = bare(word)
		}
		if i == len(words)-1 {
			word = ending(word)
		}
		a.buf = fold(a.buf, word)
		numbers = numbers && isNumber(a.buf[n:])
		if n > 0 && n < len(a.buf) && isDigit(a.buf[n-1]) && isDigit(a.buf[n]) {
			sign := byte('.')
			if numbers {
				sign = '-'
			}
			a.buf = slices.Insert(a.buf, n, sign)
		}
	}
	if slices.ContainsFunc(a.buf, isDigit) {
		a.yield(clip(a.buf), a.pos-1, words[0].Start, words[len(words)-1].End)
	}
}

// bare leaves out an elided article, as in l'INV-20913.
func bare(word string) string {
	at := strings.IndexAny(word, "'’")
	if at < 1 || at > 5 {
		return word
	}
	_, n := utf8.DecodeRuneInString(word[at:])
	return word[at+n:]
}

// ending leaves out a possessive, and the ending of a file's name.
func ending(word string) string {
	if possessive(word) {
		return strings.TrimRight(word[:len(word)-1], "'’")
	}
	for i := 1; i+1 < len(word); i++ {
		if word[i] == '.' && isASCIILetter(word[i+1]) {
			return word[:i]
		}
	}
	return word
}

// IsCode reports whether a word as it stands in a text is a code that is put together of several; see [Analyzer.Each].
func IsCode(word string) bool {
	for i := range len(word) {
		if i > 0 && hyphen(word, i) > 0 {
			return strings.ContainsFunc(word, unicode.IsDigit)
		}
	}
	return false
}

// IsWhole reports whether a word as it stands in a text is put together of several, which are terms of their own beside it: a code, or a
// name like parseHTML, snake_case or os.path.
func IsWhole(word string) bool {
	terms, whole := 0, false
	var a Analyzer
	a.Each(word, func(_ []byte, _, start, end int) {
		terms++
		whole = whole || start == 0 && end == len(word)
	})
	return whole && terms > 1
}

// isNumber reports whether a word has no letter.
func isNumber[T string | []byte](s T) bool {
	for i := range len(s) {
		if isASCIILetter(s[i]) || s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unbroken is how long a run without a space is at least that is no word.
const unbroken = 60

// Unbroken reports whether s is one long run of ASCII without a space and no address, like base64 or a hash: it says nothing to a reader.
func Unbroken(s string) bool {
	s = strings.TrimSuffix(s, "\u2026")
	return len(s) >= unbroken && !strings.Contains(s, "://") && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > unicode.MaxASCII }) < 0
}
