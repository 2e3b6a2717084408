package book

import (
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// chapter turns XHTML into blocks.
type chapter struct {
	page.Frame
	para page.Para
	b    *volume
	part string
	page *page.Page

	heading int
	quotes  int
	pre     int
	lists   []htmlList
	label   string // of the item that has shown nothing yet
	note    string // that begins with the next block
	missing *entry // its title has not been seen yet
}

// htmlList is a list that is open.
type htmlList struct {
	ordered bool
	format  string
	n       int
}

// begin says that a chapter begins with the next block.
func (c *chapter) begin(e *entry) {
	if e.begun {
		return
	}
	e.begun = true
	c.page.Place = e.place
	c.page.At(page.Mark{Page: c.page.Number(), Place: e.place})
	c.missing = e
}

// walk reads a part to its end.
func (c *chapter) walk(x *unpack.XML) error {
	for {
		e, err := x.Next()
		if unpack.IsEnd(err) {
			return nil
		}
		if err != nil {
			return err
		}
		switch e {
		case unpack.Opens:
			err = c.open(x)
		case unpack.Closes:
			c.close(x.Name)
		case unpack.Words:
			c.write(string(x.Text))
		}
		if err != nil || c.page.Full() {
			return err
		}
	}
}

// write appends words. Line ends mean something in preformatted text only.
func (c *chapter) write(s string) {
	if c.pre == 0 {
		s = strings.NewReplacer("\n", " ", "\r", " ").Replace(s)
	}
	c.para.Write(s)
}

// isBlock lists the elements that end a paragraph where they begin and where they end.
var isBlock = map[string]bool{
	"p": true, "div": true, "section": true, "article": true, "body": true, "header": true, "footer": true, "main": true, "figure": true,
	"figcaption": true, "address": true, "dl": true, "dt": true, "dd": true, "aside": true, "hr": true, "ul": true, "ol": true, "li": true,
	"blockquote": true, "pre": true, "table": true, "caption": true, "tr": true, "td": true, "th": true, "h1": true, "h2": true, "h3": true,
	"h4": true, "h5": true, "h6": true, "center": true, "details": true, "summary": true, "nav": true, "form": true, "fieldset": true,
}

// open looks at an element that opened.
func (c *chapter) open(x *unpack.XML) error {
	kind := x.Attr("type") + " " + x.Attr("role")
	switch {
	case x.Name == "head", x.Name == "script", x.Name == "style", x.Name == "template", x.Name == "rt", x.Name == "rp",
		strings.Contains(kind, "backlink"), strings.Contains(x.Attr("class"), "footnote-back"):
		return x.Skip()
	}
	if isBlock[x.Name] {
		c.end()
	}
	if id := x.Attr("id"); id != "" {
		c.anchor(id)
	}
	if strings.Contains(kind, "pagebreak") {
		return c.pageBreak(x)
	}
	switch x.Name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		c.heading = int(x.Name[1] - '0')
	case "blockquote":
		c.quotes++
	case "pre":
		c.pre++
	case "br":
		c.para.Write("\n")
	case "ul", "ol":
		c.lists = append(c.lists, htmlList{ordered: x.Name == "ol", format: x.Attr("type"), n: max(smallNumber(x.Attr("start")), 1) - 1})
	case "li":
		c.item(x)
	case "table", "tr", "td", "th":
		c.openTable(x)
	case "a":
		return c.link(x, kind)
	case "img":
		src := x.Attr("src")
		if s := page.Picture(x.Attr("alt"), unescaped(src)); s != "" {
			c.write(" " + s + " ")
		}
	case "math":
		if alt := x.Attr("alttext"); alt != "" {
			c.write(alt)
			return x.Skip()
		}
	}
	return nil
}

// item begins an item of a list.
func (c *chapter) item(x *unpack.XML) {
	n := len(c.lists)
	if n == 0 {
		c.label = "-"
		return
	}
	l := &c.lists[n-1]
	l.n++
	if v := smallNumber(x.Attr("value")); v > 0 {
		l.n = v
	}
	c.label = "-"
	if l.ordered {
		c.label = page.Ordinal(l.n, l.format) + "."
	}
}

// anchor begins the chapters and footnotes whose anchor it is.
func (c *chapter) anchor(id string) {
	for _, e := range c.b.starts[unpack.Key(c.part)] {
		if e.anchor == id {
			c.begin(e)
		}
	}
	if ref, ok := c.b.notes[unpack.Key(c.part)+"#"+id]; ok {
		c.note = ref
	}
}

