package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/text"
)

func looksJSON(src *Source) Look {
	s := strings.TrimSpace(strings.TrimPrefix(src.Text, "\ufeff"))
	if s == "" {
		return No
	}
	if s[0] == '{' || s[0] == '[' {
		if json.Valid([]byte(s)) || jsonLines(s) > 1 {
			return Yes
		}
		return No
	}
	if strings.IndexByte(`"-0123456789tfn`, s[0]) >= 0 && json.Valid([]byte(s)) {
		return Maybe
	}
	return No
}

// jsonLines counts the lines of s when each is a JSON object or array, else 0.
func jsonLines(s string) int {
	n := 0
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if line[0] != '{' && line[0] != '[' || !json.Valid([]byte(line)) {
			return 0
		}
		n++
	}
	return n
}

// extractJSON writes posts of social networks as text, and any other JSON
// indented with the members that people read first. JSON Lines stay one record a line.
func extractJSON(_ context.Context, src *Source) (Output, error) {
	s := strings.TrimSpace(text.CleanAs(src.Text, text.Raw))
	if out, ok := extractPosts(s); ok {
		return out, nil
	}
	out := Output{Type: TypeJSON, Metadata: map[string]string{}}
	if !json.Valid([]byte(s)) {
		out.Metadata["records"] = strconv.Itoa(jsonLines(s))
		var b strings.Builder
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); line != "" {
				b.WriteString(line)
				b.WriteByte('\n')
			}
		}
		out.Text = strings.TrimSuffix(b.String(), "\n")
		out.Title = src.Name
	} else {
		out.Text = prettyJSON(s)
		out.Title = jsonTitle(s)
	}
	if out.Title == "" {
		out.Title = src.Name
	}
	if out.Title == "" {
		out.Title = titleOf(strings.Trim(firstRunes(out.Text, 400), "{[ \n"))
	}
	out.Language = text.Undetermined
	return out, nil
}

// readable are the members that people read, in the order they are written.
var readable = []string{
	"title", "headline", "subject", "name", "full_name", "display_name", "label", "text", "full_text", "content", "body", "message",
	"summary", "description", "bio", "comment", "question", "answer", "author", "user", "username", "from", "to", "date", "time", "created_at", "published_at", "updated_at", "url",
}

// jsonTitle returns the title or name at the root.
func jsonTitle(s string) string {
	if len(s) > 1<<20 || s == "" || s[0] != '{' {
		return ""
	}
	var root map[string]json.RawMessage
	if json.Unmarshal([]byte(s), &root) != nil {
		return ""
	}
	for _, k := range readable[:7] {
		var v string
		if json.Unmarshal(root[k], &v) == nil && strings.TrimSpace(v) != "" {
			return v
		}
	}
	return ""
}

const (
	reorderDepth = 8   // members are put in order down to here
	indentDepth  = 8   // deeper levels are not indented further
	lineWidth    = 100 // scalars of an array share lines up to this
	inlineBytes  = 80  // arrays of scalars up to this length stay on their line
)

// prettyJSON indents valid JSON by two spaces. Numbers and strings keep their spelling.
// Output is at most a fixed multiple of the input: what would grow more is
// returned as it came.
func prettyJSON(s string) string {
	p := printer{s: s}
	p.value(0, 0)
	if out := p.b.String(); len(out) <= 10*len(s)+4096 {
		return out
	}
	return s
}

type printer struct {
	s    string
	b    strings.Builder
	line int // bytes written on the current line
}

func (p *printer) write(s string) {
	p.b.WriteString(s)
	p.line += len(s)
}

func (p *printer) newline(depth int) {
	p.b.WriteByte('\n')
	p.line = 0
	p.write("                "[:2*min(depth, indentDepth)])
}

// value writes the value at i and returns where it ends.
func (p *printer) value(i, depth int) int {
	i = p.space(i)
	if p.s[i] != '{' && p.s[i] != '[' {
		end := p.scalar(i)
		p.write(p.s[i:end])
		return end
	}
	if end := p.inline(i); end > 0 {
		p.writeInline(i, end)
		return end
	}
	if p.s[i] == '[' {
		return p.array(i, depth)
	}
	return p.object(i, depth)
}

