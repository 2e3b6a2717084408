package pdf_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/extract/pdf"
	"github.com/lukasa-memory/lukasa/internal/program"
)

func load(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func read(t *testing.T, data []byte, help extract.Help) (extract.Output, error) {
	t.Helper()
	return extract.With(pdf.Kinds()...).Extract(t.Context(), extract.Input{Data: data, Help: help})
}

func mustRead(t *testing.T, file string, help extract.Help) extract.Output {
	t.Helper()
	out, err := read(t, load(t, file), help)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return out
}

// only runs the programs named and no others.
func only(t *testing.T, names ...string) extract.Help {
	t.Helper()
	for _, n := range names {
		if !program.Has(n) {
			t.Skipf("needs %s: it is not installed", n)
		}
	}
	return extract.Help{Run: func(ctx context.Context, c program.Command) (program.Result, error) {
		if slices.Contains(names, c.Name) {
			return program.Run(ctx, c)
		}
		return program.Result{}, program.ErrMissing
	}}
}

// means are the two ways to read words; a test of both says what it skips.
func means(t *testing.T, test func(t *testing.T, help extract.Help, reader string)) {
	t.Helper()
	t.Run("go", func(t *testing.T) {
		t.Parallel()
		test(t, extract.Help{}, "go")
	})
	t.Run("pdftotext", func(t *testing.T) {
		t.Parallel()
		test(t, only(t, "pdftotext"), "pdftotext ")
	})
}

// page returns the text that stands on a page.
func page(out extract.Output, n int) string {
	for i, m := range out.Marks {
		if m.Page == n {
			end := len(out.Text)
			if i+1 < len(out.Marks) {
				end = out.Marks[i+1].Offset
			}
			return out.Text[m.Offset:end]
		}
	}
	return ""
}

// TestColumns: H-3, forty pages in two columns: the fact on page 7 is found there, in one piece, and each page has its place.
func TestColumns(t *testing.T) {
	t.Parallel()
	means(t, func(t *testing.T, help extract.Help, reader string) {
		out := mustRead(t, "columns.pdf", help)
		if !strings.HasPrefix(out.Metadata["reader"], reader) || out.Metadata["pages"] != "40" || out.Type != extract.TypeMarkdown {
			t.Errorf("%s, %v", out.Type, out.Metadata)
		}
		for i, m := range out.Marks {
			if m.Page != i+1 || i > 0 && m.Offset <= out.Marks[i-1].Offset {
				t.Fatalf("mark %d: %+v", i, m)
			}
		}
		if len(out.Marks) != 40 || out.Marks[0].Offset != 0 {
			t.Errorf("%d marks, the first at %d", len(out.Marks), out.Marks[0].Offset)
		}
		const fact = "The bell of the Lindvik lighthouse was cast in Trondheim in 1874 by the founder Olsen Nauen and weighs 412 kilograms."
		if !strings.Contains(page(out, 7), fact) {
			t.Errorf("page 7:\n%s", page(out, 7))
		}
		if out.Title != "The Harbour of Lindvik: A Study of Forty Pages" || !strings.HasPrefix(out.Text, "# "+out.Title+"\n\n") {
			t.Errorf("title %q, text begins %q", out.Title, out.Text[:80])
		}
		if out.Metadata["running_head"] != "The Harbour of Lindvik Annual Report" || out.Published.IsZero() {
			t.Errorf("%v, %v", out.Metadata, out.Published)
		}
		if n := strings.Count(out.Text, "Annual Report"); n != 0 {
			t.Errorf("the running head stands in the text %d times", n)
		}
		if out.Language != "en" || !strings.Contains(out.Text, "\n\n## 1. Accounts of Part 1\n\n") {
			t.Errorf("language %q, or no heading of part 1", out.Language)
		}
		checkSentences(t, out.Text)
	})
}

// checkSentences finds what the generator of the text never wrote: words cut by hyphens, lines of page numbers, sentences of
// two columns run together.
func checkSentences(t *testing.T, text string) {
	t.Helper()
	tails := []string{
		"before the equinoctial storms.", "despite considerable opposition.", "according to contemporaneous letters.", "without further justification.",
		"during the reconstruction.", "in the following administrative year.", "notwithstanding the circumstances.", "under exceptional meteorological conditions.",
		"412 kilograms.",
	}
	for p := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(p, "#") || p == "Ingrid Solberg" {
			continue
		}
		for s := range strings.SplitAfterSeq(p, ". ") {
			s = strings.TrimSpace(s)
			ok := false
			for _, tail := range tails {
				ok = ok || strings.HasSuffix(s, tail) && len(s) < 160
			}
			if !ok && !strings.HasSuffix(text, s) { // the last one is cut by the end of page 40
				t.Errorf("not a sentence of the source: %q", s)
			}
		}
	}
}

