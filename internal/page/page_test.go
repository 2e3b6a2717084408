package page_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lukasa-memory/lukasa/internal/page"
)

// show writes the text with its marks where they point.
func show(p *page.Page) string {
	s, marks := p.Finish()
	var b strings.Builder
	at := 0
	for _, m := range marks {
		b.WriteString(s[at:m.Offset])
		fmt.Fprintf(&b, "[%d%s]", m.Page, m.Place)
		at = m.Offset
	}
	return b.String() + s[at:]
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	var p page.Page
	for _, b := range []page.Block{
		{Shape: page.Heading, Level: 2, Text: "A\nb"},
		{Text: "# no heading\n---\nthree"},
		{Text: " \n"},
		page.NewItem("1.", "one", 0), page.NewItem("-", "in\nside", 1), page.NewItem("(a)", "label", 0),
		{Shape: page.Quote, Text: "said\nso"},
		{Shape: page.Code, Text: "if x {"},
		{Shape: page.Code, Text: "\ty```"},
		{Shape: page.Table, Rows: [][]string{{"h", "", "k|l"}, {"1"}, {"", "", "3"}}},
		{Shape: page.Heading, Level: 1, Text: "B"},
	} {
		p.Add(b)
	}
	want := "## A b\n\n\\# no heading\n\\---\nthree\n\n1. one\n   - in\n     side\n- (a) label\n\n> said\n> so\n\n```\nif x {\n\ty'''\n```\n\n" +
		"| h | | k\\|l |\n| --- | --- | --- |\n| 1 | | |\n| | | 3 |\n\n# B"
	if diff := cmp.Diff(want, show(&p)); diff != "" {
		t.Error(diff)
	}
	if p.Title() != "B" {
		t.Errorf("title %q", p.Title())
	}
	p.Call("Named")
	p.Call("Later")
	if p.Title() != "Named" {
		t.Errorf("title %q", p.Title())
	}
}

func TestPagesBegin(t *testing.T) { // H-3
	t.Parallel()
	var p page.Page
	p.Turn()
	p.Add(page.Block{Text: "one"})
	p.Add(page.Block{Text: page.Break + "two, " + page.Break + "three" + page.Break})
	p.Add(page.Block{Text: page.Break}) // an empty page
	p.Add(page.Block{Shape: page.Table, Rows: [][]string{{"h", "i"}, {page.Break + "six", ""}, {"a", "b" + page.Break}, {"seven", "c"}}})
	p.Queue(40)
	p.Add(page.Block{Shape: page.Heading, Level: 1, Text: page.Break + "forty"})
	want := "[1]one\n\n[2]two, [3]three\n\n[5]| h | i |\n| --- | --- |\n[6]| six | |\n| a | b |\n[7]| seven | c |\n\n[40]# forty"
	if diff := cmp.Diff(want, show(&p)); diff != "" {
		t.Error(diff)
	}
	p.Unturn(6)
	if got := show(&p); !strings.Contains(got, "[5]| h") || strings.Contains(got, "[7]") || !strings.Contains(got, "[6]| seven") {
		t.Error(got)
	}
}

