package chunk

import (
	"strings"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// csvUnits lists the rows of a table that has one row a line; chunks behind
// the first carry the first line, which names the columns, as context.
func csvUnits(s string) []unit {
	var out []unit
	header := ""
	for i := 0; i < len(s); {
		end := len(s)
		if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
			end = i + j
		}
		if p := trim(s, text.Span{Start: i, End: end}); p.Start < p.End {
			u := unit{Span: p, kind: KindRow, context: header}
			if len(out) == 0 && p.End-p.Start < 4096 {
				header = p.Of(s)
			}
			out = append(out, u)
		}
		i = end + 1
	}
	return out
}

// jsonUnits lists the outermost members or elements of pretty-printed JSON, or
// the lines of JSON Lines. Members carry their key as heading.
func jsonUnits(s string) []unit {
	var out []unit
	start, key, open := 0, "", false
	outer := -1
	flush := func(end int) {
		if p := trim(s, text.Span{Start: start, End: end}); p.Start < p.End {
			u := unit{Span: p, kind: KindRecord, byLine: true}
			if key != "" {
				u.heading = []string{key}
			}
			out = append(out, u)
		}
		start = end
	}
	for i := 0; i < len(s); {
		end := len(s)
		if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
			end = i + j
		}
		line := trim(s, text.Span{Start: i, End: end})
		if line.Start < line.End {
			indent := line.Start - i
			bracket := line.Of(s) == "{" || line.Of(s) == "["
			closer := strings.IndexByte("}]", s[line.Start]) >= 0
			switch {
			case indent == 0 && bracket && outer < 0:
				open = true // the opening bracket goes with the first member
			case outer < 0:
				outer = indent
				if !open {
					flush(i)
				}
				key = memberKey(line.Of(s))
			case indent <= outer && !closer:
				flush(i)
				key = memberKey(line.Of(s))
			}
		}
		i = end + 1
	}
	flush(len(s))
	return out
}

// memberKey returns k of a line `"k": …`, or "".
func memberKey(line string) string {
	if line == "" || line[0] != '"' {
		return ""
	}
	k, rest, found := strings.Cut(line[1:min(len(line), 200)], `"`)
	if !found || !strings.HasPrefix(rest, ":") || strings.ContainsRune(k, '\\') {
		return ""
	}
	return k
}
