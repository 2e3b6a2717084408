package records

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// lineKind is what a line is in the structure of its document.
type lineKind uint8

const (
	lineText lineKind = iota
	lineBlank
	lineHeading
	lineUnder // the marks above or below a heading
	lineItem
	lineTable
	lineCode  // of a fenced or listed block, with its fences
	lineNote  // a comment
	lineFront // of the front matter
	lineQuote
)

// maxHeading bounds, in bytes, a heading whose marks are read.
const maxHeading = 300

// line is one line of the text. The bytes [at, end) are its words without indentation and trailing blanks.
type line struct {
	start, at, end int
	kind           lineKind
	level          uint8 // of a heading, from 1
}

func (l line) indent() int { return l.at - l.start }

// reader holds a document cut into lines.
type reader struct {
	doc   Document
	s     string
	lines []line
	front []field // of the YAML front matter
	heads map[int]headWords
	work  int // bytes that were looked at
}

// words returns line i without indentation and trailing blanks.
func (r *reader) words(i int) string {
	l := r.lines[i]
	r.work += l.end - l.at + 1
	return r.s[l.at:l.end]
}

// newReader cuts the text into lines and tells what each is: Markdown, reStructuredText and AsciiDoc in one pass.
func newReader(d Document) *reader {
	r := &reader{doc: d, s: d.Text, heads: map[int]headWords{}}
	if !utf8.ValidString(r.s) {
		r.s = text.ValidUTF8(r.s)
	}
	r.lines = make([]line, 0, len(r.s)/40+1)
	ext := strings.ToLower(path.Ext(d.Name))
	m := marker{r: r, isADoc: ext == ".adoc" || ext == ".asciidoc" || ext == ".asc" || strings.HasPrefix(strings.TrimLeft(r.s, "\n"), "= ")}
	front := text.FrontMatter(r.s)
	for start := 0; start < len(r.s); {
		end := start + strings.IndexByte(r.s[start:], '\n')
		if end < start {
			end = len(r.s)
		}
		l := line{start: start, at: start, end: end}
		for l.at < l.end && (r.s[l.at] == ' ' || r.s[l.at] == '\t') {
			l.at++
		}
		for l.end > l.at && (r.s[l.end-1] == ' ' || r.s[l.end-1] == '\t' || r.s[l.end-1] == '\r') {
			l.end--
		}
		r.work += end - start + 1
		if start < front {
			l.kind = lineFront
		} else {
			l.kind, l.level = m.mark(l)
		}
		r.lines = append(r.lines, l)
		start = end + 1
	}
	r.readFront()
	return r
}

// marker tells the kinds of lines one after the other.
type marker struct {
	r      *reader
	isADoc bool
	fence  string // what ends the block that is open
	note   bool   // a comment of HTML is open
	styles []byte // the marks of underlined headings, by level
}

func (m *marker) mark(l line) (lineKind, uint8) {
	w := m.r.s[l.at:l.end]
	if m.fence != "" {
		if strings.HasPrefix(w, m.fence) && strings.Trim(w, m.fence[:1]) == "" {
			m.fence = ""
		}
		return lineCode, 0
	}
	if m.note {
		m.note = !strings.Contains(w, "-->")
		return lineNote, 0
	}
	if w == "" {
		return lineBlank, 0
	}
	switch w[0] {
	case '`', '~':
		if n := len(w) - len(strings.TrimLeft(w, w[:1])); n >= 3 && !strings.Contains(w[n:], w[:1]) && !m.underlines(w) {
			m.fence = w[:n]
			return lineCode, 0
		}
	case '<':
		if strings.HasPrefix(w, "<!--") {
			m.note = !strings.Contains(w, "-->")
			return lineNote, 0
		}
	case '/':
		if m.isADoc && strings.HasPrefix(w, "////") {
			m.fence = "////"
			return lineNote, 0
		} else if m.isADoc && strings.HasPrefix(w, "//") {
			return lineNote, 0
		}
	case '#', '=':
		if level := atxLevel(w); level > 0 && l.indent() < 4 && (w[0] == '#' || m.isADoc || strings.HasSuffix(w, " ="+w[:level-1])) {
			return lineHeading, level
		}
	case 'h':
		if len(w) > 4 && w[1] >= '1' && w[1] <= '6' && w[2] == '.' && w[3] == ' ' && l.indent() == 0 { // Textile
			return lineHeading, w[1] - '0'
		}
	case '.':
		if strings.HasPrefix(w, ".. ") || w == ".." {
			return lineNote, 0
		}
	case '|':
		return lineTable, 0
	case '+':
		if strings.HasPrefix(w, "+-") || strings.HasPrefix(w, "+=") {
			return lineTable, 0
		}
	case '>':
		return lineQuote, 0
	}
	if isRule(w) && l.indent() == 0 {
		return m.rule(w)
	}
	if itemLength(w) > 0 {
		return lineItem, 0
	}
	return lineText, 0
}

// rule tells what a line of one repeated mark is. Below a line of text it makes that line a heading.
func (m *marker) rule(w string) (lineKind, uint8) {
	if m.isADoc && w == "----" {
		m.fence = "----"
		return lineCode, 0
	}
	if !m.underlines(w) {
		return lineUnder, 0
	}
	lines := m.r.lines
	last := &lines[len(lines)-1]
	at := strings.IndexByte(string(m.styles), w[0])
	if at < 0 {
		at = len(m.styles)
		m.styles = append(m.styles, w[0])
	}
	last.kind, last.level = lineHeading, uint8(min(at+1, 6))
	return lineUnder, 0
}

