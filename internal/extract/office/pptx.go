package office

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// deck reads a PresentationML file.
type deck struct {
	a       *unpack.Archive
	doc     *document
	authors map[string]string // of comments, by id
}

// readPptx reads the slides of a PowerPoint file, in order.
func readPptx(ctx context.Context, a *unpack.Archive, doc *document) error {
	if err := readProperties(a, doc); err != nil {
		return err
	}
	name, rels, err := mainPart(a, "ppt/presentation.xml")
	if err != nil {
		return err
	}
	d := &deck{a: a, doc: doc, authors: map[string]string{}}
	for _, kind := range []string{"commentAuthors", "authors"} {
		if err := d.readAuthors(byKind(rels, kind)); err != nil {
			return err
		}
	}
	var slides []string
	err = a.XML(name, func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			if element == "sldId" {
				if r, ok := rels[x.AttrIn("r", "id")]; ok && r.kind == "slide" && len(slides) <= mostPages {
					slides = append(slides, r.target)
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	doc.note("slides", strconv.Itoa(len(slides)))
	doc.findPictures(a, "ppt/media/")
	if len(slides) > mostPages {
		slides = slides[:mostPages]
		doc.note("truncated", "true")
		doc.warning = fmt.Sprintf("only the first %d slides were read", mostPages)
	}
	for i, s := range slides {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.readSlide(i+1, s); unpack.Forgive(err) != nil {
			return err
		} else if err != nil {
			doc.warning = fmt.Sprintf("slide %d is damaged: %v", i+1, err)
		}
	}
	return nil
}

func (d *deck) readAuthors(name string) error {
	if name == "" {
		return nil
	}
	return unpack.Forgive(d.a.XML(name, func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			if (element == "cmAuthor" || element == "author") && len(d.authors) < mostNamed {
				d.authors[x.Attr("id")] = x.Attr("name")
			}
			return nil
		})
	}))
}

// slide is what stands on one.
type slide struct {
	title  string
	hidden bool
	blocks []page.Block
	notes  []page.Block // of the speaker
}

// readSlide writes a slide, its notes and comments.
func (d *deck) readSlide(n int, name string) error {
	rels, err := relations(d.a, name)
	if err != nil {
		return err
	}
	var s slide
	readErr := d.a.XML(name, func(x *unpack.XML) error { return d.readShapes(x, rels, &s) })
	if unpack.Forgive(readErr) != nil {
		return readErr
	}
	d.doc.addSlide(n, s)
	if notes := byKind(rels, "notesSlide"); notes != "" {
		if err := d.readNotes(notes); unpack.Forgive(err) != nil {
			return err
		}
	}
	for _, r := range rels {
		if r.kind == "comments" {
			if err := unpack.Forgive(d.readComments(r.target)); err != nil {
				return err
			}
		}
	}
	return readErr
}

// addSlide writes a slide below a heading of its own. Where no placeholder says what its title is, a single line at its top
// does.
func (d *document) addSlide(n int, s slide) {
	d.At(page.Mark{Page: n, Place: "slide " + strconv.Itoa(n)})
	if b := s.blocks; s.title == "" && len(b) > 1 && b[0].Shape == page.Paragraph && len(b[0].Text) <= 100 && !strings.Contains(b[0].Text, "\n") {
		s.title, s.blocks = b[0].Text, b[1:]
	}
	title := s.title
	if title == "" {
		title = "Slide " + strconv.Itoa(n)
	} else if n == 1 {
		d.Call(title)
	}
	if s.hidden {
		title += " (hidden slide)"
	}
	d.Add(page.Block{Shape: page.Heading, Level: 2, Text: title})
	for _, b := range s.blocks {
		d.Add(b)
	}
}

// addNotes writes what a speaker wanted to say.
func (d *document) addNotes(blocks []page.Block) {
	var lines []string
	for _, b := range blocks {
		if s := page.Flat([]page.Block{b}); s != "" {
			lines = append(lines, s)
		}
	}
	if len(lines) > 0 {
		d.Add(page.Block{Shape: page.Quote, Text: "Speaker notes: " + strings.Join(lines, "\n")})
	}
}

