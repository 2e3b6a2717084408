package office

import (
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// readSheets reads the tables of a spreadsheet.
func (o *odf) readSheets(x *unpack.XML) error {
	depth := x.Depth()
	var names []string
	rows := 0
	for x.Depth() >= depth {
		e, err := x.Next()
		if err == io.EOF { //nolint:errorlint // next returns it bare
			break
		}
		if err != nil {
			return err
		}
		switch {
		case e != unpack.Opens:
		case x.Name == "table" && len(names) < mostSheets:
			name, hidden := x.Attr("name"), o.styles.styles[x.Attr("style-name")].hidden
			g := page.NewGrid(&o.doc.Page, name, hidden, nil)
			s := &sheetReader{o: o, g: g}
			err = s.read(x)
			g.End()
			for _, b := range s.after {
				g.Beside(b.place, b.block)
			}
			rows += g.Rows()
			if hidden {
				name += " (hidden)"
			}
			names = append(names, page.OneLine(name))
		case x.Name == "table", x.Name == "tracked-changes", x.Name == "content-validations", x.Name == "named-expressions",
			x.Name == "database-ranges", x.Name == "data-pilot-tables", x.Name == "dde-links":
			err = x.Skip()
		}
		if err != nil {
			return err
		}
		if o.doc.Full() {
			return nil
		}
	}
	o.doc.note("sheets", strings.Join(names, ", "))
	o.doc.note("rows", strconv.Itoa(rows))
	return nil
}

// sheetReader reads a sheet of OpenDocument, in which rows and cells say how often they repeat.
type sheetReader struct {
	o      *odf
	g      *page.Grid
	number int // of the last row
	row    page.Row
	column int // of the next cell
	after  []placed
}

// mostRepeated is how many bytes a cell may have that is written several times.
const mostRepeated = 300

// placed is a block that belongs to a cell.
type placed struct {
	place string
	block page.Block
}

// read reads the rows of the table that opened.
func (s *sheetReader) read(x *unpack.XML) error {
	depth := x.Depth()
	for x.Depth() >= depth {
		e, err := x.Next()
		if err != nil {
			return err
		}
		switch {
		case e == unpack.Opens && x.Name == "table-row":
			n := max(gridNumber(x.Attr("number-rows-repeated"), page.MostGridRows), 1)
			s.row = page.Row{Number: s.number + 1, Last: s.number + n}
			s.number += n
			s.column = 0
			if s.row.Number%256 == 0 && s.o.ctx.Err() != nil {
				return s.o.ctx.Err()
			}
		case e == unpack.Opens && (x.Name == "table-cell" || x.Name == "covered-table-cell"):
			err = s.readCell(x)
		case e == unpack.Opens && (x.Name == "shapes" || x.Name == "forms" || x.Name == "table-source" || x.Name == "scenario"):
			err = x.Skip()
		case e == unpack.Closes && x.Name == "table-row":
			if len(s.row.Cells) > 0 && s.row.Number <= page.MostGridRows {
				s.g.Add(s.row)
			}
		}
		if err != nil || s.o.doc.Full() {
			return err
		}
	}
	return nil
}

func gridNumber(s string, most int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return min(n, most)
}

// readCell reads the cell that opened, and its comment.
func (s *sheetReader) readCell(x *unpack.XML) error {
	repeat := max(gridNumber(x.Attr("number-columns-repeated"), page.MostGridColumns), 1)
	at := s.column
	s.column = min(s.column+repeat, page.MostGridColumns)
	v := cellValueOf(x)
	v.Column = at
	covered := x.Name == "covered-table-cell"
	down, across := gridNumber(x.Attr("number-rows-spanned"), page.MostGridRows), gridNumber(x.Attr("number-columns-spanned"), page.MostGridColumns)
	formula := x.Attr("formula")
	words, err := s.readWords(x, at)
	if err != nil {
		return err
	}
	if v.Text == "" {
		v.Text = words
	}
	if v.Text == "" && formula != "" {
		_, code, _ := strings.Cut(formula, "=")
		v.Text, v.Sort = "="+code, page.IsOther
	}
	if v.Text == "" || at >= page.MostGridColumns || covered {
		return nil
	}
	if down > 1 || across > 1 {
		s.g.Merge(page.Area{Top: s.row.Number, Left: at, Bottom: s.row.Number + max(down, 1) - 1, Right: at + max(across, 1) - 1})
	}
	if len(v.Text) > mostRepeated {
		repeat = 1
	}
	for i := range min(repeat, page.MostColumns, page.MostGridColumns-at) {
		v.Column = at + i
		s.row.Cells = append(s.row.Cells, v)
	}
	return nil
}

// readWords reads what a cell shows, and takes its comment down.
func (s *sheetReader) readWords(x *unpack.XML, column int) (string, error) {
	depth := x.Depth()
	var b strings.Builder
	for x.Depth() >= depth {
		e, err := x.Next()
		if err != nil {
			return "", err
		}
		switch {
		case e == unpack.Words && x.Inside("p"):
			b.Write(x.Text)
		case e == unpack.Opens && x.Name == "annotation":
			r, err := readAnnotation(x)
			if err != nil {
				return "", err
			}
			if place := page.ColumnName(column) + strconv.Itoa(s.row.Number); r.Text != "" && len(s.after) < unpack.MostEntries {
				s.after = append(s.after, placed{place, r.Block("Comment on " + place)})
			}
		case e == unpack.Opens && (x.Name == "s" || x.Name == "tab" || x.Name == "line-break"), e == unpack.Closes && x.Name == "p":
			b.WriteByte(' ')
		case e == unpack.Opens && (x.Name == "object" || x.Name == "image"):
			if err := x.Skip(); err != nil {
				return "", err
			}
		}
	}
	return page.OneLine(b.String()), nil
}

// readAnnotation reads a comment, and moves behind its end.
func readAnnotation(x *unpack.XML) (page.Remark, error) {
	depth := x.Depth()
	var r page.Remark
	var b strings.Builder
	for x.Depth() >= depth {
		e, err := x.Next()
		if err != nil {
			return r, err
		}
		switch {
		case e == unpack.Opens && x.Name == "creator":
			if r.Who, err = x.Content(); err != nil {
				return r, err
			}
		case e == unpack.Opens && x.Name == "date":
			s, err := x.Content()
			if err != nil {
				return r, err
			}
			r.When = day(s)
		case e == unpack.Words && x.Inside("p"):
			b.Write(x.Text)
		case e == unpack.Closes && x.Name == "p":
			b.WriteByte('\n')
		}
	}
	r.Text = page.Tidy(b.String())
	return r, nil
}

// cellValueOf reads the value of the cell that opened; without text where the words inside are the value.
func cellValueOf(x *unpack.XML) page.Value {
	raw := x.AttrIn("office", "value")
	switch x.AttrIn("office", "value-type") {
	case "float":
		return page.Value{Text: numeral(raw), Sort: page.IsNumber}
	case "percentage":
		s, kind := numberFormat{percent: true}.write(raw, false)
		return page.Value{Text: s, Sort: kind}
	case "currency":
		s, kind := numberFormat{after: page.OneLine(x.AttrIn("office", "currency"))}.write(raw, false)
		return page.Value{Text: s, Sort: kind}
	case "date":
		s := page.OneLine(x.AttrIn("office", "date-value"))
		s, _ = strings.CutSuffix(s, "T00:00:00")
		if day, clock, found := strings.Cut(s, "T"); found {
			clock, _, _ = strings.Cut(clock, ".")
			s = day + " " + strings.TrimSuffix(clock, ":00")
		}
		return page.Value{Text: s, Sort: page.IsDate}
	case "time":
		return page.Value{Text: periodOf(x.AttrIn("office", "time-value")), Sort: page.IsOther}
	case "boolean":
		return page.Value{Text: strings.ToUpper(page.OneLine(x.AttrIn("office", "boolean-value"))), Sort: page.IsOther}
	}
	return page.Value{}
}

var period = regexp.MustCompile(`^(-?)PT(?:(\d{1,7})H)?(?:(\d{1,7})M)?(?:(\d{1,7})(?:[.,](\d+))?S)?$`)

// periodOf writes a period such as PT26H05M00S as 26:05:00.
func periodOf(s string) string {
	m := period.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return page.OneLine(s)
	}
	n := func(i int) float64 {
		v, _ := strconv.ParseFloat("0"+m[i], 64) // digits only
		return v
	}
	total := n(2)*3600 + n(3)*60 + n(4)
	return m[1] + elapsed(math.Round(total)/86_400)
}
