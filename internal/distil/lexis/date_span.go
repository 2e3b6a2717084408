package lexis

import (
	"slices"
	"strings"
	"time"
)

// twoDays are two days of one month that stand beside one another: "5 to 8", "26-30", "8+9".
type twoDays struct {
	first, last int
	end, start  int // the byte behind the first, and that of the last
	next        int // the token behind them
}

func (d *dater) twoDays(i int) (t twoDays, ok bool) {
	if d.low(i) == "the" {
		i++
	}
	if i >= len(d.toks) {
		return t, false
	}
	tok := d.toks[i]
	for _, sep := range []string{"-", "+", "/", "–"} {
		if a, b, two := strings.Cut(tok.Low, sep); two && sep != "/" {
			t = twoDays{DayNumber(a), DayNumber(b), tok.Start + len(a), tok.End - len(b), i + 1}
			return t, t.first > 0 && t.last > t.first
		}
	}
	if sep := d.low(i + 1); !spanWord[sep] && sep != "+" && sep != "&" {
		return t, false
	}
	j := i + 2
	if d.low(j) == "the" {
		j++
	}
	if j >= len(d.toks) {
		return t, false
	}
	t = twoDays{DayNumber(tok.Low), DayNumber(d.low(j)), tok.End, d.toks[j].Start, j + 1}
	return t, t.first > 0 && t.last > t.first
}

// stretch reads two days of one month, "5 to 8 June", "26-30 May", "8+9 June", "June 20 to 25", "February, 11 to 20"; n is how many tokens they take.
func (d *dater) stretch(i int) (first, last Moment, n int) {
	j, mon := i, months[d.low(i)]
	if mon != 0 {
		if j++; d.low(j) == "." || d.low(j) == "," {
			j++
		}
	} else if d.toks[i].Kind != Number && d.low(i) != "the" {
		return first, last, 0
	}
	t, ok := d.twoDays(j)
	switch {
	case !ok:
		return first, last, 0
	case mon == 0:
		if last, n = d.dayMonth(t.next-1, t.last); n > 0 {
			n += t.next - 1 - i
		}
	case months[d.low(t.next)] == 0 && d.low(t.next) != "of" && !clockMark(d.low(t.next)):
		last, n = d.withYear(i, t.next, mon, t.last)
	}
	if n == 0 {
		return first, last, 0
	}
	last.Start, last.End = t.start, d.toks[i+n-1].End
	first = last
	first.From = last.From.AddDate(0, 0, t.first-t.last)
	first.To, first.Start, first.End, first.Relative = first.From.AddDate(0, 0, 1), d.toks[i].Start, t.end, true
	return first, last, n
}

// weekOf reads "the week of 10 February", "week commencing the 3rd", "the weekend of the 8th".
func (d *dater) weekOf(i int) (Moment, int) {
	j := i + 1
	switch d.low(j) {
	case "of", "commencing", "beginning", "starting":
		j++
	default:
		if d.low(i) != "w/c" {
			return Moment{}, 0
		}
	}
	if d.low(j) == "the" {
		j++
	}
	m, n := Moment{}, 0
	if day := DayNumber(d.low(j)); day > 0 {
		if m, n = d.dayMonth(j, day); n == 0 && ordinal(d.low(j)) > 0 && d.ends(j+1) {
			m, n = d.dayOfMonth(day), 1
		}
	} else if mon := months[d.low(j)]; mon != 0 {
		m, n = d.month(j, mon)
	}
	if n == 0 || m.Precision != ToDay {
		return Moment{}, 0
	}
	from, days, p := monday(m.From), 7, ToWeek
	if d.low(i) == "weekend" {
		from, days, p = from.AddDate(0, 0, 5), 2, ToWeekend
	}
	return d.rel(d.days(from, days, p)), j + n - i
}

// nth reads "first weekend of May", "last Friday in October", "second week of June", the ordinal at token i.
func (d *dater) nth(i int) (Moment, int) {
	mon := months[d.low(i+3)]
	if of := d.low(i + 2); mon == 0 || of != "of" && of != "in" {
		return Moment{}, 0
	}
	m, n := d.rel(d.nearMonth(mon)), 4
	if y := d.yearAt(i + 4); y > 0 {
		m, n = d.monthIn(y, mon), 5
	}
	wd, day := Weekdays[d.low(i+1)]
	days, p := 1, ToDay
	switch d.low(i + 1) {
	case "weekend":
		wd, days, p = time.Saturday, 2, ToWeekend
	case "week":
		wd, days, p = time.Monday, 7, ToWeek
	case "day":
		wd = m.From.Weekday()
		if d.low(i) == "last" {
			wd = m.To.AddDate(0, 0, -1).Weekday()
		}
	default:
		if !day {
			return Moment{}, 0
		}
	}
	from := m.From.AddDate(0, 0, (int(wd)-int(m.From.Weekday())+7)%7+7*(max(1, ordinal(d.low(i)))-1))
	if d.low(i) == "last" {
		from = m.To.AddDate(0, 0, -1)
		from = from.AddDate(0, 0, -(int(from.Weekday())-int(wd)+7)%7)
	}
	if !from.Before(m.To) {
		return Moment{}, 0
	}
	out := d.days(from, days, p)
	out.Relative = m.Relative
	return out, n
}

