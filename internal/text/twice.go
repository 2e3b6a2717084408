package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// Twice is how the error of [GivenTwice] ends.
const Twice = " is given twice"

// GivenTwice says where in a JSON text an object has the same key twice, as in "messages[1].role is given twice". Programs differ in
// which of the two they take. What is no JSON has to be found out before.
func GivenTwice(data []byte) error {
	s := keyScanner{b: data}
	if where := s.value(); where != "" {
		return errors.New(where + Twice)
	}
	return nil
}

// keyScanner goes through JSON that is known to be well formed.
type keyScanner struct {
	b    []byte
	i    int
	keys [][]byte // of the objects around the place that is read
}

// fewKeys is how many keys of an object are compared one by one.
const fewKeys = 32

func (s *keyScanner) value() string {
	switch s.peek() {
	case '{':
		return s.object()
	case '[':
		s.i++
		for n := 0; ; n++ {
			switch s.peek() {
			case ',':
				s.i++
			case ']', 0:
				s.i++
				return ""
			}
			if in := s.value(); in != "" {
				return "[" + strconv.Itoa(n) + "]" + member(in)
			}
		}
	case '"':
		s.text()
	default:
		for s.i < len(s.b) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(s.b[s.i])) {
			s.i++
		}
	}
	return ""
}

func (s *keyScanner) object() string {
	s.i++
	base := len(s.keys)
	var many map[string]bool
	for {
		switch s.peek() {
		case ',':
			s.i++
			continue
		case '"':
		default:
			s.i++
			s.keys = s.keys[:base]
			return ""
		}
		key := s.text()
		if bytes.IndexByte(key, '\\') >= 0 {
			key = unescaped(key)
		}
		if many == nil {
			for _, k := range s.keys[base:] {
				if bytes.Equal(k, key) {
					return named(key)
				}
			}
			if s.keys = append(s.keys, key); len(s.keys)-base == fewKeys {
				many = make(map[string]bool, 2*fewKeys)
				for _, k := range s.keys[base:] {
					many[string(k)] = true
				}
			}
		} else if many[string(key)] {
			return named(key)
		} else {
			many[string(key)] = true
		}
		if s.peek() == ':' {
			s.i++
		}
		if in := s.value(); in != "" {
			return string(key) + member(in)
		}
	}
}

// peek passes over space and returns the byte that comes next, 0 at the end.
func (s *keyScanner) peek() byte {
	for ; s.i < len(s.b); s.i++ {
		if c := s.b[s.i]; c > ' ' {
			return c
		}
	}
	return 0
}

// text passes over a string and returns what is between its quotes.
func (s *keyScanner) text() []byte {
	s.i++
	for from := s.i; s.i < len(s.b); s.i++ {
		switch s.b[s.i] {
		case '\\':
			s.i++
		case '"':
			s.i++
			return s.b[from : s.i-1]
		}
	}
	return nil
}

func unescaped(key []byte) []byte {
	var s string
	if json.Unmarshal(append(append([]byte{'"'}, key...), '"'), &s) != nil {
		return key
	}
	return []byte(s)
}

func named(key []byte) string {
	if len(key) == 0 {
		return `""`
	}
	return string(key)
}

func member(path string) string {
	if path[0] == '[' {
		return path
	}
	return "." + path
}
