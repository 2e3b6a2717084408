package lexis

import (
	"strconv"
	"strings"
	"time"
)

// clock reads "at 5pm" behind a day (from token j on) or before it (ending at token i, beginning at token from or later), sharpens m and returns how
// many tokens behind j it took.
func (d *dater) clock(m *Moment, from, i, j int) int {
	if d.low(j-1) == "noon" {
		d.sharpen(m, 12, 0)
		return 0
	}
	k := j
	if d.low(k) == "," {
		k++
	}
	switch lead := d.low(k); lead {
	case "at", "@", "from", "before", "after", "by", "around", "about":
		if h, mi, n := d.hourAt(k+1, lead == "at" || lead == "@" || lead == "from" && d.closes(k+2)); n > 0 {
			d.sharpen(m, h, mi)
			m.End = d.toks[k+n].End
			return k + 1 + n - j
		}
	}
	if h, mi, n := d.hour(k); n > 0 && d.low(k) != "noon" && d.low(k) != "midnight" {
		d.sharpen(m, h, mi) // "Thursday 31st, 10:00"
		m.End = d.toks[k+n-1].End
		return k + n - j
	}
	if h, n := d.hours(k); n > 0 {
		d.sharpen(m, h, 0) // "Monday 14th, 3 to 5 pm"
		m.End = d.toks[k+n-1].End
		return k + n - j
	}
	for back := 6; back > 0; back-- {
		at := i - back
		if at < from {
			continue
		}
		h, mi, n := 0, 0, 0
		if d.low(at) == "at" {
			h, mi, n = d.hourAt(at+1, true)
			n++
		} else {
			h, mi, n = d.hour(at)
		}
		end := at + n
		if n > 1 && (end == i || (end == i-1 || end == i-2 && d.low(i-1) == "the") && d.low(end) == "on") {
			d.sharpen(m, h, mi)
			m.Start = d.toks[at].Start
			return 0
		}
	}
	return d.clockBehind(m, j)
}

// closes reports whether nothing that is counted stands at token i: a mark, a second hour, or the end.
func (d *dater) closes(i int) bool {
	return i >= len(d.toks) || d.toks[i].Kind == Punct && !d.toks[i].Is("%") || spanWord[d.low(i)]
}

// clockBehind looks a few words further on for the time of the day: "17 May in the clubhouse, 7pm", "the 3rd at the hospital at nine".
func (d *dater) clockBehind(m *Moment, j int) int {
	for k := j; k < min(len(d.toks), j+9); k++ {
		w := d.low(k)
		h, mi, n := 0, 0, 0
		switch {
		case w == "at" || w == "@":
			h, mi, n = d.hourAt(k+1, true)
		case w == ",":
			if h, mi, n = d.hour(k + 1); n == 0 {
				h, n = d.hours(k + 1)
			}
		case w == "and" && k > j && d.toks[k-1].Upper && k+1 < len(d.toks) && d.toks[k+1].Upper: // "at the Norfolk and Norwich, 14.15"
		case d.toks[k].Kind == Number, w == "and", w == "to", w == "or", w == "until", w == "till", w == "but", w == ".", w == "not", w == "then", w == "so", IsDateWord(w):
			return 0
		}
		if n > 0 {
			d.sharpen(m, h, mi)
			return 0
		}
	}
	return 0
}

// hourAt reads an hour behind "at", which may be no more than a number: one that is small is past noon.
func (d *dater) hourAt(i int, bare bool) (h, mi, n int) {
	if h, mi, n = d.hour(i); n > 0 {
		return h, mi, n
	}
	if h, n = d.hours(i); n > 0 {
		return h, 0, n
	}
	if !bare {
		return 0, 0, 0
	}
	h = hourWord(d.low(i))
	switch next := d.low(i + 1); {
	case h == 0 || clockMark(next) || next == "%" || next == "-" || i+1 < len(d.toks) && d.toks[i+1].Kind == Word && !hourTails[next]:
		return 0, 0, 0
	}
	return d.halved(h, 8, i+1), 0, 1
}

var hourTails = Words(`on in at for with and so but sharp then because since o'clock till until to the if by from as when unless or please i we he
	she they it my our his her this that today tomorrow tonight prompt outside before after though instead now not`)

func (d *dater) sharpen(m *Moment, h, mi int) {
	f := m.From
	m.From = time.Date(f.Year(), f.Month(), f.Day(), h, mi, 0, 0, f.Location())
	m.To = m.From.Add(time.Minute)
	m.Precision = ToMinute
}

// halved takes an hour of the twelve that a clock shows to the half of the day that is meant, by the words behind it (from token i on) and, where
// these do not tell, by what it is about; where nothing tells, an hour before noon is past it if it is smaller than small.
func (d *dater) halved(h, small, i int) int {
	part := ""
	switch w := d.low(i); {
	case (w == "in" || w == "on") && (d.low(i+1) == "the" || d.low(i+1) == "that"):
		part = d.low(i + 2)
	case w == "this", w == "that", w == "tomorrow", w == "at" && d.low(i+1) == "night":
		part = d.low(i + 1)
	case w == "tonight":
		part = "night"
	case DayParts[w]:
		part = w
	}
	switch part {
	case "morning":
		return h % 12
	case "afternoon", "evening", "night":
		if h < 12 {
			return h + 12
		}
		return h % 12
	}
	switch early, late := d.cues&early != 0, d.cues&late != 0; {
	case h >= 12:
	case late && !early && h >= 5:
		return h + 12 // "a table for two on Friday at eight"
	case early && !late && h >= 5, h == 7 && d.cues&working != 0:
	case h < small:
		return h + 12
	}
	return h
}

