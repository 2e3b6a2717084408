// Package rtf reads Rich Text Format: words in any of its code pages, headings, lists, tables, links, notes and pages.
//
// RTF is a stream of control words and nested groups. Each group has a destination, which says what its words are for; those
// of destinations that are not known, and that say that they may be passed over, are. The rules are those of the
// specification 1.9.1.
package rtf

import (
	"bytes"
	"context"
	"time"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/page"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Bounds of a file.
const (
	mostDepth = 512  // nested groups
	mostPages = 2000 // that are counted
	mostFonts = 4096
)

// Kinds lists what is read here.
func Kinds() []extract.Kind {
	return []extract.Kind{{
		Name: "rtf", Types: []string{"rtf", "application/rtf", "text/rtf", "text/richtext"}, Extensions: []string{".rtf"}, Binary: true,
		Looks: func(src *extract.Source) extract.Look {
			if bytes.HasPrefix(src.Data, []byte(`{\rtf`)) {
				return extract.Yes
			}
			return extract.No
		},
		Extract: read,
	}}
}

// read reads a file.
func read(ctx context.Context, src *extract.Source) (extract.Output, error) {
	d := newReader(src.Data)
	if err := d.read(ctx); err != nil {
		return extract.Output{}, err
	}
	out := extract.Output{Type: extract.TypeMarkdown, Metadata: map[string]string{"format": "rtf"}}
	var marks []page.Mark
	out.Text, marks = d.out.Finish()
	if out.Text == "" {
		return extract.Output{}, extract.ErrEmpty
	}
	for _, m := range marks {
		out.Marks = append(out.Marks, extract.Mark(m))
	}
	out.Title, out.Author, out.Published = page.OneLine(d.info["title"]), page.OneLine(d.info["author"]), d.created
	if out.Published.IsZero() {
		out.Published = d.revised
	}
	for _, title := range []string{d.out.Title(), page.FirstLine(out.Text)} {
		if out.Title == "" {
			out.Title = title
		}
	}
	for _, key := range []string{"subject", "keywords", "company", "operator"} {
		if v := page.OneLine(d.info[key]); v != "" {
			out.Metadata[key] = v
		}
	}
	for key, t := range map[string]time.Time{"created": d.created, "modified": d.revised} {
		if !t.IsZero() {
			out.Metadata[key] = t.Format(time.RFC3339)
		}
	}
	if d.out.Full() {
		out.Metadata["truncated"] = "true"
	}
	if d.warning != "" {
		out.Metadata["warning"] = d.warning
	}
	out.Language, _ = text.Language(out.Text[:page.Bound(out.Text, 64<<10)])
	return out, nil
}
