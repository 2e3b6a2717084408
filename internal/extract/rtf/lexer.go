package rtf

// kind is the kind of a token.
type kind uint8

const (
	end     kind = iota
	opening      // a group
	closing
	control // a word, or a single sign such as \~
	char    // bytes of text in the code page
)

// token is a piece of RTF.
type token struct {
	kind   kind
	word   string // of a control
	number int    // its parameter
	has    bool   // there is one
	bytes  []byte // of text; or the data of \bin
}

// lexer cuts RTF into tokens. It never fails: what is no RTF is text.
type lexer struct {
	data []byte
	at   int
}

// next returns the next token.
func (l *lexer) next() token {
	for l.at < len(l.data) {
		c := l.data[l.at]
		switch c {
		case '{':
			l.at++
			return token{kind: opening}
		case '}':
			l.at++
			return token{kind: closing}
		case '\\':
			return l.control()
		case '\r', '\n', 0:
			l.at++
			continue
		}
		start := l.at
		for l.at < len(l.data) {
			if c := l.data[l.at]; c == '{' || c == '}' || c == '\\' || c == '\r' || c == '\n' || c == 0 {
				break
			}
			l.at++
		}
		return token{kind: char, bytes: l.data[start:l.at]}
	}
	return token{}
}

// control reads what follows a backslash.
func (l *lexer) control() token {
	l.at++
	if l.at >= len(l.data) {
		return token{}
	}
	c := l.data[l.at]
	if !isLetter(c) {
		l.at++
		switch c {
		case '\'':
			return l.hex()
		case '\r', '\n': // stands for a paragraph
			return token{kind: control, word: "par"}
		case '\\', '{', '}':
			return token{kind: char, bytes: l.data[l.at-1 : l.at]}
		}
		return token{kind: control, word: string(rune(c))}
	}
	start := l.at
	for l.at < len(l.data) && isLetter(l.data[l.at]) && l.at-start < 32 {
		l.at++
	}
	t := token{kind: control, word: string(l.data[start:l.at])}
	sign := 1
	if l.at+1 < len(l.data) && l.data[l.at] == '-' && isDigit(l.data[l.at+1]) {
		sign = -1
		l.at++
	}
	for digits := 0; l.at < len(l.data) && isDigit(l.data[l.at]) && digits < 9; digits++ {
		t.number, t.has = t.number*10+int(l.data[l.at]-'0'), true
		l.at++
	}
	t.number *= sign
	if l.at < len(l.data) && l.data[l.at] == ' ' {
		l.at++
	}
	if t.word == "bin" && t.number > 0 {
		n := min(t.number, len(l.data)-l.at)
		t.bytes = l.data[l.at : l.at+n]
		l.at += n
	}
	return t
}

// hex reads a byte that is written as two digits.
func (l *lexer) hex() token {
	if l.at+1 < len(l.data) {
		hi, lo := hexValue(l.data[l.at]), hexValue(l.data[l.at+1])
		if hi >= 0 && lo >= 0 {
			l.at += 2
			return token{kind: char, bytes: []byte{byte(hi<<4 | lo)}}
		}
	}
	return token{kind: control, word: "'"}
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
