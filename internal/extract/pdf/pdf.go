// Package pdf reads PDF files: their text in reading order with the page that each part stands on, by pdftotext where that
// program is installed and by a reader of its own elsewhere; scanned pages by OCR or a vision model.
//
// Both means give words with boxes, and one layout makes text of them (see layout): columns are read one after the other,
// running heads, feet and page numbers dropped, words that a line's end cut put together, ligatures resolved, Arabic and Hebrew
// turned into the order in which they are read, headings told by their size, tables written as Markdown.
//
// The reader in Go (see reader.go) reads files whose table is lost, which pdftotext gives up. It is weaker where a font does not
// say what its glyphs mean, as in old Chinese, Japanese and Korean files without a ToUnicode map; such pages count as unreadable
// and go to OCR. Vertical writing is read by neither.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/program"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Limits on one file, besides those of the caller and of the reader in Go.
const (
	maxPages = 2000
	maxScans = 200         // pages that are read by OCR or a model
	maxTime  = time.Minute // of the reader in Go
)

// Kinds returns the kind pdf.
func Kinds() []extract.Kind {
	return []extract.Kind{{
		Name: "pdf", Types: []string{"application/pdf", "application/x-pdf", "pdf"}, Extensions: []string{".pdf"}, Binary: true,
		Looks: looks, Extract: read,
	}}
}

func looks(src *extract.Source) extract.Look {
	if bytes.Contains(src.Data[:min(len(src.Data), 1024)], []byte("%PDF-")) {
		return extract.Yes
	}
	return extract.No
}

// document is a file as either means reads it.
type document struct {
	pages   []*page
	info    Info
	reader  string
	damaged bool // something in it was broken, or had to be searched for
	more    bool // there are pages beyond maxPages
}

func read(ctx context.Context, src *extract.Source) (extract.Output, error) {
	doc, err := open(ctx, src)
	if err != nil {
		return extract.Output{}, explain(ctx, err)
	}
	note, err := readScans(ctx, src, doc)
	if err != nil {
		return extract.Output{}, explain(ctx, err)
	}
	w, err := write(ctx, doc.pages)
	if err != nil {
		return extract.Output{}, err
	}
	if strings.TrimSpace(w.text) == "" {
		if note.needs {
			return extract.Output{}, errScanned(nil)
		}
		return extract.Output{}, &extract.Error{
			Reason: "the PDF holds no text",
			Hint:   "if it shows any, send a print of it as pictures", Err: extract.ErrEmpty,
		}
	}
	return output(src, doc, w, note), nil
}

// open reads the words of a file, by pdftotext if it can, else by the reader in Go.
func open(ctx context.Context, src *extract.Source) (*document, error) {
	if src.Help.Run != nil {
		doc, err := poppler(ctx, src.Help, src.Data)
		switch {
		case err == nil:
			return doc, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, ErrLocked):
			return nil, err
		}
		if !errors.Is(err, program.ErrMissing) { // it gave up: what it could not, the other may
			doc, err2 := native(ctx, src.Data)
			if err2 != nil {
				return nil, errors.Join(err2, err)
			}
			return doc, nil
		}
	}
	return native(ctx, src.Data)
}

// native reads a file by the reader in Go.
func native(parent context.Context, data []byte) (*document, error) {
	ctx, cancel := context.WithTimeout(parent, maxTime)
	defer cancel()
	f, err := Open(ctx, data, Limits{Pages: maxPages})
	if err != nil {
		return nil, tooLong(parent, ctx, err)
	}
	doc := &document{reader: "go", info: f.Info(), damaged: f.Damaged(), more: f.More()}
	for i := range f.Len() {
		p, err := f.Page(i)
		if Final(err) && i > 0 && parent.Err() == nil { // what was read up to here is worth something
			doc.more = true
			break
		}
		if Final(err) {
			return nil, tooLong(parent, ctx, fmt.Errorf("after %d of %d pages: %w", i, f.Len(), err))
		}
		if err != nil { // one broken page does not cost the others
			p, doc.damaged = &Page{}, true
		}
		doc.pages = append(doc.pages, newPage(p))
	}
	return doc, nil
}

