package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/program"
)

// TestScanOCR: D-9, pages that are pictures are read by tesseract, with the place of each page.
func TestScanOCR(t *testing.T) {
	t.Parallel()
	for name, programs := range map[string][]string{
		"rendered": {"pdftotext", "pdftoppm", "tesseract"},
		"bare":     {"tesseract"}, // the photograph in the file itself is read
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := mustRead(t, "scan.pdf", only(t, programs...))
			for n, want := range map[int][]string{
				1: {"DELIVERY NOTE 20417", "Café Nordlys", "24 jars of heather honey", "Tora Berg"},
				2: {"CONDITIONS", "within fourteen days", "property of the dairy"},
			} {
				for _, w := range want {
					if !strings.Contains(page(out, n), w) {
						t.Errorf("page %d lacks %q:\n%s", n, w, page(out, n))
					}
				}
			}
			if !strings.HasPrefix(out.Metadata["ocr"], "tesseract eng") || out.Metadata["warning"] != "" {
				t.Errorf("%v", out.Metadata)
			}
		})
	}
}

// TestScanSeen: without tesseract a vision model reads the pages.
func TestScanSeen(t *testing.T) {
	t.Parallel()
	var sizes []int
	help := extract.Help{See: func(_ context.Context, picture []byte, media string) (extract.Sight, error) {
		img, err := jpeg.Decode(bytes.NewReader(picture))
		if err != nil || media != "image/jpeg" || img.Bounds().Dx() < 1000 {
			t.Errorf("%s of %d bytes: %v", media, len(picture), err)
		}
		sizes = append(sizes, len(picture))
		return extract.Sight{Text: "Page of " + strings.Repeat("words ", len(sizes)), Description: "a note", Model: "seer-1"}, nil
	}}
	out := mustRead(t, "scan.pdf", help)
	if len(sizes) != 2 || out.Metadata["ocr"] != "seer-1" || out.Text != "Page of words\n\nPage of words words" {
		t.Errorf("%d pictures, %v, %q", len(sizes), out.Metadata, out.Text)
	}
	if diff := cmp.Diff([]extract.Mark{{Offset: 0, Page: 1}, {Offset: 15, Page: 2}}, out.Marks); diff != "" {
		t.Error(diff)
	}
}

// TestScanRendered: the model sees the page as pdftoppm draws it, where that is installed.
func TestScanRendered(t *testing.T) {
	t.Parallel()
	help := only(t, "pdftoppm")
	help.See = func(_ context.Context, picture []byte, media string) (extract.Sight, error) {
		if _, err := png.Decode(bytes.NewReader(picture)); err != nil || media != "image/png" {
			t.Errorf("%s: %v", media, err)
		}
		return extract.Sight{Description: "A sheet of paper with five lines.", Model: "seer-1"}, nil
	}
	if out := mustRead(t, "scan.pdf", help); !strings.HasPrefix(out.Text, "A sheet of paper") {
		t.Errorf("%q", out.Text)
	}
}

// TestScanNobody: without any means the error says what would help, and a model that fails is named.
func TestScanNobody(t *testing.T) {
	t.Parallel()
	for name, help := range map[string]extract.Help{
		"nothing": {},
		"no programs": {Run: func(context.Context, program.Command) (program.Result, error) {
			return program.Result{}, program.ErrMissing
		}},
		"failing model": {See: func(context.Context, []byte, string) (extract.Sight, error) {
			return extract.Sight{}, errors.New("model is down")
		}},
	} {
		_, err := read(t, load(t, "scan.pdf"), help)
		e := new(extract.Error)
		if !errors.As(err, &e) || !strings.Contains(e.Reason, "pictures of pages") || !strings.Contains(e.Hint, "install tesseract") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "failing model" && !strings.Contains(err.Error(), "model is down") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
