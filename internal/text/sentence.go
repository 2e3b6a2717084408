package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a half-open range of bytes [Start, End) of a string; both ends lie
// on rune bounds.
type Span struct{ Start, End int }

// Of returns the bytes of s that the span covers.
func (p Span) Of(s string) string { return s[p.Start:p.End] }

// Sentences yields the sentences of s in order. Spans do not overlap, carry no
// white space at their ends, are never empty, and together cover every byte
// that is not white space. A bound lies at white space or behind a full stop of
// a script written without spaces, never inside a word, a number or an address.
//
// Sentences end at . ! ? and their kin in other scripts, with closing quotes
// and brackets taken along; a blank line, a list item, a heading or a table row
// starts a new one; so does a line end behind a short or an overlong line
// (chats, poems, logs), while the line ends of wrapped prose do not. Abbreviations, initials,
// decimals, list numbers and ellipses inside a sentence do not end it. The rules are
// heuristics of our own, after Kiss and Strunk's observation that most false
// full stops follow short known words. Time is linear in len(s).
func Sentences(s string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		sc := sentenceScanner{s: s}
		for {
			span, ok := sc.next()
			if !ok || !yield(span) {
				return
			}
		}
	}
}

// Paragraphs yields the stretches of s between blank lines, with the
// indentation of their first line and without trailing white space.
func Paragraphs(s string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		start, end := -1, 0
		for i := 0; i < len(s); {
			stop := lineEnd(s, i)
			line := strings.TrimRightFunc(s[i:stop], unicode.IsSpace)
			if line == "" {
				if start >= 0 && !yield(Span{start, end}) {
					return
				}
				start = -1
			} else {
				if start < 0 {
					start = i
				}
				end = i + len(line)
			}
			i = stop + 1
		}
		if start >= 0 {
			yield(Span{start, end})
		}
	}
}

// lineEnd returns the offset of the LF at or after i, or len(s).
func lineEnd(s string, i int) int {
	if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
		return i + j
	}
	return len(s)
}

// A line shorter than shortLine was ended on purpose; one longer than longLine
// was not wrapped, so its end is a real one.
const (
	shortLine = 48
	longLine  = 160
)

// sentenceScanner walks s once, from left to right.
type sentenceScanner struct {
	s    string
	pos  int
	line int // where the line that holds pos begins
}

func (sc *sentenceScanner) next() (Span, bool) {
	start := skipSpace(sc.s, sc.pos)
	if start == len(sc.s) {
		return Span{}, false
	}
	if nl := strings.LastIndexByte(sc.s[sc.pos:start], '\n'); nl >= 0 {
		sc.line = sc.pos + nl + 1
	}
	end := sc.scan(start)
	sc.pos = end
	for end > start {
		r, n := utf8.DecodeLastRuneInString(sc.s[start:end])
		if !unicode.IsSpace(r) {
			break
		}
		end -= n
	}
	return Span{start, end}, true
}

// scan returns where the sentence that begins at start ends; trailing white
// space may be included.
func (sc *sentenceScanner) scan(start int) int {
	s := sc.s
	for i := start; i < len(s); {
		c := s[i]
		switch {
		case c == '\n':
			if breaksLine(s, sc.line, i) {
				return i
			}
			i++
			sc.line = i
		case c == '.' || c == '!' || c == '?':
			stop, ends := asciiStop(s, start, sc.line, i)
			if ends {
				return stop
			}
			i = stop
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			i += n
			switch {
			case r == '…':
				if stop, ends := asciiStop(s, start, sc.line, i-n); ends {
					return stop
				}
			case isWideStop(r):
				return closers(s, stops(s, i))
			case isSpacedStop(r):
				stop := closers(s, stops(s, i))
				if stop == len(s) || spaceAt(s, stop) {
					return stop
				}
				i = stop
			}
		}
	}
	return len(s)
}

