package office

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// odf reads an OpenDocument file: a text, slides or, by sheetReader, sheets.
type odf struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call of Extract
	a      *unpack.Archive
	doc    *document
	styles odfStyles

	frames   []*odfFrame
	lists    []*odfList
	outline  odfList
	last     map[string][]int // numbers of lists that ended, by style
	notes    int
	pages    int // breaks so far
	rendered bool
	fresh    bool

	slides int
	slide  *slide // that is open
	class  string // of the frame on the slide that is open
	chart  bool   // reads an object inside of a document
}

// odfFrame is a frame with what is known of the element that made it.
type odfFrame struct {
	page.Frame
	para      page.Para
	style     string
	alt       string
	pic       string
	open      bool // a paragraph is open
	heading   int
	breaks    bool // a page ends with the paragraph
	who, when string
	class     string
}

// readOdf reads a file of OpenDocument.
func readOdf(ctx context.Context, a *unpack.Archive, doc *document) error {
	if manifest, err := a.Read("META-INF/manifest.xml"); err == nil && bytes.Contains(manifest, []byte("encryption-data")) {
		return unpack.Locked("document")
	}
	err := unpack.Forgive(a.XML("meta.xml", func(x *unpack.XML) error { return readOdfMeta(x, doc) }))
	if err != nil {
		return err
	}
	o := &odf{ctx: ctx, a: a, doc: doc, fresh: true, styles: odfStyles{styles: map[string]odfStyle{}, lists: map[string]map[int]odfLevel{}}}
	o.outline.style = outlineList
	err = unpack.Forgive(a.XML("styles.xml", func(x *unpack.XML) error {
		return x.Each(func(name string) error {
			if name == "master-styles" {
				return x.Skip()
			}
			o.styles.open(x)
			return nil
		})
	}))
	if err != nil {
		return err
	}
	doc.findPictures(a, "pictures/")
	if !a.Has("content.xml") {
		return unpack.Damaged(unpack.ErrMissing)
	}
	return a.XML("content.xml", o.readContent)
}

// readOdfMeta reads what a document says about itself.
func readOdfMeta(x *unpack.XML, doc *document) error {
	return x.Each(func(name string) error {
		switch name {
		case "document-meta", "meta":
			return nil
		case "document-statistic":
			doc.props.pages, _ = strconv.Atoi(x.Attr("page-count"))
			return nil
		}
		value, err := x.Content()
		if name == "creator" { // of OpenDocument: who changed it last
			doc.props.editor = value
		} else {
			doc.props.set(name, value)
		}
		return err
	})
}

// readContent reads styles and body of content.xml.
func (o *odf) readContent(x *unpack.XML) error {
	return x.Each(func(name string) error {
		switch name {
		case "text":
			o.frames = []*odfFrame{{Frame: page.Frame{Out: &o.doc.Page}}}
			o.doc.Turn()
			err := o.walk(x, x.Depth())
			o.flush()
			o.doc.settlePages(o.rendered)
			return err
		case "presentation", "drawing":
			if x.Space != "office" {
				return nil
			}
			o.frames = []*odfFrame{{}}
			err := o.walk(x, x.Depth())
			o.endSlide()
			o.doc.note("slides", strconv.Itoa(o.slides))
			return err
		case "spreadsheet":
			return o.readSheets(x)
		case "master-styles", "scripts", "forms":
			return x.Skip()
		}
		o.styles.open(x)
		return nil
	})
}

func (o *odf) frame() *odfFrame { return o.frames[len(o.frames)-1] }

func (o *odf) push() { o.frames = append(o.frames, &odfFrame{class: o.class}) }

// pop ends the innermost frame and returns it.
func (o *odf) pop() *odfFrame {
	o.endParagraph()
	f := o.frame()
	if len(o.frames) == 1 {
		return &odfFrame{}
	}
	f.Close()
	o.frames = o.frames[:len(o.frames)-1]
	return f
}

