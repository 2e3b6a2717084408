package data

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// typeTranscript is the type of a dialogue: package chunk cuts it between turns.
const typeTranscript = "transcript"

// sampleRecords are looked at to tell what the lines are.
const sampleRecords = 20

// looksRecords says yes to lines of JSON that are all turns of a dialogue.
func looksRecords(src *extract.Source) extract.Look {
	s := strings.TrimSpace(src.Text[:min(len(src.Text), 32<<10)])
	if !strings.HasPrefix(s, "{") {
		return extract.No
	}
	records, turns := 0, 0
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		b, err := parseLine(line)
		if err != nil {
			if records > 0 && len(src.Text) > len(s) && strings.HasSuffix(s, line) {
				break // cut by the sample
			}
			if records == 0 && len(line) > 30<<10 {
				return extract.Maybe
			}
			return extract.No
		}
		if len(turnsOf(b)) > 0 {
			turns++
		}
		if records++; records >= sampleRecords {
			break
		}
	}
	switch {
	case records >= 2 && turns == records:
		return extract.Yes
	case records > 0:
		return extract.Maybe
	}
	return extract.No
}

// extractRecords writes dialogues as such, logs as logs, and any other records one a line. What the built-in kind knows
// better, posts of social networks, is left to it.
func extractRecords(ctx context.Context, src *extract.Source) (extract.Output, error) {
	plain, err := asText(ctx, src, "json", "")
	if err != nil || plain.Metadata["source_type"] == "social_post" {
		return plain, err
	}
	var records []*branch
	for line := range strings.Lines(text.CleanAs(src.Text, text.Raw)) {
		if err := ctx.Err(); err != nil {
			return extract.Output{}, err
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		b, err := parseLine(line)
		if err != nil { // not lines of JSON after all
			return plain, nil //nolint:nilerr // it is read as what it is instead
		}
		records = append(records, b)
	}
	if len(records) < 2 {
		return plain, nil
	}
	sample := records[:min(len(records), sampleRecords)]
	all := func(is func(*branch) bool) bool {
		return !slices.ContainsFunc(sample, func(b *branch) bool { return !is(b) })
	}
	switch {
	case all(func(b *branch) bool { return len(turnsOf(b)) > 0 }):
		return dialogue(src, records), nil
	case all(isLogRecord):
		l := logBook{counts: map[string]int{}}
		for _, r := range records {
			l.line(logLine(r))
		}
		out := l.output(src)
		out.Metadata["records"] = strconv.Itoa(len(records))
		return out, nil
	}
	return recordLines(src, records), nil
}

// parseLine reads a JSON object with its members in order.
func parseLine(line string) (*branch, error) {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errDamaged, err)
	}
	b := &branch{}
	if err := fillJSON(d, b, false, 0); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errDamaged
	}
	return b, nil
}

// fillJSON reads the members of an object, or the elements of a list, up to its end.
func fillJSON(d *json.Decoder, b *branch, list bool, depth int) error {
	if depth > mostNestedDepth {
		return errDamaged
	}
	for i := 0; d.More(); i++ {
		c := &branch{key: "[" + strconv.Itoa(i) + "]"}
		if !list {
			t, err := d.Token()
			if err != nil {
				return err
			}
			c.key, _ = t.(string)
		}
		t, err := d.Token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case json.Delim:
			if err := fillJSON(d, c, t == '[', depth+1); err != nil {
				return err
			}
		case string:
			c.value = t
		case json.Number:
			c.value = t.String()
		case bool:
			c.value = strconv.FormatBool(t)
		}
		b.add(c)
	}
	_, err := d.Token()
	return err
}

// member returns the first member of those names, nil if there is none.
func (b *branch) member(names ...string) *branch {
	for _, n := range names {
		for _, c := range b.children {
			if strings.EqualFold(c.key, n) {
				return c
			}
		}
	}
	return nil
}

// words is the value of b, or the text in the parts that it lists, as chat formats do.
func (b *branch) words() string {
	if b == nil {
		return ""
	}
	if len(b.children) == 0 {
		return b.value
	}
	var out []string
	for _, c := range b.children {
		if t := c.member("text", "content", "value"); t != nil && len(t.children) == 0 {
			out = append(out, t.value)
		} else if strings.HasPrefix(c.key, "[") && len(c.children) == 0 {
			out = append(out, c.value)
		}
	}
	return strings.Join(out, "\n\n")
}

// turn is what somebody said.
type turn struct {
	speaker, text string
	at            time.Time
}