// asciiStop judges the run of stops that begins at i. It returns where the
// run with its closing quotes ends, and whether the sentence ends there.
func asciiStop(s string, start, line, i int) (stop int, ends bool) {
	run := stops(s, i)
	stop = closers(s, run)
	if stop == len(s) {
		return stop, true
	}
	next, _ := utf8.DecodeRuneInString(s[stop:])
	if !unicode.IsSpace(next) {
		// "真的吗?是" has no space; everything else is inside a word or address.
		return stop, s[i] != '.' && isWide(next) && wideBefore(s, i)
	}
	dot := s[i] == '.' && run == i+1
	if dot && isListNumber(s, line, i) {
		return stop, false
	}
	after := skipSpace(s, stop)
	if after == len(s) {
		return stop, true
	}
	if nl := strings.IndexByte(s[stop:after], '\n'); nl >= 0 && breaksLine(s, line, stop+nl) {
		return stop, true
	}
	if dot && holdsDot(s, start, i, after) {
		return stop, false
	}
	first, _ := utf8.DecodeRuneInString(s[after:])
	if unicode.IsLower(first) {
		// A writer without capitals ends sentences all the same.
		head, _ := utf8.DecodeRuneInString(s[start:])
		return stop, unicode.IsLower(head) && stop == run && run-i < 3
	}
	return stop, true
}

// holdsDot reports whether the full stop at i belongs to the word before it.
// after is the offset of the next word.
func holdsDot(s string, start, i, after int) bool {
	word := wordBefore(s, start, i)
	if word == "" {
		return false
	}
	next := wordAt(s, after)
	lower := strings.ToLower(word)
	if _, ok := neverEnds[lower]; ok {
		return true
	}
	if _, ok := numbered[lower]; ok && next != "" && isDigit(next[0]) {
		return true
	}
	_, short := mayEnd[lower]
	r, n := utf8.DecodeRuneInString(word)
	initial := n == len(word) && unicode.IsUpper(r)
	if short || initial || dotted(word) {
		_, starter := starters[next]
		return !starter
	}
	if len(word) <= 2 && isDigit(word[0]) {
		_, month := months[next]
		return month
	}
	return false
}

// dotted reports an abbreviation with inner dots such as U.S or p.m, whose
// parts are single letters.
func dotted(word string) bool {
	letters := 0
	for _, r := range word {
		switch {
		case r == '.':
			letters = 0
		case !unicode.IsLetter(r) || letters > 0:
			return false
		default:
			letters++
		}
	}
	return strings.IndexByte(word, '.') > 0
}

// wordBefore returns the word (letters, digits, inner dots) that ends at i, or
// "" when it is longer than any abbreviation.
func wordBefore(s string, start, i int) string {
	const most = 24
	j := i
	for j > start && i-j <= most {
		r, n := utf8.DecodeLastRuneInString(s[start:j])
		if r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		j -= n
	}
	if i-j > most {
		return ""
	}
	return strings.TrimLeft(s[j:i], ".")
}

// wordAt returns the word at i, opening quotes skipped, at most 16 bytes.
func wordAt(s string, i int) string {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !strings.ContainsRune("\"'“‘„«([", r) {
			break
		}
		i += n
	}
	j := i
	for j < len(s) && j-i < 16 {
		r, n := utf8.DecodeRuneInString(s[j:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		j += n
	}
	return s[i:j]
}

// isListNumber reports that s[line:i] is only the number or letter of a list
// item, as in "12. Eggs".
func isListNumber(s string, line, i int) bool {
	if i-line > 12 {
		return false
	}
	w := strings.TrimLeft(s[line:i], " \t>")
	if w == "" || len(w) > 3 {
		return false
	}
	if len(w) == 1 && w[0] >= 'a' && w[0] <= 'z' {
		return true
	}
	return strings.Trim(w, "0123456789") == ""
}

// breaksLine reports whether the line end at nl, of a line that began at
// line, ends the sentence.
func breaksLine(s string, line, nl int) bool {
	next := nl + 1
	for next < len(s) && (s[next] == ' ' || s[next] == '\t' || s[next] == '\r') {
		next++
	}
	if next >= len(s) || s[next] == '\n' {
		return true
	}
	if startsBlock(s[next:min(len(s), next+16)]) {
		return true
	}
	head := s[line:min(len(s), line+8)]
	if strings.HasPrefix(head, "#") || strings.HasPrefix(head, "|") {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s[next:])
	if unicode.IsLower(r) {
		return false
	}
	length := nl - line
	if length < shortLine || length > longLine {
		return true
	}
	return nl > 0 && s[nl-1] == ':'
}

// startsBlock reports that head begins a list item, heading, quote, table row or fence.
func startsBlock(head string) bool {
	switch head[0] {
	case '#', '>', '|':
		return true
	case '-', '*', '+':
		return len(head) > 1 && (head[1] == ' ' || head[1] == '\t')
	case '`', '~':
		return strings.HasPrefix(head, "```") || strings.HasPrefix(head, "~~~")
	}
	if strings.HasPrefix(head, "• ") || strings.HasPrefix(head, "– ") || strings.HasPrefix(head, "— ") {
		return true
	}
	i := 0
	for i < len(head) && i < 4 && isDigit(head[i]) {
		i++
	}
	return i > 0 && i+1 < len(head) && (head[i] == '.' || head[i] == ')') && head[i+1] == ' '
}

// stops returns the end of the run of sentence stops at i.
func stops(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r != '.' && r != '!' && r != '?' && r != '…' && !isWideStop(r) && !isSpacedStop(r) {
			break
		}
		i += n
	}
	return i
}