// underlines reports whether a line of marks stands below a title: one line of text, not much longer than the marks,
// with nothing but a rule or a blank line above it.
func (m *marker) underlines(w string) bool {
	lines := m.r.lines
	if len(lines) == 0 || !isRule(w) {
		return false
	}
	last := lines[len(lines)-1]
	isNumbered := last.kind == lineItem && m.r.s[last.at] >= '0' && m.r.s[last.at] <= '9' && utf8.RuneCountInString(m.r.s[last.at:last.end]) <= len(w)+2
	if last.kind != lineText && !isNumbered || last.indent() > 0 || len(w) < 3 {
		return false
	}
	if len(lines) > 1 {
		if above := lines[len(lines)-2].kind; above == lineText || above == lineItem || above == lineTable {
			return false
		}
	}
	return w[0] == '=' || w[0] == '-' || utf8.RuneCountInString(m.r.s[last.at:last.end]) <= len(w)+2
}

// isRule reports a line of three or more of the same mark.
func isRule(w string) bool {
	return len(w) >= 3 && strings.IndexByte("=-~^\"*+#'`:._", w[0]) >= 0 && w[1] == w[0] && w[2] == w[0] && strings.Trim(w, w[:1]) == ""
}

// atxLevel is the level of a heading of the form "## Words" or "== Words", 0 for none.
func atxLevel(w string) uint8 {
	n := len(w) - len(strings.TrimLeft(w, w[:1]))
	if n > 6 || n == len(w) || w[n] != ' ' && w[n] != '\t' {
		return 0
	}
	return uint8(n)
}

// itemLength is the length of the mark of a list item with the blank behind it: "- ", "* ", "#. ", "1. ", "** ", "•
// "; 0 for none.
func itemLength(w string) int {
	n := 0
	switch c := w[0]; {
	case c == '-' || c == '+':
		n = 1
	case c == '*':
		n = len(w) - len(strings.TrimLeft(w, "*"))
		if n > 4 {
			return 0
		}
	case strings.HasPrefix(w, "#."):
		n = 2
	case strings.HasPrefix(w, "•") || strings.HasPrefix(w, "–"):
		n = len("•")
	case c >= '0' && c <= '9':
		for n < len(w) && n < 4 && w[n] >= '0' && w[n] <= '9' {
			n++
		}
		if n == len(w) || w[n] != '.' && w[n] != ')' {
			return 0
		}
		n++
	default:
		return 0
	}
	if n >= len(w) || w[n] != ' ' && w[n] != '\t' {
		return 0
	}
	for n < len(w) && (w[n] == ' ' || w[n] == '\t') {
		n++
	}
	return n
}

// headWords are the words of a heading and what it is about.
type headWords struct {
	words string
	key   key
}

// heading returns the words of a heading, plain.
func (r *reader) heading(i int) string { return r.headingAt(i).words }

// headingAt reads a heading, once.
func (r *reader) headingAt(i int) headWords {
	h, ok := r.heads[i]
	if !ok {
		words := r.plainHeading(i)
		h = headWords{words: words, key: keyOf(words)}
		r.heads[i] = h
	}
	return h
}

func (r *reader) plainHeading(i int) string {
	w := r.words(i)
	if len(w) > maxHeading {
		return w
	}
	if w != "" && (w[0] == '#' || w[0] == '=') && atxLevel(w) > 0 {
		w = strings.TrimRight(strings.TrimSpace(strings.TrimLeft(w, w[:1])), "#= ")
	} else if r.lines[i].kind == lineHeading && len(w) > 4 && w[0] == 'h' && w[2] == '.' && w[3] == ' ' && w[1] >= '1' && w[1] <= '6' {
		w = w[4:]
	}
	return plain(w)
}

// block is a paragraph or a list item: the bytes [start, end) of the text, without the item's mark.
type block struct {
	start, end int
	isItem     bool
	indent     int
}

// blocks returns the first paragraphs and list items of the lines [lo, hi), at most a number.
func (r *reader) blocks(lo, hi, most int) []block {
	var out []block
	open := false
	for i := lo; i < hi && len(out) <= most; i++ {
		l := r.lines[i]
		r.work++
		switch l.kind {
		case lineItem:
			out = append(out, block{start: l.at + itemLength(r.s[l.at:l.end]), end: l.end, isItem: true, indent: l.indent()})
			open = true
		case lineText:
			w := r.words(i)
			if strings.HasPrefix(w, "[") && strings.HasSuffix(w, "]") || strings.HasPrefix(w, "image::") || strings.HasPrefix(w, "![") || w == "+" {
				open = false // an attribute of AsciiDoc, a picture, or a placeholder
				continue
			}
			if !open {
				out = append(out, block{start: l.at, indent: l.indent()})
			}
			out[len(out)-1].end = l.end
			open = true
		default:
			open = false
		}
	}
	return out[:min(len(out), most)]
}

// joined returns the bytes of a block with its line ends as blanks, so that places in it stay.
func (r *reader) joined(b block) string {
	r.work += b.end - b.start
	return strings.ReplaceAll(r.s[b.start:b.end], "\n", " ")
}
