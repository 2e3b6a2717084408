package brief

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A signed text has this form:
//
//	<lukasa-brief tag="q3Jx0d2vJm8TtY1b"> ~482913557
//	first line of the text ~117204938
//	…
//	</lukasa-brief tag="q3Jx0d2vJm8TtY1b"> ~905512740
//
// The tag is the first 96 bits of an HMAC-SHA256 over the words between the two lines; the number that ends each line is
// made of 30 bits of one over the words of that line. So the whole is known by its tag, and each whole line by itself where a
// model echoes only some of them. Words are runs of letters and digits in lower case: indentation, quote marks, bullets, emphasis and
// wrapping do not matter. Thirty bits are enough for a line: what a forger who guesses one would win is that a line of
// his own is not distilled; it is kept word for word all the same.
const (
	openMark   = "<lukasa-brief tag=\""
	closeMark  = "</lukasa-brief tag=\""
	markEnd    = "\">"
	markName   = "lukasa-brief"
	tagLen     = 16 // base64 letters
	lineMark   = '~'
	lineLen    = 9           // digits
	lineMod    = 1e9         // which they stand for
	maxStarts  = 4           // places in a line at which a marked part may begin, behind the first
	decoration = " \t>*-+|`" // what may stand around a line that is quoted
	kindText   = "text"      // what a tag is over, so that one never passes for another
	kindLine   = "line"
)

// Sign wraps a text into its markers. What looks like a marker inside is defused first. Without a key there can be no
// signature: the text comes back as it is. An empty text stays empty.
func Sign(text string, key []byte) string {
	if len(key) == 0 || strings.TrimSpace(text) == "" {
		return text
	}
	text = defuse(text)
	tag := textTag(text, key)
	var b strings.Builder
	b.Grow(len(text) + len(text)/4 + 128)
	writeLine(&b, openMark+tag+markEnd, key)
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		writeLine(&b, line, key)
	}
	writeLine(&b, closeMark+tag+markEnd, key)
	return strings.TrimSuffix(b.String(), "\n")
}

// defuse keeps a text from opening or closing a marker.
func defuse(s string) string { return strings.ReplaceAll(s, markName, "lukasa brief") }

func writeLine(b *strings.Builder, line string, key []byte) {
	line = strings.TrimRight(line, " \t\r")
	b.WriteString(line)
	h := newSum()
	if h.words(line) > 0 {
		fmt.Fprintf(b, " %c%09d", lineMark, lineNumber(h, key))
	}
	b.WriteByte('\n')
}

// sum reads words into a hash.
type sum struct {
	hash.Hash
	inWord bool
	count  int // words
	buf    [utf8.UTFMax]byte
}

func newSum() *sum { return &sum{Hash: sha256.New()} }

// words adds the words of s and returns how many there were so far. Each word is followed by one space.
func (h *sum) words(s string) int {
	for _, r := range s {
		if r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)) {
			if !h.inWord {
				h.inWord = true
				h.count++
			}
			h.Write(h.buf[:utf8.EncodeRune(h.buf[:], unicode.ToLower(r))])
			continue
		}
		h.gap()
	}
	return h.count
}

// gap ends a word.
func (h *sum) gap() {
	if h.inWord {
		h.inWord = false
		h.Write([]byte{' '})
	}
}

// mac signs the words so far, of which more may follow.
func (h *sum) mac(kind string, key []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte("lukasa brief 1 " + kind + "\x00"))
	m.Write(h.Sum(nil))
	return m.Sum(nil)
}

// lineNumber is the number that ends a line.
func lineNumber(h *sum, key []byte) uint32 {
	h.gap()
	return uint32(uint64(binary.BigEndian.Uint32(h.mac(kindLine, key))) % lineMod)
}

// textTag signs the words of a text, the numbers of its lines left out.
func textTag(s string, key []byte) string {
	h := newSum()
	for s != "" {
		at, end := nextNumber(s)
		h.words(s[:at])
		h.gap()
		s = s[end:]
	}
	return base64.URLEncoding.EncodeToString(h.mac(kindText, key)[:tagLen*3/4])
}

