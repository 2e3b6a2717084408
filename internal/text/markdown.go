package text

import (
	"iter"
	"strings"
	"unicode"
)

// BlockKind is the kind of a Markdown block.
type BlockKind uint8

// Kinds of block.
const (
	BlockParagraph BlockKind = iota
	BlockHeading
	BlockCode        // a fenced block with both fences, or to the end of the text
	BlockTable       // a table with its header and delimiter rows
	BlockItem        // one list item with its continuation lines
	BlockQuote       // lines that begin with >
	BlockFrontMatter // --- at the very start, up to the next ---
)

// Block is a stretch of Markdown made of whole lines.
type Block struct {
	Kind  BlockKind
	Span         // first byte of the first line to the last byte that is not white space
	Level int    // headings: 1 to 6
	Text  string // headings: the words, markup removed; code: the info string
	Head  int    // tables: where the rows begin, behind header and delimiter
}

// MarkdownBlocks yields the blocks of s in order. Together the spans cover every
// byte that is not white space. A thematic break is a paragraph. It
// reads the block structure that matters for search (CommonMark and the tables
// of GFM) line by line, in linear time, and never fails.
func MarkdownBlocks(s string) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		m := markdownScanner{s: s}
		for {
			b, ok := m.next()
			if !ok || !yield(b) {
				return
			}
		}
	}
}

type markdownScanner struct {
	s   string
	pos int // start of a line
}

// line returns the line at i without its end, and the start of the next.
func (m *markdownScanner) line(i int) (string, int) {
	end := lineEnd(m.s, i)
	return m.s[i:end], min(end+1, len(m.s))
}

func (m *markdownScanner) next() (Block, bool) {
	for m.pos < len(m.s) {
		line, after := m.line(m.pos)
		if strings.TrimSpace(line) == "" {
			m.pos = after
			continue
		}
		return m.block(line, after), true
	}
	return Block{}, false
}

// block reads the block whose first line is line.
func (m *markdownScanner) block(line string, after int) Block {
	start := m.pos
	if start == 0 {
		if end := FrontMatter(m.s); end > 0 {
			return m.close(Block{Kind: BlockFrontMatter}, start, end)
		}
	}
	if _, n, info := fenceOf(line); n > 0 {
		return m.fence(line, after, strings.TrimSpace(info))
	}
	if level, words := headingOf(line); level > 0 {
		return m.close(Block{Kind: BlockHeading, Level: level, Text: PlainMarkdown(words)}, start, after)
	}
	if strings.IndexByte(line, '|') >= 0 && after < len(m.s) {
		if under, rows := m.line(after); isDelimiterRow(under) {
			return m.table(rows)
		}
	}
	kind := lineKind(line)
	for after < len(m.s) {
		next, beyond := m.line(after)
		if kind == BlockParagraph {
			if level := setextLevel(next); level > 0 {
				words := strings.TrimSpace(m.s[start:after])
				return m.close(Block{Kind: BlockHeading, Level: level, Text: PlainMarkdown(words)}, start, beyond)
			}
		}
		if m.endsBlock(kind, next, beyond) {
			break
		}
		after = beyond
	}
	return m.close(Block{Kind: kind}, start, after)
}

// endsBlock reports whether the line next cannot belong to a block of kind.
func (m *markdownScanner) endsBlock(kind BlockKind, next string, beyond int) bool {
	if strings.TrimSpace(next) == "" {
		return true
	}
	if _, n, _ := fenceOf(next); n > 0 {
		return true
	}
	if level, _ := headingOf(next); level > 0 {
		return true
	}
	switch lineKind(next) {
	case BlockItem:
		return true
	case BlockQuote:
		return kind != BlockQuote
	}
	if strings.IndexByte(next, '|') >= 0 && beyond < len(m.s) {
		under, _ := m.line(beyond)
		return isDelimiterRow(under)
	}
	return false
}

func (m *markdownScanner) close(b Block, start, end int) Block {
	b.Span = Span{start, start + len(strings.TrimRightFunc(m.s[start:end], unicode.IsSpace))}
	m.pos = end
	return b
}

