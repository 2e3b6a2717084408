package distil

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa"
	"github.com/lukasa-memory/lukasa/internal/distil/lexis"
)

const dataBytes = 1 << 20 // of longer data, only the start is read

// jsonShape is what one pass over JSON gathers.
type jsonShape struct {
	root    byte // '{', '[' or 0 for a bare value
	keys    []string
	seen    map[string]bool
	items   int // elements of the top array
	objects int
	fields  []string // "name is Ana" of the first record
	title   string
	words   strings.Builder // string values, one sentence each
}

// describeJSON describes a JSON text; false when it is none.
func describeJSON(d *Description, s, title string, at time.Time) bool {
	sh := jsonShape{seen: map[string]bool{}}
	if !sh.read(s) {
		return false
	}
	p := prose{s: sh.words.String(), at: at, dated: map[string]bool{}}
	p.walk(p.s)
	p.topics.title(title)
	entities := p.names.Ranked()
	topics := slices.Clone(sh.keys)
	for _, t := range p.topics.ranked(entities, p.shape.words) {
		if !slices.Contains(topics, t) {
			topics = append(topics, t)
		}
	}
	topics = topics[:min(len(topics), maxTopics)]
	d.Category = CategoryData
	d.Keywords = lukasa.Keywords{Entities: entityNames(entities), Topics: topics, Dates: p.dates}
	d.Title, d.Summary = sh.title, sh.summary()
	if d.Title == "" {
		d.Title = strings.TrimSuffix(sh.headline(), ".")
	}
	return true
}

// read walks the tokens of s. Lists of JSON lines count as one array.
func (sh *jsonShape) read(s string) bool {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var frames []jsonFrame
	n := 0
	for dec.InputOffset() < dataBytes {
		tok, err := dec.Token()
		if err != nil {
			return n > 0 && errors.Is(err, io.EOF) && len(frames) == 0
		}
		n++
		if len(frames) > 200 {
			return false
		}
		top := len(frames) - 1
		switch v := tok.(type) {
		case json.Delim:
			if v == '}' || v == ']' {
				frames = frames[:top]
				continue
			}
			if n == 1 {
				sh.root = byte(v)
			}
			sh.element(frames)
			if v == '{' {
				sh.objects++
			}
			key := ""
			if top >= 0 {
				key = frames[top].key
				frames[top].key = ""
			}
			frames = append(frames, jsonFrame{object: v == '{', name: key})
		default:
			if top >= 0 && frames[top].object && frames[top].key == "" {
				frames[top].key = fmt.Sprint(v)
				sh.key(frames, frames[top].key)
				continue
			}
			sh.element(frames)
			sh.value(frames, v)
			if top >= 0 {
				frames[top].key = ""
			}
		}
	}
	return true
}

// jsonFrame is an open object or array; key is the member whose value comes next.
type jsonFrame struct {
	object    bool
	key, name string
}

// element counts a value that stands in the top array.
func (sh *jsonShape) element(frames []jsonFrame) {
	if len(frames) == 1 && !frames[0].object {
		sh.items++
	}
}

// key notes the keys of the top object, or of the records of the top array.
func (sh *jsonShape) key(frames []jsonFrame, k string) {
	if len(frames) > 2 || len(frames) == 2 && sh.root != '[' || sh.seen[k] || len(sh.keys) == 40 || k == "" || len(k) > 40 {
		return
	}
	sh.seen[k] = true
	sh.keys = append(sh.keys, k)
}

func (sh *jsonShape) value(frames []jsonFrame, v json.Token) {
	text, isText := v.(string)
	depth := len(frames)
	if depth > 0 && frames[depth-1].object {
		k := frames[depth-1].key
		low := strings.ToLower(k)
		if isText && sh.title == "" && (low == "title" || low == "name") && sh.root == '{' && depth == 1 {
			sh.title = lexis.OneLine(lexis.Clip(text, 400))
		}
		if v != nil && len(sh.fields) < 6 && (depth == 1 || depth == 2 && sh.root == '[' && sh.items == 1) {
			if val := lexis.OneLine(lexis.Clip(fmt.Sprint(v), 200)); val != "" {
				sh.fields = append(sh.fields, k+" is "+clipRunes(val, 60))
			}
		}
	}
	if isText && sh.words.Len() < 64<<10 && strings.ContainsRune(text, ' ') || isText && looksDated(text) {
		sh.words.WriteString(lexis.OneLine(lexis.Clip(text, 2<<10)))
		sh.words.WriteString("\n\n")
	}
}