func (o *odf) flush() {
	for len(o.frames) > 1 {
		inner := o.pop()
		o.frame().para.After = append(o.frame().para.After, inner.Blocks...)
	}
	o.frame().open = true
	o.endParagraph()
	o.frame().Close()
}

// walk reads until the element at depth closes, or the part ends.
func (o *odf) walk(x *unpack.XML, depth int) error {
	for {
		e, err := x.Next()
		if err == io.EOF { //nolint:errorlint // next returns it bare
			return nil
		}
		if err != nil {
			return err
		}
		switch e {
		case unpack.Opens:
			err = o.openElement(x)
		case unpack.Closes:
			if x.Depth() < depth {
				return nil
			}
			o.closeElement(x)
		case unpack.Words:
			if f := o.frame(); f.open {
				f.para.WriteBytes(x.Text)
				o.fresh = o.fresh && len(bytes.TrimSpace(x.Text)) == 0
			}
		}
		if err != nil || o.doc.Full() {
			return err
		}
	}
}

// openElement looks at an element that opened.
func (o *odf) openElement(x *unpack.XML) error {
	f := o.frame()
	switch x.Name {
	case "p", "h":
		o.openParagraph(x)
	case "s", "tab":
		f.para.Write(" ")
	case "line-break":
		f.para.Write("\n")
	case "soft-page-break":
		if o.rendered = true; !o.fresh {
			o.turn()
		}
	case "span", "section":
		if st := o.styles.styles[x.Attr("style-name")]; st.hidden || x.Attr("display") == "none" {
			return x.Skip()
		}
	case "tracked-changes", "note-citation", "table-of-content", "table-of-contents", "illustration-index", "table-index", "object-index",
		"alphabetical-index", "user-index", "ruby-text", "event-listeners", "forms", "hidden-text", "hidden-paragraph", "settings", "shapes":
		return x.Skip()
	case "a":
		f.para.OpenLink(x.Attr("href"))
	case "note", "text-box", "annotation", "notes":
		if x.Name == "annotation" && x.Space == "math" {
			return x.Skip()
		}
		o.push()
		o.frame().class = x.Attr("note-class")
	case "creator", "date":
		if x.Parent(1, unpack.Opens) == "annotation" {
			s, err := x.Content()
			if x.Name == "creator" || strings.Contains(s, " ") {
				f.who = s
			} else {
				f.when = day(s)
			}
			return err
		}
	case "list", "list-item", "list-header":
		o.openList(x)
	case "table", "table-row", "table-cell", "covered-table-cell":
		o.openTable(x)
	default:
		return o.openDrawing(x)
	}
	return nil
}

// openDrawing looks at slides, frames and pictures.
func (o *odf) openDrawing(x *unpack.XML) error {
	f := o.frame()
	switch x.Name {
	case "page":
		o.endSlide()
		if o.slides++; o.slides > mostPages {
			o.doc.note("truncated", "true")
			return x.Skip()
		}
		o.slide = &slide{hidden: o.styles.styles[x.Attr("style-name")].hidden}
	case "frame", "custom-shape", "rect", "ellipse":
		if o.slide != nil {
			o.class = x.Attr("class")
		}
		f.alt, f.pic = "", ""
	case "image":
		if f.pic == "" {
			f.pic = x.Attr("href")
		}
	case "title", "desc":
		if x.Space == "svg" {
			s, err := x.Content()
			if f.alt == "" || x.Name == "desc" {
				f.alt = s
			}
			return err
		}
	case "object":
		return o.readObject(unpack.Resolve("", x.Attr("href")))
	default:
		o.styles.open(x)
	}
	return nil
}