// monthly reports whether the day of the week at token i returns: "first Sunday of the month", "last Friday of each quarter".
func (d *dater) monthly(i int) bool {
	every := d.low(i + 2)
	return d.low(i+1) == "of" && (every == "the" || every == "every" || every == "each" || every == "a") && recurring[d.low(i+3)]
}

var recurring = Words("month quarter term year season semester")

// shortYear reads '84 at token i; 0 when it is none.
func (d *dater) shortYear(i int) int {
	if !d.toks[i].Is("'") || i+1 >= len(d.toks) || d.toks[i+1].Start != d.toks[i].End {
		return 0
	}
	w := d.low(i + 1)
	if len(w) != 2 || !AllDigits(w) {
		return 0
	}
	y := d.day.Year()/100*100 + int(w[0]-'0')*10 + int(w[1]-'0')
	if y > d.day.Year()+5 {
		y -= 100
	}
	return y
}

// settled brings together what was said of one day in two ways: "the 9th, the Sunday", "3 Feb, a Saturday", "in May now, the 7th". A day that names no
// month is one of the month that was named before it.
func (d *dater) settled(list []Moment) []Moment {
	if len(list) > 1 {
		list = slices.DeleteFunc(list, func(m Moment) bool { return d.denied(m.Start) })
	}
	list = slices.DeleteFunc(list, d.habitual)
	for k := 0; k+1 < len(list); k++ {
		a, b := &list[k], &list[k+1]
		switch {
		case b.form != ofMonth:
		case a.form == wholeMonth && a.To.After(d.day):
			b.moveTo(a.From)
		case a.fineDay() && a.form != ofWeek && b.From.Before(a.From) && !a.From.Before(d.day):
			if b.moveTo(a.From); b.From.Before(a.From) {
				b.moveTo(a.From.AddDate(0, 0, 1-a.From.Day()).AddDate(0, 1, 0))
			}
		}
		if !d.beside(a.End, b.Start) {
			continue
		}
		switch {
		case b.form == ofWeek && a.fineDay() && a.form != ofWeek:
			if wd := b.From.Weekday(); a.form == ofMonth {
				a.onto(wd)
			}
			if b.Precision == ToMinute && a.Precision == ToDay {
				a.ClockOf(b)
			}
			list = slices.Delete(list, k+1, k+2)
		case a.form == ofWeek && b.fineDay() && b.form != ofWeek:
			if b.form == ofMonth {
				b.onto(a.From.Weekday())
			}
			if a.Precision == ToMinute && b.Precision == ToDay {
				b.ClockOf(a)
			}
			list = slices.Delete(list, k, k+1)
		case a.Precision == ToYear && !a.Relative && b.form == ofYear:
			if f := b.From.AddDate(a.From.Year()-b.From.Year(), 0, 0); f.Day() == b.From.Day() {
				b.From, b.To, b.Relative = f, f.Add(b.To.Sub(b.From)), false // "in '98, thirtieth June"
			}
			list = slices.Delete(list, k, k+1)
		case a.form == wholeMonth && b.fineDay() && !b.From.Before(a.From) && b.From.Before(a.To):
			list = slices.Delete(list, k, k+1)
		}
	}
	return list
}

// habitual reports whether a date is none, but a day on which something is done again and again: "every month on the 1st", "practice is Monday and
// Thursday", "wed thu fri".
func (d *dater) habitual(m Moment) bool {
	if m.form != ofWeek && m.form != ofMonth {
		return false
	}
	i := d.tokenAt(m.Start)
	if m.form == ofWeek && d.way() >= 0 && d.cues&oneWeek == 0 && dayNamed(d.low(i)) {
		first, last, days, span := i, i, 1, false
		for step := -1; step < 2; step += 2 {
			for k := i + step; k >= 0 && k < len(d.toks); k += step {
				w := d.low(k)
				if dayNamed(w) {
					days, first, last = days+1, min(first, k), max(last, k)
				} else if span = span || spanWord[w]; !listing[w] && !spanWord[w] {
					break
				}
			}
		}
		if days > 1 && !span && !fixed[d.low(first-1)] && !(d.low(first-1) == "on" && last-first > 1 && d.way() > 0) {
			return true
		}
	}
	return !fixed[d.low(i-1)] && d.cues&again != 0
}

