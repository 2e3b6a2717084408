package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
)

const (
	maxFile = 1 << 20 // bytes of a settings file
	maxLine = 16 << 10
)

// A Line is one assignment of a settings file.
type Line struct {
	Number int // counted from 1
	Key    string
	Value  string
}

// Parse reads a settings file: one `key = value` a line. Blank lines, and what follows a # at the start of a line or after a
// blank, are comments. A value that begins with a double quote is a Go string literal, so that it may hold a # or blanks at
// its ends. A key may stand once. Keys and values are not checked here. An error names the line.
func Parse(name string, data []byte) ([]Line, error) {
	if len(data) > maxFile {
		return nil, lukasa.Invalid(name, "is over %d bytes", maxFile)
	}
	var out []Line
	seen := map[string]int{}
	text := strings.TrimPrefix(string(data), "\ufeff")
	for i, raw := range strings.Split(text, "\n") {
		n := i + 1
		l, err := parseLine(strings.TrimSuffix(raw, "\r"))
		if err != nil {
			return nil, lukasa.Invalid(fmt.Sprintf("%s:%d", name, n), "%s", err)
		}
		if l.Key == "" {
			continue
		}
		if before, twice := seen[l.Key]; twice {
			return nil, lukasa.Invalid(fmt.Sprintf("%s:%d", name, n), "%s is set already in line %d", l.Key, before)
		}
		seen[l.Key], l.Number = n, n
		out = append(out, l)
	}
	return out, nil
}

// parseLine reads one line; an empty key means that there is nothing on it.
func parseLine(s string) (Line, error) {
	switch {
	case len(s) > maxLine:
		return Line{}, fmt.Errorf("is over %d bytes", maxLine)
	case !utf8.ValidString(s):
		return Line{}, fmt.Errorf("is not UTF-8")
	case strings.ContainsFunc(s, func(r rune) bool { return r != '\t' && (r < ' ' || r == 0x7f) }):
		return Line{}, fmt.Errorf("holds a control character")
	}
	s = strings.Trim(s, " \t")
	if s == "" || s[0] == '#' {
		return Line{}, nil
	}
	key, value, ok := strings.Cut(s, "=")
	key = strings.Trim(key, " \t")
	if !ok || key == "" || !validKey(key) {
		return Line{}, fmt.Errorf("is not of the form key = value")
	}
	value, err := parseValue(strings.Trim(value, " \t"))
	return Line{Key: key, Value: value}, err
}

func validKey(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

func parseValue(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		lit, err := strconv.QuotedPrefix(s)
		if err != nil {
			return "", fmt.Errorf("has a quoted value without its end, or with a wrong escape")
		}
		if rest := strings.Trim(s[len(lit):], " \t"); rest != "" && rest[0] != '#' {
			return "", fmt.Errorf("has something after the quoted value")
		}
		return strconv.Unquote(lit)
	}
	for i := range len(s) {
		if s[i] == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t') {
			s = strings.TrimRight(s[:i], " \t")
			break
		}
	}
	return s, nil
}
