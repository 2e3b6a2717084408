package merge

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

// Aliases groups names that mean the same person: "Ana" and "Ana Torres", "A. Torres" and "Ana Torres", "Dr. Torres" and "Ana Torres", "Ben" and
// "Benjamin". A short name that fits two different people stands for itself. The answer maps every name to the fullest of its group, itself
// where it has no other; it does not depend on the order of names.
func Aliases(names []string) map[string]string {
	list := make([]person, 0, len(names))
	for _, n := range names {
		list = append(list, read(n))
	}
	slices.SortFunc(list, func(a, b person) int {
		return cmp.Or(len(b.words)-len(a.words), len(b.name)-len(a.name), strings.Compare(a.name, b.name))
	})
	list = slices.CompactFunc(list, func(a, b person) bool { return a.name == b.name })
	out := make(map[string]string, len(list))
	index := map[string][]person{} // the fullest of each group, by their last name and by the first letter of their first
	for _, p := range list {
		home := ""
		for _, h := range p.candidates(index) {
			if h.name == home || !p.means(h) {
				continue
			}
			if home != "" {
				home = "" // fits two
				break
			}
			home = h.name
		}
		if home == "" {
			home = p.name
			for _, key := range p.keys() {
				index[key] = append(index[key], p)
			}
		}
		out[p.name] = home
	}
	return out
}

// Alias reports whether a short name can mean the person with the full name.
func Alias(short, full string) bool { return read(short).means(read(full)) }

// person is a name taken apart.
type person struct {
	name   string
	words  []string
	titled bool
}

func read(name string) person {
	return person{name: name, words: words(name), titled: titles(name) > 0}
}

// keys are where a full name is looked for.
func (p person) keys() []string {
	if len(p.words) == 0 {
		return nil
	}
	first := p.words[0]
	out := []string{initial(first)}
	if len(p.words) > 1 {
		out = append(out, "last "+p.words[len(p.words)-1])
	}
	if full := lexis.Nicknames[first]; full != "" && initial(full) != out[0] {
		out = append(out, initial(full))
	}
	return out
}

// candidates are the full names that a short one may mean.
func (p person) candidates(index map[string][]person) []person {
	var out []person
	for _, key := range p.keys() {
		out = append(out, index[key]...)
	}
	if len(p.words) == 1 {
		out = append(out, index["last "+p.words[0]]...)
	}
	return out
}

func initial(w string) string {
	_, n := utf8.DecodeRuneInString(w)
	return w[:n]
}

// means reports whether p can be short for the full name q.
func (p person) means(q person) bool {
	a, b := p.words, q.words
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	if slices.Equal(a, b) {
		return true
	}
	switch {
	case len(a) == 1 && len(b) == 1:
		return nickname(a[0], b[0]) || nickname(b[0], a[0])
	case len(a) == 1:
		return fits(a[0], b[0]) || (p.titled || q.titled || len(a[0]) > 1) && a[0] == b[len(b)-1]
	case len(a) > len(b):
		return false
	}
	return fits(a[0], b[0]) && a[len(a)-1] == b[len(b)-1]
}

// fits reports whether a first name, an initial or a short form can stand for a first name.
func fits(short, first string) bool {
	if short == first || nickname(short, first) {
		return true
	}
	return utf8.RuneCountInString(short) == 1 && strings.HasPrefix(first, short)
}

// nickname reports whether short is a known short form of a name, or its beginning: Ben, Benny of Benjamin.
func nickname(short, name string) bool {
	if lexis.Nicknames[short] == name {
		return true
	}
	if utf8.RuneCountInString(short) < 3 || len(short) >= len(name) {
		return false
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(short, "y"), "ie")
	if n := len(stem); n > 3 && stem != short && stem[n-1] == stem[n-2] {
		stem = stem[:n-1] // Benny, Danny
	}
	return utf8.RuneCountInString(stem) >= 3 && strings.HasPrefix(name, stem) && lexis.GivenNames[name]
}

// words are the words of a name in small letters, without titles, full stops and possessives.
func words(name string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return unicode.IsSpace(r) || r == '.' || r == ',' }) {
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if w != "" && !lexis.Titles[w] {
			out = append(out, w)
		}
	}
	return out
}

func titles(name string) int {
	first, _, _ := strings.Cut(strings.ToLower(name), " ")
	if lexis.Titles[strings.TrimSuffix(first, ".")] {
		return 1
	}
	return 0
}
