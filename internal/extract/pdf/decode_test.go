package pdf

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"context"
	"encoding/ascii85"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func testBudget(t testing.TB) *budget {
	l := Limits{}.normal()
	return &budget{ctx: t.Context(), steps: l.Steps, decoded: l.Decoded, words: l.Words}
}

func testReader(t testing.TB) *reader {
	t.Helper()
	r := &reader{bud: testBudget(t)}
	r.reset()
	return r
}

// TestFilters: what standard encoders wrote comes back.
func TestFilters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		data := rapid.SliceOfN(rapid.ByteRange('a', 'f'), 0, 3000).Draw(rt, "data")
		r := testReader(t)
		var flate, l, a bytes.Buffer
		z := zlib.NewWriter(&flate)
		_, _ = z.Write(data)
		_ = z.Close()
		w := lzw.NewWriter(&l, lzw.MSB, 8)
		_, _ = w.Write(data)
		_ = w.Close()
		e := ascii85.NewEncoder(&a)
		_, _ = e.Write(data)
		_ = e.Close()
		hex := fmt.Sprintf("%x>", data)
		for filter, raw := range map[name][]byte{"FlateDecode": flate.Bytes(), "LZWDecode": l.Bytes(), "ASCII85Decode": append(a.Bytes(), "~>"...), "ASCIIHexDecode": []byte(hex)} {
			s := &stream{dict: dict{"Filter": filter, "DecodeParms": dict{"EarlyChange": 0.0}}, raw: raw, open: true}
			got, rest := r.decode(s)
			if rest != "" || !bytes.Equal(got, data) {
				rt.Fatalf("%s: %d bytes of %d", filter, len(got), len(data))
			}
		}
	})
}

// TestRunLength: literal and repeated runs, up to the end mark.
func TestRunLength(t *testing.T) {
	t.Parallel()
	if got := testReader(t).runLength([]byte("\x02abc\xfex\x00z\x80rest")); string(got) != "abcxxxz" {
		t.Errorf("%q", got)
	}
}

// TestPredictors: rows written with each of PNG's filters come back.
func TestPredictors(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		colors, columns := rapid.IntRange(1, 4).Draw(rt, "colors"), rapid.IntRange(1, 9).Draw(rt, "columns")
		width := colors * columns
		plain := rapid.SliceOfN(rapid.Byte(), width*3, width*3).Draw(rt, "data")
		var coded []byte
		for row := range 3 {
			kind := rapid.ByteRange(0, 4).Draw(rt, "kind")
			coded = append(coded, kind)
			for i := range width {
				at := row*width + i
				var left, up, corner byte
				if i >= colors {
					left = plain[at-colors]
				}
				if row > 0 {
					if up = plain[at-width]; i >= colors {
						corner = plain[at-width-colors]
					}
				}
				coded = append(coded, plain[at]-[]byte{0, left, up, byte((int(left) + int(up)) / 2), paeth(left, up, corner)}[kind])
			}
		}
		p := dict{"Predictor": 15.0, "Colors": float64(colors), "Columns": float64(columns)}
		if got := testReader(t).predict(coded, p); !bytes.Equal(got, plain) {
			rt.Fatalf("%v, want %v", got, plain)
		}
	})
}

