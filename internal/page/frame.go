package page

import (
	"slices"
	"strings"
)

// Bounds of tables: a few bytes of a file can ask for many cells.
const (
	MostColumns  = 1000    // of a table of a text; more are dropped
	mostRepeated = 300     // bytes of a merged cell that are repeated
	mostRepeats  = 4 << 20 // bytes that are repeated in all tables of a frame
	mostPads     = 500_000 // empty cells that are added in them
)

// Frame gathers the blocks of a text, a text box or a note, and inside of it those of tables.
type Frame struct {
	Out    *Page // blocks go here as they come; nil: to Blocks
	Blocks []Block
	tables []*openTable

	repeated int // bytes of merged cells so far
	padded   int // cells
}

// openTable is a table that is open. Blocks inside a cell gather in the frame until the cell closes.
type openTable struct {
	rows   [][]string
	row    []string
	above  map[int]string // words of merged cells by column
	left   map[int]int    // rows that they still cover, where the file says how many
	span   int            // columns of the open cell
	merged Merge          // how it is merged
	inner  []Block        // of all cells
	beside []Block        // that stand in the table and in no cell: a caption
	inCell bool
	below  []Block // of the cell around the table
}

// Merge says how a cell of a table is merged with others in its column.
type Merge uint8

// Ways to merge.
const (
	Alone  Merge = iota
	Begins       // those below go on with it
	GoesOn       // with the one above
)

// Emit adds a block: to the cell, the box or the document.
func (f *Frame) Emit(b Block) {
	if b.Text == "" && b.Shape != Table {
		return
	}
	if f.Out == nil || len(f.tables) > 0 {
		f.Blocks = append(f.Blocks, b)
		return
	}
	f.Out.Add(b)
}

// InTable reports whether a table is open.
func (f *Frame) InTable() bool { return len(f.tables) > 0 }

func (f *Frame) table() *openTable {
	if len(f.tables) == 0 {
		return nil
	}
	return f.tables[len(f.tables)-1]
}

// OpenTable begins a table, inside of the open cell if there is one.
func (f *Frame) OpenTable() {
	f.tables = append(f.tables, &openTable{above: map[int]string{}, left: map[int]int{}, below: f.Blocks})
	f.Blocks = nil
}

// OpenRow begins a row behind a number of empty cells.
func (f *Frame) OpenRow() {
	if t := f.table(); t != nil {
		t.row = nil
	}
}

// Pad adds empty cells.
func (f *Frame) Pad(n int) {
	if t := f.table(); t != nil {
		n = max(0, min(n, MostColumns-len(t.row), mostPads-f.padded))
		f.padded += n
		t.row = append(t.row, make([]string, n)...)
	}
}

// OpenCell begins a cell.
func (f *Frame) OpenCell() {
	if t := f.table(); t != nil {
		f.stray(t)
		f.Blocks, t.span, t.merged, t.inCell = nil, 1, Alone, true
	}
}

// stray keeps the blocks that came outside of cells.
func (f *Frame) stray(t *openTable) {
	if !t.inCell {
		t.beside = append(t.beside, f.Blocks...)
	}
}

// Span says how many columns the open cell takes.
func (f *Frame) Span(n int) {
	if t := f.table(); t != nil {
		t.span = max(n, 1)
	}
}

// Merge says how the open cell is merged with those above and below.
func (f *Frame) Merge(m Merge) {
	if t := f.table(); t != nil {
		t.merged = m
	}
}

// Cover says that the open cell covers that many rows below its own, whose cells in this column are either not there (Covered)
// or empty (Covering).
func (f *Frame) Cover(rows int) {
	if t := f.table(); t != nil && rows > 0 {
		t.merged, t.left[len(t.row)] = Begins, rows
	}
}

// Covering says that the open cell is one that another covers, from above or from the left.
func (f *Frame) Covering() {
	if t := f.table(); t != nil && t.left[len(t.row)] > 0 {
		t.left[len(t.row)]--
		t.merged = GoesOn
	}
}

// Covered adds the cells that those above reach down into, as long as there are any in the next columns.
func (f *Frame) Covered() {
	t := f.table()
	for t != nil && t.left[len(t.row)] > 0 && len(t.row) < MostColumns {
		at := len(t.row)
		t.left[at]--
		t.row = append(t.row, f.repeat(t.above[at]))
	}
}

// repeat returns the words of a merged cell for one more of the rows that it covers.
func (f *Frame) repeat(s string) string {
	if f.repeated += len(s) + 1; f.repeated > mostRepeats || len(s) > mostRepeated {
		return ""
	}
	return s
}

