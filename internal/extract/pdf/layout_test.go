package pdf

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNothingLost: however words stand on a page, each is in the text once, but for those in its margins.
func TestNothingLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := &page{width: 600, height: 800}
		var want []string
		for i := range rapid.IntRange(1, 60).Draw(rt, "words") {
			x, y := rapid.Float64Range(0, 500).Draw(rt, "x"), rapid.Float64Range(0, 700).Draw(rt, "y")
			w := word{x0: x, x1: x + rapid.Float64Range(1, 90).Draw(rt, "w"), y0: y, y1: y + 10, size: 10, text: fmt.Sprintf("w%dw", i)}
			p.words[0] = append(p.words[0], w)
			want = append(want, w.text)
		}
		out, err := write(t.Context(), []*page{p})
		if err != nil {
			rt.Fatal(err)
		}
		for _, w := range want {
			if strings.Count(out.text, w) != 1 {
				rt.Fatalf("%q stands %d times in\n%s", w, strings.Count(out.text, w), out.text)
			}
		}
	})
}

// TestColumnsApart: two columns whose lines stand on different heights are read one after the other.
func TestColumnsApart(t *testing.T) {
	t.Parallel()
	p := &page{width: 600, height: 800}
	for i := range 12 {
		for side, x := range []float64{50, 320} {
			for k := range 6 {
				at := x + float64(k)*38
				y := 100 + float64(i)*11 + float64(side)*(4+float64(i)*0.4)
				p.words[0] = append(p.words[0], word{x0: at, x1: at + 34, y0: y, y1: y + 9, size: 9, text: fmt.Sprintf("%c%d.%d", 'a'+side, i, k)})
			}
		}
	}
	out, err := write(t.Context(), []*page{p})
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(out.text)
	sorted := slices.SortedStableFunc(slices.Values(words), func(a, b string) int { return strings.Compare(a[:1], b[:1]) })
	if !slices.Equal(words, sorted) || len(words) != 144 {
		t.Errorf("%d words: %v", len(words), words)
	}
}

// TestMargins: running heads that stand on pages in turn, and numbers that count with the pages, are dropped; a number that does
// not count, and a head in letters larger than the text, are not.
func TestMargins(t *testing.T) {
	t.Parallel()
	var pages []*page
	for i := range 8 {
		p := &page{width: 600, height: 800}
		add := func(x, y, size float64, text string) {
			for w := range strings.FieldsSeq(text) {
				width := float64(len(w)) * size * 0.5
				p.words[0] = append(p.words[0], word{x0: x, x1: x + width, y0: y, y1: y + size, size: size, text: w})
				x += width + size*0.3
			}
		}
		add(50, 30, 10, []string{"The Left Head", "The Right Head"}[i%2])
		add(50, 60, 24, "Results")
		add(50, 100, 10, fmt.Sprintf("Body %d of the text, which is long enough.", i))
		add(50, 760, 10, "1984")
		add(300, 780, 10, fmt.Sprintf("Page %d of 8", i+1))
		pages = append(pages, p)
	}
	out, err := write(t.Context(), pages)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.text, "Head") || strings.Contains(out.text, "Page") || strings.Count(out.text, "# Results") != 8 || strings.Count(out.text, "1984") != 8 {
		t.Errorf("%s", out.text)
	}
	if !slices.Equal(out.heads, []string{"The Left Head", "The Right Head"}) {
		t.Errorf("%q", out.heads)
	}
}

// TestJoin: hyphens at the ends of lines go, but those that a word has elsewhere stay.
func TestJoin(t *testing.T) {
	t.Parallel()
	l := layout{vocabulary: map[string]bool{"two-column": true, "well-known": true, "wellknown": true}}
	for _, c := range [][3]string{
		{"an uninter-", "rupted talk", "an uninterrupted talk"},
		{"a two-", "column page", "a two-column page"},
		{"a well-", "known fact", "a wellknown fact"},
		{"see Müller-", "Lüdenscheidt", "see Müller-Lüdenscheidt"},
		{"soft\u00ad", "ness", "softness"},
		{"one", "two", "one two"},
		{"東京", "都", "東京都"},
		{"東京", "Tower", "東京 Tower"},
		{"1990-", "2000", "1990-2000"},
		{"state-of-the-", "art", "state-of-the-art"},
	} {
		head, tail := l.join(c[0], c[1])
		if head+tail != c[2] {
			t.Errorf("%q + %q = %q, want %q", c[0], c[1], head+tail, c[2])
		}
	}
}

func TestLogical(t *testing.T) {
	t.Parallel()
	for visual, want := range map[string]string{
		"one two": "one two", "םולש": "שלום", "1874 תנשב קצונ": "נוצק בשנת 1874", "םולש Foo Bar רמא": "אמר Foo Bar שלום", "said םולש םכילע twice": "said עליכם שלום twice",
		"(א) רפס": "ספר (א)", "12-34 רפסמ": "מספר 12-34", "ﻡﻼﺳ": "سلام",
	} {
		var words []word
		for w := range strings.FieldsSeq(visual) {
			words = append(words, word{text: w})
		}
		var got []string
		for _, w := range logical(words) {
			got = append(got, tidy(w.text))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", visual, s, want)
		}
	}
}

func TestTidy(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"oﬃce": "office", "ﬁrst": "first", "a\u200bb": "ab", "\u2f08": "人", "e\u0301": "é", "x\u00a0y": "x y", "\uf0b7": "•", "²": "²"} {
		if got := tidy(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := leaders("Introduction . . . . . . . . 12"); got != "Introduction … 12" {
		t.Errorf("%q", got)
	}
}

func TestGoodTitle(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Field Notes": "Field Notes", "Microsoft Word - thesis_v3.docx": "", "untitled": "", "a/b/c.tex": "", "report.pdf": "", "": "", "AC/DC and others": "AC/DC and others",
	} {
		if got := goodTitle(in, "x.pdf"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzBoxes(f *testing.F) {
	f.Add("<page width=\"595\" height=\"842\">\n<word xMin=\"56.8\" yMin=\"40.1\" xMax=\"124\" yMax=\"71.3\">Field</word>\n<word xMin=\"56.8\" yMin=\"90\" xMax=\"124\" yMax=\"100\">notes-</word>\n</page>")
	real, err := os.ReadFile("testdata/office.bbox")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(real))
	f.Add("<page width=\"-5\">\n<word xMin=\"NaN\" yMin=\"1e9\" xMax=\"1\" yMax=\"2\">&amp;&#x;</word>")
	f.Fuzz(func(t *testing.T, s string) {
		doc := &document{}
		doc.readBoxes(s)
		w, err := write(t.Context(), doc.pages)
		if err != nil {
			t.Fatal(err)
		}
		last := -1
		for _, m := range w.marks {
			if m.Offset < last || m.Offset > len(w.text) {
				t.Errorf("mark %+v after %d in %d bytes", m, last, len(w.text))
			}
			last = m.Offset
		}
	})
}
