package lexis

import (
	"strconv"
	"strings"
	"time"
)

// months maps English names to months. "may", "march", "sun" and "sat" are words of their own: a reader asks for a number or preposition beside them.
var months = map[string]time.Month{
	"january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4, "apr": 4,
	"may": 5, "june": 6, "jun": 6, "july": 7, "jul": 7, "august": 8, "aug": 8, "september": 9, "sep": 9, "sept": 9, "october": 10, "oct": 10,
	"november": 11, "nov": 11, "december": 12, "dec": 12,
}

// Weekdays maps the names of the days, and their short forms.
var Weekdays = map[string]time.Weekday{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 0,
	"mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thurs": 4, "fri": 5,
}

// Seasons maps northern seasons to their first month.
var Seasons = map[string]time.Month{"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

// DayParts are words behind "yesterday" or "Friday".
var DayParts = Words("morning afternoon evening night noon lunchtime")

// dateTail are words that may follow "on the 5th".
var dateTail = Words(`and or but at in with for to because so when we i now though too as again then please btw instead until till from just if
	my our he she they it through`)

// dayOfLeads are words before "the 5th".
var dayOfLeads = Words("on by until til till before after from for since to , is 's for of between starting")

// monthLead are words before a month that stands alone.
var monthLead = Words("in since until till by during from to before after of early mid late around through for")

var yearLead = Words("in since until till by during from before after of around circa through for year back early late mid to")

// SmallNumber returns the value of a number written as a word, or 0.
func SmallNumber(w string) int { return numberWords[w] }

var numberWords = map[string]int{
	"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

var ordinalWords = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
	"ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
	"eighteenth": 18, "nineteenth": 19, "twentieth": 20, "twenty-first": 21, "twenty-second": 22, "twenty-third": 23, "twenty-fourth": 24,
	"twenty-fifth": 25, "twenty-sixth": 26, "twenty-seventh": 27, "twenty-eighth": 28, "twenty-ninth": 29, "thirtieth": 30, "thirty-first": 31,
}

// roundYears are the birthdays that have a word of their own.
var roundYears = map[string]int{
	"fortieth": 40, "fiftieth": 50, "sixtieth": 60, "seventieth": 70, "eightieth": 80,
	"ninetieth": 90, "hundredth": 100,
}

// Jubilee reads 70th, seventieth or fifth as a number of years; 0 when it is none.
func Jubilee(w string) int {
	if v := max(roundYears[w], ordinalWords[w]); v > 0 {
		return v
	}
	if n := len(w); n > 2 && n < 6 && (w[n-2:] == "th" || w[n-2:] == "st" || w[n-2:] == "nd" || w[n-2:] == "rd") {
		if v, err := strconv.Atoi(w[:n-2]); err == nil && v > 0 && v < 120 {
			return v
		}
	}
	return 0
}

// ordinal reads 1st, 22nd, fifth as a day of a month; 0 when it is none.
func ordinal(w string) int {
	if v := ordinalWords[w]; v > 0 {
		return v
	}
	if len(w) < 3 || len(w) > 4 || w[0] < '0' || w[0] > '9' {
		return 0
	}
	switch w[len(w)-2:] {
	case "st", "nd", "rd", "th":
		if v, err := strconv.Atoi(w[:len(w)-2]); err == nil && v <= 31 {
			return v
		}
	}
	return 0
}

// DayNumber reads 5 or 5th.
func DayNumber(w string) int {
	if len(w) <= 2 && AllDigits(w) {
		if v, _ := strconv.Atoi(w); v >= 1 && v <= 31 {
			return v
		}
		return 0
	}
	if w == "" || w[0] < '0' || w[0] > '9' {
		return 0
	}
	return ordinal(w)
}

// number reads dates that begin with digits.
func (d *dater) number(i int) (Moment, int) {
	w := d.low(i)
	if m, ok := d.numeric(w); ok {
		return m, 1
	}
	if strings.HasSuffix(w, "0s") && len(w) == 5 && AllDigits(w[:4]) {
		y, _ := strconv.Atoi(w[:4])
		f := time.Date(y, 1, 1, 0, 0, 0, 0, d.day.Location())
		return Moment{From: f, To: f.AddDate(10, 0, 0), Precision: ToDecade}, 1
	}
	if day := DayNumber(w); day > 0 {
		if m, n := d.dayMonth(i, day); n > 0 {
			return m, n
		}
		if prev := d.low(i - 1); ordinal(w) > 0 && d.ends(i+1) && (dayOfLeads[prev] && prev != "for" && prev != "of" && prev != "'s" || dayLeads[prev]) {
			return d.dayOfMonth(day), 1 // "moved to 30th"
		}
	}
	if m, n := d.ago(i); n > 0 {
		return m, n
	}
	y := d.yearAt(i)
	if y < 1800 || y > d.day.Year()+80 {
		return Moment{}, 0
	}
	if d.low(i-1) == "to" && d.low(i-2) == "up" {
		return Moment{}, 0
	}
	if spanWord[d.low(i+1)] && d.yearAt(i+2) > y || d.low(i-1) == "," && d.low(i+1) == "," && d.way() < 0 && y <= d.day.Year() {
		return d.year(y), 1 // "1966 to 1968"; "he died, 1999, of his chest"
	}
	if yearLead[d.low(i-1)] && !unitAfterYear[d.low(i+1)] || d.low(i-1) == "(" && d.low(i+1) == ")" {
		return d.year(y), 1
	}
	return Moment{}, 0
}

// unitAfterYear are words that make a number of four digits a quantity.
var unitAfterYear = Words(`people users euros dollars items rows files words tokens meters metres km miles steps calories requests records bytes
	ms of`)

// numeric reads 2024-03-05, 2024-03, 2024-03-05T10:00, 2024/03/05, 5.3.2024, 3/5/2024 (the month first unless it cannot be).
func (d *dater) numeric(w string) (Moment, bool) {
	if len(w) < 7 || len(w) > 35 {
		return Moment{}, false
	}
	loc := d.day.Location()
	if len(w) >= 10 && (w[4] == '-' || w[4] == '/') {
		layout := "2006-01-02"
		if w[4] == '/' {
			layout = "2006/01/02"
		}
		t, err := time.ParseInLocation(layout, w[:10], loc)
		if err != nil || !plausible(t.Year()) || (len(w) > 10 && w[10] != 't') {
			return Moment{}, false
		}
		if len(w) >= 16 && w[10] == 't' {
			if c, err := time.ParseInLocation("15:04", w[11:16], loc); err == nil {
				f := t.Add(time.Duration(c.Hour())*time.Hour + time.Duration(c.Minute())*time.Minute)
				return Moment{From: f, To: f.Add(time.Minute), Precision: ToMinute}, true
			}
		}
		return d.days(t, 1, ToDay), true
	}
	if len(w) == 7 && w[4] == '-' {
		if t, err := time.ParseInLocation("2006-01", w, loc); err == nil && plausible(t.Year()) {
			return d.monthIn(t.Year(), t.Month()), true
		}
		return Moment{}, false
	}
	return d.slashed(w)
}

func plausible(y int) bool { return y >= 1800 && y < 2200 }

// slashed reads d.m.yyyy and m/d/yyyy.
func (d *dater) slashed(w string) (Moment, bool) {
	for _, sep := range []string{".", "/", "-"} {
		p := strings.Split(w, sep)
		if len(p) != 3 || len(p[2]) != 4 || len(p[0]) > 2 || len(p[1]) > 2 {
			continue
		}
		a, errA := strconv.Atoi(p[0])
		b, errB := strconv.Atoi(p[1])
		y, errY := strconv.Atoi(p[2])
		if errA != nil || errB != nil || errY != nil {
			return Moment{}, false
		}
		day, mon := a, b
		if sep == "/" && a <= 12 {
			day, mon = b, a
		}
		return d.date(y, time.Month(mon), day)
	}
	return Moment{}, false
}

// date makes a moment of a day that the calendar has.
func (d *dater) date(y int, mon time.Month, day int) (Moment, bool) {
	t := time.Date(y, mon, day, 0, 0, 0, 0, d.day.Location())
	if !plausible(y) || t.Month() != mon || t.Day() != day {
		return Moment{}, false
	}
	return d.days(t, 1, ToDay), true
}

// month reads "March 5th, 2024", "March 2024", and "March" behind a preposition.
func (d *dater) month(i int, mon time.Month) (Moment, int) {
	t := d.toks[i]
	j := i + 1
	if d.low(j) == "." && len(t.Low) <= 4 {
		j++
	}
	if d.low(i-1) == "in" && len(d.low(j)) == 2 && AllDigits(d.low(j)) && d.ends(j+1) && !(d.low(j+1) == "," && plausible(d.yearAt(j+2))) {
		y, _ := strconv.Atoi("20" + d.low(j))
		if m := d.monthIn(y, mon); y < d.day.Year()+20 && (m.To.After(d.day) || d.way() < 0) {
			return m, j - i + 1 // "joined in Nov 23": the 23rd would be "on Nov 23"
		}
	}
	if day := DayNumber(d.low(j)); day > 0 && !clockMark(d.low(j+1)) {
		return d.withYear(i, j+1, mon, day)
	}
	if d.low(j) == "the" {
		if day := ordinal(d.low(j + 1)); day > 0 {
			return d.withYear(i, j+2, mon, day)
		}
	}
	k := j
	if d.low(k) == "," || d.low(k) == "of" {
		k++
	}
	if y := d.yearAt(k); plausible(y) {
		return d.monthIn(y, mon), k - i + 1
	}
	if k < len(d.toks) {
		if y := d.shortYear(k); y > 0 {
			return d.monthIn(y, mon), k - i + 2
		}
	}
	if !t.Upper && (!monthLead[d.low(i-1)] || t.Is("may") || t.Is("march") || t.Is("mar") || t.Is("jan") && d.low(i-1) == "from") ||
		!monthLead[d.low(i-1)] && !(len(t.Low) > 5 && d.low(i-1) != "the" && i > 0) {
		return Moment{}, 0
	}
	if d.low(j) == "'s" {
		return Moment{}, 0 // "November's bill"
	}
	m := d.rel(d.nearMonth(mon))
	m.form = wholeMonth
	return m, 1
}

func clockMark(w string) bool {
	switch w {
	case "am", "pm", "percent", "people", "times", "days", "weeks", "months", "years", "hours", "minutes":
		return true
	}
	return false
}

// withYear finishes a day and month with the year at token j, if there is one, else with the one that suits.
func (d *dater) withYear(i, j int, mon time.Month, day int) (Moment, int) {
	k := j
	if d.low(k) == "," || d.low(k) == "of" || d.low(k) == "in" {
		k++
	}
	if y := d.yearAt(k); plausible(y) {
		if m, ok := d.date(y, mon, day); ok {
			return m, k - i + 1
		}
		return Moment{}, 0
	}
	if k < len(d.toks) {
		if y := d.shortYear(k); y > 0 {
			m, ok := d.date(y, mon, day)
			if ok {
				return m, k - i + 2
			}
		}
	}
	best, found := Moment{}, false
	for off := -1; off <= 1; off++ {
		m, ok := d.date(d.day.Year()+off, mon, day)
		if ok && (!found || d.better(m.From, best.From)) {
			best, found = m, true
		}
	}
	if !found {
		return Moment{}, 0
	}
	best.form = ofYear
	return d.rel(best), j - i
}

func (d *dater) nearMonth(mon time.Month) Moment {
	y := d.day.Year()
	this := d.monthIn(y, mon)
	switch {
	case d.way() > 0 && !this.To.After(d.day):
		return d.monthIn(y+1, mon)
	case d.way() < 0 && this.From.After(d.day):
		if last := d.monthIn(y-1, mon); !d.open || d.day.Sub(last.To) < farOff || this.From.Sub(d.day) > nearBy {
			return last
		}
		return this
	case d.way() == 0 && this.From.Sub(d.day) > 183*24*time.Hour:
		return d.monthIn(y-1, mon)
	case d.way() == 0 && d.day.Sub(this.To) > 183*24*time.Hour:
		return d.monthIn(y+1, mon)
	}
	return this
}

// dayMonth reads "5 March 2024" and "5th of March", the day at token i.
func (d *dater) dayMonth(i, day int) (Moment, int) {
	j := i + 1
	if d.low(j) == "." {
		j++
	}
	if d.low(j) == "of" {
		j++
	}
	mon := months[d.low(j)]
	if mon == 0 || j >= len(d.toks) {
		return Moment{}, 0
	}
	if lead := d.low(i - 1); d.low(j) == "may" && !d.toks[j].Upper && j == i+1 && ordinal(d.low(i)) == 0 && !monthLead[lead] && lead != "the" &&
		(IsBase(d.low(j+1)) || Adverbs[d.low(j+1)] || d.low(j+1) == "") {
		return Moment{}, 0 // "the other 2 may come"
	}
	return d.withYear(i, j+1, mon, day)
}

// ago reads "two weeks ago", "a couple of days ago", "3 months from now", the number at token i.
func (d *dater) ago(i int) (Moment, int) {
	count, j, vague := d.count(i)
	if count == 0 {
		return Moment{}, 0
	}
	unit := strings.TrimSuffix(d.low(j), "s")
	j++
	switch d.low(j) {
	case "ago", "back":
		return d.shift(unit, -count, vague), d.took(unit, i, j)
	case "from":
		if d.low(j+1) == "now" || d.low(j+1) == "today" {
			return d.shift(unit, count, vague), d.took(unit, i, j+1)
		}
	}
	return Moment{}, 0
}

// took is the length of the tokens i to j, or 0 when unit is none.
func (d *dater) took(unit string, i, j int) int {
	if !TimeUnits[unit] {
		return 0
	}
	return j - i + 1
}

// in reads "in two weeks" and "in 3 days": a span ahead. "in 5 minutes" is no date.
func (d *dater) in(i int) (Moment, int) {
	count, j, vague := d.count(i + 1)
	if count == 0 || d.way() < 0 {
		return Moment{}, 0
	}
	unit := strings.TrimSuffix(d.low(j), "s")
	if !TimeUnits[unit] || d.low(j+1) == "'" {
		return Moment{}, 0
	}
	if d.low(j+1) == "of" || d.low(j+1) == "'s" {
		return Moment{}, 0
	}
	return d.shift(unit, count, vague), j - i + 1
}

// TimeUnits are the units that a date can be counted in, in the singular.
var TimeUnits = Words("day week month year decade fortnight")

// count reads a quantity at token i; j is the token behind it. vague: "a few", "a couple of", "about".
func (d *dater) count(i int) (n, j int, vague bool) {
	w := d.low(i)
	j = i + 1
	switch {
	case w == "a" || w == "an":
		switch d.low(j) {
		case "couple":
			j++
			if d.low(j) == "of" {
				j++
			}
			return 2, j, true
		case "few":
			return 3, j + 1, true
		}
		return 1, j, false
	case w == "one":
		return 1, j, false
	case w == "couple":
		if d.low(j) == "of" {
			j++
		}
		return 2, j, true
	case w == "few" || w == "several":
		return 3, j, true
	case len(w) <= 3 && AllDigits(w):
		v, _ := strconv.Atoi(w)
		return v, j, false
	}
	return SmallNumber(w), j, false
}

// shift moves by units; the result is as exact as the unit, or one step less when the count was vague.
func (d *dater) shift(unit string, n int, vague bool) Moment {
	var m Moment
	switch unit {
	case "day":
		m = d.days(d.day.AddDate(0, 0, n), 1, ToDay)
		if vague {
			m = d.days(monday(m.From), 7, ToWeek)
		}
	case "week", "fortnight":
		if unit == "fortnight" {
			n *= 2
		}
		m = d.days(monday(d.day.AddDate(0, 0, 7*n)), 7, ToWeek)
	case "month":
		first := d.day.AddDate(0, 0, 1-d.day.Day())
		t := first.AddDate(0, n, 0)
		m = d.monthIn(t.Year(), t.Month())
	case "year":
		m = d.year(d.day.Year() + n)
	default:
		y := (d.day.Year() + 10*n) / 10 * 10
		f := time.Date(y, 1, 1, 0, 0, 0, 0, d.day.Location())
		m = Moment{From: f, To: f.AddDate(10, 0, 0), Precision: ToDecade}
	}
	return d.rel(m)
}

// weekday reads a day of the week that stands alone: ahead or back as the sentence leans, ahead when it does not.
func (d *dater) weekday(i int) (Moment, int) {
	t := d.toks[i]
	if d.monthly(i) {
		return Moment{}, 0
	}
	if len(t.Low) < 6 && !shortDays[t.Low] && !(dayLeads[d.low(i-1)] || t.Upper && len(t.Low) == 5) && !d.timed(i+1) {
		return Moment{}, 0
	}
	want, _ := weekdayOf(t.Low)
	n := 1
	if DayParts[d.low(i+1)] {
		n = 2
	} else if rest, ok := strings.CutSuffix(d.low(i+1), "s"); ok && DayParts[rest] || d.low(i-1) == "every" || d.low(i-1) == "each" ||
		d.low(i-1) == "that" || d.low(i-1) == "same" || d.low(i-2) == "every" {
		return Moment{}, 0 // "Tuesday evenings", "every Tuesday"; "that Tuesday" is one of those spoken of
	}
	if mon := months[d.low(i+n)]; mon != 0 && DayNumber(d.low(i+n+1)) > 0 {
		if m, k := d.month(i+n, mon); k > 0 && m.Precision == ToDay {
			for _, y := range []int{0, 1, -1} { // of the year in which that day is one
				if f := m.From.AddDate(y, 0, 0); m.Relative && f.Weekday() == want {
					m.From, m.To = f, f.AddDate(0, 0, 1)
					break
				}
			}
			return m, n + k // "Friday March 8"
		}
	}
	if m, k := d.dayOf(i, i+n); k > 0 {
		return m, n + k // "Saturday 12 October", "Tuesday the 11th"
	}
	if j := i + n; d.low(j) == "," {
		// "Friday, March 8": the date behind it is exact.
		if j+1 < len(d.toks) {
			if m, k := d.read(j + 1); k > 0 && m.Precision == ToDay && m.form != ofWeek {
				if m.form == ofMonth {
					m.onto(want)
				}
				return m, n + 1 + k
			}
		}
	}
	off := (int(want) - int(d.day.Weekday()) + 7) % 7
	switch {
	case d.way() < 0: // of today one says "today"
		off -= 7
	case d.way() > 0 && off == 0:
		off = 7
	}
	switch {
	case d.way() >= 0 && d.low(i+n) == "week" && n == 1: // "Monday week"
		off, n = off+7, 2
	case d.way() >= 0 && d.low(i-1) == "on" && d.low(i-2) == "week" && d.low(i-3) == "a": // "a week on Saturday"
		off += 7
	}
	m := d.rel(d.days(d.day.AddDate(0, 0, off), 1, ToDay))
	m.form = ofWeek
	return m, n
}

// timed reports whether a day of a month, an hour or a part of the day stands at token i: "Sat 27 April", "sun 11am", "mon morning".
func (d *dater) timed(i int) bool {
	if DayParts[d.low(i)] {
		return true
	}
	if DayNumber(d.low(i)) > 0 && !clockMark(d.low(i+1)) {
		return ordinal(d.low(i)) > 0 || months[d.low(i+1)] != 0
	}
	_, _, n := d.figures(i)
	return n > 0
}

// saturday reads Sat and Sun, which are words of their own.
func (d *dater) saturday(i int) (Moment, int) {
	prev := d.low(i - 1)
	if d.timed(i+1) || dayLeads[prev] && prev != "this" && prev != "from" && (d.toks[i].Upper || d.ends(i+1)) {
		return d.weekday(i)
	}
	return Moment{}, 0
}

// weekdayOf returns the day of the week that a word names, also Sat and Sun.
func weekdayOf(w string) (time.Weekday, bool) {
	switch w {
	case "sat":
		return time.Saturday, true
	case "sun":
		return time.Sunday, true
	}
	wd, ok := Weekdays[w]
	return wd, ok
}

func hasWeekday(w string) bool {
	_, ok := Weekdays[w]
	return ok
}

// shortDays are abbreviated days that mean nothing else; dayLeads stand before those that do.
var (
	shortDays = Words("weds tues thur thurs tue thu fri")
	dayLeads  = Words("on next this until til till from by before since")
)

// dayOf reads the day of a month behind the day of the week at token i, and finds the month or year in which it is one.
func (d *dater) dayOf(i, j int) (Moment, int) {
	at := j
	if d.low(j) == "the" {
		at++
	}
	day := max(DayNumber(d.low(at)), ordinal(d.low(at)))
	if day == 0 || at > j && ordinal(d.low(at)) == 0 || clockMark(d.low(at+1)) {
		return Moment{}, 0
	}
	m, k := d.dayMonth(at, day)
	named := k > 0
	if k == 0 && ordinal(d.low(at)) > 0 {
		m, k = d.rel(d.dayOfMonth(ordinal(d.low(at)))), 1
	}
	if k == 0 || m.Precision != ToDay {
		return Moment{}, 0
	}
	want, _ := weekdayOf(d.low(i))
	for _, months := range []int{0, 1, -1, 2, 12, -12} {
		f := m.From.AddDate(0, months, 0)
		if m.Relative && f.Day() == m.From.Day() && f.Weekday() == want && (months%12 == 0 || !named) {
			m.From, m.To = f, f.AddDate(0, 0, 1)
			break
		}
	}
	m.form = full
	return m, k + at - j
}

// feast reads the few holidays that fall on one date, Easter and Black Friday.
func (d *dater) feast(i int) (Moment, int) {
	next, third := d.low(i+1), d.low(i+2)
	switch d.low(i) {
	case "christmas", "xmas":
		if next == "eve" {
			return d.withYear(i, i+2, 12, 24)
		}
		if next == "day" {
			return d.withYear(i, i+2, 12, 25)
		}
		if d.celebrated(i) {
			return d.withYear(i, i+1, 12, 25)
		}
	case "halloween":
		if d.celebrated(i) {
			return d.withYear(i, i+1, 10, 31)
		}
	case "boxing":
		if next == "day" {
			return d.withYear(i, i+2, 12, 26)
		}
	case "easter":
		if next == "monday" || next == "sunday" || d.yearAt(i+1) > 0 || d.celebrated(i) {
			return d.easter(i)
		}
	case "good":
		if next == "friday" {
			return d.moving(i, 2, func(y int) time.Time { return easterSunday(y, d.day.Location()).AddDate(0, 0, -2) })
		}
	case "black":
		if next == "friday" {
			return d.moving(i, 2, func(y int) time.Time { // the day after the fourth Thursday of November
				first := time.Date(y, time.November, 1, 0, 0, 0, 0, d.day.Location())
				return first.AddDate(0, 0, (int(time.Thursday)-int(first.Weekday())+7)%7+22)
			})
		}
	case "valentine":
		if next == "'s" && third == "day" {
			return d.withYear(i, i+3, 2, 14)
		}
	case "new":
		lead := d.low(i - 1)
		if lead == "the" {
			lead = d.low(i - 2)
		}
		behind := lead == "at" || lead == "for" || lead == "since" || lead == "after" || lead == "before" || lead == "until" || lead == "till" || lead == "by"
		switch {
		case next != "year":
		case third == "'s" && d.low(i+3) == "eve":
			return d.withYear(i, i+4, 12, 31)
		case third == "'s" && d.low(i+3) == "day":
			return d.withYear(i, i+4, 1, 1)
		case third == "'s" && behind:
			return d.withYear(i, i+3, 1, 1)
		case behind && d.ends(i+2):
			return d.withYear(i, i+2, 1, 1)
		}
	}
	return Moment{}, 0
}

// celebrated reports whether a holiday is named for its day, and not for what is done on it: "at Christmas", not "Christmas fair" or "Christmas: …".
func (d *dater) celebrated(i int) bool {
	return feastLeads[d.low(i-1)] || i+1 >= len(d.toks) || d.toks[i+1].Kind == Punct && !d.toks[i+1].Is(":") || d.yearAt(i+1) > 0 || Stops[d.low(i+1)]
}

var feastLeads = Words("at by before after since until till til over last next this around on")

// moving reads a holiday of n words that falls on another day each year.
func (d *dater) moving(i, n int, on func(year int) time.Time) (Moment, int) {
	if y := d.yearAt(i + n); y > 0 {
		return d.days(on(y), 1, ToDay), n + 1
	}
	best, found := time.Time{}, false
	for y := d.day.Year() - 1; y <= d.day.Year()+1; y++ {
		if c := on(y); !found || d.better(c, best) {
			best, found = c, true
		}
	}
	return d.rel(d.days(best, 1, ToDay)), n
}

// easter reads Easter, Easter Sunday, Easter Monday and the year behind them: the western date.
func (d *dater) easter(i int) (Moment, int) {
	n, off := 1, 0
	switch d.low(i + 1) {
	case "monday":
		n, off = 2, 1
	case "sunday":
		n = 2
	}
	return d.moving(i, n, func(y int) time.Time { return easterSunday(y, d.day.Location()).AddDate(0, 0, off) })
}

// easterSunday is the western Easter of a year (the anonymous Gregorian algorithm, Meeus 1991).
func easterSunday(y int, loc *time.Location) time.Time {
	a, b, c := y%19, y/100, y%100
	h := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	l := (32 + 2*(b%4) + 2*(c/4) - h - c%4) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Date(y, time.Month(n/31), n%31+1, 0, 0, 0, 0, loc)
}

// Duration resolves "for five years" in toks to when it began, reckoned back from at.
func Duration(toks []Token, at time.Time) (Moment, bool) {
	d := dater{toks: toks, at: at, day: Midnight(at)}
	for i, t := range toks {
		if !t.Is("for") {
			continue
		}
		j := i + 1
		for j < len(toks) && durationLeads[toks[j].Low] {
			j++
		}
		if j >= len(toks) {
			return Moment{}, false
		}
		if n, k, vague := d.count(j); n > 0 {
			if unit := strings.TrimSuffix(d.low(k), "s"); TimeUnits[unit] {
				return d.shift(unit, -n, vague), true
			}
		}
	}
	return Moment{}, false
}

var durationLeads = Words("the past last about over almost nearly around more than at least")

// IsDateWord reports whether a word names a month or a day of the week.
func IsDateWord(w string) bool {
	k := calendar[w]
	return k == aWeekday || k == aMonth
}

// calendar tells of a word whether it is a number, a day, a month or a season: nearly every word of a text is asked, and nearly none is.
var calendar = func() map[string]uint8 {
	all := map[string]uint8{}
	put(all, Seasons, aSeason)
	put(all, months, aMonth)
	put(all, Weekdays, aWeekday)
	put(all, numberWords, aNumber)
	return all
}()

const (
	aNumber uint8 = 1 + iota
	aWeekday
	aMonth
	aSeason
)

func put[T any](all map[string]uint8, words map[string]T, kind uint8) {
	for w := range words {
		all[w] = kind
	}
}
