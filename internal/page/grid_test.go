package page_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/page"
)

// fill adds rows to a grid: one a line, cells by "|"; "-" leaves a cell out, "=1" is a number, "@d" a date, and an empty line a row.
func fill(g *page.Grid, rows string) {
	for i, line := range strings.Split(rows, "\n") {
		r := page.Row{Number: i + 1}
		for c, s := range strings.Split(line, "|") {
			v := page.Value{Column: c, Text: s}
			switch {
			case s == "-" || s == "":
				continue
			case s[0] == '=':
				v.Text, v.Sort = s[1:], page.IsNumber
			case s[0] == '@':
				v.Text, v.Sort = s[1:], page.IsDate
			}
			r.Cells = append(r.Cells, v)
		}
		if len(r.Cells) > 0 {
			g.Add(r)
		}
	}
	g.End()
}

func TestGrids(t *testing.T) { // H-3
	t.Parallel()
	for name, row := range map[string]struct {
		rows, want string
		merges     []string
	}{
		"names above rows": {"Name|City\nAnna|Rome\nBo|-", "[0S!A1:B3]## S\n\nColumns: Name, City\n\n- Name: Anna; City: Rome\n- Name: Bo", nil},
		"no names":         {"=1|=2\n=3|=4", "[0S!A1:B2]## S\n\n- A: 1; B: 2\n- A: 3; B: 4", nil},
		"pairs":            {"Rent|=5\nFood|=6", "[0S!A1:B2]## S\n\n- Rent: 5\n- Food: 6", nil},
		"caption and gap": {
			"Fleet\nName|Tons\nA|=1\n\nTotal|=9\n\nCrew|Pay\nC|=3",
			"[0S!A1:B3]## S\n\nFleet\n\nColumns: Name, Tons\n\n- Name: A; Tons: 1\n[0S!A5:B5]- Name: Total; Tons: 9\n\n[0S!A7:B8]Columns: Crew, Pay\n\n- Crew: C; Pay: 3",
			nil,
		},
		"years as names": {"Port|=2020|=2021\nOslo|=1|=2", "[0S!A1:C2]## S\n\nColumns: Port, 2020, 2021\n\n- Port: Oslo; 2020: 1; 2021: 2", nil},
		"two rows of names": {
			"Port|Tons|-|Ships\n-|in|out|-\nOslo|=1|=2|=3",
			"[0S!A1:D3]## S\n\nColumns: Port, Tons in, Tons out, Ships\n\n- Port: Oslo; Tons in: 1; Tons out: 2; Ships: 3",
			[]string{"A1:A2", "B1:C1", "D1:D2"},
		},
		"merged downwards": {
			"Route|Day\nNorth|Mon\n-|=2\nSouth|Tue",
			"[0S!A1:B4]## S\n\nColumns: Route, Day\n\n- Route: North; Day: Mon\n- Route: North; Day: 2\n- Route: South; Day: Tue",
			[]string{"A2:A3"},
		},
		"lines of words":                {"One line.\nAnother.\nThe last.", "[0S!A1:A3]## S\n\nOne line.\n\nAnother.\n\nThe last.", nil},
		"a single cell":                 {"-|-|far", "[0S!C1]## S\n\n- far", nil},
		"same names twice are no names": {"a|a\nb|c", "[0S!A1:B2]## S\n\n- a: a\n- b: c", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p page.Page
			var merges []page.Area
			for _, m := range row.merges {
				a, ok := page.AreaOf(m)
				if !ok {
					t.Fatal(m)
				}
				merges = append(merges, a)
			}
			g := page.NewGrid(&p, "S", false, merges)
			fill(g, row.rows)
			if diff := cmp.Diff(row.want, show(&p)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGridNamesPlaces(t *testing.T) {
	t.Parallel()
	var p page.Page
	g := page.NewGrid(&p, "It's 1", true, nil)
	long := strings.Repeat("x", 600)
	g.Add(page.Row{Number: 7, Cells: []page.Value{{Column: 16383, Text: long}}})
	g.Add(page.Row{Number: 8, Last: 1_048_576, Cells: []page.Value{{Column: 1, Text: long}}})
	g.End()
	g.Beside("B8", page.Remark{Text: "why", Who: "Al", When: "2020-01-02"}.Block("Comment on B8"))
	want := "[0'It''s 1'!XFD7]## It's 1 (hidden sheet)\n\n" + long + "\n\n[0'It''s 1'!B8:B1048576]- " + long + " (1048569 rows alike)\n\n" +
		"[0'It''s 1'!B8]> Comment on B8 by Al (2020-01-02): why"
	if diff := cmp.Diff(want, show(&p)); diff != "" {
		t.Error(diff)
	}
	if g.Rows() != 1_048_569 {
		t.Errorf("%d rows", g.Rows())
	}
}

func TestNamesDoNotBlowUpATable(t *testing.T) {
	t.Parallel()
	var p page.Page
	g := page.NewGrid(&p, "S", false, nil)
	header, values := page.Row{Number: 1}, page.Row{}
	for c := range 2000 {
		header.Cells = append(header.Cells, page.Value{Column: c, Text: strings.Repeat("n", 50) + page.ColumnName(c)})
		values.Cells = append(values.Cells, page.Value{Column: c, Text: "1", Sort: page.IsNumber})
	}
	g.Add(header)
	for n := range 50 {
		values.Number = n + 2
		g.Add(values)
	}
	g.End()
	if s, _ := p.Finish(); len(s) > 50*2000*30 {
		t.Errorf("%d bytes of 100,000 cells", len(s))
	}
}

func TestCellsAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		column, number := rapid.IntRange(0, page.MostGridColumns-1).Draw(t, "column"), rapid.IntRange(1, page.MostGridRows).Draw(t, "row")
		a := page.Area{Top: number, Left: column, Bottom: number, Right: column}
		name := page.ColumnName(column) + fmtInt(number)
		if got, ok := page.AreaOf(name + ":" + name); !ok || got != a {
			t.Fatalf("%s: %v, %v", name, got, ok)
		}
	})
	for _, bad := range []string{"", "A", "1", "A0", "XFE1", "A1048577", "AAAA1", "A-1", "A1:B", "B1:A1", "A99999999999999999999"} {
		if a, ok := page.AreaOf(bad); ok {
			t.Errorf("%q: %v", bad, a)
		}
	}
}

func fmtInt(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return fmtInt(n/10) + fmtInt(n%10)
}
