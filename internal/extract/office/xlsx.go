package office

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// Bounds of a workbook.
const (
	mostSheets  = 1000
	mostStrings = 4_000_000 // shared by cells
	stringBytes = 96 << 20  // of these together
)

// workbook reads a SpreadsheetML file.
type workbook struct {
	a        *unpack.Archive
	doc      *document
	rels     map[string]relation
	strings  sharedStrings
	formats  []numberFormat // by the number of the style
	from1904 bool
	people   map[string]string // who wrote threaded comments, by id
	rows     int
}

// sharedStrings are the strings of a workbook, one behind the other.
type sharedStrings struct {
	data string
	ends []int
}

func (s *sharedStrings) at(i int) string {
	if i < 0 || i >= len(s.ends) {
		return ""
	}
	from := 0
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.data[from:s.ends[i]]
}

// sheet is a sheet of a workbook.
type sheet struct {
	name, part string
	hidden     bool
}

// readXlsx reads the sheets of an Excel workbook, in order.
func readXlsx(ctx context.Context, a *unpack.Archive, doc *document) error {
	if err := readProperties(a, doc); err != nil {
		return err
	}
	name, rels, err := mainPart(a, "xl/workbook.xml")
	if err != nil {
		return err
	}
	w := &workbook{a: a, doc: doc, rels: rels, people: map[string]string{}}
	sheets, err := w.readSheets(name)
	if err != nil {
		return err
	}
	for _, read := range []func() error{w.readStrings, w.readStyles, w.readPeople} {
		if err := read(); err != nil {
			return err
		}
	}
	doc.findPictures(a, "xl/media/")
	var names []string
	for _, s := range sheets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.hidden {
			names = append(names, page.OneLine(s.name)+" (hidden)")
		} else {
			names = append(names, page.OneLine(s.name))
		}
		if err := w.readSheet(ctx, s); unpack.Forgive(err) != nil {
			return err
		} else if err != nil {
			doc.warning = fmt.Sprintf("sheet %q is damaged: %v", s.name, err)
		}
		if doc.Full() {
			break
		}
	}
	doc.note("sheets", strings.Join(names, ", "))
	doc.note("rows", strconv.Itoa(w.rows))
	return nil
}

// readSheets lists the sheets of the workbook.
func (w *workbook) readSheets(name string) ([]sheet, error) {
	var out []sheet
	err := w.a.XML(name, func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			switch element {
			case "workbookPr":
				w.from1904 = isOn(x.Attr("date1904"))
			case "sheet":
				r := w.rels[x.AttrIn("r", "id")]
				if r.target == "" {
					r = w.rels[x.Attr("id")]
				}
				if len(out) < mostSheets && (r.kind == "worksheet" || r.kind == "chartsheet") {
					out = append(out, sheet{name: x.Attr("name"), part: r.target, hidden: x.Attr("state") == "hidden" || x.Attr("state") == "veryHidden"})
				}
			}
			return nil
		})
	})
	return out, err
}

func isOn(s string) bool { return s == "1" || s == "true" }

// readStrings reads the strings that cells share.
func (w *workbook) readStrings() error {
	name := byKind(w.rels, "sharedStrings")
	if name == "" {
		return nil
	}
	var all strings.Builder
	err := w.a.XML(name, func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			if element != "si" {
				return nil
			}
			s, err := richText(x)
			if all.Len()+len(s) > stringBytes || len(w.strings.ends) >= mostStrings {
				return unpack.Bomb(unpack.ErrBudget)
			}
			all.WriteString(s)
			w.strings.ends = append(w.strings.ends, all.Len())
			return err
		})
	})
	w.strings.data = all.String()
	return unpack.Forgive(err)
}

// richText reads the words of a string, without the phonetic aids beside them, and moves behind its end.
func richText(x *unpack.XML) (string, error) {
	var b strings.Builder
	depth := x.Depth()
	for x.Depth() >= depth {
		e, err := x.Next()
		if err != nil {
			return "", err
		}
		switch {
		case e == unpack.Opens && x.Name == "rPh":
			if err := x.Skip(); err != nil {
				return "", err
			}
		case e == unpack.Words && x.Parent(1, e) == "t":
			b.Write(x.Text)
		}
	}
	return page.OneLine(b.String()), nil
}