// turnsOf reads a record as a turn of a dialogue, or as a whole one in its member messages; nil if it is neither.
func turnsOf(b *branch) []turn {
	if list := b.member("messages", "conversation", "conversations", "turns", "dialogue"); list != nil && len(list.children) > 0 {
		var out []turn
		for _, c := range list.children {
			t := turnsOf(c)
			if len(t) != 1 {
				return nil
			}
			out = append(out, t...)
		}
		return out
	}
	speaker := b.member("role", "speaker", "sender", "from")
	said := b.member("content", "text", "message", "value", "utterance")
	if inner := b.member("message"); inner != nil && len(inner.children) > 0 && speaker == nil {
		speaker, said = inner.member("role"), inner.member("content")
	}
	if speaker == nil || said == nil {
		return nil
	}
	who := speaker.value
	if len(speaker.children) > 0 {
		who = speaker.title()
	}
	if who = inline(who, 60); who == "" || said.words() == "" {
		return nil
	}
	t := turn{speaker: who, text: said.words()}
	if at := b.member("timestamp", "ts", "created_at", "createdAt", "time", "date"); at != nil {
		t.at = readMoment(at.value)
	}
	return []turn{t}
}

// readMoment reads a time as RFC 3339, or as seconds or milliseconds since 1970.
func readMoment(s string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	n, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || n < 1e8 || n > 1e14:
		return time.Time{}
	case n > 1e11:
		return time.UnixMilli(int64(n)).UTC()
	}
	return time.Unix(int64(n), 0).UTC()
}

// dialogue writes turns as "speaker: words".
func dialogue(src *extract.Source, records []*branch) extract.Output {
	out := extract.Output{Type: typeTranscript, Title: fileName(src, "Dialogue"), Metadata: map[string]string{"records": strconv.Itoa(len(records))}}
	var w writer
	var speakers []string
	n, last := 0, -stretch
	for i, r := range records {
		for _, t := range turnsOf(r) {
			if n++; out.Published.IsZero() {
				out.Published = t.at
			}
			if !slices.Contains(speakers, t.speaker) && len(speakers) < 50 {
				speakers = append(speakers, t.speaker)
			}
			if at := w.next(); at-last >= stretch {
				place := "line " + strconv.Itoa(i+1)
				if !t.at.IsZero() {
					place = t.at.Format("2006-01-02 15:04:05")
				}
				w.mark(at, place)
				last = at
			}
			w.block(t.speaker + ": " + t.text)
		}
	}
	out.Text, out.Marks = w.b.String(), w.marks
	out.Metadata["turns"], out.Metadata["speakers"] = strconv.Itoa(n), strings.Join(speakers, ", ")
	out.Language, _ = text.Language(out.Text)
	return out
}

var (
	logTimes    = []string{"timestamp", "@timestamp", "time", "ts", "date", "datetime"}
	logLevels   = []string{"level", "lvl", "severity", "loglevel", "levelname"}
	logMessages = []string{"msg", "message", "event", "text"}
)

// isLogRecord reports a structured log line: a time, a level and a message.
func isLogRecord(b *branch) bool {
	at, level, said := b.member(logTimes...), b.member(logLevels...), b.member(logMessages...)
	return at != nil && level != nil && said != nil && !readMoment(at.value).IsZero() && levelOf("["+level.value) != ""
}

// logLine writes a structured log record as the line that a program would print.
func logLine(b *branch) string {
	at, level, said := b.member(logTimes...), b.member(logLevels...), b.member(logMessages...)
	if at == nil || level == nil || said == nil {
		return inline(b.flat(), 4<<10)
	}
	line := at.value
	if t := readMoment(at.value); !t.IsZero() {
		line = t.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	line += " " + strings.ToUpper(inline(level.value, 20)) + " " + inline(said.words(), 2<<10)
	rest := &branch{}
	for _, c := range b.children {
		if c != at && c != level && c != said {
			rest.add(c)
		}
	}
	if more := rest.flat(); more != "" {
		line += " (" + inline(more, 2<<10) + ")"
	}
	return line
}

// flat writes all leaves below b as "path: value; …".
func (b *branch) flat() string {
	var out strings.Builder
	var walk func(path string, b *branch)
	walk = func(path string, b *branch) {
		for _, c := range b.children {
			below := join(path, c.key)
			if line, ok := c.record(); ok {
				c = &branch{key: c.key, value: line}
			}
			if len(c.children) > 0 {
				walk(below, c)
				continue
			}
			if c.value == "" || out.Len() > mostValueBytes {
				continue
			}
			if out.Len() > 0 {
				out.WriteString("; ")
			}
			out.WriteString(below + ": " + strings.Join(strings.Fields(c.value), " "))
		}
	}
	walk("", b)
	return out.String()
}

// recordLines writes one record a line.
func recordLines(src *extract.Source, records []*branch) extract.Output {
	out := extract.Output{
		Type: extract.TypeMarkdown, Title: fileName(src, "Records"), Language: text.Undetermined,
		Metadata: map[string]string{"records": strconv.Itoa(len(records))},
	}
	var w writer
	w.block("# " + out.Title)
	w.block(text.Thousands(len(records)) + " records.")
	place := span{w: &w, prefix: "record"}
	limit := treeFactor*len(src.Text) + 64<<10
	first := true
	for i, r := range records {
		line := text.CleanAs(r.flat(), text.Prose)
		if line == "" {
			continue
		}
		if w.b.Len() > limit {
			out.Metadata["truncated"] = "true"
			break
		}
		place.row(int64(i+1), first)
		w.item(line, first)
		first = false
	}
	out.Text, out.Marks = w.b.String(), w.marks
	return out
}
