package chunk

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// textUnits lists the paragraphs of s[from:to].
func textUnits(s string, from, to int) []unit {
	var out []unit
	for p := range text.Paragraphs(s[from:to]) {
		out = append(out, unit{Span: text.Span{Start: from + p.Start, End: from + p.End}, kind: KindParagraph, repeat: true})
	}
	return out
}

// markdownUnits lists the blocks of Markdown, one section a heading.
func markdownUnits(s string) [][]unit {
	var out [][]unit
	var path []string
	var levels []int
	var current []unit
	for b := range text.MarkdownBlocks(s) {
		u := unit{Span: b.Span, kind: KindParagraph, repeat: true}
		switch b.Kind {
		case text.BlockHeading:
			if len(current) > 0 {
				out = append(out, current)
				current = nil
			}
			for len(levels) > 0 && levels[len(levels)-1] >= b.Level {
				levels = levels[:len(levels)-1]
			}
			levels = append(levels, b.Level)
			path = append(slices.Clone(path[:len(levels)-1]), b.Text)
			u.kind = KindHeading
		case text.BlockCode:
			u.kind, u.byLine = KindCode, true
		case text.BlockTable:
			u.kind, u.byLine, u.repeat = KindTable, true, false
			u.inner = b.Head
			u.context = strings.TrimRightFunc(s[b.Start:min(b.Head, b.End)], unicode.IsSpace)
		case text.BlockItem:
			u.kind = KindList
		case text.BlockQuote:
			u.kind = KindQuote
		case text.BlockFrontMatter:
			u.kind, u.byLine, u.repeat = KindMeta, true, false
		}
		u.heading = path
		current = append(current, u)
	}
	return append(out, current)
}

// pages breaks sections where a page begins. A sentence that runs on over the page break ends on the page where it began: what
// comes behind it belongs to the next page.
func pages(doc Document, sections [][]unit) [][]unit {
	if len(doc.Marks) < 2 {
		return sections
	}
	var out [][]unit
	page := 0
	for _, s := range sections {
		var current []unit
		for len(s) > 0 {
			u := s[0]
			torn := false // a sentence runs on into u
			for page < len(doc.Marks) && doc.Marks[page].Offset <= u.Start {
				if len(current) > 0 {
					if torn = !endsClean(doc.Text, current[len(current)-1].End); !torn {
						out, current = append(out, current), nil
					}
				}
				page++
			}
			bound := u.Start
			if !torn && page < len(doc.Marks) && doc.Marks[page].Offset < u.End { // a page begins inside of it
				bound = runeFloor(doc.Text, u.Start, doc.Marks[page].Offset)
				torn = !endsClean(doc.Text, trim(doc.Text, text.Span{Start: u.Start, End: bound}).End)
				page++
			} else if !torn {
				current, s = append(current, u), s[1:]
				continue
			}
			if torn && u.kind != KindParagraph {
				current, s = append(current, u), s[1:]
				continue
			}
			if torn {
				bound = sentenceEnd(doc.Text, u.Span, bound)
			}
			head, tail := u, u
			head.Span, tail.Span = trim(doc.Text, text.Span{Start: u.Start, End: bound}), trim(doc.Text, text.Span{Start: bound, End: u.End})
			if head.Start < head.End {
				current = append(current, head)
			}
			if len(current) > 0 {
				out, current = append(out, current), nil
			}
			if s[0] = tail; tail.Start >= tail.End {
				s = s[1:]
			}
		}
		if len(current) > 0 {
			out = append(out, current)
		}
	}
	return out
}

// sentenceEnd returns where the sentence of a paragraph that holds an offset ends.
func sentenceEnd(s string, paragraph text.Span, at int) int {
	for p := range text.Sentences(paragraph.Of(s)) {
		if end := paragraph.Start + p.End; end > at {
			return end
		}
	}
	return paragraph.End
}

// endsClean reports whether a sentence seems to end at end.
func endsClean(s string, end int) bool {
	next := trim(s, text.Span{Start: end, End: min(len(s), end+64)})
	if r, _ := utf8.DecodeRuneInString(s[next.Start:]); !unicode.IsLower(r) {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(s[:end])
	return strings.ContainsRune(".!?…。！？:\"”)", last)
}

// transcriptUnits lists the turns of a transcript: a line that begins with a
// speaker ("Anna:", "**Anna**:", "## Anna") or a time ("[00:01:02]",
// "00:01 --> 00:02") opens one. Lines before the first belong to it.
func transcriptUnits(s string) []unit {
	var out []unit
	start := 0
	flush := func(end int) {
		if p := trim(s, text.Span{Start: start, End: end}); p.Start < p.End {
			out = append(out, unit{Span: p, kind: KindTurn, repeat: true})
		}
		start = end
	}
	timed := false // the open turn has only its time so far
	for i := 0; i < len(s); {
		end := len(s)
		if j := strings.IndexByte(s[i:], '\n'); j >= 0 {
			end = i + j
		}
		line := strings.TrimSpace(s[i:end])
		clock := isClock(line)
		if clock || isSpeaker(line) && !timed {
			flush(i)
		}
		timed = clock && len(line) < 40
		i = end + 1
	}
	flush(len(s))
	return out
}

// isClock reports a line that begins with a time such as [1:02], 00:01:02.5.
func isClock(line string) bool {
	t := strings.TrimLeft(line, "[(")
	n, colons := 0, 0
	for n < len(t) && n < 12 && (t[n] >= '0' && t[n] <= '9' || t[n] == ':' || t[n] == '.' || t[n] == ',') {
		if t[n] == ':' {
			colons++
		}
		n++
	}
	return n >= 4 && colons > 0 && t[0] >= '0' && t[0] <= '9'
}

// isSpeaker reports a line that begins with a name and a colon, or is a heading.
func isSpeaker(line string) bool {
	if strings.HasPrefix(line, "#") {
		return true
	}
	name, rest, found := strings.Cut(line[:runeFloorShort(line, 64)], ":")
	if !found || rest != "" && rest[0] != ' ' && rest[0] != '*' {
		return false
	}
	name = strings.Trim(name, "*_ ")
	r, _ := utf8.DecodeRuneInString(name)
	return name != "" && len(strings.Fields(name)) <= 4 && (unicode.IsUpper(r) || unicode.IsLetter(r) && !unicode.IsLower(r) || !strings.Contains(name, " "))
}

func runeFloorShort(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