// readObject reads the title and the numbers of a chart that is part of a document.
func (o *odf) readObject(name string) error {
	if o.chart || !o.a.Has(name+"/content.xml") {
		return nil
	}
	inner := &odf{ctx: o.ctx, a: o.a, doc: o.doc, chart: true, styles: odfStyles{styles: map[string]odfStyle{}, lists: map[string]map[int]odfLevel{}}}
	inner.frames = []*odfFrame{{}}
	err := unpack.Forgive(o.a.XML(name+"/content.xml", func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			if element == "chart" && x.Space == "office" {
				return inner.walk(x, x.Depth())
			} else if element == "math" {
				return x.Skip()
			}
			return nil
		})
	}))
	inner.flush()
	blocks := inner.frames[0].Blocks
	if len(blocks) > 0 && blocks[0].Shape == page.Paragraph {
		blocks[0].Text = "Chart: " + blocks[0].Text
	}
	f := o.frame()
	if f.open {
		f.para.After = append(f.para.After, blocks...)
	} else {
		f.Blocks = append(f.Blocks, blocks...)
	}
	return err
}

// closeElement looks at an element that closed.
func (o *odf) closeElement(x *unpack.XML) {
	f := o.frame()
	switch x.Name {
	case "p", "h":
		o.endParagraph()
	case "a":
		f.para.CloseLink()
	case "note":
		o.endNote()
	case "annotation":
		note := o.pop()
		if s := page.Flat(note.Blocks); s != "" {
			o.beside(page.Remark{Text: s, Who: note.who, When: note.when}.Block("Comment"))
		}
	case "text-box":
		o.endBox()
	case "notes":
		blocks := o.pop().Blocks
		if o.slide != nil {
			o.slide.notes = append(o.slide.notes, blocks...)
		}
	case "frame":
		if s := page.Picture(f.alt, f.pic); s != "" && f.open {
			f.para.Write(" " + s + " ")
		} else if s != "" {
			o.beside(page.Block{Text: s})
		}
		f.alt, f.pic = "", ""
	case "list":
		o.endList()
	case "table-cell", "covered-table-cell", "table-row", "table":
		o.closeTable(x.Name)
	}
}

// beside puts a block behind the open paragraph, or where none is open right here.
func (o *odf) beside(b page.Block) {
	if f := o.frame(); f.open {
		f.para.After = append(f.para.After, b)
	} else {
		f.Emit(b)
	}
}

// endNote marks a footnote or endnote, which follows its paragraph.
func (o *odf) endNote() {
	words := page.Flat(o.pop().Blocks)
	if words == "" {
		return
	}
	o.notes++
	ref := "[^" + strconv.Itoa(o.notes) + "]"
	f := o.frame()
	f.para.Write(ref)
	f.para.After = append(f.para.After, page.Block{Text: ref + ": " + words})
}

// endBox hands on what stood in a text box. On slides, the class of its frame says what it is.
func (o *odf) endBox() {
	blocks := o.pop().Blocks
	if o.slide == nil {
		for _, b := range blocks {
			o.beside(b)
		}
		return
	}
	switch o.class {
	case "title":
		if len(o.frames) == 1 {
			o.slide.title = strings.TrimSpace(o.slide.title + " " + page.Flat(blocks))
			return
		}
	case "page-number", "date-time", "footer", "header":
		return
	}
	o.frame().Blocks = append(o.frame().Blocks, blocks...)
}

// endSlide writes the slide that was open.
func (o *odf) endSlide() {
	if o.slide == nil || len(o.frames) == 0 {
		return
	}
	for len(o.frames) > 1 {
		inner := o.pop()
		o.frame().Blocks = append(o.frame().Blocks, inner.Blocks...)
	}
	o.endParagraph()
	o.slide.blocks = o.frame().Blocks
	o.frames = []*odfFrame{{}}
	o.doc.addSlide(o.slides, *o.slide)
	o.doc.addNotes(o.slide.notes)
	o.slide, o.lists = nil, nil
}

// turn begins a page where the open paragraph ends now.
func (o *odf) turn() {
	if len(o.frames) > 1 || o.slide != nil || o.chart || o.pages >= mostPages {
		return
	}
	o.pages++
	o.fresh = true
	if f := o.frame(); f.open {
		f.para.Write(page.Break)
	} else {
		f.Emit(page.Block{Text: page.Break})
	}
}
