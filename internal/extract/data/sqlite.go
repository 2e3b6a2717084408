package data

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Limits of what a database is written as.
const (
	mostTables    = 1000
	mostCellBytes = 32 << 10
	mostNameBytes = 64
	bareFactor    = 8  // times the file: beyond that the names of columns are left out,
	wholeFactor   = 12 // and beyond this the rest
)

func looksSQLite(src *extract.Source) extract.Look {
	if src.Media == "application/vnd.sqlite3" {
		return extract.Yes
	}
	return extract.No
}

// extractSQLite writes one section a table and one line a row.
func extractSQLite(ctx context.Context, src *extract.Source) (extract.Output, error) {
	damaged := &extract.Error{
		Reason: "the SQLite database is damaged", Hint: "run: sqlite3 FILE .recover > rescued.sql, and save what that writes", Err: errDamaged,
	}
	p, err := openPager(src.Data)
	if err != nil {
		return extract.Output{}, damaged
	}
	d := dump{pager: p, limit: len(src.Data)}
	tables, err := d.schema(ctx)
	if err != nil && (len(tables) == 0 || ctx.Err() != nil) {
		if ctx.Err() != nil {
			return extract.Output{}, ctx.Err()
		}
		return extract.Output{}, damaged
	}
	if len(tables) == 0 {
		hint := "nothing was saved in it yet"
		if p.wal {
			hint = "it is in write-ahead mode: run sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)' where its -wal file is, and save it again"
		}
		return extract.Output{}, &extract.Error{Reason: "the SQLite database holds no table", Hint: hint}
	}
	title := fileName(src, "SQLite database")
	d.w.block("# " + title)
	d.w.block(d.overview(tables))
	for _, t := range tables {
		if err := d.table(ctx, t); err != nil {
			return extract.Output{}, err
		}
	}
	out := extract.Output{
		Text: d.w.b.String(), Type: extract.TypeMarkdown, Title: title, Language: text.Undetermined, Marks: d.w.marks,
		Metadata: map[string]string{"tables": strconv.Itoa(len(tables)), "rows": strconv.Itoa(d.rows)},
	}
	var warnings []string
	if d.broken || err != nil {
		warnings = append(warnings, "the database is damaged; what could be read was kept")
	}
	if p.wal {
		out.Metadata["journal"] = "wal"
		warnings = append(warnings, "the database is in write-ahead mode: what its -wal file holds is not in it")
	}
	if d.full {
		out.Metadata["truncated"] = "true"
		warnings = append(warnings, "the database is too large to be written out; rows at its end were left out")
	}
	if len(warnings) > 0 {
		out.Metadata["warning"] = strings.Join(warnings, "; ")
	}
	return out, nil
}

// dump writes a database.
type dump struct {
	*pager
	w      writer
	limit  int // size of the file
	rows   int
	broken bool // damage was met
	full   bool // rows were left out
}

// shadows are the ends of the names of tables that full-text and spatial indexes keep for themselves. _content holds text.
var shadows = []string{"_data", "_idx", "_docsize", "_config", "_segments", "_segdir", "_stat", "_node", "_parent", "_rowid"}

// schema reads the tables that hold something of their own, in the order they were made.
func (d *dump) schema(ctx context.Context) ([]table, error) {
	var tables []table
	search := map[string][]string{} // virtual tables and their columns
	err := d.walk(ctx, 1, func(_ int64, record []byte) bool {
		v, err := readRecord(record)
		if err != nil || len(v) < 5 {
			d.broken = true
			return true
		}
		kind, name, sql, root := d.text(v[0].bytes), d.text(v[1].bytes), d.text(v[4].bytes), v[3].integer
		switch {
		case kind != "table" || strings.HasPrefix(name, "sqlite_"):
		case root == 0:
			search[name] = searchColumns(sql)
		case root > 0 && root < 1<<32 && len(tables) < mostTables:
			tables = append(tables, readTable(name, sql, uint32(root)))
		}
		return true
	})
	var out []table
	for _, t := range tables {
		if !shadow(&t, search) {
			out = append(out, t)
		}
	}
	if errors.Is(err, errDamaged) && len(out) > 0 {
		d.broken, err = true, nil
	}
	return out, err
}

