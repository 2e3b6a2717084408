package page

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a sheet.
const (
	MostGridColumns = 16_384
	MostGridRows    = 1_048_576
	MostMerges      = 20_000
	blockBytes      = 1000 // of rows that one place is named for: less than a chunk holds
	mostName        = 64   // characters of the name of a column
	mostSheetName   = 200  // bytes of the name of a sheet
	mostLine        = 1 << 20
)

// Sort is the sort of a value that a cell holds.
type Sort uint8

// Sorts.
const (
	IsText Sort = iota
	IsNumber
	IsDate
	IsOther // truth values, errors
)

// Value is a cell that holds something.
type Value struct {
	Column int // from 0
	Text   string
	Sort   Sort
}

// Row is a row that holds something.
type Row struct {
	Number int // from 1
	Last   int // number of the last of several rows that are alike
	Cells  []Value
}

// Area is a range of cells, both ends included; rows count from 1, columns from 0.
type Area struct{ Top, Left, Bottom, Right int }

// Grid writes the rows of a sheet so that each explains itself wherever it is found: "Name: Anna; City: Rome". A row of words
// above a table names its columns; without one, columns go by their letters. Rows that stand together and fit into one chunk
// share a mark that names their cells.
type Grid struct {
	page   *Page
	name   string // of the sheet
	hidden bool
	merges []Area // by their first row
	merged int
	spans  map[int][]Area // those that span columns, by their first row

	held    *Row // the last row, which waits for the one behind it
	names   map[int]string
	extent  Area // columns of the row of names
	second  bool // a second row of names follows
	seeking bool // the next row may name columns
	fill    []filling
	labels  int // bytes of names written
	values  int // bytes of values written
	rows    int // with values

	begun bool // the heading is written
	block []Block
	size  int
	area  Area
}

// filling is a cell that is merged with those below it.
type filling struct {
	Area
	Value
}

// NewGrid begins a sheet.
func NewGrid(p *Page, name string, hidden bool, merges []Area) *Grid {
	slices.SortStableFunc(merges, func(a, b Area) int { return a.Top - b.Top })
	name = OneLine(name)
	g := &Grid{page: p, name: name[:Bound(name, mostSheetName)], hidden: hidden, spans: map[int][]Area{}, seeking: true}
	for _, m := range merges {
		g.Merge(m)
	}
	return g
}

// Merge says that cells are merged, before the first of their rows is added. Past MostMerges they are passed over.
func (g *Grid) Merge(m Area) {
	if g.merged++; g.merged > MostMerges {
		return
	}
	g.merges = append(g.merges, m)
	if m.Right > m.Left {
		g.spans[m.Top] = append(g.spans[m.Top], m)
	}
}

// Rows is how many rows with values were written.
func (g *Grid) Rows() int { return g.rows }

// Add takes the next row. Rows ascend; those without values are left out.
func (g *Grid) Add(r Row) {
	if r.Last < r.Number {
		r.Last = r.Number
	}
	r.Cells = g.fillDown(r)
	if g.held != nil {
		g.settle(*g.held, &r)
	}
	g.held = &r
}

// End writes what is left.
func (g *Grid) End() {
	if g.held != nil {
		g.settle(*g.held, nil)
		g.held = nil
	}
	g.flush()
}

// fillDown repeats the words of a merged cell in the rows that it covers.
func (g *Grid) fillDown(r Row) []Value {
	g.fill = slices.DeleteFunc(g.fill, func(f filling) bool { return f.Bottom < r.Number })
	for _, f := range g.fill {
		at, taken := slices.BinarySearchFunc(r.Cells, f.Column, func(v Value, c int) int { return v.Column - c })
		if !taken {
			r.Cells = slices.Insert(r.Cells, at, f.Value)
		}
	}
	for len(g.merges) > 0 && g.merges[0].Top <= r.Number {
		m := g.merges[0]
		g.merges = g.merges[1:]
		if m.Bottom == m.Top || m.Top < r.Number || len(g.fill) > MostColumns {
			continue
		}
		at, found := slices.BinarySearchFunc(r.Cells, m.Left, func(v Value, c int) int { return v.Column - c })
		if found && len(r.Cells[at].Text) <= mostRepeated {
			g.fill = append(g.fill, filling{m, r.Cells[at]})
		}
	}
	return r.Cells
}

