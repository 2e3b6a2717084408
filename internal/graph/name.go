package graph

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
)

// Alike is the least likeness at which two names may mean the same.
const Alike = 0.55

// maxName bounds the names that are compared, in runes.
const maxName = 64

// Likeness says how alike two names are, 0 to 1: 1 for the same but for case, else the best of the share of trigrams that they
// have in common (as pg_trgm counts them: two blanks before each word, one behind), what is left when the letters that have to
// be changed, added, dropped or swapped are taken away, and the same word by word, so that a first name finds a full one.
func Likeness(a, b string) float64 {
	a, b = clip(Fold(a)), clip(Fold(b))
	if a == "" || b == "" {
		return 0
	}
	if a == b {
		return 1
	}
	best := max(shared(a, b), near([]rune(a), []rune(b)))
	wa, wb := strings.Fields(a), strings.Fields(b)
	if len(wa) > len(wb) {
		wa, wb = wb, wa
	}
	if len(wb) > 1 && len(wb) <= 8 {
		sum := 0.0
		for _, x := range wa {
			word := 0.0
			for _, y := range wb {
				if x == y {
					word = 1
					break
				}
				word = max(word, near([]rune(x), []rune(y)), begins(x, y))
			}
			sum += word
		}
		best = max(best, 0.95*sum/float64(len(wa)))
	}
	return min(best, 0.99)
}

// begins is 0.8 where one word is the beginning of the other, as in Corp and Corporation.
func begins(a, b string) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if utf8.RuneCountInString(a) >= 3 && strings.HasPrefix(b, a) {
		return 0.8
	}
	return 0
}

func clip(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxName {
			return s[:i]
		}
	}
	return s
}

// shared is the share of trigrams that two names have in common, of all that they have.
func shared(a, b string) float64 {
	x, y := trigrams(a), trigrams(b)
	both := 0
	for t := range x {
		if y[t] {
			both++
		}
	}
	return float64(both) / float64(len(x)+len(y)-both)
}

func trigrams(s string) map[[3]rune]bool {
	out := map[[3]rune]bool{}
	for w := range strings.FieldsSeq(s) {
		t := [3]rune{' ', ' ', ' '}
		for _, r := range w + " " {
			t = [3]rune{t[1], t[2], r}
			out[t] = true
		}
	}
	return out
}

// near is 1 less the share of letters that have to be changed (optimal string alignment: a swap of neighbours counts once). Of
// short words nothing is near: one letter makes another word.
func near(a, b []rune) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 3 || len(b)-len(a) > 1+len(b)/4 {
		return 0
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i, x := range a {
		row[0] = i + 1
		for j, y := range b {
			cost := 1
			if x == y {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && x == b[j-1] && a[i-1] == y {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return 1 - float64(last[len(b)])/float64(len(b))
}

// Spellings are the names one slip away from a name: a letter dropped, two swapped, one changed or added. Only of names of 3 to
// 12 letters; what is longer is found by [Pieces].
func Spellings(name string) []string {
	r := []rune(Fold(name))
	if len(r) < 3 || len(r) > 12 {
		return nil
	}
	seen := map[string]bool{string(r): true}
	var out []string
	add := func(parts ...[]rune) {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(string(p))
		}
		if s := b.String(); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	for i := range r {
		add(r[:i], r[i+1:])
		if i+1 < len(r) {
			add(r[:i], []rune{r[i+1], r[i]}, r[i+2:])
		}
	}
	for c := 'a'; c <= 'z'; c++ {
		for i := range len(r) + 1 {
			add(r[:i], []rune{c}, r[i:])
			if i < len(r) {
				add(r[:i], []rune{c}, r[i+1:])
			}
		}
	}
	return out
}

// Pieces cuts a name in three: where it has two slips at most, one of the pieces is whole.
func Pieces(name string) []string {
	r := []rune(clip(Fold(name)))
	if len(r) < 6 {
		return nil
	}
	third := len(r) / 3
	return []string{string(r[:third]), string(r[third : 2*third]), string(r[2*third:])}
}

// Under returns an entity with those of its names alone that stand in one of the texts; the first of them is its name. It returns
// false where none does. It is what keeps a reader who sees a part of the texts from learning a name from the others.
func Under(e lukasa.Entity, texts []string) (lukasa.Entity, bool) {
	var names []string
	for _, n := range append([]string{e.Name}, e.Aliases...) {
		if slices.ContainsFunc(texts, func(t string) bool { return Says(t, n) }) {
			names = append(names, n)
		}
	}
	if len(names) == 0 {
		return lukasa.Entity{}, false
	}
	e.Name, e.Aliases = names[0], slices.Clip(names[1:])
	if len(e.Aliases) == 0 {
		e.Aliases = nil
	}
	return e, true
}

// Says reports whether a text has a name in it as words of their own, ignoring case.
func Says(text, name string) bool {
	low, name := strings.ToLower(text), Fold(name)
	if name == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(low[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(low[:i])
		after, _ := utf8.DecodeRuneInString(low[i+len(name):])
		if !wordy(before) && !wordy(after) {
			return true
		}
		_, size := utf8.DecodeRuneInString(low[i:])
		from = i + size
	}
}

// wordy reports whether a rune goes on a word. Scripts without blanks between words, and those that hang endings on names, say
// nothing about that.
func wordy(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer)
}