func TestGlyphText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"A": "A", "eacute": "é", "Aring": "Å", "ccedilla": "ç", "ohungarumlaut": "ő", "scommaaccent": "ş", "uni20AC": "€", "uni00410042": "AB",
		"u1F600": "😀", "f_i": "fi", "a.sc": "a", "fi": "ﬁ", "afii10017": "А", "afii10049": "Я", "afii10065": "а", "afii10097": "я", "afii10023": "Ё",
		".notdef": "", "g123": "", "": "", "uniXYZW": "", "quoteright": "’", "acute": "´",
	} {
		if got := glyphText(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		encoding name
		code     byte
		want     string
	}{
		{"StandardEncoding", 0x27, "’"},
		{"StandardEncoding", 0xa1, "¡"},
		{"StandardEncoding", 0xaf, "ﬂ"},
		{"StandardEncoding", 0xb1, "–"},
		{"StandardEncoding", 0xd0, "—"},
		{"StandardEncoding", 0xe1, "Æ"},
		{"StandardEncoding", 0xf5, "ı"},
		{"StandardEncoding", 0xfb, "ß"},
		{"StandardEncoding", 0xe2, ""},
		{"WinAnsiEncoding", 0x80, "€"},
		{"WinAnsiEncoding", 0xe9, "é"},
		{"WinAnsiEncoding", 0x81, ""},
		{"MacRomanEncoding", 0x8e, "é"},
		{"Symbol", 'a', "α"},
		{"Symbol", 0xd5, "∏"},
		{"Symbol", 0xe5, "∑"},
		{"Symbol", 0xb1, "±"},
		{"Symbol", 'W', "Ω"},
	} {
		e := baseEncoding(c.encoding)
		if e[c.code] != c.want {
			t.Errorf("%s %#x: %q, want %q", c.encoding, c.code, e[c.code], c.want)
		}
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"D:20250314150926+01'00'": "2025-03-14T14:09:26Z", "D:20250314150926Z": "2025-03-14T15:09:26Z", "D:20250314": "2025-03-14T00:00:00Z",
		"D:2025": "2025-01-01T00:00:00Z", "20250314150926-05'30": "2025-03-14T20:39:26Z", "D:191": "", "yesterday": "", "D:99999999": "", "": "",
	} {
		got := ""
		if d := ParseDate(in); !d.IsZero() {
			got = d.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestTextString(t *testing.T) {
	t.Parallel()
	for in, want := range map[str]string{
		"plain": "plain", "\xfe\xff\x00A\x20\xac": "A€", "\xff\xfeA\x00": "A", "\xef\xbb\xbf\xc3\xa9": "é", "caf\xe9": "café", "\xfe\xff\xd8": "",
	} {
		if got := textString(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestCMap: single codes, ranges and lists, of one and two bytes.
func TestCMap(t *testing.T) {
	t.Parallel()
	m := readCMap([]byte(`/CIDInit /ProcSet findresource begin 1 begincodespacerange <00> <7f> <8000> <ffff> endcodespacerange
		2 beginbfchar <41> <0061> <8001> <D83DDE00> endbfchar
		2 beginbfrange <8010> <8012> <0410> <8020> <8021> [<0066006C> <0031>] endbfrange
		1 begincidrange <8100> <81ff> 700 endcidrange endcmap`), testBudget(t))
	for code, want := range map[uint32]string{0x41: "a", 0x8001: "😀", 0x8010: "А", 0x8012: "В", 0x8020: "fl", 0x8021: "1", 0x8013: "", 0x42: ""} {
		if got, _ := m.text(code); got != want {
			t.Errorf("%#x: %q, want %q", code, got, want)
		}
	}
	if m.cid(0x8105) != 705 {
		t.Errorf("number %d", m.cid(0x8105))
	}
	for s, want := range map[str]int{"A": 1, "\x80\x01": 2, "A\x80": 1, "\x80": 1} {
		if _, n := m.next(s, 2); n != want {
			t.Errorf("%q: %d bytes, want %d", s, n, want)
		}
	}
}

// build writes a file of objects, numbered from 1, whose first is the catalogue.
func build(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, p := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", p)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF", len(objects)+1, start)
	return b.Bytes()
}

func deflate(unit string, times int) string {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestCompression)
	for range times {
		_, _ = z.Write([]byte(unit))
	}
	_ = z.Close()
	return b.String()
}

func flateStream(data, more string) string {
	return fmt.Sprintf("<</Length %d/Filter/FlateDecode%s>>stream\n%s\nendstream", len(data), more, data)
}

const (
	catalog = "<</Type/Catalog/Pages 2 0 R>>"
	tree    = "<</Type/Pages/Kids[3 0 R]/Count 1>>"
	onePage = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R>>>>>>"
	times12 = "<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>"
)

func plainStream(s string) string {
	return fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(s), s)
}

// TestBombs: files that are made to run for ever, or to fill the memory, end soon with an error or a text.
func TestBombs(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 1<<20)
	for name, data := range map[string][]byte{
		"page tree in a ring":     build(catalog, "<</Type/Pages/Kids[2 0 R 2 0 R 2 0 R]/Count 100000000>>"),
		"page tree, two rings":    build(catalog, "<</Type/Pages/Kids[3 0 R 3 0 R]>>", "<</Type/Pages/Kids[2 0 R 3 0 R 2 0 R]>>"),
		"content of 300 MB":       build(catalog, tree, onePage, flateStream(deflate("BT /F1 12 Tf (aaaaaaaa) Tj ET\n", 10_000_000), ""), times12),
		"filter upon filter":      build(catalog, tree, onePage, "<</Length 9/Filter["+strings.Repeat("/FlateDecode ", 1000)+"]>>stream\nxxxxxxxxx\nendstream"),
		"table of 10^9 entries":   []byte("%PDF-1.7\nxref\n0 999999999\ntrailer<</Root 1 0 R>>\nstartxref\n9\n%%EOF"),
		"tables in a ring":        []byte("%PDF-1.7\nxref\n0 1\n0000000000 65535 f \ntrailer<</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF"),
		"reference to itself":     build("1 0 R", "2 0 R"),
		"length of itself":        build(catalog, tree, onePage, "<</Length 4 0 R>>stream\nBT ET\nendstream", times12),
		"nested arrays":           build(catalog, "<</Type/Pages/Kids "+deep+">>"),
		"nested in content":       build(catalog, tree, onePage, plainStream(deep), times12),
		"form in itself":          build(catalog, tree, onePage, plainStream("/X Do /X Do"), times12, "<</Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>/Length 36>>stream\n/X Do /X Do /X Do /X Do /X Do /X Do  \nendstream"),
		"object stream of itself": build(catalog, "<</Type/ObjStm/N 1/First 4/Length 9>>stream\n2 0 <<>>x\nendstream"),
		"wide rows":               build(catalog, tree, onePage, "<</Length 9/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 99999999/Colors 60/BitsPerComponent 32>>>>stream\nx\xda\xcbH\xcd\xc9\xc9\x07\x00\nendstream"),
		"widths without end":      build(catalog, tree, onePage, plainStream("BT /F1 1 Tf (a) Tj ET"), "<</Type/Font/Subtype/Type0/DescendantFonts[<</W["+strings.Repeat("0 65535 1 ", 5000)+"]>>]>>"),
		"far away":                build(catalog, tree, onePage, plainStream("BT /F1 1e30 Tf 1e30 0 0 1e30 1e300 1e300 Tm (a) Tj 99999999999999 Ts (b) Tj ET"), times12),
		"many saved states":       build(catalog, tree, onePage, plainStream(strings.Repeat("q BT ", 500_000)), times12),
		"noise":                   noise(200_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			_, err := all(t.Context(), data, Limits{})
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("took %v", took)
			}
			if err != nil && strings.Contains(err.Error(), "runtime error") {
				t.Error(err)
			}
		})
	}
}

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"obj", "endobj", "stream", "endstream", "<<", ">>", "[", "]", "/Type", "/Page", "/Kids", "1 0 R", "2 0 R", "xref", "trailer", "startxref", "(", ")", "9 0 obj", "\n"}
	b := []byte("%PDF-1.4\n")
	for len(b) < n {
		b = append(append(b, words[r.IntN(len(words))]...), ' ')
	}
	return b
}

