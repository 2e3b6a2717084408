package office

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// mostPages is how many pages or slides are counted.
const mostPages = 2000

// word reads the body of a WordprocessingML document.
type word struct {
	a        *unpack.Archive
	doc      *document
	styles   wordStyles
	lists    *numbering
	rels     map[string]relation
	foot     map[string]page.Remark
	end      map[string]page.Remark
	comments map[string]page.Remark

	frames []*wordFrame // where blocks go: the document, a text box
	notes  int          // footnotes so far

	inner    bool   // reads a note or a comment, which has no pages
	rendered bool   // the program that wrote the file said where its pages begin
	fresh    bool   // nothing stands on the current page yet
	turns    int    // pages that began so far
	kind     string // of the section that is being described
	section  int    // the page that the current section was taken to begin; 0 for none
}

// wordFrame is a frame with its open paragraph.
type wordFrame struct {
	page.Frame
	para wordPara
	gone bool // the open row was deleted
}

// wordPara is the paragraph that is open.
type wordPara struct {
	page.Para
	style    string
	outline  int // level of a heading that the paragraph itself asks for; -1: none
	list     string
	level    int
	ownLevel bool
	fields   []field
	joined   bool // its end was deleted: it goes on in the next one
	ends     bool // it is the last of its section
	alt, pic string
}

// field is a field of Word: what it is told to do, and the words that it made.
type field struct {
	code   strings.Builder
	result bool
	from   int
}

// readDocx reads a Word document.
func readDocx(ctx context.Context, a *unpack.Archive, doc *document) error {
	if err := readProperties(a, doc); err != nil {
		return err
	}
	name, rels, err := mainPart(a, "word/document.xml")
	if err != nil {
		return err
	}
	w := &word{a: a, doc: doc, rels: rels, fresh: true}
	if w.styles, err = readWordStyles(a, byKind(rels, "styles")); err != nil {
		return err
	}
	if w.lists, err = readNumbering(a, byKind(rels, "numbering")); err != nil {
		return err
	}
	for _, part := range []struct {
		kind, element string
		into          *map[string]page.Remark
	}{{"footnotes", "footnote", &w.foot}, {"endnotes", "endnote", &w.end}, {"comments", "comment", &w.comments}} {
		if *part.into, err = w.readRemarks(byKind(rels, part.kind), part.element); err != nil {
			return err
		}
	}
	w.frames = []*wordFrame{{Frame: page.Frame{Out: &doc.Page}}}
	doc.Turn()
	doc.findPictures(a, "word/media/")
	err = a.XML(name, func(x *unpack.XML) error { return w.walk(x, 0) })
	w.flush()
	w.doc.settlePages(w.rendered)
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// walk reads until the element at depth closes, or the part ends.
func (w *word) walk(x *unpack.XML, depth int) error {
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
			err = w.open(x)
		case unpack.Closes:
			if x.Depth() < depth {
				return nil
			}
			w.close(x)
		case unpack.Words:
			switch x.Parent(1, e) {
			case "t":
				w.write(string(x.Text))
			case "instrText":
				if f := w.para().field(); f != nil && !f.result && f.code.Len() < 10_000 {
					f.code.Write(x.Text)
				}
			}
		}
		if err != nil || w.doc.Full() {
			return err
		}
	}
}

func (w *word) frame() *wordFrame { return w.frames[len(w.frames)-1] }
func (w *word) para() *wordPara   { return &w.frame().para }

func (p *wordPara) field() *field {
	if len(p.fields) == 0 {
		return nil
	}
	return &p.fields[len(p.fields)-1]
}

// write appends words to the open paragraph. Codes of fields are not words.
func (w *word) write(s string) {
	p := w.para()
	if f := p.field(); f != nil && !f.result {
		return
	}
	p.Write(s)
	if s != "" {
		w.fresh = false
	}
}

