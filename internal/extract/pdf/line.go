package pdf

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// newLine makes the text of words that stand on one row, by x.
func newLine(words []word) line {
	merged := mergeWords(words)
	n := line{x0: merged[0].x0, x1: merged[0].x1, y0: merged[0].y0, y1: merged[0].y1}
	weight := 0
	sizes := map[float64]int{}
	for _, w := range merged {
		n.x0, n.x1 = min(n.x0, w.x0), max(n.x1, w.x1)
		sizes[w.size] += utf8.RuneCountInString(w.text)
		if c := sizes[w.size]; c > weight || c == weight && w.size > n.size {
			n.size, weight = w.size, c
			n.y0, n.y1 = w.y0, w.y1 // what is raised or larger does not move the line
		}
	}
	merged = logical(merged)
	var b strings.Builder
	for i, w := range merged {
		t := tidy(w.text)
		if strings.Trim(t, unknown) == "" { // a glyph of which nobody says what it means
			continue
		}
		if i == 0 {
			n.start, n.first = w.x1-w.x0, t
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t)
	}
	n.text = leaders(strings.Join(strings.Fields(b.String()), " "))
	return n
}

// mergeWords puts pieces together that touch: a word in two fonts.
func mergeWords(words []word) []word {
	out := slices.Clone(words[:1])
	for _, w := range words[1:] {
		last := &out[len(out)-1]
		gap := w.x0 - last.x1
		if em := min(w.size, last.size); gap < 0.06*em && gap > -0.5*em && len(last.text) < maxWord {
			last.text += w.text
			last.x1 = max(last.x1, w.x1)
			if utf8.RuneCountInString(w.text) > utf8.RuneCountInString(last.text)/2 {
				last.size = w.size
			}
			continue
		}
		out = append(out, w)
	}
	return out
}

// tidy resolves ligatures and the forms that letters have for display, and drops what has no sound.
func tidy(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\u00ad': // a soft hyphen counts at the end of a line only
			b.WriteRune(r)
		case r >= 0x2000 && r <= 0x200a || r == 0xa0 || r == 0x202f || r == 0x3000:
			b.WriteByte(' ')
		case unicode.In(r, unicode.Cf), unicode.IsControl(r):
		case r >= 0xfb00 && r <= 0xfdff, r >= 0xfe70 && r <= 0xfeff, r >= 0x2e80 && r <= 0x2fdf:
			b.WriteString(norm.NFKC.String(string(r)))
		case r >= 0xe000 && r <= 0xf8ff: // of private use: mostly bullets of symbol fonts
			b.WriteRune('•')
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(norm.NFC.String(b.String()))
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return true
}

// leaders shortens the dots that lead the eye in a table of contents.
func leaders(s string) string {
	if !strings.Contains(s, "....") && !strings.Contains(s, ". . . .") {
		return s
	}
	var b strings.Builder
	dots := 0
	var held strings.Builder
	flush := func() {
		if dots >= 4 {
			b.WriteString(" … ")
		} else {
			b.WriteString(held.String())
		}
		held.Reset()
		dots = 0
	}
	for _, r := range s {
		if r == '.' || r == ' ' && dots > 0 {
			if r == '.' {
				dots++
			}
			held.WriteRune(r)
			continue
		}
		flush()
		b.WriteRune(r)
	}
	flush()
	return strings.Join(strings.Fields(b.String()), " ")
}

// logical turns words that stand from left to right into the order in which they are read, and the letters of words of
// Arabic and Hebrew, which pages hold in the order of sight, too. It is the reordering of the Unicode Bidirectional
// Algorithm (UAX 9, rule L2) done backwards, with words for levels.
func logical(words []word) []word {
	right, left := 0, 0
	kinds := make([]direction, len(words))
	for i, w := range words {
		kinds[i] = directionOf(w.text)
		switch kinds[i] {
		case rightToLeft:
			right++
		case leftToRight:
			left++
		}
	}
	if right == 0 {
		return words
	}
	out := slices.Clone(words)
	for i := range out {
		if kinds[i] == rightToLeft {
			out[i].text = mirror(out[i].text)
		}
	}
	// inner runs are those against the direction of the line; numbers and signs between two of them belong to the run
	base, inner := leftToRight, rightToLeft
	if right > left || right == left && kinds[0] != leftToRight {
		base, inner = rightToLeft, leftToRight
		slices.Reverse(out)
		slices.Reverse(kinds)
	}
	for i := 0; i < len(out); {
		if kinds[i] != inner && !(base == rightToLeft && kinds[i] == digits) {
			i++
			continue
		}
		end := i + 1
		for k := end; k < len(out) && kinds[k] != base; k++ {
			if kinds[k] == inner || base == rightToLeft && kinds[k] == digits {
				end = k + 1
			}
		}
		slices.Reverse(out[i:end])
		slices.Reverse(kinds[i:end])
		i = end
	}
	return out
}

