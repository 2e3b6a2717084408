package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/tamil"
	"golang.org/x/text/unicode/norm"
)

// Token is one searchable term of a text: the bytes [Start, End) of it, at word position Pos. Positions count words that
// are left out too, so that two terms with neighbouring positions stood side by side.
type Token struct {
	Term       string
	Pos        int
	Start, End int
}

// Analyze appends the terms of s, taken as English where a language matters, to dst. See [Analyzer.Each].
func Analyze(dst []Token, s string) []Token {
	var a Analyzer
	a.Each(s, func(term []byte, pos, start, end int) {
		t := s[start:end]
		if t != string(term) {
			t = string(term)
		}
		dst = append(dst, Token{Term: t, Pos: pos, Start: start, End: end})
	})
	return dst
}

// Analyzer turns text into terms. The zero value takes words as English; it keeps buffers, so it is not for concurrent use.
type Analyzer struct {
	buf    []byte
	tongue Tongue
	env    snowballstem.Env
	parts  []Span
	code   []Span // parts of a code
	yield  func(term []byte, pos, start, end int)
	pos    int
	anew   bool // nothing is remembered of any word
}

// Take lets the analyser take words in Latin letters for those of a tongue, until it is told another.
func (a *Analyzer) Take(t Tongue) { a.tongue = t }

// maxTerm is the longest term in bytes; what is longer is cut at a rune bound.
const maxTerm = 64

// Each calls yield for each term of s in order. The bytes of term are only good until yield returns.
//
// Words are runs of letters, marks and digits of any script. Terms are lower case; Latin and Greek accents are folded away
// and so are Arabic and Hebrew vowel points; English words lose their stop words, irregular forms become their base form
// and the rest is stemmed (Snowball), and so are words of another tongue (see [Analyzer.Take]); words in Cyrillic letters are stemmed as Russian, in
// Arabic letters as Arabic and in Tamil letters as Tamil. Words with digits are kept as they are, "1,000" is "1000" and
// "3.14" is one term. Scripts that are written without spaces yield pairs of neighbouring characters, and a picture (🎉) is a term between the words beside it. Identifiers
// (parseHTML, snake_case, os.path) yield the whole in lower case and then their parts; "U.S.A." is "usa". Codes, which are
// words with a digit among them and a hyphen, slash or colon between each two (INV-20913, ISO-8859-1, 10:30), yield their
// words and then the whole, which is the same however it is put together: see [Analyzer.whole]. It never fails and takes
// time linear in len(s).
func (a *Analyzer) Each(s string, yield func(term []byte, pos, start, end int)) {
	a.yield, a.pos = yield, 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf && !isTermByte(c) {
			i++
			continue
		}
		r := rune(c)
		if c >= utf8.RuneSelf {
			var n int
			if r, n = utf8.DecodeRuneInString(s[i:]); !isTermRune(r) {
				if pictograph(r) {
					yield(append(a.buf[:0], s[i:i+n]...), a.pos, i, i+n)
				}
				i += n
				continue
			}
		}
		if unspaced(r) {
			i = a.unspaced(s, i)
			continue
		}
		start, end := i, 0
		if c < utf8.RuneSelf && !a.anew {
			end = a.plain(s, i)
		}
		if end == 0 {
			end = a.word(s, i)
		}
		if i = end; i < len(s) && hyphen(s, i) > 0 {
			i = a.codeFrom(s, start, i)
		}
	}
	a.yield = nil
}

func isTermByte(c byte) bool {
	return c-'a' < 26 || c-'A' < 26 || c-'0' < 10
}

func isTermRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isTermByte(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.Nl, r)
}

// pictograph reports whether r is a picture that stands for something by itself, like 🎉; what changes how one looks is none.
func pictograph(r rune) bool {
	return r >= 0x2600 && r < 0x27c0 && r != 0x2640 && r != 0x2642 || r >= 0x1f300 && r < 0x1fb00 && (r < 0x1f3fb || r > 0x1f3ff)
}