// readNotes reads what the speaker wanted to say.
func (d *deck) readNotes(name string) error {
	rels, err := relations(d.a, name)
	if err != nil {
		return err
	}
	var s slide
	if err := d.a.XML(name, func(x *unpack.XML) error { return d.readShapes(x, rels, &s) }); err != nil {
		return err
	}
	d.doc.addNotes(s.blocks)
	return nil
}

// readComments writes the comments on a slide, of the old form and the threaded one.
func (d *deck) readComments(name string) error {
	who, when := "", ""
	return d.a.XML(name, func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			switch element {
			case "cm", "reply":
				who, when = d.authors[x.Attr("authorId")], day(firstOf(x.Attr("dt"), x.Attr("created")))
			case "text":
				s, err := x.Content()
				if err == nil && s != "" {
					d.doc.Add(page.Remark{Text: s, Who: who, When: when}.Block("Comment"))
				}
				return err
			case "txBody":
				ps, err := readParagraphs(x, nil)
				if len(ps) > 0 {
					d.doc.Add(page.Remark{Text: page.Flat(ps), Who: who, When: when}.Block("Comment"))
				}
				return err
			}
			return nil
		})
	})
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// shapeState is the shape that is being read.
type shapeState struct {
	holder string // what kind of placeholder it is; "-" for none
	alt    string
	pic    string
}

// readShapes reads the shapes of a slide. A placeholder for the title gives the title, and those for numbers, dates and
// footers nothing.
func (d *deck) readShapes(x *unpack.XML, rels map[string]relation, s *slide) error {
	st := shapeState{holder: "-"}
	for {
		e, err := x.Next()
		if err == io.EOF { //nolint:errorlint // next returns it bare
			return nil
		}
		if err != nil {
			return err
		}
		if e == unpack.Closes && x.Name == "pic" {
			if t := page.Picture(st.alt, st.pic); t != "" {
				s.blocks = append(s.blocks, page.Block{Text: t})
			}
		}
		if e != unpack.Opens {
			continue
		}
		switch x.Name {
		case "sld":
			s.hidden = x.Attr("show") == "0" || x.Attr("show") == "false"
		case "sp", "pic", "graphicFrame":
			st = shapeState{holder: "-"}
		case "Fallback":
			err = x.Skip()
		case "cNvPr":
			st.alt = x.Attr("descr")
		case "ph":
			if st.holder = x.Attr("type"); st.holder == "" {
				st.holder = "obj"
			}
		case "blip":
			st.pic = rels[x.Attr("embed")].target
		case "txBody":
			err = d.readBody(x, rels, st, s)
		case "tbl":
			err = d.readTable(x, rels, s)
		case "chart", "relIds":
			var blocks []page.Block
			blocks, err = readGraphic(d.a, rels, x)
			s.blocks = append(s.blocks, blocks...)
		}
		if err != nil {
			return err
		}
	}
}

// readBody reads the words of a shape. In a placeholder for content every paragraph is a bullet, unless it says that it is
// none.
func (d *deck) readBody(x *unpack.XML, rels map[string]relation, st shapeState, s *slide) error {
	blocks, err := readParagraphs(x, rels)
	if err != nil {
		return err
	}
	switch st.holder {
	case "sldNum", "dt", "ftr", "hdr":
		return nil
	case "title", "ctrTitle":
		s.title = strings.TrimSpace(s.title + " " + page.OneLine(page.Flat(blocks)))
		return nil
	}
	bullets := (st.holder == "obj" || st.holder == "body") && len(blocks) > 1
	for _, b := range blocks {
		if b.Label == "none" || b.Label == "" && !bullets {
			b.Shape, b.Label = page.Paragraph, ""
		} else {
			if b.Label == "" {
				b.Label = "-"
			}
			b = page.NewItem(b.Label, b.Text, b.Level)
		}
		s.blocks = append(s.blocks, b)
	}
	return nil
}