// readStyles reads what the numbers of the workbook mean.
func (w *workbook) readStyles() error {
	name := byKind(w.rels, "styles")
	if name == "" {
		return nil
	}
	custom := map[int]numberFormat{}
	cells := false
	return unpack.Forgive(w.a.XML(name, func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			switch element {
			case "numFmt":
				if id, err := strconv.Atoi(x.Attr("numFmtId")); err == nil && len(custom) < mostNamed {
					custom[id] = parseFormat(x.Attr("formatCode"))
				}
			case "cellXfs":
				cells = true
			case "cellStyleXfs", "cellStyles", "dxfs":
				cells = false
			case "xf":
				if !cells || len(w.formats) >= 1<<17 {
					return nil
				}
				id, err := strconv.Atoi(x.Attr("numFmtId"))
				f, known := custom[id]
				if err == nil && !known {
					f = builtinFormat(id)
				}
				w.formats = append(w.formats, f)
			}
			return nil
		})
	}))
}

// readPeople reads who wrote the threaded comments.
func (w *workbook) readPeople() error {
	name := byKind(w.rels, "person")
	if name == "" {
		return nil
	}
	return unpack.Forgive(w.a.XML(name, func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			if element == "person" && len(w.people) < mostNamed {
				w.people[x.Attr("id")] = x.Attr("displayName")
			}
			return nil
		})
	}))
}

// readSheet writes a sheet: its rows, then comments, then what is drawn on it.
func (w *workbook) readSheet(ctx context.Context, s sheet) error {
	merges, err := w.readMerges(s.part)
	if err != nil {
		return err
	}
	g := page.NewGrid(&w.doc.Page, s.name, s.hidden, merges)
	readErr := w.a.XML(s.part, func(x *unpack.XML) error { return w.readRows(ctx, x, g) })
	g.End()
	w.rows += g.Rows()
	if unpack.Forgive(readErr) != nil {
		return readErr
	}
	rels, err := relations(w.a, s.part)
	if err != nil {
		return err
	}
	threaded := byKind(rels, "threadedComment")
	if threaded != "" {
		err = w.readThreads(threaded, g)
	} else {
		err = w.readComments(byKind(rels, "comments"), g)
	}
	if err := unpack.Forgive(err); err != nil {
		return err
	}
	if drawing := byKind(rels, "drawing"); drawing != "" {
		if err := w.readDrawing(drawing, s.name, g); err != nil {
			return err
		}
	}
	return readErr
}