// nextNumber finds the first ~ with nine digits, and no more, behind it: bytes [at, end) of s, both len(s) when there is none.
func nextNumber(s string) (at, end int) {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], lineMark)
		if i < 0 {
			return len(s), len(s)
		}
		at, end = from+i, from+i+1
		for end < len(s) && end-at <= lineLen+1 && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		if end-at == lineLen+1 {
			return at, end
		}
		from = at + 1
	}
}

// Span is a part of a text that is marked as recalled: bytes [Start, End). One that is not verified looks like it and is
// not, or not any more: its signature is wrong.
type Span struct {
	Start    int  `json:"start"`
	End      int  `json:"end"`
	Verified bool `json:"verified"`
}

// Marked finds what is marked in a text, in order and without overlap: whole signed texts, single signed lines, and
// what only pretends to be (Verified false), which is everything between a wrong pair of markers less the signed lines in
// it. It takes time linear in the text.
func Marked(text string, key []byte) []Span {
	if !strings.Contains(text, markName) && strings.IndexByte(text, lineMark) < 0 {
		return nil
	}
	var out []Span
	at := 0
	for _, p := range pairs(text, key) {
		out = appendLines(out, text, at, p.Start, key, false)
		if p.Verified {
			out = append(out, p)
		} else {
			out = appendLines(out, text, p.Start, p.End, key, true)
		}
		at = p.End
	}
	return appendLines(out, text, at, len(text), key, false)
}

// Strip cuts what is verifiably marked out of a text and returns the rest, with the spans of what was found in the text as it
// came. A forged marker and what it embraces stay. Lines that held nothing else go as a whole.
func Strip(text string, key []byte) (rest string, found []Span) {
	found = Marked(text, key)
	var b strings.Builder
	at := 0
	for _, s := range found {
		if s.Verified {
			b.WriteString(text[at:s.Start])
			at = s.End
		}
	}
	if at == 0 {
		return text, found
	}
	b.WriteString(text[at:])
	return b.String(), found
}

// pairs finds the opening markers with the closing ones that follow, each with the lines around them, and the markers that
// stand alone.
func pairs(text string, key []byte) []Span {
	var out []Span
	add := func(s Span) {
		s.Start, s.End = widen(text, s.Start, s.End)
		if n := len(out); n > 0 {
			s.Start = max(s.Start, out[n-1].End)
		}
		out = append(out, s)
	}
	type opening struct {
		Span
		tag string
	}
	var open *opening // the last one, which nothing has closed yet
	for at := 0; ; {
		i := strings.Index(text[at:], markName)
		if i < 0 {
			break
		}
		i += at
		at = i + len(markName)
		opens, tag, end := markerAt(text, i)
		if end < 0 {
			continue
		}
		at = end + numberLen(text[end:])
		switch {
		case opens:
			if open != nil {
				add(open.Span)
			}
			open = &opening{Span{Start: i - 1, End: at}, tag}
		case open == nil:
			add(Span{Start: i - 2, End: at})
		default:
			s := Span{Start: open.Start, End: at}
			s.Verified = tag == open.tag && len(key) > 0 && hmac.Equal([]byte(textTag(text[open.End:i-2], key)), []byte(tag))
			add(s)
			open = nil
		}
	}
	if open != nil {
		add(open.Span)
	}
	return out
}

// markerAt reads the marker whose name stands at i: whether it opens, its tag, and its end, -1 when it is none.
func markerAt(text string, i int) (open bool, tag string, end int) {
	at := i + len(markName)
	attr := openMark[1+len(markName):]
	switch {
	case strings.HasSuffix(text[:i], "</"):
	case strings.HasSuffix(text[:i], "<"):
		open = true
	default:
		return false, "", -1
	}
	if !strings.HasPrefix(text[at:], attr) {
		return false, "", -1
	}
	at += len(attr)
	if len(text) < at+tagLen+len(markEnd) || text[at+tagLen:at+tagLen+len(markEnd)] != markEnd {
		return false, "", -1
	}
	return open, text[at : at+tagLen], at + tagLen + len(markEnd)
}

// numberLen is the length of the number that follows a marker on its line, 0 without.
func numberLen(s string) int {
	t := strings.TrimLeft(s, " \t")
	if at, end := nextNumber(t[:min(len(t), lineLen+2)]); at == 0 && end > 0 {
		return len(s) - len(t) + end
	}
	return 0
}

