package pdf

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/ocr"
	"github.com/lukasa-memory/lukasa/internal/program"
)

// scanNote says what became of the pages that are pictures.
type scanNote struct {
	needs   bool   // there are such pages, and nobody could read them
	by      string // who read them
	warning string
}

// dots is how many a page is rendered with to the inch: enough for OCR, and small enough for a model.
const dots = 200

// readScans finds the pages without text that can be read, and reads them by OCR or by a model.
func readScans(ctx context.Context, src *extract.Source, doc *document) (scanNote, error) {
	var scans []int
	for i, p := range doc.pages {
		if good, bad := p.letters(); good < 8 || bad > good {
			scans = append(scans, i)
		}
	}
	if len(scans) == 0 {
		return scanNote{}, nil
	}
	f, pictures := picturesOf(ctx, src.Data, doc, scans)
	kept := scans[:0]
	for _, i := range scans {
		_, bad := doc.pages[i].letters()
		if p := pictures[i]; f == nil || bad > 8 || p != nil && p.Pictures >= 0.1*p.Width*p.Height {
			kept = append(kept, i)
		}
	}
	if scans = kept; len(scans) == 0 {
		return scanNote{}, nil
	}
	s := scanner{ctx: ctx, src: src, file: f, pictures: pictures}
	var note scanNote
	var last error
	read, tried := 0, 0
	for _, i := range scans[:min(len(scans), maxScans)] {
		if err := ctx.Err(); err != nil {
			return note, err
		}
		tried++
		t, err := s.read(i)
		src.Help.Told(1, 0)
		if err != nil {
			if last = err; s.hopeless {
				break
			}
			continue
		}
		doc.pages[i].read = t
		doc.pages[i].words = [4][]word{} // what could not be read before
		read++
	}
	note.by = s.by
	if read == 0 && len(scans) == len(doc.pages) {
		return note, errScanned(last)
	}
	if left := len(scans) - read; left > 0 {
		note.needs = true
		note.warning = fmt.Sprintf("%d of %d pages are pictures that were not read", left, len(doc.pages))
		if s.hopeless {
			note.warning += ": " + scanHint
		}
	}
	return note, nil
}

const scanHint = "install tesseract (with pdftoppm of poppler-utils), or configure a vision model"

func errScanned(err error) error {
	return &extract.Error{Reason: "the PDF holds pictures of pages, and no text", Hint: scanHint + "; then retry", Err: err}
}

// picturesOf looks by the reader in Go what pictures the pages given have, which pdftotext does not tell. The file is nil when
// that reader cannot open it.
func picturesOf(ctx context.Context, data []byte, doc *document, pages []int) (*File, map[int]*Page) {
	f, err := Open(ctx, data, Limits{Pages: maxPages})
	if err != nil || f.Len() != len(doc.pages) {
		return nil, nil
	}
	out := map[int]*Page{}
	for _, i := range pages {
		p, err := f.Page(i)
		if err == nil {
			out[i] = p
		}
	}
	return f, out
}

// scanner reads pictures of pages by what is there.
type scanner struct {
	ctx       context.Context
	src       *extract.Source
	file      *File
	pictures  map[int]*Page
	languages []string
	asked     bool
	noOCR     bool
	noRender  bool
	hopeless  bool // nothing is installed or configured that could
	by        string
}

// read returns the text of page i, as Markdown.
func (s *scanner) read(i int) (string, error) {
	picture, media, err := s.picture(i)
	if err != nil {
		return "", err
	}
	t, err := s.recognize(picture)
	if err == nil {
		return t, nil
	}
	if s.src.Help.See == nil {
		s.hopeless = s.noOCR
		return "", err
	}
	sight, err := s.src.Help.See(s.ctx, picture, media)
	if err != nil {
		return "", fmt.Errorf("look at page %d: %w", i+1, err)
	}
	s.by = sight.Model
	if sight.Text != "" {
		return sight.Text, nil
	}
	return sight.Description, nil
}

// picture renders a page, or takes the photograph that fills it.
func (s *scanner) picture(i int) ([]byte, string, error) {
	if s.src.Help.Run != nil && !s.noRender {
		n := strconv.Itoa(i + 1)
		res, err := s.src.Help.Run(s.ctx, program.Command{
			Name: "pdftoppm", Args: []string{"-f", n, "-l", n, "-r", strconv.Itoa(dots), "-scale-to", "3000", "-gray", "-png", "in.pdf"},
			Files: map[string][]byte{"in.pdf": s.src.Data}, Timeout: time.Minute, MaxOutput: 64 << 20,
		})
		if err == nil && len(res.Stdout) > 0 {
			return res.Stdout, "image/png", nil
		}
		s.noRender = errors.Is(err, program.ErrMissing)
	}
	if p := s.pictures[i]; p != nil {
		if b := s.file.Photograph(p); b != nil {
			return b, "image/jpeg", nil
		}
	}
	s.hopeless = s.noRender || s.src.Help.Run == nil
	return nil, "", errors.New("the page cannot be rendered without pdftoppm")
}

// recognize reads a picture by tesseract.
func (s *scanner) recognize(picture []byte) (string, error) {
	if s.src.Help.Run == nil || s.noOCR {
		s.noOCR = true
		return "", program.ErrMissing
	}
	run := func(ctx context.Context, args []string, picture []byte) ([]byte, error) {
		res, err := s.src.Help.Run(ctx, program.Command{Name: "tesseract", Args: args, Stdin: picture, Timeout: 2 * time.Minute, Resident: 112 << 20})
		return res.Stdout, err
	}
	if !s.asked {
		s.asked = true
		langs, err := ocr.Languages(s.ctx, run)
		if err != nil {
			s.noOCR = errors.Is(err, program.ErrMissing)
			return "", err
		}
		s.languages = langs
	}
	t, err := ocr.Read(s.ctx, run, picture, ocr.Options{Languages: s.languages})
	if err != nil {
		return "", err
	}
	if t.Text == "" {
		return "", errors.New("tesseract read nothing on the page")
	}
	s.by = "tesseract " + t.Languages
	return t.Text, nil
}