// TestOffice: a file of LibreOffice, plain and under each cipher that the empty password opens.
func TestOffice(t *testing.T) {
	t.Parallel()
	const want = `# Field Notes on Orchards

Apple trees on the southern slope flowered on 14 April, nine days earlier than in the year before. The office staff filed the first figures, and the difference is sufficient to matter.

## Harvest by variety

| Variety | Trees | Kilograms |
| --- | --- | --- |
| Gravenstein | 112 | 4,310 |
| Boskoop | 87 | 3,905 |

## What to do next

- Prune the old Boskoop rows in February.
- Order forty young trees from the nursery in Ås.

It’s “ready” — the naïve café owner paid 25 € for it.`
	means(t, func(t *testing.T, help extract.Help, _ string) {
		for _, file := range []string{"office.pdf", "owner256.pdf", "owner128.pdf", "ownerrc4.pdf"} {
			out := mustRead(t, file, help)
			if diff := cmp.Diff(want, out.Text); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
			if out.Title != "Field Notes on Orchards" || out.Author != "Mara Lindqvist" || time.Since(out.Published) < 0 || out.Published.Year() < 2020 {
				t.Errorf("%s: %q by %q, %v", file, out.Title, out.Author, out.Published)
			}
		}
	})
}

// TestScripts: Chinese and Japanese without spaces between lines, Hebrew and Arabic in the order in which they are read.
func TestScripts(t *testing.T) {
	t.Parallel()
	means(t, func(t *testing.T, help extract.Help, _ string) {
		for file, want := range map[string]string{
			"cjk.pdf": "# 港の灯台\n\n灯台の鐘は一八七四年に鋳造され、重さは四百十二キログラムである。漁師たちは毎朝その音を聞いて海に出る。霧の深い日には鐘が三度鳴らされる。\n\n灯塔的钟铸造于一八七四年，重四百一十二公斤。渔民每天早晨听到钟声后出海。",
			"rtl.pdf": "הפעמון של המגדלור נוצק בשנת 1874 ומשקלו 412 קילוגרם.\n\nصب جرس المنارة في عام 1874 ويبلغ وزنه 412 كيلوغراما.\n\nAnd a line in English.",
		} {
			if diff := cmp.Diff(want, mustRead(t, file, help).Text); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		}
	})
}

// TestBothMeans: the same file has the same text and the same pages by either means.
func TestBothMeans(t *testing.T) {
	t.Parallel()
	help := only(t, "pdftotext")
	for _, file := range []string{"columns.pdf", "office.pdf", "cjk.pdf", "rtl.pdf", "plain.pdf", "owner256.pdf"} {
		a, b := mustRead(t, file, extract.Help{}), mustRead(t, file, help)
		if a.Text != b.Text || !cmp.Equal(a.Marks, b.Marks) {
			t.Errorf("%s (-go +pdftotext):\n%s\n%s", file, cmp.Diff(a.Text, b.Text), cmp.Diff(a.Marks, b.Marks))
		}
		delete(a.Metadata, "reader")
		delete(b.Metadata, "reader")
		if diff := cmp.Diff(a.Metadata, b.Metadata); diff != "" || a.Published != b.Published || a.Title != b.Title {
			t.Errorf("%s (-go +pdftotext):\n%s", file, diff)
		}
	}
}

