// Package data reads files made for programs into lines that people can read: databases of SQLite, YAML, TOML, XML, JSON
// Lines and logs.
//
// What is nested becomes "path: value" lines under a heading for each outermost key; tables become one line a row, with the
// names of the columns, so that each explains itself wherever it is found. A file that turns out not to be what its name
// says stays the text that it is.
package data

import (
	"context"
	"path"
	"strings"

	"github.com/lukasa-memory/lukasa/internal/extract"
	"github.com/lukasa-memory/lukasa/internal/text"
)

// Kinds lists what is read here. YAML, TOML, plain XML and logs are recognised by their names; SQLite, XML with its
// declaration, chats in JSON Lines and the logs of known programs by their content too.
func Kinds() []extract.Kind {
	return []extract.Kind{
		{
			Name: "sqlite", Types: []string{"sqlite", "application/vnd.sqlite3", "application/x-sqlite3"},
			Extensions: []string{".sqlite", ".sqlite3", ".db", ".db3"}, Binary: true, Looks: looksSQLite, Extract: extractSQLite,
		},
		{
			Name: "records", Types: []string{"jsonl", "application/jsonl", "application/x-ndjson", "application/x-jsonlines"},
			Extensions: []string{".jsonl", ".ndjson"}, Looks: looksRecords, Extract: extractRecords,
		},
		{
			Name: "yaml", Types: []string{"yaml", "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"},
			Extensions: []string{".yaml", ".yml"}, Looks: named, Extract: extractYAML,
		},
		{
			Name: "toml", Types: []string{"toml", "application/toml", "text/x-toml"},
			Extensions: []string{".toml"}, Looks: named, Extract: extractTOML,
		},
		{
			Name: "xml", Types: []string{"xml", "application/xml", "text/xml"},
			Extensions: []string{".xml", ".opml", ".gpx", ".kml", ".plist", ".rdf"}, Looks: looksXML, Extract: extractXML,
		},
		{
			Name: "log", Types: []string{"log", "text/x-log"}, Extensions: []string{".log"}, Looks: looksLog, Extract: extractLog,
		},
	}
}

// named recognises by name or declared type only.
func named(src *extract.Source) extract.Look {
	if strings.TrimSpace(src.Text) == "" {
		return extract.No
	}
	return extract.Maybe
}

// fileName is the name of the source's file without folders, or other.
func fileName(src *extract.Source, other string) string {
	name := path.Base(strings.ReplaceAll(src.Name, `\`, "/"))
	if src.Name == "" || name == "." || name == "/" {
		return other
	}
	return name
}

// asText returns the content as it is, as the built-in kinds read it when it is called plain text or code; warning says
// why.
func asText(ctx context.Context, src *extract.Source, declared, warning string) (extract.Output, error) {
	in := src.Input
	in.Data, in.DeclaredType = []byte(src.Text), declared
	in.Limits.MaxBytes = max(in.Limits.MaxBytes, len(in.Data))
	out, err := extract.Set{}.Extract(ctx, in)
	if err == nil && warning != "" {
		out.Metadata["warning"] = warning
	}
	return out, err
}

// stretch is about how many bytes of text one place covers: a chunk begins at each place, so they are not finer than that.
const stretch = 1200

// writer joins Markdown with the places that it can be cited by.
type writer struct {
	b     strings.Builder
	marks []extract.Mark
}

// block adds a block behind a blank line; a blank one is left out.
func (w *writer) block(s string) {
	if s = strings.TrimSpace(text.CleanAs(s, text.Markdown)); s == "" {
		return
	}
	if w.b.Len() > 0 {
		w.b.WriteString("\n\n")
	}
	w.b.WriteString(s)
}

// item adds a list item, right below the one before unless first.
func (w *writer) item(s string, first bool) {
	s = strings.TrimSpace(text.Clean(s))
	switch {
	case first && w.b.Len() > 0:
		w.b.WriteString("\n\n")
	case w.b.Len() > 0:
		w.b.WriteByte('\n')
	}
	w.b.WriteString("- " + s)
}

// next is the offset at which the next block begins.
func (w *writer) next() int {
	if w.b.Len() == 0 {
		return 0
	}
	return w.b.Len() + len("\n\n")
}

// mark says that the text from at on stands at a place.
func (w *writer) mark(at int, place string) {
	w.marks = append(w.marks, extract.Mark{Offset: at, Place: place})
}

// inline writes s on one line, cut to n bytes.
func inline(s string, n int) string {
	if len(s) > 2*n {
		s = s[:2*n]
	}
	s = strings.Join(strings.Fields(text.Clean(s)), " ")
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}
