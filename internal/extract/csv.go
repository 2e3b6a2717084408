package extract

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lukasa-memory/lukasa/internal/text"
)

// looksCSV says yes to unnamed text only when many rows agree and no cell is prose.
func looksCSV(src *Source) Look {
	delimiter, columns, agree, rows := sniffDelimiter(src.Text)
	switch {
	case delimiter == 0:
		if src.Declared == "csv" || src.Declared == "text/csv" || src.Extension == ".csv" {
			return Maybe // one column
		}
		return No
	case rows >= 3 && columns >= 3 && agree == rows && !strings.Contains(src.Text, ". ") && headerOf(firstRow(src.Text, delimiter)):
		return Yes
	}
	return Maybe
}

// sniffDelimiter finds the delimiter that gives most of the first rows the same
// number of columns; 0 when there is none.
func sniffDelimiter(s string) (delimiter rune, columns, agree, rows int) {
	sample := s[:min(len(s), 32<<10)]
	if len(sample) < len(s) {
		if i := strings.LastIndexByte(sample, '\n'); i > 0 {
			sample = sample[:i]
		}
		sample = strings.ToValidUTF8(sample, "")
	}
	best := 0
	for _, d := range []rune{'\t', ',', ';', '|'} {
		if strings.IndexByte(sample, byte(d)) < 0 {
			continue // one column
		}
		counts := map[int]int{}
		n := 0
		r := newReader(sample, d)
		for n < 50 {
			record, err := r.Read()
			if err != nil {
				break
			}
			counts[len(record)]++
			n++
		}
		for width, times := range counts {
			if width < 2 || times*5 < n*4 {
				continue
			}
			if score := times*100 + width; score > best {
				best, delimiter, columns, agree, rows = score, d, width, times, n
			}
		}
	}
	return delimiter, columns, agree, rows
}

func newReader(s string, delimiter rune) *csv.Reader {
	r := csv.NewReader(strings.NewReader(s))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = delimiter, -1, true, true
	return r
}

func firstRow(s string, delimiter rune) []string {
	record, _ := newReader(s[:min(len(s), 64<<10)], delimiter).Read()
	return record
}

// headerOf reports that a first row names columns: every cell short, none empty, no
// number, no two alike.
func headerOf(row []string) bool {
	seen := map[string]bool{}
	for _, cell := range row {
		cell = strings.TrimSpace(cell)
		r, _ := utf8.DecodeRuneInString(cell)
		if cell == "" || len(cell) > 64 || seen[strings.ToLower(cell)] || !unicode.IsLetter(r) && r != '_' && r != '#' && r != '%' {
			return false
		}
		seen[strings.ToLower(cell)] = true
	}
	return len(row) > 0
}

// extractCSV writes a table as one line a row, "column: value; …", so that each row
// explains itself wherever it is found. The first line lists the columns.
// Empty cells are left out; without a header columns are numbered.
func extractCSV(ctx context.Context, src *Source) (Output, error) {
	s := text.CleanAs(src.Text, text.Raw)
	delimiter, _, _, _ := sniffDelimiter(s)
	if delimiter == 0 {
		delimiter = ','
	}
	r := newReader(s, delimiter)
	var b strings.Builder
	var names []string
	rows := 0
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return Output{}, ctx.Err()
		}
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil { // LazyQuotes leaves next to nothing; what is left is text
			src.Warning = "not a well-formed table: " + err.Error()
			return extractText(ctx, src)
		}
		if n == 0 && headerOf(record) {
			for _, cell := range record {
				names = append(names, oneLine(cell, 64))
			}
			b.WriteString("columns: " + strings.Join(names, ", ") + "\n")
			continue
		}
		if writeRow(&b, names, record, b.Len() > 8*len(s)+4096) {
			rows++
		}
	}
	between := string(delimiter)
	if delimiter == '\t' {
		between = "tab" // blank, it would be nothing to see
	}
	out := Output{
		Text: strings.TrimSpace(b.String()), Type: TypeCSV, Title: path.Base(strings.ReplaceAll(src.Name, `\`, "/")),
		Metadata: map[string]string{"rows": strconv.Itoa(rows), "delimiter": between, "columns": strings.Join(names, ", ")},
	}
	if src.Name == "" {
		out.Title = titleOf(strings.TrimPrefix(out.Text, "columns: "))
	}
	out.Language = text.Undetermined
	return out, nil
}

// writeRow writes one record and reports whether it held anything. A table whose names
// would blow it up more than eightfold goes on bare.
func writeRow(b *strings.Builder, names, record []string, bare bool) bool {
	wrote := false
	for i, cell := range record {
		cell = strings.Join(strings.Fields(cell), " ")
		if cell == "" {
			continue
		}
		if wrote {
			b.WriteString("; ")
		}
		wrote = true
		switch {
		case bare:
		case i < len(names):
			b.WriteString(names[i] + ": ")
		default:
			b.WriteString("column " + strconv.Itoa(i+1) + ": ")
		}
		b.WriteString(cell)
	}
	if wrote {
		b.WriteByte('\n')
	}
	return wrote
}
