package lexis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Precision is how exactly a moment is known.
type Precision string

// The precisions, finest first.
const (
	ToMinute  Precision = "minute"
	ToDay     Precision = "day"
	ToWeekend Precision = "weekend"
	ToWeek    Precision = "week"
	ToMonth   Precision = "month"
	ToQuarter Precision = "quarter"
	ToSeason  Precision = "season"
	ToYear    Precision = "year"
	ToDecade  Precision = "decade"
)

// Moment is a date named in a text: the bytes [Start, End), without a preposition before it. It lies in [From, To), which
// is as long as its precision. Relative tells that it was reckoned from the time the text was written.
type Moment struct {
	Start, End int
	From, To   time.Time
	Precision  Precision
	Relative   bool
	form       form
}

// form is what of a date was named, as far as what stands beside it may tell more.
type form uint8

const (
	full       form = iota
	ofWeek          // a day of the week
	ofMonth         // a day of a month that is not named
	ofYear          // a day of a named month, without a year
	wholeMonth      // a month without a year
)

// ISO writes the moment after ISO 8601: 2024-03-05T17:00, 2024-03-05, 2024-W10, 2024-03, 2024, an interval a/b for weekends and
// seasons (of days, of months), 2024-Q1 for quarters and 199X for decades (as ISO 8601-2 has it).
func (m Moment) ISO() string {
	f := m.From
	switch m.Precision {
	case ToMinute:
		return f.Format("2006-01-02T15:04")
	case ToWeekend:
		return f.Format("2006-01-02") + "/" + m.To.AddDate(0, 0, -1).Format("2006-01-02")
	case ToWeek:
		y, w := f.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", y, w)
	case ToMonth:
		return f.Format("2006-01")
	case ToQuarter:
		return fmt.Sprintf("%04d-Q%d", f.Year(), (int(f.Month())+2)/3)
	case ToSeason:
		return f.Format("2006-01") + "/" + m.To.AddDate(0, -1, 0).Format("2006-01")
	case ToYear:
		return f.Format("2006")
	case ToDecade:
		return fmt.Sprintf("%03dX", f.Year()/10)
	}
	return f.Format("2006-01-02")
}

// Dates finds the dates in s and resolves those that are relative ("yesterday", "last Friday", "two weeks ago", "next March",
// "on the 5th") against at, in at's time zone. A date without a year or direction ("March 5", "Friday") is taken from the
// past or the future as the tense of its sentence says, else the nearest. English only, besides numeric forms. A weekday after
// "next" is that of the next calendar week, weeks beginning on Monday; after "last" it is the latest before today.
func Dates(s string, at time.Time) []Moment {
	var out []Moment
	var toks []Token
	for start, end := range Stretches(s) {
		toks = Lex(toks[:0], s, start, end)
		out = append(out, FindDates(toks, at, Leaning(toks))...)
	}
	return out
}

// Leaning tells by its verbs whether a sentence looks back (-1), ahead (+1) or neither (0).
func Leaning(toks []Token) int {
	ahead, back := 0, 0
	for i, t := range toks {
		switch t.Low {
		case "will", "'ll", "going", "gonna", "plan", "planning", "due", "deadline", "upcoming", "must", "schedule", "scheduled", "remind", "submit":
			ahead++
		case "was", "were", "did", "had", "went", "got", "made", "took", "came", "saw", "ago", "said",
			"told", "met", "left", "bought", "began", "ran", "won", "ate", "gave", "since":
			back++
		default:
			if i > 0 && len(t.Low) > 4 && strings.HasSuffix(t.Low, "ed") && !t.Is("need") && !t.Is("scheduled") {
				back++
			}
		}
	}
	switch {
	case ahead > 0:
		return 1
	case back > 0:
		return -1
	}
	return 0
}

// dater reads dates from tokens.
type dater struct {
	toks          []Token
	at            time.Time
	day           time.Time // at's day, at midnight
	leaning, lean int       // which way the sentence leans, and the date at token begin once that has been asked for
	// whether a day is named among the tokens, once it has been looked for
	looked, named bool
	cues          cue  // what stands anywhere among the tokens
	from, begin   int  // the first token that no date has taken, and the one that is looked at
	open, asked   bool // the date may be ahead, whatever the verb says: "until March", "said he would in March"; that has been asked for
}

