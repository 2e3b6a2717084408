package office_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
	"github.com/lukasa-memory/lukasa/internal/extract/office"
	"github.com/lukasa-memory/lukasa/internal/program"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// pack makes an archive of names and contents, in order.
func pack(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		f, err := w.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, parts[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// edit returns an archive with parts replaced, or added.
func edit(t testing.TB, data []byte, parts ...string) []byte {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range zr.File {
		if slices.Contains(parts, f.Name) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f.Name, string(content))
	}
	return pack(t, append(all, parts...)...)
}

const rels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`

// docx makes a Word document of the inside of its body.
func docx(t testing.TB, body string) []byte {
	t.Helper()
	return pack(t, "[Content_Types].xml", "<Types/>", "word/document.xml", `<w:document xmlns:w="w"><w:body>`+body+`</w:body></w:document>`)
}

// xlsx makes a workbook of the inside of its only sheet.
func xlsx(t testing.TB, sheet string) []byte {
	t.Helper()
	return pack(t, "[Content_Types].xml", "<Types/>",
		"_rels/.rels", rels+`<Relationship Id="a" Type="http://x/officeDocument" Target="/xl/workbook.xml"/></Relationships>`,
		"xl/_rels/workbook.xml.rels", rels+`<Relationship Id="s" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/workbook.xml", `<workbook><sheets><sheet name="S" r:id="s"/></sheets></workbook>`,
		"xl/worksheets/sheet1.xml", `<worksheet>`+sheet+`</worksheet>`)
}

// mustRead reads data and checks what holds for every output.
func mustRead(t *testing.T, data []byte) extract.Output {
	t.Helper()
	out, err := read(t.Context(), extract.Input{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	extracttest.Sound(t, out)
	return out
}

func TestKindsKnowTheirFiles(t *testing.T) { // D-9
	t.Parallel()
	for name, want := range map[string]string{
		"book.xlsx": "xlsx", "letter.docx": "docx", "talk.pptx": "pptx", "letter.odt": "odt", "book.ods": "ods", "talk.odp": "odp",
		"letter.doc": "old-office", "book.xls": "old-office", "locked.docx": "old-office",
	} {
		data := file(t, name)
		for _, k := range office.Kinds() {
			got := k.Looks(&extract.Source{Input: extract.Input{Data: data}, Media: "application/zip"})
			if (k.Name == want) != (got == extract.Yes) {
				t.Errorf("%s looks like %s: %v", name, k.Name, got)
			}
		}
	}
	others := map[string][]byte{
		"zip":       pack(t, "a.txt", "x"),
		"zip in":    pack(t, "word/document.xml", "x"),
		"epub":      pack(t, "mimetype", "application/epub+zip"),
		"container": pack(t, "META-INF/container.xml", "x", "[Content_Types].xml", "x"),
		"outlook":   []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600)),
		"text":      []byte("word/ xl/ ppt/"),
		"empty":     nil,
	}
	for name, data := range others {
		for _, k := range office.Kinds() {
			if got := k.Looks(&extract.Source{Input: extract.Input{Data: data}}); got == extract.Yes {
				t.Errorf("%s looks like %s", name, k.Name)
			}
		}
	}
	seen := map[string]string{}
	for _, k := range office.Kinds() {
		for _, s := range append(slices.Clone(k.Types), k.Extensions...) {
			if seen[s] != "" || s != strings.ToLower(s) {
				t.Errorf("%s stands for %s and %s", s, seen[s], k.Name)
			}
			seen[s] = k.Name
		}
	}
}

func TestNamesLie(t *testing.T) {
	t.Parallel()
	out, err := read(t.Context(), extract.Input{Data: file(t, "book.xlsx"), Name: "letter.docx", DeclaredType: "application/msword"})
	if err != nil || out.Metadata["format"] != "xlsx" || out.Metadata["warning"] == "" {
		t.Errorf("%v, %v", out.Metadata, err)
	}
	if _, err := read(t.Context(), extract.Input{Data: pack(t, "a.txt", "x"), Name: "a.docx"}); !errors.Is(err, extract.ErrUnsupported) {
		t.Errorf("a zip called docx: %v", err)
	}
}

func TestLockedFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"locked.docx", "locked.odt", "locked.doc", "locked.xls"} {
		_, err := read(t.Context(), extract.Input{Data: file(t, name)})
		var known *extract.Error
		if !errors.As(err, &known) || !strings.Contains(known.Reason, "is encrypted") || !strings.Contains(known.Hint, "password") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOldFilesWithoutLibreOffice(t *testing.T) {
	t.Parallel()
	missing := func(context.Context, program.Command) (program.Result, error) {
		return program.Result{}, fmt.Errorf("run: %w", program.ErrMissing)
	}
	nothing := func(context.Context, program.Command) (program.Result, error) { return program.Result{}, nil }
	for name, row := range map[string]struct {
		run    func(context.Context, program.Command) (program.Result, error)
		reason string
	}{
		"no programs":      {nil, "an old Word document"},
		"not installed":    {missing, "not installed"},
		"it makes nothing": {nothing, "made nothing"},
	} {
		_, err := read(t.Context(), extract.Input{Data: file(t, "letter.doc"), Help: extract.Help{Run: row.run}})
		var known *extract.Error
		if !errors.As(err, &known) || !strings.Contains(known.Reason, row.reason) || !strings.Contains(known.Hint, "save it as .docx") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOldFilesAreConverted(t *testing.T) {
	t.Parallel()
	run := func(_ context.Context, c program.Command) (program.Result, error) {
		if c.Name != "soffice" || !slices.Contains(c.Args, "--headless") || len(c.Files) != 1 || !bytes.Equal(c.Files["in.doc"], file(t, "letter.doc")) ||
			c.Args[len(c.Args)-1] != "in.doc" || !slices.Equal(c.Collect, []string{"in.docx"}) || c.Timeout <= 0 {
			t.Errorf("%+v", c.Args)
		}
		return program.Result{Files: map[string][]byte{"in.docx": file(t, "letter.docx")}}, nil
	}
	out, err := read(t.Context(), extract.Input{Data: file(t, "letter.doc"), Help: extract.Help{Run: run}})
	if err != nil || out.Metadata["format"] != "doc" || !strings.Contains(out.Metadata["read_by"], "LibreOffice") || !strings.Contains(out.Text, "It leaves at nine.") {
		t.Errorf("%v, %v", out.Metadata, err)
	}
}

func TestOldFilesByLibreOffice(t *testing.T) { // D-9
	t.Parallel()
	if !program.Has("soffice") {
		t.Skip("needs soffice: install LibreOffice")
	}
	for name, want := range map[string]string{"letter.doc": "| North | Mon \\| Tue | 4 |", "book.xls": "- Name: Aurora; Built: 1999-12-31;"} {
		out, err := read(t.Context(), extract.Input{Data: file(t, name), Help: extract.Help{Run: program.Run}})
		if err != nil || !strings.Contains(out.Text, want) {
			t.Errorf("%s: %v\n%s", name, err, out.Text)
		}
		extracttest.Sound(t, out)
	}
}

func TestWordDetails(t *testing.T) {
	t.Parallel()
	p := func(s string) string { return "<w:p>" + s + "</w:p>" }
	r := func(s string) string { return "<w:r>" + s + "</w:r>" }
	x := func(s string) string { return r("<w:t>" + s + "</w:t>") }
	for name, row := range map[string]struct{ body, want string }{
		"hidden words":           {p(x("a") + r(`<w:rPr><w:vanish/></w:rPr><w:t>no</w:t>`) + r(`<w:rPr><w:vanish w:val="0"/></w:rPr><w:t>b</w:t>`)), "ab"},
		"tabs of a paragraph":    {p(`<w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr>` + x("a") + r("<w:tab/>") + x("b")), "a b"},
		"deleted end":            {`<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr>` + x("one ") + `</w:p>` + p(x("two")), "one two"},
		"moved":                  {p(`<w:moveFrom>` + x("old") + `</w:moveFrom><w:moveTo>` + x("new") + `</w:moveTo>`), "new"},
		"fallback":               {p(r(`<mc:AlternateContent><mc:Choice><w:t>a</w:t></mc:Choice><mc:Fallback><w:t>b</w:t></mc:Fallback></mc:AlternateContent>`)), "a"},
		"outline":                {p(`<w:pPr><w:outlineLvl w:val="1"/></w:pPr>` + x("h")), "## h"},
		"link by field":          {p(r(`<w:fldChar w:fldCharType="begin"/>`) + r(`<w:instrText> HYPERLINK "https://a.example" </w:instrText>`) + r(`<w:fldChar w:fldCharType="separate"/>`) + x("here") + r(`<w:fldChar w:fldCharType="end"/>`) + x(" on")), "[here](https://a.example) on"},
		"numbers of fields":      {p(x("page ") + r(`<w:fldChar w:fldCharType="begin"/>`) + r(`<w:instrText>PAGE</w:instrText>`) + r(`<w:fldChar w:fldCharType="separate"/>`) + x("3") + r(`<w:fldChar w:fldCharType="end"/>`)), "page 3"},
		"signs":                  {p(r(`<w:sym w:char="2192"/><w:sym w:char="F0B7"/><w:noBreakHyphen/><w:t>x</w:t><w:br/><w:t>y</w:t>`)), "→-x\ny"},
		"deleted row":            {`<w:tbl><w:tr><w:tc>` + p(x("a")) + `</w:tc><w:tc>` + p(x("b")) + `</w:tc></w:tr><w:tr><w:trPr><w:del/></w:trPr><w:tc>` + p(x("c")) + `</w:tc><w:tc>` + p(x("d")) + `</w:tc></w:tr></w:tbl>`, "| a | b |\n| --- | --- |"},
		"table in a table":       {`<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc>` + p(x("a")) + `</w:tc><w:tc>` + p(x("b")) + `</w:tc></w:tr></w:tbl></w:tc><w:tc>` + p(x("c")) + `</w:tc></w:tr></w:tbl>`, "| a, b | c |\n| --- | --- |"},
		"formula":                {p(`<m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath>`), "E=mc"},
		"no such list":           {p(`<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="9"/></w:numPr></w:pPr>` + x("i")), "   - i"},
		"wild nesting of fields": {strings.Repeat(p(r(`<w:fldChar w:fldCharType="begin"/><w:fldChar w:fldCharType="end"/><w:fldChar w:fldCharType="end"/>`)), 3) + p(x("z")), "z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out := mustRead(t, docx(t, row.body)); out.Text != row.want {
				t.Errorf("%q, want %q", out.Text, row.want)
			}
		})
	}
}

func TestWordNumbersItsLists(t *testing.T) {
	t.Parallel()
	item := func(list, level int, s string) string {
		return fmt.Sprintf(`<w:p><w:pPr><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr></w:pPr><w:r><w:t>%s</w:t></w:r></w:p>`, level, list, s)
	}
	lvl := func(n int, format, text string) string {
		return fmt.Sprintf(`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/><w:lvlText w:val="%s"/></w:lvl>`, n, format, text)
	}
	data := edit(t, docx(t, item(1, 0, "one")+item(1, 1, "inner")+item(1, 1, "more")+item(1, 0, "two")+item(1, 1, "again")+item(2, 0, "new")+item(3, 0, "letter")+item(1, 0, "three")),
		"word/_rels/document.xml.rels", rels+`<Relationship Id="n" Type="x/numbering" Target="numbering.xml"/></Relationships>`,
		"word/numbering.xml", `<w:numbering><w:abstractNum w:abstractNumId="0">`+lvl(0, "decimal", "%1.")+lvl(1, "decimal", "%1.%2")+`</w:abstractNum>`+
			`<w:abstractNum w:abstractNumId="1">`+lvl(0, "lowerLetter", "(%1)")+`</w:abstractNum>`+
			`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`+
			`<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>`+
			`<w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num></w:numbering>`)
	want := "1. one\n   - 1.1 inner\n   - 1.2 more\n2. two\n   - 2.1 again\n7. new\n- (a) letter\n8. three"
	if out := mustRead(t, data); out.Text != want {
		t.Error(cmp.Diff(want, out.Text))
	}
}

func TestWordSectionsBeginPages(t *testing.T) { // H-3
	t.Parallel()
	section := func(kind string) string { return `<w:sectPr><w:type w:val="` + kind + `"/></w:sectPr>` }
	p := func(s, section string) string {
		return `<w:p><w:pPr>` + section + `</w:pPr><w:r><w:t>` + s + `</w:t></w:r></w:p>`
	}
	out := mustRead(t, docx(t, p("one", section("nextPage"))+p("two", section("nextPage"))+p("two still", section("continuous"))+p("three", "")+section("nextPage")))
	var got []string
	for _, m := range out.Marks {
		line, _, _ := strings.Cut(out.Text[m.Offset:], "\n")
		got = append(got, fmt.Sprintf("%d %s", m.Page, line))
	}
	if want := []string{"1 one", "2 two", "3 three"}; !cmp.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestPageNumbersThatCannotBeRightAreNoMarks(t *testing.T) {
	t.Parallel()
	body := `<w:p><w:r><w:t>one</w:t><w:br w:type="page"/><w:t>two</w:t></w:r></w:p>`
	if out := mustRead(t, docx(t, body)); len(out.Marks) != 2 {
		t.Errorf("%+v", out.Marks)
	}
	counted := edit(t, docx(t, body), "docProps/app.xml", "<Properties><Pages>9</Pages></Properties>")
	if out := mustRead(t, counted); len(out.Marks) != 0 {
		t.Errorf("2 of 9 pages: %+v", out.Marks)
	}
	odt := pack(t, "mimetype", "application/vnd.oasis.opendocument.text", "meta.xml", `<office:document-meta><office:meta><meta:document-statistic meta:page-count="3"/></office:meta></office:document-meta>`,
		"content.xml", `<office:document-content><office:body><office:text><text:p>one</text:p><text:p>two <text:soft-page-break/>goes on</text:p></office:text></office:body></office:document-content>`)
	if out := mustRead(t, odt); len(out.Marks) != 0 || out.Text != "one\n\ntwo goes on" {
		t.Errorf("2 of 3 pages: %+v", out.Marks)
	}
	right := edit(t, odt, "meta.xml", `<office:document-meta><office:meta><meta:document-statistic meta:page-count="2"/></office:meta></office:document-meta>`)
	if out := mustRead(t, right); len(out.Marks) != 2 || out.Marks[1].Page != 2 || out.Text[out.Marks[1].Offset:] != "goes on" {
		t.Errorf("2 pages: %+v", out.Marks)
	}
}

func TestScansAreHandedOn(t *testing.T) {
	t.Parallel()
	data := edit(t, docx(t, "<w:p/>"), "word/media/image1.png", "\x89PNG", "word/media/note.txt", "x")
	out := mustRead(t, data)
	if out.Text != "" || len(out.Parts) != 1 || out.Parts[0].Name != "image1.png" || string(out.Parts[0].Data) != "\x89PNG" {
		t.Errorf("%+v", out)
	}
	if _, err := read(t.Context(), extract.Input{Data: docx(t, "<w:p/>")}); !errors.Is(err, extract.ErrEmpty) {
		t.Errorf("nothing at all: %v", err)
	}
}

func TestWordShowsChartsAndDiagrams(t *testing.T) {
	t.Parallel()
	ser := func(name, a, b string) string {
		return `<c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>` + name + `</c:v></c:pt></c:strCache></c:strRef></c:tx>` +
			`<c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt><c:pt idx="1"><c:v>South</c:v></c:pt></c:strCache></c:strRef></c:cat>` +
			`<c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>` + a + `</c:v></c:pt><c:pt idx="1"><c:v>` + b + `</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>`
	}
	data := edit(t, docx(t, `<w:p><w:r><w:t>See:</w:t><w:drawing><c:chart r:id="c"/></w:drawing><w:drawing><dgm:relIds r:dm="d"/></w:drawing></w:r></w:p>`),
		"word/_rels/document.xml.rels", rels+`<Relationship Id="c" Type="x/chart" Target="charts/chart1.xml"/><Relationship Id="d" Type="x/diagramData" Target="diagrams/data1.xml"/></Relationships>`,
		"word/charts/chart1.xml", `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Tons</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea>`+ser("2023", "1", "2.50000000000001")+ser("2024", "3", "4")+`</c:plotArea></c:chart></c:chartSpace>`,
		"word/diagrams/data1.xml", `<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Do</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>`)
	want := "See:\n\nChart: Tons\n\n| | 2023 | 2024 |\n| --- | --- | --- |\n| North | 1 | 3 |\n| South | 2.50000000000001 | 4 |\n\n- Plan\n- Do"
	if out := mustRead(t, data); out.Text != want {
		t.Error(cmp.Diff(want, out.Text))
	}
}

func TestSheetDetails(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ sheet, want string }{
		"kinds of cells": {
			`<sheetData><row r="2"><c r="B2" t="b"><v>1</v></c><c r="C2" t="e"><v>#N/A</v></c><c r="D2" t="str"><f>A1</f><v>words</v></c><c r="E2" t="inlineStr"><is><r><t>rich </t></r><r><t>text</t></r><rPh><t>no</t></rPh></is></c>` +
				`<c r="F2"><f>SUM(A1:A2)</f></c><c r="G2"><v>0.30000000000000004</v></c><c r="H2" t="d"><v>2020-05-06T00:00:00</v></c><c r="I2" s="7"/></row></sheetData>`,
			"- B: TRUE; C: #N/A; D: words; E: rich text; F: =SUM(A1:A2); G: 0.3; H: 2020-05-06",
		},
		"no references": {`<sheetData><row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c></row><row><c><v>4</v></c></row></sheetData>`, "- A: 1; B: 2; C: 3\n- 4"},
		"references that lie": {
			`<sheetData><row r="5"><c r="XFE1"><v>1</v></c><c r="A5"><v>2</v></c><c r="?"><v>3</v></c></row><row r="2"><c><v>4</v></c></row><row r="99999999"><c><v>5</v></c></row></sheetData>`,
			"- A: 1; B: 2; C: 3\n- 4\n- 5",
		},
		"merged": {
			`<sheetData><row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row><row r="2"><c r="B2"><v>3</v></c></row></sheetData><mergeCells count="1"><mergeCell ref="A1:A2"/></mergeCells>`,
			"- A: 1; B: 2\n- A: 1; B: 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out := mustRead(t, xlsx(t, row.sheet)); out.Text != "## S\n\n"+row.want {
				t.Errorf("%q", out.Text)
			}
		})
	}
}

