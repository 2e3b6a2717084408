// Package page writes what readers of documents find as Markdown: blocks, tables and the rows of sheets, with the places that
// a citation can name.
package page

import (
	"slices"
	"strings"
)

// MostText is how many bytes of text are kept of one file.
const MostText = 32 << 20

// Shape is the kind of a block.
type Shape uint8

// Shapes.
const (
	Paragraph Shape = iota
	Heading
	Item  // of a list
	Quote // of somebody, or a comment or note beside the text
	Code  // a line of it, or several
	Table
)

// Break stands in the text of a block where a page begins. No text that Tidy made holds it otherwise; XML cannot.
const Break = "\x01"

// Block is a stretch of a document: what Markdown calls a block.
type Block struct {
	Shape Shape
	Level int    // Heading: 1 to 6; Item: how deep, from 0
	Label string // Item: "-" or "3."; "" means "-"
	Text  string // lines that Tidy made, or Printable for Code
	Rows  [][]string
}

// Mark says that from Offset on the text stands at a place that a person can look up. It has the shape of the marks of
// extractors, so that one converts into the other.
type Mark struct {
	Offset int
	Page   int // counted from 1; 0 where there are none
	Place  string
}

// Page gathers blocks as Markdown, with the places to cite. The zero Page is empty and counts no pages.
type Page struct {
	Place string // what the marks of pages say besides their number

	b       strings.Builder
	marks   []Mark
	pending *Mark // takes effect at the next block
	last    Shape
	fenced  bool // a fence is open
	title   string
	best    int // level of the heading that is title; 0 without, -1 when the document said so
	cut     bool
	number  int
	numbers []int // what the next pages are called
}

// Length is how many bytes were written.
func (p *Page) Length() int { return p.b.Len() }

// Full reports that more than MostText came, and that the rest is dropped.
func (p *Page) Full() bool { return p.cut }

// Number is the page that is open; 0 where none are counted.
func (p *Page) Number() int { return p.number }

// Title is what the document calls its title, else its first heading of the highest level.
func (p *Page) Title() string { return p.title }

// Call gives the document a title. The first call counts.
func (p *Page) Call(title string) {
	if title != "" && p.best != -1 {
		p.title, p.best = title, -1
	}
}

// At says that what follows stands at a place.
func (p *Page) At(m Mark) { p.pending = &m }

// Turn begins a page with the next block.
func (p *Page) Turn() { p.At(p.nextPage()) }

// Queue says what the page is called that the next Break begins.
func (p *Page) Queue(number int) { p.numbers = append(p.numbers, number) }

// nextPage counts the next page.
func (p *Page) nextPage() Mark {
	p.number++
	if len(p.numbers) > 0 {
		p.number, p.numbers = p.numbers[0], p.numbers[1:]
	}
	return Mark{Page: p.number, Place: p.Place}
}

// Unturn takes back the beginning of the page called number: it goes on as the page before it.
func (p *Page) Unturn(number int) {
	if p.number < number {
		return
	}
	p.number--
	if p.pending != nil && p.pending.Page == number {
		p.pending = nil
	}
	p.marks = slices.DeleteFunc(p.marks, func(m Mark) bool { return m.Page == number })
	for i := range p.marks {
		if p.marks[i].Page > number {
			p.marks[i].Page--
		}
	}
	if p.pending != nil && p.pending.Page > number {
		p.pending.Page--
	}
}

// Unmark drops all marks.
func (p *Page) Unmark() { p.marks, p.pending = nil, nil }

// Add appends a block. Blank ones leave no trace but the pages that begin in them.
func (p *Page) Add(b Block) {
	if b.Shape == Table {
		p.addTable(b.Rows)
		return
	}
	if b.Shape != Code {
		b.Text = settleBreaks(b.Text)
	}
	for strings.HasPrefix(b.Text, Break) {
		p.Turn()
		b.Text = strings.TrimLeft(b.Text[1:], " \n")
	}
	late := 0
	for strings.HasSuffix(b.Text, Break) {
		late++
		b.Text = strings.TrimRight(b.Text[:len(b.Text)-1], " \n")
	}
	if strings.TrimSpace(b.Text) != "" {
		p.write(b)
	}
	for range late {
		p.Turn()
	}
}

// settleBreaks puts the white space around each Break before it, as one blank or line end.
func settleBreaks(s string) string {
	if !strings.Contains(s, Break) {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, Break[0])
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		head := strings.TrimRight(s[:i], " \n")
		tail := strings.TrimLeft(s[i:], Break+" \n")
		between := s[len(head) : len(s)-len(tail)]
		b.WriteString(head)
		switch {
		case b.Len() == 0 || tail == "":
		case strings.Contains(between, "\n"):
			b.WriteByte('\n')
		case strings.Contains(between, " "):
			b.WriteByte(' ')
		}
		b.WriteString(strings.Repeat(Break, strings.Count(between, Break)))
		s = tail
	}
}

