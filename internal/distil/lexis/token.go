package lexis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what a token is made of.
type Kind uint8

// The kinds of tokens.
const (
	Word   Kind = iota // letters, perhaps with digits and inner marks
	Number             // begins with a digit: 5, 5th, 3.14, 10:30, 2024-03-05, 5pm
	Punct              // one rune that is neither
	Link               // a URL or an e-mail address
)

// Token is one word or mark of a text: the bytes [start, end). low is its lower-case form with ’ written as '. Clitics are
// tokens of their own ("do" "n't", "Anna" "'s"), as in the Penn Treebank.
type Token struct {
	Start, End int
	Low        string
	Kind       Kind
	Upper      bool // begins with a capital
	Shout      bool // all letters are capitals, two at least
}

// Is compares the token's lower-case form.
func (t Token) Is(low string) bool { return t.Low == low }

// Of returns the token's bytes of s.
func (t Token) Of(s string) string { return s[t.Start:t.End] }

// lexer cuts a text into tokens from left to right, in linear time.
type lexer struct {
	s   string
	dst []Token
}

// Lex appends the tokens of s[start:end] to dst. Offsets count from the start of s.
func Lex(dst []Token, s string, start, end int) []Token {
	l := lexer{s: s[:end], dst: slices.Grow(dst, (end-start)/5+2)}
	for i := start; i < end; {
		c := s[i]
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		case c < utf8.RuneSelf && !isAlnum(c):
			l.dst = append(l.dst, Token{Start: i, End: i + 1, Low: s[i : i+1], Kind: Punct})
			i++
		default:
			i = l.step(i)
		}
	}
	return l.dst
}

// step reads the token at i, which is not ASCII punctuation, and returns where the next may begin.
func (l *lexer) step(i int) int {
	r, n := utf8.DecodeRuneInString(l.s[i:])
	switch {
	case unicode.IsSpace(r):
		return i + n
	case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
		low := l.s[i : i+n]
		if r == '’' || r == '‘' {
			low = "'"
		}
		l.dst = append(l.dst, Token{Start: i, End: i + n, Low: low, Kind: Punct})
		return i + n
	}
	end := l.wordEnd(i)
	if l.isLink(i, end) {
		for end < len(l.s) && !strings.ContainsRune(" \t\n\r)>]\"'", rune(l.s[end])) {
			end++
		}
		l.dst = append(l.dst, Token{Start: i, End: end, Low: l.s[i:end], Kind: Link})
		return end
	}
	l.word(i, end)
	return end
}

func (l *lexer) isLink(i, end int) bool {
	switch l.s[i:end] {
	case "http", "https", "ftp", "HTTP", "HTTPS":
		return strings.HasPrefix(l.s[end:], "://")
	}
	return strings.HasPrefix(l.s[i:end], "www.")
}

// wordEnd returns the end of the run of letters, digits and inner marks that begins at i.
func (l *lexer) wordEnd(i int) int {
	s := l.s
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if !isAlnum(c) && (c <= ' ' || !l.joins(i, 1)) {
				return l.signs(i)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && (r != '’' || !l.joins(i, n)) {
			return i
		}
		i += n
	}
	return i
}

// joins reports whether the mark of n bytes at i stands inside a word.
func (l *lexer) joins(i, n int) bool {
	s := l.s
	if i == 0 || i+n >= len(s) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+n:])
	letterBefore, letterAfter := unicode.IsLetter(before), unicode.IsLetter(after)
	digitBefore, digitAfter := unicode.IsDigit(before), unicode.IsDigit(after)
	switch s[i] {
	case '-', '_':
		return (letterBefore || digitBefore) && (letterAfter || digitAfter)
	case '.', '@':
		return (letterBefore || digitBefore) && (letterAfter || digitAfter)
	case '&':
		return unicode.IsUpper(before) && unicode.IsUpper(after)
	case ':', '/', ',':
		if s[i] == ',' && (i+4 > len(s) || !AllDigits(s[i+1:i+4]) || (i+4 < len(s) && isAlnum(s[i+4]))) {
			return false
		}
		return digitBefore && digitAfter
	case '\'':
		return letterAfter && (letterBefore || digitBefore)
	}
	return n > 1 && letterBefore && letterAfter // ’
}

