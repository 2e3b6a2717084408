package encoder

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalizer reads the characters of a text as BERT does. The rules are those of Hugging Face's tokenizers library, as its source
// has them: control characters are dropped, Chinese characters are set apart, accents are taken off, letters are lower-cased.
type normalizer struct {
	t      *wordPiece
	text   string // the rest of it
	offset int    // of the rest

	from, to int // the source of the character that next returned

	queue [8]rune // normalised characters that are still to come: a decomposition has 4 at most, and 2 spaces
	head  int
	tail  int
}

const eof = -1

// next returns the next character of the normalised text, or eof.
func (r *normalizer) next() rune {
	for {
		if r.head < r.tail {
			r.head++
			return r.queue[r.head-1]
		}
		if r.text == "" {
			return eof
		}
		r.from = r.offset
		if c := r.text[0]; c < utf8.RuneSelf {
			r.skip(1)
			switch {
			case r.t.clean && (c == '\t' || c == '\n' || c == '\r'):
				return ' '
			case r.t.clean && (c < ' ' || c == 0x7f):
				continue
			case r.t.lower && c >= 'A' && c <= 'Z':
				return rune(c + 'a' - 'A')
			}
			return rune(c)
		}
		r.expand()
	}
}

// skip goes over the next bytes.
func (r *normalizer) skip(n int) {
	r.text = r.text[n:]
	r.offset += n
	r.to = r.offset
}

// expand puts what becomes of the next character, which is not ASCII, into the queue.
func (r *normalizer) expand() {
	c, n := utf8.DecodeRuneInString(r.text)
	from := r.text[:n]
	r.skip(n)
	r.head, r.tail = 0, 0
	if r.t.clean && !unicode.IsLetter(c) {
		if c == utf8.RuneError || unicode.Is(unicode.C, c) {
			return
		}
		if unicode.IsSpace(c) {
			c, from = ' ', " "
		}
	}
	apart := r.t.cjk && isChinese(c)
	if apart {
		r.push(' ')
	}
	if !r.t.strip || c == utf8.RuneError {
		r.fold(c)
	} else {
		r.decompose(c, from)
	}
	if apart {
		r.push(' ')
	}
}

// Hangul syllables are decomposed by arithmetic (Unicode standard, section 3.12).
const (
	hangulFirst, hangulLast = 0xAC00, 0xD7A3
	leadFirst, vowelFirst   = 0x1100, 0x1161
	tailBefore              = 0x11A7
	vowels, tails           = 21, 28
)

// decompose pushes the canonical decomposition of c, which stands in s, without its accents.
func (r *normalizer) decompose(c rune, s string) {
	if c >= hangulFirst && c <= hangulLast {
		i := c - hangulFirst
		r.push(leadFirst + i/(vowels*tails))
		r.push(vowelFirst + i%(vowels*tails)/tails)
		if t := i % tails; t > 0 {
			r.push(tailBefore + t)
		}
		return
	}
	d := norm.NFD.PropertiesString(s).Decomposition()
	if d == nil {
		if !unicode.Is(unicode.Mn, c) {
			r.fold(c)
		}
		return
	}
	for len(d) > 0 {
		c, n := utf8.DecodeRune(d)
		if d = d[n:]; !unicode.Is(unicode.Mn, c) {
			r.fold(c)
		}
	}
}

// fold pushes c in lower case, if that is asked for.
func (r *normalizer) fold(c rune) {
	switch {
	case !r.t.lower:
		r.push(c)
	case c == 'İ': // the one character whose lower case is two
		r.push('i')
		r.push('\u0307')
	default:
		r.push(unicode.ToLower(c))
	}
}

func (r *normalizer) push(c rune) {
	r.queue[r.tail] = c
	r.tail++
}

func isPunct(c rune) bool {
	if c < utf8.RuneSelf {
		return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z')
	}
	return unicode.IsPunct(c)
}

// isChinese reports whether BERT sets a character apart: ideographs, but neither kana nor Hangul.
func isChinese(c rune) bool {
	return c >= 0x4E00 && c <= 0x9FFF || c >= 0x3400 && c <= 0x4DBF || c >= 0x20000 && c <= 0x2A6DF || c >= 0x2A700 && c <= 0x2B73F ||
		c >= 0x2B740 && c <= 0x2B81F || c >= 0x2B920 && c <= 0x2CEAF || c >= 0xF900 && c <= 0xFAFF || c >= 0x2F800 && c <= 0x2FA1F
}
