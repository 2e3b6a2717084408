package mail

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// zone is a VTIMEZONE: the rules by which its clocks change.
type zone struct {
	id    string
	rules []onset
}

// onset is one observance: from when on, and on which day of each year, clocks are offset seconds ahead of UTC.
type onset struct {
	start  time.Time // local time, as if UTC
	offset int
	month  time.Month // 0: not repeated
	day    int        // of the month, 0 when by weekday
	nth    int        // nth weekday of the month, from its end when negative
	week   time.Weekday
	until  int // last year, 0: none
}

// take reads a property of a zone.
func (z *zone) take(component string, p property) {
	if component == "VTIMEZONE" {
		if p.name == "TZID" {
			z.id = p.value
		}
		return
	}
	if len(z.rules) == 0 {
		return
	}
	r := &z.rules[len(z.rules)-1]
	switch p.name {
	case "DTSTART":
		r.start, _ = time.Parse("20060102T150405", strings.TrimSuffix(p.value, "Z"))
	case "TZOFFSETTO":
		r.offset = offset(p.value)
	case "RRULE":
		rule := parseRule(p.value)
		if rule["FREQ"] != "YEARLY" {
			return
		}
		r.month = r.start.Month()
		if n, err := strconv.Atoi(rule["BYMONTH"]); err == nil && n >= 1 && n <= 12 {
			r.month = time.Month(n)
		}
		r.nth, r.week, _ = weekday(rule["BYDAY"])
		if n, err := strconv.Atoi(rule["BYMONTHDAY"]); err == nil && rule["BYDAY"] == "" {
			r.day = n
		}
		if len(rule["UNTIL"]) >= 4 {
			r.until, _ = strconv.Atoi(rule["UNTIL"][:4])
		}
	}
}

// offset reads ±HHMM[SS] as seconds.
func offset(s string) int {
	sign := 1
	if strings.HasPrefix(s, "-") {
		sign = -1
	}
	s = strings.TrimLeft(s, "+-")
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	switch len(s) {
	case 4:
		return sign * (n/100*3600 + n%100*60)
	case 6:
		return sign * (n/10000*3600 + n/100%100*60 + n%100)
	}
	return 0
}

// at returns when in that year the rule takes effect, as local time; ok is false when it does not.
func (r onset) at(year int) (time.Time, bool) {
	if r.start.IsZero() || year < r.start.Year() || r.until > 0 && year > r.until {
		return time.Time{}, false
	}
	if r.month == 0 {
		return r.start, year == r.start.Year()
	}
	clock := time.Duration(r.start.Hour())*time.Hour + time.Duration(r.start.Minute())*time.Minute
	switch {
	case r.day != 0:
		return time.Date(year, r.month, r.day, 0, 0, 0, 0, time.UTC).Add(clock), true
	case r.nth > 0:
		first := time.Date(year, r.month, 1, 0, 0, 0, 0, time.UTC)
		ahead := (int(r.week) - int(first.Weekday()) + 7) % 7
		return first.AddDate(0, 0, ahead+7*(r.nth-1)).Add(clock), true
	case r.nth < 0:
		last := time.Date(year, r.month+1, 0, 0, 0, 0, 0, time.UTC)
		back := (int(last.Weekday()) - int(r.week) + 7) % 7
		return last.AddDate(0, 0, -back+7*(r.nth+1)).Add(clock), true
	}
	return time.Date(year, r.month, r.start.Day(), 0, 0, 0, 0, time.UTC).Add(clock), true
}

// offsetAt is how far the zone's clocks are ahead of UTC at a local time, in seconds.
func (z *zone) offsetAt(local time.Time) int {
	var best time.Time
	result, found := 0, false
	for _, r := range z.rules {
		for _, year := range []int{local.Year(), local.Year() - 1, r.start.Year()} {
			if t, ok := r.at(year); ok && !t.After(local) && (!found || t.After(best)) {
				best, result, found = t, r.offset, true
			}
		}
	}
	if !found && len(z.rules) > 0 {
		return z.rules[0].offset
	}
	return result
}

// point is a date of a calendar: local time as it is written, and the name of its zone.
type point struct {
	local time.Time // as if UTC
	day   bool      // a date without a time
	zone  string    // "UTC", a TZID, or "" for the time wherever one is
}

// parsePoint reads a DATE or DATE-TIME.
func parsePoint(value, zone string) (point, bool) {
	value = strings.TrimSpace(value)
	for _, layout := range []string{"20060102T150405Z", "20060102T150405", "20060102T1504", "20060102", "2006-01-02T15:04:05Z", "2006-01-02"} {
		t, err := time.Parse(layout, value)
		if err != nil || !sane(t) {
			continue
		}
		if strings.HasSuffix(layout, "Z") {
			zone = "UTC"
		}
		return point{t, !strings.Contains(layout, "15"), zone}, true
	}
	return point{}, false
}