// fence reads a fenced block whose first line is line.
func (m *markdownScanner) fence(line string, after int, info string) Block {
	start := m.pos
	state := fenceMark{}.next(line)
	if !state.open() { // inline code that looks like a fence
		return m.close(Block{Kind: BlockParagraph}, start, after)
	}
	for after < len(m.s) && state.open() {
		var next string
		next, after = m.line(after)
		state = state.next(next)
	}
	return m.close(Block{Kind: BlockCode, Text: info}, start, after)
}

// table reads a table whose first row behind the delimiter is at rows.
func (m *markdownScanner) table(rows int) Block {
	start, end := m.pos, rows
	for end < len(m.s) {
		next, beyond := m.line(end)
		if strings.IndexByte(next, '|') < 0 {
			break
		}
		end = beyond
	}
	return m.close(Block{Kind: BlockTable, Head: rows}, start, end)
}

func lineKind(line string) BlockKind {
	t := strings.TrimLeft(line, " \t")
	switch {
	case t == "":
		return BlockParagraph
	case t[0] == '>':
		return BlockQuote
	case isItem(t):
		return BlockItem
	}
	return BlockParagraph
}

func isItem(t string) bool {
	if len(t) > 1 && (t[0] == '-' || t[0] == '*' || t[0] == '+') {
		return t[1] == ' ' || t[1] == '\t'
	}
	i := 0
	for i < len(t) && i < 9 && isDigit(t[i]) {
		i++
	}
	return i > 0 && i+1 < len(t) && (t[i] == '.' || t[i] == ')') && (t[i+1] == ' ' || t[i+1] == '\t')
}

// headingOf reads an ATX heading; level is 0 when line is none.
func headingOf(line string) (level int, words string) {
	t := strings.TrimLeft(line, " ")
	if len(line)-len(t) > 3 {
		return 0, ""
	}
	for level < len(t) && t[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level < len(t) && t[level] != ' ' && t[level] != '\t' {
		return 0, ""
	}
	words = strings.TrimSpace(t[level:])
	if bare := strings.TrimRight(words, "#"); bare == "" || strings.HasSuffix(bare, " ") {
		words = strings.TrimSpace(bare)
	}
	return level, words
}

// setextLevel returns 1 for a line of =, 2 for a line of two or more -, else 0.
func setextLevel(line string) int {
	t := strings.TrimSpace(line)
	switch {
	case t == "":
		return 0
	case strings.Trim(t, "=") == "":
		return 1
	case len(t) > 1 && strings.Trim(t, "-") == "":
		return 2
	}
	return 0
}

// isDelimiterRow reports the row of dashes below a table's header.
func isDelimiterRow(line string) bool {
	return strings.Contains(line, "-") && strings.IndexByte(line, '|') >= 0 && strings.Trim(line, "|-: \t\r") == ""
}

// FrontMatter returns the length of the YAML front matter that opens s, with both
// its --- lines, or 0.
func FrontMatter(s string) int {
	if !strings.HasPrefix(s, "---") || strings.TrimSpace(s[:lineEnd(s, 0)]) != "---" {
		return 0
	}
	for i := lineEnd(s, 0) + 1; i < len(s); {
		end := lineEnd(s, i)
		if t := strings.TrimSpace(s[i:end]); t == "---" || t == "..." {
			return min(end+1, len(s))
		}
		i = end + 1
	}
	return 0
}

// PlainMarkdown returns inline Markdown without its marks: emphasis and code
// marks go, a link or image leaves its words, a backslash escape its character.
// White space runs become one space.
func PlainMarkdown(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '*', '`', '[':
			continue
		case '_':
			if i > 0 && i+1 < len(s) && isWordByte(s[i-1]) && isWordByte(s[i+1]) {
				break
			}
			continue
		case '!':
			if i+1 < len(s) && s[i+1] == '[' {
				continue
			}
		case ']':
			i += linkTarget(s[i+1:])
			continue
		case '\\':
			if i+1 < len(s) && strings.IndexByte("\\`*_{}[]()#+-.!|<>~", s[i+1]) >= 0 {
				i++
			}
		case ' ', '\t', '\n', '\r':
			space = b.Len() > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// linkTarget returns the length of the (target) or [label] that starts s, at
// most 2,048 bytes, or 0.
func linkTarget(s string) int {
	if s == "" || s[0] != '(' && s[0] != '[' {
		return 0
	}
	end := byte(')')
	if s[0] == '[' {
		end = ']'
	}
	return strings.IndexByte(s[:min(len(s), 2048)], end) + 1
}

func isWordByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