// open looks at an element that opened.
func (w *word) open(x *unpack.XML) error {
	switch x.Name {
	case "del", "moveFrom":
		switch x.Parent(1, unpack.Opens) {
		case "rPr":
			w.para().joined = true
		case "trPr":
			w.frame().gone = true
		default:
			return x.Skip()
		}
	case "Fallback", "rt", "delText", "sdtPr", "pPrChange", "rPrChange", "tblPrChange", "trPrChange", "tcPrChange", "sectPrChange", "numberingChange":
		return x.Skip()
	case "vanish":
		return w.vanish(x)
	case "footnoteReference", "endnoteReference":
		w.refer(x.Name, x.Attr("id"))
	case "commentReference":
		if c, ok := w.comments[x.Attr("id")]; ok {
			delete(w.comments, x.Attr("id")) // each stands in one place
			w.para().After = append(w.para().After, c.Block("Comment"))
		}
	case "tbl", "tr", "tc", "gridBefore", "gridSpan", "vMerge":
		w.openTable(x)
	case "txbxContent":
		w.frames = append(w.frames, &wordFrame{})
	case "sectPr", "type", "lastRenderedPageBreak", "pageBreakBefore":
		w.breakPage(x)
	case "br", "cr", "tab", "ptab", "noBreakHyphen", "sym":
		w.sign(x)
	case "fldChar", "hyperlink":
		w.openLink(x)
	case "docPr", "cNvPr", "blip", "imagedata", "relIds", "chart":
		return w.openPicture(x)
	default:
		w.property(x)
	}
	return nil
}

// property reads what is said about the open paragraph.
func (w *word) property(x *unpack.XML) {
	p := w.para()
	switch x.Name {
	case "pStyle":
		p.style = x.Attr("val")
	case "outlineLvl":
		if p.outline = outlineLevel(x.Attr("val")); p.outline == 0 {
			p.outline = -1
		}
	case "numId":
		p.list = x.Attr("val")
	case "ilvl":
		p.level, p.ownLevel = smallNumber(x.Attr("val")), true
	}
}

// vanish drops a run of hidden text. A switch that is off hides nothing, and one inside the properties of a paragraph hides
// its mark only.
func (w *word) vanish(x *unpack.XML) error {
	v := x.Attr("val")
	if v == "0" || v == "false" || v == "off" || x.Parent(1, unpack.Opens) != "rPr" || x.Parent(2, unpack.Opens) != "r" {
		return nil
	}
	for run := x.Depth() - 2; x.Depth() >= run; {
		e, err := x.Next()
		if err != nil {
			return err
		}
		if e == unpack.Opens && x.Name == "fldChar" {
			w.openLink(x) // a hidden field still has its beginning and its end
		}
	}
	return nil
}

// sign writes what stands for a character.
func (w *word) sign(x *unpack.XML) {
	switch x.Name {
	case "br":
		if x.Attr("type") == "page" {
			w.turn()
			return
		}
		w.write("\n")
	case "cr":
		w.write("\n")
	case "tab", "ptab":
		if x.Parent(1, unpack.Opens) == "r" {
			w.write("\t")
		}
	case "noBreakHyphen":
		w.write("-")
	case "sym":
		if n, err := strconv.ParseUint(x.Attr("char"), 16, 21); err == nil && (n < 0xe000 || n > 0xf8ff) && n > 1 && utf8.ValidRune(rune(n)) {
			w.write(string(rune(n)))
		}
	}
}

// refer marks a footnote or endnote, which follows its paragraph.
func (w *word) refer(kind, id string) {
	notes := w.foot
	if kind == "endnoteReference" {
		notes = w.end
	}
	n, ok := notes[id]
	if !ok {
		return
	}
	delete(notes, id) // each stands in one place
	w.notes++
	ref := "[^" + strconv.Itoa(w.notes) + "]"
	w.write(ref)
	w.para().After = append(w.para().After, page.Block{Text: ref + ": " + n.Text})
}

// openLink begins a link, by an element or by a field.
func (w *word) openLink(x *unpack.XML) {
	p := w.para()
	if x.Name == "hyperlink" {
		address := ""
		if r := w.rels[x.Attr("id")]; r.external {
			address = r.target
		}
		p.OpenLink(address)
		return
	}
	f := p.field()
	switch x.Attr("fldCharType") {
	case "begin":
		if len(p.fields) < 100 {
			p.fields = append(p.fields, field{})
		}
	case "separate":
		if f != nil && !f.result {
			f.result, f.from = true, p.Len()
		}
	case "end":
		if f == nil {
			return
		}
		if code := strings.Fields(f.code.String()); f.result && len(code) > 1 && strings.EqualFold(code[0], "hyperlink") {
			p.Link(f.from, strings.Trim(code[1], `"`))
		}
		p.fields = p.fields[:len(p.fields)-1]
	}
}