// shadow reports a table that belongs to a virtual one. The content of a full-text index is shown as the table it is of.
func shadow(t *table, search map[string][]string) bool {
	for name, columns := range search {
		rest, found := strings.CutPrefix(t.name, name)
		if !found {
			continue
		}
		if rest == "_content" {
			t.name = name
			for i, c := range columns {
				if i+1 < len(t.columns) {
					t.columns[i+1].name = c
				}
			}
			return false
		}
		if slices.Contains(shadows, rest) {
			return true
		}
	}
	return false
}

// overview names the tables.
func (d *dump) overview(tables []table) string {
	var names []string
	for i, t := range tables {
		if i == 100 {
			names = append(names, "…")
			break
		}
		names = append(names, inline(t.name, mostNameBytes))
	}
	return "SQLite database with the tables " + strings.Join(names, ", ") + "."
}

// table writes one table.
func (d *dump) table(ctx context.Context, t table) error {
	name := inline(t.name, mostNameBytes)
	var columns []string
	for i := range t.columns {
		t.columns[i].name = inline(t.columns[i].name, mostNameBytes)
		columns = append(columns, strings.TrimSpace(t.columns[i].name+" "+strings.ToLower(inline(t.columns[i].kind, mostNameBytes))))
	}
	d.w.mark(d.w.next(), "table "+name)
	d.w.block("## " + name)
	if len(columns) > 0 {
		d.w.block("Columns: " + inline(strings.Join(columns, ", "), 4<<10))
	}
	place := span{w: &d.w, prefix: "table " + name + ", row"}
	count := int64(0)
	err := d.walk(ctx, t.root, func(rowid int64, record []byte) bool {
		if count++; t.rowless {
			rowid = count
		}
		if d.w.b.Len() > wholeFactor*d.limit+64<<10 {
			d.full = true
			return false
		}
		values, err := readRecord(record)
		if err != nil {
			d.broken = true
		}
		line := d.row(t, rowid, values)
		if line == "" {
			return true
		}
		d.rows++
		place.row(rowid, count == 1)
		d.w.item(line, count == 1)
		return true
	})
	if count == 0 && err == nil {
		d.w.block("(no rows)")
	}
	if errors.Is(err, errDamaged) {
		d.broken, err = true, nil
	}
	return err
}

// row writes a row as "column: value; …". Empty values are left out.
func (d *dump) row(t table, rowid int64, values []value) string {
	bare := d.w.b.Len() > bareFactor*d.limit+32<<10
	var b strings.Builder
	for i, v := range values {
		if i == t.alias && v.kind == isNull {
			v = value{kind: isInteger, integer: rowid}
		}
		cell := d.cellText(v)
		if cell == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		switch {
		case bare:
		case i < len(t.columns):
			b.WriteString(t.columns[i].name + ": ")
		default:
			b.WriteString("column " + strconv.Itoa(i+1) + ": ")
		}
		b.WriteString(cell)
	}
	return b.String()
}

// cellText writes a value; of a blob only its size.
func (d *dump) cellText(v value) string {
	switch v.kind {
	case isInteger:
		return strconv.FormatInt(v.integer, 10)
	case isReal:
		return strconv.FormatFloat(v.real, 'g', -1, 64)
	case isText:
		return inline(d.text(v.bytes[:min(len(v.bytes), 2*mostCellBytes)]), mostCellBytes)
	case isBlob:
		if len(v.bytes) > 0 {
			return fmt.Sprintf("(%d bytes)", len(v.bytes))
		}
	}
	return ""
}

// span marks stretches of rows: "table people, rows 12 to 40".
type span struct {
	w      *writer
	prefix string
	from   int64
	start  int
	open   bool
}

// row says that the row n is written next; first: it is the first, behind a blank line.
func (s *span) row(n int64, first bool) {
	at := s.w.b.Len() + 1
	if first {
		at = s.w.next()
	}
	if s.open && at-s.start < stretch {
		s.w.marks[len(s.w.marks)-1].Place = fmt.Sprintf("%ss %d to %d", s.prefix, s.from, n)
		return
	}
	s.w.mark(at, fmt.Sprintf("%s %d", s.prefix, n))
	s.from, s.start, s.open = n, at, true
}