// AddRaw appends Markdown as it is.
func (p *Page) AddRaw(s string) {
	if s = strings.TrimSpace(s); s != "" && p.open(Paragraph, len(s)) {
		p.b.WriteString(s)
	}
}

// write appends a block that is not blank and no table.
func (p *Page) write(b Block) {
	if b.Shape == Heading {
		b.Text = strings.TrimSpace(strings.ReplaceAll(b.Text, "\n", " "))
		if p.best == 0 || b.Level < p.best {
			p.title, p.best = strings.ReplaceAll(b.Text, Break, ""), b.Level
		}
	}
	if !p.open(b.Shape, len(b.Text)) {
		return
	}
	switch b.Shape {
	case Heading:
		p.words("######"[:min(max(b.Level, 1), 6)] + " " + b.Text)
	case Item:
		pad := strings.Repeat("   ", min(b.Level, 8))
		label := b.Label
		if label == "" {
			label = "-"
		}
		p.words(pad + label + " " + strings.ReplaceAll(b.Text, "\n", "\n"+pad+"  "))
	case Quote:
		p.words("> " + strings.ReplaceAll(b.Text, "\n", "\n> "))
	case Code:
		if !p.fenced {
			p.b.WriteString("```\n")
			p.fenced = true
		}
		p.words(strings.ReplaceAll(b.Text, "```", "'''"))
	default:
		p.words(guard(b.Text))
	}
}

// words writes s, and marks the pages that begin in it.
func (p *Page) words(s string) {
	for {
		head, rest, turns := strings.Cut(s, Break)
		p.b.WriteString(head)
		if !turns {
			return
		}
		p.mark(p.b.Len(), p.nextPage())
		s = rest
	}
}

// mark sets a mark. Of several at one offset the last counts.
func (p *Page) mark(offset int, m Mark) {
	m.Offset = offset
	if n := len(p.marks); n > 0 && p.marks[n-1].Offset == offset {
		p.marks = p.marks[:n-1]
	}
	p.marks = append(p.marks, m)
}

// open separates a block from the one before it and sets the mark that waits for it.
func (p *Page) open(s Shape, size int) bool {
	if p.b.Len()+size > MostText {
		p.cut = true
		return false
	}
	if p.fenced && (s != Code || p.pending != nil) {
		p.b.WriteString("\n```")
		p.fenced = false
		p.last = Paragraph
	}
	switch {
	case p.b.Len() == 0:
	case s == Item && p.last == Item, s == Code && p.last == Code:
		p.b.WriteByte('\n')
	default:
		p.b.WriteString("\n\n")
	}
	p.last = s
	if p.pending != nil {
		p.mark(p.b.Len(), *p.pending)
		p.pending = nil
	}
	return true
}

// addTable appends a Markdown table; its first row is the header.
func (p *Page) addTable(rows [][]string) {
	width, size := 0, 0
	for _, r := range rows {
		filled := 0
		for i, c := range r {
			size += len(c) + 3
			if c != "" {
				filled = i + 1
			}
		}
		width = max(width, filled)
	}
	padded := 2 * width * len(rows)
	if padded > 4*size+64<<10 { // next to nothing in very many columns
		for _, r := range rows {
			p.Add(Block{Text: flatTable([][]string{r})})
		}
		return
	}
	if width == 0 || !p.open(Table, max(size, padded)) {
		return
	}
	late := 0
	for n, r := range rows {
		if n > 0 {
			p.b.WriteByte('\n')
		}
		for range late {
			p.mark(p.b.Len(), p.nextPage())
		}
		late = p.writeRow(r, width)
		if n == 0 {
			p.b.WriteString("\n|" + strings.Repeat(" --- |", width))
		}
	}
	for range late {
		p.Turn()
	}
}

// writeRow writes a row of a table and returns how many pages begin inside it. One that begins with its first words begins
// with the row.
func (p *Page) writeRow(row []string, width int) (turns int) {
	first := true
	start := p.b.Len()
	p.b.WriteByte('|')
	for i := range width {
		s := ""
		if i < len(row) {
			s = strings.ReplaceAll(strings.ReplaceAll(row[i], "\n", " "), "|", `\|`)
		}
		s = settleBreaks(strings.TrimSpace(s))
		for first && strings.HasPrefix(s, Break) {
			p.mark(start, p.nextPage())
			s = s[1:]
		}
		turns += strings.Count(s, Break)
		s = strings.TrimSpace(strings.ReplaceAll(s, Break, ""))
		if s == "" {
			p.b.WriteString(" |")
			continue
		}
		first = false
		p.b.WriteString(" " + s + " |")
	}
	return turns
}

// Finish returns the text and its marks. Nothing may be added after it.
func (p *Page) Finish() (string, []Mark) {
	if p.fenced {
		p.b.WriteString("\n```")
		p.fenced = false
	}
	return p.b.String(), p.marks
}