// openPicture takes down what is said about a picture, and reads charts and diagrams.
func (w *word) openPicture(x *unpack.XML) error {
	p := w.para()
	switch x.Name {
	case "docPr":
		p.alt = x.Attr("descr")
	case "cNvPr": // of the picture itself, which often is but its file name
		if d := x.Attr("descr"); p.alt == "" && !isPicture(d) {
			p.alt = d
		}
	case "blip":
		p.pic = w.rels[x.Attr("embed")].target
	case "imagedata":
		p.pic = w.rels[x.Attr("id")].target
		if p.alt == "" {
			p.alt = x.AttrIn("o", "title")
		}
	case "relIds", "chart":
		blocks, err := readGraphic(w.a, w.rels, x)
		p.After = append(p.After, blocks...)
		return err
	}
	return nil
}

// close looks at an element that closed.
func (w *word) close(x *unpack.XML) {
	f := w.frame()
	p := &f.para
	switch x.Name {
	case "p":
		w.endParagraph()
	case "hyperlink":
		p.CloseLink()
	case "drawing", "pict":
		if s := page.Picture(p.alt, p.pic); s != "" {
			w.write(" " + s + " ")
		}
		p.alt, p.pic = "", ""
	case "tc":
		f.CloseCell()
	case "tr":
		f.CloseRow(f.gone)
	case "tbl":
		f.CloseTable()
	case "txbxContent":
		w.endBox()
	case "sectPr":
		w.endSection(x.Parent(1, unpack.Closes) == "pPr")
	}
}

// endBox hands what stood in a text box to the paragraph that holds it.
func (w *word) endBox() {
	if len(w.frames) < 2 {
		return
	}
	inner := w.frame()
	inner.Close()
	w.frames = w.frames[:len(w.frames)-1]
	w.para().After = append(w.para().After, inner.Blocks...)
}

// endParagraph turns the open paragraph into a block.
func (w *word) endParagraph() {
	f := w.frame()
	p := &f.para
	if p.joined {
		p.joined = false
		return
	}
	f.Emit(w.blockOf(p))
	for _, b := range p.After {
		f.Emit(b)
	}
	ends := p.ends
	f.para = wordPara{fields: p.fields}
	for i := range f.para.fields { // the words of a field may take several paragraphs
		f.para.fields[i].from = 0
	}
	if ends && w.turn() {
		w.section = w.turns + 1
		f.Emit(page.Block{Text: f.para.String()})
		f.para = wordPara{fields: f.para.fields}
	}
}

// blockOf says what kind of block a paragraph is.
func (w *word) blockOf(p *wordPara) page.Block {
	raw := p.String()
	s := page.Tidy(raw)
	if strings.Trim(s, page.Break+" \n") == "" || w.styles.named(p.style, "toc ", "table of figures") {
		return page.Block{Text: strings.Repeat(page.Break, strings.Count(s, page.Break))}
	}
	level := p.outline
	if level == 0 || level > 6 {
		level = w.styles.level(p.style)
	}
	list, depth := p.list, p.level
	if list == "" {
		style, _ := w.styles.find(p.style, func(st wordStyle) bool { return st.list != "" })
		list = style.list
		if !p.ownLevel {
			depth = style.depth
		}
	}
	label := ""
	if list != "" && list != "0" {
		label = w.lists.label(list, depth)
	}
	switch {
	case level > 0:
		if label != "-" && label != "" {
			s = label + " " + s
		}
		if w.styles[p.style].name == "title" && !w.inner {
			w.doc.Call(strings.ReplaceAll(s, page.Break, ""))
		}
		return page.Block{Shape: page.Heading, Level: level, Text: s}
	case list != "" && list != "0":
		return page.NewItem(label, s, depth)
	case w.styles.named(p.style, "source code", "html preformatted", "preformatted", "code"):
		return page.Block{Shape: page.Code, Text: page.Printable(raw)}
	case w.styles.named(p.style, "quote", "intense quote", "block text"):
		return page.Block{Shape: page.Quote, Text: s}
	}
	return page.Block{Text: s}
}

// flush ends what is open when a document ends, or is cut short.
func (w *word) flush() {
	for len(w.frames) > 1 {
		w.endBox()
	}
	f := w.frame()
	f.para.joined = false
	w.endParagraph()
	f.Close()
}