// longest is how many tokens of a sentence are read for dates as one: what is longer is no sentence, and dates are looked at beside one another.
const longest = 512

// FindDates returns the moments in toks, in order and without overlap.
func FindDates(toks []Token, at time.Time, lean int) []Moment {
	if len(toks) <= longest {
		return findDates(toks, at, lean)
	}
	var out []Moment
	for part := range slices.Chunk(toks, longest) {
		out = append(out, findDates(part, at, lean)...)
	}
	return out
}

func findDates(toks []Token, at time.Time, lean int) []Moment {
	d := dater{toks: toks, at: at, day: Midnight(at), leaning: lean}
	for _, t := range toks {
		d.cues |= cues[t.Low]
	}
	var out []Moment
	for i := 0; i < len(toks); {
		d.begin, d.asked = i, false
		if first, last, n := d.stretch(i); n > 0 {
			out = append(out, first, last)
			i += n
			d.from = i
			continue
		}
		m, n := d.read(i)
		if n == 0 {
			i++
			continue
		}
		m.Start, m.End = toks[i].Start, toks[i+n-1].End
		if m.Precision == ToDay {
			n += d.clock(&m, d.from, i, i+n)
		}
		out = append(out, m)
		i += n
		d.from = i
	}
	return d.settled(out)
}

// way tells which way the date leans that is looked at: the words before it may say so, "since Friday" and "as of Friday" are over, "switched to
// Friday" is to come. Few tokens begin a date, so it is found out when it is first asked for.
func (d *dater) way() int {
	if d.asked {
		return d.lean
	}
	d.asked, d.lean = true, d.leaning
	i := d.begin
	if d.low(i-1) == "the" {
		i--
	}
	lead := d.low(i - 1)
	d.open = openLeads[lead] || d.cues&telling != 0
	switch {
	case lead == "since", lead == "of" && d.low(i-2) == "as" && d.lean == 0:
		d.lean = -1
	case lead == "due" || d.low(i-2) == "due" && Stops[lead]:
		if d.lean = 1; d.low(i-2) == "was" || d.low(i-3) == "was" {
			d.lean = -1
		}
	case lead == "to" && d.lean < 0 && d.cues&(moved|reset) != 0:
		d.lean = 1
	case d.lean >= 0 && !ownLeads[lead] && d.happened(i):
		d.lean = -1
	case d.lean == 0 && (lead == "until" || lead == "till" || lead == "til") && !d.happened(i):
		d.lean = 1
	}
	return d.lean
}

var ownLeads = Words("of to for by until till til from") // whatever was done before them

var openLeads = Words("until till til from for by starting")

// cue is a set of what words anywhere in a sentence tell of its dates.
type cue uint16

const (
	telling cue = 1 << iota // somebody says what is to come
	moved                   // a day has become a later one
	reset                   // or another one
	early                   // it is about the hours before noon
	late                    // or behind it
	working                 // about what has office hours
	again                   // done again and again
	oneWeek                 // about the days of one week
)

var cues = func() map[string]cue {
	m := map[string]cue{}
	for c, list := range map[cue]string{
		telling: "said says told promised wants rented booked",
		moved:   "moved pushed postponed delayed",
		reset:   "switched changed shifted bumped swapped rescheduled put",
		early:   "morning mornings breakfast dawn early sunrise flight plane train ferry alarm woke wake shift milking delivery school bus am",
		late: `evening dinner supper tonight pub gig concert cinema film movie theatre theater opera party restaurant disco table drinks nightclub
			curtain pm`,
		working: "plumber electrician engineer builder boiler dentist doctor surgery operation scan blood bloods clinic hospital work office site",
		again:   "every each weekly monthly",
		oneWeek: "off away out tomorrow this next last tonight today weekend",
	} {
		for w := range strings.FieldsSeq(list) {
			m[w] |= c
		}
	}
	return m
}()

