package office_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/extracttest"
)

// quick reads hostile data, within a bound of time for what is so small.
func quick(t *testing.T, data []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, err := read(ctx, extract.Input{Data: data})
	if ctx.Err() != nil {
		t.Error("took too long")
	}
	if err == nil {
		extracttest.Sound(t, out)
	}
}

func FuzzFiles(f *testing.F) {
	for _, name := range []string{"book.xlsx", "letter.docx", "letter.odt", "locked.docx", "locked.xls", "letter.doc"} {
		f.Add(file(f, name))
	}
	f.Fuzz(quick)
}

func FuzzWordBody(f *testing.F) {
	f.Add(`<w:p><w:pPr><w:pStyle w:val="Heading1"/><w:numPr><w:ilvl w:val="1"/><w:numId w:val="2"/></w:numPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>`)
	f.Add(`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>x</w:t><w:br w:type="page"/></w:r></w:p></w:tc></w:tr></w:tbl>`)
	f.Add(`<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "http://a"</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>b</w:t><w:txbxContent><w:p/></w:txbxContent></w:r></w:p>`)
	f.Add(`<w:p><w:pPr><w:sectPr><w:type w:val="continuous"/></w:sectPr></w:pPr><w:r><w:lastRenderedPageBreak/><w:vanish/><w:footnoteReference w:id="1"/></w:r></w:p>`)
	base := file(f, "report.docx")
	f.Fuzz(func(t *testing.T, body string) {
		quick(t, edit(t, base, "word/document.xml", `<w:document xmlns:w="w"><w:body>`+body+`</w:body></w:document>`))
	})
}

func FuzzSheet(f *testing.F) {
	f.Add(`<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="2"><v>45413</v></c></row></sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells>`)
	f.Add(`<sheetData><row><c t="inlineStr"><is><t>x</t></is></c></row><row r="9"><c><f>A1</f></c></row></sheetData>`)
	base := file(f, "book.xlsx")
	f.Fuzz(func(t *testing.T, sheet string) {
		quick(t, edit(t, base, "xl/worksheets/sheet1.xml", `<worksheet>`+sheet+`</worksheet>`))
	})
}

func FuzzOpenDocument(f *testing.F) {
	f.Add("text", `<text:h text:outline-level="1">a</text:h><text:list><text:list-item><text:p>b<text:s text:c="9"/></text:p></text:list-item></text:list>`)
	f.Add("spreadsheet", `<table:table table:name="S"><table:table-row table:number-rows-repeated="9"><table:table-cell office:value-type="float" office:value="1"/></table:table-row></table:table>`)
	f.Add("presentation", `<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>t</text:p></draw:text-box></draw:frame><presentation:notes/></draw:page>`)
	f.Add("text", `<text:p><text:note><text:note-body><table:table><table:table-row><table:table-cell><text:p>x`)
	f.Fuzz(func(t *testing.T, kind, body string) {
		if strings.ContainsAny(kind, "<> \t\n/&") || kind == "" {
			return
		}
		quick(t, pack(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml",
			`<office:document-content><office:body><office:`+kind+`>`+body+`</office:`+kind+`></office:body></office:document-content>`))
	})
}