// TestBudget: a page that paints without end is refused with the reason that says so, and so is one that is told to stop.
func TestBudget(t *testing.T) {
	t.Parallel()
	data := build(catalog, tree, onePage, flateStream(deflate("BT /F1 12 Tf (aaaaaaaa) Tj ET\n", 10_000_000), ""), times12)
	if _, err := all(t.Context(), data, Limits{}); !errors.Is(err, ErrBudget) || !Final(err) {
		t.Errorf("%v", err)
	}
	for name, l := range map[string]Limits{"steps": {Steps: 100}, "bytes": {Decoded: 100}, "words": {Words: 1}} {
		page := plainStream(strings.Repeat("BT /F1 12 Tf 72 700 Td (ab cd ef) Tj ET ", 20))
		if name == "bytes" {
			page = flateStream(deflate("BT ET ", 1000), "")
		}
		if _, err := all(t.Context(), build(catalog, tree, onePage, page, times12), l); !errors.Is(err, ErrBudget) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := all(ctx, data, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// all reads all pages.
func all(ctx context.Context, data []byte, l Limits) (pages []*Page, err error) {
	f, err := Open(ctx, data, l)
	if err != nil {
		return nil, err
	}
	for i := range f.Len() {
		p, err := f.Page(i)
		if err != nil {
			return pages, err
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// lines returns the words of a direction, those of one height on one line.
func lines(words []Word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			if math.Abs(w.Y0-words[i-1].Y0) > 1 {
				b.WriteByte('/')
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteString(w.Text)
	}
	return b.String()
}

// TestTurned: text on a page that is turned stands in a direction of its own, as far from its corner as on one that is not.
func TestTurned(t *testing.T) {
	t.Parallel()
	content := "BT /F1 12 Tf 1 0 0 1 72 700 Tm (First line.) Tj 0 -40 Td (Second line.) Tj ET"
	for quarter := range 4 {
		page := strings.Replace(onePage, "/Parent", fmt.Sprintf("/Rotate %d/Parent", 90*quarter), 1)
		pages, err := all(t.Context(), build(catalog, tree, page, plainStream(content), times12), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		p := pages[0]
		if got := lines(p.Words[quarter]); got != "First line./Second line." {
			t.Errorf("%d: %q of %+v", quarter, got, p.Words)
		}
		if wide := p.Width == 800; wide != (quarter%2 == 1) {
			t.Errorf("%d: %v by %v", quarter, p.Width, p.Height)
		}
	}
	up := strings.Replace(content, "1 0 0 1 72 700", "0 1 -1 0 300 100", 1)
	pages, err := all(t.Context(), build(catalog, tree, onePage, plainStream(up), times12), Limits{})
	if err != nil || lines(pages[0].Words[3]) != "First line./Second line." {
		t.Errorf("%+v, %v", pages, err)
	}
}

// TestShow: the operators of text put words where they belong.
func TestShow(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"BT /F1 12 Tf 72 700 Td [(He) 20 (llo) -400 (world)] TJ ET":                                        "Hello world",
		"BT /F1 12 Tf 14 TL 72 700 Td (one line) Tj T* (and more) ' ET":                                    "one line/and more",
		"BT /F1 12 Tf 72 700 Td (a) Tj ET BT /F1 12 Tf 300 700 Td (b) Tj ET":                               "a b",
		"BT /F1 12 Tf 72 700 Td /Span<</ActualText(tea)>>BDC (xyz) Tj EMC ET":                              "tea",
		"BT /F1 12 Tf 72 700 Td <48692E> Tj ET BI /W 1 ID \x00EI(\nEI\nBT /F1 12 Tf 99 700 Td (you) Tj ET": "Hi. you",
		"BT /F1 12 Tf 72 700 Td (caf\\351 \\(x\\)) Tj ET":                                                  "café (x)",
		"BT /F1 12 Tf 100 700 Td (c) Tj -5.32 0 Td (b) Tj -6 0 Td (a) Tj ET":                               "abc", // painted from right to left
		"q 2 0 0 2 0 0 cm BT /F1 6 Tf 20 Tc 36 350 Td (far) Tj ET Q":                                       "f a r",
		"BT /F1 12 Tf 72 700 Td (x) Tj ET /X Do":                                                           "x",
	} {
		pages, err := all(t.Context(), build(catalog, tree, onePage, plainStream(content), times12), Limits{})
		if err != nil || lines(pages[0].Words[0]) != want {
			t.Errorf("%s: %q, want %q, %v", content, lines(pages[0].Words[0]), want, err)
		}
	}
}

func FuzzPages(f *testing.F) {
	for _, file := range []string{"office.pdf", "rtl.pdf", "owner256.pdf", "ownerrc4.pdf", "truncated.pdf"} {
		b, err := os.ReadFile("testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(build(catalog, tree, onePage, plainStream("BT /F1 12 Tf 72 700 Td [(He) 20 (llo)] TJ ET"), times12))
	f.Add(noise(500))
	f.Fuzz(func(t *testing.T, b []byte) {
		pages, err := all(t.Context(), b, Limits{Pages: 50, Steps: 2_000_000, Decoded: 8 << 20, Words: 100_000})
		if err != nil && strings.Contains(err.Error(), "runtime error") {
			t.Error(err) // recovered, but ours
		}
		for _, p := range pages {
			for _, q := range p.Words {
				for _, w := range q {
					if !utf8.ValidString(w.Text) || !(math.Abs(w.X0)+math.Abs(w.Y1) < 1e7) {
						t.Errorf("%+v", w)
					}
				}
			}
		}
	})
}

func FuzzCMap(f *testing.F) {
	f.Add([]byte("1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <00> <ff> <0041> endbfrange"), []byte("AB\x80"))
	f.Fuzz(func(t *testing.T, b, s []byte) {
		bud := testBudget(t)
		bud.steps = 1_000_000
		_ = guard(func() error {
			m := readCMap(b, bud)
			for in := str(s); len(in) > 0; {
				c, n := m.next(in, 2)
				if n == 0 {
					t.Error("no step")
					return nil
				}
				m.text(c)
				m.cid(c)
				in = in[n:]
			}
			return nil
		})
	})
}