// settle decides what a row is, knowing the next one, and writes it.
func (g *Grid) settle(r Row, next *Row) {
	if len(r.Cells) == 0 {
		return
	}
	follows := next != nil && next.Number == r.Last+1 && len(next.Cells) > 0
	switch {
	case g.seeking && g.isCaption(r, next, follows):
		g.put(r, Block{Text: r.Cells[0].Text})
	case g.seeking && follows && g.isHeader(r, *next):
		g.nameColumns(r, g.spans[r.Number] != nil && !g.second && namesColumns(*next))
		return
	default:
		if g.seeking && extentOf(r) != g.extent {
			g.names = nil
		}
		g.seeking, g.second = false, false
		g.put(r, Block{Shape: Item, Label: "-", Text: g.line(r)})
		g.rows += r.Last - r.Number + 1
	}
	if !follows {
		g.flush()
		g.seeking = true
	}
}

// isCaption reports words in a single cell above a table, or among lines of such words.
func (g *Grid) isCaption(r Row, next *Row, follows bool) bool {
	if len(r.Cells) != 1 || r.Cells[0].Sort != IsText || r.Last > r.Number {
		return false
	}
	if n := len(g.block); !follows {
		return n > 0 && g.block[n-1].Shape == Paragraph
	}
	return len(g.names) == 0 || len(next.Cells) > 1
}

func extentOf(r Row) Area {
	return Area{Left: r.Cells[0].Column, Right: r.Cells[len(r.Cells)-1].Column}
}

// isHeader reports that a row names the columns of those below: short words, no two alike. Years and dates may stand among
// them. Behind a gap, a row that fits the names that are known is taken for more of the same table, unless the one below it
// tells otherwise.
func (g *Grid) isHeader(r, next Row) bool {
	if len(r.Cells) < 2 || len(r.Cells)*2 < len(next.Cells) && g.spans[r.Number] == nil || !namesColumns(r) {
		return false
	}
	return len(g.names) == 0 || g.second || extentOf(r) != g.extent || !namesColumns(next)
}

func namesColumns(r Row) bool {
	seen, words := map[string]bool{}, 0
	for _, c := range r.Cells {
		key := strings.ToLower(c.Text)
		if seen[key] || utf8.RuneCountInString(c.Text) > mostName {
			return false
		}
		seen[key] = true
		first, _ := utf8.DecodeRuneInString(c.Text)
		switch {
		case c.Sort == IsText && (unicode.IsLetter(first) || strings.ContainsRune("_#%№(", first)):
			words++
		case c.Sort == IsDate:
		case c.Sort == IsNumber || c.Sort == IsText:
			if n, err := strconv.Atoi(c.Text); err != nil || n < 1900 || n > 2100 {
				return false
			}
		default:
			return false
		}
	}
	return words > 0 || len(r.Cells) > 1 && r.Cells[0].Column > 0
}

// nameColumns takes a row as the names of columns. The upper of two rows of names holds cells that span several columns.
func (g *Grid) nameColumns(r Row, upper bool) {
	if !slices.ContainsFunc(g.block, func(b Block) bool { return b.Shape != Item }) {
		g.flush()
	}
	names := map[int]string{}
	if g.second {
		names = g.names
	}
	for _, c := range r.Cells {
		name := c.Text
		if above := names[c.Column]; above != "" && above != name {
			name = above + " " + name
		}
		names[c.Column] = name
	}
	if upper {
		for _, m := range g.spans[r.Number] {
			for c := m.Left + 1; c <= min(m.Right, m.Left+MostColumns); c++ {
				names[c] = names[m.Left]
			}
		}
	}
	g.names, g.extent, g.second, g.seeking = names, extentOf(r), upper, upper
	if upper {
		g.put(r, Block{})
		return
	}
	var list []string
	for _, c := range r.Cells {
		list = append(list, names[c.Column])
	}
	g.put(r, Block{Text: "Columns: " + strings.Join(list, ", ")})
}