// happened reports whether the verb next before token i tells what is over, though the sentence does not: "the one I bought in May is broken", "R knee,
// done Thursday".
func (d *dater) happened(i int) bool {
	for k := i - 1; k >= max(0, i-9); k-- {
		t := d.toks[k]
		v := Verbs[t.Low]
		switch {
		case t.Kind != Word:
		case t.Is("was") && d.leaning > 0 && k > i-5 && d.low(i-1) != "due":
			return true // "have it looked at, last time was in May"
		case BeForms[t.Low], t.Is("has"), t.Is("'ll"), t.Is("will"), t.Is("to"), t.Is("and"), t.Is("but"), t.Is("so"), t.Is("not"), t.Is("n't"), t.Is("if"),
			t.Is("got"), t.Is("get"), t.Is("getting"), t.Is("have"), t.Is("having"):
			return false
		case v.Form&(Gerund|Third) != 0 && v.Form&Base == 0:
			return false
		case v.Known() && v.Form&Base == 0 && v.Form&(Past|Participle) != 0:
			return !arranged[v.Lemma] && !slices.ContainsFunc(d.toks[max(0, k-4):k], func(t Token) bool { return unfinished[t.Low] }) &&
				(!BeForms[d.low(k-1)] || d.low(k-1) == "was" || d.low(k-1) == "were") && d.low(k-1) != "a" && d.low(k-1) != "the"
		}
	}
	return false
}

// unfinished are words before a participle that is still to come true: "getting the roof done on Friday", "to be finished in May".
var unfinished = Words("be get gets getting have having need needs want wants to will")

// arranged are verbs of what is done for a day to come.
var arranged = Words(`book schedule plan move push put set invite order sign reserve postpone shift switch arrange fix confirm agree decide offer promise
	apply register enrol enroll reschedule bump delay expect ask pay close rent hire change swap cancel`)

// Midnight is the beginning of t's day in its zone.
func Midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func (d *dater) low(i int) string {
	if i < 0 || i >= len(d.toks) {
		return ""
	}
	return d.toks[i].Low
}

// read reads the date that begins at token i; n is how many tokens it takes, 0 when there is none.
func (d *dater) read(i int) (m Moment, n int) {
	t := d.toks[i]
	if t.Kind == Number {
		return d.number(i)
	}
	if t.Kind != Word {
		if y := d.shortYear(i); y > 0 {
			return d.year(y), 2
		}
		return m, 0
	}
	switch t.Low {
	case "at":
		return d.alone(i)
	case "end":
		return d.end(i)
	case "mid-january", "mid-february", "mid-march", "mid-april", "mid-may", "mid-june", "mid-july", "mid-august", "mid-september", "mid-october",
		"mid-november", "mid-december":
		return d.rel(d.nearMonth(months[t.Low[4:]])), 1
	case "today", "tonight", "yesterday", "tomorrow", "tmrw":
		return d.near(i)
	case "last", "this", "next", "past", "coming", "previous":
		return d.deictic(i)
	case "the":
		return d.the(i)
	case "in", "within":
		if d.low(i+1) == "the" && Seasons[d.low(i+2)] != 0 && d.yearAt(i+3) == 0 {
			return d.rel(d.nearSeason(Seasons[d.low(i+2)])), 3
		}
		return d.in(i)
	case "a", "an", "one", "couple", "few", "several":
		return d.ago(i)
	case "q1", "q2", "q3", "q4":
		return d.quarter(i)
	case "early", "mid", "late":
		return d.part(i)
	case "week", "weekend", "wk", "w/c":
		return d.weekOf(i)
	case "sat", "sun":
		return d.saturday(i)
	case "first", "second", "third", "fourth", "fifth":
		if m, n := d.nth(i); n > 0 {
			return m, n
		}
	}
	if day := ordinalWords[t.Low]; day > 0 {
		return d.dayMonth(i, day) // "fifteenth of August, 1959"
	}
	switch calendar[t.Low] {
	case aNumber:
		return d.ago(i)
	case aWeekday:
		return d.weekday(i)
	case aMonth:
		return d.month(i, months[t.Low])
	case aSeason:
		return d.season(i)
	}
	return d.feast(i)
}

func (d *dater) days(from time.Time, n int, p Precision) Moment {
	return Moment{From: from, To: from.AddDate(0, 0, n), Precision: p}
}

