package pg

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind byte

const (
	tokenSpace  tokenKind = iota // and comments
	tokenWord                    // a name or keyword, not quoted
	tokenQuoted                  // "a name"
	tokenText                    // 'a literal'
	tokenBlob                    // x'00'
	tokenNumber
	tokenParam // ?5
	tokenOther // an operator, a bracket, a comma
)

type token struct {
	kind tokenKind
	text string
}

// operators of more than one character, longer ones first.
var operators = []string{"->>", "::", "->", "||", "<=", ">=", "<>", "!=", "=="}

// tokenise cuts a text into tokens that make the text when they are put together again.
func tokenise(sql string) ([]token, error) {
	var list []token
	for sql != "" {
		k, err := nextToken(sql)
		if err != nil {
			return nil, err
		}
		list = append(list, k)
		sql = sql[len(k.text):]
	}
	return list, nil
}

func nextToken(sql string) (token, error) {
	c, size := utf8.DecodeRuneInString(sql)
	take := func(kind tokenKind, n int) (token, error) { return token{kind, sql[:n]}, nil }
	switch {
	case unicode.IsSpace(c):
		return take(tokenSpace, span(sql, unicode.IsSpace))
	case strings.HasPrefix(sql, "--"):
		if n := strings.IndexByte(sql, '\n'); n >= 0 {
			return take(tokenSpace, n+1)
		}
		return take(tokenSpace, len(sql))
	case strings.HasPrefix(sql, "/*"):
		n := strings.Index(sql, "*/")
		if n < 0 {
			return token{}, errors.New("a comment does not end")
		}
		return take(tokenSpace, n+2)
	case (c == 'x' || c == 'X') && strings.HasPrefix(sql[1:], "'"):
		n, err := quoted(sql[1:], '\'')
		if err != nil {
			return token{}, err
		}
		return take(tokenBlob, n+1)
	case c == '\'':
		n, err := quoted(sql, '\'')
		if err != nil {
			return token{}, err
		}
		return take(tokenText, n)
	case c == '"':
		n, err := quoted(sql, '"')
		if err != nil {
			return token{}, err
		}
		return take(tokenQuoted, n)
	case c >= '0' && c <= '9':
		return take(tokenNumber, number(sql))
	case c == '?':
		return take(tokenParam, 1+span(sql[1:], func(c rune) bool { return c >= '0' && c <= '9' }))
	case wordRune(c):
		return take(tokenWord, span(sql, wordRune))
	}
	for _, op := range operators {
		if strings.HasPrefix(sql, op) {
			return take(tokenOther, len(op))
		}
	}
	return take(tokenOther, size)
}

func wordRune(c rune) bool {
	return c == '_' || c == '$' || unicode.IsLetter(c) || unicode.IsDigit(c)
}

// span is the length of the prefix whose runes are of a kind.
func span(s string, is func(rune) bool) int {
	if n := strings.IndexFunc(s, func(c rune) bool { return !is(c) }); n >= 0 {
		return n
	}
	return len(s)
}

// number is the length of the number that s begins with.
func number(s string) int {
	n := span(s, func(c rune) bool { return c == '.' || wordRune(c) })
	if n < len(s) && (s[n] == '+' || s[n] == '-') && strings.ContainsAny(s[n-1:n], "eE") {
		n += 1 + span(s[n+1:], wordRune)
	}
	return n
}

// quoted is the length of what s begins with, up to the quote that ends it. A doubled quote stands for one.
func quoted(s string, quote byte) (int, error) {
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			continue
		}
		if i+1 < len(s) && s[i+1] == quote {
			i++
			continue
		}
		return i + 1, nil
	}
	return 0, errors.New("a literal or a name in quotes does not end")
}
