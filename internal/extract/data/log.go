package data

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

const (
	sampleLines = 200 // that a log is recognised by
	leastLines  = 8
	leastRun    = 3 // lines of one template before they are collapsed
	mostTail    = 60
)

// looksLog says yes when nearly every line begins with a time, and is of a program that is known or names its level. What
// is named .log may be one.
func looksLog(src *extract.Source) extract.Look {
	lines, stamped, sure, levels := 0, 0, 0, 0
	for line := range strings.Lines(src.Text[:min(len(src.Text), 64<<10)]) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if lines++; lines > sampleLines {
			break
		}
		s, ok := readStamp(line)
		if !ok {
			continue
		}
		stamped++
		if s.sure {
			sure++
		}
		if levelOf(s.rest) != "" {
			levels++
		}
	}
	switch {
	case lines == 0:
		return extract.No
	case lines >= leastLines && stamped*10 >= lines*9 && (sure*10 >= lines*9 || levels*10 >= lines*7):
		return extract.Yes
	}
	return extract.Maybe
}

// extractLog writes a log with runs of the same statement collapsed, in stretches with their times.
func extractLog(ctx context.Context, src *extract.Source) (extract.Output, error) {
	l := logBook{counts: map[string]int{}}
	for line := range strings.Lines(text.CleanAs(src.Text, text.Prose)) {
		if l.lines%1024 == 0 && ctx.Err() != nil {
			return extract.Output{}, ctx.Err()
		}
		l.line(strings.TrimRight(line, "\r\n"))
	}
	if l.stamped*4 < l.lines { // most lines have no time: there is no more to say of it than of any text
		return asText(ctx, src, "text", "")
	}
	return l.output(src), nil
}

// logBook gathers a log.
type logBook struct {
	lines, stamped int
	entries        []logEntry
	counts         map[string]int // by level
	first, last    time.Time
	collapsed      int
}

// logEntry is a run of statements of one template: the first in full.
type logEntry struct {
	text     string // with the lines that belong to it
	template string
	stamp    stamp
	tail     int // lines that belong to it, as of a stack trace
	repeats  int
	until    string // when the last one was
	last     string // the last one, while it is the only repetition
}

// line takes the next line.
func (l *logBook) line(s string) {
	if strings.TrimSpace(s) == "" {
		return
	}
	l.lines++
	st, ok := readStamp(s)
	if ok {
		l.stamped++
		if level := levelOf(st.rest); level != "" {
			l.counts[level]++
		}
		if !st.at.IsZero() {
			if l.first.IsZero() {
				l.first = st.at
			}
			l.last = st.at
		}
	}
	if len(s) > 4<<10 {
		s = strings.ToValidUTF8(s[:4<<10], "") + "…"
	}
	n := len(l.entries)
	if !ok && n > 0 && l.stamped > 0 { // goes on with the statement before
		e := &l.entries[n-1]
		if e.tail++; e.tail <= mostTail {
			e.flush(&l.collapsed)
			e.text += "\n" + s
		}
		return
	}
	shape := template(st.rest)
	if !ok {
		shape = template(s)
	}
	if n > 0 && l.entries[n-1].template == shape && l.entries[n-1].tail == 0 {
		e := &l.entries[n-1]
		e.repeats++
		e.until, e.last = st.clock, s
		return
	}
	if n > 0 {
		l.entries[n-1].flush(&l.collapsed)
	}
	l.entries = append(l.entries, logEntry{text: s, template: shape, stamp: st})
}

// flush writes the repetitions behind the first line.
func (e *logEntry) flush(collapsed *int) {
	switch {
	case e.repeats == 0:
		return
	case e.repeats+1 < leastRun:
		e.text += "\n" + e.last
	default:
		*collapsed += e.repeats
		until := ""
		if e.until != "" {
			until = " until " + e.until
		}
		e.text += fmt.Sprintf("\n… (repeated %s times%s)", text.Thousands(e.repeats), until)
	}
	e.repeats, e.last = 0, ""
}

// output writes the stretches.
func (l *logBook) output(src *extract.Source) extract.Output {
	if n := len(l.entries); n > 0 {
		l.entries[n-1].flush(&l.collapsed)
	}
	out := extract.Output{
		Type: extract.TypeMarkdown, Title: fileName(src, "Log"), Language: text.Undetermined, Published: l.first,
		Metadata: map[string]string{"lines": strconv.Itoa(l.lines), "lines_collapsed": strconv.Itoa(l.collapsed)},
	}
	var w writer
	w.block("# " + out.Title)
	w.block(l.summary(out.Metadata))
	for i := 0; i < len(l.entries); {
		end, size := i, 0
		for end < len(l.entries) && (end == i || size+len(l.entries[end].text) <= stretch) {
			size += len(l.entries[end].text) + 1
			end++
		}
		l.section(&w, l.entries[i:end])
		i = end
	}
	out.Text, out.Marks = w.b.String(), w.marks
	return out
}

// section writes entries below a heading with their times.
func (l *logBook) section(w *writer, entries []logEntry) {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.text + "\n")
	}
	body := b.String()
	fence := "```"
	for strings.Contains(body, fence) && len(fence) < 40 {
		fence += "`"
	}
	from, last := entries[0].stamp, entries[len(entries)-1]
	until := last.stamp.clock
	if last.until != "" {
		until = last.until
	}
	place := from.text
	if until != "" && until != from.clock {
		place += " to " + until
	}
	if place != "" {
		w.mark(w.next(), place)
		w.block("## " + place)
	}
	w.block(fence + "log\n" + strings.ReplaceAll(body, strings.Repeat("`", 40), "`") + fence)
}

// summary says what the log holds.
func (l *logBook) summary(meta map[string]string) string {
	s := text.Thousands(l.lines) + " lines"
	if !l.first.IsZero() {
		s += " from " + l.first.Format("2006-01-02 15:04:05") + " to " + l.last.Format("2006-01-02 15:04:05")
		meta["from_date"], meta["until_date"] = l.first.Format(time.RFC3339), l.last.Format(time.RFC3339)
	}
	var levels []string
	for _, name := range []string{"fatal", "errors", "warnings", "info", "debug"} {
		if n := l.counts[name]; n > 0 {
			levels = append(levels, name+": "+text.Thousands(n))
			meta[name] = strconv.Itoa(n)
		}
	}
	if len(levels) > 0 {
		s += "; " + strings.Join(levels, ", ")
	}
	return s + "."
}
