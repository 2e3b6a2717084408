package text

import (
	"bytes"
	"slices"
)

// stemEnglish reduces an English word in lower-case ASCII letters to its stem, in place where it can: the result shares
// w's array and may be one byte longer than what was cut (w must have a byte of spare capacity or be copied by append).
//
// It is the Snowball English stemmer ("Porter2", https://snowballstem.org/algorithms/english/stemmer.html), for words
// whose apostrophes are gone already.
func stemEnglish(w []byte) []byte {
	if len(w) <= 2 {
		return w
	}
	if s, ok := stemExceptions[string(w)]; ok {
		return append(w[:0], s...)
	}
	markY(w)
	r1, r2 := regions(w)
	w = stem1a(w)
	if !stemStops[string(w)] {
		w = stem1b(w, r1)
		w = stem1c(w)
		w = stem2(w, r1)
		w = stem3(w, r1, r2)
		w = stem4(w, r2)
		w = stem5(w, r1, r2)
	}
	for i, c := range w {
		if c == 'Y' {
			w[i] = 'y'
		}
	}
	return w
}

var stemExceptions = map[string]string{
	"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl", "gently": "gentl",
	"ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe",
	"atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}

// stemStops are the words that stay as they are behind step 1a.
var stemStops = map[string]bool{
	"inning": true, "outing": true, "canning": true, "herring": true, "earring": true, "proceed": true, "exceed": true, "succeed": true,
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

// markY turns each y that is a consonant into Y.
func markY(w []byte) {
	for i, c := range w {
		if c == 'y' && (i == 0 || isVowel(w[i-1])) {
			w[i] = 'Y'
		}
	}
}

// regions returns where R1 and R2 start: behind the first consonant that follows a vowel, and the same again within R1.
func regions(w []byte) (r1, r2 int) {
	r1 = -1
	for _, p := range [...]string{"gener", "commun", "arsen"} {
		if len(w) >= len(p) && string(w[:len(p)]) == p {
			r1 = len(p)
		}
	}
	if r1 < 0 {
		r1 = region(w, 0)
	}
	return r1, region(w, r1)
}

func region(w []byte, from int) int {
	for i := from + 1; i < len(w); i++ {
		if !isVowel(w[i]) && isVowel(w[i-1]) {
			return i + 1
		}
	}
	return len(w)
}

func hasVowel(w []byte) bool {
	return slices.ContainsFunc(w, isVowel)
}

// endsShort reports whether w ends in a short syllable.
func endsShort(w []byte) bool {
	n := len(w)
	switch {
	case n < 2:
		return false
	case n == 2:
		return isVowel(w[0]) && !isVowel(w[1])
	}
	c := w[n-1]
	return !isVowel(c) && c != 'w' && c != 'x' && c != 'Y' && isVowel(w[n-2]) && !isVowel(w[n-3])
}

func cut(w []byte, suffix string) ([]byte, bool) {
	n := len(w) - len(suffix)
	if n < 0 || w[len(w)-1] != suffix[len(suffix)-1] || w[n] != suffix[0] || string(w[n:]) != suffix {
		return w, false
	}
	return w[:len(w)-len(suffix)], true
}

func stem1a(w []byte) []byte {
	if s, ok := cut(w, "sses"); ok {
		return append(s, "ss"...)
	}
	for _, x := range [...]string{"ied", "ies"} {
		if s, ok := cut(w, x); ok {
			if len(s) > 1 {
				return append(s, 'i')
			}
			return append(s, "ie"...)
		}
	}
	n := len(w)
	if w[n-1] != 's' || w[n-2] == 'u' || w[n-2] == 's' {
		return w
	}
	if hasVowel(w[:n-2]) {
		return w[:n-1]
	}
	return w
}

func stem1b(w []byte, r1 int) []byte {
	for _, x := range [...]string{"eedly", "eed"} {
		if s, ok := cut(w, x); ok {
			if len(s) >= r1 {
				return append(s, "ee"...)
			}
			return w
		}
	}
	for _, x := range [...]string{"ingly", "edly", "ing", "ed"} {
		s, ok := cut(w, x)
		if !ok {
			continue
		}
		if !hasVowel(s) {
			return w
		}
		n := len(s)
		switch {
		case bytes.HasSuffix(s, []byte("at")), bytes.HasSuffix(s, []byte("bl")), bytes.HasSuffix(s, []byte("iz")):
			return append(s, 'e')
		case n > 1 && s[n-1] == s[n-2] && bytes.IndexByte([]byte("bdfgmnprt"), s[n-1]) >= 0:
			return s[:n-1]
		case r1 >= n && endsShort(s):
			return append(s, 'e')
		}
		return s
	}
	return w
}

func stem1c(w []byte) []byte {
	n := len(w)
	if n > 2 && (w[n-1] == 'y' || w[n-1] == 'Y') && !isVowel(w[n-2]) {
		w[n-1] = 'i'
	}
	return w
}

type suffixRule struct{ suffix, to string }

// The rules of steps 2 and 3, longest first where one ends in another.
var (
	stem2Rules = [...]suffixRule{
		{"ational", "ate"},
		{"ization", "ize"},
		{"fulness", "ful"},
		{"ousness", "ous"},
		{"iveness", "ive"},
		{"tional", "tion"},
		{"biliti", "ble"},
		{"lessli", "less"},
		{"entli", "ent"},
		{"ation", "ate"},
		{"alism", "al"},
		{"aliti", "al"},
		{"ousli", "ous"},
		{"iviti", "ive"},
		{"fulli", "ful"},
		{"enci", "ence"},
		{"anci", "ance"},
		{"abli", "able"},
		{"izer", "ize"},
		{"ator", "ate"},
		{"alli", "al"},
		{"bli", "ble"},
		{"ogi", "og"},
		{"li", ""},
	}
	stem3Rules = [...]suffixRule{
		{"ational", "ate"},
		{"tional", "tion"},
		{"alize", "al"},
		{"icate", "ic"},
		{"iciti", "ic"},
		{"ative", ""},
		{"ical", "ic"},
		{"ness", ""},
		{"ful", ""},
	}
	stem4Rules = [...]string{
		"ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion", "al", "er", "ic",
	}
)

func stem2(w []byte, r1 int) []byte {
	for _, r := range stem2Rules {
		s, ok := cut(w, r.suffix)
		if !ok {
			continue
		}
		if len(s) < r1 {
			return w
		}
		switch r.suffix {
		case "ogi":
			if len(s) == 0 || s[len(s)-1] != 'l' {
				return w
			}
		case "li":
			if len(s) == 0 || bytes.IndexByte([]byte("cdeghkmnrt"), s[len(s)-1]) < 0 {
				return w
			}
		}
		return append(s, r.to...)
	}
	return w
}

func stem3(w []byte, r1, r2 int) []byte {
	for _, r := range stem3Rules {
		s, ok := cut(w, r.suffix)
		if !ok {
			continue
		}
		if len(s) < r1 || r.suffix == "ative" && len(s) < r2 {
			return w
		}
		return append(s, r.to...)
	}
	return w
}

func stem4(w []byte, r2 int) []byte {
	for _, x := range stem4Rules {
		s, ok := cut(w, x)
		if !ok {
			continue
		}
		if len(s) < r2 || x == "ion" && (len(s) == 0 || s[len(s)-1] != 's' && s[len(s)-1] != 't') {
			return w
		}
		return s
	}
	return w
}

func stem5(w []byte, r1, r2 int) []byte {
	n := len(w) - 1
	switch {
	case n < 0:
	case w[n] == 'e':
		if n >= r2 || n >= r1 && !endsShort(w[:n]) {
			return w[:n]
		}
	case w[n] == 'l':
		if n >= r2 && n > 0 && w[n-1] == 'l' {
			return w[:n]
		}
	}
	return w
}