func (p property) point() (point, bool) {
	value, _, _ := strings.Cut(p.value, ",")
	return parsePoint(value, oneLine(p.params["TZID"], 100))
}

// instant is the moment that a property names, in its zone; the zero time when it is no date.
func (c *calendar) instant(p property) time.Time {
	pt, ok := p.point()
	if !ok {
		return time.Time{}
	}
	if z := c.zones[pt.zone]; z != nil && len(z.rules) > 0 {
		return time.Date(pt.local.Year(), pt.local.Month(), pt.local.Day(), pt.local.Hour(), pt.local.Minute(), pt.local.Second(), 0,
			time.FixedZone(pt.zone, z.offsetAt(pt.local)))
	}
	if pt.zone != "" && pt.zone != "UTC" {
		if loc, err := time.LoadLocation(pt.zone); err == nil {
			return time.Date(pt.local.Year(), pt.local.Month(), pt.local.Day(), pt.local.Hour(), pt.local.Minute(), pt.local.Second(), 0, loc)
		}
	}
	return pt.local
}

const (
	longDay   = "Monday, 2 January 2006"
	longClock = "15:04"
)

// words writes one date, with its zone.
func (c *calendar) words(p property) string {
	pt, ok := p.point()
	if !ok {
		return oneLine(p.value, 100)
	}
	if pt.day {
		return pt.local.Format(longDay)
	}
	return pt.local.Format(longDay+", "+longClock) + inZone(pt.zone)
}

func inZone(zone string) string {
	if zone == "" {
		return ""
	}
	return " (" + zone + ")"
}

// when writes from when to when an item is.
func (c *calendar) when(it item) string {
	from, ok := it.start.point()
	if !ok {
		return oneLine(it.start.value, 100)
	}
	to, ended := it.end.point()
	if !ended && it.duration != "" {
		if d := durationWords(it.duration); d != "" {
			return c.words(it.start) + ", for " + d
		}
	}
	if from.day {
		last := to.local.AddDate(0, 0, -1) // the end is the first day after
		if !ended || !last.After(from.local) {
			return from.local.Format(longDay) + ", all day"
		}
		return from.local.Format(longDay) + " to " + last.Format(longDay)
	}
	switch {
	case !ended || to.local.Equal(from.local) && to.zone == from.zone:
		return c.words(it.start)
	case to.zone != from.zone:
		return c.words(it.start) + " to " + c.words(it.end)
	case to.local.Format(longDay) == from.local.Format(longDay):
		return from.local.Format(longDay+", "+longClock) + " to " + to.local.Format(longClock) + inZone(from.zone)
	}
	return from.local.Format(longDay+", "+longClock) + " to " + to.local.Format(longDay+", "+longClock) + inZone(from.zone)
}

// dates writes the days of EXDATE or RDATE properties.
func (c *calendar) dates(list []property) string {
	var out []string
	for _, p := range list {
		for value := range strings.SplitSeq(p.value, ",") {
			start, _, _ := strings.Cut(value, "/")
			if pt, ok := parsePoint(start, ""); ok {
				out = append(out, pt.local.Format("2 January 2006"))
			}
			if len(out) >= 100 {
				return strings.Join(out, ", ") + ", …"
			}
		}
	}
	return strings.Join(out, ", ")
}

var durations = regexp.MustCompile(`^\+?P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,5})S)?)?$`)

// durationWords writes PT1H30M as "1 hour 30 minutes"; "" for what is no duration.
func durationWords(s string) string {
	m := durations.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return ""
	}
	var out []string
	for i, noun := range []string{"week", "day", "hour", "minute", "second"} {
		if n, err := strconv.Atoi(m[i+1]); err == nil && n > 0 {
			out = append(out, count(n, noun))
		}
	}
	return strings.Join(out, " ")
}