// hour reads 17:30, 5pm, 5:30 p.m., 16h15, 5 o'clock, half past five, quarter to nine, four in the morning, noon; n is how many tokens it takes.
func (d *dater) hour(i int) (h, mi, n int) {
	switch d.low(i) {
	case "noon":
		return 12, 0, 1
	case "midnight":
		return 0, 0, 1
	case "":
		return 0, 0, 0
	}
	if h, mi, n = d.spoken(i); n > 0 {
		return d.halved(h%24, 8, i+n), mi, n
	}
	if h = hourWord(d.low(i)); h > 0 {
		if d.low(i+1) == "o'clock" {
			return d.halved(h, 8, i+2), 0, 2
		}
		if part := d.low(i + 3); d.low(i+1) == "in" && d.low(i+2) == "the" && (part == "morning" || part == "afternoon" || part == "evening") {
			return d.halved(h, 8, i+1), 0, 4
		}
	}
	return d.figures(i)
}

// spoken reads "half past five", "half five", "quarter to nine", "ten past four"; the hour is that of the clock's face.
func (d *dater) spoken(i int) (h, mi, n int) {
	minutes, j := 0, i+1
	switch d.low(i) {
	case "half":
		minutes = 30
	case "half-past":
		if v := hourWord(d.low(j)); v > 0 {
			return v, 30, 2
		}
		return 0, 0, 0
	case "a":
		if d.low(j) != "quarter" {
			return 0, 0, 0
		}
		minutes, j = 15, j+1
	case "quarter":
		minutes = 15
	case "five", "5":
		minutes = 5
	case "ten", "10":
		minutes = 10
	case "twenty", "20":
		minutes = 20
	case "twenty-five", "25":
		minutes = 25
	default:
		return 0, 0, 0
	}
	v := hourWord(d.low(j + 1))
	switch {
	case d.low(j) == "past" && v > 0:
		return v, minutes, j + 2 - i
	case d.low(j) == "to" && v > 0 && minutes == 15:
		return (v+10)%12 + 1, 45, j + 2 - i
	case minutes == 30 && j == i+1:
		if v = hourWord(d.low(j)); v > 0 && (d.closes(j+1) || hourTails[d.low(j+1)]) {
			return v, 30, 2
		}
	}
	return 0, 0, 0
}

// figures reads an hour in figures.
func (d *dater) figures(i int) (h, mi, n int) {
	w, half := d.low(i), ""
	for _, suffix := range []string{"am", "pm", "a.m", "p.m", "h"} {
		if rest, ok := strings.CutSuffix(w, suffix); ok {
			w, half = rest, suffix
		}
	}
	n = 1
	if next := d.low(i + 1); half == "" && (next == "am" || next == "pm" || next == "a.m" || next == "p.m") {
		half, n = next, 2
	}
	if half = strings.ReplaceAll(half, ".", ""); d.low(i+n) == "." && strings.HasSuffix(d.low(i+n-1), ".m") {
		n++
	}
	hs, ms, colon := strings.Cut(w, ":")
	small := 6 // "5:30" is rarely before dawn, "6:30" often in the morning
	if !colon && len(w) > 3 && len(w) < 6 {
		if hs, ms, colon = strings.Cut(w, "."); colon {
			small = 8 // 11.20, as the British write it
		} else if hs, ms, colon = strings.Cut(w, "h"); colon {
			half = "h" // 16h15
		}
	}
	if len(hs) > 2 || !AllDigits(hs) || colon && (len(ms) != 2 || !AllDigits(ms)) {
		return 0, 0, 0
	}
	h, _ = strconv.Atoi(hs)
	if colon {
		mi, _ = strconv.Atoi(ms)
	} else if half == "" {
		return 0, 0, 0
	}
	switch {
	case half == "pm" && h < 12:
		h += 12
	case half == "am" && h == 12:
		h = 0
	case half == "" && h > 0 && h < 12 && hs[0] != '0':
		h = d.halved(h, small, i+n)
	}
	if h > 23 || mi > 59 {
		return 0, 0, 0
	}
	return h, mi, n
}

// spanWord stand between two hours or days.
var spanWord = Words("to till til until - – — through thru")

// hours reads the first of two hours: "3 to 5 pm", "8 till 1", "14-18h".
func (d *dater) hours(i int) (h, n int) {
	first, second, j := d.low(i), d.low(i+2), i+3
	if a, b, ok := strings.Cut(first, "-"); ok {
		first, second, j = strings.TrimSuffix(a, "am"), b, i+1
	} else if !spanWord[d.low(i+1)] {
		return 0, 0
	}
	if !AllDigits(first) || len(first) > 2 {
		return 0, 0
	}
	h, _ = strconv.Atoi(first)
	to, half := strings.TrimRight(second, "amph"), ""
	if half = second[len(to):]; half == "" && (d.low(j) == "am" || d.low(j) == "pm") {
		half, j = d.low(j), j+1
	}
	last, err := strconv.Atoi(to)
	if err != nil || h > 23 || last > 24 || half == "" && (!d.closes(j) && !hourTails[d.low(j)] || h > 12 && last <= h) {
		return 0, 0
	}
	switch {
	case half == "pm" && h < 12 && h < last, half == "" && h < 8 && h < last && last <= 12:
		h += 12 // "3 to 5", not "8 till 1"
	}
	return h, j - i
}

func hourWord(w string) int {
	if v := SmallNumber(w); v > 0 && v <= 12 {
		return v
	}
	if v, err := strconv.Atoi(w); err == nil && v > 0 && v <= 12 {
		return v
	}
	if w == "one" {
		return 1
	}
	return 0
}
