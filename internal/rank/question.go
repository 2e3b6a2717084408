package rank

import (
	"math"
	"slices"
	"strings"
	"time"
)

// Query is what the words of a question name, beside its terms.
type Query struct {
	Words     []string // lower-cased, in order
	Self      bool     // the asker speaks of himself: "where do I live"
	Month     time.Month
	Day, Year int // of the date that the question names; 0: not named
}

// Analyze reads a question. It knows English months; of other languages it sees what they share, such as the names of speakers.
func Analyze(question string) Query {
	var q Query
	s := wordScanner{text: question}
	for s.next() {
		word := strings.TrimSuffix(string(s.word()), "'s")
		q.Words = append(q.Words, word)
		switch word {
		case "i", "i'm", "i've", "i'd", "my", "me", "mine", "myself":
			q.Self = true
		}
	}
	q.date()
	return q
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

// Asking reports whether a word of a question only asks for what is known: "Tell me what you know about Tom" is about Tom.
func Asking(word string) bool {
	switch strings.ToLower(word) {
	case "know", "known", "knows", "tell", "told", "remember", "remembered", "recall", "recalled", "remind", "describe", "explain",
		"summarize", "summarise", "summary", "information", "info", "details", "anything", "everything", "something", "please":
		return true
	}
	return false
}
