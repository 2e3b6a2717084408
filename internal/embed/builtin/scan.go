package builtin

import (
	"unicode"
	"unicode/utf8"
)

// maxTokenRunes is where a token is cut.
const maxTokenRunes = 40

// Classes of the bytes below 0x80.
const (
	other byte = iota
	letter
	digit
)

// classes and lower describe ASCII.
var classes, lower = asciiTables()

func asciiTables() (class, low [utf8.RuneSelf]byte) {
	for c := range byte(utf8.RuneSelf) {
		low[c] = c
		switch {
		case c >= 'a' && c <= 'z':
			class[c] = letter
		case c >= 'A' && c <= 'Z':
			class[c], low[c] = letter, c+'a'-'A'
		case c >= '0' && c <= '9':
			class[c] = digit
		}
	}
	return class, low
}

// scanner cuts a text into tokens: runs of letters with inner apostrophes, or runs of decimal digits, folded and
// lower-cased. It allocates nothing.
type scanner struct {
	fold *[foldPages]*[256]string
	text string // what is left to read
	rest string // what is left of a folded character
	back rune   // a rune to read again, or -1
}

const eof = -1

// read returns the next normalised rune, or eof.
func (s *scanner) read() rune {
	if s.back >= 0 {
		r := s.back
		s.back = -1
		return r
	}
	if s.rest != "" {
		r, n := utf8.DecodeRuneInString(s.rest)
		s.rest = s.rest[n:]
		return lowerRune(r)
	}
	if s.text == "" {
		return eof
	}
	if c := s.text[0]; c < utf8.RuneSelf {
		s.text = s.text[1:]
		return rune(lower[c])
	}
	r, n := utf8.DecodeRuneInString(s.text)
	s.text = s.text[n:]
	if int(r)>>8 < foldPages {
		if page := s.fold[r>>8]; page != nil && page[r&255] != "" {
			s.rest = page[r&255]
			return s.read()
		}
	}
	return lowerRune(r)
}

func lowerRune(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(lower[r])
	}
	if r = unicode.ToLower(r); r == 'ς' {
		return 'σ'
	}
	return r
}

func class(r rune) byte {
	switch {
	case r < 0:
		return other
	case r < utf8.RuneSelf:
		return classes[r]
	case unicode.IsDigit(r):
		return digit
	case unicode.IsLetter(r), unicode.Is(unicode.No, r), unicode.Is(unicode.Nl, r):
		return letter
	}
	return other
}

// next appends the next token to buf. Nothing is appended at the end of the text; a token is never empty.
func (s *scanner) next(buf []byte) []byte {
	for {
		switch r := s.read(); {
		case r == eof:
			return buf
		case class(r) == letter:
			return s.word(buf, r)
		case class(r) == digit:
			return s.number(buf, r)
		}
	}
}

func (s *scanner) number(buf []byte, r rune) []byte {
	for n := 0; class(r) == digit; r = s.read() {
		if n < maxTokenRunes {
			buf = utf8.AppendRune(buf, r)
		}
		n++
	}
	s.back = r
	return buf
}

// word reads a run of letters with inner apostrophes. A final 's is dropped, other apostrophes are left out: don't is
// dont. The cut at 40 letters comes after that.
func (s *scanner) word(buf []byte, r rune) []byte {
	letters := 0    // all letters of the run
	tail := -1      // letters after the last apostrophe, -1 without one
	var last rune   // the last letter
	apostrophe := 0 // 1 after an apostrophe that may be inner
	for {
		switch {
		case class(r) == letter:
			if apostrophe == 1 {
				apostrophe, tail = 0, 0
			}
			if letters < maxTokenRunes {
				buf = utf8.AppendRune(buf, r)
			}
			letters++
			if tail >= 0 {
				tail++
			}
			last = r
		case r == '\'' && apostrophe == 0:
			apostrophe = 1
		default:
			s.back = r
			if tail == 1 && last == 's' && letters <= maxTokenRunes {
				buf = buf[:len(buf)-1]
			}
			return buf
		}
		r = s.read()
	}
}
