package rank

import (
	"unicode"
	"unicode/utf8"
)

// Flags are what the ranker wants to know of a text beside its terms. They depend on the text alone, so an index computes
// them once; the layout is stable: bit 0 a question, bit 1 speaks of a time, bit 2 has a number, bits 3-4 how many names,
// quotations and numbers (at most 3), bits 8-15 how densely the writer speaks of himself, in 1/255.
type Flags uint16

const (
	flagQuestion Flags = 1 << iota
	flagTime
	flagNumber
)

// Question reports whether the text ends as a question.
func (f Flags) Question() bool { return f&flagQuestion != 0 }

// Time reports whether the text names a date or a time, absolute or relative.
func (f Flags) Time() bool { return f&flagTime != 0 }

// Number reports whether the text has a number, in digits or in words.
func (f Flags) Number() bool { return f&flagNumber != 0 }

// Names returns how many names (capitalised words inside a sentence), quotations and numbers there are, at most 3.
func (f Flags) Names() int { return int(f >> 3 & 3) }

// Self returns how densely the writer speaks of himself ("I, my, we"), 0..1: 1 is one word in eight.
func (f Flags) Self() float32 { return float32(f>>8) / 255 }

// FlagsOf returns the flags of a text. It takes time linear in len(text) and does not allocate.
func FlagsOf(text string) Flags {
	var f Flags
	if question(text) {
		f |= flagQuestion
	}
	s := wordScanner{text: text}
	self, spaced, names, quotes := 0, 0, 0, 0
	var before, beforeThat wordKind
	for s.next() {
		k := s.kind()
		if s.afterSpace {
			spaced++
		}
		if k&wordSelf != 0 {
			self++
		}
		if k&wordNumber != 0 {
			f |= flagNumber
		}
		if k&wordTime != 0 || timePhrase(beforeThat, before, k) {
			f |= flagTime
		}
		if s.digits || s.upper && s.inside {
			names++
		}
		before, beforeThat = k, before
	}
	for i := 0; i < len(text); i++ {
		if text[i] == '"' {
			quotes++
		}
	}
	names += quotes / 2
	f |= Flags(min(3, names)) << 3
	if self > 0 {
		f |= Flags(max(1, min(255, 255*8*self/max(4, spaced)))) << 8
	}
	return f
}

// question reports whether a text ends with a question mark of any script, but for closing quotes, brackets and the
// remark in brackets that may follow.
func question(s string) bool {
	for {
		r, n := utf8.DecodeLastRuneInString(s)
		if n == 0 {
			return false
		}
		switch {
		case r == '?' || r == '？' || r == '؟' || r == ';':
			return true
		case r == ']':
			open := -1
			for i := len(s) - n - 1; i >= 0 && open < 0; i-- {
				if s[i] == '[' {
					open = i
				}
			}
			if open <= 0 {
				return false
			}
			s = s[:open]
			continue
		case unicode.IsSpace(r) || r == '"' || r == '\'' || r == ')' || r == '”' || r == '’' || r == '*':
			s = s[:len(s)-n]
			continue
		}
		return false
	}
}

// timePhrase reports whether three words in a row end in one like "last week", "this morning", "two days", "a few years".
func timePhrase(a, b, c wordKind) bool {
	switch {
	case c&wordPeriod != 0 && b&wordNear != 0:
		return true
	case c&wordSpan == 0:
		return false
	}
	return b&wordCount != 0 || b&wordOf != 0 && a&wordCount != 0
}

// wordKind is a set of what a word may be.
type wordKind uint16

const (
	wordSelf   wordKind = 1 << iota // I, my, we
	wordNumber                      // seven, twice, 12
	wordTime                        // a time by itself: yesterday, March, 2024
	wordNear                        // last, next, this
	wordPeriod                      // week, summer, morning, after such a word
	wordSpan                        // day, weeks, after a number
	wordCount                       // a, two, few, 12
	wordOf
)

// wordKinds are English words that say something about the text that they stand in.
var wordKinds = func() map[string]wordKind {
	m := map[string]wordKind{}
	for _, e := range []struct {
		kind  wordKind
		words string
	}{
		{wordSelf, "i i'm i've i'd i'll im ive my me mine myself we we've we're we'll our ours us"},
		{wordNumber, "one two three four five six seven eight nine ten eleven twelve twice once couple several dozen first second third another"},
		{wordTime, `yesterday today tonight tomorrow ago since weekend recently just january february march april may june july august
			september october november december monday tuesday wednesday thursday friday saturday sunday`},
		{wordNear, "last next this past"},
		{wordPeriod, `week weekend month year night morning evening summer winter spring fall autumn monday tuesday wednesday thursday friday
			saturday sunday weeks months years`},
		{wordSpan, "day days week weeks month months year years"},
		{wordCount, "a one two three four five six seven eight nine ten few couple several"},
		{wordOf, "of"},
	} {
		for w := range fields(e.words) {
			m[w] |= e.kind
		}
	}
	return m
}()

// kindLengths has, by their first byte, the lengths of the words of wordKinds: a bit each.
var kindLengths = func() (t [256]uint32) {
	for w := range wordKinds {
		t[w[0]] |= 1 << len(w)
	}
	return t
}()

func fields(s string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for start := 0; start < len(s); {
			for start < len(s) && s[start] <= ' ' {
				start++
			}
			end := start
			for end < len(s) && s[end] > ' ' {
				end++
			}
			if end > start && !yield(s[start:end]) {
				return
			}
			start = end
		}
	}
}

// wordScanner reads the words of a text, lower-cased, apostrophes kept in one form: don't, user's.
type wordScanner struct {
	text       string
	at         int // behind the word
	start      int // where the word starts
	buf        [32]byte
	n          int  // length of the word in buf; what is longer is cut
	upper      bool // starts with a capital
	digits     bool // nothing but digits
	inside     bool // a small letter or a comma stands one space before it
	afterSpace bool // the first word of what stands between blanks
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
	s.n, s.upper, s.digits = 0, false, true
	s.afterSpace = start == 0 || s.text[start-1] <= ' '
	s.inside = start > 1 && s.text[start-1] == ' ' && endsInside(s.text[:start-1])
	for s.at < len(s.text) {
		if c := s.text[s.at]; c|0x20-'a' < 26 { // most of all letters
			s.upper = s.upper || s.at == start && c < 'a'
			s.digits = false
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
		s.digits = s.digits && r >= '0' && r <= '9'
		s.put(unicode.ToLower(r))
		s.at += n
	}
}

func (s *wordScanner) put(r rune) {
	if s.n+utf8.UTFMax <= len(s.buf) {
		s.n += utf8.EncodeRune(s.buf[s.n:], r)
	}
}

// endsInside reports whether a capital behind s would stand inside a sentence.
func endsInside(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r == ',' || r == ';' || r == ':' || unicode.IsLower(r)
}

func (s *wordScanner) kind() wordKind {
	if s.digits {
		k := wordNumber | wordCount
		if s.n == 4 {
			k |= wordTime
		}
		return k
	}
	if s.n >= 32 || kindLengths[s.buf[0]]>>s.n&1 == 0 { // looking up the others costs more than reading them
		return 0
	}
	return wordKinds[string(s.word())]
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}
