package notes

import (
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// front is the front matter of a note: the properties that Obsidian and its kin write, which are texts, numbers, dates, check
// boxes and lists of these (https://help.obsidian.md/properties). It is read by a reader of that subset of YAML, as the library
// for the whole of it lives in the extractor. What is nested deeper is kept as the lines that it stands in.
type front struct {
	keys   []string
	values map[string]any // a string, or []any of strings
}

// frontMatter returns the front matter of a note and where its body begins.
func frontMatter(s string) (front, int) {
	f := front{values: map[string]any{}}
	n := text.FrontMatter(s)
	if n == 0 {
		return f, 0
	}
	lines := strings.Split(strings.TrimSpace(s[:n]), "\n")
	if len(lines) < 2 {
		return f, n
	}
	lines = lines[1 : len(lines)-1]
	for i := 0; i < len(lines); {
		key, value, ok := frontKey(lines[i])
		i++
		if !ok {
			continue
		}
		from := i
		for i < len(lines) && !startsKey(lines[i]) {
			i++
		}
		f.set(key, frontValue(value, lines[from:i]))
	}
	return f, n
}

func (f *front) set(key string, v any) {
	if s, ok := v.(string); ok && s == "" {
		return
	}
	if _, there := f.values[key]; !there {
		f.keys = append(f.keys, key)
	}
	f.values[key] = v
}

// startsKey reports whether a line begins a property: it is not indented, not a list item and not empty.
func startsKey(line string) bool {
	if line == "" || strings.IndexByte(" \t-#", line[0]) >= 0 {
		return false
	}
	_, _, ok := frontKey(line)
	return ok
}

func frontKey(line string) (key, value string, ok bool) {
	if line == "" || strings.IndexByte(" \t-#", line[0]) >= 0 {
		return "", "", false
	}
	if q := line[0]; q == '"' || q == '\'' {
		end := strings.IndexByte(line[1:], q)
		if end < 0 || !strings.HasPrefix(line[end+2:], ":") {
			return "", "", false
		}
		return strings.ToLower(line[1 : end+1]), strings.TrimSpace(line[end+3:]), end > 0
	}
	key, value, ok = strings.Cut(line, ":")
	if !ok || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value), true
}

func frontValue(value string, more []string) any {
	switch {
	case strings.HasPrefix(value, "["):
		flow := value + " " + strings.Join(more, " ")
		if end := strings.LastIndexByte(flow, ']'); end > 0 {
			return frontFlow(flow[1:end])
		}
		return flow
	case value != "" && (value[0] == '|' || value[0] == '>') && strings.Trim(value[1:], "+-0123456789") == "":
		glue := "\n"
		if value[0] == '>' {
			glue = " "
		}
		out := make([]string, 0, len(more))
		for _, l := range more {
			out = append(out, strings.TrimSpace(l))
		}
		return strings.TrimSpace(strings.Join(out, glue))
	case strings.Trim(value, " \t") == "" || strings.HasPrefix(value, "#"):
		return frontBlock(more)
	}
	for _, l := range more { // a plain text may go on, indented
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			value += " " + l
		}
	}
	return frontScalar(value)
}

// frontBlock reads a list of one item a line; anything else is kept as it stands.
func frontBlock(lines []string) any {
	var out []any
	for _, l := range lines {
		t := strings.TrimSpace(l)
		if t == "" || strings.HasPrefix(t, "#") {
			continue
		}
		item, ok := strings.CutPrefix(t, "-")
		if !ok || item != "" && item[0] != ' ' {
			return strings.TrimSpace(strings.Join(lines, "\n"))
		}
		if s := frontScalar(strings.TrimSpace(item)); s != "" {
			out = append(out, s)
		}
	}
	if out == nil {
		return ""
	}
	return out
}

// frontFlow splits what stands between brackets at its commas.
func frontFlow(s string) any {
	out := []any{}
	var quote byte
	depth, from := 0, 0
	add := func(to int) {
		if v := frontScalar(strings.TrimSpace(s[from:to])); v != "" {
			out = append(out, v)
		}
		from = to + 1
	}
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && strings.TrimSpace(s[from:i]) == "":
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			add(i)
		}
	}
	add(len(s))
	if len(out) == 0 {
		return ""
	}
	return out
}

// frontScalar takes quotes and comments off a value. null is nothing.
func frontScalar(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') {
		if end := strings.LastIndexByte(s, s[0]); end > 0 {
			in := s[1:end]
			if s[0] == '\'' {
				return strings.ReplaceAll(in, "''", "'")
			}
			if v, err := strconv.Unquote(`"` + in + `"`); err == nil {
				return v
			}
			return in
		}
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	if s == "null" || s == "~" {
		return ""
	}
	return s
}

// text returns the first of the properties that is a text.
func (f front) text(keys ...string) string {
	for _, k := range keys {
		if s, ok := f.values[k].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// list returns a property as a list; a text is split at commas.
func (f front) list(keys ...string) []string {
	var out []string
	for _, k := range keys {
		switch v := f.values[k].(type) {
		case string:
			for p := range strings.SplitSeq(v, ",") {
				out = append(out, strings.TrimSpace(p))
			}
		case []any:
			for _, p := range v {
				if s, ok := p.(string); ok {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

func itoa(n int) string { return strconv.Itoa(n) }