// unspaced reports whether r belongs to a script whose words are not set apart, or so short that pairs serve better.
func unspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r < 0x0f00: // Thai, Lao
		return true
	case r < 0x1000:
		return false
	case r < 0x10a0: // Myanmar
		return true
	case r >= 0x1100 && r < 0x1200, r >= 0x1780 && r < 0x1800: // Hangul jamo, Khmer
		return true
	case r < 0x2e80:
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー' || r == 'ｰ'
}

// unspaced yields the pairs of the run of such characters that starts at i and returns where it ends.
func (a *Analyzer) unspaced(s string, i int) int {
	start, last := i, i
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unspaced(r) {
			break
		}
		if i > start {
			a.pairTerm(s, last, i+n)
		}
		last, i = i, i+n
	}
	if last == start { // one character alone
		a.pairTerm(s, start, i)
	}
	a.pos++ // the last character starts no pair
	return i
}

func (a *Analyzer) pairTerm(s string, start, end int) {
	a.buf = a.buf[:0]
	for _, r := range s[start:end] {
		if r >= 0xff66 && r <= 0xff9d { // half-width katakana
			a.buf = norm.NFKC.AppendString(a.buf, string(r))
			continue
		}
		a.buf = utf8.AppendRune(a.buf, r)
	}
	a.yield(a.buf, a.pos, start, end)
	a.pos++
}

// word reads the word that starts at i, with what may join its parts, yields its terms and returns where it ends.
func (a *Analyzer) word(s string, i int) int {
	start := i
	a.parts = a.parts[:0]
	part, prevLower, digits, upper := i, false, true, 0
	letters := false
	for i < len(s) {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
			if unspaced(r) && isTermRune(r) {
				break
			}
		}
		if !isTermRune(r) {
			join := joins(s, i, n, r, digits)
			if join == 0 {
				break
			}
			if join == 2 && i > part {
				a.parts = append(a.parts, Span{part, i})
			}
			i += n
			if join == 2 {
				part, prevLower, digits, upper = i, false, true, 0
			}
			continue
		}
		isUpper := r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsUpper(r)
		isDigit := r >= '0' && r <= '9' || r >= utf8.RuneSelf && unicode.IsDigit(r)
		switch {
		case isUpper && prevLower: // camel|Case
			a.parts = append(a.parts, Span{part, i})
			part, upper = i, 0
		case !isUpper && !isDigit && upper > 1: // HTTP|Server
			_, back := utf8.DecodeLastRuneInString(s[:i])
			plural := r == 's' && (i+n == len(s) || !isASCIILetter(s[i+n]))
			if !plural && i-back > part { // but not URLs
				a.parts = append(a.parts, Span{part, i - back})
				part = i - back
			}
		}
		if isUpper {
			upper++
		} else {
			upper = 0
		}
		letters = letters || !isDigit
		digits = digits && isDigit
		prevLower = !isUpper && !isDigit
		i += n
	}
	if i > part {
		a.parts = append(a.parts, Span{part, i})
	}
	i = signs(s, start, i)
	a.emit(s, start, i, letters)
	return i
}

func isASCIILetter(c byte) bool { return c|0x20-'a' < 26 }

// joins says what a character between word characters does: 0 ends the word, 1 is skipped inside a part, 2 ends a part.
func joins(s string, i, n int, r rune, digits bool) int {
	if i+n >= len(s) || i == 0 {
		return 0
	}
	next, _ := utf8.DecodeRuneInString(s[i+n:])
	switch r {
	case '\'', '’', 'ʼ', '\u00ad', '\u200c', '\u200d':
		if unicode.IsLetter(next) || unicode.Is(unicode.M, next) {
			return 1
		}
	case '_':
		if isTermRune(next) || next == '_' {
			return 2
		}
	case '.':
		if s[i-1] == '.' || s[i-1] == '_' || !isTermRune(next) || unspaced(next) {
			return 0
		}
		if digits && unicode.IsDigit(next) {
			return 1
		}
		return 2
	case ',':
		if digits && unicode.IsDigit(next) {
			return 1
		}
	}
	return 0
}

// signs takes the signs of C++, C#, F# and the like into the word.
func signs(s string, start, end int) int {
	if end-start != 1 || end >= len(s) || !isASCIILetter(s[start]) {
		return end
	}
	switch {
	case s[end] == '#' && (end+1 == len(s) || !isTermByte(s[end+1])):
		return end + 1
	case end+1 < len(s) && s[end] == '+' && s[end+1] == '+':
		return end + 2
	}
	return end
}