func looksDated(s string) bool {
	return len(s) >= 10 && len(s) <= 35 && s[4] == '-' && s[0] >= '1' && s[0] <= '2'
}

func (sh *jsonShape) headline() string {
	switch {
	case sh.root == '[' && len(sh.keys) > 0:
		return "JSON array of " + plural(sh.items, "record") + " with " + listing(sh.keys, 8) + "."
	case sh.root == '[':
		return "JSON array of " + plural(sh.items, "value") + "."
	case sh.root == '{' && len(sh.keys) > 0:
		return "JSON object with " + listing(sh.keys, 8) + "."
	case sh.root == '{':
		return "Empty JSON object."
	}
	return "JSON value."
}

func (sh *jsonShape) summary() string {
	out := sh.headline()
	if len(sh.fields) > 0 {
		lead := " "
		if sh.root == '[' {
			lead = " In the first, "
		}
		out += lead + strings.Join(sh.fields, ", ") + "."
	}
	return out
}

// describeCSV describes a table of text; false when its first line is not one.
func describeCSV(d *Description, s, title string) bool {
	s = strings.TrimLeft(s, "\n\r\uFEFF")
	head, rest, _ := strings.Cut(s, "\n")
	if len(head) > 64<<10 {
		return false
	}
	sep := separator(head)
	columns := record(head, sep)
	if len(columns) == 0 {
		return false
	}
	rows := 0
	first := ""
	for line := range strings.Lines(rest) {
		if strings.TrimSpace(line) != "" {
			if rows++; rows == 1 {
				first = line
			}
		}
	}
	d.Category = CategoryData
	d.Title = "Table of " + listing(columns, 6)
	d.Summary = "Table of " + plural(rows, "row") + " and " + plural(len(columns), "column") + ": " + listing(columns, 12) + "."
	if values := record(lexis.Clip(first, 4<<10), sep); len(values) > 0 {
		var parts []string
		for i, v := range values {
			if i < len(columns) && v != "" && len(parts) < 6 {
				parts = append(parts, columns[i]+" is "+clipRunes(v, 60))
			}
		}
		if len(parts) > 0 {
			d.Summary += " In the first row, " + strings.Join(parts, ", ") + "."
		}
	}
	for _, c := range columns {
		if c != "" && utf8.RuneCountInString(c) <= 40 && len(d.Keywords.Topics) < maxTopics {
			if _, err := strconv.ParseFloat(c, 64); err != nil {
				d.Keywords.Topics = append(d.Keywords.Topics, strings.ToLower(c))
			}
		}
	}
	if title == "" && len(columns) == 1 {
		d.Title = "List of " + columns[0]
	}
	return true
}

// separator is the one of comma, semicolon, tab and bar that the head line has most of.
func separator(head string) rune {
	best, most := ',', 0
	for _, r := range ",;\t|" {
		if n := strings.Count(head, string(r)); n > most {
			best, most = r, n
		}
	}
	return best
}

// record splits one line of a table; a line with broken quotes is split at every separator.
func record(line string, sep rune) []string {
	r := csv.NewReader(strings.NewReader(line))
	r.Comma, r.LazyQuotes, r.TrimLeadingSpace = sep, true, true
	fields, err := r.Read()
	if err != nil {
		fields = strings.Split(strings.TrimRight(line, "\r\n"), string(sep))
	}
	out := fields[:0]
	for _, f := range fields {
		out = append(out, lexis.OneLine(f))
	}
	if len(out) == 1 && out[0] == "" {
		return nil
	}
	return out
}