var (
	fixed   = Words("next this last since from until till by starting not")
	listing = Words("and & + / ,")
)

// dayNamed reports whether a word names a day of the week, in whatever length.
func dayNamed(w string) bool {
	if _, ok := weekdayOf(w); ok {
		return true
	}
	return hasWeekday(strings.TrimSuffix(w, "s")) && len(w) > 6
}

// tokenAt returns the token that begins at a byte, or the first behind it.
func (d *dater) tokenAt(start int) int {
	i := 0
	for i < len(d.toks) && d.toks[i].Start < start {
		i++
	}
	return i
}

// denied reports whether the date that begins at a byte is named as what is not so: "Thursday, not Tuesday", "not the 30th but the 3rd".
func (d *dater) denied(start int) bool {
	i := d.tokenAt(start)
	for i > 0 && (d.low(i-1) == "the" || d.low(i-1) == "on" || d.low(i-1) == "at") {
		i--
	}
	return d.low(i-1) == "not" && i < len(d.toks) || d.low(i-1) == "of" && d.low(i-2) == "instead"
}

func (m *Moment) fineDay() bool { return m.Precision == ToDay || m.Precision == ToMinute }

// moveTo takes a day of a month into the month of t.
func (m *Moment) moveTo(t time.Time) {
	length := m.To.Sub(m.From)
	f := time.Date(t.Year(), t.Month(), m.From.Day(), m.From.Hour(), m.From.Minute(), 0, 0, t.Location())
	if f.Day() == m.From.Day() {
		m.From, m.To = f, f.Add(length)
	}
}

// onto takes a day of a month into the nearest month in which it is that day of the week.
func (m *Moment) onto(wd time.Weekday) {
	length := m.To.Sub(m.From)
	for _, months := range []int{0, 1, -1, 2, 3} {
		if f := m.From.AddDate(0, months, 0); f.Day() == m.From.Day() && f.Weekday() == wd {
			m.From, m.To = f, f.Add(length)
			return
		}
	}
}

// NamesMonth reports whether the date is a day of a month that was named with it.
func (m *Moment) NamesMonth() bool {
	return m.fineDay() && (m.form == ofYear || m.form == full && !m.Relative)
}

// Weekly reports whether the date is a day of the week and no more.
func (m *Moment) Weekly() bool { return m.form == ofWeek }

// Near takes a day that was named without its month into the month of another day, or, unless alone, the one behind or before it, where that is the nearer.
func (m *Moment) Near(o *Moment, alone bool) {
	if m.form != ofMonth || !m.From.Before(o.From) && m.From.Sub(o.From) < 20*24*time.Hour {
		return
	}
	length, best := m.To.Sub(m.From), m.From
	for _, months := range []int{0, 1, -1} {
		first := time.Date(o.From.Year(), o.From.Month()+time.Month(months), 1, 0, 0, 0, 0, o.From.Location())
		f := first.AddDate(0, 0, m.From.Day()-1).Add(m.From.Sub(Midnight(m.From)))
		if gap := f.Sub(o.From).Abs(); f.Day() == m.From.Day() && gap < best.Sub(o.From).Abs() && (!alone || months == 0 && gap < 20*24*time.Hour) {
			best = f
		}
	}
	m.From, m.To = best, best.Add(length)
}

// ClockOf takes the time of the day from another moment.
func (m *Moment) ClockOf(o *Moment) {
	f := m.From
	m.From = time.Date(f.Year(), f.Month(), f.Day(), o.From.Hour(), o.From.Minute(), 0, 0, f.Location())
	m.To, m.Precision = m.From.Add(time.Minute), ToMinute
}

// beside reports whether between two dates stands no more than a mark or a word that says again what was said.
func (d *dater) beside(end, start int) bool {
	mark := false
	for _, t := range d.toks {
		if t.Start < end || t.End > start {
			continue
		}
		if mark = mark || t.Is(",") || t.Is("(") || t.Is("-") || t.Is("–"); !between[t.Low] {
			return false
		}
	}
	return mark
}

var between = Words(", ( - – ) the a an now already then before so ie that's which is on")