func (d *dater) rel(m Moment) Moment {
	m.Relative = true
	return m
}

// near reads today, tonight, yesterday, tomorrow and the part of the day behind it.
func (d *dater) near(i int) (Moment, int) {
	off := 0
	switch d.low(i) {
	case "yesterday":
		off = -1
	case "tomorrow", "tmrw":
		off = 1
	}
	n := 1
	if DayParts[d.low(i+1)] {
		n = 2
	}
	return d.rel(d.days(d.day.AddDate(0, 0, off), 1, ToDay)), n
}

// the reads "the day before yesterday", "the 5th", "the 5th of March", "the past week" and the like.
func (d *dater) the(i int) (Moment, int) {
	switch d.low(i + 1) {
	case "weekend":
		if prev := d.low(i - 1); prev == "over" || prev == "at" || prev == "on" || prev == "for" || prev == "this" {
			step := 0
			if d.way() < 0 {
				step = -1
			}
			m, _ := d.unit("weekend", step)
			return d.rel(m), 2
		}
	case "end":
		if m, n := d.end(i + 1); n > 0 {
			return m, n + 1
		}
	case "day":
		if d.low(i+2) == "before" && d.low(i+3) == "yesterday" {
			return d.rel(d.days(d.day.AddDate(0, 0, -2), 1, ToDay)), 4
		}
		if d.low(i+2) == "after" && d.low(i+3) == "tomorrow" {
			return d.rel(d.days(d.day.AddDate(0, 0, 2), 1, ToDay)), 4
		}
		if step := map[string]int{"before": -1, "after": 1}[d.low(i+2)]; step != 0 && i+3 < len(d.toks) && d.low(i+3) != "yesterday" {
			if m, n := d.read(i + 3); n > 0 && m.Precision == ToDay && (m.form == full || m.form == ofYear) { // "the day after Christmas"
				m.From, m.To = m.From.AddDate(0, 0, step), m.To.AddDate(0, 0, step)
				return d.rel(m), n + 3
			}
		}
	case "week":
		if d.low(i+2) == "after" && d.low(i+3) == "next" {
			return d.rel(d.days(monday(d.day).AddDate(0, 0, 14), 7, ToWeek)), 4
		}
		if d.low(i+2) == "before" && d.low(i+3) == "last" {
			return d.rel(d.days(monday(d.day).AddDate(0, 0, -14), 7, ToWeek)), 4
		}
	}
	if i+1 >= len(d.toks) {
		return Moment{}, 0
	}
	day := ordinal(d.low(i + 1))
	if day == 0 {
		return Moment{}, 0
	}
	if m, n := d.dayMonth(i+1, day); n > 0 {
		return m, n + 1
	}
	if m, ok := d.range1(i, day); ok {
		return m, 2
	}
	if d.ends(i+2) && (dayOfLeads[d.low(i-1)] || day > 5 && (d.toks[i+1].Kind == Number || d.low(i+2) == "")) {
		return d.dayOfMonth(day), 2
	}
	return Moment{}, 0
}

// ends reports whether a day of the month may end before token i: "on the 5th", not "the 5th attempt".
func (d *dater) ends(i int) bool {
	return i >= len(d.toks) || d.toks[i].Kind == Punct && !d.toks[i].Is("%") || dateTail[d.low(i)]
}

// dayOfMonth resolves "the 5th": ahead, back or nearest.
func (d *dater) dayOfMonth(day int) Moment {
	best, found := time.Time{}, false
	for off := -2; off <= 2; off++ {
		c := time.Date(d.day.Year(), d.day.Month()+time.Month(off), day, 0, 0, 0, 0, d.day.Location())
		if c.Day() != day || d.way() > 0 && c.Equal(d.day) && d.cues&moved != 0 {
			continue
		}
		if !found || d.better(c, best) {
			best, found = c, true
		}
	}
	m := d.rel(d.days(best, 1, ToDay))
	m.form = ofMonth
	return m
}