// parseRule splits a recurrence rule into its parts, names and values in upper case.
func parseRule(s string) map[string]string {
	out := map[string]string{}
	for part := range strings.SplitSeq(strings.ToUpper(s[:min(len(s), 2000)]), ";") {
		if k, v, found := strings.Cut(part, "="); found {
			out[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
	return out
}

// weekday reads MO, 2TU, -1FR.
func weekday(s string) (nth int, day time.Weekday, ok bool) {
	if len(s) < 2 {
		return 0, 0, false
	}
	i := slices.Index([]string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}, s[len(s)-2:])
	if i < 0 {
		return 0, 0, false
	}
	nth, _ = strconv.Atoi(strings.TrimPrefix(s[:len(s)-2], "+"))
	return nth, time.Weekday(i), true
}

var frequencies = map[string]string{
	"SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year",
}

// repeats writes a recurrence rule in words, with the last day on which what begins at start can begin; a rule that it does not
// understand stays as it is.
func repeats(rule string, start time.Time) string {
	r := parseRule(rule)
	noun := frequencies[r["FREQ"]]
	if noun == "" {
		return oneLine(rule, 300)
	}
	out := "every " + noun
	if n, err := strconv.Atoi(r["INTERVAL"]); err == nil && n > 1 {
		out = "every " + strconv.Itoa(n) + " " + noun + "s"
	}
	days := dayWords(r["BYDAY"], r["BYSETPOS"])
	switch {
	case days == "every weekday" && out == "every week" || days == "every weekday" && out == "every day":
		out = days
	case days != "":
		out += " on " + days
	}
	if list := numberWords(r["BYMONTHDAY"]); list != "" {
		out += " on the " + list
	}
	if list := numberWords(r["BYYEARDAY"]); list != "" {
		out += " on the " + list + " day of the year"
	}
	if r["BYWEEKNO"] != "" {
		out += " in week " + strings.ReplaceAll(r["BYWEEKNO"], ",", ", ")
	}
	if list := monthWords(r["BYMONTH"]); list != "" {
		out += " in " + list
	}
	if r["BYHOUR"] != "" {
		out += " at hour " + strings.ReplaceAll(r["BYHOUR"], ",", ", ")
	}
	if n, err := strconv.Atoi(r["COUNT"]); err == nil && n > 0 {
		out += ", " + count(n, "time")
	}
	if pt, ok := parsePoint(r["UNTIL"], ""); ok {
		if pt.zone == "UTC" && !pt.day {
			last := pt.local.In(start.Location())
			if clock := func(t time.Time) int { return t.Hour()*3600 + t.Minute()*60 + t.Second() }; clock(last) < clock(start) {
				last = last.AddDate(0, 0, -1) // its time of that day comes too late
			}
			pt.local = last
		}
		out += ", until " + pt.local.Format("2 January 2006")
	}
	return out
}

// dayWords writes BYDAY: "Monday and Wednesday", "the second Tuesday", "the last Friday"; "every weekday".
func dayWords(s, position string) string {
	if s == "" {
		return ""
	}
	if s == "MO,TU,WE,TH,FR" && position == "" {
		return "every weekday"
	}
	pos, _ := strconv.Atoi(position)
	var out []string
	for d := range strings.SplitSeq(s, ",") {
		nth, day, ok := weekday(d)
		if !ok || len(out) >= 50 {
			continue
		}
		word := day.String()
		if nth != 0 {
			word = "the " + ordinal(nth) + " " + word
		}
		out = append(out, word)
	}
	if pos != 0 {
		return "the " + ordinal(pos) + " of " + joinOr(out)
	}
	return joinAnd(out)
}

func ordinal(n int) string {
	switch n {
	case -1:
		return "last"
	case -2:
		return "second to last"
	}
	if n < 0 {
		return ordinal(-n) + " to last"
	}
	if n >= 1 && n <= 5 {
		return []string{"first", "second", "third", "fourth", "fifth"}[n-1]
	}
	return strconv.Itoa(n) + "th"
}

// numberWords writes days of a month: "1st, 15th and last day".
func numberWords(s string) string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n == 0 || len(out) >= 50 {
			continue
		}
		switch {
		case n < 0:
			out = append(out, ordinal(n)+" day")
		case n%10 == 1 && n%100 != 11:
			out = append(out, strconv.Itoa(n)+"st")
		case n%10 == 2 && n%100 != 12:
			out = append(out, strconv.Itoa(n)+"nd")
		case n%10 == 3 && n%100 != 13:
			out = append(out, strconv.Itoa(n)+"rd")
		default:
			out = append(out, strconv.Itoa(n)+"th")
		}
	}
	return joinAnd(out)
}

func monthWords(s string) string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if n, err := strconv.Atoi(part); err == nil && n >= 1 && n <= 12 && len(out) < 12 {
			out = append(out, time.Month(n).String())
		}
	}
	return joinAnd(out)
}

func joinAnd(list []string) string { return joinWith(list, " and ") }
func joinOr(list []string) string  { return joinWith(list, " or ") }

func joinWith(list []string, last string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + last + list[len(list)-1]
}
