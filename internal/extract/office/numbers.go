package office

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/page"
)

// numberFormat is what a number of a spreadsheet means.
type numberFormat struct {
	date, clock bool   // a day, a time of day
	duration    bool   // a time that may be longer than a day
	percent     bool   // of 1
	truth       bool   // 0 is false
	before      string // currency in front of the number
	after       string // or behind it
}

// builtinFormat knows the formats that need no definition.
func builtinFormat(id int) numberFormat {
	switch {
	case id >= 14 && id <= 17, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 54, id >= 57 && id <= 58:
		return numberFormat{date: true}
	case id >= 18 && id <= 21, id == 45, id == 47, id >= 32 && id <= 35, id >= 55 && id <= 56:
		return numberFormat{clock: true}
	case id == 46:
		return numberFormat{duration: true}
	case id == 22:
		return numberFormat{date: true, clock: true}
	case id == 9, id == 10:
		return numberFormat{percent: true}
	}
	return numberFormat{}
}

var (
	formatLiterals = regexp.MustCompile(`"[^"]*"|\\.|_.|\*.|\[[^\]]*\]`)
	formatElapsed  = regexp.MustCompile(`(?i)\[(?:h+|m+|s+)\]`)
	formatCurrency = regexp.MustCompile(`\[\$([^\]\-]{1,8})(?:-[^\]]*)?\]|"?\s?([€$£¥₹₽₩]|CHF|EUR|USD|GBP|kr|zł|Kč)\s?"?`)
)

// parseFormat reads a format code such as "yyyy-mm-dd" or "#,##0.00 [$€-407]". Only its first section counts.
func parseFormat(code string) numberFormat {
	if len(code) > 512 {
		return numberFormat{}
	}
	first := code
	if i := strings.IndexByte(formatLiterals.ReplaceAllStringFunc(code, func(s string) string { return strings.Repeat("x", len(s)) }), ';'); i >= 0 {
		first = code[:i]
	}
	if strings.EqualFold(first, "BOOLEAN") || strings.EqualFold(first, `"TRUE"`) {
		return numberFormat{truth: true}
	}
	if formatElapsed.MatchString(first) {
		return numberFormat{duration: true}
	}
	bare := strings.ToLower(formatLiterals.ReplaceAllString(first, ""))
	if !strings.Contains(bare, "general") && !strings.ContainsAny(bare, "0#?@") || strings.ContainsAny(bare, "yd") && !strings.Contains(bare, "e+") {
		f := numberFormat{date: strings.ContainsAny(bare, "yd"), clock: strings.ContainsAny(bare, "hs")}
		if !f.date && !f.clock && strings.Contains(bare, "m") {
			f.date = true
		}
		if f.date || f.clock {
			return f
		}
	}
	if strings.ContainsAny(bare, "hs") && strings.Contains(bare, ":") {
		return numberFormat{clock: true} // mm:ss.0
	}
	f := numberFormat{percent: strings.Contains(bare, "%")}
	if m := formatCurrency.FindStringSubmatchIndex(first); m != nil {
		sign := ""
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				sign = first[m[i]:m[i+1]]
			}
		}
		if digit := strings.IndexAny(first, "0#?"); digit < 0 || m[0] < digit {
			f.before = strings.TrimSpace(sign)
		} else {
			f.after = strings.TrimSpace(sign)
		}
	}
	return f
}

// write writes a number as its format means it. Days count from the end of 1899, or from 1904 on.
func (f numberFormat) write(raw string, from1904 bool) (string, page.Sort) {
	n, err := strconv.ParseFloat(strings.TrimSpace(raw), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return page.OneLine(raw), page.IsText
	}
	switch {
	case f.truth:
		return strings.ToUpper(strconv.FormatBool(n != 0)), page.IsOther
	case f.duration:
		return elapsed(n), page.IsOther
	case f.date || f.clock:
		if s := moment(n, f, from1904); s != "" {
			return s, page.IsDate
		}
	case f.percent:
		return plainNumber(n*100) + "%", page.IsNumber
	}
	s := plainNumber(n)
	switch {
	case f.before != "":
		if len([]rune(f.before)) > 1 {
			return f.before + " " + s, page.IsNumber
		}
		return f.before + s, page.IsNumber
	case f.after != "":
		return s + " " + f.after, page.IsNumber
	}
	return s, page.IsNumber
}

// plainNumber writes a number with the 15 digits that spreadsheets know, without an exponent where that is short.
func plainNumber(n float64) string {
	if n == 0 {
		return "0"
	}
	s := strconv.FormatFloat(n, 'g', 15, 64)
	short, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	if size := math.Abs(short); size >= 1e15 || size < 1e-6 {
		return strconv.FormatFloat(short, 'g', -1, 64)
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// numeral is plainNumber of what may be a number.
func numeral(s string) string {
	if n, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
		return plainNumber(n)
	}
	return page.OneLine(s)
}

// moment writes a count of days as a date, a time or both; "" for one that spreadsheets do not know. The day 60 of the year
// 1900 never was, but Lotus counted it.
func moment(n float64, f numberFormat, from1904 bool) string {
	if n < 0 || n >= 2_958_466 {
		return ""
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case from1904:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case n < 60:
		epoch = time.Date(1899, 12, 31, 0, 0, 0, 0, time.UTC)
	}
	seconds := int(math.Round(math.Mod(n, 1) * 86_400))
	t := epoch.AddDate(0, 0, int(n)).Add(time.Duration(seconds) * time.Second)
	clock := t.Format("15:04")
	if t.Second() != 0 {
		clock = t.Format("15:04:05")
	}
	switch {
	case !f.date && n < 1:
		return clock
	case f.clock, seconds != 0:
		return t.Format("2006-01-02") + " " + clock
	}
	return t.Format("2006-01-02")
}

// elapsed writes a count of days as hours, minutes and seconds.
func elapsed(n float64) string {
	if math.Abs(n) > 1e6 {
		return plainNumber(n)
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	s := int(math.Round(n * 86_400))
	return sign + strconv.Itoa(s/3600) + ":" + twoDigits(s/60%60) + ":" + twoDigits(s%60)
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