// closers returns the end of the closing quotes, brackets and emphasis at i.
func closers(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isCloser(r) {
			break
		}
		i += n
	}
	return i
}

func isCloser(r rune) bool {
	switch r {
	case '"', '\'', ')', ']', '}', '*', '_', '»', '”', '’', '」', '』', '）', '】', '》', '〉', '›':
		return true
	}
	return false
}

// isWideStop reports full stops of scripts written without spaces.
func isWideStop(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '．', '‼', '⁉', '⁇', '⁈':
		return true
	}
	return false
}

// isSpacedStop reports full stops of scripts written with spaces: Devanagari,
// Arabic, Urdu, Armenian, Ethiopic, Burmese, Khmer, Tibetan.
func isSpacedStop(r rune) bool {
	switch r {
	case '।', '॥', '؟', '۔', '։', '።', '፧', '။', '។', '།':
		return true
	}
	return false
}

// isWide reports letters of scripts written without spaces.
func isWide(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func wideBefore(s string, i int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return isWide(r)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func skipSpace(s string, i int) int {
	for i < len(s) {
		if c := s[i]; c < utf8.RuneSelf {
			if c != ' ' && (c < '\t' || c > '\r') {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			return i
		}
		i += n
	}
	return i
}

func spaceAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsSpace(r)
}

// wordSet makes a set of the words in a space-separated list.
func wordSet(list string) map[string]struct{} {
	set := map[string]struct{}{}
	for w := range strings.FieldsSeq(list) {
		set[w] = struct{}{}
	}
	return set
}

// Abbreviations, lower case, without the last dot. English, German, French,
// Spanish, Italian, Dutch, Portuguese.
var (
	// neverEnds are always followed by the rest of their phrase.
	neverEnds = wordSet(`mr mrs ms dr prof rev hon gen col capt lt sgt sen rep gov pres st mt
		e.g i.e eg ie vs cf viz approx ca al fa messrs mme mlle hr fr frl sra srta dott ing
		z.b d.h u.a bzw evtl ggf inkl vgl p.ex s.v.p bijv dhr mevr mw sig`)
	// numbered hold their dot before a number: No. 5, Fig. 2, p. 17.
	numbered = wordSet(`no nr nos fig figs p pp vol ch sec art eq ver v pt tab bd abb s kap núm nº
		jan feb mar apr jun jul aug sep sept oct nov dec`)
	// mayEnd end a sentence only when the next word is one that starts sentences.
	mayEnd = wordSet(`etc inc ltd co corp llc plc jr sr bros dept est min max hrs tel ext assn univ
		ave blvd rd usw gmbh a.m p.m u.s u.k u.n e.u ph.d d.c m.d b.a m.a`)
	// starters are words that, capitalised, nearly always begin a sentence.
	starters = wordSet(`The A An I He She It We You They This That These Those There Here My Your His Her
		Its Our Their In On At For From With After Before When While If But And Or So Then However What Why How
		Who Where Is Are Was Were Do Does Did No Yes Not Please As To By Der Die Das Ein Eine Ich Er Sie Es Wir Und
		Aber Le La Les Un Une Il Elle Nous El Los Las`)
	months = wordSet(`Januar Februar März April Mai Juni Juli August September Oktober November Dezember
		Jänner januar februar mars april mai juni juli`)
)