func TestTextIsCut(t *testing.T) {
	t.Parallel()
	var p page.Page
	for range page.MostText/(1<<20) + 2 {
		p.Add(page.Block{Text: strings.Repeat("x", 1<<20)})
	}
	if !p.Full() || p.Length() > page.MostText {
		t.Errorf("%d bytes", p.Length())
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	var p page.Page
	f := page.Frame{Out: &p}
	cell := func(s string, set func()) {
		f.OpenCell()
		if set != nil {
			set()
		}
		f.Emit(page.Block{Text: s})
		f.CloseCell()
	}
	f.OpenTable()
	f.OpenRow()
	cell("a", func() { f.Cover(1) })
	cell("b", func() { f.Span(2) })
	cell("c", nil)
	f.CloseRow(false)
	f.OpenRow()
	f.Covered()
	cell("d", nil)
	f.CloseRow(false)
	f.OpenRow()
	cell("gone", nil)
	f.CloseRow(true)
	f.OpenRow()
	f.OpenCell()
	f.OpenTable() // inside of a cell
	f.OpenRow()
	cell("x", nil)
	cell("y", nil)
	f.Close()
	f.OpenTable() // of a single column: text in a frame
	f.OpenRow()
	cell("framed", nil)
	f.Close()
	want := "| a | b | | c |\n| --- | --- | --- | --- |\n| a | d | | |\n| x, y | | | |\n\nframed"
	if diff := cmp.Diff(want, show(&p)); diff != "" {
		t.Error(diff)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for _, row := range [][3]string{
		{"here", "https://a.example/x_(y)", "[here](https://a.example/x_%28y%29)"},
		{"https://a.example", "https://a.example", "https://a.example"},
		{"a@b.example", "mailto:a@b.example", "a@b.example"},
		{"", "http://a.example", "http://a.example"},
		{"x", "javascript:alert(1)", "x"},
		{"x", "file:///etc/passwd", "x"},
		{"x", "http://a b", "x"},
		{"x", "http://a\u0085b", "x"},
		{"x", "#top", "x"},
	} {
		if got := page.Link(row[0], row[1]); got != row[2] {
			t.Errorf("%q %q: %q", row[0], row[1], got)
		}
	}
	if got := page.Picture("A cat [1]\n\nDescription automatically generated", "media/my cat.png"); got != "![A cat (1)](my_cat.png)" {
		t.Error(got)
	}
	var p page.Para
	p.Write("see ")
	p.OpenLink("http://a.example")
	p.Write("this ")
	p.CloseLink()
	p.Write("now")
	p.CloseLink()
	if got := p.String(); got != "see [this](http://a.example) now" {
		t.Error(got)
	}
}

func TestOrdinals(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		n            int
		format, want string
	}{
		{3, "decimal", "3"},
		{3, "a", "c"},
		{28, "upperLetter", "BB"},
		{1994, "I", "MCMXCIV"},
		{4, "lowerRoman", "iv"},
		{0, "i", "0"},
		{5000, "I", "5000"},
		{9999, "a", "9999"},
	} {
		if got := page.Ordinal(row.n, row.format); got != row.want {
			t.Errorf("%d %s: %s", row.n, row.format, got)
		}
	}
}

func TestTidy(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                             "",
		"plain words":                  "plain words",
		" a\u00a0 b\t\n\n\r\n c\u00ad": "a b\nc",
		"x\u200by\xffz":                "xy\ufffdz",
		"a \x01b":                      "a \x01b",
	} {
		if got := page.Tidy(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestTextIsAlwaysClean(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var p page.Page
		word := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("ab #->|`~=\n\t\x01\u00a0\u00ad*1.é")), rapid.Rune()))
		for range rapid.IntRange(0, 12).Draw(t, "blocks") {
			b := page.Block{Shape: page.Shape(rapid.IntRange(0, 5).Draw(t, "shape")), Level: rapid.IntRange(0, 9).Draw(t, "level"), Text: page.Tidy(word.Draw(t, "text"))}
			switch b.Shape {
			case page.Code:
				b.Text = page.Printable(word.Draw(t, "code"))
			case page.Table:
				for range rapid.IntRange(0, 4).Draw(t, "rows") {
					var row []string
					for range rapid.IntRange(0, 4).Draw(t, "cells") {
						row = append(row, page.OneLine(word.Draw(t, "cell")))
					}
					b.Rows = append(b.Rows, row)
				}
			}
			p.Add(b)
		}
		s, marks := p.Finish()
		if why := unclean(s); why != "" {
			t.Fatalf("%s: %q", why, s)
		}
		last := -1
		for _, m := range marks {
			if m.Offset <= last || m.Offset > len(s) {
				t.Fatalf("mark at %d behind %d of %d", m.Offset, last, len(s))
			}
			last = m.Offset
		}
		if strings.Contains(s, page.Break) {
			t.Fatalf("%q holds a break", s)
		}
	})
}

// unclean says what a text has that clean Markdown has not; "" for nothing.
func unclean(s string) string {
	if !utf8.ValidString(s) || s != strings.TrimSpace(s) && strings.HasPrefix(s, "\n") {
		return "not UTF-8, or begins with an empty line"
	}
	fenced, blanks := false, 0
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if blanks++; line != "" {
			blanks = 0
		}
		switch {
		case strings.ContainsFunc(line, func(r rune) bool {
			return unicode.IsControl(r) && r != '\t' || r == 0xad || r == 0xfeff || r == 0x2028 || r == 0x2029
		}):
			return "a control"
		case !fenced && line != strings.TrimRightFunc(line, unicode.IsSpace):
			return "white space at the end of a line"
		case !fenced && blanks > 1:
			return "two empty lines"
		}
	}
	if fenced {
		return "an open fence"
	}
	return ""
}