// link opens a link. One to a footnote becomes its mark, others inside the book are but words.
func (c *chapter) link(x *unpack.XML, kind string) error {
	href := x.Attr("href")
	class := x.Attr("class")
	part, id, inside := strings.Cut(href, "#")
	if !inside || !strings.Contains(kind, "noteref") && !strings.Contains(class, "noteref") && !strings.Contains(class, "footnote-ref") {
		c.para.OpenLink(href)
		return nil
	}
	s, err := x.Content()
	label := strings.Trim(page.OneLine(s), "[]()")
	ref := "[^" + label[:page.Bound(label, 30)] + "]"
	c.write(ref)
	target := c.part
	if part != "" {
		target = unpack.Resolve(c.part, unescaped(part))
	}
	if len(c.b.notes) < unpack.MostEntries {
		c.b.notes[unpack.Key(target)+"#"+unescaped(id)] = ref
	}
	return err
}

// pageBreak takes over the number of a page of the printed book. Numbers only rise.
func (c *chapter) pageBreak(x *unpack.XML) error {
	title := x.Attr("title")
	if title == "" {
		title = x.Attr("aria-label")
	}
	s, err := x.Content()
	if title == "" {
		title = s
	}
	n, numErr := strconv.Atoi(strings.TrimSpace(strings.TrimLeft(title, "Pagep. ")))
	if numErr != nil || n <= c.b.printed || n > 100*mostPages || c.InTable() {
		return err
	}
	c.b.printed = n
	c.page.Queue(n)
	c.para.Write(page.Break)
	return err
}

// openTable begins a table, a row or a cell.
func (c *chapter) openTable(x *unpack.XML) {
	switch x.Name {
	case "table":
		c.OpenTable()
	case "tr":
		c.OpenRow()
		c.Covered()
	default:
		c.OpenCell()
		c.Cover(smallNumber(x.Attr("rowspan")) - 1)
		c.Span(smallNumber(x.Attr("colspan")))
	}
}

// smallNumber reads a number from 0 to 999; 0 for anything else.
func smallNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 999 {
		return 0
	}
	return n
}

// close looks at an element that closed.
func (c *chapter) close(name string) {
	if isBlock[name] {
		c.end()
	}
	switch name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		c.heading = 0
	case "blockquote":
		c.quotes = max(c.quotes-1, 0)
	case "pre":
		c.pre = max(c.pre-1, 0)
	case "ul", "ol":
		if n := len(c.lists); n > 0 {
			c.lists = c.lists[:n-1]
		}
	case "li":
		c.label = ""
	case "a":
		c.para.CloseLink()
	case "td", "th":
		c.CloseCell()
		c.Covered()
	case "tr":
		c.CloseRow(false)
	case "table":
		c.CloseTable()
	}
}

// end turns the open paragraph into a block.
func (c *chapter) end() {
	raw := c.para.String()
	c.para = page.Para{}
	before := c.heading
	if c.missing != nil && strings.Trim(raw, page.Break+" \n\t") != "" {
		raw = c.introduce(raw)
	}
	c.Emit(c.blockOf(raw))
	c.heading = before
}

// introduce writes the title of a chapter before its first words, unless they are the title.
func (c *chapter) introduce(raw string) string {
	e := c.missing
	c.missing = nil
	level := min(e.depth+1, 6)
	same := strings.EqualFold(strings.ReplaceAll(page.OneLine(raw), page.Break, ""), e.title)
	switch {
	case c.heading > 0:
	case same && !c.InTable():
		c.heading = level
	case !c.InTable():
		c.Emit(page.Block{Shape: page.Heading, Level: level, Text: e.title})
	}
	return raw
}

// blockOf says what kind of block words are.
func (c *chapter) blockOf(raw string) page.Block {
	s := page.Tidy(raw)
	if strings.Trim(s, page.Break+" \n") == "" {
		return page.Block{Text: strings.Repeat(page.Break, strings.Count(s, page.Break))}
	}
	note, label := c.note, c.label
	c.note, c.label = "", ""
	switch {
	case note != "":
		return page.Block{Text: note + ": " + s}
	case c.heading > 0:
		return page.Block{Shape: page.Heading, Level: c.heading, Text: s}
	case c.pre > 0:
		return page.Block{Shape: page.Code, Text: strings.Trim(page.Printable(raw), "\n")}
	case label != "":
		return page.NewItem(label, s, max(len(c.lists)-1, 0))
	case c.quotes > 0:
		return page.Block{Shape: page.Quote, Text: s}
	}
	return page.Block{Text: s}
}

// flush ends what is open at the end of a part.
func (c *chapter) flush() {
	c.end()
	c.Close()
}
