package data

import (
	"regexp"
	"strings"
	"time"
)

// stamp is the time that begins a line of a log.
type stamp struct {
	text  string    // as the line has it
	at    time.Time // zero where the form has no year
	rest  string    // of the line, behind it
	sure  bool      // the form is of a known program, so that no person writes it
	clock string    // hours to seconds
}

// stampForms are the forms of time stamps at the start of lines.
var stampForms = []struct {
	form    *regexp.Regexp
	layouts []string
	sure    bool
}{
	{
		regexp.MustCompile(`^(?:time=|ts=|timestamp=)?["\[(]?(\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?)["\])]?`),
		[]string{
			time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z0700", "2006-01-02 15:04:05 Z07:00",
			"2006-01-02 15:04:05Z0700", "2006-01-02 15:04:05", "2006/01/02 15:04:05", "2006.01.02 15:04:05",
		},
		false,
	},
	{regexp.MustCompile(`^\S{1,100} \S{1,60} \S{1,60} \[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\]`), []string{"02/Jan/2006:15:04:05 -0700"}, true},
	{regexp.MustCompile(`^(?:<\d{1,3}>)?([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) \S+ \S+?:`), nil, true},
	{regexp.MustCompile(`^\[([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? \d{4})\]`), []string{"Mon Jan _2 15:04:05 2006", "Mon Jan _2 15:04:05.999999 2006"}, true},
	{regexp.MustCompile(`^[IWEF](\d{4} \d\d:\d\d:\d\d\.\d{6})`), nil, true},
	{regexp.MustCompile(`^(\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})\s+\d+`), nil, true},
	{regexp.MustCompile(`^\[\s*(\d{1,9}\.\d{6})\] `), nil, true},
	{regexp.MustCompile(`^\[?(\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]?`), nil, false},
}

var clockForm = regexp.MustCompile(`\d\d:\d\d:\d\d`)

// readStamp reads the time that begins line.
func readStamp(line string) (stamp, bool) {
	head := line[:min(len(line), 300)]
	if head == "" || head[0] > 0x7f {
		return stamp{}, false
	}
	for _, f := range stampForms {
		at := f.form.FindStringSubmatchIndex(head)
		if at == nil {
			continue
		}
		s := stamp{text: line[at[2]:at[3]], rest: line[at[1]:], sure: f.sure}
		if f.layouts != nil && at[2] > 20 || strings.HasPrefix(line, "<") { // the stamp is not the first of the line
			s.rest = line[:at[2]] + line[at[3]:]
		}
		if !f.sure && s.rest != "" && !strings.ContainsAny(s.rest[:1], " \t|,:;-[]") {
			continue
		}
		for _, layout := range f.layouts {
			if t, err := time.Parse(layout, strings.Replace(s.text, ",", ".", 1)); err == nil {
				s.at = t
				break
			}
		}
		s.clock = clockForm.FindString(s.text)
		if s.clock == "" {
			s.clock = s.text
		}
		return s, true
	}
	return stamp{}, false
}

var (
	levelWord = regexp.MustCompile(`\b(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|CRIT|PANIC|SEVERE|EMERG)\b`)
	levelMark = regexp.MustCompile(`(?i)(?:\b(?:level|lvl|severity)["=:]+\s*"?|[\[(<|]\s*)(trace|debug|info|notice|warn|warning|error|err|fatal|critical|crit|panic|severe|emerg)\b|^\s*(trace|debug|info|notice|warning|error|fatal|critical):`)
)

// levelOf is the level of what stands behind the stamp, or "".
func levelOf(rest string) string {
	head := rest[:min(len(rest), 120)]
	word := ""
	if m := levelMark.FindStringSubmatch(head); m != nil {
		word = m[1] + m[2]
	} else {
		word = levelWord.FindString(head)
	}
	switch strings.ToLower(word) {
	case "warn", "warning":
		return "warnings"
	case "error", "err", "severe":
		return "errors"
	case "fatal", "critical", "crit", "panic", "emerg":
		return "fatal"
	case "info", "notice":
		return "info"
	case "debug", "trace":
		return "debug"
	}
	return ""
}

// template is what lines of the same statement share: words without digits. Tokens with digits and quoted strings are #.
func template(rest string) string {
	rest = rest[:min(len(rest), 400)]
	var b strings.Builder
	for i := 0; i < len(rest); {
		c := rest[i]
		if c == '"' || c == '\'' {
			if end := strings.IndexByte(rest[i+1:], c); end >= 0 {
				b.WriteString("'#'")
				i += end + 2
				continue
			}
		}
		if !tokenByte(c) {
			b.WriteByte(c)
			i++
			continue
		}
		start, digits := i, false
		for i < len(rest) && tokenByte(rest[i]) {
			digits = digits || rest[i] >= '0' && rest[i] <= '9'
			i++
		}
		if digits {
			b.WriteByte('#')
		} else {
			b.WriteString(rest[start:i])
		}
	}
	return b.String()
}

// tokenByte reports what numbers, addresses, ids and paths are made of.
func tokenByte(c byte) bool {
	return c >= 0x80 || c == '_' || c == '.' || c == '-' || c == ':' || c == '/' || c == '%' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