// readMerges finds the merged cells, which stand behind the rows that they concern. The sheet is not parsed for that, only
// looked through; it costs a tenth.
func (w *workbook) readMerges(part string) ([]page.Area, error) {
	r, err := w.a.Peek(part)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	const mark, value = "mergeCell ", `ref="`
	var out []page.Area
	buf, kept := make([]byte, 64<<10), 0
	for len(out) < page.MostMerges {
		n, err := io.ReadFull(r, buf[kept:])
		data := buf[:kept+n]
		for len(out) < page.MostMerges {
			i := bytes.Index(data, []byte(mark))
			if i < 0 || err == nil && len(data)-i < 256 {
				break
			}
			data = data[i+len(mark):]
			if j := bytes.Index(data[:min(len(data), 64)], []byte(value)); j >= 0 {
				ref := data[j+len(value):]
				if k := bytes.IndexByte(ref[:min(len(ref), 32)], '"'); k > 0 {
					if a, ok := page.AreaOf(string(ref[:k])); ok {
						out = append(out, a)
					}
				}
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		kept = copy(buf, data[max(0, len(data)-256):])
	}
	return out, nil
}

// openCell is the cell that is being read.
type openCell struct {
	column  int
	kind    string // its type: "s", "b", "str", …
	style   int
	text    strings.Builder
	formula string
}

// readRows reads the cells of a sheet that hold something, row by row.
func (w *workbook) readRows(ctx context.Context, x *unpack.XML, g *page.Grid) error {
	var r page.Row
	var c openCell
	last := 0 // row
	for {
		e, err := x.Next()
		if err == io.EOF { //nolint:errorlint // next returns it bare
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case e == unpack.Opens && x.Name == "row":
			number, convErr := strconv.Atoi(x.Attr("r"))
			if convErr != nil || number <= last || number > page.MostGridRows {
				number = last + 1
			}
			last = number
			r = page.Row{Number: number}
			c.column = -1
			if number%256 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
		case e == unpack.Opens && x.Name == "c":
			w.openCell(x, &c)
		case e == unpack.Opens && x.Name == "rPh":
			if err := x.Skip(); err != nil {
				return err
			}
		case e == unpack.Words:
			switch x.Parent(1, e) {
			case "v", "t":
				c.text.Write(x.Text)
			case "f":
				if len(c.formula) < 1000 {
					c.formula += string(x.Text)
				}
			}
		case e == unpack.Closes && x.Name == "c":
			w.closeCell(&r, &c)
		case e == unpack.Closes && x.Name == "row":
			if len(r.Cells) > 0 {
				g.Add(r)
			}
			if w.doc.Full() {
				return nil
			}
		case e == unpack.Closes && x.Name == "sheetData":
			return nil
		}
	}
}

func (w *workbook) openCell(x *unpack.XML, c *openCell) {
	next := c.column + 1
	if column, _, ok := page.CellOf(x.Attr("r")); ok && column >= next {
		next = column
	}
	*c = openCell{column: next, kind: x.Attr("t"), style: -1}
	if n, err := strconv.Atoi(x.Attr("s")); err == nil {
		c.style = n
	}
}

// closeCell adds a cell to its row, if it holds something. Of a formula the value that was worked out counts.
func (w *workbook) closeCell(r *page.Row, c *openCell) {
	raw := c.text.String()
	v := page.Value{Column: c.column, Text: raw}
	if c.column >= page.MostGridColumns {
		return
	}
	switch c.kind {
	case "s":
		n, err := strconv.Atoi(strings.TrimSpace(raw))
		if err != nil {
			return
		}
		v.Text = w.strings.at(n)
	case "b":
		v.Sort, v.Text = page.IsOther, strings.ToUpper(strconv.FormatBool(isOn(strings.TrimSpace(raw))))
	case "e":
		v.Sort, v.Text = page.IsOther, page.OneLine(raw)
	case "str", "inlineStr":
		v.Text = page.OneLine(raw)
	case "d":
		v.Sort, v.Text = page.IsDate, strings.TrimSuffix(page.OneLine(raw), "T00:00:00")
	default:
		if raw == "" {
			break
		}
		var f numberFormat
		if c.style >= 0 && c.style < len(w.formats) {
			f = w.formats[c.style]
		} else if c.style < 0 && len(w.formats) > 0 {
			f = w.formats[0]
		}
		v.Text, v.Sort = f.write(raw, w.from1904)
	}
	if raw == "" && c.formula != "" {
		v.Text, v.Sort = "="+page.OneLine(c.formula), page.IsOther
	}
	if v.Text != "" {
		r.Cells = append(r.Cells, v)
	}
}

// readComments writes the comments of a sheet.
func (w *workbook) readComments(name string, g *page.Grid) error {
	if name == "" {
		return nil
	}
	var authors []string
	return w.a.XML(name, func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			switch element {
			case "author":
				s, err := x.Content()
				if len(authors) < mostNamed {
					authors = append(authors, s)
				}
				return err
			case "comment":
				ref, who := x.Attr("ref"), ""
				if n, err := strconv.Atoi(x.Attr("authorId")); err == nil && n >= 0 && n < len(authors) {
					who = authors[n]
				}
				s, err := richText(x)
				s = strings.TrimSpace(strings.TrimPrefix(s, who+":"))
				w.comment(g, ref, page.Remark{Text: s, Who: who})
				return err
			}
			return nil
		})
	})
}

// readThreads writes comments of the newer form, which carry their dates and answers.
func (w *workbook) readThreads(name string, g *page.Grid) error {
	return w.a.XML(name, func(x *unpack.XML) error {
		return x.Each(func(element string) error {
			if element != "threadedComment" {
				return nil
			}
			ref, who, when := x.Attr("ref"), w.people[x.Attr("personId")], day(x.Attr("dT"))
			s, err := x.Content()
			w.comment(g, ref, page.Remark{Text: s, Who: who, When: when})
			return err
		})
	})
}

func (w *workbook) comment(g *page.Grid, ref string, r page.Remark) {
	if _, _, ok := page.CellOf(ref); ok && r.Text != "" && !w.doc.Full() {
		g.Beside(ref, r.Block("Comment on "+ref))
	}
}

// readDrawing writes text boxes, charts and what is said about pictures.
func (w *workbook) readDrawing(name, sheetName string, g *page.Grid) error {
	rels, err := relations(w.a, name)
	if err != nil {
		return err
	}
	d := &deck{a: w.a, doc: w.doc}
	var s slide
	err = w.a.XML(name, func(x *unpack.XML) error { return d.readShapes(x, rels, &s) })
	if len(s.blocks) > 0 {
		w.doc.At(page.Mark{Place: page.SheetName(sheetName)})
	}
	for _, b := range s.blocks {
		g.Beside("", b)
	}
	return unpack.Forgive(err)
}