// emit yields the terms of the word [start, end) whose parts have been found.
func (a *Analyzer) emit(s string, start, end int, letters bool) {
	if len(a.parts) == 1 {
		if a.parts[0].End < end { // C++
			a.buf = append(lower(a.buf[:0], s[start:a.parts[0].End]), s[a.parts[0].End:end]...)
			a.yield(clip(a.buf), a.pos, start, end)
			a.pos++
			return
		}
		a.term(s, a.parts[0], false)
		return
	}
	single := true // U.S.A
	for _, p := range a.parts {
		single = single && utf8.RuneCountInString(p.Of(s)) == 1
	}
	a.buf = a.buf[:0]
	for i, p := range a.parts {
		if i > 0 && !single {
			a.buf = append(a.buf, s[a.parts[i-1].End:p.Start]...)
		}
		a.buf = fold(a.buf, p.Of(s))
		if len(a.buf) > maxTerm {
			break
		}
	}
	a.buf = clip(a.buf)
	a.yield(a.buf, a.pos, start, end)
	if single || !letters {
		a.pos++
		return
	}
	for _, p := range a.parts {
		a.term(s, p, true)
	}
}

// term yields one plain word, unless it is a stop word. Of an identifier's parts, single characters are left out.
func (a *Analyzer) term(s string, p Span, part bool) {
	pos := a.pos
	a.pos++
	var b []byte
	if n := p.End - p.Start; n < 2 || n > memoWord || a.anew {
		b = a.reduce(p.Of(s), part)
	} else if k, letters, _ := run(s, p.Start); letters < n {
		b = a.reduce(p.Of(s), part)
	} else {
		b = a.recall(k.first(n), p.Of(s))
	}
	if len(b) > 0 {
		a.yield(b, pos, p.Start, p.End)
	}
}

// reduce returns the term of one plain word, in a.buf; nothing for a stop word, and for a single character that is a part of a word.
func (a *Analyzer) reduce(w string, part bool) []byte {
	b := fold(a.buf[:0], w)
	a.buf = b[:0]
	if len(b) == 0 || part && len(b) == 1 {
		return nil
	}
	plain := true
	for _, c := range b {
		if c-'a' >= 26 {
			plain = false
			break
		}
	}
	if possessive(w) && len(b) > 1 && b[len(b)-1] == 's' {
		b = b[:len(b)-1]
	}
	switch {
	case plain && a.tongue != English:
		b = a.foreign(b, w)
	case plain:
		if stopWords[string(b)] {
			return nil
		}
		if base, ok := irregular[string(b)]; ok {
			b = append(b[:0], base...)
		}
		if len(b) <= maxTerm {
			b = stemEnglish(b)
		}
	case len(b) <= maxTerm:
		b = a.byScript(b)
	}
	if len(b) > 0 {
		a.buf = b[:0]
	}
	return clip(b)
}

// foreign stems a word of the analyser's own tongue; the stemmers want the accents, so folding comes after. It returns nothing for a stop
// word.
func (a *Analyzer) foreign(b []byte, w string) []byte {
	if len(w) > maxTerm {
		return b
	}
	t := &tongues[a.tongue]
	w = string(lower(nil, w))
	switch {
	case t.elides:
		w = elide(w)
	case strings.HasSuffix(w, "'s"): // geht's, Karl's
		w = w[:len(w)-2]
	}
	if stopsOf[a.tongue][w] {
		return nil
	}
	return fold(b[:0], a.stem(t.stem, w))
}

// byScript stems a word in letters that mostly one language is written in. It returns nothing for a stop word.
func (a *Analyzer) byScript(b []byte) []byte {
	switch c := b[0]; {
	case c == 0xd0 || c == 0xd1: // Cyrillic
		if w := string(b); !russianStops[w] {
			return append(b[:0], a.stem(russian.Stem, w)...)
		}
		return nil
	case c >= 0xd8 && c <= 0xdb: // Arabic
		return fold(b[:0], a.stem(arabic.Stem, string(b)))
	case c == 0xe0 && len(b) > 1 && (b[1] == 0xae || b[1] == 0xaf): // Tamil
		return append(b[:0], a.stem(tamil.Stem, string(b))...)
	}
	return b
}

