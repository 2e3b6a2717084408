package rank

import (
	"slices"
	"strings"
)

// mostParts is how many questions of one query are searched for by themselves.
const mostParts = 3

// asked is a word of a query.
type asked struct {
	start, end int
	low        string
	upper      bool // has a capital, and does not begin a sentence
}

// Questions returns the questions of a query that asks for several things: "What does Ann drive, and where does she live?" holds "What does
// Ann drive" and "where does she live Ann". A part that speaks of "she" without a name gets the names that stand before; one for which there
// is none, and one that speaks of "it", says nothing by itself and is left out. Nil stands for a query of one question, and for what is not English.
func Questions(query string) []string {
	words := askedWords(query)
	var parts, names []string
	begin := 0
	for i := range words {
		if i > begin && startsPart(query, words, begin, i) {
			parts, names = addPart(parts, names, query, words[begin:i])
			begin = i
		}
	}
	if parts, _ = addPart(parts, names, query, words[begin:]); len(parts) < 2 {
		return nil
	}
	return parts[:min(len(parts), mostParts)]
}

func askedWords(query string) []asked {
	var words []asked
	s := wordScanner{text: query}
	for s.next() {
		w := asked{start: s.start, end: s.at, low: strings.TrimSuffix(string(s.word()), "'s")}
		w.upper = s.upper && w.low != "i" && len(words) > 0 && !strings.ContainsAny(query[words[len(words)-1].end:s.start], ".?!")
		words = append(words, w)
	}
	return words
}

// addPart adds the question that words ask, if it says something by itself. One that speaks of somebody by a pronoun alone gets the names
// of those before.
func addPart(parts, names []string, query string, words []asked) (more, all []string) {
	for len(words) > 0 && (words[0].low == "and" || words[0].low == "also" || words[0].low == "then") {
		words = words[1:]
	}
	for len(words) > 0 && (words[len(words)-1].low == "and" || words[len(words)-1].low == "also") {
		words = words[:len(words)-1]
	}
	if len(words) < 3 || !asks(words) {
		return parts, names
	}
	var own []string
	person, thing := false, false
	for i, w := range words {
		switch {
		case w.upper:
			own = append(own, query[w.start:w.end])
		case isPerson(w.low):
			person = true
		case isThing(w.low) && (w.low != "there" || i == 0 || !isHelping(words[i-1].low)): // "how many are there" is about nothing else
			thing = true
		}
	}
	text := query[words[0].start:words[len(words)-1].end]
	if len(parts) > 0 && len(own) == 0 {
		switch {
		case thing || person && len(names) == 0:
			return parts, names
		case person:
			text += " " + strings.Join(names, " ")
		}
	}
	return append(parts, text), append(names, own...)
}

// isPerson reports whether a word stands for somebody named before.
func isPerson(w string) bool {
	switch w {
	case "he", "him", "his", "she", "her", "hers", "they", "them", "their", "theirs":
		return true
	}
	return false
}

// isThing reports whether a word stands for something said before.
func isThing(w string) bool {
	switch w {
	case "it", "its", "that", "this", "those", "these", "there", "one", "ones", "so":
		return true
	}
	return false
}

// isAsking reports whether a word begins a question.
func isAsking(w string) bool {
	switch w {
	case "what", "when", "where", "who", "whom", "whose", "which", "how", "why":
		return true
	}
	return false
}

// isHelping reports whether a word is a verb that stands before its subject in a question.
func isHelping(w string) bool {
	switch w {
	case "did", "do", "does", "is", "are", "was", "were", "has", "have", "had", "can", "could", "will", "would", "should":
		return true
	}
	return false
}

// isArticle reports whether a word may begin what is had or done.
func isArticle(w string) bool { return w == "the" || w == "a" || w == "an" || w == "any" }

// isSubject reports whether a word can begin the subject of a question.
func isSubject(w string) bool {
	switch w {
	case "i", "you", "we", "he", "she", "they", "it", "my", "your", "our", "his", "her", "their", "the", "a", "an", "there", "any":
		return true
	}
	return false
}

// startsPart reports whether a question of its own starts at word i, where one began at begin: behind a question mark; behind "and" with a
// question word, or with a verb that asks; behind a comma with a question word and such a verb. Anything else there goes on about what stood
// before: "the cake, which was sold".
func startsPart(query string, words []asked, begin, i int) bool {
	if strings.Contains(query[words[i-1].end:words[i].start], "?") {
		return true
	}
	if first := words[begin]; !asks(words[begin:i]) || first.low == "when" && !isHelping(words[begin+1].low) { // "when Ann was a child, …"
		return false
	}
	w := words[i].low
	next := func(n int) string {
		if i+n < len(words) {
			return words[i+n].low
		}
		return ""
	}
	inverted := func(n int) bool { // "does she", "is the", "did Ann", but not "and have a look", "and do the dishes"
		plain := next(n) == "have" || next(n) == "do"
		return isHelping(next(n)) && i+n+1 < len(words) && (words[i+n+1].upper || isSubject(next(n+1)) && !(plain && isArticle(next(n+1))))
	}
	if words[i-1].low == "and" || words[i-1].low == "also" {
		return isAsking(w) || inverted(0)
	}
	if strings.ContainsAny(query[words[i-1].end:words[i].start], ",;") {
		return isAsking(w) && (inverted(1) || inverted(2) || w == "how" && (next(1) == "many" || next(1) == "much"))
	}
	return false
}

// asks reports whether words hold a question.
func asks(words []asked) bool {
	return isHelping(words[0].low) || slices.ContainsFunc(words, func(w asked) bool { return isAsking(w.low) })
}