// readTable reads a table of DrawingML. Merged cells repeat their words downwards.
func (d *deck) readTable(x *unpack.XML, rels map[string]relation, s *slide) error {
	depth := x.Depth()
	var rows [][]string
	for x.Depth() >= depth {
		e, err := x.Next()
		if err != nil {
			return err
		}
		if e != unpack.Opens {
			continue
		}
		switch x.Name {
		case "tr":
			rows = append(rows, nil)
		case "tc":
			if len(rows) == 0 || len(rows[len(rows)-1]) >= page.MostColumns {
				continue
			}
			last := len(rows) - 1
			merged := x.Attr("vMerge") == "1" || x.Attr("vMerge") == "true"
			blocks, err := readParagraphs(x, rels)
			if err != nil {
				return err
			}
			words := page.Flat(blocks)
			if at := len(rows[last]); merged && last > 0 && at < len(rows[last-1]) {
				words = rows[last-1][at]
			}
			rows[last] = append(rows[last], words)
		}
	}
	s.blocks = append(s.blocks, page.Block{Shape: page.Table, Rows: rows})
	return nil
}

// readParagraphs reads the paragraphs of DrawingML inside the element that opened, and moves behind its end. The label of a
// block is "-" or a number where it says so itself, "none" where it says that it has none, and "" where it leaves that to its
// place.
func readParagraphs(x *unpack.XML, rels map[string]relation) ([]page.Block, error) {
	depth := x.Depth()
	var out []page.Block
	var p drawn
	counts := map[int]int{}
	for x.Depth() >= depth {
		e, err := x.Next()
		if err != nil {
			return nil, err
		}
		switch {
		case e == unpack.Words && x.Parent(1, e) == "t":
			p.WriteBytes(x.Text)
		case e == unpack.Opens:
			p.open(x, rels)
		case e == unpack.Closes && (x.Name == "r" || x.Name == "fld"):
			for range p.runs {
				p.CloseLink()
			}
			p.runs = 0
		case e == unpack.Closes && x.Name == "p":
			if b := p.block(counts); b.Text != "" {
				out = append(out, b)
			}
		}
	}
	return out, nil
}

// drawn is a paragraph of DrawingML.
type drawn struct {
	page.Para
	level  int
	label  string
	format string // of its number
	start  int
	runs   int // links that end with the run
}

// open looks at an element inside of a paragraph.
func (p *drawn) open(x *unpack.XML, rels map[string]relation) {
	switch x.Name {
	case "p":
		*p = drawn{}
	case "pPr":
		p.level = smallNumber(x.Attr("lvl"))
	case "br":
		p.Write("\n")
	case "tab":
		if x.Parent(1, unpack.Opens) != "tabLst" {
			p.Write("\t")
		}
	case "buNone":
		p.label = "none"
	case "buChar", "buBlip":
		p.label = "-"
	case "buAutoNum":
		p.label, p.format, p.start = "#", x.Attr("type"), max(smallNumber(x.Attr("startAt")), 1)
	case "hlinkClick":
		if r := rels[x.Attr("id")]; r.external && p.runs < 4 {
			p.OpenLink(r.target)
			p.runs++
		}
	}
}

// block ends the paragraph. counts are the numbers of the list that it may go on with, by level.
func (p *drawn) block(counts map[int]int) page.Block {
	s := page.Tidy(p.String())
	if s == "" {
		return page.Block{}
	}
	if p.label == "#" {
		counts[p.level] = max(counts[p.level]+1, p.start)
		p.label = autoNumber(counts[p.level], p.format)
	} else {
		delete(counts, p.level)
	}
	return page.Block{Text: s, Level: p.level, Label: p.label}
}

// autoNumber writes the n-th number of a scheme such as "arabicPeriod" or "alphaLcParenBoth".
func autoNumber(n int, scheme string) string {
	format := "decimal"
	for prefix, f := range map[string]string{"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"} {
		if strings.HasPrefix(scheme, prefix) {
			format = f
		}
	}
	s := page.Ordinal(n, format)
	switch {
	case strings.HasSuffix(scheme, "ParenBoth"):
		return "(" + s + ")"
	case strings.HasSuffix(scheme, "ParenR"):
		return s + ")"
	}
	return s + "."
}