func (a *Analyzer) stem(by func(*snowballstem.Env) bool, w string) string {
	a.env.SetCurrent(w)
	by(&a.env)
	if s := a.env.Current(); s != "" {
		return s
	}
	return w
}

// elide drops an elided article or pronoun, as in l'homme, qu'elle and dell'anno.
func elide(w string) string {
	for i := 1; i <= 6 && i+1 < len(w); i++ {
		if w[i] == '\'' {
			return w[i+1:]
		}
	}
	return w
}

// possessive reports whether w ends in 's.
func possessive(w string) bool {
	n := len(w)
	if n < 3 || w[n-1]|0x20 != 's' {
		return false
	}
	return w[n-2] == '\'' || n > 4 && w[n-4:n-1] == "’"
}

func clip(b []byte) []byte {
	if len(b) <= maxTerm {
		return b
	}
	n := maxTerm
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// lower appends s in lower case, with the apostrophe in one form.
func lower(dst []byte, s string) []byte {
	for _, r := range s {
		if r == '’' || r == 'ʼ' {
			r = '\''
		}
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

// fold appends s in the form in which terms are compared: lower case, without accents, apostrophes, joiners and commas.
func fold(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			return foldSlow(dst, s[i:])
		case c-'A' < 26:
			dst = append(dst, c|0x20)
		case c != '\'' && c != ',':
			dst = append(dst, c)
		}
	}
	return dst
}

func foldSlow(dst []byte, s string) []byte {
	for _, r := range s {
		if r < utf8.RuneSelf {
			if r != '\'' && r != ',' {
				dst = utf8.AppendRune(dst, unicode.ToLower(r))
			}
			continue
		}
		if r < latinEnd {
			dst = append(dst, foldLatin[r]...)
			continue
		}
		if to, ok := foldLetters[r]; ok {
			dst = append(dst, to...)
			continue
		}
		if dropped(r) {
			continue
		}
		if keepWhole(r) {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
			continue
		}
		dst = decompose(dst, r)
	}
	return dst
}

func decompose(dst []byte, r rune) []byte {
	for _, d := range norm.NFKD.String(string(r)) {
		if !dropped(d) {
			dst = utf8.AppendRune(dst, unicode.ToLower(d))
		}
	}
	return dst
}

const latinEnd = 0x250

// foldLatin holds the folded form of the letters before latinEnd, where most accents of European languages stand.
var foldLatin = func() (t [latinEnd]string) {
	for r := rune(utf8.RuneSelf); r < latinEnd; r++ {
		switch to, ok := foldLetters[r]; {
		case ok:
			t[r] = to
		case !dropped(r):
			t[r] = string(decompose(nil, r))
		}
	}
	return t
}()

// foldLetters are letters with a plain spelling that decomposition does not find.
var foldLetters = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'Æ': "ae", 'œ': "oe", 'Œ': "oe", 'ø': "o", 'Ø': "o", 'đ': "d", 'Đ': "d", 'ð': "d", 'Ð': "d",
	'ł': "l", 'Ł': "l", 'ı': "i", 'İ': "i", 'þ': "th", 'Þ': "th", 'ħ': "h", 'Ħ': "h", 'ё': "е", 'Ё': "е", 'ς': "σ",
}

// dropped reports whether a character is left out of terms: combining accents, vowel points of Hebrew and Arabic, tatweel,
// joiners, soft hyphens and apostrophes.
func dropped(r rune) bool {
	switch {
	case r >= 0x0300 && r <= 0x036f, r >= 0x0591 && r <= 0x05c7, r >= 0x064b && r <= 0x0652, r == 0x0670, r == 0x0640:
		return true
	}
	return r == '’' || r == 'ʼ' || r == 0x00ad || r == 0x200c || r == 0x200d
}

// keepWhole reports whether decomposing r would lose a letter of its own.
func keepWhole(r rune) bool {
	return r >= 0x0400 && r < 0x0530 || r >= 0x0900 && r < 0x1e00 && !(r >= 0x1d00 && r < 0x1e00)
}