func (p *printer) array(i, depth int) int {
	p.write("[")
	previous := false
	for i = p.space(i + 1); ; {
		end, small := p.small(i)
		if small && previous && p.line+end-i < lineWidth {
			p.write(" ")
		} else {
			p.newline(depth + 1)
		}
		previous = small
		i = p.space(p.value(i, depth+1))
		if p.s[i] == ']' {
			p.newline(depth)
			p.write("]")
			return i + 1
		}
		p.write(",")
		i = p.space(i + 1)
	}
}

// small reports a value that may share a line, and where it ends.
func (p *printer) small(i int) (int, bool) {
	if p.s[i] == '{' || p.s[i] == '[' {
		end := p.inline(i)
		return end, end > 0
	}
	end := p.scalar(i)
	return end, true
}

func (p *printer) object(i, depth int) int {
	p.write("{")
	if depth >= reorderDepth {
		for i = p.space(i + 1); ; {
			p.newline(depth + 1)
			i = p.space(p.member(i, depth))
			if p.s[i] == '}' {
				break
			}
			p.write(",")
			i = p.space(i + 1)
		}
	} else {
		var members []int
		members, i = p.members(i)
		for n, m := range members {
			if n > 0 {
				p.write(",")
			}
			p.newline(depth + 1)
			p.member(m, depth)
		}
	}
	p.newline(depth)
	p.write("}")
	return i + 1
}

// member writes the member whose key is at i.
func (p *printer) member(i, depth int) int {
	end := p.scalar(i)
	p.write(p.s[i:end])
	p.write(": ")
	return p.value(p.space(end)+1, depth+1)
}

// members returns where the members of the object at i begin, readable ones
// first, and where its closing brace is.
func (p *printer) members(i int) (starts []int, end int) {
	rank := map[int]int{}
	for i = p.space(i + 1); p.s[i] != '}'; {
		key := p.scalar(i)
		if r := slices.Index(readable, strings.ToLower(p.s[i+1:key-1])); r >= 0 {
			rank[i] = r - len(readable)
		}
		starts = append(starts, i)
		i = p.space(p.skip(p.space(p.space(key) + 1)))
		if p.s[i] == ',' {
			i = p.space(i + 1)
		}
	}
	slices.SortStableFunc(starts, func(a, b int) int { return rank[a] - rank[b] })
	return starts, i
}

// skip returns where the value at i ends.
func (p *printer) skip(i int) int {
	depth := 0
	for {
		switch p.s[i] {
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
			continue
		default:
			i = p.scalar(i)
		}
		if depth == 0 {
			return i
		}
	}
}

func (p *printer) space(i int) int {
	for i < len(p.s) && (p.s[i] == ' ' || p.s[i] == '\n' || p.s[i] == '\t' || p.s[i] == '\r') {
		i++
	}
	return i
}

// scalar returns where the string, number or word at i ends.
func (p *printer) scalar(i int) int {
	if p.s[i] != '"' {
		for i < len(p.s) && strings.IndexByte(",:]} \t\n\r", p.s[i]) < 0 {
			i++
		}
		return i
	}
	for i++; p.s[i] != '"'; i++ {
		if p.s[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// inline returns where the array or object at i ends when it is empty or a
// short array of scalars, else 0.
func (p *printer) inline(i int) int {
	array := p.s[i] == '['
	for j := i + 1; j < len(p.s) && j-i < inlineBytes; {
		switch c := p.s[j]; c {
		case ']', '}':
			return j + 1
		case '[', '{':
			return 0
		case ',', ' ', '\t', '\n', '\r':
			j++
		default:
			if !array {
				return 0
			}
			if j = p.scalar(j); j-i > inlineBytes {
				return 0
			}
		}
	}
	return 0
}

// writeInline writes s[i:end] with one space behind each comma.
func (p *printer) writeInline(i, end int) {
	var compact bytes.Buffer
	_ = json.Compact(&compact, []byte(p.s[i:end])) // valid, as the whole is
	c := printer{s: compact.String()}
	for j := 0; j < len(c.s); {
		if strings.IndexByte("[]{},", c.s[j]) >= 0 {
			p.write(c.s[j : j+1])
			if c.s[j] == ',' {
				p.write(" ")
			}
			j++
			continue
		}
		next := c.scalar(j)
		p.write(c.s[j:next])
		j = next
	}
}
