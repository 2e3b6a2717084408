package rank

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// Query is what the words of a question ask for, beside its terms.
type Query struct {
	Words     []string // lower-cased, in order
	When      bool     // asks for a time
	Many      bool     // asks for a number
	I         bool     // the asker speaks of himself: "did I …", "my …"
	You       bool     // of the one who answers: "did you …"
	Bare      bool     // no question and no sentence: a few words, each of which says something
	Month     time.Month
	Day, Year int // of the date that the question names; 0: not named
}

// Analyze reads a question. It knows English; of other languages it sees what they share, such as the names of speakers.
func Analyze(question string) Query {
	var q Query
	s := wordScanner{text: question}
	var you, canYou bool
	for s.next() {
		w := strings.TrimSuffix(string(s.word()), "'s")
		q.Words = append(q.Words, w)
		switch w {
		case "i", "my", "me", "im", "i'm", "ive", "i've", "i'd", "i'll", "mine", "myself":
			q.I = true
		case "you", "your":
			you = true
			if n := len(q.Words); w == "you" && n > 1 {
				switch q.Words[n-2] {
				case "can", "could", "would", "do", "will":
					canYou = true
				}
			}
		}
	}
	if you && !canYou {
		q.You, q.I = true, false
	}
	q.When, q.Many = asksWhen(q.Words), asksMany(q.Words)
	q.date()
	q.Bare = bare(question)
	return q
}

// bareWords is how many words somebody types at most who looks for words.
const bareWords = 4

// bare reports whether a query is a few words to look for, as people type them who ask no question: none of them is a little word.
func bare(query string) bool {
	words, told := 0, 0
	for w := range strings.FieldsSeq(query) {
		if strings.HasSuffix(w, "?") {
			return false
		}
		words++
		if len(text.Analyze(nil, w)) > 0 {
			told++
		}
	}
	return told > 0 && told == words && words <= bareWords
}

func has(words []string, phrase ...string) bool {
	for i := 0; i+len(phrase) <= len(words); i++ {
		if slices.Equal(words[i:i+len(phrase)], phrase) {
			return true
		}
	}
	return false
}

func asksWhen(w []string) bool {
	if has(w, "when") || has(w, "how", "long") || has(w, "what", "date") || has(w, "what", "year") || has(w, "what", "time") {
		return true
	}
	for _, unit := range [...]string{"day", "month", "year", "date"} {
		if has(w, "which", unit) || has(w, "how", "many", unit+"s") {
			return true
		}
	}
	return has(w, "how", "many", "weeks")
}

func asksMany(w []string) bool {
	return has(w, "how", "many") || has(w, "how", "much") || has(w, "how", "often")
}

// date finds the first month that the question names, with the day and the year beside it.
func (q *Query) date() {
	for i, w := range q.Words {
		m := monthOf(w)
		if m == 0 {
			continue
		}
		at := func(i int) string {
			if i >= 0 && i < len(q.Words) {
				return q.Words[i]
			}
			return ""
		}
		day, year := 0, 0
		next := i + 1
		if d := dayOf(at(i - 1)); d > 0 {
			day = d
		} else if at(i-1) == "of" && dayOf(at(i-2)) > 0 {
			day = dayOf(at(i - 2))
		} else if d := dayOf(at(next)); d > 0 {
			day = d
			next++
		}
		if y := number(at(next)); y >= 1000 && y <= 9999 {
			year = y
		}
		if m == time.May && w == "may" && day == 0 && year == 0 && !slices.Contains([]string{"in", "of", "during", "on", "since", "until", "last", "early", "late", "mid"}, at(i-1)) {
			continue
		}
		q.Month, q.Day, q.Year = m, day, year
		return
	}
}

func monthOf(w string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if len(w) == len(m.String()) && strings.EqualFold(w, m.String()) {
			return m
		}
	}
	return 0
}

func dayOf(w string) int {
	for _, end := range [...]string{"st", "nd", "rd", "th"} {
		if cut, ok := strings.CutSuffix(w, end); ok {
			w = cut
			break
		}
	}
	if d := number(w); len(w) <= 2 && d >= 1 && d <= 31 {
		return d
	}
	return 0
}

func number(w string) int {
	n := 0
	for i := range len(w) {
		if w[i] < '0' || w[i] > '9' || i > 4 {
			return 0
		}
		n = n*10 + int(w[i]-'0')
	}
	return n
}

// names reports whether the query has the first word of a name.
func (q *Query) names(name string) bool {
	s := wordScanner{text: name}
	if !s.next() {
		return false
	}
	for _, w := range q.Words {
		if w == string(s.word()) {
			return true
		}
	}
	return false
}

// near returns how near a time is to the date that the query names, 0..1.
func (q *Query) near(at time.Time) float32 {
	if q.Month == 0 || at.IsZero() {
		return 0
	}
	if q.Day == 0 {
		if at.Month() == q.Month && (q.Year == 0 || at.Year() == q.Year) {
			return 1
		}
		return 0
	}
	nearest := float32(0)
	for year := at.Year() - 1; year <= at.Year()+1; year++ {
		if q.Year != 0 && year != q.Year {
			continue
		}
		d := int(math.Floor(at.Sub(time.Date(year, q.Month, q.Day, 0, 0, 0, 0, at.Location())).Hours() / 24))
		if d >= -1 && d <= 14 { // people speak of what was, and of tomorrow
			nearest = max(nearest, 1-float32(max(d, -d))/20)
		}
	}
	return nearest
}

// Unnamed returns a question without the names of speakers, for embedding: who says a thing tells little about what it means,
// and the ranker has a sign of its own for it. Where nothing else is left that says something ("What do you know about Tom?") the question
// stays as it is.
func Unnamed(question string, speakers []string) string {
	var b strings.Builder
	s := wordScanner{text: question}
	from := 0
	for s.next() {
		word := strings.TrimSuffix(string(s.word()), "'s")
		if !slices.ContainsFunc(speakers, func(name string) bool { return isPart(word, name) }) {
			continue
		}
		b.WriteString(question[from:s.start])
		from = s.at
	}
	if from == 0 {
		return question
	}
	b.WriteString(question[from:])
	rest := b.String()
	if !slices.ContainsFunc(text.Analyze(nil, rest), func(t text.Token) bool { return !Asking(rest[t.Start:t.End]) }) {
		return question
	}
	return rest
}

// Asking reports whether a word of a question only asks for what is known: "Tell me what you know about Tom" is about Tom.
func Asking(word string) bool {
	switch strings.ToLower(word) {
	case "know", "known", "knows", "tell", "told", "remember", "remembered", "recall", "recalled", "remind", "describe", "explain",
		"summarize", "summarise", "summary", "information", "info", "details", "anything", "everything", "something", "please":
		return true
	}
	return false
}

// isPart reports whether a lower-cased word is one of the words of a name.
func isPart(word, name string) bool {
	s := wordScanner{text: name}
	for s.next() {
		if string(s.word()) == word {
			return true
		}
	}
	return false
}