func TestSheetsOfExtremeShape(t *testing.T) {
	t.Parallel()
	var wide strings.Builder
	wide.WriteString(`<sheetData><row r="1">`)
	for range 16_400 {
		wide.WriteString(`<c><v>7</v></c>`)
	}
	wide.WriteString(`</row></sheetData>`)
	out := mustRead(t, xlsx(t, wide.String()))
	if len(out.Marks) != 1 || out.Marks[0].Place != "S!A1:XFD1" || strings.Count(out.Text, ";") != 16_383 {
		t.Errorf("%+v", out.Marks)
	}
	far := mustRead(t, xlsx(t, `<dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576"><v>9</v></c></row></sheetData>`))
	if far.Text != "## S\n\n- 9" || far.Marks[0].Place != "S!XFD1048576" {
		t.Errorf("%q %+v", far.Text, far.Marks)
	}
	ods := pack(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", `<office:document-content><office:body><office:spreadsheet><table:table table:name="S">`+
		`<table:table-row table:number-rows-repeated="1048576"><table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="16384"/></table:table-row>`+
		`<table:table-row table:number-rows-repeated="2000000000"><table:table-cell table:number-columns-repeated="99999999999999999999"/></table:table-row>`+
		`</table:table></office:spreadsheet></office:body></office:document-content>`)
	if out := mustRead(t, ods); len(out.Text) > 10_000 || out.Marks[0].Place != "S!A1:ALL1048576" {
		t.Errorf("%d bytes, %+v", len(out.Text), out.Marks)
	}
	if _, err := read(t.Context(), extract.Input{Data: xlsx(t, "<sheetData/>")}); !errors.Is(err, extract.ErrEmpty) {
		t.Errorf("an empty sheet: %v", err)
	}
	none := edit(t, xlsx(t, ""), "xl/workbook.xml", "<workbook/>")
	if _, err := read(t.Context(), extract.Input{Data: none}); !errors.Is(err, extract.ErrEmpty) {
		t.Errorf("no sheets: %v", err)
	}
}

