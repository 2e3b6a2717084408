package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Spelling compares the word of a query that no text has with the words of texts: one that is spelt almost alike may be what was meant.
//
// A word of four letters or more may differ by one edit, one of eight or more by two: a letter that is left out, put in, another one, or
// two neighbours that changed places. The first letter stays, but for changing places with the second. A code (letters and digits, or
// five digits or more) may differ by one edit, or be the beginning or the end of a longer one from four characters on.
//
// One character of a script without spaces is by no edit any pair that it is part of: texts are indexed by pairs.
type Spelling struct {
	term, word  []rune // as it is indexed, and as it is written, folded
	most        int
	code, alone bool
	rows        [3][maxTerm + 3]uint8
	other, fold []rune
}

const (
	leastSpelling = 4 // letters
	leastNumber   = 5 // digits
	longSpelling  = 8 // letters from which on two edits may be
)

// SpellShare is how much of its weight a word counts that stands in for another, by the edits between them.
func SpellShare(edits int) float64 {
	switch edits {
	case 0:
		return 1
	case 1:
		return .6
	}
	return .4
}

// Alone reports whether a word is one character of a script without spaces, like 猫, which is indexed as a part of pairs; see [Analyzer.Each].
func Alone(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	return n > 1 && n == len(word) && unspaced(r)
}

// Spell sets what is compared: a term and the word that it was made of. It reports false where that is too short to tell.
func (p *Spelling) Spell(term, word string) bool {
	p.term = append(p.term[:0], []rune(term)...)
	p.word = p.folded(p.word[:0], []byte(word))
	if p.alone = Alone(term); p.alone {
		return true
	}
	digits := countDigits(p.word)
	p.code = digits > 0
	switch n := len(p.word); {
	case n > maxTerm || n < leastSpelling || len(p.term) == 0 || digits == n && n < leastNumber || unspaced(p.word[0]):
		return false
	case p.code || n < longSpelling:
		p.most = 1
	default:
		p.most = 2
	}
	return true
}

func countDigits(w []rune) (n int) {
	for _, r := range w {
		if r >= '0' && r <= '9' {
			n++
		}
	}
	return n
}

// folded appends the runes of a word as terms are folded, without what says whose something is.
func (p *Spelling) folded(dst []rune, word []byte) []rune {
	plain := true
	for _, c := range word {
		plain = plain && c < utf8.RuneSelf && c != '\'' && c != ','
	}
	if plain {
		for _, c := range word {
			if c-'A' < 26 {
				c |= 0x20
			}
			dst = append(dst, rune(c))
		}
		return dst
	}
	w := string(word)
	if possessive(w) {
		w = strings.TrimRight(w[:len(w)-1], "'’")
	}
	return append(dst, []rune(string(fold(nil, w)))...)
}

// Distance returns by how many edits a term of texts differs from what was asked for, by the term or by the word that it was made of ("" where that
// is the term), whichever is less. It reports false where these are too many, or there is nothing to tell apart.
func (p *Spelling) Distance(term, word []byte) (edits int, ok bool) {
	if p.alone {
		p.other = appendRunes(p.other[:0], term)
		return 0, len(p.other) == 2 && unspaced(p.other[0]) && slices.Contains(p.other, p.term[0])
	}
	written := word
	if len(written) == 0 {
		written = term
	}
	if !p.may(term, p.term) && !p.may(written, p.word) {
		return 0, false
	}
	best := p.most + 1
	p.other = appendRunes(p.other[:0], term)
	if p.near(p.term, p.other) {
		best = min(best, p.edits(p.term, p.other))
	}
	if len(word) > 0 {
		p.fold = p.folded(p.fold[:0], word)
		p.other = p.fold
	}
	if p.near(p.word, p.other) {
		best = min(best, p.edits(p.word, p.other))
	}
	if best > p.most && p.code && part(p.word, p.other) {
		best = p.most
	}
	return best, best > 0 && best <= p.most
}

// may reports false of most words that are too far away, by a look at their bytes: codes have digits, and what is none begins alike.
func (p *Spelling) may(b []byte, asked []rune) bool {
	if len(b) < len(asked)-p.most || len(b) < 2 {
		return false
	}
	if p.code {
		for _, c := range b {
			if c-'0' < 10 {
				return true
			}
		}
		return false
	}
	first := asked[0]
	return first >= utf8.RuneSelf || b[0] >= utf8.RuneSelf || rune(b[0]|0x20) == first || rune(b[1]|0x20) == first
}

func appendRunes(dst []rune, b []byte) []rune {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			dst, i = append(dst, rune(b[i])), i+1
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		dst, i = append(dst, r), i+n
	}
	return dst
}

// near reports whether it is worth it to count the edits.
func (p *Spelling) near(a, b []rune) bool {
	if len(b) > maxTerm || len(b)-len(a) > p.most || len(a)-len(b) > p.most || len(a) < 2 || len(b) < 2 {
		return false
	}
	if (countDigits(b) > 0) != p.code {
		return false
	}
	return p.code || a[0] == b[0] || a[0] == b[1] && a[1] == b[0]
}

// part reports whether a code begins or ends with what was asked for.
func part(asked, code []rune) bool {
	n, m := len(asked), len(code)
	return n < m && (slices.Equal(code[:n], asked) || slices.Equal(code[m-n:], asked))
}

// edits counts the edits between two words (optimal string alignment), or returns more than may be.
func (p *Spelling) edits(a, b []rune) int {
	before, last, row := &p.rows[0], &p.rows[1], &p.rows[2]
	for j := range len(b) + 1 {
		last[j] = uint8(j)
	}
	for i := 1; i <= len(a); i++ {
		row[0] = uint8(i)
		least := row[0]
		for j := 1; j <= len(b); j++ {
			d := last[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if int(least) > p.most+1 {
			return p.most + 1
		}
		before, last, row = last, row, before
	}
	return int(last[len(b)])
}