// better reports whether candidate c suits the sentence's leaning more than best.
func (d *dater) better(c, best time.Time) bool {
	gc, gb := c.Sub(d.day), best.Sub(d.day)
	if far := gb.Abs() > farOff; d.way() < 0 && far != (gc.Abs() > farOff) && (gc.Abs() < nearBy || gb.Abs() < nearBy) {
		return far // whoever speaks of what is nearly a year ago says so: "I got the job, I start 1 March"
	}
	if d.way() != 0 {
		okC, okB := int64(gc)*int64(d.way()) >= 0, int64(gb)*int64(d.way()) >= 0
		if okC != okB {
			return okC
		}
	}
	return gc.Abs() < gb.Abs()
}

// Of a day that has no year the one that is farther off than farOff is not meant if another is nearer than nearBy.
const farOff, nearBy = 240 * 24 * time.Hour, 120 * 24 * time.Hour

// deictic reads last, this and next with a unit, weekday, month or season.
func (d *dater) deictic(i int) (Moment, int) {
	step := 0
	switch d.low(i) {
	case "last", "past", "previous":
		step = -1
		if m, n := d.nth(i); n > 0 {
			return m, n
		}
	case "next":
		step = 1
	case "coming":
		if prev := d.low(i - 1); i > 0 && prev != "the" && prev != "this" {
			return Moment{}, 0 // "somebody new is coming Thursday"
		}
		if step = 1; hasWeekday(d.low(i + 1)) {
			d.way()
			step, d.lean = 0, 1
		}
	}
	w := d.low(i + 1)
	if d.low(i+2) == "'s" && (w == "year" || w == "month" || months[w] != 0) || d.low(i-1) == "like" || d.low(i-1) == "than" || d.low(i-1) == "as" && step < 0 {
		return Moment{}, 0 // "last year's sheet", "the same as last year"
	}
	if m, ok := d.unit(w, step); ok && (d.low(i) != "past" || w != "year") {
		return d.rel(m), 2
	}
	if wd, ok := Weekdays[w]; ok && !d.monthly(i+1) {
		n := 2
		if DayParts[d.low(i+2)] {
			n = 3
		}
		m := d.rel(d.days(d.deicticDay(wd, step), 1, ToDay))
		if step == 0 {
			m.form = ofWeek
		}
		return m, n
	}
	if mon := months[w]; mon != 0 && d.low(i) != "past" {
		return d.rel(d.monthIn(d.deicticYear(mon, step), mon)), 2
	}
	if s := Seasons[w]; s != 0 {
		return d.rel(d.deicticSeason(s, step)), 2
	}
	return Moment{}, 0
}

// unit resolves "last week", "this month", "next year", "last night", "this morning".
func (d *dater) unit(w string, step int) (Moment, bool) {
	y, mon := d.day.Year(), d.day.Month()
	switch w {
	case "night":
		return d.days(d.day.AddDate(0, 0, step), 1, ToDay), true
	case "morning", "afternoon", "evening":
		return d.days(d.day, 1, ToDay), step == 0
	case "week":
		return d.days(monday(d.day).AddDate(0, 0, 7*step), 7, ToWeek), true
	case "weekend":
		sat := monday(d.day).AddDate(0, 0, 5)
		if step < 0 && d.day.Before(sat) || step > 0 {
			sat = sat.AddDate(0, 0, 7*step)
		} else if step < 0 {
			sat = sat.AddDate(0, 0, -7)
		}
		return d.days(sat, 2, ToWeekend), true
	case "month":
		f := time.Date(y, mon+time.Month(step), 1, 0, 0, 0, 0, d.day.Location())
		return Moment{From: f, To: f.AddDate(0, 1, 0), Precision: ToMonth}, true
	case "quarter":
		f := time.Date(y, (mon-1)/3*3+1+time.Month(3*step), 1, 0, 0, 0, 0, d.day.Location())
		return Moment{From: f, To: f.AddDate(0, 3, 0), Precision: ToQuarter}, true
	case "year":
		return d.year(y + step), true
	}
	return Moment{}, false
}

func (d *dater) year(y int) Moment {
	f := time.Date(y, 1, 1, 0, 0, 0, 0, d.day.Location())
	return Moment{From: f, To: f.AddDate(1, 0, 0), Precision: ToYear}
}

func monday(t time.Time) time.Time { return t.AddDate(0, 0, -(int(t.Weekday())+6)%7) }