// line writes the values of a row. A table whose names would blow it up eightfold goes on without them.
func (g *Grid) line(r Row) string {
	var b strings.Builder
	pair := len(g.names) == 0 && len(r.Cells) == 2 && r.Cells[0].Sort == IsText && utf8.RuneCountInString(r.Cells[0].Text) <= mostName
	for i, c := range r.Cells {
		name := g.names[c.Column]
		if name == "" && (len(r.Cells) > 1 || len(g.names) > 0) {
			name = ColumnName(c.Column)
		}
		switch {
		case pair && i == 1:
			b.WriteString(": ")
		case i > 0:
			b.WriteString("; ")
		}
		if name != "" && !pair && g.labels < 8*g.values+4096 {
			b.WriteString(name + ": ")
			g.labels += len(name) + 2
		}
		b.WriteString(c.Text)
		g.values += len(c.Text) + 2
		if b.Len() > mostLine {
			break
		}
	}
	if n := r.Last - r.Number + 1; n > 1 {
		b.WriteString(" (" + strconv.Itoa(n) + " rows alike)")
	}
	return b.String()
}

// put adds a block to those that share a mark.
func (g *Grid) put(r Row, b Block) {
	ext := extentOf(r)
	ext.Top, ext.Bottom = r.Number, r.Last
	if g.size > 0 && g.size+len(b.Text) > blockBytes {
		g.flush()
	}
	if g.size == 0 {
		g.area = ext
	}
	g.area.Left, g.area.Right = min(g.area.Left, ext.Left), max(g.area.Right, ext.Right)
	g.area.Bottom = max(g.area.Bottom, ext.Bottom)
	g.size += len(b.Text) + 1
	g.block = append(g.block, b)
}

// flush writes the blocks that share a mark.
func (g *Grid) flush() {
	if g.size == 0 {
		return
	}
	g.page.At(Mark{Place: placeOf(g.name, g.area)})
	g.head()
	for _, b := range g.block {
		g.page.Add(b)
	}
	g.block, g.size = g.block[:0], 0
}

// head writes the heading of the sheet, once.
func (g *Grid) head() {
	if g.begun {
		return
	}
	g.begun = true
	name := g.name
	if g.hidden {
		name += " (hidden sheet)"
	}
	g.page.Add(Block{Shape: Heading, Level: 2, Text: name})
}

// Beside writes what lies on the sheet and is no row: a comment, a text box.
func (g *Grid) Beside(place string, b Block) {
	if strings.TrimSpace(b.Text) == "" && b.Shape != Table {
		return
	}
	if place != "" {
		g.page.At(Mark{Place: SheetName(g.name) + "!" + place})
	} else if !g.begun {
		g.page.At(Mark{Place: SheetName(g.name)})
	}
	g.head()
	g.page.Add(b)
}

// placeOf names cells as spreadsheets do: Sheet1!A2:F9.
func placeOf(sheet string, a Area) string {
	from := ColumnName(a.Left) + strconv.Itoa(a.Top)
	to := ColumnName(a.Right) + strconv.Itoa(a.Bottom)
	if from == to {
		return SheetName(sheet) + "!" + from
	}
	return SheetName(sheet) + "!" + from + ":" + to
}

// SheetName puts quotes around names that need them in a reference.
func SheetName(s string) string {
	plain := !strings.ContainsFunc(s, func(r rune) bool { return r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if plain && s != "" && !unicode.IsDigit([]rune(s)[0]) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// ColumnName writes A for 0, Z for 25, AA for 26.
func ColumnName(n int) string {
	var out []byte
	for n++; n > 0; n = (n - 1) / 26 {
		out = append(out, byte('A'+(n-1)%26))
	}
	slices.Reverse(out)
	return string(out)
}

// CellOf reads A1; ok is false for what is no cell of a sheet.
func CellOf(ref string) (column, number int, ok bool) {
	i := 0
	for i < len(ref) && i < 4 && (ref[i]|0x20) >= 'a' && (ref[i]|0x20) <= 'z' {
		column = column*26 + int(ref[i]|0x20-'a') + 1
		i++
	}
	number, err := strconv.Atoi(ref[i:])
	if i == 0 || err != nil || number < 1 || number > MostGridRows || column > MostGridColumns {
		return 0, 0, false
	}
	return column - 1, number, true
}

// AreaOf reads A1:B2.
func AreaOf(ref string) (Area, bool) {
	from, to, found := strings.Cut(ref, ":")
	if !found {
		to = from
	}
	left, top, ok := CellOf(from)
	right, bottom, okToo := CellOf(to)
	return Area{top, left, bottom, right}, ok && okToo && top <= bottom && left <= right
}