type direction uint8

const (
	neutral direction = iota
	digits
	leftToRight
	rightToLeft
)

func isRightToLeft(r rune) bool {
	return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff || r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
}

func directionOf(s string) direction {
	d := neutral
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			if d == neutral {
				d = digits
			}
		case isRightToLeft(r):
			return rightToLeft
		case unicode.IsLetter(r):
			return leftToRight
		}
	}
	return d
}

// mirror turns the letters of a word around, but for the numbers and foreign letters in it.
func mirror(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	for i := 0; i < len(runes); {
		if isRightToLeft(runes[i]) && !unicode.IsDigit(runes[i]) || !unicode.IsLetter(runes[i]) && !unicode.IsDigit(runes[i]) {
			switch runes[i] {
			case '(':
				runes[i] = ')'
			case ')':
				runes[i] = '('
			case '[':
				runes[i] = ']'
			case ']':
				runes[i] = '['
			}
			i++
			continue
		}
		end := i
		for k := i; k < len(runes); k++ {
			if unicode.IsDigit(runes[k]) || unicode.IsLetter(runes[k]) && !isRightToLeft(runes[k]) {
				end = k + 1
			} else if !strings.ContainsRune(".,:/-%", runes[k]) {
				break
			}
		}
		slices.Reverse(runes[i:end])
		i = end
	}
	// combining marks follow their letter in logical order; turned around they precede it
	for i := 0; i+1 < len(runes); i++ {
		if unicode.Is(unicode.Mn, runes[i]) && unicode.IsLetter(runes[i+1]) && (i == 0 || !unicode.IsLetter(runes[i-1])) {
			runes[i], runes[i+1] = runes[i+1], runes[i]
		}
	}
	return string(runes)
}

// isWide reports a character of a script that is written without spaces.
func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// endsSentence reports a text that ends where a sentence may.
func endsSentence(s string) bool {
	return strings.ContainsRune(".!?:;…。！？：；”\"’»)]؟۔", lastRune(s))
}

// startsBig reports a text that begins with a capital, a number or a script without cases.
func startsBig(s string) bool {
	r := firstRune(s)
	return unicode.IsUpper(r) || unicode.IsDigit(r) || unicode.IsLetter(r) && !unicode.IsLower(r) && !isWide(r)
}

// isItem reports a line that begins an entry of a list.
func isItem(s string) bool {
	if r := firstRune(s); strings.ContainsRune("•‣▪●◦∙·○■□▶–*-", r) && len(s) > utf8.RuneLen(r) && s[utf8.RuneLen(r)] == ' ' {
		return true
	}
	t := strings.TrimPrefix(s, "(")
	n := 0
	for n < len(t) && n < 3 && t[n] >= '0' && t[n] <= '9' {
		n++
	}
	if n == 0 && len(t) > 2 && (t[0] >= 'a' && t[0] <= 'h' || t[0] == 'i') && t[1] == ')' {
		n = 1
	}
	return n > 0 && n < 3 && len(t) > n+1 && (t[n] == '.' || t[n] == ')') && t[n+1] == ' '
}

// join returns what stands between two lines of a paragraph: the first without the hyphen that the line's end put there, or
// with a space, or with nothing where the script has no spaces; and the second.
func (l *layout) join(a, b string) (string, string) {
	last := lastRune(a)
	if last == '-' || last == '\u2010' || last == '\u00ad' {
		stem := a[:len(a)-utf8.RuneLen(last)]
		if unicode.IsLetter(lastRune(stem)) && unicode.IsLower(firstRune(b)) {
			if last == '\u00ad' || !l.hyphenated(stem, b) {
				return stem, b
			}
			return stem + "-", b
		}
		return a, b
	}
	if isWide(last) && isWide(firstRune(b)) {
		return a, b
	}
	return a + " ", b
}

// hyphenated reports that a word which a line's end cut is written with a hyphen elsewhere in the file, and not without.
func (l *layout) hyphenated(stem, rest string) bool {
	head := strings.ToLower(stem[strings.LastIndexAny(stem, " (\"“")+1:])
	tail := strings.ToLower(rest)
	if i := strings.IndexFunc(tail, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }); i >= 0 {
		tail = tail[:i]
	}
	if strings.Contains(head, "-") { // "state-of-the-art": its hyphens are its own
		return !l.vocabulary[head+tail]
	}
	return !l.vocabulary[head+tail] && l.vocabulary[head+"-"+tail]
}