// tooLong makes of our own time limit what it is: too much work.
func tooLong(parent, own context.Context, err error) error {
	switch {
	case parent.Err() != nil:
		return parent.Err()
	case own.Err() != nil:
		return fmt.Errorf("within %v: %w", maxTime, ErrBudget)
	}
	return err
}

func newPage(p *Page) *page {
	out := &page{width: p.Width, height: p.Height}
	for q, words := range p.Words {
		out.words[q] = make([]word, len(words))
		for i, w := range words {
			out.words[q][i] = word{x0: w.X0, y0: w.Y0, x1: w.X1, y1: w.Y1, size: w.Size, text: w.Text}
		}
	}
	return out
}

// explain says why a file cannot be read, and what a person can do about it.
func explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e := new(extract.Error); errors.As(err, &e) {
		return err
	}
	switch {
	case errors.Is(err, ErrLocked):
		return &extract.Error{
			Reason: "the PDF is locked",
			Hint:   "save a copy without the password (qpdf --password=… --decrypt in.pdf out.pdf, or print it to a PDF) and add that", Err: err,
		}
	case errors.Is(err, ErrCipher):
		return &extract.Error{
			Reason: "the PDF is encrypted for certain readers only",
			Hint:   "open it with the program that it was made for and save it without encryption", Err: err,
		}
	case errors.Is(err, ErrBudget):
		return &extract.Error{
			Reason: "the PDF asks for more work than one file may",
			Hint:   "split it into parts, or save it anew with another program", Err: err,
		}
	}
	return &extract.Error{Reason: "the PDF is damaged", Hint: "fetch or scan it again; a viewer that opens it can save a whole copy", Err: err}
}

// output puts together what was found.
func output(src *extract.Source, doc *document, w written, note scanNote) extract.Output {
	out := extract.Output{
		Text: w.text, Type: extract.TypeMarkdown, Author: doc.info.Author, Published: doc.info.Created, Marks: w.marks,
		Metadata: map[string]string{"pages": strconv.Itoa(len(doc.pages)), "reader": doc.reader},
	}
	out.Language, _ = text.Language(w.text)
	out.Title = goodTitle(doc.info.Title, src.Name)
	if out.Title == "" {
		out.Title = w.title
	}
	for k, v := range map[string]string{
		"subject": doc.info.Subject, "keywords": doc.info.Keywords, "creator": doc.info.Creator, "producer": doc.info.Producer,
		"running_head": strings.Join(w.heads, "; "), "ocr": note.by,
	} {
		if v != "" {
			out.Metadata[k] = v
		}
	}
	var warnings []string
	if doc.damaged {
		warnings = append(warnings, "the file is damaged: parts may be missing")
	}
	if doc.more {
		out.Metadata["truncated"] = "true"
		warnings = append(warnings, fmt.Sprintf("only the first %d pages were read", len(doc.pages)))
	}
	if note.warning != "" {
		warnings = append(warnings, note.warning)
	}
	if len(warnings) > 0 {
		out.Metadata["warning"] = strings.Join(warnings, "; ")
	}
	return out
}

// goodTitle drops titles that programs made up: a file name, or the name of the program.
func goodTitle(title, file string) string {
	t := strings.TrimSpace(title)
	low := strings.ToLower(t)
	for _, p := range []string{"microsoft word - ", "microsoft powerpoint - ", "powerpoint presentation"} {
		low = strings.TrimPrefix(low, p)
	}
	switch ext := path.Ext(low); ext {
	case ".doc", ".docx", ".pdf", ".indd", ".tex", ".dvi", ".ppt", ".pptx", ".odt", ".rtf", ".qxd", ".ps", ".xls", ".xlsx", ".html", ".htm", ".tmp":
		return ""
	}
	if low == "" || strings.HasPrefix(low, "untitled") || low == "title" || low == strings.ToLower(file) || strings.ContainsAny(low, `\/`) && !strings.Contains(low, " ") {
		return ""
	}
	return t
}