// CloseCell ends a cell. One that goes on from the row above repeats its words, so that every row explains itself.
func (f *Frame) CloseCell() {
	t := f.table()
	if t == nil {
		return
	}
	t.inCell = false
	at, s := len(t.row), Flat(f.Blocks)
	t.inner = append(t.inner, f.Blocks...)
	f.Blocks = nil
	switch t.merged {
	case GoesOn:
		s += f.repeat(t.above[at])
	case Begins:
		t.above[at] = strings.ReplaceAll(s, Break, "")
	default:
		delete(t.above, at)
	}
	if at < MostColumns {
		t.row = append(t.row, s)
		f.Pad(t.span - 1)
	}
}

// CloseRow ends a row; one that was deleted is not kept.
func (f *Frame) CloseRow(deleted bool) {
	t := f.table()
	if t != nil && !deleted && len(t.row) > 0 {
		t.rows = append(t.rows, t.row)
	}
	if t != nil {
		t.row = nil
	}
}

// CloseTable ends a table. One of a single column is a frame around text, whose blocks go on as they are.
func (f *Frame) CloseTable() {
	t := f.table()
	if t == nil {
		return
	}
	f.stray(t)
	f.tables = f.tables[:len(f.tables)-1]
	f.Blocks = t.below
	for _, b := range t.beside {
		f.Emit(b)
	}
	if t.single() {
		for _, b := range t.inner {
			f.Emit(b)
		}
		return
	}
	f.Emit(Block{Shape: Table, Rows: t.rows})
}

// Close ends all tables, with what their last cells hold.
func (f *Frame) Close() {
	for len(f.tables) > 0 {
		if f.table().inCell {
			f.CloseCell()
		}
		f.CloseRow(false)
		f.CloseTable()
	}
}

func (t *openTable) single() bool {
	return !slices.ContainsFunc(t.rows, func(r []string) bool {
		return len(r) > 1 && slices.ContainsFunc(r[1:], func(c string) bool { return c != "" })
	})
}

// Flat makes one line of blocks, for a cell of a table.
func Flat(blocks []Block) string {
	var parts []string
	for _, b := range blocks {
		s := b.Text
		if b.Shape == Table {
			s = flatTable(b.Rows)
		}
		if b.Shape == Item && b.Label != "" && b.Label != "-" {
			s = b.Label + " " + s
		}
		if s != "" {
			parts = append(parts, strings.ReplaceAll(s, "\n", " "))
		}
	}
	return strings.Join(parts, " ")
}

func flatTable(table [][]string) string {
	var rows []string
	for _, r := range table {
		var cells []string
		for _, c := range r {
			if c != "" {
				cells = append(cells, c)
			}
		}
		if len(cells) > 0 {
			rows = append(rows, strings.Join(cells, ", "))
		}
	}
	return strings.Join(rows, "; ")
}

// Lines makes a line of each block.
func Lines(blocks []Block) []string {
	var out []string
	for _, b := range blocks {
		if s := Flat([]Block{b}); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// Para gathers the words of a paragraph.
type Para struct {
	After []Block // what follows it: notes, comments, text boxes
	words []byte
	links []openLink
}

// openLink is a link whose words are being read.
type openLink struct {
	from    int
	address string
}

// Write appends words.
func (p *Para) Write(s string) { p.words = append(p.words, s...) }

// WriteBytes appends words.
func (p *Para) WriteBytes(s []byte) { p.words = append(p.words, s...) }

// Len is how many bytes of words there are.
func (p *Para) Len() int { return len(p.words) }

// String returns the words.
func (p *Para) String() string { return string(p.words) }

// OpenLink begins a link with the next words; address "" for one that leads nowhere.
func (p *Para) OpenLink(address string) { p.links = append(p.links, openLink{len(p.words), address}) }

// CloseLink ends the innermost link.
func (p *Para) CloseLink() {
	if n := len(p.links); n > 0 {
		l := p.links[n-1]
		p.links = p.links[:n-1]
		p.Link(l.from, l.address)
	}
}

// Link puts a link around the words from an offset on.
func (p *Para) Link(from int, address string) {
	if address == "" || from > len(p.words) || strings.Contains(string(p.words[from:]), "](") {
		return
	}
	words := string(p.words[from:])
	lead := words[:len(words)-len(strings.TrimLeft(words, " "))]
	tail := words[len(strings.TrimRight(words, " ")):]
	if strings.TrimSpace(words) == "" {
		tail = ""
	}
	if strings.Contains(words, Break) {
		return
	}
	p.words = append(p.words[:from], lead+Link(OneLine(words), address)+tail...)
}
