// Package book reads electronic books in EPUB, chapter by chapter.
//
// A book is a ZIP archive of XHTML, read as streams within the bounds of internal/unpack and written as Markdown by
// internal/page. Its table of contents says what the chapters are called, in headings and in citations.
package book

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/text"
	"github.com/lukasa-memory/lukasa/internal/unpack"
)

// mostPages is how many pages of the printed book are taken over from one part.
const mostPages = 2000

const mediaType = "application/epub+zip"

// Kinds lists what is read here.
func Kinds() []extract.Kind {
	return []extract.Kind{{
		Name: "epub", Types: []string{"epub", mediaType}, Extensions: []string{".epub"}, Binary: true, Looks: looks, Extract: read,
	}}
}

// looks reports a ZIP archive that says it is a book, or that holds what describes one.
func looks(src *extract.Source) extract.Look {
	if !bytes.HasPrefix(src.Data, []byte("PK\x03\x04")) {
		return extract.No
	}
	if media := unpack.MediaType(src.Data); media != "" {
		if strings.HasPrefix(media, mediaType) {
			return extract.Yes
		}
		return extract.No
	}
	for key := range unpack.Members(src.Data) {
		if key == "meta-inf/container.xml" {
			return extract.Yes
		}
	}
	return extract.No
}

// read reads a book.
func read(ctx context.Context, src *extract.Source) (extract.Output, error) {
	a, err := unpack.Open(ctx, src.Data)
	if err != nil {
		return extract.Output{}, told(err)
	}
	b := &volume{ctx: ctx, a: a, items: map[string]bookItem{}, starts: map[string][]*entry{}, notes: map[string]string{}}
	out := extract.Output{Type: extract.TypeMarkdown, Metadata: map[string]string{"format": "epub"}}
	if err := b.read(); err != nil {
		if ctx.Err() != nil {
			return extract.Output{}, ctx.Err()
		}
		// A book whose end is damaged is better than none. What is hostile or locked gives nothing.
		err = unpack.Damaged(err)
		if !unpack.IsDamaged(err) || b.page.Length() == 0 {
			return extract.Output{}, told(err)
		}
		b.warning = "the file is damaged, and its end is missing: " + err.Error()
		out.Metadata["truncated"] = "true"
	}
	var marks []page.Mark
	out.Text, marks = b.page.Finish()
	if out.Text == "" {
		return extract.Output{}, extract.ErrEmpty
	}
	for _, m := range marks {
		out.Marks = append(out.Marks, extract.Mark(m))
	}
	if b.page.Full() {
		out.Metadata["truncated"] = "true"
		b.warning = "the book is longer than what is kept of one file; the rest was dropped"
	}
	b.about.apply(&out)
	for _, title := range []string{b.page.Title(), page.FirstLine(out.Text)} {
		if out.Title == "" {
			out.Title = title
		}
	}
	if out.Language == "" {
		out.Language, _ = text.Language(out.Text[:page.Bound(out.Text, 64<<10)])
	}
	out.Metadata["chapters"] = strconv.Itoa(len(b.entries))
	if b.warning != "" {
		out.Metadata["warning"] = b.warning
	}
	return out, nil
}

// told turns a fault of an archive into the error that extractors report.
func told(err error) error {
	if f, ok := errors.AsType[*unpack.Fault](err); ok {
		return (*extract.Error)(f)
	}
	return err
}

// apply hands over what a book says about itself.
func (a *about) apply(out *extract.Output) {
	out.Title, out.Author, out.Published = a.title, strings.Join(a.authors, ", "), a.published
	if tag, _, _ := strings.Cut(strings.ToLower(a.language), "-"); len(tag) == 2 {
		out.Language = tag
	}
	for key, value := range map[string]string{
		"subject": strings.Join(a.subjects, ", "), "description": a.description, "publisher": a.publisher, "identifier": a.identifier, "rights": a.rights,
	} {
		if value != "" {
			out.Metadata[key] = value
		}
	}
	if !a.modified.IsZero() {
		out.Metadata["modified"] = a.modified.Format(time.RFC3339)
	}
}