func (d *dater) deicticDay(wd time.Weekday, step int) time.Time {
	inWeek := monday(d.day).AddDate(0, 0, (int(wd)+6)%7)
	switch {
	case step > 0:
		return inWeek.AddDate(0, 0, 7)
	case step == 0 && (d.way() >= 0 && inWeek.Before(d.day)):
		return inWeek.AddDate(0, 0, 7)
	case step == 0:
		return inWeek
	}
	if !inWeek.Before(d.day) {
		return inWeek.AddDate(0, 0, -7)
	}
	return inWeek
}

func (d *dater) deicticYear(mon time.Month, step int) int {
	y := d.day.Year()
	switch {
	case step < 0 && mon >= d.day.Month():
		return y - 1
	case step > 0 && mon <= d.day.Month():
		return y + 1
	}
	return y
}

func (d *dater) monthIn(y int, mon time.Month) Moment {
	f := time.Date(y, mon, 1, 0, 0, 0, 0, d.day.Location())
	return Moment{From: f, To: f.AddDate(0, 1, 0), Precision: ToMonth}
}

// seasonIn returns the northern season that begins in year y.
func (d *dater) seasonIn(y int, first time.Month) Moment {
	f := time.Date(y, first, 1, 0, 0, 0, 0, d.day.Location())
	return Moment{From: f, To: f.AddDate(0, 3, 0), Precision: ToSeason}
}

func (d *dater) deicticSeason(first time.Month, step int) Moment {
	m := d.seasonIn(d.day.Year(), first)
	switch {
	case step < 0 && m.To.After(d.day):
		m = d.seasonIn(d.day.Year()-1, first)
	case step > 0 && !m.From.After(d.day):
		m = d.seasonIn(d.day.Year()+1, first)
	case step == 0 && first == 12 && d.day.Month() < 3:
		m = d.seasonIn(d.day.Year()-1, first)
	}
	return m
}

// nearSeason resolves "since spring", "in the autumn": back, ahead or nearest.
func (d *dater) nearSeason(first time.Month) Moment {
	m := d.seasonIn(d.day.Year(), first)
	switch {
	case d.way() < 0 && m.From.After(d.day):
		return d.seasonIn(d.day.Year()-1, first)
	case d.way() >= 0 && !m.To.After(d.day):
		return d.seasonIn(d.day.Year()+1, first)
	}
	return m
}

// range1 reads the first of two days that share a month: "the 12th" of "from the 12th to the 20th of October".
func (d *dater) range1(i, day int) (Moment, bool) {
	if w := d.low(i + 2); w != "to" && w != "until" && w != "till" && w != "and" && w != "through" || d.low(i+3) != "the" {
		return Moment{}, false
	}
	last := ordinal(d.low(i + 4))
	if last == 0 {
		return Moment{}, false
	}
	m, n := d.dayMonth(i+4, last)
	if n == 0 || day > last {
		return Moment{}, false
	}
	f := m.From.AddDate(0, 0, day-last)
	return Moment{From: f, To: f.AddDate(0, 0, 1), Precision: ToDay, Relative: m.Relative}, f.Day() == day
}

// end reads "end of March", "end of the month", "end of next week", "end of 2025": behind by, until and till the last day, else the stretch itself.
func (d *dater) end(i int) (Moment, int) {
	if d.low(i+1) != "of" {
		return Moment{}, 0
	}
	j := i + 2
	m, n := Moment{}, 0
	switch w := d.low(j); {
	case w == "the" || w == "this":
		if u, ok := d.unit(d.low(j+1), 0); ok {
			m, n = u, 2
		}
	case w == "next" || w == "last":
		m, n = d.deictic(j)
	case months[w] != 0:
		if m, n = d.month(j, months[w]); n == 0 {
			m, n = d.nearMonth(months[w]), 1
		}
	case d.yearAt(j) > 0:
		m, n = d.year(d.yearAt(j)), 1
	case len(w) == 2 && w[0] == 'q':
		m, n = d.read(j)
	}
	if n == 0 || m.Precision == ToDay || m.Precision == ToMinute {
		return Moment{}, 0
	}
	prev := d.low(i - 1)
	if prev == "the" {
		prev = d.low(i - 2)
	}
	if prev == "by" || prev == "until" || prev == "till" || prev == "before" || prev == "is" {
		last := m.To.AddDate(0, 0, -1)
		if m.Precision == ToWeek {
			last = last.AddDate(0, 0, -2) // its Friday
		}
		m = d.days(last, 1, ToDay)
	}
	return d.rel(m), j + n - i
}