// widen takes the indentation, quote marks, bullets and list number before a span, and what is blank behind it, where
// nothing else is on the line; then the line's end goes too.
func widen(text string, start, end int) (from, to int) {
	const far = 200 // bytes; more is not decoration
	before := text[max(0, start-far):start]
	line := strings.LastIndexByte(before, '\n') + 1
	head := before[line:]
	if n := numbered(head); n > 0 {
		head = head[n:]
	}
	alone := strings.Trim(head, decoration) == "" && (line > 0 || start <= far)
	stop := end
	for stop < len(text) && stop-end < far && strings.IndexByte(decoration+"\r", text[stop]) >= 0 {
		stop++
	}
	last := stop == len(text) || text[stop] == '\n'
	from, to = start, end
	if alone {
		from = start - len(before) + line
	}
	switch {
	case last && alone:
		to = min(stop+1, len(text))
	case last:
		to = stop
	}
	return from, to
}

// appendLines finds the signed lines in text[from:to]. What lies between them is reported as not verified when forged is set.
func appendLines(out []Span, text string, from, to int, key []byte, forged bool) []Span {
	done := from
	note := func(start, end int) {
		start, end = widen(text, start, end)
		start, end = max(start, done), min(end, to)
		if forged && strings.TrimSpace(text[done:start]) != "" {
			out = append(out, Span{Start: done, End: start})
		}
		if end > start {
			out = append(out, Span{Start: start, End: end, Verified: true})
			done = end
		}
	}
	for at := from; at < to && len(key) > 0; {
		stop := to
		if i := strings.IndexByte(text[at:to], '\n'); i >= 0 {
			stop = at + i
		}
		signed(text[at:stop], key, func(a, b int) { note(at+a, at+b) })
		at = stop + 1
	}
	if forged && strings.TrimSpace(text[done:to]) != "" {
		out = append(out, Span{Start: done, End: to})
	}
	return out
}

// signed finds the parts of a line that end in their own number. A part begins at the start of the line, behind a number of
// its list, behind the part before, or at one of the last few square brackets, where an item of a brief begins.
func signed(line string, key []byte, found func(start, end int)) {
	if strings.IndexByte(line, lineMark) < 0 {
		return
	}
	starts := []int{0}
	if n := numbered(line); n > 0 {
		starts = append(starts, n)
	}
	sums := make([]*sum, len(starts))
	for i := range sums {
		sums[i] = newSum()
	}
	for at := 0; at < len(line); {
		n, end := nextNumber(line[at:])
		n, end = n+at, end+at
		piece := at
		for piece < n { // feed up to the number, opening a start at each bracket
			next := n
			if i := strings.IndexByte(line[piece+1:n], '['); i >= 0 {
				next = piece + 1 + i
			}
			for i, h := range sums {
				h.words(line[max(piece, starts[i]):max(next, starts[i])])
			}
			if next < n {
				if len(starts) > maxStarts {
					starts, sums = append(starts[:1], starts[2:]...), append(sums[:1], sums[2:]...)
				}
				starts, sums = append(starts, next), append(sums, newSum())
			}
			piece = next
		}
		if n == end {
			return
		}
		match := -1
		for i, h := range sums {
			h.gap()
			if h.count > 0 && number(line[n+1:end]) == lineNumber(h, key) {
				match = i
				break
			}
		}
		if match >= 0 {
			found(starts[match], end)
			starts, sums = []int{end}, []*sum{newSum()}
		} else {
			for _, h := range sums {
				h.words(line[n:end])
			}
		}
		at = end
	}
}

// numbered is the length of "12. " or "3) " at the start of a line, quote marks before it included.
func numbered(line string) int {
	t := strings.TrimLeft(line, " \t>")
	d := strings.TrimLeft(t, "0123456789")
	if len(d) == len(t) || len(t)-len(d) > 4 || d == "" || d[0] != '.' && d[0] != ')' {
		return 0
	}
	return len(line) - len(d) + 1
}

func number(digits string) uint32 {
	n := uint32(0)
	for i := range len(digits) {
		n = n*10 + uint32(digits[i]-'0')
	}
	return n
}
