package rank

import (
	"unicode"
	"unicode/utf8"
)

// wordScanner reads the words of a text, lower-cased, apostrophes kept in one form: don't, user's.
type wordScanner struct {
	text  string
	at    int // behind the word
	start int // where the word starts
	buf   [32]byte
	n     int  // length of the word in buf; what is longer is cut
	upper bool // starts with a capital
}

func (s *wordScanner) word() []byte { return s.buf[:s.n] }

// next goes to the next word and reports whether there is one.
func (s *wordScanner) next() bool {
	for s.at < len(s.text) {
		r, n := rune(s.text[s.at]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s.text[s.at:])
		}
		if isWordRune(r) {
			s.read()
			return true
		}
		s.at += n
	}
	return false
}

func (s *wordScanner) read() {
	start := s.at
	s.start = start
	s.n, s.upper = 0, false
	for s.at < len(s.text) {
		if c := s.text[s.at]; c|0x20-'a' < 26 { // most of all letters
			s.upper = s.upper || s.at == start && c < 'a'
			if s.n+utf8.UTFMax <= len(s.buf) {
				s.buf[s.n] = c | 0x20
				s.n++
			}
			s.at++
			continue
		}
		r, n := rune(s.text[s.at]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s.text[s.at:])
		}
		if r == '\'' || r == '’' {
			next, _ := utf8.DecodeRuneInString(s.text[s.at+n:])
			if !unicode.IsLetter(next) {
				return
			}
			s.put('\'')
			s.at += n
			continue
		}
		if !isWordRune(r) {
			return
		}
		if s.at == start {
			s.upper = unicode.IsUpper(r)
		}
		s.put(unicode.ToLower(r))
		s.at += n
	}
}

func (s *wordScanner) put(r rune) {
	if s.n+utf8.UTFMax <= len(s.buf) {
		s.n += utf8.EncodeRune(s.buf[s.n:], r)
	}
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}