// alone reads a time of day without a day, "at 13:47", "at half past twelve", "at 3:20 this morning": today, or yesterday where that would be
// ahead of what is told. Of a time that is over and not told nothing is known.
func (d *dater) alone(i int) (Moment, int) {
	h, mi, n := d.hour(i + 1)
	if n == 0 {
		return Moment{}, 0
	}
	day, took := d.day, 1+n
	switch w := d.low(i + 1 + n); {
	case w == "this" && DayParts[d.low(i+2+n)]:
		took += 2
	case w == "today" || w == "tonight":
		took++
	case d.daily():
		return Moment{}, 0
	default:
		f := time.Date(day.Year(), day.Month(), day.Day(), h, mi, 0, 0, day.Location())
		switch {
		case d.way() < 0 && f.After(d.at):
			day = day.AddDate(0, 0, -1)
		case d.way() >= 0 && f.Before(d.at):
			return Moment{}, 0
		}
	}
	m := d.days(day, 1, ToDay)
	d.sharpen(&m, h, mi)
	return d.rel(m), took
}

// daily reports whether a day is named anywhere in the sentence: the time of day is that day's.
func (d *dater) daily() bool {
	if d.looked {
		return d.named
	}
	d.looked = true
	for k, t := range d.toks {
		_, day := Weekdays[strings.TrimSuffix(t.Low, "s")]
		if day || t.Is("tomorrow") || t.Is("yesterday") || t.Is("tonight") || t.Is("today") || ordinal(t.Low) > 0 || t.Is("every") ||
			t.Is("always") || t.Is("usually") || t.Is("daily") || t.Is("longer") ||
			months[t.Low] != 0 && k+1 < len(d.toks) && (d.toks[k+1].Kind == Number || d.toks[k+1].Is("the")) {
			d.named = true
			break
		}
	}
	return d.named
}

// season reads "summer 2023", "summer of 2023", "in summer".
func (d *dater) season(i int) (Moment, int) {
	first := Seasons[d.low(i)]
	if y := d.yearAt(i + 1); y > 0 {
		return d.seasonIn(y, first), 2
	}
	if d.low(i+1) == "of" {
		if y := d.yearAt(i + 2); y > 0 {
			return d.seasonIn(y, first), 3
		}
	}
	if d.low(i-1) == "since" || d.low(i-1) == "until" || d.low(i-1) == "till" {
		return d.rel(d.nearSeason(first)), 1
	}
	return Moment{}, 0
}

// part reads early, mid and late before a month or year: the word is left out of the precision.
func (d *dater) part(i int) (Moment, int) {
	j := i + 1
	if d.low(j) == "in" {
		j++
	}
	if y := d.yearAt(j); y > 0 {
		return d.year(y), j - i + 1
	}
	if mon := months[d.low(j)]; mon != 0 {
		if m, n := d.month(j, mon); n > 0 {
			return m, n + j - i
		}
	}
	return Moment{}, 0
}

// quarter reads "Q3" with an optional year.
func (d *dater) quarter(i int) (Moment, int) {
	q := int(d.low(i)[1] - '0')
	y, n, rel := d.yearAt(i+1), 2, false
	if y == 0 {
		y, n, rel = d.day.Year(), 1, true
	}
	f := time.Date(y, time.Month(3*q-2), 1, 0, 0, 0, 0, d.day.Location())
	return Moment{From: f, To: f.AddDate(0, 3, 0), Precision: ToQuarter, Relative: rel}, n
}

// yearAt returns the year written at token i, 0 when there is none.
func (d *dater) yearAt(i int) int {
	if w := d.low(i); len(w) == 4 && AllDigits(w) {
		if y, _ := strconv.Atoi(w); y >= 1000 && y < 2200 {
			return y
		}
	}
	return 0
}