// signs takes the closing signs of C++, C# and 5% into the word that ends at i.
func (l *lexer) signs(i int) int {
	s := l.s
	switch {
	case strings.HasPrefix(s[i:], "++") && s[i-1]|0x20 == 'c':
		return i + 2
	case s[i] == '#' && (s[i-1] == 'C' || s[i-1] == 'F') && (i+1 == len(s) || !isAlnum(s[i+1])):
		return i + 1
	case s[i] == '%' && s[i-1] >= '0' && s[i-1] <= '9':
		return i + 1
	}
	return i
}

// clitics are split off the end of a word.
var clitics = []string{"'s", "'m", "'re", "'ve", "'ll", "'d"}

// hasty are words that are written without their apostrophe, with the clitic that they end in. "Ill", "its" and "well" are words of their own.
var hasty = map[string]string{
	"dont": "n't", "doesnt": "n't", "didnt": "n't", "cant": "n't", "couldnt": "n't", "wouldnt": "n't", "shouldnt": "n't", "wont": "n't", "isnt": "n't",
	"arent": "n't", "wasnt": "n't", "werent": "n't", "havent": "n't", "hasnt": "n't", "hadnt": "n't", "im": "'m", "ive": "'ve", "youve": "'ve",
	"weve": "'ve", "theyve": "'ve", "youre": "'re", "theyre": "'re", "hes": "'s", "shes": "'s", "thats": "'s",
	"theres": "'s", "whats": "'s", "wheres": "'s", "hows": "'s", "whos": "'s", "youll": "'ll", "theyll": "'ll",
}

// word appends the token or tokens of the word [start, end).
func (l *lexer) word(start, end int) {
	raw := l.s[start:end]
	low := strings.ToLower(raw)
	if strings.IndexByte(low, "’"[0]) >= 0 {
		low = strings.ReplaceAll(low, "’", "'")
	}
	if len(low) > 2 && strings.IndexByte(low, '\'') >= 0 {
		if stem, ok := strings.CutSuffix(low, "n't"); ok && stem != "" {
			cut := end - cliticBytes(raw, 3)
			l.add(start, cut, stem)
			l.dst = append(l.dst, Token{Start: cut, End: end, Low: "n't"})
			return
		}
		for _, c := range clitics {
			if stem, ok := strings.CutSuffix(low, c); ok && stem != "" {
				cut := end - cliticBytes(raw, len(c))
				l.add(start, cut, stem)
				l.dst = append(l.dst, Token{Start: cut, End: end, Low: c})
				return
			}
		}
	}
	if c := hasty[low]; c != "" && raw[1:] == low[1:] && !(raw == "Im" && end+1 < len(l.s) && l.s[end+1]-'A' < 26) { // "Im Haus"
		cut := end - len(c) + 1
		l.add(start, cut, low[:len(low)-len(c)+1])
		l.dst = append(l.dst, Token{Start: cut, End: end, Low: c})
		return
	}
	if low == "cannot" {
		l.add(start, start+3, "can")
		l.dst = append(l.dst, Token{Start: start + 3, End: end, Low: "not"})
		return
	}
	l.add(start, end, low)
}

// cliticBytes returns how many bytes the last n letters of raw take, an apostrophe counted once however it is written.
func cliticBytes(raw string, n int) int {
	i := len(raw)
	for ; n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(raw[:i])
		i -= size
	}
	return len(raw) - i
}

func (l *lexer) add(start, end int, low string) {
	t := Token{Start: start, End: end, Low: low}
	raw := l.s[start:end]
	first, _ := utf8.DecodeRuneInString(raw)
	switch {
	case unicode.IsDigit(first):
		t.Kind = Number
	case strings.IndexByte(raw, '@') > 0 && strings.IndexByte(raw, '.') > 0:
		t.Kind = Link
	default:
		t.Upper = unicode.IsUpper(first)
		t.Shout = t.Upper && isShout(raw)
	}
	l.dst = append(l.dst, t)
}

func isShout(raw string) bool {
	letters := 0
	for _, r := range raw {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsUpper(r) {
			letters++
		}
	}
	return letters > 1
}

func isAlnum(c byte) bool { return c|0x20-'a' < 26 || c-'0' < 10 }

// AllDigits reports whether s is one ASCII digit or more and nothing else.
func AllDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