func TestHostileFiles(t *testing.T) { // D-9
	t.Parallel()
	letter := file(t, "letter.docx")
	long := `<w:p><w:r><w:t>` + strings.Repeat("x", 9<<20) + `</w:t></w:r></w:p>`
	for name, row := range map[string]struct {
		data   []byte
		reason string
	}{
		"cut short":     {letter[:len(letter)/2], "damaged"},
		"laughs":        {edit(t, letter, "word/document.xml", `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><w:document>&b;</w:document>`), "unpacks to far more"},
		"outside":       {edit(t, letter, "word/document.xml", `<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><w:document>&a;</w:document>`), "unpacks to far more"},
		"nesting":       {docx(t, strings.Repeat("<w:p>", 100_000)), "unpacks to far more"},
		"bomb":          {docx(t, strings.Repeat(" ", 70<<20)), "unpacks to far more"},
		"one long word": {docx(t, long), "unpacks to far more"},
		"no document":   {pack(t, "[Content_Types].xml", "<Types/>", "word/other.xml", "<x/>"), "damaged"},
		"no XML":        {docx(t, "\x00\x01"), "damaged"},
		"no content":    {pack(t, "mimetype", "application/vnd.oasis.opendocument.text"), "damaged"},
		"ods nesting": {
			pack(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", "<office:spreadsheet>"+strings.Repeat("<table:table>", 10_000)), "unpacks to far more",
		},
		"half a container": {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\xff", 2000)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := read(t.Context(), extract.Input{Data: row.data, Name: "x.doc", Limits: extract.Limits{MaxBytes: 1 << 30}})
			var known *extract.Error
			if !errors.As(err, &known) || !strings.Contains(known.Reason, row.reason) || known.Hint == "" {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestDamagedEndIsSaid(t *testing.T) {
	t.Parallel()
	data := edit(t, file(t, "letter.docx"), "word/document.xml", `<w:document><w:body><w:p><w:r><w:t>Saved.</w:t></w:r></w:p><w:p>`)
	out := mustRead(t, data)
	if out.Text != "Saved." || out.Metadata["truncated"] != "true" || !strings.Contains(out.Metadata["warning"], "damaged") {
		t.Errorf("%q %v", out.Text, out.Metadata)
	}
	styles := edit(t, file(t, "letter.docx"), "word/styles.xml", "<broken")
	if out := mustRead(t, styles); !strings.Contains(out.Text, "It leaves at nine.") {
		t.Error("what a document can do without must not stop it")
	}
}

func TestTimeEnds(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"letter.docx", "talk.pptx", "book.xlsx", "letter.odt", "book.ods"} {
		data := file(t, name)
		for _, k := range office.Kinds() {
			src := &extract.Source{Input: extract.Input{Data: data}}
			if k.Looks(src) != extract.Yes {
				continue
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := k.Extract(ctx, src); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestSlidesDetails(t *testing.T) {
	t.Parallel()
	talk := file(t, "talk.pptx")
	slide := `<p:sld><p:cSld><p:spTree>` +
		`<p:sp><p:nvSpPr><p:nvPr><p:ph type="sldNum"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:fld><a:t>7</a:t></a:fld></a:p></p:txBody></p:sp>` +
		`<p:sp><p:nvSpPr><p:nvPr><p:ph idx="1"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:pPr><a:buAutoNum type="alphaLcParenR"/></a:pPr><a:r><a:t>x</a:t></a:r></a:p><a:p><a:pPr><a:buAutoNum type="alphaLcParenR"/></a:pPr><a:r><a:t>y</a:t></a:r></a:p>` +
		`<a:p><a:pPr lvl="1"/><a:r><a:t>deep</a:t></a:r></a:p><a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>plain</a:t></a:r></a:p></p:txBody></p:sp>` +
		`<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Late</a:t></a:r><a:br/><a:r><a:t>title</a:t></a:r></a:p></p:txBody></p:sp>` +
		`<p:pic><p:nvPicPr><p:cNvPr descr="A pier"/></p:nvPicPr></p:pic>` +
		`</p:spTree></p:cSld></p:sld>`
	out := mustRead(t, edit(t, talk, "ppt/slides/slide2.xml", slide))
	want := "## Late title\n\n- a) x\n- b) y\n   - deep\n\nplain\n\n![A pier](drawing)\n"
	if !strings.Contains(out.Text, want) {
		t.Error(out.Text)
	}
	if places := []string{"slide 1", "slide 2", "slide 3"}; len(out.Marks) != 3 || out.Marks[2].Page != 3 || out.Marks[1].Place != places[1] {
		t.Errorf("%+v", out.Marks)
	}
}

func TestSpreadsheetComments(t *testing.T) {
	t.Parallel()
	data := edit(t, xlsx(t, `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>`),
		"xl/worksheets/_rels/sheet1.xml.rels", rels+`<Relationship Id="c" Type="x/threadedComment" Target="../threadedComments/t1.xml"/><Relationship Id="d" Type="x/drawing" Target="../drawings/d1.xml"/></Relationships>`,
		"xl/_rels/workbook.xml.rels", rels+`<Relationship Id="s" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="p" Type="x/person" Target="persons/person.xml"/></Relationships>`,
		"xl/persons/person.xml", `<personList><person displayName="Mia Low" id="{1}"/></personList>`,
		"xl/threadedComments/t1.xml", `<ThreadedComments><threadedComment ref="A1" dT="2024-02-03T04:05:06.00" personId="{1}" id="x"><text>Too low?</text></threadedComment></ThreadedComments>`,
		"xl/drawings/d1.xml", `<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>Boxed</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>`)
	out := mustRead(t, data)
	if want := "## S\n\n- 1\n\n> Comment on A1 by Mia Low (2024-02-03): Too low?\n\nBoxed"; out.Text != want {
		t.Error(cmp.Diff(want, out.Text))
	}
	places := map[string]bool{}
	for _, m := range out.Marks {
		places[m.Place] = true
	}
	if want := []string{"S", "S!A1"}; !cmp.Equal(slices.Sorted(maps.Keys(places)), want) {
		t.Errorf("%+v", out.Marks)
	}
}

// Few bytes that ask for much: what they make must stay small.
func TestAmplifiers(t *testing.T) { //nolint:paralleltest // it watches the heap
	word := strings.Repeat("w", 4<<20)
	rows := func(s string, n int) string { return strings.Repeat(s, n) }
	first := `<w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>` + word + `</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr>`
	for name, data := range map[string][]byte{
		"merged cells inside a cell": docx(t, `<w:tbl><w:tr><w:tc><w:tbl>`+first+rows(`<w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr></w:tc></w:tr>`, 20_000)+`</w:tbl></w:tc><w:tc><w:p><w:r><w:t>y</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`),
		"empty columns":              docx(t, `<w:tbl>`+rows(`<w:tr><w:gridBefore w:val="999"/><w:tc><w:p><w:r><w:t>y</w:t></w:r></w:p></w:tc></w:tr>`, 100_000)+`</w:tbl>`),
		"a note for every word": edit(t, docx(t, `<w:tbl><w:tr><w:tc><w:p><w:r>`+rows(`<w:footnoteReference w:id="2"/>`, 20_000)+`</w:r></w:p></w:tc></w:tr></w:tbl>`),
			"word/_rels/document.xml.rels", rels+`<Relationship Id="n" Type="x/footnotes" Target="footnotes.xml"/></Relationships>`,
			"word/footnotes.xml", `<w:footnotes><w:footnote w:id="2"><w:p><w:r><w:t>`+word+`</w:t></w:r></w:p></w:footnote></w:footnotes>`),
		"one string in all cells": edit(t, xlsx(t, `<sheetData><row>`+rows(`<c t="s"><v>0</v></c>`, 16_000)+`</row></sheetData>`),
			"xl/_rels/workbook.xml.rels", rels+`<Relationship Id="s" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="t" Type="x/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
			"xl/sharedStrings.xml", `<sst><si><t>`+word+`</t></si></sst>`),
		"a merged column of words": xlsx(t, `<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>`+word+`</t></is></c></row>`+rows(`<row><c><v>1</v></c></row>`, 20_000)+
			`</sheetData><mergeCells><mergeCell ref="A1:A1048576"/></mergeCells>`),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out, err := read(t.Context(), extract.Input{Data: data})
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 1<<30 || err != nil || len(out.Text) > 40<<20 {
			t.Errorf("%s: %d MiB made for %d bytes of text, %v", name, made>>20, len(out.Text), err)
		}
	}
}
