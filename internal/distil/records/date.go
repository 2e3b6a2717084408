package records

import (
	"strings"
	"time"
	"unicode/utf8"
)

// months are the names of months in English and German, by their first three letters and in full.
var months = map[string]time.Month{
	"jan": 1, "january": 1, "januar": 1, "jänner": 1, "feb": 2, "february": 2, "februar": 2, "mar": 3, "march": 3, "mär": 3, "märz": 3, "mrz": 3,
	"apr": 4, "april": 4, "may": 5, "mai": 5, "jun": 6, "june": 6, "juni": 6, "jul": 7, "july": 7, "juli": 7, "aug": 8, "august": 8,
	"sep": 9, "sept": 9, "september": 9, "oct": 10, "october": 10, "okt": 10, "oktober": 10, "nov": 11, "november": 11,
	"dec": 12, "december": 12, "dez": 12, "dezember": 12,
}

// dateLimit bounds the part of a line in which a date is looked for.
const dateLimit = 300

// stamp is a date that was found: the bytes [start, end) that name it.
type stamp struct {
	day        time.Time
	start, end int
}

// findDate returns the first date in s: 2024-03-12, 2024/03/12, 2024.03.12, 20240312, 12.03.2024, 31/12/2024, 12
// March 2024, March 12th, 2024, 12. März 2024, "Tue Apr 2 11:20:05 2024". Days and months that could be exchanged
// (03/04/2024) are not a date. near gives the year to a day that has none: the latest such day not after it; a zero
// near gives none.
func findDate(s string, near time.Time) (stamp, bool) {
	toks := dateTokens(s[:min(len(s), dateLimit)])
	for i := range toks {
		if d, ok := dateAt(toks[i:], near); ok {
			return d, true
		}
	}
	return stamp{}, false
}

// dateToken is a number or a word.
type dateToken struct {
	start, end int
	number     int // -1 of a word
	word       string
	before     byte // the byte in front of it, 0 at the beginning
}

func dateTokens(s string) []dateToken {
	var out []dateToken
	for i := 0; i < len(s) && len(out) < 60; {
		c, n := utf8.DecodeRuneInString(s[i:])
		start := i
		t := dateToken{start: start, number: -1}
		if i > 0 {
			t.before = s[i-1]
		}
		switch {
		case c >= '0' && c <= '9':
			t.number = 0
			for i < len(s) && s[i] >= '0' && s[i] <= '9' {
				if i-start < 9 {
					t.number = t.number*10 + int(s[i]-'0')
				}
				i++
			}
		case isLetter(c):
			for i < len(s) {
				if c, n = utf8.DecodeRuneInString(s[i:]); !isLetter(c) {
					break
				}
				i += n
			}
			t.word = strings.ToLower(s[start:i])
		default:
			i += n
			continue
		}
		t.end = i
		out = append(out, t)
	}
	return out
}

// dateAt reads a date that begins at the first token.
func dateAt(t []dateToken, near time.Time) (stamp, bool) {
	if t[0].number < 0 {
		return wordDate(t, near)
	}
	digits := t[0].end - t[0].start
	if digits == 8 {
		return dayOf(t[0].number/10000, t[0].number/100%100, t[0].number%100, t[0].start, t[0].end)
	}
	if digits > 4 {
		return stamp{}, false
	}
	if len(t) >= 3 && t[1].number >= 0 && t[2].number >= 0 {
		sep := t[1].before
		joined := (sep == '-' || sep == '/' || sep == '.') && t[2].before == sep && t[1].start == t[0].end+1 && t[2].start == t[1].end+1
		if joined {
			return numberDate(t, digits, sep)
		}
	}
	if digits > 2 {
		return stamp{}, false
	}
	return dayFirst(t, near)
}

// numberDate reads three numbers with the same mark between them.
func numberDate(t []dateToken, digits int, sep byte) (stamp, bool) {
	a, b, c := t[0].number, t[1].number, t[2].number
	switch {
	case digits == 4 && t[2].end-t[2].start <= 2:
		return dayOf(a, b, c, t[0].start, t[2].end)
	case t[2].end-t[2].start != 4:
		return stamp{}, false
	case sep == '.' || a > 12 || a == b:
		return dayOf(c, b, a, t[0].start, t[2].end)
	case b > 12:
		return dayOf(c, a, b, t[0].start, t[2].end)
	}
	return stamp{}, false
}

// dayFirst reads "12 March 2024", "12th of March 2024", "12-Mar-2024".
func dayFirst(t []dateToken, near time.Time) (stamp, bool) {
	i := 1
	if i < len(t) && (t[i].word == "st" || t[i].word == "nd" || t[i].word == "rd" || t[i].word == "th") && t[i].start == t[0].end {
		i++
	}
	if i < len(t) && t[i].word == "of" {
		i++
	}
	if i >= len(t) || t[i].start-t[i-1].end > 3 {
		return stamp{}, false
	}
	m := months[t[i].word]
	if m == 0 {
		return stamp{}, false
	}
	if i+1 < len(t) && isYear(t[i+1]) && t[i+1].start-t[i].end <= 3 {
		return dayOf(t[i+1].number, int(m), t[0].number, t[0].start, t[i+1].end)
	}
	return nearDay(m, t[0].number, t[0].start, t[i].end, near)
}

// wordDate reads "March 12, 2024" and "Apr 2 11:20:05 2024".
func wordDate(t []dateToken, near time.Time) (stamp, bool) {
	m := months[t[0].word]
	if m == 0 || len(t) < 2 || t[1].number < 1 || t[1].end-t[1].start > 2 || t[1].start-t[0].end > 2 {
		return stamp{}, false
	}
	for i := 2; i < len(t) && i < 6; i++ {
		if isYear(t[i]) {
			return dayOf(t[i].number, int(m), t[1].number, t[0].start, t[i].end)
		}
		isTime := t[i].number >= 0 && (t[i].end-t[i].start == 2)
		isSuffix := i == 2 && t[i].start == t[1].end
		if !isTime && !isSuffix {
			break
		}
	}
	return nearDay(m, t[1].number, t[0].start, t[1].end, near)
}

func isYear(t dateToken) bool { return t.end-t.start == 4 && t.number >= 1900 && t.number < 2200 }

func nearDay(m time.Month, day, start, end int, near time.Time) (stamp, bool) {
	if near.IsZero() {
		return stamp{}, false
	}
	d, ok := dayOf(near.Year(), int(m), day, start, end)
	if ok && d.day.After(near.AddDate(0, 0, 1)) {
		return dayOf(near.Year()-1, int(m), day, start, end)
	}
	return d, ok
}

// dayOf makes a date of numbers, if there is such a day.
func dayOf(year, month, day, start, end int) (stamp, bool) {
	if year < 1900 || year >= 2200 || month < 1 || month > 12 || day < 1 || day > 31 {
		return stamp{}, false
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return stamp{day: t, start: start, end: end}, t.Day() == day
}

// dayIn returns the day of the first date in s, zero for none.
func dayIn(s string, near time.Time) time.Time {
	d, _ := findDate(s, near)
	return d.day
}

func isLetter(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0xc0 && c != utf8.RuneError && c != '–' && c != '—' && c < 0x2000
}