// TestDamaged: a file whose end is lost is read as far as it goes, and says so; one without a page is damaged, and no other
// thing.
func TestDamaged(t *testing.T) {
	t.Parallel()
	means(t, func(t *testing.T, help extract.Help, _ string) {
		out, whole := mustRead(t, "truncated.pdf", help), mustRead(t, "plain.pdf", help)
		if out.Text != whole.Text || out.Metadata["warning"] != "the file is damaged: parts may be missing" || out.Metadata["reader"] != "go" {
			t.Errorf("%v:\n%s", out.Metadata, cmp.Diff(whole.Text, out.Text))
		}
		if whole.Metadata["warning"] != "" {
			t.Errorf("a whole file: %v", whole.Metadata)
		}
		for name, data := range map[string][]byte{
			"half": load(t, "half.pdf"), "header": []byte("%PDF-1.7\n"), "rubbish": append([]byte("%PDF-1.7\n"), make([]byte, 5000)...),
		} {
			_, err := read(t, data, help)
			e := new(extract.Error)
			if !errors.As(err, &e) || e.Reason != "the PDF is damaged" || e.Hint == "" {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestLocked: a file that needs a password says so, and what to do.
func TestLocked(t *testing.T) {
	t.Parallel()
	means(t, func(t *testing.T, help extract.Help, _ string) {
		_, err := read(t, load(t, "locked.pdf"), help)
		e := new(extract.Error)
		if !errors.As(err, &e) || !strings.Contains(e.Error(), "password") || !strings.Contains(e.Hint, "without the password") {
			t.Errorf("%v", err)
		}
	})
}

// TestEachTruncation: wherever a file ends, it is read or refused; never is there a panic, and a text has its marks in order.
func TestEachTruncation(t *testing.T) {
	t.Parallel()
	data := load(t, "plain.pdf")
	for n := 0; n < len(data); n += 997 {
		checkOutput(t, data[:n], extract.Help{})
	}
}

func checkOutput(t *testing.T, data []byte, help extract.Help) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, err := extract.With(pdf.Kinds()...).Extract(ctx, extract.Input{Data: data, DeclaredType: "application/pdf", Help: help})
	if ctx.Err() != nil {
		t.Fatalf("ran out of time: %v", err)
	}
	if err != nil {
		return
	}
	last := -1
	for _, m := range out.Marks {
		if m.Offset <= last || m.Offset >= len(out.Text) {
			t.Fatalf("mark %+v after %d in %d bytes", m, last, len(out.Text))
		}
		last = m.Offset
	}
}

// TestCutShort: of a file with a page that asks for too much, the pages before it are read, and a warning says so.
func TestCutShort(t *testing.T) {
	t.Parallel()
	var squeezed bytes.Buffer
	z := zlib.NewWriter(&squeezed)
	for range 40 << 10 {
		_, _ = z.Write(bytes.Repeat([]byte("BT ET\n"), 200))
	}
	_ = z.Close()
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/Resources<</Font<</F 5 0 R>>>>>>endobj\n")
	b.WriteString("3 0 obj<</Type/Page/Contents 6 0 R>>endobj\n4 0 obj<</Type/Page/Contents 7 0 R>>endobj\n5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>endobj\n")
	b.WriteString("6 0 obj<</Length 50>>stream\nBT /F 12 Tf 72 700 Td (The first page is good.) Tj ET\nendstream endobj\n")
	fmt.Fprintf(&b, "7 0 obj<</Filter/FlateDecode/Length %d>>stream\n", squeezed.Len())
	b.Write(squeezed.Bytes())
	b.WriteString("\nendstream endobj\ntrailer<</Root 1 0 R>>")
	out, err := read(t, b.Bytes(), extract.Help{})
	if err != nil || out.Text != "The first page is good." || out.Metadata["truncated"] != "true" || !strings.Contains(out.Metadata["warning"], "only the first 1 pages") {
		t.Errorf("%q, %v, %v", out.Text, out.Metadata, err)
	}
}

// TestCancelled: the end of the context ends the reading, and is not taken for a fault of the file.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	kind := pdf.Kinds()[0]
	src := &extract.Source{Input: extract.Input{Data: load(t, "columns.pdf")}, Media: "application/pdf"}
	cancel()
	if _, err := kind.Extract(ctx, src); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
